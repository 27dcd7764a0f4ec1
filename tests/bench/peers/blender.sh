# blender, without its window
package="blender python3-numpy"
is_installed() { command -v blender && /usr/bin/python3 -c 'import numpy'; }
run_blender() { exec blender --background --factory-startup --python-exit-code 1 --python "$peers/blender_jobs.py" -- "$@"; }
ascii_glb() { run_blender glb "$@"; }
binary_glb() { run_blender glb "$@"; }
only_torus=yes # half a minute for a million triangles
simplify() { run_blender simplify "$1" "$2" "$3"; }

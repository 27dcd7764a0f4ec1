# VTK: joins vertices as it reads; glTF with its data inline, since its exporter writes no GLB.
package=python3-vtk9
is_installed() { /usr/bin/python3 -c 'import vtkmodules.vtkIOGeometry'; }
run_vtk() { exec /usr/bin/python3 "$peers/vtk_jobs.py" "$@"; }
ascii_glb() { run_vtk gltf "$@"; }
binary_glb() { run_vtk gltf "$@"; }
obj_glb() { run_vtk gltf "$@"; }
ply_glb() { run_vtk gltf "$@"; }
text_ply_glb() { run_vtk gltf "$@"; }
ascii_binary() { run_vtk stl_binary "$@"; }
binary_ascii() { run_vtk stl_ascii "$@"; }
binary_wrl() { run_vtk wrl "$@"; }
library() { run_vtk library "$@"; }
simplify() { run_vtk simplify "$1" "$2" "$3"; }

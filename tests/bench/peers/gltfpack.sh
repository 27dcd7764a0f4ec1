# gltfpack, with meshoptimizer inside.
package=gltfpack
is_installed() { command -v gltfpack; }
web() { exec gltfpack -i "$1" -o "$2" -cc -si 0.1; }
# IN.stl has its IN.glb beside it; the output goes to OUT.stl.glb.
simplify() { exec gltfpack -i "${1%.stl}.glb" -o "$2.glb" -noq -si "$(awk "BEGIN { print $3 / $4 }")"; }

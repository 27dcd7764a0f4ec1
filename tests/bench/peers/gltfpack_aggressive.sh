# gltfpack that goes on where its error bound ends (-sa).
package=gltfpack
is_installed() { command -v gltfpack; }
simplify() { exec gltfpack -i "${1%.stl}.glb" -o "$2.glb" -noq -sa -si "$(awk "BEGIN { print $3 / $4 }")"; }
look() { exec gltfpack -i "$1" -o "$2" -cc -sa -si "$3"; } # IN OUT SHARE

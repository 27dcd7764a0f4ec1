# gltf-transform: node's, where its command is on the path (npm install -g @gltf-transform/cli).
package='gltf-transform, of npm'
is_installed() { command -v gltf-transform; }
web() { exec gltf-transform optimize --compress meshopt --simplify-ratio 0.1 "$1" "$2"; }
version() { gltf-transform --version; }

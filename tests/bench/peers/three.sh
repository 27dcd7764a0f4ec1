# three.js: its STLLoader joins nothing.
package='node and the packages of tests/consumers'
version() { sed -n 's/.*"version": "\(.*\)".*/\1/p' "$peers/../../consumers/node_modules/three/package.json"; }
is_installed() { command -v node && [ -d "$peers/../../consumers/node_modules/three" ]; }
run_three() { exec node --max-old-space-size=8192 "$peers/three_jobs.mjs" "$@"; }
ascii_glb() { run_three glb "$@"; }
binary_glb() { run_three glb "$@"; }
ascii_binary() { run_three stl "$@"; }
dae_glb() { run_three collada "$@"; }
library() { run_three library "$@"; }

# three.js with BufferGeometryUtils.mergeVertices.
package='node and the packages of tests/consumers'
version() { sed -n 's/.*"version": "\(.*\)".*/\1/p' "$peers/../../consumers/node_modules/three/package.json"; }
is_installed() { command -v node && [ -d "$peers/../../consumers/node_modules/three" ]; }
ascii_glb() { exec node --max-old-space-size=8192 "$peers/three_jobs.mjs" welded "$@"; }
binary_glb() { ascii_glb "$@"; }

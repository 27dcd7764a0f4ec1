#!/bin/sh
# run.sh SCRIPT.mjs ARGUMENTS...: runs a test in node, or skips it by name where node or its packages are missing.
here=$(dirname "$0")
name=$(basename "$1" .mjs)
if ! command -v node >/dev/null 2>&1; then
    echo "skipped: consumers/$name needs node (apt-get install nodejs npm)"
    exit 77
fi
if [ ! -d "$here/node_modules/gltf-validator" ]; then
    echo "skipped: consumers/$name needs the packages of tests/consumers (npm install there)"
    exit 77
fi
exec node "$@"

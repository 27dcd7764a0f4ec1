#!/bin/sh
# run.sh FOLDER [PROGRAM]: converts every file below FOLDER that cellpipe knows to GLB, GLB for the web, VRML97 and STL, and
# compares shape and look of input and outputs (compare.mjs). Ends with 1 if any is wrong, crashed, or empty without a word
# (more than EMPTY=N of them). KEEP=DIR keeps the outputs there, JSON=FILE gets a line for each file.
here=$(cd "$(dirname "$0")" && pwd)
[ -d "${1-}" ] || { echo "usage: run.sh FOLDER [PROGRAM]" >&2; exit 2; }
folder=$(realpath "$1")
program=$(realpath "${2:-$here/../../build/release/cellpipe}")
command -v node >/dev/null || { echo "skipped: real needs node (apt-get install nodejs)"; exit 77; }
out=${KEEP:-$(mktemp -d)} || exit 1
[ -n "${KEEP-}" ] || trap 'rm -rf "$out"' EXIT

# convert NAME OPTION...: into the folder NAME.
convert() {
    name=$1
    shift
    "$program" batch "$folder" --out-dir "$out/$name" --status "$out/$name.jsonl" --timeout 60 --confine=no --quiet \
        "$@" >/dev/null 2>"$out/$name.log"
    code=$?
    [ $code -le 1 ] || { cat "$out/$name.log"; echo "FAILED: batch to $name ended with $code"; exit 1; }
}
convert glb --to glb --out colours=none --out planes=keep
convert web --to glb --out colours=none --out web=yes --out compression=none --out planes=keep
convert wrl --to vrml97 --out colours=none --out planes=keep
convert stl --to stl --out colours=yes
node "$here/compare.mjs" "$out" "$folder" ${JSON:+"$JSON"}

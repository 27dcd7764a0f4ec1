#!/bin/sh
# xacro.sh FILE [NAME:=VALUE]...: what the expansion alone takes with ros/xacro (XACRO, or xacro of a machine with ROS), and
# what cellpipe takes from the same file to a GLB with all meshes. Processor seconds of whole processes, interleaved, as
# Markdown. OPTIONS are further flags of cellpipe, such as "-I DIR"; ROUNDS (11) how often each runs. EARLIER is another
# build of cellpipe, which runs in the same rounds. Without ros/xacro, RECORDED is what it took on another day, in seconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cellpipe=${CELLPIPE:-$here/../../build/release/cellpipe}
timed=$(dirname "$cellpipe")/tests/bench/run_timed
xacro=${XACRO:-xacro} rounds=${ROUNDS:-11}
[ $# -gt 0 ] || { echo "usage: xacro.sh FILE [NAME:=VALUE]..." >&2; exit 2; }
file=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/common.sh"

arguments=
for argument in "$@"; do
    arguments="$arguments --in arg=$argument"
done
# shellcheck disable=SC2086 # words
[ -n "${RECORDED-}" ] || command -v ${xacro%% *} >/dev/null || { echo "xacro.sh: no $xacro: set XACRO or RECORDED" >&2; exit 2; }
# convert RESULT PROGRAM
convert() {
    # shellcheck disable=SC2086 # words
    "$timed" "$1" "$2" convert -q ${OPTIONS-} $arguments "$file" "$work/out.glb"
}
for round in $(seq "$rounds"); do
    # shellcheck disable=SC2086 # words
    [ -n "${RECORDED-}" ] || "$timed" "$work/xacro" $xacro -o "$work/out.urdf" "$file" "$@" >"$work/messages" 2>&1 || { cat "$work/messages" >&2; exit 1; }
    convert "$work/cellpipe" "$cellpipe"
    [ -z "${EARLIER-}" ] || convert "$work/earlier" "$EARLIER"
    "$timed" "$work/start" "$cellpipe" --version >/dev/null
done
ours=$(median "$work/cellpipe" 2) theirs=${RECORDED:-$(median "$work/xacro" 2)}
before=$([ -z "${EARLIER-}" ] || printf '%.4f s' "$(median "$work/earlier" 2)")
echo '| file | ros/xacro, expansion | cellpipe, to GLB | of these its start | times cellpipe | earlier cellpipe |'
echo '|---|---|---|---|---|---|'
printf '| %s | %.3f s | %.4f s | %.4f s | %.1f | %s |\n' "$(basename "$file")" "$theirs" "$ours" "$(median "$work/start" 2)" "$(compute "$theirs / $ours")" "$before"

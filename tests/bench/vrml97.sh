#!/bin/sh
# vrml97.sh [POINTS]: what reading a VRML97 world takes with cellpipe, with Coin (libcoin-dev, g++) and with three's
# VRMLLoader (tests/consumers), each in one thread: medians of processor seconds of ROUNDS (5) whole processes, of three
# of one parse alone. The world is one IndexedFaceSet of POINTS (1150) x POINTS points: 113 MB. Markdown.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=${TOOLS:-$here/../../build/release/tests/bench}
points=${1:-1150} rounds=${ROUNDS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/common.sh"

awk -v n="$points" 'BEGIN {
    print "#VRML V2.0 utf8\nShape { appearance Appearance { material Material { } } geometry IndexedFaceSet { coord Coordinate { point ["
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++)
            printf "%.6f %.6f %.6f,\n", i / 1000, sin(i / 100) * cos(k / 100) / 10, k / 1000
    print "] } coordIndex ["
    for (i = 0; i + 1 < n; i++)
        for (k = 0; k + 1 < n; k++) {
            a = i * n + k
            printf "%d, %d, %d, -1,\n%d, %d, %d, -1,\n", a, a + 1, a + n + 1, a, a + n + 1, a + n
        }
    print "] } }"
}' >"$work/world.wrl"
${CXX:-g++} -O2 "$here/read_coin.cpp" -o "$work/read_coin" -lCoin
for round in $(seq "$rounds"); do
    "$tools/run_timed" "$work/cellpipe" "$tools/time_read" 0 "$work/world.wrl" >/dev/null
    "$tools/run_timed" "$work/coin" "$work/read_coin" "$work/world.wrl"
done
node --stack-size=60000 --max-old-space-size=8000 "$here/read_three.mjs" "$work/world.wrl" >"$work/three"
ours=$(median "$work/cellpipe" 2)
echo '| read by | seconds | times cellpipe |'
echo '|---|---|---|'
printf '| cellpipe | %.3f | |\n' "$ours"
for peer in coin three; do
    theirs=$(median "$work/$peer" 2)
    printf '| %s | %.2f | %.1f |\n' "$peer" "$theirs" "$(compute "$theirs / $ours")"
done

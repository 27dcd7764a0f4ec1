#!/bin/sh
# live.sh [SECONDS] [PROGRAM]: how late states of a live cell come, at sockets and in a browser's page, and what the
# server takes, for docs/live.md. SECONDS (600) of the first row; the other rows take a tenth of it, 10 s at least.
# tests/tools/live_load.c says what is measured.
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1-600}
program=$(realpath "${2-$here/../../build/release/cellpipe}")
load=$(dirname "$program")/tests/live_load
cell=$here/../../samples/demo.wu
short=$((seconds / 10 > 10 ? seconds / 10 : 10))
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

row() { # FILE KEY=VALUE...
    file=$1
    shift
    "$load" "$program" "$cell" "$@" | tee -a "$work/$file"
}
# The median of column 8, p99.
median() {
    awk -F'|' '{ print $8 + 0 }' "$work/$1" | sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

cat <<'END'
| clients | never read | Hz | s | p50 ms | p90 | p99 | most | came % | idle CPU % | CPU % | kB at first | after 10 s | at the end |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
END
row long clients=20 seconds="$seconds" idle=$((seconds / 20 > 5 ? seconds / 20 : 5))
for _ in 1 2 3; do
    row without clients=20 seconds="$short" idle=1
    row with clients=20 stalled=3 seconds="$short" idle=1
done
row many clients=200 seconds="$short" idle=5
echo
echo "Three clients that never read: p99 is $(median with) ms, $(awk "BEGIN { printf \"%.2f\", $(median with) / $(median without) }") times $(median without) ms (medians of three rounds)."
node "$here/../consumers/test_live_latency.mjs" "$program" "seconds=$short"

#!/bin/sh
# moved_fixture.sh [FRAMES]: a cell of two arms among FRAMES (100) fixed frames (make_cell.sh), in which one frame has been
# moved by 10 mm: what exclude takes for its list anew, and with the evidence of the list before (keep-evidence=). Both
# lists must be equal. Processor seconds with one thread, medians of three interleaved rounds, as Markdown.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cellpipe=${CELLPIPE:-$here/../../build/release/cellpipe}
timed=$(dirname "$cellpipe")/tests/bench/run_timed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/common.sh"

"$here/make_cell.sh" "$work" "${1:-100}" 2>/dev/null
awk '/"Part-7"/ { found = 1 } found && /Position/ { sub(/\(/, "(0.010 + "); split($0, at, /[(+,]/)
    $0 = sprintf("  Position (%.3f,%s,%s", at[2] + at[3], at[4], at[5]); found = 0 } 1' "$work/large.wu" >"$work/moved.wu"
! cmp -s "$work/large.wu" "$work/moved.wu"
"$cellpipe" exclude -q --threads 1 "$work/large.wu" "$work/old.xml" --out evidence=yes
for round in 1 2 3; do
    "$timed" "$work/anew" "$cellpipe" exclude -q --threads 1 "$work/moved.wu" "$work/anew.xml"
    "$timed" "$work/kept" "$cellpipe" exclude -q --threads 1 "$work/moved.wu" "$work/kept.xml" "keep-evidence=$work/old.xml.json"
    cmp "$work/anew.xml" "$work/kept.xml"
done
anew=$(median "$work/anew" 2) kept=$(median "$work/kept" 2)
pairs=$(grep -c FramePair "$work/anew.xml")
echo '| cell | pairs listed | anew | with the evidence before | times |'
echo '|---|---|---|---|---|'
printf '| two arms, %s fixed frames, one moved by 10 mm | %s | %.2f s | %.2f s | %.1f |\n' "${1:-100}" "$pairs" "$anew" "$kept" "$(compute "$anew / $kept")"

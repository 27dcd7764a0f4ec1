#!/bin/sh
# test_bench.sh PROGRAM TOOLS: the benchmark's script runs all its rows, small and with the peers that start fast. No time is judged.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

must() { # what command...
    what=$1
    shift
    "$@" && return
    failed=$((failed + 1))
    echo "FAILED: $what"
}

# A program before `batch`, whose folder for many outputs was an option of `convert`.
cat >"$work/before" <<'END'
#!/bin/sh
shift
exec "$cellpipe" batch "$@"
END
chmod +x "$work/before"
must "it ends well" "$here/bench.sh" --triangles 2000 --parts 4 --files 40 --rounds 2 --linear 3200 --recorded 40 --samples 500 --peers "assimp gltfpack meshopt" \
    --before "$work/before" --unhashed "$1" --work "$work/files" --tools "$2" "$1" >"$work/page.md" 2>"$work/messages"
must "nothing is complained of: $(grep -v -E '^(about|making|batch|files:|floors|memory|recordings|poses|programs|collisions|skipped: FCL|linear:|quality:|not installed:|[a-z_]+: cellpipe)' "$work/messages")" \
    [ -z "$(grep -v -E '^(about|making|batch|files:|floors|memory|recordings|poses|programs|collisions|skipped: FCL|linear:|quality:|not installed:|[a-z_]+: cellpipe)' "$work/messages")" ]
for heading in '### Summary' '### Floors' '### ASCII STL to GLB' '### binary STL to GLB' '### ASCII STL to binary' '### binary STL to ASCII' \
    '### binary STL to VRML97' '### library of 4' '### GLB to a tenth' '### Libraries' '### Memory' '### Recordings' '### Poses' '### Programs' '### Collisions' '### Growth' '### Simplification'; do
    must "$heading" grep -q "^$heading" "$work/page.md"
done
must "no program fails" [ -z "$(grep -E '\| (failed|wrong|took more)' "$work/page.md" | tee /dev/stderr)" ]
must "cellpipe's rows" [ "$(grep -c -E '^\| cellpipe \| [0-9.]+ \| 1.0 \| [0-9.]+ \| 1.0 \| [0-9.]+ \| [0-9.]+ \|$' "$work/page.md")" -ge 6 ]
must "libraries" [ "$(grep -c -E '^\| .* \| [12] \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$' "$work/page.md")" -ge 14 ]
must "libraries: beside the program before" grep -q 'Beside the program before, 2 takes [0-9.]* times the time, and [0-9.]* without' "$work/page.md"
must "many files" [ "$(grep -c -E '^\| `(manifest|batch|report).*` *.* \| (4|40) \|( [0-9.]+ \|){5}$' "$work/page.md")" -ge 12 ]
must "recordings" [ "$(grep -c -E '^\| (5|10|20|40) \| (0|0.1mm) \|.*\| yes \|$' "$work/page.md")" = 8 ]
must "poses" [ "$(grep -c -E '^\| 4 welding robots \| 40 \| 32 \| 8 \| [0-9]+ \| [0-9]+ \|$' "$work/page.md")" = 1 ]
must "loops" [ "$(grep -c -E '^\| hexapod \| 15 \| 15 \| cellpipe \| [0-9.]+ \| [0-9e.-]+ \| \|$' "$work/page.md")" = 1 ]
must "programs" [ "$(grep -c -E '^\| (lines|arcs|joints) \| 20 \| [0-9]+ \| [0-9.]+ \| [0-9]+ \| [0-9.]+ \|$' "$work/page.md")" = 3 ]
must "collisions" [ "$(grep -c -E '^\| (tori|arm): .* \| [0-9]+ \| [0-9.]+ \| [0-9]+ \| ([0-9]+ \| [0-9.]+ \| 0|not installed \|  \| ) \|$' "$work/page.md")" = 4 ]
must "memory" [ "$(grep -c -E '\| (yes|no) \|$' "$work/page.md")" = 24 ]
must "growth" [ "$(grep -c -E ', to [a-z]+ \| [0-9.]+ \| [0-9]+ \| [0-9.]+ \| [0-9]+ \| [0-9.]+ at [0-9]+ \| [0-9.]+ at [0-9]+ \|$' "$work/page.md")" -ge 12 ]
must "simplification" [ "$(sed -n '/^### Simplification/,$p' "$work/page.md" | grep -c '^#### ')" = 17 ]
# The summary follows from the tables, and the chart has a line and a bar for each of its rows.
page=$here/../../docs/performance.md
awk -f "$here/summary.awk" "$page" >"$work/summary.md"
{ echo && sed -n '/^### Summary/,/^### Run/p' "$page" | sed '$d' | sed '$d'; } >"$work/committed.md"
must "the page's summary is that of its tables" diff -u "$work/committed.md" "$work/summary.md"
printf '### %s\n\n| program | s | peak MiB |\n|---|---|---|\n| cellpipe | 0.5 | 1 |\n| one | failed, exit 1: a | |\n| two | 0.4 | 7 |\n' job |
    awk -f "$here/summary.awk" >"$work/job.md"
must "the summary leaves out what failed" grep -qx '| job | 0.5 s | two 0.80 | 1 | 7 |' "$work/job.md"
must "the chart" "$here/chart.sh" "$work/summary.md" >"$work/chart.svg"
must "the chart's rows" [ "$(grep -c '<text class="job"' "$work/chart.svg")" = "$(grep -c '^| .*[0-9] |' "$work/summary.md")" ]
must "the chart's bars" [ "$(grep -c -E '<rect class="(near|slow)"' "$work/chart.svg")" = "$(grep -c '^| .*[0-9] |' "$work/summary.md")" ]
if command -v xmllint >/dev/null; then must "the chart is XML" xmllint --noout "$work/chart.svg"; fi
printf '### Summary\n\n| job | cellpipe | than |\n|---|---|---|\n| a <b> & c | 1 s | one 0.50, two 10.0 |\n' >"$work/two.md"
"$here/chart.sh" "$work/two.md" >"$work/two.svg"
must "names are escaped" grep -q '>a &lt;b> &amp; c<' "$work/two.svg"
must "a peer that is faster has a bar to the left" grep -q '<rect class="slow"' "$work/two.svg"
must "no summary, no chart" [ "$("$here/chart.sh" /dev/null; echo $?)" = 1 ]
must "tables are whole" awk -F '|' '
    /^\|/ { if (columns && NF != columns) { print "in: " $0; bad = 1 } columns = NF; next }
    { columns = 0 }
    END { exit bad }' "$work/page.md"
must "nothing is left beside the page" [ "$(find "$work/files" -size +64k -type f -not -name 'torus*' -not -path '*/library/*' | wc -l)" = 0 ]

"$here/bench.sh" --rows nothing --tools "$2" "$1" 2>/dev/null
must "an unknown row is usage" [ $? = 2 ]
for wrong in "--rounds many" "--rounds 0" "--linear -1" "--nothing 1" --rows; do
    # shellcheck disable=SC2086 # words
    "$here/bench.sh" --tools "$2" "$1" $wrong 2>/dev/null
    must "$wrong is usage" [ $? = 2 ]
done
"$here/bench.sh" --peers nobody --tools "$2" "$1" 2>/dev/null
must "an unknown peer is usage" [ $? = 2 ]
"$here/bench.sh" --rows floors --parts 2 --triangles 500 --peers none --tools "$2" "$1" >"$work/page.md" 2>/dev/null
must "no peers" grep -q '^Peers: none' "$work/page.md"

# STEP: without a corpus, our sample, and copies of it with other numbers.
"$here/bench.sh" --rows step --corpus "$work/none" --parts 30 --rounds 2 --peers occt --tools "$2" "$1" >"$work/step.md" 2>"$work/messages"
must "step: a file, and a folder" [ "$(grep -c -E '^\| (step_clamp.step|3) \| 0.0[0-9] \|( [0-9.]+ \([0-9.]+ to [0-9.]+\) \|){2}$' "$work/step.md")" = 2 ]
must "step: throughput" [ "$(grep -c -E '^\* (cellpipe|occt): [0-9.]+ MB a CPU second \(1 files\)$' "$work/step.md")" = 2 ]
must "step: who is left out" grep -q '^gmsh is left out: it is not installed' "$work/step.md"

# A program that is older than the commit is not said to be of it.
cp "$1" "$work/old" && touch -d 2001-01-01 "$work/old"
"$here/bench.sh" --rows floors --parts 2 --triangles 500 --peers none --tools "$2" "$work/old" >"$work/page.md" 2>/dev/null
must "no commit" [ "$(grep -c '^cellpipe [0-9.]* (commit' "$work/page.md")" = 0 ]
must "but a version" grep -q '^cellpipe [0-9]' "$work/page.md"

# --into replaces what stands between its two lines, and nothing else.
printf 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n' >"$work/into.md"
must "--into" "$here/bench.sh" --rows floors --parts 2 --triangles 500 --peers none --tools "$2" --into "$work/into.md" "$1" 2>/dev/null
must "--into: the page" grep -q '^### Floors' "$work/into.md"
must "--into: no chart without jobs" [ ! -e "$work/into.svg" ]
must "--into: what stood there is gone" [ "$(grep -c '^old' "$work/into.md")" = 0 ]
must "--into: the rest stays" [ "$(sed -n '1p;2p;$p' "$work/into.md" | tr '\n' ' ')" = "before <!-- bench --> after " ]
"$here/bench.sh" --rows floors --tools "$2" --into "$work/messages" "$1" 2>/dev/null
must "--into: a file without the lines is usage" [ $? = 2 ]
[ "$failed" = 0 ]

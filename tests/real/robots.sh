#!/bin/sh
# robots.sh FOLDER [PROGRAM]: judges the pairs of every robot below a folder, and prints a table as Markdown. Robots are
# files .urdf and .xacro that have links. K=V in OPTIONS are options of exclude, such as time=60s; READ has options for
# reading, such as --in arg=ur_type:=ur5e. If an SRDF below the folder has a robot's name, the pairs that it excludes
# are compared with what is found. Seconds are of the processor.
folder=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "${2:-$top/build/release/cellpipe}") || exit 2
[ -d "$folder" ] || { echo "usage: robots.sh FOLDER [PROGRAM]" >&2; exit 2; }
timed=$(dirname "$program")/tests/bench/run_timed
[ -x "$timed" ] || { echo "robots.sh: no $timed: cmake --build --preset release --target bench" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Names and files of all SRDF, a line each.
find "$folder" -type f \( -name '*.srdf' -o -name '*.srdf.xacro' \) | sort | while read -r list; do
    name=$(grep -o '<robot[^>]* name="[^"]*"' "$list" | head -n 1 | sed 's/.* name="//; s/"$//')
    [ -z "$name" ] || printf '%s\t%s\n' "$name" "$list"
done >"$work/lists"

# number WORD: the number before the word in the note that sums up.
number() {
    grep -o "[0-9]* $1" "$work/note" | head -n 1 | grep -o '^[0-9]*' || echo 0
}

echo '| robot | links that collide | pairs | static | always-proved | never-proved | sometimes | always-sampled | undecided | CPU s | its SRDF excludes, of these collide |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
find "$folder" -type f \( -name '*.urdf' -o -name '*.xacro' \) ! -name '*.srdf.xacro' | sort | while read -r robot; do
    # shellcheck disable=SC2086 # words
    "$program" info --json -q -I "$folder" ${READ-} "$robot" >"$work/info" 2>/dev/null </dev/null || continue
    name=$(grep -o '"name": *"[^"]*"' "$work/info" | head -n 1 | sed 's/.*: *"//; s/"$//')
    device=$(sed -n '/"devices"/,$p' "$work/info" | grep -o '"name": *"[^"]*"' | head -n 1 | sed 's/.*: *"//; s/"$//')
    list=$(awk -F '\t' -v name="${device:-$name}" '$1 == name { print $2; exit }' "$work/lists")
    rm -f "$work/spent" # times are appended
    # shellcheck disable=SC2086 # words
    "$timed" "$work/spent" "$program" exclude -v -I "$folder" ${READ-} ${OPTIONS-} ${list:+"keep=$list" keep-colliding=no} "$robot" "$work/out.xml" \
        >"$work/messages" 2>&1 </dev/null || { echo "${robot#"$folder"/}: $(grep -m 1 'error:' "$work/messages")" >>"$work/others"; continue; }
    grep 'note: [0-9]* pairs\? of frames' "$work/messages" >"$work/note" || continue
    judged=$(grep -o '[0-9]* pairs\? of the list \(was\|were\) judged: [0-9]*' "$work/messages" | grep -o '[0-9]*' | paste -sd, - | sed 's/,/, /')
    pairs=$(number 'pairs\? of frames')
    links=$(awk -v n="$pairs" 'BEGIN { print int((1 + sqrt(1 + 8 * n)) / 2 + 0.5) }')
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %s |\n' "${robot#"$folder"/}" "$links" "$pairs" "$(number static)" \
        "$(number always-proved)" "$(number never-proved)" "$(number sometimes)" "$(number always-sampled)" \
        "$(number undecided)" "$(awk '{ print $2 }' "$work/spent")" "${judged:--}"
done
if [ -s "$work/others" ]; then
    printf '\nWithout pairs:\n\n'
    sed 's/^/* /' "$work/others"
fi

#!/bin/sh
# bench.sh [OPTIONS] [PROGRAM]: measures cellpipe beside other programs, and prints Markdown. See README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
peers_folder=$here/peers

usage() {
    cat <<'EOF'
usage: tests/bench/bench.sh [OPTIONS] [PROGRAM]     (build/release/cellpipe; what is old is built first)
  --rows LIST       of: floors ascii_glb binary_glb ascii_binary binary_ascii binary_wrl obj_glb ply_glb text_ply_glb off_glb
                    threemf_glb dae_glb library web batch memory recordings
                    poses programs collisions linear quality (all); or parts, looks, step
  --peers LIST      of the files in tests/bench/peers; "none": cellpipe alone (all that are installed)
  --rounds N        rounds of each comparison, interleaved (7)
  --triangles N     triangles of the torus (1000000)
  --parts N         parts of the library; a tenth of them in the row step (2000)
  --files N         files of the longest list; a tenth of them in other rows of batch (1000000)
  --before PROGRAM  an older cellpipe: the peer cellpipe_before, and a line of the row batch
  --unhashed PROGRAM  a cellpipe that hashes no files, for the same row (README.md tells how to build it)
  --linear N        the largest size of the rows on growth (32768000; 0 leaves them out)
  --recorded N      steps of the longest recording (10000)
  --samples N       samples each way of a surface's distance (200000)
  --corpus FOLDER   the rows parts and looks: the largest STL files below it; step: its folder step (../shared/corpus)
  --limit SECONDS   what takes longer is ended (600)
  --threads N       of the floors and the simplifiers (all processors)
  --into FILE       puts the page between the lines <!-- bench --> and <!-- /bench --> of FILE (standard output)
                    (a page with jobs and peers: its chart goes to FILE with .svg for .md)
  --work DIR        where the folder cellpipe-bench is made, and kept (a temporary folder that is removed)
  --tools DIR       the built tools (PROGRAM's folder, tests/bench)
EOF
}

. "$here/common.sh"
. "$here/speed.sh"
. "$here/floors.sh"
. "$here/batch.sh"
. "$here/memory.sh"
. "$here/recording.sh"
. "$here/poses.sh"
. "$here/programs.sh"
. "$here/collisions.sh"
. "$here/linear.sh"
. "$here/quality.sh"
. "$here/parts.sh"
. "$here/looks.sh"
. "$here/step.sh"

all_rows="floors $speed_rows batch memory recordings poses programs collisions linear quality"
rows=$all_rows chosen='' rounds=7 triangles=1000000 parts=2000 files=1000000 linear=32768000 recorded=10000 samples=200000 longest=600 work='' tools='' into='' before='' unhashed='' corpus=$top/../shared/corpus
threads=$(getconf _NPROCESSORS_ONLN)
cellpipe=$top/build/release/cellpipe

refuse() {
    say "bench.sh: $*"
    exit 2
}

require_number() { # option value
    case $2 in
    '' | *[!0-9]* | ??????????* | 0*)
        [ "$*" = "--linear 0" ] || refuse "$1 takes a number, not $2"
        ;;
    esac
}

# Options that the figures depend on, as they were given.
options=
remember_option() { # option value
    case $1:$2 in
    --work:* | --tools:* | --into:* | --before:* | --unhashed:* | --corpus:*) ;;
    *' '*) options="$options $1 '$2'" ;;
    *) options="$options $1 $2" ;;
    esac
}

set_option() { # option value
    remember_option "$@"
    case $1 in
    --rounds | --triangles | --parts | --files | --linear | --recorded | --samples | --limit | --threads) require_number "$@" ;;
    esac
    case $1 in
    --rows) rows=$2 ;;
    --peers) chosen=$2 ;;
    --rounds) rounds=$2 ;;
    --triangles) triangles=$2 ;;
    --parts) parts=$2 ;;
    --files) files=$2 ;;
    --before) before=$(realpath "$2") ;;
    --unhashed) unhashed=$(realpath "$2") ;;
    --corpus) corpus=$2 ;;
    --linear) linear=$2 ;;
    --recorded) recorded=$2 ;;
    --samples) samples=$2 ;;
    --limit) longest=$2 ;;
    --threads) threads=$2 ;;
    --work) work=$2 ;;
    --tools) tools=$2 ;;
    --into) into=$2 ;;
    *) refuse "there is no option $1" ;;
    esac
}

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        [ $# -ge 2 ] || refuse "$1 takes a value"
        set_option "$1" "$2"
        shift 2
        ;;
    *)
        cellpipe=$(realpath "$1")
        shift
        ;;
    esac
done
folder=$(dirname "$cellpipe")
if [ -z "$tools" ] && [ -e "$folder/CMakeCache.txt" ]; then
    cmake --build "$folder" --target bench >&2
fi
tools=${tools:-$folder/tests/bench}
export cellpipe tools threads before unhashed

for tool in "$cellpipe" "$tools/run_timed"; do
    [ -x "$tool" ] || refuse "$tool is not built: cmake --preset release, then tests/bench/bench.sh"
done
for row in $rows; do
    case " $all_rows parts looks step " in
    *" $row "*) ;;
    *) refuse "there is no row $row" ;;
    esac
done
for peer in $chosen; do
    [ "$peer" = none ] || [ -e "$peers_folder/$peer.sh" ] || refuse "there is no peer $peer"
done
if [ -n "$into" ] && ! grep -q '^<!-- /bench -->$' "$into"; then
    refuse "$into has no lines <!-- bench --> and <!-- /bench -->"
fi

# ---- before the run ----

temporary='' display='' in_memory=''
clean_up() {
    [ -z "$display" ] || kill "$display" 2>/dev/null || true
    rm -rf ${temporary:+"$temporary"} ${in_memory:+"$in_memory"}
}
trap clean_up EXIT
trap 'exit 130' INT TERM

make_work_folder() {
    if [ -z "$work" ]; then
        temporary=$(mktemp -d)
        work=$temporary
    fi
    rm -rf "$work/cellpipe-bench"
    mkdir -p "$work/cellpipe-bench"
    work=$(cd "$work/cellpipe-bench" && pwd)
}

choose_peers() {
    chosen_peers=
    [ "$chosen" != none ] || return 0
    for peer in ${chosen:-$(cd "$peers_folder" && printf '%s\n' *.sh | sed 's/\.sh$//' | grep -v '^cellpipe')}; do
        if ask_peer "$peer" is_installed >/dev/null; then
            chosen_peers="$chosen_peers $peer"
        else
            # shellcheck disable=SC2016 # the peer's variable
            say "not installed: $peer ($(ask_peer "$peer" eval 'echo "$package"'))"
        fi
    done
}

# MeshLab draws nothing, but asks for a display.
start_display() {
    wanted=
    for peer in $chosen_peers; do
        if grep -q '^needs_display=yes' "$peers_folder/$peer.sh"; then wanted=yes; fi
    done
    if [ -n "${DISPLAY-}" ] || [ -z "$wanted" ]; then return; fi
    Xvfb -displayfd 3 -screen 0 640x480x24 3>"$work/display" >/dev/null 2>&1 &
    display=$!
    while [ ! -s "$work/display" ] && kill -0 "$display" 2>/dev/null; do
        sleep 0.1
    done
    DISPLAY=:$(cat "$work/display")
    export DISPLAY
}

# Rows of jobs by a round of all peers; the others by their sizes.
print_estimate() {
    total=0
    for row in $rows; do
        case $row in
        floors | memory) seconds=30 ;;
        batch) seconds=$((rounds * parts / 50 + files / 3000)) ;;
        poses) seconds=$((rounds * triangles / 1000000)) ;;
        programs) seconds=$((rounds * triangles / 50000)) ;;
        recordings) seconds=$((recorded / 100)) ;;
        collisions) seconds=$((rounds * triangles / 100000)) ;;
        linear) seconds=$((linear / 25000)) ;;
        quality) seconds=$((triangles / 1400)) ;;
        parts | looks) seconds=1800 ;;
        step) seconds=$((rounds * (30 + parts / 8))) ;;
        *) seconds=$(($(row_seconds "$row") * (rounds + 1) * triangles / 1000000)) ;;
        esac
        total=$((total + seconds))
    done
    say "about $((total / 60 + 1)) minutes on two quiet cores with all peers; up to $((triangles / 2500 + linear / 12000)) MB in $work"
}

# ---- the page ----

# The commit that the program is of: none when files differ from it, or the program is older.
commit_measured() {
    since=$(git -C "$top" log -1 --format=%ct 2>/dev/null) && git -C "$top" diff --quiet HEAD &&
        [ "$(stat -c %Y "$cellpipe")" -ge "$since" ] && git -C "$top" rev-parse --short HEAD
}

describe_run() {
    model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    printf 'cellpipe %s' "$(ask_peer cellpipe version)"
    if commit=$(commit_measured); then printf ' (commit %s)' "$commit"; fi
    printf ', %s; %s, %s processors, ' "$(date -u +%Y-%m-%d)" "${model:-unknown processor}" "$(getconf _NPROCESSORS_ONLN)"
    printf 'which others kept %s busy at the start; %s threads. ' "$load" "$threads"
    printf '%s triangles, %s parts, medians of %s rounds.\n' "$triangles" "$parts" "$rounds"
    printf '\nMade by `tests/bench/bench.sh%s`.\n' "$options"
    printf '\nPeers:'
    for peer in $chosen_peers; do
        printf ' %s %s,' "$peer" "$(peer_version "$peer")"
    done | sed 's/,$//'
    [ -n "$chosen_peers" ] || printf ' none'
    printf '.\n'
}

measure_row() { # row
    case $1 in
    floors) measure_floors ;;
    batch) measure_batch ;;
    memory) measure_memory ;;
    recordings) measure_recordings ;;
    poses) measure_poses ;;
    programs) measure_programs ;;
    collisions) measure_collisions ;;
    linear) if [ "$linear" != 0 ]; then measure_linear; fi ;;
    quality) measure_quality ;;
    parts) measure_parts ;;
    looks) measure_looks ;;
    step) measure_step ;;
    *) speed_row "$1" ;;
    esac
}

print_page() {
    awk -f "$here/summary.awk" "$work/details.md"
    printf '\n### Run\n\n'
    describe_run | fold -s -w 120 | sed 's/ *$//'
    cat "$work/details.md"
}

# The page between the two lines of a file, and the chart of its summary beside it.
replace_page() { # file
    print_page >"$work/page.md"
    awk -v page="$work/page.md" '
        /^<!-- bench -->$/ { print; while ((getline line <page) > 0) print line; inside = 1 }
        /^<!-- \/bench -->$/ { inside = 0 }
        !inside' "$1" >"$work/replaced.md"
    cp "$work/replaced.md" "$1"
    if "$here/chart.sh" "$1" >"$work/chart.svg"; then cp "$work/chart.svg" "${1%.md}.svg"; fi
}

load=$(cut -d ' ' -f 1 /proc/loadavg)
make_work_folder
choose_peers
start_display
print_estimate
for wanted_row in $rows; do
    measure_row "$wanted_row"
done >"$work/details.md"
if [ -n "$into" ]; then replace_page "$into"; else print_page; fi

#!/bin/sh
# bench.sh [OPTIONS] [PROGRAM]: measures cellpipe beside other programs, and prints Markdown. See README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
peers_folder=$here/peers

usage() {
    cat <<'EOF'
usage: tests/bench/bench.sh [OPTIONS] [PROGRAM]     (build/release/cellpipe; its tools by `--target bench`)
  --rows LIST       of: floors ascii_glb binary_glb ascii_binary binary_ascii binary_wrl library web memory linear quality (all)
  --peers LIST      of the files in tests/bench/peers; "none": cellpipe alone (all that are installed)
  --rounds N        rounds of each comparison, interleaved (7)
  --triangles N     triangles of the torus (1000000)
  --parts N         parts of the library (2000)
  --linear N        the largest size of the rows on growth (32000000; 0 leaves them out)
  --samples N       samples each way of a surface's distance (200000)
  --limit SECONDS   what takes longer is ended (600)
  --threads N       of the floors and the simplifiers (all processors)
  --into FILE       puts the page between the lines <!-- bench --> and <!-- /bench --> of FILE (standard output)
  --work DIR        where the folder cellpipe-bench is made, and kept (a temporary folder that is removed)
  --tools DIR       the built tools (PROGRAM's folder, tests/bench)
EOF
}

. "$here/common.sh"
. "$here/speed.sh"
. "$here/floors.sh"
. "$here/memory.sh"
. "$here/linear.sh"
. "$here/quality.sh"

rows="floors $speed_rows memory linear quality"
chosen='' rounds=7 triangles=1000000 parts=2000 linear=32000000 samples=200000 longest=600 work='' tools='' into=''
threads=$(getconf _NPROCESSORS_ONLN)
cellpipe=$top/build/release/cellpipe

while [ $# -gt 0 ]; do
    case $1 in
    --*) [ $# -ge 2 ] || [ "$1" = --help ] || { usage >&2; exit 2; } ;;
    esac
    case $1 in
    --rows) rows=$2 ;;
    --peers) chosen=$2 ;;
    --rounds) rounds=$2 ;;
    --triangles) triangles=$2 ;;
    --parts) parts=$2 ;;
    --linear) linear=$2 ;;
    --samples) samples=$2 ;;
    --limit) longest=$2 ;;
    --threads) threads=$2 ;;
    --work) work=$2 ;;
    --tools) tools=$2 ;;
    --into) into=$2 ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *)
        cellpipe=$(realpath "$1")
        shift
        continue
        ;;
    esac
    shift 2
done
tools=${tools:-$(dirname "$cellpipe")/tests/bench}
export cellpipe tools threads

if [ ! -x "$cellpipe" ] || [ ! -x "$tools/run_timed" ]; then
    say "bench.sh: $cellpipe or $tools/run_timed is not built: cmake --preset release && cmake --build --preset release --target bench"
    exit 2
fi

display=
clean_up() {
    [ -z "$display" ] || kill "$display" 2>/dev/null || true
    [ -z "$temporary" ] || rm -rf "$temporary"
}
temporary=
trap clean_up EXIT
trap 'exit 130' INT TERM
if [ -z "$work" ]; then
    temporary=$(mktemp -d)
    work=$temporary
fi
rm -rf "$work/cellpipe-bench"
mkdir -p "$work/cellpipe-bench"
work=$(cd "$work/cellpipe-bench" && pwd)
if [ -n "$into" ] && ! grep -q '^<!-- /bench -->$' "$into"; then
    say "bench.sh: $into has no lines <!-- bench --> and <!-- /bench -->"
    exit 2
fi

# ---- which rows and peers ----

measured=
for row in $rows; do
    case " floors $speed_rows memory linear quality " in
    *" $row "*) ;;
    *)
        say "bench.sh: there is no row $row"
        exit 2
        ;;
    esac
done

all_peers=$(cd "$peers_folder" && printf '%s\n' *.sh | sed 's/\.sh$//' | grep -v '^cellpipe')
chosen_peers=
case $chosen in
none) ;;
*)
    for peer in ${chosen:-$all_peers}; do
        if [ ! -e "$peers_folder/$peer.sh" ]; then
            say "bench.sh: there is no peer $peer"
            exit 2
        elif ask_peer "$peer" is_installed >/dev/null; then
            chosen_peers="$chosen_peers $peer"
        else
            say "not installed: $peer ($(ask_peer "$peer" eval 'echo "$package"'))"
        fi
    done
    ;;
esac

# MeshLab draws nothing, but asks for a display.
start_display() {
    if [ -n "${DISPLAY-}" ] || ! grep -q '^needs_display=yes' $(printf "$peers_folder/%s.sh " $chosen_peers) /dev/null; then
        return
    fi
    Xvfb -displayfd 3 -screen 0 640x480x24 3>"$work/display" >/dev/null 2>&1 &
    display=$!
    while [ ! -s "$work/display" ] && kill -0 "$display" 2>/dev/null; do
        sleep 0.1
    done
    DISPLAY=:$(cat "$work/display")
    export DISPLAY
}

# ---- what is said before ----

# Seconds by rows measured with all peers; growth and quality by their sizes.
estimate() {
    total=0
    for row in $rows; do
        case $row in
        floors | memory) seconds=30 ;;
        linear) seconds=$((linear / 40000)) ;;
        quality) seconds=$((triangles / 2000)) ;;
        *) seconds=$(($(row_seconds "$row") * (rounds + 1) * triangles / 1000000)) ;;
        esac
        total=$((total + seconds))
    done
    say "about $((total / 60 + 1)) minutes on two cores with all peers, $((triangles / 2500 + linear / 12000)) MB in $work"
}

describe_run() {
    printf 'cellpipe %s' "$(ask_peer cellpipe version)"
    if commit=$(git -C "$top" rev-parse --short HEAD 2>/dev/null); then
        printf ' (commit %s)' "$commit"
    fi
    model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    printf ', %s; %s, %s processors, %s threads; ' "$(date -u +%Y-%m-%d)" "${model:-unknown processor}" "$(getconf _NPROCESSORS_ONLN)" "$threads"
    printf '%s triangles, %s parts, medians of %s rounds.\n' "$triangles" "$parts" "$rounds"
    printf '\nPeers:'
    separator=' '
    for peer in $chosen_peers; do
        printf '%s%s %s' "$separator" "$peer" "$(peer_version "$peer")"
        separator=', '
    done
    [ -n "$chosen_peers" ] || printf ' none'
    printf '.\n'
}

# ---- the run ----

start_display
estimate
for row in $rows; do
    case $row in
    floors) measure_floors ;;
    memory) measure_memory ;;
    linear) if [ "$linear" != 0 ]; then measure_linear; fi ;;
    quality) measure_quality ;;
    *)
        speed_row "$row"
        measured="$measured $row"
        ;;
    esac
done >"$work/details.md"
print_page() {
    describe_run
    if [ -n "$measured" ]; then speed_summary "$measured"; fi
    cat "$work/details.md"
}

replace_page() { # file
    print_page >"$work/page.md"
    awk -v page="$work/page.md" '
        /^<!-- bench -->$/ { print; while ((getline line <page) > 0) print line; inside = 1 }
        /^<!-- \/bench -->$/ { inside = 0 }
        !inside' "$1" >"$work/replaced.md"
    cp "$work/replaced.md" "$1"
}

if [ -n "$into" ]; then replace_page "$into"; else print_page; fi

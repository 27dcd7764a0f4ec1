#!/bin/sh
# keep.sh SECONDS [FOLDER-OF-FUZZERS [FUZZER...]]: fuzzes for so long, one fuzzer after the other, and renews the kept corpus
# (corpus/NAME): of all inputs found now and before that reach something which the samples and bad inputs do not, the 40
# that add most, each of at most 4 kB. The fuzzers that read alone reach deepest.
set -u
seconds=${1:?"usage: keep.sh SECONDS [FOLDER [FUZZER...]]"}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
folder=$(cd "${2:-$top/build/sanitize/tests/fuzz}" && pwd) || exit 1
. "$here/fuzzers.sh"
# shellcheck disable=SC2046,SC2086 # names
[ $# -gt 2 ] || set -- x x $(printf '%s\n' $all_fuzzers | grep -e _read_ -e _record -e _xml -e _evidence -e _beside -e _program -e _pattern -e _xacro -e _rtde -e _simple -e _json_lines -e _joint_map -e _login -e _messages -e _settings)
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
most=40

is_quick() { # IMPORTER FILE
    (ulimit -t 3 && "$folder/fuzz_$1" -rss_limit_mb=2048 "$2" >/dev/null 2>&1)
}

for fuzzer; do
    importer=$(importer_of "$fuzzer")
    rm -rf seeds found chosen
    mkdir -p seeds found "$here/corpus/$importer"
    collect_seeds "$importer" seeds
    cp "$here/corpus/$importer"/* found 2>/dev/null
    words=
    [ -f "$here/$importer.dict" ] && words=-dict=$here/$importer.dict
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
    # shellcheck disable=SC2086 # one word or none
    "$folder/$fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=4096 -detect_leaks=0 $words \
        -artifact_prefix="$folder/${fuzzer#fuzz_}-" found seeds >log 2>&1 || echo "$fuzzer: ended early: $(tail -n 1 log)"
    # What the seeds reach is there already: the merge adds to them what reaches more.
    cp -r seeds chosen
    "$folder/$fuzzer" -merge=1 -merge_control_file=control -max_len=4096 -use_counters=0 -rss_limit_mb=2048 \
        -timeout=20 chosen found >>log 2>&1 || echo "$fuzzer: merge: $(tail -n 1 log)"
    rm -rf "$here/corpus/$importer"
    mkdir "$here/corpus/$importer"
    # Of each file that came: how much of the program it was the first to reach.
    awk -v first="$(find seeds -type f | wc -l)" 'FNR == 2 { skip = $1 } FNR > 3 && !/ / { name[count++] = $0 }
        $1 == "COV" && $2 in name && NF > 2 { print NF - 2, name[$2] }' control | sort -k 1,1nr -k 2 | head -n $most |
        while read -r _ path; do
            # What takes long with all outputs would take the time of the others in a short run.
            case $path in found/*) is_quick "$importer" "$path" && cp "$path" "$here/corpus/$importer" ;; esac
        done
    rm -f control
    echo "$fuzzer: $(find "$here/corpus/$importer" -type f | wc -l) files, $(du -bs "$here/corpus/$importer" | cut -f 1) bytes"
    rmdir "$here/corpus/$importer" 2>/dev/null
done

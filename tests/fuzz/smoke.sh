#!/bin/sh
# smoke.sh SECONDS [FOLDER-OF-FUZZERS [FUZZER...]]: runs each fuzzer on its kept corpus (corpus/), the samples and the bad
# inputs of the tests, then for so long on changes of them, as many fuzzers at a time as there are processors. Fails when
# one finds something, and tells the input to run again.
set -u
seconds=${1:?"usage: smoke.sh SECONDS [FOLDER [FUZZER...]]"}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
folder=$(cd "${2:-$top/build/fuzz/tests/fuzz}" && pwd) || exit 1
[ $# -le 2 ] && set -- x x fuzz_stl fuzz_obj fuzz_tag fuzz_deneb_part fuzz_deneb_cell fuzz_deneb_recording fuzz_xml fuzz_record fuzz_collision_setup fuzz_evidence fuzz_gltf fuzz_3mf fuzz_off fuzz_ply fuzz_assimp fuzz_isolate fuzz_mechanism fuzz_program fuzz_filters
shift 2
if [ $# -gt 1 ]; then
    printf '%s\n' "$@" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" "$0" "$seconds" "$folder"
    exit
fi
fuzzer=$1
importer=${fuzzer#fuzz_}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The seeds of a fuzzer: those of its importer's files that are small enough to change much in one go. A whole parallel machine
# takes half a minute with all checks: smaller mechanisms are among the cases.
collect_seeds() {
    case $1 in
    stl) names="*.stl" ;;
    obj) names="*.obj" ;;
    tag) names="*.wu *.dev *.wc" ;;
    deneb_part) names="*.dcp *.pdb" ;;
    deneb_cell) names="*.dcd *.dcw" ;;
    deneb_recording) names="*.dcr" ;;
    collision_setup) names="*.xml *.prox" ;;
    xml) names="*.xml *.dae" ;;
    evidence) names="*.xml.json" ;;
    record) names="*.jsonl" ;;
    gltf) names="*.glb *.gltf" ;;
    3mf) names="*.3mf *.model" ;; # a model on its own has no checksum to stop at
    program) names="*.prg *.csv *.jsonl" ;;
    filters | mechanism) names="*.stl *.xml" ;; # any bytes will do
    off) names="*.off" ;;
    ply) names="*.ply" ;;
    assimp) names="*.ac *.ac3d *.3ds *.dae" ;;
    esac
    [ ! -d "$here/corpus/$1" ] || cp "$here/corpus/$1"/* "$2"
    for name in $names; do
        find "$top/samples" "$top/tests/cases" "$here/seeds" -name "$name" -type f -size -32k ! -path '*/mechanisms/*' ! -name 'loop_many.*'
    done | while read -r file; do
        cp "$file" "$2/$(printf '%s' "$file" | cksum | cut -d' ' -f1)"
    done
}

# What a reader's process says: what restrains it, a question, an entry of its report, and the answer with four bytes of a scene.
write_talk() { # folder
    {
        printf '\1\0\0\0\4\0\0\0\7\0\0\0\3\0\0\0\6\0\0\0a.mtl\0'
        printf '\2\0\0\0\72\0\0\0\2\0\0\0\3\0\0\0\1\0\0\0\377\377\377\377\3\0\0\0\0\0\0\0'
        printf '\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0a-b\0f\0who\0'
        printf '\4\0\0\0\20\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0glTF'
    } >"$1/talk"
}

# One run of $fuzzer for at most so many seconds.
run_fuzzer() { # seconds seed
    # assimp itself leaks where it gives a file up, and asks for more memory than there is, which it minds when it gets
    # none; what we allocate around it is the unit tests' business
    leaks=1 null=0
    [ "$importer" = assimp ] && leaks=0 null=1
    # shellcheck disable=SC2086
    (cd "$work" && ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=$null \
        "$folder/$fuzzer" -seed="$2" -detect_leaks=$leaks -max_total_time="$1" -timeout=20 -rss_limit_mb=2048 \
        -max_len=32768 -print_final_stats=1 $words -artifact_prefix="$folder/$importer-" "$importer") >"$work/log" 2>&1
}

# The end was inside assimp: of all frames of the first stack that tell whose they are, the innermost is assimp's, or C++. Where
# the allocator finds its own records overwritten it was assimp before: writes of
# ours outside of a block are told when they happen, assimp's are not watched. The same where the fuzzer itself falls over such records, between
# two runs: then the input that it saves is empty, though it was not the first one, which is.
is_theirs() {
    [ "$importer" = assimp ] || return 1
    empty=crash-da39a3ee5e6b4b0d3255bfef95601890afd80709
    grep -q -a "$empty" "$work/log" && grep -q -a '^MS: [1-9]' "$work/log" && return 0
    theirs_are='libassimp|operator new|libstdc\+\+' # in a stack without names the allocation is libstdc++'s
    grep -q -a '^AddressSanitizer: CHECK failed: asan_allocator' "$work/log" ||
        sed -n '/^ *#0 /,/^ *$/p' "$work/log" | grep -a -m 1 -E "$theirs_are| /[^ ]*\.[ch]:[0-9]+" | grep -q -E "$theirs_are"
}

# Fuzzes for so many seconds. An end inside assimp (its assertions abort, it asks for gigabytes) is counted and passed
# over: a reader of assimp's that breaks is not ours to mend.
fuzz_for() { # seconds
    left=$1 seed=1 runs=0 ends=0 theirs=
    while [ "$left" -gt 0 ]; do
        start=$(date +%s)
        run_fuzzer "$left" $seed
        status=$?
        # where the end comes at the end, the figures are there twice
        more=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log" | tail -n 1)
        runs=$((runs + ${more:-0}))
        [ $status = 0 ] && return 0
        is_theirs || return 1
        ends=$((ends + 1)) seed=$((seed + 1))
        theirs=" ($ends ends inside assimp itself)"
        left=$((left - $(date +%s) + start - 1))
    done
}

fail() {
    echo "FAILED $fuzzer: $*"
    exit 1
}

[ -x "$folder/$fuzzer" ] || fail "not built"
mkdir "$work/$importer"
if [ "$importer" = isolate ]; then write_talk "$work/$importer"; else collect_seeds "$importer" "$work/$importer"; fi
seeds=$(find "$work/$importer" -type f | wc -l)
[ "$seeds" -gt 0 ] || fail "no seeds, so it would try nothing deep"
words=
[ -f "$here/$importer.dict" ] && words=-dict=$here/$importer.dict
fuzz_for "$seconds" || {
    cp "$work/log" "$folder/$importer.log"
    fail "all of it is in $folder/$importer.log
$(grep -a -E 'ERROR:|runtime error:|ALARM:|^fuzz_|SUMMARY:|Test unit written' "$work/log")
$(grep -a -m 20 -E '^ +#[0-9]+ ' "$work/log")"
}
echo "$fuzzer: $runs runs from $seeds seeds in $seconds s, nothing found$theirs"

#!/bin/sh
# smoke.sh SECONDS [FOLDER-OF-FUZZERS [FUZZER...]]: runs each fuzzer on its kept corpus (corpus/), the samples and the bad
# inputs of the tests, then for so long on changes of them, as many fuzzers at a time as there are processors. Fails when
# one finds something, and tells the input to run again.
set -u
seconds=${1:?"usage: smoke.sh SECONDS [FOLDER [FUZZER...]]"}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
folder=$(cd "${2:-$top/build/sanitize/tests/fuzz}" && pwd) || exit 1
. "$here/fuzzers.sh"
# shellcheck disable=SC2086 # names
[ $# -gt 2 ] || set -- x x $all_fuzzers
shift 2
if [ $# -gt 1 ]; then
    printf '%s\n' "$@" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" "$0" "$seconds" "$folder"
    exit
fi
fuzzer=$1
importer=$(importer_of "$fuzzer")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# One run of $fuzzer for at most so many seconds.
run_fuzzer() { # seconds seed
    # assimp itself leaks where it gives a file up, and asks for more memory than there is, which it minds when it gets
    # none; what we allocate around it is the unit tests' business
    leaks=1 null=0
    [ "$importer" = assimp ] && leaks=0 null=1
    # shellcheck disable=SC2086
    (cd "$work" && ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=$null \
        "$folder/$fuzzer" -seed="$2" -detect_leaks=$leaks -max_total_time="$1" -timeout=20 -rss_limit_mb=2048 \
        -max_len=32768 -print_final_stats=1 $words -artifact_prefix="$folder/${fuzzer#fuzz_}-" "$importer") >"$work/log" 2>&1
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
collect_seeds "$importer" "$work/$importer"
cp "$here/corpus/$importer"/* "$work/$importer" 2>/dev/null
seeds=$(find "$work/$importer" -type f | wc -l)
[ "$seeds" -gt 0 ] || fail "no seeds, so it would try nothing deep"
words=
[ -f "$here/$importer.dict" ] && words=-dict=$here/$importer.dict
fuzz_for "$seconds" || {
    cp "$work/log" "$folder/${fuzzer#fuzz_}.log"
    fail "all of it is in $folder/${fuzzer#fuzz_}.log
$(grep -a -E 'ERROR:|runtime error:|ALARM:|^fuzz_|SUMMARY:|Test unit written' "$work/log")
$(grep -a -m 20 -E '^ +#[0-9]+ ' "$work/log")"
}
echo "$fuzzer: $runs runs from $seeds seeds in $seconds s, nothing found$theirs"

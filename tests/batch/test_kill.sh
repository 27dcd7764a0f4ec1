#!/bin/sh
# test_kill.sh PROGRAM: killed at random moments and started again, the tree ends as that of a whole run.
. "$(dirname "$0")/check.sh"
[ -n "$CELLPIPE_LONG" ] && count=100 || count=20
library lib 240
cp cell.wu arm.dev part.stl lib
run() { "$cellpipe" batch lib --out-dir "$1" --jobs "$2" --progress none --to wrl --out layout=inline; }
run whole 2 >/dev/null 2>&1
start=$(date +%s%N)
rm -r whole
run whole 2 >/dev/null 2>&1
whole=$(tree whole) span=$((($(date +%s%N) - start) / 1000000))
seed=$$
random() { # sets pause, below $1
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    pause=$((seed / 65536 % $1))
}
k=0
while [ $k -lt "$count" ]; do
    for jobs in 1 2 8; do
        rm -rf out
        # Without the search for leaks, which waits for ever for a helper of its own that is killed here.
        ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" setsid "$cellpipe" batch lib --out-dir out --jobs $jobs \
            --progress none --to wrl --out layout=inline >/dev/null 2>&1 &
        group=$!
        random $((span + 10))
        sleep "$((pause / 1000)).$(printf %03d $((pause % 1000)))"
        case $((k % 3)) in
        0) /bin/kill -KILL -- -"$group" 2>/dev/null ;;
        1) kill -KILL "$group" 2>/dev/null ;;
        2)
            worker=$(ps -o pid= --ppid "$group" 2>/dev/null | head -n 1)
            # shellcheck disable=SC2086 # a number, or none
            [ -z "$worker" ] || kill -KILL $worker 2>/dev/null
            ;;
        esac
        wait "$group" 2>/dev/null
        find out -name '*.glb' -size 0 2>/dev/null | grep -q . && fail "an empty output"
        run out $jobs >stdout 2>stderr
        must "it goes on (kill $k, jobs $jobs, after $pause ms): $(tail -n 1 stderr)" [ $? = 0 ]
        must "the same tree (kill $k, jobs $jobs, after $pause ms) $(diff -rq -x status whole out | head -n 3)" \
            [ "$(tree out)" = "$whole" ]
    done
    k=$((k + 1))
done
finish

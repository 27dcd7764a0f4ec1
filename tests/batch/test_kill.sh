#!/bin/sh
# test_kill.sh PROGRAM: killed at random moments and started again, the tree ends as that of a whole run, nothing that was
# recorded is done again, and the state is whole; so it is when a run is killed while it puts its journal into the state.
# Of two runs into one folder, the second changes nothing.
. "$(dirname "$0")/check.sh"
[ -n "$CELLPIPE_LONG" ] && count=100 || count=20
library lib 240
cp cell.wu arm.dev part.stl lib
inputs=$(find lib -type f | wc -l)
run() { "$cellpipe" batch lib --out-dir "$1" --jobs "$2" --progress none --to wrl --out layout=inline; }
# taken_up WHAT: what a killed run has left in out is known to a report, and sets done to the number of good outputs.
taken_up() {
    done=0
    [ -d out/.cellpipe ] || return
    known out >known 2>stderr
    must "$1: a report: $(head -n 1 stderr)" [ -z "$(grep -v 'has no records of a batch' stderr)" ]
    # Whole lines alone: of the last one, there may be a part.
    cat out/.cellpipe/journals/* 2>/dev/null | sed -n 's/^{"root":"[^"]*","name":"\([^"]*\)".*"state":"ok".*}$/ok lib\/\1/p' |
        LC_ALL=C sort -u >journal
    must "$1: all of the journal is known" [ -z "$(LC_ALL=C sort known | LC_ALL=C comm -13 - journal)" ]
    done=$(grep -c '^ok ' known)
}
# intact WHAT: SQLite itself says that the state is whole, of a copy, as a look at it recovers it.
intact() {
    [ -e out/.cellpipe/state.db ] || return
    rm -rf copy
    mkdir copy
    cp out/.cellpipe/state.db* copy
    must "$1: the state is whole" [ "$(sqlite3 copy/state.db 'PRAGMA integrity_check' 2>&1)" = ok ]
}
# settled WHAT: the journals are in the state, and nothing else is there.
settled() {
    find out/.cellpipe/journals -size 0 -delete # of a run that was killed when it had made it: it stays for a day
    must "$1: nothing else: $(folder out/.cellpipe)" [ "$(folder out/.cellpipe)" = 'journals lock state.db ' ]
}
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
        what="kill $k, jobs $jobs, after $pause ms"
        intact "$what"
        taken_up "$what"
        run out $jobs >stdout 2>stderr
        must "it goes on ($what): $(tail -n 1 stderr)" [ $? = 0 ]
        must "without a word ($what): $(head -n 1 stderr)" [ ! -s stderr ]
        must "$done were done ($what): $(states)" \
            [ "$(states)" = "$(echo "$((inputs - done)) ok $done skipped" | sed 's/^0 ok //; s/ 0 skipped$//')" ]
        must "the same tree ($what) $(diff -rq -x .cellpipe whole out | head -n 3)" [ "$(tree out)" = "$whole" ]
        must "all are known ($what)" [ "$(known out | grep -c '^ok ')" = "$inputs" ]
        settled "$what"
    done
    k=$((k + 1))
done

# Inputs that are refused at once, so that most of the time of a run is that of its merge. A run is killed when its journal
# has ended; it was merging if the journal is still there.
rm -rf out
seq -f "missing/%g.stl" 2000 >names
refused() { "$cellpipe" batch @names --out-dir out -q; }
# shellcheck disable=SC2317
has_ended() {
    grep -q '"ended":true' out/.cellpipe/journals/* || ! kill -0 $program
}
tries=0 hits=0
while [ $hits -lt $((count / 2)) ] && [ $tries -lt $((20 * count)) ]; do
    tries=$((tries + 1))
    [ $((tries % 4)) = 0 ] || rm -rf out # else the refusals are there already, and one line changes
    echo "missing/more$tries.stl" >>names
    refused >/dev/null 2>&1 &
    program=$!
    until has_ended 2>/dev/null; do :; done
    random 30
    [ $((tries % 3)) != 0 ] || sleep "$(printf 0.%03d $pause)"
    kill -KILL $program 2>/dev/null
    wait $program 2>/dev/null
    ls out/.cellpipe/journals/* >/dev/null 2>&1 && hits=$((hits + 1))
    intact "killed while it merges ($tries)"
    known out >known 2>stderr
    must "killed while it merges ($tries): a report: $(head -n 1 stderr)" [ ! -s stderr ]
    must "all is known ($tries)" [ "$(grep -c '^failed missing/' known)" = "$(wc -l <names)" ]
done
must "kills in merges ($hits of $tries)" [ $hits -gt 0 ] # how many depends on the machine
ends 1 "$(wc -l <names) of $(wc -l <names) inputs failed" refused
must "once each" [ "$(known out | sort | uniq | wc -l)" = "$(wc -l <names)" ]
settled "after kills in merges"

# Two runs at once.
cells cells 20
# shellcheck disable=SC2086
"$cellpipe" batch cells --only '*.wu' --out-dir two --jobs 2 ! $slow >/dev/null 2>&1 &
program=$!
wait_until recorded two 20
everything() {
    (cd two && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum && find . -printf '%p %T@\n' | LC_ALL=C sort)
}
everything >before
for words in '' --force '--prune --link-duplicates'; do
    # shellcheck disable=SC2086
    ends 4 "another run writes there: process $program on $(uname -n) \\(two/.cellpipe/lock\\)" \
        "$cellpipe" batch cells --only '*.wu' --out-dir two $words
    must "once: $words" [ "$(wc -l <stderr)" = 1 ]
done
must "a report reads meanwhile" [ "$(known two | grep -c '^ok ')" = 20 ]
# shellcheck disable=SC2086
must "and a dry run" [ "$(plan cells --only '*.wu' --out-dir two ! $slow | grep -v 'up to date')" = 'convert cells/robots.wu: new' ]
everything >after
must "nothing is changed: $(diff before after | head -n 3)" cmp -s before after
kill -TERM $program
wait $program
works "$cellpipe" batch cells --only '*.wu' --out-dir two
must "and then it may" [ "$(known two | grep -c '^ok ')" = 21 ]
finish

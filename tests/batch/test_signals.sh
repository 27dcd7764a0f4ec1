#!/bin/sh
# test_signals.sh PROGRAM: a signal ends a batch, whose search would never end, by that signal; what is done stays,
# nothing else.
. "$(dirname "$0")/check.sh"
if ! env --default-signal=INT true 2>/dev/null; then
    echo "skipped: test_signals needs env --default-signal (coreutils 8.31)"
    exit 77
fi
cells lib 20
others=$(cd lib && printf 'ok lib/%s\n' c*.wu | LC_ALL=C sort)
ended() { # CODE WHAT: how the program ended, and what it left
    wait $program
    got=$?
    must "$2 ends with $1, not $got" [ $got = "$1" ]
    must "$2: no temporaries" [ -z "$(find out -name '.cellpipe-*')" ]
    must "$2: no worker is left" [ -z "$(ps -o pid= --ppid $program)" ]
}
for case in 'INT 130 group' 'TERM 143 group' 'HUP 129 one' 'TERM 143 one'; do
    # shellcheck disable=SC2086
    set -- $case
    rm -rf out
    # shellcheck disable=SC2086
    setsid env --default-signal=INT "$cellpipe" batch lib --only '*.wu' --out-dir out --jobs 2 ! $slow >said 2>&1 &
    program=$!
    wait_until recorded out 20
    if [ "$3" = one ]; then kill -"$1" $program; else /bin/kill -"$1" -- -$program; fi
    ended "$2" "SIG$1 to $3"
    must "whole records of the others" [ "$(known out | LC_ALL=C sort)" = "$others" ]
    # shellcheck disable=SC2086
    must "the next run takes them up: $(plan lib --only '*.wu' --out-dir out ! $slow | grep -v 'up to date')" \
        [ "$(plan lib --only '*.wu' --out-dir out ! $slow | grep -v 'up to date')" = 'convert lib/robots.wu: new' ]
done
works "$cellpipe" batch lib --only '*.wu' --out-dir out
must "it goes on" [ -e out/robots.wu.glb ]
must "the journal is in the state: $(folder out/.cellpipe)" [ "$(folder out/.cellpipe)" = 'journals lock state.db ' ]

# The second one ends it at once.
rm -rf out
# shellcheck disable=SC2086
setsid env --default-signal=INT "$cellpipe" batch lib --only '*.wu' --out-dir out --jobs 2 ! $slow >said 2>&1 &
program=$!
wait_until recorded out 20
worker=$(worker $program)
kill -STOP $worker # it cannot obey the first one
start=$(date +%s%N)
kill -INT $program
sleep 0.1
kill -INT $program 2>/dev/null
wait $program
must "130, not $?" [ $? = 130 ]
must "before its workers' patience of 2.5 s ends" [ $((($(date +%s%N) - start) / 1000000)) -lt 2400 ]
wait_until [ ! -e "/proc/$worker" ]
must "workers go with it" [ ! -e "/proc/$worker" ]

# Whoever has asked to be left alone is: the run goes on until its last worker is killed.
(
    trap '' HUP
    # shellcheck disable=SC2086
    exec "$cellpipe" batch lib --only '*.wu' --out-dir nohup --jobs 1 --progress none ! $slow >"$work/stdout" 2>said
) &
program=$!
wait_until recorded nohup 20
kill -HUP $program
# Again and again: a worker may have no input yet when it is killed.
while kill -0 $program 2>/dev/null; do
    kill -KILL "$(worker $program)" 2>/dev/null
    sleep 0.1
done
wait $program
must "an ignored signal: $(states)" [ "$(states)" = '1 crashed 20 ok' ]
must "the journal is in the state" [ "$(known nohup | grep -c '^ok ') $(folder nohup/.cellpipe)" = '20 journals lock state.db ' ]
finish

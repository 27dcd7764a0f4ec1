#!/bin/sh
# test_killed.sh PROGRAM: a worker that somebody else kills, such as the system for want of memory, marks no input as
# bad: its input is tried again at the end, alone.
. "$(dirname "$0")/check.sh"

cd "$work" || exit 1
cells cells 6
# What the run says stands in `stdout`; the first worker that has a slow cell is killed, or all that ever have.
run() {
    rm -rf out
    "$cellpipe" batch cells --only '*.wu' --out-dir out --jobs 2 --progress none --timeout "$1" ! $slow >stdout 2>stderr &
    run=$!
    wait_until one_is_left
}
one_is_left() { recorded out 6 && [ "$(ps -o pid= --ppid $run | wc -l)" = 1 ]; }

# The slow cell is the last one that is left: its worker, killed once, is followed by another.
run 3
first=$(worker $run)
kill -KILL "$first"
other() { [ -n "$(worker $run)" ] && [ "$(worker $run)" != "$first" ]; }
wait_until other
wait $run
must "the second attempt had its own end" grep -q 'robots.wu: error: took longer than 3 s' stderr
must "it ended as if nobody had killed it" [ "$(states)" = "6 ok 1 timeout" ]

run 1000
first=$(worker $run)
kill -KILL "$first"
wait_until other
kill -TERM "$(worker $run)" # its search asks nobody whether to go on
wait $run
must "killed twice is told" grep -q 'robots.wu: error: its worker was killed twice by signal 15.*alone' stderr
must "and is a failure of that one alone" [ "$(states)" = "1 crashed 6 ok" ]

# A crash of its own is no such kill. (Sanitizers leave this signal alone.)
run 1000
kill -ABRT "$(worker $run)"
wait $run
must "a crash is told at once" grep -q 'robots.wu: error: ended its worker by signal 6' stderr

# So it is for the process of a third-party reader, to which the system turns first.
planted=$(dirname "$cellpipe")/tests/cellpipe_planted
mkdir read
cp part.stl read
echo 'planted loop' >read/x.planted
reader() { pgrep -P "$(pgrep -d , -P $run)"; }
another() { [ -n "$(reader)" ] && [ "$(reader)" != "$first" ]; }
first=
"$planted" batch read --out-dir reads --jobs 2 --progress none --timeout 1000 >stdout 2>stderr &
run=$!
wait_until another
first=$(reader)
kill -KILL "$first"
wait_until another
must "the first one is not told" [ ! -s stderr ]
kill -KILL "$(reader)"
wait $run
must "the second one is" grep -q 'x.planted: error: planted was killed (signal 9)' stderr
must "and is a failure of that one alone: $(states)" [ "$(states)" = '1 memory 1 ok' ]
must "in one attempt" [ "$("$planted" report reads --csv | grep -c 'x.planted.*,memory,"read-killed",.*,1.$')" = 1 ]
finish

#!/bin/sh
# test_memory.sh PROGRAM: --memory bounds a worker and its reader's process together, --total-memory all workers, and
# records tell what both had.
. "$(dirname "$0")/check.sh"
if grep -q __asan_init "$cellpipe" || grep -q __tsan_init "$cellpipe"; then
    echo "sanitizers take memory without measure: there is nothing to test"
    exit 0
fi
planted=$(dirname "$cellpipe")/tests/cellpipe_planted
batch() { settle && "$planted" batch "$@" --progress none; }
# most FILE: the memory of its record, in MiB.
most() { echo $(($("$planted" report out --csv | grep "/$1\"" | cut -d , -f 8) >> 20)); }

# ---- a worker and its reader ----

# The reader needs 50 MiB and a copy of the 10 MiB of a packed file, which takes up to 16 MiB of the worker then.
mkdir lib
echo 'planted keep 50 file large.bin.gz' >lib/sum.planted
echo 'planted keep 1' >lib/small.planted
head -c 10485760 /dev/zero | gzip >lib/large.bin.gz
ends 1 'sum.planted: error: planted needed more than 67 MiB of memory' batch lib --out-dir out --jobs 1 --limit ratio=2000 --memory 68MiB
must "one for its memory: $(states)" [ "$(states)" = '1 memory 1 ok' ]
"$planted" report out >report
must "the flag is named" grep -q '1 memory: read-memory: planted needed more than .*(--memory sets the limit)$' report
ends 0 '' batch lib --out-dir out --jobs 1 --limit ratio=2000 --memory 96MiB
must "with more, none" [ "$(states)" = '1 ok 1 skipped' ]
must "its record has both: $(most sum.planted) MiB" [ "$(most sum.planted)" -ge 70 ]
must "and not too much" [ "$(most sum.planted)" -lt 150 ]
must "that of the other one is its own: $(most small.planted) MiB" [ "$(most small.planted)" -lt 40 ]

# ---- all workers ----

# Parts of 75 MiB are too little for three, halves enough for one of these, and all of it for one more.
rm -r out lib
mkdir lib
for part in 20 30 40 50; do
    echo "planted keep $part" >lib/$part.planted
done
echo 'planted keep 120' >lib/half.planted
echo 'planted keep 200' >lib/all.planted
echo 'planted keep 400' >lib/more.planted
ends 1 '1 of 7 inputs failed' batch lib --out-dir out --jobs 4 --total-memory 300MiB
must "what fits into all is done: $(states)" [ "$(states)" = '1 memory 6 ok' ]
must "attempts before do not count" [ "$("$planted" report out --csv | grep -c ',1.$')" = 7 ]
must "attempts before are not told" [ "$(grep -c 'error: planted' stderr)" = 1 ]
"$planted" report out >report
must "the flag is named" grep -q '1 memory: read-memory: .*(--total-memory sets the limit)$' report
ends 0 '' batch lib --out-dir out --jobs 4 --total-memory 600MiB --retry
must "and more of it is enough for that, too: $(states)" [ "$(states)" = '1 ok 6 skipped' ]

# Never are there more than fit, however many jobs there are: of those that need more than a part, one.
mkdir held
# fat: how many processes below the run have what the files ask for.
fat() { ps -o rss= -p "$(pgrep -d , -P "$(pgrep -d , -P $run)")" | awk -v most=$((1024 * need)) '$1 >= most' | wc -l; }
enough() { [ "$(fat)" -ge $fit ]; }
for need_fit in 60:3 100:1; do
    need=${need_fit%:*} fit=${need_fit#*:}
    for name in 1 2 3 4 5 6 7 8; do
        echo "planted keep $need loop" >held/$name.planted
    done
    "$planted" batch held --out-dir held_out --jobs 8 --total-memory 250MiB --timeout 1000 --progress none >said 2>&1 &
    run=$!
    wait_until enough
    sleep 0.2
    must "$fit at a time of $need MiB, not $(fat)" [ "$(fat)" = $fit ]
    kill -TERM $run
    wait $run 2>/dev/null
done
rm held/*
ends 2 'total-memory .*: needs a size' batch held --out-dir out --total-memory much
# A crash may come of too little memory: with all of it, it is one.
echo 'planted abort' >held/abort.planted
echo 'planted keep 1' >held/keep.planted
ends 1 '1 of 2 inputs failed' batch held --out-dir out --jobs 2 --total-memory 600MiB
must "a crash is one in the end: $(states)" [ "$(states)" = '1 crashed 1 ok' ]
echo 'planted keep 100' >held/abort.planted
ends 0 '' batch held --out-dir died --jobs 2 --total-memory 160MiB --isolate=no
must "a worker that died for its part is followed by one with more: $(states)" [ "$(states)" = '2 ok' ]
# One job has all of it, however little that is; and --memory holds, too.
ends 1 'keep|needed' batch lib --out-dir little --jobs 8 --total-memory 1MiB
must "they fail for that: $(states)" [ "$(states)" = '7 memory' ]
ends 1 '3 of 7 inputs failed' batch lib --out-dir both --jobs 2 --total-memory 2GiB --memory 100MiB
must "three need more than --memory: $(states)" [ "$(states)" = '3 memory 4 ok' ]
finish

#!/bin/sh
# test_hostile.sh PROGRAM: whatever an input is, or does to its worker, the others are converted, and each is told.
. "$(dirname "$0")/check.sh"
library lib 30

# Names.
for name in "$(printf 'new\nline.stl')" "quo\"te's.stl" "$(printf 'esc\033[31m.stl')" "$(printf 'latin\351.stl')" -dash.stl \
    "$(printf '%0246d.stl' 0)" 'b @l{a}n,k.stl' Case.stl case.stl case.STL; do
    cp part.stl "lib/$name"
done
works "$cellpipe" batch lib --out-dir names --jobs 2
must "40 names" [ "$(states)" = '40 ok' ]
must "40 outputs" [ "$(find names -name '*.glb' -printf x | wc -c)" = 40 ]
works "$cellpipe" batch lib --out-dir names
must "known again" [ "$(states)" = '40 skipped' ]
must "no escape reaches the terminal" [ "$(cat stdout stderr | tr -cd '\033' | wc -c)" = 0 ]

# What is no file, cannot be found or is damaged, each by itself.
cp bad.stl lib/bad.stl
: >lib/empty.stl
gzip <part.stl | head -c 60 >lib/cut.stl.gz
mkfifo fifo.stl
ln -s loop.stl loop.stl
ln -s nowhere.stl dangling.stl
cp part.stl "$(printf '%0251d.stl' 0)" # with .glb its name would be too long
ends 1 '.*' "$cellpipe" batch lib fifo.stl loop.stl dangling.stl none.stl /dev/zero ./0*.stl --out-dir damaged --jobs 2
must "the others: $(states)" [ "$(states)" = '9 failed 40 ok' ]
for name in bad.stl empty.stl cut.stl.gz fifo.stl loop.stl dangling.stl none.stl /dev/zero; do
    must "$name is told" grep -q "$name.*error" stderr
done

# Too long: a search over all that two arms may do.
cells heavy 15
# shellcheck disable=SC2086
ends 1 'robots.wu: error: took longer than 4 s \(--timeout\)' "$cellpipe" batch heavy --only '*.wu' --out-dir slow --jobs 2 \
    --timeout 4 ! $slow
must "the others: $(states)" [ "$(states)" = '15 ok 1 timeout' ]
for attempt in 2 3; do
    # shellcheck disable=SC2086
    ends 1 'took longer' "$cellpipe" batch heavy --only '*.wu' --out-dir slow --timeout 0.3 ! $slow
    must "attempt $attempt" [ "$("$cellpipe" report slow --csv | grep -c ",timeout,.*,$attempt.\$")" = 1 ]
done
# shellcheck disable=SC2086
ends 1 'as before; --retry' "$cellpipe" batch heavy --only '*.wu' --out-dir slow --timeout 0.3 ! $slow
must "then no more" [ "$(states)" = '15 skipped 1 timeout' ]
# shellcheck disable=SC2086
ends 1 'took longer' "$cellpipe" batch heavy --only '*.wu' --out-dir slow --timeout 0.3 --retry ! $slow

# Too much: a sphere of eight million triangles.
printf '{ "Ball"\n  GeoID "#Sphere 1 2000"\n}\n' >heavy/ball.wu
rm heavy/robots.wu
grep -q __asan_init "$cellpipe" || # sanitizers take memory without measure
    ends 1 'ball.wu: .*(memory|limit)' "$cellpipe" batch heavy --only '*.wu' --out-dir much --memory 60MB
[ ! -e much ] || must "the others: $(states)" [ "$(states much | sed 's/1 memory//;s/1 failed//;s/ //')" = '15 ok' ]
rm heavy/ball.wu

# Zeros: packed, in a file with holes, as a power loss leaves them.
mkdir zeros
cp part.stl zeros
head -c 100000000 /dev/zero | gzip >zeros/bomb.stl.gz
head -c 4096 /dev/zero >zeros/lost.glb
grep -q __asan_init "$cellpipe" || truncate -s 10G zeros/holes.stl
ends 1 'lost.glb.*error' within 10 "$cellpipe" batch zeros --out-dir nothing --memory 500MB
must "one output" [ "$(cd nothing && echo *)" = part.stl.glb ]

# A worker that dies takes its input along, and no other; its last words are told.
cells heavy 15
# shellcheck disable=SC2086
"$cellpipe" batch heavy --only '*.wu' --out-dir crash --jobs 1 ! $slow >"$work/stdout" 2>said &
program=$!
wait_until recorded crash 15
# Again and again: a worker may have no input yet when it is killed.
while kill -0 $program 2>/dev/null; do
    kill -ABRT "$(worker $program)" 2>/dev/null
    sleep 0.1
done
wait $program
must "1, not $?" [ $? = 1 ]
must "a crash" grep -q 'robots.wu: error: ended its worker by signal 6' said
must "of that input alone: $(states)" [ "$(states)" = '1 crashed 15 ok' ]
must "which is known" [ "$(known crash | grep -v '^ok ')" = 'crashed heavy/robots.wu' ]

# Three attempts for the same bytes, whether the worker dies or its reader, by folder or by manifest; then only when they
# change, though the size stays.
planted=$(dirname "$cellpipe")/tests/cellpipe_planted
mkdir planted
cp part.stl planted
echo 'planted abort' >planted/x.planted
works "$planted" manifest planted
must "nor does a manifest die of it" [ "$(grep -c part.stl stdout)" = 1 ]
cp stdout planted.jsonl
attempts() { # WORDS...: the numbers that six runs record
    for _ in 1 2 3 4 5 6; do
        ends 1 'planted' "$planted" batch "$@" --timeout 0.3 --progress none
        "$planted" report tries --csv | sed -n 's/.*x.planted.*,\([2-9]\).$/\1/p'
        sleep 0.01
        touch planted/x.planted
    done | tr -d '\n'
}
for deed in abort loop; do
    for isolate in yes no; do
        for list in planted '--manifest planted.jsonl'; do
            rm -rf tries
            echo "planted $deed" >planted/x.planted
            # shellcheck disable=SC2086 # one word or two
            must "three attempts ($deed, isolate=$isolate, $list)" [ "$(attempts $list --out-dir tries --isolate=$isolate)" = 23333 ]
            echo 'planted error' | head -c "$(wc -c <planted/x.planted)" >planted/x.planted.new
            mv planted/x.planted.new planted/x.planted
            # shellcheck disable=SC2086
            ends 1 'planted' "$planted" batch $list --out-dir tries --isolate=$isolate --progress none
            must "another one" [ "$("$planted" report tries --csv | grep -c 'x.planted.*,failed,.*,1.$')" = 1 ]
        done
    done
done

# The one worker has the next entry already when it dies: another worker makes it.
mkdir two
echo 'planted abort' >two/a.planted
cp part.stl two/b.stl
ends 1 'planted' "$planted" batch two --out-dir one_worker --isolate=no --jobs 1 --progress none
must "the next one: $(states)" [ "$(states)" = '1 crashed 1 ok' ]

# A limit of the output's size, a full disk, a folder that cannot be written.
ends 1 'File too large' "$cellpipe" batch "$top/samples/stl_65536.stl.gz" lib/a --out-dir small --max-output 20kB
must "the small ones: $(states)" [ "$(states)" = '1 failed 15 ok' ]
must "no part of it" [ -z "$(find small -name '*65536*')" ]
ends 4 'full.*cannot be written|No space' "$cellpipe" batch lib/a --out-dir small --status /dev/full
works "$cellpipe" batch lib/a --out-dir small --max-output 20kB
must "nothing of that is done again: $(states)" [ "$(states)" = '15 skipped' ]
if [ "$(id -u)" != 0 ]; then
    mkdir -p locked/.cellpipe/journals
    chmod a-w locked
    ends 1 'cannot be written|Permission denied' "$cellpipe" batch part.stl --out-dir locked
fi
for folder in names damaged slow crash small nothing; do
    must "no temporaries in $folder" [ -z "$(find $folder -name '.cellpipe-*')" ]
    must "nor journals: $(folder $folder/.cellpipe)" [ "$(folder $folder/.cellpipe)" = 'journals lock state.db ' ]
done
finish

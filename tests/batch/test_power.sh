#!/bin/sh
# test_power.sh PROGRAM: after a power cut, each output that counts as up to date is whole, nothing that was flushed is
# converted again, and the next run makes the tree of an undisturbed one. The calls of runs are recorded, and for many
# moments the output folder becomes what a file system may have kept (../tools/power_cut.py).
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # where a flush costs nothing
. "$(dirname "$0")/check.sh"
if ! strace -qq -o /dev/null true 2>/dev/null; then
    echo "skipped: test_power: strace and the right to trace"
    exit 77
fi
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" # leaks cannot be looked for beside a tracer
[ -n "$CELLPIPE_LONG" ] && count=0 || count=${COUNT:-40}
calls='?open,openat,?creat,write,pwrite64,writev,pwritev,ftruncate,fallocate,fsync,fdatasync,syncfs,?rename,renameat'
calls="$calls,renameat2,?link,linkat,?unlink,unlinkat,?mkdir,mkdirat,?rmdir,lseek,clone,clone3,?fork,?vfork,copy_file_range"
recorded_run() { strace -qq -f -y -xx -s 100000000 -e trace="$calls" -e signal=none -o log "$@"; }

# power_cut WHAT KEPT WORDS...: what was recorded in log, from before to out, and then `batch lib --out-dir out WORDS`.
power_cut() {
    what=$1 kept=$2
    shift 2
    rm -rf whole
    cp -a out whole
    python3 "$top/tests/tools/power_cut.py" log before out whole status "$kept" "$count" \
        "$cellpipe" batch lib --out-dir out --jobs 1 --progress none "$@" >said 2>&1
    must "$what: $(cat said)" [ $? = 0 ]
    [ -z "${VERBOSE-}" ] || echo "$what: $(tail -n 1 said)"
}
# What each run makes: parts, a part in two places, and a cell of which each device becomes a file.
mkdir -p lib/a lib/b
for i in 1 2 3; do sed "s/vertex 1 0 0/vertex $i 0 0/" part.stl >lib/a/p$i.stl; done
cp lib/a/p1.stl lib/b/same.stl
cells made 2
mv made/c*.wu lib
: >none
# run WORDS...: recorded, with the log in status.
run() {
    recorded_run "$cellpipe" batch lib --out-dir out --jobs 1 --progress none --status status "$@" >said 2>&1
    must "it works: $(tail -n 1 said)" [ $? = 0 ]
}
set -- --to stl --out split=yes

settle
run "$@"
power_cut "a first run" none "$@"
cp -a whole first

# All again: the old outputs are replaced, and their records hold until the end.
rm -rf before out && cp -a first before && cp -a first out
run "$@" --force
power_cut "all again" none "$@"

# A change: one more, one less, one that differs; and one file of two that are equal.
rm -rf before out && cp -a first before && cp -a first out
rm lib/a/p2.stl
sed 's/vertex 1 0 0/vertex 4 0 0/' part.stl >lib/a/p3.stl
sed 's/vertex 1 0 0/vertex 5 0 0/' part.stl >lib/a/p5.stl
settle
set -- "$@" --prune --max-prune=100% --link-duplicates
run "$@"
(cd first && find . -name '*.stl' | sed 's|^\./||; /\/p[23]\./d') >kept
power_cut "a change" kept "$@"

# A run that was killed: the next one takes up its outputs, which nobody has flushed.
rm -rf before out lib
cells lib 3
settle
# shellcheck disable=SC2086
set -- --only 'c*.wu' ! $slow
cat >script <<'END'
"$1" batch lib --out-dir out --jobs 1 --progress none --status status --only '*.wu' ! $2 &
until [ "$(cat out/.cellpipe/journals/* 2>/dev/null | grep -c '"state":"ok"')" = 3 ] || ! kill -0 $!; do sleep 0.01; done
kill -KILL $!
wait
exec "$1" batch lib --out-dir out --jobs 1 --progress none --only 'c*.wu' ! $2
END
recorded_run sh script "$cellpipe" "$slow" >said 2>&1
must "three were known: $(cat said)" grep -q 'skipped *3$' said
power_cut "a run that was killed" none "$@"

# A shard that goes on while its journal is merged.
rm -rf before out
cat >script <<'END'
"$1" batch lib --shard 0/1 --out-dir out --jobs 1 --progress none --status status --only '*.wu' ! $2 &
until [ "$(cat out/.cellpipe/journals/* 2>/dev/null | grep -c '"state":"ok"')" = 3 ] || ! kill -0 $!; do sleep 0.01; done
"$1" merge out
kill -TERM $!
wait
END
recorded_run sh script "$cellpipe" "$slow" >said 2>&1
must "three were merged: $(cat said)" grep -q 'records *3$' said
power_cut "a merge of a shard that goes on" none "$@"

# A line that comes after the flush of a merge waits for the next one. The merge stops at its flush, while a shard goes on.
rm -rf out
"$cellpipe" batch lib --shard 0/1 --out-dir out -q "$@"
journal=$(echo out/.cellpipe/journals/*)
sed -i '$d' "$journal"
tail -n 1 "$journal" | sed 's/c[0-9]\.wu/late.wu/g; s/"state":"ok"/"state":"failed"/' >late
flock "$journal" sleep 1000 &
shard=$!
wait_until sh -c "! flock -n '$journal' true"
strace -qq -o log -e trace=syncfs -e inject=syncfs:signal=STOP "$cellpipe" merge out >said 2>&1 &
merge=$!
wait_until grep -q 'stopped by SIGSTOP' log
cat late >>"$journal"
pkill -CONT -P "$merge"
wait "$merge"
must "three of four lines: $(cat said)" grep -q 'records *3$' said
pkill -P "$shard"
wait "$shard"
works "$cellpipe" merge out
must "and then the fourth: $(cat stdout)" grep -q 'records *1$' stdout

# What lies on another file system is flushed file by file.
other=$(mktemp -d /tmp/cellpipe-power.XXXXXX)
trap 'rm -rf "$work" "$other"' EXIT
mkdir -p away lib/b
cp part.stl lib
cp part.stl lib/b
ln -s "$other" away/b
strace -qq -f -y -o log -e trace=fsync,linkat "$cellpipe" batch lib --only '*.stl' --out-dir away -q >said 2>&1
flushed=$([ "$(stat -c %d away)" = "$(stat -c %d "$other")" ] || echo 2)
must "the file and its folder there, and no other" [ "$(grep -c '^[0-9]* *fsync(.*<.*cellpipe-power' log)/$(grep -c 'fsync(' log)" = "${flushed:-0}/${flushed:-0}" ]
finish

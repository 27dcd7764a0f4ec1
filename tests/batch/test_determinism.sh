#!/bin/sh
# test_determinism.sh PROGRAM [OTHER]: the same tree and the same report for any number of jobs, for any shards, and by
# another program (the same one built by another compiler).
other=$(realpath "${2:-$1}")
. "$(dirname "$0")/check.sh"

# Good ones, cells that name further files, warnings, losses, copies, failures, a file that cannot be read.
library lib 30
cp cell.wu arm.dev part.stl open.stl bad.stl lib
cp part.stl lib/b
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nmtllib none.mtl\n' >lib/no_material.obj
printf '{ "Late"\n  GeoID "late.stl"\n}\n' >lib/late.wu
gzip <part.stl | head -c 60 >lib/cut.stl.gz
: >lib/empty.stl
cp part.stl "$(printf 'lib/latin\351 "1".stl')"
ln -s nowhere lib/dangling.stl
cp part.stl lib/locked.stl
chmod 000 lib/locked.stl
"$cellpipe" manifest lib >lib.jsonl 2>/dev/null

# keep NAME: what a run has left in out/, in all forms of the report; the first is what the others must equal.
keep() {
    for form in '' -v --json --csv; do
        # shellcheck disable=SC2086 # a word or none
        "$cellpipe" report --no-times --manifest lib.jsonl out $form
    done >"$1.report" 2>&1
    tree out >"$1.tree"
    [ -e first.tree ] || { cp "$1.tree" first.tree && cp "$1.report" first.report; }
    must "the same tree: $1" cmp "$1.tree" first.tree
    must "the same report: $1" cmp "$1.report" first.report
    rm -rf out
}
batch() { # PROGRAM OPTION...
    program=$1
    shift
    "$program" batch --manifest lib.jsonl --out-dir out --progress none "$@" >said 2>&1
}

for jobs in 1 2 8; do
    batch "$cellpipe" --jobs $jobs
    "$cellpipe" report out >full
    must "times, unless they are to be left out" grep -q '^time .* s of work' full
    keep jobs$jobs
done
for balance in size hash; do
    for shards in 1 2 7 64; do
        i=$shards
        while [ $i -gt 0 ]; do
            i=$((i - 1))
            batch "$cellpipe" --balance $balance --shard $i/$shards --jobs 2
        done
        for i in 0 $((shards - 1)); do
            batch "$cellpipe" --balance $balance --shard $i/$shards --jobs 2 --dry-run
            must "a shard knows its own: $i/$shards" [ "$(grep -c '^convert' said)" = 0 ]
        done
        keep $balance$shards
    done
done
batch "$other" --jobs 2
keep other
for told in 'ok  ' 'failed  ' 'with losses' 'copies  ' 'cut.stl.gz' 'dangling.stl'; do
    must "there is $told" grep -q "$told" first.report
done
must "nothing of times, isolation and hosts" [ -z "$(grep -E "^(time|slowest|isolation)|\"$(hostname)\"" first.report)" ]
finish

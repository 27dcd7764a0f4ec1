#!/bin/sh
# test_shards.sh PROGRAM: shards of a manifest, which may be on many hosts, make what one run makes, read no more than
# their own lines, and write journals, which become the same state in any order.
. "$(dirname "$0")/check.sh"
batch() { settle && "$cellpipe" batch --progress none "$@"; }
merge() { "$cellpipe" merge "$@"; }
manifest() { "$cellpipe" manifest "$@"; }
all() { "$cellpipe" report --csv --no-times "$1"; }

cd "$work" || exit 1
library lib 23
printf 'solid broken\nfacet\n' >lib/b/broken.stl
manifest lib -q >plain.jsonl
manifest lib -q --shards 5 >sorted.jsonl
inputs=$(wc -l <plain.jsonl)
ends 1 'broken.stl:3:1: error' batch lib --out-dir one -q
all one >one.csv

# ---- the manifest ----

head -n 1 sorted.jsonl >head.json
must "the first line tells the shards" [ "$(grep -o '"lines"' head.json | wc -l)" = 5 ]
must "the entries are those of one without shards" \
    [ "$(tail -n +2 sorted.jsonl | LC_ALL=C sort | cksum)" = "$(LC_ALL=C sort plain.jsonl | cksum)" ]
sizes=$(grep -o '"size":[0-9]*' head.json | cut -d: -f2)
# part I: the lines of a shard, as the first line tells where they are.
part() {
    begin=$(($(wc -c <head.json) + 1))
    at=0
    for size in $sizes; do
        [ $at = "$1" ] && tail -c +$begin sorted.jsonl | head -c "$size"
        begin=$((begin + size))
        at=$((at + 1))
    done
}
for i in 0 1 2 3 4; do
    must "part $i has whole lines" [ "$(part $i | grep -c '^{"path".*}$')" = "$(grep -o '"lines":[0-9]*' head.json |
        sed -n "$((i + 1))s/.*://p")" ]
done

# ---- shards ----

for i in 3 0 4 1 2; do
    batch --manifest sorted.jsonl --shard $i/5 --out-dir web >"out.$i" 2>&1
done
must "each shard has its own inputs" [ $(($(sed -n 's/^inputs *//p' out.? | paste -sd+))) = "$inputs" ]
must "the outputs are those of one run" [ "$(tree web)" = "$(tree one)" ]
must "shards write no state" [ ! -e web/.cellpipe/state.db ]
all web >web.csv
must "a report needs no merge" cmp -s web.csv one.csv
cp -r web again
ends 0 '' merge web
must "a merge leaves no journal" [ -z "$(ls web/.cellpipe/journals)" ]
all web >web.csv
must "merged, they are what one run knows" cmp -s web.csv one.csv
cp again/.cellpipe/journals/* web/.cellpipe/journals
ends 0 '' merge web
all web >web.csv
must "journals may come twice" cmp -s web.csv one.csv
# One at a time, in another order, each twice.
mkdir aside
mv again/.cellpipe/journals/* aside
for journal in $(ls -r aside); do
    cp "aside/$journal" again/.cellpipe/journals
    merge again -q
    cp "aside/$journal" again/.cellpipe/journals
    merge again -q
done
all again >again.csv
must "journals may come in any order" cmp -s again.csv one.csv
ends 1 'broken.stl: error: .*as before' batch lib --out-dir web
must "the next run has nothing to do" [ "$(states)" = "1 failed $((inputs - 1)) skipped" ]

# ---- what a shard reads ----

# Of others, not even what is no line of a manifest disturbs; of its own, it does.
{ cat head.json; part 0 | tr '{' '!'; part 1 | tr '{' '!'; part 2; part 3 | tr '{' '!'; part 4 | tr '{' '!'; } >partly.jsonl
ends 1 'broken' batch --manifest partly.jsonl --shard 2/5 --out-dir partly
ends 3 "partly.jsonl:$(($(part 0 | wc -l) + 2)): is no line of a manifest" \
    batch --manifest partly.jsonl --shard 1/5 --out-dir partly
head -c -5 sorted.jsonl >torn.jsonl
ends 3 'torn.jsonl:' batch --manifest torn.jsonl --shard 4/5 --out-dir partly
sed '1s/"size":[0-9]*/"size":7/' sorted.jsonl >wrong.jsonl
ends 3 'wrong.jsonl:2: is no end of a shard' batch --manifest wrong.jsonl --shard 0/5 --out-dir partly
sed '$d' sorted.jsonl >short.jsonl
ends 3 'short.jsonl' batch --manifest short.jsonl --shard 4/5 --out-dir partly
# Other numbers of shards, and pipes, read all, and choose.
rm -rf web
for i in 0 1 2; do
    batch --manifest sorted.jsonl --shard $i/3 --out-dir web -q 2>stderr
done
must "a manifest serves other numbers of shards" [ "$(tree web)" = "$(tree one)" ]
rm -rf web
for i in 0 1 2 3 4; do
    cat sorted.jsonl | batch --manifest - --shard $i/5 --out-dir web -q 2>stderr
done
must "a manifest may come from a pipe" [ "$(tree web)" = "$(tree one)" ]
rm -rf web
ends 1 'broken' batch --manifest sorted.jsonl --out-dir web -q
must "and serves a run without shards" [ "$(tree web)" = "$(tree one)" ]
manifest lib -q --shards 100 >many.jsonl
ends 0 '' batch --manifest many.jsonl --shard 99/100 --out-dir few
must "a shard may have no inputs" [ -z "$(states)" ]
manifest lib -q --shards 4 --balance hash >hash.jsonl
rm -rf web
for i in 0 1 2 3; do
    batch --manifest hash.jsonl --shard $i/4 --balance hash --out-dir web -q 2>stderr
done
must "shards by hashes of names" [ "$(tree web)" = "$(tree one)" ]

# ---- what is known ----

merge web -q
manifest lib -q --shards 5 --known web >known.jsonl
must "a manifest tells what is known" [ "$(grep -c '"out"' known.jsonl)" = "$inputs" ]
cp -r web kept
rm -r kept/.cellpipe
for i in 0 1 2 3 4; do
    batch --manifest known.jsonl --shard $i/5 --out-dir kept --progress none >"out.$i" 2>stderr
done
must "what a manifest tells is up to date" [ $(($(sed -n 's/^  skipped *//p' out.? | paste -sd+))) = $((inputs - 1)) ]
for i in 0 1 2 3 4; do
    batch --manifest sorted.jsonl --shard $i/5 --out-dir web --progress none >"out.$i" 2>stderr
done
must "else the state is read" [ $(($(sed -n 's/^  skipped *//p' out.? | paste -sd+))) = $((inputs - 1)) ]
printf x >web/.cellpipe/state.db-wal
ends 4 'state.db: another run writes it, or was killed; see: cellpipe help merge' \
    batch --manifest sorted.jsonl --shard 0/5 --out-dir web
ends 0 '' merge web
ends 0 '' batch --manifest sorted.jsonl --shard 0/5 --out-dir web
ends 2 '--shards is not an option' merge web --shards 4
ends 2 'merge needs one output folder' merge
ends 3 'has no records of a batch' merge lib

# ---- runs that did not end ----

# A node that was lost: its journal has no end, and another boot. Its outputs may not be on the disk.
rm -rf web
batch --manifest sorted.jsonl --shard 0/5 --out-dir web -q 2>stderr
journal=$(ls web/.cellpipe/journals/*)
sed -i '$d; s/"boot":"[^"]*"/"boot":"elsewhere"/; s/"run":"[^"]*"/"run":"node9"/' "$journal"
works merge web
must "a run elsewhere may go on" grep -q '^journals *1 read, 1 of runs that may go on' stdout
must "and keeps its journal" [ -e "$journal" ]
must "its records are known" [ "$(known web | wc -l)" = "$(part 0 | wc -l)" ]
plan --manifest sorted.jsonl --out-dir web >planned
must "but its outputs are looked at" [ "$(grep -c '^check' planned)" = "$(part 0 | wc -l)" ]
ends 1 'broken' batch --manifest sorted.jsonl --out-dir web -q
all web >web.csv
must "in the end it is what one run knows" cmp -s web.csv one.csv

# ---- names that meet ----

mkdir -p x/l y/l
cp lib/a/p0.stl x/l/p.stl
cp lib/a/p2.stl y/l/p.stl
ends 2 'p.stl' manifest x y --shards 2
finish

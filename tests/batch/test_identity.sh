#!/bin/sh
# test_identity.sh PROGRAM: which input an output belongs to, whatever the words, folders and clocks of the runs.
. "$(dirname "$0")/check.sh"
export LC_ALL=C
batch() { settle && "$cellpipe" batch --progress none --confine=no "$@"; }
# outputs FOLDER: their names and bytes.
outputs() { (cd "$1" && find . -path ./.cellpipe -prune -o -type f -exec cksum {} + | LC_ALL=C sort -k 3); }
# part NUMBER: one of its own bytes.
part() { sed "s/vertex 1 0 0/vertex $1 0 0/" "$work/part.stl"; }
# refused EXPRESSION WORDS...: the run is, nothing is written, and the state is as it was.
refused() {
    expression=$1
    shift
    before=$(outputs "$work/web" && known "$work/web")
    ends 2 "$expression" batch "$@"
    must "nothing was written: $*" [ "$(outputs "$work/web" && known "$work/web")" = "$before" ]
    must "no journal stays: $*" [ -z "$(ls "$work/web/.cellpipe/journals" 2>/dev/null)" ]
}
# same COUNT WORDS...: all is up to date by these words, in a dry run and in a run.
same() {
    count=$1
    shift
    must "a dry run: $*" [ "$(batch "$@" --dry-run | tail -n 1)" = "0 to convert, 0 to check, $count up to date, 0 failed before, 0 refused" ]
    works batch "$@"
    must "up to date: $*" [ "$(states)" = "$count skipped" ]
}

# One library by many words. What a cell names is below its library, or beside it.
mkdir -p site/parts/sub site/elsewhere
part 1 >site/parts/a.stl
part 2 >site/parts/sub/b.stl
printf '{ "A"\n  GeoID "../a.stl"\n}\n{ "B"\n  GeoID "../../elsewhere/c.stl"\n}\n' >site/parts/sub/cell.wu
part 3 >site/elsewhere/c.stl
ln -s parts site/link
ln -s site here
cd site || exit 1
works batch parts --out-dir ../web
must "three are done" [ "$(states)" = '3 ok' ]
first=$(outputs ../web)
for words in parts ./parts/ .//parts/. ../site/parts "$PWD/parts" link "$PWD/link/" "$work/here/parts" elsewhere/../parts; do
    for out in ../web "$work/web" ./../web/ "$work/here/../web"; do
        works batch "$words" --out-dir "$out"
        must "up to date: $words $out" [ "$(states)" = '3 skipped' ]
    done
    same 3 "$words" --out-dir ../web --prune --max-prune=100%
done
cd parts || exit 1
same 3 . --out-dir ../../web --prune
cd sub || exit 1
same 3 .. --out-dir "$work/web" --prune
cd / || exit 1
same 3 "$work/here/link" --out-dir "$work/web" --prune
cd "$work" || exit 1
same 3 here/parts --out-dir web --prune
same 3 site/parts "$work/site/parts/a.stl" here/link/sub site/parts/sub/../a.stl --root here/parts --out-dir web
must "and as it was" [ "$(outputs web)" = "$first" ]
must "known once, as spelt last" [ "$(known web)" = 'ok site/parts/a.stl
ok site/parts/sub/b.stl
ok site/parts/sub/cell.wu' ]
part 4 >site/elsewhere/c.stl
works batch here/link --out-dir web
must "a change is seen by any words" [ "$(states)" = '1 ok 2 skipped' ]

# A manifest and a report elsewhere.
"$cellpipe" manifest -q site/parts >parts.jsonl
ends 0 '' "$cellpipe" report --manifest parts.jsonl web
(cd site && "$cellpipe" manifest -q parts >../parts.jsonl)
(cd site && same 3 --manifest ../parts.jsonl --out-dir ../web)
ends 0 '' "$cellpipe" report --manifest parts.jsonl web --json
must "none is missing" grep -q '"missing": \[\]' stdout
must "nor another" grep -q '"not_in_manifest": 0' stdout

# Outputs that would be those of others are refused before anything is written, within a run and across runs.
mkdir -p other/parts/sub
part 5 >other/parts/a.stl
part 6 >other/parts/z.stl
refused 'web/a.stl.glb, the output of other/parts/a.stl, is that of /.*/site/parts/a.stl$' other/parts --out-dir web
must "z is not written either" [ ! -e web/z.stl.glb ]
refused '^cellpipe: error: 1 output is that of other inputs: nothing was written$' other/parts --out-dir web --prune --max-prune=100%
refused 'is that of /.*/site/parts/a.stl$' other/parts --out-dir web --dry-run
refused 'is that of /.*/site/parts/a.stl$' other/parts --out-dir web --force
refused 'is that of /.*/site/parts/a.stl$' other/parts --out-dir web --shard 0/1
refused '^cellpipe: error: (other/parts/a.stl and site/parts/a.stl|site/parts/a.stl and other/parts/a.stl) would both be written to web/a.stl.glb' \
    site/parts other/parts --out-dir web
ends 2 'would both be written to fresh/a.stl.glb' batch site/parts other/parts --out-dir fresh
must "no folder is made" [ ! -e fresh ]

# Two libraries that do not meet live in one folder, and --prune of one removes nothing of the other.
rm other/parts/a.stl
works batch other/parts --out-dir web --prune --max-prune=100%
must "one is added" [ "$(states)/$(outputs web | wc -l)" = '1 ok/4' ]
works batch site/parts --out-dir web --prune --max-prune=100%
must "nothing is removed" [ "$(states)/$(outputs web | wc -l)" = '3 skipped/4' ]
mv site/parts/sub/b.stl .
ends 0 'kept 1 output whose input is gone from no folder of this run: /.*/site/parts/sub/b.stl' batch other/parts --out-dir web --prune --max-prune=100%
must "what is gone there is not pruned here" [ -e web/sub/b.stl.glb ]
mv b.stl site/parts/sub
same 3 site/parts --out-dir web
same 1 other/parts --out-dir web
works batch site/parts other/parts --out-dir web
must "both at once" [ "$(states)" = '4 skipped' ]

# A library that has moved is another one, until it is named: a hint tells how.
mkdir new
mv site new/site
refused 'the output of new/site/parts/a.stl, is that of /.*/site/parts/a.stl, whose folder is gone; .* --root-id [0-9a-f]{16}$' \
    new/site/parts --out-dir web
id=$(sed -n 's/.* say --root-id \([0-9a-f]*\)$/\1/p' stderr | sort -u)
must "one id for all" [ "$(echo "$id" | wc -w)" = 1 ]
works batch new/site/parts --out-dir web --root-id "$id"
must "with its id, what lies below it is up to date" [ "$(states)" = '1 ok 2 skipped' ]
same 3 new/site/parts --out-dir web --root-id "$id" --prune --max-prune=100%
same 3 new/site/parts --out-dir web --prune
must "it is told where it is" [ "$(known web | grep -c ' new/site/parts/')" = 3 ]
mv new/site/parts/a.stl .
works batch new/site/parts --out-dir web --prune
must "and pruned there" [ ! -e web/a.stl.glb ]
mv a.stl new/site/parts
works batch new/site/parts --out-dir web
mv new/site site
refused "say --root-id $id" site/parts --out-dir web
works batch site/parts --out-dir web --root-id "$id"
must "back again" [ "$(states)" = '1 ok 2 skipped' ]

# A name of its own, from the beginning or later.
works batch other/parts --out-dir web --root-id 'line 7'
must "a name for a known library" [ "$(states)" = '1 skipped' ]
mv other new/other
refused "whose folder is gone; .* --root-id 'line 7'$|--root-id line 7$" new/other/parts --out-dir web
same 1 new/other/parts --out-dir web --root-id 'line 7'
same 1 new/other/parts --out-dir web
mv new/other other
same 1 other/parts --out-dir web --root-id 'line 7' --prune
ends 2 "names one folder, and the inputs are in 2" batch site/parts other/parts --out-dir web --root-id two
ends 2 "root-id needs a name" batch site/parts --out-dir web --root-id ''

# Another library in the place of one that was moved: it is taken for the old one, whose outputs are its own now.
mv site/parts old
mkdir site/parts
part 7 >site/parts/a.stl
works batch site/parts --out-dir web
must "what is there is converted" [ "$(states)" = '1 ok' ]
"$cellpipe" convert -q site/parts/a.stl now.glb
must "as it is now" cmp now.glb web/a.stl.glb
must "the rest stays" [ -e web/sub/b.stl.glb ]
refused 'web/a.stl.glb, the output of old/a.stl, is that of /.*/site/parts/a.stl$' old --out-dir web
rm -r site/parts
mv old site/parts
works batch site/parts --out-dir web
must "back again, and what has not changed is up to date" [ "$(states)" = '1 ok 2 skipped' ]

# Where it is known to have moved, what is in its old place is another library.
id=$("$cellpipe" report web >/dev/null && batch site/parts --out-dir web --status named.jsonl >/dev/null && sed -n 's/.*"roots":\[{"id":"\([^"]*\)".*/\1/p' named.jsonl)
mv site/parts site/moved
works batch site/moved --out-dir web --root-id "$id"
mkdir -p site/parts/sub
part 10 >site/parts/a.stl
refused 'web/a.stl.glb, the output of site/parts/a.stl, is that of /.*/site/moved/a.stl$' site/parts --out-dir web
mv site/parts/a.stl site/parts/fresh.stl
before=$(outputs web | wc -l)
works batch site/parts --out-dir web --prune --max-prune=100%
must "it is added" [ "$(states)/$(outputs web | wc -l)" = "1 ok/$((before + 1))" ]
works batch site/parts --out-dir web --prune --max-prune=100% --root-id 'fresh one'
must "it has a name of its own, and prunes its own alone" [ "$(states)/$(outputs web | wc -l)" = "1 skipped/$((before + 1))" ]
same 3 site/moved --out-dir web --prune --max-prune=100%
same 3 site/moved --out-dir web --root-id "$id"
rm site/parts/fresh.stl
part 11 >site/parts/other.stl
works batch site/parts --out-dir web --prune --max-prune=100%
must "with its name, it prunes" [ "$(outputs web | wc -l)/$([ -e web/fresh.stl.glb ] || echo gone)" = "$((before + 1))/gone" ]
same 3 site/moved --out-dir web --prune --max-prune=100%
refused "root-id fresh one is the library in /.*/site/parts, and site/moved is known as $id$" \
    site/moved --out-dir web --root-id 'fresh one'
same 3 site/moved --out-dir web --prune

# Clocks decide nothing. A record from the future does not outlive the part that is mended, and one with a greater
# sequence from the past holds.
mkdir clock
cp bad.stl clock/x.stl
ends 1 '1 of 1 inputs failed' batch clock --out-dir timed --status timed.jsonl
root=$(sed -n 's/.*"roots":\[{"id":"\([^"]*\)".*/\1/p' timed.jsonl)
{
    sed -n 1p timed.jsonl
    sed -n '/"name"/s/"sequence":1,/"sequence":2,/; s/"time":[0-9]*,/"time":99999999999999,/p' timed.jsonl
} >timed/.cellpipe/journals/future-1-99999999999999.jsonl
ends 1 'as before' batch clock --out-dir timed
part 8 >clock/x.stl
works batch clock --out-dir timed
must "mended" [ "$(states)/$(known timed)" = '1 ok/ok clock/x.stl' ]
same 1 clock --out-dir timed
ends 0 '' "$cellpipe" report timed
cp bad.stl clock/x.stl
touch -d '2001-01-01' clock/x.stl
ends 1 'x.stl:' batch clock --out-dir timed
part 9 >clock/x.stl
works batch clock --out-dir timed
touch -d '2101-01-01' clock/x.stl
for i in 1 2; do
    works batch clock --out-dir timed
    must "a time in the future is compared by content" [ "$(states)" = '1 skipped' ]
done
touch -d '2001-01-01' clock/x.stl
works batch clock --out-dir timed
same 1 clock --out-dir timed
printf '{"root":"%s","name":"x.stl","out":"x.stl.glb","sequence":1,"state":"failed","message":"late","time":99999999999999}\n' "$root" |
    cat timed.jsonl - >timed/.cellpipe/journals/late-1-0.jsonl
same 1 clock --out-dir timed
printf '{"root":"%s","name":"x.stl","out":"x.stl.glb","sequence":99,"state":"failed","message":"newer","time":1}\n' "$root" |
    cat timed.jsonl - >timed/.cellpipe/journals/newer-1-0.jsonl
ends 1 '' "$cellpipe" report timed
must "the greater sequence holds, however old" [ "$(known timed)" = 'failed clock/x.stl' ]
works batch clock --out-dir timed
must "and is followed" [ "$(states)/$(known timed)" = '1 ok/ok clock/x.stl' ]

# Names of any bytes.
mkdir odd
byte=$(printf 'x\377\303')
part 1 >"odd/$byte.stl"
part 2 >'odd/a b"c\.stl'
part 3 >"odd/$(printf 'l\nf').stl"
mkdir "odd/$byte"
part 4 >"odd/$byte/-.stl"
part 5 >"odd/ä.stl"
works batch odd --out-dir odd_out
must "all are converted" [ "$(states)/$(find odd_out -name '*.glb' -printf x)" = '5 ok/xxxxx' ]
same 5 "$PWD/odd" --out-dir odd_out --prune
rm "odd/$byte.stl" "odd/$byte/-.stl"
works batch odd --out-dir odd_out --prune --max-prune=100%
must "and removed by name" [ "$(find odd_out -name '*.glb' -printf x)/$([ -e "odd_out/$byte" ] || echo gone)" = xxx/gone ]
mkdir -p "$byte/$byte"
part 6 >"$byte/$byte/p.stl"
works batch "$byte" --out-dir byte_out
same 1 "$PWD/$byte" --out-dir byte_out
(cd "$byte" && works batch "$byte" --out-dir ../byte_out)
mv "$byte" moved
ends 2 'whose folder is gone' batch moved --out-dir byte_out
id=$(sed -n 's/.* --root-id \([0-9a-f]*\)$/\1/p' stderr)
works batch moved --out-dir byte_out --root-id "$id"
must "moved, too" [ "$(states)" = '1 skipped' ]

# Files that are named themselves: their root is their folder, or the IN that has it. One file is one input.
works batch part.stl --out-dir alone
must "a library of one file" [ "$(states)/$(known alone)" = '1 ok/ok part.stl' ]
same 1 ./part.stl --out-dir alone
same 1 "$PWD/part.stl" --out-dir alone --prune
(cd site && same 1 ../part.stl --out-dir "$work/alone")
mkdir -p both/sub
part 1 >both/a.stl
part 2 >both/sub/b.stl
works batch both both/sub/b.stl both/a.stl --out-dir together
must "a file of a folder that is IN, too" [ "$(states)/$(folder together | sed 's/\.cellpipe[^ ]* //g')" = '2 ok/a.stl.glb sub sub/b.stl.glb ' ]
same 2 both --out-dir together --prune
same 2 both/a.stl both --out-dir together --prune
same 2 "$PWD/both/sub/b.stl" both --out-dir together
printf 'both/a.stl\n./both//a.stl\n%s/both/a.stl\nboth/sub/../a.stl\nboth/sub/b.stl\n' "$work" >list
works batch @list --out-dir listed
must "one file, spelt four times" [ "$(states)" = '2 ok' ]
same 2 @list --out-dir listed
printf 'both/a.stl\n' >list
same 1 @list --out-dir listed --prune
must "a list prunes nothing" [ -e listed/b.stl.glb ]
finish

#!/bin/sh
# test_outputs.sh PROGRAM: what batch writes is what convert writes, with all options of convert.
. "$(dirname "$0")/check.sh"
mkdir other
cp part.stl other/part.stl

works "$cellpipe" batch part.stl open.stl --out-dir out/deep --to wrl
must "named after the inputs" [ "$(cd out/deep && echo *)" = 'open.stl.wrl part.stl.wrl' ]
works "$cellpipe" batch part.stl --out-dir web ! weld
must "glb is the default" [ "$(cd web && echo *)" = 'part.stl.glb' ]
"$cellpipe" convert part.stl one.glb ! weld
must "as one by one" cmp web/part.stl.glb one.glb
works "$cellpipe" batch part.stl --out-dir packed --to wrl.gz
must "a suffix is kept" [ "$(cd packed && echo *)" = 'part.stl.wrl.gz' ]
must "and packed" gzip -t packed/part.stl.wrl.gz
works "$cellpipe" batch part.stl --out-dir packed2 --to .wrz
must "another" gzip -t -S .wrz packed2/part.stl.wrz
works "$cellpipe" batch part.stl --from stl --in unit=mm --out-dir unit --to stl --out format=ascii
"$cellpipe" convert part.stl --in unit=mm part_mm.stl --out format=ascii
must "options of input and output" [ "$(grep vertex part_mm.stl | cksum)" = "$(grep vertex unit/part.stl.stl | cksum)" ]

# Lists of pairs are no parts: a folder's are left out, one that is named is an input.
mkdir robot
cp part.stl robot
echo '<package/>' >robot/package.xml
echo '<CollisionSetup/>' >robot/pairs.xml
works "$cellpipe" batch robot --out-dir robots
must "left out, and told" grep -q 'passed over: 2 .xml' stdout
ends 1 'error: .*<package>' "$cellpipe" batch robot/package.xml --out-dir robots

# Cells of RobWork have suffixes of two parts; other .xml files are left out.
mkdir parted
cp "$top/tests/cases/rwxml/home.wc.xml" parted/a.WC.xml
cp "$top/tests/cases/rwxml/home.wc.xml" parted/wc.xml
works "$cellpipe" batch parted --out-dir two
must "a suffix of two parts" [ "$(cd two && echo *)" = 'a.WC.xml.glb' ]
must "the other is left out" grep -q 'passed over: 1 .xml' stdout
works "$cellpipe" batch parted --out-dir short --short-names
must "and is left out of the name" [ "$(cd short && echo *)" = 'a.glb' ]

# A failed input does not keep the others from being converted.
ends 1 'bad.stl:4:12: error' "$cellpipe" batch bad.stl part.stl missing.stl open.stl --out-dir some --to stl
must "the others" [ "$(cd some && echo *)" = 'open.stl.stl part.stl.stl' ]
must "counted" grep -q '2 of 4 inputs failed' stderr
must "in the status" [ "$(states)" = '2 failed 2 ok' ]

# One input's losses are not the next one's.
ends 1 '1 of 2 inputs failed' "$cellpipe" batch -q cell.wu part.stl --out-dir strict --to wrl --strict
"$cellpipe" report strict --csv >report.csv
must "told" grep -q '^"cell.wu","cell.wu.wrl",failed,"[^"]' report.csv
must "alone" [ "$(known strict)" = "$(printf 'failed cell.wu\nok part.stl')" ]
cp part.stl x.stl
works "$cellpipe" batch part.stl x.stl --out-dir fine --to dump --strict
works "$cellpipe" batch cell.wu --out-dir lossy --to stl
"$cellpipe" report lossy --json >report.json
must "losses are kept" [ "$(sed -n '/"losses": \[/,/\]/p' report.json | grep -c '"inputs": \["cell.wu"\]')" -gt 0 ]

# Parts of the same name in two worlds do not meet, however long the worlds' names are alike.
box=$(printf 'box_of_a_long_name%.0s' 1 2 3 4 5)
for size in 1 2; do printf '{ "Part"\nGeoID "#Box %s 1 1"\n}\n' $size >"$box$size.wu"; done
mkdir alone
works "$cellpipe" batch -q "${box}1.wu" "${box}2.wu" --out-dir inline --to wrl --out layout=inline
for size in 1 2; do
    url=$(sed -n 's/.*Inline { url "\(.*\)" }.*/\1/p' "inline/$box$size.wu.wrl")
    "$cellpipe" convert -q "$box$size.wu" "alone/$box$size.wu.wrl" --out layout=inline
    must "box$size has its own part" cmp -s "inline/$url" "alone/$url"
done

# A further file of one input that is one of another's: both have failed, in any order, and again in the next run.
cell() { # FIRST SECOND: a cell of two boxes
    printf '{ "%s"\nGeoID "#Box 1 1 1"\n}\n{ "%s"\nGeoID "#Box 1 1 1"\n}\n' "$1" "$2"
}
mkdir meet
cell first wu_c >meet/a.wu
cell first c >meet/a_wu.wu
cell first second >meet/b.wu
works "$cellpipe" batch -q meet/b.wu --out-dir apart --to stl --out split=yes
for jobs in 1 2; do
    for run in 1 2; do
        ends 1 'meet/a_wu.wu: error: a file of its output is one of another' "$cellpipe" batch -q meet --out-dir split$jobs \
            --to stl --out split=yes --jobs $jobs
        must "two have failed, in run $run with $jobs jobs" [ "$(grep -c 'error: a file' stderr)" = 2 ]
        must "counted" grep -q '2 of 3 inputs failed' stderr
        must "they leave nothing" [ "$(tree split$jobs)" = "$(tree apart)" ]
    done
done

# One that is met later has failed, too, whether it was converted in this run, checked or up to date, or is none of its
# inputs; the log of --status has the failures last.
meets() { # WORDS...: converts meet as before
    "$cellpipe" batch meet "$@" --out-dir later --progress none --to stl --out split=yes --status later.log
}
for before in '--force' '' touched; do
    rm -rf later later.log
    works "$cellpipe" batch -q meet/a.wu meet/b.wu --out-dir later --to stl --out split=yes
    [ "$before" != touched ] || touch meet/a.wu
    # shellcheck disable=SC2046 # a word or none
    ends 1 '2 of 3 inputs failed' meets $(echo "$before" | grep -e --force)
    must "counted (${before:-up to date})" [ "$(states)" = "2 failed 1 $([ "$before" = --force ] && echo ok || echo skipped)" ]
    must "they leave nothing (${before:-up to date})" [ "$(tree later)" = "$(tree apart)" ]
    must "all is known (${before:-up to date})" [ "$(known later)" = "$(known split1)" ]
    must "and logged (${before:-up to date})" [ "$("$cellpipe" report later.log --csv | grep -c ',failed,"sink-twice"')" = 2 ]
    ends 1 'as before' meets
    must "counted again" [ "$(states)" = '2 failed 1 skipped' ]
done
rm -rf later
works "$cellpipe" batch -q meet/a.wu --out-dir later --to stl --out split=yes
ends 1 '1 of 1 inputs failed' "$cellpipe" batch meet/a_wu.wu --out-dir later --to stl --out split=yes --progress none
must "it alone is counted: $(states)" [ "$(states)" = '1 failed' ]

# Names that would meet are found before anything is written.
ends 2 'part.stl' "$cellpipe" batch part.stl other/part.stl --out-dir none --to wrl
must "nothing was made" [ ! -e none ]
for words in '! weld tol=1' '--out profil=stage' '--from stl --in uint=mm' '! normals crease=181'; do
    # shellcheck disable=SC2086
    ends 2 'option of|must lie in' "$cellpipe" batch part.stl open.stl --out-dir none $words
    must "once: $words" [ "$(wc -l <stderr)" = 1 ]
done
must "still nothing" [ ! -e none ]

# Cells from strangers: files from outside their folder are not read unless asked.
mkdir cells
sed 's|"arm.dev"|"../arm.dev"|' cell.wu >cells/cell.wu
cp part.stl cells
ends 1 'outside|below' "$cellpipe" batch cells/cell.wu --out-dir out --to dump
works "$cellpipe" batch -q cells/cell.wu --out-dir out --to dump --confine=no

# The border of a library is the folder that the user has named.
mkdir -p lib/cells lib/parts
cp cells/* lib/cells
cp arm.dev part.stl lib
works "$cellpipe" batch -q lib --out-dir within --to dump --only '*.wu'
works "$cellpipe" batch -q lib/cells/cell.wu --root lib --out-dir rooted --to dump
ends 1 'outside|below' "$cellpipe" batch -q lib/cells --out-dir inner --to dump --only '*.wu'
# So it is for a manifest, which has the whole cell, and for shards of it.
works "$cellpipe" manifest -q lib
must "the manifest has the whole cell" grep -q '"name":"cells/cell.wu",.*"format":"tag","inputs":\[{"path":"lib/cells/../arm.dev"' stdout
cp stdout lib.jsonl
works "$cellpipe" batch -q --manifest lib.jsonl --shard 0/1 --out-dir sharded --to dump --only '*.wu'
must "as a run makes it" cmp -s sharded/cells/cell.wu.dump within/cells/cell.wu.dump
works "$cellpipe" manifest -q lib --whole-cells
must "its parts are no inputs then" [ "$(grep -c '"path"' stdout)" = 1 ]
ends 0 'warning: 1 of 2 files cannot be read' "$cellpipe" manifest lib/cells
rm lib/arm.dev
ln -s ../arm.dev lib/arm.dev
ends 1 'outside|below' "$cellpipe" batch -q lib --out-dir linked --to dump --only '*.wu'
mkdir 'lib=cells'
sed 's|"arm.dev"|"arm=/arm.dev"|' cell.wu >'lib=cells/cell.wu'
mkdir 'lib=cells/arm='
cp arm.dev part.stl 'lib=cells/arm='
works "$cellpipe" batch -q 'lib=cells' --out-dir named --to dump --only '*.wu'

# Progress: lines of JSON, or nothing; the result of a run on standard output.
for words in 'part.stl open.stl' 'part.stl open.stl cell.wu' 'part.stl open.stl lost.stl --force'; do
    # shellcheck disable=SC2086
    "$cellpipe" batch $words --out-dir shown --progress json >stdout 2>stderr
    total=$(sed -n 's/^inputs *//p' stdout)
    must "the last line is that of the end: $words" [ "$(grep '^{' stderr | tail -n 1 | sed 's/,"bytes_in.*,/,/')" = \
        "{\"done\":$total,\"total\":$total,\"skipped\":$(sed -n 's/^  skipped *//p' stdout | grep . || echo 0),\"failed\":$(sed -n 's/^  failed *//p' stdout | grep . || echo 0),\"ended\":true}" ]
    must "and of it alone" [ "$(grep -c '"ended":true' stderr)" = 1 ]
done
for key in $(grep '"ended"' stderr | head -n 1 | grep -o '"[a-z_]*"' | tr -d '"'); do
    must "the page has $key" grep -q "^| .*\`$key\`.* | \(number\|boolean\) |" "$top/docs/cli.md"
done
ends 0 '' "$cellpipe" batch part.stl open.stl --out-dir shown -q --force
must "quiet" [ ! -s stdout ]
finish

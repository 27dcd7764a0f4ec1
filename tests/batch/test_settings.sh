#!/bin/sh
# test_settings.sh PROGRAM: cellpipe.ini in folders of a library. The oracle of an output is the same file converted with the
# settings on the command line.
. "$(dirname "$0")/check.sh"

mkdir -p lib/gears/small lib/bought
printf '{ "Ball"\n  GeoID "#Sphere 1 24"\n}\n' >ball.wu
"$cellpipe" convert -q ball.wu ball.stl # many triangles, so that a ratio counts
for file in lib/a.stl lib/gears/g.stl lib/gears/small/g.stl lib/bought/b.stl; do
    cp ball.stl "$file"
done
cp "$top/samples/obj_plate.obj" lib/gears
printf '%s\n' '# what all have' '[*.stl]' 'unit=mm ; as usual' '' '[bought/*]' 'unit=in' '[gears/*.stl]' \
    'simplify ratio=0.5' 'out web=yes' >lib/cellpipe.ini

# with FILE: what a dry run of the words in $run says of its settings.
with() {
    # shellcheck disable=SC2086
    "$cellpipe" batch $run --dry-run 2>/dev/null | awk -v file="$1" '$2 == file { found = 1; next } found { if ($1 == "with") { sub(/^ *with /, ""); print } exit }'
}
# must_be FILE WORDS...: its output is as convert with these words makes it.
must_be() {
    file=$1
    shift
    mkdir -p own
    "$cellpipe" convert -q "lib/$file" own/one.glb "$@" 2>/dev/null
    must "$file is as: $*" cmp -s own/one.glb "web/$file.glb"
}

run='lib --out-dir web'
must "general" [ "$(with lib/a.stl)" = unit=mm ]
must "the later holds" [ "$(with lib/bought/b.stl)" = 'unit=mm; unit=in' ]
must "a filter" [ "$(with lib/gears/small/g.stl)" = 'unit=mm; simplify ratio=0.5; out web=yes' ]
must "none" [ -z "$(with lib/gears/obj_plate.obj)" ]
works "$cellpipe" batch lib --out-dir web ! weld
must "all: $(states)" [ "$(states)" = '5 ok' ]
must "it is told" grep -q '^settings   of 4 inputs, in 1 file cellpipe.ini$' stdout
must "it is no input" [ "$(grep -c 'passed over' stdout)" = 0 ]
must_be a.stl --in unit=mm ! weld
must_be bought/b.stl --in unit=in ! weld
must_be gears/g.stl --in unit=mm --out web=yes ! weld ! simplify ratio=0.5
must_be gears/obj_plate.obj ! weld
settle

# What changes converts what it is for, and that alone.
works "$cellpipe" batch lib --out-dir web ! weld
must "up to date: $(states)" [ "$(states)" = '5 skipped' ]
sed -i 's/ratio=0.5/ratio=0.25/' lib/cellpipe.ini
must "gears: $(plan lib --out-dir web ! weld | grep -c ^convert)" \
    [ "$(plan lib --out-dir web ! weld | grep ^convert | tr '\n' ' ')" = 'convert lib/gears/g.stl: options or version changed convert lib/gears/small/g.stl: options or version changed ' ]
works "$cellpipe" batch lib --out-dir web ! weld
must "2 of 5: $(states)" [ "$(states)" = '2 ok 3 skipped' ]
must_be gears/small/g.stl --in unit=mm --out web=yes ! weld ! simplify ratio=0.25
settle
printf '# another comment\n' | cat - lib/cellpipe.ini >new.ini && mv new.ini lib/cellpipe.ini
works "$cellpipe" batch lib --out-dir web ! weld
must "a comment changes nothing: $(states)" [ "$(states)" = '5 skipped' ]

# What one file's output is for concerns no other, although readers of exact surfaces get a part of its error.
cp lib/cellpipe.ini kept.ini
printf '[a.stl]\nout web=yes error=1mm\n' >>lib/cellpipe.ini
must "one" [ "$(plan lib --out-dir web ! weld | grep ^convert)" = 'convert lib/a.stl: options or version changed' ]
mv kept.ini lib/cellpipe.ini

# A nearer folder holds against a farther one, and both against the command line.
printf '[*]\nunit=cm\nsimplify ratio=0.75\n' >lib/gears/cellpipe.ini
printf '[small/*]\nunit=ft\n' >>lib/gears/cellpipe.ini
works "$cellpipe" batch lib --out-dir web --in stl.unit=m --in up=z ! weld ! simplify ratio=0.1 error=100%
must_be gears/g.stl --in unit=cm --in up=z --out web=yes ! weld ! simplify ratio=0.75 error=100%
must_be gears/small/g.stl --in unit=ft --in up=z --out web=yes ! weld ! simplify ratio=0.75 error=100%
must_be gears/obj_plate.obj --in unit=cm --in up=z ! weld ! simplify ratio=0.75 error=100%
must_be a.stl --in unit=mm --in up=z ! weld ! simplify ratio=0.1 error=100%
settle
rm lib/gears/cellpipe.ini
works "$cellpipe" batch lib --out-dir web --in stl.unit=m --in up=z ! weld ! simplify ratio=0.1 error=100%
must "what it was for: $(states)" [ "$(states)" = '3 ok 2 skipped' ]
settle
works "$cellpipe" batch lib --out-dir web --no-settings --in unit=mm
must_be bought/b.stl --in unit=mm
must "without settings nothing is told" [ "$(grep -c '^settings' stdout)" = 0 ]
settle
mv lib/cellpipe.ini kept.ini
works "$cellpipe" batch lib --out-dir web --in unit=mm
must "without the file as with --no-settings: $(states)" [ "$(states)" = '5 skipped' ]
mv kept.ini lib/cellpipe.ini

# Shards read the same files, and walk no folder: the manifest lists what is there.
"$cellpipe" manifest lib --shards 3 >parts.jsonl
works "$cellpipe" batch lib --out-dir web ! weld
for shard in 0 1 2; do
    works "$cellpipe" batch --manifest parts.jsonl --shard $shard/3 --out-dir shards -q ! weld
done
must "outputs of shards" diff -r -x .cellpipe web shards
works "$cellpipe" batch --manifest parts.jsonl --out-dir shards ! weld
must "up to date: $(states)" [ "$(states)" = '5 skipped' ]

# Files that are named: the settings of their own folder, or of that of --root and those below it.
run='lib/gears/g.stl --out-dir other'
must "its own folder has none" [ -z "$(with lib/gears/g.stl)" ]
run='lib/gears/g.stl --root lib --out-dir other'
must "those of --root" [ "$(with lib/gears/g.stl)" = 'unit=mm; simplify ratio=0.25; out web=yes' ]
run='lib/a.stl --out-dir other'
must "its own folder" [ "$(with lib/a.stl)" = unit=mm ]

# check and info of many files take what readers are told; of one file there are none.
"$cellpipe" info lib --json --progress none >all.json
must "units of info" [ "$(node -e '
    for (const one of JSON.parse(require("fs").readFileSync("all.json")).files) console.log(one.file, one.info.source.unit)' | tr '\n' ' ')" = \
    'lib/a.stl 0.001 lib/bought/b.stl 0.0254 lib/gears/g.stl 0.001 lib/gears/obj_plate.obj 1 lib/gears/small/g.stl 0.001 ' ]
"$cellpipe" info lib --no-settings --in unit=cm --json --progress none >all.json
must "without" [ "$(grep -c '"unit": 0.01,' all.json)" = 5 ]
"$cellpipe" info lib/a.stl --json >one.json
must "of one file" grep -q '"unit": 1,' one.json
must "it is told" sh -c '"$1" check lib solid --progress none | grep -q "^settings   of 4 inputs, in 1 file cellpipe.ini$"' - "$cellpipe"

# Faults: exit 2 with the place, and nothing is converted.
cp lib/cellpipe.ini kept.ini
rm -rf web
refused() { # EXPRESSION TEXT
    printf '%b' "$2" >lib/gears/cellpipe.ini
    ends 2 "$1" "$cellpipe" batch lib --out-dir web
    ends 2 "$1" "$cellpipe" batch lib --out-dir web --dry-run
}
at=lib/gears/cellpipe.ini
refused "$at:2:3: unknown option of a reader \"unti\"; did you mean unit" '[*]\n  unti=mm\n'
refused "$at:2:1: unit=furlong: needs m, mm" '[*]\nunit=furlong\n'
refused "$at:2:9: up=x: needs" '[*]\nunit=mm up=x\n'
refused "$at:1:1: there is no section before it" 'unit=mm\n'
refused "$at:1:1: a section is a pattern" '[*.stl\n'
refused "$at:1:1: a section is a pattern" '[*.stl] unit=mm\n'
refused "$at:1:1: the pattern is empty" '[]\n'
refused "$at:3:2: the pattern leads out" '[*]\n\n[../bought/*]\n'
refused "$at:1:2: the pattern leads out" '[/etc/*]\n'
refused "$at:2:1: unknown filter \"simplfy\"; did you mean simplify" '[*]\nsimplfy ratio=0.1\n'
refused "$at:2:10: unknown option of simplify \"ration\"; did you mean ratio" '[*]\nsimplify ration=0.1\n'
refused "$at:2:10: ratio=7: must lie in 0 .. 1" '[*]\nsimplify ratio=7\n'
refused "$at:2:5: unknown option of glb \"wbe\"" '[*]\nout wbe=yes\n'
refused "$at:2:1: \"out\" has options" '[*]\nout\n'
refused "$at:2:9: an option of a reader is NAME=VALUE" '[*]\nunit=mm strict\n'
refused "$at:1:4: is no text: a control character" '[*]\033\n'
refused "$at:1:3: is no text" '[*\000]\n'
refused "$at:1:1: the pattern has more than 1,024 bytes" "[$(printf '%01100d' 0)]\\n"
{ printf '[*]\n'; head -c 70000 /dev/zero | tr '\0' '#'; } >lib/gears/cellpipe.ini
ends 2 "$at:1:1: the file has more than 64 KiB" "$cellpipe" batch lib --out-dir web
yes '[*]' | head -n 1001 >lib/gears/cellpipe.ini
ends 2 "$at:1001:1: there are more than 1,000 sections" "$cellpipe" batch lib --out-dir web
ends 2 "$at:1001:1: there are more" "$cellpipe" check lib
must "nothing was written" [ ! -e web ]

# A stranger's library: no file, no environment, no other folder, no limit, no program.
for line in arg=a:=/etc/passwd env=yes outside=yes paths=/etc/passwd recording=/etc/passwd workcell=/etc/passwd prefix=x \
    urdf.env=yes deneb-device.outside=yes 'exclude samples=1000000000' 'program file=/etc/passwd' 'recording file=x' \
    'pose value=x' 'trace name=x'; do
    refused "$at:2:[0-9]*: a settings file may not" "[*]\\n$line\\n"
done
for line in '--limit memory=1TB' 'limit nodes=1' '--include /etc' '--out-dir /tmp' '--to stl' 'memory=1' 'package=/etc' 'out evidence=/etc/passwd'; do
    refused "$at:2:[0-9]*: unknown" "[*]\\n$line\\n"
done
printf '[*]\nout evidence=/etc/passwd\n' >lib/gears/cellpipe.ini
ends 2 "$at:2:5: a settings file may not set \"evidence\"" "$cellpipe" batch lib --out-dir web --to html
rm $at
ln -s /etc/passwd $at
ends 2 "$at: is a link, not a file; --no-settings" "$cellpipe" batch lib --out-dir web
must "no word of the other file" [ "$(grep -c root: stderr)" = 0 ]
rm $at
mkfifo $at
ends 2 "$at: is not a file" "$cellpipe" batch lib --out-dir web
rm $at
mkdir $at
ends 2 "$at: is not a file" "$cellpipe" batch lib --out-dir web
works "$cellpipe" batch lib --out-dir web --no-settings
rmdir $at
if [ "$(id -u)" != 0 ]; then
    cp kept.ini $at
    chmod 0 $at
    ends 2 "$at: Permission denied" "$cellpipe" batch lib --out-dir web
    rm -f $at
fi

# Patterns without a match are worth a warning, in a whole library alone.
printf '[*.dae]\nunit=mm\n[*.obj]\nunit=mm\n[small/x*]\n' >$at
ends 0 "^$at:1: warning: \[\*.dae\] matches no input$" "$cellpipe" batch lib --out-dir web --dry-run
must "each such one" [ "$(grep -c warning: stderr)" = 2 ]
ends 0 '' "$cellpipe" batch lib --out-dir web --dry-run --only '*.stl'
ends 0 '' "$cellpipe" batch --manifest parts.jsonl --shard 0/3 --out-dir shards --dry-run
rm $at

# What * and ? take, and what a pattern without a slash is for.
mkdir -p p/x/y
for name in p/ab.stl p/x/ab.stl p/x/y/ab.stl 'p/x/[ab].stl'; do cp part.stl "$name"; done
matches() { # EXPECTED PATTERN
    printf '[%s]\nunit=mm\n' "$2" >p/cellpipe.ini
    got=$("$cellpipe" batch p --out-dir q --dry-run 2>/dev/null | grep -B 1 '  with' | sed -n 's/^convert p\/\(.*\) -> .*/\1/p' | tr '\n' ' ')
    must "$2 matches $1, not $got" [ "$got" = "$1" ]
}
matches 'ab.stl x/ab.stl x/y/ab.stl ' 'ab.stl'
matches 'ab.stl x/ab.stl x/y/ab.stl ' '?b.stl'
matches 'x/[ab].stl x/ab.stl x/y/ab.stl ' 'x/*'
matches 'x/y/ab.stl ' 'x/?/*'
matches 'x/y/ab.stl ' '*/*/*.stl'
matches 'x/[ab].stl ' '[ab].stl'
matches '' 'AB.stl'
finish

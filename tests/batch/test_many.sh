#!/bin/sh
# test_many.sh PROGRAM: check and info of many files. The oracle of a file is the same command for that file alone.
. "$(dirname "$0")/check.sh"
library lib 6
cp open.stl lib/a
cp bad.stl lib/b
printf 'x' >lib/notes.txt
printf 'text\n' >lib/b/.hidden.stl

# check: a table of the files that fail, in the order of the inputs, whatever the jobs.
ends 1 '' "$cellpipe" check lib closed --jobs 1 --progress none
cp stdout one
must "three columns of the mesh" grep -q '^check-closed     lib/a/open.stl: mesh "open" is not closed: 3 border edges' one
must "place of the error" grep -q '^stl-syntax       lib/b/bad.stl:4:12: facet 1: expected a number, found "oops"$' one
must "the count" grep -q '^8 files: 6 ok, 2 not$' one
must "files of each code" grep -q '^  check-closed     1$' one
must "what was passed over" grep -q '^passed over: 1 .txt, 1 hidden$' one
must "nothing of the others" [ "$(wc -l <one)" = 6 ]
for jobs in 2 7; do
    ends 1 '' "$cellpipe" check lib closed --jobs $jobs --progress none
    must "the same with $jobs jobs" cmp -s one stdout
done
find lib -name '*.stl' ! -name '.*' | sort -r >list
ends 1 '' "$cellpipe" check @list closed --progress none
grep -v passed one | cmp -s - stdout
must "the same of a list" [ $? = 0 ]
ends 0 '' "$cellpipe" check closed lib --skip open.stl --skip 'b*' --progress none
must "without those" grep -q '^3 files: 3 ok, 0 not$' stdout
ends 0 '' "$cellpipe" check part.stl lib/a/p0.stl closed

# --json: of the same faults as each file's own.
ends 1 '' "$cellpipe" check lib closed --jobs 3 --json --progress none
cp stdout all.json
find lib -name '*.stl' ! -name '.*' | LC_ALL=C sort | while read -r file; do
    "$cellpipe" check closed "$file" --json >"own.$(echo "$file" | tr / _).json" 2>/dev/null
done
cat >compare.mjs <<'END'
import { readFileSync, readdirSync } from "node:fs"
const all = JSON.parse(readFileSync("all.json")), key = process.argv[2]
const own = readdirSync(".").filter(name => name.startsWith("own.")).map(name => JSON.parse(readFileSync(name)))
const expected = { faults: own.flatMap(one => one.faults), files: own.flatMap(one => one.files), ok: own.every(one => one.ok) }
const sorted = list => list.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file))
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
process.exit(same(all.faults, sorted(expected.faults)) && same(all.files, sorted(expected.files)) &&
    all.ok === expected.ok && own.length === 8 ? 0 : 1)
END
must "the objects of all files" node compare.mjs
rm own.*

# info: a line a file; with --json the object of each.
ends 1 '' "$cellpipe" info lib --jobs 2 --progress none
must "a row" grep -q '^stl  *1  *4  yes  *1000 x 1000 x 1000  *lib/a/p0.stl$' stdout
must "open" grep -q '^stl  *1  *3  no  *1000 x 1000 x 1000  *lib/a/open.stl$' stdout
must "a failure" grep -q '^stl-syntax       lib/b/bad.stl:4:12: ' stdout
must "the count" grep -q '^8 files: 7 read, 1 not$' stdout
must "in order" [ "$(sed -n 's/.*\(lib[^:]*stl\).*/\1/p' stdout)" = "$(find lib -name '*.stl' ! -name '.*' | LC_ALL=C sort)" ]
ends 1 '' "$cellpipe" info lib --jobs 2 --json --progress none
cp stdout all.json
for file in lib/a/p0.stl lib/a/open.stl; do
    "$cellpipe" info "$file" --json >own.json
    must "the object of $file" node -e '
        const { readFileSync } = require("fs"), [all, own] = ["all.json", "own.json"].map(name => JSON.parse(readFileSync(name)))
        const mine = all.files.find(one => one.file === process.argv[1])
        process.exit(JSON.stringify(mine.info) === JSON.stringify(own) && mine.ok && !all.ok && all.files.length === 8 ? 0 : 1)' $file
done
must "a fault" node -e '
    const bad = JSON.parse(require("fs").readFileSync("all.json")).files.find(one => !one.ok)
    process.exit(bad.file === "lib/b/bad.stl" && bad.fault.line === 4 && bad.fault.code === "stl-syntax" ? 0 : 1)'

# Sizes, and units that were mistaken: a cube of 4 units.
cat >size.mjs <<'END'
const text = require("fs").readFileSync("stdout"), fault = JSON.parse(text).faults[0]
console.log(fault ? `${fault.code} ${fault.size.join("x")}` : "none")
END
mv size.mjs size.cjs
cp "$top/samples/stl_faults.stl" cube.stl
size() {
    code=$1 expected=$2
    shift 2
    ends "$code" '' "$cellpipe" check cube.stl --json "$@"
    must "$expected, not $(node size.cjs): $*" [ "$(node size.cjs)" = "$expected" ]
}
size 0 none max-size=4m
size 1 'check-size 4x4x4' max-size=3.999m
size 0 none min-size=4m
size 1 'check-size 4x4x4' min-size=4.001m
size 0 none max-size=4mm --in unit=mm
size 1 'check-unit 4x4x4' min-size=1mm max-size=10mm
size 1 'check-size 4x4x4' min-size=0.001mm max-size=0.002mm
ends 1 '' "$cellpipe" check cube.stl min-size=3mm max-size=10mm
must "the unit that fits" grep -q 'may be 0.01 m at most; --in stl.unit=mm makes it 0.004 m$' stdout
"$cellpipe" convert -q part.stl cube.glb
ends 1 '' "$cellpipe" check cube.glb min-size=1mm max-size=10mm --json
must "a file that says its unit" [ "$(node size.cjs)" = 'check-size 1x1x1' ]
ends 2 'min-size is more than max-size' "$cellpipe" check cube.stl min-size=2m max-size=1m

# What is no file, and what its own limits stop, costs no other.
mkfifo fifo.stl
ln -s nowhere.stl dangling.stl
i=0
while [ $i -lt 40 ]; do
    printf '{ "Ball%s"\n  GeoID "#Sphere %s 2000"\n}\n' $i $((i + 1)) >>slow.wu
    i=$((i + 1))
done
balls='--limit primitive-triangles=1e7'
for form in '' --json; do
    # shellcheck disable=SC2086
    ends 1 '' "$cellpipe" check solid lib/a fifo.stl dangling.stl gone.stl slow.wu --jobs 2 --timeout 1 $form $balls --progress none
    for what in 'fifo.stl.*is a pipe' 'dangling.stl.*leads nowhere' 'gone.stl.*cannot be opened' 'slow.wu.*took longer than 1 s'; do
        must "$what $form" grep -q "$what" stdout
    done
done
# shellcheck disable=SC2086
"$cellpipe" check solid slow.wu lib/a --jobs 1 $balls --timeout 1000 --progress json >stdout 2>progress &
program=$!
wait_until grep -q '"done":4' progress
kill -ABRT "$(worker $program)"
wait $program
must "exit 1, not $?" [ $? = 1 ]
must "a crash" grep -q '^crashed          slow.wu: ended its worker by signal 6' stdout
must "of that file alone" grep -q '^5 files: 3 ok, 2 not$' stdout
printf '{ "Ball"\n  GeoID "#Sphere 1 2000"\n}\n' >ball.wu
grep -q __asan_init "$cellpipe" || { # sanitizers take memory without measure
    # shellcheck disable=SC2086
    ends 1 '' "$cellpipe" info ball.wu part.stl --memory 60MB $balls --progress none
    must "memory" grep -Eq '^(out-of-memory|[a-z-]*limit[a-z-]*|crashed) .*ball.wu' stdout
    must "the other" grep -q '2 files: 1 read, 1 not' stdout
}

# Interrupted: no half of an object.
# shellcheck disable=SC2086
# shellcheck disable=SC2086
"$cellpipe" check solid slow.wu lib/a --jobs 1 $balls --json --timeout 1000 --progress json >stdout 2>progress &
program=$!
wait_until grep -q '"done":4' progress
kill -TERM $program
wait $program
must "by the signal, not $?" [ $? = 143 ]
must "nothing" [ ! -s stdout ]

# Words that make no sense.
ends 2 'not also "clsoed"; did you mean closed' "$cellpipe" check clsoed part.stl
ends 2 'not also "foo"' "$cellpipe" check lib foo
ends 2 'list=pairs.xml is checked with one cell' "$cellpipe" check lib list=pairs.xml
ends 2 'lib is a folder: --dump is of one file' "$cellpipe" info lib --dump
ends 2 '\-\-dump is of one file' "$cellpipe" info part.stl open.stl --dump
ends 2 'standard input has no name' "$cellpipe" check - part.stl
mkdir empty
ends 2 'there are no inputs' "$cellpipe" info empty
ends 2 'report is of one file' "$cellpipe" check lib --report r.json
ends 2 "the output's is given as --out" "$cellpipe" check lib --in profile=web
ends 2 'unknown input format' "$cellpipe" check lib --from stll

# Of one file nothing has changed, and with a flag of many it is a table of one.
ends 0 '' "$cellpipe" check part.stl
must "one file" [ "$(cat stdout)" = 'part.stl: ok' ]
ends 0 '' "$cellpipe" check part.stl --jobs 1
must "a table of one" [ "$(cat stdout)" = '1 file: 1 ok, 0 not' ]

# Results that wait for others are shown in order.
mkdir many
i=0
while [ $i -lt 400 ]; do
    cp part.stl "many/p$i.stl"
    i=$((i + 1))
done
"$cellpipe" info many --only '*.stl' --jobs 3 --json --progress none >all.json
must "400 in order" node -e '
    const names = JSON.parse(require("fs").readFileSync("all.json")).files.map(one => one.file)
    process.exit(names.length === 400 && names.every((name, i) => i === 0 || names[i - 1] < name) ? 0 : 1)'
finish

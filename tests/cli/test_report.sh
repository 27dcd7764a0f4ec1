#!/bin/sh
# test_report.sh PROGRAM: what cellpipe report makes of journals, logs of --status and a manifest.
. "$(dirname "$0")/check.sh"
export LC_ALL=C
rm -f ./*
hash=0123456789abcdef0123456789abcde
line() { # NAME STATE SEQUENCE KEY MESSAGE MS [MORE]
    printf '{"root":"r","name":"%s","out":"%s.glb","sequence":%s,"key":"%s","state":"%s","time":%s,"message":"%s","ms":%s,"cpu_ms":1,"max_rss":1000000,"bytes_in":1000,"bytes_out":500,"triangles_in":12,"triangles_out":6,"host":"h","attempt":1%s}\n' \
        "$1" "$1" "$3" "$4" "$2" $((9999 - $6)) "$5" "$6" "${7-}"
}
begin() { # HOST MORE
    printf '{"run":"%s","process":1,"time":1,"roots":[{"id":"r","path":"'"$work"'/parts","given":"."}],%s}\n' "$1" "$2"
}
journals=web/.cellpipe/journals
mkdir -p $journals
{
    begin h '"passed_over":[{"what":".pdf","count":3},{"what":".txt","count":1}]'
    line a.stl ok 1 ${hash}1 '' 1 ',"code":"","losses":["a: b"],"outputs":[{"path":"a.stl.glb","size":500,"hash":"'${hash}'7"}]'
    line b.stl failed 1 ${hash}2 'line 3 is no number: \"x\"' 2 ',"code":"stl-number"'
    line c.stl failed 2 ${hash}3 'line 17 is no number: \"yy\"' 3 ',"code":"stl-number"'
    line d.stl timeout 1 '' 'took longer than 120 s' 2500
    printf '{"run":"h","isolation":"seccomp","ended":true,"up_to_date":0}\n'
} >$journals/h-1-0.jsonl
{
    begin k '"passed_over":[{"what":".pdf","count":2},{"what":".txt","count":4}]'
    line a.stl failed 1 ${hash}1 'ran twice' 5
    line e.stl crashed 1 '' 'signal 11' 4
    line f.stl ok 1 ${hash}4 '' 4 ',"outputs":[{"path":"f.stl.glb","size":500,"hash":"'${hash}'7"}]'
    printf '{"run":"k","isolation":"none"}\n'
    line c.stl ok 1 ${hash}0 '' 2
    printf '{"root":"r","name":"g.stl","sta'
} >$journals/k-2-1.jsonl
ends 1 '' "$cellpipe" report web
cat >expected <<'END'
inputs     6
  ok       2
  failed   2
  timeout  1
  crashed  1
failures   4 new since the last run, 0 mended, 0 as before
bytes      6000 bytes in, 3000 bytes out
triangles  72 in, 36 out
messages   1 file with losses, 0 with warnings
copies     1 outputs occur several times, byte for byte; once each would save 500 bytes
time       2.514 s of work, 0.006 s of processors; memory of a file at most 1000 kB
isolation  none
isolation  seccomp
torn       1 last lines without an end, left out
passed over: 4 .txt, 3 .pdf

slowest:
     2.500 s  d.stl
     0.004 s  e.stl
     0.004 s  f.stl
     0.003 s  c.stl
     0.002 s  b.stl
     0.001 s  a.stl

outputs equal byte for byte:
  2, once would save 500 bytes
    a.stl
    f.stl

losses:
  1: a: b
    a.stl

failures:
  2 failed: stl-number: line 3 is no number: "x"
    b.stl
    c.stl
  1 timeout: took longer than 120 s
    d.stl
  1 crashed: signal 11
    e.stl
END
must "the whole report" diff expected stdout
cp stdout text
ends 1 '' "$cellpipe" report $journals/k-2-1.jsonl $journals/h-1-0.jsonl
must "in any order of files" cmp -s stdout text
ends 1 '' "$cellpipe" report $journals/h-1-0.jsonl $journals/k-2-1.jsonl $journals/h-1-0.jsonl
must "once more changes nothing" [ "$(grep -v -e '^torn' stdout)" = "$(grep -v -e '^torn' text)" ]
mkdir -p renamed/.cellpipe/journals
cp $journals/h-1-0.jsonl renamed/.cellpipe/journals/z.jsonl
cp $journals/k-2-1.jsonl renamed/.cellpipe/journals
ends 1 '' "$cellpipe" report renamed
must "in any order of journals" cmp -s stdout text
must "a report changes nothing" [ "$(folder web)" = '.cellpipe .cellpipe/journals .cellpipe/journals/h-1-0.jsonl .cellpipe/journals/k-2-1.jsonl ' ]
ends 3 'has no records of a batch: name its output folder' "$cellpipe" report $journals
ends 2 'one output folder, or of files' "$cellpipe" report web renamed
ends 2 'one output folder, or of files' "$cellpipe" report $journals/h-1-0.jsonl web
for form in --json --csv; do
    "$cellpipe" report web $form >one
    "$cellpipe" report $form $journals/k-2-1.jsonl $journals/h-1-0.jsonl >two
    must "$form twice" cmp -s one two
done
must "a line each in CSV" [ "$("$cellpipe" report web --csv | tr -d '\r' | cut -d , -f 1,3 | tr '\n' ' ')" = \
    'in,state "a.stl",ok "b.stl",failed "c.stl",failed "d.stl",timeout "e.stl",crashed "f.stl",ok ' ]
must "quotes are doubled" grep -q '"line 3 is no number: ""x"""' one
if command -v jq >/dev/null; then
    "$cellpipe" report web --json >report.json
    must "JSON of states" [ "$(jq -c .states report.json)" = '{"ok":2,"skipped":0,"macros":0,"failed":2,"timeout":1,"memory":0,"crashed":1}' ]
    must "JSON of failures" [ "$(jq -c '[.failures[]|{state,count,inputs}]' report.json)" = \
        '[{"state":"failed","count":2,"inputs":["b.stl","c.stl"]},{"state":"timeout","count":1,"inputs":["d.stl"]},{"state":"crashed","count":1,"inputs":["e.stl"]}]' ]
    must "JSON of copies" [ "$(jq -c '.copies' report.json)" = '[{"spare_bytes":500,"inputs":["a.stl","f.stl"]}]' ]
    must "times stand apart" [ "$(jq -c '.time|keys' report.json)" = '["cpu_ms","max_rss","ms","slowest"]' ]
fi

# With a manifest, what has no record is missing, and what it does not have is left out.
for name in a b f x y; do printf '{"path":"%s.stl","name":"%s.stl","size":1,"hash":"","format":"stl","inputs":[]}\n' $name $name; done >m.jsonl
ends 1 '' "$cellpipe" report --manifest m.jsonl web
must "missing" grep -q '^  missing  2$' stdout
must "listed" [ "$(sed -n '/^missing:/,$p' stdout | tr -d '\n')" = 'missing:    x.stl    y.stl' ]
must "others" grep -q '^others     3 records of inputs that the manifest does not have$' stdout
"$cellpipe" report --manifest - web <m.jsonl | grep -q '^  missing  2$' || fail "a manifest on standard input"
grep -E '"path":"[af]' m.jsonl >good.jsonl
ends 0 '' "$cellpipe" report --manifest good.jsonl web
grep x.stl m.jsonl >x.jsonl
ends 1 '' "$cellpipe" report --manifest x.jsonl web

# Damage.
cp -r web damaged
sed -i '3s/.*/{"in":/' damaged/.cellpipe/journals/h-1-0.jsonl
ends 1 'damaged/.cellpipe/journals/h-1-0.jsonl:3: warning: is no record, and is left out$' "$cellpipe" report damaged
must "the others count" grep -q '^inputs     5$' stdout
head -c 150 m.jsonl >cut.jsonl
ends 3 'cut.jsonl:2: is cut short' "$cellpipe" report --manifest cut.jsonl web
printf '{"path":"a","name":"../a"}\n' >out.jsonl
ends 3 'out.jsonl:1: has a "name" that leads out of the output folder' "$cellpipe" report --manifest out.jsonl web
printf 'a.stl\n' >list
ends 3 'list:1: is no line of a manifest' "$cellpipe" report --manifest list web
ends 3 'none cannot be read: No such file' "$cellpipe" report none
ends 2 'report needs an output folder' "$cellpipe" report
ends 2 'exclude each other' "$cellpipe" report web --json --csv
mkdir empty
ends 3 'empty has no records of a batch: name its output folder' "$cellpipe" report empty
ends 3 'has no records' "$cellpipe" report empty --json
must "nothing is printed" [ ! -s stdout ]
: >empty/none.jsonl
ends 3 'has no records' "$cellpipe" report empty/none.jsonl
[ ! -e /dev/full ] || { "$cellpipe" report web >/dev/full 2>stderr; must "a full disk" [ $? = 4 ]; }

# Nothing that a file says reaches the terminal as a command.
line '\u001b[31m\u000aok' failed 1 '' '\u001b]0;title\u0007' 1 >evil.jsonl
printf '%s\n' '{"run":"h","roots":[{"id":"r","path":"/\u001b[3m","given":"\u001b[4m"}],"isolation":"\u001b[1m","passed_over":[{"what":"\u001b[2m","count":1}]}' >>evil.jsonl
"$cellpipe" report evil.jsonl >stdout
must "no escapes" [ "$(tr -d '\n -~' <stdout | wc -c)" = 0 ]
"$cellpipe" report --csv evil.jsonl >stdout
must "no escapes in CSV" [ "$(tr -d '\r\n -~' <stdout | wc -c)-$(wc -l <stdout)" = 0-2 ]

# Messages that differ by numbers, paths and quoted words are one reason; an input that says one twice is one input; of
# what most inputs say, no names, at the end.
{
    begin h '"passed_over":[]'
    line a.stl failed 1 '' 'no m.xml beside /lib/a, nor below: /x/y, /x/z' 1 ',"code":"find"'
    line b.stl failed 1 '' 'no m.xml beside ./b, nor below: /x' 1 ',"code":"find"'
    line c.stl failed 1 '' 'no m.xml beside or below: /x' 1 ',"code":"find"'
    i=0
    while [ $i -lt 30 ]; do
        line "p$i.stl" ok 1 $hash$((i % 10)) '' 1 ',"code":"","losses":["x: 3 lamps","x: 4 lamps"],"warnings":["all: say so"'"$([ $i -ge 28 ] || printf ',"most: in %s: mm?"' $i)"']'
        i=$((i + 1))
    done
} >groups.jsonl
must "the page has the columns" grep -qxF "    $("$cellpipe" report --csv groups.jsonl | head -n 1 | tr -d '\r')" "$top/docs/cli.md"
ends 1 '' "$cellpipe" report groups.jsonl
sed -n '/^losses/,$p' stdout >groups
must "as groups" diff groups - <<'END'
losses:
  30: x: 3 lamps

warnings:
  30: all: say so
  28: most: in 0: mm?

failures:
  2 failed: find: no m.xml beside /lib/a, nor below: /x/y, /x/z
    a.stl
    b.stl
  1 failed: find: no m.xml beside or below: /x
    c.stl
END
sed -i '/"p[0-9]*.stl"/s/"all: say so"/"all: say so","rare: 1"/; /"p[0-3].stl"/!s/,"rare: 1"//' groups.jsonl
ends 1 '' "$cellpipe" report groups.jsonl
must "first what few say" [ "$(sed -n '/^warnings/,/^$/p' stdout | tr -d '\n')" = \
    'warnings:  4: rare: 1    p0.stl    p1.stl    p2.stl    and 1 more (-v lists all)  30: all: say so  28: most: in 0: mm?' ]
ends 1 '' "$cellpipe" report -v groups.jsonl
must "all names with -v" [ "$(sed -n '/^warnings/,/^$/p' stdout | grep -c 'p[0-9]*.stl')" = 62 ]

# 100,000 records.
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{\"root\":\"r\",\"name\":\"parts/part_%06d.stl\",\"out\":\"parts/part_%06d.stl.glb\",\"sequence\":1,\"key\":\"%032x\",\"out_hash\":\"%032x\",\"state\":\"ok\",\"code\":\"\",\"message\":\"\",\"time\":1700000000000,\"ms\":3.5,\"cpu_ms\":2,\"max_rss\":9400320,\"bytes_in\":684,\"bytes_out\":1020,\"triangles_in\":12,\"triangles_out\":12,\"losses\":[],\"warnings\":[],\"host\":\"cell7\",\"attempt\":1,\"inputs\":[{\"path\":\"parts/part_%06d.stl\",\"size\":684,\"mtime_ns\":1700000000000000000,\"hash\":\"%032x\"}],\"outputs\":[{\"path\":\"parts/part_%06d.stl.glb\",\"size\":1020,\"mtime_ns\":1700000000000000000,\"hash\":\"%032x\"}]}\n", i, i, i, i, i, i, i, i }' >many.jsonl
ends 0 '' "$cellpipe" report many.jsonl
must "all of them" grep -q '^  ok       100000$' stdout
finish

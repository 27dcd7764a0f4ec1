#!/bin/sh
# test_incremental.sh PROGRAM: what batch does again, and what it does not.
. "$(dirname "$0")/check.sh"
mkdir lib
cp part.stl open.stl cell.wu arm.dev lib
runs() { settle && works "$cellpipe" batch --progress none --out-dir out lib "$@"; }
batch() { settle && ends "$1" "$2" "$cellpipe" batch lib --out-dir out --progress none ${3+"$3"} ${4+"$4"} ${5+"$5"}; }

# A first run converts everything, as convert does; a second one nothing.
must "all are new" [ "$(plan lib --out-dir out | sed 's/.*: //' | sort -u)" = new ]
must "a dry run makes nothing" [ ! -e out ]
runs
must "named after their inputs" [ "$(cd out && echo *)" = 'arm.dev.glb cell.wu.glb open.stl.glb part.stl.glb' ]
"$cellpipe" convert lib/part.stl one.glb
must "as convert writes it" cmp out/part.stl.glb one.glb
must "4 are done" [ "$(states)" = '4 ok' ]
first=$(tree out)
runs
must "then 4 are skipped" [ "$(states)" = '4 skipped' ]
must "up to date" [ "$(plan lib --out-dir out | sed 's/.*: //' | sort -u)" = 'up to date' ]
runs --force
must "--force does all" [ "$(states)" = '4 ok' ]
must "the same outputs" [ "$(tree out)" = "$first" ]

# Only its time has changed: it is compared, not converted, and known from then on.
touch lib/open.stl
must "touched" [ "$(plan lib --out-dir out | grep -v 'up to date')" = 'check lib/open.stl: touched' ]
before=$(stat -c %Y.%i out/open.stl.glb)
runs
must "is skipped" [ "$(states)" = '4 skipped' ]
must "its output is the same file" [ "$before" = "$(stat -c %Y.%i out/open.stl.glb)" ]
must "and up to date" [ -z "$(plan lib --out-dir out | grep -v 'up to date')" ]

# Its contents have changed; a file that a cell names has; one that it looked for is there now.
sed 's/vertex 1 0 0/vertex 2 0 0/' part.stl >lib/open.stl
must "a new size or content" [ "$(plan lib --out-dir out | grep -vc 'up to date')" = 1 ]
runs
must "converts it" [ "$(states)" = '1 ok 3 skipped' ]
printf '\n' >>lib/part.stl
must "a part, and what shows it" [ "$(plan lib --out-dir out | grep -c 'convert .*: lib/part.stl changed')" = 3 ]
runs
must "are converted" [ "$(states)" = '3 ok 1 skipped' ]
printf '{ "Late"\n  GeoID "late.stl"\n}\n' >lib/late.wu
runs
must "a cell without its model" [ "$(states)" = '1 ok 4 skipped' ]
cp part.stl lib/late.stl
must "is new when the model appears" [ "$(plan lib --out-dir out | grep late.wu)" = 'convert lib/late.wu: lib/late.stl appeared' ]
runs
must "and shows it" grep -q tetra out/late.wu.glb
rm lib/late.stl
must "and again when it is gone" [ "$(plan lib --out-dir out | grep late.wu)" = 'convert lib/late.wu: lib/late.stl is gone' ]
rm lib/late.wu out/late.*

# Same size, same time: --verify alone sees it.
sed 's/vertex 2 0 0/vertex 3 0 0/' lib/open.stl >changed.stl
touch -r lib/open.stl changed.stl
cp -p changed.stl lib/open.stl
must "not by size and time" [ "$(plan lib --out-dir out | grep open.stl)" = 'skip lib/open.stl: up to date' ]
runs --verify
must "by content" [ "$(states)" = '1 ok 3 skipped' ]

# Outputs are compared in the same way.
good=$(tree out)
spoil() { printf 'X' | dd of=out/open.stl.glb bs=1 seek=100 conv=notrunc 2>/dev/null; }
spoil
must "spoilt, of the right size" [ "$(plan lib --out-dir out | grep -v 'up to date')" = 'check lib/open.stl: touched' ]
runs
must "is converted" [ "$(states)/$(tree out)" = "1 ok 3 skipped/$good" ]
touch out/open.stl.glb
runs
must "not for its time" [ "$(states)" = '4 skipped' ]
must "which is known from then on" [ -z "$(plan lib --out-dir out | grep -v 'up to date')" ]
touch -r out/open.stl.glb time
spoil
touch -r time out/open.stl.glb
runs
must "with its old time, it stays" [ "$(states)" = '4 skipped' ]
runs --verify
must "but for --verify" [ "$(states)" = '1 ok 3 skipped' ]
rm out/part.stl.glb
must "a lost output" [ "$(plan lib --out-dir out | grep -v 'up to date')" = 'convert lib/part.stl: the output is not as it was written' ]
runs

# Options, filters and formats are part of an output's key. What changes no output is not.
must "an option" [ "$(plan lib --out-dir out --in stl.unit=mm | grep -c 'options or version changed')" = 4 ]
must "a filter" [ "$(plan lib --out-dir out ! weld | grep -c 'options or version changed')" = 4 ]
must "threads, --sync, --jobs" [ -z "$(plan lib --out-dir out --sync --threads 3 --jobs 3 --no-clobber | grep -v 'up to date')" ]
must "another format has other outputs" [ "$(plan lib --out-dir out --to stl | grep -c ': new')" = 4 ]
works "$cellpipe" batch lib --out-dir out --progress none ! weld
works "$cellpipe" batch lib --out-dir out --progress none
must "there and back" [ "$(states)" = '4 ok' ]

# Of the importers, those count that have read a file for the output: here assimp's place has one whose version changes.
planted=$(dirname "$cellpipe")/tests/cellpipe_planted
mkdir formats
cp part.stl bad.stl formats
echo 'planted scene' >formats/a.planted
echo 'neither' >formats/unknown.xyz
printf '{ "A"\n  GeoID "a.planted"\n}\n' >formats/names_it.wu
printf '{ "A"\n  GeoID "part.stl"\n}\n' >formats/names_another.wu
printf '{ "A"\n  GeoID "unknown.xyz"\n}\n' >formats/names_unknown.wu
settle
ends 1 '2 of 7 inputs failed' "$planted" batch formats formats/unknown.xyz --out-dir apart --progress none
must "all is known" [ "$(states)" = '2 failed 5 ok' ]
PLANTED_VERSION=2 "$planted" batch formats formats/unknown.xyz --out-dir apart --dry-run | grep version | cut -d ' ' -f 2 >again
must "another version" [ "$(tr '\n' ' ' <again)" = \
    'formats/a.planted formats/names_it.wu formats/names_unknown.wu formats/unknown.xyz ' ]

# A failed input is tried again when it changes, with other options, or on demand. It stays a failure until then.
cp bad.stl lib
batch 1 'lib/bad.stl:4:12: error'
must "the others are up to date" [ "$(states)" = '1 failed 4 skipped' ]
must "no output" [ ! -e out/bad.stl.glb ]
must "once" [ "$(plan lib --out-dir out | grep -v 'up to date')" = 'skip lib/bad.stl: failed before; --retry tries again' ]
batch 1 'lib/bad.stl: error: .* \(as before; --retry tries again\)'
must "still a failure" [ "$(states)" = '1 failed 4 skipped' ]
must "on demand" [ "$(plan lib --out-dir out --retry | grep -v 'up to date')" = 'convert lib/bad.stl: failed before' ]
touch lib/bad.stl
batch 1 'lib/bad.stl: error|lib/bad.stl:4:12: error'
must "not for its time" [ "$(states)" = '1 failed 4 skipped' ]
cp part.stl lib/bad.stl
runs
must "mended" [ "$(states)" = '1 ok 4 skipped' ]

# What fails for reasons outside is tried again by itself.
echo in the way >blocked
ends 4 'blocked' "$cellpipe" batch part.stl --out-dir blocked
mkdir -p full/part.stl.glb
ends 1 'part.stl.glb: error: is a folder' "$cellpipe" batch part.stl --out-dir full
rmdir full/part.stl.glb
works "$cellpipe" batch part.stl --out-dir full --progress none
must "when it works" [ "$(states)" = '1 ok' ]

# An output whose input is gone is told, and removed on demand if it is as it was written.
mkdir lib/deep
cp part.stl lib/deep/x.stl
cp part.stl lib/y.stl
runs
rm -r lib/deep lib/y.stl lib/bad.stl
batch 0 'out/deep/x.stl.glb: note: --prune would remove it, for its input is gone: .*/lib/deep/x.stl'
must "it stays" [ -e out/deep/x.stl.glb ]
printf 'mine' >>out/y.stl.glb
batch 0 'out/y.stl.glb: warning: is not as it was written, and stays' --prune --max-prune=100%
must "the folder is gone, too" [ ! -e out/deep ]
must "what somebody changed is not" [ -e out/y.stl.glb ]
must "nor what has its input" [ -e out/part.stl.glb ]
rm out/y.stl.glb
works "$cellpipe" batch lib --out-dir out --progress none --force --status log.jsonl
batch 0 ''

# A journal of a killed run: its whole records count, its torn last line is none, and it is gone when all is known.
journal=out/.cellpipe/journals/killed-1-0.jsonl
must "no journal stays" [ -z "$(ls out/.cellpipe/journals)" ]
root=$(sed -n 's/.*"roots":\[{"id":"\([^"]*\)".*/\1/p' log.jsonl)
sed -n '1p; /"name":"part.stl"/p' log.jsonl | sed 's/"sequence":[0-9]*/"sequence":1000/; s/"hash":"...../"hash":"00000/g' >$journal
printf '{"root":"%s","name":"open.stl","out":"open.stl.glb","sequence":1000,"state":"fai' "$root" >>$journal
must "its record counts" [ "$(plan lib --out-dir out | grep -v 'up to date')" = 'convert lib/part.stl: options or version changed' ]
must "a dry run leaves it" [ "$(wc -l <$journal)" = 2 ]
runs
must "then all is known" [ -z "$(ls out/.cellpipe/journals)" ]
must "the torn line is left out" [ -z "$(plan lib --out-dir out | grep -v 'up to date')" ]

# The same of a log: the next run ends the line, so that it stays a line of its own.
printf '{"root":"%s","name":"part.stl","out":"part.stl.glb","state":"fai' "$root" >>log.jsonl
works "$cellpipe" batch lib --out-dir out --progress none --status log.jsonl
must "and stays a line of its own" [ "$(grep -c '"state":"fai$' log.jsonl)/$(tail -n 1 log.jsonl | grep -c '"ended":true,"up_to_date":4')" = 1/1 ]
ends 0 'log.jsonl:[0-9]*: warning: is no record' "$cellpipe" report log.jsonl

works "$cellpipe" batch part.stl open.stl --out-dir stated --status one.jsonl
works "$cellpipe" batch part.stl open.stl --out-dir stated --status one.jsonl
must "a summary is of its own run" [ "$(sed -n 's/^  \([a-z]*\) *\([0-9]*\)$/\2 \1/p' stdout)" = '2 skipped' ]

# An input that is refused as before has one record, also in logs.
ln -s nowhere lost.stl
for i in 1 2; do
    ends 1 'lost.stl: error: ' "$cellpipe" batch lost.stl --out-dir refused --status refused.jsonl
done
must "its record stays" [ "$(grep '"state"' refused.jsonl | uniq | wc -l)" = 1 ]
must "and is told twice" [ "$(grep -c '"sequence":1,.*"state":"failed"' refused.jsonl)" = 2 ]

# What a lost host has left is removed after a day, though all is up to date.
touch -d '25 hours ago' out/.cellpipe-elsewhere-1-0123456789abcdef
touch out/.cellpipe-elsewhere-1-fedcba9876543210
runs
must "after a day" [ "$(echo out/.cellpipe-*)" = out/.cellpipe-elsewhere-1-fedcba9876543210 ]
rm out/.cellpipe-elsewhere-*

# A run that changes nothing writes no record, and the state does not grow with the number of runs.
works "$cellpipe" batch lib --out-dir out -q
size=$(stat -c %s out/.cellpipe/state.db)
i=0
while [ $i -lt 20 ]; do
    works "$cellpipe" batch lib --out-dir out -q --status many.jsonl
    i=$((i + 1))
done
must "nothing is left of them" [ "$(folder out/.cellpipe)" = 'journals lock state.db ' ]
must "nor do they add to it" [ "$(stat -c %s out/.cellpipe/state.db)" -le $((size + 4096)) ]
must "a log has a record each" [ "$(grep -c '"state":"skipped"' many.jsonl)" = 80 ]
must "all is up to date" [ -z "$(plan lib --out-dir out | grep -v 'up to date')" ]

# A journal of another host stays until its run says that it has ended, since nobody here knows whether it goes on. What
# it has said counts.
journal=out/.cellpipe/journals/elsewhere-1-0.jsonl
begin='{"run":"elsewhere","boot":"another","namespace":"pid:[1]","process":1,"time":1}'
record='{"root":"'$root'","name":"part.stl","out":"part.stl.glb","sequence":2000,"state":"failed","message":"there"}'
printf '%s\n%s\n' "$begin" "$record" >$journal
runs
must "what it says counts" [ "$(states)" = '1 ok 3 skipped' ]
must "it stays" [ "$(ls out/.cellpipe/journals)" = elsewhere-1-0.jsonl ]
runs
must "and is not taken again" [ "$(states)" = '4 skipped' ]
touch -d '25 hours ago' $journal
runs
must "after a day of silence it goes" [ -z "$(ls out/.cellpipe/journals)" ]
printf '%s\n%s\n{"run":"elsewhere","ended":true,"up_to_date":0}\n' "$begin" "$(echo "$record" | sed 's/2000/3000/')" >$journal
runs
must "or when its run has ended" [ "$(ls out/.cellpipe/journals)/$(states)" = '/1 ok 3 skipped' ]

# An option that some format lacks: how to say it for one format.
mkdir mixed
cp part.stl mixed
printf '{ "A"\n  GeoID "#Box 1 1 1"\n}\n' >mixed/cell.wu
ends 1 '1 of 2 inputs failed; --in unit=mm is for every input, --in stl.unit=mm for those of stl alone$' \
    "$cellpipe" batch mixed --out-dir mixed_out --in unit=mm
ends 0 '' "$cellpipe" batch mixed --out-dir mixed_out --in stl.unit=mm -q

# Requests that make no sense.
ends 2 'batch needs a folder for its outputs: cellpipe batch IN... --out-dir DIR' "$cellpipe" batch lib
ends 2 'unknown output format "glv"' "$cellpipe" batch lib --out-dir none --to glv
ends 2 'unknown filter "wled"; did you mean weld' "$cellpipe" batch lib --out-dir none ! wled
ends 2 'memory 12XB: needs a size such as 200000, 500kB' "$cellpipe" batch lib --out-dir none --memory 12XB
ends 2 'progress often: needs auto\|json\|none' "$cellpipe" batch lib --out-dir none --progress often
ends 2 'batch keeps records rather than a --report' "$cellpipe" batch lib --out-dir none --report none.json
must "no outputs are made" [ ! -e none ]
must "no report is made" [ ! -e none.json ]
ends 2 'for many: cellpipe batch IN... --out-dir DIR' "$cellpipe" convert part.stl --out-dir web
ends 2 'for several inputs: cellpipe batch IN... --out-dir DIR' "$cellpipe" convert part.stl open.stl cell.wu
# All kinds of inputs are settled by one run, good or bad: no record contradicts itself or cannot be read back, such as
# that of a part at 1e200 m, or of a texture that is found by another spelling of its name.
mkdir backslash
sed 's|\.\./images/beside.png|.\\beside.png|' "$top/tests/cases/collada/beside.dae" >backslash/a.dae
cp "$top/tests/cases/collada/beside.png" backslash
settle
works "$cellpipe" batch backslash --out-dir turned
must "is another way to say it" grep -q 'there is no file ".\\beside.png"; "./beside.png" beside it is read' stdout
must "a name of another system" [ "$(plan backslash --out-dir turned)" = 'skip backslash/a.dae: up to date' ]
"$cellpipe" batch "$top/tests/cases" --skip 'bomb*' --out-dir all --progress none >stdout 2>stderr
must "of all the cases many are good" [ "$(sed -n 's/^  ok *//p' stdout)" -gt 500 ]
must "and each has a record" [ "$(grep -c 'is no record' stderr)" = 0 ]
must "that settles it" [ -z "$(plan "$top/tests/cases" --skip 'bomb*' --out-dir all | grep -v -E '^(skip|pass) ')" ]
# Fifty nights in which nothing changes leave nothing behind.
kept_bytes() { find out/.cellpipe -type f -exec cat {} + | wc -c; }
runs
before=$(kept_bytes)
night=0
while [ $night -lt 50 ]; do
    night=$((night + 1))
    "$cellpipe" batch --progress none --out-dir out lib -q >/dev/null 2>&1
done
must "the state does not grow: $before $(kept_bytes)" [ "$before" = "$(kept_bytes)" ]
must "and no journal stays" [ -z "$(ls out/.cellpipe/journals)" ]
finish

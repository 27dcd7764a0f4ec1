#!/bin/sh
# test_damaged_cad.sh PROGRAM: damaged STEP, IGES and BREP (tools/mutate_cad.c). None ends its worker or stops the others;
# each has one record, with an output or the reason why there is none. 40 copies of our own files; with CELLPIPE_LONG
# 2,000, of the small files of ../shared/corpus/step, too. The last line counts the outcomes.
. "$(dirname "$0")/check.sh"
mutate=$(dirname "$cellpipe")/tests/mutate
[ -x "$mutate" ] || fail "$mutate is not built"
"$cellpipe" help step | grep -q deflection || { echo "skipped: damaged CAD files need a build with Open CASCADE" && exit 77; }

# Undamaged ones, which Open CASCADE has made of the sample.
for file in "$top"/tests/damaged/clamp*; do
    ends 0 '' "$cellpipe" info "$file"
    must "the same solids: $file" grep -q '^size *60 x 40 x 40 mm, area 899[0-9.]* mm2, volume 28[67][0-9.]* mm3' stdout
done

printf '%s\n' "$top"/samples/step_*.step "$top"/tests/cases/step/operator.step "$top"/tests/cases/step/missing_face.step \
    "$top"/tests/damaged/clamp* >files
wanted=40
if [ -n "${CELLPIPE_LONG-}" ]; then
    wanted=2000
    find "$top/../shared/corpus/step" -maxdepth 1 -type f -size -100k ! -name '*.md' 2>/dev/null | LC_ALL=C sort >>files
fi
each=$(((wanted + $(wc -l <files) - 1) / $(wc -l <files)))
mkdir lib
seed=0
while read -r file; do
    seed=$((seed + 1))
    mkdir "lib/$seed"
    "$mutate" $seed "$each" "$file" "lib/$seed" || fail "no damaged copies of $file"
done <files
# The corpus does not divide evenly: as many as are wanted are left.
find lib -type f | LC_ALL=C sort -t / -k 3,3n -k 2,2n | tail -n "+$((wanted + 1))" | xargs rm -f
must "as many as are wanted" [ "$(find lib -type f | wc -l)" = $wanted ]

"$cellpipe" batch lib --out-dir out --jobs 2 --limit reader-seconds=10 --progress none \
    --status log >summary 2>messages
must "some failed, and nothing else is wrong" [ $? = 1 ]
grep '"state"' log >records
sed 's/^{"root":"[^"]*","name":"\([^"]*\)".*/lib\/\1/' records | LC_ALL=C sort >recorded
find lib -type f | LC_ALL=C sort | diff - recorded >differences
must "one record each: $(head -n 3 differences)" [ ! -s differences ]
sed 's/^.*"name":"\([^"]*\)".*"state":"\([a-z]*\)".*/\2 lib\/\1/' records | LC_ALL=C sort >recorded
known out | LC_ALL=C sort | diff - recorded >differences
must "which are known: $(head -n 3 differences)" [ ! -s differences ]
grep -v '"state":"ok"' records >failures
must "each failure has a code and a reason" [ -z "$(grep -v '"code":"[a-z]*-[a-z-]*","message":"[^"]' failures)" ]
must "no worker ended: $(grep -m 1 'ended its worker' messages)" [ "$(grep -c 'ended its worker' messages)" = 0 ]
must "all failures are the file's own: $(sed 's/.*"code":"\([^"]*\)".*/\1/' failures | sort | uniq -c | tr '\n' ';')" \
    [ -z "$(grep -v -E '"code":"(step-[a-z]*|read-empty|read-crashed|read-timeout|read-killed|read-memory)"' failures)" ]
grep '"state":"ok"' records | sed 's/.*"out":"\([^"]*\)".*/out\/\1/' | LC_ALL=C sort >promised
find out -name '*.glb' -size +0 | LC_ALL=C sort | diff - promised >differences
must "an output for each that is well, and for no other: $(head -n 3 differences)" [ ! -s differences ]
must "some are well, and some are not" [ "$(wc -l <promised)" -gt $((wanted / 8)) ] && [ -s failures ]
sed -n 's/.*"state":"ok".*"losses":\[\],"warnings":\[\].*/ok/p; t
    s/.*"state":"ok".*/ok, with a loss or warning/p; t
    s/.*"code":"\([^"]*\)".*/\1/p' records | sort | uniq -c | awk '{ $1 = $1; printf "%s%s", separator, $0; separator = "; " }'
echo
finish

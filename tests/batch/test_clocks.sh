#!/bin/sh
# test_clocks.sh PROGRAM: clocks that are ahead or behind by years, that jump between runs and within one. Each change is
# seen, nothing is converted again and again, and the newest record of an output holds.
. "$(dirname "$0")/check.sh"
if ! faketime -f +1y true 2>/dev/null; then
    echo "skipped: test_clocks: faketime"
    exit 77
fi
# The clock of the program is another one than that of the files, whose times are as they are.
export NO_FAKE_STAT=1 FAKETIME_DONT_FAKE_MONOTONIC=1
# at TIME WORDS...: a run by that clock.
at() {
    clock=$1
    shift
    settle
    ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" faketime -f "$clock" "$cellpipe" batch lib --out-dir out \
        --progress none "$@" >"$work/stdout" 2>"$work/stderr"
    code=$?
}
# says STATES WHAT: the last run ended with these.
says() { must "$2: $(states), not $1" [ "$(states)" = "$1" ]; }
mkdir lib
cp part.stl bad.stl lib
must "the clock is another one" [ "$(faketime -f +20y date +%Y)" -gt "$(($(date +%Y) + 15))" ]

# A part fails by a clock that is far ahead, and is mended by one that is right, or far behind; and so on.
number=0
for clock in +20y +0 -20y +20y -20y +0 +9y; do
    cp bad.stl lib/bad.stl
    at $clock
    says "1 failed 1 $([ $number = 0 ] && echo ok || echo skipped)" "broken by $clock"
    at $clock
    says '1 failed 1 skipped' "as before by $clock"
    must "and told so" grep -q 'as before' stderr
    for mending in -20y +0 +20y; do
        number=$((number + 1))
        sed "s/vertex 1 0 0/vertex $number 1 0/" part.stl >lib/bad.stl
        at $mending
        says '1 ok 1 skipped' "mended by $mending after $clock"
        must "it is the new part" sh -c "'$cellpipe' convert -q lib/bad.stl now.glb && cmp now.glb out/bad.stl.glb"
        for again in +20y -20y +0; do
            at $again
            says '2 skipped' "once by $again, mended by $mending after $clock"
        done
        must "known as mended" [ "$(known out)" = 'ok lib/bad.stl
ok lib/part.stl' ]
    done
done

# Within a run the clock runs a million times as fast, or jumps back.
for clock in '+0 x1000000' '-20y x1000000' '+20y i-3600'; do
    number=$((number + 1))
    sed "s/vertex 1 0 0/vertex $number 1 0/" part.stl >lib/bad.stl
    at "$clock" --force
    says '2 ok' "by $clock"
    at "$clock"
    says '2 skipped' "once by $clock"
    at +0
    says '2 skipped' "and by a right clock after $clock"
done

# Files of the future, and of the epoch: a change that keeps size and time is seen if it comes after the run by the clock
# of the files, which is not that of the run.
for time in '+1 hour' '+30 years'; do
    for clock in +0 +20y +40y -20y; do
        number=$((number + 1))
        stamp=$(date -d "$time" '+%Y-%m-%d %H:%M:%S.123456789')
        sed "s/vertex 1 0 0/vertex 1 $((number % 9)) 0/" part.stl >lib/bad.stl
        touch -d "$stamp" lib/bad.stl
        at $clock
        sed "s/vertex 1 0 0/vertex 1 $(((number + 1) % 9)) 0/" part.stl >lib/bad.stl
        touch -d "$stamp" lib/bad.stl
        at $clock
        says '1 ok 1 skipped' "a change behind the time $time, by $clock"
        at $clock
        says '2 skipped' "and then it is known, by $clock"
    done
done
touch -d '1970-01-01 00:00:00 UTC' lib/bad.stl
at +20y
at +20y
says '2 skipped' "a file of the epoch"

# A shard by a clock that is ahead, a mended part by one that is behind, and their journals in any order.
cp bad.stl lib/bad.stl
at +20y --shard 0/1
says '1 failed 1 skipped' "a shard far ahead"
works "$cellpipe" merge out
sed "s/vertex 1 0 0/vertex 77 1 0/" part.stl >lib/bad.stl
at -20y --shard 0/1
says '1 ok 1 skipped' "a shard far behind"
works "$cellpipe" merge out
must "the later one holds" [ "$(known out | grep -c '^ok')" = 2 ]
at +0
says '2 skipped' "and is up to date"

# A clock that is ahead takes no temporary from a writer on another host.
: >out/.cellpipe-elsewhere-1234-0123456789abcdef
at +20y
must "a temporary of another host stays: $(ls -A out)" [ -e out/.cellpipe-elsewhere-1234-0123456789abcdef ]
touch -d '2 days ago' out/.cellpipe-elsewhere-1234-0123456789abcdef
at +0
must "and goes when it is old" [ ! -e out/.cellpipe-elsewhere-1234-0123456789abcdef ]
finish

#!/bin/sh
# test_isolate.sh PROGRAM: third-party readers in processes of their own. What assimp reads there is what it reads in this
# process, byte for byte, messages too. However such a process ends, the program goes on and says it. Damaged copies of
# the files that assimp reads (150, with CELLPIPE_LONG twelve thousand) never end or hang the program.
. "$(dirname "$0")/check.sh"
planted=$(dirname "$cellpipe")/tests/cellpipe_planted
mutate=$(dirname "$cellpipe")/tests/mutate
shared=$top/../shared

# ---- the same either way ----

# The same files, messages and exit code; or the program dies without, and with tells how assimp did. (Leaks of assimp's, and
# what a sanitizer says of the death, are not what bootstrap looks for.)
read_either_way() { # FILE
    for way in yes no; do
        mkdir -p $way
        rm -f $way/*
        (cd $way && ASAN_OPTIONS=detect_leaks=0 "$cellpipe" convert -v --isolate=$way "$1" out.glb --out profile=stage --report report.json >said 2>&1
            echo $? >code) 2>/dev/null
    done
    if [ "$(cat no/code)" -ge 128 ] || grep -q 'ERROR: AddressSanitizer' no/said; then
        grep -q -E 'error: assimp (crashed|ended its process)' yes/said && [ "$(cat yes/code)" = 3 ]
    else
        diff -r yes no >differences
    fi
}

files=$(find "$top/samples" "$top/tests/cases/assimp" "$shared" -type f -size -4M 2>/dev/null |
    grep -iE '\.(obj|3ds|ac|dae|3mf|blend|x3d|fbx|ase)$' | LC_ALL=C sort)
for file in $files; do
    must "the same with and without: $file $(head -n 3 differences 2>/dev/null)" read_either_way "$file"
done
must "some files" [ "$(echo "$files" | wc -l)" -gt 30 ]

# Standard input, packed files, cells whose models assimp reads.
part=$(echo "$files" | grep -m 1 'samples/.*obj$')
must "standard input" sh -c '"$0" info - <"$1" >a 2>&1; "$0" info --isolate=no - <"$1" >b 2>&1; cmp a b' "$cellpipe" "$part"
gzip -c "$part" >packed.obj.gz
must "a packed file" read_either_way "$work/packed.obj.gz"
find "$shared/corpus" -name '*.wu' 2>/dev/null | LC_ALL=C sort | head -n 4 >cells
while read -r cell; do
    must "a cell: $cell" read_either_way "$cell"
done <cells

# ---- however it ends ----

[ -x "$planted" ] || fail "$planted is not built"
for deed in scene crash abort words loop memory nonsense; do echo "planted $deed" >$deed.planted; done
ends 0 'scene.planted:1:9: warning: a warning' "$planted" convert scene.planted out.glb
must "an output" [ -s out.glb ]
rm -f out.glb
ends 3 '^crash.planted: error: planted crashed \(signal 11, Segmentation fault\) while it read the file$' \
    "$planted" convert crash.planted out.glb
ends 3 '^abort.planted: error: planted crashed \(signal 6, Aborted\)' "$planted" info abort.planted
ends 3 'its last words: the \?\[31mlast words\? of many$' "$planted" info words.planted
must "nothing else of what it printed" [ "$(wc -l <stderr)" = 1 ]
ends 3 'planted sent a damaged answer' "$planted" convert nonsense.planted out.glb
ends 6 '^loop.planted: error: planted took longer than 1 s' "$planted" convert loop.planted out.glb --limit reader-seconds=1
ends 2 'isolate=perhaps: needs yes or no' "$planted" info scene.planted --isolate=perhaps
must "no outputs" [ ! -e out.glb ]
"$planted" convert --isolate=no abort.planted out.glb 2>/dev/null
must "in this process the program dies" [ $? -ge 128 ]

# shellcheck disable=SC2317 # wait_until calls it
is_over() { # PROCESS: it is gone, or waits for somebody to ask how it ended
    ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"
}

# A signal ends both processes, and a program that is killed takes its reader with it.
for signal in 'TERM 143' 'KILL 137'; do
    # shellcheck disable=SC2086
    set -- $signal
    "$planted" convert loop.planted out.glb >said 2>&1 &
    program=$!
    tries=0
    until reader=$(pgrep -P "$program") || [ $tries = 300 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    sleep 0.1
    kill -"$1" "$program"
    wait "$program" 2>/dev/null
    must "ends by SIG$1" [ $? = "$2" ]
    must "without a word" [ ! -s said ]
    must "there was a reader" [ -n "$reader" ]
    wait_until is_over "$reader"
    must "it is gone after SIG$1" is_over "$reader"
done

# ---- damaged files ----

[ -x "$mutate" ] || fail "$mutate is not built"
copies=30 seeds=$(echo "$files" | grep samples/)
if [ -n "${CELLPIPE_LONG-}" ]; then
    models=/usr/share/assimp/models # with formats that nothing else here has
    [ -d $models ] || echo "skipped: damaged copies of assimp's own files need the package assimp-testmodels"
    seeds="$files
$(find $models -type f 2>/dev/null | grep -viE '\.(png|jpg|tga|bmp|txt|bin|mtl|glsl|gltf|glb|stl|xml)$' | LC_ALL=C sort)"
fi
tried=0
seed=0
while read -r file; do
    [ -f "$file" ] && [ "$(wc -c <"$file")" -lt 300000 ] || continue
    seed=$((seed + 1))
    rm -rf damaged
    mkdir damaged
    "$mutate" $seed $copies "$file" damaged || fail "no damaged copies of $file"
    for damaged in damaged/*; do
        tried=$((tried + 1))
        for command in 'convert -q' 'info -q'; do
            out=
            [ "$command" = 'info -q' ] || out=out.glb
            # shellcheck disable=SC2086
            timeout 60 "$cellpipe" $command --limit reader-seconds=5 --limit reader-memory=1000000000 "$damaged" $out \
                >/dev/null 2>stderr
            code=$?
            case $code in
            0 | 3 | 6) ;;
            *) fail "$command of copy ${damaged##*/} of $file (mutate $seed): exit $code" ;;
            esac
            grep -o -E 'crashed \(signal [0-9]+|took longer|needed more than|damaged answer|damaged scene' stderr >>deaths
        done
    done
done <<END
$seeds
END
echo "$tried damaged files; readers' ends: $(LC_ALL=C sort deaths 2>/dev/null | uniq -c | tr '\n' ';')"
must "damaged files" [ "$tried" -gt 100 ]
finish

#!/bin/sh
# test_batch.sh PROGRAM: several inputs into a folder.
. "$(dirname "$0")/check.sh"
mkdir other
cp part.stl other/part.stl

ends 0 '' "$cellpipe" convert part.stl open.stl --out-dir out/deep --to wrl
must "named after the inputs" [ "$(folder out/deep)" = 'open.wrl part.wrl ' ]
ends 0 '' "$cellpipe" convert part.stl --out-dir web ! weld
must "glb is the default" [ "$(folder web)" = 'part.glb ' ]
"$cellpipe" convert part.stl one.glb ! weld
must "as one by one" cmp web/part.glb one.glb

"$cellpipe" convert part.stl --out-dir packed --to wrl.gz
must "a suffix is kept" [ "$(folder packed)" = 'part.wrl.gz ' ]
must "and packed" gzip -t packed/part.wrl.gz
"$cellpipe" convert part.stl --out-dir packed2 --to .wrz
must "another" gzip -t -S .wrz packed2/part.wrz

# A further file of one input does not take the name of another's output, whichever is done first.
cp part.stl cell_Item.stl
for inputs in 'cell.wu cell_Item.stl' 'cell_Item.stl cell.wu'; do
    # shellcheck disable=SC2086
    ends 1 'split/cell_Item.stl: error: is reserved for another output' "$cellpipe" convert $inputs --out-dir split --to stl \
        --out split=yes --report split.json
    must "its code" grep -q '"code": "sink-twice"' split.json
    must "the output of that name alone" [ "$(folder split)" = 'cell_Item.stl ' ]
    rm -r split
done
# Nor that of a further file of another input: one of the two is refused, whole.
cell() { # FIRST SECOND: a cell of two boxes
    printf '{ "%s"\nGeoID "#Box 1 1 1"\n}\n{ "%s"\nGeoID "#Box 1 1 1"\n}\n' "$1" "$2"
}
cell first b_c >a.wu
cell first c >a_b.wu
ends 1 'split/a_b_c.stl: error: was written by another output just now' "$cellpipe" convert -q a.wu a_b.wu --out-dir split --to stl --out split=yes
must "one of them, with its part" [ "$(folder split | sed 's/a_b.stl/a.stl/')" = 'a.stl a_b_c.stl ' ]
ends 2 'twice.stl: error: was written by another output just now' "$cellpipe" run read part.stl ! write twice.stl ! write twice.stl

# A failed input does not keep the others from being converted.
ends 1 'bad.stl:4:12: error' "$cellpipe" convert bad.stl part.stl missing.stl open.stl --out-dir some --to stl --report report.json
must "the others" [ "$(folder some)" = 'open.stl part.stl ' ]
must "counted" grep -q '2 of 4 inputs failed' stderr
must "all in one report" [ "$(grep -c '"severity": "error"' report.json)" = 3 ]

# Whatever the number of threads: the same messages, report and files, in the order of the inputs.
for threads in 1 2 7; do
    mkdir run$threads
    for i in 1 2 3 4 5 6 7 8 9; do cp part.stl run$threads/p$i.stl; done
    cp bad.stl run$threads/p5.stl
    cp cell.wu cell_Item.stl part.stl arm.dev run$threads
    (cd run$threads && "$cellpipe" convert -v --threads $threads p?.stl cell.wu missing.stl cell_Item.stl --out-dir out \
        --to stl --out split=yes --report report.json >messages 2>&1)
    must "some have failed" [ $? = 1 ]
    must "$threads threads do the same" diff -r run1 run$threads
done
must "one message a failure" [ "$(grep -c ': error: ' run1/messages)" = 4 ]

# One input's losses are not the next one's.
ends 1 '1 of 2 inputs failed' "$cellpipe" convert -q cell.wu part.stl --out-dir strict --to wrl --strict
cp part.stl x.stl
ends 0 '' "$cellpipe" convert part.stl x.stl --out-dir fine --to dump --strict

# Parts of the same name in two worlds do not meet, however long the worlds' names are alike.
box=$(printf 'box_of_a_long_name%.0s' 1 2 3 4 5)
for size in 1 2; do printf '{ "Part"\nGeoID "#Box %s 1 1"\n}\n' $size >"$box$size.wu"; done
mkdir alone
ends 0 '' "$cellpipe" convert -q "${box}1.wu" "${box}2.wu" --out-dir inline --to wrl --out layout=inline
for size in 1 2; do
    url=$(sed -n 's/.*Inline { url "\(.*\)" }.*/\1/p' "inline/$box$size.wrl")
    "$cellpipe" convert -q "$box$size.wu" "alone/$box$size.wrl" --out layout=inline
    must "box$size has its own part" cmp -s "inline/$url" "alone/d_cell/$box${size}_Part.wrl"
done

# Outputs appear when they are done, though the first input waits: a FIFO that nobody writes. Killed, it leaves them.
many() { # 2,000 parts, and the FIFO before them in the order of names
    part=$(cat part.stl)
    i=1000
    mkdir many
    mkfifo many/0.stl
    while [ $i -lt 3000 ]; do
        printf '%s\n' "$part" >many/$i.stl
        i=$((i + 1))
    done
}
wait_for_outputs() { # COUNT FOLDER
    tries=0
    until [ "$(find "$2" -name '*.stl' 2>/dev/null | wc -l)" -ge "$1" ] || [ $tries = 1200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
many
"$cellpipe" convert --threads 2 many/*.stl --out-dir done --to stl 2>said &
program=$!
wait_for_outputs 2000 done
must "2,000 outputs, and no temporary" [ "$(find done -type f | wc -l)-$(find done -name '*.stl' | wc -l)" = 2000-2000 ]
kill -KILL $program
wait $program 2>/dev/null
whole=$("$cellpipe" convert -q part.stl - --to stl | cksum | cut -d ' ' -f 1,2)
must "they stand" [ "$(cksum done/*.stl | cut -d ' ' -f 1,2 | sort -u)" = "$whole" ]

# Killed at any time it leaves whole outputs, and at most one temporary a thread.
for count in 1 100 700; do
    rm -r done
    "$cellpipe" convert --threads 2 many/[1-9]*.stl --out-dir done --to stl >said 2>&1 &
    program=$!
    wait_for_outputs $count done
    kill -KILL $program
    wait $program 2>/dev/null
    must "whole after $count" [ "$(cksum done/*.stl | cut -d ' ' -f 1,2 | sort -u)" = "$whole" ]
    must "temporaries after $count" [ "$(find done -name '.cellpipe-*' | wc -l)" -le 2 ]
done

# Messages wait for their turn.
mkfifo slow.stl
"$cellpipe" convert --threads 2 slow.stl bad.stl missing.stl part.stl --out-dir turns --to stl --report turns.json 2>said &
program=$!
wait_for_outputs 1 turns
must "done before the first" [ "$(folder turns)" = 'part.stl ' ]
must "but not told" [ ! -s said ]
cat bad.stl >slow.stl
wait $program
must "1 for 3 failed inputs" [ $? = 1 ]
must "told in their order" [ "$(sed 's/:.*//' said | tr '\n' ' ')" = 'slow.stl bad.stl missing.stl turns/part.stl cellpipe ' ]
must "and reported" [ "$(sed -n 's/.*"file": "\([^"]*\)".*/\1/p' turns.json | tr '\n' ' ')" = 'slow.stl bad.stl missing.stl turns/part.stl ' ]

# Names that would meet are found before anything is written.
ends 2 'two inputs .* none/part.wrl' "$cellpipe" convert part.stl other/part.stl --out-dir none --to wrl
must "nothing was made" [ ! -e none ]
ends 2 'standard input' "$cellpipe" convert - part.stl --out-dir none
ends 2 'unknown filter' "$cellpipe" convert part.stl open.stl --out-dir none ! wled
ends 2 'unknown output format' "$cellpipe" convert part.stl open.stl --out-dir none --to glv
for words in '! weld tol=1' '--out profil=stage' '--from stl --in uint=mm' '! normals crease=181'; do
    # shellcheck disable=SC2086
    ends 2 'option of|must lie in' "$cellpipe" convert part.stl open.stl --out-dir none $words
    must "once: $words" [ "$(wc -l <stderr)" = 1 ]
done
must "still nothing" [ ! -e none ]
ends 4 'part.stl' "$cellpipe" convert open.stl --out-dir part.stl/x
ends 4 'the folder part.stl cannot be made' "$cellpipe" convert open.stl --out-dir part.stl

# Cells from strangers: files from outside their folder are not read unless asked.
mkdir cells
sed 's|"arm.dev"|"../arm.dev"|' cell.wu >cells/cell.wu
cp part.stl cells
ends 1 'cells?/?.*cell.wu.*error|outside' "$cellpipe" convert cells/cell.wu --out-dir out --to dump
ends 0 '' "$cellpipe" convert -q cells/cell.wu --out-dir out --to dump --confine=no
ends 0 '' "$cellpipe" convert -q cells/cell.wu out/again.dump --confine=no
ends 3 'outside|below' "$cellpipe" convert -q cells/cell.wu out/again.dump
finish

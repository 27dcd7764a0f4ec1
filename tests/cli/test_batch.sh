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

# Files of one input do not take the place of another's.
cp part.stl cell_Item.stl
ends 1 'cell_Item.stl: error: has been written just now' "$cellpipe" convert cell.wu cell_Item.stl --out-dir split --to stl --out split=yes --report split.json
must "its code" grep -q '"code": "sink-twice"' split.json
mkdir apart
"$cellpipe" convert -q cell.wu apart/cell.stl --out split=yes
must "the first's part stands" cmp split/cell_Item.stl apart/cell_Item.stl
ends 2 'twice.stl: error: has been written just now' "$cellpipe" run read part.stl ! write twice.stl ! write twice.stl

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
ends 0 '' "$cellpipe" convert -q cells/cell.wu out/again.dump
ends 3 'outside|below' "$cellpipe" convert -q cells/cell.wu out/again.dump --confine
finish

#!/bin/sh
# test_sheet.sh PROGRAM: the command sheet: sizes, inputs that fail, options, and words that make no sense.
. "$(dirname "$0")/check.sh"

# size FILE: "WIDTH HEIGHT" of a PNG file.
size() { od -A n -t u1 -j 16 -N 8 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4, $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'; }
run() { # CODE WORDS...
    want=$1
    shift
    "$cellpipe" sheet "$@" >stdout 2>stderr </dev/null
    code=$?
    must "exit $want: sheet $*" [ "$code" = "$want" ]
    must "nothing on standard output: $*" [ ! -s stdout ]
}

cp "$top/samples/stl_viscam.stl" one.stl
cp "$top/samples/stl_solids.stl" two.stl
cp "$top/samples/gltf_textures.gltf" .
run 0 one.stl two.stl gltf_textures.gltf sheet.png --columns 2 --size 80x50
must "two rows of two, names below" [ "$(size sheet.png)" = "160 134" ]
must "no losses are told" [ ! -s stderr ]
run 0 one.stl two.stl gltf_textures.gltf other.png --columns 2 --size 80x50 --threads 3
must "the same bytes by three threads" cmp -s sheet.png other.png
run 0 one.stl two.stl gltf_textures.gltf other.png --columns 2 --size 80x50 --out view=front --out edges=yes
must "options of png change the pictures" [ "$(size other.png)" = "160 134" ]
must "and are another picture" [ "$(cmp -s sheet.png other.png; echo $?)" = 1 ]
"$cellpipe" sheet one.stl two.stl - --to png --size 80x50 >stdout 2>stderr
must "to standard output" [ "$(size stdout)" = "80 134" ]

# What cannot be read gets a cross, and costs the others nothing.
echo nonsense >bad.stl
run 1 one.stl bad.stl missing.stl two.stl sheet.png --columns 4 --size 60x40
must "the sheet is there" [ "$(size sheet.png)" = "240 57" ]
must "one message for each" [ "$(grep -c error stderr)" = 2 ]
must "which names it" grep -q '^bad.stl:.* error: ' stderr
must "and it" grep -q '^missing.stl: error: ' stderr
run 1 bad.stl sheet.png
run 1 one.stl sheet.png --out view=Arm
must "a view that is not there" grep -q 'view=Arm: there is no such view' stderr

# Words that make no sense: nothing is written.
rm -f sheet.png other.png
run 2
run 2 one.stl
run 2 one.stl two.stl
must "the output comes last" grep -q 'two.stl: the output, the last word, needs the suffix .png' stderr
run 2 one.stl sheet.glb
run 2 one.stl sheet.png --to glb
run 2 one.stl sheet.png --size 80
must "a size" grep -q -e '--size 80: needs WIDTHxHEIGHT' stderr
run 2 one.stl sheet.png --size 0x10
run 2 one.stl sheet.png --size 70000x10
must "a size out of range" grep -q -e '--size 70000x10: must lie in 1 .. 16384 pixels' stderr
run 2 one.stl sheet.png --out size=80x50
must "a size has one place" grep -q -e '--size' stderr
run 2 one.stl sheet.png --columns -1
run 2 one.stl sheet.png --out profile=stage
run 2 one.stl sheet.png --out background=white
run 2 one.stl two.stl one.stl two.stl one.stl sheet.png --columns 5 --size 16000x10
must "too wide a sheet" grep -q 'more than 65500 pixels' stderr
must "nothing is written" [ ! -e sheet.png ]
cp one.stl in.png
run 2 in.png in.png
must "no input is replaced" cmp -s one.stl in.png
must "which is said" grep -q 'is an input' stderr
mkdir folder
run 4 one.stl folder/no/sheet.png
finish

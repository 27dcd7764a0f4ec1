#!/bin/sh
# test_pipes.sh PROGRAM: filters as commands, standard input and output, streams that break off.
. "$(dirname "$0")/check.sh"

# convert, run and a filter between pipes are one path.
"$cellpipe" convert part.stl one.dump ! weld
"$cellpipe" run read part.stl ! weld ! write two.dump
"$cellpipe" weld <part.stl | "$cellpipe" convert - three.dump
"$cellpipe" weld part.stl - | "$cellpipe" convert - four.dump
"$cellpipe" weld - stage.glb <part.stl
must "run" cmp one.dump two.dump
for other in three four; do # a pipe has no file name to say where things came from
    must "$other" [ "$(sed 's/part.stl//g; s/"-"//g; s/stdin//g' one.dump | grep -v -E 'source|file' )" = \
        "$(sed 's/"-"//g; s/stdin//g; s/part.stl//g' $other.dump | grep -v -E 'source|file')" ]
done

# Stages are of profile stage, files by convert and run of profile deliver, unless the user says it.
profile() {
    tr -d ' \n' <"$1" | grep -a -o '"profile":"[a-z]*"' | head -n 1
}
"$cellpipe" convert part.stl deliver.glb
"$cellpipe" run read part.stl ! write deliver2.glb
"$cellpipe" convert part.stl - >stage2.glb
"$cellpipe" convert part.stl - --out profile=deliver >deliver3.glb
"$cellpipe" weld part.stl deliver4.glb --out profile=deliver
"$cellpipe" weld part.stl stage3.gltf
for file in stage.glb stage2.glb stage3.gltf; do
    must "$file is a stage" [ "$(profile $file)" = '"profile":"stage"' ]
done
"$cellpipe" convert part.stl - --out web=yes >deliver5.glb
"$cellpipe" weld --out web <part.stl >deliver6.glb
for file in deliver.glb deliver2.glb deliver3.glb deliver4.glb deliver5.glb deliver6.glb; do
    must "$file is for viewers" [ "$(profile $file)" = '"profile":"deliver"' ]
done

# What --to says is packed, wherever it goes.
"$cellpipe" convert part.stl - --to stl.gz >packed.stl.gz
must "standard output" gzip -t packed.stl.gz
"$cellpipe" convert part.stl plain.stl
must "the same bytes" [ "$(gzip -dc packed.stl.gz | cksum)" = "$(cksum <plain.stl)" ]
again=$("$cellpipe" convert -q - - --to stl --from stl <plain.stl | cksum)
for from in stl stl.gz .stl.gz STL.GZ stlb.gz; do
    must "--from $from" [ "$("$cellpipe" convert -q - - --to stl --from "$from" <packed.stl.gz | cksum)" = "$again" ]
    must "--from $from, not packed" [ "$("$cellpipe" convert -q - - --to stl --from "$from" <plain.stl | cksum)" = "$again" ]
done
ends 2 'unknown input format ".gz"' "$cellpipe" convert - - --to stl --from .gz <packed.stl.gz
"$cellpipe" convert part.stl other.bin --to .glb.gz
must "a name of another kind" gzip -t -S .bin other.bin
"$cellpipe" convert part.stl once.stl.gz --to stl.gz
must "once, not twice" [ "$(gzip -dc once.stl.gz | cksum)" = "$(cksum <plain.stl)" ]
"$cellpipe" convert part.stl - --to wrz >part.wrz
must "compressed VRML" gzip -t -S .wrz part.wrz

# Standard output carries nothing but the result.
"$cellpipe" weld <cell.wu >cell.glb 2>messages
must "GLB from its first byte" [ "$(head -c 4 cell.glb)" = glTF ]
must "its length field is its length" [ "$(od -An -tu4 -j8 -N4 cell.glb | tr -d ' ')" = "$(wc -c <cell.glb | tr -d ' ')" ]

# A stream that breaks off is an error, never a smaller scene.
size=$(wc -c <stage.glb)
for cut in 0 4 12 30 $((size / 2)) $((size - 1)); do
    head -c "$cut" stage.glb >cut.glb
    ends 3 'error' sh -c "cat cut.glb | '$cellpipe' weld >rest.glb"
    must "nothing from $cut bytes" [ ! -s rest.glb ]
done
gzip -c part.stl | head -c 60 >cut.stl.gz
ends 3 'gzip|ends early' "$cellpipe" info cut.stl.gz

# A reader that goes away ends the writer with SIGPIPE, silently, even where the parent ignores that signal.
big=$top/samples/stl_65536.stl.gz
{ "$cellpipe" convert "$big" -; echo $? >code; } 2>said | head -c 4 >/dev/null
must "141 for a closed pipe, got $(cat code)" [ "$(cat code)" = 141 ]
must "silently" [ ! -s said ]
sh -c 'trap "" PIPE; { "$1" convert "$2" -; echo $? >code; } 2>said | head -c 4 >/dev/null' - "$cellpipe" "$big"
must "141 under an ignoring parent" [ "$(cat code)" = 141 ]

# A full disk behind standard output.
ends 4 'cannot be written' sh -c "'$cellpipe' formats >/dev/full"
ends 4 'cannot be written' sh -c "'$cellpipe' convert part.stl - >/dev/full"
ends 4 'cannot be written' sh -c "'$cellpipe' info --dump part.stl >/dev/full"

# Closed from the start: their numbers go to no other file.
"$cellpipe" convert -q cell.wu open.dump
must "all closed" sh -c "'$cellpipe' convert cell.wu closed.dump <&- >&- 2>&-"
must "and nothing else in it" cmp -s open.dump closed.dump
ends 4 'cannot be written' sh -c "'$cellpipe' info part.stl >&-"
ends 3 'stdin: error' sh -c "'$cellpipe' info - <&-"

# Several outputs need a file's name.
ends 2 'stdout|standard output|stream' sh -c "'$cellpipe' convert part.stl - --to gltf >out.gltf"
# Standard input once.
ends 2 'once' sh -c "'$cellpipe' diff - - <part.stl"
# A file that the reader needs cannot be found beside a stream, but in a folder that is named.
ends 0 '' sh -c "cd / && '$cellpipe' convert -q - '$work/x.dump' -I '$work' <'$work/cell.wu'"
must "the arm was found" grep -q J2Geo x.dump
finish

#!/bin/sh
# test_hostile_names.sh PROGRAM: names of files, frames, joints, clips and words of the command line that would work on a
# terminal, forge lines, or turn text round: no command prints them as they are.
. "$(dirname "$0")/check.sh"

# Escape sequences, a window's title, C1 in UTF-8, DEL, a line of its own, and marks of each direction.
bad=$(printf '\033[31mX\033]0;title\007\302\233\177\r\nforged: in collision\t\330\234\342\200\216\342\200\217\342\200\252\342\200\256\342\201\246\342\201\251')
json='\\u001b[31m\\u009b\\u007f\\r\\nforged: in collision\\t\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069'
wrong=$(printf '\377\355\240\200') # no UTF-8

# clean WHAT COMMAND...: whatever it ends with, what it says is UTF-8 without such characters and lines.
clean() {
    what=$1
    shift
    "$@" >"$work/said" 2>"$work/stderr" </dev/null
    cat "$work/stderr" >>"$work/said"
    if LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]' "$work/said"; then
        fail "$what: a character that a terminal obeys"
    elif grep -aq '^forged' "$work/said"; then
        fail "$what: a line that a name has made"
    elif ! iconv -f UTF-8 -t UTF-8 "$work/said" >/dev/null 2>&1; then
        fail "$what: bytes that are no UTF-8"
    else
        pass
    fi
}

# A cell: two boxes in each other on a joint, and one that follows; a list of exclusions with another frame.
cell() { # NAME
    printf '{ "%sBase"\n  GeoID "#Box 1 1 1"\n}\n' "$1"
    printf '{ "%sTurn"\n  ReferenceFrame "%sBase"\n  Revolute\n  ActiveJoint\n  JointPosLimit -90 90\n  GeoID "#Box 1 1 2"\n}\n' "$1" "$1"
    printf '{ "%sFollow"\n  ReferenceFrame "%sTurn"\n  PassiveRevolute "%sTurn" 2 0.5\n  Note "%s"\n  GeoID "%s.stl"\n}\n' "$1" "$1" "$1" "$1" "$1"
}
cell "$bad" >bad.wu
cell "$bad$bad" >other.wu
cell "$wrong" >wrong.wu
cell plain >plain.wu
cp bad.wu "$bad.wu"
cp part.stl "$bad$wrong.stl"
printf 'solid %s\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex %s\n' "$wrong" "$bad" >broken.stl
must "a cell to try" "$cellpipe" convert -q bad.wu bad.glb

for file in bad.wu wrong.wu bad.glb "$bad.wu" "$bad$wrong.stl" broken.stl "no$bad$wrong"; do
    clean "info" "$cellpipe" info "$file"
    clean "info -v --explain" "$cellpipe" info -v --explain "$file"
    clean "info --dump" "$cellpipe" info --dump "$file"
    clean "check" "$cellpipe" check "$file"
    clean "check of all" "$cellpipe" check solid scene "$file"
    clean "check of a list" "$cellpipe" check "$file" "list=$bad$wrong.xml"
    clean "collide" "$cellpipe" collide "$file" home=yes --clearance 1m
    clean "collide at values" "$cellpipe" collide "$file" "$bad=1" "clip=$bad" "device=$wrong"
    clean "diff" "$cellpipe" diff "$file" plain.wu
    clean "diff the other way" "$cellpipe" diff other.wu "$file"
    clean "convert" "$cellpipe" convert -v "$file" x.wrl
    clean "convert --strict" "$cellpipe" convert --strict "$file" x.stl
    clean "a filter" "$cellpipe" select "node=$bad$wrong" "$file" x.glb
    clean "exclude" "$cellpipe" exclude "$file" list.xml -v --out evidence=yes
    clean "a run" "$cellpipe" run read "$file" ! pose "joint=$bad$wrong" value=1 ! write "$bad$wrong.glb"
    clean "igrip2vrml" "$cellpipe" igrip2vrml "$file" "$bad$wrong.wrl"
done

# Lists of exclusions.
"$cellpipe" exclude -q bad.wu bad.xml --out evidence=yes
"$cellpipe" exclude -q other.wu other.xml --out evidence=yes
clean "a list that does not fit" "$cellpipe" check other.wu list=bad.xml
clean "two lists" "$cellpipe" diff bad.xml other.xml cell=bad.wu

# A clip, devices, joints that follow a formula; every name is hostile.
"$cellpipe" convert -q "$top/samples/deneb/hexapod/contour.dcr" clip.gltf --out profile=stage
sed "s/\"name\": *\"/&$json/g" clip.gltf >named.gltf
must "hostile names in a stage" [ "$("$cellpipe" info -q named.gltf | grep -c 'u202e')" -gt 3 ]
for words in "info" "info --dump" "check" "collide --clearance 1m" "diff clip.gltf"; do
    # shellcheck disable=SC2086
    clean "$words of a clip" "$cellpipe" $words named.gltf
done

# Words of the command line.
for word in "$bad" "$wrong" "-$bad" "--$wrong"; do
    clean "an unknown command" "$cellpipe" "$word"
    clean "an unknown option" "$cellpipe" info "--no$word" bad.wu
    clean "an unknown setting" "$cellpipe" exclude "no$word=1" bad.wu x.xml
    clean "an unknown filter" "$cellpipe" run read bad.wu ! "$word" ! write x.glb
    clean "an unknown format" "$cellpipe" convert --from "$word" bad.wu "x.$word"
    clean "an unknown topic" "$cellpipe" help "$word"
    clean "unknown values" "$cellpipe" convert bad.wu x.glb --in "unit=$word" --out "profile=$word" --limit "$word=1"
    clean "a report" "$cellpipe" info --report "$bad$wrong/report" "$word"
done

# Whole libraries: files and folders of hostile names, one of 255 bytes, one that is damaged, one that is gone.
mkdir "lib$bad" "lib$bad/$wrong"
for name in "$bad.wu" "$wrong.wu" "$(printf 'new\nline.wu')" -dash.wu "$wrong/--out-dir.wu" "$(printf '%0252d' 0).wu"; do
    cp plain.wu "lib$bad/$name"
done
cp broken.stl "lib$bad/$bad$wrong.stl"
for words in "" "--dry-run" "--progress json" "--verify" "-q"; do
    # shellcheck disable=SC2086
    clean "batch $words" "$cellpipe" batch "lib$bad" --out-dir "web$wrong$bad" $words
done
must "five outputs" [ "$(find "web$wrong$bad" -name '*.glb' -printf x | wc -c)" = 5 ]
rm "lib$bad/$bad.wu"
clean "an output whose input is gone" "$cellpipe" batch "lib$bad" --out-dir "web$wrong$bad" --dry-run --prune
clean "and removed" "$cellpipe" batch "lib$bad" --out-dir "web$wrong$bad" --prune
clean "names that meet" "$cellpipe" batch "lib$bad" "$bad.wu" "$bad$wrong.stl" "x/$bad$wrong" --out-dir none --short-names
clean "a list" "$cellpipe" batch "@$bad$wrong" --out-dir none
printf '%s\0' "lib$bad" "$bad$wrong" -no.wu >list
clean "a list of hostile names" "$cellpipe" batch @0list --out-dir "none$bad" --root "$wrong"
clean "messages of a manifest" sh -c '"$@" >/dev/null' sh "$cellpipe" manifest "lib$bad" "$bad$wrong" ./-no.wu
"$cellpipe" manifest "lib$bad" >"$bad$wrong.jsonl" 2>said
must "a line of JSON each" python3 -c 'import json, sys; assert len([json.loads(line) for line in sys.stdin]) == 6' <"$bad$wrong.jsonl"
clean "a shard" "$cellpipe" batch --manifest "$bad$wrong.jsonl" --shard 0/2 --out-dir shard
clean "no shard" "$cellpipe" batch --manifest "no$bad$wrong.jsonl" --shard "0/$bad" --out-dir shard
clean "a report" "$cellpipe" report "web$wrong$bad"
clean "report -v" "$cellpipe" report "web$wrong$bad" -v
clean "what is missing" "$cellpipe" report "web$wrong$bad" --manifest "$bad$wrong.jsonl"
clean "report --csv" sh -c '"$@" | tr -d "\r"' sh "$cellpipe" report "web$wrong$bad" --csv
"$cellpipe" report "web$wrong$bad" --json >said
must "a report in JSON" python3 -m json.tool said /dev/null
clean "a report of nothing" "$cellpipe" report "no$bad$wrong"
printf '{"in":"%s"}\n' "$wrong" >"$bad.jsonl"
clean "a report of what is no record" "$cellpipe" report "$bad.jsonl"

# What was escaped reads as it was meant, and all else stays as it is.
ends 0 'loss: ' "$cellpipe" info bad.wu
must "escapes" grep -qF '\x1b[31mX\x1b]0;title\x07\u009b\x7f\r\nforged: in collision\t\u061c\u200e\u200f\u202a\u202e\u2066\u2069' "$work/stdout"
cell 'Größe \ 日本' >good.wu
ends 0 'the model "Größe \\ 日本\.stl"' "$cellpipe" info good.wu
must "other letters" grep -qF 'Größe \ 日本Turn' "$work/stdout"
must "JSON stays JSON" sh -c "'$cellpipe' info -q --json bad.wu | python3 -m json.tool >/dev/null"
finish

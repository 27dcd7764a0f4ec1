#!/bin/sh
# test_deterministic.sh PROGRAM [OTHER]: every sample in every format gives the same bytes from another folder, by another path, and
# by another program (the same one built by another compiler); and no byte tells where the input lay.
other=$(realpath "${2:-$1}")
. "$(dirname "$0")/check.sh"

mkdir here there
suffixes="glb gltf wrl stl png dump xml contact.xml prox.xml srdf dmd.yaml csv jsonl dcr html urdf wc.xml"
"$cellpipe" formats | grep ' write ' | grep -vE "\.($(echo "$suffixes" | tr ' ' '|'))( |$)" >missing
must "a suffix of every format" [ ! -s missing ]
for sample in "$top"/samples/*.*; do
    name=${sample##*/}
    case $name in
    *.md) continue ;;
    esac
    for suffix in stage.glb web.glb $suffixes; do
        profile=
        [ $suffix = stage.glb ] && profile=--out=profile=stage
        [ $suffix = web.glb ] && profile=--out=web=yes
        # shellcheck disable=SC2086 # a word or none
        "$cellpipe" convert -q "$sample" "here/$name.$suffix" $profile 2>messages || [ ! -e "here/$name.$suffix" ] # a table needs a joint
        # shellcheck disable=SC2086
        (cd "$top/samples" && "$other" convert -q "./$name" "$work/there/$name.$suffix" $profile 2>"$work/messages")
    done
done
# Cells that play recordings.
for recording in welding/weld hexapod/contour assembly/saw; do
    name=${recording##*/}
    for setting in play=click tolerance=0; do
        "$cellpipe" convert -q "$top/samples/deneb/$recording.dcr" "here/$name.$setting.wrl" --out "$setting"
        (cd "$top/samples" && "$other" convert -q "./deneb/$recording.dcr" "$work/there/$name.$setting.wrl" --out "$setting")
    done
    for profile in stage deliver; do
        "$cellpipe" convert -q "$top/samples/deneb/$recording.dcr" "here/$name.$profile.glb" --out "profile=$profile" --in tolerance=0.1mm
        (cd "$top/samples" && "$other" convert -q "./deneb/$recording.dcr" "$work/there/$name.$profile.glb" --out "profile=$profile" --in tolerance=0.1mm)
    done
done
# Lists of exclusions, with all that is known of every pair.
for cell in lwr near_miss_turning; do
    "$cellpipe" exclude -q "$top/tests/cells/$cell.wu" "here/$cell.xml" work=20000 descents=20 --out evidence=yes
    (cd "$top/tests/cells" && "$other" exclude -q "./$cell.wu" "$work/there/$cell.xml" work=20000 descents=20 --out evidence=yes)
done
must "outputs" [ "$(folder here | wc -w)" -gt 100 ]
must "the same from everywhere" diff -r here there
must "no folder of ours" [ -z "$(grep -r -l -a -F "$top" here)" ]

# What -I finds is named as the input names it.
mkdir apart
mv arm.dev part.stl pairs.xml apart/
"$cellpipe" convert -q cell.wu one.dump -I apart
"$cellpipe" convert -q cell.wu two.dump -I "$work/apart"
must "-I by two paths" cmp one.dump two.dump
must "not where it was found" [ "$(grep -c apart one.dump)" = 0 ]
finish

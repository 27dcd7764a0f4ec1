#!/bin/sh
# test_exclude_again.sh PROGRAM: margins of single frames, and findings of an earlier run that still hold.
. "$(dirname "$0")/check.sh"
cp -R "$top"/samples/urdf_picker* .

# status FIRST SECOND: of the pair in the last evidence.
status() { sed -n "s/.*\"first\":\"$1\",\"second\":\"$2\",.*\"status\":\"\([^\"]*\)\".*/\1/p" list.xml.json; }
margin() { sed -n "s/.*\"first\":\"$1\",\"second\":\"$2\",.*\"margin\":\([^,]*\),.*/\1/p" list.xml.json; }
judge() { "$cellpipe" exclude urdf_picker.urdf list.xml --out evidence=yes "$@" 2>"$work/stderr" >"$work/stdout"; }

# ---- padding: the fingers are 10 mm apart where they are nearest ----

judge padding=left_finger:4mm,right_finger:5mm
must "9 mm are free" [ "$(status left_finger right_finger)" = never-proved ]
must "the margin is that of both" [ "$(margin left_finger right_finger)" = 0.009000000000000001 ]
must "other pairs have one of them" [ "$(margin base left_finger)" = 0.004 ]
must "or none" [ "$(margin arm base)" = 0 ]
judge padding=left_finger:4mm,right_finger:7mm
must "11 mm are not" [ "$(status left_finger right_finger)" = sometimes ]
judge margin=2mm padding=left_finger:4mm,right_finger:5mm
must "the margin is added" [ "$(status left_finger right_finger)" = sometimes ]
judge margin=11mm
cp list.xml.json by_margin.json
judge padding=left_finger:11mm
must "one side is enough" [ "$(status left_finger right_finger)" = sometimes ]
must "as by a margin for all" [ "$(grep -c '"first":"left_finger","second":"right_finger".*sometimes' by_margin.json)" = 1 ]
ends 2 'unknown frame "hnd"' "$cellpipe" exclude urdf_picker.urdf list.xml padding=hnd:1mm
for wrong in hand hand: hand:1kg hand:-1mm hand:nan hand:1mm, :1mm ''; do
    ends 2 "padding=|unknown frame" "$cellpipe" exclude urdf_picker.urdf list.xml "padding=$wrong"
done
ends 0 'warning: "tcp" has no collision geometry' "$cellpipe" exclude urdf_picker.urdf list.xml padding=tcp:1mm

# ---- evidence of an earlier run ----

judge
cp list.xml first.xml
cp list.xml.json first.json
ends 0 'first\.json: note: 11 of 15 findings are taken over' "$cellpipe" exclude -v urdf_picker.urdf list.xml --out evidence=yes keep-evidence=first.json
must "the same list" cmp first.xml list.xml
must "the same evidence" cmp first.json list.xml.json

# Findings are taken, not found again: a proof that is called a collision stays one.
sed 's/"never-proved","verdict":"excluded",\(.*"first":"base","second":"hand"\)/&/; /"first":"base","second":"hand"/s/"clearance":[^,]*/"clearance":0.001/' first.json >told.json
judge keep-evidence=told.json
must "the old number" grep -q '"first":"base","second":"hand".*"clearance":0\.001,' list.xml.json
sed '/"first":"base","second":"hand"/s/"key":"[^"]*"/"key":"0123456789abcdef"/' told.json >other_key.json
judge keep-evidence=other_key.json
must "not with another key" cmp first.json list.xml.json
sed '/"first":"base","second":"hand"/s/"margin":0,/"margin":0.001,/' told.json >other_margin.json
judge keep-evidence=other_margin.json
must "nor with another margin" cmp first.json list.xml.json
sed '/"first":"base","second":"hand"/s/never-proved/undecided/' told.json >undecided.json
judge keep-evidence=undecided.json
must "nor if nothing was decided" cmp first.json list.xml.json
# A pair that stayed undecided is judged anew with more work alone.
sed '/"first":"base","second":"hand"/{s/never-proved/undecided/;s/"work":[0-9]*/"work":200000/;s/"samples":[0-9]*/"samples":100/;s/"descents":[0-9]*/"descents":300/;}' told.json >spent.json
judge keep-evidence=spent.json
must "as much work was spent before" [ "$(status base hand)" = undecided ]
judge keep-evidence=spent.json work=200001
must "more work" [ "$(status base hand)" = never-proved ]
judge keep-evidence=spent.json samples=101
must "more samples" [ "$(status base hand)" = never-proved ]
judge keep-evidence=spent.json descents=301
must "more searches" [ "$(status base hand)" = never-proved ]
judge keep-evidence=spent.json allow-sampled=always
must "more samples of pairs that may always touch" [ "$(status base hand)" = never-proved ]
sed '/"first":"base","second":"hand"/s/never-proved/sometimes/' told.json >no_witness.json
judge keep-evidence=no_witness.json
must "nor a collision without a witness" cmp first.json list.xml.json

# What has changed is judged anew: the base is larger, and one joint goes further.
sed 's/0\.4 0\.3 0\.1"/0.4 0.3 0.11"/; s/upper="0\.4"/upper="0.5"/' urdf_picker.urdf >changed.urdf
mv changed.urdf urdf_picker.urdf
judge
cp list.xml fresh.xml
judge keep-evidence=first.json -v
must "some findings hold" grep -Eq 'note: [1-9] of 15 findings are taken over' "$work/stderr"
must "the list is as without them" cmp fresh.xml list.xml

# Witnesses come along, and pairs of loops are judged again.
kr16=$top/tests/cells/kr16.wu
"$cellpipe" exclude -q "$kr16" one.xml work=20000 --out evidence=yes
"$cellpipe" exclude -q "$kr16" two.xml work=20000 --out evidence=yes keep-evidence=one.xml.json samples=1 descents=0
must "witnesses of an earlier run" cmp one.xml.json two.xml.json
loops=$top/samples/mechanisms/gantry_tau.dcw
"$cellpipe" exclude -q "$loops" one.xml --out evidence=yes
"$cellpipe" exclude -q "$loops" two.xml --out evidence=yes keep-evidence=one.xml.json
"$cellpipe" exclude -v "$loops" two.xml keep-evidence=one.xml.json 2>"$work/stderr"
must "whose pairs in loops are not taken over" grep -q 'one.xml.json: note: 0 of 10 findings are taken over' "$work/stderr"
must "a machine with loops" cmp one.xml.json two.xml.json
sed '/never-proved/s/"clearance":[^,]*/"clearance":0.001/' one.xml.json >told.json
"$cellpipe" exclude -q "$loops" two.xml --out evidence=yes keep-evidence=told.json
must "its pairs are judged again" cmp one.xml.json two.xml.json
ends 3 'is XML, not evidence' "$cellpipe" exclude urdf_picker.urdf list.xml keep-evidence=first.xml
ends 3 'cannot be opened' "$cellpipe" exclude urdf_picker.urdf list.xml keep-evidence=nothing.json

echo "$passed passed, $failed failed"
[ $failed = 0 ]

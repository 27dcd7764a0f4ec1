#!/bin/sh
# test_rwxml_written.sh PROGRAM: cells of several formats written as RobWork's XML and read again: frames move alike, as many
# pairs are checked, and what is written again is the same. The words of what is lost are in the messages.
. "$(dirname "$0")/check.sh"
samples=$top/samples
shared=$top/../shared/corpus

# Models that are missing were told when the cell was read: what is written has none, nor their static pairs.
pairs() { "$cellpipe" info "$1" 2>/dev/null | sed -n 's/; .*//; s/^collision  *//p'; }

# goes_round FILE: through XML and back. Frames may be added, and no other is missing.
goes_round() {
    stem=$(basename "$1" | sed 's/\..*//')
    mkdir -p "$stem" "$stem/again"
    ends 0 "" "$cellpipe" convert -q "$1" "$stem/$stem.wc.xml"
    "$cellpipe" diff "$1" "$stem/$stem.wc.xml" states=20 >states 2>stderr
    must "$1: frames move alike" grep -q '^equal; the tolerance is 1e-09 m and rad' states
    must "$1: no frame is missing" sh -c '! grep -q "only in $(basename "$0")$" states || [ "$(basename "$0")" = "$(basename "$1")" ]' "$1" "$stem.wc.xml"
    must "$1: the pairs that are checked" [ "$(pairs "$1")" = "$(pairs "$stem/$stem.wc.xml")" ]
    # What a reader cannot know is lost the first time: then nothing changes any more.
    mkdir -p "$stem/last"
    ends 0 "" "$cellpipe" convert -q "$stem/$stem.wc.xml" "$stem/again/$stem.wc.xml"
    ends 0 "" "$cellpipe" convert -q "$stem/again/$stem.wc.xml" "$stem/last/$stem.wc.xml"
    must "$1: the same again" diff -r "$stem/again" "$stem/last"
}

for file in rwxml_gripper.wc.xml tag_joints.wu tag_arm.wu dh_arm.wu demo.wu; do
    goes_round "$samples/$file"
done
mkdir junction && ends 0 "" "$cellpipe" convert -q "$top/tests/cases/rwxml/junction.wc.xml" junction/junction.wc.xml
# The names of a robot of ROS get that of the device; its frames are where they were.
mkdir urdf_picker && ends 0 "" "$cellpipe" convert -q "$samples/urdf_picker.urdf" urdf_picker/urdf_picker.wc.xml
for rule in depend_outwards home mobile drawable_disabled collision_model proximity_include frame_attachable; do
    goes_round "$top/tests/cases/rwxml/$rule.wc.xml"
done
for name in base column arm hand left_finger right_finger indicator tcp turn lift wrist grip grip_mirrored indicator_turn; do
    echo "$name picker.$name"
done >map
ends 0 "" "$cellpipe" diff -q "$samples/urdf_picker.urdf" urdf_picker/urdf_picker.wc.xml states=20 map=map
if [ -d "$shared/robots/rwxml" ]; then
    for file in schunkhand/SchunkHand/SchunkHand.xml ur6855a/UR6855A/UR6855A.wc.xml sdh2/SDH2/SchunkHand.wc.xml \
        belt_box/belt_box/Scene.wc.xml fanuc_lrm200i/Fanuc-LRM200i/fanuc_lrm200i.xml pg70/PG70/PG70.xml \
        parallel/Robotiq-2-finger-85/robotiq.wc.xml workcells/workcells/DistanceTest.wc.xml; do
        goes_round "$shared/robots/rwxml/$file"
    done
    goes_round "$shared/robwork-simple-wc/SimpleWorkcell.wc.xml"
    goes_round "$shared/robwork-simple-wc/PA10/PA10.wu"
else
    echo "skipped: no $shared/robots/rwxml"
fi

# Words of the file: what is drawn alone, what is for collisions alone, the start, a leg.
printf '{ "F"\n}\n{ "J"\n ReferenceFrame "F"\n ActiveJoint\n Revolute\n}\n{ "K"\n ReferenceFrame "J"\n ActiveJoint\n Revolute\n}\n' >one.dev
printf '{ "Arm"\n ReferenceFrame "WORLD"\n Device "one.dev"\n}\n' >one.wu
goes_round "$work/one.wu"
must "a base that is outside of its device" sh -c 'grep -A 1 "<SerialDevice" "$0" | grep -q "<Frame name=\"Base\">"' one/one_Arm.dev.xml
# The whole cell, with its devices, their ends and bases, shapes and pairs.
for rule in depend_outwards home mobile drawable_disabled collision_model proximity_include frame_attachable; do
    ends 0 "" "$cellpipe" diff -q "$top/tests/cases/rwxml/$rule.wc.xml" $rule/$rule.wc.xml
done
ends 0 "" "$cellpipe" diff -q "$samples/rwxml_gripper.wc.xml" rwxml_gripper/rwxml_gripper.wc.xml
must "drawn alone" grep -q -h '<Drawable name="Geo1" colmodel="Disabled"><Box x="1" y="2" z="3"/>' drawable_disabled/drawable_disabled.wc.xml
must "for collisions alone" grep -q -h '<CollisionModel name="Geo1"><Sphere radius="1"/>' collision_model/collision_model.wc.xml
must "the start" grep -q -h '<Q name="Home">1.5 -0.25</Q>' home/home.wc.xml home/home_R.dev.xml
must "legs" grep -q -h '<Junction><Chains>L</Chains><Chains>W</Chains></Junction>' junction/junction.wc.xml junction/junction_R.dev.xml
must "a parallel device" grep -q -h '<ParallelDevice name="R">' junction/junction.wc.xml junction/junction_R.dev.xml
must "a serial device" grep -q -h '<SerialDevice name="R">' home/home.wc.xml home/home_R.dev.xml
must "degrees" grep -q -h '<PosLimit min="0.005" max="0.05"/>' rwxml_gripper/rwxml_gripper.wc.xml rwxml_gripper/rwxml_gripper_Gripper.dev.xml
must "a dependent joint" grep -q -h '<Depend on="Left" gain="1" offset="0"/>' rwxml_gripper/rwxml_gripper.wc.xml rwxml_gripper/rwxml_gripper_Gripper.dev.xml
must "a configuration" grep -q -h '<Q name="Closed">0.005</Q>' rwxml_gripper/rwxml_gripper.wc.xml rwxml_gripper/rwxml_gripper_Gripper.dev.xml
must "a property" grep -q -h '<Property name="task">hold the box</Property>' rwxml_gripper/rwxml_gripper.wc.xml rwxml_gripper/rwxml_gripper_Gripper.dev.xml
must "meshes beside it" [ -n "$(ls urdf_picker/geometry/*.stl tag_arm/geometry/*.stl 2>/dev/null)" ]
ends 0 'loss: frames are added' "$cellpipe" convert "$samples/dh_arm.wu" arm.wc.xml
ends 5 'loss: ' "$cellpipe" convert --strict "$samples/dh_arm.wu" strict.wc.xml
must "nothing is left" [ ! -e strict.wc.xml ]
mkdir inline && ends 0 "" "$cellpipe" convert -q "$samples/rwxml_gripper.wc.xml" inline/cell.wc.xml --out devices=inline
must "one file" sh -c '! ls inline/*.dev.xml 2>/dev/null && grep -q "<TreeDevice name=\"Gripper\">" inline/cell.wc.xml'
ends 0 "" "$cellpipe" diff -q "$samples/rwxml_gripper.wc.xml" inline/cell.wc.xml
# Both kinds of setups exclude the same pairs, by the names that frames have in the file; devices of ROS give theirs to frames.
exclusions() {
    "$cellpipe" info --json "$1" 2>/dev/null | sed -n 's/.*{"first": "\([^"]*\)", "second": "\([^"]*\)".*/\1 \2/p' |
        sed 's/picker\.//g' | awk '{ print $1 < $2 ? $1 " " $2 : $2 " " $1 }' | LC_ALL=C sort -u
}
echo '<robot name="picker">' >pairs.srdf
for pair in 'arm base' 'arm column' 'base column' 'left_finger right_finger'; do
    echo "<disable_collisions link1=\"${pair% *}\" link2=\"${pair#* }\"/>"
done >>pairs.srdf
echo '</robot>' >>pairs.srdf
mkdir setups
for setup in collision proximity; do
    for file in rwxml_gripper.wc.xml tag_names.wu tag_robots.wu; do
        ends 0 "" "$cellpipe" convert -q "$samples/$file" setups/cell.wc.xml --out setup=$setup
        must "$file: the pairs that are checked, $setup" [ "$(pairs "$samples/$file")" = "$(pairs setups/cell.wc.xml)" ]
        must "$file: no other setup, $setup" [ "$(grep -o '<[A-Za-z]*Setup' setups/cell.wc.xml | tr 'A-Z' 'a-z')" = "<${setup}setup" ]
    done
    exclusions "$samples/tag_names.wu" >want && "$cellpipe" convert -q "$samples/tag_names.wu" setups/cell.wc.xml --out setup=$setup
    exclusions setups/cell.wc.xml >got
    must "the names of the pairs, $setup" cmp want got
    must "there are some" [ -s want ]
    ends 0 "" "$cellpipe" convert -q "$samples/urdf_picker.urdf" pairs.srdf setups/ros.wc.xml --out setup=$setup
    exclusions setups/ros.wc.xml >got
    must "pairs of frames that got new names, $setup" [ "$(sed 's/.*/(&)/' got | tr -d '\n')" = "(arm base)(arm column)(base column)(left_finger right_finger)" ]
    ends 0 "" "$cellpipe" info setups/ros.wc.xml
done
ends 0 'loss: frames that are volatile' "$cellpipe" convert "$samples/tag_movable.wu" setups/cell.wc.xml --out setup=proximity
# No pair is excluded: not even neighbours, as without a setup, nor static pairs, as a proximity setup does unless it says no.
printf '<WorkCell name="w"><Frame name="a"/><Frame name="b" refframe="a"><RPY>0 0 0</RPY><Pos>0 0 0</Pos>%s</Frame><Frame name="c" refframe="b"><RPY>0 0 0</RPY><Pos>0 0 0</Pos>%s</Frame><CollisionSetup file="c.xml"/></WorkCell>' \
    '<Drawable name="g"><Box x="1" y="1" z="1"/></Drawable>' '<Drawable name="h"><Box x="1" y="1" z="1"/></Drawable>' >none.wc.xml
echo '<CollisionSetup/>' >c.xml
ends 0 "" "$cellpipe" convert -q none.wc.xml setups/none.wc.xml --out setup=proximity
must "no pair is excluded" sh -c '"$1" info --json setups/none.wc.xml | grep -q "\"checked\": 1,"' - "$cellpipe"
ends 2 'devices=none: ' "$cellpipe" convert "$samples/dh_arm.wu" none.wc.xml --out devices=none
ends 2 'an output of several files cannot go to a stream' "$cellpipe" convert "$samples/dh_arm.wu" - --to rwxml
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# test_exclude_decides.sh PROGRAM: pairs that are hard to decide, and are decided with the default work: arms that reach
# far past what they miss by millimetres, and fingers that meet a rail in one corner of all that seven joints can do.
. "$(dirname "$0")/check.sh"
corpus=$top/../shared/corpus

# status FIRST SECOND: of the pair in the last evidence. undecided: how many are.
status() { sed -n "s/.*\"first\":\"$1\",\"second\":\"$2\",.*\"status\":\"\([^\"]*\)\".*/\1/p" list.xml.json; }
undecided() { grep -c '"status":"undecided"' list.xml.json; }
judge() { "$cellpipe" exclude -q "$@" list.xml --out evidence=yes 2>"$work/stderr"; }

judge "$top/tests/cells/lwr.wu"
must "seven joints" [ "$(status L0 L6)" = never-proved ]
judge "$top/tests/cells/ur.wu"
must "joints whose axes are parallel" [ "$(status Shoulder Wrist2)" = never-proved ]
"$cellpipe" exclude -q "$top/samples/demo.wu" list.xml only=Arm.Gripper work=2000 --out evidence=yes 2>/dev/null
for finger in Left Right; do
    must "$finger: a collision in a corner" [ "$(status "Arm.Gripper.${finger}Finger" FenceRail-8)" = sometimes ]
done

# A PR2 without its meshes: boxes and cylinders are left. FCL's distance, by 300 searches from the best of 200,000
# configurations, comes down to 6.10 mm for each of these pairs.
if [ -d "$corpus" ]; then
    cp "$corpus/robots/urdf/pr2/pr2_description/urdf/robot.xml" pr2.urdf
    judge pr2.urdf
    must "all pairs of the PR2" [ "$(grep -c '"first":' list.xml.json)" = 136 ]
    must "are decided" [ "$(undecided)" = 0 ]
    for pair in "fl_caster_l r" "fl_caster_r r" "fr_caster_l l" "fr_caster_r l"; do
        must "$pair" [ "$(status "${pair% *}_wheel_link" "${pair#* }_gripper_motor_accelerometer_link")" = never-proved ]
    done
    # No proof claims more than that, and with a margin beyond it there is none.
    rm list.xml.json
    "$cellpipe" exclude -q pr2.urdf list.xml margin=6.2mm work=2000 --out evidence=yes 2>/dev/null
    must "it is judged" [ -n "$(status fl_caster_l_wheel_link r_gripper_motor_accelerometer_link)" ]
    must "nearer than 6.2 mm" [ "$(status fl_caster_l_wheel_link r_gripper_motor_accelerometer_link)" != never-proved ]
else
    echo "skipped: no ../shared/corpus"
fi
finish

#!/bin/sh
# test_rwxml_oracle.sh PROGRAM: what is written as RobWork's XML, read by an independent reader of RobWork's rules
# (../shared/reference): the same frames and joints, at the same places in six states. cli/test_rwxml_round_trips shows
# that the files are the cells that were written.
. "$(dirname "$0")/check.sh"
shared=$top/../shared
oracle=$shared/reference/robots/scripts/rw_oracle.py
poses=$(dirname "$cellpipe")/tests/poses
[ -f "$oracle" ] || { echo "skipped: no $oracle"; exit 77; }
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "skipped: test_rwxml_oracle needs python3-numpy"; exit 77; }

check() { # FILE
    for setup in collision proximity; do
        rm -rf out && mkdir out
        "$cellpipe" convert -q "$1" out/out.wc.xml --out setup=$setup
        must "$1, $setup" /usr/bin/python3 "$top/tests/tools/rwxml_poses.py" "$oracle" "$cellpipe" "$poses" \
            out/out.wc.xml 6
    done
}

for name in demo.wu dh_arm.wu tag_arm.wu tag_robots.wu rwxml_gripper.wc.xml urdf_picker.urdf; do
    check "$top/samples/$name"
done
for name in robwork-simple-wc/PA10/PA10.wu robwork-simple-wc/PA10/PA10.dev robwork-simple-wc/SimpleWorkcell.wc.xml \
    robwork-snippets/workcell.wu robwork-simple/workcell.wu robwork-pa10-2018/pa10.xml; do
    check "$shared/corpus/$name"
done
for name in ur6855a/UR6855A/UR6855A.wc.xml calibration/Scene/SomeScene.wc.xml belt_box/belt_box/Scene.wc.xml \
    sdh2/SDH2/SchunkHand.wc.xml schunkhand/SchunkHand/SchunkHand.xml fanuc_lrm200i/Fanuc-LRM200i/fanuc_lrm200i.xml \
    pg70/PG70/PG70.xml pa10_xml/pa10.xml pa10_xml/pa10_dh.xml pa10_xml/pa10_schilling.xml; do
    check "$shared/corpus/robots/rwxml/$name"
done
finish

#!/bin/sh
# boxed_pr2.sh ROBOT: prints a PR2 with a box for each mesh that collides, since the corpus has none of its meshes.
# ROBOT: its file robot.xml. The boxes are about as large as the parts.
[ -r "${1-}" ] || { echo "usage: boxed_pr2.sh ROBOT" >&2; exit 2; }
exec awk -v boxes='base_L .65 .65 .28 0 0 .16
caster_L .15 .09 .09 0 0 .03
torso_lift_L .3 .5 .7 -.1 0 -.25
head_pan_L .18 .25 .15 -.02 0 .02
head_tilt_L .14 .25 .1 .04 0 .05
tilting_hokuyo_L .08 .08 .07 0 0 .03
shoulder_pan .24 .2 .3 .02 0 -.12
shoulder_lift .18 .2 .2 0 0 0
upper_arm_roll_L .1 .15 .15 .06 0 0
upper_arm .3 .14 .14 .22 0 0
elbow_flex .15 .12 .12 0 0 0
forearm_roll_L .06 .1 .1 .05 0 0
forearm .22 .1 .1 .19 0 0
wrist_flex .06 .08 .08 0 0 0
wrist_roll_L .03 .05 .05 .01 0 0
gripper_palm .1 .13 .06 .07 0 0
l_finger .08 .03 .03 .05 .02 0
l_finger_tip .03 .02 .025 .01 .005 0' '
    BEGIN {
        count = split(boxes, lines, "\n")
        for (i = 1; i <= count; i++) {
            split(lines[i], n, " ")
            size[n[1]] = n[2] " " n[3] " " n[4]
            place[n[1]] = n[5] " " n[6] " " n[7]
        }
    }
    # An element collision is kept until its end, to put the place of a box before it.
    /<collision/ { origin = ""; shape = ""; within = 1 }
    !within { print; next }
    /<origin/ { origin = $0 }
    /<(box|cylinder|sphere) / { shape = $0 }
    /<mesh / {
        name = $0
        sub(/\.(stl|dae).*/, "", name)
        sub(/.*\//, "", name)
        if (!(name in size)) { print "boxed_pr2.sh: no box for " name >"/dev/stderr"; exit 1 }
        shape = "<box size=\"" size[name] "\"/>"
        origin = "<origin xyz=\"" place[name] "\" rpy=\"0 0 0\"/>"
    }
    /<\/collision>/ {
        within = 0
        print "<collision>" origin "<geometry>" shape "</geometry></collision>"
    }' "$1"

#!/bin/sh
# test_srdf.sh PROGRAM: SRDF that is written, by another reader of XML, and old lists beside what is found.
. "$(dirname "$0")/check.sh"
cases=$top/tests/cases/srdf robots=$top/../shared/reference/robots/expanded
cp "$cases"/arm.urdf "$cases"/old.srdf "$cases"/default_colliding.srdf "$cases"/good.srdf .

# Prints the elements of an SRDF, a line each, by Python's reader: groups and the like with all that is in them, pairs
# with the links in order. Blanks between elements do not count.
cat >elements.py <<'EOF'
import sys, xml.etree.ElementTree as tree
def line(at):
    inner = "".join(line(child) for child in at)
    values = dict((name, value.strip()) for name, value in at.attrib.items())
    if at.tag == "disable_collisions":
        values["link1"], values["link2"] = sorted((values["link1"], values["link2"]))
        values.setdefault("reason", "User")
    return "<%s %s>%s" % (at.tag, " ".join("%s=%s" % item for item in sorted(values.items())), inner)
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "robot"
print("robot", root.get("name"))
for text in sorted(line(child) for child in root):
    print(text)
EOF
elements() { python3 elements.py "$1"; }
same_elements() { elements "$1" >one && elements "$2" >two && [ -s one ] && cmp -s one two; }
has() { elements "$1" >one && grep -qxF -- "$2" one; }
has_no() { elements "$1" >one && ! grep -qF -- "$2" one; }

# ---- what is read is written again ----

for robot in panda panda_arm_hand fanuc_m10ia fr3 pr2; do
    if [ ! -d "$robots" ]; then
        echo "skipped: $robots is not there"
        break
    fi
    ends 0 '' "$cellpipe" convert "$robots/$robot.srdf" "$robot.srdf"
    must "$robot: all elements are written again" same_elements "$robots/$robot.srdf" "$robot.srdf"
    ends 0 '' "$cellpipe" convert "$robot.srdf" again.srdf
    must "$robot: and twice the same" cmp "$robot.srdf" again.srdf
done
ends 0 '' "$cellpipe" convert arm.urdf good.srdf beside.srdf
must "beside its robot, too" same_elements good.srdf beside.srdf
ends 0 '' "$cellpipe" convert arm.urdf good.srdf stage.glb --out profile=stage
ends 0 '' "$cellpipe" convert stage.glb staged.srdf
must "a stage carries it" cmp beside.srdf staged.srdf

cp "$cases/default.srdf" .
ends 0 'are not known without the robot' "$cellpipe" convert default.srdf defaults.srdf
must "links whose pairs are excluded, and enabled pairs" same_elements default.srdf defaults.srdf
ends 0 '' "$cellpipe" convert arm.urdf default.srdf defaults.srdf
must "beside the robot the pairs are known" has defaults.srdf '<disable_collisions link1=lower link2=upper reason=User>'
must "and nothing else is needed" has_no defaults.srdf 'default_collisions'
ends 0 'loss: pairs that the list enables' "$cellpipe" exclude arm.urdf new.srdf keep=default.srdf

# ---- xacro ----

corpus=$top/../shared/corpus/robots/urdf
if [ -d "$corpus" ]; then
    ends 0 '' "$cellpipe" convert --confine=no "$corpus/franka_fr3/franka_description/robots/fr3/fr3.srdf.xacro" expanded.srdf
    must "fr3.srdf.xacro" same_elements "$robots/fr3.srdf" expanded.srdf
    ends 0 '' "$cellpipe" convert --confine=no "$corpus/moveit_panda/panda_moveit_config/config/panda_arm_hand.srdf.xacro" expanded.srdf
    must "panda_arm_hand.srdf.xacro" same_elements "$robots/panda_arm_hand.srdf" expanded.srdf
fi
# One that only includes says nothing about links: its name decides.
cat >macros.xacro <<'EOF'
<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="pairs" params="reason:=Never">
<disable_collisions link1="base" link2="upper" reason="${reason}"/></xacro:macro></robot>
EOF
cat >top.srdf.xacro <<'EOF'
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="why" default="Never"/>
<xacro:include filename="macros.xacro"/><xacro:pairs reason="$(arg why)"/></robot>
EOF
ends 0 '' "$cellpipe" convert arm.urdf top.srdf.xacro top.srdf
must "a file that only includes" has top.srdf '<disable_collisions link1=base link2=upper reason=Never>'
ends 0 '' "$cellpipe" convert top.srdf.xacro top.srdf --in arg=why:=Default
must "an argument" has top.srdf '<disable_collisions link1=base link2=upper reason=Default>'
ends 0 '' "$cellpipe" exclude arm.urdf new.srdf keep=top.srdf.xacro
printf '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="arm.urdf"/></robot>' >top.urdf.xacro
ends 0 '' "$cellpipe" info top.urdf.xacro
must "and of a robot" grep -q '^joints  *2$' "$work/stdout"

# ---- a robot without an SRDF ----

ends 0 '' "$cellpipe" exclude arm.urdf new.srdf
elements new.srdf >found
cat >expected <<'EOF'
robot arm
<disable_collisions link1=base link2=lower reason=Never>
<disable_collisions link1=base link2=upper reason=Never>
<end_effector group=arm_tool name=arm_tool parent_group=arm parent_link=tool>
<group name=arm><chain base_link=base tip_link=tool>
<group name=arm_tool><link name=tool>
<group_state group=arm name=home><joint name=shoulder value=0><joint name=elbow value=0>
<virtual_joint child_link=base name=world_base parent_frame=world type=fixed>
EOF
must "the whole SRDF" cmp found expected
must "the proof stands before the pair" sh -c 'grep -A1 "<!-- never-proved, clearance [0-9.]* mm -->" new.srdf | grep -q "link1=\"base\" link2=\"lower\""'
ends 0 '' "$cellpipe" convert arm.urdf new.srdf - --to dump --strict
must "the end is read again" grep -q '^device "arm" .* ends "tool"' "$work/stdout"
ends 0 '' "$cellpipe" exclude "$top/samples/tag_robots.wu" robots.srdf work=50 samples=5 descents=1
must "several devices" sh -c '[ "$(python3 elements.py robots.srdf | grep -c "^<group_state")" -gt 1 ]'
sed 's/type="revolute"/type="planar"/' arm.urdf >planar.urdf
ends 0 '' "$cellpipe" exclude planar.urdf planar.srdf samples=1 descents=1 work=1
must "a planar joint is one, with three values" has planar.srdf '<group_state group=arm name=home><joint name=shoulder value=0 0 0><joint name=elbow value=0 0 0>'
sed 's/"shoulder" type="revolute"/"shoulder" type="fixed"/; s/"elbow" type="revolute"/"elbow" type="fixed"/' arm.urdf >fixed.urdf
ends 0 '' "$cellpipe" exclude fixed.urdf fixed.srdf
must "static neighbours" has fixed.srdf '<disable_collisions link1=base link2=upper reason=Adjacent>'
must "static pairs" has fixed.srdf '<disable_collisions link1=base link2=lower reason=Never>'
printf '{ "WORLD"\n}\n{ "A"\n ReferenceFrame "WORLD"\n Movable\n Device "one.dev"\n}\n' >one.wu
printf '{ "Base"\n GeoID "#Box 1 1 1"\n}\n{ "J"\n ReferenceFrame "Base"\n ActiveJoint\n Revolute\n GeoID "#Box 1 1 1"\n}\n' >one.dev
ends 0 '' "$cellpipe" exclude one.wu one.srdf
must "a robot that may be moved" has one.srdf '<virtual_joint child_link=A name=world_A parent_frame=world type=floating>'
sed 's/<joint name="shoulder" type="revolute"/<joint name="shoulder" type="floating"/' arm.urdf >floating.urdf
ends 0 '' "$cellpipe" exclude floating.urdf floating.srdf
must "pairs of what may be moved are checked" has_no floating.srdf 'link1=base'

# ---- old lists ----

ends 0 '"lower" and "upper", which the list excludes \(Never\), collide at elbow=-?[0-9.]+: they stay checked' "$cellpipe" exclude arm.urdf new.srdf keep=old.srdf
witness=$(sed -n 's/.*collide at \(elbow=[-0-9.]*\):.*/\1/p' "$work/stderr")
ends 1 '' "$cellpipe" collide arm.urdf "$witness" --json
must "they do collide there" grep -q '"lower"' "$work/stdout"
must "a pair that collides is checked" has_no new.srdf 'link1=lower link2=upper'
must "a pair by hand is kept" has new.srdf '<disable_collisions link1=base link2=upper reason=User>'
must "a pair that nobody can judge, too" has new.srdf '<disable_collisions link1=base link2=tool reason=Never>'
must "new pairs are there" has new.srdf '<disable_collisions link1=base link2=lower reason=Never>'
must "groups are kept" has new.srdf '<group name=all><chain base_link=base tip_link=tool>'
must "properties are kept" has new.srdf '<joint_property joint_name=elbow property_name=angle value=a < b>'
must "nothing else is made up" has_no new.srdf '<group_state'
ends 0 '' "$cellpipe" exclude -q arm.urdf - keep=old.srdf --to dump
must "it is not called the user's" grep -q '^pair "base" "tool" verdict excluded reason "given" evidence "SRDF: Never"' "$work/stdout"
ends 0 'old\.srdf: note: 2 pairs of the list were judged: 1 of them collide' "$cellpipe" exclude -v arm.urdf new.srdf keep=old.srdf
ends 0 '\(Default\), collide at .*: they stay checked' "$cellpipe" exclude arm.urdf new.srdf keep=default_colliding.srdf keep-colliding=no
must "a pair by hand that collides is checked" has_no new.srdf 'link1=lower link2=upper'
ends 0 '\(Default\), collide at .*: they are excluded all the same' "$cellpipe" exclude arm.urdf new.srdf keep=default_colliding.srdf
must "unless it is kept all the same" has new.srdf '<disable_collisions link1=lower link2=upper reason=Default>'
printf '<robot name="arm"><disable_collisions link1="lower" link2="upper"/></robot>' >plain.srdf
ends 0 'excludes \(no reason\), collide at' "$cellpipe" exclude arm.urdf new.srdf keep=plain.srdf
sed 's/0 0 2\.3/0 0 2/' arm.urdf >touching.urdf
printf '<robot name="arm"><disable_collisions link1="lower" link2="upper" reason="Never"/></robot>' >never.srdf
ends 0 'excludes \(Never\), collide at all joint values: they are excluded all the same' "$cellpipe" exclude touching.urdf new.srdf keep=never.srdf
must "it is always" has new.srdf '<disable_collisions link1=lower link2=upper reason=Always>'
ends 0 'they are excluded all the same' "$cellpipe" exclude arm.urdf new.srdf keep=old.srdf adjacent=yes
must "neighbours are excluded if asked for" has new.srdf '<disable_collisions link1=lower link2=upper reason=Adjacent>'

printf '<robot name="arm"><disable_default_collisions link="lower"/></robot>' >default.srdf
ends 0 'default\.srdf: loss: links that the list disables as a whole: their pairs are judged' "$cellpipe" exclude arm.urdf new.srdf keep=default.srdf
must "a pair that collides is not disabled with its link" has_no new.srdf '<disable_default_collisions'

ends 1 '' "$cellpipe" diff old.srdf beside.srdf cell=arm.urdf
must "diff tells what a list excludes wrongly" grep -Eq '^exclusion "lower" - "upper": excluded by both, but they collide at elbow=' "$work/stdout"
must "and what only one has" grep -qF 'exclusion "base" - "lower": only in beside.srdf (never-proved)' "$work/stdout"

# MoveIt's own list of the Panda: a pair that its samples call Never collides. That triangles of the two links cross at
# these joint values was found by a program that shares no code with this one.
if [ -d "$robots" ]; then
    sed "s#@corpus@#$(realpath "$corpus/..")#" "$robots/panda.urdf" >panda.urdf
    ends 0 '"panda_link2" and "panda_link6", which the list excludes \(Never\), collide at panda_joint3=' \
        "$cellpipe" exclude --confine=no panda.urdf new.srdf "keep=$robots/panda.srdf" -v
    must "and no other Never" [ "$(grep -c '(Never), collide' "$work/stderr")" = 1 ]
    must "of 34 pairs" grep -q 'note: 34 pairs of the list were judged: 2 of them collide' "$work/stderr"
    ends 1 '' "$cellpipe" collide -q --confine=no panda.urdf panda_joint3=-0.3735549534259097 panda_joint4=-3.1416 \
        panda_joint5=-2.9671 panda_joint6=3.1202913954218263
    must "they collide there" grep -q '"\{0,1\}panda_link2.*panda_link6' "$work/stdout"
fi

# ---- many links without pairs ----

# A list that excludes too much is refused before its pairs are made: 10,000 links have 10^8.
many() { # COUNT: links of a robot, and elements of its list
    awk -v n="$1" 'BEGIN { print "<robot name=\"r\"><link name=\"l0\"/>"
        for (i = 1; i < n; i++) printf "<link name=\"l%d\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision></link><joint name=\"j%d\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l%d\"/></joint>\n", i, i, i
        print "</robot>" }' >many.urdf
    awk -v n="$1" 'BEGIN { print "<robot name=\"r\">"; for (i = 0; i < n; i++) printf "<disable_default_collisions link=\"l%d\"/>\n", i; print "</robot>" }' >many.srdf
}
many 10000
ends 6 'many\.srdf:402: error: <disable_default_collisions> excludes more than 4000000 pairs' \
    within 1 "$cellpipe" convert many.urdf many.srdf many.glb
many 1000
ends 0 '' "$cellpipe" convert many.urdf many.srdf - --to dump
must "the pairs of 1,000 links, once each" [ "$(grep -c '^pair ' "$work/stdout")" = $((999 + 999 * 998 / 2)) ]
ends 6 'many\.srdf:5: error: .* excludes more than 2996 pairs' \
    "$cellpipe" convert many.urdf many.srdf --limit pairs=2996 many.glb
for times in 1 2 3 4 5 6 7 8 9; do echo '<disable_default_collisions link="l1"/>'; done >twice
{ echo '<robot name="r">' && cat twice && echo '</robot>'; } >many.srdf
ends 0 'names the link "l1" twice' "$cellpipe" convert many.urdf many.srdf --limit pairs=998 many.glb

# ---- several robots ----

sed 's/name="arm"/name="leg"/' arm.urdf >leg.urdf
sed 's/name="arm"/name="leg"/' good.srdf >leg.srdf
ends 0 '' "$cellpipe" run read arm.urdf ! read leg.urdf ! read leg.srdf ! write robots.dump
must "the pairs of the robot with that name" grep -q '^pair "base#2" "upper#2" verdict excluded' robots.dump
must "its joints" grep -q '^joint "shoulder#2" .* home 0\.25' robots.dump
must "not those of the other one" grep -q '^joint "shoulder" .* home 0 ' robots.dump

# ---- names ----

printf '<robot name="a&lt;b"><disable_collisions link1="&quot;x&quot;" link2="&amp;y" reason="Never"/></robot>' >odd.srdf
ends 0 '' "$cellpipe" convert odd.srdf odd2.srdf
must "odd names" same_elements odd.srdf odd2.srdf

echo "$passed passed, $failed failed"
[ $failed = 0 ]

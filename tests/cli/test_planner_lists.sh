#!/bin/sh
# test_planner_lists.sh PROGRAM: lists for MuJoCo, Drake and RobWork, by other readers of XML and a strict one of the YAML
# that is written. All of them have the pairs of the SRDF.
. "$(dirname "$0")/check.sh"
cp -R "$top"/samples/urdf_picker* "$top"/tests/cases/srdf/arm.urdf .

# Prints the pairs of a list, sorted.
cat >pairs.py <<'EOF'
import json, re, sys, xml.etree.ElementTree as tree
path, model = sys.argv[1], sys.argv[2]
def yaml(path):
    lines, groups = open(path, encoding="utf-8").read().split("\n"), {}
    assert lines.pop() == ""
    if lines == ["directives: []"]:
        return []
    assert lines.pop(0) == "directives:"
    while lines:
        assert lines.pop(0) == "- add_collision_filter_group:"
        words = [re.fullmatch(r"    ([a-z_]+): (.*)", lines.pop(0)).groups() for _ in range(3)]
        assert [key for key, _ in words] == ["name", "members", "ignored_collision_filter_groups"]
        name, members, ignored = [json.loads(value) for _, value in words]
        assert name not in groups and ":" not in name and len(members) == 1
        assert members[0].startswith(model), members
        groups[name] = members[0][len(model):], ignored
    return [(link, groups[other][0]) for link, ignored in groups.values() for other in ignored]
def xml(path):
    root = tree.parse(path).getroot()
    if root.tag == "mujoco":
        assert [child.tag for child in root] == ["contact"]
        return [(at.get("body1"), at.get("body2")) for at in root[0] if at.tag == "exclude"]
    if root.tag == "ProximitySetup":
        assert root.get("UseIncludeAll") == "true"
        return [(at.get("PatternA"), at.get("PatternB")) for at in root if at.tag == "Exclude"]
    return [(at.get("link1"), at.get("link2")) for at in root if at.tag == "disable_collisions"]
pairs = [tuple(sorted(pair)) for pair in (yaml if path.endswith(".yaml") else xml)(path)]
assert len(pairs) == len(set(pairs))
for pair in sorted(pairs):
    print("%s\t%s" % pair)
EOF

# same ROBOT MODEL [K=V]...: all lists of the robot have the same pairs.
same() {
    robot=$1 model=$2
    shift 2
    for suffix in srdf contact.xml prox.xml dmd.yaml; do
        "$cellpipe" exclude -q "$robot" "list.$suffix" "$@" 2>>messages || fail "$robot to $suffix"
        python3 pairs.py "list.$suffix" "$model" >"pairs.$suffix" || fail "$suffix cannot be read"
    done
    must "$robot: there are pairs" [ -s pairs.srdf ]
    for suffix in contact.xml prox.xml dmd.yaml; do
        must "$robot: pairs of $suffix" cmp pairs.srdf "pairs.$suffix"
    done
}
same urdf_picker.urdf picker::
must "13 pairs" [ "$(wc -l <pairs.srdf)" = 13 ]
sed 's/"upper"/"u\&quot;p:p\\er"/; s/"upper"/"u\&quot;p:p\\er"/' arm.urdf >odd.urdf # a quote, a colon, a backslash
same odd.urdf arm::
must "odd names" grep -qF 'u"p:p\er' pairs.dmd.yaml

ends 0 '' "$cellpipe" convert urdf_picker.urdf urdf_picker.srdf other.dmd.yaml --out model=left
must "a model of another name" sh -c 'python3 pairs.py other.dmd.yaml left:: >one && grep -q "^column.hand$" one'
ends 0 '' "$cellpipe" convert urdf_picker.urdf urdf_picker.srdf other.dmd.yaml --out model=
must "a model without a name" sh -c 'python3 pairs.py other.dmd.yaml "" >one && grep -q "^column.hand$" one'

# ---- losses ----

ends 0 'loss: pairs of a body and its parent that are to be checked: .* \(2\)$' "$cellpipe" exclude urdf_picker.urdf a.contact.xml
ends 0 'loss: all of the scene: it says nothing about pairs' "$cellpipe" convert urdf_picker.urdf a.dmd.yaml
must "a list of nothing" [ "$(cat a.dmd.yaml)" = "directives: []" ]
printf '{ "WORLD"\n CollisionSetup "static.xml"\n}\n{ "A*"\n GeoID "#Box 1 1 1"\n}\n{ "B"\n GeoID "#Box 1 1 1"\n}\n' >static.wu
printf '<CollisionSetup><Exclude><FramePair first="A*" second="B"/></Exclude><Volatile>B</Volatile><ExcludeStaticPairs/></CollisionSetup>' >static.xml
for suffix in srdf contact.xml dmd.yaml; do
    ends 0 'loss: that all pairs which cannot move against each other are excluded' "$cellpipe" convert static.wu "static.$suffix"
done
ends 0 'loss: excluded pairs whose names RobWork would take for patterns' "$cellpipe" convert static.wu static.prox.xml
ends 0 'loss: frames that are volatile' "$cellpipe" convert static.wu static.prox.xml
must "static pairs as a whole" grep -q 'UseExcludeStaticPairs="true"' static.prox.xml
must "no pattern" sh -c '! grep -q Exclude.Pattern static.prox.xml'
ends 5 'list-kept|though another statement excludes them' "$cellpipe" convert "$top/tests/cases/srdf/both.srdf" both.contact.xml --strict

# Frames of one link are one; a pair of links is excluded if all pairs of their frames are.
cat >links.wu <<'EOF'
{ "WORLD"
 CollisionSetup "links.xml"
}
{ "L"
 Link
}
{ "La"
 ReferenceFrame "L"
 GeoID "#Box 1 1 1"
}
{ "Lb"
 ReferenceFrame "L"
 GeoID "#Box 1 1 1"
}
{ "C"
 GeoID "#Box 1 1 1"
}
EOF
printf '<CollisionSetup><Exclude><FramePair first="La" second="C"/><FramePair first="Lb" second="C"/></Exclude></CollisionSetup>' >links.xml
ends 0 '' "$cellpipe" convert links.wu links.srdf
must "two frames are one link" [ "$(python3 pairs.py links.srdf '')" = "$(printf 'C\tL')" ]
printf '<CollisionSetup><Exclude><FramePair first="La" second="C"/></Exclude></CollisionSetup>' >links.xml
ends 0 'loss: excluded pairs: others of the same links are to be checked' "$cellpipe" convert links.wu links.srdf
must "then the link is checked" [ -z "$(python3 pairs.py links.srdf '')" ]

# MuJoCo knows bodies: what is fixed to each other is one, and hangs on the body above, whatever frames have the geometry.
# It checks bodies with the world.
cat >bodies.wu <<'EOT'
{ "WORLD"
}
{ "Base"
 GeoID "#Box 1 1 1"
}
{ "Post"
 Position (0, 1.2, 2)
 GeoID "#Box 1 1 1"
}
{ "J1"
 Position (0, 0, 2)
 ActiveJoint
 Revolute
 JointPosLimit -90 90
}
{ "La"
 ReferenceFrame "J1"
 Position (1.2, 0, 0)
 GeoID "#Box 1 1 1"
}
{ "Lb"
 ReferenceFrame "J1"
 Position (2.4, 0, 0)
 GeoID "#Box 1 1 1"
}
{ "J2"
 ReferenceFrame "La"
 Position (0, 0, 1)
 ActiveJoint
 Prismatic
 JointPosLimit -2 2
}
{ "M"
 ReferenceFrame "J2"
 Position (0.6, 0, 0)
 GeoID "#Box 1 1 1"
}
EOT
ends 0 'loss: pairs of a body and its parent that are to be checked: .* \(2\)$' "$cellpipe" exclude bodies.wu bodies.contact.xml
must "nothing else is lost" [ "$(grep -c 'loss:' "$work/stderr")" = 1 ]
cat >fixed.urdf <<'EOT'
<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>
EOT
printf '<robot name="r"><enable_collisions link1="a" link2="b"/></robot>' >fixed.srdf
ends 0 'loss: pairs of bodies that are fixed to each other and are to be checked, which MuJoCo never does$' \
    "$cellpipe" convert fixed.urdf fixed.srdf fixed.contact.xml

# Two robots, far from each other, with the same names of links.
for robot in "left 0" "right 9"; do
    # shellcheck disable=SC2086 # two words
    set -- $robot
    cat >"$1.urdf" <<EOF
<robot name="$1"><link name="root"/>
<link name="a"><collision><origin xyz="$2 0 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="b"><collision><origin xyz="$2 0 3"/><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="fixed"><parent link="root"/><child link="a"/></joint>
<joint name="k" type="prismatic"><axis xyz="0 0 1"/><parent link="a"/><child link="b"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>
EOF
done
ends 0 '' "$cellpipe" run read left.urdf ! read right.urdf ! exclude ! write robots.dmd.yaml --strict
for one in a b; do
    for other in a b; do
        must "left $one, right $other" sh -c "grep -A3 'name: \"left%3a%3a$one\"' robots.dmd.yaml | grep -q '\"right%3a%3a$other\"'"
    done
    must "the member of right $one" sh -c "grep -A1 'name: \"right%3a%3a$one\"' robots.dmd.yaml | grep -qF '[\"right::$one\"]'"
done
for suffix in srdf contact.xml prox.xml; do
    ends 0 'loss: excluded pairs of two links with the same name, which are checked \(2\)' \
        "$cellpipe" run read left.urdf ! read right.urdf ! exclude ! write "robots.$suffix"
done
ends 0 'loss: excluded pairs of two links with the same name' \
    "$cellpipe" run read left.urdf ! read right.urdf ! exclude ! write robots.dmd.yaml model=one

echo "$passed passed, $failed failed"
[ $failed = 0 ]

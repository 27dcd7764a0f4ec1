#!/bin/sh
# test_list.sh PROGRAM: lists of exclusions, their further files, and whether they still fit a cell that changes.
. "$(dirname "$0")/check.sh"

# says LINE: it is among the last command's results.
says() {
    must "says $1" grep -qxF -- "$1" "$work/stdout"
}

sed -i '/Gone/d' pairs.xml
ends 0 '' "$cellpipe" convert cell.wu list.xml --out evidence=yes --strict
must "evidence" [ -s list.xml.json ]
ends 0 '' "$cellpipe" check cell.wu list=list.xml
says 'cell.wu: ok'
says 'list.xml: ok'

# The same bytes again, by any number of threads, from a folder elsewhere, and packed.
cp list.xml.json first.json
mkdir deep
for file in cell.wu arm.dev pairs.xml part.stl; do cp $file deep; done
ends 0 '' "$cellpipe" convert deep/cell.wu deep/list.xml --out evidence=yes --threads 4
must "evidence does not depend on folders" cmp first.json deep/list.xml.json
ends 0 '' "$cellpipe" convert cell.wu list.xml.gz --out evidence=yes
must "evidence is beside list.xml.gz" cmp first.json list.xml.gz.json
ends 0 '' "$cellpipe" check cell.wu list=list.xml.gz
must "hash of the cell" [ "$(grep -c '"file":"cell.wu","xxh3_128":"' first.json)" = 1 ]
"$cellpipe" convert --from tag - list2.xml --out evidence=yes <cell.wu 2>"$work/stderr"
must "standard input has no hash" grep -qF '{"file":"stdin"}' list2.xml.json

# What does not matter: names of the cell's own file, where joints stand, what is only drawn.
sed 's/DeviceHomePos (0.5, 0.25)/DeviceHomePos (0, 0)/; s/DrawableID "part"/DrawableID "#Box 1 1 1"/' cell.wu >other.wu
ends 0 '' "$cellpipe" check other.wu list=list.xml

# What does.
sed 's/JointPosLimit -90 90/JointPosLimit -90 80/; s/Prismatic/Prismatic\n  JointPosLimit 0 0.1/' arm.dev >arm2.dev
sed 's/arm.dev/arm2.dev/' cell.wu >changed.wu
ends 1 '"Arm.J2" stands at 0.25, outside its limits 0 and 0.1' "$cellpipe" check changed.wu list=list.xml
says 'list.xml: limits of "Arm.J2": none .. none -> 0 .. 0.1 m; 1 pair'
sed 's/#Cylinder 0.05 0.1 12/#Cylinder 0.06 0.1 12/' arm.dev >arm2.dev
ends 1 '' "$cellpipe" check changed.wu list=list.xml
says 'list.xml: the geometry of "Arm.J1Geo" has changed; 1 pair'
sed 's/J2Geo/J3Geo/' arm.dev >arm2.dev
ends 1 'pairs.xml:3: warning: the collision setup names "Arm.J2Geo"' "$cellpipe" check changed.wu list=list.xml
says 'list.xml: frame "Arm.J2Geo" is gone'
says 'list.xml: frame "Arm.J3Geo" is new: no pair of it was looked at'

# Entries of the report, and the exit code beside another fault.
"$cellpipe" check -q changed.wu list=list.xml --report report.json >"$work/stdout" 2>&1
must "report" [ "$(grep -c '"code": "check-list"' report.json)" = 2 ]
ends 1 '' "$cellpipe" check solid open.stl list=list.xml
says 'open.stl: mesh "open" is not closed: 3 border edges, 0 edges of more than two faces, 0 edges between faces that are wound against each other'
says 'list.xml: frame "Arm.J1Geo" is gone'

# The list itself was changed.
sed '/FramePair/d' list.xml >list.new
mv list.new list.xml
ends 1 '' "$cellpipe" check cell.wu list=list.xml
says 'list.xml: pair "Arm.J1Geo" "Arm.J2Geo": is excluded by the evidence, but not by the list'

# Files of devices, named as the documentation's are.
ends 0 '' "$cellpipe" convert cell.wu split.xml --out split=device --out evidence=yes
must "the device's file" grep -qF '<FramePair first="J1Geo" second="J2Geo"/>' ArmCollisionSetup.xml
must "the rest" [ "$(cat split.xml)" = "<CollisionSetup>
</CollisionSetup>" ]
ends 0 '' "$cellpipe" check cell.wu list=split.xml
rm ArmCollisionSetup.xml
ends 3 'ArmCollisionSetup.xml: error: cannot be opened' "$cellpipe" check cell.wu list=split.xml

# Nothing is left behind when one of the files cannot be.
mkdir out out/ArmCollisionSetup.xml
ends 4 'ArmCollisionSetup.xml: error: is a folder' "$cellpipe" convert cell.wu out/x.xml --out split=device --out evidence=yes
must "no traces" [ "$(folder out)" = 'ArmCollisionSetup.xml ' ]
ends 2 'pairs.xml: error: is an input' "$cellpipe" convert cell.wu pairs.xml --out evidence=yes
must "no evidence either" [ ! -e pairs.xml.json ]

# What only decides whether there can be a proof counts, too: a joint without limits that others follow by a part of it, and what scales above.
cat >rack.wu <<'F'
{ "Base"
}
{ "Turn"
  ReferenceFrame "Base"
  Position (0, 0, 5)
  ActiveJoint
  Revolute
  JointPosLimit -180 180
}
{ "Rack"
  ReferenceFrame "Base"
  PassivePrismatic "Turn" 0.1 0
}
{ "Bar"
  ReferenceFrame "Rack"
  GeoID "#Box 0.1 0.1 0.3"
}
{ "Stop"
  ReferenceFrame "Base"
  Position (0, 0, 0.8)
  GeoID "#Box 0.5 0.5 0.1"
}
F
ends 0 'nothing to check: .* \(1\)' "$cellpipe" exclude rack.wu rack.xml margin=10mm --out evidence=yes
must "a proof" grep -q 'first="Bar" second="Stop" reason="never-proved"' rack.xml
ends 0 '' "$cellpipe" check rack.wu list=rack.xml
grep -v Limit rack.wu >unlimited.wu
ends 1 '' "$cellpipe" check unlimited.wu list=rack.xml
says 'rack.xml: limits of "Turn": -3.14159 .. 3.14159 -> none .. none rad; 1 pair'
sed 's/180 180/180 90/' rack.wu >narrower.wu
ends 1 '' "$cellpipe" check narrower.wu list=rack.xml
says 'rack.xml: upper limit of "Turn": 3.14159 -> 1.5708 rad; 1 pair'
must "the other limit is no cause" [ "$(grep -c limit "$work/stdout")" = 1 ]
sed '1a\  RPY (-169.8, 120.9, -24.2)\n  Position (1, 2, 3)' rack.wu >turned.wu
ends 0 '' "$cellpipe" check turned.wu list=rack.xml
sed '1a\  I (1.4, 0, 0)\n  J (0, 0.2, 0)\n  K (0, 0, 1)' rack.wu >uneven.wu
ends 1 '' "$cellpipe" check uneven.wu list=rack.xml
# A list excludes by names: what has the same ones as something that is to be checked is not in it; when somebody puts it there, it is seen.
printf '{ "J"\n  ActiveJoint\n  Revolute\n  JointPosLimit -90 90\n}\n{ "B"\n  ReferenceFrame "J"\n  Position (1, 0, 0)\n  GeoID "#Box 0.1 0.1 0.1"\n}\n' >one.wu
printf '{ "X"\n  Position (0, 1, 0)\n  GeoID "#Box 0.1 0.1 0.1"\n}\n' >post.wu
sed 's/(1, 0, 0)/(5, 0, 0)/' one.wu >two.wu
"$cellpipe" run -q read one.wu ! read two.wu ! read post.wu ! write same.glb profile=stage
"$cellpipe" exclude -q same.glb same.xml --out evidence=yes
ends 0 '' "$cellpipe" check same.glb list=same.xml
must "the pair that collides is not listed" sh -c '! grep -q \"X\" same.xml'
must "the evidence says so" grep -q '"first":"B","second":"X".*"status":"never-proved","verdict":"kept"' same.xml.json
sed -i 's|<Exclude>|&<FramePair first="B" second="X" reason="never-proved"/>|' same.xml
ends 1 '' "$cellpipe" check same.glb list=same.xml
must "said" grep -qE '^same.xml: pair "(B|X)" "(B|X)": is excluded by the list, but not by the evidence$' "$work/stdout"
"$cellpipe" diff same.xml same.xml cell=same.glb >"$work/stdout" 2>"$work/stderr"
must "diff tells of the pair that collides" grep -qE '^exclusion "B" - "X": excluded by both, but they collide at id:J' "$work/stdout"

# Anybody can read it.
if command -v node >/dev/null; then
    must "JSON" node -e 'const list = JSON.parse(require("fs").readFileSync("first.json"));
        if (list.pairs.length !== 2 || list.frames.length !== 3 || list.inputs.length !== 4) process.exit(1);
        for (const pair of list.pairs) if (!/^[0-9a-f]{16}$/.test(pair.key)) process.exit(1);'
else
    echo "skipped: test_list's JSON needs node"
fi
finish

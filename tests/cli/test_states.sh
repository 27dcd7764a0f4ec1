#!/bin/sh
# test_states.sh PROGRAM: diff states=N, on an arm of two links of 1 m and 0.5 m whose differences are worked out by hand.
. "$(dirname "$0")/check.sh"

# arm LENGTH SIGN LIMITS EXTRA: links turn about Z; SIGN is that of the second axis.
arm() {
    cat <<END
<robot name="r"><link name="base"/><link name="one"/><link name="two"/><link name="tip"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="one"/><child link="two"/><origin xyz="$1 0 0"/><axis xyz="0 0 $2"/><limit $3 effort="1" velocity="1"/>$4</joint>
<joint name="t" type="fixed"><parent link="two"/><child link="tip"/><origin xyz="0.5 0 0"/></joint></robot>
END
}
wide='lower="-2" upper="2"'
arm 1 1 "$wide" >a.urdf
arm 1.1 1 "$wide" >longer.urdf
arm 1 -1 'lower="0.25" upper="0.25"' >turned.urdf
arm 1 1 "$wide" '<mimic joint="j1" multiplier="2" offset="0.1"/>' >follows.urdf
sed 's/"j1"/"shoulder"/; s/"j2"/"elbow"/; s/"one"/"upper"/g; s/"two"/"lower"/g; s/"tip"/"tool"/g' a.urdf >named.urdf
sed 's/<joint name="j2" type="revolute">/<joint name="j2" type="fixed">/' a.urdf >stiff.urdf
sed 's/<joint name="j2" type="revolute">/<joint name="k2" type="prismatic">/' a.urdf >slides.urdf
cat >a.wu <<'END'
NameOfData "two links"
{ "base"
}
{ "j1"
  ReferenceFrame "base"
  ActiveJoint
  Revolute
  JointPosLimit -57 57
}
{ "j2"
  ReferenceFrame "j1"
  Position (1, 0, 0)
  ActiveJoint
  Revolute
  JointPosLimit -114 114
}
{ "tip"
  ReferenceFrame "j2"
  Position (0.5, 0, 0)
}
END

# states CODE A B WORDS...: what it prints is in stdout.
states() {
    code=$1
    shift
    ends "$code" '' "$cellpipe" diff "$@"
}
said() { must "$1 in $(cat "$work/stdout")" grep -Eq -- "$1" "$work/stdout"; }

# The same arm, in four formats and as another tool writes it.
states 0 a.urdf a.urdf states=100
said '^states      101: home, and random values'
said '^position    0 m at most$'
said '^angle       0 deg at most$'
said '^equal; the tolerance is 1e-09 m and rad$'
"$cellpipe" convert -q a.urdf a.glb
"$cellpipe" convert -q a.urdf text.gltf
for other in a.glb text.gltf a.wu; do
    states 0 a.urdf $other states=100
    said '^joints      2 matched by name, 0 by the map, 0 along the chain$'
    states 0 $other a.urdf states=100
done
states 0 a.urdf a.wu states=3
said '^frame "one": only in a\.urdf$'
said '^frame "j1": only in a\.wu$'
"$cellpipe" convert -q "$top/samples/demo.wu" demo.glb --out profile=stage
states 0 "$top/samples/demo.wu" demo.glb states=100
"$cellpipe" convert -q "$top/samples/mechanisms/hexapod.dcw" hexapod.glb --out profile=stage
states 0 "$top/samples/mechanisms/hexapod.dcw" hexapod.glb states=5
said '^position    .* m at most'

# Two four-bars: the crank of 100 mm turns all the way round, but with bars of 250 and 120 mm it cannot reach -180
# degrees, where 400 mm are between their pins. Far from home some states close in one only.
cp "$top/tests/cases/deneb/loop_good.dcd" bars.dcd
sed 's/300 0 0 1$/250 0 0 1/; s/200 0 0 1$/120 0 0 1/' bars.dcd | sed 's/\(rocker.*\)250/\1300/' >short.dcd
states 0 bars.dcd bars.dcd states=50
states 1 bars.dcd short.dcd states=50 tol=10
said '^different: loops close in one file only;'
states 0 short.dcd short.dcd states=50
said '^states      51: home, and random values between the limits$' # those that do not close come nearer to home

# A link is 0.1 m longer: the elbow and the tip are 0.1 m off in every state, and never turned.
states 1 a.urdf longer.urdf states=50
said '^position    0\.1 m at most: frame "(two|tip)" at \('
said '^angle       0 deg at most$'
said '^different: frames are at different places; the tolerance is 1e-09 m and rad$'
states 0 a.urdf longer.urdf states=50 tol=0.1001
states 1 a.urdf longer.urdf states=50 tol=0.0999

# The second axis is turned over, and stands at 0.25 rad: 0.5 rad = 28.6479 deg off, and the tip by 2 * 0.5 m * sin 0.25.
states 1 a.urdf turned.urdf states=50
said '^position    0\.247404 m at most: frame "tip" at .*: j1=-?[0-9.]+, j2=0\.25$'
said '^angle       28\.6479 deg at most: frame "t(wo|ip)" at '

# A joint that follows another in one file alone has its value there in both.
states 0 a.urdf follows.urdf states=50
said '^joint "j2": follows others only in follows\.urdf$'
states 0 follows.urdf a.urdf states=50
said '^joint "j2": follows others only in follows\.urdf$'

# Other names: joints by the chain, and with them their frames; the tool by a map.
states 0 a.urdf named.urdf states=50
said '^joints      0 matched by name, 0 by the map, 2 along the chain$'
said '^  "j2" is "elbow" \(chain\)$'
said '^  "two" is "lower" \(chain\)$'
said '^frame "tip": only in a\.urdf$'
printf '# frames\n\ntip tool\r\nj1\tshoulder\n  j2   elbow  \n' >names
states 0 a.urdf named.urdf states=50 map=names
said '^joints      0 matched by name, 2 by the map, 0 along the chain$'
said '^frames      1 matched by name, 1 by the map, 2 along the chain$'
said '^  "tip" is "tool" \(map\)$'
printf 'j1 elbow\nj2 shoulder\n' >crossed
states 1 a.urdf named.urdf states=50 map=crossed
printf 'tip base\n' >wrong # the map comes before names
cp a.urdf b.urdf
states 1 a.urdf b.urdf states=5 map=wrong
said '^frame "base": only in a\.urdf$'
said '^frame "tip": only in b\.urdf$'

# What has no partner is told.
states 1 a.urdf slides.urdf states=5
said '^joint "j2": only in a\.urdf, stays at home$'
said '^joint "k2": only in slides\.urdf, stays at home$'
said '^different: joints have no partner;'
states 1 a.urdf stiff.urdf states=5
sed 's/"base"/"b"/g; s/"one"/"o"/g; s/"two"/"w"/g; s/"tip"/"t"/g' a.urdf >strange.urdf
states 1 a.urdf strange.urdf states=5
said '^different: no frame that moves has a partner;'

# As JSON.
states 1 a.urdf longer.urdf states=50 --json
said '"equal": false'
said '"fault": "frames are at different places"'
said '"value": 0\.(1000000000000|0999999999999)'
states 0 a.urdf named.urdf states=50 map=names --json
said '\{"a": "tip", "b": "tool", "by": "map"\}'
said '"equal": true'
states 1 a.urdf slides.urdf states=5 --json
said '\{"subject": "joint", "name": "k2", "property": "presence", "only_in": "b", "counts": true\}'

# Requests and maps that make no sense.
ends 2 'map= names partners for states=N, which is missing' "$cellpipe" diff a.urdf a.urdf map=names
ends 2 'states= compares two cells' "$cellpipe" diff a.urdf a.urdf states=5 cell=a.urdf
ends 2 'states' "$cellpipe" diff a.urdf a.urdf states=0
ends 3 'gone cannot be opened' "$cellpipe" diff a.urdf a.urdf states=5 map=gone
printf 'tip\n' >bad
ends 3 'bad:1: a line has two names' "$cellpipe" diff a.urdf a.urdf states=5 map=bad
printf '\ntip a tool\n' >bad
ends 3 'bad:2: a line has two names' "$cellpipe" diff a.urdf a.urdf states=5 map=bad
printf 'tip nobody\n' >bad
ends 3 'bad:1: named\.urdf has no frame or joint "nobody"' "$cellpipe" diff a.urdf named.urdf states=5 map=bad
printf 'nobody tip\n' >bad
ends 3 'bad:1: a\.urdf has no frame or joint "nobody"' "$cellpipe" diff a.urdf named.urdf states=5 map=bad
printf 'j1 tool\n' >bad
ends 3 'bad:1: named\.urdf has no frame or joint "tool" of the same kind' "$cellpipe" diff a.urdf named.urdf states=5 map=bad
ends 3 'cannot be read' "$cellpipe" diff a.urdf a.urdf states=5 map=.

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

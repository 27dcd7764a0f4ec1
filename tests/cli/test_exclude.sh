#!/bin/sh
# test_exclude.sh PROGRAM: lists of exclusions as a user makes, compares and renews them.
. "$(dirname "$0")/check.sh"

# says LINE: it is among the last command's results.
says() {
    must "says $1" grep -qxF -- "$1" "$work/stdout"
}

# The pairs of a list, those of a device with its name, each with the name that comes first, first.
pairs_of() { # prefix file
    sed -n -E 's/.*<FramePair first="([^"]*)" second="([^"]*)".*/\1 \2/p' "$2" |
        awk -v p="$1" '{ a = p $1; b = p $2; print (a < b ? a " " b : b " " a) }' | LC_ALL=C sort
}

# ---- what the documentation of RobWork lists ----

corpus=$top/../shared/corpus/robwork-snippets
if [ -d "$corpus" ]; then
    mkdir snippets
    for file in workcell.wu device.dev environment.wu; do
        grep -v 'CollisionSetup "' "$corpus/$file" >snippets/$file
    done
    ends 0 ': 37 excluded \(6 static, 10 always-proved, 21 never-proved\), 18 to be checked \(18 sometimes\)$' \
        "$cellpipe" -v exclude snippets/workcell.wu setup.xml --out split=device --out plain=yes
    must "no more files" [ "$(echo *CollisionSetup.xml setup.xml*)" = "DeviceCollisionSetup.xml setup.xml" ]
    pairs_of "" "$corpus/CollisionSetup.xml" >wanted
    pairs_of "" setup.xml >got
    must "the pairs of the cell" cmp wanted got
    must "16 of them" [ "$(wc -l <got)" = 16 ]
    pairs_of "" "$corpus/DeviceCollisionSetup.xml" >wanted
    pairs_of "" DeviceCollisionSetup.xml >got
    must "the pairs of the device" cmp wanted got
    must "21 of them" [ "$(wc -l <got)" = 21 ]
    must "nothing but the pairs" sh -c '! grep -q -e reason -e "<!--" setup.xml'
    # with its own lists the cell says the same
    ends 0 'loss: reasons of excluded pairs \(37\)' "$cellpipe" exclude snippets/workcell.wu all.xml --out plain=yes
    pairs_of "" "$corpus/CollisionSetup.xml" >wanted
    pairs_of "Device." "$corpus/DeviceCollisionSetup.xml" >>wanted
    LC_ALL=C sort -o wanted wanted
    pairs_of "" all.xml >got
    must "37 pairs" cmp wanted got
    ends 0 'the result replaces the cell.s own statements about 37 pairs' "$cellpipe" -v exclude "$corpus/workcell.wu" again.xml --out plain=yes
    must "the same list" cmp all.xml again.xml
else
    echo "skipped: shared/corpus is not there"
fi

# ---- the same, whatever it is made by ----

cells=$top/tests/cells
for options in "" "margin=1mm samples=20 seed=7" "adjacent=yes allow-sampled=yes work=1000"; do
    # shellcheck disable=SC2086 # words
    "$cellpipe" exclude --threads 1 "$cells/kr16.wu" one.xml work=20000 descents=50 $options --out evidence=yes 2>/dev/null
    # shellcheck disable=SC2086
    "$cellpipe" exclude --threads 3 "$cells/kr16.wu" three.xml work=20000 descents=50 $options --out evidence=yes 2>/dev/null
    must "list by three threads $options" cmp one.xml three.xml
    must "evidence by three threads $options" cmp one.xml.json three.xml.json
    # shellcheck disable=SC2086
    "$cellpipe" convert "$cells/kr16.wu" stage.glb --out profile=stage 2>/dev/null
    # shellcheck disable=SC2086
    "$cellpipe" exclude stage.glb work=20000 descents=50 $options 2>/dev/null | "$cellpipe" convert - piped.xml --from gltf 2>/dev/null
    must "list by way of stages $options" cmp one.xml piped.xml
done
# ---- within a time ----

# Two pairs take far more than the time, and the easy ones are decided all the same. Expected are the verdicts without a
# limit. How long the easy ones take depends on what else the machine does: where the time was too short for them, there is
# more of it.
hard=$top/samples/demo.wu # two fingers and a rail of the fence
"$cellpipe" exclude "$hard" free.xml only=Arm.Gripper --out static=names 2>/dev/null
pairs_of "" free.xml >wanted
for threads in 1 3; do
    for time in 2500ms 10s 40s 160s; do
        ends 0 'exclude: warning: the time \(time=\) ran out: [0-9]+ of 126 pairs are undecided because of that' \
            within 1000 "$cellpipe" exclude --threads $threads "$hard" timed.xml only=Arm.Gripper work=1000000000000000 \
            time=$time --out evidence=yes --out static=names
        cut=$(sed -n -E 's/.*ran out: ([0-9]+) of.*/\1/p' "$work/stderr")
        must "evidence of each" [ "$(grep -c '"status":"undecided","verdict":"kept","evidence":"the time ran out before it was decided"' timed.xml.json)" = "$cut" ]
        pairs_of "" timed.xml | comm -13 wanted - >more
        must "no other is excluded, but the two by a longer proof" [ "$(wc -l <more)" -le 2 ]
        [ "$cut" -gt 9 ] || break
    done
    must "most are decided" [ "$cut" -le 9 ]
done
"$cellpipe" exclude "$cells/kr16.wu" free.xml --out evidence=yes 2>/dev/null
for threads in 1 3; do
    ends 0 '' "$cellpipe" exclude --threads $threads "$cells/kr16.wu" timed.xml time=1h --out evidence=yes
    must "all in time: the same list, $threads" cmp free.xml timed.xml
    must "and evidence, $threads" cmp free.xml.json timed.xml.json
done

# ---- on a terminal ----

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    mkdir large # the line comes after a second, when a pair begins: many are needed
    "$top/tests/bench/make_cell.sh" large
    script -qec "'$cellpipe' exclude large/large.wu shown.xml time=5s samples=20000" /dev/null >typescript </dev/null
    must "pairs done" grep -qE 'exclude: [0-9]+ of 7381 pairs' typescript
else
    echo "skipped: a terminal needs script (bsdutils)"
fi

# frames that come in another order
cat >ordered.wu <<'F'
{ "WORLD"
}
{ "J"
  ActiveJoint
  Revolute
  JointPosLimit -90 90
}
{ "Arm"
  ReferenceFrame "J"
  Position (0.3, 0, 0)
  GeoID "#Box 0.6 0.1 0.1"
}
{ "Post"
  Position (0, 0.5, 0)
  GeoID "#Cylinder 0.1 0.3 8"
}
{ "Ball"
  Position (-0.5, 0, 0)
  GeoID "#Sphere 0.1 8"
}
F
awk 'BEGIN { RS = "}\n"; ORS = "}\n" } { tag[NR] = $0 } END { print tag[1]; print tag[5]; print tag[4]; print tag[2]; print tag[3] }' ordered.wu >reordered.wu
must "another order" sh -c '! cmp -s ordered.wu reordered.wu'
"$cellpipe" exclude ordered.wu ordered.xml --out static=names
"$cellpipe" exclude reordered.wu reordered.xml --out static=names
must "its order does not matter" cmp ordered.xml reordered.xml
must "three pairs, one of which collides" [ "$(pairs_of "" ordered.xml | tr '\n' ',')" = "Arm Ball,Ball Post," ]

# ---- comparing, checking, keeping ----

"$cellpipe" exclude ordered.wu list.xml --out evidence=yes --out static=names
ends 0 '' "$cellpipe" check ordered.wu list=list.xml
sed 's/JointPosLimit -90 90/JointPosLimit -90 180/' ordered.wu >wider.wu
ends 1 '' "$cellpipe" check wider.wu list=list.xml
# without evidence, by the keys in the list: of its pairs, and of all others
cp list.xml alone.xml
ends 0 '' "$cellpipe" check ordered.wu list=alone.xml
ends 1 '' "$cellpipe" check wider.wu list=alone.xml
says 'alone.xml: pair "Arm" "Ball": their geometry, joints or poses between them, or what may be moved, have changed'
sed 's/Position (0, 0.5, 0)/Position (0, 0.5001, 0)/' ordered.wu >moved.wu
ends 1 '' "$cellpipe" check moved.wu list=alone.xml
(cat ordered.wu && printf '{ "New"\n  Position (9, 9, 9)\n  GeoID "#Box 1 1 1"\n}\n') >more.wu
ends 1 '' "$cellpipe" check more.wu list=alone.xml
says 'alone.xml: frames or pairs that the list does not name have changed'
"$cellpipe" exclude ordered.wu element.xml # static pairs by an element
for cell in wider moved more; do
    ends 1 '' "$cellpipe" check $cell.wu list=element.xml
done
ends 0 '' "$cellpipe" check ordered.wu list=element.xml
ends 0 '' "$cellpipe" check reordered.wu list=element.xml
"$cellpipe" exclude ordered.wu plainly.xml --out plain=yes 2>/dev/null
ends 0 'no evidence beside it, and no keys of 2 pairs' "$cellpipe" check wider.wu list=plainly.xml
"$cellpipe" exclude ordered.wu few.xml margin=9 --out static=names # no pair but the static one is in it
ends 1 '' "$cellpipe" check wider.wu list=few.xml
sed 's/second="Ball"/second="Post"/; s/first="Ball" second="Post" reason="static"[^/]*/first="Ball" second="Nobody"/' list.xml >wrong.xml
ends 1 '' "$cellpipe" diff list.xml wrong.xml cell=ordered.wu
says 'exclusion "Arm" - "Ball": only in list.xml (never-proved)'
says 'exclusion "Arm" - "Post": only in wrong.xml (sometimes)'
says 'exclusion "Ball" - "Post": only in list.xml (static)'
says 'exclusion "Ball" - "Nobody": in wrong.xml, but not two frames of ordered.wu that can collide'
must "a witness" grep -qE '^exclusion "Arm" - "Post": excluded by wrong.xml, but they collide at J=[-0-9.]+$' "$work/stdout"
at=$(sed -n -E 's/.*collide at J=([-0-9.]+)$/\1/p' "$work/stdout")
ends 1 '' "$cellpipe" collide ordered.wu "J=$at"
ends 0 '' "$cellpipe" diff list.xml list.xml cell=ordered.wu
ends 0 'warning: "Arm" and "Post", which keep= excludes, collide at J=' "$cellpipe" exclude ordered.wu kept.xml keep=wrong.xml
must "the user's pair" grep -q 'first="Arm" second="Post" reason="user"' kept.xml

# ---- keep= of what is not judged, and before long work ----

cat >pair.dev <<'E'
{ "Base"
}
{ "J"
  ActiveJoint
  Revolute
  JointPosLimit -90 90
  ReferenceFrame "Base"
  GeoID "#Box 0.1 0.1 0.1"
}
E
printf '{ "WORLD"\n}\n{ "One"\n  Device "pair.dev"\n}\n{ "Two"\n  Position (3, 0, 0)\n  Device "pair.dev"\n}\n' >devices.wu
printf '{ "Here"\n  Position (0, 3, 0)\n  GeoID "#Box 0.1 0.1 0.1"\n}\n' >>devices.wu
printf '<CollisionSetup><Exclude><FramePair first="Two.J" second="Here"/></Exclude></CollisionSetup>' >two.xml
rm one.xml.json
ends 0 'nothing to check: .* \(3\)' "$cellpipe" exclude devices.wu one.xml only=One keep=two.xml
must "the user's pair elsewhere" grep -qF '<FramePair first="Here" second="Two.J" reason="user"/>' one.xml
must "three pairs" [ "$(grep -c FramePair one.xml)" = 3 ]
ends 0 '' "$cellpipe" exclude devices.wu one.glb only=One
ends 0 'the result replaces the cell.s own statements about 1 pair' "$cellpipe" -v exclude one.glb two.glb only=Two keep=two.xml
ends 3 'none.xml: error: cannot be opened' within 20 "$cellpipe" exclude "$cells/lwr.wu" x.xml work=2000000000 keep=none.xml
ends 4 'nowhere/x.xml: error: cannot be written' within 20 "$cellpipe" exclude "$cells/lwr.wu" nowhere/x.xml work=2000000000
ends 4 'one.xml: error: exists already' within 20 "$cellpipe" exclude "$cells/lwr.wu" one.xml work=2000000000 --no-clobber
ends 2 'keep= needs the name of a list' "$cellpipe" exclude devices.wu one.xml keep=
# a composite device is its parts; one without geometry is nothing
cp devices.wu both.wu
printf '{ "Both"\n  CompositeDevice "One" "Two"\n}\n{ "Bare"\n  Device "bare.dev"\n}\n' >>both.wu
printf '{ "Base"\n}\n{ "J"\n  ActiveJoint\n  Revolute\n  ReferenceFrame "Base"\n}\n' >bare.dev
"$cellpipe" exclude both.wu both.xml only=Both
must "the pairs of both" [ "$(pairs_of "" both.xml | tr '\n' ',')" = "Here One.J,Here Two.J,One.J Two.J," ]
ends 1 'no frame of the device "Bare" \(only=\) has collision geometry' "$cellpipe" exclude both.wu bare.xml only=Bare
# geometry without faces is none
printf 'solid x\nendsolid x\n' >none.stl
sed 's/"#Box 0.1 0.1 0.1"/"none.stl"/' devices.wu | sed 's/pair.dev/none.dev/' >none.wu
sed 's/"#Box 0.1 0.1 0.1"/"none.stl"/' pair.dev >none.dev
ends 1 'no frame has collision geometry with faces: there are no pairs to judge' "$cellpipe" exclude none.wu none.xml
must "no list" [ ! -e none.xml ]
# what touches in all samples, face on face, is no proof, whoever excludes it
cat >inside.wu <<'F'
{ "J"
  ActiveJoint
  Revolute
  JointPosLimit -170 170
}
{ "In"
  ReferenceFrame "J"
  Position (0.3, 0, 0.55)
  GeoID "#Box 0.1 0.1 0.1"
}
{ "Out"
  GeoID "#Box 1 1 1"
}
F
printf '<CollisionSetup><Exclude><FramePair first="Out" second="In"/></Exclude></CollisionSetup>' >inside.xml
ends 0 'warning: "In" and "Out", which keep= excludes, touch in all 100 samples, but that they always do is not proved' \
    "$cellpipe" exclude inside.wu kept.xml keep=inside.xml
"$cellpipe" diff inside.xml inside.xml cell=inside.wu >"$work/stdout" 2>"$work/stderr"
must "its difference" [ $? = 1 ]
must "said" grep -qE 'excluded by both, but that they always touch is not proved: they collide at J=' "$work/stdout"
# two lists without a cell are compared by names
printf '<CollisionSetup/>' >empty.xml
ends 1 '' "$cellpipe" diff empty.xml inside.xml
must "the pair" grep -qE '^exclusion "(In|Out)" - "(In|Out)": only in inside.xml$' "$work/stdout"
ends 0 '' "$cellpipe" diff inside.xml inside.xml
# evidence of another list that is left beside a new one
"$cellpipe" exclude ordered.wu old.xml --out evidence=yes
ends 0 'old.xml.json beside it is of an earlier list: evidence=yes writes it anew' "$cellpipe" exclude ordered.wu old.xml
# planes without borders are not compared
printf '{ "Low"\n  GeoID "#Plane"\n}\n{ "J"\n  Position (0, 0, 1)\n  ActiveJoint\n  Prismatic\n  JointPosLimit 0 1\n}\n' >planes.wu
printf '{ "High"\n  ReferenceFrame "J"\n  RPY (0, 0, 45)\n  GeoID "#Plane"\n}\n' >>planes.wu
ends 0 '' "$cellpipe" exclude planes.wu planes.xml allow-sampled=yes --out evidence=yes
must "undecided" grep -q '"status":"undecided".*"evidence":"planes without borders are not compared".*"samples":0' planes.xml.json
# what touches is in the evidence
"$cellpipe" exclude ordered.wu touch.xml touch=5mm margin=1mm --out evidence=yes
must "touch" [ "$(grep -c '"margin":0.001,"touch":0.005,' touch.xml.json)" -gt 2 ]
# a list in several files is kept and compared as one, when the evidence beside it names them
sed 's/^{ "Base"/&\n  GeoID "#Box 0.1 0.1 0.1"/' pair.dev >arm.dev
sed 's/pair.dev/arm.dev/' devices.wu >arms.wu
mkdir -p lists # the files of a list lie beside it, not here
ends 0 'nothing to check: .* \(10\)' "$cellpipe" exclude arms.wu lists/split.xml --out split=device --out evidence=yes --out plain=yes
must "a file of each device" [ "$(echo lists/*.xml)" = "lists/OneCollisionSetup.xml lists/TwoCollisionSetup.xml lists/split.xml" ]
must "whose pair is no other's" sh -c 'grep -q FramePair lists/OneCollisionSetup.xml && ! grep -q "One.Base.*One.J" lists/split.xml'
"$cellpipe" exclude arms.wu whole.xml --out static=names
ends 0 '' "$cellpipe" diff whole.xml lists/split.xml cell=arms.wu
ends 0 'nothing to check: .* \(10\)' "$cellpipe" exclude arms.wu kept.xml only=One keep=lists/split.xml
must "all pairs, those of Two as the user's" [ "$(pairs_of "" kept.xml)" = "$(pairs_of "" whole.xml)" ]
must "of its file, too" grep -qF 'first="Two.Base" second="Two.J" reason="user"' kept.xml
rm lists/TwoCollisionSetup.xml
ends 3 'TwoCollisionSetup.xml: error: cannot be opened' "$cellpipe" diff whole.xml lists/split.xml cell=arms.wu
ends 3 'TwoCollisionSetup.xml: error: cannot be opened' "$cellpipe" exclude arms.wu kept.xml keep=lists/split.xml
rm lists/split.xml.json
ends 1 '' "$cellpipe" diff whole.xml lists/split.xml cell=arms.wu
says 'exclusion "Two.Base" - "Two.J": only in whole.xml (always-proved)'
if [ -w /dev/full ]; then
    ends 4 'standard output cannot be written' sh -c "'$cellpipe' diff list.xml wrong.xml cell=ordered.wu >/dev/full"
fi

# ---- what a list says beside its pairs ----

# names are the cell's, so that the list may be used there, whatever it is of
printf '{ "Base"\n  GeoID "#Box 0.3 0.3 0.3"\n}\n{ "J"\n  Position (0, 0, 0.5)\n  ActiveJoint\n  Revolute\n  JointPosLimit -90 90\n}\n' >robot.dev
printf '{ "L"\n  ReferenceFrame "J"\n  GeoID "#Box 1 0.1 0.1"\n}\n' >>robot.dev
cat >rails.wu <<'F'
{ "WORLD"
}
{ "Robot"
  Device "robot.dev"
}
{ "Rail"
  ActiveJoint
  Prismatic
  JointPosLimit -3 3
}
{ "Base"
  ReferenceFrame "Rail"
  Position (0.2, 0, 0)
  GeoID "#Box 0.3 0.3 0.3"
}
{ "Rail2"
  ActiveJoint
  Prismatic
  JointPosLimit -3 3
}
{ "L"
  ReferenceFrame "Rail2"
  GeoID "#Box 0.3 0.3 0.3"
}
F
"$cellpipe" exclude rails.wu rails.xml --out evidence=yes
must "the pair of the robot" [ "$(pairs_of "" rails.xml)" = "Robot.Base Robot.L" ]
ends 0 '' "$cellpipe" check rails.wu list=rails.xml
sed 's/^{ "WORLD"/&\n  CollisionSetup "rails.xml"/' rails.wu >used.wu
ends 1 '' "$cellpipe" collide used.wu Rail=2 Rail2=2
says "Base | L: in collision"
"$cellpipe" exclude rails.wu rails.xml --out relative=yes
must "relative names" [ "$(pairs_of "" rails.xml)" = "Base L" ]
ends 0 'rails.xml: warning: the names are relative to "Robot.", as a comment says, but no device has this setup' "$cellpipe" info used.wu
sed 's/^{ "Base"/&\n  CollisionSetup "rails.xml"/' robot.dev >named.dev
sed 's/robot.dev/named.dev/' rails.wu >named.wu
ends 0 '' "$cellpipe" info named.wu
must "no warning beside the device" sh -c '! grep -q relative "$0"' "$work/stderr"
# static pairs that a setup excludes as a whole: with only= those that are judged are listed, and so are the others
cat >whole.wu <<'F'
{ "WORLD"
  CollisionSetup "whole_setup.xml"
}
{ "Robot"
  Device "robot.dev"
}
{ "Floor"
  Position (0, 0, -0.2)
  GeoID "#Box 4 4 0.1"
}
{ "Wall"
  Position (0, 2, 0)
  GeoID "#Box 4 0.1 4"
}
F
printf '<CollisionSetup><Volatile>Robot.Base</Volatile><ExcludeStaticPairs/></CollisionSetup>' >whole_setup.xml
ends 0 '' "$cellpipe" --strict exclude whole.wu whole.xml only=Robot --out evidence=yes
must "no other statement" sh -c '! grep -q ExcludeStaticPairs whole.xml'
must "the pair that was not judged" grep -q '<FramePair first="Floor" second="Wall"/>' whole.xml
must "not that which is to be checked" sh -c '! grep -q "Floor.*Robot.Base" whole.xml'
ends 0 '' "$cellpipe" check whole.wu list=whole.xml
cp whole.xml.json more.xml.json
sed 's|^</CollisionSetup>|<ExcludeStaticPairs/>&|' whole.xml >more.xml
ends 1 '' "$cellpipe" check whole.wu list=more.xml
says 'more.xml: all static pairs are excluded by the list, but not by the evidence'
grep -v Volatile whole.xml >more.xml
ends 1 '' "$cellpipe" check whole.wu list=more.xml
says 'more.xml: frame "Robot.Base" is volatile, and the list does not say so'
# of a cell that has its volatile frames from the list itself the evidence knows them
cp whole.xml own.xml
cp whole.xml.json own.xml.json
sed 's/whole_setup.xml/own.xml/' whole.wu >own.wu
ends 0 '' "$cellpipe" check own.wu list=own.xml
grep -v Volatile whole.xml >own.xml
ends 1 '' "$cellpipe" check own.wu list=own.xml
says 'own.xml: frame "Robot.Base" is volatile, and the list does not say so'
ends 1 '' "$cellpipe" diff whole.xml own.xml
says 'volatile "Robot.Base": only in whole.xml'
ends 1 '' "$cellpipe" diff whole.xml own.xml cell=whole.wu
says 'volatile "Robot.Base": only in whole.xml'
# keep= takes pairs, static ones as a whole too, and says what else there is
grep -v CollisionSetup whole.wu >plain.wu
sed 's|^</CollisionSetup>|<ExcludeStaticPairs/>&|' whole.xml >more.xml
rm more.xml.json
ends 0 'more.xml: loss: volatile frames: keep= takes pairs alone' "$cellpipe" exclude plain.wu kept.xml keep=more.xml
ends 0 '' "$cellpipe" exclude whole.wu kept.xml keep=more.xml
must "a volatile frame that does not move against it is the user's" grep -q 'first="Floor" second="Robot.Base" reason="user"' kept.xml
must "no volatile frame is lost" sh -c '! grep -q volatile "$0"' "$work/stderr"
# what is said to be static in a list, and is not; and a proof of the wall where it stood
"$cellpipe" exclude plain.wu plain.xml --out static=names
sed 's/^{ "WORLD"/&\n  CollisionSetup "plain.xml"/; s/^{ "Wall"/&\n  ActiveJoint\n  Prismatic\n  JointPosLimit -3 3/' plain.wu >sliding.wu
ends 0 'loss: excluded pairs that have changed since they were looked at' "$cellpipe" exclude sliding.wu sliding.xml only=Robot
must "it is not in the list" sh -c '! grep -q "Floor.*Wall" sliding.xml'
ends 1 'warning: 3 excluded pairs have changed since they were looked at' "$cellpipe" collide sliding.wu
says "Floor | Wall: in collision"
# nor is what another filter changed
printf 'solid x\n' >flipped.stl
for facet in "0 0 0 0 1 0 1 0 0" "0 0 0 1 0 0 0 0 1" "0 0 0 0 0 1 0 1 0" "1 0 0 0 0 1 0 1 0"; do
    # shellcheck disable=SC2086 # numbers
    printf 'facet normal 0 0 0\nouter loop\nvertex %s %s %s\nvertex %s %s %s\nvertex %s %s %s\nendloop\nendfacet\n' $facet >>flipped.stl
done
printf 'endsolid x\n' >>flipped.stl
printf '{ "Shell"\n  GeoID "flipped"\n}\n{ "J"\n  Position (0.1, 0.1, 0.1)\n  ActiveJoint\n  Revolute\n  JointPosLimit -90 90\n}\n' >shell.wu
printf '{ "Ball"\n  ReferenceFrame "J"\n  Position (0.02, 0, 0)\n  GeoID "#Box 0.02 0.02 0.02"\n}\n' >>shell.wu
ends 0 'loss: excluded pairs that have changed since they were looked at' \
    "$cellpipe" run read shell.wu ! exclude ! orient ! write shell.xml
must "it is not in the list" sh -c '! grep -q FramePair shell.xml'
ends 0 'not closed or not wound alike' "$cellpipe" exclude shell.wu shell.xml
must "before, it is" grep -q FramePair shell.xml
# a file of an earlier list of a device
printf '{ "Robot"\n  Device "robot.dev"\n}\n' >alone.wu
sed 's/Position (0, 0, 0.5)/Position (0.6, 0, 0)/' robot.dev >low.dev
sed 's/robot.dev/low.dev/' alone.wu >low.wu
"$cellpipe" exclude alone.wu lists/robot.xml --out split=device
must "of the device" [ -s lists/RobotCollisionSetup.xml ]
ends 0 'RobotCollisionSetup.xml beside it is of an earlier list: no pair inside "Robot" is excluded now' \
    "$cellpipe" exclude low.wu lists/robot.xml --out split=device
# a setup that is only converted may say so
"$cellpipe" convert whole.wu converted.xml --out evidence=yes
ends 0 '' "$cellpipe" check whole.wu list=converted.xml
# where no proof looks
sed 's/^  JointPosLimit -90 90/&\n  JointHomePos 1.8/' ordered.wu >stands.wu
ends 0 'joint "J" stands at 1.8, outside its limits -1.57[0-9]* and 1.57[0-9]*' "$cellpipe" check stands.wu list=list.xml
# a joint whose name others have goes by its id, and only such a one
sed 's/"Arm"/"Arm2"/; s/"Post"/"Post2"/; s/"Ball"/"Ball2"/; s/^  Position (/&10 + /; s/10 + [-0-9.]*/10/' ordered.wu >twin.wu
"$cellpipe" run read ordered.wu ! read twin.wu ! write twins.glb --out profile=stage
printf '<CollisionSetup><Exclude><FramePair first="Arm" second="Post"/></Exclude></CollisionSetup>' >twins.xml
ends 0 'keep= excludes, collide at id:J=[-0-9.]*$' "$cellpipe" exclude twins.glb kept.xml keep=twins.xml
at=$(sed -n -E 's/.*, collide at (id:J=[-0-9.]+)$/\1/p' "$work/stderr")
ends 1 '' "$cellpipe" collide twins.glb "$at"
says "Arm | Post: in collision"
ends 1 '' "$cellpipe" diff twins.xml twins.xml cell=twins.glb
must "its witness" grep -qE 'Arm" - "Post": .* collide at id:J=' "$work/stdout"

# ---- static pairs by one element ----

cat >fixed.wu <<'F'
{ "WORLD"
}
{ "Floor"
  GeoID "#Box 4 4 0.1"
}
{ "Wall"
  Position (0, 2, 1)
  GeoID "#Box 4 0.1 2"
}
{ "Crate"
  Position (1, 0, 0.5)
  DAF
  GeoID "#Box 0.2 0.2 0.2"
}
{ "J"
  Position (0, 0, 1)
  ActiveJoint
  Revolute
  JointPosLimit -90 90
}
{ "Hand"
  ReferenceFrame "J"
  Position (0.5, 0, 0)
  GeoID "#Box 0.1 0.1 0.1"
}
{ "Finger"
  ReferenceFrame "Hand"
  Position (0.2, 0, 0)
  GeoID "#Box 0.1 0.1 0.1"
}
F
checked() { # cell
    "$cellpipe" info --json "$1" | sed -n -E 's/.*"checked": ([0-9]+).*/\1/p'
}
ends 0 '' "$cellpipe" exclude fixed.wu element.xml --out evidence=yes
ends 0 '' "$cellpipe" exclude fixed.wu names.xml --out static=names
must "the element" grep -qx '  <ExcludeStaticPairs/>' element.xml
must "of the world's pairs and of the hand's" [ "$(pairs_of "" names.xml | grep -cxE 'Floor Wall|Finger Hand')" = 2 ]
must "in place of these" sh -c '! grep -qE "Floor.*Wall|Finger.*Hand" element.xml'
must "and of no other" [ "$(grep -c FramePair names.xml)" = "$(($(grep -c FramePair element.xml) + 2))" ]
must "the evidence has all pairs" [ "$(grep -c '"status":' element.xml.json)" = 10 ]
ends 0 '' "$cellpipe" check fixed.wu list=element.xml
ends 0 '' "$cellpipe" diff names.xml element.xml cell=fixed.wu
# the reader of cells takes both lists for the same
for list in names element; do
    sed "s/^{ \"WORLD\"/&\n  CollisionSetup \"$list.xml\"/" fixed.wu >with_$list.wu
done
left=$(checked with_names.wu)
must "pairs are left, and as many" [ "$left" -gt 0 ] && must "$left of both" [ "$(checked with_element.wu)" = "$left" ]
"$cellpipe" convert with_element.wu back.xml
grep -v '<!--' element.xml >element.bare
grep -v '<!--' back.xml >back.bare
must "read and written again" cmp element.bare back.bare
# without the element its pairs are missing
grep -v ExcludeStaticPairs element.xml >without.xml
cp element.xml.json without.xml.json
ends 1 '' "$cellpipe" check fixed.wu list=without.xml
says 'without.xml: pair "Floor" "Wall": is excluded by the evidence, but not by the list'
# a crate that may be moved, but shall not be: the element does not tell it
ends 0 'nothing to check: .* \(10\)' "$cellpipe" exclude fixed.wu crate.xml movable=none
must "its pairs by name" [ "$(grep -cE '"(Crate|Floor|Wall)" second="(Crate|Floor|Wall)" reason="static"' crate.xml)" = 2 ]
must "others by the element" grep -qx '  <ExcludeStaticPairs/>' crate.xml
# a wall that may be moved, of which the cell does not tell
ends 0 '' "$cellpipe" exclude fixed.wu wall.xml movable=Wall,Crate
must "no element, which would exclude its pairs" sh -c '! grep -q ExcludeStaticPairs wall.xml'
must "the hand's pair by name" grep -q 'first="Finger" second="Hand" reason="static"' wall.xml
# keep= of a list with the element
ends 0 '' "$cellpipe" exclude fixed.wu again.xml movable=Wall,Crate keep=element.xml
must "the wall's pair is the user's" grep -q 'first="Floor" second="Wall" reason="user"' again.xml

# ---- what is only sampled says how much that is worth: 3 / 50 ----

ends 0 '' "$cellpipe" exclude ordered.wu sampled.xml work=0 samples=50 descents=0 allow-sampled=yes --out evidence=yes
must "the rate" grep -q 'first="Arm" second="Ball" reason="never-sampled" samples="50".* evidence="rate &lt; 0.06 at 95 %"' sampled.xml
must "the rate in JSON" grep -q '"status":"never-sampled".*"evidence":"rate < 0.06 at 95 %"' sampled.xml.json
must "no rate of what is proved" sh -c '! grep -q "static.*rate" sampled.xml'

# ---- the evidence of cases/exclude, which a fuzzer begins with, is that of today ----

cp "$top"/tests/cases/exclude/arm.wu "$top"/tests/cases/exclude/apart.wu .
ends 0 '' "$cellpipe" check arm.wu list="$top/tests/cases/exclude/judged.xml"
ends 1 '' "$cellpipe" check apart.wu list="$top/tests/cases/exclude/judged.xml"
finish

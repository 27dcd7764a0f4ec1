#!/bin/sh
# test_collide.sh PROGRAM: what is in collision at joint values and in the course of a recording, on the command line.
. "$(dirname "$0")/check.sh"

# Two cubes with sides of 0.2 m; one slides along x from 0 to 2 m in 4 s, the other's near side is 0.7 m before it: they touch from
# 0.7 / 0.5 = 1.4 s to (0.7 + 0.4) / 0.5 = 2.2 s, and are 0.7 m apart at home.
cat >cube.dcp <<'EOF'
DCT PART 1.0
UNIT mm
OBJECT "cube"
  POINTS 8
    -100 -100 -100  100 -100 -100  100 100 -100  -100 100 -100
    -100 -100 100  100 -100 100  100 100 100  -100 100 100
  POLYGONS 6
    4 3 2 1 0  4 4 5 6 7  4 0 1 5 4  4 1 2 6 5  4 2 3 7 6  4 3 0 4 7
END
EOF
cat >cell.dcw <<'EOF'
DCT WORKCELL 1.0
HEAD
  NAME "cell" UNIT mm ANGLE deg
END
DEVICES
  DEVICE "slide"
    PART "carriage" FILE "cube" ATTACH 0
    JOINT "along" PART 0 TYPE TRANS_X INIT 0 LOWER 0 UPPER 2000
  END
  DEVICE "block"
    PART "wall" FILE "cube" ATTACH 0
    MATRIX 1 0 0 0  0 1 0 0  0 0 1 0  900 0 0 1
  END
  ATTACHMENTS 2
    -1 -1
END
EOF
cat >cell.dcr <<'EOF'
DCT RECORDING 1.0
WORKCELL "cell" DEVICES 2 FRAME world
STEP 0
  DEV 0 JOINTS 1 0
STEP 4
  DEV 0 JOINTS 1 2000
END
EOF

says() { # EXPRESSION: some line of the last output
    must "output like /$1/" grep -Eq -- "$1" "$work/stdout"
}

# A configuration.
ends 0 '' "$cellpipe" collide cell.dcw
says '^1 pair checked, 0 in collision$'
ends 0 '' "$cellpipe" collide cell.dcw 0.6999
ends 1 '' "$cellpipe" collide cell.dcw 0.7
says '^carriage \| wall: in collision$'
ends 1 '' "$cellpipe" collide cell.dcw 750mm
ends 1 '' "$cellpipe" collide cell.dcw along=0.75
ends 1 '' "$cellpipe" collide cell.dcw device=slide q=1.0999
ends 0 '' "$cellpipe" collide cell.dcw 1.1001
ends 0 '' "$cellpipe" collide cell.dcw 0.75 along=0
ends 0 'outside its limits' "$cellpipe" collide cell.dcw -0.5
says '0 in collision$'
ends 1 '' "$cellpipe" collide cell.dcw 0.69 touch=10.01mm

# Clearances.
ends 1 '' "$cellpipe" collide cell.dcw --clearance 701mm
says '^carriage \| wall: 700 mm apart$'
says '^1 pair checked, 0 in collision, 1 nearer than 701 mm$'
ends 0 '' "$cellpipe" collide cell.dcw --clearance 0.699
ends 1 '' "$cellpipe" collide cell.dcw 0.5 --clearance=8in --json
must "the distance" sh -c "tr -d ' \n' <stdout | grep -q '\"collides\":false,\"distance\":0\\.\\(2\\|1999\\)'"

# In the course of the recording: the time of contact to a millisecond.
ends 1 '' "$cellpipe" collide cell.dcr
says '^carriage \| wall: in collision from 1\.40?[0-9]* s to 2\.(19[0-9]*|2) s, at 1[67] of 81 moments$'
says '^1 pair checked at 81 moments of "cell" from 0 s to 4 s, 1 in collision$'
ends 1 '' "$cellpipe" collide cell.dcw --in recording=cell.dcr --json clip=cell
begin=$(tr -d ' \n' <stdout | sed 's/.*"begin":\([0-9.]*\),.*/\1/') end=$(tr -d ' \n' <stdout | sed 's/.*"end":\([0-9.]*\),.*/\1/')
must "from 1.4 s to 2.2 s, not $begin to $end" awk "BEGIN { exit !($begin >= 1.39999 && $begin <= 1.40101 && $end >= 2.19899 && $end <= 2.20001) }"
ends 0 '' "$cellpipe" collide cell.dcr step=0
says '^1 pair checked at 2 moments'
ends 0 '' "$cellpipe" collide cell.dcr home=yes
ends 1 '' "$cellpipe" collide cell.dcr 0.75
ends 1 '' "$cellpipe" collide cell.dcr step=0 --clearance 800mm
says '^carriage \| wall: 700 mm apart at 0 s$'

# Pairs that are not to be checked.
ends 0 '' "$cellpipe" collide cell.dcw 0.75 ignore=wall,carriage
says '^0 pairs checked, 0 in collision$'
ends 2 'ignore=wall: give two frames, as ignore=A,B' "$cellpipe" collide cell.dcw 0.75 ignore=wall
ends 2 'ignore=a,b,c: give two frames' "$cellpipe" collide cell.dcw 0.75 ignore=a,b,c
ends 2 'unknown frame "wal"; did you mean wall' "$cellpipe" collide cell.dcw 0.75 ignore=carriage,wal
ends 2 'ignore=wall,wall: the pair is not checked anyway' "$cellpipe" collide cell.dcw 0.75 ignore=wall,wall
ends 2 'the pair is not checked anyway' "$cellpipe" collide cell.dcw 0.75 ignore=carriage,wall ignore=wall,carriage

# The programs of the samples are free: what stands on the table rests, and the gripper may meet what it holds.
for name in first pick; do
    "$cellpipe" program "$top/samples/demo.wu" "$name.glb" "file=$top/samples/demo/$name.prg" device=Arm
    ends 0 '' "$cellpipe" collide "$name.glb"
    says '^TableTop \| Part: resting from 0 s to [0-9.]+ s, at [0-9]+ of [0-9]+ moments$'
    says '^TableTop \| Spare-2: resting from 0 s to ([0-9.]+) s, at ([0-9]+) of \2 moments$'
    says '^546 pairs checked at .* 0 in collision, 3 resting$'
    ends 0 '' "$cellpipe" collide "$name.glb" ignore=TableTop,Part ignore=id:Spare-1,TableTop
    says '^544 pairs checked at .* 0 in collision, 1 resting$'
    ends 0 '' "$cellpipe" collide "$name.glb" --json
    must "JSON lists them apart" [ "$(tr -d ' \n' <stdout | grep -c '"colliding":0,"near":0,"resting":3,.*"contacts":\[\],"rests":\[{"first":"TableTop","second":"Part",')" = 1 ]
done
printf 'LMOV 463.2, 223.7, 490\nLMOV 463.2, 223.7, 410\nHANDLE CLOSE Part\nIMOV 0, 0, -5\nIMOV 0, 0, 85\n' >low.prg
"$cellpipe" program "$top/samples/demo.wu" low.glb file=low.prg device=Arm
ends 1 '' "$cellpipe" collide low.glb
says '^TableTop \| Part: in collision from 0 s to .*, in line 1 of the program$'

# The same through a stage, and by any number of threads.
"$cellpipe" convert -q cell.dcr cell.glb --out profile=stage
"$cellpipe" collide cell.dcr >one.txt
"$cellpipe" collide cell.glb --threads 3 >two.txt
must "the same through a stage" cmp one.txt two.txt
# A cell that leaves out static pairs.
printf '{ "Table"\n  GeoID "#Box 1 1 0.1"\n  CollisionSetup "static.xml"\n}\n' >table.wu
printf '<CollisionSetup><ExcludeStaticPairs/></CollisionSetup>' >static.xml
printf '{ "Crate"\n  GeoID "#Box 0.2 0.2 0.2"\n}\n' >crate.wu
"$cellpipe" run -q read table.wu ! read crate.wu ! write still.gltf profile=stage
ends 1 'all pairs \(1\) of frames with collision geometry are excluded' "$cellpipe" collide still.gltf
# What info counts and collide cannot check: frames that have no faces, and planes.
"$cellpipe" collide -q "$top/samples/demo.wu" >pairs.txt
must "as info counts" grep -q '^546 pairs checked, 42 not (frames without faces, two planes), ' pairs.txt
must "info: the sum of both" [ "$("$cellpipe" info "$top/samples/demo.wu" | grep -c '  588 of 990 pairs')" = 1 ]
must "info: why exclude has fewer" [ "$("$cellpipe" info "$top/samples/demo.wu" | grep -c 'of 45 frames .*volatile frames without geometry: 1; ')" = 1 ]
ends 0 ' 946 pairs of frames: .*; volatile frames without geometry, whose pairs are to be checked too: 1$' \
    "$cellpipe" exclude --verbose "$top/samples/demo.wu" list.xml
must "pairs of the other 44 frames" [ $((44 * 43 / 2)) = 946 ]
must "and in JSON" [ "$("$cellpipe" collide -q "$top/samples/demo.wu" --json | grep -c '"left_out": 42')" = 1 ]
# Clips of the same name are told apart by their numbers.
"$cellpipe" run -q read cell.glb ! read cell.glb ! write twice.glb profile=stage
ends 2 '2 clips are called "cell": choose one by its number, as clip=#1' "$cellpipe" collide twice.glb clip=cell
ends 1 '' "$cellpipe" collide twice.glb 'clip=#2'
ends 2 'unknown clip "#3"' "$cellpipe" collide twice.glb 'clip=#3'
"$cellpipe" collide "$top/samples/deneb/welding/weld.dcr" --threads 1 --clearance 100mm --json >one.txt
"$cellpipe" collide "$top/samples/deneb/welding/weld.dcr" --threads 5 --clearance 100mm --json >two.txt
must "the same by any number of threads" cmp one.txt two.txt
must "much to tell" [ "$(grep -c first_id one.txt)" -gt 50 ]

# Exclusions: the documentation's cell is free at its home, as RobWork's example says; its excluded pairs touch.
snippets=$top/../shared/corpus/robwork-snippets
if [ -d "$snippets" ]; then
    ends 0 '' "$cellpipe" collide "$snippets/workcell.wu"
    says '^18 pairs checked, 0 in collision$'
    must "RobWork agrees" grep -q 'in collision in its initial state: 0' "$snippets/ex-collisions.txt"
    ends 1 '' "$cellpipe" collide "$snippets/workcell.wu" all=yes
    says '^55 pairs checked, 13 in collision$'
    says '^Device\.J3Geo \| Device\.J4Geo: in collision$'
    ends 1 '' "$cellpipe" collide "$snippets/workcell.wu" -0.5 90deg 0 0 0 0 0
    says '^Wall-1 \| Device\.J6Geo: in collision$'
    ends 1 '' "$cellpipe" collide "$snippets/workcell.wu" deg=-28.6478897565,90,0,0,0,0,0
fi
finish

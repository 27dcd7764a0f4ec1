#!/bin/sh
# test_compare_back.sh PROGRAM: convert --compare-back. All samples come back as they were written; what an output does not
# hold, or holds with too few digits, is told.
. "$(dirname "$0")/check.sh"
for file in "$top"/samples/*.* "$top/samples/mechanisms/hexapod.dcr" "$top/samples/deneb/welding/weld.dcr"; do
    case $file in *.md) continue ;; esac
    for suffix in glb gltf stl; do
        "$cellpipe" convert -q "$file" "out.$suffix" --compare-back >"$work/stdout" 2>"$work/stderr"
        code=$?
        must "$(basename "$file") as $suffix: exit $code, $(head -n 3 "$work/stdout")" [ $code = 0 ]
        must "it says so" grep -Eq "^out\.$suffix was read again: 0 differences in [0-9]+ frames, [0-9]+ joints and their geometry$" "$work/stdout"
    done
done
said() { must "$1 in $(cat "$work/stdout")" grep -Eq -- "$1" "$work/stdout"; }

# With 8 bits a coordinate of the demo cell, 2.4 m long, is off by up to 2.4 m / 256 / 2 = 5 mm: much of a small part.
ends 0 '' "$cellpipe" convert -q "$top/samples/demo.wu" web.glb --compare-back --out web=yes
ends 1 '' "$cellpipe" convert -q "$top/samples/demo.wu" web.glb --compare-back --out web=yes --out bits=8
said '^geometry "drawn": an area of 18\.78[0-9]* m2, not 1[0-9.]* m2$'
said '^web\.glb was read again: [1-9][0-9]* differences? in 58 frames'
must "the output stays" [ -s web.glb ]

# Units and axes that the output has of its own.
for options in "" "--out unit=in" "--out up=y --out unit=mm" "--out unit=source --out up=source" "--out format=ascii"; do
    # shellcheck disable=SC2086 # words
    ends 0 '' "$cellpipe" convert -q "$top/samples/stl_hollow.stl" out.stl --in unit=mm --in up=y $options --compare-back
done
ends 0 '' "$cellpipe" convert -q "$top/samples/demo.wu" out.glb.gz --compare-back ! weld
ends 0 '' "$cellpipe" convert -q "$top/samples/demo.wu" out --to glb --compare-back

# What the writer of URDF has reported as lost: homes, limits, pairs, kinds of frames.
ends 0 '' "$cellpipe" convert -q "$top/samples/demo.wu" out.urdf --compare-back
said '^out\.urdf was read again: 0 differences in 59 frames'
must "losses are no differences" [ "$(wc -l <"$work/stdout")" = 1 ]
must "each loss once" [ "$("$cellpipe" convert "$top/samples/demo.wu" out.urdf --compare-back 2>&1 | grep loss: | sort | uniq -d | wc -l)" = 0 ]

# A frame that is called world is one of the cell, whose own stands for the world.
printf '{ "WORLD"\n}\n{ "world"\n Position (1, 0, 0)\n GeoID "#Box 1 1 1"\n}\n{ "B"\n Position (2, 0, 0)\n GeoID "#Box 1 1 1"\n}\n' >worlds.wu
ends 0 '' "$cellpipe" convert -q worlds.wu worlds.urdf --compare-back
said 'read again: 0 differences in 3 frames'

# Homes that are lost move no frames apart, and the number of sides is no part of a shape.
cat >round.wu <<'END'
{ "WORLD"
}
{ "Turn"
  ActiveJoint
  Revolute
  Position (1, 0, 0)
  JointHomePos 0.7
}
{ "Arm"
  ReferenceFrame "Turn"
  Position (0.5, 0, 0)
  GeoID "#Cylinder 0.1 0.5 SIDES"
}
{ "Post"
  Position (0, 1, 0)
  GeoID "#Sphere 0.2 SIDES"
}
END
for sides in 12 16 31 48 400; do
    sed "s/SIDES/$sides/" round.wu >sides.wu
    ends 0 '' "$cellpipe" convert -q sides.wu sides.urdf --compare-back
    said 'read again: 0 differences in 4 frames, 1 joints'
done
sed "s/SIDES/16/" round.wu >sides.wu
ends 0 'note: 2 round shapes have other than 32 sides' "$cellpipe" convert -v sides.wu sides.urdf

ends 2 'cannot be standard output' "$cellpipe" convert "$top/samples/demo.wu" - --to stl --compare-back
ends 2 'nothing reads a whole cell of png' "$cellpipe" convert "$top/samples/demo.wu" out.png --compare-back
ends 2 'nothing reads a whole cell of collision-setup' "$cellpipe" convert "$top/samples/demo.wu" out.xml --compare-back
must "nothing is written" [ ! -e out.png ]
must "nothing is written" [ ! -e out.xml ]
ends 4 'cannot be written' "$cellpipe" convert "$top/samples/demo.wu" gone/out.glb --compare-back
ends 5 'frames are flattened' "$cellpipe" convert -q "$top/samples/demo.wu" strict.stl --strict --compare-back

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# test_urdf_written.sh PROGRAM: what is written as URDF, of samples, cells and the corpus, is taken by urdfdom
# (check_urdf), and KDL has every link where our evaluation has the frame, within 1e-9 m and in entries of rotations, at
# 100 random states (consumers/kdl_check.cpp). Mesh files are there, and read.
. "$(dirname "$0")/check.sh"
command -v check_urdf >/dev/null || { echo "skipped: cli/test_urdf_written needs liburdfdom-tools"; exit 77; }
kdl_check=$(dirname "$cellpipe")/tests/kdl_check
[ -x "$kdl_check" ] ||
    { echo "skipped: cli/test_urdf_written needs libkdl-parser-dev and liburdfdom-dev when the tests are built"; exit 77; }
shared=$top/../shared
states=${CELLPIPE_LONG:+1000}
states=${states:-100}

# written FILE WORDS...: one input by these options.
written() {
    input=$1 name=${1#"$top"/}
    shift
    rm -rf out
    mkdir out
    "$cellpipe" convert -q "$input" out/robot.urdf "$@" 2>stderr || { fail "$name: exit $?"; return; }
    check_urdf out/robot.urdf >stderr 2>&1 || fail "$name $*: urdfdom refuses it"
    "$kdl_check" "$input" out/robot.urdf "$states" >stderr 2>&1 || fail "$name $*: frames differ"
    for mesh in $(sed -n 's/.*<mesh filename="\([^"]*\)".*/\1/p' out/robot.urdf | sort -u); do
        [ -s "out/${mesh#package://robots/}" ] || fail "$name $*: no $mesh"
    done
    pass
    count=$((count + 1))
}

count=0
for sample in "$top"/samples/*.wu "$top"/samples/*.urdf "$top"/samples/*.gltf "$top"/samples/*.dae \
    "$top"/samples/stl_solids.stl "$top"/samples/obj_plate.obj "$top"/samples/step_clamp.step \
    "$top"/samples/deneb/*/*.dc[dwr] "$top"/samples/mechanisms/*.dc[dw] "$top"/tests/cells/*.wu; do
    written "$sample"
done
"$cellpipe" convert -q "$top/samples/demo.wu" demo.glb --out profile=stage
written "$work/demo.glb"
must "fifty inputs, not $count" [ "$count" -ge 50 ]
for sample in demo.wu urdf_picker.urdf tag_models.wu; do
    written "$top/samples/$sample" --out meshes=glb
    written "$top/samples/$sample" --out movable=floating
    written "$top/samples/$sample" --out package=robots
done 2>/dev/null

# The bytes are the same for any number of threads.
for sample in demo.wu collada_arm.dae deneb/welding/weld.dcr; do
    for meshes in stl glb; do
        rm -rf one eight
        mkdir one eight
        "$cellpipe" convert -q "$top/samples/$sample" one/o.urdf --threads 1 --out meshes=$meshes
        "$cellpipe" convert -q "$top/samples/$sample" eight/o.urdf --threads 8 --out meshes=$meshes
        must "$sample: eight threads" diff -r one eight
        must "$sample: meshes" [ -n "$(ls one/meshes/*.$meshes)" ]
    done
done

if [ -d "$shared/reference/robots" ]; then
    count=0
    for robot in "$shared"/reference/robots/expanded/*.urdf; do
        case $robot in *_prismatic_joints.urdf) continue ;; esac # two roots: refused
        written "$robot"
    done
    must "18 robots, not $count" [ "$count" = 18 ]
fi
if [ -d "$shared/corpus" ]; then
    count=0
    for cell in $(find "$shared/corpus" -name '*.wu' -o -name '*.dev' -o -path '*/khronos/*.glb' | LC_ALL=C sort); do
        written "$cell"
    done
    for robot in "$shared"/corpus/robots/urdf/dialects/*.urdf; do
        "$cellpipe" info -q "$robot" >info 2>&1 || continue
        written "$robot"
    done
    must "sixty files of the corpus, not $count" [ "$count" -ge 60 ]
    # Robots with meshes: as many triangles at the same place, and no more files than meshes.
    count=0
    for robot in "$shared"/corpus/*/*/urdf/*.xacro; do
        case $robot in *macro.xacro | */common_*) continue ;; esac
        "$cellpipe" convert -q --confine=no "$robot" robot.glb --out profile=stage 2>stderr || fail "$robot"
        written "$work/robot.glb"
        for file in robot.glb out/robot.urdf; do
            "$cellpipe" info -q "$file" | grep '^drawn' >"drawn.${file##*.}"
        done
        must "$robot: the same is drawn" cmp -s drawn.glb drawn.urdf
        must "$robot: meshes are shared" [ "$(ls out/meshes | wc -l)" -le \
            "$("$cellpipe" info -q robot.glb | sed -n 's/^meshes *\([0-9]*\),.*/\1/p')" ]
    done
    must "nine robots with meshes, not $count" [ "$count" = 9 ]
fi
finish

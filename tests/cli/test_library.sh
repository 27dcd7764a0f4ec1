#!/bin/sh
# test_library.sh PROGRAM: the example programs of docs/library.md, which the build puts beside the tests, do what the
# page says.
program=$(realpath "$1")
examples=$(dirname "$program")/tests
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

expect() { # exit code, what is printed, command...
    code=$1 text=$2
    shift 2
    got=$("$@" 2>"$work/errors")
    [ "$?" = "$code" ] && [ "$got" = "$text" ] && return
    failed=1
    echo "FAILED: $*: not exit $code and \"$text\", but \"$got\" and"
    cat "$work/errors"
}
said() { # expression
    grep -Eq "$1" "$work/errors" && return
    failed=1
    echo "FAILED: no message like /$1/"
}

part=samples/deneb/welding/welding.dcw
expect 0 'read: 2460 triangles
simplified: 1540 triangles' "$examples/read_filter_write" $part "$work/out.glb"
said 'simplify: note'
expect 0 'triangles 1540' \
    sh -c '"$1" info "$2" | sed -n "s/^drawn *\([0-9]*\) triangles.*/triangles \1/p"' - "$program" "$work/out.glb"
expect 3 '' "$examples/read_filter_write" "$work/none.stl" "$work/none.glb"
said 'none\.stl: error: cannot be opened'
expect 4 'read: 2460 triangles
simplified: 1540 triangles' "$examples/read_filter_write" $part "$work/none/out.glb"
expect 2 '' "$examples/read_filter_write" $part
said usage

expect 1 '0 ms: 5 pairs collide
900 ms: 6 pairs collide
1000 ms: 5 pairs collide
1100 ms: 6 pairs collide
1200 ms: 5 pairs collide
arm | gear: 828 ms to 1184 ms
arm#2 | slide: 0 ms to 2000 ms
arm#2 | gear: 0 ms to 2000 ms
arm#2 | tool: 0 ms to 2000 ms
slide | gear: 0 ms to 2000 ms
slide | tool: 0 ms to 2000 ms' "$examples/play_and_collide" samples/joints.gltf
expect 0 '' "$examples/play_and_collide" samples/demo.wu
expect 1 '' "$examples/play_and_collide" samples/gltf_external.gltf
said 'no frame has collision geometry'
expect 2 '' "$examples/play_and_collide"
said usage

# Each place of the tool that the monitor shows is the one that the clip of the same program has.
"$program" convert -q samples/demo.wu "$work/first.csv" --out period=0.1 --out frames=Arm.TCP ! program file=samples/demo/first.prg device=Arm
LC_ALL=C awk -F, 'NR > 1 && NR < 46 { printf "%.2f s: %.2f %.2f %.2f\n", $1, 1000 * $9, 1000 * $10, 1000 * $11 } END { print "ended at 4.35 s" }' \
    "$work/first.csv" >"$work/places"
expect 0 "$(cat "$work/places")" sh -c '"$1" samples/demo.wu samples/demo/first.prg | sed "s/, line [0-9]*//"' - "$examples/monitor_program"
expect 0 'stopped at 1.10 s' sh -c '"$1" samples/demo.wu samples/demo/first.prg 1.1 | tail -n 1' - "$examples/monitor_program"
expect 3 '' "$examples/monitor_program" samples/demo.wu tests/cases/program/wrong.prg
said 'unknown instruction'
expect 2 '' "$examples/monitor_program"
said usage

# A scene that a host builds: its frames are where the example says, and the joint turns what hangs on it.
expect 0 '' "$examples/build_scene" "$work/arm.glb"
expect 0 'position    0 0 0.3 m
R P Y       90 0 0 deg' sh -c '"$1" fk "$2" base=90deg frame=arm | head -n 2' - "$program" "$work/arm.glb"
expect 2 '' "$examples/build_scene"
said usage
[ "$failed" = 0 ] && echo "passed"

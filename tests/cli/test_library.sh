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

# Formats of the host's own: lengths in any unit, errors with a line, losses, and what goes through other formats.
printf 'home 0 0 1\n\naway 1.5 -2e0 0.25\n' >"$work/a.places"
expect 0 '' "$examples/own_format" "$work/a.places" "$work/b.places"
said 'b\.places: loss: meshes are left out'
expect 0 'home 0 0 1.5
away 1.5 -2 0.75' cat "$work/b.places"
expect 0 '' "$examples/own_format" "$work/a.places" "$work/b.glb" radius=5cm
expect 0 '1.55 0.05 1.55' sh -c '"$1" info "$2" | sed -n "s/^drawn.* to (\([^)]*\))\$/\1/p"' - "$program" "$work/b.glb"
expect 0 '' "$examples/own_format" "$work/b.glb" "$work/c.places.gz"
expect 0 'home 0 0 2
away 1.5 -2 1.25' gzip -dc "$work/c.places.gz"
expect 0 '' "$examples/own_format" "$work/c.places.gz" "$work/d.places"
printf 'home 0 0 1\naway 1.5 -2\n' >"$work/bad.places"
expect 3 '' "$examples/own_format" "$work/bad.places" "$work/d.glb"
said 'bad\.places:2: error: needs NAME X Y Z'
expect 2 '' "$examples/own_format" "$work/a.places" "$work/d.glb" radus=5cm
said 'did you mean radius'
expect 2 '' "$examples/own_format" "$work/a.places" "$work/d.glb" radius=20
said 'must lie in 1e-6 \.\. 10 m'
expect 2 '' "$examples/own_format"
said usage
[ "$failed" = 0 ] && echo "passed"

#!/bin/sh
# test_urdf_dialects.sh PROGRAM: 78 small robots, right and wrong, beside what urdfdom 3.0.1 says of each
# (../shared/reference/robots). What urdfdom takes is taken; what it refuses is taken with a warning or refused with a
# line; and nothing else ends the program.
. "$(dirname "$0")/check.sh"
robots=$top/../shared/corpus/robots/urdf/dialects said=$top/../shared/reference/robots/dialects_urdfdom_3.0.1.txt
[ -d "$robots" ] || { echo "skipped: no $robots"; exit 77; }
count=0
for robot in "$robots"/*.urdf; do
    name=$(basename "$robot")
    verdict=$(sed -n "s/^$name: //p" "$said")
    count=$((count + 1))
    "$cellpipe" info "$robot" >stdout 2>stderr
    got=$?
    case $verdict in
    ok | Warning*) must "$name: urdfdom takes it" [ $got = 0 ] ;;
    *)
        must "$name: exit $got" [ $got = 0 -o $got = 3 ]
        [ $got = 0 ] || must "$name: an error with its line" grep -q -E "$name:[0-9]+(:[0-9]+)?: error: " stderr
        ;;
    esac
done
must "78 robots, not $count" [ $count = 78 ]

# The program of urdfdom itself, on names: an error of it may go without its exit code.
count=0
command -v check_urdf >/dev/null || { echo "skipped: names need liburdfdom-tools"; finish; }
for robot in "$top"/tests/cases/urdf/empty_*.urdf "$top"/tests/cases/urdf/un*named*.urdf; do
    check_urdf "$robot" >stdout 2>stderr && ! grep -q Error stdout stderr || continue
    count=$((count + 1))
    must "$robot: urdfdom takes it" "$cellpipe" convert "$robot" out.glb -q
done
must "more than $count robots" [ $count -ge 3 ]
finish

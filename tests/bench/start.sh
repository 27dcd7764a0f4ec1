#!/bin/sh
# start.sh [PROGRAM...]: processor time of short runs of cellpipe, and of each PROGRAM (other builds of it), interleaved,
# in milliseconds as Markdown: what the start takes, and what the libraries that a format needs add to it. `true` does
# nothing: it shows what a process costs here. Each number is the median of ROUNDS (9) means of RUNS (50) runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cellpipe=${CELLPIPE:-$here/../../build/release/cellpipe}
timed=$(dirname "$cellpipe")/tests/bench/run_timed
samples=$here/../../samples rounds=${ROUNDS:-9} runs=${RUNS:-50}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/common.sh"

# repeat RESULT WORDS...
repeat() {
    result=$1
    shift
    # shellcheck disable=SC2016 # words of the inner shell
    "$timed" "$result" sh -c 'i=0 runs=$1; shift; while [ $i -lt "$runs" ]; do "$@" >/dev/null 2>&1 || exit; i=$((i + 1)); done' - "$runs" "$@"
}

# row TITLE WORDS...
row() {
    title=$1
    shift
    rm -f "$work"/result.*
    for round in $(seq "$rounds"); do
        number=0
        for program in $programs; do
            number=$((number + 1))
            repeat "$work/result.$number" "$program" "$@"
        done
    done
    printf '| %s |' "$title"
    for result in "$work"/result.*; do
        printf ' %s |' "$(compute "1000 * $(median "$result" 2) / $runs" %.2f)"
    done
    echo
}

programs="$cellpipe $*"
head='| run |' rule='|---|'
for program in $programs; do
    head="$head $program, ms |" rule="$rule---|"
done
printf '%s\n%s\n' "$head" "$rule"
programs=/bin/true row 'true'
row '`--version`' --version
row '`info` of an STL file' info "$samples/stl_one_facet.stl"
row '`info` of URDF: libxml2' info "$samples/urdf_picker.urdf"
row '`info` of xacro: libxml2' info "$samples/xacro_arm.urdf.xacro"
row '`info` of AC3D' info "$samples/ac3d_desk.ac"
row '`info` of X3D: assimp, in a process of its own' info "$here/../cases/assimp/zero_normal.x3d"
row 'STL to PNG: libpng' convert -q "$samples/stl_one_facet.stl" "$work/out.png" --out size=16x16
row 'OBJ to GLB for the web: meshoptimizer' convert -q "$samples/obj_plate.obj" "$work/out.glb" --out web=yes

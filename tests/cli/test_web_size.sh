#!/bin/sh
# test_web_size.sh PROGRAM: a file for the web is never larger than the plain one of the same options.
. "$(dirname "$0")/check.sh"
samples=$top/samples

# The bytes of the file and of the .bin beside it.
size() { # FILE
    cat "$1" "${1%.*}.bin" 2>/dev/null | wc -c
}

# both INPUT SUFFIX OPTIONS...: with and without web=yes.
both() {
    input=$1 suffix=$2
    shift 2
    rm -f plain.* web.*
    "$cellpipe" convert -q "$input" "plain.$suffix" "$@" 2>/dev/null || return
    ends 0 "" "$cellpipe" convert -q "$input" "web.$suffix" "$@" --out web=yes
    must "$input $*: $(size "web.$suffix") bytes for the web, $(size "plain.$suffix") without" \
        [ "$(size "web.$suffix")" -le "$(size "plain.$suffix")" ]
    compared=$((compared + 1))
}

compared=0
for input in "$samples"/*.* "$samples"/deneb/*/*.dcw; do
    both "$input" glb
    both "$input" gltf --out extras=no
done
for input in ac3d_desk.ac stl_hollow.stl obj_plate.obj tag_models.wu gltf_features.gltf shapes.gltf; do
    for options in normals=keep normals=smooth normals=none clips=none up=z; do
        both "$samples/$input" glb --out "$options"
    done
    both "$samples/$input" gltf --out embed=yes
done
must "samples were compared, not only refused: $compared" [ "$compared" -gt 80 ]

# What belongs to the web alone changes nothing of that.
plain=$("$cellpipe" convert -q "$samples/ac3d_desk.ac" plain.glb && size plain.glb)
for options in compression=none bits=8 error=1m; do
    "$cellpipe" convert -q "$samples/ac3d_desk.ac" web.glb --out web=yes --out "$options"
    must "$options is not larger" [ "$(size web.glb)" -le "$plain" ]
done

# Where the plain file meets the budget, nothing is simplified for it; where nothing does, that is an error.
for budget in "$plain" $((plain + 40)); do
    ends 0 "written as without web=yes" "$cellpipe" convert -v "$samples/ac3d_desk.ac" budget.glb --out web=yes \
        --out "budget=$budget"
    must "the plain file within the budget $budget" cmp -s budget.glb plain.glb
done
ends 6 'the coarsest shape still takes' "$cellpipe" convert "$samples/ac3d_desk.ac" none.glb --out web=yes \
    --out "budget=900"

# The example of the README has the sizes that stand there.
"$cellpipe" convert -q "$samples/dh_arm.wu" plain.glb
"$cellpipe" convert -q "$samples/dh_arm.wu" web.glb --out web=yes --out error=1mm
sizes="$((($(size web.glb) + 500) / 1000)) kB instead of $((($(size plain.glb) + 500) / 1000)) kB"
must "README: $sizes" grep -q "$sizes" "$top/README.md"

# A file that packing makes smaller is packed.
"$cellpipe" convert -q "$samples/stl_65535.stl.gz" large.glb --out web=yes
must "a large mesh is packed" grep -aq EXT_meshopt_compression large.glb
# One mesh of a ring of a metre, and a triangle that lies 500 km away: on one grid of 16 bits the ring is smaller than a
# step, and that is told. Split, each has its own grid.
awk 'BEGIN { print "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3"; n = 40; turn = 8 * atan2(1, 1) / n
    for (i = 0; i < n; i++) for (k = 0; k < n; k++) { r = 1 + 0.3 * cos(k * turn)
        x = 512345.123 + r * cos(i * turn); y = 187654.432 + r * sin(i * turn)
        printf "v %.6f %.6f %.6f\n", x, y, 0.3 * sin(k * turn) }
    for (i = 0; i < n; i++) for (k = 0; k < n; k++) { a = 4 + i * n; b = 4 + (i + 1) % n * n; l = (k + 1) % n
        print "f", a + k, b + k, b + l; print "f", a + k, b + l, a + l } }' >far.obj
ends 0 'far\.glb: warning: meshes of which most triangles are smaller than a step of the positions, and left out: 1 ' \
    "$cellpipe" convert far.obj far.glb --in unit=m --out web=yes
ends 0 "" "$cellpipe" convert far.obj far.glb --in unit=m --out web=yes ! split-meshes
must "all triangles are there" sh -c '"$0" info far.glb | grep -q " 3201 triangles"' "$cellpipe"
finish

#!/bin/sh
# test_further.sh PROGRAM: files that name two others each, through formats that take turns, 2^40 in all, end at the limit of files.
. "$(dirname "$0")/check.sh"

# A tag cell draws two devices, a device has two tag cells for parts.
for level in $(seq 0 40); do
    next=$((level + 1))
    for half in a b; do
        if [ $((level % 2)) = 0 ]; then
            printf '{ "X"\n  DrawableID "%sa.dcd"\n}\n{ "Y"\n  DrawableID "%sb.dcd"\n}\n' $next $next >$level$half.wu
        else
            printf 'DCT DEVICE 1.0\nUNIT mm\nANGLE deg\nDEVICE "d"\n PART "p" FILE "%sa.wu" ATTACH 1\n PART "q" FILE "%sb.wu" ATTACH 0\nEND\n' \
                $next $next >$level$half.dcd
        fi
    done
done
for limit in 100 1000; do
    ends 6 "error: file \"[0-9]+[ab]\.(wu|dcd)\" is beyond the limit of $limit further files" \
        "$cellpipe" convert 0a.wu out.glb --limit files=$limit
    must "nothing is written" [ ! -e out.glb ]
done

# What is there fits: each reader keeps what it has read.
printf '{ "X"\n  DrawableID "part.stl"\n}\n{ "Y"\n  DrawableID "part.stl"\n}\n' >two.wu
ends 0 '' "$cellpipe" convert two.wu out.glb --limit files=1
printf '{ "X"\n  DrawableID "part.stl"\n}\n{ "Y"\n  DrawableID "link.stl"\n}\n' >two.wu
cp part.stl link.stl
ends 6 'file "link.stl" is beyond the limit of 1 further files' "$cellpipe" convert two.wu out.glb --limit files=1
finish

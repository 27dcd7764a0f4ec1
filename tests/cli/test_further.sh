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

# What is small on the disk and large in memory ends at a limit, soon: a gzip bomb, and 10 GB without blocks.
head -c 60000000 /dev/zero | gzip -9 >bomb.stl.gz
ends 6 'bomb.stl.gz: error: expands to more than 200 times its packed size \(--limit ratio=\)' \
    within 30 "$cellpipe" convert bomb.stl.gz bounded.glb
printf '%80s\314\314\314\014' '' >sparse.stl # 214,748,364 facets
truncate -s 10737418284 sparse.stl
ends 3 'sparse.stl: error: 214748364 facets from facet 1 on are zero bytes' \
    within 120 "$cellpipe" convert sparse.stl bounded.glb
rm sparse.stl
yes "$(cat part.stl)" | head -n 600000 >large.stl
ends 6 'out of memory: more than 1000000 bytes \(--limit memory=\)' \
    within 30 "$cellpipe" convert large.stl bounded.glb --limit memory=1000000
rm large.stl
must "nothing is written" [ ! -e bounded.glb ]

# A package's folder is given, found above the cell or in an include folder, or missing: then the places are listed.
mkdir -p elsewhere/meshes ws/cells ws/parts
cp part.stl elsewhere/meshes/box.stl
cp part.stl ws/parts/near.stl
printf '{ "X"\n  GeoID "package://parts/meshes/box.stl"\n}\n' >ws/cells/cell.wu
printf '{ "X"\n  GeoID "model://parts/near"\n}\n' >ws/cells/near.wu
ends 0 '' "$cellpipe" convert ws/cells/cell.wu said.dump --package parts=elsewhere
must "the model is placed" grep -q 'package://parts/meshes/box.stl' said.dump
mv elsewhere parts
ends 3 'lies outside the top file.s folder "ws/cells/" .--confine=no reads it; --include DIR' \
    "$cellpipe" convert ws/cells/cell.wu above.dump
ends 0 '' "$cellpipe" convert ws/cells/cell.wu above.dump --confine=no
ends 0 '' "$cellpipe" convert ws/cells/cell.wu said_again.dump --package=parts=parts
mkdir lib
mv parts lib
ends 0 '' "$cellpipe" convert ws/cells/cell.wu included.dump -I lib
for other in above said_again included; do
    must "the same wherever the package is" cmp said.dump $other.dump
done
ends 0 '' "$cellpipe" convert ws/cells/near.wu near.dump --confine=no
must "the model above is placed" grep -q 'model://parts/near' near.dump
ends 3 'lies outside the top file.s folder' "$cellpipe" convert ws/cells/near.wu out.dump
ends 3 'lies outside the top file.s folder' "$cellpipe" info ws/cells/near.wu
ends 0 '' "$cellpipe" convert ws/cells/near.wu near_again.dump -I ws/parts
must "a folder of -I may be read" cmp near.dump near_again.dump

# A FIFO or a device as a further file is refused at once; standard input and a FIFO as the input are read. Whoever opens
# the FIFO waits for ever, which ten minutes tell from a busy machine.
mkfifo pipe.stl
printf '{ "X"\n  DrawableID "pipe.stl"\n}\n' >pipe.wu
ends 3 'pipe.wu(:[0-9]+)*: error: file "pipe.stl" is no regular file' timeout 600 "$cellpipe" convert pipe.wu out.dump
printf '{ "X"\n  DrawableID "/dev/zero"\n}\n' >zero.wu
ends 3 'file "/dev/zero" lies outside' timeout 600 "$cellpipe" convert zero.wu out.dump
ends 3 'file "/dev/zero" is no regular file' timeout 600 "$cellpipe" convert zero.wu out.dump --confine=no
cat part.stl >pipe.stl &
ends 0 '' timeout 600 "$cellpipe" convert pipe.stl out.dump
ends 0 'cell.wu:2:3: loss: the model "package://parts/meshes/box.stl": no file that can be read; looked at none/meshes/box.stl .--package parts=DIR gives' \
    "$cellpipe" convert ws/cells/cell.wu out.dump --package parts=none
ends 0 'no file that can be read; looked at parts/meshes/box.stl, .*/ws/parts/meshes/box.stl, .*, lib/none/parts/meshes/box.stl .--package' \
    "$cellpipe" convert ws/cells/cell.wu out.dump -I lib/none
printf 'File "package://parts/more.wu"\n{ "X"\n  Device "file://../parts/arm.dev"\n}\n' >ws/cells/all.wu
printf '{ "Included"\n}\n' >ws/parts/more.wu
printf '{ "Joint"\n  CraigDH 0 0 1 0\n}\n' >ws/parts/arm.dev
ends 0 '' "$cellpipe" convert ws/cells/all.wu all.dump --confine=no
must "includes and devices are found by their URIs" grep -q 'X.Joint' all.dump
must "and what is included is there" grep -q 'Included' all.dump
ends 0 '' "$cellpipe" batch ws/cells/cell.wu ws/cells/near.wu --out-dir bulk --package parts=lib/parts \
    --package parts=ws/parts
ends 2 'package folder "parts": needs NAME=FOLDER' "$cellpipe" convert ws/cells/cell.wu out.dump --package parts
ends 2 'needs NAME=FOLDER, the name without a slash' "$cellpipe" convert ws/cells/cell.wu out.dump --package a/b=lib
finish

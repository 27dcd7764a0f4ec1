#!/bin/sh
# test_files.sh PROGRAM: outputs appear whole or not at all, and never where they should not.
. "$(dirname "$0")/check.sh"

mkdir out

# An output that is an input, by any name.
cp part.stl same.stl
ln -s same.stl link.stl
ln same.stl hard.stl
for name in same.stl ./same.stl link.stl hard.stl; do
    ends 2 'same.stl|link.stl|hard.stl' "$cellpipe" convert same.stl $name
    must "same.stl is untouched by $name" cmp -s part.stl same.stl
done
ends 2 'arm.dev: error: is an input' "$cellpipe" convert -q cell.wu arm.dev --to dump
ends 2 'part.stl' "$cellpipe" weld part.stl part.stl
must "part.stl is untouched" cmp -s part.stl same.stl
rm link.stl hard.stl

# A further output that is an input: the .bin of both.
ends 0 '' "$cellpipe" convert part.stl part.gltf
cp part.bin kept.bin
ends 2 'part.bin: error: is an input' "$cellpipe" convert part.gltf part.gltf.gz ! flatten
must "part.bin is untouched" cmp -s part.bin kept.bin
rm part.gltf part.bin kept.bin

# Overwriting, and not.
echo old >out/a.dump
ends 4 'out/a.dump: error: exists already' "$cellpipe" convert part.stl out/a.dump --no-clobber
must "kept" [ "$(cat out/a.dump)" = old ]
ends 0 '' "$cellpipe" convert part.stl out/a.dump
must "replaced" grep -q tetra out/a.dump
ends 0 '' "$cellpipe" convert part.stl out/b.dump --no-clobber --sync
must "b.dump is a.dump" cmp -s out/a.dump out/b.dump
must "no traces" [ "$(folder out)" = 'a.dump b.dump ' ]

# A failing run leaves the old output alone.
cp out/a.dump old.dump
ends 3 'bad.stl:4:12: error' "$cellpipe" convert bad.stl out/a.dump
must "a.dump after a bad input" cmp -s out/a.dump old.dump
ends 5 'lossy|strict' "$cellpipe" convert -q cell.wu out/c.stl --strict
must "no traces after --strict" [ "$(folder out)" = 'a.dump b.dump ' ]

# Where a file cannot be.
ends 4 'none/a.dump: error' "$cellpipe" convert part.stl none/a.dump
ends 4 'out: error: is a folder' "$cellpipe" convert part.stl out --to dump
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    ends 4 'locked/a.dump: error' "$cellpipe" convert part.stl locked/a.dump
fi

# A symbolic link stays a link, and what it points to is replaced.
echo old >out/target.dump
ln -s target.dump out/link.dump
ends 0 '' "$cellpipe" convert part.stl out/link.dump
must "still a link" [ -h out/link.dump ]
must "the target is new" cmp -s out/target.dump out/a.dump

ln -s there.dump out/here.dump
ln -s here.dump out/there.dump
ends 4 'out/here.dump: error: cannot be written' "$cellpipe" convert part.stl out/here.dump
must "a circle of links stays one" [ -h out/here.dump ]
rm out/here.dump out/there.dump
ln -s new.dump out/dangling.dump
ends 0 '' "$cellpipe" convert part.stl out/dangling.dump
must "a link to nothing yet stays" [ -h out/dangling.dump ]
must "and has its target now" cmp -s out/new.dump out/a.dump

# A FIFO and a device are written through.
mkfifo pipe.dump
"$cellpipe" convert part.stl pipe.dump &
must "through a FIFO" cmp -s out/a.dump pipe.dump
wait $!
must "the FIFO is still one" [ -p pipe.dump ]
ends 0 '' "$cellpipe" convert part.stl /dev/null --to dump
must "/dev/null is still a device" [ -c /dev/null ]
ends 4 'No space left' "$cellpipe" convert part.stl /dev/full --to dump

# Permissions follow the umask.
(umask 027 && "$cellpipe" convert part.stl out/mode.dump)
must "mode" [ "$(stat -c %a out/mode.dump)" = 640 ]

# The report is no way around.
cp part.stl kept.stl
ln kept.stl also.stl
for name in kept.stl ./kept.stl also.stl; do
    ends 2 'the command names that file too' "$cellpipe" convert kept.stl out/r.dump --report $name
    must "kept.stl is untouched by --report $name" cmp -s part.stl kept.stl
done
ends 2 'the command names that file too' "$cellpipe" convert kept.stl out/r.dump --report out/r.dump
must "nothing was written" [ ! -e out/r.dump ]
cp arm.dev kept.dev
for command in 'info cell.wu' 'check cell.wu' 'convert cell.wu out/r.dump' 'diff cell.wu cell.wu'; do
    # shellcheck disable=SC2086
    ends 2 'arm.dev: is an input' "$cellpipe" $command -q --report arm.dev
    must "arm.dev is untouched by $command" cmp -s arm.dev kept.dev
done
must "nothing was written" [ ! -e out/r.dump ]
echo old >report.json
ends 4 'report.json: error: exists already' "$cellpipe" convert kept.stl out/r.dump --no-clobber --report report.json
must "the old report" [ "$(cat report.json)" = old ]

# Nor over what was just written, by whatever name.
ln -s part.bin out/part.link
for name in out/part.bin out/part.gltf out/part.link; do
    rm -f out/part.gltf out/part.bin
    ends 2 'is to be another output|the command names that file' "$cellpipe" convert part.stl out/part.gltf --report $name
    must "neither output nor report by --report $name" [ "$(folder out | grep -c 'part\.[bg]')" = 0 ]
done
ends 4 'none/r.json: error: cannot be written' "$cellpipe" check -q closed open.stl --report none/r.json
ln -s out also
for name in also/part.bin out/../out/part.bin ./out//part.bin "$work/out/part.bin"; do
    ends 2 'part.bin: error: is to be another output' "$cellpipe" convert part.stl out/part.gltf --report "$name"
    must "neither output nor report by --report $name" [ "$(folder out | grep -c 'part\.[bg]')" = 0 ]
done
echo old >out/part.bin
ends 2 'is to be another output' "$cellpipe" convert part.stl out/part.gltf --report out/part.bin
must "what was there stays" [ "$(cat out/part.bin)" = old ]
ends 2 'cell.xml.json: error: is to be another output' "$cellpipe" exclude cell.wu out/cell.xml work=5 samples=5 \
    descents=1 --out evidence=yes --report out/cell.xml.json
must "no list" [ ! -e out/cell.xml ]
ends 0 '' "$cellpipe" convert -q part.stl out/part.gltf --report part.bin
must "the same name in another folder" grep -q '"entries"' part.bin
rm -f out/part.*
echo old >target.json
ln -s target.json link.json
ends 0 '' "$cellpipe" info part.stl --report link.json
must "a link to a report stays" [ -h link.json ]
must "its target is the report" grep -q '"entries"' target.json
ends 0 '"entries"' "$cellpipe" info part.stl --report /dev/stderr

# Several files cannot go to a stream, and nothing of them does.
stream() { # option=value format input
    "$cellpipe" convert "$3" - --to "$2" --out "$1" >stream.out 2>/dev/null
    must "$2 $1 on standard output ends in 2" [ $? = 2 ]
    must "$2 $1 on standard output writes nothing" [ ! -s stream.out ]
}
stream split=yes stl cell.wu
stream layout=inline wrl cell.wu
stream profile=deliver gltf cell.wu
rm stream.out

# What is a stream by another name is written through: /dev/stdout, a process's own descriptors, a socket.
"$cellpipe" convert part.stl plain.dump
must "/dev/stdout in a pipe" [ "$("$cellpipe" convert part.stl /dev/stdout --to dump)" = "$(cat plain.dump)" ]
"$cellpipe" convert part.stl /dev/fd/3 --to dump 3>&1 | cat >pipe3.dump
must "/dev/fd/3" cmp -s plain.dump pipe3.dump
{ echo first; "$cellpipe" convert part.stl /dev/stdout --to dump; echo last; } >log.txt
{ echo first; cat plain.dump; echo last; } >want.txt
must "/dev/stdout in a file goes on where it is" cmp -s want.txt log.txt
ends 4 '/dev/fd/77: error' "$cellpipe" convert part.stl /dev/fd/77 --to dump
ends 0 '' "$cellpipe" convert part.stl /dev/null --to dump --no-clobber
if command -v node >/dev/null; then
    node -e 'const net = require("net"), fs = require("fs");
        const server = net.createServer((from) => { from.pipe(fs.createWriteStream("socket.dump")); server.close(); });
        server.listen("socket");' &
    tries=0
    until [ -S socket ] || [ $tries = 100 ]; do sleep 0.05; tries=$((tries + 1)); done
    ends 0 '' "$cellpipe" convert part.stl socket --to dump
    wait $!
    must "through a socket" cmp -s plain.dump socket.dump
else
    echo "skipped: test_files' socket needs node"
fi

# Names that look like flags or settings.
cp part.stl -- -part.stl
cp part.stl a=b.stl
ends 0 '' "$cellpipe" convert -- -part.stl out/-out.dump
ends 0 '' "$cellpipe" weld -- a=b.stl out/a=b.dump
ends 0 '' "$cellpipe" weld ./a=b.stl ./out/a=b.dump
ends 0 '' "$cellpipe" convert a=b.stl out/c.dump
finish

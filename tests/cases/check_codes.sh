#!/bin/sh
# check_codes.sh PROGRAM: runs all cases (run.sh), and checks that every code of an error in the source is hit by one of them, or named in
# a unit or command line test that asserts it. Those that no input can provoke are listed here, each with the reason.
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# code, then why
cat >"$work/allowed" <<'EOF'
sink-write the disk fills up or fails while a file is written
sink-rename the folder changes between opening and closing an output
source-read the disk fails while a file is read
users-read the disk fails while a file is read
read-not-built the tests need a build with all parts
write-not-built the tests need a build with all parts
gltf-corners it takes 4 GiB of corners, or more than 2^32 of them said by a file as large
gltf-instances it takes 2^32 placed meshes
gltf-size it takes 4 GiB of JSON
gltf-values it takes half a billion values, 4 GiB of memory before the error
scene-count it takes 2^32 items of a kind, more than memory holds
collision-setup-memory libxml2 has an allocator of its own
xacro-memory libyaml has an allocator of its own
3mf-memory libzip has an allocator of its own
xacro-unbuilt the tests need a build with all parts
collision-setup-unbuilt the tests need a build with all parts
assimp-corners a mesh of more than 2^32 - 1 corners needs 32 GB
assimp-memory assimp itself runs out of memory
step-memory Open CASCADE itself runs out of memory, which a sanitizer makes the end of the process
obj-large it takes a file of 8 GiB
deneb-legacy-size it takes a file of 4 GiB
ply-large it takes 4 GiB of corners
png-large it takes 2^31 triangles, or 2^32 vertices, lines or parts of bands
off-large it takes 4 GiB of corners
msh-large it takes 4 GiB of corners
tri-large it takes a file of 70 GiB
tri-index every corner is a point of its own
live-full it takes all descriptors of a server that serves, as consumers/test_live_limits does
live-thread the system has no more threads
tag-limit it takes 4 GiB of included files, or 16 million joints
EOF

# The first literal of a call of report_error, report_lenient or a helper that is called like them; calls may run over
# lines.
cd "$top" || exit 1
for file in $(find scene importers exporters live -name '*.c' | sort); do
    tr '\n' ' ' <"$file" |
        grep -o -E '[a-z0-9_]*(error|lenient|unknown|fail|limit)[a-z_]*\([^;"]*"[a-z0-9]+(-[a-z0-9]+)+"' |
        grep -o -E '"[^"]*"$' | tr -d '"'
done >"$work/found"
# A reader's codes begin with the name of the format; those of one format stand for all.
sed -n '/^#define XML_CODES/,/}/p' scene/base/text/xml.h | grep -o '"-[a-z]*"' | tr -d '"' | sed 's/^/collision-setup/' >>"$work/found"
sed -n '/^#define JSON_CODES/,/}/p' scene/cellpipe_json.h | grep -o '"-[a-z]*"' | tr -d '"' | sed 's/^/gltf/' >>"$work/found"
for format in ply off tri msh; do
    sed -n '/^#define FACES_CODES/,/}/p' importers/faces.h | grep -o -E '"-(index|not-finite|large)"' | tr -d '"' | sed "s/^/$format/" >>"$work/found"
done
LC_ALL=C sort -u "$work/found" >"$work/known"

CODES=$work/seen "$here/run.sh" "$program"
cases=$?
sed 's/.*"code": "\([^"]*\)"/\1/' "$work/seen" | LC_ALL=C sort -u >"$work/hit"
grep -h -o -E '"[a-z0-9]+(-[a-z0-9]+)+"' "$top"/tests/unit/*.c "$top"/tests/cli/*.sh | tr -d '"' | LC_ALL=C sort -u >>"$work/hit"
cut -d' ' -f1 "$work/allowed" >>"$work/hit"
LC_ALL=C sort -u -o "$work/hit" "$work/hit"

known=$(wc -l <"$work/known")
missing=$(LC_ALL=C comm -23 "$work/known" "$work/hit")
stale=$(cut -d' ' -f1 "$work/allowed" | LC_ALL=C sort | LC_ALL=C comm -23 - "$work/known")
for code in $missing; do
    echo "FAILED: no test hits the error \"$code\": $(grep -rn "\"$code\"" scene importers exporters live | head -n 1 | cut -d: -f1,2)"
done
for code in $stale; do
    echo "FAILED: the source has no \"$code\" any more, but check_codes.sh allows it"
done
echo "$known error codes"
[ "$cases" = 0 ] && [ "$known" -gt 0 ] && [ -z "$missing$stale" ]

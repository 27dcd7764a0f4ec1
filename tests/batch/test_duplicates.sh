#!/bin/sh
# test_duplicates.sh PROGRAM: outputs that are equal byte for byte become links of one file; parts of one shape in
# several places are told.
. "$(dirname "$0")/check.sh"
inode() { stat -c %i "$1"; }
left() { find "$1" -name '.cellpipe-*' | wc -l; }
runs() { works "$cellpipe" batch lib --out-dir out --progress none "$@"; }

# ---- links ----
mkdir -p lib/a lib/b lib/c
for name in a/x b/x c/x; do cp part.stl lib/$name.stl; done
sed 's/vertex 1 0 0/vertex 2 0 0/' part.stl >lib/a/other.stl
runs
plain=$(tree out)
must "files of their own without the option" [ "$(inode out/a/x.stl.glb)" != "$(inode out/b/x.stl.glb)" ]
bytes=$(stat -c %s out/a/x.stl.glb)
runs --link-duplicates
must "links of one file" [ "$(find out -name '*.glb' -links 3 | wc -l)" = 3 ]
must "what differs is apart" [ "$(stat -c %h out/a/other.stl.glb)" = 1 ]
must "the same bytes" [ "$(tree out)" = "$plain" ]
must "told: 2 links, $((2 * bytes)) bytes" grep -q "^links *2 outputs are links of equal ones, 2 of them new; saves $((2 * bytes)) bytes" stdout
must "no temporaries" [ "$(left out)" = 0 ]
must "their times are to be seen: $(plan lib --out-dir out)" [ "$(plan lib --out-dir out | grep -c touched)" = 2 ]
runs
must "nothing to do after it" [ -z "$(plan lib --out-dir out | grep -v 'up to date')" ]
runs --verify --link-duplicates
must "by contents, too" [ "$(states)" = '4 skipped' ]
must "none is new" grep -q '2 outputs are links of equal ones, 0 of them new' stdout

# An output that is converted anew leaves the others as they are.
sed 's/vertex 1 0 0/vertex 3 0 0/' part.stl >lib/b/x.stl
before=$(cksum <out/a/x.stl.glb)
runs
must "one is converted" [ "$(states)" = '1 ok 3 skipped' ]
must "it has its own bytes" [ "$(stat -c %h out/b/x.stl.glb) $(stat -c %h out/a/x.stl.glb)" = '1 2' ]
must "the others have theirs" [ "$before $before" = "$(cksum <out/a/x.stl.glb) $(cksum <out/c/x.stl.glb)" ]
cp part.stl lib/b/x.stl
runs --link-duplicates
must "a link again" [ "$(stat -c %h out/a/x.stl.glb)" = 3 ]
runs --force
must "--force makes files of them" [ "$(find out -name '*.glb' -links +1 | wc -l)" = 0 ]

# Other permissions, other bytes of the same size, what is no file any more: left apart.
chmod 600 out/a/x.stl.glb
touch -r out/c/x.stl.glb time
printf X | dd of=out/c/x.stl.glb bs=1 seek=100 conv=notrunc 2>/dev/null
touch -r time out/c/x.stl.glb
changed=$(cksum <out/c/x.stl.glb)
runs --link-duplicates
must "none is a link" [ "$(find out -name '*.glb' -links +1 | wc -l)" = 0 ]
must "nor replaced" [ "$changed $(stat -c %a out/a/x.stl.glb)" = "$(cksum <out/c/x.stl.glb) 600" ]
rm out/a/x.stl.glb out/c/x.stl.glb
runs --link-duplicates
must "links of those made anew" [ "$(stat -c %h out/a/x.stl.glb)" = 3 ]

# --prune removes a name and no other.
rm lib/c/x.stl
runs --prune
must "one name is gone" [ "$(stat -c %h out/a/x.stl.glb)" = 2 ]
must "and its file" [ ! -e out/c/x.stl.glb ]
must "the others are whole" [ "$before" = "$(cksum <out/b/x.stl.glb)" ]

# Further files of outputs, too.
printf '{ "A"\n GeoID "#Box 1 1 1"\n}\n{ "B"\n Position (3, 0, 0)\n GeoID "#Box 1 2 1"\n}\n' >one.wu
mkdir 1 2
cp one.wu 1
mv one.wu 2
works "$cellpipe" batch 1/one.wu 2/one.wu --root . --out-dir further --to gltf --link-duplicates
must "further files" [ "$(find further -type f -name '*.bin' -links 2 | wc -l)" = 2 ]

# Shards link what is theirs.
"$cellpipe" manifest lib >manifest.jsonl
for shard in 0 1; do
    works "$cellpipe" batch --manifest manifest.jsonl --shard $shard/2 --out-dir shards --link-duplicates
done
must "all shards have all outputs" [ "$(find shards -name '*.glb' | wc -l)" = 3 ]

# Killed at any instant: every output is there and whole, and the next run leaves no temporary.
mkdir many
i=0
while [ $i -lt 300 ]; do
    mkdir many/$i
    cp part.stl many/$i
    i=$((i + 1))
done
works "$cellpipe" batch many --out-dir kill --progress none
whole=$(tree kill)
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    for at in link,linkat:1 link,linkat:100 rename,renameat,renameat2:2 rename,renameat,renameat2:150; do
        ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -o /dev/null -e trace="${at%:*}" \
            -e inject="${at%:*}:signal=KILL:when=${at#*:}" \
            "$cellpipe" batch many --out-dir kill -q --link-duplicates >/dev/null 2>&1
        must "killed at $at" [ $? = 137 ]
        must "all are there: $at" [ "$(find kill -name '*.glb' -size +0 | wc -l)" = 300 ]
        must "with one temporary at most: $at" [ "$(left kill)" -le 1 ]
        must "the same: $at" [ "$(rm -f kill/*/.cellpipe-* && tree kill)" = "$whole" ]
    done
    works "$cellpipe" batch many --out-dir kill -q --force
    strace -o /dev/null -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:signal=KILL:when=2 \
        "$cellpipe" batch many --out-dir kill -q --link-duplicates >/dev/null 2>&1
    must "a temporary stays" [ "$(left kill)" = 1 ]
fi
works "$cellpipe" batch many --out-dir kill --progress none --link-duplicates
must "all the same after kills, without a temporary" [ "$(tree kill) $(left kill)" = "$whole 0" ]
must "one file" [ "$(find kill -name '*.glb' -links 300 | wc -l)" = 300 ]

# A file system without hard links: told once, and the run goes on.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    works env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -f -o /dev/null -e trace=link,linkat -e inject=link,linkat:error=EPERM \
        "$cellpipe" batch many --out-dir nolinks --progress none --link-duplicates --jobs 1
    must "told once" [ "$(grep -c 'cannot be a hard link of' stderr)" = 1 ]
    must "all are there" [ "$(find nolinks -name '*.glb' | wc -l) $(left nolinks)" = '300 0' ]
else
    echo "SKIPPED: no strace"
fi
# ---- one shape in several places ----
# surface PROGRAM: a curved surface of 288 facets without symmetry; PROGRAM (awk) changes its vertex x y z, the i k-th.
surface() {
    LC_ALL=C awk ${2+-v "$2"} 'function put(i, k) { x = i / 12; y = k / 9; z = 0.3 * sin(3 * x) + 0.2 * x * y + 0.1 * y * y; '"$1"'
            return sprintf("vertex %.9g %.9g %.9g\n", x, y, z) }
        function facet(a, b, c) { print "facet normal 0 0 0\nouter loop\n" a b c "endloop\nendfacet" }
        BEGIN { print "solid part"
            for (i = 0; i < 12; i++) for (k = 0; k < 12; k++) {
                a = put(i, k); b = put(i + 1, k); c = put(i + 1, k + 1); d = put(i, k + 1)
                if (mirrored) { t = b; b = d; d = t }
                facet(a, b, c); facet(a, c, d) }
            print "endsolid part" }'
}
turn='u = 0.36 * x + 0.48 * y - 0.8 * z; v = -0.8 * x + 0.6 * y; w = 0.48 * x + 0.64 * y + 0.6 * z; x = u; y = v; z = w'
mkdir -p shapes/copies
surface '' >shapes/original.stl
surface "$turn; x += 3; y -= 5; z += 0.7" >shapes/turned.stl
surface "x += 40" >shapes/far.stl
mkdir shapes/other
cp shapes/turned.stl shapes/other/again.stl
"$cellpipe" convert -q shapes/other/again.stl shapes/other.glb
rm -r shapes/other
cp shapes/original.stl shapes/copies/same_bytes.stl
# None of these is equal up to a motion.
surface 'x = -x' mirrored=1 >shapes/mirrored.stl
surface "x = -x; $turn" mirrored=1 >shapes/mirrored_and_turned.stl
surface 'x = -x' >shapes/inside_out.stl
surface 'x *= 1.0001; y *= 1.0001; z *= 1.0001' >shapes/scaled.stl
surface 'x *= 1.001' >shapes/stretched.stl
surface 'if (i == 5 && k == 7) z += 0.01' >shapes/vertex.stl
surface "if (i == 5 && k == 7) z += 0.01; $turn" >shapes/vertex_turned.stl
# The same two boxes, moved as a whole; apart by more; and one turned.
cell() { # X OF_SECOND RPY
    printf '{ "A"\n Position (%s, 1, 2)\n GeoID "#Box 1 2 3"\n}\n{ "B"\n Position (%s, 1, 2)\n RPY (%s, 0, 0)\n GeoID "#Box 3 2 1"\n}\n' "$1" "$2" "$3"
}
cell 0 4 0 >shapes/cell.wu
cell 7 11 0 >shapes/cell_moved.wu
cell 7 11.1 0 >shapes/cell_apart.wu
cell 7 11 20 >shapes/cell_turned.wu
works "$cellpipe" batch shapes --out-dir same --progress none
"$cellpipe" report same --json >report.json
part_of() { # NAME: its groups in the JSON, without their bytes
    sed -n '/"'"$1"'": \[/,/\]\(,\|$\)/p' report.json | grep -o '"inputs": .*\]' | sed 's/"inputs": //; s/}.*//; s/shapes\///g' | sort | tr '\n' ' '
}
must "one shape: $(part_of same_shapes)" [ "$(part_of same_shapes)" = \
    '["cell.wu","cell_moved.wu"] ["copies/same_bytes.stl","far.stl","other.glb","turned.stl"] ["mirrored.stl","mirrored_and_turned.stl"] ["vertex.stl","vertex_turned.stl"] ' ]
must "one content: $(part_of same_inputs)" [ "$(part_of same_inputs)" = '["copies/same_bytes.stl","original.stl"] ' ]
must "told" grep -q '^shapes  *4 shapes occur in several places' stdout
works "$cellpipe" batch shapes --out-dir same --progress none
"$cellpipe" report same --json | sed '/"time"/,$d' >again
must "again, from records of both runs" [ "$(cat again)" = "$(sed '/"time"/,$d' report.json)" ]
finish

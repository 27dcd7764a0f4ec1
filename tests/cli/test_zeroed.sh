#!/bin/sh
# test_zeroed.sh PROGRAM: what a power loss leaves of a file - zero bytes in all of it, from some block on, or in a block
# between, or nothing - is an error, never a smaller model.
. "$(dirname "$0")/check.sh"

zeros() { # BYTES
    head -c "$1" /dev/zero
}

# damage FILE HOW: all, tail (the second half), block (the third quarter), empty.
damage() {
    size=$(wc -c <"$1")
    head -c $((size / 2)) "$1" >"$work/half"
    tail -c $((size - size * 3 / 4)) "$1" >"$work/rest"
    case $2 in
    all) zeros "$size" >"$1" ;;
    tail) { cat "$work/half" && zeros $((size - size / 2)); } >"$1" ;;
    block) { cat "$work/half" && zeros $((size * 3 / 4 - size / 2)) && cat "$work/rest"; } >"$1" ;;
    empty) : >"$1" ;;
    esac
}

# Files of each format, and the file below them that is damaged.
cp -r "$top/samples" plain
chmod -R u+w plain
gzip -d plain/stl_65535.stl.gz
"$cellpipe" convert -q plain/stl_hollow.stl plain/ascii.stl --out format=ascii
"$cellpipe" convert -q plain/demo.wu plain/cell.glb
"$cellpipe" exclude -q plain/tag_arm.wu plain/list.xml
cat >inputs <<'EOF'
stl_65535.stl
stl_hollow.stl
stl_materialise.stl
ascii.stl
stl_solids.stl
obj_plate.obj
obj_plate.obj materials/plate.mtl
obj_lines.obj
off_tent.off
tri_wedge.tri
msh_corner.msh
ply_roof.ply
dxf_shed.dxf
step_clamp.step
ac3d_desk.ac
collada_arm.dae
gltf_external.gltf
gltf_external.gltf gltf/the square.bin
cell.glb
shapes.gltf
demo.wu
demo.wu demo/arm.dev
demo.wu demo/arm.xml
tag_models.wu
tag_models.wu tag/part.stl
tag_models.wu tag/hull.STLA
deneb_bracket.dcp
deneb_box.pdb
deneb/assembly/conveyor.dcp
deneb/assembly/saw.dcr
deneb/welding/weld.dcr
exclusions.xml
list.xml
EOF
while read -r input below; do
    for how in all tail block empty; do
        rm -rf tried
        cp -r plain tried
        damage "tried/${below:-$input}" $how
        case $input:$how in
        cell.glb:tail) # the JSON is there, and so is the beginning of the buffer
            ends 0 'cell\.glb: warning: the last [0-9]+ bytes of buffer 0 are zero' "$cellpipe" convert "tried/$input" out.glb
            rm -f out.glb
            continue
            ;;
        cell.glb:block | stl_materialise.stl:block | msh_corner.msh:block) continue ;; # zeros may be meant; less than a block
        gltf_external.gltf:tail | gltf_external.gltf:block) [ -z "$below" ] || continue ;; # 48 bytes: less than a block
        *.obj:empty) # faces without their colours
            [ -z "$below" ] || { ends 0 'loss: the materials of "materials/plate\.mtl": the file is empty' "$cellpipe" convert "tried/$input" out.glb; rm out.glb; continue; }
            ;;
        esac
        ends 3 'error: ' "$cellpipe" convert "tried/$input" out.glb
        must "nothing of it" [ ! -e out.glb ]
        rm -f out.glb
    done
done <inputs

"$cellpipe" convert -q plain/stl_65535.stl plain/buffer.gltf
zeros "$(wc -c <plain/buffer.bin)" >plain/buffer.bin.new
mv plain/buffer.bin.new plain/buffer.bin
ends 3 'buffer\.gltf: error: all [0-9]+ bytes of buffer 0 are zero' "$cellpipe" convert plain/buffer.gltf out.glb
ends 0 'buffer\.gltf: warning: all [0-9]+ bytes of buffer 0 are zero' "$cellpipe" convert plain/buffer.gltf out.glb --in partial=yes

code() { # CODE COMMAND...: what the report calls it.
    code=$1
    shift
    "$cellpipe" convert "$@" out.glb --report report.json >"$work/stderr" 2>&1
    must "the code $code" grep -q "$code" report.json
}
code '"gltf-zeros"' plain/buffer.gltf

# A file of zeros is of no format, whatever it is called.
for suffix in stl glb gltf wu dev xml dcp dcr pdb obj 3ds ac dae ply off tri msh dxf lws mot; do
    zeros 4096 >"z.$suffix"
    ends 3 'error: ' "$cellpipe" convert "z.$suffix" out.glb
    zeros 84 >"z.$suffix"
    [ $suffix = stl ] || ends 3 'error: ' "$cellpipe" convert "z.$suffix" out.glb
done
zeros 4096 >z
ends 3 'error: ' "$cellpipe" convert z out.glb
{ printf '%-80s' header && zeros 4 && zeros 50; } >z.stl
ends 3 'error: the header counts 0 facets, and the 50 bytes after it are none' "$cellpipe" convert z.stl out.glb

code '"stl-zeros"' z.stl

{ printf '%-80s' header && zeros 54 && printf x; } >z.bin # 4 zero bytes at byte 80 are no count
ends 3 'z\.bin: error: (has an unknown format|assimp cannot read it)' "$cellpipe" convert z.bin out.glb

# An empty STL is one all the same.
zeros 84 >z.stl
ends 0 'loss: nothing is drawn' "$cellpipe" convert z.stl out.glb
# Without a suffix it is a guess, and nothing in it speaks for it.
zeros 84 >z
ends 3 "has an unknown format" "$cellpipe" convert z out.glb

# A model of a cell is not lost.
for suffix in 3ds ac obj stl; do
    printf '{ "A"\n  GeoID "model.%s"\n}\n' $suffix >model.wu
    zeros 4096 >model.$suffix
    ends 3 "model\.$suffix(:1)?: error: " "$cellpipe" convert model.wu out.wrl
    : >model.$suffix
    ends 3 "model\.$suffix: error: " "$cellpipe" convert model.wu out.wrl
done

# Zeros in comments, and behind the last word.
{ printf '{ "A"\n}\n! note' && zeros 600; } >comment.wu
ends 3 'comment\.wu:3:7: error: unexpected byte 0x00' "$cellpipe" convert comment.wu out.glb
{ printf '{ "A"\n}\n! note' && zeros 600 && printf '\n{ "B"\n}\n'; } >comment.wu
ends 3 'comment\.wu:3:7: error: unexpected byte 0x00' "$cellpipe" convert comment.wu out.glb
for bytes in 600 3000000; do
    { cat "$top/samples/deneb_bracket.dcp" && printf '# note' && zeros $bytes; } >comment.dcp
    ends 3 'comment\.dcp:[0-9]+: error: a zero byte' "$cellpipe" convert comment.dcp out.glb
done

# STL: solids are complete, and more would follow.
solid='solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a'
# shellcheck disable=SC2059
{ printf "$solid\n" && zeros 512; } >after.stl
ends 3 'after\.stl:10:1: error: the file ends in 512 zero bytes' "$cellpipe" convert after.stl out.glb
ends 0 'after\.stl:10:1: warning: the file ends in 512 zero bytes' "$cellpipe" convert after.stl out.glb --in partial=yes
# shellcheck disable=SC2059
{ printf "$solid" && zeros 512; } >within.stl
ends 3 'within\.stl:9:11: error: the file ends in 512 zero bytes' "$cellpipe" convert within.stl out.glb
# shellcheck disable=SC2059
{ printf "$solid\nsolid b" && zeros 512 && printf '\nfacet normal 0 0 1\nouter loop\n'; } >name.stl
ends 3 'name\.stl:10:8: error: .* found zero bytes' "$cellpipe" convert name.stl out.glb
# shellcheck disable=SC2059
{ printf "$solid\nsolid b\nfacet\nouter loop\nvertex 1 2" && zeros 512; } >facet.stl
ends 3 'error: the file ends in facet 2 where a number was expected; zero bytes follow' "$cellpipe" convert facet.stl out.glb
ends 0 'warning: the file ends in facet 2' "$cellpipe" convert facet.stl out.glb --in partial=yes
cp plain/stl_65535.stl block.stl
zeros 512 | dd of=block.stl bs=1 seek=100000 conv=notrunc 2>/dev/null
ends 3 'block\.stl: error: 9 facets from facet 2000 on are zero bytes' "$cellpipe" convert block.stl out.glb
ends 0 'block\.stl: warning: 9 facets from facet 2000' "$cellpipe" convert block.stl out.glb --in partial=yes
head -c 100000 plain/stl_65535.stl >tail.stl
zeros $(($(wc -c <plain/stl_65535.stl) - 100000)) >>tail.stl
ends 0 'tail\.stl: warning: 19846 facets from facet 2000 on are zero bytes' "$cellpipe" convert tail.stl tail.glb --in partial=yes
must "facets of zeros are left out at the end" [ "$("$cellpipe" info tail.glb | sed -n 's/^drawn *\([0-9]*\) .*/\1/p')" -lt 2000 ]

# Other files of assimp's: a chunk of 3DS that nobody reads, and a block of zeros in it.
{ printf 'MM\036\060\0\0\377\177\030\060\0\0' && zeros 12306; } >chunk.3ds
ends 3 'chunk\.3ds: warning: a block of zero bytes at byte 4096: perhaps a power loss left it' "$cellpipe" info chunk.3ds
ends 3 'chunk\.3ds: error: a block of zero bytes at byte 4096' "$cellpipe" info chunk.3ds --in strict=yes

# AC3D: the lines before the zeros.
{ head -c 300 plain/ac3d_desk.ac && zeros 512; } >cut.ac
ends 3 'cut\.ac:[0-9]+: error: zero bytes in a text' "$cellpipe" convert cut.ac out.glb
code '"ac3d-zeros"' cut.ac

# OBJ: the lines before the zeros.
{ printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 5' && zeros 512; } >cut.obj
ends 3 'cut\.obj:5: error: zero bytes in a text' "$cellpipe" convert cut.obj out.glb
code '"obj-zeros"' cut.obj
ends 0 'cut\.obj:5: warning: zero bytes in a text' "$cellpipe" convert cut.obj out.glb --in partial=yes
must "the triangle is there" [ "$("$cellpipe" info out.glb | sed -n 's/^drawn *\([0-9]*\) .*/\1/p')" = 1 ]
finish

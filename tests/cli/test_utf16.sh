#!/bin/sh
# test_utf16.sh PROGRAM: text in UTF-16, as iconv makes it, is read as the same text in UTF-8 is.
. "$(dirname "$0")/check.sh"

mkdir one two
printf 'o Teil-\303\244\360\235\204\236\nmtllib part.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl rot-\303\266\nf 1 2 3\n' >one/part.obj
printf 'newmtl rot-\303\266\nKd 1 0 0\n' >one/part.mtl
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n' >one/part.ply
printf 'element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' >>one/part.ply
printf 'OFF # \303\244\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' >one/part.off
printf 'solid \303\244\r\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\r\nendsolid\r\n' >one/part.stl
for form in UTF-16LE UTF-16BE; do
    mark='\377\376'
    [ $form = UTF-16LE ] || mark='\376\377'
    for file in part.obj part.mtl part.ply part.off part.stl; do
        { printf "$mark"; iconv -f UTF-8 -t $form one/$file; } >two/$file
    done
    for suffix in obj ply off stl; do
        for folder in one two; do
            "$cellpipe" convert $folder/part.$suffix $folder.dump --strict 2>$folder.err
            must "$form: $folder/part.$suffix" [ $? = 0 ]
        done
        must "$form: messages of part.$suffix" cmp one.err two.err
        must "$form: part.$suffix" cmp one.dump two.dump
    done
done
"$cellpipe" info --json two/part.obj >two.json
must "names beyond ASCII" grep -q "\"$(printf 'Teil-\303\244\360\235\204\236')\"" two.json

# Lines of messages are those of the text; a file of more than 256 KiB is mapped.
{ printf '\377\376'; { sed 's/^f.*/f 1 2 x/' one/part.obj; } | iconv -f UTF-8 -t UTF-16LE; } >bad.obj
ends 3 '^bad\.obj:7' "$cellpipe" convert bad.obj bad.dump
awk 'BEGIN { for (i = 0; i < 20000; i++) print "v", i, i % 7, 1; for (i = 1; i < 19998; i += 3) print "f", i, i + 1, i + 2 }' >large.obj
{ printf '\377\376'; iconv -f UTF-8 -t UTF-16LE large.obj; } >large2.obj
"$cellpipe" convert -q large.obj one.dump && "$cellpipe" convert -q large2.obj two.dump
must "a large file" [ "$(sed 's/large2/large/g' two.dump | cksum)" = "$(cksum <one.dump)" ]
{ iconv -f UTF-16 -t UTF-8 "$top/tests/cases/assimp/utf16.ase"; yes '' | head -n 300000; } >one.ase
{ printf '\377\376'; iconv -f UTF-8 -t UTF-16LE one.ase; } >two.ase # a reader in a sandbox decodes it
for name in one two; do
    "$cellpipe" convert -q $name.ase $name.dump
    must "$name.ase, which assimp reads" [ $? = 0 ]
done
must "a large file through assimp" [ "$(sed 's/two/one/g' two.dump | cksum)" = "$(cksum <one.dump)" ]
gzip -k large2.obj
"$cellpipe" convert -q large2.obj two.dump && "$cellpipe" convert -q large2.obj.gz three.dump
must "gzip" [ "$(sed 's/obj\.gz/obj/g' three.dump | cksum)" = "$(cksum <two.dump)" ]
finish

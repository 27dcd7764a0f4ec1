#!/bin/sh
# test_corpus.sh PROGRAM: every robot cell and device of the corpus beside the checkout becomes glb, wrl and stl. The STL file
# has all triangles that the cell draws, and the GLB file draws as many, in the same bounds.
. "$(dirname "$0")/check.sh"
corpus=$top/../shared/corpus
if [ ! -d "$corpus" ]; then
    echo "skipped: cli/test_corpus needs ../shared/corpus"
    exit 77
fi

# A member of the outermost object of `info --json`.
told() { # member file
    "$cellpipe" info -q --json "$2" | sed -n "/^ \"$1\": /,/^ \"/p" | tr -d ' \n' | grep -o -E "^\"$1\":[][0-9.,e+-]*"
}

# The facet count of a binary STL file's header, little-endian.
counted() {
    set -- $(od -An -tu1 -j80 -N4 "$1")
    echo $(($1 + 256 * $2 + 65536 * $3 + 16777216 * $4))
}

cells=0
for cell in $(find "$corpus" -name '*.wu' -o -name '*.dev' | LC_ALL=C sort); do
    name=${cell#"$corpus"/}
    cells=$((cells + 1))
    for suffix in glb wrl stl; do
        must "$name to $suffix" "$cellpipe" convert -q "$cell" "cell.$suffix"
    done
    must "$name: all triangles in the STL file" [ "$(told triangles "$cell")" = "\"triangles\":$(counted cell.stl)," ]
    must "$name: glb draws the same" [ "$(told triangles "$cell")$(told bounds "$cell")" = "$(told triangles cell.glb)$(told bounds cell.glb)" ]
done
must "at least nine cells" [ "$cells" -ge 9 ]
finish

#!/bin/sh
# test_threads.sh PROGRAM [OTHER]: what computes with meshes gives the same bytes in one thread and in several. What one thread makes may
# come from another program: the same one built in another way.
other=$(realpath "${2:-$1}")
. "$(dirname "$0")/check.sh"

# Two rings with waves, one of them turned, as one ASCII STL: enough vertices for several parts of a simplification.
write_rings() {
    LC_ALL=C awk -v n=120 -v m=100 '
    function place(i, j,    a, b, r, x, z) {
        a = 6.283185307179586 * (i % n) / n; b = 6.283185307179586 * (j % m) / m
        r = 10 + 0.3 * sin(7 * a) * cos(5 * b)
        x = (30 + r * cos(b)) * cos(a); z = r * sin(b)
        return sprintf("vertex %.7g %.7g %.7g\n", turned ? 200 + 0.6 * x - 0.8 * z : x, (30 + r * cos(b)) * sin(a),
                       turned ? 0.8 * x + 0.6 * z : z)
    }
    function facet(a, b, c) { printf "facet normal 0 0 0\nouter loop\n%s%s%sendloop\nendfacet\n", a, b, c }
    BEGIN {
        print "solid rings"
        for (turned = 0; turned < 2; turned++)
            for (i = 0; i < n; i++)
                for (j = 0; j < m; j++) {
                    facet(place(i, j), place(i + 1, j), place(i + 1, j + 1))
                    facet(place(i, j), place(i + 1, j + 1), place(i, j + 1))
                }
        print "endsolid rings"
    }'
}

# same_result NAME WORDS...: what the words make of the rings.
same_result() {
    name=$1
    shift
    must "$name" "$other" convert -q rings.stl "meshes-1/$name.glb" --in unit=mm --threads 1 "$@"
    for threads in ${CELLPIPE_LONG:+2} 3; do
        must "$name in $threads threads" "$cellpipe" convert -q rings.stl "meshes-$threads/$name.glb" --in unit=mm --threads $threads "$@"
        must "$name: the same bytes in $threads threads" cmp "meshes-1/$name.glb" "meshes-$threads/$name.glb"
    done
}

mkdir meshes-1 meshes-2 meshes-3
write_rings >rings.stl
same_result simplify ! simplify ratio=0.01
same_result simplify-fast ! simplify ratio=0.01 quality=fast
same_result simplify-error ! simplify error=0.05mm
same_result lod ! lod
same_result web --out web=yes
same_result web-error --out web=yes --out error=0.1mm
same_result instances ! split-meshes ! instances
same_result merge-meshes ! split-meshes ! instances ! merge-meshes shared=merge
same_result mended ! weld tolerance=0.01mm ! repair ! orient ! normals
must "copies are found" [ "$(wc -c <meshes-1/instances.glb)" -lt "$(wc -c <meshes-1/merge-meshes.glb)" ]
finish

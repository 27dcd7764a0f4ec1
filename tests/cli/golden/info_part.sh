# Of a part: what hangs together, and how large it is.
facet() { # corner corner corner
    echo "facet normal 0 0 0 outer loop vertex $1 vertex $2 vertex $3 endloop endfacet"
}
tetra() { # name x edge
    echo "solid $1"
    x=$2 e=$(($2 + $3))
    facet "$x 0 0" "$x $3 0" "$e 0 0"
    facet "$x 0 0" "$e 0 0" "$x 0 $3"
    facet "$x 0 0" "$x 0 $3" "$x $3 0"
    facet "$e 0 0" "$x $3 0" "$x 0 $3"
    echo "endsolid $1"
}
"$cellpipe" info part.stl
"$cellpipe" info --in unit=mm part.stl
"$cellpipe" info -q open.stl
{ tetra one 0 10; tetra two 20 10; tetra again 0 10; } >three.stl
"$cellpipe" info -q --in unit=mm three.stl
"$cellpipe" info -q --in unit=mm --json three.stl | sed -n '/"parts"/,/^ \]/p'
for i in $(seq 1 2000); do
    tetra "part $i" $((i % 500)) 3
done >many.stl
"$cellpipe" info -q --in unit=mm many.stl

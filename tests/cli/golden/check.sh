run() {
    "$cellpipe" "$@"
    echo "exit $?"
}
run check part.stl
run check closed manifold part.stl
run check open.stl
run check closed open.stl
run check open.stl manifold
run check bad.stl
run check missing.stl
run check .
run check cell.wu
# Three faces on one edge.
{
    echo 'solid fan'
    for third in '0 1 0' '0 0 1' '0 -1 0'; do
        echo "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex $third endloop endfacet"
    done
    echo 'endsolid fan'
} >fan.stl
"$cellpipe" check -q manifold fan.stl
echo "exit $?"

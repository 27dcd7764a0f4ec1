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
run check -q fan.stl
# A shell that touches itself at a corner, one facet of it turned; a sheet of two facets; one facet twice, one of no area.
facet() { # corner corner corner
    echo "facet normal 0 0 0 outer loop vertex $1 vertex $2 vertex $3 endloop endfacet"
}
{
    echo 'solid faults'
    facet '0 0 0' '0 1 0' '1 0 0'
    facet '0 0 0' '1 0 0' '0 0 1'
    facet '0 0 0' '0 0 1' '0 1 0'
    facet '1 0 0' '0 0 1' '0 1 0'
    facet '0 0 0' '0 -1 0' '-1 0 0'
    facet '0 0 0' '-1 0 0' '0 -1 0'
    facet '5 0 0' '5 1 0' '6 0 0'
    facet '5 1 0' '6 0 0' '5 0 0'
    facet '7 0 0' '8 0 0' '7 0 0'
    echo 'endsolid faults'
    echo 'solid inside out'
    facet '0 0 0' '1 0 0' '0 1 0'
    facet '0 0 0' '0 0 1' '1 0 0'
    facet '0 0 0' '0 1 0' '0 0 1'
    facet '1 0 0' '0 0 1' '0 1 0'
    echo 'endsolid inside out'
} >faults.stl
run check -q faults.stl
run check -q closed faults.stl
run check -q manifold faults.stl
run check -q oriented faults.stl
run check -q clean faults.stl
run check -q oriented clean faults.stl
run check -q scene faults.stl
run check -q solid cell.wu
run check -q part.stl open.stl

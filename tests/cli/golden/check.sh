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

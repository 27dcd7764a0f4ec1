"$cellpipe" convert bad.stl out.wrl --report report.json
echo "exit $?"
cat report.json
"$cellpipe" convert cell.wu out.stl -q --report report.json
echo "exit $?"
cat report.json
"$cellpipe" formats --report nowhere/report.json >formats

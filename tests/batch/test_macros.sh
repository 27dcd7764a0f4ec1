#!/bin/sh
# test_macros.sh PROGRAM: files of macros alone, which others include, are no robots: batch counts them apart from failures.
. "$(dirname "$0")/check.sh"
mkdir -p p/urdf p/more
root='<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'
macro='<xacro:macro name="m" params="n"><link name="${n}"><visual><geometry><box size="1 1 1"/></geometry></visual></link></xacro:macro>'
echo "$root>$macro</robot>" >p/urdf/m.xacro
echo "$root><xacro:property name=\"a\" value=\"1\"/></robot>" >p/more/properties.urdf.xacro
echo "$root><xacro:include filename=\"../urdf/m.xacro\"/><gazebo><plugin/></gazebo><material name=\"x\"/></robot>" >p/more/gazebo.xacro
echo "<root xmlns:xacro=\"http://www.ros.org/wiki/xacro\">$macro</root>" >p/more/root.xacro
echo '<robot><gazebo/></robot>' >p/more/plain.gazebo.xacro
gzip -c p/urdf/m.xacro >p/more/packed.xacro.gz
echo "$root name=\"r\"><xacro:include filename=\"m.xacro\"/><xacro:m n=\"a\"/></robot>" >p/urdf/r.urdf.xacro

settle
ends 0 '' "$cellpipe" batch p --out-dir out --progress none
must "told" grep -q '^  macros   6 *(files of macros alone, for others to include)' stdout
must "the robot" grep -q '^  ok       1' stdout
must "in the status" [ "$(states)" = '6 macros 1 ok' ]
"$cellpipe" report out --csv >report.csv
must "with the reason" [ "$(grep -c ',macros,"urdf-macros","no robot: ' report.csv)" = 6 ]
must "no outputs of them" [ "$(find out -name '*.glb' | wc -l)" = 1 ]

# Again, touched, and by --retry and --verify.
must "they would be left" [ "$(plan p --out-dir out | sed -n 's/^pass *p.urdf.m.xacro: //p')" = 'no robot' ]
settle
ends 0 '' "$cellpipe" batch p --out-dir out --progress none
must "counted again" [ "$(states)" = '6 macros 1 skipped' ]
touch p/urdf/m.xacro
settle
ends 0 '' "$cellpipe" batch p --out-dir out --progress none
must "and when touched" [ "$(states)" = '6 macros 1 skipped' ]
settle
ends 0 '' "$cellpipe" batch p --out-dir out --progress none --verify
must "and when verified" [ "$(states)" = '6 macros 1 skipped' ]
must "not tried again" [ "$(plan p --out-dir out --retry | grep -c '^pass ')" = 6 ]
ends 0 '' "$cellpipe" report out
must "in the report" grep -q '^  macros   6' stdout
must "no failures" [ "$(grep -c failures: stdout)" = 0 ]
ends 0 '' "$cellpipe" report out --json
must "in JSON" grep -q '"macros": 6' stdout

# What becomes a robot is converted; what was one is none any more.
cp p/urdf/r.urdf.xacro p/urdf/m2.xacro && cp p/urdf/r.urdf.xacro p/more/properties.urdf.xacro
sed -i 's,m.xacro,../urdf/m.xacro,' p/more/properties.urdf.xacro
echo "$root>$macro</robot>" >p/urdf/m2.xacro
settle
ends 0 '' "$cellpipe" batch p --out-dir out --progress none
must "a new robot" [ "$(states)" = '6 macros 1 ok 1 skipped' ]

# Failures stay failures.
echo '<robot name="r"/>' >p/more/empty.urdf
echo "$root><joint name=\"j\"/></robot>" >p/more/joint.xacro
echo "$root><xacro:gone/></robot>" >p/more/gone.xacro
ends 1 '3 of 11 inputs failed' "$cellpipe" batch p --out-dir out --progress none
must "the rest as before" [ "$(states)" = '3 failed 6 macros 2 skipped' ]
ends 3 'error: no robot: ' "$cellpipe" convert p/urdf/m.xacro x.glb

# A cell that names such a file as a model has failed.
printf '{ "A"\n  GeoID "m.xacro"\n}\n' >p/urdf/cell.wu
ends 1 '1 of 1 inputs failed' "$cellpipe" batch p/urdf/cell.wu --out-dir cells --progress none
must "no file of macros" [ "$(states)" = '1 failed' ]
finish

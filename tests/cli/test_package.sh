#!/bin/sh
# test_package.sh PROGRAM: info of a folder that is a ROS package.
. "$(dirname "$0")/check.sh"
mkdir -p p/urdf/parts p/config p/.git p/launch p/deep
cat >p/package.xml <<'END'
<?xml version="1.0"?>
<!-- <name>no</name> -->
<package format="3"><author><name>nobody</name></author>
  <name> my_robot </name></package>
END
cat >p/urdf/arm.urdf <<'END'
<?xml version="1.0"?>
<!-- <robot name="no"> -->
<robot name='arm > hand'><link name="a"><visual><geometry><mesh filename="package://my_robot/a.stl"/><mesh filename="package://other/b.stl"/>
<mesh filename="package://other/c.stl"/><mesh filename="model://shapes/d.stl"/></geometry></visual></link><link name="b"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint><![CDATA[<link/>]]>
<gazebo><link name="no"/></gazebo></robot>
END
# A robot of macros; macros alone; links in a condition; arguments with a default and without one.
cat >p/urdf/arm.urdf.xacro <<'END'
<robot name="arm" xmlns:xacro="x"><xacro:arg name="side"/><xacro:arg name="size" default="1"/>
<xacro:include filename="$(find third)/a.xacro"/><xacro:include filename="$(find my_robot)/a.xacro"/><xacro:make_arm a="package://${p}/x"/></robot>
END
cat >p/urdf/parts/macros.xacro <<'END'
<robot xmlns:xacro="x"><xacro:property name="a" value="1"/><xacro:macro name="m"><link name="a"/><xacro:other/></xacro:macro></robot>
END
cat >p/urdf/choice.xacro <<'END'
<robot name="choice" xmlns:xacro="x"><xacro:if value="1"><xacro:unless value="0"><link name="a"/></xacro:unless></xacro:if><xacro:macro name="m"><link name="b"/></xacro:macro><link name="c"/></robot>
END
echo '<robot name="arm"><group name="g"><chain base_link="a" tip_link="b"/></group></robot>' >p/config/arm.srdf
echo '<robot name="leg"/>' >p/config/leg.SRDF
echo '<robot name="arm" xmlns:xacro="x"><xacro:hand/></robot>' >p/config/hand.srdf.xacro
echo '<robot name="old"><link name="a"/></robot>' >p/robot.xml
echo '<launch><robot name="no"/></launch>' >p/launch/go.xml
echo 'no markup' >p/urdf/empty.urdf
cp p/urdf/arm.urdf p/.git/hidden.urdf
ln -s ../urdf p/deep/link && ln -s gone p/urdf/gone.urdf && ln -s arm.urdf p/urdf/same.urdf

cat >expected <<'END'
p: package "my_robot", 8 robot files
  srdf       config/arm.srdf: robot "arm", of urdf/arm.urdf.xacro
  srdf.xacro config/hand.srdf.xacro: robot "arm", of urdf/arm.urdf.xacro
  srdf       config/leg.SRDF: robot "leg", whose URDF is not here
  urdf       robot.xml: robot "old", 1 link, 0 joints
  urdf       urdf/arm.urdf: robot "arm > hand", 2 links, 1 joint; packages: other, shapes
  xacro      urdf/arm.urdf.xacro: robot "arm"; needs --in arg=side:=VALUE; packages: third
  xacro      urdf/choice.xacro: robot "choice"
  urdf       urdf/same.urdf: robot "arm > hand", 2 links, 1 joint; packages: other, shapes
  2 other files of these kinds without a robot, such as macros
END
for folder in p p/ ./p//; do
    ends 0 '' "$cellpipe" info $folder
    sed "1s,^[^:]*,p," "$work/stdout" >shown
    must "the list of $folder: $(diff expected shown)" cmp -s expected shown
done

ends 0 '' "$cellpipe" info p --json
said() { must "$1 in $(cat "$work/stdout")" grep -Fq -- "$1" "$work/stdout"; }
said '"package": "my_robot"'
said '{"path": "urdf/arm.urdf.xacro", "kind": "xacro", "name": "arm", "links": 0, "joints": 0, "of": null, "arguments": ["side"], "packages": ["third"]}'
said '{"path": "config/arm.srdf", "kind": "srdf", "name": "arm", "links": 0, "joints": 0, "of": "urdf/arm.urdf.xacro", "arguments": [], "packages": []}'
said '{"path": "urdf/choice.xacro", "kind": "xacro", "name": "choice", "links": 2,'
said '"other_files": 2'

# Other folders, and packages that are none.
mkdir other nameless broken
ends 3 'other: error: is a folder' "$cellpipe" info other
echo '<package><version>1</version></package>' >nameless/package.xml
ends 3 'nameless/package\.xml does not name a package' "$cellpipe" info nameless
echo '<name>x</name>' >nameless/package.xml
ends 3 'does not name a package' "$cellpipe" info nameless
: >nameless/package.xml
ends 3 'does not name a package' "$cellpipe" info nameless
mkdir broken/package.xml
ends 3 'broken/package\.xml cannot be read' "$cellpipe" info broken
ends 2 'p is a package' "$cellpipe" info p --dump
if [ "$(id -u)" != 0 ]; then
    chmod 0 p/robot.xml
    ends 3 'p/robot\.xml cannot be read' "$cellpipe" info p
    must "the others are listed" grep -q choice "$work/stdout"
fi

# As deep as it goes.
deep=p/deep
for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do deep=$deep/$level; done
mkdir -p "$deep"
ends 0 '' "$cellpipe" info p
mkdir -p "$deep/15/16"
ends 3 'it lies too deep' "$cellpipe" info p
must "the others are listed" grep -q choice "$work/stdout"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

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
ends 2 "there are no inputs" "$cellpipe" info other
echo '<package><version>1</version></package>' >nameless/package.xml
ends 3 'nameless/package\.xml does not name a package' "$cellpipe" info nameless
echo '<name>x</name>' >nameless/package.xml
ends 3 'does not name a package' "$cellpipe" info nameless
: >nameless/package.xml
ends 3 'does not name a package' "$cellpipe" info nameless
mkdir broken/package.xml
ends 3 'broken/package\.xml cannot be read' "$cellpipe" info broken
ends 2 "p is a folder" "$cellpipe" info p --dump
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

# ---- entities ----

# lists FOLDER LINE...: the lines of that list, without the first one's folder.
lists() {
    folder=$1
    shift
    "$cellpipe" info "$folder" >"$work/stdout" 2>"$work/stderr"
    printf '%s\n' "$@" >expected
    must "the list of $folder: $(diff expected "$work/stdout")" cmp -s expected "$work/stdout"
}
mkdir e && echo '<package><name>a&amp;b</name></package>' >e/package.xml
echo '<robot name="R&amp;D &lt;1&gt; &quot;x&quot; &apos;y&apos; &#65;&#x42;&#xe9;&#x20AC;&#x1F916;"><link name="a"/><m f="package://a&amp;b/x"/><m f="package://c&amp;d/x"/></robot>' >e/named.urdf
echo '<robot name="R&#38;D &lt;1&gt; &#34;x&#34; &#39;y&#39; ABé€🤖"/>' >e/named.srdf
echo '<robot name="&amp;amp; &nbsp; &#0; &#xD800; &#x110000; &# & &;"><link/></robot>' >e/odd.urdf
echo '<robot name="x" xmlns:xacro="x"><xacro:arg name="a&#45;b"/><xacro:m/></robot>' >e/argument.xacro
lists e 'e: package "a&b", 4 robot files' \
    '  xacro      argument.xacro: robot "x"; needs --in arg=a-b:=VALUE' \
    '  srdf       named.srdf: robot "R&D <1> "x" '"'y' ABé€🤖"'", of named.urdf' \
    '  urdf       named.urdf: robot "R&D <1> "x" '"'y' ABé€🤖"'", 1 link, 0 joints; packages: c&d' \
    '  urdf       odd.urdf: robot "&amp; &nbsp; &#0; &#xD800; &#x110000; &# & &;", 1 link, 0 joints'

# ---- many packages in one file ----

mkdir many && echo '<package><name>many</name></package>' >many/package.xml
awk 'BEGIN { printf "<robot name=\"r\"><link/>"; for (i = 0; i < 30000; i++) printf "<m f=\"package://p%d/x\"/>", i % 3000; print "</robot>" }' >many/r.urdf
ends 0 '' within 1 "$cellpipe" info many --json
must "all 3,000" [ "$(grep -o '"p[0-9]*"' "$work/stdout" | sort -u | wc -l)" = 3000 ]
name=$(printf '%0300d' 0)
echo "<robot name=\"r\"><link/><m f=\"package://$name/x\"/></robot>" >many/r.urdf
lists many 'many: package "many", 1 robot file' "  urdf       r.urdf: robot \"r\", 1 link, 0 joints; packages: $name"

# ---- packed files ----

mkdir z && echo '<package><name>z</name></package>' >z/package.xml
echo '<robot name="r"><link name="a"/></robot>' | gzip >z/r.urdf.gz
echo '<robot name="r" xmlns:xacro="x"><xacro:m/></robot>' | gzip >z/R.XACRO.GZ
echo '<robot name="r"/>' | gzip >z/r.srdf.gz
cp p/robot.xml z/plain.xml.gz # packed by name alone
echo '<robot name="r"><link name="a"/></robot>' | gzip >z/by_name_alone.urdf
echo 'no robot' | gzip >z/notes.txt.gz
lists z 'z: package "z", 5 robot files' '  xacro      R.XACRO.GZ: robot "r"' \
    '  urdf       by_name_alone.urdf: robot "r", 1 link, 0 joints' \
    '  urdf       plain.xml.gz: robot "old", 1 link, 0 joints' \
    '  srdf       r.srdf.gz: robot "r", of R.XACRO.GZ' '  urdf       r.urdf.gz: robot "r", 1 link, 0 joints'
head -c 20 z/r.urdf.gz >z/cut.urdf.gz
printf '\037\213\010\0gggggggggggggggggg' >z/broken.urdf.gz
head -c 30000000 /dev/zero | gzip >z/bomb.urdf.gz
ends 3 'z/broken\.urdf\.gz: error: ' "$cellpipe" info z
must "the others are listed" grep -q '  urdf       r.urdf.gz' "$work/stdout"
ends 3 'z/cut\.urdf\.gz: error: the gzip stream ends early' "$cellpipe" info z
ends 3 'z/bomb\.urdf\.gz: error: expands to more' "$cellpipe" info z
rm z/cut* z/broken* z/bomb*

# ---- a folder of several packages ----

mkdir -p w/arm/urdf w/sub/hand w/config/c w/empty w/arm/inner
for name in arm hand config empty; do
    folder=$(find w -name $name -type d)
    echo "<package><name>${name}_pkg</name></package>" >"$folder/package.xml"
done
echo '<package><name>inner_pkg</name></package>' >w/arm/inner/package.xml
echo '<robot name="arm"><link name="a"/></robot>' >w/arm/urdf/arm.urdf
echo '<robot name="inner"><link name="a"/></robot>' >w/arm/inner/inner.urdf
echo '<robot name="hand"><link name="a"/></robot>' >w/sub/hand/hand.urdf
echo '<robot name="hand"/>' >w/config/c/hand.srdf
echo '<robot name="arm"/>' >w/config/c/arm.srdf
echo '<robot name="gone"/>' >w/config/c/gone.srdf
echo '<robot name="loose"><link name="a"/></robot>' >w/sub/loose.urdf
lists w 'w: 5 packages, 7 robot files' '  urdf       sub/loose.urdf: robot "loose", 1 link, 0 joints' \
    'w/arm: package "arm_pkg", 1 robot file' '  urdf       urdf/arm.urdf: robot "arm", 1 link, 0 joints' \
    'w/arm/inner: package "inner_pkg", 1 robot file' '  urdf       inner.urdf: robot "inner", 1 link, 0 joints' \
    'w/config: package "config_pkg", 3 robot files' '  srdf       c/arm.srdf: robot "arm", of package://arm_pkg/urdf/arm.urdf' \
    '  srdf       c/gone.srdf: robot "gone", whose URDF is not here' \
    '  srdf       c/hand.srdf: robot "hand", of package://hand_pkg/hand.urdf' \
    'w/empty: package "empty_pkg", 0 robot files' \
    'w/sub/hand: package "hand_pkg", 1 robot file' '  urdf       hand.urdf: robot "hand", 1 link, 0 joints'
lists w/arm 'w/arm: package "arm_pkg", 1 robot file' '  urdf       urdf/arm.urdf: robot "arm", 1 link, 0 joints' \
    'w/arm/inner: package "inner_pkg", 1 robot file' '  urdf       inner.urdf: robot "inner", 1 link, 0 joints'
ends 0 '' "$cellpipe" info w --json
said '"package": null,'
said '{"path": "sub/loose.urdf",'
said '{"folder": "arm", "package": "arm_pkg", "robots": [{"path": "urdf/arm.urdf",'
said '{"folder": "config", "package": "config_pkg", "robots": [{"path": "c/arm.srdf", "kind": "srdf", "name": "arm", "links": 0, "joints": 0, "of": "package://arm_pkg/urdf/arm.urdf"'
echo '<package/>' >w/empty/package.xml
ends 3 'w/empty/package\.xml does not name a package' "$cellpipe" info w
must "the others are listed" grep -q hand_pkg "$work/stdout"
mkdir robots && echo '<robot name="r"><link name="a"/></robot>' >robots/r.urdf
lists robots 'robots: 0 packages, 1 robot file' '  urdf       r.urdf: robot "r", 1 link, 0 joints'
ends 2 'robots is a folder' "$cellpipe" info robots --dump

# ---- a list beside a robot ----

ends 2 'info does not read p/config/arm.srdf; a list beside a robot is read by: cellpipe convert p/urdf/arm.urdf p/config/arm.srdf OUT' \
    "$cellpipe" info p/urdf/arm.urdf p/config/arm.srdf
ends 2 'info needs an input: cellpipe info IN$' "$cellpipe" info
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

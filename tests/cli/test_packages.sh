#!/bin/sh
# test_packages.sh PROGRAM: where files of package:// are found, and what confinement lets a robot read.
. "$(dirname "$0")/check.sh"
unset ROS_PACKAGE_PATH AMENT_PREFIX_PATH

triangle() { # FOLDER: a package's mesh
    mkdir -p "$1/meshes"
    printf 'solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex %s 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n' "$2" >"$1/meshes/t.stl"
}
package() { # FOLDER NAME EXTENT: a package in a folder of another name
    triangle "$1" "$3"
    mkdir -p "$1/urdf"
    printf '<?xml version="1.0"?>\n<package format="3">\n<!-- <name>wrong</name> -->\n<name>\n %s </name>\n<depend>wrong</depend></package>\n' "$2" >"$1/package.xml"
}
robot() { # FILE MESH
    printf '<robot name="r"><link name="a"><visual><geometry><mesh filename="%s"/></geometry></visual></link></robot>\n' "$2" >"$1"
}
draws() { # AREA WORDS...
    area=$1
    shift
    "$cellpipe" info "$@" 2>messages | grep -q "^drawn  *1 triangles*, $area m2"
}

package repo/Arm_ROS2 arm_description 1
robot repo/Arm_ROS2/urdf/own.urdf package://arm_description/meshes/t.stl
must "a package's name is that of its package.xml" draws 0.5 repo/Arm_ROS2/urdf/own.urdf
robot repo/Arm_ROS2/urdf/up.urdf ../meshes/t.stl
must "the border is the package" draws 0.5 repo/Arm_ROS2/urdf/up.urdf
robot repo/Arm_ROS2/urdf/above.urdf meshes/t.stl
must "the folder above is searched" draws 0.5 repo/Arm_ROS2/urdf/above.urdf
robot repo/Arm_ROS2/urdf/wrong.urdf package://wrong/meshes/t.stl
must "a name in a comment is none" sh -c '"$1" info repo/Arm_ROS2/urdf/wrong.urdf 2>&1 | grep -q "is not there; looked at"' - "$cellpipe"

# Beside the package, and beside that: found, but behind the border.
package repo/Hand hand_description 2
robot repo/Arm_ROS2/urdf/hand.urdf package://hand_description/meshes/t.stl
ends 5 'lies outside the top file.s package ".*/repo/Arm_ROS2"' "$cellpipe" info --strict repo/Arm_ROS2/urdf/hand.urdf
must "unless confinement is lifted" draws 1 --confine=no repo/Arm_ROS2/urdf/hand.urdf
must "or the package is named" draws 1 --package hand_description=repo/Hand repo/Arm_ROS2/urdf/hand.urdf
must "or included" draws 1 --include repo/Hand repo/Arm_ROS2/urdf/hand.urdf
package meta/Tool tool_description 3
robot repo/Arm_ROS2/urdf/tool.urdf package://tool_description/meshes/t.stl
must "two levels from the folder of repositories" draws 1.5 --confine=no repo/Arm_ROS2/urdf/tool.urdf
package far/a/b/Base base_description 4
robot repo/Arm_ROS2/urdf/base.urdf package://base_description/meshes/t.stl
must "further away it is not found" sh -c '"$1" info --confine=no repo/Arm_ROS2/urdf/base.urdf 2>&1 | grep -q "is not there"' - "$cellpipe"
must "but below an included folder" draws 2 --include far/a repo/Arm_ROS2/urdf/base.urdf
ROS_PACKAGE_PATH=nowhere:far/a
export ROS_PACKAGE_PATH
must "or by ROS_PACKAGE_PATH" draws 2 --confine=no repo/Arm_ROS2/urdf/base.urdf
unset ROS_PACKAGE_PATH
package prefix/share/base_description base_description 5
AMENT_PREFIX_PATH=prefix
export AMENT_PREFIX_PATH
must "or by AMENT_PREFIX_PATH" draws 2.5 --confine=no repo/Arm_ROS2/urdf/base.urdf
unset AMENT_PREFIX_PATH

# Outside of packages all is as it was.
mkdir -p plain/urdf
triangle plain 1
robot plain/urdf/up.urdf ../meshes/t.stl
ends 5 "lies outside the top file's folder \"plain/urdf/\"" "$cellpipe" info --strict plain/urdf/up.urdf
# Of several packages of a name, the first place counts: above, below, beside, included.
package first/Arm wrist_description 1
package first/Arm/urdf/Below wrist_description 2
package first/Copy wrist_description 3
package included/Other wrist_description 4
robot first/Arm/urdf/own.urdf package://wrist_description/meshes/t.stl
set -- --confine=no --include included first/Arm/urdf/own.urdf
must "the package above" draws 0.5 "$@"
sed 's/wrist_description/elbow_description/' first/Arm/package.xml >changed
mv changed first/Arm/package.xml
must "before the one below" draws 1 "$@"
rm first/Arm/urdf/Below/package.xml
must "before the one beside" draws 1.5 "$@"
rm first/Copy/package.xml
must "before an included one" draws 2 "$@"
finish

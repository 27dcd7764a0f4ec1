#!/bin/sh
# write_robots.sh FOLDER: three makers' robots with their collision meshes from the corpus, each on a floor: irb120.wu, irb2400.wu and
# lrmate.wu. Numbers and meshes: see README.md. Without the corpus: exit 77.
set -eu
corpus=$(cd "$(dirname "$0")/../../.." && pwd)/shared/corpus
if [ ! -d "$corpus" ]; then
    echo "skipped: the makers' robots need ../shared/corpus"
    exit 77
fi
mkdir -p "$1"
cd "$1"

# The frame's axes turned so that its Z is the joint's axis, and back.
turn_to() { # axis
    case $1 in
    x) echo "(0, 90, 0)" ;;
    -x) echo "(0, -90, 0)" ;;
    y) echo "(0, 0, -90)" ;;
    -y) echo "(0, 0, 90)" ;;
    z) echo "(0, 0, 0)" ;;
    esac
}

turn_back() { # axis
    case $1 in
    -*) turn_to "${1#-}" ;;
    z) turn_to z ;;
    *) turn_to "-$1" ;;
    esac
}

floor_and_base() { # mesh
    cat <<END
{ "floor"
  Position (0, 0, -0.01)
  GeoID "#Box 4 4 0.02"
}
{ "base_link"
  GeoID "$meshes/$1"
}
END
}

# A joint and the link that it moves; its axes are those of the link before.
link() { # link, link before, position, axis, mesh, lines of the joint...
    name=$1 before=$2 position=$3 axis=$4 mesh=$5
    shift 5
    cat <<END
{ "joint_$name"
  ReferenceFrame "$before"
  Position ($position)
  RPY $(turn_to "$axis")
$(printf '  %s\n' "$@")
}
{ "link_$name"
  ReferenceFrame "joint_$name"
  RPY $(turn_back "$axis")
  GeoID "$meshes/$mesh"
}
END
}

turning() { # number, position, axis, lower, upper
    before=link_$(($1 - 1))
    [ "$1" != 1 ] || before=base_link
    link "$1" "$before" "$2" "$3" "link_$1.stl" ActiveJoint Revolute "JointPosLimit $4 $5"
}

irb120() {
    meshes=$corpus/abb_irb120/abb_irb120_support/meshes/irb120_3_58/collision
    floor_and_base base_link.stl
    turning 1 "0, 0, 0" z -165 165
    turning 2 "0, 0, 0.29" y -110 110
    turning 3 "0, 0, 0.27" y -110 70
    turning 4 "0, 0, 0.07" x -160 160
    turning 5 "0.302, 0, 0" y -120 120
    turning 6 "0.072, 0, 0" x -400 400
}

# The two levers of the parallelogram follow joint 3.
irb2400() {
    meshes=$corpus/abb_irb2400/abb_irb2400_support/meshes/irb2400_common/collision
    floor_and_base base_link.stl
    turning 1 "0, 0, 0" z -180 180
    turning 2 "0.1, 0, 0.615" y -100 110
    turning 3 "0, 0, 0.705" y -60 65
    turning 4 "0, 0, 0.135" x -200 200
    turning 5 "0.755, 0, 0" y -120 120
    turning 6 "0, 0, 0" x -400 400
    link lever_a link_2 "0, 0, 0" y link_lever_a.stl 'PassiveRevolute "joint_3" 1 0'
    link lever_b link_3 "-0.18, 0, 0" y link_lever_b.stl 'PassiveRevolute "joint_3" -1 0'
}

lrmate() {
    meshes=$corpus/fanuc_lrmate200ic/fanuc_lrmate200ic_support/meshes/lrmate200ic/collision
    floor_and_base base_link.stl
    turning 1 "0, 0, 0.33" z -170 170
    turning 2 "0.075, 0, 0" y -60 140
    turning 3 "0, 0, 0.3" -y -142 230
    turning 4 "0, 0, 0.075" -x -190 190
    turning 5 "0.32, 0, 0" -y -120 120
    turning 6 "0.08, 0, 0" -x -360 360
}

for robot in irb120 irb2400 lrmate; do
    $robot >"$robot.wu"
done

#!/bin/sh
# simplified.sh [PROGRAM]: writes docs/simplified.md and its pictures: what real parts look like before and after. The parts are those of
# ../shared; gltfpack is needed, and the tools of the benchmark (--target bench).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cellpipe=${1:-$top/build/release/cellpipe}
tools=$(dirname "$cellpipe")/tests/bench
corpus=$top/../shared/corpus
pictures=$top/docs/simplified
page=$top/docs/simplified.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$pictures"

triangles() {
    "$cellpipe" info --json "$1" 2>/dev/null | sed -n 's/^ "triangles": \([0-9]*\),.*/\1/p'
}

bytes() {
    wc -c <"$1" | tr -d ' '
}

# The reference for pictures: with its normals by the crease angle.
take_part() { # file
    "$cellpipe" convert -q "$1" "$work/part.stl" --in unit=m --out format=binary
    "$cellpipe" convert -q "$work/part.stl" "$work/whole.glb" --in unit=m
}

draw() { # name view file...
    name=$1 view=$2
    shift 2
    "$tools/compare_looks" --picture "$pictures/$name.png" "$view" "$work/whole.glb" "$@" 2>/dev/null | cut -f 1 >"$work/off"
}

# The whole part, gltfpack's, and cellpipe's with as many bytes.
beside_gltfpack() { # name view title file share
    take_part "$4"
    gltfpack -cc -si "$5" -i "$work/whole.glb" -o "$work/theirs.glb"
    "$cellpipe" convert -q "$work/part.stl" "$work/ours.glb" --in unit=m --out web=yes --out extras=no \
        --out budget="$(bytes "$work/theirs.glb")"
    draw "$1" "$2" "$work/theirs.glb" "$work/ours.glb"
    printf '\n### %s\n\n![%s](simplified/%s.png)\n\n' "$3" "$3" "$1"
    printf '| | triangles | bytes | pictures differ by, of 255 |\n|---|---|---|---|\n'
    printf '| whole | %s | %s | |\n' "$(triangles "$work/whole.glb")" "$(bytes "$work/whole.glb")"
    printf '| `gltfpack -cc -si %s` | %s | %s | %s |\n' "$5" "$(triangles "$work/theirs.glb")" "$(bytes "$work/theirs.glb")" \
        "$(sed -n 1p "$work/off")"
    printf '| `--out web=yes --out budget=%s` | %s | %s | %s |\n' "$(bytes "$work/theirs.glb")" "$(triangles "$work/ours.glb")" \
        "$(bytes "$work/ours.glb")" "$(sed -n 2p "$work/off")"
}

# The whole part, and two results of cellpipe's.
beside_itself() { # name view title file words words
    take_part "$4"
    for way in 5 6; do
        eval "words=\${$way}"
        # shellcheck disable=SC2086 # words
        "$cellpipe" convert -q "$work/part.stl" "$work/$way.glb" --in unit=m ! normals ! simplify $words
    done
    draw "$1" "$2" "$work/5.glb" "$work/6.glb"
    printf '\n### %s\n\n![%s](simplified/%s.png)\n\n' "$3" "$3" "$1"
    printf '| | triangles | pictures differ by, of 255 |\n|---|---|---|\n| whole | %s | |\n' "$(triangles "$work/whole.glb")"
    printf '| `normals ! simplify %s` | %s | %s |\n' "$5" "$(triangles "$work/5.glb")" "$(sed -n 1p "$work/off")"
    printf '| `normals ! simplify %s` | %s | %s |\n' "$6" "$(triangles "$work/6.glb")" "$(sed -n 2p "$work/off")"
}

irb120=$corpus/abb_irb120/abb_irb120_support/meshes/irb120_3_58/visual
lrmate=$corpus/fanuc_lrmate200ic/fanuc_lrmate200ic_support/meshes/lrmate200ic/collision
robots=$corpus/robots
{
    cat <<'END'
# Before and after

Real parts, whole and simplified: the whole part is on the left, then what the rows of the table below the picture say.
Pictures and figures are made by `tests/bench/simplified.sh`, with gltfpack 0.18 of Debian 12. They are drawn by the
benchmark's own program: grey, two lights, the normals of each file. How much pictures differ is the mean over all pixels
of 12 of 512 x 512 pixels, from all around.

## Beside gltfpack, at equal bytes
END
    beside_gltfpack base 9 "Base of an ABB IRB 120" "$irb120/base_link.stl" 0.1
    beside_gltfpack link 0 "Link 4 of a Fanuc LR Mate 200iC" "$lrmate/link_4.stl" 0.05
    beside_gltfpack gripper 0 "Base of a Robotiq 2F-85" "$robots/mjcf/robotiq_2f85/assets/base.stl" 0.1
    beside_gltfpack joint 4 "Joint 1 of a UR-6-85-5-A" "$robots/rwxml/ur6855a/UR6855A/geometry/joint1.stl" 0.05
    beside_gltfpack hand 4 "Palm of an Allegro hand" "$robots/mjcf/allegro/assets/base_link.stl" 0.1
    printf '\n## By other means\n'
    beside_itself topology 5 "A twentieth: holes and shells stay, or may vanish" "$irb120/base_link.stl" \
        "ratio=0.05 topology=keep" "ratio=0.05 topology=free"
    beside_itself error 0 "As few triangles as an error allows" "$irb120/link_4.stl" \
        "error=0.1mm" "error=1mm"
    beside_itself draft 4 "A draft, and the best" "$irb120/link_3.stl" "ratio=0.05 quality=fast" "ratio=0.05"
    cat <<'END'

The parts come from [abb_experimental](https://github.com/ros-industrial/abb_experimental) (Apache-2.0),
[fanuc](https://github.com/ros-industrial/fanuc) (BSD-3-Clause),
[mujoco_menagerie](https://github.com/google-deepmind/mujoco_menagerie) (BSD-2-Clause) and RobWork's models
(Apache-2.0). The designs belong to the makers of the robots.
END
} >"$work/page.md"
cp "$work/page.md" "$page"

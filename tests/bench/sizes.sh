#!/bin/sh
# sizes.sh [OPTION...]: how many bytes web GLB of cellpipe and of peers takes, as a table in Markdown. Images are left out of all, our
# own extras of ours; joints, clips, normals and the extras of the model are kept by all. Peers get cells as plain GLB of cellpipe's.
#
#   --cellpipe PROGRAM   the program; build/release/cellpipe unless said
#   --models FOLDER      Khronos' sample models (2CylinderEngine.glb, ...); those of ../shared unless said
#   --cells FOLDER       PA10.wu; that of ../shared unless said
#   --gltfpack PROGRAM   a further gltfpack (of npm: node_modules/.bin/gltfpack), beside the one on the path
#   --transform PROGRAM  gltf-transform, unless it is on the path
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cellpipe=$root/build/release/cellpipe
models=$root/../shared/corpus/khronos
cells=$root/../shared/corpus/robwork-pa10-2018
further=
transform=gltf-transform
while [ $# -gt 1 ]; do
    case $1 in
    --cellpipe) cellpipe=$2 ;;
    --models) models=$2 ;;
    --cells) cells=$2 ;;
    --gltfpack) further=$2 ;;
    --transform) transform=$2 ;;
    *) break ;;
    esac
    shift 2
done
if [ $# -gt 0 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bytes_of() {
    if [ -s "$1" ]; then wc -c <"$1" | tr -d ' '; else echo -; fi
}

# size NAME COMMAND...: the bytes of NAME that the command writes, or "-"
size() {
    out=$work/$1
    shift
    rm -f "$out"
    "$@" >"$work/log" 2>&1 || rm -f "$out"
    bytes_of "$out"
}

# Words for cellpipe's web output of a model, beside web=yes and extras=no.
words_of() {
    case $1 in
    Fox) echo tolerance=5mm ;; # it is 160 m long; as near as gltfpack is
    *) echo tolerance=0.1mm ;;
    esac
}

version_of() {
    "$1" -v 2>&1 | sed -n 's/^gltfpack \([0-9.]*\).*/\1/p'
}

row() { # NAME INPUT PEERS-INPUT
    name=$1 input=$2 other=$3
    ours=$(size ours.glb "$cellpipe" convert -q "$input" "$work/ours.glb" --out web=yes --out extras=no --out "$(words_of "$name")")
    old=$(size old.glb gltfpack -cc -kn -ke -i "$other" -o "$work/old.glb")
    new=-
    [ -z "$further" ] || new=$(size new.glb "$further" -cc -kn -ke -i "$other" -o "$work/new.glb")
    other_size=$(size transform.glb "$transform" optimize --simplify false --texture-compress false "$other" "$work/transform.glb")
    best=$(printf '%s\n' "$old" "$new" "$other_size" | grep -v '^-$' | sort -n | head -n 1)
    ratio=-
    [ -z "$best" ] || ratio=$(awk "BEGIN { printf \"%.2f\", $ours / $best }")
    echo "| $name | $ours | $old | $new | $other_size | $ratio |"
}

echo "| model | cellpipe | gltfpack $(version_of gltfpack) | gltfpack $([ -z "$further" ] || version_of "$further") | gltf-transform | ratio |"
echo "|---|---|---|---|---|---|"
for model in 2CylinderEngine CesiumMilkTruck Duck Fox AlphaBlendModeTest; do
    [ -e "$models/$model.glb" ] || continue
    node "$here/strip_images.mjs" "$models/$model.glb" "$work/$model.glb"
    row $model "$work/$model.glb" "$work/$model.glb"
done
for cell in "$root/samples/demo.wu" "$cells/PA10.wu" "$root"/samples/deneb/*/*.dcr; do
    [ -e "$cell" ] || continue
    name=$(basename "$cell")
    "$cellpipe" convert -q "$cell" "$work/plain.glb" --out extras=no --out normals=smooth
    row "$name" "$cell" "$work/plain.glb"
done

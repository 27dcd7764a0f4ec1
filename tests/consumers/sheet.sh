#!/bin/sh
# sheet.sh [PROGRAM]: one picture, out/sheet.png, of what viewers show of the samples: a row a sample, a column a viewer.
# X_ITE (VRML97), Castle (VRML97), three (GLB, and GLB for the web), model-viewer (GLB for the web), Blender (GLB). A viewer that is not
# installed leaves its column empty, and is named; model-viewer is installed here by
#     npm install --no-save --legacy-peer-deps @google/model-viewer meshoptimizer
# For the eye: the tests (test_vrml97_look, test_gltf_looks) judge numbers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
program=$(realpath "${1:-$top/build/release/cellpipe}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$top/out"

castle=yes blender=yes
command -v view3dscene >/dev/null && command -v xvfb-run >/dev/null || { castle= && echo "not installed: view3dscene or xvfb-run (Castle)"; }
command -v blender >/dev/null && command -v xvfb-run >/dev/null || { blender= && echo "not installed: blender or xvfb-run"; }

cat >"$work/draw.py" <<'END'
import math, sys, bpy, mathutils, numpy
numpy.bool = bool  # Blender 3.4 reads glTF with this name, which numpy 1.24 has no more
glb, png = sys.argv[sys.argv.index('--') + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=glb)
points = [o.matrix_world @ mathutils.Vector(c) for o in bpy.context.scene.objects if o.type == 'MESH' for c in o.bound_box]
low, high = [mathutils.Vector(map(f, zip(*points))) for f in (min, max)]
middle, radius = (low + high) / 2, (high - low).length / 2
towards = mathutils.Vector((0.6, -0.8, 0.5)).normalized()
camera = bpy.data.objects.new('camera', bpy.data.cameras.new('camera'))
camera.data.angle, camera.data.clip_end = math.radians(30), 100 * radius
camera.location, camera.rotation_euler = middle + towards * radius * 4, towards.to_track_quat('Z', 'Y').to_euler()
scene = bpy.context.scene
scene.collection.objects.link(camera)
scene.camera, scene.render.engine, scene.render.filepath = camera, 'BLENDER_WORKBENCH', png
scene.display.shading.color_type = 'MATERIAL'
scene.render.resolution_x = scene.render.resolution_y = 256
bpy.ops.render.render(write_still=True)
END

# Samples of each kind.
for sample in demo.wu joints.gltf gltf_textures.gltf tag_robots.wu tag_primitives.wu deneb/welding/weld.dcr deneb/assembly/saw.dcr \
    deneb/hexapod/contour.dcr; do
    name=$(basename "$sample" | tr . _)
    "$program" convert -q "$top/samples/$sample" "$work/$name.wrl"
    "$program" convert -q "$top/samples/$sample" "$work/$name.glb"
    "$program" convert -q "$top/samples/$sample" "$work/$name.web.glb" --out web=yes
    [ -z "$castle" ] || timeout 60 xvfb-run -a view3dscene "$work/$name.wrl" --screenshot 0 "$work/$name.castle.png" \
        --geometry 256x256 >/dev/null 2>&1 || echo "$name: no picture by Castle"
    [ -z "$blender" ] || timeout 120 xvfb-run -a blender --background --python "$work/draw.py" -- "$work/$name.glb" "$work/$name.blender.png" \
        >/dev/null 2>&1
    [ -z "$blender" ] || [ -s "$work/$name.blender.png" ] || echo "$name: no picture by Blender"
    echo "$name" >>"$work/names"
done
"$here/run.sh" "$here/sheet.mjs" "$work" "$top/out/sheet.png"

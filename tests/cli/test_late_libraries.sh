#!/bin/sh
# test_late_libraries.sh PROGRAM: libraries that only some formats need are loaded for their files alone. In their place
# stand files here that no loader takes.
. "$(dirname "$0")/check.sh"
cat >part.x3d <<'EOF'
<X3D><Scene><Shape><IndexedFaceSet coordIndex="0 1 2 -1"><Coordinate point="0 0 0 1 0 0 0 1 0"/></IndexedFaceSet></Shape></Scene></X3D>
EOF

# break_libraries COUNT NAME...: puts such files in place of these libraries, of which there are so many.
break_libraries() {
    rm -rf broken
    mkdir broken
    count=$1
    shift
    for library in "$@"; do
        for name in $(cat "$cellpipe" "$(dirname "$cellpipe")"/libcellpipe.so* | grep -a -o "lib$library\.so\.[0-9][0-9a-z]*" | sort -u); do
            : >"broken/$name"
        done
    done
    must "$count libraries of $*" [ "$(ls broken | wc -l)" = "$count" ]
}
late() { LD_LIBRARY_PATH=$work/broken "$cellpipe" "$@"; }

# The working folder may be a stranger's: no library is taken from there.
for name in libcellpipe.so.0 libm.so.6 libz.so.1 libxml2.so.2 libassimp.so.5 cellpipe_kernel.so; do
    : >"$name"
done
ends 0 '' "$cellpipe" info "$top/samples/urdf_picker.urdf"
ends 0 '' "$cellpipe" info part.x3d
ends 0 '' "$cellpipe" info "$top/samples/step_clamp.step"
rm ./*.so*

lacks='cannot be loaded: .*file too short'
break_libraries 1 yaml-0
ends 6 "$lacks" late info "$top/samples/xacro_arm.urdf.xacro"
ends 0 '' late info "$top/samples/urdf_picker.urdf"
"$cellpipe" convert -q "$top/samples/demo.wu" packed.glb --out web=yes
break_libraries 1 turbojpeg
jpeg=/9j/wAALCAABAAEBAREA/9k= # one grey pixel, without its value
sed "s,data:image/png;base64\,[^\"]*,data:image/jpeg;base64\,$jpeg," "$top/samples/gltf_textures.gltf" >jpeg.gltf
ends 6 "$lacks" late convert jpeg.gltf - --to wrl
ends 0 '' late convert -q "$top/samples/gltf_textures.gltf" png.wrl

# Without SQLite, batch and report end before anything is converted; a manifest needs none.
break_libraries 1 sqlite3
ends 6 "^cellpipe: error: a library that is needed here cannot be loaded: .*libsqlite3.*file too short" late batch -q "$top/samples/stl_solids.stl" --out-dir stateless
must "no output without SQLite" [ ! -e stateless/stl_solids.stl.glb ]
ends 6 "$lacks" late batch -q "$top/samples/stl_solids.stl" --out-dir stateless --dry-run
ends 6 "$lacks" late report stateless
ends 0 '' late manifest "$top/samples/stl_solids.stl"
ends 0 '' late convert -q "$top/samples/stl_solids.stl" without.glb
"$cellpipe" batch -q "$top/samples/stl_solids.stl" --out-dir stateless
must "with SQLite it goes on" cmp without.glb stateless/stl_solids.stl.glb
break_libraries 7 zip xml2 yaml-0 assimp png16 turbojpeg meshoptimizer
: >broken/cellpipe_kernel.so
for words in info 'info --isolate=no'; do
    # shellcheck disable=SC2086 # words
    ends 6 "$lacks" late $words "$top/samples/collada_arm.dae"
    # shellcheck disable=SC2086 # words
    ends 6 "$lacks" late $words part.x3d
done
ends 6 "$lacks" late info packed.glb
ends 6 "$lacks" late convert "$top/samples/stl_solids.stl" out.glb --out web=yes
ends 6 "$lacks" late convert "$top/samples/stl_solids.stl" out.png
ends 6 "$lacks" late convert "$top/samples/gltf_textures.gltf" - --to wrl
ends 6 "$lacks" late info "$top/samples/3mf_gripper.3mf"
ends 6 "$lacks" late info "$top/samples/step_clamp.step"
ends 6 "$lacks" late convert "$top/samples/demo.wu" out.glb --report report.json
must "the code of the error" grep -q '"library-missing"' report.json
must "no output" [ ! -e out.glb ]
late batch -q "$top/samples/stl_solids.stl" part.x3d --out-dir made --jobs 1 2>log
must "a batch goes on without assimp" [ -e made/stl_solids.stl.glb -a ! -e made/part.x3d.glb ]
"$cellpipe" batch -q "$top/samples/stl_solids.stl" part.x3d --out-dir made --jobs 1
must "and makes the rest with it" [ -e made/part.x3d.glb ]
for file in stl_solids.stl obj_plate.obj ply_roof.ply gltf_features.gltf; do
    late convert -q "$top/samples/$file" one.dump && "$cellpipe" convert -q "$top/samples/$file" two.dump
    must "$file without them" cmp one.dump two.dump
done
finish

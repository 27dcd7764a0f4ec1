#!/bin/sh
# test_late_libraries.sh PROGRAM: libraries that only some formats need are loaded for their files alone. In their place
# stand files here that no loader takes.
. "$(dirname "$0")/check.sh"

mkdir broken
for library in zip xml2; do
    for name in $(cat "$(dirname "$cellpipe")"/libcellpipe.so* | grep -a -o "lib$library\.so\.[0-9]*" | sort -u); do
        : >"broken/$name"
    done
done
must "two names of libraries" [ "$(ls broken | wc -l)" = 2 ]
: >broken/cellpipe_kernel.so
late() { LD_LIBRARY_PATH=$work/broken "$cellpipe" "$@"; }

lacks='cannot be loaded: .*file too short'
for words in info 'info --isolate=no'; do
    # shellcheck disable=SC2086 # words
    ends 6 "$lacks" late $words "$top/samples/collada_arm.dae"
done
ends 6 "$lacks" late info "$top/samples/3mf_gripper.3mf"
ends 6 "$lacks" late info "$top/samples/step_clamp.step"
ends 6 "$lacks" late convert "$top/samples/demo.wu" out.glb --report report.json
must "the code of the error" grep -q '"library-missing"' report.json
must "no output" [ ! -e out.glb ]
for file in stl_solids.stl obj_plate.obj ply_roof.ply gltf_features.gltf; do
    late convert -q "$top/samples/$file" one.dump && "$cellpipe" convert -q "$top/samples/$file" two.dump
    must "$file without them" cmp one.dump two.dump
done
finish

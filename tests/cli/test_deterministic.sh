#!/bin/sh
# test_deterministic.sh PROGRAM [OTHER]: every sample in every format gives the same bytes from another folder, by another path, and
# by another program (the same one built by another compiler); and no byte tells where the input lay. What computes with meshes
# gives the same bytes in one thread and in several, by either program.
other=$(realpath "${2:-$1}")
. "$(dirname "$0")/check.sh"

mkdir here there
for sample in "$top"/samples/*.*; do
    name=${sample##*/}
    case $name in
    *.md) continue ;;
    esac
    for suffix in stage.glb web.glb glb gltf wrl stl dump xml; do
        profile=
        [ $suffix = stage.glb ] && profile=--out=profile=stage
        [ $suffix = web.glb ] && profile=--out=web=yes
        # shellcheck disable=SC2086 # a word or none
        "$cellpipe" convert -q "$sample" "here/$name.$suffix" $profile
        # shellcheck disable=SC2086
        (cd "$top/samples" && "$other" convert -q "./$name" "$work/there/$name.$suffix" $profile)
    done
done
# Cells that play recordings, in each way to show what is grabbed.
for recording in welding/weld hexapod/contour assembly/saw; do
    name=${recording##*/}
    for setting in grab=bake grab=switch grab=scale tolerance=0; do
        "$cellpipe" convert -q "$top/samples/deneb/$recording.dcr" "here/$name.$setting.wrl" --out "$setting"
        (cd "$top/samples" && "$other" convert -q "./deneb/$recording.dcr" "$work/there/$name.$setting.wrl" --out "$setting")
    done
    for profile in stage deliver; do
        "$cellpipe" convert -q "$top/samples/deneb/$recording.dcr" "here/$name.$profile.glb" --out "profile=$profile" --in tolerance=0.1mm
        (cd "$top/samples" && "$other" convert -q "./deneb/$recording.dcr" "$work/there/$name.$profile.glb" --out "profile=$profile" --in tolerance=0.1mm)
    done
done
must "outputs" [ "$(folder here | wc -w)" -gt 100 ]
must "the same from everywhere" diff -r here there
must "no folder of ours" [ -z "$(grep -r -l -a -F "$top" here)" ]

# Two rings with waves, one of them turned, as one ASCII STL: enough vertices for several parts of a simplification.
write_rings() {
    LC_ALL=C awk -v n=120 -v m=100 '
    function place(i, j,    a, b, r, x, z) {
        a = 6.283185307179586 * (i % n) / n; b = 6.283185307179586 * (j % m) / m
        r = 10 + 0.3 * sin(7 * a) * cos(5 * b)
        x = (30 + r * cos(b)) * cos(a); z = r * sin(b)
        return sprintf("vertex %.7g %.7g %.7g\n", turned ? 200 + 0.6 * x - 0.8 * z : x, (30 + r * cos(b)) * sin(a),
                       turned ? 0.8 * x + 0.6 * z : z)
    }
    function facet(a, b, c) { printf "facet normal 0 0 0\nouter loop\n%s%s%sendloop\nendfacet\n", a, b, c }
    BEGIN {
        print "solid rings"
        for (turned = 0; turned < 2; turned++)
            for (i = 0; i < n; i++)
                for (j = 0; j < m; j++) {
                    facet(place(i, j), place(i + 1, j), place(i + 1, j + 1))
                    facet(place(i, j), place(i + 1, j + 1), place(i, j + 1))
                }
        print "endsolid rings"
    }'
}

# same_result NAME WORDS...: what the words make of the rings.
same_result() {
    name=$1
    shift
    "$cellpipe" convert -q rings.stl "meshes-1/$name.glb" --in unit=mm --threads 1 "$@"
    "$cellpipe" convert -q rings.stl "meshes-3/$name.glb" --in unit=mm --threads 3 "$@"
    "$other" convert -q rings.stl "meshes-other/$name.glb" --in unit=mm --threads 2 "$@"
    must "$name" [ -s "meshes-1/$name.glb" ]
    must "$name in three threads" cmp "meshes-1/$name.glb" "meshes-3/$name.glb"
    must "$name by the other program" cmp "meshes-1/$name.glb" "meshes-other/$name.glb"
}

mkdir meshes-1 meshes-3 meshes-other
write_rings >rings.stl
same_result simplify ! simplify ratio=0.01
same_result simplify-fast ! simplify ratio=0.01 quality=fast
same_result simplify-error ! simplify error=0.05mm
same_result lod ! lod
same_result web --out web=yes
same_result web-error --out web=yes --out error=0.1mm
same_result instances ! split-meshes ! instances
same_result merge-meshes ! split-meshes ! instances ! merge-meshes shared=merge
same_result mended ! weld tolerance=0.01mm ! repair ! orient ! normals
must "copies are found" [ "$(wc -c <meshes-1/instances.glb)" -lt "$(wc -c <meshes-1/merge-meshes.glb)" ]

# What -I finds is named as the input names it.
mkdir apart
mv arm.dev part.stl pairs.xml apart/
"$cellpipe" convert -q cell.wu one.dump -I apart
"$cellpipe" convert -q cell.wu two.dump -I "$work/apart"
must "-I by two paths" cmp one.dump two.dump
must "not where it was found" [ "$(grep -c apart one.dump)" = 0 ]
finish

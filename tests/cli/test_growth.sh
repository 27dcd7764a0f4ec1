#!/bin/sh
# test_growth.sh PROGRAM [WORD]: how the work of readers, filters and writers grows with what they are given: of n and 8 n
# like things, in CPU time less that of next to nothing. The exponent, 1 for what is proportional, is at most 1.3. A load
# of the machine makes single runs longer: the least of several counts, and the three are measured in turn, for what takes
# 3 ms on an idle machine took 12 ms on a loaded one. WORD: rows that have it alone, printed.
# Not here, for they are more: exclude on a chain of n joints, which judges n^2 / 2 pairs with n / 3 joints between them
# (--limit pairs= and pair-joints= bound that), n joints each with a formula of its own (a clip for each is sampled), n
# clips of n frames for the web (each is compared with its thinned one over the whole scene), n uses of one product in
# STEP (Open CASCADE alone takes n^2 there: 0.1 s for 500, 5.7 s for 4000).
# work/test_work counts hostile meshes.
only=${2-} limit=1.3
. "$(dirname "$0")/check.sh"
LC_ALL=C # for awk
export LC_ALL
run_timed=$(dirname "$cellpipe")/tests/bench/run_timed
[ -x "$run_timed" ] || { echo "skipped: no $run_timed"; exit 77; }
rounds=17 # at most: a row that fits is not measured again
enough=${CELLPIPE_LONG:+500}
enough=${enough:-100} # milliseconds of the larger one

# Sets `spent`, in microseconds.
measure() {
    rm -f spent
    "$run_timed" spent "$cellpipe" "$@" -q --threads 1 >stdout 2>stderr </dev/null
    code=$?
    spent=$(awk '{ printf "%d", 1e6 * $2 }' spent)
}

# least COUNT WORDS...: the least of so many rounds.
least() {
    count=$1 best=
    shift
    while [ "$count" -gt 0 ]; do
        measure "$@"
        [ -n "$best" ] && [ "$best" -le "$spent" ] || best=$spent
        count=$((count - 1))
    done
}

# grows MAKER N FILE WORDS...: MAKER prints what FILE holds for N things; as many times N as it takes for some time.
grows() {
    maker=$1 n=$2 file=$3
    shift 3
    name="$maker: $*"
    case $name in *"$only"*) ;; *) return ;; esac
    $maker 4 >"$file"
    least 3 "$@"
    nothing=$best
    while $maker $((8 * n)) >"$file" && measure "$@" && [ $((spent - nothing)) -lt $((enough * 1000)) ] && [ $n -lt 1000000 ]; do
        n=$((2 * n))
    done
    [ "$code" -le 1 ] || { fail "$name: exit $code"; return; }
    large=$spent small=
    exponent=9
    round=0
    while [ $round -lt "$rounds" ] && ! awk "BEGIN { exit !($exponent <= $limit) }"; do
        # A busy machine may have made n look large enough.
        [ $((round % 6)) -lt 5 ] || { n=$((2 * n)) small= large=999999999; }
        $maker 4 >"$file"
        least 2 "$@"
        [ "$nothing" -le "$best" ] || nothing=$best
        $maker $n >"$file"
        least 2 "$@"
        [ -n "$small" ] && [ "$small" -le "$best" ] || small=$best
        $maker $((8 * n)) >"$file"
        least 1 "$@"
        [ "$large" -le "$best" ] || large=$best
        exponent=$(awk "BEGIN { a = $small - $nothing; b = $large - $nothing; if (a < 1000) a = 1000
                                printf \"%.2f\", (b > a ? log(b / a) / log(8) : 0) }")
        round=$((round + 1))
    done
    [ -z "$only$VERBOSE" ] || echo "$exponent $n: $((small / 1000)) ms, $((8 * n)): $((large / 1000)) ms, $name"
    must "$name: the work grows with the power $exponent from $n to $((8 * n)) ($small and $large us)" \
        awk "BEGIN { exit !($exponent <= $limit) }"
}

# ---- what there are n of ----

frames() { awk -v n="$1" 'BEGIN { print "{ \"WORLD\"\n}"; for (i = 0; i < n; i++) printf "{ \"F%d\"\n Position (%d, 0, 0)\n GeoID \"#Box 0.1 0.1 0.1\"\n}\n", i, i }'; }
joints() { awk -v n="$1" 'BEGIN { print "{ \"WORLD\"\n}"; for (i = 0; i < n; i++) printf "{ \"F%d\"\n ActiveJoint\n Revolute\n Position (%d, 0, 0)\n GeoID \"#Box 0.1 0.1 0.1\"\n}\n", i, i }'; }
device() { printf '{ "Base"\n}\n{ "J"\n ReferenceFrame "Base"\n ActiveJoint\n Revolute\n}\n'; }
devices() { device >one.dev; awk -v n="$1" 'BEGIN { print "{ \"WORLD\"\n}"; for (i = 0; i < n; i++) printf "{ \"D%d\"\n ReferenceFrame \"WORLD\"\n Device \"one.dev\"\n}\n", i }'; }
chain() { awk -v n="$1" 'BEGIN { print "{ \"WORLD\"\n}"; for (i = 0; i < n; i++) printf "{ \"F%d\"\n ReferenceFrame \"%s\"\n Position (0.001, 0, 0)\n}\n", i, i ? "F" i - 1 : "WORLD" }'; }
pairs() { awk -v n="$1" 'BEGIN { print "<CollisionSetup><Exclude>"; for (i = 0; i < n; i++) printf "<FramePair first=\"F%d\" second=\"G%d\"/>\n", i, i; print "</Exclude></CollisionSetup>" }'; }
urdf_links() { awk -v n="$1" 'BEGIN { print "<robot name=\"r\"><link name=\"root\"/>"; for (i = 0; i < n; i++) {
    printf "<link name=\"l%d\"><visual name=\"v\"><geometry><box size=\"1 1 %d\"/></geometry><material name=\"m%d\"><color rgba=\"0 0 %g 1\"/></material></visual>", i, i, i, i / n
    printf "<collision><geometry><box size=\"1 1 %d\"/></geometry></collision><sensor/></link>\n<!-- a -- b -->", i
    printf "<joint name=\"j%d\" type=\"revolute\"><parent link=\"root\"/><child link=\"l%d\"/><limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"1\"/>%s</joint>\n", i, i, i ? "<mimic joint=\"j" i - 1 "\"/>" : "" }
    print "</robot>" }'; }
xacro_calls() { awk -v n="$1" 'BEGIN { print "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"root\"/>"
    print "<xacro:macro name=\"m\" params=\"n *o p:=^|0\"><link name=\"l${n}\"><visual><xacro:insert_block name=\"o\"/><geometry><box size=\"1 1 ${n + 1}\"/></geometry></visual></link>"
    print "<joint name=\"j${n}\" type=\"fixed\"><parent link=\"root\"/><child link=\"l${n}\"/></joint></xacro:macro>"
    for (i = 0; i < n; i++) printf "<xacro:property name=\"p%d\" value=\"${%d * 2}\"/><xacro:m n=\"%d\"><origin xyz=\"${p%d} $(optenv X 0) 1\"/></xacro:m>\n", i, i, i, i
    print "</robot>" }'; }
xacro_text() { awk -v n="$1" 'BEGIN { printf "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"a\"/><x y=\""
    for (i = 0; i < n; i++) printf "${%d}$$(a) ", i; printf "\" z=\"${[0"; for (i = 0; i < n; i++) printf ",%d", i; printf "][1]}\"/><xacro:macro name=\"m\" params=\""
    for (i = 0; i < n; i++) printf "p%d:=${}x ", i; print "\"/></robot>" }'; }
# n names of one file of n numbers
xacro_yaml() { awk -v n="$1" 'BEGIN { printf "a: [0" >"numbers.yaml"; for (i = 1; i < n; i++) printf ", %d", i >"numbers.yaml"; print "]" >"numbers.yaml"
    print "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"root\"/>"
    for (i = 0; i < n; i++) printf "<x y=\"${xacro.load_yaml(&apos;%snumbers.yaml&apos;).a[0]}\"/>\n", i % 2 ? "./" : ""
    print "</robot>" }'; }
rwxml_frames() { awk -v n="$1" 'BEGIN { print "<WorkCell name=\"w\"><Frame name=\"w\"/>"; for (i = 0; i < n; i++) printf "<Frame name=\"f%d\" refframe=\"%s\"><RPY>0 0 0</RPY><Pos>%d 0 0</Pos><Drawable name=\"g\"><Box x=\"1\" y=\"1\" z=\"%d\"/></Drawable></Frame>\n", i, i % 50 ? "f" i - 1 : "WORLD", i, i
    print "<ProximitySetup file=\"gone.xml\"/></WorkCell>" }'; }
rwxml_joints() { awk -v n="$1" 'BEGIN { print "<TreeDevice name=\"t\"><Define id=\"d\"><Frame name=\"e\" type=\"EndEffector\"/></Define><Frame name=\"b\"/>"; for (i = 0; i < n; i++) { printf "<Joint name=\"j%d\" type=\"Revolute\" refframe=\"b\"><RPY>0 0 0</RPY><Pos>%d 0 0</Pos>", i, i
    if (i) printf "<Depend on=\"j%d\" gain=\"1\" offset=\"0\"/>", i - 1
    printf "<Property name=\"p%d\">x</Property></Joint><SerialChain name=\"c%d\"><Use id=\"d\"/><Limit%d/></SerialChain><PosLimit refjoint=\"j%d\" min=\"0\" max=\"1\"/>\n", i, i, i, i }
    print "</TreeDevice>" }'; }
wrl_shapes() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8"; for (i = 0; i < n; i++) printf "Transform { translation %d 0 0 children Shape { appearance Appearance { material Material { diffuseColor 0 0 %g } } geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 1 0 0 0 1 %d ] } coordIndex [ 0 1 2 ] } } }\n", i, i / n, i }'; }
wrl_names() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8\nDEF S Shape { geometry Box { } }"; for (i = 0; i < n; i++) printf "DEF T%d Transform { translation %d 0 0 children USE S }\nInline { url \"gone%d.wrl\" }\n", i, i, i % 8 }'; }
wrl_protos() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8"; for (i = 0; i < n; i++) printf "PROTO P%d [ field SFFloat r 1 exposedField SFVec3f at 0 0 0 ] { Transform { translation IS at children Shape { geometry Sphere { radius IS r } } } }\nP%d { r %d at %d 0 0 }\n", i, i, i + 1, i }'; }
wrl_routes() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8\nDEF T TimeSensor { }"; for (i = 0; i < n; i++) printf "DEF M%d Transform { children Shape { geometry Box { } } }\nDEF P%d PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 1 0 0 ] }\nROUTE T.fraction_changed TO P%d.set_fraction\nROUTE P%d.value_changed TO M%d.translation\n", i, i, i, i, i }'; }
# What multiplied once: ROUTEs into a frame that is used again, or into a prototype's interface; a field that is there
# again; prototypes of a library.
wrl_used() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8\nDEF S TouchSensor { }\nDEF X Transform {"; for (i = 0; i < n; i++) print "translation 1 2 3"; print "}"; for (i = 0; i < n; i++) print "ROUTE S.isActive TO X.set_translation\nUSE X" }'; }
wrl_links() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8\nPROTO P [ exposedField SFVec3f a 0 0 0 exposedField SFVec3f b 0 0 0 ] { Group { children ["; for (i = 0; i < n; i++) print "Transform { translation IS a }"; print "] } }\nDEF I P { }\nDEF P PositionInterpolator { }"; for (i = 0; i < n; i++) print "ROUTE P.value_changed TO I.set_b" }'; }
wrl_library() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8"; print "#VRML V2.0 utf8" > "library.wrl"; for (i = 0; i < n; i++) printf "PROTO P%d [ ] { Group { } }\n", i > "library.wrl"; for (i = 0; i < n; i++) printf "EXTERNPROTO P%d [ ] \"library.wrl#P%d\"\nP%d { }\n", i, i, i }'; }
wrl_joints() { awk -v n="$1" 'BEGIN { print "#VRML V2.0 utf8\nPROTO Joint [ field SFVec3f translation 0 0 0 field MFNode children [ ] field SFString jointType \"\" field SFInt32 jointId -1 field SFVec3f jointAxis 0 0 1 ] { Transform { translation IS translation children IS children } }\nPROTO Humanoid [ field MFNode humanoidBody [ ] ] { Group { children IS humanoidBody } }"; print "DEF R Humanoid { humanoidBody ["; for (i = 0; i < n; i++) printf "DEF J%d Joint { translation %d 0 0 jointType \"rotate\" jointId 0 children Shape { geometry Box { } } }\n", i, i; print "] }" }'; }
srdf_pairs() { urdf_links "$1" >robot.urdf; awk -v n="$1" 'BEGIN { print "<robot name=\"r\"><group name=\"g\"/>"; for (i = 1; i < n; i++) {
    printf "<disable_collisions link1=\"l0\" link2=\"l%d\" reason=\"Never\"/><group name=\"g%d\"><joint name=\"j%d\"/></group>\n", i, i, i
    printf "<group_state name=\"home\" group=\"g\"><joint name=\"j%d\" value=\"0\"/></group_state><passive_joint name=\"j%d\"/>", i, i
    printf "<end_effector name=\"e%d\" group=\"g\" parent_link=\"l%d\"/>\n", i, i }
    print "<disable_default_collisions link=\"l0\"/></robot>" }'; }
dct_device() { printf 'DCT DEVICE 1.0\nUNIT mm\nANGLE deg\nDEVICE "arm"\nPART "base" ATTACH 1\n'; }
dct_parts() { dct_device; awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "PART \"p%d\" ATTACH 01\n", i; print "END" }'; }
dct_joints() { dct_device; awk -v n="$1" 'BEGIN { print "PART \"link\" ATTACH 1"; for (i = 0; i < n; i++) printf "JOINT \"j%d\" PART 1 TYPE ROTATE_Z INIT 0\n", i; print "END" }'; }
dct_formulas() { dct_device; awk -v n="$1" 'BEGIN { print "PART \"link\" ATTACH 1\nJOINT \"j\" PART 1 TYPE ROTATE_Z INIT 0"
    for (i = 0; i < n; i++) printf "JOINT \"j%d\" PART 1 TYPE ROTATE_Z VALUE \"=0.5*dof(1)\"\n", i; print "END" }'; }
grid_of() { # N FORMAT: about N triangles of a wavy surface
    awk -v n="$1" -v as="$2" 'function z(i, j) { return sin(0.3 * i) * cos(0.2 * j) }
    function corner(i, j) { printf as == "stl" ? "vertex %g %g %g\n" : "v %g %g %g\n", i, j, z(i, j) }
    function facet(a, b, c, d, e, f) { print "facet normal 0 0 0\nouter loop"; corner(a, b); corner(c, d); corner(e, f); print "endloop\nendfacet" }
    BEGIN { k = int(sqrt(n / 2)) + 1
        if (as == "stl") { print "solid grid"
            for (i = 0; i < k; i++) for (j = 0; j < k; j++) { facet(i, j, i + 1, j, i + 1, j + 1); facet(i, j, i + 1, j + 1, i, j + 1) }
            print "endsolid grid"; exit }
        if (as == "off") printf "OFF\n%d %d 0\n", (k + 1) * (k + 1), k * k
        if (as == "ply") printf "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n", (k + 1) * (k + 1), k * k
        for (i = 0; i <= k; i++) for (j = 0; j <= k; j++) if (as == "obj") corner(i, j); else print i, j, z(i, j)
        for (i = 0; i < k; i++) for (j = 0; j < k; j++) { a = i * (k + 1) + j; b = a + k + 1
            if (as == "obj") print "f", a + 1, b + 1, b + 2, a + 2; else print 4, a, b, b + 1, a + 1 } }'
}
grid() { grid_of "$1" stl; }
obj_grid() { grid_of "$1" obj; }
off_grid() { grid_of "$1" off; }
dxf_inserts() { awk -v n="$1" 'BEGIN { print "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\nA\n0\n3DFACE\n62\n0\n10\n0\n20\n0\n11\n1\n21\n0\n12\n0\n22\n1\n0\nENDBLK\n0\nENDSEC\n0\nSECTION\n2\nENTITIES"
    for (i = 0; i < n; i++) printf "0\nINSERT\n8\nl%d\n2\nA\n420\n%d\n10\n%d\n0\n3DFACE\n8\nl%d\n10\n0\n20\n0\n30\n%d\n11\n1\n21\n0\n12\n0\n22\n1\n0\nKIND%d\n", i, i, i, i, i, i
    print "0\nENDSEC\n0\nEOF" }'; }
ac3d_objects() { awk -v n="$1" 'BEGIN { print "AC3Db"; for (i = 0; i < n; i++) printf "MATERIAL \"m%d\" rgb %g 1 1\n", i, i / n; printf "OBJECT world\nkids %d\n", n
    for (i = 0; i < n; i++) printf "OBJECT poly\nname \"o\"\nloc %d 0 0\ncrease 45\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 2\nSURF 0x20\nmat %d\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nSURF 0x10\nmat 0\nrefs 3\n0 0 0\n2 0 0\n1 0 0\nkids 0\n", i, i }'; }
ac3d_mapped() { awk -v n="$1" 'BEGIN { printf "AC3Db\nMATERIAL \"m\" rgb 1 1 1\nOBJECT poly\ntexture \"gone.png\"\ncrease 45\nnumvert %d\n", n + 2
    for (i = 0; i < n + 2; i++) printf "%g %d %g\n", i, i % 2, sin(i); printf "numsurf %d\n", n; for (i = 0; i < n; i++) printf "SURF 0x10\nmat 0\nrefs 3\n%d %g 0\n%d 0 1\n%d 1 1\n", i, i / n, i + 1, i + 2; print "kids 0" }'; }
ac3d_unknown() { awk -v n="$1" 'BEGIN { printf "AC3Db\nOBJECT poly\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf %d\n", n
    for (i = 0; i < n; i++) printf "SURF 0x19\nmat 7\nrefs 3\n0 0 0\n1 0 0\n2 0 0\n"; print "kids 0" }'; }
tri_facets() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "color 0 %g 1\npoint 0 0 %d 0 0 1\npoint 1 0 %d 0 0 1\npoint 0 1 %d 0 0 1\n", i / n, i, i, i }'; }
msh_faces() { awk -v n="$1" 'function whole(i) { printf "%c%c%c%c", i % 256, int(i / 256) % 256, int(i / 65536) % 256, 0 }
    function number(i) { printf "%c%c%c%c", 0, 0, i % 128, 66 } # 32 to 64
    function point(x, y, z) { number(x); number(y); number(z) }
    BEGIN { whole(3 * n); whole(0); whole(0); whole(n)
    for (i = 0; i < n; i++) { y = int(i / 128); point(i, y, 0); point(i + 1, y, 0); point(i, y, 1) }
    for (i = 0; i < 3 * n; i++) whole(i) }'; }
ply_grid() { grid_of "$1" ply; }
solids() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "solid s%d\nfacet normal 0 0 1\nouter loop\nvertex 0 0 %d\nvertex 1 0 %d\nvertex 0 1 %d\nendloop\nendfacet\nendsolid s%d\n", i, i, i, i, i }'; }
groups() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "g g%d\nv 0 0 %d\nv 1 0 %d\nv 0 1 %d\nf -3 -2 -1\n", i, i, i, i }'; }
materials() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "newmtl m%d\nKd %g 0 0\n", i, i / n >"many.mtl"
    print "mtllib many.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0"; for (i = 0; i < n; i++) printf "usemtl m%d\nf 1 2 3\n", i }'; }
model() { printf '<?xml version="1.0"?><model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'; }
mesh_of() { printf '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/></triangles></mesh>'; }
objects() { model; awk -v n="$1" -v mesh="$(mesh_of)" 'BEGIN { for (i = 1; i <= n; i++) printf "<object id=\"%d\">%s</object>\n", i, mesh
    printf "</resources><build>"; for (i = 1; i <= n; i++) printf "<item objectid=\"%d\"/>\n", i; print "</build></model>" }'; }
dae_joints() {
    awk -v n="$1" 'BEGIN {
        print "<COLLADA version=\"1.5.0\"><library_kinematics_models><kinematics_model id=\"km\"><technique_common>"
        for (i = 0; i < n; i++) printf "<joint name=\"J%d\" sid=\"j%d\"><revolute sid=\"a\"><axis>0 0 1</axis></revolute></joint>\n", i, i
        print "</technique_common></kinematics_model></library_kinematics_models><library_kinematics_scenes><kinematics_scene id=\"ks\">"
        for (i = 0; i < n; i++) printf "<newparam sid=\"p%d\"><SIDREF>km/j%d/a</SIDREF></newparam>\n", i, i
        print "</kinematics_scene></library_kinematics_scenes><library_visual_scenes><visual_scene id=\"s\">"
        for (i = 0; i < n; i++) printf "<node id=\"n%d\"><rotate sid=\"r\">0 0 1 0</rotate></node>\n", i
        print "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/><instance_kinematics_scene url=\"#ks\">"
        for (i = 0; i < n; i++) printf "<bind_joint_axis target=\"n%d/r\"><axis><param>p%d</param></axis></bind_joint_axis>\n", i, i
        print "</instance_kinematics_scene></scene></COLLADA>"
    }'
}
dae_keys() {
    awk -v n="$1" 'BEGIN {
        printf "<COLLADA version=\"1.4.1\"><library_animations><animation><source id=\"t\"><float_array id=\"ta\" count=\"%d\">", n
        for (i = 0; i < n; i++) print i
        printf "</float_array><technique_common><accessor source=\"#ta\" count=\"%d\" stride=\"1\"><param name=\"T\" type=\"float\"/></accessor></technique_common></source>", n
        print "<sampler id=\"s\"><input semantic=\"INPUT\" source=\"#t\"/><input semantic=\"OUTPUT\" source=\"#t\"/></sampler><channel source=\"#s\" target=\"n/r.ANGLE\"/></animation></library_animations>"
        print "<library_visual_scenes><visual_scene id=\"v\"><node id=\"n\"><rotate sid=\"r\">0 0 1 0</rotate></node></visual_scene></library_visual_scenes></COLLADA>"
    }'
}
dae_channels() {
    awk -v n="$1" 'BEGIN {
        print "<COLLADA version=\"1.4.1\"><library_animations>"
        for (i = 0; i < n; i++) printf "<animation><source id=\"t%d\"><float_array id=\"ta%d\" count=\"2\">0 1</float_array><technique_common><accessor source=\"#ta%d\" count=\"2\" stride=\"1\"><param name=\"T\" type=\"float\"/></accessor></technique_common></source><sampler id=\"s%d\"><input semantic=\"INPUT\" source=\"#t%d\"/><input semantic=\"OUTPUT\" source=\"#t%d\"/></sampler><channel source=\"#s%d\" target=\"n%d/t.X\"/></animation>\n", i, i, i, i, i, i, i, i
        print "</library_animations><library_visual_scenes><visual_scene id=\"v\">"
        for (i = 0; i < n; i++) printf "<node id=\"n%d\"><translate sid=\"t\">0 0 0</translate></node>\n", i
        print "</visual_scene></library_visual_scenes></COLLADA>"
    }'
}
amf_objects() { echo '<amf>'; awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf "<material id=\"%d\"/><object id=\"%d\"><mesh><vertices><vertex><coordinates><x>0</x><y>0</y><z>0</z></coordinates></vertex><vertex><coordinates><x>1</x><y>0</y><z>0</z></coordinates></vertex><vertex><coordinates><x>0</x><y>1</y><z>%d</z></coordinates></vertex></vertices><volume materialid=\"%d\"><color><r>%.6f</r><g>0</g><b>0</b></color><triangle><v1>0</v1><v2>1</v2><v3>2</v3></triangle></volume></mesh></object>\n", i, i, i, i, i / n; print "</amf>" }'; }
amf_instances() { echo '<amf><object id="1"/><constellation id="2">'; awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "<instance objectid=\"1\"><deltax>%d</deltax></instance>\n", i; print "</constellation></amf>" }'; }
items() { model; awk -v n="$1" -v mesh="$(mesh_of)" 'BEGIN { printf "<object id=\"1\">%s</object></resources><build>", mesh; for (i = 0; i < n; i++) print "<item objectid=\"1\"/>"; print "</build></model>" }'; }
nodes() { # all with one name
    awk -v n="$1" 'BEGIN { printf "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        printf "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":["
        for (i = 0; i < n; i++) printf "%s{\"mesh\":0,\"name\":\"n\",\"translation\":[%d,0,0]}", i ? "," : "", i
        printf "],\"scenes\":[{\"nodes\":["; for (i = 0; i < n; i++) printf "%s%d", i ? "," : "", i; print "]}],\"scene\":0}" }'; }
steps() { cp "$top/tests/cases/deneb-recording/cell.dcw" .; awk -v n="$1" 'BEGIN { print "DCT RECORDING 1.0\nWORKCELL \"cell\" DEVICES 3 FRAME world"; for (i = 0; i < n; i++) printf "STEP %g\n  DEV 0 JOINTS 2 %g %g\n", i * 0.1, 90 * sin(i), 30 * cos(3 * i); print "END" }'; }
# COLLADA: a grid of quads with normals of their own; geometries with a node each; a node of the library that n nodes show;
# groups of faces with a material each.
dae() { # LIBRARIES NODES
    printf '<COLLADA version="1.4.1"><asset/>%s<library_visual_scenes><visual_scene id="s">%s' "$1" "$2"
    printf '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>\n'
}
dae_mesh() { # ID NUMBERS PRIMITIVES
    printf '<geometry id="%s"><mesh><source id="p"><float_array>%s</float_array><technique_common>' "$1" "$2"
    printf '<accessor count="%s" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor>' 1000000
    printf '</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>%s' "$3"
    printf '</mesh></geometry>'
}
dae_input='<input semantic="VERTEX" source="#v" offset="0"/>'
dae_shape() { dae_mesh "$1" '0 0 0 1 0 0 0 1 0' "<triangles>$dae_input<p>0 1 2</p></triangles>"; }
dae_grid() {
    side=$(awk "BEGIN { print int(sqrt($1)) }")
    dae "<library_geometries>$(dae_mesh g "$(awk -v n="$side" 'BEGIN { for (i = 0; i < n; i++) for (j = 0; j < n; j++) print i, j, sin(i * j) }')" \
        "<polylist>$dae_input<input semantic=\"NORMAL\" source=\"#p\" offset=\"1\"/><vcount>$(awk -v n="$side" 'BEGIN { for (i = (n - 1) * (n - 1); i > 0; i--) printf "4 " }')</vcount><p>$(awk -v n="$side" 'BEGIN { for (i = 1; i < n; i++) for (j = 1; j < n; j++) { a = i * n + j; print a, a, a - 1, a, a - n - 1, a, a - n, a - 1 } }')</p></polylist>")</library_geometries>" \
        '<node><instance_geometry url="#g"/></node>'
}
dae_nodes() {
    dae "<library_geometries>$(dae_shape g | awk -v n="$1" '{ for (i = 0; i < n; i++) { at = $0; sub(/id="g"/, "id=\"g" i "\"", at); print at } }')</library_geometries>" \
        "$(awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "<node id=\"n" i "\"><translate>" i " 0 0</translate><instance_geometry url=\"#g" i "\"/></node>" }')"
}
dae_copies() {
    dae "<library_geometries>$(dae_shape g)</library_geometries><library_nodes><node id=\"a\"><node><instance_geometry url=\"#g\"/></node></node></library_nodes>" \
        "$(awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "<node><translate>" i " 0 0</translate><instance_node url=\"#a\"/></node>" }')"
}
dae_materials() {
    dae "<library_effects>$(awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "<effect id=\"e" i "\"><profile_COMMON><technique><phong><diffuse><color>0 0 " i / n " 1</color></diffuse></phong></technique></profile_COMMON></effect>" }')</library_effects><library_materials>$(awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "<material id=\"m" i "\"><instance_effect url=\"#e" i "\"/></material>" }')</library_materials><library_geometries>$(dae_mesh g '0 0 0 1 0 0 0 1 0' "$(awk -v n="$1" -v input="$dae_input" 'BEGIN { for (i = 0; i < n; i++) print "<triangles material=\"m" i "\">" input "<p>0 1 2</p></triangles>" }')")</library_geometries>" \
        "<node><instance_geometry url=\"#g\"><bind_material><technique_common>$(awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "<instance_material symbol=\"m" i "\" target=\"#m" i "\"/>" }')</technique_common></bind_material></instance_geometry></node>"
}
rows() { awk -v n="$1" 'BEGIN { print "time,Arm.J1,Arm.J2"; for (i = 0; i < n; i++) print i * 0.01 "," sin(i) "," cos(3 * i) }'; }
moves() { awk -v n="$1" 'BEGIN { print "SPEED 2000,100000"; for (i = 0; i < n; i++) printf "MOVE %d,0,0,0,0,0\n", i % 2; print "END" }'; }
labels() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "l%d: x%d = %d\n", i, i, i; print "WAIT 1\nEND" }'; }

# ---- readers and writers ----

for out in glb wrl stl png dump html; do
    grows frames 1000 a.wu convert a.wu "o.$out"
done
for out in glb wrl csv jsonl; do
    grows joints 500 a.wu convert a.wu "o.$out"
done
grows joints 500 a.wu convert a.wu o.glb --out web=yes
grows chain 500 a.wu convert a.wu o.glb --limit depth=10000000
grows devices 500 a.wu convert a.wu o.glb --limit files=10000000
grows urdf_links 500 a.urdf convert a.urdf o.glb
grows wrl_shapes 500 a.wrl convert a.wrl o.glb
grows wrl_names 500 a.wrl convert a.wrl o.glb
grows wrl_protos 500 a.wrl convert a.wrl o.glb
grows wrl_routes 500 a.wrl convert a.wrl o.glb
grows wrl_joints 500 a.wrl convert a.wrl o.glb
grows wrl_used 2000 a.wrl convert a.wrl o.glb
grows wrl_links 2000 a.wrl convert a.wrl o.glb
grows wrl_library 2000 a.wrl convert a.wrl o.glb
grows xacro_calls 500 a.xacro convert a.xacro o.glb
grows xacro_text 2000 a.xacro convert a.xacro o.glb
grows xacro_yaml 500 a.xacro convert a.xacro o.glb
grows urdf_links 500 a.urdf convert a.urdf o.urdf
grows materials 500 a.obj convert a.obj o.urdf
grows dae_copies 1000 a.dae convert a.dae o.urdf
grows frames 1000 a.wu convert a.wu o.urdf
grows joints 500 a.wu convert a.wu o.urdf
grows srdf_pairs 500 a.srdf convert robot.urdf a.srdf o.glb
grows srdf_pairs 500 a.srdf convert robot.urdf a.srdf o.srdf
grows pairs 2000 a.xml convert a.xml o.xml
grows dct_parts 500 a.dcd convert a.dcd o.glb
grows dct_joints 500 a.dcd convert a.dcd o.glb
grows dct_joints 500 a.dcd info a.dcd
grows dct_formulas 500 a.dcd convert a.dcd o.glb
grows steps 200 a.dcr convert a.dcr o.glb
grows steps 200 a.dcr convert a.dcr o.wrl
grows steps 200 a.dcr convert a.dcr o.dcr
grows grid 4000 a.stl convert a.stl o.glb
grows grid 4000 a.stl convert a.stl o.glb --out web=yes
grows grid 4000 a.stl convert a.stl o.png --out edges=yes
grows obj_grid 4000 a.obj convert a.obj o.glb
grows rwxml_frames 1000 a.wc.xml convert a.wc.xml o.glb
grows rwxml_joints 1000 a.wc.xml convert a.wc.xml o.glb
grows rwxml_frames 1000 a.wc.xml convert a.wc.xml b.wc.xml
grows devices 200 a.wu convert a.wu b.wc.xml
grows off_grid 4000 a.off convert a.off o.glb
grows tri_facets 4000 a.tri convert a.tri o.glb
grows ac3d_objects 1000 a.ac convert a.ac o.glb
grows ac3d_mapped 4000 a.ac convert a.ac o.glb
grows ac3d_unknown 4000 a.ac convert a.ac o.glb
grows msh_faces 4000 a.msh convert a.msh o.glb
grows dxf_inserts 4000 a.dxf convert a.dxf o.glb
grows ply_grid 4000 a.ply convert a.ply o.gltf
grows solids 1000 a.stl convert a.stl o.glb
grows groups 1000 a.obj convert a.obj o.glb
grows materials 500 a.obj convert a.obj o.glb
grows objects 500 a.model convert a.model o.glb --from 3mf
grows items 1000 a.model convert a.model o.glb --from 3mf
grows dae_joints 300 a.dae convert a.dae o.glb
grows dae_keys 2000 a.dae convert a.dae o.glb
grows dae_channels 300 a.dae convert a.dae o.glb
grows amf_objects 500 a.amf convert a.amf o.glb
grows amf_instances 1000 a.amf convert a.amf o.glb
for out in glb wrl; do
    grows nodes 1000 a.gltf convert a.gltf "o.$out"
done
grows nodes 1000 a.gltf convert a.gltf o.glb --out web=yes
grows dae_grid 2000 a.dae convert a.dae o.glb
grows dae_nodes 1000 a.dae convert a.dae o.glb
grows dae_copies 1000 a.dae convert a.dae o.glb
grows dae_materials 500 a.dae convert a.dae o.glb

# ---- filters ----

for filter in weld normals triangulate repair orient 'simplify ratio=0.2' lod; do
    # shellcheck disable=SC2086 # words
    grows grid 4000 a.stl convert a.stl o.glb ! $filter
done
grows solids 1000 a.stl convert a.stl o.glb ! merge-meshes
grows solids 1000 a.stl convert a.stl o.glb ! split-meshes ! instances
grows nodes 1000 a.gltf convert a.gltf o.glb ! flatten
grows joints 500 a.wu convert a.wu o.glb ! select node=F1
grows joints 500 a.wu convert a.wu o.glb ! pose home=yes
grows steps 200 a.dcr convert a.dcr o.glb ! trace frame=hand
grows rows 1000 a.csv recording "$top/samples/dh_arm.wu" o.glb file=a.csv
grows rows 1000 a.csv recording "$top/samples/dh_arm.wu" o.csv file=a.csv
grows moves 100 a.prg program "$top/samples/dh_arm.wu" o.glb file=a.prg --limit clip=1000000s
grows labels 500 a.prg program "$top/samples/dh_arm.wu" o.glb file=a.prg --limit steps=100000000

# ---- answers ----

grows frames 1000 a.wu info a.wu
grows frames 1000 a.wu diff a.wu a.wu
grows frames 1000 a.wu diff a.wu a.wu states=5
grows frames 1000 a.wu convert a.wu o.glb --compare-back
grows joints 500 a.wu fk a.wu frame=F1
grows grid 4000 a.stl check solid a.stl
finish

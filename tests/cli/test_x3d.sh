#!/bin/sh
# test_x3d.sh PROGRAM: what of X3D assimp would put elsewhere, read as something else, or refuse. What is expected is
# what the standard says (ISO/IEC 19775-1: Transform, IndexedLineSet, LineSet, LOD, Collision, unit).
. "$(dirname "$0")/check.sh"

# Converts a file of this text to scene.dump.
scene() { # BODY [HEAD]
    printf '<?xml version="1.0"?>\n<X3D>%s<Scene>%s</Scene></X3D>\n' "$2" "$1" >scene.x3d
    rm -f scene.dump
    "$cellpipe" convert scene.x3d scene.dump 2>stderr
}
has() { # WHAT COUNT EXPRESSION: so many lines of the dump match it
    must "$1: $2 times $3" [ "$(grep -c -E -- "$3" scene.dump)" = "$2" ]
}

box='<Shape><Box/></Shape>'
points='<Coordinate point="0 0 0,1 0 0,0 1 0,1 1 0"/>'

# The box is 5 m along X, which an empty group and one that is used again before it do not change.
for before in '<Transform DEF="empty"/>' '<Transform DEF="empty"> </Transform>' '<Group USE="used"/>'; do
    scene "<Group DEF=\"used\"/>
        <Transform DEF=\"moved\" translation=\"5 0 0\">$before$box</Transform><Shape><Sphere/></Shape>"
    has "in its group after $before" 1 '^instance node "moved" mesh'
    has "5 m away after $before" 1 '^node "moved" .* local 1 0 0 5 0 1 0 0 0 0 1 0$'
    has "outside of it after $before" 1 '^instance node "scene" mesh'
done
scene "<Group DEF=\"a\">$box</Group><Transform translation=\"0 2 0\"><Group USE=\"a\"/></Transform>"
has "a group that is used twice" 2 '^mesh .* vertices 8 faces 6 corners 24'
has "2 m up in Y is 2 m along Z" 1 '^node .* local 1 0 0 0 0 1 0 0 0 0 1 2$'

# Lines are lines, with commas or not, and whatever their number of points.
for indices in '0 1 3 2 -1' '0,1,3,2' '0,1,-1,1,3,-1,3,2,-1'; do
    scene "<Shape><IndexedLineSet coordIndex=\"$indices\">$points</IndexedLineSet></Shape>"
    has "three lines of $indices" 1 '^mesh .* kind lines vertices 4 faces 3 '
done
for counts in '4 3' '2,2 2'; do
    scene "<Shape><LineSet vertexCount=\"${counts% *}\">$points</LineSet></Shape>"
    has "lines of $counts points" 1 "^mesh .* kind lines vertices 4 faces ${counts#* } "
done

# Groups that assimp leaves out with all that they hold.
for group in Anchor Billboard Collision CADAssembly CADLayer CADFace; do
    scene "<$group>$box</$group>"
    has "the box of a $group" 1 '^mesh .* faces 6 '
done
scene "<CADPart translation=\"1 0 0\">$box</CADPart>"
has "a CADPart is a Transform" 1 '^node .* local 1 0 0 1 0 1 0 0 0 0 1 0$'
scene "<LOD range=\"5\">$box<Shape><Sphere/></Shape></LOD>"
has "an LOD's first level" 1 '^mesh'
has "which is the box" 1 '^mesh .* faces 6 '
scene "<Collision>$box<Shape containerField=\"proxy\"><Sphere/></Shape></Collision>"
has "not what is only touched" 1 '^mesh'

# What assimp refuses a file for.
for refused in '<ImageTexture url='"'"'"a.png" "b.png"'"'/>" '<PhysicalMaterial/>'; do
    scene "<Shape><Appearance>$refused<Material diffuseColor=\"1 0 0\"/></Appearance><Box/></Shape>"
    has "a red box with $refused" 1 '^material .* rgba 1 0 0 1 '
done
scene "<MetadataString name=\"a\" value='\"b\"'/><Inline url='\"gone.x3d\"'/>$box"
has "beside metadata and a further file" 1 '^mesh'

scene "$box" '<head><unit category="length" name="mm" conversionFactor="0.001"/>
    <meta name="title" content="a, b"/></head>'
has "millimetres" 1 '^instance .* transform 0.001 0 0 0 0 0 -0.001 0 0 0.001 0 0$'
has "the comma of a text" 1 '"a, b"'
scene "<Transform><PointLight/><SpotLight/>$box</Transform>"
has "no light becomes a node" 0 'Light'

# Cylinders, cones and extrusions are closed, wound outwards, and as large as their formulas say: a cylinder and a cone of
# 32 sides have the base 16 sin(pi / 16) = 3.1214.
solid() { # WHAT VOLUME AREA PARTS
    must "$1" "$cellpipe" info scene.x3d >info 2>stderr
    grep -E '^(drawn|parts|faults) ' info >seen
    must "$1: $2" grep -q -E "^drawn .* $3 m2, $2 m3" seen
    must "$1: $4" grep -q "^parts .*$4" seen
    must "$1: no flipped faces" grep -q '^faults  *0 flipped faces, 0 shells inside out, 0 faces without area' seen
}
shape() { scene "<Shape><Appearance><Material/></Appearance>$1</Shape>"; }
closed='1 closed, 0 not closed; 1 component'
shape '<Cylinder radius="1" height="4"/>'
solid "a cylinder" 12.4858 31.3353 "$closed"
shape '<Cylinder radius="1" height="4" top="false" bottom="false"/>'
solid "a tube" 8.32[0-9]* 25.09[0-9]* '0 closed, 1 not closed'
shape '<Cone bottomRadius="1" height="2"/>'
solid "a cone" 2.08096 10.1282 "$closed"
ends='spine="0 0 0,0 2 0"'
shape "<Extrusion $ends/>"
solid "an extrusion" 8 24 "$closed"
shape '<Extrusion spine="0 2 0 0 0 0"/>'
solid "an extrusion downwards" 8 24 "$closed"
shape '<Extrusion spine="5 0 0 9 3 0" crossSection="1 1 1 -1 -1 -1 -1 1 1 1"/>'
solid "an extrusion to the side" 20 48 "$closed"
shape "<Extrusion $ends scale=\"1 1 0.5 0.5\"/>" # a frustum: 2/3 (4 + 1 + 2), sides of 1.5 sqrt(4.25) each
solid "a frustum" 4.66667 17.3693 "$closed"
shape "<Extrusion $ends orientation=\"0 1 0 0.5\"/>"
solid "an extrusion of turned sections" 8 24 "$closed"
shape "<Extrusion $ends endCap=\"false\"/>"
solid "an extrusion without a lid" '[0-9.]*' 20 '0 closed, 1 not closed'
shape '<Extrusion spine="0 0 0 0 2 0 2 2 0"/>' # two prisms over quadrangles of 3.4142
solid "a bent extrusion" 13.6569 '[0-9.]*' "$closed"
shape '<Extrusion spine="0 0 0 0 1 0 0 1 0 0 2 0"/>'
must "points of a spine may be there twice" "$cellpipe" info scene.x3d
ring='2 0 0 0 0 2 -2 0 0 0 0 -2 2 0 0'
shape "<Extrusion spine=\"$ring\" crossSection=\"0.2 0.2 0.2 -0.2 -0.2 -0.2 -0.2 0.2 0.2 0.2\"/>"
solid "a ring" '[0-9.]*' '[0-9.]*' "$closed"
scene '<Shape><Extrusion DEF="e"/></Shape><Transform translation="5 0 0"><Shape><Extrusion USE="e"/></Shape></Transform>'
has "an extrusion that is used again" 2 '^instance'
for wrong in 'spine="0 0 0"' 'spine="0 0 0 x"' 'crossSection="1 1"' 'scale="1"'; do
    scene "<Shape><Extrusion $wrong/></Shape>$box"
    has "an extrusion with $wrong is left out" 1 '^mesh'
    must "an extrusion with $wrong is lost" grep -q 'loss: a geometry <Extrusion> of too few points' stderr
done
# A spine and a section of 1000 points each would be a million.
many=$(awk 'BEGIN { for (i = 0; i < 1000; i++) printf "%d 0 ", i }')
scene "<Shape><Extrusion spine=\"$many $many $many\" crossSection=\"$many\"/></Shape>"
must "an extrusion of too many points is refused" grep -q 'error: groups that are used again (USE), and extrusions' stderr

# A colour that shines is the emissive colour: 0.9 as displayed is 0.7874 as light.
scene '<Shape><Appearance><Material diffuseColor="0 0 0" emissiveColor="0.9 0.1 0"/></Appearance><Box/></Shape>'
has "an emissive colour" 1 '^material .* emissive 0.7874[0-9]* 0.0100[0-9]* 0'
finish

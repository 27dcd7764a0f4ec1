#!/bin/sh
# test_x3d.sh PROGRAM: what of X3D assimp would put elsewhere, read as something else, or refuse. What is expected is
# what the standard says (ISO/IEC 19775-1: Transform, IndexedLineSet, LineSet, LOD, Collision, unit).
. "$(dirname "$0")/check.sh"

# Converts a file of this text to scene.dump.
scene() { # BODY [HEAD]
    printf '<?xml version="1.0"?>\n<X3D>%s<Scene>%s</Scene></X3D>\n' "$2" "$1" >scene.x3d
    rm -f scene.dump
    "$cellpipe" convert -q scene.x3d scene.dump 2>stderr
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
finish

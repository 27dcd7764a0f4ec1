#!/bin/sh
# test_readme.sh PROGRAM: README's tables of what comes through are what the samples show. A cell says yes where some
# sample of these suffixes has it after reading, or where no loss of it is told on writing; a format without samples is
# not looked at.
. "$(dirname "$0")/check.sh"

# What no sample has: normals, colours and textures of a cell's models, of OBJ, AC3D and Collada; normals of PLY and OFF;
# joints and coordinates of Collada.
mkdir more
cp "$top/tests/cases/collada/robot.dae" "$top/tests/cases/collada/second_set.dae" more
printf '{ "A"\n  GeoID "quad.obj"\n}\n' >more/cell.wu
printf 'AC3Db\nMATERIAL "red" rgb 1 0 0 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\nOBJECT poly\nname "A"\ntexture "red.png"\nnumvert 3\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\nnumsurf 1\nSURF 0x10\nmat 0\nrefs 3\n0 0 0\n1 1 0\n2 0 1\nkids 0\n' >more/quad.ac
printf '<WorkCell name="C"><Frame name="A"><Drawable name="D"><Polytope file="quad.obj"/></Drawable></Frame></WorkCell>' >more/cell.wc.xml
printf '<robot name="R"><link name="A"><visual><geometry><mesh filename="quad.obj"/></geometry></visual></link></robot>' >more/cell.urdf
printf 'newmtl red\nKd 1 0 0\nmap_Kd red.png\n' >more/quad.mtl
printf 'mtllib quad.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nusemtl red\nf 1//1 2//1 3//1\n' >more/quad.obj
{
    printf 'ply\nformat ascii 1.0\nelement vertex 3\n'
    for name in x y z nx ny nz; do echo "property float $name"; done
    printf 'element face 1\nproperty list uchar int vertex_indices\nend_header\n'
    printf '0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n'
} >more/normals.ply
printf 'NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n' >more/normals.off
cat >more/normals.dae <<'END'
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>
<library_images><image id="i"><init_from>red.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON><newparam sid="f"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>f</source></sampler2D></newparam><technique sid="c"><lambert><diffuse>
<texture texture="t" texcoord="UV"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="n"><float_array id="na" count="3">0 0 1</float_array><technique_common>
<accessor source="#na" count="1" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1" material="w"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/><input semantic="TEXCOORD" source="#p" offset="0"/><p>0 0 1 0 2 0</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="w" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
END

# has COLUMN DUMP STEM: whether a scene has it.
has() {
    case $1 in
    geometry) grep -Eq '^face |^line |kind (box|cylinder|cone|sphere|plane|capsule)' "$2" ;;
    normals) grep -q '^normal ' "$2" ;;
    colours) grep -Eq '^(material|colour) ' "$2" ;;
    'UV, textures') grep -Eq '^(texture|uv|texcoord) ' "$2" ;;
    joints) grep -q '^joint ' "$2" ;;
    animation) grep -q '^clip ' "$2" ;;
    names) grep '^node ' "$2" | grep -v -e ' name "WORLD"' -e " name \"$3\"" | grep -q . ;;
    *) false ;;
    esac
}

# rows TITLE: of the table under this marker, as "SUFFIX,SUFFIX|COLUMN|CELL" lines.
rows() {
    awk -F ' *[|] *' -v title="<!-- $1 -->" '
        $0 == title { on = 1; next }
        on && /^$/ { on = 0 }
        on && !seen++ { for (i = 3; i < NF; i++) name[i] = $i; next }
        on && !/^\|-/ { gsub(/`/, "", $2); gsub(/ /, ",", $2); for (i = 3; i < NF; i++) print $2 "|" name[i] "|" $i }
    ' "$top/README.md"
}

rows 'what comes through: read' >read.txt
must "a table of what is read" [ "$(wc -l <read.txt)" -ge 32 ]
for suffixes in $(cut -d '|' -f 1 read.txt | uniq); do
    rm -rf dumps
    mkdir dumps
    input=
    for suffix in $(echo "$suffixes" | tr ',' ' '); do
        for file in $(find "$top/samples" more -name "*$suffix" | sort); do
            stem=$(basename "$file" "$suffix")
            "$cellpipe" convert -q "$file" "dumps/$stem" --to dump 2>/dev/null && input=$file
        done
    done
    [ -n "$(ls dumps)" ] || { echo "no sample of $suffixes"; continue; }
    grep "^$suffixes|" read.txt >row.txt
    while IFS='|' read -r _ column cell; do
        if [ "$column" = unit ]; then
            format=$("$cellpipe" manifest "$input" 2>/dev/null | sed -n 's/.*"format":"\([^"]*\)".*/\1/p')
            found=file
            "$cellpipe" help "$format" | sed '/writing/,$d' | grep -q '^  unit=' && found='unit='
            case $cell in m | mm) [ "$found" = file ] ;; *unit=*) [ "$found" = 'unit=' ] ;; *) false ;; esac
        else
            found=no
            for dump in dumps/*; do
                ! has "$column" "$dump" "$(basename "$dump")" || found=yes
            done
            [ "$cell" = "$found" ]
        fi
        must "README: $suffixes: $column is \"$cell\", found $found" [ $? = 0 ]
    done <row.txt
done

rows 'what comes through: written' >written.txt
must "a table of what is written" [ "$(wc -l <written.txt)" -ge 18 ]
for suffixes in $(cut -d '|' -f 1 written.txt | uniq); do
    suffix=${suffixes%%,*}
    rm -f report.*
    for file in shapes.gltf joints.gltf gltf_textures.gltf deneb/welding/weld.dcr; do
        "$cellpipe" convert -q "$top/samples/$file" "out$suffix" --report "report.$(basename "$file")"
    done
    grep "^$suffixes|" written.txt >row.txt
    while IFS='|' read -r _ column cell; do
        case $column in
        geometry) code=loss-geometry ;;
        polygons) code=loss-ngons ;;
        colours) code='loss-(vertex-)?colours' ;;
        animation) code=loss-clips ;;
        *) code=loss-$column ;;
        esac
        found=yes
        ! cat report.* | grep -Eq "\"$code\"" || found=no
        must "README: $suffixes: $column is \"$cell\", found $found" [ "$cell" = "$found" ]
    done <row.txt
done

# The suffixes that the list of formats calls written are those that name an output format, and no others.
"$cellpipe" formats --markdown | awk -F'|' '$4 ~ /yes|^  $/ && $1 == "" && NR > 2 {
    gsub("`", "", $6); gsub(/[()]/, "", $6); sub("read alone:", "- ", $6); print ($5 ~ /yes/ ? "" : "- ") $6 }' >rows.txt
must "rows of formats" [ "$(wc -l <rows.txt)" -gt 20 ]
while read -r row; do
    state=written
    for suffix in $row; do
        [ "$suffix" != - ] || { state=read; continue; }
        "$cellpipe" convert -q part.stl "out/x$suffix" >stdout 2>stderr
        named=written
        ! grep -q 'does not name an output format' stderr || named=read
        case $state$named in
        readwritten) ! "$cellpipe" formats | grep -qE " read, write .*read alone: [^)]*\\$suffix[ )]" || fail "$suffix is written" ;;
        *) must "$suffix is $state" [ $state = $named ] ;;
        esac
    done
done <rows.txt
finish

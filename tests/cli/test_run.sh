#!/bin/sh
# test_run.sh PROGRAM: chains, options that reach their plug-in, global flags in any place.
. "$(dirname "$0")/check.sh"

frames() { # lines of an info
    "$cellpipe" info -q "$1" | sed -n 's/^frames  *\([0-9]*\) .*/\1/p'
}
bounds() {
    "$cellpipe" info -q --json "$@" | tr -d ' \n' | grep -o '"bounds":\[\[[^]]*\],\[[^]]*\]\]'
}

# A second read hangs below a node named after its file.
ends 0 '' "$cellpipe" run read cell.wu -q ! read part.stl unit=mm ! write both.dump
must "a node for the part" grep -q '"part"' both.dump
"$cellpipe" run -q read cell.wu ! read part.stl ! write both.glb
must "8 frames, the part's node and its solid" [ "$(frames both.glb)" = 10 ]
ends 0 'note: only one of the two leaves out pairs' "$cellpipe" run -v read "$top/samples/demo.wu" ! read part.stl ! write demo.glb
ends 0 '' "$cellpipe" run read part.stl ! read part.stl ! read part.stl ! write three.glb
must "the same file three times" [ "$(frames three.glb)" = 6 ]

# A dependent joint's q is what its master's makes of it now.
printf '{ "A"\n Revolute\n ActiveJoint\n}\n{ "B"\n PassiveRevolute "A" 2 0.5\n}\n' >follow.wu
must "q of a dependent joint" [ "$("$cellpipe" pose joint=A value=0.25 follow.wu - | "$cellpipe" info --json - | tr -d ' \n' | grep -o '"q":[0-9.]*' | tail -1)" = '"q":1' ]

# A write in the middle.
ends 0 '' "$cellpipe" run -q read part.stl ! write first.dump ! weld tolerance=2 ! write second.dump
must "the first is before the filter" [ "$(cmp first.dump second.dump >/dev/null; echo $?)" = 1 ]

# Options reach the top importer, or every use of one.
must "unit=mm" [ "$(bounds part.stl --in unit=mm)" = '"bounds":[[0,0,0],[0.001,0.001,0.001]]' ]
must "stl.unit=mm" [ "$(bounds part.stl --in stl.unit=mm)" = '"bounds":[[0,0,0],[0.001,0.001,0.001]]' ]
must "as the name of a step's option" [ "$("$cellpipe" run read part.stl unit=mm ! write - | "$cellpipe" info --json - | tr -d ' \n' | grep -o '"bounds":\[\[[^]]*\],\[[^]]*\]\]')" = '"bounds":[[0,0,0],[0.001,0.001,0.001]]' ]
must "nested" [ "$(bounds cell.wu)" != "$(bounds cell.wu --in stl.unit=mm)" ]
ends 2 'unknown option of tag "unit"' "$cellpipe" info cell.wu --in unit=mm
ends 2 'unknown option of stl "unti"' "$cellpipe" info cell.wu --in stl.unti=mm
ends 2 'unknown option of glb "profil"; did you mean profile' "$cellpipe" convert gone.wu x.glb --out profil=stage
ends 2 'unknown option of weld' "$cellpipe" weld tol=1 gone.wu x.glb
ends 2 'crease=181: must lie in 0 .. 180 degrees' "$cellpipe" run read gone.wu ! normals crease=181 ! write x.glb
ends 2 'does not begin with' "$cellpipe" info cell.wu --in slt.unit=mm
sed 's/"part"/"gone"/' cell.wu >gone.wu
ends 0 'gone' "$cellpipe" info gone.wu
ends 3 'gone.wu:.*error.*gone' "$cellpipe" info gone.wu --in strict=yes
mkdir one two
ends 0 '' "$cellpipe" run read part.stl ! write one/up.wrl up=z
ends 0 '' "$cellpipe" convert part.stl two/up.wrl --out up=z
must "options of the exporter" cmp one/up.wrl two/up.wrl

# Global flags in any place, with "=" or without.
for line in '-q info cell.wu' 'info -q cell.wu' 'info cell.wu --quiet' 'info cell.wu -q --threads=2 --limit nodes=100'; do
    # shellcheck disable=SC2086
    ends 0 '' "$cellpipe" $line
done
ends 0 'pairs.xml:5: warning' "$cellpipe" info cell.wu
ends 6 'nodes' "$cellpipe" info -q cell.wu --limit nodes=3
ends 2 'unknown option "-x"' "$cellpipe" info -x cell.wu
ends 0 '' "$cellpipe" --help
ends 0 '' "$cellpipe" convert --help
must "help of the command" grep -q 'cellpipe convert IN .*OUT' stdout

# The same bytes for any number of threads.
"$cellpipe" convert -q cell.wu a.glb --threads 1
"$cellpipe" convert -q cell.wu b.glb --threads 8
must "threads" cmp a.glb b.glb

# Formats by name, by suffix, by content.
cp part.stl anonymous
ends 0 '' "$cellpipe" convert anonymous x.bin --to wrl
must "VRML" [ "$(head -c 10 x.bin)" = '#VRML V2.0' ]
ends 0 '' "$cellpipe" convert part.stl x.wrl.gz
must "gzip" [ "$(gzip -dc x.wrl.gz | head -c 10)" = '#VRML V2.0' ]
ends 3 'anonymous|error' "$cellpipe" convert anonymous x.wrl --from gltf
"$cellpipe" convert part.stl part.glb
for format in gltf glb .GLB; do
    ends 0 '' "$cellpipe" info part.glb --from $format
done
for format in glbb g '' .; do
    ends 2 'unknown input format' "$cellpipe" info part.glb --from "$format"
done

# No filter has a command's name.
for filter in $("$cellpipe" filters | awk '{print $1}'); do
    case $filter in
    convert | run | info | check | diff | batch | formats | filters | help | read | write) fail "a filter named $filter" ;;
    *) pass ;;
    esac
done

# A size that asks for a unit does so only if none is given, and never of a cell's models.
for format in obj off ply; do
    cp "$top"/tests/cases/$format/wide.$format "$top"/tests/cases/$format/tiny.$format . 2>/dev/null
    file=$(echo *.$format)
    ends 0 ' m across: in ' "$cellpipe" convert "$file" x.glb
    ends 0 '' "$cellpipe" convert "$file" x.glb --in unit=m
    ends 0 '' "$cellpipe" convert "$file" x.glb --in $format.unit=mm
    printf '{ "A"\n  GeoID "%s"\n}\n' "$file" >model.wu
    ends 0 '' "$cellpipe" convert model.wu x.glb
done
finish

# What check finds wrong is in the report, a level of detail's error in a note.
ends 1 '' "$cellpipe" check closed part.stl --report faults.json
must "an entry for each line" grep -q '"code": "check-closed", "file": "part.stl"' faults.json
ends 0 'level 2: ' "$cellpipe" run -v read "$top/samples/stl_hollow.stl" ! lod levels=2 ! write levels.glb

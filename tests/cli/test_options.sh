#!/bin/sh
# test_options.sh PROGRAM: one spelling of a value holds in every place that takes a value of that type: flags of the
# program, options of commands, of filters, importers and exporters, and limits. The schema says the same of them.
. "$(dirname "$0")/check.sh"

# place COMMAND...: one with V in the place of the value. Its input is not there, so a command that accepts the value
# ends with 3, and 2 if it refuses it.
places=
place() {
    places="$places$*
"
}

# Each line of `places` with each word.
takes() {
    for value in "$@"; do try 3 "gone\." "$value"; done
}

refuses() {
    for value in "$@"; do try 2 "needs|must" "$value"; done
}

try() {
    while read -r words; do
        [ -z "$words" ] || ends "$1" "$2" "$cellpipe" $(echo "$words" | sed "s/=V/=$3/; s/ V / $3 /")
    done <<END
$places
END
}

places=
place ik gone.wu pose=0,0,0,0,0,0 seconds=V
place check motion gone.wu period=V
place collide gone.wu step=V
place trace frame=a period=V gone.wu out.glb
place exclude time=V gone.wu out.xml
place convert gone.wu out.csv --out period=V
place convert gone.wu out.wrl --out cycle=V
place convert gone.wu out.glb --limit clip=V
place convert gone.wu out.glb --limit reader-seconds=V
takes 10ms 2s 2min 0.1h 10 1e1 20.5ms
refuses 10m soon 10mss '' -5s

places=
place collide gone.wu touch=V
place collide gone.wu --clearance V --json
place collide gone.wu --clearance=V
place weld tolerance=V gone.stl out.stl
place convert gone.dcr out.glb --from deneb-recording --in tolerance=V
place convert gone.wu out.wrl --out tolerance=V
takes 0.001 1mm 0.1cm 1e-3m 0.01in 0.01inch 0.01ft
refuses 1mile mm 1e999m -1mm

places=
place normals crease=V gone.stl out.stl
place convert gone.stl out.wrl --out crease=V
place convert gone.stl out.glb --out crease=V
takes 30 30deg 0.5rad 0
refuses 30grad 181 181deg 3.2rad -1

places=
place convert gone.stl out.glb --out web=yes --out budget=V
place convert gone.stl out.glb --limit bytes=V
place convert gone.stl out.glb --limit memory=V
takes 1000000 1e6 1000kB 100MB 1GB 1000KiB 100MiB 1GiB 1000000B 500K 20M 1G 0.5G
refuses 1parrot 1m -1 MB 1e30

places=
place simplify ratio=V gone.stl out.stl
place lod ratio=V gone.stl out.glb
takes 0.5 50% 5e-1 50.0%
refuses 150% 1.5 half 50%% 0.5mm

places=
place convert --threads V gone.stl out.stl
place convert --threads=V gone.stl out.stl
place ik gone.wu pose=0,0,0,0,0,0 tries=V
place repair holes=V gone.stl out.stl
place convert gone.stl out.glb --limit nodes=V
place exclude samples=V gone.wu out.xml
takes 12 1e2 12.0
refuses 12.5 many -3 12s 0x10 12%

places=
place convert --strict=V gone.stl out.stl
place convert --confine=V gone.stl out.stl
place convert -q --isolate=V gone.stl out.stl
place collide gone.wu all=V
place collide gone.wu --json=V
place check gone.stl closed=V
place repair degenerate=V gone.stl out.stl
place convert gone.stl out.stl --from stl --in partial=V
place convert gone.stl out.stl --in stl.strict=V
place convert gone.stl out.glb --out web=V
takes yes no true false on off 1 0
refuses maybe 2 y YES-NO

places=
place merge-meshes by=V gone.stl out.stl
takes link NODE Scene
refuses linkk nod any

places=
place convert gone.stl out.glb --from stl --in up=V
place convert gone.stl out.stl --out up=V
takes z Y
refuses x zz

places=
place convert gone.stl out.glb --in stl.unit=V
place run read gone.obj --from obj unit=V ! write out.glb
takes m mm cm in inch ft MM 0.001
refuses miles 0 -1 1mm

# A boolean's name alone is yes, in every place.
ends 3 gone "$cellpipe" convert --strict gone.stl out.stl --in partial --out colours
ends 3 gone "$cellpipe" collide gone.wu all home
ends 3 gone "$cellpipe" check closed gone.stl
ends 3 gone "$cellpipe" convert gone.stl out.stl ! repair degenerate

# batch, which opens nothing in a dry run.
for words in '--timeout 2min' '--timeout=500ms' '--timeout 0.5' '--memory 500K' '--memory 2GiB' '--memory 1e9' \
    '--max-output 100MB' '--max-output 1G' '--prune --max-prune 50%' '--prune --max-prune 0.5' '--jobs 2' \
    '--force=true' '--verify=off' '--progress none' '--progress JSON' '--balance hash' '--dry-run=1'; do
    ends 0 '' "$cellpipe" batch gone.stl --out-dir none $words --dry-run
done
for words in '--timeout 2m' '--timeout 0' '--memory 5X' '--memory 0' '--prune --max-prune 101%' \
    '--prune --max-prune half' '--jobs 0' '--jobs 1.5' '--force=maybe' '--progress often' '--balance sizes'; do
    ends 2 'needs|must' "$cellpipe" batch part.stl --out-dir none $words --dry-run
done

# A value that is nearly right.
ends 2 'by=linc: needs link\|node\|scene; did you mean link' "$cellpipe" merge-meshes by=linc part.stl out.stl
ends 2 '--progress jsn: needs auto\|json\|none; did you mean json' "$cellpipe" batch part.stl --out-dir none --progress jsn

# The schema, against the parser.
must "schema" sh -c '"$1" help --json >schema.json' - "$cellpipe"
if command -v node >/dev/null; then
    must "the schema holds" node "$top/tests/cli/schema.mjs" "$cellpipe" schema.json
else
    echo "skipped: the schema against the parser needs node"
fi
finish

#!/bin/sh
# outcomes.sh PROGRAM [FILE...]: one line for each command on each file: a hash of what came out (files and standard
# output), a hash of the messages, the exit code, the file, the command. Two builds behave alike when their lists are
# equal:
#     tests/tools/outcomes.sh BEFORE/cellpipe >before; tests/tools/outcomes.sh AFTER/cellpipe >after; diff before after
# Without files: the samples, the cells of tests/cells, and the corpus beside the checkout.
LC_ALL=C
export LC_ALL

# What every file goes through, with names instead of paths: the input is "$1", outputs lie in the working folder.
commands='
info IN
info --json IN
info --dump IN
check IN
collide IN
collide --json IN --clearance 1mm
convert IN out.glb
convert IN out.glb --out profile=stage
convert IN out.glb --out web=yes
convert IN out.gltf
convert IN out.wrl
convert IN out.stl
convert IN out.stl --out format=ascii
convert IN out.xml
convert IN out.wrz
run read IN ! weld tolerance=0.1mm ! write out.dump
run read IN ! normals ! write out.dump
run read IN ! triangulate ! write out.dump
run read IN ! flatten ! write out.dump
run read IN ! select node=WORLD ! write out.dump
run read IN ! select node=base ! write out.dump
run read IN ! pose home=yes ! write out.dump
run read IN ! split-meshes ! write out.dump
run read IN ! split-meshes ! instances ! write out.dump
run read IN ! merge-meshes ! write out.dump
run read IN ! repair ! orient ! write out.dump
run read IN ! simplify ratio=0.5 ! write out.dump
run read IN ! lod ! write out.dump
exclude IN out.xml work=200 samples=50 descents=2 --out evidence=yes
exclude IN out.dump work=200 samples=50 descents=2
'
commands_of_recordings='
convert IN out.wrl --out grab=switch
convert IN out.wrl --out grab=bake
convert IN out.wrl --out cycle=10
convert IN out.wrl --out tolerance=0
convert IN out.glb --in tolerance=0.1mm
'

# Runs one command line in a fresh folder and prints its line.
run_one() { # PROGRAM FILE COMMAND
    work=$(mktemp -d) || exit 1
    (
        cd "$work" || exit 1
        words=$(printf '%s' "$3" | sed 's/ IN / "$2" /; s/ IN$/ "$2"/')
        set -- "$1" "$2"
        eval "timeout 300 \"\$1\" -v $words" >.stdout 2>.stderr </dev/null
        echo $? >.code
    )
    code=$(cat "$work/.code")
    files=$(cd "$work" && find . -type f ! -name .code ! -name .stderr | sort | xargs sha256sum | sha256sum)
    messages=$(sha256sum <"$work/.stderr")
    [ -z "${KEEP-}" ] || { rm -rf "$KEEP"; cp -r "$work" "$KEEP"; }
    rm -rf "$work"
    printf '%.16s %.8s %s %s: %s\n' "$files" "$messages" "$code" "$2" "$3"
}

if [ "$1" = --file ]; then # PROGRAM FILE: all lines of one file
    program=$2 file=$3
    lines=$commands
    case $file in
    *.dcr) lines=$lines$commands_of_recordings ;;
    esac
    "$program" info -q "$file" >/dev/null 2>&1 </dev/null || lines='info IN
convert IN out.glb'
    printf '%s\n' "$lines" | sed '/^$/d' | while read -r line; do
        run_one "$program" "$file" "$line" </dev/null
    done
    exit
fi
if [ "$1" = --one ]; then # PROGRAM FILE COMMAND: one line again; KEEP=FOLDER keeps what came out
    run_one "$2" "$3" "$4"
    exit
fi

program=$(realpath "$1")
script=$(realpath "$0")
top=$(realpath "$(dirname "$0")/../..")
shift
if [ $# = 0 ]; then
    cd "$top" || exit 1
    find samples tests/cells ../shared/corpus -type f 2>/dev/null
else
    printf '%s\n' "$@"
fi | while read -r name; do realpath "$name"; done | sort -u | tr '\n' '\0' |
    xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" "$script" --file "$program" | sort -k 4

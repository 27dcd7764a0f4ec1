#!/bin/sh
# test_completion.sh PROGRAM: what TAB offers.
command -v bash >/dev/null || { echo "skipped: test_completion needs bash"; exit 77; }
program=$(realpath "$1")
PATH=$(dirname "$program"):$PATH
export PATH
cd "$(dirname "$0")/golden/inputs" || exit 1
failed=0

# offers WORDS LINE...: the completions of the last word of the line.
offers() {
    want=$1
    shift
    got=$(bash -c 'source ../../../../cli/completion.bash
        compopt() { :; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cellpipe
        printf "%s " "${COMPREPLY[@]}"' - "$@")
    case " $got" in
    *" $want "*) ;;
    *)
        failed=1
        echo "FAILED: \"$*\" offers \"$got\", not \"$want\""
        ;;
    esac
}
offers convert cellpipe con
offers weld cellpipe we
offers --out-dir cellpipe batch part.stl --out-
offers stl cellpipe convert part.stl --to st
offers part.stl cellpipe convert part
offers triangulate cellpipe convert part.stl x.glb ! tri
offers tolerance= cellpipe convert part.stl x.glb ! weld tol
offers tolerance= cellpipe weld tol
offers clip= cellpipe collide cell.wu cl
offers nodes= cellpipe info --limit no
offers limits cellpipe help lim
offers clip= cellpipe collide --quiet cl
offers manifold cellpipe check man
offers nodes= cellpipe info --limit ''
offers read cellpipe run ''
offers tolerance= cellpipe run read part.stl ! weld ''

offers unit= cellpipe convert part.stl x.glb --in un
offers web= cellpipe convert part.stl x.glb --out we
offers 'use= unit= up=' cellpipe convert part.stl x.stl --out u
offers vrml97 cellpipe convert part.stl --to v
offers unit= cellpipe run read part.stl un
offers web= cellpipe run read part.stl ! write x.glb we
offers 'tag' cellpipe convert cell.wu --from tag
none=$(cellpipe help --complete -- convert a.stl --to '' | grep -c '^tag$')
[ "$none" = 0 ] || { failed=1; echo "FAILED: --to offers tag, which nobody writes"; }
none=$(cellpipe help --complete -- convert a.stl x.glb --out '' | grep -c '^clicks=$')
[ "$none" = 0 ] || { failed=1; echo "FAILED: --out of GLB offers an option of VRML97"; }

# Every flag and option of the help is offered, and stands at one place of the source.
checks=0
for word in $(cellpipe help | sed -n '/^commands:/,/^$/s/^  \([a-z][a-z0-9]*\) .*/\1/p') weld; do
    topic=$word
    [ "$word" != weld ] || topic=FILTER
    for flag in $({ cellpipe help flags | sed '/that read/,$d'; cellpipe help "$topic"; } | grep -o -E '^  (-., )?--[a-z-]+' | grep -o -E -- '--[a-z-]+'); do
        checks=$((checks + 1))
        offers "$flag" cellpipe "$word" "$flag"
    done
    for option in $(cellpipe help "$topic" | sed -n 's/^  \([a-z]*=\)[^ ]* .*/\1/p'); do
        checks=$((checks + 1))
        offers "$option" cellpipe "$word" "$option"
    done
done
[ "$checks" -gt 150 ] || { failed=1; echo "FAILED: $checks flags and options"; }
for flag in $(cellpipe help --complete -- run --) $(cellpipe help --complete -- info --) $(cellpipe help --complete -- collide --); do
    places=$(cat ../../../../cli/*.c | grep -c -F "{\"$flag\", ")
    [ "$places" -le 2 ] || { failed=1; echo "FAILED: $flag has $places rows in cli/"; }
done
[ $failed = 0 ]

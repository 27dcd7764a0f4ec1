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
offers --out-dir cellpipe convert part.stl --out-
offers stl cellpipe convert part.stl --to st
offers part.stl cellpipe convert part
offers triangulate cellpipe convert part.stl x.glb ! tri
offers tolerance= cellpipe convert part.stl x.glb ! weld tol
offers tolerance= cellpipe weld tol
offers clip= cellpipe collide cell.wu cl
offers nodes= cellpipe info --limit no
offers limits cellpipe help lim
[ $failed = 0 ]

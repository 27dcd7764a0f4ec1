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
        COMP_WORDBREAKS=" "
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; _cellpipe
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

offers wrl cellpipe convert part.stl --to w
offers unit=mm cellpipe convert part.stl x.glb --in unit=m
offers stl.unit=in cellpipe convert part.stl x.glb --in stl.unit=i
offers frame=Table cellpipe fk cell.wu frame=T
offers device=Arm cellpipe ik cell.wu device=
offers joint=Arm.J2 cellpipe convert cell.wu x.glb ! pose joint=Arm.J
offers frame=Item cellpipe convert cell.wu x.glb ! trace frame=I

# Values, by the type of the option, whoever has it.
offers 'list add passwd role remove' cellpipe users u.txt ''
offers 'viewer operator teacher' cellpipe users u.txt add tina ''
offers 'viewer operator teacher' cellpipe users u.txt role tina ''
offers json cellpipe batch part.stl --out-dir x --progress j
offers 'all=yes' cellpipe collide cell.wu all=y
offers 'tolerance=5mm tolerance=5m' cellpipe weld tolerance=5m
offers seconds=2min cellpipe ik cell.wu seconds=2mi
offers memory=2GiB cellpipe info --limit memory=2Gi
offers 500MB cellpipe batch part.stl --memory 500MB
offers crease=30deg cellpipe convert part.stl x.wrl --out crease=30d
offers by=link cellpipe convert cell.wu x.glb ! merge-meshes by=li
offers only=Arm cellpipe convert cell.wu x.xml ! exclude only=

# A real bash on a terminal: it breaks words at = and :, and puts in what it was given.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp ./* "$folder"
printf '{ "Tool A"\n  GeoID "#Box 1 1 1"\n}\n{ "a:one"\n}\n' >"$folder/names.wu"
completion=$(realpath ../../../../cli/completion.bash)
# becomes LINE TYPED: what stands there when TAB is pressed behind it.
becomes() {
    checks=$((checks + 1))
    got=$(cd "$folder" && printf 'bind "set bell-style none"; PS1=; source %s\n%s\t\001echo "GOT \005"\nexit\n' "$completion" "$2" |
        timeout 60 script -qec 'bash --norc --noprofile -i' /dev/null | tr -d '\r' | sed -n 's/^.*GOT \([^"]*\)$/\1/p' | tail -n 1)
    [ "$got" = "$1" ] || { failed=1; echo "FAILED: \"$2\" becomes \"$got\", not \"$1\""; }
}
checks=0
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    becomes 'cellpipe convert ' 'cellpipe conv'
    becomes 'cellpipe convert part.stl ' 'cellpipe convert par'
    becomes 'cellpipe convert part.stl x.glb --in unit=' 'cellpipe convert part.stl x.glb --in uni'
    becomes 'cellpipe convert part.stl x.glb --in unit=cm ' 'cellpipe convert part.stl x.glb --in unit=c'
    becomes 'cellpipe convert part.stl x.glb --in stl.unit=cm ' 'cellpipe convert part.stl x.glb --in stl.unit=c'
    becomes 'cellpipe convert part.stl x.glb --out web=yes ' 'cellpipe convert part.stl x.glb --out web=y'
    becomes 'cellpipe convert part.stl --to vrml97 ' 'cellpipe convert part.stl --to v'
    becomes 'cellpipe convert part.stl x.glb ! weld tolerance=' 'cellpipe convert part.stl x.glb ! weld tol'
    becomes 'cellpipe run read part.stl unit=ft ' 'cellpipe run read part.stl unit=f'
    becomes 'cellpipe fk cell.wu frame=Table ' 'cellpipe fk cell.wu frame=Ta'
    becomes 'cellpipe fk names.wu frame=Tool\ A ' 'cellpipe fk names.wu frame=To'
    becomes 'cellpipe fk names.wu frame=a:one ' 'cellpipe fk names.wu frame=a:o'
    becomes 'cellpipe collide cell.wu Arm.J1=' 'cellpipe collide cell.wu Arm.J1'
else
    echo "not tried: a bash on a terminal (script of util-linux)"
fi

# A real zsh, which finds the function as an installed one: the line after TAB.
mkdir "$folder/functions"
cp ../../../../cli/completion.zsh "$folder/functions/_cellpipe"
cat >"$folder/start.zsh" <<'EOF'
fpath=($PWD/functions $fpath)
autoload -U compinit && compinit -u -D
unsetopt banghist
press() { zle complete-word; print -r -- "$BUFFER" >>typed.txt; BUFFER=; }
zle -N press
bindkey '^I' press
EOF
becomes_in_zsh() {
    checks=$((checks + 1))
    got=$(cd "$folder" && rm -f typed.txt && printf 'source ./start.zsh\n%s\t\nexit\n' "$2" |
        timeout 60 script -qec 'zsh -f -i' /dev/null >log.txt 2>&1; cat typed.txt)
    [ "$got" = "$1" ] || { failed=1; echo "FAILED in zsh: \"$2\" becomes \"$got\", not \"$1\""; }
}
if ! command -v zsh >/dev/null; then
    echo "skipped: test_completion's other shell needs zsh"
elif command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    becomes_in_zsh 'cellpipe convert ' 'cellpipe conv'
    becomes_in_zsh 'cellpipe convert part.stl ' 'cellpipe convert par'
    becomes_in_zsh 'cellpipe convert part.stl x.glb --in unit=' 'cellpipe convert part.stl x.glb --in uni'
    becomes_in_zsh 'cellpipe convert part.stl x.glb --in stl.unit=cm ' 'cellpipe convert part.stl x.glb --in stl.unit=c'
    becomes_in_zsh 'cellpipe convert part.stl --to vrml97 ' 'cellpipe convert part.stl --to v'
    becomes_in_zsh 'cellpipe convert part.stl x.glb ! weld tolerance=' 'cellpipe convert part.stl x.glb ! weld tol'
    becomes_in_zsh 'cellpipe fk cell.wu frame=Table ' 'cellpipe fk cell.wu frame=Ta'
    becomes_in_zsh 'cellpipe fk names.wu frame=Tool\ A ' 'cellpipe fk names.wu frame=To'
    becomes_in_zsh 'cellpipe fk names.wu frame=a:one ' 'cellpipe fk names.wu frame=a:o'
    becomes_in_zsh 'cellpipe collide cell.wu Arm.J1=' 'cellpipe collide cell.wu Arm.J1'
    becomes_in_zsh 'cellpipe program cell.wu x.glb file=names.wu ' 'cellpipe program cell.wu x.glb file=nam'
fi

# Every flag and option of the help is offered, and stands at one place of the source.
for word in $(cellpipe help | sed -n '/^commands:/,/^$/s/^  \([a-z][a-z0-9]*\) .*/\1/p') weld; do
    topic=$word
    [ "$word" != weld ] || topic=FILTER
    for flag in $({ cellpipe help flags | sed '/that read/,$d'; cellpipe help "$topic"; } | grep -o -E '^  (-., )?--[a-z-]+' | grep -o -E -- '--[a-z-]+'); do
        checks=$((checks + 1))
        offers "$flag" cellpipe "$word" "$flag"
    done
    for option in $(cellpipe help "$topic" | sed -n 's/^  \([a-z]*=\)[^ ]* .*/\1/p'); do
        checks=$((checks + 1))
        offers "$option" cellpipe "$word" "${option%=}"
    done
done
[ "$checks" -gt 150 ] || { failed=1; echo "FAILED: $checks flags and options"; }
for flag in $(cellpipe help --complete -- run --) $(cellpipe help --complete -- info --) $(cellpipe help --complete -- collide --); do
    places=$(cat ../../../../cli/*.c | grep -c -F "{\"$flag\", ")
    [ "$places" -le 2 ] || { failed=1; echo "FAILED: $flag has $places rows in cli/"; }
done
[ $failed = 0 ]

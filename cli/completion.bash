# Bash completion of cellpipe. Names of formats, filters and options are asked of the program itself.

# Options of a format or filter, as "name=" from its help; $2 is the head they stand under ("reading", "writing", "filter").
_cellpipe_options() {
    cellpipe help "$1" 2>/dev/null |
        sed -n "/, $2: /,/^\$/s/^  \([a-z_]*\)=.*/\1=/p"
}

_cellpipe_names() {
    cellpipe "$1" 2>/dev/null | awk '{print $1}'
}

# The word after the last "!" before the cursor, else nothing.
_cellpipe_step() {
    local i step=
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == '!' ]] && step=${COMP_WORDS[i + 1]}
    done
    printf '%s' "$step"
}

_cellpipe() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} step words=
    local commands='convert run info check diff collide igrip2vrml formats filters help'
    local flags='--strict --report --confine --threads --limit --no-clobber --sync --include --package --quiet --verbose
        --help --version --from --to --in --out --out-dir --json --dump --explain --clearance --markdown'
    step=$(_cellpipe_step)
    COMPREPLY=()
    case $previous in
    --from | --to)
        words=$(_cellpipe_names formats)
        ;;
    --limit)
        words=$(cellpipe help limits 2>/dev/null | sed -n 's/^  \([a-z_]*\)=.*/\1=/p')
        ;;
    help)
        words="$commands limits $(_cellpipe_names formats) $(_cellpipe_names filters)"
        ;;
    '!')
        words="read write $(_cellpipe_names filters)"
        ;;
    *)
        if ((COMP_CWORD == 1)); then
            words="$commands $(_cellpipe_names filters)"
        elif [[ $word == -* ]]; then
            words=$flags
        elif [[ ${COMP_WORDS[1]} == collide ]]; then
            words='device= clip= step= touch= all=yes home=yes q= deg='
        elif [[ -n $step ]]; then
            words=$(_cellpipe_options "$step" filter)
        else
            words=$(_cellpipe_options "${COMP_WORDS[1]}" filter)
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
    [[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -F _cellpipe -o filenames cellpipe

# Bash completion of cellpipe: the program itself says what may stand for the word before the cursor.
_cellpipe() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    words=$(cellpipe help --complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
    [[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -F _cellpipe -o filenames cellpipe

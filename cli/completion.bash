# Bash completion of cellpipe: the program itself says what may stand for the word before the cursor.
_cellpipe() {
    # Bash breaks words at characters such as = and :, which are inside of ours: what stands without a blank between
    # belongs together.
    local rest=${COMP_LINE:0:COMP_POINT} words=() part gap i
    for ((i = 0; i < COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        gap=${rest%%"$part"*}
        rest=${rest#*"$part"}
        if [[ -z $gap && ${#words[@]} -gt 0 ]]; then words[-1]+=$part; else words+=("$part"); fi
    done
    part=${rest#"${rest%%[![:space:]]*}"}
    if [[ $part == "$rest" && ${#words[@]} -gt 1 ]]; then words[-1]+=$part; else words+=("$part"); fi

    # What bash replaces begins behind the last break.
    local word=${words[-1]} breaks=${COMP_WORDBREAKS//[!=:]/} kept="" answer
    [[ -z $breaks ]] || kept=${word%"${word##*[$breaks]}"}
    COMPREPLY=()
    while IFS= read -r answer; do
        [[ $answer == "$word"* ]] && COMPREPLY+=("$(printf %q "${answer#"$kept"}")")
    done < <(cellpipe help --complete -- "${words[@]:1}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} == 1 ]]; then
        COMPREPLY[0]=${COMPREPLY[0]//\\=/=}
        [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace
    elif [[ ${#COMPREPLY[@]} == 0 ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "${word#"$kept"}")
    fi
}
complete -F _cellpipe cellpipe

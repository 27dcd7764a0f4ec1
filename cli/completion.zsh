#compdef cellpipe
# zsh completion of cellpipe: the program itself says what may stand for the word before the cursor.
local -a typed answers keys wholes
typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
answers=("${(@f)$(cellpipe help --complete -- "${typed[@]}" 2>/dev/null)}")
answers=("${(@)answers:#}") # an empty answer is one empty line
keys=("${(@M)answers:#*=}")
wholes=("${(@)answers:#*=}")
compadd -S '' -a keys
compadd -a wholes
(( compstate[nmatches] )) || { compset -P '*='; _files; }

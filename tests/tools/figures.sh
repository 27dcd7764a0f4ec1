#!/bin/sh
# figures.sh: counts the product's code (scene, importers, exporters, cli): lines, comments, long lines, and how deep
# functions of one file call each other. house.sh counts what stands between files.
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.." || exit 1
rooms='scene importers exporters cli'
# shellcheck disable=SC2086
sources=$(find $rooms -name '*.[ch]' | sort)

# shellcheck disable=SC2086
cat $sources | awk '
{
    lines++
    if (length($0) > 120) long_lines++
    text = $0
    sub(/^[ \t]+/, "", text)
    if (text == "") blank++
    else if (in_comment || text ~ /^\/[\/*]/) comment++
    else code++
    # A comment that goes on: opened on this line and not closed behind that.
    rest = text
    while (1) {
        if (in_comment) { at = index(rest, "*/"); if (!at) break; in_comment = 0 }
        else { at = index(rest, "/*"); if (!at) break; in_comment = 1 }
        rest = substr(rest, at + 2)
    }
}
END {
    printf "product lines (.c and .h in scene, importers, exporters, cli): %d\n", lines
    printf "  of code %d, of comments %d (%.1f %% of both), blank %d\n", code, comment, 100 * comment / (code + comment), blank
    printf "  longer than 120 columns: %d\n", long_lines
}'
printf 'lines of docs longer than 120 columns: %d\n' "$(cat README.md CHANGES.md docs/*.md | grep -c '.\{121\}')"

# Functions: a definition begins at the first column; the calls in its body are looked up among those of the file.
# shellcheck disable=SC2086
awk '
function depth(name,    i, n, callee, deepest, found) {
    if (name in known) return known[name]
    if (name in busy) return 0
    busy[name] = 1
    n = split(calls[name], callee, " ")
    for (i = 1; i <= n; i++) { found = depth(callee[i]); if (found > deepest) deepest = found }
    delete busy[name]
    return known[name] = 1 + deepest
}
function finish(    name, other, at, rest, word, d, seen) {
    for (name in body) {
        rest = body[name]
        delete seen
        while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
            word = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (word != name && (word in body) && !(word in seen)) { seen[word] = 1; calls[name] = calls[name] " " word; callers[word]++ }
        }
    }
    for (name in body) {
        d = depth(name)
        if (d > deepest) { deepest = d; deepest_at = file ": " name }
        if (name in is_static) { statics++; if (callers[name] == 1) once++ }
        functions++
        if (size[name] > longest) { longest = size[name]; longest_at = file ": " name }
        if (size[name] > 80) over_80++
    }
    delete body; delete calls; delete callers; delete known; delete is_static; delete size
}
FNR == 1 { if (file) finish(); file = FILENAME; name = "" }
/^[A-Za-z_].*\(/ && !/;[ \t]*$/ && !/^#/ {
    head = $0; sub(/\(.*/, "", head); n = split(head, words, /[ \t*]+/); candidate = words[n]; static_one = $0 ~ /^static /
}
/^{/ && candidate != "" { name = candidate; body[name] = ""; if (static_one) is_static[name] = 1; size[name] = 0; candidate = "" }
/^}/ { name = "" }
name != "" { line = $0; gsub(/"([^"\\]|\\.)*"/, "", line); body[name] = body[name] " " line; size[name]++ }
END {
    finish()
    printf "functions: %d; static with one caller: %d of %d (%.0f %%)\n", functions, once, statics, 100 * once / statics
    printf "longest chain of calls within a file: %d (%s)\n", deepest, deepest_at
    printf "longest function: %d lines (%s); longer than 80: %d\n", longest, longest_at, over_80
}' $(printf '%s\n' $sources | grep '\.c$')

#!/bin/sh
# parts_chart.sh PAGE.md >CHART.svg: draws the table of the row parts: by how much the errors of simplified parts are larger than
# cellpipe's, which has as many triangles.
LC_ALL=C awk '
    function list(values, row,    i, k, name, words, count) {
        count = split(order[row], names, " ")
        for (i = 2; i <= count; i++)
            for (k = i; k > 1 && values[row, names[k]] < values[row, names[k - 1]]; k--) {
                name = names[k]; names[k] = names[k - 1]; names[k - 1] = name
            }
        for (i = 1; i <= count; i++)
            words = words (i > 1 ? ", " : "") title(names[i]) sprintf(" %.2f", values[row, names[i]])
        return words
    }
    function title(name) { return name == "gltfpack_aggressive" ? "gltfpack -sa" : name }
    BEGIN { FS = " *[|] *"; print "### Summary\n" }
    /^\| peer \| to \| cases \| mean at most/ { inside = 1 }
    !/^\|/ { inside = 0 }
    inside && $3 ~ /%$/ {
        if (!($3 in order)) rows[++count] = $3
        order[$3] = order[$3] " " $2
        cases[$3] = $4
        mean[$3, $2] = 1 / $8
        most[$3, $2] = 1 / $9
    }
    END {
        for (i = 1; i <= count; i++) printf "| mean, of %d parts to %s | | %s |\n", cases[rows[i]], rows[i], list(mean, rows[i])
        for (i = 1; i <= count; i++) printf "| largest, of %d parts to %s | | %s |\n", cases[rows[i]], rows[i], list(most, rows[i])
    }' "$1" >"${TMPDIR:-/tmp}/parts.$$" && "$(dirname "$0")/chart.sh" "${TMPDIR:-/tmp}/parts.$$" "Errors" nearer
ended=$?
rm -f "${TMPDIR:-/tmp}/parts.$$"
exit $ended

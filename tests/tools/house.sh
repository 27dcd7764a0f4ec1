#!/bin/sh
# house.sh [--fragments|--words|--structs|--tags|--circles|--headers] [BUILD]: counts how the product's code stands, and
# prints it as a table: comments that open as fragments, words that docs/style.md avoids, large structs, tags that stand
# twice, circles of includes and of objects, headers that a source reaches. A word with -- lists what is counted in
# place of the table. It counts the tree of the working folder, whatever folders that has below scene/, importers/,
# exporters/, live/ and cli/; and the objects of BUILD (build/release), if they are there.
LC_ALL=C
export LC_ALL
tools=$(cd "$(dirname "$0")" && pwd)
list=
case ${1-} in
--fragments | --words | --structs | --tags | --circles | --headers)
    list=${1#--}
    shift ;;
-*)
    sed -n 's/^# //p' "$0" >&2
    exit 2 ;;
esac
build=${1-build/release}
if ! [ -f docs/style.md ] || ! [ -d scene ]; then
    echo "house.sh: no scene/ and docs/style.md here: run it at the top of a tree" >&2
    exit 2
fi

# The words between the stars behind "Words to avoid:", on however many lines.
avoided=$(tr '\n' ' ' <docs/style.md | sed -n 's/.*Words to avoid: \*\([^*]*\)\*.*/\1/p')
[ -n "$avoided" ] || { echo "house.sh: docs/style.md has no \"Words to avoid: *...*\"" >&2; exit 2; }

symbols=
objects=$(find "$build/CMakeFiles" -path '*/cellpipe_*.dir/*' -name '*.o' 2>/dev/null | sort)
if [ -n "$objects" ]; then
    symbols=$(mktemp) || exit 1
    trap 'rm -f "$symbols"' EXIT
    # shellcheck disable=SC2086 # a list of words
    nm -P -A $objects >"$symbols" || exit 1
fi

sources=$(find scene importers exporters live cli include ./*.c ./*.h -name '*.[ch]' -o -name '*.cc' 2>/dev/null)
# shellcheck disable=SC2046,SC2086
awk -v avoided="$avoided" -v list="$list" -v symbols="$symbols" -v seen='scene .' -f "$tools/house.awk" \
    $(printf "%s\n" $sources | sed "s#^\./##" | sort)

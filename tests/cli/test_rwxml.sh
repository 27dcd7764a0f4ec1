#!/bin/sh
# test_rwxml.sh PROGRAM: rules of RobWork's XML, a small file for each. tests/cases/rwxml/rules.txt says what lines the dump
# of a file has, worked out by hand: a file, a tab, and an extended regular expression; "!" before it: no line is like that.
. "$(dirname "$0")/check.sh"
tab=$(printf '\t')
files=$(cut -f 1 "$top/tests/cases/rwxml/rules.txt" | LC_ALL=C sort -u)
must "rules for 60 files and more" [ "$(echo "$files" | wc -l)" -ge 60 ]
for file in $files; do
    "$cellpipe" convert -q "$top/tests/cases/rwxml/$file" "$file.dump" 2>stderr || fail "$file is not read"
done
while IFS=$tab read -r file rule; do
    case $rule in
    !*) must "$file: no $rule" sh -c '! grep -E -q -- "$1" "$0"' "$file.dump" "${rule#!}" ;;
    *) must "$file: $rule" grep -E -q -- "$rule" "$file.dump" ;;
    esac
done <"$top/tests/cases/rwxml/rules.txt"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

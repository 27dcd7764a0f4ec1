#!/bin/sh
# run.sh PROGRAM [FOLDER...]: bad inputs as data. Each folder's cases.txt has a case a line, three fields parted by tabs:
#   exit code <TAB> arguments <TAB> extended regular expression
# The program runs in the case's folder; in the arguments, OUT is a fresh folder that must be empty afterwards unless
# the exit code is 0. Some line of stderr must match the expression. '#' begins a comment line.
# With CODES=FILE in the environment, the codes of all messages are added to FILE (see check_codes.sh).
program=$(realpath "$1")
shift
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- */
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tab=$(printf '\t')
passed=0 failed=0

# Says whether one of the patterns fits a file: the shell leaves a pattern that fits nothing as it is.
holds_something() { # patterns of names, expanded
    for name in "$@"; do
        if [ -e "$name" ] || [ -L "$name" ]; then return 0; fi
    done
    return 1
}

mkdir "$work/out" "$work/reports"
for folder in "$@"; do
    awk -F "$tab" -v OFS="$tab" -v out="$work/out" '!/^#/ && NF > 2 { gsub("OUT", out, $2) } 1' "$folder/cases.txt" >"$work/cases"
    while IFS=$tab read -r want arguments expression; do
        case $want in ''|'#'*) continue ;; esac
        report=$work/reports/$((passed + failed))
        case $arguments in *[\&\|]*) alone= ;; *) alone=exec ;; esac # one process less
        (cd "$folder" && eval "$alone \"$program\" ${CODES:+--report \"$report\"} $arguments") \
            >"$work/stdout" 2>"$work/stderr" </dev/null
        got=$?
        problem=
        [ "$got" = "$want" ] || problem="exit $got, not $want"
        grep -Eq -- "$expression" "$work/stderr" || problem="$problem; no message like /$expression/"
        if holds_something "$work/out"/* "$work/out"/.[!.]*; then
            [ "$want" = 0 ] || problem="$problem; left $(ls -A "$work/out")"
            rm -rf "$work/out"
            mkdir "$work/out"
        fi
        if [ -n "$problem" ]; then
            failed=$((failed + 1))
            echo "FAILED $folder: cellpipe $arguments: $problem"
            sed 's/^/    /' "$work/stderr" | head -5
        else
            passed=$((passed + 1))
        fi
    done <"$work/cases"
done
[ -z "${CODES-}" ] || cat "$work/reports"/* | grep -o '"code": "[^"]*"' >>"$CODES"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

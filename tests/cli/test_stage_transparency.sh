#!/bin/sh
# test_stage_transparency.sh PROGRAM: a stage GLB between two steps changes nothing. For every sample and every 5th filter,
# a different fifth for the next sample, and for chains of these on three samples, `a | b` gives the same bytes as one
# process. With CELLPIPE_LONG: for every filter.
program=$(realpath "$1")
cd "$(dirname "$0")/../../samples" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 turn=0
[ -n "${CELLPIPE_LONG-}" ] && every=1 || every=5

# The words that a filter needs to do something on the sample, a file a filter; none where it has nothing to take hold of.
words_for() { # sample
    rm -f "$work"/words.*
    for filter in $filters; do echo >"$work/words.$filter"; done
    name=$("$program" info --json "$1" 2>/dev/null | sed -n 's/.*"frames": *\[{"name": *"[^"]*".*"name": *"\([^"\\]*\)".*/\1/p' | head -n 1)
    if [ -n "$name" ]; then echo "'node=$name'" >"$work/words.select"; else rm "$work/words.select"; fi
    echo 'home=yes' >"$work/words.pose"
    echo 'ratio=0.5' >"$work/words.simplify"
    echo 'work=1 samples=1 descents=0' >"$work/words.exclude"
    for filter in $filters; do
        turn=$((turn + 1))
        [ $((turn % every)) = 0 ] || rm -f "$work/words.$filter"
    done
}

same() { # what one two
    if cmp -s "$2" "$3"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $1: $(cmp "$2" "$3" 2>&1)"
        cat "$work/err" 2>/dev/null | head -n 3
    fi
}

# Each step is one argument of words; they are run as read SAMPLE ! STEP ! ... ! write OUT.
one_process() { # sample out step...
    line="read '$1'" out=$2
    shift 2
    for step in "$@"; do line="$line ! $step"; done
    eval "\"$program\" run $line ! write '$out' profile=stage" 2>"$work/err"
}

# One process and a pipe refuse with the same code, or write the same bytes.
same_end() { # what code code one two
    if [ "$2" -ne 0 ] && [ "$3" -eq "$2" ]; then
        passed=$((passed + 1))
    else
        same "$1" "$4" "$5"
    fi
}

filters=$("$program" filters | awk 'NF { print $1 }')
samples=$(ls | grep -Ev '^(README.md|SOURCES.md)$' | while read -r f; do [ -f "$f" ] && echo "$f"; done
    ls deneb/*/*.dcr)
chained=$(echo "$samples" | grep -E '\.(wu|dev)$' | head -n 3)
for sample in $samples; do
    rm -f "$work"/*.glb
    "$program" run read "$sample" ! write - 2>"$work/err" >"$work/stage.glb" || { failed=$((failed + 1)); echo "FAILED $sample to a stage"; cat "$work/err"; continue; }
    "$program" run read - ! write - <"$work/stage.glb" 2>"$work/err" >"$work/again.glb"
    same "$sample through a stage" "$work/stage.glb" "$work/again.glb"
    words_for "$sample"
    for first in $filters; do
        [ -f "$work/words.$first" ] || continue
        a="$first $(cat "$work/words.$first")"
        rm -f "$work/one.glb"
        one_process "$sample" "$work/one.glb" "$a"
        status=$?
        eval "\"$program\" $a" <"$work/stage.glb" >"$work/first.glb" 2>"$work/err"
        piped=$?
        same_end "$sample | $a" $status $piped "$work/one.glb" "$work/first.glb"
        echo "$chained" | grep -qxF "$sample" || continue
        for second in $filters; do
            [ -f "$work/words.$second" ] || continue
            b="$second $(cat "$work/words.$second")"
            rm -f "$work/one.glb"
            one_process "$sample" "$work/one.glb" "$a" "$b"
            status=$?
            eval "\"$program\" $b" <"$work/first.glb" >"$work/second.glb" 2>"$work/err"
            after=$?
            [ $piped -eq 0 ] && code=$after || code=$piped
            same_end "$sample | $a | $b" $status $code "$work/one.glb" "$work/second.glb"
        done
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# test_stage_transparency.sh PROGRAM: a stage GLB between two steps changes nothing. For every sample and every filter, and
# for chains of two filters on three samples, `a | b` gives the same bytes as one process.
program=$(realpath "$1")
cd "$(dirname "$0")/../../samples" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# The words that a filter needs to do something on the sample; NONE where it has nothing to take hold of.
words_for() { # filter sample
    case $1 in
    select) name=$("$program" info --json "$2" 2>/dev/null | sed -n 's/.*"frames": *\[{"name": *"[^"]*".*"name": *"\([^"\\]*\)".*/\1/p' | head -n 1)
        [ -n "$name" ] && printf 'node=%s' "$name" || echo NONE ;;
    pose) echo 'home=yes' ;;
    simplify) echo 'ratio=0.5' ;;
    exclude) echo 'work=100 samples=5 descents=1' ;;
    *) echo '' ;;
    esac
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

# run_words STEP...: runs `run read SAMPLE ! STEP ! ... ! write OUT`; each step is one argument of blank-parted words.
one_process() { # sample out step...
    sample=$1 out=$2
    shift 2
    line="read '$sample'"
    for step in "$@"; do line="$line ! $step"; done
    eval "\"$program\" run $line ! write '$out' profile=stage" 2>"$work/err"
}

filters=$("$program" filters | awk 'NF { print $1 }')
samples=$(ls | grep -Ev '^(README.md|SOURCES.md)$' | while read -r f; do [ -f "$f" ] && echo "$f"; done
    ls deneb/*/*.dcr)
for sample in $samples; do
    rm -f "$work"/*.glb
    "$program" run read "$sample" ! write - 2>"$work/err" >"$work/stage.glb" || { failed=$((failed + 1)); echo "FAILED $sample to a stage"; cat "$work/err"; continue; }
    "$program" run read - ! write - <"$work/stage.glb" 2>"$work/err" >"$work/again.glb"
    same "$sample through a stage" "$work/stage.glb" "$work/again.glb"
    for filter in $filters; do
        words=$(words_for "$filter" "$sample")
        [ "$words" = NONE ] && continue
        one_process "$sample" "$work/one.glb" "$filter ${words:+'$words'}" 2>/dev/null
        first=$?
        eval "\"$program\" $filter ${words:+'$words'}" <"$work/stage.glb" >"$work/two.glb" 2>"$work/err"
        second=$?
        if [ $first -ne 0 ] && [ $second -eq $first ]; then
            passed=$((passed + 1)) # both refuse, with the same code
        else
            same "$sample | $filter $words" "$work/one.glb" "$work/two.glb"
        fi
    done
done

for sample in $(echo "$samples" | grep -E '\.(wu|dev)$' | head -n 3); do
    for first in $filters; do
        for second in $filters; do
            a=$(words_for "$first" "$sample") b=$(words_for "$second" "$sample")
            [ "$a" = NONE ] || [ "$b" = NONE ] && continue
            rm -f "$work"/*.glb
            one_process "$sample" "$work/one.glb" "$first ${a:+'$a'}" "$second ${b:+'$b'}"
            status=$?
            eval "\"$program\" run read '$sample' ! write - 2>/dev/null | \"$program\" $first ${a:+'$a'} 2>/dev/null | \"$program\" $second ${b:+'$b'} 2>\"$work/err\" >\"$work/two.glb\""
            if [ $status -ne 0 ]; then
                [ -s "$work/two.glb" ] && { failed=$((failed + 1)); echo "FAILED $sample | $first | $second: one process refuses, the pipe does not"; } || passed=$((passed + 1))
            else
                same "$sample | $first | $second" "$work/one.glb" "$work/two.glb"
            fi
        done
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

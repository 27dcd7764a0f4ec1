#!/bin/sh
# test_run_timed.sh TOOLS: run_timed on commands whose times, memory and end are known.
LC_ALL=C
export LC_ALL
tools=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

must() { # what command...
    what=$1
    shift
    "$@" && return
    failed=$((failed + 1))
    echo "FAILED: $what"
}

# The last line of the results, as the awk condition sees it.
result() { # condition
    tail -n 1 "$work/result" | awk "{ wall = \$1; cpu = \$2; peak = \$3; good = NF == 3 && ($1) } END { exit !good }"
}

"$tools/run_timed" --memory "$work/result" dd if=/dev/zero of=/dev/null bs=100M count=3 2>/dev/null
must "a buffer of 100 MB" result "peak >= 100 && peak < 104"
"$tools/run_timed" "$work/result" sleep 1
must "a second of sleep" result "wall >= 1 && wall < 30 && cpu < 0.5 && peak == 0"
"$tools/run_timed" "$work/result" sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
must "a loop" result "cpu > 0.02 && cpu < wall + 0.1"
must "a line a run" [ "$(wc -l <"$work/result")" -eq 3 ]

"$tools/run_timed" "$work/result" sh -c 'exit 7'
must "the command's exit code" [ $? = 7 ]
"$tools/run_timed" --limit 1 "$work/result" sleep 60
must "the limit" [ $? = 124 ]
must "ended in time" result "wall < 30"
"$tools/run_timed" "$work/result" no-such-command 2>/dev/null
must "no such command" [ $? = 127 ]
[ "$failed" = 0 ]

# Sourced by bench.sh: poses of a cell with formulas, and of a machine with loops.

measure_poses() {
    say "poses"
    code=0
    printf '\n### Poses\n\n'
    "$tools/time_poses" --poses $(((triangles + 9) / 10)) --rounds "$rounds" || code=$?
    printf '\n### Loops\n\n'
    "$tools/time_loops" --poses $(((triangles + 499) / 500)) --rounds "$rounds" || code=$?
    [ "$code" = 0 ] || printf '\n| failed, exit %s |\n' "$code"
}

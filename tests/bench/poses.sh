# Sourced by bench.sh: poses of a cell with formulas.

measure_poses() {
    say "poses"
    code=0
    printf '\n### Poses\n\n'
    "$tools/time_poses" --poses $(((triangles + 9) / 10)) --rounds "$rounds" || code=$?
    [ "$code" = 0 ] || printf '\n| failed, exit %s |\n' "$code"
}

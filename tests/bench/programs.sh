# Sourced by bench.sh: robot programs run on samples/dh_arm.wu at 100 Hz, with inverse kinematics in each step, and written as GLB.

write_program() { # kind moves
    case $1 in
    lines) moves='IMOV 0, 200, 0|IMOV 50, 0, 0|IMOV 0, -200, 0|IMOV -50, 0, 0' ;;
    arcs) moves='CMOV 400, 100, 350, 350, 200, 300|CMOV 300, 100, 250, 350, 0, 300|CMOV 400, 100, 350, 350, 200, 300|CMOV 300, 100, 250, 350, 0, 300' ;;
    joints) moves='MOVE 30, 20, 40, 10, 50, 0|MOVE 30, 30, 20, 10, 50, 20|MOVE -20, 20, 40, 0, 40, 0|MOVE 0, 20, 40, 20, 50, 0' ;;
    esac
    printf 'A = POSE(350, 0, 300, 0, 180, 0)\nPTP A\n'
    echo "FOR i = 1, $(($2 / 4))"
    echo "$moves" | tr '|' '\n'
    echo 'NEXT i'
}

program_line() { # kind moves
    result=$work/programs/times.$1 output=$work/programs/out.glb code=0
    write_program "$1" "$2" >"$work/programs/program.prg"
    round=1
    while [ "$round" -le "$rounds" ] && [ "$code" = 0 ]; do
        "$tools/run_timed" --limit "$longest" "$result" "$cellpipe" program "$top/samples/dh_arm.wu" "$output" \
            "file=$work/programs/program.prg" --limit steps=100000000 --limit clip=100000000 \
            --limit keys=4000000000 >/dev/null 2>"$result.err" || code=$?
        round=$((round + 1))
    done
    if [ "$code" != 0 ]; then
        printf '| %s | %s | failed, exit %s: %s | | | |\n' "$1" "$2" "$code" "$(tail -n 1 "$result.err" | tr '|' ' ' | cut -c 1-120)"
        return
    fi
    motion=$("$cellpipe" info --json "$output" | sed -n 's/.*"name": "program", "first": 0, "last": \([0-9.]*\),.*/\1/p')
    seconds=$(median "$result")
    printf '| %s | %s | %.0f | %s | %.0f | %.1f |\n' "$1" "$2" "$motion" "$seconds" "$(compute "$motion / $seconds" %.1f)" \
        "$(compute "$(bytes_of "$output") / 1048576" %.1f)"
}

measure_programs() {
    say "programs"
    mkdir -p "$work/programs"
    printf '\n### Programs\n\n'
    printf '| moves | how many | motion, s | s | times real time | GLB, MiB |\n|---|---|---|---|---|---|\n'
    for kind in lines arcs joints; do
        program_line "$kind" $(((triangles + 99) / 100))
    done
    rm -rf "$work/programs"
}

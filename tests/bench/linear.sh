# Sourced by bench.sh: how the cost grows. Sizes double from 1,000 triangles (less where --linear is small); what is written goes to
# /dev/null, so that the disk is left out; a size's time is the least of its rounds, 3 of what takes more than a second.

# shape, format, what it is read to, the largest count as a share of --linear: 1/1, 1/4 (ASCII), 1/32 (things of their own)
linear_cases="torus:binary:glb:1 random:binary:glb:1 same:binary:glb:1 high-bits:binary:glb:1 lattice:binary:glb:1
    equal-xor:binary:glb:1 equal-spatial-hash:binary:glb:1
    torus:ascii:glb:4 random:ascii:glb:4 same:ascii:glb:4 torus:line:glb:4 torus:binary:wrl:4 random:binary:ascii:4
    torus:solids:glb:32 torus:meshes:glb:32 circle:polygon:stl:32 comb:polygon:stl:32"

linear_title() { # format
    case $1 in
    binary) echo "binary STL" ;;
    ascii) echo "ASCII STL" ;;
    line) echo "ASCII STL of one line" ;;
    solids) echo "ASCII STL, a solid a triangle" ;;
    meshes) echo "GLB, a mesh a triangle" ;;
    polygon) echo "GLB, one polygon" ;;
    esac
}

# Adds a line "COUNT SECONDS CPU" to $1; fails when the program does.
linear_point() { # table file count target
    rm -f "$work/linear.times"
    target="--to $4"
    [ "$4" != ascii ] || target="--to stl --out format=ascii"
    round=0
    while :; do
        # shellcheck disable=SC2086 # words
        "$tools/run_timed" --limit "$longest" "$work/linear.times" "$cellpipe" convert -q "$2" - $target \
            >/dev/null 2>"$work/linear.err" || return 1
        round=$((round + 1))
        if [ "$round" -ge "$rounds" ]; then break; fi
        if [ "$round" -ge 3 ] && is_true "$(least "$work/linear.times") > 1"; then break; fi
    done
    echo "$3 $(least "$work/linear.times") $(least "$work/linear.times" 2)" >>"$1"
}

linear_line() { # shape format target divisor
    say "linear: $1 $2 to $3"
    table=$work/results/linear_$1_$2_$3
    count=$((linear < 32000 ? linear / 32 : 1000)) failure='' file=$work/linear.$([ "$2" = polygon ] || [ "$2" = meshes ] && echo glb || echo stl)
    rm -f "$table"
    while [ "$count" -le $((linear / $4)) ]; do
        "$tools/make_shape" "$1" "$count" "$2" "$file"
        linear_point "$table" "$file" "$count" "$3" || {
            failure="fails at $count: $(sed "s,$work/,," "$work/linear.err" | tail -n 1 | tr '|' ' ' | cut -c 1-120)"
            break
        }
        count=$((2 * count))
    done
    rm -f "$file"
    print_linear_line "$1 as $(linear_title "$2"), to $3" "$table" "$failure"
}

print_linear_line() { # title table failure
    if [ ! -e "$2" ]; then
        printf '| %s | %s | | | | | |\n' "$1" "$3"
        return
    fi
    awk -v title="$1" -v failure="$3" '
        NR == 1 { first = $2 }
        NR > 1 && $2 / wall > worst { worst = $2 / wall; at = $1 }
        NR > 1 && $3 / cpu > worst_cpu { worst_cpu = $3 / cpu; at_cpu = $1 }
        { count = $1; wall = $2; cpu = $3 }
        END {
            printf "| %s | %.4f | %d | %.3f | %.0f | %.2f at %d | %.2f at %d |%s\n", title, first, count, wall, wall / count * 1e9,
                worst, at, worst_cpu, at_cpu, failure == "" ? "" : " " failure
        }' "$2"
}

measure_linear() {
    mkdir -p "$work/results"
    printf '\n### Growth\n\nTime as the input doubles; where it grows linearly, t(2n)/t(n) is 2.\n\n'
    printf '| input and output | s for the smallest | largest count | s | ns a triangle | largest t(2n)/t(n), wall | the same, CPU |\n'
    printf '|---|---|---|---|---|---|---|\n'
    for case in $linear_cases; do
        # shellcheck disable=SC2046 # four words
        linear_line $(echo "$case" | tr : ' ')
    done
}

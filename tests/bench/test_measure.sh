#!/bin/sh
# test_measure.sh TOOLS: measure_surface on planes a known distance apart, compare_looks on halves, files that are not whole, and beside the program that
# the published figures were measured with (../shared/bench/err.cpp).
LC_ALL=C
export LC_ALL
tools=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
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

# A square of side 3 at the height $1 / 8, facing up: floats as little-endian bytes.
square() {
    head -c 80 /dev/zero
    printf '\002\000\000\000'
    zero='\000\000\000\000' three='\000\000\100\100'
    case $1 in
    0) z=$zero ;;
    1) z='\000\000\000\076' ;;
    esac
    for facet in "$zero$zero$z$three$zero$z$three$three$z" "$zero$zero$z$three$three$z$zero$three$z"; do
        head -c 12 /dev/zero
        # shellcheck disable=SC2059 # escapes
        printf "$facet\000\000"
    done
}
square 0 >"$work/low.stl"
square 1 >"$work/high.stl"
# An eighth of the diagonal of a square of side 3: 2.94628 %.
"$tools/measure_surface" --samples 1000 "$work/low.stl" "$work/high.stl" "$work/low.stl" >"$work/planes"
must "planes" [ "$(sed -n 2p "$work/planes" | cut -f 2-12)" = "$(printf '2\t4\t2.94628\t2.94628\t2.9463\t2.9463\t2.9463\t0.000\t-\t4\t0')" ]
must "a plane and itself" [ "$(sed -n 3p "$work/planes" | cut -f 2-9)" = "$(printf '2\t4\t0.00000\t0.00000\t0.0000\t0.0000\t0.0000\t0.000')" ]

# The same looks the same; of a square and one of its halves, half of what is covered is covered by one of the two alone.
{ head -c 80 "$work/low.stl"; printf '\001\000\000\000'; tail -c +85 "$work/low.stl" | head -c 50; } >"$work/half.stl"
"$tools/compare_looks" "$work/low.stl" "$work/low.stl" "$work/half.stl" >"$work/looks" 2>/dev/null
must "a look and itself" [ "$(sed -n 1p "$work/looks")" = "$(printf '0.0000\t0.0000\t0.0000')" ]
must "a half: $(sed -n 2p "$work/looks")" awk 'NR == 2 { half = $3 / (100 * $1 / $2); good = half > 0.49 && half < 0.51 } END { exit !good }' "$work/looks"

for size in 0 83 100 183 185; do
    { cat "$work/low.stl"; echo more; } | head -c "$size" >"$work/broken.stl"
    "$tools/measure_surface" "$work/low.stl" "$work/broken.stl" >/dev/null 2>"$work/message"
    must "$size bytes are refused" [ $? = 1 ]
    must "$size bytes: why" grep -q 'broken.stl' "$work/message"
done

original=$top/../shared/bench/err.cpp
if [ ! -e "$original" ]; then
    echo "skipped: the comparison with the first measuring program (../shared is not there)"
elif ! c++ -O1 -w "$original" -o "$work/err" 2>/dev/null; then
    echo "skipped: the comparison with the first measuring program needs g++"
else
    compared=0
    for shape in gear sheet; do
        "$tools/make_shape" $shape 2000 binary "$work/fine.stl"
        "$tools/make_shape" $shape 400 binary "$work/coarse.stl"
        "$tools/measure_surface" "$work/fine.stl" "$work/coarse.stl" |
            awk -F '\t' 'NR == 2 { print $2, $3, $4, $6, $7, $8, $11, $12, $14, $17 }' >"$work/ours"
        "$work/err" "$work/fine.stl" "$work/coarse.stl" |
            awk 'NR == 2 { gsub(/[%,)]/, ""); print $3, $5, $7, $9, $12, $15, $17, $19, $21, $25 }' >"$work/theirs"
        must "$shape as before: $(cat "$work/ours" "$work/theirs")" cmp -s "$work/ours" "$work/theirs"
        compared=$((compared + 1))
    done
    must "both shapes" [ "$compared" = 2 ]
fi
[ "$failed" = 0 ]

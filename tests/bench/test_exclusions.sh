#!/bin/sh
# test_exclusions.sh TOOLS: time_exclude on pairs of which it is known how many of the joint values collide. No time is judged.
# shellcheck disable=SC2016 # awk's own variables
LC_ALL=C
export LC_ALL
tools=$1
cells=$(cd "$(dirname "$0")/../cells" && pwd)
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

# A slide of 1 m along which it meets Post for 0.5 + 0.5 mm, 1 in 1,000, and Block for 249.5 + 0.5 mm, 1 in 4.
cat >"$work/slide.wu" <<END
{ "Post"
  Position (0.211, 0, 0)
  GeoID "#Box 0.0005 1 1"
}
{ "Block"
  Position (-0.3, 0, 0)
  GeoID "#Box 0.2495 1 1"
}
{ "Slide"
  RPY (0, 90, 0)
  ActiveJoint
  Prismatic
  JointPosLimit -0.5 0.5
}
{ "Slider"
  ReferenceFrame "Slide"
  GeoID "#Box 0.0005 0.0005 0.0005"
}
END
"$tools/time_exclude" --rounds 1 --seeds 100 --work 2000 --thorough 4000 slide "$work/slide.wu" near "$cells/near_miss.wu" \
    turning "$cells/near_miss_turning.wu" >"$work/page" 2>"$work/messages"
must "it ends well" [ $? = 0 ]

# The row of a cell in a table, and its columns, as the awk condition sees them: those of the first table are $3 for all pairs, then their statuses.
row() { # table cell condition
    awk -F '|' -v table="$1" -v cell=" $2 " "/^\|---/ { tables++ } tables == table && \$2 == cell { found = ($3) } END { exit !found }" "$work/page"
}

for cell in slide near turning; do
    must "$cell: each pair has a status" row 1 $cell '$3 == $4 + $5 + $6 + $7 + $8 + $9 + $10 && $3 > 0'
    must "$cell: work, rates" row 2 $cell 'NF == 14 && $3 > 0 && $9 > 0 && $10 > 0 && $11 >= $3'
done
must "slide: pairs" row 1 slide '$3 == 3 && $4 == 1 && $8 == 2'
must "near: pairs" row 1 near '$3 == 3 && $4 == 1 && $7 == 1 && $8 == 1'
# 100 x 0.999^1000 = 36.8 seeds, with a standard deviation of 4.8
must "1 in 1,000" row 3 slide '$3 == 2 && $7 == " Post, Slider " && $9 > 20 && $9 < 54 && $10 == 0 && $9 == $5 && $10 == $6'
must "its rate" row 3 slide 'split($8, n, " ") == 3 && n[1] >= 900 && n[1] <= 1000 && n[1] / n[3] > 0.0009 && n[1] / n[3] < 0.0011'
# 10 hits in 1,000,000 states, with a standard deviation of 3.2; 100 x 0.9048 = 90.5 seeds, with one of 2.9
for cell in near turning; do
    must "$cell: 1 in 100,000" row 3 $cell 'split($8, n, " ") == 3 && n[1] > 0 && n[1] < 26 && n[3] == 1000000 && $9 >= $10 && $10 >= 100 - n[1] && $10 < 100 && $6 == $10'
done
must "near: the pair" row 3 near '$7 == " Plate, Tip "'
must "turning: the pair" row 3 turning '$7 == " Peg, Pin "'
must "tables are whole" awk -F '|' '
    /^\|/ { if (columns && NF != columns) { print "in: " $0; bad = 1 } columns = NF; next }
    { columns = 0 }
    END { exit bad }' "$work/page"

"$tools/time_exclude" --seeds 0 near "$cells/near_miss.wu" >/dev/null 2>&1
must "no seeds" [ $? = 1 ]
"$tools/time_exclude" near "$work/none.wu" >/dev/null 2>"$work/messages"
must "no such cell" grep -q 'none.wu' "$work/messages"
[ "$failed" = 0 ] || cat "$work/page"
[ "$failed" = 0 ]

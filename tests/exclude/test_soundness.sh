#!/bin/sh
# test_soundness.sh PROGRAM SOUNDNESS: what the filter exclude says of sample robots is true, in random configurations and
# searches; near misses and pieces that may be put elsewhere stay in. With CELLPIPE_LONG: 300,000 configurations and 300 searches a pair.
soundness=$(realpath "$2")
. "$(dirname "$0")/../cli/check.sh"
cells=$top/tests/cells corpus=$top/../shared/corpus
if [ -n "${CELLPIPE_LONG-}" ]; then
    states=300000 descents=300 effort="work=200000" seeds="1 2 3 4 5" slow=lrmate.wu
else
    states=2000 descents=5 effort="work=2000 descents=50" seeds="1 2" slow=
fi

# What is said of two frames: verdict and reason.
said() { # list, first, second
    "$cellpipe" info -q --dump "$1" |
        sed -n -E "s/^pair (\"$2\" \"$3\"|\"$3\" \"$2\") verdict ([a-z]+) reason \"([a-z-]+)\".*/\2 \3/p"
}

# ---- sample robots ----

# Each in a folder of its own, as many at a time as there are processors.
lines=$(for cell in "$cells"/*.wu; do echo "$cell $states $descents"; done)
if [ -d "$corpus" ]; then
    must "the makers' robots" "$cells/write_robots.sh" .
    for cell in irb120.wu irb2400.wu "$corpus/robwork-pa10-2009/PA10.wu" "$corpus/robwork-snippets/workcell.wu" $slow; do
        lines="$(realpath "$cell") $states $descents
$lines"
    done
fi
[ -z "${CELLPIPE_LONG-}" ] || lines="$top/samples/demo.wu 30000 30
$lines" # it has 750 pairs
export cellpipe soundness corpus effort
# shellcheck disable=SC2016,SC2086 # words
echo "$lines" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 sh -c '
    mkdir "of_${1##*/}" && cd "of_${1##*/}" || exit 0
    "$cellpipe" exclude -q -I "$corpus" $effort "$1" list.glb >table 2>&1 &&
        "$soundness" list.glb "$2" "$3" >table 2>&1 && touch holds
    exit 0' sh

never=0
for cell in $(echo "$lines" | cut -d ' ' -f 1); do
    name=${cell##*/}
    if [ -e "of_$name/holds" ]; then
        pass
    else
        fail "$name: $(grep WRONG "of_$name/table" || tail -n 1 "of_$name/table")"
    fi
    never=$((never + $(grep -c '^never-proved' "of_$name/table")))
    [ -z "${CELLPIPE_LONG-}" ] || sed "s/^/$name\t/" "of_$name/table"
done
must "pairs that are proved never to meet" [ $never -ge 40 ]

# ---- near misses ----

for seed in $seeds; do
    for work in 100 10000; do
        for options in "" "samples=0 descents=0"; do
            for pair in "near_miss Plate Tip" "near_miss_turning Peg Pin"; do
                set -- $pair
                # shellcheck disable=SC2086
                must "list of $1" "$cellpipe" exclude -q seed=$seed work=$work $options "$cells/$1.wu" list.glb
                case $(said list.glb "$2" "$3") in
                "kept "*) pass ;;
                *) fail "seed=$seed work=$work $options: $2 and $3 collide, but: $(said list.glb "$2" "$3")" ;;
                esac
            done
        done
    done
done
must "a list without a margin" "$cellpipe" exclude -q "$cells/near_miss.wu" list.glb
must "0.5 mm are enough" [ "$(said list.glb Wall Tip)" = "excluded never-proved" ]
must "a list with a margin" "$cellpipe" exclude -q margin=1mm "$cells/near_miss.wu" list.glb
must "0.5 mm are nearer than 1 mm" [ "$(said list.glb Wall Tip)" = "kept sometimes" ]
must "a list with a margin" "$cellpipe" exclude -q margin=1mm $effort "$cells/near_miss_turning.wu" list.glb
must "0.5 mm are nearer than 1 mm, turning" [ "$(said list.glb Post Pin | cut -d ' ' -f 1)" = kept ]

# ---- what may be put elsewhere ----

# Which of them a frame of held.wu belongs to.
held_by() { # frame
    case $1 in
    Bin* | Lid) echo Bin ;;
    Tool*) echo Tool ;;
    Part*) echo Part ;;
    *) echo cell ;;
    esac
}

must "list of held.wu" "$cellpipe" exclude -q "$cells/held.wu" list.glb
"$cellpipe" info -q --dump list.glb | sed -n -E 's/^pair "([^"]*)" "([^"]*)" verdict excluded .*/\1 \2/p' >excluded
while read -r first second; do
    must "$first and $second stay together" [ "$(held_by "$first")" = "$(held_by "$second")" ]
done <excluded
for pair in "Bin BinWall-1" "Bin BinWall-2" "BinWall-1 BinWall-2" "Tool ToolTip" "Tool ToolGuard" "ToolTip ToolGuard" "Part PartPin" "Bench Rack"; do
    set -- $pair
    must "$1 and $2 are static" [ "$(said list.glb "$1" "$2")" = "excluded static" ]
done
finish

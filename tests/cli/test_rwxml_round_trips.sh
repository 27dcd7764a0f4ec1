#!/bin/sh
# test_rwxml_round_trips.sh PROGRAM: every cell and device of RobWork that the tests have, and samples with frames, are
# written as RobWork's XML with each kind of setup, and read again. Frames move alike, the same pairs are checked, the
# same triangles are drawn, and `diff` lists nothing but what the messages told as lost.
. "$(dirname "$0")/check.sh"
shared=$top/../shared/corpus

# facts FILE: how many pairs are checked, of how many, and how many triangles are drawn. What the messages in `log` tell
# is left out: frames whose geometry may come later are candidates, and round shapes get another number of sides.
facts() {
    "$cellpipe" info --json "$1" 2>/dev/null | grep -E '^ +"(candidates|all|checked|triangles)": ' |
        { if grep -q 'are volatile' log; then grep triangles; else cat; fi; } |
        { if grep -q 'numbers of sides' log; then grep -v triangles; else cat; fi; }
}
# The frames of a file, a name a line.
names() {
    "$cellpipe" info --json "$1" 2>/dev/null |
        sed -n '/^ "frames"/,/^ \]/s/^  {"name": "\(.*\)", "parent": .*/\1/p' | LC_ALL=C sort
}
# runs COMMAND...: it ends with 0, whatever it says.
runs() {
    if "$@" >"$work/stdout" 2>"$work/stderr"; then pass; else fail "$*"; fi
}

# expected LOG: expressions of the lines of diff that these messages account for.
expected() {
    # STL has triangles of single precision, and numbers vertices anew: `drawn` is compared in their place.
    echo '^frame ".*": mesh ".*"(:| has [0-9]* (vertices|faces|corners), not) '
    while IFS= read -r line; do
        case $line in
        *'frames are added'*) echo '^frame ".*": (only in .*/out.wc.xml|parent ".*", not ".*")$' ;;
        *'numbers of sides'*) echo 'has other sizes$' ;;
        *'become meshes'*) echo 'mesh ".*" is a .*, not a faces$' ;;
        *'are volatile'*) echo 'volatile' ;;
        *'movable joints'*) echo '": joint, not movable$' ;;
        *'formula'*) echo '^joint ' ;;
        # Pairs of frames without models, which rules do not concern when they are read.
        *'rules of proximity setups that fit no'*) echo '^(exclusion|frame) ".*": only in ' ;;
        esac
    done <"$1"
}

goes_round() { # FILE
    names "$1" >own
    for setup in collision proximity; do
        rm -rf out && mkdir out
        runs "$cellpipe" convert "$1" out/out.wc.xml --out setup=$setup
        cp stderr log
        runs "$cellpipe" info out/out.wc.xml
        cat stderr >>log
        must "$1: pairs and triangles, $setup" [ "$(facts "$1")" = "$(facts out/out.wc.xml)" ]
        # Names that lack their device's get it.
        names out/out.wc.xml >written
        LC_ALL=C comm -23 own written | while IFS= read -r name; do
            other=$(awk -v name=".$name" 'substr($0, length($0) - length(name) + 1) == name { print; exit }' written)
            [ -z "$other" ] || echo "$name $other"
        done >map
        "$cellpipe" diff "$1" out/out.wc.xml states=5 map=map >states 2>&1
        must "$1: frames move alike, $setup" grep -q '^equal; the tolerance is 1e-09 m and rad' states
        if [ ! -s map ]; then
            expected log >allowed
            "$cellpipe" diff "$1" out/out.wc.xml 2>/dev/null | grep -v -E -e ' matched by name|^equal' -f allowed >found
            must "$1: no other difference, $setup" [ ! -s found ]
            head -n 3 found
        fi
    done
}

for file in "$top"/samples/*.wu "$top"/samples/*.urdf "$top"/samples/*.xacro "$top"/samples/rwxml*; do
    goes_round "$file"
done
if [ -d "$shared/robots/rwxml" ]; then
    # Files that are cut off, or name what is not there, are refused with a file and a line.
    cells=0 refused=0
    for file in $(cd "$shared" && {
        find . -name '*.wu' -o -name '*.dev' -o -name '*.wc.xml' -o -name '*.dwc.xml'
        find . -name '*.xml' ! -name '*.wc.xml' ! -name '*.dwc.xml' \
            -exec grep -l -E '<(Serial|Tree|Parallel|Mobile)Device ' {} +
    } | grep -v -e /damaged/ -e SomeCalibration.xml | LC_ALL=C sort -u); do
        if "$cellpipe" info -q "$shared/$file" >/dev/null 2>&1; then
            goes_round "$shared/$file"
            cells=$((cells + 1))
        else
            ends 3 ':[0-9]*: error: |no <WorkCell>' "$cellpipe" info "$shared/$file"
            refused=$((refused + 1))
        fi
    done
    echo "$cells cells and devices, $refused refused"
    must "at least 35 cells" [ "$cells" -ge 35 ]
    must "at most 9 that are refused" [ "$refused" -le 9 ]
else
    echo "skipped: no $shared/robots/rwxml"
fi
finish

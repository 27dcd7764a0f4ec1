# For the scripts of this folder: the words of ../cli/check.sh, and a library of parts.
# Use: . "$(dirname "$0")/check.sh", with the program as $1.
. "$(dirname "$0")/../cli/check.sh"

# library FOLDER COUNT: parts of different contents, in two folders.
library() {
    mkdir -p "$1/a" "$1/b"
    i=0
    while [ $i -lt "$2" ]; do
        [ $((i % 2)) = 0 ] && at=a || at=b
        sed "s/vertex 1 0 0/vertex $((i + 1)) 0 0/" part.stl >"$1/$at/p$i.stl"
        i=$((i + 1))
    done
}

# cells FOLDER COUNT: cells that any filter is done with at once, and one, robots.wu, that `! $slow` never is. The
# models of that one are for --only '*.wu' to leave out.
cells() {
    mkdir -p "$1"
    cp "$top/samples/tag_robots.wu" "$1/robots.wu"
    cp -r "$top/samples/tag" "$1"
    rm "$1/tag/room.wu"
    i=0
    while [ $i -lt "$2" ]; do
        printf '{ "A"\n  GeoID "#Box 1 1 %s"\n}\n{ "B"\n  Position (3, 0, 0)\n  GeoID "#Box 1 1 1"\n}\n' $((i + 1)) >"$1/c$i.wu"
        i=$((i + 1))
    done
}
slow='exclude samples=1000000000 work=1e15'

# worker PID: of the batch, the first that is there.
worker() {
    ps -o pid= --ppid "$1" | head -n 1 | tr -d ' '
}

# tree FOLDER: the names and contents of what lies there besides status files, as one sum.
tree() {
    (cd "$1" && { find . -path ./.cellpipe -prune -o -print | LC_ALL=C sort
        find . -path ./.cellpipe -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum; }) | cksum
}

# settle: lets the clock of files go on. An input that was written in the tick in which a run begins is looked at again by
# the next run, as it may have changed since.
settle() {
    sleep 0.03
}

# plan WORDS...: what a dry run would do, a line an input: "convert parts/a.stl: new".
plan() {
    "$cellpipe" batch --dry-run "$@" | sed -n 's/^\([a-z]*\) *\(.*\) -> .* (\(.*\))$/\1 \2: \3/p'
}

# works COMMAND...: it ends with 0, whatever it says.
works() {
    "$@" >"$work/stdout" 2>"$work/stderr"
    must "it works: $*" [ $? = 0 ]
}

# states: how many inputs the last run, by `works` or `ends`, ended with in each state, as it said: "2 failed 1 ok".
states() {
    sed -n 's/^  \(ok\|skipped\|macros\|failed\|timeout\|memory\|crashed\) *\([0-9]*\)\( .*\)*$/\1 \2/p' "$work/stdout" |
        sort | awk '{ printf "%s%s %s", (NR > 1 ? " " : ""), $2, $1 }'
}

# recorded FOLDER COUNT: the run that goes on has written so many records so far.
recorded() {
    [ "$(cat "$1"/.cellpipe/journals/* 2>/dev/null | grep -c '"state"')" -ge "$2" ]
}

# known FOLDER: what is known of all outputs there: "STATE NAME", a line each.
known() {
    "$cellpipe" report "$1" --csv | tr -d '\r' | sed -n '2,$s/^"\([^"]*\)","[^"]*",\([a-z]*\),.*/\2 \1/p'
}

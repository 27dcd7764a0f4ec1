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

# plan WORDS...: what a dry run would do, a line an input: "convert parts/a.stl: new".
plan() {
    "$cellpipe" batch --dry-run "$@" | sed -n 's/^\([a-z]*\) *\(.*\) -> .* (\(.*\))$/\1 \2: \3/p'
}

# works COMMAND...: it ends with 0, whatever it says.
works() {
    "$@" >"$work/stdout" 2>"$work/stderr"
    must "it works: $*" [ $? = 0 ]
}

# states FOLDER: how many records of each state the last run wrote there: "2 failed 1 ok".
states() {
    # shellcheck disable=SC2012 # names of status files have no blanks
    sed -n 's/.*"state":"\([a-z]*\)".*/\1/p' "$1/.cellpipe/status/$(ls -t "$1/.cellpipe/status" | head -n 1)" |
        sort | uniq -c | awk '{ printf "%s%s %s", (NR > 1 ? " " : ""), $1, $2 }'
}

# recorded FOLDER COUNT: the last run has written so many records so far.
recorded() {
    # shellcheck disable=SC2012
    [ "$(grep -c '"state"' "$1/.cellpipe/status/$(ls -t "$1/.cellpipe/status" | head -n 1)")" -ge "$2" ]
}

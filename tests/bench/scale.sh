#!/bin/sh
# scale.sh [FILES...]: what it takes to know of very many outputs, by journals that are made without a conversion: merge
# them, run when nothing has changed, report, and one of 1,000 shards. Processor seconds and anonymous memory of whole
# processes, medians of ROUNDS (3), as Markdown. Inputs and outputs are links of one file each, in WORK, best in memory;
# 10^6 of them take 2 GB; where the file system has no room for so many names, the rows that need none are measured. The last
# rows are of as many inputs of one shape, of which each might be a copy of another.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cellpipe=${CELLPIPE:-$here/../../build/release/cellpipe}
timed=$(dirname "$cellpipe")/tests/bench/run_timed
rounds=${ROUNDS:-3}
work=$(mktemp -d "${WORK:-/dev/shm}/cellpipe-scale.XXXXXX")
trap 'rm -rf "$work"' EXIT
. "$here/common.sh"
cd "$work"

# make_links COUNT: parts/K/J.stl and web/K/J.stl.glb, 1,000 in a folder. Sets has_files, to "" without room.
make_links() {
    rm -rf parts web
    mkdir -p parts/0
    printf 'solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n' >parts/0/0.stl
    sleep 0.1 # not within the tick in which the run begins
    "$cellpipe" batch parts --out-dir web -q --status made.jsonl
    has_files=yes
    if [ "$(df --output=iavail . | tail -n 1)" -lt $((2 * $1 + 10000)) ]; then
        has_files=
        say "no room for so many names: merge and report alone"
        return
    fi
    for i in $(seq 999); do
        echo "parts/0/0.stl parts/0/$i.stl"
        echo "web/0/0.stl.glb web/0/$i.stl.glb"
    done | xargs -n 2 ln
    for i in $(seq $(($1 / 1000 - 1))); do echo "$i"; done | xargs -I{} sh -c 'cp -al parts/0 parts/{} && cp -al web/0 web/{}'
}

# make_journal COUNT ALIKE: of a run that has converted all, into web. ALIKE: all inputs have one shape, else each has
# sizes of its own.
make_journal() {
    rm -rf web/.cellpipe
    mkdir -p web/.cellpipe/journals
    awk -v count="$1" -v alike="$2" 'NR == 1 || /"ended"/ { print }
        /"name"/ { # pieces of text, each with the letter of what follows it: a name, or one of three hashes
            gsub(/0\/0\.stl/, "\001n\001")
            sub(/"key":"[0-9a-f]*"/, "\"key\":\"\001k\001\"")
            gsub(/"out_hash":"[0-9a-f]*"/, "\"out_hash\":\"\001o\001\"")
            sub(/"hash":"[0-9a-f]*"/, "\"hash\":\"\001i\001\"")
            sub(/"hash":"[0-9a-f]*"/, "\"hash\":\"\001o\001\"")
            if (!alike) # the first measure, a size, has other digits
                sub(/"shape":\[[0-9]*,[^,]*,/, "&\001s\001")
            pieces = split($0, piece, "\001")
            for (i = 0; i < count; i++) {
                hash = sprintf("%031x", i + 1)
                text["n"] = int(i / 1000) "/" i % 1000 ".stl"
                text["k"] = 1 hash
                text["i"] = 2 hash
                text["o"] = 3 hash
                text["s"] = i + 1
                for (k = 1; k < pieces; k += 2)
                    printf "%s%s", piece[k], text[piece[k + 1]]
                print piece[pieces]
            }
        }' made.jsonl >web/.cellpipe/journals/made-1-1.jsonl
}

# row COUNT TITLE TIMES: the row of what was measured, with what is known in bytes an output.
row() {
    printf '| %s | %s | %.2f | %.0f | %.0f |\n' "$1" "$2" "$(median "$3" 2)" "$(compute "$(median "$3" 3) * 1.048576")" \
        "$(compute "$(find web/.cellpipe -type f -exec cat {} + | wc -c) / $1")"
}

# measure COUNT TITLE COMMAND...: a row of a command that changes nothing.
measure() {
    count=$1 title=$2
    shift 2
    rm -f times
    for _ in $(seq "$rounds"); do
        "$timed" --memory times "$@" >said 2>&1 || [ $? = 1 ] || { tail said >&2; exit 1; }
    done
    row "$count" "$title" times
}

# merge COUNT TITLE ALIKE
merge() {
    rm -f times
    for _ in $(seq "$rounds"); do
        make_journal "$1" "$3"
        "$timed" --memory times "$cellpipe" merge web >said
        grep -q "^records *$1\$" said || { cat said >&2; exit 1; }
    done
    row "$1" "$2" times
}

# measure_files COUNT: the rows that look at the files.
measure_files() {
    files=$1
    # The keys of a made journal are those of no options: an output without a key is as its files are.
    sqlite3 web/.cellpipe/state.db 'UPDATE outputs SET key = NULL'
    measure "$files" '`batch`, nothing has changed' "$cellpipe" batch parts --out-dir web --progress none
    grep -q "skipped *$files\$" said || { cat said >&2; exit 1; }
    measure "$files" '`batch --dry-run`' "$cellpipe" batch parts --out-dir web --dry-run
    measure "$files" '`manifest --shards 1000 --known`' sh -c "exec '$cellpipe' manifest parts --shards 1000 --known web >parts.jsonl"
    measure "$files" '`report --manifest`' "$cellpipe" report web --manifest parts.jsonl
    measure "$files" 'one of 1,000 shards' "$cellpipe" batch --manifest parts.jsonl --shard 7/1000 --out-dir web --progress none
    grep -q "skipped *$((files / 1000))\$" said || { cat said >&2; exit 1; }
    rm -f web/.cellpipe/journals/*
}

printf '| files | command | CPU s | anonymous memory, MB | OUT/.cellpipe, bytes a file |\n|---|---|---|---|---|\n'
[ $# -gt 0 ] || set -- 100000 1000000
for files; do
    say "$files files"
    make_links "$files"
    merge "$files" '`merge`, of a journal of all' ''
    measure "$files" '`report`' "$cellpipe" report web
    measure "$files" '`report --csv`' "$cellpipe" report web --csv
    [ -z "$has_files" ] || measure_files "$files"
    merge "$files" '`merge`, all of one shape' alike
    measure "$files" '`report`, all of one shape' "$cellpipe" report web
done

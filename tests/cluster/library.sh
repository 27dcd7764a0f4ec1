# What the tests of clusters share: a library of parts, what one machine makes of it, and the comparison with it.
# shellcheck shell=sh

fail() {
    echo "FAILED: $*"
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

require_commands() { # commands...
    for command in "$@"; do
        command -v "$command" >/dev/null || PATH=$PATH:/usr/sbin:/sbin command -v "$command" >/dev/null ||
            skip "$command is not installed"
    done
}

# parts/ with PARTS files, parts.jsonl in the order of SHARDS, and one/ as this machine alone makes it.
make_library() { # PROGRAM MAKE_SHAPE PARTS SHARDS
    mkdir parts
    "$2" library "$3" parts
    "$1" manifest parts --shards "$4" >parts.jsonl
    "$1" batch --manifest parts.jsonl --out-dir one --progress none >one.txt || fail "one machine: $(cat one.txt)"
}

# One line a file, without what cellpipe notes about its own work, and temporary files that a lost machine has left.
tree_of() { # folder
    (cd "$1" && find . -path ./.cellpipe -prune -o -type f ! -name '.cellpipe-*' -exec sha256sum {} + | sort -k 2)
}

count_outputs() { # folder
    find "$1" -name '*.glb' 2>/dev/null | wc -l
}

# The same files with the same bytes, nothing beside them, and a report that misses none of the inputs. Merged, the state
# is that of one machine, and nothing is left to do.
expect_same_as_one() { # PROGRAM folder
    tree_of one >one.tree
    tree_of "$2" >"$2.tree"
    cmp one.tree "$2.tree" || fail "$2 is not what one machine makes: $(diff one.tree "$2.tree" | head -n 5)"
    "$1" report --no-times --manifest parts.jsonl "$2" >"$2.report" || fail "$(cat "$2.report")"
    "$1" merge "$2" || fail "the journals of $2 cannot be merged"
    "$1" report --no-times --csv one >one.csv
    "$1" report --no-times --csv "$2" >"$2.csv"
    cmp one.csv "$2.csv" || fail "the state of $2 is not that of one machine: $(diff one.csv "$2.csv" | head -n 5)"
    "$1" batch --manifest parts.jsonl --out-dir "$2" --progress none >"$2.txt" || fail "$(cat "$2.txt")"
    tree_of "$2" | cmp one.tree - || fail "a run after the merge changes $2"
}

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

# parts/ with PARTS files, parts.jsonl, and one/ as this machine alone makes it.
make_library() { # PROGRAM MAKE_SHAPE PARTS
    mkdir parts
    "$2" library "$3" parts
    "$1" manifest parts >parts.jsonl
    "$1" batch --manifest parts.jsonl --out-dir one --progress none >one.txt || fail "one machine: $(cat one.txt)"
}

# One line a file, without what cellpipe notes about its own work, and temporary files that a lost machine has left.
tree_of() { # folder
    (cd "$1" && find . -path ./.cellpipe -prune -o -type f ! -name '.cellpipe-*' -exec sha256sum {} + | sort -k 2)
}

count_outputs() { # folder
    find "$1" -name '*.glb' 2>/dev/null | wc -l
}

# The same files with the same bytes, nothing beside them, and a report that misses none of the inputs.
expect_same_as_one() { # PROGRAM folder
    tree_of one >one.tree
    tree_of "$2" >"$2.tree"
    cmp one.tree "$2.tree" || fail "$2 is not what one machine makes: $(diff one.tree "$2.tree" | head -n 5)"
    "$1" report --no-times --manifest parts.jsonl "$2"/.cellpipe/status/*.jsonl >"$2.report" || fail "$(cat "$2.report")"
}

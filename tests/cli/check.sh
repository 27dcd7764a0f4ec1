# For the scripts of this folder: a fresh folder to work in, the inputs of golden/, and words to say what must hold.
# Use: . "$(dirname "$0")/check.sh", with the program as $1.
cellpipe=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$top"/tests/cli/golden/inputs/* .
passed=0 failed=0

pass() {
    passed=$((passed + 1))
}

fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
    [ ! -s "$work/stderr" ] || sed 's/^/    /' "$work/stderr" | head -n 5
}

# must WHAT COMMAND...: the command must succeed.
must() {
    what=$1
    shift
    if "$@"; then pass; else fail "$what"; fi
}

# ends CODE EXPRESSION COMMAND...: its exit code, and what some line of its messages must match ("" for none at all).
ends() {
    code=$1 expression=$2
    shift 2
    "$@" >"$work/stdout" 2>"$work/stderr"
    got=$?
    if [ $got != "$code" ]; then
        fail "exit $got, not $code: $*"
    elif [ -z "$expression" ] && [ -s "$work/stderr" ]; then
        fail "messages of: $*"
    elif [ -n "$expression" ] && ! grep -Eq -- "$expression" "$work/stderr"; then
        fail "no message like /$expression/: $*"
    else
        pass
    fi
}

# within SECONDS COMMAND...: the command, killed if it uses more time of a processor. Waiting on a busy machine is free.
within() {
    seconds=$1
    shift
    (ulimit -t "$seconds" && exec "$@")
}

# wait_until COMMAND...: until it succeeds. Only what never comes takes ten minutes, so that a busy machine fails nothing.
wait_until() {
    tries=0
    until "$@" 2>/dev/null || [ $tries = 30000 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
}

# What a folder holds, each name followed by a blank.
folder() {
    find "$1" -mindepth 1 -printf '%P\n' | LC_ALL=C sort | tr '\n' ' '
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
    exit $?
}

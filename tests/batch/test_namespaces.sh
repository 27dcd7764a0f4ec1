#!/bin/sh
# test_namespaces.sh PROGRAM: which runs may go on, for a merge of their journals: in a namespace of processes whose host
# has the same name, and where the file system has no locks.
. "$(dirname "$0")/check.sh"
cd "$work" || exit 1
namespace="unshare --pid --fork --kill-child --mount-proc"
[ "$(id -u)" = 0 ] || namespace="unshare --user --map-current-user --pid --fork --kill-child --mount-proc"
# In a container that may make no namespaces, the parts with them are left out; the others need nothing special.
# shellcheck disable=SC2086 # a list of words
$namespace true 2>/dev/null || { echo "left out: namespaces of processes cannot be made here" && namespace=; }
if ! strace -o /dev/null true 2>/dev/null; then
    echo "skipped: test_namespaces needs strace"
    exit 77
fi
without_locks="strace -f -qq -o trace -e trace=flock -e inject=flock:error=ENOLCK"
ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" # leaks are not looked for under strace
export ASAN_OPTIONS

cells cells 3
"$cellpipe" manifest cells --only '*.wu' -q >cells.jsonl
shard() { # WORDS...: a shard begins in these words, and never ends.
    rm -rf out
    # shellcheck disable=SC2086
    setsid "$@" "$cellpipe" batch --manifest cells.jsonl --shard 0/1 --out-dir out --jobs 1 --progress none ! $slow >said 2>&1 &
    run=$!
    wait_until recorded out 3
}
# merged RUNNING WORDS...: a merge in these words finds so many runs that may go on, and keeps the journals of these alone.
merged() {
    running=$1
    shift
    works "$@" "$cellpipe" merge out
    must "$*: $running may go on, not $(head -n 1 stdout)" grep -q "^journals *1 read, $running of runs that may go on" stdout
    must "$*: their journals stay" [ "$(find out/.cellpipe/journals -type f | wc -l)" = "$running" ]
    must "$*: what is done is known" [ "$(known out | grep -c '^ok')" = 3 ]
}
stop() {
    /bin/kill -KILL -- -$run
    wait $run 2>/dev/null
    wait_until sh -c "! pgrep -g $run >/dev/null"
}

# Its number is one that no process has elsewhere.
if [ -n "$namespace" ]; then
    # shellcheck disable=SC2086 disable=SC2016
    shard $namespace sh -c 'for _ in $(seq 99); do (:); done; "$@"; exit $?' sh
    merged 1
    # shellcheck disable=SC2086
    merged 1 $namespace
    # shellcheck disable=SC2086
    merged 1 $without_locks
    # shellcheck disable=SC2086
    merged 1 $without_locks $namespace
    stop
    # Its process was in a namespace that is gone: nobody knows what went on there without a lock.
    # shellcheck disable=SC2086
    merged 1 $without_locks
    touch -d '25 hours ago' out/.cellpipe/journals/*
    # shellcheck disable=SC2086
    merged 0 $without_locks
fi

# In one namespace, a number that no process has tells that the run is gone.
shard env
# shellcheck disable=SC2086
merged 1 $without_locks
stop
# shellcheck disable=SC2086
merged 0 $without_locks

# With locks, a run that was killed is known to be gone, wherever it was.
# shellcheck disable=SC2086
shard $namespace
stop
merged 0
finish

#!/bin/sh
# test_slurm.sh PROGRAM MAKE_SHAPE [PARTS SHARDS]: a library as an array of Slurm jobs on two nodes, one of which is lost
# in the middle. Each node is a slurmd in a PID namespace of its own, whose end takes all its jobs along, like a loss of
# power. Needs root, or namespaces of ordinary users.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
submit=$(cd "$here/../.." && pwd)/contrib/slurm/cellpipe-batch
program=$(realpath "$1") make_shape=$(realpath "$2") parts=${3:-2000} shards=${4:-100}
. "$here/library.sh"
PATH=$PATH:/usr/sbin:/sbin
require_commands slurmctld slurmd sbatch munged unshare

folder=$(mktemp -d)
stop_cluster() {
    for pid in "$folder"/node.n1.pid "$folder"/node.n2.pid "$folder"/controller.pid "$folder"/munge.pid; do
        [ ! -s "$pid" ] || kill -9 "$(cat "$pid")" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap stop_cluster EXIT
trap 'exit 130' INT TERM

# ---- the cluster ----

namespaces="unshare --pid --fork --kill-child --mount-proc"
[ "$(id -u)" = 0 ] || namespaces="unshare --user --map-current-user --pid --fork --kill-child --mount-proc"
$namespaces true 2>/dev/null || skip "namespaces of processes cannot be made here"

start_node() { # name
    # shellcheck disable=SC2086 # a list of words
    setsid $namespaces slurmd -D -N "$1" -f "$SLURM_CONF" >"$folder/node.$1.log" 2>&1 </dev/null &
    echo $! >"$folder/node.$1.pid"
}

start_cluster() {
    port=$((20000 + $$ % 20000))
    SLURM_CONF=$folder/slurm.conf
    export SLURM_CONF
    mkdir "$folder/state" "$folder/spool.n1" "$folder/spool.n2"
    chmod 755 "$folder"
    sed "s|@FOLDER@|$folder|g; s|@HOST@|$(hostname -s)|g; s|@USER@|$(id -un)|g
        s|@PORT0@|$port|; s|@PORT1@|$((port + 1))|; s|@PORT2@|$((port + 2))|" "$here/slurm.conf.in" >"$SLURM_CONF"
    : >"$folder/cgroup.conf"
    (umask 077 && dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 status=none)
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
        --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" --num-threads=2
    slurmctld -c -i -f "$SLURM_CONF" 2>"$folder/controller.err" || slurmctld -c -f "$SLURM_CONF"
    start_node n1
    start_node n2
    for _ in $(seq 100); do
        [ "$(sinfo -h -N -t idle 2>/dev/null | wc -l)" != 2 ] || return 0
        sleep 0.2
    done
    cat "$folder"/*.log
    fail "the cluster does not start"
}

# A task that lost its node waits two minutes before it runs again; here it need not.
release_tasks() {
    squeue -h -r -t PD -o '%i %r' | awk '$2 == "BeginTime" { print $1 }' | while read -r task; do
        scontrol update JobId="$task" StartTime=now
    done
}

wait_for_jobs() {
    for _ in $(seq 1200); do
        [ -n "$(squeue -h 2>/dev/null)" ] || return 0
        release_tasks
        sleep 0.5
    done
    fail "jobs do not end: $(squeue)"
}

# ---- the test ----

cd "$folder"
make_library "$program" "$make_shape" "$parts" "$shards"
start_cluster

"$submit" --program "$program" --shards "$shards" --cpus 1 parts.jsonl --out-dir whole --memory 100MiB
asked=$(squeue -h -n cellpipe -o %m | sort -u)
[ "$asked" = 164M ] || fail "164M of memory were to be asked for each processor, not $asked"
wait_for_jobs
expect_same_as_one "$program" whole
echo "an array of $shards: $(count_outputs whole) outputs"

"$submit" --program "$program" --shards "$shards" --cpus 1 parts.jsonl --out-dir lost --memory 100MiB
while [ "$(count_outputs lost)" -lt $((parts / 4)) ]; do sleep 0.1; done
kill -9 "$(cat node.n2.pid)"
before=$(count_outputs lost)
[ "$before" -lt "$parts" ] || fail "the node was lost too late"
wait_for_jobs
expect_same_as_one "$program" lost
cmp whole.report lost.report || fail "the reports differ"
[ -s lost/.cellpipe/report.txt ] || fail "the job of the report has written none"
echo "a node lost after $before outputs: $(count_outputs lost) in the end"

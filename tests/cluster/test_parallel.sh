#!/bin/sh
# test_parallel.sh PROGRAM MAKE_SHAPE [PARTS SHARDS]: a library in shards by GNU parallel over ssh on two hosts, one of
# which is lost in the middle. Each host is an sshd on a port of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") make_shape=$(realpath "$2") parts=${3:-2000} shards=${4:-100}
. "$here/library.sh"
PATH=$PATH:/usr/sbin:/sbin
require_commands parallel sshd ssh ssh-keygen

folder=$(mktemp -d)
stop_hosts() {
    for pid in "$folder"/sshd.*.pid; do
        [ ! -s "$pid" ] || kill -9 "-$(cat "$pid")" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap stop_hosts EXIT
trap 'exit 130' INT TERM

# A group of processes with all that it starts, so that its end takes its jobs along.
start_host() { # port
    setsid "$(command -v sshd)" -D -f /dev/null -p "$1" -h "$folder/host_key" -E "$folder/sshd.$1.log" \
        -o ListenAddress=127.0.0.1 -o AuthorizedKeysFile="$folder/key.pub" -o StrictModes=no -o PidFile=none \
        -o UsePAM=no -o PasswordAuthentication=no -o PermitRootLogin=yes -o MaxStartups=100 </dev/null &
    echo $! >"$folder/sshd.$1.pid"
}

cd "$folder"
mkdir -p /run/sshd 2>/dev/null || true
ssh-keygen -q -t ed25519 -N '' -f host_key
ssh-keygen -q -t ed25519 -N '' -f key
port=$((20000 + $$ % 20000))
start_host "$port"
start_host "$((port + 1))"
cat >ssh.config <<END
Host *
    HostName 127.0.0.1
    IdentityFile $folder/key
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
Host cell1
    Port $port
Host cell2
    Port $((port + 1))
END
for host in cell1 cell2; do
    for _ in $(seq 50); do
        ! ssh -n -F ssh.config "$host" true 2>/dev/null || break
        sleep 0.2
    done
    ssh -n -F ssh.config "$host" true || skip "sshd does not take a login here"
done

run_shards() { # folder OPTION...
    out=$1
    shift
    seq 0 $((shards - 1)) |
        parallel --will-cite --ssh "ssh -F $folder/ssh.config" --sshlogin 2/cell1,2/cell2 --joblog "$out.log" "$@" \
            "cd $folder && $program batch --manifest parts.jsonl --shard {}/$shards --out-dir $out --jobs 1 --progress none --exit ended" \
            >>"$out.txt" 2>&1
}

make_library "$program" "$make_shape" "$parts" "$shards"
run_shards whole || fail "$(tail "whole.txt")"
expect_same_as_one "$program" whole
echo "$shards shards on two hosts: $(count_outputs whole) outputs"

run_shards lost --retries 3 --filter-hosts &
running=$!
while [ "$(count_outputs lost)" -lt $((parts / 4)) ]; do sleep 0.1; done
kill -9 "-$(cat "sshd.$((port + 1)).pid")"
before=$(count_outputs lost)
wait $running || run_shards lost --resume-failed --retries 3 --filter-hosts || fail "$(tail lost.txt)"
expect_same_as_one "$program" lost
cmp whole.report lost.report || fail "the reports differ"
echo "a host lost after $before outputs: $(count_outputs lost) in the end"

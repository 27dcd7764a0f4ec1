#!/bin/sh
# test_schedulers.sh PROGRAM: what schedulers see of a run: exit codes that let them repeat what did not end, and leave
# alone what has bad files; and the words with which contrib/slurm asks sbatch for memory.
. "$(dirname "$0")/check.sh"
run() { settle && "$cellpipe" batch "$@" --progress none -q; }
library lib 6
printf 'solid broken\nfacet\n' >lib/a/broken.stl
"$cellpipe" manifest lib -q --shards 3 >lib.jsonl

# ---- exit codes ----

ends 1 'broken.stl:3:1: error' run lib --out-dir any
ends 0 'broken.stl:3:1: error' run lib --out-dir ended --exit ended
ends 0 'broken.stl: error: .*as before' run lib --out-dir ended --exit ended
ends 2 'exit never: needs any|new|ended' run lib --out-dir ended --exit never
ends 4 'cannot be made' run lib --out-dir part.stl/out --exit ended
ends 3 'lib.jsonl2' run --manifest lib.jsonl2 --out-dir ended --exit ended
ends 2 '"ended"|exit ended: needs' "$cellpipe" report any --exit ended

# GNU parallel runs a shard with a bad file once, and one that does not end as often as it may.
if ! command -v parallel >/dev/null; then
    echo "skipped: test_schedulers needs GNU parallel"
else
    shards() { # OUT WORDS...
        out=$1
        shift
        seq 0 2 | parallel --will-cite --retries 3 --joblog "$out.log" \
            "echo {} >>$out.tries && $cellpipe batch --manifest lib.jsonl --shard {}/3 --out-dir $out --progress none $*" \
            >"$out.said" 2>&1
    }
    shards good --exit ended
    must "0 of shards that ended, not $?" [ $? = 0 ]
    must "each runs once: $(sort good.tries | tr '\n' ' ')" [ "$(sort good.tries | tr '\n' ' ')" = '0 1 2 ' ]
    must "the bad file is told" [ "$("$cellpipe" report good --csv | grep -c ',failed,')" = 1 ]
    mkdir full
    : >full/.cellpipe
    shards full --exit ended
    must "not 0 of shards that did not end" [ $? = 3 ]
    must "they run again" [ "$(wc -l <full.tries)" = 9 ]
    shards any
    must "else a bad file makes its shard run again" [ "$(sort any.tries | uniq -c | awk '$1 == 3' | wc -l)" = 1 ]
fi

# ---- what Slurm is asked for ----

mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
printf '%s\n' "$@" >>sbatch.words
echo 42
END
chmod +x bin/sbatch
submit="$top/contrib/slurm/cellpipe-batch"
# asks MEMORY WORDS...: with these words, sbatch is asked for so much memory for each processor of the shards.
asks() {
    memory=$1
    shift
    rm -f sbatch.words
    PATH=$work/bin:$PATH works sh "$submit" --cpus 4 lib.jsonl --out-dir slurm "$@"
    got=$(sed -n 's/^--mem-per-cpu=//p' sbatch.words)
    must "$*: $memory, not $got" [ "$got" = "$memory" ]
}
asks 2112M
asks 1018M --memory 1GB
asks 65M --memory=500kB
asks 1600M --memory 1.5GiB ! weld --memory 9GiB
asks 576M --total-memory 2GiB
asks 164M --memory 100MiB --total-memory 2GiB
SBATCH_MEM_PER_CPU=3G asks ''
SBATCH_MEM_PER_NODE=30G asks ''
for words in '--memory 12XB' '--total-memory much'; do
    # shellcheck disable=SC2086
    PATH=$work/bin:$PATH ends 2 'takes a size such as 2GiB' sh "$submit" lib.jsonl --out-dir slurm $words
done
must "two jobs are submitted: shards, and a report after them" [ "$(grep -c '^--job-name=' sbatch.words)" = 2 ]
for task in 0 1 2; do
    SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=2 sh "$submit" run-shard 3 "$cellpipe" lib.jsonl --out-dir slurm >said 2>&1
    must "shard $task has ended, bad file or not" [ $? = 0 ]
done
ends 1 '' sh "$submit" run-report "$cellpipe" lib.jsonl slurm
must "the report tells the bad file" grep -q "1 failed: stl-truncated" stdout
must "and is of all" [ "$(states)" = '1 failed 6 ok' ]
finish

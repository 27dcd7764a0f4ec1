#!/bin/sh
# test_parallel.sh PROGRAM: the same tree and the same records for any number of jobs.
. "$(dirname "$0")/check.sh"
library lib 60
cp cell.wu arm.dev part.stl bad.stl lib
# What does not depend on time and machine, in the order of inputs.
facts() {
    grep -v '^{"run"' "$1.log" | sed -E 's/"(time|ms|cpu_ms|max_rss|mtime_ns)":("[^"]*"|[-+.e0-9]*),?//g; s#"(out|path)":"[^/"]*/#"\1":"#g' | LC_ALL=C sort
}
for jobs in 1 2 8; do
    ends 1 '1 of 64 inputs failed' "$cellpipe" batch lib --out-dir out$jobs --jobs $jobs --threads 8 --to wrl --out layout=inline \
        --status out$jobs.log
    must "the same tree with $jobs jobs" [ "$(tree out$jobs)" = "$(tree out1)" ]
    facts out1 >facts1
    facts out$jobs >facts$jobs
    must "the same records with $jobs jobs" cmp facts1 facts$jobs
    must "a record each" [ "$(sed 's/.*"name":"\([^"]*\)".*/\1/' facts$jobs | uniq | wc -l)" = 64 ]
    "$cellpipe" report out$jobs --csv --no-times >known$jobs
    must "the same is known with $jobs jobs" cmp known1 known$jobs
done
must "inputs are named with what they read" grep -q '"name":"cell.wu".*"inputs":.*"path":"arm.dev"' facts1
must "63 are done" [ "$(states)" = '1 failed 63 ok' ]
finish

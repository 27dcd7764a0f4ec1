#!/bin/sh
# commands.sh RUNS [SEED [FOLDER-OF-FUZZERS]]: so many commands on changed samples and bad inputs, each in a process of its
# own that a server forks (fork_commands.c). Findings are kept in FOLDER/commands.
set -u
runs=${1:?"usage: commands.sh RUNS [SEED [FOLDER]]"} seed=${2:-1}
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(cd "${3:-$top/build/sanitize/tests/fuzz}" && pwd) || exit 1
mkdir -p "$folder/commands"
# What assimp leaks, and asks for in vain, is its own; leaks of ours are the business of the other fuzzers.
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:exitcode=99
UBSAN_OPTIONS=print_stacktrace=1:exitcode=99
export ASAN_OPTIONS UBSAN_OPTIONS
find "$top/samples" "$top/tests/cases" -type f -size -24k ! -name '*.txt' ! -name '*.md' ! -path '*/mechanisms/*' \
    ! -name 'loop_many.*' | LC_ALL=C sort | xargs -d '\n' "$folder/fork_commands" "$runs" "$seed" "$folder/commands"

#!/bin/sh
# coverage.sh [BUILD-FOLDER]: the lines of each importer that its fuzzer reaches by reading its seeds and the kept corpus, without changing any of them. Builds with clang, by default in build/coverage; needs llvm-profdata and
# llvm-cov of the same version.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${1:-$top/build/coverage}
. "$here/fuzzers.sh"
cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCELLPIPE_FUZZ=ON \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O1 -g1 -DNDEBUG' \
    -DCMAKE_C_FLAGS='-fprofile-instr-generate -fcoverage-mapping' >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" --target fuzzers >"$build.log" 2>&1 || { tail -n 20 "$build.log"; exit 1; }
folder=$build/tests/fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# collect FUZZER: runs its seeds and kept inputs; the profile is FUZZER.profdata.
collect() {
    importer=$(importer_of "$1")
    rm -rf seeds
    mkdir seeds
    collect_seeds "$importer" seeds
    cp "$here/corpus/$importer"/* seeds 2>/dev/null || true
    # assimp may end the process, whose profile is lost then: few files in each
    few=50
    [ "$importer" != assimp ] || few=1
    find seeds -type f -print0 | LLVM_PROFILE_FILE="$work/raw/%p" xargs -0 -n $few timeout 60 "$folder/$1" >log 2>&1 || true
    llvm-profdata merge -sparse raw/* -o "$1.profdata"
    rm -rf raw
}

# lines PROFILE EXPRESSION: reached and all lines of the sources whose paths have it.
lines() {
    llvm-cov report -instr-profile="$1" "$folder/fuzz_import" 2>/dev/null |
        awk -v paths="$2" '$1 ~ paths { all += $8; reached += $8 - $9 }
            END { printf "%5d of %5d lines (%d %%)", reached, all, 100 * reached / (all ? all : 1) }'
}

for importer in $importers; do
    collect "fuzz_read_$importer"
    case $importer in
    tag) sources=importers/tag ;;
    deneb_*) sources=importers/deneb ;;
    *) sources=importers/$importer ;;
    esac
    echo "$importer: $(lines "fuzz_read_$importer.profdata" "$sources/") of $sources"
done
llvm-profdata merge -sparse ./*.profdata -o all
echo "all: $(lines all importers/) of importers, $(lines all 'scene/base/(text|bytes)/') of scene/base/text and scene/base/bytes"

#!/bin/sh
# nights.sh [FILES [NIGHTS]]: what a night costs in which nothing has changed, by how many such nights came before, beside
# ninja and make, which find out the same of as many copied files. Processor seconds and anonymous memory of whole
# processes, medians of ROUNDS (3) at each night, interleaved, as Markdown. WORK is a folder to keep the library in.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cellpipe=${CELLPIPE:-$here/../../build/release/cellpipe}
timed=$(dirname "$cellpipe")/tests/bench/run_timed
files=${1:-100000} nights=${2:-50} rounds=${ROUNDS:-3}
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${WORK-}" ] || trap 'rm -rf "$work"' EXIT
. "$here/common.sh"
. "$here/batch.sh" # make_facets

cd "$work"
[ -d facets ] || make_facets "$files" facets
peers=$(for peer in ninja make; do ! command -v $peer >/dev/null || echo $peer; done)
outputs() { find facets -name '*.stl' | sed 's|^facets/\(.*\)$|\1|' | LC_ALL=C sort; }
if [ ! -e build.ninja ]; then
    { printf 'rule copy\n  command = cp $in $out\n'; outputs | sed 's|.*|build copies/&: copy facets/&|'; } >build.ninja
    {
        printf 'all:'
        outputs | sed 's|.*| copies/&|' | tr -d '\n'
        printf '\n'
        outputs | sed 's|.*|copies/&: facets/&; cp $< $@|'
    } >Makefile
    cp -r facets copies
    for peer in $peers; do
        say "$peer copies $files files once"
        $peer >/dev/null
    done
fi

night() { # a run in which nothing has changed
    "$timed" --memory "$1" "$cellpipe" batch facets --out-dir web --progress none >said
    grep -q "skipped *$files" said || { cat said >&2; exit 1; }
}
[ -d web ] || "$cellpipe" batch facets --out-dir web --progress none -q 2>messages || { tail messages >&2; exit 1; }
printf '| command | CPU s | anonymous memory, MB | OUT/.cellpipe, bytes an input |\n|---|---|---|---|\n'
done=0
for mark in 1 15 "$nights"; do
    [ "$mark" -le "$nights" ] || continue
    while [ $((done + 1)) -lt "$mark" ]; do
        night before
        done=$((done + 1))
    done
    rm -f cellpipe.time ninja.time make.time
    for _ in $(seq "$rounds"); do
        night cellpipe.time
        done=$((done + 1))
        for peer in $peers; do
            "$timed" --memory "$peer.time" $peer >said
        done
    done
    # The memory is in MiB.
    printf '| `cellpipe batch`, night %s | %.2f | %.0f | %.0f |\n' "$mark" "$(median cellpipe.time 2)" \
        "$(compute "$(median cellpipe.time 3) * 1.048576")" "$(compute "$(find web/.cellpipe -type f -exec cat {} + | wc -c) / $files")"
    for peer in $peers; do
        printf '| %s | %.2f | %.0f | |\n' "$peer" "$(median "$peer.time" 2)" "$(compute "$(median "$peer.time" 3) * 1.048576")"
    done
done

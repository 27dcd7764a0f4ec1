#!/bin/sh
# exclusions.sh [TOOL] [OPTIONS]: what the filter exclude finds in the sample robots and those of ../shared/corpus, what it takes, and what random
# states alone would find; as Markdown, for docs/proofs.md. TOOL: time_exclude, build/release/tests/bench/time_exclude where it is not
# given; OPTIONS are its. It takes 4 to 20 minutes, most of them for samples/demo.wu.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
tool=$top/build/release/tests/bench/time_exclude
case ${1-} in
'' | --*) ;;
*) tool=$1 && shift ;;
esac
corpus=$top/../shared/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if "$top/tests/cells/write_robots.sh" "$work" >&2; then
    set -- "$@" "the documentation's cell" "$corpus/robwork-snippets/workcell.wu" \
        "PA10, 2009" "$corpus/robwork-pa10-2009/PA10.wu" "PA10, 2018" "$corpus/robwork-pa10-2018/PA10.wu" \
        irb120.wu "$work/irb120.wu" irb2400.wu "$work/irb2400.wu" lrmate.wu "$work/lrmate.wu"
fi
for name in lwr.wu ur.wu kr16.wu; do
    set -- "$@" "$name" "$top/tests/cells/$name"
done
"$tool" --seconds 10 "$@" demo.wu "$top/samples/demo.wu"

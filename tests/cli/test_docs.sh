#!/bin/sh
# test_docs.sh PROGRAM: the manual page, and blocks of the other pages between <!-- cellpipe ARGUMENTS --> and
# <!-- /cellpipe -->, are what the program prints, and the chart of performance.md is what chart.sh draws of it (UPDATE=1
# writes them anew); every filter and exit code stands where a reader looks for it; links lead somewhere; examples work.
program=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
checks=0 failed=0

check() { # what command...
    checks=$((checks + 1))
    what=$1
    shift
    "$@" >/dev/null && return
    failed=$((failed + 1))
    echo "FAILED: $what"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The page as it should be. Fences stay.
renew() {
    awk -v program="$program" '
        function run() { fflush(); system("\"" program "\" " words) }
        /^<!-- cellpipe .* -->$/ { print; words = $0; sub(/^<!-- cellpipe /, "", words); sub(/ -->$/, "", words); inside = 1; fences = 0; next }
        /^<!-- \/cellpipe -->$/ { if (!fences) run(); inside = 0 }
        inside && /^```/ { print; if (!fences++) run(); next }
        !inside' "$1"
}
stays() { # page, what it should be
    [ -z "${UPDATE-}" ] || cp "$2" "$1"
    diff -u "$1" "$2" >&2
}
for page in README.md docs/*.md; do
    renew "$page" >"$work/page"
    check "$page is stale: UPDATE=1 tests/cli/test_docs.sh PROGRAM" stays "$page" "$work/page"
done
"$program" help --man >"$work/page"
check "docs/cellpipe.1 is stale: cellpipe help --man prints it" stays docs/cellpipe.1 "$work/page"
tests/bench/chart.sh docs/performance.md >"$work/page"
check "docs/performance.svg is stale: tests/bench/chart.sh docs/performance.md prints it" stays docs/performance.svg "$work/page"
check "the README has the formats" grep -q '^| stl |' README.md
if command -v man >/dev/null; then
    check "the manual page is good roff" [ -z "$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=100 man --warnings -E UTF-8 -l -Tutf8 -Z docs/cellpipe.1 2>&1 >/dev/null)" ]
fi

commands=$("$program" help | sed -n '/^commands:/,/^$/s/^  \([a-z][a-z0-9]*\) .*/\1/p')
check "help lists commands" [ "$(printf '%s\n' "$commands" | wc -l)" -gt 9 ]
for word in $commands FILTER; do
    check "docs/cli.md: $word" grep -q "^<!-- cellpipe help $word -->$" docs/cli.md
    check "help of $word" "$program" help "$word"
done
for code in 0 1 2 3 4 5 6 70; do
    check "docs/cli.md: exit $code" grep -q "^| $code |" docs/cli.md
done
for name in $("$program" formats | awk '{print $1}') $("$program" filters | awk '{print $1}'); do
    check "help of $name" "$program" help "$name"
    check "CHANGES.md: $name" grep -q "\`$name\`" CHANGES.md
done
version=$("$program" --version)
check "the version in CMake" grep -q "VERSION ${version#cellpipe } " CMakeLists.txt
check "the version in CHANGES.md" grep -q "^## ${version#cellpipe }\$" CHANGES.md

sed -n 's/^    //p' docs/program.md | head -n 10 >"$work/first.prg"
check "the ten lines of docs/program.md" cmp -s "$work/first.prg" samples/demo/first.prg

# Every example works as printed, given files of the names that it has.
mkdir "$work/bin" "$work/parts" "$work/build"
ln -s "$program" "$work/bin/cellpipe"
ln -s ../bin "$work/build/release"
ln -s "$(pwd)/samples" "$work/samples"
cp -R samples/demo.wu samples/demo tests/cases/deneb-recording/cell.dc[wr] "$work"
mv "$work/demo.wu" "$work/cell.wu"
for name in part.stl a.stl table.stl parts/one.stl parts/two.stl; do
    cp samples/stl_solids.stl "$work/$name"
done
"$program" convert -q samples/stl_solids.stl "$work/in.glb"
{
    sed -n 's/^    \(build.release.cellpipe .*\)/\1/p; s/  *#.*//' README.md
    cat README.md docs/*.md samples/README.md | sed -n 's/^    \(cellpipe .*\)/\1/p' | grep -v -E '\[|\.\.\.|FILTER| A B|cellpipe (formats|filters)$'
    cat README.md docs/*.md samples/README.md | grep -o -E '`cellpipe [a-z][^`]*`' | tr -d '`' | grep -E '\.(wu|stl|glb)'
    sed -n '/^.SH EXAMPLES/,/^.fi/s/^\(cellpipe [^|]*\)/\1/p' docs/cellpipe.1 | sed 's/\\-/-/g; s/ | jq .*//'
    for word in $commands; do "$program" help "$word" | sed -n 's/^  \(cellpipe .*\)/\1/p'; done
} >"$work/examples"
awk '!seen[$0]++' "$work/examples" >"$work/unique"
check "examples" [ "$(wc -l <"$work/examples")" -gt 15 ]
while read -r example; do
    check "the example: $example" sh -c 'cd "$1" && PATH=$1/bin:$PATH && export PATH && eval "$2" 2>messages || { cat messages >&2; false; }' \
        - "$work" "$example"
done <"$work/unique"

# The plug-ins of CONTRIBUTING.md compile where it says they go.
mkdir "$work/tree" "$work/tree/importers" "$work/tree/exporters"
cp -R scene "$work/tree"
cp importers/importers.h "$work/tree/importers"
cp exporters/exporters.h "$work/tree/exporters"
awk -v top="$work/tree/" '/^```c / { file = top $2; next } /^```/ { file = "" } file { print >file }' CONTRIBUTING.md
for file in importers/rig.c exporters/frames.c scene/filters/lift.c; do
    check "CONTRIBUTING.md: $file" sh -c 'cd "$1" && ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -iquote scene -Wall -Wextra \
        -Wpedantic -Wconversion -Wshadow -Werror -c -o plugin.o "$2"' - "$work/tree" "$file"
done

# Every key of info --json is in its table.
for key in $("$program" info --json samples/demo.wu 2>/dev/null | grep -o -E '"[a-z_]+":' | tr -d '":' | sort -u); do
    check "docs/cli.md: info's key $key" grep -q -E "[\`.]${key}\`|[{ ]${key}[,}]" docs/cli.md
done

for page in docs/*.md; do
    check "$page is named in README.md, CONTRIBUTING.md or docs/architecture.md" \
        grep -q "(\(docs/\)\?${page#docs/}" README.md CONTRIBUTING.md docs/architecture.md
done
for page in README.md CONTRIBUTING.md docs/*.md samples/README.md; do
    for link in $(grep -o -E '\]\([^)#:]+\)' "$page" | tr -d '])('); do
        check "$page: the link $link" [ -e "$(dirname "$page")/$link" ]
    done
done
check "docs/demo.png is at most 200 kB" [ "$(wc -c <docs/demo.png)" -le 200000 ]
check "every sample has its line" sh -c '
    for file in samples/*.*; do [ "$file" = samples/README.md ] || grep -q "$(basename "$file")" samples/README.md || { echo "$file"; exit 1; }; done >&2'
echo "$checks checks, $failed failed"
[ "$failed" = 0 ]

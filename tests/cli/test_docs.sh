#!/bin/sh
# test_docs.sh PROGRAM: the README's table of formats is that of the program; every command, flag, filter and exit code stands where
# a reader looks for it; links lead somewhere.
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

table=$(sed -n '/^<!-- formats -->/,/^<!-- \/formats -->/p' README.md | grep '^|')
check "the README's formats are stale: put the output of \`cellpipe formats --markdown\` there" \
    [ "$table" = "$("$program" formats --markdown)" ]

commands=$("$program" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
flags=$("$program" help | grep -o -E '^  (-., )?--[a-z-]+' | grep -o -E -- '--[a-z-]+')
check "help lists commands and flags" [ "$(printf '%s\n' "$commands" "$flags" | wc -l)" -gt 15 ]
for word in $commands; do
    check "docs/cli.md: $word" grep -q -- "cellpipe $word" docs/cli.md
    check "docs/cellpipe.1: $word" grep -q -E "^\.B $word\$" docs/cellpipe.1
    check "cli/completion.bash: $word" grep -q -E "commands=.*[' ]${word}[' ]" cli/completion.bash
    check "help of $word" "$program" help "$word"
done
for flag in $flags --from --to --in --out --out-dir --json --dump --explain --markdown; do
    check "docs/cli.md: $flag" grep -q -- "\`${flag}[ \`=]" docs/cli.md
    check "docs/cellpipe.1: $flag" grep -q -- "$(printf '%s' "$flag" | sed 's/-/\\\\-/g')" docs/cellpipe.1
    check "cli/completion.bash: $flag" grep -q -E -- "[' ]${flag}([' ]|\$)" cli/completion.bash
done
for code in 0 1 2 3 4 5 6 70; do
    check "docs/cli.md: exit $code" grep -q "^| $code |" docs/cli.md
    check "docs/cellpipe.1: exit $code" grep -q "^\.B $code\$" docs/cellpipe.1
done
for name in $("$program" formats | awk '{print $1}') $("$program" filters | awk '{print $1}'); do
    check "help of $name" "$program" help "$name"
    check "CHANGES.md: $name" grep -q "\`$name\`" CHANGES.md
done
version=$("$program" --version)
check "the version in the manual page" grep -q "\"$version\"" docs/cellpipe.1
check "the version in CMake" grep -q "VERSION ${version#cellpipe } " CMakeLists.txt
check "the version in CHANGES.md" grep -q "^## ${version#cellpipe }\$" CHANGES.md

# Every example works as printed, given files of the names that it has.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
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
check "examples" [ "$(wc -l <"$work/examples")" -gt 15 ]
while read -r example; do
    check "the example: $example" sh -c 'cd "$1" && PATH=$1/bin:$PATH && export PATH && eval "$2" 2>/dev/null' - "$work" "$example"
done <"$work/examples"

# Every key of info --json is in its table.
for key in $("$program" info --json samples/demo.wu 2>/dev/null | grep -o -E '"[a-z_]+":' | tr -d '":' | sort -u); do
    check "docs/cli.md: info's key $key" grep -q -E "[\`.]${key}\`|[{ ]${key}[,}]" docs/cli.md
done

for page in README.md docs/*.md samples/README.md; do
    for link in $(grep -o -E '\]\([^)#:]+\)' "$page" | tr -d '])('); do
        check "$page: the link $link" [ -e "$(dirname "$page")/$link" ]
    done
done
check "docs/demo.png is at most 200 kB" [ "$(wc -c <docs/demo.png)" -le 200000 ]
check "every sample has its line" sh -c '
    for file in samples/*.*; do [ "$file" = samples/README.md ] || grep -q "$(basename "$file")" samples/README.md || { echo "$file"; exit 1; }; done >&2'
echo "$checks checks, $failed failed"
[ "$failed" = 0 ]

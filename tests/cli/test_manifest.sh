#!/bin/sh
# test_manifest.sh PROGRAM: which files a list has, in which order, and what a manifest says of them.
. "$(dirname "$0")/check.sh"
export LC_ALL=C
rm -f ./*
part() { # FILE: a part; what it holds depends on its name
    printf 'solid %s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n' \
        "$(printf '%s' "$1" | cksum)" >"$1"
}
paths() { # of a manifest: they need no escapes
    sed -n 's/^{"path":"\([^"]*\)".*/\1/p' "$1"
}
has() { # NAME WORD...: the manifest of these words has the paths of the standard input
    name=$1
    shift
    cat >expected
    "$cellpipe" manifest "$@" >got.jsonl 2>messages || fail "$name: manifest $*"
    paths got.jsonl >got
    must "$name" cmp -s got expected
}

# A tree; what find and sort say is what the list is.
mkdir -p lib/a/deep/er lib/b lib/.git lib/b/.hidden
for file in lib/z.stl lib/a/1.stl lib/a/10.STL lib/a/2.stl lib/a-b.stl lib/a.stl lib/a/deep/er/x.stl lib/b/ä.stl 'lib/b/ .stl'; do
    part "$file"
done
part lib/.git/x.stl
part lib/b/.hidden/x.stl
part lib/b/._x.stl
gzip -c lib/z.stl >lib/b/z.stl.gz
touch lib/notes.txt lib/b/notes.TXT lib/Makefile lib/a/x.tar.gz
find lib -type f ! -path '*/.*' -iname '*.stl*' | sort | has "a folder" lib
must "what was passed over" [ "$(cat messages)" = 'passed over: 3 hidden, 2 .txt, 1 .tar.gz, 1 no suffix' ]
must "a line each" [ "$(wc -l <got.jsonl)" = 10 ]
must "its name is without the folder" grep -q '^{"path":"lib/a/1.stl","name":"a/1.stl",' got.jsonl
cp got.jsonl first.jsonl
for words in lib/ ./lib .//lib/. 'lib lib' 'lib lib/a lib/z.stl' 'lib/z.stl lib/b lib'; do
    # shellcheck disable=SC2086
    "$cellpipe" manifest -q $words >got.jsonl
    must "the same list: $words" cmp -s got.jsonl first.jsonl
done
for threads in 1 3; do
    "$cellpipe" manifest -q --threads $threads lib >got.jsonl
    must "with $threads threads" cmp -s got.jsonl first.jsonl
done
must "nothing else but times" [ "$(cp -r lib copied && touch copied/z.stl && "$cellpipe" manifest -q copied | sed 's/"copied/"lib/')" = "$(cat first.jsonl)" ]
(cd lib && find . -type f ! -path '*/.*' -iname '*.stl*' | sed 's/^..//' | sort) >expected
(cd lib && "$cellpipe" manifest -q . >../got.jsonl)
paths got.jsonl >got
must "this folder" cmp -s got expected

# --only and --skip, on names and on paths; a file that is named is always there.
printf '%s\n' lib/notes.txt | has "--only takes any suffix" lib --only '*.txt'
printf '%s\n' lib/a/1.stl lib/a/2.stl lib/a/deep/er/x.stl | has "--only on a path" lib --only 'a/*.stl'
find lib -type f ! -path '*/.*' -iname '*.stl*' ! -path 'lib/a/*' | sort | has "--skip of a folder" lib --skip a
must "that is told" grep -q '1 left out by --skip' messages
find lib -type f ! -path '*/.*' -iname '*.stl*' ! -name z.stl ! -path '*/deep/*' | sort | has "several" lib --skip z.stl --skip 'a/deep'
printf '%s\n' lib/.git/x.stl lib/Makefile lib/a.stl | has "what is named" lib/Makefile lib/a.stl lib/.git/x.stl --skip '*'

# Lists: lines, or NUL between; the end of the last may be missing.
printf 'lib/z.stl\n\nlib/a.stl\nlib/b' >list
printf '%s\n' lib/a.stl 'lib/b/ .stl' lib/b/z.stl.gz "lib/b/ä.stl" lib/z.stl | has "a list" @list
"$cellpipe" manifest -q @- <list >got.jsonl
paths got.jsonl >got
must "on standard input" cmp -s got expected
tr '\n' '\0' <list >list0
"$cellpipe" manifest -q @0list0 >got.jsonl
paths got.jsonl >got
must "with NUL bytes" cmp -s got expected
"$cellpipe" manifest -q @0- <list0 >got.jsonl
paths got.jsonl >got
must "on standard input, too" cmp -s got expected
ends 3 'list0:1: holds a NUL byte; .* @0list0' "$cellpipe" manifest @list0
ends 3 'the list none cannot be opened: No such file' "$cellpipe" manifest @none
ends 2 'standard input has no name .* @-' "$cellpipe" manifest -
ends 2 'manifest needs inputs' "$cellpipe" manifest
ends 2 'an input has an empty name' "$cellpipe" manifest ''
ends 2 '@ needs the name of a list' "$cellpipe" manifest @

# --root.
"$cellpipe" manifest -q lib/a/deep lib/z.stl --root lib >got.jsonl
must "names below --root" [ "$(sed 's/.*"name":"\([^"]*\)".*/\1/' got.jsonl | tr '\n' ' ')" = 'a/deep/er/x.stl z.stl ' ]
"$cellpipe" manifest -q lib/a/deep lib/z.stl --root "$work/./lib/" >also.jsonl
must "an absolute one" cmp -s got.jsonl also.jsonl
(cd lib/a && "$cellpipe" manifest -q deep --root "$work/lib" >../../got.jsonl)
must "above this folder" grep -qF "\"path\":\"$work/lib/a/deep/er/x.stl\",\"name\":\"a/deep/er/x.stl\"" got.jsonl
printf '%s\n' lib/a/1.stl lib/a/10.STL lib/a/2.stl lib/a/deep/er/x.stl | has "one file has many spellings" \
    lib/a "$work/lib/a/2.stl" "$work/lib/a" "$work/lib/a/deep" --root lib
has "without --root, too" "$work/lib/a/2.stl" lib/a/2.stl lib/../lib/a/2.stl <<END
$work/lib/a/2.stl
END
ends 2 'lib/z.stl is not below the folder of --root, lib/a' "$cellpipe" manifest lib --root lib/a
must "counted" grep -q '6 inputs are not below' stderr
ends 2 'is not below' "$cellpipe" manifest lib/a/../z.stl --root lib/a

# Links: to files they are followed, to folders only where they are named.
mkdir links
ln -s ../lib/z.stl links/file.stl
ln -s ../lib links/folder
ln -s . links/loop
ln -s nowhere.stl links/gone.stl
mkfifo links/pipe.stl
printf '%s\n' links/file.stl links/gone.stl links/pipe.stl | has "links" links
must "those to folders are told" grep -q '2 links to folders' messages
must "what is no file has a reason" [ "$(grep -c '"fault":"is a \(pipe\|link\)' got.jsonl)" = 2 ]
must "and no hash" [ "$(grep -c '"hash":""' got.jsonl)" = 2 ]
must "warned of" grep -q '2 of 3 files cannot be read' messages
find lib -type f ! -path '*/.*' -iname '*.stl*' | sed 's/^lib/links\/folder/' | sort | has "a link that is named" links/folder
printf 'lib/none.stl\n' | has "what is not there is listed" lib/none.stl
must "with its reason" grep -q '"fault":"cannot be opened: No such file or directory"' got.jsonl

# Any bytes.
mkdir odd
longest=$(printf 'n%.0s' $(seq 251)).stl
cd odd || exit 1
for name in "$(printf 'a\nb')" "$(printf 'q"q')" 'back\slash' "$(printf '\033[31m')" "$(printf '\377\303')" '--help' '-' "it's" ' '; do
    part "./$name.stl" # shellcheck disable=SC2086
done
part "./$longest"
cd ..
"$cellpipe" manifest -q odd >got.jsonl
must "all of them" [ "$(wc -l <got.jsonl)" = 10 ]
must "all of them are read" [ "$(grep -c '"format":"stl"' got.jsonl)" = 10 ]
for text in 'a\u000ab.stl' 'q\"q.stl' 'back\\slash.stl' '\u001b[31m.stl' '\udcff\udcc3.stl' '--help.stl' "$longest"; do
    must "$text" grep -qF "\"name\":\"$text\"" got.jsonl
done
(cd odd && find . -type f -print0 | "$cellpipe" manifest -q @0- >../from_find.jsonl)
sed 's/"path":"odd\//"path":"/' got.jsonl >expected
must "the same through find" cmp -s from_find.jsonl expected
printf 'x' >odd/-
(cd odd && "$cellpipe" manifest -q . --only - </dev/null) >got.jsonl
must "a file named -" grep -q '^{"path":"./-","name":"-","size":1,"hash":"[0-9a-f]*","format":"","inputs":\[\]}$' got.jsonl

# What a cell names, and whole cells.
cp "$top"/tests/cli/golden/inputs/* .
"$cellpipe" manifest -q cell.wu arm.dev part.stl pairs.xml >got.jsonl
must "a cell names its device, list and part" [ "$(sed -n 's/^{"path":"cell.wu".*"inputs":\[\(.*\)\]}/\1/p' got.jsonl | tr '{' '\n' | sed -n 's/"path":"\([^"]*\)".*/\1/p' | tr '\n' ' ')" = 'arm.dev pairs.xml part.stl ' ]
must "with their hashes" grep -q "^{\"path\":\"cell.wu\".*$(sed -n 's/^{"path":"part.stl".*"hash":"\([^"]*\)".*/\1/p' got.jsonl)" got.jsonl
printf 'cell.wu\n' | has "a whole cell" cell.wu arm.dev part.stl pairs.xml --whole-cells
printf '%s\n' cell.wu open.stl | has "and a part that it does not name" --whole-cells open.stl part.stl ./cell.wu
if command -v xxh128sum >/dev/null; then
    xxh128sum part.stl | cut -d ' ' -f 1 >expected
    sed -n 's/^{"path":"part.stl".*"hash":"\([^"]*\)".*/\1/p' got.jsonl >got
    must "as xxh128sum" cmp -s got expected
fi

# A stage names its own source's format, or none; it is read as what it is.
"$cellpipe" run -q read cell.wu ! write cell.glb profile=stage
must "a stage of a cell is glTF" [ "$("$cellpipe" manifest cell.glb | grep -c '"format":"gltf"')" = 1 ]
ends 0 '' "$cellpipe" manifest "$top/samples/joints.gltf"

# Parts that cannot be read do not end it; that there is nothing else, and a full disk, do.
ends 0 '1 of 2 files cannot be read' "$cellpipe" manifest bad.stl part.stl
mkdir -p nothing/inside
ends 3 'there are no inputs' "$cellpipe" manifest nothing
ends 3 'there are no inputs' "$cellpipe" manifest nothing -q
[ ! -e /dev/full ] || { "$cellpipe" manifest lib >/dev/full 2>stderr; must "a full disk" [ $? = 4 ]; }
finish

#!/bin/sh
# test_prune.sh PROGRAM: batch --prune removes outputs whose input is gone, and never another.
. "$(dirname "$0")/check.sh"
batch() { "$cellpipe" batch --progress none "$@"; }
outputs() { (cd "$1" && find . -path ./.cellpipe -prune -o -type f -print | LC_ALL=C sort | tr '\n' ' '); }
all() { outputs "$work/web"; }

# parts FOLDER NAMES...: a part of its own bytes for each name.
number=0
parts() {
    folder=$1
    shift
    mkdir -p "$folder"
    for name in "$@"; do
        number=$((number + 1))
        sed "s/vertex 1 0 0/vertex $number 0 0/" "$work/part.stl" >"$folder/$name.stl"
    done
}

# Records hold paths as they were given. Seen from another folder, they name other files, or none.
fresh() {
    cd "$work" || exit 1
    rm -rf web site other
    parts site/lib a b c d
    parts other/lib z
    (cd site && batch lib --out-dir ../web -q)
    everything=$(all)
}
fresh
cd other || exit 1
ends 0 '' batch lib --out-dir ../web --prune -q
must "a library elsewhere keeps its outputs" [ "$(all)" = "$everything./z.stl.glb " ]
cd "$work" || exit 1
ends 0 '' batch other --out-dir web --prune --max-prune=100% -q
must "whatever may be removed" [ "$(all)" = "${everything%./z*}./lib/z.stl.glb ./z.stl.glb " ]
rm site/lib/a.stl
ends 0 'note: kept 1 output whose input is gone from no folder of this run: lib/a.stl' \
    batch other --out-dir web --prune
cd site || exit 1
ends 0 '../web/a.stl.glb: note: is removed, for its input is gone: lib/a.stl' batch lib --out-dir ../web --prune
must "its own folder removes it" [ "$(all)" = './b.stl.glb ./c.stl.glb ./d.stl.glb ./lib/z.stl.glb ./z.stl.glb ' ]

# The same library by other paths.
for way in '. lib ../web' ". $PWD/lib ../web" ".. site/lib web" ". lib $work/web"; do
    fresh
    # shellcheck disable=SC2086 # three words
    set -- $way
    rm "$work/site/lib/a.stl"
    cd "$work/site/$1" || exit 1
    ends 0 '' batch "$2" --out-dir "$3" --prune -q
    must "by $way" [ "$(all)" = './b.stl.glb ./c.stl.glb ./d.stl.glb ' ]
done

# The folder from which a path went up is gone; the input is not.
fresh
rm -r web
mkdir site/below
(cd site/below && batch ../lib --out-dir "$work/web" -q)
rmdir site/below
parts site/more e f g h
ends 0 '' batch site --out-dir web --prune --max-prune=100% -q
must "a way over a folder that is gone" [ "$(all)" = "$everything$(cd web && echo ./lib/?.stl.glb ./more/?.stl.glb) " ]

# Folders that the walk does not enter.
for aside in link skip; do
    fresh
    parts share/far y
    mkdir -p site/lib/far
    [ $aside = skip ] || { rmdir site/lib/far && ln -s ../../share/far site/lib/far; }
    [ $aside = link ] || cp share/far/y.stl site/lib/far
    (cd site && batch lib lib/far --out-dir ../web -q)
    everything=$(all)
    rm -r share site/lib/far/y.stl 2>/dev/null
    cd site || exit 1
    ends 0 'note: kept 1 output whose input is gone from no folder of this run: lib/far/y.stl' \
        batch lib --skip far --out-dir ../web --prune
    [ $aside = skip ] || ends 0 'note: kept 1 output' batch lib --out-dir ../web --prune
    must "an input behind a folder that is passed over: $aside" [ "$(all)" = "$everything" ]
    cd "$work" || exit 1
done

# Outputs of a copied output folder belong to the original.
fresh
cp -a web copy
rm site/lib/a.stl
cd site || exit 1
ends 0 'lies elsewhere than in the output folder' batch lib --out-dir ../copy --prune -q
must "a copy removes nothing of the original" [ "$(all)" = "$everything" ]
cd "$work" || exit 1

# What cannot be found or read keeps all.
fresh
parts site/keep e f g h i j
cd site || exit 1
batch lib keep --out-dir ../web -q
everything=$(all)
mv lib lib.off
rm keep/e.stl
ends 1 'error: nothing is removed: lib: cannot be opened' batch lib keep --out-dir ../web --prune -q
must "a folder that is not mounted" [ "$(all)" = "$everything" ]
ends 1 'error: nothing is removed: nowhere.stl: cannot be opened' batch keep nowhere.stl --out-dir ../web --prune -q
must "a file that is not there" [ "$(all)" = "$everything" ]
mkdir lib
ends 1 'error: nothing is removed: lib has no input left, .*--max-prune=100%' batch lib keep --out-dir ../web --prune -q
must "an empty mount point" [ "$(all)" = "$everything" ]
rmdir lib
mv lib.off lib
mkdir keep/share
cp lib/a.stl keep/share/m.stl
cp lib/b.stl keep/share/n.stl
batch lib keep --out-dir ../web -q
rm keep/share/*
ends 1 'error: nothing is removed: /.*/site/keep/share is empty, .*--max-prune=100%' \
    batch lib keep --out-dir ../web --prune -q
rmdir keep/share
must "an empty mount point below" [ "$(all)" = "$everything./share/m.stl.glb ./share/n.stl.glb " ]
rm -r ../web/share
long=$(printf '%0240d' 0)
(cd lib && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do mkdir "$long" && cd "$long" || exit 1; done) 2>/dev/null
ends 1 'error: nothing is removed: lib/00*/' batch lib keep --out-dir ../web --prune -q
must "a folder that cannot be read" [ "$(all)" = "$everything" ]
rm -r "lib/$long"
ends 0 '' batch lib keep --out-dir ../web --prune -q
must "all can be read again" [ "$(all)" = "$(echo "$everything" | sed 's|./e.stl.glb ||')" ]
mkdir keep/alone
cp lib/a.stl keep/alone/m.stl
batch lib keep --out-dir ../web -q
rm keep/alone/m.stl
ends 0 '' batch keep --out-dir ../web --prune -q
must "the only file of a folder" [ ! -e ../web/alone ]
rmdir keep/alone

# More than half of all outputs.
rm lib/b.stl lib/c.stl lib/d.stl keep/f.stl keep/g.stl
everything=$(all)
ends 1 '5 of 9 outputs would be removed, more than 50 %; .*--max-prune=100%' batch lib keep --out-dir ../web --prune -q
must "nothing goes" [ "$(all)" = "$everything" ]
batch lib keep --out-dir ../web --prune --dry-run >"$work/plan"
must "a dry run says so" [ "$(grep -c '^leave ' "$work/plan")/$(grep -c '^nothing would be removed: 5 of 9' "$work/plan")" = 5/1 ]
ends 1 '5 of 9' batch lib keep --out-dir ../web --prune --max-prune=55% -q
ends 2 'max-prune' batch lib keep --out-dir ../web --prune --max-prune=half
ends 2 'max-prune' batch lib keep --out-dir ../web --prune --max-prune=101%
ends 2 '--prune' batch lib keep --out-dir ../web --max-prune=100%
ends 0 '' batch lib keep --out-dir ../web --prune --max-prune=56% -q
must "with a share they do" [ "$(all)" = './a.stl.glb ./h.stl.glb ./i.stl.glb ./j.stl.glb ' ]
cd "$work" || exit 1

# Two libraries whose inputs have the same output: while one input is there, so is the output.
fresh
mkdir -p twin/lib
cp site/lib/a.stl twin/lib
batch "$work/twin/lib" --out-dir web -q
rm site/lib/a.stl
cd site || exit 1
ends 0 '' batch lib --out-dir ../web --prune -q
must "the twin's output stays" [ "$(all)" = "$everything" ]
cd "$work/twin" || exit 1
cp lib/a.stl "$work/site/lib"
(cd ../site && batch lib --out-dir ../web -q)
batch lib --out-dir ../web -q
rm "$work/site/lib/a.stl"
(cd ../site && batch lib --out-dir ../web --prune -q)
must "nor with one spelling of both" [ "$(all)" = "$everything" ]
fresh
cp site/lib/a.stl twin/lib
(cd twin && batch lib --out-dir ../web -q)
cd site || exit 1
batch lib --out-dir ../web -q
rm lib/a.stl
ends 0 '' batch lib --out-dir ../web --prune -q
must "nor when its own record is not the last" [ "$(all)" = "$everything" ]
rm ../twin/lib/a.stl
ends 0 '' batch lib --out-dir ../web --prune -q
must "without both it goes" [ "$(all)" = './b.stl.glb ./c.stl.glb ./d.stl.glb ' ]
cd "$work" || exit 1

# Records of versions that did not write where they ran.
fresh
sed -i 's/"cwd":"[^"]*",//' web/.cellpipe/status/*
cd site || exit 1
rm lib/a.stl lib/b.stl
mkdir "$work/site/new"
parts new k
cp "$work/site/new/k.stl" lib
ends 0 'note: kept 4 outputs of an older version' batch new --out-dir ../web --prune
must "they prove nothing" [ "$(all)" = "$(echo "$everything" | sed 's|$|./k.stl.glb |')" ]
ends 0 '' batch lib --out-dir ../web --prune -q
rm lib/c.stl
ends 0 '' batch lib --out-dir ../web --prune -q
must "what is up to date is recorded anew" [ "$(all)" = './a.stl.glb ./b.stl.glb ./d.stl.glb ./k.stl.glb ' ]
finish

#!/bin/sh
# test_prune.sh PROGRAM: batch --prune removes outputs whose input is gone, and never another.
. "$(dirname "$0")/check.sh"
batch() { settle && "$cellpipe" batch --progress none "$@"; }
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

# A record has its input's place, however it was spelt. Another folder with names of its own is another library.
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
ends 0 'note: kept 1 output whose input is gone from no folder of this run: /.*/site/lib/a.stl' \
    batch other --out-dir web --prune
cd site || exit 1
ends 0 '../web/a.stl.glb: note: is removed, for its input is gone: /.*/site/lib/a.stl' batch lib --out-dir ../web --prune
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
    ends 0 'note: kept 1 output whose input is gone from no folder of this run: /.*/far/y.stl' \
        batch lib --skip far --out-dir ../web --prune
    [ $aside = skip ] || ends 0 'note: kept 1 output' batch lib --out-dir ../web --prune
    must "an input behind a folder that is passed over: $aside" [ "$(all)" = "$everything" ]
    cd "$work" || exit 1
done

# A copied output folder is one of its own.
fresh
cp -a web copy
rm site/lib/a.stl
cd site || exit 1
ends 0 '' batch lib --out-dir ../copy --prune -q
must "a copy removes nothing of the original" [ "$(all)" = "$everything" ]
must "but its own" [ "$(outputs "$work/copy")" = './b.stl.glb ./c.stl.glb ./d.stl.glb ' ]
cd "$work" || exit 1

# Outputs that lie elsewhere today, by a link, are somebody's.
fresh
parts site/lib/far y z
(cd site && batch lib --out-dir ../web -q)
rm -rf moved
mv web/far moved
ln -s ../moved web/far
rm site/lib/far/y.stl
cd site || exit 1
ends 0 'far/y.stl.glb: warning: lies elsewhere than in the output folder, and stays' batch lib --out-dir ../web --prune -q
must "it stays" [ "$(folder ../moved)" = 'y.stl.glb z.stl.glb ' ]
cd "$work" || exit 1

# What is known of an input goes with it, though it had no output, or that was removed by hand.
fresh
cp bad.stl site/lib/e.stl
cd site || exit 1
ends 1 'e.stl' batch lib --out-dir ../web
rm lib/a.stl lib/e.stl ../web/a.stl.glb
ends 0 '' batch lib --out-dir ../web
must "nothing is known of them" [ "$(known ../web | tr '\n' ' ')" = 'ok lib/b.stl ok lib/c.stl ok lib/d.stl ' ]
cd "$work" || exit 1

# A failure in the same run hides nothing that is gone.
fresh
cp bad.stl site/lib/b.stl
rm site/lib/a.stl
cd site || exit 1
ends 1 'a.stl.glb: note: is removed' batch lib --out-dir ../web --prune
must "it is found" [ "$(all)" = './b.stl.glb ./c.stl.glb ./d.stl.glb ' ]
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
ends 1 'error: nothing is removed: /.*/site/lib has no input left, .*--max-prune=100%' batch lib keep --out-dir ../web --prune -q
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

# Two libraries whose inputs have the same output: the second is refused, and prunes nothing of the first.
fresh
parts twin/lib a x
cd twin || exit 1
ends 2 '^cellpipe: error: ../web/a.stl.glb, the output of lib/a.stl, is that of /.*/site/lib/a.stl$' \
    batch lib --out-dir ../web --prune --max-prune=100%
must "nothing was written" [ "$(all)" = "$everything" ]
rm lib/a.stl
ends 0 '' batch lib --out-dir ../web --prune --max-prune=100%
must "two libraries" [ "$(all)" = "$everything./x.stl.glb " ]

# An output whose input is gone is the next one's who has the name; then it is not pruned for the first.
rm ../site/lib/a.stl
parts lib a
ends 0 '' batch lib --out-dir ../web -q
cd ../site || exit 1
ends 0 '' batch lib --out-dir ../web --prune -q
must "the twin's output stays" [ "$(all)" = "$everything./x.stl.glb " ]
parts lib a
ends 2 'is that of /.*/twin/lib/a.stl$' batch lib --out-dir ../web -q
rm ../twin/lib/a.stl
ends 0 '' batch lib --out-dir ../web -q
cd ../twin || exit 1
ends 0 '' batch lib --out-dir ../web --prune -q
must "nor is the first one's pruned for the twin" [ "$(all)" = "$everything./x.stl.glb " ]
cd ../site || exit 1
rm lib/a.stl
ends 0 '' batch lib --out-dir ../web --prune -q
must "without both it goes" [ "$(all)" = './b.stl.glb ./c.stl.glb ./d.stl.glb ./x.stl.glb ' ]
cd "$work" || exit 1

# Without a record, as versions of other states or people write them, an output proves nothing.
fresh
rm -r web/.cellpipe
cd site || exit 1
rm lib/a.stl
ends 0 '' batch lib --out-dir ../web --prune -q
must "no record, no removal" [ "$(all)" = "$everything" ]
rm lib/b.stl
ends 0 '' batch lib --out-dir ../web --prune -q
must "what was found is recorded anew" [ "$(all)" = './a.stl.glb ./c.stl.glb ./d.stl.glb ' ]
finish

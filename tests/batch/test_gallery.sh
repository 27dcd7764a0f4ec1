#!/bin/sh
# test_gallery.sh PROGRAM: batch --gallery and cellpipe gallery make a page of all outputs, make what is new alone, and
# touch no file of others; report --html prints such a page. tests/consumers/test_gallery.mjs opens them.
. "$(dirname "$0")/check.sh"

"$cellpipe" formats | grep -q '^ *html ' || {
    echo "skipped: batch/test_gallery needs the exporter html (apt-get install libjs-three)"
    exit 77
}
batch() { settle && "$cellpipe" batch --progress none "$@"; }
# kept FOLDER: all files of the gallery there, by name, time and number, so that one that is written anew differs.
kept() {
    (cd "$1" && find index.html .gallery -type f -printf '%p %T@ %i %s\n' | LC_ALL=C sort)
}
bytes() {
    (cd "$1" && find index.html .gallery -type f -exec cksum {} + | LC_ALL=C sort)
}
models() { find "$1/.gallery" -name '*.js' -printf x | wc -c; }
pictures() { find "$1/.gallery" -name '*.png' -printf x | wc -c; }
is_page() { head -c 256 "$1" | grep -q '<meta name="cellpipe" content="page of a batch">'; }

library lib 6
cp lib/a/p0.stl lib/a/p5.stl
cp bad.stl lib/bad.stl
ends 1 'bad.stl' batch lib --out-dir web --to stl --gallery
must "it says so" grep -q '^gallery    web/index.html: 7 outputs, 6 new, 0 of these without a model$' stdout
must "a page" is_page web/index.html
must "equal outputs share a model: $(models web)" [ "$(models web)" = 6 ]
must "and a picture" [ "$(pictures web)" = 6 ]
must "no temporary is left" [ -z "$(find web -name '.cellpipe-*')" ]
kept web >before
ends 1 'bad.stl' batch lib --out-dir web --to stl --gallery
kept web >after
cmp -s before after || ends 1 'bad.stl' batch lib --out-dir web --to stl --gallery # the failure is none that is new now
must "none is new" grep -q '^gallery    web/index.html: 7 outputs, 0 new' stdout
must "pictures and models stay" sh -c 'diff before after | grep -v index.html | grep -q "^[<>]" && exit 1 || exit 0'
kept web >before
ends 1 'bad.stl' batch lib --out-dir web --to stl --gallery
kept web >after
must "nothing is written where nothing has changed" cmp before after

# By itself, from the state; with any number of jobs the same bytes.
bytes web >before
rm -r web/.gallery web/index.html
ends 0 '' "$cellpipe" gallery web --jobs 1
must "all are new" grep -q '^gallery    web/index.html: 7 outputs, 6 new, 0 of these without a model$' stdout
bytes web >after
must "the same bytes" cmp before after

# A part that has changed, one that is removed with its output, and an output that somebody has removed.
touch web/.gallery/0123456789abcdef0123456789abcdef.txt web/.gallery/0123456789abcdef.js web/.gallery/notes.png
cp web/.gallery/viewer.html viewer
(cd web/.gallery && printf '%s\n' *.js) >models
sed 's/vertex 1 0 0/vertex 77 0 0/' part.stl >lib/a/p2.stl
rm lib/b/p1.stl
ends 1 'bad.stl' batch lib --out-dir web --to stl --gallery --prune
must "one is new" grep -q '^gallery    web/index.html: 6 outputs, 1 new, 0 of these without a model$' stdout
must "those of no output are gone" [ "$(models web) $(pictures web)" = "6 6" ] # 5, and a file of others each
must "one model is another" [ "$(cd web/.gallery && printf '%s\n' *.js | grep -vxFc -f "$work/models")" = 1 ]
must "files of others stay" [ -e web/.gallery/0123456789abcdef0123456789abcdef.txt ]
must "whatever they are named" [ -e web/.gallery/0123456789abcdef.js ]
must "the viewer stays" cmp viewer web/.gallery/viewer.html
rm web/b/p3.stl.stl
ends 0 '' "$cellpipe" gallery web
must "what is gone has none" grep -q '^gallery    web/index.html: 5 outputs, 0 new' stdout
must "and no model" [ "$(models web)" = 5 ]

# Whatever reads an output again makes its model; another one has the reason in its place, and costs no failure.
for format in wrl gltf glb.gz png; do
    works batch part.stl --out-dir "in-$format" --to $format --gallery -q
    must "$format: a model" [ "$(models "in-$format")" = 1 ]
done
must "of a picture there is none" [ "$(pictures in-png)" = 0 ]
must "but the reason" grep -q '^cellpipe_part(null,"There is no model of this output: ' in-png/.gallery/*.js
must "and of the others no reason" sh -c '! grep -q "^cellpipe_part(null" in-wrl/.gallery/*.js in-gltf/.gallery/*.js in-glb.gz/.gallery/*.js'
ends 0 '' batch part.stl --out-dir in-png --to png --gallery -q
must "that is not tried again" [ "$(models in-png)" = 1 ]
ends 0 '' "$cellpipe" convert part.stl large.js --to html --out part=yes --out most-triangles=1 -q
must "a part that is too large says so" grep -q '^cellpipe_part(null,"This part is too large' large.js
must "and has a picture" [ -s large.png ]

# No file of others is replaced, and then nothing is written.
mkdir site
echo '<h1>ours</h1>' >site/index.html
cp site/index.html ours
ends 2 'site/index.html is there, and no page of cellpipe gallery' batch lib --out-dir site --gallery
must "it is as it was" cmp site/index.html ours
must "nothing was written" [ "$(folder site)" = 'index.html ' ]
ends 1 'bad.stl' batch lib --out-dir site -q
ends 2 'no page of cellpipe gallery' "$cellpipe" gallery site
must "it is as it was" cmp site/index.html ours
must "nothing was made" [ ! -e site/.gallery ]
rm site/index.html
ln -s ours site/index.html
ends 2 'no page of cellpipe gallery' "$cellpipe" gallery site
mkdir names
cp part.stl names/index.stl
ends 2 'index.html would be an output, and the gallery has that name' \
    batch names --short-names --to html --out-dir pages --gallery
must "nothing was written" [ ! -e pages ]
ends 0 '' batch names --short-names --to html --out-dir pages -q
cp pages/index.html ours
ends 2 'no page of cellpipe gallery' "$cellpipe" gallery pages
must "a page of a cell stays" cmp pages/index.html ours

ends 2 'is of all outputs' batch lib --out-dir web --gallery --shard 0/2
ends 3 'has no records' "$cellpipe" gallery lib
ends 3 'has no records' "$cellpipe" gallery none
ends 2 'needs one output folder' "$cellpipe" gallery
if command -v flock >/dev/null; then
    ends 4 'another run writes there' flock web/.cellpipe/lock "$cellpipe" gallery web
fi
ends 0 '' batch lib --out-dir dry --gallery --dry-run -q
must "a dry run makes none" [ ! -e dry/index.html ]

# A model that needs too much has its reason, too; --no-clobber is of outputs, and does not keep the page as it was.
cp -r web small
rm small/.gallery/*.js small/.gallery/*.png small/index.html
ends 0 'out of memory' "$cellpipe" gallery small --memory 1000 --jobs 1
must "they are told" grep -q '5 outputs, 4 new, 4 of these without a model$' stdout
must "and say so" sh -c 'cat small/.gallery/*.js | grep -q "There is no model of this output: out of memory"'
cp small/index.html before
ends 0 '' "$cellpipe" gallery small
must "they stay so" grep -q '5 outputs, 0 new' stdout
ends 0 '' "$cellpipe" gallery small --retry --no-clobber
must "until they are tried again" grep -q '5 outputs, 4 new, 0 of these without a model$' stdout
must "the page is another" sh -c '! cmp -s before small/index.html'
ends 0 '' "$cellpipe" gallery small --retry
must "once" grep -q '5 outputs, 0 new' stdout

# The page of a report.
ends 1 '' "$cellpipe" report web --html
must "is one, too" is_page stdout
cp stdout once
ends 1 '' "$cellpipe" report web --html
must "the same twice" cmp stdout once
must "it loads nothing" grep -q "content=\"default-src 'none'; script-src 'sha256-" stdout
ends 2 'exclude each other' "$cellpipe" report web --html --json
finish

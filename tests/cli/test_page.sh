#!/bin/sh
# test_page.sh PROGRAM: pages of the exporter html in headless Chromium alone: each unpacks its code, draws, says that it
# is ready, and writes nothing to the console. tests/consumers/test_page.mjs does what needs a mouse.
. "$(dirname "$0")/check.sh"

chromium=${CHROMIUM:-chromium}
skip() {
    echo "skipped: cli/test_page needs $*"
    exit 77
}
command -v "$chromium" >/dev/null || skip "chromium (apt-get install chromium)"
"$cellpipe" formats | grep -q '^ *html ' || skip "the exporter html (apt-get install libjs-three)"

# Virtual time passes as fast as the page can work, so no clock is waited for.
open_page() { # file words...
    page=$1
    shift
    timeout 300 "$chromium" --headless=new --no-sandbox --use-gl=angle --use-angle=swiftshader \
        --enable-unsafe-swiftshader --ignore-gpu-blocklist --user-data-dir="$work/profile" --enable-logging=stderr \
        --virtual-time-budget=60000 "$@" --dump-dom "file://$page" >"$work/dom" 2>"$work/log"
    grep CONSOLE "$work/log" >"$work/stderr"
}
is_ready() { grep -q '<html[^>]* data-ready="yes"' "$work/dom"; }
is_unready() { ! is_ready; }
is_silent() { [ ! -s "$work/stderr" ]; }

for input in demo.wu gltf_textures.gltf; do
    "$cellpipe" convert -q "$top/samples/$input" page.html || exit 1
    open_page "$work/page.html"
    must "$input: ready" is_ready
    must "$input: no message" is_silent
done

# Pairs of a file stand in the page in words, each kind with its number.
"$cellpipe" convert -q "$top/tests/cases/exclude/arm.wu" page.html --out evidence="$top/tests/cases/html/arm.json" || exit 1
open_page "$work/page.html"
must "evidence: ready" is_ready
must "evidence: no message" is_silent
for words in 'excluded: never touch, which is proved 1' 'kept: touch in some poses 1' \
    'excluded: cannot move against each other 1'; do
    must "evidence: $words" grep -q "<span>$words</span>" "$work/dom"
done

# Without WebGL the page says so and leaves the picture that is seen before it is ready.
"$cellpipe" convert -q "$top/samples/demo.wu" page.html || exit 1
open_page "$work/page.html" --disable-3d-apis
must "no WebGL: not ready" is_unready
must "no WebGL: it says so" grep -q '<p id="why"[^>]*>[^<]*WebGL' "$work/dom"
if "$cellpipe" convert -q "$top/samples/demo.wu" probe.png 2>/dev/null; then
    must "no WebGL: a picture" grep -q '<div id="picture"><img [^>]*src="data:image/png;base64,[^"]\{9000\}' "$work/dom"
fi

head -c 300000 page.html >cut.html
open_page "$work/cut.html"
must "a cut page is not ready" is_unready

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

// Unpacks the viewer and the cell, and starts the viewer; if that fails, says why.
(function () {
    'use strict';
    var root = document.documentElement;

    function show(id, on) {
        var element = document.getElementById(id); // a page that is cut short may not have it
        if (element) element.hidden = !on;
    }
    function fail(text) {
        show('app', false);
        show('wait', false);
        show('picture', true);
        show('why', true);
        document.getElementById('why').textContent = text;
        root.dataset.failed = text;
    }
    // Two characters are 13 bits, and a last one 6; the characters are # to ~ without <. docs/html.md
    function decode(text) {
        var length = text.length,
            bytes = new Uint8Array(((13 * (length >> 1) + 6 * (length & 1)) / 8) | 0),
            bits = 0,
            held = 0,
            at = 0;
        function digit(i) {
            var code = text.charCodeAt(i);
            return code - (code < 60 ? 35 : 36);
        }
        for (var i = 0; i < length; i += 2) {
            var pair = i + 1 < length;
            bits = pair ? (bits << 13) | (91 * digit(i) + digit(i + 1)) : (bits << 6) | digit(i);
            for (held += pair ? 13 : 6; held >= 8; ) {
                held -= 8;
                bytes[at++] = bits >> held; // the lowest 8 bits are kept
            }
        }
        return bytes;
    }
    function read(id) {
        var element = document.getElementById(id),
            text = element.textContent;
        element.textContent = '';
        return decode(text);
    }
    function unpackCell() {
        var stream = new Blob([read('packed-cell')]).stream();
        return new Response(stream.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
    }
    // The policy admits a text by its hash.
    function run(id) {
        var script = document.createElement('script');
        script.textContent = new TextDecoder().decode(window.cellpipe_page.unpackXz(read(id)));
        document.head.appendChild(script);
    }
    function start(options, cell) {
        var page = window.cellpipe_page;
        run('packed-code');
        if (options.live) run('packed-live');
        if (!page.start) throw new Error('the viewer does not run');
        return options.live ? page.startLive(options, fail) : page.start(cell, options, fail);
    }

    function begin() {
        show('wait', true);
        if (typeof DecompressionStream === 'undefined')
            return fail(
                'This browser is too old for this page: it needs Chrome 80, Firefox 113, Safari 16.4, or a later one.'
            );
        if (!document.getElementById('options'))
            // the last part of the page
            return fail('This page is cut short: a part of the file is missing. Copy or download it again.');
        // What goes wrong within is told, too.
        return Promise.resolve()
            .then(function () {
                var options = JSON.parse(document.getElementById('options').textContent);
                return options.live
                    ? start(options)
                    : unpackCell().then(function (cell) {
                          return start(options, cell);
                      });
            })
            .catch(function (error) {
                fail('This page cannot be shown. The file may be damaged. (' + error.message + ')');
            });
    }

    window.cellpipe = { begun: performance.now() };
    document.addEventListener('DOMContentLoaded', begin);
})();

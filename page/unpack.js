// Bytes from the texts in which a page has them.
(function (page) {
    'use strict';

    // Two characters are 13 bits, and a last one 6; the characters are # to ~ without <. docs/html.md
    page.decode = function (text) {
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
    };

    // Takes the text out of an element of the page.
    page.takeBytes = function (id) {
        var element = document.getElementById(id),
            text = element.textContent;
        element.textContent = '';
        return page.decode(text);
    };

    page.gunzip = function (bytes) {
        var stream = new Blob([bytes]).stream();
        return new Response(stream.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
    };

    page.tooOld =
        'This browser is too old for this page: it needs Chrome 80, Firefox 113, Safari 16.4, or a later one.';
})((window.cellpipe_page = window.cellpipe_page || {}));

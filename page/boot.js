// Unpacks the viewer and the cell, and starts the viewer; if that fails, says why.
(function () {
    'use strict';
    var root = document.documentElement,
        page = window.cellpipe_page;

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
    // A gallery's viewer gets the part from the script whose name stands behind the ? of the address, as no browser lets
    // a page of a file read other files.
    function loadPart() {
        var words = /^[?]([0-9a-f]{32})(?:&(dark|light))?$/.exec(location.search) || [],
            key = words[1];
        if (words[2]) root.dataset.theme = words[2];
        return new Promise(function (done) {
            var script = document.createElement('script');
            window.cellpipe_part = function (packed, why) {
                if (packed) done(page.gunzip(page.decode(packed)));
                else fail(why);
            };
            script.onerror = function () {
                fail('There is no model of this part here: cellpipe gallery makes it.');
            };
            script.src = key + '.js';
            if (key) document.head.appendChild(script);
            else fail('This page shows a part of a gallery, and its address names none: open the gallery.');
        });
    }
    // The policy admits a text by its hash.
    function run(id) {
        var script = document.createElement('script');
        script.textContent = new TextDecoder().decode(page.unpackXz(page.takeBytes(id)));
        document.head.appendChild(script);
    }
    function start(options, cell) {
        run('packed-code');
        if (options.live) run('packed-live');
        if (!page.start) throw new Error('the viewer does not run');
        return options.live ? page.startLive(options, fail) : page.start(cell, options, fail);
    }

    function begin() {
        show('wait', true);
        if (typeof DecompressionStream === 'undefined')
            return fail(page.tooOld);
        if (!document.getElementById('options'))
            // the last part of the page
            return fail('This page is cut short: a part of the file is missing. Copy or download it again.');
        // What goes wrong within is told, too.
        return Promise.resolve()
            .then(function () {
                var options = JSON.parse(document.getElementById('options').textContent);
                if (options.live) return start(options);
                return (options.part ? loadPart() : page.gunzip(page.takeBytes('packed-cell'))).then(function (cell) {
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

// Pictures that GLTFLoader of r111 does not find, or cannot decode: it would then open no cell at all. Nothing here
// knows the DOM, but for the browser's decoder.
(function (page) {
    'use strict';

    // Where glTF keeps the picture of a texture, the best first; the last is for those who know no extension.
    const sourcesOf = texture => [
        ...['EXT_texture_avif', 'EXT_texture_webp'].map(name => ((texture.extensions || {})[name] || {}).source),
        texture.source,
    ];

    async function isReadable(json, binary, image) {
        const view = json.bufferViews[image.bufferView];
        if (!view) return false;
        const start = view.byteOffset || 0,
            bytes = binary.subarray(start, start + view.byteLength);
        try {
            (await createImageBitmap(new Blob([bytes], { type: image.mimeType }))).close();
            return true;
        } catch (error) {
            return false;
        }
    }

    // Removes what names one of the textures, wherever it is in a material.
    function removeTextures(thing, gone) {
        for (const [key, value] of Object.entries(thing)) {
            if (/Texture$/.test(key) && value && gone.has(value.index)) delete thing[key];
            else if (value && typeof value === 'object') removeTextures(value, gone);
        }
    }

    page.lacksPictures = json => (json.textures || []).some(texture => texture.source === undefined);

    // Returns a GLB each of whose textures has a picture that the browser reads; the others are removed.
    page.keepReadablePictures = async function (buffer) {
        const { json, binary } = page.readChunks(buffer),
            readable = await Promise.all((json.images || []).map(image => isReadable(json, binary, image))),
            gone = new Set();
        (json.textures || []).forEach((texture, i) => {
            const source = sourcesOf(texture).find(one => readable[one]);
            delete texture.extensions;
            if (source === undefined) gone.add(i);
            else texture.source = source;
        });
        removeTextures(json.materials || [], gone);
        for (const list of ['extensionsUsed', 'extensionsRequired'])
            if (json[list]) json[list] = json[list].filter(name => !/_texture_(avif|webp|basisu|dds)$/.test(name));
        return page.writeChunks(json, [{ at: 0, part: binary }], binary.length);
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));

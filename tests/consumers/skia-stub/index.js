// What x_ite-node asks of a canvas, without drawing anything.
const context = {
    measureText: () => ({ width: 0 }),
    getImageData: (x, y, width, height) => ({ data: new Uint8ClampedArray(width * height * 4) }),
};

class Canvas {
    toURLSync() { return ''; }
    getContext() {
        return new Proxy({ ...context }, { get: (object, key) => object[key] ?? (() => {}) });
    }
}

module.exports = { Canvas };

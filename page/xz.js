// Unpacks the viewer, which the build packs by xz: LZMA makes it a sixth smaller than gzip, which is all that browsers
// unpack. This is LZMA2 (xz's format 1.2.1, and the LZMA specification of the LZMA SDK) for one block without filters.
// It checks nothing: the browser runs no script whose hash is another one.
(function (page) {
    'use strict';

    // Where each kind of probabilities begins in their one array; 16 are for the four lowest bits of the position.
    var IS_MATCH = 0,
        IS_REPEAT = IS_MATCH + 12 * 16,
        IS_OTHER = IS_REPEAT + 12, // than the last distance; then than the one before, and before that
        IS_LONG = IS_OTHER + 3 * 12,
        SLOTS = IS_LONG + 12 * 16,
        DISTANCES = SLOTS + 4 * 64,
        ALIGNED = DISTANCES + 128,
        LENGTHS = ALIGNED + 16,
        REPEAT_LENGTHS = LENGTHS + 514,
        LITERALS = REPEAT_LENGTHS + 514,
        RANGE = 0, // the range coder's two numbers
        CODE = 1;

    // Returns the size of what the chunks from here on hold.
    function sizeOf(input, at) {
        for (var size = 0, control; (control = input[at]) > 0; ) {
            var packed = control > 127,
                own = (((packed ? control & 31 : 0) << 16) | (input[at + 1] << 8) | input[at + 2]) + 1;
            size += own;
            at += packed ? 5 + (control > 191) + ((input[at + 3] << 8) | input[at + 4]) + 1 : 3 + own;
        }
        return size;
    }

    page.unpackXz = function (input) {
        var at = 12 + 4 * (input[12] + 1), // behind the heads of the stream and of the block
            output = new Uint8Array(sizeOf(input, at)),
            to = 0,
            odds = null,
            coder = new Uint32Array(2), // numbers of 32 bits, which variables would hold on the heap
            state = 0,
            last = [0, 0, 0, 0], // distances, less 1
            context = 0, // bits of the byte before that choose a literal's probabilities
            literalMask = 0,
            positionMask = 0;

        function refill() {
            if (coder[RANGE] < 0x1000000) {
                coder[RANGE] <<= 8;
                coder[CODE] = (coder[CODE] << 8) | input[at++];
            }
        }
        function bit(index) {
            refill();
            var odd = odds[index],
                bound = (coder[RANGE] >>> 11) * odd;
            if (coder[CODE] < bound) {
                coder[RANGE] = bound;
                odds[index] = odd + ((2048 - odd) >> 5);
                return 0;
            }
            coder[RANGE] -= bound;
            coder[CODE] -= bound;
            odds[index] = odd - (odd >> 5);
            return 1;
        }
        function evenBits(count) {
            for (var value = 0; count > 0; count--) {
                refill();
                coder[RANGE] >>>= 1;
                value <<= 1;
                if (coder[CODE] >= coder[RANGE]) {
                    coder[CODE] -= coder[RANGE];
                    value |= 1;
                }
            }
            return value;
        }
        function tree(base, count) {
            for (var node = 1, i = 0; i < count; i++) node = (node << 1) | bit(base + node);
            return node - (1 << count);
        }
        function lowFirst(base, count) {
            for (var node = 1, value = 0, i = 0; i < count; i++) {
                var one = bit(base + node);
                node = (node << 1) | one;
                value |= one << i;
            }
            return value;
        }
        function length(base, position) {
            if (!bit(base)) return 2 + tree(base + 2 + 8 * position, 3);
            if (!bit(base + 1)) return 10 + tree(base + 130 + 8 * position, 3);
            return 18 + tree(base + 258, 8);
        }
        function distance(size) {
            var slot = tree(SLOTS + 64 * Math.min(size - 2, 3), 6),
                bits = (slot >> 1) - 1,
                high = (2 | (slot & 1)) << bits;
            if (slot < 4) return slot;
            if (slot < 14) return high + lowFirst(DISTANCES + high - slot, bits);
            return high + 16 * evenBits(bits - 4) + lowFirst(ALIGNED, 4);
        }
        function literal() {
            var before = to > 0 ? output[to - 1] : 0,
                base = LITERALS + 768 * (((to & literalMask) << context) + (before >> (8 - context))),
                node = 1,
                // After a match, the byte that would have continued it chooses, as long as the bits are its own.
                match = state < 7 ? -1 : output[to - last[0] - 1];
            while (node < 256) {
                var expected = (match >> 7) & 1,
                    one = bit(base + node + (match < 0 ? 0 : 256 << expected));
                node = (node << 1) | one;
                match = match < 0 || one !== expected ? -1 : (match << 1) & 255;
            }
            output[to++] = node;
            state = state < 4 ? 0 : state - (state < 10 ? 3 : 6);
        }
        // Returns the length of a match; its distance is then the last one.
        function match(position) {
            var size,
                hit = state < 7 ? 0 : 3;
            if (!bit(IS_REPEAT + state)) {
                size = length(LENGTHS, position);
                last = [distance(size), last[0], last[1], last[2]];
                state = 7 + hit;
                return size;
            }
            var which = 0;
            while (which < 3 && bit(IS_OTHER + 12 * which + state)) which++;
            if (which === 0 && !bit(IS_LONG + 16 * state + position)) {
                state = state < 7 ? 9 : 11;
                return 1;
            }
            last.unshift(last.splice(which, 1)[0]);
            size = length(REPEAT_LENGTHS, position);
            state = state < 7 ? 8 : 11;
            return size;
        }

        for (var control; (control = input[at++]) > 0; ) {
            var packed = control > 127,
                end = to + (((packed ? control & 31 : 0) << 16) | (input[at] << 8) | input[at + 1]) + 1,
                next = at + 4 + ((input[at + 2] << 8) | input[at + 3]) + 1;
            if (!packed) {
                output.set(input.subarray(at + 2, at + 2 + end - to), to);
                at += 2 + end - to;
                to = end;
                continue;
            }
            at += 4;
            if (control > 191) {
                var properties = input[at++];
                next++;
                context = properties % 9;
                literalMask = (1 << ((properties / 9) | 0) % 5) - 1;
                positionMask = (1 << ((properties / 45) | 0)) - 1;
            }
            if (control > 159) {
                odds = new Uint16Array(LITERALS + 768 * ((literalMask + 1) << context)).fill(1024);
                last = [0, 0, 0, 0];
                state = 0;
            }
            coder[RANGE] = 0xffffffff;
            for (var i = 0; i < 5; i++) coder[CODE] = (coder[CODE] << 8) | input[at++];
            while (to < end) {
                var position = to & positionMask;
                if (!bit(IS_MATCH + 16 * state + position)) literal();
                else for (var stop = to + match(position); to < stop; to++) output[to] = output[to - last[0] - 1];
            }
            at = next;
        }
        return output;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));

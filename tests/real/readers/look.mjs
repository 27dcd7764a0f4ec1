// What a model looks like, as numbers that do not depend on how its faces are cut, listed or grouped. Every reader here
// fills one, of inputs and of outputs alike; verdict.mjs compares two. Points are in metres, Z up.
import { createHash } from 'node:crypto';

export const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]; // columns, as glTF has them
export const multiply = (a, b) => identity.map((_, i) => {
    const row = i % 4, column = i - row;
    return a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
});
export const place = (m, [x, y, z]) => [m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13],
    m[2] * x + m[6] * y + m[10] * z + m[14]];
export const mirrors = m => m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) +
    m[8] * (m[1] * m[6] - m[2] * m[5]) < 0;
export const scaling = s => [s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0, 0, 0, 0, 1];
export const yUp = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1]; // x y z becomes x -z y

export const toLinear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
export const toSrgb = c => c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055;
const clamp = c => Math.min(1, Math.max(0, c));

export const grey = [0.6, 0.6, 0.6]; // sRGB, of faces without any colour
export const white = [1, 1, 1];
export const invisible = 0.02; // nobody sees less alpha

// A reader throws this for a file that is to be refused; any other error is a mistake of the reader.
export class Refused extends Error {}

// Which image: by its bytes.
export const imageOf = bytes => createHash('sha1').update(bytes).digest('hex').slice(0, 10);

const levels = 4; // five levels of a channel, from 0 to 4

// Adds weight to the two levels next to the value, so that a value between them does not jump for its last digit.
function spread(table, key, value, weight) {
    const at = clamp(value) * levels, below = Math.min(levels - 1, Math.floor(at)), part = at - below;
    for (const [level, share] of [[below, 1 - part], [below + 1, part]])
        if (share > 1e-9)
            table.set(key + level, (table.get(key + level) ?? 0) + weight * share);
}

// Shares of a whole, in the order of their keys.
const shares = (table, whole) => Object.fromEntries([...table].sort((a, b) => a[0] < b[0] ? -1 : 1)
    .map(([key, area]) => [key, whole > 0 ? Number((area / whole).toPrecision(6)) : 0]));

export class Look {
    triangles = 0; lines = 0; area = 0; fans = 0; volume = 0; polygons = false; // fans: the area of faces as fans
    lower = [Infinity, Infinity, Infinity]; upper = [-Infinity, -Infinity, -Infinity];
    says = new Set(); // what the program must warn of: keys of verdict.mjs
    #colours = new Map(); #under = new Map(); #alphas = new Map(); #images = new Map(); // areas, of corners and faces
    #box = { lower: [Infinity, Infinity, Infinity], upper: [-Infinity, -Infinity, -Infinity] }; // of faces alone
    #exact = new Map(); #withCoordinates = 0; #coordinates = [0, 0]; #textured = 0;
    #hidden = 0; #loose = 0; #places = new Map(); #vertex = [0, 0, 0]; #coloured = 0; #emission = [0, 0, 0];

    line(points) {
        this.lines += points.length - 1;
        points.forEach(p => widen(this, p));
    }

    /* A face of any shape, by Newell's sum: its area is exact if it is flat. Of one that is not, the fan may come nearer
     * to the triangles that others make of it. The paint says how it looks: rgb (sRGB) or null where nothing gives a
     * colour, alpha, image, emission (linear), and for each corner uv (v from above) and colours (linear, RGBA).
     * Holes are corners of the face's own list whose area is taken away; they have no paint of their own. */
    face(points, paint = {}, holes = []) {
        const { sum, fan, volume, triangles, weights } = fanOf(points);
        for (const hole of holes) {
            const cut = fanOf(hole), against = dot(cut.sum, sum) > 0 ? -1 : 1;
            cut.sum.forEach((value, i) => { sum[i] += against * value; });
            this.triangles += hole.length + 2;
            this.volume += against * cut.volume;
            this.fans -= cut.fan;
        }
        this.triangles += triangles;
        this.volume += volume;
        this.fans += fan;
        this.polygons ||= points.length > 3;
        for (const p of [points, ...holes].flat())
            [this, this.#box].forEach(box => widen(box, p));
        const area = Math.hypot(...sum) / 2;
        this.area += area;
        this.#loose += holes.length ? area : 0; // where its paint is depends on how it is cut
        this.#paint(points, weights, area, triangles, paint);
    }

    // Adds where something is: the sums of value times place, and of values.
    #where(key, value, [x, y, z]) {
        if (!this.#places.has(key))
            this.#places.set(key, [0, 0, 0, 0]);
        const sums = this.#places.get(key);
        sums[0] += value * x;
        sums[1] += value * y;
        sums[2] += value * z;
        sums[3] += value;
    }

    // The mean of value times place, where the faces' box is 1 long and its middle 0: some outputs have no lines.
    #placed([x, y, z, value]) {
        const { lower, upper } = this.#box, longest = Math.max(...upper.map((most, i) => most - lower[i])) || 1;
        return [x, y, z].map((sum, i) => this.area > 0 ? (sum - value * (lower[i] + upper[i]) / 2) / longest / this.area : 0);
    }

    // weights: the share of each corner in the area.
    #paint(points, weights, area, triangles, paint) {
        const corners = weights.length, { alpha = 1, image = null, uv = null, colours = null, emission = null } = paint;
        const rgb = paint.rgb ?? (colours ? white : grey), base = rgb.map(toLinear), drawn = image && uv;
        if (corners > 3 && colours && colours.some(c => c.some((value, i) => Math.abs(value - colours[0][i]) > 1e-3)))
            this.#loose += area;
        const exact = rgb.map(c => c.toFixed(3)).join(' ');
        this.#exact.set(exact, (this.#exact.get(exact) ?? 0) + area);
        if (image && !uv)
            this.says.add('bare');
        if (drawn) {
            this.#images.set(image, (this.#images.get(image) ?? 0) + area);
            this.#textured += area;
            uv.forEach((corner, k) => corner.forEach((value, i) => {
                this.#coordinates[i] += value * area * weights[k];
                this.#where('uv'[i], value * area * weights[k], points[k]);
            }));
            points.forEach((point, k) => this.#where(image, area * weights[k], point));
        }
        this.#withCoordinates += uv ? triangles : 0;
        const centre = [0, 1, 2].map(i => weights.reduce((sum, weight, k) => sum + weight * points[k][i], 0));
        for (let k = 0; k < (colours ? corners : 1); k++) {
            const share = colours ? area * weights[k] : area, colour = colours?.[k] ?? [1, 1, 1, 1];
            const at = colours ? points[k] : centre;
            const shown = toneOf(base, colour), seen = alpha * (paint.solid ? 1 : colour[3] ?? 1);
            this.#colour(drawn ? this.#under : this.#colours, shown, share);
            spread(this.#alphas, '', seen, share);
            shown.forEach((value, i) => this.#where((drawn ? 'RGB' : 'rgb')[i], value * share, at));
            this.#where('alpha', seen * share, at);
            if (colours)
                for (let i = 0; i < 3; i++)
                    this.#vertex[i] += colour[i] * share;
        }
        this.#coloured += colours ? area : 0;
        const seen = Math.max(...(colours && !paint.solid ? colours : [[1, 1, 1, 1]]).map(colour => colour[3] ?? 1));
        this.#hidden += alpha * seen < invisible ? area : 0; // all of the face
        if (alpha < invisible)
            this.says.add('hidden');
        emission?.forEach((value, i) => { this.#emission[i] += value * area; });
    }

    // Each corner of the little cube of levels around a colour has a share of it.
    #colour(table, rgb, weight) {
        const at = rgb.map(c => clamp(c) * levels), below = at.map(v => Math.min(levels - 1, Math.floor(v)));
        for (let corner = 0; corner < 8; corner++) {
            let share = weight, key = '';
            for (let i = 0; i < 3; i++) {
                const up = corner >> i & 1, part = at[i] - below[i];
                share *= up ? part : 1 - part;
                key += below[i] + up;
            }
            if (share > 1e-9 * weight)
                table.set(key, (table.get(key) ?? 0) + share);
        }
    }

    /* As plain data: areas as shares of the whole. colours: of what shows no texture, by levels of red, green and blue
     * ("420"); under: the same below textures. base: area by the exact base colour, for people. places: where on the
     * model a value is: rgb, RGB below textures, alpha, u, v, each image. */
    summary() {
        const whole = this.area, mean = (sums, over) => over > 0 ? sums.map(value => value / over) : null;
        return { triangles: this.triangles, lines: this.lines, area: this.area, fans: this.fans, volume: this.volume,
            polygons: this.polygons, lower: this.lower, upper: this.upper,
            colours: shares(this.#colours, whole), under: shares(this.#under, whole), base: shares(this.#exact, whole),
            alphas: shares(this.#alphas, whole), hidden: whole > 0 ? this.#hidden / whole : 0,
            images: shares(this.#images, whole), coordinates: mean(this.#coordinates, this.#textured),
            withCoordinates: this.triangles ? this.#withCoordinates / this.triangles : 0,
            vertexColours: mean(this.#vertex, this.#coloured), coloured: whole > 0 ? this.#coloured / whole : 0,
            places: Object.fromEntries([...this.#places].map(([key, sums]) => [key, this.#placed(sums)])),
            emission: mean(this.#emission, whole) ?? [0, 0, 0], loose: whole > 0 ? this.#loose / whole : 0,
            says: [...this.says, ...whole > 0 && this.#hidden > 0.999 * whole && !this.says.has('hidden') ? ['hidden'] : []] };
    }
}

function widen(box, p) {
    for (let i = 0; i < 3; i++) {
        if (p[i] < box.lower[i])
            box.lower[i] = p[i];
        if (p[i] > box.upper[i])
            box.upper[i] = p[i];
    }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const toneOf = (base, colour) => base.map((value, i) => toSrgb(value * clamp(colour[i])));

// The sums of a face as a fan, and of each corner the share of its triangles.
function fanOf(points) {
    const a = points[0], sum = [0, 0, 0], weights = new Array(points.length).fill(0);
    let fan = 0, volume = 0;
    for (let k = 1; k + 1 < points.length; k++) {
        const b = points[k], c = points[k + 1];
        const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]], v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
        const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        const area = Math.hypot(n[0], n[1], n[2]) / 2;
        volume += dot(a, n) / 6;
        fan += area;
        for (const corner of [0, k, k + 1])
            weights[corner] += area;
        for (let i = 0; i < 3; i++)
            sum[i] += n[i];
    }
    return { sum, fan, volume, triangles: points.length - 2,
        weights: weights.map(weight => fan > 0 ? weight / fan / 3 : 1 / points.length) };
}

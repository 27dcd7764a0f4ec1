// Where two looks differ, and whether the program has said so.
const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b)) || a === b;
const longest = look => Math.max(...look.upper.map((value, i) => value - look.lower[i]), 0);
const sum = list => list.reduce((total, value) => total + value, 0);
const text = table => Object.entries(table).map(([key, share]) => `${key} ${Math.round(1000 * share) / 10} %`).join(', ') || 'none';
const numbers = list => list ? list.map(value => Number(value.toPrecision(5))).join(' ') : 'none';

// The share of the area that has to change its key for one table to become the other.
function moved(a, b) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return sum(keys.map(key => Math.abs((a[key] ?? 0) - (b[key] ?? 0)))) / 2;
}
const added = (a, b) => {
    const all = { ...a };
    for (const [key, share] of Object.entries(b))
        all[key] = (all[key] ?? 0) + share;
    return all;
};

// Polygons that are bent or concave have no area of their own: it is between those of their sum and their fan.
const bent = (...looks) => looks.some(look => look.polygons && !near(look.area, look.fans, 1e-6));

/* The shape: triangles, lines, area, volume and bounds, in metres. slack: of a length, as a part of the largest one; fewer:
 * triangles may vanish. */
export function shapeDiffers(a, b, { slack = 1e-5, tolerance = 2e-4, fewer = false } = {}) {
    const faults = [], say = (part, words) => faults.push({ part, text: words });
    if (fewer ? b.triangles > a.triangles : b.triangles !== a.triangles)
        say('triangles', `${b.triangles} triangles for ${a.triangles}`);
    if (b.lines !== a.lines)
        say('lines', `${b.lines} lines for ${a.lines}`);
    const size = longest(a), flat = a.area < 1e-9 * size ** 2;
    const isBent = bent(a, b), allowed = isBent ? Math.max(0.01, tolerance) : tolerance;
    const [one, two] = [a, b].map(look => [Math.min(look.area, look.fans), Math.max(look.area, look.fans)]);
    const isNear = one.some(area => two.some(other => near(area, other, allowed))) || (one[0] < two[1] && two[0] < one[1]);
    if (!flat && !isNear)
        say('area', `an area of ${b.area} for ${a.area}`);
    if (!flat && !isBent && Math.abs(a.volume - b.volume) > allowed * Math.max(a.area * size, 1e-30))
        say('volume', `a volume of ${b.volume} for ${a.volume}`);
    const reach = Math.max(...a.lower.concat(a.upper).map(Math.abs));
    if (a.triangles + a.lines && b.triangles + b.lines && !(fewer && flat))
        for (const side of ['lower', 'upper'])
            if (a[side].some((value, i) => Math.abs(value - b[side][i]) > slack * size + 1e-7 * reach))
                say('bounds', `${side} bounds of ${numbers(b[side])} for ${numbers(a[side])}`);
    return faults;
}

const partOf = { r: 'colours', g: 'colours', b: 'colours', alpha: 'alpha', u: 'coordinates', v: 'coordinates' };

// Where values are in both looks: colours below textures with the others, or not at all.
function* placesOf(a, b, under) {
    const at = (look, key) => look.places[key] ?? [0, 0, 0];
    const both = (look, key) => at(look, key).map((value, i) => value + (under ? at(look, key.toUpperCase())[i] : 0));
    for (const key of new Set([...Object.keys(a.places), ...Object.keys(b.places)].filter(name => !'RGB'.includes(name))))
        yield 'rgb'.includes(key) ? [key, both(a, key), both(b, key)] : [key, at(a, key), at(b, key)];
}

/* The look: areas by colour, alpha and image, coordinates, vertex colours and emission. tones: how much of the area may
 * change its colours or their places. under (what is below textures), exact (coordinates that no texture uses, and
 * vertex colours apart from what is shown) and all but the parts in only can be left out. Where an emissive texture says
 * what shines, formats without such textures have no emission. */
export function lookDiffers(a, b, { tones = 0.005, under = true, exact = true, only = null } = {}) {
    const faults = [], say = (part, words) => (!only || only.includes(part)) && faults.push({ part, text: words });
    if (!(a.area > 0) || !(b.area > 0))
        return faults;
    const allowed = tones + Math.max(a.loose, b.loose) / 2;
    const [one, two] = under ? [added(a.colours, a.under), added(b.colours, b.under)] : [a.colours, b.colours];
    if (moved(one, two) > allowed && (under || moved(a.images, b.images) < 0.005))
        say('colours', `colours ${text(two)} for ${text(one)}`);
    if (moved(a.alphas, b.alphas) > allowed || Math.abs(a.hidden - b.hidden) > allowed)
        say('alpha', `alpha by quarters ${text(b.alphas)} for ${text(a.alphas)}`);
    if (moved(a.images, b.images) > 0.005)
        say('images', `images ${text(b.images)} for ${text(a.images)}`);
    else if (a.coordinates && a.coordinates.some((value, i) =>
        Math.abs(value - b.coordinates[i]) > 2e-3 * Math.max(1, Math.abs(value))))
        say('coordinates', `texture coordinates ${numbers(b.coordinates)} for ${numbers(a.coordinates)}`);
    if (exact && b.withCoordinates < a.withCoordinates - 0.001)
        say('coordinates', `${b.withCoordinates} of the triangles have texture coordinates for ${a.withCoordinates}`);
    if (a.vertexColours && b.vertexColours && exact && Math.abs(a.coloured - b.coloured) < 0.005 &&
        a.vertexColours.some((value, i) => Math.abs(value - b.vertexColours[i]) > allowed))
        say('vertex colours', `vertex colours ${numbers(b.vertexColours)} for ${numbers(a.vertexColours)}`);
    const scale = Math.max(1, ...a.coordinates?.map(Math.abs) ?? []);
    for (const [key, place, other] of placesOf(a, b, under)) {
        const part = partOf[key] ?? 'images';
        const known = faults.some(fault => fault.part === part || (part === 'coordinates' && fault.part === 'images'));
        if (!known && !bent(a, b) &&
            place.some((value, i) => Math.abs(value - other[i]) > allowed * (part === 'coordinates' ? scale : 1)))
            say(part, `${key} elsewhere on the model: ${numbers(other)} for ${numbers(place)}`);
    }
    if ((under || !a.says.includes('emissive texture')) && a.emission.some((value, i) => Math.abs(value - b.emission[i]) > 0.005))
        say('emission', `emission ${numbers(b.emission)} for ${numbers(a.emission)}`);
    return faults;
}

// Which losses say that a part of a look is gone, and which words warn of what an input has.
const shape = /line|-far$|skew|hull|spline|skin|bones|morph|obj-surfaces|unread|subdivision|file-missing/;
const losses = {
    triangles: shape, area: shape, volume: shape, bounds: shape, lines: /line|curve|unread/,
    colours: /colour|paint|replaced|spectral|attributes/, alpha: /alpha|opacity|colour|transparen/,
    images: /image|texture|paint|bare/, coordinates: /coordinates|texture|bare|property|paint/,
    'vertex colours': /colour|paint/, emission: /surfaces|emission/,
};
const warnings = { transparent: /-transparent/, black: /-black/, image: /image|textures|source-beside/,
    bare: /coordinates|bare/, set: /other-set/, hidden: /^(nothing-visible|invisible-material)/ };
const code = entry => entry.split(/[ :]/)[0];
const vanished = /^gltf-vanished/; // a warning of web=yes: most of a mesh has no area on the grid
export const isTold = (part, record) => record.losses.some(loss => losses[part].test(code(loss))) ||
    record.warnings.some(warning => vanished.test(warning));
export const untold = (look, record) => look.says.filter(key => warnings[key] &&
    ![...record.losses, ...record.warnings].some(entry => warnings[key].test(code(entry))));

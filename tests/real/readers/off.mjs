// OFF and its kin.
import { Look, Refused, toLinear } from './look.mjs';
import { textOf } from './files.mjs';

export function readOff(bytes) {
    const lines = textOf(bytes).split(/\r\n|\n|\r/).map(line => line.replace(/#.*$/, '').trim().split(/\s+/).filter(word => word))
        .filter(words => words.length);
    const [, st, kinds, form] = /^(ST)?([CN]*)(4|n|4n)?OFF$/.exec(lines[0]?.[0] ?? '') ?? [];
    if (form || (kinds !== undefined && lines[0][1] === 'BINARY'))
        throw new Refused(`${lines[0].join(' ')} is not read`);
    if (kinds !== undefined)
        lines[0].splice(0, 1);
    else if (!Number.isFinite(Number(lines[0]?.[0])))
        throw new Refused('no OFF');
    const rest = lines.filter(words => words.length);
    const [vertexCount, faceCount] = rest.shift()?.map(Number) ?? [];
    if (!(vertexCount >= 0 && faceCount >= 0))
        throw new Refused('no counts');
    const vertexRows = rest.splice(0, vertexCount), vertices = vertexRows.map(words => words.map(Number));
    if (vertices.length < vertexCount || vertices.some(vertex => vertex.length < 3 || vertex.slice(0, 3).some(Number.isNaN)))
        throw new Refused('too few vertices, or a word that is no number');
    const coloured = kinds?.includes('C'), normals = kinds?.includes('N');
    const unit = v => Math.abs(Math.hypot(...v) - 1) < 0.01;
    // Where both are there, the normal is what has unit length.
    const colourAt = !coloured ? -1 : !normals || !unit(vertices[0]?.slice(3, 6) ?? []) ? 3 : 6;
    const coloursOf = words => words.map(word => ({ value: Number(word), whole: !/[.e]/i.test(word) }));
    const faces = [];
    const queue = rest.flat();
    for (let at = 0, row = 0, ends = endsOf(rest); faces.length < faceCount;) {
        const count = Number(queue[at]), corners = queue.slice(at + 1, at + 1 + count).map(Number);
        if (!(count >= 0) || corners.length < count)
            throw new Refused('the faces end early');
        at += 1 + count;
        while (ends[row] < at)
            row++;
        faces.push({ corners, colour: coloursOf(queue.slice(at, ends[row])) });
        at = ends[row];
    }
    const vertexColours = coloured && vertexRows.map((words, i) => coloursOf(words.slice(colourAt, colourAt +
        Math.min(4, vertices[i].length - 3 - (normals ? 3 : 0) - (st ? 2 : 0)))));
    const all = [...vertexColours || [], ...faces.map(face => face.colour)].filter(colour => colour.length > 2);
    const small = all.every(colour => colour.every(({ value }) => value <= 1));
    const tone = colour => colour.slice(0, 4).map(({ value, whole }) => Math.min(1, Math.max(0, whole && !small ? value / 255 : value)));
    const look = new Look();
    const asLinear = ([r, g, b, a = 1]) => [toLinear(r), toLinear(g), toLinear(b), a];
    const colours = vertexColours && vertexColours.map(colour => asLinear(tone(colour)));
    for (const { corners, colour } of faces) {
        if (corners.length < 3)
            continue;
        const points = corners.map(i => {
            if (!vertices[i])
                throw new Refused(`vertex ${i} of ${vertices.length}`);
            return vertices[i].slice(0, 3);
        });
        const own = !colours && colour.length > 2 ? tone(colour) : [];
        look.face(points, { rgb: own.length ? own.slice(0, 3) : null, alpha: own[3] ?? 1,
            colours: colours && corners.map(i => colours[i]) });
    }
    return look;
}

// How many words there are up to the end of each line.
function endsOf(lines) {
    let sum = 0;
    return lines.map(words => sum += words.length);
}

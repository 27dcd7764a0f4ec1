// COLLADA 1.4 and 1.5, .dae and .zae: what the scene shows at rest. Skins are shown in their bind shape.
import path from 'node:path';
import { Look, Refused, identity, mirrors, multiply, place, scaling, yUp } from './look.mjs';
import { Archive, textOf } from './files.mjs';
import { parseXml } from './xml.mjs';
import { Mesh } from './dae_mesh.mjs';
import { paintOf } from './dae_effects.mjs';

const xUp = [0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 1]; // x y z becomes -y -z x
const most = 200000; // nodes that are shown: instances of instances can double

// A document; others that it names are documents of their own.
class Document {
    #ids = new Map(); #meshes = new Map(); #others;
    constructor(bytes, files, folder, others = new Map()) {
        this.root = parseXml(textOf(bytes));
        Object.assign(this, { files, folder });
        this.#others = others;
        if (this.root.name !== 'COLLADA' || /^1\.[0-3]/.test(this.root.attributes.version ?? ''))
            throw new Refused(`<${this.root.name}> of version ${this.root.attributes.version}`);
        this.#index(this.root);
    }

    // The first element of each name and id.
    #index(root) {
        const waiting = [root];
        while (waiting.length) {
            const element = waiting.pop(), { id } = element.attributes;
            if (id !== undefined && !this.#ids.has(`${element.name} ${id}`))
                this.#ids.set(`${element.name} ${id}`, element);
            waiting.push(...element.children.toReversed());
        }
    }

    byId(name, id) { return this.#ids.get(`${name} ${id}`) ?? null; }

    // What "#id" or "file.dae#id" means: { dae, element }, or null.
    resolve(name, url) {
        if (!url)
            return null;
        const [file, id] = url.split('#');
        const dae = file ? this.#other(file) : this;
        const element = !dae ? null : id ? dae.byId(name, decodeURIComponent(id)) ?? dae.byId(name, id) : [...dae.root.below(name)][0];
        return element ? { dae, element } : null;
    }

    #other(name) {
        if (!this.#others.has(name)) {
            const bytes = this.files.find(name, this.folder);
            this.#others.set(name, bytes ? new Document(bytes, this.files, this.folder, this.#others) : null);
        }
        return this.#others.get(name);
    }

    mesh(geometry) {
        if (!this.#meshes.has(geometry)) {
            const element = geometry.first('mesh') ?? geometry.first('convex_mesh');
            this.#meshes.set(geometry, element && new Mesh(this, element));
        }
        return this.#meshes.get(geometry);
    }

    // From the file's unit and axes to metres and Z up.
    get frame() {
        const asset = this.root.first('asset'), text = asset?.first('unit')?.attributes.meter ?? '1';
        const meter = Number(text.replace(',', '.')), up = asset?.first('up_axis')?.text.trim();
        const turn = up === 'Z_UP' ? identity : up === 'X_UP' ? xUp : yUp;
        return multiply(turn, scaling(meter > 0 && Number.isFinite(meter) ? meter : 1));
    }
}

const unit = ([x, y, z]) => {
    const length = Math.hypot(x, y, z);
    return length > 0 ? [x / length, y / length, z / length] : null;
};
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function rotation([x, y, z, degrees]) {
    const axis = unit([x, y, z]), c = Math.cos(degrees * Math.PI / 180), s = Math.sin(degrees * Math.PI / 180), d = 1 - c;
    if (!axis)
        return identity;
    [x, y, z] = axis;
    return [x * x * d + c, y * x * d + z * s, z * x * d - y * s, 0, x * y * d - z * s, y * y * d + c, z * y * d + x * s, 0,
        x * z * d + y * s, y * z * d - x * s, z * z * d + c, 0, 0, 0, 0, 1];
}

const byRows = m => identity.map((_, i) => m[4 * (i % 4) + Math.floor(i / 4)]);

function lookAt(numbers) {
    const [eye, point, up] = [0, 3, 6].map(i => numbers.slice(i, i + 3));
    const back = unit(eye.map((value, i) => value - point[i])), right = unit(cross(up, back ?? [0, 0, 0]));
    return back && right ? [...right, 0, ...cross(back, right), 0, ...back, 0, ...eye, 1] : identity;
}

const transforms = {
    matrix: byRows, rotate: rotation, lookat: lookAt,
    translate: t => [...identity.slice(0, 12), ...t, 1],
    scale: ([x, y, z]) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1],
};
const lengths = { matrix: 16, rotate: 4, lookat: 9, translate: 3, scale: 3 };

class Scene {
    look = new Look(); #shown = 0; #paints = new Map();

    visit(dae, node, above, trail) {
        if (trail.includes(node))
            throw new Refused('a node contains itself');
        if (++this.#shown > most)
            throw new Refused('too many nodes');
        let matrix = above;
        for (const child of node.children)
            if (transforms[child.name]) {
                const numbers = child.numbers.slice(0, lengths[child.name]);
                if (numbers.length < lengths[child.name] || !numbers.every(Number.isFinite))
                    throw new Refused(`<${child.name}> of ${child.text.trim()}`);
                matrix = multiply(matrix, transforms[child.name](numbers));
            }
        for (const child of node.children)
            if (child.name === 'node')
                this.visit(dae, child, matrix, [...trail, node]);
            else if (child.name === 'instance_node')
                this.#further(dae, 'node', child, found => this.visit(found.dae, found.element, matrix, [...trail, node]));
            else if (child.name === 'instance_geometry')
                this.#further(dae, 'geometry', child, found => this.draw(dae, child, found, matrix));
            else if (child.name === 'instance_controller')
                this.#controller(dae, child, matrix);
    }

    #further(dae, name, instance, use) {
        const found = dae.resolve(name, instance.attributes.url);
        if (found)
            use(found);
        else
            this.look.says.add('file');
    }

    // The mesh of a skin or morph, as it was bound.
    #controller(dae, instance, matrix) {
        let url = instance.attributes.url, at = dae;
        for (let steps = 0; steps < 10; steps++) {
            const controller = at.resolve('controller', url);
            if (!controller) {
                this.#further(at, 'geometry', { attributes: { url } }, found => this.draw(dae, instance, found, matrix));
                return;
            }
            const kind = controller.element.first('skin') ?? controller.element.first('morph');
            const bind = kind?.first('bind_shape_matrix')?.numbers;
            matrix = bind?.length === 16 ? multiply(matrix, byRows(bind)) : matrix;
            this.look.says.add('skin');
            url = kind?.attributes.source ?? kind?.first('source')?.text.trim();
            at = controller.dae;
        }
    }

    /* The paint of a symbol in an instance, and the sets of coordinates that it binds. A symbol that is bound nowhere may
     * be the id of a material. */
    #paint(dae, instance, symbol, home) {
        const bound = [...instance.below('instance_material')].find(each => each.attributes.symbol === symbol);
        const material = bound ? dae.resolve('material', bound.attributes.target)
            : symbol === undefined ? null : home.resolve('material', `#${symbol}`);
        if (!bound && symbol !== undefined)
            this.look.says.add('unbound');
        if (!material)
            return { rgb: null, solid: true };
        if (!this.#paints.has(material.element))
            this.#paints.set(material.element, paintOf(material.dae, material.element, this.look.says));
        const paint = this.#paints.get(material.element);
        const input = bound?.all('bind_vertex_input').find(({ attributes }) => attributes.semantic === paint.texcoord);
        return { ...paint, set: input ? Number(input.attributes.input_set ?? 0) : null };
    }

    draw(dae, instance, { dae: home, element }, matrix) {
        const mesh = home.mesh(element), turned = mirrors(matrix);
        for (const { material, point, colour, uv, pieces, isLine } of mesh?.primitives() ?? []) {
            const paint = this.#paint(dae, instance, material, home), coordinates = uv(paint.set);
            const at = corner => place(matrix, point(corner));
            for (const { corners, holes = [] } of pieces) {
                if (isLine) {
                    if (corners.length > 1)
                        this.look.line(corners.map(at));
                    continue;
                }
                if (corners.length < 3)
                    continue;
                const list = turned ? corners.toReversed() : corners;
                this.look.face(list.map(at), { ...paint, uv: coordinates && list.map(coordinates),
                    colours: colour && list.map(colour) }, holes.map(hole => hole.map(at)));
            }
        }
    }
}

function readDocument(bytes, context) {
    const dae = new Document(bytes, context.files, context.folder), scene = new Scene();
    const named = dae.root.first('scene', 'instance_visual_scene')?.attributes.url;
    const found = dae.resolve('visual_scene', named) ?? (named ? null : dae.resolve('visual_scene', '#') ?? first(dae));
    for (const node of found?.element.all('node') ?? [])
        scene.visit(found.dae, node, dae.frame, []);
    return scene.look;
}

function first(dae) {
    const element = [...dae.root.below('visual_scene')][0];
    return element ? { dae, element } : null;
}

export function readDae(bytes, context) {
    if (bytes.toString('latin1', 0, 2) !== 'PK')
        return readDocument(bytes, context);
    const archive = new Archive(bytes), manifest = archive.read('manifest.xml');
    const root = manifest && parseXml(textOf(manifest)).text.trim();
    const only = [...archive.entries.keys()].filter(name => /\.dae$/i.test(name));
    const name = root ? path.posix.normalize(decodeURIComponent(root.split('#')[0])) : only.length === 1 ? only[0] : null;
    const inside = name && archive.read(name);
    if (!inside)
        throw new Refused('the archive has no .dae that is meant');
    return readDocument(inside, { files: archive, folder: path.posix.dirname(name) });
}

// XML as a tree. A node has name (without a prefix), prefix, attributes, children, text (of all its own pieces) and
// parent. Comments, processing instructions and CDATA as the specification has them; no entities but the five.
import { Refused } from './look.mjs';

const entities = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const unescape = text => text.includes('&') ? text.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name) =>
    name[0] !== '#' ? entities[name] ?? whole
        : String.fromCodePoint(/^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1)))) : text;

export class Node {
    children = []; text = '';
    constructor(name, attributes, parent) {
        const colon = name.indexOf(':');
        Object.assign(this, { name: name.slice(colon + 1), prefix: name.slice(0, Math.max(0, colon)), attributes, parent });
    }
    all(name) { return this.children.filter(child => child.name === name); }
    first(...names) { // a path downwards
        let at = this;
        for (const name of names)
            at = at?.children.find(child => child.name === name);
        return at ?? null;
    }
    *below(name) { // in document order
        for (const child of this.children) {
            if (child.name === name)
                yield child;
            yield* child.below(name);
        }
    }
    get numbers() { return numbersOf(this.text); }
    get words() { return this.text.split(/\s+/).filter(word => word); }
}

// Numbers, with the decimal commas that one exporter of COLLADA writes.
export function numbersOf(text) {
    const words = text.trim().split(/\s+/);
    return words.length === 1 && words[0] === '' ? []
        : words.map(word => Number(/^[-+\d]*,\d+/.test(word) ? word.replace(',', '.') : word));
}

const attributesOf = text => Object.fromEntries([...text.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
    .map(([, name, double, single]) => [name, unescape(double ?? single)]));

const tag = /<([^\s/>]+)((?:[^"'>/]|"[^"]*"|'[^']*'|\/(?!>))*)(\/?)>/y;

/* The root element. What stands before the first < is left out, and the document ends with its root: both are met in real
 * files. */
export function parseXml(text) {
    let at = text.indexOf('<'), root = null, open = null;
    const until = (mark, from) => {
        const end = text.indexOf(mark, from);
        if (end < 0)
            throw new Refused(`the XML ends within something: no ${mark}`);
        return end;
    };
    while (at >= 0 && at < text.length) {
        if (text.startsWith('<!--', at)) {
            at = until('-->', at + 4) + 3;
        } else if (text.startsWith('<![CDATA[', at)) {
            const end = until(']]>', at);
            if (open)
                open.text += text.slice(at + 9, end);
            at = end + 3;
        } else if (text.startsWith('<?', at)) {
            at = until('?>', at) + 2;
        } else if (text.startsWith('<!', at)) {
            throw new Refused('a DOCTYPE');
        } else if (text[at + 1] === '/') {
            const end = until('>', at), name = text.slice(at + 2, end).trim();
            if (!open || name !== (open.prefix ? open.prefix + ':' : '') + open.name)
                throw new Refused(`</${name}> closes <${open?.name}>`);
            open = open.parent;
            if (!open)
                return root;
            at = end + 1;
        } else {
            tag.lastIndex = at;
            const [whole, name, rest, empty] = tag.exec(text) ?? [];
            if (!whole)
                throw new Refused(`no element at ${JSON.stringify(text.slice(at, at + 30))}`);
            const node = new Node(name, attributesOf(rest), open);
            open?.children.push(node);
            root ??= node;
            if (!empty)
                open = node;
            else if (!open)
                return root;
            at += whole.length;
        }
        const next = text.indexOf('<', at);
        const piece = text.slice(at, next < 0 ? text.length : next);
        if (piece.includes('\0'))
            throw new Refused('a zero byte within the document');
        if (open)
            open.text += unescape(piece);
        at = next;
    }
    throw new Refused(root ? `<${open.name}> does not end` : 'no element');
}

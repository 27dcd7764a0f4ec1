// A validator of JSON Schema (draft 2020-12), for the words that docs/live.md uses; another word is an error, so that none
// is passed over.
const kinds = {
    object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
    array: Array.isArray,
    string: value => typeof value === 'string',
    number: value => typeof value === 'number',
    integer: Number.isInteger,
    boolean: value => typeof value === 'boolean',
    null: value => value === null,
};
const sizeOf = text => [...text].length;
const isObject = kinds.object, isArray = kinds.array, isText = kinds.string, isNumber = kinds.number;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// Each rule returns what is wrong, or nothing. check(schema, value, place) goes on.
const rules = {
    $schema: () => '',
    $defs: () => '',
    $ref: (name, value, place, check, root) => check(name.replace('#/', '').split('/').reduce((at, key) => at[key], root), value, place),
    type: (type, value, place) => [type].flat().some(name => kinds[name](value)) ? '' : `${place}: no ${[type].flat().join(' or ')}`,
    const: (wanted, value, place) => same(wanted, value) ? '' : `${place}: not ${wanted}`,
    enum: (wanted, value, place) => wanted.some(one => same(one, value)) ? '' : `${place}: none of ${wanted.join(', ')}`,
    required: (names, value, place) => isObject(value) ? names.filter(name => !Object.hasOwn(value, name)).map(name => `${place}: no "${name}"`)[0] : '',
    properties: (parts, value, place, check) => isObject(value) ? firstOf(Object.entries(parts).filter(([name]) => Object.hasOwn(value, name)),
        ([name, part]) => check(part, value[name], `${place}.${name}`)) : '',
    additionalProperties: (part, value, place, check, root, all) => isObject(value) ? firstOf(
        Object.keys(value).filter(name => !Object.hasOwn(all.properties ?? {}, name)),
        name => part === false ? `${place}: "${name}" is not known` : check(part, value[name], `${place}.${name}`)) : '',
    prefixItems: (parts, value, place, check) => isArray(value) ? firstOf(parts.slice(0, value.length).map((part, i) => [part, i]),
        ([part, i]) => check(part, value[i], `${place}[${i}]`)) : '',
    items: (part, value, place, check, root, all) => isArray(value) ? firstOf([...value.keys()].slice(all.prefixItems?.length ?? 0),
        i => check(part, value[i], `${place}[${i}]`)) : '',
    minItems: (count, value, place) => isArray(value) && value.length < count ? `${place}: fewer than ${count}` : '',
    maxItems: (count, value, place) => isArray(value) && value.length > count ? `${place}: more than ${count}` : '',
    minLength: (count, value, place) => isText(value) && sizeOf(value) < count ? `${place}: shorter than ${count}` : '',
    pattern: (text, value, place) => isText(value) && !new RegExp(text, 'u').test(value) ? `${place}: not as ${text}` : '',
    minimum: (bound, value, place) => isNumber(value) && value < bound ? `${place}: less than ${bound}` : '',
    maximum: (bound, value, place) => isNumber(value) && value > bound ? `${place}: more than ${bound}` : '',
    oneOf: (parts, value, place, check) => {
        const wrong = parts.map(part => check(part, value, place)), good = wrong.filter(text => !text).length;
        return good === 1 ? '' : good > 1 ? `${place}: ${good} fit, not one` : `${place}: none fits: ${wrong.join('; ')}`;
    },
};

function firstOf(list, act) {
    for (const one of list) {
        const wrong = act(one);
        if (wrong) return wrong;
    }
    return '';
}

// Returns a function (value) -> '' or what is wrong, for a part of the schema ('' is all of it).
export function makeValidator(root, name = '') {
    const check = (schema, value, place) => firstOf(Object.entries(schema), ([word, rule]) => {
        if (!rules[word]) throw new Error(`the validator does not know "${word}"`);
        return rules[word](rule, value, place, check, root, schema) ?? '';
    });
    const part = name ? root.$defs[name] : root;
    return value => check(part, value, name || 'message');
}

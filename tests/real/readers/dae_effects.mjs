// Materials of COLLADA: the colour, opacity and texture that profile_COMMON of an effect says.
import { grey, imageOf, toLinear, white } from './look.mjs';

const shaders = ['phong', 'lambert', 'blinn', 'constant'];
const luminance = ([r, g, b]) => 0.212671 * r + 0.71516 * g + 0.072169 * b;

// Finds what a sid names: in the material's own settings, then in technique, profile and effect.
class Scope {
    constructor(material, effect, profile, technique) {
        this.set = material?.first('instance_effect')?.all('setparam') ?? [];
        this.scopes = [technique, profile, effect].filter(scope => scope);
    }
    param(sid) {
        const set = this.set.find(param => param.attributes.ref === sid);
        return set ?? this.scopes.flatMap(scope => scope.all('newparam')).find(param => param.attributes.sid === sid) ?? null;
    }
    image(id) {
        return this.scopes.flatMap(scope => scope.all('image')).find(image => image.attributes.id === id) ?? null;
    }
    // Numbers of a <color>, a <float>, or a <param> that names one.
    numbers(element) {
        const own = element?.first('color') ?? element?.first('float');
        if (own)
            return own.numbers;
        const ref = element?.first('param')?.attributes.ref, param = ref && this.param(ref);
        return param?.children.find(child => /^float[34]?$/.test(child.name))?.numbers ?? null;
    }
}

// The image element that texture= means, by a sampler and a surface or without them.
function imageElement(dae, scope, name) {
    for (let steps = 0; name && steps < 4; steps++) {
        const image = scope.image(name) ?? dae.byId('image', name);
        const param = scope.param(name);
        if (!param)
            return image;
        const kind = param.children.find(child => /^(sampler2D|surface|samplerRECT)$/.test(child.name));
        const instance = kind?.first('instance_image')?.attributes.url;
        name = instance ? instance.replace(/^#/, '') : (kind?.first('source') ?? kind?.first('init_from'))?.text.trim();
        if (instance)
            return scope.image(name) ?? dae.byId('image', name);
    }
    return null;
}

function imageBytes(dae, image) {
    const from = image?.first('init_from'), name = (from?.first('ref') ?? from)?.text.trim();
    return name ? dae.files.find(name, dae.folder) : null;
}

// By opaque=. Exactly 0 was written for opaque surfaces.
function alphaOf(shader, scope, diffuse, says) {
    const transparent = shader.first('transparent'), transparency = scope.numbers(shader.first('transparency'))?.[0];
    if (!transparent && transparency === undefined)
        return 1;
    const mode = transparent?.attributes.opaque ?? 'A_ONE', t = transparency ?? 1, texture = transparent?.first('texture');
    if (texture && mode !== 'A_ONE')
        return 1;
    const c = scope.numbers(transparent) ?? [1, 1, 1, 1];
    const alpha = { A_ONE: (c[3] ?? 1) * t, A_ZERO: 1 - (c[3] ?? 1) * t, RGB_ZERO: 1 - luminance(c) * t,
        RGB_ONE: luminance(c) * t }[mode] ?? (c[3] ?? 1) * t;
    if (Math.abs(alpha) >= 1e-6)
        return alpha;
    says.add('transparent');
    return 1;
}

/* The paint of a material: rgb null where the effect says nothing of a colour. texcoord is the name by which an instance
 * binds coordinates. */
export function paintOf(dae, material, says) {
    const url = material.first('instance_effect')?.attributes.url;
    const { dae: home, element: effect } = dae.resolve('effect', url) ?? {};
    const profile = effect?.first('profile_COMMON'), technique = profile?.first('technique');
    const shader = technique?.children.find(child => shaders.includes(child.name));
    if (!shader)
        return { rgb: null };
    const scope = new Scope(material, effect, profile, technique), diffuse = shader.first('diffuse');
    const glow = shader.first('emission'), glowing = glow?.first('texture')?.attributes.texture;
    const emission = glowing && imageBytes(home, imageElement(home, scope, glowing)) ? white : scope.numbers(glow);
    const paint = { alpha: alphaOf(shader, scope, diffuse, says), solid: true,
        emission: emission && emission.slice(0, 3).map(value => toLinear(Math.min(1, Math.max(0, value)))) };
    const texture = diffuse?.first('texture');
    if (texture) {
        const bytes = imageBytes(home, imageElement(home, scope, texture.attributes.texture));
        if (!bytes)
            says.add('image');
        return { ...paint, rgb: white, image: bytes ? imageOf(bytes) : null, texcoord: texture.attributes.texcoord };
    }
    const rgb = scope.numbers(diffuse)?.slice(0, 3), shines = emission?.slice(0, 3).some(value => value > 0);
    return { ...paint, rgb: rgb ?? (shines ? [0, 0, 0] : grey), unlit: shader.name === 'constant' && !rgb };
}

/* Materials of the scene. Colours are sRGB. */
#include "mesh/mesh.h"

#include "collada.h"

/* A material while it is made: the channels of its effect with its own params. */
struct look {
    struct collada_document *document; /* the material's */
    struct collada_document *owner;    /* the effect's */
    const struct collada_material *material;
    const struct collada_effect *effect;
    struct collada_channel terms[COLLADA_TERMS];
};

static void tell(const struct look *look, enum collada_finding finding)
{
    look->document->collada->counts[finding]++;
}

/* ---- channels ---- */

/* Puts the numbers of the material's own params in place of those of the effect. */
static void set_params(struct look *look)
{
    for (uint32_t i = 0; i < look->material->param_count; i++) {
        const struct collada_param *param = &look->document->params[look->material->first_param + i];
        for (int term = 0; term < COLLADA_TERMS && param->count > 0; term++) {
            struct collada_channel *channel = &look->terms[term];
            if (channel->kind != COLLADA_PARAM || strcmp(channel->name, param->sid) != 0)
                continue;
            memcpy(channel->rgba, param->numbers, sizeof channel->rgba);
            channel->count = param->count;
        }
    }
}

/* Makes colours of params, which have an alpha of 1 if they have three numbers, and limits colours to 0 .. 1. */
static void settle_terms(struct look *look)
{
    for (int term = 0; term < COLLADA_TERMS; term++) {
        struct collada_channel *channel = &look->terms[term];
        bool is_param = channel->kind == COLLADA_PARAM;
        uint32_t least = term < COLLADA_SHININESS ? 3 : 1;
        if (is_param || channel->kind == COLLADA_COLOUR)
            channel->kind = channel->count >= least ? COLLADA_COLOUR : COLLADA_NOTHING;
        look->document->collada->counts[COLLADA_TOLD_PARAMS] += is_param && channel->kind == COLLADA_NOTHING;
        if (channel->count < 4 && term < COLLADA_SHININESS)
            channel->rgba[3] = 1;
        for (int i = 0; i < 4 && term < COLLADA_SHININESS; i++) {
            double limited = within_unit(channel->rgba[i]);
            look->document->collada->counts[COLLADA_TOLD_RANGES] += limited != channel->rgba[i];
            channel->rgba[i] = limited;
        }
        if (channel->kind == COLLADA_COLOUR && !isfinite(channel->rgba[0]))
            channel->kind = COLLADA_NOTHING;
    }
}

static bool has_colour(const struct look *look, enum collada_term term)
{
    return look->terms[term].kind == COLLADA_COLOUR;
}

static bool is_black(const struct look *look, enum collada_term term)
{
    const double *rgba = look->terms[term].rgba;
    return !has_colour(look, term) || (rgba[0] == 0 && rgba[1] == 0 && rgba[2] == 0);
}

/* ---- opacity ---- */

/* Returns alpha by the specification: "transparent" and "transparency". The numbers weigh the colours by brightness. */
static double alpha_of(const struct look *look)
{
    const struct collada_channel *transparent = &look->terms[COLLADA_TRANSPARENT];
    double t = has_colour(look, COLLADA_TRANSPARENCY) ? look->terms[COLLADA_TRANSPARENCY].rgba[0] : 1;
    const double white[4] = {1, 1, 1, 1}, *c = transparent->kind == COLLADA_COLOUR ? transparent->rgba : white;
    double brightness = 0.212671 * c[0] + 0.715160 * c[1] + 0.072169 * c[2], alpha = c[3] * t;
    if (look->effect->opaque == COLLADA_A_ZERO)
        alpha = 1 - c[3] * t;
    else if (look->effect->opaque == COLLADA_RGB_ZERO)
        alpha = transparent->kind != COLLADA_COLOUR ? 1 : 1 - brightness * t;
    else if (look->effect->opaque == COLLADA_RGB_ONE)
        alpha = brightness * t;
    const double rounding = 1e-9;
    return alpha < rounding ? 0 : alpha > 1 - rounding ? 1 : alpha;
}

/* Sets alpha. What would not be seen at all is opaque: nearly all programs that write it mean so. */
static void set_alpha(const struct look *look, cp_material *material)
{
    material->rgba[3] = alpha_of(look);
    if (material->rgba[3] > 0 || look->document->collada->settings->transparency == 1)
        return;
    material->rgba[3] = 1;
    tell(look, COLLADA_TOLD_CLEAR);
}

/* ---- colours ---- */

/* Sets the base colour and the emission. */
static void set_colours(const struct look *look, cp_material *material)
{
    const double *emission = look->terms[COLLADA_EMISSION].rgba;
    enum collada_term base = COLLADA_DIFFUSE;
    bool shines = !is_black(look, COLLADA_EMISSION) || look->terms[COLLADA_EMISSION].kind == COLLADA_TEXTURE;
    /* SketchUp's lines have their colour in <transparent> alone. */
    if (look->effect->is_constant && !shines && has_colour(look, COLLADA_TRANSPARENT) && !has_colour(look, base))
        base = COLLADA_TRANSPARENT;
    for (int i = 0; i < 3; i++) {
        material->rgba[i] = has_colour(look, base)                                 ? look->terms[base].rgba[i]
                            : look->terms[COLLADA_DIFFUSE].kind == COLLADA_TEXTURE ? 1
                            : shines                                               ? 0
                                                                                   : PLAIN_GREY;
        if (has_colour(look, COLLADA_EMISSION))
            material->emissive[i] = linear_from_srgb(emission[i]);
    }
    if (!has_colour(look, base) && look->terms[COLLADA_DIFFUSE].kind != COLLADA_TEXTURE && !shines)
        tell(look, COLLADA_TOLD_COLOURLESS);
}

/* Keeps the channels that the scene has no place for, unless they say nothing. */
static cp_status keep_properties(const struct look *look, uint32_t target)
{
    static const enum collada_term kept[] = {COLLADA_AMBIENT,   COLLADA_SPECULAR,     COLLADA_REFLECTIVE,
                                             COLLADA_SHININESS, COLLADA_REFLECTIVITY, COLLADA_REFRACTION};
    struct collada *collada = look->document->collada;
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof kept / sizeof *kept && status == CP_OK; i++) {
        const double *rgba = look->terms[kept[i]].rgba;
        bool is_number = kept[i] >= COLLADA_SHININESS;
        bool says_nothing = is_number ? rgba[0] == (kept[i] == COLLADA_REFRACTION) : is_black(look, kept[i]);
        if (!has_colour(look, kept[i]) || says_nothing)
            continue;
        const char *key = arena_print(collada->arena, "collada.%s", collada_term_name(kept[i]));
        if (!key ||
            !scene_add_numbers(collada->scene, CP_OWNER_MATERIAL, target, key, rgba, is_number ? 1 : 3, !is_number))
            status = CP_LIMIT;
    }
    return status;
}

/* ---- textures ---- */

/* Adds the texture of a channel, if its image is there; *added: it is. */
static cp_status add_use(const struct look *look, enum collada_term term, enum cp_texture_role role, uint32_t set,
                         cp_texture_use *uses, uint32_t *count)
{
    const struct collada_channel *channel = &look->terms[term];
    uint32_t texture;
    cp_status status = collada_find_texture(look->owner, channel, &texture);
    if (status != CP_OK || texture == CP_NONE)
        return status;
    cp_texture_use *use = &uses[(*count)++];
    *use = (cp_texture_use){.role = role, .texture = texture, .set = set, .strength = 1};
    for (int i = 0; i < 2; i++)
        use->scale[i] = channel->repeat[i];
    use->offset[0] = channel->offset[0];
    use->offset[1] = 1 - channel->repeat[1] - channel->offset[1]; /* v counts from the upper edge */
    return CP_OK;
}

static void count_textures(const struct look *look)
{
    for (int term = 0; term < COLLADA_TERMS; term++)
        if (term != COLLADA_DIFFUSE && term != COLLADA_EMISSION && look->terms[term].kind == COLLADA_TEXTURE)
            tell(look, term == COLLADA_TRANSPARENT ? COLLADA_TOLD_CUTS : COLLADA_TOLD_TEXTURES);
}

/* Adds the textures. slot: the set of the mesh's coordinates, or CP_COORDINATE_SETS where it has none. */
static cp_status set_textures(struct look *look, uint32_t slot, cp_material *material)
{
    cp_texture_use uses[2];
    uint32_t count = 0;
    const struct collada_channel *diffuse = &look->terms[COLLADA_DIFFUSE];
    struct collada_channel *transparent = &look->terms[COLLADA_TRANSPARENT];
    bool is_textured = diffuse->kind == COLLADA_TEXTURE || look->terms[COLLADA_EMISSION].kind == COLLADA_TEXTURE;
    cp_status status = CP_OK;
    if (slot < CP_COORDINATE_SETS && diffuse->kind == COLLADA_TEXTURE)
        status = add_use(look, COLLADA_DIFFUSE, CP_TEXTURE_BASE_COLOUR, slot, uses, &count);
    bool has_alpha = count > 0 && transparent->kind == COLLADA_TEXTURE &&
                     strcmp(transparent->image, diffuse->image) == 0 && look->effect->opaque <= COLLADA_A_ONE;
    if (has_alpha)
        transparent->kind = COLLADA_NOTHING; /* the image's alpha says the same */
    uint32_t before = count;
    if (status == CP_OK && slot < CP_COORDINATE_SETS && look->terms[COLLADA_EMISSION].kind == COLLADA_TEXTURE)
        status = add_use(look, COLLADA_EMISSION, CP_TEXTURE_EMISSIVE, slot, uses, &count);
    for (int i = 0; i < 3 && count > before; i++)
        material->emissive[i] = 1;
    if (is_textured && slot == CP_COORDINATE_SETS)
        tell(look, COLLADA_TOLD_BARE);
    count_textures(look);
    if (count == 0 || status != CP_OK)
        return status;
    material->alpha = has_alpha || material->rgba[3] < 1 ? CP_ALPHA_BLEND : CP_ALPHA_OPAQUE;
    material->texture_count = count;
    material->textures = arena_copy(look->document->collada->scene->arena, uses, count, sizeof *uses);
    return material->textures ? CP_OK : CP_LIMIT;
}

/* ---- materials ---- */

static cp_status make_material(struct look *look, uint32_t slot, uint32_t *target)
{
    cp_scene *scene = look->document->collada->scene;
    const struct collada_material *from = look->material;
    const char *name = scene_text(scene, *from->name ? from->name : from->id);
    cp_material material = {.rgba = {1, 1, 1, 1}};
    memcpy(look->terms, look->effect->terms, sizeof look->terms);
    set_params(look);
    settle_terms(look);
    set_colours(look, &material);
    set_alpha(look, &material);
    cp_status status = name ? set_textures(look, slot, &material) : CP_LIMIT;
    *target = status == CP_OK ? scene_add_material(scene, name, material.rgba, true) : CP_NONE;
    if (*target == CP_NONE)
        return status == CP_OK ? CP_LIMIT : status;
    cp_material *added = &scene->materials[*target];
    added->two_sided = look->effect->two_sided;
    memcpy(added->emissive, material.emissive, sizeof added->emissive);
    if (material.texture_count > 0) {
        added->alpha = material.alpha;
        added->textures = material.textures;
        added->texture_count = material.texture_count;
    }
    return keep_properties(look, *target);
}

/* Finds the name by which the effect's first texture selects its coordinates; NULL if it has no texture. */
static const char *texcoord_of(const struct collada_effect *effect)
{
    static const enum collada_term textured[] = {COLLADA_DIFFUSE, COLLADA_EMISSION};
    for (int i = 0; i < 2; i++)
        if (effect->terms[textured[i]].kind == COLLADA_TEXTURE)
            return effect->terms[textured[i]].texcoord;
    return NULL;
}

/* Finds the place of the bound set among those of the group; without binding, or if the set is not there, the lowest
 * set. The name says nothing by itself. */
static uint32_t find_slot(const struct collada_document *document, const struct collada_binding *binding,
                          const struct collada_group *group, const char *texcoord)
{
    uint32_t slot = 0;
    if (group->set_count == 0)
        return CP_COORDINATE_SETS;
    for (uint32_t i = 0; binding && i < binding->set_count; i++) {
        const struct collada_set *set = &document->sets[binding->first_set + i];
        for (uint32_t k = 0; k < group->set_count; k++)
            if (strcmp(set->name, texcoord) == 0 && group->sets[k] == set->number)
                slot = k;
    }
    return slot;
}

/* Finds the row of the group's material: bound to its symbol, or else with its symbol as id. */
static cp_status find_row(struct collada_document *document, const struct collada_binding *binding,
                          const struct collada_group *group, struct collada_document **owner, uint32_t *row)
{
    *row = CP_NONE;
    *owner = document;
    if (!group->symbol)
        return CP_OK;
    if (binding)
        return collada_find(document, COLLADA_MATERIALS, binding->target, owner, row);
    const uint32_t *found = name_map_find(&document->ids[COLLADA_MATERIALS], group->symbol);
    *row = found ? *found : CP_NONE;
    document->collada->counts[found ? COLLADA_TOLD_SYMBOL_IDS : COLLADA_TOLD_UNBOUND]++;
    return CP_OK;
}

cp_status collada_find_material(struct collada_document *document, const struct collada_binding *binding,
                                const struct collada_group *group, uint32_t *target)
{
    struct look look = {0};
    uint32_t row, effect;
    *target = CP_NONE;
    cp_status status = find_row(document, binding, group, &look.document, &row);
    if (status != CP_OK || row == CP_NONE)
        return status;
    struct collada_material *material = &look.document->materials[row];
    status = collada_find(look.document, COLLADA_EFFECTS, material->effect, &look.owner, &effect);
    if (status != CP_OK || effect == CP_NONE)
        return status;
    look.material = material;
    look.effect = &look.owner->effects[effect];
    const char *texcoord = texcoord_of(look.effect);
    uint32_t slot = texcoord ? find_slot(document, binding, group, texcoord) : 0;
    if (material->targets[slot] == CP_NONE)
        status = make_material(&look, slot, &material->targets[slot]);
    else if (slot == CP_COORDINATE_SETS)
        tell(&look, COLLADA_TOLD_BARE);
    *target = material->targets[slot];
    return status;
}

/* Effects. At the end of an effect its params are resolved: a channel then has its numbers, or the image and the
 * sampler of its texture. */
#include "collada.h"

#include "base/text/text.h"

/* The place in an effect whose elements are read. */
struct effect_place {
    uint32_t row; /* of the effect */
    enum collada_scope scope;
    uint32_t term; /* the channel that is read */
};

static struct collada_channel *channel_of(struct collada_document *document, const struct effect_place *at)
{
    return &document->effects[at->row].terms[at->term];
}

static cp_status read_newparam(struct collada_document *document, void *into)
{
    return collada_read_param(document, "sid", ((const struct effect_place *)into)->scope);
}

/* ---- channels ---- */

static cp_status read_colour(struct collada_document *document, void *into)
{
    struct collada_param read = {.count = 0};
    struct collada_channel *channel = channel_of(document, into);
    cp_status status = collada_read_values(document, &read);
    channel->kind = COLLADA_COLOUR;
    memcpy(channel->rgba, read.numbers, read.count * sizeof *read.numbers);
    channel->count = read.count;
    return status;
}

static cp_status read_reference(struct collada_document *document, void *into)
{
    struct collada_channel *channel = channel_of(document, into);
    channel->kind = COLLADA_PARAM;
    channel->name = collada_attribute(document, "ref");
    return channel->name ? CP_OK : CP_LIMIT;
}

/* Reads where 3ds Max and Maya place the texture. */
static cp_status read_placing(struct collada_document *document, void *into)
{
    struct collada_channel *channel = channel_of(document, into);
    const char *name = document->xml.name;
    double *numbers = *name == 'r' ? channel->repeat : channel->offset;
    int axis = name[strlen(name) - 1] == 'V';
    const char *text = collada_text(document);
    double value;
    if (!text)
        return document->xml.status != CP_OK ? document->xml.status : CP_LIMIT;
    if (text_is_number(text, &value) && (value != 0 || numbers == channel->offset))
        numbers[axis] = value;
    return CP_OK;
}

static cp_status read_texture_technique(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"repeatU", read_placing},
                                                      {"repeatV", read_placing},
                                                      {"offsetU", read_placing},
                                                      {"offsetV", read_placing},
                                                      {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_texture_extra(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"technique", read_texture_technique}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_texture(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"extra", read_texture_extra}, {NULL, NULL}};
    struct collada_channel *channel = channel_of(document, into);
    channel->kind = COLLADA_TEXTURE;
    channel->name = collada_attribute(document, "texture");
    channel->texcoord = collada_attribute(document, "texcoord");
    channel->repeat[0] = channel->repeat[1] = 1;
    if (!channel->name || !channel->texcoord)
        return CP_LIMIT;
    return collada_read_children(document, elements, into);
}

static const char *const term_names[COLLADA_TERMS] = {
    [COLLADA_EMISSION] = "emission",         [COLLADA_AMBIENT] = "ambient",
    [COLLADA_DIFFUSE] = "diffuse",           [COLLADA_SPECULAR] = "specular",
    [COLLADA_REFLECTIVE] = "reflective",     [COLLADA_TRANSPARENT] = "transparent",
    [COLLADA_SHININESS] = "shininess",       [COLLADA_REFLECTIVITY] = "reflectivity",
    [COLLADA_TRANSPARENCY] = "transparency", [COLLADA_REFRACTION] = "index_of_refraction",
};

const char *collada_term_name(enum collada_term term)
{
    return term_names[term];
}

static cp_status read_term(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"color", read_colour},
                                                      {"float", read_colour},
                                                      {"param", read_reference},
                                                      {"texture", read_texture},
                                                      {NULL, NULL}};
    static const char *const modes[] = {[COLLADA_A_ONE] = "A_ONE",
                                        [COLLADA_A_ZERO] = "A_ZERO",
                                        [COLLADA_RGB_ZERO] = "RGB_ZERO",
                                        [COLLADA_RGB_ONE] = "RGB_ONE"};
    struct effect_place *at = into;
    at->term = 0;
    while (strcmp(document->xml.name, term_names[at->term]) != 0)
        at->term++;
    const char *opaque = at->term == COLLADA_TRANSPARENT ? xml_attribute(&document->xml, "opaque") : NULL;
    for (enum collada_opaque mode = COLLADA_A_ONE; opaque && mode <= COLLADA_RGB_ONE; mode++)
        if (strcmp(opaque, modes[mode]) == 0)
            document->effects[at->row].opaque = mode;
    return collada_read_children(document, elements, into);
}

static cp_status read_shader(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"emission", read_term},
        {"ambient", read_term},
        {"diffuse", read_term},
        {"specular", read_term},
        {"reflective", read_term},
        {"transparent", read_term},
        {"shininess", read_term},
        {"reflectivity", read_term},
        {"transparency", read_term},
        {"index_of_refraction", read_term},
        {NULL, NULL},
    };
    struct collada_effect *effect = &document->effects[((const struct effect_place *)into)->row];
    effect->is_constant = strcmp(document->xml.name, "constant") == 0;
    return collada_read_children(document, elements, into);
}

/* ---- extras ---- */

static cp_status read_double_sided(struct collada_document *document, void *into)
{
    uint32_t row = ((const struct effect_place *)into)->row;
    const char *text;
    cp_status status = collada_read_text(document, &text);
    if (status == CP_OK && (strcmp(text, "1") == 0 || text_equal_nocase(text, "true")))
        document->effects[row].two_sided = true;
    return status;
}

static cp_status count_bump(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_BUMPS]++;
    return CP_OK;
}

static cp_status read_extra_technique(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"double_sided", read_double_sided}, {"bump", count_bump}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_extra(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"technique", read_extra_technique}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

/* ---- effects ---- */

static const struct collada_param *find_param(const struct collada_document *document,
                                              const struct collada_effect *effect, const char *sid)
{
    const struct collada_param *best = NULL;
    for (uint32_t i = 0; i < effect->param_count; i++) {
        const struct collada_param *param = &document->params[effect->first_param + i];
        if (strcmp(param->sid, sid) == 0 && (!best || param->scope < best->scope))
            best = param;
    }
    return best;
}

/* Finds the image of a texture: it names a sampler, which names a surface, which names an image. Programs leave out
 * both, or one. */
static void resolve_texture(struct collada_document *document, const struct collada_effect *effect,
                            struct collada_channel *channel)
{
    const struct collada_param *param = find_param(document, effect, channel->name);
    channel->image = channel->name;
    channel->is_short = !param;
    if (param && param->kind == COLLADA_PARAM_SAMPLER) {
        channel->sampler = param->sampler;
        channel->image = *param->image ? param->image : param->reads;
        const struct collada_param *surface = *param->image ? NULL : find_param(document, effect, param->reads);
        channel->is_short = !*param->image && !surface;
        if (surface)
            param = surface;
    }
    if (param && param->kind == COLLADA_PARAM_SURFACE)
        channel->image = param->reads;
}

static void resolve_terms(struct collada_document *document, struct collada_effect *effect)
{
    for (uint32_t term = 0; term < COLLADA_TERMS; term++) {
        struct collada_channel *channel = &effect->terms[term];
        const struct collada_param *param =
            channel->kind == COLLADA_PARAM ? find_param(document, effect, channel->name) : NULL;
        if (channel->kind == COLLADA_TEXTURE)
            resolve_texture(document, effect, channel);
        if (param) {
            memcpy(channel->rgba, param->numbers, sizeof channel->rgba);
            channel->count = param->count;
        }
    }
}

static cp_status read_technique(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"newparam", read_newparam}, {"image", collada_read_image}, {"phong", read_shader}, {"blinn", read_shader},
        {"lambert", read_shader},    {"constant", read_shader},     {"extra", read_extra},  {NULL, NULL},
    };
    struct effect_place at = *(struct effect_place *)into;
    at.scope = COLLADA_IN_TECHNIQUE;
    return collada_read_children(document, elements, &at);
}

static cp_status read_profile(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"newparam", read_newparam},
                                                      {"image", collada_read_image},
                                                      {"technique", read_technique},
                                                      {"extra", read_extra},
                                                      {NULL, NULL}};
    struct effect_place at = *(struct effect_place *)into;
    at.scope = COLLADA_IN_PROFILE;
    return collada_read_children(document, elements, &at);
}

static cp_status count_profile(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_PROFILES]++;
    return CP_OK;
}

static cp_status read_effect(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"newparam", read_newparam},       {"image", collada_read_image},
        {"profile_COMMON", read_profile},  {"extra", read_extra},
        {"profile_CG", count_profile},     {"profile_GLSL", count_profile},
        {"profile_GLES", count_profile},   {"profile_GLES2", count_profile},
        {"profile_BRIDGE", count_profile}, {NULL, NULL},
    };
    (void)into;
    struct effect_place at = {.row = document->effect_count, .scope = COLLADA_IN_EFFECT};
    struct collada_effect effect = {
        .id = collada_attribute(document, "id"), .line = document->xml.line, .first_param = document->param_count};
    if (!effect.id || !array_add(document->collada->context, &document->effects, &document->effect_room,
                                 &document->effect_count, &effect, sizeof effect))
        return CP_LIMIT;
    cp_status status = collada_note_id(document, COLLADA_EFFECTS, effect.id, at.row);
    if (status == CP_OK)
        status = collada_read_children(document, elements, &at);
    document->effects[at.row].param_count = document->param_count - effect.first_param;
    if (status == CP_OK)
        resolve_terms(document, &document->effects[at.row]);
    return status;
}

cp_status collada_read_effects(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"effect", read_effect}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

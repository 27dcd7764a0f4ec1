/* Checks a Collada file before assimp reads it. assimp ends the process, reads memory behind an array, or skips
 * elements that it does not know, without a message. So contradictions are refused here with their line, and elements
 * that no reader reads are counted.
 *
 * COLLADA 1.4.1 and 1.5: "accessor", "input", "p", "vcount", "sampler", "skin". Elements that refer to others come
 * after them, except instances. */
#include "collada.h"

#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Elements that no reader reads; an element may be counted under two of them. */
static const struct unread {
    const char *element, *attribute; /* counted if it has the attribute; NULL: always */
    const char *words;
} unread[] = {
    {"spline", NULL, "splines"},
    {"brep", NULL, "boundary representations (brep)"},
    {"convex_mesh", "convex_hull_of", "convex hulls of other geometry"},
    {"skin", NULL, "skins: their meshes stay as they were bound"},
    {"morph", NULL, "morphs"},
    {"animation_clip", NULL, "animation clips"},
    {"kinematics_model", NULL, "kinematics models"},
    {"articulated_system", NULL, "articulated systems"},
    {"kinematics_scene", NULL, "kinematics scenes"},
    {"formula", NULL, "formulas"},
    {"rigid_body", NULL, "rigid bodies"},
    {"rigid_constraint", NULL, "rigid constraints"},
    {"force_field", NULL, "force fields"},
    {"profile_CG", NULL, "effects for CG"},
    {"profile_GLSL", NULL, "effects for GLSL"},
    {"profile_GLES", NULL, "effects for GLES"},
    {"profile_GLES2", NULL, "effects for GLES2"},
    {"profile_BRIDGE", NULL, "effects in other files"},
};
enum { UNREAD = sizeof unread / sizeof *unread, MOST_VALUES = 16 };

/* Numbers in the text of a node's transform. */
static const struct {
    const char *name;
    uint64_t numbers;
} transforms[] = {{"matrix", 16}, {"lookat", 9}, {"rotate", 4}, {"translate", 3}, {"scale", 3}};

/* ---- helpers ---- */

static cp_status error_at(struct dae *dae, uint64_t line, const char *format, va_list list)
{
    char text[300];
    (void)vsnprintf(text, sizeof text, format, list);
    return report_error(dae->context, CP_INPUT, "assimp-collada", AT_LINE(dae->source->name, line), "%s", text);
}

cp_status dae_error(struct dae *dae, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    cp_status status = error_at(dae, dae->xml.line, format, list);
    va_end(list);
    return status;
}

cp_status dae_error_at(struct dae *dae, uint64_t line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    cp_status status = error_at(dae, line, format, list);
    va_end(list);
    return status;
}

bool dae_next_index(const char **text, uint64_t *index, bool *bad)
{
    const char *at = *text;
    uint64_t value = 0;
    while (is_space(*at))
        at++;
    *text = at;
    for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
        value = 10 * value + (uint64_t)(*at - '0');
    bool good = at > *text && (!*at || is_space(*at));
    *bad = *bad || (!good && **text);
    *index = value;
    if (good)
        *text = at;
    return good;
}

static uint64_t count_words(const char *text)
{
    uint64_t count = 0;
    for (bool inside = false; *text; text++) {
        count += !inside && !is_space(*text);
        inside = !is_space(*text);
    }
    return count;
}

cp_status dae_number(struct dae *dae, const char *name, uint64_t missing, uint64_t *number)
{
    const char *text = xml_attribute(&dae->xml, name), *at = text;
    bool bad = false;
    *number = missing;
    if (!text || (dae_next_index(&at, number, &bad) && *number <= dae->source->size && count_words(at) == 0))
        return CP_OK;
    return dae_error(dae, "%s=\"%.40s\" is no number of what is in the file", name, text);
}

const struct dae_source *dae_find_source(const struct dae_sources *sources, const char *reference)
{
    const uint32_t *row = reference && *reference == '#' ? name_map_find(&sources->names, reference + 1) : NULL;
    return row ? &sources->rows[*row] : NULL;
}

/* Returns a copy of an attribute of the open element, "" when there is none; NULL when out of memory. */
static const char *copy_attribute(struct dae *dae, const char *name)
{
    const char *text = xml_attribute(&dae->xml, name);
    return text ? arena_copy_text(dae->arena, text, strlen(text)) : "";
}

/* ---- arrays and sources ---- */

static bool is_array(const char *name)
{
    return !strcmp(name, "float_array") || !strcmp(name, "Name_array") || !strcmp(name, "IDREF_array");
}

static cp_status read_array(struct dae *dae, struct dae_sources *sources)
{
    const char *id = copy_attribute(dae, "id");
    bool numbers = *dae->xml.name == 'f';
    uint64_t count, line = dae->xml.line;
    cp_status status = dae_number(dae, "count", 0, &count);
    const char *text = id && status == CP_OK ? xml_text(&dae->xml) : NULL;
    uint32_t *row = text ? name_map_add(&sources->arrays, id, 0, NULL) : NULL;
    if (status != CP_OK || !id || !text)
        return status != CP_OK ? status : id ? dae->xml.status : CP_LIMIT;
    uint64_t words = count_words(text);
    if (words < count)
        return dae_error_at(dae, line, "the array \"%.100s\" of %llu values has %llu", id, (unsigned long long)count,
                            (unsigned long long)words);
    if (!row)
        return CP_LIMIT;
    *row = sources->array_count;
    return array_add(dae->context, &sources->array_rows, &sources->array_room, &sources->array_count,
                     &(struct dae_array){count, numbers}, sizeof *sources->array_rows)
               ? CP_OK
               : CP_LIMIT;
}

/* Reads the parameters of the open accessor. */
static void read_parameters(struct dae *dae, struct dae_source *source)
{
    unsigned axes = 0;
    for (uint32_t depth = dae->xml.depth; xml_child(&dae->xml, depth);) {
        if (strcmp(dae->xml.name, "param") != 0)
            continue;
        const char *type = xml_attribute(&dae->xml, "type"), *name = xml_attribute(&dae->xml, "name");
        source->size += type && strcmp(type, "float4x4") == 0 ? 16 : 1;
        for (int axis = 0; axis < 3 && name; axis++)
            axes |= (unsigned)(*name == "XYZ"[axis] && !name[1]) << axis;
    }
    source->xyz = axes == 7;
}

static cp_status read_accessor(struct dae *dae, struct dae_sources *sources, struct dae_source *source)
{
    const char *array = xml_attribute(&dae->xml, "source");
    const uint32_t *row = array && *array == '#' ? name_map_find(&sources->arrays, array + 1) : NULL;
    uint64_t line = dae->xml.line, offset = 0, stride = 1;
    cp_status status = dae_number(dae, "count", 0, &source->count);
    if (status == CP_OK)
        status = dae_number(dae, "offset", 0, &offset);
    if (status == CP_OK)
        status = dae_number(dae, "stride", 1, &stride);
    if (status != CP_OK)
        return status;
    source->known = row != NULL;
    source->numbers = row && sources->array_rows[*row].numbers;
    source->array = row ? arena_copy_text(dae->arena, array + 1, strlen(array + 1)) : "";
    source->array_row = row ? *row : CP_NONE;
    if (!source->array)
        return CP_LIMIT;
    read_parameters(dae, source);
    if (source->size > MOST_VALUES)
        return dae_error_at(dae, line, "an accessor of %llu values, of which %d are read",
                            (unsigned long long)source->size, MOST_VALUES);
    uint64_t size = source->size > stride ? source->size : stride;
    source->size = size;
    if (!row || source->count == 0)
        return dae->xml.status;
    /* Each is at most the file's size. */
    uint64_t needed = offset + (source->count - 1) * stride + size;
    if (stride > 0 && (source->count - 1) > (UINT64_MAX / 4) / stride)
        needed = UINT64_MAX;
    if (needed <= sources->array_rows[*row].count)
        return dae->xml.status;
    return dae_error_at(dae, line, "the accessor of %llu elements needs %llu numbers, and its array has %llu",
                        (unsigned long long)source->count, (unsigned long long)needed,
                        (unsigned long long)sources->array_rows[*row].count);
}

static cp_status read_source(struct dae *dae, struct dae_sources *sources)
{
    const char *id = copy_attribute(dae, "id");
    struct dae_source source = {0};
    uint32_t depth = dae->xml.depth;
    cp_status status = id ? CP_OK : CP_LIMIT;
    while (status == CP_OK && xml_child(&dae->xml, depth)) {
        if (is_array(dae->xml.name))
            status = read_array(dae, sources);
        else if (strcmp(dae->xml.name, "technique_common") == 0)
            while (status == CP_OK && xml_child(&dae->xml, depth + 1))
                if (strcmp(dae->xml.name, "accessor") == 0)
                    status = read_accessor(dae, sources, &source);
    }
    if (status != CP_OK || dae->xml.status != CP_OK || !*id)
        return status != CP_OK ? status : dae->xml.status;
    uint32_t *row = name_map_add(&sources->names, id, 0, NULL);
    if (!row)
        return CP_LIMIT;
    *row = sources->count;
    return array_add(dae->context, &sources->rows, &sources->room, &sources->count, &source, sizeof source) ? CP_OK
                                                                                                            : CP_LIMIT;
}

/* ---- what is instanced ---- */

static bool add_text(struct dae *dae, const char *text, struct dae_texts *texts)
{
    return text && array_add(dae->context, &texts->items, &texts->room, &texts->count, &text, sizeof text);
}

static bool note_id(struct dae *dae, struct dae_links *links, struct dae_mesh *mesh)
{
    const char *id = copy_attribute(dae, "id");
    bool geometry = strcmp(dae->xml.name, "geometry") == 0;
    if (geometry)
        mesh->geometry = id;
    if (geometry && !add_text(dae, id, &links->geometries))
        return false;
    const char *name = xml_attribute(&dae->xml, "name");
    if (id && *id && strcmp(dae->xml.name, "node") == 0 && !(name && *name) &&
        !name_map_add(&links->nameless, id, 0, NULL))
        return false;
    return id && (!*id || name_map_add(&links->ids, id, 0, NULL));
}

/* Notes a link to "#id", which the attribute has. */
static bool note_link(struct dae *dae, struct dae_links *links, const char *attribute)
{
    const char *url = copy_attribute(dae, attribute);
    return url && add_text(dae, *url == '#' ? url + 1 : "", &links->shown);
}

/* Notes a controller that begins. One with a known name is that one again, as it is for assimp. */
static cp_status note_controller(struct dae *dae, struct dae_controllers *controllers)
{
    const char *id = copy_attribute(dae, "id");
    if (!id || !array_reserve(dae->context, &controllers->rows, &controllers->room, controllers->count + UINT64_C(1),
                              sizeof *controllers->rows))
        return CP_LIMIT;
    bool added;
    const uint32_t *row = name_map_add(&controllers->names, id, controllers->count, &added);
    if (!row)
        return CP_LIMIT;
    controllers->last = *row;
    if (added)
        controllers->rows[controllers->count++] = (struct dae_controller){"", dae->xml.line};
    return CP_OK;
}

/* Gives the open <skin> or <morph> to the last controller. */
static cp_status note_shown(struct dae *dae, struct dae_controllers *controllers)
{
    const char *source = copy_attribute(dae, "source");
    if (!source)
        return CP_LIMIT;
    if (controllers->last < controllers->count && *source == '#')
        controllers->rows[controllers->last].shows = source + 1;
    return CP_OK;
}

/* Refuses rings of controllers: assimp follows what a controller shows, through other controllers, and a ring has no
 * end. */
static cp_status check_rings(struct dae *dae, const struct dae_controllers *controllers)
{
    uint32_t *walks = memory_allocate_zeroed(dae->context, controllers->count, sizeof *walks);
    cp_status status = walks || !controllers->count ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < controllers->count && status == CP_OK; i++) {
        const uint32_t *at = &i;
        while (at && !walks[*at]) {
            walks[*at] = i + 1;
            const char *shows = controllers->rows[*at].shows;
            at = *shows ? name_map_find(&controllers->names, shows) : NULL;
        }
        if (at && walks[*at] == i + 1)
            status = dae_error_at(dae, controllers->rows[*at].line, "a controller that shows itself");
    }
    memory_free(dae->context, walks, controllers->count, sizeof *walks);
    return status;
}

/* ---- animations and skins, whose sources assimp looks up at the end ---- */

/* Takes the open <input> as that of its semantic. */
static cp_status take_input(struct dae *dae, const char *const semantics[], struct dae_input *const inputs[])
{
    const char *semantic = xml_attribute(&dae->xml, "semantic");
    for (int i = 0; semantic && semantics[i]; i++)
        if (strcmp(semantic, semantics[i]) == 0) {
            *inputs[i] = (struct dae_input){copy_attribute(dae, "source"), dae->xml.line};
            return inputs[i]->id ? CP_OK : CP_LIMIT;
        }
    return CP_OK;
}

static cp_status read_sampler(struct dae *dae, struct dae_later *later)
{
    static const char *const semantics[] = {"INPUT", "OUTPUT", NULL};
    struct dae_sampler sampler = {0};
    struct dae_input *const inputs[] = {&sampler.times, &sampler.values};
    uint32_t depth = dae->xml.depth;
    while (xml_child(&dae->xml, depth))
        if (strcmp(dae->xml.name, "input") == 0 && take_input(dae, semantics, inputs) != CP_OK)
            return CP_LIMIT;
    bool kept = array_add(dae->context, &later->sampler_rows, &later->sampler_room, &later->sampler_count, &sampler,
                          sizeof sampler);
    return kept ? dae->xml.status : CP_LIMIT;
}

/* Checks a target such as "node/place.X" or "node/matrix(3)(0)": assimp computes a member from the numbers in brackets
 * without a check. */
static cp_status check_channel(struct dae *dae, struct dae_links *links)
{
    const char *target = xml_attribute(&dae->xml, "target");
    for (const char *at = target; at && (at = strchr(at, '(')) != NULL; at++)
        if (at[1] < '0' || at[1] > '3' || at[2] != ')')
            return dae_error(dae, "the target \"%.100s\" of a channel is not read", target);
    const char *id = target ? arena_copy_text(dae->arena, target, strcspn(target, "/")) : "";
    return add_text(dae, id, &links->targets) ? CP_OK : CP_LIMIT;
}

/* <vcount> and <v> of <vertex_weights>. */
static cp_status read_weights(struct dae *dae, struct dae_skin *skin)
{
    static const char *const semantics[] = {"WEIGHT", NULL};
    struct dae_input *const inputs[] = {&skin->weights};
    uint32_t depth = dae->xml.depth;
    uint64_t sum = 0, index, counts = 0, pairs = 0;
    bool bad = false;
    cp_status status = dae_number(dae, "count", 0, &skin->vertices);
    while (status == CP_OK && xml_child(&dae->xml, depth)) {
        bool counting = strcmp(dae->xml.name, "vcount") == 0;
        if (strcmp(dae->xml.name, "input") == 0)
            status = take_input(dae, semantics, inputs);
        if (!counting && strcmp(dae->xml.name, "v") != 0)
            continue;
        const char *text = xml_text(&dae->xml);
        for (uint64_t i = 0; text && dae_next_index(&text, &index, &bad); i++) {
            sum += counting ? index : 0;
            counts += counting;
            pairs += !counting && i % 2;
            uint64_t *end = i % 2 ? &skin->weight_end : &skin->joint_end;
            if (!counting && index >= *end)
                *end = index + 1;
        }
    }
    if (status != CP_OK || dae->xml.status != CP_OK)
        return status != CP_OK ? status : dae->xml.status;
    return !bad && counts == skin->vertices && pairs == sum
               ? CP_OK
               : dae_error(dae, "<vertex_weights>: %llu vertices have %llu counts of %llu weights, and there are %llu",
                           (unsigned long long)skin->vertices, (unsigned long long)counts, (unsigned long long)sum,
                           (unsigned long long)pairs);
}

static cp_status read_skin(struct dae *dae, struct dae_sources *sources, struct dae_later *later)
{
    static const char *const semantics[] = {"JOINT", "INV_BIND_MATRIX", NULL};
    struct dae_skin skin = {.geometry = copy_attribute(dae, "source"), .line = dae->xml.line};
    struct dae_input *const inputs[] = {&skin.joints, &skin.matrices};
    uint32_t depth = dae->xml.depth;
    cp_status status = skin.geometry ? CP_OK : CP_LIMIT;
    while (status == CP_OK && xml_child(&dae->xml, depth)) {
        if (strcmp(dae->xml.name, "source") == 0)
            status = read_source(dae, sources);
        else if (strcmp(dae->xml.name, "vertex_weights") == 0)
            status = read_weights(dae, &skin);
        else if (strcmp(dae->xml.name, "joints") == 0)
            while (status == CP_OK && xml_child(&dae->xml, depth + 1))
                if (strcmp(dae->xml.name, "input") == 0)
                    status = take_input(dae, semantics, inputs);
    }
    if (status == CP_OK &&
        !array_add(dae->context, &later->skin_rows, &later->skin_room, &later->skin_count, &skin, sizeof skin))
        status = CP_LIMIT;
    return status == CP_OK ? dae->xml.status : status;
}

/* Checks the input's source: of numbers or of words, with at least so many elements. */
static cp_status check_input(struct dae *dae, const struct dae_sources *sources, const struct dae_input *input,
                             const char *what, bool numbers, uint64_t least, const struct dae_source **found)
{
    const struct dae_source *source = *found = dae_find_source(sources, input->id);
    if (!source || !source->known || source->numbers != numbers)
        return dae_error_at(dae, input->line, "the %s are in \"%.100s\", which is no source of %s", what,
                            input->id ? input->id : "", numbers ? "numbers" : "names");
    const uint32_t *row = name_map_find(&sources->arrays, source->array);
    if (row && *row != source->array_row)
        return dae_error_at(dae, input->line, "the %s are in the array \"%.100s\", which is there twice", what,
                            source->array);
    if (source->count >= least)
        return CP_OK;
    return dae_error_at(dae, input->line, "%llu %s where %llu are needed", (unsigned long long)source->count, what,
                        (unsigned long long)least);
}

static cp_status check_samplers(struct dae *dae, const struct dae_sources *sources, const struct dae_later *later)
{
    cp_status status = CP_OK;
    const struct dae_source *times, *values;
    for (uint32_t i = 0; i < later->sampler_count && status == CP_OK; i++) {
        const struct dae_sampler *sampler = &later->sampler_rows[i];
        status = check_input(dae, sources, &sampler->times, "times of an animation", true, 0, &times);
        if (status == CP_OK)
            status = check_input(dae, sources, &sampler->values, "values of an animation", true, times->count, &values);
    }
    return status;
}

static cp_status check_skins(struct dae *dae, const struct dae_sources *sources, const struct dae_links *links,
                             const struct dae_later *later)
{
    cp_status status = CP_OK;
    const struct dae_source *joints, *found;
    for (uint32_t i = 0; i < later->skin_count && status == CP_OK; i++) {
        const struct dae_skin *skin = &later->skin_rows[i];
        const uint32_t *positions = *skin->geometry ? name_map_find(&links->ids, skin->geometry + 1) : NULL;
        status = check_input(dae, sources, &skin->joints, "joints of a skin", false, skin->joint_end, &joints);
        if (status == CP_OK)
            status = check_input(dae, sources, &skin->matrices, "matrices of a skin", true, joints->count, &found);
        if (status == CP_OK && found->size < 16)
            status = dae_error_at(dae, skin->matrices.line, "the matrices of a skin have %llu numbers each",
                                  (unsigned long long)found->size);
        if (status == CP_OK)
            status = check_input(dae, sources, &skin->weights, "weights of a skin", true, skin->weight_end, &found);
        if (status == CP_OK && positions && skin->vertices < *positions)
            status = dae_error_at(dae, skin->line, "a skin of %llu vertices for a mesh of %u",
                                  (unsigned long long)skin->vertices, *positions);
    }
    return status;
}

/* ---- the walk ---- */

static cp_status check_transform(struct dae *dae, uint64_t numbers)
{
    char name[20] = "";
    (void)strncpy(name, dae->xml.name, sizeof name - 1);
    const char *text = xml_text(&dae->xml);
    uint64_t words = text ? count_words(text) : numbers;
    return words >= numbers ? dae->xml.status
                            : dae_error(dae, "<%s> has %llu numbers of %llu", name, (unsigned long long)words,
                                        (unsigned long long)numbers);
}

/* <transparency> with a number; a reference to one is passed over. */
static cp_status note_transparency(struct dae *dae)
{
    double value = 1;
    if (!xml_child(&dae->xml, dae->xml.depth) || strcmp(dae->xml.name, "float") != 0)
        return dae->xml.status;
    const char *text = xml_text(&dae->xml);
    while (text && is_space(*text))
        text++;
    dae->clear |= text && parse_double(text, text + strlen(text), &value) && value == 0;
    return dae->xml.status;
}

/* All of a check: the parts that its steps read and fill. */
struct dae_check {
    struct dae dae;
    struct dae_sources sources;
    struct dae_links links;
    struct dae_controllers controllers;
    struct dae_later later;
    struct dae_mesh mesh;
};

static cp_status check_element(struct dae_check *check, uint64_t counts[UNREAD])
{
    struct dae *dae = &check->dae;
    const char *name = dae->xml.name;
    for (size_t i = 0; i < UNREAD; i++)
        counts[i] += strcmp(unread[i].element, name) == 0 &&
                     (!unread[i].attribute || xml_attribute(&dae->xml, unread[i].attribute));
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        if (strcmp(transforms[i].name, name) == 0)
            return check_transform(dae, transforms[i].numbers);
    bool is_controller = strcmp(name, "controller") == 0;
    if (is_controller && note_controller(dae, &check->controllers) != CP_OK)
        return CP_LIMIT;
    if (is_controller || strcmp(name, "geometry") == 0 || strcmp(name, "node") == 0)
        return note_id(dae, &check->links, &check->mesh) ? CP_OK : CP_LIMIT;
    if (strcmp(name, "instance_geometry") == 0 || strcmp(name, "instance_controller") == 0 ||
        strcmp(name, "instance_node") == 0)
        return !check->links.in_nodes || note_link(dae, &check->links, "url") ? CP_OK : CP_LIMIT;
    if (strncmp(name, "library_", 8) == 0)
        check->links.in_nodes = strcmp(name, "library_nodes") == 0 || strcmp(name, "library_visual_scenes") == 0;
    if (strcmp(name, "morph") == 0) {
        check->links.morphs = true;
        return note_shown(dae, &check->controllers);
    }
    if (strcmp(name, "mesh") == 0 || strcmp(name, "convex_mesh") == 0)
        check->mesh.vertices = NULL;
    if (strcmp(name, "source") == 0 && xml_attribute(&dae->xml, "id"))
        return read_source(dae, &check->sources);
    if (strcmp(name, "vertices") == 0)
        return dae_check_vertices(dae, &check->sources, &check->links, &check->mesh);
    if (dae_is_primitive(name))
        return dae_check_primitive(dae, &check->sources, &check->mesh);
    if (strcmp(name, "sampler") == 0)
        return read_sampler(dae, &check->later);
    if (strcmp(name, "transparency") == 0)
        return note_transparency(dae);
    if (strcmp(name, "channel") == 0)
        return check_channel(dae, &check->links);
    if (strcmp(name, "skin") == 0)
        return note_link(dae, &check->links, "source") && note_shown(dae, &check->controllers) == CP_OK
                   ? read_skin(dae, &check->sources, &check->later)
                   : CP_LIMIT;
    return strcmp(name, "skew") ? CP_OK : dae_error(dae, "the transform <skew> is not read");
}

/* Reports instances of missing things, geometry that nothing shows, and animations of nameless nodes; a morph's targets
 * are not checked. */
static cp_status report_links(struct dae *dae, const struct dae_links *links)
{
    struct name_map shown = {.context = dae->context};
    struct place place = IN_FILE(dae->source->name);
    uint64_t missing = 0, hidden = 0, still = 0;
    bool good = true;
    for (uint32_t i = 0; i < links->targets.count; i++)
        still += name_map_find(&links->nameless, links->targets.items[i]) != NULL;
    if (still)
        report_loss(dae->context, "assimp-collada-unread", place, still, "animation channels of nodes without a name");
    for (uint32_t i = 0; i < links->shown.count && good; i++) {
        missing += !name_map_find(&links->ids, links->shown.items[i]);
        good = name_map_add(&shown, links->shown.items[i], 0, NULL) != NULL;
    }
    for (uint32_t i = 0; i < links->geometries.count && good && !links->morphs; i++)
        hidden += !name_map_find(&shown, links->geometries.items[i]);
    name_map_free(&shown);
    if (missing)
        report_loss(dae->context, "assimp-collada-unread", place, missing, "instances of what is not in the file");
    if (hidden)
        report_loss(dae->context, "assimp-collada-unread", place, hidden, "geometries that no node shows");
    return good ? CP_OK : CP_LIMIT;
}

static cp_status report_unread(struct dae *dae, const struct dae_links *links, const uint64_t counts[UNREAD])
{
    struct place place = IN_FILE(dae->source->name);
    for (size_t i = 0; i < UNREAD; i++)
        if (counts[i])
            report_loss(dae->context, "assimp-collada-unread", place, counts[i], "%s", unread[i].words);
    if (dae->holes)
        report_loss(dae->context, "assimp-collada-unread", place, dae->holes, "polygons with holes");
    return report_links(dae, links);
}

struct source skip_declaration(const struct source *source)
{
    static const char *const read[] = {"utf-8", "ascii", "us-ascii", "iso-8859-1", "windows-1252"};
    struct source rest = *source;
    const char *end = source->size > 5 && !memcmp(source->data, "<?xml", 5) ? strstr(source->data, "?>") : NULL;
    size_t size = 0;
    const char *word = end ? find_attribute(source->data + 5, end, "encoding", &size) : NULL;
    bool known = !word;
    char name[16] = "";
    if (word)
        memcpy(name, word, size < sizeof name ? size : sizeof name - 1);
    for (size_t i = 0; i < sizeof read / sizeof *read && !known; i++)
        known = text_equal_nocase(read[i], name);
    if (known)
        return rest;
    rest.data = end + 2;
    rest.size -= (size_t)(rest.data - source->data);
    return rest;
}

static cp_status check_document(struct dae_check *check)
{
    struct dae *dae = &check->dae;
    uint64_t counts[UNREAD] = {0};
    cp_status status = CP_OK;
    enum xml_event event;
    while (status == CP_OK && (event = xml_next(&dae->xml)) != XML_OVER)
        if (event == XML_START)
            status = check_element(check, counts);
    if (status == CP_OK)
        status = dae->xml.status;
    if (status == CP_OK)
        status = check_samplers(dae, &check->sources, &check->later);
    if (status == CP_OK)
        status = check_skins(dae, &check->sources, &check->links, &check->later);
    if (status == CP_OK)
        status = check_rings(dae, &check->controllers);
    return status == CP_OK ? report_unread(dae, &check->links, counts) : status;
}

static bool is_collada(const struct source *source)
{
    enum { HEAD_SIZE = 1 << 12 };
    size_t head = source->size < HEAD_SIZE ? source->size : HEAD_SIZE;
    return text_ends_nocase(source->name, ".dae") || xml_probe(source->data, head, "COLLADA") > 0;
}

cp_status check_collada(const struct source *source, bool strict, struct arena *arena, bool *clear)
{
    static const struct xml_codes codes = XML_CODES("assimp-collada");
    if (!is_collada(source))
        return CP_OK;
    cp_context *context = source->context;
    struct source text = skip_declaration(source);
    struct dae_check check = {.dae = {.context = context, .source = source, .arena = arena}};
    struct name_map *const maps[] = {&check.sources.arrays, &check.sources.names, &check.links.ids,
                                     &check.links.nameless, &check.controllers.names};
    struct dae_texts *const texts[] = {&check.links.shown, &check.links.geometries, &check.links.targets};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        maps[i]->context = context;
    cp_status status = xml_open(&check.dae.xml, &text, strict, &codes);
    if (status == CP_OK)
        status = check_document(&check);
    cp_status parsed = xml_close(&check.dae.xml);
    *clear = check.dae.clear;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        name_map_free(maps[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        memory_free(context, texts[i]->items, texts[i]->room, sizeof *texts[i]->items);
    memory_free(context, check.sources.array_rows, check.sources.array_room, sizeof *check.sources.array_rows);
    memory_free(context, check.sources.rows, check.sources.room, sizeof *check.sources.rows);
    memory_free(context, check.controllers.rows, check.controllers.room, sizeof *check.controllers.rows);
    memory_free(context, check.later.sampler_rows, check.later.sampler_room, sizeof *check.later.sampler_rows);
    memory_free(context, check.later.skin_rows, check.later.skin_room, sizeof *check.later.skin_rows);
    return status == CP_OK ? parsed : status;
}

/* ---- what assimp is shown ---- */

/* Returns the end of an <image> in which assimp finds no file, nor bytes: no text in <init_from> or <data>. NULL for
 * others. */
static char *end_of_empty_image(char *at)
{
    static const char close[] = "</image>";
    char *tag = strpbrk(at + 1, "<>");
    bool names = false;
    if (!tag || *tag == '<') /* not in a comment, where each <image would be followed to the comment's end */
        return NULL;
    if (tag[-1] == '/')
        return tag + 1;
    for (at = tag + 1; *at; at++) {
        if (*at != '<' && names && !is_space(*at))
            return NULL;
        if (*at != '<')
            continue;
        if (strncmp(at, close, sizeof close - 1) == 0)
            return at + sizeof close - 1;
        if (strncmp(at, "<image", 6) == 0)
            return NULL;
        bool data = strncmp(at, "<![CDATA[", 9) == 0;
        names = strncmp(at, "<init_from", 10) == 0 || strncmp(at, "<data", 5) == 0 || (names && data);
        tag = data ? at + 8 : strpbrk(at + 1, "<>");
        if (!tag)
            return NULL;
        at = *tag == '<' ? tag - 1 : tag;
    }
    return NULL;
}

cp_status show_collada(const struct source *source, bool strict, char **shown)
{
    static const struct {
        const char *from, *to;
    } renamed[] = {{"<convex_mesh", "<mesh"}, {"</convex_mesh", "</mesh"}};
    uint64_t images = 0;
    bool changed = false;
    if (!is_collada(source))
        return CP_OK;
    char *copy = memory_allocate(source->context, source->size + 1, 1);
    if (!copy)
        return CP_LIMIT;
    memcpy(copy, source->data, source->size + 1);
    for (char *at = copy; (at = strchr(at, '<')) != NULL; at++) {
        for (int i = 0; i < 2; i++) {
            size_t size = strlen(renamed[i].from);
            if (strncmp(at, renamed[i].from, size) != 0)
                continue;
            memset(at, ' ', size);
            memcpy(at, renamed[i].to, strlen(renamed[i].to));
            changed = true;
        }
        if (strncmp(at, "<image", 6) != 0 || (!is_space(at[6]) && at[6] != '>' && at[6] != '/'))
            continue;
        char *end = end_of_empty_image(at);
        if (!end)
            continue;
        for (images++, changed = true; at < end - 1; at++)
            *at = is_line_end(*at) ? *at : ' ';
        *at = ' ';
    }
    cp_status status = CP_OK;
    if (images)
        status = report_lenient(source->context, strict, "assimp-collada-image", IN_FILE(source->name),
                                "images that name no file: %llu", (unsigned long long)images);
    if (changed && status == CP_OK) {
        *shown = copy;
        return CP_OK;
    }
    memory_free(source->context, copy, source->size + 1, 1);
    return status;
}

#endif

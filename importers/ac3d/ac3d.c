/* AC3D: objects in a tree, with polygons and lines, as text.
 *
 * Specification: "The AC3D file format" (Inivis, 2003), and the two later dialects that are in use: materials on lines
 * of their own (MAT .. ENDMAT), and the .acc files of TORCS with normals and triangle strips.
 *
 * Behaviour and limitations: docs/ac3d.md. */
#include "ac3d.h"

#include "../importers.h"

/* ---- the probe ---- */

/* Returns the text behind the header "AC3Db", whose last character is the version in hexadecimal; NULL if it is none.
 */
static const char *after_header(const char *text, const char *end)
{
    return end - text >= 5 && memcmp(text, "AC3D", 4) == 0 && hex_digit(text[4]) >= 0 ? text + 5 : NULL;
}

static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return after_header(text_after_mark(head, size), head + size) ? 100 : 0;
}

/* ---- objects ---- */

/* An object whose kids are read. */
struct parent {
    uint32_t node, kids; /* kids: those that are still to come */
};

static void start_object(struct ac3d *reader, struct ac3d_object *object)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    *object = (struct ac3d_object){.crease = -1, .texture = {NULL, {1, 1}, {0, 0}}};
    memcpy(object->rotation, identity, sizeof identity);
    object->is_world = ac3d_accept(reader, "world");
    object->is_light = ac3d_accept(reader, "light");
    object->line = reader->line;
    ac3d_count(reader, AC3D_LIGHTS, object->is_light, object->line);
}

static void end_object(struct ac3d *reader, struct ac3d_object *object)
{
    memory_free(reader->context, object->vertices, object->vertex_room, sizeof *object->vertices);
    memory_free(reader->context, object->normals, object->normal_room, sizeof *object->normals);
    ac3d_free_elements(reader, &object->faces);
    ac3d_free_elements(reader, &object->lines);
}

/* Reads "data N": the N bytes after the line. */
static cp_status read_data(struct ac3d *reader, struct ac3d_object *object)
{
    uint32_t count;
    cp_status status = ac3d_expect_count(reader, &count, "the number of bytes");
    if (status == CP_OK)
        status = ac3d_check_count(reader, &count, 1, "bytes of data");
    if (status != CP_OK || reader->cut)
        return status;
    if (reader->next[-1] == '\r' && reader->next < reader->end && *reader->next == '\n')
        ac3d_skip(reader, 1);
    size_t left = (size_t)(reader->end - reader->next), size = count < left ? count : left;
    object->data = utf8_from(reader->arena, reader->next, size, NULL);
    ac3d_skip(reader, size);
    return object->data ? CP_OK : CP_LIMIT;
}

/* Reads the path of the texture. .acc files may have several, each with the name of its layer; the first, or "base",
 * counts. */
static cp_status read_texture(struct ac3d *reader, struct ac3d_object *object)
{
    const char *path = ac3d_text(reader, false);
    if (!path)
        return CP_LIMIT;
    bool is_none = strcmp(path, "empty_texture_no_mapping") == 0 || !*path;
    if (is_none)
        return CP_OK;
    if (object->texture.path || object->has_surfaces) {
        ac3d_count(reader, AC3D_LAYERS, 1, reader->line);
        return CP_OK;
    }
    text_turn_slashes((char *)path);
    object->texture.path = path;
    return CP_OK;
}

/* Reads the repeats or the offset of a texture. */
static cp_status read_two(struct ac3d *reader, double numbers[2], const char *what)
{
    cp_status status = ac3d_expect_numbers(reader, numbers, 2, what);
    return status == CP_OK && !reader->cut ? ac3d_check_floats(reader, numbers, 2) : status;
}

static cp_status read_place(struct ac3d *reader, struct ac3d_object *object, double *numbers, int count)
{
    object->has_place = true;
    return ac3d_expect_numbers(reader, numbers, count, "a number of the object's place");
}

static cp_status read_crease(struct ac3d *reader, struct ac3d_object *object)
{
    double degrees;
    cp_status status = ac3d_expect_numbers(reader, &degrees, 1, "the crease angle");
    if (status == CP_OK && !reader->cut)
        object->crease = degrees_to_radians(degrees < 0 ? 0 : degrees > 180 ? 180 : degrees);
    return status;
}

/* Counts a line that begins with a word of no known meaning. */
static cp_status skip_unknown(struct ac3d *reader)
{
    ac3d_count(reader, AC3D_UNKNOWN, 1, reader->line);
    if (reader->counts[AC3D_UNKNOWN].count > 1)
        return CP_OK;
    char word[33];
    ac3d_word(reader, word);
    return report_lenient(reader->context, reader->settings->import.strict, "ac3d-word", ac3d_place(reader),
                          "a line of an object begins with \"%s\"", word);
}

/* Reads the vertices or the surfaces, of which an object has one list each. */
static cp_status read_list(struct ac3d *reader, struct ac3d_object *object, bool *has_list,
                           cp_status (*read_it)(struct ac3d *reader, struct ac3d_object *object))
{
    if (*has_list)
        return report_error(reader->context, CP_INPUT, "ac3d-twice", ac3d_place(reader),
                            "an object has a second list of vertices or surfaces");
    *has_list = true;
    return read_it(reader, object);
}

/* Reads a line of an object. */
static cp_status read_property(struct ac3d *reader, struct ac3d_object *object)
{
    double number;
    if (ac3d_accept(reader, "name"))
        return (object->name = ac3d_text(reader, false)) ? CP_OK : CP_LIMIT;
    if (ac3d_accept(reader, "url"))
        return (object->url = ac3d_text(reader, false)) ? CP_OK : CP_LIMIT;
    if (ac3d_accept(reader, "data"))
        return read_data(reader, object);
    if (ac3d_accept(reader, "texture"))
        return read_texture(reader, object);
    if (ac3d_accept(reader, "texrep"))
        return read_two(reader, object->texture.repeat, "two numbers of repeats");
    if (ac3d_accept(reader, "texoff"))
        return read_two(reader, object->texture.offset, "two numbers of an offset");
    if (ac3d_accept(reader, "rot"))
        return read_place(reader, object, object->rotation, 9);
    if (ac3d_accept(reader, "loc"))
        return read_place(reader, object, object->place, 3);
    if (ac3d_accept(reader, "crease"))
        return read_crease(reader, object);
    if (ac3d_accept(reader, "numvert"))
        return read_list(reader, object, &object->has_vertices, ac3d_read_vertices);
    if (ac3d_accept(reader, "numsurf"))
        return read_list(reader, object, &object->has_surfaces, ac3d_read_surfaces);
    if (ac3d_accept(reader, "subdiv")) {
        cp_status status = ac3d_expect_numbers(reader, &number, 1, "the number of subdivisions");
        ac3d_count(reader, AC3D_ROUNDED, status == CP_OK && !reader->cut && number > 0, reader->line);
        return status;
    }
    if (ac3d_accept(reader, "hidden")) {
        ac3d_count(reader, AC3D_HIDDEN, 1, reader->line);
        return CP_OK;
    }
    if (ac3d_accept(reader, "locked") || ac3d_accept(reader, "folded"))
        return CP_OK; /* how the editor shows its tree */
    if (ac3d_accept(reader, "OBJECT") || ac3d_accept(reader, "SURF") || ac3d_accept(reader, "MATERIAL"))
        return ac3d_fail(reader, "kids, before the object ends");
    return skip_unknown(reader);
}

/* Returns the object's place in its parent as the scene has it, in metres and Z up. */
static cp_pose find_pose(const struct ac3d *reader, const struct ac3d_object *object)
{
    cp_pose pose;
    double unit = reader->scene->source.unit;
    for (int row = 0; row < 3; row++) {
        memcpy(pose.m + 4 * row, object->rotation + 3 * row, 3 * sizeof *pose.m);
        pose.m[4 * row + 3] = unit * object->place[row];
    }
    if (reader->scene->source.up == CP_UP_Y) {
        cp_pose turn = pose_z_up_from_y_up(), back = pose_y_up_from_z_up();
        pose = pose_multiply(&turn, &pose);
        pose = pose_multiply(&pose, &back);
    }
    return pose;
}

static bool add_texts(struct ac3d *reader, const struct ac3d_object *object, uint32_t node)
{
    cp_scene *scene = reader->scene;
    return (!object->data || scene_add_metadata(scene, CP_OWNER_NODE, node, "data", CP_VALUE_STRING, object->data)) &&
           (!object->url || scene_add_metadata(scene, CP_OWNER_NODE, node, "url", CP_VALUE_STRING, object->url));
}

/* Adds the node of an object. The world that has nothing of its own is the scene's. */
static cp_status add_node(struct ac3d *reader, struct ac3d_object *object, uint32_t parent, uint32_t *node)
{
    cp_scene *scene = reader->scene;
    bool is_bare = object->is_world && !object->has_place && object->faces.count + object->lines.count == 0;
    *node = parent;
    if (is_bare && parent == 0)
        return add_texts(reader, object, 0) ? CP_OK : CP_LIMIT;
    size_t size;
    const char *stem = text_stem(scene->source.file, &size);
    if (object->name && *object->name)
        *node = scene_add_node(scene, parent, object->name, strlen(object->name));
    else
        *node = scene_add_node(scene, parent, stem, size);
    if (*node == CP_NONE)
        return CP_LIMIT;
    scene->nodes[*node].local = find_pose(reader, object);
    if (!pose_is_finite(&scene->nodes[*node].local))
        return report_error(reader->context, CP_INPUT, "ac3d-place", ac3d_place(reader),
                            "the place of object \"%s\" is not finite", object->name ? object->name : "");
    return add_texts(reader, object, *node) ? ac3d_add_meshes(reader, object, *node) : CP_LIMIT;
}

/* Reads an object up to its line "kids", adds it below the parent, and tells how many kids follow. */
static cp_status read_object(struct ac3d *reader, uint32_t parent, struct parent *added)
{
    struct ac3d_object object;
    start_object(reader, &object);
    added->kids = 0;
    cp_status status = CP_OK;
    while (status == CP_OK && !reader->cut) {
        if (!ac3d_next_line(reader)) {
            status = ac3d_ends_early(reader, "the line \"kids\" of an object");
        } else if (ac3d_accept(reader, "kids")) {
            status = ac3d_expect_count(reader, &added->kids, "the number of kids");
            break;
        } else {
            status = read_property(reader, &object);
        }
    }
    if (status == CP_OK)
        status = add_node(reader, &object, parent, &added->node);
    end_object(reader, &object);
    return status;
}

/* ---- the file ---- */

/* Puts the object on the stack of those whose kids follow. */
static cp_status push_parent(struct ac3d *reader, struct parent **stack, uint32_t *depth, uint32_t *room,
                             const struct parent *parent)
{
    if (parent->kids == 0)
        return CP_OK;
    if (*depth >= limit_nesting(reader->context))
        return report_error(reader->context, CP_LIMIT, "ac3d-nesting", ac3d_place(reader),
                            "objects are nested more than %llu deep (--limit nesting=)",
                            (unsigned long long)limit_nesting(reader->context));
    return array_add(reader->context, stack, room, depth, parent, sizeof *parent) ? CP_OK : CP_LIMIT;
}

static cp_status read_lines(struct ac3d *reader)
{
    struct parent *stack = NULL, added;
    uint32_t depth = 0, room = 0;
    cp_status status = CP_OK;
    while (status == CP_OK && !reader->cut && ac3d_next_line(reader)) {
        while (depth > 0 && stack[depth - 1].kids == 0)
            depth--;
        if (ac3d_accept(reader, "MATERIAL")) {
            status = ac3d_read_material(reader, false);
        } else if (ac3d_accept(reader, "MAT")) {
            status = ac3d_read_material(reader, true);
        } else if (ac3d_accept(reader, "OBJECT")) {
            uint32_t parent = depth > 0 ? stack[depth - 1].node : 0;
            if (depth > 0)
                stack[depth - 1].kids--;
            status = read_object(reader, parent, &added);
            if (status == CP_OK)
                status = push_parent(reader, &stack, &depth, &room, &added);
        } else {
            status = ac3d_fail(reader, depth > 0 ? "OBJECT, of a kid" : "MATERIAL or OBJECT");
        }
    }
    while (depth > 0 && stack[depth - 1].kids == 0)
        depth--;
    if (status == CP_OK && !reader->cut && depth > 0)
        status = ac3d_ends_early(reader, "OBJECT, of a kid");
    memory_free(reader->context, stack, room, sizeof *stack);
    return status;
}

/* Finds the end of the text, which zero bytes end, as a power loss leaves them. */
static cp_status find_text(struct ac3d *reader)
{
    const struct source *source = reader->source;
    const char *zero = memchr(source->data, '\0', source->size);
    bool partial = reader->settings->import.partial;
    reader->end = zero ? zero : source->data + source->size;
    reader->at = reader->line_end = text_after_mark(source->data, source->size);
    reader->next = after_header(reader->at, reader->end);
    reader->line = reader->next_line = 1;
    if (!reader->next)
        return report_error(reader->context, CP_INPUT, "ac3d-header", AT_LINE(source->name, 1),
                            "the file does not begin with AC3D and a version");
    if (!zero)
        return CP_OK;
    while (reader->end > reader->next && !is_line_end(reader->end[-1]))
        reader->end--;
    return report_lenient(reader->context, !partial, "ac3d-zeros",
                          AT_LINE(source->name, source_line(source, (size_t)(zero - source->data))),
                          "zero bytes in a text, as a power loss leaves them%s",
                          partial ? ": the lines before them are read" : " (partial=yes reads the lines before them)");
}

void ac3d_count(struct ac3d *reader, enum ac3d_loss what, uint64_t count, uint64_t line)
{
    if (count > 0 && reader->counts[what].count == 0)
        reader->counts[what].first = line;
    reader->counts[what].count += count;
}

static void report_counts(const struct ac3d *reader)
{
    static const struct {
        const char *code, *text;
    } losses[AC3D_COUNTS] = {
        [AC3D_LIGHTS] = {"ac3d-light", "lights: their nodes are kept"},
        [AC3D_HIDDEN] = {"ac3d-hidden", "objects that are hidden in the editor are shown"},
        [AC3D_ROUNDED] = {"ac3d-subdivision", "objects are not subdivided (subdiv): their faces are as in the file"},
        [AC3D_FLAT] = {"ac3d-flat", "flat surfaces are shaded by the crease angle, as others of their object are"},
        [AC3D_EDGES] = {"ac3d-edges", "polygons of two corners"},
        [AC3D_POINTS] = {"ac3d-points", "surfaces of fewer than two corners"},
        [AC3D_OUTSIDE] = {"ac3d-colour-range", "colour values outside 0..1"},
        [AC3D_COLOURLESS] = {"ac3d-material", "materials that the file does not have"},
        [AC3D_UNKNOWN] = {"ac3d-word", "lines of objects with unknown words"},
        [AC3D_OPEN] = {"ac3d-quote", "closing quotes: texts without one go on to the end of their line"},
        [AC3D_MORE] = {"ac3d-more", "words behind the numbers of vertices"},
        [AC3D_LAYERS] = {"ac3d-textures", "textures beyond the first one of an object, or behind its surfaces"},
    };
    for (int i = 0; i < AC3D_COUNTS; i++)
        if (reader->counts[i].count > 0)
            report_loss(reader->context, losses[i].code, AT_LINE(reader->source->name, reader->counts[i].first),
                        reader->counts[i].count, "%s", losses[i].text);
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct ac3d reader = {.context = context,
                          .source = source,
                          .scene = scene,
                          .settings = settings,
                          .arena = arena_new(context),
                          .textured = {.context = context},
                          .images = {.context = context}};
    mesh_file_start(scene, settings);
    cp_status status = reader.arena ? source_decode(source) : CP_LIMIT;
    if (status == CP_OK)
        status = find_text(&reader);
    if (status == CP_OK)
        status = read_lines(&reader);
    if (status == CP_OK)
        report_counts(&reader);
    if (status == CP_OK && scene->mesh_count == 0 && scene->node_count == 1)
        status = report_lenient(context, !reader.settings->import.partial, "ac3d-empty", IN_FILE(source->name),
                                "the file has no object");
    name_map_free(&reader.textured);
    name_map_free(&reader.images);
    memory_free(context, reader.corners, reader.corner_room, sizeof *reader.corners);
    memory_free(context, reader.places, reader.place_room, sizeof *reader.places);
    memory_free(context, reader.materials, reader.material_room, sizeof *reader.materials);
    arena_free(reader.arena);
    return status == CP_OK ? scene_finish(scene) : status;
}

const struct importer ac3d_importer = {
    .plugin = {.name = "ac3d",
               .title = "AC3D objects",
               .options = mesh_file_options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".ac .ac3d .acc",
    .probe = probe,
    .sign = "a first line AC3D and a version",
    .read = read,
};

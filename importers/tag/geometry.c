/* The models of a frame: which file a model id means, and each model read once however many frames show it. */
#include <string.h>

#include "tag.h"

/* One mesh of a model, in the model's own coordinates. */
struct part {
    uint32_t mesh;
    cp_pose pose;
};

struct tag_geometry {
    struct part *parts;
    uint32_t part_count;
    /* Where it was placed last: so that a further use at the same node becomes one instance for both. */
    uint32_t last_node, last_instance;
};

/* What a tag asks for. */
struct request {
    const struct tag *tag;
    const struct tag_attribute *attribute;
    const struct tag_text *id;
    uint32_t node;
    uint32_t use; /* CP_USE_DRAWN or CP_USE_COLLISION */
    double scale;
    bool placed; /* reading the file has placed it already */
};

/* RobWork 2009: rwlibs/drawable/DrawableFactory.cpp and rw/geometry/FaceArrayFactory.cpp, in their order. */
static const char *const drawn_suffixes[] = {".TRI", ".AC",  ".AC3D", ".3DS",  ".OBJ",
                                             ".IVG", ".STL", ".STLA", ".STLB", NULL};
static const char *const collision_suffixes[] = {".STL", ".STLA", ".STLB", NULL};

/* ---- placing ---- */

static cp_status add_geometry(struct tag_reader *reader, const struct part *parts, uint32_t part_count, uint32_t *index)
{
    if (!array_reserve(reader->context, &reader->geometries, &reader->geometry_room,
                       reader->geometry_count + UINT64_C(1), sizeof *reader->geometries))
        return CP_LIMIT;
    struct tag_geometry *geometry = &reader->geometries[reader->geometry_count];
    *geometry = (struct tag_geometry){.part_count = part_count, .last_node = CP_NONE};
    geometry->parts = arena_copy(reader->arena, parts, part_count, sizeof *parts);
    *index = reader->geometry_count++;
    return geometry->parts ? CP_OK : CP_LIMIT;
}

/* The same model for the other use at the same node shares the instances that are there. */
static bool share_instances(struct tag_reader *reader, const struct tag_geometry *geometry,
                            const struct request *request)
{
    cp_instance *instances = reader->scene->instances;
    if (geometry->last_node != request->node || !geometry->part_count ||
        (instances[geometry->last_instance].use & request->use))
        return false;
    for (uint32_t i = 0; i < geometry->part_count; i++)
        instances[geometry->last_instance + i].use |= request->use;
    return true;
}

/* Scales the parts' instances in place; a scale can take a far part out of the numbers' range. */
static cp_status scale_instance(struct tag_reader *reader, cp_instance *instance, const cp_pose *pose,
                                const struct request *request)
{
    cp_pose scaling = pose_scaling(request->scale, request->scale, request->scale);
    instance->transform = pose_multiply(&scaling, pose);
    if (pose_is_finite(&instance->transform))
        return CP_OK;
    return report_error(reader->context, CP_INPUT, "tag-scale", tag_place(request->tag),
                        "the GeoScale of \"%s\" takes the model out of range", request->tag->name.text);
}

static cp_status place_geometry(struct tag_reader *reader, uint32_t index, const struct request *request)
{
    struct tag_geometry *geometry = &reader->geometries[index];
    cp_scene *scene = reader->scene;
    if (share_instances(reader, geometry, request))
        return CP_OK;
    geometry->last_node = request->node;
    geometry->last_instance = scene->instance_count;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < geometry->part_count && status == CP_OK; i++) {
        const struct part *part = &geometry->parts[i];
        uint32_t instance = scene_add_instance(scene, request->node, part->mesh, request->use, &part->pose);
        if (instance == CP_NONE)
            return CP_LIMIT;
        status = scale_instance(reader, &scene->instances[instance], &part->pose, request);
    }
    return status;
}

/* ---- primitives ---- */

static cp_status make_primitive(struct tag_reader *reader, const char *text, const struct request *request,
                                uint32_t *index)
{
    cp_mesh mesh;
    const char *problem = tag_primitive(text, &mesh);
    if (problem)
        return report_lenient(reader->context, reader->strict, "tag-primitive",
                              tag_attribute_place(request->tag, request->attribute), "the model \"%s\": %s", text,
                              problem);
    mesh.source = scene_text(reader->scene, text);
    struct part part = {.pose = POSE_IDENTITY};
    part.mesh = mesh.source ? scene_add_mesh(reader->scene, &mesh) : CP_NONE;
    return part.mesh == CP_NONE ? CP_LIMIT : add_geometry(reader, &part, 1, index);
}

/* ---- files ---- */

/* Adds what the file draws to the frame, remembers its parts, and then applies the frame's scale. */
static cp_status adopt_scene(struct tag_reader *reader, cp_scene *other, struct request *request, uint32_t *index)
{
    cp_scene *scene = reader->scene;
    uint32_t first = scene->instance_count;
    cp_pose identity = POSE_IDENTITY;
    cp_status status = scene_add_geometry(scene, request->node, other, request->use, &identity);
    if (status != CP_OK)
        return status;
    uint32_t count = scene->instance_count - first;
    struct part *parts = memory_allocate(reader->context, count, sizeof *parts);
    if (!parts)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        cp_instance *instance = &scene->instances[first + i];
        parts[i] = (struct part){instance->mesh, instance->transform};
        if (status == CP_OK)
            status = scale_instance(reader, instance, &parts[i].pose, request);
    }
    if (status == CP_OK)
        status = add_geometry(reader, parts, count, index);
    memory_free(reader->context, parts, count, sizeof *parts);
    if (status != CP_OK)
        return status;
    reader->geometries[*index].last_node = request->node;
    reader->geometries[*index].last_instance = first;
    request->placed = true;
    return CP_OK;
}

/* A format that no importer reads (.TRI, .IVG, .WRL, or one that is not built), or no model at all. */
static cp_status pass_over(struct tag_reader *reader, const struct source *source, const struct request *request)
{
    report_warning(reader->context, "tag-unreadable", tag_attribute_place(request->tag, request->attribute),
                   "the model file \"%s\" is of a type that is not read", source->name);
    return CP_NO;
}

/* CP_NO when there is no such file, or after a warning. */
static cp_status read_model(struct tag_reader *reader, const char *path, struct request *request, uint32_t *index)
{
    struct source *source;
    cp_scene *other = NULL;
    cp_status status = source_open(request->tag->file->source, path, &source);
    if (status != CP_OK)
        return status;
    status = source_is_known(source) ? read_further(source, NULL, &other) : pass_over(reader, source, request);
    if (status == CP_OK)
        status = adopt_scene(reader, other, request, index);
    cp_scene_free(other);
    source_close(source);
    return status;
}

/* The folder of the tag's file and the path as one key, without "./" and "//". */
static const char *model_key(struct tag_reader *reader, const struct tag *tag, const char *path)
{
    bool top = tag->file->source->depth == 0; /* names are relative to its folder */
    const char *folder_end = path[0] == '/' || top ? NULL : strrchr(tag->file->name, '/');
    size_t folder_size = folder_end ? (size_t)(folder_end - tag->file->name) + 1 : 0;
    char *key = arena_allocate(reader->arena, folder_size + strlen(path) + 1, 1);
    if (!key)
        return NULL;
    memcpy(key, tag->file->name, folder_size);
    char *out = key + folder_size;
    for (const char *in = path; *in;) {
        bool part_starts = out == key || out[-1] == '/';
        if (part_starts && in[0] == '.' && in[1] == '/')
            in += 2;
        else if (part_starts && in[0] == '/' && out != key)
            in++;
        else
            *out++ = *in++;
    }
    *out = '\0';
    return key;
}

/* One candidate: read before, or to be read now. */
static cp_status try_model(struct tag_reader *reader, const char *path, struct request *request, uint32_t *index)
{
    const char *key = model_key(reader, request->tag, path);
    if (!key)
        return CP_LIMIT;
    const uint32_t *known = name_map_find(&reader->shapes, key);
    cp_status status = CP_NO;
    *index = CP_NONE;
    if (!known) {
        status = read_model(reader, path, request, index);
        if (status != CP_OK && status != CP_NO)
            return status;
        return name_map_add(&reader->shapes, key, *index, NULL) ? status : CP_LIMIT;
    }
    *index = *known;
    return *known == CP_NONE ? CP_NO : CP_OK;
}

/* The name as it is, then with each suffix in upper and in lower case. */
static cp_status find_model(struct tag_reader *reader, const char *path, struct request *request, uint32_t *index)
{
    const char *const *suffixes = request->use == CP_USE_DRAWN ? drawn_suffixes : collision_suffixes;
    cp_status status = try_model(reader, path, request, index);
    for (size_t i = 0; status == CP_NO && suffixes[i]; i++) {
        const char *upper = arena_print(reader->arena, "%s%s", path, suffixes[i]);
        char *lower = arena_print(reader->arena, "%s%s", path, suffixes[i]);
        if (!upper || !lower)
            return CP_LIMIT;
        for (char *character = lower + strlen(path); *character; character++)
            if (*character >= 'A' && *character <= 'Z')
                *character = (char)(*character - 'A' + 'a');
        status = try_model(reader, upper, request, index);
        if (status == CP_NO)
            status = try_model(reader, lower, request, index);
    }
    if (status != CP_NO)
        return status;
    return report_lenient(reader->context, reader->strict, "tag-model",
                          tag_attribute_place(request->tag, request->attribute), "no %s model \"%s\" is there",
                          cp_use_name(request->use), request->id->text);
}

/* ---- requests ---- */

/* The key under which the answer is kept: the id, for files with its folder and use. */
static const char *request_key(struct tag_reader *reader, const char *id, const struct request *request)
{
    if (*id == '#')
        return id;
    const char *key = model_key(reader, request->tag, id);
    return key ? arena_print(reader->arena, "%c%s", request->use == CP_USE_DRAWN ? 'd' : 'c', key) : NULL;
}

static cp_status resolve(struct tag_reader *reader, struct request *request, uint32_t *index)
{
    const struct tag_text *id = request->id;
    const char *path =
        *id->text == '#' ? arena_copy_text(reader->arena, id->text, strlen(id->text)) : tag_path(reader->arena, id);
    const char *key = path ? request_key(reader, path, request) : NULL;
    if (!key)
        return CP_LIMIT;
    const uint32_t *known = name_map_find(&reader->requests, key);
    *index = CP_NONE;
    if (known) {
        *index = *known;
        return CP_OK;
    }
    cp_status status =
        *path == '#' ? make_primitive(reader, path, request, index) : find_model(reader, path, request, index);
    if (status != CP_OK)
        return status;
    return name_map_add(&reader->requests, key, *index, NULL) ? CP_OK : CP_LIMIT;
}

static cp_status place_model(struct tag_reader *reader, struct request *request)
{
    uint32_t index;
    request->placed = false;
    cp_status status = resolve(reader, request, &index);
    if (status != CP_OK || request->placed)
        return status;
    if (index != CP_NONE)
        return place_geometry(reader, index, request);
    report_loss(reader->context, "tag-model", IN_FILE(request->tag->file->name), 1, "the %s model \"%s\"",
                cp_use_name(request->use), request->id->text);
    return CP_OK;
}

static cp_status place_models(struct tag_reader *reader, struct request *request, uint32_t uses)
{
    for (uint32_t i = 0; i < request->attribute->value_count; i++) {
        cp_status status = tag_string(reader, request->tag, request->attribute, i, &request->id);
        if (status != CP_OK)
            return status;
        if (!*request->id->text)
            return report_error(reader->context, CP_INPUT, "tag-value",
                                tag_attribute_place(request->tag, request->attribute), "%s holds an empty model id",
                                request->attribute->key);
        for (request->use = CP_USE_DRAWN; request->use <= CP_USE_COLLISION && status == CP_OK; request->use++)
            if (uses & request->use)
                status = place_model(reader, request);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

static cp_status read_scale(struct tag_reader *reader, const struct tag *tag, double *scale)
{
    const struct tag_attribute *attribute = tag_use(tag, "GeoScale");
    *scale = 1;
    if (!attribute)
        return CP_OK;
    if (tag_number(reader, tag, attribute, 0, scale) != CP_OK)
        return CP_INPUT;
    if (*scale >= 0)
        return CP_OK;
    char shown[NUMBER_SIZE];
    print_double(*scale, shown);
    return report_error(reader->context, CP_INPUT, "tag-scale", tag_attribute_place(tag, attribute),
                        "the GeoScale %s of \"%s\" is negative", shown, tag->name.text);
}

cp_status tag_place_geometry(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    static const struct {
        const char *key;
        uint32_t uses;
    } kinds[] = {{"DrawableID", CP_USE_DRAWN}, {"CollisionModelID", CP_USE_COLLISION}, {"GeoID", CP_USE_BOTH}};
    struct request request = {.tag = tag, .node = node, .scale = 1};
    bool any = tag_find(tag, "DrawableID") || tag_find(tag, "CollisionModelID") || tag_find(tag, "GeoID");
    cp_status status = any ? read_scale(reader, tag, &request.scale) : CP_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == CP_OK; i++) {
        request.attribute = tag_use(tag, kinds[i].key);
        if (request.attribute)
            status = place_models(reader, &request, kinds[i].uses);
    }
    return status;
}

void tag_free_geometries(struct tag_reader *reader)
{
    memory_free(reader->context, reader->geometries, reader->geometry_room, sizeof *reader->geometries);
}

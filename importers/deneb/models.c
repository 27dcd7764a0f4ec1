/* The geometry of parts: each file read once, and once more for each colour that devices give it. */
#include <string.h>

#include "cell.h"

struct piece {
    uint32_t mesh, use;
    cp_pose pose;
};

struct model {
    struct piece *pieces;
    uint32_t count;
};

struct models {
    struct deneb_cell *cell;
    cp_scene *scene;
    bool strict;
    struct model *items;
    uint32_t count, room;
    struct name_map requests; /* what a part asks for: its file as written, and from where */
    struct name_map files;    /* paths */
    struct name_map coloured; /* models in a colour of the device */
    struct name_map colours;  /* materials made of devices' colours */
    bool copied;              /* some mesh was given another colour */
};

/* ---- models ---- */

static bool add_model(struct models *models, const struct piece *pieces, uint32_t count, uint32_t *index)
{
    if (!array_reserve(models->cell->context, &models->items, &models->room, models->count + UINT64_C(1),
                       sizeof *models->items))
        return false;
    struct model *model = &models->items[models->count];
    *model = (struct model){arena_copy(models->scene->arena, pieces, count, sizeof *pieces), count};
    *index = models->count++;
    return model->pieces;
}

/* What the file draws, on the part's node for now; remembered as a model. */
static cp_status adopt_scene(struct models *models, cp_scene *other, uint32_t node, uint32_t *index)
{
    cp_scene *scene = models->scene;
    cp_pose identity = POSE_IDENTITY;
    uint32_t first = scene->instance_count;
    cp_status status = scene_add_geometry(scene, node, other, CP_USE_BOTH, &identity);
    if (status != CP_OK)
        return status;
    uint32_t count = scene->instance_count - first;
    struct piece *pieces = memory_allocate(scene->context, count, sizeof *pieces);
    for (uint32_t i = 0; pieces && i < count; i++) {
        cp_instance *instance = &scene->instances[first + i];
        if (scene->meshes[instance->mesh].kind == CP_MESH_LINES)
            instance->use = CP_USE_DRAWN;
        pieces[i] = (struct piece){instance->mesh, instance->use, instance->transform};
    }
    bool fine = pieces && add_model(models, pieces, count, index);
    memory_free(scene->context, pieces, count, sizeof *pieces);
    return fine ? CP_OK : CP_LIMIT;
}

static cp_status read_model(struct models *models, struct source *source, uint32_t node, uint32_t *index, bool *placed)
{
    cp_scene *other = NULL;
    cp_status status = read_further(source, NULL, &other);
    if (status == CP_OK)
        status = adopt_scene(models, other, node, index);
    cp_scene_free(other);
    *placed = status == CP_OK;
    return status;
}

/* A part is geometry. Devices in place of it could hold each other twice, and theirs again, without end. */
static cp_status check_kind(const struct models *models, const struct deneb_part *part, const struct source *source)
{
    enum deneb_kind kind = deneb_find_kind(source->data, source->size);
    if (kind == DENEB_PART || kind == DENEB_KIND_COUNT)
        return CP_OK;
    return report_error(models->cell->context, CP_INPUT, "deneb-part-file", part->place,
                        "the file \"%s\" of the part \"%s\" is a DCT %s, where geometry is wanted", part->file,
                        part->name, deneb_kind_words[kind]);
}

/* The file of a part as a model; CP_NONE when it is missing. */
static cp_status find_model(struct models *models, const struct deneb_part *part, uint32_t *index, bool *placed)
{
    struct deneb_cell *cell = models->cell;
    struct source *source;
    *index = CP_NONE;
    const char *bytes = part->file_raw ? part->file_raw : part->file;
    cp_status status = deneb_search(cell, cell->devices[part->device].source, bytes, DENEB_PART, &source);
    if (status == CP_NO)
        return report_lenient(cell->context, models->strict, "deneb-missing", part->place,
                              "the file \"%s\" of the part \"%s\" is not there; the part stays as a frame", part->file,
                              part->name);
    if (status != CP_OK)
        return status;
    const char *path = arena_copy_text(models->scene->arena, source->path, strlen(source->path));
    const uint32_t *known = path ? name_map_find(&models->files, path) : NULL;
    if (known)
        *index = *known;
    else if (path)
        status = check_kind(models, part, source);
    if (path && !known && status == CP_OK)
        status = read_model(models, source, part->node, index, placed);
    if (!path || (status == CP_OK && !known && !name_map_add(&models->files, path, *index, NULL)))
        status = CP_LIMIT;
    source_close(source);
    return status;
}

/* ---- colours ---- */

static const char *colour_key(struct models *models, const double rgba[4])
{
    char texts[4][NUMBER_SIZE];
    for (int i = 0; i < 4; i++)
        texts[i][print_double(rgba[i], texts[i])] = '\0';
    return arena_print(models->scene->arena, "%s %s %s %s", texts[0], texts[1], texts[2], texts[3]);
}

static uint32_t find_material(struct models *models, const struct deneb_part *part)
{
    const char *key = colour_key(models, part->rgba);
    const uint32_t *known = key ? name_map_find(&models->colours, key) : NULL;
    if (known)
        return *known;
    uint32_t material = key ? scene_add_material(models->scene, part->name, part->rgba, true) : CP_NONE;
    return material != CP_NONE && name_map_add(&models->colours, key, material, NULL) ? material : CP_NONE;
}

/* The same faces in one colour. */
static uint32_t copy_mesh(struct models *models, uint32_t from, uint32_t material)
{
    cp_mesh mesh = models->scene->meshes[from];
    cp_group *group = scene_allocate(models->scene, 1, sizeof *group);
    if (!group)
        return CP_NONE;
    *group = (cp_group){0, mesh.face_count, material};
    mesh.groups = group;
    mesh.group_count = 1;
    mesh.colours = NULL;
    models->copied = true;
    return scene_add_mesh(models->scene, &mesh);
}

static cp_status colour_model(struct models *models, const struct deneb_part *part, uint32_t *index)
{
    const struct model plain = models->items[*index];
    uint32_t material = find_material(models, part);
    struct piece *pieces = arena_copy(models->scene->arena, plain.pieces, plain.count, sizeof *pieces);
    for (uint32_t i = 0; pieces && material != CP_NONE && i < plain.count; i++) {
        pieces[i].mesh = copy_mesh(models, pieces[i].mesh, material);
        if (pieces[i].mesh == CP_NONE)
            return CP_LIMIT;
    }
    return pieces && material != CP_NONE && add_model(models, pieces, plain.count, index) ? CP_OK : CP_LIMIT;
}

/* ---- parts ---- */

static bool has_own_colour(const struct models *models, const struct deneb_part *part)
{
    return part->has_colour && models->cell->settings->colour == DENEB_COLOUR_OF_DEVICE;
}

/* The model of the part's file, in the file's colours; looked for once. */
static cp_status request_model(struct models *models, const struct deneb_part *part, uint32_t *index, bool *placed)
{
    const struct source *from = models->cell->devices[part->device].source;
    const char *bytes = part->file_raw ? part->file_raw : part->file;
    const char *key = arena_print(models->scene->arena, "%s\n%s", from->path, bytes);
    const uint32_t *known = key ? name_map_find(&models->requests, key) : NULL;
    if (known) {
        *index = *known;
        return CP_OK;
    }
    cp_status status = key ? find_model(models, part, index, placed) : CP_LIMIT;
    if (status == CP_OK && !name_map_add(&models->requests, key, *index, NULL))
        status = CP_LIMIT;
    return status;
}

/* The same model in the colour of the part. */
static cp_status request_colour(struct models *models, const struct deneb_part *part, uint32_t *index)
{
    const char *colour = colour_key(models, part->rgba);
    const char *key = colour ? arena_print(models->scene->arena, "%u %s", (unsigned)*index, colour) : NULL;
    const uint32_t *known = key ? name_map_find(&models->coloured, key) : NULL;
    if (known) {
        *index = *known;
        return CP_OK;
    }
    cp_status status = key ? colour_model(models, part, index) : CP_LIMIT;
    if (status == CP_OK && !name_map_add(&models->coloured, key, *index, NULL))
        status = CP_LIMIT;
    return status;
}

static cp_status place_model(struct models *models, uint32_t index, uint32_t node)
{
    const struct model model = models->items[index];
    for (uint32_t i = 0; i < model.count; i++)
        if (scene_add_instance(models->scene, node, model.pieces[i].mesh, model.pieces[i].use, &model.pieces[i].pose) ==
            CP_NONE)
            return CP_LIMIT;
    return CP_OK;
}

/* The instances that reading has placed show the meshes of the model in its colour. */
static void change_placed(struct models *models, uint32_t index)
{
    const struct model *model = &models->items[index];
    cp_instance *instances = models->scene->instances + models->scene->instance_count - model->count;
    for (uint32_t i = 0; i < model->count; i++)
        instances[i].mesh = model->pieces[i].mesh;
}

static cp_status place_part(struct models *models, const struct deneb_part *part)
{
    bool placed = false;
    uint32_t index = CP_NONE;
    cp_status status = request_model(models, part, &index, &placed);
    if (status == CP_OK && index != CP_NONE && has_own_colour(models, part))
        status = request_colour(models, part, &index);
    if (status != CP_OK)
        return status;
    if (index == CP_NONE)
        report_loss(models->cell->context, "deneb-missing", IN_FILE(part->place.file), 1, "the geometry of \"%s\"",
                    part->file);
    else if (placed)
        change_placed(models, index);
    return index == CP_NONE || placed ? CP_OK : place_model(models, index, part->node);
}

static cp_status place_parts(struct models *models)
{
    const struct deneb_cell *cell = models->cell;
    uint32_t node_count = models->scene->node_count;
    uint32_t *parts = memory_allocate(cell->context, node_count, sizeof *parts); /* by node */
    if (!parts)
        return CP_LIMIT;
    for (uint32_t i = 0; i < node_count; i++)
        parts[i] = CP_NONE;
    for (uint32_t i = 0; i < cell->part_count; i++)
        if (cell->parts[i].file)
            parts[cell->parts[i].node] = i;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < node_count && status == CP_OK; i++)
        if (parts[i] != CP_NONE)
            status = place_part(models, &cell->parts[parts[i]]);
    memory_free(cell->context, parts, node_count, sizeof *parts);
    return status;
}

cp_status deneb_place_models(struct deneb_cell *cell, bool strict)
{
    struct models models = {.cell = cell,
                            .scene = cell->scene,
                            .strict = strict,
                            .requests = {.context = cell->context},
                            .files = {.context = cell->context},
                            .coloured = {.context = cell->context},
                            .colours = {.context = cell->context}};
    cp_status status = place_parts(&models);
    name_map_free(&models.requests);
    name_map_free(&models.files);
    name_map_free(&models.coloured);
    name_map_free(&models.colours);
    memory_free(cell->context, models.items, models.room, sizeof *models.items);
    return status == CP_OK && models.copied ? scene_drop_unused(cell->scene) : status;
}

/* The geometry of parts: each file read once, and once more for each colour that devices give it. */

#include "cell.h"

#include "base/text/text.h"
#include "model/model.h"
#include "plugins/models.h"

struct painter {
    const struct deneb_cell *cell;
    const struct deneb_files *files;
    cp_scene *scene;
    bool strict;
    struct models models;
    struct name_map coloured; /* models in a colour of the device */
    struct name_map colours;  /* materials made of devices' colours */
    struct name_map missing;  /* files that are not there: the first part that names each */
    bool copied;              /* some mesh was given another colour */
};

/* ---- files ---- */

/* Checks that the file is geometry. Devices in place of a part could hold each other twice, and theirs again, without
 * end. */
static cp_status check_kind(const struct model_request *request, const struct source *source)
{
    const struct deneb_part *part = request->user;
    enum deneb_kind kind = deneb_find_kind(source->data, source->size);
    if (kind == DENEB_PART || kind == DENEB_KIND_COUNT)
        return CP_OK;
    return report_error(source->context, CP_INPUT, "deneb-part-file", part->place,
                        "the file \"%s\" of the part \"%s\" is a DCT %s, where geometry is wanted", part->file,
                        part->name, deneb_kind_words[kind]);
}

/* Reports a missing file once, at the first of the parts that lack it, with their number. */
static cp_status report_missing(struct painter *painter, const struct deneb_part *part, const char *places)
{
    const struct deneb_part *parts = painter->cell->parts.items;
    const uint32_t *known = name_map_find(&painter->missing, part->file);
    struct place place = known ? parts[*known].place : part->place;
    if (!known && !name_map_add(&painter->missing, part->file, (uint32_t)(part - parts), NULL))
        return CP_LIMIT;
    if (painter->strict)
        return report_error(painter->cell->context, CP_INPUT, "deneb-missing", place,
                            "the file \"%s\" of the part \"%s\" is not there%s", part->file, part->name, places);
    report_loss(painter->cell->context, "deneb-missing", place, 1,
                "the geometry of \"%s\": no such file; its parts stay as frames%s", part->file, places);
    return CP_OK;
}

/* Finds the model of the part's file, in the file's colours; CP_NONE when it is missing, which is reported. */
static cp_status find_model(struct painter *painter, const struct deneb_part *part, uint32_t *model)
{
    const struct deneb_cell *cell = painter->cell;
    const char *bytes = part->file_raw ? part->file_raw : part->file;
    struct model_request request = {.from = cell->devices.items[part->device].source,
                                    .name = deneb_path(painter->scene->arena, bytes),
                                    .search = &painter->files->searches[DENEB_PART],
                                    .check = check_kind,
                                    .user = part};
    cp_status status = request.name ? models_find(&painter->models, &request, model) : CP_LIMIT;
    if (status == CP_NO) {
        deneb_tell_outside(cell, request.from, request.name, part->file);
        status = CP_OK;
    }
    if (status != CP_OK || *model != CP_NONE)
        return status;
    return report_missing(painter, part, models_places(&painter->models, &request));
}

/* ---- colours ---- */

static const char *colour_key(struct painter *painter, const double rgba[4])
{
    char texts[4][NUMBER_SIZE];
    for (int i = 0; i < 4; i++)
        texts[i][print_double(rgba[i], texts[i])] = '\0';
    return arena_print(painter->scene->arena, "%s %s %s %s", texts[0], texts[1], texts[2], texts[3]);
}

/* Finds the same model in the colour of the part: its faces in one group each. */
static cp_status find_coloured(struct painter *painter, const struct deneb_part *part, uint32_t *model)
{
    cp_scene *scene = painter->scene;
    const char *colour = colour_key(painter, part->rgba);
    const char *key = colour ? arena_print(scene->arena, "%u %s", (unsigned)*model, colour) : NULL;
    if (!key)
        return CP_LIMIT;
    const uint32_t *known = name_map_find(&painter->coloured, key);
    if (known) {
        *model = *known;
        return CP_OK;
    }
    known = name_map_find(&painter->colours, colour);
    uint32_t material = known ? *known : scene_add_material(scene, part->name, part->rgba, true);
    if (material == CP_NONE || (!known && !name_map_add(&painter->colours, colour, material, NULL)))
        return CP_LIMIT;

    const struct model plain = painter->models.items[*model];
    cp_instance *parts = arena_copy(scene->arena, plain.parts, plain.part_count, sizeof *parts);
    for (uint32_t i = 0; parts && i < plain.part_count; i++) {
        cp_mesh mesh = scene->meshes[parts[i].mesh];
        cp_group *group = scene_allocate(scene, 1, sizeof *group);
        if (!group)
            return CP_LIMIT;
        *group = (cp_group){0, mesh.face_count, material};
        mesh.groups = group;
        mesh.group_count = 1;
        mesh.colours = NULL;
        painter->copied = true;
        parts[i].mesh = scene_add_mesh(scene, &mesh);
        if (parts[i].mesh == CP_NONE)
            return CP_LIMIT;
    }
    cp_status status = parts ? models_add(&painter->models, parts, plain.part_count, model) : CP_LIMIT;
    if (status == CP_OK && !name_map_add(&painter->coloured, key, *model, NULL))
        status = CP_LIMIT;
    return status;
}

/* ---- parts ---- */

static cp_status place_part(struct painter *painter, const struct deneb_part *part)
{
    cp_scene *scene = painter->scene;
    uint32_t model = CP_NONE, first = scene->instance_count;
    cp_status status = find_model(painter, part, &model);
    if (status == CP_OK && model == CP_NONE)
        models_miss(&painter->models, part->node, CP_USE_BOTH);
    if (status != CP_OK || model == CP_NONE)
        return status;
    if (part->has_colour && painter->cell->settings->colour == DENEB_COLOUR_OF_DEVICE)
        status = find_coloured(painter, part, &model);
    cp_pose identity = POSE_IDENTITY;
    if (status == CP_OK)
        status = models_place(&painter->models, model, part->node, CP_USE_BOTH, &identity);
    for (uint32_t i = first; i < scene->instance_count; i++)
        if (scene->meshes[scene->instances[i].mesh].kind == CP_MESH_LINES)
            scene->instances[i].use = CP_USE_DRAWN;
    return status;
}

static cp_status place_parts(struct painter *painter)
{
    const struct deneb_cell *cell = painter->cell;
    uint32_t node_count = painter->scene->node_count;
    uint32_t *parts = memory_allocate(cell->context, node_count, sizeof *parts); /* by node */
    if (!parts)
        return CP_LIMIT;
    for (uint32_t i = 0; i < node_count; i++)
        parts[i] = CP_NONE;
    for (uint32_t i = 0; i < cell->parts.count; i++)
        if (cell->parts.items[i].file)
            parts[cell->parts.items[i].node] = i;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < node_count && status == CP_OK; i++)
        if (parts[i] != CP_NONE)
            status = place_part(painter, &cell->parts.items[parts[i]]);
    memory_free(cell->context, parts, node_count, sizeof *parts);
    return status;
}

cp_status deneb_place_models(const struct deneb_cell *cell, const struct deneb_files *files, cp_scene *scene,
                             bool strict)
{
    struct painter painter = {.cell = cell,
                              .files = files,
                              .scene = scene,
                              .strict = strict,
                              .coloured = {.context = cell->context},
                              .colours = {.context = cell->context},
                              .missing = {.context = cell->context}};
    models_start(&painter.models, scene, scene->arena);
    cp_status status = place_parts(&painter);
    models_free(&painter.models);
    name_map_free(&painter.coloured);
    name_map_free(&painter.colours);
    name_map_free(&painter.missing);
    return status == CP_OK && painter.copied ? scene_drop_unused(scene) : status;
}

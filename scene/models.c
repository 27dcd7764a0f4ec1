/* Each model file read once, and placed as often as it is shown. */
#include "models.h"

#include <string.h>

#include "bytes/resolve.h"
#include "plugin.h"

void models_start(struct models *models, cp_scene *scene, struct arena *arena)
{
    cp_context *context = scene->context;
    *models = (struct models){.scene = scene,
                              .arena = arena,
                              .requests = {.context = context},
                              .files = {.context = context},
                              .key = {.context = context},
                              .spelled = {.context = context}};
}

void models_free(struct models *models)
{
    name_map_free(&models->requests);
    name_map_free(&models->files);
    buffer_free(&models->key);
    buffer_free(&models->spelled);
    memory_free(models->scene->context, models->items, models->room, sizeof *models->items);
}

/* ---- finding ---- */

/* The place in the map of what was asked for, or of a file, with the format it is read by; made with CP_NONE when
 * absent. A path is kept without "./" and "//", a relative one in the folder of `from` (the file that names it; NULL:
 * as it is). NULL when out of memory. */
static uint32_t *find_key(struct models *models, struct name_map *map, const struct model_request *request,
                          const struct source *from, const char *path, bool *added)
{
    struct buffer *key = &models->key;
    const char *slash = from && path[0] != '/' ? strrchr(from->path, '/') : NULL;
    bool is_uri = uri_is_known(path);
    key->size = 0;
    if (map == &models->requests) /* other rules may find another file */
        buffer_print(key, "%p ", (const void *)request->search);
    buffer_print(key, "%s ", request->format ? request->format : "");
    buffer_append(key, slash ? from->path : "", slash ? (size_t)(slash - from->path) + 1 : 0);
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        size += at[size] == '/';
        bool is_needless = (at[0] == '/' && at != path) || (at[0] == '.' && at[1] == '/');
        if (!is_needless || is_uri)
            buffer_append(key, at, size);
        at += size;
    }
    buffer_append(key, "", 1);
    if (key->failed)
        return NULL;
    uint32_t *known = name_map_find(map, key->data);
    *added = !known;
    if (known)
        return known;
    const char *kept = arena_copy_text(models->arena, key->data, key->size - 1);
    return kept ? name_map_add(map, kept, CP_NONE, NULL) : NULL;
}

cp_status models_add(struct models *models, cp_instance *parts, uint32_t part_count, uint32_t *model)
{
    if (!array_reserve(models->scene->context, &models->items, &models->room, models->count + UINT64_C(1),
                       sizeof *models->items))
        return CP_LIMIT;
    models->items[models->count] = (struct model){.parts = parts, .part_count = part_count, .node = CP_NONE};
    *model = models->count++;
    return CP_OK;
}

static cp_status read_model(struct models *models, const struct model_request *request, struct source *source,
                            uint32_t *model)
{
    cp_scene *other = NULL;
    cp_instance *parts = NULL;
    uint32_t part_count = 0;
    cp_status status = request->check ? request->check(request, source) : CP_OK;
    if (status == CP_OK)
        status = read_further(source, request->format, &other);
    if (status == CP_OK)
        status = scene_add_geometry(models->scene, other, &parts, &part_count);
    if (status == CP_OK)
        status = models_add(models, parts, part_count, model);
    cp_scene_free(other);
    return status;
}

/* One spelling of the name: known, or looked for and read now. */
static cp_status try_file(struct models *models, const struct model_request *request, const struct file_search *search,
                          uint32_t *model)
{
    bool added;
    const char *spelled = models->spelled.data;
    uint32_t *known = find_key(models, &models->files, request, request->from, spelled, &added);
    if (!known)
        return CP_LIMIT;
    *model = *known;
    if (!added)
        return *known == CP_NONE ? CP_NO : CP_OK;
    struct source *source;
    cp_status status = search_open(search, request->from, spelled, &source);
    if (status != CP_OK)
        return status;

    /* It may have been read under another name, or from another folder that looks here too. */
    uint32_t *file = find_key(models, &models->files, request, NULL, source->path, &added);
    if (file)
        *model = *file;
    else
        status = CP_LIMIT;
    if (status == CP_OK && *file == CP_NONE)
        status = read_model(models, request, source, model);
    source_close(source);
    if (status != CP_OK)
        return status;
    *file = *model;
    known = find_key(models, &models->files, request, request->from, spelled, &added); /* the map may have moved */
    if (!known)
        return CP_LIMIT;
    *known = *model;
    return CP_OK;
}

cp_status models_find(struct models *models, const struct model_request *request, uint32_t *model)
{
    static const char *const as_it_is[] = {"", NULL};
    static const struct file_search plain = {.suffixes = as_it_is};
    const struct file_search *search = request->search ? request->search : &plain;
    bool added;
    *model = CP_NONE;
    uint32_t *known = find_key(models, &models->requests, request, request->from, request->name, &added);
    if (!known)
        return CP_LIMIT;
    *model = *known;
    if (!added)
        return CP_OK;
    uint32_t attempt = 0;
    cp_status status = CP_NO;
    while (status == CP_NO && search_spell(search, request->name, &attempt, &models->spelled))
        status = try_file(models, request, search, model);
    if (models->spelled.failed)
        return CP_LIMIT;
    *known = *model; /* nothing else has been asked for meanwhile */
    return status;
}

const char *models_places(const struct models *models, const struct model_request *request)
{
    return resolve_places(request->from, models->arena, request->name);
}

/* ---- placing ---- */

cp_status models_place(struct models *models, uint32_t model, uint32_t node, uint32_t use, const cp_pose *pose)
{
    cp_scene *scene = models->scene;
    struct model *shown = &models->items[model];
    if (shown->node == node && shown->part_count > 0 && pose_equal(&shown->pose, pose) &&
        !(scene->instances[shown->first].use & use)) {
        for (uint32_t i = 0; i < shown->part_count; i++)
            scene->instances[shown->first + i].use |= use;
        return CP_OK;
    }
    shown->node = node;
    shown->first = scene->instance_count;
    shown->pose = *pose;
    for (uint32_t i = 0; i < shown->part_count; i++) {
        cp_pose transform = pose_multiply(pose, &shown->parts[i].transform);
        if (!pose_is_finite(&transform))
            return CP_NO;
        if (scene_add_instance(scene, node, shown->parts[i].mesh, use, &transform) == CP_NONE)
            return CP_LIMIT;
    }
    return CP_OK;
}

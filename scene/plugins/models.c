/* Reads each model file once, and places it as often as it is shown. */
#include "models.h"

#include <string.h>

#include "importer.h"
#include "model/model.h"
#include "motion/motion.h"

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

/* Writes a name or path as a key into models->key: without "./" and "//", and with the folder before a relative one.
 * The key contains the search rules, which may find another file for the same name, and the format, which may make
 * another model of the same file. Returns NULL if out of memory. */
static const char *write_key(struct models *models, const struct model_request *request,
                             const struct file_search *search, const char *folder, const char *path)
{
    struct buffer *key = &models->key;
    bool is_uri = uri_is_known(path);
    key->size = 0;
    for (uintptr_t bits = (uintptr_t)search; bits; bits >>= 7) {
        char digit = (char)(0x80 | (bits & 0x7f)); /* never zero */
        buffer_append(key, &digit, 1);
    }
    buffer_text(key, request->format ? request->format : "");
    buffer_text(key, " ");
    buffer_text(key, path[0] == '/' ? "" : folder);
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        size += at[size] == '/';
        bool is_needless = (at[0] == '/' && at != path) || (at[0] == '.' && at[1] == '/');
        if (!is_needless || is_uri)
            buffer_append(key, at, size);
        at += size;
    }
    buffer_append(key, "", 1);
    return key->failed ? NULL : key->data;
}

static const char *keep_key(const struct models *models, const char *key)
{
    return key ? arena_copy_text(models->arena, key, strlen(key)) : NULL;
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

cp_status models_take(cp_scene *scene, cp_scene *other, cp_instance **parts, uint32_t *count)
{
    uint32_t nodes = other->node_count;
    cp_pose *worlds = memory_allocate(scene->context, nodes, sizeof *worlds);
    cp_status status = worlds ? scene_world_poses(scene->context, other, NULL, worlds) : CP_LIMIT;
    if (status == CP_OK)
        status = scene_add_geometry(scene, other, worlds, parts, count);
    memory_free(scene->context, worlds, nodes, sizeof *worlds);
    return status;
}

/* Makes warnings of the errors after so many entries if the request can do without its file: CP_NO in place of
 * CP_INPUT. */
static cp_status soften(const struct models *models, const struct model_request *request, size_t entries,
                        cp_status status)
{
    if (status != CP_INPUT || !request->told)
        return status;
    report_soften(models->scene->context, entries);
    *request->told = true;
    return CP_NO;
}

/* Finds the model for one spelling of the name: it is known already, or is searched for and read now. */
static cp_status try_file(struct models *models, const struct model_request *request, const struct file_search *search,
                          uint32_t *model)
{
    const char *spelled = models->spelled.data;
    const char *name = keep_key(models, write_key(models, request, NULL, request->from->folder, spelled));
    if (!name)
        return CP_LIMIT;
    const uint32_t *known = name_map_find(&models->files, name);
    *model = known ? *known : CP_NONE;
    if (known)
        return *known == CP_NONE ? CP_NO : CP_OK;
    struct source *source;
    size_t entries;
    (void)cp_report(models->scene->context, &entries);
    cp_status status = soften(models, request, entries, search_open(search, request->from, spelled, &source));
    if (status != CP_OK)
        return status != CP_NO || name_map_add(&models->files, name, CP_NONE, NULL) ? status : CP_LIMIT;

    /* The same file may have been read under another name, or for another folder. */
    const char *path = keep_key(models, write_key(models, request, NULL, "", source->path));
    known = path ? name_map_find(&models->files, path) : NULL;
    cp_scene *other = NULL;
    cp_instance *parts = NULL;
    uint32_t part_count = 0;
    if (known) {
        *model = *known;
    } else {
        status = !path ? CP_LIMIT : request->check ? request->check(request, source) : CP_OK;
        if (status == CP_OK)
            status = soften(models, request, entries, read_further(source, request->format, request->usual, &other));
        if (status == CP_OK)
            status = models_take(models->scene, other, &parts, &part_count);
        if (status == CP_OK)
            status = models_add(models, parts, part_count, model);
        cp_scene_free(other);
    }
    source_close(source);
    if (status != CP_OK && status != CP_NO)
        return status;
    if (!name_map_add(&models->files, name, *model, NULL) || !name_map_add(&models->files, path, *model, NULL))
        return CP_LIMIT;
    return *model == CP_NONE ? CP_NO : CP_OK;
}

cp_status models_find(struct models *models, const struct model_request *request, uint32_t *model)
{
    static const char *const as_it_is[] = {"", NULL};
    static const struct file_search plain = {.suffixes = as_it_is};
    const struct file_search *search = request->search ? request->search : &plain;
    const char *key = write_key(models, request, search, request->from->folder, request->name);
    const uint32_t *known = key ? name_map_find(&models->requests, key) : NULL;
    *model = known ? *known : CP_NONE;
    if (known)
        return CP_OK;
    key = keep_key(models, key);
    uint32_t attempt = 0;
    cp_status status = key ? CP_NO : CP_LIMIT;
    while (status == CP_NO && search_spell(search, request->name, &attempt, &models->spelled))
        status = try_file(models, request, search, model);
    if (models->spelled.failed)
        return CP_LIMIT;
    if (status != CP_OK && status != CP_NO)
        return status;
    return name_map_add(&models->requests, key, *model, NULL) ? status : CP_LIMIT;
}

const char *models_absence(const struct models *models, const struct model_request *request)
{
    return resolve_absence(request->from, models->arena, request->name);
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
    for (uint32_t i = 0; i < shown->part_count; i++) {
        cp_pose transform = pose_multiply(pose, &shown->parts[i].transform);
        if (!pose_is_finite(&transform))
            return CP_NO;
    }
    shown->node = node;
    shown->first = scene->instance_count;
    shown->pose = *pose;
    for (uint32_t i = 0; i < shown->part_count; i++) {
        cp_pose transform = pose_multiply(pose, &shown->parts[i].transform);
        if (scene_add_instance(scene, node, shown->parts[i].mesh, use, &transform) == CP_NONE)
            return CP_LIMIT;
    }
    return CP_OK;
}

void models_miss(struct models *models, uint32_t node, uint32_t use)
{
    if (use & CP_USE_COLLISION)
        models->scene->nodes[node].flags |= CP_NODE_MISSING;
}

#include "files.h"

#include <string.h>
#include <unistd.h>

#include "../../context.h"

cp_status list_find_evidence(struct evidence *evidence, cp_context *context, const char *path, bool *evident)
{
    struct buffer beside = {.context = context};
    *evidence = (struct evidence){.context = context};
    buffer_text(&beside, path);
    buffer_append(&beside, ".json", sizeof ".json");
    *evident = !beside.failed && access(beside.data, F_OK) == 0;
    cp_status status = beside.failed ? CP_LIMIT : *evident ? evidence_read(evidence, context, beside.data) : CP_OK;
    buffer_free(&beside);
    return status;
}

/* prefix: of the names in the file, which lack it. */
static cp_status read_file(cp_context *context, const char *path, const char *prefix, cp_scene **list)
{
    struct buffer option = {.context = context};
    buffer_text(&option, "prefix=");
    buffer_append(&option, prefix, strlen(prefix) + 1);
    const char *text = option.data;
    cp_status status = option.failed ? CP_LIMIT : cp_read(context, path, "collision-setup", &text, 1, list);
    buffer_free(&option);
    return status;
}

/* CP_NONE when out of memory or over a limit. */
static uint32_t name_node(cp_scene *list, struct name_map *names, const char *name)
{
    const uint32_t *known = name_map_find(names, name);
    uint32_t node = known ? *known : scene_add_placeholder(list, name);
    bool good = node != CP_NONE && (known || name_map_add(names, list->nodes[node].name, node, NULL));
    return good ? node : CP_NONE;
}

static cp_status add_pairs(cp_scene *list, struct name_map *names, const cp_scene *other)
{
    for (uint32_t i = 0; i < other->pair_count; i++) {
        const cp_pair *pair = &other->pairs[i];
        uint32_t first = name_node(list, names, other->nodes[pair->first].name);
        uint32_t second = first == CP_NONE ? CP_NONE : name_node(list, names, other->nodes[pair->second].name);
        if (second == CP_NONE || scene_add_pair(list, first, second, pair->reason) == CP_NONE)
            return CP_LIMIT;
    }
    list->exclude_static_pairs |= other->exclude_static_pairs;
    return CP_OK;
}

/* names: of the list's nodes. */
static cp_status add_file(cp_scene *list, struct name_map *names, const char *path, const char *prefix)
{
    cp_scene *other = NULL;
    cp_status status = read_file(list->context, path, prefix, &other);
    if (status == CP_OK)
        status = add_pairs(list, names, other);
    cp_scene_free(other);
    return status;
}

static cp_status add_further_files(cp_scene *list, const char *path, const struct evidence *evidence)
{
    struct name_map names = {.context = list->context};
    struct buffer further = {.context = list->context};
    const char *slash = strrchr(path, '/');
    cp_status status = CP_OK;
    buffer_append(&further, path, slash ? (size_t)(slash - path) + 1 : 0);
    size_t folder = further.size;
    for (uint32_t i = 1; i < list->node_count && status == CP_OK; i++)
        status = name_map_add(&names, list->nodes[i].name, i, NULL) ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < evidence->file_count && status == CP_OK; i++) {
        further.size = folder;
        buffer_append(&further, evidence->files[i].name, strlen(evidence->files[i].name) + 1);
        status = further.failed ? CP_LIMIT : add_file(list, &names, further.data, evidence->files[i].prefix);
    }
    name_map_free(&names);
    buffer_free(&further);
    return status == CP_OK ? scene_finish(list) : status;
}

cp_status list_read_files(cp_context *context, const char *path, const struct evidence *evidence, cp_scene **list)
{
    cp_status status = read_file(context, path, evidence->prefix, list);
    if (status == CP_OK && evidence->file_count > 0)
        status = add_further_files(*list, path, evidence);
    if (status != CP_OK) {
        cp_scene_free(*list);
        *list = NULL;
    }
    return status;
}

cp_status cp_read_list(cp_context *context, const char *path, cp_scene **list)
{
    struct evidence evidence;
    bool evident;
    *list = NULL;
    cp_status status = list_find_evidence(&evidence, context, path, &evident);
    if (status == CP_OK)
        status =
            evident ? list_read_files(context, path, &evidence, list) : cp_read(context, path, NULL, NULL, 0, list);
    evidence_free(&evidence);
    return context_finish(context, status);
}

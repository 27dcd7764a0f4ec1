/* A list of exclusions on the disk: a file, and with evidence beside it the further files that this names. Checks its
 * names against a scene, and with evidence all that its findings rest on. */
#include <string.h>
#include <unistd.h>

#include "base/bytes/disk.h"
#include "base/context.h"
#include "base/text/text.h"
#include "collide/list/checking.h"

/* ---- files ---- */

/* Reads the evidence beside the list, if there is any: *evident. Call evidence_free even on failure. */
static cp_status find_evidence(struct listed_evidence *evidence, cp_context *context, const char *path, bool *evident)
{
    struct buffer beside = {.context = context};
    *evidence = (struct listed_evidence){.context = context};
    buffer_text(&beside, path);
    buffer_append(&beside, ".json", sizeof ".json");
    *evident = !beside.failed && access(beside.data, F_OK) == 0;
    cp_status status = beside.failed ? CP_LIMIT
                       : *evident    ? evidence_read(evidence, context, beside.data)
                                     : list_missing(context, beside.data);
    buffer_free(&beside);
    return status;
}

/* Reads a file of a list. `prefix` is the one that the names in the file lack. */
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

/* Returns the node of a name, made if needed; CP_NONE if out of memory or over a limit. */
static uint32_t name_node(cp_scene *list, struct name_map *names, const char *name)
{
    const uint32_t *known = name_map_find(names, name);
    uint32_t node = known ? *known : scene_add_placeholder(list, name);
    bool good = node != CP_NONE && (known || name_map_add(names, list->nodes[node].name, node, NULL));
    return good ? node : CP_NONE;
}

/* Reads all of the list's files into one scene, in which the names are placeholders. *list is NULL on failure. */
static cp_status read_files(cp_context *context, const char *path, const struct listed_evidence *evidence,
                            cp_scene **list)
{
    struct name_map names = {.context = context}; /* of the list's nodes */
    struct buffer further = {.context = context};
    size_t folder = (size_t)(text_file_name(path) - path);
    cp_status status = read_file(context, path, evidence->prefix, list);
    if (status != CP_OK || evidence->file_count == 0)
        return status;
    for (uint32_t i = 1; i < (*list)->node_count && status == CP_OK; i++)
        status = name_map_add(&names, (*list)->nodes[i].name, i, NULL) ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < evidence->file_count && status == CP_OK; i++) {
        const struct listed_file *file = &evidence->files[i];
        cp_scene *other = NULL;
        further.size = 0;
        buffer_append(&further, path, folder);
        buffer_append(&further, file->name, strlen(file->name) + 1);
        status = further.failed ? CP_LIMIT : read_file(context, further.data, file->prefix, &other);
        for (uint32_t k = 0; status == CP_OK && k < other->pair_count; k++) {
            const cp_pair *pair = &other->pairs[k];
            uint32_t first = name_node(*list, &names, other->nodes[pair->first].name);
            uint32_t second = first == CP_NONE ? CP_NONE : name_node(*list, &names, other->nodes[pair->second].name);
            uint32_t copy = second == CP_NONE ? CP_NONE : scene_add_pair(*list, first, second, pair->reason);
            cp_joint_setting *witness;
            cp_finding *finding =
                copy == CP_NONE || !pair->finding ? NULL : scene_copy_finding(*list, pair->finding, &witness);
            if (copy == CP_NONE || (pair->finding && !finding))
                status = CP_LIMIT;
            else
                (*list)->pairs[copy].finding = finding;
        }
        if (status == CP_OK)
            (*list)->exclude_static_pairs |= other->exclude_static_pairs;
        cp_scene_free(other);
    }
    name_map_free(&names);
    buffer_free(&further);
    if (status == CP_OK)
        status = scene_finish(*list);
    if (status != CP_OK) {
        cp_scene_free(*list);
        *list = NULL;
    }
    return status;
}

cp_status cp_read_list(cp_context *context, const char *path, cp_scene **list)
{
    struct listed_evidence evidence;
    bool evident;
    *list = NULL;
    cp_status status = find_evidence(&evidence, context, path, &evident);
    if (status == CP_OK)
        status = evident && !*evidence.format ? read_files(context, path, &evidence, list)
                                              : cp_read(context, path, NULL, NULL, 0, list);
    evidence_free(&evidence);
    return context_finish(context, status);
}

/* ---- checking ---- */

cp_status cp_check_list(cp_context *context, const cp_scene *scene, const char *path,
                        void (*tell_fault)(void *user, const cp_list_fault *fault), void *user)
{
    struct checking checking = {.context = context,
                                .scene = scene,
                                .path = path,
                                .tell = tell_fault,
                                .user = user,
                                .arena = arena_new(context),
                                .frames = {.context = context},
                                .numbers = {.context = context}};
    cp_scene *list = NULL;
    bool evident;
    cp_status status = checking.arena ? find_evidence(&checking.evidence, context, path, &evident) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER) &&
            !name_map_add(&checking.frames, scene->nodes[i].name, i, NULL))
            status = CP_LIMIT;
    if (status == CP_OK)
        status = evident ? read_files(context, path, &checking.evidence, &list)
                         : cp_read(context, path, "collision-setup", NULL, 0, &list);
    if (status == CP_OK)
        status = evident ? check_by_evidence(&checking, list) : check_by_keys(&checking, list);
    if (status == CP_OK && checking.stale)
        status = CP_NO;
    cp_scene_free(list);
    name_map_free(&checking.frames);
    name_map_free(&checking.numbers);
    evidence_free(&checking.evidence);
    arena_free(checking.arena);
    return context_finish(context, status);
}

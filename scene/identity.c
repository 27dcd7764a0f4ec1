/* Ids: every node, mesh, material, joint and device gets a name of its own that later stages keep. */
#include <math.h>
#include <string.h>

#include "build.h"
#include "context.h"

/* One table of things with ids and names, looked at alike. */
struct things {
    const char *kind;   /* the id of a thing without a name */
    char *first_id;     /* the address of the first thing's id member */
    size_t name_offset; /* from the id to the name */
    size_t stride;
    uint32_t count;
};

static const char **id_of(const struct things *things, uint32_t index)
{
    return (const char **)(void *)(things->first_id + index * things->stride);
}

static const char *name_of(const struct things *things, uint32_t index)
{
    return *(const char **)(void *)(things->first_id + index * things->stride + things->name_offset);
}

/* base, or base#2, base#3 ...: the first that nobody has. The number goes on where it stopped for this base. */
static const char *free_id(cp_scene *scene, struct name_map *taken, const char *base)
{
    uint32_t *place = name_map_find(taken, base);
    if (!place)
        return base;
    for (uint32_t number = *place + 1;; number++) {
        const char *id = arena_number(scene->arena, base, '#', number);
        if (!id || !name_map_find(taken, id)) {
            *place = number;
            return id;
        }
    }
}

static cp_status give_id(cp_scene *scene, struct name_map *taken, const char **id, const char *base)
{
    *id = free_id(scene, taken, base);
    return *id && name_map_add(taken, *id, 1, NULL) ? CP_OK : CP_LIMIT;
}

/* Ids that are set already come first: they are what other stages know. */
static cp_status keep_set_ids(cp_scene *scene, const struct things *things, struct name_map *taken)
{
    for (uint32_t i = 0; i < things->count; i++) {
        const char **id = id_of(things, i);
        bool added = true;
        if (!*id)
            continue;
        if (!name_map_add(taken, *id, 1, &added))
            return CP_LIMIT;
        if (added)
            continue;
        const char *old = *id;
        if (give_id(scene, taken, id, old) != CP_OK)
            return CP_LIMIT;
        report_warning(scene->context, "scene-id", NOWHERE, "the id \"%s\" stands on two things; one is now \"%s\"",
                       old, *id);
    }
    return CP_OK;
}

static cp_status give_ids(cp_scene *scene, const struct things *things)
{
    struct name_map taken = {.context = scene->context};
    cp_status status = keep_set_ids(scene, things, &taken);
    for (uint32_t i = 0; i < things->count && status == CP_OK; i++) {
        const char *name = name_of(things, i);
        if (!*id_of(things, i))
            status = give_id(scene, &taken, id_of(things, i), *name ? name : things->kind);
    }
    name_map_free(&taken);
    return status;
}

#define THINGS(word, table, total, type)                                                                               \
    {                                                                                                                  \
        .kind = (word), .first_id = scene->total ? (char *)(scene->table) + offsetof(type, id) : NULL,                 \
        .name_offset = offsetof(type, name) - offsetof(type, id), .stride = sizeof(type), .count = scene->total        \
    }

/* ---- the order of metadata ---- */

/* The scene's, then the nodes', meshes', materials' and joints', each in the order of its table. */
static uint64_t metadata_place(const cp_scene *scene, const cp_metadata *metadata)
{
    uint64_t place = metadata->owner == CP_OWNER_SCENE ? 0 : UINT64_C(1) + metadata->index;
    place += metadata->owner > CP_OWNER_NODE ? scene->node_count : 0;
    place += metadata->owner > CP_OWNER_MESH ? scene->mesh_count : 0;
    return place + (metadata->owner > CP_OWNER_MATERIAL ? scene->material_count : 0);
}

static bool metadata_is_sorted(const cp_scene *scene)
{
    for (uint32_t i = 1; i < scene->metadata_count; i++)
        if (metadata_place(scene, &scene->metadata[i]) < metadata_place(scene, &scene->metadata[i - 1]))
            return false;
    return true;
}

/* Merges runs of `width` from one table into the other. */
static void merge_runs(const cp_scene *scene, const cp_metadata *from, cp_metadata *to, uint32_t width)
{
    uint32_t count = scene->metadata_count;
    for (uint64_t begin = 0; begin < count; begin += 2 * (uint64_t)width) {
        uint64_t middle = begin + width < count ? begin + width : count;
        uint64_t end = middle + width < count ? middle + width : count;
        uint64_t a = begin, b = middle;
        for (uint64_t out = begin; out < end; out++) {
            bool second = a == middle || (b < end && metadata_place(scene, &from[b]) < metadata_place(scene, &from[a]));
            to[out] = second ? from[b++] : from[a++];
        }
    }
}

/* By owner, and as it was for one owner: formats that keep metadata with its owner read it in this order. */
static cp_status sort_metadata(cp_scene *scene)
{
    if (metadata_is_sorted(scene))
        return CP_OK;
    size_t count = scene->metadata_count;
    cp_metadata *other = memory_allocate(scene->context, count, sizeof *other);
    if (!other)
        return CP_LIMIT;
    for (uint64_t width = 1; width < count; width *= 4) {
        merge_runs(scene, scene->metadata, other, (uint32_t)width);
        merge_runs(scene, other, scene->metadata, (uint32_t)(2 * width < count ? 2 * width : count));
    }
    memory_free(scene->context, other, count, sizeof *other);
    return CP_OK;
}

cp_status scene_finish(cp_scene *scene)
{
    const struct things tables[] = {
        THINGS("node", nodes, node_count, cp_node),
        THINGS("mesh", meshes, mesh_count, cp_mesh),
        THINGS("material", materials, material_count, cp_material),
        THINGS("joint", joints, joint_count, cp_joint),
        THINGS("device", devices, device_count, cp_device),
    };
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == CP_OK; i++)
        if (tables[i].count > 0)
            status = give_ids(scene, &tables[i]);
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (isnan(scene->joints[i].q))
            scene->joints[i].q = scene->joints[i].home;
    if (status == CP_OK)
        status = sort_metadata(scene);
    return status == CP_OK ? cp_validate(scene->context, scene) : status;
}

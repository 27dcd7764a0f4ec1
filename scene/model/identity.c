/* Gives every node, mesh, material, joint and device an id of its own that later stages keep. */
#include <math.h>

#include "base/context.h"
#include "tables.h"

/* Returns base, or the first of base#2, base#3 ... that nobody has. The search goes on where it stopped for this base,
 * so that equal names do not take quadratic time. */
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

/* Gives ids to the rows without one. The ids that are set already are entered first: other stages know them. */
static cp_status give_ids(cp_scene *scene, enum scene_table table)
{
    const struct member *id = table_member(table, MEMBER_ID), *name = table_member(table, MEMBER_NAME);
    struct name_map taken = {.context = scene->context};
    uint32_t count = id ? table_count(scene, table) : 0;
    bool good = true;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count && good; i++) {
            void *row = table_row(scene, table, i);
            const char *old = row_pointer(row, id->at), *base = row_pointer(row, name->at);
            bool added = false;
            if ((old != NULL) != (pass == 0))
                continue;
            base = old ? old : *base ? base : tables[table].word;
            good = !old || name_map_add(&taken, old, 1, &added);
            if (!good || added)
                continue;
            const char *own = free_id(scene, &taken, base);
            good = own && name_map_add(&taken, own, 1, NULL);
            row_set_pointer(row, id->at, good ? own : NULL);
            if (good && old)
                report_warning(scene->context, "scene-id", NOWHERE,
                               "the id \"%s\" stands on two things; one is now \"%s\"", old, own);
        }
    name_map_free(&taken);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- the order of metadata ---- */

/* Returns a number that sorts metadata by kind of owner (scene, nodes, meshes, materials, joints), each in the order of
 * its table. */
static uint64_t metadata_place(const cp_metadata_entry *metadata)
{
    return (uint64_t)metadata->owner << 32 | metadata->index;
}

/* Merges neighbouring sorted runs of `width` from one array into the other. */
static void merge_runs(const cp_metadata_entry *from, cp_metadata_entry *to, uint32_t count, uint32_t width)
{
    for (uint64_t begin = 0; begin < count; begin += 2 * (uint64_t)width) {
        uint64_t middle = begin + width < count ? begin + width : count;
        uint64_t end = middle + width < count ? middle + width : count;
        uint64_t a = begin, b = middle;
        for (uint64_t out = begin; out < end; out++) {
            bool second = a == middle || (b < end && metadata_place(&from[b]) < metadata_place(&from[a]));
            to[out] = second ? from[b++] : from[a++];
        }
    }
}

/* Sorts metadata by owner, stably: formats that keep metadata with its owner read it in this order. */
static cp_status sort_metadata(cp_scene *scene)
{
    const size_t count = scene->metadata_count;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = metadata_place(&scene->metadata[i]) >= metadata_place(&scene->metadata[i - 1]);
    if (sorted)
        return CP_OK;
    cp_metadata_entry *other = memory_allocate(scene->context, count, sizeof *other);
    if (!other)
        return CP_LIMIT;
    for (uint64_t width = 1; width < count; width *= 4) {
        merge_runs(scene->metadata, other, scene->metadata_count, (uint32_t)width);
        merge_runs(other, scene->metadata, scene->metadata_count, (uint32_t)(2 * width < count ? 2 * width : count));
    }
    memory_free(scene->context, other, count, sizeof *other);
    return CP_OK;
}

cp_status scene_finish(cp_scene *scene)
{
    cp_status status = CP_OK;
    for (enum scene_table table = 0; table < TABLE_COUNT && status == CP_OK; table++)
        status = give_ids(scene, table);
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (isnan(scene->joints[i].q))
            scene->joints[i].q = scene->joints[i].home;
    if (status == CP_OK)
        status = sort_metadata(scene);
    return status == CP_OK ? cp_validate(scene->context, scene) : status;
}

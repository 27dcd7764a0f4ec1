/* One scene into another. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "model.h"
#include "tables.h"

/* Prepares moves for rows that are appended to those of the scene: their references to each other are shifted by the
 * numbers of rows before them. */
static struct moves moves_behind(cp_scene *scene)
{
    struct moves moves = {.scene = scene};
    for (enum scene_table table = 0; table < TABLE_COUNT; table++)
        moves.bases[table] = table_count(scene, table);
    return moves;
}

static void adopt(cp_scene *scene, cp_scene *other)
{
    arena_adopt(scene->arena, other->arena);
    other->arena = NULL;
    for (enum scene_table table = 0; table < TABLE_COUNT; table++)
        *row_number(other, tables[table].count) = 0;
}

/* Appends the rows of a table from `first` on. They still point to the other's memory, which `adopt` takes over in the
 * end. */
static cp_status add_rows(const struct moves *moves, enum scene_table table, const cp_scene *other, uint32_t first)
{
    for (uint32_t i = first; i < table_count(other, table); i++)
        if (scene_add_moved(moves, table, table_row(other, table, i)) == CP_NONE)
            return CP_LIMIT;
    return CP_OK;
}

/* ---- what a scene draws ---- */

cp_status scene_add_geometry(cp_scene *scene, cp_scene *other, const cp_pose *worlds, cp_instance **instances,
                             uint32_t *count)
{
    const struct moves moves = moves_behind(scene);
    *count = other->instance_count;
    if (other->joint_count + other->clip_count + other->pair_count > 0)
        report_loss(scene->context, "scene-geometry", IN_FILE(other->source.file), 1,
                    "the file is used as geometry alone; its joints, clips and pairs are left out");
    /* The nodes are left out. A mesh without a name takes that of the first node that shows it (AC3D names objects
     * only). */
    for (uint32_t i = 0; i < other->instance_count; i++) {
        const cp_instance *instance = &other->instances[i];
        cp_mesh *mesh = &other->meshes[instance->mesh];
        if (instance->node && !*mesh->name)
            mesh->name = other->nodes[instance->node].name;
    }
    static const enum scene_table geometry[] = {TABLE_MESHES, TABLE_IMAGES, TABLE_TEXTURES, TABLE_MATERIALS};
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof geometry / sizeof *geometry && status == CP_OK; i++)
        status = add_rows(&moves, geometry[i], other, 0);
    if (status != CP_OK)
        return status;
    /* The instances get their poses in the other world's frame. */
    *instances = scene_allocate(scene, other->instance_count, sizeof **instances);
    for (uint32_t i = 0; *instances && i < other->instance_count; i++) {
        const cp_instance *from = &other->instances[i];
        cp_pose pose = pose_multiply(&worlds[from->node], &from->transform);
        (*instances)[i] =
            (cp_instance){.mesh = moves.bases[TABLE_MESHES] + from->mesh, .use = CP_USE_BOTH, .transform = pose};
    }
    if (!*instances)
        return CP_LIMIT;
    /* The metadata of meshes and materials comes along; that of nodes and joints is left out with them. */
    for (uint32_t i = 0; i < other->metadata_count; i++) {
        const cp_metadata_entry *metadata = &other->metadata[i];
        bool comes = metadata->owner == CP_OWNER_MESH || metadata->owner == CP_OWNER_MATERIAL;
        if (comes && scene_add_moved(&moves, TABLE_METADATA, metadata) == CP_NONE)
            return CP_LIMIT;
    }
    scene->source.deviation = fmax(scene->source.deviation, other->source.deviation);
    adopt(scene, other);
    return CP_OK;
}

/* ---- a whole scene below a new node ---- */

/* Adds all of `other` below a new node. It stops at the first failure, since the caller throws the scene away then. */
static cp_status add_scene(cp_scene *scene, const cp_scene *other, const char *name)
{
    struct moves moves = moves_behind(scene);
    /* The new node replaces the other's world: the other's nodes hang on it, and it owns the metadata of that scene. */
    uint32_t root = scene_add_node(scene, 0, name, strlen(name));
    cp_status status = root == CP_NONE ? CP_LIMIT : CP_OK;
    for (enum scene_table table = 0; table < TABLE_COUNT && status == CP_OK; table++)
        status = add_rows(&moves, table, other, table == TABLE_NODES ? 1 : 0);
    if (status != CP_OK)
        return status;
    for (uint32_t i = moves.bases[TABLE_METADATA]; i < scene->metadata_count; i++)
        if (scene->metadata[i].owner == CP_OWNER_SCENE) {
            scene->metadata[i].owner = CP_OWNER_NODE;
            scene->metadata[i].index = root;
        }
    if (scene->exclude_static_pairs != other->exclude_static_pairs)
        report_note(scene->context, "merge-static", NOWHERE,
                    "only one of the two leaves out pairs that cannot move against each other; now it holds for both");
    scene->exclude_static_pairs = scene->exclude_static_pairs || other->exclude_static_pairs;
    scene_find_spans(scene);
    scene->source.deviation = fmax(scene->source.deviation, other->source.deviation);
    return scene_add_inputs(scene, other->inputs.items, other->inputs.count);
}

cp_status cp_merge(cp_context *context, cp_scene *scene, cp_scene *other, const char *name)
{
    if (scene == other || scene->context != context || other->context != context)
        return context_finish(
            context, report_error(context, CP_USAGE, "merge-scenes", NOWHERE, "two scenes of one context are needed"));
    cp_scene *work = scene_copy(scene);
    cp_status status = work ? add_scene(work, other, name) : CP_LIMIT;
    if (status == CP_OK)
        status = scene_finish(work);
    if (status == CP_OK) {
        adopt(work, other);
        scene_replace(scene, work);
    } else {
        cp_scene_free(work);
    }
    return context_finish(context, status);
}

/* split-meshes: each connected component becomes a mesh of its own, below the frame that had the whole. */
#include "base/context.h"

#include <string.h>

#include "filters.h"
#include "mesh/merge/merge.h"

struct split_meshes_settings {
    int by;
    bool nodes;
};

static const cp_option options[] = {
    {"by", "component: what hangs together; material: what has one material; both: what hangs together and has one",
     CP_OPTION_CHOICE, offsetof(struct split_meshes_settings, by), "component", .choices = "component|material|both"},
    {"nodes", "each piece gets a frame of its own, below the one that had the mesh", CP_OPTION_BOOLEAN,
     offsetof(struct split_meshes_settings, nodes), .initial = "yes"},
    CP_OPTIONS_END};

/* The pieces of a mesh: the meshes first .. first + count - 1; count 0 when it stays whole. */
struct range {
    uint32_t first, count;
};

struct split {
    cp_context *context;
    cp_scene *scene;
    const struct split_meshes_settings *settings;
    struct range *ranges;  /* for each mesh */
    uint32_t mesh_count;   /* before */
    uint32_t cut_meshes;   /* of them were cut ... */
    uint64_t pieces;       /* ... into so many */
    uint64_t unused;       /* vertices */
    uint32_t *last_number; /* indexed by node: the last number of a frame named after it */
};

/* ---- meshes ---- */

static cp_status split_mesh(struct split *split, uint32_t index)
{
    static const enum split_by ways[] = {SPLIT_COMPONENTS, SPLIT_MATERIALS, SPLIT_BOTH};
    cp_scene *scene = split->scene;
    const cp_mesh mesh = scene->meshes[index];
    struct range *range = &split->ranges[index];
    uint32_t count = 0, unused = 0;
    if (mesh.kind != CP_MESH_FACES)
        return CP_OK;
    uint32_t *pieces = memory_allocate(split->context, mesh.face_count, sizeof *pieces);
    bool found = pieces && mesh_find_pieces(split->context, &mesh, ways[split->settings->by], pieces, &count);
    cp_status status = found ? CP_OK : CP_LIMIT;
    if (status == CP_OK && count > 1) {
        range->count = count;
        status = mesh_cut(scene, index, pieces, count, &range->first, &unused);
        for (uint32_t i = 0; status == CP_OK && i < count; i++) {
            char *name = arena_number(scene->arena, *mesh.name ? mesh.name : "mesh", '_', i + 1);
            if (name)
                scene->meshes[range->first + i].name = name;
            else
                status = CP_LIMIT;
        }
        split->cut_meshes++;
        split->pieces += count;
        split->unused += unused;
    }
    memory_free(split->context, pieces, mesh.face_count, sizeof *pieces);
    return status;
}

/* ---- frames and instances ---- */

/* Counts the pieces with their places, as a mesh of many pieces in many places must not fill all memory. */
static cp_status check_places(const struct split *split)
{
    uint64_t places = 0, limit = split->context->limits.nodes, most = CP_NONE - split->scene->instance_count - 1;
    for (uint32_t i = 0; i < split->scene->instance_count; i++)
        places += split->ranges[split->scene->instances[i].mesh].count;
    limit = limit < most ? limit : most;
    if (places <= limit)
        return CP_OK;
    return report_error(split->context, CP_LIMIT, "split-places", NOWHERE,
                        "%llu pieces in all places, more than the limit of %llu (--limit nodes=)",
                        (unsigned long long)places, (unsigned long long)limit);
}

/* Makes the table of instances with the pieces in the place of what was cut, or without them. */
static cp_status rebuild_instances(struct split *split, bool with_pieces)
{
    cp_scene *scene = split->scene;
    size_t room = 1, count = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        room += split->ranges[scene->instances[i].mesh].count + 1;
    cp_instance *table = memory_allocate(split->context, room, sizeof *table);
    if (!table)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        cp_instance instance = scene->instances[i];
        const struct range *range = &split->ranges[instance.mesh];
        if (range->count == 0)
            table[count++] = instance;
        for (uint32_t k = 0; with_pieces && k < range->count; k++) {
            instance.mesh = range->first + k;
            table[count++] = instance;
        }
    }
    scene_take_instances(scene, table, (uint32_t)count, (uint32_t)room);
    return CP_OK;
}

static cp_status add_frame(struct split *split, const cp_instance *whole, uint32_t piece)
{
    enum { INHERITED = CP_NODE_HIGHLIGHT | CP_NODE_WIRE };
    cp_scene *scene = split->scene;
    const char *name = scene->nodes[whole->node].name;
    if (whole->node == 0 || !*name)
        name = *scene->meshes[whole->mesh].name ? scene->meshes[whole->mesh].name : "mesh";
    char *own = arena_number(scene->arena, name, '_', ++split->last_number[whole->node]);
    uint32_t node = own ? scene_add_node(scene, whole->node, own, strlen(own)) : CP_NONE;
    if (node == CP_NONE)
        return CP_LIMIT;
    scene->nodes[node].flags = scene->nodes[whole->node].flags & INHERITED;
    scene->nodes[node].scope = scene->nodes[whole->node].scope;
    return scene_add_instance(scene, node, piece, whole->use, &whole->transform) == CP_NONE ? CP_LIMIT : CP_OK;
}

/* Removes the instances of what was cut from the table, and gives each of their pieces a frame. */
static cp_status move_to_frames(struct split *split)
{
    cp_scene *scene = split->scene;
    uint32_t room = scene->instance_count, nodes = scene->node_count, count = 0;
    cp_instance *wholes = memory_allocate(split->context, room, sizeof *wholes);
    split->last_number = memory_allocate_zeroed(split->context, nodes, sizeof *split->last_number);
    bool good = wholes && split->last_number;
    for (uint32_t i = 0; good && i < scene->instance_count; i++)
        if (split->ranges[scene->instances[i].mesh].count > 0)
            wholes[count++] = scene->instances[i];
    cp_status status = good ? rebuild_instances(split, false) : CP_LIMIT;
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        const struct range *range = &split->ranges[wholes[i].mesh];
        for (uint32_t k = 0; k < range->count && status == CP_OK; k++)
            status = add_frame(split, &wholes[i], range->first + k);
    }
    memory_free(split->context, wholes, room, sizeof *wholes);
    memory_free(split->context, split->last_number, nodes, sizeof *split->last_number);
    return status;
}

/* ---- what is lost ---- */

static cp_status report_pairs(const struct split *split)
{
    const cp_scene *scene = split->scene;
    bool *moved = memory_allocate_zeroed(split->context, scene->node_count, sizeof *moved);
    uint64_t count = 0;
    if (!moved)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        if (split->ranges[instance->mesh].count > 0 && instance->use & CP_USE_COLLISION)
            moved[instance->node] = true;
    }
    for (uint32_t i = 0; i < scene->pair_count; i++)
        count += moved[scene->pairs[i].first] || moved[scene->pairs[i].second];
    if (count > 0)
        report_loss(split->context, "split-pairs", NOWHERE, count,
                    "statements about collision pairs name a frame whose geometry is in frames below it now");
    memory_free(split->context, moved, scene->node_count, sizeof *moved);
    return CP_OK;
}

static cp_status drop_wholes(const struct split *split)
{
    cp_scene *scene = split->scene;
    uint32_t meshes = scene->mesh_count;
    uint64_t metadata = 0;
    bool *gone = memory_allocate_zeroed(split->context, meshes, sizeof *gone);
    if (!gone)
        return CP_LIMIT;
    for (uint32_t i = 0; i < split->mesh_count; i++)
        gone[i] = split->ranges[i].count > 0;
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        metadata += scene->metadata[i].owner == CP_OWNER_MESH && gone[scene->metadata[i].index];
    if (metadata > 0)
        report_loss(split->context, "split-metadata", NOWHERE, metadata,
                    "metadata of meshes that were cut is left out");
    cp_status status = scene_drop_rows(scene, TABLE_MESHES, gone);
    memory_free(split->context, gone, meshes, sizeof *gone);
    return status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    struct split split = {.context = context, .scene = scene, .settings = settings, .mesh_count = scene->mesh_count};
    split.ranges = memory_allocate_zeroed(context, split.mesh_count, sizeof *split.ranges);
    cp_status status = split.ranges ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < split.mesh_count && status == CP_OK; i++)
        status = split_mesh(&split, i);
    if (status == CP_OK && split.cut_meshes > 0) {
        bool frames = split.settings->nodes;
        status = check_places(&split);
        if (status == CP_OK && frames)
            status = report_pairs(&split);
        if (status == CP_OK)
            status = frames ? move_to_frames(&split) : rebuild_instances(&split, true);
        if (status == CP_OK)
            status = drop_wholes(&split);
        if (status == CP_OK)
            report_note(context, "split-pieces", NOWHERE, "%u meshes became %llu pieces", split.cut_meshes,
                        (unsigned long long)split.pieces);
        if (status == CP_OK && split.unused > 0)
            report_note(context, "split-unused", NOWHERE, "%llu vertices that no face uses are left out",
                        (unsigned long long)split.unused);
    }
    memory_free(context, split.ranges, split.mesh_count, sizeof *split.ranges);
    return status;
}

const struct filter split_meshes_filter = {.plugin = {.name = "split-meshes",
                                                      .title = "Cut meshes into the parts that hang together",
                                                      .options = options,
                                                      .settings_size = sizeof(struct split_meshes_settings)},
                                           .apply = apply};

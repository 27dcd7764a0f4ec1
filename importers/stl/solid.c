/* The solid being read: it takes batches of facets over, in order, and becomes a node with a mesh. */
#include "stl.h"

/* ---- batches ---- */

static bool reserve_corners(struct stl_reader *reader, uint32_t more)
{
    struct stl_solid *solid = &reader->solid;
    uint64_t count = (uint64_t)solid->corner_count + more;
    if (count <= UINT32_MAX - 1)
        return array_reserve(reader->context, &solid->corners, &solid->corner_room, count, sizeof *solid->corners);
    report_error(reader->context, CP_LIMIT, "stl-large", IN_FILE(reader->source->name),
                 "a solid of more than %u corners", UINT32_MAX - 1);
    return false;
}

static bool take_ends(struct stl_reader *reader, const struct stl_batch *batch)
{
    struct stl_solid *solid = &reader->solid;
    if (!solid->has_polygons && !batch->has_polygons)
        return true;
    uint64_t count = (uint64_t)solid->facet_count + batch->facet_count;
    if (!array_reserve(reader->context, &solid->ends, &solid->end_room, count, sizeof *solid->ends))
        return false;
    for (uint32_t i = 0; !solid->has_polygons && i < solid->facet_count; i++)
        solid->ends[i] = 3 * (i + 1);
    solid->has_polygons = true;
    for (uint32_t i = 0; i < batch->facet_count; i++)
        solid->ends[solid->facet_count + i] =
            solid->corner_count + (batch->has_polygons ? batch->ends[i] : 3 * (i + 1));
    return true;
}

/* What follows from the order of the batches: the points' numbers, and where its corners belong. */
static bool take_points(struct stl_reader *reader, const struct stl_batch *batch)
{
    struct stl_solid *solid = &reader->solid;
    solid->points.context = reader->context;
    if (!reserve_corners(reader, batch->corner_count) || !take_ends(reader, batch) ||
        !points_reserve(&solid->points, batch->points.count))
        return false;
    points_add_all(&solid->points, batch->points.items, batch->points.count, batch->numbers);
    solid->corner_count += batch->corner_count;
    solid->facet_count += batch->facet_count;
    return true;
}

static void take_corners(const struct stl_solid *solid, uint32_t first, const struct stl_batch *batch)
{
    for (uint32_t i = 0; i < batch->corner_count; i++)
        solid->corners[first + i] = batch->numbers[batch->corners[i]];
}

bool stl_take_batch(struct stl_reader *reader, const struct stl_batch *batch)
{
    struct stl_solid *solid = &reader->solid;
    uint32_t first = solid->corner_count;
    if (!take_points(reader, batch))
        return false;
    take_corners(solid, first, batch);
    reader->facets += batch->facet_count;
    reader->attributes |= batch->attributes;
    reader->oddities.degenerate += batch->oddities.degenerate;
    reader->oddities.opposed += batch->oddities.opposed;
    reader->oddities.without_normal += batch->oddities.without_normal;
    reader->oddities.polygons += batch->oddities.polygons;
    return true;
}

/* ---- the mesh ---- */

/* A solid without a name goes by its file. */
static const char *file_stem(const struct source *source, size_t *size)
{
    const char *stem = text_stem(source->name, size);
    if (*size > 0)
        return stem;
    *size = 5;
    return "solid";
}

static cp_pose source_pose(const struct stl_settings *settings)
{
    cp_pose scaling = pose_scaling(settings->unit, settings->unit, settings->unit);
    cp_pose turn = pose_z_up_from_y_up();
    return settings->up == CP_UP_Y ? pose_multiply(&scaling, &turn) : scaling;
}

static bool fill_offsets(struct stl_reader *reader, cp_mesh *mesh)
{
    const struct stl_solid *solid = &reader->solid;
    if (!solid->has_polygons)
        return true;
    uint32_t *offsets = scene_allocate(reader->scene, (size_t)solid->facet_count + 1, sizeof *offsets);
    if (!offsets)
        return false;
    offsets[0] = 0;
    memcpy(offsets + 1, solid->ends, solid->facet_count * sizeof *offsets);
    mesh->face_offsets = offsets;
    return true;
}

static cp_status fill_mesh(struct stl_reader *reader, cp_mesh *mesh)
{
    struct stl_solid *solid = &reader->solid;
    mesh->kind = CP_MESH_FACES;
    mesh->corner_count = solid->corner_count;
    mesh->face_count = solid->facet_count;
    mesh->vertex_count = solid->points.count;
    mesh->groups = solid->groups;
    mesh->group_count = solid->group_count;
    mesh->positions = scene_keep_array(reader->scene, &solid->points.items, &solid->points.room, solid->points.count,
                                       3 * sizeof(float));
    mesh->corners =
        scene_keep_array(reader->scene, &solid->corners, &solid->corner_room, solid->corner_count, sizeof(uint32_t));
    return mesh->positions && mesh->corners && fill_offsets(reader, mesh) ? CP_OK : CP_LIMIT;
}

static void begin_solid(struct stl_solid *solid)
{
    points_clear(&solid->points);
    solid->corner_count = solid->facet_count = solid->group_count = 0;
    solid->groups = NULL;
    solid->has_polygons = false;
}

cp_status stl_add_solid(struct stl_reader *reader, const char *name, size_t size)
{
    cp_scene *scene = reader->scene;
    if (size == 0)
        name = file_stem(reader->source, &size);
    uint32_t node = scene_add_node(scene, 0, name, size);
    if (node == CP_NONE)
        return CP_LIMIT;
    cp_mesh mesh = {.name = scene->nodes[node].name, .source = scene->source.file};
    cp_status status = fill_mesh(reader, &mesh);
    if (status != CP_OK)
        return status;
    uint32_t index = scene_add_mesh(scene, &mesh);
    cp_pose pose = source_pose(reader->settings);
    if (index == CP_NONE || scene_add_instance(scene, node, index, CP_USE_BOTH, &pose) == CP_NONE)
        return CP_LIMIT;
    begin_solid(&reader->solid);
    return CP_OK;
}

void stl_free_solid(struct stl_reader *reader)
{
    struct stl_solid *solid = &reader->solid;
    points_free(&solid->points);
    memory_free(reader->context, solid->corners, solid->corner_room, sizeof *solid->corners);
    memory_free(reader->context, solid->ends, solid->end_room, sizeof *solid->ends);
}

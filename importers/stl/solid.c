/* The solid being read: it takes batches of facets over, in order, and becomes a node with a mesh. */
#include "stl.h"

#include "../../scene/mesh/join.h"

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

static bool take_positions(struct stl_reader *reader, const struct points *points)
{
    struct stl_solid *solid = &reader->solid;
    uint64_t count = (uint64_t)solid->position_count + points->count; /* not more than there are corners */
    if (!array_reserve(reader->context, &solid->positions, &solid->position_room, count, 3 * sizeof(float)))
        return false;
    if (points->count > 0)
        memcpy(solid->positions + 3 * (size_t)solid->position_count, points->items,
               3 * sizeof(float) * (size_t)points->count);
    solid->position_count += points->count;
    return true;
}

static void take_corners(struct stl_solid *solid, const struct stl_batch *batch, uint32_t first_position)
{
    for (uint32_t i = 0; i < batch->corner_count; i++)
        solid->corners[solid->corner_count + i] = first_position + batch->corners[i];
    solid->corner_count += batch->corner_count;
}

bool stl_take_batch(struct stl_reader *reader, const struct stl_batch *batch)
{
    struct stl_solid *solid = &reader->solid;
    uint32_t first_position = solid->position_count;
    if (!reserve_corners(reader, batch->corner_count) || !take_ends(reader, batch) ||
        !take_positions(reader, &batch->points))
        return false;
    take_corners(solid, batch, first_position);
    solid->facet_count += batch->facet_count;
    solid->batch_count++;
    reader->facets += batch->facet_count;
    reader->attributes |= batch->attributes;
    reader->oddities.degenerate += batch->oddities.degenerate;
    reader->oddities.opposed += batch->oddities.opposed;
    reader->oddities.without_normal += batch->oddities.without_normal;
    reader->oddities.polygons += batch->oddities.polygons;
    return true;
}

/* ---- the vertices ---- */

/* The first of equal positions moves up to where its number says; `first` becomes the numbers. */
static void keep_first(struct stl_solid *solid, uint32_t *first)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < solid->position_count; i++) {
        if (first[i] != i) {
            first[i] = first[first[i]];
            continue;
        }
        if (next < i)
            memcpy(solid->positions + 3 * (size_t)next, solid->positions + 3 * (size_t)i, 3 * sizeof(float));
        first[i] = next++;
    }
    solid->position_count = next;
}

struct renumbering {
    const uint32_t *numbers;
    struct stl_solid *solid;
};

enum { CORNERS_AT_ONCE = 1 << 16 };

static void renumber_corners(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct renumbering *renumbering = user;
    const struct stl_solid *solid = renumbering->solid;
    uint32_t *corners = solid->corners + (size_t)item * CORNERS_AT_ONCE,
             left = solid->corner_count - item * CORNERS_AT_ONCE;
    for (uint32_t i = 0; i < left && i < CORNERS_AT_ONCE; i++)
        corners[i] = renumbering->numbers[corners[i]];
}

/* Joins the points of all batches; those of one are joined already. */
static bool join_batches(struct stl_reader *reader)
{
    struct stl_solid *solid = &reader->solid;
    if (solid->batch_count < 2)
        return true;
    uint32_t count = solid->position_count, items = solid->corner_count / CORNERS_AT_ONCE + 1;
    uint32_t *first = memory_allocate(reader->context, count, sizeof *first);
    bool done = first && join_scattered_rows(reader->context, solid->positions, 3, 3, count, first);
    if (done)
        keep_first(solid, first);
    if (done && solid->position_count < count)
        done = parallel_for(reader->context, items, renumber_corners, &(struct renumbering){first, solid});
    memory_free(reader->context, first, count, sizeof *first);
    return done;
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
    if (!join_batches(reader))
        return CP_LIMIT;
    mesh->kind = CP_MESH_FACES;
    mesh->corner_count = solid->corner_count;
    mesh->face_count = solid->facet_count;
    mesh->vertex_count = solid->position_count;
    mesh->groups = solid->groups;
    mesh->group_count = solid->group_count;
    mesh->positions = scene_keep_array(reader->scene, &solid->positions, &solid->position_room, solid->position_count,
                                       3 * sizeof(float));
    mesh->corners =
        scene_keep_array(reader->scene, &solid->corners, &solid->corner_room, solid->corner_count, sizeof(uint32_t));
    return mesh->positions && mesh->corners && fill_offsets(reader, mesh) ? CP_OK : CP_LIMIT;
}

static void begin_solid(struct stl_solid *solid)
{
    solid->position_count = solid->batch_count = solid->corner_count = solid->facet_count = solid->group_count = 0;
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
    memory_free(reader->context, solid->positions, solid->position_room, 3 * sizeof *solid->positions);
    memory_free(reader->context, solid->corners, solid->corner_room, sizeof *solid->corners);
    memory_free(reader->context, solid->ends, solid->end_room, sizeof *solid->ends);
}

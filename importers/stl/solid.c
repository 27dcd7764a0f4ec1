/* Takes facets into the scene: threads fill batches, a solid takes the batches in order and becomes a node with a
 * mesh. */
#include "stl.h"

#include "mesh/mesh.h"
#include "model/model.h"

/* ---- batches: a thread touches nothing but its own ---- */

void stl_clear_batch(struct stl_batch *batch)
{
    batch->corner_count = batch->facet_count = 0;
    batch->has_polygons = false;
    batch->attributes = 0;
    batch->oddities = (struct stl_oddities){0};
    points_clear(&batch->points);
}

bool stl_begin_batch(cp_context *context, struct stl_batch *batch, uint32_t corners)
{
    batch->points.context = context;
    stl_clear_batch(batch);
    if (corners > batch->room) {
        memory_free(context, batch->corners, batch->room, sizeof *batch->corners);
        memory_free(context, batch->ends, batch->room, sizeof *batch->ends);
        batch->room = corners;
        batch->ends = NULL;
        batch->corners = memory_allocate(context, corners, sizeof *batch->corners);
        if (batch->corners)
            batch->ends = memory_allocate(context, corners, sizeof *batch->ends);
        if (!batch->ends)
            return false;
    }
    return points_reserve(&batch->points, corners);
}

void stl_free_batch(cp_context *context, struct stl_batch *batch)
{
    points_free(&batch->points);
    memory_free(context, batch->corners, batch->room, sizeof *batch->corners);
    memory_free(context, batch->ends, batch->room, sizeof *batch->ends);
}

void stl_end_facet(struct stl_batch *batch, uint32_t first, const float *normal)
{
    /* Ends are kept from the first facet that is no triangle; those before it follow from their number. */
    bool is_polygon = batch->corner_count - first != 3;
    if (is_polygon || batch->has_polygons) {
        for (uint32_t i = 0; !batch->has_polygons && i < batch->facet_count; i++)
            batch->ends[i] = 3 * (i + 1);
        batch->has_polygons = true;
        batch->ends[batch->facet_count] = batch->corner_count;
    }
    batch->oddities.polygons += is_polygon;
    batch->facet_count++;

    /* Find twice the area vector of the facet, exactly enough that collinear corners give zero. */
    const float *items = batch->points.items, *origin = items + 3 * (size_t)batch->corners[first];
    double area[3] = {0};
    for (uint32_t i = first + 1; i + 1 < batch->corner_count; i++) {
        const float *p = items + 3 * (size_t)batch->corners[i], *q = items + 3 * (size_t)batch->corners[i + 1];
        double a[3], b[3];
        for (int k = 0; k < 3; k++) {
            a[k] = (double)p[k] - (double)origin[k];
            b[k] = (double)q[k] - (double)origin[k];
        }
        area[0] += a[1] * b[2] - a[2] * b[1];
        area[1] += a[2] * b[0] - a[0] * b[2];
        area[2] += a[0] * b[1] - a[1] * b[0];
    }
    if (area[0] == 0 && area[1] == 0 && area[2] == 0)
        batch->oddities.degenerate++;
    else if (normal && area[0] * (double)normal[0] + area[1] * (double)normal[1] + area[2] * (double)normal[2] < 0)
        batch->oddities.opposed++;
    batch->oddities.without_normal += normal == NULL;
}

/* ---- the solid ---- */

bool stl_take_batch(struct stl_reader *reader, const struct stl_batch *batch)
{
    cp_context *context = reader->context;
    struct stl_solid *solid = &reader->solid;
    const struct points *points = &batch->points;
    uint64_t corner_count = (uint64_t)solid->corner_count + batch->corner_count,
             position_count = (uint64_t)solid->position_count + points->count, /* not more than there are corners */
        facet_count = (uint64_t)solid->facet_count + batch->facet_count;
    bool has_polygons = solid->has_polygons || batch->has_polygons;
    if (corner_count > UINT32_MAX - 1) {
        report_error(context, CP_LIMIT, "stl-large", IN_FILE(reader->source->name), "a solid of more than %u corners",
                     UINT32_MAX - 1);
        return false;
    }
    if (!array_reserve(context, &solid->corners, &solid->corner_room, corner_count, sizeof *solid->corners) ||
        (has_polygons && !array_reserve(context, &solid->ends, &solid->end_room, facet_count, sizeof *solid->ends)) ||
        !array_reserve(context, &solid->positions, &solid->position_room, position_count, 3 * sizeof(float)))
        return false;

    /* The numbers of the batch's points and the ends of its facets continue the solid's. */
    if (points->count > 0)
        memcpy(solid->positions + 3 * (size_t)solid->position_count, points->items,
               3 * sizeof(float) * (size_t)points->count);
    for (uint32_t i = 0; i < batch->corner_count; i++)
        solid->corners[solid->corner_count + i] = solid->position_count + batch->corners[i];
    if (has_polygons) {
        for (uint32_t i = 0; !solid->has_polygons && i < solid->facet_count; i++)
            solid->ends[i] = 3 * (i + 1);
        for (uint32_t i = 0; i < batch->facet_count; i++)
            solid->ends[solid->facet_count + i] =
                solid->corner_count + (batch->has_polygons ? batch->ends[i] : 3 * (i + 1));
    }
    solid->has_polygons = has_polygons;
    solid->corner_count = (uint32_t)corner_count;
    solid->position_count = (uint32_t)position_count;
    solid->facet_count = (uint32_t)facet_count;
    solid->batch_count++;

    reader->facets += batch->facet_count;
    reader->attributes |= batch->attributes;
    reader->oddities.degenerate += batch->oddities.degenerate;
    reader->oddities.opposed += batch->oddities.opposed;
    reader->oddities.without_normal += batch->oddities.without_normal;
    reader->oddities.polygons += batch->oddities.polygons;
    reader->oddities.dialect += batch->oddities.dialect;
    reader->oddities.colours += batch->oddities.colours;
    return true;
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

/* Joins the points of all batches; those of one batch are joined already. */
static bool join_batches(struct stl_reader *reader)
{
    struct stl_solid *solid = &reader->solid;
    if (solid->batch_count < 2)
        return true;
    uint32_t count = solid->position_count, items = solid->corner_count / CORNERS_AT_ONCE + 1;
    uint32_t *first = memory_allocate(reader->context, count, sizeof *first);
    bool done = first && join_scattered_rows(reader->context, solid->positions, 3, 3, count, first);

    /* Move the first of equal positions up to the place of its number; `first` becomes the numbers. */
    if (done)
        solid->position_count = 0;
    for (uint32_t i = 0; done && i < count; i++) {
        if (first[i] != i) {
            first[i] = first[first[i]];
            continue;
        }
        uint32_t next = solid->position_count++;
        if (next < i)
            memcpy(solid->positions + 3 * (size_t)next, solid->positions + 3 * (size_t)i, 3 * sizeof(float));
        first[i] = next;
    }
    if (done && solid->position_count < count)
        done = parallel_for(reader->context, items, renumber_corners, &(struct renumbering){first, solid});
    memory_free(reader->context, first, count, sizeof *first);
    return done;
}

/* Adds the solid as a mesh of that name; all empty ones are one. CP_NONE when out of memory. */
static uint32_t add_mesh(struct stl_reader *reader, const char *name)
{
    cp_scene *scene = reader->scene;
    struct stl_solid *solid = &reader->solid;
    if (solid->facet_count == 0 && reader->empty_mesh != CP_NONE)
        return reader->empty_mesh;
    /* The mesh takes the solid's arrays over. */
    cp_mesh mesh = {.name = name,
                    .source = scene->source.file,
                    .kind = CP_MESH_FACES,
                    .corner_count = solid->corner_count,
                    .face_count = solid->facet_count,
                    .vertex_count = solid->position_count,
                    .groups = solid->groups,
                    .group_count = solid->group_count};
    mesh.positions =
        scene_keep_array(scene, &solid->positions, &solid->position_room, solid->position_count, 3 * sizeof(float));
    mesh.corners = scene_keep_array(scene, &solid->corners, &solid->corner_room, solid->corner_count, sizeof(uint32_t));
    if (!mesh.positions || !mesh.corners)
        return CP_NONE;
    if (solid->has_polygons) {
        uint32_t *offsets = scene_allocate(scene, (size_t)solid->facet_count + 1, sizeof *offsets);
        if (!offsets)
            return CP_NONE;
        offsets[0] = 0;
        memcpy(offsets + 1, solid->ends, solid->facet_count * sizeof *offsets);
        mesh.face_offsets = offsets;
    }
    uint32_t index = scene_add_mesh(scene, &mesh);
    if (solid->facet_count == 0)
        reader->empty_mesh = index;
    return index;
}

void stl_clear_solid(struct stl_solid *solid, const double origin[3])
{
    solid->position_count = solid->batch_count = solid->corner_count = solid->facet_count = solid->group_count = 0;
    solid->groups = NULL;
    solid->has_polygons = false;
    solid->is_far = origin;
    for (int axis = 0; axis < 3; axis++)
        solid->origin[axis] = origin ? origin[axis] : 0;
}

cp_status stl_add_solid(struct stl_reader *reader, const char *name, size_t size)
{
    cp_scene *scene = reader->scene;
    struct stl_solid *solid = &reader->solid;

    /* A solid without a name gets that of its file. */
    if (size == 0)
        name = text_stem(reader->source->name, &size);
    uint32_t node = mesh_file_add_node(scene, 0, name, size, "solid");
    if (node == CP_NONE || !join_batches(reader))
        return CP_LIMIT;

    if (!mesh_file_place(scene, node, add_mesh(reader, scene->nodes[node].name), solid->origin))
        return CP_LIMIT;
    stl_clear_solid(solid, NULL);
    return CP_OK;
}

void stl_free_solid(struct stl_reader *reader)
{
    struct stl_solid *solid = &reader->solid;
    memory_free(reader->context, solid->positions, solid->position_room, 3 * sizeof *solid->positions);
    memory_free(reader->context, solid->corners, solid->corner_room, sizeof *solid->corners);
    memory_free(reader->context, solid->ends, solid->end_room, sizeof *solid->ends);
}

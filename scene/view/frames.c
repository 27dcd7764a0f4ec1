/* Draws lines from frame to frame where there is next to nothing else to see: a chain of frames without shapes, or a
 * robot whose few shapes are tiny. */
#include "view.h"

#include <float.h>
#include <math.h>

#include "base/context.h"
#include "model/model.h"
#include "motion/motion.h"

/* Shapes are tiny if the squares of their diagonals add up to less than this part of the square of the whole one. */
static const double TINY = 0.01;

static double square_of_diagonal(const double lower[3], const double upper[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (upper[i] - lower[i]) * (upper[i] - lower[i]);
    return sum;
}

static bool has_little_to_see(const struct shown *shown)
{
    double lower[3], upper[3], sum = 0;
    if (!shown_box(shown, lower, upper))
        return true;
    double whole = square_of_diagonal(lower, upper);
    for (uint32_t i = 0; i < shown->scene->instance_count; i++)
        if (shown_is_framed(shown, i)) {
            shown_bounds(shown, i, lower, upper);
            sum += square_of_diagonal(lower, upper);
        }
    return sum < TINY * whole;
}

/* Tells whether there is to be a line to the node: from its parent, if that is not the world. */
static bool wants_line(const cp_scene *scene, uint32_t node)
{
    uint32_t parent = scene->nodes[node].parent;
    return parent != CP_NONE && scene->nodes[parent].parent != CP_NONE;
}

/* Tells whether vertices, which are in single precision, can stand at the pose's place. */
static bool is_within_single(const cp_pose *pose)
{
    for (int k = 3; k < 12; k += 4)
        if (!(fabs(pose->m[k]) <= (double)FLT_MAX))
            return false;
    return true;
}

/* Tells whether the line that the node is to have can be drawn. worlds: of the nodes. */
static bool has_line(const cp_scene *scene, const cp_pose *worlds, uint32_t node)
{
    return wants_line(scene, node) && is_within_single(&worlds[node]) &&
           is_within_single(&worlds[scene->nodes[node].parent]);
}

/* Adds a mesh of lines, in the world's own coordinates. worlds: of the nodes. */
static cp_status add_lines(cp_scene *scene, const cp_pose *worlds, uint32_t count, uint32_t use)
{
    static const double blue[4] = {0.16, 0.33, 0.62, 1};
    float *positions = scene_allocate(scene, 3 * (size_t)scene->node_count, sizeof *positions);
    uint32_t *corners = scene_allocate(scene, 2 * (size_t)count, sizeof *corners), *to = corners;
    uint32_t *offsets = scene_allocate(scene, count + (size_t)1, sizeof *offsets);
    cp_group *group = scene_allocate(scene, 1, sizeof *group);
    uint32_t material = scene_add_material(scene, "frames", blue, true);
    cp_pose inverse;
    if (!positions || !corners || !offsets || !group || material == CP_NONE)
        return CP_LIMIT;
    for (size_t i = 0; i < scene->node_count; i++)
        for (size_t k = 0; k < 3; k++)
            positions[3 * i + k] = is_within_single(&worlds[i]) ? (float)worlds[i].m[4 * k + 3] : 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (has_line(scene, worlds, i)) {
            *to++ = scene->nodes[i].parent;
            *to++ = i;
        }
    for (uint32_t i = 0; i <= count; i++)
        offsets[i] = 2 * i;
    *group = (cp_group){0, count, material};
    const cp_mesh lines = {.name = "frames",
                           .source = "",
                           .kind = CP_MESH_LINES,
                           .vertex_count = scene->node_count,
                           .face_count = count,
                           .corner_count = 2 * count,
                           .positions = positions,
                           .corners = corners,
                           .face_offsets = offsets,
                           .groups = group,
                           .group_count = 1};
    uint32_t mesh = scene_add_mesh(scene, &lines);
    if (!pose_inverse(&worlds[0], &inverse) || mesh == CP_NONE ||
        scene_add_instance(scene, 0, mesh, use, &inverse) == CP_NONE)
        return CP_LIMIT;
    return scene_finish(scene);
}

cp_status view_add_frames(cp_context *context, const cp_scene *scene, bool always, cp_scene **changed)
{
    struct shown shown;
    const cp_scene *now = *changed ? *changed : scene;
    uint32_t wanted = 0, count = 0;
    for (uint32_t i = 0; i < now->node_count; i++)
        wanted += wants_line(now, i);
    if (wanted == 0)
        return CP_OK;
    struct arena *arena = arena_new(context);
    cp_pose *worlds = arena_allocate(arena, now->node_count, sizeof *worlds);
    cp_status status = worlds ? shown_open(&shown, context, now, arena) : CP_LIMIT;
    if (status == CP_OK && (always || has_little_to_see(&shown))) {
        if (!*changed)
            *changed = scene_copy(scene);
        status = *changed ? scene_world_poses(context, now, NULL, worlds) : CP_LIMIT;
        for (uint32_t i = 0; i < now->node_count && status == CP_OK; i++)
            count += has_line(now, worlds, i);
        if (status == CP_OK && count < wanted)
            report_loss(context, "frames-far", NOWHERE, wanted - count,
                        "lines to frames that are further away than single precision reaches are left out");
        if (status == CP_OK && count > 0)
            status = add_lines(*changed, worlds, count, shown.use);
        if (status == CP_OK && count > 0)
            report_note(context, "frames-drawn", NOWHERE,
                        "lines from frame to frame are drawn%s: %lu (frames=no: none)",
                        always ? "" : ", as there is little else to see", (unsigned long)count);
    }
    arena_free(arena);
    return status;
}

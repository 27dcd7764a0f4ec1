/* The views of a scene, and the one fit of a camera to what it frames. A camera at c that looks along -z, with k the
 * slope of a side of its part of the window, shows a point (x, y, z) within it if |x - c.x| <= k (c.z - z). So c
 * follows from the largest x + k z and k z - x of all points, and from the same of y: the fit is exact. */
#include "view.h"

#include <math.h>

#include "base/context.h"
#include "model/model.h"

/* The part of a window's width or height that is filled; the radius of a scene without size, and the camera's least
 * distance as a part of the size. */
static const double FILL = 0.9, LEAST_RADIUS = 1e-4, LEAST_DISTANCE = 0.01;

/* Directions: a pair for each side of the window at its slope, a pair across alone, and to the camera and away. */
enum { WIDE, FLAT = 4, NEAREST = 8, FARTHEST, EXTENTS };

void camera_axes(const double towards[3], double axes[3][3])
{
    /* Up is Z, or Y in a view along Z. */
    bool upright = towards[0] != 0 || towards[1] != 0;
    const double up[3] = {0, upright ? 0 : 1, upright ? 1 : 0};
    double length = sqrt(dot_product(towards, towards)), right[3];
    for (int i = 0; i < 3; i++)
        axes[2][i] = towards[i] / length;
    cross_product(up, axes[2], right);
    length = sqrt(dot_product(right, right));
    for (int i = 0; i < 3; i++)
        axes[0][i] = right[i] / length;
    cross_product(axes[2], axes[0], axes[1]);
}

/* ---- the fit ---- */

/* Finds how far all that a view frames reaches in given directions; if nothing is shown, it is a ball at the origin. */
static void reach(const struct views *views, uint32_t device, const double (*directions)[3], double *most,
                  uint32_t count)
{
    const cp_scene *scene = views->shown.scene;
    for (uint32_t n = 0; n < count; n++)
        most[n] = -INFINITY;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (shown_is_framed(&views->shown, i) &&
            (device == CP_NONE || scene->nodes[scene->instances[i].node].scope == device))
            shown_reach(&views->shown, i, directions, most, count);
    for (uint32_t n = 0; n < count && most[n] == -INFINITY; n++)
        most[n] = views->radius * sqrt(dot_product(directions[n], directions[n]));
}

/* Makes the pair of directions for a side of the window: 0 is across, 1 is up. */
static void make_directions(const struct viewpoint *view, int side, double slope, double directions[2][3])
{
    for (int row = 0; row < 3; row++) {
        const double *m = view->camera.m + 4 * row;
        directions[0][row] = slope * m[2] + m[side];
        directions[1][row] = slope * m[2] - m[side];
    }
}

/* Finds the place on a side at which as much room is left on one end as on the other, for a camera at distance z. It is
 * exact for the least slope at which all is seen: that of the tighter side. The room that is lacking is a convex
 * function of the slope, so that the chord of two slopes around the least one meets zero between it and the larger one.
 */
static double centre(const struct views *views, const struct viewpoint *view, int side, double z, double slope,
                     const double flat[2], const double wide[2])
{
    enum { STEPS = 3 };
    double directions[2][3], most[2] = {wide[0], wide[1]}, high = slope;
    double lacking = flat[0] + flat[1];
    for (int i = 0; i < STEPS; i++) {
        double spare = 2 * high * z - most[0] - most[1];
        if (!(spare > 0) || !(lacking > 0))
            break;
        high *= lacking / (lacking + spare);
        make_directions(view, side, high, directions);
        reach(views, view->device, (const double(*)[3])directions, most, 2);
    }
    return (most[0] - most[1]) / 2;
}

void views_aim(const struct views *views, struct viewpoint *view, double aspect)
{
    const double slopes[2] = {FILL * tan(FIELD_OF_VIEW / 2) * fmax(aspect, 1),
                              FILL * tan(FIELD_OF_VIEW / 2) / fmin(aspect, 1)};
    double directions[EXTENTS][3], most[EXTENTS], at[3];
    for (int side = 0; side < 2; side++) {
        make_directions(view, side, slopes[side], directions + WIDE + 2 * side);
        make_directions(view, side, 0, directions + FLAT + 2 * side);
    }
    for (int row = 0; row < 3; row++) {
        directions[NEAREST][row] = view->camera.m[4 * row + 2];
        directions[FARTHEST][row] = -view->camera.m[4 * row + 2];
    }
    reach(views, view->device, (const double(*)[3])directions, most, EXTENTS);
    double size =
        fmax(most[NEAREST] + most[FARTHEST], fmax(most[FLAT] + most[FLAT + 1], most[FLAT + 2] + most[FLAT + 3]));
    size = size > 0 ? fmax(size, LEAST_RADIUS) : views->radius;
    at[2] = most[NEAREST] + LEAST_DISTANCE * size;
    for (int side = 0; side < 2; side++)
        at[2] = fmax(at[2], (most[WIDE + 2 * side] + most[WIDE + 2 * side + 1]) / (2 * slopes[side]));
    for (int side = 0; side < 2; side++)
        at[side] = centre(views, view, side, at[2], slopes[side], most + FLAT + 2 * side, most + WIDE + 2 * side);
    for (int row = 0; row < 3; row++)
        view->camera.m[4 * row + 3] = dot_product(view->camera.m + 4 * row, at);
    view->near = at[2] - most[NEAREST];
    view->far = fmax(at[2] + most[FARTHEST], 2 * view->near);
}

/* ---- the box ---- */

static void find_box(const struct shown *shown, struct views *views)
{
    double squares = 0;
    bool any = shown_box(shown, views->lower, views->upper);
    for (int i = 0; i < 3 && any; i++)
        squares += (views->upper[i] - views->lower[i]) * (views->upper[i] - views->lower[i]);
    views->radius = squares > 0 ? fmax(sqrt(squares) / 2, LEAST_RADIUS) : 1;
}

/* ---- all ---- */

/* Marks the devices that get a view: those with a joint and a shape of their own. Returns how many. */
static uint32_t choose_devices(const struct shown *shown, bool *chosen)
{
    const cp_scene *scene = shown->scene;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        uint32_t device = scene->nodes[scene->instances[i].node].scope;
        if (device == CP_NONE || chosen[device] || !shown_is_framed(shown, i) ||
            scene->devices[device].joint_count == 0)
            continue;
        chosen[device] = true;
        count++;
    }
    return count;
}

/* Adds a view in a direction of any length. */
static void add_view(struct views *views, const char *title, uint32_t device, const double towards[3])
{
    struct viewpoint *view = &views->items[views->count++];
    double axes[3][3];
    camera_axes(towards, axes);
    *view = (struct viewpoint){.title = title, .device = device};
    for (int row = 0; row < 3; row++)
        for (int axis = 0; axis < 3; axis++)
            view->camera.m[4 * row + axis] = axes[axis][row];
}

cp_status views_list(cp_context *context, const cp_scene *scene, struct arena *arena, struct views *views)
{
    enum { SIDES = 3 };
    static const char *const titles[SIDES] = {"front", "left", "top"};
    static const double sides[SIDES][3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    const struct shown *shown = &views->shown;
    struct corners *corners = NULL;
    double towards[3];
    *views = (struct views){0};
    cp_status status = shown_open(&views->shown, context, scene, arena);
    if (status != CP_OK)
        return status;
    find_box(shown, views);
    if (!isfinite(views->radius)) /* the size overflows, so no camera can see it all */
        return CP_OK;
    status = corners_look(shown, views->lower, views->upper, &corners);
    bool *chosen = arena_allocate_zeroed(arena, scene->device_count, sizeof *chosen);
    if (status != CP_OK || !chosen)
        return CP_LIMIT;
    uint32_t device_count = choose_devices(shown, chosen);
    views->floating = device_count > 0;
    for (uint32_t i = 0; i < scene->instance_count && views->floating; i++)
        views->floating = !shown_is_floor(shown, i, views->lower, views->upper);
    views->items = arena_allocate(arena, 1 + SIDES + (size_t)device_count, sizeof *views->items);
    if (!views->items)
        return CP_LIMIT;
    corners_choose(corners, CP_NONE, towards);
    add_view(views, "whole cell", CP_NONE, towards);
    for (int i = 0; i < SIDES; i++)
        add_view(views, titles[i], CP_NONE, sides[i]);
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (chosen[i]) {
            corners_choose(corners, i, towards);
            add_view(views, scene->devices[i].name, i, towards);
        }
    return CP_OK;
}

cp_status views_find(cp_context *context, const cp_scene *scene, struct arena *arena, struct views *views)
{
    cp_status status = views_list(context, scene, arena, views);
    for (uint32_t i = 0; i < views->count && status == CP_OK; i++)
        views_aim(views, &views->items[i], VIEW_ASPECT);
    return status;
}

/* The views of a scene. A camera at c that looks along -z, with k = fill * tan(field of view / 2), shows a point (x, y,
 * z) within its part of the window if |y - c.y| <= k (c.z - z), and |x - c.x| <= w (c.z - z), with w = k * width /
 * height of the window. So c follows from the largest x + w z, w z - x, y + k z and k z - y of all points: the fit is
 * exact, and reads each point once. */
#include "view.h"

#include <math.h>

#include "base/context.h"
#include "model/model.h"

/* The radius of a scene without size, and the camera's least distance as a part of the size. */
static const double LEAST_RADIUS = 1e-4, LEAST_DISTANCE = 0.01;

enum { WIDE_RIGHT, WIDE_LEFT, WIDE_UP, WIDE_DOWN, NEAREST, FARTHEST, EXTENTS };

/* A view while it is fitted. */
struct fit {
    double axes[3][3];
    double directions[EXTENTS][3], most[EXTENTS];
};

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

static void start_fit(struct fit *fit, const double towards[3])
{
    double k = VIEW_FILL * tan(FIELD_OF_VIEW / 2), w = VIEW_ASPECT * k;
    camera_axes(towards, fit->axes);
    for (int i = 0; i < 3; i++) {
        const double right = fit->axes[0][i], up = fit->axes[1][i], back = fit->axes[2][i];
        const double values[EXTENTS] = {right + w * back, w * back - right, up + k * back, k * back - up, back, -back};
        for (int n = 0; n < EXTENTS; n++)
            fit->directions[n][i] = values[n];
    }
    for (int n = 0; n < EXTENTS; n++)
        fit->most[n] = -INFINITY;
}

/* Sets the view. If nothing is shown, it frames a ball of `radius` at the origin. */
static void finish_fit(struct fit *fit, double radius, struct viewpoint *view)
{
    double k = VIEW_FILL * tan(FIELD_OF_VIEW / 2), *most = fit->most;
    if (most[NEAREST] == -INFINITY)
        for (int n = 0; n < EXTENTS; n++)
            most[n] = radius * sqrt(dot_product(fit->directions[n], fit->directions[n]));
    double at[3] = {(most[WIDE_RIGHT] - most[WIDE_LEFT]) / 2, (most[WIDE_UP] - most[WIDE_DOWN]) / 2, 0};
    at[2] = fmax((most[WIDE_RIGHT] + most[WIDE_LEFT]) / VIEW_ASPECT, most[WIDE_UP] + most[WIDE_DOWN]) / (2 * k);
    at[2] = fmax(at[2], most[NEAREST] + LEAST_DISTANCE * radius);
    for (int row = 0; row < 3; row++) {
        view->camera.m[4 * row + 3] = 0;
        for (int axis = 0; axis < 3; axis++) {
            view->camera.m[4 * row + axis] = fit->axes[axis][row];
            view->camera.m[4 * row + 3] += at[axis] * fit->axes[axis][row];
        }
    }
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

/* Chooses the devices that get a view: those with a joint and a shape of their own. The others get CP_NONE. */
static uint32_t choose_devices(const struct shown *shown, uint32_t first, uint32_t *numbers)
{
    const cp_scene *scene = shown->scene;
    for (uint32_t i = 0; i < scene->device_count; i++)
        numbers[i] = CP_NONE;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        uint32_t device = scene->nodes[scene->instances[i].node].scope;
        if (device != CP_NONE && shown_is_framed(shown, i) && scene->devices[device].joint_count > 0)
            numbers[device] = 0;
    }
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (numbers[i] != CP_NONE)
            numbers[i] = first++;
    return first;
}

static void fit_views(const struct shown *shown, struct fit *fits, uint32_t count, const uint32_t *numbers)
{
    const cp_scene *scene = shown->scene;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        if (!shown_is_framed(shown, i))
            continue;
        uint32_t device = scene->nodes[scene->instances[i].node].scope;
        for (uint32_t n = 0; n < count; n++)
            shown_reach(shown, i, (const double(*)[3])fits[n].directions, fits[n].most, EXTENTS);
        if (device != CP_NONE && numbers[device] != CP_NONE) {
            struct fit *fit = &fits[numbers[device]];
            shown_reach(shown, i, (const double(*)[3])fit->directions, fit->most, EXTENTS);
        }
    }
}

cp_status views_find(cp_context *context, const cp_scene *scene, struct arena *arena, struct views *views)
{
    enum { WHOLE, FRONT, LEFT, TOP, OF_DEVICES };
    static const char *const titles[] = {"whole cell", "front", "left", "top"};
    static const double sides[][3] = {{0, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    struct shown shown;
    struct corners *corners = NULL;
    *views = (struct views){0};
    cp_status status = shown_open(&shown, context, scene, arena);
    if (status != CP_OK)
        return status;
    find_box(&shown, views);
    if (!isfinite(views->radius)) /* the size overflows, so no camera can see it all */
        return CP_OK;
    status = corners_look(&shown, views->lower, views->upper, &corners);
    uint32_t *numbers = arena_allocate(arena, scene->device_count, sizeof *numbers);
    if (status != CP_OK || !numbers)
        return CP_LIMIT;
    views->count = choose_devices(&shown, OF_DEVICES, numbers);
    views->floating = views->count > OF_DEVICES;
    for (uint32_t i = 0; i < scene->instance_count && views->floating; i++)
        views->floating = !shown_is_floor(&shown, i, views->lower, views->upper);
    views->items = arena_allocate(arena, views->count, sizeof *views->items);
    struct fit *fits = arena_allocate(arena, views->count, sizeof *fits);
    if (!views->items || !fits)
        return CP_LIMIT;

    double towards[3];
    for (uint32_t i = FRONT; i < OF_DEVICES; i++)
        start_fit(&fits[i], sides[i]);
    corners_choose(corners, CP_NONE, towards);
    start_fit(&fits[WHOLE], towards);
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (numbers[i] != CP_NONE) {
            corners_choose(corners, i, towards);
            start_fit(&fits[numbers[i]], towards);
        }
    fit_views(&shown, fits, OF_DEVICES, numbers);
    for (uint32_t i = 0; i < views->count; i++) {
        finish_fit(&fits[i], views->radius, &views->items[i]);
        views->items[i].title = i < OF_DEVICES ? titles[i] : "";
    }
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (numbers[i] != CP_NONE)
            views->items[numbers[i]].title = scene->devices[i].name;
    return CP_OK;
}

/* Aims the camera from a view's direction so that what it shows fills the picture, whatever its shape. */
#include <math.h>

#include "picture.h"

/* Pairs for the two sides of the window: at its slope, and across alone. */
enum { WIDE, FLAT = 4, NEAREST = 8, FARTHEST, EXTENTS };

/* The camera's least distance from what it shows, as a part of the size, and in metres. */
static const double LEAST_DISTANCE = 0.01, LEAST_SIZE = 1e-6;

/* Finds how far all that the view shows reaches in given directions; false if it shows nothing. */
static bool reach(const struct shown *shown, uint32_t device, const double (*directions)[3], double *most,
                  uint32_t count)
{
    const cp_scene *scene = shown->scene;
    for (uint32_t n = 0; n < count; n++)
        most[n] = -INFINITY;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (shown_is_framed(shown, i) && (device == CP_NONE || scene->nodes[scene->instances[i].node].scope == device))
            shown_reach(shown, i, directions, most, count);
    return most[0] != -INFINITY;
}

/* The fit is that of scene/view/view.c: with k the slope of a side of the window, a point (x, y, z) is within it if
 * |x - c.x| <= k (c.z - z). So the largest x + k z and k z - x of all points say where the camera c has to be. side: 0
 * is x, 1 is y.
 */
static void make_directions(const struct png_camera *camera, int side, double slope, double directions[2][3])
{
    for (int i = 0; i < 3; i++) {
        directions[0][i] = slope * camera->axes[2][i] + camera->axes[side][i];
        directions[1][i] = slope * camera->axes[2][i] - camera->axes[side][i];
    }
}

/* Finds the place on the looser side at which as much room is left on one side as on the other, for a camera at
 * distance z. It is exact for the least slope at which all is seen. The room that is lacking is a convex function of
 * the slope, so that the chord of two slopes around the least one meets zero between it and the larger one. */
static double centre(const struct png_camera *camera, const struct shown *shown, uint32_t device, int side, double z,
                     double slope, const double flat[2], const double wide[2])
{
    enum { STEPS = 3 };
    double directions[2][3], most[2] = {wide[0], wide[1]}, high = slope;
    double lacking = flat[0] + flat[1];
    for (int i = 0; i < STEPS; i++) {
        double spare = 2 * high * z - most[0] - most[1];
        if (!(spare > 0) || !(lacking > 0)) /* the tighter side */
            break;
        high *= lacking / (lacking + spare);
        make_directions(camera, side, high, directions);
        (void)reach(shown, device, (const double(*)[3])directions, most, 2);
    }
    return (most[0] - most[1]) / 2;
}

void camera_aim(struct png_camera *camera, const struct shown *shown, const struct views *views, uint32_t number,
                uint32_t device, uint32_t width, uint32_t height)
{
    const struct viewpoint *view = &views->items[number];
    double directions[EXTENTS][3], most[EXTENTS], at[3] = {0, 0, 0};
    double shorter = SUPERSAMPLES * (double)(width < height ? width : height);
    camera->focal = shorter / 2 / tan(FIELD_OF_VIEW / 2);
    camera->middle[0] = SUPERSAMPLES * (double)width / 2;
    camera->middle[1] = SUPERSAMPLES * (double)height / 2;
    const double slope[2] = {VIEW_FILL * camera->middle[0] / camera->focal,
                             VIEW_FILL * camera->middle[1] / camera->focal};
    for (int axis = 0; axis < 3; axis++)
        for (int row = 0; row < 3; row++)
            camera->axes[axis][row] = view->camera.m[4 * row + axis];
    for (int row = 0; row < 3; row++)
        camera->at[row] = view->camera.m[4 * row + 3];
    camera->nearest = view->near / 100;
    for (int side = 0; side < 2; side++) {
        make_directions(camera, side, slope[side], directions + WIDE + 2 * side);
        make_directions(camera, side, 0, directions + FLAT + 2 * side);
    }
    for (int i = 0; i < 3; i++) {
        directions[NEAREST][i] = camera->axes[2][i];
        directions[FARTHEST][i] = -camera->axes[2][i];
        camera->least[i] = views->lower[i];
        camera->most[i] = views->upper[i];
    }
    camera->any = reach(shown, device, (const double(*)[3])directions, most, EXTENTS);
    if (camera->any) {
        double size = most[NEAREST] + most[FARTHEST];
        for (int side = 0; side < 2; side++) {
            const double *wide = most + WIDE + 2 * side, *flat = most + FLAT + 2 * side;
            size = fmax(size, flat[0] + flat[1]);
            at[2] = fmax(side == 0 ? -INFINITY : at[2], (wide[0] + wide[1]) / (2 * slope[side]));
        }
        at[2] = fmax(at[2], most[NEAREST] + fmax(LEAST_DISTANCE * size, LEAST_SIZE));
        for (int side = 0; side < 2; side++)
            at[side] =
                centre(camera, shown, device, side, at[2], slope[side], most + FLAT + 2 * side, most + WIDE + 2 * side);
        for (int row = 0; row < 3; row++)
            camera->at[row] =
                at[0] * camera->axes[0][row] + at[1] * camera->axes[1][row] + at[2] * camera->axes[2][row];
        camera->nearest = (at[2] - most[NEAREST]) / 100;
    }
    for (int i = 0; i < 3; i++) {
        double w = -camera->axes[2][i];
        camera->picture.m[i] = camera->middle[0] * w + camera->focal * camera->axes[0][i];
        camera->picture.m[4 + i] = camera->middle[1] * w - camera->focal * camera->axes[1][i];
        camera->picture.m[8 + i] = w;
    }
    for (int row = 0; row < 3; row++)
        camera->picture.m[4 * row + 3] = -dot_product(camera->picture.m + 4 * row, camera->at);
}

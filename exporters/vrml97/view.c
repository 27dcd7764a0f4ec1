/* The first sight in a viewer: views of the cell, light and a background. */
#include <math.h>

#include "model/model.h"
#include "view/view.h"
#include "vrml97.h"

/* Returns the camera in the file's axes: Y up if the file has that. */
static cp_pose written_camera(const struct vrml *v, const struct viewpoint *view)
{
    cp_pose turn = v->settings->up == VRML_UP_Y ? pose_y_up_from_z_up() : POSE_IDENTITY;
    return pose_multiply(&turn, &view->camera);
}

/* ---- views ---- */

static void write_navigation(struct vrml *v, double radius)
{
    vrml_open(v, NULL, "NavigationInfo {");
    vrml_line(v, "type [ \"EXAMINE\" \"ANY\" ]");
    vrml_line(v, "headlight FALSE");
    vrml_indent(v);
    /* Viewers clip everything nearer than about the avatar's size. */
    vrml_vector(v, "avatarSize [", (double[]){radius / 100, radius / 10, radius / 20});
    sink_text(v->out, " ]\n");
    vrml_indent(v);
    sink_text(v->out, "speed ");
    vrml_number(v, radius);
    sink_text(v->out, "\n");
    vrml_close(v, "}");
}

/* Writes the viewpoints in a Transform at the cell's middle: EXAMINE turns about the origin of a Viewpoint's
 * coordinates, for which VRML97 has no field. */
static void write_viewpoints(struct vrml *v, const struct views *views)
{
    struct placing placing = {.scale = {1, 1, 1}};
    cp_pose turn = v->settings->up == VRML_UP_Y ? pose_y_up_from_z_up() : POSE_IDENTITY;
    for (int i = 0; i < 3; i++)
        placing.translation[i] = (views->lower[i] + views->upper[i]) / 2;
    pose_point(&turn, placing.translation, placing.translation);
    vrml_open_transform(v, NULL, &placing);
    for (uint32_t i = 0; i < views->count; i++) {
        cp_pose camera = written_camera(v, &views->items[i]);
        const double *m = camera.m;
        struct rotation rotation = vrml_rotation((double[]){m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]});
        double position[3];
        for (int row = 0; row < 3; row++)
            position[row] = m[4 * row + 3] - placing.translation[row];
        vrml_open(v, NULL, "Viewpoint {");
        vrml_indent(v);
        sink_text(v->out, "description ");
        vrml_string(v, views->items[i].title);
        sink_text(v->out, "\n");
        vrml_vector_line(v, "position", position);
        vrml_turn_line(v, "orientation", &rotation);
        vrml_close(v, "}");
    }
    vrml_close_node(v);
}

/* ---- light and background ---- */

/* Writes colours above and below the horizon: from there to the zenith, and to the ground under the cell. */
static void write_background(struct vrml *v)
{
    vrml_open(v, NULL, "Background {");
    vrml_line(v, "skyAngle [ 0.9 1.5708 ]");
    vrml_line(v, "skyColor [ 0.32 0.44 0.6, 0.6 0.7 0.8, 0.86 0.9 0.94 ]");
    vrml_line(v, "groundAngle [ 0.9 1.5708 ]");
    vrml_line(v, "groundColor [ 0.4 0.44 0.48, 0.56 0.6 0.64, 0.8 0.83 0.86 ]");
    vrml_close(v, "}");
}

/* Writes three lights as a photographer places them, about the first camera's own axes: the key from the left above,
 * the fill from the right, the rim from behind. */
static void write_lights(struct vrml *v, const cp_pose *camera)
{
    static const struct light {
        double from[3]; /* right, up, towards the camera */
        const char *strength;
    } lights[] = {{{-0.6, 0.7, 0.8}, "intensity 0.75 ambientIntensity 0.7"},
                  {{0.9, 0.2, 0.6}, "intensity 0.35 ambientIntensity 0.3"},
                  {{0.3, 0.8, -0.9}, "intensity 0.35"}};
    for (size_t i = 0; i < sizeof lights / sizeof *lights; i++) {
        double direction[3];
        for (int row = 0; row < 3; row++)
            direction[row] = 0 - dot_product(camera->m + 4 * row, lights[i].from);
        vrml_indent(v);
        vrml_vector(v, "DirectionalLight { direction", direction);
        sink_text(v->out, " ");
        sink_text(v->out, lights[i].strength);
        sink_text(v->out, " }\n");
    }
}

cp_status vrml_write_scenery(struct vrml *v)
{
    struct views views;
    struct arena *arena = arena_new(v->context);
    cp_status status = arena ? views_find(v->context, v->scene, arena, &views) : CP_LIMIT;
    if (status == CP_OK) {
        const struct viewpoint none = {.camera = POSE_IDENTITY};
        cp_pose camera = written_camera(v, views.count > 0 ? views.items : &none);
        write_navigation(v, views.radius);
        write_viewpoints(v, &views);
        write_background(v);
        write_lights(v, &camera);
    }
    arena_free(arena);
    return status;
}

/* The first sight in a viewer: views of the cell, light and a background. */
#include "view/view.h"
#include "model/model.h"
#include "vrml97.h"

/* Returns the camera in the file's axes: Y up if the file has that. */
static cp_pose written_camera(const struct vrml_output *output, const struct viewpoint *view)
{
    cp_pose turn = output->settings->up == VRML_UP_Y ? pose_y_up_from_z_up() : POSE_IDENTITY;
    return pose_multiply(&turn, &view->camera);
}

/* ---- views ---- */

static void write_navigation(struct vrml_output *output, double radius)
{
    vrml_open(output, NULL, "NavigationInfo {");
    vrml_line(output, "type [ \"EXAMINE\" \"ANY\" ]");
    vrml_line(output, "headlight FALSE");
    vrml_indent(output);
    /* Viewers clip everything nearer than about the avatar's size. */
    vrml_vector(output, "avatarSize [", (double[]){radius / 100, radius / 10, radius / 20});
    sink_text(output->sink, " ]\n");
    vrml_indent(output);
    sink_text(output->sink, "speed ");
    vrml_number(output, radius);
    sink_text(output->sink, "\n");
    vrml_close(output, "}");
}

/* Writes the viewpoints in a Transform at the cell's middle: EXAMINE turns about the origin of a Viewpoint's
 * coordinates, for which VRML97 has no field. */
static void write_viewpoints(struct vrml_output *output, const struct views *views)
{
    struct vrml_placing placing = {.scale = {1, 1, 1}};
    cp_pose turn = output->settings->up == VRML_UP_Y ? pose_y_up_from_z_up() : POSE_IDENTITY;
    for (int i = 0; i < 3; i++)
        placing.translation[i] = (views->lower[i] + views->upper[i]) / 2;
    pose_point(&turn, placing.translation, placing.translation);
    vrml_open_transform(output, NULL, &placing);
    for (uint32_t i = 0; i < views->count; i++) {
        cp_pose camera = written_camera(output, &views->items[i]);
        const double *m = camera.m;
        struct rotation rotation = vrml_rotation((double[]){m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]});
        double position[3];
        for (int row = 0; row < 3; row++)
            position[row] = m[4 * row + 3] - placing.translation[row];
        vrml_open(output, NULL, "Viewpoint {");
        vrml_indent(output);
        sink_text(output->sink, "description ");
        vrml_string(output, views->items[i].title);
        sink_text(output->sink, "\n");
        vrml_vector_line(output, "position", position);
        vrml_turn_line(output, "orientation", &rotation);
        vrml_close(output, "}");
    }
    vrml_close_node(output);
}

/* ---- light and background ---- */

/* Writes colours above and below the horizon: from there to the zenith, and to the ground under the cell. */
static void write_background(struct vrml_output *output)
{
    vrml_open(output, NULL, "Background {");
    vrml_line(output, "skyAngle [ 0.9 1.5708 ]");
    vrml_line(output, "skyColor [ 0.32 0.44 0.6, 0.6 0.7 0.8, 0.86 0.9 0.94 ]");
    vrml_line(output, "groundAngle [ 0.9 1.5708 ]");
    vrml_line(output, "groundColor [ 0.4 0.44 0.48, 0.56 0.6 0.64, 0.8 0.83 0.86 ]");
    vrml_close(output, "}");
}

/* Writes a ground under a robot without a floor, so that it does not float before the sky. Nothing collides with it. */
static void write_ground(struct vrml_output *output, const struct views *views)
{
    static const double along[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const double gap = 0.002, margin = 0.35; /* below the robot and around it, as parts of its radius */
    cp_pose turn = output->settings->up == VRML_UP_Y ? pose_y_up_from_z_up() : POSE_IDENTITY;
    vrml_line(output, "Collision { collide FALSE children Shape {");
    output->depth++;
    vrml_line(output, "appearance Appearance { material Material { diffuseColor 0.62 0.64 0.66 } }");
    vrml_line(output, "geometry IndexedFaceSet { solid FALSE coordIndex [ 0 1 2 3 -1 ] coord Coordinate { point [");
    for (int i = 0; i < 4; i++) {
        double corner[3];
        for (int axis = 0; axis < 2; axis++) {
            double half = (views->upper[axis] - views->lower[axis]) / 2 + margin * views->radius;
            corner[axis] = (views->upper[axis] + views->lower[axis]) / 2 + along[i][axis] * half;
        }
        corner[2] = views->lower[2] - gap * views->radius;
        pose_point(&turn, corner, corner);
        vrml_vector_line(output, "", corner);
    }
    vrml_line(output, "] } }");
    vrml_close(output, "} }");
}

/* Writes three lights as a photographer places them, about the first camera's own axes: the key from the left above,
 * the fill from the right, the rim from behind. */
static void write_lights(struct vrml_output *output, const cp_pose *camera)
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
        vrml_indent(output);
        vrml_vector(output, "DirectionalLight { direction", direction);
        sink_print(output->sink, " %s }\n", lights[i].strength);
    }
}

cp_status vrml_write_scenery(struct vrml_output *output, const cp_scene *scene)
{
    struct views views;
    struct arena *arena = arena_new(output->context);
    cp_status status = arena ? views_find(output->context, scene, arena, &views) : CP_LIMIT;
    if (status == CP_OK) {
        const struct viewpoint none = {.camera = POSE_IDENTITY};
        cp_pose camera = written_camera(output, views.count > 0 ? views.items : &none);
        write_navigation(output, views.radius);
        write_viewpoints(output, &views);
        write_background(output);
        write_lights(output, &camera);
        if (output->settings->ground && views.floating)
            write_ground(output, &views);
    }
    arena_free(arena);
    return status;
}

/* A Viewpoint that frames the cell. */
#include <math.h>

#include "vrml97.h"

/* The default fieldOfView (ISO/IEC 14772-1, 6.53), which holds for the window's shorter side. */
#define FIELD_OF_VIEW 0.785398
/* Something to look at where nothing is. */
#define LEAST_RADIUS 1e-4

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normalise(double a[3])
{
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++)
        a[i] /= length;
}

/* From before, right and above, in the scene's Z up; the camera's axes are the columns. */
static cp_pose look_at(const struct vrml *v, double radius)
{
    double axes[3][3] = {{0, 0, 0}, {0, 0, 0}, {0.6, -1, 0.55}}, distance = 0;
    cp_pose camera;
    normalise(axes[2]);
    cross((const double[]){0, 0, 1}, axes[2], axes[0]);
    normalise(axes[0]);
    cross(axes[2], axes[0], axes[1]);
    /* So far from the middle that all corners of the box are within a square window. */
    for (int corner = 0; corner < 8; corner++) {
        double seen[3] = {0, 0, 0}; /* right, up, towards the camera */
        for (int i = 0; i < 3; i++) {
            double half = (corner >> i & 1 ? 0.5 : -0.5) * (v->upper[i] - v->lower[i]);
            for (int k = 0; k < 3; k++)
                seen[k] += axes[k][i] * half;
        }
        distance = fmax(distance, seen[2] + fmax(fabs(seen[0]), fabs(seen[1])) / tan(FIELD_OF_VIEW / 2));
    }
    distance = 1.05 * fmax(distance, radius);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            camera.m[4 * i + k] = axes[k][i];
        camera.m[4 * i + 3] = (v->lower[i] + v->upper[i]) / 2 + distance * axes[2][i];
    }
    return camera;
}

void vrml_write_view(struct vrml *v)
{
    double radius = v->diagonal > 0 ? fmax(v->diagonal / 2, LEAST_RADIUS) : 1;
    cp_pose camera = look_at(v, radius);
    if (v->settings->up == VRML_UP_Y) {
        cp_pose turn = pose_y_up_from_z_up();
        camera = pose_multiply(&turn, &camera);
    }
    const double *m = camera.m;
    struct rotation rotation = vrml_rotation((double[]){m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]});
    vrml_open(v, NULL, "NavigationInfo {");
    vrml_line(v, "type [ \"EXAMINE\" \"ANY\" ]");
    vrml_indent(v);
    /* Viewers clip what is nearer than about the avatar's size. */
    vrml_vector(v, "avatarSize [", (double[]){radius / 100, radius / 10, radius / 20});
    sink_text(v->out, " ]\n");
    vrml_indent(v);
    sink_text(v->out, "speed ");
    vrml_number(v, radius);
    sink_text(v->out, "\n");
    vrml_close(v, "}");
    vrml_open(v, NULL, "Viewpoint {");
    vrml_line(v, "description \"whole cell\"");
    vrml_vector_line(v, "position", (double[]){m[3], m[7], m[11]});
    vrml_turn_line(v, "orientation", &rotation);
    vrml_close(v, "}");
}

/* The views from which a viewer shows a scene, and the size at which it draws planes without borders. */
#ifndef CELLPIPE_VIEW_VIEW_H
#define CELLPIPE_VIEW_VIEW_H

#include "model/model.h"

/* The angle over the shorter side of a window, radians: the default of VRML97 (ISO/IEC 14772-1, 6.53). */
#define FIELD_OF_VIEW 0.785398
/* The width of the narrowest usual window, in its heights: what fits there fits into wider ones. */
#define VIEW_ASPECT (4 / 3.0)

/* The shown part of a scene: the drawn instances, with faces in place of primitives. */
struct shown {
    cp_context *context;
    const cp_scene *scene;
    struct arena *arena;
    uint32_t use;
    bool planes;     /* nothing else is shown, so they are framed */
    cp_pose *worlds; /* of instances */
    struct shown_mesh *meshes;
};

struct viewpoint {
    const char *title; /* "whole cell", "front", "left", "top", or a device's name */
    uint32_t device;   /* whose parts alone are framed, or CP_NONE */
    cp_pose camera;    /* right, up and towards the camera are its axes, in the scene's Z up */
    double near, far;  /* metres before the camera, around what it shows; 0 < near < far */
};

struct views {
    struct shown shown;
    struct viewpoint *items; /* the whole cell is the first */
    uint32_t count;
    double lower[3], upper[3]; /* of all that is shown, without planes; zeros: nothing is */
    double radius;             /* half of its diagonal, metres; 1 if nothing is shown */
    bool floating;             /* a device with joints is shown, and no floor below it */
};

/* Chooses the views at the current joint values, by all that is drawn, or else by what is for collision: the whole from
 * the corner that hides the fewest jointed parts, front (along -X), left (along +Y), top (along -Z), and one for each
 * device with a joint that is drawn; none if the size overflows. The arrays are in the arena. Cameras have no place
 * yet. */
cp_status views_list(cp_context *context, const cp_scene *scene, struct arena *arena, struct views *views);
/* Places the camera of a view so that what it frames fills 90 % of the tighter side of a window, and leaves as much
 * room on one side as on the other. aspect: the window's width in its heights. */
void views_aim(const struct views *views, struct viewpoint *view, double aspect);
/* Lists the views and aims all, for windows of VIEW_ASPECT. */
cp_status views_find(cp_context *context, const cp_scene *scene, struct arena *arena, struct views *views);

/* Limits planes without borders to at most twice the size of the rest of the scene, below its middle. *changed: a copy
 * of the scene if that changes a plane, else NULL; the caller frees it. A note counts them. */
cp_status view_limit_planes(cp_context *context, const cp_scene *scene, cp_scene **changed);

/* Gives colours to a cell whose drawn meshes have none at all: robots, tools, workpieces, floors and fences get their
 * own. *changed is changed, or made as by view_limit_planes if it is NULL. A note counts the instances with new
 * colours. */
cp_status view_paint(cp_context *context, const cp_scene *scene, cp_scene **changed);

/* Adds lines from each frame to those below it, but for the world, if its shapes are tiny or none, or always. *changed
 * as of view_paint. A note counts them. */
cp_status view_add_frames(cp_context *context, const cp_scene *scene, bool always, cp_scene **changed);

/* ---- parts of it ---- */

/* reach.c */

/* Boxes around runs of BLOCK_POINTS points: few runs can hold the farthest one. */
enum { BLOCK_POINTS = 48 };
struct block {
    float ends[2][3]; /* lower, upper */
};
/* A mesh that is shown. */
struct shown_mesh {
    const cp_mesh *faces; /* NULL: it is not shown */
    const float *points;  /* of the vertices that its faces use */
    uint32_t point_count;
    struct block *blocks;
};

cp_status shown_open(struct shown *shown, cp_context *context, const cp_scene *scene, struct arena *arena);
/* Tells whether the instance is shown, and framed. */
bool shown_is_framed(const struct shown *shown, uint32_t instance);
/* Raises most[i] to the largest dot product of direction i with a point of the instance. */
void shown_reach(const struct shown *shown, uint32_t instance, const double (*directions)[3], double *most,
                 uint32_t count);
/* Finds the box around the instance, in the world. */
void shown_bounds(const struct shown *shown, uint32_t instance, double lower[3], double upper[3]);
/* Finds the box around all that is framed; zeros and false if nothing is. */
bool shown_box(const struct shown *shown, double lower[3], double upper[3]);

/* Tells whether the instance is a floor by its shape: a plane without borders, or flat, low in the box around all that
 * is framed, and as wide as half of it. */
bool shown_is_floor(const struct shown *shown, uint32_t instance, const double lower[3], const double upper[3]);

/* corners.c. Finds the direction from which the fewest of a device's jointed parts (CP_NONE: of all) are hidden. */
struct corners;
cp_status corners_look(const struct shown *shown, const double lower[3], const double upper[3],
                       struct corners **corners);
void corners_choose(const struct corners *corners, uint32_t device, double towards[3]);
/* Finds the unit axes of a camera: right, up, towards it; for `towards` of any length. */
void camera_axes(const double towards[3], double axes[3][3]);

#endif

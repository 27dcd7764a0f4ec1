/* Where a viewer looks at a scene from, and how large it draws planes without borders. */
#ifndef CELLPIPE_VIEW_VIEW_H
#define CELLPIPE_VIEW_VIEW_H

#include "model/model.h"

/* Of the shorter side of a window, radians: the default of VRML97 (ISO/IEC 14772-1, 6.53). */
#define FIELD_OF_VIEW 0.785398
/* The part of a square window that the larger side of what is shown takes. */
#define VIEW_FILL 0.9

struct viewpoint {
    const char *title; /* "whole cell", "front", "left", "top", or a device's name */
    cp_pose camera;    /* right, up and towards the camera are its axes, in the scene's Z up */
    double near, far;  /* metres before it, of what it shows; 0 < near < far */
};

struct views {
    struct viewpoint *items; /* the whole cell is the first */
    uint32_t count;
    double lower[3], upper[3]; /* of all that is shown, but for planes; zeros: nothing is */
    double radius;             /* half of its diagonal, metres; 1 if nothing is shown */
};

/* Chooses the views at the current joint values, from all that is drawn, or else from what is for collision: the whole
 * from the corner that hides the fewest jointed parts, front (along -X), left (along +Y), top (along -Z), and one for
 * each device with a joint that is drawn; none where the size overflows. The arrays are in the arena. */
cp_status views_find(cp_context *context, const cp_scene *scene, struct arena *arena, struct views *views);

/* Planes without borders are drawn at most twice as large as the rest of the scene, and below its middle. *changed: a
 * copy of the scene where that changes one, else NULL; the caller frees it. A note counts them. */
cp_status view_limit_planes(cp_context *context, const cp_scene *scene, cp_scene **changed);

/* Gives a cell whose drawn meshes have no colours at all some, by what is a robot, a tool, a workpiece, a floor or a
 * fence. *changed is changed, or made as by view_limit_planes where it is NULL. A note counts what got a colour. */
cp_status view_paint(cp_context *context, const cp_scene *scene, cp_scene **changed);

/* ---- parts of it ---- */

/* What is looked at: the drawn instances, with faces in place of primitives. */
struct shown {
    cp_context *context;
    const cp_scene *scene;
    struct arena *arena;
    uint32_t use;
    bool planes;           /* there is nothing else: they are framed */
    cp_pose *worlds;       /* of instances */
    const cp_mesh **faces; /* of meshes that are shown, else NULL */
};

/* reach.c */
cp_status shown_open(struct shown *shown, cp_context *context, const cp_scene *scene, struct arena *arena);
/* The instance is shown, and to be framed. */
bool shown_is_framed(const struct shown *shown, uint32_t instance);
/* most[i] becomes the largest dot product of direction i with a point of the instance, if that is larger. */
void shown_reach(const struct shown *shown, uint32_t instance, const double (*directions)[3], double *most,
                 uint32_t count);
/* The box around all that is framed; zeros and false: there is nothing. */
bool shown_box(const struct shown *shown, double lower[3], double upper[3]);

/* corners.c. The direction from which the fewest of a device's jointed parts (CP_NONE: of all) are hidden. */
struct corners;
cp_status corners_look(const struct shown *shown, const double lower[3], const double upper[3],
                       struct corners **corners);
void corners_choose(const struct corners *corners, uint32_t device, double towards[3]);
/* Unit axes of a camera: right, up, towards it; of `towards`, any length. */
void camera_axes(const double towards[3], double axes[3][3]);

#endif

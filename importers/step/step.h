/* STEP, IGES and BREP: step.c knows the files and tells what was lost, kernel.cpp reads and tessellates them, tree.c
 * makes nodes and meshes of what it finds. */
#ifndef CELLPIPE_IMPORTERS_STEP_STEP_H
#define CELLPIPE_IMPORTERS_STEP_STEP_H

#include "../importers.h"
#include "base/text/text.h"
#include "kernel.h"

struct step_settings {
    struct import_settings common;
    cp_extent deflection;
    double angle;
    int up; /* cp_up */
    bool hidden;
};

/* A file as the kernel has read it, and what the scene has of it. */
struct step_model {
    struct cad_model *cad;
    const char *path; /* of the file */
    struct step_product *products;
    uint32_t *materials;    /* one for each colour; CP_NONE: none yet */
    struct name_map meshes; /* by product and colour */
    struct source *source;  /* the parent of the files that it names */
};

struct step {
    cp_context *context;
    const struct step_settings *settings;
    cp_scene *scene;
    struct step_model **models; /* the first is the top file's */
    struct name_map known;      /* models by path */
    struct step_place *places;
    uint32_t model_count, model_room, place_count, place_room;
};

/* Reads the model of a file that `from` names, or finds it among those that were read: *model; NULL if there is no such
 * file, which is a loss then. */
cp_status step_open(struct step *step, const struct step_model *from, const char *name, struct step_model **model);

/* tree.c */
/* Prepares what the scene will have of a model; step_model_end frees it. */
cp_status step_model_start(struct step *step, struct step_model *model);
void step_model_end(struct step *step, struct step_model *model);
/* Adds the nodes and meshes of the first model, those of other files below the nodes that name them. */
cp_status step_fill(struct step *step);

#endif

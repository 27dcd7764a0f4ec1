/* The models of a cell: each file is read once, and placed as often as the cell shows it. An importer finds a model,
 * says when it is missing, and places it:
 *
 *     struct model_request request = {.from = source, .name = "package://arm/meshes/link.stl", .search = &rules};
 *     uint32_t model;
 *     cp_status status = models_find(models, &request, &model);
 *     if (status == CP_NO)
 *         status = report_lenient(..., "the mesh \"%s\" %s", request.name, models_absence(models, &request));
 *     if (status == CP_OK && model == CP_NONE) {
 *         report_loss(..., "the mesh \"%s\"", request.name);
 *         models_miss(models, node, CP_USE_DRAWN);
 *     } else if (status == CP_OK)
 *         status = models_place(models, model, node, CP_USE_DRAWN, &pose);
 */
#ifndef CELLPIPE_PLUGINS_MODELS_H
#define CELLPIPE_PLUGINS_MODELS_H

#include "model/model.h"

/* The geometry of a file in its own frame, and where it was placed last. */
struct model {
    cp_instance *parts; /* their node and use mean nothing */
    uint32_t part_count;
    uint32_t node, first; /* place of its instances there; node CP_NONE: not yet placed */
    cp_pose pose;
};

struct models {
    cp_scene *scene;
    struct arena *arena;      /* arena of the names in the maps */
    struct name_map requests; /* keyed by folder, name, format and search: the model, or CP_NONE when it is missing */
    struct name_map files;    /* keyed by path and format: the same */
    struct buffer key, spelled;
    struct model *items;
    uint32_t count, room;
};

struct model_request {
    const struct source *from;        /* the file that names the model */
    const char *name;                 /* a path or URI (bytes/resolve.h), with '/' between folders */
    const struct file_search *search; /* how it may be spelled, the same struct as long as the models; NULL: as it is */
    const char *format;               /* NULL: by its bytes and suffix */
    const char *usual;                /* an option for it unless the user gives another, "collada.up=z"; or NULL */
    /* Is called before a file is read, unless NULL. CP_NO passes it over for the next spelling. */
    cp_status (*check)(const struct model_request *request, const struct source *source);
    const void *user; /* for check */
    /* NULL: a file that must not or cannot be read ends the reading. Else it counts as missing, its errors are
     * warnings, and *told is set. */
    bool *told;
};

/* Prepares the models. The scene and the arena must outlive them. */
void models_start(struct models *models, cp_scene *scene, struct arena *arena);
void models_free(struct models *models);

/* Finds the model of a file, an index of models->items; reads the file unless it was read before. If there is no such
 * file, *model is CP_NONE. The status is then CP_NO the first time, so that the caller reports it, and CP_OK later. */
cp_status models_find(struct models *models, const struct model_request *request, uint32_t *model);
/* Return what to say of a missing file, "is not there; looked at ...", or the same as an addition to another message:
 * see resolve_absence. */
const char *models_absence(const struct models *models, const struct model_request *request);
const char *models_places(const struct models *models, const struct model_request *request);
/* Adds a model made of parts in the scene's memory; their node and use mean nothing. CP_LIMIT if out of memory. */
cp_status models_add(struct models *models, cp_instance *parts, uint32_t part_count, uint32_t *model);
/* Places a model at a node; the pose, which may scale, is that of the model in the node's frame. The caller goes
 * through the nodes in their order, as for scene_add_instance. Drawn and collision models at the same node and pose
 * share their instances. CP_NO, unreported, if the pose moves a part out of the range of numbers. */
cp_status models_place(struct models *models, uint32_t model, uint32_t node, uint32_t use, const cp_pose *pose);
/* Takes the geometry of a scene as it stands: lists its parts, as models_add wants them. `other` is emptied. */
cp_status models_take(cp_scene *scene, cp_scene *other, cp_instance **parts, uint32_t *count);
/* Notes that a model for this use, which the cell shows at the node, is not there. */
void models_miss(struct models *models, uint32_t node, uint32_t use);

#endif

/* Code that the readers of RobWork's two kinds of cells, tag files and XML, share: models by names and by formulas. */
#ifndef CELLPIPE_IMPORTERS_ROBWORK_ROBWORK_H
#define CELLPIPE_IMPORTERS_ROBWORK_ROBWORK_H

#include "plugins/models.h"

/* The spellings of the name of a model that is drawn, and of one for collisions. */
extern const struct file_search robwork_drawn, robwork_collision;

/* Makes the mesh of "#Box 1 2 3" and the like; returns NULL or the reason why not. */
const char *robwork_primitive(const char *text, cp_mesh *mesh);
/* Finds the model of such a text; the same words are the same mesh. If there is none, *model is CP_NONE, and *problem
 * says why the first time, so that the caller reports it; NULL later. known: texts to models. */
cp_status robwork_find_primitive(struct models *models, struct name_map *known, const char *text, uint32_t *model,
                                 const char **problem);

#endif

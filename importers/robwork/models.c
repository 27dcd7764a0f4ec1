/* Names of RobWork's models, and models by formula. */
#include "base/bytes/bytes.h"
#include "robwork.h"

/* RobWork 2009: rwlibs/drawable/DrawableFactory.cpp and rw/geometry/FaceArrayFactory.cpp, in their order: the name as
 * it is, then with each suffix in upper and in lower case. */
static const char *const drawn_suffixes[] = {"",     ".TRI",  ".tri",  ".AC",   ".ac",   ".AC3D", ".ac3d",
                                             ".3DS", ".3ds",  ".OBJ",  ".obj",  ".IVG",  ".ivg",  ".STL",
                                             ".stl", ".STLA", ".stla", ".STLB", ".stlb", NULL};
static const char *const collision_suffixes[] = {"", ".STL", ".stl", ".STLA", ".stla", ".STLB", ".stlb", NULL};
const struct file_search robwork_drawn = {.suffixes = drawn_suffixes};
const struct file_search robwork_collision = {.suffixes = collision_suffixes};

cp_status robwork_find_primitive(struct models *models, struct name_map *known, const char *text, uint32_t *model,
                                 const char **problem)
{
    cp_scene *scene = models->scene;
    const uint32_t *found = name_map_find(known, text);
    *model = found ? *found : CP_NONE;
    *problem = NULL;
    if (found)
        return CP_OK;
    const char *kept = scene_text(scene, text);
    uint32_t *place = kept ? name_map_add(known, kept, CP_NONE, NULL) : NULL;
    if (!place)
        return CP_LIMIT;
    cp_mesh mesh;
    *problem = robwork_primitive(kept, &mesh);
    if (*problem)
        return CP_OK;
    mesh.source = kept;
    cp_instance *part = scene_allocate(scene, 1, sizeof *part);
    uint32_t index = scene_add_mesh(scene, &mesh);
    if (!part || index == CP_NONE)
        return CP_LIMIT;
    *part = (cp_instance){.mesh = index, .transform = POSE_IDENTITY};
    cp_status status = models_add(models, part, 1, model);
    *place = *model;
    return status;
}

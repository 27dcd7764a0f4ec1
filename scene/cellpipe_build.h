/* The header for hosts that bring their own data to cellpipe: scenes that they build, files from their own store.
 * Unstable: what this header declares may change with any version, and cellpipe.h says what holds for both. */
#ifndef CELLPIPE_BUILD_H
#define CELLPIPE_BUILD_H

#include "cellpipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a scene of one's own ---------------------------------------------------------------------------- */

/* Makes a scene that has its world, node 0, alone. NULL when out of memory. Its rows are added by the functions below;
 * then cp_scene_finish makes it one that all other functions take:
 *
 *     cp_scene *scene = cp_scene_new(context);
 *     cp_node link = cp_new_node();
 *     link.name = "link";
 *     link.parent = 0;
 *     uint32_t node = cp_add_node(scene, &link);
 *     ... cp_add_mesh, cp_add_instance, cp_add_joint ...
 *     cp_status status = cp_scene_finish(scene);
 */
CP_API cp_scene *cp_scene_new(cp_context *context);

/* A row with its defaults: no parent and no limits, the identity, a joint that is driven and turns about Z, a matt
 * white material. An instance is drawn and collides. */
CP_API cp_node cp_new_node(void);
CP_API cp_mesh cp_new_mesh(void);
CP_API cp_image cp_new_image(void);
CP_API cp_texture cp_new_texture(void);
CP_API cp_material cp_new_material(void);
CP_API cp_joint cp_new_joint(void);
CP_API cp_loop cp_new_loop(void);
CP_API cp_device cp_new_device(void);
CP_API cp_pair cp_new_pair(void);
CP_API cp_clip cp_new_clip(void);
CP_API cp_metadata_entry cp_new_metadata(void);
CP_API cp_instance cp_new_instance(uint32_t node, uint32_t mesh);

/* Adds a copy of a row, and of all that it points to. Returns its index, or CP_NONE when out of memory, or over a
 * limit, which the report tells. An absent name is "", of a joint its node's; an absent id is made of the name when the
 * scene is finished. A parent comes before its children; the instances of a node are added one after the other, and so
 * are its joints, in the order of their nodes ("build-order"). What else rows refer to may come later. The members
 * first_instance, instance_count, first_joint and joint_count of nodes are counted here. */
CP_API uint32_t cp_add_node(cp_scene *scene, const cp_node *row);
CP_API uint32_t cp_add_instance(cp_scene *scene, const cp_instance *row);
CP_API uint32_t cp_add_mesh(cp_scene *scene, const cp_mesh *row);
CP_API uint32_t cp_add_image(cp_scene *scene, const cp_image *row);
CP_API uint32_t cp_add_texture(cp_scene *scene, const cp_texture *row);
CP_API uint32_t cp_add_material(cp_scene *scene, const cp_material *row);
CP_API uint32_t cp_add_joint(cp_scene *scene, const cp_joint *row);
CP_API uint32_t cp_add_loop(cp_scene *scene, const cp_loop *row);
CP_API uint32_t cp_add_device(cp_scene *scene, const cp_device *row);
CP_API uint32_t cp_add_pair(cp_scene *scene, const cp_pair *row);
CP_API uint32_t cp_add_clip(cp_scene *scene, const cp_clip *row);
CP_API uint32_t cp_add_metadata(cp_scene *scene, const cp_metadata_entry *row);
/* Says that pairs of frames that cannot move against each other are not checked for collision; at first they are. */
CP_API void cp_exclude_static_pairs(cp_scene *scene, bool excluded);

/* Gives ids to rows without one and checks all invariants. CP_USAGE, with the first broken one in the report
 * ("scene-invalid"): then only cp_scene_free may have the scene. */
CP_API cp_status cp_scene_finish(cp_scene *scene);

/* ---- files from the host's own store --------------------------------------------------------------- */

typedef struct cp_opener {
    size_t size; /* set by the caller */
    /* Gives the bytes of the file at a path: the one that cp_read was told, or one that a file names. Returns CP_OK,
     * CP_NO if there is no such file (another spelling or folder is tried then), or any other status, with which the
     * read ends. It makes no calls with the context. */
    cp_status (*open)(void *user, const char *path, const void **bytes, size_t *count);
    /* Takes bytes back that `open` gave, once they are copied; NULL: nothing is to be done. */
    void (*release)(void *user, const void *bytes, size_t count);
    void *user;
} cp_opener;
/* Has all files that are read come from the opener in place of the disk; NULL: from the disk again. Paths are joined
 * as they are for files on the disk ("robots/arm.wu" names "links/a.stl": "robots/links/a.stl"), but the host alone
 * decides what may be read: CP_FLAG_CONFINE means nothing. CP_USAGE without a size. */
CP_API cp_status cp_set_opener(cp_context *context, const cp_opener *opener);

#ifdef __cplusplus
}
#endif
#endif

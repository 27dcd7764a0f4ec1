/* Building and changing a scene: for importers and filters. Functions that return an index return CP_NONE after
 * reporting when out of memory or over a limit. */
#ifndef CELLPIPE_BUILD_H
#define CELLPIPE_BUILD_H

#include "memory.h"
#include "report.h"

struct input;

/* The tables of a scene; tables.c describes them. A reference that must not be CP_NONE is to a table before its own. */
enum scene_table {
    TABLE_NODES,
    TABLE_MESHES,
    TABLE_IMAGES,
    TABLE_TEXTURES,
    TABLE_MATERIALS,
    TABLE_INSTANCES,
    TABLE_JOINTS,
    TABLE_LOOPS,
    TABLE_DEVICES,
    TABLE_PAIRS,
    TABLE_CLIPS,
    TABLE_METADATA,
    TABLE_COUNT,
    TABLE_NONE = TABLE_COUNT /* the owner of metadata is the scene itself, with index 0 */
};

struct cp_scene {
    cp_context *context;
    struct arena *arena; /* owns all strings and arrays that the tables point to */
    cp_node *nodes;
    cp_instance *instances;
    cp_mesh *meshes;
    cp_image *images;
    cp_texture *textures;
    cp_material *materials;
    cp_joint *joints;
    cp_loop *loops;
    cp_device *devices;
    cp_pair *pairs;
    cp_clip *clips;
    cp_metadata *metadata;
    uint32_t node_count, instance_count, mesh_count, image_count, texture_count, material_count, joint_count,
        loop_count, device_count, pair_count, clip_count, metadata_count;
    uint32_t rooms[TABLE_COUNT]; /* how many rows fit into the memory of each table */
    cp_source source;
    const struct input *inputs; /* the files that it was read from (bytes/inputs.h) */
    uint32_t input_count;
    bool exclude_static_pairs;
};

/* The limits that a reader minds itself: nesting of its parser, vertices (and corners) it makes, nodes (and
 * instances) that a small file multiplies. */
uint64_t limit_nesting(const cp_context *context);
uint64_t limit_vertices(const cp_context *context);
uint64_t limit_nodes(const cp_context *context);
/* The limit that this comes from, for a message: "--limit nodes=". */
const char *limit_of_nodes(const cp_context *context);

/* A scene with its world node "WORLD". NULL when out of memory. */
cp_scene *scene_new(cp_context *context);

/* count x size bytes that live as long as the scene, e.g. for a mesh's arrays. */
void *scene_allocate(cp_scene *scene, size_t count, size_t size);
/* Gives an array that grew by array_reserve (*items with room for *room, count of them used) to the scene: large ones
 * as they are, cut to what is used, with *items NULL and *room 0 afterwards, small ones as a copy. NULL when out of
 * memory. */
void *scene_keep_array(cp_scene *scene, void *items, uint32_t *room, uint32_t count, size_t item_size);
/* A copy of text that lives as long as the scene. NULL when out of memory. */
const char *scene_text(cp_scene *scene, const char *text);

/* Appends a copy of a row; what it points to must be the scene's (scene_allocate, scene_text) or a literal. */
uint32_t scene_add_row(cp_scene *scene, enum scene_table table, const void *row);
/* name: size bytes in whatever encoding. The id may be set by the caller before scene_finish. */
uint32_t scene_add_node(cp_scene *scene, uint32_t parent, const char *name, size_t size);
/* Instances and joints are added in the order of their nodes. Of a mesh name, source and id may be NULL. */
uint32_t scene_add_mesh(cp_scene *scene, const cp_mesh *mesh);
uint32_t scene_add_instance(cp_scene *scene, uint32_t node, uint32_t mesh, uint32_t use, const cp_pose *transform);
/* Of an image name, type and path may be NULL. */
uint32_t scene_add_image(cp_scene *scene, const cp_image *image);
/* Of a texture the name may be NULL. */
uint32_t scene_add_texture(cp_scene *scene, const cp_texture *texture);
/* A matt surface, metallic 0 and roughness 0.8, without textures. */
uint32_t scene_add_material(cp_scene *scene, const char *name, const double rgba[4], bool srgb);
/* A joint with axis Z, no limits, home 0, driven, no master. name NULL: the node's, ".2", ".3" appended for its
 * second, third joint. */
uint32_t scene_add_joint(cp_scene *scene, uint32_t node, cp_joint_type type, const char *name);
/* A loop between two nodes, at their origins. */
uint32_t scene_add_loop(cp_scene *scene, const char *name, cp_loop_type type, uint32_t first, uint32_t second);
/* A copy of the expression in the scene's memory, text, factors and all; *inputs: its joints, for the caller to change.
 * NULL when out of memory. */
cp_expression *scene_copy_expression(cp_scene *scene, const cp_expression *expression, uint32_t **inputs);
/* A copy of the finding in the scene's memory; *witness: its settings, for the caller to change. NULL when out of
 * memory. */
cp_finding *scene_copy_finding(cp_scene *scene, const cp_finding *finding, cp_joint_setting **witness);
/* Its numbers can be: lengths from 0, no more hits than samples, and work that JSON's doubles hold. */
bool finding_is_sound(const cp_finding *finding);
/* Adds files that it was made of. */
cp_status scene_add_inputs(cp_scene *scene, const struct input *inputs, uint32_t count);
/* A serial device without joints; joints, ends and home are set by the caller (scene's memory). */
uint32_t scene_add_device(cp_scene *scene, const char *name, uint32_t base);
uint32_t scene_add_pair(cp_scene *scene, uint32_t first, uint32_t second, const char *reason);
/* Its attachments are set by the caller (scene's memory). */
uint32_t scene_add_clip(cp_scene *scene, const char *name, uint32_t track_count, const cp_track *tracks);
/* Strings are copied. */
bool scene_add_metadata(cp_scene *scene, cp_owner owner, uint32_t index, const char *key, cp_value_type type,
                        const char *value);

/* The id of a table's row, NULL for CP_NONE. */
const char *scene_id(const cp_scene *scene, enum scene_table table, uint32_t index);
/* The table of the owner of an entry of metadata. */
enum scene_table metadata_table(const void *metadata);

/* Gives every node, mesh, material, joint and device without an id a unique one made of its name, makes set ids unique
 * (warning "scene-id"), sets joints' q to home where NaN, sorts metadata by owner, then checks all invariants
 * (cp_validate). Every importer ends with it. */
cp_status scene_finish(cp_scene *scene);

/* A new scene whose tables are copies and whose arrays and strings are shared: the original must outlive it. */
cp_scene *scene_copy(const cp_scene *scene);
/* Replaces the content of `scene` by that of its copy (scene_copy), which is freed. */
void scene_replace(cp_scene *scene, cp_scene *copy);
/* Keeps the nodes with keep[node] (the world always), and what hangs on them alone; a kept node whose parent goes
 * hangs on the nearest kept one with its local multiplied by the lost ones' current poses. */
cp_status scene_keep(cp_scene *scene, const bool *keep);
/* Tells each node which instances and joints are its own: they stand in the order of their nodes. */
void scene_find_spans(cp_scene *scene);
/* Replaces the table of instances by one of memory_allocate(context, room, sizeof), in the order of the nodes. */
void scene_take_instances(cp_scene *scene, cp_instance *instances, uint32_t count, uint32_t room);
/* Drops meshes, materials, textures and images that nothing uses. */
cp_status scene_drop_unused(cp_scene *scene);
/* Drops the rows of a table with gone[row] (NULL: all of them), and the rows that must refer to one of these. Elsewhere
 * references to them become CP_NONE. */
cp_status scene_drop_rows(cp_scene *scene, enum scene_table table, const bool *gone);
/* Adds the meshes and materials of `other`, with their textures, and lists what it shows: *count instances in the
 * scene's memory, of meshes of the scene, with their poses in the world of `other`; models.h places them. `other` is
 * emptied, its memory adopted; free it after. */
cp_status scene_add_geometry(cp_scene *scene, cp_scene *other, cp_instance **instances, uint32_t *count);

/* How many kept pairs are not checked all the same: another statement excludes them, or they are static and the scene
 * leaves those out. */
cp_status pairs_count_left_out(cp_context *context, const cp_scene *scene, uint64_t *count);

/* The faces of a mesh as a view that treats "all triangles" alike. */
static inline uint32_t mesh_face_first(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face] : 3 * face;
}
static inline uint32_t mesh_face_size(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face + 1] - mesh->face_offsets[face] : 3;
}
/* Polygons as triangles: sum of (corners - 2) over faces, 0 for lines; primitives by formula. */
uint64_t mesh_triangle_count(const cp_mesh *mesh);
/* One node for each scene and name that does not exist: a placeholder below the world. */
uint32_t scene_add_placeholder(cp_scene *scene, const char *name);

#endif

/* Declares what unit tests share: contexts and what they have reported, scenes that tests build, read and look into,
 * poses, files in a folder of the test's own, and memory that runs out. It speaks to the library through the public
 * headers alone, so that a test which does so, too, links the shared library. */
#ifndef CELLPIPE_TESTS_FIXTURE_H
#define CELLPIPE_TESTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cellpipe_build.h"

#ifndef PI
#define PI 3.14159265358979323846
#endif

/* How many cases an ordinary run tries, and how many --long does. */
uint32_t usual_or_long(uint32_t usual, uint32_t all);

/* Between the two: the same numbers on every machine, from the state on (a linear congruence, by its upper 53 bits). */
extern uint64_t random_state;
double random_number(double lower, double upper);

/* ---- contexts ---- */

/* These two give each test of cmocka a context, as *state. */
int make_context(void **state);
int free_context(void **state);

/* ---- reports ---- */

void show_report(const cp_context *context);
/* The first and the last entry with this code, or NULL. The last one says what has just happened. */
const cp_entry *find_entry(const cp_context *context, const char *code);
const cp_entry *find_last_entry(const cp_context *context, const char *code);
bool was_reported(const cp_context *context, const char *code);
/* True if a message has this part. */
bool was_said(const cp_context *context, const char *part);
/* Returns the count of the first entry with this code; 0 without one. */
uint64_t count_of(const cp_context *context, const char *code);
/* Returns the number of all entries. */
size_t count_all(const cp_context *context);
/* How many entries have this severity and this code. */
size_t count_entries(const cp_context *context, cp_severity severity, const char *code);
/* How much was lost, by all losses with this code. */
uint64_t count_lost(const cp_context *context, const char *code);
/* The number behind these words in the first entry with this code; 0 without one. The test fails if the entry has no
 * such number. */
double number_told(const cp_context *context, const char *code, const char *words);
/* Fails the test, with the report, unless the two are equal. */
void expect_status(const cp_context *context, cp_status status, cp_status expected);

/* ---- scenes to look into ---- */

uint32_t count_nodes(const cp_scene *scene);
uint32_t count_instances(const cp_scene *scene);
uint32_t count_meshes(const cp_scene *scene);
uint32_t count_images(const cp_scene *scene);
uint32_t count_textures(const cp_scene *scene);
uint32_t count_materials(const cp_scene *scene);
uint32_t count_joints(const cp_scene *scene);
uint32_t count_loops(const cp_scene *scene);
uint32_t count_devices(const cp_scene *scene);
uint32_t count_pairs(const cp_scene *scene);
uint32_t count_clips(const cp_scene *scene);
uint32_t count_metadata(const cp_scene *scene);

/* The first row with this name; the test fails if there is none. */
uint32_t find_node(const cp_scene *scene, const char *name);
uint32_t find_joint(const cp_scene *scene, const char *name);
uint32_t find_device(const cp_scene *scene, const char *name);
/* The same rows themselves. */
/* Return the row with the name; CP_NONE if there is none, or several. */
uint32_t only_node(const cp_scene *scene, const char *name);
uint32_t only_joint(const cp_scene *scene, const char *name);
/* Returns the mesh of a scene that has one. */
const cp_mesh *only_mesh(const cp_scene *scene);
const cp_node *node_called(const cp_scene *scene, const char *name);
const cp_joint *joint_called(const cp_scene *scene, const char *name);

/* cp_world_poses and cp_joint_values, where nothing can fail. */
void pose_scene(const cp_scene *scene, const double *q, cp_pose *worlds);
double joint_value(const cp_scene *scene, uint32_t joint, const double *q);

/* The first corner of a face, and how many it has. */
static inline uint32_t face_first(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face] : 3 * face;
}
static inline uint32_t face_size(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face + 1] - mesh->face_offsets[face] : 3;
}

/* ---- scenes to build: the index, which is never CP_NONE ---- */

/* local: NULL is the identity. */
uint32_t add_node_at(cp_scene *scene, uint32_t parent, const char *name, const cp_pose *local);
/* transform: NULL is the identity. */
uint32_t add_instance_of(cp_scene *scene, uint32_t node, uint32_t mesh, uint32_t use, const cp_pose *transform);
uint32_t add_mesh_of(cp_scene *scene, const cp_mesh *mesh);
/* A joint with its defaults; name NULL: its node's. */
uint32_t add_joint_of(cp_scene *scene, uint32_t node, cp_joint_type type, const char *name);
/* The same, driven, between two limits. */
uint32_t add_limited_joint(cp_scene *scene, uint32_t node, cp_joint_type type, const char *name, double lower,
                           double upper);
/* length: of a distance, else 0. */
uint32_t add_loop_of(cp_scene *scene, cp_loop_type type, uint32_t first, cp_pose on_first, uint32_t second,
                     cp_pose on_second, double length);
uint32_t add_colour(cp_scene *scene, const char *name, const double rgba[4], bool srgb);
uint32_t add_clip_of(cp_scene *scene, const char *name, uint32_t track_count, const cp_track *tracks);
uint32_t add_device_of(cp_scene *scene, const char *name, uint32_t base, uint32_t end, uint32_t joint_count,
                       const uint32_t *joints);

uint32_t add_pair_of(cp_scene *scene, uint32_t first, uint32_t second, const char *reason);
void add_metadata_of(cp_scene *scene, cp_owner owner, uint32_t index, const char *key, cp_value_type type,
                     const char *value);

/* The rows of a scene, for a test to change: copies, which point to what the scene has. */
struct draft {
    cp_scene *scene;
    cp_node *nodes;
    cp_mesh *meshes;
    cp_image *images;
    cp_texture *textures;
    cp_material *materials;
    cp_instance *instances;
    cp_joint *joints;
    cp_loop *loops;
    cp_device *devices;
    cp_pair *pairs;
    cp_clip *clips;
    cp_metadata_entry *metadata;
};
struct draft draft_of(cp_scene *scene);
/* A scene with the changed rows in place of the old one, which is freed. It has no source, and is to be finished. */
cp_scene *built_again(struct draft *draft, cp_context *context);

/* Memory that is freed at the end of the process, for arrays of a test. */
void *scratch(size_t count, size_t size);

/* ---- poses, by arithmetic of the tests' own ---- */

#define PLAIN_IDENTITY ((cp_pose){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}})

cp_pose plain_translation(double x, double y, double z);
cp_pose plain_scaling(double x, double y, double z);
/* About a unit axis. */
cp_pose plain_rotation(const double axis[3], double angle);
/* About the axis 0, 1 or 2; quarter turns are exact. */
cp_pose plain_turn(int axis, double degrees);
/* First b, then a. */
cp_pose plain_product(const cp_pose *a, const cp_pose *b);
/* out may be the point. */
void plain_point(const cp_pose *pose, const double point[3], double out[3]);
/* The test fails where it is singular. */
cp_pose plain_inverse(const cp_pose *pose);
double plain_determinant(const cp_pose *pose);
void expect_pose(const cp_pose *pose, const double expected[12], double tolerance);

/* ---- files ---- */

/* These two make a folder below /tmp for the files of a group of tests, and remove it with all that is in it. */
int open_folder(void **state);
int close_folder(void **state);
/* The folder's path; NULL if there is none. */
const char *folder_path(void);
void empty_folder(void);
/* The path of a name in the folder; valid until the end of the process. */
const char *path_of(const char *name);
/* Writes a file into the folder, with the folders on the way to it. */
void write_bytes(const char *name, const void *bytes, size_t size);
void write_file(const char *name, const char *text);
/* All bytes of a file, with a zero behind them, for the caller to free; NULL if there is no such file. size may be
 * NULL. */
char *read_whole(const char *path, size_t *size);

/* ---- what is read and written ---- */

/* Reads a text as a file of that name; option NULL: none. The test fails, with the report, if it is not a sound
 * scene. */
cp_scene *read_scene(cp_context *context, const char *text, const char *name, const char *option);
/* The same of a file. */
cp_scene *read_path(cp_context *context, const char *path);
cp_scene *read_sample_of(cp_context *context, const char *folder, const char *name);
/* Returns what cp_write_memory gives, as a text for the caller to free; option NULL: none; size may be NULL. */
char *written_text(cp_context *context, const cp_scene *scene, const char *format, const char *option, size_t *size);
/* Returns what the dump of a scene says, without the line that names its source; for the caller to free. */
char *dump_of(cp_context *context, const cp_scene *scene);
/* Applies a filter with up to three options (NULL: none), to a report that is cleared before; the scene stays sound. */
cp_status apply_filter(cp_context *context, cp_scene *scene, const char *filter, const char *first, const char *second,
                       const char *third);

/* ---- memory ---- */

/* Serves cp_allocator; user says how many allocations (long) succeed before all fail. */
void *failing_resize(void *user, void *block, size_t old_size, size_t size);

/* An allocator that counts what is held, and fails its limit-th call if the limit is not 0. */
struct counter {
    size_t blocks, bytes, calls, limit, largest;
    bool goes_on; /* and all calls after that one */
};
void *counted_resize(void *user, void *block, size_t old_size, size_t size);

#endif

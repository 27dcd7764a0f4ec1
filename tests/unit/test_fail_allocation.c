/* Memory that runs out at any moment: for reading, writing and filtering, the N-th allocation fails, for every N
 * if CELLPIPE_LONG is set, else for every 17th or fewer. Each time the answer is CP_LIMIT,
 * everything allocated has been given back, no file is left behind and a scene under a filter is as it was.
 *
 * Three ways: by the context's allocator; by malloc, calloc and realloc themselves; and by the arenas, whose blocks
 * would otherwise hide most places from the first two. The linker hands the calls of our code to this file (--wrap, see
 * tests/CMakeLists.txt). What the libraries we use allocate inside them is not meant. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"

/* ---- malloc as the linker hands it to us ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

/* Blocks that our code holds: a set by open addressing. Others' blocks (realpath's) may be freed, too. */
enum { SLOTS = 1 << 18 };
static struct {
    bool armed;
    size_t calls, limit, live;
    void *blocks[SLOTS];
} heap;

static void *const gone = (void *)&heap;

static size_t find_slot(const void *block)
{
    size_t at = ((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u % SLOTS;
    for (size_t steps = 0; heap.blocks[at] && heap.blocks[at] != block; at = (at + 1) % SLOTS)
        if (++steps == SLOTS)
            abort();
    return at;
}

static void hold(void *block)
{
    if (!block || !heap.armed)
        return;
    heap.blocks[find_slot(block)] = block;
    heap.live++;
}

static void release(const void *block)
{
    size_t at = find_slot(block);
    if (!block || heap.blocks[at] != block)
        return;
    heap.blocks[at] = gone;
    heap.live--;
}

static bool fails(void)
{
    return heap.armed && ++heap.calls == heap.limit;
}

void *__wrap_malloc(size_t size)
{
    void *block = fails() ? NULL : __real_malloc(size);
    hold(block);
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = fails() ? NULL : __real_calloc(count, size);
    hold(block);
    return block;
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails())
        return NULL;
    if (block)
        release(block);
    void *moved = __real_realloc(block, size);
    hold(moved ? moved : block);
    return moved;
}

void __wrap_free(void *block)
{
    if (block)
        release(block);
    __real_free(block);
}

/* ---- arenas ---- */

void *__real_cp_arena_allocate(struct arena *arena, size_t count, size_t size);
void *__real_arena_allocate_zeroed(struct arena *arena, size_t count, size_t size);
char *__real_cp_arena_copy_text(struct arena *arena, const char *bytes, size_t size);
void *__real_cp_arena_copy(struct arena *arena, const void *bytes, size_t count, size_t size);
void *__wrap_cp_arena_allocate(struct arena *arena, size_t count, size_t size);
void *__wrap_arena_allocate_zeroed(struct arena *arena, size_t count, size_t size);
char *__wrap_cp_arena_copy_text(struct arena *arena, const char *bytes, size_t size);
void *__wrap_cp_arena_copy(struct arena *arena, const void *bytes, size_t count, size_t size);
char *__wrap_cp_arena_print(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

static struct {
    bool armed;
    size_t calls, limit;
} arenas;

static bool arena_fails(void)
{
    return arenas.armed && ++arenas.calls == arenas.limit;
}

/* Fails as an arena does, with the report's entry. */
static void *fail_in(struct arena *arena)
{
    return __real_cp_arena_allocate(arena, SIZE_MAX, 2);
}

void *__wrap_cp_arena_allocate(struct arena *arena, size_t count, size_t size)
{
    return arena_fails() ? fail_in(arena) : __real_cp_arena_allocate(arena, count, size);
}

void *__wrap_arena_allocate_zeroed(struct arena *arena, size_t count, size_t size)
{
    return arena_fails() ? fail_in(arena) : __real_arena_allocate_zeroed(arena, count, size);
}

char *__wrap_cp_arena_copy_text(struct arena *arena, const char *bytes, size_t size)
{
    return arena_fails() ? fail_in(arena) : __real_cp_arena_copy_text(arena, bytes, size);
}

void *__wrap_cp_arena_copy(struct arena *arena, const void *bytes, size_t count, size_t size)
{
    return arena_fails() ? fail_in(arena) : __real_cp_arena_copy(arena, bytes, count, size);
}

char *__wrap_cp_arena_print(struct arena *arena, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_fails() ? fail_in(arena) : __real_cp_arena_allocate(arena, (size_t)length + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

/* ---- the context's allocator ---- */

struct counter {
    size_t calls, limit, blocks, bytes;
};

static void *counted_resize(void *user, void *block, size_t old_size, size_t size)
{
    struct counter *counter = user;
    if (size == 0) {
        counter->blocks -= block != NULL;
        counter->bytes -= block ? old_size : 0;
        __real_free(block);
        return NULL;
    }
    if (++counter->calls == counter->limit)
        return NULL;
    void *moved = __real_realloc(block, size);
    if (!moved)
        return NULL;
    counter->blocks += block == NULL;
    counter->bytes += size - (block ? old_size : 0);
    return moved;
}

/* ---- jobs ---- */

enum kind { READ, WRITE, WRITE_FILES, APPLY, ASK, CHECK };

struct job {
    enum kind kind;
    const char *input;  /* a sample */
    const char *plugin; /* exporter or filter; for reading and checking: first write the sample in this format, then
                           read that */
    const char *options[4];
};

static const struct job jobs[] = {
    {READ, "stl_dialects.stl", NULL, {NULL}},
    {READ, "stl_viscam.stl", NULL, {NULL}},
    {READ, "tag_arm.wu", NULL, {NULL}},
    {READ, "tag_primitives.wu", NULL, {NULL}},
    {READ, "exclusions.xml", NULL, {NULL}},
    {READ, "urdf_picker.srdf", NULL, {NULL}},
    {READ, "vrml97_picker.wrl", NULL, {NULL}},
    {READ, "../tests/cases/vrml97/extern.wrl", NULL, {NULL}},
    {READ, "../tests/cases/vrml97/own.wrl", NULL, {NULL}},
    {READ, "../tests/cases/vrml97/colour_index.wrl", NULL, {NULL}},
    {READ, "../tests/cases/vrml97/clip_proto.wrl", NULL, {NULL}},
    {READ, "../tests/cases/vrml97/robot_loop.wrl", NULL, {NULL}},
    {READ, "../tests/cases/srdf/default.srdf", NULL, {NULL}},
    {READ, "deneb_bracket.dcp", NULL, {NULL}},
    {READ, "../tests/cases/deneb/good_device.dcd", NULL, {NULL}},
    {READ, "../tests/cases/deneb/good_cell.dcw", NULL, {NULL}},
    {READ, "../tests/cases/deneb/part_missing.dcd", NULL, {NULL}},
    {READ, "../tests/cases/deneb/attach_cycle_three.dcw", NULL, {NULL}},
    {READ, "../tests/cases/deneb/flags_more.dcd", NULL, {NULL}},
    {READ, "deneb_box.pdb", NULL, {NULL}},
    {READ, "../tests/cases/deneb-recording/cell.dcr", NULL, {NULL}},
    {READ, "../tests/cases/deneb-recording/cell.dcr", "glb", {"profile=stage", NULL}},
    {WRITE, "../tests/cases/deneb-recording/cell.dcr", "glb", {"profile=deliver", NULL}},
    {APPLY, "../tests/cases/deneb-recording/cell.dcr", "select", {"node=box", NULL}},
    {READ, "tag_arm.wu", "glb", {"profile=stage", NULL}},
    {READ, "collada_arm.dae", "glb", {"profile=deliver", NULL}},
    {READ, "tag_joints.wu", "gltf", {"embed=yes", NULL}},
    {READ, "obj_plate.obj", NULL, {NULL}},
    {READ, "obj_ramp.obj", NULL, {NULL}},
    {READ, "../tests/cases/obj/elsewhere.obj", NULL, {NULL}},
    {READ, "../tests/cases/obj/bare.obj", NULL, {NULL}},
    {READ, "../tests/cases/gltf/coordinates.gltf", NULL, {NULL}},
    {READ, "../tests/cases/obj/far.obj", NULL, {NULL}},
    {READ, "../tests/cases/stl/far.stl", NULL, {NULL}},
    {READ, "../tests/cases/gltf/copies.gltf", NULL, {NULL}},
    {READ, "../tests/cases/known/model.zip", NULL, {NULL}},
    {READ, "ac3d_desk.ac", NULL, {NULL}},
    {READ, "../tests/cases/ac3d/flat.ac", NULL, {NULL}},
    {READ, "rwxml_gripper.wc.xml", NULL, {NULL}},
    {READ, "../tests/cases/rwxml/junction.wc.xml", NULL, {NULL}},
    {READ, "../tests/cases/rwxml/proximity_include_of_setup.wc.xml", NULL, {NULL}},
    {READ, "../tests/cases/rwxml/polytope_of_included.wc.xml", NULL, {NULL}},
    {READ, "../tests/cases/rwxml/bad/setup_dangling.wc.xml", NULL, {NULL}},
    {READ, "../tests/cases/ac3d/texture_gone.ac", NULL, {NULL}},
    {READ, "../tests/cases/assimp/shapes.x3d", NULL, {NULL}},
    {READ, "off_tent.off", NULL, {NULL}},
    {READ, "../tests/cases/off/colours.off", NULL, {NULL}},
    {READ, "../tests/cases/urdf/cased/package.urdf", NULL, {NULL}},
    {READ, "../tests/cases/urdf/windows_upper.urdf", NULL, {NULL}},
    {READ, "tri_wedge.tri", NULL, {NULL}},
    {READ, "msh_corner.msh", NULL, {NULL}},
    {READ, "ply_roof.ply", NULL, {NULL}},
    {READ, "dxf_shed.dxf", NULL, {NULL}},
    {READ, "../tests/cases/dxf/losses.dxf", NULL, {NULL}},
    {READ, "../tests/cases/dxf/block_twice.dxf", NULL, {NULL}},
    {READ, "../tests/cases/ply/losses.ply", NULL, {NULL}},
    {READ, "../tests/cases/ply/nan_unused.ply", NULL, {NULL}},
    {READ, "collada_arm.dae", NULL, {NULL}},
    {READ, "../tests/cases/assimp/shapes.x3d", NULL, {NULL}},
    {READ, "../tests/cases/collada/named.zae", NULL, {NULL}},
    {READ, "../tests/cases/collada/unnamed.zae", NULL, {NULL}},
    {READ, "../tests/cases/collada/further.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/holes.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/beside.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/second_set.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/setparam.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/inputs.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/skinned.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/commas.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/robot.dae", NULL, {NULL}},
    {READ, "../tests/cases/collada/clips.dae", NULL, {NULL}},
    {READ, "gltf_textures.gltf", NULL, {NULL}},
    {READ, "3mf_gripper.3mf", NULL, {NULL}},
    {READ, "../tests/cases/3mf/textured.model", NULL, {NULL}},
    {READ, "../tests/cases/3mf/far.model", NULL, {NULL}},
    {READ, "amf_gripper.amf", NULL, {NULL}},
    {READ, "../tests/cases/amf/lost.amf", NULL, {NULL}},
    {READ, "../tests/cases/amf/zipped.amf", NULL, {NULL}},
    {WRITE, "tag_arm.wu", "glb", {"profile=stage", NULL}},
    {WRITE, "tag_primitives.wu", "glb", {"profile=deliver", NULL}},
    {WRITE, "collada_arm.dae", "glb", {"profile=deliver", "normals=smooth", NULL}},
    {WRITE, "tag_joints.wu", "gltf", {"embed=yes", NULL}},
    {WRITE, "gltf_textures.gltf", "glb", {"profile=deliver", NULL}},
    {WRITE, "gltf_textures.gltf", "glb", {"profile=stage", NULL}},
    {WRITE, "tag_arm.wu", "vrml97", {NULL}},
    {WRITE, "tag_models.wu", "vrml97", {NULL}},
    {WRITE, "../tests/cases/deneb-recording/cell.dcr", "vrml97", {NULL}},
    {WRITE, "../tests/cases/deneb-recording/cell.dcr", "vrml97", {"play=loop", "descriptions=yes", NULL}},
    {WRITE, "../tests/cases/deneb-recording/grab.dcr", "vrml97", {"tolerance=0", NULL}},
    {WRITE, "../tests/cases/deneb-recording/circle.dcr", "vrml97", {NULL}},
    {WRITE, "tag_primitives.wu", "stl", {"format=ascii", NULL}},
    {WRITE, "obj_plate.obj", "stl", {NULL}},
    {WRITE, "../tests/cases/obj/far.obj", "stl", {"format=ascii", NULL}},
    {WRITE, "tag_models.wu", "png", {"size=40x30", "edges=yes", NULL}},
    {WRITE, "gltf_textures.gltf", "png", {"size=40x30", "background=none", NULL}},
    {WRITE, "tag_arm.wu", "collision-setup", {NULL}},
    {WRITE, "tag_arm.wu", "srdf", {NULL}},
    {WRITE, "urdf_picker.srdf", "srdf", {NULL}},
    {WRITE, "tag_arm.wu", "mujoco-contacts", {NULL}},
    {WRITE, "tag_arm.wu", "drake-filters", {NULL}},
    {WRITE, "tag_arm.wu", "proximity-setup", {NULL}},
    {WRITE, "tag_arm.wu", "dump", {NULL}},
    {WRITE, "tag_arm.wu", "html", {"title=an arm", "clips=no", NULL}},
    {WRITE, "stl_viscam.stl", "html", {"part=yes", NULL}},
    {WRITE, "../tests/cases/exclude/arm.wu", "html", {"evidence=" SAMPLES "/../tests/cases/html/arm.json", NULL}},
    {WRITE, "../tests/cases/deneb-recording/cell.dcr", "csv", {"period=0.5", NULL}},
    {WRITE, "../tests/cases/deneb-recording/cell.dcr", "deneb-recording", {NULL}},
    {WRITE, "joints.gltf", "deneb-recording", {"clip=jump", NULL}},
    {WRITE, "../tests/cases/deneb/loop_good.dcd", "jsonl", {"frames=tip", NULL}},
    {APPLY, "dh_arm.wu", "program", {"file=" TEST_ROOT "/cases/program/short.prg", NULL}},
    {APPLY, "dh_arm.wu", "recording", {"file=" TEST_ROOT "/cases/recording/short.csv", NULL}},
    {APPLY, "dh_arm.wu", "recording", {"file=" TEST_ROOT "/cases/recording/good.jsonl", NULL}},
    {APPLY, "../tests/cases/deneb-recording/cell.dcr", "trace", {"frame=hand", NULL}},
    {APPLY, "dh_arm.wu", "pose", {"device=Arm", "reach=0.3,0,0.5,0,180deg,0", NULL}},
    {APPLY, "mechanisms/gantry_tau.dcw", "pose", {"device=gantry_tau", "reach=-1.1,-0.65,-1.2,0,0,0", NULL}},
    {APPLY, "../tests/cases/deneb/loop_good.dcd", "pose", {"device=four bar", "reach=0.1,0,0,0,0,0", "solve=x", NULL}},
    {READ, "collada_arm.dae", "glb", {"web=yes", NULL}},
    {WRITE, "collada_arm.dae", "glb", {"web=yes", NULL}},
    {WRITE, "tag_models.wu", "glb", {"web=yes", "budget=6kB", NULL}},
    {WRITE, "gltf_features.gltf", "gltf", {"web=yes", "compression=none", "embed=yes", NULL}},
    {WRITE_FILES, "tag_arm.wu", "gltf", {NULL}},
    {WRITE_FILES, "tag_arm.wu", "gltf", {"web=yes", NULL}},
    {WRITE_FILES, "tag_primitives.wu", "vrml97", {"layout=inline", NULL}},
    {WRITE_FILES, "tag_robots.wu", "collision-setup", {"split=device", "evidence=yes", NULL}},
    {CHECK, "tag_arm.wu", "collision-setup", {"split=device", "evidence=yes", NULL}},
    {WRITE_FILES, "gltf_stage.gltf", "collision-setup", {"evidence=yes", NULL}},
    {READ, "gltf_stage.gltf", "collision-setup", {NULL}},
    {WRITE_FILES, "stl_solids.stl", "stl", {"split=yes", NULL}},
    {WRITE_FILES, "tag_arm.wu", "urdf", {NULL}},
    {WRITE_FILES, "tag_arm.wu", "rwxml", {NULL}},
    {WRITE_FILES, "urdf_picker.urdf", "rwxml", {NULL}},
    {WRITE_FILES, "rwxml_gripper.wc.xml", "rwxml", {NULL}},
    {WRITE_FILES, "rwxml_gripper.wc.xml", "rwxml", {"setup=proximity", NULL}},
    {WRITE_FILES, "tag_models.wu", "urdf", {NULL}},
    {WRITE_FILES, "urdf_picker.urdf", "urdf", {"package=robots", NULL}},
    {WRITE_FILES, "gltf_textures.gltf", "urdf", {"meshes=glb", NULL}},
    {APPLY, "stl_solids.stl", "weld", {NULL}},
    {APPLY, "tag_primitives.wu", "normals", {NULL}},
    {APPLY, "obj_plate.obj", "triangulate", {NULL}},
    {APPLY, "../tests/cases/obj/bent.obj", "triangulate", {NULL}},
    {APPLY, "gltf_textures.gltf", "weld", {NULL}},
    {APPLY, "gltf_textures.gltf", "split-meshes", {NULL}},
    {APPLY, "stl_solids.stl", "orient", {NULL}},
    {APPLY, "tag_models.wu", "orient", {NULL}},
    {APPLY, "stl_faults.stl", "orient", {NULL}},
    {APPLY, "stl_hollow.stl", "orient", {NULL}},
    {APPLY, "stl_faults.stl", "repair", {NULL}},
    {APPLY, "tag_models.wu", "repair", {NULL}},
    {APPLY, "stl_faults.stl", "repair", {"holes=100", NULL}},
    {APPLY, "shapes.gltf", "repair", {"holes=1000", NULL}},
    {APPLY, "tag_arm.wu", "flatten", {NULL}},
    {APPLY, "collada_arm.dae", "select", {"node=Lever", NULL}},
    {APPLY, "tag_arm.wu", "pose", {"home=yes", NULL}},
    {APPLY,
     "../tests/cases/srdf/arm.urdf",
     "exclude",
     {"keep=" TEST_ROOT "/cases/srdf/old.srdf", "samples=5", "work=50", NULL}},
    {APPLY,
     "../tests/cases/exclude/arm.wu",
     "exclude",
     {"keep-evidence=" TEST_ROOT "/cases/html/arm.json", "padding=Arm:0", "samples=5", NULL}},
    {APPLY,
     "../tests/cases/exclude/arm.wu",
     "exclude",
     {"tools=Arm:" SAMPLES "/stl_one_facet.stl", "movable=Near,Far", "samples=5", NULL}},
    {ASK, "stl_hollow.stl", NULL, {NULL}},
    {ASK, "tag_models.wu", NULL, {NULL}},
    {APPLY, "stl_solids.stl", "instances", {NULL}},
    {APPLY, "tag_models.wu", "instances", {"mirrored=yes", "scaled=yes", NULL}},
    {APPLY, "shapes.gltf", "split-meshes", {NULL}},
    {APPLY, "stl_viscam.stl", "split-meshes", {"by=both", "nodes=no", NULL}},
    {APPLY, "tag_models.wu", "merge-meshes", {"by=scene", "shared=merge", "primitives=yes", NULL}},
    {APPLY, "collada_arm.dae", "merge-meshes", {"materials=groups", "shared=merge", NULL}},
    {APPLY, "collada_arm.dae", "simplify", {"ratio=0.5", NULL}},
    {APPLY, "stl_faults.stl", "simplify", {"error=1%", NULL}},
    {APPLY, "gltf_textures.gltf", "simplify", {"ratio=0.5", NULL}},
    {READ, "../tests/cases/gltf/bad_tangents.gltf", NULL, {NULL}},
    {WRITE, "../tests/cases/gltf/tangents.gltf", "glb", {"web=yes", NULL}},
    {APPLY, "../tests/cases/gltf/tangents.gltf", "orient", {NULL}},
    {APPLY, "../tests/cases/gltf/tangents.gltf", "merge-meshes", {"shared=merge", NULL}},
    {APPLY, "../tests/cases/gltf/tangents.gltf", "simplify", {"ratio=0.5", NULL}},
    {APPLY, "obj_plate.obj", "lod", {"levels=2", "level=1", NULL}},
};

enum way { BY_CONTEXT, BY_MALLOC, BY_ARENA };

/* A run of a job with the N-th allocation failing. */
struct run {
    const struct job *job;
    enum way way;
    struct counter counter;
    const char *folder; /* for WRITE_FILES and CHECK */
};

static size_t count_options(const struct job *job)
{
    size_t count = 0;
    while (job->options[count])
        count++;
    return count;
}

static void arm(struct run *run, size_t n)
{
    run->counter.calls = heap.calls = arenas.calls = 0;
    run->counter.limit = run->way == BY_CONTEXT ? n : 0;
    heap.limit = run->way == BY_MALLOC ? n : 0;
    arenas.limit = run->way == BY_ARENA ? n : 0;
    arenas.armed = true;
}

/* How many allocations there have been since arm; n or more when the n-th failed. */
static size_t disarm(struct run *run)
{
    const size_t calls[] = {run->counter.calls, heap.calls, arenas.calls};
    run->counter.limit = heap.limit = arenas.limit = 0;
    arenas.armed = false;
    return calls[run->way];
}

static cp_scene *read_sample(cp_context *context, const char *name)
{
    char path[1024];
    cp_scene *scene = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    return scene;
}

static cp_status write_files(cp_context *context, const cp_scene *scene, const struct run *run)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/out", run->folder);
    return cp_write(context, scene, path, run->job->plugin, run->job->options, count_options(run->job));
}

static cp_status write_memory(cp_context *context, const cp_scene *scene, const struct job *job)
{
    void *bytes;
    size_t size;
    cp_status status = cp_write_memory(context, scene, job->plugin, job->options, count_options(job), &bytes, &size);
    if (status == CP_OK)
        cp_free(context, bytes, size);
    else
        assert_null(bytes);
    return status;
}

static char *dump(cp_context *context, const cp_scene *scene, size_t *size)
{
    void *bytes;
    assert_int_equal(cp_write_memory(context, scene, "dump", NULL, 0, &bytes, size), CP_OK);
    return bytes;
}

/* True when the report has an error. */
static bool says_why(const cp_context *context)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    while (count-- > 0)
        if (entries[count].severity == CP_ERROR)
            return true;
    return false;
}

/* On failure the scene is what it was. */
static cp_status apply(cp_context *context, cp_scene *scene, struct run *run, size_t n, size_t *calls)
{
    size_t before_size, after_size;
    char *before = dump(context, scene, &before_size);
    arm(run, n);
    cp_status status = cp_apply(context, scene, run->job->plugin, run->job->options, count_options(run->job));
    *calls = disarm(run);
    assert_true(status == CP_OK || says_why(context));
    cp_report_clear(context);
    char *after = dump(context, scene, &after_size);
    if (status != CP_OK) {
        assert_int_equal(before_size, after_size);
        assert_memory_equal(before, after, before_size);
    }
    cp_free(context, before, before_size);
    cp_free(context, after, after_size);
    return status;
}

static bool folder_is_empty(const char *folder)
{
    DIR *listing = opendir(folder);
    int count = 0;
    assert_non_null(listing);
    while (readdir(listing))
        count++;
    (void)closedir(listing);
    return count == 2;
}

static void empty_folder(const char *folder)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
}

/* The bytes that a READ job reads, when it does not read the sample itself. */
struct content {
    void *bytes;
    size_t size;
};

static cp_status read_job(cp_context *context, const struct job *job, const struct content *content)
{
    char path[1024];
    cp_scene *scene;
    (void)snprintf(path, sizeof path, "%s/%s", SAMPLES, job->input);
    cp_status status = content->bytes
                           ? cp_read_memory(context, content->bytes, content->size, "memory", NULL, NULL, 0, &scene)
                           : cp_read(context, path, NULL, NULL, 0, &scene);
    assert_true((scene != NULL) == (status == CP_OK));
    cp_scene_free(scene);
    return status;
}

/* What the program's info asks of the meshes. */
static cp_status ask(cp_context *context, const cp_scene *scene)
{
    uint32_t count, first[64];
    const cp_mesh *meshes = cp_meshes(scene, &count);
    cp_topology topology = {.size = sizeof topology};
    cp_measures measures[64];
    cp_shape shapes[2];
    assert_true(count <= 64);
    for (uint32_t i = 0; i < count; i++)
        measures[i].size = sizeof measures[i];
    cp_status status = cp_measure_meshes(context, scene, measures);
    if (status == CP_OK)
        status = cp_equal_meshes(context, scene, first);
    for (int i = 0; i < 2 && status == CP_OK; i++)
        status = cp_find_shape(context, scene, &shapes[i]);
    if (status == CP_OK)
        status = cp_find_alike(context, shapes, 2, first);
    if (status == CP_OK)
        assert_int_equal(first[1], 0);
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        status = cp_mesh_topology(context, &meshes[i], &topology);
    return status;
}

static void hear_fault(void *user, const cp_list_fault *fault)
{
    (void)user;
    fail_msg("%s|%s: fault %d", fault->first, fault->second, (int)fault->kind);
}

/* Of a list that was written before. */
static cp_status check(cp_context *context, const cp_scene *scene, struct run *run, size_t n, size_t *calls)
{
    char path[1024];
    assert_int_equal(write_files(context, scene, run), CP_OK);
    (void)snprintf(path, sizeof path, "%s/out", run->folder);
    arm(run, n);
    cp_scene *list = NULL;
    cp_status status = cp_check_list(context, scene, path, hear_fault, NULL);
    if (status == CP_OK)
        status = cp_read_list(context, path, &list);
    assert_true((list != NULL) == (status == CP_OK));
    *calls = disarm(run);
    cp_scene_free(list);
    empty_folder(run->folder);
    return status;
}

static cp_status change_or_write(cp_context *context, struct run *run, size_t n, size_t *calls)
{
    const struct job *job = run->job;
    cp_scene *scene = read_sample(context, job->input);
    cp_status status;
    if (job->kind == APPLY) {
        status = apply(context, scene, run, n, calls);
    } else if (job->kind == CHECK) {
        status = check(context, scene, run, n, calls);
    } else {
        arm(run, n);
        status = job->kind == WRITE ? write_memory(context, scene, job)
                 : job->kind == ASK ? ask(context, scene)
                                    : write_files(context, scene, run);
        *calls = disarm(run);
    }
    if (job->kind == WRITE_FILES && status != CP_OK)
        assert_true(folder_is_empty(run->folder));
    cp_scene_free(scene);
    return status;
}

/* One run; *calls is how many allocations there were. */
static cp_status run_once(struct run *run, const struct content *content, size_t n, size_t *calls)
{
    cp_allocator allocator = {counted_resize, &run->counter};
    bool reading = run->job->kind == READ;
    cp_status status;
    run->counter = (struct counter){0};
    heap.live = 0;
    memset(heap.blocks, 0, sizeof heap.blocks);
    heap.armed = run->way == BY_MALLOC;
    if (reading)
        arm(run, n);
    cp_context *context = cp_context_new(run->way == BY_MALLOC ? NULL : &allocator);
    if (context)
        cp_set_flag(context, CP_FLAG_LIST_FILES, true); /* its memory, too */
    if (!context) {
        status = CP_LIMIT;
        *calls = disarm(run);
    } else if (reading) {
        status = read_job(context, run->job, content);
        *calls = disarm(run);
    } else {
        status = change_or_write(context, run, n, calls);
    }
    if (context && status != CP_OK && run->job->kind != APPLY)
        assert_true(says_why(context));
    cp_context_free(context);
    heap.armed = false;
    return status;
}

static void fail_at(const struct run *run, size_t n, const char *what, cp_status status)
{
    static const char *const ways[] = {"the context", "malloc", "the arena"};
    fail_msg("%s %s %s, allocation %zu by %s: %s (status %d)", run->job->input,
             run->job->kind == READ ? "read as" : "to", run->job->plugin ? run->job->plugin : "itself", n,
             ways[run->way], what, (int)status);
}

/* Every 17th allocation, or 150 of them where that is fewer. An odd step has no common rhythm with code that allocates
 * in pairs. */
static size_t step_of(size_t total)
{
    size_t step = total / 150;
    return getenv("CELLPIPE_LONG") ? 1 : step < 17 ? 17 : step | 1;
}

static void run_all(struct run *run, const struct content *content)
{
    size_t total, calls;
    cp_status status = run_once(run, content, SIZE_MAX / 2, &total);
    if (status != CP_OK)
        fail_at(run, 0, "fails with enough memory", status);
    if (total < 5 && run->way != BY_ARENA)
        fail_at(run, 0, "hardly allocates", status);
    for (size_t n = 1; n <= total; n += step_of(total)) {
        if (run->folder)
            empty_folder(run->folder);
        status = run_once(run, content, n, &calls);
        if (status != CP_LIMIT && (status != CP_OK || calls >= n))
            fail_at(run, n, "not refused", status);
        if (run->counter.blocks || run->counter.bytes || heap.live)
            fail_at(run, n, "memory not given back", status);
    }
}

static struct content make_content(const struct job *job)
{
    struct content content = {NULL, 0};
    if (job->kind != READ || !job->plugin)
        return content;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_sample(context, job->input);
    void *bytes;
    assert_int_equal(
        cp_write_memory(context, scene, job->plugin, job->options, count_options(job), &bytes, &content.size), CP_OK);
    content.bytes = __real_malloc(content.size);
    memcpy(content.bytes, bytes, content.size);
    cp_free(context, bytes, content.size);
    cp_scene_free(scene);
    cp_context_free(context);
    return content;
}

static bool is_built(const struct job *job)
{
#ifndef HAVE_ASSIMP
    static const char *const suffixes[] = {".x3d"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strstr(job->input, suffixes[i]))
            return false;
#endif
    (void)job;
    return true;
}

static void run_jobs(enum way way)
{
    char folder[] = "/tmp/cellpipe-fail-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct run run = {.job = &jobs[i], .way = way};
        if (!is_built(&jobs[i]))
            continue;
        if (jobs[i].kind == WRITE_FILES || jobs[i].kind == CHECK)
            run.folder = folder;
        struct content content = make_content(&jobs[i]);
        run_all(&run, &content);
        __real_free(content.bytes);
    }
    empty_folder(folder);
    assert_int_equal(rmdir(folder), 0);
}

static void test_context_allocator(void **state)
{
    (void)state;
    run_jobs(BY_CONTEXT);
}

static void test_every_malloc(void **state)
{
    (void)state;
    run_jobs(BY_MALLOC);
}

static void test_every_arena_allocation(void **state)
{
    (void)state;
    run_jobs(BY_ARENA);
}

/* With an allocator of its own, a context leaves malloc alone. */
static void test_allocator_is_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct run run = {.job = &jobs[i]};
        size_t calls;
        if (jobs[i].kind == WRITE_FILES || !is_built(&jobs[i]))
            continue;
        struct content content = make_content(&jobs[i]);
        cp_allocator allocator = {counted_resize, &run.counter};
        cp_context *context = cp_context_new(&allocator);
        heap.armed = true;
        heap.calls = heap.limit = 0;
        if (jobs[i].kind == READ)
            assert_int_equal(read_job(context, &jobs[i], &content), CP_OK);
        calls = heap.calls;
        heap.armed = false;
        cp_context_free(context);
        __real_free(content.bytes);
        if (calls)
            fail_msg("%s: %zu calls of malloc beside the context's allocator", jobs[i].input, calls);
    }
}

static void test_every_exporter(void **state)
{
    (void)state;
    for (size_t i = 0; i < cp_plugin_count(NULL, CP_EXPORTER); i++) {
        cp_plugin_info info = {.size = sizeof info};
        assert_true(cp_plugin_at(NULL, CP_EXPORTER, i, &info));
        const char *name = info.name;
        size_t job = 0;
        while (job < sizeof jobs / sizeof *jobs &&
               (jobs[job].kind == READ || !jobs[job].plugin || strcmp(jobs[job].plugin, name)))
            job++;
        if (job == sizeof jobs / sizeof *jobs)
            fail_msg("no job writes %s", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocator_is_all),       cmocka_unit_test(test_every_exporter),
        cmocka_unit_test(test_context_allocator),      cmocka_unit_test(test_every_malloc),
        cmocka_unit_test(test_every_arena_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

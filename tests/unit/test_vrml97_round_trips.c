/* Samples and cells of the corpus to VRML97 and back: triangles and bounds, colours, joints with their axes and limits,
 * devices, poses at home, and clips at thirteen moments are those of before. What cannot come back is named here. */
#include <dirent.h>
#include <math.h>
#include <pthread.h>

#include "cellpipe_tool.h"
#include "fixture.h"

enum { MOMENTS = 13 };

/* A scene, and what the reader makes of the file that was written of it. */
struct pair {
    const char *name;
    cp_context *context;
    cp_scene *before, *after;
    double size;
    bool mirrors; /* or is flat: the meshes then are others, and frames are not mirrored */
    bool loops;   /* which are not written: free joints stand where they stood */
};

static void check_near(const struct pair *pair, const char *what, const char *name, double got, double expected,
                       double within)
{
    if (got != expected && !(fabs(got - expected) <= within))
        fail_msg("%s: %s of %s is %.17g, not %.17g", pair->name, what, name, got, expected);
}

static void check_measures(const struct pair *pair)
{
    for (uint32_t use = CP_USE_DRAWN; use <= CP_USE_COLLISION; use++) {
        cp_measures a = {.size = sizeof a}, b = {.size = sizeof b};
        assert_int_equal(cp_measure(pair->context, pair->before, use, &a), CP_OK);
        assert_int_equal(cp_measure(pair->context, pair->after, use, &b), CP_OK);
        check_near(pair, "number of triangles", use == CP_USE_DRAWN ? "what is drawn" : "what collides",
                   (double)b.triangles, (double)a.triangles, 0);
        check_near(pair, "area", "all", b.area, a.area, 1e-6 * a.area);
        for (int axis = 0; axis < 3 && a.any; axis++) {
            check_near(pair, "lower bound", "all", b.lower[axis], a.lower[axis], 1e-6 * pair->size);
            check_near(pair, "upper bound", "all", b.upper[axis], a.upper[axis], 1e-6 * pair->size);
        }
    }
}

/* Sums the colours of corners, by area where triangles have one: equal if each face shows what it did. */
static void sum_colours(const cp_scene *scene, double sums[4])
{
    uint32_t count;
    const cp_instance *instances = cp_instances(scene, &count);
    const cp_mesh *meshes = cp_meshes(scene, NULL);
    const cp_material *materials = cp_materials(scene, NULL);
    memset(sums, 0, 4 * sizeof *sums);
    for (uint32_t i = 0; i < count; i++) {
        const cp_mesh *mesh = &meshes[instances[i].mesh];
        for (uint32_t g = 0; g < mesh->group_count; g++) {
            const cp_material *material =
                mesh->groups[g].material == CP_NONE ? NULL : &materials[mesh->groups[g].material];
            for (uint32_t f = mesh->groups[g].first_face; f < mesh->groups[g].first_face + mesh->groups[g].face_count;
                 f++)
                for (uint32_t c = face_first(mesh, f); c < face_first(mesh, f) + face_size(mesh, f); c++)
                    for (int k = 0; k < 4; k++) {
                        double value = material ? material->rgba[k] : 0;
                        if (material && material->srgb && k < 3)
                            value = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
                        if (mesh->colours && k < 3)
                            value *= (double)mesh->colours[4 * (size_t)mesh->corners[c] + (size_t)k];
                        sums[k] += value;
                    }
        }
    }
}

static void check_colours(const struct pair *pair)
{
    uint32_t count;
    const cp_mesh *meshes = cp_meshes(pair->before, &count);
    double a[4], b[4];
    for (uint32_t i = 0; i < count; i++)
        if (meshes[i].kind != CP_MESH_FACES || meshes[i].group_count == 0)
            return; /* primitives become faces, and what has no material a grey one */
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t g = 0; g < meshes[i].group_count; g++)
            if (meshes[i].groups[g].material == CP_NONE)
                return;
    if (count_textures(pair->before) > 0 || pair->mirrors || was_reported(pair->context, "vrml97-colour") ||
        was_reported(pair->context, "vrml97-alpha"))
        return;
    sum_colours(pair->before, a);
    sum_colours(pair->after, b);
    for (int k = 0; k < 4; k++)
        check_near(pair, "sum of colours", "all", b[k], a[k], 1e-6 * (1 + fabs(a[k])));
}

static void check_joints(const struct pair *pair)
{
    uint32_t count, other_count;
    const cp_joint *joints = cp_joints(pair->before, &count), *others = cp_joints(pair->after, &other_count);
    if (count != other_count)
        fail_msg("%s: %u joints, not %u", pair->name, other_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const cp_joint *a = &joints[i];
        uint32_t found = only_joint(pair->after, a->name);
        if (only_joint(pair->before, a->name) == CP_NONE)
            continue;
        if (found == CP_NONE)
            fail_msg("%s: no joint \"%s\"", pair->name, a->name);
        const cp_joint *b = &others[found];
        assert_int_equal(a->type, b->type);
        assert_int_equal(a->driven, b->driven);
        for (int axis = 0; axis < 3 && a->type != CP_JOINT_FIXED && !pair->mirrors; axis++)
            check_near(pair, "axis", a->name, b->axis[axis], a->axis[axis], 1e-12);
        check_near(pair, "lower limit", a->name, b->lower, a->lower, 0);
        check_near(pair, "upper limit", a->name, b->upper, a->upper, 0);
        check_near(pair, "velocity", a->name, b->velocity, a->velocity, 0);
        check_near(pair, "effort", a->name, b->effort, a->effort, 0);
        check_near(pair, "home", a->name, b->home, a->home, 0);
        assert_int_equal(a->master == CP_NONE, b->master == CP_NONE);
        if (a->master != CP_NONE)
            assert_string_equal(joints[a->master].name, others[b->master].name);
        check_near(pair, "scale", a->name, b->scale, a->scale, 0);
        check_near(pair, "offset", a->name, b->offset, a->offset, 0);
        assert_int_equal(a->expression == NULL, b->expression == NULL);
    }
}

static void check_same_name(const struct pair *pair, const char *what, const char *device, const char *got,
                            const char *expected)
{
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s of the device %s is %s, not %s", pair->name, what, device, got, expected);
}

/* Devices come back in their order, with their members; frames belong to the devices to which they belonged. */
static void check_devices(const struct pair *pair)
{
    uint32_t count, other_count, node_count;
    const cp_device *devices = cp_devices(pair->before, &count), *others = cp_devices(pair->after, &other_count);
    const cp_joint *joints = cp_joints(pair->before, NULL), *other_joints = cp_joints(pair->after, NULL);
    const cp_node *nodes = cp_nodes(pair->before, &node_count), *other_nodes = cp_nodes(pair->after, NULL);
    if (count != other_count)
        fail_msg("%s: %u devices, not %u", pair->name, other_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const cp_device *a = &devices[i], *b = &others[i];
        check_same_name(pair, "the name", a->name, b->name, a->name);
        check_same_name(pair, "the base", a->name, other_nodes[b->base].name, nodes[a->base].name);
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->scope, b->scope);
        assert_int_equal(a->end_count, b->end_count);
        assert_int_equal(a->joint_count, b->joint_count);
        assert_int_equal(a->home == NULL, b->home == NULL);
        for (uint32_t k = 0; k < a->end_count; k++)
            check_same_name(pair, "an end", a->name, other_nodes[b->ends[k]].name, nodes[a->ends[k]].name);
        for (uint32_t k = 0; k < a->joint_count; k++) {
            check_same_name(pair, "a joint", a->name, other_joints[b->joints[k]].name, joints[a->joints[k]].name);
            check_near(pair, "home", a->name, b->home ? b->home[k] : 0, a->home ? a->home[k] : 0, 0);
        }
    }
    for (uint32_t i = 1; i < node_count; i++) {
        uint32_t other = only_node(pair->after, nodes[i].name);
        if (only_node(pair->before, nodes[i].name) != CP_NONE && other != CP_NONE)
            check_near(pair, "the device", nodes[i].name, other_nodes[other].scope, nodes[i].scope, 0);
    }
}

/* Compares the places of frames, which mirroring leaves as they are, and where nothing mirrors their turns. */
static uint32_t compare_poses(const struct pair *pair, const char *what, const cp_pose *before, const cp_pose *after,
                              double within)
{
    uint32_t count, compared = 0;
    const cp_node *nodes = cp_nodes(pair->before, &count);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t other = only_node(pair->after, nodes[i].name);
        if (only_node(pair->before, nodes[i].name) == CP_NONE || other == CP_NONE)
            continue;
        compared++;
        for (int k = 0; k < 12; k++)
            if (k % 4 == 3 || !pair->mirrors)
                check_near(pair, what, nodes[i].name, after[other].m[k], before[i].m[k], within);
    }
    return compared;
}

static void check_poses(const struct pair *pair)
{
    cp_pose *before = calloc(count_nodes(pair->before), sizeof *before);
    cp_pose *after = calloc(count_nodes(pair->after), sizeof *after);
    assert_int_equal(cp_world_poses(pair->context, pair->before, NULL, before), CP_OK);
    assert_int_equal(cp_world_poses(pair->context, pair->after, NULL, after), CP_OK);
    (void)compare_poses(pair, "the pose", before, after, 1e-9 * (1 + pair->size));
    free(before);
    free(after);
}

static void find_range(const cp_clip *clip, double *first, double *last)
{
    *first = INFINITY;
    *last = -INFINITY;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        *first = fmin(*first, clip->tracks[i].times[0]);
        *last = fmax(*last, clip->tracks[i].times[clip->tracks[i].key_count - 1]);
    }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        *first = fmin(*first, clip->attachments[i].time);
        *last = fmax(*last, clip->attachments[i].time);
    }
}

/* Plays the first clip, which is the one that is written, here and there. Moments are not those of keys: a jump may be
 * a rounding earlier. */
static uint32_t check_clip(const struct pair *pair)
{
    uint32_t count, compared = 0;
    const cp_clip *clips = cp_clips(pair->before, &count);
    if (count == 0)
        return 0;
    if (pair->loops || clips[0].track_count + clips[0].attachment_count == 0)
        return 0;
    assert_int_equal(count_clips(pair->after), 1);
    assert_string_equal(cp_clips(pair->after, NULL)->name, clips[0].name);
    cp_pose *before = calloc(count_nodes(pair->before), sizeof *before);
    cp_pose *after = calloc(count_nodes(pair->after), sizeof *after);
    double first, last;
    find_range(&clips[0], &first, &last);
    if (!(last > first))
        last = first = 0; /* a clip of marks, or of one moment */
    for (int i = 0; i < MOMENTS; i++) {
        double time = (last - first) * (i + 0.37) / MOMENTS;
        assert_int_equal(cp_clip_poses(pair->context, pair->before, 0, first + time, before), CP_OK);
        assert_int_equal(cp_clip_poses(pair->context, pair->after, 0, time, after), CP_OK);
        compared += compare_poses(pair, "in the clip the pose", before, after, 1e-6 * (1 + pair->size));
    }
    free(before);
    free(after);
    return compared;
}

static double size_of(cp_context *context, const cp_scene *scene)
{
    cp_measures measures = {.size = sizeof measures};
    double size = 1;
    assert_int_equal(cp_measure(context, scene, CP_USE_BOTH, &measures), CP_OK);
    for (int axis = 0; axis < 3 && measures.any; axis++)
        size = fmax(size, fmax(fabs(measures.lower[axis]), fabs(measures.upper[axis])));
    return size;
}

/* Compares all that should have come back. Returns how many poses of clips were compared. */
static uint32_t compare(struct pair *pair)
{
    pair->size = size_of(pair->context, pair->before);
    pair->loops = count_loops(pair->before) > 0;
    pair->mirrors = was_reported(pair->context, "vrml97-mirrored") || was_reported(pair->context, "vrml97-flat");
    check_measures(pair);
    check_colours(pair);
    check_joints(pair);
    check_devices(pair);
    check_poses(pair);
    return check_clip(pair);
}

static const char *const options[] = {"tolerance=0", "planes=keep", "colours=none"};

/* Returns how many poses of clips were compared. */
static uint32_t check_scene(cp_context *context, const char *name, cp_scene *scene)
{
    struct pair pair = {.name = name, .context = context, .before = scene};
    void *bytes;
    size_t size;
    cp_report_clear(context);
    cp_status status = cp_write_memory(context, scene, "vrml97", options, 3, &bytes, &size);
    if (status == CP_OK)
        status = cp_read_memory(context, bytes, size, "back.wrl", "vrml97", NULL, 0, &pair.after);
    if (status != CP_OK) {
        show_report(context);
        fail_msg("%s: status %d", name, (int)status);
    }
    uint32_t compared = compare(&pair);
    cp_scene_free(pair.after);
    cp_free(context, bytes, size);
    return compared;
}

/* Reads a file, which may be one that no cell is in. Returns how many poses of clips were compared; CP_NONE if the file
 * was not read. */
static uint32_t check_file(const char *folder, const char *file)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    char path[4096];
    uint32_t compared = CP_NONE;
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    if (cp_read(context, path, NULL, NULL, 0, &scene) == CP_OK && count_instances(scene) > 0)
        compared = check_scene(context, file, scene);
    cp_scene_free(scene);
    cp_context_free(context);
    return compared;
}

static bool is_cell(const char *name)
{
    static const char *const suffixes[] = {".wu", ".dcw", ".dcr", ".wc.xml"};
    bool found = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        found = found || text_ends_nocase(name, suffixes[i]);
    return found;
}

/* Checks the cells of a folder and those below it; with `all` every file of the folder itself. Returns how many were
 * read. */
static uint32_t check_folder(const char *path, bool all, uint32_t depth)
{
    DIR *folder = opendir(path);
    uint32_t files = 0;
    if (!folder)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char below[4096];
        (void)snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || text_ends_nocase(entry->d_name, ".md"))
            continue;
        if (is_cell(entry->d_name) || (all && strchr(entry->d_name, '.')))
            files += check_file(path, entry->d_name) != CP_NONE;
        else if (depth < 8)
            files += check_folder(below, false, depth + 1);
    }
    (void)closedir(folder);
    return files;
}

static void test_samples(void **unused)
{
    (void)unused;
    assert_in_range(check_folder(SAMPLES, true, 0), 60, 1000);
}

static void test_recordings(void **unused)
{
    (void)unused;
    static const char *const files[] = {"deneb/welding/weld.dcr", "deneb/assembly/saw.dcr", "joints.gltf",
                                        "gltf_features.gltf", "vrml97_picker.wrl"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        uint32_t compared = check_file(SAMPLES, files[i]);
        assert_true(compared != CP_NONE);
        if (strcmp(files[i], "deneb/welding/weld.dcr") != 0) /* has loops */
            assert_in_range(compared, MOMENTS, UINT32_MAX - 1);
    }
}

/* All cells of the corpus, and worlds of others. */
static void test_corpus(void **unused)
{
    (void)unused;
    static const char *const files[] = {"robots/vrml97/choreonoid_robots/SR1/SR1.wrl",
                                        "robots/vrml97/choreonoid_robots/PA10/PA10.wrl",
                                        "robots/vrml97/assimp/MotionCaptureROM.wrz", "robots/vrml97/assimp/Wuson.wrl"};
    DIR *folder = opendir(SHARED "/corpus");
    if (!folder) {
        print_message("skipped: no " SHARED "/corpus\n");
        skip();
    }
    (void)closedir(folder);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_true(check_file(SHARED "/corpus", files[i]) != CP_NONE);
    assert_in_range(check_folder(SHARED "/corpus", false, 0), 14, 1000);
}

/* A frame that is left out gives its devices to the one around it. */
static void test_device_of_placeholder(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = cp_scene_new(context), *back = NULL;
    cp_node arm = cp_new_node(), unknown = cp_new_node();
    cp_device device = cp_new_device();
    void *bytes;
    size_t size;
    arm.name = device.name = "arm";
    arm.parent = 0;
    unknown.name = "unknown";
    unknown.parent = 1;
    unknown.flags = CP_NODE_PLACEHOLDER;
    device.base = 2;
    assert_int_equal(cp_add_node(scene, &arm), 1);
    assert_int_equal(cp_add_node(scene, &unknown), 2);
    assert_int_equal(cp_add_device(scene, &device), 0);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(cp_write_memory(context, scene, "vrml97", NULL, 0, &bytes, &size), CP_OK);
    assert_int_equal(cp_read_memory(context, bytes, size, "back.wrl", NULL, NULL, 0, &back), CP_OK);
    assert_int_equal(cp_devices(back, NULL)->base, 1);
    cp_free(context, bytes, size);
    cp_scene_free(back);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- deep worlds ---- */

enum { DEEP = 5000, SMALL_STACK = 256 * 1024 };

/* Makes frames in frames, perhaps with a joint each, with a box at the end. */
static cp_scene *deep_scene(cp_context *context, bool has_joints)
{
    cp_scene *scene = cp_scene_new(context);
    cp_mesh box = cp_new_mesh();
    box.kind = CP_MESH_BOX;
    box.size[0] = box.size[1] = box.size[2] = 0.5;
    assert_non_null(scene);
    for (uint32_t i = 0; i < DEEP; i++) {
        char name[16];
        cp_node node = cp_new_node();
        cp_joint joint = cp_new_joint();
        (void)snprintf(name, sizeof name, "f%u", i);
        node.name = name;
        node.parent = i;
        node.local = plain_translation(0.001, 0.002 * (i % 2), 0);
        assert_int_equal(cp_add_node(scene, &node), i + 1);
        joint.node = i + 1;
        joint.axis[i % 2] = 1;
        joint.axis[2] = 0;
        joint.q = 1e-4;
        if (has_joints)
            assert_int_equal(cp_add_joint(scene, &joint), i);
    }
    const cp_instance instance = cp_new_instance(DEEP, cp_add_mesh(scene, &box));
    assert_int_equal(cp_add_instance(scene, &instance), 0);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    return scene;
}

struct reading {
    cp_context *context;
    cp_scene *scene;
    void *bytes;
    size_t size;
    cp_status status;
};

static void *read_world(void *user)
{
    struct reading *reading = user;
    reading->status =
        cp_read_memory(reading->context, reading->bytes, reading->size, "deep.wrl", NULL, NULL, 0, &reading->scene);
    return NULL;
}

/* Any world that is written can be read, by a thread with a small stack. */
static void test_deep(void **unused)
{
    (void)unused;
    for (int has_joints = 0; has_joints < 2; has_joints++) {
        struct reading reading = {.context = cp_context_new(NULL)};
        pthread_attr_t attributes;
        pthread_t thread;
        assert_int_equal(cp_set_limit(reading.context, "depth=10000"), CP_OK);
        cp_scene *scene = deep_scene(reading.context, has_joints);
        assert_int_equal(cp_write_memory(reading.context, scene, "vrml97", options, 3, &reading.bytes, &reading.size),
                         CP_OK);
        assert_int_equal(pthread_attr_init(&attributes), 0);
        assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
        assert_int_equal(pthread_create(&thread, &attributes, read_world, &reading), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        (void)pthread_attr_destroy(&attributes);
        if (reading.status != CP_OK)
            show_report(reading.context);
        assert_int_equal(reading.status, CP_OK);
        assert_int_equal(count_nodes(reading.scene), DEEP + 1);
        assert_int_equal(count_joints(reading.scene), has_joints ? DEEP : 0);
        struct pair pair = {.name = "deep", .context = reading.context, .before = scene, .after = reading.scene};
        (void)compare(&pair);
        cp_free(reading.context, reading.bytes, reading.size);
        cp_scene_free(reading.scene);
        cp_scene_free(scene);
        cp_context_free(reading.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_corpus),  cmocka_unit_test(test_device_of_placeholder),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

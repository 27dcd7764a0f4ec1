/* The importer of VRML97 against ../shared/reference/robots/vrml97.json: shapes, triangles and boxes, which another
 * reader has computed and Coin has confirmed, and joints, which Choreonoid's own files confirm. */
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "fixture.h"

#define REFERENCE SHARED "/reference/robots/vrml97.json"
#define COIN SHARED "/reference/robots/vrml97_coin.jsonl"
#define CORPUS SHARED "/corpus/robots/vrml97"

/* The reference has at most so many shapes of a file; of others it has counts alone. */
enum { MOST_SHAPES = 80 };

/* Files that are wrong, which the reader of the reference takes, or takes in another way: docs/vrml97.md has each
 * rule. */
static const struct exception {
    const char *file;
    cp_status status;
} exceptions[] = {
    {"coin/io/incorrect/bug055.wrl", CP_INPUT},         {"coin/io/incorrect/bug055-2.wrl", CP_INPUT},
    {"coin/io/incorrect/bug055-3.wrl", CP_INPUT},       {"coin/io/incorrect/bug055-8.wrl", CP_INPUT},
    {"coin/io/incorrect/bug199-error-1.wrl", CP_INPUT}, {"coin/io/incorrect/bug199-error-2.wrl", CP_INPUT},
    {"coin/io/incorrect/bug199-error-3.wrl", CP_INPUT},
};

struct seen {
    uint64_t triangles;
    double lower[3], upper[3];
};

/* Counts the triangles of sets of faces, and finds their box in the file's axes. */
static struct seen see(cp_context *context, const cp_scene *scene, bool turned)
{
    struct seen seen = {0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    uint32_t node_count, instance_count, mesh_count;
    (void)cp_nodes(scene, &node_count);
    const cp_instance *instances = cp_instances(scene, &instance_count);
    const cp_mesh *meshes = cp_meshes(scene, &mesh_count);
    cp_pose *worlds = calloc(node_count, sizeof *worlds);
    assert_int_equal(cp_world_poses(context, scene, NULL, worlds), CP_OK);
    for (uint32_t i = 0; i < instance_count; i++) {
        const cp_mesh *mesh = &meshes[instances[i].mesh];
        const double *w = worlds[instances[i].node].m, *t = instances[i].transform.m;
        if (mesh->kind != CP_MESH_FACES || strcmp(mesh->source, "IndexedFaceSet") != 0)
            continue;
        for (uint32_t f = 0; f < mesh->face_count; f++) {
            uint32_t size = mesh->face_offsets ? mesh->face_offsets[f + 1] - mesh->face_offsets[f] : 3;
            seen.triangles += size > 2 ? size - 2 : 0;
        }
        for (uint32_t c = 0; c < mesh->corner_count; c++) {
            const float *p = mesh->positions + 3 * (size_t)mesh->corners[c];
            double q[3], r[3];
            for (int k = 0; k < 3; k++)
                q[k] =
                    t[4 * k] * (double)p[0] + t[4 * k + 1] * (double)p[1] + t[4 * k + 2] * (double)p[2] + t[4 * k + 3];
            for (int k = 0; k < 3; k++)
                r[k] = w[4 * k] * q[0] + w[4 * k + 1] * q[1] + w[4 * k + 2] * q[2] + w[4 * k + 3];
            const double file[3] = {r[0], turned ? r[2] : r[1], turned ? -r[1] : r[2]};
            for (int k = 0; k < 3; k++) {
                seen.lower[k] = fmin(seen.lower[k], file[k]);
                seen.upper[k] = fmax(seen.upper[k], file[k]);
            }
        }
    }
    free(worlds);
    return seen;
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void check_box(const char *file, const json_t *shapes, const struct seen *seen)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (size_t i = 0; i < json_array_size(shapes); i++) {
        const json_t *shape = json_array_get(shapes, i);
        if (strcmp(json_string_value(json_object_get(shape, "geometry")), "IndexedFaceSet") != 0 ||
            number(shape, "triangles") == 0 || number(shape, "bad_index") > 0)
            continue;
        for (size_t k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], json_number_value(json_array_get(json_object_get(shape, "lower"), k)));
            upper[k] = fmax(upper[k], json_number_value(json_array_get(json_object_get(shape, "upper"), k)));
        }
    }
    for (int k = 0; k < 3; k++)
        size = fmax(size, fmax(fabs(lower[k]), fabs(upper[k])));
    for (int k = 0; k < 3 && isfinite(size); k++)
        if (!(fabs(lower[k] - seen->lower[k]) <= 1e-6 * size && fabs(upper[k] - seen->upper[k]) <= 1e-6 * size))
            fail_msg("%s: the box is %g .. %g along %d, not %g .. %g", file, seen->lower[k], seen->upper[k], k,
                     lower[k], upper[k]);
}

static const cp_joint *joint_or_none(const cp_scene *scene, const char *name)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(joints[i].name, name) == 0)
            return &joints[i];
    return NULL;
}

static void check_joint(const char *file, const cp_scene *scene, const cp_pose *worlds, const json_t *expected)
{
    const char *name = json_string_value(json_object_get(expected, "name"));
    const char *type = json_string_value(json_object_get(expected, "jointType"));
    const json_t *world = json_object_get(expected, "world"), *axis = json_object_get(expected, "axis");
    const cp_node *node = node_called(scene, name);
    uint32_t count;
    size_t at = (size_t)(node - cp_nodes(scene, &count));
    for (size_t i = 0; i < 12; i++)
        if (!(fabs(worlds[at].m[i] - json_number_value(json_array_get(world, i))) <= 1e-12))
            fail_msg("%s: the frame of %s", file, name);
    const cp_joint *joint = joint_or_none(scene, name);
    if (strcmp(type, "rotate") != 0 && strcmp(type, "slide") != 0) {
        assert_null(joint);
        assert_int_equal((node->flags & CP_NODE_MOVABLE) != 0, strcmp(type, "free") == 0);
        return;
    }
    assert_non_null(joint);
    assert_int_equal(joint->type, strcmp(type, "slide") == 0 ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE);
    for (size_t i = 0; i < json_array_size(axis); i++) /* of words: "0", or numbers */
        assert_true(fabs(joint->axis[i] - atof(json_string_value(json_array_get(axis, i)))) <= 1e-12);
    for (int end = 0; end < 2; end++) {
        const json_t *limit = json_object_get(expected, end ? "ulimit" : "llimit");
        double got = end ? joint->upper : joint->lower;
        if (json_array_size(limit) > 0)
            assert_true(got == json_number_value(json_array_get(limit, 0)));
        else
            assert_true(isinf(got));
    }
}

static void check_file(const char *file, const json_t *expected)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    char path[4096];
    cp_status wanted = json_object_get(expected, "vrml1") ? CP_INPUT : CP_OK;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].file, file) == 0)
            wanted = exceptions[i].status;
    snprintf(path, sizeof path, CORPUS "/%s", file);
    cp_status status = cp_read(context, path, "vrml97", NULL, 0, &scene);
    if (status != wanted) {
        show_report(context);
        fail_msg("%s: status %d, not %d", file, (int)status, (int)wanted);
    }
    if (status == CP_OK) {
        const json_t *joints = json_object_get(expected, "joints"), *shapes = json_object_get(expected, "shapes");
        bool turned = json_array_size(joints) == 0;
        struct seen seen = see(context, scene, turned);
        uint32_t node_count;
        (void)cp_nodes(scene, &node_count);
        if (seen.triangles != (uint64_t)number(expected, "triangles_of_face_sets"))
            fail_msg("%s: %llu triangles, not %g", file, (unsigned long long)seen.triangles,
                     number(expected, "triangles_of_face_sets"));
        if (number(expected, "shape_count") < MOST_SHAPES)
            check_box(file, shapes, &seen);
        cp_pose *worlds = calloc(node_count, sizeof *worlds);
        assert_int_equal(cp_world_poses(context, scene, NULL, worlds), CP_OK);
        for (size_t i = 0; i < json_array_size(joints); i++)
            check_joint(file, scene, worlds, json_array_get(joints, i));
        free(worlds);
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

/* Faces that cross themselves: Coin cuts them where they do, and has more of their area. */
static bool has_crossed_faces(const char *file)
{
    return strstr(file, "tessellate4ptcoplanar.wrl") || strstr(file, "tessellatewcombine.wrl");
}

/* Files of sets of faces alone, beside what Coin makes of them: triangles, area and volume. */
static void test_coin(void **unused)
{
    (void)unused;
    FILE *lines = fopen(COIN, "r");
    char line[8192];
    int compared = 0;
    if (!lines) {
        print_message("skipped: no " COIN "\n");
        skip();
    }
    while (fgets(line, sizeof line, lines)) {
        json_t *said = json_loads(line, 0, NULL), *kinds = json_object_get(said, "shapes");
        const char *file = json_string_value(json_object_get(said, "file"));
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = NULL;
        char path[4096];
        assert_non_null(said);
        (void)snprintf(path, sizeof path, CORPUS "/%s", file);
        if (json_object_size(kinds) == 1 && json_object_get(kinds, "VRMLIndexedFaceSet") && !has_crossed_faces(file)) {
            cp_measures measures = {.size = sizeof measures};
            assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
            assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &measures), CP_OK);
            if ((double)measures.triangles != number(said, "triangles") ||
                !(fabs(measures.area - number(said, "area")) <= 1e-5 * measures.area) ||
                !(fabs(measures.volume - number(said, "volume")) <= 1e-5 * fmax(1, measures.area)))
                fail_msg("%s: %llu triangles, %g m2, %g m3", file, (unsigned long long)measures.triangles,
                         measures.area, measures.volume);
            compared++;
        }
        cp_scene_free(scene);
        cp_context_free(context);
        json_decref(said);
    }
    (void)fclose(lines);
    assert_int_equal(compared, 24);
}

static void test_all_files(void **unused)
{
    (void)unused;
    json_error_t error;
    json_t *all = json_load_file(REFERENCE, 0, &error), *expected;
    const char *file;
    if (!all) {
        print_message("skipped: no " REFERENCE "\n");
        skip();
    }
    assert_int_equal(json_object_size(all), 96);
    json_object_foreach(all, file, expected) check_file(file, expected);
    json_decref(all);
}

/* 140 ROUTEs of one TimeSensor are one clip: 70 from interpolators to frames. 19 of these set a scaleOrientation, which
 * is the turn of a frame, and of another one back. */
static void test_motion_capture(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    uint32_t count;
    if (access(CORPUS, R_OK) != 0) {
        print_message("skipped: no " CORPUS "\n");
        skip();
    }
    assert_int_equal(cp_read(context, CORPUS "/assimp/MotionCaptureROM.wrz", NULL, NULL, 0, &scene), CP_OK);
    const cp_clip *clips = cp_clips(scene, &count);
    assert_int_equal(count, 1);
    assert_int_equal(clips[0].track_count, 70 + 19);
    cp_scene_free(scene);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_files),
        cmocka_unit_test(test_coin),
        cmocka_unit_test(test_motion_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

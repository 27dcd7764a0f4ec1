/* Clips in delivered files: no numbers twice, keys in channels or in extras, and none of our extras with extras=no. */
#include <math.h>

#include "gltf_written.h"

static json_t *sampler_of(struct written *file, size_t clip, size_t channel)
{
    json_t *animation = at(file->json, "animations", clip);
    return at(animation, "samplers", (size_t)json_integer_value(get(at(animation, "channels", channel), "sampler")));
}

static json_int_t sampler_end(struct written *file, size_t clip, size_t channel, const char *end)
{
    return json_integer_value(get(sampler_of(file, clip, channel), end));
}

/* Two nodes and a joint that move at the same times; values of one track are no floats. */
static void make_scene(struct written *file)
{
    static const double times[] = {0, 0.5, 2}, slide[] = {0, 0, 0, 0.25, 0, 0, 1, 0, 0};
    static const double fine[] = {0, 0, 0, 0.1, 0, 0, 1, 0, 0}, values[] = {0, 0.5, 0.25};
    uint32_t a = add_node(file, 0, "a"), b = add_node(file, 0, "b"), c = add_node(file, 0, "c");
    uint32_t joint = add_limited_joint(file->scene, c, CP_JOINT_PRISMATIC, "j", -1, 1);
    const cp_track tracks[] = {{a, CP_PATH_TRANSLATION, CP_LINEAR, 3, times, slide},
                               {b, CP_PATH_TRANSLATION, CP_LINEAR, 3, times, slide},
                               {c, CP_PATH_TRANSLATION, CP_LINEAR, 3, times, fine},
                               {joint, CP_PATH_JOINT, CP_LINEAR, 3, times, values}};
    assert_int_equal(add_clip_of(file->scene, "c", 4, tracks), 0);
    add_instance(file, a, add_mesh(file, triangles()), CP_USE_DRAWN, plain_translation(0, 0, 0));
    complete(file);
}

static void nothing_stands_twice(void **state)
{
    (void)state;
    struct written file = start();
    make_scene(&file);
    write_with(&file, NULL, NULL);
    json_int_t times = sampler_end(&file, 0, 0, "input"), values = sampler_end(&file, 0, 0, "output");
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(sampler_end(&file, 0, i, "input"), times);
    assert_int_equal(sampler_end(&file, 0, 1, "output"), values);
    assert_int_not_equal(sampler_end(&file, 0, 2, "output"), values);
    const unsigned char *time =
        accessor_bytes(&file, get(sampler_of(&file, 0, 0), "input"), 28); /* those of the sweep, too */
    assert_true(float_at(time) == 0 && float_at(time + 4) == 0.5f && float_at(time + 8) == 2);

    /* What a channel says exactly is not in extras again. */
    json_t *tracks = get(ours(at(file.json, "animations", 0)), "tracks");
    for (size_t i = 0; i < 4; i++) {
        json_t *track = json_array_get(tracks, i);
        bool exact = i < 2;
        assert_true((json_object_get(track, "channel") != NULL) == exact);
        assert_true((json_object_get(track, "times") != NULL) == !exact);
        assert_true(!exact || json_integer_value(get(track, "channel")) == (json_int_t)i);
    }

    /* Reading gives all bits back. */
    cp_scene *again = NULL;
    assert_int_equal(cp_read_memory(file.context, file.bytes, file.size, "a.glb", "gltf", NULL, 0, &again), CP_OK);
    assert_int_equal(count_clips(again), 1);
    assert_int_equal(cp_clips(again, NULL)[0].track_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const cp_track *one = &cp_clips(file.scene, NULL)[0].tracks[i], *other = &cp_clips(again, NULL)[0].tracks[i];
        assert_true(one->path == other->path && one->target == other->target && other->key_count == 3);
        assert_memory_equal(one->times, other->times, 3 * sizeof(double));
        assert_memory_equal(one->values, other->values, (one->path == CP_PATH_JOINT ? 3 : 9) * sizeof(double));
    }
    cp_scene_free(again);
    finish(&file);
}

/* Whether a member of that name is anywhere. */
static bool has_member(json_t *json, const char *name)
{
    const char *key;
    json_t *value;
    size_t i;
    bool found = false;
    json_object_foreach(json, key, value) found = found || strcmp(key, name) == 0 || has_member(value, name);
    if (json_is_array(json))
        json_array_foreach(json, i, value) found = found || has_member(value, name);
    return found;
}

static void extras_may_be_left_out(void **state)
{
    (void)state;
    struct written file = start();
    make_scene(&file);
    add_metadata_of(file.scene, CP_OWNER_NODE, 1, "extras", CP_VALUE_JSON, "{\"weight\":3}");
    add_metadata_of(file.scene, CP_OWNER_NODE, 1, "maker", CP_VALUE_STRING, "us");
    (void)add_device_of(file.scene, "d", 0, 0, 0, NULL);
    complete(&file);
    write_with(&file, "extras=no", NULL);
    assert_false(has_member(file.json, "cellpipe"));
    json_t *node = at(file.json, "nodes", 1);
    assert_int_equal(json_integer_value(get(get(node, "extras"), "weight")), 3);
    assert_int_equal(json_array_size(get(file.json, "animations")), 2);
    assert_int_equal(count_entries(file.context, CP_LOSS, "loss-devices"), 1);
    assert_int_equal(count_entries(file.context, CP_LOSS, "gltf-joint-extras"), 1);
    assert_int_equal(count_entries(file.context, CP_LOSS, "gltf-own-metadata"), 1);
    drop_file(&file);
    write_with(&file, NULL, NULL);
    assert_true(has_member(file.json, "cellpipe"));
    finish(&file);
}

/* Packed numbers have 23 bits and a sign. The largest float has 24 digits, all ones: rounded up to 2^23 it would be
 * read as a negative number, and be infinite before it is packed. */
static void packed_numbers_stay_finite(void **state)
{
    static const double beyond_floats = 1e39, place[3] = {1, 2, 3};
    enum { STRIPS = 3000 }; /* so many that packing makes the file smaller */
    static float positions[3 * (STRIPS + 2)];
    static uint32_t corners[3 * STRIPS];
    (void)state;
    for (uint32_t i = 0; i < STRIPS + 2; i++) {
        positions[3 * i] = (float)i;
        positions[3 * i + 1] = (float)(i % 2);
    }
    for (uint32_t i = 0; i < STRIPS; i++)
        for (uint32_t k = 0; k < 3; k++)
            corners[3 * i + k] = i + (i % 2 ? 2 - k : k);
    const cp_mesh mesh = {.vertex_count = STRIPS + 2,
                          .face_count = STRIPS,
                          .corner_count = 3 * STRIPS,
                          .positions = positions,
                          .corners = corners};
    struct written file = start();
    uint32_t node = add_node(&file, 0, "a");
    (void)add_instance_of(file.scene, node, add_mesh_of(file.scene, &mesh), CP_USE_DRAWN, NULL);
    const cp_track late = {node, CP_PATH_TRANSLATION, CP_STEP, 1, &beyond_floats, place};
    assert_int_equal(add_clip_of(file.scene, "late", 1, &late), 0);
    complete(&file);
    write_with(&file, "web=yes", "extras=no");
    assert_non_null(get(file.json, "extensionsRequired"));
    cp_scene *again = NULL;
    expect_status(file.context, cp_read_memory(file.context, file.bytes, file.size, "a.glb", "gltf", NULL, 0, &again),
                  CP_OK);
    const cp_track *packed = cp_clips(again, NULL)[0].tracks;
    assert_true(packed->times[0] > 3.4e38 && packed->times[0] < (double)INFINITY);
    assert_memory_equal(packed->values, place, sizeof place);
    cp_scene_free(again);
    finish(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_stands_twice), cmocka_unit_test(extras_may_be_left_out),
                                       cmocka_unit_test(packed_numbers_stay_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

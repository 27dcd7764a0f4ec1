/* Reads glb and gltf files back as they were written, by jansson and by hand, never by our own importer. */
#ifndef GLTF_WRITTEN_H
#define GLTF_WRITTEN_H

#include <jansson.h>
#include <limits.h>
#include <math.h>

#include "fixture.h"

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

/* ---- a written file ---- */

struct written {
    cp_context *context;
    cp_scene *scene;
    json_t *json;
    unsigned char *bytes; /* the whole file */
    const unsigned char *binary;
    size_t size, binary_size;
};

static inline uint32_t word(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline float float_at(const unsigned char *at)
{
    uint32_t bits = word(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline struct written start(void)
{
    struct written written = {.context = cp_context_new(NULL)};
    assert_non_null(written.context);
    written.scene = cp_scene_new(written.context);
    assert_non_null(written.scene);
    return written;
}

/* Writes the scene as glb with up to two options, and takes the file apart by the rules of GLB. */
static inline void write_with(struct written *written, const char *first, const char *second)
{
    const char *options[] = {first, second};
    void *bytes;
    size_t count = first ? second ? 2 : 1 : 0;
    cp_status status = cp_write_memory(written->context, written->scene, "glb", options, count, &bytes, &written->size);
    expect_status(written->context, status, CP_OK);
    written->bytes = bytes;
    const unsigned char *at = bytes;
    assert_memory_equal(at, "glTF", 4);
    assert_int_equal(word(at + 4), 2);
    assert_int_equal(word(at + 8), written->size);
    size_t json_size = word(at + 12);
    assert_memory_equal(at + 16, "JSON", 4);
    assert_int_equal(json_size % 4, 0);
    json_error_t error;
    written->json = json_loadb((const char *)at + 20, json_size, JSON_REJECT_DUPLICATES, &error);
    if (!written->json)
        fail_msg("%d:%d %s", error.line, error.column, error.text);
    size_t rest = written->size - 20 - json_size;
    if (rest == 0)
        return;
    at += 20 + json_size;
    assert_memory_equal(at + 4, "BIN", 4);
    written->binary_size = word(at);
    assert_int_equal(written->binary_size, rest - 8);
    written->binary = at + 8;
}

static inline void finish(struct written *written)
{
    json_decref(written->json);
    cp_free(written->context, written->bytes, written->size);
    cp_scene_free(written->scene);
    cp_context_free(written->context);
}

static inline void drop_file(struct written *written)
{
    json_decref(written->json);
    cp_free(written->context, written->bytes, written->size);
    written->json = NULL;
    written->binary_size = 0;
}

/* ---- looking into JSON ---- */

static inline json_t *get(json_t *json, const char *key)
{
    json_t *value = json_object_get(json, key);
    if (!value)
        fail_msg("no member \"%s\"", key);
    return value;
}

static inline json_t *at(json_t *json, const char *key, size_t index)
{
    json_t *value = json_array_get(get(json, key), index);
    if (!value)
        fail_msg("no \"%s\" %zu", key, index);
    return value;
}

static inline json_t *ours(json_t *thing)
{
    return get(get(thing, "extras"), "cellpipe");
}

static inline const char *text(json_t *json, const char *key)
{
    return json_string_value(get(json, key));
}

static inline double number(json_t *json, const char *key)
{
    return json_number_value(get(json, key));
}

static inline double element(json_t *array, size_t index)
{
    return json_number_value(json_array_get(array, index));
}

/* The glTF node whose extras have this id. */
static inline json_t *node_of(struct written *written, const char *id)
{
    json_t *node, *nodes = get(written->json, "nodes");
    size_t i;
    json_array_foreach(nodes, i, node)
    {
        json_t *own = json_object_get(ours(node), "id");
        if (own && strcmp(json_string_value(own), id) == 0)
            return node;
    }
    fail_msg("no node \"%s\"", id);
    return NULL;
}

static inline json_t *joint_node_of(struct written *written, const char *id)
{
    json_t *node, *nodes = get(written->json, "nodes");
    size_t i;
    json_array_foreach(nodes, i, node)
    {
        json_t *joint = json_object_get(ours(node), "joint");
        if (joint && strcmp(text(joint, "id"), id) == 0)
            return node;
    }
    fail_msg("no joint \"%s\"", id);
    return NULL;
}

static inline json_t *child(struct written *written, json_t *node, size_t index)
{
    return at(written->json, "nodes", (size_t)json_integer_value(at(node, "children", index)));
}

static inline const unsigned char *view_bytes(struct written *written, json_t *view, size_t size)
{
    json_t *offset = json_object_get(view, "byteOffset");
    size_t begin = offset ? (size_t)json_integer_value(offset) : 0;
    assert_int_equal(json_integer_value(get(view, "byteLength")), size);
    assert_true(begin + size <= written->binary_size);
    assert_int_equal(begin % 4, 0);
    return written->binary + begin;
}

static inline const unsigned char *named_view(struct written *written, const char *name, size_t size)
{
    json_t *view, *views = get(written->json, "bufferViews");
    size_t i;
    json_array_foreach(views, i, view)
    {
        json_t *own = json_object_get(view, "name");
        if (own && strcmp(json_string_value(own), name) == 0)
            return view_bytes(written, view, size);
    }
    fail_msg("no view \"%s\"", name);
    return NULL;
}

/* The bytes of an accessor; its whole view must have view_size bytes. */
static inline const unsigned char *accessor_bytes(struct written *written, json_t *index, size_t view_size)
{
    json_t *accessor = at(written->json, "accessors", (size_t)json_integer_value(index));
    json_t *view = at(written->json, "bufferViews", (size_t)json_integer_value(get(accessor, "bufferView")));
    json_t *offset = json_object_get(accessor, "byteOffset");
    return view_bytes(written, view, view_size) + (offset ? json_integer_value(offset) : 0);
}

/* ---- poses, independently of pose.c: quaternion times vector ---- */

static inline void turn(const double q[4], const double v[3], double out[3])
{
    double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]), 2 * (q[0] * v[1] - q[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

static inline void read_numbers(json_t *node, const char *key, size_t count, double *values)
{
    json_t *array = json_object_get(node, key);
    for (size_t i = 0; array && i < count; i++)
        values[i] = element(array, i);
}

static inline void apply_node(json_t *node, double point[3])
{
    double t[3] = {0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1}, scaled[3];
    read_numbers(node, "translation", 3, t);
    read_numbers(node, "rotation", 4, r);
    read_numbers(node, "scale", 3, s);
    for (int i = 0; i < 3; i++)
        scaled[i] = s[i] * point[i];
    turn(r, scaled, point);
    for (int i = 0; i < 3; i++)
        point[i] += t[i];
}

static inline void assert_maps(json_t *outer, json_t *inner, const cp_pose *pose)
{
    static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 4; k++) {
        double point[3], wanted[3];
        memcpy(point, points[k], sizeof point);
        if (inner)
            apply_node(inner, point);
        apply_node(outer, point);
        for (int i = 0; i < 3; i++) {
            const double *row = pose->m + 4 * i;
            wanted[i] = row[0] * points[k][0] + row[1] * points[k][1] + row[2] * points[k][2] + row[3];
            if (!(fabs(point[i] - wanted[i]) <= 1e-12 * fmax(1, fabs(wanted[i]))))
                fail_msg("pose %g %g %g ...: row %d is %.17g, not %.17g", pose->m[0], pose->m[1], pose->m[2], i,
                         point[i], wanted[i]);
        }
    }
}

/* ---- scenes ---- */

static inline uint32_t add_node(struct written *written, uint32_t parent, const char *name)
{
    return add_node_at(written->scene, parent, name, NULL);
}

static inline uint32_t add_placed(struct written *written, uint32_t parent, const char *name, cp_pose local)
{
    return add_node_at(written->scene, parent, name, &local);
}

static const float corner_positions[] = {-0.0f, 0, 0, 1, 0, 0, 1, 1, 0, 0.25f, 0.25f, 0, 0, 1, 1e-40f, 9, 9, 9};
static const uint32_t triangle_corners[] = {0, 1, 2, 2, 1, 0, 1, 1, 1};

static inline cp_mesh triangles(void)
{
    return (cp_mesh){.name = "part",
                     .source = "part.stl",
                     .vertex_count = 6,
                     .face_count = 3,
                     .corner_count = 9,
                     .positions = corner_positions,
                     .corners = triangle_corners};
}

static inline uint32_t add_mesh(struct written *written, cp_mesh mesh)
{
    return add_mesh_of(written->scene, &mesh);
}

static inline void add_instance(struct written *written, uint32_t node, uint32_t mesh, uint32_t use, cp_pose pose)
{
    (void)add_instance_of(written->scene, node, mesh, use, &pose);
}

static inline void complete(struct written *written)
{
    expect_status(written->context, cp_scene_finish(written->scene), CP_OK);
}

#endif

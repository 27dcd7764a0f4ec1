/* Builds GLB files by hand for the tests of reading glTF, from JSON with ' for " and bytes put one by one. */
#ifndef GLTF_SUPPORT_H
#define GLTF_SUPPORT_H

#include "fixture.h"

/* The bytes of the BIN chunk. */
struct bin {
    unsigned char bytes[1 << 16];
    size_t size;
};

static inline void put(struct bin *bin, const void *bytes, size_t size)
{
    assert_true(size <= sizeof bin->bytes - bin->size);
    memcpy(bin->bytes + bin->size, bytes, size);
    bin->size += size;
}

/* Numbers of one type; the machine is little-endian, as all that this runs on. */
#define PUT(bin, type, ...)                                                                                            \
    do {                                                                                                               \
        const type values_[] = {__VA_ARGS__};                                                                          \
        put(bin, values_, sizeof values_);                                                                             \
    } while (0)

static inline void put_u32(unsigned char *out, size_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

/* A GLB of `{"asset": ..., "buffers": [...], REST}`, the caller's to free. */
static inline unsigned char *make_glb(const char *rest, const struct bin *bin, size_t *size)
{
    char head[160];
    size_t binary = bin ? bin->size : 0, padded = (binary + 3) / 4 * 4;
    int length = snprintf(head, sizeof head, "{\"asset\":{\"version\":\"2.0\"%s},\"buffers\":[{\"byteLength\":%zu}]",
                          strstr(rest, "'cellpipe'") ? ",\"extras\":{\"cellpipe\":{\"version\":\"1.0\"}}" : "", binary);
    size_t text = (size_t)length + strlen(rest) + 2, chunk = (text + 3) / 4 * 4;
    *size = 12 + 8 + chunk + 8 + padded;
    unsigned char *glb = calloc(1, *size + 1);
    assert_non_null(glb);
    memcpy(glb, "glTF\2\0\0\0", 8);
    put_u32(glb + 8, *size);
    put_u32(glb + 12, chunk);
    memcpy(glb + 16, "JSON", 4);
    char *json = (char *)glb + 20;
    memset(json, ' ', chunk);
    memcpy(json, head, (size_t)length);
    json[length] = *rest ? ',' : ' ';
    memcpy(json + length + 1, rest, strlen(rest));
    json[length + 1 + (int)strlen(rest)] = '}';
    for (size_t i = 0; i < chunk; i++)
        json[i] = json[i] == '\'' ? '"' : json[i];
    put_u32(glb + 20 + chunk, padded);
    memcpy(glb + 20 + chunk + 4, "BIN\0", 4);
    if (bin)
        memcpy(glb + 20 + chunk + 8, bin->bytes, binary);
    return glb;
}

/* option: one "KEY=VALUE" or NULL. */
static inline cp_scene *read_with(cp_context *context, const char *rest, const struct bin *bin, const char *option,
                                  cp_status expected)
{
    size_t size;
    unsigned char *glb = make_glb(rest, bin, &size);
    cp_scene *scene = NULL;
    cp_status status = cp_read_memory(context, glb, size, "cell.glb", NULL, &option, option ? 1 : 0, &scene);
    free(glb);
    if (status != expected)
        show_report(context);
    assert_int_equal(status, expected);
    assert_true((scene != NULL) == (status == CP_OK));
    return scene;
}

static inline cp_scene *read_glb(cp_context *context, const char *rest, const struct bin *bin)
{
    return read_with(context, rest, bin, NULL, CP_OK);
}

static inline const cp_mesh *mesh_at(const cp_scene *scene, uint32_t index)
{
    uint32_t count;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_in_range(index, 0, count - 1);
    return &meshes[index];
}

static inline const cp_joint *joint_with_id(const cp_scene *scene, const char *id)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(joints[i].id, id) == 0)
            return &joints[i];
    fail_msg("there is no joint %s", id);
    return NULL;
}

static inline const char *metadata_value(const cp_scene *scene, cp_owner owner, uint32_t index, const char *key)
{
    uint32_t count;
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (metadata[i].owner == owner && metadata[i].index == index && strcmp(metadata[i].key, key) == 0)
            return metadata[i].value;
    return NULL;
}

static inline void assert_doubles(const double *values, const double *expected, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] - expected[i] <= tolerance && expected[i] - values[i] <= tolerance))
            fail_msg("number %zu is %.17g, not %.17g", i, values[i], expected[i]);
}

static inline cp_pose world_of(const cp_scene *scene, const cp_node *node)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    cp_pose *worlds = calloc(count, sizeof *worlds);
    assert_non_null(worlds);
    pose_scene(scene, NULL, worlds);
    cp_pose pose = worlds[node - nodes];
    free(worlds);
    return pose;
}

#endif

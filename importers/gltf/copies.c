/* EXT_mesh_gpu_instancing: a node draws its mesh once for each row of TRANSLATION, ROTATION and SCALE, which stand
 * below the node's own transform. Children of the node are not repeated, and a node without a mesh draws nothing. */
#include "gltf.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

/* Reads the rows of one attribute; NULL without it, or after an error. *count: CP_NONE at first, then that of all. */
static const double *read_rows(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t attributes, const char *name,
                               uint32_t width, uint32_t *count)
{
    uint32_t index = gltf_index(gltf, attributes, name, gltf->lists.accessors.count), rows = 0;
    const struct gltf_accessor *accessor = index == CP_NONE ? NULL : gltf_accessor(gltf, buffers, index);
    if (!accessor)
        return NULL;
    /* An integer quaternion needs no scale, as its length does not matter. Integers in place of metres have no defined
     * meaning. */
    bool is_rotation = width == 4, is_float = accessor->type == COMPONENT_FLOAT;
    bool is_packed = accessor->normalized && (accessor->type == COMPONENT_BYTE || accessor->type == COMPONENT_SHORT);
    if (!is_float && !is_rotation)
        gltf_error(gltf, accessor->value, "gltf-copies-type", "%s of instances has componentType %lu, not 5126 (FLOAT)",
                   name, (unsigned long)accessor->type);
    else if (!is_float && !is_packed)
        gltf_lenient(gltf, accessor->value, "gltf-copies-type",
                     "ROTATION of instances is neither FLOAT nor normalized BYTE or SHORT");
    const double *values = gltf->status == CP_OK ? gltf_doubles(gltf, buffers, index, width, &rows) : NULL;
    if (!values)
        return NULL;
    if (*count != CP_NONE && rows != *count)
        gltf_error(gltf, attributes, "gltf-count", "%s has %lu rows, another attribute %lu", name, (unsigned long)rows,
                   (unsigned long)*count);
    *count = rows;
    return gltf->status == CP_OK ? values : NULL;
}

void gltf_read_copies(struct gltf *gltf, struct gltf_buffers *buffers, struct gltf_node *node, uint32_t parts)
{
    enum { ROOM_A_COPY = 8 }; /* an instance takes as much memory as so many vertices */
    uint32_t extension = gltf_extension(gltf, node->value, "EXT_mesh_gpu_instancing"), count = CP_NONE;
    node->copy_count = 1;
    node->copies = node->frame;
    if (extension == JSON_NONE || parts == 0)
        return;
    uint32_t attributes = gltf_object(gltf, extension, "attributes");
    const double *translations = read_rows(gltf, buffers, attributes, "TRANSLATION", 3, &count),
                 *rotations = read_rows(gltf, buffers, attributes, "ROTATION", 4, &count),
                 *scales = read_rows(gltf, buffers, attributes, "SCALE", 3, &count);
    uint32_t used = (translations ? 1U : 0) + (rotations ? 1U : 0) + (scales ? 1U : 0);
    gltf_loss(gltf, LOSS_COPY_ATTRIBUTES, json_count(&gltf->json, attributes) - used);
    if (gltf->status == CP_OK && count == 0)
        gltf_lenient(gltf, attributes, "gltf-copies-none", "the attributes of instances have no rows: none is drawn");
    if (gltf->status != CP_OK || used == 0)
        return;
    if (!gltf_take_room(gltf, extension, (uint64_t)count * parts * ROOM_A_COPY))
        return;
    cp_pose *poses = gltf_allocate(gltf, count, sizeof *poses);
    for (uint32_t i = 0; poses && i < count && gltf->status == CP_OK; i++) {
        struct trs trs = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
        if (translations)
            memcpy(trs.translation, translations + 3 * (size_t)i, sizeof trs.translation);
        if (rotations)
            memcpy(trs.rotation, rotations + 4 * (size_t)i, sizeof trs.rotation);
        if (scales)
            memcpy(trs.scale, scales + 3 * (size_t)i, sizeof trs.scale);
        gltf_make_unit(gltf, extension, trs.rotation);
        cp_pose pose = pose_from_trs(&trs);
        poses[i] = pose_multiply(node->frame, &pose);
        if (!pose_is_finite(&poses[i]))
            gltf_error(gltf, extension, "gltf-number", "the transform of copy %lu is too large", (unsigned long)i);
    }
    if (poses) {
        node->copies = poses;
        node->copy_count = count;
    }
}

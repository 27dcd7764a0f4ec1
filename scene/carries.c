/* What a scene has. */
#include "carries.h"

#include <string.h>

static uint64_t count_hierarchy(const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool plain = node->parent == 0 && node->instance_count == 1 && pose_is_identity(&node->local);
        count += !plain && !(node->flags & CP_NODE_PLACEHOLDER);
    }
    return count;
}

/* A part named by its file says nothing that the file's name does not say. */
static uint64_t count_names(const cp_scene *scene)
{
    uint64_t count = 0;
    size_t size;
    const char *stem = text_stem(scene->source.file, &size);
    for (uint32_t i = 1; i < scene->node_count; i++) {
        const char *name = scene->nodes[i].name;
        bool told = *name && (strlen(name) != size || memcmp(name, stem, size) != 0);
        count += told && !(scene->nodes[i].flags & CP_NODE_PLACEHOLDER);
    }
    return count;
}

static uint64_t count_shared(const cp_scene *scene)
{
    /* Instances are at least as many as the meshes they use; more means sharing. */
    return scene->instance_count > scene->mesh_count ? scene->instance_count - scene->mesh_count : 0;
}

static uint64_t count_ngons(const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        for (uint32_t f = 0; mesh->kind == CP_MESH_FACES && mesh->face_offsets && f < mesh->face_count; f++)
            count += mesh_face_size(mesh, f) > 3;
    }
    return count;
}

static uint64_t count_kind(const cp_scene *scene, cp_mesh_kind first, cp_mesh_kind last)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        count += scene->meshes[i].kind >= first && scene->meshes[i].kind <= last;
    return count;
}

static uint64_t count_lines(const cp_scene *scene)
{
    return count_kind(scene, CP_MESH_LINES, CP_MESH_LINES);
}

static uint64_t count_primitives(const cp_scene *scene)
{
    return count_kind(scene, CP_MESH_BOX, CP_MESH_PYRAMID);
}

static uint64_t count_normals(const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        count += scene->meshes[i].normals != NULL;
    return count;
}

static uint64_t count_colours(const cp_scene *scene)
{
    return scene->material_count;
}

static uint64_t count_vertex_colours(const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        count += scene->meshes[i].colours != NULL;
    return count;
}

static uint64_t count_joints(const cp_scene *scene)
{
    return scene->joint_count;
}

static uint64_t count_devices(const cp_scene *scene)
{
    return scene->device_count;
}

static uint64_t count_flagged(const cp_scene *scene, uint32_t flags)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        count += (scene->nodes[i].flags & flags) != 0;
    return count;
}

static uint64_t count_pairs(const cp_scene *scene)
{
    return scene->pair_count + scene->exclude_static_pairs + count_flagged(scene, CP_NODE_VOLATILE);
}

static uint64_t count_collision(const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        count += scene->instances[i].use != CP_USE_BOTH;
    return count;
}

static uint64_t count_clips(const cp_scene *scene)
{
    return scene->clip_count;
}

static uint64_t count_flags(const cp_scene *scene)
{
    return count_flagged(scene, ~(uint32_t)(CP_NODE_PLACEHOLDER | CP_NODE_VOLATILE));
}

static uint64_t count_metadata(const cp_scene *scene)
{
    return scene->metadata_count;
}

static uint64_t count_meshes(const cp_scene *scene)
{
    return scene->mesh_count;
}

static uint64_t count_placeholders(const cp_scene *scene)
{
    return count_flagged(scene, CP_NODE_PLACEHOLDER);
}

static const struct feature {
    uint32_t bit;
    const char *code, *text; /* what the output does without */
    uint64_t (*count)(const cp_scene *scene);
} features[] = {
    {FEATURE_HIERARCHY, "loss-hierarchy", "frames are flattened into the world", count_hierarchy},
    {FEATURE_NAMES, "loss-names", "names of frames are left out", count_names},
    {FEATURE_INSTANCES, "loss-instances", "shared meshes are written again", count_shared},
    {FEATURE_NGONS, "loss-ngons", "faces of more than 3 corners become triangles", count_ngons},
    {FEATURE_LINES, "loss-lines", "line sets are left out", count_lines},
    {FEATURE_PRIMITIVES, "loss-primitives", "boxes, cylinders and the like become faces", count_primitives},
    {FEATURE_NORMALS, "loss-normals", "vertex normals of meshes are left out", count_normals},
    {FEATURE_COLOURS, "loss-colours", "materials are left out", count_colours},
    {FEATURE_VERTEX_COLOURS, "loss-vertex-colours", "vertex colours of meshes are left out", count_vertex_colours},
    {FEATURE_JOINTS, "loss-joints", "joints become fixed where they are", count_joints},
    {FEATURE_DEVICES, "loss-devices", "devices are left out", count_devices},
    {FEATURE_PAIRS, "loss-pairs", "statements about collision pairs are left out", count_pairs},
    {FEATURE_COLLISION, "loss-collision", "meshes for drawing or collision alone are not told apart", count_collision},
    {FEATURE_CLIPS, "loss-clips", "clips are left out", count_clips},
    {FEATURE_FLAGS, "loss-flags", "frames lose flags such as movable", count_flags},
    {FEATURE_METADATA, "loss-metadata", "entries of metadata are left out", count_metadata},
    {FEATURE_MESHES, "loss-geometry", "meshes are left out", count_meshes},
    {FEATURE_PLACEHOLDERS, "loss-placeholders", "names without a frame are left out", count_placeholders},
};

/* What goes with the meshes when they go. */
static uint32_t features_of_meshes(const cp_scene *scene)
{
    return scene->mesh_count == 0 ? 0
                                  : FEATURE_INSTANCES | FEATURE_NGONS | FEATURE_LINES | FEATURE_PRIMITIVES |
                                        FEATURE_NORMALS | FEATURE_COLOURS | FEATURE_VERTEX_COLOURS | FEATURE_COLLISION;
}

void features_report_losses(cp_context *context, const cp_scene *scene, uint32_t carries, const char *output)
{
    uint32_t told = carries & FEATURE_MESHES ? carries : carries | features_of_meshes(scene);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        const struct feature *feature = &features[i];
        if (told & feature->bit)
            continue;
        uint64_t count = feature->count(scene);
        if (count > 0)
            report_loss(context, feature->code, IN_FILE(output), count, "%s", feature->text);
    }
}

cp_status scene_prepare(const cp_scene *scene, uint32_t carries, cp_scene **prepared)
{
    *prepared = NULL;
    bool meshes = carries & FEATURE_MESHES;
    bool tessellate = meshes && !(carries & FEATURE_PRIMITIVES) && count_primitives(scene) > 0;
    bool triangulate = meshes && !(carries & FEATURE_NGONS) && (tessellate || count_ngons(scene) > 0);
    if (!tessellate && !triangulate)
        return CP_OK;
    cp_scene *copy = scene_copy(scene);
    if (!copy)
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < copy->mesh_count && status == CP_OK; i++) {
        if (tessellate)
            status = mesh_tessellate(copy, &copy->meshes[i]);
        if (triangulate && status == CP_OK)
            status = mesh_triangulate(copy, &copy->meshes[i]);
    }
    if (status == CP_OK)
        *prepared = copy;
    else
        cp_scene_free(copy);
    return status;
}

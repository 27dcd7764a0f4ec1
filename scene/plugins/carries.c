/* What a scene has. */
#include "registry.h"

#include <string.h>

#include "collide/list/list.h"
#include "mesh/mesh.h"
#include "model/model.h"

/* The amounts that a scene has of each feature. */
struct counts {
    uint64_t hierarchy, names, instances, ngons, lines, primitives, normals, colours, vertex_colours, joints, devices,
        loops, pairs, collision, clips, marks, flags, metadata, meshes, placeholders, coordinates, textures, surfaces,
        tangents, inertia;
};

static const struct feature {
    uint32_t bit;
    const char *code, *text; /* names the thing that the output lacks without the feature */
    size_t count;            /* in struct counts */
} features[] = {
    {CP_FEATURE_HIERARCHY, "loss-hierarchy", "frames are flattened into the world", offsetof(struct counts, hierarchy)},
    {CP_FEATURE_NAMES, "loss-names", "names of frames are left out", offsetof(struct counts, names)},
    {CP_FEATURE_INSTANCES, "loss-instances", "shared meshes are written again", offsetof(struct counts, instances)},
    {CP_FEATURE_NGONS, "loss-ngons", "faces of more than 3 corners become triangles", offsetof(struct counts, ngons)},
    {CP_FEATURE_LINES, "loss-lines", "line sets are left out", offsetof(struct counts, lines)},
    {CP_FEATURE_PRIMITIVES, "loss-primitives", "boxes, cylinders and the like become faces",
     offsetof(struct counts, primitives)},
    {CP_FEATURE_NORMALS, "loss-normals", "vertex normals of meshes are left out", offsetof(struct counts, normals)},
    {CP_FEATURE_COLOURS, "loss-colours", "materials are left out", offsetof(struct counts, colours)},
    {CP_FEATURE_VERTEX_COLOURS, "loss-vertex-colours", "vertex colours of meshes are left out",
     offsetof(struct counts, vertex_colours)},
    {CP_FEATURE_JOINTS, "loss-joints", "joints become fixed where they are", offsetof(struct counts, joints)},
    {CP_FEATURE_LOOPS, "loss-loops", "closed loops are left out", offsetof(struct counts, loops)},
    {CP_FEATURE_DEVICES, "loss-devices", "devices are left out", offsetof(struct counts, devices)},
    {CP_FEATURE_PAIRS, "loss-pairs", "statements about collision pairs are left out", offsetof(struct counts, pairs)},
    {CP_FEATURE_COLLISION, "loss-collision", "meshes for drawing or collision alone are not told apart",
     offsetof(struct counts, collision)},
    {CP_FEATURE_CLIPS, "loss-clips", "clips are left out", offsetof(struct counts, clips)},
    {CP_FEATURE_MARKS, "loss-marks", "marks of clips are left out", offsetof(struct counts, marks)},
    {CP_FEATURE_FLAGS, "loss-flags", "frames lose flags such as movable", offsetof(struct counts, flags)},
    {CP_FEATURE_METADATA, "loss-metadata", "entries of metadata are left out", offsetof(struct counts, metadata)},
    {CP_FEATURE_MESHES, "loss-geometry", "meshes are left out", offsetof(struct counts, meshes)},
    {CP_FEATURE_PLACEHOLDERS, "loss-placeholders", "names without a frame are left out",
     offsetof(struct counts, placeholders)},
    {CP_FEATURE_COORDINATES, "loss-coordinates", "texture coordinates of meshes are left out",
     offsetof(struct counts, coordinates)},
    {CP_FEATURE_TEXTURES, "loss-textures", "textures of materials are left out", offsetof(struct counts, textures)},
    {CP_FEATURE_SURFACES, "loss-surfaces",
     "metallic, roughness, emissive, cutoff or further textures of materials are left out",
     offsetof(struct counts, surfaces)},
    {CP_FEATURE_TANGENTS, "loss-tangents", "tangents of meshes with normal maps are left out",
     offsetof(struct counts, tangents)},
    {CP_FEATURE_INERTIA, "loss-inertia", "masses and inertia of frames are left out", offsetof(struct counts, inertia)},
};

/* Tells whether the material has more than a colour. A base colour texture is a feature of its own, and the roughness
 * that scene_add_material gives every material says nothing. */
static bool has_surface(const cp_material *material)
{
    const double matt = 0.8;
    bool surface = material->metallic > 0 || material->roughness < matt || material->emissive[0] > 0 ||
                   material->emissive[1] > 0 || material->emissive[2] > 0 || material->alpha == CP_ALPHA_MASK ||
                   material->extensions;
    for (uint32_t i = 0; i < material->texture_count; i++)
        surface = surface || material->textures[i].role != CP_TEXTURE_BASE_COLOUR;
    return surface;
}

/* Counts metadata. The key of all pairs of a cell is not counted: it belongs to the cell's list of pairs, and a format
 * that has the list loses nothing. */
static uint64_t count_metadata(const cp_scene *scene)
{
    uint64_t count = scene->metadata_count;
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        count -= strcmp(scene->metadata[i].key, CELL_KEY) == 0;
    return count;
}

static struct counts count_features(const cp_scene *scene)
{
    struct counts counts = {
        .colours = scene->material_count,
        .joints = scene->joint_count,
        .loops = scene->loop_count,
        .devices = scene->device_count,
        .pairs = (uint64_t)scene->pair_count + scene->exclude_static_pairs,
        .clips = scene->clip_count,
        .metadata = count_metadata(scene),
        .meshes = scene->mesh_count,
        /* Instances are at least as many as the meshes they use; more means sharing. */
        .instances = scene->instance_count > scene->mesh_count ? scene->instance_count - scene->mesh_count : 0,
    };
    size_t size;
    const char *stem = text_stem(scene->source.file, &size);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool placeholder = node->flags & CP_NODE_PLACEHOLDER;
        bool plain = node->parent == 0 && node->instance_count == 1 && pose_is_identity(&node->local);
        /* The name of a part that repeats its file's name is no loss: the file's name keeps it. */
        bool named = *node->name && (strlen(node->name) != size || memcmp(node->name, stem, size) != 0);
        counts.hierarchy += i > 0 && !plain && !placeholder;
        counts.names += i > 0 && named && !placeholder;
        counts.pairs += (node->flags & CP_NODE_VOLATILE) != 0;
        counts.flags += (node->flags & ~(uint32_t)(CP_NODE_PLACEHOLDER | CP_NODE_VOLATILE | CP_NODE_MISSING)) != 0;
        counts.placeholders += placeholder;
        counts.inertia += node->inertia != NULL;
    }
    for (uint32_t i = 0; i < scene->clip_count; i++)
        counts.marks += scene->clips[i].mark_count;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        counts.collision += scene->instances[i].use != CP_USE_BOTH;
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const cp_material *material = &scene->materials[i];
        counts.surfaces += has_surface(material);
        for (uint32_t k = 0; k < material->texture_count; k++)
            counts.textures += material->textures[k].role == CP_TEXTURE_BASE_COLOUR;
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        counts.lines += mesh->kind == CP_MESH_LINES;
        counts.primitives += mesh->kind >= CP_MESH_BOX;
        counts.normals += mesh->normals != NULL;
        counts.tangents += mesh_shows_tangents(scene, mesh);
        counts.vertex_colours += mesh->colours != NULL;
        counts.coordinates += mesh->coordinates[0] || mesh->coordinates[1];
        for (uint32_t f = 0; mesh->kind == CP_MESH_FACES && mesh->face_offsets && f < mesh->face_count; f++)
            counts.ngons += mesh_face_size(mesh, f) > 3;
    }
    return counts;
}

/* Returns the features that are lost together with the meshes, and are therefore not reported one by one. */
static uint32_t features_of_meshes(const cp_scene *scene)
{
    return scene->mesh_count == 0
               ? 0
               : CP_FEATURE_INSTANCES | CP_FEATURE_NGONS | CP_FEATURE_LINES | CP_FEATURE_PRIMITIVES |
                     CP_FEATURE_NORMALS | CP_FEATURE_COLOURS | CP_FEATURE_VERTEX_COLOURS | CP_FEATURE_COLLISION |
                     CP_FEATURE_COORDINATES | CP_FEATURE_TEXTURES | CP_FEATURE_SURFACES | CP_FEATURE_TANGENTS;
}

void features_report_losses(cp_context *context, const cp_scene *scene, uint32_t carries, const char *output)
{
    uint32_t told = carries & CP_FEATURE_MESHES ? carries : carries | features_of_meshes(scene);
    const struct counts counts = count_features(scene);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        const struct feature *feature = &features[i];
        uint64_t count = *(const uint64_t *)(const void *)((const char *)&counts + feature->count);
        if (!(told & feature->bit) && count > 0)
            report_loss(context, feature->code, IN_FILE(output), count, "%s", feature->text);
    }
}

cp_status scene_prepare(const cp_scene *scene, uint32_t carries, cp_scene **prepared)
{
    *prepared = NULL;
    bool meshes = carries & CP_FEATURE_MESHES;
    const struct counts counts = count_features(scene);
    bool tessellate = meshes && !(carries & CP_FEATURE_PRIMITIVES) && counts.primitives > 0;
    bool triangulate = meshes && !(carries & CP_FEATURE_NGONS) && (tessellate || counts.ngons > 0);
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

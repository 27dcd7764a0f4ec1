/* Meshes. assimp hands most formats out with a vertex of its own for every corner; those that are equal bit for bit
 * (position, normal and colour) are joined again. Where it keeps the file's vertices they stay as they are. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

/* What one of assimp's meshes is made of. */
struct census {
    uint64_t points, faces, lines;
    uint64_t face_corners, line_corners;
    bool only_triangles;
};

/* A part of one of assimp's meshes on its way into the scene: its faces or its lines. */
struct part {
    struct assimp_import *import;
    const struct aiMesh *from;
    bool lines;
    bool normals, colours;
    cp_mesh mesh;
    uint32_t *corners;
    uint32_t *origins; /* assimp's vertex by the part's vertex; NULL: the same numbers */
};

static void count_face(struct census *census, const struct aiFace *face)
{
    if (face->mNumIndices >= 3) {
        census->faces++;
        census->face_corners += face->mNumIndices;
        census->only_triangles &= face->mNumIndices == 3;
    } else if (face->mNumIndices == 2) {
        census->lines++;
        census->line_corners += 2;
    } else if (face->mNumIndices == 1) {
        census->points++;
    }
}

/* assimp's readers do not all check what they read: every index and coordinate is looked at here. */
static cp_status check_mesh(struct assimp_import *import, const struct aiMesh *mesh, struct census *census)
{
    struct place place = IN_FILE(import->file);
    *census = (struct census){.only_triangles = true};
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        for (unsigned i = 0; i < face->mNumIndices; i++)
            if (face->mIndices[i] >= mesh->mNumVertices)
                return report_error(import->context, CP_INPUT, "assimp-index", place,
                                    "mesh %u \"%s\": face %u names vertex %u of %u", import->mesh + 1, mesh->mName.data,
                                    f + 1, face->mIndices[i], mesh->mNumVertices);
        count_face(census, face);
    }
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        const struct aiVector3D *at = &mesh->mVertices[v];
        if (!isfinite(at->x) || !isfinite(at->y) || !isfinite(at->z))
            return report_error(import->context, CP_INPUT, "assimp-vertex", place,
                                "mesh %u \"%s\": vertex %u is not a finite point", import->mesh + 1, mesh->mName.data,
                                v + 1);
    }
    if (census->face_corners >= UINT32_MAX || census->line_corners >= UINT32_MAX)
        return report_error(import->context, CP_LIMIT, "assimp-corners", place,
                            "mesh %u \"%s\" has more than 2^32 - 1 corners", import->mesh + 1, mesh->mName.data);
    return CP_OK;
}

/* ---- joining ---- */

/* Position, normal and colour of a vertex as bytes to compare. */
enum { KEY_FLOATS = 10 };

static void vertex_key(const struct part *part, uint32_t vertex, float key[KEY_FLOATS])
{
    const struct aiMesh *from = part->from;
    memset(key, 0, KEY_FLOATS * sizeof *key);
    memcpy(key, &from->mVertices[vertex], 3 * sizeof *key);
    if (part->normals)
        memcpy(key + 3, &from->mNormals[vertex], 3 * sizeof *key);
    if (part->colours)
        memcpy(key + 6, &from->mColors[0][vertex], 4 * sizeof *key);
}

/* The part's vertex with the same bits as assimp's; a new one when there is none. slots: a power of two. */
static uint32_t join_vertex(struct part *part, uint32_t *slots, size_t slot_count, uint32_t vertex)
{
    float key[KEY_FLOATS], other[KEY_FLOATS];
    vertex_key(part, vertex, key);
    size_t at = hash_bytes(part->import->context, key, sizeof key) & (slot_count - 1);
    for (; slots[at] != CP_NONE; at = (at + 1) & (slot_count - 1)) {
        vertex_key(part, part->origins[slots[at]], other);
        if (memcmp(key, other, sizeof key) == 0)
            return slots[at];
    }
    slots[at] = part->mesh.vertex_count++;
    part->origins[slots[at]] = vertex;
    return slots[at];
}

/* Turns the part's corners from assimp's vertex numbers into those of joined vertices. */
static cp_status join_vertices(struct part *part)
{
    cp_context *context = part->import->context;
    size_t slot_count = 16;
    while (slot_count < 2 * (size_t)part->mesh.corner_count)
        slot_count *= 2;
    uint32_t *slots = memory_allocate(context, slot_count, sizeof *slots);
    part->origins = memory_allocate(context, part->mesh.corner_count, sizeof *part->origins);
    if (slots && part->origins) {
        memset(slots, 0xff, slot_count * sizeof *slots);
        for (uint32_t i = 0; i < part->mesh.corner_count; i++)
            part->corners[i] = join_vertex(part, slots, slot_count, part->corners[i]);
    }
    memory_free(context, slots, slot_count, sizeof *slots);
    return slots && part->origins ? CP_OK : CP_LIMIT;
}

/* ---- arrays ---- */

static bool is_of_part(const struct part *part, const struct aiFace *face)
{
    return part->lines ? face->mNumIndices == 2 : face->mNumIndices >= 3;
}

static cp_status copy_corners(struct part *part, bool only_triangles)
{
    cp_scene *scene = part->import->scene;
    cp_mesh *mesh = &part->mesh;
    uint32_t *offsets = only_triangles ? NULL : scene_allocate(scene, (size_t)mesh->face_count + 1, sizeof *offsets);
    uint32_t face_count = 0, corner_count = 0;
    part->corners = scene_allocate(scene, mesh->corner_count, sizeof *part->corners);
    if (!part->corners || (!only_triangles && !offsets))
        return CP_LIMIT;
    for (unsigned f = 0; f < part->from->mNumFaces; f++) {
        const struct aiFace *face = &part->from->mFaces[f];
        if (!is_of_part(part, face))
            continue;
        if (offsets)
            offsets[face_count++] = corner_count;
        for (unsigned i = 0; i < face->mNumIndices; i++)
            part->corners[corner_count++] = face->mIndices[i];
    }
    if (offsets)
        offsets[face_count] = corner_count;
    mesh->face_offsets = offsets;
    mesh->corners = part->corners;
    return CP_OK;
}

static uint32_t origin_of(const struct part *part, uint32_t vertex)
{
    return part->origins ? part->origins[vertex] : vertex;
}

static float *copy_positions(const struct part *part)
{
    float *positions = scene_allocate(part->import->scene, part->mesh.vertex_count, 3 * sizeof *positions);
    for (uint32_t i = 0; positions && i < part->mesh.vertex_count; i++)
        memcpy(positions + 3 * (size_t)i, &part->from->mVertices[origin_of(part, i)], 3 * sizeof *positions);
    return positions;
}

/* A normal of unit length to float's precision keeps its bits. */
static bool copy_normal(const struct aiVector3D *from, float *out)
{
    double x = (double)from->x, y = (double)from->y, z = (double)from->z;
    double length = sqrt(x * x + y * y + z * z);
    if (!(length > 0) || !isfinite(length))
        return false;
    memcpy(out, from, 3 * sizeof *out);
    if (fabs(length - 1) <= 1e-6)
        return true;
    out[0] = (float)(x / length);
    out[1] = (float)(y / length);
    out[2] = (float)(z / length);
    return true;
}

static cp_status copy_normals(struct part *part)
{
    struct assimp_import *import = part->import;
    float *normals = scene_allocate(import->scene, part->mesh.vertex_count, 3 * sizeof *normals);
    uint64_t bad = 0;
    if (!normals)
        return CP_LIMIT;
    for (uint32_t i = 0; i < part->mesh.vertex_count; i++)
        bad += !copy_normal(&part->from->mNormals[origin_of(part, i)], normals + 3 * (size_t)i);
    if (bad)
        report_loss(import->context, "assimp-normals", IN_FILE(import->file), part->mesh.vertex_count,
                    "normals of mesh %u \"%s\", some of which have no direction", part->import->mesh + 1,
                    part->from->mName.data);
    else
        part->mesh.normals = normals;
    return CP_OK;
}

/* The formats' colours are meant for a screen (IEC 61966-2-1, sRGB); the scene's vertex colours are linear light. */
static float linear_from_srgb(float value)
{
    double c = (double)value;
    if (!(c > 0))
        return 0;
    if (c > 1)
        c = 1;
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static cp_status copy_colours(struct part *part)
{
    float *colours = scene_allocate(part->import->scene, part->mesh.vertex_count, 4 * sizeof *colours);
    uint64_t outside = 0;
    if (!colours)
        return CP_LIMIT;
    for (uint32_t i = 0; i < part->mesh.vertex_count; i++) {
        const struct aiColor4D *from = &part->from->mColors[0][origin_of(part, i)];
        const float in[4] = {from->r, from->g, from->b, from->a};
        float *out = colours + 4 * (size_t)i;
        for (int k = 0; k < 4; k++)
            outside += !(in[k] >= 0 && in[k] <= 1);
        for (int k = 0; k < 3; k++)
            out[k] = linear_from_srgb(in[k]);
        out[3] = in[3] >= 0 ? (in[3] <= 1 ? in[3] : 1) : 0;
    }
    if (outside)
        report_loss(part->import->context, "assimp-colour-range", IN_FILE(part->import->file), outside,
                    "vertex colour values outside 0..1 in mesh %u \"%s\"", part->import->mesh + 1,
                    part->from->mName.data);
    part->mesh.colours = colours;
    return CP_OK;
}

static cp_status copy_vertices(struct part *part)
{
    part->mesh.positions = copy_positions(part);
    if (!part->mesh.positions || (part->normals && copy_normals(part) != CP_OK) ||
        (part->colours && copy_colours(part) != CP_OK))
        return CP_LIMIT;
    return CP_OK;
}

/* ---- meshes ---- */

static cp_status set_group(struct part *part)
{
    uint32_t material = part->import->materials[part->from->mMaterialIndex];
    cp_group *group = scene_allocate(part->import->scene, 1, sizeof *group);
    if (!group)
        return CP_LIMIT;
    *group = (cp_group){0, part->mesh.face_count, material};
    part->mesh.groups = group;
    part->mesh.group_count = material == CP_NONE ? 0 : 1;
    return CP_OK;
}

static cp_status fill_part(struct part *part, const struct census *census)
{
    bool own_vertices = census->lines == 0 && census->points == 0 && part->from->mNumVertices != census->face_corners;
    cp_status status = copy_corners(part, !part->lines && census->only_triangles);
    if (status != CP_OK)
        return status;
    if (own_vertices)
        part->mesh.vertex_count = part->from->mNumVertices;
    else
        status = join_vertices(part);
    if (status == CP_OK)
        status = copy_vertices(part);
    return status == CP_OK ? set_group(part) : status;
}

static cp_status add_part(struct assimp_import *import, const struct aiMesh *from, const struct census *census,
                          bool lines, uint32_t *added)
{
    uint32_t corner_count = (uint32_t)(lines ? census->line_corners : census->face_corners);
    struct part part = {.import = import, .from = from, .lines = lines};
    part.normals = !lines && from->mNormals;
    part.colours = from->mColors[0] != NULL;
    part.mesh.kind = lines ? CP_MESH_LINES : CP_MESH_FACES;
    part.mesh.face_count = (uint32_t)(lines ? census->lines : census->faces);
    part.mesh.corner_count = corner_count;
    part.mesh.name = from->mName.length ? name_of_mesh(import, from) : NULL;
    part.mesh.source = import->scene->source.file;
    cp_status status =
        part.mesh.source && (part.mesh.name || !from->mName.length) ? fill_part(&part, census) : CP_LIMIT;
    memory_free(import->context, part.origins, corner_count, sizeof *part.origins);
    if (status != CP_OK)
        return status;
    *added = scene_add_mesh(import->scene, &part.mesh);
    return *added == CP_NONE ? CP_LIMIT : CP_OK;
}

static void report_mesh_losses(struct assimp_import *import, const struct aiMesh *mesh, uint64_t points)
{
    struct place place = IN_FILE(import->file);
    if (points)
        report_loss(import->context, "assimp-points", place, points, "points");
    if (mesh->mTextureCoords[0])
        report_loss(import->context, "assimp-texture-coordinates", place, mesh->mNumVertices, "texture coordinates");
    if (mesh->mNumBones)
        report_loss(import->context, "assimp-bones", place, mesh->mNumBones, "bones of skinned meshes");
    if (mesh->mNumAnimMeshes)
        report_loss(import->context, "assimp-morphs", place, mesh->mNumAnimMeshes, "morph targets");
    for (unsigned i = 1; i < AI_MAX_NUMBER_OF_COLOR_SETS && mesh->mColors[i]; i++)
        report_loss(import->context, "assimp-colour-sets", place, 1, "further sets of vertex colours");
}

static cp_status copy_mesh(struct assimp_import *import, const struct aiMesh *from, struct mesh_parts *parts)
{
    struct census census;
    *parts = (struct mesh_parts){CP_NONE, CP_NONE};
    cp_status status = check_mesh(import, from, &census);
    if (status == CP_OK && from->mMaterialIndex >= import->from->mNumMaterials)
        status = report_error(import->context, CP_INPUT, "assimp-index", IN_FILE(import->file),
                              "mesh %u \"%s\" names material %u of %u", import->mesh + 1, from->mName.data,
                              from->mMaterialIndex, import->from->mNumMaterials);
    if (status == CP_OK && census.faces)
        status = add_part(import, from, &census, false, &parts->faces);
    if (status == CP_OK && census.lines)
        status = add_part(import, from, &census, true, &parts->lines);
    if (status == CP_OK)
        report_mesh_losses(import, from, census.points ? census.points : from->mNumFaces ? 0 : from->mNumVertices);
    return status;
}

cp_status copy_meshes(struct assimp_import *import)
{
    cp_status status = CP_OK;
    for (unsigned i = 0; i < import->from->mNumMeshes && status == CP_OK; i++) {
        import->mesh = i;
        status = copy_mesh(import, import->from->mMeshes[i], &import->parts[i]);
    }
    return status;
}

#endif

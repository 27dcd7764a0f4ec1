/* Meshes. assimp gives most formats a vertex of its own for every corner; vertices that are equal bit for bit
 * (position, normal, colour, texture coordinates) are joined again. If it keeps the file's vertices, they stay as they
 * are. */
#include "assimp.h"

#include "mesh/mesh.h"
#include "model/model.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

/* The counts of the elements of one of assimp's meshes. */
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
    uint32_t sets; /* of texture coordinates */
    cp_mesh mesh;
    uint32_t *corners;
    uint32_t *origins; /* assimp's vertex by the part's vertex; NULL: the same numbers */
};

/* Tells whether a coordinate is the upper half of an address in memory, 0x5500 .. 0xffff under Linux of 64 bits. When a
 * reader of assimp reads behind its arrays, such halves are coordinates of 1e-41 to 1e-40, which no file means. */
static bool is_part_of_address(float coordinate)
{
    uint32_t bits;
    memcpy(&bits, &coordinate, sizeof bits);
    return bits >= 0x5500 && bits <= 0xffff;
}

/* Checks every index and coordinate, as not all of assimp's readers do. */
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
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        const struct aiVector3D *at = &mesh->mVertices[v];
        if (!isfinite(at->x) || !isfinite(at->y) || !isfinite(at->z))
            return report_error(import->context, CP_INPUT, "assimp-vertex", place,
                                "mesh %u \"%s\": vertex %u is not a finite point", import->mesh + 1, mesh->mName.data,
                                v + 1);
        if (is_part_of_address(at->x) || is_part_of_address(at->y) || is_part_of_address(at->z))
            return report_error(import->context, CP_INPUT, "assimp-vertex", place,
                                "mesh %u \"%s\": vertex %u does not come from the file: assimp has read beyond it, so "
                                "the file is damaged",
                                import->mesh + 1, mesh->mName.data, v + 1);
    }
    if (census->face_corners >= UINT32_MAX || census->line_corners >= UINT32_MAX)
        return report_error(import->context, CP_LIMIT, "assimp-corners", place,
                            "mesh %u \"%s\" has more than 2^32 - 1 corners", import->mesh + 1, mesh->mName.data);
    if (mesh->mMaterialIndex >= import->from->mNumMaterials)
        return report_error(import->context, CP_INPUT, "assimp-index", place, "mesh %u \"%s\" names material %u of %u",
                            import->mesh + 1, mesh->mName.data, mesh->mMaterialIndex, import->from->mNumMaterials);
    return CP_OK;
}

/* ---- joining ---- */

/* Position, normal, colour and texture coordinates of a vertex as bytes to compare. */
enum { KEY_FLOATS = 10 + 2 * CP_COORDINATE_SETS };

static void vertex_key(const struct part *part, uint32_t vertex, float key[KEY_FLOATS])
{
    const struct aiMesh *from = part->from;
    memset(key, 0, KEY_FLOATS * sizeof *key);
    memcpy(key, &from->mVertices[vertex], 3 * sizeof *key);
    if (part->normals)
        memcpy(key + 3, &from->mNormals[vertex], 3 * sizeof *key);
    if (part->colours)
        memcpy(key + 6, &from->mColors[0][vertex], 4 * sizeof *key);
    for (uint32_t set = 0; set < CP_COORDINATE_SETS && set < part->sets; set++)
        memcpy(key + 10 + 2 * set, &from->mTextureCoords[set][vertex], 2 * sizeof *key);
}

/* Turns the part's corners from assimp's vertex numbers into those of joined vertices: vertices of equal bits are
 * one. */
static cp_status join_vertices(struct part *part)
{
    cp_context *context = part->import->context;
    uint32_t corner_count = part->mesh.corner_count;
    size_t slot_count = 16; /* a power of two */
    while (slot_count < 2 * (size_t)corner_count)
        slot_count *= 2;
    uint32_t *slots = memory_allocate(context, slot_count, sizeof *slots);
    part->origins = memory_allocate(context, corner_count, sizeof *part->origins);
    bool good = slots && part->origins;
    if (good)
        memset(slots, 0xff, slot_count * sizeof *slots);
    for (uint32_t i = 0; i < corner_count && good; i++) {
        float key[KEY_FLOATS], other[KEY_FLOATS];
        vertex_key(part, part->corners[i], key);
        size_t at = hash_bytes(context, key, sizeof key) & (slot_count - 1);
        for (; slots[at] != CP_NONE; at = (at + 1) & (slot_count - 1)) {
            vertex_key(part, part->origins[slots[at]], other);
            if (memcmp(key, other, sizeof key) == 0)
                break;
        }
        if (slots[at] == CP_NONE) {
            slots[at] = part->mesh.vertex_count++;
            part->origins[slots[at]] = part->corners[i];
        }
        part->corners[i] = slots[at];
    }
    memory_free(context, slots, slot_count, sizeof *slots);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- arrays ---- */

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
        if (part->lines ? face->mNumIndices != 2 : face->mNumIndices < 3)
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

static cp_status copy_normals(struct part *part)
{
    struct assimp_import *import = part->import;
    float *normals = scene_allocate(import->scene, part->mesh.vertex_count, 3 * sizeof *normals);
    uint64_t mended;
    for (uint32_t i = 0; normals && i < part->mesh.vertex_count; i++)
        memcpy(normals + 3 * (size_t)i, &part->from->mNormals[origin_of(part, i)], 3 * sizeof *normals);
    if (!normals || mesh_mend_normals(import->context, &part->mesh, normals, &mended) != CP_OK)
        return CP_LIMIT;
    part->mesh.normals = normals;
    if (mended == 0)
        return CP_OK;
    return report_lenient(import->context, import->settings->common.strict, "assimp-normals", IN_FILE(import->file),
                          "mesh %u \"%s\": %llu of %u normals have no direction; they are made from the faces",
                          import->mesh + 1, part->from->mName.data, (unsigned long long)mended,
                          (unsigned)part->mesh.vertex_count);
}

/* Copies the colours. The formats' colours are meant for a screen (IEC 61966-2-1, sRGB); the scene's vertex colours are
 * linear light. */
static cp_status copy_colours(struct part *part)
{
    float *colours = scene_allocate(part->import->scene, part->mesh.vertex_count, 4 * sizeof *colours);
    uint64_t outside = 0;
    for (uint32_t i = 0; colours && i < part->mesh.vertex_count; i++) {
        const struct aiColor4D *from = &part->from->mColors[0][origin_of(part, i)];
        const float in[4] = {from->r, from->g, from->b, from->a};
        for (int k = 0; k < 4; k++) {
            double c = within_unit((double)in[k]);
            outside += !(in[k] >= 0 && in[k] <= 1);
            if (k < 3)
                c = linear_from_srgb(c);
            colours[4 * (size_t)i + (size_t)k] = (float)c;
        }
    }
    if (outside)
        report_loss(part->import->context, "assimp-colour-range", IN_FILE(part->import->file), outside,
                    "vertex colour values outside 0..1 in mesh %u \"%s\"", part->import->mesh + 1,
                    part->from->mName.data);
    part->mesh.colours = colours;
    return colours ? CP_OK : CP_LIMIT;
}

/* Returns how many sets of texture coordinates can be read: those that are finite. */
static uint32_t count_sets(const struct aiMesh *from)
{
    uint32_t sets = 0;
    for (bool good = true; sets < CP_COORDINATE_SETS && from->mTextureCoords[sets]; sets++) {
        for (unsigned v = 0; v < from->mNumVertices && good; v++)
            good = isfinite(from->mTextureCoords[sets][v].x) && isfinite(from->mTextureCoords[sets][v].y);
        if (!good)
            break;
    }
    return sets;
}

/* Copies the coordinates. assimp's second one counts from the lower edge of an image. */
static cp_status copy_coordinates(struct part *part)
{
    for (uint32_t set = 0; set < part->sets; set++) {
        float *coordinates = scene_allocate(part->import->scene, part->mesh.vertex_count, 2 * sizeof *coordinates);
        if (!coordinates)
            return CP_LIMIT;
        for (uint32_t i = 0; i < part->mesh.vertex_count; i++) {
            const struct aiVector3D *from = &part->from->mTextureCoords[set][origin_of(part, i)];
            coordinates[2 * (size_t)i] = from->x;
            coordinates[2 * (size_t)i + 1] = 1 - from->y;
        }
        part->mesh.coordinates[set] = coordinates;
    }
    return CP_OK;
}

/* ---- meshes ---- */

static cp_status fill_part(struct part *part, const struct census *census)
{
    cp_scene *scene = part->import->scene;
    const struct aiMesh *from = part->from;
    cp_mesh *mesh = &part->mesh;
    bool own_vertices = census->lines == 0 && census->points == 0 && from->mNumVertices != census->face_corners;
    cp_status status = copy_corners(part, !part->lines && census->only_triangles);
    if (status == CP_OK && own_vertices)
        mesh->vertex_count = from->mNumVertices;
    else if (status == CP_OK)
        status = join_vertices(part);
    if (status != CP_OK)
        return status;
    float *positions = scene_allocate(scene, mesh->vertex_count, 3 * sizeof *positions);
    for (uint32_t i = 0; positions && i < mesh->vertex_count; i++)
        memcpy(positions + 3 * (size_t)i, &from->mVertices[origin_of(part, i)], 3 * sizeof *positions);
    mesh->positions = positions;
    if (!positions || (part->colours && copy_colours(part) != CP_OK) || copy_coordinates(part) != CP_OK)
        return CP_LIMIT;
    status = part->normals ? copy_normals(part) : CP_OK;
    if (status != CP_OK)
        return status;
    uint32_t material = part->import->materials[from->mMaterialIndex];
    cp_group *group = scene_allocate(scene, 1, sizeof *group);
    if (!group)
        return CP_LIMIT;
    *group = (cp_group){0, mesh->face_count, material};
    mesh->groups = group;
    mesh->group_count = material == CP_NONE ? 0 : 1;
    return CP_OK;
}

static cp_status add_part(struct assimp_import *import, const struct aiMesh *from, const struct census *census,
                          bool lines, uint32_t *added)
{
    uint32_t corner_count = (uint32_t)(lines ? census->line_corners : census->face_corners);
    struct part part = {.import = import, .from = from, .lines = lines};
    part.normals = !lines && from->mNormals;
    part.colours = from->mColors[0] != NULL;
    part.sets = lines ? 0 : count_sets(from);
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

cp_status copy_meshes(struct assimp_import *import)
{
    struct place place = IN_FILE(import->file);
    for (unsigned i = 0; i < import->from->mNumMeshes; i++) {
        const struct aiMesh *mesh = import->from->mMeshes[i];
        struct mesh_parts *parts = &import->parts[i];
        struct census census;
        import->mesh = i;
        *parts = (struct mesh_parts){CP_NONE, CP_NONE};
        cp_status status = check_mesh(import, mesh, &census);
        if (status == CP_OK && census.faces)
            status = add_part(import, mesh, &census, false, &parts->faces);
        if (status == CP_OK && census.lines)
            status = add_part(import, mesh, &census, true, &parts->lines);
        if (status != CP_OK)
            return status;
        uint64_t points = census.points ? census.points : mesh->mNumFaces ? 0 : mesh->mNumVertices;
        if (points)
            report_loss(import->context, "assimp-points", place, points, "points");
        if (mesh->mTextureCoords[count_sets(mesh)])
            report_loss(import->context, "assimp-texture-coordinates", place, 1,
                        "texture coordinates beyond the second set, or that are not finite");
        if (mesh->mNumBones)
            report_loss(import->context, "assimp-bones", place, mesh->mNumBones, "bones of skinned meshes");
        if (mesh->mNumAnimMeshes)
            report_loss(import->context, "assimp-morphs", place, mesh->mNumAnimMeshes, "morph targets");
        for (unsigned k = 1; k < AI_MAX_NUMBER_OF_COLOR_SETS && mesh->mColors[k]; k++)
            report_loss(import->context, "assimp-colour-sets", place, 1, "further sets of vertex colours");
    }
    return CP_OK;
}

#endif

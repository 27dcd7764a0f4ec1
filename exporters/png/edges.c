/* Lines that are drawn: polylines of the scene, and edges at which faces meet at more than the crease angle. */
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "mesh/topology/topology.h"
#include "picture.h"

/* The creases of a mesh: pairs of vertices. */
struct creases {
    uint32_t (*ends)[2];
    uint32_t count;
    bool found;
};

static void find_normal(const cp_mesh *mesh, uint32_t face, float normal[3])
{
    struct polygon polygon = polygon_of(mesh, face);
    double length = sqrt(dot_product(polygon.normal, polygon.normal));
    for (int i = 0; i < 3; i++)
        normal[i] = (float)(length > 0 ? polygon.normal[i] / length : 0);
}

/* Lists the edges at which two faces with area meet at more than the crease angle, and those of another number of
 * faces. normals: of faces; uses: zeros, one for each edge. */
static void list_creases(const struct mesh_edges *edges, double crease, const float (*normals)[3], uint8_t *uses,
                         struct creases *creases)
{
    enum { BENT = 4, MANY = 3 };
    const cp_mesh *mesh = edges->mesh;
    const float least = (float)cos(crease);
    for (uint32_t edge = 0; edge < mesh->corner_count; edge++) {
        uint32_t first = edges->first[edge];
        const float *one = normals[first / 3], *other = normals[edge / 3];
        float cosine = one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
        bool flat = other[0] == 0 && other[1] == 0 && other[2] == 0;
        if (edge_is_empty(edges, edge) || flat)
            continue;
        int count = (uses[first] & MANY) < MANY ? (uses[first] & MANY) + 1 : MANY;
        bool bent = uses[first] & BENT || (first != edge && fabsf(cosine) < least);
        uses[first] = (uint8_t)(count | (bent ? BENT : 0));
    }
    for (uint32_t edge = 0; edge < mesh->corner_count; edge++)
        if (uses[edge] != 0 && uses[edge] != 2) {
            if (creases->ends)
                memcpy(creases->ends[creases->count], edges->ends[edge], sizeof *creases->ends);
            creases->count++;
        }
}

/* Finds the creases of a mesh of triangles; crease: the angle in radians. */
static cp_status find_creases(struct png_picture *picture, const cp_mesh *mesh, struct creases *creases)
{
    cp_context *context = picture->context;
    struct mesh_edges edges = {0};
    uint8_t *uses = memory_allocate(context, mesh->corner_count, sizeof *uses);
    float(*normals)[3] = memory_allocate(context, mesh->face_count, sizeof *normals);
    bool good = uses && normals && mesh_edges_find(&edges, context, mesh);
    for (uint32_t face = 0; good && face < mesh->face_count; face++)
        find_normal(mesh, face, normals[face]);
    for (int pass = 0; pass < 2 && good; pass++) {
        if (pass > 0)
            creases->ends = arena_allocate(picture->arena, creases->count, sizeof *creases->ends);
        good = pass == 0 || creases->ends;
        creases->count = 0;
        memset(uses, 0, mesh->corner_count);
        if (good)
            list_creases(&edges, picture->settings->crease, (const float(*)[3])normals, uses, creases);
    }
    creases->found = true;
    mesh_edges_free(&edges);
    memory_free(context, uses, mesh->corner_count, sizeof *uses);
    memory_free(context, normals, mesh->face_count, sizeof *normals);
    return good ? CP_OK : CP_LIMIT;
}

static void add_stroke(struct png_picture *picture, const struct shape *shape, uint32_t a, uint32_t b, uint32_t look)
{
    if (picture->strokes)
        picture->strokes[picture->stroke_count] =
            (struct stroke){{shape->first_place + a, shape->first_place + b}, look};
    picture->stroke_count++;
}

/* Adds the lines of all shapes; the first time, only counts them. */
static cp_status add_all(struct png_picture *picture, const struct creases *creases)
{
    const cp_scene *scene = picture->scene;
    picture->stroke_count = 0;
    for (uint32_t i = 0; i < picture->shape_count; i++) {
        const struct shape *shape = &picture->shapes[i];
        const cp_mesh *mesh = shape->mesh;
        uint32_t before = picture->stroke_count;
        for (uint32_t face = 0; mesh->kind == CP_MESH_LINES && face < mesh->face_count; face++) {
            const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
            uint32_t look = look_of_face(picture, mesh, face);
            for (uint32_t k = 1; k < mesh_face_size(mesh, face); k++)
                add_stroke(picture, shape, corners[k - 1], corners[k], look);
        }
        const struct creases *own = &creases[mesh - scene->meshes];
        for (uint32_t k = 0; mesh->kind == CP_MESH_FACES && k < own->count; k++)
            add_stroke(picture, shape, own->ends[k][0], own->ends[k][1], CP_NONE);
        if (picture->stroke_count < before)
            return report_error(picture->context, CP_LIMIT, "png-large", NOWHERE, "more than 2^32 lines");
    }
    return CP_OK;
}

cp_status edges_add(struct png_picture *picture)
{
    struct creases *creases = arena_allocate_zeroed(picture->arena, picture->scene->mesh_count, sizeof(struct creases));
    cp_status status = creases ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < picture->shape_count && picture->settings->edges && status == CP_OK; i++) {
        const cp_mesh *mesh = picture->shapes[i].mesh;
        struct creases *own = creases + (mesh - picture->scene->meshes);
        if (mesh->kind == CP_MESH_FACES && !own->found)
            status = find_creases(picture, mesh, own);
    }
    if (status == CP_OK)
        status = add_all(picture, creases);
    if (status != CP_OK || picture->stroke_count == 0)
        return status;
    picture->strokes = arena_allocate(picture->arena, picture->stroke_count, sizeof *picture->strokes);
    return picture->strokes ? add_all(picture, creases) : CP_LIMIT;
}

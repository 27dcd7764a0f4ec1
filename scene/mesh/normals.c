/* Smooth vertex normals. Faces that meet at an edge at less than the crease angle share the normals of its two ends:
 * corners are joined across such edges (union-find), and each set's normal is the sum of its faces' normals weighted by
 * the corners' angles, or by the faces' areas. Edges of one, three or more faces and of faces without area are creases.
 * */
#include "../pose.h"
#include "../vector.h"
#include "join.h"
#include "mesh.h"
#include "polygon.h"
#include "sets.h"
#include "topology/edges.h"

#include <math.h>
#include <string.h>

/* Float coordinates shake angles by about this much (radians): faces that meet at the crease angle itself, as those
 * of a regular prism do, are all treated alike. */
static const double ANGLE_NOISE = 1e-5;

/* Faces that meet at less look like one. */
static const double FLAT_ANGLE = 1e-3;

/* The faces with area at an edge. */
struct edge_faces {
    uint32_t count;
    uint32_t edge; /* of the first such face */
};

struct smoothing {
    cp_context *context;
    const cp_mesh *mesh;
    double crease_angle;
    bool by_area;
    bool curved_only; /* without a bent and soft edge the mesh stays as it is */
    bool bends;       /* there is one */
    struct mesh_edges edges;
    double (*face_normals)[3]; /* unit; zero for faces without area */
    double (*sums)[3];         /* for each corner that leads its set */
    uint32_t *faces;           /* the face of each corner */
    uint32_t *leaders;         /* union-find over corners */
    struct edge_faces *uses;   /* for the lowest of equal edges */
};

static uint32_t next_corner(const struct smoothing *work, uint32_t corner)
{
    uint32_t face = work->faces[corner], first = mesh_face_first(work->mesh, face);
    return corner + 1 < first + mesh_face_size(work->mesh, face) ? corner + 1 : first;
}

static bool face_has_area(const struct smoothing *work, uint32_t face)
{
    return dot_product(work->face_normals[face], work->face_normals[face]) > 0;
}

static void join_soft_edges(struct smoothing *work)
{
    const struct mesh_edges *edges = &work->edges;
    uint32_t count = work->mesh->corner_count;
    for (uint32_t edge = 0; edge < count; edge++) {
        struct edge_faces *use = &work->uses[edges->first[edge]];
        work->leaders[edge] = edge;
        if (face_has_area(work, work->faces[edge]) && use->count++ == 0)
            use->edge = edge;
    }
    for (uint32_t edge = 0; edge < count; edge++) {
        const struct edge_faces *use = &work->uses[edges->first[edge]];
        uint32_t other = use->edge;
        if (use->count != 2 || other == edge || edge_is_empty(edges, edge) || !face_has_area(work, work->faces[edge]))
            continue;
        const double *a = work->face_normals[work->faces[edge]], *b = work->face_normals[work->faces[other]];
        double across[3];
        cross_product(a, b, across);
        double angle = atan2(sqrt(dot_product(across, across)), dot_product(a, b));
        if (!(angle < work->crease_angle - ANGLE_NOISE))
            continue;
        work->bends |= angle > FLAT_ANGLE;
        bool same_way = edge_start(edges, edge) == edge_start(edges, other);
        sets_join(work->leaders, edge, same_way ? other : next_corner(work, other));
        sets_join(work->leaders, next_corner(work, edge), same_way ? next_corner(work, other) : other);
    }
}

/* The inner angle of a face at its i-th corner, 0 .. 2 pi. */
static double corner_angle(const struct polygon *polygon, uint32_t i, const double normal[3])
{
    const float *at = polygon_position(polygon, i);
    const float *after = polygon_position(polygon, i + 1 < polygon->count ? i + 1 : 0);
    const float *before = polygon_position(polygon, i > 0 ? i - 1 : polygon->count - 1);
    double out[3], in[3], across[3];
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = (double)after[axis] - (double)at[axis];
        in[axis] = (double)before[axis] - (double)at[axis];
    }
    cross_product(out, in, across);
    double angle = atan2(sqrt(dot_product(across, across)), dot_product(out, in));
    return dot_product(across, normal) < 0 ? 2 * PI - angle : angle;
}

static void sum_normals(struct smoothing *work)
{
    for (uint32_t face = 0; face < work->mesh->face_count; face++) {
        struct polygon polygon = polygon_of(work->mesh, face);
        const double *normal = work->face_normals[face], area = sqrt(dot_product(polygon.normal, polygon.normal));
        for (uint32_t i = 0; i < polygon.count; i++) {
            double weight = work->by_area ? area : corner_angle(&polygon, i, normal);
            double *sum = work->sums[set_leader(work->leaders, mesh_face_first(work->mesh, face) + i)];
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += weight * normal[axis];
        }
    }
}

/* A set without a direction (faces without area, or opposite ones) gets +z: normals have unit length. */
static void write_normal(const double sum[3], float normal[3])
{
    double length = sqrt(dot_product(sum, sum));
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = length > 0 ? (float)(sum[axis] / length) : axis == 2 ? 1.0f : 0.0f;
}

/* ---- splitting vertices ---- */

struct split {
    uint32_t *corners;  /* the new vertex of each corner */
    uint32_t *vertices; /* the old vertex of each new one */
    uint32_t count;     /* new vertices; all old ones keep their places at the start */
};

/* Corners with the same vertex and the same set share a vertex. The first set of a vertex keeps its place, the others
 * follow behind in corner order. */
static bool split_vertices(struct smoothing *work, struct split *split)
{
    const cp_mesh *mesh = work->mesh;
    cp_context *context = work->context;
    struct arena *scratch = arena_new(context);
    uint32_t(*keys)[2] = arena_allocate(scratch, mesh->corner_count, sizeof *keys);
    uint32_t *first = arena_allocate(scratch, mesh->corner_count, sizeof *first);
    bool *taken = arena_allocate_zeroed(scratch, mesh->vertex_count, sizeof *taken);
    for (uint32_t corner = 0; keys && corner < mesh->corner_count; corner++) {
        keys[corner][0] = mesh->corners[corner];
        keys[corner][1] = set_leader(work->leaders, corner);
    }
    bool good = keys && first && taken && join_rows(context, keys, 2, 2, mesh->corner_count, first);
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        split->vertices[vertex] = vertex;
    split->count = mesh->vertex_count;
    for (uint32_t corner = 0; good && corner < mesh->corner_count; corner++) {
        uint32_t vertex = mesh->corners[corner];
        if (first[corner] != corner) {
            split->corners[corner] = split->corners[first[corner]];
        } else if (!taken[vertex]) {
            taken[vertex] = true;
            split->corners[corner] = vertex;
        } else {
            split->vertices[split->count] = vertex;
            split->corners[corner] = split->count++;
        }
    }
    arena_free(scratch);
    return good;
}

static cp_status write_vertices(cp_scene *scene, cp_mesh *mesh, struct smoothing *work, const struct split *split)
{
    cp_mesh made = *mesh;
    made.normals = NULL;
    float *normals = scene_allocate(scene, 3 * (size_t)split->count, sizeof *normals);
    if (!mesh_take_vertices(scene, &made, split->vertices, split->count) || !normals)
        return CP_LIMIT;
    for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        write_normal((const double[3]){0, 0, 0}, normals + 3 * vertex);
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        write_normal(work->sums[set_leader(work->leaders, corner)], normals + 3 * (size_t)split->corners[corner]);
    made.normals = normals;
    made.corners = split->corners;
    *mesh = made;
    return CP_OK;
}

static cp_status smooth(cp_scene *scene, cp_mesh *mesh, struct smoothing *work)
{
    for (uint32_t face = 0; face < work->mesh->face_count; face++) {
        struct polygon polygon = polygon_of(work->mesh, face);
        double length = sqrt(dot_product(polygon.normal, polygon.normal));
        for (int axis = 0; axis < 3; axis++)
            work->face_normals[face][axis] = length > 0 ? polygon.normal[axis] / length : 0;
        for (uint32_t i = 0; i < polygon.count; i++)
            work->faces[mesh_face_first(work->mesh, face) + i] = face;
    }
    join_soft_edges(work);
    if (work->curved_only && !work->bends)
        return CP_OK;
    sum_normals(work);
    uint64_t most = (uint64_t)mesh->vertex_count + mesh->corner_count;
    if (most >= CP_NONE)
        return report_error(scene->context, CP_LIMIT, "mesh-too-large", NOWHERE,
                            "mesh \"%s\" has too many corners to get normals", mesh_title(mesh));
    struct split split = {.corners = scene_allocate(scene, mesh->corner_count, sizeof *split.corners),
                          .vertices = memory_allocate(work->context, (size_t)most, sizeof *split.vertices)};
    bool good = split.corners && split.vertices && split_vertices(work, &split);
    cp_status status = good ? write_vertices(scene, mesh, work, &split) : CP_LIMIT;
    memory_free(work->context, split.vertices, (size_t)most, sizeof *split.vertices);
    return status;
}

static cp_status make_normals(cp_scene *scene, cp_mesh *mesh, struct smoothing work)
{
    if (mesh->kind != CP_MESH_FACES)
        return CP_OK;
    const cp_mesh before = *mesh;
    cp_context *context = scene->context;
    uint32_t faces = mesh->face_count, corners = mesh->corner_count;
    work.context = context;
    work.mesh = &before;
    struct arena *scratch = arena_new(context);
    work.face_normals = arena_allocate(scratch, faces, sizeof *work.face_normals);
    work.sums = arena_allocate_zeroed(scratch, corners, sizeof *work.sums);
    work.faces = arena_allocate(scratch, corners, sizeof *work.faces);
    work.leaders = arena_allocate(scratch, corners, sizeof *work.leaders);
    work.uses = arena_allocate_zeroed(scratch, corners, sizeof *work.uses);
    bool good = !arena_failed(scratch) && mesh_edges_find(&work.edges, context, &before);
    cp_status status = good ? smooth(scene, mesh, &work) : CP_LIMIT;
    arena_free(scratch);
    mesh_edges_free(&work.edges);
    return status;
}

cp_status mesh_smooth_normals(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, (struct smoothing){.crease_angle = crease_angle});
}

cp_status mesh_smooth_curved(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, (struct smoothing){.crease_angle = crease_angle, .curved_only = true});
}

cp_status mesh_smooth_normals_by_area(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, (struct smoothing){.crease_angle = crease_angle, .by_area = true});
}

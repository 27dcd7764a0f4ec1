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
    struct mesh_edges edges;
    double (*face_normals)[3]; /* unit; zero for faces without area */
    double (*sums)[3];         /* for each corner that leads its set */
    uint32_t *faces;           /* the face of each corner */
    uint32_t *leaders;         /* union-find over corners */
    struct edge_faces *uses;   /* for the lowest of equal edges */
};

static bool smoothing_allocate(struct smoothing *work)
{
    const cp_mesh *mesh = work->mesh;
    work->face_normals = memory_allocate(work->context, mesh->face_count, sizeof *work->face_normals);
    work->sums = memory_allocate_zeroed(work->context, mesh->corner_count, sizeof *work->sums);
    work->faces = memory_allocate(work->context, mesh->corner_count, sizeof *work->faces);
    work->leaders = memory_allocate(work->context, mesh->corner_count, sizeof *work->leaders);
    work->uses = memory_allocate_zeroed(work->context, mesh->corner_count, sizeof *work->uses);
    return work->face_normals && work->sums && work->faces && work->leaders && work->uses &&
           mesh_edges_find(&work->edges, work->context, mesh);
}

static void smoothing_free(struct smoothing *work)
{
    const cp_mesh *mesh = work->mesh;
    memory_free(work->context, work->face_normals, mesh->face_count, sizeof *work->face_normals);
    memory_free(work->context, work->sums, mesh->corner_count, sizeof *work->sums);
    memory_free(work->context, work->faces, mesh->corner_count, sizeof *work->faces);
    memory_free(work->context, work->leaders, mesh->corner_count, sizeof *work->leaders);
    memory_free(work->context, work->uses, mesh->corner_count, sizeof *work->uses);
    mesh_edges_free(&work->edges);
}

static double angle_between(const double a[3], const double b[3])
{
    double across[3];
    cross_product(a, b, across);
    return atan2(sqrt(dot_product(across, across)), dot_product(a, b));
}

static void set_face_normals(struct smoothing *work)
{
    for (uint32_t face = 0; face < work->mesh->face_count; face++) {
        struct polygon polygon = polygon_of(work->mesh, face);
        double length = sqrt(dot_product(polygon.normal, polygon.normal));
        for (int axis = 0; axis < 3; axis++)
            work->face_normals[face][axis] = length > 0 ? polygon.normal[axis] / length : 0;
        for (uint32_t i = 0; i < polygon.count; i++)
            work->faces[mesh_face_first(work->mesh, face) + i] = face;
    }
}

static uint32_t next_corner(const struct smoothing *work, uint32_t corner)
{
    uint32_t face = work->faces[corner], first = mesh_face_first(work->mesh, face);
    return corner + 1 < first + mesh_face_size(work->mesh, face) ? corner + 1 : first;
}

static bool face_has_area(const struct smoothing *work, uint32_t face)
{
    return dot_product(work->face_normals[face], work->face_normals[face]) > 0;
}

static void count_uses(struct smoothing *work)
{
    for (uint32_t edge = 0; edge < work->mesh->corner_count; edge++) {
        struct edge_faces *use = &work->uses[work->edges.first[edge]];
        if (face_has_area(work, work->faces[edge]) && use->count++ == 0)
            use->edge = edge;
    }
}

/* The edge of the one other face that it is soft to, or CP_NONE. */
static uint32_t soft_partner(const struct smoothing *work, uint32_t edge)
{
    const struct edge_faces *use = &work->uses[work->edges.first[edge]];
    if (use->count != 2 || use->edge == edge || edge_is_empty(&work->edges, edge) ||
        !face_has_area(work, work->faces[edge]))
        return CP_NONE;
    double angle = angle_between(work->face_normals[work->faces[edge]], work->face_normals[work->faces[use->edge]]);
    return angle < work->crease_angle - ANGLE_NOISE ? use->edge : CP_NONE;
}

static void join_soft_edges(struct smoothing *work)
{
    uint32_t count = work->mesh->corner_count;
    for (uint32_t corner = 0; corner < count; corner++)
        work->leaders[corner] = corner;
    for (uint32_t edge = 0; edge < count; edge++) {
        uint32_t other = soft_partner(work, edge);
        if (other == CP_NONE)
            continue;
        bool same_way = edge_start(&work->edges, edge) == edge_start(&work->edges, other);
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
 * follow behind in corner order. first: for each corner the lowest one with the same vertex and set. */
static void number_vertices(const cp_mesh *mesh, const uint32_t *first, struct split *split, bool *taken)
{
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        split->vertices[vertex] = vertex;
    split->count = mesh->vertex_count;
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++) {
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
}

static bool split_vertices(struct smoothing *work, struct split *split)
{
    const cp_mesh *mesh = work->mesh;
    cp_context *context = work->context;
    uint32_t(*keys)[2] = memory_allocate(context, mesh->corner_count, sizeof *keys);
    uint32_t *first = memory_allocate(context, mesh->corner_count, sizeof *first);
    bool *taken = memory_allocate_zeroed(context, mesh->vertex_count, sizeof *taken);
    for (uint32_t corner = 0; keys && corner < mesh->corner_count; corner++) {
        keys[corner][0] = mesh->corners[corner];
        keys[corner][1] = set_leader(work->leaders, corner);
    }
    bool good = keys && first && taken && join_rows(context, keys, 2, 2, mesh->corner_count, first);
    if (good)
        number_vertices(mesh, first, split, taken);
    memory_free(context, keys, mesh->corner_count, sizeof *keys);
    memory_free(context, first, mesh->corner_count, sizeof *first);
    memory_free(context, taken, mesh->vertex_count, sizeof *taken);
    return good;
}

static const float *spread(cp_scene *scene, const float *values, size_t width, const struct split *split, bool *good)
{
    if (!values)
        return NULL;
    float *out = scene_allocate(scene, width * split->count, sizeof *out);
    *good = *good && out;
    for (size_t vertex = 0; out && vertex < split->count; vertex++)
        memcpy(out + width * vertex, values + width * split->vertices[vertex], width * sizeof *out);
    return out;
}

static cp_status write_vertices(cp_scene *scene, cp_mesh *mesh, struct smoothing *work, const struct split *split)
{
    bool good = true;
    const float *positions = spread(scene, mesh->positions, 3, split, &good);
    const float *colours = spread(scene, mesh->colours, 4, split, &good);
    float *normals = scene_allocate(scene, 3 * (size_t)split->count, sizeof *normals);
    if (!good || !normals)
        return CP_LIMIT;
    for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        write_normal((const double[3]){0, 0, 0}, normals + 3 * vertex);
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        write_normal(work->sums[set_leader(work->leaders, corner)], normals + 3 * (size_t)split->corners[corner]);
    mesh->vertex_count = split->count;
    mesh->positions = positions;
    mesh->colours = colours;
    mesh->normals = normals;
    mesh->corners = split->corners;
    return CP_OK;
}

static cp_status smooth(cp_scene *scene, cp_mesh *mesh, struct smoothing *work)
{
    set_face_normals(work);
    count_uses(work);
    join_soft_edges(work);
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

static cp_status make_normals(cp_scene *scene, cp_mesh *mesh, double crease_angle, bool by_area)
{
    if (mesh->kind != CP_MESH_FACES)
        return CP_OK;
    const cp_mesh before = *mesh;
    struct smoothing work = {
        .context = scene->context, .mesh = &before, .crease_angle = crease_angle, .by_area = by_area};
    cp_status status = smoothing_allocate(&work) ? smooth(scene, mesh, &work) : CP_LIMIT;
    smoothing_free(&work);
    return status;
}

cp_status mesh_smooth_normals(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, crease_angle, false);
}

cp_status mesh_smooth_normals_by_area(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, crease_angle, true);
}

#include "body.h"
#include "pieces.h"
#include "solidity.h"

#include <math.h>
#include <string.h>

#include "../../mesh/mesh.h"
#include "../../mesh/sets.h"
#include "../../mesh/tessellate.h"
#include "../../pose.h"
#include "../../vector.h"

/* ---- gathering ---- */

struct gathering {
    cp_context *context;
    const cp_scene *scene;
    cp_scene *scratch;         /* for triangles of n-gons */
    enum solidity *solidities; /* of the scene's meshes */
    struct body *body;
    struct piece *pieces; /* of the body's frame */
    uint32_t piece_count;
};

static bool reserve(struct gathering *gathering, const cp_mesh *mesh)
{
    struct body *body = gathering->body;
    uint64_t vertices = (uint64_t)body->bvh.vertex_count + mesh->vertex_count;
    uint64_t triangles = body->bvh.triangle_count + mesh_triangle_count(mesh);
    return array_reserve(gathering->context, &body->bvh.vertices, &body->vertex_room, vertices,
                         sizeof *body->bvh.vertices) &&
           array_reserve(gathering->context, &body->bvh.triangles, &body->triangle_room, triangles,
                         sizeof *body->bvh.triangles);
}

/* Fans of the faces, which are triangles or convex. */
static void add_triangles(struct body *body, const cp_mesh *mesh, uint32_t first_vertex)
{
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        for (uint32_t i = 2; i < mesh_face_size(mesh, face); i++) {
            uint32_t *triangle = body->bvh.triangles[body->bvh.triangle_count++];
            triangle[0] = first_vertex + corners[0];
            triangle[1] = first_vertex + corners[i - 1];
            triangle[2] = first_vertex + corners[i];
        }
    }
}

/* exact: positions of a primitive, or NULL. */
static cp_status add_faces(struct gathering *gathering, const cp_mesh *mesh, double (*exact)[3], const cp_pose *pose)
{
    struct body *body = gathering->body;
    if (!reserve(gathering, mesh))
        return CP_LIMIT;
    uint32_t first = body->bvh.vertex_count;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        double point[3];
        for (uint32_t axis = 0; axis < 3; axis++)
            point[axis] = exact ? exact[i][axis] : (double)mesh->positions[3 * (size_t)i + axis];
        pose_point(pose, point, body->bvh.vertices[body->bvh.vertex_count++]);
    }
    add_triangles(body, mesh, first);
    return CP_OK;
}

static cp_status add_primitive(struct gathering *gathering, const cp_instance *instance)
{
    cp_mesh mesh = gathering->scene->meshes[instance->mesh];
    double(*exact)[3];
    cp_status status = tessellate_exactly(gathering->context, gathering->scratch->arena, &mesh, &exact);
    if (status != CP_OK)
        return status;
    status = add_faces(gathering, &mesh, exact, &instance->transform);
    memory_free(gathering->context, exact, mesh.vertex_count, sizeof *exact);
    return status;
}

static cp_status add_mesh(struct gathering *gathering, const cp_instance *instance)
{
    cp_mesh mesh = gathering->scene->meshes[instance->mesh];
    cp_status status = mesh_triangulate(gathering->scratch, &mesh);
    return status == CP_OK ? add_faces(gathering, &mesh, NULL, &instance->transform) : status;
}

/* z = 0 of the instance's frame, on the inside of which its z is negative. */
static cp_status add_plane(struct gathering *gathering, const cp_instance *instance)
{
    struct body *body = gathering->body;
    cp_pose inverse;
    if (!pose_inverse(&instance->transform, &inverse)) /* squeezed flat: what is left of it is no plane */
        return CP_OK;
    if (!array_reserve(gathering->context, &body->planes, &body->plane_room, body->plane_count + UINT64_C(1),
                       sizeof *body->planes))
        return CP_LIMIT;
    memcpy(body->planes[body->plane_count++], inverse.m + 8, 4 * sizeof(double));
    return CP_OK;
}

/* What triangles bound with a point, which may be any when they are closed. */
static double volume_of(const struct bvh *bvh, uint32_t first_triangle, const double point[3])
{
    double volume = 0;
    for (uint32_t i = first_triangle; i < bvh->triangle_count; i++) {
        const uint32_t *corners = bvh->triangles[i];
        double from[3], normal[3];
        subtract(bvh->vertices[corners[0]], point, from);
        triangle_normal(bvh->vertices[corners[0]], bvh->vertices[corners[1]], bvh->vertices[corners[2]], normal);
        volume += dot_product(from, normal) / 6;
    }
    return volume;
}

/* What is mirrored, or was wound inside out, would go round a point the other way: where it overlaps another solid of
 * the frame the two would make a hole. */
static void turn_outward(struct bvh *bvh, uint32_t first_triangle)
{
    if (first_triangle == bvh->triangle_count ||
        !(volume_of(bvh, first_triangle, bvh->vertices[bvh->triangles[first_triangle][0]]) < 0))
        return;
    for (uint32_t i = first_triangle; i < bvh->triangle_count; i++) {
        uint32_t *corners = bvh->triangles[i], corner = corners[1];
        corners[1] = corners[2];
        corners[2] = corner;
    }
}

static cp_status add_instance(struct gathering *gathering, const cp_instance *instance)
{
    cp_mesh_kind kind = gathering->scene->meshes[instance->mesh].kind;
    if (kind == CP_MESH_PLANE)
        return add_plane(gathering, instance);
    return kind >= CP_MESH_BOX ? add_primitive(gathering, instance) : add_mesh(gathering, instance);
}

static cp_status end_solid(const struct gathering *gathering)
{
    struct body *body = gathering->body;
    if (!array_reserve(gathering->context, &body->solid_ends, &body->solid_room, body->solid_count + UINT64_C(1),
                       sizeof *body->solid_ends))
        return CP_LIMIT;
    body->solid_ends[body->solid_count++] = body->bvh.vertex_count;
    return CP_OK;
}

/* The pieces that are solid, or the others. */
static cp_status add_pieces(struct gathering *gathering, enum solidity solidity)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < gathering->piece_count && status == CP_OK; i++) {
        const struct piece *piece = &gathering->pieces[i];
        enum solidity *own = &gathering->solidities[piece->instance->mesh];
        if (*own == UNKNOWN)
            status = find_solidity(gathering->context, piece->mesh, own);
        if (status != CP_OK || *own != solidity)
            continue;
        uint32_t first_triangle = gathering->body->bvh.triangle_count;
        status = add_instance(gathering, piece->instance);
        if (status == CP_OK && solidity == SOLID) {
            turn_outward(&gathering->body->bvh, first_triangle);
            status = end_solid(gathering);
        }
        gathering->body->open_meshes += solidity == OPEN && piece->mesh->kind != CP_MESH_PLANE;
    }
    return status;
}

/* One vertex of each set of triangles that share vertices: the first ones of union-find's trees. */
static cp_status find_samples(cp_context *context, struct body *body)
{
    uint32_t count = body->bvh.vertex_count, *parents = memory_allocate(context, count, sizeof *parents);
    if (!parents)
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count; i++)
        parents[i] = i;
    for (uint32_t i = 0; i < body->bvh.triangle_count; i++)
        for (int k = 1; k < 3; k++)
            sets_join(parents, body->bvh.triangles[i][0], body->bvh.triangles[i][k]);
    for (uint32_t i = 0; i < body->bvh.triangle_count && status == CP_OK; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t vertex = body->bvh.triangles[i][k];
            if (parents[vertex] != vertex)
                continue;
            if (!array_reserve(context, &body->samples, &body->sample_room, body->sample_count + UINT64_C(1),
                               sizeof *body->samples)) {
                status = CP_LIMIT;
                break;
            }
            body->samples[body->sample_count++] = vertex;
            parents[vertex] = CP_NONE; /* taken */
        }
    memory_free(context, parents, count, sizeof *parents);
    return status;
}

static cp_status fill_body(struct gathering *gathering)
{
    struct body *body = gathering->body;
    cp_status status = add_pieces(gathering, SOLID);
    body->solid_vertices = body->bvh.vertex_count;
    if (status == CP_OK)
        status = add_pieces(gathering, OPEN);
    if (status == CP_OK)
        status = find_samples(gathering->context, body);
    return status == CP_OK ? bvh_build(gathering->context, &body->bvh) : status;
}

static bool has_geometry(const cp_scene *scene, const cp_node *node)
{
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++)
        if (collides(scene, &scene->instances[i]))
            return !(node->flags & CP_NODE_PLACEHOLDER);
    return false;
}

static cp_status add_body(struct bodies *bodies, const cp_scene *scene, uint32_t node, enum solidity *solidities)
{
    cp_context *context = bodies->context;
    if (!array_reserve(context, &bodies->items, &bodies->room, bodies->count + UINT64_C(1), sizeof *bodies->items))
        return CP_LIMIT;
    struct body *body = &bodies->items[bodies->count++];
    *body = (struct body){.node = node};
    uint32_t room = scene->nodes[node].instance_count;
    struct gathering gathering = {.context = context,
                                  .scene = scene,
                                  .scratch = scene_new(context),
                                  .solidities = solidities,
                                  .body = body,
                                  .pieces = memory_allocate(context, room, sizeof *gathering.pieces)};
    if (gathering.pieces)
        gathering.piece_count = list_pieces(scene, &scene->nodes[node], gathering.pieces);
    cp_status status = gathering.scratch && gathering.pieces ? fill_body(&gathering) : CP_LIMIT;
    memory_free(context, gathering.pieces, room, sizeof *gathering.pieces);
    cp_scene_free(gathering.scratch);
    return status;
}

bool are_within_reach(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(values[i]) <= MOST_REACH))
            return false;
    return true;
}

bool body_is_within_reach(const struct body *body)
{
    for (uint32_t i = 0; i < body->bvh.vertex_count; i++)
        if (!are_within_reach(body->bvh.vertices[i], 3))
            return false;
    for (uint32_t i = 0; i < body->plane_count; i++)
        if (!are_within_reach(body->planes[i], 4))
            return false;
    return true;
}

bool body_has_area(const struct body *body)
{
    const struct bvh *bvh = &body->bvh;
    for (uint32_t i = 0; i < bvh->triangle_count; i++) {
        const uint32_t *corners = bvh->triangles[i];
        double normal[3];
        triangle_normal(bvh->vertices[corners[0]], bvh->vertices[corners[1]], bvh->vertices[corners[2]], normal);
        if (dot_product(normal, normal) > 0)
            return true;
    }
    return body->plane_count > 0;
}

cp_status bodies_find(struct bodies *bodies, cp_context *context, const cp_scene *scene)
{
    *bodies = (struct bodies){.context = context, .scene = scene};
    enum solidity *solidities = memory_allocate_zeroed(context, scene->mesh_count, sizeof *solidities);
    cp_status status = solidities ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++)
        if (has_geometry(scene, &scene->nodes[i]))
            status = add_body(bodies, scene, i, solidities);
    memory_free(context, solidities, scene->mesh_count, sizeof *solidities);
    return status;
}

void bodies_free(struct bodies *bodies)
{
    for (uint32_t i = 0; i < bodies->count; i++) {
        struct body *body = &bodies->items[i];
        bvh_free(bodies->context, &body->bvh);
        hull_free(bodies->context, &body->hull);
        memory_free(bodies->context, body->bvh.vertices, body->vertex_room, sizeof *body->bvh.vertices);
        memory_free(bodies->context, body->bvh.triangles, body->triangle_room, sizeof *body->bvh.triangles);
        memory_free(bodies->context, body->samples, body->sample_room, sizeof *body->samples);
        memory_free(bodies->context, body->solid_ends, body->solid_room, sizeof *body->solid_ends);
        memory_free(bodies->context, body->planes, body->plane_room, sizeof *body->planes);
    }
    memory_free(bodies->context, bodies->items, bodies->room, sizeof *bodies->items);
    *bodies = (struct bodies){.context = bodies->context};
}

/* ---- hulls ---- */

/* The body fills its hull: it is a single solid piece, and no smaller than 1e-9 of the hull's volume tells. */
static bool is_convex(const struct body *body)
{
    if (body->open_meshes > 0 || body->plane_count > 0 || body->sample_count != 1)
        return false;
    double volume = volume_of(&body->bvh, 0, body->hull.points[0]);
    return body->hull.volume > 0 && fabs(fabs(volume) - body->hull.volume) <= 1e-9 * body->hull.volume;
}

cp_status bodies_find_hulls(struct bodies *bodies)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < bodies->count && status == CP_OK; i++) {
        struct body *body = &bodies->items[i];
        status =
            hull_find(bodies->context, (const double(*)[3])body->bvh.vertices, body->bvh.vertex_count, &body->hull);
        body->convex = status == CP_OK && is_convex(body);
    }
    return status;
}

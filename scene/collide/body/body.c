#include "body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/join.h"
#include "mesh/mesh.h"

/* ---- gathering ---- */

bool instance_collides(const cp_scene *scene, const cp_instance *instance)
{
    return instance->use & CP_USE_COLLISION && scene->meshes[instance->mesh].kind != CP_MESH_LINES;
}

/* A mesh of a frame that collides. */
struct piece {
    const cp_instance *instance;
    const cp_mesh *mesh;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Orders pieces by their contents, not by their place in the file. Equal pieces are the same, but for n-gons that have
 * the same corners. */
static int compare_pieces(const void *one, const void *other)
{
    const struct piece *left = one, *right = other;
    const cp_mesh *a = left->mesh, *b = right->mesh;
    int order = compare_numbers(a->kind, b->kind);
    if (order == 0)
        order = compare_numbers(a->sides, b->sides);
    if (order == 0)
        order = memcmp(a->size, b->size, sizeof a->size);
    if (order == 0)
        order = memcmp(&left->instance->transform, &right->instance->transform, sizeof left->instance->transform);
    if (order == 0 && a != b && a->kind == CP_MESH_FACES) {
        order = compare_numbers(a->vertex_count, b->vertex_count);
        if (order == 0)
            order = compare_numbers(a->corner_count, b->corner_count);
        if (order == 0)
            order = compare_numbers(a->face_count, b->face_count);
        if (order == 0 && a->vertex_count > 0)
            order = memcmp(a->positions, b->positions, 3 * (size_t)a->vertex_count * sizeof *a->positions);
        if (order == 0 && a->corner_count > 0)
            order = memcmp(a->corners, b->corners, a->corner_count * sizeof *a->corners);
    }
    return order ? order : compare_numbers(left->instance > right->instance, left->instance < right->instance);
}

/* Returns the volume that the triangles bound together with a point. If they are closed, any point gives the same. */
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

/* Adds the faces, which are triangles or convex, as fans. exact: positions of a primitive, or NULL. outward: turns the
 * faces so that they bound no negative volume. Faces that are mirrored or wound inside out would go round a point the
 * other way. If such a solid overlapped another of the frame, the two would count as a hole there. */
static cp_status add_faces(cp_context *context, struct body *body, const cp_mesh *mesh, double (*exact)[3],
                           const cp_pose *pose, bool outward)
{
    struct bvh *bvh = &body->bvh;
    uint32_t first = bvh->vertex_count, first_triangle = bvh->triangle_count;
    if (!array_reserve(context, &bvh->vertices, &body->vertex_room, (uint64_t)first + mesh->vertex_count,
                       sizeof *bvh->vertices) ||
        !array_reserve(context, &bvh->triangles, &body->triangle_room, first_triangle + mesh_triangle_count(mesh),
                       sizeof *bvh->triangles))
        return CP_LIMIT;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        double point[3];
        for (uint32_t axis = 0; axis < 3; axis++)
            point[axis] = exact ? exact[i][axis] : (double)mesh->positions[3 * (size_t)i + axis];
        pose_point(pose, point, bvh->vertices[bvh->vertex_count++]);
    }
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        for (uint32_t i = 2; i < mesh_face_size(mesh, face); i++) {
            uint32_t *triangle = bvh->triangles[bvh->triangle_count++];
            triangle[0] = first + corners[0];
            triangle[1] = first + corners[i - 1];
            triangle[2] = first + corners[i];
        }
    }
    if (!outward || first_triangle == bvh->triangle_count ||
        !(volume_of(bvh, first_triangle, bvh->vertices[bvh->triangles[first_triangle][0]]) < 0))
        return CP_OK;
    for (uint32_t i = first_triangle; i < bvh->triangle_count; i++) {
        uint32_t *corners = bvh->triangles[i], corner = corners[1];
        corners[1] = corners[2];
        corners[2] = corner;
    }
    return CP_OK;
}

/* Adds a piece. `scratch` takes the triangles of n-gons and primitives. */
static cp_status add_piece(cp_scene *scratch, struct body *body, const struct piece *piece, bool solid)
{
    cp_context *context = scratch->context;
    const cp_pose *pose = &piece->instance->transform;
    cp_mesh mesh = *piece->mesh;
    cp_status status = CP_OK;
    if (mesh.kind == CP_MESH_PLANE) { /* z = 0 of the instance's frame, on the inside of which its z is negative */
        cp_pose inverse;
        if (!pose_inverse(pose, &inverse)) /* squeezed flat, it is no plane any more */
            return CP_OK;
        if (!array_reserve(context, &body->planes, &body->plane_room, body->plane_count + UINT64_C(1),
                           sizeof *body->planes))
            return CP_LIMIT;
        memcpy(body->planes[body->plane_count++], inverse.m + 8, 4 * sizeof(double));
    } else if (mesh.kind >= CP_MESH_BOX) {
        double(*exact)[3];
        status = tessellate_exactly(context, scratch->arena, &mesh, &exact);
        if (status != CP_OK)
            return status;
        status = add_faces(context, body, &mesh, exact, pose, solid);
        memory_free(context, exact, mesh.vertex_count, sizeof *exact);
    } else {
        status = mesh_triangulate(scratch, &mesh);
        if (status == CP_OK)
            status = add_faces(context, body, &mesh, NULL, pose, solid);
    }
    return status;
}

/* Finds one vertex of each set of triangles that share vertices: the roots of union-find's trees. */
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

/* Adds the body of a node. `solidities` are those of the scene's meshes. */
static cp_status add_body(struct bodies *bodies, uint32_t index, enum solidity *solidities)
{
    cp_context *context = bodies->context;
    const cp_scene *scene = bodies->scene;
    const cp_node *node = &scene->nodes[index];
    if (!array_reserve(context, &bodies->items, &bodies->room, bodies->count + UINT64_C(1), sizeof *bodies->items))
        return CP_LIMIT;
    struct body *body = &bodies->items[bodies->count++];
    *body = (struct body){.node = index};
    cp_scene *scratch = scene_new(context);
    struct piece *pieces = memory_allocate(context, node->instance_count, sizeof *pieces);
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->instance_count && pieces; i++) {
        const cp_instance *instance = &scene->instances[node->first_instance + i];
        if (instance_collides(scene, instance))
            pieces[count++] = (struct piece){instance, &scene->meshes[instance->mesh]};
    }
    if (count > 1)
        qsort(pieces, count, sizeof *pieces, compare_pieces);
    /* The solid ones first: only these have an inside, and each of them may overlap the others. */
    cp_status status = scratch && pieces ? CP_OK : CP_LIMIT;
    for (enum solidity solidity = SOLID; solidity <= OPEN; solidity++) {
        for (uint32_t i = 0; i < count && status == CP_OK; i++) {
            enum solidity *own = &solidities[pieces[i].instance->mesh];
            if (*own == UNKNOWN)
                status = find_solidity(context, pieces[i].mesh, own);
            if (status != CP_OK || *own != solidity)
                continue;
            status = add_piece(scratch, body, &pieces[i], solidity == SOLID);
            body->open_meshes += solidity == OPEN && pieces[i].mesh->kind != CP_MESH_PLANE;
            if (status != CP_OK || solidity == OPEN)
                continue;
            if (array_reserve(context, &body->solid_ends, &body->solid_room, body->solid_count + UINT64_C(1),
                              sizeof *body->solid_ends))
                body->solid_ends[body->solid_count++] = body->bvh.vertex_count;
            else
                status = CP_LIMIT;
        }
        if (solidity == SOLID)
            body->solid_vertices = body->bvh.vertex_count;
    }
    if (status == CP_OK)
        status = find_samples(context, body);
    if (status == CP_OK)
        status = bvh_build(context, &body->bvh);
    memory_free(context, pieces, node->instance_count, sizeof *pieces);
    cp_scene_free(scratch);
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
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++) {
        const cp_node *node = &scene->nodes[i];
        bool has_geometry = false;
        for (uint32_t k = 0; k < node->instance_count && !has_geometry; k++)
            has_geometry = instance_collides(scene, &scene->instances[node->first_instance + k]);
        if (has_geometry && !(node->flags & CP_NODE_PLACEHOLDER))
            status = add_body(bodies, i, solidities);
    }
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

cp_status bodies_find_hulls(struct bodies *bodies)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < bodies->count && status == CP_OK; i++) {
        struct body *body = &bodies->items[i];
        struct hull *hull = &body->hull;
        status = hull_find(bodies->context, (const double(*)[3])body->bvh.vertices, body->bvh.vertex_count, hull);
        /* The body fills its hull: it is a single solid piece, and its volume is within 1e-9 of the hull's. */
        body->convex = status == CP_OK && body->open_meshes == 0 && body->plane_count == 0 && body->sample_count == 1 &&
                       hull->volume > 0 &&
                       fabs(fabs(volume_of(&body->bvh, 0, hull->points[0])) - hull->volume) <= 1e-9 * hull->volume;
    }
    return status;
}

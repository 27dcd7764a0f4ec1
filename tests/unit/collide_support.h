/* Makes bodies for tests of the collision engine, and finds the answers by trying all pairs of triangles with
 * arithmetic of its own. */
#ifndef COLLIDE_SUPPORT_H
#define COLLIDE_SUPPORT_H

#include "collide/surface/surface.h"
#include "mesh/mesh.h"
#include "mesh_builder.h"
#include "scene_fixture.h"

/* Twice the digits of a double and more: products of two differences of doubles of like size are exact. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad; /* has as many digits where there is no other */
#endif

typedef const double (*corners)[3];

/* ---- bodies ---- */

/* Takes triangles that stay the caller's: the tree is freed by bvh_free. */
static inline struct bvh tree_of(double (*vertices)[3], uint32_t vertex_count, uint32_t (*triangles)[3],
                                 uint32_t triangle_count)
{
    struct bvh bvh = {.vertices = vertices, .triangles = triangles};
    bvh.vertex_count = vertex_count;
    bvh.triangle_count = triangle_count;
    assert_int_equal(bvh_build(context, &bvh), CP_OK);
    return bvh;
}

/* Puts the body into the scene's memory, and frees the builder. */
static inline struct bvh finish_body(struct builder *shape)
{
    cp_mesh mesh = mesh_of(shape);
    assert_int_equal(mesh_triangulate(scene, &mesh), CP_OK);
    double(*vertices)[3] = scene_allocate(scene, mesh.vertex_count, sizeof *vertices);
    uint32_t(*triangles)[3] = scene_allocate(scene, mesh.face_count, sizeof *triangles);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++)
        vertices[i / 3][i % 3] = (double)mesh.positions[i];
    memcpy(triangles, mesh.corners, mesh.face_count * sizeof *triangles);
    free_builder(shape);
    return tree_of(vertices, mesh.vertex_count, triangles, mesh.face_count);
}

static inline struct bvh torus(uint32_t rings, uint32_t sides)
{
    struct builder builder = {0};
    add_torus(&builder, rings, sides);
    return finish_body(&builder);
}

static inline cp_pose random_pose(struct random *random, double distance)
{
    double axis[3], direction[3], length = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = random_unit(random) - 0.5;
        direction[i] = random_unit(random) - 0.5;
        length += axis[i] * axis[i];
        size += direction[i] * direction[i];
    }
    for (int i = 0; i < 3; i++)
        axis[i] /= sqrt(length);
    cp_pose turned = pose_rotation(axis, 2 * PI * random_unit(random));
    for (int i = 0; i < 3; i++)
        turned.m[4 * i + 3] = direction[i] / sqrt(size) * distance;
    return turned;
}

/* The triangle as it is placed, or as it is. */
static inline void corners_of(const struct bvh *bvh, uint32_t triangle, const cp_pose *placed, double out[3][3])
{
    for (int corner = 0; corner < 3; corner++) {
        const double *vertex = bvh->vertices[bvh->triangles[triangle][corner]];
        if (placed)
            pose_point(placed, vertex, out[corner]);
        else
            memcpy(out[corner], vertex, sizeof out[corner]);
    }
}

/* False where boxes around them, along the axes, are farther apart than that. */
static inline bool are_near(corners one, corners other, double distance)
{
    for (int axis = 0; axis < 3; axis++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 3; i++) {
            low[0] = fmin(low[0], one[i][axis]);
            high[0] = fmax(high[0], one[i][axis]);
            low[1] = fmin(low[1], other[i][axis]);
            high[1] = fmax(high[1], other[i][axis]);
        }
        if (low[0] > high[1] + distance || low[1] > high[0] + distance)
            return false;
    }
    return true;
}

/* ---- meeting ---- */

enum answer { NO, YES, UNSURE };

/* The sign of the volume of a tetrahedron, 0 where rounding may have made it. */
static inline int volume_sign(const double a[3], const double b[3], const double c[3], const double d[3])
{
    quad rows[3][3], volume = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        rows[0][i] = (quad)a[i] - (quad)d[i];
        rows[1][i] = (quad)b[i] - (quad)d[i];
        rows[2][i] = (quad)c[i] - (quad)d[i];
    }
    for (int i = 0; i < 3; i++)
        for (int turn = 1; turn < 3; turn++) {
            quad term = rows[0][i] * rows[1][(i + turn) % 3] * rows[2][(i + 2 * turn) % 3];
            volume += turn == 1 ? term : -term;
            size += term < 0 ? -term : term;
        }
    const quad doubt = size * (quad)1e-31;
    return volume > doubt ? 1 : volume < -doubt ? -1 : 0;
}

/* A side goes through the inside of a triangle; no where it is clear of it. */
static inline enum answer side_through(const double a[3], const double b[3], corners triangle)
{
    int ends[2] = {volume_sign(triangle[0], triangle[1], triangle[2], a),
                   volume_sign(triangle[0], triangle[1], triangle[2], b)};
    if (ends[0] * ends[1] > 0)
        return NO;
    int turns[3], sum = 0;
    for (int i = 0; i < 3; i++)
        sum += turns[i] = volume_sign(a, b, triangle[i], triangle[(i + 1) % 3]);
    bool left = turns[0] > 0 || turns[1] > 0 || turns[2] > 0, right = turns[0] < 0 || turns[1] < 0 || turns[2] < 0;
    if (left && right && ends[0] * ends[1] < 0)
        return NO;
    return ends[0] * ends[1] < 0 && (sum == 3 || sum == -3) ? YES : UNSURE;
}

/* Two triangles that are not in one plane meet where a side of one goes through the other. */
static inline enum answer triangles_through(corners one, corners other)
{
    enum answer answer = NO;
    for (int i = 0; i < 3; i++) {
        enum answer first = side_through(one[i], one[(i + 1) % 3], other);
        enum answer second = side_through(other[i], other[(i + 1) % 3], one);
        if (first == YES || second == YES)
            return YES;
        answer = first == UNSURE || second == UNSURE ? UNSURE : answer;
    }
    return answer;
}

static inline enum answer try_all_pairs(const struct bvh *one, const struct bvh *other, const cp_pose *placed)
{
    enum answer answer = NO;
    for (uint32_t k = 0; k < other->triangle_count; k++) {
        double there[3][3];
        corners_of(other, k, placed, there);
        for (uint32_t i = 0; i < one->triangle_count; i++) {
            double here[3][3];
            corners_of(one, i, NULL, here);
            if (!are_near((corners)here, (corners)there, 0))
                continue;
            enum answer pair = triangles_through((corners)here, (corners)there);
            if (pair == YES)
                return YES;
            answer = pair == UNSURE ? UNSURE : answer;
        }
    }
    return answer;
}

#endif

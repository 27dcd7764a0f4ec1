/* Meshes: counting, convexity, moving. */
#include "mesh.h"

#include <float.h>
#include <math.h>

#include "model/model.h"

uint64_t mesh_triangle_count(const cp_mesh *mesh)
{
    if (mesh->kind == CP_MESH_LINES)
        return 0;
    if (mesh->kind != CP_MESH_FACES)
        return tessellation_triangles(mesh);
    if (!mesh->face_offsets)
        return mesh->face_count;
    uint64_t count = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        count += mesh_face_size(mesh, face) > 2 ? mesh_face_size(mesh, face) - 2 : 0;
    return count;
}

uint64_t cp_mesh_triangles(const cp_mesh *mesh)
{
    return mesh_triangle_count(mesh);
}

void mesh_face_materials(const cp_mesh *mesh, const uint32_t *map, uint32_t *materials)
{
    for (uint32_t face = 0; mesh->group_count == 0 && face < mesh->face_count; face++)
        materials[face] = CP_NONE;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        uint32_t material = map && group->material != CP_NONE ? map[group->material] : group->material;
        for (uint32_t k = 0; k < group->face_count; k++)
            materials[group->first_face + k] = material;
    }
}

bool mesh_has_concave_faces(const cp_mesh *mesh)
{
    const double tolerance = 1e-6; /* a part of the face's size, for both the outline and the bulge */
    if (mesh->kind != CP_MESH_FACES || !mesh->face_offsets)
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        if (mesh_face_size(mesh, face) <= 3)
            continue;
        struct polygon polygon = polygon_of(mesh, face);
        double allowed = tolerance * polygon_size(&polygon);
        if (polygon_reflex_depth(&polygon) > allowed || polygon_bulge(&polygon) > allowed)
            return true;
    }
    return false;
}

bool mesh_move_position(const cp_pose *pose, const float from[3], float to[3], double off[3])
{
    double point[3] = {(double)from[0], (double)from[1], (double)from[2]};
    pose_point(pose, point, point);
    for (int axis = 0; axis < 3; axis++) {
        if (!(fabs(point[axis]) <= (double)FLT_MAX))
            return false;
        to[axis] = (float)point[axis];
        if (off)
            off[axis] = float_round(point[axis]) - point[axis];
    }
    return true;
}

/* Normals move by the cofactors: the inverse transpose times the determinant, which flattening poses have, too. */
void mesh_normal_matrix(const cp_pose *pose, double matrix[3][3])
{
    const double *m = pose->m;
    double sign = pose_determinant(pose) < 0 ? -1 : 1;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            int r1 = (row + 1) % 3, r2 = (row + 2) % 3, c1 = (column + 1) % 3, c2 = (column + 2) % 3;
            matrix[row][column] = sign * (m[4 * r1 + c1] * m[4 * r2 + c2] - m[4 * r1 + c2] * m[4 * r2 + c1]);
        }
}

/* Moves a direction by the matrix, to unit length. False if the matrix flattens it; then `to` stays as it is. */
static bool move_direction(const double matrix[3][3], const float from[3], float to[3])
{
    double moved[3], largest = 0, square = 0;
    for (int row = 0; row < 3; row++) {
        moved[row] =
            matrix[row][0] * (double)from[0] + matrix[row][1] * (double)from[1] + matrix[row][2] * (double)from[2];
        largest = fmax(largest, fabs(moved[row]));
    }
    for (int axis = 0; axis < 3 && largest > 0; axis++) {
        moved[axis] /= largest;
        square += moved[axis] * moved[axis];
    }
    for (int axis = 0; axis < 3 && square > 0; axis++)
        to[axis] = (float)(moved[axis] / sqrt(square));
    return square > 0;
}

/* A normal that the pose flattens becomes +z: it must have unit length. */
void mesh_move_normal(const double matrix[3][3], const float from[3], float to[3])
{
    if (!move_direction(matrix, from, to))
        memcpy(to, (const float[]){0, 0, 1}, 3 * sizeof *to);
}

void mesh_square_tangent(const float normal[3], const double direction[3], float tangent[3])
{
    const double least = 1e-4; /* a part of the direction's length: a shorter rest is mostly rounding */
    const double n[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
    double square[3], along = dot_product(n, direction), length = 0, size = sqrt(dot_product(direction, direction));
    for (int axis = 0; axis < 3; axis++)
        square[axis] = direction[axis] - along * n[axis];
    length = sqrt(dot_product(square, square));
    if (!(length > least * size)) { /* the axis that is farthest from the normal */
        int far = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
        for (int axis = 0; axis < 3; axis++)
            square[axis] = (axis == far ? 1 : 0) - n[far] * n[axis];
        length = sqrt(dot_product(square, square));
    }
    for (int axis = 0; axis < 3; axis++)
        tangent[axis] = (float)(square[axis] / length);
}

void mesh_move_tangent(const cp_pose *pose, const float normal[3], const float from[4], float to[4])
{
    const double *m = pose->m;
    const double linear[3][3] = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
    if (!move_direction(linear, from, to))
        mesh_square_tangent(normal, (const double[]){0, 0, 0}, to);
    to[3] = pose_determinant(pose) < 0 ? -from[3] : from[3];
}

void mesh_move_directions(const cp_pose *pose, const double matrix[3][3], const cp_mesh *from, size_t source,
                          cp_mesh *to, size_t vertex)
{
    float *normal = from->normals ? (float *)to->normals + 3 * vertex : NULL;
    if (normal)
        mesh_move_normal(matrix, from->normals + 3 * source, normal);
    if (normal && from->tangents)
        mesh_move_tangent(pose, normal, from->tangents + 4 * source, (float *)to->tangents + 4 * vertex);
}

bool mesh_directions_agree(const cp_pose *pose, const double matrix[3][3], const cp_mesh *a, size_t p, const cp_mesh *b,
                           size_t q)
{
    const double allowed = 1e-3;
    float normal[3], tangent[4];
    cp_mesh moved = {.normals = normal, .tangents = tangent};
    bool agree = true;
    mesh_move_directions(pose, matrix, a, p, &moved, 0);
    for (size_t axis = 0; a->normals && axis < 3; axis++)
        agree = agree && fabs((double)normal[axis] - (double)b->normals[3 * q + axis]) <= allowed;
    for (size_t axis = 0; a->tangents && axis < 4; axis++)
        agree = agree && fabs((double)tangent[axis] - (double)b->tangents[4 * q + axis]) <= allowed;
    return agree;
}

bool mesh_shows_tangents(const cp_scene *scene, const cp_mesh *mesh)
{
    bool shows = false;
    for (uint32_t i = 0; mesh->tangents && i < mesh->group_count && !shows; i++) {
        uint32_t number = mesh->groups[i].material;
        const cp_material *material = number == CP_NONE ? NULL : &scene->materials[number];
        shows = material && material->extensions;
        for (uint32_t k = 0; material && k < material->texture_count; k++)
            shows = shows || material->textures[k].role == CP_TEXTURE_NORMAL;
    }
    return shows;
}

/* Smooth normals against the definition, carried out on all pairs of corners of small meshes. */
#include "mesh/mesh.h"

#include "mesh_support.h"
#include "model/model.h"
#include "scene_fixture.h"

enum { MOST_CORNERS = 400, GRID = 3, ROUNDS = 400 };

/* The definition needs this of a corner. */
struct known {
    const float *position;
    uint32_t face, vertex, next, last; /* the corners beside it in its face */
    double normal[3], area, angle;
    uint32_t set;
};

static bool is_same_position(const float *a, const float *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static double length(const double v[3])
{
    return sqrt(dot_product(v, v));
}

static void edge_between(const struct known *from, const struct known *to, double edge[3])
{
    for (int axis = 0; axis < 3; axis++)
        edge[axis] = (double)to->position[axis] - (double)from->position[axis];
}

static void know_corners(const cp_mesh *mesh, struct known *known)
{
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        double sum[3] = {0, 0, 0}, part[3], out[3], in[3];
        for (uint32_t i = 0; i < size; i++) {
            struct known *at = &known[first + i];
            *at = (struct known){.vertex = mesh->corners[first + i],
                                 .face = face,
                                 .next = first + (i + 1) % size,
                                 .last = first + (i + size - 1) % size,
                                 .set = first + i};
            at->position = mesh->positions + 3 * (size_t)at->vertex;
        }
        for (uint32_t i = 1; i + 1 < size; i++) {
            edge_between(&known[first], &known[first + i], out);
            edge_between(&known[first], &known[first + i + 1], in);
            cross_product(out, in, part);
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += part[axis];
        }
        for (uint32_t i = 0; i < size; i++) {
            struct known *at = &known[first + i];
            at->area = length(sum);
            for (int axis = 0; axis < 3; axis++)
                at->normal[axis] = at->area > 0 ? sum[axis] / at->area : 0;
            edge_between(at, &known[at->next], out);
            edge_between(at, &known[at->last], in);
            cross_product(out, in, part);
            at->angle = length(out) > 0 && length(in) > 0 ? atan2(length(part), dot_product(out, in)) : 0;
            if (dot_product(part, sum) < 0)
                at->angle = 2 * PI - at->angle;
        }
    }
}

/* True if the edges from corners a and b to the corners behind them have the same two ends. */
static bool same_edge(const struct known *known, uint32_t a, uint32_t b)
{
    const float *a0 = known[a].position, *a1 = known[known[a].next].position;
    const float *b0 = known[b].position, *b1 = known[known[b].next].position;
    return (is_same_position(a0, b0) && is_same_position(a1, b1)) ||
           (is_same_position(a0, b1) && is_same_position(a1, b0));
}

static void unite(struct known *known, uint32_t count, uint32_t a, uint32_t b)
{
    uint32_t from = known[b].set, to = known[a].set;
    for (uint32_t i = 0; i < count; i++)
        if (known[i].set == from)
            known[i].set = to;
}

static void unite_soft_edges(struct known *known, uint32_t count, double crease)
{
    for (uint32_t a = 0; a < count; a++) {
        uint32_t faces = 0, b = 0;
        if (known[a].area == 0 || is_same_position(known[a].position, known[known[a].next].position))
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (known[i].area > 0 && same_edge(known, a, i)) {
                faces++;
                b = i != a ? i : b;
            }
        if (faces != 2 || acos(fmax(-1, fmin(1, dot_product(known[a].normal, known[b].normal)))) >= crease)
            continue;
        bool same_way = is_same_position(known[a].position, known[b].position);
        unite(known, count, a, same_way ? b : known[b].next);
        unite(known, count, known[a].next, same_way ? known[b].next : b);
    }
}

static void check_normals(const cp_mesh *before, const cp_mesh *mesh, double crease, bool by_area)
{
    static struct known known[MOST_CORNERS];
    uint32_t count = before->corner_count, most = 0;
    know_corners(before, known);
    unite_soft_edges(known, count, crease);
    assert_int_equal(mesh->corner_count, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vertex = mesh->corners[i];
        const float *found = mesh->normals + 3 * (size_t)vertex;
        double sum[3] = {0, 0, 0}, size = 0;
        assert_true(vertex < mesh->vertex_count);
        assert_memory_equal(mesh->positions + 3 * (size_t)vertex, known[i].position, 12);
        for (uint32_t k = 0; k < count; k++) {
            /* A face counts at a corner without an angle, too, where it is alone. */
            double weight = by_area ? known[k].area : known[k].angle + 1e-9;
            for (int axis = 0; axis < 3 && known[k].set == known[i].set; axis++)
                sum[axis] += weight * known[k].normal[axis];
            size += known[k].set == known[i].set && known[k].area > 0 ? weight : 0;
            bool same = known[k].set == known[i].set && known[k].vertex == known[i].vertex;
            assert_int_equal(same, vertex == mesh->corners[k]);
        }
        if (length(sum) > 1e-6 * size) /* opposite faces have no sum but rounding */
            for (int axis = 0; axis < 3; axis++)
                assert_true(fabs((double)found[axis] - sum[axis] / length(sum)) < 1e-6 * fmax(1, size / length(sum)));
        assert_true(vertex >= before->vertex_count || vertex == known[i].vertex);
        assert_true(vertex < before->vertex_count || vertex <= before->vertex_count + most);
        most += vertex == before->vertex_count + most; /* new vertices come in the corners' order */
    }
    assert_int_equal(mesh->vertex_count, before->vertex_count + most);
}

/* Faces of 1 to 6 corners on a small grid share places, edges and vertices in every way, have no area, or bound more
 * than one neighbour. The crease angle is one that no two of them make. */
static void test_random_faces(void **unused)
{
    (void)unused;
    static float positions[3 * MOST_CORNERS];
    static uint32_t corners[MOST_CORNERS], offsets[MOST_CORNERS + 1];
    struct random random = {7};
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t faces = 1 + random_bits(&random) % 60, vertices = 3 + random_bits(&random) % 60, count = 0;
        bool polygons = round % 2;
        for (uint32_t i = 0; i < 3 * vertices; i++)
            positions[i] = random_bits(&random) % 8 ? (float)(random_bits(&random) % GRID) : -0.0f;
        for (uint32_t face = 0; face < faces; face++) {
            uint32_t size = polygons ? 1 + random_bits(&random) % 6 : 3;
            offsets[face] = count;
            for (uint32_t i = 0; i < size; i++)
                corners[count++] = random_bits(&random) % vertices;
        }
        offsets[faces] = count;
        const cp_mesh before = {.vertex_count = vertices,
                                .face_count = faces,
                                .corner_count = count,
                                .positions = positions,
                                .corners = corners,
                                .face_offsets = polygons ? offsets : NULL};
        double crease = (double[]){0.7, 1.234, 2.5, 4}[round / 2 % 4];
        cp_mesh by_angle = before, by_area = before;
        assert_int_equal(mesh_smooth_normals(scene, &by_angle, crease), CP_OK);
        assert_int_equal(mesh_smooth_normals_by_area(scene, &by_area, crease), CP_OK);
        check_normals(&before, &by_angle, crease, false);
        check_normals(&before, &by_area, crease, true);
    }
}

/* The same in one thread and in several, beyond an item of the threads' work. */
static void test_threads_make_no_difference(void **unused)
{
    (void)unused;
    cp_mesh meshes[2];
    for (uint32_t i = 0; i < 2; i++) {
        meshes[i] = (cp_mesh){.kind = CP_MESH_SPHERE, .name = "ball", .sides = 200, .size = {1, 0, 0}};
        assert_int_equal(mesh_tessellate(scene, &meshes[i]), CP_OK);
        cp_set_threads(context, i == 0 ? 1 : 4);
        assert_int_equal(mesh_smooth_normals(scene, &meshes[i], 0.02), CP_OK);
    }
    assert_true(meshes[0].vertex_count > 2 * 4096);
    assert_int_equal(meshes[0].vertex_count, meshes[1].vertex_count);
    assert_memory_equal(meshes[0].normals, meshes[1].normals, 12 * (size_t)meshes[0].vertex_count);
    assert_memory_equal(meshes[0].corners, meshes[1].corners, 4 * (size_t)meshes[0].corner_count);
}

/* Angles by the C library, of polygons of all sizes, coordinates near the ends of the floats' range among them. */
static void test_angles_of_polygons(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-30, 1, 1e6, 1e30};
    struct random random = {3};
    for (int round = 0; round < 4000; round++) {
        float positions[3 * 9], angles[9];
        uint32_t corners[9], count = 1 + (uint32_t)round % 9;
        struct known known[9];
        double size = sizes[round % 4];
        for (uint32_t i = 0; i < 3 * count; i++)
            positions[i] = (float)(size * (i % 3 == 2 && round % 3 ? 0 : random_unit(&random)));
        for (uint32_t i = 0; i < count; i++)
            corners[i] = i;
        const uint32_t offsets[] = {0, count};
        const cp_mesh mesh = {.vertex_count = count,
                              .face_count = 1,
                              .corner_count = count,
                              .positions = positions,
                              .corners = corners,
                              .face_offsets = offsets};
        struct polygon polygon = polygon_of(&mesh, 0);
        polygon_angles(&polygon, angles);
        know_corners(&mesh, known);
        for (uint32_t i = 0; i < count; i++)
            assert_true(fabs((double)angles[i] - known[i].angle) < 6e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_faces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_make_no_difference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_angles_of_polygons, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Hulls: the corners of small sets against all simplices of the other points, in whole numbers; large sets whose hull
 * is known. */
#include "collide/body/body.h"
#include "model/model.h"

#include "fixture.h"
#include "mesh_builder.h"
#include "scene_fixture.h"

__extension__ typedef __int128 wide;
typedef int64_t whole[3];

static struct hull find(const double (*points)[3], uint32_t count)
{
    struct hull hull;
    assert_int_equal(hull_find(context, points, count, &hull), CP_OK);
    return hull;
}

static double (*points_for(uint32_t count))[3]
{
    double(*points)[3] = malloc(count * sizeof *points);
    assert_non_null(points);
    return points;
}

/* ---- small sets ---- */

enum { MOST = 11 };

static void minus(const whole a, const whole b, whole out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static void cross(const whole a, const whole b, wide out[3])
{
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = (wide)a[k] * b[l] - (wide)a[l] * b[k];
    }
}

static int sign_of(wide value)
{
    return (value > 0) - (value < 0);
}

/* Which way a, b, c turn seen from p. */
static int turn(const whole p, const whole a, const whole b, const whole c)
{
    whole pa, pb, pc;
    wide normal[3], sum = 0;
    minus(a, p, pa);
    minus(b, p, pb);
    minus(c, p, pc);
    cross(pa, pb, normal);
    for (int i = 0; i < 3; i++)
        sum += normal[i] * pc[i];
    return sign_of(sum);
}

/* The three components of a normal have the same or the opposite signs, when both belong to one plane. */
static int turn_in_plane(const whole p, const whole a, const whole b)
{
    whole pa, pb;
    wide normal[3];
    minus(a, p, pa);
    minus(b, p, pb);
    cross(pa, pb, normal);
    return normal[0] != 0 ? sign_of(normal[0]) : normal[1] != 0 ? sign_of(normal[1]) : sign_of(normal[2]);
}

static bool in_segment(const whole p, const whole a, const whole b)
{
    if (turn_in_plane(p, a, b) != 0)
        return false;
    for (int i = 0; i < 3; i++)
        if ((p[i] < a[i] && p[i] < b[i]) || (p[i] > a[i] && p[i] > b[i]))
            return false;
    return true;
}

static bool in_triangle(const whole p, const whole a, const whole b, const whole c)
{
    int all = turn_in_plane(a, b, c),
        sides[] = {turn_in_plane(p, a, b), turn_in_plane(p, b, c), turn_in_plane(p, c, a)};
    if (all == 0 || turn(p, a, b, c) != 0)
        return false;
    return sides[0] * all >= 0 && sides[1] * all >= 0 && sides[2] * all >= 0;
}

static bool in_tetrahedron(const whole p, const whole a, const whole b, const whole c, const whole d)
{
    int all = turn(d, a, b, c);
    return all != 0 && turn(p, a, b, c) * all >= 0 && turn(p, a, c, d) * turn(b, a, c, d) >= 0 &&
           turn(p, a, d, b) * turn(c, a, d, b) >= 0 && turn(p, b, d, c) * turn(a, b, d, c) >= 0;
}

static bool equal(const whole a, const whole b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* What is in a hull is in a simplex of its points (Caratheodory). */
static bool is_corner(whole *points, uint32_t count, uint32_t which)
{
    whole *p = &points[which], others[MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!equal(points[i], *p))
            memcpy(others[n++], points[i], sizeof *others);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            if (in_segment(*p, others[a], others[b]))
                return false;
            for (uint32_t c = b + 1; c < n; c++) {
                if (in_triangle(*p, others[a], others[b], others[c]))
                    return false;
                for (uint32_t d = c + 1; d < n; d++)
                    if (in_tetrahedron(*p, others[a], others[b], others[c], others[d]))
                        return false;
            }
        }
    return true;
}

static bool holds(const struct hull *hull, const double point[3])
{
    for (uint32_t i = 0; i < hull->count; i++)
        if (hull->points[i][0] == point[0] && hull->points[i][1] == point[1] && hull->points[i][2] == point[2])
            return true;
    return false;
}

/* Random points in what some random vectors span: a point, a line, a plane, space. */
static void fill(struct random *random, whole *points, uint32_t count, int64_t range, int dimensions)
{
    whole vectors[4];
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++)
            vectors[i][axis] = (int64_t)(random_bits(random) % (uint64_t)(2 * range + 1)) - range;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(points[i], vectors[3], sizeof *points);
        for (int k = 0; k < dimensions; k++) {
            int64_t times = (int64_t)(random_bits(random) % 7) - 3;
            for (int axis = 0; axis < 3; axis++)
                points[i][axis] += times * vectors[k][axis];
        }
    }
}

static void test_small_sets(void **unused)
{
    (void)unused;
    struct random random = {3};
    static const int64_t ranges[] = {1, 2, 50, INT64_C(1) << 30};
    static const int powers[] = {0, -200, 200, -40};
    uint32_t rounds = usual_or_long(4000, 100000), flat = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        whole points[MOST];
        double scaled[MOST][3];
        uint32_t count = 1 + random_bits(&random) % MOST, corners = 0;
        fill(&random, points, count, ranges[round % 4], (int)(round / 4 % 6) < 3 ? (int)(round / 4 % 6) : 3);
        for (uint32_t i = 0; i < count; i++)
            for (int axis = 0; axis < 3; axis++)
                scaled[i][axis] = ldexp((double)points[i][axis], powers[round / 24 % 4]);
        struct hull hull = find((const double(*)[3])scaled, count);
        for (uint32_t i = 0; i < count; i++) {
            bool first = true;
            for (uint32_t k = 0; k < i; k++)
                first = first && !equal(points[i], points[k]);
            bool corner = is_corner(points, count, i);
            assert_int_equal(holds(&hull, scaled[i]), corner);
            corners += corner && first;
        }
        assert_int_equal(hull.count, corners);
        flat += hull.volume == 0;
        hull_free(context, &hull);
    }
    assert_true(flat > rounds / 3 && flat < rounds * 3 / 4);
}

/* ---- large sets ---- */

static void random_direction(struct random *random, double out[3])
{
    double length2;
    do {
        for (int axis = 0; axis < 3; axis++)
            out[axis] = 2 * random_unit(random) - 1;
        length2 = out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
    } while (length2 > 1 || length2 < 1e-3);
    for (int axis = 0; axis < 3; axis++)
        out[axis] /= sqrt(length2);
}

static double farthest_along(const double (*points)[3], uint32_t count, const double direction[3])
{
    double most = -INFINITY;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, points[i][0] * direction[0] + points[i][1] * direction[1] + points[i][2] * direction[2]);
    return most;
}

/* Corners go as far as all points, in any direction; each cluster's box holds its corners. */
static void expect_same_reach(const struct hull *hull, const double (*points)[3], uint32_t count, double size)
{
    struct random random = {11};
    for (int round = 0; round < 50; round++) {
        double direction[3], all, corners;
        random_direction(&random, direction);
        all = farthest_along(points, count, direction);
        corners = farthest_along((const double(*)[3])hull->points, hull->count, direction);
        assert_true(fabs(all - corners) <= 1e-15 * size);
    }
    assert_int_equal(hull->cluster_count, 1 + (hull->count + CLUSTER - 1) / CLUSTER);
    for (uint32_t i = 0; i < hull->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const struct cluster *boxes[] = {&hull->clusters[0], &hull->clusters[1 + i / CLUSTER]};
            for (int k = 0; k < 2; k++)
                assert_true(fabs(hull->points[i][axis] - boxes[k]->centre[axis]) <= boxes[k]->half[axis] * (1 + 1e-15));
        }
}

/* All points of a sphere are corners: what rounding moves them by is far less than what the sphere bends between
 * them. */
static void test_sphere(void **unused)
{
    (void)unused;
    struct random random = {4};
    uint32_t count = 100000;
    double(*points)[3] = points_for(count);
    for (uint32_t i = 0; i < count; i++)
        random_direction(&random, points[i]);
    struct hull hull = find((const double(*)[3])points, count);
    assert_int_equal(hull.count, count);
    assert_true(hull.volume < 4 * PI / 3 && hull.volume > 4 * PI / 3 * (1 - 20.0 / count));
    expect_same_reach(&hull, (const double(*)[3])points, count, 1);
    hull_free(context, &hull);
    free(points);
}

/* A ball's points, and all of them once more: few are corners. */
static void test_ball(void **unused)
{
    (void)unused;
    struct random random = {5};
    uint32_t count = 20000;
    double(*points)[3] = points_for(2 * count);
    for (uint32_t i = 0; i < count; i++) {
        random_direction(&random, points[i]);
        double radius = 1000 * cbrt(random_unit(&random));
        for (int axis = 0; axis < 3; axis++)
            points[count + i][axis] = points[i][axis] = 500 + radius * points[i][axis];
    }
    struct hull hull = find((const double(*)[3])points, 2 * count);
    assert_true(hull.count > 100 && hull.count < count / 10);
    expect_same_reach(&hull, (const double(*)[3])points, 2 * count, 1e4);
    struct hull again = find((const double(*)[3])hull.points, hull.count);
    assert_int_equal(again.count, hull.count);
    assert_memory_equal(again.points, hull.points, hull.count * sizeof *hull.points);
    assert_true(fabs(again.volume - hull.volume) <= 1e-12 * hull.volume);
    hull_free(context, &again);
    hull_free(context, &hull);
    free(points);
}

/* A cube, a plate and a row of points on a grid have 8, 4 and 2 corners. */
static void test_grids(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][3] = {{22, 22, 22}, {100, 100, 1}, {1, 10000, 1}, {2, 70, 70}};
    for (int k = 0; k < 4; k++) {
        const uint32_t *size = sizes[k];
        uint32_t count = size[0] * size[1] * size[2], corners = 1;
        double(*points)[3] = points_for(count), volume = 1;
        for (uint32_t i = 0; i < count; i++) {
            points[i][0] = i % size[0];
            points[i][1] = 0.5 * (i / size[0] % size[1]);
            points[i][2] = 7.0 - i / size[0] / size[1];
        }
        for (int axis = 0; axis < 3; axis++) {
            corners *= size[axis] > 1 ? 2 : 1;
            volume *= (size[axis] - 1) * (axis == 1 ? 0.5 : 1);
        }
        struct hull hull = find((const double(*)[3])points, count);
        assert_int_equal(hull.count, corners);
        assert_true(fabs(hull.volume - volume) <= 1e-12 * volume);
        hull_free(context, &hull);
        free(points);
    }
}

/* Where products of coordinates leave the range of doubles nothing is left out. */
static void test_out_of_range(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e200, 1e-200, 1e80, INFINITY};
    for (int i = 0; i < 4; i++) {
        double points[][3] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25, 0.25, 0.25}};
        for (int axis = 0; axis < 3; axis++)
            points[3][axis] *= points[3][axis] > 0 ? sizes[i] : 1;
        struct hull hull = find((const double(*)[3])points, 6);
        assert_int_equal(hull.count, 6);
        assert_null(hull.clusters);
        assert_true(hull.volume == 0);
        hull_free(context, &hull);
    }
    struct hull hull = find(NULL, 0);
    assert_int_equal(hull.count, 0);
    hull_free(context, &hull);
}

static void test_without_memory(void **unused)
{
    (void)unused;
    struct random random = {6};
    double points[60][3];
    for (int i = 0; i < 60; i++)
        random_direction(&random, points[i]);
    long most = 0;
    cp_status status = CP_LIMIT;
    for (; status == CP_LIMIT; most++) {
        long left = 1000;
        cp_context *poor = cp_context_new(&(cp_allocator){failing_resize, &left});
        assert_non_null(poor);
        left = most;
        struct hull hull;
        status = hull_find(poor, (const double(*)[3])points, 60, &hull);
        hull_free(poor, &hull);
        cp_context_free(poor);
    }
    assert_int_equal(status, CP_OK);
    assert_true(most > 20);
}

/* ---- bodies ---- */

static void add_frame(const cp_mesh *mesh, int times)
{
    uint32_t index = scene_add_mesh(scene, mesh), node = scene_add_node(scene, 0, "frame", 5);
    assert_true(index != CP_NONE && node != CP_NONE);
    for (int i = 0; i < times; i++) {
        cp_pose pose = pose_translation(3.0 * i, 0.1, 0);
        assert_true(scene_add_instance(scene, node, index, CP_USE_BOTH, &pose) != CP_NONE);
    }
}

static cp_mesh primitive(cp_mesh_kind kind, double x, double y, double z, uint32_t sides)
{
    return (cp_mesh){.name = "m", .source = "", .kind = kind, .size = {x, y, z}, .sides = sides};
}

static void test_convex_bodies(void **unused)
{
    (void)unused;
    struct builder open = {0}, dented = {0};
    struct bodies bodies;
    cp_mesh box = primitive(CP_MESH_BOX, 2, 3, 4, 0), tube = primitive(CP_MESH_TUBE, 1, 0.5, 4, 24),
            cylinder = primitive(CP_MESH_CYLINDER, 1, 1, 4, 24), plane = primitive(CP_MESH_PLANE, 1, 1, 0, 0);
    add_box(&open, (const double[]){0, 0, 0}, (const double[]){4, 4, 4});
    add_box(&dented, (const double[]){0, 0, 0}, (const double[]){4, 4, 4});
    open.faces--;
    dented.positions[0] += 1; /* into the box, which it is the corner of */
    dented.positions[1] += 1;
    dented.positions[2] += 1;
    cp_mesh opened = mesh_of(&open), dent = mesh_of(&dented);
    static const bool expected[] = {true, false, true, false, false, false, false};
    add_frame(&box, 1);
    add_frame(&tube, 1);
    add_frame(&cylinder, 1);
    add_frame(&box, 2);
    add_frame(&opened, 1);
    add_frame(&dent, 1);
    add_frame(&plane, 1);
    assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
    assert_int_equal(bodies.count, 7);
    assert_int_equal(bodies_find_hulls(&bodies), CP_OK);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(bodies.items[i].convex, expected[i]);
    assert_true(fabs(bodies.items[0].hull.volume - 24) < 1e-12);
    bodies_free(&bodies);
    free_builder(&open);
    free_builder(&dented);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_small_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sphere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ball, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_out_of_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_convex_bodies, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

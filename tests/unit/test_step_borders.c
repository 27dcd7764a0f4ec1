/* Triangles between the borders of a face that Open CASCADE has lost. The kernel is a stand-in: a plane or a cone.
 * Right values: areas by formula, and that each piece of a border is passed once, each other edge once either way. */
#include <math.h>
#include <string.h>

#include "../../importers/step/step.h"
#include "fixture.h"

#ifdef HAVE_OCCT

enum { MOST = 1000, BOTTOM = 40, TOP = 30 };

/* The radius is 5 where v is 0, and 3 at the height 8. */
static const double radius = 5, narrowing = -2. / 8;

static bool is_cone;
static double points[MOST][3], places[MOST][2];
static uint32_t point_count, triangles[MOST + 8][3];

static bool evaluate(const struct cad_model *model, uint32_t face, const double place[2], double point[3], double u[3],
                     double v[3])
{
    (void)model, (void)face;
    double at = is_cone ? radius + narrowing * place[1] : 0, cosine = cos(place[0]), sine = sin(place[0]);
    const double cone[3][3] = {{at * cosine, at * sine, place[1]},
                               {-at * sine, at * cosine, 0},
                               {narrowing * cosine, narrowing * sine, 1}},
                 plane[3][3] = {{place[0], place[1], 0}, {1, 0, 0}, {0, 1, 0}};
    memcpy(point, is_cone ? cone[0] : plane[0], sizeof cone[0]);
    memcpy(u, is_cone ? cone[1] : plane[1], sizeof cone[1]);
    memcpy(v, is_cone ? cone[2] : plane[2], sizeof cone[2]);
    return true;
}

static bool project(const struct cad_model *model, uint32_t face, const double point[3], double place[2])
{
    (void)model, (void)face, (void)point, (void)place;
    return false;
}

static void add(double u, double v)
{
    double along_u[3], along_v[3];
    places[point_count][0] = u;
    places[point_count][1] = v;
    evaluate(NULL, 0, places[point_count], points[point_count], along_u, along_v);
    point_count++;
}

/* Cuts the points of the borders; returns the number of triangles. */
static uint32_t cut(cp_context *context, const uint32_t *borders, uint32_t border_count)
{
    const struct cad_face face = {.point_count = point_count, .border_count = border_count};
    const struct cad_mesh mesh = {.faces = &face,
                                  .points = (const double(*)[3])points,
                                  .places = (const double(*)[2])places,
                                  .borders = borders,
                                  .face_count = 1,
                                  .point_count = point_count};
    const struct step_model model = {0};
    uint32_t count = 77;
    assert_int_equal(step_cut_face(context, &model, &mesh, 0, triangles, &count), CP_OK);
    assert_true(count <= step_most_triangles(&face));
    return count;
}

static uint32_t passes(uint32_t count, uint32_t from, uint32_t to)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            found += triangles[i][k] == from && triangles[i][(k + 1) % 3] == to;
    return found;
}

static void expect_closed(uint32_t count, const uint32_t *borders, uint32_t border_count)
{
    for (uint32_t i = 0, first = 0; i < border_count; first += borders[i++])
        for (uint32_t k = 0; k < borders[i]; k++) {
            uint32_t from = first + k, to = first + (k + 1) % borders[i];
            assert_int_equal(passes(count, from, to), 1);
            assert_int_equal(passes(count, to, from), 0);
        }
    uint32_t sides = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            sides += passes(count, triangles[i][(k + 1) % 3], triangles[i][k]);
    assert_int_equal(sides, 3 * count - point_count);
}

static double area_of(uint32_t count)
{
    double area = 0;
    for (uint32_t i = 0; i < count; i++) {
        double normal[3];
        triangle_normal(points[triangles[i][0]], points[triangles[i][1]], points[triangles[i][2]], normal);
        area += sqrt(dot_product(normal, normal)) / 2;
    }
    return area;
}

static void setup_kernel(bool cone)
{
    step_kernel.cad_evaluate = evaluate;
    step_kernel.cad_project = project;
    is_cone = cone;
    point_count = 0;
}

/* Tells whether the middles of all edges are as near to the cone as those of a step of the coarser circle. */
static void expect_near(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const double *a = points[triangles[i][k]], *b = points[triangles[i][(k + 1) % 3]];
            double out = hypot(a[0] + b[0], a[1] + b[1]) / 2, z = (a[2] + b[2]) / 2;
            assert_true(fabs(out - (radius + narrowing * z)) <= radius * (1 - cos(PI / TOP)));
        }
}

/* Triangles between three neighbours on such a border have the shortest edges, and are four times as far away. */
static void short_edges_count_less_than_near_ones(void **state)
{
    const uint32_t borders[] = {BOTTOM + TOP + 2};
    setup_kernel(true);
    for (int i = 0; i <= BOTTOM; i++)
        add(2 * PI * i / BOTTOM, -sin(PI * i / BOTTOM));
    for (int i = TOP; i >= 0; i--)
        add(2 * PI * i / TOP, 8 + sin(PI * i / TOP));
    uint32_t count = cut(*state, borders, 1);
    expect_closed(count, borders, 1);
    expect_near(count);
}

/* Its seam is passed twice. */
static void a_cone_is_cut_along_its_lines(void **state)
{
    const uint32_t borders[] = {BOTTOM + TOP + 2};
    setup_kernel(true);
    for (int i = 0; i <= BOTTOM; i++)
        add(2 * PI * i / BOTTOM, 0);
    for (int i = TOP; i >= 0; i--)
        add(2 * PI * i / TOP, 8);
    uint32_t count = cut(*state, borders, 1);
    assert_int_equal(count, point_count - 2);
    expect_closed(count, borders, 1);
    assert_true(fabs(area_of(count) / (PI * (5 + 3) * hypot(8, 2)) - 1) < 0.01);
    expect_near(count);
}

static void holes_stay_open(void **state)
{
    const uint32_t borders[] = {4, 4, 4};
    const double corners[12][2] = {{2, 2},   {2, 3},  {3, 3}, {3, 2}, {0, 0}, {10, 0},
                                   {10, 10}, {0, 10}, {6, 5}, {6, 8}, {8, 8}, {8, 5}};
    setup_kernel(false);
    for (int i = 0; i < 12; i++)
        add(corners[i][0], corners[i][1]);
    uint32_t count = cut(*state, borders, 3);
    assert_int_equal(count, 12 + 2 * 2 - 2);
    assert_true(fabs(area_of(count) - (100 - 1 - 6)) < 1e-9);
    for (uint32_t i = 0, first = 0; i < 3; first += borders[i++])
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(passes(count, first + k, first + (k + 1) % 4), 1);
}

static void a_border_that_crosses_itself_is_filled(void **state)
{
    const uint32_t borders[] = {6};
    const double corners[6][2] = {{0, 0}, {1, 0.1}, {2, 0}, {2, 0.05}, {1, 0.02}, {0, 0.1}};
    setup_kernel(false);
    for (int i = 0; i < 6; i++)
        add(corners[i][0], corners[i][1]);
    uint32_t count = cut(*state, borders, 1);
    assert_int_equal(count, 4);
    expect_closed(count, borders, 1);
}

static void what_cannot_be_cut_is_left(void **state)
{
    uint32_t borders[] = {700};
    setup_kernel(false);
    for (int i = 0; i < 700; i++)
        add(cos(2 * PI * i / 700), sin(2 * PI * i / 700));
    assert_int_equal(cut(*state, borders, 1), 0);
    borders[0] = point_count = 2;
    assert_int_equal(cut(*state, borders, 1), 0);
    point_count = 0;
    add(0, 0);
    add(1e300, 0);
    add(0, 1);
    borders[0] = 3;
    assert_int_equal(cut(*state, borders, 1), 0);
    places[1][0] = points[1][0] = (double)NAN;
    assert_int_equal(cut(*state, borders, 1), 0);
    borders[0] = 0;
    point_count = 0;
    assert_int_equal(cut(*state, borders, 0), 0);
}

#endif

int main(void)
{
#ifdef HAVE_OCCT
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cone_is_cut_along_its_lines),
        cmocka_unit_test(short_edges_count_less_than_near_ones),
        cmocka_unit_test(holes_stay_open),
        cmocka_unit_test(a_border_that_crosses_itself_is_filled),
        cmocka_unit_test(what_cannot_be_cut_is_left),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
#else
    return 0;
#endif
}

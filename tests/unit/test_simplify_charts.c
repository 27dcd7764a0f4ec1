/* Simplifying a closed shape whose texture is of many charts, as scans and painted models have: where the bound on
 * textures ends the work, it ends there. */
#include "plain_numbers.h"
#include "simplify_shapes.h"

enum { TEXELS = 2048, SQUARES = 12, BLOCK = 3 };

/* A knobbly ball of six sides of n x n squares; each block of squares is a chart of its own. All charts lie in the unit
 * square, apart from each other. The sides from `painted` on show one point of the texture alone. */
static cp_mesh make_ball(uint32_t n, uint32_t block, uint32_t painted)
{
    cp_mesh mesh = cube_of_squares(n);
    uint32_t across = (n + block - 1) / block, charts = 6 * across * across, columns = (uint32_t)ceil(sqrt(charts));
    float *positions = scratch(mesh.vertex_count, 3 * sizeof *positions);
    float *coordinates = scratch(mesh.vertex_count, 2 * sizeof *coordinates);
    for (uint32_t vertex = 0; vertex < mesh.vertex_count; vertex++) {
        const uint32_t square = vertex / 4, side = square / (n * n), i = square % (n * n) / n, k = square % n;
        const float *at = position_at(&mesh, vertex);
        double place[3], length = 0, u = i + (vertex % 4 == 1 || vertex % 4 == 2), v = k + (vertex % 4 >= 2);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = 2 * (double)at[axis] - 1;
            length += place[axis] * place[axis];
        }
        length = sqrt(length);
        for (int axis = 0; axis < 3; axis++)
            place[axis] /= length;
        double knob = 1 + 0.06 * sin(9 * place[0] + 1) * sin(8 * place[1] + 2) * sin(7 * place[2] + 3);
        for (int axis = 0; axis < 3; axis++)
            positions[3 * (size_t)vertex + (size_t)axis] = (float)(knob * place[axis]);
        uint32_t chart = (side * across + i / block) * across + k / block;
        double across_chart = 0.1 + 0.8 * (u - i / block * block) / block;
        double along_chart = 0.1 + 0.8 * (v - k / block * block) / block;
        coordinates[2 * (size_t)vertex] = side < painted ? (float)((chart % columns + across_chart) / columns) : 0;
        coordinates[2 * (size_t)vertex + 1] = side < painted ? (float)((chart / columns + along_chart) / columns) : 0;
    }
    mesh.positions = positions;
    mesh.coordinates[0] = coordinates;
    return mesh;
}

enum { OFFERS = 2 };

/* Holds what the filter made of a mesh, and said of it: the triangles that more texels would leave, if fewer. */
struct result {
    const cp_mesh *mesh; /* valid until the next call */
    uint64_t triangles;
    double texels[OFFERS];
    uint64_t offered[OFFERS];
};

/* Reads the number behind these words; returns what follows it, or NULL if they are not there. */
static const char *number_behind(const char *text, const char *words, double *number)
{
    const char *at = text ? strstr(text, words) : NULL;
    return at ? cp_parse_number(at + strlen(words), strchr(at, 0), number) : NULL;
}

static struct result simplify(const cp_mesh *mesh, double ratio, double texels)
{
    char options[2][40];
    const char *const both[] = {options[0], options[1]};
    (void)plain_snprintf(options[0], sizeof options[0], "ratio=%.17g", ratio);
    (void)plain_snprintf(options[1], sizeof options[1], "texels=%.17g", texels);
    struct result result = {.mesh = simplify_shown(mesh, CP_USE_DRAWN, TEXELS, both, 2)};
    result.triangles = result.mesh->face_count;
    double shift = number_told(context, "simplify-shift", "at most about "), triangles = 0;
    const cp_entry *missed = find_entry(context, "simplify-missed");
    const char *more = missed ? missed->text : NULL;
    assert_true(shift > 0 && shift <= texels);
    for (size_t i = 0; i < OFFERS; i++) {
        const char *next = number_behind(more, i == 0 ? "; texels=" : ", texels=", &result.texels[i]);
        more = next ? number_behind(next, i == 0 ? " would reach " : " ", &triangles) : NULL;
        result.offered[i] = more ? (uint64_t)triangles : result.triangles;
    }
    return result;
}

/* A lower ratio, or more texels, never leaves more triangles, and nothing opens. What more texels are said to reach is
 * what they reach. */
static void test_ratios_and_texels(void **unused)
{
    (void)unused;
    enum { RATIOS = 6, BOUNDS = 5 };
    const double ratios[RATIOS] = {0.5, 0.2, 0.105, 0.1, 0.095, 0.02}, bounds[BOUNDS] = {1, 2, 8, 16, 400};
    uint64_t left[RATIOS][BOUNDS], reached = 0, stopped = 0;
    const int step = (int)usual_or_long(2, 1);
    for (int ratio = 0; ratio < RATIOS; ratio++)
        for (int bound = 0; bound < BOUNDS; bound += step) {
            cp_mesh mesh = make_ball(SQUARES, BLOCK, 6);
            uint64_t wanted = (uint64_t)ceil(ratios[ratio] * mesh.face_count);
            struct result result = simplify(&mesh, ratios[ratio], bounds[bound]);
            assert_closed(result.mesh, 2);
            left[ratio][bound] = result.triangles;
            assert_true(ratio == 0 || result.triangles <= left[ratio - 1][bound]);
            assert_true(bound == 0 || result.triangles <= left[ratio][bound - step]);
            reached += result.triangles <= wanted;
            for (size_t i = 0; i < OFFERS; i++) {
                assert_true(result.offered[i] <= result.triangles);
                if (result.offered[i] == result.triangles)
                    continue;
                assert_true(result.texels[i] > bounds[bound]);
                assert_int_equal(simplify(&mesh, ratios[ratio], result.texels[i]).triangles, result.offered[i]);
                stopped++;
            }
        }
    assert_true(reached > 0 && stopped > 0);
}

/* Triangles whose texture does not change over them. */
static uint32_t count_unpainted(const cp_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        bool zero = true;
        for (uint32_t i = 6 * face; i < 6 * face + 6; i++)
            zero = zero && mesh->coordinates[0][2 * (size_t)mesh->corners[i / 2] + i % 2] == 0;
        count += zero;
    }
    return count;
}

/* Sides without a picture do not pay for those with one: they keep what the ratio leaves them. */
static void test_plain_sides(void **unused)
{
    (void)unused;
    const double ratios[] = {0.4, 0.2, 0.1};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        const cp_mesh ball = make_ball(SQUARES, BLOCK, 4);
        struct result bounded = simplify(&ball, ratios[i], 1);
        uint32_t plain = count_unpainted(bounded.mesh);
        struct result loose = simplify(&ball, ratios[i], 1e9);
        uint32_t loosely = count_unpainted(loose.mesh);
        print_message("ratio %g: %u triangles, %u of them plain; without a bound %u and %u\n", ratios[i],
                      (unsigned)bounded.triangles, (unsigned)plain, (unsigned)loose.triangles, (unsigned)loosely);
        assert_true(bounded.triangles > loose.triangles);
        assert_true(plain >= 0.9 * loosely);
    }
}

/* Edges of one face, of joined positions. */
static uint64_t count_borders(const cp_mesh *mesh)
{
    return plain_topology(mesh).border_edges;
}

/* A ball with windows in several sides: no border gets more edges. */
static void test_windows(void **unused)
{
    (void)unused;
    const double ratios[] = {0.5, 0.1, 0.02}, bounds[] = {0.5, 1, 8, 400};
    cp_mesh ball = make_ball(SQUARES, BLOCK, 6);
    uint32_t *corners = scratch(ball.corner_count, sizeof *corners), count = 0;
    for (uint32_t square = 0; square < ball.face_count / 2; square++) {
        uint32_t i = square % (SQUARES * SQUARES) / SQUARES, k = square % SQUARES, side = square / (SQUARES * SQUARES);
        if (side % 2 == 0 && i >= 2 && i < 4 + side && k >= 4 && k < 7)
            continue;
        memcpy(corners + count, ball.corners + 6 * (size_t)square, 6 * sizeof *corners);
        count += 6;
    }
    ball.corners = corners;
    ball.corner_count = count;
    ball.face_count = count / 3;
    uint64_t before = count_borders(&ball);
    assert_true(before > 20);
    for (size_t ratio = 0; ratio < sizeof ratios / sizeof *ratios; ratio++)
        for (size_t bound = 0; bound < sizeof bounds / sizeof *bounds; bound++)
            assert_true(count_borders(simplify(&ball, ratios[ratio], bounds[bound]).mesh) <= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ratios_and_texels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plain_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_windows, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

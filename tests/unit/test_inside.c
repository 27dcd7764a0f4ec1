/* The proof by depth, that bodies always touch: against samples in which boxes are apart along one of fifteen
 * directions, and against boxes of which it is known. */
#include "chain_support.h"
#include "model/model.h"

#include "mesh_builder.h"

enum { MOST_PIECES = 3 };

/* A body of boxes that may overlap. */
struct pieces {
    double corners[MOST_PIECES][8][3];
    uint32_t count;
};

static void add_piece(struct pieces *pieces, const double low[3], const double high[3])
{
    double(*corners)[3] = pieces->corners[pieces->count++];
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++)
            corners[i][axis] = (double)(float)(i >> axis & 1 ? high[axis] : low[axis]); /* as meshes have it */
}

/* Each piece a mesh of its own, without its last face where it is open. The builders keep the meshes' arrays. */
static void add_meshes(const struct pieces *pieces, uint32_t node, bool open, struct builder builders[MOST_PIECES])
{
    for (uint32_t i = 0; i < pieces->count; i++) {
        cp_pose identity = POSE_IDENTITY;
        add_box(&builders[i], pieces->corners[i][0], pieces->corners[i][7]);
        builders[i].faces -= open;
        cp_mesh mesh = mesh_of(&builders[i]);
        uint32_t index = scene_add_mesh(scene, &mesh);
        assert_true(index != CP_NONE);
        assert_true(scene_add_instance(scene, node, index, CP_USE_COLLISION, &identity) != CP_NONE);
    }
}

static enum proof_end prove_two_touch(struct setting *setting, const struct pieces pieces[2], double touch, bool open)
{
    struct opened opened;
    struct bodies bodies;
    struct builder builders[2][MOST_PIECES] = {{{0}}};
    double values[2 * MOST_LINKS];
    const uint64_t work = 5000;
    make_scene(setting);
    for (int side = 0; side < 2; side++)
        add_meshes(&pieces[side], setting->arms[side].node, open && side == 1, builders[side]);
    assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
    assert_int_equal(bodies.count, 2);
    assert_int_equal(bodies_find_hulls(&bodies), CP_OK);
    open_chain(setting, &opened);
    struct proof proof =
        prove_inside(&opened.prover, &opened.chain, (const struct body *const[]){&bodies.items[0], &bodies.items[1]},
                     touch, work, values);
    assert_int_not_equal(proof.end, PROOF_HIT);
    close_chain(&opened);
    bodies_free(&bodies);
    for (int i = 0; i < 2 * MOST_PIECES; i++)
        free_builder(&builders[i / MOST_PIECES][i % MOST_PIECES]);
    return proof.end;
}

/* ---- boxes that are apart ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* How far the corners are apart along a direction; less than 0 where they overlap. */
static double gap_along(double one[8][3], double other[8][3], const double direction[3])
{
    double length = sqrt(dot(direction, direction)), low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    if (length < 1e-9)
        return -INFINITY;
    for (int i = 0; i < 8; i++) {
        double heights[2] = {dot(one[i], direction) / length, dot(other[i], direction) / length};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], heights[k]);
            high[k] = fmax(high[k], heights[k]);
        }
    }
    return fmax(low[0] - high[1], low[1] - high[0]);
}

/* No more than the boxes' distance; more than 0 where they are apart. */
static double box_gap(double one[8][3], double other[8][3])
{
    double axes[2][3][3], best = -INFINITY, direction[3];
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 3; k++) {
            axes[0][axis][k] = one[1 << axis][k] - one[0][k];
            axes[1][axis][k] = other[1 << axis][k] - other[0][k];
        }
    for (int i = 0; i < 3; i++) {
        best = fmax(best, fmax(gap_along(one, other, axes[0][i]), gap_along(one, other, axes[1][i])));
        for (int k = 0; k < 3; k++) {
            cross(axes[0][i], axes[1][k], direction);
            best = fmax(best, gap_along(one, other, direction));
        }
    }
    return best;
}

static double gap_of_pieces(const struct setting *setting, const struct pieces pieces[2], const double *values)
{
    double placed[2][MOST_PIECES][8][3], least = INFINITY;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pieces[side].count; i++)
            for (int k = 0; k < 8; k++) {
                memcpy(placed[side][i][k], pieces[side].corners[i][k], sizeof placed[side][i][k]);
                place_point(&setting->arms[side], setting->arms[side].count, values, placed[side][i][k]);
            }
    for (uint32_t i = 0; i < pieces[0].count; i++)
        for (uint32_t k = 0; k < pieces[1].count; k++)
            least = fmin(least, box_gap(placed[0][i], placed[1][k]));
    return least;
}

/* ---- samples ---- */

static void random_arms(struct random *random, struct setting *setting, struct pieces pieces[2])
{
    *setting = (struct setting){0};
    memset(pieces, 0, 2 * sizeof *pieces);
    uint32_t count = 1 + random_bits(random) % 3;
    double most = random_bits(random) % 3 ? 0.15 : 0.7;
    for (uint32_t i = 0; i < count; i++) {
        double axis[3];
        random_axis(random, axis);
        struct link *link = add_link(setting, random_bits(random) % 2,
                                     random_bits(random) % 3 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, axis);
        link->lower = -most * random_unit(random);
        link->upper = most * random_unit(random);
        link->angle = 6 * random_unit(random);
        for (int k = 0; k < 3; k++)
            link->place[k] = 0.4 * random_unit(random) - 0.2;
    }
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 1 + random_bits(random) % MOST_PIECES; i > 0; i--) {
            double low[3], high[3];
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = random_unit(random) - 0.9;
                high[axis] = low[axis] + 0.2 + random_unit(random);
            }
            add_piece(&pieces[side], low, high);
        }
}

static void test_samples(void **unused)
{
    (void)unused;
    struct random random = {31};
    uint32_t rounds = usual_or_long(250, 10000), always = 0, apart = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        struct setting setting;
        struct pieces pieces[2];
        double touch = round % 4 ? 0 : 0.01, farthest = -INFINITY;
        random_arms(&random, &setting, pieces);
        enum proof_end end = prove_two_touch(&setting, pieces, touch, false);
        for (int sample = 0; sample < 300; sample++) {
            double values[2 * MOST_LINKS];
            random_values(&setting, &random, values);
            farthest = fmax(farthest, gap_of_pieces(&setting, pieces, values));
        }
        if (end == PROOF_FREE)
            assert_true(farthest <= touch + 1e-9);
        always += end == PROOF_FREE;
        apart += farthest > touch;
    }
    assert_true(always > rounds / 10 && apart > rounds / 10);
}

/* ---- known answers ---- */

static const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};

/* One cube slides through another: up to 2 both ways they touch. */
static void test_sliding(void **unused)
{
    (void)unused;
    static const double ways[] = {0, 0.5, 1.5, 1.9, 2.001, 2.1, 4};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int side = 0; side < 2; side++) {
            struct setting setting = {0};
            struct pieces pieces[2] = {{.count = 0}, {.count = 0}};
            struct link *link = add_link(&setting, side, CP_JOINT_PRISMATIC, x_axis);
            link->lower = -ways[i];
            link->upper = ways[i];
            add_piece(&pieces[0], low, high);
            add_piece(&pieces[1], low, high);
            assert_int_equal(prove_two_touch(&setting, pieces, 0, false), ways[i] < 2 ? PROOF_FREE : PROOF_UNDECIDED);
        }
}

/* Turned about what they have in common; a joint all round that carries one out of the other. */
static void test_turning(void **unused)
{
    (void)unused;
    for (int away = 0; away < 2; away++) {
        struct setting setting = {0};
        struct pieces pieces[2] = {{.count = 0}, {.count = 0}};
        struct link *link = add_link(&setting, 0, CP_JOINT_REVOLUTE, z_axis);
        link->lower = -PI;
        link->upper = PI;
        add_piece(&pieces[0], (const double[]){away ? 1.5 : -0.5, -0.5, -0.5}, (const double[]){2.5, 0.5, 0.5});
        add_piece(&pieces[1], away ? (const double[]){1, -1, -1} : low, away ? (const double[]){3, 1, 1} : high);
        assert_int_equal(prove_two_touch(&setting, pieces, 0, false), away ? PROOF_UNDECIDED : PROOF_FREE);
    }
}

/* A small cube on an arm of 2 turns out of a slab of half a width of 0.5: when its near corner is above that. */
static void test_turning_out(void **unused)
{
    (void)unused;
    static const double angles[] = {0.1, 0.25, 0.27, 0.3, 0.35, 0.4, 0.5};
    for (size_t i = 0; i < 2 * sizeof angles / sizeof *angles; i++) {
        struct setting setting = {0};
        struct pieces pieces[2] = {{.count = 0}, {.count = 0}};
        int side = i % 2 != 0;
        struct link *link = add_link(&setting, side, CP_JOINT_REVOLUTE, z_axis);
        link->upper = angles[i / 2];
        link->lower = -link->upper;
        add_piece(&pieces[side], (const double[]){1.95, -0.05, -0.05}, (const double[]){2.05, 0.05, 0.05});
        add_piece(&pieces[!side], (const double[]){1, -0.5, -0.5}, (const double[]){3, 0.5, 0.5});
        bool out = 1.95 * sin(link->upper) - 0.05 * cos(link->upper) > 0.5;
        assert_int_equal(prove_two_touch(&setting, pieces, 0, false), out ? PROOF_UNDECIDED : PROOF_FREE);
    }
}

/* A cube without a lid is not full: what turns in it touches nothing. */
static void test_open(void **unused)
{
    (void)unused;
    for (int open = 0; open < 2; open++) {
        struct setting setting = {0};
        struct pieces pieces[2] = {{.count = 0}, {.count = 0}};
        (void)add_link(&setting, 0, CP_JOINT_REVOLUTE, z_axis);
        add_piece(&pieces[0], (const double[]){-0.2, -0.2, -0.2}, (const double[]){0.2, 0.2, 0.2});
        add_piece(&pieces[1], low, high);
        assert_int_equal(prove_two_touch(&setting, pieces, 0, open), open ? PROOF_UNDECIDED : PROOF_FREE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sliding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turning_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_open, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

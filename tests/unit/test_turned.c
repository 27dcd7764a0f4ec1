/* Boxes of a tree hold their triangles, and no bound by them is above the distance of what they hold. */
#include <float.h>

#include "model/model.h"
#include "random_bodies.h"
#include "wide_triangles.h"

/* Half the distance from 1 to the next float. */
static const double unit = (double)FLT_EPSILON / 2;

/* The triangles of a box, and of those below it, follow one another. */
static void find_span(const struct bvh *bvh, uint32_t box, uint32_t *first, uint32_t *end)
{
    const struct bvh_box *low = &bvh->boxes[box], *high = low;
    while (low->count == 0)
        low = &bvh->boxes[low->first];
    while (high->count == 0)
        high = &bvh->boxes[high->first + 1];
    *first = low->first;
    *end = high->first + high->count;
}

/* ---- what boxes hold ---- */

static long double determinant(triple columns[3])
{
    long double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += columns[0][i] *
               (columns[1][(i + 1) % 3] * columns[2][(i + 2) % 3] - columns[1][(i + 2) % 3] * columns[2][(i + 1) % 3]);
    return sum;
}

/* The point is centre + sum a_i axis_i; by Cramer's rule, as the axes are no more than nearly at right angles. */
static void expect_held(const struct turned_box *box, const double point[3])
{
    triple axes[3], away;
    for (int k = 0; k < 3; k++) {
        away[k] = (long double)point[k] - (long double)box->rows[k][3];
        for (int i = 0; i < 3; i++)
            axes[i][k] = (long double)box->rows[k][i];
    }
    long double all = determinant(axes);
    for (int i = 0; i < 3; i++) {
        triple columns[3];
        memcpy(columns, axes, sizeof columns);
        memcpy(columns[i], away, sizeof away);
        assert_true(fabsl(determinant(columns) / all) <= (long double)box->rows[3][i]);
    }
}

static void expect_held_along(const struct bvh *bvh, const struct turned_box *box, const double direction[3],
                              const double point[3])
{
    float along[3], middle, most;
    long double height = 0;
    for (int i = 0; i < 3; i++) {
        along[i] = (float)direction[i];
        height += (long double)along[i] * (long double)point[i];
    }
    turned_along(box, along, &middle, &most);
    /* four roundings of numbers up to 1.74 reach, and those of the halves: distance.c */
    assert_true(fabsl(height - (long double)middle) <= (long double)most + (long double)(40 * unit * bvh->reach));
}

static void random_direction(struct random *random, double direction[3])
{
    cp_pose pose = random_pose(random, 1);
    for (int i = 0; i < 3; i++)
        direction[i] = pose.m[4 * i + 3];
}

static double surface_of(double x, double y, double z)
{
    return x * y + y * z + z * x;
}

static void expect_holding(const struct bvh *bvh, uint32_t box, struct random *random)
{
    const struct turned_box *turned = &bvh->turned[box];
    const struct bvh_box *straight = &bvh->boxes[box];
    uint32_t first, end;
    double direction[3];
    find_span(bvh, box, &first, &end);
    random_direction(random, direction);
    for (uint32_t triangle = first; triangle < end; triangle++)
        for (int corner = 0; corner < 3; corner++) {
            const double *point = bvh->vertices[bvh->triangles[triangle][corner]];
            expect_held(turned, point);
            expect_held_along(bvh, turned, direction, point);
            for (int axis = 0; axis < 3; axis++)
                assert_true(fabs(point[axis] - (double)straight->centre[axis]) <= (double)straight->half[axis]);
        }
    /* of two boxes it is the smaller one, up to what is added for rounding */
    const float *half = straight->half, *own = turned->rows[3];
    double longest = fmax((double)half[0], fmax((double)half[1], (double)half[2]));
    assert_true(surface_of((double)own[0], (double)own[1], (double)own[2]) <=
                surface_of((double)half[0], (double)half[1], (double)half[2]) +
                    20 * (2e-6 + unit) * longest * (longest + unit * bvh->reach) + 40 * unit * longest * bvh->reach);
}

static void test_holding(void **unused)
{
    (void)unused;
    struct random random = {11};
    uint32_t rounds = usual_or_long(3000, 100000);
    static struct random_body body;
    for (uint32_t round = 0; round < rounds; round++) {
        static const double offsets[] = {0, 0, 1, 1e3, 1e6};
        make_body(&body, (enum body_kind)(round % BODY_KINDS), &random, 1 + random_bits(&random) % 20,
                  offsets[random_bits(&random) % 5]);
        for (uint32_t box = 0; box < body.bvh.box_count; box++)
            expect_holding(&body.bvh, box, &random);
        bvh_free(context, &body.bvh);
    }
}

/* A disc that is turned any way has a box without height. Only where it lies nearly along the frame's axes another box
 * may be smaller. */
static void test_discs(void **unused)
{
    (void)unused;
    enum { COUNT = 48 };
    struct random random = {12};
    static struct random_body body;
    uint32_t discs = 0;
    while (discs < 300) {
        cp_pose placed = random_pose(&random, 1);
        double normal = fmax(fabs(placed.m[2]), fmax(fabs(placed.m[6]), fabs(placed.m[10])));
        if (normal > 0.99)
            continue;
        discs++;
        for (uint32_t i = 0; i < 3 * COUNT; i++) {
            double angle = 2 * PI * (i / 3 + i % 3) / COUNT, radius = i % 3 != 2;
            pose_point(&placed, (const double[]){radius * cos(angle), radius * sin(angle), 0}, body.vertices[i]);
            body.triangles[i / 3][i % 3] = i;
        }
        body.bvh = tree_of(body.vertices, 3 * COUNT, body.triangles, COUNT);
        const float *half = body.bvh.turned->rows[3];
        assert_true(fminf(half[0], fminf(half[1], half[2])) < 1e-4F);
        bvh_free(context, &body.bvh);
    }
}

/* ---- what they say of distances ---- */

/* Of all pairs of triangles. */
struct distances {
    long double of[MOST_FACES][MOST_FACES];
};

static void find_distances(const struct bvh *one, const struct bvh *other, const cp_pose *placed,
                           struct distances *distances)
{
    for (uint32_t k = 0; k < other->triangle_count; k++) {
        double here[3][3], there[3][3];
        corners_of(other, k, placed, there);
        struct wide_triangle second = widen((corners)there);
        for (uint32_t i = 0; i < one->triangle_count; i++) {
            corners_of(one, i, NULL, here);
            struct wide_triangle first = widen((corners)here);
            bool meet = triangles_through((corners)here, (corners)there) == YES;
            distances->of[i][k] = meet ? 0 : pair_distance(&first, &second);
        }
    }
}

/* Seen along a direction: no more than the gap of the boxes, and so of what is in them. */
static double turned_gap(const struct turned_box *one, const struct turned_box *other, const cp_pose *placed,
                         const double way[3])
{
    float along[3], back[3], here, here_half, there, there_half;
    double moved = 0;
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += placed->m[4 * k + i] * way[k];
        along[i] = (float)way[i];
        back[i] = (float)sum;
        moved += placed->m[4 * i + 3] * way[i];
    }
    turned_along(one, along, &here, &here_half);
    turned_along(other, back, &there, &there_half);
    return moved + (double)(there - here - here_half - there_half);
}

struct tally {
    uint32_t pairs, apart, turned_apart;
};

static void compare_boxes(const struct bvh *one, const struct bvh *other, const cp_pose *placed, struct random *random,
                          struct tally *tally)
{
    static struct distances distances;
    struct box_frames frames = box_frames_of(one, other, placed);
    find_distances(one, other, placed, &distances);
    for (uint32_t i = 0; i < one->box_count; i++)
        for (uint32_t k = 0; k < other->box_count; k++) {
            uint32_t first, end, other_first, other_end;
            double way[3], from[3], to[3], length = 0;
            long double least = INFINITY;
            find_span(one, i, &first, &end);
            find_span(other, k, &other_first, &other_end);
            for (uint32_t a = first; a < end; a++)
                for (uint32_t b = other_first; b < other_end; b++)
                    least = fminl(least, distances.of[a][b]);
            double nearness = (double)boxes_nearness(&frames, &one->boxes[i], &other->boxes[k]);
            assert_true(nearness <= 0 || (long double)nearness <= least * least);
            random_direction(random, way);
            for (int axis = 0; axis < 3; axis++) {
                from[axis] = (double)one->turned[i].rows[axis][3];
                to[axis] = (double)other->turned[k].rows[axis][3];
            }
            pose_point(placed, to, to);
            for (int axis = 0; axis < 3; axis++)
                length += (to[axis] - from[axis]) * (to[axis] - from[axis]);
            for (int axis = 0; axis < 3 && tally->pairs % 4 != 0 && length > 0; axis++) /* else any direction */
                way[axis] = (to[axis] - from[axis]) / sqrt(length);
            double gap = turned_gap(&one->turned[i], &other->turned[k], placed, way);
            assert_true((long double)gap <= least + (long double)(120 * unit * frames.reach));
            tally->pairs++;
            tally->apart += nearness > 0;
            tally->turned_apart += gap > 0;
        }
}

/* Next to each other, in each other, far apart; frames that stretch and mirror, too.
 */
static void test_bounds(void **unused)
{
    (void)unused;
    struct random random = {13};
    struct tally tally = {0};
    uint32_t rounds = usual_or_long(1500, 50000);
    static struct random_body one, other;
    for (uint32_t round = 0; round < rounds; round++) {
        static const double away[] = {0, 0.5, 1.2, 2, 5, 1e4};
        double offset = round % 7 == 0 ? 100 : random_unit(&random);
        make_body(&one, (enum body_kind)(random_bits(&random) % BODY_KINDS), &random, 1 + random_bits(&random) % 8,
                  offset);
        make_body(&other, (enum body_kind)(random_bits(&random) % BODY_KINDS), &random, 1 + random_bits(&random) % 8,
                  offset);
        cp_pose placed = random_pose(&random, away[round % 6] + 1.5 * offset);
        if (round % 5 == 0) {
            cp_pose scaling = pose_scaling(0.3 + random_unit(&random), -0.5, round % 10 ? 1 : 3);
            placed = pose_multiply(&placed, &scaling);
        }
        compare_boxes(&one.bvh, &other.bvh, &placed, &random, &tally);
        bvh_free(context, &one.bvh);
        bvh_free(context, &other.bvh);
    }
    assert_true(tally.apart > tally.pairs / 4 && tally.turned_apart > tally.pairs / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_holding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_discs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounds, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

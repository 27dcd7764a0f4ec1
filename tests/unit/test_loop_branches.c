/* Loops keep their assembly: random four-bars, slider-cranks, deltas and Stewart platforms against their closed forms,
 * near the places where two assemblies meet too. */
#include <float.h>
#include <math.h>

#include "plain_numbers.h"
#include "scene_fixture.h"

static double degrees_to_radians(double degrees)
{
    return degrees * PI / 180;
}

/* From 1e-3 to 1 degree, in radians. */
static double random_nearness(void)
{
    return degrees_to_radians(pow(10, random_number(-3, 0)));
}

/* ---- building ---- */

static uint32_t add_frame(uint32_t parent, double x, double y, double z)
{
    const cp_pose local = plain_translation(x, y, z);
    return add_node_at(scene, parent, "part", &local);
}

static uint32_t add_joint(uint32_t node, cp_joint_type type, const double axis[3], double q, bool driven)
{
    cp_joint joint = cp_new_joint();
    joint.node = node;
    joint.type = type;
    memcpy(joint.axis, axis, sizeof joint.axis);
    joint.driven = driven;
    joint.home = q;
    const uint32_t index = cp_add_joint(scene, &joint);
    assert_int_not_equal(index, CP_NONE);
    return index;
}

static const double along_x[3] = {1, 0, 0}, along_y[3] = {0, 1, 0}, along_z[3] = {0, 0, 1};

static void join(cp_loop_type type, uint32_t first, cp_pose on_first, uint32_t second, cp_pose on_second)
{
    (void)add_loop_of(scene, type, first, on_first, second, on_second, 0);
}

static cp_mechanism *open_mechanism(void)
{
    cp_mechanism *mechanism;
    finish_scene();
    if (cp_mechanism_new(context, scene, &mechanism) != CP_OK) {
        show_report(context);
        fail_msg("the mechanism does not close");
    }
    return mechanism;
}

/* ---- planar linkages ---- */

enum { DRIVE, LINK, OTHER, PLANAR_JOINTS };

/* Two free joints, in closed form by the driven one; `side`, 1 or -1, is the assembly. False out of reach. */
struct linkage {
    bool (*solve)(const struct linkage *linkage, double drive, double found[2]);
    double a, b, c, d; /* lengths; of a slider-crank d is how far its line is beside the crank's axis */
    int side;
    bool turns;         /* the driven joint */
    double first, last; /* of the way that is tried: the ends of what can be reached, if it ends */
    bool ends;
};

/* The angle at which two sides of a triangle meet; NAN if there is no such triangle. */
static double angle_between(double one, double two, double opposite)
{
    double cosine = (one * one + two * two - opposite * opposite) / (2 * one * two);
    return fabs(cosine) <= 1 ? acos(cosine) : NAN;
}

/* Ground pins at 0 and d, crank a, coupler b, rocker c. */
static bool solve_four_bar(const struct linkage *it, double drive, double found[2])
{
    double x = it->a * cos(drive), y = it->a * sin(drive);
    double coupler = atan2(-y, it->d - x) + it->side * angle_between(it->b, hypot(it->d - x, y), it->c);
    found[0] = coupler - drive;
    found[1] = atan2(y + it->b * sin(coupler), x + it->b * cos(coupler) - it->d);
    return isfinite(found[0]);
}

/* Driven by the crank a; the rod b ends on a slider on the line y = d. */
static bool solve_slider(const struct linkage *it, double drive, double found[2])
{
    double rise = it->d - it->a * sin(drive), square = it->b * it->b - rise * rise;
    double run = it->side * sqrt(square);
    found[0] = atan2(rise, run) - drive;
    found[1] = it->a * cos(drive) + run;
    return square >= 0;
}

/* The same, driven by the slider. */
static bool solve_engine(const struct linkage *it, double drive, double found[2])
{
    double crank = atan2(it->d, drive) + it->side * angle_between(it->a, hypot(drive, it->d), it->b);
    found[1] = crank;
    found[0] = atan2(it->d - it->a * sin(crank), drive - it->a * cos(crank)) - crank;
    return isfinite(crank);
}

static void build_linkage(const struct linkage *it, double drive)
{
    double found[2];
    assert_true(it->solve(it, drive, found));
    fresh_scene();
    bool four_bar = it->solve == solve_four_bar, engine = it->solve == solve_engine;
    /* Joints stand in the order of their nodes: what drives comes first. */
    uint32_t slider = engine ? add_frame(0, 0, it->d, 0) : 0, crank, other;
    if (engine)
        (void)add_joint(slider, CP_JOINT_PRISMATIC, along_x, drive, true);
    crank = add_frame(0, 0, 0, 0);
    if (!engine)
        (void)add_joint(crank, CP_JOINT_REVOLUTE, along_z, drive, true);
    uint32_t link;
    if (engine) {
        /* The rod hangs on the slider here, and closes on the crank. */
        link = add_frame(slider, 0, 0, 0);
        (void)add_joint(crank, CP_JOINT_REVOLUTE, along_z, found[1], false);
        (void)add_joint(link, CP_JOINT_REVOLUTE, along_z, found[0] + found[1], false);
        join(CP_LOOP_REVOLUTE, link, plain_translation(-it->b, 0, 0), crank, plain_translation(it->a, 0, 0));
        return;
    }
    link = add_frame(crank, it->a, 0, 0);
    (void)add_joint(link, CP_JOINT_REVOLUTE, along_z, found[0], false);
    other = four_bar ? add_frame(0, it->d, 0, 0) : add_frame(0, 0, it->d, 0);
    (void)add_joint(other, four_bar ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, four_bar ? along_z : along_x, found[1],
                    false);
    join(CP_LOOP_REVOLUTE, link, plain_translation(it->b, 0, 0), other, plain_translation(four_bar ? it->c : 0, 0, 0));
}

static void expect_values(const struct linkage *it, cp_mechanism *mechanism, double drive, int number)
{
    double q[PLANAR_JOINTS] = {drive, 99, 99}, found[PLANAR_JOINTS], wanted[2];
    assert_true(it->solve(it, drive, wanted));
    if (cp_mechanism_values(mechanism, q, found) != CP_OK)
        fail_msg("linkage %d (%g %g %g %g, side %d) does not follow to %.9g, in %.9g .. %.9g", number, it->a, it->b,
                 it->c, it->d, it->side, drive, it->first, it->last);
    bool engine = it->solve == solve_engine, slider = it->solve == solve_slider;
    double link = found[engine ? OTHER : LINK] - (engine ? wanted[0] + wanted[1] : wanted[0]);
    double other = found[engine ? LINK : OTHER] - wanted[1];
    double off = fmax(fabs(remainder(link, 2 * PI)), fabs(slider ? other : remainder(other, 2 * PI)));
    if (!(off < 1e-6))
        fail_msg("linkage %d (%g %g %g %g, side %d) at %.9g is off by %g", number, it->a, it->b, it->c, it->d, it->side,
                 drive, off);
}

static void expect_end(const struct linkage *it, cp_mechanism *mechanism, double drive, int number)
{
    double q[PLANAR_JOINTS] = {drive, 0, 0}, found[PLANAR_JOINTS], none[2];
    assert_false(it->solve(it, drive, none));
    if (cp_mechanism_values(mechanism, q, found) != CP_NO)
        fail_msg("linkage %d (%g %g %g %g, side %d) goes on to %.9g, beyond %.9g .. %.9g", number, it->a, it->b, it->c,
                 it->d, it->side, drive, it->first, it->last);
}

/* The same in a clip, from a place in the range on; the message says how far it can be followed. */
static void expect_told_end(const struct linkage *it, double start, double drive, int number)
{
    const double times[] = {0, 1}, values[] = {start, drive}, end = drive < it->first ? it->first : it->last;
    const cp_track track = {DRIVE, CP_PATH_JOINT, CP_LINEAR, 2, times, values};
    cp_pose worlds[PLANAR_JOINTS + 1];
    const uint32_t clip = add_clip_of(scene, "beyond", 1, &track);
    finish_scene();
    cp_report_clear(context);
    assert_int_equal(cp_clip_poses(context, scene, clip, 1, worlds), CP_NO);
    size_t count;
    const char *told = strstr(cp_report(context, &count)->text, "cannot be followed past ");
    assert_non_null(told);
    const double found = plain_strtod(told + strlen("cannot be followed past "), NULL) * (it->turns ? PI / 180 : 1e-3);
    if (!(fabs(found - end) < 1e-5))
        fail_msg("linkage %d (%g %g %g %g, side %d) is followed to %.9g, not to %.9g", number, it->a, it->b, it->c,
                 it->d, it->side, found, end);
}

/* Where a linkage that can be at `good` begins to be impossible on the way to `bad`. */
static double find_end(const struct linkage *it, double good, double bad)
{
    double none[2];
    for (int i = 0; i < 200; i++) {
        double middle = good + (bad - good) / 2;
        *(it->solve(it, middle, none) ? &good : &bad) = middle;
    }
    return good;
}

/* Sets `first` and `last`: the ends of what can be reached, or a whole turn each way. Gaps that are narrower than a
 * look are where all pins are in a line: at a multiple of a right angle, or at 0 of a slider. */
static void find_range(struct linkage *it, double drive)
{
    enum { LOOKS = 4000 };
    const double whole = it->turns ? 2 * PI : 2 * (it->a + it->b + fabs(it->d)), look = whole / LOOKS;
    it->ends = false;
    for (int way = -1; way <= 1; way += 2) {
        double *end = way < 0 ? &it->first : &it->last, before = drive, none[2];
        *end = drive + way * whole;
        for (double number = way < 0 ? floor(drive / look) : ceil(drive / look); fabs(number * look - drive) <= whole;
             number += way) {
            if (!it->solve(it, number * look, none)) {
                *end = find_end(it, before, number * look);
                it->ends = true;
                break;
            }
            before = number * look;
        }
    }
}

/* Along the range and back, then at random, with stops near the ends; and no step beyond these. */
static void drive_linkage(struct linkage *it, double start, int number)
{
    enum { STOPS = 100 };
    cp_mechanism *mechanism = open_mechanism();
    double beyond[10];
    int beyonds = 0;
    double before = it->ends ? random_nearness() * (it->turns ? 1 : it->a) : 0;
    double first = it->first + before, last = it->last - before;
    for (int direction = 0; direction < 2; direction++)
        for (int i = 0; i <= STOPS; i++) {
            double part = (double)(direction == 0 ? i : STOPS - i) / STOPS;
            expect_values(it, mechanism, first + part * (last - first), number);
        }
    for (int i = 0; i < 10; i++) {
        expect_values(it, mechanism, random_number(first, last), number);
        if (it->ends) {
            double further = random_nearness() * (it->turns ? 1 : it->a), none[2];
            double drive = i % 2 ? it->first - further : it->last + further;
            if (it->solve(it, drive, none)) /* the other end is that near */
                continue;
            expect_end(it, mechanism, drive, number);
            beyond[beyonds++] = drive;
        }
    }
    expect_values(it, mechanism, start, number);
    cp_mechanism_free(mechanism);
    while (beyonds > 0)
        expect_told_end(it, start, beyond[--beyonds], number);
}

/* Random lengths; every second linkage nearly has a change point: a pose in which all its pins are in a line, where two
 * assemblies meet. It is missed, or lies beyond the linkage's end, by so little that this shows in a range of crank
 * angles of 1e-3 to 1 degree. */
static void pick_linkage(struct linkage *it, int number)
{
    static bool (*const solvers[])(const struct linkage *, double, double *) = {solve_four_bar, solve_slider,
                                                                                solve_engine};
    *it = (struct linkage){.solve = solvers[number % 3], .side = random_number(0, 1) < 0.5 ? -1 : 1};
    it->turns = it->solve != solve_engine;
    it->a = random_number(0.2, 1);
    it->b = random_number(0.2, 1);
    it->c = random_number(0.2, 1);
    it->d = it->solve == solve_four_bar ? random_number(0.2, 1) : random_number(-0.3, 0.3);
    if (number / 3 % 2 == 0)
        return;
    double near = random_nearness(), sign = random_number(0, 1) < 0.5 ? -1 : 1;
    if (it->solve != solve_four_bar) {
        it->b = it->a + fabs(it->d) + sign * it->a * near * near / 2;
        return;
    }
    bool far = random_number(0, 1) < 0.5; /* the crank points away from the other ground pin */
    double reach = far ? it->a + it->d : fabs(it->a - it->d), bend = it->a * it->d * near * near / (2 * reach);
    if (!far && reach < 0.05)
        it->d += 0.1, reach = fabs(it->a - it->d), bend = it->a * it->d * near * near / (2 * reach);
    it->c = far ? reach - it->b + sign * bend : it->b + reach + sign * bend;
    if (it->c < 0.1)
        it->b = reach / 2, it->c = far ? reach - it->b + sign * bend : it->b + reach + sign * bend;
}

/* Picks a linkage, its range and where it starts in it, and builds it. False if it can hardly move. */
static bool make_linkage(struct linkage *it, int number, double *drive)
{
    double found[2];
    bool possible = false;
    pick_linkage(it, number);
    for (int tries = 0; tries < 1000 && !possible; tries++) {
        *drive = it->turns ? random_number(-PI, PI) : random_number(-1, 1) * (it->a + it->b);
        possible = it->solve(it, *drive, found);
    }
    if (!possible)
        return false;
    find_range(it, *drive);
    if (it->ends && it->last - it->first < 0.1)
        return false;
    if (it->ends)
        *drive = fmin(fmax(*drive, it->first + 0.02), it->last - 0.02);
    build_linkage(it, *drive);
    return true;
}

static void test_planar_linkages(void **unused)
{
    (void)unused;
    int ended = 0, whole = 0;
    const int count = (int)usual_or_long(150, 300);
    for (int number = 0; number < count; number++) {
        struct linkage linkage;
        double drive = 0;
        if (!make_linkage(&linkage, number, &drive))
            continue;
        drive_linkage(&linkage, drive, number);
        ended += linkage.ends;
        whole += !linkage.ends;
    }
    assert_true(ended > count / 3 && whole > count / 6);
}

/* Just before an end, steps are halved down to what numbers can tell apart. A way that is as good as finished ends too,
 * there or before, and the linkage comes back. */
static void test_very_near_ends(void **unused)
{
    (void)unused;
    for (int number = 0; number < 60; number++) {
        struct linkage linkage;
        double drive = 0, found[PLANAR_JOINTS];
        if (!make_linkage(&linkage, number, &drive) || !linkage.ends)
            continue;
        cp_mechanism *mechanism = open_mechanism();
        for (int i = 0; i < 20; i++) {
            const double near = pow(10, random_number(-16, -8));
            const double q[2][PLANAR_JOINTS] = {{i % 2 ? linkage.first + near : linkage.last - near}, {drive}};
            const cp_status status = cp_mechanism_values(mechanism, q[0], found);
            assert_true(status == CP_OK || status == CP_NO);
            assert_int_equal(cp_mechanism_values(mechanism, q[1], found), CP_OK);
        }
        cp_mechanism_free(mechanism);
    }
}

/* ---- a parallelogram ---- */

/* Its assemblies cross where all its pins are in a line: at 0 and 180 degrees. */
static const struct linkage parallelogram = {
    .solve = solve_four_bar, .a = 0.04, .b = 0.3, .c = 0.04, .d = 0.3, .side = 1, .turns = true};

static void expect_parallel(const double *values, double degrees)
{
    double turned = values[DRIVE] + values[LINK];
    if (!(fabs(remainder(turned, 2 * PI)) < 1e-6))
        fail_msg("at %.9g degrees the coupler is turned by %g rad", degrees, turned);
}

static void test_parallelogram(void **unused)
{
    const struct linkage *linkage = *unused;
    build_linkage(linkage ? linkage : &parallelogram, degrees_to_radians(60));
    cp_mechanism *mechanism = open_mechanism();
    double values[PLANAR_JOINTS];
    for (int i = -400; i <= 400; i++) {
        /* All in turn, and all from far. */
        for (int far = 0; far < 2; far++) {
            double degrees = far ? (i * 7919) % 400 : i, q[PLANAR_JOINTS] = {degrees_to_radians(degrees), 0, 0};
            assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
            expect_parallel(values, degrees);
        }
    }
    /* Beside the crossings, from both sides. */
    for (int i = 0; i < 200; i++) {
        double degrees = (i % 3 - 1) * 180 + (i % 2 ? 1 : -1) * pow(10, random_number(-3, 0));
        double q[PLANAR_JOINTS] = {degrees_to_radians(degrees), 0, 0};
        assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
        expect_parallel(values, degrees);
    }
    cp_mechanism_free(mechanism);
}

/* With four equal sides two pins coincide at 0 degrees: the others can turn about them then, and must not. */
static void test_rhombus(void **state)
{
    static struct linkage rhombus = {
        .solve = solve_four_bar, .a = 0.1, .b = 0.1, .c = 0.1, .d = 0.1, .side = 1, .turns = true};
    *state = &rhombus;
    test_parallelogram(state);
    *state = NULL;
}

/* The other assembly of a parallelogram, which has its crossings too: steps may end anywhere behind them, and there.
 * The nearer the sides are to equal, the faster the free joints are at 0 degrees: 2,000 times as fast as the driven
 * one. */
static void follow_antiparallelogram(double a, double b, int stops)
{
    struct linkage crossed = {.solve = solve_four_bar, .a = a, .b = b, .c = a, .d = b, .side = -1, .turns = true};
    set_up(NULL);
    build_linkage(&crossed, degrees_to_radians(120));
    cp_mechanism *mechanism = open_mechanism();
    for (int i = 0; i < stops; i++) {
        const bool there = i % 5 == 0; /* all pins are in a line */
        double q[PLANAR_JOINTS] = {there ? floor(random_number(-2, 3)) * PI : random_number(-7, 7), 0, 0};
        double values[PLANAR_JOINTS], found[2] = {-q[DRIVE], q[DRIVE]};
        if (!there && fabs(sin(q[DRIVE])) < 1e-3)
            continue;
        crossed.side = sin(q[DRIVE]) > 0 ? -1 : 1;
        assert_true(there || solve_four_bar(&crossed, q[DRIVE], found));
        if (cp_mechanism_values(mechanism, q, values) != CP_OK)
            fail_msg("sides %g and %g do not follow to %.9g", a, b, q[DRIVE]);
        const double off =
            fmax(fabs(remainder(values[LINK] - found[0], 2 * PI)), fabs(remainder(values[OTHER] - found[1], 2 * PI)));
        /* In the singular pose, gaps tell the square of what values are off by. */
        if (!(off < (there ? 1e-5 : 1e-6)))
            fail_msg("sides %g and %g are off by %g at %.9g", a, b, off, q[DRIVE]);
    }
    cp_mechanism_free(mechanism);
    tear_down(NULL);
}

static void test_antiparallelogram(void **unused)
{
    (void)unused;
    static const double near[] = {0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 1.001, 1.002, 1.005, 1.01, 1.02, 1.03};
    const int stops = (int)usual_or_long(150, 400);
    for (double ratio = 0.15; ratio < 0.9; ratio += 0.05)
        follow_antiparallelogram(0.4 * ratio, 0.4, stops);
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        follow_antiparallelogram(0.4, 0.4 * near[i], 40);
}

/* The same ratios of its other assembly, which only slides. */
static void test_near_rhombus(void **unused)
{
    static const double near[] = {0.98, 0.999, 1.001, 1.02};
    (void)unused;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        struct linkage linkage = {.solve = solve_four_bar, .a = 0.1, .b = 0.1 * near[i], .c = 0.1, .side = 1};
        linkage.d = linkage.b;
        linkage.turns = true;
        void *state = &linkage;
        set_up(NULL);
        test_parallelogram(&state);
        tear_down(NULL);
    }
}

/* Turned on and on: whole turns are all the same. */
static void turn_on(struct linkage *linkage, double start, int side_of_half)
{
    static const double turns[] = {3, 11, 2601.5, 4000.25, -1e4, 1e5, 1e5 + 0.001, -99999.875, 0.5, 1e7};
    set_up(NULL);
    build_linkage(linkage, start);
    cp_mechanism *mechanism = open_mechanism();
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        for (int k = 0; k < 3; k++) {
            double q[PLANAR_JOINTS] = {turns[i] * 2 * PI + (k - 1) * 0.7 + 0.1, 0, 0}, values[PLANAR_JOINTS], found[2];
            if (side_of_half != 0)
                linkage->side = sin(q[DRIVE]) > 0 ? side_of_half : -side_of_half;
            assert_true(solve_four_bar(linkage, q[DRIVE], found));
            if (cp_mechanism_values(mechanism, q, values) != CP_OK)
                fail_msg("sides %g, %g, %g, %g: %.9g turns: stopped at %.9g", linkage->a, linkage->b, linkage->c,
                         linkage->d, turns[i], values[DRIVE]);
            const double rounding = 4 * DBL_EPSILON * fabs(q[DRIVE]),
                         off = fmax(fabs(remainder(values[LINK] - found[0], 2 * PI)),
                                    fabs(remainder(values[OTHER] - found[1], 2 * PI)));
            assert_true(values[DRIVE] == q[DRIVE]);
            if (!(off < 1e-9 + rounding))
                fail_msg("sides %g, %g, %g, %g: %.9g turns: off by %g", linkage->a, linkage->b, linkage->c, linkage->d,
                         turns[i], off);
        }
    cp_mechanism_free(mechanism);
    tear_down(NULL);
}

static void test_many_turns(void **unused)
{
    (void)unused;
    static const double sides[][4] = {
        {0.04, 0.3, 0.04, 0.3}, {0.1, 0.1, 0.1, 0.1}, {0.1, 0.101, 0.1, 0.101}, {0.1, 0.25, 0.2, 0.22}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const double *it = sides[i];
        struct linkage linkage = {.solve = solve_four_bar, .a = it[0], .b = it[1], .c = it[2], .d = it[3], .side = 1};
        linkage.turns = true;
        turn_on(&linkage, degrees_to_radians(60), i < 3 ? 1 : 0);
    }
    struct linkage crossed = {.solve = solve_four_bar, .a = 0.2, .b = 0.4, .c = 0.2, .d = 0.4, .side = -1};
    crossed.turns = true;
    turn_on(&crossed, degrees_to_radians(120), -1);
}

/* A number in a file makes no endless work: such angles have no digits left. */
static void test_far_away(void **unused)
{
    (void)unused;
    build_linkage(&parallelogram, degrees_to_radians(60));
    cp_mechanism *mechanism = open_mechanism();
    static const double far[] = {-1e9, 1e300, INFINITY};
    double values[PLANAR_JOINTS];
    for (int i = 0; i < 3; i++) {
        double q[PLANAR_JOINTS] = {far[i], 0, 0};
        assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_NO);
        assert_true(fabs(values[DRIVE] - degrees_to_radians(60)) < 1e-12);
    }
    double q[PLANAR_JOINTS] = {degrees_to_radians(70), 0, 0};
    assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
    expect_parallel(values, 70);
    cp_mechanism_free(mechanism);
}

/* Two cranks that turn alike, and two rods between their ends, which only slide then. Such ways are gone through. */
static void test_two_drives(void **unused)
{
    (void)unused;
    const double crank = 0.05, apart = 0.3, rod = 0.25, angle = acos(apart / 2 / rod), begin = 0.5;
    uint32_t rods[2], drives[2], links[2];
    for (int side = 0; side < 2; side++) {
        uint32_t node = add_frame(0, side * apart, 0, 0);
        drives[side] = add_joint(node, CP_JOINT_REVOLUTE, along_z, begin, true);
        rods[side] = add_frame(node, crank, 0, 0);
        links[side] = add_joint(rods[side], CP_JOINT_REVOLUTE, along_z, (side ? PI - angle : angle) - begin, false);
    }
    join(CP_LOOP_REVOLUTE, rods[0], plain_translation(rod, 0, 0), rods[1], plain_translation(rod, 0, 0));
    cp_mechanism *mechanism = open_mechanism();
    static const double drive[] = {1, -200, 24000, 24900, -20000, 3};
    double q[4], values[4];
    for (size_t i = 0; i < sizeof drive / sizeof *drive; i++) {
        q[drives[0]] = q[drives[1]] = drive[i];
        if (i == 4) {
            assert_int_equal(cp_set_limit(context, "loop-way=44899"), CP_OK);
            assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_NO);
            assert_true(fabs(values[drives[0]] - 24900) < 1e-9 && fabs(values[drives[1]] - 24900) < 1e-9);
            assert_int_equal(cp_set_limit(context, "loop-way=44901"), CP_OK);
        }
        assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
        for (int side = 0; side < 2; side++)
            assert_true(fabs(remainder(values[links[side]] + drive[i] - (side ? PI - angle : angle), 2 * PI)) < 1e-9);
    }
    /* A way that needs more steps than the limit ends, and the machine stays where it was. */
    assert_int_equal(cp_set_limit(context, "loop-steps=100"), CP_OK);
    q[drives[0]] = q[drives[1]] = 103;
    assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_NO);
    assert_true(fabs(values[drives[0]] - 3) < 1e-9 && fabs(values[drives[1]] - 3) < 1e-9);
    cp_mechanism_free(mechanism);

    /* Clips that ask for as much say so. */
    const double times[] = {0, 1}, ways[] = {24900, -20000};
    const cp_track tracks[] = {{drives[0], CP_PATH_JOINT, CP_LINEAR, 2, times, ways},
                               {drives[1], CP_PATH_JOINT, CP_LINEAR, 2, times, ways}};
    cp_pose worlds[5];
    (void)add_clip_of(scene, "far", 2, tracks);
    finish_scene();
    assert_int_equal(cp_set_limit(context, "loop-way=44901"), CP_OK);
    assert_int_equal(cp_clip_poses(context, scene, 0, 1, worlds), CP_LIMIT);
    assert_true(was_reported(context, "loop-steps") && was_said(context, " in 100 steps, which is the limit"));
    assert_true(cp_set_limit(context, "loop-steps=500000") == CP_OK && cp_set_limit(context, "loop-way=25000") == CP_OK);
    assert_int_equal(cp_clip_poses(context, scene, 0, 1, worlds), CP_LIMIT);
    assert_true(was_reported(context, "loop-far") && was_said(context, " and others would go 44900 radians"));
}

static void place_joints_at_zero(void)
{
    for (uint32_t i = 0; i < count_joints(scene); i++) {
        cp_joint joint = cp_joints(scene, NULL)[i];
        joint.q = joint.home = 0;
        assert_int_equal(cp_set_joint(scene, i, &joint), CP_OK);
    }
}

/* In the singular pose itself nothing tells which assembly is meant. */
static void test_singular_begin(void **unused)
{
    (void)unused;
    build_linkage(&parallelogram, degrees_to_radians(60));
    place_joints_at_zero();
    cp_mechanism *mechanism = open_mechanism();
    double q[PLANAR_JOINTS] = {degrees_to_radians(10), 0, 0}, values[PLANAR_JOINTS];
    assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_NO);
    q[DRIVE] = 0;
    assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
    cp_mechanism_free(mechanism);
}

/* The crank turns from 60 degrees over both crossings, back, and on, with a jump. */
static void add_turns(void)
{
    static const double times[] = {0, 1, 2, 3, 4}, degrees[] = {60, -250, 10, 190, 355};
    double values[5];
    for (int i = 0; i < 5; i++)
        values[i] = degrees_to_radians(degrees[i]);
    const cp_track track = {DRIVE, CP_PATH_JOINT, CP_LINEAR, 5, times, values};
    (void)add_clip_of(scene, "turns", 1, &track);
}

static void test_one_way(void **unused)
{
    (void)unused;
    build_linkage(&parallelogram, degrees_to_radians(60));
    add_turns();
    finish_scene();
    for (int i = 0; i < 400; i++) {
        const double time = i < 200 ? i * 0.02 : random_number(0, 4);
        cp_pose worlds[4];
        assert_int_equal(cp_clip_poses(context, scene, 0, time, worlds), CP_OK);
        const double crank = atan2(worlds[1].m[4], worlds[1].m[0]), coupler = atan2(worlds[2].m[4], worlds[2].m[0]);
        if (fabs(sin(crank)) >= 1e-5)
            expect_parallel((double[]){crank, coupler - crank}, crank * 180 / PI);
    }
}

/* ---- how near a singular pose is ---- */

/* Two vectors from the loop's pin to the coupler's and the rocker's other pin, in parts of the linkage's size, are the
 * columns of its derivatives. */
static double four_bar_distance(const struct linkage *it, double drive)
{
    double found[2], lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
    assert_true(it->solve(it, drive, found));
    const double pins[4][2] = {{0, 0},
                               {it->a * cos(drive), it->a * sin(drive)},
                               {it->d, 0},
                               {it->d + it->c * cos(found[1]), it->c * sin(found[1])}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            lower[k] = fmin(lower[k], pins[i][k]);
            upper[k] = fmax(upper[k], pins[i][k]);
        }
    double size = hypot(upper[0] - lower[0], upper[1] - lower[1]);
    double sine = sin(drive + found[0] - found[1]), sum = it->b * it->b + it->c * it->c,
           product = 2 * it->b * it->c * sine;
    /* The smaller root by the larger one, so that nothing is lost. */
    return fabs(product / 2) * sqrt(2 / (sum + sqrt(sum * sum - product * product))) / size;
}

static bool is_warned(const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity == CP_WARNING && strcmp(entries[i].code, code) == 0)
            return true;
    return false;
}

static void test_distance_of_four_bars(void **unused)
{
    (void)unused;
    int measured = 0;
    for (int number = 0; number < 200; number++) {
        struct linkage linkage;
        double drive = random_number(-PI, PI), found[2];
        pick_linkage(&linkage, 3 * (number % 2)); /* all are four-bars */
        if (!linkage.solve(&linkage, drive, found))
            continue;
        build_linkage(&linkage, drive);
        finish_scene();
        cp_singularity singularity = {.size = sizeof singularity};
        double expected = four_bar_distance(&linkage, drive);
        assert_int_equal(cp_measure_singularity(context, scene, CP_NONE, 0, &singularity), CP_OK);
        if (!(fabs(singularity.distance - expected) < 1e-9) || singularity.loop != 0)
            fail_msg("four-bar %d is %.12g from singular, not %.12g", number, singularity.distance, expected);
        measured++;
    }
    assert_true(measured > 100);
}

static void test_distance_is_warned_of(void **unused)
{
    (void)unused;
    cp_singularity singularity = {.size = sizeof singularity};
    build_linkage(&parallelogram, degrees_to_radians(60));
    add_turns();
    finish_scene();
    assert_int_equal(cp_measure_singularity(context, scene, CP_NONE, 0, &singularity), CP_OK);
    assert_true(singularity.distance > CP_NEAR_SINGULAR && !is_warned("near-singular"));
    /* From 10 to 190 degrees in a second it is singular at 180. */
    assert_int_equal(cp_measure_singularity(context, scene, 0, 1.0 / 18, &singularity), CP_OK);
    assert_true(singularity.distance < 1e-6 && fabs(singularity.time - (2 + 17.0 / 18)) < 1e-9);
    assert_true(is_warned("near-singular"));
}

/* In the singular pose itself, where the rank is less than anywhere near. */
static void test_distance_of_singular_pose(void **unused)
{
    (void)unused;
    cp_singularity singularity = {.size = sizeof singularity};
    build_linkage(&parallelogram, degrees_to_radians(60));
    place_joints_at_zero();
    finish_scene();
    assert_int_equal(cp_measure_singularity(context, scene, CP_NONE, 0, &singularity), CP_OK);
    assert_true(singularity.distance < 1e-9 && is_warned("near-singular"));
}

/* ---- deltas ---- */

enum { ARMS = 3 };

/* Arms that turn down from the base's rim, and rods of fixed length to a platform that keeps its orientation. */
struct delta {
    double base, top, arm, rod;
};

static void build_delta(const struct delta *it)
{
    fresh_scene();
    uint32_t arms[ARMS];
    double reach = it->base + it->arm - it->top;
    for (int i = 0; i < ARMS; i++) {
        const cp_pose turned = plain_turn(2, 120 * i), out = plain_translation(it->base, 0, 0),
                      local = plain_product(&turned, &out);
        arms[i] = add_node_at(scene, 0, "part", &local);
        (void)add_joint(arms[i], CP_JOINT_REVOLUTE, along_y, 0, true);
    }
    uint32_t platform = add_frame(0, 0, 0, 0);
    (void)add_joint(platform, CP_JOINT_PRISMATIC, along_x, 0, false);
    (void)add_joint(platform, CP_JOINT_PRISMATIC, along_y, 0, false);
    (void)add_joint(platform, CP_JOINT_PRISMATIC, along_z, -sqrt(it->rod * it->rod - reach * reach), false);
    for (int i = 0; i < ARMS; i++) {
        double angle = degrees_to_radians(120 * i);
        (void)add_loop_of(scene, CP_LOOP_DISTANCE, arms[i], plain_translation(it->arm, 0, 0), platform,
                          plain_translation(it->top * cos(angle), it->top * sin(angle), 0), it->rod);
    }
}

/* Three spheres meet below the plane of their centres. Returns the square of how far below; place: if that is not
 * below 0. */
static double solve_delta(const struct delta *it, const double *turns, double place[3])
{
    double centres[ARMS][3], u[3], v[3], normal[3], uu = 0, uv = 0, vv = 0;
    for (int i = 0; i < ARMS; i++) {
        double angle = degrees_to_radians(120 * i), out = it->base + it->arm * cos(turns[i]) - it->top;
        centres[i][0] = out * cos(angle);
        centres[i][1] = out * sin(angle);
        centres[i][2] = -it->arm * sin(turns[i]);
    }
    for (int k = 0; k < 3; k++) {
        u[k] = centres[1][k] - centres[0][k];
        v[k] = centres[2][k] - centres[0][k];
        uu += u[k] * u[k];
        uv += u[k] * v[k];
        vv += v[k] * v[k];
    }
    /* The foot is a u + b v from the first centre: as far from all three. */
    double size = uu * vv - uv * uv, a = (uu * vv - uv * vv) / (2 * size), b = (vv * uu - uv * uu) / (2 * size);
    double below = it->rod * it->rod - (a * a * uu + 2 * a * b * uv + b * b * vv);
    normal[0] = u[1] * v[2] - u[2] * v[1];
    normal[1] = u[2] * v[0] - u[0] * v[2];
    normal[2] = u[0] * v[1] - u[1] * v[0];
    for (int k = 0; k < 3 && below >= 0; k++)
        place[k] = centres[0][k] + a * u[k] + b * v[k] - sqrt(below) * normal[k] / sqrt(size);
    return below;
}

static void test_deltas(void **unused)
{
    (void)unused;
    int followed = 0, refused = 0;
    for (int machine = 0; machine < 20; machine++) {
        struct delta delta = {
            .base = random_number(0.1, 0.5), .top = random_number(0.03, 0.1), .arm = random_number(0.15, 0.6)};
        delta.rod = (delta.base + delta.arm - delta.top) * random_number(1.005, 1.5);
        build_delta(&delta);
        cp_mechanism *mechanism = open_mechanism();
        double now[ARMS] = {0};
        for (int pose = 0; pose < 50; pose++) {
            double q[2 * ARMS] = {0}, found[2 * ARMS], place[3] = {0}, least = INFINITY, jump = 0;
            for (int i = 0; i < ARMS; i++)
                q[i] = random_number(-1.5, 2.6);
            for (int i = 0; i <= 400; i++) {
                double turns[ARMS], before[3];
                memcpy(before, place, sizeof before);
                for (int k = 0; k < ARMS; k++)
                    turns[k] = now[k] + (q[k] - now[k]) * i / 400;
                least = fmin(least, solve_delta(&delta, turns, place));
                for (int k = 0; k < 3 && i > 0 && least > 0; k++)
                    jump = fmax(jump, fabs(place[k] - before[k]));
            }
            /* The spheres' centres are nearly in a line somewhere between two looks, too, if the place jumps. */
            if (fabs(least) < 1e-4 || (least > 0 && jump > 0.1))
                continue;
            cp_status status = cp_mechanism_values(mechanism, q, found);
            assert_int_equal(status, least > 0 ? CP_OK : CP_NO);
            refused += status == CP_NO;
            if (status == CP_NO)
                continue;
            followed++;
            memcpy(now, q, sizeof now);
            for (int k = 0; k < 3; k++)
                if (!(fabs(found[ARMS + k] - place[k]) < 1e-9))
                    fail_msg("delta %d, pose %d: %.12g, not %.12g", machine, pose, found[ARMS + k], place[k]);
        }
        cp_mechanism_free(mechanism);
    }
    assert_true(followed > 300 && refused > 20);
}

/* ---- Stewart platforms ---- */

enum { LEGS = 6 };

struct platform {
    double base[LEGS][3], top[LEGS][3];
    uint32_t node, drives[LEGS];
};

/* Where the legs' upper ends are from their lower ones. */
static double leg_of(const struct platform *it, const cp_pose *pose, int leg, double direction[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        direction[k] = pose->m[4 * k + 3] - it->base[leg][k];
        for (int i = 0; i < 3; i++)
            direction[k] += pose->m[4 * k + i] * it->top[leg][i];
        square += direction[k] * direction[k];
    }
    for (int k = 0; k < 3; k++)
        direction[k] /= sqrt(square);
    return sqrt(square);
}

/* Legs turn about X and Y and slide along Z; the first one carries the platform by three turns. */
static void build_platform(struct platform *it, const cp_pose *home)
{
    uint32_t rods[LEGS];
    cp_pose wrist = *home;
    fresh_scene();
    for (int leg = 0; leg < LEGS; leg++) {
        double direction[3], length = leg_of(it, home, leg, direction);
        double first = atan2(-direction[1], direction[2]), second = asin(direction[0]);
        uint32_t foot = add_frame(0, it->base[leg][0], it->base[leg][1], it->base[leg][2]);
        (void)add_joint(foot, CP_JOINT_REVOLUTE, along_x, first, false);
        (void)add_joint(foot, CP_JOINT_REVOLUTE, along_y, second, false);
        rods[leg] = add_frame(foot, 0, 0, 0);
        it->drives[leg] = add_joint(rods[leg], CP_JOINT_PRISMATIC, along_z, length, true);
        if (leg > 0)
            continue;
        cp_pose about_x = plain_rotation(along_x, first), about_y = plain_rotation(along_y, second);
        cp_pose leg_pose = plain_product(&about_x, &about_y), back = plain_inverse(&leg_pose);
        wrist = plain_product(&back, home);
        it->node = add_frame(rods[0], 0, 0, 0);
        (void)add_joint(it->node, CP_JOINT_REVOLUTE, along_x, atan2(-wrist.m[6], wrist.m[10]), false);
        (void)add_joint(it->node, CP_JOINT_REVOLUTE, along_y, asin(wrist.m[2]), false);
        (void)add_joint(it->node, CP_JOINT_REVOLUTE, along_z, atan2(-wrist.m[1], wrist.m[0]), false);
    }
    for (int leg = 1; leg < LEGS; leg++)
        join(CP_LOOP_SPHERICAL, rods[leg], PLAIN_IDENTITY, it->node,
             plain_translation(it->top[leg][0] - it->top[0][0], it->top[leg][1] - it->top[0][1],
                               it->top[leg][2] - it->top[0][2]));
}

static void expect_platform(const struct platform *it, cp_mechanism *mechanism, const cp_pose *wanted)
{
    double q[4 * LEGS] = {0}, direction[3];
    cp_pose worlds[2 * LEGS + 3];
    assert_true(count_joints(scene) <= 4 * LEGS && count_nodes(scene) <= 2 * LEGS + 3);
    for (int leg = 0; leg < LEGS; leg++)
        q[it->drives[leg]] = leg_of(it, wanted, leg, direction);
    assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
    /* The node's origin is the first upper joint. */
    cp_pose to_centre = plain_translation(-it->top[0][0], -it->top[0][1], -it->top[0][2]);
    cp_pose found = plain_product(&worlds[it->node], &to_centre);
    for (int i = 0; i < 12; i++)
        if (!(fabs(found.m[i] - wanted->m[i]) < 1e-8))
            fail_msg("the platform is off by %g", found.m[i] - wanted->m[i]);
}

/* Around a place above the base, along a closed way: swing 1 is as far as it goes. */
static cp_pose pose_on_way(double height, double size, double part)
{
    double turn = 2 * PI * part;
    cp_pose place =
        plain_translation(0.15 * size * sin(turn), 0.15 * size * sin(2 * turn), height + 0.1 * size * (1 - cos(turn)));
    cp_pose about_x = plain_rotation(along_x, 0.25 * sin(turn)), about_y = plain_rotation(along_y, 0.2 * sin(3 * turn)),
            about_z = plain_rotation(along_z, 0.2 * sin(2 * turn));
    place = plain_product(&place, &about_x);
    place = plain_product(&place, &about_y);
    return plain_product(&place, &about_z);
}

static void test_stewart_platforms(void **unused)
{
    (void)unused;
    enum { STOPS = 60 };
    for (int machine = 0; machine < 20; machine++) {
        struct platform platform = {.node = 0};
        double size = pow(10, random_number(-2, 1)), height = size * random_number(0.8, 1.5),
               small = random_number(0.4, 0.8), apart = random_number(0.1, 0.4);
        for (int leg = 0; leg < LEGS; leg++) {
            double third = 2 * PI * (leg / 2) / 3, side = leg % 2 ? 1 : -1;
            double below = third + side * apart, above = third + side * (PI / 3 - apart);
            memcpy(platform.base[leg], (double[]){size * cos(below), size * sin(below), 0}, 3 * sizeof(double));
            memcpy(platform.top[leg], (double[]){small * size * cos(above), small * size * sin(above), 0},
                   3 * sizeof(double));
        }
        cp_pose home = pose_on_way(height, size, 0);
        build_platform(&platform, &home);
        cp_mechanism *mechanism = open_mechanism();
        for (int i = -STOPS; i <= STOPS; i++) {
            cp_pose pose = pose_on_way(height, size, (double)abs(i) / STOPS);
            expect_platform(&platform, mechanism, &pose);
        }
        expect_platform(&platform, mechanism, &home);
        cp_mechanism_free(mechanism);
    }
}

int main(void)
{
    random_state = 38;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_planar_linkages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_very_near_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_parallelogram, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rhombus, set_up, tear_down),
        cmocka_unit_test(test_antiparallelogram),
        cmocka_unit_test(test_near_rhombus),
        cmocka_unit_test(test_many_turns),
        cmocka_unit_test_setup_teardown(test_two_drives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_singular_begin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_distance_of_four_bars, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_distance_is_warned_of, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_distance_of_singular_pose, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_deltas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stewart_platforms, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

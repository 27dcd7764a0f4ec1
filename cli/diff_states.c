/* diff states=N: compares how two cells move. Matched joints get the same values, at home and at random ones between
 * the limits of both; the largest distance and the largest angle between two matched frames are told.
 *
 * A joint that follows others on one side only gets that value on the other side, too. A joint without a partner stays
 * at home: since one of the files cannot do what it does, they differ. A frame without a partner is told and does not
 * count, for formats differ in the frames that they have. */
#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double degrees = 180 / 3.14159265358979323846;

/* The largest difference so far. */
struct worst {
    double value; /* metres or radians */
    uint32_t node;
    uint64_t state;
    cp_pose poses[2];
    double *q; /* of a */
};

struct states {
    struct diff *diff;
    const struct states_asked *asked;
    const struct diff_side *sides[2];
    double *q[2], *values[2];
    cp_pose *worlds[2], *home; /* home: worlds of a at home */
    uint64_t compared, open;   /* open: states at which loops close nowhere near */
    int closes_in;             /* IN_A, IN_B: loops close at some state in that file only */
    uint64_t alone;            /* joints that move, without a partner */
    bool moves;                /* some matched frame does */
    struct worst position, angle;
};

static bool is_dependent(const cp_joint *joint)
{
    return joint->master != CP_NONE || joint->expression;
}

/* ---- values and poses ---- */

/* Sets the values of b's joints by those of a, and those of a that follow others in b alone. found: CP_NO for a side
 * whose loops do not close; b is not asked if a's do not. */
static void share_values(struct states *states, cp_status found[2])
{
    enum { ROUNDS = 2 }; /* a joint of a that follows in b may itself lead others in a */
    const struct diff_side *a = states->sides[0], *b = states->sides[1];
    cp_context *context = states->diff->cli->context;
    for (int round = 0; round < ROUNDS; round++) {
        found[0] = found[1] = cp_joint_values(context, a->scene, states->q[0], states->values[0]);
        for (uint32_t i = 0; i < b->joint_count && found[0] == CP_OK; i++)
            states->q[1][i] = b->joint_twin[i] == CP_NONE ? b->joints[i].home : states->values[0][b->joint_twin[i]];
        if (found[0] == CP_OK)
            found[1] = cp_joint_values(context, b->scene, states->q[1], states->values[1]);
        if (found[1] != CP_OK)
            return;
        for (uint32_t i = 0; i < a->joint_count; i++) {
            uint32_t twin = a->joint_twin[i];
            if (twin != CP_NONE && is_dependent(&b->joints[twin]) && !is_dependent(&a->joints[i]))
                states->q[0][i] = states->values[1][twin];
        }
    }
}

/* Draws values for the joints of a with a partner: between the limits of both, if they have some in common. */
static void draw_values(struct states *states, uint64_t *random)
{
    const struct diff_side *a = states->sides[0], *b = states->sides[1];
    for (uint32_t i = 0; i < a->joint_count; i++) {
        cp_joint joint = a->joints[i];
        if (a->joint_twin[i] == CP_NONE) {
            states->q[0][i] = joint.home;
            continue;
        }
        const cp_joint *twin = &b->joints[a->joint_twin[i]];
        double lower = fmax(joint.lower, twin->lower), upper = fmin(joint.upper, twin->upper);
        if (lower <= upper) {
            joint.lower = lower;
            joint.upper = upper;
        }
        states->q[0][i] = random_value(&joint, random);
    }
}

/* Poses both sides. If loops close on neither side, tries values nearer to home. CP_NO if they close nowhere, or on one
 * side only, which is noted. */
static cp_status pose_sides(struct states *states)
{
    enum { MOST_TRIES = 8 };
    const struct diff_side *a = states->sides[0];
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        cp_status found[2];
        share_values(states, found);
        for (int k = 0; k < 2; k++)
            if (found[k] == CP_OK)
                found[k] = cp_world_poses(states->diff->cli->context, states->sides[k]->scene, states->q[k],
                                          states->worlds[k]);
        if (found[0] != CP_NO && found[1] != CP_NO)
            return found[0] != CP_OK ? found[0] : found[1];
        if (found[0] != found[1]) {
            states->closes_in = found[0] == CP_OK ? IN_A : IN_B;
            return CP_NO;
        }
        for (uint32_t i = 0; i < a->joint_count; i++)
            states->q[0][i] = (states->q[0][i] + a->joints[i].home) / 2;
    }
    return CP_NO;
}

/* ---- differences ---- */

static double distance(const double *a, const double *b)
{
    return hypot(hypot(a[3] - b[3], a[7] - b[7]), a[11] - b[11]);
}

/* The angle between two rotations: |A - B| = 2 sqrt(2) sin(angle / 2) in the norm of Frobenius, which is exact for
 * small angles, too. */
static double angle_between(const double *a, const double *b)
{
    double square = 0;
    for (int i = 0; i < 12; i++)
        square += i % 4 == 3 ? 0 : (a[i] - b[i]) * (a[i] - b[i]);
    return 2 * asin(fmin(1, sqrt(square / 8)));
}

static void note_worst(const struct states *states, struct worst *worst, double value, uint32_t node, uint64_t state)
{
    if (value <= worst->value)
        return;
    worst->value = value;
    worst->node = node;
    worst->state = state;
    worst->poses[0] = states->worlds[0][node];
    worst->poses[1] = states->worlds[1][states->sides[0]->node_twin[node]];
    memcpy(worst->q, states->values[0], states->sides[0]->joint_count * sizeof *worst->q);
}

static void compare_state(struct states *states, uint64_t state)
{
    const struct diff_side *a = states->sides[0];
    if (states->compared++ == 0)
        memcpy(states->home, states->worlds[0], a->node_count * sizeof *states->home);
    for (uint32_t i = 1; i < a->node_count; i++) {
        if (a->node_twin[i] == CP_NONE)
            continue;
        const double *in_a = states->worlds[0][i].m, *in_b = states->worlds[1][a->node_twin[i]].m;
        note_worst(states, &states->position, distance(in_a, in_b), i, state);
        note_worst(states, &states->angle, angle_between(in_a, in_b), i, state);
        states->moves = states->moves || memcmp(in_a, states->home[i].m, sizeof states->home[i].m) != 0;
    }
}

static cp_status compare_states(struct states *states)
{
    const struct diff_side *a = states->sides[0];
    uint64_t random = 20;
    cp_status status = CP_OK;
    for (uint64_t state = 0; state <= (uint64_t)states->asked->count && status == CP_OK; state++) {
        if (state > 0)
            draw_values(states, &random);
        for (uint32_t i = 0; state == 0 && i < a->joint_count; i++)
            states->q[0][i] = a->joints[i].home;
        status = pose_sides(states);
        if (status == CP_OK)
            compare_state(states, state);
        else if (status == CP_NO && !states->closes_in)
            states->open++;
        if (status == CP_NO)
            status = CP_OK;
    }
    return status;
}

/* ---- the answer ---- */

static const char *const words_by[] = {"name", "map", "chain"};

/* Tells whether they are the same, and why not. */
static const char *find_fault(const struct states *states)
{
    double tolerance = states->diff->tolerance;
    const struct diff_side *a = states->sides[0];
    bool any = false;
    for (uint32_t i = 0; i < a->joint_count; i++)
        any = any ||
              (a->joint_twin[i] != CP_NONE && joint_moves(&a->joints[i]) && a->joints[i].lower < a->joints[i].upper);
    return states->position.value > tolerance || states->angle.value > tolerance ? "frames are at different places"
           : states->closes_in                                                   ? "loops close in one file only"
           : states->alone > 0                                                   ? "joints have no partner"
           : states->compared == 0                                               ? "loops close nowhere"
           : any && !states->moves                                               ? "no frame that moves has a partner"
                                                                                 : NULL;
}

static void print_joint(struct cli *cli, const struct diff_side *a, uint32_t joint, double value)
{
    char digits[CP_NUMBER_SIZE];
    bool alone = cp_joint_is_named_alone(a->scene, joint);
    cp_print_double(value, digits);
    say(cli, "%s%s=%s", alone ? "" : "id:", alone ? a->joints[joint].name : a->joints[joint].id, digits);
}

/* "position    0.1 m at most: frame "tip" at (0 0 1), not (0 0 1.1), at state 3: J1=0.5, J2=1" */
static void print_worst(const struct states *states, const struct worst *worst, const char *what, double scale,
                        const char *unit)
{
    struct cli *cli = states->diff->cli;
    const struct diff_side *a = states->sides[0];
    const double *in_a = worst->poses[0].m, *in_b = worst->poses[1].m;
    const char *separator = ": ";
    printf("%-11s %s %s at most", what, short_number(worst->value * scale).text, unit);
    if (worst->value > 0) {
        say(cli, ": frame \"%s\" at %s, not %s, ", a->nodes[worst->node].name,
            point_text(in_a[3], in_a[7], in_a[11]).text, point_text(in_b[3], in_b[7], in_b[11]).text);
        if (worst->state == 0)
            printf("at home");
        else
            printf("at state %" PRIu64, worst->state);
        for (uint32_t i = 0; i < a->joint_count; i++) {
            if (!joint_moves(&a->joints[i]) || is_dependent(&a->joints[i]))
                continue;
            printf("%s", separator);
            separator = ", ";
            print_joint(cli, a, i, worst->q[i]);
        }
    }
    printf("\n");
}

/* Prints how many of one kind were matched, and which of them not by name. */
static void print_matches(struct states *states, const char *what, bool joints)
{
    const struct diff_side *a = states->sides[0], *b = states->sides[1];
    const uint32_t *twin = joints ? a->joint_twin : a->node_twin, count = joints ? a->joint_count : a->node_count;
    const unsigned char *by = joints ? a->joint_by : a->node_by;
    uint64_t counts[3] = {0};
    for (uint32_t i = !joints; i < count; i++) /* not the world */
        counts[by[i]] += twin[i] != CP_NONE;
    printf("%-11s %" PRIu64 " matched by name, %" PRIu64 " by the map, %" PRIu64 " along the chain\n", what, counts[0],
           counts[1], counts[2]);
    for (uint32_t i = 0; i < count; i++)
        if (twin[i] != CP_NONE && by[i] != MATCHED_BY_NAME) {
            say(states->diff->cli, "  \"%s\" is \"%s\"", joints ? a->joints[i].name : a->nodes[i].name,
                joints ? b->joints[twin[i]].name : b->nodes[twin[i]].name);
            printf(" (%s)\n", words_by[by[i]]);
        }
}

/* Goes over what has no partner, and what follows others in one file alone. */
static void tell_alone(struct states *states)
{
    cp_json *json = states->diff->json;
    for (int k = 0; k < 2; k++) {
        const struct diff_side *side = states->sides[k], *other = states->sides[1 - k];
        for (uint32_t i = 0; i < side->joint_count + side->node_count; i++) {
            bool joint = i < side->joint_count;
            uint32_t row = joint ? i : i - side->joint_count;
            uint32_t twin = joint ? side->joint_twin[row] : side->node_twin[row];
            bool follows =
                joint && twin != CP_NONE && is_dependent(&side->joints[row]) && !is_dependent(&other->joints[twin]);
            if ((twin != CP_NONE && !follows) || (!joint && is_placeholder(side->scene, row)))
                continue;
            const char *name = joint ? side->joints[row].name : side->nodes[row].name;
            bool differs = joint && !follows && joint_moves(&side->joints[row]);
            states->alone += differs;
            if (json) {
                cp_json_open(json, NULL, '{');
                cp_json_text(json, "subject", joint ? "joint" : "frame");
                cp_json_text(json, "name", name);
                cp_json_text(json, "property", follows ? "dependent" : "presence");
                cp_json_text(json, "only_in", k == 0 ? "a" : "b");
                cp_json_boolean(json, "counts", differs);
                cp_json_close(json, '}');
            } else {
                say(states->diff->cli, "%s \"%s\": %s %s", joint ? "joint" : "frame", name,
                    follows ? "follows others only in" : "only in", side->path);
                printf("%s\n", differs ? ", stays at home" : "");
            }
        }
    }
}

static void put_matches(struct states *states, const char *key, bool joints)
{
    const struct diff_side *a = states->sides[0], *b = states->sides[1];
    cp_json *json = states->diff->json;
    const uint32_t *twin = joints ? a->joint_twin : a->node_twin, count = joints ? a->joint_count : a->node_count;
    cp_json_open(json, key, '[');
    for (uint32_t i = !joints; i < count; i++) {
        if (twin[i] == CP_NONE)
            continue;
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "a", joints ? a->joints[i].name : a->nodes[i].name);
        cp_json_text(json, "b", joints ? b->joints[twin[i]].name : b->nodes[twin[i]].name);
        cp_json_text(json, "by", words_by[(joints ? a->joint_by : a->node_by)[i]]);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
}

static void put_worst(struct states *states, const char *key, const struct worst *worst)
{
    const struct diff_side *a = states->sides[0];
    cp_json *json = states->diff->json;
    cp_json_open(json, key, '{');
    cp_json_number(json, "value", worst->value);
    if (worst->value > 0) {
        cp_json_text(json, "frame", a->nodes[worst->node].name);
        cp_json_count(json, "state", worst->state);
        cp_json_numbers(json, "a", worst->poses[0].m, 12);
        cp_json_numbers(json, "b", worst->poses[1].m, 12);
        cp_json_open(json, "joints", '[');
        for (uint32_t i = 0; i < a->joint_count; i++) {
            cp_json_open(json, NULL, '{');
            cp_json_text(json, "joint", a->joints[i].name);
            cp_json_text(json, "id", a->joints[i].id);
            cp_json_number(json, "value", worst->q[i]);
            cp_json_close(json, '}');
        }
        cp_json_close(json, ']');
    }
    cp_json_close(json, '}');
}

static void tell_matches(struct states *states)
{
    cp_json *json = states->diff->json;
    if (json) {
        put_matches(states, "joints", true);
        put_matches(states, "frames", false);
        cp_json_open(json, "alone", '[');
    } else {
        print_matches(states, "joints", true);
        print_matches(states, "frames", false);
    }
    tell_alone(states);
    if (json)
        cp_json_close(json, ']');
}

static void tell_result(struct states *states)
{
    cp_json *json = states->diff->json;
    const char *fault = find_fault(states);
    if (json) {
        cp_json_count(json, "states", states->compared);
        cp_json_count(json, "open", states->open);
        put_worst(states, "position", &states->position);
        put_worst(states, "angle", &states->angle);
        cp_json_text(json, "fault", fault);
        cp_json_boolean(json, "equal", !fault);
        return;
    }
    printf("states      %" PRIu64 ": home, and random values between the limits", states->compared);
    if (states->open > 0)
        printf("; %" PRIu64 " at which loops do not close are left out", states->open);
    printf("\n");
    print_worst(states, &states->position, "position", 1, "m");
    print_worst(states, &states->angle, "angle", degrees, "deg");
    printf("%s%s%s; the tolerance is %s m and rad\n", fault ? "different" : "equal", fault ? ": " : "",
           fault ? fault : "", short_number(states->diff->tolerance).text);
}

static bool make_arrays(struct states *states)
{
    struct cli *cli = states->diff->cli;
    const struct diff_side *a = states->sides[0];
    bool good = true;
    for (int k = 0; k < 2; k++) {
        const struct diff_side *side = states->sides[k];
        states->q[k] = cli_allocate(cli, side->joint_count * sizeof(double));
        states->values[k] = cli_allocate(cli, side->joint_count * sizeof(double));
        states->worlds[k] = cli_allocate(cli, side->node_count * sizeof(cp_pose));
        good = good && states->q[k] && states->values[k] && states->worlds[k];
    }
    states->home = cli_allocate(cli, a->node_count * sizeof(cp_pose));
    states->position.q = cli_allocate(cli, a->joint_count * sizeof(double));
    states->angle.q = cli_allocate(cli, a->joint_count * sizeof(double));
    return good && states->home && states->position.q && states->angle.q;
}

cp_status diff_states(struct diff *diff, const struct states_asked *asked)
{
    struct states states = {.diff = diff, .asked = asked, .sides = {&diff->a, &diff->b}};
    cp_status status = match_sides(diff);
    if (status == CP_OK && asked->map)
        status = match_by_file(diff, asked->map);
    if (status == CP_OK)
        status = match_by_chain(diff);
    if (status == CP_OK && !make_arrays(&states))
        status = CP_LIMIT;
    if (status != CP_OK)
        return status;
    tell_matches(&states);
    status = compare_states(&states);
    if (status != CP_OK)
        return status;
    tell_result(&states);
    return find_fault(&states) ? CP_NO : CP_OK;
}

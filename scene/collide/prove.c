/* The middle of a box of joint values is a configuration; h is how far each joint may go from there, either way. Seen from a link between
 * the two bodies, the split, the joints on either side of it move the body on that side. Take the box's joints to any of its
 * configurations one after the other, the ones next to the split first. Those behind the joint that turns are at the middle still, so
 * it takes no point of the body further than the chord 2 sin(h / 2) u, u being the largest distance of the body from its axis then; and
 * those before it only carry that chord along. Along the normal n of the gap it is less: chords are across the axis, which is as far from
 * n as in the middle, less what the joints before it turned. A joint that slides takes the body h along its axis. */
#include "prove.h"
#include "../vector.h"

#include <math.h>
#include <string.h>

struct prover {
    const struct chain *chain;
    struct convex hulls[2]; /* placed in the common ancestor's frame */
    uint32_t variables, motions;
    double *boxes; /* the waiting ones: middles and halves */
    uint32_t box_count, box_room;
    cp_pose *poses;            /* of the motions' joints in the common ancestor's frame */
    cp_pose ends[2];           /* of the bodies there */
    struct convex_start start; /* the last gap's: of a box next to the one that is looked at */
    double *radii[2];          /* of the motions, about each body: see radius_of; less than 0 where not known */
    double *values;            /* for which they are */
    double *terms;             /* what each variable may take off the gap */
    uint32_t split;            /* of all motions in the order of the way, those before it move the first body */
};

/* ---- one configuration ---- */

/* The motions on the way from the first body to the second: the first branch from its end, then the second from its start. */
static uint32_t motion_on_way(const struct chain *chain, uint32_t place)
{
    uint32_t first = chain->branches[0].count;
    return place < first ? first - 1 - place : place;
}

/* Forgets the radii that change with the values: of joints with one that has moved between them and the body. */
static void forget_radii(struct prover *prover, const double *values)
{
    for (int side = 0; side < 2; side++) {
        bool same = true;
        for (uint32_t i = 0; i < prover->motions; i++) { /* away from the body */
            uint32_t motion = motion_on_way(prover->chain, side ? prover->motions - 1 - i : i),
                     variable = prover->chain->motions[motion].variable;
            if (!same)
                prover->radii[side][motion] = -1;
            same = same && values[variable] == prover->values[variable];
        }
    }
    memcpy(prover->values, values, prover->variables * sizeof *values);
}

static struct gap gap_at(struct prover *prover, const double *values, double enough)
{
    const struct chain *chain = prover->chain;
    forget_radii(prover, values);
    for (int side = 0; side < 2; side++)
        branch_poses(chain, side, values, prover->poses + (side ? chain->branches[0].count : 0), &prover->ends[side]);
    return convex_gap_from(&prover->hulls[0], &prover->hulls[1], enough, &prover->start);
}

/* ---- the bound ---- */

/* The largest distance of the body from the axis of a joint that moves it. */
static double radius_of(struct prover *prover, uint32_t motion, int side, const double axis[3], const double origin[3])
{
    double *radius = &prover->radii[side][motion];
    if (*radius < 0)
        *radius = convex_radius(&prover->hulls[side], axis, origin);
    return *radius;
}

/* What a motion may take off the gap, when it goes by `half` and the joints between it and the split turn by `turned`. */
static double motion_term(struct prover *prover, uint32_t motion, int side, double half, double turned,
                          const double normal[3])
{
    double axis[3], origin[3], across[3];
    motion_axis(prover->chain, &prover->chain->motions[motion], &prover->poses[motion], axis, origin);
    /* of the angle between them, at most a right one; its cosine alone would not tell small ones */
    cross_product(axis, normal, across);
    double sine = sqrt(dot_product(across, across)), cosine = fabs(dot_product(axis, normal));
    double turned_sine = sin(turned), turned_cosine = cos(turned);
    bool far = turned >= PI / 2; /* turned by so much it may be any angle */
    if (prover->chain->scene->joints[prover->chain->motions[motion].joint].type == CP_JOINT_PRISMATIC) {
        bool aligned = far || sine * turned_cosine <= cosine * turned_sine;
        return half * (aligned ? 1 : cosine * turned_cosine + sine * turned_sine);
    }
    bool across_it = far || cosine * turned_cosine <= sine * turned_sine;
    double chord = half < PI ? 2 * sin(half / 2) : 2;
    return chord * (across_it ? 1 : sine * turned_cosine + cosine * turned_sine) *
           radius_of(prover, motion, side, axis, origin);
}

/* The terms of all motions at a split, by variable; their sum. */
static double sum_terms(struct prover *prover, const double *halves, const double normal[3], uint32_t split)
{
    const struct chain *chain = prover->chain;
    double sum = 0;
    memset(prover->terms, 0, prover->variables * sizeof *prover->terms);
    for (int side = 0; side < 2; side++) {
        double turned = 0;
        uint32_t count = side ? chain->motion_count - split : split;
        for (uint32_t i = 0; i < count; i++) { /* away from the split */
            uint32_t motion = motion_on_way(chain, side ? split + i : split - 1 - i);
            const struct motion *it = &chain->motions[motion];
            double half = fabs(it->scale) * halves[it->variable];
            double term = motion_term(prover, motion, side, half, turned, normal);
            prover->terms[it->variable] += term;
            sum += term;
            if (chain->scene->joints[it->joint].type == CP_JOINT_REVOLUTE)
                turned += half;
        }
    }
    return sum;
}

/* The split with the smallest sum in the whole box. */
static uint32_t find_split(struct prover *prover, const double *halves, const double normal[3])
{
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t split = 0; split <= prover->motions; split++) {
        double sum = sum_terms(prover, halves, normal, split);
        if (sum < least) {
            least = sum;
            best = split;
        }
    }
    return best;
}

/* ---- boxes ---- */

static bool push_box(struct prover *prover, const double *middles, const double *halves)
{
    uint32_t size = 2 * prover->variables;
    if (!array_reserve(prover->chain->context, &prover->boxes, &prover->box_room,
                       ((uint64_t)prover->box_count + 1) * size, sizeof *prover->boxes))
        return false;
    double *box = prover->boxes + (size_t)prover->box_count++ * size;
    memcpy(box, middles, prover->variables * sizeof *box);
    memcpy(box + prover->variables, halves, prover->variables * sizeof *box);
    return true;
}

static bool push_halves(struct prover *prover, double *middles, double *halves)
{
    uint32_t widest = 0;
    for (uint32_t i = 1; i < prover->variables; i++)
        if (prover->terms[i] > prover->terms[widest])
            widest = i;
    double middle = middles[widest];
    halves[widest] /= 2;
    middles[widest] = middle + halves[widest];
    bool pushed = push_box(prover, middles, halves);
    middles[widest] = middle - halves[widest];
    return pushed && push_box(prover, middles, halves);
}

static void whole_box(const struct chain *chain, double *middles, double *halves)
{
    for (uint32_t i = 0; i < chain->variable_count; i++) {
        const struct variable *variable = &chain->variables[i];
        middles[i] = variable->lower / 2 + variable->upper / 2;
        halves[i] = variable->upper / 2 - variable->lower / 2;
    }
}

static cp_status bisect(struct prover *prover, const struct proof_goal *goal, double *values, double *halves,
                        struct proof *proof)
{
    whole_box(prover->chain, values, halves);
    if (!push_box(prover, values, halves))
        return CP_LIMIT;
    while (prover->box_count > 0) {
        if (proof->work == goal->work)
            return CP_OK;
        const double *box = prover->boxes + (size_t)--prover->box_count * 2 * prover->variables;
        memcpy(values, box, prover->variables * sizeof *values);
        memcpy(halves, box + prover->variables, prover->variables * sizeof *halves);
        struct gap gap = gap_at(prover, values, INFINITY);
        proof->work++;
        proof->nearest = fmin(proof->nearest, gap.low);
        if (!(gap.low > goal->clearance)) {
            proof->end = PROOF_HIT;
            return CP_OK;
        }
        if (proof->work == 1)
            prover->split = find_split(prover, halves, gap.normal);
        double sum = sum_terms(prover, halves, gap.normal, prover->split);
        /* the sums' own rounding, and that of the poses, is far below this share of them */
        if (gap.low - goal->clearance <= sum * (1 + 1e-9) && !push_halves(prover, values, halves))
            return CP_LIMIT;
    }
    proof->end = PROOF_FREE;
    return CP_OK;
}

cp_status prove_free(const struct chain *chain, const struct convex hulls[2], const struct proof_goal *goal,
                     double *values, struct proof *proof)
{
    *proof = (struct proof){.end = PROOF_UNDECIDED, .nearest = INFINITY};
    if (chain->obstacle != OBSTACLE_NONE)
        return CP_OK;
    cp_context *context = chain->context;
    struct prover prover = {.chain = chain,
                            .hulls = {hulls[0], hulls[1]},
                            .variables = chain->variable_count,
                            .motions = chain->motion_count,
                            .poses = memory_allocate(context, chain->motion_count, sizeof *prover.poses),
                            .values = memory_allocate_zeroed(context, chain->variable_count, sizeof *prover.values),
                            .terms = memory_allocate(context, chain->variable_count, sizeof *prover.terms)};
    double *halves = memory_allocate(context, chain->variable_count, sizeof *halves);
    for (int side = 0; side < 2; side++) {
        prover.hulls[side].pose = &prover.ends[side];
        prover.radii[side] = memory_allocate(context, chain->motion_count, sizeof *prover.radii[side]);
    }
    bool room = prover.poses && prover.values && prover.terms && halves && prover.radii[0] && prover.radii[1];
    for (uint32_t i = 0; i < chain->motion_count && room; i++)
        prover.radii[0][i] = prover.radii[1][i] = -1;
    cp_status status = room ? bisect(&prover, goal, values, halves, proof) : CP_LIMIT;
    memory_free(context, prover.boxes, prover.box_room, sizeof *prover.boxes);
    memory_free(context, prover.poses, chain->motion_count, sizeof *prover.poses);
    for (int side = 0; side < 2; side++)
        memory_free(context, prover.radii[side], chain->motion_count, sizeof *prover.radii[side]);
    memory_free(context, prover.values, chain->variable_count, sizeof *prover.values);
    memory_free(context, prover.terms, chain->variable_count, sizeof *prover.terms);
    memory_free(context, halves, chain->variable_count, sizeof *halves);
    return status;
}

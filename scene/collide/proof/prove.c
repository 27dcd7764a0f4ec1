/* The middle of a box of joint values is a configuration; h is how far each joint may go from there, either way. Seen
 * from a link between the two bodies, the split, the joints on either side of it move the body on that side. Take the
 * box's joints to any of its configurations one after the other, the ones next to the split first. Those behind the
 * joint that turns are at the middle still, so it takes no point of the body further than the chord 2 sin(h / 2) u, u
 * being the largest distance of the body from its axis then; and those before it only carry that chord along. Along the
 * normal n of the gap it is less: chords are across the axis, which is as far from n as in the middle, less what the
 * joints before it turned. A joint that slides takes the body h along its axis. */
#include "prove.h"

#include <math.h>
#include <string.h>

#include "../../vector.h"
#include "../surface/distance.h"

/* ---- one configuration ---- */

/* A plane's unit normal and distance, taken to the common ancestor's frame. */
static bool place_plane(const double plane[4], const cp_pose *pose, double out[4])
{
    cp_pose back;
    if (!pose_inverse(pose, &back))
        return false;
    for (int i = 0; i < 4; i++) {
        out[i] = i == 3 ? plane[3] : 0;
        for (int k = 0; k < 3; k++)
            out[i] += plane[k] * back.m[4 * k + i];
    }
    double length = sqrt(dot_product(out, out));
    for (int i = 0; i < 4; i++)
        out[i] /= length;
    return length > 0;
}

/* How far the other body's hull is from the plane, on either side of it. */
static struct gap plane_gap(const struct prover *prover, const struct proof_task *task)
{
    const struct convex *hull = &prover->hulls[!task->plane_side];
    struct gap gap = {0, {1, 0, 0}, 0, false};
    double plane[4], lowest = INFINITY, highest = -INFINITY, reach = 0;
    if (!place_plane(task->plane, &prover->ends[task->plane_side], plane))
        return gap;
    for (uint32_t i = 0; i < hull->count; i++) {
        double point[3];
        pose_point(hull->pose, hull->points[i], point);
        double height = dot_product(plane, point) + plane[3];
        lowest = fmin(lowest, height);
        highest = fmax(highest, height);
        reach = fmax(reach, fabs(point[0]) + fabs(point[1]) + fabs(point[2]));
    }
    double low = fmax(lowest, -highest) - 1e-14 * (reach + fabs(plane[3]));
    if (!(low > 0))
        return gap;
    double sign = (lowest > 0) == (task->plane_side == 0) ? 1 : -1; /* from the first body to the second */
    gap.low = gap.high = low;
    for (int i = 0; i < 3; i++)
        gap.normal[i] = sign * plane[i];
    return gap;
}

/* The motions on the way from the first body to the second: the first branch from its end, then the second from its
 * start. */
static uint32_t motion_on_way(const struct chain *chain, uint32_t place)
{
    uint32_t first = chain->branches[0].count;
    return place < first ? first - 1 - place : place;
}

/* Forgets the radii that change with the values: of joints with one that has moved between them and the body. */
static void forget_radii(struct prover *prover, const double *values)
{
    uint32_t motions = prover->chain->motion_count;
    for (int side = 0; side < 2; side++) {
        bool same = true;
        for (uint32_t i = 0; i < motions; i++) { /* away from the body */
            uint32_t motion = motion_on_way(prover->chain, side ? motions - 1 - i : i),
                     variable = prover->chain->motions[motion].variable;
            if (!same)
                prover->radii[side][motion] = -1;
            same = same && values[variable] == prover->values[variable];
        }
    }
    memcpy(prover->values, values, prover->chain->variable_count * sizeof *values);
}

static struct gap gap_at(struct prover *prover, const struct proof_task *task, const double *values)
{
    const struct chain *chain = prover->chain;
    forget_radii(prover, values);
    for (int side = 0; side < 2; side++)
        branch_poses(chain, side, values, prover->poses + (side ? chain->branches[0].count : 0), &prover->ends[side]);
    if (task->plane)
        return plane_gap(prover, task);
    return convex_gap_from(&prover->hulls[0], &prover->hulls[1], INFINITY, &prover->start);
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

/* What a motion may take off the gap, when it goes by half[0] and the joints between it and the split turn by half[1].
 * normal: NULL for what it may move the body at all. */
static double motion_term(struct prover *prover, uint32_t motion, int side, const double half[2], const double *normal)
{
    const struct motion *it = &prover->chain->motions[motion];
    double axis[3], origin[3], across[3], sine = 1, cosine = 0, length = 0;
    motion_axis(prover->chain, it, &prover->poses[motion], axis, origin);
    length = sqrt(dot_product(axis, axis));
    for (int i = 0; i < 3; i++)
        axis[i] /= length;
    if (normal) { /* the angle between them, at most a right one; its cosine alone would not tell small ones */
        cross_product(axis, normal, across);
        sine = sqrt(dot_product(across, across));
        cosine = fabs(dot_product(axis, normal));
    }
    double turned_sine = sin(half[1]), turned_cosine = cos(half[1]);
    bool far = !normal || half[1] >= PI / 2; /* turned by so much it may be any angle */
    if (prover->chain->scene->joints[it->joint].type == CP_JOINT_PRISMATIC) {
        bool aligned = far || sine * turned_cosine <= cosine * turned_sine;
        return half[0] * length * (aligned ? 1 : cosine * turned_cosine + sine * turned_sine);
    }
    bool across_it = far || cosine * turned_cosine <= sine * turned_sine;
    double chord = half[0] < PI ? 2 * sin(half[0] / 2) : 2;
    return chord * (across_it ? 1 : sine * turned_cosine + cosine * turned_sine) *
           radius_of(prover, motion, side, axis, origin);
}

/* The terms of all motions at a split, by variable; their sum. */
static double sum_terms(struct prover *prover, const double *normal, uint32_t split)
{
    const struct chain *chain = prover->chain;
    double sum = 0;
    memset(prover->terms, 0, chain->variable_count * sizeof *prover->terms);
    for (int side = 0; side < 2; side++) {
        double half[2] = {0, chain->stretch};
        uint32_t count = side ? chain->motion_count - split : split;
        for (uint32_t i = 0; i < count; i++) { /* away from the split */
            uint32_t motion = motion_on_way(chain, side ? split + i : split - 1 - i);
            const struct motion *it = &chain->motions[motion];
            half[0] = fabs(it->scale) * prover->halves[it->variable];
            double term = motion_term(prover, motion, side, half, normal);
            prover->terms[it->variable] += term;
            sum += term;
            if (chain->scene->joints[it->joint].type == CP_JOINT_REVOLUTE)
                half[1] += half[0];
        }
    }
    /* the sums' own rounding, and that of the poses, is far below this share of them */
    return sum * (1 + 1e-9 + chain->stretch);
}

/* Splits that are tried, on long ways not all, as each takes a look at all motions. */
enum { MOST_SPLITS = 32 };

/* The split with the smallest sum in the whole box. What moves a plane must move the other body instead, as the plane
 * has no end. */
static uint32_t find_split(struct prover *prover, const struct proof_task *task, const double *normal)
{
    uint32_t best = 0, motions = prover->chain->motion_count, step = motions / MOST_SPLITS + 1;
    double least = INFINITY;
    if (task->plane)
        return task->plane_side == 0 ? 0 : motions;
    for (uint32_t split = 0; split <= motions; split += step) {
        double sum = sum_terms(prover, normal, split);
        if (sum < least) {
            least = sum;
            best = split;
        }
    }
    return best;
}

/* ---- boxes ---- */

/* A box is halved some 60 times a variable at most, until no double lies between; a proof that needs more boxes is
 * none. Nor is one with so many variables that few boxes have room: it would take far more work than there is. */
enum { HALVINGS = 80, MOST_BOXES = 4096, MOST_NUMBERS = 1 << 20 };

static uint32_t room_for_boxes(uint32_t variables)
{
    uint32_t most = variables < MOST_BOXES / HALVINGS ? HALVINGS * variables + 2 : MOST_BOXES;
    uint32_t fit = variables > 0 ? MOST_NUMBERS / (2 * variables) : most;
    most = fit < most ? fit : most;
    return most > 0 ? most : 1;
}

/* The last box: its middle, and how far it goes from there at most. It stays where it is until another one is
 * pushed. */
static void pop_box(struct prover *prover, double *middles)
{
    uint32_t count = prover->chain->variable_count;
    const double *box = prover->boxes + (size_t)--prover->box_count * prover->box_size;
    for (uint32_t i = 0; i < count; i++) {
        double lower = box[i], upper = box[count + i];
        middles[i] = lower / 2 + upper / 2;
        prover->halves[i] =
            fmax(upper - middles[i], middles[i] - lower) * (1 + 4e-16); /* more than rounding took off */
    }
}

/* The popped box in two along the variable with the largest term: at the middle, or where no double lies between its
 * ends, one end each. */
static bool push_halves(struct prover *prover, const double *middles)
{
    uint32_t widest = 0, count = prover->chain->variable_count;
    for (uint32_t i = 1; i < count; i++)
        if (prover->terms[i] > prover->terms[widest])
            widest = i;
    if (prover->box_count + 2 > prover->box_room)
        return false;
    double *high = prover->boxes + (size_t)prover->box_count * prover->box_size, *low = high + prover->box_size;
    memcpy(low, high, prover->box_size * sizeof *low);
    double lower = low[widest], upper = low[count + widest], middle = middles[widest];
    bool between = middle > lower && middle < upper;
    high[widest] = between ? middle : upper;
    low[count + widest] = between ? middle : lower;
    prover->box_count += 2;
    return true;
}

static void whole_box(const struct chain *chain, double *box)
{
    for (uint32_t i = 0; i < chain->variable_count; i++) {
        box[i] = chain->variables[i].lower;
        box[chain->variable_count + i] = chain->variables[i].upper;
    }
}

/* ---- surfaces ---- */

enum { TESTS_PER_WORK = 64 };

/* Whether the surfaces are farther apart than they can move, `sum`, and none is inside of the other. */
static enum proof_end compare_surfaces(struct prover *prover, const struct proof_task *task, double sum,
                                       struct proof *proof)
{
    const struct chain *chain = prover->chain;
    const struct body *one = prover->bodies[0], *other = prover->bodies[1];
    cp_pose back;
    if (!pose_inverse(&prover->ends[0], &back) || !isfinite(sum))
        return PROOF_UNDECIDED;
    cp_pose placed = pose_multiply(&back, &prover->ends[1]);
    double unit = chain->unit / chain->first_unit * (1 + 2 * chain->stretch);
    double needed = (task->clearance + sum) * unit * (1 + 1e-9);
    uint64_t tests = 0;
    double most = needed * (1 + 1e-9), distance = surfaces_nearer(&one->bvh, &other->bvh, &placed, most, &tests);
    bool meet = distance <= task->clearance * unit || bodies_contain(one, other, &placed, &tests);
    proof->work += 1 + tests / TESTS_PER_WORK;
    if (meet)
        return PROOF_HIT;
    if (!(distance >= most))
        return PROOF_UNDECIDED;
    proof->nearest = fmin(proof->nearest, distance * chain->first_unit);
    return PROOF_FREE;
}

/* ---- bisection ---- */

/* Of the box with these middles: FREE, HIT in its middle, or undecided; then the terms say which joint to bisect. */
static enum proof_end look_at_box(struct prover *prover, const struct proof_task *task, const double *values,
                                  struct proof *proof)
{
    struct gap gap = gap_at(prover, task, values);
    const double *normal = gap.low > 0 ? gap.normal : NULL;
    proof->work++;
    if (prover->split == CP_NONE)
        prover->split = find_split(prover, task, normal);
    double sum = sum_terms(prover, normal, prover->split);
    if (gap.low > task->clearance + sum) {
        proof->nearest = fmin(proof->nearest, gap.low * prover->chain->unit);
        return PROOF_FREE;
    }
    if (task->surfaces)
        return compare_surfaces(prover, task, sum_terms(prover, NULL, prover->split), proof);
    proof->nearest = fmin(proof->nearest, gap.low * prover->chain->unit);
    return gap.low > task->clearance ? PROOF_UNDECIDED : PROOF_HIT;
}

enum proof_end prover_run(struct prover *prover, const struct proof_task *task, uint64_t most, double *values,
                          struct proof *proof)
{
    bool room = true;
    prover->split = CP_NONE;
    while (room && prover->box_count > 0) {
        if (proof->work >= most)
            return PROOF_UNDECIDED;
        pop_box(prover, values);
        enum proof_end end = look_at_box(prover, task, values, proof);
        if (end == PROOF_HIT)
            return end;
        if (end == PROOF_UNDECIDED)
            room = prover->chain->variable_count > 0 && push_halves(prover, values);
    }
    if (!room)
        prover->box_count = 0;
    return room ? PROOF_FREE : PROOF_UNDECIDED;
}

/* ---- all that the bodies are made of ---- */

bool proof_task_at(const struct chain *chain, const struct body *const bodies[2], double clearance, uint32_t index,
                   struct proof_task *task)
{
    uint32_t planes = bodies[0]->plane_count;
    *task = (struct proof_task){.plane_side = -1, .clearance = clearance / chain->unit * (1 + 2 * chain->stretch)};
    if (index > planes + bodies[1]->plane_count)
        return false;
    if (index == 0) {
        task->surfaces = !bodies[0]->convex || !bodies[1]->convex;
        task->is_empty = bodies[0]->hull.count == 0 || bodies[1]->hull.count == 0;
        return true;
    }
    task->plane_side = index - 1 < planes ? 0 : 1;
    task->plane = bodies[task->plane_side]->planes[task->plane_side ? index - 1 - planes : index - 1];
    task->is_empty = bodies[!task->plane_side]->hull.count == 0;
    return true;
}

bool proof_is_possible(const struct chain *chain, const struct body *const bodies[2])
{
    bool planes = bodies[0]->plane_count > 0 && bodies[1]->plane_count > 0; /* have no end: they meet somewhere */
    return chain->obstacles == 0 && !planes;
}

void prover_begin(struct prover *prover, const struct chain *chain, const struct body *const bodies[2])
{
    prover->start = (struct convex_start){.count = 0};
    prover->chain = chain;
    prover->box_count = 0;
    prover->box_size = 2 * chain->variable_count;
    prover->box_room = room_for_boxes(chain->variable_count);
    for (int side = 0; side < 2; side++) {
        prover->bodies[side] = bodies[side];
        prover->hulls[side] = body_hull(bodies[side]);
        prover->hulls[side].pose = &prover->ends[side];
    }
    for (uint32_t i = 0; i < chain->motion_count; i++)
        prover->radii[0][i] = prover->radii[1][i] = -1;
    memset(prover->values, 0, chain->variable_count * sizeof *prover->values);
}

double prover_gap(struct prover *prover, const double *values)
{
    return gap_at(prover, &(struct proof_task){.plane_side = -1}, values).low * prover->chain->unit;
}

void prover_push_all(struct prover *prover)
{
    whole_box(prover->chain, prover->boxes + (size_t)prover->box_count++ * prover->box_size);
}

struct proof prove_free(struct prover *prover, const struct chain *chain, const struct body *const bodies[2],
                        const struct proof_goal *goal, double *values)
{
    struct proof proof = {.end = PROOF_FREE, .nearest = INFINITY};
    struct proof_task task;
    if (!proof_is_possible(chain, bodies))
        proof.end = PROOF_UNDECIDED;
    for (uint32_t i = 0; proof.end == PROOF_FREE && proof_task_at(chain, bodies, goal->clearance, i, &task); i++) {
        prover_begin(prover, chain, bodies);
        if (!task.is_empty)
            prover_push_all(prover);
        proof.end = prover_run(prover, &task, goal->work, values, &proof);
    }
    return proof;
}

/* ---- room ---- */

/* For chains of up to so many variables. */
static size_t room_for_numbers(uint32_t variables)
{
    size_t one = 2 * (size_t)variables;
    size_t all = variables < MOST_BOXES / HALVINGS ? one * room_for_boxes(variables) : MOST_NUMBERS;
    return all > one ? all : one;
}

bool prover_open(struct prover *prover, cp_context *context, uint32_t most_motions)
{
    *prover = (struct prover){.most_motions = most_motions, .number_room = room_for_numbers(most_motions)};
    prover->boxes = memory_allocate(context, prover->number_room, sizeof *prover->boxes);
    prover->poses = memory_allocate(context, most_motions, sizeof *prover->poses);
    prover->terms = memory_allocate(context, most_motions, sizeof *prover->terms);
    prover->halves = memory_allocate(context, most_motions, sizeof *prover->halves);
    prover->values = memory_allocate(context, most_motions, sizeof *prover->values);
    for (int side = 0; side < 2; side++)
        prover->radii[side] = memory_allocate(context, most_motions, sizeof *prover->radii[side]);
    return prover->boxes && prover->poses && prover->terms && prover->halves && prover->values && prover->radii[0] &&
           prover->radii[1];
}

void prover_close(struct prover *prover, cp_context *context)
{
    memory_free(context, prover->boxes, prover->number_room, sizeof *prover->boxes);
    memory_free(context, prover->poses, prover->most_motions, sizeof *prover->poses);
    memory_free(context, prover->terms, prover->most_motions, sizeof *prover->terms);
    memory_free(context, prover->halves, prover->most_motions, sizeof *prover->halves);
    memory_free(context, prover->values, prover->most_motions, sizeof *prover->values);
    for (int side = 0; side < 2; side++)
        memory_free(context, prover->radii[side], prover->most_motions, sizeof *prover->radii[side]);
    *prover = (struct prover){0};
}

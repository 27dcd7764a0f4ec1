/* The middle of a box of joint values is a configuration; h is how far each joint may go from there, either way. The
 * gap in the middle, less all that the joints may take off it in the box (see bound.c), is a bound of the gap in the
 * box. */
#include "bound.h"

#include <string.h>

/* A statement to prove: two hulls, or a plane and a hull, stay clear of each other. */
struct proof_task {
    int plane_side;      /* of the bodies, the one whose plane it is; else -1 */
    const double *plane; /* in its body's frame */
    bool surfaces;       /* the hulls are larger than the bodies: surfaces may be apart where the hulls are not */
    bool is_empty;       /* one of the two is empty */
    bool inside;         /* the statement is instead that they always touch */
    double clearance;    /* in units of the common ancestor's frame; of `inside`: what they may be apart */
    uint64_t work;       /* of `inside`: it ends if more work than this is to be expected */
};

/* ---- one configuration ---- */

/* Measures how far the other body's hull is from the plane, on either side of it. */
static struct hull_gap plane_gap(const struct prover *prover, const struct proof_task *task)
{
    struct hull_gap gap = {0, {1, 0, 0}, 0, false};
    const struct convex *hull = &prover->hulls[!task->plane_side];
    double plane[4], lowest = INFINITY, highest = -INFINITY, reach = 0;
    cp_pose back;
    if (!pose_inverse(&prover->ends[task->plane_side], &back))
        return gap;
    for (int i = 0; i < 4; i++) { /* in the common ancestor's frame, the normal a unit vector */
        plane[i] = i == 3 ? task->plane[3] : 0;
        for (int k = 0; k < 3; k++)
            plane[i] += task->plane[k] * back.m[4 * k + i];
    }
    double length = sqrt(dot_product(plane, plane));
    if (!(length > 0))
        return gap;
    for (int i = 0; i < 4; i++)
        plane[i] /= length;
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

static void place_ends(struct prover *prover, const double *values)
{
    const struct frame_chain *chain = prover->chain;
    for (int side = 0; side < 2; side++)
        branch_poses(chain, side, values, prover->poses + (side ? chain->branches[0].count : 0), &prover->ends[side]);
}

static struct hull_gap gap_at(struct prover *prover, const struct proof_task *task, const double *values)
{
    const struct frame_chain *chain = prover->chain;
    uint32_t motions = chain->motion_count;
    for (int side = 0; side < 2; side++) {
        /* A radius changes with the values of the joints between its joint and the body: forget those. */
        bool same = true;
        for (uint32_t i = 0; i < motions; i++) { /* away from the body */
            uint32_t motion = motion_on_way(chain, side ? motions - 1 - i : i);
            uint32_t variable = chain->motions[motion].variable;
            if (!same)
                prover->radii[side][motion] = -1;
            same = same && values[variable] == prover->values[variable];
        }
    }
    place_ends(prover, values);
    memcpy(prover->values, values, chain->variable_count * sizeof *values);
    if (task->plane)
        return plane_gap(prover, task);
    return convex_gap(&prover->hulls[0], &prover->hulls[1], INFINITY, &prover->start);
}

/* ---- the bound ---- */

/* Sets the terms of the whole way, from hull to hull. Returns their sum. */
static double sum_all_terms(struct prover *prover, const double *normal, uint32_t split)
{
    return sum_terms(prover, &(struct part){.split = split}, normal, prover->terms);
}

/* The most splits that are tried. Each takes a look at all motions, so long ways try only some. */
enum { MOST_SPLITS = 32 };

/* Returns the split with the smallest sum in the whole box; the proof keeps it for all parts of that box. Joints that
 * move a plane must move the other body instead, as the plane has no end. */
static uint32_t find_split(struct prover *prover, const struct proof_task *task, const double *normal)
{
    uint32_t best = 0, motions = prover->chain->motion_count, step = motions / MOST_SPLITS + 1;
    double least = INFINITY;
    if (task->plane)
        return task->plane_side == 0 ? 0 : motions;
    for (uint32_t split = 0; split <= motions; split += step) {
        double sum = sum_all_terms(prover, normal, split);
        if (sum < least) {
            least = sum;
            best = split;
        }
    }
    return best;
}

/* Notes that a box is proved: the bodies are nowhere nearer in it than `bound`, in units of the common ancestor's
 * frame. */
static enum proof_end prove_box(const struct prover *prover, double bound, struct proof *proof)
{
    const struct frame_chain *chain = prover->chain;
    proof->bound = fmin(proof->bound, bound * chain->unit / (1 + 2 * chain->stretch));
    return PROOF_FREE;
}

/* ---- surfaces ---- */

enum { TESTS_PER_WORK = 64 };

/* Tells whether the surfaces are farther apart than the joints can move them, `sum`, and no body is inside the
 * other. */
static enum proof_end compare_surfaces(struct prover *prover, const struct proof_task *task, double sum,
                                       struct proof *proof)
{
    const struct frame_chain *chain = prover->chain;
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
    return prove_box(prover, distance / unit - sum, proof);
}

/* ---- bisection ---- */

enum { POINTS_PER_BOX = 8 };

/* Looks at the box with these middles: FREE if the bodies touch in all of it, HIT if a proof of that is not to be
 * expected. */
static enum proof_end look_inside_box(struct prover *prover, const struct proof_task *task, const double *values,
                                      struct proof *proof)
{
    place_ends(prover, values);
    struct depth depth = look_inside(prover, task->clearance, &proof->work);
    if (!depth.common)
        return PROOF_HIT;
    if (depth.share >= 1)
        return PROOF_FREE;
    /* Estimates the parts into which the box must fall until all terms are below the depth. */
    bool hopeless = POINTS_PER_BOX * pow(1 / depth.share, prover->chain->variable_count) > (double)task->work;
    return hopeless ? PROOF_HIT : PROOF_UNDECIDED;
}

/* Looks at the box with these middles: FREE, HIT in its middle, or undecided; then the terms say which joint to
 * bisect. */
static enum proof_end look_at_box(struct prover *prover, const struct proof_task *task, const double *values,
                                  struct proof *proof)
{
    struct hull_gap gap = gap_at(prover, task, values);
    const double *normal = gap.low > 0 ? gap.normal : NULL;
    proof->work++;
    if (prover->split == CP_NONE)
        prover->split = find_split(prover, task, normal);
    double sum = sum_all_terms(prover, normal, prover->split);
    if (gap.low > task->clearance + sum)
        return prove_box(prover, gap.low - sum, proof);
    double room = task->plane || !(gap.low > task->clearance) ? 0 : find_room(prover, gap.low, task->clearance);
    if (room > 0)
        return prove_box(prover, room + task->clearance, proof);
    if (task->surfaces)
        return compare_surfaces(prover, task, sum_all_terms(prover, NULL, prover->split), proof);
    return gap.low > task->clearance ? PROOF_UNDECIDED : PROOF_HIT;
}

bool prover_is_late(struct prover *prover)
{
    prover->is_late = prover->is_late || has_ended(&prover->ending);
    return prover->is_late;
}

enum { LOOKS_A_CLOCK = 64 };

/* Works on the waiting boxes until none is left, they collide at `values`, or proof->work is `most`. PROOF_UNDECIDED
 * without any waiting box: there was no room for them, and more work will not help. */
static enum proof_end run_prover(struct prover *prover, const struct proof_task *task, uint64_t most, double *values,
                                 struct proof *proof)
{
    uint32_t count = prover->chain->variable_count;
    prover->split = CP_NONE;
    while (prover->box_count > 0) {
        if (proof->work >= most || (++prover->looks % LOOKS_A_CLOCK == 0 && prover_is_late(prover)))
            return PROOF_UNDECIDED;
        /* Take the last box: its middle, and how far it goes from there. 4e-16, four times a double's rounding, makes
         * up for the digits that the differences lose. The box stays where it is until another one is pushed. */
        double *high = prover->boxes + (size_t)--prover->box_count * prover->box_size;
        for (uint32_t i = 0; i < count; i++) {
            double lower = high[i], upper = high[count + i];
            values[i] = lower / 2 + upper / 2;
            prover->halves[i] = fmax(upper - values[i], values[i] - lower) * (1 + 4e-16);
        }
        enum proof_end end =
            task->inside ? look_inside_box(prover, task, values, proof) : look_at_box(prover, task, values, proof);
        if (end == PROOF_HIT)
            return end;
        if (end == PROOF_FREE)
            continue;
        /* Bisect it along the variable that takes most off the gap: at the middle, or where no double lies between its
         * ends, into one end each. */
        if (count == 0 || prover->box_count + 2 > prover->box_room) {
            prover->box_count = 0;
            return PROOF_UNDECIDED;
        }
        uint32_t widest = 0;
        for (uint32_t i = 1; i < count; i++)
            if (prover->terms[i] > prover->terms[widest])
                widest = i;
        double *low = high + prover->box_size;
        memcpy(low, high, prover->box_size * sizeof *low);
        double lower = low[widest], upper = low[count + widest], middle = values[widest];
        bool between = middle > lower && middle < upper;
        high[widest] = between ? middle : upper;
        low[count + widest] = between ? middle : lower;
        prover->box_count += 2;
    }
    return PROOF_FREE;
}

/* ---- proofs ---- */

/* Sets the task with this index, all of which a proof must carry out; false past the last. clearance: metres. */
static bool find_task(const struct frame_chain *chain, const struct body *const bodies[2], double clearance,
                      uint32_t index, struct proof_task *task)
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

/* Starts a proof: undecided if an obstacle is in its way, else free until a box says otherwise. Planes have no end, so
 * two of them always meet somewhere. */
static struct proof start_proof(const struct frame_chain *chain, const struct body *const bodies[2])
{
    bool possible = chain->obstacles == 0 && !(bodies[0]->plane_count > 0 && bodies[1]->plane_count > 0);
    return (struct proof){.end = possible ? PROOF_FREE : PROOF_UNDECIDED, .bound = INFINITY};
}

/* A box is halved some 60 times a variable at most, until no double lies between its ends. A proof gives up if it needs
 * more boxes than this; or if so many variables leave room for few boxes, as it would take far more work than there
 * is. */
enum { HALVINGS = 80, MOST_BOXES = 4096, MOST_NUMBERS = 1 << 20 };

static uint32_t room_for_boxes(uint32_t variables)
{
    uint32_t most = variables < MOST_BOXES / HALVINGS ? HALVINGS * variables + 2 : MOST_BOXES;
    uint32_t fit = variables > 0 ? MOST_NUMBERS / (2 * variables) : most;
    most = fit < most ? fit : most;
    return most > 0 ? most : 1;
}

void prover_begin(struct prover *prover, const struct frame_chain *chain, const struct body *const bodies[2])
{
    prover->start = (struct convex_start){.count = 0};
    prover->chain = chain;
    prover->box_count = 0;
    prover->has_balls = false;
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

/* The box of all that the joints can do is the only one that waits. */
static void push_all(struct prover *prover)
{
    const struct frame_chain *chain = prover->chain;
    prover->box_count = 1;
    for (uint32_t i = 0; i < chain->variable_count; i++) {
        prover->boxes[i] = chain->variables[i].lower;
        prover->boxes[chain->variable_count + i] = chain->variables[i].upper;
    }
}

struct proof prove_free(struct prover *prover, const struct frame_chain *chain, const struct body *const bodies[2],
                        const struct proof_goal *goal, double *values)
{
    struct proof proof = start_proof(chain, bodies);
    struct proof_task task;
    for (uint32_t i = 0; proof.end == PROOF_FREE && find_task(chain, bodies, goal->clearance, i, &task); i++) {
        prover_begin(prover, chain, bodies);
        if (task.is_empty)
            continue;
        push_all(prover);
        proof.end = run_prover(prover, &task, goal->work, values, &proof);
    }
    return proof;
}

struct proof prove_inside(struct prover *prover, const struct frame_chain *chain, const struct body *const bodies[2],
                          double touch, uint64_t work, double *values)
{
    struct proof_task task = {.plane_side = -1, .inside = true, .clearance = touch / chain->unit, .work = work};
    struct proof proof = {.end = PROOF_UNDECIDED, .bound = INFINITY};
    if (chain->obstacles != 0 || chain->movable)
        return proof;
    prover_begin(prover, chain, bodies);
    prover->has_inside = false;
    push_all(prover);
    proof.end = run_prover(prover, &task, work, values, &proof);
    if (proof.end == PROOF_HIT)
        proof.end = PROOF_UNDECIDED;
    return proof;
}

/* ---- by several threads ---- */

/* Threads work in rounds on MOST_ITEMS of the waiting boxes, on each for MOST_SLICE bounds; the more items, the less a
 * thread waits for the last one. What is left of them waits for a later round. So it does not depend on the threads
 * which boxes are looked at. */
enum { MOST_ITEMS = 64, MOST_SLICE = 1000 };

/* A box that is worked on, and the result. */
struct item {
    double *boxes;  /* room for what a prover leaves: with each bound there is one box more, at most */
    double *values; /* the middle of the last box */
    uint32_t box_count;
    struct proof proof;
};

struct rounds {
    struct prover *const *provers;
    struct proof_task task;
    struct item items[MOST_ITEMS];
    uint64_t slice; /* bounds of an item in this round */
    double *boxes;  /* the waiting ones */
    uint32_t box_count, number_room;
};

static void work_on_item(void *user, uint32_t index, uint32_t worker)
{
    struct rounds *rounds = user;
    struct item *item = &rounds->items[index];
    struct prover *prover = rounds->provers[worker];
    size_t size = prover->box_size * sizeof *item->boxes;
    prover_begin(prover, prover->chain, prover->bodies);
    memcpy(prover->boxes, item->boxes, size);
    prover->box_count = 1;
    struct proof proof = {.bound = INFINITY}; /* not the item's, next to which another thread writes */
    proof.end = run_prover(prover, &rounds->task, rounds->slice, item->values, &proof);
    item->proof = proof;
    item->box_count = prover->box_count;
    memcpy(item->boxes, prover->boxes, item->box_count * size);
}

/* Adds boxes of `size` numbers each; returns false if out of memory. */
static bool push_boxes(struct rounds *rounds, cp_context *context, const double *boxes, uint32_t count, uint32_t size)
{
    if (!array_reserve(context, &rounds->boxes, &rounds->number_room, ((uint64_t)rounds->box_count + count) * size,
                       sizeof *rounds->boxes))
        return false;
    memcpy(rounds->boxes + (size_t)rounds->box_count * size, boxes, (size_t)count * size * sizeof *boxes);
    rounds->box_count += count;
    return true;
}

/* Works on the waiting boxes of the rounds' task. */
static cp_status run_rounds(struct rounds *rounds, cp_context *context, uint64_t most, double *values,
                            struct proof *proof)
{
    uint32_t size = rounds->provers[0]->box_size;
    while (proof->end == PROOF_FREE && rounds->box_count > 0) {
        if (proof->work >= most || prover_is_late(rounds->provers[0])) {
            proof->end = PROOF_UNDECIDED;
            break;
        }
        uint64_t left = most - proof->work;
        uint32_t count = 0;
        for (; count < MOST_ITEMS && count < left && rounds->box_count > 0; count++)
            memcpy(rounds->items[count].boxes, rounds->boxes + (size_t)--rounds->box_count * size,
                   size * sizeof *rounds->boxes);
        uint64_t slice = MOST_SLICE * count / MOST_ITEMS; /* few boxes are soon more, which more threads can share */
        rounds->slice = left / count < slice ? left / count : slice;
        if (!parallel_for(context, count, work_on_item, rounds))
            return CP_LIMIT;
        /* Sum up the items. The boxes that they left wait for the next round; those of the first item are pushed last,
         * so that they are taken first. */
        for (uint32_t i = count; i-- > 0;) {
            const struct item *item = &rounds->items[i];
            proof->work += item->proof.work;
            proof->bound = fmin(proof->bound, item->proof.bound);
            if (item->proof.end == PROOF_HIT) {
                proof->end = PROOF_HIT;
                memcpy(values, item->values, rounds->provers[0]->chain->variable_count * sizeof *values);
            } else if (item->proof.end == PROOF_UNDECIDED && item->box_count == 0 && proof->end == PROOF_FREE) {
                proof->end = PROOF_UNDECIDED; /* its boxes were too many */
            }
            if (!push_boxes(rounds, context, item->boxes, item->box_count, size))
                return CP_LIMIT;
        }
    }
    return CP_OK;
}

cp_status prove_long(struct prover *const *provers, cp_context *context, const struct proof_goal *goal, double *values,
                     struct proof *proof)
{
    struct prover *first = provers[0];
    uint32_t most = first->box_room < MOST_SLICE + 1 ? first->box_room : MOST_SLICE + 1;
    size_t boxes = (size_t)most * first->box_size, line = 64 / sizeof(double); /* of the processor's cache */
    size_t row = first->chain->variable_count + line;
    double *item_boxes = memory_allocate(context, MOST_ITEMS * boxes, sizeof *item_boxes);
    double *item_values = memory_allocate(context, MOST_ITEMS * row, sizeof *item_values);
    struct rounds rounds = {.provers = provers};
    cp_status status = item_boxes && item_values ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < MOST_ITEMS && status == CP_OK; i++)
        rounds.items[i] = (struct item){.boxes = item_boxes + i * boxes, .values = item_values + i * row};
    *proof = start_proof(first->chain, first->bodies);
    for (uint32_t i = 0; status == CP_OK && proof->end == PROOF_FREE &&
                         find_task(first->chain, first->bodies, goal->clearance, i, &rounds.task);
         i++) {
        prover_begin(first, first->chain, first->bodies);
        if (rounds.task.is_empty)
            continue;
        push_all(first);
        rounds.box_count = 0;
        status = push_boxes(&rounds, context, first->boxes, 1, first->box_size)
                     ? run_rounds(&rounds, context, goal->work, values, proof)
                     : CP_LIMIT;
    }
    memory_free(context, item_boxes, MOST_ITEMS * boxes, sizeof *item_boxes);
    memory_free(context, item_values, MOST_ITEMS * row, sizeof *item_values);
    memory_free(context, rounds.boxes, rounds.number_room, sizeof *rounds.boxes);
    return status;
}

/* ---- room ---- */

bool prover_open(struct prover *prover, cp_context *context, uint32_t most_motions)
{
    size_t one = 2 * (size_t)most_motions; /* chains have up to so many variables */
    size_t all = most_motions < MOST_BOXES / HALVINGS ? one * room_for_boxes(most_motions) : MOST_NUMBERS;
    *prover = (struct prover){.most_motions = most_motions, .number_room = all > one ? all : one};
    prover->arena = arena_new(context);
    prover->boxes = arena_allocate(prover->arena, prover->number_room, sizeof *prover->boxes);
    prover->poses = arena_allocate(prover->arena, most_motions, sizeof *prover->poses);
    prover->terms = arena_allocate(prover->arena, most_motions, sizeof *prover->terms);
    prover->part_terms = arena_allocate(prover->arena, most_motions, sizeof *prover->part_terms);
    prover->halves = arena_allocate(prover->arena, most_motions, sizeof *prover->halves);
    prover->values = arena_allocate(prover->arena, most_motions, sizeof *prover->values);
    for (int side = 0; side < 2; side++) {
        prover->radii[side] = arena_allocate(prover->arena, most_motions, sizeof *prover->radii[side]);
        prover->balls[side] = arena_allocate(prover->arena, most_motions, sizeof *prover->balls[side]);
    }
    return !arena_failed(prover->arena);
}

void prover_close(struct prover *prover)
{
    arena_free(prover->arena);
    *prover = (struct prover){0};
}

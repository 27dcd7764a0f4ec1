/* Walks from one closed pose of a group of loops to another without a change of assembly.
 *
 * Driven joints go straight to their new values. A step is predicted along the null space of the closure's derivatives
 * (Allgower and Georg, Numerical Continuation Methods, 2.2) and corrected by the solver. It counts if the correction is
 * small beside the step, and if the derivatives keep their orientation; else it is halved. Two assemblies meet where
 * the derivatives by the free joints are singular. The orientation differs on both sides of such a place, and between
 * two assemblies that are near each other. So a step that jumps to the other assembly is found out. */
#include "loops.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"

/* The longest step, in radians or group lengths: of a driven joint, and of all joints of the group. */
static const double longest_step = 0.25, longest_prediction = 0.5;
/* Shorter steps are useless: near singular places the solver's rounding is as long. */
static const double shortest_step = 1e-6;
/* A way that may end early ends this near to the end of the group's reach, as further steps are not worth their
 * work. */
static const double short_step = 1e-3;
/* A correction is small if it is no longer than this part of its step. */
static const double small = 0.1, noise = 1e-9;
/* A pose with a smaller ratio of diagonal elements of R is too near to a singular one to begin a way there. */
static const double regular = 1e-4;
/* The best residual that rounding allows. */
static const double exact = 3e-13; /* times the root of the number of differences */
/* Below this ratio, rounding hides the orientation. */
static const double unknown = 1e-6;
/* A step may bring the next pose nearer to a singular one by this factor at most. */
static const double nearer = 0.2;
/* A step that changes the derivatives must end so far from a singular pose, in parts of their change; unless it is
 * short. */
static const double beyond = 0.2, near = 1e-4;
/* Parts of derivatives below this are noise: geometry in files has few digits. */
static const double dependent = 1e-6;

/* The longest step over a place where two assemblies cross. */
static const double longest_over = 0.02;

enum outcome { GOOD, TOO_LONG, OPEN, FAR, TURNED };

/* A closed pose on the way. */
struct passed {
    double at, *values; /* of columns */
};

struct way {
    const struct closure_chains *chains;
    struct closure_solver *solver;
    struct closure_walk *room;
    struct closure_group *group;
    bool goes_partly;
    const double *begin, *goal, *turns; /* values of columns: without whole turns, and the turns that were taken off */
    double length;                      /* of the longest way of a driven joint, in the solver's units */
    bool known;                         /* stands[0] has the derivatives at the beginning */
    struct passed regular;              /* the last pose that is well away from singular ones, at first the beginning */
    struct passed near[2]; /* the last two that are more than a sixth of longest_over apart, the later one first */
};

static uint32_t joint_of(const struct way *way, uint32_t column)
{
    return way->chains->columns[way->group->first_column + column];
}

static double unit_at(const struct way *way, uint32_t column)
{
    return closure_unit(way->chains, way->group, joint_of(way, column));
}

static double driven_value(const struct way *way, uint32_t column, double at)
{
    const double goal = way->goal[column];
    return at == 1 ? goal : way->begin[column] + at * (goal - way->begin[column]);
}

/* Finds the tangent of the way by the derivatives. */
static void find_tangent(const struct way *way, struct stand *stand)
{
    struct closure_group *group = way->group;
    const uint32_t rows = group->row_count, free_count = group->free_count;
    double *right = way->solver->matrix + (size_t)rows * free_count;
    memcpy(way->solver->matrix, stand->jacobian, (size_t)rows * free_count * sizeof *way->solver->matrix);
    memset(right, 0, rows * sizeof *right);
    for (uint32_t i = free_count; i < group->column_count; i++) {
        const double rate = (way->goal[i] - way->begin[i]) / unit_at(way, i);
        const double *column = stand->jacobian + (size_t)i * rows;
        for (uint32_t row = 0; row < rows; row++)
            right[row] -= rate * column[row];
    }
    stand->rank = solve_linear(way->solver->matrix, rows, free_count, dependent, stand->order, right, stand->tangent,
                               way->solver->square, way->solver->work);
    group->rank = stand->rank > group->rank ? stand->rank : group->rank;
    const double *diagonal = way->solver->work;
    stand->least = group->rank > 0 ? fabs(diagonal[group->rank - 1]) : 1;
    stand->regular = group->rank > 0 ? fabs(stand->least / diagonal[0]) : 1;
}

/* Finds the derivatives and the tangent at mechanism->values, which are a closed pose. */
static void look_around(const struct way *way, double at, struct stand *stand)
{
    stand->at = at;
    closure_keep_values(way->chains, way->group, stand->values);
    closure_find_derivatives(way->chains, way->solver, way->group, way->group->column_count, stand->jacobian);
}

/* Returns how much the derivatives change. */
static double find_change(const struct way *way, const struct stand *from, const struct stand *to)
{
    const size_t count = (size_t)way->group->row_count * way->group->free_count;
    double change = 0;
    for (size_t i = 0; i < count; i++)
        change += (to->jacobian[i] - from->jacobian[i]) * (to->jacobian[i] - from->jacobian[i]);
    return sqrt(change);
}

/* Tells the sign of det(A^T B) of the columns of two matrices of derivatives that determine the first pose. If it is
 * below 0, one singular value has changed its sign. */
static bool is_turned(const struct way *way, const struct stand *from, const struct stand *to)
{
    const uint32_t rows = way->group->row_count, n = from->rank;
    double *square = way->solver->square;
    bool turned = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            const double *a = from->jacobian + (size_t)from->order[i] * rows;
            const double *b = to->jacobian + (size_t)from->order[k] * rows;
            double dot = 0;
            for (uint32_t row = 0; row < rows; row++)
                dot += a[row] * b[row];
            square[i * n + k] = dot;
        }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < n; k++)
            best = fabs(square[k * n + i]) > fabs(square[best * n + i]) ? k : best;
        for (uint32_t c = i; c < n && best != i; c++) {
            double other = square[i * n + c];
            square[i * n + c] = square[best * n + c];
            square[best * n + c] = other;
        }
        const double pivot = square[i * n + i];
        turned ^= (best != i) ^ (pivot < 0);
        for (uint32_t k = i + 1; k < n && pivot != 0; k++) {
            const double factor = square[k * n + i] / pivot;
            for (uint32_t c = i + 1; c < n; c++)
                square[k * n + c] -= factor * square[i * n + c];
        }
    }
    return turned;
}

/* Returns how far all joints of the group go in a part of the way. */
static double step_length(const struct way *way, const struct stand *from, double part)
{
    double square = way->length * way->length;
    for (uint32_t i = 0; i < way->group->free_count; i++)
        square += from->tangent[i] * from->tangent[i];
    return part * sqrt(square);
}

/* Tries a step to a part of the way. part: the share of the step that a correction may have; a longer one is FAR. */
static enum outcome try_step(const struct way *way, const struct stand *from, double at, double part, struct stand *to)
{
    double *values = way->chains->mechanism->values, *predicted = to->tangent, square = 0;
    const double step = at - from->at, length = step_length(way, from, step);
    struct open_loop open;
    if (length > longest_prediction)
        return TOO_LONG;
    for (uint32_t i = 0; i < way->group->column_count; i++) {
        const bool is_free = i < way->group->free_count;
        double value = is_free ? from->values[i] + step * from->tangent[i] * unit_at(way, i) : driven_value(way, i, at);
        values[joint_of(way, i)] = value;
        if (is_free)
            predicted[i] = value;
    }
    const double gap = closure_close_group(way->chains, way->solver, way->group, &open);
    if (gap > closure_tolerance)
        return OPEN;
    for (uint32_t i = 0; i < way->group->free_count; i++) {
        const double apart = (values[joint_of(way, i)] - predicted[i]) / unit_at(way, i);
        square += apart * apart;
    }
    if (!(sqrt(square) <= part * length + noise))
        return FAR;
    look_around(way, at, to);
    const double change = find_change(way, from, to);
    const bool like = change < 0.3 * from->least; /* no singular value comes near 0 */
    if (like && at == 1 && gap <= exact * sqrt(way->group->row_count + 1.0)) {
        to->regular = from->regular;
        return GOOD;
    }
    find_tangent(way, to);
    if (gap > exact * sqrt(way->group->row_count + 1.0) && to->regular < regular)
        return OPEN; /* not closed; at regular places a gap is accepted, as redundant conditions leave one */
    if (at == 1 && to->regular < unknown)
        return GOOD; /* the assemblies meet there */
    if (to->regular < unknown || (!like && is_turned(way, from, to)))
        return TURNED;
    /* Just behind a place where two assemblies cross, they are as near to each other as the correction is long, and the
     * orientation does not tell them apart. */
    return !like && length > near && to->least < beyond * change ? FAR : GOOD;
}

/* ---- singular places ---- */

static void look_from(const struct way *way, const struct passed *pose, struct stand *stand)
{
    closure_give_values(way->chains, way->group, pose->values);
    look_around(way, pose->at, stand);
    find_tangent(way, stand);
}

/* Returns how far the directions are apart, in parts of their length. */
static double bend(const struct way *way, const struct stand *a, const double *tangent)
{
    double square = 0;
    for (uint32_t i = 0; i < way->group->free_count; i++)
        square += (a->tangent[i] - tangent[i]) * (a->tangent[i] - tangent[i]);
    return sqrt(square) / step_length(way, a, 1);
}

/* Steps over a singular pose: from a pose before `from`, the nearest pose that steps reach, to as far behind the
 * singular one in one step. The singular pose is where the least element of R would be 0. */
static bool try_over(const struct way *way, const struct passed *before, struct stand *from, struct stand *to)
{
    const double straight = 0.01, rounded = 0.5, place = from->at, least = from->least;
    look_from(way, before, from);
    const double margin = 2 * shortest_step / step_length(way, from, 1),
                 missing = from->least > least ? least / (from->least - least) : 0;
    const double at = fmin(1, before->at + (2.2 + fmin(missing, 1)) * (place - before->at) + margin);
    if (step_length(way, from, at - before->at) > longest_over || bend(way, from, way->room->near_tangent) > rounded)
        return false;
    const enum outcome outcome = try_step(way, from, at, straight, to);
    if (to->regular < unknown)
        return outcome == GOOD; /* the way ends there */
    return outcome == TURNED && (to->regular < regular || bend(way, from, to->tangent) <= 5 * straight);
}

/* Passes over a place where two assemblies cross. Each goes straight on there, so the step begins at the last regular
 * pose before it; or at a nearer one if that is too far away for one step, since free joints are much faster than
 * driven ones. Assemblies that only come near each other bend there instead, so that `from` has another direction than
 * the pose before. */
static bool pass_over(const struct way *way, struct stand *from, struct stand *to)
{
    const struct passed *before[] = {&way->regular, &way->near[1]},
                        place = {.at = from->at, .values = way->room->near_values};
    memcpy(way->room->near_tangent, from->tangent, way->group->free_count * sizeof *from->tangent);
    memcpy(place.values, from->values, way->group->column_count * sizeof *place.values);
    for (int i = 0; i < 2; i++) {
        if (try_over(way, before[i], from, to))
            return true;
        look_from(way, &place, from);
    }
    return false;
}

/* Accepts a pose at the very end of a group's reach: the missing length is less than the rounding of data in files. */
static bool arrive(const struct way *way, const struct stand *from, struct stand *to)
{
    const double short_of = 1e-6, most = 1e-2;
    struct open_loop open;
    if ((1 - from->at) * way->length > short_of)
        return false;
    closure_give_values(way->chains, way->group, from->values);
    for (uint32_t i = way->group->free_count; i < way->group->column_count; i++)
        way->chains->mechanism->values[joint_of(way, i)] = driven_value(way, i, 1);
    if (closure_close_group(way->chains, way->solver, way->group, &open) > closure_tolerance)
        return false;
    for (uint32_t i = 0; i < way->group->free_count; i++)
        if (fabs(way->chains->mechanism->values[joint_of(way, i)] - from->values[i]) / unit_at(way, i) > most)
            return false;
    look_around(way, 1, to);
    to->regular = 0;
    return true;
}

/* Keeps the places of the loops' ends; or tells whether they are still there, up to the rounding between two poses. */
static bool compare_ends(const struct way *way, bool keep)
{
    const double still = 1e-6;
    bool same = true;
    closure_place(way->chains, way->group);
    for (uint32_t i = 0; i < way->group->loop_count; i++) {
        struct loop_ends now, *kept = &way->room->ends[way->group->first_loop + i];
        closure_ends(way->chains,
                     &way->chains->mechanism->scene->loops[way->chains->loops[way->group->first_loop + i].loop], &now);
        if (keep)
            *kept = now;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++)
                same = same && fabs(now.origins[side][k] - kept->origins[side][k]) <= still * way->group->length &&
                       fabs(now.x[side][k] - kept->x[side][k]) <= still &&
                       fabs(now.z[side][k] - kept->z[side][k]) <= still;
    }
    return same;
}

/* Turns parts of a ball aside that the loops leave free. A ball joint may be three turns. If the second one is at 90
 * degrees, the first and the third turn about the same axis, and a tilt across it first needs up to a quarter turn of
 * both. The ball's ends stay where they are meanwhile, so the assembly stays the same. `number` chooses such a motion
 * and its sense. False if there is none. */
static bool turn_aside(const struct way *way, uint32_t number, const struct stand *from, struct stand *to)
{
    const uint32_t columns = way->group->free_count;
    double *motion = way->room->near_tangent, most = 0;
    struct open_loop open;
    closure_give_values(way->chains, way->group, from->values);
    (void)compare_ends(way, true);
    look_around(way, from->at, to);
    find_tangent(way, to);
    if (to->rank == columns)
        return false;
    find_null(way->solver->matrix, way->group->row_count, columns, to->rank, number / 2 % (columns - to->rank),
              to->order, way->solver->work, motion);
    for (uint32_t i = 0; i < columns; i++)
        most = fmax(most, fabs(motion[i]));
    for (uint32_t i = 0; i < columns; i++)
        way->chains->mechanism->values[joint_of(way, i)] +=
            (number % 2 == 0 ? PI / 2 : -PI / 2) * motion[i] / most * unit_at(way, i);
    if (closure_close_group(way->chains, way->solver, way->group, &open) > closure_tolerance ||
        !compare_ends(way, false))
        return false;
    look_around(way, from->at, to);
    find_tangent(way, to);
    return true;
}

/* ---- the way ---- */

static void swap(struct stand *a, struct stand *b)
{
    struct stand other = *a;
    *a = *b;
    *b = other;
}

static void keep_pose(const struct way *way, const struct stand *stand, struct passed *pose)
{
    pose->at = stand->at;
    memcpy(pose->values, stand->values, way->group->column_count * sizeof *pose->values);
}

/* Notes a pose on the way; behind a singular one, no pose before it counts. */
static void note_pose(struct way *way, const struct stand *stand, bool is_behind)
{
    if (stand->regular >= regular)
        keep_pose(way, stand, &way->regular);
    if (!is_behind && step_length(way, stand, stand->at - way->near[0].at) <= longest_over / 6)
        return;
    const struct passed oldest = way->near[1];
    way->near[1] = way->near[0];
    way->near[0] = oldest;
    keep_pose(way, stand, &way->near[0]);
    if (is_behind)
        keep_pose(way, stand, &way->near[1]);
}

/* Goes on until the end of the way, or to where it cannot go on: stands[0] is there. */
enum { MOST_ASIDES = 4 };
static bool go(struct way *way, struct stand stands[2])
{
    struct stand *last = &stands[0], *next = &stands[1];
    const double usual = way->length > longest_step ? 1 / ceil(way->length / longest_step) : 1;
    double step = usual;
    uint32_t asides = 0;
    last->at = 0;
    if (!way->known)
        look_around(way, 0, last);
    find_tangent(way, last);
    note_pose(way, last, true);
    while (last->at < 1) {
        /* A step of nearly all that is left goes to the end; half of it never counts as all, or it would be tried on
         * and on. */
        const double at = step > (1 - 1e-9) * (1 - last->at) ? 1 : last->at + step;
        if (++way->room->steps > way->chains->mechanism->context->limits.loop_steps)
            return false; /* each step is short, and they would never end */
        enum outcome outcome = try_step(way, last, at, small, next);
        if (outcome == GOOD && at < 1 && next->regular < nearer * fmin(last->regular, regular / nearer / nearer))
            outcome = TURNED;
        if (outcome != GOOD) {
            step = (at - last->at) / 2;
            const bool ends = way->goes_partly && outcome != TURNED; /* it does not lead over a crossing */
            if (step_length(way, last, step) >= (ends ? short_step : shortest_step))
                continue;
            if ((outcome == TURNED && pass_over(way, last, next)) ||
                (asides < MOST_ASIDES && turn_aside(way, asides++, last, next)))
                step = usual;
            else if (!arrive(way, last, next))
                return false;
        }
        swap(last, next);
        note_pose(way, last, outcome != GOOD);
        step = fmin(usual, 2 * step);
    }
    return true;
}

/* Notes where the way ended, and what is open at the end of all parts of the way: at driven values with all their
 * turns. */
static void tell_end(const struct way *way, const struct stand *last, const double *end)
{
    struct open_loop open = {.loop = way->chains->loops[way->group->first_loop].loop, .joint = CP_NONE};
    double most = 0;
    uint32_t moved = 0;
    closure_give_values(way->chains, way->group, last->values);
    for (uint32_t i = way->group->free_count; i < way->group->column_count; i++) {
        const double goal = add_turns(end[i], -way->turns[i]), apart = fabs(goal - way->begin[i]) / unit_at(way, i);
        way->chains->mechanism->values[joint_of(way, i)] = goal;
        moved += apart > 0;
        if (apart > most) {
            most = apart;
            open.joint = joint_of(way, i);
            open.value = add_turns(last->values[i], way->turns[i]);
        }
    }
    struct open_loop there = open;
    const bool closes = closure_close_group(way->chains, way->solver, way->group, &there) <= closure_tolerance;
    way->chains->mechanism->open =
        (struct open_loop){.loop = there.loop,
                           .gap = closes ? 0 : there.gap,
                           .angle = closes ? 0 : there.angle,
                           .joint = open.joint,
                           .value = open.value,
                           .alone = moved == 1,
                           .ran_out = way->room->steps > way->chains->mechanism->context->limits.loop_steps};
}

/* Takes whole turns of joints that repeat off the values of columns, or adds them. */
static void take_turns(const struct way *way, const double *values, double *without)
{
    for (uint32_t i = 0; i < way->group->column_count; i++)
        without[i] = add_turns(values[i], -way->turns[i]);
}

static void give_turns(const struct way *way, double *values)
{
    for (uint32_t i = 0; i < way->group->column_count; i++)
        values[i] = add_turns(values[i], way->turns[i]);
}

/* Goes from the last regular pose to driven values within a part of a far way. */
static bool go_from_regular(struct way *way, double *begin, double *closed_at, const double *goal)
{
    struct closure_group *group = way->group;
    double *regular_values = way->regular.values, *start = way->room->start, *turns = way->room->turns;
    memcpy(begin, regular_values, group->column_count * sizeof *begin);
    for (uint32_t i = 0; i < group->column_count; i++)
        turns[i] = way->chains->repeats[group->first_column + i] ? turns_of(begin[i]) : 0;
    take_turns(way, begin, start);
    take_turns(way, begin, regular_values);
    take_turns(way, goal, way->room->goal);
    closure_give_values(way->chains, group, start);
    for (uint32_t i = group->free_count; i < group->column_count; i++)
        way->length = fmax(way->length, fabs(way->goal[i] - start[i]) / unit_at(way, i));
    const uint32_t number = (uint32_t)(group - way->chains->groups);
    way->known = way->room->stand_group == number &&
                 memcmp(way->room->stands[0].values, start, group->column_count * sizeof *start) == 0;
    way->room->stand_group = number;
    const bool there = way->length == 0 || go(way, way->room->stands);
    if (!there)
        return false;
    closure_keep_values(way->chains, group, closed_at);
    give_turns(way, closed_at);
    give_turns(way, regular_values);
    for (uint32_t i = group->free_count; i < group->column_count; i++)
        closed_at[i] = goal[i];
    return true;
}

bool closure_walk(struct closure *closure, struct closure_group *group, const double *goal, const double *end)
{
    struct closure_walk *room = &closure->walk;
    double *closed_at = closure->branch.closed_at + group->first_column, *begin = room->begin,
           *regular_values = closure->branch.regular_at + group->first_column;
    const size_t driven = group->free_count, size = group->column_count * sizeof *begin;
    struct way way = {.chains = &closure->chains,
                      .solver = &closure->solver,
                      .room = room,
                      .group = group,
                      .goes_partly = closure->branch.goes_partly,
                      .begin = room->start,
                      .goal = room->goal,
                      .turns = room->turns,
                      .regular = {0, regular_values},
                      .near = {{0, room->passed[0]}, {0, room->passed[1]}}};
    bool there = memcmp(closed_at + driven, goal + driven, size - driven * sizeof *goal) == 0;
    if (!there) {
        there = go_from_regular(&way, begin, closed_at, goal);
        if (!there && way.goes_partly) {
            give_turns(&way, regular_values);
            memcpy(closed_at, regular_values, size);
        } else if (!there) {
            tell_end(&way, &room->stands[0], end);
            memcpy(regular_values, begin, size);
        }
    }
    closure_give_values(way.chains, group, closed_at);
    return there;
}

void closure_get_group(const struct closure *closure, uint32_t group, double *pose)
{
    const struct closure_group *it = &closure->chains.groups[group];
    memcpy(pose, closure->branch.closed_at + it->first_column, it->column_count * sizeof *pose);
    memcpy(pose + it->column_count, closure->branch.regular_at + it->first_column, it->column_count * sizeof *pose);
}

static void stand_at(struct closure *closure, const struct closure_group *group, const double *closed_at,
                     const double *regular_at)
{
    const size_t size = group->column_count * sizeof *closed_at;
    memcpy(closure->branch.closed_at + group->first_column, closed_at, size);
    memcpy(closure->branch.regular_at + group->first_column, regular_at, size);
    closure_give_values(&closure->chains, group, closed_at);
}

void closure_set_group(struct closure *closure, uint32_t group, const double *pose)
{
    const struct closure_group *it = &closure->chains.groups[group];
    stand_at(closure, it, pose, pose + it->column_count);
}

void closure_restart(struct closure *closure, uint32_t group)
{
    const struct closure_group *it = &closure->chains.groups[group];
    const double *first = closure->branch.first_at + it->first_column;
    stand_at(closure, it, first, first);
    closure_place(&closure->chains, it); /* joints that follow others stand as these do */
}

cp_status closure_solve(struct closure *closure, const double *q)
{
    const struct closure_chains *chains = &closure->chains;
    cp_mechanism *mechanism = chains->mechanism;
    const cp_scene *scene = mechanism->scene;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (chains->column_of[i] == CP_NONE && !chains->held[i] && !cp_joint_is_dependent(&scene->joints[i]))
            mechanism->values[i] = q[i];
    for (uint32_t i = 0; i < chains->group_count; i++)
        if (closure_solve_group(closure, i, q) != CP_OK)
            status = CP_NO;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (cp_joint_is_dependent(&scene->joints[i]))
            mechanism->values[i] = mechanism_value(mechanism, i, mechanism->values);
    return status;
}

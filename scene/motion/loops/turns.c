/* Ways of many turns. If a group is back where it was after a turn of a joint that repeats, each further turn does the
 * same; so such turns are counted, not walked. Other ways are walked part by part. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "loops.h"

/* 2 PI with more digits is TURN + TURN_REST: values of 1e8 rad need both. */
static const double TURN = 2 * PI, TURN_REST = 2.4492935982947064e-16;
/* Radians or group lengths of one part of a way. The turns of larger values are taken off, to within half a turn, for
 * their digits. */
static const double part_length = 64;
/* Radians: larger values have so few digits that loops do not close at them. */
static const double countable = 1e8;

double turns_of(double value)
{
    return fabs(value) > part_length ? rint(value / TURN) : 0;
}

double add_turns(double value, double turns)
{
    return turns == 0 ? value : fma(turns, TURN, value) + turns * TURN_REST;
}

/* A way from the last regular pose to values of driven joints. */
struct far_way {
    struct closure *closure;
    struct closure_group *group;
    const double *begin; /* of columns */
    const double *end;   /* of columns; driven ones count */
    uint32_t moving;     /* the driven column that goes farthest */
    bool alone;          /* no other one moves */
    double length;
};

static struct far_way measure_way(struct closure *closure, struct closure_group *group, const double *end)
{
    const struct closure_chains *chains = &closure->chains;
    struct far_way way = {.closure = closure,
                          .group = group,
                          .begin = closure->branch.regular_at + group->first_column,
                          .end = end,
                          .moving = CP_NONE};
    uint32_t moving = 0;
    for (uint32_t i = group->free_count; i < group->column_count; i++) {
        const uint32_t joint = chains->columns[group->first_column + i];
        const double length = fabs(end[i] - way.begin[i]) / closure_unit(chains, group, joint);
        moving += length > 0;
        if (!(length <= way.length)) {
            way.length = length;
            way.moving = i;
        }
    }
    way.alone = moving == 1;
    return way;
}

/* Returns true if the group is where the way began, but for whole turns of joints that repeat; gained: these turns. */
static bool is_back(const struct closure_chains *chains, const struct closure_group *group,
                    const struct closure_branch *branch, const double *begin, double *gained)
{
    const uint32_t first = group->first_column;
    const double *now = branch->closed_at + first;
    if (memcmp(now, branch->regular_at + first, group->column_count * sizeof *now) != 0)
        return false; /* a singular pose may belong to either assembly */
    for (uint32_t i = 0; i < group->column_count; i++) {
        const double apart = now[i] - begin[i];
        gained[i] = chains->repeats[first + i] ? rint(apart / TURN) : 0;
        const double off = fabs(add_turns(apart, -gained[i])) / closure_unit(chains, group, chains->columns[first + i]);
        if (!(off <= closure_tolerance))
            return false;
    }
    return true;
}

/* Goes turn by turn until the group is back, then takes all turns that are left at once. If the group is not back after
 * a few turns, it stays where it is then. False if it cannot be followed. */
static bool count_turns(const struct far_way *way)
{
    enum { MOST_TURNS = 4 };
    struct closure *closure = way->closure;
    const struct closure_group *group = way->group;
    double *begin = closure->turns.begin, *goal = closure->turns.goal, *gained = closure->turns.gained,
           *closed_at = closure->branch.closed_at + group->first_column,
           *regular_at = closure->branch.regular_at + group->first_column;
    const uint32_t moving = way->moving;
    memcpy(begin, way->begin, group->column_count * sizeof *begin);
    memcpy(goal, way->end, group->column_count * sizeof *goal);
    const double whole = floor(fabs(way->end[moving] - begin[moving]) / TURN),
                 sign = way->end[moving] < begin[moving] ? -1 : 1;
    for (int turn = 1; turn <= MOST_TURNS; turn++) {
        goal[moving] = add_turns(begin[moving], sign * turn);
        if (!closure_walk(closure, way->group, goal, way->end))
            return false;
        if (!is_back(&closure->chains, group, &closure->branch, begin, gained))
            continue;
        const double times = floor(whole / turn) - 1;
        for (uint32_t i = 0; i < group->column_count; i++)
            closed_at[i] = add_turns(closed_at[i], times * gained[i]);
        memcpy(regular_at, closed_at, group->column_count * sizeof *begin);
        return true;
    }
    return true;
}

/* Walks the rest of a way, in parts. */
static bool go_in_parts(struct closure *closure, struct closure_group *group, const double *end)
{
    const struct far_way way = measure_way(closure, group, end);
    cp_mechanism *mechanism = closure->chains.mechanism;
    const double limit = (double)mechanism->context->limits.loop_way;
    double *begin = closure->turns.begin, *goal = closure->turns.goal;
    if (!(way.length <= limit)) {
        mechanism->open = (struct open_loop){.loop = closure->chains.loops[group->first_loop].loop,
                                             .joint = closure->chains.columns[group->first_column + way.moving],
                                             .value = way.begin[way.moving],
                                             .alone = way.alone,
                                             .way = way.length};
        return false;
    }
    const double parts = ceil(way.length / part_length);
    memcpy(begin, way.begin, group->column_count * sizeof *begin);
    memcpy(goal, end, group->column_count * sizeof *goal);
    for (double part = 1; part < parts; part++) {
        for (uint32_t i = group->free_count; i < group->column_count; i++)
            goal[i] = begin[i] + part / parts * (end[i] - begin[i]);
        if (!closure_walk(closure, group, goal, end))
            return false;
    }
    return closure_walk(closure, group, end, end);
}

cp_status closure_solve_group(struct closure *closure, uint32_t number, const double *q)
{
    const struct closure_chains *chains = &closure->chains;
    struct closure_group *group = &chains->groups[number];
    const size_t size = group->column_count * sizeof(double);
    double *end = closure->turns.end, *closed_at = closure->branch.closed_at + group->first_column,
           *regular_at = closure->branch.regular_at + group->first_column;
    for (uint32_t i = 0; i < group->column_count; i++)
        end[i] = i < group->free_count ? 0 : q[chains->columns[group->first_column + i]];
    const struct far_way way = measure_way(closure, group, end);
    bool there;
    closure->walk.steps = 0;
    if (way.length <= part_length)
        there = closure_walk(closure, group, end, end);
    else {
        double *kept = closure->turns.kept;
        memcpy(kept, closed_at, size);
        memcpy(kept + group->column_count, regular_at, size);
        const bool turns = way.alone && way.length <= countable && chains->repeats[group->first_column + way.moving];
        there = (!turns || count_turns(&way)) && go_in_parts(closure, group, end);
        if (!there && !closure->branch.goes_partly)
            closure_set_group(closure, number, kept);
    }
    closure->branch.failed = closure->branch.failed || !there;
    return there ? CP_OK : CP_NO;
}

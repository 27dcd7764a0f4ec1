/* Finds which joints move which loops, and which loops are solved together. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "loops.h"
#include "model/model.h"

struct building {
    struct closure_chains *chains;
    const cp_scene *scene;
    uint32_t *levels; /* indexed by node: its depth; then marks */
    uint32_t *parts;  /* indexed by joint: another one of the same group (union-find) */
    uint32_t *leader; /* indexed by loop: a joint that moves it, or CP_NONE */
};

/* ---- which joints move a loop ---- */

static uint32_t root_of(uint32_t *parts, uint32_t joint)
{
    while (parts[joint] != joint)
        joint = parts[joint] = parts[parts[joint]];
    return joint;
}

static cp_status add_term(struct building *building, uint32_t loop, const struct closure_term *term)
{
    struct closure_chains *chains = building->chains;
    uint32_t leader = term->column, *parts = building->parts;
    const cp_joint *independent = &building->scene->joints[leader];
    if (independent->type == CP_JOINT_FIXED && leader == term->joint)
        return CP_OK; /* it moves only its own followers */
    chains->held[leader] = !independent->driven && !joint_is_free(independent);
    if (chains->held[leader])
        return CP_OK;
    if (!array_reserve(chains->mechanism->context, &chains->terms, &chains->term_room, (uint64_t)chains->term_count + 1,
                       sizeof *chains->terms))
        return CP_LIMIT;
    chains->terms[chains->term_count++] = *term;
    chains->loops[loop].term_count++;
    if (building->leader[loop] == CP_NONE)
        building->leader[loop] = leader;
    parts[root_of(parts, leader)] = root_of(parts, building->leader[loop]);
    return CP_OK;
}

static cp_status add_joint(struct building *building, uint32_t loop, uint32_t joint, double sign)
{
    const cp_joint *it = &building->scene->joints[joint];
    struct joint_law law = building->chains->mechanism->joints[joint].law;
    struct closure_term term = {.joint = joint, .column = law.leader, .sign = sign, .slope = law.scale};
    if (it->type == CP_JOINT_FIXED)
        return CP_OK;
    if (it->type == CP_JOINT_SCALE)
        return report_error(building->chains->mechanism->context, CP_INPUT, "loop-scaled", NOWHERE,
                            "loop \"%.100s\" joins what joint \"%.100s\" scales", building->scene->loops[loop].name,
                            it->name);
    if (!it->expression)
        return add_term(building, loop, &term);
    cp_status status = CP_OK;
    term.slope = NAN;
    for (uint32_t i = 0; i < it->expression->input_count && status == CP_OK; i++) {
        term.column = it->expression->inputs[i];
        status = add_term(building, loop, &term);
    }
    return status;
}

/* Adds the joints between each of the loop's nodes and the nearest node above both. */
static cp_status add_loop(struct building *building, uint32_t index)
{
    const cp_scene *scene = building->scene;
    uint32_t nodes[2] = {scene->loops[index].nodes[0], scene->loops[index].nodes[1]};
    cp_status status = CP_OK;
    building->chains->loops[index] = (struct closure_loop){.loop = index, .first_term = building->chains->term_count};
    while (nodes[0] != nodes[1] && status == CP_OK) {
        int side = building->levels[nodes[0]] >= building->levels[nodes[1]] ? 0 : 1;
        const cp_node *node = &scene->nodes[nodes[side]];
        for (uint32_t i = 0; i < node->joint_count && status == CP_OK; i++)
            status = add_joint(building, index, node->first_joint + i, side == 0 ? 1 : -1);
        nodes[side] = node->parent;
    }
    return status;
}

/* ---- which loops are solved together ---- */

/* Orders the loops by group: loops that share joints are one group; a loop that no joint moves is a group of its
 * own. */
static cp_status group_loops(struct building *building)
{
    struct closure_chains *chains = building->chains;
    struct arena *arena = chains->mechanism->arena;
    const cp_scene *scene = building->scene;
    uint32_t loops = scene->loop_count, next = 0;
    uint32_t *group_of = arena_allocate(arena, scene->joint_count, sizeof *group_of); /* of the roots of parts */
    uint32_t *own = arena_allocate(arena, loops, sizeof *own);
    struct closure_loop *sorted = arena_allocate(arena, loops, sizeof *sorted);
    chains->groups = arena_allocate(arena, loops, sizeof *chains->groups);
    if (!group_of || !own || !sorted || !chains->groups)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        group_of[i] = CP_NONE;
    for (uint32_t i = 0; i < loops; i++) {
        uint32_t root = building->leader[i] == CP_NONE ? CP_NONE : root_of(building->parts, building->leader[i]);
        own[i] = root == CP_NONE ? CP_NONE : group_of[root];
        if (own[i] == CP_NONE) {
            own[i] = chains->group_count;
            chains->groups[chains->group_count++] = (struct closure_group){0};
        }
        if (root != CP_NONE)
            group_of[root] = own[i];
        chains->groups[own[i]].loop_count++;
    }
    for (uint32_t i = 0; i < chains->group_count; i++) {
        chains->groups[i].first_loop = next;
        next += chains->groups[i].loop_count;
        chains->groups[i].loop_count = 0;
    }
    for (uint32_t i = 0; i < loops; i++) {
        struct closure_group *group = &chains->groups[own[i]];
        struct closure_loop *to = &sorted[group->first_loop + group->loop_count++];
        *to = chains->loops[i];
        to->first_row = group->row_count;
        group->row_count += closure_rows(scene->loops[i].type);
    }
    chains->loops = sorted;
    return CP_OK;
}

/* Numbers the group's joints: free ones first. */
static void add_columns(struct closure_chains *chains, struct closure_group *group)
{
    uint32_t number = (uint32_t)(group - chains->groups);
    const cp_joint *joints = chains->mechanism->scene->joints;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < group->loop_count; i++) {
            const struct closure_loop *loop = &chains->loops[group->first_loop + i];
            for (uint32_t k = 0; k < loop->term_count; k++) {
                uint32_t joint = chains->terms[loop->first_term + k].column;
                if (joint_is_free(&joints[joint]) != (pass == 0) || chains->column_of[joint] != CP_NONE)
                    continue;
                chains->group_of[joint] = number;
                chains->column_of[joint] = group->column_count;
                chains->columns[group->first_column + group->column_count++] = joint;
            }
        }
        group->free_count = pass == 0 ? group->column_count : group->free_count;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* Adds the loops' nodes and all above them. marks: of nodes, the last group that has them. */
static cp_status add_nodes(struct closure_chains *chains, struct closure_group *group, uint32_t *marks, uint32_t mark)
{
    const cp_scene *scene = chains->mechanism->scene;
    group->first_node = chains->node_count;
    for (uint32_t i = 0; i < 2 * group->loop_count; i++) {
        const cp_loop *loop = &scene->loops[chains->loops[group->first_loop + i / 2].loop];
        for (uint32_t node = loop->nodes[i % 2]; node != CP_NONE && marks[node] != mark;
             node = scene->nodes[node].parent) {
            marks[node] = mark;
            if (!array_reserve(chains->mechanism->context, &chains->nodes, &chains->node_room,
                               (uint64_t)chains->node_count + 1, sizeof *chains->nodes))
                return CP_LIMIT;
            chains->nodes[chains->node_count++] = node;
        }
    }
    group->node_count = chains->node_count - group->first_node;
    qsort(chains->nodes + group->first_node, group->node_count, sizeof *chains->nodes, compare_numbers);
    return CP_OK;
}

/* Sets the group's length to the reach of its loops' ends and joints. */
static void set_length(struct closure_chains *chains, struct closure_group *group)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, diagonal[3];
    closure_place(chains, group);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *loop = &chains->loops[group->first_loop + i];
        struct loop_ends ends;
        closure_ends(chains, &chains->mechanism->scene->loops[loop->loop], &ends);
        for (uint32_t k = 0; k < loop->term_count + 2; k++) {
            uint32_t joint = k < 2 ? CP_NONE : chains->terms[loop->first_term + k - 2].joint;
            const double *place = k < 2 ? ends.origins[k] : chains->origins[joint];
            for (int axis = 0; axis < 3; axis++) {
                lower[axis] = fmin(lower[axis], place[axis]);
                upper[axis] = fmax(upper[axis], place[axis]);
            }
        }
    }
    subtract(upper, lower, diagonal);
    group->length = sqrt(dot_product(diagonal, diagonal));
    if (!(group->length > 1e-9 && isfinite(group->length)))
        group->length = 1;
}

/* Finds the columns whose whole turns turn all that follows them by whole turns, too. */
static void find_repeats(struct closure_chains *chains, const struct closure_group *group)
{
    const cp_joint *joints = chains->mechanism->scene->joints;
    for (uint32_t i = 0; i < group->column_count; i++)
        chains->repeats[group->first_column + i] = true;
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *loop = &chains->loops[group->first_loop + i];
        for (uint32_t k = 0; k < loop->term_count; k++) {
            const struct closure_term *term = &chains->terms[loop->first_term + k];
            bool *repeats = &chains->repeats[group->first_column + chains->column_of[term->column]];
            *repeats = *repeats && joints[term->joint].type == CP_JOINT_REVOLUTE && rint(term->slope) == term->slope &&
                       joints[term->column].type == CP_JOINT_REVOLUTE;
        }
    }
}

/* Limits of a group: the time of a step grows with their cube. */
enum { MOST_COLUMNS = 400, MOST_ROWS = 2000 };

/* The room that the largest group needs. */
struct room {
    uint32_t columns, free_columns;
    size_t work, matrix;
};

static cp_status find_room(const struct closure_chains *chains, struct room *room)
{
    *room = (struct room){0};
    for (uint32_t i = 0; i < chains->group_count; i++) {
        const struct closure_group *group = &chains->groups[i];
        if (group->row_count > MOST_ROWS || group->column_count > MOST_COLUMNS)
            return report_error(chains->mechanism->context, CP_LIMIT, "loop-size", NOWHERE,
                                "%u joints hang together by loops, more than can be solved at once",
                                (unsigned)group->column_count);
        size_t own = least_squares_room(group->row_count, group->column_count);
        if (own == SIZE_MAX)
            return CP_LIMIT;
        room->columns = group->column_count > room->columns ? group->column_count : room->columns;
        room->free_columns = group->free_count > room->free_columns ? group->free_count : room->free_columns;
        room->work = own > room->work ? own : room->work;
        own = group->row_count * ((size_t)group->column_count + 1);
        room->matrix = own > room->matrix ? own : room->matrix;
    }
    return CP_OK;
}

static void make_solver(struct arena *arena, const struct room *room, struct closure_solver *solver)
{
    solver->x = arena_allocate(arena, room->columns, sizeof *solver->x);
    solver->order = arena_allocate(arena, room->columns, sizeof *solver->order);
    solver->matrix = arena_allocate(arena, room->matrix, sizeof *solver->matrix);
    solver->square = arena_allocate(arena, (size_t)room->free_columns * room->free_columns, sizeof *solver->square);
    solver->work = arena_allocate(arena, room->work, sizeof *solver->work);
}

static void make_walk(struct arena *arena, const struct room *room, uint32_t loops, struct closure_walk *walk,
                      struct closure_turns *turns)
{
    double **const of_columns[] = {&walk->begin,     &walk->start,     &walk->goal,         &walk->turns,
                                   &walk->passed[0], &walk->passed[1], &walk->near_tangent, &walk->near_values,
                                   &turns->begin,    &turns->end,      &turns->goal,        &turns->gained};
    for (size_t i = 0; i < sizeof of_columns / sizeof *of_columns; i++)
        *of_columns[i] = arena_allocate(arena, room->columns, sizeof(double));
    turns->kept = arena_allocate(arena, 2 * (size_t)room->columns, sizeof *turns->kept);
    walk->ends = arena_allocate(arena, loops, sizeof *walk->ends);
    walk->stands = arena_allocate(arena, 2, sizeof *walk->stands);
    walk->stand_group = CP_NONE;
    for (int i = 0; i < 2 && walk->stands; i++)
        walk->stands[i] = (struct stand){.values = arena_allocate(arena, room->columns, sizeof(double)),
                                         .jacobian = arena_allocate(arena, room->matrix, sizeof(double)),
                                         .tangent = arena_allocate(arena, room->columns, sizeof(double)),
                                         .order = arena_allocate(arena, room->columns, sizeof(uint32_t))};
}

/* Finds groups, and what belongs to each, by the loops that add_loop has filled. marks: by node. */
static cp_status make_groups(struct building *building, uint32_t *marks)
{
    struct closure_chains *chains = building->chains;
    uint32_t columns = 0;
    cp_status status = group_loops(building);
    for (uint32_t i = 0; i < building->scene->node_count; i++)
        marks[i] = CP_NONE;
    for (uint32_t i = 0; i < chains->group_count && status == CP_OK; i++) {
        struct closure_group *group = &chains->groups[i];
        group->first_column = columns;
        add_columns(chains, group);
        find_repeats(chains, group);
        columns += group->column_count;
        status = add_nodes(chains, group, marks, i);
        if (status == CP_OK)
            set_length(chains, group);
    }
    for (uint32_t i = 0; i < chains->term_count && status == CP_OK; i++)
        chains->terms[i].column = chains->column_of[chains->terms[i].column];
    return status;
}

static cp_status find_chains(struct closure_chains *chains)
{
    cp_mechanism *mechanism = chains->mechanism;
    const cp_scene *scene = mechanism->scene;
    struct arena *arena = mechanism->arena;
    const uint32_t joints = scene->joint_count, loops = scene->loop_count, nodes = scene->node_count;
    struct building building = {.chains = chains, .scene = scene};
    building.levels = arena_allocate(arena, nodes, sizeof *building.levels);
    building.parts = arena_allocate(arena, joints, sizeof *building.parts);
    building.leader = arena_allocate(arena, loops, sizeof *building.leader);
    chains->loops = arena_allocate(arena, loops, sizeof *chains->loops);
    chains->columns = arena_allocate(arena, joints, sizeof *chains->columns);
    chains->column_of = arena_allocate(arena, joints, sizeof *chains->column_of);
    chains->group_of = arena_allocate(arena, joints, sizeof *chains->group_of);
    chains->repeats = arena_allocate(arena, joints, sizeof *chains->repeats);
    chains->held = arena_allocate_zeroed(arena, joints, sizeof *chains->held);
    chains->worlds = arena_allocate(arena, nodes, sizeof *chains->worlds);
    chains->axes = arena_allocate(arena, joints, sizeof *chains->axes);
    chains->origins = arena_allocate(arena, joints, sizeof *chains->origins);
    if (arena_failed(arena))
        return CP_LIMIT;
    for (uint32_t i = 0; i < nodes; i++)
        building.levels[i] = scene->nodes[i].parent == CP_NONE ? 0 : building.levels[scene->nodes[i].parent] + 1;
    for (uint32_t i = 0; i < joints; i++) {
        building.parts[i] = i;
        chains->column_of[i] = chains->group_of[i] = CP_NONE;
    }
    for (uint32_t i = 0; i < loops; i++) {
        building.leader[i] = CP_NONE;
        cp_status status = add_loop(&building, i);
        if (status != CP_OK)
            return status;
    }
    return make_groups(&building, building.levels);
}

cp_status closure_open(struct closure *closure, cp_mechanism *mechanism)
{
    struct arena *arena = mechanism->arena;
    const uint32_t joints = mechanism->scene->joint_count;
    struct closure_branch *branch = &closure->branch;
    struct room room;
    *closure = (struct closure){.chains.mechanism = mechanism};
    cp_status status = find_chains(&closure->chains);
    if (status == CP_OK)
        status = find_room(&closure->chains, &room);
    if (status != CP_OK)
        return status;
    branch->closed_at = arena_allocate(arena, joints, sizeof *branch->closed_at);
    branch->regular_at = arena_allocate(arena, joints, sizeof *branch->regular_at);
    branch->first_at = arena_allocate(arena, joints, sizeof *branch->first_at);
    make_solver(arena, &room, &closure->solver);
    make_walk(arena, &room, mechanism->scene->loop_count, &closure->walk, &closure->turns);
    return arena_failed(arena) ? CP_LIMIT : CP_OK;
}

void closure_close(struct closure *closure)
{
    struct closure_chains *chains = &closure->chains;
    cp_context *context = chains->mechanism ? chains->mechanism->context : NULL;
    if (context)
        closure_forget(closure);
    memory_free(context, chains->terms, chains->term_room, sizeof *chains->terms);
    memory_free(context, chains->nodes, chains->node_room, sizeof *chains->nodes);
    *closure = (struct closure){0};
}

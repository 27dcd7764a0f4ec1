/* Finds which joints move which loops, and which loops are solved together. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "loops.h"
#include "model/model.h"

struct building {
    struct closure *closure;
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
    struct closure *closure = building->closure;
    uint32_t leader = term->column, *parts = building->parts;
    const cp_joint *independent = &building->scene->joints[leader];
    if (independent->type == CP_JOINT_FIXED && leader == term->joint)
        return CP_OK; /* it moves only its own followers */
    closure->held[leader] = !independent->driven && !joint_is_free(independent);
    if (closure->held[leader])
        return CP_OK;
    if (!array_reserve(closure->mechanism->context, &closure->terms, &closure->term_room,
                       (uint64_t)closure->term_count + 1, sizeof *closure->terms))
        return CP_LIMIT;
    closure->terms[closure->term_count++] = *term;
    closure->loops[loop].term_count++;
    if (building->leader[loop] == CP_NONE)
        building->leader[loop] = leader;
    parts[root_of(parts, leader)] = root_of(parts, building->leader[loop]);
    return CP_OK;
}

static cp_status add_joint(struct building *building, uint32_t loop, uint32_t joint, double sign)
{
    const cp_joint *it = &building->scene->joints[joint];
    struct joint_law law = building->closure->mechanism->joints[joint].law;
    struct closure_term term = {.joint = joint, .column = law.leader, .sign = sign, .slope = law.scale};
    if (it->type == CP_JOINT_FIXED)
        return CP_OK;
    if (it->type == CP_JOINT_SCALE)
        return report_error(building->closure->mechanism->context, CP_INPUT, "loop-scaled", NOWHERE,
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
    building->closure->loops[index] = (struct closure_loop){.loop = index, .first_term = building->closure->term_count};
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
    struct closure *closure = building->closure;
    struct arena *arena = closure->mechanism->arena;
    const cp_scene *scene = building->scene;
    uint32_t loops = scene->loop_count, next = 0;
    uint32_t *group_of = arena_allocate(arena, scene->joint_count, sizeof *group_of); /* of the roots of parts */
    uint32_t *own = arena_allocate(arena, loops, sizeof *own);
    struct closure_loop *sorted = arena_allocate(arena, loops, sizeof *sorted);
    closure->groups = arena_allocate(arena, loops, sizeof *closure->groups);
    if (!group_of || !own || !sorted || !closure->groups)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        group_of[i] = CP_NONE;
    for (uint32_t i = 0; i < loops; i++) {
        uint32_t root = building->leader[i] == CP_NONE ? CP_NONE : root_of(building->parts, building->leader[i]);
        own[i] = root == CP_NONE ? CP_NONE : group_of[root];
        if (own[i] == CP_NONE) {
            own[i] = closure->group_count;
            closure->groups[closure->group_count++] = (struct closure_group){0};
        }
        if (root != CP_NONE)
            group_of[root] = own[i];
        closure->groups[own[i]].loop_count++;
    }
    for (uint32_t i = 0; i < closure->group_count; i++) {
        closure->groups[i].first_loop = next;
        next += closure->groups[i].loop_count;
        closure->groups[i].loop_count = 0;
    }
    for (uint32_t i = 0; i < loops; i++) {
        struct closure_group *group = &closure->groups[own[i]];
        struct closure_loop *to = &sorted[group->first_loop + group->loop_count++];
        *to = closure->loops[i];
        to->first_row = group->row_count;
        group->row_count += closure_rows(scene->loops[i].type);
    }
    closure->loops = sorted;
    return CP_OK;
}

/* Numbers the group's joints: free ones first. */
static void add_columns(struct closure *closure, struct closure_group *group)
{
    uint32_t number = (uint32_t)(group - closure->groups);
    const cp_joint *joints = closure->mechanism->scene->joints;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < group->loop_count; i++) {
            const struct closure_loop *loop = &closure->loops[group->first_loop + i];
            for (uint32_t k = 0; k < loop->term_count; k++) {
                uint32_t joint = closure->terms[loop->first_term + k].column;
                if (joint_is_free(&joints[joint]) != (pass == 0) || closure->column_of[joint] != CP_NONE)
                    continue;
                closure->group_of[joint] = number;
                closure->column_of[joint] = group->column_count;
                closure->columns[group->first_column + group->column_count++] = joint;
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
static cp_status add_nodes(struct closure *closure, struct closure_group *group, uint32_t *marks, uint32_t mark)
{
    const cp_scene *scene = closure->mechanism->scene;
    group->first_node = closure->node_count;
    for (uint32_t i = 0; i < 2 * group->loop_count; i++) {
        const cp_loop *loop = &scene->loops[closure->loops[group->first_loop + i / 2].loop];
        for (uint32_t node = loop->nodes[i % 2]; node != CP_NONE && marks[node] != mark;
             node = scene->nodes[node].parent) {
            marks[node] = mark;
            if (!array_reserve(closure->mechanism->context, &closure->nodes, &closure->node_room,
                               (uint64_t)closure->node_count + 1, sizeof *closure->nodes))
                return CP_LIMIT;
            closure->nodes[closure->node_count++] = node;
        }
    }
    group->node_count = closure->node_count - group->first_node;
    qsort(closure->nodes + group->first_node, group->node_count, sizeof *closure->nodes, compare_numbers);
    return CP_OK;
}

/* Sets the group's length to the reach of its loops' ends and joints. */
static void set_length(struct closure *closure, struct closure_group *group)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, diagonal[3];
    closure_place(closure, group);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *loop = &closure->loops[group->first_loop + i];
        struct loop_ends ends;
        closure_ends(closure, &closure->mechanism->scene->loops[loop->loop], &ends);
        for (uint32_t k = 0; k < loop->term_count + 2; k++) {
            uint32_t joint = k < 2 ? CP_NONE : closure->terms[loop->first_term + k - 2].joint;
            const double *place = k < 2 ? ends.origins[k] : closure->origins[joint];
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

/* Limits of a group: the time of a step grows with their cube. */
enum { MOST_COLUMNS = 400, MOST_ROWS = 2000 };

static bool make_stand(struct arena *arena, struct stand *stand, uint32_t columns, size_t matrix)
{
    stand->values = arena_allocate(arena, columns, sizeof *stand->values);
    stand->jacobian = arena_allocate(arena, matrix, sizeof *stand->jacobian);
    stand->tangent = arena_allocate(arena, columns, sizeof *stand->tangent);
    stand->order = arena_allocate(arena, columns, sizeof *stand->order);
    return !arena_failed(arena);
}

/* Finds the columns whose whole turns turn all that follows them by whole turns, too. */
static void find_repeats(struct closure *closure, const struct closure_group *group)
{
    const cp_joint *joints = closure->mechanism->scene->joints;
    for (uint32_t i = 0; i < group->column_count; i++)
        closure->repeats[group->first_column + i] = true;
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *loop = &closure->loops[group->first_loop + i];
        for (uint32_t k = 0; k < loop->term_count; k++) {
            const struct closure_term *term = &closure->terms[loop->first_term + k];
            bool *repeats = &closure->repeats[group->first_column + closure->column_of[term->column]];
            *repeats = *repeats && joints[term->joint].type == CP_JOINT_REVOLUTE && rint(term->slope) == term->slope &&
                       joints[term->column].type == CP_JOINT_REVOLUTE;
        }
    }
}

static cp_status make_scratch(struct closure *closure)
{
    struct arena *arena = closure->mechanism->arena;
    uint32_t columns = 0, free_columns = 0;
    size_t work = 0, matrix = 0;
    for (uint32_t i = 0; i < closure->group_count; i++) {
        const struct closure_group *group = &closure->groups[i];
        if (group->row_count > MOST_ROWS || group->column_count > MOST_COLUMNS)
            return report_error(closure->mechanism->context, CP_LIMIT, "loop-size", NOWHERE,
                                "%u joints hang together by loops, more than can be solved at once",
                                (unsigned)group->column_count);
        size_t own = least_squares_room(group->row_count, group->column_count);
        if (own == SIZE_MAX)
            return CP_LIMIT;
        columns = group->column_count > columns ? group->column_count : columns;
        free_columns = group->free_count > free_columns ? group->free_count : free_columns;
        work = own > work ? own : work;
        own = group->row_count * ((size_t)group->column_count + 1);
        matrix = own > matrix ? own : matrix;
    }
    double **const of_columns[] = {
        &closure->x,           &closure->begin,        &closure->start,     &closure->goal,      &closure->turns,
        &closure->near_values, &closure->near_tangent, &closure->passed[0], &closure->passed[1], &closure->far_begin,
        &closure->far_end,     &closure->far_goal,     &closure->far_gained};
    for (size_t i = 0; i < sizeof of_columns / sizeof *of_columns; i++)
        *of_columns[i] = arena_allocate(arena, columns, sizeof(double));
    closure->far_kept = arena_allocate(arena, 2 * (size_t)columns, sizeof *closure->far_kept);
    closure->order = arena_allocate(arena, columns, sizeof *closure->order);
    closure->matrix = arena_allocate(arena, matrix, sizeof *closure->matrix);
    closure->square = arena_allocate(arena, (size_t)free_columns * free_columns, sizeof *closure->square);
    closure->work = arena_allocate(arena, work, sizeof *closure->work);
    closure->ends = arena_allocate(arena, closure->mechanism->scene->loop_count, sizeof *closure->ends);
    closure->stands = arena_allocate(arena, 2, sizeof *closure->stands);
    return closure->stands && make_stand(arena, &closure->stands[0], columns, matrix) &&
                   make_stand(arena, &closure->stands[1], columns, matrix)
               ? CP_OK
               : CP_LIMIT;
}

cp_status closure_open(struct closure *closure, cp_mechanism *mechanism)
{
    const cp_scene *scene = mechanism->scene;
    struct arena *arena = mechanism->arena;
    uint32_t joints = scene->joint_count, loops = scene->loop_count, nodes = scene->node_count, columns = 0;
    *closure = (struct closure){.mechanism = mechanism, .stand_group = CP_NONE};
    struct building building = {.closure = closure, .scene = scene};
    building.levels = arena_allocate(arena, nodes, sizeof *building.levels);
    building.parts = arena_allocate(arena, joints, sizeof *building.parts);
    building.leader = arena_allocate(arena, loops, sizeof *building.leader);
    closure->loops = arena_allocate(arena, loops, sizeof *closure->loops);
    closure->columns = arena_allocate(arena, joints, sizeof *closure->columns);
    closure->column_of = arena_allocate(arena, joints, sizeof *closure->column_of);
    closure->group_of = arena_allocate(arena, joints, sizeof *closure->group_of);
    closure->repeats = arena_allocate(arena, joints, sizeof *closure->repeats);
    closure->held = arena_allocate_zeroed(arena, joints, sizeof *closure->held);
    closure->closed_at = arena_allocate(arena, joints, sizeof *closure->closed_at);
    closure->regular_at = arena_allocate(arena, joints, sizeof *closure->regular_at);
    closure->first_at = arena_allocate(arena, joints, sizeof *closure->first_at);
    closure->worlds = arena_allocate(arena, nodes, sizeof *closure->worlds);
    closure->axes = arena_allocate(arena, joints, sizeof *closure->axes);
    closure->origins = arena_allocate(arena, joints, sizeof *closure->origins);
    if (arena_failed(arena))
        return CP_LIMIT;
    for (uint32_t i = 0; i < nodes; i++)
        building.levels[i] = scene->nodes[i].parent == CP_NONE ? 0 : building.levels[scene->nodes[i].parent] + 1;
    for (uint32_t i = 0; i < joints; i++) {
        building.parts[i] = i;
        closure->column_of[i] = closure->group_of[i] = CP_NONE;
    }
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < loops && status == CP_OK; i++) {
        building.leader[i] = CP_NONE;
        status = add_loop(&building, i);
    }
    if (status == CP_OK)
        status = group_loops(&building);
    for (uint32_t i = 0; i < nodes; i++)
        building.levels[i] = CP_NONE;
    for (uint32_t i = 0; i < closure->group_count && status == CP_OK; i++) {
        struct closure_group *group = &closure->groups[i];
        group->first_column = columns;
        add_columns(closure, group);
        find_repeats(closure, group);
        columns += group->column_count;
        status = add_nodes(closure, group, building.levels, i);
        if (status == CP_OK)
            set_length(closure, group);
    }
    for (uint32_t i = 0; i < closure->term_count && status == CP_OK; i++)
        closure->terms[i].column = closure->column_of[closure->terms[i].column];
    return status == CP_OK ? make_scratch(closure) : status;
}

void closure_close(struct closure *closure)
{
    cp_context *context = closure->mechanism ? closure->mechanism->context : NULL;
    if (context)
        closure_forget(closure);
    memory_free(context, closure->terms, closure->term_room, sizeof *closure->terms);
    memory_free(context, closure->nodes, closure->node_room, sizeof *closure->nodes);
    *closure = (struct closure){0};
}

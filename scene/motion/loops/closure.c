/* Closed loops: the joints that move them, how far they are from closed, and the values at which they close. */
#include "loops.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

/* Parts of a matrix of derivatives below this are noise: geometry in files has few digits. */
static const double dependent = 1e-6;

/* ---- residuals ---- */

void closure_ends(const struct closure_chains *chains, const cp_loop *loop, struct loop_ends *ends)
{
    for (int side = 0; side < 2; side++) {
        cp_pose world;
        pose_multiply_into(&chains->worlds[loop->nodes[side]], &loop->poses[side], &world);
        for (int i = 0; i < 3; i++) {
            ends->x[side][i] = world.m[4 * i];
            if (side == 0)
                ends->y[i] = world.m[4 * i + 1];
            ends->z[side][i] = world.m[4 * i + 2];
            ends->origins[side][i] = world.m[4 * i + 3];
        }
    }
}

/* The motion of a frame with a joint. */
struct motion {
    double origin[3], x[3], y[3], z[3]; /* velocities */
};

static void set_motion(const struct closure_chains *chains, uint32_t joint, const struct loop_ends *ends, int side,
                       struct motion *motion)
{
    const double *axis = chains->axes[joint];
    double arm[3];
    *motion = (struct motion){0};
    if (chains->mechanism->scene->joints[joint].type == CP_JOINT_PRISMATIC) {
        memcpy(motion->origin, axis, sizeof motion->origin);
        return;
    }
    subtract(ends->origins[side], chains->origins[joint], arm);
    cross_product(axis, arm, motion->origin);
    cross_product(axis, ends->x[side], motion->x);
    cross_product(axis, ends->z[side], motion->z);
    if (side == 0)
        cross_product(axis, ends->y, motion->y);
}

/* Fills the rows of a loop: the differences between its ends, places in units of `length`. Directions differ by the
 * chord between them, which is zero only where they are equal. motion: NULL for the values, else their derivatives when
 * `side` moves so. */
static uint32_t loop_rows(const cp_loop *loop, const struct loop_ends *ends, double length, const struct motion *motion,
                          int side, double *rows)
{
    const double sign = side == 0 ? 1 : -1;
    double apart[3], chord_x[3], chord_z[3];
    uint32_t count = 0;
    subtract(ends->origins[0], ends->origins[1], apart);
    for (int i = 0; i < 3; i++) {
        chord_x[i] = motion ? sign * motion->x[i] : ends->x[0][i] - ends->x[1][i];
        chord_z[i] = motion ? sign * motion->z[i] : ends->z[0][i] - ends->z[1][i];
    }
    switch (loop->type) {
    case CP_LOOP_DISTANCE: {
        double distance = sqrt(dot_product(apart, apart));
        if (!motion)
            rows[count++] = (distance - loop->length) / length;
        else
            rows[count++] = distance > 0 ? sign * dot_product(motion->origin, apart) / (distance * length) : 0;
        return count;
    }
    case CP_LOOP_CYLINDRICAL:
    case CP_LOOP_PRISMATIC: /* across the first frame's Z */
        for (int i = 0; i < 2; i++) {
            const double *across = i == 0 ? ends->x[0] : ends->y;
            double value = dot_product(apart, across);
            if (motion)
                value = sign * dot_product(motion->origin, across) +
                        (side == 0 ? dot_product(apart, i == 0 ? motion->x : motion->y) : 0);
            rows[count++] = value / length;
        }
        break;
    case CP_LOOP_SPHERICAL:
    case CP_LOOP_REVOLUTE:
    case CP_LOOP_UNIVERSAL:
    case CP_LOOP_FIXED:
        for (int i = 0; i < 3; i++)
            rows[count++] = (motion ? sign * motion->origin[i] : apart[i]) / length;
        break;
    }
    if (loop->type == CP_LOOP_UNIVERSAL)
        rows[count++] = motion ? dot_product(motion->z, ends->z[1 - side]) : dot_product(ends->z[0], ends->z[1]);
    else if (loop->type != CP_LOOP_SPHERICAL)
        for (int i = 0; i < 3; i++)
            rows[count++] = chord_z[i];
    if (loop->type == CP_LOOP_PRISMATIC || loop->type == CP_LOOP_FIXED)
        for (int i = 0; i < 3; i++)
            rows[count++] = chord_x[i];
    return count;
}

uint32_t closure_rows(cp_loop_type type)
{
    static const uint32_t counts[] = {
        [CP_LOOP_SPHERICAL] = 3, [CP_LOOP_REVOLUTE] = 6, [CP_LOOP_UNIVERSAL] = 4, [CP_LOOP_CYLINDRICAL] = 5,
        [CP_LOOP_PRISMATIC] = 8, [CP_LOOP_FIXED] = 9,    [CP_LOOP_DISTANCE] = 1};
    return counts[type];
}

/* ---- a group at values of its joints ---- */

double closure_unit(const struct closure_chains *chains, const struct closure_group *group, uint32_t joint)
{
    return chains->mechanism->scene->joints[joint].type == CP_JOINT_PRISMATIC ? group->length : 1;
}

void closure_place(const struct closure_chains *chains, const struct closure_group *group)
{
    cp_mechanism *mechanism = chains->mechanism;
    const cp_scene *scene = mechanism->scene;
    for (uint32_t i = 0; i < group->node_count; i++) {
        uint32_t index = chains->nodes[group->first_node + i];
        const cp_node *node = &scene->nodes[index];
        cp_pose world = node->local, motion, moved;
        if (node->parent != CP_NONE)
            pose_multiply_into(&chains->worlds[node->parent], &node->local, &world);
        for (uint32_t joint = node->first_joint; joint < node->first_joint + node->joint_count; joint++) {
            const double *axis = scene->joints[joint].axis;
            if (cp_joint_is_dependent(&scene->joints[joint]))
                mechanism->values[joint] = mechanism_value(mechanism, joint, mechanism->values);
            for (int k = 0; k < 3; k++) {
                chains->axes[joint][k] = dot_product(world.m + 4 * k, axis);
                chains->origins[joint][k] = world.m[4 * k + 3];
            }
            joint_motion_into(&scene->joints[joint], mechanism->values[joint], &motion);
            pose_multiply_into(&world, &motion, &moved);
            world = moved;
        }
        chains->worlds[index] = world;
    }
}

/* Returns how much a dependent joint moves with its independent one. */
static double slope_of(cp_mechanism *mechanism, const struct closure_term *term, uint32_t leader)
{
    if (!isnan(term->slope))
        return term->slope;
    const double value = mechanism->values[leader], step = 1e-5;
    mechanism->values[leader] = value + step;
    double after = mechanism_value(mechanism, term->joint, mechanism->values);
    mechanism->values[leader] = value - step;
    double before = mechanism_value(mechanism, term->joint, mechanism->values);
    mechanism->values[leader] = value;
    return (after - before) / (2 * step);
}

struct evaluation {
    const struct closure_chains *chains;
    const struct closure_group *group;
    uint32_t columns; /* the free ones, or all */
};

static void evaluate(void *user, const double *x, double *residuals, double *jacobian)
{
    const struct evaluation *it = user;
    const struct closure_chains *chains = it->chains;
    const struct closure_group *group = it->group;
    cp_mechanism *mechanism = chains->mechanism;
    for (uint32_t i = 0; i < it->columns; i++) {
        uint32_t joint = chains->columns[group->first_column + i];
        mechanism->values[joint] = x[i] * closure_unit(chains, group, joint);
    }
    closure_place(chains, group);
    memset(jacobian, 0, (size_t)group->row_count * it->columns * sizeof *jacobian);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *own = &chains->loops[group->first_loop + i];
        const cp_loop *loop = &mechanism->scene->loops[own->loop];
        struct loop_ends ends;
        closure_ends(chains, loop, &ends);
        (void)loop_rows(loop, &ends, group->length, NULL, 0, residuals + own->first_row);
        for (uint32_t k = 0; k < own->term_count; k++) {
            const struct closure_term *term = &chains->terms[own->first_term + k];
            uint32_t leader = chains->columns[group->first_column + term->column];
            if (term->column >= it->columns)
                continue;
            struct motion motion;
            double rows[9];
            int side = term->sign < 0;
            set_motion(chains, term->joint, &ends, side, &motion);
            uint32_t count = loop_rows(loop, &ends, group->length, &motion, side, rows);
            double scale = slope_of(mechanism, term, leader) * closure_unit(chains, group, leader);
            double *column = jacobian + (size_t)term->column * group->row_count + own->first_row;
            for (uint32_t row = 0; row < count; row++)
                column[row] += scale * rows[row];
        }
    }
}

/* ---- solving ---- */

/* Returns how far the worst loop is from closed, and sets what it lacks. */
static double find_gap(const struct closure_chains *chains, const struct closure_group *group, struct open_loop *open)
{
    const cp_mechanism *mechanism = chains->mechanism;
    double worst = 0;
    closure_place(chains, group);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *own = &chains->loops[group->first_loop + i];
        const cp_loop *loop = &mechanism->scene->loops[own->loop];
        struct loop_ends ends;
        double rows[9], square = 0, places = 0;
        closure_ends(chains, loop, &ends);
        uint32_t count = loop_rows(loop, &ends, group->length, NULL, 0, rows);
        uint32_t lengths = loop->type == CP_LOOP_DISTANCE                                         ? 1
                           : loop->type == CP_LOOP_CYLINDRICAL || loop->type == CP_LOOP_PRISMATIC ? 2
                                                                                                  : 3;
        for (uint32_t row = 0; row < count; row++) {
            square += rows[row] * rows[row];
            places += row < lengths ? rows[row] * rows[row] : 0;
        }
        if (sqrt(square) <= worst)
            continue;
        worst = sqrt(square);
        *open = (struct open_loop){.loop = own->loop,
                                   .gap = group->length * sqrt(places),
                                   .angle = 2 * asin(fmin(1, sqrt(square - places) / 2)),
                                   .joint = CP_NONE};
    }
    return worst;
}

double closure_close_group(const struct closure_chains *chains, struct closure_solver *solver,
                           const struct closure_group *group, struct open_loop *open)
{
    double *values = chains->mechanism->values;
    struct evaluation it = {chains, group, group->free_count};
    const struct least_squares problem = {group->row_count, group->free_count, evaluate, &it};
    for (uint32_t i = 0; i < group->free_count; i++) {
        uint32_t joint = chains->columns[group->first_column + i];
        solver->x[i] = values[joint] / closure_unit(chains, group, joint);
    }
    double off = group->free_count > 0 ? least_squares_solve(&problem, solver->x, solver->work) : INFINITY;
    for (uint32_t i = 0; i < group->free_count; i++) {
        uint32_t joint = chains->columns[group->first_column + i];
        values[joint] = solver->x[i] * closure_unit(chains, group, joint);
    }
    return off <= closure_tolerance ? off : find_gap(chains, group, open);
}

void closure_keep_values(const struct closure_chains *chains, const struct closure_group *group, double *kept)
{
    for (uint32_t i = 0; i < group->column_count; i++)
        kept[i] = chains->mechanism->values[chains->columns[group->first_column + i]];
}

void closure_give_values(const struct closure_chains *chains, const struct closure_group *group, const double *kept)
{
    for (uint32_t i = 0; i < group->column_count; i++)
        chains->mechanism->values[chains->columns[group->first_column + i]] = kept[i];
}

void closure_find_derivatives(const struct closure_chains *chains, struct closure_solver *solver,
                              const struct closure_group *group, uint32_t columns, double *jacobian)
{
    struct evaluation it = {chains, group, columns};
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t joint = chains->columns[group->first_column + i];
        solver->x[i] = chains->mechanism->values[joint] / closure_unit(chains, group, joint);
    }
    evaluate(&it, solver->x, solver->matrix, jacobian);
}

/* Returns the rank of the derivatives by the first `columns` joints, without those that are left out (NULL: none). */
static uint32_t group_rank(const struct closure_chains *chains, struct closure_solver *solver,
                           const struct closure_group *group, uint32_t columns, const uint32_t *left_out,
                           uint32_t left_out_count)
{
    double *jacobian = solver->matrix + group->row_count;
    closure_find_derivatives(chains, solver, group, columns, jacobian);
    for (uint32_t i = 0; i < left_out_count; i++) {
        uint32_t column = chains->column_of[left_out[i]];
        memset(jacobian + (size_t)column * group->row_count, 0, group->row_count * sizeof *jacobian);
    }
    return find_rank(jacobian, group->row_count, columns, dependent, solver->order, solver->work);
}

cp_status closure_begin_group(struct closure *closure, uint32_t group)
{
    const struct closure_chains *chains = &closure->chains;
    const struct closure_group *it = &chains->groups[group];
    bool closes = closure_close_group(chains, &closure->solver, it, &chains->mechanism->open) <= closure_tolerance;
    closure_place(chains, it);
    closure_keep_values(chains, it, closure->branch.closed_at + it->first_column);
    closure_keep_values(chains, it, closure->branch.regular_at + it->first_column);
    return closes ? CP_OK : CP_NO;
}

cp_status closure_begin(struct closure *closure)
{
    const struct closure_chains *chains = &closure->chains;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < chains->group_count; i++) {
        const struct closure_group *group = &chains->groups[i];
        if (closure_begin_group(closure, i) != CP_OK)
            status = CP_NO;
        closure_keep_values(chains, group, closure->branch.first_at + group->first_column);
    }
    return status;
}

/* ---- degrees of freedom ---- */

bool closure_determines(struct closure *closure, uint32_t group, const uint32_t *joints, uint32_t count)
{
    const struct closure_chains *chains = &closure->chains;
    const struct closure_group *it = &chains->groups[group];
    uint32_t all = group_rank(chains, &closure->solver, it, it->free_count, NULL, 0);
    return all == group_rank(chains, &closure->solver, it, it->free_count, joints, count) + count;
}

/* Looks for a higher rank beside the closed pose, as the rank is too low in a singular pose itself. */
static void probe_rank(const struct closure_chains *chains, struct closure_solver *solver, const double *closed_at,
                       struct closure_group *group)
{
    const double aside = 1e-2;
    group->is_probed = true;
    for (uint32_t i = 2 * group->free_count; i < 2 * group->column_count && group->rank < group->free_count; i++) {
        const uint32_t joint = chains->columns[group->first_column + i / 2];
        struct open_loop open;
        closure_give_values(chains, group, closed_at);
        chains->mechanism->values[joint] += (i % 2 ? aside : -aside) * closure_unit(chains, group, joint);
        if (closure_close_group(chains, solver, group, &open) > closure_tolerance)
            continue;
        const uint32_t rank = group_rank(chains, solver, group, group->free_count, NULL, 0);
        group->rank = rank > group->rank ? rank : group->rank;
    }
    closure_give_values(chains, group, closed_at);
}

double closure_distance(struct closure *closure, uint32_t group)
{
    const struct closure_chains *chains = &closure->chains;
    struct closure_solver *solver = &closure->solver;
    struct closure_group *it = &chains->groups[group];
    const double *closed_at = closure->branch.closed_at + it->first_column;
    double *jacobian = solver->matrix + it->row_count, *values = solver->x;
    closure_give_values(chains, it, closed_at);
    const uint32_t rank = group_rank(chains, solver, it, it->free_count, NULL, 0);
    it->rank = rank > it->rank ? rank : it->rank;
    if (!it->is_probed)
        probe_rank(chains, solver, closed_at, it);
    if (it->rank == 0)
        return INFINITY;
    closure_find_derivatives(chains, solver, it, it->free_count, jacobian);
    find_singular_values(jacobian, it->row_count, it->free_count, solver->order, solver->square, solver->work, values);
    return values[it->rank - 1];
}

void closure_count(struct closure *closure, uint32_t *rank, uint32_t *free_rank, uint32_t *redundant, bool *lacks)
{
    static const uint32_t taken[] = {
        [CP_LOOP_SPHERICAL] = 3, [CP_LOOP_REVOLUTE] = 5, [CP_LOOP_UNIVERSAL] = 4, [CP_LOOP_CYLINDRICAL] = 4,
        [CP_LOOP_PRISMATIC] = 5, [CP_LOOP_FIXED] = 6,    [CP_LOOP_DISTANCE] = 1};
    const struct closure_chains *chains = &closure->chains;
    *rank = *free_rank = *redundant = 0;
    for (uint32_t i = 0; i < chains->group_count; i++) {
        const struct closure_group *group = &chains->groups[i];
        uint32_t all = group_rank(chains, &closure->solver, group, group->column_count, NULL, 0), rows = 0;
        uint32_t own = group_rank(chains, &closure->solver, group, group->free_count, NULL, 0);
        for (uint32_t k = 0; k < group->free_count; k++)
            lacks[chains->columns[group->first_column + closure->solver.order[k]]] = k >= own;
        for (uint32_t k = 0; k < group->loop_count; k++)
            rows += taken[chains->mechanism->scene->loops[chains->loops[group->first_loop + k].loop].type];
        *rank += all;
        *free_rank += own;
        *redundant += rows - all;
    }
}

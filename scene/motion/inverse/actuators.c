/* Machines like a Gantry-Tau: each actuator carries one end of a link of fixed length, whose other end is on the body
 * of the frame. The target places that body; each link then has two values of its actuator. */
#include "inverse.h"

#include <math.h>

#include "model/model.h"

/* No more than what MOST_POSTURES takes. */
enum { MOST_ACTUATORS = 8 };

/* A link: its loop, the side of the actuator, and the actuator's place among the unknown joints. */
struct link {
    const cp_loop *loop;
    int side;
    uint32_t unknown;
};

/* Returns the nearest node from here up that loops can move. */
static uint32_t body_of(const struct cp_inverse *inverse, uint32_t node)
{
    const cp_scene *closed = inverse->closed;
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    for (; node != CP_NONE; node = closed->nodes[node].parent)
        for (uint32_t i = 0; i < closed->nodes[node].joint_count; i++) {
            uint32_t joint = closed->nodes[node].first_joint + i;
            if (cp_joint_is_dependent(&closed->joints[joint]) || chains->group_of[joint] != CP_NONE)
                return node;
        }
    return CP_NONE;
}

static uint32_t unknown_of(const struct cp_inverse *inverse, uint32_t joint)
{
    for (uint32_t i = 0; i < inverse->unknown_count; i++)
        if (inverse->unknown[i] == joint)
            return i;
    return CP_NONE;
}

/* Returns true if the loop is a link: one unknown joint moves one of its ends, and the other is on the frame's body. */
static bool read_link(const struct cp_inverse *inverse, const struct closure_loop *own, struct link *link)
{
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    const struct closure_group *group = &chains->groups[inverse->group];
    uint32_t found = 0, body = body_of(inverse, inverse->reach.frame);
    link->loop = &inverse->closed->loops[own->loop];
    if (link->loop->type != CP_LOOP_DISTANCE)
        return false;
    for (uint32_t i = 0; i < own->term_count; i++) {
        const struct closure_term *term = &chains->terms[own->first_term + i];
        uint32_t leader = chains->columns[group->first_column + term->column];
        uint32_t unknown = unknown_of(inverse, leader);
        if (unknown == CP_NONE)
            continue;
        if (leader != term->joint || found++ > 0)
            return false;
        link->unknown = unknown;
        link->side = term->sign < 0;
    }
    if (found != 1 || body == CP_NONE || body_of(inverse, link->loop->nodes[1 - link->side]) != body)
        return false;
    for (uint32_t i = 0; i < own->term_count; i++) { /* nothing else moves the actuator's end */
        const struct closure_term *term = &chains->terms[own->first_term + i];
        if ((term->sign < 0) == link->side && term->column < group->free_count &&
            chains->columns[group->first_column + term->column] != inverse->unknown[link->unknown])
            return false;
    }
    return true;
}

/* Tells whether no unknown joint moves the loop. */
static bool is_still(const struct cp_inverse *inverse, const struct closure_loop *own)
{
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    const uint32_t *columns = chains->columns + chains->groups[inverse->group].first_column;
    for (uint32_t i = 0; i < own->term_count; i++)
        if (unknown_of(inverse, columns[chains->terms[own->first_term + i].column]) != CP_NONE)
            return false;
    return true;
}

/* Finds the first link of each unknown joint, in the order of the joints. Further links of a joint then close too, or
 * the posture does not. */
static bool read_links(const struct cp_inverse *inverse, struct link links[MOST_ACTUATORS])
{
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    const struct closure_group *group = &chains->groups[inverse->group];
    uint32_t target_loop = inverse->scene->loop_count;
    if (inverse->unknown_count > MOST_ACTUATORS)
        return false;
    for (uint32_t i = 0; i < MOST_ACTUATORS; i++)
        links[i].loop = NULL;
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *own = &chains->loops[group->first_loop + i];
        struct link link = {0};
        if (own->loop == target_loop && is_still(inverse, own))
            continue;
        if (!read_link(inverse, own, &link))
            return false;
        if (!links[link.unknown].loop)
            links[link.unknown] = link;
    }
    for (uint32_t i = 0; i < inverse->unknown_count; i++)
        if (!links[i].loop)
            return false;
    return true;
}

bool has_actuators(const struct cp_inverse *inverse)
{
    struct link links[MOST_ACTUATORS];
    return read_links(inverse, links);
}

/* Finds the place of a loop's end in the world. */
static void end_of(const cp_loop *loop, int side, const cp_pose *world, double place[3])
{
    const double *m = loop->poses[side].m;
    pose_point(world, (double[]){m[3], m[7], m[11]}, place);
}

/* Finds the two values, the smaller one first, at which the actuator's end is `length` from a place. The joint is at
 * 0. */
static bool solve_link(const struct cp_inverse *inverse, const struct link *link, const double place[3],
                       double values[2])
{
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    uint32_t index = inverse->unknown[link->unknown];
    const cp_joint *joint = &inverse->closed->joints[index];
    const double *axis = chains->axes[index], length = link->loop->length;
    double end[3], from[3], to[3];
    end_of(link->loop, link->side, &chains->worlds[link->loop->nodes[link->side]], end);
    if (joint->type == CP_JOINT_PRISMATIC) {
        subtract(place, end, to);
        double along = dot_product(to, axis), square = length * length - dot_product(to, to) + along * along;
        if (square < -1e-9 * length * length)
            return false;
        values[0] = along - sqrt(fmax(0, square));
        values[1] = along + sqrt(fmax(0, square));
        return true;
    }
    /* |R(q) from - to| = length */
    subtract(end, chains->origins[index], from);
    subtract(place, chains->origins[index], to);
    double across[3], along = dot_product(from, axis) * dot_product(to, axis);
    cross_product(axis, from, across);
    double constant = (dot_product(from, from) + dot_product(to, to) - length * length) / 2 - along;
    for (int i = 0; i < 2; i++)
        if (!solve_turn(dot_product(from, to) - along, dot_product(to, across), constant, 2 * i - 1, 0, &values[i]))
            return false;
    return true;
}

static void set_candidate(struct cp_inverse *inverse, double values[][2], uint32_t number)
{
    for (uint32_t i = 0; i < inverse->unknown_count; i++)
        inverse->candidate[i] = values[i][number >> (inverse->unknown_count - 1 - i) & 1];
}

/* Tries all combinations of values. The first one that closes places the body, from which the others are computed. */
static cp_status try_numbers(struct cp_inverse *inverse, double values[][2])
{
    const uint32_t numbers = 1u << inverse->unknown_count;
    cp_status status = CP_NO;
    for (uint32_t number = 0; number < numbers && status == CP_NO; number++) {
        set_candidate(inverse, values, number);
        status = inverse_try(inverse, number);
    }
    if (status != CP_OK)
        return status;
    const size_t joints = inverse->closed->joint_count;
    double *start = inverse->start,
           *placed = arena_copy(inverse->result, inverse->mechanism.values, joints, sizeof *start);
    if (!placed)
        return CP_LIMIT;
    inverse->start = placed;
    inverse->posture_count = 0;
    for (uint32_t number = 0; number < numbers && status != CP_LIMIT; number++) {
        set_candidate(inverse, values, number);
        status = inverse_try(inverse, number);
    }
    inverse->start = start;
    return status;
}

cp_status try_actuators(struct cp_inverse *inverse)
{
    struct link links[MOST_ACTUATORS];
    double values[MOST_ACTUATORS][2];
    const uint32_t count = inverse->unknown_count;
    cp_mechanism *mechanism = &inverse->mechanism;
    const struct closure_chains *chains = &mechanism->closure->chains;
    (void)read_links(inverse, links);
    memcpy(mechanism->values, inverse->start, inverse->closed->joint_count * sizeof *inverse->start);
    for (uint32_t i = 0; i < count; i++)
        mechanism->values[inverse->unknown[i]] = 0;
    closure_place(chains, &chains->groups[inverse->group]);
    cp_pose back, motion;
    (void)pose_inverse(&chains->worlds[inverse->reach.frame], &back);
    motion = pose_multiply(&chains->worlds[inverse->closed->node_count - 1], &back);
    for (uint32_t i = 0; i < count; i++) {
        const cp_loop *loop = links[i].loop;
        double now[3], place[3];
        end_of(loop, 1 - links[i].side, &chains->worlds[loop->nodes[1 - links[i].side]], now);
        pose_point(&motion, now, place);
        if (!solve_link(inverse, &links[i], place, values[i]))
            return CP_NO;
    }
    return try_numbers(inverse, values);
}

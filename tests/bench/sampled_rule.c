#include "sampled_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "collide/body/body.h"
#include "mesh.h"
#include "motion/motion.h"

/* A rate is known to 3 % after so many; a pair is then looked at only until it is seen. */
enum { ENOUGH_HITS = 1000 };

struct states {
    const cp_scene *scene;
    cp_mechanism *mechanism;
    const struct body **bodies; /* of the nodes */
    cp_pose *worlds;            /* of the nodes */
    double *q, (*ranges)[2];    /* of the joints */
    uint32_t node_count, joint_count;
};

/* ---- configurations ---- */

/* Joints without limits turn half a turn each way, or stay. */
static void find_range(const cp_joint *joint, double range[2])
{
    bool limited = isfinite(joint->lower) && isfinite(joint->upper), turns = joint->type == CP_JOINT_REVOLUTE;
    range[0] = limited ? joint->lower : turns ? -PI : joint->q;
    range[1] = limited ? joint->upper : turns ? PI : joint->q;
}

static cp_status begin_states(struct states *states, cp_context *context, const cp_scene *scene,
                              const struct bodies *bodies)
{
    *states = (struct states){.scene = scene};
    cp_status status = cp_mechanism_new(context, scene, &states->mechanism);
    if (status != CP_OK)
        return status;
    cp_nodes(scene, &states->node_count);
    const cp_joint *joints = cp_joints(scene, &states->joint_count);
    states->bodies = allocate(states->node_count, sizeof(struct body *));
    states->worlds = allocate(states->node_count, sizeof *states->worlds);
    states->q = allocate(states->joint_count, sizeof *states->q);
    states->ranges = allocate(states->joint_count, sizeof *states->ranges);
    for (uint32_t i = 0; i < states->node_count; i++)
        states->bodies[i] = NULL;
    for (uint32_t i = 0; i < bodies->count; i++)
        states->bodies[bodies->items[i].node] = &bodies->items[i];
    for (uint32_t i = 0; i < states->joint_count; i++)
        find_range(&joints[i], states->ranges[i]);
    return CP_OK;
}

static void end_states(struct states *states)
{
    cp_mechanism_free(states->mechanism);
    free(states->bodies);
    free(states->worlds);
    free(states->q);
    free(states->ranges);
}

static void take_random(struct states *states, struct random *random)
{
    for (uint32_t i = 0; i < states->joint_count; i++) {
        const double *range = states->ranges[i];
        states->q[i] = range[0] + random_unit(random) * (range[1] - range[0]);
    }
    (void)cp_mechanism_poses(states->mechanism, states->q, states->worlds);
}

static void take_witness(struct states *states, const cp_finding *finding)
{
    uint32_t count;
    for (uint32_t i = 0; i < states->joint_count; i++)
        states->q[i] = cp_joints(states->scene, &count)[i].q;
    for (uint32_t i = 0; i < finding->witness_count; i++)
        states->q[finding->witness[i].joint] = finding->witness[i].value;
    (void)cp_mechanism_poses(states->mechanism, states->q, states->worlds);
}

static bool pair_meets(const struct states *states, uint32_t first, uint32_t second)
{
    uint64_t tests = 0;
    cp_pose back;
    if (!pose_inverse(&states->worlds[first], &back))
        return false;
    cp_pose placed = pose_multiply(&back, &states->worlds[second]);
    return bodies_meet(states->bodies[first], states->bodies[second], &placed, &tests);
}

/* ---- pairs ---- */

static void list_pairs(struct sampled_rule *rule, struct states *states)
{
    uint32_t count;
    const cp_pair *pairs = cp_pairs(states->scene, &count);
    rule->pairs = allocate(count, sizeof *rule->pairs);
    for (uint32_t i = 0; i < count; i++) {
        const cp_pair *pair = &pairs[i];
        if (strcmp(pair->reason, "sometimes") != 0 || !pair->finding)
            continue;
        take_witness(states, pair->finding);
        if (pair_meets(states, pair->first, pair->second))
            rule->pairs[rule->pair_count++] = (struct sampled_pair){.first = pair->first, .second = pair->second};
        else
            rule->unconfirmed++;
    }
}

/* ---- seeds ---- */

/* Looks for the pairs not yet seen in this seed's states, and for those whose rate is not yet known. How many are not
 * seen. */
static uint32_t look_for_pairs(struct sampled_rule *rule, const struct states *states, bool *seen)
{
    uint32_t unseen = 0;
    for (uint32_t i = 0; i < rule->pair_count; i++) {
        struct sampled_pair *pair = &rule->pairs[i];
        bool counts = pair->hits < ENOUGH_HITS;
        if (seen[i] && !counts)
            continue;
        bool meets = pair_meets(states, pair->first, pair->second);
        pair->states += counts;
        pair->hits += counts && meets;
        seen[i] = seen[i] || meets;
        unseen += !seen[i];
    }
    return unseen;
}

static void note_missed(struct sampled_rule *rule, const bool *seen, int which)
{
    bool any = false;
    for (uint32_t i = 0; i < rule->pair_count; i++) {
        rule->pairs[i].missed[which] += !seen[i];
        any = any || !seen[i];
    }
    rule->false_seeds[which] += any;
}

static bool all_rates_known(const struct sampled_rule *rule)
{
    for (uint32_t i = 0; i < rule->pair_count; i++)
        if (rule->pairs[i].hits < ENOUGH_HITS)
            return false;
    return true;
}

static void run_seed(struct sampled_rule *rule, struct states *states, struct random *random, bool *seen)
{
    memset(seen, 0, rule->pair_count * sizeof *seen);
    for (uint32_t state = 0; state < USUAL_STATES; state++) {
        if (state == FEWER_STATES)
            note_missed(rule, seen, 0);
        take_random(states, random);
        uint32_t unseen = look_for_pairs(rule, states, seen);
        if (unseen == 0 && state >= FEWER_STATES && all_rates_known(rule))
            break;
    }
    note_missed(rule, seen, 1);
}

cp_status sampled_rule_run(cp_context *context, const cp_scene *scene, uint32_t seeds, struct sampled_rule *rule)
{
    struct bodies bodies;
    struct states states;
    struct random random = random_begin(); /* one row of states: the seeds are its parts, which have none in common */
    *rule = (struct sampled_rule){0};
    cp_status status = bodies_find(&bodies, context, scene);
    if (status == CP_OK)
        status = begin_states(&states, context, scene, &bodies);
    if (status == CP_OK) {
        list_pairs(rule, &states);
        bool *seen = allocate(rule->pair_count, sizeof *seen);
        for (uint32_t seed = 0; seed < seeds; seed++)
            run_seed(rule, &states, &random, seen);
        free(seen);
        end_states(&states);
    }
    bodies_free(&bodies);
    return status;
}

void sampled_rule_free(struct sampled_rule *rule)
{
    free(rule->pairs);
    *rule = (struct sampled_rule){0};
}

static bool is_worse(const struct sampled_pair *one, const struct sampled_pair *other)
{
    for (int which = 1; which >= 0; which--)
        if (one->missed[which] != other->missed[which])
            return one->missed[which] > other->missed[which];
    return (double)one->hits * (double)other->states < (double)other->hits * (double)one->states;
}

const struct sampled_pair *sampled_rule_worst(const struct sampled_rule *rule)
{
    const struct sampled_pair *worst = NULL;
    for (uint32_t i = 0; i < rule->pair_count; i++)
        if (!worst || is_worse(&rule->pairs[i], worst))
            worst = &rule->pairs[i];
    return worst;
}

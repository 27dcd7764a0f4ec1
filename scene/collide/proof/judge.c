/* A pair is judged in this order: static, movable, always touching by a point that no joint moves; then common
 * collisions by random configurations, rare ones by descents on the distance from such, and a proof that there are
 * none. The result does not depend on the order, as a proof excludes every collision; so the cheapest comes first. A
 * short proof comes before the random configurations. Then descents and proofs alternate, each ten times as long as the
 * one before. The long ones wait until all threads have time for them. */
#include "proof.h"

#include <math.h>
#include <string.h>

enum { INSIDE_WORK = 200000, FIRST_WORK = 200, LONG_WORK = 1000, WORK_OF_A_DESCENT = 200, STEPS_OF_DESCENT = 200 };

/* ---- random numbers ---- */

static void random_values(const struct frame_chain *chain, uint64_t key, uint64_t sample, double *values)
{
    for (uint32_t i = 0; i < chain->variable_count; i++) {
        const struct variable *variable = &chain->variables[i];
        double part = random_at(key, sample * chain->variable_count + i);
        values[i] = variable->lower * (1 - part) + variable->upper * part;
    }
}

/* ---- distances ---- */

/* Returns the distance in metres: 0 if they have a point in common, `most` or more if they are farther apart than
 * that. */
static double distance_at(const struct judge *judge, const struct body *const bodies[2], const double *values,
                          double most)
{
    struct placed placed[2];
    cp_pose ends[2];
    for (int side = 0; side < 2; side++) {
        branch_poses(&judge->chain, side, values, NULL, &ends[side]);
        place_body(&placed[side], bodies[side], &ends[side]);
    }
    return bodies_distance(&placed[0], &placed[1], most / judge->chain.unit) * judge->chain.unit;
}

/* Returns the same as distance_at. The gap of the hulls costs less, and it is enough if both bodies are convex, or if
 * it is `most` or more. */
static double height_at(struct judge *judge, const struct body *const bodies[2], const double *values, double most)
{
    bool planes = bodies[0]->plane_count + bodies[1]->plane_count > 0;
    double gap = planes ? 0 : prover_gap(&judge->prover, values);
    bool told = !planes && ((bodies[0]->convex && bodies[1]->convex) || gap >= most);
    return told ? gap : distance_at(judge, bodies, values, most);
}

/* Returns the largest distance by distance_at for which the true one is certainly at most `most`. distance_at is a
 * lower bound, far below the distance where sides are nearly parallel. In stretched frames, and below joints that
 * scale, it agrees with the world only in whether bodies meet, so there the limit is 0. */
static double certain(const struct judge *judge, double most)
{
    return judge->chain.obstacles & (OBSTACLE_SCALE | OBSTACLE_STRETCHED) ? 0 : most * 0.999;
}

/* Notes the distance at a configuration. Where loops do not close there, it is no witness: it only tells that a proof
 * would be in vain. */
static void note_distance(const struct judge *judge, const double *values, double distance, struct judgement *judgement)
{
    const bool collides = distance <= certain(judge, judge->margin);
    if (judge->in_loops && judge->configuration == CP_NONE) {
        judgement->unprovable = judgement->unprovable || collides;
        return;
    }
    const bool nearer = distance < judgement->clearance, proves = collides && !judge->chain.is_loose;
    if (nearer)
        judgement->clearance = distance;
    if (judgement->witnessed || !(nearer || proves))
        return;
    judgement->witnessed = proves;
    if (proves)
        judgement->configuration = judge->configuration;
    memcpy(judgement->witness, values, judgement->variables * sizeof *values);
}

/* Measures a configuration up to `most`, notes the distance, and returns it as distance_at does. */
static double look_at(const struct judge *judge, const struct body *const bodies[2], const double *values, double most,
                      struct judgement *judgement)
{
    double distance = distance_at(judge, bodies, values, most);
    note_distance(judge, values, distance, judgement);
    return distance;
}

/* ---- samples and descents ---- */

/* Sets judge->tries to a random step from judge->values: of all variables, or, every other time, of one of them in
 * turn, which leads down into narrow places. step: a share of each variable's range. */
static void take_step(struct judge *judge, uint64_t key, uint64_t place, uint32_t number, double step)
{
    const struct frame_chain *chain = &judge->chain;
    uint32_t count = chain->variable_count;
    for (uint32_t k = 0; k < count; k++) {
        const struct variable *variable = &chain->variables[k];
        const bool moves = number % 2 == 0 || number / 2 % count == k;
        double part = moves ? (2 * random_at(key, place * count + k) - 1) * step : 0;
        double value = judge->values[k] + part * (variable->upper - variable->lower);
        judge->tries[k] = fmin(fmax(value, variable->lower), variable->upper);
    }
}

/* Descends on the distance by random steps that grow when they lead down and shrink when not; from the pair's random
 * configuration with this number, or, if the number is odd, from near the `nearest` one that is known (NULL: none). So
 * half of the descents look for new places, and half go to the bottom of the best one. judge->values becomes the
 * configuration at which it ends. */
static void descend(struct judge *judge, const struct body *const bodies[2], uint64_t key, uint32_t number,
                    const double *nearest)
{
    const struct frame_chain *chain = &judge->chain;
    uint64_t samples = judge->rules->samples,
             steps = STEPS_OF_DESCENT + 1; /* numbers that are used already, and by each descent */
    uint64_t place = number * steps + (samples > steps ? samples : steps);
    const bool goes_on = nearest && number % 2 == 1;
    if (goes_on)
        memcpy(judge->values, nearest, chain->variable_count * sizeof *judge->values);
    else
        random_values(chain, key, place, judge->values);
    double step = goes_on ? 0.05 : 0.5, height = height_at(judge, bodies, judge->values, INFINITY);
    for (uint32_t i = 1; i <= STEPS_OF_DESCENT && step > 1e-4 && height > judge->margin; i++) {
        if (judge_is_late(judge))
            return;
        take_step(judge, key, place + i, i, step);
        double other = height_at(judge, bodies, judge->tries, height);
        bool lower = other < height;
        if (lower) {
            height = other;
            memcpy(judge->values, judge->tries, chain->variable_count * sizeof *judge->values);
        }
        step = lower ? fmin(0.5, step * 1.5) : step * 0.9;
    }
}

/* Tells whether a search has nothing more to find. */
static bool has_collided(const struct judgement *judgement)
{
    return judgement->witnessed || judgement->unprovable;
}

/* Returns the configuration with the smallest distance that is known; NULL without any, or if loops hold the joints. */
static const double *nearest_values(const struct judge *judge, const struct judgement *judgement)
{
    return isfinite(judgement->clearance) && !judge->in_loops ? judgement->witness : NULL;
}

/* Descends until there were `most` descents. A descent that the ending cut short does not count. */
static void take_descents(struct judge *judge, const struct body *const bodies[2], uint32_t most,
                          struct judgement *judgement)
{
    while (!has_collided(judgement) && judgement->descents < most && !judge_is_late(judge)) {
        descend(judge, bodies, judgement->key, judgement->descents, nearest_values(judge, judgement));
        judgement->descents += !judge->prover.is_late;
        (void)look_at(judge, bodies, judge->values, INFINITY, judgement);
    }
}

/* ---- proofs ---- */

/* Adds the result of a proof whose work was bounded by `work`. judge->values: the middle of its last box. */
static void take_proof(struct judge *judge, const struct body *const bodies[2], uint64_t work,
                       const struct proof *proof, struct judgement *judgement)
{
    uint64_t all = judge->rules->work;
    judgement->work += proof->work;
    judgement->next_work = 0;
    if (proof->end == PROOF_UNDECIDED && proof->work >= work) { /* else more would not help */
        uint64_t left = all > judgement->work ? all - judgement->work : 0;
        judgement->next_work = work < left / 10 ? work * 10 : left;
    }
    if (proof->end == PROOF_HIT)
        (void)look_at(judge, bodies, judge->values, INFINITY, judgement);
    if (proof->end == PROOF_FREE) {
        judgement->clearance = proof->bound;
        judgement->status = JUDGED_NEVER_PROVED;
    }
}

/* Tries to prove that the bodies never meet; true if it succeeds. */
static bool try_proof(struct judge *judge, const struct body *const bodies[2], uint64_t work,
                      struct judgement *judgement)
{
    struct proof_goal goal = {judge->margin, work};
    struct proof proof = prove_free(&judge->prover, &judge->chain, bodies, &goal, judge->values);
    take_proof(judge, bodies, work, &proof, judgement);
    return proof.end == PROOF_FREE;
}

/* ---- all ---- */

/* Tells whether loops hold a joint of the judge's chain. */
static bool is_in_loops(const struct judge *judge)
{
    bool any = false;
    for (uint32_t i = 0; i < judge->chain.variable_count && !any; i++)
        any = joint_is_in_loop(judge->rules->configurations, judge->chain.variables[i].joint);
    return any;
}

cp_status judge_at_once(struct judge *judge, cp_context *context, const struct body *const bodies[2],
                        struct judgement *judgement)
{
    struct frame_chain *chain = &judge->chain;
    bool touching = false;
    chain_find(chain, bodies[0]->node, bodies[1]->node);
    *judgement = (struct judgement){.status = JUDGED_UNDECIDED,
                                    .obstacles = chain->obstacles,
                                    .neighbours = chain->motion_count == 1,
                                    .variables = chain->variable_count,
                                    .in_loops = is_in_loops(judge),
                                    .configuration = CP_NONE,
                                    .clearance = INFINITY};
    if (!chain->moves) {
        judgement->status = JUDGED_STATIC;
        return CP_OK;
    }
    if (chain->movable) {
        judgement->status = JUDGED_MOVABLE;
        return CP_OK;
    }
    judgement->is_cut = can_end_early(&judge->rules->ending); /* until all is done */
    if (judge_is_late(judge))
        return CP_OK;
    cp_status status = prove_touching(context, chain, bodies, judge->rules->touch, &touching);
    if (touching) {
        judgement->status = JUDGED_ALWAYS_PROVED;
        judgement->clearance = 0;
    }
    return status;
}

/* Returns the number of descents that come before a proof with so much work. */
static uint32_t descents_before(const struct judge *judge, uint64_t work)
{
    uint64_t count = work / WORK_OF_A_DESCENT, most = judge->rules->descents;
    return (uint32_t)(count < most ? count : most);
}

/* Sets the values of the next sample. False when the configurations of loops are used up. */
static bool take_values(struct judge *judge, const struct judgement *judgement)
{
    const struct configurations *configurations = judge->rules->configurations;
    if (!judge->in_loops) {
        random_values(&judge->chain, judgement->key, judgement->samples, judge->values);
        return true;
    }
    judge->configuration = judgement->samples;
    for (uint32_t i = 0; i < judge->chain.variable_count && judge->configuration < configurations->count; i++)
        judge->values[i] =
            configurations
                ->values[(size_t)judge->configuration * configurations->joint_count + judge->chain.variables[i].joint];
    return judge->configuration < configurations->count;
}

/* Takes samples until there were `most`. Returns the number of new ones that touch. */
static uint32_t take_samples(struct judge *judge, const struct body *const bodies[2], uint32_t most,
                             struct judgement *judgement)
{
    const struct judge_rules *rules = judge->rules;
    uint32_t touching = 0;
    for (; judgement->samples < most && !judge_is_late(judge) && take_values(judge, judgement); judgement->samples++) {
        double nearest = fmax(judgement->clearance, judge->margin * (1 + 1e-6));
        if (height_at(judge, bodies, judge->values, nearest) >= nearest)
            continue;
        double distance = look_at(judge, bodies, judge->values, nearest, judgement);
        judgement->hits += distance <= judge->margin;
        touching += distance <= certain(judge, rules->touch);
    }
    judge->configuration = CP_NONE;
    return touching;
}

/* Tries to prove that two bodies which touched in every sample always do. */
static bool try_inside(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement)
{
    uint64_t work = judge->rules->work < INSIDE_WORK ? judge->rules->work : INSIDE_WORK;
    struct proof proof = prove_inside(&judge->prover, &judge->chain, bodies, judge->rules->touch, work, judge->values);
    judgement->work += proof.work;
    return proof.end == PROOF_FREE;
}

bool judge_is_late(struct judge *judge)
{
    return prover_is_late(&judge->prover);
}

static void begin_pair(struct judge *judge, const struct body *const bodies[2])
{
    chain_find(&judge->chain, bodies[0]->node, bodies[1]->node);
    prover_begin(&judge->prover, &judge->chain, bodies);
    judge->prover.is_late = false;
    judge->margin = fmax(margin_of(judge->rules, bodies[0]->node, bodies[1]->node), judge->rules->touch);
    judge->configuration = CP_NONE;
    judge->in_loops = is_in_loops(judge);
}

bool judge_shortly(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement)
{
    struct judgement before = *judgement;
    uint64_t work = judge->rules->work < FIRST_WORK ? judge->rules->work : FIRST_WORK;
    begin_pair(judge, bodies);
    if (judgement->obstacles & OBSTACLE_EXPRESSION || bodies_incomparable(bodies))
        return false;
    if (try_proof(judge, bodies, work, judgement)) {
        judgement->is_cut = false;
        return true;
    }
    if (judgement->witnessed)
        judgement->status = JUDGED_SOMETIMES;
    else
        *judgement = before;
    return false;
}

/* Does what judge_by_search does, but for the early end. */
static void search(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement)
{
    const struct judge_rules *rules = judge->rules;
    const struct frame_chain *chain = &judge->chain;
    if (judgement->obstacles & OBSTACLE_EXPRESSION || bodies_incomparable(bodies))
        return;
    /* Try a short proof. If a joint turns by a formula, the proof gets all the work: a sample that collides then may be
     * a configuration that the formula never takes. */
    uint64_t work = chain->is_loose || rules->work < FIRST_WORK ? rules->work : FIRST_WORK;
    if (try_proof(judge, bodies, work, judgement) || chain->is_loose)
        return;
    /* Random configurations. */
    uint32_t samples = judge->in_loops ? rules->configurations->count : rules->samples;
    uint32_t touching = take_samples(judge, bodies, samples, judgement);
    bool always = touching == samples && touching > 0;
    if (always && try_inside(judge, bodies, judgement)) {
        judgement->status = JUDGED_ALWAYS_PROVED;
        return;
    }
    if (always)
        touching += take_samples(judge, bodies, rules->always_samples, judgement);
    const bool enough = judgement->samples >= rules->always_samples; /* loops may have fewer */
    if (always && enough && touching == judgement->samples && !judge->prover.is_late &&
        !(judgement->obstacles & OBSTACLE_UNLIMITED)) {
        judgement->status = JUDGED_ALWAYS_SAMPLED;
        return;
    }
    /* Descents and proofs alternate until one of them decides, or the next proof is a long one. Descents vary each
     * joint by itself, so they do not keep loops closed. */
    while (judgement->next_work > 0 && !has_collided(judgement)) {
        judgement->waits = judgement->next_work > LONG_WORK;
        if (judgement->waits)
            return;
        take_descents(judge, bodies, descents_before(judge, judgement->next_work), judgement);
        if (!has_collided(judgement) && try_proof(judge, bodies, judgement->next_work, judgement))
            return;
    }
    if (!judge->in_loops)
        take_descents(judge, bodies, rules->descents, judgement);
    if (judgement->witnessed)
        judgement->status = JUDGED_SOMETIMES;
}

void judge_by_search(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement)
{
    struct judgement before = *judgement; /* perhaps with what judge_shortly found */
    begin_pair(judge, bodies);
    *judgement = (struct judgement){.status = JUDGED_UNDECIDED,
                                    .obstacles = before.obstacles,
                                    .neighbours = before.neighbours,
                                    .variables = before.variables,
                                    .key = before.key,
                                    .clearance = INFINITY,
                                    .in_loops = before.in_loops,
                                    .configuration = CP_NONE,
                                    .witness = before.witness};
    search(judge, bodies, judgement);
    judgement->waits = judgement->waits && !judge->prover.is_late;
    bool waits_in_time = judgement->waits && can_end_early(&judge->rules->ending);
    judgement->is_cut = judgement->status == JUDGED_UNDECIDED && (waits_in_time || judge->prover.is_late);
    if (judgement->is_cut && before.witnessed)
        *judgement = before;
}

/* ---- by all threads ---- */

enum { MOST_DESCENTS = 16 }; /* at a time: those of the next time know the nearest of these */

struct descents {
    struct judge *judges; /* of the threads */
    const struct body *const *bodies;
    uint64_t key;
    uint32_t first, variables;
    const double *nearest; /* as descend has it */
    double *values;        /* where each ends */
    double distances[MOST_DESCENTS];
    bool late[MOST_DESCENTS]; /* those that were cut short, which do not count */
};

static void descend_item(void *user, uint32_t item, uint32_t worker)
{
    struct descents *descents = user;
    struct judge *judge = &descents->judges[worker];
    prover_begin(&judge->prover, &judge->chain, descents->bodies);
    descend(judge, descents->bodies, descents->key, descents->first + item, descents->nearest);
    descents->distances[item] = distance_at(judge, descents->bodies, judge->values, INFINITY);
    descents->late[item] = judge->prover.is_late;
    memcpy(descents->values + (size_t)item * descents->variables, judge->values,
           descents->variables * sizeof *judge->values);
}

/* Descends by all threads until there were `most` descents. A witness counts, and the descents before it; later ones do
 * not, so that the result is the same for any number of threads. */
static cp_status take_descents_at_length(struct descents *descents, cp_context *context, uint32_t most,
                                         struct judgement *judgement)
{
    struct judge *judge = &descents->judges[0];
    while (!has_collided(judgement) && judgement->descents < most && !judge_is_late(judge)) {
        uint32_t left = most - judgement->descents;
        uint32_t count = left < MOST_DESCENTS ? left : MOST_DESCENTS;
        descents->first = judgement->descents;
        descents->nearest = nearest_values(judge, judgement);
        if (!parallel_for(context, count, descend_item, descents))
            return CP_LIMIT;
        for (uint32_t i = 0; i < count && !has_collided(judgement); i++) {
            judgement->descents += !descents->late[i];
            note_distance(judge, descents->values + (size_t)i * descents->variables, descents->distances[i], judgement);
        }
    }
    return CP_OK;
}

cp_status judge_at_length(struct judge *judges, cp_context *context, uint32_t threads,
                          const struct body *const bodies[2], struct judgement *judgement)
{
    struct judge *judge = &judges[0];
    struct descents descents = {
        .judges = judges, .bodies = bodies, .key = judgement->key, .variables = judgement->variables};
    struct prover **provers = memory_allocate(context, threads, sizeof *provers);
    size_t room = (size_t)MOST_DESCENTS * judgement->variables;
    descents.values = memory_allocate(context, room, sizeof *descents.values);
    cp_status status = provers && descents.values ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < threads && status == CP_OK; i++) {
        provers[i] = &judges[i].prover;
        begin_pair(&judges[i], bodies);
    }
    /* Descents and proofs alternate as in judge_by_search: take the next of each. */
    struct proof_goal goal = {judge->margin, judgement->next_work};
    if (status == CP_OK)
        status = take_descents_at_length(&descents, context, descents_before(judge, goal.work), judgement);
    if (status == CP_OK && !has_collided(judgement)) {
        struct proof proof;
        status = prove_long(provers, context, &goal, judge->values, &proof);
        if (status == CP_OK)
            take_proof(judge, bodies, goal.work, &proof, judgement);
    }
    judgement->waits = judgement->next_work > 0 && !has_collided(judgement) && !judge_is_late(judge);
    if (status == CP_OK && judgement->status == JUDGED_UNDECIDED && !judgement->waits && !judge->in_loops)
        status = take_descents_at_length(&descents, context, judge->rules->descents, judgement);
    if (judgement->witnessed)
        judgement->status = JUDGED_SOMETIMES;
    bool late = false;
    for (uint32_t i = 0; i < threads && status == CP_OK; i++)
        late = late || judges[i].prover.is_late;
    bool waits_in_time = judgement->waits && can_end_early(&judge->rules->ending);
    judgement->is_cut = judgement->status == JUDGED_UNDECIDED && (waits_in_time || late);
    memory_free(context, descents.values, room, sizeof *descents.values);
    memory_free(context, provers, threads, sizeof *provers);
    return status;
}

/* ---- room ---- */

bool judge_open(struct judge *judge, cp_context *context, const struct judge_rules *rules, const struct bodies *bodies)
{
    *judge = (struct judge){.rules = rules};
    bool opened = chain_open(&judge->chain, context, bodies->scene, rules->movable) &&
                  prover_open(&judge->prover, context, judge->chain.most);
    judge->prover.ending = rules->ending;
    return opened && (judge->values = memory_allocate(context, judge->chain.most, sizeof *judge->values)) &&
           (judge->tries = memory_allocate(context, judge->chain.most, sizeof *judge->tries));
}

void judge_close(struct judge *judge, cp_context *context)
{
    memory_free(context, judge->values, judge->chain.most, sizeof *judge->values);
    memory_free(context, judge->tries, judge->chain.most, sizeof *judge->tries);
    prover_close(&judge->prover);
    chain_close(&judge->chain);
}

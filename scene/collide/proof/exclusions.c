#include "proof.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "collide/list/list.h"

/* ---- the pairs ---- */

/* A body by the name of its frame, for sorting. */
struct named_body {
    const char *name;
    uint32_t body;
};

static int compare_names(const void *a, const void *b)
{
    const struct named_body *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->body > right->body) - (left->body < right->body);
}

static cp_status list_pairs(struct exclusion_list *exclusions, cp_context *context, const bool *wanted)
{
    const struct bodies *bodies = &exclusions->bodies;
    /* All pairs, less those of two unwanted bodies. */
    uint32_t unwanted = 0;
    for (uint32_t i = 0; wanted && i < bodies->count; i++)
        unwanted += !wanted[bodies->items[i].node];
    uint64_t count = pairs_of(bodies->count) - pairs_of(unwanted), most = context->limits.pairs;
    if (count > most)
        return report_error(context, CP_LIMIT, "exclude-many-pairs", NOWHERE,
                            "%u frames that can collide make %llu pairs, more than the limit of %llu: judge those of "
                            "one device with only=, or raise it with --limit pairs=",
                            (unsigned)bodies->count, (unsigned long long)count, (unsigned long long)most);
    struct named_body *names = memory_allocate(context, bodies->count, sizeof *names);
    bool room =
        names && array_reserve(context, &exclusions->items, &exclusions->room, count, sizeof *exclusions->items);
    for (uint32_t i = 0; i < bodies->count && room; i++)
        names[i] = (struct named_body){bodies->scene->nodes[bodies->items[i].node].name, i};
    if (room && bodies->count > 0)
        qsort(names, bodies->count, sizeof *names, compare_names);
    for (uint32_t i = 0; i < bodies->count && room; i++)
        for (uint32_t k = i + 1; k < bodies->count; k++) {
            uint32_t one = names[i].body, other = names[k].body;
            if (wanted && !wanted[bodies->items[one].node] && !wanted[bodies->items[other].node])
                continue;
            exclusions->items[exclusions->count++] = (struct exclusion){.bodies = {one, other}};
        }
    memory_free(context, names, bodies->count, sizeof *names);
    return room ? CP_OK : CP_LIMIT;
}

/* ---- judging ---- */

struct work {
    cp_context *context;
    struct exclusion_list *exclusions;
    /* The pairs that need a search, in the lower half of each number. Pairs with more joints take longer, so they come
     * first: no thread then has one left at the end. With a deadline they come last, so that the easy ones are decided
     * by then. */
    uint64_t *open;
    uint32_t open_count;
    bool shortly;                     /* for a first round */
    _Atomic uint32_t done, undecided; /* of all pairs */
    struct judge *judges;             /* of the threads */
};

static void find_pair(const struct exclusion_list *exclusions, const struct exclusion *pair,
                      const struct body *bodies[2])
{
    for (int side = 0; side < 2; side++)
        bodies[side] = &exclusions->bodies.items[pair->bodies[side]];
}

static void show_progress(const struct work *work)
{
    context_progress(work->context, (cp_progress){.work = "exclude",
                                                  .done = work->done,
                                                  .total = work->exclusions->count,
                                                  .unit = "pairs",
                                                  .undecided = work->undecided});
}

static void judge_open_pair(void *user, uint32_t item, uint32_t worker)
{
    struct work *work = user;
    struct exclusion *pair = &work->exclusions->items[(uint32_t)work->open[item]];
    struct judge *judge = &work->judges[worker];
    const struct body *bodies[2];
    find_pair(work->exclusions, pair, bodies);
    if (worker == 0) /* the calling thread */
        show_progress(work);
    if (pair->judgement.known || pair->judgement.status == JUDGED_NEVER_PROVED || judge_is_late(judge))
        return;
    if (work->shortly) {
        work->done += judge_shortly(judge, bodies, &pair->judgement);
        return;
    }
    judge_by_search(judge, bodies, &pair->judgement);
    work->done += !pair->judgement.waits;
    work->undecided += !pair->judgement.waits && pair->judgement.status == JUDGED_UNDECIDED;
}

/* Judges the pairs that wait, each by all threads. Each of them takes one step before any takes its next one, which is
 * ten times as long. */
static cp_status judge_waiting(struct work *work, cp_context *context, uint32_t threads)
{
    cp_status status = CP_OK;
    for (uint32_t waiting = 1; waiting > 0 && status == CP_OK;) {
        waiting = 0;
        for (uint32_t i = 0; i < work->open_count && status == CP_OK && !judge_is_late(&work->judges[0]); i++) {
            struct exclusion *pair = &work->exclusions->items[(uint32_t)work->open[i]];
            const struct body *bodies[2];
            if (!pair->judgement.waits)
                continue;
            find_pair(work->exclusions, pair, bodies);
            show_progress(work);
            status = judge_at_length(work->judges, context, threads, bodies, &pair->judgement);
            waiting += pair->judgement.waits;
            work->done += !pair->judgement.waits;
            work->undecided += !pair->judgement.waits && pair->judgement.status == JUDGED_UNDECIDED;
        }
    }
    return status;
}

/* Searches, each thread at a pair of its own; then judges the pairs that wait for all threads. */
static cp_status judge_open_pairs(struct work *work, cp_context *context, uint32_t threads)
{
    work->shortly = work->judges[0].rules->ending.deadline > 0;
    if (work->shortly && !parallel_for(context, work->open_count, judge_open_pair, work))
        return CP_LIMIT;
    work->shortly = false;
    if (!parallel_for(context, work->open_count, judge_open_pair, work))
        return CP_LIMIT;
    return judge_waiting(work, context, threads);
}

/* ---- what an earlier run has decided ---- */

int known_pair_compare(const void *a, const void *b)
{
    uint64_t left = ((const struct known_pair *)a)->nodes, right = ((const struct known_pair *)b)->nodes;
    return (left > right) - (left < right);
}

/* Tells whether the witness gives a value for each joint of the chain, and no other. */
static bool fits(const struct frame_chain *chain, const cp_finding *finding)
{
    bool fits = finding->witness_count == chain->variable_count;
    for (uint32_t i = 0; i < chain->variable_count && fits; i++)
        fits = finding->witness[i].joint == chain->variables[i].joint;
    return fits;
}

/* Takes the judgement of an earlier run, if there is one; true then. chain: between the pair. Pairs in loops are judged
 * again: their witnesses are configurations of this run. */
static bool take_known(const struct known_pairs *known, const struct frame_chain *chain,
                       const struct body *const bodies[2], struct judgement *judgement)
{
    struct known_pair wanted = {.nodes = unordered_pair(bodies[0]->node, bodies[1]->node)};
    const struct known_pair *found =
        known && known->count > 0 ? bsearch(&wanted, known->items, known->count, sizeof wanted, known_pair_compare)
                                  : NULL;
    if (!found || judgement->in_loops || (found->finding.witness_count > 0 && !fits(chain, &found->finding)))
        return false;
    judgement->known = &found->finding;
    judgement->status = found->status;
    judgement->work = found->finding.work;
    judgement->samples = found->finding.samples;
    judgement->hits = found->finding.hits;
    judgement->descents = found->finding.descents;
    judgement->clearance = found->finding.clearance;
    judgement->witnessed = found->finding.witness_count > 0;
    judgement->is_cut = false;
    return true;
}

enum { PAIRS_A_LOOK = 1024 };

static cp_status judge_pairs(struct work *work, cp_context *context, uint32_t threads,
                             const struct exclusion_rules *all)
{
    struct exclusion_list *exclusions = work->exclusions;
    const struct body *bodies[2];
    const struct judge_rules *rules = work->judges[0].rules;
    const uint64_t most_joints = context->limits.pair_joints;
    uint64_t joints = 0;
    cp_status status = CP_OK;
    /* Decide the pairs that need no search. The others get random numbers by the names of their frames, so that their
     * order changes nothing. */
    for (uint32_t i = 0; i < exclusions->count && status == CP_OK; i++) {
        struct exclusion *pair = &exclusions->items[i];
        uint64_t words[3] = {all->seed};
        find_pair(exclusions, pair, bodies);
        if (i % PAIRS_A_LOOK == 0)
            show_progress(work);
        status = judge_at_once(&work->judges[0], context, bodies, &pair->judgement);
        for (int side = 0; side < 2; side++) {
            const char *name = exclusions->bodies.scene->nodes[bodies[side]->node].name;
            words[1 + side] = hash_content(name, strlen(name));
        }
        pair->judgement.key = hash_content(words, sizeof words);
        if (pair->judgement.status != JUDGED_UNDECIDED) {
            work->done++;
            continue;
        }
        if (take_known(all->known, &work->judges[0].chain, bodies, &pair->judgement))
            work->done++;
        /* A search looks at all joints between the two, again and again: with n frames one behind the other, n^3 / 6
         * for all pairs. */
        joints += work->judges[0].chain.motion_count;
        if (joints > most_joints)
            return report_error(context, CP_LIMIT, "exclude-many-joints", NOWHERE,
                                "the joints between the frames of all pairs are more than the limit of %llu: judge the "
                                "pairs of one device with only=, or raise it with --limit pair-joints=",
                                (unsigned long long)most_joints);
        uint32_t joints_first = UINT32_MAX - pair->judgement.variables;
        work->open[work->open_count++] =
            (uint64_t)(rules->ending.deadline > 0 ? pair->judgement.variables : joints_first) << 32 | i;
        exclusions->witness_room += pair->judgement.variables;
    }
    if (status != CP_OK)
        return status;
    double *witness = memory_allocate(context, exclusions->witness_room, sizeof *witness);
    exclusions->witnesses = witness;
    if (!witness)
        return CP_LIMIT;
    sort_numbers(work->open, work->open_count);
    for (uint32_t i = 0; i < work->open_count; i++) {
        struct judgement *judgement = &exclusions->items[(uint32_t)work->open[i]].judgement;
        judgement->witness = witness;
        for (uint32_t k = 0; judgement->witnessed && judgement->known && k < judgement->variables; k++)
            witness[k] = judgement->known->witness[k].value;
        witness += judgement->variables;
    }
    return judge_open_pairs(work, context, threads);
}

cp_status exclusions_open(struct exclusion_list *exclusions, cp_context *context, const cp_scene *scene)
{
    *exclusions = (struct exclusion_list){0};
    return bodies_find(&exclusions->bodies, context, scene);
}

/* Finds configurations for pairs in loops, which have no other samples. It asks for as many as a pair without loops has
 * samples and searches. */
static cp_status find_configurations(struct exclusion_list *exclusions, cp_context *context,
                                     const struct exclusion_rules *rules)
{
    const struct judge_rules *judge = &rules->judge;
    uint64_t wanted = (uint64_t)judge->samples + judge->descents;
    wanted = judge->always_samples > wanted ? judge->always_samples : wanted;
    wanted = wanted < MOST_CONFIGURATIONS ? wanted : MOST_CONFIGURATIONS;
    return configurations_find(&exclusions->configurations, context, exclusions->bodies.scene, (uint32_t)wanted,
                               rules->seed, &judge->ending);
}

cp_status exclusions_find(struct exclusion_list *exclusions, cp_context *context, const struct exclusion_rules *rules)
{
    cp_status status = list_pairs(exclusions, context, rules->wanted);
    if (status == CP_OK)
        status = bodies_find_hulls(&exclusions->bodies);
    if (status == CP_OK)
        status = find_configurations(exclusions, context, rules);
    if (status != CP_OK)
        return status;
    struct judge_rules judge = rules->judge;
    judge.configurations = &exclusions->configurations;
    uint32_t threads = parallel_workers(context, UINT32_MAX), opened = 0; /* also where there are fewer pairs */
    struct work work = {.context = context,
                        .exclusions = exclusions,
                        .open = memory_allocate(context, exclusions->count, sizeof *work.open),
                        .judges = memory_allocate(context, threads, sizeof *work.judges)};
    bool room = work.judges && work.open;
    while (room && opened < threads)
        room = judge_open(&work.judges[opened++], context, &judge, &exclusions->bodies);
    status = room ? judge_pairs(&work, context, threads, rules) : CP_LIMIT;
    while (opened > 0)
        judge_close(&work.judges[--opened], context);
    memory_free(context, work.judges, threads, sizeof *work.judges);
    memory_free(context, work.open, exclusions->count, sizeof *work.open);
    return status;
}

void exclusions_free(struct exclusion_list *exclusions, cp_context *context)
{
    memory_free(context, exclusions->items, exclusions->room, sizeof *exclusions->items);
    memory_free(context, exclusions->witnesses, exclusions->witness_room, sizeof *exclusions->witnesses);
    configurations_free(&exclusions->configurations);
    bodies_free(&exclusions->bodies);
    *exclusions = (struct exclusion_list){0};
}

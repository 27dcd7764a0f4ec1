#include "exclusions.h"

#include <stdlib.h>
#include <string.h>

#include "../../context.h"
#include "../../numbers.h"
#include "../../parallel.h"

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

static bool is_wanted(const struct exclusion_rules *rules, const struct bodies *bodies, uint32_t one, uint32_t other)
{
    return !rules->wanted || rules->wanted[bodies->items[one].node] || rules->wanted[bodies->items[other].node];
}

static cp_status add_pair(struct exclusions *exclusions, cp_context *context, uint32_t one, uint32_t other)
{
    if (!array_reserve(context, &exclusions->items, &exclusions->room, exclusions->count + UINT64_C(1),
                       sizeof *exclusions->items))
        return CP_LIMIT;
    exclusions->items[exclusions->count++] = (struct exclusion){.bodies = {one, other}};
    return CP_OK;
}

static cp_status list_pairs(struct exclusions *exclusions, cp_context *context, const struct exclusion_rules *rules)
{
    const struct bodies *bodies = &exclusions->bodies;
    struct named_body *names = memory_allocate(context, bodies->count, sizeof *names);
    cp_status status = names ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < bodies->count && names; i++)
        names[i] = (struct named_body){bodies->scene->nodes[bodies->items[i].node].name, i};
    if (names && bodies->count > 0)
        qsort(names, bodies->count, sizeof *names, compare_names);
    for (uint32_t i = 0; i < bodies->count && status == CP_OK; i++)
        for (uint32_t k = i + 1; k < bodies->count && status == CP_OK; k++)
            if (is_wanted(rules, bodies, names[i].body, names[k].body))
                status = add_pair(exclusions, context, names[i].body, names[k].body);
    memory_free(context, names, bodies->count, sizeof *names);
    return status;
}

/* ---- judging ---- */

struct work {
    cp_context *context;
    struct exclusions *exclusions;
    const struct exclusion_rules *rules;
    uint64_t
        *open; /* the pairs that need a search, in the lower half; those with more joints, which take longer, first */
    uint32_t open_count;
    struct judge *judges; /* of the threads */
    uint32_t thread_count;
};

static void find_pair(const struct exclusions *exclusions, const struct exclusion *pair, const struct body *bodies[2])
{
    for (int side = 0; side < 2; side++)
        bodies[side] = &exclusions->bodies.items[pair->bodies[side]];
}

static uint64_t pair_seed(const struct work *work, const struct body *const bodies[2])
{
    const cp_scene *scene = work->exclusions->bodies.scene;
    uint64_t words[3] = {work->rules->seed};
    for (int side = 0; side < 2; side++) {
        const char *name = scene->nodes[bodies[side]->node].name;
        words[1 + side] = hash_content(name, strlen(name));
    }
    return hash_content(words, sizeof words);
}

static cp_status judge_all_at_once(struct work *work, cp_context *context)
{
    struct exclusions *exclusions = work->exclusions;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < exclusions->count && status == CP_OK; i++) {
        struct exclusion *pair = &exclusions->items[i];
        const struct body *bodies[2];
        find_pair(exclusions, pair, bodies);
        status = judge_at_once(&work->judges[0], context, bodies, &pair->judgement);
        pair->judgement.key = pair_seed(work, bodies);
        if (pair->judgement.status != JUDGED_UNDECIDED)
            continue;
        work->open[work->open_count++] = (uint64_t)(UINT32_MAX - pair->judgement.variables) << 32 | i;
        exclusions->witness_room += pair->judgement.variables;
    }
    return status;
}

static cp_status make_witnesses(struct exclusions *exclusions, cp_context *context)
{
    size_t used = 0;
    exclusions->witnesses = memory_allocate(context, exclusions->witness_room, sizeof *exclusions->witnesses);
    for (uint32_t i = 0; i < exclusions->count && exclusions->witnesses; i++) {
        struct judgement *judgement = &exclusions->items[i].judgement;
        if (judgement->status != JUDGED_UNDECIDED)
            continue;
        judgement->witness = exclusions->witnesses + used;
        used += judgement->variables;
    }
    return exclusions->witnesses ? CP_OK : CP_LIMIT;
}

static void judge_open_pair(void *user, uint32_t item, uint32_t worker)
{
    const struct work *work = user;
    struct exclusion *pair = &work->exclusions->items[(uint32_t)work->open[item]];
    const struct body *bodies[2];
    find_pair(work->exclusions, pair, bodies);
    if (worker == 0) /* the calling thread */
        context_progress(work->context, (cp_progress){"exclude", NULL, item, work->open_count});
    judge_by_search(&work->judges[worker], bodies, &pair->judgement);
}

static cp_status judge_waiting(struct work *work, cp_context *context)
{
    cp_status status = CP_OK;
    uint32_t count = 0, done = 0;
    for (uint32_t i = 0; i < work->exclusions->count; i++)
        count += work->exclusions->items[i].judgement.waits;
    for (uint32_t i = 0; done < count && status == CP_OK; i++) {
        struct exclusion *pair = &work->exclusions->items[i];
        const struct body *bodies[2];
        find_pair(work->exclusions, pair, bodies);
        if (!pair->judgement.waits)
            continue;
        context_progress(context, (cp_progress){"exclude: long proofs", NULL, done++, count});
        status = judge_at_length(work->judges, context, work->thread_count, bodies, &pair->judgement);
    }
    return status;
}

static cp_status judge_pairs(struct work *work, cp_context *context)
{
    cp_status status = judge_all_at_once(work, context);
    if (status == CP_OK)
        status = make_witnesses(work->exclusions, context);
    if (status != CP_OK)
        return status;
    sort_numbers(work->open, work->open_count);
    if (!parallel_for(context, work->open_count, judge_open_pair, work))
        return CP_LIMIT;
    return judge_waiting(work, context);
}

static cp_status judge_by_threads(struct work *work, cp_context *context)
{
    struct exclusions *exclusions = work->exclusions;
    uint32_t threads = parallel_workers(context, UINT32_MAX), opened = 0; /* also where there are fewer pairs */
    work->thread_count = threads;
    work->judges = memory_allocate(context, threads, sizeof *work->judges);
    work->open = memory_allocate(context, exclusions->count, sizeof *work->open);
    bool room = work->judges && work->open;
    while (room && opened < threads)
        room = judge_open(&work->judges[opened++], context, &work->rules->judge, &exclusions->bodies);
    cp_status status = room ? judge_pairs(work, context) : CP_LIMIT;
    while (opened > 0)
        judge_close(&work->judges[--opened], context);
    memory_free(context, work->judges, threads, sizeof *work->judges);
    memory_free(context, work->open, exclusions->count, sizeof *work->open);
    return status;
}

cp_status exclusions_open(struct exclusions *exclusions, cp_context *context, const cp_scene *scene)
{
    *exclusions = (struct exclusions){0};
    return bodies_find(&exclusions->bodies, context, scene);
}

cp_status exclusions_find(struct exclusions *exclusions, cp_context *context, const struct exclusion_rules *rules)
{
    struct work work = {.context = context, .exclusions = exclusions, .rules = rules};
    cp_status status = bodies_find_hulls(&exclusions->bodies);
    if (status == CP_OK)
        status = list_pairs(exclusions, context, rules);
    return status == CP_OK ? judge_by_threads(&work, context) : status;
}

void exclusions_free(struct exclusions *exclusions, cp_context *context)
{
    memory_free(context, exclusions->items, exclusions->room, sizeof *exclusions->items);
    memory_free(context, exclusions->witnesses, exclusions->witness_room, sizeof *exclusions->witnesses);
    bodies_free(&exclusions->bodies);
    *exclusions = (struct exclusions){0};
}

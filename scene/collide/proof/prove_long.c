/* Boxes are worked on in rounds: MOST_ITEMS of those that wait, by several threads, each for a while, MOST_SLICE
 * bounds; the more items, the less a thread waits for the last one. What is left of them waits for a later round. So it
 * does not depend on the threads which boxes are looked at. */
#include <math.h>
#include <string.h>

#include "../../parallel.h"
#include "prove.h"

enum { MOST_ITEMS = 64, MOST_SLICE = 1000 };

/* A box that is worked on, and what comes out. */
struct item {
    double *boxes;  /* room for what a prover leaves: with each bound there is one box more, at most */
    double *values; /* the middle of the last box */
    uint32_t box_count;
    struct proof proof;
};

struct rounds {
    struct prover *const *provers;
    cp_context *context;
    struct proof_task task;
    double *boxes; /* the waiting ones */
    uint32_t box_count, box_room;
    struct item items[MOST_ITEMS];
    uint64_t slice; /* bounds of an item in this round */
    double *item_boxes, *item_values;
};

/* All provers are at work for the same bodies. */
static const struct prover *any_prover(const struct rounds *rounds)
{
    return rounds->provers[0];
}

static void work_on_item(void *user, uint32_t index, uint32_t worker)
{
    struct rounds *rounds = user;
    struct item *item = &rounds->items[index];
    struct prover *prover = rounds->provers[worker];
    size_t size = prover->box_size * sizeof *item->boxes;
    prover_begin(prover, prover->chain, prover->bodies);
    memcpy(prover->boxes, item->boxes, size);
    prover->box_count = 1;
    struct proof proof = {.nearest = INFINITY}; /* not the item's, next to which another thread writes */
    proof.end = prover_run(prover, &rounds->task, rounds->slice, item->values, &proof);
    item->proof = proof;
    item->box_count = prover->box_count;
    memcpy(item->boxes, prover->boxes, item->box_count * size);
}

static bool push_boxes(struct rounds *rounds, const double *boxes, uint32_t count)
{
    uint32_t size = any_prover(rounds)->box_size;
    if (!array_reserve(rounds->context, &rounds->boxes, &rounds->box_room, ((uint64_t)rounds->box_count + count) * size,
                       sizeof *rounds->boxes))
        return false;
    memcpy(rounds->boxes + (size_t)rounds->box_count * size, boxes, (size_t)count * size * sizeof *boxes);
    rounds->box_count += count;
    return true;
}

/* left: work, at least 1. */
static uint32_t take_items(struct rounds *rounds, uint64_t left)
{
    uint32_t size = any_prover(rounds)->box_size, count = 0;
    for (; count < MOST_ITEMS && count < left && rounds->box_count > 0; count++) {
        const double *box = rounds->boxes + (size_t)--rounds->box_count * size;
        memcpy(rounds->items[count].boxes, box, size * sizeof *box);
    }
    uint64_t slice = MOST_SLICE * count / MOST_ITEMS; /* few boxes are soon more, which more threads can share */
    rounds->slice = left / count < slice ? left / count : slice;
    return count;
}

/* What the items say together. The boxes that are left of them wait, those of the first one last, so that they come
 * first. */
static cp_status join_items(struct rounds *rounds, uint32_t count, double *values, struct proof *proof)
{
    uint32_t variables = any_prover(rounds)->chain->variable_count;
    proof->end = PROOF_FREE;
    for (uint32_t i = count; i-- > 0;) {
        const struct item *item = &rounds->items[i];
        proof->work += item->proof.work;
        proof->nearest = fmin(proof->nearest, item->proof.nearest);
        if (item->proof.end == PROOF_HIT) {
            proof->end = PROOF_HIT;
            memcpy(values, item->values, variables * sizeof *values);
        } else if (item->proof.end == PROOF_UNDECIDED && item->box_count == 0 && proof->end == PROOF_FREE) {
            proof->end = PROOF_UNDECIDED; /* its boxes were too many */
        }
        if (!push_boxes(rounds, item->boxes, item->box_count))
            return CP_LIMIT;
    }
    return CP_OK;
}

static cp_status run_rounds(struct rounds *rounds, uint64_t most, double *values, struct proof *proof)
{
    cp_status status = CP_OK;
    while (status == CP_OK && proof->end == PROOF_FREE && rounds->box_count > 0) {
        if (proof->work >= most) {
            proof->end = PROOF_UNDECIDED;
            break;
        }
        uint32_t count = take_items(rounds, most - proof->work);
        bool done = parallel_for(rounds->context, count, work_on_item, rounds);
        status = done ? join_items(rounds, count, values, proof) : CP_LIMIT;
    }
    return status;
}

static cp_status prove_tasks(struct rounds *rounds, const struct proof_goal *goal, double *values, struct proof *proof)
{
    struct prover *first = rounds->provers[0];
    cp_status status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && proof->end == PROOF_FREE &&
                         proof_task_at(first->chain, first->bodies, goal->clearance, i, &rounds->task);
         i++) {
        prover_begin(first, first->chain, first->bodies);
        rounds->box_count = 0;
        if (rounds->task.is_empty)
            continue;
        prover_push_all(first);
        status = push_boxes(rounds, first->boxes, 1) ? run_rounds(rounds, goal->work, values, proof) : CP_LIMIT;
    }
    return status;
}

cp_status prove_long(struct prover *const *provers, cp_context *context, const struct proof_goal *goal, double *values,
                     struct proof *proof)
{
    uint32_t most = provers[0]->box_room < MOST_SLICE + 1 ? provers[0]->box_room : MOST_SLICE + 1;
    size_t boxes = (size_t)most * provers[0]->box_size, line = 64 / sizeof(double); /* of the processor's cache */
    size_t row = provers[0]->chain->variable_count + line;
    struct rounds rounds = {.provers = provers,
                            .context = context,
                            .item_boxes = memory_allocate(context, MOST_ITEMS * boxes, sizeof(double)),
                            .item_values = memory_allocate(context, MOST_ITEMS * row, sizeof(double))};
    bool room = rounds.item_boxes && rounds.item_values;
    for (uint32_t i = 0; i < MOST_ITEMS && room; i++) {
        rounds.items[i].boxes = rounds.item_boxes + i * boxes;
        rounds.items[i].values = rounds.item_values + i * row;
    }
    *proof = (struct proof){.end = PROOF_FREE, .nearest = INFINITY};
    if (!proof_is_possible(provers[0]->chain, provers[0]->bodies))
        proof->end = PROOF_UNDECIDED;
    cp_status status = room ? prove_tasks(&rounds, goal, values, proof) : CP_LIMIT;
    memory_free(context, rounds.item_boxes, MOST_ITEMS * boxes, sizeof(double));
    memory_free(context, rounds.item_values, MOST_ITEMS * row, sizeof(double));
    memory_free(context, rounds.boxes, rounds.box_room, sizeof *rounds.boxes);
    return status;
}

/* Checks very many random cases, in as many threads as there are processors; the cases are the same for any number of
 * them. */
#ifndef CELLPIPE_NUMBER_PROOF_H
#define CELLPIPE_NUMBER_PROOF_H

#include <unistd.h>

#include "base/base.h"
#include "fixture.h"
#include "plain_numbers.h"

enum { BLOCK_CASES = 5000, FAILURE_SIZE = 1400, MOST_WORKERS = 16 };

/* A block of cases in one thread. */
struct block {
    uint64_t index, random; /* the number of the case; the state that it draws from */
    char *failure;          /* FAILURE_SIZE bytes; "" while all is well */
};

/* Checks case block->index; says in block->failure what is wrong with it. */
typedef void check_case(struct block *block);

struct proof {
    check_case *check;
    uint64_t count;
    char failures[MOST_WORKERS][FAILURE_SIZE];
};

static inline uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* splitmix64: any start will do. */
static inline uint64_t draw(struct block *block)
{
    block->random += UINT64_C(0x9e3779b97f4a7c15);
    return mix(block->random);
}

static inline unsigned draw_below(struct block *block, unsigned bound)
{
    return (unsigned)(draw(block) >> 32) % bound;
}

static void check_block(void *user, uint32_t item, uint32_t worker)
{
    struct proof *proof = user;
    struct block block = {
        .index = (uint64_t)item * BLOCK_CASES, .random = mix(item), .failure = proof->failures[worker]};
    uint64_t end = block.index + BLOCK_CASES < proof->count ? block.index + BLOCK_CASES : proof->count;
    for (; block.index < end && !*block.failure; block.index++)
        proof->check(&block);
}

static void prove(check_case *check, uint64_t count)
{
    static struct proof proof;
    memset(&proof, 0, sizeof proof);
    proof.check = check;
    proof.count = count;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    cp_context *context = cp_context_new(NULL);
    uint32_t threads = processors < 1 ? 1 : processors > MOST_WORKERS ? MOST_WORKERS : (uint32_t)processors;
    assert_int_equal(cp_set_threads(context, threads), CP_OK);
    assert_non_null(plain_locale()); /* made once, before there are threads */
    assert_true(parallel_for(context, (uint32_t)((count + BLOCK_CASES - 1) / BLOCK_CASES), check_block, &proof));
    cp_context_free(context);
    for (int i = 0; i < MOST_WORKERS; i++)
        if (*proof.failures[i])
            fail_msg("%s", proof.failures[i]);
}

#endif

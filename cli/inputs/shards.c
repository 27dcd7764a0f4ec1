/* Divides inputs among shards. */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

const char *const balance_names[] = {"size", "hash", NULL};

cp_status shard_parse(struct cli *cli, const char *shard, struct shard *result)
{
    if (!shard)
        return CP_OK;
    uint64_t numbers[2] = {0};
    const char *at = shard;
    bool good = true;
    for (int i = 0; i < 2; i++) {
        const char *begin = at;
        for (; is_digit(*at) && at - begin < 9; at++)
            numbers[i] = 10 * numbers[i] + (uint64_t)(*at - '0');
        good = good && at > begin && *at == "/"[i];
        at += i == 0 && good;
    }
    if (!good || numbers[0] >= numbers[1])
        return complain(cli, CP_USAGE, "--shard %s: needs I/N, with I from 0 to N - 1, such as 0/64", shard);
    result->index = (uint32_t)numbers[0];
    result->count = (uint32_t)numbers[1];
    return CP_OK;
}

/* Returns the entry's weight. To open a file takes as long as to read so many bytes, so small ones have a weight,
 * too. */
static uint64_t weight_of(const struct entry *entry)
{
    uint64_t weight = 65536 + entry->size;
    for (uint32_t i = 0; entry->scan && i < entry->scan->input_count; i++) {
        uint64_t more = entry->scan->inputs[i].size;
        weight = more > UINT64_MAX / 2 - weight % (UINT64_MAX / 2) ? UINT64_MAX / 2 : weight + more;
    }
    return weight;
}

struct weighed {
    uint64_t weight;
    uint32_t entry;
};

static int compare_weights(const void *a, const void *b)
{
    const struct weighed *first = a, *second = b;
    return first->weight != second->weight ? (first->weight < second->weight ? 1 : -1)
           : first->entry != second->entry ? (first->entry < second->entry ? -1 : 1)
                                           : 0;
}

struct load {
    uint64_t weight;
    uint32_t shard;
};

static bool is_lighter(const struct load *a, const struct load *b)
{
    return a->weight != b->weight ? a->weight < b->weight : a->shard < b->shard;
}

/* Restores the heap after its first has grown. */
static void sink_first(struct load *heap, uint32_t count)
{
    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_lighter(&heap[child + 1], &heap[child]);
        if (!is_lighter(&heap[child], &heap[at]))
            return;
        struct load moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

/* Gives each entry, the heaviest first, to the shard that has least so far: shards differ by one entry's weight at
 * most. Graham, "Bounds on multiprocessing timing anomalies", 1969. */
static cp_status assign_by_size(struct cli *cli, const struct entries *entries, uint32_t count, uint32_t *shards)
{
    struct weighed *weighed = memory_allocate(cli->context, entries->count, sizeof *weighed);
    uint32_t used = count < entries->count ? count : entries->count; /* the others stay empty */
    struct load *heap = memory_allocate(cli->context, used, sizeof *heap);
    for (uint32_t i = 0; weighed && i < entries->count; i++)
        weighed[i] = (struct weighed){weight_of(&entries->items[i]), i};
    for (uint32_t i = 0; heap && i < used; i++)
        heap[i] = (struct load){0, i};
    if (weighed && entries->count > 1)
        qsort(weighed, entries->count, sizeof *weighed, compare_weights);
    for (uint32_t i = 0; weighed && heap && i < entries->count; i++) {
        shards[weighed[i].entry] = heap[0].shard;
        heap[0].weight += weighed[i].weight;
        sink_first(heap, used);
    }
    cp_status status = weighed && heap ? CP_OK : CP_LIMIT;
    memory_free(cli->context, weighed, entries->count, sizeof *weighed);
    memory_free(cli->context, heap, used, sizeof *heap);
    return status;
}

cp_status assign_shards(struct cli *cli, const struct entries *entries, uint32_t count, int balance, uint32_t *shards)
{
    if (balance == BALANCE_SIZE)
        return assign_by_size(cli, entries, count, shards);
    for (uint32_t i = 0; i < entries->count; i++) {
        const char *name = entries->items[i].name;
        shards[i] = (uint32_t)(cp_hash_bytes(name, strlen(name)).low % count);
    }
    return CP_OK;
}

cp_status select_shard(struct cli *cli, struct entries *entries, struct shard shard)
{
    uint32_t count = entries->count;
    if (shard.count == 0)
        return CP_OK;
    uint32_t *shards = memory_allocate(cli->context, count, sizeof *shards);
    bool *chosen = memory_allocate_zeroed(cli->context, count, sizeof *chosen);
    cp_status status = shards && chosen ? assign_shards(cli, entries, shard.count, shard.balance, shards) : CP_LIMIT;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        chosen[i] = shards[i] == shard.index;
    if (status == CP_OK)
        entries_keep(entries, chosen);
    memory_free(cli->context, shards, count, sizeof *shards);
    memory_free(cli->context, chosen, count, sizeof *chosen);
    return status;
}

/* Work in several threads: they take the items one after the other, so that uneven ones even out. */
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#include "context.h"

struct job {
    parallel_work *work;
    void *user;
    uint32_t item_count;
    _Atomic uint32_t next; /* the item to be taken; beyond item_count once all are, or the job is cancelled */
};

struct worker {
    pthread_t thread;
    struct job *job;
    uint32_t number;
};

/* False when none is left. */
static bool take_item(struct job *job, uint32_t *item)
{
    *item = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    return *item < job->item_count;
}

static void *run_worker(void *user)
{
    const struct worker *worker = user;
    struct job *job = worker->job;
    for (uint32_t item; take_item(job, &item);)
        job->work(job->user, item, worker->number);
    return NULL;
}

/* The calling thread's share; it alone may ask whether to go on. */
static bool run_caller(cp_context *context, struct job *job)
{
    for (uint32_t item; !context_is_cancelled(context);) {
        if (!take_item(job, &item))
            return true;
        job->work(job->user, item, 0);
    }
    atomic_store_explicit(&job->next, job->item_count, memory_order_relaxed);
    return false;
}

uint32_t parallel_workers(const cp_context *context, uint32_t item_count)
{
    uint32_t most = context->threads < CP_MOST_THREADS ? context->threads : CP_MOST_THREADS;
    return item_count < most ? (item_count > 0 ? item_count : 1) : most;
}

bool parallel_for(cp_context *context, uint32_t item_count, parallel_work *work, void *user)
{
    struct job job = {.work = work, .user = user, .item_count = item_count};
    struct worker workers[CP_MOST_THREADS];
    uint32_t wanted = parallel_workers(context, item_count), started = 1;
    for (; started < wanted; started++) {
        workers[started] = (struct worker){.job = &job, .number = started};
        if (pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]) != 0)
            break; /* fewer threads do the same work */
    }
    bool done = run_caller(context, &job);
    for (uint32_t i = 1; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
    return done;
}

/* Does work in several threads. Each thread takes the next item when it has finished one, so that items of uneven size
 * balance out. */
#include "base.h"

#include <pthread.h>
#include <stdatomic.h>

#include "context.h"

struct job {
    parallel_work *work;
    void *user;
    uint32_t item_count;
    _Atomic uint32_t next; /* the next item; item_count or more once all are taken, or the job is cancelled */
};

struct worker {
    pthread_t thread;
    struct job *job;
    uint32_t number;
};

/* Takes the next item; returns false if none is left. */
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
    /* The calling thread does its share. It alone may ask whether the call is cancelled. */
    bool cancelled = context_is_cancelled(context);
    for (uint32_t item; !cancelled && take_item(&job, &item); cancelled = context_is_cancelled(context))
        work(user, item, 0);
    if (cancelled)
        atomic_store_explicit(&job.next, item_count, memory_order_relaxed);
    for (uint32_t i = 1; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
    return !cancelled;
}

/* ---- results in order ---- */

struct line {
    parallel_work *make;
    void *user;
    uint32_t item_count, slot_count;
    pthread_mutex_t lock;    /* of what follows */
    pthread_cond_t has_room; /* a slot has become free, or the line ends */
    pthread_cond_t is_made;  /* the result that is consumed next is ready */
    uint32_t begun, consumed;
    bool ready[MOST_SLOTS];
    bool ended;
};

static bool line_has_room(const struct line *line)
{
    return line->begun < line->item_count && line->begun - line->consumed < line->slot_count;
}

/* Makes the next item. The lock is held before and after, and released meanwhile. */
static void make_next(struct line *line)
{
    uint32_t item = line->begun++, slot = item % line->slot_count;
    (void)pthread_mutex_unlock(&line->lock);
    line->make(line->user, item, slot);
    (void)pthread_mutex_lock(&line->lock);
    line->ready[slot] = true;
    if (item == line->consumed)
        (void)pthread_cond_signal(&line->is_made);
}

static void *run_maker(void *user)
{
    struct line *line = user;
    (void)pthread_mutex_lock(&line->lock);
    while (!line->ended && line->begun < line->item_count) {
        if (line_has_room(line))
            make_next(line);
        else
            (void)pthread_cond_wait(&line->has_room, &line->lock);
    }
    (void)pthread_mutex_unlock(&line->lock);
    return NULL;
}

/* Returns two slots for each thread, so that a thread can begin its next item while its last result waits for an
 * earlier one. */
uint32_t parallel_slots(const cp_context *context, uint32_t item_count)
{
    uint32_t workers = parallel_workers(context, item_count), slots = workers > 1 ? 2 * workers : 1;
    uint32_t most = item_count > 0 && item_count < MOST_SLOTS ? item_count : MOST_SLOTS;
    return slots < most ? slots : most;
}

bool parallel_in_order(cp_context *context, uint32_t item_count, parallel_work *make, parallel_consume *consume,
                       void *user)
{
    struct line line = {.make = make,

                        .user = user,
                        .item_count = item_count,
                        .slot_count = parallel_slots(context, item_count),
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .has_room = PTHREAD_COND_INITIALIZER,
                        .is_made = PTHREAD_COND_INITIALIZER};
    pthread_t threads[MOST_SLOTS];
    uint32_t wanted = parallel_workers(context, item_count), started = 1;
    for (; started < wanted && started < line.slot_count; started++)
        if (pthread_create(&threads[started], NULL, run_maker, &line) != 0)
            break; /* fewer threads do the same work */
    /* The calling thread consumes what is ready; otherwise it makes an item that nobody has begun. */
    (void)pthread_mutex_lock(&line.lock);
    while (!line.ended && line.consumed < item_count) {
        uint32_t item = line.consumed, slot = item % line.slot_count;
        if (line.ready[slot]) {
            (void)pthread_mutex_unlock(&line.lock);
            bool goes_on = !context_is_cancelled(context) && consume(user, item, slot);
            (void)pthread_mutex_lock(&line.lock);
            line.ready[slot] = false;
            line.consumed++;
            line.ended = !goes_on;
            (void)pthread_cond_broadcast(&line.has_room);
        } else if (line_has_room(&line)) {
            make_next(&line);
        } else {
            (void)pthread_cond_wait(&line.is_made, &line.lock);
        }
    }
    bool done = !line.ended;
    line.ended = true;
    (void)pthread_cond_broadcast(&line.has_room);
    (void)pthread_mutex_unlock(&line.lock);
    for (uint32_t i = 1; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_mutex_destroy(&line.lock);
    (void)pthread_cond_destroy(&line.has_room);
    (void)pthread_cond_destroy(&line.is_made);
    return done;
}

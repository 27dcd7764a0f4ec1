/* The supervisor: hands entries to workers, makes sure that none takes too long, and records the outcome of each. It
 * parses nothing. A worker that dies costs only the entry at which it was. */
#include "many.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    AHEAD = 2,            /* entries of a worker: the present one, and the next, so that it never waits */
    MOST_FILES = 1000,    /* a worker lives for so many inputs: a library's leaks end with it */
    PATIENCE = 2500,      /* milliseconds that workers get to end after a signal, or when they get no more entries */
    LONGEST_WAIT = 200,   /* milliseconds between updates of the progress */
    LEAST_PART = 64 << 20 /* bytes: of less memory, fewer workers get parts */
};

struct worker {
    cp_process process; /* entries there, answers back */
    uint32_t entries[AHEAD];
    uint32_t count, files;
    uint64_t begun;  /* the begin of the first of the entries, in milliseconds */
    bool overdue;    /* it was killed for the time */
    bool is_told;    /* somebody else has told it to end, which it does */
    bool is_leaving; /* it gets no more entries */
    struct buffer answer;
};

struct supervisor {
    const struct batch_request *asked;
    const struct batch_site *site;
    struct state *state;
    struct batch_work *work;
    struct journal *journal;
    struct worker *workers;
    uint32_t worker_count;
    uint32_t left;   /* entries that no worker has */
    uint32_t next;   /* the first entry that was not yet considered */
    uint32_t *again; /* entries that dead workers had not begun */
    uint32_t again_count, again_room;
    uint32_t *aside; /* entries that may do with more memory: they are tried again at the end by fewer workers */
    uint32_t aside_count, aside_room;
    bool was_killed;       /* somebody else has killed the worker of one of them */
    bool is_alone;         /* the last of these attempts is made, by one worker */
    bool is_short;         /* an entry has a part of the memory that it may have in the end */
    struct arena *scratch; /* of one task */
    bool stopping;
    uint64_t deadline; /* while it is stopping: then workers are killed */
    cp_status outcome;
};

/* ---- entries ---- */

static bool needs_worker(const struct batch_work *work, uint32_t entry)
{
    return work->deeds[entry] == DEED_CONVERT || work->deeds[entry] == DEED_CHECK;
}

/* Takes the next entry; returns false if none is left. */
static bool next_entry(struct supervisor *own, uint32_t *entry)
{
    if (own->left == 0)
        return false;
    own->left--;
    if (own->again_count > 0) {
        *entry = own->again[--own->again_count];
        return true;
    }
    while (!needs_worker(own->work, own->next))
        own->next++;
    *entry = own->next++;
    return true;
}

/* Begins no more entries: a signal came, or the status cannot be written. */
static void stop(struct supervisor *own)
{
    if (own->stopping)
        return;
    own->stopping = true;
    own->deadline = milliseconds() + PATIENCE;
    if (was_interrupted())
        (void)alarm(2 * PATIENCE / 1000); /* the handler has set a shorter one, but the sweep needs time */
    for (uint32_t i = 0; i < own->worker_count; i++)
        if (own->workers[i].process.id > 0)
            (void)kill(own->workers[i].process.id, SIGTERM);
}

static void keep_outcome(struct supervisor *own, cp_status status)
{
    if (status == CP_OK || own->outcome != CP_OK)
        return;
    own->outcome = status;
    stop(own);
}

/* ---- workers ---- */

static void run_worker(void *user, int channel)
{
    struct supervisor *own = user;
    /* A worker that held the ends of others would hide from them that the supervisor is gone. */
    for (uint32_t i = 0; i < own->worker_count; i++)
        if (own->workers[i].process.id > 0)
            cp_process_leave(&own->workers[i].process);
    (void)close(own->journal->file); /* and with these it would hold their locks */
    if (own->site->lock >= 0)
        (void)close(own->site->lock);
    worker_life(own->asked, own->site, own->work, channel);
}

static bool start_worker(struct supervisor *own, struct worker *worker)
{
    (void)fflush(NULL);
    worker->answer.context = own->site->cli->context;
    return cp_process_start(&worker->process, false, run_worker, own);
}

/* Finds what is known of the entry's output; *past is NULL if that is nothing. */
static cp_status find_past(struct supervisor *own, const char *out, struct record *record, const struct record **past)
{
    cp_status status = !out ? CP_LIMIT : own->state ? state_find(own->state, out, record) : CP_NO;
    *past = status == CP_OK ? record : NULL;
    return status == CP_NO ? CP_OK : status;
}

/* Tells whether the worker died of no fault of its input: the system or somebody else has killed it. */
static bool is_from_outside(const struct worker *worker)
{
    int number = worker->process.signal;
    return !worker->overdue &&
           (worker->is_told || number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP);
}

/* Writes the record of an entry that has cost its worker. */
static cp_status record_death(struct supervisor *own, struct worker *worker, uint32_t index)
{
    const struct entry *entry = &own->work->entries.items[index];
    struct arena *arena = own->site->arena;
    struct record_input input;
    struct record known;
    const struct record *past;
    struct worker_task task = {.entry = index};
    const char *words = cp_process_last_line(&worker->process), *in = entry_path(arena, entry);
    char message[CP_MOST_SAID + 256];
    int signal_number = worker->process.signal, exit_code = worker->process.exit_code;
    struct record record = {.root = entry->root->id,
                            .name = entry->name,
                            .out = output_name(arena, &own->work->naming, entry),
                            .state = STATE_CRASHED,
                            .code = "crashed",
                            .message = message,
                            .time = time_of_record(),
                            .ms = (double)(milliseconds() - worker->begun),
                            .max_rss = worker->process.most_memory,
                            .host = own->site->here.host};
    if (worker->overdue || signal_number == SIGXCPU) {
        record.state = STATE_TIMEOUT;
        record.code = "timeout";
        (void)snprintf(message, sizeof message, "took longer than %s s (--timeout)",
                       short_number(own->asked->limits.timeout).text);
    } else if (is_from_outside(worker)) {
        record.code = "killed";
        (void)snprintf(
            message, sizeof message,
            "its worker was killed twice by signal %d (%s), also when it ran alone: perhaps this machine has "
            "too little memory for it",
            signal_number, strsignal(signal_number));
    } else if (signal_number > 0) {
        (void)snprintf(message, sizeof message, "ended its worker by signal %d (%s)%s%s", signal_number,
                       strsignal(signal_number), *words ? ": " : "", words);
    } else {
        (void)snprintf(message, sizeof message, "ended its worker with exit code %d%s%s", exit_code < 0 ? 0 : exit_code,
                       *words ? ": " : "", words);
    }
    if (own->work->look)
        return take_death(own->work, index, &record);
    cp_status status = find_past(own, record.out, &known, &past);
    if (status == CP_OK && (!in || !take_input(own->site, own->work, entry, &record, &input)))
        status = CP_LIMIT;
    if (status != CP_OK)
        return status;
    fill_task(&task, past);
    follow_task(&task, &record);
    journal_complain(own->journal, in, message, "\n");
    return journal_record(own->journal, &record, true);
}

/* Keeps an entry for later. */
static void put_aside(struct supervisor *own, uint32_t **entries, uint32_t *count, uint32_t *room, uint32_t entry)
{
    if (!array_reserve(own->site->cli->context, entries, room, (uint64_t)*count + 1, sizeof **entries))
        keep_outcome(own, CP_LIMIT);
    else
        (*entries)[(*count)++] = entry;
}

/* Waits for the end of a worker, and accounts for its entries. */
static void bury(struct supervisor *own, struct worker *worker, uint32_t patience)
{
    cp_process_end(&worker->process, patience);
    uint32_t first = 0;
    bool is_overdue = worker->overdue || worker->process.signal == SIGXCPU, is_killed = is_from_outside(worker);
    if (worker->count > 0 && !own->stopping && !own->is_alone && (is_killed || (own->is_short && !is_overdue))) {
        put_aside(own, &own->aside, &own->aside_count, &own->aside_room, worker->entries[first++]);
        own->was_killed |= is_killed;
    } else if (worker->count > 0 && !own->stopping)
        keep_outcome(own, record_death(own, worker, worker->entries[first++]));
    for (; first < worker->count; first++, own->left++)
        put_aside(own, &own->again, &own->again_count, &own->again_room, worker->entries[first]);
    buffer_free(&worker->answer);
    *worker = (struct worker){0};
}

/* Takes the answers of the worker; true while the worker lives. */
static bool take_answers(struct supervisor *own, struct worker *worker)
{
    struct buffer *bytes = &worker->answer;
    struct worker_answer answer;
    if (!buffer_reserve(bytes, 65536)) {
        keep_outcome(own, CP_LIMIT);
        return true;
    }
    ssize_t size =
        recv(worker->process.channel, bytes->data + bytes->size, bytes->capacity - bytes->size, MSG_DONTWAIT);
    if (size <= 0)
        return size < 0 && (errno == EAGAIN || errno == EINTR) && !worker->process.gone;
    bytes->size += (size_t)size;
    for (;;) {
        if (bytes->size < sizeof answer)
            return true;
        memcpy(&answer, bytes->data, sizeof answer);
        size_t whole = sizeof answer + answer.line_size + answer.messages_size;
        if (bytes->size < whole)
            return true;
        const char *line = bytes->data + sizeof answer, *messages = line + answer.line_size;
        bool failed = answer.state >= STATE_FAILED;
        if (*answer.isolation)
            memcpy(own->journal->isolation, answer.isolation, sizeof answer.isolation);
        if (answer.has_no_room && !own->stopping) {
            journal_say(own->journal, messages, answer.messages_size);
            keep_outcome(own, complain(own->site->cli, CP_OUTPUT,
                                       "the disk of %s is full: the run ends here; run it again when there is room",
                                       own->site->out_dir));
        }
        bool lacks = own->is_short && (answer.state == STATE_MEMORY || answer.state == STATE_CRASHED);
        bool was_killed = answer.was_killed && !own->is_alone;
        if (!answer.cancelled && !answer.was_checked && (lacks || was_killed)) {
            put_aside(own, &own->aside, &own->aside_count, &own->aside_room, answer.entry);
            own->was_killed |= was_killed;
        } else if (!answer.cancelled && !answer.has_no_room) {
            if (answer.messages_size > 0 && ((failed && !own->work->look) || own->site->cli->verbose))
                journal_say(own->journal, messages, answer.messages_size);
            bool is_up_to_date = answer.was_checked && answer.state == STATE_OK;
            enum record_state state = is_up_to_date ? STATE_SKIPPED : answer.state;
            if (is_up_to_date)
                own->work->deeds[answer.entry] = DEED_NONE;
            keep_outcome(own, own->work->look
                                  ? take_look(own->work, answer.entry, state, line, answer.line_size)
                                  : journal_append(own->journal, state, answer.bytes_in, true, line, answer.line_size));
        }
        memmove(bytes->data, bytes->data + whole, bytes->size - whole);
        bytes->size -= whole;
        if (answer.cancelled && !own->stopping) {
            worker->is_told = true; /* it ends now, and still has its entry */
            return true;
        }
        worker->count--;
        memmove(worker->entries, worker->entries + 1, worker->count * sizeof *worker->entries);
        worker->begun = milliseconds();
        worker->files++;
        worker->is_leaving |= worker->files >= MOST_FILES || answer.state == STATE_MEMORY;
    }
}

/* Tells whether the next entry is one to check. Its record may be long: it is sent to a worker that waits for it, as
 * two processes that both send more than the channel holds would wait for each other. */
static bool is_next_checked(struct supervisor *own)
{
    if (own->again_count > 0)
        return own->work->deeds[own->again[own->again_count - 1]] == DEED_CHECK;
    while (!needs_worker(own->work, own->next))
        own->next++;
    return own->work->deeds[own->next] == DEED_CHECK;
}

/* Sends the task of an entry, with what is known of its output. */
static cp_status send_task(struct supervisor *own, struct worker *worker, uint32_t entry)
{
    struct buffer text = {.context = own->site->cli->context};
    struct worker_task task = {.entry = entry};
    struct record known;
    const struct record *past;
    const char *out = output_name(own->scratch, &own->work->naming, &own->work->entries.items[entry]);
    cp_status status = find_past(own, out, &known, &past);
    fill_task(&task, status == CP_OK ? past : NULL);
    buffer_append(&text, &task, sizeof task);
    if (status == CP_OK && past && own->work->deeds[entry] == DEED_CHECK)
        record_print(past, &text);
    if (status == CP_OK && text.failed)
        status = CP_LIMIT;
    if (status == CP_OK) {
        task.line_size = (uint32_t)(text.size - sizeof task);
        memcpy(text.data, &task, sizeof task);
        if (!cp_process_transfer(worker->process.channel, text.data, text.size, true, was_interrupted))
            (void)shutdown(worker->process.channel, SHUT_WR); /* it ends, or has ended: the loop finds out */
    }
    buffer_free(&text);
    arena_clear(own->scratch);
    return status;
}

/* Gives each worker as much as it can take, and ends those that get nothing more. Returns how many are left. */
static uint32_t hand_out(struct supervisor *own)
{
    uint32_t entry, there = 0;
    for (uint32_t i = 0; i < own->worker_count; i++) {
        struct worker *worker = &own->workers[i];
        if (worker->process.id > 0 && worker->count == 0 && (worker->is_leaving || own->left == 0 || own->stopping)) {
            (void)shutdown(worker->process.channel, SHUT_WR);
            bury(own, worker, PATIENCE);
        }
    }
    for (uint32_t ahead = 1; ahead <= AHEAD; ahead++)
        for (uint32_t i = 0; i < own->worker_count; i++) {
            struct worker *worker = &own->workers[i];
            /* The last entries wait for the first free worker. */
            if (own->left == 0 || own->stopping || worker->is_leaving || worker->count >= ahead ||
                (ahead > 1 && (own->left < own->worker_count || is_next_checked(own))) ||
                (worker->process.id == 0 && !start_worker(own, worker)) || !next_entry(own, &entry))
                continue;
            if (worker->count == 0)
                worker->begun = milliseconds();
            worker->entries[worker->count++] = entry;
            keep_outcome(own, send_task(own, worker, entry));
        }
    for (uint32_t i = 0; i < own->worker_count; i++)
        there += own->workers[i].process.id > 0;
    return there;
}

/* Waits until a worker sends something, its time is up, or a signal comes. */
static void wait_for_workers(struct supervisor *own, cp_process **processes)
{
    double patience = 1e3 * own->asked->limits.timeout;
    uint32_t count = 0;
    for (uint32_t i = 0; i < own->worker_count; i++)
        if (own->workers[i].process.id > 0)
            processes[count++] = &own->workers[i].process;
    cp_process_wait(processes, count, POLLIN, LONGEST_WAIT);
    for (uint32_t i = 0; i < own->worker_count; i++) {
        struct worker *worker = &own->workers[i];
        if (worker->process.id == 0)
            continue;
        if (worker->process.ready && !take_answers(own, worker)) {
            bury(own, worker, 0); /* it has ended, unless the socket itself has failed */
            continue;
        }
        uint64_t now = milliseconds();
        bool overdue = worker->count > 0 && (double)(now - worker->begun) > patience;
        if (overdue || (own->stopping && now > own->deadline)) {
            worker->overdue |= overdue && !own->stopping;
            bury(own, worker, 0); /* its own reader process may keep the socket open for some time */
        }
    }
}

/* Hands out all that is left, and waits for it. */
static void carry_on(struct supervisor *own, cp_process **processes)
{
    while (hand_out(own) > 0) {
        wait_for_workers(own, processes);
        if (was_interrupted())
            stop(own);
        journal_show(own->journal, false);
    }
}

/* Gives each of so many workers its part of the memory. */
static void share_memory(struct supervisor *own, uint32_t workers)
{
    const struct batch_limits *limits = &own->asked->limits;
    uint64_t most = limits->memory, part = limits->total_memory / workers;
    if (limits->total_memory > 0 && limits->total_memory < most)
        most = limits->total_memory;
    own->worker_count = workers;
    own->work->memory = limits->total_memory > 0 && part < most ? part : most;
    own->is_short = own->work->memory < most;
}

/* Tries again what may do with more memory, by half as many workers each time. What somebody has killed is tried with
 * nothing beside it: a machine that had too little memory for several may have enough for one. */
static void try_again(struct supervisor *own, cp_process **processes)
{
    while (own->aside_count > 0 && own->outcome == CP_OK && !own->stopping && own->left == 0) {
        own->is_alone = own->was_killed || own->worker_count < 4;
        share_memory(own, own->is_alone ? 1 : own->worker_count / 2);
        for (; own->aside_count > 0 && own->outcome == CP_OK; own->left++)
            put_aside(own, &own->again, &own->again_count, &own->again_room, own->aside[--own->aside_count]);
        carry_on(own, processes);
    }
}

cp_status supervise(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                    struct batch_work *work, struct journal *journal)
{
    cp_context *context = site->cli->context;
    struct supervisor own = {.asked = asked, .site = site, .state = state, .work = work, .journal = journal};
    for (uint32_t i = 0; i < work->entries.count; i++)
        own.left += needs_worker(work, i);
    if (own.left == 0)
        return CP_OK;
    uint32_t worker_count = own.left < asked->limits.jobs ? own.left : (uint32_t)asked->limits.jobs;
    const uint64_t parts = asked->limits.total_memory / LEAST_PART;
    if (asked->limits.total_memory > 0 && parts < worker_count)
        worker_count = parts > 0 ? (uint32_t)parts : 1;
    share_memory(&own, worker_count);
    work->threads = (uint32_t)site->cli->threads / worker_count;
    work->threads = work->threads > 0 ? work->threads : 1;
    own.workers = memory_allocate_zeroed(context, worker_count, sizeof *own.workers);
    cp_process **processes = memory_allocate(context, worker_count, sizeof(cp_process *));
    own.scratch = arena_new(context);
    own.outcome = own.workers && processes && own.scratch ? CP_OK : CP_LIMIT;
    if (own.outcome == CP_OK)
        carry_on(&own, processes);
    try_again(&own, processes);
    if (own.outcome == CP_OK && own.stopping)
        own.outcome = CP_CANCELLED;
    else if (own.outcome == CP_OK && own.left > 0)
        own.outcome = complain(site->cli, CP_LIMIT, "no process can be started: %s", strerror(errno));
    arena_free(own.scratch);
    memory_free(context, processes, worker_count, sizeof(cp_process *));
    memory_free(context, own.again, own.again_room, sizeof *own.again);
    memory_free(context, own.aside, own.aside_room, sizeof *own.aside);
    memory_free(context, own.workers, worker_count, sizeof *own.workers);
    return own.outcome;
}

/* convert IN... --out-dir DIR: many inputs, several at a time.
 *
 * Each is a job with a context of its own, beside the program's. Its outputs appear when it is done. Its messages and
 * its part of the report wait for their turn, so that they come in the order of the inputs. */
#include "plan.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LOOK_EVERY = 50000000 }; /* nanoseconds between looks at signals and progress */

/* Makes the folder and those above it. */
static cp_status make_folder(struct cli *cli, const char *folder)
{
    char *path = cli_allocate(cli, strlen(folder) + 1);
    if (!path)
        return CP_LIMIT;
    strcpy(path, folder);
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(path, 0777);
            *at = '/';
        }
    struct stat facts;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return CP_OK;
    return complain(cli, CP_OUTPUT, "the folder %s cannot be made: %s", folder, strerror(errno));
}

struct job {
    const char *in, *out;
    struct cli cli; /* as the program's, but with its own context, memory and messages */
    char *messages; /* whole once it is done, as is the log of its cli; NULL: none */
    size_t messages_size;
    cp_status status;
    bool out_of_memory; /* it could not even begin */
    bool done;
};

struct bulk {
    struct cli *cli;  /* the program's: of the main thread */
    struct cli model; /* of a job's, before it has anything of its own */
    bool logs;        /* a report is asked for */
    struct plan plan; /* of all jobs, but for the names of input and output */
    struct job *jobs;
    size_t count;
    pthread_t *threads;
    size_t thread_count;
    pthread_mutex_t lock;   /* of what follows, and of each job's `done` */
    pthread_cond_t changed; /* a job is done */
    size_t next;            /* the job that is begun next */
    size_t done_count;
};

/* Converts the input. What there is to say of it is kept; all else that it has needed goes. */
static void run_job(const struct bulk *bulk, struct job *job)
{
    struct cli *cli = &job->cli;
    *cli = bulk->model;
    job->status = CP_CANCELLED;
    if (must_stop(NULL))
        return;
    cli->context = cp_context_beside(bulk->model.context);
    cli->messages = open_memstream(&job->messages, &job->messages_size);
    struct plan plan;
    bool ready = cli->context && cli->messages && (!bulk->logs || open_log(cli)) &&
                 cp_set_threads(cli->context, bulk->model.threads) == CP_OK &&
                 plan_between(cli, &bulk->plan, job->in, job->out, &plan);
    job->out_of_memory = !ready;
    job->status = ready ? run_plan(cli, &plan) : CP_LIMIT;
    if (cli->messages)
        (void)fclose(cli->messages);
    cp_context_free(cli->context);
    cli_free(cli);
}

static void *work(void *user)
{
    struct bulk *bulk = user;
    (void)pthread_mutex_lock(&bulk->lock);
    while (bulk->next < bulk->count) {
        struct job *job = &bulk->jobs[bulk->next++];
        (void)pthread_mutex_unlock(&bulk->lock);
        run_job(bulk, job);
        (void)pthread_mutex_lock(&bulk->lock);
        job->done = true;
        bulk->done_count++;
        (void)pthread_cond_signal(&bulk->changed);
    }
    (void)pthread_mutex_unlock(&bulk->lock);
    return NULL;
}

/* A signal interrupts one thread. Others may wait in open(2) or read(2) for somebody who writes a FIFO: they are woken,
 * and again each time, since a thread may have been just before its wait. */
static void wait_for(struct bulk *bulk, const struct job *job)
{
    (void)pthread_mutex_lock(&bulk->lock);
    while (!job->done) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_EVERY;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&bulk->changed, &bulk->lock, &until);
        show_input(bulk->cli, bulk->done_count, bulk->count, job->in);
        for (size_t i = 0; i < bulk->thread_count && must_stop(NULL); i++)
            wake_thread(bulk->threads[i]);
    }
    (void)pthread_mutex_unlock(&bulk->lock);
}

/* Tells in the order of the inputs what was said of each job. Each is for itself: a failed one does not keep the others
 * from being converted. */
static cp_status publish_all(struct bulk *bulk)
{
    struct cli *cli = bulk->cli;
    size_t failed = 0;
    cp_status status = CP_OK;
    for (size_t i = 0; i < bulk->count; i++) {
        struct job *job = &bulk->jobs[i];
        wait_for(bulk, job);
        if (status == CP_OK) {
            clear_progress(cli);
            if (job->messages)
                (void)fwrite(job->messages, 1, job->messages_size, cli->messages);
            if (job->out_of_memory)
                (void)complain(cli, CP_LIMIT, "%s: out of memory", job->in);
            join_log(cli, &job->cli);
            if (!job->cli.report_path) /* it is a file that was read */
                cli->report_path = NULL;
        }
        if (job->status == CP_BUG || job->status == CP_CANCELLED)
            status = job->status; /* what the others have to say is no longer wanted */
        failed += job->status != CP_OK;
        free(job->messages);
        if (job->cli.log)
            (void)fclose(job->cli.log);
        free(job->cli.log_text);
    }
    if (failed == 0 || status != CP_OK)
        return status;
    return complain(cli, CP_NO, "%zu of %zu inputs failed", failed, bulk->count);
}

/* Names all outputs, and keeps the names: inputs of the same name in different folders would replace each other's. */
static cp_status name_outputs(struct bulk *bulk, const struct request *request)
{
    struct cli *cli = bulk->cli;
    char suffix[32];
    output_suffix(request->to, suffix, sizeof suffix);
    for (size_t i = 0; i < bulk->count; i++) {
        struct job *job = &bulk->jobs[i];
        job->in = request->words.items[i];
        if (strcmp(job->in, "-") == 0)
            return complain(cli, CP_USAGE, "standard input has no name for an output in %s", request->out_dir);
        const char *stem = path_stem(cli, job->in);
        job->out = stem ? cli_print(cli, "%s/%s%s", request->out_dir, stem, suffix) : NULL;
        cp_status status = job->out ? cp_reserve_output(cli->context, job->out) : CP_LIMIT;
        if (status == CP_NO)
            return complain(cli, CP_USAGE, "two inputs would both be written to %s", job->out);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

cp_status convert_into_folder(struct cli *cli, struct request *request, size_t bang)
{
    struct bulk bulk = {.cli = cli, .count = request->words.count, .logs = cli->log != NULL};
    size_t wanted = bulk.count < cli->threads ? bulk.count : cli->threads;
    if (!request->to)
        request->to = "glb";
    if (!exporter_named(request->to))
        return complain_unknown(cli, "output format", request->to, plugin_words(cli, CP_EXPORTER));
    /* Inputs in bulk may come from strangers: confined unless --confine=no was said. */
    cli->globals.confine |= !was_said(&cli->said, "--confine");
    cp_set_flag(cli->context, CP_FLAG_CONFINE, cli->globals.confine);
    bulk.jobs = cli_allocate(cli, bulk.count * sizeof *bulk.jobs);
    bulk.threads = cli_allocate(cli, wanted * sizeof *bulk.threads);
    cp_status status = bulk.jobs && bulk.threads ? name_outputs(&bulk, request) : CP_LIMIT;
    if (status == CP_OK) /* a misspelt word is one mistake, not one an input */
        status = plan_conversion(cli, request, bang, bulk.jobs[0].in, bulk.jobs[0].out, &bulk.plan);
    if (status == CP_OK)
        status = make_folder(cli, request->out_dir);
    if (status != CP_OK)
        return status;
    bulk.model = *cli;
    bulk.model.blocks = NULL;
    bulk.model.log = NULL;
    bulk.model.log_text = NULL;
    bulk.model.log_comma = false;
    bulk.model.progress = (struct progress){0};
    bulk.model.threads = cli->threads / (uint32_t)wanted; /* few inputs leave several threads to each */
    (void)pthread_mutex_init(&bulk.lock, NULL);
    (void)pthread_cond_init(&bulk.changed, NULL);
    for (size_t i = 0; i < wanted && pthread_create(&bulk.threads[i], NULL, work, &bulk) == 0; i++)
        bulk.thread_count++;
    if (bulk.thread_count == 0)
        (void)work(&bulk);
    status = publish_all(&bulk);
    for (size_t i = 0; i < bulk.thread_count; i++)
        (void)pthread_join(bulk.threads[i], NULL);
    (void)pthread_cond_destroy(&bulk.changed);
    (void)pthread_mutex_destroy(&bulk.lock);
    return status;
}

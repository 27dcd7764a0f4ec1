/* convert IN... --out-dir DIR: many inputs, several at a time.
 *
 * Each is a job with a context of its own, beside the program's. What a job has to say is kept until it is its turn, and its
 * outputs wait so long under temporary names: messages, the report and what may replace what come out as if the inputs
 * had been converted one after the other. */
#include "cli.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- outputs ---- */

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

static const char *output_path(struct cli *cli, const char *folder, const char *in, const char *suffix)
{
    const char *stem = path_stem(cli, in);
    size_t size = stem ? strlen(folder) + strlen(stem) + strlen(suffix) + 2 : 0;
    char *path = stem ? cli_allocate(cli, size) : NULL;
    if (path)
        (void)snprintf(path, size, "%s/%s%s", folder, stem, suffix);
    return path;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Inputs of the same name in different folders would overwrite each other's output. */
static cp_status check_distinct(struct cli *cli, const struct list *outputs)
{
    const char **sorted = cli_allocate(cli, outputs->count * sizeof *sorted);
    if (!sorted)
        return CP_LIMIT;
    memcpy(sorted, outputs->items, outputs->count * sizeof *sorted);
    qsort(sorted, outputs->count, sizeof *sorted, compare_words);
    for (size_t i = 1; i < outputs->count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return complain(cli, CP_USAGE, "two inputs would both be written to %s", sorted[i]);
    return CP_OK;
}

static cp_status plan_outputs(struct cli *cli, const struct request *request, struct list *outputs)
{
    char suffix[32];
    output_suffix(request->to, suffix, sizeof suffix);
    for (size_t i = 0; i < request->words.count; i++) {
        if (strcmp(request->words.items[i], "-") == 0)
            return complain(cli, CP_USAGE, "standard input has no name for an output in %s", request->out_dir);
        const char *path = output_path(cli, request->out_dir, request->words.items[i], suffix);
        if (!path || !list_add(cli, outputs, path))
            return CP_LIMIT;
    }
    return check_distinct(cli, outputs);
}

/* ---- jobs ---- */

struct job {
    struct conversion conversion;
    struct cli cli; /* as the program's, but with its own context, memory and messages */
    char *messages;
    size_t messages_size;
    cp_status status;
    bool done;
};

struct bulk {
    struct cli *cli;  /* the program's: of the main thread */
    struct cli model; /* of a job's, before it has anything of its own */
    bool logs;        /* a report is asked for */
    struct job *jobs;
    size_t count;
    pthread_mutex_t lock;   /* of what follows, and of each job's `done` */
    pthread_cond_t changed; /* a job is done */
    size_t next;            /* the job that is begun next */
};

static bool open_job(const struct bulk *bulk, struct job *job)
{
    job->cli = bulk->model;
    job->cli.context = cp_context_beside(bulk->model.context);
    job->cli.messages = open_memstream(&job->messages, &job->messages_size);
    if (!job->cli.context || !job->cli.messages || (bulk->logs && !open_log(&job->cli)))
        return false;
    cp_set_flag(job->cli.context, CP_FLAG_PLACE_LATER, true);
    return cp_set_threads(job->cli.context, bulk->model.threads) == CP_OK;
}

/* Few inputs leave several threads to each. */
static struct cli model_of(const struct cli *cli, size_t count)
{
    struct cli model = *cli;
    model.blocks = NULL;
    model.log = NULL;
    model.log_text = NULL;
    model.log_comma = false;
    model.progress = (struct progress){0};
    model.threads = cli->threads / (count < cli->threads ? (uint32_t)count : cli->threads);
    return model;
}

static void close_job(struct job *job)
{
    if (job->cli.messages)
        (void)fclose(job->cli.messages);
    free(job->messages);
    if (job->cli.log)
        (void)fclose(job->cli.log);
    free(job->cli.log_text);
    cp_context_free(job->cli.context);
    cli_free(&job->cli);
}

static struct job *take_job(struct bulk *bulk)
{
    (void)pthread_mutex_lock(&bulk->lock);
    struct job *job = bulk->next < bulk->count ? &bulk->jobs[bulk->next++] : NULL;
    (void)pthread_mutex_unlock(&bulk->lock);
    return job;
}

static void finish_job(struct bulk *bulk, struct job *job)
{
    (void)pthread_mutex_lock(&bulk->lock);
    job->done = true;
    (void)pthread_cond_signal(&bulk->changed);
    (void)pthread_mutex_unlock(&bulk->lock);
}

static void *work(void *user)
{
    struct bulk *bulk = user;
    for (struct job *job; (job = take_job(bulk));) {
        job->status = open_job(bulk, job) ? convert_one(&job->cli, &job->conversion) : CP_LIMIT;
        finish_job(bulk, job);
    }
    return NULL;
}

/* ---- their turn ---- */

static void wait_for(struct bulk *bulk, const struct job *job)
{
    (void)pthread_mutex_lock(&bulk->lock);
    while (!job->done)
        (void)pthread_cond_wait(&bulk->changed, &bulk->lock);
    (void)pthread_mutex_unlock(&bulk->lock);
}

/* Makes known what the job has done. */
static void publish(struct cli *cli, struct job *job)
{
    if (!job->cli.context || !job->cli.messages) {
        (void)complain(cli, CP_LIMIT, "%s: out of memory", job->conversion.in);
        return;
    }
    if (job->status == CP_OK)
        job->status = cp_place(job->cli.context);
    flush_report(&job->cli, job->status);
    (void)fflush(job->cli.messages);
    clear_progress(cli);
    (void)fwrite(job->messages, 1, job->messages_size, cli->messages);
    join_log(cli, &job->cli);
    if (!job->cli.report_path) /* it is a file that was read */
        cli->report_path = NULL;
}

static cp_status publish_all(struct bulk *bulk)
{
    struct cli *cli = bulk->cli;
    size_t failed = 0;
    cp_status status = CP_OK;
    for (size_t i = 0; i < bulk->count; i++) {
        struct job *job = &bulk->jobs[i];
        wait_for(bulk, job);
        if (status == CP_OK)
            publish(cli, job);
        if (job->status == CP_BUG || job->status == CP_CANCELLED)
            status = job->status; /* the others are no longer wanted; their outputs go */
        failed += job->status != CP_OK;
        show_input(cli, i + 1, bulk->count, job->conversion.in);
        close_job(job);
    }
    if (failed == 0 || status != CP_OK)
        return status;
    return complain(cli, CP_NO, "%zu of %zu inputs failed", failed, bulk->count);
}

/* Each input for itself: a failed one does not keep the others from being converted. */
static cp_status convert_all(struct bulk *bulk)
{
    size_t wanted = bulk->count < bulk->cli->threads ? bulk->count : bulk->cli->threads, started = 0;
    pthread_t *threads = cli_allocate(bulk->cli, wanted * sizeof *threads);
    if (!threads)
        return CP_LIMIT;
    (void)pthread_mutex_init(&bulk->lock, NULL);
    (void)pthread_cond_init(&bulk->changed, NULL);
    while (started < wanted && pthread_create(&threads[started], NULL, work, bulk) == 0)
        started++;
    if (started == 0)
        (void)work(bulk);
    cp_status status = publish_all(bulk);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_cond_destroy(&bulk->changed);
    (void)pthread_mutex_destroy(&bulk->lock);
    return status;
}

/* In bulk, inputs may come from strangers: confined unless --confine=no was said. */
cp_status convert_into_folder(struct cli *cli, struct request *request, size_t bang)
{
    struct list outputs = {0};
    struct bulk bulk = {.cli = cli, .count = request->words.count};
    if (!request->to)
        request->to = "glb";
    if (!exporter_named(request->to))
        return complain_unknown(cli, "output format", request->to, plugin_words(cli, CP_EXPORTER));
    if (!cli->confine_said)
        cp_set_flag(cli->context, CP_FLAG_CONFINE, true);
    cp_status status = plan_outputs(cli, request, &outputs);
    if (status == CP_OK && !(bulk.jobs = cli_allocate(cli, bulk.count * sizeof *bulk.jobs)))
        status = CP_LIMIT;
    for (size_t i = 0; i < bulk.count && status == CP_OK; i++)
        bulk.jobs[i].conversion = (struct conversion){request, bang, request->words.items[i], outputs.items[i]};
    if (status == CP_OK) /* a misspelt word is one mistake, not one an input */
        status = check_conversion(cli, &bulk.jobs[0].conversion);
    if (status == CP_OK)
        status = make_folder(cli, request->out_dir);
    bulk.model = model_of(cli, bulk.count);
    bulk.logs = cli->log != NULL;
    return status == CP_OK ? convert_all(&bulk) : status;
}

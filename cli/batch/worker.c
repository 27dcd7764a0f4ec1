/* A worker: a process that converts one input after the other. Whatever an input does to it costs that input alone. */
#include "many.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One input's conversion. */
struct job {
    struct cli_listener listener; /* first: see hear */
    struct cli cli;               /* like the program's, but with its own context, memory and messages */
    const struct batch_site *site;
    const struct entry *entry;
    const char *in, *out; /* paths */
    int64_t begun;        /* nanoseconds since 1970, before anything was read */
    struct record record;
    struct record_input input; /* the record's, if it has no others */
    bool out_of_memory;        /* a text of the record is missing */
    bool hears;                /* there is no memory to hear what goes wrong meanwhile */
    bool fault_is_own;         /* the record's error is in the input itself */
    uint32_t losses, warnings; /* how many there were */
    bool has_no_room;          /* the disk is full */
    bool has_part;             /* --total-memory bounds it, and not --memory */
};

/* ---- costs ---- */

static double cpu_seconds(void)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) { /* an isolated reader is a child */
        struct rusage used = {0};
        (void)getrusage(i == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &used);
        sum += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return sum;
}

/* Restarts the count of the most memory, if the system can. */
static void reset_most_memory(void)
{
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!write(file, "5", 1);
        (void)close(file);
    }
}

/* Returns the most memory since reset_most_memory. A worker never calls exec, whose peak would count, too. */
static uint64_t most_memory(void)
{
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    return (uint64_t)used.ru_maxrss * 1024;
}

/* ---- one input ---- */

static void keep_text(struct job *job, struct list *list, uint32_t count, const cp_entry *entry)
{
    if (count <= MOST_TOLD)
        (void)list_add(&job->cli, list, cli_print(&job->cli, "%s: %s", entry->code, entry->text));
}

static bool ends_in(const char *code, const char *end)
{
    size_t size = strlen(code), tail = strlen(end);
    return size > tail && strcmp(code + size - tail, end) == 0;
}

/* Tells whether a note has the figures of an importer's own check. */
static bool is_of_check(const char *code)
{
    return ends_in(code, "-checked");
}

/* Tells whether memory was too little for the context, a library, or a reader's process. */
static bool is_of_memory(const char *code)
{
    return ends_in(code, "-memory");
}

static void blame_memory(struct job *job)
{
    job->record.code = "out-of-memory";
    job->record.message =
        job->has_part ? "out of memory (--total-memory sets the limit)" : "out of memory (--memory sets the limit)";
}

/* Keeps the part of the report that goes into the record. */
static void keep_entry(struct job *job, const cp_entry *entry)
{
    struct record *record = &job->record;
    switch (entry->severity) {
    case CP_NOTE:
        if (is_of_check(entry->code))
            keep_text(job, &record->checks, (uint32_t)record->checks.count + 1, entry);
        break;
    case CP_LOSS:
        keep_text(job, &record->losses, ++job->losses, entry);
        break;
    case CP_WARNING:
        keep_text(job, &record->warnings, ++job->warnings, entry);
        break;
    case CP_ERROR:
        if (strcmp(entry->code, "out-of-memory") == 0)
            blame_memory(job);
        if (*record->code)
            break;
        bool is_own = job->fault_is_own = !entry->file || strcmp(entry->file, job->in) == 0;
        const char *code = cli_print(&job->cli, "%s", entry->code);
        const char *bound = !is_of_memory(entry->code) ? ""
                            : job->has_part            ? " (--total-memory sets the limit)"
                                                       : " (--memory sets the limit)";
        const char *message =
            cli_print(&job->cli, "%s%s%s%s", is_own ? "" : entry->file, is_own ? "" : ": ", entry->text, bound);
        record->code = code ? code : "";
        record->message = message ? message : "";
        break;
    }
}

static void hear(struct cli_listener *listener, const cp_entry *entry)
{
    struct job *job = (struct job *)(void *)listener;
    if (job->hears) {
        job->out_of_memory = true;
        return;
    }
    job->hears = true;
    keep_entry(job, entry);
    job->hears = false;
}

static void count_more(struct job *job, struct list *list, uint32_t count)
{
    if (count > MOST_TOLD && list->count > 0)
        list->items[list->count - 1] = cli_print(&job->cli, "and %u more", (unsigned)(count - MOST_TOLD + 1));
    if (list->count > 0 && !list->items[list->count - 1])
        list->count = 0;
}

/* Returns the path of a file as records have it: below the folder that has this one, else absolute. */
static const char *recorded_path(struct job *job, const char *path, const char *folder)
{
    const char *name = path_below(path, folder);
    return name ? cli_print(&job->cli, "%s", name) : whole_path(job->site->arena, job->site->cwd, path);
}

/* Returns the time to keep of a file. One that was changed within the same tick of the clock in which it was read, or
 * in which the journal was made, or later, may have been changed afterwards, too: without a time, the next run compares
 * its contents. The journal's time is there since the clock of this host may be ahead of that of the files. */
static int64_t lasting_time(const struct job *job, int64_t modified)
{
    const int64_t second = 1000000000;
    struct timespec tick = {0};
#ifdef CLOCK_REALTIME_COARSE /* the clock of Linux's file systems */
    (void)clock_getres(CLOCK_REALTIME_COARSE, &tick);
#else
    tick.tv_nsec = 10000000;
#endif
    int64_t coarseness = modified % second == 0 ? 2 * second : tick.tv_nsec; /* FAT and old servers are that coarse */
    int64_t begun = job->site->begun < job->begun ? job->site->begun : job->begun;
    return modified + coarseness >= begun ? 0 : modified;
}

/* Keeps the files that were read, looked for and written. */
static void take_files(struct cli_listener *listener, const cp_file *files, size_t count)
{
    struct job *job = (struct job *)(void *)listener;
    struct record *record = &job->record;
    struct cli *cli = &job->cli;
    if (count == 0 || record->inputs)
        return;
    record->inputs = cli_allocate(cli, (count + 1) * sizeof *record->inputs);
    record->outputs = cli_allocate(cli, (count + 1) * sizeof *record->outputs);
    job->out_of_memory |= !record->inputs || !record->outputs;
    bool known = true;
    for (size_t i = 0; i < count && !job->out_of_memory; i++) {
        bool written = files[i].use == CP_FILE_WRITTEN;
        struct record_input *row =
            written ? &record->outputs[record->output_count++] : &record->inputs[record->input_count++];
        *row = (struct record_input){
            .path = recorded_path(job, files[i].path, written ? job->site->out_dir : job->entry->root->given),
            .size = files[i].size,
            .modified = written ? files[i].modified : lasting_time(job, files[i].modified),
            .hash = files[i].hash,
            .missing = files[i].use == CP_FILE_MISSING};
        job->out_of_memory |= !row->path;
        known &= !files[i].format || *files[i].format;
        if (files[i].format && !list_has(&record->formats, files[i].format))
            job->out_of_memory |= !list_add(cli, &record->formats, files[i].format);
        *(written ? &record->bytes_out : &record->bytes_in) += row->size;
        if (written && strcmp(files[i].path, job->out) == 0)
            record->out_hash = row->hash;
    }
    if (!known) /* another version of any importer might know it */
        record->formats.count = 0;
}

/* Computes the key of all inputs. If an input could not be read, or the failure has nothing to do with them, it stays
 * zero, so that the entry is tried again. */
static bool make_key(const struct batch_site *site, const struct batch_work *work, struct job *job, cp_status status)
{
    static const char *const passing[] = {"source-open",     "source-read", "source-changed",
                                          "library-missing", "read-fork",   "input-cut"};
    struct record *record = &job->record;
    bool known = record->input_count > 0 && status != CP_OUTPUT;
    for (size_t i = 0; i < sizeof passing / sizeof *passing && status != CP_OK; i++)
        known &= strcmp(record->code, passing[i]) != 0;
    for (uint32_t i = 0; i < record->input_count; i++)
        known &= record->inputs[i].missing || !hash_is_zero(record->inputs[i].hash);
    return !known || key_of(site, variant_of(work, job->entry), record, &record->key);
}

/* Sets a limit of the context, if it has one of that name; --limit comes later and wins. */
static void set_limit(cp_context *context, const char *name, double value)
{
    char setting[64];
    for (size_t i = 0; cp_limit_at(i).name; i++)
        if (strcmp(cp_limit_at(i).name, name) == 0) {
            (void)snprintf(setting, sizeof setting, "%s=%.0f", name, ceil(value));
            (void)cp_set_limit(context, setting);
        }
}

/* Returns the state of a failure. An isolated reader can die, too. */
static enum record_state state_of_code(const char *code)
{
    static const struct {
        const char *code;
        enum record_state state;
    } others[] = {{"read-killed", STATE_MEMORY},
                  {"read-timeout", STATE_TIMEOUT},
                  {"read-crashed", STATE_CRASHED},
                  {"urdf-macros", STATE_MACROS}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(code, others[i].code) == 0)
            return others[i].state;
    return is_of_memory(code) ? STATE_MEMORY : STATE_FAILED;
}

/* Makes the context of the entry. */
static cp_status open_context(const struct batch_request *asked, const struct batch_work *work, struct job *job)
{
    struct cli *cli = &job->cli;
    cli->context = cp_context_new(NULL);
    if (!cli->context) {
        job->record.state = STATE_MEMORY;
        blame_memory(job);
        return CP_LIMIT;
    }
    cp_set_cancel(cli->context, must_stop, NULL);
    cp_set_flag(cli->context, CP_FLAG_WRITE_ONCE, true);
    cp_set_flag(cli->context, CP_FLAG_LIST_FILES, work->look == NULL);
    cp_set_flag(cli->context, CP_FLAG_ISOLATE, cli->isolate);
    set_limit(cli->context, "memory", (double)work->memory);
    set_limit(cli->context, "reader-memory", (double)work->memory);
    set_limit(cli->context, "reader-seconds", asked->limits.timeout);
    cp_status status = cp_set_threads(cli->context, work->threads);
    if (status == CP_OK)
        status = use_globals(cli, &variant_of(work, job->entry)->plan.globals);
    if (asked->limits.total_memory > 0)
        set_limit(cli->context, "memory", (double)work->memory);
    return status == CP_OK ? allow_library(cli, job->entry) : status;
}

/* Returns the outcome of a read; that of a file which was cut short meanwhile is its own fault. */
static cp_status blame_cut(struct job *job, cp_status status)
{
    if (status == CP_CANCELLED && were_bytes_missing()) {
        job->record.code = "input-cut";
        job->record.message = "was cut short by somebody else while it was read";
        fprintf(job->cli.messages, "error: %s\n", job->record.message);
        status = CP_INPUT;
    }
    forget_missing_bytes();
    return status;
}

/* Sets the record's state. */
static void take_state(struct job *job, cp_status status)
{
    struct record *record = &job->record;
    record->state = status == CP_OK ? STATE_OK : state_of_code(record->code);
    if (record->state == STATE_MACROS && !job->fault_is_own)
        record->state = STATE_FAILED;
}

/* Makes the folder of the output. What lies on another disk than the journal, behind a link or a mount, is flushed at
 * once: the end of the run flushes the journal's alone. */
static cp_status make_folder_of(struct job *job)
{
    const char *slash = strrchr(job->out, '/');
    char *folder = slash ? cli_print(&job->cli, "%.*s", (int)(slash - job->out), job->out) : NULL;
    struct stat there, journal;
    cp_status status = slash ? make_folder(&job->cli, folder) : CP_OK;
    if (status == CP_OK && slash && stat(folder, &there) == 0 && stat(job->site->folder, &journal) == 0 &&
        there.st_dev != journal.st_dev)
        cp_set_flag(job->cli.context, CP_FLAG_SYNC, true);
    return status;
}

/* Converts the entry, and fills the record. CP_CANCELLED: a signal came. */
static cp_status convert(const struct batch_request *asked, const struct batch_site *site,
                         const struct batch_work *work, struct job *job)
{
    struct cli *cli = &job->cli;
    struct record *record = &job->record;
    struct plan plan;
    cp_status status = open_context(asked, work, job);
    if (!cli->context)
        return status;
    if (status == CP_OK)
        status = plan_between(cli, &variant_of(work, job->entry)->plan, job->in, job->out, &plan) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = make_folder_of(job);
    job->has_no_room = status == CP_OUTPUT && (errno == ENOSPC || errno == EDQUOT);
    if (status == CP_OK)
        status = run_plan(cli, &plan);
    status = blame_cut(job, status);
    job->has_no_room |= strcmp(record->code, "sink-full") == 0;
    take_state(job, status);
    record->shape = job->listener.shape;
    record->triangles_in = job->listener.triangles_in;
    record->triangles_out = status == CP_OK ? job->listener.triangles_out : 0;
    count_more(job, &record->losses, job->losses);
    count_more(job, &record->warnings, job->warnings);
    if (status != CP_CANCELLED && !job->out_of_memory)
        job->out_of_memory = !make_key(site, work, job, status);
    if (status == CP_LIMIT && !*record->code) { /* too little memory to say even that */
        job->out_of_memory = true;
        blame_memory(job);
        fprintf(cli->messages, "error: %s\n", record->message);
    }
    if (job->out_of_memory)
        record->state = STATE_MEMORY;
    if (job->out_of_memory && !*record->code)
        blame_memory(job);
    if (record->state == STATE_MEMORY && hash_is_zero(record->key)) {
        record->formats.count = 0;
        (void)take_input(site, work, job->entry, record, &job->input);
    }
    if (record->state != STATE_OK)
        record->output_count = 0;
    return status;
}

/* Looks at the entry, and appends what it found. CP_CANCELLED: a signal came. */
static cp_status look_at(const struct batch_request *asked, const struct batch_work *work, struct job *job,
                         struct buffer *found)
{
    const struct look *look = work->look;
    struct cli *cli = &job->cli;
    struct record *record = &job->record;
    const struct request reading = {.from = look->from, .in = variant_of(work, job->entry)->plan.steps[0].options};
    struct printed_text text;
    if (!text_open(&text)) {
        found->failed = true;
        return CP_LIMIT;
    }
    cp_status status = open_context(asked, work, job);
    if (status == CP_OK)
        status = look->look(look->user, cli, job->in, &reading, text.file);
    if (cli->context)
        flush_report(cli, status);
    status = blame_cut(job, status);
    take_state(job, status);
    bool is_told = status == CP_OK || status == CP_NO;
    if (!is_told || record->state == STATE_MACROS) {
        text_free(&text);
        found->failed |= !text_open(&text);
    }
    if (!is_told && text.file && record->state != STATE_MACROS)
        look->fail(look->user, cli, job->in, *record->code ? record->code : "failed",
                   *record->message           ? record->message
                   : record->losses.count > 0 ? record->losses.items[0]
                                              : "cannot be looked at",
                   text.file);
    if (text_close(&text))
        buffer_append(found, text.bytes, text.size);
    else
        found->failed = true;
    text_free(&text);
    return status;
}

static int64_t time_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Tells whether nothing has changed but times of files; the record then has the present ones. */
static bool is_checked(const struct batch_request *asked, struct job *job, const struct record *past, FILE *messages)
{
    struct record *record = &job->record;
    *record = *past;
    if (!is_same_content(asked, job->site, job->entry, record))
        return false;
    for (uint32_t i = 0; i < record->input_count; i++)
        record->inputs[i].modified = lasting_time(job, record->inputs[i].modified);
    if (record_is_failure(record))
        fprintf(messages, "error: %s" AS_BEFORE, record->message);
    record->sequence++;
    return true;
}

/* Carries out the task; messages for people go to `messages`, the record's line behind the contents of `line`. past:
 * the record to check, or NULL. */
static void do_task(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                    const struct worker_task *task, const struct record *past, struct worker_answer *answer,
                    struct buffer *line, FILE *messages)
{
    const struct entry *entry = &work->entries.items[answer->entry];
    struct job job = {.listener = {.hear = hear, .take_files = take_files},
                      .site = site,
                      .entry = entry,
                      .in = entry_path(site->arena, entry),
                      .out = output_path(site->arena, &work->naming, entry),
                      .begun = time_now(),
                      .has_part = work->memory < asked->limits.memory};
    struct record *record = &job.record;
    const char *name = output_name(site->arena, &work->naming, entry);
    double cpu = cpu_seconds();
    struct timespec begun, ended;
    (void)clock_gettime(CLOCK_MONOTONIC, &begun);
    cp_process_limit_seconds((uint64_t)(cpu + ceil(asked->limits.timeout) * work->threads) + 1);
    reset_most_memory();
    job.cli = *site->cli;
    job.cli.blocks = NULL;
    job.cli.context = NULL;
    job.cli.listener = &job.listener;
    job.cli.messages = messages;
    job.cli.progress = (struct progress){0};
    answer->was_checked = past && is_checked(asked, &job, past, messages);
    if (!answer->was_checked) {
        *record = (struct record){.root = entry->root->id, .name = entry->name, .out = name, .code = "", .message = ""};
        if (job.in && job.out && name)
            answer->cancelled =
                (work->look ? look_at(asked, work, &job, line) : convert(asked, site, work, &job)) == CP_CANCELLED;
        else
            record->state = STATE_MEMORY;
        follow_task(task, record);
        (void)clock_gettime(CLOCK_MONOTONIC, &ended);
        record->time = time_of_record();
        record->ms = 1e3 * (double)(ended.tv_sec - begun.tv_sec) + 1e-6 * (double)(ended.tv_nsec - begun.tv_nsec);
        record->cpu_ms = 1e3 * (cpu_seconds() - cpu);
        record->max_rss = most_memory() + (job.cli.context ? cp_reader_memory(job.cli.context) : 0);
        record->host = site->here.host;
    }
    answer->state = record->state;
    answer->has_no_room = job.has_no_room;
    answer->was_killed = !answer->was_checked && strcmp(record->code, "read-killed") == 0;
    answer->bytes_in = answer->was_checked ? 0 : record->bytes_in;
    (void)snprintf(answer->isolation, sizeof answer->isolation, "%s",
                   job.cli.context ? cp_isolation(job.cli.context) : "");
    if (!work->look)
        record_print(record, line);
    cp_context_free(job.cli.context);
    cli_free(&job.cli);
}

/* ---- the loop ---- */

/* Prints messages for people, each line with the input's name at its start: a filter, say, does not know it. */
static void name_input(const char *in, const char *messages, FILE *file)
{
    size_t length = strlen(in), size;
    for (const char *at = messages; *at; at += size) {
        size = strcspn(at, "\n");
        size += at[size] == '\n';
        if (strncmp(at, in, length) != 0) {
            print_shown(file, in);
            fputs(": ", file);
        }
        (void)fwrite(at, 1, size, file);
    }
}

/* Takes the next task; *past: the record to check, or NULL. */
static bool take_task(struct buffer *line, cp_field_reader *reader, int channel, struct worker_task *task,
                      struct record *record, const struct record **past)
{
    *past = NULL;
    line->size = 0;
    if (!cp_process_transfer(channel, task, sizeof *task, false, was_interrupted))
        return false;
    if (task->line_size == 0)
        return true;
    if (!buffer_reserve(line, task->line_size) ||
        !cp_process_transfer(channel, line->data, task->line_size, false, was_interrupted))
        return false;
    if (record_parse(reader, line->data, task->line_size, record) != CP_OK)
        return false;
    *past = record;
    return true;
}

void worker_life(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                 int channel)
{
    struct worker_answer answer;
    struct worker_task task;
    struct buffer line = {.context = site->cli->context}, told = {.context = site->cli->context};
    cp_field_reader reader = {.context = site->cli->context, .arena = site->arena};
    obey_supervisor();
    cp_process_limit(work->memory, asked->limits.most_output);
    for (bool goes_on = true; goes_on && !was_interrupted();) {
        struct printed_text messages, named = {0}; /* the second with the input's name in each line */
        struct record record;
        const struct record *past;
        answer = (struct worker_answer){0};
        if (!take_task(&told, &reader, channel, &task, &record, &past))
            break;
        answer.entry = task.entry;
        if (!text_open(&messages))
            break;
        line.size = 0;
        buffer_append(&line, &answer, sizeof answer); /* its room */
        do_task(asked, site, work, &task, past, &answer, &line, messages.file);
        goes_on = text_close(&messages) && text_open(&named);
        if (goes_on) {
            const char *in = entry_path(site->arena, &work->entries.items[answer.entry]);
            name_input(in ? in : "", messages.bytes, named.file);
            goes_on = text_close(&named);
        }
        if (goes_on) { /* written in one piece, as every piece wakes the supervisor */
            answer.line_size = (uint32_t)(line.size - sizeof answer);
            answer.messages_size = (uint32_t)named.size;
            buffer_append(&line, named.bytes, named.size);
            goes_on = !line.failed;
        }
        if (goes_on) {
            memcpy(line.data, &answer, sizeof answer);
            goes_on = cp_process_transfer(channel, line.data, line.size, true, was_interrupted);
        }
        text_free(&messages);
        text_free(&named);
    }
    buffer_free(&line);
    buffer_free(&told);
    cp_field_reader_free(&reader);
    end_if_interrupted();
}

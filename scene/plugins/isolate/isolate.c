/* Starts a reader's process, listens to it, ends it, and reports what became of it. */
#include "isolate.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/context.h"
#include "messages.h"
#include "plugins/registry.h"

/* ---- what became of it ---- */

/* Returns the last line that the process printed, as a part of a message; "" if it printed none. */
static const char *last_words(struct reader_listener *listener)
{
    enum { MOST_SHOWN = 200 };
    const char *line = cp_process_last_line(&listener->process);
    line += strspn(line, "\t\r ");
    char *text =
        *line ? arena_print(listener->context->report.texts, "; its last words: %.*s", MOST_SHOWN, line) : NULL;
    for (char *at = text; at && *at; at++)
        *at = *at < ' ' || *at > '~' ? '?' : *at;
    return text ? text : "";
}

static cp_status report_memory(const struct reader_process *reader, const char *words)
{
    return report_error(reader->source->context, CP_LIMIT, "read-memory", NOWHERE,
                        "%s needed more than %llu MiB of memory (--limit reader-memory= or memory=)%s",
                        reader->importer->plugin.name, (unsigned long long)(reader->memory >> 20), words);
}

static cp_status report_killed(const struct reader_process *reader)
{
    return report_error(reader->source->context, CP_LIMIT, "read-killed", NOWHERE,
                        "%s was killed (signal 9), most likely since the machine ran out of memory "
                        "(--limit reader-memory= bounds it)",
                        reader->importer->plugin.name);
}

static cp_status report_time(const struct reader_process *reader)
{
    return report_error(reader->source->context, CP_LIMIT, "read-timeout", NOWHERE,
                        "%s took longer than %llu s (--limit reader-seconds=)", reader->importer->plugin.name,
                        (unsigned long long)reader->seconds);
}

static cp_status report_crash(const struct reader_process *reader, const char *how, const char *words)
{
    return report_error(reader->source->context, CP_INPUT, "read-crashed", NOWHERE, "%s %s while it read the file%s",
                        reader->importer->plugin.name, how, words);
}

static cp_status report_end(const struct reader_process *reader, struct reader_listener *listener, enum hearing hearing)
{
    const struct process *process = &listener->process;
    int killer = process->killed ? 0 : process->signal;
    bool starved = strstr(process->said, "bad_alloc") != NULL;
    const char *words = last_words(listener);
    char text[PROCESS_END];
    if (hearing == HEARD_NO_MORE)
        return CP_LIMIT;
    if (hearing == HEARD_NOTHING || killer == SIGXCPU)
        return report_time(reader);
    /* The process may have died because somebody has cut the mapped file short. */
    cp_status status = source_check(reader->source);
    if (status != CP_OK)
        return status;
    if (hearing == HEARD_NONSENSE)
        return report_crash(reader, "sent a damaged answer", words);
    if (killer == SIGKILL)
        return report_killed(reader);
    if (starved)
        return report_memory(reader, words);
    process_describe_end(process, text);
    return report_crash(reader, text, words);
}

/* ---- the scene ---- */

/* Refuses to open a file: a scene that is handed over is whole and names none. */
static cp_status refuse_file(const struct source *parent, const char *name, bool is_picture, struct source **opened)
{
    (void)parent;
    (void)name;
    (void)is_picture;
    *opened = NULL;
    return CP_NO;
}

/* Takes over the bytes. */
static cp_status read_back(const struct reader_process *reader, struct buffer *bytes)
{
    const struct source *from = reader->source;
    cp_context *context = from->context;
    const struct importer *importer = context->plugins->carrier.importer;
    const cp_source told = reader->scene->source;
    struct source *source;
    cp_status status = source_of_bytes(NULL, "", from->name, from->label, bytes, &source);
    if (status != CP_OK)
        return status;
    void *settings = options_parse(context, &importer->plugin, import_options, NULL, 0, &status);
    context->open_further = refuse_file;
    if (status == CP_OK)
        status = importer->read(context, source, settings, reader->scene);
    context->open_further = NULL;
    if (settings)
        options_free(context, &importer->plugin, settings);
    source_close(source);
    reader->scene->source.format = told.format;
    reader->scene->source.file = told.file;
    return status == CP_OK || status == CP_LIMIT ? status : report_crash(reader, "sent a damaged scene", "");
}

cp_status isolate_read(const struct importer *importer, struct source *source, const void *settings, cp_scene *scene)
{
    cp_context *context = source->context;
    const struct limits *limits = &context->limits;
    if (!context->plugins->carrier.importer)
        return report_error(context, CP_BUG, "read-carrier", NOWHERE, "no format carries scenes between processes");
    struct reader_process reader = {
        .importer = importer,
        .source = source,
        .settings = settings,
        .scene = scene,
        .memory = limits->memory > context->held ? limits->memory - context->held : 0,
        .seconds = (uint64_t)ceil(limits->reader_seconds), /* the system bounds whole seconds of a processor */
    };
    if (limits->reader_memory < reader.memory)
        reader.memory = limits->reader_memory;
    /* Ours ends at 4 GiB by its format; the memory that bounds the process bounds what it may send, too. */
    struct reader_listener listener = {.context = context, .source = source, .most = UINT32_MAX};
    if (reader.memory < listener.most)
        listener.most = reader.memory;
    uint64_t all;
#ifdef __GLIBC__
    (void)malloc_trim(0); /* the reader could take what was freed here beside its limit */
#endif
    (void)process_sizes(0, &all, &listener.own);
    if (!cp_process_start(&listener.process, true, run_reader, &reader))
        return report_error(context, CP_LIMIT, "read-fork", NOWHERE,
                            "no process can be started for %s: %s (--isolate=no reads without)", importer->plugin.name,
                            strerror(errno));
    if (reader.seconds > 0 && reader.seconds < UINT64_MAX / 2000)
        listener.deadline = milliseconds_now() + 1000 * reader.seconds;
    enum hearing hearing = listen_to_reader(&listener);
    cp_process_end(&listener.process, hearing == HEARD_END ? PROCESS_PATIENCE : 0);
    context->isolation = listener.means;
    if (listener.process.most_memory > context->reader_most)
        context->reader_most = listener.process.most_memory;
    if (hearing != HEARD_ANSWER && listener.lack == LACK_OF_MEMORY)
        return report_memory(&reader, "");
    if (hearing != HEARD_ANSWER)
        return report_end(&reader, &listener, hearing);
    if (listener.lack == LACK_OF_LIMIT)
        report_memory_limit(context);
    if (listener.lack == LACK_OF_MEMORY)
        return report_memory(&reader, "");
    return listener.status == CP_OK ? read_back(&reader, &listener.scene) : listener.status;
}

uint64_t cp_reader_memory(const cp_context *context)
{
    return context->reader_most;
}

const char *cp_isolation(const cp_context *context)
{
    return sandbox_words(context->isolation);
}

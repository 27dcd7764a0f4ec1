/* A reader's process: started, listened to, ended, and what became of it. */
#include "isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/process/process.h"
#include "messages.h"
#include "plugins/options.h"
#include "plugins/registry.h"

/* ---- the process ---- */

static void close_both(const int files[2])
{
    (void)close(files[0]);
    (void)close(files[1]);
}

static bool open_both(int channel[2], int words[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, channel) != 0)
        return false;
    if (pipe(words) != 0) {
        int error = errno;
        close_both(channel);
        errno = error;
        return false;
    }
    for (int i = 0; i < 2; i++) { /* for programs that the host starts meanwhile */
        (void)fcntl(channel[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(words[i], F_SETFD, FD_CLOEXEC);
    }
    (void)fcntl(words[0], F_SETFL, O_NONBLOCK);
    return true;
}

/* Fills in the listener's process and descriptors. */
static cp_status start(struct reader *reader, struct listener *listener)
{
    cp_context *context = listener->context;
    int channel[2], words[2];
    reader->parent = getpid();
    bool opened = open_both(channel, words);
    pid_t process = opened ? fork() : -1;
    if (process < 0) {
        int error = errno;
        if (opened) {
            close_both(channel);
            close_both(words);
        }
        return report_error(context, CP_LIMIT, "read-fork", NOWHERE,
                            "no process can be started for %s: %s (--isolate=no reads without)",
                            reader->importer->plugin.name, strerror(error));
    }
    if (process == 0) {
        reader->channel = channel[1];
        reader->words = words[1];
        run_reader(reader);
    }
    (void)close(channel[1]);
    (void)close(words[1]);
    listener->reader = process;
    listener->channel = channel[0];
    listener->words = words[0];
    return CP_OK;
}

/* Ends the process if it has not ended, and says how it did, as waitpid does; -1: it had to be killed, or nobody knows,
 * since the host does not let its processes be waited for. */
static int end(struct listener *listener, bool is_ending)
{
    enum { PATIENCE = 2000 }; /* milliseconds: from the socket's end to the process's */
    int how = -1;
    pid_t ended = 0;
    for (int i = 0; is_ending && i < PATIENCE && ended == 0; i++) {
        ended = waitpid(listener->reader, &how, WNOHANG);
        if (ended == 0)
            (void)poll(NULL, 0, 1);
    }
    bool lives = ended == 0;
    while (ended == 0 || (ended < 0 && errno == EINTR)) {
        (void)kill(listener->reader, SIGKILL);
        ended = waitpid(listener->reader, &how, 0);
    }
    hear_last_words(listener);
    (void)close(listener->channel);
    if (listener->words >= 0)
        (void)close(listener->words);
    return ended == listener->reader && !lives ? how : -1;
}

/* ---- what became of it ---- */

/* The last line that it printed, as a part of a message; "" if it printed none. */
static const char *last_words(struct listener *listener)
{
    enum { MOST_SHOWN = 200 };
    char *said = listener->said;
    size_t end = listener->said_size;
    while (end > 0 && (unsigned char)said[end - 1] <= ' ')
        end--;
    size_t begin = end;
    while (begin > 0 && said[begin - 1] != '\n')
        begin--;
    while (begin < end && (unsigned char)said[begin] <= ' ')
        begin++;
    if (end - begin > MOST_SHOWN)
        end = begin + MOST_SHOWN;
    for (size_t i = begin; i < end; i++)
        said[i] = said[i] < ' ' || said[i] > '~' ? '?' : said[i];
    if (begin == end)
        return "";
    const char *text =
        arena_print(listener->context->texts, "; its last words: %.*s", (int)(end - begin), said + begin);
    return text ? text : "";
}

static bool has_said(const struct listener *listener, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= listener->said_size; i++)
        if (memcmp(listener->said + i, text, size) == 0)
            return true;
    return false;
}

static cp_status report_memory(const struct reader *reader, const char *words)
{
    return report_error(reader->source->context, CP_LIMIT, "read-memory", NOWHERE,
                        "%s needed more than %llu MiB of memory (--limit reader-memory=)%s",
                        reader->importer->plugin.name, (unsigned long long)(reader->memory >> 20), words);
}

static cp_status report_killed(const struct reader *reader)
{
    return report_error(reader->source->context, CP_LIMIT, "read-memory", NOWHERE,
                        "%s was killed (signal 9), most likely since the machine ran out of memory "
                        "(--limit reader-memory= bounds it)",
                        reader->importer->plugin.name);
}

static cp_status report_time(const struct reader *reader)
{
    return report_error(reader->source->context, CP_LIMIT, "read-timeout", NOWHERE,
                        "%s took longer than %llu s (--limit reader-seconds=)", reader->importer->plugin.name,
                        (unsigned long long)reader->seconds);
}

static cp_status report_crash(const struct reader *reader, const char *how, const char *words)
{
    return report_error(reader->source->context, CP_INPUT, "read-crashed", NOWHERE, "%s %s while it read the file%s",
                        reader->importer->plugin.name, how, words);
}

/* how: of waitpid, or -1. */
static cp_status report_end(const struct reader *reader, struct listener *listener, enum hearing hearing, int how)
{
    int killer = how != -1 && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    bool starved = has_said(listener, "bad_alloc");
    const char *words = last_words(listener);
    char text[80];
    if (hearing == HEARD_NO_MORE)
        return CP_LIMIT;
    if (hearing == HEARD_NOTHING || killer == SIGXCPU)
        return report_time(reader);
    /* Its bytes may have gone, since somebody has cut the file short. */
    cp_status status = source_check(reader->source);
    if (status != CP_OK)
        return status;
    if (hearing == HEARD_NONSENSE)
        return report_crash(reader, "sent a damaged answer", words);
    if (killer == SIGKILL)
        return report_killed(reader);
    if (starved)
        return report_memory(reader, words);
    if (killer)
        (void)snprintf(text, sizeof text, "crashed (signal %d, %s)", killer, signal_words(killer));
    else if (how != -1 && WIFEXITED(how))
        (void)snprintf(text, sizeof text, "ended its process (exit %d)", WEXITSTATUS(how));
    else
        (void)snprintf(text, sizeof text, "gave no answer");
    return report_crash(reader, text, words);
}

/* ---- the scene ---- */

/* A scene that is handed over is whole: it names no files. */
static cp_status refuse_file(const struct source *parent, const char *name, bool is_picture, struct source **opened)
{
    (void)parent;
    (void)name;
    (void)is_picture;
    *opened = NULL;
    return CP_NO;
}

/* Takes over the bytes. */
static cp_status read_back(const struct reader *reader, struct buffer *bytes)
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
    struct reader reader = {
        .importer = importer,
        .source = source,
        .settings = settings,
        .scene = scene,
        .memory = limits->reader_memory,
        .seconds = limits->reader_seconds,
    };
    /* Ours ends at 4 GiB by its format; the memory that bounds the process bounds what it may send, too. */
    struct listener listener = {.context = context, .source = source, .most = UINT32_MAX};
    if (reader.memory < listener.most)
        listener.most = reader.memory;
    cp_status status = start(&reader, &listener);
    if (status != CP_OK)
        return status;
    if (reader.seconds > 0 && reader.seconds < UINT64_MAX / 2000)
        listener.deadline = milliseconds_now() + 1000 * reader.seconds;
    enum hearing hearing = listen_to_reader(&listener);
    int how = end(&listener, hearing == HEARD_END);
    context->isolation = listener.means;
    if (hearing != HEARD_ANSWER)
        return report_end(&reader, &listener, hearing, how);
    if (listener.lack == LACK_OF_LIMIT)
        report_memory_limit(context);
    if (listener.lack == LACK_OF_MEMORY)
        return report_memory(&reader, "");
    return listener.status == CP_OK ? read_back(&reader, &listener.scene) : listener.status;
}

const char *cp_isolation(const cp_context *context)
{
    return sandbox_words(context->isolation);
}

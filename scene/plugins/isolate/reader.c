/* The reader's side of the talk. The process has a copy of everything that its parent had, the file's bytes among it,
 * and shares nothing with the parent but a socket. */
#include "isolate.h"

#include <unistd.h>

#include "base/context.h"
#include "base/text/text.h"
#include "messages.h"
#include "plugins/registry.h"

static int channel; /* to the parent */

/* ---- messages ---- */

/* Sends the bytes. The process ends if its parent does not listen. */
static void say(const void *bytes, size_t size)
{
    char *plain;
    memcpy(&plain, &bytes, sizeof plain); /* a copy without const, as struct iovec wants it: sending does not write to
                                           * it */
    if (!cp_process_transfer(channel, plain, size, true, NULL))
        _exit(1);
}

static void hear(void *bytes, size_t size)
{
    if (!cp_process_transfer(channel, bytes, size, false, NULL))
        _exit(1);
}

static void skip(uint64_t size)
{
    char bytes[4096];
    for (size_t step; size > 0; size -= step) {
        step = size < sizeof bytes ? (size_t)size : sizeof bytes;
        hear(bytes, step);
    }
}

static void say_head(enum message_kind kind, size_t size)
{
    say(&(struct message_head){kind, (uint32_t)size}, sizeof(struct message_head));
}

/* Hands the report over and clears it: the parent goes on with it. A lack of memory is reported at the end instead. */
static void say_report(cp_context *context)
{
    static const uint32_t most[ENTRY_TEXTS] = {MOST_CODE, MOST_TEXT, MOST_TEXT, MOST_TEXT};
    for (uint32_t i = 0; i < context->report.entry_count; i++) {
        const cp_entry *entry = &context->report.entries[i];
        const char *const texts[ENTRY_TEXTS] = {entry->code, entry->file, entry->node, entry->text};
        struct entry_message message = {
            .severity = entry->severity, .line = entry->line, .column = entry->column, .count = entry->count};
        size_t size = sizeof message;
        if (strcmp(entry->code, "out-of-memory") == 0)
            continue;
        for (int k = 0; k < ENTRY_TEXTS; k++) {
            size_t length = texts[k] ? strlen(texts[k]) : 0;
            message.sizes[k] = !texts[k] ? TEXT_ABSENT : length < most[k] ? (uint32_t)length : most[k];
            size += texts[k] ? message.sizes[k] + (size_t)1 : 0;
        }
        say_head(MESSAGE_ENTRY, size);
        say(&message, sizeof message);
        for (int k = 0; k < ENTRY_TEXTS; k++)
            if (texts[k]) {
                say(texts[k], message.sizes[k]);
                say("", 1);
            }
    }
    bool out_of_memory = context->report.out_of_memory;
    cp_report_clear(context);
    context->report.out_of_memory = out_of_memory;
}

/* Opens a file as source_open does, through the parent. The parent resolves the name from the top file's folder, the
 * only one that third-party readers know. */
static cp_status ask_for_file(const struct source *parent, const char *name, bool is_picture, struct source **opened)
{
    cp_context *context = parent->context;
    size_t size = strlen(name) + 1;
    struct file_message answer;
    if (size < 2 || size > MOST_NAME)
        return CP_NO;
    if (context->report.out_of_memory)
        return CP_LIMIT;
    say_report(context); /* first the entries so far: what the parent reports about this file comes after them */
    say_head(is_picture ? MESSAGE_PICTURE : MESSAGE_QUESTION, size);
    say(name, size);
    hear(&answer, sizeof answer);
    if (answer.status != CP_OK)
        return (cp_status)answer.status;
    char *texts[FILE_TEXTS];
    struct buffer bytes = {.context = context};
    uint64_t rest = answer.size;
    bool good = answer.size < SIZE_MAX && buffer_reserve(&bytes, (size_t)answer.size + 1);
    for (int i = 0; i < FILE_TEXTS; i++) {
        texts[i] = arena_allocate(context->report.texts, answer.sizes[i] + (size_t)1, 1);
        good = good && texts[i];
        rest += answer.sizes[i] + UINT64_C(1);
    }
    if (!good) { /* the next answer comes after this one */
        skip(rest);
        buffer_free(&bytes);
        return CP_LIMIT;
    }
    for (int i = 0; i < FILE_TEXTS; i++)
        hear(texts[i], answer.sizes[i] + (size_t)1);
    hear(bytes.data, (size_t)answer.size);
    bytes.size = (size_t)answer.size;
    bytes.data[bytes.size] = '\0';
    cp_status status = source_of_bytes(parent, texts[FILE_PATH], texts[FILE_NAME], texts[FILE_LABEL], &bytes, opened);
    if (status == CP_OK)
        (*opened)->ends_early = answer.ends_early;
    return status;
}

/* ---- the reading ---- */

/* Finds what the reader lacked, by the last error. */
static enum lack find_lack(const cp_context *context)
{
    const char *code = context->report.entry_count ? context->report.entries[context->report.entry_count - 1].code : "";
    if (context->report.out_of_memory)
        return *context->report.memory_message ? LACK_OF_LIMIT : LACK_OF_MEMORY;
    return text_ends_nocase(code, "memory") ? LACK_OF_MEMORY : LACK_OF_NOTHING;
}

void run_reader(void *user, int own)
{
    const struct reader_process *reader = user;
    cp_context *context = reader->source->context;
    channel = own;
    cp_report_clear(context);
    context->report.memory_message[0] = '\0';
    context->callbacks = (struct callbacks){0};
    context->threads = 1;
    context->flags[CP_FLAG_STRICT] = context->flags[CP_FLAG_ISOLATE] = false; /* the parent decides about losses */
    context->open_further = ask_for_file;
    uint32_t means = sandbox_enter(reader->memory, reader->seconds);
    say_head(MESSAGE_STARTED, sizeof means);
    say(&means, sizeof means);

    const struct carrier *carrier = &context->plugins->carrier;
    void *bytes = NULL;
    size_t size = 0;
    cp_status status = importer_read(reader->importer, reader->source, reader->settings, reader->scene);
    struct done_message done = {.lack = find_lack(context)};
    say_report(context);
    if (status == CP_OK && !context->report.out_of_memory) {
        status = write_further(context, reader->scene, carrier->format, &carrier->option, carrier->option != NULL,
                               &bytes, &size);
        done.lack = find_lack(context);
        if (status != CP_OK) { /* the writer's own message names a file that no user knows */
            report_error(context, status, "read-handover", NOWHERE,
                         "the scene cannot be handed over by the process that read it; read it without (--isolate=no)");
            say_report(context);
        }
    }
    if (context->report.out_of_memory)
        status = CP_LIMIT;
    done.status = status;
    done.size = size;
    say_head(MESSAGE_DONE, sizeof done);
    say(&done, sizeof done);
    say(bytes, size);
}

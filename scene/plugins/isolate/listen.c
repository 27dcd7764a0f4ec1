/* The parent's side of the talk. Everything that comes from the process may be forged and is checked. */
#include "isolate.h"

#include "base/context.h"
#include "cellpipe_build.h"
#include "messages.h"

enum {
    MOST_SPENT = 1 << 28, /* bytes of entries */
    MOST_CODES = 256      /* codes of the report: each entry is compared with them */
};

static enum hearing receive(struct reader_listener *listener, void *bytes, size_t size)
{
    return process_transfer(listener->context, &listener->process, bytes, size, false, listener->deadline);
}

static enum hearing give(struct reader_listener *listener, const void *bytes, size_t size)
{
    char *plain;
    memcpy(&plain, &bytes, sizeof plain); /* a copy without const, as struct iovec wants it: sending does not write to
                                           * it */
    return process_transfer(listener->context, &listener->process, plain, size, true, listener->deadline);
}

/* Tells whether both processes together may have so many bytes more: the limit bounds what this one holds, and what
 * the reader has added to its copy of that. */
static bool has_room(struct reader_listener *listener, uint64_t more)
{
    const cp_context *context = listener->context;
    uint64_t all, own, added = 0, most = context->limits.memory;
    if (process_sizes(listener->process.id, &all, &own) && own > listener->own)
        added = own - listener->own;
    if (most >= context->held && most - context->held >= added && most - context->held - added >= more)
        return true;
    listener->lack = LACK_OF_MEMORY;
    return false;
}

/* ---- entries of the report ---- */

/* Takes a text of `size` bytes and its NUL at *at, and moves *at past them. */
static bool take_text(const char **at, size_t *left, uint32_t size, uint32_t most, const char **text)
{
    *text = NULL;
    if (size == TEXT_ABSENT)
        return true;
    if (size > most || size >= *left || (*at)[size] != '\0' || memchr(*at, '\0', size))
        return false;
    *text = *at;
    *at += (size_t)size + 1;
    *left -= (size_t)size + 1;
    return true;
}

static bool is_code(const char *text)
{
    return text && *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(text);
}

static enum hearing hear_entry(struct reader_listener *listener, size_t size)
{
    struct entry_message message;
    const char *texts[ENTRY_TEXTS], *at = listener->payload.data + sizeof message;
    size_t length = size;
    if (size < sizeof message)
        return HEARD_NONSENSE;
    memcpy(&message, listener->payload.data, sizeof message);
    size -= sizeof message;
    bool sound = message.severity <= CP_ERROR && message.count > 0;
    for (int i = 0; i < ENTRY_TEXTS && sound; i++)
        sound = take_text(&at, &size, message.sizes[i], i == ENTRY_CODE ? MOST_CODE : MOST_TEXT, &texts[i]);
    if (!sound || size > 0 || !is_code(texts[ENTRY_CODE]) || !texts[ENTRY_TEXT])
        return HEARD_NONSENSE;
    /* An entry that adds to another one prints the text of that one again. Each entry is therefore charged as much as
     * the longest so far. */
    uint64_t longest = listener->longest_entry;
    listener->longest_entry = longest > length ? longest : length;
    listener->spent += listener->longest_entry;
    if (listener->spent > MOST_SPENT || listener->context->report.code_count > MOST_CODES)
        return HEARD_NONSENSE;
    const cp_entry entry = {.severity = (cp_severity)message.severity,
                            .code = texts[ENTRY_CODE],
                            .file = texts[ENTRY_FILE],
                            .line = message.line,
                            .column = message.column,
                            .node = texts[ENTRY_NODE],
                            .count = message.count};
    cp_report_entry(listener->context, &entry, "%s", texts[ENTRY_TEXT]);
    return HEARD_ANSWER;
}

/* ---- files ---- */

/* Answers a question for a file. The answer follows the rules for all further files (source_open), which also report
 * what is wrong with them. */
static enum hearing hear_question(struct reader_listener *listener, size_t size, bool is_picture)
{
    const char *name = listener->payload.data;
    if (size < 2 || size > MOST_NAME || name[size - 1] != '\0' || memchr(name, '\0', size - 1))
        return HEARD_NONSENSE;
    struct source *further = NULL;
    cp_status status = is_picture ? source_open_picture(listener->source, name, NULL, &further)
                                  : source_open(listener->source, name, &further);
    struct file_message answer = {.status = (uint32_t)status};
    enum hearing hearing = HEARD_NO_MORE;
    if (further && has_room(listener, further->size)) {
        const char *const texts[FILE_TEXTS] = {further->path, further->name, further->label};
        for (int i = 0; i < FILE_TEXTS; i++)
            answer.sizes[i] = (uint32_t)strlen(texts[i]);
        answer.ends_early = further->ends_early;
        answer.size = further->size;
        hearing = give(listener, &answer, sizeof answer);
        for (int i = 0; i < FILE_TEXTS && hearing == HEARD_ANSWER; i++)
            hearing = give(listener, texts[i], answer.sizes[i] + (size_t)1);
        if (hearing == HEARD_ANSWER)
            hearing = give(listener, further->data, further->size);
    } else if (!further) {
        hearing = give(listener, &answer, sizeof answer);
    }
    source_close(further);
    return hearing;
}

/* ---- the answer ---- */

static bool is_status(uint32_t status)
{
    return status == CP_OK || status == CP_USAGE || status == CP_INPUT || status == CP_LIMIT || status == CP_BUG;
}

static enum hearing hear_answer(struct reader_listener *listener, size_t size)
{
    struct done_message message;
    if (size != sizeof message)
        return HEARD_NONSENSE;
    memcpy(&message, listener->payload.data, sizeof message);
    bool has_scene = message.status == CP_OK;
    if (!is_status(message.status) || has_scene != (message.size > 0) || message.size > listener->most ||
        message.size >= SIZE_MAX)
        return HEARD_NONSENSE;
    listener->lack = has_scene ? LACK_OF_NOTHING : message.lack;
    listener->status = (cp_status)message.status;
    if (!has_scene)
        return HEARD_ANSWER;
    size = (size_t)message.size;
    if (!has_room(listener, size))
        return HEARD_NO_MORE;
    struct buffer *scene = &listener->scene;
    *scene = (struct buffer){.context = listener->context, .size = size, .capacity = size + 1};
    scene->data = memory_allocate(listener->context, scene->capacity, 1);
    if (!scene->data)
        return HEARD_NO_MORE;
    scene->data[size] = '\0';
    return receive(listener, scene->data, size);
}

enum hearing listen_to_reader(struct reader_listener *listener)
{
    struct message_head head = {0};
    enum hearing hearing = HEARD_ANSWER;
    listener->payload = listener->scene = (struct buffer){.context = listener->context};
    while (hearing == HEARD_ANSWER && head.kind != MESSAGE_DONE) {
        struct buffer *payload = &listener->payload;
        hearing = receive(listener, &head, sizeof head);
        if (hearing == HEARD_ANSWER && head.size > MOST_MESSAGE)
            hearing = HEARD_NONSENSE;
        if (hearing == HEARD_ANSWER && !buffer_reserve(payload, head.size + (size_t)1))
            hearing = HEARD_NO_MORE;
        if (hearing == HEARD_ANSWER)
            hearing = receive(listener, payload->data, head.size);
        if (hearing != HEARD_ANSWER)
            break;
        if (head.kind == MESSAGE_STARTED && head.size == sizeof(uint32_t))
            memcpy(&listener->means, payload->data, sizeof(uint32_t));
        else if (head.kind == MESSAGE_ENTRY)
            hearing = hear_entry(listener, head.size);
        else if (head.kind == MESSAGE_QUESTION || head.kind == MESSAGE_PICTURE)
            hearing = hear_question(listener, head.size, head.kind == MESSAGE_PICTURE);
        else if (head.kind == MESSAGE_DONE)
            hearing = hear_answer(listener, head.size);
        else
            hearing = HEARD_NONSENSE;
    }
    if (hearing != HEARD_ANSWER)
        buffer_free(&listener->scene);
    buffer_free(&listener->payload);
    return hearing;
}

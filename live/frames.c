/* Reads frames. */
#include "frames.h"

#include <string.h>

enum { CONTINUATION, TEXT, BINARY, END = 8, PING, PONG };
enum { FINAL = 0x80, RESERVED = 0x70, OPCODE = 0x0f, MASKED = 0x80, KEY_SIZE = 4 };

static bool fail(struct frame_event *event, int code, const char *why)
{
    *event = (struct frame_event){.kind = FRAME_FAULT, .code = code, .why = why};
    return false;
}

static unsigned opcode_of(const struct frames *frames)
{
    return frames->head[0] & OPCODE;
}

static bool is_control(const struct frames *frames)
{
    return opcode_of(frames) >= END;
}

/* How many bytes the head has, as its first two say. */
static size_t whole_head(const struct frames *frames)
{
    const unsigned length = frames->head[1] & ~(unsigned)MASKED;
    return 2 + KEY_SIZE + (length == 126 ? 2u : length == 127 ? 8u : 0u);
}

/* Checks the first two bytes. */
static bool check_kind(const struct frames *frames, struct frame_event *event)
{
    const unsigned opcode = opcode_of(frames), length = frames->head[1] & ~(unsigned)MASKED;
    if (frames->head[0] & RESERVED)
        return fail(event, END_PROTOCOL, "reserved bits");
    if (!(frames->head[1] & MASKED))
        return fail(event, END_PROTOCOL, "no mask");
    if (opcode == BINARY)
        return fail(event, END_TYPE, "texts alone");
    if (opcode > PONG || (opcode > BINARY && opcode < END))
        return fail(event, END_PROTOCOL, "unknown opcode");
    if (is_control(frames))
        return (frames->head[0] & FINAL && length <= MOST_CONTROL) ||
               fail(event, END_PROTOCOL, "no such control frame");
    return (opcode == CONTINUATION) == frames->is_text || fail(event, END_PROTOCOL, "a message within a message");
}

/* Reads the length. */
static bool read_length(struct frames *frames, size_t most, struct frame_event *event)
{
    const size_t bytes = whole_head(frames) - KEY_SIZE - 2;
    frames->size = bytes == 0 ? frames->head[1] & ~(unsigned)MASKED : 0;
    for (size_t i = 0; i < bytes; i++)
        frames->size = frames->size << 8 | frames->head[2 + i];
    frames->come = 0;
    if (bytes > 0 && frames->size < (bytes == 2 ? 126u : 65536u))
        return fail(event, END_PROTOCOL, "a length in too many bytes");
    if (!is_control(frames) && frames->size > most - frames->text.size)
        return fail(event, END_SIZE, "too long");
    return true;
}

/* Takes bytes of the head. False: a fault. */
static bool take_head(struct frames *frames, size_t most, unsigned char byte, struct frame_event *event)
{
    frames->head[frames->head_size++] = byte;
    if (frames->head_size == 2)
        return check_kind(frames, event);
    return frames->head_size < 2 || frames->head_size < whole_head(frames) || read_length(frames, most, event);
}

/* Takes bytes of the content, without their mask. */
static bool take_content(struct frames *frames, const unsigned char *bytes, size_t size, struct frame_event *event)
{
    const unsigned char *key = frames->head + frames->head_size - KEY_SIZE;
    char *to;
    if (is_control(frames))
        to = frames->control + frames->come;
    else {
        const size_t before = frames->text.size;
        buffer_append(&frames->text, bytes, size);
        if (frames->text.failed)
            return fail(event, END_MEMORY, "out of memory");
        to = frames->text.data + before;
    }
    for (size_t i = 0; i < size; i++)
        to[i] = (char)(bytes[i] ^ key[(frames->come + i) % KEY_SIZE]);
    frames->come += size;
    return true;
}

/* The frame is whole. */
static void tell(struct frames *frames, struct frame_event *event)
{
    static const enum frame_kind kinds[] = {[END] = FRAME_END, [PING] = FRAME_PING, [PONG] = FRAME_PONG};
    const bool final = frames->head[0] & FINAL;
    if (is_control(frames)) {
        event->kind = kinds[opcode_of(frames)];
        event->bytes = frames->control;
        event->size = (size_t)frames->size;
    } else if (final) {
        event->kind = FRAME_TEXT;
        event->bytes = frames->text.size > 0 ? frames->text.data : "";
        event->size = frames->text.size;
    }
    if (!is_control(frames))
        frames->is_text = !final;
    frames->head_size = 0;
}

size_t frames_take(struct frames *frames, size_t most, const unsigned char *bytes, size_t size,
                   struct frame_event *event)
{
    size_t at = 0;
    *event = (struct frame_event){.kind = FRAME_GOES_ON};
    if (!frames->is_text && frames->head_size == 0)
        buffer_free(&frames->text); /* the message before is done with */
    while (frames->head_size < 2 || frames->head_size < whole_head(frames))
        if (at == size || !take_head(frames, most, bytes[at++], event))
            return at;
    const uint64_t lacking = frames->size - frames->come;
    const size_t more = lacking < size - at ? (size_t)lacking : size - at;
    if (more > 0 && !take_content(frames, bytes + at, more, event))
        return at;
    if (frames->come == frames->size)
        tell(frames, event);
    return at + more;
}

void frames_free(struct frames *frames)
{
    buffer_free(&frames->text);
}

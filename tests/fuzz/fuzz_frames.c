/* Fuzzes the reader of WebSocket frames. The first byte says how long the pieces are in which the bytes come: in pieces
 * and as a whole they are to say the same. */
#include <stdlib.h>
#include <string.h>

#include "../../live/frames.h"

enum { MOST = 4096 };

/* Sums up all events of the bytes, which come in pieces of so many. */
static cp_hash hear(cp_context *context, const uint8_t *bytes, size_t size, size_t piece)
{
    struct frames frames = {.text = {.context = context}};
    struct buffer said = {.context = context};
    struct frame_event event = {.kind = FRAME_GOES_ON};
    bool over = false;
    for (size_t begin = 0; begin < size && !over; begin += piece) {
        const size_t end = size - begin < piece ? size : begin + piece;
        for (size_t at = begin; at < end && !over;) {
            const size_t taken = frames_take(&frames, MOST, bytes + at, end - at, &event);
            if (taken == 0 || taken > end - at || (event.kind != FRAME_FAULT && event.size > MOST))
                abort();
            at += taken;
            over = event.kind == FRAME_FAULT || event.kind == FRAME_END;
            if (event.kind == FRAME_GOES_ON)
                continue;
            buffer_append(&said, &event.kind, sizeof event.kind);
            buffer_append(&said, event.bytes, event.kind == FRAME_FAULT ? 0 : event.size);
            buffer_append(&said, &event.code, sizeof event.code);
        }
    }
    const cp_hash hash = cp_hash_bytes(said.size > 0 ? said.data : "", said.size);
    buffer_free(&said);
    frames_free(&frames);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    cp_context *context = cp_context_new(NULL);
    const cp_hash whole = hear(context, bytes + 1, size - 1, size),
                  pieces = hear(context, bytes + 1, size - 1, 1u + bytes[0] % 32);
    if (whole.high != pieces.high || whole.low != pieces.low)
        abort();
    cp_context_free(context);
    return 0;
}

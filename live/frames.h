/* Frames of a WebSocket as browsers send them (RFC 6455, section 5): bytes become messages. libwebsockets has a reader
 * of its own, but that of version 4.1 takes frames without a mask, too, and tells nobody. No network here. */
#ifndef CELLPIPE_LIVE_FRAMES_H
#define CELLPIPE_LIVE_FRAMES_H

#include "cellpipe_tool.h"

enum { MOST_CONTROL = 125 /* bytes of a ping, a pong and an end */ };

/* What is wrong is said by the codes of RFC 6455, section 7.4.1. */
enum {
    END_PROTOCOL = 1002, /* no browser sends that */
    END_TYPE = 1003,     /* binary */
    END_POLICY = 1008,
    END_SIZE = 1009,
    END_MEMORY = 1011
};

/* The connection so far; zeroed memory at first, with the context in the buffer. */
struct frames {
    struct buffer text;     /* the message that is under way */
    bool is_text;           /* one is */
    unsigned char head[14]; /* the present frame begins so */
    size_t head_size;       /* how much of it has come */
    uint64_t size, come;    /* its content has so many bytes in all, and these have come */
    char control[MOST_CONTROL];
};

enum frame_kind { FRAME_GOES_ON, FRAME_TEXT, FRAME_PING, FRAME_PONG, FRAME_END, FRAME_FAULT };
struct frame_event {
    enum frame_kind kind;
    const char *bytes; /* valid until the next call */
    size_t size;
    int code;        /* says what a fault is */
    const char *why; /* says the same to people */
};

/* Takes bytes up to the end of a frame, and says what has come. Returns how many it has taken; nothing more comes after
 * a fault or an end. */
size_t frames_take(struct frames *frames, size_t most, const unsigned char *bytes, size_t size,
                   struct frame_event *event);
void frames_free(struct frames *frames);

#endif

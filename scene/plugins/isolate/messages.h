/* The messages between a reader's process and its parent, over one socket. Both are the same program, so that numbers
 * are sent as the machine has them. The parent trusts none of the messages (listen.c).
 *
 * The reader first reports what restrains it. Then it sends entries of its report, and questions for files; it goes on
 * as soon as a question is answered. Its last message reports that it is done, and the scene follows. */
#ifndef CELLPIPE_PLUGINS_ISOLATE_MESSAGES_H
#define CELLPIPE_PLUGINS_ISOLATE_MESSAGES_H

#include <stdint.h>

enum message_kind {
    MESSAGE_STARTED = 1, /* uint32_t: SANDBOX_... */
    MESSAGE_ENTRY,       /* struct entry_message, then its texts, each with a NUL */
    MESSAGE_QUESTION,    /* a file's name, with a NUL */
    MESSAGE_DONE,        /* struct done_message; the scene's bytes follow, beyond the message's size */
    MESSAGE_PICTURE      /* a question for a picture, which may lie where it may not be read */
};

struct message_head {
    uint32_t kind, size; /* of what follows */
};
enum { MOST_MESSAGE = 1 << 20, MOST_NAME = 1 << 16, MOST_CODE = 64, MOST_TEXT = 1 << 16 };

/* A length that says "no text": lengths are those of texts without their NUL. */
#define TEXT_ABSENT UINT32_MAX

enum { ENTRY_CODE, ENTRY_FILE, ENTRY_NODE, ENTRY_TEXT, ENTRY_TEXTS };
struct entry_message {
    uint32_t severity;
    uint32_t sizes[ENTRY_TEXTS]; /* TEXT_ABSENT: NULL */
    uint64_t line, column, count;
};

/* The answer to a question. If the status is CP_OK, the texts (with a NUL each) and the bytes follow. */
enum { FILE_PATH, FILE_NAME, FILE_LABEL, FILE_TEXTS };
struct file_message {
    uint32_t status, ends_early;
    uint32_t sizes[FILE_TEXTS];
    uint64_t size;
};

/* The resource that was too small if the status is CP_LIMIT. */
enum lack { LACK_OF_NOTHING, LACK_OF_MEMORY, LACK_OF_LIMIT /* of memory, as the context counts it */ };

struct done_message {
    uint32_t status;
    uint32_t lack;
    uint64_t size; /* of the scene */
};

#endif

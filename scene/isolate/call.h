/* One call of foreign code in a process of its own, and what became of it. */
#ifndef CELLPIPE_ISOLATE_CALL_H
#define CELLPIPE_ISOLATE_CALL_H

#include "../plugin.h"

/* What the process does: it fills in the answer. What it prints goes nowhere. It gives up its rights by sandbox_enter
 * when it has opened what it needs. */
struct isolated_call {
    void (*work)(void *user, void *answer);
    void *user;
    void *answer; /* size bytes, which the process has too as they were */
    size_t size;
    double seconds; /* after which it is ended */
};

/* CP_OK when the answer has come; CP_NO with the reason in `why` ("crashed (signal 11, Segmentation fault)") when the
 * process ended without; CP_LIMIT, reported, when there can be no process, or the context was cancelled. */
enum { CALL_REASON = 120 };
cp_status isolate_call(cp_context *context, const struct isolated_call *call, char why[CALL_REASON]);

/* isolate.c: "Segmentation fault" */
const char *signal_words(int number);

#endif

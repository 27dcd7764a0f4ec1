/* Processes of our own. cellpipe_tool.h declares the engine (process.c); here is what the library alone uses. */
#ifndef CELLPIPE_BASE_PROCESS_PROCESS_H
#define CELLPIPE_BASE_PROCESS_PROCESS_H

#include <stdint.h>

#include "cellpipe_tool.h"

enum hearing {
    HEARD_ANSWER,
    HEARD_END,      /* the process closed its end, most likely by dying */
    HEARD_NONSENSE, /* the caller's: no process of ours says this */
    HEARD_NOTHING,  /* in time */
    HEARD_NO_MORE   /* cancelled, or out of memory here: reported */
};

/* Sends or receives size bytes, until the deadline (in milliseconds_now; 0: none). */
enum hearing process_transfer(cp_context *context, struct process *process, void *bytes, size_t size, bool sends,
                              uint64_t deadline);

/* "crashed (signal 11, Segmentation fault)", after cp_process_end. */
enum { PROCESS_END = 80, PROCESS_PATIENCE = 2000 /* milliseconds: from the channel's end to the process's */ };
void process_describe_end(const struct process *process, char text[PROCESS_END]);

/* Reads the size of a process's address space (id 0: of this one), and of its private writable part, in bytes. False if
 * the system does not tell. */
bool process_sizes(int id, uint64_t *all, uint64_t *own);

/* Runs one call of foreign code in a process of its own, and finds out what became of it. */

/* A call for a process of its own. `work` fills in the answer. What it prints is thrown away. It gives up its rights by
 * sandbox_enter as soon as it has opened what it needs. */
struct isolated_call {
    void (*work)(void *user, void *answer);
    void *user;
    void *answer; /* size bytes, which the process has too as they were */
    size_t size;
    double seconds; /* after which the process is ended */
};

/* CP_OK when the answer has come; CP_NO with the reason in `why` ("crashed (signal 11, Segmentation fault)") when the
 * process ended without; CP_LIMIT, reported, when there can be no process, or the context was cancelled. */
enum { CALL_REASON = 120 };
cp_status isolate_call(cp_context *context, const struct isolated_call *call, char why[CALL_REASON]);

/* Keeps a process that runs a third-party reader from doing more than compute and use the descriptors it has. */

enum { SANDBOX_LIMITS = 1 << 0, SANDBOX_LANDLOCK = 1 << 1, SANDBOX_SECCOMP = 1 << 2 };

/* Restricts the calling process, which has one thread, by resource limits, Landlock and seccomp, as far as the system
 * has them. The process may take at most `memory` bytes beyond those it has, and `seconds` of processor time (0:
 * unlimited). It cannot open files or sockets, nor start programs, processes or threads; signals go to itself alone.
 * Returns the fences that are in force, SANDBOX_... */
unsigned sandbox_enter(uint64_t memory, uint64_t seconds);
/* Returns the names of these fences: "rlimits, landlock, seccomp", or fewer of them. */
const char *sandbox_words(unsigned means);

#endif

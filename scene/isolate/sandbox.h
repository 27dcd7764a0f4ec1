/* What keeps a process that runs a third-party reader from doing more than compute and use the descriptors it has. */
#ifndef CELLPIPE_ISOLATE_SANDBOX_H
#define CELLPIPE_ISOLATE_SANDBOX_H

#include <stdint.h>

enum { SANDBOX_LIMITS = 1 << 0, SANDBOX_LANDLOCK = 1 << 1, SANDBOX_SECCOMP = 1 << 2 };

/* Lets the calling process, which has one thread, take at most `memory` bytes beyond those it has, and `seconds` of
 * processor time (0: no end). It opens no file or socket, starts no program, process or thread, and sends signals to
 * itself alone: by resource limits, Landlock and seccomp, as far as the system has them. Returns what is in force,
 * SANDBOX_... */
unsigned sandbox_enter(uint64_t memory, uint64_t seconds);
/* "rlimits, landlock, seccomp", or fewer of them. */
const char *sandbox_words(unsigned means);

#endif

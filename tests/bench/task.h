/* The main function of programs that do one thing in a context, and end with its status. */
#ifndef BENCH_TASK_H
#define BENCH_TASK_H

#include "cellpipe.h"

/* Runs a task with at least `least` words, of which those after are options "K=V"; tells its warnings and errors. */
int run_task(int count, char **arguments, int least, const char *usage,
             cp_status (*task)(cp_context *context, char **arguments, const char *const *options, size_t option_count));

#endif

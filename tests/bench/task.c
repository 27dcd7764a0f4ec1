#include "task.h"

#include <stdio.h>

int run_task(int count, char **arguments, int least, const char *usage,
             cp_status (*task)(cp_context *context, char **arguments, const char *const *options, size_t option_count))
{
    if (count < least) {
        fprintf(stderr, "usage: %s\n", usage);
        return CP_USAGE;
    }
    cp_context *context = cp_context_new(NULL);
    if (!context)
        return CP_LIMIT;
    cp_status status = task(context, arguments, (const char *const *)(arguments + least), (size_t)(count - least));
    size_t entries;
    const cp_entry *report = cp_report(context, &entries);
    for (size_t i = 0; i < entries; i++)
        if (report[i].severity >= CP_WARNING)
            fprintf(stderr, "%s\n", report[i].message);
    cp_context_free(context);
    return (int)status;
}

/* Finds how much memory this process can have. Control groups are described in man 7 cgroups. */
#include "context.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LONGEST = 4096 };

/* Returns the number in a file; UINT64_MAX if there is none ("max", no file). */
static uint64_t number_in(const char *path)
{
    unsigned long long number = 0;
    FILE *file = fopen(path, "r");
    bool found = file && fscanf(file, "%llu", &number) == 1;
    if (file)
        (void)fclose(file);
    return found ? number : UINT64_MAX;
}

/* Returns the least limit of a group and of all groups around it. A container may not see its own group but only the
 * outermost. */
static uint64_t limit_of_group(char *group, const char *mount, const char *name)
{
    uint64_t least = UINT64_MAX;
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        char path[LONGEST + 64];
        *end = '\0';
        (void)snprintf(path, sizeof path, "%s%s/%s", mount, group, name);
        uint64_t limit = number_in(path);
        least = limit < least ? limit : least;
    }
    return least;
}

/* Returns the least limit of all groups of this process. Their lines are NUMBER:CONTROLLERS:GROUP; in version 2 the
 * list of controllers is empty. */
static uint64_t limit_of_groups(void)
{
    char line[LONGEST];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        uint64_t limit = UINT64_MAX;
        if (strcmp(controllers, ":") == 0)
            limit = limit_of_group(group, "/sys/fs/cgroup", "memory.max");
        else if (strcmp(controllers, ":memory") == 0)
            limit = limit_of_group(group, "/sys/fs/cgroup/memory", "memory.limit_in_bytes");
        least = limit < least ? limit : least;
    }
    if (file)
        (void)fclose(file);
    return least;
}

static uint64_t known; /* cached: it does not change while the process runs */

static void find_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t physical = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    uint64_t groups = limit_of_groups();
    known = groups < physical ? groups : physical;
}

uint64_t machine_memory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct rlimit space;
    (void)pthread_once(&once, find_memory);
    bool is_limited = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
    return is_limited && space.rlim_cur < known ? (uint64_t)space.rlim_cur : known;
}

/* Temporary files: .cellpipe-HOST-PID-RANDOM beside the output. The name tells a sweep whether the writer is gone. */
#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "base/text/text.h"

static const char prefix[] = ".cellpipe-";
enum { PREFIX_SIZE = sizeof prefix - 1, RANDOM_SIZE = 16, STALE_SECONDS = 24 * 60 * 60 };

/* At most 64 bytes of the host's name, safe in a file's name. The number of the PID namespace follows unless that is
 * the machine's first one: another container may have the same name, and other processes of the same numbers. */
static char host[96];

static void find_host(void)
{
    enum { MOST_OF_NAME = 64 };
    static const char first_namespace[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO of Linux */
    char name[256] = "", link[64] = "";
    if (gethostname(name, sizeof name - 1) != 0 || !*name)
        (void)strcpy(name, "host");
    size_t size = 0;
    for (; name[size] && size < MOST_OF_NAME; size++)
        host[size] = is_letter(name[size]) || is_digit(name[size]) || name[size] == '-' ? name[size] : '_';
    ssize_t length = readlink("/proc/self/ns/pid", link, sizeof link - 1);
    if (length > 0 && strcmp(link, first_namespace) != 0 && strncmp(link, first_namespace, 5) == 0)
        (void)snprintf(host + size, sizeof host - size, ".%lu", strtoul(link + 5, NULL, 10));
}

static const char *host_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_host);
    return host;
}

const char *temporary_name(struct arena *arena, const char *path)
{
    return arena_print(arena, "%.*s%s%s-%ld-%016llx", (int)(text_file_name(path) - path), path, prefix, host_name(),
                       (long)getpid(), (unsigned long long)context_random(arena));
}

/* ---- sweeping ---- */

/* Tells whether the name is one of ours; *pid is its process if that is on this host, else 0. */
static bool read_name(const char *name, pid_t *pid)
{
    size_t size = strlen(name);
    *pid = 0;
    if (size < PREFIX_SIZE + RANDOM_SIZE || strncmp(name, prefix, PREFIX_SIZE) != 0)
        return false;
    const char *of_host = name + PREFIX_SIZE, *random = name + size - RANDOM_SIZE;
    if (strspn(random, "0123456789abcdef") != RANDOM_SIZE || random[-1] != '-')
        return false;
    const char *number = random - 1;
    while (number > of_host && is_digit(number[-1]))
        number--;
    if (number == random - 1 || number - of_host < 2 || number[-1] != '-')
        return false;
    size_t host_size = (size_t)(number - 1 - of_host);
    long value = strtol(number, NULL, 10);
    if (host_size == strlen(host_name()) && memcmp(of_host, host_name(), host_size) == 0 && value > 0 &&
        value <= INT_MAX)
        *pid = (pid_t)value;
    return true;
}

/* Tells whether the process has ended, or will without another step: it is a zombie, or has a SIGKILL before it. */
static bool is_dead(pid_t pid)
{
    char path[64], text[4096] = "";
    if (kill(pid, 0) != 0)
        return errno == ESRCH;
    (void)snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC); /* Linux; elsewhere the test above is all there is */
    ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        (void)close(file);
    text[size > 0 ? size : 0] = '\0';
    const char *state = strstr(text, "\nState:\t"), *own = strstr(text, "\nSigPnd:\t"),
               *all = strstr(text, "\nShdPnd:\t");
    unsigned long long pending = (own ? strtoull(own + 9, NULL, 16) : 0) | (all ? strtoull(all + 9, NULL, 16) : 0);
    return (state && (state[8] == 'Z' || state[8] == 'X')) || (pending >> (SIGKILL - 1) & 1);
}

/* Returns the present time by the clock of the folder's file system, which may be that of another host. */
static time_t time_in(const char *folder)
{
    struct stat info;
    int file = open_nameless(folder, 0600);
    bool is_known = file >= 0 && fstat(file, &info) == 0;
    if (file >= 0)
        (void)close(file);
    return is_known ? info.st_mtime : time(NULL);
}

/* Tells whether nobody writes the file any more: its process is gone from this host, or the file is a day old, whatever
 * the clock of this host says. The latter counts even if the process lives: its number may belong to another one by
 * now, and the file would stay for ever. */
static bool is_stale(const char *folder, const struct stat *info, pid_t pid)
{
    return (pid > 0 && is_dead(pid)) || (time(NULL) - info->st_mtime >= STALE_SECONDS &&
                                         time_in(folder) - info->st_mtime >= STALE_SECONDS);
}

cp_status cp_sweep(cp_context *context, const char *folder, size_t *removed)
{
    *removed = 0;
    DIR *listing = opendir(folder);
    if (!listing && errno == ENOENT)
        return CP_OK;
    if (!listing && errno == ENOMEM) {
        report_out_of_memory(context);
        return context_finish(context, CP_LIMIT);
    }
    if (!listing)
        return context_finish(context, report_error(context, CP_OUTPUT, "sweep", IN_FILE(folder),
                                                    "cannot be searched for temporary files: %s", strerror(errno)));
    for (const struct dirent *entry; (entry = readdir(listing));) {
        struct stat info;
        pid_t pid;
        *removed += read_name(entry->d_name, &pid) &&
                    fstatat(dirfd(listing), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
                    is_stale(folder, &info, pid) && unlinkat(dirfd(listing), entry->d_name, 0) == 0;
    }
    (void)closedir(listing);
    return CP_OK;
}

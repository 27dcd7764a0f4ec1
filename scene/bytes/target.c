/* Where an output goes. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <sys/un.h>
#include <unistd.h>

#include "../context.h"
#include "../text/text.h"
#include "files.h"
#include "temporary.h"

enum { MOST_LINKS = 40 };

/* ---- opening ---- */

static cp_status say_unwritable(cp_context *context, const char *path)
{
    return report_error(context, CP_OUTPUT, "sink-open", IN_FILE(path), "cannot be written: %s", strerror(errno));
}

/* The number of a descriptor that goes by a path ("/dev/stdout", "/dev/fd/63"), or -1. Opened anew, a file behind it
 * would be written from its start, and a socket could not be opened at all. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t size = strlen(folders[i]), digits = strspn(path + (strlen(path) < size ? 0 : size), "0123456789");
        if (strncmp(path, folders[i], size) == 0 && digits > 0 && digits < 8 && !path[size + digits])
            return atoi(path + size);
    }
    return -1;
}

static int connect_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    (void)strcpy(address.sun_path, path);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file < 0 || connect(file, (const struct sockaddr *)&address, sizeof address) == 0)
        return file;
    int error = errno;
    (void)close(file);
    errno = error;
    return -1;
}

/* What is there; *mode 0: nothing. */
static cp_status look_at(cp_context *context, const char *path, mode_t *mode, bool *through)
{
    struct stat info = {0};
    bool exists = stat(path, &info) == 0;
    *mode = info.st_mode;
    if (!exists && errno == ELOOP)
        return say_unwritable(context, path);
    if (exists && S_ISDIR(info.st_mode))
        return report_error(context, CP_OUTPUT, "sink-folder", IN_FILE(path), "is a folder");
    *through = descriptor_of(path) >= 0 || (exists && !S_ISREG(info.st_mode));
    if (exists && !*through && context->flags[CP_FLAG_NO_CLOBBER])
        return report_error(context, CP_OUTPUT, "sink-exists", IN_FILE(path), "exists already (--no-clobber)");
    return CP_OK;
}

/* The file behind symbolic links, which need not exist; NULL when out of memory. */
static const char *behind_links(struct arena *arena, const char *path)
{
    char link[PATH_MAX];
    for (int i = 0; path && i < MOST_LINKS; i++) {
        ssize_t size = readlink(path, link, sizeof link);
        if (size < 0 || (size_t)size == sizeof link)
            break;
        int folder = link[0] == '/' ? 0 : (int)(text_file_name(path) - path);
        path = arena_print(arena, "%.*s%.*s", folder, path, (int)size, link);
    }
    return path;
}

/* Whether two files, which need not exist, have one name in one folder. */
static bool is_same_place(struct arena *arena, const char *a, const char *b)
{
    const char *names[2] = {text_file_name(a), text_file_name(b)};
    struct stat folders[2];
    if (strcmp(names[0], names[1]) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        const char *path = i == 0 ? a : b;
        const char *folder = arena_print(arena, "%.*s.", (int)(names[i] - path), path);
        if (!folder || stat(folder, &folders[i]) != 0)
            return false;
    }
    return folders[0].st_dev == folders[1].st_dev && folders[0].st_ino == folders[1].st_ino;
}

cp_status target_open(cp_context *context, struct arena *arena, const char *path, struct target *target)
{
    mode_t mode;
    bool through = false;
    path = arena_copy_text(arena, path, strlen(path));
    cp_status status = path ? look_at(context, path, &mode, &through) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    target->path = path;
    if (through) { /* what is there already and no regular file is written in place */
        int descriptor = descriptor_of(path);
        target->through = true;
        if (descriptor >= 0)
            target->file = dup(descriptor);
        else if (S_ISSOCK(mode))
            target->file = connect_socket(path);
        else
            target->file = context_open_file(context, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return target->file >= 0 ? CP_OK : say_unwritable(context, path);
    }
    const char *kept = context->kept_path ? behind_links(arena, context->kept_path) : "";
    target->path = behind_links(arena, path);
    if (!target->path || !kept)
        return CP_LIMIT;
    if (*kept && is_same_place(arena, target->path, kept))
        return report_error(context, CP_USAGE, "sink-kept", IN_FILE(path),
                            "is to be another output, such as the report");
    if (files_known(context, path, FILE_READ))
        return report_error(context, CP_USAGE, "write-input", IN_FILE(path), "is an input");
    if (context->flags[CP_FLAG_WRITE_ONCE] && files_known(context, path, FILE_WRITTEN))
        return report_error(context, CP_USAGE, "sink-twice", IN_FILE(path), "was written by another output just now");
    /* A new file beside it: a name that nobody has. Nobody may read it who may not read the one that it replaces. */
    for (int i = 0; i < 1000; i++) {
        target->temporary = temporary_name(arena, target->path);
        if (!target->temporary)
            return CP_LIMIT;
        target->file = open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ? mode & 0777 : 0666);
        if (target->file >= 0)
            return CP_OK;
        if (errno != EEXIST)
            break;
    }
    target->temporary = NULL;
    return say_unwritable(context, target->path);
}

cp_status target_expect(cp_context *context, const char *path)
{
    struct stat link = {0};
    mode_t mode;
    bool through = false;
    cp_status status = look_at(context, path, &mode, &through);
    if (status != CP_OK || through || (lstat(path, &link) == 0 && S_ISLNK(link.st_mode)))
        return status;
    struct buffer folder = {.context = context};
    buffer_append(&folder, path, (size_t)(text_file_name(path) - path));
    buffer_append(&folder, ".", sizeof "."); /* "FOLDER/." */
    if (folder.failed)
        status = CP_LIMIT;
    else if (access(folder.data, W_OK | X_OK) != 0)
        status = say_unwritable(context, path);
    buffer_free(&folder);
    return status;
}

/* ---- closing ---- */

cp_status target_record(cp_context *context, const struct target *target)
{
    struct stat info;
    if (!target->temporary || stat(target->temporary, &info) != 0)
        return CP_OK;
    return files_record(
        context,
        (struct file_record){.path = target->path, .use = FILE_WRITTEN, .device = info.st_dev, .inode = info.st_ino});
}

/* renameat2 of Linux, by its number, since few C libraries have it without extensions. */
enum rename_way { KEEP_OTHERS = 1 /* RENAME_NOREPLACE */, EXCHANGE = 2 /* RENAME_EXCHANGE */ };
static bool rename_by(enum rename_way way, const char *from, const char *to)
{
#ifdef SYS_renameat2
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, (unsigned)way) == 0;
#else
    (void)way;
    (void)from;
    (void)to;
    errno = ENOSYS;
    return false;
#endif
}

cp_status target_put_in_place(cp_context *context, struct target *target, bool keeps_old)
{
    if (!target->temporary)
        return CP_OK;
    struct stat info;
    bool exists = stat(target->path, &info) == 0, fresh = context->flags[CP_FLAG_NO_CLOBBER], done;
    if (exists) /* the replaced file's permissions stay */
        (void)chmod(target->temporary, info.st_mode & 07777);
    if (!fresh && exists && keeps_old && rename_by(EXCHANGE, target->temporary, target->path)) {
        target->placed = PLACED_FOR_OLD;
        return CP_OK;
    }
    done =
        fresh ? rename_by(KEEP_OTHERS, target->temporary, target->path) : rename(target->temporary, target->path) == 0;
    if (!done && fresh && errno != EEXIST) { /* a hard link replaces nothing either, where there are such */
        done = link(target->temporary, target->path) == 0;
        if (done)
            (void)unlink(target->temporary);
    }
    if (!done) {
        bool no_way = fresh && (errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK);
        return report_error(
            context, CP_OUTPUT, "sink-rename", IN_FILE(target->path), "cannot be put in place: %s%s", strerror(errno),
            no_way ? " (its file system cannot do that without replacing files; leave out --no-clobber)" : "");
    }
    target->placed = exists ? PLACED_FOR_GOOD : PLACED_NEW;
    target->temporary = NULL;
    return CP_OK;
}

void target_take_back(struct target *target)
{
    if (target->placed == PLACED_FOR_OLD)
        (void)rename_by(EXCHANGE, target->temporary, target->path);
    else if (target->placed == PLACED_NEW)
        (void)unlink(target->path);
    target->placed = PLACED_NOT;
}

void target_remove(struct target *target)
{
    if (target->temporary)
        (void)unlink(target->temporary);
    target->temporary = NULL;
}

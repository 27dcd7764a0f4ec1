/* Where an output goes. */
#include "disk.h"

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

#include "base/context.h"
#include "base/text/text.h"

#if defined O_TMPFILE
enum { NAMELESS = O_TMPFILE };
#elif defined __O_TMPFILE /* glibc's, without extensions */
enum { NAMELESS = __O_TMPFILE };
#else
enum { NAMELESS = 0 };
#endif

enum { MOST_LINKS = 40, LONGEST_DESCRIPTOR = 40 /* "/proc/self/fd/N" */ };

/* ---- opening ---- */

const char *code_of_output(int error, const char *code)
{
    return error == ENOSPC || error == EDQUOT ? "sink-full" : code;
}

static cp_status say_unwritable(cp_context *context, const char *path)
{
    return report_error(context, CP_OUTPUT, code_of_output(errno, "sink-open"), IN_FILE(path), "cannot be written: %s",
                        strerror(errno));
}

/* Returns the number of a descriptor that has a path ("/dev/stdout", "/dev/fd/63"), or -1. To open the path anew would
 * write the file behind it from its start, and fail for a socket. */
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

/* Finds out what the path is; *mode 0: nothing is there. */
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

/* Returns the file behind symbolic links, which need not exist; NULL when out of memory. */
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

/* Tells whether two files, which need not exist, have one name in one folder. */
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

static void print_descriptor(int file, char text[LONGEST_DESCRIPTOR])
{
    (void)snprintf(text, LONGEST_DESCRIPTOR, "/proc/self/fd/%d", file);
}

int open_nameless(const char *folder, mode_t mode)
{
    char path[LONGEST_DESCRIPTOR];
    int file = NAMELESS ? open(folder, O_RDWR | NAMELESS | O_CLOEXEC, mode) : -1;
    if (file < 0)
        return -1;
    print_descriptor(file, path);
    if (access(path, F_OK) == 0)
        return file;
    (void)close(file);
    return -1;
}

/* Opens a new file: without a name, else beside the path under a new name. */
static cp_status open_new(cp_context *context, struct arena *arena, mode_t mode, struct target *target)
{
    int size = (int)(text_file_name(target->path) - target->path);
    const char *folder = arena_print(arena, "%.*s.", size, target->path);
    target->temporary = folder ? temporary_name(arena, target->path) : NULL;
    if (!target->temporary)
        return CP_LIMIT;
    target->file = open_nameless(folder, mode);
    target->is_nameless = target->file >= 0;
    if (target->is_nameless)
        return CP_OK;
    for (int i = 0; i < 1000; i++) {
        target->file = open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (target->file >= 0)
            return CP_OK;
        if (errno != EEXIST)
            break;
        target->temporary = temporary_name(arena, target->path);
        if (!target->temporary)
            return CP_LIMIT;
    }
    target->temporary = NULL;
    return say_unwritable(context, target->path);
}

static cp_status say_input(cp_context *context, const char *path)
{
    return report_error(context, CP_USAGE, "write-input", IN_FILE(path), "is an input");
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
    if (through) { /* an existing file that is not regular is written in place */
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
        return say_input(context, path);
    if (context->flags[CP_FLAG_WRITE_ONCE] && files_known(context, path, FILE_WRITTEN))
        return report_error(context, CP_USAGE, "sink-twice", IN_FILE(path), "was written by another output just now");
    /* The file gets the permissions of the one that it replaces: whoever may not read that may not read it either. */
    return open_new(context, arena, mode ? mode & 0777 : 0666, target);
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

bool cp_needs_temporary_name(cp_context *context, const char *path)
{
    struct stat info;
    struct buffer folder = {.context = context};
    if (stat(path, &info) == 0)
        return S_ISREG(info.st_mode);
    buffer_append(&folder, path, (size_t)(text_file_name(path) - path));
    buffer_append(&folder, ".", sizeof ".");
    int file = folder.failed ? -1 : open_nameless(folder.data, 0600);
    if (file >= 0)
        (void)close(file);
    buffer_free(&folder);
    return file < 0;
}

/* ---- closing ---- */

bool target_stat(const struct target *target, struct stat *info)
{
    return target->temporary && (target->is_nameless ? fstat(target->file, info) : stat(target->temporary, info)) == 0;
}

cp_status target_record(cp_context *context, const struct target *target)
{
    struct stat info;
    if (!target_stat(target, &info))
        return CP_OK;
    if (files_known(context, target->path, FILE_READ)) /* an exporter may have read it since target_open */
        return say_input(context, target->path);
    return files_record(
        context,
        (struct file_record){.path = target->path, .use = FILE_WRITTEN, .device = info.st_dev, .inode = info.st_ino});
}

/* Linux's renameat2 is called by its number, since few C libraries have it without extensions. */
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

/* Gives a file without a name an unused one, and closes it. */
static bool name_file(struct target *target, const char *path)
{
    char own[LONGEST_DESCRIPTOR];
    print_descriptor(target->file, own);
    if (linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0)
        return false;
    (void)close(target->file); /* the sink knows its errors already */
    target->file = -1;
    target->is_nameless = false;
    return true;
}

static cp_status say_not_placed(cp_context *context, const struct target *target)
{
    bool fresh = context->flags[CP_FLAG_NO_CLOBBER];
    bool no_way = fresh && (errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK);
    return report_error(context, CP_OUTPUT, code_of_output(errno, "sink-rename"), IN_FILE(target->path),
                        "cannot be put in place: %s%s", strerror(errno),
                        no_way ? " (its file system cannot do that without replacing files; leave out --no-clobber)"
                               : "");
}

/* Copies a file that can get no name, as its file system has no links, to the temporary name. */
static bool copy_file(const cp_context *context, struct target *target)
{
    char bytes[16384];
    struct stat info;
    int file = fstat(target->file, &info) == 0
                   ? open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, info.st_mode & 07777)
                   : -1;
    bool good = file >= 0;
    off_t at = 0;
    for (ssize_t size = 1; good && size > 0;) {
        size = pread(target->file, bytes, sizeof bytes, at);
        ssize_t done = size > 0 ? write(file, bytes, (size_t)size) : 0;
        good = size == 0 || (size > 0 && done > 0);
        at += done;
    }
    good = good && fchmod(file, info.st_mode & 07777) == 0 && (!context->flags[CP_FLAG_SYNC] || fsync(file) == 0);
    int error = errno;
    if (file >= 0)
        good = close(file) == 0 && good;
    if (good) {
        (void)close(target->file);
        target->file = -1;
        target->is_nameless = false;
    } else if (file >= 0) {
        (void)unlink(target->temporary);
        errno = error;
    }
    return good;
}

cp_status target_name(cp_context *context, struct target *target)
{
    bool named = !target->is_nameless || name_file(target, target->temporary) || copy_file(context, target);
    return named ? CP_OK : say_not_placed(context, target);
}

/* Renames the file, or reports why not. */
static cp_status rename_file(cp_context *context, struct target *target)
{
    bool fresh = context->flags[CP_FLAG_NO_CLOBBER];
    bool done =
        fresh ? rename_by(KEEP_OTHERS, target->temporary, target->path) : rename(target->temporary, target->path) == 0;
    if (!done && fresh && errno != EEXIST) { /* a hard link replaces nothing either, if the file system has them */
        done = link(target->temporary, target->path) == 0;
        if (done)
            (void)unlink(target->temporary);
    }
    return done ? CP_OK : say_not_placed(context, target);
}

cp_status target_put_in_place(cp_context *context, struct target *target, bool keeps_old)
{
    if (!target->temporary)
        return CP_OK;
    struct stat info;
    bool exists = stat(target->path, &info) == 0, fresh = context->flags[CP_FLAG_NO_CLOBBER];
    if (exists && !fresh) /* the replaced file's permissions stay */
        (void)(target->is_nameless ? fchmod(target->file, info.st_mode & 07777)
                                   : chmod(target->temporary, info.st_mode & 07777));
    /* A file without a name gets its final one at once if nothing is there; else a temporary one, which is renamed. */
    bool placed = target->is_nameless && (!exists || fresh) && name_file(target, target->path);
    cp_status status = CP_OK;
    if (!placed && target->is_nameless)
        status = fresh && errno == EEXIST ? say_not_placed(context, target) : target_name(context, target);
    if (status == CP_OK && !placed && !fresh && exists && keeps_old &&
        rename_by(EXCHANGE, target->temporary, target->path)) {
        target->placed = PLACED_FOR_OLD;
        return CP_OK;
    }
    if (status == CP_OK && !placed)
        status = rename_file(context, target);
    if (status != CP_OK)
        return status;
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
    if (target->is_nameless)
        (void)close(target->file);
    else if (target->temporary)
        (void)unlink(target->temporary);
    target->temporary = NULL;
}

/* Who there is: roles, names, and the lines of a file of users. */
#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cellpipe_build.h"

enum { MOST_BYTES = 1 << 20 }; /* a file has no more: MOST_USERS of the longest lines have fewer */

static const char *const roles[] = {"guest", "viewer", "operator", "teacher", NULL};

const char *role_name(enum role role)
{
    return roles[role];
}

bool role_named(const char *word, enum role *role)
{
    for (int i = ROLE_VIEWER; i <= ROLE_TEACHER; i++)
        if (strcmp(roles[i], word) == 0) {
            *role = (enum role)i;
            return true;
        }
    return false;
}

const char *user_name_fault(const char *name)
{
    size_t size = strlen(name), more;
    if (size == 0)
        return "a name is empty";
    if (size > MOST_USER_NAME)
        return "a name has more than 64 bytes";
    if (*name == ' ' || name[size - 1] == ' ')
        return "a name begins or ends with a blank";
    for (const char *at = name; *at; at += more) {
        const unsigned char *bytes = (const unsigned char *)at;
        more = utf8_length(at, size - (size_t)(at - name));
        if (more == 0)
            return "a name is not UTF-8";
        if (*at == ':')
            return "a name has a colon";
        if (*bytes < ' ' || *bytes == 0x7f || (*bytes == 0xc2 && bytes[1] < 0xa0)) /* the last: U+0080 to U+009F */
            return "a name has a control character";
    }
    return NULL;
}

/* Reads one line, which a NUL ends. No message shows a hash. */
static cp_status read_line(cp_context *context, const char *path, uint64_t number, char *line, struct user *user)
{
    char *role = strchr(line, ':'), *hash = role ? strchr(role + 1, ':') : NULL;
    if (!hash)
        return cp_report_error(context, CP_INPUT, "users-line", path, number, "is not NAME:ROLE:HASH");
    *role++ = '\0';
    *hash++ = '\0';
    const char *fault = user_name_fault(line);
    if (fault)
        return cp_report_error(context, CP_INPUT, "users-name", path, number, "%s", fault);
    if (!role_named(role, &user->role))
        return cp_report_error(context, CP_INPUT, "users-role", path, number,
                               "unknown role \"%.100s\"; roles are viewer, operator and teacher", role);
    if (!password_is_hash(hash))
        return cp_report_error(context, CP_INPUT, "users-hash", path, number,
                               "is no hash as \"cellpipe users\" makes it: remove the line, and add the user again");
    user->name = line;
    user->hash = hash;
    return CP_OK;
}

static cp_status read_lines(cp_context *context, const char *path, char *text, const char *end, struct name_map *names,
                            struct users *users)
{
    uint64_t number = 1;
    for (char *line = text, *next; line < end; line = next, number++) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : line + (end - line);
        if (stop)
            *stop = '\0';
        if (memchr(line, '\0', (size_t)((stop ? stop : end) - line)))
            return cp_report_error(context, CP_INPUT, "users-line", path, number, "has a NUL byte");
        if (users->count == MOST_USERS)
            return cp_report_error(context, CP_INPUT, "users-many", path, number, "there are more than %d users",
                                   MOST_USERS);
        struct user *user = &users->items[users->count];
        bool added;
        cp_status status = read_line(context, path, number, line, user);
        if (status != CP_OK)
            return status;
        const uint32_t *earlier = name_map_add(names, user->name, users->count, &added);
        if (!earlier)
            return CP_LIMIT;
        if (!added)
            return cp_report_error(context, CP_INPUT, "users-twice", path, number,
                                   "the user \"%s\" stands in line %u already", user->name, *earlier + 1);
        users->count++;
    }
    return CP_OK;
}

cp_status users_parse(cp_context *context, const char *path, char *text, size_t size, struct arena *arena,
                      struct users *users)
{
    struct name_map names = {.context = context};
    uint32_t lines = 0;
    for (size_t i = 0; i < size && lines < MOST_USERS; i++)
        lines += text[i] == '\n';
    *users = (struct users){.room = lines + 2}; /* the last line may not be ended; and one more */
    users->items = arena_allocate(arena, users->room, sizeof *users->items);
    cp_status status = users->items ? read_lines(context, path, text, text + size, &names, users) : CP_LIMIT;
    name_map_free(&names);
    return status;
}

/* Opens the file and checks whose it is. -1, reported. */
static int open_file(cp_context *context, const char *path)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, &facts) != 0) {
        (void)cp_report_error(context, CP_INPUT, "users-open", path, 0, "cannot be opened: %s", strerror(errno));
    } else if (!S_ISREG(facts.st_mode) || facts.st_size > MOST_BYTES) {
        (void)cp_report_error(context, CP_INPUT, "users-file", path, 0, "is no file of users: it is %s",
                              S_ISREG(facts.st_mode) ? "larger than 1 MiB" : "no regular file");
    } else if (facts.st_uid != geteuid()) {
        (void)cp_report_error(context, CP_INPUT, "users-owner", path, 0,
                              "belongs to the system's user %lu, not to %lu, who runs this",
                              (unsigned long)facts.st_uid, (unsigned long)geteuid());
    } else if ((facts.st_mode & 077) != 0) {
        (void)cp_report_error(context, CP_INPUT, "users-mode", path, 0,
                              "others may use it (mode %03o), and it holds secrets: chmod 600",
                              (unsigned)(facts.st_mode & 0777));
    } else {
        return file;
    }
    if (file >= 0)
        (void)close(file);
    return -1;
}

cp_status users_read(cp_context *context, const char *path, struct arena *arena, struct users *users)
{
    int file = open_file(context, path);
    if (file < 0)
        return CP_INPUT;
    char *text = arena_allocate(arena, MOST_BYTES + 1, 1);
    size_t size = 0;
    ssize_t more = text ? 1 : 0;
    while (more > 0 && size < MOST_BYTES) {
        do
            more = read(file, text + size, MOST_BYTES - size);
        while (more < 0 && errno == EINTR);
        size += more > 0 ? (size_t)more : 0;
    }
    int cause = errno;
    (void)close(file);
    if (!text)
        return CP_LIMIT;
    if (more < 0)
        return cp_report_error(context, CP_INPUT, "users-read", path, 0, "cannot be read: %s", strerror(cause));
    text[size] = '\0';
    return users_parse(context, path, text, size, arena, users);
}

struct user *users_find(const struct users *users, const char *name)
{
    for (uint32_t i = 0; i < users->count; i++)
        if (strcmp(users->items[i].name, name) == 0)
            return &users->items[i];
    return NULL;
}

bool user_is_same(const struct users *before, const struct users *present, const char *name)
{
    const struct user *old = users_find(before, name), *new = users_find(present, name);
    return old && new && old->role == new->role &&strcmp(old->hash, new->hash) == 0;
}

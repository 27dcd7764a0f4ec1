/* users: lists and changes the users of a file. A password is asked for before the file is locked; then it is read
 * again, so that changes of two processes at the same time are both there. */
#include "users.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cellpipe_build.h"

enum action { ACTION_LIST, ACTION_ADD, ACTION_PASSWD, ACTION_ROLE, ACTION_REMOVE };
static const char *const actions[] = {"list", "add", "passwd", "role", "remove", NULL};

/* The actions of the command. */
struct change {
    enum action action;
    const char *name;
    enum role role; /* ACTION_ADD and ACTION_ROLE give it */
    char hash[HASH_SIZE];
};

/* Checks the words. */
static cp_status read_request(cp_context *context, const struct users_request *request, struct change *change)
{
    int action = 0;
    while (actions[action] && strcmp(actions[action], request->action) != 0)
        action++;
    if (!actions[action])
        return cp_report_error(context, CP_USAGE, "users-word", NULL, 0,
                               "unknown action \"%.100s\"; users has list, add, passwd, role and remove",
                               request->action);
    change->action = (enum action)action;
    change->name = request->name;
    bool wants_role = action == ACTION_ADD || action == ACTION_ROLE, wants_name = action != ACTION_LIST;
    if ((wants_name && !request->name) || (wants_role && !request->role))
        return cp_report_error(context, CP_USAGE, "users-word", NULL, 0, "%s needs a name%s", request->action,
                               wants_role ? " and a role: viewer, operator or teacher" : "");
    const char *fault = action == ACTION_ADD ? user_name_fault(request->name) : NULL;
    if (fault)
        return cp_report_error(context, CP_USAGE, "users-name", NULL, 0, "%s", fault);
    if (wants_role && !role_named(request->role, &change->role))
        return cp_report_error(context, CP_USAGE, "users-role", NULL, 0,
                               "unknown role \"%.100s\"; roles are viewer, operator and teacher", request->role);
    return CP_OK;
}

/* Reads the users. The first one is added to a file that is not there yet. */
static cp_status read_users(cp_context *context, const char *path, const struct change *change, struct arena *arena,
                            struct users *users)
{
    struct stat facts;
    if (change->action != ACTION_ADD || lstat(path, &facts) == 0 || errno != ENOENT)
        return users_read(context, path, arena, users);
    char *nothing = arena_copy_text(arena, "", 0);
    return nothing ? users_parse(context, path, nothing, 0, arena, users) : CP_LIMIT;
}

/* Makes the change among the users; without a hash, it tells only whether the change can be made. */
static cp_status apply(cp_context *context, const char *path, const struct change *change, struct users *users)
{
    struct user *user = users_find(users, change->name);
    if (change->action == ACTION_ADD && user)
        return cp_report_error(context, CP_USAGE, "users-known", path, 0,
                               "there is a user \"%s\" already; passwd changes the password", change->name);
    if (change->action != ACTION_ADD && !user)
        return cp_report_error(context, CP_USAGE, "users-unknown", path, 0, "there is no user \"%s\"", change->name);
    if (change->action == ACTION_ADD && users->count == MOST_USERS)
        return cp_report_error(context, CP_USAGE, "users-many", path, 0, "there are %d users, and no more are allowed",
                               MOST_USERS);
    if (change->action == ACTION_REMOVE) {
        uint32_t behind = users->count - 1 - (uint32_t)(user - users->items);
        memmove(user, user + 1, behind * sizeof *user);
        users->count--;
    } else if (change->action == ACTION_ROLE) {
        user->role = change->role;
    } else if (*change->hash && user) {
        user->hash = change->hash;
    } else if (*change->hash) {
        users->items[users->count++] = (struct user){change->name, change->role, change->hash};
    }
    return CP_OK;
}

static cp_status ask_hash(cp_context *context, struct change *change)
{
    char password[MOST_PASSWORD + 1];
    cp_status status = password_ask(context, password);
    if (status == CP_OK && !password_hash(password, change->hash))
        status = cp_report_error(context, CP_LIMIT, "users-hash", NULL, 0, "a password cannot be hashed: %s",
                                 strerror(errno));
    forget_secret(password, sizeof password);
    return status;
}

static cp_status change_file(cp_context *context, const char *path, const struct change *change, struct arena *arena)
{
    struct users_change file;
    struct users users;
    cp_status status = users_lock(context, path, arena, &file);
    if (status == CP_OK)
        status = read_users(context, file.path, change, arena, &users);
    if (status == CP_OK)
        status = apply(context, path, change, &users);
    if (status == CP_OK)
        status = users_write(context, &file, &users);
    users_unlock(&file);
    return status;
}

static void print_users(const struct users *users)
{
    for (uint32_t i = 0; i < users->count; i++) {
        printf("%-8s ", role_name(users->items[i].role));
        char character[CP_SHOWN_CHARACTER_SIZE];
        const char *at = users->items[i].name;
        for (size_t size; (size = cp_print_shown_character(&at, character)) > 0;)
            (void)fwrite(character, 1, size, stdout);
        printf("\n");
    }
}

cp_status change_users(cp_context *context, const struct users_request *request)
{
    struct change change = {.action = ACTION_LIST};
    struct users users;
    struct arena *arena = arena_new(context);
    cp_status status = arena ? read_request(context, request, &change) : CP_LIMIT;
    if (status == CP_OK && change.action != ACTION_LIST)
        status = cp_expect_output(context, request->file);
    if (status == CP_OK)
        status = read_users(context, request->file, &change, arena, &users);
    if (status == CP_OK && change.action == ACTION_LIST)
        print_users(&users);
    if (status == CP_OK && (change.action == ACTION_ADD || change.action == ACTION_PASSWD)) {
        status = apply(context, request->file, &change, &users);
        if (status == CP_OK)
            status = ask_hash(context, &change);
    }
    if (status == CP_OK && change.action != ACTION_LIST)
        status = change_file(context, request->file, &change, arena);
    arena_free(arena);
    return status;
}

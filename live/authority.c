/* Who may do what, and when. */
#include "authority.h"

static const char *const mode_names[] = {"ready", "running", "jogging", "moving", "stopped", "emergency", "offline"};

const char *mode_name(enum mode mode)
{
    return mode_names[mode];
}

#define IN(mode) (1u << (mode))

enum {
    AT_REST = IN(MODE_READY) | IN(MODE_STOPPED),
    ONLINE = IN(MODE_OFFLINE) - 1u, /* all modes but the last one */
    ANY_MODE = IN(MODE_COUNT) - 1u
};

static const struct rule {
    const char *name;
    enum role role; /* the least that may */
    bool needs_lease;
    unsigned modes; /* the word makes sense in these */
} rules[] = {
    [WORD_TAKE] = {"take", ROLE_OPERATOR, false, ANY_MODE},
    [WORD_GIVE] = {"give", ROLE_OPERATOR, true, ANY_MODE},
    [WORD_ALIVE] = {"alive", ROLE_OPERATOR, true, ANY_MODE},
    [WORD_STOP] = {"stop", ROLE_OPERATOR, false, ONLINE},
    [WORD_EMERGENCY] = {"emergency", ROLE_VIEWER, false, ONLINE},
    [WORD_RESET] = {"reset", ROLE_OPERATOR, true, IN(MODE_STOPPED) | IN(MODE_EMERGENCY)},
    [WORD_RUN] = {"run", ROLE_OPERATOR, true, IN(MODE_READY)},
    [WORD_STEP] = {"step", ROLE_OPERATOR, true, AT_REST},
    [WORD_CONTINUE] = {"continue", ROLE_OPERATOR, true, IN(MODE_STOPPED)},
    [WORD_JOG] = {"jog", ROLE_TEACHER, true, IN(MODE_READY) | IN(MODE_JOGGING)},
    [WORD_MOVE] = {"move", ROLE_TEACHER, true, IN(MODE_READY)},
    [WORD_TEACH] = {"teach", ROLE_TEACHER, true, AT_REST},
    [WORD_PROGRAM] = {"program", ROLE_TEACHER, true, ANY_MODE},
    [WORD_OPEN] = {"open", ROLE_TEACHER, false, ANY_MODE},
    [WORD_DOWNLOAD] = {"download", ROLE_TEACHER, true, AT_REST},
};

const char *word_name(enum word word)
{
    return rules[word].name;
}

bool word_named(const char *text, enum word *word)
{
    for (unsigned i = 0; i < WORD_COUNT; i++)
        if (strcmp(rules[i].name, text) == 0) {
            *word = (enum word)i;
            return true;
        }
    return false;
}

static bool is_held(const struct authority *authority, uint64_t now)
{
    return authority->holder != 0 && now - authority->renewed <= LEASE_TIME;
}

const char *authority_refuses(const struct authority *authority, const struct client *client, enum word word,
                              uint64_t now)
{
    const struct rule *rule = &rules[word];
    const bool held = is_held(authority, now), own = held && authority->holder == client->number;
    if (client->role < rule->role)
        return "rights";
    if (rule->needs_lease && !own)
        return "lease";
    if (word == WORD_TAKE && held && !own)
        return "lease";
    if (rule->modes & IN(authority->mode))
        return NULL;
    return authority->mode == MODE_OFFLINE ? "offline" : "mode";
}

static void copy_name(char to[MOST_USER_NAME + 1], const char *name)
{
    size_t size = strlen(name);
    if (size > MOST_USER_NAME)
        size = MOST_USER_NAME;
    memcpy(to, name, size);
    to[size] = 0;
}

static bool ends_by_words(enum mode mode)
{
    return mode == MODE_RUNNING || mode == MODE_MOVING;
}

static void begin(struct authority *authority, enum mode mode, const struct client *client)
{
    authority->mode = mode;
    authority->stopping = false;
    copy_name(authority->by, client->name);
}

static void rest(struct authority *authority, enum mode mode)
{
    authority->mode = mode;
    authority->stopping = false;
    authority->by[0] = 0;
}

static void lose_lease(struct authority *authority)
{
    authority->holder = 0;
    authority->name[0] = 0;
    if (authority->mode == MODE_JOGGING)
        rest(authority, MODE_READY);
    else if (ends_by_words(authority->mode))
        authority->stopping = true;
}

void authority_obey(struct authority *authority, const struct client *client, enum word word, uint64_t now)
{
    if (authority->holder == client->number)
        authority->renewed = now;
    switch (word) {
    case WORD_TAKE:
        if (authority->holder != 0 && authority->holder != client->number)
            lose_lease(authority); /* it has lapsed, and nobody has noticed yet */
        authority->holder = client->number;
        authority->renewed = now;
        copy_name(authority->name, client->name);
        break;
    case WORD_GIVE:
        lose_lease(authority);
        break;
    case WORD_STOP:
        if (authority->mode == MODE_JOGGING)
            rest(authority, MODE_READY);
        else if (ends_by_words(authority->mode))
            authority->stopping = true;
        break;
    case WORD_EMERGENCY:
        authority->mode = MODE_EMERGENCY;
        authority->stopping = false;
        copy_name(authority->by, client->name);
        break;
    case WORD_RESET:
    case WORD_DOWNLOAD:
        rest(authority, MODE_READY);
        break;
    case WORD_RUN:
    case WORD_CONTINUE:
        begin(authority, MODE_RUNNING, client);
        break;
    case WORD_STEP:
        begin(authority, MODE_RUNNING, client);
        authority->stopping = true;
        break;
    case WORD_JOG:
        begin(authority, MODE_JOGGING, client);
        authority->jogged = now;
        break;
    case WORD_MOVE:
        begin(authority, MODE_MOVING, client);
        break;
    case WORD_ALIVE:
    case WORD_TEACH:
    case WORD_PROGRAM:
    case WORD_OPEN:
    case WORD_COUNT:
        break;
    }
}

void authority_end(struct authority *authority, bool can_continue)
{
    if (ends_by_words(authority->mode) || authority->mode == MODE_JOGGING)
        rest(authority, can_continue && authority->mode == MODE_RUNNING ? MODE_STOPPED : MODE_READY);
}

bool authority_lapse(struct authority *authority, uint64_t now)
{
    bool changed = false;
    if (authority->holder != 0 && !is_held(authority, now)) {
        lose_lease(authority);
        changed = true;
    }
    if (authority->mode == MODE_JOGGING && now - authority->jogged > JOG_TIME) {
        rest(authority, MODE_READY);
        changed = true;
    }
    return changed;
}

bool authority_leave(struct authority *authority, uint64_t client)
{
    if (client == 0 || authority->holder != client)
        return false;
    lose_lease(authority);
    return true;
}

bool authority_offline(struct authority *authority, bool offline)
{
    if (offline == (authority->mode == MODE_OFFLINE))
        return false;
    rest(authority, offline ? MODE_OFFLINE : MODE_READY);
    return true;
}

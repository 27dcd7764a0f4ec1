/* Sessions: keys, and the table of who has logged in. */
#include "sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/random.h>
#endif

enum { KEY_BYTES = 16, KEY_DIGITS = 2 * KEY_BYTES };

static const char hex[] = "0123456789abcdef";

/* Fills bytes with random ones of the system: by its call, or by its device if it has no such call. */
static bool fill_random(unsigned char *bytes, size_t size)
{
    size_t filled = 0;
#ifdef __linux__
    while (filled < size) {
        ssize_t more = getrandom(bytes + filled, size - filled, 0);
        if (more < 0 && errno != EINTR)
            break;
        filled += more > 0 ? (size_t)more : 0;
    }
#endif
    int file = filled < size ? open("/dev/urandom", O_RDONLY | O_CLOEXEC) : -1;
    while (file >= 0 && filled < size) {
        ssize_t more = read(file, bytes + filled, size - filled);
        if (more == 0 || (more < 0 && errno != EINTR))
            break;
        filled += more > 0 ? (size_t)more : 0;
    }
    if (file >= 0)
        (void)close(file);
    return filled == size;
}

static bool make_key(char key[SESSION_KEY_SIZE])
{
    unsigned char bytes[KEY_BYTES];
    if (!fill_random(bytes, sizeof bytes))
        return false;
    for (size_t i = 0; i < KEY_BYTES; i++) {
        key[2 * i] = hex[bytes[i] >> 4];
        key[2 * i + 1] = hex[bytes[i] & 15];
    }
    key[KEY_DIGITS] = '\0';
    forget_secret(bytes, sizeof bytes);
    return true;
}

static bool is_over(const struct session *session, uint64_t now)
{
    return now > session->begin && now - session->begin >= SESSION_LIFE;
}

/* Returns a free place, or else that of the oldest session, which ends: of the user, if they have as many as one may.
 */
static struct session *find_place(struct sessions *sessions, const char *name)
{
    struct session *oldest = sessions->items, *oldest_own = NULL, *free = NULL;
    size_t own = 0;
    for (size_t i = 0; i < MOST_SESSIONS; i++) {
        struct session *session = &sessions->items[i];
        if (!*session->key) {
            free = free ? free : session;
            continue;
        }
        if (session->begin < oldest->begin)
            oldest = session;
        if (strcmp(session->name, name) != 0)
            continue;
        own++;
        if (!oldest_own || session->begin < oldest_own->begin)
            oldest_own = session;
    }
    return own >= MOST_SESSIONS_OF_ONE ? oldest_own : free ? free : oldest;
}

const struct session *session_begin(struct sessions *sessions, const struct user *user, uint64_t now)
{
    char key[SESSION_KEY_SIZE];
    size_t size = strlen(user->name);
    if (size > MOST_USER_NAME || !make_key(key))
        return NULL;
    struct session *session = find_place(sessions, user->name);
    *session = (struct session){.role = user->role, .begin = now};
    memcpy(session->key, key, sizeof key);
    memcpy(session->name, user->name, size);
    forget_secret(key, sizeof key);
    return session;
}

/* Finds the session of a key, whether it is over or not. All of them are compared, so that the time says nothing. */
static struct session *find_key(struct sessions *sessions, const char *key)
{
    struct session *found = NULL;
    if (strlen(key) != KEY_DIGITS)
        return NULL;
    for (size_t i = 0; i < MOST_SESSIONS; i++)
        if (same_secret(sessions->items[i].key, key, KEY_DIGITS))
            found = &sessions->items[i];
    return found;
}

const struct session *session_find(struct sessions *sessions, const char *key, uint64_t now)
{
    struct session *session = find_key(sessions, key);
    if (!session || !is_over(session, now))
        return session;
    forget_secret(session, sizeof *session);
    return NULL;
}

bool session_goes_on(const struct session *session, const char *key, uint64_t now)
{
    return same_secret(session->key, key, SESSION_KEY_SIZE) && !is_over(session, now);
}

void sessions_follow(struct sessions *sessions, const struct users *before, const struct users *present)
{
    for (size_t i = 0; i < MOST_SESSIONS; i++) {
        struct session *session = &sessions->items[i];
        if (*session->key && !user_is_same(before, present, session->name))
            forget_secret(session, sizeof *session);
    }
}

void session_end(struct sessions *sessions, const char *key)
{
    struct session *session = find_key(sessions, key);
    if (session)
        forget_secret(session, sizeof *session);
}

/* Takes the key of one cookie, "NAME=VALUE" of `size` bytes. *count: how many there are of our name. */
static void take_cookie(const char *cookie, size_t size, int *count, char key[SESSION_KEY_SIZE])
{
    static const char name[] = "cellpipe=";
    const size_t name_size = sizeof name - 1;
    if (size < name_size || memcmp(cookie, name, name_size) != 0)
        return;
    ++*count;
    if (size == name_size + KEY_DIGITS && strspn(cookie + name_size, hex) >= KEY_DIGITS) {
        memcpy(key, cookie + name_size, KEY_DIGITS);
        key[KEY_DIGITS] = '\0';
    }
}

bool session_cookie(const char *header, char key[SESSION_KEY_SIZE])
{
    int count = 0;
    *key = '\0';
    while (header && *header) {
        header += strspn(header, " \t;");
        size_t whole = strcspn(header, ";"), size = whole;
        while (size > 0 && (header[size - 1] == ' ' || header[size - 1] == '\t'))
            size--;
        take_cookie(header, size, &count, key);
        header += whole;
    }
    return count == 1 && *key;
}

/* The guard against those who guess passwords: few tries from an address, and one check at a time. */
#include "sessions.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- failures ---- */

void failures_address(const char *text, char address[ADDRESS_SIZE])
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:0:0/96 is IPv4 */
    unsigned char bytes[sizeof(struct in6_addr)];
    char bare[ADDRESS_SIZE];
    text += *text == '[';
    size_t size = strcspn(text, "]%");
    const char *colon = memchr(text, ':', size);
    if (colon && colon > text && !memchr(colon + 1, ':', size - (size_t)(colon + 1 - text)) && memchr(text, '.', size))
        size = (size_t)(colon - text); /* IPv4 and a port */
    (void)snprintf(bare, sizeof bare, "%.*s", size < ADDRESS_SIZE ? (int)size : ADDRESS_SIZE - 1, text);
    if (inet_pton(AF_INET6, bare, bytes) != 1)
        memcpy(address, bare, sizeof bare);
    else if (memcmp(bytes, mapped, sizeof mapped) == 0)
        (void)snprintf(address, ADDRESS_SIZE, "%u.%u.%u.%u", bytes[12], bytes[13], bytes[14], bytes[15]);
    else
        (void)snprintf(address, ADDRESS_SIZE, "%02x%02x:%02x%02x:%02x%02x:%02x%02x::/64", bytes[0], bytes[1], bytes[2],
                       bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
}

/* Compares addresses as far as the table holds them. */
static bool is_address(const struct failure *failure, const char *address)
{
    return strncmp(failure->address, address, ADDRESS_SIZE - 1) == 0;
}

static uint64_t last_time(const struct failure *failure)
{
    uint64_t last = 0;
    for (int i = 0; i < MOST_FAILURES; i++)
        last = failure->times[i] > last ? failure->times[i] : last;
    return last;
}

/* Returns the index of the address; MOST_ADDRESSES if it has no failures. */
static size_t find_address(const struct failures *failures, const char *address)
{
    size_t i = 0;
    while (i < MOST_ADDRESSES && (!is_address(&failures->items[i], address) || last_time(&failures->items[i]) == 0))
        i++;
    return i;
}

bool failures_allow(const struct failures *failures, const char *address, uint64_t now)
{
    size_t found = find_address(failures, address);
    if (found == MOST_ADDRESSES)
        return true;
    int recent = 0;
    for (int i = 0; i < MOST_FAILURES; i++) {
        uint64_t time = failures->items[found].times[i];
        recent += time != 0 && now < time - 1 + FAILURE_TIME;
    }
    return recent < MOST_FAILURES;
}

void failures_add(struct failures *failures, const char *address, uint64_t now)
{
    size_t found = find_address(failures, address);
    if (found == MOST_ADDRESSES) {
        found = 0;
        for (size_t i = 1; i < MOST_ADDRESSES; i++)
            if (last_time(&failures->items[i]) < last_time(&failures->items[found]))
                found = i;
        failures->items[found] = (struct failure){.address = ""};
        memcpy(failures->items[found].address, address, strnlen(address, ADDRESS_SIZE - 1));
    }
    uint64_t *times = failures->items[found].times, *oldest = times;
    for (int i = 1; i < MOST_FAILURES; i++)
        oldest = times[i] < *oldest ? &times[i] : oldest;
    *oldest = now + 1;
}

void failures_take_back(struct failures *failures, const char *address, uint64_t then)
{
    size_t found = find_address(failures, address);
    for (int i = 0; found < MOST_ADDRESSES && i < MOST_FAILURES; i++)
        if (failures->items[found].times[i] == then + 1) {
            failures->items[found].times[i] = 0;
            return;
        }
}

/* ---- the thread ---- */

struct question {
    uint64_t ticket;
    bool has_hash;
    char password[MOST_PASSWORD + 1], hash[HASH_SIZE];
};

struct guard {
    void (*done)(void *user, uint64_t ticket, bool matches);
    void *user;
    pthread_t thread;
    pthread_mutex_t lock; /* it guards all below */
    pthread_cond_t changed;
    bool ends;
    uint32_t first, count; /* a ring */
    struct question waiting[MOST_WAITING];
};

/* Waits for a question and takes it; false at the end. */
static bool take_question(struct guard *guard, struct question *question)
{
    (void)pthread_mutex_lock(&guard->lock);
    while (!guard->ends && guard->count == 0)
        (void)pthread_cond_wait(&guard->changed, &guard->lock);
    bool goes_on = !guard->ends;
    if (goes_on) {
        struct question *first = &guard->waiting[guard->first];
        *question = *first;
        forget_secret(first, sizeof *first);
        guard->first = (guard->first + 1) % MOST_WAITING;
        guard->count--;
    }
    (void)pthread_mutex_unlock(&guard->lock);
    return goes_on;
}

static void *answer_questions(void *of_guard)
{
    struct guard *guard = of_guard;
    struct question question;
    while (take_question(guard, &question)) {
        bool matches = password_matches(question.password, question.has_hash ? question.hash : NULL);
        uint64_t ticket = question.ticket;
        forget_secret(&question, sizeof question);
        guard->done(guard->user, ticket, matches);
    }
    return NULL;
}

/* Starts the thread without signals, which are the main thread's: they end what that waits for. */
static bool start_thread(struct guard *guard)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = pthread_create(&guard->thread, NULL, answer_questions, guard) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

struct guard *guard_new(void (*done)(void *user, uint64_t ticket, bool matches), void *user)
{
    struct guard *guard = calloc(1, sizeof *guard);
    if (!guard)
        return NULL;
    guard->done = done;
    guard->user = user;
    bool has_lock = pthread_mutex_init(&guard->lock, NULL) == 0;
    bool has_both = has_lock && pthread_cond_init(&guard->changed, NULL) == 0;
    if (has_both && start_thread(guard))
        return guard;
    if (has_both)
        (void)pthread_cond_destroy(&guard->changed);
    if (has_lock)
        (void)pthread_mutex_destroy(&guard->lock);
    free(guard);
    return NULL;
}

bool guard_ask(struct guard *guard, uint64_t ticket, const char *password, const char *hash)
{
    size_t password_size = strlen(password), hash_size = hash ? strlen(hash) : 0;
    if (password_size > MOST_PASSWORD || hash_size >= HASH_SIZE)
        return false;
    (void)pthread_mutex_lock(&guard->lock);
    bool has_room = guard->count < MOST_WAITING;
    if (has_room) {
        struct question *question = &guard->waiting[(guard->first + guard->count++) % MOST_WAITING];
        question->ticket = ticket;
        question->has_hash = hash;
        memcpy(question->password, password, password_size + 1);
        if (hash)
            memcpy(question->hash, hash, hash_size + 1);
        (void)pthread_cond_signal(&guard->changed);
    }
    (void)pthread_mutex_unlock(&guard->lock);
    return has_room;
}

void guard_free(struct guard *guard)
{
    if (!guard)
        return;
    (void)pthread_mutex_lock(&guard->lock);
    guard->ends = true;
    (void)pthread_cond_signal(&guard->changed);
    (void)pthread_mutex_unlock(&guard->lock);
    (void)pthread_join(guard->thread, NULL);
    (void)pthread_cond_destroy(&guard->changed);
    (void)pthread_mutex_destroy(&guard->lock);
    forget_secret(guard, sizeof *guard);
    free(guard);
}

/* What controllers that are none share: a server for tests, which sends samples that are known beforehand and counts
 * them. Called as: fake_NAME PORT [KEY=VALUE...]; port 0 is any that is free.
 *
 *   count=N      samples to a client, then the connection ends (1000)
 *   rate=HZ      samples a second (125); 0: as fast as they are taken
 *   clients=N    how many clients to serve, one after the other (1)
 *   emergency=N  from sample N on, from 0, the controller says that it is in emergency
 *   nonsense=N   garbage in place of sample N
 *   silent=N     before sample N it falls silent for ever, and keeps the connection
 *
 * It prints "port N" when it listens, and "sent N" when a connection ends. Sample k has time k / 125 s, and joint i,
 * from 0, has the value 0.5 sin(0.01 k + i). */
#ifndef FAKE_SERVER_H
#define FAKE_SERVER_H

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct fake {
    int argument_count;
    char **arguments;
    int listener, client;
    long count, emergency, nonsense, silent, clients, sent;
    double rate;
    struct timespec begin; /* of the client */
};

static inline const char *fake_option(const struct fake *fake, const char *key, const char *otherwise)
{
    const size_t size = strlen(key);
    for (int i = 2; i < fake->argument_count; i++)
        if (strncmp(fake->arguments[i], key, size) == 0 && fake->arguments[i][size] == '=')
            return fake->arguments[i] + size + 1;
    return otherwise;
}

static inline void fake_fail(const char *what)
{
    perror(what);
    exit(2);
}

static inline struct fake fake_listen(int argument_count, char **arguments)
{
    struct fake fake = {.argument_count = argument_count, .arguments = arguments};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int on = 1;
    if (argument_count < 2) {
        fprintf(stderr, "usage: %s PORT [KEY=VALUE...]\n", arguments[0]);
        exit(2);
    }
    fake.count = strtol(fake_option(&fake, "count", "1000"), NULL, 10);
    fake.rate = strtod(fake_option(&fake, "rate", "125"), NULL);
    fake.clients = strtol(fake_option(&fake, "clients", "1"), NULL, 10);
    fake.emergency = strtol(fake_option(&fake, "emergency", "-1"), NULL, 10);
    fake.nonsense = strtol(fake_option(&fake, "nonsense", "-1"), NULL, 10);
    fake.silent = strtol(fake_option(&fake, "silent", "-1"), NULL, 10);
    address.sin_port = htons((uint16_t)strtol(arguments[1], NULL, 10));
    fake.listener = socket(AF_INET, SOCK_STREAM, 0);
    if (fake.listener < 0 || setsockopt(fake.listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fake.listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(fake.listener, 4) != 0 ||
        getsockname(fake.listener, (struct sockaddr *)&address, &size) != 0)
        fake_fail("listen");
    printf("port %u\n", (unsigned)ntohs(address.sin_port));
    (void)fflush(stdout);
    return fake;
}

/* Waits for the next client; false if all have been served. */
static inline bool fake_accept(struct fake *fake)
{
    const int on = 1;
    if (fake->clients-- <= 0)
        return false;
    fake->client = accept(fake->listener, NULL, NULL);
    if (fake->client < 0)
        fake_fail("accept");
    (void)setsockopt(fake->client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)clock_gettime(CLOCK_MONOTONIC, &fake->begin);
    fake->sent = 0;
    return true;
}

static inline void fake_end(struct fake *fake)
{
    (void)close(fake->client);
    printf("sent %ld\n", fake->sent);
    (void)fflush(stdout);
}

static inline bool fake_send(const struct fake *fake, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        const ssize_t more = send(fake->client, at, size, MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR)
            return false;
        at += more > 0 ? more : 0;
        size -= more > 0 ? (size_t)more : 0;
    }
    return true;
}

/* Milliseconds until the next sample is to be sent; at least 0. */
static inline int fake_delay(const struct fake *fake)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const double passed =
        (double)(now.tv_sec - fake->begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - fake->begin.tv_nsec);
    const double left = fake->rate > 0 ? (double)fake->sent / fake->rate - passed : 0;
    return left > 0 ? (int)ceil(1000 * left) : 0;
}

/* Waits until the next sample is to be sent. False if there is none: all are sent, or the client has gone. What the
 * client says meanwhile goes to hear; NULL: it says nothing. */
static inline bool fake_wait(struct fake *fake, void (*hear)(struct fake *fake, const char *bytes, size_t size))
{
    if (fake->sent == fake->count)
        return false;
    for (;;) {
        const bool is_silent = fake->sent == fake->silent;
        struct pollfd event = {.fd = fake->client, .events = POLLIN};
        const int delay = is_silent ? -1 : fake_delay(fake);
        const int ready = poll(&event, 1, delay);
        if (ready < 0 && errno != EINTR)
            fake_fail("poll");
        if (ready > 0) {
            char bytes[4096];
            const ssize_t size = recv(fake->client, bytes, sizeof bytes, 0);
            if (size <= 0)
                return false;
            if (hear)
                hear(fake, bytes, (size_t)size);
        }
        if (!is_silent && fake_delay(fake) == 0)
            return true;
    }
}

static inline double fake_value(const struct fake *fake, int joint)
{
    return 0.5 * sin(0.01 * (double)fake->sent + joint);
}

static inline bool fake_is_emergency(const struct fake *fake)
{
    return fake->emergency >= 0 && fake->sent >= fake->emergency;
}

/* ---- bytes ---- */

struct fake_bytes {
    unsigned char bytes[512];
    size_t size;
    bool is_little;
};

static inline void fake_put(struct fake_bytes *out, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        out->bytes[out->size++] = (unsigned char)(value >> 8 * (out->is_little ? i : size - 1 - i));
}

static inline void fake_put_double(struct fake_bytes *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fake_put(out, bits, sizeof bits);
}

static inline void fake_put_text(struct fake_bytes *out, const char *text)
{
    memcpy(out->bytes + out->size, text, strlen(text));
    out->size += strlen(text);
}

#endif

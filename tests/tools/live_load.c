/* live_load PROGRAM CELL [clients=N] [stalled=N] [rate=HZ] [seconds=N] [joint=NAME]: how late states come. It is the
 * controller of a server that it starts, and its clients: each state says when it was sent, by the same clock. Stalled
 * clients connect and never read. Prints the latencies at the clients' sockets, and what the server took of memory and
 * processor. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 1000, ROOM = 1 << 16 };

struct client {
    int file;
    bool open, stalls;
    size_t have;
    unsigned char bytes[ROOM];
};

static struct client *clients;
static double *late; /* seconds */
static size_t late_count, late_room;

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "live_load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static long option(int count, char **words, const char *name, long otherwise)
{
    const size_t size = strlen(name);
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], name, size) == 0 && words[i][size] == '=')
            return strtol(words[i] + size + 1, NULL, 10);
    return otherwise;
}

static const char *text_option(int count, char **words, const char *name, const char *otherwise)
{
    const size_t size = strlen(name);
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], name, size) == 0 && words[i][size] == '=')
            return words[i] + size + 1;
    return otherwise;
}

/* ---- the server ---- */

static int listen_anywhere(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || bind(file, (struct sockaddr *)&address, size) != 0 || listen(file, 4) != 0 ||
        getsockname(file, (struct sockaddr *)&address, &size) != 0)
        fail("listen");
    *port = ntohs(address.sin_port);
    return file;
}

/* Starts the server; returns its process, and the port that it prints. */
static pid_t start(const char *program, const char *cell, int controller, int *port)
{
    int ends[2];
    char word[64], line[500];
    (void)snprintf(word, sizeof word, "jsonl:127.0.0.1:%d", controller);
    if (pipe(ends) != 0)
        fail("pipe");
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execl(program, program, "serve", cell, "--listen", "127.0.0.1:0", "--controller", word, (char *)NULL);
        fail(program);
    }
    (void)close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    if (child < 0 || !said || !fgets(line, sizeof line, said))
        fail("the server says nothing");
    const char *found = strrchr(line, ':');
    *port = found ? atoi(found + 1) : 0;
    return child;
}

/* Reads memory (kB) and processor time (seconds) of a process. */
static void measure(pid_t process, long *memory, double *seconds)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, system = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0)
        fail(path);
    (void)fclose(file);
    const char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %*u %*u %ld",
               &user, &system, memory) != 3)
        fail(path);
    *memory *= sysconf(_SC_PAGESIZE) / 1024;
    *seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* ---- clients ---- */

static void join(struct client *client, int port, bool stalls)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char request[600], answer[2048] = "";
    int one = 1, small = 4096;
    size_t size = 0;
    client->file = socket(AF_INET, SOCK_STREAM, 0);
    client->stalls = stalls;
    if (stalls)
        (void)setsockopt(client->file, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (connect(client->file, (struct sockaddr *)&address, sizeof address) != 0)
        fail("connect");
    (void)setsockopt(client->file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    const int length =
        snprintf(request, sizeof request,
                 "GET /live HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Origin: http://127.0.0.1:%d\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: cellpipe\r\n\r\n",
                 port, port);
    if (write(client->file, request, (size_t)length) != length)
        fail("write");
    while (size < sizeof answer - 1 && !strstr(answer, "\r\n\r\n")) {
        if (read(client->file, answer + size, 1) != 1)
            fail("no answer to the upgrade");
        answer[++size] = 0;
    }
    if (strncmp(answer, "HTTP/1.1 101", 12) != 0) {
        fprintf(stderr, "live_load: not upgraded: %.40s\n", answer);
        exit(1);
    }
    (void)fcntl(client->file, F_SETFL, O_NONBLOCK);
    client->open = true;
}

static void take_frame(struct client *client, unsigned opcode, const char *payload, size_t size, double time)
{
    if (opcode == 9) { /* a ping wants its pong, masked by zeros */
        unsigned char pong[6 + 125] = {0x8a, (unsigned char)(0x80 | size)};
        memcpy(pong + 6, payload, size);
        (void)!write(client->file, pong, 6 + size);
    }
    if (opcode != 1 || size < 20 || strncmp(payload, "{\"type\":\"state\"", 15) != 0 || late_count == late_room)
        return;
    char text[200];
    const size_t head = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, payload, head);
    text[head] = 0;
    const char *sent = strstr(text, "\"t\":");
    if (sent && atof(sent + 4) > 1)
        late[late_count++] = time - atof(sent + 4);
}

static void take_bytes(struct client *client)
{
    const ssize_t count = read(client->file, client->bytes + client->have, ROOM - client->have);
    const double time = now();
    if (count <= 0) {
        client->open = count < 0 && errno == EAGAIN;
        return;
    }
    client->have += (size_t)count;
    size_t at = 0;
    while (client->have - at >= 4) {
        const unsigned char *frame = client->bytes + at;
        size_t size = frame[1] & 127, head = 2;
        if (size == 126) {
            size = (size_t)frame[2] << 8 | frame[3];
            head = 4;
        }
        if (client->have - at < head + size)
            break;
        take_frame(client, frame[0] & 15, (const char *)frame + head, size, time);
        at += head + size;
    }
    memmove(client->bytes, client->bytes + at, client->have - at);
    client->have -= at;
}

static void serve_until(double end, int count)
{
    struct pollfd files[MOST_CLIENTS];
    for (double time = now(); time < end; time = now()) {
        for (int i = 0; i < count; i++)
            files[i] = (struct pollfd){clients[i].open && !clients[i].stalls ? clients[i].file : -1, POLLIN, 0};
        const int wait = (int)((end - time) * 1000);
        if (poll(files, (nfds_t)count, wait > 0 ? wait : 1) > 0)
            for (int i = 0; i < count; i++)
                if (files[i].revents)
                    take_bytes(&clients[i]);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 3)
        return 2;
    const long readers = option(argument_count, arguments, "clients", 20),
               stalled = option(argument_count, arguments, "stalled", 0),
               rate = option(argument_count, arguments, "rate", 100),
               seconds = option(argument_count, arguments, "seconds", 10);
    const char *joint = text_option(argument_count, arguments, "joint", "Arm.J1");
    const int all = (int)(readers + stalled);
    int controller_port, port;
    long memory = 0, later = 0;
    double busy = 0, idle = 0, end = 0;
    if (all > MOST_CLIENTS || !(clients = calloc((size_t)all + 1, sizeof *clients)))
        return 2;
    late_room = (size_t)(readers * rate * (seconds + 1));
    late = calloc(late_room + 1, sizeof *late);
    (void)signal(SIGPIPE, SIG_IGN);
    const int listener = listen_anywhere(&controller_port);
    const pid_t server = start(arguments[1], arguments[2], controller_port, &port);
    const int robot = accept(listener, NULL, NULL);
    for (int i = 0; i < all; i++)
        join(&clients[i], port, i >= readers);
    measure(server, &memory, &idle);
    serve_until(now() + 3, all);
    measure(server, &memory, &end);
    printf("idle: %.2f %% of a processor, %ld kB\n", 100 * (end - idle) / 3, memory);
    const double begin = now();
    measure(server, &memory, &busy);
    for (long k = 0; k < rate * seconds; k++) {
        char line[200];
        const int length = snprintf(line, sizeof line, "{\"t\":%.6f,\"q\":{\"%s\":%.6f}}\n", now(), joint,
                                    0.3 + 0.001 * (double)(k % 100));
        if (write(robot, line, (size_t)length) != length)
            fail("the controller's connection");
        if (k == 10 * rate)
            measure(server, &later, &end);
        serve_until(begin + (double)(k + 1) / (double)rate, all);
    }
    serve_until(now() + 0.2, all);
    measure(server, &memory, &end);
    qsort(late, late_count, sizeof *late, compare);
    int left = 0;
    for (int i = 0; i < all; i++)
        left += clients[i].open;
    printf("%ld clients, %ld that never read, %ld Hz, %ld s: %.2f %% of the states came\n", readers, stalled, rate,
           seconds, 100.0 * (double)late_count / (double)(readers * rate * seconds));
    if (late_count > 0)
        printf("latency: p50 %.3f, p90 %.3f, p99 %.3f, most %.3f ms\n", 1e3 * late[late_count / 2],
               1e3 * late[late_count * 9 / 10], 1e3 * late[late_count * 99 / 100], 1e3 * late[late_count - 1]);
    printf("server: %.2f %% of a processor, %ld kB after 10 s, %ld kB at the end; %d connections are left\n",
           100 * (end - busy) / (now() - begin), later, memory, left);
    (void)kill(server, SIGTERM);
    (void)waitpid(server, NULL, 0);
    return 0;
}

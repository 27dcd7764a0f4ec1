/* live_load PROGRAM CELL [clients=N] [stalled=N] [rate=HZ] [seconds=N] [idle=N] [joint=NAME]: how late states come. It
 * is the controller of a server that it starts, and its clients, who have logged in: each state says when it was sent,
 * by the same clock. Stalled clients never read; since the server sends such away, they come again and again. Prints a
 * row of tests/bench/live.sh: clients, stalled, Hz, seconds; p50, p90, p99 and most of the latencies at the clients'
 * sockets in ms, per cent of the states that came (slow readers get the newest alone); the server's per cent of a
 * processor in `idle` seconds with all clients and no state, and under load; its memory in kB when all clients are
 * there, 10 s later, and at the end. */
#include <arpa/inet.h>
#include <dirent.h>
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

enum { MOST_CLIENTS = 1000, ROOM = 1 << 16, STALL = 12 /* seconds until a client that never reads comes anew */ };

struct client {
    int file;
    bool open, stalls;
    size_t have;
    unsigned char bytes[ROOM];
};

static struct client *clients;
static char cookie[64];
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

/* Runs a program to its end, with a text for its standard input. */
static void run(const char *program, const char *const words[], const char *input)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        fail("pipe");
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[0], STDIN_FILENO);
        (void)close(ends[1]);
        (void)execv(program, (char *const *)(uintptr_t)words);
        fail(program);
    }
    (void)close(ends[0]);
    (void)!write(ends[1], input, strlen(input));
    (void)close(ends[1]);
    if (waitpid(child, &status, 0) != child || status != 0)
        fail("a user cannot be added");
}

/* Starts the server; returns its process, and the port that it prints. */
static pid_t start(const char *program, const char *cell, const char *users, int controller, int *port)
{
    int ends[2];
    char word[64], line[500];
    (void)snprintf(word, sizeof word, "jsonl:127.0.0.1:%d", controller);
    if (pipe(ends) != 0)
        fail("pipe");
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execl(program, program, "serve", cell, "--listen", "127.0.0.1:0", "--controller", word, "--users", users,
                    (char *)NULL);
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

/* Memory of a process in kB. */
static long memory_of(pid_t process)
{
    char path[64], line[200];
    long memory = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file && memory == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmRSS:", 6) == 0)
            memory = strtol(line + 6, NULL, 10);
    if (!file || memory == 0)
        fail(path);
    (void)fclose(file);
    return memory;
}

/* Seconds of the processor that all threads of a process have taken, to the nanosecond. */
static double busy_time(pid_t process)
{
    char path[300], line[200];
    double sum = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    if (!threads)
        fail(path);
    for (const struct dirent *thread = readdir(threads); thread; thread = readdir(threads)) {
        (void)snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)process, thread->d_name);
        FILE *file = *thread->d_name != '.' ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        if (fgets(line, sizeof line, file))
            sum += 1e-9 * strtod(line, NULL);
        (void)fclose(file);
    }
    (void)closedir(threads);
    return sum;
}

/* ---- clients ---- */

/* Connects, sends a request, and reads the head of its answer. */
static int ask(int port, const char *request, char *answer, size_t room, bool stalls)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1, small = 4096;
    size_t size = 0;
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    if (stalls)
        (void)setsockopt(file, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (connect(file, (struct sockaddr *)&address, sizeof address) != 0)
        fail("connect");
    (void)setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (write(file, request, strlen(request)) != (ssize_t)strlen(request))
        fail("write");
    *answer = 0;
    while (size < room - 1 && !strstr(answer, "\r\n\r\n")) {
        if (read(file, answer + size, 1) != 1)
            fail("no answer");
        answer[++size] = 0;
    }
    return file;
}

static void log_in(int port)
{
    static const char body[] = "{\"user\":\"load\",\"password\":\"only looks on\"}";
    char request[400], answer[4096];
    (void)snprintf(request, sizeof request,
                   "POST /login HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                   port, strlen(body), body);
    (void)close(ask(port, request, answer, sizeof answer, false));
    const char *found = strstr(answer, "cellpipe=");
    if (!found || sscanf(found, "%63[^;]", cookie) != 1) {
        fprintf(stderr, "live_load: no login: %.40s\n", answer);
        exit(1);
    }
}

static void join(struct client *client, int port, bool stalls)
{
    char request[600], answer[4096];
    (void)snprintf(request, sizeof request,
                   "GET /live HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Origin: http://127.0.0.1:%d\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: %s\r\n"
                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: cellpipe\r\n\r\n",
                   port, port, cookie);
    client->file = ask(port, request, answer, sizeof answer, stalls);
    client->stalls = stalls;
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

static double late_at(size_t part, size_t of)
{
    return late_count > 0 ? 1e3 * late[(late_count - 1) * part / of] : 0;
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 3)
        return 2;
    const long readers = option(argument_count, arguments, "clients", 20),
               stalled = option(argument_count, arguments, "stalled", 0),
               rate = option(argument_count, arguments, "rate", 100),
               seconds = option(argument_count, arguments, "seconds", 10),
               idle = option(argument_count, arguments, "idle", 5);
    const char *joint = text_option(argument_count, arguments, "joint", "Arm.J1");
    const int all = (int)(readers + stalled);
    int controller_port, port;
    if (all > MOST_CLIENTS || rate < 1 || idle < 1 || !(clients = calloc((size_t)all + 1, sizeof *clients)))
        return 2;
    late_room = (size_t)(readers * rate * (seconds + 1));
    late = calloc(late_room + 1, sizeof *late);
    if (!late)
        fail("memory");
    memset(late, 0, (late_room + 1) * sizeof *late);
    (void)signal(SIGPIPE, SIG_IGN);
    char users[] = "/tmp/live_load.XXXXXX";
    const int file = mkstemp(users);
    if (file < 0 || close(file) != 0 || unlink(users) != 0)
        fail(users);
    run(arguments[1], (const char *const[]){"cellpipe", "users", users, "add", "load", "viewer", NULL},
        "only looks on\n");
    const int listener = listen_anywhere(&controller_port);
    const pid_t server = start(arguments[1], arguments[2], users, controller_port, &port);
    const int robot = accept(listener, NULL, NULL);
    log_in(port);
    for (int i = 0; i < all; i++)
        join(&clients[i], port, i >= readers);
    serve_until(now() + 2, all); /* the controller is offline meanwhile */
    double busy = busy_time(server), begin = now();
    serve_until(begin + (double)idle, all);
    const double idle_share = (busy_time(server) - busy) / (now() - begin);
    const long at_first = memory_of(server);
    long later = at_first;
    busy = busy_time(server);
    begin = now();
    for (long k = 0; k < rate * seconds; k++) {
        char line[200];
        const int length = snprintf(line, sizeof line, "{\"t\":%.6f,\"q\":{\"%s\":%.6f}}\n", now(), joint,
                                    0.3 + 0.001 * (double)(k % 100));
        if (write(robot, line, (size_t)length) != length)
            fail("the controller's connection");
        if (k == 10 * rate)
            later = memory_of(server);
        for (long i = readers; i < all && k % (STALL * rate) == STALL * rate - 1; i++) {
            (void)close(clients[i].file);
            join(&clients[i], port, true);
        }
        serve_until(begin + (double)(k + 1) / (double)rate, all);
    }
    const double share = (busy_time(server) - busy) / (now() - begin);
    serve_until(now() + 0.2, all);
    qsort(late, late_count, sizeof *late, compare);
    for (int i = 0; i < readers; i++)
        if (!clients[i].open)
            fail("a client was sent away");
    printf("| %ld | %ld | %ld | %ld | %.3f | %.3f | %.3f | %.3f | %.2f | %.3f | %.2f | %ld | %ld | %ld |\n", readers,
           stalled, rate, seconds, late_at(50, 100), late_at(90, 100), late_at(99, 100), late_at(1, 1),
           100.0 * (double)late_count / (double)(readers * rate * seconds), 100 * idle_share, 100 * share, at_first,
           later, memory_of(server));
    (void)kill(server, SIGTERM);
    (void)waitpid(server, NULL, 0);
    (void)unlink(users);
    return 0;
}

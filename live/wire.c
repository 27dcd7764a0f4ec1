/* The wire to a controller. */
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cellpipe_build.h"
#include "server.h"

/* ---- the word of --controller ---- */

/* Reads PROTOCOL:HOST[:PORT], or jsonl:unix:PATH. */
static bool read_word(struct wire *wire, const char *word)
{
    const char *colon = strchr(word, ':'), *host = colon ? colon + 1 : word;
    const size_t size = colon ? (size_t)(colon - word) : 0;
    if (size == 0 || size >= sizeof wire->protocol)
        return false;
    memcpy(wire->protocol, word, size);
    wire->protocol[size] = 0;
    if (strncmp(host, "unix:", 5) == 0) {
        wire->is_unix = true;
        (void)snprintf(wire->host, sizeof wire->host, "+%s", host + 5); /* as libwebsockets has it */
        return host[5] != 0 && strlen(host + 5) < MOST_PATH_SIZE && strcmp(wire->protocol, "jsonl") == 0;
    }
    const char *port = strrchr(host, ':');
    if (port && strchr(host, ':') != port && *host != '[') /* an address of IPv6 without a port */
        port = NULL;
    size_t length = port ? (size_t)(port - host) : strlen(host);
    if (*host == '[' && length > 2 && host[length - 1] == ']') {
        host++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof wire->host)
        return false;
    memcpy(wire->host, host, length);
    wire->host[length] = 0;
    if (!port)
        return true;
    char *end;
    const long number = strtol(port + 1, &end, 10);
    wire->port = (int)number;
    return is_digit(port[1]) && *end == 0 && number > 0 && number <= 65535;
}

/* The lines of a recording come from the exporter, a line every step. */
static cp_status make_lines(struct wire *wire, struct floor *floor, const char *clip)
{
    char option[300];
    const char *const options[] = {"period=0.01", option};
    const cp_scene *scene = floor->cell.scene;
    uint32_t clips;
    void *bytes = NULL;
    (void)cp_clips(scene, &clips);
    if (clips == 0)
        return cp_report_error(floor->context, CP_USAGE, "live-controller", NULL, 0,
                               "--controller recording: the cell has no clip");
    (void)snprintf(option, sizeof option, "clip=%.200s", clip ? clip : "#1");
    cp_status status = cp_write_memory(floor->context, scene, "jsonl", options, 2, &bytes, &wire->size);
    if (status == CP_OK) {
        wire->lines = malloc(wire->size + 1);
        if (wire->lines)
            memcpy(wire->lines, bytes, wire->size);
    }
    cp_free(floor->context, bytes, wire->size);
    return status == CP_OK && !wire->lines ? CP_LIMIT : status;
}

cp_status wire_open(struct wire *wire, struct floor *floor, struct arena *arena, const struct live_request *request)
{
    const char *word = request->controller;
    wire->is_standard_input = strcmp(word, "stdin") == 0;
    wire->is_recording = strcmp(word, "recording") == 0 || strncmp(word, "recording:", 10) == 0;
    cp_status status = CP_OK;
    if (wire->is_recording)
        status = make_lines(wire, floor, word[9] ? word + 10 : NULL);
    else if (!wire->is_standard_input && !read_word(wire, word))
        status = cp_report_error(floor->context, CP_USAGE, "live-controller", NULL, 0,
                                 "--controller %.100s: give simulated, recording, stdin, jsonl:HOST:PORT, "
                                 "jsonl:unix:PATH, rtde:HOST or simple:HOST",
                                 word);
    if (wire->is_recording || wire->is_standard_input)
        (void)snprintf(wire->protocol, sizeof wire->protocol, "jsonl");
    if (status == CP_OK && request->allow_motion && (wire->is_recording || wire->is_standard_input))
        status = cp_report_error(floor->context, CP_USAGE, "live-controller", NULL, 0,
                                 "--allow-motion needs a controller that hears: jsonl:HOST:PORT or jsonl:unix:PATH");
    if (status == CP_OK)
        status = link_open(&wire->link, floor, arena, wire->protocol, request->map, request->allow_motion);
    if (status == CP_OK && !wire->port)
        wire->port = wire->link.protocol->port;
    if (status == CP_OK && !wire->port && !wire->is_unix && !wire->is_recording && !wire->is_standard_input)
        status = cp_report_error(floor->context, CP_USAGE, "live-controller", NULL, 0,
                                 "--controller %.100s: which port? Give HOST:PORT", word);
    if (wire->is_recording)
        floor->controller = "recording";
    return status;
}

/* ---- connections ---- */

static void try_later(struct wire *wire);

static void connect_now(lws_sorted_usec_list_t *timer)
{
    struct wire *wire = lws_container_of(timer, struct wire, timer);
    const struct lws_client_connect_info info = {
        .context = wire->lws,
        .vhost = wire->vhost,
        .address = wire->host,
        .host = wire->is_unix ? "localhost" : wire->host,
        .port = wire->port,
        .method = "RAW",
        .local_protocol_name = "controller",
        .pwsi = &wire->wsi,
    };
    if (!wire->wsi && !lws_client_connect_via_info(&info))
        try_later(wire);
}

static void try_later(struct wire *wire)
{
    lws_sul_schedule(wire->lws, 0, &wire->timer, connect_now, RECONNECT * 1000);
}

static int send_bytes(struct wire *wire, const void *bytes, size_t size)
{
    unsigned char *room = size > 0 ? malloc(LWS_PRE + size) : NULL;
    if (!room)
        return size > 0 ? -1 : 0;
    memcpy(room + LWS_PRE, bytes, size);
    const int sent = lws_write(wire->wsi, room + LWS_PRE, size, LWS_WRITE_RAW);
    free(room);
    return sent < (int)size ? -1 : 0;
}

static int begin(struct wire *wire)
{
    const void *hello = NULL;
    size_t size = 0;
    if (link_begin(&wire->link, &hello, &size) != CP_OK)
        return -1;
    return send_bytes(wire, hello, size);
}

static int take(struct wire *wire, const void *bytes, size_t size)
{
    const void *answer = NULL;
    size_t answer_size = 0;
    const bool good = link_take(&wire->link, bytes, size, server_now(), &answer, &answer_size);
    wire->wake(wire->user);
    if (!good)
        return -1;
    return answer ? send_bytes(wire, answer, answer_size) : 0;
}

/* Standard input cannot be closed and opened again as a connection can: after nonsense it is passed over for as long,
 * and heard again from the next line on. */
static int take_standard_input(struct wire *wire, const char *bytes, size_t size)
{
    const void *hello;
    size_t hello_size;
    const uint64_t now = server_now();
    const char *newline = wire->in_line ? memchr(bytes, '\n', size) : NULL;
    const size_t passed = newline ? (size_t)(newline - bytes) + 1 : 0;
    if (now < wire->deaf_until || (wire->in_line && !newline)) {
        wire->in_line = bytes[size - 1] != '\n';
        return 0;
    }
    wire->in_line = false;
    if (wire->deaf_until > 0 && link_begin(&wire->link, &hello, &hello_size) != CP_OK)
        return -1;
    wire->deaf_until = 0;
    if (take(wire, bytes + passed, size - passed) != 0) {
        wire->deaf_until = now + RECONNECT;
        wire->in_line = bytes[size - 1] != '\n';
    }
    return 0;
}

static int send_commands(struct wire *wire)
{
    struct buffer *commands = &wire->link.commands;
    const int sent = send_bytes(wire, commands->data, commands->size);
    commands->size = 0;
    return sent;
}

static void end(struct wire *wire, const char *why)
{
    wire->wsi = NULL;
    link_end(&wire->link, why);
    wire->wake(wire->user);
    if (!wire->is_standard_input)
        try_later(wire);
}

void wire_send(struct wire *wire)
{
    if (wire->wsi && wire->link.commands.size > 0)
        lws_callback_on_writable(wire->wsi);
}

int answer_controller(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct server *server = server_of(wsi);
    struct wire *wire = server ? server->wire : NULL;
    (void)user;
    switch (reason) {
    case LWS_CALLBACK_RAW_CONNECTED:
        return begin(wire);
    case LWS_CALLBACK_RAW_RX:
        return take(wire, in, size);
    case LWS_CALLBACK_RAW_WRITEABLE:
        return send_commands(wire);
    case LWS_CALLBACK_RAW_CLOSE:
        end(wire, "the controller has closed the connection");
        return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        end(wire, "the controller cannot be reached");
        return 0;
    case LWS_CALLBACK_RAW_RX_FILE: {
        char bytes[4096];
        const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            return 0;
        return count > 0 ? take_standard_input(wire, bytes, (size_t)count) : -1;
    }
    case LWS_CALLBACK_RAW_CLOSE_FILE:
        end(wire, "standard input has ended");
        return 0;
    default:
        return 0;
    }
}

/* ---- a recording ---- */

/* Returns the end of the line at `at`, behind its newline. */
static size_t end_of_line(const struct wire *wire, size_t at)
{
    const char *newline = memchr(wire->lines + at, '\n', wire->size - at);
    return newline ? (size_t)(newline - wire->lines) + 1 : wire->size;
}

/* Plays the next line, and comes back when the one after it is due. */
static void play(lws_sorted_usec_list_t *timer)
{
    struct wire *wire = lws_container_of(timer, struct wire, timer);
    const uint64_t now = server_now();
    if (wire->at >= wire->size) {
        wire->at = 0;
        wire->begun = now;
    }
    const size_t next = end_of_line(wire, wire->at);
    const void *answer;
    size_t answer_size;
    (void)link_take(&wire->link, wire->lines + wire->at, next - wire->at, now, &answer, &answer_size);
    wire->at = next;
    wire->wake(wire->user);
    const uint64_t due = wire->begun + (uint64_t)(wire->link.floor->time * 1000) + STEP_TIME;
    lws_sul_schedule(wire->lws, 0, &wire->timer, play, (lws_usec_t)(due > now ? due - now : 1) * 1000);
}

/* ---- beginning and ending ---- */

void wire_begin(struct wire *wire, struct lws_context *lws, struct lws_vhost *vhost)
{
    const void *hello;
    size_t size;
    wire->lws = lws;
    wire->vhost = vhost;
    if (wire->is_recording) {
        (void)link_begin(&wire->link, &hello, &size);
        wire->begun = server_now();
        play(&wire->timer);
    } else if (wire->is_standard_input) {
        (void)link_begin(&wire->link, &hello, &size);
        const lws_sock_file_fd_type file = {.filefd = STDIN_FILENO};
        wire->wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, file, "controller", NULL);
    } else
        connect_now(&wire->timer);
}

void wire_close(struct wire *wire)
{
    link_close(&wire->link);
    free(wire->lines);
    wire->lines = NULL;
}

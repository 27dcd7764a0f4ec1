/* The WebSocket: messages in, messages out. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The connection ends once its end can be said. A lease is lost now, whenever that is. */
static void end(struct server *server, struct connection *connection, int code, const char *why)
{
    if (connection->code == 0) {
        connection->code = code;
        connection->why = why;
    }
    if (connection->is_in)
        floor_leave(&server->floor, &connection->person);
    connection->is_in = false;
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_CLOSE_SEND, 2);
    lws_callback_on_writable(connection->wsi);
}

static void end_now(struct connection *connection)
{
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
}

/* Lets us read what the browser says, in place of libwebsockets (frames.h): by a descriptor of our own, a child of the
 * connection, which ends with it. */
static bool read_ourselves(struct server *server, struct lws *wsi)
{
    const int file = fcntl(lws_get_socket_fd(wsi), F_DUPFD_CLOEXEC, 0);
    const lws_sock_file_fd_type descriptor = {.filefd = file};
    if (file < 0)
        return false;
    (void)lws_rx_flow_control(wsi, 0);
    if (lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, "browser", wsi))
        return true;
    if (fcntl(file, F_GETFD) >= 0) /* it has not always been closed */
        (void)close(file);
    return false;
}

static int enter(struct server *server, struct connection *connection, struct lws *wsi)
{
    const struct session *session;
    int room = SOCKET_ROOM;
    *connection = (struct connection){.wsi = wsi, .frames = {.text = {.context = server->context}}};
    if (!find_visitor(server, wsi, &session) || !read_ourselves(server, wsi))
        return -1;
    (void)setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    connection->session = session;
    if (floor_enter(&server->floor, &connection->person, session ? session->name : "",
                    session ? session->role : ROLE_GUEST) != CP_OK)
        return -1;
    connection->is_in = true;
    if (session) {
        memcpy(connection->key, session->key, sizeof connection->key);
        remove_stranger(server, wsi);
    }
    connection->next = server->connections;
    server->connections = connection;
    lws_callback_on_writable(wsi);
    return 0;
}

static void leave(struct server *server, struct connection *connection)
{
    struct connection **at = &server->connections;
    while (*at && *at != connection)
        at = &(*at)->next;
    if (*at)
        *at = connection->next;
    if (connection->is_in)
        floor_leave(&server->floor, &connection->person);
    frames_free(&connection->frames);
    *connection = (struct connection){0};
}

/* ---- what it says ---- */

static bool says_too_much(struct connection *connection)
{
    const uint64_t second = server_now() / 1000;
    if (connection->second != second) {
        connection->second = second;
        connection->frame_count = 0;
    }
    return ++connection->frame_count > MOST_FRAMES;
}

static void hear(struct server *server, struct connection *connection, const struct frame_event *event)
{
    switch (event->kind) {
    case FRAME_TEXT:
        if (!floor_hear(&server->floor, &connection->person, event->bytes, event->size, server_now()))
            end(server, connection, END_POLICY, "refused");
        lws_callback_on_writable(connection->wsi);
        server_wake(server);
        break;
    case FRAME_PING: /* the newest one is answered */
        memcpy(connection->pong + LWS_PRE, event->bytes, event->size);
        connection->pong_size = event->size;
        connection->has_pong = true;
        lws_callback_on_writable(connection->wsi);
        break;
    case FRAME_PONG:
        lws_validity_confirmed(connection->wsi);
        break;
    case FRAME_END:
        end(server, connection, LWS_CLOSE_STATUS_NORMAL, "");
        break;
    case FRAME_FAULT:
        end(server, connection, event->code, event->why);
        break;
    case FRAME_GOES_ON:
        break;
    }
    if (event->kind != FRAME_FAULT && says_too_much(connection))
        end(server, connection, END_POLICY, "too many frames");
}

/* Reads what has come. Nothing is read any more once the connection ends. */
static int read_frames(struct server *server, struct connection *connection)
{
    unsigned char bytes[4096];
    struct frame_event event;
    if (connection->code != 0)
        return -1;
    const ssize_t count = recv(lws_get_socket_fd(connection->wsi), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return 0;
    if (count <= 0) {
        end_now(connection);
        return -1;
    }
    for (size_t at = 0; at < (size_t)count && connection->code == 0;) {
        at += frames_take(&connection->frames, MOST_MESSAGE, bytes + at, (size_t)count - at, &event);
        hear(server, connection, &event);
    }
    return connection->code != 0 ? -1 : 0;
}

int answer_browser(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct lws *parent = lws_get_parent(wsi);
    struct connection *connection = parent ? lws_wsi_user(parent) : NULL;
    (void)user;
    (void)in;
    (void)size;
    return reason == LWS_CALLBACK_RAW_RX_FILE && connection ? read_frames(server_of(wsi), connection) : 0;
}

/* ---- what it hears ---- */

/* Sends the next message. */
static int write_next(struct server *server, struct connection *connection)
{
    size_t size;
    struct lws *wsi = connection->wsi;
    connection->waits_since = 0;
    if (connection->code != 0) {
        lws_close_reason(wsi, (enum lws_close_status)connection->code, (unsigned char *)(uintptr_t)connection->why,
                         strlen(connection->why));
        return -1;
    }
    if (lws_send_pipe_choked(wsi)) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    if (connection->has_pong) {
        connection->has_pong = false;
        lws_callback_on_writable(wsi);
        return lws_write(wsi, connection->pong + LWS_PRE, connection->pong_size, LWS_WRITE_PONG) < 0 ? -1 : 0;
    }
    const char *text = floor_next(&server->floor, &connection->person, &size);
    if (!text)
        return 0;
    if (size > server->room_size) {
        char *room = realloc(server->room, LWS_PRE + 2 * size);
        if (!room)
            return -1;
        server->room = room;
        server->room_size = 2 * size;
    }
    memcpy(server->room + LWS_PRE, text, size);
    if (lws_write(wsi, (unsigned char *)server->room + LWS_PRE, size, LWS_WRITE_TEXT) < (int)size)
        return -1;
    if (floor_is_due(&server->floor, &connection->person))
        lws_callback_on_writable(wsi);
    return 0;
}

void follow_sessions(struct server *server)
{
    const uint64_t now = server_now();
    for (struct connection *connection = server->connections; connection; connection = connection->next) {
        if (!connection->is_in || !connection->session || session_goes_on(connection->session, connection->key, now))
            continue;
        end(server, connection, END_POLICY, "the session has ended");
    }
}

void serve_connections(struct server *server)
{
    const uint64_t now = server_now();
    for (struct connection *connection = server->connections; connection; connection = connection->next) {
        if (connection->person.out.failed) /* an answer is lost, since there was no memory */
            end_now(connection);
        if (!connection->is_in || !floor_is_due(&server->floor, &connection->person))
            continue;
        if (connection->waits_since == 0)
            connection->waits_since = now;
        if (now - connection->waits_since > SLOW_READER)
            end_now(connection);
        else
            lws_callback_on_writable(connection->wsi);
    }
}

int answer_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct server *server = server_of(wsi);
    struct connection *connection = user;
    (void)in;
    (void)size;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        return enter(server, connection, wsi);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return write_next(server, connection);
    case LWS_CALLBACK_CLOSED:
        leave(server, connection);
        return 0;
    default:
        return 0;
    }
}

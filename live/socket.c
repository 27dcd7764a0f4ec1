/* The WebSocket: messages in, messages out. */
#include "server.h"

#include <sys/socket.h>

static int hang_up(struct lws *wsi, enum lws_close_status code, const char *why)
{
    lws_close_reason(wsi, code, (unsigned char *)(uintptr_t)why, strlen(why));
    return -1;
}

static int enter(struct server *server, struct connection *connection, struct lws *wsi)
{
    const struct session *session;
    int room = SOCKET_ROOM;
    if (!find_visitor(server, wsi, &session))
        return -1;
    (void)setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    *connection = (struct connection){.wsi = wsi, .session = session, .said = {.context = server->context}};
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
    buffer_free(&connection->said);
    *connection = (struct connection){0};
}

/* Takes a piece of a message; a whole one goes to the floor. */
static int hear(struct server *server, struct connection *connection, const void *bytes, size_t size)
{
    struct lws *wsi = connection->wsi;
    struct buffer *said = &connection->said;
    if (!connection->is_in)
        return hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "the session has ended");
    if (lws_frame_is_binary(wsi))
        return hang_up(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "texts alone");
    if (size > MOST_MESSAGE - said->size)
        return hang_up(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "too long");
    buffer_append(said, bytes, size);
    if (said->failed)
        return -1;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0)
        return 0;
    const bool stays = floor_hear(&server->floor, &connection->person, said->data, said->size, server_now());
    buffer_free(said);
    *said = (struct buffer){.context = server->context};
    if (!stays)
        return hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "refused");
    lws_callback_on_writable(wsi);
    server_wake(server);
    return 0;
}

/* Sends the next message. */
static int write_next(struct server *server, struct connection *connection)
{
    size_t size;
    struct lws *wsi = connection->wsi;
    connection->waits_since = 0;
    if (!connection->is_in)
        return hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "the session has ended");
    if (lws_send_pipe_choked(wsi)) {
        lws_callback_on_writable(wsi);
        return 0;
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
        connection->is_in = false; /* a lease is lost now, whenever the connection ends */
        floor_leave(&server->floor, &connection->person);
        lws_set_timeout(connection->wsi, PENDING_TIMEOUT_CLOSE_SEND, 2);
        lws_callback_on_writable(connection->wsi);
    }
}

void serve_connections(struct server *server)
{
    const uint64_t now = server_now();
    for (struct connection *connection = server->connections; connection; connection = connection->next) {
        if (connection->person.out.failed) /* an answer is lost, since there was no memory */
            lws_set_timeout(connection->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
        if (!connection->is_in || !floor_is_due(&server->floor, &connection->person))
            continue;
        if (connection->waits_since == 0)
            connection->waits_since = now;
        if (now - connection->waits_since > SLOW_READER)
            lws_set_timeout(connection->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
        else
            lws_callback_on_writable(connection->wsi);
    }
}

int answer_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct server *server = server_of(wsi);
    struct connection *connection = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        return enter(server, connection, wsi);
    case LWS_CALLBACK_RECEIVE:
        return hear(server, connection, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return write_next(server, connection);
    case LWS_CALLBACK_CLOSED:
        leave(server, connection);
        return 0;
    default:
        return 0;
    }
}

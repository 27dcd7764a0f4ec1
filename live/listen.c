/* Listens at a network's address or a Unix socket, and takes connections in. */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cellpipe_build.h"
#include "server.h"

/* ---- the address ---- */

static bool read_host_and_port(struct listener *listener, char host[256])
{
    const char *text = listener->text, *colon = strrchr(text, ':');
    if (!colon || colon == text)
        return false;
    char *end;
    const long port = strtol(colon + 1, &end, 10);
    if (*end || !is_digit(colon[1]) || port > 65535)
        return false;
    size_t size = (size_t)(colon - text);
    if (*text == '[' && text[size - 1] == ']') {
        text++;
        size -= 2;
    }
    if (size == 0 || size >= 256)
        return false;
    memcpy(host, text, size);
    host[size] = 0;
    listener->port = (int)port;
    return true;
}

cp_status listener_read(struct listener *listener, cp_context *context, const char *text)
{
    char host[256], port[16];
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    *listener = (struct listener){.text = text, .file = -1};
    const bool is_path = strncmp(text, "unix:", 5) == 0;
    if (is_path)
        listener->path = text + 5;
    const size_t longest = sizeof((struct sockaddr_un *)NULL)->sun_path - 1;
    if (is_path ? !*listener->path || strlen(listener->path) > longest : !read_host_and_port(listener, host))
        return cp_report_error(context, CP_USAGE, "live-request", NULL, 0,
                               "--listen %s: give HOST:PORT, such as 127.0.0.1:8080, or unix:PATH%s", text,
                               is_path && *listener->path ? " of at most 107 bytes" : "");
    if (is_path)
        return CP_OK;
    (void)snprintf(listener->host, sizeof listener->host, strchr(host, ':') ? "[%s]" : "%s", host);
    (void)snprintf(port, sizeof port, "%d", listener->port);
    const int why = getaddrinfo(host, port, &wanted, &listener->places);
    return why == 0 ? CP_OK
                    : cp_report_error(context, CP_OUTPUT, "live-listen", NULL, 0, "cannot listen at %s: %s", text,
                                      gai_strerror(why));
}

bool listener_is_local(const struct listener *listener)
{
    bool local = true;
    for (const struct addrinfo *place = listener->places; place; place = place->ai_next)
        if (place->ai_family == AF_INET)
            local = local && ntohl(((const struct sockaddr_in *)(const void *)place->ai_addr)->sin_addr.s_addr) >> 24 ==
                                 IN_LOOPBACKNET;
        else
            local = local && place->ai_family == AF_INET6 &&
                    IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)place->ai_addr)->sin6_addr);
    return local;
}

/* ---- opening and closing ---- */

static void make_quick(int file)
{
    (void)fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
    (void)fcntl(file, F_SETFD, FD_CLOEXEC);
}

/* Nobody answers at a socket that is there. */
static bool is_left_over(const struct sockaddr_un *address)
{
    struct stat facts;
    if (lstat(address->sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode))
        return false;
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    const bool refused =
        file >= 0 && connect(file, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
    if (file >= 0)
        (void)close(file);
    return refused;
}

/* Returns why not; 0: it listens. The owner and the group may connect. */
static int open_path(struct listener *listener)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct sockaddr *at = (const struct sockaddr *)&address;
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", listener->path);
    listener->file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener->file < 0)
        return errno;
    const mode_t before = umask(0117);
    int why = bind(listener->file, at, sizeof address) == 0 ? 0 : errno;
    if (why == EADDRINUSE && is_left_over(&address)) {
        (void)unlink(listener->path);
        why = bind(listener->file, at, sizeof address) == 0 ? 0 : errno;
    }
    (void)umask(before);
    listener->is_made = why == 0;
    return why == 0 && listen(listener->file, SOMAXCONN) != 0 ? errno : why;
}

static int open_place(struct listener *listener, const struct addrinfo *place)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int one = 1;
    listener->file = socket(place->ai_family, SOCK_STREAM, 0);
    if (listener->file < 0)
        return errno;
    (void)setsockopt(listener->file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (place->ai_family == AF_INET6)
        (void)setsockopt(listener->file, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(listener->file, place->ai_addr, place->ai_addrlen) != 0 || listen(listener->file, SOMAXCONN) != 0 ||
        getsockname(listener->file, (struct sockaddr *)&address, &size) != 0) {
        const int why = errno;
        (void)close(listener->file);
        listener->file = -1;
        return why;
    }
    listener->port = ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&address)->sin6_port
                                                         : ((struct sockaddr_in *)(void *)&address)->sin_port);
    return 0;
}

cp_status listener_open(struct listener *listener, cp_context *context)
{
    int why = 0;
    if (listener->path)
        why = open_path(listener);
    for (const struct addrinfo *place = listener->places; place && listener->file < 0; place = place->ai_next)
        why = open_place(listener, place);
    if (why != 0)
        return cp_report_error(context, CP_OUTPUT, "live-listen", NULL, 0, "cannot listen at %s: %s", listener->text,
                               strerror(why));
    make_quick(listener->file);
    return CP_OK;
}

void listener_close(struct listener *listener)
{
    if (listener->file >= 0)
        (void)close(listener->file);
    if (listener->is_made)
        (void)unlink(listener->path);
    if (listener->places)
        freeaddrinfo(listener->places);
    *listener = (struct listener){.file = -1};
}

/* ---- connections ---- */

bool listener_begin(struct listener *listener, struct lws_vhost *vhost)
{
    const lws_sock_file_fd_type file = {.filefd = listener->file};
    listener->wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, file, "listener", NULL);
    return listener->wsi != NULL;
}

void listener_has_room(struct listener *listener)
{
    if (!listener->waits)
        return;
    listener->waits = false;
    (void)lws_rx_flow_control(listener->wsi, 1 | LWS_RXFLOW_REASON_FLAG_PROCESS_NOW);
}

static void try_again(lws_sorted_usec_list_t *timer)
{
    listener_has_room(lws_container_of(timer, struct listener, timer));
}

/* There are no more descriptors: whoever comes waits until a connection has ended. A stranger goes for them who has had
 * time to show a session. */
static void wait_for_room(struct server *server, int why)
{
    struct listener *listener = &server->listener;
    listener->waits = true;
    (void)lws_rx_flow_control(listener->wsi, 0);
    lws_sul_schedule(server->lws, 0, &listener->timer, try_again, (lws_usec_t)FULL_TIME * 1000);
    if (!listener->has_told)
        (void)cp_report_error(server->context, CP_LIMIT, "live-full", NULL, 0,
                              "no more connections can be taken in: %s; the oldest one of those who have not logged "
                              "in goes",
                              strerror(why));
    listener->has_told = true;
    server->request->report(server->request->user);
    send_stranger_away(server, FULL_TIME);
}

static bool has_socket(const struct server *server, const struct lws *wsi)
{
    const struct connection *connection = server->connections;
    while (connection && connection->wsi != wsi)
        connection = connection->next;
    return connection != NULL;
}

/* Tells whether a connection would lack descriptors: it takes one, and a second one if it becomes a WebSocket
 * (socket.c), as those that came before and have asked for nothing yet may, too. Only the system knows how many there
 * are. */
static bool is_full(const struct server *server)
{
    int files[MOST_STRANGERS + 2];
    uint32_t wanted = 2, found = 0;
    for (uint32_t i = 0; i < server->stranger_count; i++)
        wanted += !has_socket(server, server->strangers[i].wsi);
    while (found < wanted && (files[found] = fcntl(server->listener.file, F_DUPFD_CLOEXEC, 0)) >= 0)
        found++;
    for (uint32_t i = 0; i < found; i++)
        (void)close(files[i]);
    return found < wanted;
}

/* Takes one connection in; what it says is heard before the next one comes, so that it may show a session. */
static void take_in(struct server *server)
{
    int one = 1;
    if (is_full(server)) {
        wait_for_room(server, EMFILE);
        return;
    }
    const int file = accept(server->listener.file, NULL, NULL);
    if (file < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            wait_for_room(server, errno);
        return;
    }
    make_quick(file);
    if (!server->listener.path)
        (void)setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)lws_adopt_socket_vhost(server->vhost, file); /* closes it if it is out of memory */
}

int answer_listener(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct server *server = server_of(wsi);
    (void)user;
    (void)in;
    (void)size;
    if (reason == LWS_CALLBACK_RAW_RX_FILE)
        take_in(server);
    if (reason == LWS_CALLBACK_RAW_CLOSE_FILE) { /* libwebsockets ends, and closes the file */
        server->listener.wsi = NULL;
        server->listener.file = -1;
        server->listener.waits = false;
    }
    return 0;
}

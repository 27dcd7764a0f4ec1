/* Requests: the page, the cell, logging in and out, and how the server does. Nothing comes from the disk. */
#include "server.h"

#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>

#define SECURITY_POLICY "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/* ---- who asks ---- */

static bool header(struct lws *wsi, enum lws_token_indexes token, char *text, int size)
{
    text[0] = 0;
    return lws_hdr_copy(wsi, text, size, token) > 0;
}

/* Tells whether a host is this name, perhaps with a port. */
static bool is_named(const char *host, const char *name)
{
    const size_t size = strlen(name);
    if (size == 0 || strncmp(host, name, size) != 0)
        return false;
    const char *port = host + size;
    return *port == 0 || (*port == ':' && is_digit(port[1]) && port[1 + strspn(port + 1, "0123456789")] == 0);
}

bool is_loopback_name(const char *host)
{
    return is_named(host, "localhost") || is_named(host, "127.0.0.1") || is_named(host, "[::1]");
}

bool is_ours(struct server *server, struct lws *wsi, bool needs_origin)
{
    char host[MOST_HEADER], origin[MOST_HEADER];
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host))
        return false;
    const bool has_origin = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0;
    (void)header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
    if (*server->origin) {
        const char *proxy_host = strstr(server->origin, "://") + 3;
        return strcmp(host, proxy_host) == 0 && (has_origin ? strcmp(origin, server->origin) == 0 : !needs_origin);
    }
    /* Any port will do: ssh -L gives the browser another one than ours. */
    if (!is_loopback_name(host) && !is_named(host, server->listener.host))
        return false;
    return has_origin ? strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0 : !needs_origin;
}

bool find_visitor(struct server *server, struct lws *wsi, const struct session **session)
{
    char cookie[MOST_HEADER], key[SESSION_KEY_SIZE];
    *session = NULL;
    if (!server->request->users)
        return true;
    if (header(wsi, WSI_TOKEN_HTTP_COOKIE, cookie, sizeof cookie) && session_cookie(cookie, key))
        *session = session_find(server->sessions, key, server_now());
    return *session || server->request->public_view;
}

/* ---- answers ---- */

/* Writes the head of an answer; the body follows when the connection can take it. */
static int send_head(struct visit *visit, unsigned code, const char *cookie)
{
    unsigned char room[LWS_PRE + 2048], *at = room + LWS_PRE, *begin = at, *end = room + sizeof room - 1;
    const struct body *body = &visit->body;
    static const struct {
        const char *name, *value;
    } always[] = {{"content-security-policy:", SECURITY_POLICY},
                  {"x-content-type-options:", "nosniff"},
                  {"referrer-policy:", "no-referrer"},
                  {"cache-control:", "no-store"},
                  {"cross-origin-opener-policy:", "same-origin"},
                  {"x-frame-options:", "DENY"}};
    struct lws *wsi = visit->wsi;
    bool failed = lws_add_http_common_headers(wsi, code, body->type, body->size, &at, end) != 0;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        failed = failed || lws_add_http_header_by_name(wsi, (const unsigned char *)always[i].name,
                                                       (const unsigned char *)always[i].value,
                                                       (int)strlen(always[i].value), &at, end) != 0;
    if (body->is_packed)
        failed = failed || lws_add_http_header_by_name(wsi, (const unsigned char *)"content-encoding:",
                                                       (const unsigned char *)"gzip", 4, &at, end) != 0;
    if (cookie)
        failed = failed ||
                 lws_add_http_header_by_name(wsi, (const unsigned char *)"set-cookie:", (const unsigned char *)cookie,
                                             (int)strlen(cookie), &at, end) != 0;
    if (failed || lws_finalize_write_http_header(wsi, begin, &at, end) != 0)
        return -1;
    if (body->size == 0)
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_bytes(struct visit *visit, const char *type, const void *bytes, size_t size, bool is_packed)
{
    visit->body = (struct body){.type = type, .bytes = bytes, .size = size, .is_packed = is_packed};
    return send_head(visit, HTTP_STATUS_OK, NULL);
}

static int send_text(struct visit *visit, unsigned code, const char *text)
{
    (void)snprintf(visit->text, sizeof visit->text, "%s", text);
    visit->body = (struct body){.type = "text/plain; charset=utf-8", .bytes = visit->text, .size = strlen(visit->text)};
    return send_head(visit, code, NULL);
}

/* Sends the next piece of the body. */
static int send_piece(struct visit *visit)
{
    enum { PIECE = 16384 };
    unsigned char room[LWS_PRE + PIECE];
    struct body *body = &visit->body;
    if (body->sent == body->size)
        return 0;
    const size_t size = body->size - body->sent < PIECE ? body->size - body->sent : PIECE;
    memcpy(room + LWS_PRE, body->bytes + body->sent, size);
    body->sent += size;
    const bool ends = body->sent == body->size;
    const int wrote = lws_write(visit->wsi, room + LWS_PRE, size, ends ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    if (wrote < (int)size)
        return -1;
    if (ends)
        return lws_http_transaction_completed(visit->wsi) ? -1 : 0;
    lws_callback_on_writable(visit->wsi);
    return 0;
}

/* ---- logging in and out ---- */

/* Finds the address that may fail so often. Behind a proxy it is the last one of the list: the proxy has added that,
 * and those before it may be lies. */
static void find_address(struct server *server, struct visit *visit)
{
    char list[MOST_HEADER];
    (void)snprintf(visit->address, sizeof visit->address, "local");
    if (*server->origin && header(visit->wsi, WSI_TOKEN_X_FORWARDED_FOR, list, sizeof list)) {
        const char *comma = strrchr(list, ','), *last = comma ? comma + 1 : list;
        failures_address(last + strspn(last, " "), visit->address);
    } else if (lws_get_peer_simple(visit->wsi, list, sizeof list))
        failures_address(list, visit->address);
}

/* The body of a login is whole, or will never be. */
static void forget_body(struct visit *visit)
{
    if (visit->said)
        forget_secret(visit->said, visit->said_size);
    free(visit->said);
    visit->said = NULL;
}

/* Takes the body of a login to the guard. */
static int ask_guard(struct server *server, struct visit *visit)
{
    struct login login;
    const uint64_t now = server_now();
    const bool good = login_read(server->context, visit->said, visit->said_size, &login);
    cp_report_clear(server->context);
    forget_body(visit);
    follow_users(server);
    if (!good)
        return send_text(visit, HTTP_STATUS_BAD_REQUEST, "a login is {\"user\":\"...\",\"password\":\"...\"}\n");
    if (!failures_allow(server->failures, visit->address, now)) {
        forget_secret(&login, sizeof login);
        return send_text(visit, 429, "too many failures; wait a minute\n");
    }
    failures_add(server->failures, visit->address, now); /* taken back if it is none */
    visit->asked = now;
    const struct user *user = users_find(&server->users, login.user);
    (void)snprintf(visit->user, sizeof visit->user, "%s", login.user);
    visit->ticket = ++server->last_ticket;
    const bool asked = guard_ask(server->guard, visit->ticket, login.password, user ? user->hash : NULL);
    forget_secret(&login, sizeof login);
    if (!asked) {
        failures_take_back(server->failures, visit->address, now);
        visit->ticket = 0;
        return send_text(visit, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many people are logging in; try again\n");
    }
    visit->next = server->asking;
    server->asking = visit;
    return 0;
}

static void stop_asking(struct server *server, struct visit *visit)
{
    struct visit **at = &server->asking;
    while (*at && *at != visit)
        at = &(*at)->next;
    if (*at)
        *at = visit->next;
    visit->ticket = 0;
}

static int let_in(struct server *server, struct visit *visit, bool matches)
{
    char cookie[200];
    const struct user *user = users_find(&server->users, visit->user);
    const struct session *session = matches && user ? session_begin(server->sessions, user, server_now()) : NULL;
    if (!session)
        return send_text(visit, HTTP_STATUS_UNAUTHORIZED, "wrong name or password\n");
    failures_take_back(server->failures, visit->address, visit->asked);
    (void)snprintf(cookie, sizeof cookie, "cellpipe=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s", session->key,
                   SESSION_LIFE / 1000, strncmp(server->origin, "https:", 6) == 0 ? "; Secure" : "");
    visit->body = (struct body){.type = "text/plain"};
    return send_head(visit, 204, cookie);
}

void answer_logins(struct server *server)
{
    struct verdict verdicts[MOST_WAITING + 1];
    pthread_mutex_lock(&server->lock);
    const uint32_t count = server->verdict_count;
    memcpy(verdicts, server->verdicts, sizeof verdicts);
    server->verdict_count = 0;
    pthread_mutex_unlock(&server->lock);
    for (uint32_t i = 0; i < count; i++)
        for (struct visit *visit = server->asking; visit; visit = visit->next)
            if (visit->ticket == verdicts[i].ticket) {
                stop_asking(server, visit);
                if (let_in(server, visit, verdicts[i].matches) != 0)
                    lws_set_timeout(visit->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
                break;
            }
}

static int log_out(struct server *server, struct visit *visit)
{
    char cookie[MOST_HEADER], key[SESSION_KEY_SIZE];
    if (header(visit->wsi, WSI_TOKEN_HTTP_COOKIE, cookie, sizeof cookie) && session_cookie(cookie, key))
        session_end(server->sessions, key);
    follow_sessions(server);
    visit->body = (struct body){.type = "text/plain"};
    return send_head(visit, 204, "cellpipe=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
}

/* ---- requests ---- */

static int send_health(struct server *server, struct visit *visit)
{
    unsigned clients = 0;
    for (const struct connection *connection = server->connections; connection; connection = connection->next)
        clients++;
    (void)snprintf(visit->text, sizeof visit->text, "{\"controller\":\"%s\",\"clients\":%u}\n",
                   server->floor.authority.mode == MODE_OFFLINE ? "offline" : "ok", clients);
    visit->body = (struct body){.type = "application/json", .bytes = visit->text, .size = strlen(visit->text)};
    return send_head(visit, HTTP_STATUS_OK, NULL);
}

static int answer_get(struct server *server, struct visit *visit, const char *path)
{
    const struct session *session;
    if (strcmp(path, "/") == 0)
        return send_bytes(visit, "text/html; charset=utf-8", server->page, server->page_size, false);
    if (strcmp(path, "/health") == 0)
        return send_health(server, visit);
    const bool cell = strcmp(path, "/cell.glb") == 0;
    if (!cell && strcmp(path, "/session") != 0)
        return send_text(visit, HTTP_STATUS_NOT_FOUND, "there is nothing of this name\n");
    if (!find_visitor(server, visit->wsi, &session))
        return send_text(visit, HTTP_STATUS_UNAUTHORIZED, "log in first\n");
    if (!cell)
        return send_text(visit, HTTP_STATUS_OK, role_name(session ? session->role : ROLE_GUEST));
    return send_bytes(visit, "model/gltf-binary", server->cell, server->cell_size, true);
}

/* Tells whether all agree where the body ends: what is behind it would be taken for a request, perhaps of somebody else
 * whose requests a proxy sends over the same connection. libwebsockets reads no chunks, and sizes as atoll does. */
static bool has_clear_end(struct lws *wsi)
{
    char length[32];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0)
        return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) == 0)
        return true;
    return header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length) &&
           strspn(length, "0123456789") == strlen(length);
}

/* A login and a logout have a body, perhaps an empty one; nothing else may have one. */
static int begin_request(struct server *server, struct visit *visit, const char *path)
{
    if (!has_clear_end(visit->wsi))
        return -1;
    const bool gets = lws_hdr_total_length(visit->wsi, WSI_TOKEN_GET_URI) > 0,
               posts = lws_hdr_total_length(visit->wsi, WSI_TOKEN_POST_URI) > 0,
               puts = lws_hdr_total_length(visit->wsi, WSI_TOKEN_PUT_URI) > 0;
    if ((!gets && !posts) || puts)
        return send_text(visit, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET and POST\n");
    if (!is_ours(server, visit->wsi, false))
        return send_text(visit, HTTP_STATUS_FORBIDDEN, "this is no address of this server\n");
    if (gets)
        return answer_get(server, visit, path);
    if (strcmp(path, "/logout") == 0)
        return log_out(server, visit);
    if (strcmp(path, "/login") != 0)
        return send_text(visit, HTTP_STATUS_METHOD_NOT_ALLOWED, "only /login and /logout take a POST\n");
    if (!server->request->users)
        return send_text(visit, HTTP_STATUS_FORBIDDEN, "nobody logs in here: the server has no users\n");
    char length[32];
    if (!header(visit->wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length) || strlen(length) > 5 ||
        atoi(length) > MOST_LOGIN)
        return send_text(visit, HTTP_STATUS_REQ_ENTITY_TOO_LARGE, "that is no login\n");
    find_address(server, visit);
    visit->is_login = true;
    visit->said = malloc(MOST_LOGIN);
    lws_set_timer_usecs(visit->wsi, HEADER_SECONDS * LWS_USEC_PER_SEC);
    return visit->said ? 0 : -1;
}

static int take_body(struct visit *visit, const void *bytes, size_t size)
{
    if (!visit->is_login)
        return 0;
    /* libwebsockets takes what comes behind a body, before its answer, for more of it. */
    if (!visit->said)
        return -1;
    if (size > MOST_LOGIN - visit->said_size)
        return -1;
    if (size > 0) /* bytes may be NULL then */
        memcpy(visit->said + visit->said_size, bytes, size);
    visit->said_size += size;
    return 0;
}

static void end_visit(struct server *server, struct visit *visit)
{
    stop_asking(server, visit);
    forget_body(visit);
    *visit = (struct visit){0};
}

/* ---- strangers ---- */

void remove_stranger(struct server *server, const struct lws *wsi)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < server->stranger_count; i++)
        if (server->strangers[i].wsi != wsi)
            server->strangers[kept++] = server->strangers[i];
    server->stranger_count = kept;
}

void send_stranger_away(struct server *server, uint64_t age)
{
    struct lws *oldest = server->strangers[0].wsi;
    if (server->stranger_count == 0 || server_now() - server->strangers[0].since < age)
        return;
    /* libwebsockets forgets this timeout if the connection gets its room for headers meanwhile, so the socket is shut
     * as well. */
    (void)shutdown(lws_get_socket_fd(oldest), SHUT_RDWR);
    lws_set_timeout(oldest, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
    remove_stranger(server, oldest);
}

static void add_stranger(struct server *server, struct lws *wsi)
{
    if (server->stranger_count == MOST_STRANGERS)
        send_stranger_away(server, 0);
    server->strangers[server->stranger_count++] = (struct stranger){wsi, server_now()};
}

/* Tells whether a header has this value, and no other. */
static bool has_header(struct lws *wsi, enum lws_token_indexes token, const char *value)
{
    char text[32];
    return lws_hdr_copy(wsi, text, sizeof text, token) > 0 && strcmp(text, value) == 0;
}

/* An upgrade is refused before it happens if it does not come from our own page, or from nobody who may see the cell.
 * libwebsockets would take other protocols, too: those of its own for requests and controllers, and HTTP/2. */
static int check_upgrade(struct server *server, struct lws *wsi, const char *upgrade)
{
    const struct session *session;
    const bool known = strcasecmp(upgrade, "websocket") == 0 && has_header(wsi, WSI_TOKEN_VERSION, "13") &&
                       has_header(wsi, WSI_TOKEN_PROTOCOL, "cellpipe");
    const unsigned code = !has_header(wsi, WSI_TOKEN_GET_URI, "/live") ? HTTP_STATUS_NOT_FOUND
                          : !is_ours(server, wsi, true)                ? HTTP_STATUS_FORBIDDEN
                          : !known                                     ? HTTP_STATUS_BAD_REQUEST
                          : !find_visitor(server, wsi, &session)       ? HTTP_STATUS_UNAUTHORIZED
                                                                       : 0;
    if (code == 0)
        return 0;
    return lws_return_http_status(wsi, code, NULL) < 0 ? -1 : 1;
}

int answer_request(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct server *server = server_of(wsi);
    struct visit *visit = user;
    switch (reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        add_stranger(server, wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        remove_stranger(server, wsi);
        listener_has_room(&server->listener);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return check_upgrade(server, wsi, in);
    case LWS_CALLBACK_HTTP:
        *visit = (struct visit){.wsi = wsi};
        return begin_request(server, visit, in);
    case LWS_CALLBACK_HTTP_BODY:
        return take_body(visit, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return !visit->is_login ? 0 : visit->said ? ask_guard(server, visit) : -1;
    case LWS_CALLBACK_TIMER:
        return visit && visit->said ? -1 : 0; /* a login does not become whole */
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_piece(visit);
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
        if (visit)
            end_visit(server, visit);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        answer_logins(server);
        server_take_results(server);
        return 0;
    default:
        return 0; /* libwebsockets does nothing by itself then, such as serving files */
    }
}

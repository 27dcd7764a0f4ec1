/* Begins the server, lets libwebsockets run it, and ends it. */
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cellpipe_build.h"

uint64_t server_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- what is asked for ---- */

/* Reads the origin of --behind-proxy: http:// or https://, a host and perhaps a port, and nothing else. It is written
 * as browsers write it: in small letters, and without the usual port. */
static bool read_origin(const char *text, char origin[320])
{
    const char *scheme = strncmp(text, "https://", 8) == 0  ? "https://"
                         : strncmp(text, "http://", 7) == 0 ? "http://"
                                                            : NULL;
    if (!scheme || strlen(text) >= 320)
        return false;
    const char *host = text + strlen(scheme), *usual = scheme[4] == 's' ? ":443" : ":80";
    if (!*host || *host == ':' || strpbrk(host, "/?#@ \t\r\n"))
        return false;
    size_t size = strlen(text);
    for (size_t i = 0; i <= size; i++)
        origin[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    if (strlen(host) > strlen(usual) && strcmp(text + size - strlen(usual), usual) == 0)
        origin[size - strlen(usual)] = 0;
    return true;
}

static cp_status check_request(struct server *server)
{
    const struct live_request *request = server->request;
    cp_context *context = server->context;
    const cp_status status = listener_read(&server->listener, context, request->listen);
    if (status != CP_OK)
        return status;
    if (request->behind_proxy && !read_origin(request->behind_proxy, server->origin))
        return cp_report_error(context, CP_USAGE, "live-request", NULL, 0,
                               "--behind-proxy %s: give the origin that browsers see, such as https://cell.example",
                               request->behind_proxy);
    if (strncmp(server->origin, "http:", 5) == 0 && !is_loopback_name(server->origin + strlen("http://")))
        return cp_report_error(context, CP_USAGE, "live-request", NULL, 0,
                               "--behind-proxy %s: passwords would cross the network unprotected; give an origin with "
                               "https://",
                               request->behind_proxy);
    if (!listener_is_local(&server->listener) && !request->behind_proxy)
        return cp_report_error(
            context, CP_USAGE, "live-request", NULL, 0,
            "--listen %s: passwords would cross the network unprotected. Listen on 127.0.0.1 and use ssh "
            "-L, or a proxy with TLS and --behind-proxy ORIGIN",
            request->listen);
    if (!request->users && request->behind_proxy && !request->public_view)
        return cp_report_error(
            context, CP_USAGE, "live-request", NULL, 0,
            "--behind-proxy needs --users FILE, or --public-view: without users all may look, and no one "
            "from elsewhere may");
    return CP_OK;
}

/* ---- what is served ---- */

static cp_status make_contents(struct server *server)
{
    static const char *const page[] = {"live=yes"}, *const cell[] = {"profile=deliver", "clips=none", "cameras=auto"};
    const cp_scene *scene = server->floor.cell.scene;
    cp_status status = cp_write_memory(server->context, scene, "html", page, 1, &server->page, &server->page_size);
    if (status == CP_OK)
        status = cp_write_memory(server->context, scene, "glb.gz", cell, sizeof cell / sizeof *cell, &server->cell,
                                 &server->cell_size);
    if (status != CP_OK)
        return status;
    const cp_hash hash = cp_hash_bytes(server->cell, server->cell_size);
    (void)snprintf(server->floor.key, sizeof server->floor.key, "%016llx%016llx", (unsigned long long)hash.high,
                   (unsigned long long)hash.low);
    return CP_OK;
}

static void wake(void *user)
{
    server_wake(user);
}

static cp_status open_floor(struct server *server)
{
    const struct live_request *request = server->request;
    cp_scene *scene = NULL;
    cp_status status = cp_read(server->context, request->cell, request->format, request->options.items,
                               request->options.count, &scene);
    if (status == CP_OK)
        status = floor_open(&server->floor, server->context, scene, request->device, request->frame);
    server->floor.report = request->report;
    server->floor.report_user = request->user;
    if (status == CP_OK)
        status = make_contents(server);
    if (status != CP_OK || strcmp(request->controller, "simulated") == 0)
        return status;
    server->wire = arena_allocate(server->arena, 1, sizeof *server->wire);
    if (!server->wire)
        return CP_LIMIT;
    *server->wire = (struct wire){.wake = wake, .user = server};
    return wire_open(server->wire, &server->floor, server->arena, request);
}

/* Records what moves from now on, with the joints of the controller, or all that are shown. */
static cp_status open_recording(struct server *server)
{
    struct joint_map all = {0}, *map = &all;
    struct floor *floor = &server->floor;
    cp_status status = CP_OK;
    if (!server->request->record)
        return CP_OK;
    if (server->wire)
        map = &server->wire->link.map;
    else
        status = joint_map_default(server->context, floor->cell.scene, server->arena, map);
    return status == CP_OK
               ? recording_new(server->context, floor->cell.scene, map, server->request->record, &floor->recording)
               : status;
}

/* ---- people ---- */

/* Called in the guard's thread. */
static void take_verdict(void *user, uint64_t ticket, bool matches)
{
    struct server *server = user;
    pthread_mutex_lock(&server->lock);
    if (server->verdict_count < sizeof server->verdicts / sizeof *server->verdicts)
        server->verdicts[server->verdict_count++] = (struct verdict){ticket, matches};
    pthread_mutex_unlock(&server->lock);
    lws_cancel_service(server->lws);
}

/* Called in the checker's thread. */
static void take_result(void *user, struct check_result *result)
{
    struct server *server = user;
    pthread_mutex_lock(&server->lock);
    const bool fits = server->result_count < sizeof server->results / sizeof *server->results;
    if (fits)
        server->results[server->result_count++] = result;
    pthread_mutex_unlock(&server->lock);
    if (!fits)
        check_result_free(result);
    lws_cancel_service(server->lws);
}

void server_take_results(struct server *server)
{
    struct check_result *results[MOST_CHECKS + 1];
    pthread_mutex_lock(&server->lock);
    const uint32_t count = server->result_count;
    memcpy(results, server->results, sizeof results);
    server->result_count = 0;
    pthread_mutex_unlock(&server->lock);
    for (uint32_t i = 0; i < count; i++) {
        floor_take_result(&server->floor, results[i], server_now());
        check_result_free(results[i]);
    }
    if (count > 0)
        server_wake(server);
}

/* ---- time ---- */

static void tick(lws_sorted_usec_list_t *timer)
{
    struct server *server = lws_container_of(timer, struct server, timer);
    server_wake(server);
}

void server_wake(struct server *server)
{
    follow_people(server);
    const uint64_t wait = floor_tick(&server->floor, server_now());
    serve_connections(server);
    if (server->wire)
        wire_send(server->wire);
    lws_sul_schedule(server->lws, 0, &server->timer, tick, (lws_usec_t)(wait > 0 ? wait : 1) * 1000);
}

/* ---- beginning and ending ---- */

static const struct lws_protocols protocols[] = {
    {"http", answer_request, sizeof(struct visit), 0, 0, NULL, 0},
    {"cellpipe", answer_socket, sizeof(struct connection), 4096, 0, NULL, 0},
    {"controller", answer_controller, 0, 4096, 0, NULL, 0},
    {"listener", answer_listener, 0, 0, 0, NULL, 0},
    {"browser", answer_browser, 0, 0, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

static void keep_silent(int level, const char *line)
{
    (void)level;
    (void)line;
}

/* Only who has logged in writes programs. */
static cp_status begin_threads(struct server *server)
{
    cp_status status =
        checker_new(server->context, server->floor.cell.scene, take_result, server, &server->floor.checker);
    if (status != CP_OK)
        return status;
    server->guard = guard_new(take_verdict, server);
    if (!server->guard)
        return cp_report_error(server->context, CP_LIMIT, "live-thread", NULL, 0, "no thread can be started");
    return CP_OK;
}

static cp_status begin_service(struct server *server)
{
    static const lws_retry_bo_t patience = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 30};
    const struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = protocols,
        .user = server,
        .timeout_secs = HEADER_SECONDS,
        .timeout_secs_ah_idle = HEADER_SECONDS,
        .max_http_header_data = MOST_HEADER,
        .max_http_header_pool = MOST_STRANGERS + 16,
        .keepalive_timeout = HEADER_SECONDS,
        .retry_and_idle_policy = &patience,
        .gid = -1,
        .uid = -1,
        .server_string = "cellpipe",
    };
    lws_set_log_level(0, keep_silent);
    server->lws = lws_create_context(&info);
    server->vhost = server->lws ? lws_get_vhost_by_name(server->lws, "default") : NULL;
    if (!server->vhost || !listener_begin(&server->listener, server->vhost))
        return cp_report_error(server->context, CP_LIMIT, "live-thread", NULL, 0,
                               "the server cannot begin: out of memory, or of descriptors");
    if (server->request->users) /* there may be none yet */
        return begin_threads(server);
    return CP_OK;
}

static void announce(const struct server *server)
{
    char line[800];
    const struct live_request *request = server->request;
    const struct listener *listener = &server->listener;
    if (listener->path)
        (void)snprintf(line, sizeof line, "serving %.200s at the socket %s", request->cell, listener->path);
    else
        (void)snprintf(line, sizeof line, "serving %.200s at http://%s:%d/", request->cell, listener->host,
                       listener->port);
    request->tell(request->user, line);
}

static void close_server(struct server *server)
{
    guard_free(server->guard);
    checker_free(server->floor.checker);
    server->floor.checker = NULL; /* pages close below */
    for (uint32_t i = 0; i < server->result_count; i++)
        check_result_free(server->results[i]);
    if (server->lws)
        lws_context_destroy(server->lws);
    listener_close(&server->listener);
    if (server->wire)
        wire_close(server->wire);
    cp_free(server->context, server->page, server->page_size);
    cp_free(server->context, server->cell, server->cell_size);
    close_users(server);
    (void)recording_free(server->floor.recording);
    floor_close(&server->floor);
    arena_free(server->arena);
    free(server->room);
    pthread_mutex_destroy(&server->lock);
}

cp_status live_serve(cp_context *context, const struct live_request *request)
{
    struct server server = {
        .context = context, .request = request, .arena = arena_new(context), .listener = {.file = -1}};
    pthread_mutex_init(&server.lock, NULL);
    cp_status status = server.arena ? check_request(&server) : CP_LIMIT;
    if (status == CP_OK)
        status = open_users(&server);
    if (status == CP_OK)
        status = open_floor(&server);
    if (status == CP_OK)
        status = open_recording(&server);
    if (status == CP_OK)
        status = listener_open(&server.listener, context);
    if (status == CP_OK)
        status = begin_service(&server);
    if (status == CP_OK) {
        announce(&server);
        if (server.wire)
            wire_begin(server.wire, server.lws, server.vhost);
        server_wake(&server);
        while (!request->is_over(request->user) && lws_service(server.lws, 0) >= 0)
            ;
    }
    close_server(&server);
    return status;
}

/* The server: libwebsockets calls it, it calls the floor. server.c begins and ends, http.c answers requests, socket.c
 * is the WebSocket. One thread, but for the guard's. */
#ifndef CELLPIPE_LIVE_SERVER_H
#define CELLPIPE_LIVE_SERVER_H

#include <libwebsockets.h>
#include <pthread.h>
#include <sys/stat.h>

#include "floor.h"
#include "frames.h"
#include "listen.h"
#include "live.h"
#include "sessions.h"
#include "wire.h"

enum {
    MOST_STRANGERS = 64, /* connections without a session; the oldest goes for a new one */
    MOST_HEADER = 8192,  /* bytes of all headers of a request */
    HEADER_SECONDS = 5,  /* the headers of a request are whole within this time */
    MOST_FRAMES = 1000,  /* a browser sends no more in a second, with pings and parts of messages */
    SLOW_READER = 10000, /* milliseconds after which a browser that does not read is sent away */
    SOCKET_ROOM = 16384  /* bytes that the system keeps for a browser */
};

/* A body that is sent: the page and the cell are the server's, a short one is the visit's own. */
struct body {
    const char *type; /* the content's */
    const char *bytes;
    size_t size, sent;
    bool is_packed; /* gzip has packed it */
};

/* One request of HTTP. */
struct visit {
    struct lws *wsi;
    struct visit *next; /* its password is being checked, too */
    uint64_t ticket;    /* the guard's; 0: it was not asked */
    uint64_t asked;     /* the guard was asked then */
    bool is_login;      /* it has a body, which is a login */
    struct body body;
    char text[200]; /* a short body */
    char *said;     /* the login that was sent along */
    size_t said_size;
    char user[MOST_USER_NAME + 1], address[ADDRESS_SIZE];
};

/* One page that is open. */
struct connection {
    struct lws *wsi;
    struct person person;
    const struct session *session; /* by which it came, and its key; NULL: none */
    char key[SESSION_KEY_SIZE];
    struct frames frames; /* what it says */
    int code;             /* with which it ends, and why; 0: it does not */
    const char *why;
    unsigned char pong[LWS_PRE + MOST_CONTROL]; /* an answer to a ping, if has_pong */
    size_t pong_size;
    bool has_pong;
    uint64_t second; /* frame_count counts the frames of this second */
    unsigned frame_count;
    uint64_t waits_since; /* something is due, and the browser does not read; 0: no */
    bool is_in;           /* on the floor; false when it ends */
    struct connection *next;
};

/* A connection that has shown no session. */
struct stranger {
    struct lws *wsi;
    uint64_t since;
};

struct verdict {
    uint64_t ticket;
    bool matches;
};

struct server {
    cp_context *context;
    const struct live_request *request;
    struct floor floor;
    struct arena *arena;
    struct users users;
    struct arena *users_arena; /* theirs */
    struct stat users_file;    /* as it was when they were read */
    uint64_t people_seen;      /* when follow_people last looked */
    struct sessions *sessions;
    struct failures *failures;
    struct guard *guard;
    struct lws_context *lws;
    struct lws_vhost *vhost;
    lws_sorted_usec_list_t timer;
    void *page, *cell; /* page, and packed model */
    size_t page_size, cell_size;
    char *room; /* a message that is sent stands here behind LWS_PRE bytes */
    size_t room_size;
    struct wire *wire; /* it leads to a controller outside; NULL: the simulated one moves the cell */
    struct connection *connections;
    struct stranger strangers[MOST_STRANGERS]; /* the oldest first */
    uint32_t stranger_count;
    struct visit *asking;
    uint64_t last_ticket;
    pthread_mutex_t lock; /* it guards the verdicts and results, which other threads add */
    struct verdict verdicts[MOST_WAITING + 1];
    uint32_t verdict_count;
    struct check_result *results[MOST_CHECKS + 1]; /* the checker's thread adds them */
    uint32_t result_count;
    struct listener listener;
    unsigned solve;   /* coordinates of poses that have to hold: CP_REACH_... */
    char origin[320]; /* the proxy's, or "" */
};

static inline struct server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* Takes what the checker has come to. */
void server_take_results(struct server *server);
/* Lets the floor make what is due now. */
void server_wake(struct server *server);
/* Milliseconds of a clock that never goes back. */
uint64_t server_now(void);

cp_status live_serve(cp_context *context, const struct live_request *request);

/* http.c: the protocol of requests. */
int answer_request(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);
/* Takes the verdicts of the guard, and answers those who wait for them. */
void answer_logins(struct server *server);
/* Tells whether the request comes from a page of ours: its Host is ours, and its Origin, if there is one or has to be
 * one. */
bool is_ours(struct server *server, struct lws *wsi, bool needs_origin);
/* Tells whether a host, perhaps with a port, is localhost, 127.0.0.1 or [::1]. */
bool is_loopback_name(const char *host);
/* The oldest connection without a session ends, if it has lasted so many milliseconds. */
void send_stranger_away(struct server *server, uint64_t age);
/* A connection that has shown a session is no stranger any more. */
void remove_stranger(struct server *server, const struct lws *wsi);
/* Finds who asks, by the cookie: a session, or NULL for a guest. False: nobody who may see the cell. */
bool find_visitor(struct server *server, struct lws *wsi, const struct session **session);

/* people.c: the file of users, as it changes. */
cp_status open_users(struct server *server);
/* Reads the file again if it has changed. Who is not in it any more, or with another role or password, is out. */
void follow_users(struct server *server);
/* Once a second: follow_users, and sessions that end by their age. */
void follow_people(struct server *server);
void close_users(struct server *server);

/* socket.c: the protocol of messages. */
int answer_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);
/* The protocol of what browsers send, which libwebsockets does not read. */
int answer_browser(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);
/* Asks for the writing of what is due, and sends those away who do not read. */
void serve_connections(struct server *server);
/* Ends connections whose session has ended. */
void follow_sessions(struct server *server);

#endif

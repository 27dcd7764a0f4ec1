/* The wire to a controller: a connection that libwebsockets keeps, standard input, or a recording that is played. */
#ifndef CELLPIPE_LIVE_WIRE_H
#define CELLPIPE_LIVE_WIRE_H

#include <libwebsockets.h>

#include "link.h"
#include "live.h"

enum {
    RECONNECT = 1000,    /* milliseconds until the next try */
    MOST_PATH_SIZE = 100 /* a path of a Unix socket is no longer */
};

struct wire {
    struct link link;
    struct lws_context *lws;
    struct lws_vhost *vhost;
    struct lws *wsi; /* NULL: there is no connection */
    char host[256], protocol[16];
    int port;
    bool is_standard_input, is_recording, is_unix;
    uint64_t deaf_until;          /* standard input, after nonsense, is passed over until then; 0: it is heard */
    bool in_line;                 /* what was passed over last had no end of a line */
    lws_sorted_usec_list_t timer; /* it begins the next try, or the next line of a recording */
    void (*wake)(void *user);     /* something has come */
    void *user;
    /* A recording: JSON lines that are played again and again. */
    char *lines;
    size_t size, at;
    uint64_t begun;
};

/* Reads the word of --controller, and opens the link. request->controller is not "simulated". CP_USAGE if it makes no
 * sense. */
cp_status wire_open(struct wire *wire, struct floor *floor, struct arena *arena, const struct live_request *request);
/* Begins, once libwebsockets runs. */
void wire_begin(struct wire *wire, struct lws_context *lws, struct lws_vhost *vhost);
void wire_close(struct wire *wire);
/* Asks for the sending of commands that wait. */
void wire_send(struct wire *wire);
/* The protocol "controller" of libwebsockets. */
int answer_controller(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

#endif

/* Listens for the server, and takes connections in. libwebsockets could do it by itself, but does not say why
 * it cannot listen, and turns in circles without a pause when the system has no more descriptors. */
#ifndef CELLPIPE_LIVE_LISTEN_H
#define CELLPIPE_LIVE_LISTEN_H

#include <libwebsockets.h>
#include <netdb.h>

#include "cellpipe.h"

enum { FULL_TIME = 100 /* milliseconds until the next try, if there are no more descriptors */ };

struct listener {
    const char *text; /* what --listen says */
    const char *path; /* leads to a Unix socket; NULL: it is a port */
    char host[264];   /* as addresses of pages have it: IPv6 in brackets */
    int port;
    struct addrinfo *places; /* the host may mean these */
    int file;                /* -1: it does not listen */
    bool is_made;            /* the socket's file is ours */
    struct lws *wsi;
    bool waits;    /* for descriptors */
    bool has_told; /* so */
    lws_sorted_usec_list_t timer;
};

/* Reads HOST:PORT, [::1]:PORT or unix:PATH. CP_USAGE if it is none of them. */
cp_status listener_read(struct listener *listener, cp_context *context, const char *text);
/* Nobody from elsewhere can connect. */
bool listener_is_local(const struct listener *listener);
/* Listens, and finds out the port; CP_OUTPUT if the system does not allow it. A socket that a killed server has left,
 * which nobody answers, is removed. */
cp_status listener_open(struct listener *listener, cp_context *context);
void listener_close(struct listener *listener);

/* Takes connections in from now on. */
bool listener_begin(struct listener *listener, struct lws_vhost *vhost);
/* A connection has ended, so that there is room for another. */
void listener_has_room(struct listener *listener);
/* The protocol "listener" of libwebsockets. */
int answer_listener(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

#endif

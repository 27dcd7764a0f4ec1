/* The live cell: a server that shows a cell in browsers and moves it. It is a shared object of its own, since its
 * libraries take time to load which other commands do not need: cli/ loads it, and calls it by this table. */
#ifndef CELLPIPE_LIVE_LIVE_H
#define CELLPIPE_LIVE_LIVE_H

#include "cellpipe_tool.h"

/* The command serve is asked for this. Texts stay the caller's. */
struct live_request {
    const char *cell, *format;   /* the file, and its format or NULL */
    struct list options, limits; /* the importer's; the context's */
    const char *listen;          /* HOST:PORT or unix:PATH */
    const char *users;           /* the file of users, or NULL: nobody logs in */
    const char *controller;      /* "simulated", "recording", "stdin", or PROTOCOL:HOST[:PORT] */
    const char *map, *record;    /* files, or NULL */
    const char *behind_proxy;    /* the origin that browsers see, or NULL */
    bool public_view;            /* people who have not logged in see the cell */
    bool allow_motion;           /* a real controller gets commands */
    const char *device, *frame;  /* programs move these; NULL: the only ones */
    const char *solve;           /* coordinates of poses that have to hold, as cp_parse_reach reads them */
    void (*tell)(void *user, const char *line); /* called once the server listens, with its address */
    void (*report)(void *user);                 /* called to print what the context reports, and to clear it */
    bool (*is_over)(void *user);                /* asked again and again, and when a signal has come */
    void *user;
};

struct users_request; /* users.h */

/* The functions of the shared object, under the name "live_room". */
struct live_room {
    size_t size;
    /* Shows the cell until a signal comes. CP_USAGE for a request that makes no sense; CP_INPUT for a file that cannot
     * be read; CP_OUTPUT if the address cannot be listened to. */
    cp_status (*serve)(cp_context *context, const struct live_request *request);
    /* Lists or changes the users of a file; a list goes to standard output. CP_USAGE for words, names and passwords
     * that make no sense; CP_INPUT for a file that is not as it should be; CP_OUTPUT if it cannot be changed. */
    cp_status (*change_users)(cp_context *context, const struct users_request *request);
};

#endif

/* The floor on which all meet: people, the cell, and what moves it. It hears messages and answers them, and makes steps
 * when it is told the time; it knows no network and no clock. Times are milliseconds of a clock that never goes back.
 */
#ifndef CELLPIPE_LIVE_FLOOR_H
#define CELLPIPE_LIVE_FLOOR_H

#include "messages.h"
#include "simulator.h"

enum {
    STEP_TIME = 10,            /* milliseconds of a step of the simulated controller */
    NEAR_TIME = 40,            /* between two looks at what is near */
    MOST_PROGRAMS = 100,       /* that are kept */
    MOST_A_SECOND = 100,       /* messages of one person */
    MOST_WAITING_OUT = 1 << 20 /* bytes that wait for one person */
};
#define NEAR_CLEARANCE 0.05 /* metres within which pairs are shown */

/* A person with a page that is open. */
struct person {
    struct client client;
    char name[MOST_USER_NAME + 1];
    struct buffer out; /* answers: each is its size as uint32_t, then its text */
    size_t out_at;     /* the first that was not sent yet */
    bool state_due, mode_due, near_due;
    uint64_t second; /* in which it has said so many messages */
    unsigned said;
    struct person *next;
};

struct program_text {
    char *name, *text;
    size_t name_size, text_size;
};

struct floor {
    cp_context *context;
    struct cell cell;
    struct simulator simulator;
    struct authority authority;
    const char *controller; /* the word of --controller */
    char key[40];           /* of the cell's model */
    struct person *people;
    uint64_t last_number; /* of a client */
    struct program_text programs[MOST_PROGRAMS];
    uint32_t program_count;
    uint64_t lines;                  /* of the loaded program */
    char why[SIMULATOR_WHY];         /* why the last motion ended early */
    struct buffer state, mode, near; /* the newest messages of these kinds */
    uint64_t n, next_step, next_near;
    bool moved; /* since the last look at what is near */
};

/* Opens the floor for a scene, which it takes over; the rest is as of simulator_open. */
cp_status floor_open(struct floor *floor, cp_context *context, cp_scene *scene, const char *device, const char *frame);
void floor_close(struct floor *floor);

/* Lets a person in: hello, mode, state and what is near are due. The person's memory is the caller's. CP_LIMIT if out
 * of memory. */
cp_status floor_enter(struct floor *floor, struct person *person, const char *name, enum role role);
void floor_leave(struct floor *floor, struct person *person);

/* Answers a message. False: the person has said too many, or does not read answers: it has to go. */
bool floor_hear(struct floor *floor, struct person *person, const char *text, size_t size, uint64_t now);
/* Makes what is due at this time: steps, the ends of leases and jogs, a look at what is near. Returns after how many
 * milliseconds the next thing is due. */
uint64_t floor_tick(struct floor *floor, uint64_t now);
/* Takes the next text for a person; NULL: nothing is due. It is valid until the next call of any of these functions. */
const char *floor_next(struct floor *floor, struct person *person, size_t *size);
bool floor_is_due(const struct floor *floor, const struct person *person);

#endif

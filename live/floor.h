/* The floor on which all meet: people, the cell, and what moves it. It hears messages and answers them, and makes steps
 * when it is told the time; it knows no network and no clock. Times are milliseconds of a clock that never goes back.
 */
#ifndef CELLPIPE_LIVE_FLOOR_H
#define CELLPIPE_LIVE_FLOOR_H

#include "check.h"
#include "controller.h"
#include "messages.h"
#include "record.h"
#include "simulator.h"

enum {
    SILENCE = 1000,      /* milliseconds after which a controller outside is offline */
    STEP_TIME = 10,      /* milliseconds of a step of the simulated controller */
    NEAR_TIME = 40,      /* milliseconds between two looks at what is near */
    MOST_PROGRAMS = 100, /* the server keeps no more */
    LOOK_AHEAD =
        2 * JOG_TIME,    /* a jog of a controller outside is tried so far: it has to hear the word, and to brake */
    MOST_A_SECOND = 100, /* one person says no more messages */
    MOST_WAITING_OUT = 1 << 20 /* no more bytes wait for one person */
};
#define NEAR_CLEARANCE 0.05 /* metres within which pairs are shown */
#define STILLNESS 0.001     /* radians or metres: joints of a controller outside that differ by less rest */

/* A person with a page that is open. */
struct person {
    struct client client;
    char name[MOST_USER_NAME + 1];
    struct buffer out; /* answers: each is its size as uint32_t, then its text */
    size_t out_at;     /* the first that was not sent yet */
    bool state_due, mode_due, near_due, programs_due;
    uint64_t second; /* `said` counts the messages of this second */
    unsigned said;
    struct person *next;
};

struct program_text {
    char *name, *text;
    size_t name_size, text_size;
    uint64_t ticket; /* its check has this number */
    bool is_good;    /* the check has found nothing wrong */
};

/* A program or a motion that is tried before it is done, and who waits for the answer. */
struct trial {
    uint64_t ticket, client, id;
    enum word word;
    double speed;
    double *q, *to; /* values of all joints: at first, and of a move at its end; NULL: none */
    char name[MOST_PROGRAM_NAME + 1];
};

/* A controller that is no simulation. It says by itself what it does. */
struct outside {
    bool obeys; /* it gets commands */
    /* Sends a command; NULL, or why not. text: of the program that a download loads. */
    const char *(*command)(void *user, const struct message *message, const char *text);
    void *user;
};

struct floor {
    cp_context *context;
    const struct outside *outside;       /* NULL: the simulated controller moves the cell */
    char program[MOST_PROGRAM_NAME + 1]; /* a controller outside runs it, and `line` in it */
    uint64_t line;
    double time;          /* seconds of the controller's clock */
    uint64_t last_sample; /* the controller's last word came then */
    struct cell cell;
    struct simulator simulator;
    struct authority authority;
    const char *controller; /* the word of --controller */
    char key[40];           /* the cell's model has it */
    struct person *people;
    uint64_t last_number; /* the newest client has this number */
    struct program_text programs[MOST_PROGRAMS];
    uint32_t program_count;
    struct checker *checker; /* the owner's; NULL: nothing is tried */
    struct trial trials[MOST_CHECKS];
    uint32_t trial_count;
    uint64_t last_ticket;
    uint64_t lines;                          /* the loaded program has so many */
    char why[SIMULATOR_WHY];                 /* why the last motion ended early */
    struct buffer state, mode, near, names;  /* the newest messages of these kinds */
    uint64_t n, begun, next_step, next_near; /* begun: when the simulated controller's clock was 0 */
    bool moves;                              /* it was in motion after the last tick */
    struct live_recording *recording;        /* it takes all that moves; the owner's. NULL: there is none */
    void (*report)(void *user);              /* prints what the context reports, and clears it; NULL: nobody does */
    void *report_user;
    bool moved;         /* something did, since the last look at what is near */
    uint64_t last_look; /* when that was, if it was in the last tick, else 0 */
};

/* Opens the floor for a scene, which it takes over; the rest is as of simulator_open. */
cp_status floor_open(struct floor *floor, cp_context *context, cp_scene *scene, const char *device, const char *frame);
void floor_close(struct floor *floor);

/* Lets a person in: hello, mode, state and what is near are due. The person's memory is the caller's. CP_LIMIT if out
 * of memory. */
cp_status floor_enter(struct floor *floor, struct person *person, const char *name, enum role role);
void floor_leave(struct floor *floor, struct person *person);

/* Answers a message. False: it is nonsense, one too many, or the person does not read answers: it has to go. */
bool floor_hear(struct floor *floor, struct person *person, const char *text, size_t size, uint64_t now);
/* Takes values of all joints that a controller outside has told, at its time, with what it says of its mode. */
void floor_take_sample(struct floor *floor, const double *values, const struct controller_sample *sample, uint64_t now);
/* The controller outside is silent, or has sent nonsense: its values are no more shown as true. */
void floor_lose_controller(struct floor *floor, const char *why);
/* Takes what a check has come to, and answers who has asked. The result stays the caller's. */
void floor_take_result(struct floor *floor, const struct check_result *result, uint64_t now);
/* Makes what is due at this time: steps, the ends of leases and jogs, a look at what is near. Returns after how many
 * milliseconds the next thing is due. */
uint64_t floor_tick(struct floor *floor, uint64_t now);
/* Takes the next text for a person; NULL: nothing is due. It is valid until the next call of any of these functions. */
const char *floor_next(struct floor *floor, struct person *person, size_t *size);
bool floor_is_due(const struct floor *floor, const struct person *person);

/* ---- trials.c ---- */

/* Begins the trial of a program, or of a move; NULL, or why not. */
const char *trial_begin(struct floor *floor, const struct person *person, const struct message *message,
                        const char *name, const char *text, size_t size);
/* The client has left: nobody wants the results of its trials. */
void trials_cancel(struct floor *floor, uint64_t client);
void trials_close(struct floor *floor);

/* ---- floor.c, for trials.c ---- */

struct program_text *floor_program(struct floor *floor, const char *name);
/* Does what a word asks for, once it has been tried. NULL, or why not. */
const char *floor_begin(struct floor *floor, enum word word, const double *to, double speed);
/* Notes that a word was obeyed. A controller outside tells its mode by itself. */
void floor_obey(struct floor *floor, const struct person *person, enum word word, uint64_t now);
void floor_show_mode(struct floor *floor);
/* An answer is written between these two. */
size_t answer_open(struct person *person);
void answer_close(struct person *person, size_t begin);

#endif

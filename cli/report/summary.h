/* Sums of a report: counts, orders and groups of what the state has. */
#ifndef CELLPIPE_CLI_SUMMARY_H
#define CELLPIPE_CLI_SUMMARY_H

#include "report.h"

enum told { TOLD_FAILURE, TOLD_LOSS, TOLD_WARNING };

/* How many names a text shows of a group, and how many groups of losses, warnings and copies. */
enum { MOST_FAILURES_NAMED = 20, MOST_NAMED = 3, MOST_GROUPS = 20 };

/* Messages that differ by numbers, paths and quoted words alone. */
struct group {
    enum told told;
    enum record_state state; /* of failures */
    const char *message;     /* "code: text" of the first */
    struct list inputs;      /* all of failures, the first MOST_NAMED of the rest unless the scope names all */
    uint32_t count, fresh;   /* they count inputs; fresh: failures that are new since the last run */
    uint64_t last;           /* the input that was counted last: many may say one thing several times */
};

/* The kinds of likeness of inputs; a group of one kind counts as one input for the next. */
enum likeness { SAME_OUTPUT, SAME_INPUT, SAME_SHAPE, LIKENESS_COUNT };

/* Inputs that could share one output. */
struct copies {
    const char **inputs; /* sorted */
    uint32_t count;
    uint64_t spare; /* bytes of all outputs but the first */
};

/* An input that may be like others. */
struct candidate {
    const char *in;
    cp_hash out_hash, inputs; /* the hash of the output, and one of all inputs' contents */
    cp_shape shape;
    uint64_t bytes_out;
    cp_hash hash; /* equal: alike, in the present kind of likeness */
};

enum { MOST_SLOWEST = 10 };
struct slow_input {
    const char *in;
    double ms;
};

struct summary {
    struct cli *cli;
    struct arena *arena;
    const struct report_scope *scope;
    uint64_t night;
    uint64_t count, others; /* others: the number of records of unexpected inputs */
    const char **missing;
    uint32_t missing_count;
    uint64_t states[STATE_COUNT], bytes_in, bytes_out, triangles_in, triangles_out, max_rss;
    uint64_t lossy, warned;            /* files */
    uint64_t fresh, mended, as_before; /* failures that are new, that are none any more, and others */
    double ms, cpu_ms;
    struct slow_input slowest[MOST_SLOWEST];
    uint32_t slowest_count;
    struct name_map group_names;
    struct group *groups; /* those of most inputs first */
    uint32_t group_count, group_room;
    struct candidate *candidates;
    uint32_t candidate_count, candidate_room;
    struct copies *copies[LIKENESS_COUNT];
    uint32_t copies_count[LIKENESS_COUNT];
    uint64_t spare[LIKENESS_COUNT];
    struct list isolations;
    struct passed_over *passed_over;
    uint32_t passed_count, passed_room;
    uint32_t torn;
};

/* Fills the summary, which is {.cli = cli}. Free it in any case. */
cp_status summarise(struct summary *summary, struct state *state, const struct report_scope *scope);
void summary_free(struct summary *summary);
/* Tells whether nearly all inputs have the message. */
bool is_common(const struct summary *summary, const struct group *group);
/* Writes its members but for the lists of copies: those of report --json. */
void put_summary(cp_json *json, const struct summary *summary);
/* Visits the rows that a report is about. */
cp_status each_of_scope(struct state *state, const struct report_scope *scope, state_visit *visit, void *user);

#endif

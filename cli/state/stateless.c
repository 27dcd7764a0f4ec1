/* A build without SQLite has this in place of state.c. Opening a state says what is missing, and then nothing else is
 * called. */
#include "state.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

cp_status state_open(struct cli *cli, const char *folder, enum state_use use, struct state *state)
{
    return complain(cli, CP_USAGE, WITHOUT_SQLITE);
}

void state_close(struct state *state)
{
}

cp_status state_begin(struct state *state)
{
    return CP_USAGE;
}

cp_status state_commit(struct state *state)
{
    return CP_USAGE;
}

cp_status state_begin_night(struct state *state)
{
    return CP_USAGE;
}

cp_status state_find(struct state *state, const char *out, struct record *record)
{
    return CP_USAGE;
}

cp_status state_put(struct state *state, const struct record *record)
{
    return CP_USAGE;
}

cp_status state_remove(struct state *state, const char *out)
{
    return CP_USAGE;
}

cp_status state_count(struct state *state, uint64_t *outputs)
{
    return CP_USAGE;
}

cp_status state_put_root(struct state *state, const struct input_root *root)
{
    return CP_USAGE;
}

cp_status state_find_root(struct state *state, struct arena *arena, const char *id, struct input_root *root)
{
    return CP_USAGE;
}

cp_status state_find_journal(struct state *state, const char *name, uint64_t *offset)
{
    return CP_USAGE;
}

cp_status state_put_journal(struct state *state, const char *name, uint64_t offset)
{
    return CP_USAGE;
}

cp_status state_remove_journal(struct state *state, const char *name)
{
    return CP_USAGE;
}

cp_status state_put_told(struct state *state, const char *kind, const char *text, uint64_t number)
{
    return CP_USAGE;
}

cp_status state_each_told(struct state *state, state_visit_told *visit, void *user)
{
    return CP_USAGE;
}

cp_status state_each(struct state *state, enum state_query query, state_visit *visit, void *user)
{
    return CP_USAGE;
}

cp_status state_each_of_input(struct state *state, const char *root, const char *name, const char *begin,
                              state_visit *visit, void *user)
{
    return CP_USAGE;
}

cp_status state_check_place(const struct state *state)
{
    return CP_USAGE;
}

cp_status state_is_empty(struct state *state, bool *empty)
{
    return CP_USAGE;
}

cp_status state_find_root_at(struct state *state, struct arena *arena, const char *path, struct input_root *root)
{
    return CP_USAGE;
}

cp_status state_name_root(struct state *state, const char *id, const char *path)
{
    return CP_USAGE;
}

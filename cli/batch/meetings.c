/* Outputs that share a file, as two cells do that write models of one name: nobody can tell whose it is. */
#include "batch.h"

#include <string.h>
#include <unistd.h>

/* Outputs of which a file is one of another output, too. */
struct meeting_outputs {
    struct cli *cli;
    struct arena *arena;
    struct list outs;
};

static cp_status add_meeting(void *user, const struct state_row *row)
{
    struct meeting_outputs *meeting = user;
    const char *out = arena_copy_text(meeting->arena, row->record.out, strlen(row->record.out));
    return out && list_add(meeting->cli, &meeting->outs, out) ? CP_OK : CP_LIMIT;
}

/* Counts and logs the failure, if its input is one of this run, which has counted it before. */
static cp_status count_failure(const struct batch_work *work, const struct input_root *known,
                               const struct record *failure, enum record_state was, struct journal *journal)
{
    const struct input_root *root = entries_root_of(&work->entries, known);
    const struct entry *entry = root ? entries_find(&work->entries, root, failure->name) : NULL;
    if (!entry)
        return CP_OK;
    bool is_up_to_date = work->deeds[entry - work->entries.items] == DEED_NONE;
    journal->states[is_up_to_date ? STATE_SKIPPED : was]--;
    return journal_record(journal, failure, false);
}

/* Makes an output a failure, and removes its files; those of others stay. */
static cp_status fail_meeting(const struct batch_site *site, struct state *state, const char *out,
                              const struct batch_work *work, struct journal *journal)
{
    struct buffer line = {.context = site->cli->context};
    cp_field_reader reader = {.context = site->cli->context, .arena = site->arena};
    struct input_root root = {.id = "", .path = "", .given = ""};
    struct record record = {.state = STATE_COUNT};
    cp_status status = state_find(state, out, &record);
    if (status == CP_OK)
        record_print(&record, &line); /* its texts would not outlive the next call */
    if (status == CP_OK)
        status = line.failed ? CP_LIMIT : record_parse(&reader, line.data, line.size, &record);
    for (uint32_t i = 0; status == CP_OK && i < record.output_count; i++) {
        struct record_input file;
        const char *path = place_of_output(site, site->arena, record.outputs[i].path);
        if (path && hash_file(path, &file) && hash_equals(file.hash, record.outputs[i].hash))
            (void)unlink(path);
    }
    const enum record_state was = record.state;
    if (status == CP_OK) {
        record.state = STATE_FAILED;
        record.code = "sink-twice";
        record.message = "a file of its output is one of another input's, too: give one of them another name";
        record.sequence++;
        record.time = time_of_record();
        record.output_count = 0;
        status = state_put(state, &record);
    }
    if (status == CP_OK)
        status = state_find_root(state, site->arena, record.root, &root);
    if (status == CP_OK && journal)
        status = count_failure(work, &root, &record, was, journal);
    const char *in = status == CP_OK ? join_path(site->arena, root.given, record.name) : NULL;
    if (in && journal)
        journal_complain(journal, in, record.message, "\n");
    else if (in)
        (void)complain(site->cli, CP_NO, "%s: %s", in, record.message);
    cp_field_reader_free(&reader);
    buffer_free(&line);
    return status == CP_OK && !in ? CP_LIMIT : status;
}

/* Outputs that share a file have failed, whichever came first. */
cp_status settle_meetings(const struct batch_site *site, struct state *state, const struct batch_work *work,
                          struct journal *journal)
{
    struct meeting_outputs meeting = {.cli = site->cli, .arena = site->arena};
    cp_status status = state_each(state, STATE_MEETING, add_meeting, &meeting);
    if (status != CP_OK || meeting.outs.count == 0)
        return status;
    status = state_begin(state);
    for (size_t i = 0; i < meeting.outs.count && status == CP_OK; i++)
        status = fail_meeting(site, state, meeting.outs.items[i], work, journal);
    return status == CP_OK ? commit_removals(site, state) : status;
}

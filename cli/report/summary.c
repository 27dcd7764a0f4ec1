/* Sums up what the state has for a report. */
#include "summary.h"

#include <stdlib.h>

#include "../state/said.h"

/* ---- which rows ---- */

struct filter {
    const struct state *state;
    const struct report_scope *scope;
    state_visit *visit;
    void *user;
    bool is_of_failures; /* the second query of a run: failures that it did not change */
};

static cp_status visit_expected(void *user, const struct state_row *row)
{
    const struct filter *filter = user;
    const struct entries *expected = filter->scope->expected;
    if (filter->is_of_failures && row->record.night == filter->state->night)
        return CP_OK;
    if (filter->scope->run_states) {
        const struct input_root *root = entries_root_of(expected, &row->root);
        if (!root || !entries_find(expected, root, row->record.name))
            return CP_OK;
    }
    return filter->visit(filter->user, row);
}

cp_status each_of_scope(struct state *state, const struct report_scope *scope, state_visit *visit, void *user)
{
    struct filter filter = {.state = state, .scope = scope, .visit = visit, .user = user};
    if (!scope->run_states)
        return state_each(state, STATE_ALL, visit_expected, &filter);
    cp_status status = scope->is_unchanged ? CP_OK : state_each(state, STATE_OF_NIGHT, visit_expected, &filter);
    filter.is_of_failures = true;
    return status == CP_OK ? state_each(state, STATE_FAILURES, visit_expected, &filter) : status;
}

/* ---- messages ---- */

/* Adds an input to the group of its message, under a key that has what the group is of. */
static cp_status add_message(struct summary *summary, enum told told, const struct record *record, const char *message,
                             const char *in, bool is_fresh)
{
    struct cli *cli = summary->cli;
    struct buffer key = {.context = cli->context}, values = {.context = cli->context};
    const char head[2] = {(char)('a' + (int)told), told == TOLD_FAILURE ? (char)('a' + (int)record->state) : 'a'};
    bool is_new = false;
    buffer_append(&key, head, sizeof head);
    split_message(message, &key, &values);
    uint32_t *place = key.failed ? NULL : name_map_find(&summary->group_names, key.data);
    if (!place && !key.failed) {
        char *kept = arena_copy_text(summary->arena, key.data, key.size - 1);
        char *first = arena_copy_text(summary->arena, message, strlen(message));
        if (kept && first &&
            array_reserve(cli->context, &summary->groups, &summary->group_room, (uint64_t)summary->group_count + 1,
                          sizeof *summary->groups))
            place = name_map_add(&summary->group_names, kept, summary->group_count, &is_new);
        if (place)
            summary->groups[summary->group_count++] =
                (struct group){.told = told, .state = record->state, .message = first};
    }
    buffer_free(&key);
    buffer_free(&values);
    if (!place)
        return CP_LIMIT;
    struct group *group = &summary->groups[*place];
    if (group->last == summary->count)
        return CP_OK;
    group->last = summary->count;
    group->count++;
    group->fresh += is_fresh;
    if (told != TOLD_FAILURE && !summary->scope->names_all && group->inputs.count >= MOST_NAMED)
        return CP_OK;
    const char *kept = arena_copy_text(summary->arena, in, strlen(in));
    return kept && list_add(cli, &group->inputs, kept) ? CP_OK : CP_LIMIT;
}

static cp_status add_messages(struct summary *summary, enum told told, const struct record *record,
                              const struct list *messages, const char *in)
{
    cp_status status = CP_OK;
    for (size_t i = 0; i < messages->count && status == CP_OK; i++)
        status = add_message(summary, told, record, messages->items[i], in, false);
    return status;
}

static int compare_groups(const void *a, const void *b)
{
    const struct group *first = a, *second = b;
    return first->count != second->count ? (first->count < second->count ? 1 : -1)
                                         : strcmp(first->inputs.items[0], second->inputs.items[0]);
}

bool is_common(const struct summary *summary, const struct group *group)
{
    return group->count > 20 && group->count > summary->count / 2;
}

/* ---- sums ---- */

/* Keeps the input if it is among the slowest. */
static cp_status add_slow(struct summary *summary, const char *name, double ms)
{
    if (ms <= 0 || (summary->slowest_count == MOST_SLOWEST && ms <= summary->slowest[MOST_SLOWEST - 1].ms))
        return CP_OK;
    const char *in = arena_copy_text(summary->arena, name, strlen(name));
    uint32_t at = summary->slowest_count < MOST_SLOWEST ? summary->slowest_count++ : MOST_SLOWEST;
    if (!in)
        return CP_LIMIT;
    for (; at > 0 && summary->slowest[at - 1].ms < ms; at--)
        if (at < MOST_SLOWEST)
            summary->slowest[at] = summary->slowest[at - 1];
    if (at < MOST_SLOWEST)
        summary->slowest[at] = (struct slow_input){in, ms};
    return CP_OK;
}

bool is_new_failure(const struct state_row *row)
{
    bool had_failed = row->was >= STATE_FAILED && row->was < STATE_COUNT;
    return record_is_failure(&row->record) && row->is_of_night && !(had_failed && row->same_reason);
}

static cp_status add_failure(struct summary *summary, const struct state_row *row)
{
    const struct record *record = &row->record;
    bool is_fresh = is_new_failure(row);
    const char *message =
        arena_print(summary->arena, "%s%s%s", record->code, *record->code ? ": " : "", record->message);
    *(is_fresh ? &summary->fresh : &summary->as_before) += 1;
    return message ? add_message(summary, TOLD_FAILURE, record, message, row->in, is_fresh) : CP_LIMIT;
}

static cp_status add_row(void *user, const struct state_row *row)
{
    struct summary *summary = user;
    const struct record *record = &row->record;
    bool times = !summary->scope->no_times, failed = record_is_failure(record);
    cp_status status = CP_OK;
    summary->count++;
    summary->states[record->state]++;
    summary->bytes_in += record->bytes_in;
    summary->bytes_out += record->bytes_out;
    summary->triangles_in += record->triangles_in;
    summary->triangles_out += record->triangles_out;
    summary->lossy += record->losses.count > 0;
    summary->warned += record->warnings.count > 0;
    summary->mended +=
        !failed && row->record.night == summary->night && row->was >= STATE_FAILED && row->was < STATE_COUNT;
    if (times) {
        summary->max_rss = record->max_rss > summary->max_rss ? record->max_rss : summary->max_rss;
        summary->ms += record->ms;
        summary->cpu_ms += record->cpu_ms;
        status = add_slow(summary, row->in, record->ms);
    }
    if (status == CP_OK && failed)
        status = add_failure(summary, row);
    if (status == CP_OK)
        status = add_messages(summary, TOLD_LOSS, record, &record->losses, row->in);
    return status == CP_OK ? add_messages(summary, TOLD_WARNING, record, &record->warnings, row->in) : status;
}

/* ---- what is missing ---- */

struct counting {
    struct summary *summary;
    const struct entries *expected;
    bool *found;
};

/* Adds a row if its input is expected, and counts it with the others if it is not. */
static cp_status add_expected(void *user, const struct state_row *row)
{
    struct counting *counting = user;
    const struct entries *expected = counting->expected;
    const struct input_root *root = entries_root_like(expected, &row->root);
    const struct entry *entry = root ? entries_find(expected, root, row->record.name) : NULL;
    if (!entry) {
        counting->summary->others++;
        return CP_OK;
    }
    counting->found[entry - expected->items] = true;
    return add_row(counting->summary, row);
}

static cp_status sum_expected(struct summary *summary, struct state *state)
{
    const struct entries *expected = summary->scope->expected;
    struct counting counting = {.summary = summary, .expected = expected};
    counting.found = memory_allocate_zeroed(summary->cli->context, expected->count, sizeof *counting.found);
    summary->missing = arena_allocate(summary->arena, (size_t)expected->count + 1, sizeof *summary->missing);
    cp_status status =
        counting.found && summary->missing ? state_each(state, STATE_ALL, add_expected, &counting) : CP_LIMIT;
    for (uint32_t i = 0; i < expected->count && status == CP_OK; i++)
        if (!counting.found[i]) {
            const char *path = entry_path(summary->arena, &expected->items[i]);
            summary->missing[summary->missing_count++] = path;
            status = path ? CP_OK : CP_LIMIT;
        }
    memory_free(summary->cli->context, counting.found, expected->count, sizeof *counting.found);
    return status;
}

/* ---- copies ---- */

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *first = a, *second = b;
    return first->hash.high != second->hash.high ? (first->hash.high < second->hash.high ? -1 : 1)
           : first->hash.low != second->hash.low ? (first->hash.low < second->hash.low ? -1 : 1)
                                                 : strcmp(first->in, second->in);
}

static int compare_copies(const void *a, const void *b)
{
    const struct copies *first = a, *second = b;
    return first->spare != second->spare ? (first->spare < second->spare ? 1 : -1)
                                         : strcmp(first->inputs[0], second->inputs[0]);
}

/* Sorts; qsort takes no NULL, which an empty list may be. */
static void sort(void *items, uint32_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, size, compare);
}

/* Hashes the contents of all inputs, as the same file may name other files elsewhere; if a content is not known, hashes
 * the path. */
static cp_hash hash_inputs(const struct record *record, const char *in)
{
    cp_hash hash = {0};
    for (uint32_t i = 0; i < record->input_count; i++) {
        const cp_hash pair[] = {hash, record->inputs[i].hash};
        if (hash_is_zero(pair[1]) && !record->inputs[i].missing)
            return cp_hash_bytes(in, strlen(in));
        hash = cp_hash_bytes(pair, sizeof pair);
    }
    return hash;
}

/* Keeps an output that may be like others. */
static cp_status add_candidate(void *user, const struct state_row *row)
{
    struct summary *summary = user;
    const struct record *record = &row->record;
    const char *in = arena_copy_text(summary->arena, row->in, strlen(row->in));
    if (!in || !array_reserve(summary->cli->context, &summary->candidates, &summary->candidate_room,
                              (uint64_t)summary->candidate_count + 1, sizeof *summary->candidates))
        return CP_LIMIT;
    if (record_is_failure(record) || hash_is_zero(record->out_hash))
        return CP_OK;
    summary->candidates[summary->candidate_count++] = (struct candidate){.in = in,
                                                                         .out_hash = record->out_hash,
                                                                         .inputs = hash_inputs(record, in),
                                                                         .shape = record->shape,
                                                                         .bytes_out = record->bytes_out};
    return CP_OK;
}

static bool hash_candidates(struct summary *summary, enum likeness likeness)
{
    struct candidate *candidates = summary->candidates;
    uint32_t count = summary->candidate_count;
    if (likeness != SAME_SHAPE) {
        for (uint32_t i = 0; i < count; i++)
            candidates[i].hash = likeness == SAME_OUTPUT ? candidates[i].out_hash : candidates[i].inputs;
        return true;
    }
    cp_context *context = summary->cli->context;
    cp_shape *shapes = memory_allocate(context, count, sizeof *shapes);
    uint32_t *first = memory_allocate(context, count, sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        candidates[i].hash = (cp_hash){0};
    sort(candidates, count, sizeof *candidates, compare_candidates); /* by input */
    for (uint32_t i = 0; shapes && i < count; i++)
        shapes[i] = candidates[i].shape;
    bool good = shapes && first && cp_find_alike(context, shapes, count, first) == CP_OK;
    for (uint32_t i = 0; good && i < count; i++)
        candidates[i].hash = (cp_hash){.low = first[i]};
    memory_free(context, shapes, count, sizeof *shapes);
    memory_free(context, first, count, sizeof *first);
    return good;
}

/* Returns the place behind the candidates that are like the one at `from`. */
static uint32_t end_of_group(const struct summary *summary, uint32_t from)
{
    const struct candidate *candidates = summary->candidates;
    uint32_t end = from + 1;
    while (end < summary->candidate_count && hash_equals(candidates[from].hash, candidates[end].hash))
        end++;
    return end;
}

/* Groups the candidates, and keeps the first of each group for the next kind of likeness. */
static bool find_copies(struct summary *summary, enum likeness likeness)
{
    struct candidate *candidates = summary->candidates;
    uint32_t all = summary->candidate_count, members = 0, groups = 0, count = 0, kept = 0;
    if (!hash_candidates(summary, likeness))
        return false;
    sort(candidates, all, sizeof *candidates, compare_candidates);
    for (uint32_t i = 0, end; i < all; i = end) {
        end = end_of_group(summary, i);
        groups += end > i + 1;
        members += end > i + 1 ? end - i : 0;
    }
    const char **inputs = arena_allocate(summary->arena, members, sizeof *inputs);
    struct copies *copies = arena_allocate(summary->arena, groups, sizeof *copies);
    if (!inputs || !copies)
        return false;
    for (uint32_t i = 0, end; i < all; i = end) {
        struct copies group = {.inputs = inputs};
        end = end_of_group(summary, i);
        for (uint32_t k = i; k < end && end > i + 1; k++) {
            *inputs++ = candidates[k].in;
            group.count++;
            group.spare += k > i ? candidates[k].bytes_out : 0;
        }
        if (group.count > 0)
            copies[count++] = group;
        summary->spare[likeness] += group.spare;
        candidates[kept++] = candidates[i];
    }
    sort(copies, count, sizeof *copies, compare_copies);
    summary->candidate_count = kept;
    summary->copies[likeness] = copies;
    summary->copies_count[likeness] = count;
    return true;
}

/* ---- the whole ---- */

static cp_status add_told(void *user, const char *kind, const char *text, uint64_t number)
{
    struct summary *summary = user;
    const char *copy = arena_copy_text(summary->arena, text, strlen(text));
    if (!copy)
        return CP_LIMIT;
    if (strcmp(kind, TOLD_ISOLATION) == 0)
        return summary->scope->no_times || list_add(summary->cli, &summary->isolations, copy) ? CP_OK : CP_LIMIT;
    if (!array_reserve(summary->cli->context, &summary->passed_over, &summary->passed_room,
                       (uint64_t)summary->passed_count + 1, sizeof *summary->passed_over))
        return CP_LIMIT;
    summary->passed_over[summary->passed_count++] = (struct passed_over){copy, number};
    return CP_OK;
}

cp_status summarise(struct summary *summary, struct state *state, const struct report_scope *scope)
{
    struct cli *cli = summary->cli;
    summary->arena = arena_new(cli->context);
    summary->scope = scope;
    summary->night = state->night;
    summary->group_names.context = cli->context;
    summary->torn = scope->merged && !scope->no_times ? scope->merged->torn : 0;
    bool is_expected = scope->expected && !scope->run_states;
    cp_status status = !summary->arena ? CP_LIMIT
                       : is_expected   ? sum_expected(summary, state)
                                       : each_of_scope(state, scope, add_row, summary);
    if (scope->run_states) {
        summary->count = scope->expected->count;
        for (int i = 0; i < STATE_COUNT; i++)
            summary->states[i] = scope->run_states[i];
    }
    if (status == CP_OK && !scope->is_unchanged)
        status = state_each(state, scope->run_states ? STATE_ALIKE_OF_NIGHT : STATE_ALIKE, add_candidate, summary);
    for (int i = 0; i < LIKENESS_COUNT && status == CP_OK; i++)
        status = find_copies(summary, (enum likeness)i) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = state_each_told(state, add_told, summary);
    sort(summary->groups, summary->group_count, sizeof *summary->groups, compare_groups);
    sort_passed_over(summary->passed_over, summary->passed_count);
    return status;
}

void summary_free(struct summary *summary)
{
    cp_context *context = summary->cli->context;
    memory_free(context, summary->groups, summary->group_room, sizeof *summary->groups);
    memory_free(context, summary->candidates, summary->candidate_room, sizeof *summary->candidates);
    memory_free(context, summary->passed_over, summary->passed_room, sizeof *summary->passed_over);
    name_map_free(&summary->group_names);
    arena_free(summary->arena);
}

/* Makes outputs that are equal byte for byte hard links of one file. A writer replaces a file by rename, so that a link
 * that is converted anew changes no other. */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

static int compare_outputs(const void *a, const void *b)
{
    const struct record_input *first = *(const struct record_input *const *)a,
                              *second = *(const struct record_input *const *)b;
    const uint64_t keys[2][3] = {{first->hash.high, first->hash.low, first->size},
                                 {second->hash.high, second->hash.low, second->size}};
    for (int i = 0; i < 3; i++)
        if (keys[0][i] != keys[1][i])
            return keys[0][i] < keys[1][i] ? -1 : 1;
    return strcmp(first->path, second->path);
}

/* The files of the outputs of this run's inputs. */
struct outputs {
    struct arena *arena;
    const struct record_input **items;
    uint32_t count, room;
};

static cp_status add_outputs(const struct batch_site *site, const struct record *record, struct outputs *outputs)
{
    for (uint32_t i = 0; i < record->output_count; i++) {
        struct record_input output = record->outputs[i];
        if (output.size == 0 || hash_is_zero(output.hash))
            continue;
        output.path = whole_path(outputs->arena, site->out_dir, output.path);
        const struct record_input *kept = output.path ? arena_copy(outputs->arena, &output, 1, sizeof output) : NULL;
        if (!kept || !array_reserve(site->cli->context, &outputs->items, &outputs->room, (uint64_t)outputs->count + 1,
                                    sizeof(struct record_input *)))
            return CP_LIMIT;
        outputs->items[outputs->count++] = kept;
    }
    return CP_OK;
}

static cp_status list_outputs(const struct batch_site *site, struct state *state, const struct batch_work *work,
                              struct outputs *outputs)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < work->entries.count && status == CP_OK; i++) {
        struct record record;
        const char *out = output_name(outputs->arena, &work->naming, &work->entries.items[i]);
        status = out ? state_find(state, out, &record) : CP_LIMIT;
        if (status == CP_OK)
            status = add_outputs(site, &record, outputs);
        else if (status == CP_NO)
            status = CP_OK;
    }
    if (outputs->count > 1)
        qsort(outputs->items, outputs->count, sizeof *outputs->items, compare_outputs);
    return status;
}

cp_status link_outputs(const struct batch_site *site, struct state *state, const struct batch_work *work,
                       struct batch_links *links)
{
    struct cli *cli = site->cli;
    struct outputs outputs = {.arena = arena_new(cli->context)};
    const char *model = NULL;
    bool told = false;
    cp_status status = outputs.arena ? list_outputs(site, state, work, &outputs) : CP_LIMIT;
    for (uint32_t i = 0; i < outputs.count && status == CP_OK; i++) {
        const struct record_input *output = outputs.items[i];
        bool fresh, is_first = i == 0 || !hash_equals(output->hash, outputs.items[i - 1]->hash);
        cp_status linked = is_first ? CP_NO : cp_link_equal(cli->context, output->path, model, &fresh);
        if (linked == CP_OUTPUT && !told)
            flush_report(cli, CP_OK);
        cp_report_clear(cli->context);
        told |= linked == CP_OUTPUT;
        if (linked == CP_LIMIT || linked == CP_CANCELLED || must_stop(NULL)) {
            status = must_stop(NULL) ? CP_CANCELLED : linked;
        } else if (linked == CP_OK) {
            links->count++;
            links->fresh += fresh;
            links->saved += output->size;
        } else if (linked == CP_OUTPUT || is_first) {
            model = output->path; /* the model has the most links that it can have, or is on another disk */
        }
    }
    memory_free(cli->context, outputs.items, outputs.room, sizeof *outputs.items);
    arena_free(outputs.arena);
    return status;
}

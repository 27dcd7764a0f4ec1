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

/* Lists the files of the outputs of this run's inputs; *count 0 when out of memory, too. */
static const struct record_input **list_outputs(const struct batch_site *site, const struct batch_work *work,
                                                const struct records *records, uint32_t *count)
{
    uint64_t room = 0;
    for (uint32_t i = 0; i < records->count; i++)
        room += records->items[i]->output_count;
    const struct record_input **outputs = cli_allocate(site->cli, room * sizeof *outputs);
    for (uint32_t i = 0; outputs && i < work->entries.count; i++) {
        const struct entry *entry = &work->entries.items[i];
        const struct record *record = entry->out ? records_find(records, entry->in) : NULL;
        bool is_current = record && strcmp(record->out, entry->out) == 0;
        for (uint32_t k = 0; is_current && k < record->output_count; k++)
            if (record->outputs[k].size > 0 && !hash_is_zero(record->outputs[k].hash))
                outputs[(*count)++] = &record->outputs[k];
    }
    return outputs;
}

cp_status link_outputs(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                       struct batch_links *links)
{
    struct cli *cli = site->cli;
    struct records records = {.only = &work->entries};
    const char *model = NULL;
    uint32_t count = 0;
    bool told = false;
    cp_status status = read_status(asked, site, &records);
    const struct record_input **outputs = status == CP_OK ? list_outputs(site, work, &records, &count) : NULL;
    if (status == CP_OK && !outputs)
        status = CP_LIMIT;
    if (count > 1)
        qsort(outputs, count, sizeof *outputs, compare_outputs);
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        const struct record_input *output = outputs[i];
        bool fresh, is_first = i == 0 || !hash_equals(output->hash, outputs[i - 1]->hash);
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
    records_free(&records);
    return status;
}

/* merge: puts the journals of shards into the state of an output folder. */
#include "batch.h"

static cp_status merge_into(struct batch_site *site)
{
    struct cli *cli = site->cli;
    struct state state = {0};
    struct merged merged = {0};
    cp_status status = lock_output(cli, site->folder, &site->here, &site->lock);
    if (status == CP_OK)
        status = state_open(cli, site->folder, STATE_WRITE, &state);
    if (status == CP_OK)
        status = state_begin_night(&state);
    if (status == CP_OK)
        status = merge_journals(cli, site->folder, NULL, &site->here, true, &state, &merged);
    if (status == CP_OK)
        status = settle_meetings(site, &state, NULL, NULL);
    state_close(&state);
    if (status == CP_OK && !cli->quiet)
        printf("journals   %lu read, %lu of runs that may go on\nrecords    %llu\nup to date %llu\n",
               (unsigned long)merged.journals, (unsigned long)merged.running, (unsigned long long)merged.records,
               (unsigned long long)merged.up_to_date);
    return status;
}

static cp_status command_merge(struct cli *cli)
{
    struct request asked = {0};
    struct batch_site site = {.cli = cli, .lock = -1};
    cp_status status = sort_words(cli, 1, cli->words.count, &merge_command, &asked);
    if (status == CP_OK)
        status = find_known_site(&asked.words, "merge", &site);
    if (status == CP_OK)
        status = merge_into(&site);
    leave_site(&site);
    return status;
}

static const cp_option options[] = {{0}};

const struct command merge_command = {
    .name = "merge",
    .title = "put the journals of a batch's shards into its state",
    .usage = "OUT",
    .help =
        "Shards of cellpipe batch, which may run on many hosts, write journals into OUT/.cellpipe/journals. This puts "
        "them into OUT/.cellpipe/state.db, from which the next run, cellpipe manifest --known and cellpipe report "
        "know what is up to date, and removes those of runs that have ended. It may be killed, and repeated, at any "
        "time. A cellpipe batch without --shard does the same.",
    .examples = "cellpipe merge web && cellpipe report web",
    .options = options,
    .run = command_merge};

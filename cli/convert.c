/* convert, run and a filter as a command: three ways to say a chain of steps. */
#include "plan.h"

#include <string.h>
#include <unistd.h>

/* A terminal where a file or pipe should be: somebody forgot to name the input. */
static cp_status check_stdin(struct cli *cli)
{
    if (isatty(STDIN_FILENO))
        return complain(cli, CP_USAGE, "standard input is a terminal: name a file, or pipe one in");
    return CP_OK;
}

/* ---- options in the wrong place ---- */

/* plugin: SIZE_MAX has none. */
static bool has_option(cp_plugin_kind kind, size_t plugin, const char *setting)
{
    size_t size = strcspn(setting, "="), count = plugin == SIZE_MAX ? 0 : cp_plugin_at(kind, plugin).option_count;
    for (size_t i = 0; i < count; i++) {
        const char *name = cp_plugin_option(kind, plugin, i).name;
        if (strlen(name) == size && strncmp(name, setting, size) == 0)
            return true;
    }
    return false;
}

static bool any_has_option(cp_plugin_kind kind, const char *setting)
{
    for (size_t plugin = 0; plugin < cp_plugin_count(kind); plugin++)
        if (has_option(kind, plugin, setting))
            return true;
    return false;
}

/* An option of the output or of some input that was given as if it were the command's own. filter: the command's, or
 * SIZE_MAX. */
static cp_status check_places(struct cli *cli, size_t filter, size_t exporter, const struct list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        if (!strchr(word, '=') || has_option(CP_FILTER, filter, word))
            continue;
        bool input = any_has_option(CP_IMPORTER, word), output = has_option(CP_EXPORTER, exporter, word);
        if (input || output)
            return complain(cli, CP_USAGE, "unknown option of %s \"%.*s\"; the %s is given as %s %s%s%s",
                            cli->words.items[0], (int)strcspn(word, "="), word, input ? "input's" : "output's",
                            input ? "--in" : "--out", word, input && output ? ", the output's as --out " : "",
                            input && output ? word : "");
    }
    return CP_OK;
}

/* ---- a filter ---- */

cp_status command_filter(struct cli *cli)
{
    struct request request;
    struct plan plan;
    unsigned allowed = FLAG_READING | FLAG_TO | FLAG_OUT | FLAG_SETTINGS;
    cp_status status = sort_words(cli, 1, cli->words.count, allowed, &request);
    if (status != CP_OK)
        return status;
    if (request.words.count > 2)
        return complain(cli, CP_USAGE, "%s takes one input and one output, not also \"%s\"", cli->words.items[0],
                        request.words.items[2]);
    const char *in = request.words.count > 0 ? request.words.items[0] : "-";
    const char *out = request.words.count > 1 ? request.words.items[1] : "-";
    if (request.words.count == 0)
        status = check_stdin(cli);
    if (status == CP_OK)
        status = check_places(cli, plugin_named(CP_FILTER, cli->words.items[0]), exporter_for(request.to, out),
                              &request.settings);
    if (status == CP_OK && !plan_open(cli, &plan, 3))
        status = CP_LIMIT;
    if (status == CP_OK)
        status = add_read(cli, &plan, in, request.from, request.in);
    if (status == CP_OK)
        status = add_filter(cli, &plan, cli->words.items[0], request.settings);
    if (status == CP_OK)
        status = add_write(cli, &plan, out, request.to, request.out, true);
    return status == CP_OK ? run_plan(cli, &plan) : status;
}

/* ---- run ---- */

static cp_status add_run_read(struct cli *cli, struct plan *plan, size_t begin, size_t end)
{
    struct request request;
    cp_status status = sort_words(cli, begin + 1, end, FLAG_READING | FLAG_SETTINGS, &request);
    if (status == CP_OK && request.words.count == 0)
        return complain(cli, CP_USAGE, "read needs an input: read IN [K=V...]");
    for (size_t i = 1; i < request.words.count && status == CP_OK; i++)
        status = add_input_option(cli, &request.in, request.words.items[i]);
    for (size_t i = 0; i < request.settings.count && status == CP_OK; i++)
        status = add_input_option(cli, &request.in, request.settings.items[i]);
    if (status != CP_OK)
        return status;
    return add_read(cli, plan, request.words.items[0], request.from, request.in);
}

static cp_status add_run_write(struct cli *cli, struct plan *plan, size_t begin, size_t end)
{
    struct request request;
    cp_status status = sort_words(cli, begin + 1, end, FLAG_TO | FLAG_OUT | FLAG_SETTINGS, &request);
    if (status == CP_OK && request.words.count == 0)
        return complain(cli, CP_USAGE, "write needs an output: write OUT [K=V...]");
    bool good = status == CP_OK;
    for (size_t i = 1; i < request.words.count && good; i++)
        good = list_add(cli, &request.out, request.words.items[i]);
    for (size_t i = 0; i < request.settings.count && good; i++)
        good = list_add(cli, &request.out, request.settings.items[i]);
    if (!good)
        return status != CP_OK ? status : CP_LIMIT;
    return add_write(cli, plan, request.words.items[0], request.to, request.out, false);
}

static cp_status complain_step(struct cli *cli, const char *word)
{
    struct list list = {0};
    bool good = list_add(cli, &list, "read") && list_add(cli, &list, "write");
    for (size_t i = 0; i < cp_plugin_count(CP_FILTER) && good; i++)
        good = list_add(cli, &list, cp_plugin_at(CP_FILTER, i).name);
    good = good && list_add(cli, &list, NULL);
    return good ? complain_unknown(cli, "step", word, list.items) : CP_LIMIT;
}

static cp_status add_run_step(struct cli *cli, struct plan *plan, size_t begin, size_t end)
{
    const char *word = begin < end ? cli->words.items[begin] : "";
    if (strcmp(word, "read") == 0)
        return add_run_read(cli, plan, begin, end);
    if (plan->count == 0)
        return complain(cli, CP_USAGE, "the first step must be: read IN");
    if (strcmp(word, "write") == 0)
        return add_run_write(cli, plan, begin, end);
    if (*word && *word != '-' && plugin_named(CP_FILTER, word) == SIZE_MAX)
        return complain_step(cli, word);
    return add_filter_words(cli, plan, begin, end);
}

cp_status command_run(struct cli *cli)
{
    struct plan plan;
    if (!plan_open(cli, &plan, cli->words.count))
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (size_t begin = 1; begin <= cli->words.count && status == CP_OK;) {
        size_t end = find_bang(cli, begin);
        status = add_run_step(cli, &plan, begin, end);
        begin = end + 1;
    }
    if (status != CP_OK)
        return status;
    if (plan.steps[plan.count - 1].kind != STEP_WRITE)
        return complain(cli, CP_USAGE, "the last step must be: write OUT");
    return run_plan(cli, &plan);
}

/* ---- convert ---- */

cp_status plan_conversion(struct cli *cli, const struct request *request, size_t bang, const char *in, const char *out,
                          struct plan *plan)
{
    if (!plan_open(cli, plan, cli->words.count - bang + 2))
        return CP_LIMIT;
    cp_status status = add_read(cli, plan, in, request->from, request->in);
    for (size_t end; status == CP_OK && bang < cli->words.count; bang = end) {
        end = find_bang(cli, bang + 1);
        status = add_filter_words(cli, plan, bang + 1, end);
    }
    return status == CP_OK ? add_write(cli, plan, out, request->to, request->out, false) : status;
}

cp_status command_convert(struct cli *cli)
{
    struct request request;
    size_t bang = find_bang(cli, 1);
    cp_status status = sort_words(cli, 1, bang, FLAG_READING | FLAG_TO | FLAG_OUT | FLAG_OUT_DIR, &request);
    if (status != CP_OK)
        return status;
    size_t count = request.words.count;
    if (count == 0)
        return complain(cli, CP_USAGE, "convert needs an input and an output: cellpipe convert IN OUT");
    if (request.out_dir)
        return convert_into_folder(cli, &request, bang);
    if (count == 1)
        return complain(cli, CP_USAGE, "convert needs an output too: cellpipe convert %s OUT", request.words.items[0]);
    if (count > 2) {
        status = check_places(cli, SIZE_MAX, exporter_for(request.to, request.words.items[1]), &request.words);
        return status != CP_OK
                   ? status
                   : complain(cli, CP_USAGE,
                              "convert takes one input and one output; for several inputs give --out-dir DIR");
    }
    struct plan plan;
    status = plan_conversion(cli, &request, bang, request.words.items[0], request.words.items[1], &plan);
    return status == CP_OK ? run_plan(cli, &plan) : status;
}

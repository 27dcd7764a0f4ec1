/* convert, run and a filter as a command: three forms of a chain of steps. */
#include "plan.h"

#include <string.h>
#include <unistd.h>

/* Checks for an option of the output or of some input that was given as if it were the command's own. filter: the
 * command's, or SIZE_MAX. */
static cp_status check_places(struct cli *cli, size_t filter, size_t exporter, const struct list *words)
{
    cp_option_info option;
    cp_status status = CP_OK;
    for (size_t i = 0; i < words->count && status == CP_OK; i++)
        if (strchr(words->items[i], '=') && !plugin_has(CP_FILTER, filter, words->items[i], &option))
            status = check_place(cli, (struct option_places){true, exporter != SIZE_MAX, exporter}, cli->words.items[0],
                                 words->items[i]);
    return status;
}

/* Takes the lists of pairs from between the first word and the last one, which are the input and the output. Returns
 * false if there is another word. */
static bool take_lists(const struct list *words, struct list *lists)
{
    *lists = (struct list){0};
    if (words->count < 3)
        return true;
    *lists = (struct list){words->items + 1, words->count - 2, 0};
    for (size_t i = 0; i < lists->count; i++)
        if (!has_list_suffix(lists->items[i]))
            return false;
    return true;
}

/* ---- a filter ---- */

static cp_status command_filter(struct cli *cli)
{
    struct request request = {0};
    struct list lists;
    struct plan plan;
    cp_status status = sort_words(cli, 1, cli->words.count, &filter_command, &request);
    if (status != CP_OK)
        return status;
    if (!take_lists(&request.words, &lists))
        return complain(cli, CP_USAGE, "%s takes one input and one output, not also \"%s\"", cli->words.items[0],
                        request.words.items[2]);
    const char *in = request.words.count > 0 ? request.words.items[0] : "-";
    const char *out = request.words.count > 1 ? request.words.items[request.words.count - 1] : "-";
    const size_t filter = plugin_named(CP_FILTER, cli->words.items[0]);
    if (request.words.count == 0 && isatty(STDIN_FILENO)) /* the user forgot to name the input */
        return complain(cli, CP_USAGE, "standard input is a terminal: name a file, or pipe one in");
    status = check_places(cli, filter, exporter_for(request.to, out), &request.settings);
    if (status == CP_OK && !plan_open(cli, &plan, 3 + lists.count))
        status = CP_LIMIT;
    if (status == CP_OK)
        status = add_read(cli, &plan, in, request.from, request.in);
    if (status == CP_OK)
        status = add_lists(cli, &plan, lists.items, lists.count);
    if (status == CP_OK)
        status = add_filter(cli, &plan, cli->words.items[0], request.settings);
    if (status == CP_OK)
        status = add_write(cli, &plan, out, request.to, request.out, !plugin_at(CP_FILTER, filter).is_shown);
    return status == CP_OK ? run_plan(cli, &plan) : status;
}

const struct command filter_command = {
    .name = "FILTER",
    .title = "apply one filter",
    .usage = "[K=V]... [--] [IN|-] [LIST]... [OUT|-]",
    .help =
        "The name of a filter is a command of its own. It reads standard input and writes standard output unless "
        "files are named. K=V are the options of the filter; cellpipe help weld lists those of weld. A pipe between "
        "two filters carries GLB with the whole scene.",
    .examples = "cellpipe weld tolerance=0.01mm part.stl welded.stl\n"
                "cellpipe weld <part.stl | cellpipe normals crease=40 | cellpipe triangulate - part.glb",
    .reads = true,
    .writes = true,
    .any_settings = true,
    .run = command_filter};

/* ---- run ---- */

static const struct command read_step = {.name = "read", .reads = true, .any_settings = true};
static const struct command write_step = {.name = "write", .writes = true, .any_settings = true};

static cp_status add_run_step(struct cli *cli, struct plan *plan, size_t begin, size_t end)
{
    const char *word = begin < end ? cli->words.items[begin] : "";
    bool read = strcmp(word, "read") == 0, write = strcmp(word, "write") == 0;
    struct list names = {0};
    struct request request = {0};
    if (!read && plan->count == 0)
        return complain(cli, CP_USAGE, "the first step must be: read IN");
    if (!read && !write && *word && *word != '-' && plugin_named(CP_FILTER, word) == SIZE_MAX) {
        bool good = list_add(cli, &names, "read") && list_add(cli, &names, "write") &&
                    add_plugins(cli, CP_FILTER, &names) && list_add(cli, &names, NULL);
        return good ? complain_unknown(cli, "step", word, names.items) : CP_LIMIT;
    }
    if (!read && !write)
        return add_filter_words(cli, plan, begin, end);
    cp_status status = sort_words(cli, begin + 1, end, read ? &read_step : &write_step, &request);
    if (status == CP_OK && request.words.count == 0)
        return read ? complain(cli, CP_USAGE, "read needs an input: read IN [K=V...]")
                    : complain(cli, CP_USAGE, "write needs an output: write OUT [K=V...]");
    /* The words after the file are options of its format, of any form. */
    for (size_t i = 1; i < request.words.count + request.settings.count && status == CP_OK; i++) {
        const char *option =
            i < request.words.count ? request.words.items[i] : request.settings.items[i - request.words.count];
        status = read                                  ? add_input_option(cli, &request.in, option)
                 : list_add(cli, &request.out, option) ? CP_OK
                                                       : CP_LIMIT;
    }
    if (status != CP_OK)
        return status;
    return read ? add_read(cli, plan, request.words.items[0], request.from, request.in)
                : add_write(cli, plan, request.words.items[0], request.to, request.out, false);
}

static cp_status command_run(struct cli *cli)
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
    status = share_error(cli, &plan);
    return status == CP_OK ? run_plan(cli, &plan) : status;
}

const struct command run_command = {
    .name = "run",
    .title = "run a chain of steps",
    .usage = "read IN [K=V]... ! [read IN2 [K=V]... !] FILTER [K=V]... ! ... ! write OUT [K=V]...",
    .help =
        "Runs the steps in order. K=V after IN are options of its format, after OUT those of the output's "
        "format; stl.K=V after IN is for every STL file that is read.\n"
        "A second read adds its scene below a new node, named after the file. If it is a list of pairs (.srdf, or a "
        "collision setup), its names are frames of the scene.",
    .examples = "cellpipe run read cell.wu ! pose device=Arm deg=0,90,0,0,0,0 ! write posed.wrl\n"
                "cellpipe run read cell.wu ! read table.stl unit=mm ! write cell.wrl up=z",
    .reads = true,
    .writes = true,
    .run = command_run};

/* ---- convert ---- */

struct conversion {
    struct request request;
    bool compares; /* --compare-back */
};

/* Finds by what the output is read again; to: the name of its format, or NULL. */
static cp_status find_reader(struct cli *cli, const char *to, const char *out, const char **importer)
{
    size_t exporter = exporter_for(to, out);
    *importer = exporter == SIZE_MAX ? NULL : importer_of_output(exporter);
    if (strcmp(out, "-") == 0)
        return complain(cli, CP_USAGE, "--compare-back reads the output again: it cannot be standard output");
    if (exporter != SIZE_MAX && !*importer) /* another one is complained about when the plan is made */
        return complain(cli, CP_USAGE, "--compare-back reads the output again, and nothing reads a whole cell of %s",
                        plugin_at(CP_EXPORTER, exporter).name);
    return CP_OK;
}

static cp_status command_convert(struct cli *cli)
{
    struct conversion conversion = {0};
    struct request request;
    size_t bang = find_bang(cli, 1);
    for (size_t i = 1; i < bang && i < cli->plain; i++)
        if (strncmp(cli->words.items[i], "--out-dir", 9) == 0)
            return complain(cli, CP_USAGE, "convert writes one output; for many: cellpipe batch IN... --out-dir DIR");
    for (size_t i = 3; i < bang && i < cli->plain; i++)
        if (plugin_named(CP_FILTER, cli->words.items[i]) != SIZE_MAX && *cli->words.items[i - 1] != '-')
            return complain(cli, CP_USAGE, "\"%s\" is a filter: write a ! before it: cellpipe convert IN OUT ! %s",
                            cli->words.items[i], cli->words.items[i]);
    cp_status status = sort_words(cli, 1, bang, &convert_command, &conversion);
    if (status != CP_OK)
        return status;
    request = conversion.request;
    size_t count = request.words.count;
    if (count == 0)
        return complain(cli, CP_USAGE, "convert needs an input and an output: cellpipe convert IN OUT");
    if (count == 1)
        return complain(cli, CP_USAGE, "convert needs an output too: cellpipe convert %s OUT", request.words.items[0]);
    struct list lists;
    if (!take_lists(&request.words, &lists)) {
        status = check_places(cli, SIZE_MAX, exporter_for(request.to, request.words.items[1]), &request.words);
        return status != CP_OK
                   ? status
                   : complain(cli, CP_USAGE,
                              "convert takes one input and one output; for several inputs: cellpipe batch IN... "
                              "--out-dir DIR");
    }
    struct plan plan;
    const char *out = request.words.items[count - 1], *reader = NULL;
    if (conversion.compares)
        status = find_reader(cli, request.to, out, &reader);
    if (status == CP_OK)
        status = plan_conversion(cli, &request, bang, request.words.items[0], &lists, out, &plan);
    if (status == CP_OK)
        status = share_error(cli, &plan);
    if (status != CP_OK)
        return status;
    plan.compare_by = reader;
    return run_plan(cli, &plan);
}

static const cp_option convert_options[] = {
    {"--compare-back", "read the output again and compare it with what was to be written; ends with 1 if they differ",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct conversion, compares)},
    CP_OPTIONS_END};

const struct command convert_command = {
    .name = "convert",
    .title = "convert a file to another format",
    .usage = "IN [LIST]... OUT [--compare-back] [! FILTER [K=V]...]...",
    .help =
        "The bytes of the input decide its format, the suffix of the output decides the other. .gz after any suffix "
        "compresses. - is standard input or output. Each ! adds a filter, which changes the scene in between. A LIST "
        "(.srdf, or a collision setup) is read beside the input: its names are the input's frames. batch converts many "
        "files.",
    .examples = "cellpipe convert cell.wu cell.glb\n"
                "cellpipe convert part.stl part.wrl --in unit=mm ! weld ! normals",
    .options = convert_options,
    .reads = true,
    .writes = true,
    .run = command_convert};

/* convert, run and a filter as a command: three ways to say a chain of steps. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A terminal where a file or pipe should be: somebody forgot to name the input. */
static cp_status check_stdin(struct cli *cli)
{
    if (isatty(STDIN_FILENO))
        return complain(cli, CP_USAGE, "standard input is a terminal: name a file, or pipe one in");
    return CP_OK;
}

/* ---- a filter ---- */

cp_status command_filter(struct cli *cli)
{
    struct request request;
    struct steps steps;
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
    if (status == CP_OK && !steps_open(cli, &steps, 3))
        status = CP_LIMIT;
    if (status == CP_OK)
        status = add_read(cli, &steps, &(struct step){STEP_READ, in, request.from, request.in});
    if (status != CP_OK)
        return status;
    status = add_named_filter(cli, &steps, &(struct step){STEP_FILTER, cli->words.items[0], NULL, request.settings});
    if (status != CP_OK)
        return status;
    status = add_write(cli, &steps, &(struct step){STEP_WRITE, out, request.to, request.out}, true);
    return status == CP_OK ? run_steps(cli, &steps) : status;
}

/* ---- run ---- */

static cp_status add_run_read(struct cli *cli, struct steps *steps, size_t begin, size_t end)
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
    return add_read(cli, steps, &(struct step){STEP_READ, request.words.items[0], request.from, request.in});
}

static cp_status add_run_write(struct cli *cli, struct steps *steps, size_t begin, size_t end)
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
    return add_write(cli, steps, &(struct step){STEP_WRITE, request.words.items[0], request.to, request.out}, false);
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

static cp_status add_run_step(struct cli *cli, struct steps *steps, size_t begin, size_t end)
{
    const char *word = begin < end ? cli->words.items[begin] : "";
    if (strcmp(word, "read") == 0)
        return add_run_read(cli, steps, begin, end);
    if (steps->count == 0)
        return complain(cli, CP_USAGE, "the first step must be: read IN");
    if (strcmp(word, "write") == 0)
        return add_run_write(cli, steps, begin, end);
    if (*word && *word != '-' && plugin_named(CP_FILTER, word) == SIZE_MAX)
        return complain_step(cli, word);
    return add_filter(cli, steps, begin, end);
}

cp_status command_run(struct cli *cli)
{
    struct steps steps;
    if (!steps_open(cli, &steps, cli->words.count))
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (size_t begin = 1; begin <= cli->words.count && status == CP_OK;) {
        size_t end = find_bang(cli, begin);
        status = add_run_step(cli, &steps, begin, end);
        begin = end + 1;
    }
    if (status != CP_OK)
        return status;
    if (steps.items[steps.count - 1].kind != STEP_WRITE)
        return complain(cli, CP_USAGE, "the last step must be: write OUT");
    return run_steps(cli, &steps);
}

/* ---- convert ---- */

/* One conversion on its way. */
struct job {
    const struct request *request;
    size_t bang; /* where the filters begin */
    const char *in, *out;
};

static cp_status plan_one(struct cli *cli, const struct job *job, struct steps *steps)
{
    const struct request *request = job->request;
    if (!steps_open(cli, steps, cli->words.count + 2))
        return CP_LIMIT;
    cp_status status = add_read(cli, steps, &(struct step){STEP_READ, job->in, request->from, request->in});
    if (status == CP_OK)
        status = add_filters(cli, steps, job->bang);
    if (status == CP_OK)
        status = add_write(cli, steps, &(struct step){STEP_WRITE, job->out, request->to, request->out}, false);
    return status;
}

static cp_status convert_one(struct cli *cli, const struct job *job)
{
    struct steps steps;
    cp_status status = plan_one(cli, job, &steps);
    return status == CP_OK ? run_steps(cli, &steps) : status;
}

/* Makes the folder and those above it. */
static cp_status make_folder(struct cli *cli, const char *folder)
{
    char *path = cli_allocate(cli, strlen(folder) + 1);
    if (!path)
        return CP_LIMIT;
    strcpy(path, folder);
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(path, 0777);
            *at = '/';
        }
    struct stat facts;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return CP_OK;
    return complain(cli, CP_OUTPUT, "the folder %s cannot be made: %s", folder, strerror(errno));
}

static const char *output_path(struct cli *cli, const char *folder, const char *in, const char *suffix)
{
    const char *stem = path_stem(cli, in);
    size_t size = stem ? strlen(folder) + strlen(stem) + strlen(suffix) + 2 : 0;
    char *path = stem ? cli_allocate(cli, size) : NULL;
    if (path)
        (void)snprintf(path, size, "%s/%s%s", folder, stem, suffix);
    return path;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Inputs of the same name in different folders would overwrite each other's output. */
static cp_status check_distinct(struct cli *cli, const struct list *outputs)
{
    const char **sorted = cli_allocate(cli, outputs->count * sizeof *sorted);
    if (!sorted)
        return CP_LIMIT;
    memcpy(sorted, outputs->items, outputs->count * sizeof *sorted);
    qsort(sorted, outputs->count, sizeof *sorted, compare_words);
    for (size_t i = 1; i < outputs->count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return complain(cli, CP_USAGE, "two inputs would both be written to %s", sorted[i]);
    return CP_OK;
}

static cp_status plan_outputs(struct cli *cli, const struct request *request, struct list *outputs)
{
    char suffix[32];
    output_suffix(request->to, suffix, sizeof suffix);
    for (size_t i = 0; i < request->words.count; i++) {
        if (strcmp(request->words.items[i], "-") == 0)
            return complain(cli, CP_USAGE, "standard input has no name for an output in %s", request->out_dir);
        const char *path = output_path(cli, request->out_dir, request->words.items[i], suffix);
        if (!path || !list_add(cli, outputs, path))
            return CP_LIMIT;
    }
    return check_distinct(cli, outputs);
}

/* Each input for itself: a failed one does not keep the others from being converted. */
static cp_status convert_all(struct cli *cli, const struct request *request, size_t bang, const struct list *outputs)
{
    size_t failed = 0;
    cli->progress.inputs = outputs->count;
    for (size_t i = 0; i < outputs->count; i++) {
        cli->progress.input = i + 1;
        cp_status status = convert_one(cli, &(struct job){request, bang, request->words.items[i], outputs->items[i]});
        if (status == CP_BUG || status == CP_CANCELLED)
            return status;
        failed += status != CP_OK;
    }
    if (failed == 0)
        return CP_OK;
    return complain(cli, CP_NO, "%zu of %zu inputs failed", failed, outputs->count);
}

/* In bulk, inputs may come from strangers: confined unless --confine=no was said. */
static cp_status convert_into_folder(struct cli *cli, struct request *request, size_t bang)
{
    struct list outputs = {0};
    struct steps trial;
    if (!request->to)
        request->to = "glb";
    if (!exporter_named(request->to))
        return complain_unknown(cli, "output format", request->to, plugin_words(cli, CP_EXPORTER));
    if (!cli->confine_said)
        cp_set_flag(cli->context, CP_FLAG_CONFINE, true);
    cp_status status = plan_outputs(cli, request, &outputs);
    if (status == CP_OK) /* a misspelt word is one mistake, not one an input */
        status = plan_one(cli, &(struct job){request, bang, request->words.items[0], outputs.items[0]}, &trial);
    if (status == CP_OK)
        status = make_folder(cli, request->out_dir);
    return status == CP_OK ? convert_all(cli, request, bang, &outputs) : status;
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
    if (count > 2)
        return complain(cli, CP_USAGE, "convert takes one input and one output; for several inputs give --out-dir DIR");
    return convert_one(cli, &(struct job){&request, bang, request.words.items[0], request.words.items[1]});
}

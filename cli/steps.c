/* A chain of steps: what convert, run and the filters all come to. */
#include "cli.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- formats ---- */

size_t plugin_named(cp_plugin_kind kind, const char *name)
{
    for (size_t i = 0; i < cp_plugin_count(kind); i++)
        if (strcmp(cp_plugin_at(kind, i).name, name) == 0)
            return i;
    return SIZE_MAX;
}

static size_t size_without_gz(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcasecmp(path + size - 3, ".gz") == 0 ? size - 3 : size;
}

const char *exporter_named(const char *word)
{
    size_t size = size_without_gz(word);
    for (size_t i = 0; i < cp_plugin_count(CP_EXPORTER); i++) {
        const char *name = cp_plugin_at(CP_EXPORTER, i).name;
        if (strlen(name) == size && strncmp(name, word, size) == 0)
            return name;
    }
    char path[32] = ".";
    if (strlen(word) + 2 > sizeof path)
        return NULL;
    strcat(path, word + (*word == '.'));
    size_t index = cp_exporter_of(path);
    return index == SIZE_MAX ? NULL : cp_plugin_at(CP_EXPORTER, index).name;
}

size_t exporter_for(const char *format, const char *path)
{
    const char *name = format ? exporter_named(format) : strcmp(path, "-") == 0 ? "glb" : NULL;
    return name ? plugin_named(CP_EXPORTER, name) : cp_exporter_of(path);
}

/* True when ".word" is one of the suffixes ".a .b". */
static bool has_suffix(const char *suffixes, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = suffixes; *at; at += *at == ' ') {
        size_t size = strcspn(at, " ");
        if (size == length + 1 && strncasecmp(at + 1, word, length) == 0)
            return true;
        at += size;
    }
    return false;
}

/* The importer by name, or else the first that has the suffix ("glb" or ".glb"); NULL when there is none. */
static const char *importer_named(const char *word)
{
    if (plugin_named(CP_IMPORTER, word) != SIZE_MAX)
        return word;
    for (size_t i = 0; i < cp_plugin_count(CP_IMPORTER); i++)
        if (has_suffix(cp_plugin_at(CP_IMPORTER, i).suffixes, word + (*word == '.')))
            return cp_plugin_at(CP_IMPORTER, i).name;
    return NULL;
}

void output_suffix(const char *word, char *out, size_t size)
{
    size_t index = plugin_named(CP_EXPORTER, word);
    const char *suffixes = index == SIZE_MAX ? word : cp_plugin_at(CP_EXPORTER, index).suffixes;
    (void)snprintf(out, size, "%s%.*s", *suffixes == '.' ? "" : ".", (int)strcspn(suffixes, " "), suffixes);
}

static bool has_stage_profile(size_t exporter)
{
    size_t count = cp_plugin_at(CP_EXPORTER, exporter).option_count;
    for (size_t i = 0; i < count; i++) {
        cp_option_info option = cp_plugin_option(CP_EXPORTER, exporter, i);
        if (strcmp(option.name, "profile") == 0)
            return option.choices && strstr(option.choices, "stage") != NULL;
    }
    return false;
}

/* A profile, or what is for viewers by its nature. */
static bool says_profile(const struct list *settings)
{
    static const char *const web[] = {"web", "web=yes", "web=true", "web=on", "web=1", NULL};
    for (size_t i = 0; i < settings->count; i++) {
        if (strncmp(settings->items[i], "profile=", 8) == 0)
            return true;
        for (size_t k = 0; web[k]; k++)
            if (strcmp(settings->items[i], web[k]) == 0)
                return true;
    }
    return false;
}

const char *path_stem(struct cli *cli, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = size_without_gz(name);
    for (size_t i = size; i-- > 1;)
        if (name[i] == '.') {
            size = i;
            break;
        }
    char *stem = cli_allocate(cli, size + 1);
    if (stem)
        memcpy(stem, name, size);
    return stem;
}

/* ---- making a chain ---- */

/* What is misspelt is said before anything is read. */
static cp_status check_settings(struct cli *cli, cp_plugin_kind kind, const char *name, const struct list *settings)
{
    cp_status status = cp_check_options(cli->context, kind, name, settings->items, settings->count);
    if (status != CP_OK)
        flush_report(cli, status);
    return status;
}

size_t find_bang(const struct cli *cli, size_t begin)
{
    while (begin < cli->words.count && strcmp(cli->words.items[begin], "!") != 0)
        begin++;
    return begin;
}

bool steps_open(struct cli *cli, struct steps *steps, size_t room)
{
    *steps = (struct steps){.items = cli_allocate(cli, room * sizeof *steps->items)};
    return steps->items != NULL;
}

cp_status add_named_filter(struct cli *cli, struct steps *steps, const struct step *filter)
{
    steps->items[steps->count++] = *filter;
    return check_settings(cli, CP_FILTER, filter->name, &filter->settings);
}

cp_status add_filter(struct cli *cli, struct steps *steps, size_t begin, size_t end)
{
    struct request request;
    if (begin == end)
        return complain(cli, CP_USAGE, "a filter's name is missing after \"!\"");
    cp_status status = sort_words(cli, begin, end, 0, &request);
    if (status != CP_OK)
        return status;
    const char *name = request.words.items[0];
    if (plugin_named(CP_FILTER, name) == SIZE_MAX)
        return complain_unknown(cli, "filter", name, plugin_words(cli, CP_FILTER));
    struct list settings = {request.words.items + 1, request.words.count - 1, 0};
    return add_named_filter(cli, steps, &(struct step){STEP_FILTER, name, NULL, settings});
}

cp_status add_filters(struct cli *cli, struct steps *steps, size_t begin)
{
    cp_status status = CP_OK;
    while (status == CP_OK && begin < cli->words.count) {
        size_t end = find_bang(cli, begin + 1);
        status = add_filter(cli, steps, begin + 1, end);
        begin = end;
    }
    return status;
}

cp_status add_read(struct cli *cli, struct steps *steps, const struct step *read)
{
    struct step step = *read;
    if (read->format)
        step.format = importer_named(read->format);
    if (read->format && !step.format)
        return complain_unknown(cli, "input format", read->format, plugin_words(cli, CP_IMPORTER));
    steps->items[steps->count++] = step;
    return step.format ? check_settings(cli, CP_IMPORTER, step.format, &step.settings) : CP_OK;
}

/* "wrl.gz" is "vrml97.gz"; a compressed VRML file has a suffix of its own. */
static const char *packed_format(struct cli *cli, const char *word, const char *name)
{
    size_t size = strlen(word), plain = size_without_gz(word);
    bool packed = plain < size || strcasecmp(word + (*word == '.'), "wrz") == 0;
    if (!packed)
        return name;
    char *format = cli_allocate(cli, strlen(name) + sizeof ".gz");
    if (format)
        strcat(strcpy(format, name), ".gz");
    return format;
}

/* Standard output has no suffix: glb, the format between stages, is its default. */
static cp_status choose_format(struct cli *cli, struct step *write)
{
    if (write->format) {
        const char *name = exporter_named(write->format);
        if (!name)
            return complain_unknown(cli, "output format", write->format, plugin_words(cli, CP_EXPORTER));
        write->format = packed_format(cli, write->format, name);
        return write->format ? CP_OK : CP_LIMIT;
    }
    if (strcmp(write->name, "-") != 0)
        return CP_OK;
    write->format = "glb";
    if (isatty(STDOUT_FILENO))
        return complain(cli, CP_USAGE, "standard output is a terminal: name a file, or pipe it on");
    return CP_OK;
}

cp_status add_write(struct cli *cli, struct steps *steps, const struct step *write, bool stage)
{
    struct step step = *write;
    cp_status status = choose_format(cli, &step);
    if (status != CP_OK)
        return status;
    size_t exporter = exporter_for(step.format, step.name);
    if (exporter == SIZE_MAX)
        return complain(cli, CP_USAGE, "%s: the suffix names no output format (--to names one)", step.name);
    bool to_stage = stage || strcmp(step.name, "-") == 0;
    if (to_stage && has_stage_profile(exporter) && !says_profile(&step.settings)) {
        struct list settings = {0}; /* a copy: the list may be shared by several steps */
        bool good = list_add(cli, &settings, "profile=stage");
        for (size_t i = 0; i < step.settings.count && good; i++)
            good = list_add(cli, &settings, step.settings.items[i]);
        if (!good)
            return CP_LIMIT;
        step.settings = settings;
    }
    steps->items[steps->count++] = step;
    return check_settings(cli, CP_EXPORTER, cp_plugin_at(CP_EXPORTER, exporter).name, &step.settings);
}

/* ---- carrying it out ---- */

cp_status finish_read(struct cli *cli, cp_status status, cp_scene **scene)
{
    clear_progress(cli); /* standard output may be the same terminal */
    if (status == CP_OK)
        status = check_report_unread(cli);
    if (status != CP_OK) {
        cp_scene_free(*scene);
        *scene = NULL;
    }
    return status;
}

cp_status read_scene(struct cli *cli, const struct step *read, cp_scene **scene)
{
    return finish_read(
        cli, cp_read(cli->context, read->name, read->format, read->settings.items, read->settings.count, scene), scene);
}

/* A second read is added below a node named after its file. */
static cp_status read_step(struct cli *cli, const struct step *step, cp_scene **scene)
{
    cp_scene *other = NULL;
    cp_status status = read_scene(cli, step, &other);
    if (status != CP_OK || !*scene) {
        *scene = status == CP_OK ? other : *scene;
        return status;
    }
    const char *name = path_stem(cli, step->name);
    status = name ? cp_merge(cli->context, *scene, other, name) : CP_LIMIT;
    cp_scene_free(other);
    return status;
}

static cp_status run_step(struct cli *cli, const struct step *step, cp_scene **scene)
{
    switch (step->kind) {
    case STEP_READ:
        return read_step(cli, step, scene);
    case STEP_FILTER:
        return cp_apply(cli->context, *scene, step->name, step->settings.items, step->settings.count);
    case STEP_WRITE:
        return cp_write(cli->context, *scene, step->name, step->format, step->settings.items, step->settings.count);
    }
    return CP_BUG;
}

/* Of the first output: what others need may be made on the way to them. */
static cp_status expect_output(struct cli *cli, const struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].kind == STEP_WRITE)
            return cp_expect_output(cli->context, steps->items[i].name);
    return CP_OK;
}

cp_status run_steps(struct cli *cli, const struct steps *steps)
{
    cp_scene *scene = NULL;
    cp_status status = expect_output(cli, steps);
    for (size_t i = 0; i < steps->count && status == CP_OK; i++)
        status = run_step(cli, &steps->items[i], &scene);
    cp_scene_free(scene);
    flush_report(cli, status);
    return status;
}

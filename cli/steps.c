/* Makes the steps of a plan from words, and carries them out. */
#include "plan.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- making a plan ---- */

/* Checks the options, so that a misspelt one is reported before anything is read. name: of the format or filter; NULL:
 * the file's bytes decide. */
static cp_status check_options(struct cli *cli, cp_plugin_kind kind, const char *name, const struct list *options)
{
    struct option_places places = {kind != CP_IMPORTER, kind != CP_EXPORTER, SIZE_MAX};
    size_t plugin = name ? plugin_named(kind, name) : SIZE_MAX;
    cp_option_info option;
    cp_status status = CP_OK;
    for (size_t i = 0; i < options->count && status == CP_OK; i++)
        if (!(name ? plugin_has(kind, plugin, options->items[i], &option) : any_plugin_has(kind, options->items[i])))
            status = check_place(cli, places, name ? name : "the input's format", options->items[i]);
    if (status != CP_OK || !name)
        return status;
    status = cp_check_options(cli->context, kind, name, options->items, options->count);
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

static void add_step(struct cli *cli, struct plan *plan, struct plan_step step)
{
    plan->steps[plan->count++] = step;
    plan->globals = cli->globals; /* words of a step may have added to them */
}

cp_status add_read(struct cli *cli, struct plan *plan, const char *path, const char *format, struct list options)
{
    const char *name = format ? importer_named(format) : NULL;
    const char *node = plan->count > 0 ? path_stem(cli, path) : NULL;
    if (format && !name)
        return complain_unknown(cli, "input format", format, plugin_words(cli, CP_IMPORTER));
    if (plan->count > 0 && !node)
        return CP_LIMIT;
    add_step(cli, plan, (struct plan_step){plan->count > 0 ? STEP_MERGE : STEP_READ, path, name, node, options});
    return check_options(cli, CP_IMPORTER, name, &options);
}

cp_status add_filter(struct cli *cli, struct plan *plan, const char *name, struct list options)
{
    add_step(cli, plan, (struct plan_step){STEP_FILTER, name, NULL, NULL, options});
    return check_options(cli, CP_FILTER, name, &options);
}

cp_status add_filter_words(struct cli *cli, struct plan *plan, size_t begin, size_t end)
{
    static const struct command filter_step = {.name = "!"}; /* without flags; K=V are words */
    struct request request = {0};
    if (begin == end)
        return complain(cli, CP_USAGE, "a filter's name is missing after \"!\"");
    cp_status status = sort_words(cli, begin, end, &filter_step, &request);
    if (status != CP_OK)
        return status;
    const char *name = request.words.items[0];
    if (plugin_named(CP_FILTER, name) == SIZE_MAX)
        return complain_unknown(cli, "filter", name, plugin_words(cli, CP_FILTER));
    return add_filter(cli, plan, name, (struct list){request.words.items + 1, request.words.count - 1, 0});
}

/* Tells whether the settings give a profile, or an option that only viewers need. */
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

static cp_status complain_output(struct cli *cli, const char *path)
{
    const char *known = "";
    for (size_t i = 0; i < plugin_count(CP_EXPORTER) && known; i++)
        known = cli_print(cli, "%s%s%s", known, *known ? ", " : "", plugin_at(CP_EXPORTER, i).name);
    return known ? complain(cli, CP_USAGE, "%s: the suffix does not name an output format; --to names one: %s", path,
                            known)
                 : CP_LIMIT;
}

cp_status add_write(struct cli *cli, struct plan *plan, const char *path, const char *format, struct list options,
                    bool stage)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = format ? exporter_named(format) : standard ? "glb" : NULL;
    if (format && !name)
        return complain_unknown(cli, "output format", format, plugin_words(cli, CP_EXPORTER));
    if (standard && !format && isatty(STDOUT_FILENO))
        return complain(cli, CP_USAGE, "standard output is a terminal: name a file, or pipe it on");
    size_t exporter = exporter_for(name, path);
    if (exporter == SIZE_MAX)
        return complain_output(cli, path);
    struct plan_step step = {STEP_WRITE, path, format ? packed_format(cli, format, name) : name, NULL, options};
    if (format && !step.format)
        return CP_LIMIT;
    cp_option_info profile;
    bool has_stage =
        plugin_has(CP_EXPORTER, exporter, "profile", &profile) && profile.choices && strstr(profile.choices, "stage");
    if ((stage || standard) && has_stage && !says_profile(&options)) {
        struct list with_profile = {0}; /* a copy: the list may be shared by several steps */
        bool good = list_add(cli, &with_profile, "profile=stage");
        for (size_t i = 0; i < options.count && good; i++)
            good = list_add(cli, &with_profile, options.items[i]);
        if (!good)
            return CP_LIMIT;
        step.options = with_profile;
    }
    add_step(cli, plan, step);
    return check_options(cli, CP_EXPORTER, plugin_at(CP_EXPORTER, exporter).name, &step.options);
}

cp_status add_lists(struct cli *cli, struct plan *plan, const char *const *paths, size_t count)
{
    cp_status status = CP_OK;
    for (size_t i = 0; i < count && status == CP_OK; i++)
        status = add_read(cli, plan, paths[i], NULL, (struct list){0});
    return status;
}

cp_status plan_conversion(struct cli *cli, const struct request *request, size_t bang, const char *in,
                          const struct list *beside, const char *out, struct plan *plan)
{
    size_t lists = beside ? beside->count : 0;
    if (!plan_open(cli, plan, cli->words.count - bang + 2 + lists))
        return CP_LIMIT;
    cp_status status = add_read(cli, plan, in, request->from, request->in);
    if (status == CP_OK && lists > 0)
        status = add_lists(cli, plan, beside->items, lists);
    for (size_t end; status == CP_OK && bang < cli->words.count; bang = end) {
        end = find_bang(cli, bang + 1);
        status = add_filter_words(cli, plan, bang + 1, end);
    }
    if (status == CP_OK)
        status = add_write(cli, plan, out, request->to, request->out, false);
    return status;
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

static cp_status read_file(struct cli *cli, const struct plan_step *step, cp_scene **scene)
{
    cp_status status = cp_read(cli->context, step->name, step->format, step->options.items, step->options.count, scene);
    return finish_read(cli, status, scene);
}

cp_status read_input(struct cli *cli, const char *path, const struct request *request, cp_scene **scene)
{
    struct plan plan;
    *scene = NULL;
    cp_status status = plan_open(cli, &plan, 1) ? add_read(cli, &plan, path, request->from, request->in) : CP_LIMIT;
    return status == CP_OK ? read_file(cli, &plan.steps[0], scene) : status;
}

/* Counts the triangles after a step, for the listener. */
static void count_triangles(struct cli_listener *listener, const struct plan_step *step, const cp_scene *scene)
{
    uint32_t count;
    uint64_t triangles = 0;
    const cp_instance *instances = cp_instances(scene, &count);
    const cp_mesh *meshes = cp_meshes(scene, &(uint32_t){0});
    for (uint32_t i = 0; i < count; i++)
        if (instances[i].use & CP_USE_DRAWN)
            triangles += cp_mesh_triangles(&meshes[instances[i].mesh]);
    listener->triangles_out = triangles;
    if (step->kind != STEP_FILTER)
        listener->triangles_in = triangles;
}

/* "3,498" */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *out = text;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

/* Prints what was written, on a terminal: "wrote cell.glb: 3,498 triangles, 7 clips, 69 kB". */
static void say_written(struct cli *cli, const char *path)
{
    cp_written written = cp_last_written(cli->context);
    char text[32];
    if (!cli->progress.wanted || strcmp(path, "-") == 0)
        return;
    clear_progress(cli);
    fprintf(cli->messages, "wrote ");
    print_shown(cli->messages, path);
    fprintf(cli->messages, ": ");
    if (written.triangles > 0)
        fprintf(cli->messages, "%s triangle%s, ", grouped(written.triangles, text), plural(written.triangles));
    if (written.clips > 0)
        fprintf(cli->messages, "%s clip%s, ", grouped(written.clips, text), plural(written.clips));
    if (written.bytes < 1000)
        fprintf(cli->messages, "%s byte%s\n", grouped(written.bytes, text), plural(written.bytes));
    else if (written.bytes < 9950000)
        fprintf(cli->messages, "%s kB\n", grouped((written.bytes + 500) / 1000, text));
    else
        fprintf(cli->messages, "%.1f MB\n", (double)written.bytes / 1e6);
}

/* Applies a filter. After Ctrl-C, the decisions of exclude are still written, but not in a batch of many inputs. */
static cp_status apply_filter(struct cli *cli, cp_scene *scene, const struct plan_step *step)
{
    want_results(!cli->listener && strcmp(step->name, "exclude") == 0);
    cp_status status = cp_apply(cli->context, scene, step->name, step->options.items, step->options.count);
    if (!must_end_search(NULL) || status != CP_OK)
        want_results(false);
    return status;
}

cp_status sweep_folder(struct cli *cli, const char *path)
{
    char below[4096]; /* a longer path is no folder of Linux */
    const struct dirent *item;
    DIR *folder = opendir(path);
    if (!folder) /* a failure here does not prevent the writing */
        return CP_OK;
    cp_status status = cp_sweep(cli->context, path, &(size_t){0});
    while (status != CP_LIMIT && (item = readdir(folder)))
        if (strncmp(item->d_name, "d_", 2) == 0 &&
            snprintf(below, sizeof below, "%s/%s", path, item->d_name) < (int)sizeof below && access(below, R_OK) == 0)
            status = cp_sweep(cli->context, below, &(size_t){0});
    (void)closedir(folder);
    return status == CP_LIMIT ? status : CP_OK;
}

/* Returns the bytes of a path that are its folder and a slash. */
static int size_of_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Removes temporary files that killed writers left in the output's folder; batch does that before its workers write.
 * Only a writer that needs a temporary name does so, once in each folder of the plan: to list a large folder for each
 * added file would take long. */
static cp_status sweep_beside(struct cli *cli, const struct plan *plan, size_t write)
{
    const char *out = plan->steps[write].name;
    int size = size_of_folder(out);
    if (strcmp(out, "-") == 0 || cli->listener || !cp_needs_temporary_name(cli->context, out))
        return CP_OK;
    for (size_t i = 0; i < write; i++)
        if (plan->steps[i].kind == STEP_WRITE && size_of_folder(plan->steps[i].name) == size &&
            strncmp(plan->steps[i].name, out, (size_t)size) == 0)
            return CP_OK;
    const char *folder = size > 0 ? cli_print(cli, "%.*s", size, out) : ".";
    return folder ? sweep_folder(cli, folder) : CP_LIMIT;
}

/* Adds a file to the scene: what a list says of the scene's frames, or another scene. */
static cp_status merge_file(struct cli *cli, cp_scene *scene, const struct plan_step *step)
{
    cp_scene *other = NULL;
    cp_status status = CP_NO;
    if (step->format ? is_list_format(step->format) : has_list_suffix(step->name))
        status =
            cp_read_beside(cli->context, scene, step->name, step->format, step->options.items, step->options.count);
    if (status != CP_NO) {
        clear_progress(cli);
        return status;
    }
    status = read_file(cli, step, &other);
    if (status == CP_OK)
        status = cp_merge(cli->context, scene, other, step->node);
    cp_scene_free(other);
    return status;
}

/* Carries out the steps. */
static cp_status run_steps(struct cli *cli, const struct plan *plan)
{
    cp_scene *scene = NULL;
    cp_status status = CP_OK;
    size_t write = 0; /* the first one: what others need may be made on the way to them */
    while (write < plan->count && plan->steps[write].kind != STEP_WRITE)
        write++;
    if (write < plan->count)
        status = cp_expect_output(cli->context, plan->steps[write].name);
    for (size_t i = 0; i < plan->count && status == CP_OK; i++) {
        const struct plan_step *step = &plan->steps[i];
        const char *const *options = step->options.items;
        switch (step->kind) {
        case STEP_READ:
            status = read_file(cli, step, &scene);
            break;
        case STEP_MERGE:
            status = merge_file(cli, scene, step);
            break;
        case STEP_FILTER:
            status = apply_filter(cli, scene, step);
            break;
        case STEP_WRITE:
            status = sweep_beside(cli, plan, i);
            if (status == CP_OK)
                status = cp_write(cli->context, scene, step->name, step->format, options, step->options.count);
            if (status == CP_OK)
                say_written(cli, step->name);
            if (status == CP_OK && plan->compare_by)
                status = compare_back(cli, scene, step, plan->compare_by);
            break;
        }
        if (cli->listener && status == CP_OK && step->kind != STEP_WRITE)
            count_triangles(cli->listener, step, scene);
        if (cli->listener && status == CP_OK && step->kind == STEP_READ)
            status = cp_find_shape(cli->context, scene, &cli->listener->shape);
    }
    cp_scene_free(scene);
    return status;
}

cp_status run_plan(struct cli *cli, const struct plan *plan)
{
    struct plan fitted;
    cp_status status = fit_budget(cli, plan, &fitted);
    if (status == CP_OK)
        status = run_steps(cli, &fitted);
    flush_report(cli, status);
    return status;
}

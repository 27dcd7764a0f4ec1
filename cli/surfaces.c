/* Exact surfaces (of STEP) as triangles for the web: the reader gets its part of the error that the output may have,
 * since it makes fewer triangles for an error than simplification does of triangles that are too fine. */
#include "plan.h"

#include <string.h>
#include <strings.h>

/* The reader's part of error=; the rest is for integers as positions and for simplification. Of 0.3, 0.5, 0.6, 0.75 and
 * 0.85 this gives the smallest files. */
static const double reader_part = 0.85;

/* An output for the web may ask for an error or a budget. */
struct web_goal {
    bool web;
    double error;   /* metres; 0: not given */
    int64_t budget; /* bytes; 0: not given */
};

static const cp_option goal_options[] = {
    {"web", "", CP_OPTION_BOOLEAN, offsetof(struct web_goal, web), .initial = "no"},
    {"error", "", CP_OPTION_LENGTH, offsetof(struct web_goal, error), "0", .maximum = 1e9},
    {"budget", "", CP_OPTION_SIZE, offsetof(struct web_goal, budget), "0", .maximum = 1e15}};

/* Tells whether "NAME=VALUE" or "NAME" is the option's, with or without a format before it ("step.error=1mm"). */
static bool is_option(const char *word, const char *name)
{
    size_t size = strcspn(word, "=");
    const char *point = memchr(word, '.', size);
    const char *begin = point ? point + 1 : word;
    return (size_t)(word + size - begin) == strlen(name) && strncmp(begin, name, strlen(name)) == 0;
}

static cp_status read_goal(struct cli *cli, const struct list *options, struct web_goal *goal)
{
    cp_status status = CP_OK;
    *goal = (struct web_goal){0};
    for (size_t i = 0; i < options->count && status == CP_OK; i++)
        for (size_t k = 0; k < sizeof goal_options / sizeof *goal_options && status == CP_OK; k++)
            if (is_option(options->items[i], goal_options[k].name)) {
                const char *value = strchr(options->items[i], '=');
                status = cp_option_read(cli->context, &goal_options[k], value ? value + 1 : NULL, goal);
            }
    return status;
}

/* Tells whether the user says how surfaces become triangles. */
static bool says_tessellation(const struct list *options)
{
    static const char *const names[] = {"error", "deflection", "angle"};
    for (size_t i = 0; i < options->count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (is_option(options->items[i], names[k]))
                return true;
    return false;
}

/* Tells whether the importer makes triangles of surfaces, and can do that within an error. */
static bool tessellates(size_t importer)
{
    cp_option_info info;
    return plugin_has(CP_IMPORTER, importer, "deflection", &info) && plugin_has(CP_IMPORTER, importer, "error", &info);
}

/* Finds what the plan's output for the web asks for, if that is to decide how surfaces become triangles. */
static cp_status find_goal(struct cli *cli, const struct plan *plan, struct web_goal *goal)
{
    const struct plan_step *write = &plan->steps[plan->count - 1];
    cp_option_info info;
    *goal = (struct web_goal){0};
    if (!plugin_has(CP_EXPORTER, exporter_for(write->format, write->name), "error", &info) ||
        says_tessellation(&plan->steps[0].options) || says_tessellation(&plan->globals.importer_options))
        return CP_OK;
    cp_status status = read_goal(cli, &write->options, goal);
    if (!goal->web)
        *goal = (struct web_goal){0};
    return status;
}

/* ---- an error ---- */

cp_status share_error(struct cli *cli, struct plan *plan)
{
    struct web_goal goal;
    char metres[CP_NUMBER_SIZE];
    cp_status status = find_goal(cli, plan, &goal);
    if (status != CP_OK || !(goal.error > 0))
        return status;
    (void)cp_print_double(goal.error * reader_part, metres);
    for (size_t i = 0; i < plugin_count(CP_IMPORTER) && status == CP_OK; i++)
        if (tessellates(i)) {
            const char *option = cli_print(cli, "%s.error=%sm", plugin_at(CP_IMPORTER, i).name, metres);
            status = option ? add_input_option(cli, &(struct list){0}, option) : CP_LIMIT;
        }
    plan->globals = cli->globals;
    return status;
}

/* ---- a budget ---- */

/* The first try may have this part of the error that simplification needs for the budget, each further try the same
 * part of the one before. */
static const double next_part = 0.75;
enum { MOST_TRIES = 4 };

/* A conversion that is tried in memory. */
struct attempt {
    double budget;  /* bytes */
    double error;   /* metres; 0: whatever the budget takes */
    double reached; /* metres: how far the output is from the surfaces */
    bool fits;
};

/* Makes the options of a try: those of a step but for the budget, and the error. */
static bool add_options(struct cli *cli, const struct list *from, double error, struct list *to)
{
    char metres[CP_NUMBER_SIZE];
    for (size_t i = 0; i < from->count; i++)
        if (!(error > 0 && is_option(from->items[i], "budget")) && !list_add(cli, to, from->items[i]))
            return false;
    if (!(error > 0))
        return true;
    (void)cp_print_double(error, metres);
    const char *option = cli_print(cli, "error=%sm", metres);
    return option && list_add(cli, to, option);
}

static bool aim_steps(struct cli *cli, const struct plan *plan, double error, struct plan_step steps[2])
{
    for (int i = 0; i < 2; i++) {
        steps[i] = plan->steps[i];
        steps[i].options = (struct list){0};
        double own = i == 0 ? error * reader_part : error;
        if (!add_options(cli, &plan->steps[i].options, own, &steps[i].options))
            return false;
    }
    return true;
}

/* Reads and writes in a context of its own, so that nothing is reported. A failure is no fit. */
static cp_status try_conversion(struct cli *cli, const struct plan *plan, struct attempt *attempt)
{
    struct cli own = *cli;
    struct plan_step steps[2];
    cp_scene *scene = NULL;
    void *bytes = NULL;
    size_t size = 0;
    own.context = cp_context_new(NULL);
    if (!own.context || !aim_steps(cli, plan, attempt->error, steps)) {
        cp_context_free(own.context);
        return CP_LIMIT;
    }
    cp_set_cancel(own.context, must_stop, NULL);
    cp_set_flag(own.context, CP_FLAG_ISOLATE, own.isolate);
    cp_status status = use_globals(&own, &plan->globals);
    if (status == CP_OK)
        status = cp_read(own.context, steps[0].name, steps[0].format, steps[0].options.items, steps[0].options.count,
                         &scene);
    if (status == CP_OK)
        status =
            cp_write_memory(own.context, scene, "glb", steps[1].options.items, steps[1].options.count, &bytes, &size);
    attempt->reached = cp_last_written(own.context).deviation;
    attempt->fits = status == CP_OK && (double)size <= attempt->budget;
    cp_free(own.context, bytes, size);
    cp_scene_free(scene);
    cp_context_free(own.context);
    return status == CP_CANCELLED ? status : CP_OK;
}

/* Returns the importer that the step names, or the file's suffix; SIZE_MAX for none. */
static size_t importer_of(const struct plan_step *read)
{
    const char *slash = strrchr(read->name, '/'), *name = slash ? slash + 1 : read->name, *dot = strrchr(name, '.');
    if (dot && strcasecmp(dot, ".gz") == 0)
        while (dot > name && *--dot != '.')
            ;
    const char *importer = read->format ? read->format : dot ? importer_named(dot) : NULL;
    return importer ? plugin_named(CP_IMPORTER, importer) : SIZE_MAX;
}

/* Tells whether a file that is read and written without a filter between may have surfaces, by its suffix. */
static bool may_have_surfaces(const struct plan *plan)
{
    if (plan->count != 2 || strcmp(plan->steps[0].name, "-") == 0)
        return false;
    size_t exporter = exporter_for(plan->steps[1].format, plan->steps[1].name);
    size_t importer = importer_of(&plan->steps[0]);
    return importer != SIZE_MAX && tessellates(importer) && strcmp(plugin_at(CP_EXPORTER, exporter).name, "glb") == 0;
}

cp_status fit_budget(struct cli *cli, const struct plan *plan, struct plan *fitted)
{
    struct web_goal goal = {0};
    struct attempt attempt = {0};
    double best = 0;
    cp_status status = may_have_surfaces(plan) ? find_goal(cli, plan, &goal) : CP_OK;
    *fitted = *plan;
    if (status != CP_OK || goal.budget == 0)
        return status;
    attempt.budget = (double)goal.budget;
    status = try_conversion(cli, plan, &attempt);
    for (int i = 0; i < MOST_TRIES && status == CP_OK && attempt.fits && attempt.reached > 0; i++) {
        best = attempt.error;
        attempt.error = (best > 0 ? best : attempt.reached) * next_part;
        status = try_conversion(cli, plan, &attempt);
    }
    if (status == CP_OK && attempt.fits)
        best = attempt.error;
    if (status != CP_OK || best == 0)
        return status;
    fitted->steps = cli_allocate(cli, 2 * sizeof *fitted->steps);
    return fitted->steps && aim_steps(cli, plan, best, fitted->steps) ? CP_OK : CP_LIMIT;
}

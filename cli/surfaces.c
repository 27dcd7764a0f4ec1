/* Exact surfaces (of STEP) as triangles for the web: the reader gets its part of the error that the output may have,
 * since it makes fewer triangles for an error than simplification does of triangles that are too fine. */
#include "plan.h"

#include <string.h>

/* The reader's part of error=; the rest is for integers as positions and for simplification. Of 0.3, 0.5, 0.6, 0.75 and
 * 0.85 this gives the smallest files. */
static const double reader_part = 0.85;

/* What an output for the web asks for. */
struct web_goal {
    bool web;
    double error; /* metres; 0: not given */
};

static const cp_option goal_options[] = {
    {"web", "", CP_OPTION_BOOLEAN, offsetof(struct web_goal, web), .initial = "no"},
    {"error", "", CP_OPTION_LENGTH, offsetof(struct web_goal, error), "0", .maximum = 1e9}};

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

cp_status share_error(struct cli *cli, struct plan *plan)
{
    const struct plan_step *write = &plan->steps[plan->count - 1];
    struct web_goal goal;
    char metres[CP_NUMBER_SIZE];
    cp_option_info info;
    if (!plugin_has(CP_EXPORTER, exporter_for(write->format, write->name), "error", &info))
        return CP_OK;
    cp_status status = read_goal(cli, &write->options, &goal);
    if (status != CP_OK || !goal.web || !(goal.error > 0) || says_tessellation(&plan->steps[0].options) ||
        says_tessellation(&cli->globals.importer_options))
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

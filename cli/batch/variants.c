/* Makes the plans of inputs: what the command line says, and what the settings files of the library say of some. */
#include "batch.h"

#include <string.h>

/* Copies a list, so that adding to the copy leaves the other alone. */
static bool copy_list(struct cli *cli, const struct list *list, struct list *copy)
{
    bool good = true;
    *copy = (struct list){0};
    for (size_t i = 0; i < list->count && good; i++)
        good = list_add(cli, copy, list->items[i]);
    return good;
}

static bool add_options(struct cli *cli, struct list *list, const struct list *more)
{
    bool good = true;
    for (size_t i = 0; i < more->count && good; i++)
        good = list_add(cli, list, more->items[i]);
    return good;
}

/* Adds options of the reader: those of the file itself, or with a point those of one format wherever it is read. */
static bool add_reading(struct cli *cli, struct plan *plan, const struct list *options)
{
    bool good = true;
    for (size_t i = 0; i < options->count && good; i++) {
        const char *option = options->items[i];
        bool is_for_all = option[strcspn(option, ".=")] == '.';
        good = list_add(cli, is_for_all ? &plan->globals.importer_options : &plan->steps[0].options, option);
    }
    return good;
}

/* Adds options to the last filter of that name, or that filter behind all others. */
static bool add_filtering(struct cli *cli, struct plan *plan, const struct setting *setting)
{
    struct plan_step *write = &plan->steps[plan->count - 1];
    for (size_t i = plan->count; i-- > 0;) {
        struct plan_step *step = &plan->steps[i];
        if (step->kind == STEP_FILTER && strcmp(step->name, setting->filter) == 0)
            return add_options(cli, &step->options, &setting->options);
    }
    write[1] = write[0];
    plan->count++;
    write[0] = (struct plan_step){.kind = STEP_FILTER, .name = setting->filter};
    return add_options(cli, &write[0].options, &setting->options);
}

/* Makes a plan of its own of the general one, and adds the settings. */
static cp_status make_plan(struct cli *cli, const struct plan *general, const struct settings_group *group,
                           struct plan *plan)
{
    const bool writes = general->steps[general->count - 1].kind == STEP_WRITE;
    const uint32_t count = group ? group->count : 0;
    if (!plan_open(cli, plan, general->count + count))
        return CP_LIMIT;
    plan->globals = general->globals;
    plan->count = general->count;
    bool good = copy_list(cli, &general->globals.importer_options, &plan->globals.importer_options);
    for (size_t i = 0; i < general->count && good; i++) {
        plan->steps[i] = general->steps[i];
        good = copy_list(cli, &general->steps[i].options, &plan->steps[i].options);
    }
    for (uint32_t i = 0; i < count && good; i++) {
        const struct setting *setting = group->settings[i];
        if (setting->kind == SETTING_READ)
            good = add_reading(cli, plan, &setting->options);
        else if (writes && setting->kind == SETTING_FILTER)
            good = add_filtering(cli, plan, setting);
        else if (writes)
            good = add_options(cli, &plan->steps[plan->count - 1].options, &setting->options);
    }
    if (!good || !writes)
        return good ? CP_OK : CP_LIMIT;
    const struct globals globals = cli->globals; /* share_error adds to those of the plan alone */
    cli->globals = plan->globals;
    cp_status status = share_error(cli, plan);
    cli->globals = globals;
    return status;
}

cp_status make_variants(struct cli *cli, const struct plan *general, struct batch_work *work)
{
    const struct settings *settings = &work->settings;
    const uint32_t count = settings->group_count > 0 ? settings->group_count : 1;
    work->variants = cli_allocate(cli, count * sizeof *work->variants);
    cp_status status = work->variants ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        status =
            make_plan(cli, general, settings->group_count > 0 ? &settings->groups[i] : NULL, &work->variants[i].plan);
    return status;
}

const struct variant *variant_of(const struct batch_work *work, const struct entry *entry)
{
    return &work->variants[settings_of(&work->settings, (uint32_t)(entry - work->entries.items))];
}

void print_settings(const struct batch_work *work)
{
    const struct settings *settings = &work->settings;
    if (!settings->of)
        return;
    uint32_t count = work->entries.count - settings->groups[0].matches;
    printf("settings   of %u input%s, in %u file%s " SETTINGS_NAME "\n", count, plural(count), settings->file_count,
           plural(settings->file_count));
}

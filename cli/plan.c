/* A plan, and its text. */
#include "plan.h"

#include <string.h>

static const char *const step_words[] = {"read", "merge", "filter", "write"}; /* by step_kind */

/* A switch of all steps: its word in a plan, its place in the globals, and its flag in a context. */
static const struct switch_word {
    const char *word;
    size_t offset; /* of a bool */
    cp_flag flag;
} switch_words[] = {
    {"strict", offsetof(struct globals, strict), CP_FLAG_STRICT},
    {"confine", offsetof(struct globals, confine), CP_FLAG_CONFINE},
    {"no-clobber", offsetof(struct globals, no_clobber), CP_FLAG_NO_CLOBBER},
    {"sync", offsetof(struct globals, sync), CP_FLAG_SYNC},
};

static const struct list_word {
    const char *word;
    size_t offset; /* of a struct list */
    cp_status (*tell)(cp_context *context, const char *text);
} list_words[] = {
    {"limit", offsetof(struct globals, limits), cp_set_limit},
    {"importer", offsetof(struct globals, importer_options), cp_set_importer_option},
    {"include", offsetof(struct globals, folders), cp_add_include_folder},
    {"package", offsetof(struct globals, packages), cp_add_package_folder},
};

enum { SWITCH_WORDS = sizeof switch_words / sizeof *switch_words, LIST_WORDS = sizeof list_words / sizeof *list_words };

static bool is_on(const struct globals *globals, size_t i)
{
    return *(const bool *)((const char *)globals + switch_words[i].offset);
}

static const struct list *list_of(const struct globals *globals, size_t i)
{
    return (const struct list *)((const char *)globals + list_words[i].offset);
}

cp_status use_globals(struct cli *cli, const struct globals *globals)
{
    cp_status status = CP_OK;
    for (size_t i = 0; i < SWITCH_WORDS; i++)
        cp_set_flag(cli->context, switch_words[i].flag, is_on(globals, i));
    for (size_t i = 0; i < LIST_WORDS; i++)
        for (size_t k = 0; k < list_of(globals, i)->count && status == CP_OK; k++)
            status = list_words[i].tell(cli->context, list_of(globals, i)->items[k]);
    return status;
}

bool plan_open(struct cli *cli, struct plan *plan, size_t room)
{
    *plan = (struct plan){.steps = cli_allocate(cli, room * sizeof *plan->steps)};
    return plan->steps != NULL;
}

bool plan_between(struct cli *cli, const struct plan *plan, const char *in, const char *out, struct plan *moved)
{
    if (!plan_open(cli, moved, plan->count))
        return false;
    moved->globals = plan->globals;
    moved->count = plan->count;
    memcpy(moved->steps, plan->steps, plan->count * sizeof *plan->steps);
    moved->steps[0].name = in;
    moved->steps[plan->count - 1].name = out;
    return true;
}

/* ---- the text ---- */

/* Prints a blank and the string in quotes. */
static void print_string(const char *text, FILE *file)
{
    fputs(" \"", file);
    for (const char *at = text; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
            fprintf(file, "\\%02x", (unsigned)(unsigned char)*at);
        else
            fputc(*at, file);
    fputc('"', file);
}

static void print_after(const char *word, const char *text, FILE *file)
{
    if (text) {
        fprintf(file, " %s", word);
        print_string(text, file);
    }
}

void print_plan(const struct plan *plan, FILE *file)
{
    fputs("cellpipe plan 1\n", file);
    for (size_t i = 0; i < SWITCH_WORDS; i++)
        if (is_on(&plan->globals, i))
            fprintf(file, "%s\n", switch_words[i].word);
    for (size_t i = 0; i < LIST_WORDS; i++) {
        const struct list *list = list_of(&plan->globals, i);
        for (size_t k = 0; k < list->count; k++) {
            fputs(list_words[i].word, file);
            print_string(list->items[k], file);
            fputc('\n', file);
        }
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_step *step = &plan->steps[i];
        fputs(step_words[step->kind], file);
        print_string(step->name, file);
        print_after("as", step->format, file);
        print_after("below", step->node, file);
        if (step->options.count > 0)
            fputs(" with", file);
        for (size_t k = 0; k < step->options.count; k++)
            print_string(step->options.items[k], file);
        fputc('\n', file);
    }
}

/* Writes a plan as text, and reads it back. */
#include "plan.h"

#include <string.h>

static const char first_line[] = "cellpipe plan 1\n";
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

enum {
    STEP_WORDS = sizeof step_words / sizeof *step_words,
    SWITCH_WORDS = sizeof switch_words / sizeof *switch_words,
    LIST_WORDS = sizeof list_words / sizeof *list_words
};

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

/* ---- printing ---- */

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
    fputs(first_line, file);
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
        const struct step *step = &plan->steps[i];
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

/* ---- reading ---- */

struct reader {
    struct cli *cli;
    const char *at;
    bool out_of_memory;
};

/* Skips the word if it comes next. */
static bool take(struct reader *reader, const char *word)
{
    size_t size = strlen(word);
    bool found = strncmp(reader->at, word, size) == 0;
    reader->at += found ? size : 0;
    return found;
}

static int hexadecimal(char digit)
{
    const char *digits = "0123456789abcdef", *at = digit ? strchr(digits, digit) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Reads a blank and a string in quotes; NULL if there is none, or when out of memory. */
static const char *take_string(struct reader *reader)
{
    if (!take(reader, " \""))
        return NULL;
    size_t size = strcspn(reader->at, "\"\n");
    const char *end = reader->at + size;
    char *text = *end == '"' ? cli_allocate(reader->cli, size + 1) : NULL, *to = text;
    reader->out_of_memory |= *end == '"' && !text;
    for (; text && reader->at < end; to++, reader->at++) {
        int high = 0, low = *reader->at;
        if (low == '\\') {
            high = hexadecimal(reader->at[1]);
            low = high >= 0 ? hexadecimal(reader->at[2]) : -1;
            reader->at += 2;
        }
        if (high < 0 || low < 0 || 16 * high + low == 0)
            return NULL;
        *to = (char)(16 * high + low);
    }
    return text && take(reader, "\"") ? text : NULL;
}

static bool take_into(struct reader *reader, struct list *list)
{
    const char *text = take_string(reader);
    bool added = text && list_add(reader->cli, list, text);
    reader->out_of_memory |= text && !added;
    return added;
}

static bool read_line(struct reader *reader, struct plan *plan)
{
    char *globals = (char *)&plan->globals;
    for (size_t i = 0; i < SWITCH_WORDS; i++)
        if (take(reader, switch_words[i].word)) {
            *(bool *)(globals + switch_words[i].offset) = true;
            return take(reader, "\n");
        }
    for (size_t i = 0; i < LIST_WORDS; i++)
        if (take(reader, list_words[i].word))
            return take_into(reader, (struct list *)(globals + list_words[i].offset)) && take(reader, "\n");
    size_t kind = STEP_READ;
    while (kind < STEP_WORDS && ((kind == STEP_READ) != (plan->count == 0) || !take(reader, step_words[kind])))
        kind++;
    if (kind == STEP_WORDS)
        return false;
    struct step *step = &plan->steps[plan->count++];
    *step = (struct step){.kind = (enum step_kind)kind, .name = take_string(reader)};
    step->format = take(reader, " as") ? take_string(reader) : NULL;
    step->node = take(reader, " below") ? take_string(reader) : NULL;
    if (take(reader, " with"))
        while (take_into(reader, &step->options))
            ;
    return step->name && (step->node != NULL) == (kind == STEP_MERGE) && !(step->format && kind == STEP_FILTER) &&
           take(reader, "\n");
}

cp_status read_plan(struct cli *cli, const char *text, struct plan *plan)
{
    struct reader reader = {cli, text, false};
    size_t lines = 0, line = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    if (!plan_open(cli, plan, lines + 1))
        return CP_LIMIT;
    bool good = take(&reader, first_line);
    for (line = 1; good && *reader.at; line++)
        good = read_line(&reader, plan);
    if (reader.out_of_memory)
        return CP_LIMIT;
    if (!good)
        return complain(cli, CP_USAGE, "line %zu of the plan cannot be understood", line);
    if (plan->count == 0)
        return complain(cli, CP_USAGE, "the plan has no steps");
    /* A plan must be exactly as it is printed: it may parse well, but with settings in another order, or a letter as
     * \6c. */
    struct text printed;
    if (text_open(&printed))
        print_plan(plan, printed.file);
    cp_status status = !text_close(&printed)              ? complain(cli, CP_LIMIT, "out of memory")
                       : strcmp(printed.bytes, text) == 0 ? CP_OK
                                                          : complain(cli, CP_USAGE, "the plan is not as it is printed");
    text_free(&printed);
    return status;
}

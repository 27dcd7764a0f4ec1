/* The command line, read by the descriptions of commands: flags of any command first, then each command's words. */
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- options that several commands take ---- */

static cp_status take_report(struct cli *cli, void *settings, const char *path)
{
    (void)settings;
    if (strcmp(path, "-") == 0)
        return complain(cli, CP_USAGE, "--report needs a file: standard output carries the result");
    cli->report_path = path;
    return cli->log.file || text_open(&cli->log) ? CP_OK : complain(cli, CP_LIMIT, "out of memory");
}

static cp_status take_input_option(struct cli *cli, void *settings, const char *value)
{
    return add_input_option(cli, &((struct request *)settings)->in, value);
}

static const struct option global_options[] = {
    {"--strict", NULL, OPTION_SWITCH, offsetof(struct cli, globals.strict),
     .help = "end with 5 if something would be lost"},
    {"--report", "FILE", OPTION_CALL, 0, .take = take_report, .help = "write what happened to FILE, as JSON"},
    {"--confine", NULL, OPTION_SWITCH, offsetof(struct cli, globals.confine),
     .help = "read further files only from below the folders of the input, of -I and of --package; this is the "
             "default, and --confine=no lifts it"},
    {"--threads", "N", OPTION_INTEGER, offsetof(struct cli, threads), .minimum = 1, .maximum = CP_MOST_THREADS,
     .help = "use at most N threads, by default one for each processor; any N gives the same result"},
    {"--isolate", NULL, OPTION_SWITCH, offsetof(struct cli, isolate),
     .help = "have assimp read in a process of its own, so that a damaged file cannot end cellpipe; this is the "
             "default, and --isolate=no lifts it"},
    {"--limit", "NAME=N", OPTION_TEXTS, offsetof(struct cli, globals.limits),
     .help = "set a limit, such as nodes=1000; cellpipe help limits lists them"},
    {"--no-clobber", NULL, OPTION_SWITCH, offsetof(struct cli, globals.no_clobber),
     .help = "never replace an existing file"},
    {"--sync", NULL, OPTION_SWITCH, offsetof(struct cli, globals.sync),
     .help = "flush outputs to the disk before they appear"},
    {"--include", "DIR", OPTION_TEXTS, offsetof(struct cli, globals.folders), .letter = "-I",
     .help = "also look for further files in DIR"},
    {"--package", "NAME=DIR", OPTION_TEXTS, offsetof(struct cli, globals.packages),
     .help = "look for files of package://NAME/ and model://NAME/ in DIR"},
    {"--quiet", NULL, OPTION_SWITCH, offsetof(struct cli, quiet), .letter = "-q", .help = "print errors only"},
    {"--verbose", NULL, OPTION_SWITCH, offsetof(struct cli, verbose), .letter = "-v", .help = "also print notes"},
    {"--help", NULL, OPTION_SWITCH, offsetof(struct cli, help), .letter = "-h",
     .help = "show help, of the command if one is given"},
    {"--version", NULL, OPTION_SWITCH, offsetof(struct cli, version),
     .help = "print the version, and those of optional libraries"},
    {0}};
const struct command any_command = {.options = global_options};

static const struct option reading_options[] = {
    {"--from", "FORMAT", OPTION_TEXT, offsetof(struct request, from),
     .help = "format of the input, by name or suffix; by default its bytes decide"},
    {"--in", "K=V", OPTION_CALL, 0, .take = take_input_option,
     .help = "set an option of the input's format; stl.K=V: of every STL file that is read"},
    {0}};

static const struct option writing_options[] = {
    {"--to", "FORMAT", OPTION_TEXT, offsetof(struct request, to),
     .help = "format of the output, by name or suffix; by default its suffix decides, and glb on standard output"},
    {"--out", "K=V", OPTION_TEXTS, offsetof(struct request, out), .help = "set an option of the output's format"},
    {0}};

/* ---- descriptions ---- */

const struct option *option_at(const struct command *command, size_t index)
{
    const struct option *tables[] = {command->options, command->reads ? reading_options : NULL,
                                     command->writes ? writing_options : NULL};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct option *option = tables[i]; option && option->name; option++)
            if (index-- == 0)
                return option;
    return NULL;
}

bool is_flag(const struct option *option)
{
    return option->name[0] == '-';
}

struct label option_label(const struct option *option)
{
    struct label label;
    (void)snprintf(label.text, sizeof label.text, "%s%s%s%s%s", option->letter ? option->letter : "",
                   option->letter ? ", " : "", option->name,
                   !option->value    ? ""
                   : is_flag(option) ? " "
                                     : "=",
                   option->value ? option->value : "");
    return label;
}

bool add_option_names(struct cli *cli, const struct command *command, bool flags, struct list *names)
{
    const struct option *option;
    for (size_t i = 0; (option = option_at(command, i)); i++)
        if (is_flag(option) == flags && (flags || option->value) && !list_add(cli, names, option->name))
            return false;
    return true;
}

const struct command *command_named(const struct cli *cli, const char *name)
{
    if (plugin_named(CP_FILTER, name) != SIZE_MAX)
        name = "FILTER";
    for (const struct command *const *command = cli->commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

/* ---- values ---- */

static cp_status complain_value(struct cli *cli, const struct option *option, const char *text)
{
    static const struct {
        const char *noun, *example;
    } needs[] = {[OPTION_SWITCH] = {"yes or no", ""},
                 [OPTION_INTEGER] = {"a whole number", ""},
                 [OPTION_NUMBER] = {"a number", ""},
                 [OPTION_SECONDS] = {"seconds", ", such as 0.05"},
                 [OPTION_LENGTH] = {"a length", ", such as 5mm"}};
    char range[80] = "";
    if (isinf(option->maximum))
        (void)snprintf(range, sizeof range, " of at least %s", short_number(option->minimum).text);
    else if (option->minimum < option->maximum)
        (void)snprintf(range, sizeof range, " from %s to %s", short_number(option->minimum).text,
                       short_number(option->maximum).text);
    return complain(cli, CP_USAGE, "%s%s%s: needs %s%s%s", option->name, is_flag(option) && option->value ? " " : "=",
                    text, needs[option->kind].noun, range, needs[option->kind].example);
}

/* text: NULL for a switch that is named alone. */
static cp_status set_option(struct cli *cli, const struct option *option, void *settings, const char *text)
{
    void *place = (char *)settings + option->offset;
    double number;
    bool good = true;
    switch (option->kind) {
    case OPTION_SWITCH:
        *(bool *)place = !text || strcmp(text, "yes") == 0;
        good = *(bool *)place || strcmp(text, "no") == 0;
        break;
    case OPTION_TEXT:
        *(const char **)place = text;
        break;
    case OPTION_TEXTS:
        if (!list_add(cli, place, text))
            return CP_LIMIT;
        break;
    case OPTION_INTEGER:
    case OPTION_NUMBER:
    case OPTION_SECONDS:
    case OPTION_LENGTH:
        good = (option->kind == OPTION_LENGTH ? cp_parse_length : cp_parse_double)(text, &number) && isfinite(number) &&
               (option->minimum == option->maximum || (number >= option->minimum && number <= option->maximum)) &&
               (option->kind != OPTION_INTEGER || number == floor(number));
        if (good && option->kind == OPTION_INTEGER)
            *(uint32_t *)place = (uint32_t)number;
        else if (good)
            *(double *)place = number;
        break;
    case OPTION_CALL:
    case OPTION_ARGUMENT:
        break;
    }
    return good ? CP_OK : complain_value(cli, option, text);
}

/* The user said it; settings begin with the list of what was said. */
static cp_status take_option(struct cli *cli, const struct option *option, void *settings, const char *text)
{
    if (!list_add(cli, settings, option->name))
        return CP_LIMIT;
    cp_status status = set_option(cli, option, settings, text);
    return status == CP_OK && option->take ? option->take(cli, settings, text) : status;
}

/* "stl.unit=mm" and "stl.partial" have a point before any '='. */
cp_status add_input_option(struct cli *cli, struct list *in, const char *setting)
{
    bool for_all = setting[strcspn(setting, ".=")] == '.';
    cp_status status = for_all ? cp_set_importer_option(cli->context, setting) : CP_OK;
    if (status == CP_OK && !list_add(cli, for_all ? &cli->globals.importer_options : in, setting))
        status = CP_LIMIT;
    return status;
}

/* ---- words ---- */

/* An option as it stands in the command line. */
struct found {
    const struct option *option; /* NULL: the word is none */
    const char *value;           /* after "=" or in the next word, or NULL */
    size_t words;                /* 1 or 2 */
};

/* A negative number is none. */
static bool looks_like_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '.' && !isdigit((unsigned char)word[1]);
}

/* K=V, where K looks like an option's name: a path with '=' in it has another sign before, or comes after "--". */
static bool looks_like_setting(const char *word)
{
    size_t size = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    return size > 0 && word[size] == '=' && isalpha((unsigned char)*word);
}

static struct found option_of(const struct command *command, const char *word)
{
    size_t size = strcspn(word, "=");
    const struct option *option;
    for (size_t i = 0; (option = option_at(command, i)); i++) {
        const char *value = word[size] ? word + size + 1 : NULL;
        bool fits = strlen(option->name) == size && strncmp(option->name, word, size) == 0;
        if (fits && option->kind != OPTION_ARGUMENT && (is_flag(option) || !value == !option->value))
            return (struct found){option, value, 1};
        if (option->letter && strncmp(option->letter, word, 2) == 0 && (!word[2] || option->value))
            return (struct found){option, word[2] ? word + 2 : NULL, 1};
    }
    return (struct found){0};
}

/* Gives the option its value: `next`, the next word, when it has none of its own. */
static cp_status complete_option(struct cli *cli, const char *next, struct found *found)
{
    const struct option *option = found->option;
    if (option->value && !found->value && is_flag(option)) {
        found->value = next;
        found->words = 2;
    }
    if (option->value && (!found->value || (!*found->value && !is_flag(option))))
        return complain(cli, CP_USAGE, "%s needs a value: %s%s%s", option->name, option->name,
                        is_flag(option) ? " " : "=", option->value);
    return CP_OK;
}

/* Of flags those count that the command takes; before a command is known, those of all. An option of a format may have
 * been meant, as --unit mm; next: the next word, or NULL. */
static cp_status complain_flag(struct cli *cli, const char *word, const char *next)
{
    struct list names = {0};
    size_t size = strcspn(word, "=");
    static const struct {
        const char *word, *hint;
    } hints[] = {{"--format", "--to names the output's, --from the input's"},
                 {"-f", "--to names the output's format, --from the input's"},
                 {"-t", "--to names the output's format, --from the input's"},
                 {"-o", "the output is a word behind the input: cellpipe convert IN OUT"},
                 {"--output", "the output is a word behind the input: cellpipe convert IN OUT"},
                 {"-i", "the input is a word of its own: cellpipe convert IN OUT"},
                 {"--input", "the input is a word of its own: cellpipe convert IN OUT"},
                 {"-V", "did you mean --version?"}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strlen(hints[i].word) == size && strncmp(word, hints[i].word, size) == 0)
            return complain(cli, CP_USAGE, "unknown option \"%s\": %s", hints[i].word, hints[i].hint);
    const char *key = word + strspn(word, "-"), *value = strchr(key, '=') || !next ? "" : next;
    const char *setting = cli_print(cli, "%s%s%s", key, *value ? "=" : "", value);
    cp_status status = !setting         ? CP_LIMIT
                       : word[1] == '-' ? check_place(cli, (struct places){true, true, SIZE_MAX}, NULL, setting)
                                        : CP_OK;
    if (status != CP_OK)
        return status;
    const struct command *named = cli->words.count ? command_named(cli, cli->words.items[0]) : NULL;
    bool good = add_option_names(cli, &any_command, true, &names);
    for (size_t i = 0; good && cli->commands[i]; i++)
        if (!named || named == cli->commands[i])
            good = add_option_names(cli, cli->commands[i], true, &names);
    return good && list_add(cli, &names, NULL) ? complain_unknown(cli, "option", word, names.items) : CP_LIMIT;
}

cp_status check_place(struct cli *cli, struct places places, const char *name, const char *word)
{
    cp_option_info option;
    bool input = places.inputs && any_plugin_has(CP_IMPORTER, word);
    bool output =
        places.outputs && (places.exporter == SIZE_MAX ? any_plugin_has(CP_EXPORTER, word)
                                                       : plugin_has(CP_EXPORTER, places.exporter, word, &option));
    if (!input && !output)
        return CP_OK;
    const char *place = input ? "input's is given as --in" : "output's is given as --out";
    return complain(cli, CP_USAGE, "unknown option%s%s \"%s%.*s\"; the %s %s%s%s", name ? " of " : "", name ? name : "",
                    name ? "" : "--", (int)strcspn(word, "="), word, place, word,
                    input && output ? ", the output's as --out " : "", input && output ? word : "");
}

cp_status complain_setting(struct cli *cli, const struct command *command, const char *word)
{
    struct list names = {0};
    const char *what = cli_print(cli, "option of %s", command->name);
    const char *name = cli_print(cli, "%.*s", (int)strcspn(word, "="), word);
    bool good = what && name && add_option_names(cli, command, false, &names) && list_add(cli, &names, NULL);
    return good ? complain_unknown(cli, what, name, names.items) : CP_LIMIT;
}

cp_status take_global_flags(struct cli *cli, int argc, char **argv)
{
    cp_status status = CP_OK;
    cli->plain = SIZE_MAX;
    for (int i = 1; i < argc && status == CP_OK; i++) {
        const char *word = argv[i];
        struct found found = {.words = 1};
        if (cli->plain == SIZE_MAX && strcmp(word, "--") == 0) {
            cli->plain = cli->words.count;
            continue;
        }
        bool global = false;
        if (cli->plain == SIZE_MAX && looks_like_flag(word)) {
            found = option_of(&any_command, word);
            global = found.option != NULL;
            for (size_t k = 0; !found.option && cli->commands[k]; k++) /* flags of one name are alike in all commands */
                found = option_of(cli->commands[k], word);
            status = found.option ? complete_option(cli, argv[i + 1], &found) : complain_flag(cli, word, argv[i + 1]);
        }
        if (status == CP_OK && global)
            status = take_option(cli, found.option, cli, found.value);
        for (size_t k = 0; !global && k < found.words && status == CP_OK; k++)
            status = list_add(cli, &cli->words, argv[i + (int)k]) ? CP_OK : CP_LIMIT;
        i += (int)found.words - 1;
    }
    cp_set_flag(cli->context, CP_FLAG_ISOLATE, cli->isolate);
    if (status == CP_OK)
        status = cp_set_threads(cli->context, cli->threads);
    return status == CP_OK ? use_globals(cli, &cli->globals) : status;
}

/* A flag that the command does not take. Behind "!" it may be one of the whole command. */
static cp_status complain_misplaced(struct cli *cli, const struct command *command, const char *word)
{
    const struct command *whole = command_named(cli, cli->words.items[0]);
    int size = (int)strcspn(word, "=");
    if (strcmp(command->name, "!") != 0 || !whole || !option_of(whole, word).option)
        return complain(cli, CP_USAGE, "%.*s is not an option of this command (see: cellpipe help %s)", size, word,
                        cli->words.items[0]);
    if (strcmp(whole->name, "run") == 0)
        return complain(cli, CP_USAGE, "%.*s is an option of read or write, not of a filter", size, word);
    return complain(cli, CP_USAGE, "%.*s is an option of %s, not of a filter: it comes before the first \"!\"", size,
                    word, whole->name);
}

cp_status sort_words(struct cli *cli, size_t begin, size_t end, const struct command *command, void *settings)
{
    struct request *request = settings;
    struct list names = {0};
    const struct option *option;
    cp_status status = add_option_names(cli, command, false, &names) ? CP_OK : CP_LIMIT;
    for (size_t i = 0; status == CP_OK && (option = option_at(command, i)); i++)
        if (option->initial)
            status = set_option(cli, option, settings, option->initial);
    for (size_t at = begin; at < end && status == CP_OK; at++) {
        const char *word = cli->words.items[at];
        bool plain = at >= cli->plain;
        struct found found = plain ? (struct found){0} : option_of(command, word);
        if (found.option) {
            status = complete_option(cli, at + 1 < end ? cli->words.items[at + 1] : NULL, &found);
            if (status == CP_OK)
                status = take_option(cli, found.option, settings, found.value);
            at += found.words - 1;
        } else if (!plain && looks_like_flag(word)) {
            status = complain_misplaced(cli, command, word);
        } else {
            bool setting = !plain && (names.count > 0 || command->any_settings) && looks_like_setting(word);
            if (setting && !command->any_settings)
                status = complain_setting(cli, command, word);
            else if (!list_add(cli, setting ? &request->settings : &request->words, word))
                status = CP_LIMIT;
        }
    }
    return status;
}

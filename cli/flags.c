/* Reads the command line by the descriptions of commands: flags of any command first, then each command's words. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

/* ---- options that several commands take ---- */

static const cp_option global_options[] = {
    {"--strict", "end with 5 if something would be lost", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct cli, globals.strict)},
    {"--report", "write what happened to FILE, as JSON", CP_OPTION_PATH, .offset = offsetof(struct cli, report_path)},
    {"--confine",
     "read further files only from below the folders of the input, of -I and of --package; "
     "--confine=no lifts that",
     CP_OPTION_BOOLEAN, offsetof(struct cli, globals.confine), .initial = "yes"},
    {"--threads", "use at most N threads, by default one for each processor; any N gives the same result",
     CP_OPTION_INTEGER, offsetof(struct cli, threads), .minimum = 1, .maximum = CP_MOST_THREADS},
    {"--isolate",
     "have assimp read in a process of its own, so that a damaged file cannot end cellpipe; --isolate=no lifts that",
     CP_OPTION_BOOLEAN, offsetof(struct cli, isolate), .initial = "yes"},
    {"--limit", "set a limit, such as nodes=1000; cellpipe help limits lists them", CP_OPTION_STRING,
     offsetof(struct cli, globals.limits), .value = "NAME=N", .repeats = true},
    {"--no-clobber", "never replace an existing file", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct cli, globals.no_clobber)},
    {"--sync", "flush outputs to the disk before they appear", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct cli, globals.sync)},
    {"--include", "also look for further files in DIR", CP_OPTION_PATH, offsetof(struct cli, globals.folders),
     .value = "DIR", .letter = "-I", .repeats = true},
    {"--package", "look for files of package://NAME/ and model://NAME/ in DIR", CP_OPTION_STRING,
     offsetof(struct cli, globals.packages), .value = "NAME=DIR", .repeats = true},
    {"--quiet", "print errors only", CP_OPTION_BOOLEAN, offsetof(struct cli, quiet), .letter = "-q"},
    {"--verbose", "also print notes", CP_OPTION_BOOLEAN, offsetof(struct cli, verbose), .letter = "-v"},
    {"--help", "show help, of the command if one is given", CP_OPTION_BOOLEAN, offsetof(struct cli, help),
     .letter = "-h"},
    {"--version", "print the version, and those of optional libraries", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct cli, version)},
    CP_OPTIONS_END};
const struct command any_command = {.options = global_options};

static const cp_option reading_options[] = {
    {"--from", "format of the input, by name or suffix; by default its bytes decide", CP_OPTION_STRING,
     offsetof(struct request, from), .value = "FORMAT"},
    {"--in", "set an option of the input's format; stl.K=V: of every STL file that is read", CP_OPTION_STRING,
     offsetof(struct request, in), .value = "K=V", .repeats = true},
    CP_OPTIONS_END};

static const cp_option writing_options[] = {
    {"--to", "format of the output, by name or suffix; by default its suffix decides, and glb on standard output",
     CP_OPTION_STRING, offsetof(struct request, to), .value = "FORMAT"},
    {"--out", "set an option of the output's format", CP_OPTION_STRING, offsetof(struct request, out), .value = "K=V",
     .repeats = true},
    CP_OPTIONS_END};

/* ---- descriptions ---- */

const cp_option *option_at(const struct command *command, size_t index)
{
    const cp_option *tables[] = {command->options, command->reads ? reading_options : NULL,
                                 command->writes ? writing_options : NULL};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const cp_option *option = tables[i]; option && option->name; option++)
            if (index-- == 0)
                return option;
    return NULL;
}

bool is_flag(const cp_option *option)
{
    return option->name[0] == '-';
}

/* A boolean's name alone is yes; a word in capitals is none that is typed. */
static bool takes_value(const cp_option *option)
{
    return option->type != CP_OPTION_BOOLEAN && option->type != CP_OPTION_WORD;
}

struct label option_label(const cp_option *option)
{
    struct label label;
    bool has_value = takes_value(option) || option->value;
    (void)snprintf(label.text, sizeof label.text, "%s%s%s%s%s", option->letter ? option->letter : "",
                   option->letter ? ", " : "", option->name,
                   !has_value        ? ""
                   : is_flag(option) ? " "
                                     : "=",
                   has_value ? cp_option_describe(option).value : "");
    return label;
}

bool add_option_names(struct cli *cli, const struct command *command, bool flags, struct list *names)
{
    const cp_option *option;
    for (size_t i = 0; (option = option_at(command, i)); i++)
        if (is_flag(option) == flags && option->type != CP_OPTION_WORD && !list_add(cli, names, option->name))
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

static cp_status set_defaults(struct cli *cli, const struct command *command, void *settings)
{
    const cp_option *option;
    cp_status status = CP_OK;
    for (size_t i = 0; status == CP_OK && (option = option_at(command, i)); i++)
        if (option->initial)
            status = cp_option_read(cli->context, option, option->initial, settings);
    return status;
}

/* Takes an option of the user's; settings begin with the list of the options that were given. */
static cp_status take_option(struct cli *cli, const cp_option *option, void *settings, const char *text)
{
    struct list *list = (struct list *)((char *)settings + option->offset);
    if (!list_add(cli, settings, option->name))
        return CP_LIMIT;
    if (!option->repeats || !text)
        return cp_option_read(cli->context, option, text, settings);
    return list_add(cli, list, text) ? CP_OK : CP_LIMIT;
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

/* An option in the command line. */
struct found {
    const cp_option *option; /* NULL: the word is no option */
    const char *value;       /* after "=" or in the next word, or NULL */
    size_t words;            /* 1 or 2 */
};

/* Tells whether the word looks like a flag; a negative number does not. */
static bool looks_like_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '.' && !isdigit((unsigned char)word[1]);
}

/* Tells whether the word looks like K=V: a path with '=' in it has another character than a name's before that, or
 * comes after "--". */
static bool looks_like_setting(const char *word)
{
    size_t size = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    return size > 0 && word[size] == '=' && isalpha((unsigned char)*word);
}

static struct found option_of(const struct command *command, const char *word)
{
    size_t size = strcspn(word, "=");
    const cp_option *option;
    for (size_t i = 0; (option = option_at(command, i)); i++) {
        const char *value = word[size] ? word + size + 1 : NULL;
        bool fits = strlen(option->name) == size && strncmp(option->name, word, size) == 0;
        if (fits && option->type != CP_OPTION_WORD && (is_flag(option) || value || !takes_value(option)))
            return (struct found){option, value, 1};
        if (option->letter && strncmp(option->letter, word, 2) == 0 && (!word[2] || takes_value(option)))
            return (struct found){option, word[2] ? word + 2 : NULL, 1};
    }
    return (struct found){0};
}

/* A flag without a value of its own has the next word, if there is one. */
static void complete_option(const char *next, struct found *found)
{
    if (takes_value(found->option) && is_flag(found->option) && !found->value && next) {
        found->value = next;
        found->words = 2;
    }
    if (takes_value(found->option) && !is_flag(found->option) && !*found->value)
        found->value = NULL;
}

/* Complains about a flag and names those that the command takes; before a command is known, those of all. The user may
 * have meant an option of a format, as --unit mm; next: the next word, or NULL. */
static cp_status complain_flag(struct cli *cli, const char *word, const char *next)
{
    struct list names = {0};
    size_t size = strcspn(word, "=");
    static const struct {
        const char *word, *hint;
    } hints[] = {
        {"--format", "--to names the output's, --from the input's"},
        {"-f", "--to names the output's format, --from the input's"},
        {"-t", "--to names the output's format, --from the input's"},
        {"-o", "the output is a word behind the input: cellpipe convert IN OUT; batch has --out-dir DIR"},
        {"--output", "the output is a word behind the input: cellpipe convert IN OUT; batch has --out-dir DIR"},
        {"-i", "the input is a word of its own: cellpipe convert IN OUT"},
        {"--input", "the input is a word of its own: cellpipe convert IN OUT"},
        {"--password", "a password is asked for on the terminal, or is the first line of standard input"},
        {"-V", "did you mean --version?"}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strlen(hints[i].word) == size && strncmp(word, hints[i].word, size) == 0)
            return complain(cli, CP_USAGE, "unknown option \"%s\": %s", hints[i].word, hints[i].hint);
    const char *key = word + strspn(word, "-"), *value = strchr(key, '=') || !next ? "" : next;
    const char *setting = cli_print(cli, "%s%s%s", key, *value ? "=" : "", value);
    cp_status status = !setting         ? CP_LIMIT
                       : word[1] == '-' ? check_place(cli, (struct option_places){true, true, SIZE_MAX}, NULL, setting)
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

cp_status check_place(struct cli *cli, struct option_places places, const char *name, const char *word)
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
    cp_status status = set_defaults(cli, &any_command, cli);
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
            if (found.option)
                complete_option(argv[i + 1], &found);
            else
                status = complain_flag(cli, word, argv[i + 1]);
        }
        if (status == CP_OK && global)
            status = take_option(cli, found.option, cli, found.value);
        bool opens = cli->report_path && !cli->log.file; /* the report has all that is said from now on */
        if (status == CP_OK && opens && !text_open(&cli->log))
            status = complain(cli, CP_LIMIT, "out of memory");
        for (size_t k = 0; !global && k < found.words && status == CP_OK; k++)
            status = list_add(cli, &cli->words, argv[i + (int)k]) ? CP_OK : CP_LIMIT;
        i += (int)found.words - 1;
    }
    cp_set_flag(cli->context, CP_FLAG_ISOLATE, cli->isolate);
    if (status == CP_OK)
        status = cp_set_threads(cli->context, (uint32_t)cli->threads);
    return status == CP_OK ? use_globals(cli, &cli->globals) : status;
}

/* Complains about a flag that the command does not take. Behind "!" it may be one of the whole command. */
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
    cp_status status = add_option_names(cli, command, false, &names) ? set_defaults(cli, command, settings) : CP_LIMIT;
    for (size_t at = begin; at < end && status == CP_OK; at++) {
        const char *word = cli->words.items[at];
        bool plain = at >= cli->plain;
        struct found found = plain ? (struct found){0} : option_of(command, word);
        if (found.option) {
            complete_option(at + 1 < end ? cli->words.items[at + 1] : NULL, &found);
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
    const struct list in = request->in;
    request->in = (struct list){0};
    for (size_t i = 0; i < in.count && status == CP_OK; i++)
        status = add_input_option(cli, &request->in, in.items[i]);
    return status;
}

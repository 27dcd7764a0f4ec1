/* The command line's flags: one table for parsing, nearest words and help. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum global {
    GLOBAL_NONE,
    GLOBAL_HELP,
    GLOBAL_VERSION,
    GLOBAL_STRICT,
    GLOBAL_REPORT,
    GLOBAL_CONFINE,
    GLOBAL_THREADS,
    GLOBAL_LIMIT,
    GLOBAL_NO_CLOBBER,
    GLOBAL_SYNC,
    GLOBAL_INCLUDE,
    GLOBAL_PACKAGE,
    GLOBAL_QUIET,
    GLOBAL_VERBOSE
};

static const struct flag {
    const char *name, *letter; /* "--quiet", "-q" */
    const char *argument;      /* NULL when it takes none */
    enum global global;        /* or GLOBAL_NONE and */
    unsigned bit;              /* FLAG_... */
    const char *help;
} flags[] = {
    {"--strict", NULL, NULL, GLOBAL_STRICT, 0, "end with 5 when something would be lost"},
    {"--report", NULL, "FILE", GLOBAL_REPORT, 0, "write what happened as JSON to FILE"},
    {"--confine", NULL, NULL, GLOBAL_CONFINE, 0,
     "read further files only from below the input's folder (--confine=no: from anywhere)"},
    {"--threads", NULL, "N", GLOBAL_THREADS, 0, "use at most N threads; the result is the same for any N"},
    {"--limit", NULL, "K=V", GLOBAL_LIMIT, 0, "set a limit (see: cellpipe help limits)"},
    {"--no-clobber", NULL, NULL, GLOBAL_NO_CLOBBER, 0, "never replace an existing file"},
    {"--sync", NULL, NULL, GLOBAL_SYNC, 0, "flush outputs to the disk before they appear"},
    {"--include", "-I", "DIR", GLOBAL_INCLUDE, 0, "look for further files in DIR too"},
    {"--package", NULL, "NAME=DIR", GLOBAL_PACKAGE, 0, "files of package://NAME/ and model://NAME/ are in DIR"},
    {"--quiet", "-q", NULL, GLOBAL_QUIET, 0, "print errors only"},
    {"--verbose", "-v", NULL, GLOBAL_VERBOSE, 0, "print notes too"},
    {"--help", "-h", NULL, GLOBAL_HELP, 0, "show help, for a command when one is given"},
    {"--version", NULL, NULL, GLOBAL_VERSION, 0, "print the version"},
    {"--from", NULL, "FORMAT", GLOBAL_NONE, FLAG_FROM, "the input's format (default: told by its bytes)"},
    {"--to", NULL, "FORMAT", GLOBAL_NONE, FLAG_TO, "the output's format (default: by its suffix; glb on stdout)"},
    {"--in", NULL, "K=V", GLOBAL_NONE, FLAG_IN, "an option of the importer; stl.K=V: of every use of stl"},
    {"--out", NULL, "K=V", GLOBAL_NONE, FLAG_OUT, "an option of the exporter"},
    {"--out-dir", NULL, "DIR", GLOBAL_NONE, FLAG_OUT_DIR, "write a file for each input into DIR"},
    {"--json", NULL, NULL, GLOBAL_NONE, FLAG_JSON, "one JSON object, for scripts"},
    {"--dump", NULL, NULL, GLOBAL_NONE, FLAG_DUMP, "everything, as canonical text"},
    {"--explain", NULL, NULL, GLOBAL_NONE, FLAG_EXPLAIN, "how a file without a description is understood, or why not"},
    {"--clearance", NULL, "LENGTH", GLOBAL_NONE, FLAG_CLEARANCE, "list pairs that are nearer than this, too"},
    {"--markdown", NULL, NULL, GLOBAL_NONE, FLAG_MARKDOWN, "the table as Markdown"},
};
enum { FLAG_COUNT = sizeof flags / sizeof *flags };

/* A flag as it stands in the command line. */
struct found {
    const struct flag *flag;
    const char *value; /* after "=" or in the next word, or NULL */
    size_t words;      /* 1 or 2 */
};

/* A negative number is none. */
static bool looks_like_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '.' && !isdigit((unsigned char)word[1]);
}

static const struct flag *flag_of(const char *word, const char **attached)
{
    size_t size = strcspn(word, "=");
    *attached = word[size] ? word + size + 1 : NULL;
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (strlen(flags[i].name) == size && strncmp(flags[i].name, word, size) == 0)
            return &flags[i];
        if (!flags[i].letter || strncmp(flags[i].letter, word, 2) != 0)
            continue;
        if (word[2] == '\0' || flags[i].argument) {
            *attached = word[2] ? word + 2 : NULL;
            return &flags[i];
        }
    }
    return NULL;
}

/* Looks a word up, and takes its value from `next` (NULL at the end) when it has none of its own. */
static cp_status find_flag(struct cli *cli, const char *word, const char *next, struct found *found)
{
    const char *attached;
    const struct flag *flag = flag_of(word, &attached);
    if (!flag) {
        const char *names[FLAG_COUNT + 1] = {NULL};
        for (size_t i = 0; i < FLAG_COUNT; i++)
            names[i] = flags[i].name;
        return complain_unknown(cli, "option", word, names);
    }
    *found = (struct found){flag, attached, 1};
    if (flag->argument && !attached) {
        if (!next)
            return complain(cli, CP_USAGE, "%s needs a value: %s %s", word, word, flag->argument);
        found->value = next;
        found->words = 2;
    }
    return CP_OK;
}

/* "--sync", "--sync=yes" or "--sync=no". */
static cp_status read_switch(struct cli *cli, const struct found *found, bool *on)
{
    *on = !found->value || strcmp(found->value, "yes") == 0;
    if (*on || strcmp(found->value, "no") == 0)
        return CP_OK;
    return complain(cli, CP_USAGE, "%s=%s: needs yes or no", found->flag->name, found->value);
}

static cp_status set_threads(struct cli *cli, const char *value)
{
    double count;
    bool whole = cp_parse_double(value, &count) && count >= 1 && count <= CP_MOST_THREADS && count == (uint32_t)count;
    if (whole) {
        cli->threads = (uint32_t)count;
        return cp_set_threads(cli->context, cli->threads);
    }
    return complain(cli, CP_USAGE, "--threads %s: needs a whole number from 1 to %d", value, (int)CP_MOST_THREADS);
}

static void set_switch(struct cli *cli, enum global global, bool on)
{
    switch (global) {
    case GLOBAL_HELP:
        cli->help = on;
        break;
    case GLOBAL_VERSION:
        cli->version = on;
        break;
    case GLOBAL_STRICT:
        cli->globals.strict = on;
        break;
    case GLOBAL_CONFINE:
        cli->confine_said = true;
        cli->globals.confine = on;
        break;
    case GLOBAL_NO_CLOBBER:
        cli->globals.no_clobber = on;
        break;
    case GLOBAL_SYNC:
        cli->globals.sync = on;
        break;
    case GLOBAL_QUIET:
        cli->quiet = on;
        break;
    default:
        cli->verbose = on;
    }
}

static cp_status set_report(struct cli *cli, const char *path)
{
    if (strcmp(path, "-") == 0)
        return complain(cli, CP_USAGE, "--report needs a file: standard output carries the result");
    cli->report_path = path;
    if (cli->log || open_log(cli))
        return CP_OK;
    return complain(cli, CP_LIMIT, "out of memory");
}

static cp_status set_global(struct cli *cli, const struct found *found)
{
    bool on = true;
    switch (found->flag->global) {
    case GLOBAL_REPORT:
        return set_report(cli, found->value);
    case GLOBAL_THREADS:
        return set_threads(cli, found->value);
    case GLOBAL_LIMIT:
        return list_add(cli, &cli->globals.limits, found->value) ? CP_OK : CP_LIMIT;
    case GLOBAL_INCLUDE:
        return list_add(cli, &cli->globals.folders, found->value) ? CP_OK : CP_LIMIT;
    case GLOBAL_PACKAGE:
        return list_add(cli, &cli->globals.packages, found->value) ? CP_OK : CP_LIMIT;
    default: {
        cp_status status = read_switch(cli, found, &on);
        if (status == CP_OK)
            set_switch(cli, found->flag->global, on);
        return status;
    }
    }
}

cp_status use_globals(struct cli *cli, const struct globals *globals)
{
    static cp_status (*const setters[])(cp_context * context, const char *text) = {
        cp_set_limit, cp_set_importer_option, cp_add_include_folder, cp_add_package_folder};
    const struct list *lists[] = {&globals->limits, &globals->importer_options, &globals->folders, &globals->packages};
    cp_set_flag(cli->context, CP_FLAG_STRICT, globals->strict);
    cp_set_flag(cli->context, CP_FLAG_CONFINE, globals->confine);
    cp_set_flag(cli->context, CP_FLAG_NO_CLOBBER, globals->no_clobber);
    cp_set_flag(cli->context, CP_FLAG_SYNC, globals->sync);
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < lists[i]->count && status == CP_OK; k++)
            status = setters[i](cli->context, lists[i]->items[k]);
    return status;
}

/* igrip2vrml says what it translates by a word that looks like a flag. */
static bool is_form(const struct cli *cli, const char *word)
{
    return cli->words.count == 1 && strcmp(cli->words.items[0], "igrip2vrml") == 0 && strlen(word) == 2 &&
           strchr("dwp", word[1]);
}

cp_status take_global_flags(struct cli *cli, int argc, char **argv)
{
    cli->plain = SIZE_MAX;
    for (int i = 1; i < argc; i++) {
        struct found found;
        if (cli->plain == SIZE_MAX && strcmp(argv[i], "--") == 0) {
            cli->plain = cli->words.count;
            continue;
        }
        bool is_flag = cli->plain == SIZE_MAX && looks_like_flag(argv[i]) && !is_form(cli, argv[i]);
        cp_status status = is_flag ? find_flag(cli, argv[i], argv[i + 1], &found) : CP_OK;
        if (status != CP_OK)
            return status;
        bool global = is_flag && found.flag->global != GLOBAL_NONE;
        size_t words = is_flag ? found.words : 1;
        for (size_t word = 0; !global && word < words; word++)
            if (!list_add(cli, &cli->words, argv[i + (int)word]))
                return CP_LIMIT;
        status = global ? set_global(cli, &found) : CP_OK;
        if (status != CP_OK)
            return status;
        i += (int)words - 1;
    }
    return use_globals(cli, &cli->globals);
}

/* K=V, where K looks like an option's name: a path with '=' in it has another sign before, or comes after "--". */
static bool looks_like_setting(const char *word)
{
    size_t size = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    return size > 0 && word[size] == '=' && isalpha((unsigned char)*word);
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

static cp_status set_flag(struct cli *cli, const struct found *found, struct request *request)
{
    bool on = true;
    cp_status status = found->flag->argument ? CP_OK : read_switch(cli, found, &on);
    switch (found->flag->bit) {
    case FLAG_FROM:
        request->from = found->value;
        break;
    case FLAG_TO:
        request->to = found->value;
        break;
    case FLAG_IN:
        return add_input_option(cli, &request->in, found->value);
    case FLAG_OUT:
        return list_add(cli, &request->out, found->value) ? CP_OK : CP_LIMIT;
    case FLAG_OUT_DIR:
        request->out_dir = found->value;
        break;
    case FLAG_CLEARANCE:
        request->clearance = found->value;
        break;
    case FLAG_JSON:
        request->json = on;
        break;
    case FLAG_DUMP:
        request->dump = on;
        break;
    case FLAG_EXPLAIN:
        request->explain = on;
        break;
    default:
        request->markdown = on;
    }
    return status;
}

/* Carries out the flag at `at`; *words is how many words it took. */
static cp_status sort_flag(struct cli *cli, size_t at, size_t end, unsigned allowed, struct request *request)
{
    struct found found;
    const char *word = cli->words.items[at];
    cp_status status = find_flag(cli, word, at + 1 < end ? cli->words.items[at + 1] : NULL, &found);
    if (status != CP_OK)
        return status;
    if (!(found.flag->bit & allowed))
        return complain(cli, CP_USAGE, "%s has no place here (see: cellpipe help %s)", found.flag->name,
                        cli->words.items[0]);
    request->taken = found.words;
    return set_flag(cli, &found, request);
}

cp_status sort_words(struct cli *cli, size_t begin, size_t end, unsigned allowed, struct request *request)
{
    *request = (struct request){0};
    cp_status status = CP_OK;
    for (size_t at = begin; at < end && status == CP_OK; at += request->taken) {
        const char *word = cli->words.items[at];
        bool plain = at >= cli->plain;
        request->taken = 1;
        if (!plain && looks_like_flag(word))
            status = sort_flag(cli, at, end, allowed, request);
        else if (!plain && (allowed & FLAG_SETTINGS) && looks_like_setting(word))
            status = list_add(cli, &request->settings, word) ? CP_OK : CP_LIMIT;
        else
            status = list_add(cli, &request->words, word) ? CP_OK : CP_LIMIT;
    }
    return status;
}

void print_flags(FILE *file, bool global)
{
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const struct flag *flag = &flags[i];
        char left[40];
        if ((flag->global != GLOBAL_NONE) != global)
            continue;
        (void)snprintf(left, sizeof left, "%s%s%s%s%s", flag->letter ? flag->letter : "", flag->letter ? ", " : "",
                       flag->name, flag->argument ? " " : "", flag->argument ? flag->argument : "");
        fprintf(file, "  %-18s %s\n", left, flag->help);
    }
}

/* help --json: all options of all commands, flags, plug-ins and limits, for scripts and other programs. */
#include "cli.h"

#include <string.h>

/* own: of the program; NULL for one of a plug-in, or a limit. */
static void print_option(cp_json *json, const cp_option_info *info, const cp_option *own)
{
    const bool is_boolean = strcmp(info->type, "boolean") == 0;
    const char *unit = cp_option_unit(info->type, 0), *words = info->choices;
    char word[64];
    cp_json_open(json, NULL, '{');
    cp_json_text(json, "name", info->name);
    if (own && own->letter)
        cp_json_text(json, "letter", own->letter);
    cp_json_text(json, "type", info->type);
    cp_json_text(json, "value", info->value);
    if (own && own->repeats)
        cp_json_boolean(json, "repeats", true);
    if (*info->unit)
        cp_json_text(json, "unit", info->unit);
    if (unit) {
        cp_json_open(json, "units", '[');
        for (size_t i = 0; (unit = cp_option_unit(info->type, i)); i++)
            cp_json_text(json, NULL, unit);
        cp_json_close(json, ']');
    }
    if (info->minimum != 0 || info->maximum != 0) {
        cp_json_number(json, "minimum", info->minimum);
        cp_json_number(json, "maximum", info->maximum);
    }
    if (words) {
        cp_json_open(json, "choices", '[');
        for (size_t size; *words; words += size + (words[size] == '|')) {
            size = strcspn(words, "|");
            (void)snprintf(word, sizeof word, "%.*s", (int)size, words);
            cp_json_text(json, NULL, word);
        }
        cp_json_close(json, ']');
    }
    cp_json_text(json, "default", !info->default_value && is_boolean ? "no" : info->default_value);
    cp_json_text(json, "help", info->help);
    cp_json_close(json, '}');
}

static void print_options(cp_json *json, const char *key, const struct command *command)
{
    const cp_option *option;
    cp_json_open(json, key, '[');
    for (size_t i = 0; (option = option_at(command, i)); i++) {
        const cp_option_info info = cp_option_describe(option);
        if (option->type != CP_OPTION_WORD)
            print_option(json, &info, option);
    }
    cp_json_close(json, ']');
}

static void print_plugins(cp_json *json, const char *key, cp_plugin_kind kind)
{
    cp_json_open(json, key, '[');
    for (size_t i = 0; i < plugin_count(kind); i++) {
        const cp_plugin_info plugin = plugin_at(kind, i);
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "name", plugin.name);
        cp_json_text(json, "title", plugin.title);
        cp_json_open(json, "options", '[');
        for (size_t k = 0; k < plugin.option_count; k++) {
            const cp_option_info option = plugin_option(kind, i, k);
            print_option(json, &option, NULL);
        }
        cp_json_close(json, ']');
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
}

void print_schema(const struct cli *cli)
{
    cp_json json = json_in_file(stdout);
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "cellpipe", CP_VERSION);
    print_options(&json, "flags", &any_command);
    cp_json_open(&json, "commands", '[');
    for (const struct command *const *command = cli->commands; *command; command++) {
        cp_json_open(&json, NULL, '{');
        cp_json_text(&json, "name", (*command)->name);
        cp_json_text(&json, "title", (*command)->title);
        cp_json_text(&json, "usage", (*command)->usage);
        print_options(&json, "options", *command);
        cp_json_close(&json, '}');
    }
    cp_json_close(&json, ']');
    print_plugins(&json, "importers", CP_IMPORTER);
    print_plugins(&json, "exporters", CP_EXPORTER);
    print_plugins(&json, "filters", CP_FILTER);
    cp_json_open(&json, "limits", '[');
    for (size_t i = 0; cp_limit_at(i).name; i++) {
        const cp_option_info limit = cp_limit_at(i);
        print_option(&json, &limit, NULL);
    }
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
    printf("\n");
}

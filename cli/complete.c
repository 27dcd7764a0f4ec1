/* Lists the words that TAB offers: cli/completion.bash and completion.zsh call it by `cellpipe help --complete --
 * WORD...`. */
#include "cli.h"

#include <string.h>

bool add_topics(struct cli *cli, struct list *list)
{
    return add_commands(cli, list) && add_plugins(cli, CP_IMPORTER, list) && add_plugins(cli, CP_EXPORTER, list) &&
           list_add(cli, list, "FILTER") && list_add(cli, list, "flags") && list_add(cli, list, "limits");
}

/* The question: what is asked for, and what may be offered. */
struct offer {
    struct cli *cli;
    const struct list *words; /* up to the cursor */
    const char *word;         /* the last of them, which may be empty */
    cp_scene *scene;          /* the cell that the command reads, for names; NULL as long as none is needed */
    struct list list;
};

/* Each text once. */
static bool add(struct offer *offer, const char *text)
{
    return text && (list_has(&offer->list, text) || list_add(offer->cli, &offer->list, text));
}

/* The cell: the first word that can be a file. NULL when there is none. */
static const cp_scene *cell_of(struct offer *offer)
{
    const struct list *words = offer->words;
    const char *path = NULL;
    for (size_t i = strcmp(words->items[0], "run") == 0 ? 2 : 1; i + 1 < words->count && !path; i++)
        if (words->items[i][0] != '-' && !strchr(words->items[i], '='))
            path = words->items[i];
    if (!offer->scene && path && cp_read(offer->cli->context, path, NULL, NULL, 0, &offer->scene) != CP_OK)
        offer->scene = NULL;
    return offer->scene;
}

/* Names in the cell: before and behind each comes what else the word has. */
static bool add_names(struct offer *offer, const char *type, const char *before, const char *behind)
{
    static const char *const types[] = {"frame", "device", "joint", "clip"};
    bool named = false, good = true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        named |= strcmp(type, types[i]) == 0;
    const cp_scene *scene = named ? cell_of(offer) : NULL;
    if (!scene)
        return true;
    uint32_t node_count, device_count, joint_count, clip_count;
    const cp_node *nodes = cp_nodes(scene, &node_count);
    const cp_device *devices = cp_devices(scene, &device_count);
    const cp_joint *joints = cp_joints(scene, &joint_count);
    const cp_clip *clips = cp_clips(scene, &clip_count);
    for (uint32_t i = 0; *type == 'f' && i < node_count && good; i++)
        good = add(offer, cli_print(offer->cli, "%s%s%s", before, nodes[i].name, behind));
    for (uint32_t i = 0; *type == 'd' && i < device_count && good; i++)
        good = add(offer, cli_print(offer->cli, "%s%s%s", before, devices[i].name, behind));
    for (uint32_t i = 0; *type == 'j' && i < joint_count && good; i++)
        good = cp_joint_is_dependent(&joints[i]) ||
               add(offer, cli_print(offer->cli, "%s%s%s", before, joints[i].name, behind));
    for (uint32_t i = 0; *type == 'c' && i < clip_count && good; i++)
        good = add(offer, cli_print(offer->cli, "%s%s%s", before, clips[i].name, behind));
    return good;
}

/* The values of an option, if they are words or names, or the units behind a number. before: what the word has before
 * the value; typed: what there is of the value. */
static bool add_values(struct offer *offer, const cp_option_info *option, const char *before, const char *typed)
{
    const char *choices = option->choices ? option->choices : strcmp(option->type, "boolean") == 0 ? "yes|no" : "";
    const char *unit;
    bool good = true, is_unit = strcmp(option->type, "unit") == 0;
    for (size_t size; *choices && good; choices += size + (choices[size] == '|')) {
        size = strcspn(choices, "|");
        good = add(offer, cli_print(offer->cli, "%s%.*s", before, (int)size, choices));
    }
    int digits = is_unit ? 0 : (int)strspn(typed, "0123456789.");
    for (size_t i = 0; (is_unit || digits > 0) && (unit = cp_option_unit(option->type, i)) && good; i++)
        good = add(offer, cli_print(offer->cli, "%s%.*s%s", before, digits, typed, unit));
    return good && add_names(offer, option->type, before, "");
}

/* "name=", or with its values where the word has got so far. before: what the word has before the name. */
static bool add_setting(struct offer *offer, const cp_option_info *option, const char *before)
{
    const char *word = offer->word + strlen(before), *start = cli_print(offer->cli, "%s%s=", before, option->name);
    size_t size = strlen(option->name);
    if (start && strncmp(word, option->name, size) == 0 && word[size] == '=')
        return add_values(offer, option, start, word + size + 1);
    return add(offer, start);
}

/* The options of a plug-in, SIZE_MAX: of all of the kind. */
static bool add_plugin_options(struct offer *offer, cp_plugin_kind kind, size_t plugin, const char *before)
{
    bool good = true;
    for (size_t i = 0; i < plugin_count(kind) && good; i++)
        for (size_t k = 0; (plugin == SIZE_MAX || plugin == i) && k < plugin_at(kind, i).option_count && good; k++) {
            const cp_option_info option = plugin_option(kind, i, k);
            good = add_setting(offer, &option, before);
        }
    return good;
}

/* Adds formats by name and by suffix. */
static bool add_formats(struct offer *offer, cp_plugin_kind kind)
{
    bool good = add_plugins(offer->cli, kind, &offer->list);
    for (size_t i = 0; i < plugin_count(kind) && good; i++) {
        const char *suffixes = plugin_at(kind, i).suffixes;
        for (size_t size; *suffixes && good; suffixes += size + (suffixes[size] == ' ')) { /* ".a .b" */
            size = strcspn(suffixes, " ");
            good = add(offer, cli_print(offer->cli, "%.*s", (int)size - 1, suffixes + 1));
        }
    }
    return good;
}

/* Offers the options of the format that comes after the flag, else of the one that the last word's suffix names, else
 * of all formats; for an input also those of every STL file and the like, "stl.unit=". */
static bool add_format_options(struct offer *offer, cp_plugin_kind kind)
{
    const char *flag = kind == CP_IMPORTER ? "--from" : "--to", *format = NULL;
    size_t plugin = SIZE_MAX, prefix = strcspn(offer->word, ".=");
    if (kind == CP_IMPORTER && offer->word[prefix] == '.') {
        const char *name = cli_print(offer->cli, "%.*s", (int)prefix, offer->word);
        const char *before = cli_print(offer->cli, "%.*s", (int)prefix + 1, offer->word);
        const char *importer = name ? importer_named(name) : NULL;
        return name && before && (!importer || add_plugin_options(offer, kind, plugin_named(kind, importer), before));
    }
    for (size_t i = 1; i + 1 < offer->words->count; i++) {
        const char *word = offer->words->items[i];
        if (strcmp(offer->words->items[i - 1], flag) == 0)
            format = kind == CP_IMPORTER ? importer_named(word) : exporter_named(word);
        else if (kind == CP_EXPORTER && word[0] != '-' && cp_exporter_of(NULL, word) != SIZE_MAX)
            plugin = cp_exporter_of(NULL, word);
    }
    return add_plugin_options(offer, kind, format ? plugin_named(kind, format) : plugin, "");
}

/* A flag's value in a word of its own. */
static bool add_flag_values(struct offer *offer, const cp_option *flag)
{
    const cp_option_info info = cp_option_describe(flag);
    bool good = true;
    if (strcmp(flag->name, "--in") == 0)
        return add_format_options(offer, CP_IMPORTER);
    if (strcmp(flag->name, "--out") == 0)
        return add_format_options(offer, CP_EXPORTER);
    if (strcmp(info.value, "FORMAT") == 0)
        return add_formats(offer, strcmp(flag->name, "--to") == 0 ? CP_EXPORTER : CP_IMPORTER);
    for (size_t i = 0; strcmp(flag->name, "--limit") == 0 && cp_limit_at(i).name && good; i++) {
        const cp_option_info limit = cp_limit_at(i);
        good = add_setting(offer, &limit, "");
    }
    return good && add_values(offer, &info, "", offer->word);
}

/* The command's flags, or its other words. */
static bool add_options(struct offer *offer, const struct command *command, bool flags)
{
    const cp_option *option;
    bool good = true;
    for (size_t i = 0; (option = option_at(command, i)) && good; i++) {
        const cp_option_info info = cp_option_describe(option);
        const char *equals = strchr(offer->word, '=');
        bool is_alone = (flags || !strchr(option_label(option).text, '=')) && !equals;
        if (is_flag(option) == flags && option->type != CP_OPTION_WORD)
            good = is_alone ? add(offer, option->name) : add_setting(offer, &info, "");
    }
    return good;
}

/* users FILE ACTION NAME ROLE: the actions, or the roles. */
static bool add_users_words(struct offer *offer, size_t last)
{
    static const char *const actions[] = {"list", "add", "passwd", "role", "remove", NULL};
    static const char *const roles[] = {"viewer", "operator", "teacher", NULL};
    const char *action = last == 4 ? offer->words->items[2] : "";
    bool is_role = strcmp(action, "add") == 0 || strcmp(action, "role") == 0, good = true;
    const char *const *words = last == 2 ? actions : is_role ? roles : NULL;
    for (; words && *words && good; words++)
        good = add(offer, *words);
    return good;
}

static bool add_words(struct offer *offer)
{
    struct cli *cli = offer->cli;
    const struct list *words = offer->words;
    size_t last = words->count - 1, step = 0;
    const char *first = words->items[0], *before = last > 0 ? words->items[last - 1] : "";
    const struct command *command = last > 0 ? command_named(cli, first) : NULL;
    const cp_option *option;
    const struct command *takers[] = {command ? command : &any_command, &any_command};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; (option = option_at(takers[k], i)); i++)
            if (option->type != CP_OPTION_BOOLEAN && is_flag(option) && strcmp(option->name, before) == 0)
                return add_flag_values(offer, option);
    if (*offer->word == '-')
        return add_options(offer, &any_command, true) && (!command || add_options(offer, command, true));
    if (last == 0)
        return add_commands(cli, &offer->list);
    if (strcmp(first, "help") == 0)
        return add_topics(cli, &offer->list);
    if (command == &users_command)
        return add_users_words(offer, last);
    bool runs = strcmp(first, "run") == 0;
    for (size_t i = 0; i < last; i++)
        if ((i == 0 && runs) || strcmp(words->items[i], "!") == 0)
            step = i + 1;
    if (step == last)
        return (!runs || (add(offer, "read") && add(offer, "write"))) && add_plugins(cli, CP_FILTER, &offer->list);
    if (runs && last > step + 1 && strcmp(words->items[step], "read") == 0)
        return add_format_options(offer, CP_IMPORTER);
    if (runs && last > step + 1 && strcmp(words->items[step], "write") == 0)
        return add_format_options(offer, CP_EXPORTER);
    size_t filter = plugin_named(CP_FILTER, words->items[step]);
    bool takes_joints = command == &fk_command || command == &ik_command || command == &collide_command;
    bool good = (step > 0 || !command || add_options(offer, command, false)) &&
                (filter == SIZE_MAX || add_plugin_options(offer, CP_FILTER, filter, ""));
    return good && (!takes_joints || strchr(offer->word, '=') || add_names(offer, "joint", "", "="));
}

cp_status print_completions(struct cli *cli, const struct list *words)
{
    if (words->count == 0)
        return CP_OK;
    struct offer offer = {.cli = cli, .words = words, .word = words->items[words->count - 1]};
    bool good = add_words(&offer);
    for (size_t i = 0; i < offer.list.count && good; i++)
        printf("%s\n", offer.list.items[i]);
    cp_scene_free(offer.scene);
    return good ? CP_OK : CP_LIMIT;
}

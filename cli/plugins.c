/* Formats and filters by name, and the names that a user may have meant. */
#include "cli.h"

#include <string.h>

size_t plugin_named(cp_plugin_kind kind, const char *name)
{
    for (size_t i = 0; i < cp_plugin_count(kind); i++)
        if (strcmp(cp_plugin_at(kind, i).name, name) == 0)
            return i;
    return SIZE_MAX;
}

bool add_plugins(struct cli *cli, cp_plugin_kind kind, struct list *list)
{
    bool good = true;
    for (size_t i = 0; i < cp_plugin_count(kind) && good; i++)
        good = list_add(cli, list, cp_plugin_at(kind, i).name);
    return good;
}

bool add_commands(struct cli *cli, struct list *list)
{
    bool good = true;
    for (const struct command *const *command = cli->commands; *command && good; command++)
        good = strcmp((*command)->name, "FILTER") == 0 || list_add(cli, list, (*command)->name);
    return good && add_plugins(cli, CP_FILTER, list);
}

const char *const *plugin_words(struct cli *cli, cp_plugin_kind kind)
{
    struct list list = {0};
    return add_plugins(cli, kind, &list) && list_add(cli, &list, NULL) ? list.items : NULL;
}

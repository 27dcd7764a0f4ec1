/* One thing of a scene by name. */
#include "lookup.h"

#include <string.h>

/* A table of structs that begin with id and name. */
struct table {
    const char *kind;
    const void *items;
    size_t size;
    uint32_t count;
};

_Static_assert(offsetof(cp_node, name) == sizeof(char *) && offsetof(cp_joint, name) == sizeof(char *) &&
                   offsetof(cp_device, name) == sizeof(char *) && offsetof(cp_node, id) == 0 &&
                   offsetof(cp_joint, id) == 0 && offsetof(cp_device, id) == 0,
               "id and name come first");

static struct table table_of(const cp_scene *scene, enum named_kind kind)
{
    switch (kind) {
    case NAMED_JOINT:
        return (struct table){"joint", scene->joints, sizeof *scene->joints, scene->joint_count};
    case NAMED_DEVICE:
        return (struct table){"device", scene->devices, sizeof *scene->devices, scene->device_count};
    case NAMED_NODE:
        break;
    }
    return (struct table){"frame", scene->nodes, sizeof *scene->nodes, scene->node_count};
}

enum label { LABEL_ID, LABEL_NAME };

static const char *label_of(const struct table *table, uint32_t index, enum label label)
{
    return ((const char *const *)(const void *)((const char *)table->items + index * table->size))[label];
}

static uint32_t count_matches(const struct table *table, enum label label, const char *text, uint32_t *first)
{
    uint32_t matches = 0;
    for (uint32_t i = 0; i < table->count; i++)
        if (strcmp(label_of(table, i, label), text) == 0 && matches++ == 0)
            *first = i;
    return matches;
}

/* Comparing is slow, so in a large scene only the first names are looked at. */
static cp_status report_missing(cp_context *context, const struct table *table, const char *name)
{
    enum { MOST = 10000 };
    uint32_t count = table->count < MOST ? table->count : MOST;
    const char **words = memory_allocate(context, (size_t)count + 1, sizeof *words);
    if (!words)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++)
        words[i] = label_of(table, i, LABEL_NAME);
    words[count] = NULL;
    cp_status status = report_unknown(context, "filter-no-such-name", table->kind, name, strlen(name), words);
    memory_free(context, words, (size_t)count + 1, sizeof *words);
    return status;
}

static cp_status report_ambiguous(cp_context *context, const struct table *table, const char *name, uint32_t matches)
{
    enum { MOST = 8 };
    struct buffer ids = {.context = context};
    uint32_t named = 0;
    for (uint32_t i = 0; i < table->count && named < MOST; i++)
        if (strcmp(label_of(table, i, LABEL_NAME), name) == 0) {
            buffer_text(&ids, named++ > 0 ? ", id:" : "id:");
            buffer_text(&ids, label_of(table, i, LABEL_ID));
        }
    buffer_text(&ids, matches > named ? ", ..." : "");
    buffer_append(&ids, "", 1);
    cp_status status = ids.failed ? CP_LIMIT
                                  : report_error(context, CP_USAGE, "filter-ambiguous-name", NOWHERE,
                                                 "%u %ss are named \"%s\": %s", matches, table->kind, name, ids.data);
    buffer_free(&ids);
    return status;
}

cp_status find_named(const cp_scene *scene, enum named_kind kind, const char *name, uint32_t *index)
{
    struct table table = table_of(scene, kind);
    bool by_id = strncmp(name, "id:", 3) == 0;
    uint32_t matches = count_matches(&table, LABEL_NAME, name, index);
    if (matches == 0)
        matches = count_matches(&table, LABEL_ID, by_id ? name + 3 : name, index);
    if (matches == 0)
        return report_missing(scene->context, &table, name);
    return matches == 1 ? CP_OK : report_ambiguous(scene->context, &table, name, matches);
}

/* Finds one thing of a scene by name. */
#include "tables.h"

#include <string.h>

#include "base/text/text.h"

/* Returns a row's name or id. */
static const char *label_of(const cp_scene *scene, enum scene_table table, uint32_t index, enum member_kind kind)
{
    return row_pointer(table_row(scene, table, index), table_member(table, kind)->at);
}

static uint32_t count_matches(const cp_scene *scene, enum scene_table table, enum member_kind kind, const char *text,
                              uint32_t *first)
{
    uint32_t matches = 0;
    for (uint32_t i = 0; i < table_count(scene, table); i++)
        if (strcmp(label_of(scene, table, i, kind), text) == 0 && matches++ == 0)
            *first = i;
    return matches;
}

/* Returns the user's word for a row of the table. */
static const char *word_of(enum scene_table table)
{
    return table == TABLE_NODES ? "frame" : tables[table].word;
}

/* Reports a few of the known names, as no name is near. */
static cp_status report_known(const cp_scene *scene, enum scene_table table, const char *name, const char *const *words)
{
    enum { HANDFUL = 5 };
    struct buffer known = {.context = scene->context};
    uint32_t count = table_count(scene, table), named = 0;
    for (; named < HANDFUL && words[named]; named++)
        buffer_print(&known, "%s\"%.100s\"", named > 0 ? ", " : "", words[named]);
    buffer_text(&known, count > named ? ", ..." : "");
    buffer_append(&known, "", 1);
    cp_status status =
        known.failed ? CP_LIMIT
                     : report_error(scene->context, CP_USAGE, "filter-no-such-name", NOWHERE, "unknown %s \"%s\"; %s%s",
                                    word_of(table), name, count > 0 ? "there are " : "there are none", known.data);
    buffer_free(&known);
    return status;
}

/* Reports the nearest name. In a large scene only the first names are compared, as that is slow. */
static cp_status report_missing(const cp_scene *scene, enum scene_table table, const char *name)
{
    enum { MOST = 10000 };
    cp_context *context = scene->context;
    uint32_t count = table_count(scene, table) < MOST ? table_count(scene, table) : MOST;
    const char **words = memory_allocate(context, (size_t)count + 1, sizeof *words);
    if (!words)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++)
        words[i] = label_of(scene, table, i, MEMBER_NAME);
    words[count] = NULL;
    cp_status status = nearest_word(name, words)
                           ? report_unknown(context, "filter-no-such-name", word_of(table), name, strlen(name), words)
                           : report_known(scene, table, name, words);
    memory_free(context, words, (size_t)count + 1, sizeof *words);
    return status;
}

static cp_status report_ambiguous(const cp_scene *scene, enum scene_table table, const char *name, uint32_t matches)
{
    enum { MOST = 8 };
    struct buffer ids = {.context = scene->context};
    uint32_t named = 0;
    for (uint32_t i = 0; named < matches && named < MOST; i++)
        if (strcmp(label_of(scene, table, i, MEMBER_NAME), name) == 0) {
            buffer_text(&ids, named++ > 0 ? ", id:" : "id:");
            buffer_text(&ids, label_of(scene, table, i, MEMBER_ID));
        }
    buffer_text(&ids, matches > named ? ", ..." : "");
    buffer_append(&ids, "", 1);
    cp_status status = ids.failed
                           ? CP_LIMIT
                           : report_error(scene->context, CP_USAGE, "filter-ambiguous-name", NOWHERE,
                                          "%u %ss are named \"%s\": %s", matches, word_of(table), name, ids.data);
    buffer_free(&ids);
    return status;
}

cp_status find_named(const cp_scene *scene, enum scene_table table, const char *name, uint32_t *index)
{
    const char *id = strncmp(name, "id:", 3) == 0 ? name + 3 : name;
    uint32_t matches = count_matches(scene, table, MEMBER_NAME, name, index);
    if (matches == 0)
        matches = count_matches(scene, table, MEMBER_ID, id, index);
    if (matches == 0)
        return report_missing(scene, table, name);
    return matches == 1 ? CP_OK : report_ambiguous(scene, table, name, matches);
}

/* Reads small cells from texts, and asks what the filter exclude says of them. */
#ifndef EXCLUDE_SUPPORT_H
#define EXCLUDE_SUPPORT_H

#include "plain_numbers.h"

#include "scene_fixture.h" /* follows headers whose arguments have its names */

/* The text with a line end for each semicolon, as the format asks for. */
static inline cp_status read_text(const char *text)
{
    char lines[2000];
    size_t size = strlen(text);
    assert_true(size < sizeof lines);
    for (size_t i = 0; i < size; i++)
        lines[i] = text[i] == ';' ? '\n' : text[i];
    return cp_read_memory(context, lines, size, "cell.wu", "tag", NULL, 0, &scene);
}

static inline void read_cell(const char *text)
{
    cp_scene_free(scene);
    scene = NULL;
    expect_status(context, read_text(text), CP_OK);
}

/* Gives a frame another pose in its parent's. */
static inline void place_frame(const char *name, cp_pose local)
{
    struct draft draft = draft_of(scene);
    draft.nodes[find_node(scene, name)].local = local;
    change_scene(&draft);
}

enum { MOST_OPTIONS = 4 };

/* options: with blanks between. */
static inline cp_status exclude_with(const char *options)
{
    char text[200], *items[MOST_OPTIONS];
    size_t count = 0;
    plain_snprintf(text, sizeof text, "%s", options);
    for (char *item = strtok(text, " "); item; item = strtok(NULL, " "))
        items[count++] = item;
    return cp_apply(context, scene, "exclude", (const char *const *)items, count);
}

static inline const cp_pair *pair_of(const char *one, const char *other)
{
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        const char *first = cp_nodes(scene, NULL)[cp_pairs(scene, NULL)[i].first].name;
        const char *second = cp_nodes(scene, NULL)[cp_pairs(scene, NULL)[i].second].name;
        if ((!strcmp(first, one) && !strcmp(second, other)) || (!strcmp(first, other) && !strcmp(second, one)))
            return &cp_pairs(scene, NULL)[i];
    }
    fail_msg("no pair %s %s", one, other);
    return NULL;
}

static inline void assert_reason(const char *one, const char *other, const char *reason)
{
    const cp_pair *pair = pair_of(one, other);
    bool excluded = strstr(reason, "proved") || strstr("static adjacent user", reason);
    assert_string_equal(pair->reason, reason);
    assert_int_equal(pair->verdict, excluded ? CP_PAIR_EXCLUDED : CP_PAIR_KEPT);
}

static inline void judge(const char *text, const char *options)
{
    read_cell(text);
    expect_status(context, exclude_with(options), CP_OK);
}

static inline uint32_t node_of(const char *name)
{
    for (uint32_t i = 0; i < count_nodes(scene); i++)
        if (strcmp(cp_nodes(scene, NULL)[i].name, name) == 0)
            return i;
    fail_msg("no node %s", name);
    return 0;
}

#endif

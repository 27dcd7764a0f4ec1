/* diff: matches the frames and joints of two files: by name, by a file of names, or along the kinematic chains. */
#include "inputs/line.h"
#include "diff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- by name ---- */

struct named {
    const char *name;
    uint32_t index;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *one = a, *two = b;
    int order = strcmp(one->name, two->name);
    return order ? order : one->index < two->index ? -1 : one->index > two->index;
}

/* The things of a side that are matched next, and the twins that they get. */
struct names {
    struct named *items;
    size_t count;
    uint32_t *twin;
};

/* Matches the things of one name in their order. */
static void match(struct names names[2])
{
    struct names *a = &names[0], *b = &names[1];
    qsort(a->items, a->count, sizeof *a->items, compare_named);
    qsort(b->items, b->count, sizeof *b->items, compare_named);
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        int order = strcmp(a->items[i].name, b->items[j].name);
        if (order == 0) {
            a->twin[a->items[i].index] = b->items[j].index;
            b->twin[b->items[j].index] = a->items[i].index;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static bool names_open(struct cli *cli, struct names *names, uint32_t count)
{
    names->items = cli_allocate(cli, count * sizeof *names->items);
    names->twin = cli_allocate(cli, count * sizeof *names->twin);
    for (uint32_t i = 0; names->twin && i < count; i++)
        names->twin[i] = CP_NONE;
    return names->items && names->twin;
}

cp_status match_sides(struct diff *diff)
{
    struct diff_side *sides[2] = {&diff->a, &diff->b};
    struct names names[2] = {0};
    const char *stems[2];
    for (int k = 0; k < 2; k++) {
        stems[k] = path_stem(diff->cli, cp_scene_source(sides[k]->scene)->file);
        sides[k]->node_by = cli_allocate(diff->cli, sides[k]->node_count);
        sides[k]->joint_by = cli_allocate(diff->cli, sides[k]->joint_count);
        if (!stems[k] || !sides[k]->node_by || !sides[k]->joint_by ||
            !names_open(diff->cli, &names[k], sides[k]->node_count))
            return CP_LIMIT;
        sides[k]->node_twin = names[k].twin;
        sides[k]->node_twin[0] = 0; /* the worlds are twins even if their names differ */
    }
    /* Match frames first; then the rest named by their files, since the names of two files are no difference; then
     * placeholders. */
    enum { FRAMES, STEMS, PLACEHOLDERS, ROUNDS };
    for (int round = FRAMES; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            const struct diff_side *side = sides[k];
            names[k].count = 0;
            for (uint32_t i = 1; i < side->node_count; i++) {
                const char *name = side->nodes[i].name;
                bool stem = round == STEMS, unfit = stem && (side->node_twin[i] != CP_NONE || strcmp(name, stems[k]));
                if (is_placeholder(side->scene, i) == (round == PLACEHOLDERS) && !unfit)
                    names[k].items[names[k].count++] = (struct named){stem ? "" : name, i};
            }
        }
        match(names);
    }
    if (diff->world_in_b > 0 && diff->b.node_twin[diff->world_in_b] == CP_NONE) {
        diff->a.node_twin[0] = diff->world_in_b;
        diff->b.node_twin[diff->world_in_b] = 0;
    }
    for (int k = 0; k < 2; k++) {
        struct diff_side *side = sides[k];
        if (!names_open(diff->cli, &names[k], side->joint_count))
            return CP_LIMIT;
        for (uint32_t i = 0; i < side->joint_count; i++)
            names[k].items[i] = (struct named){side->joints[i].name, i};
        names[k].count = side->joint_count;
        side->joint_twin = names[k].twin;
    }
    match(names);
    return CP_OK;
}

/* ---- by a file of names ---- */

struct map_file {
    struct diff *diff;
    const char *path;
    struct name_map nodes[2], joints[2]; /* map names of a and b to the first rows that have them */
};

/* Makes two rows twins, and leaves the twins that they had alone. */
static void make_twins(uint32_t *twin_a, uint32_t *twin_b, uint32_t in_a, uint32_t in_b)
{
    if (twin_a[in_a] != CP_NONE)
        twin_b[twin_a[in_a]] = CP_NONE;
    if (twin_b[in_b] != CP_NONE)
        twin_a[twin_b[in_b]] = CP_NONE;
    twin_a[in_a] = in_b;
    twin_b[in_b] = in_a;
}

/* Splits a line at its first tab, or else at the blanks between two words. False if it has not two names. */
static bool split_line(char *line, char **first, char **second)
{
    *first = line + strspn(line, " \t");
    char *tab = strchr(*first, '\t'), *end = tab ? tab : *first + strcspn(*first, " ");
    if (!**first || !*end)
        return false;
    *second = end + strspn(end, " \t");
    *end = '\0';
    for (char *last = *second + strlen(*second); last > *second && strchr(" \t\r", last[-1]); *last = '\0')
        last--;
    return **second && (tab || !strpbrk(*second, " \t"));
}

static cp_status take_map_line(void *user, uint64_t line, const char *text, size_t size, bool whole)
{
    struct map_file *map = user;
    struct diff *diff = map->diff;
    char *first, *second, *copy = cli_print(diff->cli, "%.*s", (int)(size < 65536 ? size : 65536), text);
    (void)whole;
    if (!copy)
        return CP_LIMIT;
    const char *start = copy + strspn(copy, " \t\r");
    if (!*start || *start == '#')
        return CP_OK;
    if (!split_line(copy, &first, &second))
        return complain(diff->cli, CP_INPUT, "%s:%llu: a line has two names, with a tab or blanks between", map->path,
                        (unsigned long long)line);
    const uint32_t *node_a = name_map_find(&map->nodes[0], first), *node_b = name_map_find(&map->nodes[1], second);
    const uint32_t *joint_a = name_map_find(&map->joints[0], first), *joint_b = name_map_find(&map->joints[1], second);
    if (node_a && node_b) {
        make_twins(diff->a.node_twin, diff->b.node_twin, *node_a, *node_b);
        diff->a.node_by[*node_a] = MATCHED_BY_MAP;
    }
    if (joint_a && joint_b) {
        make_twins(diff->a.joint_twin, diff->b.joint_twin, *joint_a, *joint_b);
        diff->a.joint_by[*joint_a] = MATCHED_BY_MAP;
    }
    if ((node_a && node_b) || (joint_a && joint_b))
        return CP_OK;
    bool in_a = node_a || joint_a;
    return complain(diff->cli, CP_INPUT, "%s:%llu: %s has no frame or joint \"%s\"%s", map->path,
                    (unsigned long long)line, in_a ? diff->b.path : diff->a.path, in_a ? second : first,
                    in_a && (node_b || joint_b) ? " of the same kind" : "");
}

static bool learn_names(struct map_file *map)
{
    const struct diff_side *sides[2] = {&map->diff->a, &map->diff->b};
    bool good = true;
    for (int k = 0; k < 2; k++) {
        map->nodes[k].context = map->joints[k].context = map->diff->cli->context;
        for (uint32_t i = 0; good && i < sides[k]->node_count; i++)
            good = is_placeholder(sides[k]->scene, i) || name_map_add(&map->nodes[k], sides[k]->nodes[i].name, i, NULL);
        for (uint32_t i = 0; good && i < sides[k]->joint_count; i++)
            good = name_map_add(&map->joints[k], sides[k]->joints[i].name, i, NULL);
    }
    return good;
}

cp_status match_by_file(struct diff *diff, const char *path)
{
    struct map_file map = {.diff = diff, .path = path};
    uint64_t line;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return complain(diff->cli, CP_INPUT, "%s cannot be opened: %s", path, strerror(errno));
    cp_status status =
        learn_names(&map) ? read_lines(diff->cli->context, file, '\n', take_map_line, &map, &line) : CP_LIMIT;
    if (status == CP_INPUT && line == 0)
        status = complain(diff->cli, CP_INPUT, "%s cannot be read: %s", path, strerror(errno));
    (void)close(file);
    for (int k = 0; k < 2; k++) {
        name_map_free(&map.nodes[k]);
        name_map_free(&map.joints[k]);
    }
    return status;
}

/* ---- along the chains ---- */

bool joint_moves(const cp_joint *joint)
{
    return joint->type != CP_JOINT_FIXED;
}

/* Finds for each joint the next one towards the world that moves, or CP_NONE. */
static bool find_above(struct cli *cli, const struct diff_side *side, uint32_t *above)
{
    uint32_t *last = cli_allocate(cli, side->node_count * sizeof *last); /* the last joint that moves each node */
    for (uint32_t node = 0; last && node < side->node_count; node++) {
        const cp_node *row = &side->nodes[node];
        last[node] = row->parent == CP_NONE ? CP_NONE : last[row->parent];
        for (uint32_t i = row->first_joint; i < row->first_joint + row->joint_count; i++) {
            above[i] = last[node];
            if (joint_moves(&side->joints[i]))
                last[node] = i;
        }
    }
    return last;
}

/* The joints of a side that move and have no twin, as a list for each joint above them; that below no joint is in the
 * last place. */
struct waiting {
    uint32_t *first, *last, *next;
};

static bool list_waiting(struct cli *cli, const struct diff_side *side, const uint32_t *above, struct waiting *waiting)
{
    size_t size = ((size_t)side->joint_count + 1) * sizeof(uint32_t);
    *waiting = (struct waiting){cli_allocate(cli, size), cli_allocate(cli, size), cli_allocate(cli, size)};
    if (!waiting->first || !waiting->last || !waiting->next)
        return false;
    memset(waiting->first, 0xff, size);
    memset(waiting->next, 0xff, size);
    for (uint32_t i = 0; i < side->joint_count; i++) {
        uint32_t list = above[i] == CP_NONE ? side->joint_count : above[i];
        if (side->joint_twin[i] != CP_NONE || !joint_moves(&side->joints[i]))
            continue;
        if (waiting->first[list] == CP_NONE)
            waiting->first[list] = i;
        else
            waiting->next[waiting->last[list]] = i;
        waiting->last[list] = i;
    }
    return true;
}

cp_status match_by_chain(struct diff *diff)
{
    struct diff_side *a = &diff->a, *b = &diff->b;
    uint32_t *above_a = cli_allocate(diff->cli, a->joint_count * sizeof *above_a);
    uint32_t *above_b = cli_allocate(diff->cli, b->joint_count * sizeof *above_b);
    struct waiting waiting;
    if (!above_a || !above_b || !find_above(diff->cli, a, above_a) || !find_above(diff->cli, b, above_b) ||
        !list_waiting(diff->cli, b, above_b, &waiting))
        return CP_LIMIT;
    for (uint32_t i = 0; i < a->joint_count; i++) {
        if (a->joint_twin[i] != CP_NONE || !joint_moves(&a->joints[i]))
            continue;
        uint32_t list = above_a[i] == CP_NONE ? b->joint_count : a->joint_twin[above_a[i]];
        uint32_t twin = list == CP_NONE ? CP_NONE : waiting.first[list];
        if (twin == CP_NONE || a->joints[i].type != b->joints[twin].type)
            continue;
        waiting.first[list] = waiting.next[twin];
        make_twins(a->joint_twin, b->joint_twin, i, twin);
        a->joint_by[i] = MATCHED_BY_CHAIN;
    }

    /* The frames of such joints belong together, too, unless their names say otherwise. */
    for (uint32_t i = 0; i < a->joint_count; i++) {
        uint32_t twin = a->joint_twin[i];
        if (twin == CP_NONE || a->joint_by[i] == MATCHED_BY_NAME)
            continue;
        uint32_t in_a = a->joints[i].node, in_b = b->joints[twin].node;
        if (a->node_twin[in_a] != CP_NONE || b->node_twin[in_b] != CP_NONE)
            continue;
        make_twins(a->node_twin, b->node_twin, in_a, in_b);
        a->node_by[in_a] = MATCHED_BY_CHAIN;
    }
    return CP_OK;
}

/* diff OLD NEW cell=CELL: tells what changed between two lists of exclusions, and which of their pairs collide after
 * all. */
#include "diff.h"
#include "statements.h"

#include <stdlib.h>
#include <string.h>

/* ---- comparing ---- */

/* All statements on two frames: those of the lists and, last, the finding in the cell; NULL if there is none. */
struct said {
    const struct statement *by[3];
    bool excluded[2]; /* by the lists */
};

/* Takes the next pair of names in any of the three; false at the end. */
static bool take_next(const struct statements sides[3], size_t places[3], struct said *said)
{
    const struct statement *least = NULL;
    for (int i = 0; i < 3; i++) {
        const struct statement *next = places[i] < sides[i].count ? &sides[i].items[places[i]] : NULL;
        if (next && (!least || compare_names(next, least) < 0))
            least = next;
    }
    for (int i = 0; i < 3 && least; i++) {
        const struct statement *next = places[i] < sides[i].count ? &sides[i].items[places[i]] : NULL;
        said->by[i] = next && compare_names(next, least) == 0 ? next : NULL;
        places[i] += said->by[i] != NULL;
    }
    return least != NULL;
}

/* Returns the difference of the pair. */
static struct difference difference_of(const struct said *said, const char *property)
{
    const struct statement *any = said->by[0] ? said->by[0] : said->by[1] ? said->by[1] : said->by[2];
    return (struct difference){.subject = "exclusion",
                               .name = any->names[0],
                               .second = any->names[1],
                               .property = property,
                               .reason = said->by[2] ? said->by[2]->pair->reason : NULL};
}

/* Tells an exclusion that is wrong or impossible by the finding in the cell. */
static void tell_fault(struct diff *diff, const struct statements sides[3], const struct said *said)
{
    const char *path = said->excluded[1] ? sides[1].path : sides[0].path;
    const char *by = said->excluded[0] && said->excluded[1] ? "both" : path;
    const cp_pair *pair = said->by[2] ? said->by[2]->pair : NULL;
    if ((!said->excluded[0] && !said->excluded[1]) || (pair && statement_rank(pair) == 0))
        return;
    struct difference difference = difference_of(said, pair ? "collides" : "frames");
    difference.excluded_by = (said->excluded[0] ? IN_A : 0) | (said->excluded[1] ? IN_B : 0);
    if (!pair) {
        differ(diff, &difference, "in %s, but not two frames of %s that can collide", by, sides[2].path);
        return;
    }
    bool always = strcmp(pair->reason, "always-sampled") == 0;
    difference.collision = pair->finding;
    difference.scene = sides[2].scene;
    differ(diff, &difference, "excluded by %s, but %s", by,
           always ? "that they always touch is not proved: they collide" : "they collide");
}

static void compare_lists(struct diff *diff, const struct statements sides[3])
{
    size_t places[3] = {0};
    for (struct said said; take_next(sides, places, &said);) {
        const char *reason = said.by[2] ? said.by[2]->pair->reason : NULL;
        for (int i = 0; i < 2; i++)
            said.excluded[i] =
                said.by[i] || (cp_excludes_static_pairs(sides[i].scene) && reason && strcmp(reason, "static") == 0);
        if (said.excluded[0] != said.excluded[1]) {
            struct difference difference = difference_of(&said, "presence");
            difference.only_in = said.excluded[0] ? IN_A : IN_B;
            differ(diff, &difference, "only in %s%s%s%s", sides[said.excluded[1]].path, reason ? " (" : "",
                   reason ? reason : "", reason ? ")" : "");
        }
        tell_fault(diff, sides, &said);
    }
}

/* ---- volatile frames ---- */

static cp_status compare_volatiles(struct diff *diff, const struct statements sides[2])
{
    struct list names[2] = {0};
    for (int k = 0; k < 2; k++) {
        uint32_t count;
        const cp_node *nodes = cp_nodes(sides[k].scene, &count);
        for (uint32_t i = 0; i < count; i++)
            if (nodes[i].flags & CP_NODE_VOLATILE && !list_add(diff->cli, &names[k], nodes[i].name))
                return CP_LIMIT;
        sort_texts(&names[k]);
    }
    for (size_t i = 0, j = 0; i < names[0].count || j < names[1].count;) {
        int order = i == names[0].count ? 1 : j == names[1].count ? -1 : strcmp(names[0].items[i], names[1].items[j]);
        if (order != 0)
            differ(diff,
                   &ABOUT("volatile", order < 0 ? names[0].items[i] : names[1].items[j], "presence",
                          .only_in = order < 0 ? IN_A : IN_B),
                   "only in %s", sides[order > 0].path);
        i += order <= 0;
        j += order >= 0;
    }
    return CP_OK;
}

/* ---- all ---- */

cp_status diff_lists(struct diff *diff, const struct request *request, const char *cell)
{
    struct cli *cli = diff->cli;
    const struct list *settings = &request->settings;
    struct statements sides[3] = {{.path = request->words.items[0]}, {.path = request->words.items[1]}, {.path = cell}};
    cp_scene *scenes[3] = {NULL};
    bool as_list = !request->from && request->in.count == 0; /* else the user gives the format of the file */
    cp_status status = cp_check_options(cli->context, CP_FILTER, "exclude", settings->items, settings->count);
    for (int i = 0; i < 3 && status == CP_OK; i++)
        status = i < 2 && as_list ? finish_read(cli, cp_read_list(cli->context, sides[i].path, &scenes[i]), &scenes[i])
                                  : read_input(cli, sides[i].path, request, &scenes[i]);
    if (status == CP_OK)
        status = cp_apply(cli->context, scenes[2], "exclude", settings->items, settings->count);
    for (int i = 0; i < 3 && status == CP_OK; i++)
        status = list_statements(cli, scenes[i], i == 2, &sides[i]);
    if (status == CP_OK) {
        compare_lists(diff, sides);
        status = compare_volatiles(diff, sides);
    }
    for (int i = 0; i < 3; i++)
        cp_scene_free(scenes[i]);
    return status == CP_OK && diff->differences > 0 ? CP_NO : status;
}

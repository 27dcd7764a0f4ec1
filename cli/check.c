/* check: is a file whole and sound? 0 yes, 1 no. */
#include "parts.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wanted {
    struct request request;
    const char *path, *list;                              /* the list of exclusions, or NULL */
    bool closed, manifold, oriented, clean, solid, scene; /* the words that were given */
};

/* Of the words those count that the table has; one that is near to these is told first. */
static cp_status complain_words(struct cli *cli, const struct list *words)
{
    struct list names = {0};
    const struct option *option;
    const char *text = "", *nearest = NULL;
    for (size_t i = 0; (option = option_at(&check_command, i)) && text; i++)
        if (!is_flag(option) && !option->value)
            text = list_add(cli, &names, option->name) ? cli_print(cli, "%s%s%s", text, *text ? ", " : "", option->name)
                                                       : NULL;
    if (!text || !list_add(cli, &names, NULL))
        return CP_LIMIT;
    size_t wrong = words->count;
    while (!nearest && wrong > 0)
        nearest = cp_nearest_word(words->items[--wrong], names.items);
    return complain(cli, CP_USAGE, "check takes one input and the words %s, not also \"%s\"%s%s%s", text,
                    words->items[nearest ? wrong : 1], nearest ? "; did you mean " : "", nearest ? nearest : "",
                    nearest ? "?" : "");
}

/* A line on standard output, an entry of the report. CP_NO; CP_LIMIT where there is no text. */
static cp_status tell(struct cli *cli, const char *path, const char *code, const char *text)
{
    const char *line = text ? cli_show(cli, "%s: %s", path, text) : NULL;
    if (!line)
        return CP_LIMIT;
    printf("%s\n", line);
    log_fault(cli, code, path, text, line);
    return CP_NO;
}

static void say_ok(struct cli *cli, const char *path)
{
    say(cli, "%s: ok", path);
    printf("\n");
}

/* CP_NO is outdone by what keeps us from going on. */
static void add_outcome(cp_status *status, cp_status outcome)
{
    if (*status == CP_OK || (*status == CP_NO && outcome != CP_OK))
        *status = outcome;
}

/* ---- what is wrong with a mesh ---- */

/* What a mesh may be asked to be, and what keeps it from being so. */
struct property {
    bool asked;
    const char *code, *what;
    struct {
        uint64_t count;
        const char *what;
    } faults[3];
};

/* A line for each property that is asked for and lacking: of closed with all numbers, else with those above 0. */
static cp_status check_mesh(struct cli *cli, const struct wanted *wanted, const cp_mesh *mesh,
                            const cp_topology *topology)
{
    const struct property properties[] = {
        {wanted->closed && !topology->closed,
         "check-closed",
         "is not closed",
         {{topology->border_edges, "border edges"},
          {topology->non_manifold_edges, "edges of more than two faces"},
          {topology->misoriented_edges, "edges between faces that are wound against each other"}}},
        {wanted->manifold,
         "check-manifold",
         "is not manifold",
         {{topology->non_manifold_edges, "edges of more than two faces"},
          {topology->touching_vertices, "vertices where the surface touches itself"}}},
        {wanted->oriented,
         "check-oriented",
         "is not oriented",
         {{topology->flipped_faces, "flipped faces"},
          {topology->inside_out_shells, "shells that are inside out"},
          {topology->one_sided_shells, "shells with only one side"}}},
        {wanted->clean,
         "check-clean",
         "is not clean",
         {{topology->degenerate_faces, "faces without area"},
          {topology->duplicate_faces, "faces that are there twice"},
          {topology->flat_shells, "closed shells without volume"}}}};
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const struct property *property = &properties[i];
        bool empty = i == 0 && topology->edges == 0;
        const char *text = empty ? "no faces" : "";
        for (int k = 0; k < 3 && property->asked && text && !empty; k++)
            if (property->faults[k].what && (i == 0 || property->faults[k].count > 0))
                text = cli_print(cli, "%s%s%" PRIu64 " %s", text, *text ? ", " : "", property->faults[k].count,
                                 property->faults[k].what);
        if (text && (!property->asked || !*text))
            continue;
        if (text)
            text = cli_print(cli, "mesh \"%s\" %s: %s", mesh_name(mesh), property->what, text);
        add_outcome(&status, tell(cli, wanted->path, property->code, text));
    }
    return status;
}

/* Of a part is asked what an engineer asks of a solid; the meshes of a cell are what its author made of them. */
static cp_status check_scene(struct cli *cli, const cp_scene *scene, struct wanted *wanted)
{
    cp_status status = cp_validate(cli->context, scene);
    bool any = wanted->closed || wanted->manifold || wanted->oriented || wanted->clean || wanted->solid;
    if (!any && !wanted->scene)
        wanted->solid = any = !is_cell(scene);
    if (wanted->solid)
        wanted->closed = wanted->manifold = wanted->oriented = wanted->clean = true;
    struct parts parts = {0};
    if (status == CP_OK && any)
        status = list_parts(cli, scene, false, &parts);
    for (uint32_t i = 0; i < parts.count && (status == CP_OK || status == CP_NO); i++)
        if (parts.items[i].mesh->kind != CP_MESH_LINES)
            add_outcome(&status, check_mesh(cli, wanted, parts.items[i].mesh, &parts.items[i].topology));
    return status == CP_BUG ? CP_NO : status;
}

/* ---- what is wrong with a list of exclusions ---- */

struct list_check {
    struct cli *cli;
    const char *path;
    cp_status status;
};

static const char *fault_text(struct cli *cli, const cp_list_fault *fault)
{
    const char *first = fault->first, *second = fault->second;
    switch (fault->kind) {
    case CP_LIST_FRAME_GONE:
        return cli_print(cli, "frame \"%s\" is gone", first);
    case CP_LIST_FRAME_NEW:
        return cli_print(cli, "frame \"%s\" is new: no pair of it was looked at", first);
    case CP_LIST_NOT_VOLATILE:
        return cli_print(cli, "frame \"%s\" is volatile, and the list does not say so", first);
    case CP_LIST_STATIC:
        return "all static pairs are excluded by the list, but not by the evidence";
    case CP_LIST_FIRST_CHANGED:
        return cli_print(cli, "the geometry of \"%s\" has changed", first);
    case CP_LIST_SECOND_CHANGED:
        return cli_print(cli, "the geometry of \"%s\" has changed", second);
    case CP_LIST_BOTH_CHANGED:
        return cli_print(cli, "the geometry of \"%s\" and \"%s\" has changed", first, second);
    case CP_LIST_MOTION_CHANGED:
        return "joints or poses between them, or what may be moved, have changed";
    case CP_LIST_NOT_LISTED:
        return "is excluded by the evidence, but not by the list";
    case CP_LIST_NOT_EVIDENT:
        return "is excluded by the list, but not by the evidence";
    }
    return NULL;
}

static void tell_list_fault(void *user, const cp_list_fault *fault)
{
    struct list_check *check = user;
    const char *text = fault_text(check->cli, fault);
    if (text && fault->kind > CP_LIST_STATIC)
        text = cli_print(check->cli, "pair \"%s\" \"%s\": %s", fault->first, fault->second, text);
    if (tell(check->cli, check->path, "check-list", text) != CP_NO)
        check->status = CP_LIMIT;
}

static cp_status command_check(struct cli *cli)
{
    struct wanted wanted = {0};
    const struct list *words = &wanted.request.words;
    cp_scene *scene;
    struct stat facts;
    cp_status status = sort_words(cli, 1, cli->words.count, &check_command, &wanted);
    if (status != CP_OK)
        return status;
    if (words->count > 1)
        return complain_words(cli, words);
    if (words->count == 0)
        return complain(cli, CP_USAGE,
                        "check needs an input: cellpipe check [closed|manifold|oriented|clean|solid|scene]... IN");
    if (wanted.list && strcmp(wanted.list, "-") == 0)
        return complain(cli, CP_USAGE, "a list of exclusions is a file, beside which its evidence lies");
    const char *path = wanted.path = words->items[0];
    status = read_input(cli, path, &wanted.request, &scene);
    /* What the reader finds wrong with a file is an answer; a file that cannot even be opened is none. */
    if (status == CP_INPUT &&
        (strcmp(path, "-") == 0 || (access(path, R_OK) == 0 && stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode))))
        status = CP_NO;
    if (status != CP_OK)
        return status;
    status = check_scene(cli, scene, &wanted);
    if (status == CP_OK)
        say_ok(cli, path);
    if (wanted.list && (status == CP_OK || status == CP_NO)) {
        struct list_check check = {.cli = cli, .path = wanted.list};
        cp_status outcome = cp_check_list(cli->context, scene, wanted.list, tell_list_fault, &check);
        if (outcome == CP_OK)
            say_ok(cli, wanted.list);
        add_outcome(&status, check.status == CP_OK ? outcome : check.status);
    }
    cp_scene_free(scene);
    return status;
}

static const struct option options[] = {
    {"closed", NULL, OPTION_SWITCH, offsetof(struct wanted, closed),
     .help = "no border edges, no edges of more than two faces, no neighbours wound against each other"},
    {"manifold", NULL, OPTION_SWITCH, offsetof(struct wanted, manifold),
     .help = "no edges of more than two faces, no vertices where the surface touches itself"},
    {"oriented", NULL, OPTION_SWITCH, offsetof(struct wanted, oriented),
     .help = "no flipped faces, no shells that are inside out or have one side only"},
    {"clean", NULL, OPTION_SWITCH, offsetof(struct wanted, clean),
     .help = "no faces without area, no faces that are there twice, no closed shells without volume"},
    {"solid", NULL, OPTION_SWITCH, offsetof(struct wanted, solid), .help = "all of these; the default for a part"},
    {"scene", NULL, OPTION_SWITCH, offsetof(struct wanted, scene),
     .help = "none of these; the default for a cell: a tag workcell, or what has joints, devices, exclusions, clips, "
             "or frames that may move"},
    {"list", "LIST", OPTION_TEXT, offsetof(struct wanted, list),
     .help =
         "check that LIST, a list of collision exclusions written as collision-setup with evidence=yes, still fits the "
         "cell (docs/exclusion.md)"},
    {0}};

const struct command check_command = {.name = "check",
                                      .title = "check whether a file is sound",
                                      .usage = "[closed|manifold|oriented|clean|solid|scene]... IN [list=LIST]",
                                      .help = "Lists faults, and ends with 1 if there are any: errors of the file, "
                                              "an inconsistent scene, meshes that fail a test. Each word adds a test "
                                              "of every mesh.",
                                      .examples = "cellpipe check solid part.stl || echo \"not sound\"",
                                      .options = options,
                                      .reads = true,
                                      .run = command_check};

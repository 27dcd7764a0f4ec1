/* check: is a file whole and sound? 0 yes, 1 no. */
#include "parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLOSED = 1 << 0, MANIFOLD = 1 << 1, ORIENTED = 1 << 2, CLEAN = 1 << 3, SOLID = (1 << 4) - 1 };

static const struct {
    const char *word;
    unsigned faults;
} words[] = {{"closed", CLOSED}, {"manifold", MANIFOLD}, {"oriented", ORIENTED},
             {"clean", CLEAN},   {"solid", SOLID},       {"scene", 0}};

struct wanted {
    const char *path; /* NULL: not yet named */
    const char *list; /* of exclusions, or NULL */
    bool said;        /* some word was given */
    unsigned faults;  /* what meshes are asked for */
};

static bool take_word(struct wanted *wanted, const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0) {
            wanted->faults |= words[i].faults;
            wanted->said = true;
            return true;
        }
    return false;
}

static cp_status take_settings(struct cli *cli, const struct list *settings, struct wanted *wanted)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *text = settings->items[i];
        if (strncmp(text, "list=", 5) != 0 || !text[5])
            return complain(cli, CP_USAGE, "check takes list=FILE, not \"%s\"", text);
        wanted->list = text + 5;
    }
    return CP_OK;
}

static cp_status sort_wanted(struct cli *cli, const struct list *list, struct wanted *wanted)
{
    for (size_t i = 0; i < list->count; i++) {
        if (take_word(wanted, list->items[i]))
            continue;
        if (wanted->path)
            return complain(
                cli, CP_USAGE,
                "check takes one input and the words closed, manifold, oriented, clean, solid, scene, not also \"%s\"",
                list->items[i]);
        wanted->path = list->items[i];
    }
    if (!wanted->path)
        return complain(cli, CP_USAGE,
                        "check needs an input: cellpipe check [closed|manifold|oriented|clean|solid|scene]... IN");
    if (wanted->list && strcmp(wanted->list, "-") == 0)
        return complain(cli, CP_USAGE, "a list of exclusions is a file, beside which its evidence lies");
    return CP_OK;
}

/* ---- what is wrong with a mesh ---- */

/* A number and what it counts. */
struct fault {
    uint64_t count;
    const char *what;
};

/* A mesh or pair and what is wrong with it: a line on standard output, an entry of the report. */
struct line {
    FILE *file; /* NULL: nothing to say */
    char *text;
    size_t size;
};

static bool begin_line(const struct wanted *wanted, const cp_mesh *mesh, const char *what, struct line *line)
{
    line->file = open_memstream(&line->text, &line->size);
    if (line->file)
        fprintf(line->file, "%s: mesh \"%s\" %s: ", wanted->path, mesh_name(mesh), what);
    return line->file != NULL;
}

static cp_status end_line(struct cli *cli, const char *path, const char *code, struct line *line)
{
    bool good = fclose(line->file) == 0;
    if (good) {
        printf("%s\n", line->text);
        log_fault(cli, code, path, line->text, strlen(path) + 2);
    }
    free(line->text);
    return good ? CP_NO : complain(cli, CP_LIMIT, "out of memory");
}

/* A line with those that are there: CP_NO when some are. faults: ended by a `what` of NULL. */
static cp_status tell_faults(struct cli *cli, const struct wanted *wanted, const cp_mesh *mesh, const char *code,
                             const char *what, const struct fault *faults)
{
    struct line line = {0};
    for (const struct fault *fault = faults; fault->what; fault++) {
        const char *before = line.file ? ", " : "";
        if (fault->count == 0)
            continue;
        if (!line.file && !begin_line(wanted, mesh, what, &line))
            return complain(cli, CP_LIMIT, "out of memory");
        fprintf(line.file, "%s%" PRIu64 " %s", before, fault->count, fault->what);
    }
    return line.file ? end_line(cli, wanted->path, code, &line) : CP_OK;
}

static cp_status tell_open(struct cli *cli, const struct wanted *wanted, const cp_mesh *mesh,
                           const cp_topology *topology)
{
    struct line line;
    if (topology->closed)
        return CP_OK;
    if (!begin_line(wanted, mesh, "is not closed", &line))
        return complain(cli, CP_LIMIT, "out of memory");
    if (topology->edges == 0)
        fprintf(line.file, "no faces");
    else
        fprintf(line.file,
                "%" PRIu64 " border edges, %" PRIu64 " edges of more than two faces, %" PRIu64
                " edges between faces that are wound against each other",
                topology->border_edges, topology->non_manifold_edges, topology->misoriented_edges);
    return end_line(cli, wanted->path, "check-closed", &line);
}

/* CP_NO is outdone by what keeps us from going on. */
static void add_outcome(cp_status *status, cp_status outcome)
{
    if (*status == CP_OK || (*status == CP_NO && outcome != CP_OK))
        *status = outcome;
}

static cp_status check_mesh(struct cli *cli, const struct wanted *wanted, const cp_mesh *mesh,
                            const cp_topology *topology)
{
    const struct fault manifold[] = {{topology->non_manifold_edges, "edges of more than two faces"},
                                     {topology->touching_vertices, "vertices where the surface touches itself"},
                                     {0}};
    const struct fault oriented[] = {{topology->flipped_faces, "flipped faces"},
                                     {topology->inside_out_shells, "shells that are inside out"},
                                     {topology->one_sided_shells, "shells with only one side"},
                                     {0}};
    const struct fault clean[] = {{topology->degenerate_faces, "faces without area"},
                                  {topology->duplicate_faces, "faces that are there twice"},
                                  {topology->flat_shells, "closed shells without volume"},
                                  {0}};
    cp_status status = CP_OK;
    if (wanted->faults & CLOSED)
        add_outcome(&status, tell_open(cli, wanted, mesh, topology));
    if (wanted->faults & MANIFOLD)
        add_outcome(&status, tell_faults(cli, wanted, mesh, "check-manifold", "is not manifold", manifold));
    if (wanted->faults & ORIENTED)
        add_outcome(&status, tell_faults(cli, wanted, mesh, "check-oriented", "is not oriented", oriented));
    if (wanted->faults & CLEAN)
        add_outcome(&status, tell_faults(cli, wanted, mesh, "check-clean", "is not clean", clean));
    return status;
}

static cp_status check_meshes(struct cli *cli, const cp_scene *scene, const struct wanted *wanted)
{
    struct parts parts;
    cp_status status = list_parts(cli, scene, false, &parts);
    for (uint32_t i = 0; i < parts.count && (status == CP_OK || status == CP_NO); i++)
        if (parts.items[i].mesh->kind != CP_MESH_LINES)
            add_outcome(&status, check_mesh(cli, wanted, parts.items[i].mesh, &parts.items[i].topology));
    return status;
}

/* Of a part is asked what an engineer asks of a solid; the meshes of a cell are what its author made of them. */
static cp_status check_scene(struct cli *cli, const cp_scene *scene, struct wanted *wanted)
{
    cp_status status = cp_validate(cli->context, scene);
    if (!wanted->said && !is_cell(scene))
        wanted->faults = SOLID;
    if (status == CP_OK && wanted->faults)
        status = check_meshes(cli, scene, wanted);
    return status == CP_BUG ? CP_NO : status;
}

/* ---- what is wrong with a list of exclusions ---- */

struct list_check {
    struct cli *cli;
    const char *path;
    cp_status status;
};

static void print_fault(FILE *file, const cp_list_fault *fault)
{
    const char *first = fault->first, *second = fault->second;
    if (fault->kind > CP_LIST_STATIC)
        fprintf(file, "pair \"%s\" \"%s\": ", first, second);
    switch (fault->kind) {
    case CP_LIST_FRAME_GONE:
        fprintf(file, "frame \"%s\" is gone", first);
        break;
    case CP_LIST_FRAME_NEW:
        fprintf(file, "frame \"%s\" is new: no pair of it was looked at", first);
        break;
    case CP_LIST_NOT_VOLATILE:
        fprintf(file, "frame \"%s\" is volatile, and the list does not say so", first);
        break;
    case CP_LIST_STATIC:
        fprintf(file, "all static pairs are excluded by the list, but not by the evidence");
        break;
    case CP_LIST_FIRST_CHANGED:
        fprintf(file, "the geometry of \"%s\" has changed", first);
        break;
    case CP_LIST_SECOND_CHANGED:
        fprintf(file, "the geometry of \"%s\" has changed", second);
        break;
    case CP_LIST_BOTH_CHANGED:
        fprintf(file, "the geometry of \"%s\" and \"%s\" has changed", first, second);
        break;
    case CP_LIST_MOTION_CHANGED:
        fprintf(file, "joints or poses between them, or what may be moved, have changed");
        break;
    case CP_LIST_NOT_LISTED:
        fprintf(file, "is excluded by the evidence, but not by the list");
        break;
    case CP_LIST_NOT_EVIDENT:
        fprintf(file, "is excluded by the list, but not by the evidence");
        break;
    }
}

static void tell_list_fault(void *user, const cp_list_fault *fault)
{
    struct list_check *check = user;
    struct line line = {0};
    line.file = open_memstream(&line.text, &line.size);
    if (!line.file) {
        check->status = CP_LIMIT;
        return;
    }
    fprintf(line.file, "%s: ", check->path);
    print_fault(line.file, fault);
    if (end_line(check->cli, check->path, "check-list", &line) != CP_NO)
        check->status = CP_LIMIT;
}

static cp_status check_exclusions(struct cli *cli, const cp_scene *scene, const char *path)
{
    struct list_check check = {.cli = cli, .path = path};
    cp_status status = cp_check_list(cli->context, scene, path, tell_list_fault, &check);
    if (status == CP_OK)
        printf("%s: ok\n", path);
    return check.status == CP_OK ? status : check.status;
}

/* What the reader finds wrong with a file is an answer; a file that cannot even be opened is none. */
static bool is_readable(const char *path)
{
    struct stat facts;
    return strcmp(path, "-") == 0 || (access(path, R_OK) == 0 && stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode));
}

cp_status command_check(struct cli *cli)
{
    struct request request;
    struct wanted wanted = {0};
    cp_scene *scene;
    cp_status status = sort_words(cli, 1, cli->words.count, FLAG_READING | FLAG_SETTINGS, &request);
    if (status == CP_OK)
        status = take_settings(cli, &request.settings, &wanted);
    if (status == CP_OK)
        status = sort_wanted(cli, &request.words, &wanted);
    if (status != CP_OK)
        return status;
    status = read_input(cli, wanted.path, &request, &scene);
    if (status == CP_INPUT && is_readable(wanted.path))
        status = CP_NO;
    if (status != CP_OK)
        return status;
    status = check_scene(cli, scene, &wanted);
    if (status == CP_OK)
        printf("%s: ok\n", wanted.path);
    if (wanted.list && (status == CP_OK || status == CP_NO))
        add_outcome(&status, check_exclusions(cli, scene, wanted.list));
    cp_scene_free(scene);
    return status;
}

/* check: is a file whole and sound? 0 yes, 1 no. */
#include "parts.h"

#include <inttypes.h>
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

static cp_status sort_wanted(struct cli *cli, const struct list *list, struct wanted *wanted)
{
    *wanted = (struct wanted){0};
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
    return CP_OK;
}

/* ---- what is wrong with a mesh ---- */

/* A number and what it counts. */
struct fault {
    uint64_t count;
    const char *what;
};

static void print_begin(const struct wanted *wanted, const cp_mesh *mesh, const char *what)
{
    printf("%s: mesh \"%s\" %s: ", wanted->path, mesh_name(mesh), what);
}

/* A line with those that are there; true when some are. faults: ended by a `what` of NULL. */
static bool print_faults(const struct wanted *wanted, const cp_mesh *mesh, const char *what, const struct fault *faults)
{
    bool any = false;
    for (const struct fault *fault = faults; fault->what; fault++) {
        if (fault->count == 0)
            continue;
        if (!any)
            print_begin(wanted, mesh, what);
        printf("%s%" PRIu64 " %s", any ? ", " : "", fault->count, fault->what);
        any = true;
    }
    if (any)
        printf("\n");
    return any;
}

static bool print_open(const struct wanted *wanted, const cp_mesh *mesh, const cp_topology *topology)
{
    if (topology->closed)
        return false;
    print_begin(wanted, mesh, "is not closed");
    if (topology->edges == 0)
        printf("no faces\n");
    else
        printf("%" PRIu64 " border edges, %" PRIu64 " edges of more than two faces, %" PRIu64
               " edges between faces that are wound against each other\n",
               topology->border_edges, topology->non_manifold_edges, topology->misoriented_edges);
    return true;
}

static bool check_mesh(const struct wanted *wanted, const cp_mesh *mesh, const cp_topology *topology)
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
    bool faulty = wanted->faults & CLOSED && print_open(wanted, mesh, topology);
    if (wanted->faults & MANIFOLD)
        faulty |= print_faults(wanted, mesh, "is not manifold", manifold);
    if (wanted->faults & ORIENTED)
        faulty |= print_faults(wanted, mesh, "is not oriented", oriented);
    if (wanted->faults & CLEAN)
        faulty |= print_faults(wanted, mesh, "is not clean", clean);
    return faulty;
}

static cp_status check_meshes(struct cli *cli, const cp_scene *scene, const struct wanted *wanted)
{
    struct parts parts;
    bool faulty = false;
    cp_status status = list_parts(cli, scene, false, &parts);
    for (uint32_t i = 0; i < parts.count && status == CP_OK; i++)
        if (parts.items[i].mesh->kind != CP_MESH_LINES)
            faulty |= check_mesh(wanted, parts.items[i].mesh, &parts.items[i].topology);
    return status == CP_OK && faulty ? CP_NO : status;
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

/* What the reader finds wrong with a file is an answer; a file that cannot even be opened is none. */
static bool is_readable(const char *path)
{
    struct stat facts;
    return strcmp(path, "-") == 0 || (access(path, R_OK) == 0 && stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode));
}

cp_status command_check(struct cli *cli)
{
    struct request request;
    struct wanted wanted;
    cp_scene *scene;
    cp_status status = sort_words(cli, 1, cli->words.count, FLAG_READING, &request);
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
    cp_scene_free(scene);
    return status;
}

/* check: is a file whole and sound? 0 yes, 1 no. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wanted {
    const char *path; /* NULL: not yet named */
    bool closed, manifold;
};

static cp_status sort_wanted(struct cli *cli, const struct list *words, struct wanted *wanted)
{
    *wanted = (struct wanted){0};
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        if (strcmp(word, "closed") == 0)
            wanted->closed = true;
        else if (strcmp(word, "manifold") == 0)
            wanted->manifold = true;
        else if (!wanted->path)
            wanted->path = word;
        else
            return complain(cli, CP_USAGE, "check takes one input and the words closed, manifold, not also \"%s\"",
                            word);
    }
    if (!wanted->path)
        return complain(cli, CP_USAGE, "check needs an input: cellpipe check [closed] [manifold] IN");
    return CP_OK;
}

/* Prints what is wrong with a mesh; true when something is. */
static bool print_faults(const struct wanted *wanted, const cp_mesh *mesh, const cp_topology *topology)
{
    bool open = wanted->closed && !topology->closed;
    bool crossed = wanted->manifold && topology->non_manifold_edges > 0;
    if (open && topology->edges == 0)
        printf("%s: mesh \"%s\" is not closed: no faces\n", wanted->path, mesh_name(mesh));
    else if (open)
        printf("%s: mesh \"%s\" is not closed: %" PRIu64 " border edges, %" PRIu64
               " edges of more than two faces, %" PRIu64 " edges between faces that are wound against each other\n",
               wanted->path, mesh_name(mesh), topology->border_edges, topology->non_manifold_edges,
               topology->misoriented_edges);
    if (crossed)
        printf("%s: mesh \"%s\" is not manifold: %" PRIu64 " edges of more than two faces\n", wanted->path,
               mesh_name(mesh), topology->non_manifold_edges);
    return open || crossed;
}

static cp_status check_meshes(struct cli *cli, const cp_scene *scene, const struct wanted *wanted)
{
    uint32_t count;
    bool faulty = false;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        cp_topology topology;
        if (meshes[i].kind == CP_MESH_LINES)
            continue;
        cp_status status = cp_mesh_topology(cli->context, &meshes[i], &topology);
        if (status != CP_OK)
            return status;
        faulty |= print_faults(wanted, &meshes[i], &topology);
    }
    return faulty ? CP_NO : CP_OK;
}

static cp_status check_scene(struct cli *cli, const cp_scene *scene, const struct wanted *wanted)
{
    cp_status status = cp_validate(cli->context, scene);
    if (status == CP_OK && (wanted->closed || wanted->manifold))
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

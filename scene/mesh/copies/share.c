/* Copies of a mesh, equal or moved, become instances of one; the work, and its report. */
#include "copies.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "model/model.h"

/* Lets instances of copies show the leaders. told[mesh]: a frame that shows it, or its leader, has its name. */
static void move_instances(cp_scene *scene, const struct mesh_copy *copies, bool *told)
{
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        cp_instance *instance = &scene->instances[i];
        const struct mesh_copy *copy = &copies[instance->mesh];
        const char *name = scene->meshes[instance->mesh].name;
        if (!*name || strcmp(name, scene->nodes[instance->node].name) == 0 ||
            strcmp(name, scene->meshes[copy->leader].name) == 0)
            told[instance->mesh] = true;
        if (copy->moved)
            instance->transform = pose_multiply(&instance->transform, &copy->motion);
        instance->mesh = copy->leader;
    }
}

static void report_losses(const cp_scene *scene, const bool *gone, const bool *told)
{
    uint64_t names = 0, metadata = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        names += gone[i] && !told[i];
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        metadata += scene->metadata[i].owner == CP_OWNER_MESH && gone[scene->metadata[i].index];
    if (names > 0)
        report_loss(scene->context, "instances-names", NOWHERE, names,
                    "names of copies are lost, unless a frame or the kept mesh has them");
    if (metadata > 0)
        report_loss(scene->context, "instances-metadata", NOWHERE, metadata, "metadata of copied meshes is left out");
}

/* Reports the work. Returns the largest displacement of a vertex. */
static double report_work(const cp_scene *scene, const struct mesh_copy *copies, const bool *gone, uint32_t unfinished)
{
    uint32_t equal = 0, moved = 0;
    uint64_t bytes = 0;
    double displaced = 0;
    char text[NUMBER_SIZE];
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        if (!gone[i])
            continue;
        equal += !copies[i].moved;
        moved += copies[i].moved;
        bytes += cp_mesh_bytes(&scene->meshes[i]);
        displaced = fmax(displaced, copies[i].displaced);
    }
    (void)print_bound(1000 * displaced, text);
    if (equal + moved > 0)
        report_note(scene->context, "instances-shared", NOWHERE,
                    "of %u meshes %u are equal and %u moved copies of others (%llu kB); no vertex is displaced by more "
                    "than %s mm",
                    scene->mesh_count, equal, moved, (unsigned long long)(bytes / 1000), text);
    if (unfinished > 0)
        report_warning(scene->context, "instances-unfinished", NOWHERE,
                       "%u meshes have so many lookalikes that they were not compared with all", unfinished);
    return displaced;
}

cp_status scene_share_copies(cp_scene *scene, const struct copies_settings *settings, uint64_t least, const bool *keep,
                             double *displaced)
{
    cp_context *context = scene->context;
    uint32_t meshes = scene->mesh_count, unfinished = 0;
    struct arena *scratch = arena_new(context);
    struct mesh_copy *copies = arena_allocate(scratch, meshes, sizeof *copies);
    bool *gone = arena_allocate_zeroed(scratch, meshes, sizeof *gone);
    bool *told = arena_allocate_zeroed(scratch, meshes, sizeof *told);
    *displaced = 0;
    cp_status status = copies && gone && told ? find_copies(scene, settings, copies, &unfinished) : CP_LIMIT;
    if (status == CP_OK) {
        for (uint32_t i = 0; i < meshes; i++) {
            if (cp_mesh_triangles(&scene->meshes[i]) < least || (keep && keep[i]))
                copies[i] = (struct mesh_copy){.leader = i};
            gone[i] = copies[i].leader != i;
        }
        move_instances(scene, copies, told);
        report_losses(scene, gone, told);
        *displaced = report_work(scene, copies, gone, unfinished);
        status = scene_drop_rows(scene, TABLE_MESHES, gone);
    }
    arena_free(scratch);
    return status;
}

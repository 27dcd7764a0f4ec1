/* Copies of a mesh, equal or moved, become instances of one: the work, and what is said about it. */
#include "share.h"
#include "../../pose.h"
#include "../../text/text.h"

#include <math.h>
#include <string.h>

struct sharing {
    cp_context *context;
    cp_scene *scene;
    struct mesh_copy *copies;
    bool *gone, *told; /* for each mesh; told: a frame that shows it, or what it is a copy of, has its name */
    uint64_t least;    /* triangles of a mesh that is worth it */
    const bool *keep;  /* meshes that do not go; or NULL */
    uint32_t unfinished;
    double displaced; /* at most */
};

static void move_instances(const struct sharing *sharing)
{
    cp_scene *scene = sharing->scene;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        cp_instance *instance = &scene->instances[i];
        const struct mesh_copy *copy = &sharing->copies[instance->mesh];
        const char *name = scene->meshes[instance->mesh].name;
        if (!*name || strcmp(name, scene->nodes[instance->node].name) == 0 ||
            strcmp(name, scene->meshes[copy->leader].name) == 0)
            sharing->told[instance->mesh] = true;
        if (copy->moved)
            instance->transform = pose_multiply(&instance->transform, &copy->motion);
        instance->mesh = copy->leader;
    }
}

static void report_losses(const struct sharing *sharing)
{
    const cp_scene *scene = sharing->scene;
    uint64_t names = 0, metadata = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        names += sharing->gone[i] && !sharing->told[i];
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        metadata += scene->metadata[i].owner == CP_OWNER_MESH && sharing->gone[scene->metadata[i].index];
    if (names > 0)
        report_loss(sharing->context, "instances-names", NOWHERE, names,
                    "names of copied meshes are gone that neither their frames nor the meshes that stay have");
    if (metadata > 0)
        report_loss(sharing->context, "instances-metadata", NOWHERE, metadata, "metadata of copied meshes is left out");
}

static void report_work(struct sharing *sharing)
{
    const cp_scene *scene = sharing->scene;
    uint32_t equal = 0, moved = 0;
    uint64_t bytes = 0;
    char text[NUMBER_SIZE];
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        equal += sharing->gone[i] && !sharing->copies[i].moved;
        moved += sharing->gone[i] && sharing->copies[i].moved;
        bytes += sharing->gone[i] ? cp_mesh_bytes(&scene->meshes[i]) : 0;
        sharing->displaced = fmax(sharing->displaced, sharing->gone[i] ? sharing->copies[i].displaced : 0);
    }
    (void)print_bound(1000 * sharing->displaced, text);
    if (equal + moved > 0)
        report_note(sharing->context, "instances-shared", NOWHERE,
                    "of %u meshes %u are equal and %u moved copies of others (%llu kB); no vertex is displaced by more "
                    "than %s mm",
                    scene->mesh_count, equal, moved, (unsigned long long)(bytes / 1000), text);
    if (sharing->unfinished > 0)
        report_warning(sharing->context, "instances-unfinished", NOWHERE,
                       "%u meshes have so many lookalikes that they were not compared with all", sharing->unfinished);
}

static cp_status share(struct sharing *sharing, const struct copies_settings *settings)
{
    cp_status status = find_copies(sharing->scene, settings, sharing->copies, &sharing->unfinished);
    if (status != CP_OK)
        return status;
    for (uint32_t i = 0; i < sharing->scene->mesh_count; i++) {
        if (cp_mesh_triangles(&sharing->scene->meshes[i]) < sharing->least || (sharing->keep && sharing->keep[i]))
            sharing->copies[i] = (struct mesh_copy){.leader = i};
        sharing->gone[i] = sharing->copies[i].leader != i;
    }
    move_instances(sharing);
    report_losses(sharing);
    report_work(sharing);
    return scene_drop_rows(sharing->scene, TABLE_MESHES, sharing->gone);
}

cp_status scene_share_copies(cp_scene *scene, const struct copies_settings *settings, uint64_t least, const bool *keep,
                             double *displaced)
{
    cp_context *context = scene->context;
    uint32_t meshes = scene->mesh_count;
    struct sharing sharing = {.context = context, .scene = scene, .least = least, .keep = keep};
    sharing.copies = memory_allocate(context, meshes, sizeof *sharing.copies);
    sharing.gone = memory_allocate_zeroed(context, meshes, sizeof *sharing.gone);
    sharing.told = memory_allocate_zeroed(context, meshes, sizeof *sharing.told);
    cp_status status = sharing.copies && sharing.gone && sharing.told ? share(&sharing, settings) : CP_LIMIT;
    *displaced = sharing.displaced;
    memory_free(context, sharing.copies, meshes, sizeof *sharing.copies);
    memory_free(context, sharing.gone, meshes, sizeof *sharing.gone);
    memory_free(context, sharing.told, meshes, sizeof *sharing.told);
    return status;
}

/* instances: copies of a mesh, equal or moved, become instances of one. */
#include "../mesh/copies.h"
#include "filters.h"

#include <math.h>
#include <string.h>

struct instances_settings {
    double tolerance;
    bool moved, mirrored, scaled;
    int order;
};

enum order { ORDER_ANY, ORDER_SAME };

static const struct option options[] = {
    {"tolerance", "how far a vertex of a copy may lie from its place, in the world; 0: about seven digits",
     OPTION_LENGTH, offsetof(struct instances_settings, tolerance), "0", 0, 1e6, NULL},
    {"moved", "turned and moved copies too, not equal ones alone", OPTION_BOOLEAN,
     offsetof(struct instances_settings, moved), "yes", 0, 0, NULL},
    {"order", "any: copies with vertices and faces in another order, too; same: only in the same", OPTION_CHOICE,
     offsetof(struct instances_settings, order), "any", 0, 0, "any|same"},
    {"mirrored", "mirror images are copies, too", OPTION_BOOLEAN, offsetof(struct instances_settings, mirrored), "no",
     0, 0, NULL},
    {"scaled", "copies of another size are copies, too", OPTION_BOOLEAN, offsetof(struct instances_settings, scaled),
     "no", 0, 0, NULL},
    OPTIONS_END};

struct sharing {
    cp_context *context;
    cp_scene *scene;
    struct mesh_copy *copies;
    bool *gone, *told; /* for each mesh; told: a frame that shows it, or what it is a copy of, has its name */
    uint32_t unfinished;
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

static void report_work(const struct sharing *sharing)
{
    const cp_scene *scene = sharing->scene;
    uint32_t equal = 0, moved = 0;
    uint64_t bytes = 0;
    double displaced = 0;
    char text[NUMBER_SIZE];
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        equal += sharing->gone[i] && !sharing->copies[i].moved;
        moved += sharing->gone[i] && sharing->copies[i].moved;
        bytes += sharing->gone[i] ? cp_mesh_bytes(&scene->meshes[i]) : 0;
        displaced = fmax(displaced, sharing->gone[i] ? sharing->copies[i].displaced : 0);
    }
    (void)print_float((float)(displaced * 1000), text);
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
    for (uint32_t i = 0; i < sharing->scene->mesh_count; i++)
        sharing->gone[i] = sharing->copies[i].leader != i;
    move_instances(sharing);
    report_losses(sharing);
    report_work(sharing);
    return scene_drop_meshes(sharing->scene, sharing->gone);
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct instances_settings *instances = settings;
    const struct copies_settings how = {.tolerance = instances->tolerance,
                                        .moved = instances->moved,
                                        .mirrored = instances->mirrored,
                                        .scaled = instances->scaled,
                                        .reordered = instances->order == ORDER_ANY};
    uint32_t meshes = scene->mesh_count;
    struct sharing sharing = {.context = context, .scene = scene};
    sharing.copies = memory_allocate(context, meshes, sizeof *sharing.copies);
    sharing.gone = memory_allocate_zeroed(context, meshes, sizeof *sharing.gone);
    sharing.told = memory_allocate_zeroed(context, meshes, sizeof *sharing.told);
    cp_status status = sharing.copies && sharing.gone && sharing.told ? share(&sharing, &how) : CP_LIMIT;
    memory_free(context, sharing.copies, meshes, sizeof *sharing.copies);
    memory_free(context, sharing.gone, meshes, sizeof *sharing.gone);
    memory_free(context, sharing.told, meshes, sizeof *sharing.told);
    return status;
}

const struct filter instances_filter = {.plugin = {.name = "instances",
                                                   .title = "Share meshes that are copies of each other",
                                                   .options = options,
                                                   .settings_size = sizeof(struct instances_settings)},
                                        .apply = apply};

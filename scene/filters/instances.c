/* instances: copies of a mesh, equal or moved, become instances of one. */
#include "mesh/copies/copies.h"

#include "filters.h"

struct instances_settings {
    double tolerance;
    bool moved, mirrored, scaled;
    int order;
};

enum order { ORDER_ANY, ORDER_SAME };

static const cp_option options[] = {
    {"tolerance", "how far a vertex of a copy may lie from its place, in the world; 0: about seven digits",
     CP_OPTION_LENGTH, offsetof(struct instances_settings, tolerance), "0", .maximum = 1e6},
    {"moved", "turned and moved copies too, not equal ones alone", CP_OPTION_BOOLEAN,
     offsetof(struct instances_settings, moved), .initial = "yes"},
    {"order", "any: copies with vertices and faces in another order, too; same: only in the same", CP_OPTION_CHOICE,
     offsetof(struct instances_settings, order), "any", .choices = "any|same"},
    {"mirrored", "mirror images are copies, too", CP_OPTION_BOOLEAN, offsetof(struct instances_settings, mirrored),
     .initial = "no"},
    {"scaled", "copies of another size are copies, too", CP_OPTION_BOOLEAN, offsetof(struct instances_settings, scaled),
     .initial = "no"},
    CP_OPTIONS_END};

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct instances_settings *instances = settings;
    const struct copies_settings how = {.tolerance = instances->tolerance,
                                        .moved = instances->moved,
                                        .mirrored = instances->mirrored,
                                        .scaled = instances->scaled,
                                        .reordered = instances->order == ORDER_ANY};
    double displaced;
    (void)context;
    return scene_share_copies(scene, &how, 0, NULL, &displaced);
}

const struct filter instances_filter = {.plugin = {.name = "instances",
                                                   .title = "Share meshes that are copies of each other",
                                                   .options = options,
                                                   .settings_size = sizeof(struct instances_settings)},
                                        .apply = apply};

/* RobWork's XML: a cell with its devices; meshes as STL and the collision setup as files beside it.
 *
 * Specification: RobWork's own loader of 2018, as docs/rwxml.md has it. RobWork was not run.
 *
 * Behaviour and limitations: docs/rwxml.md, "Writing". */
#include "../part_file.h"
#include "cell.h"

#include "base/text/text.h"
#include "collide/list/list.h"

static const cp_option options[] = {
    {"devices", "files: each device is a file that the cell includes", CP_OPTION_CHOICE,
     .offset = offsetof(struct cell_settings, devices), .initial = "files", .choices = "files|inline"},
    {"setup", "excluded pairs as a CollisionSetup, with reasons, or as rules of a ProximitySetup", CP_OPTION_CHOICE,
     .offset = offsetof(struct cell_settings, setup), .initial = "collision", .choices = "collision|proximity"},
    CP_OPTIONS_END,
};

static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_HIERARCHY | CP_FEATURE_NAMES | CP_FEATURE_INSTANCES | CP_FEATURE_MESHES | CP_FEATURE_PRIMITIVES |
           CP_FEATURE_JOINTS | CP_FEATURE_DEVICES | CP_FEATURE_PAIRS | CP_FEATURE_COLLISION | CP_FEATURE_FLAGS |
           CP_FEATURE_METADATA | CP_FEATURE_LOOPS | CP_FEATURE_PLACEHOLDERS;
}

static uint32_t shows(const void *settings)
{
    (void)settings;
    return CP_USE_BOTH;
}

static bool says_nothing(const cp_scene *scene)
{
    bool is_volatile = false;
    for (uint32_t i = 0; i < scene->node_count; i++)
        is_volatile |= (scene->nodes[i].flags & CP_NODE_VOLATILE) != 0;
    return scene->pair_count == 0 && !scene->exclude_static_pairs && !is_volatile;
}

const struct cell_setup cell_setups[] = {
    [CELL_COLLISION_SETUP] = {"CollisionSetup",
                              "collision-setup",
                              {"static=names"},
                              "<CollisionSetup>\n</CollisionSetup>\n"},
    [CELL_PROXIMITY_SETUP] = {"ProximitySetup",
                              "proximity-setup",
                              {"evidence=no"},
                              "<ProximitySetup UseIncludeAll=\"true\" UseExcludeStaticPairs=\"false\">\n"
                              "</ProximitySetup>\n"},
};

/* Makes a view of the scene in which frames have the names that they get in the file. */
static cp_status name_frames(const struct cell *cell, cp_scene *named)
{
    *named = *cell->scene;
    named->nodes = arena_allocate(cell->arena, named->node_count, sizeof *named->nodes);
    if (!named->nodes)
        return CP_LIMIT;
    memcpy(named->nodes, cell->scene->nodes, named->node_count * sizeof *named->nodes);
    for (uint32_t i = 0; i < named->node_count; i++)
        if (cell->names[i])
            named->nodes[i].name = cell->names[i];
    return CP_OK;
}

/* Writes the setup beside the cell. It is there in any case: without one RobWork leaves out neighbours. */
static cp_status write_setup(struct cell *cell, const char **path)
{
    cp_scene named;
    const struct cell_setup *setup = &cell_setups[cell->settings->setup];
    const char *whole = arena_print(cell->arena, "%s_%s", cell->stem, setup->element);
    *path = whole ? sink_safe_name(cell->sink, whole, ".xml") : NULL;
    cp_status status = *path ? name_frames(cell, &named) : CP_LIMIT;
    if (status == CP_OK && !says_nothing(cell->scene))
        return part_write(cell->sink, *path, &named, setup->format, setup->options, 1);
    if (status == CP_OK)
        status = sink_put(cell->sink, *path, setup->nothing, strlen(setup->nothing));
    return status;
}

static void report_losses(struct cell *cell)
{
    static const struct {
        const char *code, *text;
    } losses[CELL_LOSS_COUNT] = {
        [CELL_NAMES] = {"rwxml-names", "names that several have, that lack their device's, or with control characters, "
                                       "are changed"},
        [CELL_HELPERS] = {"rwxml-helpers", "frames are added: bases and mounts of devices, and joints that are not "
                                           "their frame"},
        [CELL_BRANCHES] = {"rwxml-branches", "parts of devices hang on their base instead of another frame"},
        [CELL_DEVICES] = {"rwxml-devices", "devices of others' joints are left out"},
        [CELL_OUTSIDE] = {"rwxml-outside", "driven joints of no device are passive"},
        [CELL_LIMITS] = {"rwxml-limits", "limits of one side are left out"},
        [CELL_DYNAMICS] = {"rwxml-dynamics", "efforts, damping and friction of joints"},
        [CELL_FROZEN] = {"rwxml-frozen", "joints that scale or do not move are frames"},
        [CELL_DEPENDENCE] = {"rwxml-dependence", "joints that follow a formula, or a joint that is left out, are free"},
        [CELL_HOMES] = {"rwxml-homes", "homes of joints of no device, and values that are not the homes"},
        [CELL_LOOPS] = {"rwxml-loops", "loops that are no junctions of legs of one device stay open"},
        [CELL_ENDS] = {"rwxml-ends", "ends of devices: a reader takes all frames on which none hangs"},
        [CELL_FLAGS] = {"rwxml-flags", "flags of frames: links, highlights and wires, and movable joints"},
        [CELL_METADATA] = {"rwxml-metadata", "entries of metadata that are no texts of frames or of the cell"},
        [CELL_SHAPES] = {"rwxml-shapes", "capsules, pyramids and scaled shapes become meshes"},
        [CELL_SIDES] = {"rwxml-sides", "numbers of sides of round shapes"},
        [CELL_SCALED] = {"rwxml-scaled", "frames that scale or shear: RobWork's are rotations"},
    };
    const cp_scene *scene = cell->scene;
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        cell->losses[CELL_METADATA] += !cell->is_kept[i] && strcmp(scene->metadata[i].key, CELL_KEY) != 0;
    for (size_t i = 0; i < CELL_LOSS_COUNT; i++)
        if (cell->losses[i] > 0)
            report_loss(cell->context, losses[i].code, NOWHERE, cell->losses[i], "%s", losses[i].text);
}

static cp_status write_cell(struct cell *cell)
{
    const char *setup, *stem = sink_stem(cell->sink);
    size_t size = strlen(stem);
    cell->stem = arena_copy_text(cell->arena, stem, size > 3 && text_ends_nocase(stem, ".wc") ? size - 3 : size);
    cp_status status = cell->stem ? sink_expect_further(cell->sink) : CP_LIMIT;
    if (status == CP_OK)
        status = cell_plan(cell);
    if (status == CP_OK)
        status = cell_write_meshes(cell);
    if (status == CP_OK)
        status = write_setup(cell, &setup);
    if (status != CP_OK)
        return status;
    status = cell_write_text(cell, setup);
    if (status != CP_OK)
        return status;
    report_losses(cell);
    return arena_failed(cell->arena) ? CP_LIMIT : sink_status(cell->sink);
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct cell cell = {.context = context,
                        .settings = settings,
                        .scene = scene,
                        .sink = sink,
                        .arena = arena_new(context),
                        .taken = {.context = context},
                        .files = {.context = context}};
    cp_status status = write_cell(&cell);
    memory_free(context, cell.paths, cell.path_room, sizeof *cell.paths);
    name_map_free(&cell.taken);
    name_map_free(&cell.files);
    arena_free(cell.arena);
    return status;
}

const struct exporter rwxml_exporter = {
    .plugin = {.name = "rwxml",
               .title = "RobWork XML workcell",
               .options = options,
               .settings_size = sizeof(struct cell_settings)},
    .suffixes = ".wc.xml",
    .carries = carries,
    .shows = shows,
    .tessellates = true,
    .write = write,
};

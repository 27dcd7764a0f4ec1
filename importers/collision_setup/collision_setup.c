/* RobWork's CollisionSetup.xml: pairs of frames that are not to be checked for collision.
 *
 * Specification: RobWork 2008 to 2018, src/rw/loaders/colsetup/CollisionSetupLoader.cpp (a boost property tree):
 *     <CollisionSetup>
 *       <Exclude> <FramePair first="A" second="B"/> ... </Exclude>
 *       <Volatile>A</Volatile>
 *       <ExcludeStaticPairs/>
 *     </CollisionSetup>
 * in any order and number. Written by hand and by scripts beside robot cells. The later <ProximitySetup> with its
 * patterns is another format.
 *
 * Behaviour and limitations:
 * - As in RobWork, attributes on CollisionSetup and Exclude and unknown elements are errors; the text of Volatile is
 *   not trimmed; pairs may be there twice, and a frame may be paired with itself.
 * - Reasons and findings that our exporter notes in attributes of FramePair are read. Other attributes, or others'
 *   values in these, elements inside FramePair and text between elements are losses.
 * - Read alone, the names are placeholders: frames are in the workcell. `prefix=` goes before each name; without it,
 *   the prefix that our exporter notes in a comment does.
 * - No DOCTYPE, no entities but the five of XML; encodings: UTF-8, ASCII, ISO-8859-1, Windows-1252; at most 256
 *   attributes an element, 256 elements deep. RobWork does not look at encodings: a file that declares none, or UTF-8,
 *   and is not UTF-8 is read as Latin-1, with a warning. */
#include "collision_setup.h"

#include <string.h>

#include "../importers.h"
#include "base/text/xml.h"
#include "collide/list/list.h"

/* ---- for importers ---- */

cp_status collision_setup_read(struct source *source, bool strict, struct collision_setup *setup)
{
    cp_context *context = source->context;
    *setup = (struct collision_setup){.context = context, .arena = arena_new(context), .strict = strict};
    if (!setup->arena)
        return CP_LIMIT;
    setup->file = arena_copy_text(setup->arena, source->name, strlen(source->name));
    return setup->file ? collision_setup_parse(source, setup) : CP_LIMIT;
}

void collision_setup_free(struct collision_setup *setup)
{
    if (setup->context)
        memory_free(setup->context, setup->statements, setup->room, sizeof *setup->statements);
    arena_free(setup->arena);
    *setup = (struct collision_setup){0};
}

/* ---- statements about nodes ---- */

struct application {
    const struct collision_setup *setup;
    cp_scene *scene;
    struct name_map *nodes;
    const char *prefix;
    bool expected;
    struct buffer key;
};

/* Returns the node of that name, which becomes a placeholder when there is none. CP_NONE when out of memory or over a
 * limit. */
static uint32_t find_node(struct application *work, const char *name, uint64_t line)
{
    struct buffer *key = &work->key;
    key->size = 0;
    buffer_text(key, work->prefix);
    buffer_text(key, name);
    buffer_append(key, "", 1);
    if (key->failed)
        return CP_NONE;
    const uint32_t *found = name_map_find(work->nodes, key->data);
    if (found)
        return *found;
    uint32_t node = scene_add_placeholder(work->scene, key->data);
    if (node == CP_NONE || !name_map_add(work->nodes, work->scene->nodes[node].name, node, NULL))
        return CP_NONE;
    if (work->expected)
        report_warning(work->setup->context, "collision-setup-dangling", AT_LINE(work->setup->file, line),
                       "the collision setup names \"%s\", which is not a frame", key->data);
    return node;
}

static cp_status apply_statement(struct application *work, const struct collision_statement *statement)
{
    uint32_t first = find_node(work, statement->first, statement->line);
    if (first == CP_NONE)
        return CP_LIMIT;
    if (!statement->second) {
        work->scene->nodes[first].flags |= CP_NODE_VOLATILE;
        return CP_OK;
    }
    uint32_t second = find_node(work, statement->second, statement->line);
    uint32_t index = second == CP_NONE ? CP_NONE : scene_add_pair(work->scene, first, second, statement->reason);
    const char *evidence = index == CP_NONE ? NULL : scene_text(work->scene, statement->evidence);
    if (!evidence)
        return CP_LIMIT;
    cp_pair *pair = &work->scene->pairs[index];
    cp_joint_setting *witness;
    pair->evidence = evidence;
    if (statement->finding)
        pair->finding = scene_copy_finding(work->scene, statement->finding, &witness);
    return pair->finding || !statement->finding ? CP_OK : CP_LIMIT;
}

cp_status collision_setup_apply(const struct collision_setup *setup, cp_scene *scene, struct name_map *nodes,
                                const char *prefix, bool expected)
{
    struct application work = {setup, scene, nodes, prefix, expected, {.context = setup->context}};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < setup->count && status == CP_OK; i++)
        status = apply_statement(&work, &setup->statements[i]);
    scene->exclude_static_pairs |= setup->exclude_static_pairs;
    buffer_free(&work.key);
    return status;
}

/* ---- the importer ---- */

struct settings {
    struct import_settings common;
    const char *prefix;
};

static const cp_option options[] = {{"prefix",
                                     "goes before each name, e.g. Robot. (default: what our exporter took off)",
                                     CP_OPTION_STRING, .offset = offsetof(struct settings, prefix)},
                                    CP_OPTIONS_END};

/* Knows XML whose first 64 KiB have the root's tag. */
static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return xml_probe(head, size, "CollisionSetup");
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    const struct settings *own = settings;
    struct collision_setup setup;
    struct name_map nodes = {.context = context};
    bool beside = scene->node_count > 1;
    cp_status status = collision_setup_read(source, own->common.strict, &setup);
    const char *prefix = own->prefix ? own->prefix : setup.prefix ? setup.prefix : "";
    for (uint32_t i = 1; i < scene->node_count && status == CP_OK; i++)
        status = name_map_add(&nodes, scene->nodes[i].name, i, NULL) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = collision_setup_apply(&setup, scene, &nodes, prefix, beside);
    if (status == CP_OK && setup.cell_key && !beside &&
        !scene_add_metadata(scene, CP_OWNER_SCENE, 0, CELL_KEY, CP_VALUE_STRING, setup.cell_key))
        status = CP_LIMIT;
    name_map_free(&nodes);
    collision_setup_free(&setup);
    return status == CP_OK ? scene_finish(scene) : status;
}

const struct importer collision_setup_importer = {
    .plugin = {.name = "collision-setup",
               .title = "RobWork collision setup",
               .options = options,
               .package = XML_PACKAGE,
               .settings_size = sizeof(struct settings)},
    .suffixes = ".xml",
    .probe = probe,
    .sign = "XML with <CollisionSetup",
    .lists_pairs = true,
    .read = read,
};

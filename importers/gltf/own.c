/* extras.cellpipe (docs/stage-format.md): ids, marks, poses, nodes, metadata. Whatever another tool has left of them is
 * used; an id that nothing has is a warning. */
#include "gltf.h"

#include <stdlib.h>
#include <string.h>

enum { MAJOR = 1, MINOR = 0 };

/* ---- ids ---- */

void own_name(struct gltf *gltf, struct name_map *map, const char *id, uint32_t index)
{
    if (gltf->status == CP_OK && !name_map_add(map, id, index, NULL))
        gltf_no_memory(gltf);
}

uint32_t own_lookup(const struct name_map *map, const char *id)
{
    const uint32_t *index = name_map_find(map, id);
    return index ? *index : CP_NONE;
}

uint32_t own_find(struct gltf *gltf, const struct gltf_ids *ids, enum scene_table table, uint32_t value)
{
    if (gltf->status != CP_OK || !json_is(&gltf->json, value, JSON_STRING)) {
        gltf_warning(gltf, value, "gltf-id", "the id of a %s is missing", tables[table].word);
        return CP_NONE;
    }
    const char *id = json_string_text(&gltf->json, gltf->arena, value);
    if (!id) {
        gltf_no_memory(gltf);
        return CP_NONE;
    }
    uint32_t index = own_lookup(&ids->of[table], id);
    if (index == CP_NONE)
        gltf_warning(gltf, value, "gltf-id", "there is no %s with the id \"%.100s\"", tables[table].word, id);
    return index;
}

/* Reads a flag, which Blender turns from true into 1. */
bool own_flag(struct gltf *gltf, uint32_t own, const char *key)
{
    uint32_t value = json_member(&gltf->json, own, key);
    return json_is(&gltf->json, value, JSON_NUMBER) ? json_to_number(&gltf->json, value) != 0
                                                    : gltf_flag(gltf, own, key);
}

/* ---- the asset ---- */

void own_read_asset(struct gltf *gltf, struct gltf_extras *extras)
{
    extras->ours = extras->asset != JSON_NONE;
    const char *version = gltf_text(gltf, extras->asset, "version");
    if (!version)
        return;
    char *end;
    unsigned long major = strtoul(version, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    uint32_t value = json_member(&gltf->json, extras->asset, "version");
    if (end == version || major > MAJOR)
        gltf_error(gltf, value, "gltf-stage-version", "stage format version \"%.20s\" is newer than %d.%d", version,
                   MAJOR, MINOR);
    else if (major == MAJOR && minor > MINOR)
        gltf_warning(gltf, value, "gltf-stage-minor", "stage format version \"%.20s\" may hold more than %d.%d",
                     version, MAJOR, MINOR);
}

void own_read_source(struct gltf *gltf, cp_scene *scene, const struct gltf_extras *extras, struct gltf_tree *tree)
{
    static const char *const up_words[] = {"z", "y", NULL};
    if (!extras->ours || gltf->status != CP_OK)
        return;
    if (extras->asset == JSON_NONE)
        gltf_warning(gltf, JSON_NONE, "gltf-mark",
                     "another tool removed the mark of a stage: the source's format, file and unit are unknown");
    /* The file's up axis is the world's Z, unless a root was made above it. */
    uint32_t file_up = json_member(&gltf->json, extras->asset, "up");
    tree->turned = file_up != JSON_NONE && json_string_equals(&gltf->json, file_up, "y");
    for (uint32_t i = 0; i < tree->order_count && !tree->turned; i++)
        tree->turned = tree->nodes[tree->order[i]].made == MADE_UP;
    uint32_t object = gltf_object(gltf, extras->asset, "source");
    const char *format = gltf_text(gltf, object, "format"), *file = gltf_text(gltf, object, "file");
    double unit = gltf_number(gltf, object, "unit", 1), deviation = gltf_number(gltf, object, "deviation", 0);
    uint32_t up = gltf_word(gltf, object, "up", up_words, 0);
    scene->source = (cp_source){.format = format ? format : "",
                                .file = file ? file : "",
                                .unit = unit > 0 ? unit : 1,
                                .up = up == 1 ? CP_UP_Y : CP_UP_Z,
                                .deviation = deviation > 0 ? deviation : 0};
    scene->exclude_static_pairs = own_flag(gltf, extras->scene, "exclude_static_pairs");
}

void own_count_gone(struct gltf *gltf, const cp_scene *scene, struct gltf_extras *extras)
{
    static const char *const keys[HELD_COUNT] = {"nodes", "joints", "meshes", "loops", "devices", "pairs", "clips"};
    uint32_t holds = gltf_object(gltf, extras->asset, "holds");
    if (holds == JSON_NONE)
        holds = gltf_object(gltf, extras->scene, "holds");
    extras->held[HELD_JOINTS] = scene->joint_count;
    extras->held[HELD_LOOPS] = scene->loop_count;
    extras->held[HELD_DEVICES] = scene->device_count;
    extras->held[HELD_PAIRS] = scene->pair_count;
    for (uint32_t i = 0; i < HELD_COUNT && gltf->status == CP_OK; i++) {
        uint64_t written = gltf_integer(gltf, holds, keys[i], 0);
        if (written > extras->held[i])
            gltf_loss(gltf, LOSS_GONE_NODES + i, written - extras->held[i]);
    }
}

/* ---- poses ---- */

bool own_pose(struct gltf *gltf, uint32_t own, const cp_pose *read, cp_pose *pose)
{
    if (!gltf_numbers(gltf, own, "pose", 12, pose->m))
        return false;
    bool agree = gltf_poses_agree(pose, read);
    if (!agree)
        gltf_warning(gltf, own, "gltf-moved", "another tool moved it: its glTF transform is taken");
    return agree;
}

/* ---- nodes ---- */

uint32_t own_position(struct gltf *gltf, uint32_t own, uint32_t fallback)
{
    uint64_t position = gltf_integer(gltf, own, "position", fallback);
    return position < CP_NONE ? (uint32_t)position : CP_NONE;
}

const char *own_id(struct gltf *gltf, uint32_t own)
{
    const char *id = gltf_text(gltf, own, "id");
    return id && *id ? id : NULL;
}

void own_read_node(struct gltf *gltf, cp_scene *scene, struct gltf_extras *extras, struct gltf_ids *ids, uint32_t own,
                   uint32_t index)
{
    if (own == JSON_NONE)
        return;
    cp_node *node = &scene->nodes[index];
    const char *id = own_id(gltf, own);
    if (!own_read_row(gltf, ids, own, TABLE_NODES, node))
        return;
    node->id = id;
    extras->held[HELD_NODES] += id != NULL;
    if (id)
        own_name(gltf, &ids->of[TABLE_NODES], id, index);
    own_read_metadata(gltf, scene, own, CP_OWNER_NODE, index);
}

/* Reads the scopes; after the devices are made. */
void own_read_scopes(struct gltf *gltf, cp_scene *scene, const struct gltf_ids *ids, const struct gltf_tree *tree)
{
    for (uint32_t i = 0; i < scene->node_count && gltf->status == CP_OK; i++) {
        if (tree->node_of[i] != CP_NONE)
            own_read_later(gltf, ids, tree->nodes[tree->node_of[i]].own, TABLE_NODES, &scene->nodes[i]);
    }
}

/* ---- metadata ---- */

void own_read_metadata(struct gltf *gltf, cp_scene *scene, uint32_t own, cp_owner owner, uint32_t index)
{
    uint32_t array = gltf_array(gltf, own, "metadata");
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(&gltf->json, array, at)) {
        const char *key = gltf_text(gltf, at, "key"), *text = gltf_text(gltf, at, "value");
        uint32_t type = gltf_word(gltf, at, "type", value_type_words, 0);
        if (!key || !text)
            gltf_warning(gltf, at, "gltf-metadata", "metadata without key or value");
        else if (gltf->status == CP_OK && !scene_add_metadata(scene, owner, index, key, (cp_value_type)type, text))
            gltf_no_memory(gltf);
    }
}

/* Metadata: lists in our extras. Metadata of a glTF file go to the places where other tools look for them: extras
 * beside ours, isAttachPoint and the copyright. */
#include "writer.h"

#include <string.h>

#include "base/text/text.h"

/* ---- lists by owner ---- */

static uint32_t owner_slot(const cp_scene *scene, cp_owner owner, uint32_t index)
{
    uint32_t first = 1; /* slot 0 is the scene's */
    if (owner == CP_OWNER_SCENE)
        return 0;
    first += owner > CP_OWNER_NODE ? scene->node_count : 0;
    first += owner > CP_OWNER_MESH ? scene->mesh_count : 0;
    first += owner > CP_OWNER_MATERIAL ? scene->material_count : 0;
    return first + index;
}

uint32_t find_metadata(const struct metadata_plan *metadata, cp_owner owner, uint32_t index, const char *key)
{
    uint32_t at = metadata->first[owner_slot(metadata->scene, owner, index)];
    while (at != CP_NONE && strcmp(metadata->scene->metadata[at].key, key) != 0)
        at = metadata->next[at];
    return at;
}

/* ---- what has a place of its own ---- */

/* Parses metadata. CP_INPUT if it is no JSON: anybody can write metadata, so it cannot go into the file unchecked. Call
 * json_free even on failure. */
static cp_status parse_metadata(cp_context *context, const cp_metadata_entry *metadata, struct json_document *json)
{
    const uint64_t nesting = 64;
    size_t size = strlen(metadata->value);
    *json = (struct json_document){.context = context, .text = metadata->value, .size = (uint32_t)size};
    bool text = metadata->type == CP_VALUE_JSON && size < UINT32_MAX && utf8_valid(metadata->value, size);
    return text ? json_parse(json, NULL, nesting, NULL) : CP_INPUT;
}

/* Checks whether metadata can be a light, an object with a type; or extras of its owner, an object that does not
 * contradict our own extras. CP_INPUT: no. */
static cp_status check_object(cp_context *context, const cp_metadata_entry *metadata, bool light)
{
    struct json_document json;
    cp_status status = parse_metadata(context, metadata, &json);
    bool fits = status == CP_OK && (light ? json_is(&json, json_member(&json, 0, "type"), JSON_STRING)
                                          : json_is(&json, 0, JSON_OBJECT) && json_count(&json, 0) > 0);
    for (uint32_t at = fits && !light ? json_first(&json, 0) : JSON_NONE; at != JSON_NONE; at = json_next(&json, 0, at))
        fits = fits && !json_string_equals(&json, at, "cellpipe") && !json_string_equals(&json, at, "name");
    json_free(&json);
    return status == CP_OK && !fits ? CP_INPUT : status;
}

/* The kinds of metadata that have a place of their own. */
enum { PLACE_NONE, PLACE_EXTRAS, PLACE_ASSET, PLACE_ATTACH_POINT, PLACE_LIGHT, PLACE_COUNT };

static int place_of(const struct gltf_file *file, const cp_metadata_entry *metadata)
{
    bool drawn = metadata->owner != CP_OWNER_MESH || file->meshes[metadata->index].index != CP_NONE;
    if (drawn && strcmp(metadata->key, "extras") == 0)
        return PLACE_EXTRAS;
    if (metadata->owner == CP_OWNER_SCENE && strcmp(metadata->key, "asset.extras") == 0)
        return PLACE_ASSET;
    /* A light shines from the glTF node of its node; with joints, the geometry is on another glTF node. */
    bool node = metadata->owner == CP_OWNER_NODE, light = node && strcmp(metadata->key, "KHR_lights_punctual") == 0;
    if (light && file->scene->nodes[metadata->index].joint_count == 0)
        return PLACE_LIGHT;
    bool attach_point = metadata->owner == CP_OWNER_NODE && strcmp(metadata->key, "isAttachPoint") == 0;
    return attach_point && strcmp(metadata->value, "true") == 0 ? PLACE_ATTACH_POINT : PLACE_NONE;
}

bool plan_metadata(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    struct metadata_plan *plan = &file->metadata;
    plan->context = file->context;
    plan->scene = scene;
    uint32_t slots = owner_slot(scene, CP_OWNER_JOINT, 0) + scene->joint_count;
    plan->first = scene_allocate(file->work, slots, sizeof *plan->first);
    plan->next = scene_allocate(file->work, scene->metadata_count, sizeof *plan->next);
    plan->placed = file_allocate(file, scene->metadata_count, sizeof *plan->placed);
    if (!plan->first || !plan->next || !plan->placed)
        return false;
    memset(plan->first, 0xff, slots * sizeof *plan->first);
    for (uint32_t i = scene->metadata_count; i-- > 0;) {
        uint32_t slot = owner_slot(scene, scene->metadata[i].owner, scene->metadata[i].index);
        plan->next[i] = plan->first[slot];
        plan->first[slot] = i;
    }
    /* The first of each kind of an owner gets a place of its own. Stages keep all metadata in one place, in its
     * order. */
    for (uint32_t slot = 0; is_deliver(file) && slot < slots; slot++) {
        bool seen[PLACE_COUNT] = {true};
        for (uint32_t at = plan->first[slot]; at != CP_NONE; at = plan->next[at]) {
            const cp_metadata_entry *metadata = &scene->metadata[at];
            int place = place_of(file, metadata);
            if (seen[place])
                continue;
            seen[place] = true;
            cp_status status =
                place == PLACE_ATTACH_POINT ? CP_OK : check_object(file->context, metadata, place == PLACE_LIGHT);
            if (status == CP_LIMIT)
                return false;
            plan->placed[at] = status == CP_OK;
        }
    }
    return true;
}

uint64_t count_own_metadata(const struct metadata_plan *metadata)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < metadata->scene->metadata_count; i++)
        count += !metadata->placed[i];
    return count;
}

/* ---- JSON ---- */

void open_extras(struct json_writer *json, const struct metadata_plan *metadata, cp_owner owner, uint32_t index,
                 const char *key)
{
    uint32_t at = find_metadata(metadata, owner, index, key);
    bool placed = at != CP_NONE && metadata->placed[at];
    json_extras_open_with(json, placed ? metadata->scene->metadata[at].value : NULL);
}

void write_metadata(struct json_writer *json, const struct metadata_plan *metadata, cp_owner owner, uint32_t index)
{
    bool any = false;
    for (uint32_t at = metadata->first[owner_slot(metadata->scene, owner, index)]; at != CP_NONE;
         at = metadata->next[at]) {
        const cp_metadata_entry *entry = &metadata->scene->metadata[at];
        if (metadata->placed[at])
            continue;
        if (!any)
            json_key_open(json, "metadata", '[');
        any = true;
        json_row(json, metadata->scene, &tables[TABLE_METADATA].layout, entry, IN_STAGE);
    }
    if (any)
        json_close(json, ']');
}

void write_metadata_value(struct json_writer *json, const struct metadata_plan *metadata, uint32_t joint,
                          const char *from, const char *key)
{
    uint32_t at = find_metadata(metadata, CP_OWNER_JOINT, joint, from);
    if (at == CP_NONE)
        return;
    struct json_document document;
    cp_status status = parse_metadata(metadata->context, &metadata->scene->metadata[at], &document);
    if (status == CP_OK) {
        json_key(json, key);
        json_word(json, metadata->scene->metadata[at].value);
    }
    json->out->failed = json->out->failed || status == CP_LIMIT;
    json_free(&document);
}

bool has_attach_point(const struct metadata_plan *metadata, uint32_t node)
{
    uint32_t at = find_metadata(metadata, CP_OWNER_NODE, node, "isAttachPoint");
    return at != CP_NONE && metadata->placed[at];
}

const char *find_light(const struct metadata_plan *metadata, uint32_t node)
{
    uint32_t at = find_metadata(metadata, CP_OWNER_NODE, node, "KHR_lights_punctual");
    return at != CP_NONE && metadata->placed[at] ? metadata->scene->metadata[at].value : NULL;
}

void write_copyright(struct json_writer *json, const struct metadata_plan *metadata)
{
    uint32_t at = find_metadata(metadata, CP_OWNER_SCENE, 0, "asset.copyright");
    if (at != CP_NONE)
        json_key_text(json, "copyright", metadata->scene->metadata[at].value);
}

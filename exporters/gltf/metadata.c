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

uint32_t find_metadata(const struct writer *writer, cp_owner owner, uint32_t index, const char *key)
{
    uint32_t at = writer->metadata.first[owner_slot(writer->scene, owner, index)];
    while (at != CP_NONE && strcmp(writer->scene->metadata[at].key, key) != 0)
        at = writer->metadata.next[at];
    return at;
}

/* ---- what has a place of its own ---- */

/* Parses metadata. CP_INPUT if it is no JSON: anybody can write metadata, so it cannot go into the file unchecked. Call
 * json_free even on failure. */
static cp_status parse_metadata(const struct writer *writer, const cp_metadata_entry *metadata,
                                struct json_document *json)
{
    const uint64_t nesting = 64;
    size_t size = strlen(metadata->value);
    *json = (struct json_document){.context = writer->context, .text = metadata->value, .size = (uint32_t)size};
    bool text = metadata->type == CP_VALUE_JSON && size < UINT32_MAX && utf8_valid(metadata->value, size);
    return text ? json_parse(json, NULL, nesting, NULL) : CP_INPUT;
}

/* Checks whether metadata can be extras of its owner: an object that does not contradict our own extras. CP_INPUT:
 * no. */
static cp_status check_extras(const struct writer *writer, const cp_metadata_entry *metadata)
{
    struct json_document json;
    cp_status status = parse_metadata(writer, metadata, &json);
    if (status == CP_OK && (!json_is(&json, 0, JSON_OBJECT) || json_count(&json, 0) == 0))
        status = CP_INPUT;
    for (uint32_t at = status == CP_OK ? json_first(&json, 0) : JSON_NONE; at != JSON_NONE;
         at = json_next(&json, 0, at))
        if (json_string_equals(&json, at, "cellpipe") || json_string_equals(&json, at, "name"))
            status = CP_INPUT;
    json_free(&json);
    return status;
}

/* Checks whether metadata can be a light: an object with a type. CP_INPUT: no. */
static cp_status check_light(const struct writer *writer, const cp_metadata_entry *metadata)
{
    struct json_document json;
    cp_status status = parse_metadata(writer, metadata, &json);
    if (status == CP_OK && !json_is(&json, json_member(&json, 0, "type"), JSON_STRING))
        status = CP_INPUT;
    json_free(&json);
    return status;
}

/* The kinds of metadata that have a place of their own. */
enum { PLACE_NONE, PLACE_EXTRAS, PLACE_ASSET, PLACE_ATTACH_POINT, PLACE_LIGHT, PLACE_COUNT };

static int place_of(const struct writer *writer, const cp_metadata_entry *metadata)
{
    bool drawn = metadata->owner != CP_OWNER_MESH || writer->meshes[metadata->index].index != CP_NONE;
    if (drawn && strcmp(metadata->key, "extras") == 0)
        return PLACE_EXTRAS;
    if (metadata->owner == CP_OWNER_SCENE && strcmp(metadata->key, "asset.extras") == 0)
        return PLACE_ASSET;
    /* A light shines from the glTF node of its node; with joints, the geometry is on another glTF node. */
    bool node = metadata->owner == CP_OWNER_NODE, light = node && strcmp(metadata->key, "KHR_lights_punctual") == 0;
    if (light && writer->scene->nodes[metadata->index].joint_count == 0)
        return PLACE_LIGHT;
    bool attach_point = metadata->owner == CP_OWNER_NODE && strcmp(metadata->key, "isAttachPoint") == 0;
    return attach_point && strcmp(metadata->value, "true") == 0 ? PLACE_ATTACH_POINT : PLACE_NONE;
}

bool plan_metadata(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    struct metadata_plan *plan = &writer->metadata;
    uint32_t slots = owner_slot(scene, CP_OWNER_JOINT, 0) + scene->joint_count;
    plan->first = scene_allocate(writer->work, slots, sizeof *plan->first);
    plan->next = scene_allocate(writer->work, scene->metadata_count, sizeof *plan->next);
    plan->placed = writer_allocate(writer, scene->metadata_count, sizeof *plan->placed);
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
    for (uint32_t slot = 0; is_deliver(writer) && slot < slots; slot++) {
        bool seen[PLACE_COUNT] = {true};
        for (uint32_t at = plan->first[slot]; at != CP_NONE; at = plan->next[at]) {
            const cp_metadata_entry *metadata = &scene->metadata[at];
            int place = place_of(writer, metadata);
            if (seen[place])
                continue;
            seen[place] = true;
            cp_status status = place == PLACE_ATTACH_POINT ? CP_OK
                               : place == PLACE_LIGHT      ? check_light(writer, metadata)
                                                           : check_extras(writer, metadata);
            if (status == CP_LIMIT)
                return false;
            plan->placed[at] = status == CP_OK;
        }
    }
    return true;
}

uint64_t count_own_metadata(const struct writer *writer)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < writer->scene->metadata_count; i++)
        count += !writer->metadata.placed[i];
    return count;
}

/* ---- JSON ---- */

void open_extras(struct writer *writer, cp_owner owner, uint32_t index, const char *key)
{
    struct json_writer *json = &writer->json;
    uint32_t at = find_metadata(writer, owner, index, key);
    bool placed = at != CP_NONE && writer->metadata.placed[at];
    json_extras_open_with(json, placed ? writer->scene->metadata[at].value : NULL);
}

void write_metadata(struct writer *writer, cp_owner owner, uint32_t index)
{
    struct json_writer *json = &writer->json;
    bool any = false;
    for (uint32_t at = writer->metadata.first[owner_slot(writer->scene, owner, index)]; at != CP_NONE;
         at = writer->metadata.next[at]) {
        const cp_metadata_entry *metadata = &writer->scene->metadata[at];
        if (writer->metadata.placed[at])
            continue;
        if (!any)
            json_key_open(json, "metadata", '[');
        any = true;
        json_row(json, writer->scene, &tables[TABLE_METADATA].layout, metadata, IN_STAGE);
    }
    if (any)
        json_close(json, ']');
}

void write_metadata_value(struct writer *writer, uint32_t joint, const char *from, const char *key)
{
    uint32_t at = find_metadata(writer, CP_OWNER_JOINT, joint, from);
    if (at == CP_NONE)
        return;
    struct json_document json;
    cp_status status = parse_metadata(writer, &writer->scene->metadata[at], &json);
    if (status == CP_OK) {
        json_key(&writer->json, key);
        json_word(&writer->json, writer->scene->metadata[at].value);
    }
    writer->text.failed = writer->text.failed || status == CP_LIMIT;
    json_free(&json);
}

bool has_attach_point(const struct writer *writer, uint32_t node)
{
    uint32_t at = find_metadata(writer, CP_OWNER_NODE, node, "isAttachPoint");
    return at != CP_NONE && writer->metadata.placed[at];
}

const char *find_light(const struct writer *writer, uint32_t node)
{
    uint32_t at = find_metadata(writer, CP_OWNER_NODE, node, "KHR_lights_punctual");
    return at != CP_NONE && writer->metadata.placed[at] ? writer->scene->metadata[at].value : NULL;
}

void write_copyright(struct writer *writer)
{
    uint32_t at = find_metadata(writer, CP_OWNER_SCENE, 0, "asset.copyright");
    if (at != CP_NONE)
        json_key_text(&writer->json, "copyright", writer->scene->metadata[at].value);
}

/* Loops, devices and pairs of our stages. */
#include "gltf.h"

#include <math.h>

#include "base/text/text.h"

/* The things of an array of ids; those that are missing are left out, with a warning each. */
static const uint32_t *read_ids(struct gltf *gltf, uint32_t device, const char *key, enum gltf_map map, uint32_t *count)
{
    uint32_t array = gltf_array(gltf, device, key);
    uint32_t *indices = gltf_scene_array(gltf, json_count(&gltf->json, array), sizeof *indices);
    *count = 0;
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(&gltf->json, array, at)) {
        uint32_t index = own_find(gltf, map, at);
        if (index != CP_NONE)
            indices[(*count)++] = index;
    }
    return indices;
}

static void read_loop(struct gltf *gltf, uint32_t value)
{
    const char *id = own_id(gltf, value), *name = gltf_text(gltf, value, "name");
    uint32_t type = gltf_word(gltf, value, "type", loop_type_words, CP_LOOP_SPHERICAL);
    uint32_t first = own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "first"));
    uint32_t second = own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "second"));
    if (first == CP_NONE || second == CP_NONE || gltf->status != CP_OK)
        return;
    uint32_t index = scene_add_loop(gltf->scene, name ? name : "", (cp_loop_type)type, first, second);
    if (index == CP_NONE) {
        gltf_no_memory(gltf);
        return;
    }
    cp_loop *loop = &gltf->scene->loops[index];
    loop->id = id;
    (void)gltf_numbers(gltf, value, "first_pose", 12, loop->poses[0].m);
    (void)gltf_numbers(gltf, value, "second_pose", 12, loop->poses[1].m);
    loop->length = gltf_number(gltf, value, "length", 0);
}

void own_read_loops(struct gltf *gltf)
{
    struct gltf_list list = gltf_items(gltf, gltf->scene_own, "loops", true);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        read_loop(gltf, list.items[i]);
}

static void read_device(struct gltf *gltf, uint32_t value)
{
    const char *id = own_id(gltf, value), *name = gltf_text(gltf, value, "name");
    uint32_t kind = gltf_word(gltf, value, "kind", device_kind_words, CP_DEVICE_SERIAL);
    uint32_t base = own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "base"));
    if (base == CP_NONE || gltf->status != CP_OK)
        return;
    uint32_t index = scene_add_device(gltf->scene, name ? name : "", base);
    if (index == CP_NONE) {
        gltf_no_memory(gltf);
        return;
    }
    cp_device *device = &gltf->scene->devices[index];
    device->id = id;
    device->kind = (cp_device_kind)kind;
    device->ends = read_ids(gltf, value, "ends", MAP_NODES, &device->end_count);
    device->joints = read_ids(gltf, value, "joints", MAP_JOINTS, &device->joint_count);
    uint32_t home = gltf_array(gltf, value, "home"), count = 0;
    device->home = home == JSON_NONE ? NULL : gltf_all_numbers(gltf, home, &count);
    if (device->home && count != device->joint_count) {
        gltf_warning(gltf, home, "gltf-device", "%lu home values for %lu joints are ignored", (unsigned long)count,
                     (unsigned long)device->joint_count);
        device->home = NULL;
    }
    gltf->device_values[index] = value;
    if (id)
        own_name(gltf, MAP_DEVICES, id, index);
}

void own_read_devices(struct gltf *gltf)
{
    struct gltf_list list = gltf_items(gltf, gltf->scene_own, "devices", true);
    gltf->device_values = gltf_allocate(gltf, list.count, sizeof *gltf->device_values);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        read_device(gltf, list.items[i]);
    for (uint32_t i = 0; i < gltf->scene->device_count && gltf->status == CP_OK; i++) {
        uint32_t scope = json_member(&gltf->json, gltf->device_values[i], "scope");
        if (scope != JSON_NONE)
            gltf->scene->devices[i].scope = own_find(gltf, MAP_DEVICES, scope);
    }
}

/* A whole number that 32 bits hold. */
static uint32_t read_count(struct gltf *gltf, uint32_t value, const char *key)
{
    uint64_t count = gltf_integer(gltf, value, key, 0);
    if (count <= UINT32_MAX)
        return (uint32_t)count;
    gltf_warning(gltf, json_member(&gltf->json, value, key), "gltf-finding", "%llu is too many and is ignored",
                 (unsigned long long)count);
    return 0;
}

/* NULL when there is none, or none that can be. */
static const cp_finding *read_finding(struct gltf *gltf, uint32_t pair)
{
    uint32_t value = gltf_object(gltf, pair, "finding");
    cp_finding *finding = value == JSON_NONE ? NULL : gltf_scene_array(gltf, 1, sizeof *finding);
    if (!finding)
        return NULL;
    bool infinite = json_is(&gltf->json, json_member(&gltf->json, value, "clearance"), JSON_NULL);
    *finding = (cp_finding){.margin = gltf_number(gltf, value, "margin", 0),
                            .touch = gltf_number(gltf, value, "touch", CP_TOUCH)};
    finding->clearance = infinite ? INFINITY : gltf_number(gltf, value, "clearance", INFINITY);
    finding->work = gltf_integer(gltf, value, "work", 0);
    finding->samples = read_count(gltf, value, "samples");
    finding->descents = read_count(gltf, value, "descents");
    finding->hits = read_count(gltf, value, "hits");
    const char *key = gltf_text(gltf, value, "key");
    if (key && !text_is_hash(key, &finding->key))
        gltf_warning(gltf, json_member(&gltf->json, value, "key"), "gltf-finding",
                     "\"%.100s\" is not 16 hexadecimal digits and is ignored", key);

    /* Values of some of the joints say nothing: one that is missing takes the others with it. */
    struct gltf_list list = gltf_items(gltf, value, "witness", true);
    cp_joint_setting *witness = gltf_scene_array(gltf, list.count, sizeof *witness);
    bool whole = witness;
    for (uint32_t i = 0; i < list.count && whole; i++) {
        witness[i].joint = own_find(gltf, MAP_JOINTS, json_member(&gltf->json, list.items[i], "joint"));
        witness[i].value = gltf_number(gltf, list.items[i], "value", 0);
        whole = witness[i].joint != CP_NONE;
    }
    finding->witness = witness;
    finding->witness_count = whole ? list.count : 0;
    if (gltf->status == CP_OK && finding_is_sound(finding))
        return finding;
    gltf_warning(gltf, value, "gltf-finding", "a finding with an impossible number is ignored");
    return NULL;
}

void own_read_pairs(struct gltf *gltf)
{
    struct gltf_list list = gltf_items(gltf, gltf->scene_own, "pairs", true);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        uint32_t value = list.items[i];
        uint32_t first = own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "first"));
        uint32_t second = own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "second"));
        const char *reason = gltf_text(gltf, value, "reason"), *evidence = gltf_text(gltf, value, "evidence");
        uint32_t verdict = gltf_word(gltf, value, "verdict", verdict_words, CP_PAIR_EXCLUDED);
        const cp_finding *finding = read_finding(gltf, value);
        if (gltf->status != CP_OK || first == CP_NONE || second == CP_NONE)
            continue;
        uint32_t index = scene_add_pair(gltf->scene, first, second, reason ? reason : "");
        if (index == CP_NONE) {
            gltf_no_memory(gltf);
            return;
        }
        gltf->scene->pairs[index].verdict = (cp_verdict)verdict;
        gltf->scene->pairs[index].evidence = evidence ? evidence : "";
        gltf->scene->pairs[index].finding = finding;
    }
}

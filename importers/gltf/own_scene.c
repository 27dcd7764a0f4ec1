/* Loops, devices and pairs of our stages, and what else the scene's extras list. */
#include "gltf.h"

/* Reads the homes of a device's joints. */
static void finish_device(struct gltf *gltf, uint32_t value, cp_device *device)
{
    uint32_t home = gltf_array(gltf, value, "home"), count = 0;
    device->home = home == JSON_NONE ? NULL : gltf_all_numbers(gltf, home, &count);
    if (device->home && count != device->joint_count) {
        gltf_warning(gltf, home, "gltf-device", "%lu home values for %lu joints are ignored", (unsigned long)count,
                     (unsigned long)device->joint_count);
        device->home = NULL;
    }
}

/* Reads the finding, if there is one. A witness that lacks a joint is left out as a whole: values of some of the joints
 * show no collision. */
static void finish_pair(struct gltf *gltf, const struct gltf_ids *ids, uint32_t value, cp_pair *pair)
{
    uint32_t object = gltf_object(gltf, value, "finding");
    cp_finding *finding = object == JSON_NONE ? NULL : gltf_scene_array(gltf, 1, sizeof *finding);
    if (!finding)
        return;
    row_start(&finding_layout, finding);
    if (own_read_members(gltf, ids, object, &finding_layout, finding) && finding_is_sound(finding))
        pair->finding = finding;
    else
        gltf_warning(gltf, object, "gltf-finding", "a finding with an impossible number is ignored");
}

static void read_list(struct gltf *gltf, cp_scene *scene, const struct gltf_extras *extras, struct gltf_ids *ids,
                      enum scene_table table)
{
    const struct layout *layout = &tables[table].layout;
    const struct member *id = table_member(table, MEMBER_ID);
    const uint32_t before = table_count(scene, table);
    struct gltf_list list = gltf_items(gltf, extras->scene, tables[table].list, true);
    void *row = gltf_allocate(gltf, 1, layout->size);
    uint32_t *values = gltf_allocate(gltf, list.count, sizeof *values), count = 0;
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        row_start(layout, row);
        bool good = own_read_row(gltf, ids, list.items[i], table, row);
        if (table == TABLE_DEVICES && good)
            finish_device(gltf, list.items[i], row);
        else if (table == TABLE_PAIRS)
            finish_pair(gltf, ids, list.items[i], row);
        if (!good || gltf->status != CP_OK)
            continue;
        uint32_t index = scene_add_row(scene, table, row);
        if (index == CP_NONE)
            gltf_no_memory(gltf);
        else if (id && row_pointer(row, id->at))
            own_name(gltf, &ids->of[table], row_pointer(row, id->at), index);
        values[count++] = list.items[i];
    }
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        own_read_later(gltf, ids, values[i], table, table_row(scene, table, before + i));
}

void own_read_lists(struct gltf *gltf, cp_scene *scene, const struct gltf_extras *extras, struct gltf_ids *ids)
{
    for (enum scene_table table = 0; table < TABLE_COUNT && gltf->status == CP_OK; table++)
        if (tables[table].list)
            read_list(gltf, scene, extras, ids, table);
}

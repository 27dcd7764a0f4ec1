/* info --json: the object that docs/cli.md describes. Scripts rely on it: keys are added, never changed. */
#include "parts.h"

#include <string.h>

struct info {
    struct cli *cli;
    const cp_scene *scene;
    const cp_node *nodes;
    const cp_joint *joints;
    cp_json json;
};

static void put_rows(struct info *info, const cp_rows *rows);

/* Prints those members of a row that no other function here prints. */
static void put_row_members(struct info *info, const cp_rows *rows, uint32_t row)
{
    cp_json *json = &info->json;
    for (cp_member member = {0}; cp_next_member(info->scene, rows, row, CP_IN_INFO, &member);)
        switch (member.kind) {
        case CP_MEMBER_TEXT:
        case CP_MEMBER_WORD:
        case CP_MEMBER_ROW:
            cp_json_text(json, member.name, member.text);
            break;
        case CP_MEMBER_NUMBERS:
            if (member.count == 1)
                cp_json_number(json, member.name, *member.numbers);
            else
                cp_json_numbers(json, member.name, member.numbers, member.count);
            break;
        case CP_MEMBER_WHOLE:
            cp_json_count(json, member.name, member.whole);
            break;
        case CP_MEMBER_FLAG:
            cp_json_boolean(json, member.name, member.whole);
            break;
        case CP_MEMBER_ROWS:
            cp_json_open(json, member.name, member.rows.single ? '{' : '[');
            if (member.rows.single)
                put_row_members(info, &member.rows, 0);
            else
                put_rows(info, &member.rows);
            cp_json_close(json, member.rows.single ? '}' : ']');
        }
}

static void put_rows(struct info *info, const cp_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        if (!rows->plain)
            cp_json_open(&info->json, NULL, '{');
        put_row_members(info, rows, i);
        if (!rows->plain)
            cp_json_close(&info->json, '}');
    }
}

static cp_status put_frames(struct info *info)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(info->scene, &count);
    const cp_rows rows = cp_rows_of(info->scene, "node");
    const cp_pose *worlds = world_poses(info->cli, info->scene);
    if (!worlds)
        return CP_LIMIT;
    cp_json *json = &info->json;
    cp_json_open(json, "frames", '[');
    for (uint32_t i = 0; i < count; i++) {
        if (is_placeholder(info->scene, i))
            continue;
        double world[16] = {[15] = 1}; /* row-major */
        memcpy(world, worlds[i].m, sizeof worlds[i].m);
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "name", nodes[i].name);
        cp_json_text(json, "parent", i ? nodes[nodes[i].parent].name : NULL);
        cp_json_text(json, "kind", frame_kind(info->scene, i));
        cp_json_boolean(json, "attachable", (nodes[i].flags & CP_NODE_ATTACHABLE) != 0);
        cp_json_numbers(json, "world", world, 16);
        put_row_members(info, &rows, i);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    return CP_OK;
}

/* Prints the names of joints as an array. */
static void put_names(struct info *info, const uint32_t *joints, uint32_t count)
{
    cp_json_open(&info->json, "joints", '[');
    for (uint32_t i = 0; i < count; i++)
        cp_json_text(&info->json, NULL, info->joints[joints[i]].name);
    cp_json_close(&info->json, ']');
}

static void put_depends(struct info *info, const cp_joint *joint)
{
    cp_json *json = &info->json;
    if (!cp_joint_is_dependent(joint)) {
        cp_json_text(json, "depends", NULL);
        return;
    }
    cp_json_open(json, "depends", '{');
    if (joint->expression) {
        cp_json_text(json, "expression", joint->expression->text);
        put_names(info, joint->expression->inputs, joint->expression->input_count);
    } else {
        cp_json_text(json, "joint", info->joints[joint->master].name);
    }
    cp_json_number(json, "scale", joint->scale);
    cp_json_number(json, "offset", joint->offset);
    cp_json_close(json, '}');
}

/* A joint's q is the value that it has now, also if it is dependent. */
static cp_status put_joints(struct info *info)
{
    cp_rows rows = cp_rows_of(info->scene, "joint");
    cp_json *json = &info->json;
    cp_status status = current_joints(info->cli, info->scene, &info->joints);
    if (status != CP_OK)
        return status;
    rows.rows = info->joints;
    cp_json_open(json, "joints", '[');
    for (uint32_t i = 0; i < rows.count; i++) {
        cp_json_open(json, NULL, '{');
        put_row_members(info, &rows, i);
        put_depends(info, &info->joints[i]);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    return CP_OK;
}

static void put_devices(struct info *info)
{
    uint32_t count;
    const cp_device *devices = cp_devices(info->scene, &count);
    const cp_rows rows = cp_rows_of(info->scene, "device");
    cp_json *json = &info->json;
    cp_json_open(json, "devices", '[');
    for (uint32_t i = 0; i < count; i++) {
        const cp_device *device = &devices[i];
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "name", device->name);
        cp_json_text(json, "kind", cp_device_kind_name(device->kind));
        cp_json_text(json, "class", device_class(info->scene, device));
        cp_json_text(json, "base", info->nodes[device->base].name);
        cp_json_text(json, "end", device->end_count ? info->nodes[device->ends[0]].name : NULL);
        put_names(info, device->joints, device->joint_count);
        cp_json_open(json, "home", '[');
        for (uint32_t k = 0; k < device->joint_count; k++)
            cp_json_number(json, NULL, device->home ? device->home[k] : info->joints[device->joints[k]].home);
        cp_json_close(json, ']');
        put_row_members(info, &rows, i);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
}

/* Devices have put_devices, and pairs put_exclusions. */
static void put_lists(struct info *info)
{
    for (cp_rows rows = {0}; cp_next_list(info->scene, &rows);) {
        if (strcmp(rows.list, "devices") == 0 || strcmp(rows.list, "pairs") == 0)
            continue;
        cp_json_open(&info->json, rows.list, '[');
        put_rows(info, &rows);
        cp_json_close(&info->json, ']');
    }
}

/* Prints the mobility; null if the loops do not close. */
static cp_status put_mobility(struct info *info)
{
    cp_mobility found = {.size = sizeof found};
    cp_singularity singularity = {.size = sizeof singularity};
    cp_json *json = &info->json;
    cp_status status = cp_measure_mobility(info->cli->context, info->scene, &found);
    if (status == CP_OK)
        status = cp_measure_singularity(info->cli->context, info->scene, CP_NONE, 0, &singularity);
    if (status == CP_NO)
        cp_json_text(json, "mobility", NULL);
    if (status != CP_OK)
        return status == CP_NO ? CP_OK : status;
    cp_json_open(json, "mobility", '{');
    cp_json_count(json, "joints", found.joints);
    cp_json_count(json, "driven", found.driven);
    cp_json_count(json, "degrees", found.degrees);
    cp_json_count(json, "commanded", found.commanded);
    cp_json_count(json, "dangling", found.dangling);
    cp_json_count(json, "redundant", found.redundant);
    cp_json_number(json, "singularity", singularity.distance);
    cp_json_text(json, "lacking", found.lacking == CP_NONE ? NULL : info->joints[found.lacking].name);
    cp_json_close(json, '}');
    return CP_OK;
}

static void put_geometry(struct info *info)
{
    uint32_t count;
    const cp_instance *instances = cp_instances(info->scene, &count);
    const cp_mesh *meshes = cp_meshes(info->scene, &(uint32_t){0});
    const cp_rows rows = cp_rows_of(info->scene, "instance");
    cp_json *json = &info->json;
    cp_json_open(json, "geometry", '[');
    for (uint32_t i = 0; i < count; i++) {
        const cp_mesh *mesh = &meshes[instances[i].mesh];
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "frame", info->nodes[instances[i].node].name);
        cp_json_text(json, "use", cp_use_name(instances[i].use));
        cp_json_text(json, "mesh", mesh->name);
        cp_json_count(json, "triangles", cp_mesh_triangles(mesh));
        cp_json_text(json, "source", mesh->source);
        put_row_members(info, &rows, i);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
}

static cp_status put_exclusions(struct info *info)
{
    struct distinct_exclusions exclusions;
    cp_json *json = &info->json;
    if (list_exclusions(info->cli, info->scene, false, &exclusions) != CP_OK)
        return CP_LIMIT;
    cp_rows rows = cp_rows_of(info->scene, "pair");
    rows.rows = exclusions.pairs;
    cp_json_open(json, "exclusions", '[');
    for (size_t i = 0; i < exclusions.count; i++) {
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "first", info->nodes[exclusions.pairs[i].first].name);
        cp_json_text(json, "second", info->nodes[exclusions.pairs[i].second].name);
        cp_json_text(json, "reason", exclusions.pairs[i].reason);
        put_row_members(info, &rows, (uint32_t)i);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    cp_json_count(json, "dangling_exclusions", exclusions.dangling);
    cp_pair_counts counts = {.size = sizeof counts};
    cp_status status = cp_count_pairs(info->cli->context, info->scene, &counts);
    if (status != CP_OK)
        return status;
    cp_json_open(json, "collision_pairs", '{');
    cp_json_count(json, "candidates", counts.candidates);
    cp_json_count(json, "all", counts.all);
    cp_json_count(json, "checked", counts.checked);
    cp_json_count(json, "without_geometry", counts.without_geometry);
    cp_json_count(json, "missing", counts.missing);
    cp_json_count(json, "declared", counts.declared);
    cp_json_count(json, "declared_checked", counts.declared_checked);
    cp_json_count(json, "static_alone", counts.static_alone);
    cp_json_close(json, '}');
    return CP_OK;
}

static cp_status put_measures(struct info *info)
{
    cp_measures measures = {.size = sizeof measures};
    uint32_t meshes;
    cp_json *json = &info->json;
    (void)cp_meshes(info->scene, &meshes);
    cp_status status = cp_measure(info->cli->context, info->scene, CP_USE_DRAWN, &measures);
    if (status != CP_OK)
        return status;
    cp_json_count(json, "meshes", meshes);
    cp_json_count(json, "triangles", measures.triangles);
    if (measures.any) {
        cp_json_open(json, "bounds", '[');
        cp_json_numbers(json, NULL, measures.lower, 3);
        cp_json_numbers(json, NULL, measures.upper, 3);
        cp_json_close(json, ']');
    } else {
        cp_json_text(json, "bounds", NULL);
    }
    cp_json_number(json, "area", measures.area);
    cp_json_number(json, "volume", measures.volume);
    return CP_OK;
}

static void put_part(struct info *info, const struct mesh_facts *part, uint32_t index)
{
    cp_json *json = &info->json;
    const cp_rows meshes = cp_rows_of(info->scene, "mesh");
    const cp_topology *topology = &part->topology;
    const cp_measures *box = &part->measures;
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"vertices", topology->vertices},
                  {"unused_vertices", topology->unused_vertices},
                  {"touching_vertices", topology->touching_vertices},
                  {"components", topology->components},
                  {"closed_components", topology->closed_components},
                  {"cavities", topology->cavities},
                  {"edges", topology->edges},
                  {"border_edges", topology->border_edges},
                  {"non_manifold_edges", topology->non_manifold_edges},
                  {"misoriented_edges", topology->misoriented_edges},
                  {"flipped_faces", topology->flipped_faces},
                  {"inside_out_shells", topology->inside_out_shells},
                  {"one_sided_shells", topology->one_sided_shells},
                  {"flat_shells", topology->flat_shells},
                  {"degenerate_faces", topology->degenerate_faces},
                  {"duplicate_faces", topology->duplicate_faces},
                  {"opposite_faces", topology->opposite_faces}};
    cp_json_open(json, NULL, '{');
    cp_json_text(json, "mesh", part->mesh->name);
    cp_json_text(json, "source", part->mesh->source);
    cp_json_text(json, "kind", cp_mesh_kind_name(part->mesh->kind));
    cp_json_count(json, "placed", part->placed);
    cp_json_count(json, "triangles", cp_mesh_triangles(part->mesh));
    cp_json_boolean(json, "closed", topology->closed);
    cp_json_count(json, "stored_vertices", part->mesh->vertex_count);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cp_json_count(json, counts[i].key, counts[i].value);
    if (box->any)
        cp_json_numbers(
            json, "size",
            (double[]){box->upper[0] - box->lower[0], box->upper[1] - box->lower[1], box->upper[2] - box->lower[2]}, 3);
    else
        cp_json_text(json, "size", NULL);
    cp_json_number(json, "area", box->area);
    cp_json_number(json, "volume", box->volume);
    cp_json_count(json, "bytes", cp_mesh_bytes(part->mesh));
    if (part->same_as == index)
        cp_json_text(json, "same_as", NULL);
    else
        cp_json_count(json, "same_as", part->same_as);
    put_row_members(info, &meshes, index);
    cp_json_close(json, '}');
}

static cp_status put_parts(struct info *info)
{
    struct parts parts;
    cp_status status = list_parts(info->cli, info->scene, true, &parts);
    if (status != CP_OK)
        return status;
    cp_json_open(&info->json, "parts", '[');
    for (uint32_t i = 0; i < parts.count; i++)
        put_part(info, &parts.items[i], i);
    cp_json_close(&info->json, ']');
    return CP_OK;
}

static void put_clips(struct info *info)
{
    uint32_t count;
    const cp_clip *clips = cp_clips(info->scene, &count);
    const cp_rows rows = cp_rows_of(info->scene, "clip");
    cp_json_count(&info->json, "clips", count);
    cp_json_open(&info->json, "clip_list", '[');
    for (uint32_t i = 0; i < count; i++) {
        struct clip_facts facts = clip_facts(&clips[i]);
        cp_json_open(&info->json, NULL, '{');
        cp_json_text(&info->json, "name", clips[i].name);
        cp_json_number(&info->json, "first", facts.first);
        cp_json_number(&info->json, "last", facts.last);
        cp_json_count(&info->json, "tracks", clips[i].track_count);
        cp_json_count(&info->json, "keys", facts.keys);
        cp_json_count(&info->json, "attachments", clips[i].attachment_count);
        put_row_members(info, &rows, i); /* its marks */
        cp_json_close(&info->json, '}');
    }
    cp_json_close(&info->json, ']');
}

static cp_status put_members(struct info *info)
{
    const cp_source *source = cp_scene_source(info->scene);
    cp_json *json = &info->json;
    cp_status status = put_frames(info);
    if (status == CP_OK)
        status = put_joints(info);
    if (status != CP_OK)
        return status;
    put_devices(info);
    put_lists(info);
    status = put_mobility(info);
    if (status != CP_OK)
        return status;
    put_geometry(info);
    status = put_exclusions(info);
    if (status == CP_OK)
        status = put_measures(info);
    if (status == CP_OK)
        status = put_parts(info);
    if (status != CP_OK)
        return status;
    put_clips(info);
    cp_json_open(json, "source", '{');
    cp_json_text(json, "format", source->format);
    cp_json_number(json, "unit", source->unit);
    cp_json_text(json, "up", source->up == CP_UP_Y ? "y" : "z");
    if (source->deviation > 0)
        cp_json_number(json, "deviation", source->deviation);
    cp_json_close(json, '}');
    /* Print how many losses and warnings the reading reported; --report has the texts. */
    size_t count;
    uint64_t losses = 0, warnings = 0;
    const cp_entry *entries = cp_report(info->cli->context, &count);
    for (size_t i = 0; i < count; i++) {
        losses += entries[i].severity == CP_LOSS;
        warnings += entries[i].severity == CP_WARNING;
    }
    cp_json_count(json, "losses", losses);
    cp_json_count(json, "warnings", warnings);
    return CP_OK;
}

cp_status put_info(struct cli *cli, cp_json *json, const cp_scene *scene)
{
    struct info info = {cli, scene, cp_nodes(scene, &(uint32_t){0}), NULL, *json};
    cp_status status = put_members(&info);
    *json = info.json;
    return status;
}

cp_status print_info_json(struct cli *cli, const cp_scene *scene)
{
    struct json_answer answer;
    if (!json_answer_begin(cli, &answer))
        return CP_LIMIT;
    return json_answer_end(cli, &answer, put_info(cli, &answer.json, scene));
}

/* The build: each item is a node below the world, each component one below its object's. */
#include "../assembly.h"
#include "3mf.h"

#include "mesh/mesh.h"
#include "model/model.h"

#ifdef HAVE_3MF

/* ---- who names whom ---- */

static cp_status find_objects(const struct threemf *file, struct component *components, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct reference *to = &components[i].to;
        const uint32_t *index = name_map_find(&file->parts[to->part].names, to->id);
        const struct resource *resource = index ? &file->resources[*index] : NULL;
        const char *shown = file->package ? file->parts[to->in].name : "";
        if (!resource || resource->kind != RESOURCE_OBJECT)
            return report_error(file->context, CP_INPUT, "3mf-object", IN_FILE(file->source->name),
                                "%s%sline %llu: there is no object %.40s%s%s", shown, *shown ? ", " : "",
                                (unsigned long long)to->line, to->id, to->part == to->in ? "" : " in ",
                                to->part == to->in ? "" : file->parts[to->part].name);
        components[i].object = resource->first;
    }
    return CP_OK;
}

static cp_status list_parts(struct threemf *file, struct assembly *assembly)
{
    cp_status status = assembly_start(assembly, file->arena, file->context, file->object_count, file->component_count);
    for (uint32_t i = 0; status == CP_OK && i < file->object_count; i++) {
        assembly->objects[i].first_part = file->objects[i].first_component;
        assembly->objects[i].part_count = file->objects[i].component_count;
    }
    for (uint32_t i = 0; status == CP_OK && i < file->component_count; i++)
        assembly->parts[i] = file->components[i].object;
    return status;
}

static cp_status check_counts(struct threemf *file, struct assembly *assembly)
{
    uint64_t count = 1, most = limit_nodes(file->context);
    uint32_t ring = 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < file->item_count && status == CP_OK; i++)
        status = assembly_count(assembly, file->items[i].object, &count, &ring);
    if (status == CP_INPUT)
        return report_error(file->context, CP_INPUT, "3mf-cycle", IN_FILE(file->source->name),
                            "object %.40s contains itself", file->objects[ring].id);
    if (status == CP_OK && count > most)
        status = report_error(file->context, CP_LIMIT, "3mf-instances", IN_FILE(file->source->name),
                              "its items and components take more nodes than the limit of %llu (%s)",
                              (unsigned long long)most, limit_of_nodes(file->context));
    return status;
}

/* ---- nodes ---- */

static bool add_metadata(struct threemf *file, uint32_t node, const char *key, const char *value)
{
    return !*value || scene_add_metadata(file->scene, CP_OWNER_NODE, node, key, CP_VALUE_STRING, value);
}

/* Adds a node for the component, with the mesh of its object; CP_NONE when out of memory. */
static uint32_t add_node(struct threemf *file, uint32_t parent, const struct component *component)
{
    cp_scene *scene = file->scene;
    const struct threemf_object *object = &file->objects[component->object];
    const char *part_number = *component->part_number ? component->part_number : object->part_number;
    const char *name = *object->name ? object->name : part_number;
    if (!*name)
        name = arena_print(file->arena, "object %s", object->id);
    uint32_t node = name ? scene_add_node(scene, parent, name, strlen(name)) : CP_NONE;
    if (node == CP_NONE)
        return CP_NONE;
    scene->nodes[node].local = component->local;
    double unit = file->parts[object->part].unit;
    cp_pose scale = pose_scaling(unit, unit, unit);
    scale = pose_from_origin(&scale, object->origin);
    if (object->mesh != CP_NONE && scene_add_instance(scene, node, object->mesh, CP_USE_BOTH, &scale) == CP_NONE)
        return CP_NONE;
    bool told = add_metadata(file, node, "partnumber", part_number) &&
                add_metadata(file, node, "type", strcmp(object->type, "model") == 0 ? "" : object->type);
    return told ? node : CP_NONE;
}

static uint32_t add_part(void *user, uint32_t parent, uint32_t part)
{
    struct threemf *file = user;
    return add_node(file, parent, &file->components[part]);
}

static cp_status place_item(struct threemf *file, struct assembly *assembly, const struct component *item)
{
    uint32_t node = add_node(file, 0, item);
    return node == CP_NONE ? CP_LIMIT : assembly_place(assembly, item->object, node, add_part, file);
}

cp_status place_items(struct threemf *file)
{
    struct assembly assembly = {0};
    cp_status status = find_objects(file, file->components, file->component_count);
    if (status == CP_OK)
        status = find_objects(file, file->items, file->item_count);
    if (status == CP_OK)
        status = list_parts(file, &assembly);
    if (status == CP_OK)
        status = check_counts(file, &assembly);
    for (uint32_t i = 0; i < file->item_count && status == CP_OK; i++)
        status = place_item(file, &assembly, &file->items[i]);
    uint64_t unbuilt = 0;
    for (uint32_t i = 0; i < file->object_count && status == CP_OK; i++)
        unbuilt += assembly.objects[i].state == ASSEMBLED_NEW && file->objects[i].mesh != CP_NONE;
    assembly_end(&assembly);
    if (unbuilt)
        report_loss(file->context, "3mf-unbuilt", IN_FILE(file->source->name), unbuilt,
                    "objects that no item of the build shows");
    return status == CP_OK && unbuilt ? scene_drop_unused(file->scene) : status;
}

#endif

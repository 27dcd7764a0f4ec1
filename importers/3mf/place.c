/* The build: each item is a node below the world, each component one below its object's. */
#include "3mf.h"

#include "mesh/mesh.h"
#include "model/model.h"

#ifdef HAVE_3MF

struct step {
    uint32_t object, next; /* next: of its components */
    uint32_t node;
};

struct steps {
    struct step *steps;
    uint32_t count, room;
};

static bool push(struct threemf *file, struct steps *stack, struct step step)
{
    return array_add(file->context, &stack->steps, &stack->room, &stack->count, &step, sizeof step);
}

/* Returns the next component of the object on top; NULL when it has no more. */
static struct component *next_component(const struct threemf *file, const struct steps *stack)
{
    struct step *top = &stack->steps[stack->count - 1];
    const struct threemf_object *object = &file->objects[top->object];
    return top->next < object->component_count ? &file->components[object->first_component + top->next++] : NULL;
}

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

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Counts how many nodes each object takes, before any is made: a few objects that double each other need more than
 * there is memory. An object that contains itself is refused. */
static cp_status count_nodes(struct threemf *file, struct steps *stack, uint32_t root)
{
    stack->count = 0;
    if (file->objects[root].state == OBJECT_DONE)
        return CP_OK;
    if (!push(file, stack, (struct step){.object = root}))
        return CP_LIMIT;
    file->objects[root].state = OBJECT_OPEN;
    while (stack->count > 0) {
        const struct component *component = next_component(file, stack);
        struct threemf_object *object = &file->objects[stack->steps[stack->count - 1].object];
        if (!component) {
            for (uint32_t i = 0; i < object->component_count; i++) {
                const struct component *part = &file->components[object->first_component + i];
                object->node_count =
                    add_bounded(object->node_count, add_bounded(1, file->objects[part->object].node_count));
            }
            object->state = OBJECT_DONE;
            stack->count--;
            continue;
        }
        struct threemf_object *below = &file->objects[component->object];
        if (below->state == OBJECT_OPEN)
            return report_error(file->context, CP_INPUT, "3mf-cycle", IN_FILE(file->source->name),
                                "object %.40s contains itself", below->id);
        if (below->state == OBJECT_DONE)
            continue;
        below->state = OBJECT_OPEN;
        if (!push(file, stack, (struct step){.object = component->object}))
            return CP_LIMIT;
    }
    return CP_OK;
}

static cp_status check_counts(struct threemf *file, struct steps *stack)
{
    uint64_t count = 1, most = limit_nodes(file->context);
    cp_status status = find_objects(file, file->components, file->component_count);
    if (status == CP_OK)
        status = find_objects(file, file->items, file->item_count);
    for (uint32_t i = 0; i < file->item_count && status == CP_OK; i++) {
        status = count_nodes(file, stack, file->items[i].object);
        count = add_bounded(count, add_bounded(1, file->objects[file->items[i].object].node_count));
    }
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

static cp_status place_item(struct threemf *file, struct steps *stack, const struct component *item)
{
    uint32_t node = add_node(file, 0, item);
    stack->count = 0;
    if (node == CP_NONE || !push(file, stack, (struct step){.object = item->object, .node = node}))
        return CP_LIMIT;
    while (stack->count > 0) {
        const struct component *component = next_component(file, stack);
        if (!component) {
            stack->count--;
            continue;
        }
        node = add_node(file, stack->steps[stack->count - 1].node, component);
        if (node == CP_NONE || !push(file, stack, (struct step){.object = component->object, .node = node}))
            return CP_LIMIT;
    }
    return CP_OK;
}

cp_status place_items(struct threemf *file)
{
    struct steps stack = {0};
    cp_status status = check_counts(file, &stack);
    for (uint32_t i = 0; i < file->item_count && status == CP_OK; i++)
        status = place_item(file, &stack, &file->items[i]);
    memory_free(file->context, stack.steps, stack.room, sizeof *stack.steps);
    uint64_t unbuilt = 0;
    for (uint32_t i = 0; i < file->object_count && status == CP_OK; i++)
        unbuilt += file->objects[i].state == OBJECT_NEW && file->objects[i].mesh != CP_NONE;
    if (unbuilt)
        report_loss(file->context, "3mf-unbuilt", IN_FILE(file->source->name), unbuilt,
                    "objects that no item of the build shows");
    return status == CP_OK && unbuilt ? scene_drop_unused(file->scene) : status;
}

#endif

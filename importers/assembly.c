/* Walks over objects that are made of others: counts their nodes, finds rings, and adds the nodes. */
#include "assembly.h"

struct assembly_step {
    uint32_t object, next; /* next: of its parts */
    uint32_t node;
};

cp_status assembly_start(struct assembly *assembly, struct arena *arena, cp_context *context, uint32_t objects,
                         uint32_t parts)
{
    *assembly = (struct assembly){.arena = arena, .context = context};
    assembly->objects = arena_allocate_zeroed(arena, objects, sizeof *assembly->objects);
    assembly->parts = arena_allocate_zeroed(arena, parts, sizeof *assembly->parts);
    return assembly->objects && assembly->parts ? CP_OK : CP_LIMIT;
}

void assembly_end(struct assembly *assembly)
{
    memory_free(assembly->context, assembly->steps, assembly->step_room, sizeof *assembly->steps);
}

static bool push(struct assembly *assembly, uint32_t object, uint32_t node)
{
    struct assembly_step step = {.object = object, .node = node};
    return array_add(assembly->context, &assembly->steps, &assembly->step_room, &assembly->step_count, &step,
                     sizeof step);
}

/* Returns the next part of the object on top; CP_NONE when it has no more. */
static uint32_t next_part(struct assembly *assembly)
{
    struct assembly_step *top = &assembly->steps[assembly->step_count - 1];
    const struct assembled *object = &assembly->objects[top->object];
    return top->next < object->part_count ? object->first_part + top->next++ : CP_NONE;
}

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Adds up the nodes of the object's parts, which are done. */
static void finish_object(const struct assembly *assembly, struct assembled *object)
{
    for (uint32_t i = 0; i < object->part_count; i++) {
        const struct assembled *below = &assembly->objects[assembly->parts[object->first_part + i]];
        object->node_count = add_bounded(object->node_count, add_bounded(1, below->node_count));
    }
    object->state = ASSEMBLED_DONE;
}

static cp_status count_parts(struct assembly *assembly, uint32_t root, uint32_t *ring)
{
    assembly->step_count = 0;
    assembly->objects[root].state = ASSEMBLED_OPEN;
    if (!push(assembly, root, 0))
        return CP_LIMIT;
    while (assembly->step_count > 0) {
        uint32_t part = next_part(assembly);
        if (part == CP_NONE) {
            finish_object(assembly, &assembly->objects[assembly->steps[--assembly->step_count].object]);
            continue;
        }
        struct assembled *below = &assembly->objects[assembly->parts[part]];
        *ring = assembly->parts[part];
        if (below->state == ASSEMBLED_OPEN)
            return CP_INPUT;
        if (below->state == ASSEMBLED_DONE)
            continue;
        below->state = ASSEMBLED_OPEN;
        if (!push(assembly, assembly->parts[part], 0))
            return CP_LIMIT;
    }
    return CP_OK;
}

cp_status assembly_count(struct assembly *assembly, uint32_t object, uint64_t *count, uint32_t *ring)
{
    const struct assembled *root = &assembly->objects[object];
    cp_status status = root->state == ASSEMBLED_DONE ? CP_OK : count_parts(assembly, object, ring);
    *count = add_bounded(*count, add_bounded(1, root->node_count));
    return status;
}

cp_status assembly_place(struct assembly *assembly, uint32_t object, uint32_t node, assembly_add *add, void *user)
{
    assembly->step_count = 0;
    if (!push(assembly, object, node))
        return CP_LIMIT;
    while (assembly->step_count > 0) {
        uint32_t part = next_part(assembly);
        if (part == CP_NONE) {
            assembly->step_count--;
            continue;
        }
        uint32_t below = add(user, assembly->steps[assembly->step_count - 1].node, part);
        if (below == CP_NONE || !push(assembly, assembly->parts[part], below))
            return CP_LIMIT;
    }
    return CP_OK;
}

/* Nodes of the scene: those of the visual scene that the file shows, and copies of what instance_node shows. */
#include "kinematics.h"

/* The file's axes to Z up, and back. X_UP: right is -y, up is x, and z points towards the viewer. */
static const cp_pose to_z_up[] = {
    [COLLADA_UP_Z] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
    [COLLADA_UP_Y] = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}},
    [COLLADA_UP_X] = {{0, -1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0}},
};
static const cp_pose from_z_up[] = {
    [COLLADA_UP_Z] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
    [COLLADA_UP_Y] = {{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0}},
    [COLLADA_UP_X] = {{0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, 0}},
};

/* A place whose children and instance_nodes are placed one after the other. */
struct step {
    struct collada_document *document;
    uint32_t row, place;
    uint32_t child, instance; /* the next ones; CP_NONE: no more */
};
struct steps {
    struct step *items;
    uint32_t count, room;
};

/* ---- unit and axes ---- */

static void find_axes(struct collada *collada)
{
    const struct collada_document *document = collada->documents[0];
    enum collada_up up =
        collada->settings->up != COLLADA_UP_FILE ? (enum collada_up)collada->settings->up : document->up;
    collada->unit = collada->settings->unit > 0 ? collada->settings->unit : document->unit;
    collada->turn = to_z_up[up];
    collada->turn_back = from_z_up[up];
    collada->scene->source.unit = collada->unit;
    collada->scene->source.up = up == COLLADA_UP_Y ? CP_UP_Y : CP_UP_Z;
    if (document->up != COLLADA_UP_Z && collada->settings->up == COLLADA_UP_FILE)
        report_note(collada->context, "collada-up", IN_FILE(document->source->name),
                    "the file says %c_UP and is turned to Z up; ROS and Gazebo take meshes unturned: --in up=z does so",
                    document->up == COLLADA_UP_Y ? 'Y' : 'X');
}

cp_pose collada_turn(const struct collada *collada, const cp_pose *pose)
{
    cp_pose turned = pose_multiply(pose, &collada->turn_back);
    turned = pose_multiply(&collada->turn, &turned);
    for (int row = 0; row < 3; row++)
        turned.m[4 * row + 3] *= collada->unit;
    return turned;
}

/* ---- nodes ---- */

/* Adds the place of a node, below `above` (CP_NONE: the world). */
static cp_status add_place(struct collada_document *document, uint32_t row, uint32_t above, uint32_t *place)
{
    struct collada *collada = document->collada;
    struct collada_node *node = &document->nodes[row];
    const char *name = *node->name ? node->name : node->id;
    *place = collada->place_count;
    if (collada->scene->node_count >= limit_nodes(collada->context))
        return report_error(collada->context, CP_LIMIT, "collada-instances",
                            AT_LINE(document->source->name, node->line), "more nodes than the limit of %llu (%s)",
                            (unsigned long long)limit_nodes(collada->context), limit_of_nodes(collada->context));
    struct collada_place added = {document, row, CP_NONE, above, CP_NONE};
    cp_status status = collada_add_node(document, row, above, name, &added.target);
    if (status != CP_OK)
        return status;
    if (!array_add(collada->context, &collada->places, &collada->place_room, &collada->place_count, &added,
                   sizeof added))
        return CP_LIMIT;
    const uint32_t *first = *node->id ? name_map_find(&document->ids[COLLADA_NODES], node->id) : NULL;
    if (first && *first == row && node->first_place == CP_NONE && document == collada->documents[0])
        collada->scene->nodes[added.target].id = scene_text(collada->scene, node->id);
    if (node->first_place == CP_NONE)
        node->first_place = *place;
    else
        collada->places[node->last_place].next_same = *place;
    node->last_place = *place;
    return CP_OK;
}

/* Adds the node, and what it shows itself. */
static cp_status push(struct steps *stack, struct collada_document *document, uint32_t row, uint32_t above)
{
    struct collada *collada = document->collada;
    struct collada_node *node = &document->nodes[row];
    struct step step = {document, row, CP_NONE, node->children.first, node->instances.first};
    cp_status status = add_place(document, row, above, &step.place);
    if (status != CP_OK)
        return status;
    node->open = true;
    for (uint32_t i = node->instances.first; status == CP_OK && i != CP_NONE; i = document->instances[i].next)
        if (document->instances[i].kind != COLLADA_SHOW_NODE)
            status = collada_show(document, &document->instances[i], collada->places[step.place].target);
    if (status != CP_OK)
        return status;
    return array_add(collada->context, &stack->items, &stack->room, &stack->count, &step, sizeof step) ? CP_OK
                                                                                                       : CP_LIMIT;
}

/* Adds the node that an instance_node shows. */
static cp_status push_instance(struct steps *stack, struct collada_document *document,
                               const struct collada_instance *instance, uint32_t above)
{
    struct collada_document *owner;
    uint32_t row;
    uint64_t line = instance->line;
    cp_status status = collada_find(document, COLLADA_NODES, instance->url, &owner, &row);
    if (status != CP_OK || row == CP_NONE)
        return status;
    if (owner->nodes[row].open)
        return collada_error(document, "collada-ring", line, "node \"%.100s\" shows itself", instance->url);
    return push(stack, owner, row, above);
}

/* Places all that is below the places of the stack. */
static cp_status place_below(struct steps *stack)
{
    cp_status status = CP_OK;
    while (status == CP_OK && stack->count > 0) {
        struct step *top = &stack->items[stack->count - 1];
        struct collada_document *document = top->document;
        if (top->child != CP_NONE) {
            uint32_t child = top->child;
            top->child = document->nodes[child].next;
            status = push(stack, document, child, top->place);
        } else if (top->instance != CP_NONE) {
            const struct collada_instance *instance = &document->instances[top->instance];
            top->instance = instance->next;
            if (instance->kind == COLLADA_SHOW_NODE)
                status = push_instance(stack, document, instance, top->place);
        } else {
            document->nodes[top->row].open = false;
            stack->count--;
        }
    }
    return status;
}

/* ---- scenes ---- */

/* Counts the geometries that are not shown. */
static void count_geometries(struct collada *collada)
{
    static const enum collada_finding unread[] = {[COLLADA_HULL] = COLLADA_TOLD_HULLS,
                                                  [COLLADA_SPLINE] = COLLADA_TOLD_SPLINES,
                                                  [COLLADA_BREP] = COLLADA_TOLD_BREPS};
    const struct collada_document *document = collada->documents[0];
    for (uint32_t i = 0; i < document->geometry_count; i++) {
        const struct collada_geometry *geometry = &document->geometries[i];
        if (geometry->kind >= COLLADA_HULL)
            collada->counts[unread[geometry->kind]]++;
        else
            collada->counts[COLLADA_TOLD_UNSHOWN] += !geometry->is_shown && geometry->primitive_count > 0;
    }
}

/* Finds the visual scene that the file shows; *row CP_NONE: none. */
static cp_status find_scene(struct collada *collada, struct collada_document **owner, uint32_t *row)
{
    struct collada_document *document = collada->documents[0];
    struct place place = IN_FILE(document->source->name);
    cp_status status = CP_OK;
    *owner = document;
    *row = document->scene_count > 0 ? 0 : CP_NONE;
    if (document->shown)
        status = collada_find(document, COLLADA_SCENES, document->shown, owner, row);
    else if (*row != CP_NONE)
        status = report_lenient(collada->context, collada->settings->common.strict, "collada-scene", place,
                                "no <scene> says what to show; the first visual scene is taken");
    uint32_t others = document->scene_count - (*row != CP_NONE && *owner == document);
    if (status == CP_OK && others > 0)
        report_loss(collada->context, "collada-scenes", place, others, "visual scenes that the file does not show");
    return status;
}

cp_status collada_place_nodes(struct collada *collada)
{
    struct steps stack = {0};
    struct collada_document *document;
    uint32_t scene;
    find_axes(collada);
    cp_status status = find_scene(collada, &document, &scene);
    uint32_t root = status == CP_OK && scene != CP_NONE ? document->scenes[scene].roots.first : CP_NONE;
    for (; status == CP_OK && root != CP_NONE; root = document->nodes[root].next) {
        status = push(&stack, document, root, CP_NONE);
        if (status == CP_OK)
            status = place_below(&stack);
    }
    memory_free(collada->context, stack.items, stack.room, sizeof *stack.items);
    count_geometries(collada);
    return status;
}

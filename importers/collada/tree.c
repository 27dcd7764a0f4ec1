/* Visual scenes and nodes: transforms, and what they show. Nothing is followed here, since a node may show what comes
 * later. */
#include "collada.h"

#include "base/text/text.h"

/* The place of a node: its parent, or the roots of a visual scene; CP_NONE and CP_NONE in library_nodes. */
struct above {
    uint32_t node, scene;
};

/* ---- transforms ---- */

static const struct {
    const char *name;
    uint32_t numbers;
} transforms[] = {
    [COLLADA_MATRIX] = {"matrix", 16}, [COLLADA_TRANSLATE] = {"translate", 3}, [COLLADA_ROTATE] = {"rotate", 4},
    [COLLADA_SCALE] = {"scale", 3},    [COLLADA_LOOKAT] = {"lookat", 9},       [COLLADA_SKEW] = {"skew", 7},
};
enum { TRANSFORMS = sizeof transforms / sizeof *transforms };

static cp_status read_transform(struct collada_document *document, void *into)
{
    uint32_t row = ((const struct above *)into)->node, number = document->transform_count;
    struct collada_transform transform = {
        .sid = collada_attribute(document, "sid"), .line = document->xml.line, .next = CP_NONE};
    size_t kind = 0;
    while (strcmp(document->xml.name, transforms[kind].name) != 0)
        kind++;
    transform.kind = (enum collada_transform_kind)kind;
    if (!transform.sid)
        return CP_LIMIT;
    cp_status status = collada_read_exactly(document, transforms[kind].numbers, transform.numbers);
    if (status != CP_OK)
        return status;
    document->collada->counts[COLLADA_TOLD_SKEWS] += transform.kind == COLLADA_SKEW;
    if (!array_add(document->collada->context, &document->transforms, &document->transform_room,
                   &document->transform_count, &transform, sizeof transform))
        return CP_LIMIT;
    struct collada_list *list = &document->nodes[row].transforms;
    collada_link(list, number, list->last == CP_NONE ? NULL : &document->transforms[list->last].next);
    return CP_OK;
}

static double length_of(const double vector[3])
{
    return sqrt(dot_product(vector, vector));
}

/* Makes the vector a unit long; false if it has no direction. */
static bool make_unit(double vector[3])
{
    double largest = fmax(fabs(vector[0]), fmax(fabs(vector[1]), fabs(vector[2])));
    for (int i = 0; i < 3 && largest > 0; i++)
        vector[i] /= largest;
    double length = length_of(vector);
    for (int i = 0; i < 3 && length > 0; i++)
        vector[i] /= length;
    return length > 0;
}

/* An axis without a direction turns nothing. Turns about an axis of coordinates by multiples of 90 degrees are exact.
 */
static cp_pose rotate_pose(const double numbers[4])
{
    double axis[3] = {numbers[0], numbers[1], numbers[2]};
    if (!make_unit(axis))
        return POSE_IDENTITY;
    for (int i = 0; i < 3; i++)
        if (fabs(axis[i]) == 1)
            return pose_rotation_degrees(i, axis[i] * numbers[3]);
    return pose_rotation(axis, degrees_to_radians(numbers[3]));
}

/* Eye, point of interest, up: the node stands at the eye, looks along its -z, and up is near its y. */
static cp_pose lookat_pose(const double numbers[9])
{
    double back[3], right[3], up[3] = {numbers[6], numbers[7], numbers[8]};
    subtract(numbers, numbers + 3, back);
    bool has_direction = make_unit(back) && make_unit(up);
    cross_product(up, back, right);
    if (!has_direction || !make_unit(right))
        return pose_translation(numbers[0], numbers[1], numbers[2]);
    cross_product(back, right, up);
    cp_pose pose;
    for (int row = 0; row < 3; row++) {
        pose.m[4 * row] = right[row];
        pose.m[4 * row + 1] = up[row];
        pose.m[4 * row + 2] = back[row];
        pose.m[4 * row + 3] = numbers[row];
    }
    return pose;
}

cp_pose collada_transform_pose(const struct collada_transform *transform)
{
    const double *numbers = transform->numbers;
    cp_pose pose = POSE_IDENTITY;
    switch (transform->kind) {
    case COLLADA_MATRIX:
        memcpy(pose.m, numbers, sizeof pose.m);
        return pose;
    case COLLADA_TRANSLATE:
        return pose_translation(numbers[0], numbers[1], numbers[2]);
    case COLLADA_SCALE:
        return pose_scaling(numbers[0], numbers[1], numbers[2]);
    case COLLADA_ROTATE:
        return rotate_pose(numbers);
    case COLLADA_LOOKAT:
        return lookat_pose(numbers);
    case COLLADA_SKEW: /* readers do not agree; a loss */
        break;
    }
    return pose;
}

/* ---- instances ---- */

static cp_status read_set(struct collada_document *document, void *into)
{
    (void)into;
    struct collada_set set = {.name = collada_attribute(document, "semantic")};
    const char *input = xml_attribute(&document->xml, "input_semantic");
    cp_status status = collada_whole(document, "input_set", 0, &set.number);
    if (status != CP_OK || !set.name)
        return status == CP_OK ? CP_LIMIT : status;
    if (!input || strcmp(input, "TEXCOORD") != 0)
        return CP_OK;
    return array_add(document->collada->context, &document->sets, &document->set_room, &document->set_count, &set,
                     sizeof set)
               ? CP_OK
               : CP_LIMIT;
}

static cp_status read_binding(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"bind_vertex_input", read_set}, {NULL, NULL}};
    (void)into;
    struct collada_binding binding = {.symbol = collada_attribute(document, "symbol"),
                                      .target = collada_attribute(document, "target"),
                                      .line = document->xml.line,
                                      .first_set = document->set_count};
    if (!binding.symbol || !binding.target)
        return CP_LIMIT;
    cp_status status = collada_read_children(document, elements, NULL);
    binding.set_count = document->set_count - binding.first_set;
    if (status == CP_OK && !array_add(document->collada->context, &document->bindings, &document->binding_room,
                                      &document->binding_count, &binding, sizeof binding))
        return CP_LIMIT;
    return status;
}

static cp_status read_common(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"instance_material", read_binding}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_bind_material(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"technique_common", read_common}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_instance(struct collada_document *document, void *into)
{
    static const char *const names[] = {[COLLADA_SHOW_GEOMETRY] = "instance_geometry",
                                        [COLLADA_SHOW_CONTROLLER] = "instance_controller",
                                        [COLLADA_SHOW_NODE] = "instance_node"};
    static const struct collada_element elements[] = {{"bind_material", read_bind_material}, {NULL, NULL}};
    uint32_t row = ((const struct above *)into)->node, number = document->instance_count;
    struct collada_instance instance = {.url = collada_attribute(document, "url"),
                                        .line = document->xml.line,
                                        .next = CP_NONE,
                                        .first_binding = document->binding_count};
    size_t kind = 0;
    while (strcmp(document->xml.name, names[kind]) != 0)
        kind++;
    instance.kind = (enum collada_instance_kind)kind;
    if (!instance.url)
        return CP_LIMIT;
    cp_status status = collada_read_children(document, elements, NULL);
    instance.binding_count = document->binding_count - instance.first_binding;
    if (status != CP_OK)
        return status;
    if (!array_add(document->collada->context, &document->instances, &document->instance_room,
                   &document->instance_count, &instance, sizeof instance))
        return CP_LIMIT;
    struct collada_list *list = &document->nodes[row].instances;
    collada_link(list, number, list->last == CP_NONE ? NULL : &document->instances[list->last].next);
    return CP_OK;
}

static cp_status count_camera(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_CAMERAS]++;
    return CP_OK;
}

/* ---- nodes ---- */

/* Appends the node to its parent's children, or to the roots of its scene. */
static void hang_node(struct collada_document *document, uint32_t row, const struct above *above)
{
    struct collada_list *list = above->node != CP_NONE    ? &document->nodes[above->node].children
                                : above->scene != CP_NONE ? &document->scenes[above->scene].roots
                                                          : NULL;
    if (list)
        collada_link(list, row, list->last == CP_NONE ? NULL : &document->nodes[list->last].next);
}

static cp_status read_node(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"matrix", read_transform},
        {"translate", read_transform},
        {"rotate", read_transform},
        {"scale", read_transform},
        {"lookat", read_transform},
        {"skew", read_transform},
        {"instance_geometry", read_instance},
        {"instance_controller", read_instance},
        {"instance_node", read_instance},
        {"instance_camera", count_camera},
        {"instance_light", count_camera},
        {"node", read_node},
        {NULL, NULL},
    };
    static const struct collada_list empty = {CP_NONE, CP_NONE};
    const struct above *above = into;
    uint32_t row = document->node_count;
    struct collada_node *node =
        collada_add_row(document, &document->nodes, &document->node_room, &document->node_count, sizeof *node);
    if (!node)
        return CP_LIMIT;
    *node = (struct collada_node){.id = collada_attribute(document, "id"),
                                  .sid = collada_attribute(document, "sid"),
                                  .name = collada_attribute(document, "name"),
                                  .line = document->xml.line,
                                  .parent = above->node,
                                  .scene = above->scene,
                                  .next = CP_NONE,
                                  .children = empty,
                                  .transforms = empty,
                                  .instances = empty,
                                  .first_place = CP_NONE};
    if (!node->id || !node->sid || !node->name)
        return CP_LIMIT;
    cp_status status = collada_note_id(document, COLLADA_NODES, node->id, row);
    hang_node(document, row, above);
    struct above below = {row, above->scene};
    return status == CP_OK ? collada_read_children(document, elements, &below) : status;
}

cp_status collada_read_nodes(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"node", read_node}, {NULL, NULL}};
    struct above above = {CP_NONE, CP_NONE};
    (void)into;
    return collada_read_children(document, elements, &above);
}

static cp_status read_visual_scene(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"node", read_node}, {NULL, NULL}};
    (void)into;
    uint32_t row = document->scene_count;
    struct collada_scene scene = {collada_attribute(document, "id"), {CP_NONE, CP_NONE}};
    struct above above = {CP_NONE, row};
    if (!scene.id || !array_add(document->collada->context, &document->scenes, &document->scene_room,
                                &document->scene_count, &scene, sizeof scene))
        return CP_LIMIT;
    cp_status status = collada_note_id(document, COLLADA_SCENES, scene.id, row);
    return status == CP_OK ? collada_read_children(document, elements, &above) : status;
}

cp_status collada_read_scenes(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"visual_scene", read_visual_scene}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

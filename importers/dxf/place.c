/* Nodes: the drawing is a node below the world, and each insert a node below that of the block where it is. */
#include "dxf.h"

#include "base/text/text.h"

struct step {
    uint32_t block, next; /* next: of its inserts */
    uint64_t element;     /* of the array of that insert */
    uint32_t node;
    struct dxf_paint paint; /* what its entities inherit */
};

struct steps {
    struct step *items;
    uint32_t count, room;
};

static bool push(const struct dxf *dxf, struct steps *stack, const struct step *step)
{
    return array_add(dxf->context, &stack->items, &stack->room, &stack->count, step, sizeof *step);
}

/* Returns the next insert of the block on top; NULL when it has no more. */
static const struct dxf_insert *next_insert(const struct dxf *dxf, struct steps *stack)
{
    struct step *top = &stack->items[stack->count - 1];
    const struct dxf_block *block = &dxf->blocks[top->block];
    return top->next < block->insert_count ? &block->inserts[top->next++] : NULL;
}

/* ---- counts, before any node is made ---- */

/* Tells whether the insert is on a frozen layer; on layer "0" its block may have one, which is known later. */
static bool is_frozen(const struct dxf *dxf, const struct dxf_insert *insert)
{
    uint32_t layer = dxf->looks[insert->look].layer;
    return layer > 0 && dxf->layers[layer].is_frozen;
}

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t element_count(const struct dxf_insert *insert)
{
    return (uint64_t)insert->columns * insert->rows;
}

/* Adds the nodes of the inserts of a block whose own blocks are counted; stops at UINT64_MAX. */
static void add_counts(struct dxf *dxf, struct dxf_block *block)
{
    block->is_drawn = block->parts[DXF_FACES].count > 0 || block->parts[DXF_LINES].count > 0;
    for (uint32_t i = 0; i < block->insert_count; i++) {
        const struct dxf_insert *insert = &block->inserts[i];
        const struct dxf_block *below = &dxf->blocks[insert->block];
        uint64_t times = element_count(insert), each = add_bounded(below->node_count, 1);
        if (is_frozen(dxf, insert) || !below->is_drawn)
            continue;
        block->is_drawn = true;
        block->node_count = add_bounded(block->node_count, each > UINT64_MAX / times ? UINT64_MAX : times * each);
    }
}

/* Counts the nodes that the model space takes, and finds blocks that contain themselves. */
static cp_status count_nodes(struct dxf *dxf, struct steps *stack)
{
    cp_status status = push(dxf, stack, &(struct step){.block = 0}) ? CP_OK : CP_LIMIT;
    dxf->blocks[0].state = DXF_OPEN;
    while (status == CP_OK && stack->count > 0) {
        const struct dxf_insert *insert = next_insert(dxf, stack);
        struct dxf_block *block = &dxf->blocks[stack->items[stack->count - 1].block];
        if (!insert) {
            add_counts(dxf, block);
            block->state = DXF_DONE;
            stack->count--;
            continue;
        }
        struct dxf_block *below = &dxf->blocks[insert->block];
        if (is_frozen(dxf, insert))
            continue;
        if (below->state == DXF_OPEN)
            return dxf_error(dxf, insert->line, "dxf-ring", "the block \"%s\" contains itself",
                             dxf_show(below->name).text);
        if (!below->is_defined && below->wanted++ == 0)
            below->line = insert->line;
        if (below->state == DXF_DONE)
            continue;
        below->state = DXF_OPEN;
        if (!push(dxf, stack, &(struct step){.block = insert->block}))
            status = CP_LIMIT;
    }
    return status;
}

static cp_status check_counts(struct dxf *dxf, struct steps *stack)
{
    uint64_t most = limit_nodes(dxf->context);
    cp_status status = count_nodes(dxf, stack);
    if (status == CP_OK && dxf->blocks[0].node_count >= most)
        status = report_error(dxf->context, CP_LIMIT, "dxf-inserts", IN_FILE(dxf->source->name),
                              "its inserts take more nodes than the limit of %llu (%s)", (unsigned long long)most,
                              limit_of_nodes(dxf->context));
    return status;
}

/* ---- nodes ---- */

/* Computes the pose of an element of the insert's array below the node of the block where it is: in metres, Z up. */
static cp_pose pose_of(const struct dxf *dxf, const struct dxf_insert *insert, uint64_t element)
{
    const double *base = dxf->blocks[insert->block].base, *scale = insert->scale;
    uint64_t column = element % insert->columns, row = element / insert->columns;
    cp_pose step = pose_translation((double)column * insert->spacing[0], (double)row * insert->spacing[1], 0);
    cp_pose size = pose_scaling(scale[0], scale[1], scale[2]);
    cp_pose back = pose_translation(-base[0], -base[1], -base[2]);
    cp_pose pose = pose_multiply(&insert->frame, &step);
    pose = pose_multiply(&pose, &size);
    pose = pose_multiply(&pose, &back);
    for (int i = 3; i < 12; i += 4)
        pose.m[i] *= dxf->scene->source.unit;
    if (dxf->scene->source.up == CP_UP_Y) {
        cp_pose turn = pose_z_up_from_y_up(), turn_back = pose_y_up_from_z_up();
        pose = pose_multiply(&turn, &pose);
        pose = pose_multiply(&pose, &turn_back);
    }
    return pose;
}

static const char *name_of_block(struct dxf *dxf, struct dxf_block *block)
{
    if (!block->text)
        block->text = dxf_decode(dxf, block->name);
    return block->text;
}

static bool add_text(struct dxf *dxf, uint32_t node, const char *key, const char *text)
{
    return text && (!*text || scene_add_metadata(dxf->scene, CP_OWNER_NODE, node, key, CP_VALUE_STRING, text));
}

/* Adds a node with the meshes of the insert's block, and puts the block on the stack: its inserts come next. */
static cp_status add_node(struct dxf *dxf, struct steps *stack, const struct dxf_insert *insert, uint64_t element,
                          const struct dxf_paint *paint)
{
    cp_scene *scene = dxf->scene;
    const char *name = name_of_block(dxf, &dxf->blocks[insert->block]);
    uint32_t parent = stack->items[stack->count - 1].node;
    uint32_t node = name ? mesh_file_add_node(scene, parent, name, strlen(name), "block") : CP_NONE;
    if (node == CP_NONE)
        return CP_LIMIT;
    scene->nodes[node].local = pose_of(dxf, insert, element);
    if (!pose_is_finite(&scene->nodes[node].local))
        return dxf_error(dxf, insert->line, "dxf-transform", "the insert of \"%.100s\" is out of range", name);
    if (!add_text(dxf, node, "layer", dxf->layers[paint->layer].name) ||
        !add_text(dxf, node, "handle", dxf_decode(dxf, insert->handle)))
        return CP_LIMIT;
    struct step step = {.block = insert->block, .node = node, .paint = *paint};
    cp_status status = dxf_add_meshes(dxf, insert->block, paint, node);
    return status == CP_OK && !push(dxf, stack, &step) ? CP_LIMIT : status;
}

/* Places the next element of the inserts on top of the stack, or takes the block off. */
static cp_status place_next(struct dxf *dxf, struct steps *stack)
{
    struct step *top = &stack->items[stack->count - 1];
    const struct dxf_block *block = &dxf->blocks[top->block];
    if (top->next == block->insert_count) {
        stack->count--;
        return CP_OK;
    }
    const struct dxf_insert *insert = &block->inserts[top->next];
    struct dxf_paint paint = dxf_resolve(dxf, insert->look, &top->paint);
    bool is_frozen_here = dxf->layers[paint.layer].is_frozen, is_drawn = dxf->blocks[insert->block].is_drawn;
    uint64_t element = top->element++;
    if (is_frozen_here || !is_drawn || top->element == element_count(insert)) {
        top->next++;
        top->element = 0;
    }
    dxf->frozen += is_frozen_here;
    return is_frozen_here || !is_drawn ? CP_OK : add_node(dxf, stack, insert, element, &paint);
}

static cp_status place_drawing(struct dxf *dxf, struct steps *stack)
{
    size_t size;
    const char *stem = text_stem(dxf->source->name, &size);
    struct step top = {.paint = {.layer = 0, .rgb = 0xffffff, .alpha = 255}};
    top.node = mesh_file_add_node(dxf->scene, 0, stem, size, "drawing");
    cp_status status = top.node == CP_NONE ? CP_LIMIT : dxf_add_meshes(dxf, 0, &top.paint, top.node);
    if (status == CP_OK && !push(dxf, stack, &top))
        status = CP_LIMIT;
    while (status == CP_OK && stack->count > 0)
        status = place_next(dxf, stack);
    return status;
}

cp_status dxf_place_all(struct dxf *dxf)
{
    struct steps stack = {0};
    cp_status status = check_counts(dxf, &stack);
    if (status == CP_OK)
        status = place_drawing(dxf, &stack);
    memory_free(dxf->context, stack.items, stack.room, sizeof *stack.items);
    return status;
}

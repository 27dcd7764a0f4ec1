/* Makes a scene of a cell: hosts before what hangs on them, nodes, then joints in the order of the nodes. */
#include "cell.h"

#include <string.h>

#include "motion/motion.h"

struct builder {
    struct deneb_cell *cell;
    cp_scene *scene;
    bool strict;
    uint32_t *order;       /* devices, hosts first */
    uint32_t *joint_lists; /* joints of the cell by part, in file order */
    uint32_t *joint_ends;  /* of each part, in joint_lists */
    uint32_t *frame_nodes; /* of each named frame */
};

/* ---- order ---- */

/* Lists each device once, after its host: up to one that is listed, and down again. No device is its own host's
 * host. */
static bool list_devices(struct builder *builder)
{
    const struct deneb_cell *cell = builder->cell;
    uint32_t listed = 0, *way = memory_allocate(cell->context, cell->devices.count, sizeof *way);
    bool *done = memory_allocate_zeroed(cell->context, cell->devices.count, sizeof *done);
    for (uint32_t i = 0; way && done && i < cell->devices.count; i++) {
        uint32_t depth = 0;
        for (uint32_t device = i; device != CP_NONE && !done[device];) {
            uint32_t host = cell->devices.items[device].host;
            done[device] = true;
            way[depth++] = device;
            device = host == CP_NONE ? CP_NONE : cell->parts.items[host].device;
        }
        while (depth > 0)
            builder->order[listed++] = way[--depth];
    }
    bool fine = way && done;
    memory_free(cell->context, done, cell->devices.count, sizeof *done);
    memory_free(cell->context, way, cell->devices.count, sizeof *way);
    return fine;
}

/* Sorts the joints by part, by counting. */
static void list_joints(struct builder *builder)
{
    const struct deneb_cell *cell = builder->cell;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t d = 0; d < cell->devices.count; d++)
            for (uint32_t i = 0; i < cell->devices.items[d].joint_count; i++) {
                uint32_t joint = cell->devices.items[d].first_joint + i;
                uint32_t *end =
                    &builder->joint_ends[cell->devices.items[d].first_part + cell->joints.items[joint].part];
                if (pass == 1)
                    builder->joint_lists[*end] = joint;
                ++*end;
            }
        for (uint32_t part = 0, start = 0; pass == 0 && part < cell->parts.count; part++) {
            uint32_t count = builder->joint_ends[part];
            builder->joint_ends[part] = start;
            start += count;
        }
    }
}

/* ---- nodes ---- */

static uint32_t add_node(cp_scene *scene, uint32_t parent, const char *name, const char *raw, const cp_pose *local)
{
    uint32_t node = scene_add_node(scene, parent, name, strlen(name));
    if (node == CP_NONE)
        return node;
    scene->nodes[node].local = *local;
    scene->nodes[node].raw_name = raw;
    return node;
}

/* Adds a device's frame and those of its parts. */
static bool add_device_nodes(struct builder *builder, uint32_t index)
{
    struct deneb_cell *cell = builder->cell;
    struct deneb_device *device = &cell->devices.items[index];
    uint32_t host = device->host == CP_NONE ? 0 : cell->parts.items[device->host].node;
    device->node = add_node(builder->scene, host, device->name, device->raw, &device->pose);
    if (device->node == CP_NONE)
        return false;
    builder->scene->nodes[device->node].scope = index;
    for (uint32_t i = 0; i < device->part_count; i++) {
        struct deneb_part *part = &cell->parts.items[device->first_part + i];
        uint32_t parent = part->parent == CP_NONE ? device->node : cell->parts.items[part->parent].node;
        part->node = add_node(builder->scene, parent, part->name, part->raw, &part->pose);
        if (part->node == CP_NONE)
            return false;
        builder->scene->nodes[part->node].scope = index;
    }
    return true;
}

/* ---- joints ---- */

static uint32_t axis_count(const struct deneb_joint *joint)
{
    return joint->axis == DENEB_ALL_AXES ? 3 : 1;
}

/* Adds a joint. A scale of all axes becomes three joints, of which the first one drives the others. */
static bool add_joint(struct builder *builder, struct deneb_joint *from, uint32_t node)
{
    static const cp_joint_type types[] = {CP_JOINT_PRISMATIC, CP_JOINT_REVOLUTE, CP_JOINT_SCALE};
    static const char *const letters[] = {"", ".y", ".z"};
    cp_scene *scene = builder->scene;
    double unit = deneb_joint_unit(from, builder->cell->devices.items[scene->nodes[node].scope].units);
    for (uint32_t i = 0; i < axis_count(from); i++) {
        const char *name = i > 0 ? arena_print(scene->arena, "%s%s", from->name, letters[i]) : from->name;
        uint32_t index = name ? scene_add_joint(scene, node, types[from->motion], name) : CP_NONE;
        if (index == CP_NONE)
            return false;
        cp_joint *joint = &scene->joints[index];
        int axis = axis_count(from) == 3 ? (int)i : from->axis;
        for (int k = 0; k < 3; k++)
            joint->axis[k] = k == axis;
        joint->lower = from->lower * unit;
        joint->upper = from->upper * unit;
        joint->home = joint->q = from->initial * unit;
        joint->driven = deneb_is_set(from) && from->lower < from->upper;
        if (i == 0) {
            from->joint = index;
        } else if (!from->formula) {
            joint->master = from->joint;
            joint->driven = false;
        }
    }
    return true;
}

/* ---- formulas ---- */

/* The joints of a device that are set from outside: dof(1), dof(2), ... */
struct freedoms {
    const struct deneb_device *device;
    const struct deneb_joint *all; /* of the cell */
    uint32_t *rows;                /* in `all` */
    uint32_t count;
};

/* Reports a formula without a value, once for all devices of a file. The value becomes 0, as NIST's translator took all
 * formulas. */
static cp_status refuse_formula(struct builder *builder, const struct deneb_joint *joint,
                                const struct deneb_device *device, const char *why)
{
    enum { MOST_SHOWN = 100 };
    size_t size = strlen(joint->formula), shown = size > MOST_SHOWN ? MOST_SHOWN : size;
    if (device->is_copy)
        return CP_OK;
    while (shown < size && ((unsigned char)joint->formula[shown] & 0xc0) == 0x80) /* within a character of UTF-8 */
        shown--;
    return report_lenient(builder->cell->context, builder->strict, "deneb-formula", joint->place,
                          "the value of \"%s\" is taken for 0, since in \"%.*s%s\" %s", joint->name, (int)shown,
                          joint->formula, shown < size ? "..." : "", why);
}

/* Lets the joint follow the formula, as an expression over the joints that it uses. */
static cp_status add_formula(struct builder *builder, const struct deneb_joint *joint, const struct freedoms *freedoms)
{
    cp_scene *scene = builder->scene;
    struct deneb_units units = freedoms->device->units;
    double angle = units.angle > 0 ? units.angle : 1, value;
    uint32_t axes = axis_count(joint), count;
    size_t at;
    for (uint32_t i = 0; i < axes; i++)
        scene->joints[joint->joint + i].home = scene->joints[joint->joint + i].q = 0;
    if (builder->cell->settings->dof_zero)
        return CP_OK;

    /* The formula must have a value where the joints are now. */
    struct expression_step steps[EXPRESSION_LONGEST];
    const char *why = expression_compile(joint->formula, angle, freedoms->count, steps, &count, &at);
    if (why)
        return refuse_formula(builder, joint, freedoms->device, why);
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].operation == EXPRESSION_INPUT)
            steps[i] = (struct expression_step){.operation = EXPRESSION_NUMBER,
                                                .number = freedoms->all[freedoms->rows[steps[i].input]].initial};
    why = expression_run(steps, count, NULL, &value);
    cp_status status = why ? refuse_formula(builder, joint, freedoms->device, why) : CP_OK;
    if (status != CP_OK)
        return status;

    char text[EXPRESSION_LONGEST + 1];
    uint32_t rows[EXPRESSION_MOST_INPUTS], joints[EXPRESSION_MOST_INPUTS], *inputs;
    double factors[EXPRESSION_MOST_INPUTS];
    count = expression_compact(joint->formula, text, rows);
    for (uint32_t i = 0; i < count; i++) {
        const struct deneb_joint *input = &freedoms->all[freedoms->rows[rows[i]]];
        joints[i] = input->joint;
        factors[i] = 1 / deneb_joint_unit(input, units);
    }
    cp_expression expression = {text, angle, count, joints, factors};
    const cp_expression *copy = scene_copy_expression(scene, &expression, &inputs);
    for (uint32_t i = 0; copy && i < axes; i++) {
        scene->joints[joint->joint + i].expression = copy;
        scene->joints[joint->joint + i].scale = deneb_joint_unit(joint, units);
    }
    return copy ? CP_OK : CP_LIMIT;
}

/* ---- devices ---- */

static cp_status add_device(struct builder *builder, uint32_t index)
{
    const struct deneb_cell *cell = builder->cell;
    cp_scene *scene = builder->scene;
    const struct deneb_device *from = &cell->devices.items[index];
    struct freedoms freedoms = {.device = from, .all = cell->joints.items};
    freedoms.rows = memory_allocate(cell->context, from->joint_count, sizeof *freedoms.rows);
    if (!freedoms.rows)
        return CP_LIMIT;
    for (uint32_t i = 0; i < from->joint_count; i++)
        if (deneb_is_set(&cell->joints.items[from->first_joint + i]))
            freedoms.rows[freedoms.count++] = from->first_joint + i;
    uint32_t made = scene_add_device(scene, from->name, from->node);
    uint32_t most_ends = from->part_count + from->frame_count;
    uint32_t *ends = made == CP_NONE ? NULL : scene_allocate(scene, most_ends, sizeof *ends);
    uint32_t *joints = ends ? scene_allocate(scene, freedoms.count, sizeof *joints) : NULL;
    cp_status status = joints ? CP_OK : CP_LIMIT;
    if (joints) {
        cp_device *device = &scene->devices[made];
        for (uint32_t i = 0; i < freedoms.count; i++)
            joints[i] = cell->joints.items[freedoms.rows[i]].joint;
        /* Its tools are ends; else the parts on which none hangs. Parts are in the order of a walk through their tree,
         * so a part is followed by those that hang on it. */
        for (uint32_t i = 0; i < from->frame_count; i++)
            if (cell->frames.items[from->first_frame + i].is_tool)
                ends[device->end_count++] = builder->frame_nodes[from->first_frame + i];
        bool has_tool = device->end_count > 0;
        for (uint32_t i = 0; i < from->part_count && !has_tool; i++) {
            uint32_t part = from->first_part + i;
            if (i + 1 == from->part_count || cell->parts.items[part + 1].parent != part)
                ends[device->end_count++] = cell->parts.items[part].node;
        }
        device->joints = joints;
        device->joint_count = freedoms.count;
        device->ends = ends;
        device->kind = device->end_count > 1 ? CP_DEVICE_TREE : CP_DEVICE_SERIAL;
    }
    for (uint32_t i = 0; i < from->joint_count && status == CP_OK; i++)
        if (cell->joints.items[from->first_joint + i].formula)
            status = add_formula(builder, &cell->joints.items[from->first_joint + i], &freedoms);
    memory_free(cell->context, freedoms.rows, from->joint_count, sizeof *freedoms.rows);
    return status;
}

/* ---- frames and loops ---- */

static bool add_frames(struct builder *builder)
{
    const struct deneb_cell *cell = builder->cell;
    for (uint32_t d = 0; d < cell->devices.count; d++)
        for (uint32_t i = 0; i < cell->devices.items[d].frame_count; i++) {
            uint32_t index = cell->devices.items[d].first_frame + i;
            const struct deneb_frame *frame = &cell->frames.items[index];
            uint32_t parent = cell->parts.items[cell->devices.items[d].first_part + frame->part].node;
            uint32_t node = add_node(builder->scene, parent, frame->name, frame->raw, &frame->pose);
            if (node == CP_NONE)
                return false;
            builder->scene->nodes[node].scope = d;
            builder->frame_nodes[index] = node;
        }
    return true;
}

/* Adds the loops. Those of a workcell come after those of all devices, and use the numbers of the cell's parts. */
static cp_status add_loops(struct builder *builder)
{
    const struct deneb_cell *cell = builder->cell;
    uint32_t *bases = memory_allocate_zeroed(cell->context, cell->loops.count, sizeof *bases);
    cp_status status = bases ? CP_OK : CP_LIMIT;
    for (uint32_t d = 0; d < cell->devices.count && bases; d++)
        for (uint32_t i = 0; i < cell->devices.items[d].loop_count; i++)
            bases[cell->devices.items[d].first_loop + i] = cell->devices.items[d].first_part;
    for (uint32_t i = 0; i < cell->loops.count && status == CP_OK; i++) {
        const struct deneb_loop *loop = &cell->loops.items[i];
        uint32_t nodes[2];
        for (int side = 0; side < 2 && status == CP_OK; side++) {
            uint64_t part = (uint64_t)bases[i] + loop->parts[side];
            if (part >= cell->parts.count)
                status = report_error(cell->context, CP_INPUT, "deneb-loop", loop->place,
                                      "the loop \"%s\" is of part %u, but the cell has %u parts", loop->name,
                                      (unsigned)part, (unsigned)cell->parts.count);
            else
                nodes[side] = cell->parts.items[part].node;
        }
        if (status != CP_OK)
            break;
        uint32_t index = scene_add_loop(builder->scene, loop->name, loop->type, nodes[0], nodes[1]);
        if (index == CP_NONE) {
            status = CP_LIMIT;
            break;
        }
        cp_loop *made = &builder->scene->loops[index];
        made->poses[0] = loop->poses[0];
        made->poses[1] = loop->poses[1];
        made->length = loop->length;
    }
    memory_free(cell->context, bases, cell->loops.count, sizeof *bases);
    return status;
}

/* ---- all of it ---- */

static cp_status build(struct builder *builder)
{
    struct deneb_cell *cell = builder->cell;
    cp_scene *scene = builder->scene;
    if (!builder->order || !builder->joint_lists || !builder->joint_ends || !builder->frame_nodes ||
        !list_devices(builder))
        return CP_LIMIT;
    list_joints(builder);
    for (uint32_t i = 0; i < cell->devices.count; i++)
        if (!add_device_nodes(builder, builder->order[i]))
            return CP_LIMIT;
    if (!add_frames(builder))
        return CP_LIMIT;
    for (uint32_t i = 0, path = 0; i < cell->tags.count; i++) {
        const struct deneb_tag *tag = &cell->tags.items[i];
        uint32_t parent = !tag->is_path ? path : tag->device == CP_NONE ? 0 : cell->devices.items[tag->device].node;
        uint32_t node = add_node(scene, parent, tag->name, tag->raw, &tag->pose);
        if (node == CP_NONE)
            return CP_LIMIT;
        path = tag->is_path ? node : path;
    }

    /* Reverse the joints of each part: the last one in the file is the first behind its matrix, as rows are multiplied
     * from the left. */
    for (uint32_t d = 0; d < cell->devices.count; d++) {
        const struct deneb_device *device = &cell->devices.items[builder->order[d]];
        for (uint32_t part = device->first_part; part < device->first_part + device->part_count; part++) {
            uint32_t start = part > 0 ? builder->joint_ends[part - 1] : 0;
            for (uint32_t k = builder->joint_ends[part]; k > start; k--)
                if (!add_joint(builder, &cell->joints.items[builder->joint_lists[k - 1]], cell->parts.items[part].node))
                    return CP_LIMIT;
        }
    }
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < cell->devices.count && status == CP_OK; i++)
        status = add_device(builder, i);
    if (status == CP_OK)
        status = add_loops(builder);
    if (status != CP_OK)
        return status;

    /* Joints with a formula get its value, free ones the values at which loops close. */
    cp_mechanism mechanism;
    status = mechanism_open(&mechanism, scene->context, scene);
    for (uint32_t i = 0; i < scene->joint_count && status == CP_OK; i++)
        if (scene->joints[i].expression || joint_is_free(&scene->joints[i]))
            scene->joints[i].home = scene->joints[i].q = mechanism.values[i];
    mechanism_close(&mechanism);
    return status;
}

cp_status deneb_build(struct deneb_cell *cell, cp_scene *scene, bool strict)
{
    struct builder builder = {.cell = cell, .scene = scene, .strict = strict};
    struct arena *scratch = arena_new(cell->context);
    builder.order = arena_allocate(scratch, cell->devices.count, sizeof *builder.order);
    builder.joint_lists = arena_allocate(scratch, cell->joints.count, sizeof *builder.joint_lists);
    builder.joint_ends = arena_allocate_zeroed(scratch, cell->parts.count, sizeof *builder.joint_ends);
    builder.frame_nodes = arena_allocate(scratch, cell->frames.count, sizeof *builder.frame_nodes);
    cp_status status = build(&builder);
    arena_free(scratch);
    return status;
}

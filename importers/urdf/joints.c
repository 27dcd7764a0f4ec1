/* Joints: axes, limits, what follows what, and the device of all of them. */
#include <math.h>

#include "base/text/text.h"
#include "urdf.h"

/* Writers that need a number where there is no limit write one that no robot reaches. */
static const double no_limit = 1e9;

/* ---- mimics ---- */

/* Reads what the joint mimics. A joint that follows nobody known is free. */
static cp_status read_mimic(struct urdf *urdf, uint32_t index)
{
    struct urdf_joint *joint = &urdf->joints[index];
    const struct xml_node *mimic = xml_node_child(joint->element, "mimic");
    cp_status status = CP_OK;
    if (!mimic)
        return CP_OK;
    const char *name = xml_node_attribute(mimic, "joint");
    const uint32_t *master = name ? name_map_find(&urdf->joint_names, name) : NULL;
    (void)urdf_numbers(urdf, mimic, "multiplier", 1, &joint->scale, &status);
    (void)urdf_numbers(urdf, mimic, "offset", 1, &joint->offset, &status);
    if (status != CP_OK)
        return status;
    bool moves = joint->type != URDF_FIXED && joint->type != URDF_FLOATING && joint->type != URDF_PLANAR;
    if (!moves)
        return report_lenient(urdf->context, urdf->settings->common.strict, "urdf-mimic", xml_node_place(mimic),
                              "the joint \"%.100s\" is %s, and mimics nothing", joint->name,
                              xml_node_attribute(joint->element, "type"));
    if (!master)
        return report_lenient(urdf->context, urdf->settings->common.strict, "urdf-mimic", xml_node_place(mimic),
                              "the joint \"%.100s\" mimics %s%.100s%s, and is free", joint->name,
                              name ? "\"" : "no joint", name ? name : "", name ? "\", which is not there" : "");
    joint->master = *master;
    return CP_OK;
}

/* Folds a chain of mimics: each then follows the joint that is free. */
static cp_status fold_mimic(struct urdf *urdf, uint32_t index, uint32_t *chain)
{
    uint32_t count = 0;
    for (; urdf->joints[index].mimic == URDF_MIMIC_NEW && urdf->joints[index].master != CP_NONE;
         index = urdf->joints[index].master) {
        urdf->joints[index].mimic = URDF_MIMIC_OPEN;
        chain[count++] = index;
    }
    if (urdf->joints[index].mimic == URDF_MIMIC_OPEN)
        return report_error(urdf->context, CP_INPUT, "urdf-mimic", xml_node_place(urdf->joints[index].element),
                            "the joint \"%.100s\" mimics itself, by way of others or not", urdf->joints[index].name);
    urdf->joints[index].mimic = URDF_MIMIC_DONE;
    while (count-- > 0) {
        struct urdf_joint *joint = &urdf->joints[chain[count]];
        const struct urdf_joint *master = &urdf->joints[joint->master];
        joint->mimic = URDF_MIMIC_DONE;
        if (master->master == CP_NONE)
            continue;
        joint->offset += joint->scale * master->offset;
        joint->scale *= master->scale;
        joint->master = master->master;
    }
    return CP_OK;
}

cp_status urdf_resolve_mimics(struct urdf *urdf)
{
    uint32_t *chain = arena_allocate(urdf->arena, urdf->joint_count, sizeof *chain);
    cp_status status = chain ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < urdf->joint_count && status == CP_OK; i++)
        status = read_mimic(urdf, i);
    for (uint32_t i = 0; i < urdf->joint_count && status == CP_OK; i++)
        status = fold_mimic(urdf, i, chain);
    return status;
}

/* ---- one joint ---- */

/* Reads the axis as a unit vector; without one it is X. */
static cp_status read_axis(struct urdf *urdf, const struct urdf_joint *joint, double axis[3])
{
    const struct xml_node *element = xml_node_child(joint->element, "axis");
    cp_status status = CP_OK;
    axis[0] = 1, axis[1] = 0, axis[2] = 0;
    if (!element)
        return CP_OK;
    (void)urdf_numbers(urdf, element, "xyz", 3, axis, &status);
    if (status != CP_OK)
        return status;
    double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    if (!(largest > 0))
        return report_error(urdf->context, CP_INPUT, "urdf-axis", xml_node_place(element),
                            "the axis of the joint \"%.100s\" is zero", joint->name);
    for (int i = 0; i < 3; i++)
        axis[i] /= largest;
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int i = 0; i < 3 && length != 1; i++)
        axis[i] /= length;
    if (fabs(length * largest - 1) > 1e-6)
        return report_lenient(urdf->context, urdf->settings->common.strict, "urdf-axis", xml_node_place(element),
                              "the axis of the joint \"%.100s\" has the length %s, and is made a unit vector",
                              joint->name, show_number(length * largest).text);
    return CP_OK;
}

static void read_bound(struct urdf *urdf, const struct xml_node *limit, const char *name, double *bound,
                       cp_status *status)
{
    if (urdf_numbers(urdf, limit, name, 1, bound, status) && *bound >= no_limit)
        *bound = INFINITY;
}

/* Reads the limits. Absent ones are none, where urdfdom refuses the file. */
static cp_status read_limits(struct urdf *urdf, const struct urdf_joint *joint, cp_joint *row)
{
    const struct xml_node *limit = xml_node_child(joint->element, "limit");
    bool bounded = joint->type == URDF_REVOLUTE || joint->type == URDF_PRISMATIC,
         strict = urdf->settings->common.strict;
    cp_status status = CP_OK;
    if (!limit)
        return !bounded ? CP_OK
                        : report_lenient(urdf->context, strict, "urdf-limit", xml_node_place(joint->element),
                                         "the %s joint \"%.100s\" has no <limit>, and is unlimited",
                                         xml_node_attribute(joint->element, "type"), joint->name);
    read_bound(urdf, limit, "velocity", &row->velocity, &status);
    read_bound(urdf, limit, "effort", &row->effort, &status);
    read_bound(urdf, limit, "acceleration", &row->acceleration, &status);
    double lower = 0, upper = 0;
    bool below = urdf_numbers(urdf, limit, "lower", 1, &lower, &status);
    bool above = urdf_numbers(urdf, limit, "upper", 1, &upper, &status);
    if (status != CP_OK)
        return status;
    if (bounded) {
        row->lower = lower;
        row->upper = upper;
    } else if (joint->type == URDF_CONTINUOUS && (lower != 0 || upper != 0)) {
        report_note(urdf->context, "urdf-limit", xml_node_place(limit),
                    "continuous joints have no lower and upper limits, and these are ignored");
    }
    if (bounded && !below && !above) {
        row->lower = -INFINITY;
        row->upper = INFINITY;
        status = report_lenient(urdf->context, strict, "urdf-limit", xml_node_place(limit),
                                "the joint \"%.100s\" has neither a lower nor an upper limit, and is unlimited",
                                joint->name);
    } else if (bounded && lower > upper) {
        status = report_lenient(urdf->context, strict, "urdf-limit", xml_node_place(limit),
                                "the lower limit of the joint \"%.100s\" is above the upper one", joint->name);
    }
    if (status == CP_OK && bounded && (!xml_node_attribute(limit, "effort") || !xml_node_attribute(limit, "velocity")))
        status = report_lenient(urdf->context, strict, "urdf-effort", xml_node_place(limit),
                                "limits lack effort or velocity, which are unlimited then");
    return status;
}

static cp_status read_dynamics(struct urdf *urdf, const struct urdf_joint *joint, cp_joint *row)
{
    const struct xml_node *dynamics = xml_node_child(joint->element, "dynamics");
    cp_status status = CP_OK;
    if (!dynamics)
        return CP_OK;
    (void)urdf_numbers(urdf, dynamics, "damping", 1, &row->damping, &status);
    (void)urdf_numbers(urdf, dynamics, "friction", 1, &row->friction, &status);
    if (status == CP_OK && (row->damping < 0 || row->friction < 0)) {
        row->damping = fmax(row->damping, 0);
        row->friction = fmax(row->friction, 0);
        status =
            report_lenient(urdf->context, urdf->settings->common.strict, "urdf-dynamics", xml_node_place(dynamics),
                           "damping or friction of the joint \"%.100s\" is below zero, and is ignored", joint->name);
    }
    return status;
}

/* Adds one degree of freedom. row: what the element says of all of them. */
static cp_status add_row(struct urdf *urdf, uint32_t node, cp_joint_type type, const char *name, const double axis[3],
                         const cp_joint *said)
{
    uint32_t index = scene_add_joint(urdf->scene, node, type, name);
    if (index == CP_NONE)
        return CP_LIMIT;
    cp_joint *row = &urdf->scene->joints[index];
    memcpy(row->axis, axis, sizeof row->axis);
    row->lower = said->lower;
    row->upper = said->upper;
    row->velocity = said->velocity;
    row->acceleration = said->acceleration;
    row->effort = said->effort;
    row->damping = said->damping;
    row->friction = said->friction;
    return CP_OK;
}

/* Adds a planar joint: two translations in the plane, and the turn about its normal. */
static cp_status add_planar(struct urdf *urdf, const struct urdf_joint *joint, uint32_t node, const double normal[3],
                            const cp_joint *said)
{
    int least = fabs(normal[0]) <= fabs(normal[1]) ? 0 : 1;
    least = fabs(normal[2]) < fabs(normal[least]) ? 2 : least;
    double u[3], v[3], along = normal[least];
    for (int i = 0; i < 3; i++)
        u[i] = (i == least) - along * normal[i];
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int i = 0; i < 3; i++)
        u[i] /= length;
    for (int i = 0; i < 3; i++)
        v[i] = normal[(i + 1) % 3] * u[(i + 2) % 3] - normal[(i + 2) % 3] * u[(i + 1) % 3];
    const char *second = arena_print(urdf->arena, "%s.2", joint->name);
    const char *third = arena_print(urdf->arena, "%s.3", joint->name);
    cp_status status = second && third ? add_row(urdf, node, CP_JOINT_PRISMATIC, joint->name, u, said) : CP_LIMIT;
    if (status == CP_OK)
        status = add_row(urdf, node, CP_JOINT_PRISMATIC, second, v, said);
    return status == CP_OK ? add_row(urdf, node, CP_JOINT_REVOLUTE, third, normal, said) : status;
}

/* Keeps what the model has no member for. */
static cp_status keep_rest(struct urdf *urdf, const struct urdf_joint *joint, uint32_t node)
{
    static const char *const known[] = {"origin", "parent", "child", "axis", "limit", "mimic", "dynamics", NULL};
    cp_status status = CP_OK;
    cp_owner owner = joint->first == CP_NONE ? CP_OWNER_NODE : CP_OWNER_JOINT;
    for (const struct xml_node *at = xml_node_child(joint->element, NULL); at && status == CP_OK;
         at = xml_node_next(at, NULL)) {
        size_t word = 0;
        while (known[word] && strcmp(known[word], at->name) != 0)
            word++;
        if (!known[word])
            status = urdf_keep(urdf, owner, joint->first == CP_NONE ? node : joint->first, at);
    }
    /* A joint that does not move is no row, but has a name. */
    if (status == CP_OK && joint->first == CP_NONE &&
        !scene_add_metadata(urdf->scene, CP_OWNER_NODE, node, "joint", CP_VALUE_STRING, joint->name))
        status = CP_LIMIT;
    return status;
}

cp_status urdf_add_joints(struct urdf *urdf, struct urdf_joint *joint, uint32_t node)
{
    static const cp_joint unlimited = {
        .lower = -INFINITY, .upper = INFINITY, .velocity = INFINITY, .acceleration = INFINITY, .effort = INFINITY};
    cp_joint said = unlimited;
    double axis[3];
    uint32_t first = urdf->scene->joint_count;
    cp_status status = CP_OK;
    if (joint->type == URDF_FLOATING)
        urdf->scene->nodes[node].flags |= CP_NODE_MOVABLE;
    if (joint->type == URDF_FIXED || joint->type == URDF_FLOATING)
        return keep_rest(urdf, joint, node);
    status = read_axis(urdf, joint, axis);
    if (status == CP_OK)
        status = read_limits(urdf, joint, &said);
    if (status == CP_OK)
        status = read_dynamics(urdf, joint, &said);
    if (status == CP_OK && joint->type == URDF_PLANAR)
        status = add_planar(urdf, joint, node, axis, &said);
    else if (status == CP_OK)
        status = add_row(urdf, node, joint->type == URDF_PRISMATIC ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE,
                         joint->name, axis, &said);
    joint->first = first;
    return status == CP_OK ? keep_rest(urdf, joint, node) : status;
}

/* ---- all of them ---- */

static cp_status follow(struct urdf *urdf, const struct urdf_joint *joint)
{
    uint32_t master = joint->master == CP_NONE ? CP_NONE : urdf->joints[joint->master].first;
    if (joint->master == CP_NONE || joint->first == CP_NONE)
        return CP_OK;
    if (master == CP_NONE)
        return report_lenient(urdf->context, urdf->settings->common.strict, "urdf-mimic",
                              xml_node_place(joint->element),
                              "the joint \"%.100s\" mimics one that does not move, and is free", joint->name);
    cp_joint *row = &urdf->scene->joints[joint->first];
    row->driven = false;
    row->master = master;
    row->scale = joint->scale;
    row->offset = joint->offset;
    row->home = row->q = joint->offset;
    if (isfinite(row->scale) && isfinite(row->offset))
        return CP_OK;
    return report_error(urdf->context, CP_INPUT, "urdf-mimic", xml_node_place(joint->element),
                        "the mimic of the joint \"%.100s\" is out of range", joint->name);
}

/* Says of each link what hangs on it. */
struct reach {
    bool moves;     /* a joint below it does */
    uint32_t tip;   /* the link that most fixed joints lead to; itself, if none do */
    uint32_t depth; /* fixed joints to it */
};

/* Finds the ends of the device: behind each last moving joint, the link that most fixed joints lead to. *chained is
 * false where moving joints branch. */
static uint32_t find_ends(const struct urdf *urdf, const uint32_t *order, struct reach *reach, uint32_t *ends,
                          bool *chained)
{
    uint32_t count = 0, *branches = ends + urdf->link_count;
    for (uint32_t i = 0; i < urdf->link_count; i++) {
        reach[i] = (struct reach){.tip = i};
        branches[i] = 0;
    }
    *chained = true;
    for (uint32_t i = urdf->link_count; i-- > 1;) { /* from the tips to the root */
        const struct urdf_joint *joint = &urdf->joints[urdf->links[order[i]].above];
        const struct reach *here = &reach[order[i]];
        struct reach *above = &reach[joint->parent];
        bool moves = joint->first != CP_NONE;
        branches[joint->parent] += moves || here->moves;
        *chained = *chained && branches[joint->parent] <= 1;
        above->moves = above->moves || moves || here->moves;
        if (!moves && here->depth + 1 >= above->depth) { /* the first of equals wins, which comes last here */
            above->tip = here->tip;
            above->depth = here->depth + 1;
        }
    }
    for (uint32_t i = 1; i < urdf->link_count; i++) {
        const struct urdf_link *link = &urdf->links[order[i]];
        if (urdf->joints[link->above].first != CP_NONE && !reach[order[i]].moves)
            ends[count++] = urdf->links[reach[order[i]].tip].node;
    }
    return count;
}

/* Adds the device of all joints that are driven. */
static cp_status add_device(struct urdf *urdf, const uint32_t *order)
{
    cp_scene *scene = urdf->scene;
    const char *name = xml_node_attribute(urdf->robot, "name");
    size_t size;
    const char *stem = text_stem(urdf->source->name, &size);
    name = name && *name ? name : arena_copy_text(urdf->arena, stem, size);
    struct reach *reach = arena_allocate(urdf->arena, urdf->link_count, sizeof *reach);
    uint32_t *ends = scene_allocate(scene, 2 * (size_t)urdf->link_count, sizeof *ends); /* and room for a count each */
    uint32_t *joints = scene_allocate(scene, scene->joint_count, sizeof *joints);
    uint32_t index = name ? scene_add_device(scene, name, urdf->links[order[0]].node) : CP_NONE;
    if (!reach || !ends || !joints || index == CP_NONE)
        return CP_LIMIT;
    bool chained;
    cp_device *device = &scene->devices[index];
    device->ends = ends;
    device->end_count = find_ends(urdf, order, reach, ends, &chained);
    device->kind = chained ? CP_DEVICE_SERIAL : CP_DEVICE_TREE;
    device->joints = joints;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].driven)
            joints[device->joint_count++] = i;
    for (uint32_t i = 0; i < urdf->link_count; i++)
        scene->nodes[urdf->links[i].node].scope = index;
    return CP_OK;
}

cp_status urdf_finish_joints(struct urdf *urdf, const uint32_t *order)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < urdf->joint_count && status == CP_OK; i++)
        status = follow(urdf, &urdf->joints[i]);
    return status == CP_OK && urdf->scene->joint_count > 0 ? add_device(urdf, order) : status;
}

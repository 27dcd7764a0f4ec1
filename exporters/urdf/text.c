/* The text of the file: materials, links with their joints, and what a reader kept. */
#include <float.h>
#include <math.h>

#include "base/text/text.h"
#include "robot.h"

/* The numbers of limits that are none, since URDF demands some. */
static const double no_limit = 1e9, no_range = 1e6;

/* ---- attributes ---- */

static void write_name(struct robot *robot, const char *attribute, const char *name)
{
    sink_print(robot->sink, " %s=\"", attribute);
    robot->losses[LOST_NAMES] += sink_markup(robot->sink, name) > 0;
    sink_text(robot->sink, "\"");
}

/* Returns the number as readers take it: by strtod they refuse those that are too small for a usual double. A limit
 * that a scale has made infinite is none. */
static double readable(double number)
{
    return isinf(number) ? copysign(no_limit, number) : fabs(number) < DBL_MIN ? 0 : number;
}

static void write_numbers(struct robot *robot, const char *attribute, const double *numbers, size_t count)
{
    sink_print(robot->sink, " %s=\"", attribute);
    for (size_t i = 0; i < count; i++) {
        sink_text(robot->sink, i > 0 ? " " : "");
        sink_double(robot->sink, readable(numbers[i]));
    }
    sink_text(robot->sink, "\"");
}

static void write_number(struct robot *robot, const char *attribute, double number)
{
    write_numbers(robot, attribute, &number, 1);
}

/* Finds the angles of R = Rz(y) Ry(p) Rx(r). The turn about z is taken out before the others are found, so that they
 * make up for its rounding where the pitch is near 90 degrees. */
static void find_angles_of(const cp_pose *pose, double rpy[3])
{
    const double *m = pose->m;
    bool upright = !(hypot(m[0], m[4]) > 1e-12);
    double yaw = upright ? atan2(-m[1], m[5]) : atan2(m[4], m[0]), sine = sin(yaw), cosine = cos(yaw);
    rpy[0] = upright ? 0 : atan2(sine * m[2] - cosine * m[6], cosine * m[5] - sine * m[1]);
    rpy[1] = atan2(-m[8], cosine * m[0] + sine * m[4]);
    rpy[2] = yaw;
}

/* Writes <origin>, unless it is the identity. */
static void write_origin(struct robot *robot, const char *indent, const cp_pose *pose)
{
    const double xyz[3] = {pose->m[3], pose->m[7], pose->m[11]};
    double rpy[3];
    if (pose_is_identity(pose))
        return;
    find_angles_of(pose, rpy);
    sink_print(robot->sink, "%s<origin", indent);
    write_numbers(robot, "xyz", xyz, 3);
    if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0)
        write_numbers(robot, "rpy", rpy, 3);
    sink_text(robot->sink, "/>\n");
}

/* ---- materials ---- */

static void write_materials(struct robot *robot)
{
    for (uint32_t i = 0; i < robot->scene->material_count; i++) {
        const struct robot_material *material = &robot->materials[i];
        if (!material->name || material->is_copy)
            continue;
        sink_text(robot->sink, "  <material");
        write_name(robot, "name", material->name);
        sink_text(robot->sink, ">\n    <color");
        write_numbers(robot, "rgba", material->rgba, 4);
        sink_text(robot->sink, "/>\n  </material>\n");
    }
}

/* ---- shapes ---- */

static void write_geometry(struct robot *robot, const struct robot_shape *shape, const struct robot_part *part)
{
    struct sink *sink = robot->sink;
    const double *size = shape->size;
    sink_text(sink, "      <geometry>\n        ");
    switch (shape->kind) {
    case ROBOT_BOX:
        sink_text(sink, "<box");
        write_numbers(robot, "size", size, 3);
        break;
    case ROBOT_SPHERE:
        sink_text(sink, "<sphere");
        write_number(robot, "radius", size[0]);
        break;
    case ROBOT_CYLINDER:
    case ROBOT_CAPSULE:
        sink_text(sink, shape->kind == ROBOT_CAPSULE ? "<capsule" : "<cylinder");
        write_number(robot, "radius", size[0]);
        write_number(robot, "length", size[1]);
        break;
    case ROBOT_MESH:
    case ROBOT_NOTHING:
        sink_text(sink, "<mesh filename=\"");
        if (robot->settings->package) {
            sink_text(sink, "package://");
            (void)sink_markup(sink, robot->settings->package);
            sink_text(sink, "/");
        }
        sink_print(sink, "%s\"", part->file);
        if (size[0] != 1 || size[1] != 1 || size[2] != 1)
            write_numbers(robot, "scale", size, 3);
        break;
    }
    sink_text(sink, "/>\n      </geometry>\n");
}

/* The names that visuals or collisions of a link had, in their order. */
struct kept_names {
    struct robot *robot;
    const char *element;
    uint32_t entry; /* an entry of metadata, or CP_NONE: they had no names, or are not as many */
};

static struct kept_names find_names(struct robot *robot, uint32_t node, const char *element, uint64_t count)
{
    struct kept_names names = {robot, element, CP_NONE};
    uint32_t first, entry;
    uint64_t found = 0;
    (void)robot_metadata(robot, robot->first_of_node[node], element, &first);
    for (entry = first; entry != CP_NONE; found++)
        (void)robot_metadata(robot, robot->next[entry], element, &entry);
    names.entry = found == count ? first : CP_NONE;
    return names;
}

static void write_shape(struct robot *robot, const struct robot_shape *shape, const struct robot_part *part,
                        struct kept_names *names)
{
    bool is_visual = strcmp(names->element, "visual") == 0;
    uint32_t material = part && part->material != CP_NONE ? part->material : shape->material;
    sink_print(robot->sink, "    <%s", names->element);
    if (names->entry != CP_NONE) {
        write_name(robot, "name", robot->scene->metadata[names->entry].value);
        robot->is_kept[names->entry] = true;
        (void)robot_metadata(robot, robot->next[names->entry], names->element, &names->entry);
    }
    sink_text(robot->sink, ">\n");
    write_origin(robot, "      ", &shape->origin);
    write_geometry(robot, shape, part);
    if (is_visual && material != CP_NONE) {
        sink_text(robot->sink, "      <material");
        write_name(robot, "name", robot->materials[material].name);
        sink_text(robot->sink, "/>\n");
    }
    sink_print(robot->sink, "    </%s>\n", names->element);
}

static bool is_shown(const struct robot *robot, uint32_t instance, uint32_t use)
{
    const cp_instance *it = &robot->scene->instances[instance];
    bool is_lines = robot->scene->meshes[it->mesh].kind == CP_MESH_LINES; /* which only are drawn */
    return (it->use & use) && robot->shapes[instance].kind != ROBOT_NOTHING && !(is_lines && use == CP_USE_COLLISION);
}

/* Writes the visuals or the collisions of a link. */
static void write_shapes(struct robot *robot, uint32_t node, const char *element, uint32_t use)
{
    const cp_node *it = &robot->scene->nodes[node];
    uint32_t end = it->first_instance + it->instance_count;
    uint64_t count = 0;
    for (uint32_t i = it->first_instance; i < end; i++)
        if (is_shown(robot, i, use))
            count += robot->shapes[i].kind == ROBOT_MESH ? robot->shapes[i].part_count : 1;
    struct kept_names names = find_names(robot, node, element, count);
    for (uint32_t i = it->first_instance; i < end; i++) {
        const struct robot_shape *shape = &robot->shapes[i];
        if (!is_shown(robot, i, use))
            continue;
        if (shape->kind != ROBOT_MESH)
            write_shape(robot, shape, NULL, &names);
        for (uint32_t k = 0; shape->kind == ROBOT_MESH && k < shape->part_count; k++)
            write_shape(robot, shape, &robot->parts[shape->first_part + k], &names);
    }
}

/* ---- links ---- */

static void write_inertia(struct robot *robot, const cp_inertia *inertia)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const cp_pose centre = pose_translation(inertia->centre[0], inertia->centre[1], inertia->centre[2]);
    sink_text(robot->sink, "    <inertial>\n");
    write_origin(robot, "      ", &centre);
    sink_text(robot->sink, "      <mass");
    write_number(robot, "value", inertia->mass);
    sink_text(robot->sink, "/>\n      <inertia");
    for (int i = 0; i < 6; i++)
        write_number(robot, names[i], inertia->moments[i]);
    sink_text(robot->sink, "/>\n    </inertial>\n");
}

static void write_link(struct robot *robot, uint32_t node)
{
    const cp_node *it = &robot->scene->nodes[node];
    const struct robot_link *link = &robot->links[node];
    sink_text(robot->sink, "  <link");
    write_name(robot, "name", link->name);
    sink_text(robot->sink, ">\n");
    if (it->inertia && robot_is_unscaled(&link->rest))
        write_inertia(robot, it->inertia);
    write_shapes(robot, node, "visual", CP_USE_DRAWN);
    write_shapes(robot, node, "collision", CP_USE_COLLISION);
    robot_write_kept(robot, robot->first_of_node[node], IN_LINK);
    sink_text(robot->sink, "  </link>\n");
}

/* ---- joints ---- */

/* The place of a joint: it is between two links, somewhere in the upper one. */
struct joint_place {
    const char *name, *type, *above, *below;
    const cp_pose *origin;
};

static void open_joint(struct robot *robot, const struct joint_place *place)
{
    sink_text(robot->sink, "  <joint");
    write_name(robot, "name", place->name);
    sink_print(robot->sink, " type=\"%s\">\n", place->type);
    write_origin(robot, "    ", place->origin);
    sink_text(robot->sink, "    <parent");
    write_name(robot, "link", place->above);
    sink_text(robot->sink, "/>\n    <child");
    write_name(robot, "link", place->below);
    sink_text(robot->sink, "/>\n");
}

static void write_axis(struct robot *robot, const double axis[3])
{
    sink_text(robot->sink, "    <axis");
    write_numbers(robot, "xyz", axis, 3);
    sink_text(robot->sink, "/>\n");
}

/* Writes what may be unlimited, but is a number in URDF. */
static void write_bound(struct robot *robot, const char *attribute, double bound)
{
    robot->unlimited = robot->unlimited || isinf(bound);
    write_number(robot, attribute, isinf(bound) ? no_limit : bound);
}

/* Writes the limits. bounded: the joint has a range, and URDF demands them. */
static void write_limits(struct robot *robot, const cp_joint *joint, double factor, bool bounded)
{
    bool accelerates = isfinite(joint->acceleration), may = robot->settings->version == ROBOT_VERSION_12;
    robot->losses[LOST_ACCELERATION] += accelerates && !may;
    if (!bounded && isinf(joint->effort) && isinf(joint->velocity) && !(accelerates && may))
        return;
    sink_text(robot->sink, "    <limit");
    if (bounded) {
        robot->losses[LOST_RANGES] += isinf(joint->lower) || isinf(joint->upper);
        write_number(robot, "lower", isinf(joint->lower) ? copysign(no_range, joint->lower) : joint->lower * factor);
        write_number(robot, "upper", isinf(joint->upper) ? copysign(no_range, joint->upper) : joint->upper * factor);
    }
    write_bound(robot, "effort", joint->effort / factor);
    write_bound(robot, "velocity", joint->velocity * factor);
    if (accelerates && may)
        write_number(robot, "acceleration", joint->acceleration * factor);
    sink_text(robot->sink, "/>\n");
}

static void write_dynamics(struct robot *robot, const cp_joint *joint, double factor)
{
    if (joint->damping == 0 && joint->friction == 0)
        return;
    sink_text(robot->sink, "    <dynamics");
    write_number(robot, "damping", joint->damping / (factor * factor));
    write_number(robot, "friction", joint->friction / factor);
    sink_text(robot->sink, "/>\n");
}

static void write_mimic(struct robot *robot, const struct robot_joint *joint)
{
    const struct robot_joint *master = joint->master == CP_NONE ? NULL : &robot->joints[joint->master];
    robot->losses[LOST_DEPENDENCE] += master && master->frozen;
    if (!master || master->frozen)
        return;
    sink_text(robot->sink, "    <mimic");
    write_name(robot, "joint", master->name);
    write_number(robot, "multiplier", joint->multiplier * joint->factor / master->factor);
    write_number(robot, "offset", joint->offset * joint->factor);
    sink_text(robot->sink, "/>\n");
}

/* Writes a joint of the scene. */
static void write_joint(struct robot *robot, uint32_t index, const char *above, const char *below)
{
    const cp_joint *joint = &robot->scene->joints[index];
    const struct robot_joint *written = &robot->joints[index];
    bool slides = joint->type == CP_JOINT_PRISMATIC, is_planar = robot->links[joint->node].is_planar,
         is_endless = !slides && isinf(joint->lower) && isinf(joint->upper);
    struct joint_place place = {.name = written->name, .above = above, .below = below, .origin = &written->origin};
    place.type = written->frozen ? "fixed"
                 : is_planar     ? "planar"
                 : slides        ? "prismatic"
                 : is_endless    ? "continuous"
                                 : "revolute";
    open_joint(robot, &place);
    if (!written->frozen) {
        write_axis(robot, is_planar ? robot->scene->joints[index + 2].axis : written->axis);
        write_limits(robot, joint, written->factor, !is_planar && !is_endless);
        write_dynamics(robot, joint, written->factor);
        write_mimic(robot, written);
    }
    robot_write_kept(robot, robot->first_of_joint[index], IN_JOINT);
    if (!robot->joints[index].between)
        robot_write_kept(robot, robot->first_of_node[joint->node], IN_JOINT);
    sink_text(robot->sink, "  </joint>\n");
}

/* Writes the joints from the link above to the node's, with the links between them. */
static void write_joints(struct robot *robot, uint32_t node)
{
    const cp_node *it = &robot->scene->nodes[node];
    const struct robot_link *link = &robot->links[node];
    const char *above = robot->links[link->above].name;
    uint32_t count = link->is_planar ? 1 : it->joint_count;
    for (uint32_t i = 0; i < count; i++) {
        const char *between = robot->joints[it->first_joint + i].between;
        write_joint(robot, it->first_joint + i, above, between ? between : link->name);
        if (!between)
            continue;
        sink_text(robot->sink, "  <link");
        write_name(robot, "name", between);
        sink_text(robot->sink, "/>\n");
        above = between;
    }
    if (count > 0)
        return;
    bool floats = robot->settings->movable && (it->flags & CP_NODE_MOVABLE);
    open_joint(robot, &(struct joint_place){.name = link->joint_name,
                                            .type = floats ? "floating" : "fixed",
                                            .above = above,
                                            .below = link->name,
                                            .origin = &link->origin});
    robot_write_kept(robot, robot->first_of_node[node], IN_JOINT);
    sink_text(robot->sink, "  </joint>\n");
}

/* ---- all ---- */

void robot_write_text(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    sink_text(robot->sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot");
    write_name(robot, "name", robot->name);
    if (robot->settings->version == ROBOT_VERSION_12)
        sink_text(robot->sink, " version=\"1.2\"");
    sink_text(robot->sink, ">\n");
    write_materials(robot);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (!robot->links[i].name)
            continue;
        write_link(robot, i);
        if (robot->links[i].above != CP_NONE)
            write_joints(robot, i);
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        robot_write_kept(robot, robot->first_of_node[i], IN_ROBOT);
    for (uint32_t i = 0; i < scene->joint_count; i++)
        robot_write_kept(robot, robot->first_of_joint[i], IN_ROBOT);
    robot_write_kept(robot, robot->first_of_scene, IN_ROBOT);
    sink_text(robot->sink, "</robot>\n");
}

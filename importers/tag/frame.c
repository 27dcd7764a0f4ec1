/* A tag as a node: its fixed transform, its joint, its flags. */
#include <string.h>

#include "tag.h"

/* Each name repeats those of the devices around it. */
static const uint64_t most_name_bytes = UINT64_C(1) << 30;

/* ---- the fixed transform ---- */

/* RPY (r, p, y): Rz(r) * Ry(p) * Rx(y), in degrees. */
static cp_status rotation_from_rpy(struct tag_reader *reader, const struct tag *tag, cp_pose *pose)
{
    double angles[3];
    if (tag_triple(reader, tag, tag_use(tag, "RPY"), angles) != CP_OK)
        return CP_INPUT;
    cp_pose roll = pose_rotation_degrees(2, angles[0]);
    cp_pose pitch = pose_rotation_degrees(1, angles[1]);
    cp_pose yaw = pose_rotation_degrees(0, angles[2]);
    cp_pose both = pose_multiply(&roll, &pitch);
    *pose = pose_multiply(&both, &yaw);
    return CP_OK;
}

/* I, J, K: the columns of the matrix, taken as they are; shear and mirroring are legal. */
static cp_status rotation_from_columns(struct tag_reader *reader, const struct tag *tag, cp_pose *pose)
{
    static const char *const keys[] = {"I", "J", "K"};
    bool any = tag_find(tag, "I") || tag_find(tag, "J") || tag_find(tag, "K");
    for (int column = 0; column < 3 && any; column++) {
        const struct tag_attribute *attribute = tag_use(tag, keys[column]);
        double axis[3];
        if (!attribute)
            return report_error(reader->context, CP_INPUT, "tag-axes", tag_place(tag),
                                "\"%s\" has some of I, J and K, but not %s", tag->name.text, keys[column]);
        if (tag_triple(reader, tag, attribute, axis) != CP_OK)
            return CP_INPUT;
        for (int row = 0; row < 3; row++)
            pose->m[4 * row + column] = axis[row];
    }
    return CP_OK;
}

/* CraigDH alpha a d theta (degrees, metres): Rx(alpha) Tx(a) Rz(theta) Tz(d). */
static cp_status transform_from_craig(struct tag_reader *reader, const struct tag *tag, cp_pose *pose)
{
    static const char *const others[] = {"Position", "RPY", "I", "J", "K"};
    const struct tag_attribute *attribute = tag_find(tag, "CraigDH"); /* not used up: RobWork keeps the four, too */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tag_find(tag, others[i]))
            return report_error(reader->context, CP_INPUT, "tag-conflict", tag_attribute_place(tag, attribute),
                                "\"%s\" has both CraigDH and %s", tag->name.text, others[i]);
    double values[4];
    for (uint32_t i = 0; i < 4; i++)
        if (tag_number(reader, tag, attribute, i, &values[i]) != CP_OK)
            return CP_INPUT;
    if (attribute->value_count != 4)
        return report_error(reader->context, CP_INPUT, "tag-value", tag_attribute_place(tag, attribute),
                            "CraigDH needs four numbers, not %u", attribute->value_count);
    cp_pose steps[] = {pose_rotation_degrees(0, values[0]), pose_translation(values[1], 0, 0),
                       pose_rotation_degrees(2, values[3]), pose_translation(0, 0, values[2])};
    *pose = POSE_IDENTITY;
    for (int i = 0; i < 4; i++)
        *pose = pose_multiply(pose, &steps[i]);
    return CP_OK;
}

cp_status tag_transform(struct tag_reader *reader, const struct tag *tag, cp_pose *pose)
{
    *pose = POSE_IDENTITY;
    if (tag_find(tag, "CraigDH"))
        return transform_from_craig(reader, tag, pose);
    cp_status status =
        tag_find(tag, "RPY") ? rotation_from_rpy(reader, tag, pose) : rotation_from_columns(reader, tag, pose);
    const struct tag_attribute *position = tag_use(tag, "Position");
    if (status != CP_OK || !position)
        return status;
    double at[3];
    if (tag_triple(reader, tag, position, at) != CP_OK)
        return CP_INPUT;
    for (int row = 0; row < 3; row++)
        pose->m[4 * row + 3] = at[row];
    return CP_OK;
}

/* ---- names ---- */

/* The scope search: the node of that name, innermost scope outwards, or CP_NONE. */
static uint32_t find_node(struct tag_reader *reader, const char *name)
{
    struct buffer *key = &reader->key;
    for (uint32_t i = reader->load_count; i-- > 0;) {
        key->size = 0;
        buffer_text(key, reader->loads[i].prefix.text);
        buffer_text(key, name);
        const uint32_t *found = key->failed ? NULL : name_map_find_sized(&reader->nodes, key->data, key->size);
        if (found)
            return *found;
    }
    return CP_NONE;
}

/* ---- joints ---- */

static cp_status read_limits(struct tag_reader *reader, const struct tag *tag, cp_joint *joint)
{
    bool degrees = joint->type == CP_JOINT_REVOLUTE;
    double *const values[] = {&joint->lower, &joint->upper, &joint->velocity, &joint->acceleration};
    static const char *const keys[] = {"JointPosLimit", "JointPosLimit", "JointVelLimit", "JointAccLimit"};
    for (int i = 0; i < 4; i++) {
        const struct tag_attribute *attribute = tag_use(tag, keys[i]);
        double value;
        if (!attribute)
            continue;
        if (tag_number(reader, tag, attribute, i == 1, &value) != CP_OK)
            return CP_INPUT;
        *values[i] = degrees ? degrees_to_radians(value) : value;
    }
    if (joint->lower <= joint->upper)
        return CP_OK;
    return report_lenient(reader->context, reader->strict, "tag-limits",
                          tag_attribute_place(tag, tag_find(tag, "JointPosLimit")),
                          "the lower limit of \"%s\" is above its upper limit", joint->name);
}

/* ActiveJoint, of the kind that Revolute, Prismatic or Fixed in the same tag tells, in this order. */
static cp_status make_active_joint(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    cp_joint_type type = CP_JOINT_FIXED;
    if (tag_use_flag(tag, "Revolute"))
        type = CP_JOINT_REVOLUTE;
    else if (tag_use_flag(tag, "Prismatic"))
        type = CP_JOINT_PRISMATIC;
    else if (!tag_use_flag(tag, "Fixed"))
        return report_error(reader->context, CP_INPUT, "tag-joint",
                            tag_attribute_place(tag, tag_find(tag, "ActiveJoint")),
                            "the active joint \"%s\" is neither Revolute nor Prismatic nor Fixed", tag->name.text);
    uint32_t joint = scene_add_joint(reader->scene, node, type, NULL);
    return joint == CP_NONE ? CP_LIMIT : read_limits(reader, tag, &reader->scene->joints[joint]);
}

/* PassiveRevolute "owner" scale offset: q = scale * q(owner) + offset, in radians or metres. */
static cp_status make_passive_joint(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    bool revolute = tag_find(tag, "PassiveRevolute");
    const struct tag_attribute *attribute = tag_use(tag, revolute ? "PassiveRevolute" : "PassivePrismatic");
    struct place place = tag_attribute_place(tag, attribute);
    const struct tag_text *name;
    double scale, offset;
    if (tag_string(reader, tag, attribute, 0, &name) != CP_OK ||
        tag_number(reader, tag, attribute, 1, &scale) != CP_OK ||
        tag_number(reader, tag, attribute, 2, &offset) != CP_OK)
        return CP_INPUT;
    uint32_t owner = find_node(reader, name->text);
    cp_scene *scene = reader->scene;
    if (reader->key.failed)
        return CP_LIMIT;
    if (owner == CP_NONE)
        return report_error(reader->context, CP_INPUT, "tag-owner", place, "%s \"%s\" is not a frame yet",
                            attribute->key, name->text);
    if (!scene->nodes[owner].joint_count || !scene->joints[scene->nodes[owner].first_joint].driven)
        return report_error(reader->context, CP_INPUT, "tag-owner", place, "%s \"%s\" is not an active joint",
                            attribute->key, name->text);
    uint32_t joint = scene_add_joint(scene, node, revolute ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, NULL);
    if (joint == CP_NONE)
        return CP_LIMIT;
    cp_joint *made = &scene->joints[joint];
    made->driven = false;
    made->master = scene->nodes[owner].first_joint;
    made->scale = scale;
    made->offset = offset;
    return CP_OK;
}

/* ActiveJoint comes before Movable, and that before the passive joints; else the frame is fixed. */
static cp_status make_kind(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    if (tag_use_flag(tag, "ActiveJoint"))
        return make_active_joint(reader, tag, node);
    if (tag_find(tag, "Movable") || tag_find(tag, "Moveable")) {
        tag_use(tag, "Movable");
        tag_use(tag, "Moveable");
        reader->scene->nodes[node].flags |= CP_NODE_MOVABLE;
        return CP_OK;
    }
    if (tag_find(tag, "PassiveRevolute") || tag_find(tag, "PassivePrismatic"))
        return make_passive_joint(reader, tag, node);
    return CP_OK;
}

cp_status tag_joint_home(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    const struct tag_attribute *attribute = tag_use(tag, "JointHomePos");
    double home;
    if (!attribute)
        return CP_OK;
    if (tag_number(reader, tag, attribute, 0, &home) != CP_OK)
        return CP_INPUT;
    cp_scene *scene = reader->scene;
    cp_joint *joint = scene->nodes[node].joint_count ? &scene->joints[scene->nodes[node].first_joint] : NULL;
    if (!joint || !joint->driven)
        return report_error(reader->context, CP_INPUT, "tag-home", tag_attribute_place(tag, attribute),
                            "JointHomePos of \"%s\", which is not an active joint", tag->name.text);
    joint->home = joint->q = home;
    return CP_OK;
}

/* ---- the node ---- */

static cp_status find_parent(struct tag_reader *reader, const struct tag *tag, uint32_t *parent)
{
    const struct tag_attribute *attribute = tag_use(tag, "ReferenceFrame");
    const struct tag_text *name = NULL;
    *parent = reader->loads[reader->load_count - 1].root;
    if (!attribute)
        return CP_OK;
    if (tag_string(reader, tag, attribute, 0, &name) != CP_OK)
        return CP_INPUT;
    if (!*name->text)
        return CP_OK;
    *parent = find_node(reader, name->text);
    if (reader->key.failed)
        return CP_LIMIT;
    if (*parent != CP_NONE)
        return CP_OK;
    return report_error(reader->context, CP_INPUT, "tag-reference", tag_attribute_place(tag, attribute),
                        "ReferenceFrame \"%s\" is not a frame yet", name->text);
}

/* A name whose parts were not all UTF-8 keeps its bytes, too. */
static cp_status set_raw_name(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    const struct tag_text *prefix = &reader->loads[reader->load_count - 1].prefix;
    if (prefix->raw == prefix->text && tag->name.raw == tag->name.text)
        return CP_OK;
    struct buffer *key = &reader->key;
    key->size = 0;
    buffer_text(key, prefix->raw);
    buffer_text(key, tag->name.raw);
    buffer_append(key, "", 1);
    if (key->failed)
        return CP_LIMIT;
    reader->scene->nodes[node].raw_name = scene_text(reader->scene, key->data);
    return reader->scene->nodes[node].raw_name ? CP_OK : CP_LIMIT;
}

static cp_status add_node(struct tag_reader *reader, const struct tag *tag, uint32_t parent, uint32_t *node)
{
    const struct tag_load *load = &reader->loads[reader->load_count - 1];
    struct buffer *key = &reader->key;
    key->size = 0;
    buffer_text(key, load->prefix.text);
    buffer_text(key, tag->name.text);
    size_t size = key->size;
    buffer_append(key, "", 1);
    if (key->failed)
        return CP_LIMIT;
    reader->name_bytes += size;
    if (reader->name_bytes > most_name_bytes)
        return report_error(reader->context, CP_LIMIT, "tag-limit", tag_place(tag), "the names have more than 1 GiB");
    if (name_map_find_sized(&reader->nodes, key->data, size))
        return report_error(reader->context, CP_INPUT, "tag-duplicate", tag_place(tag),
                            "there is a frame \"%s\" already", key->data);
    *node = scene_add_node(reader->scene, parent, key->data, size);
    if (*node == CP_NONE)
        return CP_LIMIT;
    reader->scene->nodes[*node].scope = load->scope;
    if (!name_map_add(&reader->nodes, reader->scene->nodes[*node].name, *node, NULL))
        return CP_LIMIT;
    return set_raw_name(reader, tag, *node);
}

static void set_flags(const struct tag *tag, cp_node *node)
{
    static const struct {
        const char *key;
        uint32_t flag;
    } flags[] = {{"DAF", CP_NODE_ATTACHABLE},
                 {"Link", CP_NODE_LINK},
                 {"DrawableHighlight", CP_NODE_HIGHLIGHT},
                 {"DrawableWireMode", CP_NODE_WIRE}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (tag_use_flag(tag, flags[i].key))
            node->flags |= flags[i].flag;
}

cp_status tag_make_node(struct tag_reader *reader, const struct tag *tag, uint32_t *node)
{
    uint32_t parent;
    cp_pose local;
    cp_status status = find_parent(reader, tag, &parent);
    if (status == CP_OK)
        status = tag_transform(reader, tag, &local);
    if (status == CP_OK)
        status = add_node(reader, tag, parent, node);
    if (status != CP_OK)
        return status;
    reader->scene->nodes[*node].local = local;
    set_flags(tag, &reader->scene->nodes[*node]);
    /* The end of a device is the last such tag of all files so far, nested devices included. */
    if (tag_find(tag, "Link") || tag_find(tag, "ActiveJoint"))
        reader->last_link = *node;
    status = make_kind(reader, tag, *node);
    return status == CP_OK ? tag_joint_home(reader, tag, *node) : status;
}

/* Makes a node of a tag: its fixed transform, its joint, its flags. */

#include "tag.h"

#include "base/text/text.h"
#include "model/model.h"

/* A limit, as each name repeats those of the devices around it. */
static const uint64_t most_name_bytes = UINT64_C(1) << 30;

/* ---- the fixed transform ---- */

/* CraigDH alpha a d theta (degrees, metres): Rx(alpha) Tx(a) Rz(theta) Tz(d). */
static cp_status transform_from_craig(struct tag_reader *reader, const struct tag *tag, cp_pose *pose)
{
    static const char *const others[] = {"Position", "RPY", "I", "J", "K"};
    const struct tag_attribute *attribute = tag_find(tag, "CraigDH"); /* not marked as used, as RobWork keeps the four
                                                                       * numbers, too */
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
    static const char *const columns[] = {"I", "J", "K"};
    *pose = POSE_IDENTITY;
    if (tag_find(tag, "CraigDH"))
        return transform_from_craig(reader, tag, pose);
    if (tag_find(tag, "RPY")) {
        /* RPY (r, p, y): Rz(r) * Ry(p) * Rx(y), in degrees. */
        double angles[3];
        if (tag_triple(reader, tag, tag_use(tag, "RPY"), angles) != CP_OK)
            return CP_INPUT;
        for (int i = 0; i < 3; i++) {
            cp_pose turn = pose_rotation_degrees(2 - i, angles[i]);
            *pose = i == 0 ? turn : pose_multiply(pose, &turn);
        }
    } else if (tag_find(tag, "I") || tag_find(tag, "J") || tag_find(tag, "K")) {
        /* The columns of the matrix, taken as they are; shear and mirroring are legal. */
        for (int column = 0; column < 3; column++) {
            const struct tag_attribute *attribute = tag_use(tag, columns[column]);
            double axis[3];
            if (!attribute)
                return report_error(reader->context, CP_INPUT, "tag-axes", tag_place(tag),
                                    "\"%s\" has some of I, J and K, but not %s", tag->name.text, columns[column]);
            if (tag_triple(reader, tag, attribute, axis) != CP_OK)
                return CP_INPUT;
            for (int row = 0; row < 3; row++)
                pose->m[4 * row + column] = axis[row];
        }
    }
    const struct tag_attribute *position = tag_use(tag, "Position");
    double at[3];
    if (!position)
        return CP_OK;
    if (tag_triple(reader, tag, position, at) != CP_OK)
        return CP_INPUT;
    for (int row = 0; row < 3; row++)
        pose->m[4 * row + 3] = at[row];
    return CP_OK;
}

/* ---- joints ---- */

/* Searches the node of that name, from the innermost scope outwards; or CP_NONE. */
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

/* Makes the ActiveJoint, of the kind that Revolute, Prismatic or Fixed in the same tag gives, in this order. */
static cp_status make_active_joint(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    cp_joint_type type = CP_JOINT_FIXED;
    if (tag_use(tag, "Revolute"))
        type = CP_JOINT_REVOLUTE;
    else if (tag_use(tag, "Prismatic"))
        type = CP_JOINT_PRISMATIC;
    else if (!tag_use(tag, "Fixed"))
        return report_error(reader->context, CP_INPUT, "tag-joint",
                            tag_attribute_place(tag, tag_find(tag, "ActiveJoint")),
                            "the active joint \"%s\" is neither Revolute nor Prismatic nor Fixed", tag->name.text);
    uint32_t index = scene_add_joint(reader->scene, node, type, NULL);
    if (index == CP_NONE)
        return CP_LIMIT;

    cp_joint *joint = &reader->scene->joints[index];
    double *const limits[] = {&joint->lower, &joint->upper, &joint->velocity, &joint->acceleration};
    static const char *const keys[] = {"JointPosLimit", "JointPosLimit", "JointVelLimit", "JointAccLimit"};
    for (int i = 0; i < 4; i++) {
        const struct tag_attribute *attribute = tag_use(tag, keys[i]);
        double value;
        if (!attribute)
            continue;
        if (tag_number(reader, tag, attribute, i == 1, &value) != CP_OK)
            return CP_INPUT;
        *limits[i] = type == CP_JOINT_REVOLUTE ? degrees_to_radians(value) : value;
    }
    if (joint->lower <= joint->upper)
        return CP_OK;
    return report_lenient(reader->context, reader->strict, "tag-limits",
                          tag_attribute_place(tag, tag_find(tag, "JointPosLimit")),
                          "the lower limit of \"%s\" is above its upper limit", joint->name);
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
    uint32_t master = tag_driven_joint(scene, owner);
    if (master == CP_NONE)
        return report_error(reader->context, CP_INPUT, "tag-owner", place, "%s \"%s\" is not an active joint",
                            attribute->key, name->text);
    uint32_t joint = scene_add_joint(scene, node, revolute ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, NULL);
    if (joint == CP_NONE)
        return CP_LIMIT;
    cp_joint *made = &scene->joints[joint];
    made->driven = false;
    made->master = master;
    made->scale = scale;
    made->offset = offset;
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
    uint32_t index = tag_driven_joint(reader->scene, node);
    if (index == CP_NONE)
        return report_error(reader->context, CP_INPUT, "tag-home", tag_attribute_place(tag, attribute),
                            "JointHomePos of \"%s\", which is not an active joint", tag->name.text);
    cp_joint *joint = &reader->scene->joints[index];
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

/* Adds the tag's node with its name: the prefix of the file and the tag's. */
static cp_status add_node(struct tag_reader *reader, const struct tag *tag, uint32_t parent, uint32_t *node)
{
    cp_scene *scene = reader->scene;
    const struct tag_load *load = &reader->loads[reader->load_count - 1];
    const struct tag_text *prefix = &load->prefix;
    struct buffer *key = &reader->key;
    key->size = 0;
    buffer_text(key, prefix->text);
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
    *node = scene_add_node(scene, parent, key->data, size);
    if (*node == CP_NONE || !name_map_add(&reader->nodes, scene->nodes[*node].name, *node, NULL))
        return CP_LIMIT;
    scene->nodes[*node].scope = load->scope;
    if (prefix->raw == prefix->text && tag->name.raw == tag->name.text)
        return CP_OK;

    /* A name keeps its bytes, too, if some of its parts were not UTF-8. */
    key->size = 0;
    buffer_text(key, prefix->raw);
    buffer_text(key, tag->name.raw);
    buffer_append(key, "", 1);
    if (key->failed)
        return CP_LIMIT;
    scene->nodes[*node].raw_name = scene_text(scene, key->data);
    return scene->nodes[*node].raw_name ? CP_OK : CP_LIMIT;
}

cp_status tag_make_node(struct tag_reader *reader, const struct tag *tag, uint32_t *node)
{
    static const struct {
        const char *key;
        uint32_t flag;
    } flags[] = {{"DAF", CP_NODE_ATTACHABLE},
                 {"Link", CP_NODE_LINK},
                 {"DrawableHighlight", CP_NODE_HIGHLIGHT},
                 {"DrawableWireMode", CP_NODE_WIRE}};
    uint32_t parent;
    cp_pose local;
    cp_status status = find_parent(reader, tag, &parent);
    if (status == CP_OK)
        status = tag_transform(reader, tag, &local);
    if (status == CP_OK)
        status = add_node(reader, tag, parent, node);
    if (status != CP_OK)
        return status;
    cp_node *made = &reader->scene->nodes[*node];
    made->local = local;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (tag_use(tag, flags[i].key))
            made->flags |= flags[i].flag;
    /* The end of a device is the last such tag of all files so far, nested devices included. */
    if (tag_find(tag, "Link") || tag_find(tag, "ActiveJoint"))
        reader->last_link = *node;

    /* ActiveJoint comes before Movable, and that before the passive joints; else the frame is fixed. */
    if (tag_use(tag, "ActiveJoint")) {
        status = make_active_joint(reader, tag, *node);
    } else if (tag_find(tag, "Movable") || tag_find(tag, "Moveable")) {
        tag_use(tag, "Movable");
        tag_use(tag, "Moveable");
        made->flags |= CP_NODE_MOVABLE;
    } else if (tag_find(tag, "PassiveRevolute") || tag_find(tag, "PassivePrismatic")) {
        status = make_passive_joint(reader, tag, *node);
    }
    return status == CP_OK ? tag_joint_home(reader, tag, *node) : status;
}

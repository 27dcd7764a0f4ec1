/* The links and joints of a robot, as a tree. */
#include <math.h>

#include "base/text/text.h"
#include "urdf.h"

/* ---- what elements say ---- */

bool urdf_numbers(struct urdf *urdf, const struct xml_node *element, const char *name, uint32_t count, double *numbers,
                  cp_status *status)
{
    const char *text = xml_node_attribute(element, name), *at = text, *end = text ? text + strlen(text) : NULL;
    double read[6];
    uint32_t found = 0;
    if (!text || *status != CP_OK)
        return false;
    for (;; found++) {
        while (at && is_space(*at))
            at++;
        if (!at || !*at || found == count)
            break;
        at = parse_double(at, end, &read[found]);
        if (at && *at && !is_space(*at))
            at = NULL;
        if (at && !isfinite(read[found]))
            at = NULL;
    }
    if (at && !*at && found == count) {
        memcpy(numbers, read, count * sizeof *numbers);
        return true;
    }
    *status = report_error(urdf->context, CP_INPUT, "urdf-number", xml_node_place(element),
                           "%s=\"%.100s\" of <%s> is not %u number%s", name, text, element->name, count,
                           count == 1 ? "" : "s");
    return false;
}

cp_status urdf_origin(struct urdf *urdf, const struct xml_node *element, cp_pose *pose)
{
    const struct xml_node *origin = xml_node_child(element, "origin");
    double xyz[3] = {0}, rpy[3] = {0}, quaternion[4];
    cp_status status = CP_OK;
    *pose = POSE_IDENTITY;
    if (!origin)
        return CP_OK;
    (void)urdf_numbers(urdf, origin, "xyz", 3, xyz, &status);
    bool turned = urdf_numbers(urdf, origin, "rpy", 3, rpy, &status);
    bool by_quaternion = urdf_numbers(urdf, origin, "quat_xyzw", 4, quaternion, &status);
    if (status != CP_OK)
        return status;
    if (turned && by_quaternion)
        return report_error(urdf->context, CP_INPUT, "urdf-origin", xml_node_place(origin),
                            "<origin> has both rpy and quat_xyzw");
    if (!by_quaternion) {
        *pose = pose_from_coordinates((double[6]){xyz[0], xyz[1], xyz[2], rpy[2], rpy[1], rpy[0]});
        return CP_OK;
    }
    struct trs trs = {.translation = {xyz[0], xyz[1], xyz[2]}, .scale = {1, 1, 1}};
    double length = sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] + quaternion[2] * quaternion[2] +
                         quaternion[3] * quaternion[3]);
    if (!(length > 0) || !isfinite(length))
        return report_error(urdf->context, CP_INPUT, "urdf-origin", xml_node_place(origin),
                            "quat_xyzw of <origin> is no direction");
    for (int i = 0; i < 4; i++)
        trs.rotation[i] = quaternion[i] / length;
    *pose = pose_from_trs(&trs);
    return CP_OK;
}

cp_status urdf_keep(struct urdf *urdf, cp_owner owner, uint32_t index, const struct xml_node *element)
{
    urdf->text.size = 0;
    xml_node_write(element, &urdf->text);
    buffer_append(&urdf->text, "", 1);
    if (urdf->text.failed ||
        !scene_add_metadata(urdf->scene, owner, index, element->name, CP_VALUE_STRING, urdf->text.data))
        return CP_LIMIT;
    return CP_OK;
}

/* ---- links and joints ---- */

static const char *const type_words[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", NULL};

/* Returns a name in place of an empty one: "link", "link_2" and so on. The map knows the element as "", as references
 * have it. At most one of a kind is called so. */
static const char *make_name(struct urdf *urdf, const struct name_map *names, const struct xml_node *element,
                             cp_status *status)
{
    const char *name = element->name;
    for (uint32_t i = 2; name && name_map_find(names, name); i++)
        name = arena_print(urdf->arena, "%s_%u", element->name, (unsigned)i);
    *status = !name ? CP_LIMIT
                    : report_lenient(urdf->context, urdf->settings->common.strict, "urdf-name", xml_node_place(element),
                                     "a <%s> has an empty name, and is called \"%.100s\"", element->name, name);
    return name;
}

/* Gives a link and a joint with an empty name another, now that all names are known, and warns of a robot without. */
static cp_status make_names(struct urdf *urdf)
{
    const uint32_t *link = name_map_find(&urdf->link_names, ""), *joint = name_map_find(&urdf->joint_names, "");
    const char *name = xml_node_attribute(urdf->robot, "name");
    cp_status status = CP_OK;
    if (!name || !*name)
        status = report_lenient(urdf->context, urdf->settings->common.strict, "urdf-name", xml_node_place(urdf->robot),
                                "the robot has no name, and is called like the file");
    if (status == CP_OK && link)
        urdf->links[*link].name = make_name(urdf, &urdf->link_names, urdf->links[*link].element, &status);
    if (status == CP_OK && joint)
        urdf->joints[*joint].name = make_name(urdf, &urdf->joint_names, urdf->joints[*joint].element, &status);
    return status;
}

/* Returns the element's name attribute, which no other of its kind has; NULL after an error. */
static const char *take_name(struct urdf *urdf, struct name_map *names, const struct xml_node *element, uint32_t index,
                             cp_status *status)
{
    const char *name = xml_node_attribute(element, "name");
    bool known = name && name_map_find(names, name);
    if (!name || known) {
        *status = name ? report_error(urdf->context, CP_INPUT, "urdf-name", xml_node_place(element),
                                      "there are two <%s> \"%.100s\"", element->name, name)
                       : report_error(urdf->context, CP_INPUT, "urdf-name", xml_node_place(element), "<%s> has no name",
                                      element->name);
        return NULL;
    }
    if (!name_map_add(names, name, index, NULL)) {
        *status = CP_LIMIT;
        return NULL;
    }
    return name;
}

static cp_status collect_link(struct urdf *urdf, struct xml_node *element)
{
    cp_status status = CP_OK;
    uint32_t index = urdf->link_count;
    const char *name = take_name(urdf, &urdf->link_names, element, index, &status);
    if (!name)
        return status;
    urdf->links[urdf->link_count++] = (struct urdf_link){.element = element,
                                                         .name = name,
                                                         .above = CP_NONE,
                                                         .first_joint = CP_NONE,
                                                         .last_joint = CP_NONE,
                                                         .node = CP_NONE};
    return CP_OK;
}

/* Finds the link that the child <parent> or <child> of a joint names. */
static cp_status find_link(struct urdf *urdf, const struct urdf_joint *joint, const char *role, uint32_t *link)
{
    const struct xml_node *element = xml_node_child(joint->element, role);
    const char *name = element ? xml_node_attribute(element, "link") : NULL;
    if (!name)
        return report_error(urdf->context, CP_INPUT, "urdf-joint", xml_node_place(joint->element),
                            "the joint \"%.100s\" names no %s link", joint->name, role);
    const uint32_t *found = name_map_find(&urdf->link_names, name);
    if (!found)
        return report_error(urdf->context, CP_INPUT, "urdf-joint", xml_node_place(element),
                            "the joint \"%.100s\" has the %s link \"%.100s\", which is not there", joint->name, role,
                            name);
    *link = *found;
    return CP_OK;
}

static cp_status collect_joint(struct urdf *urdf, struct xml_node *element)
{
    cp_status status = CP_OK;
    uint32_t index = urdf->joint_count;
    struct urdf_joint joint = {.element = element,
                               .name = take_name(urdf, &urdf->joint_names, element, index, &status),
                               .next = CP_NONE,
                               .first = CP_NONE,
                               .master = CP_NONE,
                               .scale = 1};
    if (!joint.name)
        return status;
    const char *type = xml_node_attribute(element, "type");
    uint32_t word = 0;
    while (type && type_words[word] && strcmp(type_words[word], type) != 0)
        word++;
    if (!type || !type_words[word])
        return report_error(urdf->context, CP_INPUT, "urdf-joint", xml_node_place(element),
                            "the joint \"%.100s\" has %s%.40s%s", joint.name, type ? "the unknown type \"" : "no type",
                            type ? type : "", type ? "\"" : "");
    joint.type = (enum urdf_joint_type)word;
    status = find_link(urdf, &joint, "parent", &joint.parent);
    if (status == CP_OK)
        status = find_link(urdf, &joint, "child", &joint.child);
    if (status != CP_OK)
        return status;
    struct urdf_link *parent = &urdf->links[joint.parent], *child = &urdf->links[joint.child];
    if (child->above != CP_NONE)
        return report_error(urdf->context, CP_INPUT, "urdf-tree", xml_node_place(element),
                            "the link \"%.100s\" is the child of two joints, \"%.100s\" and \"%.100s\"", child->name,
                            urdf->joints[child->above].name, joint.name);
    if (parent->last_joint == CP_NONE)
        parent->first_joint = index;
    else
        urdf->joints[parent->last_joint].next = index;
    parent->last_joint = child->above = index;
    urdf->joints[urdf->joint_count++] = joint;
    return CP_OK;
}

/* Makes sure that one link alone has no joint above it, and that all others hang on it. */
static cp_status check_tree(struct urdf *urdf)
{
    uint32_t root = CP_NONE, other = CP_NONE;
    for (uint32_t i = urdf->link_count; i-- > 0;)
        if (urdf->links[i].above == CP_NONE) {
            other = root;
            root = i;
        }
    if (root == CP_NONE)
        return report_error(urdf->context, CP_INPUT, "urdf-tree", xml_node_place(urdf->robot),
                            "every link is the child of a joint: the joints go in a circle");
    if (other != CP_NONE)
        return report_error(urdf->context, CP_INPUT, "urdf-tree", xml_node_place(urdf->links[other].element),
                            "two links are the child of no joint: \"%.100s\" and \"%.100s\"", urdf->links[root].name,
                            urdf->links[other].name);
    return CP_OK;
}

cp_status urdf_collect(struct urdf *urdf)
{
    uint32_t links = 0, joints = 0;
    for (struct xml_node *at = xml_node_child(urdf->robot, NULL); at; at = xml_node_next(at, NULL)) {
        links += strcmp(at->name, "link") == 0;
        joints += strcmp(at->name, "joint") == 0;
    }
    if (links == 0)
        return report_error(urdf->context, CP_INPUT, "urdf-tree", xml_node_place(urdf->robot), "the robot has no link");
    urdf->links = arena_allocate(urdf->arena, links, sizeof *urdf->links);
    urdf->joints = arena_allocate(urdf->arena, joints, sizeof *urdf->joints);
    cp_status status = urdf->links && urdf->joints ? CP_OK : CP_LIMIT;
    for (struct xml_node *at = xml_node_child(urdf->robot, "link"); at && status == CP_OK;
         at = xml_node_next(at, "link"))
        status = collect_link(urdf, at);
    for (struct xml_node *at = xml_node_child(urdf->robot, "joint"); at && status == CP_OK;
         at = xml_node_next(at, "joint"))
        status = collect_joint(urdf, at);
    if (status == CP_OK)
        status = make_names(urdf);
    return status == CP_OK ? check_tree(urdf) : status;
}

cp_status urdf_order(struct urdf *urdf, uint32_t **order)
{
    uint32_t link = 0, count = 0, *links = *order = arena_allocate(urdf->arena, urdf->link_count, sizeof *links);
    bool *seen = arena_allocate_zeroed(urdf->arena, urdf->link_count, sizeof *seen);
    if (!links || !seen)
        return CP_LIMIT;
    while (urdf->links[link].above != CP_NONE)
        link++;
    while (link != CP_NONE) {
        links[count++] = link;
        seen[link] = true;
        uint32_t joint = urdf->links[link].first_joint;
        while (joint == CP_NONE && urdf->links[link].above != CP_NONE) { /* up, to a branch that is still to come */
            joint = urdf->joints[urdf->links[link].above].next;
            link = urdf->joints[urdf->links[link].above].parent;
        }
        link = joint == CP_NONE ? CP_NONE : urdf->joints[joint].child;
    }
    if (count == urdf->link_count)
        return CP_OK;
    for (link = 0; seen[link];)
        link++;
    return report_error(urdf->context, CP_INPUT, "urdf-tree", xml_node_place(urdf->links[link].element),
                        "the link \"%.100s\" hangs on a circle of joints, not on the robot's root",
                        urdf->links[link].name);
}

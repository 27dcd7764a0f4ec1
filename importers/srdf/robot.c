/* Reads groups, states, ends and joints. They change the robot beside; without one they are only kept. */
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "srdf.h"

/* ---- references ---- */

/* Finds what an attribute names; *index is CP_NONE, after a warning with this code, if it is not there. */
static cp_status find_lenient(struct srdf *srdf, const struct xml_node *element, const char *attribute,
                              const char *code, const struct name_map *names, uint32_t *index)
{
    cp_status status = CP_OK;
    const char *name = srdf_attribute(srdf, element, attribute, &status);
    const uint32_t *found = name ? name_map_find(names, name) : NULL;
    *index = found && srdf->beside ? *found : CP_NONE;
    if (name && !found && srdf->beside)
        status = report_lenient(srdf->context, srdf->strict, code, xml_node_place(element),
                                "<%s> names the %s \"%.100s\", which is not there", element->name,
                                code + strlen("srdf-"), name);
    return status;
}

static cp_status find_link(struct srdf *srdf, const struct xml_node *element, const char *attribute, uint32_t *node)
{
    return find_lenient(srdf, element, attribute, "srdf-link", &srdf->nodes, node);
}

/* One that does not move is CP_NONE without a warning. */
static cp_status find_joint(struct srdf *srdf, const struct xml_node *element, const char *attribute, uint32_t *joint)
{
    return find_lenient(srdf, element, attribute, "srdf-joint", &srdf->joints, joint);
}

static cp_status check_group(struct srdf *srdf, const struct xml_node *element, const char *attribute)
{
    cp_status status = CP_OK;
    const char *name = srdf_attribute(srdf, element, attribute, &status);
    if (!name || name_map_find(&srdf->groups, name))
        return status;
    return report_lenient(srdf->context, srdf->strict, "srdf-group", xml_node_place(element),
                          "<%s> names the group \"%.100s\", which is not there", element->name, name);
}

/* ---- groups ---- */

static cp_status check_chain(struct srdf *srdf, const struct xml_node *element)
{
    uint32_t base, tip;
    cp_status status = find_link(srdf, element, "base_link", &base);
    if (status == CP_OK)
        status = find_link(srdf, element, "tip_link", &tip);
    if (status != CP_OK || base == CP_NONE || tip == CP_NONE)
        return status;
    while (tip > base) /* parents come before their children */
        tip = srdf->scene->nodes[tip].parent;
    if (tip == base)
        return CP_OK;
    return report_lenient(srdf->context, srdf->strict, "srdf-chain", xml_node_place(element),
                          "the chain's tip \"%.100s\" does not hang on its base \"%.100s\"",
                          xml_node_attribute(element, "tip_link"), xml_node_attribute(element, "base_link"));
}

cp_status srdf_group(struct srdf *srdf, const struct xml_node *element)
{
    cp_status status = CP_OK;
    uint32_t index;
    (void)srdf_attribute(srdf, element, "name", &status);
    for (const struct xml_node *at = xml_node_child(element, NULL); at && status == CP_OK;
         at = xml_node_next(at, NULL)) {
        if (strcmp(at->name, "link") == 0)
            status = find_link(srdf, at, "name", &index);
        else if (strcmp(at->name, "joint") == 0)
            status = find_joint(srdf, at, "name", &index);
        else if (strcmp(at->name, "chain") == 0)
            status = check_chain(srdf, at);
        else if (strcmp(at->name, "group") == 0)
            status = check_group(srdf, at, "name");
    }
    return status == CP_OK ? srdf_keep(srdf, CP_OWNER_SCENE, 0, element) : status;
}

/* ---- states ---- */

/* The homes that states give: the value of each joint, and how much the state's name says that it is the home. */
struct homes {
    double *values;
    uint8_t *ranks;
};
static const char *const home_words[] = {"home", "ready", "default"};
enum { NO_HOME = 3 };

static void take_home(struct srdf *srdf, const struct homes *homes, uint32_t joint, double value, uint8_t rank)
{
    if (rank >= homes->ranks[joint] || cp_joint_is_dependent(&srdf->scene->joints[joint]))
        return;
    homes->values[joint] = value;
    homes->ranks[joint] = rank;
}

/* Reads up to three numbers. Returns how many there are; 0 if they are no numbers, or more. */
static uint32_t read_numbers(const char *text, double numbers[3])
{
    uint32_t count = 0;
    const char *end = text + strlen(text);
    while (text) {
        while (is_space(*text))
            text++;
        if (!*text || count == 3)
            break;
        text = parse_double(text, end, &numbers[count]);
        if (text && ((*text && !is_space(*text)) || !isfinite(numbers[count])))
            text = NULL;
        count++;
    }
    return text && !*text ? count : 0;
}

/* Reads the value of a joint. One that is planar has three numbers, and three joints of the scene in a row. */
static cp_status read_value(struct srdf *srdf, const struct xml_node *element, const struct homes *homes, uint8_t rank)
{
    uint32_t joint;
    double numbers[3];
    cp_status status = find_joint(srdf, element, "name", &joint);
    const char *text = status == CP_OK ? srdf_attribute(srdf, element, "value", &status) : NULL;
    if (!text || status != CP_OK || joint == CP_NONE)
        return status;
    const cp_scene *scene = srdf->scene;
    uint32_t count = read_numbers(text, numbers), node = scene->joints[joint].node;
    bool planar = count == 3 && scene->nodes[node].joint_count == 3 && scene->nodes[node].first_joint == joint;
    if (count != 1 && !planar)
        return report_lenient(srdf->context, srdf->strict, "srdf-value", xml_node_place(element),
                              "value=\"%.100s\" of the joint \"%.100s\" is no number", text, scene->joints[joint].name);
    for (uint32_t i = 0; i < count; i++) {
        const cp_joint *row = &scene->joints[joint + i];
        take_home(srdf, homes, joint + i, numbers[i], rank);
        if (status == CP_OK && (numbers[i] < row->lower || numbers[i] > row->upper))
            status = report_lenient(srdf->context, srdf->strict, "srdf-value", xml_node_place(element),
                                    "the joint \"%.100s\" has a value outside its limits", row->name);
    }
    return status;
}

static cp_status read_state(struct srdf *srdf, const struct xml_node *element, const struct homes *homes)
{
    cp_status status = CP_OK;
    uint8_t rank = 0;
    const char *name = srdf_attribute(srdf, element, "name", &status);
    while (name && rank < NO_HOME && !text_equal_nocase(name, home_words[rank]))
        rank++;
    if (status == CP_OK)
        status = check_group(srdf, element, "group");
    for (const struct xml_node *at = xml_node_child(element, "joint"); at && status == CP_OK;
         at = xml_node_next(at, "joint"))
        status = read_value(srdf, at, homes, name ? rank : NO_HOME);
    return status == CP_OK ? srdf_keep(srdf, CP_OWNER_SCENE, 0, element) : status;
}

/* Sets the homes of the joints, and of the devices that have their own. */
static cp_status set_homes(cp_scene *scene, const struct homes *homes)
{
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (homes->ranks[i] < NO_HOME)
            scene->joints[i].home = homes->values[i];
    for (uint32_t i = 0; i < scene->device_count; i++) {
        cp_device *device = &scene->devices[i];
        if (!device->home)
            continue;
        double *home = arena_copy(scene->arena, device->home, device->joint_count, sizeof *home);
        if (!home)
            return CP_LIMIT;
        for (uint32_t k = 0; k < device->joint_count; k++)
            if (homes->ranks[device->joints[k]] < NO_HOME)
                home[k] = homes->values[device->joints[k]];
        device->home = home;
    }
    return CP_OK;
}

cp_status srdf_states(struct srdf *srdf)
{
    uint32_t count = srdf->scene->joint_count;
    struct homes homes = {arena_allocate(srdf->arena, count, sizeof *homes.values),
                          arena_allocate(srdf->arena, count, sizeof *homes.ranks)};
    cp_status status = homes.values && homes.ranks ? CP_OK : CP_LIMIT;
    if (status == CP_OK && count > 0)
        memset(homes.ranks, NO_HOME, count);
    for (const struct xml_node *at = xml_node_child(srdf->robot, "group_state"); at && status == CP_OK;
         at = xml_node_next(at, "group_state"))
        status = read_state(srdf, at, &homes);
    return status == CP_OK ? set_homes(srdf->scene, &homes) : status;
}

/* ---- ends ---- */

/* Lets the device's ends be these nodes, which are in the order of the file. */
static cp_status set_ends(struct srdf *srdf, const uint32_t *ends, uint32_t count)
{
    cp_scene *scene = srdf->scene;
    uint32_t *counts = arena_allocate_zeroed(srdf->arena, scene->device_count, sizeof *counts);
    uint32_t **lists = arena_allocate(srdf->arena, scene->device_count, sizeof *lists);
    if (!counts || !lists)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++)
        counts[scene->nodes[ends[i]].scope]++;
    for (uint32_t i = 0; i < scene->device_count; i++) {
        lists[i] = counts[i] > 0 ? scene_allocate(scene, counts[i], sizeof **lists) : NULL;
        if (counts[i] > 0 && !lists[i])
            return CP_LIMIT;
        if (counts[i] > 0) {
            scene->devices[i].ends = lists[i];
            scene->devices[i].end_count = 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t device = scene->nodes[ends[i]].scope;
        lists[device][scene->devices[device].end_count++] = ends[i];
    }
    return CP_OK;
}

cp_status srdf_ends(struct srdf *srdf)
{
    uint32_t count = 0, nodes = srdf->scene->node_count, *ends = arena_allocate(srdf->arena, nodes, sizeof *ends);
    bool *seen = arena_allocate_zeroed(srdf->arena, nodes, sizeof *seen);
    cp_status status = ends && seen ? CP_OK : CP_LIMIT;
    for (const struct xml_node *at = xml_node_child(srdf->robot, "end_effector"); at && status == CP_OK;
         at = xml_node_next(at, "end_effector")) {
        uint32_t link = CP_NONE;
        (void)srdf_attribute(srdf, at, "name", &status);
        if (status == CP_OK)
            status = check_group(srdf, at, "group");
        if (status == CP_OK)
            status = find_link(srdf, at, "parent_link", &link);
        if (status == CP_OK && xml_node_attribute(at, "parent_group"))
            status = check_group(srdf, at, "parent_group");
        if (status == CP_OK)
            status = srdf_keep(srdf, CP_OWNER_SCENE, 0, at);
        if (link == CP_NONE || seen[link] || srdf->scene->nodes[link].scope == CP_NONE)
            continue;
        seen[link] = true;
        ends[count++] = link;
    }
    return status == CP_OK ? set_ends(srdf, ends, count) : status;
}

/* ---- joints ---- */

cp_status srdf_virtual_joint(struct srdf *srdf, const struct xml_node *element)
{
    uint32_t link;
    cp_status status = CP_OK;
    (void)srdf_attribute(srdf, element, "name", &status);
    const char *type = status == CP_OK ? srdf_attribute(srdf, element, "type", &status) : NULL;
    if (status == CP_OK)
        status = find_link(srdf, element, "child_link", &link);
    if (status != CP_OK)
        return status;
    bool moves = type && (strcmp(type, "floating") == 0 || strcmp(type, "planar") == 0);
    if (type && !moves && strcmp(type, "fixed") != 0)
        status = report_lenient(srdf->context, srdf->strict, "srdf-type", xml_node_place(element),
                                "the virtual joint has the type \"%.100s\", and is fixed", type);
    if (moves && link != CP_NONE)
        srdf->scene->nodes[link].flags |= CP_NODE_MOVABLE;
    return status == CP_OK ? srdf_keep(srdf, CP_OWNER_SCENE, 0, element) : status;
}

/* Takes the passive joints out of the device's. */
static cp_status release(cp_scene *scene, cp_device *device, const bool *passive)
{
    uint32_t count = 0, *joints = scene_allocate(scene, device->joint_count, sizeof *joints);
    double *home = scene_allocate(scene, device->joint_count, sizeof *home);
    if (!joints || !home)
        return CP_LIMIT;
    for (uint32_t i = 0; i < device->joint_count; i++) {
        if (passive[device->joints[i]])
            continue;
        joints[count] = device->joints[i];
        home[count++] = device->home ? device->home[i] : 0;
    }
    device->joints = joints;
    device->joint_count = count;
    device->home = device->home ? home : NULL;
    return CP_OK;
}

cp_status srdf_passive_joints(struct srdf *srdf)
{
    cp_scene *scene = srdf->scene;
    bool any = false, *passive = arena_allocate_zeroed(srdf->arena, scene->joint_count, sizeof *passive);
    cp_status status = passive ? CP_OK : CP_LIMIT;
    for (const struct xml_node *at = xml_node_child(srdf->robot, "passive_joint"); at && status == CP_OK;
         at = xml_node_next(at, "passive_joint")) {
        uint32_t joint;
        status = find_joint(srdf, at, "name", &joint);
        if (status == CP_OK)
            status = srdf_keep(srdf, CP_OWNER_SCENE, 0, at);
        if (joint == CP_NONE)
            continue;
        passive[joint] = any = true;
        scene->joints[joint].driven = false;
    }
    for (uint32_t i = 0; i < scene->device_count && any && status == CP_OK; i++)
        status = release(scene, &scene->devices[i], passive);
    return status;
}

cp_status srdf_joint_property(struct srdf *srdf, const struct xml_node *element)
{
    uint32_t joint;
    cp_status status = find_joint(srdf, element, "joint_name", &joint);
    if (status != CP_OK)
        return status;
    return joint == CP_NONE ? srdf_keep(srdf, CP_OWNER_SCENE, 0, element)
                            : srdf_keep(srdf, CP_OWNER_JOINT, joint, element);
}

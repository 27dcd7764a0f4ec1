/* SRDF, MoveIt's description of a robot beside its URDF: pairs of links that are not checked, groups, named states.
 *
 * Specification: docs.ros.org/en/noetic/api/moveit_tutorials (URDF and SRDF), and what srdfdom (src/model.cpp) accepts.
 *
 * Behaviour and limitations:
 * - xacro is expanded first: see docs/xacro.md.
 * - The file speaks of a robot that is read before it. Read alone, its links are names without frames, and it is a list
 *   of pairs.
 * - disable_collisions excludes a pair. The reason Adjacent is "adjacent" here, User is "user", all others are "given",
 *   with the word as evidence: MoveIt's Never was sampled, and is no proof. enable_collisions keeps a pair.
 *   disable_default_collisions excludes all pairs of a link that collides, but for those.
 * - A state that is called home, ready or default is the home of its joints. The link that an end effector hangs on is
 *   the end of the device. A virtual joint that is floating or planar makes its link movable. A passive joint is not
 *   driven.
 * - All elements but the pairs are also kept as metadata, as they are written, and are written again.
 * - Names lose blanks before and behind. Links, joints and groups that are not there, and pairs that stand there twice,
 *   are warnings, as in srdfdom; nothing else is left out because of them.
 * - Spheres that approximate links, and elements that srdfdom does not know, are losses. */
#include "srdf.h"

#include <string.h>

#include "../importers.h"
#include "base/text/text.h"
#include "collide/list/list.h"

static const struct xml_codes codes = XML_CODES("srdf");

/* ---- what elements say ---- */

/* Elements about pairs are passed over then; all others are kept as they are. */
const char *srdf_attribute(struct srdf *srdf, const struct xml_node *element, const char *name, cp_status *status)
{
    const char *value = xml_node_attribute(element, name);
    if (value && *value)
        return value;
    if (*status == CP_OK)
        *status =
            report_lenient(srdf->context, srdf->strict, "srdf-attribute", xml_node_place(element), "<%s> has no %s%s",
                           element->name, name, strstr(element->name, "_collisions") ? ", and is passed over" : "");
    return NULL;
}

cp_status srdf_keep(struct srdf *srdf, cp_owner owner, uint32_t index, const struct xml_node *element)
{
    srdf->text.size = 0;
    xml_node_write(element, &srdf->text);
    buffer_append(&srdf->text, "", 1);
    bool good = !srdf->text.failed &&
                scene_add_metadata(srdf->scene, owner, index, SRDF_ELEMENT, CP_VALUE_STRING, srdf->text.data);
    return good ? CP_OK : CP_LIMIT;
}

/* Takes the blanks off all attributes, as srdfdom does. Elements are nested 256 deep at most. */
static bool trim(struct srdf *srdf, struct xml_node *node)
{
    bool good = true;
    for (uint32_t i = 0; i < node->attribute_count && good; i++) {
        const char *value = node->attributes[i].value;
        while (is_space(*value))
            value++;
        size_t size = strlen(value);
        while (size > 0 && is_space(value[size - 1]))
            size--;
        node->attributes[i].value = value[size] ? arena_copy_text(srdf->arena, value, size) : value;
        good = node->attributes[i].value;
    }
    for (struct xml_node *at = xml_node_child(node, NULL); at && good; at = xml_node_next(at, NULL))
        good = trim(srdf, at);
    return good;
}

/* ---- the robot beside ---- */

/* Adds a name; the first of several stays. */
static bool add_name(struct name_map *map, const char *name, uint32_t index)
{
    return name_map_add(map, name, index, NULL);
}

/* Finds the scene's frames and joints by their names: first those of the device with the robot's name, as a cell may
 * have several robots with the same names of links. */
static cp_status learn_names(struct srdf *srdf)
{
    const cp_scene *scene = srdf->scene;
    const char *name = xml_node_attribute(srdf->robot, "name");
    uint32_t device = 0;
    bool good = true;
    while (name && device < scene->device_count && strcmp(scene->devices[device].name, name) != 0)
        device++;
    cp_status status = CP_OK;
    if (!name || !*name)
        status = report_lenient(srdf->context, srdf->strict, "srdf-robot", xml_node_place(srdf->robot),
                                "<robot> has no name");
    else if (srdf->beside && scene->device_count > 0 && device == scene->device_count)
        status = report_lenient(srdf->context, srdf->strict, "srdf-robot", xml_node_place(srdf->robot),
                                "the file is for the robot \"%.100s\", and no device beside is called so", name);
    for (int others = 0; others < 2 && srdf->beside; others++) {
        for (uint32_t i = 1; i < scene->node_count && good; i++)
            if ((scene->nodes[i].scope != device) == others)
                good = add_name(&srdf->nodes, scene->nodes[i].name, i);
        for (uint32_t i = 0; i < scene->joint_count && good; i++)
            if ((scene->nodes[scene->joints[i].node].scope != device) == others)
                good = add_name(&srdf->joints, scene->joints[i].name, i);
    }
    /* A joint of URDF that does not move is metadata of its link. */
    for (uint32_t i = 0; i < scene->metadata_count && good; i++)
        if (scene->metadata[i].owner == CP_OWNER_NODE && strcmp(scene->metadata[i].key, "joint") == 0)
            good = add_name(&srdf->joints, scene->metadata[i].value, CP_NONE);
    return good ? status : CP_LIMIT;
}

/* Learns the names that other elements refer to. */
static cp_status learn_own_names(struct srdf *srdf)
{
    bool good = true;
    for (struct xml_node *at = xml_node_child(srdf->robot, NULL); at && good; at = xml_node_next(at, NULL)) {
        const char *name = xml_node_attribute(at, "name");
        if (name && strcmp(at->name, "group") == 0)
            good = add_name(&srdf->groups, name, 0);
        else if (name && strcmp(at->name, "virtual_joint") == 0)
            good = add_name(&srdf->joints, name, CP_NONE);
    }
    return good ? CP_OK : CP_LIMIT;
}

/* ---- all elements ---- */

static cp_status later(struct srdf *srdf, const struct xml_node *element)
{
    (void)srdf;
    (void)element;
    return CP_OK;
}

static cp_status lose(struct srdf *srdf, const struct xml_node *element)
{
    report_loss(srdf->context, "srdf-element", IN_FILE(element->file), 1, "elements <%.100s>", element->name);
    return CP_OK;
}

static srdf_read_element *reader_of(const char *name)
{
    static const struct {
        const char *name;
        srdf_read_element *read;
    } readers[] = {{"group", srdf_group},
                   {"group_state", later},  /* srdf_states */
                   {"end_effector", later}, /* srdf_ends */
                   {"virtual_joint", srdf_virtual_joint},
                   {"passive_joint", later}, /* srdf_passive_joints */
                   {"joint_property", srdf_joint_property},
                   {"disable_collisions", srdf_disable},
                   {"enable_collisions", srdf_enable},
                   {"disable_default_collisions", later}}; /* srdf_disable_defaults */
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(readers[i].name, name) == 0)
            return readers[i].read;
    return lose;
}

static cp_status read_robot(struct srdf *srdf)
{
    if (strcmp(srdf->robot->name, "robot") != 0)
        return report_error(srdf->context, CP_INPUT, "srdf-root", xml_node_place(srdf->robot),
                            "the root element is <%.100s>, not <robot>", srdf->robot->name);
    cp_status status = trim(srdf, srdf->robot) ? learn_names(srdf) : CP_LIMIT;
    if (status == CP_OK)
        status = learn_own_names(srdf);
    for (const struct xml_node *at = xml_node_child(srdf->robot, NULL); at && status == CP_OK;
         at = xml_node_next(at, NULL))
        status = reader_of(at->name)(srdf, at);
    if (status == CP_OK)
        status = srdf_disable_defaults(srdf);
    if (status == CP_OK)
        status = srdf_states(srdf);
    if (status == CP_OK)
        status = srdf_ends(srdf);
    if (status == CP_OK)
        status = srdf_passive_joints(srdf);
    const char *name = xml_node_attribute(srdf->robot, "name");
    if (status == CP_OK && name && !srdf->beside &&
        !scene_add_metadata(srdf->scene, CP_OWNER_SCENE, 0, SRDF_ROBOT, CP_VALUE_STRING, name))
        status = CP_LIMIT;
    return status;
}

/* Reads the document, and expands it if it is xacro. */
static cp_status read_document(struct srdf *srdf, const struct xacro_settings *xacro)
{
    cp_status status = xml_tree_read(srdf->source, srdf->strict, &codes, srdf->arena, &srdf->robot);
    if (status != CP_OK)
        return status;
    if (!xacro_is_meant(srdf->robot)) {
        xacro_warn_of_settings(srdf->source, xacro);
        return CP_OK;
    }
    return xacro_expand(srdf->source, xacro, srdf->strict, srdf->arena, &srdf->robot);
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    const struct srdf_settings *own = settings;
    struct srdf srdf = {.context = context,
                        .source = source,
                        .strict = own->common.strict,
                        .beside = scene->node_count > 1,
                        .scene = scene,
                        .arena = arena_new(context),
                        .nodes = {.context = context},
                        .joints = {.context = context},
                        .groups = {.context = context},
                        .pairs = {.context = context},
                        .text = {.context = context}};
    cp_status status = srdf.arena ? read_document(&srdf, &own->xacro) : CP_LIMIT;
    if (status == CP_OK)
        status = read_robot(&srdf);
    name_map_free(&srdf.nodes);
    name_map_free(&srdf.joints);
    name_map_free(&srdf.groups);
    name_map_free(&srdf.pairs);
    buffer_free(&srdf.text);
    arena_free(srdf.arena);
    return status == CP_OK ? scene_finish(scene) : status;
}

/* ---- the importer ---- */

/* Returns true if an element with one of the names begins in the head, outside of comments. */
static bool begins_element(const char *head, size_t size, const char *const *names)
{
    const char *end = head + size;
    while ((head = memchr(head, '<', (size_t)(end - head))) != NULL) {
        head++;
        if (end - head > 3 && memcmp(head, "!--", 3) == 0) {
            while (end - head > 3 && memcmp(head, "-->", 3) != 0)
                head++;
            continue;
        }
        for (size_t i = 0; names[i]; i++) {
            size_t length = strlen(names[i]);
            if ((size_t)(end - head) > length && memcmp(head, names[i], length) == 0 &&
                (is_space(head[length]) || head[length] == '>' || head[length] == '/'))
                return true;
        }
    }
    return false;
}

/* A URDF has the same root. It has elements that an SRDF never has; a file with neither is for its suffix to decide. */
static int probe(const char *head, size_t size, uint64_t file_size)
{
    static const char *const own[] = {
        "group", "group_state", "end_effector", "virtual_joint", "passive_joint", "disable_collisions", NULL};
    static const char *const others[] = {"parent", "child", "visual", "collision", "inertial", NULL};
    (void)file_size;
    int sure = xml_probe(head, size, "robot");
    if (sure == 0)
        return 0;
    if (begins_element(head, size, others))
        return sure - 5;
    return begins_element(head, size, own) ? sure + 2 : sure;
}

static const cp_option options[] = {XACRO_OPTIONS(struct srdf_settings, xacro), CP_OPTIONS_END};

const struct importer srdf_importer = {
    .plugin = {.name = "srdf",
               .title = "SRDF groups and collision pairs",
               .package = XML_PACKAGE,
               .options = options,
               .settings_size = sizeof(struct srdf_settings)},
    .suffixes = ".srdf .srdf.xacro",
    .probe = probe,
    .sign = "XML with <robot> and <disable_collisions>",
    .lists_pairs = true,
    .read = read,
};

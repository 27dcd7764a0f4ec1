/* URDF, the robot description of ROS: links as nodes, joints, shapes, inertia.
 *
 * Specification: wiki.ros.org/urdf/XML, and what urdfdom (urdf_parser/src) accepts; versions 1.0 to 1.2.
 *
 * Behaviour and limitations:
 * - A link is a node below the link that its joint hangs on. The root link is below the world, at its origin.
 * - A fixed joint is no joint here: its name is metadata of its link. A floating one makes its link movable. A planar
 *   one is three joints: two translations in the plane and the turn about its normal.
 * - A mimic of a mimic follows the joint that is free. One that follows nobody is free, with a warning.
 * - Limits that are absent are none, with a warning where urdfdom refuses the file. From 1e9 on they are none, too.
 * - xacro is expanded first: see docs/xacro.md.
 * - Meshes keep their own colours unless the visual's material has a colour or a texture. Y_UP of COLLADA files is
 *   ignored, as in ROS (dae-up=file heeds it).
 * - Other elements (transmission, gazebo, safety_controller, ...) are kept as metadata, as they are written. */
#include "urdf.h"
#include "base/text/text.h"

static const struct xml_codes codes = XML_CODES("urdf");

/* Adds the nodes of all links with what hangs on them, each after its parent. */
static cp_status add_links(struct urdf *urdf, const uint32_t *order)
{
    cp_scene *scene = urdf->scene;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < urdf->link_count && status == CP_OK; i++) {
        struct urdf_link *link = &urdf->links[order[i]];
        struct urdf_joint *joint = link->above == CP_NONE ? NULL : &urdf->joints[link->above];
        uint32_t parent = joint ? urdf->links[joint->parent].node : 0;
        link->node = scene_add_node(scene, parent, link->name, strlen(link->name));
        if (link->node == CP_NONE)
            return CP_LIMIT;
        scene->nodes[link->node].flags |= CP_NODE_LINK;
        if (joint)
            status = urdf_origin(urdf, joint->element, &scene->nodes[link->node].local);
        if (status == CP_OK && joint)
            status = urdf_add_joints(urdf, joint, link->node);
        if (status == CP_OK)
            status = urdf_fill_link(urdf, link);
    }
    return status;
}

/* Keeps the elements that are neither links nor joints with the link or joint that they refer to. */
static cp_status keep_rest(struct urdf *urdf)
{
    cp_status status = CP_OK;
    for (const struct xml_node *at = xml_node_child(urdf->robot, NULL); at && status == CP_OK;
         at = xml_node_next(at, NULL)) {
        if (strcmp(at->name, "link") == 0 || strcmp(at->name, "joint") == 0 || strcmp(at->name, "material") == 0)
            continue;
        const char *reference = xml_node_attribute(at, "reference");
        const uint32_t *link = reference ? name_map_find(&urdf->link_names, reference) : NULL;
        const uint32_t *joint = reference && !link ? name_map_find(&urdf->joint_names, reference) : NULL;
        if (link)
            status = urdf_keep(urdf, CP_OWNER_NODE, urdf->links[*link].node, at);
        else if (joint && urdf->joints[*joint].first != CP_NONE)
            status = urdf_keep(urdf, CP_OWNER_JOINT, urdf->joints[*joint].first, at);
        else
            status = urdf_keep(urdf, CP_OWNER_SCENE, 0, at);
    }
    return status;
}

static bool has_suffix_of_xacro(const char *name)
{
    return text_ends_nocase(name, ".xacro") || text_ends_nocase(name, ".xacro.gz");
}

/* Reads the document, and expands it if it is xacro. */
static cp_status read_document(struct urdf *urdf)
{
    const bool strict = urdf->settings->common.strict;
    cp_status status = xml_tree_read(urdf->source, strict, &codes, urdf->arena, &urdf->robot);
    if (status != CP_OK)
        return status;
    bool is_xacro = xacro_is_meant(urdf->robot);
    urdf->is_xacro = is_xacro || has_suffix_of_xacro(urdf->source->name);
    if (is_xacro)
        return xacro_expand(urdf->source, &urdf->settings->xacro, strict, urdf->arena, &urdf->robot);
    xacro_warn_of_settings(urdf->source, &urdf->settings->xacro);
    return CP_OK;
}

/* Tells whether the document has nothing of a robot itself, but macros and the like for others: batch counts such files
 * apart. */
static bool is_macros_alone(const struct urdf *urdf)
{
    bool has_robot = xml_node_child(urdf->robot, "link") || xml_node_child(urdf->robot, "joint");
    bool is_robot = strcmp(urdf->robot->name, "robot") == 0;
    return urdf->is_xacro && !has_robot && (is_robot || !xml_node_child(urdf->robot, NULL));
}

static cp_status read_robot(struct urdf *urdf)
{
    if (is_macros_alone(urdf))
        return report_error(urdf->context, CP_INPUT, "urdf-macros", xml_node_place(urdf->robot),
                            "no robot: there are no links, but macros for other files to include");
    if (strcmp(urdf->robot->name, "robot") != 0)
        return report_error(urdf->context, CP_INPUT, "urdf-root", xml_node_place(urdf->robot),
                            "the root element is <%.100s>, not <robot>", urdf->robot->name);
    cp_status status = urdf_collect(urdf);
    if (status == CP_OK)
        status = urdf_collect_materials(urdf);
    if (status == CP_OK)
        status = urdf_resolve_mimics(urdf);
    if (status != CP_OK)
        return status;
    uint32_t *order;
    status = urdf_order(urdf, &order);
    if (status == CP_OK)
        status = add_links(urdf, order);
    if (status == CP_OK)
        status = urdf_finish_joints(urdf, order);
    if (status == CP_OK)
        status = keep_rest(urdf);
    return status == CP_OK ? scene_drop_unused(urdf->scene) : status; /* meshes without the visuals' materials */
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    static const char *const as_it_is[] = {"", NULL};
    const char *above[] = {".."}; /* files in urdf/ name meshes/... of the folder above */
    struct urdf urdf = {.context = context,
                        .source = source,
                        .settings = settings,
                        .scene = scene,
                        .arena = arena_new(context),
                        .link_names = {.context = context},
                        .joint_names = {.context = context},
                        .material_names = {.context = context},
                        .shapes = {.context = context},
                        .text = {.context = context},
                        .search = {.suffixes = as_it_is,
                                   .ignores_case = true, /* Windows writes "Meshes" and uses "meshes" */
                                   .base = source,
                                   .folders = above,
                                   .folder_count = 1}};
    models_start(&urdf.models, scene, urdf.arena);
    cp_status status = urdf.arena ? read_document(&urdf) : CP_LIMIT;
    if (status == CP_OK)
        status = read_robot(&urdf);
    models_free(&urdf.models);
    name_map_free(&urdf.link_names);
    name_map_free(&urdf.joint_names);
    name_map_free(&urdf.material_names);
    name_map_free(&urdf.shapes);
    memory_free(context, urdf.materials, urdf.material_room, sizeof *urdf.materials);
    buffer_free(&urdf.text);
    arena_free(urdf.arena);
    return status == CP_OK ? scene_finish(scene) : status;
}

static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return xml_probe(head, size, "robot");
}

static const cp_option options[] = {
    {"dae-up", "whether the up axis of COLLADA files is ignored, as in ROS", CP_OPTION_CHOICE,
     .offset = offsetof(struct urdf_settings, dae_up), .initial = "ignore", .choices = "ignore|file"},
    XACRO_OPTIONS(struct urdf_settings, xacro),
    CP_OPTIONS_END,
};

const struct importer urdf_importer = {
    .plugin = {.name = "urdf",
               .title = "URDF robot",
               .package = XML_PACKAGE,
               .options = options,
               .settings_size = sizeof(struct urdf_settings)},
    .suffixes = ".urdf .xacro",
    .is_cell = true,
    .probe = probe,
    .sign = "XML with <robot>",
    .read = read,
};

/* Kinematics (COLLADA 1.5): joints of models, the params by which articulated systems and scenes pass their axes on,
 * and the bindings of axes to transforms of the picture. Only those of the file itself are read. */
#include "kinematics.h"

#include "base/text/text.h"

static struct collada_kinematics *kinematics_of(const struct collada_document *document)
{
    return document->collada->kinematics;
}

/* ---- names ---- */

/* Adds "owner/sid" to a map; a name that is there already stays, and is counted. */
static cp_status add_path(struct collada_document *document, struct name_map *map, const char *sid, uint32_t row)
{
    const char *key = sid ? arena_print(document->collada->arena, "%s/%s", kinematics_of(document)->owner, sid) : NULL;
    bool added = true;
    if (!key || (*sid && !name_map_add(map, key, row, &added)))
        return CP_LIMIT;
    document->collada->counts[COLLADA_TOLD_IDS] += !added;
    return CP_OK;
}

static cp_status add_link(struct collada_document *document, const char *sid, const char *to, bool is_instance)
{
    struct collada_kinematics *kinematics = kinematics_of(document);
    struct collada_link link = {.to = to, .is_instance = is_instance, .device = kinematics->device};
    if (!to || !array_add(document->collada->context, &kinematics->links, &kinematics->link_room,
                          &kinematics->link_count, &link, sizeof link))
        return CP_LIMIT;
    return add_path(document, &kinematics->paths, sid, kinematics->link_count - 1);
}

/* ---- joints ---- */

static cp_status read_number(struct collada_document *document, double *number)
{
    double value[1];
    cp_status status = collada_read_exactly(document, 1, value);
    if (status == CP_OK)
        *number = *value;
    return status;
}

static cp_status read_lower(struct collada_document *document, void *into)
{
    return read_number(document, &((struct collada_axis *)into)->lower);
}

static cp_status read_upper(struct collada_document *document, void *into)
{
    return read_number(document, &((struct collada_axis *)into)->upper);
}

static cp_status read_vector(struct collada_document *document, void *into)
{
    return collada_read_exactly(document, 3, ((struct collada_axis *)into)->axis);
}

static cp_status read_limits(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"min", read_lower}, {"max", read_upper}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_axis(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"axis", read_vector}, {"limits", read_limits}, {NULL, NULL}};
    struct collada_kinematics *kinematics = kinematics_of(document);
    struct collada_joint *joint = &kinematics->joints[*(const uint32_t *)into];
    struct collada_axis axis = {.sid = collada_attribute(document, "sid"),
                                .turns = strcmp(document->xml.name, "revolute") == 0,
                                .lower = -INFINITY,
                                .upper = INFINITY,
                                .next = CP_NONE};
    uint64_t line = document->xml.line;
    cp_status status = axis.sid ? collada_read_children(document, elements, &axis) : CP_LIMIT;
    if (status == CP_OK && !(axis.lower <= axis.upper)) {
        status =
            report_lenient(document->collada->context, document->collada->settings->common.strict, "collada-limits",
                           AT_LINE(document->source->name, line), "limits of %s to %s are ignored",
                           show_number(axis.lower).text, show_number(axis.upper).text);
        axis.lower = -INFINITY;
        axis.upper = INFINITY;
    }
    if (status != CP_OK)
        return status;
    uint32_t last = joint->axes.last;
    collada_link(&joint->axes, kinematics->axis_count, last == CP_NONE ? NULL : &kinematics->axes[last].next);
    return array_add(document->collada->context, &kinematics->axes, &kinematics->axis_room, &kinematics->axis_count,
                     &axis, sizeof axis)
               ? CP_OK
               : CP_LIMIT;
}

/* Reads <joint> and <instance_joint>, in a model or in the library of joints. */
static cp_status read_joint(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"revolute", read_axis}, {"prismatic", read_axis}, {NULL, NULL}};
    static const struct collada_list empty = {CP_NONE, CP_NONE};
    struct collada_kinematics *kinematics = kinematics_of(document);
    uint32_t row = kinematics->joint_count;
    bool is_instance = strcmp(document->xml.name, "instance_joint") == 0;
    const char *id = collada_attribute(document, "id"), *sid = collada_attribute(document, "sid");
    struct collada_joint joint = {.name = collada_attribute(document, "name"),
                                  .url = is_instance ? collada_attribute(document, "url") : "",
                                  .axes = empty};
    (void)into;
    if (!id || !sid || !joint.name || !joint.url)
        return CP_LIMIT;
    joint.name = *joint.name ? joint.name : *id ? id : sid;
    if (!array_add(document->collada->context, &kinematics->joints, &kinematics->joint_room, &kinematics->joint_count,
                   &joint, sizeof joint))
        return CP_LIMIT;
    if (*id && !name_map_add(&kinematics->joint_ids, id, row, NULL))
        return CP_LIMIT;
    cp_status status = *kinematics->owner ? add_path(document, &kinematics->joints_in, sid, row) : CP_OK;
    return status == CP_OK ? collada_read_children(document, elements, &row) : status;
}

cp_status collada_read_joints(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"joint", read_joint}, {NULL, NULL}};
    kinematics_of(document)->owner = "";
    return document == document->collada->documents[0] ? collada_read_children(document, elements, into)
                                                       : collada_count_unread(document, into);
}

/* ---- models ---- */

static cp_status count_loop(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_CLOSINGS]++;
    return CP_OK;
}

/* The tree of links is that of the picture again; only where loops close, it says more. */
static cp_status read_link(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"link", read_link},
        {"attachment_full", read_link},
        {"attachment_start", count_loop},
        {"attachment_end", read_link},
        {NULL, NULL},
    };
    return collada_read_children(document, elements, into);
}

static cp_status count_formula(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_FORMULAS]++;
    return CP_OK;
}

static cp_status read_model_parts(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"joint", read_joint},      {"instance_joint", read_joint},      {"link", read_link},
        {"formula", count_formula}, {"instance_formula", count_formula}, {NULL, NULL},
    };
    return collada_read_children(document, elements, into);
}

static cp_status read_model(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"technique_common", read_model_parts}, {NULL, NULL}};
    struct collada_kinematics *kinematics = kinematics_of(document);
    kinematics->owner = collada_attribute(document, "id");
    return kinematics->owner ? collada_read_children(document, elements, into) : CP_LIMIT;
}

cp_status collada_read_models(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"kinematics_model", read_model}, {NULL, NULL}};
    return document == document->collada->documents[0] ? collada_read_children(document, elements, into)
                                                       : collada_count_unread(document, into);
}

/* ---- systems and scenes ---- */

static cp_status read_path(struct collada_document *document, void *into)
{
    const char **path = into;
    *path = collada_text(document);
    return *path ? CP_OK : document->xml.status == CP_OK ? CP_LIMIT : document->xml.status;
}

/* Reads <newparam sid> and <setparam ref>; those of numbers lead nowhere. */
static cp_status read_param(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"SIDREF", read_path}, {NULL, NULL}};
    bool is_new = strcmp(document->xml.name, "newparam") == 0;
    const char *sid = collada_attribute(document, is_new ? "sid" : "ref"), *path = NULL;
    (void)into;
    cp_status status = sid ? collada_read_children(document, elements, &path) : CP_LIMIT;
    return status == CP_OK && path ? add_link(document, sid, path, false) : status;
}

static cp_status read_instance(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"newparam", read_param}, {"setparam", read_param}, {NULL, NULL}};
    struct collada_kinematics *kinematics = kinematics_of(document);
    const char *sid = collada_attribute(document, "sid"), *url = collada_attribute(document, "url");
    struct collada_device device = {.name = collada_attribute(document, "name"), .url = url};
    (void)into;
    if (!sid || !url || !device.name ||
        !array_add(document->collada->context, &kinematics->devices, &kinematics->device_room,
                   &kinematics->device_count, &device, sizeof device))
        return CP_LIMIT;
    cp_status status = add_link(document, sid, url, true);
    kinematics->device = kinematics->device_count - 1;
    if (status == CP_OK)
        status = collada_read_children(document, elements, NULL);
    kinematics->device = CP_NONE;
    return status;
}

static cp_status count_effector(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_EFFECTORS]++;
    return CP_OK;
}

static cp_status count_speed(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_SPEEDS]++;
    return CP_OK;
}

static cp_status count_extra(struct collada_document *document, void *into)
{
    const char *type = xml_attribute(&document->xml, "type");
    (void)into;
    document->collada->counts[COLLADA_TOLD_SENSORS] +=
        type && (strncmp(type, "attach_", 7) == 0 || strcmp(type, "manipulator") == 0);
    return CP_OK;
}

static cp_status read_axis_info(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"speed", count_speed}, {"acceleration", count_speed}, {"deceleration", count_speed},
        {"jerk", count_speed},  {"formula", count_formula},    {"instance_formula", count_formula},
        {NULL, NULL},
    };
    return collada_read_children(document, elements, into);
}

static cp_status read_technique(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"axis_info", read_axis_info},
        {"effector_info", count_effector},
        {"formula", count_formula},
        {"instance_formula", count_formula},
        {NULL, NULL},
    };
    return collada_read_children(document, elements, into);
}

static cp_status read_system_parts(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"instance_kinematics_model", read_instance},
        {"instance_articulated_system", read_instance},
        {"newparam", read_param},
        {"technique_common", read_technique},
        {"kinematics", read_system_parts},
        {"motion", read_system_parts},
        {"extra", count_extra},
        {NULL, NULL},
    };
    return collada_read_children(document, elements, into);
}

static cp_status read_system(struct collada_document *document, void *into)
{
    struct collada_kinematics *kinematics = kinematics_of(document);
    const char *name = collada_attribute(document, "name");
    kinematics->owner = collada_attribute(document, "id");
    if (!kinematics->owner || !name ||
        !array_add(document->collada->context, &kinematics->systems, &kinematics->system_room,
                   &kinematics->system_count, &name, sizeof name) ||
        !name_map_add(&kinematics->system_ids, kinematics->owner, kinematics->system_count - 1, NULL))
        return CP_LIMIT;
    return read_system_parts(document, into);
}

cp_status collada_read_systems(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"articulated_system", read_system}, {"kinematics_scene", read_system}, {NULL, NULL}};
    return document == document->collada->documents[0] ? collada_read_children(document, elements, into)
                                                       : collada_count_unread(document, into);
}

/* ---- bindings ---- */

/* The axis of a binding: a param of the kinematics scene, or a whole path. */
static cp_status read_bound_param(struct collada_document *document, void *into)
{
    const char **path = into, *name = NULL;
    cp_status status = read_path(document, &name);
    if (status == CP_OK)
        *path = arena_print(document->collada->arena, "%s/%s", kinematics_of(document)->owner, name);
    return status == CP_OK && !*path ? CP_LIMIT : status;
}

static cp_status read_bound_axis(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"param", read_bound_param}, {"SIDREF", read_path}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_bound(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"axis", read_bound_axis}, {NULL, NULL}};
    struct collada_kinematics *kinematics = kinematics_of(document);
    struct collada_bound bound = {.target = collada_attribute(document, "target"),
                                  .path = "",
                                  .line = document->xml.line,
                                  .transform = CP_NONE,
                                  .next = CP_NONE,
                                  .axis = CP_NONE,
                                  .device = *(const uint32_t *)into,
                                  .joint = CP_NONE};
    cp_status status = bound.target ? collada_read_children(document, elements, &bound.path) : CP_LIMIT;
    if (status == CP_OK && !array_add(document->collada->context, &kinematics->bounds, &kinematics->bound_room,
                                      &kinematics->bound_count, &bound, sizeof bound))
        return CP_LIMIT;
    return status;
}

cp_status collada_read_bindings(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"bind_joint_axis", read_bound}, {NULL, NULL}};
    struct collada_kinematics *kinematics = kinematics_of(document);
    const char *url = collada_attribute(document, "url");
    uint32_t row = kinematics->device_count;
    struct collada_device device = {.name = collada_attribute(document, "name"), .url = url};
    (void)into;
    if (document != document->collada->documents[0])
        return CP_OK;
    if (!url || !device.name ||
        !array_add(document->collada->context, &kinematics->devices, &kinematics->device_room,
                   &kinematics->device_count, &device, sizeof device))
        return CP_LIMIT;
    kinematics->owner = url + (*url == '#');
    return collada_read_children(document, elements, &row);
}

cp_status collada_start_kinematics(struct collada *collada)
{
    struct collada_kinematics *kinematics = arena_allocate_zeroed(collada->arena, 1, sizeof *kinematics);
    if (!kinematics)
        return CP_LIMIT;
    kinematics->paths.context = kinematics->joints_in.context = kinematics->joint_ids.context =
        kinematics->system_ids.context = collada->context;
    kinematics->owner = "";
    kinematics->device = CP_NONE;
    collada->kinematics = kinematics;
    return CP_OK;
}

void collada_free_kinematics(struct collada *collada)
{
    struct collada_kinematics *kinematics = collada->kinematics;
    if (!kinematics)
        return;
    name_map_free(&kinematics->paths);
    name_map_free(&kinematics->joints_in);
    name_map_free(&kinematics->joint_ids);
    name_map_free(&kinematics->system_ids);
#define FREE(rows, room) memory_free(collada->context, kinematics->rows, kinematics->room, sizeof *kinematics->rows)
    FREE(axes, axis_room);
    FREE(joints, joint_room);
    FREE(links, link_room);
    FREE(bounds, bound_room);
    FREE(devices, device_room);
    FREE(movers, mover_room);
#undef FREE
    memory_free(collada->context, kinematics->systems, kinematics->system_room, sizeof(const char *));
}

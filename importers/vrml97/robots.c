/* Robots as OpenHRP and Choreonoid have them: prototypes Humanoid, Joint, Segment and ExtraJoint, known by their names
 * and fields. A Joint is a frame with a joint, a Segment its link. */

#include "base/text/json.h"
#include "vrml97.h"

/* A Humanoid with the joints that follow it. */
struct wrl_robot {
    const char *name;
    uint32_t frame;
    struct wrl_robot *before;
};

/* An ExtraJoint, whose links are known at the end. */
struct wrl_extra {
    const struct wrl_node *node;
    struct wrl_extra *next;
};

static bool declares(const struct wrl_node *node, const char *type, const char *const *fields)
{
    const struct wrl_proto *proto = node->instance ? node->instance->proto : NULL;
    if (!proto || strcmp(proto->name, type) != 0)
        return false;
    for (; *fields; fields++)
        if (wrl_member_place(proto, *fields) == CP_NONE)
            return false;
    return true;
}

bool wrl_is_joint(const struct wrl_node *node)
{
    static const char *const fields[] = {"jointType", "jointAxis", "children", NULL};
    return declares(node, "Joint", fields);
}

bool wrl_is_segment(const struct wrl_node *node)
{
    static const char *const fields[] = {"mass", "centerOfMass", "children", NULL};
    return declares(node, "Segment", fields);
}

bool wrl_is_humanoid(const struct wrl_node *node)
{
    static const char *const fields[] = {"humanoidBody", NULL};
    return declares(node, "Humanoid", fields);
}

bool wrl_is_extra(const struct wrl_node *node)
{
    static const char *const fields[] = {"link1Name", "link2Name", NULL};
    return declares(node, "ExtraJoint", fields);
}

/* ---- what the model has no member for ---- */

/* Keeps the fields that are given, and in no list of known ones, as metadata. */
static cp_status keep_fields(struct wrl *wrl, const struct wrl_node *node, const char *const *known, cp_owner owner,
                             uint32_t index)
{
    bool good = true;
    for (uint32_t i = 0; i < node->field_count && good; i++) {
        const struct wrl_field *field = &node->fields[i];
        const char *const *word = known;
        while (*word && strcmp(*word, field->name) != 0)
            word++;
        if (*word || field->value.store == WRL_AS_NODES || field->value.store == WRL_AS_IS || field->value.count == 0)
            continue;
        struct buffer text = {.context = wrl->context};
        cp_json json = {.out = &text};
        bool is_list = field->value.count > 1;
        if (is_list)
            cp_json_open(&json, NULL, '[');
        for (uint32_t k = 0; k < field->value.count; k++)
            if (field->value.store == WRL_AS_TEXTS)
                cp_json_text(&json, NULL, field->value.texts[k]);
            else
                cp_json_number(&json, NULL, wrl_item(&field->value, k));
        if (is_list)
            cp_json_close(&json, ']');
        buffer_append(&text, "", 1);
        good = !text.failed && scene_add_metadata(wrl->scene, owner, index, field->name, CP_VALUE_JSON, text.data);
        buffer_free(&text);
    }
    return good ? CP_OK : CP_LIMIT;
}

cp_status wrl_add_sensor(struct wrl *wrl, const struct wrl_node *node, uint32_t frame)
{
    static const char *const known[] = {"translation", "rotation", "children", NULL};
    if (!scene_add_metadata(wrl->scene, CP_OWNER_NODE, frame, "prototype", CP_VALUE_STRING, node->type))
        return CP_LIMIT;
    return keep_fields(wrl, node, known, CP_OWNER_NODE, frame);
}

/* ---- joints ---- */

static cp_status begin_robot(struct wrl *wrl, const struct wrl_node *node, uint32_t frame)
{
    struct wrl_robot *robot = arena_allocate(wrl->arena, 1, sizeof *robot);
    const char *name = node->name && *node->name ? node->name : wrl_text(node, "name", "");
    if (!robot)
        return CP_LIMIT;
    *robot = (struct wrl_robot){*name ? name : node->type, frame, wrl->robot};
    wrl->robot = robot;
    return CP_OK;
}

cp_status wrl_add_humanoid(struct wrl *wrl, struct wrl_node *node, uint32_t frame)
{
    static const char *const known[] = {"translation", "rotation", "center", "scale", "scaleOrientation",
                                        "name",        "version",  "info",   NULL};
    cp_status status = begin_robot(wrl, node, frame);
    return status == CP_OK ? keep_fields(wrl, node, known, CP_OWNER_NODE, frame) : status;
}

/* Reads the axis: numbers, or in older files one of the words X, Y and Z. */
static cp_status read_axis(struct wrl *wrl, const struct wrl_node *node, double axis[3])
{
    const struct wrl_value *value = wrl_value(node, "jointAxis");
    axis[0] = axis[1] = 0;
    axis[2] = 1;
    if (value && value->store == WRL_AS_TEXTS && value->count > 0) {
        const char *word = value->texts[0];
        for (int i = 0; i < 3; i++)
            axis[i] = (word[0] | 0x20) == 'x' + i;
    } else {
        wrl_numbers(node, "jointAxis", 3, axis);
    }
    double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    for (int i = 0; i < 3 && length > 0; i++)
        axis[i] /= length;
    if (length > 0)
        return CP_OK;
    axis[2] = 1;
    return report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-axis", wrl_place(node),
                          "the axis of the joint \"%.60s\" is none, and Z is taken", node->name ? node->name : "");
}

/* Reads the first number of a list; false if it is empty. */
static bool read_limit(const struct wrl_node *node, const char *name, double *limit)
{
    const struct wrl_value *value = wrl_value(node, name);
    if (!value || value->store > WRL_AS_INTEGERS || value->count == 0)
        return false;
    *limit = wrl_item(value, 0);
    return true;
}

static void read_limits(const struct wrl_node *node, double unit, cp_joint *joint)
{
    double scale = joint->type == CP_JOINT_PRISMATIC ? unit : 1, limit;
    if (read_limit(node, "llimit", &limit))
        joint->lower = limit * scale;
    if (read_limit(node, "ulimit", &limit))
        joint->upper = limit * scale;
    for (int end = 0; end < 2; end++) /* the model has one for both ways: the smaller */
        if (read_limit(node, end ? "uvlimit" : "lvlimit", &limit) && limit != 0)
            joint->velocity = fmin(joint->velocity, fabs(limit) * scale);
}

static cp_status add_row(struct wrl *wrl, const struct wrl_node *node, uint32_t frame, cp_joint_type type)
{
    static const char *const known[] = {"translation", "rotation",         "center",    "scale",     "children",
                                        "name",        "scaleOrientation", "jointType", "jointAxis", "llimit",
                                        "ulimit",      "lvlimit",          "uvlimit",   NULL};
    double axis[3];
    cp_status status = read_axis(wrl, node, axis);
    uint32_t index = status == CP_OK ? scene_add_joint(wrl->scene, frame, type, NULL) : CP_NONE;
    if (index == CP_NONE)
        return status == CP_OK ? CP_LIMIT : status;
    cp_joint *joint = &wrl->scene->joints[index];
    memcpy(joint->axis, axis, sizeof axis);
    read_limits(node, wrl->unit, joint);
    joint->driven = wrl_number(node, "jointId", -1) >= 0;
    if (joint->lower > joint->upper)
        status = report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-limit", wrl_place(node),
                                "the lower limit of the joint \"%.60s\" is above the upper one", joint->name);
    return status == CP_OK ? keep_fields(wrl, node, known, CP_OWNER_JOINT, index) : status;
}

cp_status wrl_add_joint(struct wrl *wrl, struct wrl_node *node, uint32_t frame)
{
    const char *type = wrl_text(node, "jointType", "");
    cp_status status = wrl->robot ? CP_OK : begin_robot(wrl, node, frame);
    wrl->scene->nodes[frame].flags |= CP_NODE_LINK;
    if (status != CP_OK)
        return status;
    if (strcmp(type, "rotate") == 0)
        return add_row(wrl, node, frame, CP_JOINT_REVOLUTE);
    if (strcmp(type, "slide") == 0)
        return add_row(wrl, node, frame, CP_JOINT_PRISMATIC);
    if (strcmp(type, "free") == 0 || strcmp(type, "freejoint") == 0)
        wrl->scene->nodes[frame].flags |= CP_NODE_MOVABLE;
    else if (strcmp(type, "fixed") != 0 && *type)
        report_loss(wrl->context, "vrml97-joint", wrl_place(node), 1,
                    "joints of the type \"%.40s\", which are fixed here", type);
    return CP_OK;
}

/* ---- links ---- */

/* Adds the moments of a mass about another centre: m (|d|^2 I - d d^T). */
static void add_moments(double mass, const double d[3], double moments[6])
{
    double square = dot_product(d, d);
    static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++)
        moments[i] += mass * ((rows[i] == columns[i] ? square : 0) - d[rows[i]] * d[columns[i]]);
}

/* Joins two inertias of one frame. */
static void join_inertia(const cp_inertia *other, cp_inertia *inertia)
{
    double mass = inertia->mass + other->mass, centre[3], d[3];
    for (int i = 0; i < 3; i++)
        centre[i] = mass > 0 ? (inertia->mass * inertia->centre[i] + other->mass * other->centre[i]) / mass : 0;
    subtract(inertia->centre, centre, d);
    add_moments(inertia->mass, d, inertia->moments);
    subtract(other->centre, centre, d);
    add_moments(other->mass, d, inertia->moments);
    for (int i = 0; i < 6; i++)
        inertia->moments[i] += other->moments[i];
    memcpy(inertia->centre, centre, sizeof centre);
    inertia->mass = mass;
}

cp_status wrl_add_segment(struct wrl *wrl, struct wrl_node *node, uint32_t frame)
{
    double mass = wrl_number(node, "mass", 0), read[9] = {0};
    cp_inertia *inertia = arena_allocate_zeroed(wrl->scene->arena, 1, sizeof *inertia);
    if (!inertia)
        return CP_LIMIT;
    if (frame == 0 || !(mass > 0))
        return mass < 0 ? report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-mass", wrl_place(node),
                                         "the mass of the Segment \"%.60s\" is below zero, and ignored",
                                         node->name ? node->name : "")
                        : CP_OK;
    static const int places[6] = {0, 1, 2, 4, 5, 8};
    inertia->mass = mass;
    wrl_numbers(node, "centerOfMass", 3, inertia->centre);
    wrl_numbers(node, "momentsOfInertia", 9, read);
    for (int i = 0; i < 3; i++)
        inertia->centre[i] *= wrl->unit;
    for (int i = 0; i < 6; i++)
        inertia->moments[i] = read[places[i]] * wrl->unit * wrl->unit;
    if (wrl->scene->nodes[frame].inertia)
        join_inertia(wrl->scene->nodes[frame].inertia, inertia);
    for (int i = 0; i < 6; i++)
        if (!isfinite(inertia->moments[i]) || !isfinite(inertia->mass) || !isfinite(inertia->centre[i / 2]))
            return report_error(wrl->context, CP_INPUT, "vrml97-mass", wrl_place(node),
                                "the inertia of the Segment is out of range");
    wrl->scene->nodes[frame].inertia = inertia;
    return CP_OK;
}

/* ---- loops ---- */

cp_status wrl_add_extra(struct wrl *wrl, struct wrl_node *node)
{
    struct wrl_extra *extra = arena_allocate(wrl->arena, 1, sizeof *extra);
    if (!extra)
        return CP_LIMIT;
    *extra = (struct wrl_extra){node, wrl->extras};
    wrl->extras = extra;
    return CP_OK;
}

/* Closes a loop where an ExtraJoint holds two points together. */
static cp_status add_ball(struct wrl *wrl, const struct wrl_node *node, uint32_t first, uint32_t second)
{
    uint32_t index =
        scene_add_loop(wrl->scene, node->name ? node->name : "ExtraJoint", CP_LOOP_SPHERICAL, first, second);
    if (index == CP_NONE)
        return CP_LIMIT;
    for (int i = 0; i < 2; i++) {
        double at[3] = {0};
        wrl_numbers(node, i ? "link2LocalPos" : "link1LocalPos", 3, at);
        wrl->scene->loops[index].poses[i] = pose_translation(at[0] * wrl->unit, at[1] * wrl->unit, at[2] * wrl->unit);
    }
    return CP_OK;
}

/* Closes a loop where an ExtraJoint holds a point on a line of the first link: a frame that nobody drives slides along
 * the line and holds the point. */
static cp_status add_piston(struct wrl *wrl, const struct wrl_node *node, uint32_t first, uint32_t second)
{
    cp_scene *scene = wrl->scene;
    const char *name = node->name ? node->name : "ExtraJoint";
    double axis[3];
    cp_status status = read_axis(wrl, node, axis);
    if (status != CP_OK)
        return status;
    uint32_t frame = scene_add_node(scene, first, name, strlen(name));
    uint32_t joint = frame == CP_NONE ? CP_NONE : scene_add_joint(scene, frame, CP_JOINT_PRISMATIC, NULL);
    if (joint == CP_NONE)
        return CP_LIMIT;
    scene->nodes[frame].scope = scene->nodes[first].scope;
    memcpy(scene->joints[joint].axis, axis, sizeof axis);
    scene->joints[joint].driven = false;
    status = add_ball(wrl, node, frame, second);
    if (status != CP_OK)
        return status;
    cp_pose *place =
        &scene->loops[scene->loop_count - 1].poses[0]; /* the frame begins at the point of the first link */
    scene->nodes[frame].local = *place;
    *place = POSE_IDENTITY;
    return CP_OK;
}

static cp_status add_loop(struct wrl *wrl, const struct name_map *frames, const struct wrl_node *node)
{
    const uint32_t *first = name_map_find(frames, wrl_text(node, "link1Name", ""));
    const uint32_t *second = name_map_find(frames, wrl_text(node, "link2Name", ""));
    const char *type = wrl_text(node, "jointType", "xyz");
    if (!first || !second || *first == *second)
        return report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-extra", wrl_place(node),
                              "an ExtraJoint names the links \"%.60s\" and \"%.60s\", which are not both there",
                              wrl_text(node, "link1Name", ""), wrl_text(node, "link2Name", ""));
    if (strcmp(type, "xyz") == 0 || strcmp(type, "ball") == 0)
        return add_ball(wrl, node, *first, *second);
    if (strcmp(type, "xy") == 0 || strcmp(type, "piston") == 0)
        return add_piston(wrl, node, *first, *second);
    report_loss(wrl->context, "vrml97-joint", wrl_place(node), 1, "ExtraJoints of the type \"%.40s\"", type);
    return CP_OK;
}

static cp_status add_loops(struct wrl *wrl)
{
    struct name_map frames = {.context = wrl->context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < wrl->scene->node_count && wrl->extras && status == CP_OK; i++)
        status = name_map_add(&frames, wrl->scene->nodes[i].name, i, NULL) ? CP_OK : CP_LIMIT;
    for (const struct wrl_extra *extra = wrl->extras; extra && status == CP_OK; extra = extra->next)
        status = add_loop(wrl, &frames, extra->node);
    name_map_free(&frames);
    return status;
}

/* ---- devices ---- */

/* This is what is known of a device while its frames are counted. */
struct plan {
    uint32_t joint_count, end_count;
    uint32_t roots; /* joints without one above them */
    bool branches;
};

/* Frames by the device that they belong to. near: the frame with the joint that moves each; branches: of these, how
 * many frames with joints follow. */
struct frames {
    cp_scene *scene;
    struct plan *plans;
    uint32_t *near, *branches, first_device;
};

/* Gives a frame its device, that of the frame above it, and counts its joints. */
static void count_frame(struct frames *frames, uint32_t index)
{
    cp_node *node = &frames->scene->nodes[index];
    uint32_t parent = node->parent;
    if (node->scope == CP_NONE)
        node->scope = frames->scene->nodes[parent].scope;
    frames->branches[index] = 0;
    frames->near[index] = node->scope == frames->scene->nodes[parent].scope ? frames->near[parent] : CP_NONE;
    if (node->scope == CP_NONE || node->joint_count == 0)
        return;
    struct plan *plan = &frames->plans[node->scope - frames->first_device];
    uint32_t above = frames->near[index];
    uint32_t siblings = above == CP_NONE ? ++plan->roots : ++frames->branches[above];
    plan->branches = plan->branches || siblings > 1;
    frames->near[index] = index;
    for (uint32_t k = 0; k < node->joint_count; k++)
        plan->joint_count += frames->scene->joints[node->first_joint + k].driven;
}

static bool is_end(const struct frames *frames, uint32_t index)
{
    return frames->near[index] == index && frames->branches[index] == 0;
}

/* Makes the lists of all devices, and fills them in the order of the frames. */
static cp_status fill_devices(struct frames *frames, uint32_t count)
{
    cp_scene *scene = frames->scene;
    for (uint32_t i = 1; i < scene->node_count; i++)
        if (is_end(frames, i))
            frames->plans[scene->nodes[i].scope - frames->first_device].end_count++;
    for (uint32_t i = 0; i < count; i++) {
        struct plan *plan = &frames->plans[i];
        cp_device *row = &scene->devices[frames->first_device + i];
        uint32_t *ends = scene_allocate(scene, plan->end_count + (size_t)1, sizeof *ends);
        row->joints = scene_allocate(scene, plan->joint_count, sizeof *row->joints);
        row->ends = ends;
        row->kind = plan->branches ? CP_DEVICE_TREE : CP_DEVICE_SERIAL;
        if (!ends || !row->joints)
            return CP_LIMIT;
        ends[0] = row->base; /* a device without joints ends where it begins */
        row->end_count = plan->end_count == 0;
    }
    for (uint32_t i = 1; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        cp_device *row = node->scope == CP_NONE ? NULL : &scene->devices[node->scope];
        for (uint32_t k = 0; row && k < node->joint_count; k++)
            if (scene->joints[node->first_joint + k].driven)
                ((uint32_t *)row->joints)[row->joint_count++] = node->first_joint + k;
        if (row && is_end(frames, i))
            ((uint32_t *)row->ends)[row->end_count++] = i;
    }
    return CP_OK;
}

static cp_status add_devices(struct wrl *wrl, const struct wrl_robot *first, uint32_t count)
{
    cp_scene *scene = wrl->scene;
    struct frames frames = {.scene = scene, .first_device = scene->device_count};
    frames.plans = arena_allocate_zeroed(wrl->arena, count, sizeof *frames.plans);
    frames.near = arena_allocate(wrl->arena, scene->node_count, sizeof *frames.near);
    frames.branches = arena_allocate(wrl->arena, scene->node_count, sizeof *frames.branches);
    if (!frames.plans || !frames.near || !frames.branches)
        return CP_LIMIT;
    for (const struct wrl_robot *robot = first; robot; robot = robot->before) {
        uint32_t device = scene_add_device(scene, robot->name, robot->frame);
        if (device == CP_NONE)
            return CP_LIMIT;
        scene->nodes[robot->frame].scope = device;
    }
    frames.near[0] = CP_NONE;
    frames.branches[0] = 0;
    for (uint32_t i = 1; i < scene->node_count; i++)
        count_frame(&frames, i);
    return fill_devices(&frames, count);
}

cp_status wrl_finish_robots(struct wrl *wrl)
{
    struct wrl_robot *first = NULL;
    uint32_t count = 0;
    for (struct wrl_robot *at = wrl->robot, *before; at; at = before, count++) { /* restore the order of the file */
        before = at->before;
        at->before = first;
        first = at;
    }
    cp_status status = count > 0 ? add_devices(wrl, first, count) : CP_OK;
    return status == CP_OK ? add_loops(wrl) : status;
}

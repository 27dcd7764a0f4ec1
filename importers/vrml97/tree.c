/* The tree of nodes as frames. A Transform is a frame; groups without a place of their own put what they hold into the
 * frame around them. A stack of what is still to be seen takes the place of recursion. */
#include <string.h>

#include "base/text/json.h"
#include "vrml97.h"

/* ---- poses ---- */

static cp_pose turn_of(const double rotation[4], double factor)
{
    double length = hypot(hypot(rotation[0], rotation[1]), rotation[2]);
    if (!(length > 0) || rotation[3] == 0)
        return POSE_IDENTITY;
    const double axis[3] = {rotation[0] / length, rotation[1] / length, rotation[2] / length};
    return pose_rotation(axis, rotation[3] * factor);
}

cp_pose wrl_pose(const struct wrl_node *node)
{
    double t[3] = {0}, c[3] = {0}, s[3] = {1, 1, 1}, r[4] = {0, 0, 1, 0}, o[4] = {0, 0, 1, 0};
    wrl_numbers(node, "translation", 3, t);
    wrl_numbers(node, "center", 3, c);
    wrl_numbers(node, "scale", 3, s);
    wrl_numbers(node, "rotation", 4, r);
    wrl_numbers(node, "scaleOrientation", 4, o);
    const cp_pose steps[] = {pose_translation(c[0], c[1], c[2]), turn_of(r, 1),  turn_of(o, 1),
                             pose_scaling(s[0], s[1], s[2]),     turn_of(o, -1), pose_translation(-c[0], -c[1], -c[2])};
    cp_pose pose = pose_translation(t[0], t[1], t[2]);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        pose = pose_multiply(&pose, &steps[i]);
    return pose;
}

cp_pose wrl_metres(const struct wrl *wrl, cp_pose pose)
{
    for (int i = 3; i < 12; i += 4)
        pose.m[i] *= wrl->unit;
    return pose;
}

/* ---- what is still to be seen ---- */

/* A node below a frame. pose: of what is here, in the frame; in the file's units. */
struct waiting {
    struct wrl_node *node;
    uint32_t frame, use;
    cp_pose pose;
    bool is_link; /* Transforms in a Segment move its shapes, and are no frames */
};

struct walk {
    struct wrl *wrl;
    struct waiting *items;
    uint32_t count, room;
    uint32_t deepest;
};

static cp_status push(struct walk *walk, const struct waiting *from, struct wrl_node *node)
{
    struct waiting next = *from;
    next.node = node;
    return array_add(walk->wrl->context, &walk->items, &walk->room, &walk->count, &next, sizeof next) ? CP_OK
                                                                                                      : CP_LIMIT;
}

/* Puts nodes onto the stack, so that the first is seen next. */
static cp_status push_all(struct walk *walk, const struct waiting *from, const struct wrl_value *nodes)
{
    cp_status status = CP_OK;
    for (uint32_t i = nodes && nodes->store == WRL_AS_NODES ? nodes->count : 0; i-- > 0 && status == CP_OK;)
        status = push(walk, from, nodes->nodes[i]);
    return status;
}

/* ---- frames ---- */

/* Returns the name of a Transform's frame; NULL: it has none. */
static const char *frame_name(const struct wrl *wrl, const struct wrl_node *node)
{
    return node->name ? wrl_own_name(wrl, "frame", "", node->name) : NULL;
}

/* Adds a frame; CP_NONE after an error, which is in wrl->failed. */
static uint32_t add_frame(struct wrl *wrl, const struct waiting *from, const char *name, const char *other,
                          cp_pose pose)
{
    pose = pose_multiply(&from->pose, &pose);
    pose = wrl_metres(wrl, pose);
    if (from->frame == 0 && wrl->is_turned)
        pose = pose_multiply(&wrl->turn, &pose);
    if (!pose_is_finite(&pose)) {
        wrl->failed = report_error(wrl->context, CP_INPUT, "vrml97-pose", wrl_place(from->node),
                                   "the place of the %.40s is out of range", from->node->type);
        return CP_NONE;
    }
    const char *shown = name ? name : other;
    uint32_t frame = scene_add_node(wrl->scene, from->frame, shown, strlen(shown));
    if (frame != CP_NONE)
        wrl->scene->nodes[frame].local = pose;
    else
        wrl->failed = CP_LIMIT;
    return frame;
}

/* Notes a frame that ROUTEs move. */
static cp_status add_moved(struct wrl *wrl, const struct wrl_moved *moved)
{
    struct wrl_moved *kept = arena_copy(wrl->arena, moved, 1, sizeof *moved);
    if (!kept)
        return CP_LIMIT;
    kept->unit = wrl->unit;
    *wrl->moved_end = kept;
    wrl->moved_end = &kept->next;
    return CP_OK;
}

/* Goes down into a further frame; false when out of memory. */
static bool go_down(struct wrl *wrl, struct waiting *at, const char *name, cp_pose pose)
{
    at->frame = at->frame == CP_NONE ? CP_NONE : add_frame(wrl, at, name, "Transform", pose);
    at->pose = POSE_IDENTITY;
    return at->frame != CP_NONE;
}

/* Adds the frames of a Transform that moves: T C R, then SR S, then -SR, then -C, as many as its fields need, so that
 * each part that a clip sets is that of a frame. orients: SR is set, too. */
static cp_status add_moving(struct wrl *wrl, struct waiting *at, bool orients)
{
    const struct wrl_node *node = at->node;
    double t[3] = {0}, c[3] = {0}, s[3] = {1, 1, 1}, r[4] = {0, 0, 1, 0}, o[4] = {0, 0, 1, 0};
    wrl_numbers(node, "translation", 3, t);
    wrl_numbers(node, "center", 3, c);
    wrl_numbers(node, "scale", 3, s);
    wrl_numbers(node, "rotation", 4, r);
    wrl_numbers(node, "scaleOrientation", 4, o);
    bool oriented = orients || o[3] != 0, centred = c[0] != 0 || c[1] != 0 || c[2] != 0;
    cp_pose moved = pose_translation(t[0] + c[0], t[1] + c[1], t[2] + c[2]), turn = turn_of(r, 1);
    cp_pose stretch = pose_scaling(s[0], s[1], s[2]), orientation = turn_of(o, 1);
    moved = pose_multiply(&moved, &turn);
    /* A frame whose parts are set begins where the frame around it does. */
    if ((!pose_is_identity(&at->pose) || (at->frame == 0 && wrl->is_turned)) &&
        !go_down(wrl, at, "Transform", POSE_IDENTITY))
        return wrl->failed;
    cp_pose whole = oriented ? moved : pose_multiply(&moved, &stretch);
    bool good = go_down(wrl, at, frame_name(wrl, node), whole);
    struct wrl_moved parts = {.node = node, .frame = at->frame, .scaled = at->frame, .centre = {c[0], c[1], c[2]}};
    if (oriented && good) {
        cp_pose turned = pose_multiply(&orientation, &stretch);
        good = go_down(wrl, at, "scale", turned);
        parts.scaled = at->frame;
        good = good && go_down(wrl, at, "scaleOrientation", turn_of(o, -1));
        parts.back = at->frame;
    }
    if (centred && good)
        good = go_down(wrl, at, "center", pose_translation(-c[0], -c[1], -c[2]));
    return good ? add_moved(wrl, &parts) : wrl->failed;
}

/* Returns the Shape of a Transform that our exporter has written around a cylinder or cone, whose axis it turns: it has
 * the mesh's name, and is no frame. NULL if it is none; a frame never holds such a Shape itself. */
static struct wrl_node *turned_shape(const struct wrl_node *node)
{
    static const char *const prefixes[] = {"mesh_", "mirrored_"};
    const struct wrl_value *children = wrl_value(node, "children");
    bool is_named = false;
    for (int i = 0; i < 2; i++)
        is_named = is_named || strncmp(node->name, prefixes[i], strlen(prefixes[i])) == 0;
    if (!is_named || !children || children->store != WRL_AS_NODES || children->count != 1)
        return NULL;
    struct wrl_node *shape = children->nodes[0];
    const struct wrl_node *geometry =
        shape->kind && shape->kind->class == WRL_SHAPE ? wrl_real(wrl_child(shape, "geometry")) : NULL;
    return geometry && (wrl_is(geometry, "Cylinder") || wrl_is(geometry, "Cone")) ? shape : NULL;
}

static cp_status see_transform(struct walk *walk, struct waiting *at)
{
    struct wrl *wrl = walk->wrl;
    struct wrl_node *node = at->node;
    cp_status status = CP_OK;
    struct wrl_node *shape = wrl->is_own && node->name ? turned_shape(node) : NULL;
    if (wrl->is_own && node->name && wrl_own_joint(wrl, node) != CP_NONE) {
        /* a joint of the frame around it */
        status = add_moved(wrl, &(struct wrl_moved){.node = node, .frame = at->frame, .scaled = at->frame});
    } else if (wrl->is_own && node->name && strcmp(node->name, "WORLD") == 0 && at->frame == 0) {
        at->pose = POSE_IDENTITY; /* the world itself, and above it the turn to Y up */
    } else if (wrl->is_own && node->name && strcmp(node->name, "y_up") == 0 && at->frame == 0) {
        at->pose = POSE_IDENTITY;
    } else if (at->is_link || shape || (wrl->is_own && !node->name)) {
        cp_pose pose = wrl_pose(node);
        if (shape && !shape->name)
            shape->name = node->name;
        at->pose = pose_multiply(&at->pose, &pose);
    } else if (node->is_moved) {
        status = add_moving(wrl, at, node->is_oriented);
        if (status == CP_OK && wrl->is_own)
            status = wrl_own_add_joints(wrl, node, at->frame);
    } else {
        at->frame = add_frame(wrl, at, frame_name(wrl, node), "Transform", wrl_pose(node));
        at->pose = POSE_IDENTITY;
        status = at->frame == CP_NONE ? wrl->failed : wrl->is_own ? wrl_own_add_joints(wrl, node, at->frame) : CP_OK;
    }
    return status == CP_OK ? push_all(walk, at, wrl_value(node, "children")) : status;
}

/* ---- the other nodes ---- */

/* Notes a mesh with its pose in what is here. */
static cp_status place_mesh(struct wrl *wrl, const struct waiting *at, uint32_t mesh, const cp_pose *pose)
{
    cp_pose placed = pose_multiply(&at->pose, pose), unit = pose_scaling(wrl->unit, wrl->unit, wrl->unit);
    placed = wrl_metres(wrl, placed);
    if (wrl->unit != 1)
        placed = pose_multiply(&placed, &unit);
    if (at->frame == 0 && wrl->is_turned)
        placed = pose_multiply(&wrl->turn, &placed);
    if (!pose_is_finite(&placed))
        return report_error(wrl->context, CP_INPUT, "vrml97-pose", wrl_place(at->node),
                            "the place of the %.40s is out of range", at->node->type);
    struct wrl_placed item = {at->frame, mesh, at->use, placed};
    return array_add(wrl->context, &wrl->placed, &wrl->placed_room, &wrl->placed_count, &item, sizeof item) ? CP_OK
                                                                                                            : CP_LIMIT;
}

static cp_status see_shape(struct wrl *wrl, const struct waiting *at)
{
    uint32_t mesh;
    cp_pose pose;
    cp_status status = wrl_find_mesh(wrl, at->node, &mesh, &pose);
    return status != CP_OK || mesh == CP_NONE ? status : place_mesh(wrl, at, mesh, &pose);
}

/* Counts what is shown, so that what is used again and again does not multiply without end. */
static cp_status count_visit(struct wrl *wrl, const struct wrl_node *node)
{
    if (wrl->visits++ < limit_nodes(wrl->context))
        return CP_OK;
    return report_error(wrl->context, CP_LIMIT, "vrml97-nodes", wrl_place(node),
                        "more than %llu nodes are shown, each as often as it is used (%s)",
                        (unsigned long long)(wrl->visits - 1), limit_of_nodes(wrl->context));
}

static cp_status see_switch(struct walk *walk, const struct waiting *at)
{
    const struct wrl_value *choice = wrl_value(at->node, "choice");
    double which = wrl_number(at->node, "whichChoice", -1);
    uint32_t count = choice && choice->store == WRL_AS_NODES ? choice->count : 0;
    bool is_there = which >= 0 && which < count;
    wrl_tell(walk->wrl, WRL_TOLD_SWITCH, count - is_there, wrl_place(at->node));
    return is_there ? push(walk, at, choice->nodes[(uint32_t)which]) : CP_OK;
}

static cp_status see_levels(struct walk *walk, const struct waiting *at)
{
    const struct wrl_value *level = wrl_value(at->node, "level");
    uint32_t count = level && level->store == WRL_AS_NODES ? level->count : 0;
    wrl_tell(walk->wrl, WRL_TOLD_LEVELS, count > 0 ? count - 1 : 0, wrl_place(at->node));
    return count > 0 ? push(walk, at, level->nodes[0]) : CP_OK;
}

/* The children of a Collision are seen; they collide unless something else does so in their place. */
static cp_status see_collision(struct walk *walk, struct waiting *at)
{
    struct wrl_node *proxy = wrl_child(at->node, "proxy");
    bool collides = wrl_truth(at->node, "collide", true);
    const struct wrl_node *node = at->node;
    cp_status status = CP_OK;
    if (proxy && collides && at->use & CP_USE_COLLISION) {
        struct waiting other = *at;
        other.use = CP_USE_COLLISION;
        status = push(walk, &other, proxy);
    }
    if (proxy || !collides)
        at->use &= CP_USE_DRAWN;
    return status == CP_OK && at->use ? push_all(walk, at, wrl_value(node, "children")) : status;
}

/* Places what a file of another format shows. */
static cp_status see_model(struct wrl *wrl, const struct waiting *at, struct wrl_file *file)
{
    cp_status status = wrl_read_model(wrl, file);
    if (status == CP_OK && !file->parts)
        report_loss(wrl->context, "vrml97-format", wrl_place(at->node), 1,
                    "the file \"%.200s\" of an Inline, which cannot be read", file->source->name);
    for (uint32_t i = 0; i < file->part_count && status == CP_OK; i++) {
        status = count_visit(wrl, at->node);
        if (status == CP_OK)
            status = place_mesh(wrl, at, file->parts[i].mesh, &file->parts[i].transform);
    }
    return status;
}

static cp_status see_inline(struct walk *walk, const struct waiting *at)
{
    struct wrl *wrl = walk->wrl;
    struct wrl_file *file;
    const char *name;
    const struct wrl_value *urls = wrl_value(at->node, "url");
    const char *first = urls && urls->store == WRL_AS_TEXTS && urls->count > 0 ? urls->texts[0] : "";
    cp_status status = wrl_open(wrl, at->node->file, urls, 0, &file, &name);
    if (status == CP_OK && !file) {
        status = report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-inline", wrl_place(at->node),
                                "the file \"%.200s\" of an Inline is not there", first);
        if (status == CP_OK)
            report_loss(wrl->context, "vrml97-inline", IN_FILE(at->node->file->source->name), 1,
                        "Inlines whose file is not there");
    }
    if (status == CP_OK && file && file->is_model)
        return see_model(wrl, at, file);
    for (uint32_t i = file ? file->node_count : 0; i-- > 0 && status == CP_OK;)
        status = push(walk, at, file->nodes[i]);
    return status;
}

/* Keeps a view with its frame, as JSON. */
static cp_status see_view(struct wrl *wrl, const struct waiting *at)
{
    double position[3] = {0, 0, 10}, orientation[4] = {0, 0, 1, 0};
    struct buffer text = {.context = wrl->context};
    cp_json json = {.out = &text};
    if (wrl->is_own)
        return CP_OK; /* made for the cell, and made again where it is written */
    wrl_numbers(at->node, "position", 3, position);
    wrl_numbers(at->node, "orientation", 4, orientation);
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "description", wrl_text(at->node, "description", ""));
    cp_json_numbers(&json, "position", position, 3);
    cp_json_numbers(&json, "orientation", orientation, 4);
    cp_json_number(&json, "fieldOfView", wrl_number(at->node, "fieldOfView", 0.785398));
    cp_json_close(&json, '}');
    buffer_append(&text, "", 1);
    bool good = !text.failed && scene_add_metadata(wrl->scene, at->frame ? CP_OWNER_NODE : CP_OWNER_SCENE, at->frame,
                                                   "Viewpoint", CP_VALUE_JSON, text.data);
    buffer_free(&text);
    return good ? CP_OK : CP_LIMIT;
}

/* Keeps title and info of the world. */
static cp_status see_info(struct wrl *wrl, const struct wrl_node *node)
{
    const char *title = wrl_text(node, "title", "");
    const struct wrl_value *info = wrl_value(node, "info");
    bool good = true;
    if (wrl->is_own)
        return CP_OK;
    if (*title)
        good = scene_add_metadata(wrl->scene, CP_OWNER_SCENE, 0, "title", CP_VALUE_STRING, title);
    for (uint32_t i = 0; good && info && info->store == WRL_AS_TEXTS && i < info->count; i++)
        good = scene_add_metadata(wrl->scene, CP_OWNER_SCENE, 0, "info", CP_VALUE_STRING, info->texts[i]);
    return good ? CP_OK : CP_LIMIT;
}

static void lose(struct wrl *wrl, const struct wrl_node *node)
{
    if (wrl_is(node, "Script"))
        wrl_tell(wrl, WRL_TOLD_SCRIPTS, 1, wrl_place(node));
    else if (!wrl->is_own || !node->kind) /* our own lights and sensors are made again */
        report_loss(wrl->context, "vrml97-node", wrl_place(node), 1, "nodes of the type \"%.60s\"%s", node->type,
                    node->kind && node->kind->class == WRL_PART ? " outside of a Shape" : "");
}

static cp_status see_node(struct walk *walk, struct waiting *at)
{
    struct wrl *wrl = walk->wrl;
    if (!at->node->kind) {
        lose(wrl, at->node);
        return CP_OK;
    }
    switch (at->node->kind->class) {
    case WRL_SHAPE:
        return see_shape(wrl, at);
    case WRL_GROUP:
        wrl_tell(wrl, WRL_TOLD_BILLBOARDS, wrl_is(at->node, "Billboard"), wrl_place(at->node));
        return push_all(walk, at, wrl_value(at->node, "children"));
    case WRL_PLACED:
        return see_transform(walk, at);
    case WRL_SWITCH:
        return see_switch(walk, at);
    case WRL_LEVELS:
        return see_levels(walk, at);
    case WRL_COLLIDE:
        return see_collision(walk, at);
    case WRL_INLINE:
        return see_inline(walk, at);
    case WRL_VIEW:
        return see_view(wrl, at);
    case WRL_INFO:
        return see_info(wrl, at->node);
    case WRL_QUIET:
    case WRL_MOTION:
        return CP_OK;
    case WRL_LOST:
    case WRL_PART:
        break;
    }
    lose(wrl, at->node);
    return CP_OK;
}

/* ---- prototypes ---- */

static cp_status see_robot(struct walk *walk, struct waiting *at)
{
    struct wrl *wrl = walk->wrl;
    const struct wrl_node *node = at->node;
    cp_status status = CP_OK;
    if (wrl_is_extra(node))
        return wrl_add_extra(wrl, at->node);
    if (wrl_is_segment(node)) {
        status = wrl_add_segment(wrl, at->node, at->frame);
        at->is_link = true;
        return status == CP_OK ? push_all(walk, at, wrl_value(node, "children")) : status;
    }
    bool is_humanoid = wrl_is_humanoid(node);
    at->frame = add_frame(wrl, at, node->name, node->type, wrl_pose(node));
    at->pose = POSE_IDENTITY;
    at->is_link = false;
    if (at->frame == CP_NONE)
        return wrl->failed;
    status = is_humanoid ? wrl_add_humanoid(wrl, at->node, at->frame) : wrl_add_joint(wrl, at->node, at->frame);
    return status == CP_OK ? push_all(walk, at, wrl_value(node, is_humanoid ? "humanoidBody" : "children")) : status;
}

/* Sees an instance of a prototype: what a robot is made of, or the node that it becomes, with the instance's name. */
static cp_status see_instance(struct walk *walk, struct waiting *at)
{
    struct wrl *wrl = walk->wrl;
    const struct wrl_node *node = at->node;
    if (wrl_is_joint(node) || wrl_is_segment(node) || wrl_is_humanoid(node) || wrl_is_extra(node))
        return see_robot(walk, at);
    struct wrl_node *body = node->instance->body;
    if (!body)
        return CP_OK; /* reported when it was expanded */
    if (body->name == NULL || node->name)
        body->name = node->name;
    if (wrl->robot && body->kind && body->kind->class == WRL_PLACED) { /* a sensor, or what else hangs on a joint */
        at->frame = add_frame(wrl, at, node->name, node->type, wrl_pose(body));
        at->pose = POSE_IDENTITY;
        at->is_link = false;
        if (at->frame == CP_NONE)
            return wrl->failed;
        cp_status status = wrl_add_sensor(wrl, node, at->frame);
        return status == CP_OK ? push_all(walk, at, wrl_value(body, "children")) : status;
    }
    return push(walk, at, body);
}

static cp_status see_next(struct walk *walk)
{
    struct wrl *wrl = walk->wrl;
    struct waiting at = walk->items[--walk->count];
    cp_status status = count_visit(wrl, at.node);
    if (status != CP_OK)
        return status;
    return at.node->instance ? see_instance(walk, &at) : see_node(walk, &at);
}

/* Adds the instances in the order of their nodes, as the scene wants them. */
static cp_status place_meshes(struct wrl *wrl)
{
    uint32_t count = wrl->scene->node_count,
             *starts = arena_allocate_zeroed(wrl->arena, count + (size_t)1, sizeof *starts);
    uint32_t *order = arena_allocate(wrl->arena, wrl->placed_count, sizeof *order);
    if (!starts || !order)
        return CP_LIMIT;
    for (uint32_t i = 0; i < wrl->placed_count; i++)
        starts[wrl->placed[i].node + 1]++;
    for (uint32_t i = 0; i < count; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < wrl->placed_count; i++)
        order[starts[wrl->placed[i].node]++] = i;
    for (uint32_t i = 0; i < wrl->placed_count; i++) {
        const struct wrl_placed *item = &wrl->placed[order[i]];
        if (scene_add_instance(wrl->scene, item->node, item->mesh, item->use, &item->pose) == CP_NONE)
            return CP_LIMIT;
    }
    return CP_OK;
}

cp_status wrl_build(struct wrl *wrl, struct wrl_file *top)
{
    struct walk walk = {.wrl = wrl};
    struct waiting start = {.use = CP_USE_BOTH, .pose = POSE_IDENTITY};
    cp_status status = CP_OK;
    for (uint32_t i = top->node_count; i-- > 0 && status == CP_OK;)
        status = push(&walk, &start, top->nodes[i]);
    while (walk.count > 0 && status == CP_OK)
        status = see_next(&walk);
    memory_free(wrl->context, walk.items, walk.room, sizeof *walk.items);
    return status == CP_OK ? place_meshes(wrl) : status;
}

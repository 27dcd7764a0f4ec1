/* Attaches the collision shapes of files to frames, as if the cell's own file had them there. */
#include "tools.h"

#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "motion/motion.h"

#define NO_FRAME CP_NONE
#define MOVED (CP_NONE - 1)

/* One file, and where its shapes go. */
struct tool {
    cp_scene *scene, *other;
    const char *path;
    cp_pose *worlds;  /* of the other's nodes */
    uint32_t *frames; /* indexed by the other's node: the scene's frame that its shapes belong to; NO_FRAME; MOVED: a
                       * joint moves it against the frame */
    uint32_t *heads;  /* indexed by the other's node: the other's node that lies at that frame */
};

/* ---- the text ---- */

/* Cuts FRAME:FILE in two; *frame is NULL for a FILE alone. A frame's name may have colons. False if one is empty. */
static bool cut_tool(char *item, const char **frame, const char **path)
{
    char *colon = strrchr(item, ':');
    *frame = colon ? item : NULL;
    *path = colon ? colon + 1 : item;
    if (colon)
        *colon = '\0';
    return **path && (!*frame || **frame);
}

static cp_status check_item(void *user, char *item)
{
    cp_context *context = user;
    const char *frame, *path;
    return cut_tool(item, &frame, &path)
               ? CP_OK
               : report_error(context, CP_USAGE, "tools-item", NOWHERE,
                              "tools= needs files with commas between, or FRAME:FILE for each");
}

cp_status tools_check(cp_context *context, const char *tools)
{
    return each_item(context, tools, check_item, context);
}

/* ---- where the shapes go ---- */

static bool moves_in_parent(const cp_scene *scene, uint32_t node)
{
    for (uint32_t i = 0; i < scene->nodes[node].joint_count; i++)
        if (scene->joints[scene->nodes[node].first_joint + i].type != CP_JOINT_FIXED)
            return true;
    return false;
}

/* Finds the frame of each node by its name, or by that of the nearest node above it whose name is a frame's. */
static cp_status find_frames(const struct tool *tool)
{
    const cp_scene *scene = tool->scene, *other = tool->other;
    struct name_map names = {.context = scene->context};
    cp_status status = CP_OK;
    for (uint32_t i = 1; i < scene->node_count && status == CP_OK; i++) { /* the world has the same name in all files */
        bool added;
        if (scene->nodes[i].flags & CP_NODE_PLACEHOLDER)
            continue;
        uint32_t *frame = name_map_add(&names, scene->nodes[i].name, i, &added);
        if (!frame)
            status = CP_LIMIT;
        else if (!added)
            *frame = NO_FRAME; /* several have the name */
    }
    for (uint32_t i = 1; i < other->node_count && status == CP_OK; i++) { /* parents come before their children */
        const char *name = other->nodes[i].name;
        uint32_t parent = other->nodes[i].parent;
        const uint32_t *named = name_map_find(&names, name);
        bool moved = tool->frames[parent] != NO_FRAME && moves_in_parent(other, i);
        tool->frames[i] = moved ? MOVED : tool->frames[parent];
        tool->heads[i] = named ? i : tool->heads[parent];
        if (named && *named == NO_FRAME)
            status = find_named(scene, TABLE_NODES, name, &tool->frames[i]); /* says which they are */
        else if (named)
            tool->frames[i] = *named;
    }
    name_map_free(&names);
    return status;
}

/* Gives all nodes that no joint moves the one frame. */
static cp_status take_frame(const struct tool *tool, const char *name)
{
    const cp_scene *other = tool->other;
    cp_status status = find_named(tool->scene, TABLE_NODES, name, &tool->frames[0]);
    if (status != CP_OK)
        return status;
    if (tool->scene->nodes[tool->frames[0]].flags & CP_NODE_PLACEHOLDER)
        return report_error(tool->scene->context, CP_USAGE, "tools-frame", NOWHERE,
                            "\"%s\" is a name that a list gives, and no frame of the cell", name);
    for (uint32_t i = 1; i < other->node_count; i++)
        tool->frames[i] = moves_in_parent(other, i) ? MOVED : tool->frames[other->nodes[i].parent];
    return CP_OK;
}

/* ---- attaching ---- */

/* Checks that a shape has a frame, against which nothing moves it. */
static cp_status check_shape(const struct tool *tool, uint32_t node)
{
    const cp_scene *other = tool->other;
    struct place place = {.file = other->source.file, .node = other->nodes[node].name};
    if (tool->frames[node] == NO_FRAME)
        return report_error(other->context, CP_INPUT, "tools-frame", place,
                            "the shapes of \"%s\" belong to no frame: neither it nor a frame above it has the name of "
                            "one of the cell's (tools=FRAME:%s gives all of them to FRAME)",
                            place.node, tool->path);
    if (tool->frames[node] == MOVED)
        return report_error(other->context, CP_INPUT, "tools-moves", place,
                            "a joint moves the shapes of \"%s\" against the frame that they are attached to: only what "
                            "is fixed there can be attached (convert it to a mesh first, or add the joint to the cell)",
                            place.node);
    return CP_OK;
}

/* Leaves only what collides. In a file that says nothing of collisions, such as glTF, that is all of it: a warning. */
static cp_status choose_shapes(const struct tool *tool)
{
    cp_scene *other = tool->other;
    cp_context *context = other->context;
    uint32_t count = 0, use = 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < other->instance_count; i++)
        use |= other->instances[i].use;
    if (use == CP_USE_DRAWN)
        report_warning(context, "tools-drawn", IN_FILE(other->source.file),
                       "has no collision geometry: what it draws is attached");
    use = use & CP_USE_COLLISION ? CP_USE_COLLISION : CP_USE_DRAWN;
    for (uint32_t i = 0; i < other->instance_count && status == CP_OK; i++) {
        cp_instance instance = other->instances[i];
        if (!(instance.use & use))
            continue;
        status = check_shape(tool, instance.node);
        instance.use |= CP_USE_COLLISION;
        other->instances[count++] = instance;
    }
    if (status != CP_OK)
        return status;
    if (count == 0)
        return report_error(context, CP_INPUT, "tools-empty", IN_FILE(other->source.file), "has no shapes to attach");
    other->instance_count = count;
    scene_find_spans(other);
    return scene_drop_unused(other);
}

/* Puts the instances in the order of their nodes; those of one node keep theirs. */
static cp_status sort_instances(cp_scene *scene)
{
    cp_context *context = scene->context;
    uint32_t count = scene->instance_count, nodes = scene->node_count;
    cp_instance *table = memory_allocate(context, count, sizeof *table);
    uint32_t *places = memory_allocate_zeroed(context, (size_t)nodes + 1, sizeof *places);
    bool good = table && places;
    for (uint32_t i = 0; good && i < count; i++)
        places[scene->instances[i].node + 1]++;
    for (uint32_t i = 0; good && i < nodes; i++)
        places[i + 1] += places[i];
    for (uint32_t i = 0; good && i < count; i++)
        table[places[scene->instances[i].node]++] = scene->instances[i];
    memory_free(context, places, (size_t)nodes + 1, sizeof *places);
    if (good)
        scene_take_instances(scene, table, count, count);
    else
        memory_free(context, table, count, sizeof *table);
    return good ? CP_OK : CP_LIMIT;
}

/* Adds the chosen shapes, each at its frame. */
static cp_status place_shapes(const struct tool *tool)
{
    cp_scene *scene = tool->scene, *other = tool->other;
    cp_context *context = scene->context;
    const char *file = scene_text(scene, other->source.file);
    uint32_t count = other->instance_count, room = count;
    cp_instance *shapes, *before = memory_allocate(context, room, sizeof *before);
    for (uint32_t i = 0; before && i < room; i++)
        before[i] = other->instances[i];
    cp_status status = before && file ? scene_add_inputs(scene, other->inputs.items, other->inputs.count) : CP_LIMIT;
    if (status == CP_OK)
        status = scene_add_geometry(scene, other, tool->worlds, &shapes, &count); /* empties the other */
    for (uint32_t i = 0; status == CP_OK && i < count; i++) {
        cp_pose back;
        bool good = pose_inverse(&tool->worlds[tool->heads[before[i].node]], &back);
        cp_instance shape = shapes[i];
        shape.node = tool->frames[before[i].node];
        shape.use = before[i].use;
        shape.transform = good ? pose_multiply(&back, &shapes[i].transform) : shapes[i].transform;
        if (!good || !pose_is_finite(&shape.transform))
            status = report_error(context, CP_INPUT, "tools-pose", IN_FILE(file),
                                  "the pose of \"%s\" is singular, or too large", scene->nodes[shape.node].name);
        else if (scene_add_row(scene, TABLE_INSTANCES, &shape) == CP_NONE)
            status = CP_LIMIT;
    }
    memory_free(context, before, room, sizeof *before);
    if (status == CP_OK)
        status = sort_instances(scene);
    if (status == CP_OK)
        report_note(context, "tools-attached", IN_FILE(file), "shapes that are attached (tools=): %u", (unsigned)count);
    return status;
}

static cp_status attach_item(void *user, char *item)
{
    struct tool tool = {.scene = user};
    cp_context *context = tool.scene->context;
    const char *frame;
    (void)cut_tool(item, &frame, &tool.path); /* tools_check has found it good */
    cp_status status = cp_read(context, tool.path, NULL, NULL, 0, &tool.other);
    if (status != CP_OK)
        return status;
    uint32_t count = tool.other->node_count;
    tool.worlds = memory_allocate(context, count, sizeof *tool.worlds);
    tool.frames = memory_allocate(context, count, sizeof *tool.frames);
    tool.heads = memory_allocate_zeroed(context, count, sizeof *tool.heads);
    for (uint32_t i = 0; tool.frames && i < count; i++)
        tool.frames[i] = NO_FRAME;
    status =
        tool.worlds && tool.frames && tool.heads ? scene_world_poses(context, tool.other, NULL, tool.worlds) : CP_LIMIT;
    if (status == CP_OK)
        status = frame ? take_frame(&tool, frame) : find_frames(&tool);
    if (status == CP_OK)
        status = choose_shapes(&tool);
    if (status == CP_OK)
        status = place_shapes(&tool);
    memory_free(context, tool.worlds, count, sizeof *tool.worlds);
    memory_free(context, tool.frames, count, sizeof *tool.frames);
    memory_free(context, tool.heads, count, sizeof *tool.heads);
    cp_scene_free(tool.other);
    return status;
}

cp_status tools_attach(cp_context *context, cp_scene *scene, const char *tools)
{
    return each_item(context, tools, attach_item, scene);
}

cp_status cp_attach_tools(cp_context *context, cp_scene *scene, const char *tools)
{
    cp_scene *work = scene_copy(scene);
    cp_status status = work ? tools_check(context, tools) : CP_LIMIT;
    if (status == CP_OK)
        status = tools_attach(context, work, tools);
    if (status == CP_OK)
        status = scene_finish(work);
    if (status == CP_OK)
        scene_replace(scene, work);
    else
        cp_scene_free(work);
    return context_finish(context, status);
}

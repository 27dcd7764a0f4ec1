/* Gives colours to a cell whose source has none: by device, by movable frames, by name and by shape. Equal scenes get
 * equal colours. */
#include "view.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

/* The role of an instance. Each robot has a colour of its own. */
enum role { ROLE_PLAIN, ROLE_TOOL, ROLE_WORKPIECE, ROLE_FLOOR, ROLE_FENCE, ROLE_ROBOT };

/* As displayed (sRGB). */
static const double role_colours[][4] = {
    [ROLE_TOOL] = {0.2, 0.21, 0.23, 1},
    [ROLE_WORKPIECE] = {0.16, 0.4, 0.8, 1},
    [ROLE_FLOOR] = {0.78, 0.78, 0.76, 1},
    [ROLE_FENCE] = {0.95, 0.77, 0.06, 1},
};
static const double robot_colours[][4] = {{0.93, 0.43, 0.1, 1}, {0.1, 0.58, 0.56, 1}, {0.78, 0.18, 0.16, 1},
                                          {0.5, 0.3, 0.65, 1},  {0.45, 0.58, 0.2, 1}, {0.56, 0.36, 0.2, 1}};
enum { ROBOT_COLOURS = sizeof robot_colours / sizeof *robot_colours };
static const char *const role_names[] = {"", "tool", "workpiece", "floor", "fence", "robot"};

/* The words that names contain, in lower case. */
static const char *const tool_words[] = {"gripper", "torch", "gun", "tool", "greifer", NULL};
static const char *const floor_words[] = {"floor", "ground", "boden", NULL};
static const char *const fence_words[] = {"fence", "guard", "barrier", "safety", "zaun", NULL};

/* A fence is thinner than this part of its length and height, and at least so high. */
static const double THIN = 0.1, FENCE_HEIGHT = 0.8;

struct painting {
    const struct shown *shown;
    double lower[3], upper[3]; /* of all that is framed */
    uint32_t *robots;          /* indexed by device: the robot's number, counted from 0, or CP_NONE */
    uint32_t robot_count;
    bool *carried; /* nodes that a device carries without being part of it */
    bool *movable; /* nodes that may be moved, or hang on one that may */
    uint64_t counts[ROLE_ROBOT + 1];
};

/* ---- names and shapes ---- */

static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++)
        for (const char *at = name; *at; at++) {
            size_t length = 0;
            while ((*words)[length] && (at[length] | 0x20) == (*words)[length])
                length++;
            if (!(*words)[length])
                return true;
        }
    return false;
}

static enum role role_of_shape(const struct painting *painting, uint32_t instance)
{
    double lower[3], upper[3], side[3];
    if (shown_is_floor(painting->shown, instance, painting->lower, painting->upper))
        return ROLE_FLOOR;
    shown_bounds(painting->shown, instance, lower, upper);
    for (int i = 0; i < 3; i++)
        side[i] = upper[i] - lower[i];
    double length = fmax(side[0], side[1]), thickness = fmin(side[0], side[1]);
    bool thin = thickness <= THIN * length && thickness <= THIN * side[2];
    return thin && side[2] >= FENCE_HEIGHT ? ROLE_FENCE : ROLE_PLAIN;
}

/* ---- roles ---- */

static enum role role_of(const struct painting *painting, uint32_t index)
{
    const cp_scene *scene = painting->shown->scene;
    const cp_instance *instance = &scene->instances[index];
    const cp_node *node = &scene->nodes[instance->node];
    const cp_mesh *mesh = &scene->meshes[instance->mesh];
    bool robot = node->scope != CP_NONE && painting->robots[node->scope] != CP_NONE;
    bool tool = has_word(node->name, tool_words) || has_word(mesh->name, tool_words);
    if (painting->carried[instance->node] || (robot && tool))
        return ROLE_TOOL;
    if (robot)
        return ROLE_ROBOT;
    if (painting->movable[instance->node])
        return ROLE_WORKPIECE;
    if (mesh->kind == CP_MESH_PLANE || has_word(node->name, floor_words) || has_word(mesh->name, floor_words))
        return ROLE_FLOOR;
    if (has_word(node->name, fence_words) || has_word(mesh->name, fence_words))
        return ROLE_FENCE;
    return role_of_shape(painting, index);
}

/* Finds robots and tools. A device with joints that is on no other is a robot; a frame that hangs on it, but is no part
 * of it, is its tool. */
static void find_devices(struct painting *painting)
{
    const cp_scene *scene = painting->shown->scene;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool child = node->parent != CP_NONE;
        uint32_t above = child ? scene->nodes[node->parent].scope : CP_NONE;
        bool on_other = above != CP_NONE && above != node->scope && scene->devices[above].joint_count > 0;
        painting->carried[i] = child && (painting->carried[node->parent] || on_other);
        painting->movable[i] =
            (child && painting->movable[node->parent]) || node->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE);
    }
    for (uint32_t i = 0; i < scene->device_count; i++)
        painting->robots[i] = CP_NONE;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        uint32_t node = scene->instances[i].node, device = scene->nodes[node].scope;
        bool robot = device != CP_NONE && scene->devices[device].joint_count > 0 && !painting->carried[node];
        if (robot && scene->instances[i].use & CP_USE_DRAWN)
            painting->robots[device] = 0;
    }
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (painting->robots[i] != CP_NONE)
            painting->robots[i] = painting->robot_count++;
}

/* ---- meshes ---- */

/* A copy of a mesh in another colour. */
struct variant {
    uint32_t material, mesh, next; /* of the same mesh, or CP_NONE */
};

static bool give_material(cp_scene *copy, uint32_t mesh, uint32_t material)
{
    cp_mesh *it = &copy->meshes[mesh];
    cp_group *group = scene_allocate(copy, 1, sizeof *group);
    if (!group)
        return false;
    *group = (cp_group){0, it->kind < CP_MESH_BOX ? it->face_count : 0, material};
    it->groups = material == CP_NONE ? NULL : group;
    it->group_count = material != CP_NONE;
    return true;
}

/* Gives each drawn instance a mesh of its material: the mesh itself for the first one, copies for others. */
static cp_status colour_meshes(struct arena *arena, cp_scene *copy, const uint32_t *materials)
{
    struct variant *variants = arena_allocate(arena, copy->mesh_count + (size_t)copy->instance_count, sizeof *variants);
    uint32_t meshes = copy->mesh_count, count = meshes;
    if (!variants)
        return CP_LIMIT;
    for (uint32_t i = 0; i < meshes; i++)
        variants[i] = (struct variant){CP_NONE, CP_NONE, CP_NONE};
    for (uint32_t i = 0; i < copy->instance_count; i++) {
        uint32_t mesh = copy->instances[i].mesh, at = mesh;
        if (!(copy->instances[i].use & CP_USE_DRAWN))
            continue;
        while (variants[at].mesh != CP_NONE && variants[at].material != materials[i] && variants[at].next != CP_NONE)
            at = variants[at].next;
        if (variants[at].mesh == CP_NONE) {
            variants[at] = (struct variant){materials[i], mesh, CP_NONE};
            if (!give_material(copy, mesh, materials[i]))
                return CP_LIMIT;
        } else if (variants[at].material != materials[i]) {
            cp_mesh other = copy->meshes[mesh];
            other.id = NULL;
            uint32_t added = scene_add_mesh(copy, &other);
            if (added == CP_NONE || !give_material(copy, added, materials[i]))
                return CP_LIMIT;
            variants[at].next = count;
            at = count++;
            variants[at] = (struct variant){materials[i], added, CP_NONE};
        }
        copy->instances[i].mesh = variants[at].mesh;
    }
    return CP_OK;
}

/* ---- all ---- */

/* Tells whether the scene is a cell, that is, has devices, in which nothing drawn has a colour. */
static bool is_without_colours(const cp_scene *scene)
{
    bool drawn = false;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_mesh *mesh = &scene->meshes[scene->instances[i].mesh];
        if (!(scene->instances[i].use & CP_USE_DRAWN))
            continue;
        drawn = true;
        if (mesh->colours)
            return false;
        for (uint32_t k = 0; k < mesh->group_count; k++)
            if (mesh->groups[k].material != CP_NONE)
                return false;
    }
    return drawn && scene->device_count > 0;
}

static uint32_t add_colour(cp_scene *copy, enum role role, uint32_t robot)
{
    if (role != ROLE_ROBOT)
        return scene_add_material(copy, role_names[role], role_colours[role], true);
    char *name = arena_print(copy->arena, "robot %lu", (unsigned long)robot + 1);
    return name ? scene_add_material(copy, name, robot_colours[robot % ROBOT_COLOURS], true) : CP_NONE;
}

/* Chooses the role and thus the material of each drawn instance. */
static cp_status choose_materials(struct painting *painting, cp_scene *copy, uint32_t *materials)
{
    const cp_scene *scene = painting->shown->scene;
    uint32_t slots = ROLE_ROBOT + painting->robot_count;
    uint32_t *made = arena_allocate(painting->shown->arena, slots, sizeof *made);
    if (!made)
        return CP_LIMIT;
    memset(made, 0xff, slots * sizeof *made);
    painting->counts[ROLE_ROBOT] = painting->robot_count;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        materials[i] = CP_NONE;
        if (!(scene->instances[i].use & CP_USE_DRAWN))
            continue;
        enum role role = role_of(painting, i);
        if (role == ROLE_PLAIN)
            continue;
        uint32_t robot = role == ROLE_ROBOT ? painting->robots[scene->nodes[scene->instances[i].node].scope] : 0;
        uint32_t *slot = &made[role + robot];
        painting->counts[role] += role != ROLE_ROBOT;
        if (*slot == CP_NONE && (*slot = add_colour(copy, role, robot)) == CP_NONE)
            return CP_LIMIT;
        materials[i] = *slot;
    }
    return CP_OK;
}

static cp_status paint(struct painting *painting, cp_scene *copy)
{
    const struct shown *shown = painting->shown;
    const cp_scene *scene = shown->scene;
    painting->robots = arena_allocate(shown->arena, scene->device_count, sizeof *painting->robots);
    painting->carried = arena_allocate(shown->arena, scene->node_count, sizeof *painting->carried);
    painting->movable = arena_allocate(shown->arena, scene->node_count, sizeof *painting->movable);
    uint32_t *materials = arena_allocate(shown->arena, scene->instance_count, sizeof *materials);
    if (!painting->robots || !painting->carried || !painting->movable || !materials)
        return CP_LIMIT;
    (void)shown_box(shown, painting->lower, painting->upper);
    find_devices(painting);
    cp_status status = choose_materials(painting, copy, materials);
    if (status == CP_OK)
        status = colour_meshes(shown->arena, copy, materials);
    return status == CP_OK ? scene_finish(copy) : status;
}

cp_status view_paint(cp_context *context, const cp_scene *scene, cp_scene **changed)
{
    struct shown shown;
    struct painting painting = {.shown = &shown};
    const cp_scene *now = *changed ? *changed : scene;
    if (!is_without_colours(now))
        return CP_OK;
    cp_scene *copy = *changed ? *changed : scene_copy(scene);
    *changed = copy;
    struct arena *arena = arena_new(context);
    cp_status status = copy && arena ? shown_open(&shown, context, now, arena) : CP_LIMIT;
    if (status == CP_OK)
        status = paint(&painting, copy);
    arena_free(arena);
    const uint64_t *counts = painting.counts;
    if (status == CP_OK)
        report_note(context, "colours-made", NOWHERE,
                    "the source has no colours: robots %llu, tools %llu, workpieces %llu, floors %llu, fences %llu get "
                    "some (colours=none: all grey)",
                    (unsigned long long)counts[ROLE_ROBOT], (unsigned long long)counts[ROLE_TOOL],
                    (unsigned long long)counts[ROLE_WORKPIECE], (unsigned long long)counts[ROLE_FLOOR],
                    (unsigned long long)counts[ROLE_FENCE]);
    return status;
}

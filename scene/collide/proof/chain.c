#include "chain.h"

#include <math.h>

#include "base/text/text.h"
#include "model/model.h"
#include "motion/motion.h"

/* ---- finding ---- */

void joint_reach(const cp_joint *joint, double *lower, double *upper)
{
    bool stays = !joint->driven && !cp_joint_is_dependent(joint);
    bool locked = stays && joint->lower == joint->upper;
    *lower = locked ? joint->q : stays ? fmin(joint->lower, joint->q) : joint->lower;
    *upper = locked ? joint->q : stays ? fmax(joint->upper, joint->q) : joint->upper;
}

static uint32_t find_variable(struct frame_chain *chain, uint32_t joint)
{
    if (chain->numbers[joint] != CP_NONE)
        return chain->numbers[joint];
    const cp_joint *it = &chain->scene->joints[joint];
    struct variable variable = {.joint = joint, .repeats = true};
    joint_reach(it, &variable.lower, &variable.upper);
    /* Loops are closed whatever the limits of free joints say. */
    bool solved = chain->scene->loop_count > 0 && joint_is_free(it);
    bool limited = isfinite(it->lower) && isfinite(it->upper) && !it->expression && !solved;
    if (!limited && it->type == CP_JOINT_REVOLUTE) {
        variable.lower = -PI;
        variable.upper = PI;
    } else if (!limited) {
        variable.lower = variable.upper = it->q;
        chain->obstacles |= OBSTACLE_UNLIMITED;
    }
    chain->variables[chain->variable_count] = variable;
    return chain->numbers[joint] = chain->variable_count++;
}

/* Tells whether powers of the size neither overflow nor lose digits. */
static bool is_usual(double size)
{
    return size >= 1e-100 && size <= 1e100;
}

struct similarity similarity_of(const cp_pose *pose)
{
    double products[3][3] = {{0}}, most = 0, scale = pose_largest_entry(pose);
    if (!is_usual(scale))
        return (struct similarity){scale, INFINITY};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int row = 0; row < 3; row++)
                products[i][k] += pose->m[4 * row + i] / scale * (pose->m[4 * row + k] / scale);
    double size2 = (products[0][0] + products[1][1] + products[2][2]) / 3;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(products[i][k] / size2 - (i == k)));
    return (struct similarity){scale * sqrt(size2), most};
}

/* Bounds what the pose does to lengths and angles. With e for the similarity's stretch, the eigenvalues of R' R are at
 * most 1 + 3 e, so lengths change by a factor of at most 1 + 2 e, and angles by at most 4 e. 1e-12 covers rounding. */
static double stretch_of(const struct similarity *similarity)
{
    return 4 * similarity->stretch + 1e-12;
}

static void add_stretch(struct frame_chain *chain, double stretch)
{
    chain->stretch += stretch;
    if (!(chain->stretch < MOST_STRETCH))
        chain->obstacles |= OBSTACLE_STRETCHED;
}

/* Adds the stretch that the pose causes in all that comes behind it. Returns the pose's size. */
static double add_pose(struct frame_chain *chain, const cp_pose *pose)
{
    struct similarity similarity = similarity_of(pose);
    add_stretch(chain, stretch_of(&similarity));
    return similarity.size;
}

bool has_unit_axis(const cp_joint *joint)
{
    return fabs(dot_product(joint->axis, joint->axis) - 1) <= 1e-12;
}

/* Returns how far a joint of this type goes from where it is at 0; 0 for one of another type. */
static double longest_motion(const struct frame_chain *chain, const struct chain_motion *motion, cp_joint_type type)
{
    const struct variable *variable = &chain->variables[motion->variable];
    double most = fmax(fabs(variable->lower), fabs(variable->upper));
    bool goes = chain->scene->joints[motion->joint].type == type;
    return goes ? fabs(motion->scale) * most + fabs(motion->offset) : 0;
}

static void add_motion(struct frame_chain *chain, struct branch *branch, uint32_t joint, const cp_pose *before)
{
    const cp_joint *joints = chain->scene->joints, *it = &joints[joint];
    struct joint_law law = joint_law(joints, joint);
    if (it->type == CP_JOINT_REVOLUTE && !has_unit_axis(it))
        chain->obstacles |= OBSTACLE_STRETCHED;
    if (it->expression && it->type != CP_JOINT_REVOLUTE)
        chain->obstacles |= OBSTACLE_EXPRESSION;
    chain->is_loose = chain->is_loose || it->expression;
    if (it->type == CP_JOINT_SCALE)
        chain->obstacles |= OBSTACLE_SCALE;
    /* A joint without limits is taken through one turn only. So a follower must make whole turns with it: else it is at
     * another place after each turn of its leader. */
    bool limited = isfinite(joints[law.leader].lower) && isfinite(joints[law.leader].upper);
    bool whole = it->type == CP_JOINT_REVOLUTE && law.scale == floor(law.scale);
    if (!limited && law.leader != joint && !whole)
        chain->obstacles |= OBSTACLE_UNLIMITED;
    branch->motions[branch->count++] = (struct chain_motion){.before = *before,
                                                             .joint = joint,
                                                             .variable = find_variable(chain, law.leader),
                                                             .scale = law.scale,
                                                             .offset = law.offset};
}

/* Fills the branch with the joints from the common ancestor, `top`, down to the node. */
static void fill_branch(struct frame_chain *chain, struct branch *branch, uint32_t node, uint32_t top)
{
    uint32_t count = 0;
    for (; node != top; node = chain->scene->nodes[node].parent)
        chain->nodes[count++] = node;
    branch->motions = chain->motions + chain->motion_count;
    branch->count = 0;
    cp_pose pose = POSE_IDENTITY;
    double unit = chain->unit; /* metres per unit of the frame that the pose is in */
    for (uint32_t i = count; i-- > 0;) {
        const cp_node *it = &chain->scene->nodes[chain->nodes[i]];
        chain->moves = chain->moves || it->joint_count > 0;
        if (chain->movables[chain->nodes[i]]) {
            chain->moves = chain->movable = true;
            chain->obstacles |= OBSTACLE_MOVABLE;
        }
        double place[3] = {it->local.m[3], it->local.m[7], it->local.m[11]};
        chain->way += sqrt(dot_product(place, place)) * (unit * similarity_of(&pose).size);
        pose = pose_multiply(&pose, &it->local);
        for (uint32_t k = it->first_joint; k < it->first_joint + it->joint_count; k++)
            if (chain->scene->joints[k].type != CP_JOINT_FIXED) {
                add_motion(chain, branch, k, &pose);
                unit *= add_pose(chain, &pose);
                chain->way += longest_motion(chain, &branch->motions[branch->count - 1], CP_JOINT_PRISMATIC) * unit;
                pose = POSE_IDENTITY;
            }
    }
    branch->end = pose;
    chain->motion_count += branch->count;
}

/* A joint that turns more than once shows nothing new after the first turn, if all that it moves is at the same place
 * after a whole turn: the turn nearest to zero within the limits is left, or a little more, as PI is a little less than
 * half a turn. */
static void shorten_turns(struct frame_chain *chain)
{
    for (uint32_t i = 0; i < chain->motion_count; i++) {
        const struct chain_motion *motion = &chain->motions[i];
        if (chain->scene->joints[motion->joint].type != CP_JOINT_REVOLUTE || motion->scale != floor(motion->scale))
            chain->variables[motion->variable].repeats = false;
    }
    for (uint32_t i = 0; i < chain->variable_count; i++) {
        struct variable *variable = &chain->variables[i];
        if (!variable->repeats || !(variable->upper - variable->lower > 2 * PI))
            continue;
        double half = PI + 1e-9, middle = fmin(fmax(0, variable->lower + PI), variable->upper - PI);
        variable->lower = fmax(variable->lower, middle - half);
        variable->upper = fmin(variable->upper, middle + half);
    }
}

void chain_find(struct frame_chain *chain, uint32_t one, uint32_t other)
{
    const cp_node *nodes = chain->scene->nodes;
    const double most_angle = 1e5; /* an angle that is larger has lost its digits */
    uint32_t top = one, below = other;
    while (top != below) { /* the lowest frame that both are below of, or are; parents come before their children */
        if (top > below)
            top = nodes[top].parent;
        else
            below = nodes[below].parent;
    }
    for (uint32_t i = 0; i < chain->variable_count; i++) /* of the chain before */
        chain->numbers[chain->variables[i].joint] = CP_NONE;
    *chain = (struct frame_chain){.arena = chain->arena,
                                  .scene = chain->scene,
                                  .frames = chain->frames,
                                  .movables = chain->movables,
                                  .motions = chain->motions,
                                  .variables = chain->variables,
                                  .numbers = chain->numbers,
                                  .nodes = chain->nodes,
                                  .most = chain->most,
                                  .levels = chain->levels,
                                  .unit = chain->frames[top].size};
    add_stretch(chain, chain->frames[top].stretch);
    if (chain->frames[top].scales)
        chain->obstacles |= OBSTACLE_SCALE;
    if ((nodes[one].flags | nodes[other].flags) & CP_NODE_VOLATILE) { /* other geometry may come */
        chain->moves = chain->movable = true;
        chain->obstacles |= OBSTACLE_MOVABLE;
    }
    fill_branch(chain, &chain->branches[0], one, top);
    fill_branch(chain, &chain->branches[1], other, top);
    shorten_turns(chain);
    for (uint32_t i = 0; i < chain->motion_count; i++)
        if (!(longest_motion(chain, &chain->motions[i], CP_JOINT_REVOLUTE) <= most_angle))
            chain->obstacles |= OBSTACLE_UNLIMITED;
    chain->first_unit = chain->unit;
    for (uint32_t i = 0; i < chain->branches[0].count; i++)
        chain->first_unit *= similarity_of(&chain->branches[0].motions[i].before).size;
    chain->first_unit *= add_pose(chain, &chain->branches[0].end);
    if (!is_usual(chain->unit) || !is_usual(chain->first_unit))
        chain->obstacles |= OBSTACLE_STRETCHED;
    if (!(chain->way <= MOST_WAY))
        chain->obstacles |= OBSTACLE_FAR;
}

/* ---- what may be moved ---- */

void find_movables(const cp_scene *scene, bool *marks)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        marks[i] = scene->nodes[i].flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE);
    /* Clips may move a node without a joint, or hang it elsewhere. Such a node is as movable as one that is marked
     * so. */
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const cp_clip *clip = &scene->clips[i];
        for (uint32_t k = 0; k < clip->track_count; k++)
            if (clip->tracks[k].path != CP_PATH_JOINT)
                marks[clip->tracks[k].target] = true;
        for (uint32_t k = 0; k < clip->attachment_count; k++)
            marks[clip->attachments[k].node] = true;
    }
}

/* ---- room ---- */

/* Fills chain->frames and chain->levels, the depth of the tree. Returns the most joints that lie above one another. */
static uint32_t find_frames(struct frame_chain *chain)
{
    const cp_scene *scene = chain->scene;
    uint32_t joints = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        struct frame frame = node->parent == CP_NONE ? (struct frame){.size = 1} : chain->frames[node->parent];
        struct similarity similarity = similarity_of(&node->local);
        frame.size *= similarity.size;
        frame.stretch += stretch_of(&similarity);
        frame.joints += node->joint_count;
        frame.levels++;
        for (uint32_t k = node->first_joint; k < node->first_joint + node->joint_count; k++)
            frame.scales = frame.scales || scene->joints[k].type == CP_JOINT_SCALE;
        chain->frames[i] = frame;
        joints = frame.joints > joints ? frame.joints : joints;
        chain->levels = frame.levels > chain->levels ? frame.levels : chain->levels;
    }
    return joints;
}

bool chain_open(struct frame_chain *chain, cp_context *context, const cp_scene *scene, const bool *movables)
{
    *chain = (struct frame_chain){.scene = scene, .movables = movables, .arena = arena_new(context)};
    chain->frames = arena_allocate(chain->arena, scene->node_count, sizeof *chain->frames);
    if (!chain->frames)
        return false;
    chain->most = 2 * find_frames(chain);
    chain->motions = arena_allocate(chain->arena, chain->most, sizeof *chain->motions);
    chain->variables = arena_allocate(chain->arena, chain->most, sizeof *chain->variables);
    chain->numbers = arena_allocate(chain->arena, scene->joint_count, sizeof *chain->numbers);
    chain->nodes = arena_allocate(chain->arena, chain->levels, sizeof *chain->nodes);
    for (uint32_t i = 0; chain->numbers && i < scene->joint_count; i++)
        chain->numbers[i] = CP_NONE;
    return !arena_failed(chain->arena);
}

void chain_close(struct frame_chain *chain)
{
    arena_free(chain->arena);
    *chain = (struct frame_chain){0};
}

/* ---- poses ---- */

void branch_poses(const struct frame_chain *chain, int branch, const double *values, cp_pose *poses, cp_pose *end)
{
    const struct branch *it = &chain->branches[branch];
    cp_pose pose = POSE_IDENTITY;
    for (uint32_t i = 0; i < it->count; i++) {
        const struct chain_motion *motion = &it->motions[i];
        const cp_joint *joint = &chain->scene->joints[motion->joint];
        pose = pose_multiply(&pose, &motion->before);
        if (poses)
            poses[i] = pose;
        cp_pose moved = joint_motion(joint, motion->scale * values[motion->variable] + motion->offset);
        pose = pose_multiply(&pose, &moved);
    }
    *end = pose_multiply(&pose, &it->end);
}

void motion_axis(const struct frame_chain *chain, const struct chain_motion *motion, const cp_pose *pose,
                 double axis[3], double origin[3])
{
    const double *own = chain->scene->joints[motion->joint].axis;
    for (int i = 0; i < 3; i++) {
        axis[i] = dot_product(pose->m + 4 * i, own);
        origin[i] = pose->m[4 * i + 3];
    }
}

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "model/model.h"

/* What rounding of vertices to float32 may do to distances, in metres: half a unit in the last place of 2 m, twice. */
#define ROUNDING 3e-7

/* ---- random numbers ---- */

/* Of a counter: one round of SplitMix64 (Steele, Lea and Flood, 2014) for each word. */
static uint64_t mix(uint64_t word)
{
    word += UINT64_C(0x9E3779B97F4A7C15);
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

/* In 0 .. 1, of three counters. */
static double random_share(const struct check *check, uint64_t row, uint64_t column)
{
    return (double)(mix(mix(mix(check->seed) ^ row) ^ column) >> 11) * 0x1p-53;
}

/* ---- beginning and end ---- */

cp_status check_begin(struct check *check, cp_context *context, cp_scene *scene)
{
    *check = (struct check){.context = context, .scene = scene, .seed = 1};
    cp_status status = cp_apply(context, scene, "triangulate", (const char *const[]){"primitives=yes"}, 1);
    if (status == CP_OK)
        status = cp_mechanism_new(context, scene, &check->mechanism);
    if (status != CP_OK)
        return status;
    uint32_t count;
    cp_nodes(scene, &count);
    cp_joints(scene, &check->joint_count);
    check->solids = allocate(count, sizeof *check->solids);
    check->worlds = allocate(count, sizeof *check->worlds);
    check->q = allocate(check->joint_count, sizeof *check->q);
    while (check->node_count < count && status == CP_OK) {
        status = solid_make(&check->solids[check->node_count], context, scene, check->node_count);
        check->node_count++;
    }
    return status;
}

void check_end(struct check *check)
{
    for (uint32_t i = 0; i < check->node_count; i++)
        solid_free(&check->solids[i]);
    cp_mechanism_free(check->mechanism);
    free(check->solids);
    free(check->worlds);
    free(check->q);
    *check = (struct check){0};
}

/* ---- configurations ---- */

static const cp_joint *joint_at(const struct check *check, uint32_t joint)
{
    return &cp_joints(check->scene, &(uint32_t){0})[joint];
}

static bool is_free(const cp_joint *joint)
{
    return !cp_joint_is_dependent(joint) && joint->type != CP_JOINT_FIXED;
}

static void find_range(const cp_joint *joint, double range[2])
{
    bool limited = isfinite(joint->lower) && isfinite(joint->upper), turns = joint->type == CP_JOINT_REVOLUTE;
    range[0] = limited ? joint->lower : turns ? -PI : joint->q;
    range[1] = limited ? joint->upper : turns ? PI : joint->q;
}

static void take_current(struct check *check)
{
    for (uint32_t i = 0; i < check->joint_count; i++)
        check->q[i] = joint_at(check, i)->q;
}

static void take_random(struct check *check, uint64_t row)
{
    for (uint32_t i = 0; i < check->joint_count; i++) {
        double range[2];
        find_range(joint_at(check, i), range);
        check->q[i] = range[0] + random_share(check, row, i) * (range[1] - range[0]);
    }
}

static cp_pose pose_between(const struct check *check, const struct claim *claim)
{
    cp_pose back;
    if (!pose_inverse(&check->worlds[claim->first], &back))
        back = POSE_IDENTITY;
    return pose_multiply(&back, &check->worlds[claim->second]);
}

/* q NULL: as the joints stand. */
static void take_pose(const struct check *check, const double *q)
{
    if (cp_mechanism_poses(check->mechanism, q, check->worlds) != CP_OK)
        abort();
}

/* As the joints are: most when it is more. */
static double distance_now(const struct check *check, const struct claim *claim, double most)
{
    cp_pose placed = pose_between(check, claim);
    return solids_distance(&check->solids[claim->first], &check->solids[claim->second], &placed, most);
}

static double distance_at(struct check *check, const struct claim *claim, double most)
{
    take_pose(check, check->q);
    return distance_now(check, claim, most);
}

/* ---- claims ---- */

enum kind { KIND_OTHER, KIND_MEASURED, KIND_STATIC, KIND_ALWAYS, KIND_NEVER, KIND_SOMETIMES };

static enum kind kind_of(const struct claim *claim)
{
    static const char *const reasons[] = {"", "static", "always-proved", "never-proved", "sometimes"};
    for (int i = 0; i < 5; i++)
        if (!strcmp(claim->reason, reasons[i]))
            return (enum kind)(KIND_MEASURED + i);
    return KIND_OTHER;
}

/* What is nearer touches, as far as that can be told here. */
static double contact_distance(const struct claim *claim)
{
    return fmax(claim->finding ? claim->finding->margin : 0, TOUCH);
}

struct claim claim_nothing(const struct check *check, uint32_t first, uint32_t second)
{
    struct claim claim = {.first = first, .second = second, .reason = "", .smallest = INFINITY};
    take_pose(check, NULL);
    claim.apart = pose_between(check, &claim);
    if (check->solids[first].triangle_count == 0 || check->solids[second].triangle_count == 0)
        claim.wrong = "no collision geometry";
    return claim;
}

/* The witness is within the limits, and the two touch there. */
static const char *judge_witness(struct check *check, struct claim *claim)
{
    const cp_finding *finding = claim->finding;
    if (!finding || finding->witness_count == 0)
        return "no witness";
    take_current(check);
    for (uint32_t i = 0; i < finding->witness_count; i++) {
        const cp_joint_setting *setting = &finding->witness[i];
        const cp_joint *joint = joint_at(check, setting->joint);
        double range[2];
        find_range(joint, range);
        if (!is_free(joint) || !(setting->value >= range[0] && setting->value <= range[1]))
            return "the witness is out of limits";
        check->q[setting->joint] = setting->value;
    }
    claim->smallest = distance_at(check, claim, INFINITY);
    return claim->smallest > contact_distance(claim) + ROUNDING ? "the witness does not touch" : NULL;
}

bool claim_of(const struct check *check, const cp_pair *pair, struct claim *claim)
{
    *claim = claim_nothing(check, pair->first, pair->second);
    claim->reason = pair->reason;
    claim->finding = pair->finding;
    enum kind kind = kind_of(claim);
    if (kind == KIND_SOMETIMES && pair->verdict != CP_PAIR_KEPT)
        claim->wrong = "left out though it collides";
    return kind > KIND_MEASURED;
}

/* ---- random configurations ---- */

/* Contact must be looked at in full each time: only in some of the configurations. */
enum { STATES_A_CONTACT = 10 };

/* What is said never to meet is nowhere so near, nor nearer than the clearance that was proved. */
static void judge_never(struct claim *claim, double distance)
{
    double contact = contact_distance(claim) - ROUNDING;
    const cp_finding *finding = claim->finding;
    if (distance <= contact)
        claim->wrong = "they touch";
    else if (finding && isfinite(finding->clearance) && distance < finding->clearance - ROUNDING)
        claim->wrong = "they are nearer than the clearance";
}

/* Clearances above the smallest one so far are of no interest, contacts are counted. */
static void judge_clearance(const struct check *check, struct claim *claim)
{
    double contact = contact_distance(claim) - ROUNDING, most = fmax(claim->smallest, 2 * contact);
    double distance = distance_now(check, claim, most);
    claim->smallest = fmin(claim->smallest, distance);
    claim->contacts += distance <= contact;
    if (kind_of(claim) == KIND_NEVER)
        judge_never(claim, distance);
}

static void judge_contact(const struct check *check, struct claim *claim)
{
    double distance = distance_now(check, claim, INFINITY);
    claim->smallest = fmin(claim->smallest, distance);
    claim->largest = fmax(claim->largest, distance);
    claim->contacts += distance <= TOUCH + ROUNDING;
    if (distance > TOUCH + ROUNDING)
        claim->wrong = "they come apart";
}

static void judge_rest(const struct check *check, struct claim *claim)
{
    cp_pose pose = pose_between(check, claim);
    for (int i = 0; i < 12; i++)
        if (!(fabs(pose.m[i] - claim->apart.m[i]) < 1e-9))
            claim->wrong = "they move";
}

void check_states(struct check *check, struct claim *claims, uint32_t claim_count, uint64_t first, uint64_t count)
{
    for (uint32_t i = 0; i < claim_count && first == 0; i++)
        if (kind_of(&claims[i]) == KIND_SOMETIMES && !claims[i].wrong)
            claims[i].wrong = judge_witness(check, &claims[i]);
    for (uint64_t state = first; state < first + count; state++) {
        take_random(check, state);
        take_pose(check, check->q);
        for (uint32_t i = 0; i < claim_count; i++) {
            enum kind kind = kind_of(&claims[i]);
            if (kind == KIND_ALWAYS && state % STATES_A_CONTACT != 0)
                continue;
            claims[i].states++;
            if (kind == KIND_NEVER || kind == KIND_MEASURED)
                judge_clearance(check, &claims[i]);
            else if (kind == KIND_ALWAYS)
                judge_contact(check, &claims[i]);
            else if (kind == KIND_STATIC)
                judge_rest(check, &claims[i]);
        }
    }
}

/* ---- descents ---- */

/* Marks the joints that a joint's value comes from. */
static void mark_source(const struct check *check, uint32_t joint, bool *marked)
{
    const cp_joint *it = joint_at(check, joint);
    if (it->master != CP_NONE)
        marked[it->master] = true;
    for (uint32_t i = 0; it->expression && i < it->expression->input_count; i++)
        marked[it->expression->inputs[i]] = true;
    if (is_free(it))
        marked[joint] = true;
}

/* The free joints between the nodes; how many. */
static uint32_t find_joints(const struct check *check, const struct claim *claim, uint32_t *joints)
{
    const cp_node *nodes = cp_nodes(check->scene, &(uint32_t){0});
    bool *marked = allocate(check->joint_count, sizeof *marked);
    uint32_t one = claim->first, other = claim->second, count = 0;
    while (one != other) { /* parents come before their children */
        uint32_t *later = one > other ? &one : &other;
        const cp_node *node = &nodes[*later];
        for (uint32_t i = node->first_joint; i < node->first_joint + node->joint_count; i++)
            mark_source(check, i, marked);
        *later = node->parent;
    }
    for (uint32_t i = 0; i < check->joint_count; i++)
        if (marked[i])
            joints[count++] = i;
    free(marked);
    return count;
}

/* Half of the joints each a step aside, within their limits. */
static void step_aside(struct check *check, const uint32_t *joints, uint32_t count, double size, uint64_t row)
{
    for (uint32_t i = 0; i < count; i++) {
        double range[2], share = random_share(check, row, 2 * (uint64_t)i) - 0.5;
        find_range(joint_at(check, joints[i]), range);
        double moved = check->q[joints[i]] + 2 * size * share * (range[1] - range[0]);
        if (count == 1 || random_share(check, row, 2 * (uint64_t)i + 1) < 0.5)
            check->q[joints[i]] = fmin(range[1], fmax(range[0], moved));
    }
}

/* From the configuration as it is: each step that comes nearer is taken, and the steps grow and shrink by that. */
static double descend(struct check *check, const struct claim *claim, const uint32_t *joints, uint32_t count,
                      uint64_t row)
{
    enum { STEPS = 200 };
    double *start = allocate(check->joint_count, sizeof *start), size = 0.25;
    double best = distance_at(check, claim, INFINITY);
    for (uint64_t step = 0; step < STEPS && best > 0 && size > 1e-9; step++) {
        memcpy(start, check->q, check->joint_count * sizeof *start);
        step_aside(check, joints, count, size, row + step);
        double distance = distance_at(check, claim, best);
        if (distance < best) {
            best = distance;
            size = fmin(0.5, size * 1.5);
        } else {
            memcpy(check->q, start, check->joint_count * sizeof *start);
            size *= 0.85;
        }
    }
    free(start);
    return best;
}

void check_descents(struct check *check, struct claim *claim, uint32_t count)
{
    enum kind kind = kind_of(claim);
    uint32_t *joints = allocate(check->joint_count, sizeof *joints);
    uint32_t joint_count = find_joints(check, claim, joints);
    uint64_t place = ((uint64_t)claim->first << 32 | claim->second) + 1, seed = check->seed;
    for (uint32_t i = 0; i < count && joint_count > 0 && (kind == KIND_NEVER || kind == KIND_MEASURED); i++) {
        check->seed = mix(seed) ^ mix(place);
        take_random(check, (uint64_t)i << 32);
        double distance = descend(check, claim, joints, joint_count, ((uint64_t)i << 32) + 1);
        claim->smallest = fmin(claim->smallest, distance);
        if (kind == KIND_NEVER)
            judge_never(claim, distance);
    }
    check->seed = seed;
    free(joints);
}

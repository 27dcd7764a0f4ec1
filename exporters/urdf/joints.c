/* Joints: what they follow, and where they are in the link above. */
#include <math.h>

#include "motion/motion.h"
#include "robot.h"

/* Numbers that differ by less are equal. */
static const double rounding = 1e-9;

/* ---- what they follow ---- */

/* A formula of one input as constant + slope * input. */
struct linear {
    double constant, slope;
};

/* Computes a step whose operands are constants; a is the only one of a function of one. */
static struct linear run_constants(const struct expression_step *step, double a, double b)
{
    const struct expression_step steps[] = {
        {.operation = EXPRESSION_NUMBER, .number = a}, {.operation = EXPRESSION_NUMBER, .number = b}, *step};
    double value;
    bool is_binary = step->operation >= EXPRESSION_ADD;
    const struct expression_step unary[] = {steps[0], *step};
    (void)expression_run(is_binary ? steps : unary, is_binary ? 3 : 2, NULL, &value); /* 0 where it has none */
    return (struct linear){value, 0};
}

/* Carries out a step on the top of the stack; false if the result is not linear. */
static bool run_step(const struct expression_step *step, struct linear *stack, uint32_t *top)
{
    bool is_binary = step->operation >= EXPRESSION_ADD;
    if (step->operation == EXPRESSION_NUMBER || step->operation == EXPRESSION_INPUT) {
        bool is_input = step->operation == EXPRESSION_INPUT;
        stack[(*top)++] = (struct linear){is_input ? 0 : step->number, is_input ? step->number : 0};
        return true;
    }
    *top -= is_binary;
    struct linear *a = &stack[*top - 1], b = is_binary ? stack[*top] : (struct linear){0};
    if (a->slope == 0 && b.slope == 0)
        *a = run_constants(step, a->constant, b.constant);
    else if (step->operation == EXPRESSION_NEGATE)
        *a = (struct linear){-a->constant, -a->slope};
    else if (step->operation == EXPRESSION_ADD)
        *a = (struct linear){a->constant + b.constant, a->slope + b.slope};
    else if (step->operation == EXPRESSION_SUBTRACT)
        *a = (struct linear){a->constant - b.constant, a->slope - b.slope};
    else if (step->operation == EXPRESSION_MULTIPLY && (a->slope == 0 || b.slope == 0))
        *a = (struct linear){a->constant * b.constant, a->slope * b.constant + a->constant * b.slope};
    else if (step->operation == EXPRESSION_DIVIDE && b.slope == 0 && b.constant != 0)
        *a = (struct linear){a->constant / b.constant, a->slope / b.constant};
    else
        return false;
    return true;
}

/* Finds the line that a formula of one input is; false if it is none. */
static bool find_line(const cp_expression *formula, struct linear *line)
{
    struct expression_step steps[EXPRESSION_LONGEST];
    struct linear stack[EXPRESSION_LONGEST];
    uint32_t count, top = 0;
    size_t at;
    if (formula->input_count != 1 || expression_compile(formula->text, formula->angle, 1, steps, &count, &at))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!run_step(&steps[i], stack, &top))
            return false;
    *line = stack[0];
    return isfinite(line->constant) && isfinite(line->slope) && line->slope != 0;
}

/* Tells whether a joint of URDF can be in its place: URDF has no scaling. */
static bool can_move(const cp_joint *joint)
{
    return joint->type == CP_JOINT_REVOLUTE || joint->type == CP_JOINT_PRISMATIC;
}

/* Finds what the joint mimics; false if it stands still in the file. */
static bool find_law(const cp_scene *scene, const cp_joint *joint, struct robot_joint *written)
{
    const cp_expression *formula = joint->expression;
    struct linear line;
    written->master = joint->master;
    written->multiplier = joint->scale;
    written->offset = joint->offset;
    if (formula && find_line(formula, &line)) {
        written->master = formula->inputs[0];
        written->multiplier = joint->scale * line.slope * formula->factors[0];
        written->offset += joint->scale * line.constant;
    } else if (formula) {
        return false;
    }
    return can_move(joint) && isfinite(written->multiplier) && isfinite(written->offset) &&
           (written->master == CP_NONE || can_move(&scene->joints[written->master]));
}

/* Returns the value of a joint when all others are at home. */
static double value_at_home(const cp_scene *scene, const cp_joint *joint)
{
    if (joint->master != CP_NONE)
        return joint->scale * scene->joints[joint->master].home + joint->offset;
    const cp_expression *formula = joint->expression;
    if (!formula)
        return joint->home;
    struct expression_step steps[EXPRESSION_LONGEST];
    double inputs[EXPRESSION_MOST_INPUTS], value = 0;
    uint32_t count;
    size_t at;
    if (formula->input_count > EXPRESSION_MOST_INPUTS ||
        expression_compile(formula->text, formula->angle, formula->input_count, steps, &count, &at))
        return joint->offset;
    for (uint32_t i = 0; i < formula->input_count; i++)
        inputs[i] = formula->factors[i] * scene->joints[formula->inputs[i]].home;
    (void)expression_run(steps, count, inputs, &value); /* 0 where it has none */
    return joint->scale * value + joint->offset;
}

/* ---- where they are ---- */

/* Tells whether the matrix is a number times the identity. */
static bool is_uniform(const cp_pose *pose)
{
    double scale = pose->m[0];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            if (!(fabs(pose->m[4 * row + column] - (row == column ? scale : 0)) <= ROBOT_COARSE * fabs(scale)))
                return false;
    return true;
}

void robot_place_joint(struct robot *robot, uint32_t index, cp_pose *rest)
{
    const cp_joint *joint = &robot->scene->joints[index];
    struct robot_joint *written = &robot->joints[index];
    written->frozen = !find_law(robot->scene, joint, written);
    written->factor = 1;
    memcpy(written->axis, joint->axis, sizeof written->axis);
    if (written->frozen) {
        const cp_pose motion = joint_motion(joint, value_at_home(robot->scene, joint));
        *rest = pose_multiply(rest, &motion);
        robot->losses[LOST_SCALING] += joint->type == CP_JOINT_SCALE;
        robot->losses[LOST_FIXED] += joint->type == CP_JOINT_FIXED && joint->driven;
        robot->losses[LOST_DEPENDENCE] += joint->type != CP_JOINT_SCALE && cp_joint_is_dependent(joint);
    }
    const cp_pose pose = *rest;
    robot_split(&pose, &written->origin, rest);
    if (written->frozen || robot_is_unscaled(rest))
        return;
    /* A slide goes as far as the scale above it says; a turn about a scaled axis is a turn if all is scaled alike. */
    double axis[3];
    for (int row = 0; row < 3; row++)
        axis[row] = dot_product(&rest->m[4 * row], joint->axis);
    double length = sqrt(dot_product(axis, axis));
    bool turns = joint->type == CP_JOINT_REVOLUTE;
    if (!(length > 0) || (turns && !is_uniform(rest)))
        robot->losses[LOST_SCALED_JOINTS]++;
    written->frozen = !(length > 0);
    if (turns || written->frozen)
        return;
    written->factor = length;
    for (int i = 0; i < 3; i++)
        written->axis[i] = axis[i] / length;
}

bool robot_is_planar(const cp_scene *scene, const bool *is_master, const cp_node *node)
{
    if (node->joint_count != 3)
        return false;
    const cp_joint *rows = &scene->joints[node->first_joint];
    size_t size = strlen(rows[0].name);
    double normal[3], cosine = dot_product(rows[0].axis, rows[1].axis);
    cross_product(rows[0].axis, rows[1].axis, normal);
    subtract(normal, rows[2].axis, normal);
    bool planar = fabs(cosine) <= rounding && dot_product(normal, normal) <= rounding * rounding;
    for (uint32_t i = 0; i < 3 && planar; i++)
        planar = rows[i].type == (i == 2 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC) && rows[i].driven &&
                 !cp_joint_is_dependent(&rows[i]) && !is_master[node->first_joint + i] && isinf(rows[i].lower) &&
                 isinf(rows[i].upper) && rows[i].velocity == rows[0].velocity && rows[i].effort == rows[0].effort &&
                 rows[i].acceleration == rows[0].acceleration && rows[i].damping == rows[0].damping &&
                 rows[i].friction == rows[0].friction && strncmp(rows[i].name, rows[0].name, size) == 0 &&
                 strcmp(rows[i].name + size, i == 0   ? ""
                                             : i == 1 ? ".2"
                                                      : ".3") == 0;
    return planar;
}

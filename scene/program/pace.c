/* Lines and arcs go no faster than the joints' limits allow: the whole way is slowed down evenly. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "run.h"

enum { MOST_ROUNDS = 20 };

/* The joint that exceeds its limit of speed most, and by what factor. */
struct fastest {
    const cp_joint *joint;
    double times;
};

static bool has_limit(const cp_joint *joint)
{
    return joint->velocity > 0 && isfinite(joint->velocity);
}

/* Finds the fastest joint of a step. Joints that follow another one by a factor count with it; those with a formula do
 * not count. */
static void find_fastest(const struct program_clock *clock, const struct program_robot *robot, const double *before,
                         const double *now, struct fastest *fastest)
{
    const cp_scene *scene = robot->scene;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        const bool follows = joint->master != CP_NONE;
        if (!has_limit(joint) || joint->expression)
            continue;
        const uint32_t mover = follows ? joint->master : i;
        const double way = fabs((now[mover] - before[mover]) * (follows ? joint->scale : 1));
        const double times = way / (clock->period * joint->velocity);
        if (times > fastest->times)
            *fastest = (struct fastest){joint, times};
    }
}

/* Goes along the way as it is planned, and back. CP_NO if it cannot reach the end; the move itself will report that. */
static cp_status try_way(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                         struct fastest *fastest)
{
    const struct move *move = &motion->move;
    const double *values = robot->inverse->mechanism.values;
    double *before = motion->trial, way = 0;
    const size_t size = robot->scene->joint_count * sizeof *before;
    *fastest = (struct fastest){NULL, 0};
    cp_status status = inverse_start(robot->inverse, robot->q);
    memcpy(before, robot->q, size);
    for (uint32_t step = 0; step < move->plan.count && status == CP_OK; step++) {
        if (step % 256 == 255 && context_is_cancelled(clock->context))
            return CP_LIMIT;
        way += lptp_step(&move->plan, step);
        const cp_pose target = pose_on_way(move, step + 1 == move->plan.count ? 1 : way / move->length);
        status = inverse_follow(robot->inverse, &target);
        if (status == CP_OK && !joints_can_step(clock, robot, before, values))
            status = CP_NO;
        if (status == CP_OK)
            find_fastest(clock, robot, before, values, fastest);
        memcpy(before, values, size);
    }
    const cp_status back = inverse_start(robot->inverse, robot->q);
    return status == CP_OK ? back : status;
}

/* Reports it once for each line of the program. */
static void tell(const struct program_clock *clock, struct program_motion *motion, const struct fastest *first,
                 double factor)
{
    const cp_joint *joint = first->joint;
    const bool turns = joint->type == CP_JOINT_REVOLUTE;
    const double limit = turns ? radians_to_degrees(joint->velocity) : joint->velocity * 1e3;
    const char *unit = turns ? "deg/s" : "mm/s";
    bool *told = &motion->told[clock->instruction];
    if (!*told)
        report_warning(clock->context, "program-slower", AT_LINE(clock->file, clock->line),
                       "joint \"%.100s\" would move at %s %s, limit %s %s: the %s is slowed down %s times (speeds=keep "
                       "keeps its speed)",
                       joint->name, show_three_digits(limit * first->times).text, unit, show_three_digits(limit).text,
                       unit, motion->move.kind == MOVE_ARC ? "arc" : "line", show_three_digits(factor).text);
    *told = true;
}

cp_status pace_way(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion)
{
    const struct move planned = motion->move;
    struct fastest first = {NULL, 0}, fastest;
    double factor = 1;
    bool limited = false;
    for (uint32_t i = 0; i < robot->scene->joint_count; i++)
        limited = limited || has_limit(&robot->scene->joints[i]);
    if (robot->options.keep_speeds || !limited)
        return CP_OK;
    /* A slower way has other steps, so try again until the limits hold. */
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const double seconds = motion->move.plan.count * clock->period;
        if (seconds > clock->context->limits.clip)
            break; /* the limit of the clip ends it */
        const cp_status status = try_way(clock, robot, motion, &fastest);
        if (status == CP_NO)
            motion->move = planned;
        if (status != CP_OK)
            return status == CP_NO ? CP_OK : status;
        if (fastest.times <= 1 + 1e-9)
            break;
        first = round == 0 ? fastest : first;
        factor *= fastest.times * (1 + 1e-6);
        const cp_status planned_again = plan_move(clock, &motion->move, motion->acceleration / (factor * factor),
                                                  motion->deceleration / (factor * factor), motion->speed / factor);
        if (planned_again != CP_OK)
            return planned_again;
    }
    if (factor > 1)
        tell(clock, motion, &first, factor);
    return CP_OK;
}

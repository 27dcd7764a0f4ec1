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
static void find_fastest(const struct cp_program *program, const double *before, const double *now,
                         struct fastest *fastest)
{
    const cp_scene *scene = program->scene;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        const bool follows = joint->master != CP_NONE;
        if (!has_limit(joint) || joint->expression)
            continue;
        const uint32_t mover = follows ? joint->master : i;
        const double way = fabs((now[mover] - before[mover]) * (follows ? joint->scale : 1));
        const double times = way / (program->options.period * joint->velocity);
        if (times > fastest->times)
            *fastest = (struct fastest){joint, times};
    }
}

/* Goes along the way as it is planned, and back. CP_NO if it cannot reach the end; the move itself will report that. */
static cp_status try_way(struct cp_program *program, struct fastest *fastest)
{
    const struct move *move = &program->move;
    const double *values = program->inverse->mechanism.values;
    double *before = program->trial, way = 0;
    const size_t size = program->scene->joint_count * sizeof *before;
    *fastest = (struct fastest){NULL, 0};
    cp_status status = inverse_start(program->inverse, program->q);
    memcpy(before, program->q, size);
    for (uint32_t step = 0; step < move->plan.count && status == CP_OK; step++) {
        if (step % 256 == 255 && context_is_cancelled(program->context))
            return CP_LIMIT;
        way += lptp_step(&move->plan, step);
        const cp_pose target = pose_on_way(move, step + 1 == move->plan.count ? 1 : way / move->length);
        status = inverse_follow(program->inverse, &target);
        if (status == CP_OK && !joints_can_step(program, before, values))
            status = CP_NO;
        if (status == CP_OK)
            find_fastest(program, before, values, fastest);
        memcpy(before, values, size);
    }
    const cp_status back = inverse_start(program->inverse, program->q);
    return status == CP_OK ? back : status;
}

/* Reports it once for each line of the program. */
static void tell(struct cp_program *program, const struct fastest *first, double factor)
{
    const cp_joint *joint = first->joint;
    const bool turns = joint->type == CP_JOINT_REVOLUTE;
    const double limit = turns ? radians_to_degrees(joint->velocity) : joint->velocity * 1e3;
    const char *unit = turns ? "deg/s" : "mm/s";
    bool *told = &program->told[program->next - 1];
    if (!*told)
        report_warning(program->context, "program-slower", AT_LINE(program->text.file, program->line),
                       "joint \"%.100s\" would move at %s %s, limit %s %s: the %s is slowed down %s times (speeds=keep "
                       "keeps its speed)",
                       joint->name, show_three_digits(limit * first->times).text, unit, show_three_digits(limit).text,
                       unit, program->move.kind == MOVE_ARC ? "arc" : "line", show_three_digits(factor).text);
    *told = true;
}

cp_status pace_way(struct cp_program *program)
{
    const struct move planned = program->move;
    struct fastest first = {NULL, 0}, fastest;
    double factor = 1;
    bool limited = false;
    for (uint32_t i = 0; i < program->scene->joint_count; i++)
        limited = limited || has_limit(&program->scene->joints[i]);
    if (program->options.keep_speeds || !limited)
        return CP_OK;
    /* A slower way has other steps, so try again until the limits hold. */
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const double seconds = program->move.plan.count * program->options.period;
        if (seconds > program->context->limits.clip)
            break; /* the limit of the clip ends it */
        const cp_status status = try_way(program, &fastest);
        if (status == CP_NO)
            program->move = planned;
        if (status != CP_OK)
            return status == CP_NO ? CP_OK : status;
        if (fastest.times <= 1 + 1e-9)
            break;
        first = round == 0 ? fastest : first;
        factor *= fastest.times * (1 + 1e-6);
        const cp_status planned_again = plan_move(program, program->acceleration / (factor * factor),
                                                  program->deceleration / (factor * factor), program->speed / factor);
        if (planned_again != CP_OK)
            return planned_again;
    }
    if (factor > 1)
        tell(program, &first, factor);
    return CP_OK;
}

/* Moves: a way, cut into steps of one period by LPTP. */
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/text/text.h"
#include "model/model.h"
#include "run.h"

enum { MOST_STEPS = 100000000 }; /* of a move or a wait */

static const double mm = 1e-3;

/* ---- where things are ---- */

cp_pose place_node(const struct program_robot *robot, uint32_t node)
{
    cp_pose world = POSE_IDENTITY;
    for (; node != CP_NONE; node = robot->hosts[node]) {
        cp_pose pose = node_pose(&robot->mechanism, node, &robot->locals[node]);
        world = pose_multiply(&pose, &world);
    }
    return world;
}

void place_tool(const struct program_robot *robot, cp_pose *tool)
{
    cp_pose base = place_node(robot, robot->scene->devices[robot->options.device].base), back;
    cp_pose world = place_node(robot, robot->options.frame);
    (void)pose_inverse(&base, &back);
    *tool = pose_multiply(&back, &world);
}

/* ---- inverse kinematics ---- */

static cp_status open_inverse(cp_context *context, struct program_robot *robot)
{
    const cp_device *device = &robot->scene->devices[robot->options.device];
    const cp_reach reach = {.size = sizeof reach,
                            .device = robot->options.device,
                            .frame = robot->options.frame,
                            .in = device->base,
                            .solve = robot->options.solve,
                            .tries = 100};
    return robot->inverse ? CP_OK : cp_inverse_new(context, robot->scene, &reach, &robot->inverse);
}

static void keep_joints(struct program_robot *robot, const double *values)
{
    for (uint32_t i = 0; i < robot->scene->joint_count; i++)
        robot->scene->joints[i].q = robot->q[i] = values[i];
}

static bool is_within(const cp_joint *joint, double q)
{
    return q >= joint->lower - 1e-9 && q <= joint->upper + 1e-9;
}

/* Checks the limits of a joint of the program at a value. */
static cp_status check_limit(const struct program_clock *clock, const struct program_robot *robot, uint32_t place,
                             double q, const char *before)
{
    const cp_joint *joint = &robot->scene->joints[robot->joints[place]];
    const bool turns = joint->type == CP_JOINT_REVOLUTE;
    const double unit = turns ? PI / 180 : mm, limit = q < joint->lower ? joint->lower : joint->upper;
    if (is_within(joint, q))
        return CP_OK;
    return program_error(clock, CP_NO, "program-limit", "%sjoint \"%.100s\" would be %s %s beyond its limit of %s %s",
                         before, joint->name, show_three_digits(fabs(q - limit) / unit).text, turns ? "deg" : "mm",
                         show_three_digits(limit / unit).text, turns ? "deg" : "mm");
}

/* Checks all of them at the values of all joints. */
static cp_status check_limits(const struct program_clock *clock, const struct program_robot *robot,
                              const double *values, const char *before)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < robot->joint_count && status == CP_OK; i++)
        status = check_limit(clock, robot, i, values[robot->joints[i]], before);
    return status;
}

/* ---- beginnings ---- */

cp_status plan_move(const struct program_clock *clock, struct move *move, double acceleration, double deceleration,
                    double speed)
{
    if (!lptp_plan(move->length, acceleration, deceleration, speed, clock->period, &move->plan) ||
        move->plan.count > MOST_STEPS)
        return program_error(clock, CP_LIMIT, "program-long", "the move takes more steps than can be counted");
    return CP_OK;
}

/* Returns a joint's speed in radians or metres a second. Joints without a limit get 90 degrees or 250 mm a second, and
 * four times that as acceleration. */
static double joint_speed(const cp_joint *joint)
{
    if (joint->velocity > 0 && isfinite(joint->velocity))
        return joint->velocity;
    return joint->type == CP_JOINT_REVOLUTE ? PI / 2 : 0.25;
}

static double joint_acceleration(const cp_joint *joint)
{
    return joint->acceleration > 0 && isfinite(joint->acceleration) ? joint->acceleration : 4 * joint_speed(joint);
}

/* Begins a joint motion. All joints begin and end together: the way is 1, and the slowest joint sets its speed. */
cp_status begin_joints(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                       const double *values)
{
    struct move move = {.kind = MOVE_JOINTS};
    double speed = INFINITY, acceleration = INFINITY;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        const cp_joint *joint = &robot->scene->joints[robot->joints[i]];
        double way = fabs(values[i] - robot->q[robot->joints[i]]);
        motion->joint_begin[i] = robot->q[robot->joints[i]];
        motion->joint_end[i] = values[i];
        cp_status status = check_limit(clock, robot, i, values[i], "");
        if (status != CP_OK)
            return status;
        if (way > 1e-12) {
            speed = fmin(speed, motion->joint_part * joint_speed(joint) / way);
            acceleration = fmin(acceleration, joint_acceleration(joint) / way);
        }
    }
    move.length = isfinite(speed);
    if (move.length == 0)
        return CP_OK;
    motion->move = move;
    return plan_move(clock, &motion->move, acceleration, acceleration, speed);
}

/* Returns the advice, for the end of a message, that a device of too few joints needs; or nothing. */
static const char *advise_freedom(const struct program_robot *robot, char text[200])
{
    const unsigned count = robot->inverse->unknown_count;
    unsigned wanted = 0;
    for (unsigned i = 0; i < TARGET_JOINTS; i++)
        wanted += robot->options.solve >> i & 1;
    text[0] = '\0';
    if (count < wanted)
        (void)snprintf(text, 200,
                       "; the device has %u degree%s of freedom, the pose asks for %u: solve= names those that have to "
                       "hold, as solve=x,y,z",
                       count, count == 1 ? "" : "s", wanted);
    return text;
}

static cp_status report_out_of_reach(const struct program_clock *clock, const struct program_robot *robot,
                                     const struct open_loop *nearest)
{
    char advice[200];
    if (!isfinite(nearest->gap))
        return program_error(clock, CP_NO, "program-reach", "the tool cannot get there%s",
                             advise_freedom(robot, advice));
    return program_error(clock, CP_NO, "program-reach",
                         "the tool cannot get there; the nearest found is off by %s mm and %s deg%s",
                         show_three_digits(nearest->gap / mm).text,
                         show_three_digits(radians_to_degrees(nearest->angle)).text, advise_freedom(robot, advice));
}

/* Begins a joint motion to the nearest posture within the limits. */
cp_status begin_posture(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                        const cp_pose *target)
{
    const cp_posture *nearest = NULL;
    cp_status status = open_inverse(clock->context, robot);
    if (status == CP_OK)
        status = inverse_start(robot->inverse, robot->q);
    if (status == CP_OK)
        status = inverse_find(robot->inverse, target);
    if (status == CP_NO)
        return report_out_of_reach(clock, robot, &robot->inverse->nearest);
    if (status != CP_OK)
        return status;
    const cp_posture *postures = robot->inverse->postures;
    const uint32_t count = robot->inverse->posture_count;
    for (uint32_t i = 0; i < count; i++)
        if (postures[i].within && (!nearest || postures[i].distance < nearest->distance))
            nearest = &postures[i];
    if (!nearest) {
        status =
            count > 0 ? check_limits(clock, robot, postures[0].q, "the tool gets there only beyond limits: ") : CP_OK;
        return status == CP_OK ? program_error(clock, CP_NO, "program-limit", "the tool gets there only beyond limits")
                               : status;
    }
    double *values = motion->joint_end;
    for (uint32_t i = 0; i < robot->joint_count; i++)
        values[i] = nearest->q[robot->joints[i]];
    return begin_joints(clock, robot, motion, values);
}

static void find_turn(const cp_pose *from, const cp_pose *to, double axis[3], double *angle)
{
    cp_pose back, turn;
    struct trs trs;
    (void)pose_inverse(from, &back);
    turn = pose_multiply(to, &back);
    (void)pose_to_trs(&turn, 1e-6, &trs);
    const double *v = trs.rotation, sine = sqrt(dot_product(v, v)), side = v[3] < 0 ? -1 : 1;
    *angle = 2 * atan2(sine, fabs(v[3]));
    for (int i = 0; i < 3; i++)
        axis[i] = sine > 0 ? side * v[i] / sine : i == 2;
}

static cp_status begin_way(const struct program_clock *clock, struct program_robot *robot,
                           struct program_motion *motion, struct move *move)
{
    cp_status status = open_inverse(clock->context, robot);
    if (status == CP_OK)
        status = inverse_start(robot->inverse, robot->q);
    if (status != CP_OK)
        return status == CP_NO ? program_error(clock, CP_NO, "program-reach", "the joints do not close") : status;
    const bool turns = robot->options.solve & (CP_REACH_ROLL | CP_REACH_PITCH | CP_REACH_YAW);
    if (!turns)
        move->angle = 0;
    else if (move->angle == 0)
        find_turn(&move->begin, &move->end, move->axis, &move->angle);
    /* The length is the larger number: millimetres, or degrees. */
    move->length =
        fmax(move->length < 1e-9 ? 0 : move->length, move->angle > 1e-12 ? radians_to_degrees(move->angle) : 0);
    if (move->length == 0)
        return CP_OK;
    motion->move = *move;
    status = plan_move(clock, &motion->move, motion->acceleration, motion->deceleration, motion->speed);
    return status == CP_OK ? pace_way(clock, robot, motion) : status;
}

cp_status begin_line(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                     const cp_pose *target, const double turn[3])
{
    struct move move = {.kind = MOVE_LINE, .end = *target};
    double apart[3];
    place_tool(robot, &move.begin);
    for (int i = 0; i < 3; i++)
        apart[i] = target->m[4 * i + 3] - move.begin.m[4 * i + 3];
    move.length = sqrt(dot_product(apart, apart)) / mm;
    move.angle = turn ? sqrt(dot_product(turn, turn)) : 0;
    for (int i = 0; i < 3 && move.angle > 0; i++)
        move.axis[i] = turn[i] / move.angle;
    return begin_way(clock, robot, motion, &move);
}

/* Finds the circle through three places: its centre, the normal about which it goes from a by b to c, and the angle to
 * c. */
static bool find_circle(const double a[3], const double b[3], const double c[3], struct move *move)
{
    double to_b[3], to_c[3], normal[3], spoke[3], end[3], across[3];
    subtract(b, a, to_b);
    subtract(c, a, to_c);
    cross_product(to_b, to_c, normal);
    double bb = dot_product(to_b, to_b), cc = dot_product(to_c, to_c), square = dot_product(normal, normal);
    if (!(square > 1e-12 * bb * cc) || !(bb > 0) || !(cc > 0))
        return false;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        /* (bb c - cc b) x n / (2 n.n), with the sign turned to lead from the centre to a */
        across[i] = (cc * to_b[k] - bb * to_c[k]) * normal[l] - (cc * to_b[l] - bb * to_c[l]) * normal[k];
    }
    for (int i = 0; i < 3; i++) {
        move->centre[i] = a[i] - across[i] / (2 * square);
        move->normal[i] = normal[i] / sqrt(square);
    }
    subtract(a, move->centre, spoke);
    subtract(c, move->centre, end);
    cross_product(move->normal, spoke, across);
    move->sweep = atan2(dot_product(end, across), dot_product(end, spoke));
    move->sweep += move->sweep < 0 ? 2 * PI : 0;
    return true;
}

static void place_of(const cp_pose *pose, double place[3])
{
    for (int i = 0; i < 3; i++)
        place[i] = pose->m[4 * i + 3];
}

/* Tells whether two places are the same but for rounding. */
static bool is_near(const double a[3], const double b[3])
{
    double apart[3];
    subtract(a, b, apart);
    return sqrt(dot_product(apart, apart)) < 1e-6;
}

cp_status begin_arc(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                    const double via[3], const cp_pose *end, bool full)
{
    struct move move = {.kind = MOVE_ARC, .end = *end};
    double from[3], to[3], spoke[3];
    place_tool(robot, &move.begin);
    place_of(&move.begin, from);
    place_of(end, to);
    if (is_near(from, via) || is_near(via, to) || is_near(to, from))
        return program_error(clock, CP_INPUT, "program-arc", "two of the three places of the arc are the same");
    if (!find_circle(from, via, to, &move))
        return program_error(clock, CP_INPUT, "program-arc", "the three places of the arc lie on a line");
    if (full) {
        move.sweep = 2 * PI;
        move.end = move.begin;
    }
    subtract(from, move.centre, spoke);
    move.length = move.sweep * sqrt(dot_product(spoke, spoke)) / mm;
    return begin_way(clock, robot, motion, &move);
}

cp_status begin_wait(const struct program_clock *clock, struct program_motion *motion, double seconds)
{
    double periods = floor(seconds / clock->period + 0.5);
    if (!(seconds >= 0))
        return program_error(clock, CP_INPUT, "program-wait", "a wait is not below 0 s");
    if (!(periods <= MOST_STEPS))
        return program_error(clock, CP_LIMIT, "program-long", "the wait takes more steps than can be counted");
    if (periods > 0)
        motion->move = (struct move){.kind = MOVE_WAIT, .plan.count = (uint32_t)periods};
    return CP_OK;
}

/* ---- steps ---- */

cp_pose pose_on_way(const struct move *move, double part)
{
    cp_pose turn = pose_rotation(move->axis, part * move->angle), pose = move->begin;
    double from[3], spoke[3], turned[3];
    pose.m[3] = pose.m[7] = pose.m[11] = 0;
    pose = pose_multiply(&turn, &pose);
    place_of(&move->begin, from);
    if (move->kind == MOVE_ARC) {
        cp_pose about = pose_rotation(move->normal, part * move->sweep);
        subtract(from, move->centre, spoke);
        pose_point(&about, spoke, turned);
    }
    for (int i = 0; i < 3; i++)
        pose.m[4 * i + 3] =
            move->kind == MOVE_ARC ? move->centre[i] + turned[i] : from[i] + part * (move->end.m[4 * i + 3] - from[i]);
    return pose;
}

/* Returns the joint that moves farther in one step than a joint does except near a singular place; or NULL. */
static const cp_joint *find_jump(const struct program_clock *clock, const struct program_robot *robot,
                                 const double *before, const double *now)
{
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        const cp_joint *joint = &robot->scene->joints[robot->joints[i]];
        const double way = fabs(now[robot->joints[i]] - before[robot->joints[i]]);
        const double most =
            fmax(20 * joint_speed(joint) * clock->period, joint->type == CP_JOINT_REVOLUTE ? 0.35 : 0.1);
        if (way > most)
            return joint;
    }
    return NULL;
}

bool joints_can_step(const struct program_clock *clock, const struct program_robot *robot, const double *before,
                     const double *now)
{
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (!is_within(&robot->scene->joints[robot->joints[i]], now[robot->joints[i]]))
            return false;
    return !find_jump(clock, robot, before, now);
}

/* Returns the joint that is fastest where a way must end: between the last place that was reached, `from`, and `to`, as
 * parts of the way. NULL: none moves at all. */
static const cp_joint *find_fastest(const struct program_robot *robot, const struct program_motion *motion, double from,
                                    double to)
{
    const double *values = robot->inverse->mechanism.values;
    const cp_joint *fastest = NULL;
    double most = 0;
    for (int halving = 0; halving < 40; halving++) {
        const double middle = (from + to) / 2;
        const cp_pose target = pose_on_way(&motion->move, middle);
        const bool reached = inverse_follow(robot->inverse, &target) == CP_OK;
        from = reached ? middle : from;
        to = reached ? to : middle;
    }
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        const cp_joint *joint = &robot->scene->joints[robot->joints[i]];
        const double seconds = fabs(values[robot->joints[i]] - robot->q[robot->joints[i]]) / joint_speed(joint);
        fastest = seconds > most ? joint : fastest;
        most = fmax(most, seconds);
    }
    return fastest;
}

/* Moves from a part of the way to the next. */
static cp_status follow(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                        double before, double part)
{
    const struct move *move = &motion->move;
    cp_pose target = part >= 1 ? move->end : pose_on_way(move, part);
    cp_status status = inverse_follow(robot->inverse, &target);
    if (status == CP_NO) {
        const cp_joint *joint = find_fastest(robot, motion, before, part);
        char advice[200];
        return program_error(clock, CP_NO, "program-reach",
                             "the tool cannot go on: out of reach, or singular%s%.100s%s%s",
                             joint ? "; the fastest joint there is \"" : "", joint ? joint->name : "",
                             joint ? "\"" : "", advise_freedom(robot, advice));
    }
    const double *values = robot->inverse->mechanism.values;
    const cp_joint *jump = status == CP_OK ? find_jump(clock, robot, robot->q, values) : NULL;
    if (jump)
        return program_error(clock, CP_NO, "program-singular",
                             "joint \"%.100s\" would have to jump: the way goes through a singular place", jump->name);
    if (status != CP_OK)
        return status;
    keep_joints(robot, values);
    return check_limits(clock, robot, robot->q, "");
}

cp_status advance(struct program_clock *clock, struct program_robot *robot, struct program_motion *motion, bool stops)
{
    struct move *move = &motion->move;
    cp_status status = CP_OK;
    const double before = move->way / move->length;
    const bool last = move->step + 1 == move->plan.count;
    clock->time = (double)++clock->periods * clock->period;
    if (move->kind != MOVE_WAIT)
        move->way += lptp_step(&move->plan, move->step);
    move->step++;
    double part = last ? 1 : move->way / move->length;
    if (move->kind == MOVE_JOINTS) {
        for (uint32_t i = 0; i < robot->joint_count; i++) {
            double begin = motion->joint_begin[i], end = motion->joint_end[i];
            robot->q[robot->joints[i]] = last ? end : begin + part * (end - begin);
            robot->scene->joints[robot->joints[i]].q = robot->q[robot->joints[i]];
        }
    } else if (move->kind != MOVE_WAIT) {
        status = follow(clock, robot, motion, before, part);
    }
    const bool ends = last || stops;
    if (ends)
        move->kind = MOVE_NONE;
    /* Take free joints where loops close; along a line, the driven joints as they get there. */
    if (status == CP_OK && (ends || robot->mechanism.closure)) {
        if (mechanism_values(&robot->mechanism, robot->q) != CP_OK)
            return mechanism_report_open(&robot->mechanism);
        keep_joints(robot, robot->mechanism.values);
    }
    return status;
}

/* Joints that are faster than their limits in a clip. */
#include <math.h>

#include "base/context.h"
#include "clips.h"

/* Differences this small come from rounding. */
static const double nearly = 1e-6;

static void note(cp_excess *excess, double value, double time)
{
    if (!(fabs(value) > excess->limit * (1 + nearly)))
        return;
    if (excess->periods++ == 0)
        excess->begin = time;
    excess->end = time;
    if (fabs(value) > excess->most) {
        excess->most = fabs(value);
        excess->time = time;
    }
}

/* Finds the largest speed and acceleration. values[count] are the joint's at the times. */
static void look(const cp_joint *joint, const double *values, const double *times, size_t count, cp_excess found[2])
{
    double before = 0;
    found[0] = (cp_excess){.limit = joint->velocity > 0 ? joint->velocity : INFINITY};
    found[1] = (cp_excess){.acceleration = true, .limit = joint->acceleration > 0 ? joint->acceleration : INFINITY};
    for (size_t i = 1; i < count; i++) {
        double seconds = times[i] - times[i - 1], speed = (values[i] - values[i - 1]) / seconds;
        note(&found[0], speed, times[i]);
        if (i > 1)
            note(&found[1], (speed - before) / seconds, times[i]);
        before = speed;
    }
}

static cp_status find_excesses(cp_context *context, const cp_scene *scene, const cp_clip *clip, double period,
                               struct arena *arena, void (*tell)(void *user, const cp_excess *excess), void *user)
{
    struct clip_lookup lookup;
    double *times;
    size_t count;
    bool any = false;
    cp_status status = list_moments(context, arena, clip, period, &times, &count);
    double *values = status == CP_OK ? arena_allocate(arena, count, sizeof *values) : NULL;
    if (!values)
        return status == CP_OK ? CP_LIMIT : status;
    /* Leave out the last time if it is nearer: a part of a period gives a poor acceleration. */
    count -= count > 2 && times[count - 1] - times[count - 2] < (1 - nearly) * period;
    status = lookup_start(&lookup, context, scene, clip);
    for (uint32_t joint = 0; joint < scene->joint_count && status == CP_OK; joint++) {
        const cp_joint *it = &scene->joints[joint];
        cp_excess found[2];
        if (it->type == CP_JOINT_FIXED ||
            (!(it->velocity > 0 && isfinite(it->velocity)) && !(it->acceleration > 0 && isfinite(it->acceleration))))
            continue;
        for (size_t i = 0; i < count; i++)
            values[i] = lookup_joint(&lookup, joint, times[i]);
        look(it, values, times, count, found);
        for (int i = 0; i < 2; i++)
            if (found[i].periods > 0) {
                found[i].joint = joint;
                any = true;
                tell(user, &found[i]);
            }
    }
    if (status == CP_OK && mechanism_failed(&lookup.mechanism))
        status = mechanism_report_open(&lookup.mechanism);
    lookup_free(&lookup);
    return status == CP_OK && any ? CP_NO : status;
}

cp_status cp_find_excesses(cp_context *context, const cp_scene *scene, uint32_t clip, double period,
                           void (*tell)(void *user, const cp_excess *excess), void *user)
{
    struct arena *arena = arena_new(context);
    cp_status status = arena ? find_excesses(context, scene, &scene->clips[clip], period, arena, tell, user) : CP_LIMIT;
    arena_free(arena);
    return context_finish(context, status);
}

/* Records a program as a clip: keys of joints at each period, attachments, and marks. */
#include <math.h>

#include "base/context.h"
#include "base/text/text.h"
#include "motion/clips/clips.h"
#include "run.h"

/* Values of the program's joints at each period. */
struct recording {
    cp_context *context;
    double *rows; /* time, then a value a joint */
    uint32_t width, count, room;
};

static bool add_row(struct recording *recording, double time, const struct program_robot *robot)
{
    const uint64_t at = (uint64_t)recording->count * recording->width;
    if (at + recording->width > UINT32_MAX || !array_reserve(recording->context, &recording->rows, &recording->room,
                                                             at + recording->width, sizeof *recording->rows))
        return false;
    double *row = recording->rows + at;
    row[0] = time;
    for (uint32_t i = 0; i < robot->joint_count; i++)
        row[1 + i] = robot->q[robot->joints[i]];
    recording->count++;
    return true;
}

/* Adds the keys of one joint, without those in the middle of a rest. */
static bool add_joint_track(cp_scene *scene, const struct recording *recording, uint32_t place, uint32_t joint,
                            cp_track *track)
{
    const uint32_t width = recording->width, count = recording->count;
    double *times = scene_allocate(scene, count, sizeof *times), *values = scene_allocate(scene, count, sizeof *values);
    if (!times || !values)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const double *row = recording->rows + (size_t)i * width;
        times[i] = row[0];
        values[i] = row[1 + place];
    }
    *track = (cp_track){.target = joint,
                        .path = CP_PATH_JOINT,
                        .interpolation = CP_LINEAR,
                        .key_count = drop_rests(times, values, count),
                        .times = times,
                        .values = values};
    return true;
}

/* ---- what is held ---- */

static uint32_t count_of(const struct program_log *log, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->holding_count; i++)
        count += log->holdings[i].node == node;
    return count;
}

/* Adds the poses of a held node, by steps: at first in its parent, then in each host. The last of several at one time
 * counts. */
static bool add_node_tracks(cp_scene *scene, const struct program_log *log, uint32_t node, cp_track *tracks)
{
    const uint32_t most = count_of(log, node) + 1;
    double *times = scene_allocate(scene, most, sizeof *times);
    double *values[3];
    uint32_t kept = 0;
    static const uint32_t widths[3] = {3, 4, 3};
    static const cp_path paths[3] = {CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE};
    for (int k = 0; k < 3; k++)
        values[k] = scene_allocate(scene, (size_t)most * widths[k], sizeof **values);
    if (!times || !values[0] || !values[1] || !values[2])
        return false;
    for (uint32_t i = 0; i <= log->holding_count; i++) {
        const struct holding *holding = i > 0 ? &log->holdings[i - 1] : NULL;
        struct trs trs;
        if (holding && holding->node != node)
            continue;
        double time = holding ? holding->time : 0;
        kept -= kept > 0 && times[kept - 1] == time;
        (void)pose_to_trs(holding ? &holding->local : &scene->nodes[node].local, 1e-9, &trs);
        times[kept] = time;
        memcpy(values[0] + (size_t)kept * 3, trs.translation, sizeof trs.translation);
        memcpy(values[1] + (size_t)kept * 4, trs.rotation, sizeof trs.rotation);
        memcpy(values[2] + (size_t)kept * 3, trs.scale, sizeof trs.scale);
        kept++;
    }
    for (int k = 0; k < 3; k++)
        tracks[k] = (cp_track){.target = node,
                               .path = paths[k],
                               .interpolation = CP_STEP,
                               .key_count = kept,
                               .times = times,
                               .values = values[k]};
    return true;
}

/* ---- the clip ---- */

static cp_status add_clip(cp_scene *scene, const struct cp_program *program, const struct recording *recording,
                          const char *name)
{
    const struct program_robot *robot = &program->robot;
    const struct program_log *log = &program->log;
    const uint32_t most = robot->joint_count + 3 * log->holding_count;
    cp_track *tracks = scene_allocate(scene, most, sizeof *tracks);
    cp_attachment *attachments = scene_allocate(scene, log->holding_count, sizeof *attachments);
    cp_mark *marks = scene_allocate(scene, log->mark_count, sizeof *marks);
    bool *seen = arena_allocate_zeroed(program->arena, scene->node_count, sizeof *seen);
    uint32_t count = 0;
    if (!tracks || !attachments || !marks || !seen)
        return CP_LIMIT;
    bool any_moves = false;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        if (!add_joint_track(scene, recording, i, robot->joints[i], &tracks[count]))
            return CP_LIMIT;
        any_moves = any_moves || tracks[count].key_count > 1;
        count++;
    }
    /* The clip lasts as long as the program, even if that only waits: then it gets a rest with both of its ends. */
    if (!any_moves && recording->count > 1)
        tracks[0].key_count = 2;
    for (uint32_t i = 0; i < log->holding_count; i++) {
        const struct holding *holding = &log->holdings[i];
        const bool first = !seen[holding->node];
        seen[holding->node] = true;
        attachments[i] = (cp_attachment){holding->time, holding->node, holding->host};
        if (first && !add_node_tracks(scene, log, holding->node, &tracks[count]))
            return CP_LIMIT;
        count += first ? 3 : 0;
    }
    for (uint32_t i = 0; i < log->mark_count; i++) {
        marks[i] = log->marks[i];
        marks[i].name = scene_text(scene, log->marks[i].name);
        if (!marks[i].name)
            return CP_LIMIT;
    }
    uint32_t clip = scene_add_clip(scene, name, count, tracks);
    if (clip == CP_NONE)
        return CP_LIMIT;
    scene->clips[clip].attachments = attachments;
    scene->clips[clip].attachment_count = log->holding_count;
    scene->clips[clip].marks = marks;
    scene->clips[clip].mark_count = log->mark_count;
    return CP_OK;
}

/* Stops a program that does not end, by the length of its clip or the number of its keys. */
static cp_status check_size(const struct cp_program *program, const struct recording *recording)
{
    const struct program_clock *clock = &program->machine.clock;
    const struct limits *limits = &clock->context->limits;
    /* A held frame takes the 10 numbers of three keys: its place, its turn and its scale. */
    const uint64_t keys = (uint64_t)recording->count * program->robot.joint_count + program->log.mark_count +
                          UINT64_C(10) * program->log.holding_count;
    if (clock->time > limits->clip + clock->period / 2)
        return program_error(clock, CP_LIMIT, "program-clip",
                             "the clip lasts longer than %s s: an endless loop? (--limit clip=)",
                             show_number(limits->clip).text);
    if (keys > limits->keys)
        return program_error(clock, CP_LIMIT, "program-keys",
                             "the clip has more than %llu keys and marks: an endless loop? (--limit keys=)",
                             (unsigned long long)limits->keys);
    return CP_OK;
}

cp_status cp_program_record(struct cp_program *program, cp_scene *scene, const char *name, double stop, double emergency)
{
    const struct program_clock *clock = &program->machine.clock;
    struct recording recording = {.context = clock->context, .width = 1 + program->robot.joint_count};
    cp_status status = add_row(&recording, clock->time, &program->robot) ? CP_OK : CP_LIMIT;
    while (status == CP_OK && !program->machine.ended) {
        double before = clock->time, after = before + clock->period, near = 1e-9;
        if ((stop >= 0 && stop <= before + near) || (emergency >= 0 && emergency <= after + near))
            cp_program_stop(program, emergency >= 0 && emergency <= after + near);
        status = cp_program_step(program);
        if (clock->time > before && status == CP_OK && !add_row(&recording, clock->time, &program->robot))
            status = CP_LIMIT;
        if (status == CP_OK)
            status = check_size(program, &recording);
    }
    if (status == CP_OK)
        status = add_clip(scene, program, &recording, name);
    memory_free(clock->context, recording.rows, recording.room, sizeof *recording.rows);
    return status;
}

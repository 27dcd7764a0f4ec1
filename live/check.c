/* The thread that tries programs and moves. */
#include "check.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cellpipe_build.h"

static const double look_every = 0.02; /* seconds between two looks at a program's way */

/* A number with two decimals, in any locale. */
struct shown {
    char text[CP_NUMBER_SIZE];
};
static struct shown show(double value)
{
    struct shown shown;
    (void)cp_print_double(round(100 * value) / 100, shown.text);
    return shown;
}

/* A question with memory of its own. */
struct waiting {
    struct check_question question;
    double *q, *to;
    struct placed *placed;
    char *name, *text;
    struct check_result *result; /* made before, so that there is one in any case */
    bool is_cancelled;
};

struct checker {
    cp_context *context; /* the thread's */
    cp_scene *scene;
    uint32_t joint_count;
    void (*done)(void *user, struct check_result *result);
    void *user;
    pthread_t thread;
    bool is_started;
    atomic_bool ends, is_cancelled; /* all; the present check */
    pthread_mutex_t lock;           /* it guards all below */
    pthread_cond_t changed;
    uint64_t present;      /* the ticket of the present check */
    uint32_t first, count; /* a ring */
    struct waiting waiting[MOST_CHECKS];
};

void check_result_free(struct check_result *result)
{
    if (!result)
        return;
    free(result->errors);
    free(result->path);
    free(result);
}

static void free_waiting(struct waiting *waiting)
{
    free(waiting->q);
    free(waiting->to);
    free(waiting->placed);
    free(waiting->name);
    free(waiting->text);
    check_result_free(waiting->result);
    *waiting = (struct waiting){0};
}

/* A check ends early when the server does, or nobody wants its result any more. */
static bool is_over(void *user)
{
    struct checker *checker = user;
    return checker->ends || checker->is_cancelled;
}

/* ---- what is wrong ---- */

/* Tells the errors of the report: those of a text with their places, the last one as the reason. */
static void tell_errors(struct checker *checker, struct check_result *result)
{
    size_t count;
    const cp_entry *entries = cp_report(checker->context, &count);
    result->errors = calloc(MOST_CHECK_ERRORS, sizeof *result->errors);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].severity != CP_ERROR)
            continue;
        cell_say_error(&entries[i], result->why, sizeof result->why);
        if (!result->errors || result->error_count == MOST_CHECK_ERRORS)
            continue;
        struct check_error *error = &result->errors[result->error_count++];
        error->line = entries[i].line;
        error->column = entries[i].column;
        (void)snprintf(error->text, sizeof error->text, "%s", entries[i].text);
    }
    if (!*result->why)
        (void)snprintf(result->why, sizeof result->why, "the check did not end");
    cp_report_clear(checker->context);
}

/* Returns the line that a clip carries out at a time; 0: none. */
static uint64_t line_at(const cp_clip *clip, double time)
{
    uint64_t line = 0;
    for (uint32_t i = 0; i < clip->mark_count && clip->marks[i].time <= time; i++)
        if (strcmp(clip->marks[i].name, "line") == 0)
            line = (uint64_t)clip->marks[i].value;
    return line;
}

/* Returns the device of a node: the one whose base it is, or is nearest above it; CP_NONE: of none. */
static uint32_t device_of(const cp_scene *scene, uint32_t node)
{
    uint32_t count;
    const cp_device *devices = cp_devices(scene, &count);
    const cp_node *nodes = cp_nodes(scene, &(uint32_t){0});
    for (; node != CP_NONE; node = nodes[node].parent)
        for (uint32_t i = 0; i < count; i++)
            if (devices[i].base == node)
                return i;
    return CP_NONE;
}

/* Finds when two that touch from the first moment begin to move against each other, and the line that does it. */
static cp_status find_parting(struct checker *checker, const struct waiting *waiting, cp_scene *scene,
                              const cp_passage *passage, double *time, uint64_t *line)
{
    cp_program *program = NULL;
    cp_program_snapshot state = {.size = sizeof state};
    uint32_t count;
    (void)cp_nodes(scene, &count);
    cp_pose *worlds = calloc(count, sizeof *worlds), first = {0};
    cp_status status = worlds ? cp_program_new(checker->context, scene, waiting->name, waiting->text,
                                               waiting->question.size, &waiting->question.options, &program)
                              : CP_LIMIT;
    for (bool begins = true, rests = true; status == CP_OK && rests && !state.ended && !is_over(checker);
         begins = false) {
        if (!begins)
            status = cp_program_step(program);
        cp_program_state(program, &state);
        if (status == CP_OK)
            status = cp_program_poses(program, worlds);
        if (status != CP_OK)
            break;
        const cp_pose now = cell_between(&worlds[passage->first], &worlds[passage->second]);
        if (begins)
            first = now;
        rests = cell_is_same(&first, &now);
    }
    *time = state.time;
    *line = state.line;
    cp_program_free(program);
    free(worlds);
    return status;
}

/* Says which two would touch first. Links of one device that touch where the program begins do not count, as with a
 * jog: a robot whose links touch each other could not move at all. */
static cp_status find_touch(struct checker *checker, const struct waiting *waiting, cp_scene *scene, uint32_t clip,
                            struct check_result *result)
{
    cp_collider *collider;
    cp_passages passages = {.size = sizeof passages};
    cp_status status = cp_collider_new(checker->context, scene, CP_TOUCH, false, &collider);
    if (status == CP_NO) { /* nothing can touch */
        cp_report_clear(checker->context);
        return CP_OK;
    }
    if (status == CP_OK)
        status = cp_collide_clip(collider, clip, look_every, 0, &passages);
    const cp_passage *first = NULL;
    double time = 0;
    uint64_t line = 0;
    for (uint32_t i = 0; i < passages.count && status == CP_OK; i++) {
        const cp_passage *passage = &passages.items[i];
        const uint32_t device = device_of(scene, passage->first);
        double begin = passage->begin;
        uint64_t where = line_at(&cp_clips(scene, &(uint32_t){0})[clip], begin);
        const bool from_first = begin <= passages.first;
        if (passage->moments == 0 || (from_first && device != CP_NONE && device == device_of(scene, passage->second)))
            continue;
        if (from_first)
            status = find_parting(checker, waiting, scene, passage, &begin, &where);
        if (first && begin >= time)
            continue;
        first = passage;
        time = begin;
        line = where;
    }
    if (first && status == CP_OK) {
        uint32_t count;
        const cp_node *nodes = cp_nodes(scene, &count);
        (void)snprintf(result->why, sizeof result->why, "near: %.80s and %.80s would touch at %s s, in line %llu",
                       nodes[first->first].name, nodes[first->second].name, show(time).text, (unsigned long long)line);
    }
    cp_collider_free(collider);
    return status;
}

struct fastest {
    const cp_scene *scene;
    struct check_result *result;
};

static void tell_excess(void *user, const cp_excess *excess)
{
    struct fastest *fastest = user;
    uint32_t count;
    const cp_joint *joint = &cp_joints(fastest->scene, &count)[excess->joint];
    if (!excess->acceleration && !*fastest->result->why)
        (void)snprintf(fastest->result->why, sizeof fastest->result->why,
                       "limits: %.80s would move at %s of %s %s/s, at %s s", joint->name, show(excess->most).text,
                       show(excess->limit).text, joint->type == CP_JOINT_REVOLUTE ? "rad" : "m",
                       show(excess->time).text);
}

/* ---- the way ---- */

/* Notes the values of all joints at equal times of a program. */
static cp_status note_path(struct checker *checker, const struct waiting *waiting, cp_scene *scene, double seconds,
                           struct check_result *result)
{
    cp_program *program;
    const struct check_question *question = &waiting->question;
    cp_program_snapshot state = {.size = sizeof state};
    const size_t width = checker->joint_count;
    const size_t fitting = MOST_PATH_VALUES / (width + 1), most = fitting < 4           ? 4
                                                                  : fitting < MOST_PATH ? fitting
                                                                                        : MOST_PATH;
    const double every = fmax(0.04, seconds / (double)(most - 2));
    result->path = calloc(most * width + 1, sizeof *result->path);
    result->joint_count = width;
    if (!result->path)
        return CP_LIMIT;
    cp_status status = cp_program_new(checker->context, scene, waiting->name, waiting->text, question->size,
                                      &question->options, &program);
    while (status == CP_OK && result->path_count < most) {
        cp_program_state(program, &state);
        if (state.time >= result->path_count * every - 1e-9 || state.ended)
            memcpy(result->path + width * result->path_count++, state.q, width * sizeof *state.q);
        if (state.ended)
            break;
        status = cp_program_step(program);
    }
    cp_program_free(program);
    return status;
}

static void try_program(struct checker *checker, const struct waiting *waiting, struct check_result *result)
{
    const struct check_question *question = &waiting->question;
    cp_context *context = checker->context;
    cp_program *program = NULL;
    cp_program_snapshot state = {.size = sizeof state};
    uint32_t clips = 0;
    cp_scene *scene = cp_scene_at(checker->scene, waiting->q);
    cp_status status = scene ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status =
            cp_program_new(context, scene, waiting->name, waiting->text, question->size, &question->options, &program);
    if (status == CP_OK)
        status = cp_program_record(program, scene, "check", -1, -1);
    if (program)
        cp_program_state(program, &state);
    result->seconds = state.time;
    if (status == CP_OK) {
        (void)cp_clips(scene, &clips);
        status = find_touch(checker, waiting, scene, clips - 1, result);
    }
    if (status == CP_OK && !*result->why) {
        struct fastest fastest = {scene, result};
        status = cp_find_excesses(context, scene, clips - 1, question->options.period, tell_excess, &fastest);
        if (status == CP_NO)
            status = CP_OK;
    }
    cp_program_free(program);
    if (status == CP_OK)
        status = note_path(checker, waiting, scene, state.time, result);
    if (status != CP_OK)
        tell_errors(checker, result);
    cp_report_clear(context);
    cp_scene_free(scene);
}

/* Looks at a straight way of the joints, every hundredth of it and every degree or 5 mm. */
static void try_move(struct checker *checker, const struct waiting *waiting, struct check_result *result)
{
    struct cell cell;
    struct near_pair pair;
    double farthest = 0;
    cp_scene *scene = cp_scene_at(checker->scene, waiting->q);
    cp_status status = scene ? cell_open(checker->context, scene, &cell) : CP_LIMIT;
    if (status != CP_OK) {
        tell_errors(checker, result);
        return;
    }
    for (uint32_t i = 0; i < cell.joint_count; i++)
        farthest = fmax(farthest, fabs(waiting->to[i] - waiting->q[i]) / cell_stride(&cell.joints[i]));
    const uint32_t steps = (uint32_t)fmin(1e5, fmax(100, ceil(farthest)));
    double *q = calloc(cell.joint_count + 1u, sizeof *q);
    status = cell_set_placed(&cell, waiting->placed, waiting->question.placed_count);
    for (uint32_t k = 1; k <= steps && status == CP_OK && q && !is_over(checker); k++) {
        for (uint32_t i = 0; i < cell.joint_count; i++)
            q[i] = waiting->q[i] + (waiting->to[i] - waiting->q[i]) * k / steps;
        status = cell_try(&cell, q, &pair);
    }
    if (status == CP_NO && pair.first)
        (void)snprintf(result->why, sizeof result->why, "near: %.100s and %.100s would touch", pair.first, pair.second);
    else if (status != CP_OK || !q || is_over(checker))
        (void)snprintf(result->why, sizeof result->why, "limits: the loops do not close on the way");
    free(q);
    cell_close(&cell);
    cp_report_clear(checker->context);
}

/* ---- the thread ---- */

static bool take_waiting(struct checker *checker, struct waiting *waiting)
{
    (void)pthread_mutex_lock(&checker->lock);
    while (!checker->ends && checker->count == 0)
        (void)pthread_cond_wait(&checker->changed, &checker->lock);
    const bool goes_on = !checker->ends;
    if (goes_on) {
        *waiting = checker->waiting[checker->first];
        checker->waiting[checker->first] = (struct waiting){0};
        checker->present = waiting->question.ticket;
        checker->is_cancelled = waiting->is_cancelled;
        checker->first = (checker->first + 1) % MOST_CHECKS;
        checker->count--;
    }
    (void)pthread_mutex_unlock(&checker->lock);
    return goes_on;
}

static void *work(void *of_checker)
{
    struct checker *checker = of_checker;
    struct waiting waiting;
    while (take_waiting(checker, &waiting)) {
        struct check_result *result = waiting.result;
        waiting.result = NULL;
        if (is_over(checker))
            (void)snprintf(result->why, sizeof result->why, "the check did not begin");
        else if (waiting.to)
            try_move(checker, &waiting, result);
        else
            try_program(checker, &waiting, result);
        checker->done(checker->user, result);
        free_waiting(&waiting);
    }
    return NULL;
}

/* Starts the thread without signals, which are the main thread's. */
static bool start_thread(struct checker *checker)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&checker->thread, NULL, work, checker) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

/* The thread's scene is a copy that shares nothing: one that was written and read. Rows keep their order on that way.
 */
static cp_status copy_scene(cp_context *context, const cp_scene *scene, struct checker *checker)
{
    static const char *const stage[] = {"profile=stage"};
    void *bytes = NULL;
    size_t size = 0;
    uint32_t count, joints = 0, nodes = 0;
    cp_status status = cp_write_memory(context, scene, "glb", stage, 1, &bytes, &size);
    if (status == CP_OK)
        status = cp_read_memory(checker->context, bytes, size, "cell", "gltf", NULL, 0, &checker->scene);
    cp_free(context, bytes, size);
    if (status != CP_OK)
        return status;
    const cp_joint *theirs = cp_joints(checker->scene, &joints), *ours = cp_joints(scene, &count);
    bool same = joints == count;
    for (uint32_t i = 0; i < joints && same; i++)
        same = strcmp(theirs[i].id, ours[i].id) == 0;
    const cp_node *their_nodes = cp_nodes(checker->scene, &nodes), *our_nodes = cp_nodes(scene, &count);
    same = same && nodes == count;
    for (uint32_t i = 0; i < nodes && same; i++)
        same = strcmp(their_nodes[i].id, our_nodes[i].id) == 0;
    checker->joint_count = joints;
    cp_report_clear(checker->context);
    return same ? CP_OK : CP_INPUT;
}

cp_status checker_new(cp_context *context, const cp_scene *scene, const struct list *limits,
                      void (*done)(void *user, struct check_result *result), void *user, struct checker **checker)
{
    struct checker *new = *checker = calloc(1, sizeof *new);
    if (!new)
        return cp_report_error(context, CP_LIMIT, "live-thread", NULL, 0, "out of memory");
    new->done = done;
    new->user = user;
    (void)pthread_mutex_init(&new->lock, NULL);
    (void)pthread_cond_init(&new->changed, NULL);
    new->context = cp_context_new(NULL);
    cp_status status = new->context ? CP_OK : CP_LIMIT;
    for (size_t i = 0; limits && i < limits->count && status == CP_OK; i++)
        status = cp_set_limit(new->context, limits->items[i]);
    if (status == CP_OK)
        status = copy_scene(context, scene, new);
    if (status == CP_OK) {
        cp_set_cancel(new->context, is_over, new);
        (void)cp_set_threads(new->context, 1);
        new->is_started = start_thread(new);
    }
    if (new->is_started)
        return CP_OK;
    checker_free(new);
    *checker = NULL;
    return cp_report_error(context, CP_LIMIT, "live-thread", NULL, 0,
                           "programs cannot be checked: no thread or memory");
}

static void *copy(const void *bytes, size_t size)
{
    char *new = bytes ? malloc(size + 1) : NULL;
    if (new) {
        memcpy(new, bytes, size);
        new[size] = 0;
    }
    return new;
}

bool checker_ask(struct checker *checker, const struct check_question *question)
{
    const size_t values = checker->joint_count * sizeof(double);
    struct waiting waiting = {
        .question = *question,
        .q = copy(question->q, values),
        .to = copy(question->to, values),
        .placed = copy(question->placed, question->placed_count * sizeof *question->placed),
        .name = copy(question->name, question->name ? strlen(question->name) : 0),
        .text = copy(question->text, question->size),
        .result = calloc(1, sizeof *waiting.result),
    };
    if (waiting.result)
        waiting.result->ticket = question->ticket;
    bool good =
        waiting.q && waiting.result &&
        (question->to ? waiting.to && (waiting.placed || question->placed_count == 0) : waiting.name && waiting.text);
    (void)pthread_mutex_lock(&checker->lock);
    good = good && checker->count < MOST_CHECKS;
    if (good) {
        checker->waiting[(checker->first + checker->count++) % MOST_CHECKS] = waiting;
        (void)pthread_cond_signal(&checker->changed);
    }
    (void)pthread_mutex_unlock(&checker->lock);
    if (!good)
        free_waiting(&waiting);
    return good;
}

void checker_cancel(struct checker *checker, uint64_t ticket)
{
    (void)pthread_mutex_lock(&checker->lock);
    if (checker->present == ticket)
        checker->is_cancelled = true;
    for (uint32_t i = 0; i < checker->count; i++) {
        struct waiting *waiting = &checker->waiting[(checker->first + i) % MOST_CHECKS];
        waiting->is_cancelled = waiting->is_cancelled || waiting->question.ticket == ticket;
    }
    (void)pthread_mutex_unlock(&checker->lock);
}

void checker_free(struct checker *checker)
{
    if (!checker)
        return;
    (void)pthread_mutex_lock(&checker->lock);
    checker->ends = true;
    (void)pthread_cond_signal(&checker->changed);
    (void)pthread_mutex_unlock(&checker->lock);
    if (checker->is_started)
        (void)pthread_join(checker->thread, NULL);
    for (uint32_t i = 0; i < MOST_CHECKS; i++)
        free_waiting(&checker->waiting[i]);
    cp_scene_free(checker->scene);
    cp_context_free(checker->context);
    (void)pthread_mutex_destroy(&checker->lock);
    (void)pthread_cond_destroy(&checker->changed);
    free(checker);
}

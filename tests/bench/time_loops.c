/* time_loops [--poses N] [--rounds N]: how long it takes to find the pose of the hexapod of samples/mechanisms from the
 * lengths of its legs, along a path of small steps: with cellpipe, and with cminpack's lmdif1 on the same residuals
 * (the five balls' gaps in parts of the machine's size, by 15 free joints); as a Markdown table. Both start from the
 * pose before. lmdif1 takes its derivatives by differences, as users do who have no others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"
#include "motion/loops/loops.h"
#include "timing.h"

#ifdef HAVE_CMINPACK
#include <cminpack.h>
#endif

enum { LEGS = 6, MOST_FREE = 40, MOST_ROWS = 40, MOST_ROUNDS = 100 };

/* ---- the path ---- */

struct machine {
    cp_mechanism mechanism;
    uint32_t legs[LEGS];
    double *q;
};

/* Leg lengths that swing by 20 mm together, and by 4 mm each in its own time: at most 1.5 mm from pose to pose. */
static void set_legs(struct machine *machine, double *values, size_t pose)
{
    const double turn = 2 * 3.14159265358979 * (double)pose;
    for (int i = 0; i < LEGS; i++)
        values[machine->legs[i]] = 0.02 * sin(turn / 100) + 0.004 * sin(turn / (110 + 10 * i));
}

/* The farthest that two ends of a loop are apart, metres. */
static double gap(struct closure *closure)
{
    const struct closure_group *group = closure->chains.groups;
    double worst = 0;
    closure_place(&closure->chains, group);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        struct loop_ends ends;
        double square = 0;
        closure_ends(&closure->chains, &closure->chains.mechanism->scene->loops[closure->chains.loops[i].loop], &ends);
        for (int k = 0; k < 3; k++)
            square += (ends.origins[0][k] - ends.origins[1][k]) * (ends.origins[0][k] - ends.origins[1][k]);
        worst = fmax(worst, sqrt(square));
    }
    return worst;
}

/* To the first pose, from anywhere. */
static void begin_path(struct machine *machine)
{
    set_legs(machine, machine->q, 0);
    if (mechanism_values(&machine->mechanism, machine->q) != CP_OK)
        fail("time_loops: the machine does not close");
}

/* Microseconds a pose. */
static double time_ours(struct machine *machine, size_t poses, double *worst)
{
    begin_path(machine);
    double begin = processor_seconds();
    for (size_t pose = 0; pose < poses; pose++) {
        set_legs(machine, machine->q, pose);
        if (mechanism_values(&machine->mechanism, machine->q) != CP_OK)
            fail("time_loops: the machine does not close");
        if (pose % 64 == 0)
            *worst = fmax(*worst, gap(machine->mechanism.closure));
    }
    return 1e6 * (processor_seconds() - begin) / (double)poses;
}

/* ---- lmdif1 ---- */

#ifdef HAVE_CMINPACK
/* Its differences are parts of a variable's size: angles near 0 would have none. */
static const double shift = 1;

static int residuals(void *user, int rows, int columns, const double *x, double *values, int flag)
{
    struct closure *closure = user;
    const struct closure_group *group = closure->chains.groups;
    uint32_t row = 0;
    (void)rows;
    (void)flag;
    for (int i = 0; i < columns; i++)
        closure->chains.mechanism->values[closure->chains.columns[i]] = x[i] - shift;
    closure_place(&closure->chains, group);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        struct loop_ends ends;
        closure_ends(&closure->chains, &closure->chains.mechanism->scene->loops[closure->chains.loops[i].loop], &ends);
        for (int k = 0; k < 3; k++)
            values[row++] = (ends.origins[0][k] - ends.origins[1][k]) / group->length;
    }
    return 0;
}

static double time_theirs(struct machine *machine, size_t poses, double *worst)
{
    struct closure *closure = machine->mechanism.closure;
    const struct closure_chains *chains = &closure->chains;
    const struct closure_group *group = chains->groups;
    const int rows = (int)group->row_count, columns = (int)group->free_count;
    double x[MOST_FREE], values[MOST_ROWS], work[MOST_ROWS * MOST_FREE + 5 * MOST_FREE + MOST_ROWS];
    int order[MOST_FREE];
    begin_path(machine);
    for (int i = 0; i < columns; i++)
        x[i] = machine->mechanism.values[chains->columns[i]] + shift;
    double begin = processor_seconds();
    for (size_t pose = 0; pose < poses; pose++) {
        set_legs(machine, machine->mechanism.values, pose);
        int how =
            lmdif1(residuals, closure, rows, columns, x, values, 1e-12, order, work, (int)(sizeof work / sizeof *work));
        if (how < 1)
            fail("time_loops: lmdif1 refuses");
        if (pose % 64 == 0) {
            (void)residuals(closure, rows, columns, x, values, 0);
            *worst = fmax(*worst, gap(closure));
        }
    }
    return 1e6 * (processor_seconds() - begin) / (double)poses;
}
#endif

int main(int count, char **arguments)
{
    size_t poses = 2000, rounds = 7;
    const struct number_option options[] = {{"--poses", &poses}, {"--rounds", &rounds}, {NULL, NULL}};
    const char *usage = "time_loops [--poses N] [--rounds N]";
    if (read_numbers(count, arguments, options, usage) != count)
        fail("usage: %s", usage);
    if (poses == 0 || rounds == 0 || rounds > MOST_ROUNDS)
        fail("time_loops: numbers are 1 or more, rounds at most 100");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    struct machine machine = {0};
    double ours[MOST_ROUNDS], our_gap = 0;
    if (!context || cp_read(context, SAMPLES "/mechanisms/hexapod.dcw", NULL, NULL, 0, &scene) != CP_OK ||
        mechanism_open(&machine.mechanism, context, scene) != CP_OK)
        fail("time_loops: the hexapod cannot be read");
    const cp_device *device = scene->devices;
    if (device->joint_count != LEGS || machine.mechanism.closure->chains.groups->free_count > MOST_FREE ||
        machine.mechanism.closure->chains.groups->row_count > MOST_ROWS)
        fail("time_loops: the hexapod is another one");
    memcpy(machine.legs, device->joints, sizeof machine.legs);
    machine.q = machine.mechanism.q;
#ifdef HAVE_CMINPACK
    double theirs[MOST_ROUNDS], their_gap = 0;
#endif
    for (size_t round = 0; round < rounds; round++) {
        ours[round] = time_ours(&machine, poses, &our_gap);
#ifdef HAVE_CMINPACK
        theirs[round] = time_theirs(&machine, poses, &their_gap);
#endif
    }
    printf("| machine | free joints | residuals | solver | us a pose | largest gap, m | times cellpipe |\n"
           "|---|---|---|---|---|---|---|\n"
           "| hexapod | %u | %u | cellpipe | %.1f | %.1g | |\n",
           (unsigned)machine.mechanism.closure->chains.groups->free_count,
           (unsigned)machine.mechanism.closure->chains.groups->row_count, median(ours, rounds), our_gap);
#ifdef HAVE_CMINPACK
    printf("| hexapod | %u | %u | lmdif1 | %.1f | %.1g | %.2f |\n",
           (unsigned)machine.mechanism.closure->chains.groups->free_count,
           (unsigned)machine.mechanism.closure->chains.groups->row_count, median(theirs, rounds), their_gap,
           median(theirs, rounds) / median(ours, rounds));
#else
    fprintf(stderr, "not installed: cminpack (libcminpack-dev)\n");
#endif
    mechanism_close(&machine.mechanism);
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

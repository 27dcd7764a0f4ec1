/* Inverse kinematics by a routine of the user's: a function in a shared library, with the interface of
 * contrib/routines/shlibdefs.h. It runs in a process of its own. The solver of loops checks its solutions. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/process/process.h"
#include "base/text/text.h"
#include "inverse.h"
#include "model/model.h"

/* As in shlibdefs.h. */
enum { MOST_DOFS = 64, MOST_SOLUTIONS = 64, GOOD_SOLUTION = 1 };
struct kin_stat {
    int dof_count;
    int *joint_types;
    int kin_mode;
    double *joint_values;
    double *limits[2];
};
typedef int config_function(char *name, int *dofs, int *solutions, int *hint);
typedef int routine_function(double *lengths, double *offsets, double (*t6)[4], double *solutions, int *warnings,
                             void *data);

/* The stage that the process has reached. */
enum stage {
    STAGE_NOT_LOADED,
    STAGE_NO_CONFIG,
    STAGE_UNKNOWN,
    STAGE_MISSING,
    STAGE_SIZE,
    STAGE_REFUSED,
    STAGE_BOUNDS,
    STAGE_DONE
};
struct routine_answer {
    int stage, dofs, solutions;
    int code; /* that the routine returned */
    char text[300];
    int warnings[MOST_SOLUTIONS];
    double values[MOST_DOFS * MOST_SOLUTIONS]; /* [joint][solution] */
};

/* The numbers of the routine, with a fence beside them that shows whether it wrote there. */
enum { FENCE = 64 };
struct arguments {
    double lengths[CP_MOST_ROUTINE_LENGTHS], offsets[CP_MOST_ROUTINE_LENGTHS], t6[4][4];
    double before[FENCE], solutions[MOST_DOFS * MOST_SOLUTIONS], after[FENCE];
    int warnings_before[FENCE], warnings[MOST_SOLUTIONS], warnings_after[FENCE];
    int types[MOST_DOFS];
    double values[MOST_DOFS], lower[MOST_DOFS], upper[MOST_DOFS];
};
struct routine_call {
    const struct cp_inverse *inverse;
    struct arguments arguments;
};

/* ---- in the process ---- */

/* Finds a function of the library. ISO C has no cast from dlsym's result to a function, so its bytes are copied. */
static void *symbol(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, size);
    return found;
}

static bool fences_stand(const struct arguments *own, const struct arguments *filled, int numbers, int solutions)
{
    const size_t used = (size_t)numbers;
    return memcmp(own->before, filled->before, sizeof own->before) == 0 &&
           memcmp(own->after, filled->after, sizeof own->after) == 0 &&
           memcmp(own->solutions + used, filled->solutions + used, sizeof own->solutions - used * sizeof(double)) ==
               0 &&
           memcmp(own->warnings_before, filled->warnings_before, sizeof own->warnings_before) == 0 &&
           memcmp(own->warnings_after, filled->warnings_after, sizeof own->warnings_after) == 0 &&
           memcmp(own->warnings + solutions, filled->warnings + solutions,
                  sizeof own->warnings - (size_t)solutions * sizeof(int)) == 0;
}

static void run_routine(void *user, void *memory)
{
    struct routine_call *call = user;
    struct routine_answer *answer = memory;
    const struct cp_inverse *inverse = call->inverse;
    const cp_routine *routine = inverse->reach.routine;
    struct arguments *own = &call->arguments;
    static struct arguments before;
    static char name[200];
    config_function *configure;
    routine_function *solve;
    int hint = 0;
    void *library = dlopen(routine->library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        (void)snprintf(answer->text, sizeof answer->text, "%s", why ? why : "");
        return;
    }
    (void)sandbox_enter(inverse->context->limits.reader_memory, (uint64_t)routine->seconds + 1);
    (void)snprintf(name, sizeof name, "%s", routine->name);
    answer->stage = STAGE_NO_CONFIG;
    if (!symbol(library, "get_kin_config", &configure, sizeof configure))
        return;
    answer->stage = STAGE_UNKNOWN;
    if (configure(name, &answer->dofs, &answer->solutions, &hint) != 0)
        return;
    answer->stage = STAGE_MISSING;
    if (!symbol(library, routine->name, &solve, sizeof solve))
        return;
    answer->stage = STAGE_SIZE;
    if (answer->dofs != (int)inverse->unknown_count || answer->solutions < 1 || answer->solutions > MOST_SOLUTIONS)
        return;
    struct kin_stat data = {answer->dofs, own->types, 0, own->values, {own->lower, own->upper}};
    before = *own;
    answer->stage = STAGE_REFUSED;
    answer->code = solve(own->lengths, own->offsets, own->t6, own->solutions, own->warnings, &data);
    if (answer->code != 0)
        return;
    answer->stage = STAGE_BOUNDS;
    if (!fences_stand(&before, own, answer->dofs * answer->solutions, answer->solutions))
        return;
    memcpy(answer->values, own->solutions, sizeof answer->values);
    memcpy(answer->warnings, own->warnings, sizeof answer->warnings);
    answer->stage = STAGE_DONE;
}

/* ---- before and after it ---- */

static double to_foreign(const cp_joint *joint, double value)
{
    return joint->type == CP_JOINT_REVOLUTE ? radians_to_degrees(value) : value * 1000;
}

static double from_foreign(const cp_joint *joint, double value)
{
    return joint->type == CP_JOINT_REVOLUTE ? degrees_to_radians(value) : value / 1000;
}

/* Fills in the arguments. T6 has the axes and the place of the target as rows, in the frame `in`, or else in that of
 * the device's base. */
static void fill_arguments(const struct cp_inverse *inverse, const cp_pose *target, struct arguments *own)
{
    const cp_routine *routine = inverse->reach.routine;
    const cp_pose t6 = pose_multiply(&inverse->reference_from_in, target);
    memset(own, 0, sizeof *own);
    for (uint32_t i = 0; i < routine->length_count; i++)
        own->lengths[i] = routine->lengths[i] * 1000;
    for (uint32_t i = 0; i < routine->offset_count; i++)
        own->offsets[i] = routine->offsets[i] * 1000;
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < 3; i++)
            own->t6[row][i] = t6.m[4 * i + row] * (row == 3 ? 1000 : 1);
        own->t6[row][3] = row == 3;
    }
    for (uint32_t i = 0; i < inverse->unknown_count; i++) {
        const cp_joint *joint = &inverse->scene->joints[inverse->unknown[i]];
        own->types[i] = joint->type != CP_JOINT_REVOLUTE;
        own->values[i] = to_foreign(joint, joint->q);
        own->lower[i] = to_foreign(joint, joint->lower);
        own->upper[i] = to_foreign(joint, joint->upper);
    }
    for (int i = 0; i < MOST_DOFS * MOST_SOLUTIONS; i++)
        own->solutions[i] = NAN;
    for (int i = 0; i < FENCE; i++)
        own->before[i] = own->after[i] = 0x1.9p77;
}

/* Returns why the routine as a whole has no solution; NULL: it has some. */
static const char *refusal(const struct cp_inverse *inverse, const struct routine_answer *answer, char text[200])
{
    switch ((enum stage)answer->stage) {
    case STAGE_NOT_LOADED:
    case STAGE_DONE:
        return NULL;
    case STAGE_NO_CONFIG:
        return "its library has no get_kin_config";
    case STAGE_UNKNOWN:
        return "get_kin_config does not know it";
    case STAGE_MISSING:
        return "its library has no such function";
    case STAGE_SIZE:
        (void)snprintf(text, 200, "it is for %d joints with %d solutions, and the device has %u joints", answer->dofs,
                       answer->solutions, (unsigned)inverse->unknown_count);
        return text;
    case STAGE_REFUSED:
        (void)snprintf(text, 200, "it returned %d", answer->code);
        return text;
    case STAGE_BOUNDS:
        return "it wrote beyond its arrays";
    }
    return NULL;
}

static cp_status report_refusal(const struct cp_inverse *inverse, const char *why)
{
    return report_error(inverse->context, CP_NO, "no-posture", NOWHERE, "routine \"%.100s\" gives no solution: %s",
                        inverse->reach.routine->name, why);
}

/* Warns that something is wrong with one of its solutions. */
static void warn(const struct cp_inverse *inverse, uint32_t number, const char *what)
{
    report_warning(inverse->context, "routine-solution", NOWHERE, "solution %u of routine \"%.100s\": %s",
                   (unsigned)number, inverse->reach.routine->name, what);
}

/* A ten-thousandth of a radian, or of the device's size. */
static const double close_enough = 1e-4;

/* Returns how far the solver had to move a joint at most, as a part of a radian or of the device's size. *most: in
 * radians or metres. */
static double moved_part(const struct cp_inverse *inverse, double *most)
{
    const double length = inverse->mechanism.closure->chains.groups[inverse->group].length;
    double part = 0;
    *most = 0;
    for (uint32_t i = 0; i < inverse->unknown_count; i++) {
        const bool turns = inverse->scene->joints[inverse->unknown[i]].type == CP_JOINT_REVOLUTE;
        double apart = inverse->mechanism.values[inverse->unknown[i]] - inverse->candidate[i];
        apart = fabs(turns ? remainder(apart, 2 * PI) : apart);
        part = fmax(part, turns ? apart : apart / length);
        *most = fmax(*most, apart);
    }
    return part;
}

static cp_status take_solution(struct cp_inverse *inverse, const struct routine_answer *answer, uint32_t number)
{
    char text[80];
    double most;
    if (answer->warnings[number] != GOOD_SOLUTION) {
        (void)snprintf(text, sizeof text, "warning %d", answer->warnings[number]);
        warn(inverse, number, text);
        return CP_NO;
    }
    for (uint32_t i = 0; i < inverse->unknown_count; i++) {
        const cp_joint *joint = &inverse->scene->joints[inverse->unknown[i]];
        double value = answer->values[i * (uint32_t)answer->solutions + number];
        if (!isfinite(value) || fabs(value) > 1e9) {
            warn(inverse, number, "a value is not a number");
            return CP_NO;
        }
        inverse->candidate[i] = from_foreign(joint, value);
    }
    cp_status status = inverse_close(inverse);
    if (status == CP_OK && moved_part(inverse, &most) > close_enough)
        status = CP_NO;
    if (status == CP_NO)
        warn(inverse, number, "its values do not bring the frame there");
    if (status != CP_OK)
        return status;
    (void)moved_part(inverse, &most);
    for (uint32_t i = 0; i < inverse->unknown_count; i++)
        inverse->mechanism.values[inverse->unknown[i]] = inverse->candidate[i];
    return inverse_add(inverse, number, most);
}

cp_status try_routine(struct cp_inverse *inverse, const cp_pose *target)
{
    const cp_routine *routine = inverse->reach.routine;
    struct routine_answer *answer = arena_allocate_zeroed(inverse->result, 1, sizeof *answer);
    struct routine_call *foreign = arena_allocate_zeroed(inverse->result, 1, sizeof *foreign);
    char why[CALL_REASON], text[200];
    if (!answer || !foreign)
        return CP_LIMIT;
    foreign->inverse = inverse;
    fill_arguments(inverse, target, &foreign->arguments);
    const struct isolated_call call = {run_routine, foreign, answer, sizeof *answer, routine->seconds};
    cp_status status = isolate_call(inverse->context, &call, why);
    if (status != CP_OK)
        return status == CP_NO ? report_refusal(inverse, why) : status;
    answer->text[sizeof answer->text - 1] = '\0';
    if (answer->stage == STAGE_NOT_LOADED)
        return report_error(inverse->context, CP_USAGE, "routine-load", NOWHERE, "%s", answer->text);
    const char *reason = refusal(inverse, answer, text);
    if (reason)
        return report_refusal(inverse, reason);
    for (uint32_t number = 0; number < (uint32_t)answer->solutions && status != CP_LIMIT; number++)
        status = take_solution(inverse, answer, number);
    if (status == CP_LIMIT || inverse->posture_count > 0)
        return status == CP_LIMIT ? status : CP_OK;
    return report_refusal(inverse, "see above");
}

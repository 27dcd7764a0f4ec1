/* RTDE: the Real-Time Data Exchange of Universal Robots' controllers (TCP 30004), protocol version 2. We ask for the
 * version, then for four variables at 125 Hz, then for the start. A package is its size (16 bits, with these), its type
 * (a letter) and what the type says; all numbers are big-endian.
 *
 * Behaviour and limitations
 * - It only reads. Text messages of the controller are ignored.
 * - Joints are "1" to "6" from the base on, in radians. */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "controller.h"

enum { VERSION = 'V', OUTPUTS = 'O', START = 'S', DATA = 'U', TEXT = 'M', HEADER = 3, JOINTS = 6 };

/* The variables that we ask for, in the order of the data packages. */
static const struct variable {
    const char *name, *type;
} variables[] = {
    {"timestamp", "DOUBLE"}, {"actual_q", "VECTOR6D"}, {"safety_mode", "INT32"}, {"runtime_state", "UINT32"}};
enum {
    VARIABLES = sizeof variables / sizeof *variables,
    DATA_SIZE = HEADER + 1 + 8 + 8 * JOINTS + 4 + 4 /* the 1 is the number of the recipe */
};

/* The package that the controller sends next. */
enum step { EXPECTS_VERSION, EXPECTS_OUTPUTS, EXPECTS_START, EXPECTS_DATA };

struct rtde {
    enum step step;
    unsigned char recipe; /* the number by which the controller calls our list of variables */
    struct pieces package;
    struct buffer answer;
};

static cp_status begin(cp_context *context, void *state, const void **hello, size_t *size)
{
    static const unsigned char request[] = {0, 5, VERSION, 0, 2};
    struct rtde *rtde = state;
    rtde->answer.context = context;
    *hello = request;
    *size = sizeof request;
    return CP_OK;
}

/* ---- requests ---- */

static void request_outputs(struct buffer *answer)
{
    static const unsigned char rate[] = {0x40, 0x5f, 0x40, 0, 0, 0, 0, 0}; /* 125.0 */
    size_t size = HEADER + sizeof rate + VARIABLES - 1;
    for (size_t i = 0; i < VARIABLES; i++)
        size += strlen(variables[i].name);
    const unsigned char header[] = {(unsigned char)(size >> 8), (unsigned char)size, OUTPUTS};
    buffer_append(answer, header, sizeof header);
    buffer_append(answer, rate, sizeof rate);
    for (size_t i = 0; i < VARIABLES; i++) {
        buffer_text(answer, i > 0 ? "," : "");
        buffer_text(answer, variables[i].name);
    }
}

static void request_start(struct buffer *answer)
{
    static const unsigned char request[] = {0, HEADER, START};
    buffer_append(answer, request, sizeof request);
}

/* ---- answers ---- */

static bool refuse(char why[WHY_SIZE], const char *reason)
{
    (void)snprintf(why, WHY_SIZE, "%s", reason);
    return false;
}

/* A package of one byte, which is 1 if the controller agrees. */
static bool take_agreement(const struct pieces *package, const char *refusal, char why[WHY_SIZE])
{
    if (package->size != HEADER + 1)
        return refuse(why, "an answer of RTDE has another size than 4 bytes");
    return package->bytes[HEADER] == 1 || refuse(why, refusal);
}

/* The number of the recipe, and the types of the variables with commas between. */
static bool take_types(struct rtde *rtde, char why[WHY_SIZE])
{
    const struct pieces *package = &rtde->package;
    if (package->size <= HEADER + 1)
        return refuse(why, "RTDE's answer to the list of variables has no types");
    rtde->recipe = package->bytes[HEADER];
    const char *at = (const char *)package->bytes + HEADER + 1, *end = (const char *)package->bytes + package->size;
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *comma = at ? memchr(at, ',', (size_t)(end - at)) : NULL, *type = at ? at : "";
        const size_t size = at ? (size_t)((comma ? comma : end) - at) : 0;
        if (size == strlen("NOT_FOUND") && memcmp(type, "NOT_FOUND", size) == 0) {
            (void)snprintf(why, WHY_SIZE, "the controller has no variable \"%s\"", variables[i].name);
            return false;
        }
        if (size != strlen(variables[i].type) || memcmp(type, variables[i].type, size) != 0) {
            (void)snprintf(why, WHY_SIZE, "the variable \"%s\" has the type \"%.*s\", not %s", variables[i].name,
                           size < 40 ? (int)size : 40, type, variables[i].type);
            return false;
        }
        at = comma ? comma + 1 : NULL;
    }
    return !at || refuse(why, "RTDE's answer has more types than there are variables");
}

/* ---- data ---- */

/* Safety comes first. An emergency stop, a violation and a fault need people at the robot; all that is neither normal
 * nor reduced has stopped it, numbers of later software too. */
static enum controller_mode mode_of(int32_t safety_mode, uint32_t runtime_state)
{
    enum { NORMAL = 1, REDUCED = 2, SYSTEM_EMERGENCY_STOP = 6, ROBOT_EMERGENCY_STOP, VIOLATION, FAULT };
    enum { STOPPING, STOPPED, PLAYING, PAUSING, PAUSED, RESUMING };
    if (safety_mode >= SYSTEM_EMERGENCY_STOP && safety_mode <= FAULT)
        return CONTROLLER_EMERGENCY;
    if (safety_mode != NORMAL && safety_mode != REDUCED)
        return CONTROLLER_STOPPED;
    switch (runtime_state) {
    case STOPPED:
        return CONTROLLER_READY;
    case PAUSED:
        return CONTROLLER_STOPPED;
    case STOPPING: /* the robot may still move */
    case PLAYING:
    case PAUSING:
    case RESUMING:
        return CONTROLLER_RUNNING;
    default:
        return CONTROLLER_SILENT;
    }
}

static bool take_data(const struct rtde *rtde, const struct controller_listener *listener, char why[WHY_SIZE])
{
    static const char *const names[JOINTS] = {"1", "2", "3", "4", "5", "6"};
    const unsigned char *at = rtde->package.bytes + HEADER;
    if (rtde->package.size != DATA_SIZE) {
        (void)snprintf(why, WHY_SIZE, "a data package of RTDE has %u bytes, not %u", (unsigned)rtde->package.size,
                       (unsigned)DATA_SIZE);
        return false;
    }
    if (*at != rtde->recipe)
        return refuse(why, "a data package of RTDE has another recipe than ours");
    double values[JOINTS];
    struct controller_sample sample = {.time = bytes_real(at + 1, 8, true), .names = names, .values = values};
    for (at += 9; sample.count < JOINTS; at += 8)
        values[sample.count++] = bytes_real(at, 8, true);
    if (!isfinite(sample.time))
        return refuse(why, "RTDE's timestamp is no finite number");
    sample.mode = mode_of(bytes_signed(at, true), (uint32_t)bytes_whole(at + 4, 4, true));
    listener->take(listener->user, &sample);
    return true;
}

/* ---- packages ---- */

static bool take_package(struct rtde *rtde, const struct controller_listener *listener, char why[WHY_SIZE])
{
    const unsigned char type = rtde->package.bytes[2];
    bool good = true;
    if (type == TEXT)
        return true;
    if (type == VERSION && rtde->step == EXPECTS_VERSION) {
        good = take_agreement(&rtde->package, "the controller does not speak version 2 of RTDE", why);
        request_outputs(&rtde->answer);
        rtde->step = EXPECTS_OUTPUTS;
    } else if (type == OUTPUTS && rtde->step == EXPECTS_OUTPUTS) {
        good = take_types(rtde, why);
        request_start(&rtde->answer);
        rtde->step = EXPECTS_START;
    } else if (type == START && rtde->step == EXPECTS_START) {
        good = take_agreement(&rtde->package, "the controller refuses to start RTDE", why);
        rtde->step = EXPECTS_DATA;
    } else if (type == DATA && rtde->step >= EXPECTS_START) { /* data may overtake the answer to the start */
        good = take_data(rtde, listener, why);
    } else {
        (void)snprintf(why, WHY_SIZE, "RTDE sends an unexpected package of type %u", (unsigned)type);
        good = false;
    }
    return good;
}

static cp_status take(cp_context *context, void *state, const void *bytes, size_t size,
                      const struct controller_listener *listener, const void **answer, size_t *answer_size,
                      char why[WHY_SIZE])
{
    (void)context;
    struct rtde *rtde = state;
    struct pieces *package = &rtde->package;
    const unsigned char *input = bytes;
    rtde->answer.size = 0;
    while (pieces_fill(package, &input, &size, HEADER)) {
        const size_t whole = (size_t)bytes_whole(package->bytes, 2, true);
        if (whole < HEADER) {
            (void)snprintf(why, WHY_SIZE, "a package of RTDE has %u bytes, fewer than its header", (unsigned)whole);
            return CP_INPUT;
        }
        if (!pieces_fill(package, &input, &size, whole))
            break;
        if (!take_package(rtde, listener, why))
            return CP_INPUT;
        package->size = 0;
    }
    *answer = rtde->answer.size > 0 ? rtde->answer.data : NULL;
    *answer_size = rtde->answer.size;
    return rtde->answer.failed ? CP_LIMIT : CP_OK;
}

static cp_status end(cp_context *context, void *state, const struct controller_listener *listener, char why[WHY_SIZE])
{
    (void)context;
    (void)listener;
    const struct rtde *rtde = state;
    const bool good = rtde->package.size > 0
                          ? refuse(why, "the connection ends in the midst of a package of RTDE")
                          : rtde->step >= EXPECTS_START || refuse(why, "the connection ends before RTDE has started");
    return good ? CP_OK : CP_INPUT;
}

static void free_state(cp_context *context, void *state)
{
    (void)context;
    buffer_free(&((struct rtde *)state)->answer);
}

const struct controller_protocol rtde_protocol = {.name = "rtde",
                                                  .port = 30004,
                                                  .state_size = sizeof(struct rtde),
                                                  .begin = begin,
                                                  .take = take,
                                                  .end = end,
                                                  .free = free_state};

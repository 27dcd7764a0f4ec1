/* simple_message of ROS-Industrial (TCP 11002: the state relay of a controller). Specification: REP-I0006. A message is
 * its length (32 bits, without these), type, communication type, reply code, and what the type says. Controllers send
 * in their own byte order, which the first length tells, and reals of 4 or 8 bytes, which the length of a message
 * tells.
 *
 * Behaviour and limitations
 * - It only reads JOINT_POSITION (10), STATUS (13) and JOINT_FEEDBACK (15). Others are skipped by their length.
 * - Joints are "1" to "10"; of a motion group N other than 0 "N/1" to "N/10". Unused ones are 0. */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "controller.h"

enum { JOINT_POSITION = 10, STATUS = 13, JOINT_FEEDBACK = 15 };
enum { TOPIC = 1, SERVICE_REPLY = 3 };
enum { LENGTH = 4, HEADER = 16, MOST_LENGTH = 65535, JOINTS = 10, MOST_GROUP = 99 };

struct simple_message {
    bool has_order, is_big;
    struct pieces message;
};

static cp_status begin(cp_context *context, void *state, const void **hello, size_t *size)
{
    (void)context;
    (void)state;
    *hello = NULL;
    *size = 0;
    return CP_OK;
}

static int32_t word_at(const struct simple_message *state, size_t index)
{
    return bytes_signed(state->message.bytes + HEADER + 4 * index, state->is_big);
}

static bool has_body(const struct simple_message *state, size_t size)
{
    return state->message.size == HEADER + size;
}

static bool refuse_size(const struct simple_message *state, const char *type, char why[WHY_SIZE])
{
    (void)snprintf(why, WHY_SIZE, "a message %s of simple_message has a length of %u", type,
                   (unsigned)(state->message.size - LENGTH));
    return false;
}

/* ---- joints ---- */

static void tell_joints(const struct simple_message *state, size_t at, size_t real, uint32_t group, double time,
                        const struct controller_listener *listener)
{
    char texts[JOINTS][24];
    const char *names[JOINTS];
    double values[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        (void)(group == 0 ? snprintf(texts[i], sizeof *texts, "%u", i + 1)
                          : snprintf(texts[i], sizeof *texts, "%u/%u", group, i + 1));
        names[i] = texts[i];
        values[i] = bytes_real(state->message.bytes + HEADER + at + i * real, real, state->is_big);
    }
    const struct controller_sample sample = {.time = time, .names = names, .values = values, .count = JOINTS};
    listener->take(listener->user, &sample);
}

/* The number in the sequence, and ten reals. */
static bool take_position(const struct simple_message *state, const struct controller_listener *listener,
                          char why[WHY_SIZE])
{
    const size_t real = has_body(state, 4 + 8 * JOINTS) ? 8 : 4;
    if (!has_body(state, 4 + real * JOINTS))
        return refuse_size(state, "JOINT_POSITION", why);
    tell_joints(state, 4, real, 0, NAN, listener);
    return true;
}

/* The motion group, bits that say which fields are valid, a time, then positions, velocities and accelerations. */
static bool take_feedback(const struct simple_message *state, const struct controller_listener *listener,
                          char why[WHY_SIZE])
{
    enum { HAS_TIME = 1, HAS_POSITIONS = 2, REALS = 1 + 3 * JOINTS };
    const size_t real = has_body(state, 8 + 8 * REALS) ? 8 : 4;
    if (!has_body(state, 8 + real * REALS))
        return refuse_size(state, "JOINT_FEEDBACK", why);
    const int32_t group = word_at(state, 0), valid = word_at(state, 1);
    if (group < 0 || group > MOST_GROUP) {
        (void)snprintf(why, WHY_SIZE, "JOINT_FEEDBACK is of motion group %d; there are 0 to %d", (int)group,
                       (int)MOST_GROUP);
        return false;
    }
    const double time = valid & HAS_TIME ? bytes_real(state->message.bytes + HEADER + 8, real, state->is_big) : NAN;
    if (valid & HAS_TIME && !isfinite(time)) {
        (void)snprintf(why, WHY_SIZE, "the time of JOINT_FEEDBACK is no finite number");
        return false;
    }
    if (valid & HAS_POSITIONS)
        tell_joints(state, 8 + real, real, (uint32_t)group, time, listener);
    return true;
}

/* ---- status ---- */

/* Seven words. Five of them are 1, 0 or -1 (unknown). The operating mode, manual or automatic, changes none of our
 * modes. */
static bool take_status(const struct simple_message *state, const struct controller_listener *listener,
                        char why[WHY_SIZE])
{
    enum { DRIVES_POWERED, E_STOPPED, ERROR_CODE, IN_ERROR, IN_MOTION, MODE, MOTION_POSSIBLE, WORDS };
    static const char *const names[WORDS] = {"drives_powered", "e_stopped", NULL, "in_error", "in_motion", NULL,
                                             "motion_possible"};
    int32_t words[WORDS];
    if (!has_body(state, sizeof words))
        return refuse_size(state, "STATUS", why);
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = word_at(state, i);
        if (!names[i] || (words[i] >= -1 && words[i] <= 1))
            continue;
        (void)snprintf(why, WHY_SIZE, "STATUS says %s is %d; there are -1, 0 and 1", names[i], (int)words[i]);
        return false;
    }
    struct controller_sample sample = {.time = NAN};
    if (words[E_STOPPED] == 1)
        sample.mode = CONTROLLER_EMERGENCY;
    else if (words[IN_ERROR] == 1 || words[DRIVES_POWERED] == 0)
        sample.mode = CONTROLLER_STOPPED;
    else if (words[IN_MOTION] == 1)
        sample.mode = CONTROLLER_RUNNING;
    else if (words[MOTION_POSSIBLE] == 0)
        sample.mode = CONTROLLER_STOPPED;
    else if (words[IN_MOTION] == 0 || words[MOTION_POSSIBLE] == 1)
        sample.mode = CONTROLLER_READY;
    if (sample.mode != CONTROLLER_SILENT)
        listener->take(listener->user, &sample);
    return true;
}

/* ---- messages ---- */

static bool take_message(const struct simple_message *state, const struct controller_listener *listener,
                         char why[WHY_SIZE])
{
    const uint64_t type = bytes_whole(state->message.bytes + 4, 4, state->is_big);
    const uint64_t communication = bytes_whole(state->message.bytes + 8, 4, state->is_big);
    if (communication < TOPIC || communication > SERVICE_REPLY) {
        (void)snprintf(why, WHY_SIZE, "a message of simple_message has communication type %llu; there are 1 to 3",
                       (unsigned long long)communication);
        return false;
    }
    if (communication != TOPIC)
        return true;
    switch (type) {
    case JOINT_POSITION:
        return take_position(state, listener, why);
    case STATUS:
        return take_status(state, listener, why);
    case JOINT_FEEDBACK:
        return take_feedback(state, listener, why);
    default:
        return true;
    }
}

static bool is_length(uint64_t length)
{
    return length >= HEADER - LENGTH && length <= MOST_LENGTH;
}

/* Reads the length that stands at the beginning. The first one has a meaning in one byte order alone: in the other it
 * is at least 65536, or 0. */
static bool read_length(struct simple_message *state, size_t *whole, char why[WHY_SIZE])
{
    const unsigned char *bytes = state->message.bytes;
    if (!state->has_order) {
        state->is_big = is_length(bytes_whole(bytes, LENGTH, true));
        state->has_order = true;
    }
    const uint64_t length = bytes_whole(bytes, LENGTH, state->is_big);
    *whole = LENGTH + (size_t)length;
    if (is_length(length))
        return true;
    (void)snprintf(why, WHY_SIZE, "a message of simple_message has a length of %llu; there are 12 to %d",
                   (unsigned long long)length, (int)MOST_LENGTH);
    return false;
}

static cp_status take(cp_context *context, void *state, const void *bytes, size_t size,
                      const struct controller_listener *listener, const void **answer, size_t *answer_size,
                      char why[WHY_SIZE])
{
    (void)context;
    struct simple_message *simple = state;
    const unsigned char *input = bytes;
    size_t whole;
    *answer = NULL;
    *answer_size = 0;
    while (pieces_fill(&simple->message, &input, &size, LENGTH)) {
        if (!read_length(simple, &whole, why))
            return CP_INPUT;
        if (!pieces_fill(&simple->message, &input, &size, whole))
            break;
        if (!take_message(simple, listener, why))
            return CP_INPUT;
        simple->message.size = 0;
    }
    return CP_OK;
}

static cp_status end(cp_context *context, void *state, const struct controller_listener *listener, char why[WHY_SIZE])
{
    (void)context;
    (void)listener;
    if (((struct simple_message *)state)->message.size == 0)
        return CP_OK;
    (void)snprintf(why, WHY_SIZE, "the connection ends in the midst of a message of simple_message");
    return CP_INPUT;
}

static void free_state(cp_context *context, void *state)
{
    (void)context;
    (void)state;
}

const struct controller_protocol simple_protocol = {.name = "simple",
                                                    .port = 11002,
                                                    .state_size = sizeof(struct simple_message),
                                                    .begin = begin,
                                                    .take = take,
                                                    .end = end,
                                                    .free = free_state};

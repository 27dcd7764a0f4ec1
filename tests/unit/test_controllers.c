/* The protocols of controllers: every sample in its order whatever the pieces, and a reason for all nonsense. The bytes
 * are written by hand from the descriptions of the protocols; those of simple_message begin with the examples of
 * REP-I0006. */
#include "fixture.h"

#include <math.h>

#include "../../live/controller.h"

/* ---- what a protocol says ---- */

enum { MOST_EVENTS = 64, MOST_VALUES = 12 };

struct event {
    double time;
    uint32_t count;
    char names[MOST_VALUES][24];
    double values[MOST_VALUES];
    enum controller_mode mode;
    uint64_t line;
    char program[24];
};

struct heard {
    cp_status status, end; /* and of the end of the connection */
    char why[WHY_SIZE];
    struct event events[MOST_EVENTS];
    uint32_t count;
    unsigned char answers[256];
    size_t answer_size;
};

static void hear(void *user, const struct controller_sample *sample)
{
    struct heard *heard = user;
    assert_true(heard->count < MOST_EVENTS && sample->count <= MOST_VALUES);
    struct event *event = &heard->events[heard->count++];
    *event = (struct event){.time = sample->time, .count = sample->count, .mode = sample->mode, .line = sample->line};
    for (uint32_t i = 0; i < sample->count; i++) {
        (void)snprintf(event->names[i], sizeof *event->names, "%s", sample->names[i]);
        event->values[i] = sample->values[i];
    }
    (void)snprintf(event->program, sizeof event->program, "%s", sample->program ? sample->program : "-");
}

/* Gives a protocol the bytes in pieces: the first one has `first` bytes, the others `further`. Each piece is a block of
 * its own, so that sanitizers see reads beyond it. */
static void listen_to(const struct controller_protocol *protocol, const void *bytes, size_t size, size_t first,
                      size_t further, struct heard *heard)
{
    cp_context *context = cp_context_new(NULL);
    void *state = calloc(1, protocol->state_size);
    const struct controller_listener listener = {hear, heard};
    const void *hello, *answer;
    size_t hello_size, answer_size;
    assert_non_null(state);
    memset(heard, 0, sizeof *heard);
    heard->status = protocol->begin(context, state, &hello, &hello_size);
    for (size_t done = 0, piece = first; done < size && heard->status == CP_OK; done += piece, piece = further) {
        piece = piece < size - done ? piece : size - done;
        void *copy = malloc(piece > 0 ? piece : 1);
        assert_non_null(copy);
        memcpy(copy, (const char *)bytes + done, piece);
        heard->status = protocol->take(context, state, copy, piece, &listener, &answer, &answer_size, heard->why);
        free(copy);
        if (heard->status != CP_OK || !answer)
            continue;
        assert_true(answer_size <= sizeof heard->answers - heard->answer_size);
        memcpy(heard->answers + heard->answer_size, answer, answer_size);
        heard->answer_size += answer_size;
    }
    if (heard->status == CP_OK)
        heard->end = protocol->end(context, state, &listener, heard->why);
    protocol->free(context, state);
    free(state);
    cp_context_free(context);
}

static void expect_same(const struct heard *heard, const struct heard *expected)
{
    assert_int_equal(heard->status, expected->status);
    assert_int_equal(heard->end, expected->end);
    assert_string_equal(heard->why, expected->why);
    assert_int_equal(heard->count, expected->count);
    assert_memory_equal(heard->events, expected->events, sizeof heard->events);
    if (heard->status != CP_OK) /* nobody is left to be answered */
        return;
    assert_int_equal(heard->answer_size, expected->answer_size);
    assert_memory_equal(heard->answers, expected->answers, sizeof heard->answers);
}

/* What is heard is the same for all bytes at once, in two pieces parted anywhere, and in pieces of 1 to 7 bytes. */
static void listen_in_pieces(const struct controller_protocol *protocol, const void *bytes, size_t size,
                             struct heard *heard)
{
    static struct heard other;
    listen_to(protocol, bytes, size, size, 1, heard);
    for (size_t first = 0; first < size; first++) {
        listen_to(protocol, bytes, size, first, size, &other);
        expect_same(&other, heard);
    }
    for (size_t piece = 1; piece <= 7; piece++) {
        listen_to(protocol, bytes, size, piece, piece, &other);
        expect_same(&other, heard);
    }
}

/* ---- bytes by hand ---- */

struct stream {
    unsigned char bytes[4096];
    size_t size;
};

/* Hexadecimal digits with blanks between; letters behind a ' stand for themselves up to the next one. */
static void add_bytes(struct stream *stream, const char *text)
{
    for (bool letters = false; *text; text++) {
        if (*text == '\'') {
            letters = !letters;
            continue;
        }
        assert_true(stream->size < sizeof stream->bytes);
        if (letters) {
            stream->bytes[stream->size++] = (unsigned char)*text;
        } else if (*text != ' ') {
            const char pair[] = {text[0], text[1], '\0'};
            stream->bytes[stream->size++] = (unsigned char)strtoul(pair, NULL, 16);
            text++;
        }
    }
}

static void hear_bytes(const struct controller_protocol *protocol, const char *first, const char *second,
                       struct heard *heard)
{
    static struct stream stream;
    stream.size = 0;
    add_bytes(&stream, first);
    add_bytes(&stream, second);
    listen_in_pieces(protocol, stream.bytes, stream.size, heard);
}

static void expect_refusal(const struct controller_protocol *protocol, const char *first, const char *second,
                           const char *why)
{
    static struct heard heard;
    hear_bytes(protocol, first, second, &heard);
    assert_string_equal(heard.why, why);
    assert_int_equal(heard.status, CP_INPUT);
}

static void expect_values(const struct event *event, uint32_t count, const double *values)
{
    assert_int_equal(event->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_true(event->values[i] == values[i]);
}

/* ---- RTDE ---- */

static const char version_answer[] = "0004 56 01", outputs_answer[] = "0020 4f 01 'DOUBLE,VECTOR6D,INT32,UINT32'",
                  start_answer[] = "0004 53 01";
/* The start, then 1.5 s; 0.5, -0.5, 1, -2, 0, pi; and without the modes. */
#define RTDE_SETUP "0004 56 01 0020 4f 01 'DOUBLE,VECTOR6D,INT32,UINT32' "
#define RTDE_BEGIN RTDE_SETUP "0004 53 01 "
#define RTDE_JOINTS                                                                                                    \
    "3fe0000000000000 bfe0000000000000 3ff0000000000000 c000000000000000 0000000000000000 400921fb54442d18 "
#define RTDE_DATA "0044 55 01 3ff8000000000000 " RTDE_JOINTS

static void rtde_asks_for_what_it_needs(void **state)
{
    (void)state;
    static struct heard heard;
    struct stream stream = {.size = 0}, request = {.size = 0};
    cp_context *context = cp_context_new(NULL);
    void *memory = calloc(1, rtde_protocol.state_size);
    const void *hello;
    size_t size;
    assert_non_null(memory);
    assert_int_equal(rtde_protocol.begin(context, memory, &hello, &size), CP_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(hello, "\0\5V\0\2", 5);
    rtde_protocol.free(context, memory);
    free(memory);
    cp_context_free(context);
    assert_int_equal(rtde_protocol.port, 30004);

    add_bytes(&request, "0037 4f 405f400000000000 'timestamp,actual_q,safety_mode,runtime_state'");
    assert_int_equal(request.size, 0x37);
    add_bytes(&stream, version_answer);
    listen_in_pieces(&rtde_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.answer_size, request.size);
    assert_memory_equal(heard.answers, request.bytes, request.size);
    add_bytes(&stream, outputs_answer);
    add_bytes(&request, "0003 53");
    listen_in_pieces(&rtde_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.answer_size, request.size);
    assert_memory_equal(heard.answers, request.bytes, request.size);
    add_bytes(&stream, start_answer);
    listen_in_pieces(&rtde_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.answer_size, request.size);
    assert_int_equal(heard.count, 0);
}

static void rtde_samples_come_in_order(void **state)
{
    (void)state;
    static const double values[] = {0.5, -0.5, 1, -2, 0, PI};
    static struct heard heard;
    /* A text message of the controller lies between: "hi" of "ur", level 3. */
    hear_bytes(&rtde_protocol, RTDE_BEGIN RTDE_DATA "00000001 00000002 000a 4d 02 'hi' 02 'ur' 03 ",
               "0044 55 01 4000000000000000 " RTDE_JOINTS "00000001 00000001", &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.count, 2);
    assert_true(heard.events[0].time == 1.5 && heard.events[1].time == 2);
    assert_int_equal(heard.events[0].mode, CONTROLLER_RUNNING);
    assert_int_equal(heard.events[1].mode, CONTROLLER_READY);
    expect_values(&heard.events[0], 6, values);
    expect_values(&heard.events[1], 6, values);
    assert_string_equal(heard.events[0].names[0], "1");
    assert_string_equal(heard.events[0].names[5], "6");
    /* Data may overtake the answer to the start. */
    hear_bytes(&rtde_protocol, RTDE_SETUP RTDE_DATA "00000001 00000002 0004 53 01", "", &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.count, 1);
}

static void rtde_modes(void **state)
{
    (void)state;
    static const struct row {
        const char *words; /* safety mode, runtime state */
        enum controller_mode mode;
    } rows[] = {
        {"00000001 00000000", CONTROLLER_RUNNING},   /* normal, stopping */
        {"00000001 00000001", CONTROLLER_READY},     /* stopped: no program runs */
        {"00000001 00000002", CONTROLLER_RUNNING},   /* playing */
        {"00000001 00000003", CONTROLLER_RUNNING},   /* pausing */
        {"00000001 00000004", CONTROLLER_STOPPED},   /* paused */
        {"00000001 00000005", CONTROLLER_RUNNING},   /* resuming */
        {"00000001 00000006", CONTROLLER_SILENT},    /* none that is known */
        {"00000002 00000002", CONTROLLER_RUNNING},   /* reduced */
        {"00000003 00000002", CONTROLLER_STOPPED},   /* protective stop */
        {"00000004 00000002", CONTROLLER_STOPPED},   /* recovery */
        {"00000005 00000002", CONTROLLER_STOPPED},   /* safeguard stop */
        {"00000006 00000002", CONTROLLER_EMERGENCY}, /* system emergency stop */
        {"00000007 00000002", CONTROLLER_EMERGENCY}, /* robot emergency stop */
        {"00000008 00000002", CONTROLLER_EMERGENCY}, /* violation */
        {"00000009 00000002", CONTROLLER_EMERGENCY}, /* fault */
        {"0000000a 00000002", CONTROLLER_STOPPED},   /* joint ids are validated */
        {"00000000 00000002", CONTROLLER_STOPPED},   /* none that is known */
        {"ffffffff 00000002", CONTROLLER_STOPPED},
    };
    static struct heard heard;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hear_bytes(&rtde_protocol, RTDE_BEGIN RTDE_DATA, rows[i].words, &heard);
        assert_int_equal(heard.count, 1);
        assert_int_equal(heard.events[0].mode, rows[i].mode);
    }
}

static void rtde_nonsense_has_a_reason(void **state)
{
    (void)state;
    static const struct row {
        const char *bytes, *more, *why;
    } rows[] = {
        {"0004 56 00", "", "the controller does not speak version 2 of RTDE"},
        {"0005 56 01 01", "", "an answer of RTDE has another size than 4 bytes"},
        {"0003 56", "", "an answer of RTDE has another size than 4 bytes"},
        {"0002 56", "", "a package of RTDE has 2 bytes, fewer than its header"},
        {"0000 56 01", "", "a package of RTDE has 0 bytes, fewer than its header"},
        {"0004 53 01", "", "RTDE sends an unexpected package of type 83"},
        {RTDE_DATA, "00000001 00000002", "RTDE sends an unexpected package of type 85"},
        {"0004 56 01", RTDE_DATA "00000001 00000002", "RTDE sends an unexpected package of type 85"},
        {"0004 56 01 0004 56 01", "", "RTDE sends an unexpected package of type 86"},
        {"0003 78", "", "RTDE sends an unexpected package of type 120"},
        {"0004 56 01 0023 4f 00", "'DOUBLE,VECTOR6D,NOT_FOUND,UINT32'",
         "the controller has no variable \"safety_mode\""},
        {"0004 56 01 0024 4f 01", "'DOUBLE,VECTOR6INT32,INT32,UINT32'",
         "the variable \"actual_q\" has the type \"VECTOR6INT32\", not VECTOR6D"},
        {"0004 56 01 0019 4f 01", "'DOUBLE,VECTOR6D,INT32'",
         "the variable \"runtime_state\" has the type \"\", not UINT32"},
        {"0004 56 01 0026 4f 01", "'DOUBLE,VECTOR6D,INT32,UINT32,UINT8'",
         "RTDE's answer has more types than there are variables"},
        {"0004 56 01 0021 4f 01", "'DOUBLE,VECTOR6D,INT32,UINT32,'",
         "RTDE's answer has more types than there are variables"},
        {"0004 56 01 0004 4f 01", "", "RTDE's answer to the list of variables has no types"},
        {"0004 56 01 0003 4f", "", "RTDE's answer to the list of variables has no types"},
        {RTDE_SETUP "0004 53 00", "", "the controller refuses to start RTDE"},
        {RTDE_BEGIN "0045 55 01", "3ff8000000000000 " RTDE_JOINTS "00000001 00000002 00",
         "a data package of RTDE has 69 bytes, not 68"},
        {RTDE_BEGIN "0003 55", "", "a data package of RTDE has 3 bytes, not 68"},
        {RTDE_BEGIN "0044 55 02", "3ff8000000000000 " RTDE_JOINTS "00000001 00000002",
         "a data package of RTDE has another recipe than ours"},
        {RTDE_BEGIN "0044 55 01", "7ff8000000000000 " RTDE_JOINTS "00000001 00000002",
         "RTDE's timestamp is no finite number"},
        {RTDE_BEGIN "0044 55 01", "fff0000000000000 " RTDE_JOINTS "00000001 00000002",
         "RTDE's timestamp is no finite number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_refusal(&rtde_protocol, rows[i].bytes, rows[i].more, rows[i].why);
}

/* Joints that are no numbers reach the map, which refuses them. */
static void rtde_hands_odd_numbers_on(void **state)
{
    (void)state;
    static struct heard heard;
    hear_bytes(&rtde_protocol,
               RTDE_BEGIN "0044 55 01 3ff8000000000000 7ff8000000000000 7ff0000000000000 0000000000000001",
               "0000000000000000 0000000000000000 0000000000000000 00000001 00000001", &heard);
    assert_int_equal(heard.count, 1);
    assert_true(isnan(heard.events[0].values[0]) && isinf(heard.events[0].values[1]));
    assert_true(heard.events[0].values[2] == 4.9406564584124654e-324);
}

static void rtde_may_end_in_the_midst(void **state)
{
    (void)state;
    static struct heard heard;
    hear_bytes(&rtde_protocol, "", version_answer, &heard);
    assert_int_equal(heard.end, CP_INPUT);
    assert_string_equal(heard.why, "the connection ends before RTDE has started");
    hear_bytes(&rtde_protocol, RTDE_BEGIN, "00", &heard);
    assert_int_equal(heard.end, CP_INPUT);
    assert_string_equal(heard.why, "the connection ends in the midst of a package of RTDE");
    hear_bytes(&rtde_protocol, RTDE_BEGIN, "", &heard);
    assert_int_equal(heard.end, CP_OK);
}

/* ---- simple_message ---- */

/* The examples of the specification, sent as they are and in the other byte order. */
static const char example_position[] =
    "00000038 0000000A 00000001 00000000 00000000 B81AD9FA B6836312 B7C043F5 B8B81516 B865D055 B8B6365E 00000000 "
    "00000000 00000000 00000000 ";
static const char example_status[] =
    "00000028 0000000D 00000001 00000000 00000001 FFFFFFFF 00000000 00000000 00000000 00000002 00000001 ";
static const char example_point[] =
    "00000040 0000000B 00000002 00000000 00000001 A7600000 3EA7CDE8 BF5D9E57 C0490FDB 3F34815F C0490FDB 00000000 "
    "00000000 00000000 00000000 3DCCCCCD 40A00000 ";

/* Turns every word of 4 bytes around. */
static void turn_words(struct stream *stream)
{
    for (size_t i = 0; i + 3 < stream->size; i += 4) {
        const unsigned char first = stream->bytes[i], second = stream->bytes[i + 1];
        stream->bytes[i] = stream->bytes[i + 3];
        stream->bytes[i + 1] = stream->bytes[i + 2];
        stream->bytes[i + 2] = second;
        stream->bytes[i + 3] = first;
    }
}

/* Hears it in both byte orders, which must say the same. Words have 4 bytes. */
static void hear_words(const char *first, const char *second, struct heard *heard)
{
    static struct stream stream;
    static struct heard other;
    stream.size = 0;
    add_bytes(&stream, first);
    add_bytes(&stream, second);
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size, heard);
    turn_words(&stream);
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size, &other);
    expect_same(&other, heard);
}

static void simple_examples_of_the_specification(void **state)
{
    (void)state;
    static const double published[] = {
        -0.000036919, -0.000003916, -0.000022920, -0.000087777, -0.000054792, -0.000086886, 0, 0, 0, 0};
    static struct heard heard;
    const void *hello = "";
    size_t size = 1;
    assert_int_equal(simple_protocol.port, 11002);
    assert_int_equal(simple_protocol.begin(NULL, NULL, &hello, &size), CP_OK);
    assert_true(size == 0 && !hello);
    hear_words(example_position, example_status, &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.count, 2);
    assert_int_equal(heard.answer_size, 0);
    assert_int_equal(heard.events[0].count, 10);
    for (int i = 0; i < 10; i++)
        assert_true(fabs(heard.events[0].values[i] - published[i]) < 0.5e-9);
    assert_true(isnan(heard.events[0].time));
    assert_int_equal(heard.events[0].mode, CONTROLLER_SILENT);
    assert_string_equal(heard.events[0].names[0], "1");
    assert_string_equal(heard.events[0].names[9], "10");
    assert_int_equal(heard.events[1].count, 0);
    assert_int_equal(heard.events[1].mode, CONTROLLER_READY);
}

static void simple_others_are_skipped(void **state)
{
    (void)state;
    static struct heard heard;
    static struct stream stream;
    /* A point of a trajectory, a message without a body, and a vendor's own, before and between. */
    hear_words("0000000C 000003E7 00000001 00000000", example_position, &heard);
    assert_int_equal(heard.count, 1);
    hear_words(example_point, example_status, &heard);
    assert_int_equal(heard.count, 1);
    /* A reply to what we have not asked is none of our samples. */
    hear_words("00000038 0000000A 00000003 00000001 00000000 B81AD9FA B6836312 B7C043F5 B8B81516 B865D055 B8B6365E "
               "00000000 00000000 00000000 00000000",
               "", &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.count, 0);
    /* The longest one. */
    static unsigned char longest[4 + 65535 + 44] = {0, 0, 0xff, 0xff, 0, 0, 0, 99, 0, 0, 0, 1};
    stream.size = 0;
    add_bytes(&stream, example_status);
    memcpy(longest + 4 + 65535, stream.bytes, 44);
    for (size_t piece = 1000; piece <= sizeof longest; piece *= 2) {
        listen_to(&simple_protocol, longest, sizeof longest, piece, piece, &heard);
        assert_int_equal(heard.status, CP_OK);
        assert_int_equal(heard.count, 1);
    }
}

static void simple_feedback(void **state)
{
    (void)state;
#define TEN_ZEROS "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
#define POSITIONS "3f000000 bf000000 3f800000 c0000000 00000000 40490fdb 3e800000 00000000 00000000 41200000 "
    static const double values[] = {0.5, -0.5, 1, -2, 0, 3.1415927410125732, 0.25, 0, 0, 10};
    static struct heard heard;
    /* Group 0 with time 1.5 s, group 2 without a time, and one without positions. */
    hear_words("00000090 0000000f 00000001 00000000 00000000 00000003 3fc00000 " POSITIONS TEN_ZEROS TEN_ZEROS,
               "00000090 0000000f 00000001 00000000 00000002 0000000e 3fc00000 " POSITIONS TEN_ZEROS TEN_ZEROS
               "00000090 0000000f 00000001 00000000 00000000 00000005 3fc00000 " POSITIONS TEN_ZEROS TEN_ZEROS,
               &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.count, 2);
    expect_values(&heard.events[0], 10, values);
    assert_true(heard.events[0].time == 1.5 && isnan(heard.events[1].time));
    assert_string_equal(heard.events[0].names[6], "7");
    assert_string_equal(heard.events[1].names[6], "2/7");
}

/* Reals of 8 bytes, as some controllers have them: their length says so. */
static void simple_reals_of_8_bytes(void **state)
{
    (void)state;
    static const double values[] = {0.5, PI, 0, 0, 0, 0, 0, 0, 0, -2};
    static struct heard heard;
    static const char zeros[] = "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
                                "00000000 00000000 00000000 00000000 00000000 00000000 ";
    struct stream stream = {.size = 0};
    add_bytes(&stream, "60000000 0a000000 01000000 00000000 00000000 000000000000e03f 182d4454fb210940 ");
    add_bytes(&stream, zeros);
    add_bytes(&stream, "00000000000000c0");
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.count, 1);
    expect_values(&heard.events[0], 10, values);
    /* JOINT_FEEDBACK of group 1, with time 1.5 s. */
    stream.size = 0;
    add_bytes(&stream, "0c010000 0f000000 01000000 00000000 01000000 03000000 000000000000f83f "
                       "000000000000e03f 182d4454fb210940 ");
    add_bytes(&stream, zeros);
    add_bytes(&stream, "00000000000000c0");
    for (int i = 0; i < 40; i++)
        add_bytes(&stream, "00000000");
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.count, 1);
    assert_true(heard.events[0].time == 1.5);
    assert_string_equal(heard.events[0].names[1], "1/2");
    expect_values(&heard.events[0], 10, values);
}

static void simple_modes(void **state)
{
    (void)state;
    static const struct row {
        const char *words; /* drives, e-stop, code, error, motion, mode, possible */
        enum controller_mode mode;
    } rows[] = {
        {"00000001 00000000 00000000 00000000 00000000 00000002 00000001", CONTROLLER_READY},
        {"00000001 00000000 00000000 00000000 00000001 00000002 00000001", CONTROLLER_RUNNING},
        {"00000001 00000000 00000000 00000000 00000001 00000001 00000000", CONTROLLER_RUNNING},
        {"00000001 00000000 00000000 00000000 00000000 00000002 00000000", CONTROLLER_STOPPED},
        {"00000000 00000000 00000000 00000000 00000001 00000002 00000001", CONTROLLER_STOPPED},
        {"00000001 00000000 00000042 00000001 00000001 00000002 00000001", CONTROLLER_STOPPED},
        {"00000001 00000001 00000000 00000000 00000001 00000002 00000001", CONTROLLER_EMERGENCY},
        {"00000000 00000001 00000042 00000001 00000000 ffffffff 00000000", CONTROLLER_EMERGENCY},
        {"ffffffff ffffffff 00000000 ffffffff 00000000 ffffffff ffffffff", CONTROLLER_READY},
        {"ffffffff ffffffff 00000000 ffffffff ffffffff ffffffff 00000001", CONTROLLER_READY},
        {"ffffffff ffffffff 00000000 ffffffff ffffffff ffffffff ffffffff", CONTROLLER_SILENT},
    };
    static struct heard heard;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hear_words("00000028 0000000D 00000001 00000000", rows[i].words, &heard);
        assert_int_equal(heard.status, CP_OK);
        assert_int_equal(heard.count, rows[i].mode != CONTROLLER_SILENT);
        assert_int_equal(heard.events[0].mode, rows[i].mode);
    }
}

static void simple_nonsense_has_a_reason(void **state)
{
    (void)state;
    static const struct row {
        const char *words, *why;
    } rows[] = {
        {"0000000B", "a message of simple_message has a length of 11; there are 12 to 65535"},
        {"00000000", "a message of simple_message has a length of 0; there are 12 to 65535"},
        {"0000000C 00000063 00000000 00000000",
         "a message of simple_message has communication type 0; there are 1 to 3"},
        {"0000000C 00000063 00000004 00000000",
         "a message of simple_message has communication type 4; there are 1 to 3"},
        {"00000010 0000000A 00000001 00000000 00000000",
         "a message JOINT_POSITION of simple_message has a length of 16"},
        {"0000000C 0000000D 00000001 00000000", "a message STATUS of simple_message has a length of 12"},
        {"0000000C 0000000F 00000001 00000000", "a message JOINT_FEEDBACK of simple_message has a length of 12"},
        {"00000028 0000000D 00000001 00000000 00000001 00000002 00000000 00000000 00000000 00000002 00000001",
         "STATUS says e_stopped is 2; there are -1, 0 and 1"},
        {"00000028 0000000D 00000001 00000000 fffffffe 00000000 00000000 00000000 00000000 00000002 00000001",
         "STATUS says drives_powered is -2; there are -1, 0 and 1"},
        {"00000090 0000000f 00000001 00000000 00000064 00000003 3fc00000 " POSITIONS TEN_ZEROS TEN_ZEROS,
         "JOINT_FEEDBACK is of motion group 100; there are 0 to 99"},
        {"00000090 0000000f 00000001 00000000 ffffffff 00000003 3fc00000 " POSITIONS TEN_ZEROS TEN_ZEROS,
         "JOINT_FEEDBACK is of motion group -1; there are 0 to 99"},
        {"00000090 0000000f 00000001 00000000 00000000 00000003 7fc00000 " POSITIONS TEN_ZEROS TEN_ZEROS,
         "the time of JOINT_FEEDBACK is no finite number"},
    };
    static struct heard heard;
    struct stream stream = {.size = 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        /* The first message tells the order. */
        hear_words(example_status, rows[i].words, &heard);
        assert_string_equal(heard.why, rows[i].why);
        assert_int_equal(heard.status, CP_INPUT);
        assert_int_equal(heard.count, 1);
    }
    /* A first length that has a meaning in neither order. */
    add_bytes(&stream, "00010100 0000000A");
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.status, CP_INPUT);
    /* A message that is not whole when the connection ends. */
    stream.size = 0;
    add_bytes(&stream, example_status);
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.end, CP_OK);
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size - 1, &heard);
    assert_int_equal(heard.end, CP_INPUT);
    assert_string_equal(heard.why, "the connection ends in the midst of a message of simple_message");
    /* The order may not change later. */
    stream.size = 0;
    add_bytes(&stream, example_status);
    turn_words(&stream);
    add_bytes(&stream, example_status);
    listen_in_pieces(&simple_protocol, stream.bytes, stream.size, &heard);
    assert_int_equal(heard.status, CP_INPUT);
    assert_string_equal(heard.why, "a message of simple_message has a length of 671088640; there are 12 to 65535");
}

/* ---- JSON lines ---- */

static void hear_text(const char *text, struct heard *heard)
{
    listen_in_pieces(&json_lines_protocol, text, strlen(text), heard);
}

static void json_samples_come_in_order(void **state)
{
    (void)state;
    static struct heard heard;
    hear_text(
        "{\"t\":0.5,\"q\":{\"Arm.J1\":0.25,\"b \\\"c\\\" \\u00e9\":-1e-3},\"mode\":\"running\",\"program\":"
        "\"a.prg\",\"line\":3}\n\n \t\r\n{\"mode\":\"emergency\",\"io\":{\"x\":[1,{}]}}\r\n"
        "{\"type\":\"done\",\"id\":4}\n{}\n{\"q\":{\"J\":1},\"t\":null,\"mode\":null,\"program\":null,\"line\":null}\n"
        "{\"q\":{\"last\":1}}",
        &heard);
    assert_true(heard.status == CP_OK && heard.end == CP_OK);
    assert_int_equal(heard.count, 4); /* the last line may lack its end */
    const struct event *event = heard.events;
    assert_true(event[0].time == 0.5);
    expect_values(&event[0], 2, (const double[]){0.25, -0.001});
    assert_string_equal(event[0].names[0], "Arm.J1");
    assert_string_equal(event[0].names[1], "b \"c\" \xc3\xa9");
    assert_int_equal(event[0].mode, CONTROLLER_RUNNING);
    assert_string_equal(event[0].program, "a.prg");
    assert_int_equal(event[0].line, 3);
    assert_int_equal(event[1].mode, CONTROLLER_EMERGENCY);
    assert_true(event[1].count == 0 && isnan(event[1].time) && event[1].line == 0);
    assert_string_equal(event[1].program, "-");
    expect_values(&event[2], 1, (const double[]){1});
    assert_int_equal(event[2].mode, CONTROLLER_SILENT);
    assert_true(isnan(event[2].time));
    hear_text("{\"q\":{\"a\":1}}\n{\"q\":{\"a\":1}", &heard);
    assert_int_equal(heard.status, CP_OK);
    assert_int_equal(heard.end, CP_INPUT);
    assert_string_equal(heard.why, "line 2: it is no JSON");
    assert_int_equal(heard.count, 1);
}

static void json_modes(void **state)
{
    (void)state;
    static const struct row {
        const char *line;
        enum controller_mode mode;
    } rows[] = {{"{\"mode\":\"ready\"}\n", CONTROLLER_READY},     {"{\"mode\":\"running\"}\n", CONTROLLER_RUNNING},
                {"{\"mode\":\"jogging\"}\n", CONTROLLER_JOGGING}, {"{\"mode\":\"moving\"}\n", CONTROLLER_MOVING},
                {"{\"mode\":\"stopped\"}\n", CONTROLLER_STOPPED}, {"{\"mode\":\"emergency\"}\n", CONTROLLER_EMERGENCY}};
    static struct heard heard;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hear_text(rows[i].line, &heard);
        assert_int_equal(heard.count, 1);
        assert_int_equal(heard.events[0].mode, rows[i].mode);
    }
}

static void json_nonsense_has_a_reason(void **state)
{
    (void)state;
    static const struct row {
        const char *line, *why;
    } rows[] = {
        {"hello\n", "it is no JSON"},
        {"{\"q\":{\"a\":1}\n", "it is no JSON"},
        {"{\"q\":{\"a\":NaN}}\n", "it is no JSON"},
        {"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]\n", "it is no JSON"},
        {"[1]\n", "it is no object"},
        {"3\n", "it is no object"},
        {"{\"t\":\"1\"}\n", "\"t\" is no finite number"},
        {"{\"t\":1e999}\n", "\"t\" is no finite number"},
        {"{\"q\":[1,2]}\n", "\"q\" is no object"},
        {"{\"q\":{\"a b\":\"1\"}}\n", "the value of \"a b\" is no number"},
        {"{\"q\":{\"a\":null}}\n", "the value of \"a\" is no number"},
        {"{\"mode\":\"Running\"}\n", "\"mode\" is none of ready, running, jogging, moving, stopped, emergency"},
        {"{\"mode\":1}\n", "\"mode\" is none of ready, running, jogging, moving, stopped, emergency"},
        {"{\"program\":1}\n", "\"program\" is no text"},
        {"{\"line\":-1}\n", "\"line\" is no line of a program"},
        {"{\"line\":1.5}\n", "\"line\" is no line of a program"},
        {"{\"line\":1e300}\n", "\"line\" is no line of a program"},
        {"{\"line\":\"1\"}\n", "\"line\" is no line of a program"},
    };
    static struct heard heard;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400], why[WHY_SIZE];
        (void)snprintf(text, sizeof text, "{\"q\":{\"a\":1}}\n\n%s{\"q\":{\"b\":1}}\n", rows[i].line);
        (void)snprintf(why, sizeof why, "line 3: %s", rows[i].why);
        hear_text(text, &heard);
        assert_string_equal(heard.why, why);
        assert_int_equal(heard.status, CP_INPUT);
        assert_int_equal(heard.count, 1);
    }
}

/* Lines have 65536 bytes at most, and 256 joints. That many reach the map: test_joint_map. */
static void json_lines_have_limits(void **state)
{
    (void)state;
    static struct heard heard;
    static char text[70000];
    for (size_t more = 0; more < 2; more++) {
        memset(text, ' ', sizeof text);
        memcpy(text, "{\"mode\":\"ready\"}", 16);
        text[65536 + more] = '\n';
        for (size_t piece = 1000; piece < sizeof text; piece *= 3) {
            listen_to(&json_lines_protocol, text, 65537 + more, piece, piece, &heard);
            assert_int_equal(heard.status, more ? CP_INPUT : CP_OK);
            assert_int_equal(heard.count, !more);
        }
        assert_string_equal(heard.why, more ? "line 1: it has more than 65536 bytes" : "");
    }
    size_t size = (size_t)snprintf(text, sizeof text, "{\"q\":{");
    for (int i = 0; i < 257; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s\"%d\":1", i ? "," : "", i);
    size += (size_t)snprintf(text + size, sizeof text - size, "}}\n");
    listen_to(&json_lines_protocol, text, size, size, 1, &heard);
    assert_string_equal(heard.why, "line 1: \"q\" has more than 256 joints");
}

static void hear_nothing(void *user, const struct controller_sample *sample)
{
    (void)sample;
    ++*(int *)user;
}

/* A controller may talk for years. */
static void memory_does_not_grow(void **state)
{
    (void)state;
    static const char line[] = "{\"q\":{\"Arm.J1\":1,\"Arm.J2\":2},\"program\":\"a.prg\"}\n";
    struct counter counter = {.limit = 0};
    const cp_allocator allocator = {counted_resize, &counter};
    cp_context *context = cp_context_new(&allocator);
    void *memory = calloc(1, json_lines_protocol.state_size);
    const void *answer;
    size_t size, before = 0;
    int samples = 0;
    char why[WHY_SIZE];
    const struct controller_listener listener = {hear_nothing, &samples};
    assert_int_equal(json_lines_protocol.begin(context, memory, &answer, &size), CP_OK);
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(
            json_lines_protocol.take(context, memory, line, sizeof line - 1, &listener, &answer, &size, why), CP_OK);
        before = i == 0 ? counter.bytes : before;
    }
    assert_int_equal(samples, 3000);
    assert_int_equal(counter.bytes, before);
    json_lines_protocol.free(context, memory);
    free(memory);
    cp_context_free(context);
}

static void commands_are_lines(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    struct buffer out = {.context = context};
    static const char *const names[] = {"Arm.J1", "a \"b\""};
    command_print(&out, "emergency");
    command_print_jog(&out, "Arm.J1", -0.1);
    command_print_move(&out, names, (const double[]){0.45, 1e-7}, 2, 0.2);
    command_print_program(&out, "a.prg", "PTP p1\nEND\n");
    buffer_append(&out, "", 1);
    assert_false(out.failed);
    assert_string_equal(out.data, "{\"type\":\"emergency\"}\n"
                                  "{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":-0.1}\n"
                                  "{\"type\":\"move\",\"q\":{\"Arm.J1\":0.45,\"a \\\"b\\\"\":1e-7},\"speed\":0.2}\n"
                                  "{\"type\":\"program\",\"name\":\"a.prg\",\"text\":\"PTP p1\\u000aEND\\u000a\"}\n");
    buffer_free(&out);
    cp_context_free(context);
}

/* Each allocation of a protocol may fail: then it says so, and nothing is lost. */
static void memory_may_run_out(void **state)
{
    (void)state;
    static const char line[] = "{\"q\":{\"a\":1,\"b\":2},\"program\":\"p\"}\n";
    const struct controller_protocol *const protocols[] = {&json_lines_protocol, &rtde_protocol};
    struct stream stream = {.size = 0};
    static struct heard heard;
    add_bytes(&stream, RTDE_BEGIN);
    for (size_t p = 0; p < 2; p++) {
        cp_status status = CP_LIMIT;
        for (long allowed = 2; status == CP_LIMIT; allowed++) {
            long left = 1000;
            const cp_allocator allocator = {failing_resize, &left};
            cp_context *context = cp_context_new(&allocator);
            void *memory = calloc(1, protocols[p]->state_size);
            const void *hello, *answer;
            size_t size;
            const struct controller_listener listener = {hear, &heard};
            assert_non_null(context);
            assert_non_null(memory);
            memset(&heard, 0, sizeof heard);
            left = allowed - 2;
            status = protocols[p]->begin(context, memory, &hello, &size);
            if (status == CP_OK)
                status = protocols[p]->take(context, memory, p == 0 ? (const void *)line : stream.bytes,
                                            p == 0 ? strlen(line) : stream.size, &listener, &answer, &size, heard.why);
            left = 1000;
            protocols[p]->free(context, memory);
            free(memory);
            cp_context_free(context);
            assert_true(status == CP_LIMIT || status == CP_OK);
            assert_true(allowed < 100);
        }
        assert_int_equal(heard.count, p == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rtde_asks_for_what_it_needs),
        cmocka_unit_test(rtde_samples_come_in_order),
        cmocka_unit_test(rtde_modes),
        cmocka_unit_test(rtde_nonsense_has_a_reason),
        cmocka_unit_test(rtde_hands_odd_numbers_on),
        cmocka_unit_test(rtde_may_end_in_the_midst),
        cmocka_unit_test(simple_examples_of_the_specification),
        cmocka_unit_test(simple_others_are_skipped),
        cmocka_unit_test(simple_feedback),
        cmocka_unit_test(simple_reals_of_8_bytes),
        cmocka_unit_test(simple_modes),
        cmocka_unit_test(simple_nonsense_has_a_reason),
        cmocka_unit_test(json_samples_come_in_order),
        cmocka_unit_test(json_modes),
        cmocka_unit_test(json_nonsense_has_a_reason),
        cmocka_unit_test(json_lines_have_limits),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(commands_are_lines),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

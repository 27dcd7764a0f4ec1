/* Frames of a WebSocket: what they say, whatever pieces they come in, and what no browser sends. */
#include "../../live/frames.h"
#include "fixture.h"

enum { MOST = 1000 };
static cp_context *context;

static int set_up(void **state)
{
    int failed = make_context(state);
    context = *state;
    return failed;
}

/* Writes what the bytes say, in pieces of so many: "text(hello) ping() fault(1002)". */
static void read_all(const unsigned char *bytes, size_t size, size_t piece, char out[2000])
{
    static const char *const names[] = {"", "text", "ping", "pong", "end", "fault"};
    struct frames frames = {.text = {.context = context}};
    bool goes_on = true;
    *out = 0;
    for (size_t at = 0; at < size && goes_on;) {
        const size_t given = size - at < piece ? size - at : piece;
        /* Memory of that size, so that reading beyond it is seen. */
        unsigned char *copy = malloc(given);
        memcpy(copy, bytes + at, given);
        for (size_t taken = 0; taken < given && goes_on;) {
            struct frame_event event;
            const size_t more = frames_take(&frames, MOST, copy + taken, given - taken, &event);
            assert_in_range(more, 1, given - taken);
            taken += more;
            char *to = out + strlen(out);
            const size_t room = 2000 - strlen(out);
            if (event.kind == FRAME_FAULT)
                (void)snprintf(to, room, "fault(%d) ", event.code);
            else if (event.kind != FRAME_GOES_ON)
                (void)snprintf(to, room, "%s(%.*s) ", names[event.kind], (int)event.size, event.bytes);
            goes_on = event.kind != FRAME_FAULT && event.kind != FRAME_END;
        }
        at += given;
        free(copy);
    }
    frames_free(&frames);
}

#define KEY "\1\2\3\4"
/* Content under that key. */
#define HI "\x69\x6b"
#define ROW(bytes, said)                                                                                               \
    {                                                                                                                  \
        bytes, sizeof bytes - 1, said                                                                                  \
    }

static void test_frames(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *said;
    } rows[] = {
        ROW("\x81\x82" KEY HI, "text(hi) "),
        ROW("\x81\x82\0\0\0\0hi", "text(hi) "),
        ROW("\x81\x80" KEY, "text() "),
        ROW("\x81\x82" KEY HI "\x81\x82" KEY HI, "text(hi) text(hi) "),
        ROW("\x01\x82" KEY HI "\x80\x82" KEY HI, "text(hihi) "),
        ROW("\x01\x80" KEY "\x00\x80" KEY "\x80\x82" KEY HI, "text(hi) "),
        ROW("\x01\x82" KEY HI "\x89\x82" KEY HI "\x80\x82" KEY HI, "ping(hi) text(hihi) "),
        ROW("\x8a\x80" KEY "\x8a\x82" KEY HI, "pong() pong(hi) "),
        ROW("\x88\x80" KEY "\x81\x82" KEY HI, "end() "),
        ROW("\x81\xfe\0\x7e\0\0\0\0"
            "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
            "01234567890123456789012345",
            "text(0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
            "01234567890123456789012345) "),
        /* no mask */
        ROW("\x81\x02hi", "fault(1002) "),
        ROW("\x81\x82" KEY HI "\x81\x02hi", "text(hi) fault(1002) "),
        ROW("\x89\x00", "fault(1002) "),
        ROW("\x88\x00", "fault(1002) "),
        ROW("\x01\x82" KEY HI "\x80\x02hi", "fault(1002) "),
        /* bits and kinds */
        ROW("\xc1\x82" KEY HI, "fault(1002) "),
        ROW("\xa1\x82" KEY HI, "fault(1002) "),
        ROW("\x91\x82" KEY HI, "fault(1002) "),
        ROW("\x83\x82" KEY HI, "fault(1002) "),
        ROW("\x87\x82" KEY HI, "fault(1002) "),
        ROW("\x8b\x82" KEY HI, "fault(1002) "),
        ROW("\x8f\x82" KEY HI, "fault(1002) "),
        ROW("\x82\x82" KEY HI, "fault(1003) "),
        ROW("\x02\x82" KEY HI, "fault(1003) "),
        /* parts */
        ROW("\x80\x82" KEY HI, "fault(1002) "),
        ROW("\x00\x82" KEY HI, "fault(1002) "),
        ROW("\x01\x82" KEY HI "\x81\x82" KEY HI, "fault(1002) "),
        ROW("\x81\x82" KEY HI "\x80\x82" KEY HI, "text(hi) fault(1002) "),
        ROW("\x09\x80" KEY, "fault(1002) "),
        ROW("\x89\xfe\0\x7e" KEY, "fault(1002) "),
        /* lengths */
        ROW("\x81\xfe\0\x7d" KEY, "fault(1002) "),
        ROW("\x81\xff\0\0\0\0\0\0\xff\xff" KEY, "fault(1002) "),
        ROW("\x81\xfe\3\xe9" KEY, "fault(1009) "),
        ROW("\x01\xfe\3\xe8" KEY, ""),
        ROW("\x81\xff\0\0\0\0\0\1\0\0" KEY, "fault(1009) "),
        ROW("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff" KEY, "fault(1009) "),
        ROW("\x81", ""),
        ROW("\x81\x82" KEY, ""),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t piece = 1; piece <= rows[i].size; piece++) {
            char said[2000];
            read_all((const unsigned char *)rows[i].bytes, rows[i].size, piece, said);
            if (strcmp(said, rows[i].said) != 0)
                fail_msg("row %zu in pieces of %zu: %s", i, piece, said);
        }
}

/* Parts of a message count together. */
static void test_long_messages(void **state)
{
    (void)state;
    for (size_t parts = 9; parts <= 12; parts++) {
        unsigned char bytes[2000] = {0};
        char said[2000];
        size_t size = 0;
        for (size_t i = 0; i < parts; i++) {
            bytes[size] = (unsigned char)((i == 0 ? 1 : 0) | (i + 1 == parts ? 0x80 : 0));
            bytes[size + 1] = 0x80 | 100;
            memset(bytes + size + 6, 'x', 100);
            size += 106;
        }
        read_all(bytes, size, 77, said);
        assert_int_equal(strncmp(said, "text(xxx", 8) == 0, parts <= 10);
        assert_int_equal(strcmp(said, "fault(1009) ") == 0, parts > 10);
    }
}

static void test_long_frame(void **state)
{
    (void)state;
    unsigned char bytes[8 + MOST] = {0x81, 0xfe, MOST >> 8, MOST & 255};
    char said[2000];
    memset(bytes + 8, 'x', MOST);
    for (size_t piece = 1; piece <= sizeof bytes; piece += 7) {
        read_all(bytes, sizeof bytes, piece, said);
        assert_int_equal(strlen(said), strlen("text() ") + MOST);
        assert_int_equal(strspn(said + 5, "x"), MOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_frames, set_up, free_context),
        cmocka_unit_test_setup_teardown(test_long_messages, set_up, free_context),
        cmocka_unit_test_setup_teardown(test_long_frame, set_up, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

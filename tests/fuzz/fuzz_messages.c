/* Fuzzes what people say to a live cell: messages in lines, as if in one second after another, with steps between. The
 * cell is that of samples/demo.wu, as a teacher holds its lease. */
#include <stdlib.h>
#include <string.h>

#include "../../live/floor.h"

#ifndef SAMPLES
#define SAMPLES "samples"
#endif

static cp_context *context;
static struct floor *room;
static struct person person;

static void begin(void)
{
    cp_scene *scene = NULL;
    context = cp_context_new(NULL);
    room = calloc(1, sizeof *room);
    if (!context || !room || cp_read(context, SAMPLES "/demo.wu", NULL, NULL, 0, &scene) != CP_OK ||
        cp_set_limit(context, "steps=2000") != CP_OK || floor_open(room, context, scene, NULL, NULL) != CP_OK ||
        floor_enter(room, &person, "tina", ROLE_TEACHER) != CP_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint64_t now = 100000;
    static const char take[] = "{\"type\":\"take\"}";
    const char *at = (const char *)bytes, *end = at + size;
    if (!room)
        begin();
    (void)floor_hear(room, &person, take, sizeof take - 1, now);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        size_t length;
        (void)floor_hear(room, &person, at, (size_t)(stop - at), now);
        for (int i = 0; i < 3; i++) {
            now += STEP_TIME;
            (void)floor_tick(room, now);
        }
        while (floor_next(room, &person, &length))
            ;
        for (uint32_t i = 0; i < room->cell.joint_count; i++)
            if (room->cell.q[i] != room->cell.q[i])
                abort();
        at = newline ? newline + 1 : end;
    }
    now += 1000;
    return 0;
}

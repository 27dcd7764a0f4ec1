/* Bytes become samples, and words become commands. */
#include "link.h"

#include <math.h>
#include <stdio.h>

#include "cellpipe_build.h"

static const struct controller_protocol *const protocols[] = {&json_lines_protocol, &rtde_protocol, &simple_protocol};

/* ---- commands ---- */

static void print_move(struct link *link, const struct message *message)
{
    const uint32_t most = link->map.count;
    const char **names = memory_allocate(link->context, most, sizeof *names);
    double *values = memory_allocate(link->context, most, sizeof *values);
    if (names && values) {
        const uint32_t count = joint_map_invert(&link->map, message->q, names, values);
        command_print_move(&link->commands, names, values, count, message->speed);
    } else
        link->commands.failed = true;
    memory_free(link->context, names, most, sizeof *names);
    memory_free(link->context, values, most, sizeof *values);
}

/* Adds a command to those that wait. */
static const char *send_command(void *user, const struct message *message, const char *text)
{
    struct link *link = user;
    const struct joint_map_row *row;
    const size_t before = link->commands.size;
    if (!link->state)
        return "offline";
    switch (message->word) {
    case WORD_JOG:
        row = joint_map_row_of(&link->map, message->joint);
        if (!row)
            return "limits: the controller does not have this joint";
        command_print_jog(&link->commands, row->name, message->speed / row->scale);
        break;
    case WORD_MOVE:
        print_move(link, message);
        break;
    case WORD_DOWNLOAD:
        command_print_program(&link->commands, message->name, text);
        break;
    default:
        command_print(&link->commands, word_name(message->word));
        break;
    }
    if (!link->commands.failed)
        return NULL;
    link->commands.size = before; /* no half of a command is sent */
    link->commands.failed = false;
    return "out of memory";
}

/* ---- samples ---- */

static void take_sample(void *user, const struct controller_sample *sample)
{
    struct link *link = user;
    if (*link->why)
        return;
    if (sample->count > 0 && !joint_map_apply(&link->map, link->floor->cell.scene, sample, link->values, link->why))
        return;
    const char *unknown = joint_map_unknown(&link->map, sample);
    if (unknown && !link->told_unknown) {
        link->told_unknown = true;
        (void)snprintf(link->floor->why, sizeof link->floor->why, "the cell has no joint \"%.60s\"", unknown);
    }
    floor_take_sample(link->floor, link->values, sample, link->now);
}

bool link_take(struct link *link, const void *bytes, size_t size, uint64_t now, const void **answer,
               size_t *answer_size)
{
    const struct controller_listener listener = {take_sample, link};
    link->now = now;
    link->why[0] = 0;
    cp_status status =
        link->protocol->take(link->context, link->state, bytes, size, &listener, answer, answer_size, link->why);
    if (status == CP_LIMIT)
        (void)snprintf(link->why, sizeof link->why, "out of memory");
    if (status == CP_OK && !*link->why)
        return true;
    floor_lose_controller(link->floor, link->why);
    return false;
}

/* ---- connections ---- */

cp_status link_begin(struct link *link, const void **hello, size_t *size)
{
    link_end(link, NULL);
    link->state = memory_allocate_zeroed(link->context, 1, link->protocol->state_size);
    return link->state ? link->protocol->begin(link->context, link->state, hello, size) : CP_LIMIT;
}

void link_end(struct link *link, const char *why)
{
    const struct controller_listener listener = {take_sample, link};
    if (!link->state)
        return;
    /* A message that was cut off is nonsense as well; a last line may lack its end. */
    if (why && !*link->why && link->protocol->end(link->context, link->state, &listener, link->why) != CP_OK)
        floor_lose_controller(link->floor, link->why);
    link->protocol->free(link->context, link->state);
    memory_free(link->context, link->state, 1, link->protocol->state_size);
    link->state = NULL;
    link->commands.size = 0;
    if (why && !*link->why)
        floor_lose_controller(link->floor, why);
}

cp_status link_open(struct link *link, struct floor *floor, struct arena *arena, const char *protocol, const char *map,
                    bool allow_motion)
{
    cp_context *context = floor->context;
    *link = (struct link){.floor = floor, .context = context, .commands = {.context = context}};
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        if (strcmp(protocols[i]->name, protocol) == 0)
            link->protocol = protocols[i];
    if (!link->protocol)
        return cp_report_error(context, CP_USAGE, "live-controller", NULL, 0,
                               "there is no controller \"%.40s\": simulated, recording, stdin, jsonl:HOST:PORT, "
                               "rtde:HOST or simple:HOST",
                               protocol);
    if (allow_motion && link->protocol != &json_lines_protocol)
        return cp_report_error(context, CP_USAGE, "live-controller", NULL, 0,
                               "--allow-motion is for controllers of JSON lines alone; %s is only read", protocol);
    const cp_scene *scene = floor->cell.scene;
    cp_status status = map ? joint_map_read(context, scene, map, arena, &link->map)
                           : joint_map_default(context, scene, arena, &link->map);
    link->values = status == CP_OK ? arena_copy(arena, floor->cell.q, floor->cell.joint_count, sizeof(double)) : NULL;
    if (status == CP_OK && !link->values)
        status = CP_LIMIT;
    if (status != CP_OK)
        return status;
    link->outside = (struct outside){allow_motion, send_command, link};
    floor->outside = &link->outside;
    floor->controller = link->protocol->name;
    floor_lose_controller(floor, "the controller has not said anything yet");
    return CP_OK;
}

void link_close(struct link *link)
{
    if (!link->context)
        return;
    link_end(link, NULL);
    buffer_free(&link->commands);
    *link = (struct link){0};
}

/* Writes recordings. Lines are appended whole: a kill or a full disk at any moment leaves a file that can be read. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "cellpipe_build.h"

static const double longest_wait = 1, longest_leap = 10; /* seconds */
enum { MOST_WAITING = 1 << 16 };                         /* bytes */

struct live_recording {
    cp_context *context;
    const cp_scene *scene;
    const char *path;
    int file; /* -1: it has ended */
    uint64_t size;
    struct buffer waiting; /* lines that are not in the file */
    double waiting_since;
    bool has_lines;
    double begin, base; /* our clock, and the controller's, at time 0 */
    double last;        /* the time of the last line */
    struct arena *arena;
    uint32_t count, node_count; /* the numbers of joints and nodes */
    uint32_t *joints;
    const char **names;
    double *values; /* the last line's, by joints[] */
    bool *away;     /* nodes that were elsewhere in the last line; NULL: there were none yet */
    cp_pose *worlds;
};

/* Lists the joints of the map in the order of the scene, by their names there. */
static bool list_joints(struct live_recording *recording, const struct joint_map *map)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(recording->scene, &count);
    bool *has = memory_allocate_zeroed(recording->context, count, sizeof *has);
    recording->joints = arena_allocate(recording->arena, count, sizeof *recording->joints);
    recording->names = arena_allocate(recording->arena, count, sizeof *recording->names);
    recording->values = arena_allocate(recording->arena, count, sizeof *recording->values);
    bool good = has && recording->joints && recording->names && recording->values;
    for (uint32_t i = 0; i < map->count && good; i++)
        has[map->rows[i].joint] = true;
    for (uint32_t i = 0; i < count && good; i++) {
        if (!has[i])
            continue;
        const char *name = cp_joint_is_named_alone(recording->scene, i)
                               ? joints[i].name
                               : arena_print(recording->arena, "id:%s", joints[i].id);
        good = name != NULL;
        recording->joints[recording->count] = i;
        recording->names[recording->count++] = name;
    }
    memory_free(recording->context, has, count, sizeof *has);
    return good;
}

cp_status recording_new(cp_context *context, const cp_scene *scene, const struct joint_map *map, const char *path,
                        struct live_recording **recording)
{
    struct live_recording *made = memory_allocate_zeroed(context, 1, sizeof *made);
    *recording = NULL;
    if (!made)
        return CP_LIMIT;
    *made = (struct live_recording){.context = context,
                                    .scene = scene,
                                    .path = path,
                                    .file = -1,
                                    .waiting = {.context = context},
                                    .arena = arena_new(context)};
    (void)cp_nodes(scene, &made->node_count);
    cp_status status = made->arena && list_joints(made, map) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        made->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (status == CP_OK && made->file < 0)
        status = cp_report_error(context, CP_OUTPUT, "record-file", path, 0, "%s%s",
                                 errno == EEXIST ? "it is there already: a recording goes into a new file"
                                                 : "cannot make it: ",
                                 errno == EEXIST ? "" : strerror(errno));
    if (status != CP_OK)
        (void)recording_free(made);
    else
        *recording = made;
    return status;
}

static bool end_record(struct live_recording *recording, const char *why)
{
    (void)ftruncate(recording->file, (off_t)recording->size);
    (void)close(recording->file);
    recording->file = -1;
    (void)cp_report_error(recording->context, CP_OUTPUT, "record-write", recording->path, 0,
                          "the recording ends after %llu bytes: %s", (unsigned long long)recording->size, why);
    return false;
}

/* Counts the lines that are whole among bytes that are written. */
static void count_lines(struct live_recording *recording, size_t done)
{
    while (done > 0 && recording->waiting.data[done - 1] != '\n')
        done--;
    recording->size += done;
}

static bool write_waiting(struct live_recording *recording)
{
    struct buffer *waiting = &recording->waiting;
    /* Whoever ends the program gets no memory any more, but the lines that are whole. */
    while (waiting->failed && waiting->size > 0 && waiting->data[waiting->size - 1] != '\n')
        waiting->size--;
    for (size_t done = 0; done < waiting->size;) {
        const ssize_t more = write(recording->file, waiting->data + done, waiting->size - done);
        if (more < 0 && errno != EINTR) {
            const char *why = strerror(errno);
            count_lines(recording, done);
            return end_record(recording, why);
        }
        done += more > 0 ? (size_t)more : 0;
    }
    recording->size += waiting->size;
    waiting->size = 0;
    return !waiting->failed || end_record(recording, "out of memory");
}

bool recording_flush(struct live_recording *recording, double now)
{
    if (recording->file < 0)
        return false;
    return recording->waiting.size == 0 || now - recording->waiting_since < longest_wait || write_waiting(recording);
}

/* The time of a line, which is not before the last one. */
static double place_time(struct live_recording *recording, double time, double now)
{
    if (!recording->has_lines) {
        recording->begin = now;
        recording->base = time;
        return 0;
    }
    const double passed = now - recording->begin;
    double placed = time - recording->base;
    if (!(placed >= recording->last && placed - passed <= longest_leap)) { /* also if one of them is NaN */
        placed = fmax(passed, recording->last);
        recording->base = isnan(time) ? recording->base : time - placed;
    }
    return placed;
}

/* Tells whether the places say something new of a node. */
static bool is_placed_anew(const struct live_recording *recording, struct recorded_places places, uint32_t node)
{
    const bool is_away = places.hosts[node] != CP_NONE, was_away = recording->away && recording->away[node];
    return is_away != was_away ||
           (is_away && memcmp(&places.worlds[node], &recording->worlds[node], sizeof(cp_pose)) != 0);
}

/* Returns the first node from `node` on of which the places say something new; CP_NONE: there is none. */
static uint32_t next_placed(const struct live_recording *recording, struct recorded_places places, uint32_t node)
{
    const uint32_t count = places.hosts ? recording->node_count : 0;
    while (node < count && !is_placed_anew(recording, places, node))
        node++;
    return node < count ? node : CP_NONE;
}

static bool is_news(const struct live_recording *recording, const double *values, struct recorded_places places)
{
    if (next_placed(recording, places, 1) != CP_NONE)
        return true;
    for (uint32_t i = 0; i < recording->count; i++)
        if (values[recording->joints[i]] != recording->values[i])
            return true;
    return false;
}

/* Prints the nodes of which the places say something new, and notes it. */
static void print_moved(struct live_recording *recording, cp_json *json, struct recorded_places places)
{
    uint32_t node = next_placed(recording, places, 1);
    const cp_node *nodes = cp_nodes(recording->scene, &(uint32_t){0});
    if (node == CP_NONE)
        return;
    const bool is_first = !recording->away;
    if (is_first) {
        recording->worlds = arena_allocate(recording->arena, recording->node_count, sizeof *recording->worlds);
        recording->away = arena_allocate(recording->arena, recording->node_count, sizeof *recording->away);
    }
    if (!recording->away || !recording->worlds) {
        recording->waiting.failed = true;
        return;
    }
    if (is_first)
        memset(recording->away, 0, recording->node_count * sizeof *recording->away);
    cp_json_open(json, "moved", '{');
    for (; node != CP_NONE; node = next_placed(recording, places, node + 1)) {
        recording->away[node] = places.hosts[node] != CP_NONE;
        recording->worlds[node] = places.worlds[node];
        if (recording->away[node])
            cp_json_numbers(json, nodes[node].id, places.worlds[node].m, 12);
        else
            cp_json_word(json, nodes[node].id, "null");
    }
    cp_json_close(json, '}');
}

static void print_line(struct live_recording *recording, struct recorded_places places)
{
    cp_json json = {.out = &recording->waiting};
    cp_json_open(&json, NULL, '{');
    cp_json_number(&json, "t", recording->last);
    cp_json_open(&json, "q", '{');
    for (uint32_t i = 0; i < recording->count; i++)
        cp_json_number(&json, recording->names[i], recording->values[i]);
    cp_json_close(&json, '}');
    print_moved(recording, &json, places);
    cp_json_close(&json, '}');
    buffer_text(&recording->waiting, "\n");
}

bool recording_add(struct live_recording *recording, double time, double now, const double *values,
                   struct recorded_places places)
{
    if (recording->file < 0)
        return false;
    double placed = place_time(recording, time, now);
    if (recording->has_lines && placed == recording->last) {
        if (!is_news(recording, values, places))
            return true;
        placed = nextafter(recording->last, INFINITY);
    }
    for (uint32_t i = 0; i < recording->count; i++)
        recording->values[i] = values[recording->joints[i]];
    recording->last = placed;
    recording->has_lines = true;
    if (recording->waiting.size == 0)
        recording->waiting_since = now;
    print_line(recording, places);
    if (recording->waiting.size >= MOST_WAITING || recording->waiting.failed)
        return write_waiting(recording);
    return recording_flush(recording, now);
}

cp_status recording_free(struct live_recording *recording)
{
    if (!recording)
        return CP_OK;
    cp_status status = recording->file >= 0 && write_waiting(recording) ? CP_OK : CP_OUTPUT;
    if (recording->file >= 0)
        (void)close(recording->file);
    buffer_free(&recording->waiting);
    arena_free(recording->arena);
    memory_free(recording->context, recording, 1, sizeof *recording);
    return status;
}

/* Writes recordings. Lines are appended whole: a kill or a full disk at any moment leaves a file that can be read. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "cellpipe_build.h"

static const double longest_wait = 1, longest_leap = 10; /* seconds */
enum { MOST_WAITING = 1 << 16 };                         /* bytes */

struct record {
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
    uint32_t count; /* of joints */
    uint32_t *joints;
    const char **names;
    double *values; /* of the last line, by joints[] */
};

/* Lists the joints of the map in the order of the scene, by their names there. */
static bool list_joints(struct record *record, const struct joint_map *map)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(record->scene, &count);
    bool *has = memory_allocate_zeroed(record->context, count, sizeof *has);
    record->joints = arena_allocate(record->arena, count, sizeof *record->joints);
    record->names = arena_allocate(record->arena, count, sizeof *record->names);
    record->values = arena_allocate(record->arena, count, sizeof *record->values);
    bool good = has && record->joints && record->names && record->values;
    for (uint32_t i = 0; i < map->count && good; i++)
        has[map->rows[i].joint] = true;
    for (uint32_t i = 0; i < count && good; i++) {
        if (!has[i])
            continue;
        const char *name = cp_joint_is_named_alone(record->scene, i)
                               ? joints[i].name
                               : arena_print(record->arena, "id:%s", joints[i].id);
        good = name != NULL;
        record->joints[record->count] = i;
        record->names[record->count++] = name;
    }
    memory_free(record->context, has, count, sizeof *has);
    return good;
}

cp_status record_new(cp_context *context, const cp_scene *scene, const struct joint_map *map, const char *path,
                     struct record **record)
{
    struct record *made = memory_allocate_zeroed(context, 1, sizeof *made);
    *record = NULL;
    if (!made)
        return CP_LIMIT;
    *made = (struct record){.context = context,
                            .scene = scene,
                            .path = path,
                            .file = -1,
                            .waiting = {.context = context},
                            .arena = arena_new(context)};
    cp_status status = made->arena && list_joints(made, map) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        made->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (status == CP_OK && made->file < 0)
        status = cp_report_error(context, CP_OUTPUT, "record-file", path, 0, "%s%s",
                                 errno == EEXIST ? "it is there already: a recording goes into a new file"
                                                 : "cannot make it: ",
                                 errno == EEXIST ? "" : strerror(errno));
    if (status != CP_OK)
        (void)record_free(made);
    else
        *record = made;
    return status;
}

static bool end_record(struct record *record, const char *why)
{
    (void)ftruncate(record->file, (off_t)record->size);
    (void)close(record->file);
    record->file = -1;
    (void)cp_report_error(record->context, CP_OUTPUT, "record-write", record->path, 0,
                          "the recording ends after %llu bytes: %s", (unsigned long long)record->size, why);
    return false;
}

/* Counts the lines that are whole among bytes that are written. */
static void count_lines(struct record *record, size_t done)
{
    while (done > 0 && record->waiting.data[done - 1] != '\n')
        done--;
    record->size += done;
}

static bool write_waiting(struct record *record)
{
    struct buffer *waiting = &record->waiting;
    if (waiting->failed)
        return end_record(record, "out of memory");
    for (size_t done = 0; done < waiting->size;) {
        const ssize_t more = write(record->file, waiting->data + done, waiting->size - done);
        if (more < 0 && errno != EINTR) {
            const char *why = strerror(errno);
            count_lines(record, done);
            return end_record(record, why);
        }
        done += more > 0 ? (size_t)more : 0;
    }
    record->size += waiting->size;
    waiting->size = 0;
    return true;
}

bool record_flush(struct record *record, double now)
{
    if (record->file < 0)
        return false;
    return record->waiting.size == 0 || now - record->waiting_since < longest_wait || write_waiting(record);
}

/* The time of a line, which is not before the last one. */
static double place_time(struct record *record, double time, double now)
{
    if (!record->has_lines) {
        record->begin = now;
        record->base = time;
        return 0;
    }
    const double passed = now - record->begin;
    double placed = time - record->base;
    if (!(placed >= record->last && placed - passed <= longest_leap)) { /* or one of them is NaN */
        placed = fmax(passed, record->last);
        record->base = isnan(time) ? record->base : time - placed;
    }
    return placed;
}

static bool is_news(const struct record *record, const double *values)
{
    for (uint32_t i = 0; i < record->count; i++)
        if (values[record->joints[i]] != record->values[i])
            return true;
    return false;
}

static void print_line(struct record *record)
{
    cp_json json = {.out = &record->waiting};
    cp_json_open(&json, NULL, '{');
    cp_json_number(&json, "t", record->last);
    cp_json_open(&json, "q", '{');
    for (uint32_t i = 0; i < record->count; i++)
        cp_json_number(&json, record->names[i], record->values[i]);
    cp_json_close(&json, '}');
    cp_json_close(&json, '}');
    buffer_text(&record->waiting, "\n");
}

bool record_add(struct record *record, double time, double now, const double *values)
{
    if (record->file < 0)
        return false;
    double placed = place_time(record, time, now);
    if (record->has_lines && placed == record->last) {
        if (!is_news(record, values))
            return true;
        placed = nextafter(record->last, INFINITY);
    }
    for (uint32_t i = 0; i < record->count; i++)
        record->values[i] = values[record->joints[i]];
    record->last = placed;
    record->has_lines = true;
    if (record->waiting.size == 0)
        record->waiting_since = now;
    print_line(record);
    if (record->waiting.size >= MOST_WAITING || record->waiting.failed)
        return write_waiting(record);
    return record_flush(record, now);
}

cp_status record_free(struct record *record)
{
    if (!record)
        return CP_OK;
    cp_status status = record->file >= 0 && write_waiting(record) ? CP_OK : CP_OUTPUT;
    if (record->file >= 0)
        (void)close(record->file);
    buffer_free(&record->waiting);
    arena_free(record->arena);
    memory_free(record->context, record, 1, sizeof *record);
    return status;
}

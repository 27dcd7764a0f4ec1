/* Controllers: what the protocols of robots say, as events, whatever the network is. Each protocol is a pure function
 * of bytes, with a state of its own; server.c owns the sockets. */
#ifndef CELLPIPE_LIVE_CONTROLLER_H
#define CELLPIPE_LIVE_CONTROLLER_H

#include "cellpipe_json.h"

enum { MOST_CONTROLLER_JOINTS = 256 };

/* What a controller says that it does. */
enum controller_mode {
    CONTROLLER_SILENT, /* it said nothing of its mode */
    CONTROLLER_READY,
    CONTROLLER_RUNNING,
    CONTROLLER_STOPPED,
    CONTROLLER_EMERGENCY
};

/* One sample: names and values are valid during the call. The joints of protocols that have no names are "1", "2", ...
 */
struct controller_sample {
    double time; /* seconds of the controller's clock */
    const char *const *names;
    const double *values; /* of the protocol's own units: radians, metres */
    uint32_t count;       /* 0: the sample says a mode alone */
    enum controller_mode mode;
    uint64_t line;       /* of the program, or 0 */
    const char *program; /* its name, or NULL */
};

/* What reads the bytes of one connection, in whatever pieces they come. */
struct controller_listener {
    void (*take)(void *user, const struct controller_sample *sample);
    void *user;
};

/* A protocol. `state` is zeroed memory of state_size bytes. */
struct controller_protocol {
    const char *name; /* the word of --controller */
    uint16_t port;    /* the usual one; 0: none */
    size_t state_size;
    /* Prepares the state; *hello is what to send first (none: size 0), valid until the state is freed. */
    cp_status (*begin)(cp_context *context, void *state, const void **hello, size_t *size);
    /* Takes size bytes. CP_OK; CP_INPUT for nonsense, with the reason in `why`: the caller then ends the connection;
     * CP_LIMIT if out of memory. *answer: what to send now (NULL: nothing), valid until the next call. */
    cp_status (*take)(cp_context *context, void *state, const void *bytes, size_t size,
                      const struct controller_listener *listener, const void **answer, size_t *answer_size,
                      char why[160]);
    void (*free)(cp_context *context, void *state);
};

extern const struct controller_protocol json_lines_protocol; /* jsonl, stdin: json_lines.c */
extern const struct controller_protocol rtde_protocol;       /* Universal Robots' RTDE 2: rtde.c */
extern const struct controller_protocol simple_protocol;     /* ROS-Industrial's simple_message: simple_message.c */

/* Which joint of the scene each joint of a controller is: map.c. A line of the file: CONTROLLER SCENE [sign=-1]
 * [offset=VALUE] [unit=deg|rad|mm|m]; # begins a comment. The scene's value is sign * unit * value + offset. */
struct joint_map_row {
    const char *name; /* the controller's */
    uint32_t joint;   /* of the scene */
    double scale, offset;
};
struct joint_map {
    struct joint_map_row *rows;
    uint32_t count, room;
};

/* Reads the file. CP_INPUT with file, line and reason in the report. */
cp_status joint_map_read(cp_context *context, const cp_scene *scene, const char *path, struct arena *arena,
                         struct joint_map *map);
/* Makes the map without a file: joints by their names; joints "1", "2", ... of protocols without names are the driven
 * joints of the scene's first device, in its order. */
cp_status joint_map_default(cp_context *context, const cp_scene *scene, struct arena *arena, struct joint_map *map);
/* Puts a sample into values[joint count]; the others stay. False with the reason: a value that is not finite, or more
 * than 5 % of its range beyond a limit, or a sample none of whose names is known; values are then unchanged. */
bool joint_map_apply(const struct joint_map *map, const cp_scene *scene, const struct controller_sample *sample,
                     double *values, char why[160]);

#endif

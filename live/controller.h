/* Controllers: what the protocols of robots say, as events, whatever the network is. Each protocol is a pure function
 * of bytes, with a state of its own; server.c owns the sockets. */
#ifndef CELLPIPE_LIVE_CONTROLLER_H
#define CELLPIPE_LIVE_CONTROLLER_H

#include "cellpipe_tool.h"

enum { MOST_CONTROLLER_JOINTS = 256, MOST_CONTROLLER_PARTS = 256, WHY_SIZE = 160 };

/* The mode that a controller says it is in. */
enum controller_mode {
    CONTROLLER_SILENT, /* it said nothing of its mode, which is as before */
    CONTROLLER_READY,
    CONTROLLER_RUNNING,
    CONTROLLER_JOGGING,
    CONTROLLER_MOVING,
    CONTROLLER_STOPPED,
    CONTROLLER_EMERGENCY
};

/* A frame of the cell that is elsewhere, or again where the cell has it. */
struct controller_part {
    const char *id;
    bool is_back;
    cp_pose world;
};

/* One sample: names and values are valid during the call. The joints of protocols that have no names are "1", "2", ...
 */
struct controller_sample {
    double time; /* seconds of the controller's clock; NaN: it told none */
    const char *const *names;
    const double *values; /* radians or metres, as the controller counts them */
    uint32_t count;       /* 0: the sample says a mode alone */
    enum controller_mode mode;
    uint64_t line;       /* the line of the program, from 1; 0: it told none */
    const char *program; /* its name, or NULL */
    const struct controller_part *parts;
    uint32_t part_count; /* frames that the sample does not name are where they were */
};

/* A listener gets each sample of a connection in its order. */
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
     * CP_LIMIT if out of memory. The reason may hold the controller's own bytes: show it as what strangers wrote.
     * *answer: what to send now (NULL: nothing), valid until the next call. */
    cp_status (*take)(cp_context *context, void *state, const void *bytes, size_t size,
                      const struct controller_listener *listener, const void **answer, size_t *answer_size,
                      char why[WHY_SIZE]);
    /* The connection has ended, and take had returned CP_OK: CP_INPUT with the reason if that was in the midst of a
     * message. A last line of JSON may lack its end: it is taken. */
    cp_status (*end)(cp_context *context, void *state, const struct controller_listener *listener, char why[WHY_SIZE]);
    void (*free)(cp_context *context, void *state);
};

extern const struct controller_protocol json_lines_protocol; /* jsonl, stdin: json_lines.c */
extern const struct controller_protocol rtde_protocol;       /* Universal Robots' RTDE 2: rtde.c */
extern const struct controller_protocol simple_protocol;     /* ROS-Industrial's simple_message: simple_message.c */

/* Commands for a controller of JSON lines that may be moved, a line each (json_lines.c). Failure is sticky in the
 * buffer. type: "run", "step", "continue", "stop", "emergency" or "reset". */
void command_print(struct buffer *out, const char *type);
/* Names and values are the controller's. The speed of a jog is in radians or metres a second; the controller ends it
 * 250 ms after the last one. The speed of a move is a part of the joints' limits of speed: above 0, at most 1. */
void command_print_jog(struct buffer *out, const char *joint, double speed);
void command_print_move(struct buffer *out, const char *const *names, const double *values, uint32_t count,
                        double speed);
void command_print_program(struct buffer *out, const char *name, const char *text);

/* Which joint of the scene each joint of a controller is: map.c. A line of the file: CONTROLLER SCENE [sign=-1]
 * [offset=VALUE] [unit=deg|rad|mm|m]; # begins a comment. The scene's value is scale * value + offset, where scale is
 * the sign times the unit. */
struct joint_map_row {
    const char *name; /* the controller's */
    uint32_t joint;   /* the scene's */
    double scale, offset;
    bool other_name; /* the joint has a row with its first name, by which commands call it */
};
struct joint_map {
    struct joint_map_row *rows; /* sorted by name; several joints may follow one name */
    uint32_t count, room;
};

/* Reads the file. CP_INPUT with file, line, column and reason in the report. */
cp_status joint_map_read(cp_context *context, const cp_scene *scene, const char *path, struct arena *arena,
                         struct joint_map *map);
/* The same from memory; file is its name in messages. */
cp_status joint_map_read_text(cp_context *context, const cp_scene *scene, const char *file, const char *text,
                              size_t size, struct arena *arena, struct joint_map *map);
/* Makes the map without a file: joints by their names, or by id:ID; joints "1", "2", ... of protocols without names are
 * the driven joints of the scene's first device, in its order. */
cp_status joint_map_default(cp_context *context, const cp_scene *scene, struct arena *arena, struct joint_map *map);
/* Puts a sample into values[joint count]; the others stay. False with the reason: a value that is not finite, or more
 * than 5 % of its range beyond a limit, or a sample none of whose names is known; values are then unchanged. */
bool joint_map_apply(const struct joint_map *map, const cp_scene *scene, const struct controller_sample *sample,
                     double *values, char why[WHY_SIZE]);
/* Returns the first name in the sample that the map does not have and whose value is not 0, so that it can be told
 * once; else NULL. Unused places of simple_message are 0. */
const char *joint_map_unknown(const struct joint_map *map, const struct controller_sample *sample);
/* Returns the row of a joint by which commands call it, or NULL. The controller's value is (value - offset) / scale,
 * its speed is speed / scale. */
const struct joint_map_row *joint_map_row_of(const struct joint_map *map, uint32_t joint);
/* Writes the controller's names and values for values[joint count] into names[map->count] and out[map->count]. Returns
 * how many there are: each name once. */
uint32_t joint_map_invert(const struct joint_map *map, const double *values, const char **names, double *out);

#endif

/* Writes tables of motion: joint values, and poses of frames, at moments of a clip. csv has a line for each moment
 * below a line of names with units (RFC 4180); jsonl has an object in each line:
 * {"t":0.01,"q":{"Arm.J1":0.5},"moved":{"Part":[rows of a 3 by 4 matrix]},"frames":{"Arm.TCP":[x,y,z,r,p,y]}}
 * Specification: docs/recordings.md. The filter `recording` reads both. */
#include <math.h>

#include "base/context.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "exporters.h"
#include "model/model.h"
#include "motion/clips/clips.h"

struct table_settings {
    const char *clip, *frames;
    double period;
    int angles;
};
enum { ANGLES_RADIANS, ANGLES_DEGREES };

#define TABLE_OPTIONS                                                                                                  \
    {"clip", "the clip, if there are several", CP_OPTION_CLIP, .offset = offsetof(struct table_settings, clip)},       \
        {"frames", "poses of these frames, too, with commas between", CP_OPTION_STRING,                                \
         .offset = offsetof(struct table_settings, frames)},                                                           \
    {                                                                                                                  \
        "period", "between two moments; 0: at all keys", CP_OPTION_TIME, offsetof(struct table_settings, period), "0", \
            .maximum = 86400                                                                                           \
    }

static const cp_option csv_options[] = {TABLE_OPTIONS,
                                        {"angles", "units of angles", CP_OPTION_CHOICE,
                                         offsetof(struct table_settings, angles), "rad", .choices = "rad|deg"},
                                        CP_OPTIONS_END};
static const cp_option jsonl_options[] = {TABLE_OPTIONS, CP_OPTIONS_END};

/* A node that the clip moves or hangs elsewhere, and what was written last. */
struct away {
    uint32_t node;
    bool is_away;
    cp_pose world;
};

struct joint_table {
    cp_context *context;
    const cp_scene *scene;
    const struct table_settings *settings;
    struct sink *sink;
    struct arena *arena;
    const cp_clip *clip;
    uint32_t *joints, joint_count, frame_count;
    const char **names; /* names of the joints: their own, or "id:" and the id if other joints have that name */
    struct {
        uint32_t node;
        const char *name; /* as the user gives it */
    } * frames;
    struct away *away; /* of jsonl */
    uint32_t away_count;
    uint64_t stretched; /* poses that are left out */
    cp_pose *worlds;    /* where the cell has all nodes */
    double *times;
    size_t time_count;
    struct clip_lookup lookup;
};

/* ---- what is in it ---- */

/* Finds the clip. Without one, the joints are written as they are. */
static cp_status find_clip(struct joint_table *table)
{
    static const cp_clip still = {.name = ""};
    cp_status status = choose_clip(table->context, table->scene, table->settings->clip, &table->clip);
    table->clip = table->clip ? table->clip : &still;
    return status;
}

static cp_status name_joints(struct joint_table *table)
{
    const cp_scene *scene = table->scene;
    struct name_map counts = {.context = table->context}; /* the number of joints with a name */
    bool fine = true;
    for (uint32_t i = 0; i < scene->joint_count && fine; i++) {
        uint32_t *count = name_map_add(&counts, scene->joints[i].name, 0, NULL);
        fine = count;
        if (count)
            (*count)++;
    }
    table->names = arena_allocate(table->arena, table->joint_count, sizeof *table->names);
    fine = fine && table->names;
    for (uint32_t i = 0; i < table->joint_count && fine; i++) {
        const cp_joint *it = &scene->joints[table->joints[i]];
        table->names[i] =
            *name_map_find(&counts, it->name) == 1 ? it->name : arena_print(table->arena, "id:%s", it->id);
        fine = table->names[i];
    }
    name_map_free(&counts);
    return fine ? CP_OK : CP_LIMIT;
}

/* Lists the nodes that the clip moves or hangs elsewhere. Those that joints move, too, are left out. */
static cp_status list_away(struct joint_table *table, const bool *moved)
{
    const cp_scene *scene = table->scene;
    uint64_t others = 0;
    table->away = arena_allocate(table->arena, scene->node_count, sizeof *table->away);
    table->worlds = arena_allocate(table->arena, scene->node_count, sizeof *table->worlds);
    if (!table->away || !table->worlds)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (moved[i] && i > 0 && scene->nodes[i].joint_count == 0)
            table->away[table->away_count++] = (struct away){.node = i};
        else
            others += moved[i];
    if (others > 0)
        report_loss(table->context, "table-frames", NOWHERE, others,
                    "motion of frames that joints move, too, is left out (frames= has poses)");
    return scene_world_poses(table->context, scene, NULL, table->worlds);
}

/* Lists the joints that are set from outside, and those that the clip moves. */
static cp_status list_joints(struct joint_table *table, bool csv)
{
    const cp_scene *scene = table->scene;
    bool *moved = arena_allocate_zeroed(table->arena, scene->joint_count, sizeof *moved);
    bool *nodes = arena_allocate_zeroed(table->arena, scene->node_count, sizeof *nodes);
    table->joints = arena_allocate(table->arena, scene->joint_count, sizeof *table->joints);
    if (!moved || !nodes || !table->joints)
        return CP_LIMIT;
    uint64_t others = table->clip->attachment_count;
    for (uint32_t i = 0; i < table->clip->attachment_count; i++)
        nodes[table->clip->attachments[i].node] = true;
    for (uint32_t i = 0; i < table->clip->track_count; i++) {
        const cp_track *track = &table->clip->tracks[i];
        if (track->path == CP_PATH_JOINT)
            moved[track->target] = true;
        else {
            nodes[track->target] = true;
            others++;
        }
    }
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        if (joint->type != CP_JOINT_FIXED && !cp_joint_is_dependent(joint) && (joint->driven || moved[i]))
            table->joints[table->joint_count++] = i;
    }
    cp_status status = CP_OK;
    if (!csv)
        status = list_away(table, nodes);
    else if (others > 0)
        report_loss(table->context, "table-frames", NOWHERE, others,
                    "motion of frames without joints is left out (jsonl has it; frames= has poses)");
    return status == CP_OK ? name_joints(table) : status;
}

static cp_status list_frames(struct joint_table *table)
{
    const char *at = table->settings->frames;
    const cp_scene *scene = table->scene;
    size_t room = 1;
    for (const char *c = at; c && *c; c++)
        room += *c == ',';
    table->frames = arena_allocate(table->arena, room, sizeof *table->frames);
    if (!table->frames)
        return CP_LIMIT;
    while (at && *at) {
        size_t size = strcspn(at, ",");
        const char *name = arena_copy_text(table->arena, at, size);
        if (!name)
            return CP_LIMIT;
        cp_status status = find_named(scene, TABLE_NODES, name, &table->frames[table->frame_count].node);
        if (status != CP_OK)
            return status;
        table->frames[table->frame_count++].name = name;
        at += size + (at[size] == ',');
    }
    return CP_OK;
}

/* ---- csv ---- */

static const char *angle_unit(const struct joint_table *table)
{
    return table->settings->angles == ANGLES_DEGREES ? "deg" : "rad";
}

static void write_angle(struct joint_table *table, double radians)
{
    sink_double(table->sink, table->settings->angles == ANGLES_DEGREES ? radians_to_degrees(radians) : radians);
}

static void write_cell(struct joint_table *table, const char *name, const char *suffix, const char *unit)
{
    bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    sink_text(table->sink, quoted ? ",\"" : ",");
    for (const char *c = name; *c; c++)
        sink_print(table->sink, *c == '"' ? "\"\"" : "%c", *c);
    sink_print(table->sink, "%s%s%s%s%s", suffix, *unit ? "[" : "", unit, *unit ? "]" : "", quoted ? "\"" : "");
}

static void write_csv_head(struct joint_table *table)
{
    static const char *const suffixes[] = {".x", ".y", ".z", ".r", ".p", ".yaw"};
    sink_text(table->sink, "time[s]");
    for (uint32_t i = 0; i < table->joint_count; i++) {
        cp_joint_type type = table->scene->joints[table->joints[i]].type;
        write_cell(table, table->names[i], "",
                   type == CP_JOINT_REVOLUTE    ? angle_unit(table)
                   : type == CP_JOINT_PRISMATIC ? "m"
                                                : "");
    }
    for (uint32_t i = 0; i < table->frame_count; i++)
        for (int k = 0; k < 6; k++)
            write_cell(table, table->frames[i].name, suffixes[k], k < 3 ? "m" : angle_unit(table));
    sink_text(table->sink, "\n");
}

static void write_csv_row(struct joint_table *table, double time)
{
    sink_double(table->sink, time);
    for (uint32_t i = 0; i < table->joint_count; i++) {
        double value = lookup_joint(&table->lookup, table->joints[i], time);
        sink_text(table->sink, ",");
        if (table->scene->joints[table->joints[i]].type == CP_JOINT_REVOLUTE)
            write_angle(table, value);
        else
            sink_double(table->sink, value);
    }
    for (uint32_t i = 0; i < table->frame_count; i++) {
        double coordinates[6];
        cp_pose world = lookup_world(&table->lookup, table->frames[i].node, time);
        cp_pose_coordinates(&world, coordinates);
        for (int k = 0; k < 6; k++) {
            sink_text(table->sink, ",");
            if (k < 3)
                sink_double(table->sink, coordinates[k]);
            else
                write_angle(table, coordinates[k]);
        }
    }
    sink_text(table->sink, "\n");
}

/* ---- jsonl ---- */

static void put_in_sink(void *user, const char *bytes, size_t size)
{
    sink_write(user, bytes, size);
}

/* Tells whether the node is where the cell has it, on its parent. */
static bool is_home(struct joint_table *table, uint32_t node, double time)
{
    const cp_node *it = &table->scene->nodes[node];
    const cp_pose local = lookup_local(&table->lookup, node, time);
    bool same = lookup_parent(&table->lookup, node, time) == it->parent;
    for (int i = 0; i < 12 && same; i++)
        same = fabs(local.m[i] - it->local.m[i]) <= 1e-12;
    return same;
}

/* Writes what has changed since the row before. The first row has all nodes that move at any time. */
static void write_moved(struct joint_table *table, struct json_writer *json, double time)
{
    bool any = false;
    for (uint32_t i = 0; i < table->away_count; i++) {
        struct away *away = &table->away[i];
        const bool is_away = !is_home(table, away->node, time), first = time == table->times[0];
        const cp_pose world = lookup_world(&table->lookup, away->node, time);
        if (is_away && !cp_pose_moves_rigidly(&table->worlds[away->node], &world)) {
            table->stretched++;
            continue;
        }
        if (!first && away->is_away == is_away && (!is_away || pose_equal(&away->world, &world)))
            continue;
        if (!any)
            cp_json_open(json, "moved", '{');
        any = true;
        away->is_away = is_away;
        away->world = world;
        if (is_away)
            cp_json_numbers(json, table->scene->nodes[away->node].id, world.m, 12);
        else
            cp_json_word(json, table->scene->nodes[away->node].id, "null");
    }
    if (any)
        cp_json_close(json, '}');
}

static void write_json_row(struct joint_table *table, double time)
{
    struct json_writer json = {.put = put_in_sink, .user = table->sink};
    cp_json_open(&json, NULL, '{');
    cp_json_number(&json, "t", time);
    cp_json_open(&json, "q", '{');
    for (uint32_t i = 0; i < table->joint_count; i++)
        cp_json_number(&json, table->names[i], lookup_joint(&table->lookup, table->joints[i], time));
    cp_json_close(&json, '}');
    write_moved(table, &json, time);
    if (table->frame_count > 0)
        cp_json_open(&json, "frames", '{');
    for (uint32_t i = 0; i < table->frame_count; i++) {
        double coordinates[6];
        cp_pose world = lookup_world(&table->lookup, table->frames[i].node, time);
        cp_pose_coordinates(&world, coordinates);
        cp_json_numbers(&json, table->frames[i].name, coordinates, 6);
    }
    if (table->frame_count > 0)
        cp_json_close(&json, '}');
    cp_json_close(&json, '}');
    sink_text(table->sink, "\n");
}

/* ---- the plug-ins ---- */

static cp_status write_rows(struct joint_table *table, bool csv)
{
    cp_status status = lookup_start(&table->lookup, table->context, table->scene, table->clip);
    if (status == CP_OK && csv)
        write_csv_head(table);
    for (size_t i = 0; i < table->time_count && status == CP_OK; i++) {
        if (i % 1024 == 0 && context_is_cancelled(table->context))
            status = CP_LIMIT;
        else if (csv)
            write_csv_row(table, table->times[i]);
        else
            write_json_row(table, table->times[i]);
    }
    if (status == CP_OK && mechanism_failed(&table->lookup.mechanism))
        status = mechanism_report_open(&table->lookup.mechanism);
    lookup_free(&table->lookup);
    if (table->stretched > 0)
        report_loss(table->context, "table-stretched", NOWHERE, table->stretched,
                    "poses that stretch or mirror frames are left out");
    return status == CP_OK ? sink_status(table->sink) : status;
}

static cp_status write_table(cp_context *context, const cp_scene *scene, const struct table_settings *settings,
                             struct sink *sink, bool csv)
{
    struct joint_table table = {
        .context = context, .scene = scene, .settings = settings, .sink = sink, .arena = arena_new(context)};
    cp_status status = table.arena ? find_clip(&table) : CP_LIMIT;
    if (status == CP_OK)
        status = list_joints(&table, csv);
    if (status == CP_OK)
        status = list_frames(&table);
    if (status == CP_OK)
        status = list_moments(context, table.arena, table.clip, settings->period, &table.times, &table.time_count);
    const bool has_frames = table.frame_count + table.away_count > 0;
    if (status == CP_OK && settings->period == 0) {
        report_curves(context, table.clip, has_frames);
        status = add_jumps(table.arena, table.clip, has_frames, &table.times, &table.time_count);
    }
    if (status == CP_OK && table.joint_count + table.frame_count + table.away_count == 0)
        status = report_error(context, CP_NO, "table-empty", NOWHERE, "no joint moves, and frames= names no frame");
    if (status == CP_OK)
        status = write_rows(&table, csv);
    arena_free(table.arena);
    return status;
}

static cp_status write_csv(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    return write_table(context, scene, settings, sink, true);
}

static cp_status write_jsonl(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    return write_table(context, scene, settings, sink, false);
}

/* A table is motion alone, so the looks of the scene are no loss. */
static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_ALL & ~(uint32_t)CP_FEATURE_MARKS;
}

const struct exporter csv_exporter = {.plugin = {.name = "csv",
                                                 .title = "table of joint values of a clip",
                                                 .options = csv_options,
                                                 .settings_size = sizeof(struct table_settings)},
                                      .suffixes = ".csv",
                                      .carries = carries,
                                      .write = write_csv};

const struct exporter jsonl_exporter = {.plugin = {.name = "jsonl",
                                                   .title = "JSON lines of joint values of a clip",
                                                   .options = jsonl_options,
                                                   .settings_size = sizeof(struct table_settings)},
                                        .suffixes = ".jsonl",
                                        .carries = carries,
                                        .write = write_jsonl};

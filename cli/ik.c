/* ik: finds the joint values at which a frame has a given pose. */
#include "cli.h"
#include "parts.h"
#include "posing.h"

#include <math.h>
#include <string.h>

struct asked {
    struct request request;
    struct posing posing;
    const char *pose, *frame, *in, *solve;
    int64_t tries;
    bool json;
    const char *routine, *lengths, *offsets;
    double seconds;
};

struct found {
    const cp_joint *joints;
    const uint32_t *unknown;
    const cp_posture *postures;
    uint32_t joint_count, count;
    const char *method;
    unsigned solve;
    bool routine; /* of the user's */
};

/* ---- the request ---- */

/* Warns of bare angles of a pose, which are radians: more than a turn was perhaps meant in degrees. */
static void warn_of_degrees(const struct cli *cli, const char *pose)
{
    double value; /* a bare number is a length, too */
    for (int i = 0; *pose; i++) {
        int size = (int)strcspn(pose, ",");
        char entry[32] = "";
        if (i >= 3 && (size_t)size < sizeof entry)
            (void)snprintf(entry, sizeof entry, "%.*s", size, pose);
        bool bare = size > 0 && strchr("0123456789.", pose[size - 1]);
        if (bare && cp_parse_length(entry, &value) && fabs(value) > 2 * acos(-1) && !cli->quiet)
            fprintf(cli->messages, "cellpipe: warning: pose=: the angle %s is %s rad; %sdeg?\n", entry, entry, entry);
        pose += (size_t)size + (pose[size] == ',');
    }
}

/* Chooses the target: a pose in numbers, or the frame of that name. */
static cp_status choose_target(struct cli *cli, const cp_scene *scene, const struct asked *asked, uint32_t in,
                               cp_pose *target)
{
    uint32_t frame;
    if (cp_parse_pose(asked->pose, target)) {
        warn_of_degrees(cli, asked->pose);
        return CP_OK;
    }
    if (strspn(asked->pose, "+-.0123456789") > 0 && strchr(asked->pose, ','))
        return complain(cli, CP_USAGE, "pose=%s: give six values X,Y,Z,R,P,Y such as 0.5,0,300mm,0,90deg,0",
                        asked->pose);
    cp_status status = find_frame(cli, scene, asked->pose, &frame);
    if (status != CP_OK)
        return status;
    const cp_pose *worlds = world_poses(cli, scene);
    if (!worlds)
        return CP_LIMIT;
    relate(&worlds[in], &worlds[frame], target);
    return CP_OK;
}

static cp_status choose_device_of(struct cli *cli, const cp_scene *scene, const struct asked *asked, cp_reach *reach)
{
    cp_status status = choose_device(cli, scene, asked->posing.device, "which device? Give", &reach->device);
    if (status == CP_OK)
        status =
            choose_end(cli, scene, asked->frame, cp_devices(scene, &(uint32_t){0})[reach->device].id, &reach->frame);
    if (status == CP_OK && asked->in)
        status = find_frame(cli, scene, asked->in, &reach->in);
    return status;
}

/* "376.5mm,0.4" */
static cp_status read_lengths(struct cli *cli, const char *name, const char *text, const double **values,
                              uint32_t *count)
{
    double *lengths = cli_allocate(cli, CP_MOST_ROUTINE_LENGTHS * sizeof *lengths);
    if (!lengths || !text)
        return lengths ? CP_OK : CP_LIMIT;
    *values = lengths;
    for (const char *at = text; *count < CP_MOST_ROUTINE_LENGTHS;) {
        size_t size = strcspn(at, ",");
        const char *item = cli_print(cli, "%.*s", (int)size, at);
        if (!item)
            return CP_LIMIT;
        if (!cp_parse_length(item, &lengths[*count]) || !isfinite(lengths[*count]))
            return complain(cli, CP_USAGE, "%s=%s: give lengths with commas between, such as 376.5mm,0.4", name, text);
        ++*count;
        if (at[size] == '\0')
            return CP_OK;
        at += size + 1;
    }
    return complain(cli, CP_USAGE, "%s=: more than %d lengths", name, CP_MOST_ROUTINE_LENGTHS);
}

/* LIB.so:NAME */
static cp_status choose_routine(struct cli *cli, const struct asked *asked, cp_routine *routine)
{
    const char *colon = strrchr(asked->routine, ':');
    if (!colon || colon == asked->routine || !colon[1])
        return complain(cli, CP_USAGE, "routine=%s: give a library and a function in it, as LIB.so:NAME",
                        asked->routine);
    size_t size = (size_t)(colon - asked->routine);
    *routine = (cp_routine){.name = colon + 1, .seconds = asked->seconds};
    routine->library =
        cli_print(cli, "%s%.*s", memchr(asked->routine, '/', size) ? "" : "./", (int)size, asked->routine);
    if (!routine->library)
        return CP_LIMIT;
    cp_status status = read_lengths(cli, "lengths", asked->lengths, &routine->lengths, &routine->length_count);
    return status == CP_OK ? read_lengths(cli, "offsets", asked->offsets, &routine->offsets, &routine->offset_count)
                           : status;
}

/* ---- the answer ---- */

static const char *const coordinates[] = {"x", "y", "z", "roll", "pitch", "yaw"};

static double for_people(bool turns, double value)
{
    double shown = turns ? value * 180 / acos(-1) : value * 1000;
    return fabs(shown) < 5e-10 ? 0 : shown;
}

static const char *unit_of(bool turns)
{
    return turns ? "deg" : "mm";
}

/* Returns the limit that the value breaks; infinite if none. */
static double broken_limit(const cp_joint *joint, double q)
{
    return q < joint->lower ? joint->lower : q > joint->upper ? joint->upper : INFINITY;
}

static void print_posture(struct cli *cli, const struct found *found, const cp_posture *posture)
{
    printf("posture %u: %s from here%s%s, singularity %s\n", (unsigned)posture->number,
           short_number(posture->distance).text, posture->within ? "" : ", beyond limits",
           posture->one_of_many ? ", one of many" : "", short_number(posture->singularity).text);
    for (uint32_t i = 0; i < found->joint_count; i++) {
        const cp_joint *joint = &found->joints[found->unknown[i]];
        const bool turns = joint->type == CP_JOINT_REVOLUTE;
        double q = posture->q[found->unknown[i]], limit = broken_limit(joint, q);
        say(cli, "  %-16s %s %s", joint->name, long_number(for_people(turns, q)).text, unit_of(turns));
        if (isfinite(limit))
            printf(", beyond %s %s", short_number(for_people(turns, limit)).text, unit_of(turns));
        printf("\n");
    }
    for (int i = 0; i < 6; i++)
        if (!(found->solve & 1u << i))
            printf("  %s is off by %s %s\n", coordinates[i], short_number(for_people(i >= 3, posture->rest[i])).text,
                   unit_of(i >= 3));
}

static void print_text(struct cli *cli, const struct found *found)
{
    for (uint32_t i = 0; i < found->count; i++)
        print_posture(cli, found, &found->postures[i]);
}

static void print_json(FILE *file, const struct found *found)
{
    cp_json json = json_in_file(file);
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "method", found->method);
    cp_json_open(&json, "joints", '[');
    for (uint32_t i = 0; i < found->joint_count; i++)
        cp_json_text(&json, NULL, found->joints[found->unknown[i]].id);
    cp_json_close(&json, ']');
    cp_json_open(&json, "postures", '[');
    for (uint32_t i = 0; i < found->count; i++) {
        const cp_posture *posture = &found->postures[i];
        cp_json_open(&json, NULL, '{');
        cp_json_count(&json, "number", posture->number);
        cp_json_open(&json, "q", '[');
        for (uint32_t k = 0; k < found->joint_count; k++)
            cp_json_number(&json, NULL, posture->q[found->unknown[k]]);
        cp_json_close(&json, ']');
        cp_json_number(&json, "distance", posture->distance);
        cp_json_number(&json, "singularity", posture->singularity);
        if (found->routine)
            cp_json_number(&json, "off", posture->off);
        cp_json_boolean(&json, "within", posture->within);
        cp_json_boolean(&json, "one_of_many", posture->one_of_many);
        cp_json_open(&json, "beyond", '[');
        for (uint32_t k = 0; k < found->joint_count; k++)
            if (isfinite(broken_limit(&found->joints[found->unknown[k]], posture->q[found->unknown[k]])))
                cp_json_text(&json, NULL, found->joints[found->unknown[k]].id);
        cp_json_close(&json, ']');
        cp_json_open(&json, "rest", '{');
        for (int k = 0; k < 6; k++)
            if (!(found->solve & 1u << k))
                cp_json_number(&json, coordinates[k], posture->rest[k]);
        cp_json_close(&json, '}');
        cp_json_close(&json, '}');
    }
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
    fputs("\n", file);
}

/* Prints the answer. CP_NO if no posture is within the limits. */
static cp_status answer(struct cli *cli, cp_inverse *inverse, const cp_scene *scene, const cp_pose *target,
                        const struct asked *asked, unsigned solve)
{
    struct found found = {.method = cp_inverse_method(inverse), .solve = solve, .routine = asked->routine};
    cp_status status = cp_inverse_postures(inverse, target, &found.postures, &found.count);
    clear_progress(cli);
    if (status != CP_OK && status != CP_NO)
        return status;
    found.joints = cp_joints(scene, &(uint32_t){0});
    found.unknown = cp_inverse_joints(inverse, &found.joint_count);
    if (asked->json)
        print_json(cli->answers, &found);
    else
        print_text(cli, &found);
    if (status != CP_OK)
        return status;
    for (uint32_t i = 0; i < found.count; i++)
        if (found.postures[i].within)
            return CP_OK;
    return complain(cli, CP_NO, "no posture is within the limits of the joints");
}

/* ---- the command ---- */

static cp_status command_ik(struct cli *cli)
{
    struct asked asked = {0};
    cp_scene *scene = NULL;
    cp_reach reach = {.size = sizeof reach, .solve = CP_REACH_ALL};
    cp_inverse *inverse = NULL;
    cp_routine routine;
    cp_pose target;
    cp_status status = sort_words(cli, 1, cli->words.count, &ik_command, &asked);
    if (status == CP_OK)
        status = take_posing(cli, &asked.request, &asked.posing, &ik_command);
    if (status == CP_OK && !asked.pose)
        status = complain(cli, CP_USAGE, "where to? Give pose=X,Y,Z,R,P,Y or pose=FRAME");
    if (status == CP_OK && asked.solve && !cp_parse_reach(asked.solve, &reach.solve))
        status = complain(cli, CP_USAGE, "solve=%s: name some of x,y,z,roll,pitch,yaw", asked.solve);
    if (status == CP_OK && asked.routine) {
        status = choose_routine(cli, &asked, &routine);
        reach.routine = &routine;
    }
    if (status == CP_OK)
        status = read_input(cli, asked.request.words.items[0], &asked.request, &scene);
    if (status != CP_OK)
        return status;
    reach.tries = (uint32_t)asked.tries;
    status = pose_cell(cli, scene, &asked.posing, &ik_command);
    if (status == CP_OK)
        status = choose_device_of(cli, scene, &asked, &reach);
    if (status == CP_OK)
        status = choose_target(cli, scene, &asked, reach.in, &target);
    if (status == CP_OK)
        status = cp_inverse_new(cli->context, scene, &reach, &inverse);
    if (status == CP_OK)
        status = answer(cli, inverse, scene, &target, &asked, reach.solve);
    cp_inverse_free(inverse);
    cp_scene_free(scene);
    return status;
}

static const cp_option options[] = {
    {"pose",
     "required: where the frame shall be: X,Y,Z,R,P,Y in metres and radians, or with units (10mm, 30deg); or "
     "where the "
     "frame of this name is",
     CP_OPTION_STRING, offsetof(struct asked, pose), .value = "POSE"},
    POSING_OPTIONS(struct asked),
    {"frame", "the frame to be placed; the end of the device unless said", CP_OPTION_FRAME,
     .offset = offsetof(struct asked, frame)},
    {"in", "numbers of pose= are in this frame; in the world unless said", CP_OPTION_FRAME,
     .offset = offsetof(struct asked, in)},
    {"solve",
     "the coordinates that have to hold, of x,y,z,roll,pitch,yaw; of the others it says by how much they are off",
     CP_OPTION_STRING, offsetof(struct asked, solve), .value = "x,y,z,..."},
    {"tries", "from how many places to search, where there is no closed form", CP_OPTION_INTEGER,
     offsetof(struct asked, tries), "100", .minimum = 1, .maximum = 1000000},
    {"routine", "solve by this function (contrib/routines/README.md), in a process of its own", CP_OPTION_STRING,
     offsetof(struct asked, routine), .value = "LIB.so:NAME"},
    {"lengths", "link_lengths of the routine", CP_OPTION_STRING, offsetof(struct asked, lengths), .value = "A,B,..."},
    {"offsets", "link_offsets of the routine", CP_OPTION_STRING, offsetof(struct asked, offsets), .value = "A,B,..."},
    {"seconds", "the longest time of the routine", CP_OPTION_TIME, offsetof(struct asked, seconds), "10",
     .minimum = 0.01, .maximum = 86400, .value = "S"},
    JSON_FLAG(struct asked),
    {0}};

const struct command ik_command = {
    .name = "ik",
    .title = "say which joint values bring a frame to a pose",
    .usage = "CELL pose=X,Y,Z,R,P,Y|FRAME [Q...] [JOINT=VALUE]... [frame=NAME] [in=NAME] [--json]",
    .help =
        "Lists all postures in which the frame is there, with the rotation Rz(R) Ry(P) Rx(Y): their numbers, values "
        "of the device's driven joints, limits that they break, and how far they are from where the joints are. "
        "Q... and JOINT=VALUE say where that is. All other driven joints stay; loops close. Ends with 1 if no posture "
        "is there, or none within the limits. JSON has metres and radians.",
    .examples = "cellpipe ik samples/demo.wu device=Arm pose=0.55,0.32,0.73,-60deg,0,-170deg\n"
                "cellpipe ik samples/mechanisms/hexapod.dcw pose=0,0,450mm,0,0,5deg",
    .options = options,
    .reads = true,
    .any_settings = true,
    .run = command_ik};

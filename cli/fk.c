/* fk: where a frame is when joints have values. */
#include "cli.h"
#include "json.h"
#include "parts.h"
#include "posing.h"

#include <math.h>

struct asked {
    struct request request;
    struct posing posing;
    const char *frame, *in;
    bool json;
};

/* A frame in another one. Angles in radians. */
struct answer {
    double position[3], rpy[3], quaternion[4], axis[3], angle; /* quaternion: w x y z, w >= 0 */
    cp_pose pose;
};

/* ---- the pose in all its forms ---- */

/* R = Rz(roll) Ry(pitch) Rx(yaw), as in tag files. At pitch +-90 degrees roll and yaw turn about the same axis: yaw is
 * 0 then. */
static void find_angles(const double m[12], double rpy[3])
{
    double level = hypot(m[0], m[4]);
    rpy[1] = atan2(-m[8], level);
    rpy[0] = level > 1e-12 ? atan2(m[4], m[0]) : atan2(-m[1], m[5]);
    rpy[2] = level > 1e-12 ? atan2(m[9], m[10]) : 0;
}

/* From the largest of the four components, so that nothing is divided by little (Shepperd, 1978). */
static void find_quaternion(const double m[12], double q[4])
{
    const double trace = m[0] + m[5] + m[10];
    const double squares[4] = {1 + trace, 1 + 2 * m[0] - trace, 1 + 2 * m[5] - trace, 1 + 2 * m[10] - trace};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = squares[i] > squares[largest] ? i : largest;
    const double x = m[9] - m[6], y = m[2] - m[8], z = m[4] - m[1];
    const double xy = m[1] + m[4], xz = m[2] + m[8], yz = m[6] + m[9];
    const double rows[4][4] = {
        {squares[0], x, y, z}, {x, squares[1], xy, xz}, {y, xy, squares[2], yz}, {z, xz, yz, squares[3]}};
    double scale = 2 * sqrt(squares[largest]) * (rows[largest][0] < 0 ? -1 : 1);
    for (int i = 0; i < 4; i++)
        q[i] = rows[largest][i] / scale;
}

static void find_axis(const double q[4], double axis[3], double *angle)
{
    double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    *angle = 2 * atan2(sine, q[0]);
    for (int i = 0; i < 3; i++)
        axis[i] = sine > 0 ? q[i + 1] / sine : i == 2;
}

/* The frame's pose as it is seen from another one, of which scales and mirroring count. */
static void relate(const cp_pose *from, const cp_pose *frame, cp_pose *pose)
{
    const double *m = from->m;
    double inverse[3][3], determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[i][k] = m[4 * a + c] * m[4 * b + d] - m[4 * a + d] * m[4 * b + c];
        }
    for (int i = 0; i < 3; i++)
        determinant += m[4 * i] * inverse[0][i];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = 0;
            for (int i = 0; i < 3; i++)
                sum += inverse[row][i] * (frame->m[4 * i + column] - (column == 3 ? m[4 * i + 3] : 0));
            pose->m[4 * row + column] = sum / determinant;
        }
}

/* ---- the answer ---- */

static double degrees(double radians)
{
    return radians * 180 / acos(-1);
}

/* Metres, degrees and parts of 1 below this are roundings. */
static const double noise = 1e-12;

static void print_row(const char *name, const double *values, size_t count, const char *unit)
{
    printf("%-11s", name);
    for (size_t i = 0; i < count; i++)
        printf(" %s", long_number(fabs(values[i]) < noise ? 0 : values[i]).text);
    printf("%s%s\n", *unit ? " " : "", unit);
}

static void print_text(const struct answer *answer)
{
    const double angles[3] = {degrees(answer->rpy[0]), degrees(answer->rpy[1]), degrees(answer->rpy[2])};
    const double turn = degrees(answer->angle);
    print_row("position", answer->position, 3, "m");
    print_row("R P Y", angles, 3, "deg");
    print_row("quaternion", answer->quaternion, 4, "(w x y z)");
    print_row("axis", answer->axis, 3, "");
    print_row("angle", &turn, 1, "deg");
    for (int row = 0; row < 3; row++)
        print_row(row == 0 ? "matrix" : "", answer->pose.m + 4 * row, 4, "");
}

static void print_json(FILE *file, const struct answer *answer)
{
    struct json json = {.file = file};
    print_json_begin(&json, NULL, '{');
    print_json_numbers(&json, "position", answer->position, 3);
    print_json_numbers(&json, "rpy", answer->rpy, 3);
    print_json_numbers(&json, "quaternion", answer->quaternion, 4);
    print_json_numbers(&json, "axis", answer->axis, 3);
    print_json_number(&json, "angle", answer->angle);
    print_json_begin(&json, "matrix", '[');
    for (int row = 0; row < 3; row++)
        print_json_numbers(&json, NULL, answer->pose.m + 4 * row, 4);
    print_json_numbers(&json, NULL, (const double[]){0, 0, 0, 1}, 4);
    print_json_end(&json, ']');
    print_json_end(&json, '}');
    fputs("\n", file);
}

/* ---- the command ---- */

/* What frame= says, or else the end of the device. */
static cp_status choose_frame(struct cli *cli, const cp_scene *scene, const struct asked *asked, uint32_t *frame)
{
    uint32_t device, count;
    if (asked->frame)
        return find_frame(cli, scene, asked->frame, frame);
    cp_status status = choose_device(cli, scene, asked->posing.device, "which frame? Give frame=NAME, or", &device);
    if (status != CP_OK)
        return status;
    const cp_device *it = &cp_devices(scene, &count)[device];
    *frame = it->end_count > 0 ? it->ends[0] : it->base;
    if (it->end_count > 1)
        return complain(cli, CP_USAGE, "device \"%s\" has %u ends: give frame=NAME, such as frame=\"%s\"", it->name,
                        (unsigned)it->end_count, cp_nodes(scene, &count)[it->ends[0]].name);
    return CP_OK;
}

static cp_status command_fk(struct cli *cli)
{
    struct asked asked = {0};
    cp_scene *scene = NULL;
    uint32_t frame = 0, in = 0;
    const cp_pose *worlds = NULL;
    cp_status status = sort_words(cli, 1, cli->words.count, &fk_command, &asked);
    if (status == CP_OK)
        status = take_posing(cli, &asked.request, &asked.posing, &fk_command);
    if (status == CP_OK)
        status = read_input(cli, asked.request.words.items[0], &asked.request, &scene);
    if (status != CP_OK)
        return status;
    status = pose_cell(cli, scene, &asked.posing, &fk_command);
    if (status == CP_OK)
        status = choose_frame(cli, scene, &asked, &frame);
    if (status == CP_OK && asked.in)
        status = find_frame(cli, scene, asked.in, &in);
    if (status == CP_OK && !(worlds = world_poses(cli, scene)))
        status = CP_LIMIT;
    clear_progress(cli);
    if (status == CP_OK) {
        struct answer answer;
        relate(&worlds[in], &worlds[frame], &answer.pose);
        for (int i = 0; i < 3; i++)
            answer.position[i] = answer.pose.m[4 * i + 3];
        find_angles(answer.pose.m, answer.rpy);
        find_quaternion(answer.pose.m, answer.quaternion);
        find_axis(answer.quaternion, answer.axis, &answer.angle);
        if (asked.json)
            print_json(cli->answers, &answer);
        else
            print_text(&answer);
    }
    cp_scene_free(scene);
    return status;
}

static const struct option options[] = {POSING_OPTIONS(struct asked),
                                        {"frame", "NAME", OPTION_TEXT, offsetof(struct asked, frame),
                                         .help = "the frame; the end of the device unless said"},
                                        {"in", "NAME", OPTION_TEXT, offsetof(struct asked, in),
                                         .help = "as it is seen from this frame; from the world unless said"},
                                        JSON_FLAG(struct asked),
                                        {0}};

const struct command fk_command = {
    .name = "fk",
    .title = "say where a frame is",
    .usage = "CELL [Q...] [JOINT=VALUE]... [frame=NAME] [in=NAME] [--json]",
    .help = "Sets joints and prints the pose of a frame: position, R P Y with the rotation Rz(R) Ry(P) Rx(Y), "
            "quaternion, axis and angle, matrix. Q... are the driven joints of the device; free joints take the values "
            "at which loops close. Ends with 1 if they do not. JSON has metres and radians.",
    .examples = "cellpipe fk samples/demo.wu device=Arm 30deg 20deg 0 0 60deg 0\n"
                "cellpipe fk samples/mechanisms/hexapod.dcw J1=5mm frame=platform in=base --json",
    .options = options,
    .reads = true,
    .any_settings = true,
    .run = command_fk};

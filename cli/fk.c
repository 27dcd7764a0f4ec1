/* fk: finds the pose of a frame at given values of joints. */
#include "cli.h"
#include "parts.h"
#include "posing.h"

#include <math.h>

struct asked {
    struct request request;
    struct posing posing;
    const char *frame, *in;
    bool json;
};

/* The pose of a frame in another one. Angles in radians. */
struct answer {
    double coordinates[6], quaternion[4], axis[3], angle; /* X Y Z R P Y; w x y z, w >= 0 */
    cp_pose pose;
    double singularity; /* infinite: no loops */
};

/* ---- the pose in all its forms ---- */

/* Finds the quaternion by the largest of its four components, so that no divisor is small (Shepperd, 1978). */
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

/* ---- the answer ---- */

static double degrees(double radians)
{
    return radians * 180 / acos(-1);
}

/* Metres, degrees and parts of 1 below this come from rounding. */
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
    const double *rpy = answer->coordinates + 3;
    const double angles[3] = {degrees(rpy[0]), degrees(rpy[1]), degrees(rpy[2])};
    const double turn = degrees(answer->angle);
    print_row("position", answer->coordinates, 3, "m");
    print_row("R P Y", angles, 3, "deg");
    print_row("quaternion", answer->quaternion, 4, "(w x y z)");
    print_row("axis", answer->axis, 3, "");
    print_row("angle", &turn, 1, "deg");
    for (int row = 0; row < 3; row++)
        print_row(row == 0 ? "matrix" : "", answer->pose.m + 4 * row, 4, "");
    if (isfinite(answer->singularity))
        printf("%-11s %s (smallest singular value of the loops)\n", "singularity",
               short_number(answer->singularity).text);
}

static void print_json(FILE *file, const struct answer *answer)
{
    cp_json json = json_in_file(file);
    cp_json_open(&json, NULL, '{');
    cp_json_numbers(&json, "position", answer->coordinates, 3);
    cp_json_numbers(&json, "rpy", answer->coordinates + 3, 3);
    cp_json_numbers(&json, "quaternion", answer->quaternion, 4);
    cp_json_numbers(&json, "axis", answer->axis, 3);
    cp_json_number(&json, "angle", answer->angle);
    cp_json_open(&json, "matrix", '[');
    for (int row = 0; row < 3; row++)
        cp_json_numbers(&json, NULL, answer->pose.m + 4 * row, 4);
    cp_json_numbers(&json, NULL, (const double[]){0, 0, 0, 1}, 4);
    cp_json_close(&json, ']');
    cp_json_number(&json, "singularity", answer->singularity);
    cp_json_close(&json, '}');
    fputs("\n", file);
}

/* ---- the command ---- */

static cp_status command_fk(struct cli *cli)
{
    struct asked asked = {0};
    cp_scene *scene = NULL;
    uint32_t frame = 0, in = 0;
    const cp_pose *worlds = NULL;
    cp_singularity singularity = {.size = sizeof singularity};
    cp_status status = sort_words(cli, 1, cli->words.count, &fk_command, &asked);
    if (status == CP_OK)
        status = take_posing(cli, &asked.request, &asked.posing, &fk_command);
    if (status == CP_OK)
        status = read_input(cli, asked.request.words.items[0], &asked.request, &scene);
    if (status != CP_OK)
        return status;
    status = pose_cell(cli, scene, &asked.posing, &fk_command);
    if (status == CP_OK)
        status = choose_end(cli, scene, asked.frame, asked.posing.device, &frame);
    if (status == CP_OK && asked.in)
        status = find_frame(cli, scene, asked.in, &in);
    if (status == CP_OK && !(worlds = world_poses(cli, scene)))
        status = CP_LIMIT;
    if (status == CP_OK)
        status = cp_measure_singularity(cli->context, scene, CP_NONE, 0, &singularity);
    clear_progress(cli);
    if (status == CP_OK) {
        struct answer answer = {.singularity = singularity.distance};
        relate(&worlds[in], &worlds[frame], &answer.pose);
        cp_pose_coordinates(&answer.pose, answer.coordinates);
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

static const cp_option options[] = {
    POSING_OPTIONS(struct asked),
    {"frame", "the frame; the end of the device unless said", CP_OPTION_FRAME, .offset = offsetof(struct asked, frame)},
    {"in", "as it is seen from this frame; from the world unless said", CP_OPTION_FRAME,
     .offset = offsetof(struct asked, in)},
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

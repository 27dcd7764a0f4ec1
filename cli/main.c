/* cellpipe, the program: the table of commands, and what frames each run. */
#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct command commands[] = {
    {"convert",
     "cellpipe convert IN OUT [! FILTER K=V...]...\ncellpipe convert IN... --out-dir DIR [! FILTER K=V...]...",
     "read a file, write it in another format; or many files",
     "The formats are told by the input's bytes and the output's suffix; --from and --to say them.\n"
     "\"-\" is standard input or output. With --out-dir each input becomes DIR/NAME with the suffix of\n"
     "--to (glb); one that fails does not keep the others from being converted.\n\n"
     "  --from FORMAT, --to FORMAT, --in K=V, --out K=V (see: cellpipe help FORMAT)\n\n"
     "  cellpipe convert cell.wu cell.glb\n"
     "  cellpipe convert part.stl part.wrl --in unit=mm ! weld ! normals\n"
     "  cellpipe convert parts/*.stl --out-dir web --to glb",
     command_convert},
    {"run", "cellpipe run read IN [K=V...] ! [read IN2 !] FILTER [K=V...] ! ... ! write OUT [K=V...]",
     "carry out a chain of steps",
     "A further read adds its scene below a node named after its file. K=V after IN are options of the\n"
     "importer (stl.K=V: of every use of stl), after OUT of the exporter.\n\n"
     "  cellpipe run read cell.wu ! read table.stl unit=mm ! pose device=Arm q=0,1,0,0,0,0 ! write cell.wrl up=z",
     command_run},
    {"info", "cellpipe info IN [--json|--dump] [--explain] [--from FORMAT] [--in K=V]...", "tell what a file holds",
     "A summary for people, of a cell or of a part; --json is one object for scripts (docs/cli.md describes\n"
     "it), --dump is everything as canonical text. --explain tells, among the messages, how a file whose format\n"
     "nobody has described (legacy Deneb parts) was understood: the readings tried, and why each failed.",
     command_info},
    {"check",
     "cellpipe check [closed|manifold|oriented|clean|solid|scene]... IN [list=LIST] [--from FORMAT] [--in K=V]...",
     "tell whether a file is sound",
     "Ends with 1 when the reader finds errors or the scene is inconsistent, and lists what the words ask of\n"
     "the meshes:\n\n"
     "  closed     no borders, no edges of three faces, no neighbours wound against each other\n"
     "  manifold   no edges of three faces, no places where the surface touches itself\n"
     "  oriented   no flipped faces, nothing inside out\n"
     "  clean      no faces without area, none twice, no shells without volume\n"
     "  solid      all of these; so it is without words for a part\n"
     "  scene      none of these; so it is without words for a cell: a tag workcell, or what has joints,\n"
     "             devices, exclusions, clips, or frames that may move\n\n"
     "list=LIST asks whether a list of collision exclusions, written as collision-setup with evidence=yes, still\n"
     "fits the cell (docs/exclusion.md).",
     command_check},
    {"diff",
     "cellpipe diff A B [tol=1e-9] [--from FORMAT] [--in K=V]...\ncellpipe diff OLD.xml NEW.xml cell=CELL [K=V]...",
     "compare two files",
     "Compares frames, their poses at home and at 20 joint vectors, joints, geometry and exclusions,\n"
     "all by name. Lists the differences on standard output and ends with 1 when there are any. tol is in\n"
     "metres and radians.\n\n"
     "With cell= two lists of exclusions of that cell are compared, and a configuration is told in which frames\n"
     "collide that one of them excludes. K=V are options of exclude.",
     command_diff},
    {"collide",
     "cellpipe collide CELL [Q...] [JOINT=VALUE...] [device=NAME] [clip=NAME] [K=V]... [--clearance LENGTH] [--json]",
     "tell what is in collision",
     "Checks all pairs of frames with collision geometry that the cell does not exclude, at the joint values given,\n"
     "without any along the cell's clip, and without a clip as the cell stands. Lists those in collision on standard\n"
     "output and ends with 1 when there are any, or nothing to check.\n\n"
     "  Q...             values of the device's joints in order: radians, metres, or with a unit (30deg)\n"
     "  q=A,B,...        the same; deg=A,B,... in degrees\n"
     "  JOINT=VALUE      of one joint, by its name, or by its id as id:j1#2=VALUE\n"
     "  device=NAME      the device that Q..., q= and deg= are for, where several have joints\n"
     "  home=yes         all other joints at their homes\n"
     "  clip=NAME        the clip, where there are several; clip=#2 the second one, where several have a name\n"
     "  step=0.05        seconds from one moment of the clip to the next, at most (0: where it has keys)\n"
     "  all=yes          excluded pairs, too\n"
     "  touch=1e-6m      what comes as near as this collides\n"
     "  --clearance 5mm  list pairs that are nearer than this, too, with their distance; they end with 1 as well\n\n"
     "  cellpipe collide cell.wu --clearance 5mm || echo \"not free\"\n"
     "  cellpipe collide samples/deneb/welding/weld.dcr || echo \"not free\"",
     command_collide},
    {"igrip2vrml",
     "cellpipe igrip2vrml -d DEVICE OUT\ncellpipe igrip2vrml -w WORKCELL OUT\n"
     "cellpipe igrip2vrml -p WORKCELL OUT RECORDING CYCLE",
     "translate as NIST's igrip2vrml did",
     "A device, a workcell, or a workcell with a recording that a click on a device's base plays in CYCLE\n"
     "seconds, as VRML97: the world in OUT, each part in a file of its own in d_DEVICE/ beside it, joined by\n"
     "Inline. It is short for convert with --out layout=parts, --in recording=RECORDING and --out cycle=CYCLE, and\n"
     "takes --in K=V and --out K=V too. What is read is our own dialect of such files: docs/deneb.md.\n\n"
     "  cellpipe igrip2vrml -d samples/deneb/welding/robot_left.dcd robot.wrl\n"
     "  cellpipe igrip2vrml -p samples/deneb/welding/welding.dcw weld.wrl weld.dcr 10",
     command_igrip2vrml},
    {"formats", "cellpipe formats [--markdown]", "list the formats",
     "A format that this build lacks is listed with the package it needs.", command_formats},
    {"filters", "cellpipe filters", "list the filters", "The options of one: cellpipe help FILTER.", command_filters},
    {"help", "cellpipe help [COMMAND|FORMAT|FILTER|limits]", "explain a command, format or filter",
     "Without a word: the overview.", command_help},
    {0}};

static const struct command *command_named(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static cp_status run_command(struct cli *cli)
{
    struct stat facts;
    const char *name = cli->words.items[0];
    const struct command *command = command_named(name);
    if (command)
        return command->run(cli);
    if (plugin_named(CP_FILTER, name) != SIZE_MAX)
        return command_filter(cli);
    if (*name == '-' && name[1])
        return complain(cli, CP_USAGE, "%s comes after the command", name);
    if (stat(name, &facts) == 0 && S_ISREG(facts.st_mode))
        return complain(cli, CP_USAGE, "\"%s\" is a file, not a command; did you mean: cellpipe convert %s OUT?", name,
                        name);
    return complain_unknown(cli, "command", name, known_commands(cli));
}

static cp_status run(struct cli *cli, int argc, char **argv)
{
    cp_status status = take_global_flags(cli, argc, argv);
    if (status == CP_OK)
        status = check_report_path(cli);
    if (status != CP_OK)
        return status;
    if (cli->version) {
        printf("cellpipe " CP_VERSION "\n");
        return CP_OK;
    }
    if (cli->help)
        return print_help(cli, cli->words.count ? cli->words.items[0] : NULL);
    if (cli->words.count == 0) {
        print_overview(stderr);
        return CP_USAGE;
    }
    start_progress(cli);
    return run_command(cli);
}

/* Where standard input, output or error is closed, the next file to be opened would take its number, and with it what
 * is meant for the other. Something takes its place that can be used as little. */
static void keep_standard_numbers(void)
{
    for (int file = 0; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Unless --threads says otherwise. */
static void use_all_processors(struct cli *cli)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    cli->threads = count < 1 ? 1 : count < CP_MOST_THREADS ? (uint32_t)count : CP_MOST_THREADS;
    (void)cp_set_threads(cli->context, cli->threads);
}

int main(int argc, char **argv)
{
    struct cli cli = {.messages = stderr};
    keep_standard_numbers();
    catch_signals();
    cli.context = cp_context_new(NULL);
    if (!cli.context)
        return (int)complain(&cli, CP_LIMIT, "out of memory");
    cp_set_cancel(cli.context, must_stop, NULL);
    use_all_processors(&cli);
    cp_set_flag(cli.context, CP_FLAG_WRITE_ONCE, true);
    cp_status status = run(&cli, argc, argv);
    clear_progress(&cli);
    end_if_interrupted();
    status = check_bytes(&cli, status);
    flush_report(&cli, status);
    cp_status printed = finish_stdout(&cli);
    bool answered = status == CP_OK || status == CP_NO; /* an answer that is not told is none */
    status = write_report(&cli, answered && printed != CP_OK ? printed : status);
    end_if_interrupted();
    cp_context_free(cli.context);
    cli_free(&cli);
    return (int)status;
}

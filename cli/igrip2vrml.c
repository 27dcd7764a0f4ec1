/* igrip2vrml: the command line of NIST's translator of 1997 (NISTIR 6076), as conversions to VRML97 in its layout. */
#include "plan.h"

/* One of its three forms. */
struct form {
    struct request request;
    bool device, workcell, recording;
};

static cp_status command_igrip2vrml(struct cli *cli)
{
    struct form form = {0};
    struct request *request = &form.request;
    cp_status status = sort_words(cli, 1, cli->words.count, &igrip2vrml_command, &form);
    if (status != CP_OK)
        return status;
    if (form.device + form.workcell + form.recording != 1)
        return complain(cli, CP_USAGE, "igrip2vrml takes -d, -w or -p first, not \"%s\"",
                        cli->words.count > 1 ? cli->words.items[1] : "");
    if (request->words.count != (form.recording ? 4 : 2))
        return complain(cli, CP_USAGE, "the form is: cellpipe igrip2vrml %s",
                        form.device     ? "-d DEVICE OUT"
                        : form.workcell ? "-w WORKCELL OUT"
                                        : "-p WORKCELL OUT RECORDING CYCLE");
    const char *const *words = request->words.items;
    bool good = list_add(cli, &request->out, "layout=parts");
    if (form.recording) {
        const char *cycle = cli_print(cli, "cycle=%s", words[3]);
        const char *recording = cli_print(cli, "recording=%s", words[2]);
        good =
            good && cycle && recording && list_add(cli, &request->out, cycle) && list_add(cli, &request->in, recording);
    }
    if (!good)
        return CP_LIMIT;
    request->to = request->to ? request->to : "vrml97";
    struct plan plan;
    status = plan_conversion(cli, request, cli->words.count, words[0], NULL, words[1], &plan);
    if (status == CP_OK)
        status = share_error(cli, &plan);
    return status == CP_OK ? run_plan(cli, &plan) : status;
}

static const cp_option options[] = {
    {"-d", "a device", CP_OPTION_BOOLEAN, .offset = offsetof(struct form, device)},
    {"-w", "a workcell", CP_OPTION_BOOLEAN, .offset = offsetof(struct form, workcell)},
    {"-p", "a workcell with a recording: a click on the base of a device plays it, in CYCLE seconds", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct form, recording)},
    {0}};

const struct command igrip2vrml_command = {
    .name = "igrip2vrml",
    .title = "translate as NIST's igrip2vrml did",
    .usage = "-d DEVICE OUT\n-w WORKCELL OUT\n-p WORKCELL OUT RECORDING CYCLE",
    .help = "Writes VRML97: the world in OUT, each part in a file of its own in d_DEVICE/ beside it, joined by "
            "Inline. It is short for convert with --out layout=parts, and for -p with --in recording=RECORDING and "
            "--out cycle=CYCLE. What is read is our own dialect of such files: docs/deneb.md describes it.",
    .examples = "cellpipe igrip2vrml -d samples/deneb/welding/robot_left.dcd robot.wrl\n"
                "cellpipe igrip2vrml -p samples/deneb/welding/welding.dcw weld.wrl weld.dcr 10",
    .options = options,
    .reads = true,
    .writes = true,
    .run = command_igrip2vrml};

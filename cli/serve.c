/* serve: shows a cell live in browsers, moved by a controller, and lets people move it who may. */
#include "cli.h"

#include "../live/live.h"

struct wanted {
    struct request request;
    struct live_request live;
};

static void tell(void *user, const char *line)
{
    struct cli *cli = user;
    say(cli, "%s", line);
    (void)putchar('\n');
    (void)fflush(stdout);
}

static void report(void *user)
{
    flush_report(user, CP_OK);
}

static bool is_over(void *user)
{
    (void)user;
    return was_interrupted();
}

static cp_status command_serve(struct cli *cli)
{
    struct wanted wanted = {0};
    const struct live_room *room = NULL;
    cp_status status = sort_words(cli, 1, cli->words.count, &serve_command, &wanted);
    if (status == CP_OK && wanted.request.words.count != 1)
        status = complain(cli, CP_USAGE, "serve needs a cell: cellpipe serve CELL");
    if (status == CP_OK)
        status = load_live(cli, &room);
    if (status != CP_OK)
        return status;
    struct live_request *live = &wanted.live;
    live->cell = wanted.request.words.items[0];
    live->format = wanted.request.from;
    live->options = wanted.request.in;
    live->tell = tell;
    live->report = report;
    live->is_over = is_over;
    live->user = cli;
    return room->serve(cli->context, live);
}

static const cp_option options[] = {
    {"--listen", "where browsers find it: HOST:PORT of this machine, or a socket, unix:PATH", CP_OPTION_STRING,
     offsetof(struct wanted, live.listen), "127.0.0.1:8080", .value = "WHERE"},
    {"--users", "the people who may log in, as cellpipe users makes it; without it all may look, and nobody moves it",
     CP_OPTION_PATH, .offset = offsetof(struct wanted, live.users)},
    {"--controller",
     "what moves the cell: simulated, recording, recording:CLIP, stdin, jsonl:HOST:PORT, rtde:HOST or simple:HOST",
     CP_OPTION_STRING, offsetof(struct wanted, live.controller), "simulated", .value = "WHAT"},
    {"--map", "which joints of the controller are which of the cell", CP_OPTION_PATH,
     .offset = offsetof(struct wanted, live.map)},
    {"--record", "write what the controller says to a new file of JSON lines", CP_OPTION_PATH,
     .offset = offsetof(struct wanted, live.record)},
    {"--allow-motion", "a controller of JSON lines gets commands, too", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct wanted, live.allow_motion)},
    {"--public-view", "people who have not logged in may look", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct wanted, live.public_view)},
    {"--behind-proxy", "a proxy is in front, and browsers see this origin", CP_OPTION_STRING,
     offsetof(struct wanted, live.behind_proxy), .value = "ORIGIN"},
    {"device", "what programs move, if several devices have joints", CP_OPTION_DEVICE,
     .offset = offsetof(struct wanted, live.device)},
    {"frame", "the tool, in place of the device's end", CP_OPTION_FRAME, .offset = offsetof(struct wanted, live.frame)},
    {0}};

const struct command serve_command = {
    .name = "serve",
    .title = "show a cell live in browsers, and let people move it",
    .usage = "CELL [--users FILE] [--listen WHERE] [--controller WHAT] [K=V]...",
    .help =
        "Shows the cell in any browser, moved by a simulated controller that runs robot programs. Who has logged in "
        "may "
        "look; operators run and stop programs, teachers also write them and jog. STOP NOW is no safety function: it "
        "does not replace the emergency stop of a machine. docs/live.md says more.",
    .examples = "cellpipe serve samples/demo.wu\n"
                "cellpipe serve samples/demo.wu --users people --listen 127.0.0.1:9000",
    .options = options,
    .reads = true,
    .run = command_serve};

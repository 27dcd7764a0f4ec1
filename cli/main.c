/* The program cellpipe: the table of commands, and the frame of each run. */
#include "cli.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct command *const commands[] = {&convert_command,  &batch_command,
                                                 &run_command,      &filter_command,
                                                 &info_command,     &check_command,
                                                 &diff_command,     &collide_command,
                                                 &fk_command,       &ik_command,
                                                 &manifest_command, &merge_command,
                                                 &report_command,   &gallery_command,
                                                 &sheet_command,    &serve_command,
                                                 &users_command,    &igrip2vrml_command,
                                                 &formats_command,  &filters_command,
                                                 &help_command,     NULL};

/* Complains about "!weld", as no command has such a word. */
static cp_status check_bangs(struct cli *cli)
{
    for (size_t i = 1; i < cli->words.count && i < cli->plain; i++) {
        const char *word = cli->words.items[i];
        if (*word == '!' && plugin_named(CP_FILTER, word + 1) != SIZE_MAX)
            return complain(cli, CP_USAGE, "\"%s\": write a blank behind the !: ! %s", word, word + 1);
    }
    return CP_OK;
}

static cp_status run(struct cli *cli, int argc, char **argv)
{
    struct stat facts;
    struct list names = {0};
    cp_status status = take_global_flags(cli, argc, argv);
    if (status == CP_OK)
        status = check_report_path(cli);
    if (status != CP_OK)
        return status;
    const char *name = cli->words.count ? cli->words.items[0] : NULL;
    if (cli->version) {
        print_version();
        return CP_OK;
    }
    if (cli->help)
        return print_help(cli, name);
    if (!name) {
        print_overview(cli, stderr);
        return CP_USAGE;
    }
    status = check_bangs(cli);
    if (status != CP_OK)
        return status;
    start_progress(cli);
    const struct command *command = command_named(cli, name);
    if (command)
        return command->run(cli);
    if (strcmp(name, "version") == 0)
        return complain(cli, CP_USAGE, "unknown command \"version\"; did you mean --version?");
    if (*name == '-' && name[1])
        return complain(cli, CP_USAGE, "%s comes after the command", name);
    if (stat(name, &facts) == 0 && S_ISREG(facts.st_mode))
        return complain(cli, CP_USAGE, "\"%s\" is a file, not a command; did you mean: cellpipe convert %s OUT?", name,
                        name);
    bool good = add_commands(cli, &names) && list_add(cli, &names, NULL);
    return good ? complain_unknown(cli, "command", name, names.items) : CP_LIMIT;
}

/* Opens a closed standard input, output or error in a way that cannot be used either. Else the next opened file would
 * take its number, and get data that is meant for the other. */
static void keep_standard_numbers(void)
{
    for (int file = 0; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct cli cli = {.messages = stderr, .answers = stdout, .commands = commands};
    cli.threads = processors < 1 ? 1 : processors < CP_MOST_THREADS ? processors : CP_MOST_THREADS;
    keep_standard_numbers();
    catch_signals();
    cli.context = cp_context_new(NULL);
    if (!cli.context)
        return (int)complain(&cli, CP_LIMIT, "out of memory");
    cp_set_cancel(cli.context, must_stop, NULL);
    cp_set_end(cli.context, must_end_search, NULL);
    cp_set_flag(cli.context, CP_FLAG_WRITE_ONCE, true);
    cp_status status = run(&cli, argc, argv);
    clear_progress(&cli);
    end_if_interrupted();
    if (were_bytes_missing())
        status = complain(&cli, CP_INPUT, "an input file was cut short by somebody else while it was read");
    flush_report(&cli, status);
    if (status == CP_LIMIT && !cli.told_error) /* memory ran out even for the message */
        (void)complain(&cli, CP_LIMIT, "out of memory");
    cp_status printed = finish_stdout(&cli);
    bool answered = status == CP_OK || status == CP_NO; /* an answer counts only if it was printed */
    status = write_report(&cli, answered && printed != CP_OK ? printed : status);
    end_if_interrupted();
    cp_context_free(cli.context);
    cli_free(&cli);
    return (int)status;
}

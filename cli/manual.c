/* Prints the manual page, docs/cellpipe.1: the descriptions of all commands as roff. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

const struct exit_code exit_codes[] = {{0, "done"},
                                       {1, "the answer is no, or some inputs of several failed"},
                                       {2, "the request makes no sense"},
                                       {3, "an input is unreadable, invalid or unsupported"},
                                       {4, "an output cannot be written"},
                                       {5, "something would be lost, and --strict was given"},
                                       {6, "a limit was reached, or memory ran out"},
                                       {70, "a bug of cellpipe"},
                                       {0, NULL}};

static void put_character(char character)
{
    if (character == '-' || character == '\\')
        putchar('\\');
    putchar(character == '\\' ? 'e' : character);
}

/* Prints a text of which each line is a paragraph. */
static void put_text(const char *text)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        begins = *text == '\n';
        if (begins)
            fputs("\n.PP", stdout);
        put_character(*text);
    }
    putchar('\n');
}

/* Prints literal words in bold, and placeholders such as NAME in italics. */
static void put_syntax(const char *text)
{
    while (*text) {
        const char *set = isupper((unsigned char)*text) ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=_"
                                                        : "abcdefghijklmnopqrstuvwxyz0123456789-!=";
        size_t size = strspn(text, set);
        const char *end = text + (size ? size : 1);
        fputs(size == 0 ? "" : isupper((unsigned char)*text) ? "\\fI" : "\\fB", stdout);
        while (text < end)
            put_character(*text++);
        fputs(size == 0 ? "" : "\\fR", stdout);
    }
}

static void put_usage(const struct command *command)
{
    const char *text = command->usage;
    printf(".nf\n");
    do {
        char line[256];
        int size = (int)strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "cellpipe %s%s%.*s", command->name, size ? " " : "", size, text);
        put_syntax(line);
        putchar('\n');
        text += size + (text[size] == '\n');
    } while (*text);
    printf(".fi\n");
}

static void put_options(const struct command *command)
{
    const cp_option *option;
    for (size_t i = 0; (option = option_at(command, i)); i++) {
        printf(".TP\n");
        put_syntax(option_label(option).text);
        putchar('\n');
        put_text(option->help);
        if (option->initial)
            printf("(default: %s)\n", option->initial);
    }
}

void print_manual(const struct cli *cli)
{
    printf(".TH CELLPIPE 1 \"\" \"cellpipe " CP_VERSION "\" \"User commands\"\n"
           ".SH NAME\ncellpipe \\- convert robot cells and CAD parts, with their kinematics\n.SH SYNOPSIS\n");
    for (const struct command *const *command = cli->commands; *command; command++)
        put_usage(*command);
    printf(".SH DESCRIPTION\n");
    put_text("cellpipe reads robot cells and CAD parts. It holds each as one scene: frames, meshes, joints, devices, "
             "collision exclusions, clips. It writes glTF, VRML97, STL, RobWork collision setups and a canonical "
             "text. `cellpipe formats` lists all formats, `cellpipe filters` all filters.\n"
             "Standard output carries the result alone. Messages go to standard error.");
    printf(".SH COMMANDS\n");
    for (const struct command *const *command = cli->commands; *command; command++) {
        printf(".SS %s\n", (*command)->name);
        put_usage(*command);
        printf(".PP\n");
        put_text((*command)->help);
        put_options(&(struct command){.options = (*command)->options});
    }
    printf(".SH OPTIONS\nThese hold for every command and may stand anywhere. \\-\\- ends them.\n");
    put_options(&any_command);
    printf(".PP\nThese hold for commands that read:\n");
    put_options(&(struct command){.reads = true});
    printf(".PP\nThese hold for commands that write:\n");
    put_options(&(struct command){.writes = true});
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; exit_codes[i].meaning; i++) {
        printf(".TP\n.B %d\n", exit_codes[i].code);
        put_text(exit_codes[i].meaning);
    }
    printf(".PP\nA signal ends the program silently and leaves no temporary files. So does a closed pipe.\n"
           ".SH EXAMPLES\n.nf\n");
    for (const struct command *const *command = cli->commands; *command; command++) {
        for (const char *at = (*command)->examples; at && *at; at++)
            put_character(*at);
        fputs((*command)->examples ? "\n" : "", stdout);
    }
    printf(".fi\n.SH SEE ALSO\nThe manual, docs/cli.md; the format between stages, docs/stage\\-format.md.\n");
}

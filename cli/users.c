/* users: who may log in at a live cell. live/ does the work. */
#include "cli.h"

#include <string.h>

#include "../live/users.h"

enum { WORD_FILE, WORD_ACTION, WORD_NAME, WORD_ROLE, MOST_WORDS };

/* Refuses words that an action does not take. A further one may be a password: no message shows it. */
static cp_status check_words(struct cli *cli, const struct list *words)
{
    const char *action = words->count > WORD_ACTION ? words->items[WORD_ACTION] : "";
    bool is_add = strcmp(action, "add") == 0, asks = is_add || strcmp(action, "passwd") == 0;
    bool has_role = is_add || strcmp(action, "role") == 0;
    size_t most = strcmp(action, "list") == 0 ? WORD_NAME : has_role ? MOST_WORDS : WORD_ROLE;
    if (words->count <= WORD_ACTION)
        return complain(cli, CP_USAGE, "users needs a file and an action: list, add, passwd, role or remove");
    if (words->count <= most)
        return CP_OK;
    if (asks)
        return complain(cli, CP_USAGE,
                        "%s has a word too many; a password is never one, since all users of a system see the words of "
                        "commands: it is asked for, or is the first line of standard input",
                        action);
    return complain(cli, CP_USAGE, "%s has a word too many: \"%s\"", action, words->items[most]);
}

static cp_status command_users(struct cli *cli)
{
    struct request asked = {0};
    const struct live_room *room = NULL;
    const struct list *words = &asked.words;
    cp_status status = sort_words(cli, 1, cli->words.count, &users_command, &asked);
    if (status == CP_OK)
        status = check_words(cli, words);
    if (status == CP_OK)
        status = load_live(cli, &room);
    if (status != CP_OK)
        return status;
    const struct users_request request = {.file = words->items[WORD_FILE],
                                          .action = words->items[WORD_ACTION],
                                          .name = words->count > WORD_NAME ? words->items[WORD_NAME] : NULL,
                                          .role = words->count > WORD_ROLE ? words->items[WORD_ROLE] : NULL};
    clear_progress(cli);
    status = room->change_users(cli->context, &request);
    flush_report(cli, status);
    return status;
}

const struct command users_command = {
    .name = "users",
    .title = "list and change who may log in at live cells",
    .usage = "FILE list\nFILE add NAME ROLE\nFILE passwd NAME\nFILE role NAME ROLE\nFILE remove NAME",
    .help = "FILE holds the users of live cells: names, roles, and hashes of passwords (yescrypt). It must belong to "
            "you, and nobody else may read or write it; add makes it so. ROLE is viewer (looks, and may stop all), "
            "operator (also runs programs) or teacher (also moves joints and changes programs).\n"
            "add and passwd ask for the password on the terminal, twice and without echo. If standard input is no "
            "terminal, its first line is the password. It has at least 8 characters, and is never a word of the "
            "command.\n"
            "role gives a user another role; the password stays.\n"
            "list prints a line for each user: the role, then the name.",
    .examples = "cellpipe users users.txt add tina teacher <password.txt\n"
                "cellpipe users users.txt list\n"
                "cellpipe users users.txt passwd tina <password.txt\n"
                "cellpipe users users.txt role tina operator\n"
                "cellpipe users users.txt remove tina",
    .run = command_users};

/* Answers in JSON. */
#include "cli.h"

static void put_in_file(void *user, const char *bytes, size_t size)
{
    (void)fwrite(bytes, 1, size, user);
}

cp_json json_in_file(FILE *file)
{
    return (cp_json){.put = put_in_file, .user = file, .lines = 2, .spaced = true};
}

bool json_answer_begin(struct cli *cli, struct json_answer *answer)
{
    *answer = (struct json_answer){0};
    if (!text_open(&answer->text)) {
        (void)complain(cli, CP_LIMIT, "out of memory");
        return false;
    }
    answer->json = json_in_file(answer->text.file);
    cp_json_open(&answer->json, NULL, '{');
    return true;
}

cp_status json_answer_end(struct cli *cli, struct json_answer *answer, cp_status status)
{
    cp_json_close(&answer->json, '}');
    fputs("\n", answer->text.file);
    bool whole = text_close(&answer->text);
    if (whole && (status == CP_OK || status == CP_NO))
        (void)fwrite(answer->text.bytes, 1, answer->text.size, cli->answers);
    text_free(&answer->text);
    return whole ? status : complain(cli, CP_LIMIT, "out of memory");
}

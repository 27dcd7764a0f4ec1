/* igrip2vrml: the command line of NIST's translator of 1997 (NISTIR 6076), as conversions to VRML97 in its layout. */
#include "plan.h"

#include <stdio.h>
#include <string.h>

static bool add_setting(struct cli *cli, struct list *list, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 1;
    char *text = cli_allocate(cli, size);
    if (!text)
        return false;
    (void)snprintf(text, size, "%s%s", key, value);
    return list_add(cli, list, text);
}

static cp_status check_form(struct cli *cli, const char *form, const struct request *request)
{
    static const struct {
        const char *form;
        size_t words;
        const char *usage;
    } forms[] = {
        {"-d", 2, "-d DEVICE OUT"}, {"-w", 2, "-w WORKCELL OUT"}, {"-p", 4, "-p WORKCELL OUT RECORDING CYCLE"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(form, forms[i].form) == 0)
            return request->words.count == forms[i].words
                       ? CP_OK
                       : complain(cli, CP_USAGE, "the form is: cellpipe igrip2vrml %s", forms[i].usage);
    return complain(cli, CP_USAGE, "igrip2vrml takes -d, -w or -p first, not \"%s\"", form);
}

cp_status command_igrip2vrml(struct cli *cli)
{
    struct request request;
    const char *form = cli->words.count > 1 ? cli->words.items[1] : "";
    cp_status status = sort_words(cli, 2, cli->words.count, FLAG_READING | FLAG_OUT, &request);
    if (status == CP_OK)
        status = check_form(cli, form, &request);
    if (status != CP_OK)
        return status;
    const char *const *words = request.words.items;
    bool good = list_add(cli, &request.out, "layout=parts");
    if (strcmp(form, "-p") == 0)
        good = good && add_setting(cli, &request.out, "cycle=", words[3]) &&
               add_setting(cli, &request.in, "recording=", words[2]);
    if (!good)
        return CP_LIMIT;
    request.to = request.to ? request.to : "vrml97";
    struct plan plan;
    status = plan_conversion(cli, &request, cli->words.count, words[0], words[1], &plan);
    return status == CP_OK ? run_plan(cli, &plan) : status;
}

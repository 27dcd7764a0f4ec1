#include "process.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text/text.h"

static void run_call(void *user, int channel)
{
    const struct isolated_call *call = user;
    call->work(call->user, call->answer);
    if (!cp_process_transfer(channel, call->answer, call->size, true, NULL))
        _exit(1);
}

cp_status isolate_call(cp_context *context, const struct isolated_call *call, char why[CALL_REASON])
{
    struct isolated_call own = *call;
    struct process process;
    if (!cp_process_start(&process, true, run_call, &own))
        return report_error(context, CP_LIMIT, "call-fork", NOWHERE, "no process can be started: %s", strerror(errno));
    uint64_t deadline = milliseconds_now() + (uint64_t)(1000 * call->seconds);
    enum hearing hearing = process_transfer(context, &process, call->answer, call->size, false, deadline);
    cp_process_end(&process, hearing == HEARD_END ? PROCESS_PATIENCE : 0);
    if (hearing == HEARD_ANSWER)
        return CP_OK;
    if (hearing == HEARD_NO_MORE)
        return CP_LIMIT;
    if (hearing == HEARD_NOTHING)
        (void)snprintf(why, CALL_REASON, "took longer than %s s", show_three_digits(call->seconds).text);
    else
        process_describe_end(&process, why);
    return CP_NO;
}

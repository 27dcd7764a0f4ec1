/* Says any bytes to the parent, as a reader's process might (scene/plugins/isolate/messages.h). The parent ends with an
 * answer that keeps its own rules, or without one, soon and without a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugins/isolate/isolate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_isolate: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { MOST = 1 << 15, MOST_SCENE = 1 << 20, MOST_TIME = 2000 };
    int ends[2];
    cp_context *context = cp_context_new(NULL);
    struct source *source = NULL;
    if (!context || size > MOST || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        cp_context_free(context);
        return 0;
    }
    cp_set_flag(context, CP_FLAG_CONFINE, true);
    check(source_from_memory(context, "top", 3, "top.obj", &source) == CP_OK, "no source");
    check(send(ends[1], bytes, size, 0) == (ssize_t)size, "the socket does not take the input");
    (void)shutdown(ends[1], SHUT_WR);
    uint64_t start = milliseconds_now();
    struct reader_listener listener = {.context = context,
                                       .source = source,
                                       .process = {.channel = ends[0], .words = -1},
                                       .deadline = start + MOST_TIME,
                                       .most = MOST_SCENE};
    enum hearing hearing = listen_to_reader(&listener);
    bool has_scene = hearing == HEARD_ANSWER && listener.status == CP_OK;
    check(has_scene == (listener.scene.data != NULL), "a scene without an answer, or none with it");
    check(!has_scene || (listener.scene.size <= MOST_SCENE && !listener.scene.data[listener.scene.size]), "its size");
    check(milliseconds_now() < start + 5 * MOST_TIME, "the end comes late");
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        check(entries[i].count > 0 && entries[i].code && strlen(entries[i].message) > 0, "an entry");
    buffer_free(&listener.scene);
    source_close(source);
    (void)close(ends[0]);
    (void)close(ends[1]);
    cp_context_free(context);
    return 0;
}

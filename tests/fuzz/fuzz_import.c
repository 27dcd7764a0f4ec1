/* One fuzzer for all importers: IMPORTER names the one that reads the bytes, OTHER_IMPORTER, if there is one, that of
 * bytes that begin with OTHER_SIGN. What it makes of them must hold all invariants, and every exporter must take it. A
 * bug shows as a crash, a leak, a sanitizer's finding or CP_BUG. */
#include "cellpipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(cp_context *context, const char *what)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    fprintf(stderr, "fuzz_import: %s\n", what);
    abort();
}

static void set_limits(cp_context *context)
{
    static const char *const limits[] = {"bytes=1000000", "expanded-bytes=4000000", "nesting=32", "depth=64",
                                         "nodes=10000",   "vertices=100000",        "includes=4", "name=1000"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (cp_set_limit(context, limits[i]) != CP_OK)
            fail(context, limits[i]);
    cp_set_flag(context, CP_FLAG_CONFINE, true);
}

/* Writes the scene in a format; a refusal is fine, a broken promise is not. */
static void write_format(cp_context *context, const cp_scene *scene, const char *format)
{
    void *written = NULL;
    size_t size = 0;
    cp_status status = cp_write_memory(context, scene, format, NULL, 0, &written, &size);
    if (status == CP_BUG)
        fail(context, format);
    if (status == CP_OK)
        cp_free(context, written, size);
}

/* What is packed for the web is read again: the bytes are our own. Only a limit may stand in the way. */
static void write_packed(cp_context *context, const cp_scene *scene)
{
    static const char *const options[] = {"web=yes"};
    void *written = NULL;
    size_t size = 0;
    cp_status status = cp_write_memory(context, scene, "glb", options, 1, &written, &size);
    if (status == CP_BUG)
        fail(context, "web=yes");
    if (status != CP_OK)
        return;
    cp_scene *again = NULL;
    status = cp_read_memory(context, written, size, "web", "gltf", NULL, 0, &again);
    if (status != CP_OK && status != CP_LIMIT)
        fail(context, "web=yes is not read again");
    cp_scene_free(again);
    cp_free(context, written, size);
}

static const char *choose_importer(const uint8_t *bytes, size_t size)
{
#ifdef OTHER_IMPORTER
    if (size >= strlen(OTHER_SIGN) && memcmp(bytes, OTHER_SIGN, strlen(OTHER_SIGN)) == 0)
        return OTHER_IMPORTER;
#endif
    (void)bytes;
    (void)size;
    return IMPORTER;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    /* both ways of reading, chosen by the input itself so that a finding can be run again */
    static const char *const partial[] = {"partial=yes"};
    cp_context *context = cp_context_new(NULL);
    if (!context)
        return 0;
    set_limits(context);
    cp_scene *scene = NULL;
    cp_status status =
        cp_read_memory(context, bytes, size, "fuzz", choose_importer(bytes, size), partial, size & 1, &scene);
    if (status == CP_BUG || (status == CP_OK) != (scene != NULL))
        fail(context, "read");
    if (scene) {
        if (cp_validate(context, scene) != CP_OK)
            fail(context, "the scene is not valid");
        for (size_t i = 0; i < cp_plugin_count(CP_EXPORTER); i++)
            write_format(context, scene, cp_plugin_at(CP_EXPORTER, i).name);
        write_packed(context, scene);
        cp_scene_free(scene);
    }
    cp_context_free(context);
    return 0;
}

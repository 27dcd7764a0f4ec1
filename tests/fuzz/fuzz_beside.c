/* A fuzzer for a list that is read beside a robot: the bytes are its SRDF, perhaps xacro, of a robot that stays the
 * same. The changed scene must hold all invariants, be written, and be read again as far as the list goes; after a
 * refusal the scene must be as it was. A bug shows as a crash, a leak, a sanitizer's finding or CP_BUG. */
#include "cellpipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The robot of tests/cases/srdf/arm.urdf with a plane, a slide and a joint that follows. */
#define BOX(name) "<link name=\"" name "\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision></link>"
#define JOINT(name, type, parent, child, rest)                                                                         \
    "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child                     \
    "\"/><origin xyz=\"0 0 2\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>" rest "</joint>"
static const char robot[] = "<robot name=\"arm\">" BOX("base") BOX("upper") BOX("lower") BOX("cart")
    BOX("finger") "<link name=\"tool\"/>" JOINT("shoulder", "revolute", "base", "upper", "")
        JOINT("elbow", "revolute", "upper", "lower", "") JOINT("mount", "fixed", "lower", "tool", "")
            JOINT("floor", "planar", "base", "cart", "")
                JOINT("grip", "prismatic", "tool", "finger", "<mimic joint=\"elbow\" multiplier=\"2\"/>") "</robot>";

static char folder[] = "/tmp/fuzz_beside.XXXXXX", path[64];

static void fail(cp_context *context, const char *what)
{
    size_t count = 0;
    const cp_entry *entries = context ? cp_report(context, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    fprintf(stderr, "fuzz_beside: %s\n", what);
    abort();
}

static void remove_files(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static void write_list(const uint8_t *bytes, size_t size)
{
    if (!*path) {
        if (!mkdtemp(folder))
            fail(NULL, "no folder");
        (void)snprintf(path, sizeof path, "%s/list.srdf", folder);
        (void)atexit(remove_files);
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        fail(NULL, "no room for files");
}

static void set_limits(cp_context *context)
{
    static const char *const limits[] = {"bytes=1000000", "expanded-bytes=4000000", "nesting=32", "includes=4"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (cp_set_limit(context, limits[i]) != CP_OK)
            fail(context, limits[i]);
    cp_set_flag(context, CP_FLAG_CONFINE, true);
}

/* Returns the scene as text, which the caller frees. */
static void *print(cp_context *context, const cp_scene *scene, const char *format, size_t *size)
{
    void *text = NULL;
    cp_status status = cp_write_memory(context, scene, format, NULL, 0, &text, size);
    if (status == CP_BUG)
        fail(context, format);
    return status == CP_OK ? text : NULL;
}

/* Reads the list that is written of the scene: our own bytes are no errors. */
static void read_again(cp_context *context, const cp_scene *scene)
{
    size_t size = 0;
    cp_scene *again = NULL;
    void *list = print(context, scene, "srdf", &size);
    if (list) {
        cp_status status = cp_read_memory(context, list, size, "again", "srdf", NULL, 0, &again);
        if (status != CP_OK && status != CP_LIMIT)
            fail(context, "the written list is not read");
    }
    cp_scene_free(again);
    cp_free(context, list, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    size_t before_size = 0, after_size = 0;
    write_list(bytes, size);
    if (!context)
        return 0;
    set_limits(context);
    if (cp_read_memory(context, robot, sizeof robot - 1, "arm.urdf", "urdf", NULL, 0, &scene) != CP_OK)
        fail(context, "the robot");
    void *before = print(context, scene, "dump", &before_size);
    cp_status status = cp_read_beside(context, scene, path, "srdf", NULL, 0);
    if (status != CP_OK && status != CP_INPUT && status != CP_LIMIT)
        fail(context, "neither read nor refused");
    if (cp_validate(context, scene) != CP_OK)
        fail(context, "the scene is not valid");
    void *after = print(context, scene, "dump", &after_size);
    bool same = before && after && before_size == after_size && memcmp(before, after, before_size) == 0;
    if (status != CP_OK && before && after && !same)
        fail(context, "a refused list has changed the scene");
    if (status == CP_OK)
        read_again(context, scene);
    cp_free(context, before, before_size);
    cp_free(context, after, after_size);
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

/* One fuzzer for all importers, which has a name for each: fuzz_NAME reads the bytes and writes the scene in every
 * format, fuzz_read_NAME reads alone and so tries several times as many. The scene must hold all invariants, and every
 * exporter must take it. A bug shows as a crash, a leak, a sanitizer's finding or CP_BUG. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "model/model.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct kind {
    const char *name, *importer;
    bool is_binary;
    const char *other_importer, *other_sign; /* of bytes that begin so */
    const char *file;                        /* a name by which the importer opens archives itself */
} kinds[] = {{"stl", "stl", false, NULL, NULL, NULL},
             {"obj", "obj", false, NULL, NULL, NULL},
             {"tag", "tag", false, NULL, NULL, NULL},
             {"urdf", "urdf", false, NULL, NULL, NULL},
             {"rwxml", "rwxml", false, NULL, NULL, NULL},
             {"srdf", "srdf", false, NULL, NULL, NULL},
             {"deneb_part", "deneb-part", false, NULL, NULL, NULL},
             {"deneb_cell", "deneb-device", false, "deneb-workcell", "DCT WORKCELL", NULL},
             {"collision_setup", "collision-setup", false, NULL, NULL, NULL},
             {"gltf", "gltf", false, NULL, NULL, NULL},
             {"3mf", "3mf", true, NULL, NULL, NULL},
             {"amf", "amf", true, NULL, NULL, "fuzz.amf"},
             {"off", "off", false, NULL, NULL, NULL},
             {"tri", "tri", false, NULL, NULL, NULL},
             {"msh", "msh", true, NULL, NULL, NULL},
             {"ply", "ply", false, NULL, NULL, NULL},
             {"dxf", "dxf", false, NULL, NULL, NULL},
             {"ac3d", "ac3d", false, NULL, NULL, NULL},
             {"vrml97", "vrml97", false, NULL, NULL, NULL},
             {"collada", "collada", true, NULL, NULL, "fuzz.zae"},
             {"assimp", "assimp", true, NULL, NULL, NULL}};
static const struct kind *kind;
static bool reads_alone;

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

/* Writes the scene in a format; a refusal is fine, a broken promise is not. Pictures are small, as they cost by the
 * pixel, and a page is a GLB and a picture. */
static void write_format(cp_context *context, const cp_scene *scene, const char *format)
{
    static const char *const small[] = {"size=24x18", "edges=yes"};
    void *written = NULL;
    size_t size = 0, option_count = strcmp(format, "png") == 0 ? 2 : 0;
    if (strcmp(format, "html") == 0)
        return;
    cp_status status = cp_write_memory(context, scene, format, small, option_count, &written, &size);
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
    size_t length = kind->other_sign ? strlen(kind->other_sign) : 0;
    bool is_other = length > 0 && size >= length && memcmp(bytes, kind->other_sign, length) == 0;
    return is_other ? kind->other_importer : kind->importer;
}

/* What to do is in the program's name. */
int LLVMFuzzerInitialize(int *count, char ***words)
{
    static const char start[] = "fuzz_", reads[] = "read_";
    const char *slash = *count > 0 ? strrchr(**words, '/') : NULL, *name = slash ? slash + 1 : **words;
    name += strncmp(name, start, sizeof start - 1) == 0 ? sizeof start - 1 : 0;
    reads_alone = strncmp(name, reads, sizeof reads - 1) == 0;
    name += reads_alone ? sizeof reads - 1 : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            kind = &kinds[i];
    if (!kind) {
        fprintf(stderr, "fuzz_import: call it by the name fuzz_IMPORTER or fuzz_read_IMPORTER\n");
        exit(2);
    }
    mutates_numbers = !kind->is_binary;
    return 0;
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
    cp_status status = cp_read_memory(context, bytes, size, kind->file ? kind->file : "fuzz",
                                      choose_importer(bytes, size), partial, size & 1, &scene);
    if (status == CP_BUG || (status == CP_OK) != (scene != NULL))
        fail(context, "read");
    if (scene) {
        if (cp_validate(context, scene) != CP_OK)
            fail(context, "the scene is not valid");
        for (size_t i = 0; i < cp_plugin_count(context, CP_EXPORTER) && !reads_alone; i++) {
            cp_plugin_info info = {.size = sizeof info};
            if (cp_plugin_at(context, CP_EXPORTER, i, &info))
                write_format(context, scene, info.name);
        }
        if (!reads_alone)
            write_packed(context, scene);
        cp_scene_free(scene);
    }
    cp_context_free(context);
    return 0;
}

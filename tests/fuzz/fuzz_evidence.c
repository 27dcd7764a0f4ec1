/* A fuzzer for the evidence beside a list of exclusions: the bytes are its JSON, of a cell and a list that stay the
 * same. What is said of them must be an answer, a refusal or a limit. A bug shows as a crash, a leak, a sanitizer's
 * finding or CP_BUG. */
#include "cellpipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* tests/cases/exclude/arm.wu and the list of it */
static const char cell[] =
    "{ \"WORLD\"\n}\n{ \"Turn\"\n  ActiveJoint\n  Revolute\n  JointPosLimit -180 180\n}\n"
    "{ \"Arm\"\n  ReferenceFrame \"Turn\"\n  Position (0.5, 0, 0)\n  GeoID \"#Box 1 0.1 0.1\"\n}\n"
    "{ \"Near\"\n  Position (0, 1, 0)\n  GeoID \"#Box 0.2 0.2 0.2\"\n}\n"
    "{ \"Far\"\n  Position (0, 2, 0)\n  GeoID \"#Box 0.2 0.2 0.2\"\n}\n";
static const char list[] = "<CollisionSetup>\n  <Exclude>\n    <FramePair first=\"Arm\" second=\"Far\"/>\n"
                           "    <FramePair first=\"Far\" second=\"Near\"/>\n  </Exclude>\n</CollisionSetup>\n";

static char folder[] = "/tmp/fuzz_evidence.XXXXXX", path[64], beside[80];

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_evidence: %s\n", what);
    abort();
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        fail("no room for files");
}

static void remove_files(void)
{
    (void)unlink(path);
    (void)unlink(beside);
    (void)rmdir(folder);
}

static void make_folder(void)
{
    if (*path)
        return;
    if (!mkdtemp(folder))
        fail("no folder");
    (void)snprintf(path, sizeof path, "%s/list.xml", folder);
    (void)snprintf(beside, sizeof beside, "%s.json", path);
    write_file(path, list, sizeof list - 1);
    (void)atexit(remove_files);
}

static void note_fault(void *user, const cp_list_fault *fault)
{
    *(size_t *)user += 1 + strlen(fault->first) + strlen(fault->second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    size_t told = 0;
    make_folder();
    write_file(beside, bytes, size);
    if (context && cp_read_memory(context, cell, sizeof cell - 1, "arm.wu", "tag", NULL, 0, &scene) == CP_OK) {
        cp_status status = cp_check_list(context, scene, path, note_fault, &told);
        bool known = status == CP_OK || status == CP_NO || status == CP_INPUT || status == CP_LIMIT;
        if (!known)
            fail("neither an answer nor a refusal");
        if ((status == CP_OK && told > 0) || (status == CP_NO && told == 0))
            fail("the answer is not what was told");
    }
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

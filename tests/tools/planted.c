/* What the planted importer does, by the second word of the file. */
#include "planted.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "model/model.h"

static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return size >= 8 && memcmp(head, "planted ", 8) == 0 ? 100 : 0;
}

/* ---- a scene of all that a stage must carry ---- */

static cp_status make_scene(struct source *source, cp_scene *scene)
{
    static const float corners[] = {0, 0, 0, -0.0F, 1e-40F, 3.3F, 1, 2, 3, 7, 7, 7};
    static const uint32_t triangle[] = {0, 1, 2};
    static const double red[4] = {1, 0.1, 0.2, 0.3};
    struct place place = AT_LINE(source->name, 1);
    place.column = 9;
    place.node = "a node";
    report_warning(source->context, "planted-warning", place, "a warning");
    report_note(source->context, "planted-note", NOWHERE, "a note");
    for (int i = 0; i < 3; i++)
        report_loss(source->context, "planted-loss", IN_FILE(source->name), 2, "colours of %s", "leaves");
    uint32_t node = scene_add_node(scene, 0, "caf\xe9", 4);
    uint32_t material = scene_add_material(scene, "red", red, true);
    cp_group *group = scene_allocate(scene, 1, sizeof *group);
    if (!group || node == CP_NONE || material == CP_NONE)
        return CP_LIMIT;
    *group = (cp_group){0, 1, material};
    cp_mesh mesh = {.kind = CP_MESH_FACES,
                    .name = "leaf",
                    .vertex_count = 4,
                    .face_count = 1,
                    .corner_count = 3,
                    .group_count = 1,
                    .positions = corners,
                    .corners = triangle,
                    .groups = group};
    cp_pose pose = POSE_IDENTITY;
    pose.m[1] = 1.0 / 3;
    scene->nodes[node].local.m[3] = 0.1;
    scene->source.unit = 0.0254;
    scene->source.up = CP_UP_Y;
    uint32_t index = scene_add_mesh(scene, &mesh);
    if (index == CP_NONE || scene_add_instance(scene, node, index, CP_USE_BOTH, &pose) == CP_NONE ||
        !scene_add_metadata(scene, CP_OWNER_NODE, node, "key", CP_VALUE_JSON, "[1, 2]"))
        return CP_LIMIT;
    return scene_finish(scene);
}

/* ---- what a reader may not do ---- */

static void tell(cp_context *context, const char *what, bool done)
{
    int error = errno;
    report_note(context, done ? "planted-escaped" : "planted-refused", NOWHERE, "%s: %s", what,
                done ? "done" : strerror(error));
}

static void try_to_escape(cp_context *context)
{
    struct stat info;
    char *const words[] = {(char *)(uintptr_t) "true", NULL};
    tell(context, "read /etc/passwd", open("/etc/passwd", O_RDONLY) >= 0);
    tell(context, "look at /etc/passwd", stat("/etc/passwd", &info) == 0);
    tell(context, "write a file", open("/tmp/planted", O_WRONLY | O_CREAT, 0600) >= 0);
    tell(context, "remove a file", unlink("/tmp/planted-victim") == 0 || errno == ENOENT);
    tell(context, "open a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    tell(context, "open a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    tell(context, "signal the parent", kill(getppid(), 0) == 0);
    tell(context, "signal the process group", kill(0, 0) == 0);
    tell(context, "make memory executable",
         mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    tell(context, "read standard input", read(STDIN_FILENO, &info, 1) >= 0);
    tell(context, "write standard output", write(STDOUT_FILENO, "planted\n", 8) >= 0);
    pid_t process = fork();
    if (process == 0)
        _exit(0);
    tell(context, "fork", process > 0);
    tell(context, "start a program", execv("/bin/true", words) == 0);
}

/* ---- how it ends ---- */

static volatile unsigned long turns;

static void loop_for_ever(void)
{
    for (;;)
        turns++;
}

static int recurse(volatile char *above)
{
    volatile char here[4096];
    here[0] = above ? above[0] : 'x';
    return turns == 0 ? recurse(here) + here[0] : 0; /* it is always */
}

static cp_status take_memory(cp_context *context)
{
    enum { STEP = 16 << 20 };
    for (;;) {
        char *block = memory_allocate(context, STEP, 1);
        if (!block)
            return CP_LIMIT;
        memset(block, 'x', STEP);
    }
}

/* Memory as a library takes it: nobody counts it. */
static void keep_memory(const char *mebibytes)
{
    size_t size = (size_t)strtoul(mebibytes, NULL, 10) << 20;
    volatile char *kept = malloc(size);
    if (!kept) {
        fputs("std::bad_alloc\n", stderr);
        abort();
    }
    for (size_t i = 0; i < size; i += 1024)
        kept[i] = 'x';
}

/* 12 MiB of positions. */
static cp_status make_mesh(cp_scene *scene)
{
    static const uint32_t triangle[] = {0, 1, 2};
    cp_mesh mesh = {.kind = CP_MESH_FACES,
                    .vertex_count = 1 << 20,
                    .face_count = 1,
                    .corner_count = 3,
                    .corners = triangle,
                    .positions = scene_allocate(scene, 3 << 20, sizeof(float))};
    if (!mesh.positions)
        return CP_LIMIT;
    memset((float *)(uintptr_t)mesh.positions, 0, (3 << 20) * sizeof(float));
    uint32_t index = scene_add_mesh(scene, &mesh);
    bool good = index != CP_NONE && scene_add_instance(scene, 0, index, CP_USE_BOTH, &POSE_IDENTITY) != CP_NONE;
    return good ? scene_finish(scene) : CP_LIMIT;
}

static void say_bytes(const void *bytes, size_t size)
{
    enum { CHANNEL = 3 };
    if (write(CHANNEL, bytes, size) < 0)
        _exit(3);
}

static void say_nonsense(void)
{
    static const unsigned char nonsense[] = {2, 0, 0, 0, 200, 0, 0, 0, 255, 254, 253, 252};
    for (int i = 0; i < 100; i++)
        say_bytes(nonsense, sizeof nonsense);
}

/* An answer (messages.h) whose scene names a file. */
static void say_false_scene(void)
{
    static const char scene[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":12,\"uri\":\"secret.bin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":12}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}]}";
    const uint32_t head[] = {4, 16, 0, 0};
    const uint64_t size = sizeof scene - 1;
    say_bytes(head, sizeof head);
    say_bytes(&size, sizeof size);
    say_bytes(scene, size);
}

/* The text of the file as a node's name. */
static cp_status name_file(struct source *source, const char *name, cp_scene *scene)
{
    struct source *further;
    report_warning(source->context, "planted-before", NOWHERE, "before %s", name);
    cp_status status = source_open(source, name, &further);
    report_warning(source->context, "planted-after", NOWHERE, "after %s", name);
    if (status == CP_NO)
        return scene_add_node(scene, 0, "none", 4) == CP_NONE ? CP_LIMIT : CP_OK;
    if (status != CP_OK)
        return status;
    report_note(source->context, "planted-names", IN_FILE(further->name), "%s %s %s", further->name, further->label,
                further->ends_early ? "ends early" : "whole");
    size_t size = further->size < 100 ? further->size : 100;
    status = scene_add_node(scene, 0, further->data, size) == CP_NONE ? CP_LIMIT : CP_OK;
    source_close(further);
    return status;
}

static cp_status read_planted(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    char text[256], *rest = NULL;
    size_t size = source->size < sizeof text - 1 ? source->size : sizeof text - 1;
    (void)settings;
    memcpy(text, source->data, size);
    text[size] = '\0';
    const char *deed = strtok_r(text + 8, " \n", &rest);
    if (!deed)
        return report_error(context, CP_INPUT, "planted-bare", NOWHERE, "says nothing");
    if (strcmp(deed, "keep") == 0) {
        keep_memory(strtok_r(NULL, " \n", &rest));
        deed = strtok_r(NULL, " \n", &rest);
        deed = deed ? deed : "";
    }
    if (strcmp(deed, "scene") == 0)
        return make_scene(source, scene);
    if (strcmp(deed, "mesh") == 0)
        return make_mesh(scene);
    if (strcmp(deed, "error") == 0)
        return report_error(context, CP_INPUT, "planted-error", AT_LINE(source->name, 7), "is wrong");
    if (strcmp(deed, "bug") == 0)
        return scene_add_node(scene, 5, "orphan", 6) == CP_NONE ? CP_LIMIT : scene_finish(scene);
    if (strcmp(deed, "crash") == 0)
        (void)raise(SIGSEGV);
    if (strcmp(deed, "abort") == 0)
        abort();
    if (strcmp(deed, "words") == 0) {
        fprintf(stderr, "a first line\n  the \x1b[31mlast words\xff of many\n\n");
        abort();
    }
    if (strcmp(deed, "throw") == 0) {
        fprintf(stderr, "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n");
        abort();
    }
    if (strcmp(deed, "chatter") == 0)
        for (int i = 0; i < 1000000; i++)
            fprintf(stderr, "line %d\n", i);
    if (strcmp(deed, "kill") == 0)
        (void)raise(SIGKILL); /* as the system does */
    if (strcmp(deed, "exit") == 0)
        _exit(0);
    if (strcmp(deed, "loop") == 0)
        loop_for_ever();
    if (strcmp(deed, "sleep") == 0)
        for (;;)
            (void)nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    if (strcmp(deed, "recurse") == 0)
        (void)recurse(NULL);
    if (strcmp(deed, "memory") == 0)
        return take_memory(context);
    if (strcmp(deed, "escape") == 0)
        try_to_escape(context);
    if (strcmp(deed, "nonsense") == 0)
        say_nonsense();
    if (strcmp(deed, "false") == 0)
        say_false_scene();
    if (strcmp(deed, "mute") == 0) {
        (void)close(3);
        loop_for_ever();
    }
    cp_status status = CP_OK;
    if (strcmp(deed, "file") == 0)
        for (const char *name; status == CP_OK && (name = strtok_r(NULL, " \n", &rest));)
            status = name_file(source, name, scene);
    return status == CP_OK ? scene_finish(scene) : status;
}

static const char *version(void)
{
    const char *planted = getenv("PLANTED_VERSION");
    return planted ? planted : "1";
}

const struct importer planted_importer = {
    .plugin = {.name = "planted",
               .title = "what tests plant",
               .settings_size = sizeof(struct import_settings),
               .version_in_use = version},
    .suffixes = ".planted",
    .probe = probe,
    .sign = "the word planted",
    .third_party = true,
    .read = read_planted,
};

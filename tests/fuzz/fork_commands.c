/* The whole command line on changed files and words: a server that has the program loaded forks a process for each
 * command, so that one takes some milliseconds under sanitizers, too.
 *
 *     fork_commands RUNS SEED ARTIFACTS FILE...
 *
 * In a folder of its own it puts a changed copy of a FILE, with the files beside it that it names, and runs a changed
 * command on it. A finding: a signal, a sanitizer's report, an exit code above 6, a failure without a message or with
 * outputs, a temporary file that stays. It is kept in the folder ARTIFACTS with its command. */
#undef main
#include "input.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int cellpipe_main(int count, char **words);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

enum { MOST_BYTES = 1 << 16, MOST_WORDS = 40, MOST_WORD = 200, MOST_ERRORS = 1 << 16 };

/* IN is the file; OTHER one of the same kind. */
static const char *const commands[] = {
    "convert IN out/o.glb",
    "convert IN out/o.glb --out web=yes",
    "convert IN out/o.gltf --out profile=stage",
    "convert IN out/o.wrl --out layout=parts",
    "convert IN out/o.stl --out unit=mm --strict",
    "convert IN out/o.png --out size=60x40 --out edges=yes",
    "sheet IN OTHER out/o.png --size 30x20 --out background=none",
    "convert IN out/o.dump --report out/r.json",
    "convert IN out/o.jsonl --out period=10ms",
    "convert IN out/o.xml --out evidence=yes",
    "convert IN out/o.glb ! weld tolerance=0.1mm ! repair holes=10 ! orient ! simplify ratio=0.5 ! lod levels=2",
    "convert IN out/o.glb ! triangulate ! split-meshes ! instances ! merge-meshes ! normals crease=30deg",
    "convert IN out/o.glb.gz ! flatten ! select node=Arm*",
    "run read IN ! read OTHER ! write out/o.glb ! pose home=yes ! write out/o.stl",
    "exclude IN out/o.xml work=20 samples=5 descents=1",
    "trace IN out/o.glb frame=hand",
    "info IN --json",
    "info IN --dump",
    "check IN",
    "check solid IN --json",
    "check motion IN",
    "diff IN OTHER --json",
    "collide IN 10deg 20deg 0 --clearance 5mm",
    "fk IN 10deg 0 0 0 0 0",
    "ik IN pose=0.3,0.2,0.4,0,180deg,0",
    "batch IN --out-dir out --jobs 1 --progress none",
    "manifest IN OTHER",
    "igrip2vrml -d IN out/o.wrl",
    "program demo.wu out/o.glb file=IN device=Arm --limit steps=1000",
    "recording demo.wu out/o.glb file=IN",
    "check demo.wu list=IN",
};
static const char *const words_to_add[] = {"--strict",
                                           "--quiet",
                                           "-v",
                                           "--in",
                                           "unit=mm",
                                           "--in",
                                           "partial=yes",
                                           "--out",
                                           "web=yes",
                                           "--out",
                                           "tolerance=1e-3",
                                           "--limit",
                                           "nodes=10",
                                           "--limit",
                                           "memory=20000000",
                                           "--limit",
                                           "vertices=100",
                                           "--threads",
                                           "2",
                                           "--from",
                                           "stl",
                                           "--to",
                                           "glb",
                                           "!",
                                           "weld",
                                           "node=*",
                                           "--no-clobber",

                                           "--out",
                                           "normals=none",
                                           "clip=#1",
                                           "-",
                                           "IN",
                                           "ratio=0.1",
                                           "scale=2",
                                           "--out",
                                           "period=1s",
                                           "frame=Arm",
                                           "device=Arm",
                                           "reach=0.5,0.3,0.7,0,0,0",
                                           "--out",
                                           "view=top",
                                           "\xff",
                                           ""};

static uint32_t state;

static uint32_t below(uint32_t bound)
{
    state = state * 1664525u + 1013904223u;
    return bound > 0 ? (state >> 8) % bound : 0;
}

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

/* What mutate_numbers.c calls for bytes: some change, leave, double or lack. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room)
{
    size_t at = below((uint32_t)size), length = 1 + below(16);
    if (size == 0)
        return size;
    length = length < size - at ? length : size - at;
    switch (below(4)) {
    case 0:
        bytes[at] = (uint8_t)(bytes[at] ^ 1u << below(8));
        return size;
    case 1:
        bytes[at] = (uint8_t)below(256);
        return size;
    case 2:
        if (size + length > room)
            return size;
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    default:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    }
}

/* ---- files ---- */

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, room, file) : 0;
    if (file)
        (void)fclose(file);
    return size;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        fail(path);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    return place->level > 0 ? remove(path) : 0;
}

static void copy_changed(const char *from, const char *to, int changes)
{
    static uint8_t bytes[MOST_BYTES];
    size_t size = read_file(from, bytes, sizeof bytes / 2);
    while (changes-- > 0)
        size = LLVMFuzzerCustomMutator(bytes, size, sizeof bytes, below(1u << 24));
    write_file(to, bytes, size);
}

/* Copies the files beside `path` whose names it has in it, each now and then changed. */
static void copy_named(const char *path)
{
    static uint8_t bytes[MOST_BYTES];
    char folder[PATH_MAX], from[2 * PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t size = read_file(path, bytes, sizeof bytes - 1);
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    DIR *listing = opendir(folder);
    for (const struct dirent *entry; listing && (entry = readdir(listing));) {
        size_t length = strlen(entry->d_name), at = 0;
        while (at + length <= size && memcmp(bytes + at, entry->d_name, length) != 0)
            at++;
        if (entry->d_name[0] == '.' || at + length > size)
            continue;
        (void)snprintf(from, sizeof from, "%s/%s", folder, entry->d_name);
        copy_changed(from, entry->d_name, below(3) == 0);
    }
    if (listing)
        (void)closedir(listing);
}

/* ---- words ---- */

struct line {
    char words[MOST_WORDS][MOST_WORD];
    int count;
};

static void add_word(struct line *line, const char *word)
{
    if (line->count < MOST_WORDS - 1)
        (void)snprintf(line->words[line->count++], MOST_WORD, "%s", word);
}

/* A command with the names of files; in a third of the runs words change as files do, or come and go. */
static void make_line(struct line *line, const char *in, const char *other)
{
    char text[400];
    (void)snprintf(text, sizeof text, "%s", commands[below(sizeof commands / sizeof *commands)]);
    line->count = 0;
    add_word(line, "cellpipe");
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char named[MOST_WORD];
        const char *place = strstr(word, "IN");
        if (place && !place[2])
            (void)snprintf(named, sizeof named, "%.*s%s", (int)(place - word), word, in);
        add_word(line, place && !place[2] ? named : strcmp(word, "OTHER") == 0 ? other : word);
    }
    for (uint32_t changes = below(3) == 0 ? 1 + below(3) : 0; changes > 0; changes--) {
        int at = 1 + (int)below((uint32_t)line->count - 1);
        uint8_t *word = (uint8_t *)line->words[at];
        switch (below(3)) {
        case 0:
            add_word(line, words_to_add[below(sizeof words_to_add / sizeof *words_to_add)]);
            break;
        case 1:
            line->words[at][LLVMFuzzerCustomMutator(word, strlen((char *)word), MOST_WORD - 1, below(1u << 24))] = 0;
            break;
        default:
            memmove(line->words[at], line->words[line->count - 1], MOST_WORD);
        }
        /* Files lie in this folder alone. */
        for (char *c = line->words[at]; *c; c++)
            *c = *c == '/' && strncmp(line->words[at], "out/", 4) != 0 ? '_' : *c;
        if (strstr(line->words[at], ".."))
            (void)strcpy(line->words[at], "out/o.glb");
    }
}

/* ---- runs ---- */

static void run_in_child(struct line *line)
{
    char *words[MOST_WORDS + 1] = {0};
    const struct rlimit seconds = {20, 30}, bytes = {64u << 20, 64u << 20};
    int null = open("/dev/null", O_RDONLY), out = open("../stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600),
        errors = open("../stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)setrlimit(RLIMIT_CPU, &seconds);
    (void)setrlimit(RLIMIT_FSIZE, &bytes);
    if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(errors, 2) < 0)
        _exit(98);
    for (int i = 0; i < line->count; i++)
        words[i] = line->words[i];
    exit(cellpipe_main(line->count, words));
}

static int count_in(const char *folder, const char *start)
{
    int count = 0;
    DIR *listing = opendir(folder);
    for (const struct dirent *entry; listing && (entry = readdir(listing));)
        count += strncmp(entry->d_name, start, strlen(start)) == 0 && strcmp(entry->d_name, ".") != 0 &&
                 strcmp(entry->d_name, "..") != 0;
    if (listing)
        (void)closedir(listing);
    return count;
}

/* Says what is wrong with a run, or gives NULL. */
static const char *judge(const struct line *line, int status)
{
    static char errors[MOST_ERRORS];
    errors[read_file("../stderr", (uint8_t *)errors, sizeof errors - 1)] = '\0';
    /* These may leave files though something fails. */
    bool leaves = strcmp(line->words[1], "batch") == 0 || strcmp(line->words[1], "run") == 0;
    for (int i = 1; i < line->count; i++)
        leaves = leaves || strncmp(line->words[i], "--report", 8) == 0;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (strstr(errors, "Sanitizer") || strstr(errors, "runtime error:"))
        return "sanitizer";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return "too-long";
    if (code < 0 || code > 6)
        return "ended-badly";
    if (code > 1 && !errors[0])
        return "no-message";
    if (code > 1 && !leaves && count_in("out", "") > 0)
        return "outputs-of-a-failure";
    return count_in("out", ".cellpipe-") > 0 || count_in(".", ".cellpipe-") > 0 ? "temporary" : NULL;
}

static void keep(const char *artifacts, const char *what, unsigned run, const struct line *line)
{
    char command[3 * PATH_MAX];
    (void)snprintf(command, sizeof command, "mkdir -p '%s/%s-%u' && cp -r . ../stderr '%s/%s-%u'", artifacts, what, run,
                   artifacts, what, run);
    printf("FOUND %s in run %u:", what, run);
    for (int i = 0; i < line->count; i++)
        printf(" '%s'", line->words[i]);
    printf("\n");
    if (system(command) != 0)
        fail(artifacts);
}

int main(int count, char **words)
{
    char folder[] = "/tmp/fork_commands-XXXXXX", artifacts[PATH_MAX], path[64];
    static char paths[2][PATH_MAX];
    int codes[8] = {0};
    unsigned found = 0, runs = count > 4 ? (unsigned)strtoul(words[1], NULL, 10) : 0;
    if (runs == 0 || !realpath(words[3], artifacts) || !mkdtemp(folder)) {
        fprintf(stderr, "usage: fork_commands RUNS SEED ARTIFACTS FILE...\n");
        return 2;
    }
    for (int i = 4; i < count; i++) /* all are absolute from here on */
        if (words[i][0] != '/')
            fail("FILE must be an absolute path");
    (void)snprintf(path, sizeof path, "%s/in", folder);
    if (mkdir(path, 0700) != 0 || chdir(path) != 0)
        fail(path);
    for (unsigned run = 0; run < runs; run++) {
        static struct line line;
        int status = 0;
        state = (uint32_t)strtoul(words[2], NULL, 10) * 2654435761u + run * 40503u;
        (void)below(2);
        if (nftw(".", remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0 || mkdir("out", 0700) != 0)
            fail(folder);
        for (int i = 0; i < 2; i++)
            (void)snprintf(paths[i], PATH_MAX, "%s", words[4 + (int)below((uint32_t)count - 4)]);
        copy_named(paths[0]);
        char names[2][PATH_MAX];
        for (int i = 0; i < 2; i++) {
            (void)snprintf(names[i], sizeof names[i], "%s%s", i ? "other_" : "", strrchr(paths[i], '/') + 1);
            copy_changed(paths[i], names[i], (int)below(3));
        }
        for (int i = 4; i < count && access("demo.wu", F_OK) != 0; i++)
            if (strcmp(strrchr(words[i], '/'), "/demo.wu") == 0)
                copy_changed(words[i], "demo.wu", 0);
        make_line(&line, names[0], names[1]);
        (void)fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            run_in_child(&line);
        if (child < 0 || waitpid(child, &status, 0) != child)
            fail("fork");
        if (WIFEXITED(status) && WEXITSTATUS(status) < 7)
            codes[WEXITSTATUS(status)]++;
        const char *what = judge(&line, status);
        found += what != NULL;
        if (what)
            keep(artifacts, what, run, &line);
    }
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    (void)rmdir(folder);
    printf("fork_commands: %u runs, %u findings; exit codes", runs, found);
    for (int i = 0; i < 7; i++)
        printf(" %d: %d", i, codes[i]);
    printf("\n");
    return found > 0;
}

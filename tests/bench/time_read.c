/* time_read ROUNDS FILE...: the processor's seconds that cellpipe and libassimp take to read each file, without what
 * either does after. Rounds alternate, each reads in a process of its own, in one thread; it prints medians. assimp is
 * asked for no step after reading.
 * ROUNDS 0 reads once with cellpipe alone, ROUNDS -1 with assimp alone: for a profiler. */
#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cellpipe.h"
#include "timing.h"

enum { MOST_ROUNDS = 101 };

/* Negative when the file could not be read. */
static double time_cellpipe(const char *path)
{
    cp_scene *scene = NULL;
    cp_context *context = cp_context_new(NULL);
    if (!context || cp_set_threads(context, 1) != CP_OK)
        return -1;
    double begin = processor_seconds();
    cp_status status = cp_read(context, path, NULL, NULL, 0, &scene);
    double end = processor_seconds();
    cp_scene_free(scene);
    cp_context_free(context);
    return status == CP_OK ? end - begin : -1;
}

static double time_assimp(const char *path)
{
    double begin = processor_seconds();
    const struct aiScene *scene = aiImportFile(path, 0);
    double end = processor_seconds();
    aiReleaseImport(scene);
    return scene ? end - begin : -1;
}

/* The seconds in a process of its own: none has the memory of a run before it. */
static double time_alone(double (*time_reader)(const char *path), const char *path)
{
    double seconds = -1;
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        seconds = time_reader(path);
        _exit(write(ends[1], &seconds, sizeof seconds) != (ssize_t)sizeof seconds);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &seconds, sizeof seconds) != (ssize_t)sizeof seconds)
        seconds = -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return seconds;
}

static int time_file(const char *path, int rounds)
{
    double ours[MOST_ROUNDS], theirs[MOST_ROUNDS];
    if (rounds < 1)
        return (rounds == 0 ? time_cellpipe(path) : time_assimp(path)) < 0;
    for (int i = 0; i < rounds; i++) {
        ours[i] = time_alone(time_cellpipe, path);
        theirs[i] = time_alone(time_assimp, path);
        if (ours[i] < 0 || theirs[i] < 0) {
            fprintf(stderr, "bench: %s cannot be read by %s\n", path, ours[i] < 0 ? "cellpipe" : "assimp");
            return 1;
        }
    }
    double our = median(ours, (size_t)rounds), their = median(theirs, (size_t)rounds);
    printf("| %s | %.4f | %.4f | %.1f |\n", path, our, their, their / our);
    return 0;
}

int main(int count, char **arguments)
{
    int rounds = count > 2 ? (int)strtol(arguments[1], NULL, 10) : MOST_ROUNDS + 1, failed = 0;
    if (rounds < -1 || rounds > MOST_ROUNDS) {
        fputs("usage: time_read ROUNDS FILE...   at most 101 rounds\n", stderr);
        return 2;
    }
    if (rounds > 0)
        printf("| file | cellpipe, s | assimp, s | times |\n|---|---|---|---|\n");
    for (int i = 2; i < count; i++)
        failed |= time_file(arguments[i], rounds);
    return failed;
}

/* floor read FILE | copy BYTES | parse FILE THREADS | weld FILE | write BYTES FILES FOLDER
 *
 * What the machine can do at best, in seconds (median of 7), with loops that do no more than they must: no check of the
 * words, no rounding of the last bit, no names, no scene.
 *   read    the file, from the page cache into one buffer that is used again
 *   copy    memory to memory, both touched before
 *   parse   the numbers of an ASCII STL, mapped, into an array, in so many threads
 *   weld    the corners of a binary STL, mapped, to unique vertices and indices
 *   write   so many new files of together so many bytes */
#include "mesh.h"
#include "timing.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 7, BUFFER_SIZE = 1 << 20, MOST_THREADS = 64 };

struct job {
    const char *path;
    size_t bytes, files, threads;
    unsigned char *memory; /* copy: twice `bytes` */
};

/* What loops compute goes here, so that they are not left out. */
static volatile double kept;

static const unsigned char *map_file(const char *path, size_t *size)
{
    struct stat about;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) || about.st_size <= 0)
        fail("%s cannot be read", path);
    *size = (size_t)about.st_size;
    const unsigned char *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        fail("%s cannot be mapped", path);
    return bytes;
}

static void unmap_file(const unsigned char *bytes, size_t size)
{
    munmap((void *)(uintptr_t)bytes, size);
}

static void read_once(const struct job *job)
{
    unsigned char *buffer = allocate(BUFFER_SIZE, 1);
    int file = open(job->path, O_RDONLY);
    if (file < 0)
        fail("%s cannot be read", job->path);
    while (read(file, buffer, BUFFER_SIZE) > 0)
        kept = buffer[0];
    close(file);
    free(buffer);
}

static void copy_once(const struct job *job)
{
    memcpy(job->memory, job->memory + job->bytes, job->bytes);
    kept = job->memory[job->bytes - 1];
}

/* ---- parse ---- */

struct chunk {
    const unsigned char *at, *end;
    float *numbers;
    pthread_t thread;
};

static const double powers[] = {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1,
                                1e1,   1e2,   1e3,   1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12};

/* d.dddddde+dd at *at, which moves behind it. */
static float scan_number(const unsigned char **at, const unsigned char *end)
{
    const unsigned char *p = *at;
    int negative = *p == '-', exponent = 0;
    uint32_t digits = 0;
    for (p += negative; p < end && (*p >= '0' || *p == '.') && *p <= '9'; p++)
        digits = *p == '.' ? digits : digits * 10 + (uint32_t)(*p - '0');
    if (end - p >= 4 && *p == 'e') {
        exponent = (p[2] - '0') * 10 + (p[3] - '0');
        exponent = p[1] == '-' ? -exponent : exponent;
        p += 4;
    }
    *at = p;
    int power = exponent + 6; /* of powers; 6 digits stand behind the point */
    double value = digits * powers[power < 0 ? 0 : power > 24 ? 24 : power];
    return (float)(negative ? -value : value);
}

static int begins_number(unsigned char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

static void *parse_chunk(void *argument)
{
    struct chunk *chunk = argument;
    size_t count = 0;
    const unsigned char *p = chunk->at;
    while (p < chunk->end) {
        if (begins_number(*p) && p[-1] == ' ')
            chunk->numbers[count++ % 4096] = scan_number(&p, chunk->end);
        else
            p++;
    }
    return NULL;
}

static void parse_once(const struct job *job)
{
    size_t size;
    const unsigned char *bytes = map_file(job->path, &size);
    struct chunk chunks[MOST_THREADS];
    for (size_t i = 0; i < job->threads; i++) {
        chunks[i].at = bytes + size / job->threads * i + 1;
        chunks[i].end = i + 1 == job->threads ? bytes + size : bytes + size / job->threads * (i + 1);
        chunks[i].numbers = allocate(4096, sizeof(float));
        if (pthread_create(&chunks[i].thread, NULL, parse_chunk, chunks + i))
            fail("no new thread");
    }
    for (size_t i = 0; i < job->threads; i++) {
        pthread_join(chunks[i].thread, NULL);
        kept = (double)chunks[i].numbers[0];
        free(chunks[i].numbers);
    }
    unmap_file(bytes, size);
}

/* ---- weld ---- */

static uint64_t hash_position(const uint32_t p[3])
{
    uint64_t a = ((uint64_t)p[0] << 32 | p[1]) * 0x9e3779b97f4a7c15u;
    uint64_t b = (p[2] ^ a >> 29) * 0xbf58476d1ce4e5b9u;
    return (a ^ b) * 0x94d049bb133111ebu;
}

struct table {
    uint32_t *slots; /* vertex + 1, or 0 */
    uint32_t (*vertices)[3];
    uint32_t count;
    int shift;
};

static uint32_t find_vertex(struct table *table, const uint32_t p[3])
{
    size_t mask = ((size_t)1 << (64 - table->shift)) - 1;
    for (size_t slot = hash_position(p) >> table->shift;; slot = (slot + 1) & mask) {
        if (table->slots[slot] == 0) {
            memcpy(table->vertices[table->count], p, 12);
            return (table->slots[slot] = ++table->count) - 1;
        }
        if (memcmp(table->vertices[table->slots[slot] - 1], p, 12) == 0)
            return table->slots[slot] - 1;
    }
}

static void weld_once(const struct job *job)
{
    size_t size;
    const unsigned char *bytes = map_file(job->path, &size);
    size_t corners = size < 84 ? 0 : (size - 84) / 50 * 3;
    int bits = 10;
    while ((size_t)1 << bits < corners)
        bits++;
    struct table table = {calloc((size_t)1 << bits, sizeof(uint32_t)), allocate(corners, 12), 0, 64 - bits};
    uint32_t *indices = allocate(corners, sizeof *indices);
    if (!table.slots)
        fail("out of memory");
    for (size_t i = 0; i < corners; i++) {
        uint32_t position[3];
        memcpy(position, bytes + 84 + i / 3 * 50 + 12 + i % 3 * 12, sizeof position);
        indices[i] = find_vertex(&table, position);
    }
    kept = table.count;
    free(table.slots);
    free(table.vertices);
    free(indices);
    unmap_file(bytes, size);
}

/* ---- write ---- */

static void write_file(const char *path, size_t bytes, const unsigned char *buffer)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0)
        fail("%s cannot be written", path);
    while (bytes > 0) {
        ssize_t done = write(file, buffer, bytes < BUFFER_SIZE ? bytes : BUFFER_SIZE);
        if (done <= 0)
            fail("%s cannot be written", path);
        bytes -= (size_t)done;
    }
    close(file);
}

static void each_written_file(const struct job *job, const unsigned char *buffer)
{
    for (size_t i = 0; i < job->files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/floor_%zu", job->path, i);
        if (buffer)
            write_file(path, job->bytes / job->files, buffer);
        else
            unlink(path);
    }
}

static void write_once(const struct job *job)
{
    unsigned char *buffer = calloc(BUFFER_SIZE, 1);
    if (!buffer)
        fail("out of memory");
    each_written_file(job, buffer);
    free(buffer);
}

/* ---- the median ---- */

static void print_median(void once(const struct job *), const struct job *job)
{
    double seconds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        if (once == write_once)
            each_written_file(job, NULL);
        double begin = wall_seconds();
        once(job);
        seconds[i] = wall_seconds() - begin;
    }
    if (once == write_once)
        each_written_file(job, NULL);
    printf("%.6f\n", median(seconds, ROUNDS));
}

static size_t parse_count(const char *text, size_t most)
{
    char *end;
    unsigned long long count = strtoull(text, &end, 10);
    if (end == text || *end || count < 1 || count > most)
        fail("%s is no count from 1 to %zu", text, most);
    return (size_t)count;
}

int main(int count, char **arguments)
{
    const char *what = count > 2 ? arguments[1] : "";
    struct job job = {.path = count > 2 ? arguments[2] : NULL, .files = 1, .threads = 1};
    if (count == 3 && strcmp(what, "read") == 0) {
        print_median(read_once, &job);
    } else if (count == 3 && strcmp(what, "copy") == 0) {
        job.bytes = parse_count(arguments[2], (size_t)1 << 40);
        job.memory = allocate(2 * job.bytes, 1);
        memset(job.memory, 1, 2 * job.bytes);
        print_median(copy_once, &job);
        free(job.memory);
    } else if (count == 4 && strcmp(what, "parse") == 0) {
        job.threads = parse_count(arguments[3], MOST_THREADS);
        print_median(parse_once, &job);
    } else if (count == 3 && strcmp(what, "weld") == 0) {
        print_median(weld_once, &job);
    } else if (count == 5 && strcmp(what, "write") == 0) {
        job.bytes = parse_count(arguments[2], (size_t)1 << 40);
        job.files = parse_count(arguments[3], 1000000);
        job.path = arguments[4];
        print_median(write_once, &job);
    } else {
        fail("usage: floor read FILE | copy BYTES | parse FILE THREADS | weld FILE | write BYTES FILES FOLDER");
    }
    return 0;
}

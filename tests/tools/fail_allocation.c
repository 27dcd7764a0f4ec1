/* Loaded before a program (LD_PRELOAD), lets one allocation of any code fail, its libraries' too: the one whose number
 * FAIL_AT says, from 1 on, and with FAIL_ALL those after it. A process that is forked counts on from its parent's
 * number. When the program ends, the file FAIL_COUNT gets the number of its allocations. With FAIL_NUMBERS, a file of
 * two whole numbers of 64 bits, whoever watches a program that runs on reads the number of allocations so far in it,
 * and writes behind that the one that fails next. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own, by the names that it has for such libraries. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_long own[2], *numbers = own; /* of allocations so far; of the one that fails */
static long started_by;
static int fail_all, is_counting;

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("FAIL_AT");
    const char *shared = getenv("FAIL_NUMBERS");
    int file = shared ? open(shared, O_RDWR) : -1;
    void *map = file >= 0 ? mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0)
        (void)close(file);
    if (map != MAP_FAILED)
        numbers = map;
    if (at)
        numbers[1] = atol(at);
    fail_all = getenv("FAIL_ALL") != NULL;
    started_by = (long)getpid();
    is_counting = 1;
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("FAIL_COUNT");
    long count = numbers[0];
    is_counting = 0; /* what follows is ours */
    FILE *file = path && started_by == (long)getpid() ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", count);
        (void)fclose(file);
    }
}

static int fails(void)
{
    if (!is_counting)
        return 0;
    const long number = ++numbers[0], fail_at = numbers[1];
    if (fail_at == 0 || number < fail_at || (number > fail_at && !fail_all))
        return 0;
    errno = ENOMEM;
    return 1;
}

#pragma GCC visibility push(default)

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

/* Tells whether the loader wants memory for its table of symbols that are unique in a process, as libstdc++ has them.
 * glibc itself ends the process without it (do_lookup_unique in elf/dl-lookup.c), so that it always gets it. */
static int is_unique_table(size_t entry_size, const void *caller)
{
    enum { ENTRY_SIZE = 32, LOADER_SIZE = 1 << 18 };
    return entry_size == ENTRY_SIZE && (uintptr_t)caller - (uintptr_t)getauxval(AT_BASE) < LOADER_SIZE;
}

void *calloc(size_t count, size_t size)
{
    int always =
        is_unique_table(size, __builtin_return_address(0)) || is_unique_table(count, __builtin_return_address(0));
    return !always && fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return size > 0 && fails() ? NULL : __libc_realloc(block, size);
}

/* Maps files. Whole pages are the file's; the last, partial one is a copy, so that the byte behind the last one stays a
 * NUL. */
#include "disk.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

/* Returns the length in pages of size bytes and a NUL. */
static size_t mapped_length(size_t size)
{
    size_t page = page_size();
    return (size / page + 1) * page;
}

static bool read_tail(int file, char *to, size_t size, size_t offset)
{
    while (size > 0) {
        ssize_t got = pread(file, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        offset += (size_t)got;
        size -= (size_t)got;
    }
    return true;
}

bool mapping_open(struct mapping *mapping, int file, size_t size)
{
    *mapping = (struct mapping){0};
    if (size > SIZE_MAX - page_size())
        return false;
    size_t length = mapped_length(size), whole = length - page_size();
    char *data = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return false;
    *mapping = (struct mapping){.data = data, .size = size};
    bool good = whole == 0 || mmap(data, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
    if (good && read_tail(file, data + whole, size - whole, whole))
        return true;
    mapping_close(mapping);
    return false;
}

void mapping_forget(struct mapping *mapping, size_t size)
{
    enum { LEAST = 1 << 20 }; /* fewer bytes are not worth a call */
    size_t whole = mapping->data ? mapped_length(mapping->size) - page_size() : 0;
    size_t until = size < whole ? size / page_size() * page_size() : whole;
    if (until < mapping->forgotten + LEAST)
        return;
#ifdef MADV_DONTNEED /* other kernels free the pages when they need them */
    (void)madvise(mapping->data + mapping->forgotten, until - mapping->forgotten, MADV_DONTNEED);
#endif
    mapping->forgotten = until;
}

void mapping_close(struct mapping *mapping)
{
    if (mapping->data)
        (void)munmap(mapping->data, mapped_length(mapping->size));
    *mapping = (struct mapping){0};
}

/* Loads libraries that only some files need: what each takes at the start is in docs/performance.md. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/context.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char no_room[] = "";

/* Asks the system, as the allocator of a host is not asked by the libraries either. */
static bool has_room(size_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, size) == 0;
}

/* Sets the functions; returns NULL, or why that is not possible. */
static const char *load(const struct late_library *library)
{
    if (library->room && !has_room(library->room))
        return no_room;
    /* RTLD_LAZY would be faster, but the loader ends the process if it lacks memory when it binds a function later. */
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle && i < library->count; i++) {
        void *found = dlsym(handle, library->names[i]);
        if (!found)
            return dlerror();
        /* ISO C has no cast from dlsym's result to a function, so its bytes are copied. */
        memcpy((char *)library->functions + i * sizeof found, &found, sizeof found);
    }
    return handle ? NULL : dlerror();
}

/* The same once. Why it is not possible is the thread's own text. */
static const char *load_once(struct late_library *library)
{
    const char *why = NULL;
    pthread_mutex_lock(&lock);
    if (!library->is_loaded) {
        why = load(library);
        library->is_loaded = !why;
    }
    pthread_mutex_unlock(&lock);
    return why;
}

cp_status library_load(cp_context *context, struct late_library *library)
{
    const char *why = load_once(library);
    if (why == no_room)
        report_out_of_memory(context);
    else if (why)
        (void)report_error(context, CP_LIMIT, "library-missing", NOWHERE,
                           "a library that is needed here cannot be loaded: %.300s", why);
    return why ? CP_LIMIT : CP_OK;
}

bool library_is_there(struct late_library *library)
{
    return !load_once(library);
}

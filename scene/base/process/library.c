/* Loads libraries that only some files need. Without libzip (and its cryptography) and libxml2 (and its tables of
 * characters) `info` of an STL file takes 4.7 ms of CPU in place of 6.7. assimp is linked: if memory ran out while it is
 * loaded, its constructors would end the process. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/context.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Sets the functions; returns NULL, or why that is not possible. */
static const char *load(const struct late_library *library)
{
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

cp_status library_load(cp_context *context, struct late_library *library)
{
    cp_status status = CP_OK;
    pthread_mutex_lock(&lock);
    if (!library->is_loaded) {
        const char *why = load(library);
        library->is_loaded = !why;
        if (why)
            status = report_error(context, CP_LIMIT, "library-missing", NOWHERE,
                                  "a library that this format needs cannot be loaded: %.300s", why);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

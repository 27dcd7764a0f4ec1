/* Hashed when somebody asks, so that reading costs nothing more. */
#include "inputs.h"

#include <fcntl.h>
#include <unistd.h>

#include "../context.h"
#include "mapping.h"

bool input_hash(cp_context *context, const struct input *input, uint64_t *hash)
{
    struct mapping mapping;
    struct stat now;
    int file = *input->path ? context_open_file(context, input->path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return false;
    bool good = fstat(file, &now) == 0 && S_ISREG(now.st_mode) && (uint64_t)now.st_size == input->size &&
                time_of_change(&now) == input->changed && mapping_open(&mapping, file, (size_t)input->size);
    if (good) {
        *hash = hash_content(mapping.data, mapping.size);
        mapping_close(&mapping);
    }
    (void)close(file);
    return good;
}

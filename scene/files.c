/* The record of all files that went through a context, found again by their identity on the disk. */
#include "files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "context.h"

/* A regular file's device and number, as text. */
struct identity {
    char text[48];
};

static struct identity identity_of(dev_t device, ino_t inode)
{
    struct identity identity;
    (void)snprintf(identity.text, sizeof identity.text, "%llx/%llx", (unsigned long long)device,
                   (unsigned long long)inode);
    return identity;
}

/* One record for each regular file: its uses come together, its latest path counts. What is written is a new file, though
 * it may have got the number of one that was read and is gone. */
static cp_status find_later(cp_context *context, uint32_t index)
{
    struct file_record *file = &context->files[index];
    struct identity identity = identity_of(file->device, file->inode);
    const char *key = arena_copy_text(context->arena, identity.text, strlen(identity.text));
    uint32_t *known = key ? name_map_add(&context->file_places, key, index, NULL) : NULL;
    if (known && *known != index) {
        if (file->use == FILE_READ)
            file->use |= context->files[*known].use;
        *known = index;
    }
    return known ? CP_OK : CP_LIMIT;
}

cp_status files_record(cp_context *context, struct file_record file)
{
    void *files = context->files;
    if (!array_reserve(context, &files, &context->file_room, (uint64_t)context->file_count + 1, sizeof file))
        return CP_LIMIT;
    context->files = files;
    file.path = arena_copy_text(context->arena, file.path, strlen(file.path));
    if (!file.path)
        return CP_LIMIT;
    context->files[context->file_count++] = file;
    return file.missing || !file.inode ? CP_OK : find_later(context, context->file_count - 1);
}

/* A number is given to another file once its own is gone. (Standard input has no path to ask.) */
static bool is_still_there(const struct file_record *file)
{
    struct stat info;
    return !*file->path || (stat(file->path, &info) == 0 && info.st_dev == file->device && info.st_ino == file->inode);
}

bool files_known(const cp_context *context, const char *path, unsigned uses)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    struct identity identity = identity_of(info.st_dev, info.st_ino);
    const uint32_t *known = name_map_find(&context->file_places, identity.text);
    return known && (context->files[*known].use & uses) && is_still_there(&context->files[*known]);
}

void files_free(cp_context *context)
{
    memory_free(context, context->files, context->file_room, sizeof *context->files);
    name_map_free(&context->file_places);
}

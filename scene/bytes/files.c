/* The record of all files that went through a context and those beside it, by their identity on the disk. */
#include "files.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../context.h"

struct file_book {
    pthread_mutex_t placing; /* taken before `lock` */
    pthread_mutex_t lock;    /* of all that follows */
    cp_context *owner;       /* who has the memory; called by nobody else while others hold the lock */
    struct file_record *files;
    uint32_t file_count, file_room;
    struct name_map places;   /* indices of records by identity */
    struct name_map reserved; /* paths */
    unsigned next_number;
};

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

/* One record for each regular file: its uses come together, its latest path counts. What is written is a new file,
 * though it may have got the number of one that was read and is gone. */
static bool find_later(struct file_book *book, uint32_t index)
{
    struct file_record *file = &book->files[index];
    struct identity identity = identity_of(file->device, file->inode);
    const char *key = arena_copy_text(book->owner->arena, identity.text, strlen(identity.text));
    uint32_t *known = key ? name_map_add(&book->places, key, index, NULL) : NULL;
    if (known && *known != index) {
        if (file->use == FILE_READ)
            file->use |= book->files[*known].use;
        *known = index;
    }
    return known;
}

static bool record(struct file_book *book, struct file_record file)
{
    if (!array_reserve(book->owner, &book->files, &book->file_room, (uint64_t)book->file_count + 1, sizeof file))
        return false;
    file.path = arena_copy_text(book->owner->arena, file.path, strlen(file.path));
    if (!file.path)
        return false;
    book->files[book->file_count++] = file;
    return !file.inode || find_later(book, book->file_count - 1);
}

/* Lets the lock go. The owner's report has what went wrong; so has this context's, if it is another. */
static cp_status finish_entry(cp_context *context, bool done)
{
    (void)pthread_mutex_unlock(&context->book->lock);
    if (!done && context->book->owner != context)
        report_out_of_memory(context);
    return done ? CP_OK : CP_LIMIT;
}

cp_status files_record(cp_context *context, struct file_record file)
{
    (void)pthread_mutex_lock(&context->book->lock);
    return finish_entry(context, record(context->book, file));
}

cp_status files_reserve(cp_context *context, const char *path)
{
    struct file_book *book = context->book;
    (void)pthread_mutex_lock(&book->lock);
    const char *key = arena_copy_text(book->owner->arena, path, strlen(path));
    bool fresh = true;
    cp_status status = finish_entry(context, key && name_map_add(&book->reserved, key, 0, &fresh));
    return status == CP_OK && !fresh ? CP_NO : status;
}

bool files_reserved(const cp_context *context, const char *path)
{
    struct file_book *book = context->book;
    (void)pthread_mutex_lock(&book->lock);
    bool reserved = name_map_find(&book->reserved, path) != NULL;
    (void)pthread_mutex_unlock(&book->lock);
    return reserved;
}

void files_begin_placing(cp_context *context)
{
    (void)pthread_mutex_lock(&context->book->placing);
}

void files_end_placing(cp_context *context)
{
    (void)pthread_mutex_unlock(&context->book->placing);
}

/* A number is given to another file once its own is gone. (Standard input has no path to ask.) */
static bool is_still_there(const struct file_record *file)
{
    struct stat info;
    return !*file->path || (stat(file->path, &info) == 0 && info.st_dev == file->device && info.st_ino == file->inode);
}

bool files_known(const cp_context *context, const char *path, unsigned uses)
{
    struct file_book *book = context->book;
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    struct identity identity = identity_of(info.st_dev, info.st_ino);
    (void)pthread_mutex_lock(&book->lock);
    const uint32_t *known = name_map_find(&book->places, identity.text);
    struct file_record file = known ? book->files[*known] : (struct file_record){0};
    (void)pthread_mutex_unlock(&book->lock);
    return (file.use & uses) && is_still_there(&file);
}

unsigned files_next_number(cp_context *context)
{
    (void)pthread_mutex_lock(&context->book->lock);
    unsigned number = context->book->next_number++;
    (void)pthread_mutex_unlock(&context->book->lock);
    return number;
}

struct file_book *files_new(cp_context *context)
{
    struct file_book *book = memory_allocate_zeroed(context, 1, sizeof *book);
    if (!book)
        return NULL;
    book->owner = context;
    book->places.context = book->reserved.context = context;
    (void)pthread_mutex_init(&book->placing, NULL); /* the default kind cannot fail */
    (void)pthread_mutex_init(&book->lock, NULL);
    return book;
}

void files_free(struct file_book *book)
{
    if (!book)
        return;
    memory_free(book->owner, book->files, book->file_room, sizeof *book->files);
    name_map_free(&book->places);
    name_map_free(&book->reserved);
    (void)pthread_mutex_destroy(&book->lock);
    (void)pthread_mutex_destroy(&book->placing);
    memory_free(book->owner, book, 1, sizeof *book);
}

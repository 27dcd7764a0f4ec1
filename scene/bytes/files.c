/* The record of all files that went through a context and those beside it, by their identity on the disk. */
#include "files.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "../context.h"

/* A regular file, about 100 bytes with its places in the chains. */
struct entry {
    struct entry *next[2];   /* in its chains */
    uint64_t hashes[2];      /* of its path, and of its place on the disk */
    struct file_record file; /* its path follows */
    size_t size;             /* of all */
};
enum { BY_PATH, BY_PLACE };

struct file_book {
    pthread_mutex_t placing; /* taken before `lock` */
    pthread_mutex_t lock;    /* of all that follows */
    cp_context *owner;       /* who has the memory; called by nobody else while others hold the lock */
    struct entry **chains;   /* by hash: chain_count by path, then as many by place */
    size_t chain_count, count;
    struct name_map reserved; /* paths */
};

/* ---- entries ---- */

static struct entry **chain_of(const struct file_book *book, int way, uint64_t hash)
{
    return &book->chains[(size_t)way * book->chain_count + (hash & (book->chain_count - 1))];
}

static void add_to_chains(struct file_book *book, struct entry *entry)
{
    for (int way = BY_PATH; way <= BY_PLACE; way++) {
        struct entry **chain = chain_of(book, way, entry->hashes[way]);
        entry->next[way] = *chain;
        *chain = entry;
    }
}

static uint64_t hash_of_place(const struct file_book *book, dev_t device, ino_t inode)
{
    const uint64_t place[] = {(uint64_t)device, (uint64_t)inode};
    return hash_bytes(book->owner, place, sizeof place);
}

static struct entry *find_place(const struct file_book *book, dev_t device, ino_t inode)
{
    struct entry *entry = book->count ? *chain_of(book, BY_PLACE, hash_of_place(book, device, inode)) : NULL;
    while (entry && (entry->file.device != device || entry->file.inode != inode))
        entry = entry->next[BY_PLACE];
    return entry;
}

static void remove_entry(struct file_book *book, struct entry *entry)
{
    for (int way = BY_PATH; way <= BY_PLACE; way++) {
        struct entry **link = chain_of(book, way, entry->hashes[way]);
        while (*link != entry)
            link = &(*link)->next[way];
        *link = entry->next[way];
    }
    memory_free(book->owner, entry, 1, entry->size);
    book->count--;
}

/* One entry for each file: its uses come together, its latest path counts, and a path is that of the latest file there.
 * What is written is a new file, though it may have got the number of one that was read and is gone. */
static bool record(struct file_book *book, struct file_record file)
{
    if (!file.inode)
        return true;
    struct entry *same = find_place(book, file.device, file.inode);
    if (same && file.use == FILE_READ)
        file.use |= same->file.use;
    if (same && strcmp(same->file.path, file.path) == 0) {
        same->file.use = file.use;
        return true;
    }
    if (book->count >= book->chain_count) { /* twice as many chains */
        struct file_book old = *book;
        size_t count = old.chain_count ? 2 * old.chain_count : 16;
        struct entry **chains = memory_allocate_zeroed(book->owner, count, 2 * sizeof(struct entry *));
        if (!chains)
            return false;
        book->chains = chains;
        book->chain_count = count;
        for (size_t i = 0; i < old.chain_count; i++)
            for (struct entry *entry = old.chains[i], *next; entry; entry = next) {
                next = entry->next[BY_PATH];
                add_to_chains(book, entry);
            }
        memory_free(book->owner, old.chains, old.chain_count, 2 * sizeof(struct entry *));
    }
    size_t path_size = strlen(file.path) + 1, size = sizeof(struct entry) + path_size;
    uint64_t path_hash = hash_bytes(book->owner, file.path, path_size - 1);
    struct entry *entry = memory_allocate(book->owner, 1, size);
    if (!entry)
        return false;
    struct entry *replaced = *file.path ? *chain_of(book, BY_PATH, path_hash) : NULL;
    while (replaced && strcmp(replaced->file.path, file.path) != 0)
        replaced = replaced->next[BY_PATH];
    if (replaced)
        remove_entry(book, replaced);
    if (same)
        remove_entry(book, same);
    *entry =
        (struct entry){.hashes = {path_hash, hash_of_place(book, file.device, file.inode)}, .file = file, .size = size};
    entry->file.path = memcpy(entry + 1, file.path, path_size);
    add_to_chains(book, entry);
    book->count++;
    return true;
}

/* ---- the book ---- */

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
    bool known = name_map_find(&book->reserved, path);
    const char *key = known ? path : arena_copy_text(book->owner->arena, path, strlen(path));
    cp_status status = finish_entry(context, key && name_map_add(&book->reserved, key, 0, NULL));
    return status == CP_OK && known ? CP_NO : status;
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

bool files_known(const cp_context *context, const char *path, unsigned uses)
{
    struct file_book *book = context->book;
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    (void)pthread_mutex_lock(&book->lock);
    const struct entry *entry = find_place(book, info.st_dev, info.st_ino);
    bool known = entry && (entry->file.use & uses);
    /* A number is given to another file once its own is gone. (Standard input has no path to ask.) */
    if (known && *entry->file.path)
        known =
            stat(entry->file.path, &info) == 0 && info.st_dev == entry->file.device && info.st_ino == entry->file.inode;
    (void)pthread_mutex_unlock(&book->lock);
    return known;
}

struct file_book *files_new(cp_context *context)
{
    struct file_book *book = memory_allocate_zeroed(context, 1, sizeof *book);
    if (!book)
        return NULL;
    book->owner = context;
    book->reserved.context = context;
    (void)pthread_mutex_init(&book->placing, NULL); /* the default kind cannot fail */
    (void)pthread_mutex_init(&book->lock, NULL);
    return book;
}

void files_free(struct file_book *book)
{
    if (!book)
        return;
    for (size_t i = 0; i < book->chain_count; i++)
        while (book->chains[i])
            remove_entry(book, book->chains[i]);
    memory_free(book->owner, book->chains, book->chain_count, 2 * sizeof(struct entry *));
    name_map_free(&book->reserved);
    (void)pthread_mutex_destroy(&book->lock);
    (void)pthread_mutex_destroy(&book->placing);
    memory_free(book->owner, book, 1, sizeof *book);
}

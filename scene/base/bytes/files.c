/* The record of all files that went through a context, by their identity on the disk. */
#include "disk.h"

#include <string.h>
#include <sys/stat.h>

#include "base/context.h"

/* A regular file, about 100 bytes with its places in the chains. */
struct file_entry {
    struct file_entry *next[2]; /* in its chains */
    uint64_t hashes[2];         /* hashes of its path, and of its place on the disk */
    struct file_record file;    /* its path follows */
    size_t size;                /* of all */
};
enum { BY_PATH, BY_PLACE };

static struct file_entry **chain_of(const struct file_book *book, int way, uint64_t hash)
{
    return &book->chains[(size_t)way * book->chain_count + (hash & (book->chain_count - 1))];
}

static void add_to_chains(struct file_book *book, struct file_entry *entry)
{
    for (int way = BY_PATH; way <= BY_PLACE; way++) {
        struct file_entry **chain = chain_of(book, way, entry->hashes[way]);
        entry->next[way] = *chain;
        *chain = entry;
    }
}

static uint64_t hash_of_place(const cp_context *context, dev_t device, ino_t inode)
{
    const uint64_t place[] = {(uint64_t)device, (uint64_t)inode};
    return hash_bytes(context, place, sizeof place);
}

static struct file_entry *find_place(const cp_context *context, dev_t device, ino_t inode)
{
    const struct file_book *book = &context->files;
    struct file_entry *entry = book->count ? *chain_of(book, BY_PLACE, hash_of_place(context, device, inode)) : NULL;
    while (entry && (entry->file.device != device || entry->file.inode != inode))
        entry = entry->next[BY_PLACE];
    return entry;
}

static void remove_entry(cp_context *context, struct file_entry *entry)
{
    struct file_book *book = &context->files;
    for (int way = BY_PATH; way <= BY_PLACE; way++) {
        struct file_entry **link = chain_of(book, way, entry->hashes[way]);
        while (*link != entry)
            link = &(*link)->next[way];
        *link = entry->next[way];
    }
    memory_free(context, entry, 1, entry->size);
    book->count--;
}

/* Records the use of a file. Each file has one entry with all its uses and its latest path, and a path belongs to the
 * latest file there. A file that was written is new, even if it got the number of one that was read and is gone. */
cp_status files_record(cp_context *context, struct file_record file)
{
    struct file_book *book = &context->files;
    if (!file.inode)
        return CP_OK;
    struct file_entry *same = find_place(context, file.device, file.inode);
    if (same && file.use == FILE_READ)
        file.use |= same->file.use;
    if (same && strcmp(same->file.path, file.path) == 0) {
        same->file.use = file.use;
        return CP_OK;
    }
    if (book->count >= book->chain_count) { /* twice as many chains */
        struct file_book old = *book;
        size_t count = old.chain_count ? 2 * old.chain_count : 16;
        struct file_entry **chains = memory_allocate_zeroed(context, count, 2 * sizeof(struct file_entry *));
        if (!chains)
            return CP_LIMIT;
        book->chains = chains;
        book->chain_count = count;
        for (size_t i = 0; i < old.chain_count; i++)
            for (struct file_entry *entry = old.chains[i], *next; entry; entry = next) {
                next = entry->next[BY_PATH];
                add_to_chains(book, entry);
            }
        memory_free(context, old.chains, old.chain_count, 2 * sizeof(struct file_entry *));
    }
    size_t path_size = strlen(file.path) + 1, size = sizeof(struct file_entry) + path_size;
    uint64_t path_hash = hash_bytes(context, file.path, path_size - 1);
    struct file_entry *entry = memory_allocate(context, 1, size);
    if (!entry)
        return CP_LIMIT;
    struct file_entry *replaced = *file.path ? *chain_of(book, BY_PATH, path_hash) : NULL;
    while (replaced && strcmp(replaced->file.path, file.path) != 0)
        replaced = replaced->next[BY_PATH];
    if (replaced)
        remove_entry(context, replaced);
    if (same)
        remove_entry(context, same);
    *entry = (struct file_entry){
        .hashes = {path_hash, hash_of_place(context, file.device, file.inode)}, .file = file, .size = size};
    entry->file.path = memcpy(entry + 1, file.path, path_size);
    add_to_chains(book, entry);
    book->count++;
    return CP_OK;
}

bool files_known(const cp_context *context, const char *path, unsigned uses)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    const struct file_entry *entry = find_place(context, info.st_dev, info.st_ino);
    bool known = entry && (entry->file.use & uses);
    /* The system may give a file's number to another one once the file is gone. (Standard input has no path to
     * check.) */
    if (known && *entry->file.path)
        known =
            stat(entry->file.path, &info) == 0 && info.st_dev == entry->file.device && info.st_ino == entry->file.inode;
    return known;
}

void files_free(cp_context *context)
{
    struct file_book *book = &context->files;
    for (size_t i = 0; i < book->chain_count; i++)
        while (book->chains[i])
            remove_entry(context, book->chains[i]);
    memory_free(context, book->chains, book->chain_count, 2 * sizeof(struct file_entry *));
}

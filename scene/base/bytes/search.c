/* Searches further files in several spellings and folders. */
#include "bytes.h"

#include <string.h>

#include "base/text/text.h"

bool path_names_folder(const char *path)
{
    const char *last = text_file_name(path);
    return !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
}

bool path_leaves_folder(const char *path)
{
    int64_t depth = 0;
    while (*path && depth >= 0) {
        size_t size = strcspn(path, "/");
        if (size == 2 && path[0] == '.' && path[1] == '.')
            depth--;
        else if (size > 0 && !(size == 1 && path[0] == '.'))
            depth++;
        path += size + (path[size] == '/');
    }
    return depth < 0;
}

bool search_spell(const struct file_search *search, const char *name, uint32_t *attempt, struct buffer *spelled)
{
    enum { LONGEST = 4096 }; /* no file's path is longer; to try a hundred spellings of a longer one would take long */
    enum { AS_WRITTEN, LOWER, UPPER, LETTERS_COUNT };
    size_t size = strlen(name);
    if (size == 0 || size > LONGEST || (search->stays && path_leaves_folder(name)))
        return false;
    uint32_t suffix_count = 0;
    while (search->suffixes[suffix_count])
        suffix_count++;
    while (*attempt < suffix_count * (search->any_case ? LETTERS_COUNT : 1)) {
        uint32_t letters = *attempt / suffix_count;
        const char *suffix = search->suffixes[(*attempt)++ % suffix_count];
        spelled->size = 0;
        buffer_text(spelled, name);
        buffer_text(spelled, suffix);
        buffer_append(spelled, "", 1);
        if (spelled->failed)
            return false;
        char *slash = strrchr(spelled->data, '/');
        bool differs = letters == AS_WRITTEN;
        for (char *at = slash ? slash + 1 : spelled->data; *at && letters != AS_WRITTEN; at++) {
            bool turns = letters == LOWER ? *at >= 'A' && *at <= 'Z' : *at >= 'a' && *at <= 'z';
            *at = (char)(turns ? *at ^ 0x20 : *at);
            differs |= turns;
        }
        if (differs)
            return true;
    }
    return false;
}

typedef cp_status open_function(const struct source *parent, const char *name, struct source **opened);

/* Opens the file of one spelling, or else in the folders. CP_NO when there is none. */
static cp_status open_spelled(const struct file_search *search, const struct source *from, const char *spelled,
                              open_function *open, struct source **opened)
{
    cp_status status = open(from, spelled, opened);
    bool is_relative = spelled[0] != '/' && !uri_is_known(spelled);
    struct buffer path = {.context = from->context};
    for (uint32_t i = 0; status == CP_NO && is_relative && i < search->folder_count; i++) {
        path.size = 0;
        buffer_print(&path, "%s/%s", search->folders[i], spelled);
        buffer_append(&path, "", 1);
        status = path.failed ? CP_LIMIT : open(search->base, path.data, opened);
    }
    buffer_free(&path);
    return status;
}

cp_status search_open(const struct file_search *search, const struct source *from, const char *spelled,
                      struct source **opened)
{
    /* source_open_any_case looks for the exact name first. In several folders the exact name comes first in all. */
    bool at_once = search->ignores_case && search->folder_count == 0;
    cp_status status = at_once ? CP_NO : open_spelled(search, from, spelled, source_open, opened);
    return status == CP_NO && search->ignores_case ? open_spelled(search, from, spelled, source_open_any_case, opened)
                                                   : status;
}

cp_status search_find(const struct file_search *search, const struct source *from, const char *name,
                      struct source **opened)
{
    struct buffer spelled = {.context = from->context};
    uint32_t attempt = 0;
    cp_status status = CP_NO;
    *opened = NULL;
    while (status == CP_NO && search_spell(search, name, &attempt, &spelled))
        status = search_open(search, from, spelled.data, opened);
    bool failed = spelled.failed;
    buffer_free(&spelled);
    return failed ? CP_LIMIT : status;
}

/* Lists the inputs: words of the command line, lists and folders, sorted. */
#include "entries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SUFFIXES = 1000, LONGEST_SUFFIX = 12 };

/* A folder that waits for the walk; its contents have names from `name_at` on. */
struct folder {
    const char *path;
    size_t name_at;
};

struct listing {
    struct cli *cli;
    const struct list_request *request;
    struct entries *entries;
    const char *list;         /* the list that is being read, for messages */
    struct name_map suffixes; /* the importers', in lower case: ".stl" */
    struct name_map passed;   /* indices in entries->passed_over */
    struct folder *folders;
    uint32_t folder_count, folder_room;
    bool has_out; /* the output folder is there: */
    dev_t out_device;
    ino_t out_node;
};

/* ---- names ---- */

/* Returns the path without "//", "/./", a leading "./" and a trailing "/". "-" becomes "./-", as it would be standard
 * input. */
char *normal_path(struct arena *arena, const char *path, size_t size)
{
    char *copy = arena_allocate(arena, size + 3, 1), *out = copy;
    if (!copy)
        return NULL;
    if (path[0] == '/')
        *out++ = '/';
    const char *end = path + size;
    for (const char *at = path; at < end;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        size_t length = (size_t)((slash ? slash : end) - at);
        if (length > 0 && !(length == 1 && *at == '.')) {
            if (out > copy && out[-1] != '/')
                *out++ = '/';
            memcpy(out, at, length);
            out += length;
        }
        at += length + 1;
    }
    *out = '\0';
    if (out == copy)
        strcpy(copy, ".");
    else if (strcmp(copy, "-") == 0)
        strcpy(copy, "./-");
    return copy;
}

char *whole_path(struct arena *arena, const char *folder, const char *path)
{
    const char *joined = *path == '/' ? path : arena_print(arena, "%s/%s", folder, path);
    return joined ? normal_path(arena, joined, strlen(joined)) : NULL;
}

void resolve_dots(char *path)
{
    char *out = path;
    for (const char *at = path; *at;) {
        size_t size = strcspn(at + 1, "/") + 1;
        if (size == 3 && at[1] == '.' && at[2] == '.') {
            while (out > path && *--out != '/')
                ;
        } else {
            memmove(out, at, size);
            out += size;
        }
        at += size;
    }
    if (out == path)
        *out++ = '/';
    *out = '\0';
}

cp_status current_folder(struct cli *cli, struct arena *arena, const char **folder)
{
    char *here = getcwd(NULL, 0);
    if (!here)
        return complain(cli, CP_INPUT, "the current folder has no path: %s", strerror(errno));
    *folder = arena_copy_text(arena, here, strlen(here));
    free(here);
    return *folder ? CP_OK : CP_LIMIT;
}

/* Returns the folder and a name in it; *name_at moves with it. */
static const char *join_path(struct arena *arena, const char *folder, const char *name, size_t *name_at)
{
    if (strcmp(folder, ".") == 0) {
        *name_at = strcmp(name, "-") == 0 ? 2 : 0;
        return arena_print(arena, "%s%s", *name_at ? "./" : "", name);
    }
    size_t size = strlen(folder), name_size = strlen(name);
    bool slash = folder[size - 1] != '/';
    char *path = arena_allocate(arena, size + name_size + 2, 1);
    if (!path)
        return NULL;
    memcpy(path, folder, size);
    path[size] = '/';
    memcpy(path + size + slash, name, name_size + 1);
    return path;
}

/* Returns the suffix of a file's name, with the one before it if it is .gz; size 0: it has none. */
static const char *name_suffix(const char *name, size_t *size, bool *packed)
{
    size_t end = strlen(name);
    *packed = end > 3 && text_ends_nocase(name, ".gz");
    end -= *packed ? 3 : 0;
    for (size_t at = end; at-- > 1;)
        if (name[at] == '.') {
            *size = end - at;
            return name + at;
        }
    *size = 0;
    return name + end;
}

static bool lower_suffix(const char *suffix, size_t size, char lower[LONGEST_SUFFIX + 1])
{
    if (size == 0 || size > LONGEST_SUFFIX)
        return false;
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(suffix[i] >= 'A' && suffix[i] <= 'Z' ? suffix[i] - 'A' + 'a' : suffix[i]);
    lower[size] = '\0';
    return true;
}

static bool is_known(const struct listing *listing, const char *name)
{
    char lower[LONGEST_SUFFIX + 1];
    size_t size;
    bool packed;
    const char *suffix = name_suffix(name, &size, &packed), *end = suffix + size;
    for (int dots = 0; dots < 2 && suffix > name; dots++) { /* ".xml" may be unknown, and ".wc.xml" known */
        if (lower_suffix(suffix, (size_t)(end - suffix), lower) && name_map_find(&listing->suffixes, lower))
            return true;
        while (--suffix > name && *suffix != '.')
            continue;
    }
    return false;
}

/* Adds the suffixes of a list like ".a .b". */
static bool learn_list(struct listing *listing, const char *suffixes)
{
    size_t size;
    for (const char *at = suffixes; *at; at += size + (at[size] == ' ')) {
        size = strcspn(at, " ");
        char *suffix = arena_copy_text(listing->entries->arena, at, size);
        if (!suffix || !name_map_add(&listing->suffixes, suffix, 0, NULL))
            return false;
    }
    return true;
}

static bool learn_suffixes(struct listing *listing)
{
    listing->suffixes.context = listing->cli->context;
    for (size_t i = 0; i < plugin_count(CP_IMPORTER); i++) {
        const cp_plugin_info importer = plugin_at(CP_IMPORTER, i);
        if (importer.lists_pairs) /* most .xml files are something else */
            continue;
        if (!learn_list(listing, importer.suffixes) || !learn_list(listing, importer.further))
            return false;
    }
    return true;
}

/* ---- what walks leave out ---- */

static cp_status pass_over(struct listing *listing, const char *what)
{
    struct entries *entries = listing->entries;
    uint32_t *place = name_map_find(&listing->passed, what);
    if (!place && entries->passed_count >= MOST_SUFFIXES && *what == '.')
        return pass_over(listing, "other suffixes");
    if (!place) {
        char *copy = arena_copy_text(entries->arena, what, strlen(what));
        if (!copy || !(place = name_map_add(&listing->passed, copy, entries->passed_count, NULL)) ||
            !array_reserve(entries->context, &entries->passed_over, &entries->passed_room,
                           (uint64_t)entries->passed_count + 1, sizeof *entries->passed_over))
            return CP_LIMIT;
        entries->passed_over[entries->passed_count++] = (struct passed_over){copy, 0};
    }
    entries->passed_over[*place].count++;
    return CP_OK;
}

/* Counts a file that is passed over by its suffix, if it is one. */
static cp_status pass_over_name(struct listing *listing, const char *name)
{
    char lower[LONGEST_SUFFIX + 1];
    size_t size;
    bool packed;
    const char *suffix = name_suffix(name, &size, &packed);
    if (!lower_suffix(suffix, size + (packed ? 3 : 0), lower))
        return pass_over(listing, size + packed == 0 ? "no suffix" : "other suffixes");
    for (const char *at = lower + 1; *at; at++)
        if (!is_letter(*at) && !is_digit(*at) && !strchr("_-+.", *at))
            return pass_over(listing, "other suffixes");
    return pass_over(listing, lower);
}

static int compare_passed(const void *a, const void *b)
{
    const struct passed_over *first = a, *second = b;
    return first->count != second->count ? (first->count < second->count ? 1 : -1) : strcmp(first->what, second->what);
}

void sort_passed_over(struct passed_over *items, uint32_t count)
{
    if (count > 1)
        qsort(items, count, sizeof *items, compare_passed);
}

/* ---- entries ---- */

struct entry *entries_add(struct entries *entries, const char *in, const char *name)
{
    if (!array_reserve(entries->context, &entries->items, &entries->room, (uint64_t)entries->count + 1,
                       sizeof *entries->items))
        return NULL;
    struct entry *entry = &entries->items[entries->count++];
    *entry = (struct entry){.in = in, .name = name};
    return entry;
}

/* Orders entries by path; of one path, the longer name comes first. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    int order = strcmp(first->in, second->in);
    size_t size = order ? 0 : strlen(first->name), other = order ? 0 : strlen(second->name);
    return order ? order : size != other ? (size < other ? 1 : -1) : 0;
}

void entries_sort(struct entries *entries)
{
    uint32_t kept = 0;
    if (entries->count > 1)
        qsort(entries->items, entries->count, sizeof *entries->items, compare_entries);
    for (uint32_t i = 0; i < entries->count; i++)
        if (i == 0 || strcmp(entries->items[i].in, entries->items[kept - 1].in) != 0)
            entries->items[kept++] = entries->items[i];
    entries->count = kept;
}

static int compare_path(const void *path, const void *entry)
{
    return strcmp(path, ((const struct entry *)entry)->in);
}

const struct entry *entries_find(const struct entries *entries, const char *in)
{
    return entries->count ? bsearch(in, entries->items, entries->count, sizeof *entries->items, compare_path) : NULL;
}

void entries_free(struct entries *entries)
{
    if (!entries->context)
        return;
    memory_free(entries->context, entries->items, entries->room, sizeof *entries->items);
    memory_free(entries->context, entries->passed_over, entries->passed_room, sizeof *entries->passed_over);
    memory_free(entries->context, entries->roots, entries->root_room, sizeof *entries->roots);
    arena_free(entries->arena);
    *entries = (struct entries){0};
}

bool entries_open(struct cli *cli, struct entries *entries)
{
    if (!entries->context)
        entries->context = cli->context;
    if (!entries->arena)
        entries->arena = arena_new(cli->context);
    return entries->arena != NULL;
}

/* Returns what a path is that is no regular file; NULL for a regular one. */
static const char *fault_of(const struct stat *facts)
{
    return S_ISREG(facts->st_mode)    ? NULL
           : S_ISDIR(facts->st_mode)  ? "is a folder"
           : S_ISFIFO(facts->st_mode) ? "is a pipe, not a file"
           : S_ISSOCK(facts->st_mode) ? "is a socket, not a file"
                                      : "is a device, not a file";
}

static void set_facts(struct entry *entry, const struct stat *facts)
{
    entry->size = facts->st_size < 0 ? 0 : (uint64_t)facts->st_size;
    entry->modified = (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
    entry->fault = fault_of(facts);
}

static cp_status add_fault(struct entries *entries, const char *in, const char *name, const char *what, int error)
{
    struct entry *entry = entries_add(entries, in, name);
    const char *fault = arena_print(entries->arena, "%s: %s", what, strerror(error));
    if (!entry || !fault)
        return CP_LIMIT;
    entry->fault = fault;
    return CP_OK;
}

/* ---- folders ---- */

/* Tells whether a glob matches: the path if it has a slash, else the file's own name. */
static bool matches(const struct list *globs, const char *path, const char *name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->items[i], strchr(globs->items[i], '/') ? path : name, 0) == 0)
            return true;
    return false;
}

bool is_passed_over(const struct list_request *request, const char *path, const char *name)
{
    return *name == '.' || matches(&request->skip, path, name);
}

/* Keeps the first folder or file that was not read whole: nobody knows whether inputs in it are gone. */
static bool note_unread(struct entries *entries, const char *in, const char *what, int error)
{
    if (!entries->unread)
        entries->unread = arena_print(entries->arena, "%s: %s: %s", in, what, strerror(error));
    return entries->unread != NULL;
}

static cp_status add_unread(struct entries *entries, const char *in, const char *name, const char *what, int error)
{
    return note_unread(entries, in, what, error) ? add_fault(entries, in, name, what, error) : CP_LIMIT;
}

static cp_status add_folder(struct listing *listing, const char *path, size_t name_at)
{
    if (!array_reserve(listing->cli->context, &listing->folders, &listing->folder_room,
                       (uint64_t)listing->folder_count + 1, sizeof *listing->folders))
        return CP_LIMIT;
    listing->folders[listing->folder_count++] = (struct folder){path, name_at};
    return CP_OK;
}

static cp_status take_member(struct listing *listing, const struct folder *folder, int at, const char *name)
{
    struct entries *entries = listing->entries;
    const struct list_request *request = listing->request;
    struct stat facts;
    if (strncmp(name, ".cellpipe", strlen(".cellpipe")) == 0) /* ours: status files, temporaries */
        return CP_OK;
    if (name[0] == '.')
        return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? CP_OK : pass_over(listing, "hidden");
    int error = fstatat(at, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ? errno : 0;
    if (error == ENOENT) /* gone meanwhile */
        return CP_OK;
    size_t name_at = folder->name_at;
    const char *path = join_path(entries->arena, folder->path, name, &name_at), *what = "cannot be looked at";
    if (!path)
        return CP_LIMIT;
    bool is_link = !error && S_ISLNK(facts.st_mode);
    if (is_link && fstatat(at, name, &facts, 0) != 0) {
        error = errno;
        what = "is a link that leads nowhere";
    }
    if (!error && S_ISDIR(facts.st_mode) && is_link)
        return pass_over(listing, "links to folders");
    if (matches(&request->skip, path + name_at, name))
        return pass_over(listing, "left out by --skip");
    if (!error && S_ISDIR(facts.st_mode)) {
        bool is_out = listing->has_out && facts.st_dev == listing->out_device && facts.st_ino == listing->out_node;
        return is_out ? CP_OK : add_folder(listing, path, name_at);
    }
    if (request->only.count > 0 && !matches(&request->only, path + name_at, name))
        return pass_over(listing, "left out by --only");
    bool may_be_folder = error && !is_link;
    if (request->only.count == 0 && !may_be_folder && !is_known(listing, name))
        return pass_over_name(listing, name);
    if (error)
        return (is_link ? add_fault : add_unread)(entries, path, path + name_at, what, error);
    struct entry *entry = entries_add(entries, path, path + name_at);
    if (!entry)
        return CP_LIMIT;
    set_facts(entry, &facts);
    return CP_OK;
}

/* Walks the folders, with one open at a time. Links to folders are not followed, so that there are no loops. */
static cp_status walk(struct listing *listing)
{
    cp_status status = CP_OK;
    while (listing->folder_count > 0 && status == CP_OK) {
        struct folder folder = listing->folders[--listing->folder_count];
        int at = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
        DIR *members = at < 0 ? NULL : fdopendir(at);
        if (!members) {
            int error = errno;
            const char *slash = strrchr(folder.path, '/');
            if (at >= 0)
                (void)close(at);
            status = add_unread(listing->entries, folder.path, slash && slash[1] ? slash + 1 : folder.path,
                                "the folder cannot be read", error);
            continue;
        }
        const struct dirent *member = NULL;
        while (status == CP_OK && (errno = 0, member = readdir(members)))
            status = take_member(listing, &folder, at, member->d_name);
        if (status == CP_OK && errno != 0)
            status = add_unread(listing->entries, folder.path, folder.path, "the folder cannot be read", errno);
        (void)closedir(members);
        if (was_interrupted())
            status = CP_CANCELLED;
    }
    return status;
}

/* ---- what the user names ---- */

static cp_status add_root(struct entries *entries, const char *path)
{
    if (!array_reserve(entries->context, &entries->roots, &entries->root_room, (uint64_t)entries->root_count + 1,
                       sizeof *entries->roots))
        return CP_LIMIT;
    entries->roots[entries->root_count++] = (struct input_root){path, 0};
    return CP_OK;
}

static cp_status take_path(struct listing *listing, const char *given, size_t size)
{
    struct entries *entries = listing->entries;
    struct stat facts;
    const char *path = normal_path(entries->arena, given, size);
    if (!path)
        return CP_LIMIT;
    const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
    if (stat(path, &facts) != 0) {
        int error = errno;
        bool link = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
        return add_unread(entries, path, name, link ? "is a link that leads nowhere" : "cannot be opened", error);
    }
    if (S_ISDIR(facts.st_mode)) {
        if (listing->has_out && facts.st_dev == listing->out_device && facts.st_ino == listing->out_node)
            return complain(listing->cli, CP_USAGE,
                            "%s is the output folder: its outputs would be the inputs of the next run; give another "
                            "--out-dir",
                            path);
        size_t length = strlen(path);
        cp_status status = add_root(entries, path);
        uint32_t before = entries->count;
        if (status == CP_OK)
            status = add_folder(listing, path, strcmp(path, ".") == 0 ? 0 : length + (path[length - 1] != '/'));
        if (status == CP_OK)
            status = walk(listing);
        if (status == CP_OK)
            entries->roots[entries->root_count - 1].inputs = entries->count - before;
        return status;
    }
    struct entry *entry = entries_add(entries, path, name);
    if (!entry || (access(path, R_OK) != 0 && !note_unread(entries, path, "cannot be opened", errno)))
        return CP_LIMIT;
    set_facts(entry, &facts);
    return CP_OK;
}

static cp_status take_list_line(void *user, uint64_t line, const char *text, size_t size, bool whole)
{
    struct listing *listing = user;
    (void)whole;
    if (memchr(text, '\0', size))
        return complain(listing->cli, CP_INPUT, "%s:%llu: holds a NUL byte; for a list with NUL between paths say @0%s",
                        listing->list, (unsigned long long)line, listing->list);
    return size > 0 ? take_path(listing, text, size) : CP_OK;
}

/* Takes the entries of a list. `word` is the text after '@'. */
static cp_status take_list(struct listing *listing, const char *word)
{
    char end = *word == '0' && word[1] ? '\0' : '\n';
    const char *path = end ? word : word + 1;
    uint64_t line;
    if (!*path)
        return complain(listing->cli, CP_USAGE, "@ needs the name of a list, or - for standard input: @LIST, @-");
    bool is_input = strcmp(path, "-") == 0;
    listing->list = path;
    int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return complain(listing->cli, CP_INPUT, "the list %s cannot be opened: %s", path, strerror(errno));
    cp_status status = read_lines(listing->cli->context, file, end, take_list_line, listing, &line);
    if (status == CP_INPUT && line == 0)
        status = complain(listing->cli, CP_INPUT, "the list %s cannot be read: %s", path, strerror(errno));
    if (!is_input)
        (void)close(file);
    return status;
}

/* ---- --root ---- */

bool is_plain_name(const char *path)
{
    if (*path == '/')
        return false;
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
            return false;
    return true;
}

/* Returns the part of the path behind the folder; NULL when it is not below. */
static const char *below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    if (strcmp(folder, ".") == 0)
        return !is_plain_name(path) ? NULL : strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (strncmp(path, folder, size) != 0 || (folder[size - 1] != '/' && path[size] != '/'))
        return NULL;
    path += size + (folder[size - 1] != '/');
    return *path && is_plain_name(path) ? path : NULL;
}

static cp_status name_below_root(struct cli *cli, struct entries *entries, const char *given)
{
    enum { MOST_SHOWN = 20 };
    const char *here = NULL;
    cp_status status = current_folder(cli, entries->arena, &here);
    if (status != CP_OK)
        return status;
    const char *root = normal_path(entries->arena, given, strlen(given));
    const char *whole_root = root ? whole_path(entries->arena, here, root) : NULL;
    if (!whole_root)
        return CP_LIMIT;
    uint32_t outside = 0;
    for (uint32_t i = 0; i < entries->count; i++) {
        struct entry *entry = &entries->items[i];
        const char *name = below(entry->in, root);
        if (!name && (*root == '/') != (*entry->in == '/')) { /* one is absolute, one is not */
            const char *whole = whole_path(entries->arena, here, entry->in);
            if (!whole)
                return CP_LIMIT;
            name = below(whole, whole_root);
        }
        if (name)
            entry->name = name;
        else if (++outside <= MOST_SHOWN)
            (void)complain(cli, CP_USAGE, "%s is not below the folder of --root, %s", entry->in, given);
    }
    return outside == 0 ? CP_OK
                        : complain(cli, CP_USAGE, "%lu inputs are not below the folder of --root; give another --root",
                                   (unsigned long)outside);
}

void warn(struct cli *cli, const char *code, const char *file, uint64_t line, const char *text)
{
    const char *place = line ? cli_print(cli, "%s:%llu: ", file, (unsigned long long)line) : "cellpipe: ";
    const char *message = place ? cli_show(cli, "%swarning: %s", place, text) : NULL;
    if (!message)
        return;
    clear_progress(cli);
    if (!cli->quiet)
        fprintf(cli->messages, "%s\n", message);
    log_fault(cli, code, file, text, message);
}

void print_passed_over(const struct passed_over *items, uint32_t count, FILE *file)
{
    enum { MOST_SHOWN = 10 };
    uint64_t others = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i < MOST_SHOWN) {
            fprintf(file, "%s %llu ", i ? "," : "passed over:", (unsigned long long)items[i].count);
            print_shown(file, items[i].what);
        } else {
            others += items[i].count;
        }
    if (others > 0)
        fprintf(file, ", %llu others", (unsigned long long)others);
    if (count > 0)
        fputc('\n', file);
}

cp_status list_entries(struct cli *cli, const struct list_request *request, struct entries *entries)
{
    struct listing listing = {.cli = cli, .request = request, .entries = entries, .passed.context = cli->context};
    struct stat facts;
    if (request->in.count == 0)
        return complain(cli, CP_USAGE, "%s needs inputs: files, folders, or @LIST", cli->words.items[0]);
    listing.has_out = request->out_dir && stat(request->out_dir, &facts) == 0;
    listing.out_device = listing.has_out ? facts.st_dev : 0;
    listing.out_node = listing.has_out ? facts.st_ino : 0;
    cp_status status = entries_open(cli, entries) && learn_suffixes(&listing) ? CP_OK : CP_LIMIT;
    for (size_t i = 0; i < request->in.count && status == CP_OK; i++) {
        const char *word = request->in.items[i];
        if (strcmp(word, "-") == 0)
            status = complain(cli, CP_USAGE, "standard input has no name for an output; for a list of files say @-");
        else if (!*word)
            status = complain(cli, CP_USAGE, "an input has an empty name");
        else
            status = *word == '@' ? take_list(&listing, word + 1) : take_path(&listing, word, strlen(word));
    }
    entries_sort(entries);
    if (status == CP_OK && request->root)
        status = name_below_root(cli, entries, request->root);
    sort_passed_over(entries->passed_over, entries->passed_count);
    name_map_free(&listing.suffixes);
    name_map_free(&listing.passed);
    memory_free(cli->context, listing.folders, listing.folder_room, sizeof *listing.folders);
    return status;
}

cp_status allow_library(struct cli *cli, const struct entry *entry)
{
    size_t size = strlen(entry->in), tail = strlen(entry->name);
    if (tail >= size || strcmp(entry->in + size - tail, entry->name) != 0)
        return CP_OK;
    char *folder = memory_allocate_zeroed(cli->context, size - tail + 1, 1);
    if (!folder)
        return CP_LIMIT;
    memcpy(folder, entry->in, size - tail);
    cp_status status = cp_allow_folder(cli->context, folder);
    memory_free(cli->context, folder, size - tail + 1, 1);
    return status;
}

/* Finds the inputs: words of the command line, lists and folders. */
#include "settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SUFFIXES = 1000, LONGEST_SUFFIX = 12 };

struct listing {
    struct cli *cli;
    const struct list_request *request;
    struct entries *entries;
    const char *list;              /* the list that is being read, for messages */
    struct name_map suffixes;      /* the importers', in lower case: ".stl" */
    struct name_map passed;        /* indices in entries->passed_over */
    const struct input_root *root; /* the folder that is walked belongs to it */
    const char **folders;          /* names below the root, of those that wait for the walk; "": the root itself */
    uint32_t folder_count, folder_room;
    struct buffer name;  /* the member's path below the root */
    struct arena *paths; /* it holds texts of the open folder */
    bool has_out;        /* the output folder is there: */
    dev_t out_device;
    ino_t out_node;
};

/* ---- names ---- */

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

/* ---- entries ---- */

/* Returns what a path is that is no regular file; NULL for a regular one. */
static const char *fault_of(const struct stat *facts)
{
    return S_ISREG(facts->st_mode)    ? NULL
           : S_ISDIR(facts->st_mode)  ? "is a folder"
           : S_ISFIFO(facts->st_mode) ? "is a pipe, not a file"
           : S_ISSOCK(facts->st_mode) ? "is a socket, not a file"
                                      : "is a device, not a file";
}

static bool set_facts(struct entries *entries, struct entry *entry, const struct stat *facts)
{
    const char *fault = fault_of(facts);
    entry->size = facts->st_size < 0 ? 0 : (uint64_t)facts->st_size;
    entry->modified = (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
    return !fault || entries_set_fault(entries, entry, fault);
}

static cp_status add_fault(struct entries *entries, const struct input_root *root, const char *name, const char *what,
                           int error)
{
    struct entry *entry = entries_add(entries, root, name);
    const char *fault = arena_print(entries->arena, "%s: %s", what, strerror(error));
    return entry && fault && entries_set_fault(entries, entry, fault) ? CP_OK : CP_LIMIT;
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
static bool note_unread(struct entries *entries, const struct input_root *root, const char *name, const char *what,
                        int error)
{
    if (!entries->unread) {
        const char *path = root ? join_path(entries->arena, root->given, name) : NULL;
        entries->unread = path ? arena_print(entries->arena, "%s: %s: %s", path, what, strerror(error)) : NULL;
    }
    return entries->unread != NULL;
}

static cp_status add_unread(struct entries *entries, const struct input_root *root, const char *name, const char *what,
                            int error)
{
    return note_unread(entries, root, name, what, error) ? add_fault(entries, root, name, what, error) : CP_LIMIT;
}

static cp_status add_folder(struct listing *listing, const char *name)
{
    if (!array_reserve(listing->cli->context, &listing->folders, &listing->folder_room,
                       (uint64_t)listing->folder_count + 1, sizeof(char *)))
        return CP_LIMIT;
    listing->folders[listing->folder_count++] = name;
    return CP_OK;
}

/* Puts the name of a member below the root into listing->name. */
static bool name_member(struct listing *listing, const char *folder, const char *member)
{
    struct buffer *name = &listing->name;
    name->size = 0;
    buffer_text(name, folder);
    buffer_append(name, "/", *folder != '\0');
    buffer_text(name, member);
    buffer_append(name, "", 1);
    return !name->failed;
}

static cp_status take_member(struct listing *listing, const char *folder, int at, const char *member)
{
    struct entries *entries = listing->entries;
    const struct list_request *request = listing->request;
    struct stat facts;
    if (strncmp(member, ".cellpipe", strlen(".cellpipe")) == 0 || strcmp(member, SETTINGS_NAME) == 0)
        return CP_OK; /* ours: the state, temporaries, settings */
    if (member[0] == '.')
        return strcmp(member, ".") == 0 || strcmp(member, "..") == 0 ? CP_OK : pass_over(listing, "hidden");
    int error = fstatat(at, member, &facts, AT_SYMLINK_NOFOLLOW) != 0 ? errno : 0;
    const char *what = "cannot be looked at";
    if (error == ENOENT) /* gone meanwhile */
        return CP_OK;
    if (!name_member(listing, folder, member))
        return CP_LIMIT;
    bool is_link = !error && S_ISLNK(facts.st_mode);
    if (is_link && fstatat(at, member, &facts, 0) != 0) {
        error = errno;
        what = "is a link that leads nowhere";
    }
    if (!error && S_ISDIR(facts.st_mode) && is_link)
        return pass_over(listing, "links to folders");
    if (matches(&request->skip, listing->name.data, member))
        return pass_over(listing, "left out by --skip");
    bool is_folder = !error && S_ISDIR(facts.st_mode);
    if (is_folder && listing->has_out && facts.st_dev == listing->out_device && facts.st_ino == listing->out_node)
        return CP_OK;
    if (!is_folder && request->only.count > 0 && !matches(&request->only, listing->name.data, member))
        return pass_over(listing, "left out by --only");
    bool may_be_folder = error && !is_link;
    if (!is_folder && request->only.count == 0 && !may_be_folder && !is_known(listing, member))
        return pass_over_name(listing, member);
    const char *name = arena_copy_text(entries->arena, listing->name.data, listing->name.size - 1);
    if (!name || is_folder)
        return name ? add_folder(listing, name) : CP_LIMIT;
    if (error)
        return (is_link ? add_fault : add_unread)(entries, listing->root, name, what, error);
    struct entry *entry = entries_add(entries, listing->root, name);
    return entry && set_facts(entries, entry, &facts) ? CP_OK : CP_LIMIT;
}

/* Returns the root of a file that is named itself: its folder. */
static const struct input_root *root_of_file(struct listing *listing, const char *path, const char *name)
{
    struct entries *entries = listing->entries;
    size_t size = (size_t)(name - path);
    const char *folder = size == 0 ? "." : size > 1 ? arena_copy_text(entries->arena, path, size - 1) : "/";
    return folder ? entries_root(listing->cli, entries, folder) : NULL;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Adds an unread folder as an entry, which is a failure. */
static cp_status add_unread_folder(struct listing *listing, const char *folder, int error)
{
    struct entries *entries = listing->entries;
    const char *what = "the folder cannot be read", *given = listing->root->given, *name = last_name(given);
    if (*folder)
        return add_unread(entries, listing->root, folder, what, error);
    return add_unread(entries, root_of_file(listing, given, name), name, what, error);
}

/* Walks the folders, with one open at a time. Links to folders are not followed, so that there are no loops. */
static cp_status walk(struct listing *listing)
{
    cp_status status = CP_OK;
    while (listing->folder_count > 0 && status == CP_OK) {
        const char *folder = listing->folders[--listing->folder_count], *path = listing->root->given;
        arena_clear(listing->paths);
        if (*folder)
            path = join_path(listing->paths, path, folder);
        if (!path)
            return CP_LIMIT;
        int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
        DIR *members = at < 0 ? NULL : fdopendir(at);
        if (!members) {
            int error = errno;
            if (at >= 0)
                (void)close(at);
            status = add_unread_folder(listing, folder, error);
            continue;
        }
        const struct dirent *member = NULL;
        while (status == CP_OK && (errno = 0, member = readdir(members)))
            status = take_member(listing, folder, at, member->d_name);
        if (status == CP_OK && errno != 0)
            status = add_unread_folder(listing, folder, errno);
        (void)closedir(members);
        if (was_interrupted())
            status = CP_CANCELLED;
    }
    return status;
}

/* ---- what the user names ---- */

static cp_status walk_folder(struct listing *listing, const char *path)
{
    struct entries *entries = listing->entries;
    uint32_t before = entries->count;
    listing->root = entries_root(listing->cli, entries, path);
    if (!listing->root || !array_reserve(entries->context, &entries->walked, &entries->walked_room,
                                         (uint64_t)entries->walked_count + 1, sizeof *entries->walked))
        return CP_LIMIT;
    cp_status status = add_folder(listing, "");
    if (status == CP_OK)
        status = walk(listing);
    entries->walked[entries->walked_count++] = (struct walked_folder){listing->root->path, entries->count - before};
    return status;
}

static cp_status take_path(struct listing *listing, const char *given, size_t size)
{
    struct entries *entries = listing->entries;
    struct stat facts;
    const char *path = normal_path(entries->arena, given, size);
    if (!path)
        return CP_LIMIT;
    const char *name = last_name(path);
    if (stat(path, &facts) != 0) {
        int error = errno;
        bool link = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
        return add_unread(entries, root_of_file(listing, path, name), name,
                          link ? "is a link that leads nowhere" : "cannot be opened", error);
    }
    if (S_ISDIR(facts.st_mode)) {
        if (listing->has_out && facts.st_dev == listing->out_device && facts.st_ino == listing->out_node)
            return complain(listing->cli, CP_USAGE,
                            "%s is the output folder: its outputs would be the inputs of the next run; give another "
                            "--out-dir",
                            path);
        return walk_folder(listing, path);
    }
    struct entry *entry = entries_add(entries, root_of_file(listing, path, name), name);
    if (!entry || (access(path, R_OK) != 0 && !note_unread(entries, entry->root, name, "cannot be opened", errno)))
        return CP_LIMIT;
    return set_facts(entries, entry, &facts) ? CP_OK : CP_LIMIT;
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

static cp_status name_below_root(struct cli *cli, struct entries *entries, const char *given)
{
    enum { MOST_SHOWN = 20 };
    const char *folder = normal_path(entries->arena, given, strlen(given));
    const struct input_root *root = folder ? entries_root(cli, entries, folder) : NULL;
    if (!root)
        return CP_LIMIT;
    uint32_t outside = 0;
    for (uint32_t i = 0; i < entries->count; i++) {
        struct entry *entry = &entries->items[i];
        const char *path = entry_path(entries->arena, entry), *name = path ? path_below(path, folder) : NULL,
                   *place = name ? "" : join_path(entries->arena, entry->root->path, entry->name);
        if (!path || !place)
            return CP_LIMIT;
        if (!name)
            name = path_below(place, root->path);
        if (!name && ++outside <= MOST_SHOWN)
            (void)complain(cli, CP_USAGE, "%s is not below the folder of --root, %s", path, given);
        entry->root = root;
        entry->name = name;
    }
    if (outside > 0)
        return complain(cli, CP_USAGE, "%lu inputs are not below the folder of --root; give another --root",
                        (unsigned long)outside);
    entries_sort(entries); /* the names are new, and two spellings of one file are one now */
    return entries_keep_root(entries, root) ? CP_OK : CP_LIMIT;
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
    listing.name.context = cli->context;
    listing.paths = arena_new(cli->context);
    cp_status status = listing.paths && entries_open(cli, entries) && learn_suffixes(&listing) ? CP_OK : CP_LIMIT;
    for (size_t i = 0; i < request->in.count && status == CP_OK; i++) {
        const char *word = request->in.items[i];
        if (strcmp(word, "-") == 0)
            status = complain(cli, CP_USAGE, "standard input has no name here; for a list of files say @-");
        else if (!*word)
            status = complain(cli, CP_USAGE, "an input has an empty name");
        else
            status = *word == '@' ? take_list(&listing, word + 1) : take_path(&listing, word, strlen(word));
    }
    entries_sort(entries);
    if (status == CP_OK)
        status = entries_drop_inner(cli, entries);
    if (status == CP_OK && request->root)
        status = name_below_root(cli, entries, request->root);
    if (status == CP_OK && request->root_id)
        status = entries_name_root(cli, entries, request->root_id);
    sort_passed_over(entries->passed_over, entries->passed_count);
    name_map_free(&listing.suffixes);
    name_map_free(&listing.passed);
    buffer_free(&listing.name);
    arena_free(listing.paths);
    memory_free(cli->context, listing.folders, listing.folder_room, sizeof(char *));
    return status;
}

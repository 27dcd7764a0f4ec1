/* The list of inputs, and the folders in which their names begin. */
#include "../state/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool entries_open(struct cli *cli, struct entries *entries)
{
    if (!entries->context)
        entries->context = entries->root_names.context = entries->root_places.context = entries->root_ids.context =
            cli->context;
    if (!entries->arena)
        entries->arena = arena_new(cli->context);
    return entries->arena != NULL;
}

void entries_free(struct entries *entries)
{
    if (!entries->context)
        return;
    memory_free(entries->context, entries->items, entries->room, sizeof *entries->items);
    memory_free(entries->context, entries->passed_over, entries->passed_room, sizeof *entries->passed_over);
    memory_free(entries->context, entries->roots, entries->root_room, sizeof *entries->roots);
    memory_free(entries->context, entries->walked, entries->walked_room, sizeof *entries->walked);
    name_map_free(&entries->root_names);
    name_map_free(&entries->root_places);
    name_map_free(&entries->root_ids);
    arena_free(entries->arena);
    *entries = (struct entries){0};
}

/* ---- roots ---- */

/* Returns the id of a root that the user has not named: a hash of where it is. number: 0; or of the next ids, if that
 * one is taken. */
static const char *id_of_path(struct arena *arena, const char *path, unsigned number)
{
    const char *text = number > 0 ? arena_print(arena, "%s//%u", path, number) : path;
    return text ? arena_print(arena, "%016llx", (unsigned long long)cp_hash_bytes(text, strlen(text)).low) : NULL;
}

const struct input_root *entries_root_named(struct cli *cli, struct entries *entries, const char *given, const char *id)
{
    const uint32_t *known = name_map_find(&entries->root_names, given);
    if (known)
        return entries->roots[*known];
    const char *here = NULL;
    if (current_folder(cli, entries->arena, &here) != CP_OK)
        return NULL;
    struct input_root *root = arena_allocate(entries->arena, 1, sizeof *root);
    const char *path = root ? resolve_links(entries->arena, here, given) : NULL;
    if (path && (known = name_map_find(&entries->root_places, path))) /* the same folder by another spelling */
        return name_map_add(&entries->root_names, given, *known, NULL) ? entries->roots[*known] : NULL;
    bool is_named = id != NULL;
    if (path && !id)
        id = id_of_path(entries->arena, path, 0);
    if (!path || !id || !name_map_add(&entries->root_names, given, entries->root_count, NULL) ||
        !name_map_add(&entries->root_places, path, entries->root_count, NULL) ||
        !name_map_add(&entries->root_ids, id, entries->root_count, NULL) ||
        !array_reserve(entries->context, &entries->roots, &entries->root_room, (uint64_t)entries->root_count + 1,
                       sizeof(struct input_root *)))
        return NULL;
    *root = (struct input_root){.id = id, .path = path, .given = given, .is_named = is_named};
    return entries->roots[entries->root_count++] = root;
}

const struct input_root *entries_root(struct cli *cli, struct entries *entries, const char *given)
{
    return entries_root_named(cli, entries, given, NULL);
}

/* Fills the maps of roots anew. */
static bool index_roots(struct entries *entries)
{
    bool good = true;
    name_map_free(&entries->root_names);
    name_map_free(&entries->root_places);
    name_map_free(&entries->root_ids);
    for (uint32_t i = 0; i < entries->root_count && good; i++) {
        const struct input_root *root = entries->roots[i];
        good = name_map_add(&entries->root_names, root->given, i, NULL) &&
               name_map_add(&entries->root_places, root->path, i, NULL) &&
               name_map_add(&entries->root_ids, root->id, i, NULL);
    }
    return good;
}

bool entries_keep_root(struct entries *entries, const struct input_root *root)
{
    for (uint32_t i = 1; i < entries->root_count; i++)
        if (entries->roots[i] == root)
            entries->roots[0] = entries->roots[i];
    entries->root_count = 1;
    return index_roots(entries);
}

cp_status entries_name_root(struct cli *cli, struct entries *entries, const char *id)
{
    if (!*id || strlen(id) > MOST_ROOT_ID)
        return complain(cli, CP_USAGE, "--root-id needs a name of 1 to %d bytes", MOST_ROOT_ID);
    if (entries->root_count != 1)
        return complain(cli, CP_USAGE, "--root-id names one folder, and the inputs are in %u; see --root",
                        entries->root_count);
    entries->roots[0]->id = id;
    entries->roots[0]->is_named = true;
    return index_roots(entries) ? CP_OK : CP_LIMIT;
}

/* Gives a root the id by which the state knows its place. An id that is the hash of this place may be that of a library
 * which was moved from here: then this is another one. */
static cp_status adopt_id(struct state *state, struct arena *arena, struct input_root *root)
{
    struct input_root known;
    cp_status status = state_find_root_at(state, arena, root->path, &known);
    if (status == CP_OK)
        root->id = known.id;
    for (unsigned number = 1; status == CP_NO; number++) {
        status = state_find_root(state, arena, root->id, &known);
        if (status == CP_NO || (status == CP_OK && !*known.path))
            return CP_OK;
        if (status == CP_OK) {
            root->id = id_of_path(arena, root->path, number);
            status = root->id ? CP_NO : CP_LIMIT;
        }
    }
    return status;
}

/* Gives what is known of the root's place the id that was said, unless two libraries would become one: the id is that
 * of a folder which is still there, and this one is known by another id. */
static cp_status name_known(struct state *state, struct arena *arena, const struct input_root *root)
{
    struct input_root other, here;
    cp_status status = state_find_root(state, arena, root->id, &other);
    if (status != CP_OK || strcmp(other.path, root->path) == 0)
        return status == CP_NO ? state_name_root(state, root->id, root->path) : status;
    status = state_find_root_at(state, arena, root->path, &here);
    if (status == CP_OK && *other.path && access(other.path, F_OK) == 0)
        return complain(state->cli, CP_USAGE, "--root-id %s is the library in %s, and %s is known as %s", root->id,
                        other.path, root->given, here.id);
    return status == CP_NO ? CP_OK : status;
}

cp_status entries_agree_on_ids(struct entries *entries, struct state *state)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < entries->root_count && status == CP_OK; i++) {
        struct input_root *root = entries->roots[i];
        status = root->is_named ? name_known(state, entries->arena, root) : adopt_id(state, entries->arena, root);
    }
    return status == CP_OK && !index_roots(entries) ? CP_LIMIT : status;
}

const struct input_root *entries_root_of(const struct entries *entries, const struct input_root *other)
{
    const uint32_t *place = name_map_find(&entries->root_ids, other->id);
    if (!place)
        place = name_map_find(&entries->root_places, other->path);
    return place ? entries->roots[*place] : NULL;
}

const struct input_root *entries_root_like(const struct entries *entries, const struct input_root *other)
{
    const struct input_root *root = entries_root_of(entries, other);
    const uint32_t *place = root ? NULL : name_map_find(&entries->root_names, other->given);
    return place ? entries->roots[*place] : root;
}

/* ---- entries ---- */

struct entry *entries_add(struct entries *entries, const struct input_root *root, const char *name)
{
    if (!root || !array_reserve(entries->context, &entries->items, &entries->room, (uint64_t)entries->count + 1,
                                sizeof *entries->items))
        return NULL;
    struct entry *entry = &entries->items[entries->count++];
    *entry = (struct entry){.root = root, .name = name};
    return entry;
}

void entries_keep(struct entries *entries, const bool *chosen)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < entries->count; i++)
        if (chosen[i])
            entries->items[kept++] = entries->items[i];
    entries->count = kept;
}

bool entries_set_fault(struct entries *entries, struct entry *entry, const char *fault)
{
    const struct scan none = {.format = ""};
    struct scan *scan = arena_copy(entries->arena, entry->scan ? entry->scan : &none, 1, sizeof none);
    if (!scan)
        return false;
    scan->fault = fault;
    entry->scan = scan;
    return true;
}

const char *entry_path(struct arena *arena, const struct entry *entry)
{
    return join_path(arena, entry->root->given, entry->name);
}

/* A path in two pieces, read byte by byte. */
struct path_bytes {
    const char *at, *rest;
    bool slash; /* stands between the pieces */
};

static struct path_bytes path_bytes_of(const struct entry *entry)
{
    const char *folder = entry->root->given;
    size_t size = strlen(folder);
    bool here = strcmp(folder, ".") == 0;
    return (struct path_bytes){here ? "" : folder, entry->name, !here && folder[size - 1] != '/'};
}

static int next_byte(struct path_bytes *path)
{
    if (*path->at)
        return (unsigned char)*path->at++;
    if (path->slash) {
        path->slash = false;
        return '/';
    }
    path->at = path->rest;
    path->rest = "";
    return *path->at ? (unsigned char)*path->at++ : 0;
}

static int compare_paths(const struct entry *first, const struct entry *second)
{
    if (first->root == second->root)
        return strcmp(first->name, second->name);
    struct path_bytes a = path_bytes_of(first), b = path_bytes_of(second);
    for (;;) {
        int left = next_byte(&a), right = next_byte(&b);
        if (left != right || left == 0)
            return left - right;
    }
}

/* Orders entries by path; of one path, the longer name comes first. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    int order = compare_paths(first, second);
    size_t size = order ? 0 : strlen(first->name), other = order ? 0 : strlen(second->name);
    return order ? order : size != other ? (size < other ? 1 : -1) : 0;
}

void entries_sort(struct entries *entries)
{
    uint32_t kept = 0;
    if (entries->count > 1)
        qsort(entries->items, entries->count, sizeof *entries->items, compare_entries);
    for (uint32_t i = 0; i < entries->count; i++)
        if (i == 0 || compare_paths(&entries->items[i], &entries->items[kept - 1]) != 0)
            entries->items[kept++] = entries->items[i];
    entries->count = kept;
}

static int compare_key(const void *a, const void *b)
{
    return compare_paths(a, b);
}

const struct entry *entries_find(const struct entries *entries, const struct input_root *root, const char *name)
{
    const struct entry key = {.root = root, .name = name};
    return entries->count ? bsearch(&key, entries->items, entries->count, sizeof *entries->items, compare_key) : NULL;
}

cp_status allow_library(struct cli *cli, const struct entry *entry)
{
    return cp_allow_folder(cli->context, entry->root->given);
}

/* ---- one file by two folders ---- */

/* Returns the nearest root above this one, or NULL. path has room for its path. */
static const struct input_root *root_above(const struct entries *entries, const struct input_root *root, char *path)
{
    strcpy(path, root->path);
    for (char *slash; path[1] && (slash = strrchr(path, '/'));) {
        slash[slash == path] = '\0';
        const uint32_t *place = name_map_find(&entries->root_places, path);
        if (place)
            return entries->roots[*place];
    }
    return NULL;
}

/* Tells whether a root above the entry's has the same file, too. */
static bool is_had_above(const struct entries *entries, const struct entry *entry, struct arena *scratch)
{
    const char *path = join_path(scratch, entry->root->path, entry->name);
    char *above = path ? arena_allocate(scratch, strlen(entry->root->path) + 1, 1) : NULL;
    for (const struct input_root *root = entry->root; above && (root = root_above(entries, root, above));) {
        const char *name = path_below(path, root->path);
        const struct entry *same = name ? entries_find(entries, root, name) : NULL;
        if (same && same->root == root) /* another root's may be spelt alike: the entry itself */
            return true;
    }
    return false;
}

cp_status entries_drop_inner(struct cli *cli, struct entries *entries)
{
    uint32_t kept = 0;
    if (entries->root_count < 2)
        return CP_OK;
    struct arena *scratch = arena_new(cli->context);
    bool *drops = memory_allocate_zeroed(cli->context, entries->count, sizeof *drops);
    for (uint32_t i = 0; i < entries->count && scratch && drops; i++) {
        drops[i] = is_had_above(entries, &entries->items[i], scratch);
        arena_clear(scratch);
    }
    for (uint32_t i = 0; i < entries->count && drops; i++)
        if (!drops[i])
            entries->items[kept++] = entries->items[i];
    cp_status status = scratch && drops ? CP_OK : CP_LIMIT;
    memory_free(cli->context, drops, entries->count, sizeof *drops);
    arena_free(scratch);
    entries->count = status == CP_OK ? kept : entries->count;
    return status;
}

/* ---- what walks left out ---- */

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

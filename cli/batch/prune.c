/* Outputs whose input is gone. A wrong guess loses somebody's work, so any doubt keeps all outputs: a folder that could
 * not be read, a folder that is empty as if nothing were mounted there. */
#include "batch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gone_output {
    const char *in;  /* absolute */
    const char *out; /* below the output folder */
};

static bool is_gone(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static bool is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && (folder[size - 1] == '/' || path[size] == '/');
}

/* ---- which are gone ---- */

struct search {
    const struct batch_request *asked;
    const struct batch_site *site;
    const struct batch_work *work;
    struct batch_removal *removal;
    struct arena *scratch;
    uint32_t *gone;   /* by walked folder */
    uint64_t outputs; /* how many have files */
};

/* Tells whether a walk from the folder does not come to the path's folder: one on the way is a link, hidden, or left
 * out by --skip. */
static bool is_aside(const struct batch_request *asked, const char *folder, char *path)
{
    size_t top = strlen(folder);
    bool aside = false;
    char *below = path + top + (folder[top - 1] != '/'), *name = below;
    for (char *slash; !aside && (slash = strchr(name, '/')); name = slash + 1) {
        struct stat facts;
        *slash = '\0';
        aside = is_passed_over(&asked->list, below, name) || (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode));
        *slash = '/';
    }
    return aside;
}

/* Returns the number of the walked folder in which the path was looked for; UINT32_MAX: in none. */
static uint32_t folder_of(const struct search *search, char *path)
{
    const struct entries *entries = &search->work->entries;
    for (uint32_t i = 0; i < entries->walked_count; i++)
        if (is_below(path, entries->walked[i].path) && !is_aside(search->asked, entries->walked[i].path, path))
            return i;
    return UINT32_MAX;
}

static bool is_empty(const char *path)
{
    const struct dirent *member;
    DIR *folder = opendir(path);
    bool empty = folder != NULL;
    while (empty && (member = readdir(folder)))
        empty = strcmp(member->d_name, ".") == 0 || strcmp(member->d_name, "..") == 0;
    if (folder)
        (void)closedir(folder);
    return empty;
}

/* Cuts the path of a gone input to the nearest folder that exists, and notes an empty one. A mount point below the
 * folder is empty, too; but so is a folder whose only file was removed. */
static void note_emptied(struct batch_removal *removal, const char *folder, char *path)
{
    do
        *strrchr(path, '/') = '\0';
    while (is_below(path, folder) && is_gone(path));
    if (!is_below(path, folder) || !is_empty(path))
        return;
    if (removal->empty && strcmp(removal->empty, path) == 0)
        removal->emptied = path;
    removal->empty = path;
}

static cp_status add_gone(struct search *search, uint32_t folder, char *in, const char *out)
{
    struct arena *arena = search->site->arena;
    struct batch_removal *removal = search->removal;
    struct gone_output *gone = arena_allocate(arena, 1, sizeof *gone);
    if (!gone || !array_reserve(search->site->cli->context, &removal->gone, &removal->gone_room,
                                (uint64_t)removal->gone_count + 1, sizeof(struct gone_output *)))
        return CP_LIMIT;
    *gone = (struct gone_output){arena_copy_text(arena, in, strlen(in)), arena_copy_text(arena, out, strlen(out))};
    char *path = arena_copy_text(arena, in, strlen(in));
    if (!gone->in || !gone->out || !path)
        return CP_LIMIT;
    removal->gone[removal->gone_count++] = gone;
    search->gone[folder]++;
    note_emptied(removal, search->work->entries.walked[folder].path, path);
    return CP_OK;
}

static cp_status add_ghost(const struct search *search, const char *out)
{
    const char *copy = arena_copy_text(search->site->arena, out, strlen(out));
    return copy && list_add(search->site->cli, &search->removal->ghosts, copy) ? CP_OK : CP_LIMIT;
}

/* Adds the output of a row if this run has looked for its input and not found it. */
static cp_status look_for(void *user, const struct state_row *row)
{
    struct search *search = user;
    const struct batch_work *work = search->work;
    struct batch_removal *removal = search->removal;
    const struct record *record = &row->record;
    const struct input_root *root = entries_root_of(&work->entries, &row->root);
    arena_clear(search->scratch);
    search->outputs += row->has_files;
    if ((root && entries_find(&work->entries, root, record->name)) || name_map_find(&work->taken, record->out))
        return CP_OK;
    char *in = whole_path(search->scratch, root ? root->path : row->root.path, record->name);
    const char *out = place_of_output(search->site, search->scratch, record->out);
    if (!in || !out)
        return CP_LIMIT;
    resolve_dots(in);
    if (!is_gone(in))
        return CP_OK;
    uint32_t folder = root ? folder_of(search, in) : UINT32_MAX;
    if (!row->has_files || is_gone(out)) {
        search->outputs -= row->has_files;
        return folder == UINT32_MAX ? CP_OK : add_ghost(search, record->out);
    }
    if (folder != UINT32_MAX)
        return add_gone(search, folder, in, record->out);
    if (removal->outside_count++ == 0)
        removal->outside = arena_copy_text(search->site->arena, in, strlen(in));
    return CP_OK;
}

/* Sets removal->keeps if nothing may be removed. */
static cp_status find_doubt(const struct search *search)
{
    const struct entries *entries = &search->work->entries;
    const struct batch_request *asked = search->asked;
    struct batch_removal *removal = search->removal;
    struct arena *arena = search->site->arena;
    const char *limit = "; if that is right, say --max-prune=100%", *text = NULL;
    bool is_asked = asked->most_pruned < 1;
    for (uint32_t i = 0; i < entries->walked_count && is_asked && !text; i++)
        if (entries->walked[i].inputs == 0 && search->gone[i] > 0 &&
            !(text = arena_print(arena, "%s has no input left, as if it were not mounted%s", entries->walked[i].path,
                                 limit)))
            return CP_LIMIT;
    if (removal->emptied && removal->gone_count > 0 && is_asked && !text &&
        !(text = arena_print(arena, "%s is empty, as if it were not mounted%s", removal->emptied, limit)))
        return CP_LIMIT;
    if (!text && (double)removal->gone_count > asked->most_pruned * (double)search->outputs &&
        !(text = arena_print(arena, "%u of %llu outputs would be removed, more than %g %%%s", removal->gone_count,
                             (unsigned long long)search->outputs, 100 * asked->most_pruned, limit)))
        return CP_LIMIT;
    removal->keeps = entries->unread ? entries->unread : text;
    return CP_OK;
}

cp_status find_gone(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                    const struct batch_work *work, struct batch_removal *removal)
{
    struct search search = {.asked = asked, .site = site, .work = work, .removal = removal};
    uint64_t known = 0;
    cp_status status = state_count(state, &known);
    if (status != CP_OK || known == (asked->dry_run ? work->found : work->entries.count))
        return status; /* all that is known is of inputs of this run, of which each has a record at its end */
    search.scratch = arena_new(site->cli->context);
    search.gone = arena_allocate(site->arena, (size_t)work->entries.walked_count + 1, sizeof *search.gone);
    for (uint32_t i = 0; search.gone && i < work->entries.walked_count; i++)
        search.gone[i] = 0;
    status = search.scratch && search.gone ? state_each(state, STATE_PLACES, look_for, &search) : CP_LIMIT;
    arena_free(search.scratch);
    return status == CP_OK && asked->prune ? find_doubt(&search) : status;
}

/* ---- removal ---- */

static void tell_of_output(const struct batch_site *site, const char *path, const char *what, const char *why)
{
    FILE *file = site->cli->messages;
    print_shown(file, path);
    fprintf(file, ": %s", what);
    print_shown(file, why);
    fputc('\n', file);
}

void print_gone(const struct batch_site *site, const struct batch_removal *removal, uint32_t index, const char *word)
{
    const char *out = join_path(site->arena, site->out_dir, removal->gone[index]->out);
    printf("%-7s ", word);
    print_shown(stdout, out ? out : "");
    printf(" (");
    print_shown(stdout, removal->gone[index]->in);
    printf(" is gone)\n");
}

/* Removes empty folders, from the one of `path` up to `top`, which stays; writes into path. */
static void remove_empty_folders(char *path, const char *top)
{
    while (is_below(path, top) && rmdir(path) == 0)
        *strrchr(path, '/') = '\0';
}

/* Removes one file if it is below the output folder `top` and has the record's bytes. */
static void remove_file(const struct batch_site *site, const char *top, const char *shown, char *path, cp_hash hash)
{
    struct record_input now;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    char *folder = realpath(slash > path ? path : "/", NULL);
    *slash = '/';
    if (!folder || is_gone(path)) {
        free(folder);
        return;
    }
    if (strcmp(folder, top) != 0 && !is_below(folder, top))
        tell_of_output(site, shown, "warning: lies elsewhere than in the output folder, and stays", "");
    else if (!hash_file(path, &now) || !hash_equals(now.hash, hash))
        tell_of_output(site, shown, "warning: is not as it was written, and stays", "");
    else if (unlink(path) != 0)
        tell_of_output(site, shown, "warning: cannot be removed: ", strerror(errno));
    else
        remove_empty_folders(folder, top);
    free(folder);
}

/* Removes the outputs, unless the input has come back since, and what is known of them. */
static cp_status remove_outputs(const struct batch_site *site, struct state *state, const struct gone_output *gone)
{
    struct record record;
    if (!is_gone(gone->in))
        return CP_OK;
    if (!site->cli->quiet)
        tell_of_output(site, join_path(site->arena, site->out_dir, gone->out),
                       "note: is removed, for its input is gone: ", gone->in);
    cp_status status = state_find(state, gone->out, &record);
    for (uint32_t i = 0; status == CP_OK && i < record.output_count; i++) {
        const char *shown = place_of_output(site, site->arena, record.outputs[i].path);
        char *path = whole_path(site->arena, site->out_place, record.outputs[i].path);
        if (!shown || !path)
            return CP_LIMIT;
        remove_file(site, site->out_place, shown, path, record.outputs[i].hash);
    }
    const char *out = place_of_output(site, site->arena, gone->out);
    if (status != CP_OK || !out)
        return status == CP_NO ? CP_OK : status == CP_OK ? CP_LIMIT : status;
    return is_gone(out) ? state_remove(state, gone->out) : CP_OK; /* the next run tells again of what stays */
}

static void tell_kept(const struct batch_site *site, const struct batch_removal *removal)
{
    FILE *file = site->cli->messages;
    if (removal->outside_count == 0)
        return;
    fprintf(file,
            "cellpipe: note: kept %u output%s whose input is gone from no folder of this run: ", removal->outside_count,
            plural(removal->outside_count));
    print_shown(file, removal->outside ? removal->outside : "");
    fputs(removal->outside_count > 1 ? " and others\n" : "\n", file);
}

cp_status prune(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                const struct batch_removal *removal)
{
    if (asked->prune && !site->cli->quiet)
        tell_kept(site, removal);
    if (asked->prune && removal->keeps)
        return complain(site->cli, CP_NO, "nothing is removed: %s", removal->keeps);
    bool removes = asked->prune && removal->gone_count > 0, forgets = removal->ghosts.count > 0;
    cp_status status = removes || forgets ? state_begin(state) : CP_OK;
    for (uint32_t i = 0; i < removal->gone_count && status == CP_OK; i++)
        if (removes)
            status = remove_outputs(site, state, removal->gone[i]);
        else if (!site->cli->quiet)
            tell_of_output(site, join_path(site->arena, site->out_dir, removal->gone[i]->out),
                           "note: --prune would remove it, for its input is gone: ", removal->gone[i]->in);
    for (size_t i = 0; i < removal->ghosts.count && status == CP_OK; i++)
        status = state_remove(state, removal->ghosts.items[i]);
    return (removes || forgets) && status == CP_OK ? commit_removals(site, state) : status;
}

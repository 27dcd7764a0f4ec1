/* Outputs whose input is gone. A wrong guess loses somebody's work, so any doubt keeps all outputs: a path that was not
 * looked for, a folder that could not be read, a folder that is empty as if nothing were mounted there. */
#include "batch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_gone(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* ---- places ---- */

/* Returns the path as the system would have found it when the record was written; NULL if the record does not tell, or
 * there is no memory. */
static char *recorded_path(const struct batch_site *site, const struct record *record, const char *path)
{
    return *path == '/' || *record->cwd == '/' ? whole_path(site->arena, record->cwd, path) : NULL;
}

/* Changes the path to its normal form, and tells whether no file is there before or after. If the form before leads
 * over a folder that is gone ("GONE/../lib"), or over a link, the two name different files. */
static bool is_gone_by_both(char *path)
{
    bool gone = is_gone(path);
    resolve_dots(path);
    return gone && is_gone(path);
}

static bool is_another_there(const struct record *record)
{
    bool there = false;
    for (size_t i = 0; i < record->also.count; i++)
        there = there || !is_gone(record->also.items[i]);
    return there;
}

static bool is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && (folder[size - 1] == '/' || path[size] == '/');
}

/* A root's absolute path, and the counts of outputs whose inputs were below it. */
struct output_place {
    char *path;
    uint32_t gone;
};

/* Tells whether a walk from the root does not come to the path's folder: one on the way is a link, hidden, or left out
 * by --skip. */
static bool is_aside(const struct batch_request *asked, const struct output_place *place, char *path)
{
    size_t top = strlen(place->path);
    bool aside = false;
    char *below = path + top + (place->path[top - 1] != '/'), *name = below;
    for (char *slash; !aside && (slash = strchr(name, '/')); name = slash + 1) {
        struct stat facts;
        *slash = '\0';
        aside = is_passed_over(&asked->list, below, name) || (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode));
        *slash = '/';
    }
    return aside;
}

/* Returns the folder among `places` in which the path was looked for; NULL: in none. */
static struct output_place *place_of(const struct batch_request *asked, const struct batch_work *work,
                                     struct output_place *places, char *path)
{
    for (uint32_t i = 0; i < work->entries.root_count; i++)
        if (is_below(path, places[i].path) && !is_aside(asked, &places[i], path))
            return &places[i];
    return NULL;
}

static cp_status find_places(const struct batch_site *site, const struct batch_work *work, struct output_place **places)
{
    const struct entries *entries = &work->entries;
    *places = arena_allocate(site->arena, (size_t)entries->root_count + 1, sizeof **places);
    for (uint32_t i = 0; *places && i < entries->root_count; i++) {
        char *path = whole_path(site->arena, site->cwd, entries->roots[i].path);
        if (!path)
            return CP_LIMIT;
        resolve_dots(path);
        (*places)[i] = (struct output_place){path, 0};
    }
    return *places ? CP_OK : CP_LIMIT;
}

/* ---- which are gone ---- */

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

/* Cuts the path of a gone input to the nearest folder that exists, and notes an empty one. A mount point below the root
 * is empty, too; but so is a folder whose only file was removed. */
static void note_emptied(struct batch_removal *removal, const struct output_place *place, char *path)
{
    do
        *strrchr(path, '/') = '\0';
    while (is_below(path, place->path) && is_gone(path));
    if (!is_below(path, place->path) || !is_empty(path))
        return;
    if (removal->empty && strcmp(removal->empty, path) == 0)
        removal->emptied = path;
    removal->empty = path;
}

/* Adds the record to removal->gone if this run has looked for its input and not found it. */
static cp_status look_for(const struct batch_request *asked, const struct batch_site *site,
                          const struct batch_work *work, struct batch_removal *removal, struct output_place *places,
                          const struct record *record)
{
    if (record->output_count == 0 || entries_find(&work->entries, record->in))
        return CP_OK;
    char *input = recorded_path(site, record, record->in), *output = recorded_path(site, record, record->out);
    if (*record->in != '/' && *record->cwd != '/') {
        removal->old_count += !is_gone(record->out);
        return CP_OK;
    }
    if (!input || !output)
        return CP_LIMIT;
    if (!is_gone_by_both(input) || is_another_there(record) || is_gone(output))
        return CP_OK;
    struct output_place *place = place_of(asked, work, places, input);
    if (place) {
        place->gone++;
        removal->gone[removal->gone_count++] = record;
        note_emptied(removal, place, input);
    } else if (removal->outside_count++ == 0) {
        removal->outside = record->in;
    }
    return CP_OK;
}

/* Adds the absolute path of an output that stays. */
static cp_status keep_output(const struct batch_site *site, struct name_map *kept, const char *cwd, const char *output)
{
    char *path = whole_path(site->arena, *cwd ? cwd : site->cwd, output);
    if (!path)
        return CP_LIMIT;
    resolve_dots(path);
    return name_map_add(kept, path, 0, NULL) ? CP_OK : CP_LIMIT;
}

/* Keeps outputs of gone inputs that another input has, too, whichever of the two wrote it last. */
static cp_status keep_shared(const struct batch_site *site, const struct batch_work *work,
                             struct batch_removal *removal)
{
    struct name_map kept = {.context = site->cli->context};
    uint32_t next = 0, count = 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < work->entries.count && status == CP_OK; i++)
        if (work->entries.items[i].out)
            status = keep_output(site, &kept, site->cwd, work->entries.items[i].out);
    for (uint32_t i = 0; i < work->history.count && status == CP_OK; i++) {
        const struct record *record = work->history.items[i];
        bool is_going = next < removal->gone_count && removal->gone[next] == record;
        next += is_going;
        for (uint32_t k = 0; k < record->output_count && !is_going && status == CP_OK; k++)
            status = keep_output(site, &kept, record->cwd, record->outputs[k].path);
    }
    for (uint32_t i = 0; i < removal->gone_count && status == CP_OK; i++) {
        char *output = recorded_path(site, removal->gone[i], removal->gone[i]->out);
        if (output)
            resolve_dots(output);
        if (!output)
            status = CP_LIMIT;
        else if (!name_map_find(&kept, output))
            removal->gone[count++] = removal->gone[i];
    }
    name_map_free(&kept);
    removal->gone_count = count;
    return status;
}

/* Counts the records whose output exists. */
static uint32_t count_outputs(const struct batch_site *site, const struct batch_work *work)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->history.count; i++) {
        const struct record *record = work->history.items[i];
        const char *path = record->output_count > 0 ? recorded_path(site, record, record->out) : NULL;
        count += path && !is_gone(path);
    }
    return count;
}

/* Sets removal->keeps if nothing may be removed. */
static cp_status find_doubt(const struct batch_request *asked, const struct batch_site *site,
                            const struct batch_work *work, struct batch_removal *removal,
                            const struct output_place *places)
{
    const struct entries *entries = &work->entries;
    const char *limit = "; if that is right, say --max-prune=100%";
    uint32_t outputs = removal->gone_count > 0 ? count_outputs(site, work) : 0;
    for (uint32_t i = 0; i < entries->root_count && asked->most_pruned < 1 && !removal->keeps; i++)
        if (entries->roots[i].inputs == 0 && places[i].gone > 0 &&
            !(removal->keeps = arena_print(site->arena, "%s has no input left, as if it were not mounted%s",
                                           entries->roots[i].path, limit)))
            return CP_LIMIT;
    if (removal->emptied && removal->gone_count > 0 && asked->most_pruned < 1 && !removal->keeps &&
        !(removal->keeps =
              arena_print(site->arena, "%s is empty, as if it were not mounted%s", removal->emptied, limit)))
        return CP_LIMIT;
    if (entries->unread)
        removal->keeps = entries->unread;
    else if (!removal->keeps && (double)removal->gone_count > asked->most_pruned * outputs &&
             !(removal->keeps = arena_print(site->arena, "%u of %u outputs would be removed, more than %g %%%s",
                                            removal->gone_count, outputs, 100 * asked->most_pruned, limit)))
        return CP_LIMIT;
    return CP_OK;
}

cp_status find_gone(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                    struct batch_removal *removal)
{
    struct output_place *places;
    removal->gone = arena_allocate(site->arena, (size_t)work->history.count + 1, sizeof *removal->gone);
    cp_status status = removal->gone ? find_places(site, work, &places) : CP_LIMIT;
    for (uint32_t i = 0; i < work->history.count && status == CP_OK; i++)
        status = look_for(asked, site, work, removal, places, work->history.items[i]);
    if (status == CP_OK && removal->gone_count > 0)
        status = keep_shared(site, work, removal);
    return status == CP_OK && asked->prune ? find_doubt(asked, site, work, removal, places) : status;
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

/* Removes the outputs, unless the input has come back since. */
static cp_status remove_outputs(const struct batch_site *site, const char *top, const struct record *record)
{
    char *input = recorded_path(site, record, record->in);
    if (!input)
        return CP_LIMIT;
    if (!is_gone_by_both(input) || is_another_there(record))
        return CP_OK;
    if (!site->cli->quiet)
        tell_of_output(site, record->out, "note: is removed, for its input is gone: ", record->in);
    for (uint32_t i = 0; i < record->output_count; i++) {
        char *path = recorded_path(site, record, record->outputs[i].path);
        if (!path)
            return CP_LIMIT;
        remove_file(site, top, record->outputs[i].path, path, record->outputs[i].hash);
    }
    return CP_OK;
}

static void tell_kept(const struct batch_site *site, const struct batch_removal *removal)
{
    FILE *file = site->cli->messages;
    if (removal->outside_count > 0) {
        fprintf(file, "cellpipe: note: kept %u output%s whose input is gone from no folder of this run: ",
                removal->outside_count, plural(removal->outside_count));
        print_shown(file, removal->outside);
        fputs(removal->outside_count > 1 ? " and others\n" : "\n", file);
    }
    if (removal->old_count > 0)
        fprintf(file,
                "cellpipe: note: kept %u output%s of an older version, whose records do not tell the folder in which "
                "cellpipe ran\n",
                removal->old_count, plural(removal->old_count));
}

cp_status prune(const struct batch_request *asked, const struct batch_site *site, const struct batch_removal *removal)
{
    if (asked->prune && !site->cli->quiet)
        tell_kept(site, removal);
    if (asked->prune && removal->keeps)
        return complain(site->cli, CP_NO, "nothing is removed: %s", removal->keeps);
    char *top = asked->prune && removal->gone_count > 0 ? realpath(asked->list.out_dir, NULL) : NULL;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < removal->gone_count && status == CP_OK; i++)
        if (top)
            status = remove_outputs(site, top, removal->gone[i]);
        else if (!asked->prune && !site->cli->quiet)
            tell_of_output(site, removal->gone[i]->out,
                           "note: --prune would remove it, for its input is gone: ", removal->gone[i]->in);
    free(top);
    return status;
}

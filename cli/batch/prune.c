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
static char *recorded_path(const struct batch *batch, const struct record *record, const char *path)
{
    return *path == '/' || *record->cwd == '/' ? whole_path(batch->arena, record->cwd, path) : NULL;
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
static bool is_aside(const struct batch *batch, const struct output_place *place, char *path)
{
    size_t top = strlen(place->path);
    bool aside = false;
    char *below = path + top + (place->path[top - 1] != '/'), *name = below;
    for (char *slash; !aside && (slash = strchr(name, '/')); name = slash + 1) {
        struct stat facts;
        *slash = '\0';
        aside = is_passed_over(&batch->list, below, name) || (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode));
        *slash = '/';
    }
    return aside;
}

/* Returns the folder among `places` in which the path was looked for; NULL: in none. */
static struct output_place *place_of(const struct batch *batch, struct output_place *places, char *path)
{
    for (uint32_t i = 0; i < batch->entries.root_count; i++)
        if (is_below(path, places[i].path) && !is_aside(batch, &places[i], path))
            return &places[i];
    return NULL;
}

static cp_status find_places(struct batch *batch, struct output_place **places)
{
    const struct entries *entries = &batch->entries;
    *places = arena_allocate(batch->arena, (size_t)entries->root_count + 1, sizeof **places);
    for (uint32_t i = 0; *places && i < entries->root_count; i++) {
        char *path = whole_path(batch->arena, batch->cwd, entries->roots[i].path);
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
static void note_emptied(struct batch *batch, const struct output_place *place, char *path)
{
    do
        *strrchr(path, '/') = '\0';
    while (is_below(path, place->path) && is_gone(path));
    if (!is_below(path, place->path) || !is_empty(path))
        return;
    if (batch->empty && strcmp(batch->empty, path) == 0)
        batch->emptied = path;
    batch->empty = path;
}

/* Adds the record to batch->gone if this run has looked for its input and not found it. */
static cp_status look_for(struct batch *batch, struct output_place *places, const struct record *record)
{
    if (record->output_count == 0 || entries_find(&batch->entries, record->in))
        return CP_OK;
    char *input = recorded_path(batch, record, record->in), *output = recorded_path(batch, record, record->out);
    if (*record->in != '/' && *record->cwd != '/') {
        batch->old_count += !is_gone(record->out);
        return CP_OK;
    }
    if (!input || !output)
        return CP_LIMIT;
    if (!is_gone_by_both(input) || is_another_there(record) || is_gone(output))
        return CP_OK;
    struct output_place *place = place_of(batch, places, input);
    if (place) {
        place->gone++;
        batch->gone[batch->gone_count++] = record;
        note_emptied(batch, place, input);
    } else if (batch->outside_count++ == 0) {
        batch->outside = record->in;
    }
    return CP_OK;
}

/* Adds the absolute path of an output that stays. */
static cp_status keep_output(struct batch *batch, struct name_map *kept, const char *cwd, const char *output)
{
    char *path = whole_path(batch->arena, *cwd ? cwd : batch->cwd, output);
    if (!path)
        return CP_LIMIT;
    resolve_dots(path);
    return name_map_add(kept, path, 0, NULL) ? CP_OK : CP_LIMIT;
}

/* Keeps outputs of gone inputs that another input has, too, whichever of the two wrote it last. */
static cp_status keep_shared(struct batch *batch)
{
    struct name_map kept = {.context = batch->cli->context};
    uint32_t next = 0, count = 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < batch->entries.count && status == CP_OK; i++)
        if (batch->entries.items[i].out)
            status = keep_output(batch, &kept, batch->cwd, batch->entries.items[i].out);
    for (uint32_t i = 0; i < batch->history.count && status == CP_OK; i++) {
        const struct record *record = batch->history.items[i];
        bool is_going = next < batch->gone_count && batch->gone[next] == record;
        next += is_going;
        for (uint32_t k = 0; k < record->output_count && !is_going && status == CP_OK; k++)
            status = keep_output(batch, &kept, record->cwd, record->outputs[k].path);
    }
    for (uint32_t i = 0; i < batch->gone_count && status == CP_OK; i++) {
        char *output = recorded_path(batch, batch->gone[i], batch->gone[i]->out);
        if (output)
            resolve_dots(output);
        if (!output)
            status = CP_LIMIT;
        else if (!name_map_find(&kept, output))
            batch->gone[count++] = batch->gone[i];
    }
    name_map_free(&kept);
    batch->gone_count = count;
    return status;
}

/* Counts the records whose output exists. */
static uint32_t count_outputs(const struct batch *batch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->history.count; i++) {
        const struct record *record = batch->history.items[i];
        const char *path = record->output_count > 0 ? recorded_path(batch, record, record->out) : NULL;
        count += path && !is_gone(path);
    }
    return count;
}

/* Sets batch->keeps if nothing may be removed. */
static cp_status find_doubt(struct batch *batch, const struct output_place *places)
{
    const struct entries *entries = &batch->entries;
    const char *limit = "; if that is right, say --max-prune=100%";
    uint32_t outputs = batch->gone_count > 0 ? count_outputs(batch) : 0;
    for (uint32_t i = 0; i < entries->root_count && batch->most_pruned < 1 && !batch->keeps; i++)
        if (entries->roots[i].inputs == 0 && places[i].gone > 0 &&
            !(batch->keeps = arena_print(batch->arena, "%s has no input left, as if it were not mounted%s",
                                         entries->roots[i].path, limit)))
            return CP_LIMIT;
    if (batch->emptied && batch->gone_count > 0 && batch->most_pruned < 1 && !batch->keeps &&
        !(batch->keeps = arena_print(batch->arena, "%s is empty, as if it were not mounted%s", batch->emptied, limit)))
        return CP_LIMIT;
    if (entries->unread)
        batch->keeps = entries->unread;
    else if (!batch->keeps && (double)batch->gone_count > batch->most_pruned * outputs &&
             !(batch->keeps = arena_print(batch->arena, "%u of %u outputs would be removed, more than %g %%%s",
                                          batch->gone_count, outputs, 100 * batch->most_pruned, limit)))
        return CP_LIMIT;
    return CP_OK;
}

cp_status find_gone(struct batch *batch)
{
    struct output_place *places;
    batch->gone = arena_allocate(batch->arena, (size_t)batch->history.count + 1, sizeof *batch->gone);
    cp_status status = batch->gone ? find_places(batch, &places) : CP_LIMIT;
    for (uint32_t i = 0; i < batch->history.count && status == CP_OK; i++)
        status = look_for(batch, places, batch->history.items[i]);
    if (status == CP_OK && batch->gone_count > 0)
        status = keep_shared(batch);
    return status == CP_OK && batch->prune ? find_doubt(batch, places) : status;
}

/* ---- removal ---- */

static void tell_of_output(const struct batch *batch, const char *path, const char *what, const char *why)
{
    FILE *file = batch->cli->messages;
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
static void remove_file(const struct batch *batch, const char *top, const char *shown, char *path, cp_hash hash)
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
        tell_of_output(batch, shown, "warning: lies elsewhere than in the output folder, and stays", "");
    else if (!hash_file(path, &now) || !hash_equals(now.hash, hash))
        tell_of_output(batch, shown, "warning: is not as it was written, and stays", "");
    else if (unlink(path) != 0)
        tell_of_output(batch, shown, "warning: cannot be removed: ", strerror(errno));
    else
        remove_empty_folders(folder, top);
    free(folder);
}

/* Removes the outputs, unless the input has come back since. */
static cp_status remove_outputs(const struct batch *batch, const char *top, const struct record *record)
{
    char *input = recorded_path(batch, record, record->in);
    if (!input)
        return CP_LIMIT;
    if (!is_gone_by_both(input) || is_another_there(record))
        return CP_OK;
    if (!batch->cli->quiet)
        tell_of_output(batch, record->out, "note: is removed, for its input is gone: ", record->in);
    for (uint32_t i = 0; i < record->output_count; i++) {
        char *path = recorded_path(batch, record, record->outputs[i].path);
        if (!path)
            return CP_LIMIT;
        remove_file(batch, top, record->outputs[i].path, path, record->outputs[i].hash);
    }
    return CP_OK;
}

static void tell_kept(const struct batch *batch)
{
    FILE *file = batch->cli->messages;
    if (batch->outside_count > 0) {
        fprintf(file, "cellpipe: note: kept %u output%s whose input is gone from no folder of this run: ",
                batch->outside_count, plural(batch->outside_count));
        print_shown(file, batch->outside);
        fputs(batch->outside_count > 1 ? " and others\n" : "\n", file);
    }
    if (batch->old_count > 0)
        fprintf(file,
                "cellpipe: note: kept %u output%s of an older version, whose records do not tell the folder in which "
                "cellpipe ran\n",
                batch->old_count, plural(batch->old_count));
}

cp_status prune(struct batch *batch)
{
    if (batch->prune && !batch->cli->quiet)
        tell_kept(batch);
    if (batch->prune && batch->keeps)
        return complain(batch->cli, CP_NO, "nothing is removed: %s", batch->keeps);
    char *top = batch->prune && batch->gone_count > 0 ? realpath(batch->list.out_dir, NULL) : NULL;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < batch->gone_count && status == CP_OK; i++)
        if (top)
            status = remove_outputs(batch, top, batch->gone[i]);
        else if (!batch->prune && !batch->cli->quiet)
            tell_of_output(batch, batch->gone[i]->out,
                           "note: --prune would remove it, for its input is gone: ", batch->gone[i]->in);
    free(top);
    return status;
}

/* Reads all inputs for a manifest: their contents, formats and further files. */
#include "manifest.h"

#include <pthread.h>

struct scanning {
    struct cli *cli;
    struct entries *entries;
    pthread_mutex_t lock; /* guards the arena and the members below */
    uint32_t next;
    cp_status status;
};

/* Returns the importer's name as a text that stays. */
static const char *lasting_name(const char *format)
{
    size_t index = plugin_named(CP_IMPORTER, format ? format : "");
    return index == SIZE_MAX ? "" : plugin_at(CP_IMPORTER, index).name;
}

/* Copies the files that the context has read for the entry, without times, so that copies of a library have equal
 * manifests. */
static struct scan *keep_scan(struct arena *arena, const char *in, cp_context *context, bool is_read)
{
    size_t count;
    const cp_file *files = cp_files(context, &count);
    struct scan *scan = arena_allocate(arena, 1, sizeof *scan);
    struct record_input *inputs = arena_allocate(arena, count, sizeof *inputs);
    if (!scan || !inputs)
        return NULL;
    *scan = (struct scan){.format = "", .inputs = inputs};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].path, in) == 0) {
            scan->hash = files[i].hash;
            scan->format = is_read ? lasting_name(files[i].format) : "";
            continue;
        }
        if (files[i].use != CP_FILE_READ)
            continue;
        char *path = arena_copy_text(arena, files[i].path, strlen(files[i].path));
        if (!path)
            return NULL;
        inputs[scan->input_count++] = (struct record_input){.path = path, .size = files[i].size, .hash = files[i].hash};
    }
    return scan;
}

/* Tells whether memory itself ran out, not a limit for one file. */
static bool ran_out_of_memory(const cp_context *context)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].code, "out-of-memory") == 0 && strcmp(entries[i].text, "out of memory") == 0)
            return true;
    return false;
}

/* Scans an entry. If its file cannot be read, the scan has no format, and the batch will report why. */
static cp_status scan_entry(struct scanning *scanning, struct entry *entry)
{
    struct cli own = *scanning->cli;
    cp_scene *scene = NULL;
    (void)pthread_mutex_lock(&scanning->lock);
    const char *in = entry_path(scanning->entries->arena, entry);
    (void)pthread_mutex_unlock(&scanning->lock);
    own.context = in ? cp_context_new(NULL) : NULL;
    if (!own.context)
        return CP_LIMIT;
    cp_set_cancel(own.context, must_stop, NULL);
    cp_set_flag(own.context, CP_FLAG_LIST_FILES, true);
    cp_set_flag(own.context, CP_FLAG_ISOLATE, own.isolate);
    cp_status status = use_globals(&own, &own.globals);
    if (status == CP_OK)
        status = allow_library(&own, entry);
    if (status == CP_OK)
        status = cp_read(own.context, in, NULL, NULL, 0, &scene);
    cp_scene_free(scene);
    bool ran_out = ran_out_of_memory(own.context);
    (void)pthread_mutex_lock(&scanning->lock);
    entry->scan = keep_scan(scanning->entries->arena, in, own.context, status == CP_OK);
    (void)pthread_mutex_unlock(&scanning->lock);
    cp_context_free(own.context);
    return status == CP_CANCELLED || status == CP_BUG ? status : entry->scan && !ran_out ? CP_OK : CP_LIMIT;
}

static void *scan_some(void *user)
{
    struct scanning *scanning = user;
    struct entries *entries = scanning->entries;
    (void)pthread_mutex_lock(&scanning->lock);
    while (scanning->next < entries->count && scanning->status == CP_OK) {
        struct entry *entry = &entries->items[scanning->next++];
        if (entry_fault(entry))
            continue;
        (void)pthread_mutex_unlock(&scanning->lock);
        cp_status status = scan_entry(scanning, entry);
        (void)pthread_mutex_lock(&scanning->lock);
        if (status != CP_OK)
            scanning->status = status;
    }
    (void)pthread_mutex_unlock(&scanning->lock);
    return NULL;
}

cp_status manifest_scan(struct cli *cli, struct entries *entries)
{
    struct scanning scanning = {.cli = cli, .entries = entries};
    uint32_t wanted = cli->threads < entries->count ? (uint32_t)cli->threads : entries->count, begun = 0;
#ifdef HAS_ADDRESS_SANITIZER /* a process forked beside another thread hangs in its allocator; glibc's is safe */
    wanted = 1;
#endif
    pthread_t *threads = cli_allocate(cli, wanted * sizeof *threads);
    if (!threads)
        return CP_LIMIT;
    (void)pthread_mutex_init(&scanning.lock, NULL);
    while (begun + 1 < wanted && pthread_create(&threads[begun], NULL, scan_some, &scanning) == 0)
        begun++;
    (void)scan_some(&scanning);
    for (uint32_t i = 0; i < begun; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_mutex_destroy(&scanning.lock);
    return scanning.status;
}

/* manifest: writes the inputs of a batch with their contents, as lines of JSON, and chooses by them: shards, whole
 * cells. */
#include "entries.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { WRITE_FROM = 1 << 20 };

/* A line. */
struct row {
    struct entry entry;
    struct scan scan;
};

#define FIELD(member) .offset = offsetof(struct row, member)
static const cp_field row_fields[] = {
    {"path", CP_FIELD_PATH, FIELD(entry.in)},      {"name", CP_FIELD_TEXT, FIELD(entry.name)},
    {"size", CP_FIELD_COUNT, FIELD(entry.size)},   {"hash", CP_FIELD_HASH, FIELD(scan.hash)},
    {"format", CP_FIELD_TEXT, FIELD(scan.format)}, FILE_ROWS("inputs", struct row, scan.inputs, scan.input_count),
    {"fault", CP_FIELD_SAID, FIELD(entry.fault)},  {0}};

/* ---- what files hold ---- */

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
static struct scan *keep_scan(struct arena *arena, const struct entry *entry, cp_context *context, bool is_read)
{
    size_t count;
    const cp_file *files = cp_files(context, &count);
    struct scan *scan = arena_allocate(arena, 1, sizeof *scan);
    struct record_input *inputs = arena_allocate(arena, count, sizeof *inputs);
    if (!scan || !inputs)
        return NULL;
    *scan = (struct scan){.format = "", .inputs = inputs};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].path, entry->in) == 0) {
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
    own.context = cp_context_new(NULL);
    if (!own.context)
        return CP_LIMIT;
    cp_set_cancel(own.context, must_stop, NULL);
    cp_set_flag(own.context, CP_FLAG_LIST_FILES, true);
    cp_set_flag(own.context, CP_FLAG_ISOLATE, own.isolate);
    cp_status status = use_globals(&own, &own.globals);
    if (status == CP_OK)
        status = allow_library(&own, entry);
    if (status == CP_OK)
        status = cp_read(own.context, entry->in, NULL, NULL, 0, &scene);
    cp_scene_free(scene);
    bool ran_out = ran_out_of_memory(own.context);
    (void)pthread_mutex_lock(&scanning->lock);
    entry->scan = keep_scan(scanning->entries->arena, entry, own.context, status == CP_OK);
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
        if (entry->fault)
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

/* ---- the file ---- */

static cp_status print_manifest(struct cli *cli, const struct entries *entries)
{
    struct buffer text = {.context = cli->context};
    for (uint32_t i = 0; i < entries->count && !text.failed; i++) {
        struct row row = {.entry = entries->items[i]};
        row.scan = row.entry.scan ? *row.entry.scan : (struct scan){0};
        cp_fields_print(&text, row_fields, &row);
        if (text.size >= WRITE_FROM || i + 1 == entries->count) {
            (void)fwrite(text.data, 1, text.size, stdout);
            text.size = 0;
        }
    }
    bool failed = text.failed;
    buffer_free(&text);
    return failed ? CP_LIMIT : CP_OK;
}

struct loading {
    struct cli *cli;
    struct entries *entries;
    cp_field_reader reader;
    const char *path;
};

static cp_status take_row(void *user, uint64_t line, const char *text, size_t size, bool whole)
{
    struct loading *loading = user;
    struct arena *arena = loading->entries->arena;
    struct row row = {.entry = {.in = "", .name = "", .fault = ""}, .scan.format = ""};
    cp_status status = whole ? cp_fields_parse(&loading->reader, text, size) : CP_INPUT;
    if (status == CP_OK)
        status = cp_fields_take(&loading->reader, row_fields, &row);
    if (status == CP_LIMIT)
        return CP_LIMIT;
    const char *name = row.entry.name;
    const char *wrong = !whole                 ? "is cut short"
                        : status == CP_INPUT   ? "is no line of a manifest"
                        : !*row.entry.in       ? "has no \"path\""
                        : !is_plain_name(name) ? "has a \"name\" that leads out of the output folder"
                                               : NULL;
    if (wrong)
        return complain(loading->cli, CP_INPUT, "%s:%llu: %s", loading->path, (unsigned long long)line, wrong);
    struct scan *scan = arena_copy(arena, &row.scan, 1, sizeof row.scan);
    struct entry *entry =
        scan ? entries_add(loading->entries, normal_path(arena, row.entry.in, strlen(row.entry.in)), name) : NULL;
    if (!entry || !entry->in)
        return CP_LIMIT;
    const char *slash = strrchr(entry->in, '/');
    entry->name = *name ? name : slash && slash[1] ? slash + 1 : entry->in;
    entry->size = row.entry.size;
    entry->fault = *row.entry.fault ? row.entry.fault : NULL;
    entry->scan = scan;
    return CP_OK;
}

cp_status manifest_read(struct cli *cli, const char *path, struct entries *entries)
{
    uint64_t line = 0;
    if (!entries_open(cli, entries))
        return CP_LIMIT;
    struct loading loading = {.cli = cli, .entries = entries, .path = path};
    loading.reader = (cp_field_reader){.context = cli->context, .arena = entries->arena};
    bool is_input = strcmp(path, "-") == 0;
    int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    cp_status status = file < 0 ? CP_INPUT : read_lines(cli->context, file, '\n', take_row, &loading, &line);
    if (status == CP_INPUT && line == 0)
        status = complain(cli, CP_INPUT, "the manifest %s cannot be read: %s", path, strerror(errno));
    if (file >= 0 && !is_input)
        (void)close(file);
    cp_field_reader_free(&loading.reader);
    if (status == CP_OK)
        entries_sort(entries);
    return status;
}

/* ---- shards ---- */

cp_status shard_parse(struct cli *cli, const char *shard, struct shard *result)
{
    if (!shard)
        return CP_OK;
    uint64_t numbers[2] = {0};
    const char *at = shard;
    bool good = true;
    for (int i = 0; i < 2; i++) {
        const char *begin = at;
        for (; is_digit(*at) && at - begin < 9; at++)
            numbers[i] = 10 * numbers[i] + (uint64_t)(*at - '0');
        good = good && at > begin && *at == "/"[i];
        at += i == 0 && good;
    }
    if (!good || numbers[0] >= numbers[1])
        return complain(cli, CP_USAGE, "--shard %s: needs I/N, with I from 0 to N - 1, such as 0/64", shard);
    result->index = (uint32_t)numbers[0];
    result->count = (uint32_t)numbers[1];
    return CP_OK;
}

/* Returns the entry's weight. To open a file takes as long as to read so many bytes, so small ones have a weight,
 * too. */
static uint64_t weight_of(const struct entry *entry)
{
    uint64_t weight = 65536 + entry->size;
    for (uint32_t i = 0; entry->scan && i < entry->scan->input_count; i++) {
        uint64_t more = entry->scan->inputs[i].size;
        weight = more > UINT64_MAX / 2 - weight % (UINT64_MAX / 2) ? UINT64_MAX / 2 : weight + more;
    }
    return weight;
}

struct weighed {
    uint64_t weight;
    uint32_t entry;
};

static int compare_weights(const void *a, const void *b)
{
    const struct weighed *first = a, *second = b;
    return first->weight != second->weight ? (first->weight < second->weight ? 1 : -1)
           : first->entry != second->entry ? (first->entry < second->entry ? -1 : 1)
                                           : 0;
}

struct load {
    uint64_t weight;
    uint32_t shard;
};

static bool is_lighter(const struct load *a, const struct load *b)
{
    return a->weight != b->weight ? a->weight < b->weight : a->shard < b->shard;
}

/* Restores the heap after its first has grown. */
static void sink_first(struct load *heap, uint32_t count)
{
    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_lighter(&heap[child + 1], &heap[child]);
        if (!is_lighter(&heap[child], &heap[at]))
            return;
        struct load moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

/* Gives each entry, the heaviest first, to the shard that has least so far: shards differ by one entry's weight at
 * most. Graham, "Bounds on multiprocessing timing anomalies", 1969. */
static cp_status choose_by_size(struct cli *cli, const struct entries *entries, struct shard shard, bool *chosen)
{
    struct weighed *weighed = memory_allocate(cli->context, entries->count, sizeof *weighed);
    uint32_t used = shard.count < entries->count ? shard.count : entries->count; /* the others stay empty */
    struct load *heap = memory_allocate(cli->context, used, sizeof *heap);
    for (uint32_t i = 0; weighed && i < entries->count; i++)
        weighed[i] = (struct weighed){weight_of(&entries->items[i]), i};
    for (uint32_t i = 0; heap && i < used; i++)
        heap[i] = (struct load){0, i};
    if (weighed && entries->count > 1)
        qsort(weighed, entries->count, sizeof *weighed, compare_weights);
    for (uint32_t i = 0; weighed && heap && i < entries->count; i++) {
        chosen[weighed[i].entry] = heap[0].shard == shard.index;
        heap[0].weight += weighed[i].weight;
        sink_first(heap, used);
    }
    cp_status status = weighed && heap ? CP_OK : CP_LIMIT;
    memory_free(cli->context, weighed, entries->count, sizeof *weighed);
    memory_free(cli->context, heap, used, sizeof *heap);
    return status;
}

static void keep_chosen(struct entries *entries, const bool *chosen)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < entries->count; i++)
        if (chosen[i])
            entries->items[kept++] = entries->items[i];
    entries->count = kept;
}

cp_status select_shard(struct cli *cli, struct entries *entries, struct shard shard)
{
    uint32_t count = entries->count;
    bool *chosen = shard.count ? memory_allocate_zeroed(cli->context, count, sizeof *chosen) : NULL;
    cp_status status = CP_OK;
    if (shard.count == 0)
        return CP_OK;
    if (!chosen)
        return CP_LIMIT;
    if (shard.balance == BALANCE_SIZE)
        status = choose_by_size(cli, entries, shard, chosen);
    for (uint32_t i = 0; i < count && shard.balance == BALANCE_HASH; i++) {
        const char *path = entries->items[i].in;
        chosen[i] = cp_hash_bytes(path, strlen(path)).low % shard.count == shard.index;
    }
    if (status == CP_OK)
        keep_chosen(entries, chosen);
    memory_free(cli->context, chosen, count, sizeof *chosen);
    return status;
}

/* ---- whole cells ---- */

/* The entries that others name: those that entry i names are targets[starts[i]] .. targets[starts[i + 1] - 1]. */
struct naming {
    uint32_t *starts, *targets, target_room;
};

/* Removes "x/../" from the path: a further file's path leads from the folder of the file that names it. */
static void drop_parent_steps(char *path)
{
    char *out = path;
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        bool is_parent = size == 2 && at[0] == '.' && at[1] == '.';
        char *before = out; /* the step before begins here */
        if (is_parent && out > path + (*path == '/')) {
            before--;
            while (before > path && before[-1] != '/')
                before--;
        }
        size_t before_size = (size_t)(out - before);
        if (is_parent && before < out && !(before_size == 3 && memcmp(before, "../", 3) == 0)) {
            out = before;
            at += size + (at[size] == '/');
            continue;
        }
        size += at[size] == '/';
        memmove(out, at, size);
        out += size;
        at += size;
    }
    *out = '\0';
}

static cp_status find_naming(struct cli *cli, const struct entries *entries, struct naming *naming)
{
    struct name_map known = {.context = cli->context}; /* entries by path without parent steps */
    struct arena *arena = arena_new(cli->context);
    uint32_t count = 0;
    cp_status status = arena ? CP_OK : CP_LIMIT;
    naming->starts = memory_allocate_zeroed(cli->context, (size_t)entries->count + 1, sizeof *naming->starts);
    for (uint32_t i = 0; i < entries->count && status == CP_OK; i++) {
        char *path = arena_copy_text(arena, entries->items[i].in, strlen(entries->items[i].in));
        if (path)
            drop_parent_steps(path);
        status = path && naming->starts && name_map_add(&known, path, i, NULL) ? CP_OK : CP_LIMIT;
    }
    for (uint32_t i = 0; i < entries->count && status == CP_OK; i++) {
        const struct scan *scan = entries->items[i].scan;
        for (uint32_t k = 0; scan && k < scan->input_count && status == CP_OK; k++) {
            char *path = normal_path(arena, scan->inputs[k].path, strlen(scan->inputs[k].path));
            if (path)
                drop_parent_steps(path);
            const uint32_t *target = path ? name_map_find(&known, path) : NULL;
            if (!path || (target && !array_reserve(cli->context, &naming->targets, &naming->target_room,
                                                   (uint64_t)count + 1, sizeof *naming->targets)))
                status = CP_LIMIT;
            else if (target && *target != i)
                naming->targets[count++] = *target;
        }
        naming->starts[i + 1] = count;
    }
    name_map_free(&known);
    arena_free(arena);
    return status;
}

/* Visits and marks all that `from` names, directly or not. In `order`, an entry comes after all that it names and that
 * were not marked before; *done is their number. stack, next: room for all entries. */
static void visit(const struct naming *naming, uint32_t from, bool *marked, uint32_t *stack, uint32_t *next,
                  uint32_t *order, uint32_t *done)
{
    uint32_t depth = 0;
    stack[depth++] = from;
    next[from] = naming->starts[from];
    marked[from] = true;
    while (depth > 0) {
        uint32_t at = stack[depth - 1];
        if (next[at] == naming->starts[at + 1]) {
            order[(*done)++] = at;
            depth--;
            continue;
        }
        uint32_t target = naming->targets[next[at]++];
        if (!marked[target]) {
            marked[target] = true;
            next[target] = naming->starts[target];
            stack[depth++] = target;
        }
    }
}

/* Keeps each entry that no other names; of entries that name each other and that no other names, the first. In
 * Kosaraju's order, no remaining entry names the last of those that remain, except in a circle. */
cp_status keep_whole_cells(struct cli *cli, struct entries *entries)
{
    uint32_t count = entries->count, done = 0, unused = 0;
    struct naming naming = {0};
    uint32_t *work = memory_allocate(cli->context, count, 4 * sizeof *work);
    bool *marked = memory_allocate_zeroed(cli->context, count, 2 * sizeof *marked);
    cp_status status = work && marked ? find_naming(cli, entries, &naming) : CP_LIMIT;
    if (status == CP_OK && count > 0) {
        uint32_t *stack = work, *next = work + count, *order = next + count, *ignored = order + count;
        bool *kept = marked + count;
        for (uint32_t i = 0; i < count; i++)
            if (!marked[i])
                visit(&naming, i, marked, stack, next, order, &done);
        memset(marked, 0, count * sizeof *marked);
        for (uint32_t i = count; i-- > 0;)
            if (!marked[order[i]]) {
                kept[order[i]] = true;
                visit(&naming, order[i], marked, stack, next, ignored, &unused);
            }
        keep_chosen(entries, kept);
    }
    memory_free(cli->context, work, count, 4 * sizeof *work);
    memory_free(cli->context, marked, count, 2 * sizeof *marked);
    if (naming.starts)
        memory_free(cli->context, naming.starts, (size_t)count + 1, sizeof *naming.starts);
    memory_free(cli->context, naming.targets, naming.target_room, sizeof *naming.targets);
    return status;
}

/* ---- the command ---- */

struct wanted {
    struct request request; /* first: see cli.h */
    struct list_request list;
    bool whole_cells;
};

static cp_status command_manifest(struct cli *cli)
{
    struct wanted wanted = {0};
    struct entries entries = {0};
    cp_status status = sort_words(cli, 1, cli->words.count, &manifest_command, &wanted);
    if (status != CP_OK)
        return status;
    wanted.list.in = wanted.request.words;
    if (!list_has(&cli->said, "--confine")) /* as in batch */
        cli->globals.confine = true;
    status = list_entries(cli, &wanted.list, &entries);
    if (status == CP_OK)
        status = manifest_scan(cli, &entries);
    if (status == CP_OK && wanted.whole_cells)
        status = keep_whole_cells(cli, &entries);
    if (status == CP_OK)
        status = print_manifest(cli, &entries);
    uint32_t unread = 0;
    for (uint32_t i = 0; i < entries.count; i++)
        unread += entries.items[i].fault || !entries.items[i].scan || !*entries.items[i].scan->format;
    clear_progress(cli);
    if (status == CP_OK && !cli->quiet) {
        print_passed_over(entries.passed_over, entries.passed_count, cli->messages);
        if (unread > 0)
            fprintf(cli->messages, "cellpipe: warning: %lu of %lu files cannot be read; batch tells why\n",
                    (unsigned long)unread, (unsigned long)entries.count);
    }
    if (status == CP_OK && entries.count == 0)
        status = complain(cli, CP_INPUT, "there are no inputs");
    entries_free(&entries);
    return status;
}

static const cp_option options[] = {LIST_OPTIONS(struct wanted, list),
                                    {"--whole-cells",
                                     "leave out files that another file names, such as the parts of a cell",
                                     CP_OPTION_BOOLEAN, .offset = offsetof(struct wanted, whole_cells)},
                                    {0}};

const struct command manifest_command = {
    .name = "manifest",
    .title = "list the inputs of a batch, with their contents",
    .usage = "IN... >MANIFEST",
    .help =
        "Prints a line of JSON for each file: its path, size, hash, format, and the further files that it names. IN "
        "is a file, a folder, @LIST (one path a line) or @0LIST (a NUL byte after each path); @- and @0- read the "
        "list from standard input. The lines are sorted by path. Without an input it ends with 3.\n"
        "cellpipe batch --manifest MANIFEST --shard I/N converts the I-th of N parts of it; cellpipe report "
        "--manifest MANIFEST tells what is missing.",
    .examples = "cellpipe manifest parts >parts.jsonl\n"
                "cellpipe manifest parts --skip backup --whole-cells >parts.jsonl",
    .options = options,
    .run = command_manifest};

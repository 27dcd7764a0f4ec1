/* manifest: writes the inputs of a batch with their contents, as lines of JSON, and reads them. */
#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../state/journal.h"
#include "names.h"

enum { WRITE_FROM = 1 << 20 };

/* The line of an entry. */
struct row {
    const char *path, *root;
    struct entry entry;
    struct scan scan;
};

#define FIELD(member) .offset = offsetof(struct row, member)
static const cp_field row_fields[] = {{"path", CP_FIELD_PATH, FIELD(path)},
                                      {"name", CP_FIELD_TEXT, FIELD(entry.name)},
                                      {"root", CP_FIELD_SAID, FIELD(root)},
                                      {"size", CP_FIELD_COUNT, FIELD(entry.size)},
                                      {"hash", CP_FIELD_HASH, FIELD(scan.hash)},
                                      {"format", CP_FIELD_TEXT, FIELD(scan.format)},
                                      FILE_ROWS("inputs", struct row, scan.inputs, scan.input_count),
                                      {"fault", CP_FIELD_SAID, FIELD(scan.fault)},
                                      {0}};
#undef FIELD

/* The lines of a shard. */
struct part {
    uint64_t size, lines;
};

/* The first line of a manifest that is sorted by shards. */
struct head {
    struct part *parts;
    uint32_t count;
    int balance;
};

#define FIELD(member) .offset = offsetof(struct part, member)
static const cp_field part_fields[] = {
    {"size", CP_FIELD_COUNT, FIELD(size)}, {"lines", CP_FIELD_COUNT, FIELD(lines)}, {0}};
#undef FIELD
#define FIELD(member) .offset = offsetof(struct head, member)
static const cp_field head_fields[] = {{"balance", CP_FIELD_WORD, FIELD(balance), .words = balance_names},
                                       {"shards", CP_FIELD_ROWS, FIELD(parts), .rows = part_fields,
                                        .row_size = sizeof(struct part), .count_offset = offsetof(struct head, count)},
                                       {0}};

/* ---- writing ---- */

struct printing {
    struct cli *cli;
    const struct entries *entries;
    struct state *known; /* each entry's record is printed from it; NULL: none */
    const char *root_id; /* NULL: roots are told by their paths */
    struct arena *scratch;
    struct buffer text;
    uint64_t lines;
};

static cp_status print_known(void *user, const struct state_row *row)
{
    struct printing *printing = user;
    record_print(&row->record, &printing->text);
    printing->lines++;
    return CP_OK;
}

/* Appends the lines of an entry. */
static cp_status print_entry(struct printing *printing, const struct entry *entry)
{
    arena_clear(printing->scratch);
    struct row row = {.path = entry_path(printing->scratch, entry),
                      .root = printing->root_id ? printing->root_id : "",
                      .entry = *entry};
    if (!row.path)
        return CP_LIMIT;
    if (entry->scan)
        row.scan = *entry->scan;
    cp_fields_print(&printing->text, row_fields, &row);
    printing->lines++;
    const char *stem = printing->known ? output_stem(printing->scratch, entry) : "";
    cp_status status = !stem             ? CP_LIMIT
                       : printing->known ? state_each_of_input(printing->known, entry->root->id, entry->name, stem,
                                                               print_known, printing)
                                         : CP_OK;
    return status == CP_OK && printing->text.failed ? CP_LIMIT : status;
}

static void flush_text(struct printing *printing)
{
    (void)fwrite(printing->text.data ? printing->text.data : "", 1, printing->text.size, stdout);
    printing->text.size = 0;
}

/* Returns the places of the entries in the order of their shards; NULL when out of memory. */
static uint32_t *order_by_shards(struct cli *cli, uint32_t count, const uint32_t *shards, uint32_t shard_count)
{
    uint32_t *order = cli_allocate(cli, count * sizeof *order);
    uint32_t *next = cli_allocate(cli, ((size_t)shard_count + 1) * sizeof *next);
    if (!order || !next)
        return NULL;
    memset(next, 0, ((size_t)shard_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < count; i++)
        next[shards[i] + 1]++;
    for (uint32_t i = 0; i < shard_count; i++)
        next[i + 1] += next[i];
    for (uint32_t i = 0; i < count; i++)
        order[next[shards[i]]++] = i;
    return order;
}

/* Prints the first line. The sizes of the parts stand before them, so all lines are printed twice: once to measure. */
static cp_status print_head(struct printing *printing, const uint32_t *order, const uint32_t *shards, uint32_t count,
                            int balance)
{
    struct head head = {cli_allocate(printing->cli, count * sizeof *head.parts), count, balance};
    cp_status status = head.parts ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        head.parts[i] = (struct part){0};
    for (uint32_t i = 0; i < printing->entries->count && status == CP_OK; i++) {
        struct part *part = &head.parts[shards[order[i]]];
        uint64_t lines = printing->lines;
        status = print_entry(printing, &printing->entries->items[order[i]]);
        part->size += printing->text.size;
        part->lines += printing->lines - lines;
        printing->text.size = 0;
    }
    if (status == CP_OK)
        cp_fields_print(&printing->text, head_fields, &head);
    flush_text(printing);
    return status;
}

/* Prints the entries, in the order of `count` shards; 0: of their paths. */
static cp_status print_manifest(struct printing *printing, uint32_t count, int balance)
{
    struct cli *cli = printing->cli;
    const struct entries *entries = printing->entries;
    uint32_t *shards = cli_allocate(cli, ((size_t)entries->count + 1) * sizeof *shards), *order = NULL;
    printing->text.context = cli->context;
    printing->scratch = arena_new(cli->context);
    cp_status status = shards && printing->scratch ? CP_OK : CP_LIMIT;
    if (status == CP_OK && count > 0)
        status = assign_shards(cli, entries, count, balance, shards);
    if (status == CP_OK && count > 0 && !(order = order_by_shards(cli, entries->count, shards, count)))
        status = CP_LIMIT;
    if (status == CP_OK && order)
        status = print_head(printing, order, shards, count, balance);
    for (uint32_t i = 0; i < entries->count && status == CP_OK; i++) {
        status = print_entry(printing, &entries->items[order ? order[i] : i]);
        if (printing->text.size >= WRITE_FROM)
            flush_text(printing);
    }
    if (status == CP_OK)
        flush_text(printing);
    buffer_free(&printing->text);
    arena_free(printing->scratch);
    return status;
}

/* ---- reading ---- */

struct loading {
    struct cli *cli;
    struct manifest_use *use;
    struct entries *entries;
    cp_field_reader reader;
    const char *path;
    bool may_seek;
    struct arena *scratch;
    struct part part;    /* the rest of the shard's part */
    uint64_t skip, line; /* it begins so many bytes behind the first line; the number of the line before it */
};

/* Returns the folder in which the path has that name; NULL: the path does not end so, or there is no memory. */
static const char *folder_before(struct arena *arena, const char *path, const char *name)
{
    size_t size = strlen(path), tail = strlen(name);
    if (strcmp(path, name) == 0 || strcmp(path, "./-") == 0)
        return ".";
    if (tail >= size || path[size - tail - 1] != '/' || strcmp(path + size - tail, name) != 0)
        return NULL;
    return size - tail > 1 ? arena_copy_text(arena, path, size - tail - 1) : "/";
}

/* Takes the first line if it is that of a manifest in the order of shards: CP_INPUT if it is not. */
static cp_status take_head(struct loading *loading)
{
    struct head head = {.balance = BALANCE_SIZE};
    const struct shard *shard = &loading->use->shard;
    cp_status status = cp_fields_take(&loading->reader, head_fields, &head);
    if (status != CP_OK || head.count == 0)
        return status == CP_LIMIT ? CP_LIMIT : CP_INPUT;
    if (!loading->may_seek || head.count != shard->count || head.balance != shard->balance)
        return CP_OK;
    loading->use->is_part = true;
    for (uint32_t i = 0; i < shard->index; i++) {
        loading->skip += head.parts[i].size;
        loading->line += head.parts[i].lines;
    }
    loading->line++;
    loading->part = head.parts[shard->index];
    return CP_NO; /* reading goes on elsewhere */
}

/* Takes the record of an entry, whose texts are in the way of nobody. */
static cp_status take_known(struct loading *loading)
{
    struct record record;
    cp_field_reader *reader = &loading->reader;
    struct arena *kept = reader->arena;
    const char *last_path = reader->path;
    arena_clear(loading->scratch);
    reader->arena = loading->scratch;
    cp_status status = record_take(reader, &record);
    if (status == CP_OK && loading->use->known)
        status = state_put(loading->use->known, &record);
    loading->use->records += status == CP_OK;
    reader->arena = kept;
    reader->path = last_path;
    reader->host = reader->folder = NULL;
    return status;
}

/* Takes the line of an entry. */
static cp_status take_entry(struct loading *loading, const struct row *row, const char **wrong)
{
    struct arena *arena = loading->entries->arena;
    const char *path = normal_path(arena, row->path, strlen(row->path));
    if (!path)
        return CP_LIMIT;
    const char *slash = strrchr(path, '/');
    const char *name = *row->entry.name ? row->entry.name : slash && slash[1] ? slash + 1 : path;
    const char *folder = NULL;
    if (!is_plain_name(name))
        *wrong = "has a \"name\" that leads out of the output folder";
    else if (!(folder = folder_before(arena, path, name)))
        *wrong = "has a \"name\" that is not the end of its \"path\"";
    else if (strlen(row->root) > MOST_ROOT_ID)
        *wrong = "has a \"root\" that is too long";
    if (*wrong)
        return CP_INPUT;
    struct scan *scan = arena_copy(arena, &row->scan, 1, sizeof row->scan);
    const struct input_root *root =
        scan ? entries_root_named(loading->cli, loading->entries, folder, *row->root ? row->root : NULL) : NULL;
    struct entry *entry = entries_add(loading->entries, root, name);
    if (!entry)
        return CP_LIMIT;
    entry->size = row->entry.size;
    entry->scan = scan;
    return CP_OK;
}

static cp_status take_line(void *user, uint64_t line, const char *text, size_t size, bool whole)
{
    struct loading *loading = user;
    struct manifest_use *use = loading->use;
    struct row row = {.path = "", .root = "", .entry.name = "", .scan.format = ""};
    const char *wrong = !whole                                                                 ? "is cut short"
                        : use->is_part && loading->part.size > 0 && size >= loading->part.size ? "is no end of a shard"
                                                                                               : NULL;
    if (use->is_part && loading->part.size == 0)
        return CP_NO; /* the next shard begins */
    cp_status status = wrong ? CP_INPUT : cp_fields_parse(&loading->reader, text, size);
    if (status == CP_OK)
        status = cp_fields_take(&loading->reader, row_fields, &row);
    if (use->is_part)
        loading->part.size -= wrong ? 0 : size + 1;
    else if (line == 1)
        loading->skip = size + 1;
    if (status == CP_OK && *row.path)
        status = take_entry(loading, &row, &wrong);
    else if (status == CP_OK) {
        status = line == 1 && !use->is_part ? take_head(loading) : CP_INPUT;
        status = status == CP_INPUT ? take_known(loading) : status;
        wrong = "has no \"path\", and is no record";
    }
    if (status == CP_INPUT)
        return complain(loading->cli, CP_INPUT, "%s:%llu: %s", loading->path,
                        (unsigned long long)(loading->line + line), wrong ? wrong : "is no line of a manifest");
    return status;
}

/* Reads all lines, or after the first one those of the shard alone. */
static cp_status read_manifest(struct loading *loading, int file, uint64_t *line)
{
    cp_status status = read_lines(loading->cli->context, file, '\n', take_line, loading, line);
    if (status != CP_NO)
        return status;
    if (lseek(file, (off_t)loading->skip, SEEK_SET) < 0)
        return CP_INPUT;
    status = read_lines(loading->cli->context, file, '\n', take_line, loading, line);
    if (status == CP_OK && loading->part.size > 0)
        return complain(loading->cli, CP_INPUT, "%s:%llu: the lines of shard %lu are not all there", loading->path,
                        (unsigned long long)(loading->line + *line), (unsigned long)loading->use->shard.index);
    return status == CP_NO ? CP_OK : status;
}

cp_status manifest_read(struct cli *cli, const char *path, struct manifest_use *use, struct entries *entries)
{
    uint64_t line = 0;
    bool is_input = strcmp(path, "-") == 0;
    if (!entries_open(cli, entries))
        return CP_LIMIT;
    struct loading loading = {
        .cli = cli, .use = use, .entries = entries, .path = path, .scratch = arena_new(cli->context)};
    loading.reader = (cp_field_reader){.context = cli->context, .arena = entries->arena};
    int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    loading.may_seek = use->shard.count > 0 && file >= 0 && lseek(file, 0, SEEK_CUR) == 0;
    cp_status status = !loading.scratch ? CP_LIMIT : file < 0 ? CP_INPUT : read_manifest(&loading, file, &line);
    if (status == CP_INPUT && line == 0)
        status = complain(cli, CP_INPUT, "the manifest %s cannot be read: %s", path, strerror(errno));
    if (file >= 0 && !is_input)
        (void)close(file);
    cp_field_reader_free(&loading.reader);
    arena_free(loading.scratch);
    if (status == CP_OK)
        entries_sort(entries);
    return status;
}

/* ---- the command ---- */

struct wanted {
    struct request request; /* first: see cli.h */
    struct list_request list;
    bool whole_cells;
    int64_t shards;
    int balance;
    const char *known;
};

/* Opens what is known of the inputs in an output folder. */
static cp_status open_known(struct cli *cli, const char *out_dir, struct state *known)
{
    struct merged merged = {0};
    struct whereabouts here;
    struct arena *arena = arena_new(cli->context);
    const char *folder = cli_print(cli, "%s/.cellpipe", out_dir);
    cp_status status = arena && folder && find_whereabouts(arena, &here) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = read_state(cli, folder, &here, known, &merged);
    arena_free(arena);
    return status;
}

/* Refuses two inputs of one name, as no batch could tell their outputs apart, least of all shards. */
static cp_status check_inputs(struct cli *cli, struct entries *entries)
{
    const struct naming naming = {.folder = "OUT", .suffix = ".out"};
    return check_names(cli, entries, &naming);
}

static cp_status command_manifest(struct cli *cli)
{
    struct wanted wanted = {0};
    struct entries entries = {0};
    struct state known = {0};
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
    if (status == CP_OK && wanted.shards > 0)
        status = check_inputs(cli, &entries);
    if (status == CP_OK && wanted.known)
        status = open_known(cli, wanted.known, &known);
    if (status == CP_OK && wanted.known)
        status = entries_agree_on_ids(&entries, &known);
    if (status == CP_OK) {
        struct printing printing = {
            .cli = cli, .entries = &entries, .known = wanted.known ? &known : NULL, .root_id = wanted.list.root_id};
        status = print_manifest(&printing, (uint32_t)wanted.shards, wanted.balance);
    }
    state_close(&known);
    uint32_t unread = 0;
    for (uint32_t i = 0; i < entries.count; i++)
        unread += !entries.items[i].scan || !*entries.items[i].scan->format;
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

static const cp_option options[] = {
    LIST_OPTIONS(struct wanted, list),
    {"--whole-cells", "leave out files that another file names, such as the parts of a cell", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct wanted, whole_cells)},
    {"--root-id", "the name of the folder of the inputs: by it the folder is known after it has moved",
     CP_OPTION_STRING, .offset = offsetof(struct wanted, list.root_id), .value = "NAME"},
    {"--shards", "print the lines in the order of N shards, so that each reads its own ones alone", CP_OPTION_INTEGER,
     offsetof(struct wanted, shards), .minimum = 1, .maximum = MOST_SHARDS},
    {"--balance", "size: shards of equal bytes; hash: by path, so that new files move no others", CP_OPTION_CHOICE,
     offsetof(struct wanted, balance), "size", .choices = "size|hash", .value = "MODE"},
    {"--known", "tell what is known of each input in the output folder DIR, for shards on other hosts", CP_OPTION_PATH,
     .offset = offsetof(struct wanted, known), .value = "DIR"},
    {0}};

const struct command manifest_command = {
    .name = "manifest",
    .title = "list the inputs of a batch, with their contents",
    .usage = "IN... >MANIFEST",
    .help =
        "Prints a line of JSON for each file: its path, size, hash, format, and the further files that it names. IN "
        "is a file, a folder, @LIST (one path a line) or @0LIST (a NUL byte after each path); @- and @0- read the "
        "list from standard input. The lines are sorted by path, with --shards by shard. Without an input it ends with "
        "3.\n"
        "cellpipe batch --manifest MANIFEST --shard I/N converts the I-th of N parts of it; cellpipe report "
        "--manifest MANIFEST tells what is missing.",
    .examples = "cellpipe manifest parts >parts.jsonl\n"
                "cellpipe manifest parts --skip backup --whole-cells >parts.jsonl",
    .options = options,
    .run = command_manifest};

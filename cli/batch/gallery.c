/* gallery: a page of all outputs, OUT/index.html, with a picture and a model of each in OUT/.gallery.
 *
 *     KEY.png, KEY.js  of an output: the exporter html writes both from the output as it lies there (part=yes)
 *     viewer.html      shows a model
 *
 * KEY is of the output's bytes and of this program, so that a file which is there is up to date: only what is new is
 * made, by workers, as a conversion is. One that cannot be made has a script that says why. */
#include "batch.h"

#include <dirent.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../report/page.h"

enum { KEY_SIZE = 32, MOST_PATH = 4096 };
/* The begin of a script without a model. */
#define FAILED "cellpipe_part(null,\"There is no model of this output: "

struct gallery {
    const struct batch_site *site;
    const char *folder;     /* OUT/.gallery */
    struct batch_work work; /* of outputs that have no files there */
    struct name_map keys;   /* of all outputs that are there */
    struct arena *scratch;  /* of one output */
    struct buffer failures; /* lines of records */
    bool retries;           /* a script that says why there is no model is none */
    uint32_t parts, without;
};

/* ---- keys ---- */

/* Tells whether a model has failed before: its script says why. */
static bool is_failure(const char *path)
{
    char head[sizeof FAILED - 1];
    FILE *file = fopen(path, "r");
    bool failed = file && fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, FAILED, sizeof head) == 0;
    if (file)
        (void)fclose(file);
    return failed;
}

/* Fills what there is of an output. A key, in the scratch, is "" for what has failed or is gone. */
static cp_status find_part(void *user, const struct record *record, struct page_part *part)
{
    struct gallery *gallery = user;
    bool touched = false;
    cp_hash key = gallery->work.variants->options;
    char path[MOST_PATH];
    part->key = "";
    arena_clear(gallery->scratch);
    if (record->state != STATE_OK)
        return CP_OK;
    part->is_gone = !has_outputs(gallery->site, gallery->scratch, record, &touched);
    if (part->is_gone)
        return CP_OK;
    for (uint32_t i = 0; i < record->output_count; i++) {
        const cp_hash pair[] = {key, record->outputs[i].hash};
        if (hash_is_zero(pair[1]))
            return CP_OK; /* nobody knows what is in it */
        key = cp_hash_bytes(pair, sizeof pair);
    }
    part->key =
        arena_print(gallery->scratch, "%016llx%016llx", (unsigned long long)key.high, (unsigned long long)key.low);
    if (!part->key)
        return CP_LIMIT;
    (void)snprintf(path, sizeof path, "%s/%s.js", gallery->folder, part->key);
    part->has_model = access(path, F_OK) == 0 && !(gallery->retries && is_failure(path));
    (void)snprintf(path, sizeof path, "%s/%s.png", gallery->folder, part->key);
    part->has_picture = access(path, F_OK) == 0;
    return CP_OK;
}

/* Returns the file of an output that names the others; the first of those that stand side by side. */
static const char *top_file(const struct record *record)
{
    const char *path = record->outputs[0].path;
    for (uint32_t i = 0; i < record->output_count; i++)
        path = strcmp(record->outputs[i].path, record->out) == 0 ? record->out : path;
    return path;
}

/* Notes the key of an output, and makes it an entry if nothing is there of it. */
static cp_status add_part(void *user, const struct state_row *row)
{
    struct gallery *gallery = user;
    struct entries *entries = &gallery->work.entries;
    struct page_part part = {0};
    bool is_new = false;
    cp_status status = find_part(gallery, &row->record, &part);
    if (status != CP_OK || !*part.key)
        return status;
    const char *key = arena_copy_text(entries->arena, part.key, KEY_SIZE);
    gallery->parts++;
    if (!key || !name_map_add(&gallery->keys, key, 0, &is_new))
        return CP_LIMIT;
    if (part.has_model || !is_new)
        return CP_OK;
    const char *path = top_file(&row->record), *name = arena_copy_text(entries->arena, path, strlen(path));
    struct scan *scan = arena_allocate(entries->arena, 1, sizeof *scan);
    struct entry *entry = name && scan ? entries_add(entries, entries->roots[0], name) : NULL;
    if (!entry)
        return CP_LIMIT;
    *scan = (struct scan){0};
    for (int i = 0; i < KEY_SIZE; i++)
        *(i < 16 ? &scan->hash.high : &scan->hash.low) =
            *(i < 16 ? &scan->hash.high : &scan->hash.low) << 4 | (uint64_t)hex_digit(key[i]);
    entry->scan = scan;
    return CP_OK;
}

/* ---- files ---- */

static const char *path_in(const struct gallery *gallery, const char *name, const char *suffix)
{
    return arena_print(gallery->site->arena, "%s/%s%s", gallery->folder, name, suffix);
}

/* Writes a file unless it has these bytes. */
static cp_status write_changed(struct cli *cli, const char *path, const void *bytes, size_t size)
{
    struct record_input there;
    if (!path)
        return CP_LIMIT;
    if (hash_file(path, &there) && there.size == size && hash_equals(there.hash, cp_hash_bytes(bytes, size)))
        return CP_OK;
    cp_set_flag(cli->context, CP_FLAG_NO_CLOBBER, false); /* it is ours */
    cp_status status = cp_write_file(cli->context, path, bytes, size);
    cp_set_flag(cli->context, CP_FLAG_NO_CLOBBER, cli->globals.no_clobber);
    flush_report(cli, status);
    return status;
}

/* Tells whether the page at the path is one of ours, or there is none. */
static bool may_write_index(const char *path)
{
    static const char mark[] = "<meta name=\"cellpipe\" content=\"page of a batch\">";
    char head[256] = "";
    struct stat facts;
    if (lstat(path, &facts) != 0)
        return true;
    FILE *file = S_ISREG(facts.st_mode) ? fopen(path, "r") : NULL;
    size_t size = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        (void)fclose(file);
    head[size] = '\0';
    return strstr(head, mark) != NULL;
}

cp_status expect_gallery(const struct batch_site *site, const struct batch_work *work)
{
    const char *path = join_path(site->arena, site->out_dir, "index.html");
    for (uint32_t i = 0; path && work && i < work->entries.count; i++) {
        const char *name = output_name(site->arena, &work->naming, &work->entries.items[i]);
        if (!name)
            return CP_LIMIT;
        if (strcmp(name, "index.html") == 0 || path_below(name, ".gallery"))
            return complain(site->cli, CP_USAGE, "%s would be an output, and the gallery has that name", name);
    }
    if (path && !may_write_index(path))
        return complain(site->cli, CP_USAGE,
                        "%s is there, and no page of cellpipe gallery: give it another name, or the outputs another "
                        "folder",
                        path);
    return path ? CP_OK : CP_LIMIT;
}

/* Removes pictures and models that belong to no output any more: files of names that we give alone. */
static void remove_stale(const struct gallery *gallery)
{
    DIR *folder = opendir(gallery->folder);
    const struct dirent *member;
    while (folder && (member = readdir(folder))) {
        char key[KEY_SIZE + 1] = "", path[MOST_PATH];
        const char *name = member->d_name, *suffix = strlen(name) > KEY_SIZE ? name + KEY_SIZE : "";
        if (strspn(name, "0123456789abcdef") != KEY_SIZE || (strcmp(suffix, ".js") != 0 && strcmp(suffix, ".png") != 0))
            continue;
        memcpy(key, name, KEY_SIZE);
        if (!name_map_find(&gallery->keys, key) &&
            (size_t)snprintf(path, sizeof path, "%s/%s", gallery->folder, name) < sizeof path)
            (void)unlink(path);
    }
    if (folder)
        (void)closedir(folder);
}

/* ---- making ---- */

/* Makes the plan by which a worker reads an output and writes its script. */
static cp_status make_part_plan(struct gallery *gallery)
{
    static const char *items[] = {"part=yes"};
    struct cli *cli = gallery->site->cli;
    struct variant *variant = gallery->work.variants = cli_allocate(cli, sizeof *variant);
    if (!variant || !plan_open(cli, &variant->plan, 2))
        return CP_LIMIT;
    cp_status status = add_read(cli, &variant->plan, "output", NULL, (struct list){0});
    if (status == CP_OK)
        status = add_write(cli, &variant->plan, "part.js", "html", (struct list){.items = items, .count = 1}, false);
    variant->plan.globals = (struct globals){0}; /* those of the user are of the inputs */
    if (status == CP_OK)
        status = hash_options(gallery->site, variant);
    variant->plan.globals.sync = cli->globals.sync;
    variant->plan.globals.limits = cli->globals.limits;
    return status;
}

/* Writes the script of an output of which nothing could be made, as its record says. */
static cp_status write_failure(const struct gallery *gallery, const struct record *record)
{
    const struct batch_site *site = gallery->site;
    const struct entries *entries = &gallery->work.entries;
    struct buffer text = {.context = site->cli->context};
    const struct entry *entry = entries_find(entries, entries->roots[0], record->name);
    const char *path = entry ? output_path(site->arena, &gallery->work.naming, entry) : NULL;
    const char *why = record->message;
    char piece[CP_JSON_CHARACTER_SIZE];
    if (!path)
        return CP_LIMIT;
    buffer_text(&text, FAILED);
    for (size_t size; (size = cp_print_json_character(&why, piece)) > 0;)
        buffer_append(&text, piece, size);
    buffer_text(&text, "\")\n");
    cp_status status = text.failed ? CP_LIMIT : write_changed(site->cli, path, text.data, text.size);
    buffer_free(&text);
    return status;
}

static cp_status write_failures(struct gallery *gallery)
{
    cp_field_reader reader = {.context = gallery->site->cli->context, .arena = gallery->scratch};
    const char *line = gallery->failures.data, *end = line ? line + gallery->failures.size : NULL;
    cp_status status = CP_OK;
    while (line < end && status == CP_OK) {
        struct record record;
        size_t size = (size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line);
        arena_clear(gallery->scratch);
        reader.host = reader.folder = NULL;
        status = record_parse(&reader, line, size, &record);
        if (status == CP_OK)
            status = write_failure(gallery, &record);
        gallery->without++;
        line += size + 1;
    }
    cp_field_reader_free(&reader);
    return status;
}

/* Makes what is missing. */
static cp_status make_parts(const struct batch_request *asked, struct state *state, struct gallery *gallery)
{
    const struct batch_site *site = gallery->site;
    struct cli *cli = site->cli;
    struct batch_work *work = &gallery->work;
    struct journal journal = {.cli = cli,
                              .entries = &work->entries,
                              .file = -1,
                              .log = -1,
                              .line.context = cli->context,
                              .failures = &gallery->failures,
                              .show = {.quiet = cli->quiet || asked->progress == PROGRESS_NONE,
                                       .json = asked->progress == PROGRESS_JSON,
                                       .begun = milliseconds(),
                                       .shown = milliseconds()}};
    gallery->failures.context = cli->context;
    work->naming = (struct naming){.folder = gallery->folder, .suffix = ".js", .by_key = true};
    entries_sort(&work->entries);
    work->deeds = memory_allocate(cli->context, work->entries.count, sizeof *work->deeds);
    if (!work->deeds)
        return CP_LIMIT;
    memset(work->deeds, DEED_CONVERT, work->entries.count);
    cp_status status = supervise(asked, site, state, work, &journal);
    journal_show(&journal, true);
    journal_close(&journal);
    (void)sweep_folder(cli, gallery->folder); /* of workers that were killed */
    return status == CP_OK ? write_failures(gallery) : status;
}

static cp_status write_viewer(const struct gallery *gallery)
{
    struct cli *cli = gallery->site->cli;
    void *bytes = NULL;
    size_t size = 0;
    cp_status status = cp_page_of_parts(cli->context, &bytes, &size);
    flush_report(cli, status);
    if (status == CP_OK)
        status = make_folder(cli, cli_print(cli, "%s", gallery->folder));
    if (status == CP_OK)
        status = write_changed(cli, path_in(gallery, "viewer", ".html"), bytes, size);
    cp_free(cli->context, bytes, size);
    return status;
}

static cp_status write_index(struct gallery *gallery, struct state *state)
{
    const struct batch_site *site = gallery->site;
    struct cli *cli = site->cli;
    const char *slash = strrchr(site->out_place, '/');
    const struct page_request page = {.title = slash && slash[1] ? slash + 1 : site->out_place,
                                      .folder = ".gallery/",
                                      .find_part = find_part,
                                      .user = gallery};
    const struct report_scope scope = {0};
    struct summary summary = {.cli = cli};
    void *bytes = NULL;
    size_t size = 0;
    cp_status status = summarise(&summary, state, &scope);
    if (status == CP_OK)
        status = make_page(&summary, state, &page, &bytes, &size);
    if (status == CP_OK)
        status = write_changed(cli, join_path(site->arena, site->out_dir, "index.html"), bytes, size);
    cp_free(cli->context, bytes, size);
    summary_free(&summary);
    return status;
}

cp_status make_gallery(const struct batch_request *asked, const struct batch_site *site, struct state *state)
{
    struct cli *cli = site->cli;
    struct gallery gallery = {
        .site = site, .retries = asked->retry, .scratch = arena_new(cli->context), .keys.context = cli->context};
    struct batch_work *work = &gallery.work;
    gallery.folder = join_path(site->arena, site->out_dir, ".gallery");
    cp_status status = gallery.scratch && gallery.folder && entries_open(cli, &work->entries) &&
                               entries_root(cli, &work->entries, site->out_dir)
                           ? write_viewer(&gallery)
                           : CP_LIMIT;
    if (status == CP_OK)
        status = make_part_plan(&gallery);
    if (status == CP_OK)
        status = state_each(state, STATE_ALL, add_part, &gallery);
    if (status == CP_OK && work->entries.count > 0)
        status = make_parts(asked, state, &gallery);
    gallery.retries = false; /* what is there now is shown */
    if (status == CP_OK)
        status = write_index(&gallery, state);
    if (status == CP_OK) {
        remove_stale(&gallery);
        if (!cli->quiet) {
            fputs("gallery    ", stdout);
            print_shown(stdout, site->out_dir);
            printf("/index.html: %u outputs, %u new, %u of these without a model\n", gallery.parts, work->entries.count,
                   gallery.without);
        }
    }
    memory_free(cli->context, work->deeds, work->entries.count, sizeof *work->deeds);
    buffer_free(&gallery.failures);
    name_map_free(&gallery.keys);
    entries_free(&work->entries);
    arena_free(gallery.scratch);
    return status;
}

/* ---- the command ---- */

static cp_status make_for(struct batch_site *site, const struct batch_request *asked)
{
    struct cli *cli = site->cli;
    struct state state = {0};
    struct merged merged = {0};
    bool empty = false;
    cp_status status = expect_gallery(site, NULL);
    if (status == CP_OK)
        status = lock_output(cli, site->folder, &site->here, &site->lock);
    if (status == CP_OK)
        status = read_state(cli, site->folder, &site->here, &state, &merged);
    if (status == CP_OK)
        status = state_is_empty(&state, &empty);
    if (status == CP_OK && empty)
        status = complain_of_none(cli, site->out_dir);
    if (status == CP_OK)
        status = make_gallery(asked, site, &state);
    state_close(&state);
    return status;
}

static cp_status command_gallery(struct cli *cli)
{
    struct batch_request asked = {0};
    struct batch_site site = {.cli = cli, .lock = -1};
    cp_status status = sort_words(cli, 1, cli->words.count, &gallery_command, &asked);
    if (status == CP_OK)
        status = find_known_site(&asked.request.words, "gallery", &site);
    set_jobs(&asked);
    if (status == CP_OK)
        status = make_for(&site, &asked);
    leave_site(&site);
    return status;
}

static const cp_option options[] = {
    LIMIT_OPTIONS,
    {"--retry", "try again what failed before", CP_OPTION_BOOLEAN, .offset = offsetof(struct batch_request, retry)},
    {0}};

const struct command gallery_command = {
    .name = "gallery",
    .title = "make a page with pictures and models of a batch's outputs",
    .usage = "OUT [--retry]",
    .help =
        "Writes OUT/index.html, which any browser opens, also without a server: a list of all inputs of a batch with "
        "search, filters and sorting, a picture of each output, and its model in 3D when you open it. Pictures and "
        "models are files in OUT/.gallery; only those of new outputs are made. batch --gallery does this at its end.",
    .examples = "cellpipe gallery web",
    .options = options,
    .run = command_gallery};

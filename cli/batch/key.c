/* Decides whether an output is up to date: by the sizes and times of all files that made it, or by their contents. */
#include "batch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_ATTEMPTS = 3,      /* the most attempts at an input that ends its worker, or takes too long or too much
                             * memory */
    MOST_HASHED = 256 << 20 /* the most bytes of such a file that are hashed, as others wait for the supervisor
                             * meanwhile */
};

static void print_plugin(FILE *file, cp_plugin_kind kind, size_t index)
{
    if (index != SIZE_MAX)
        fprintf(file, "%s %s\n", plugin_at(kind, index).name, cp_plugin_version(NULL, kind, index));
}

cp_status hash_options(const struct batch_site *site, struct variant *variant)
{
    struct printed_text text;
    struct plan plan;
    if (!plan_between(site->cli, &variant->plan, "", "", &plan))
        return CP_LIMIT;
    plan.globals.sync = plan.globals.no_clobber = false; /* they change no output */
    if (!text_open(&text))
        return complain(site->cli, CP_LIMIT, "out of memory");
    fprintf(text.file, "cellpipe %s\n", CP_VERSION);
    print_plan(&plan, text.file);
    for (size_t i = 0; i < plan.count; i++)
        if (plan.steps[i].kind == STEP_FILTER)
            print_plugin(text.file, CP_FILTER, plugin_named(CP_FILTER, plan.steps[i].name));
    print_plugin(text.file, CP_EXPORTER, exporter_for(plan.steps[plan.count - 1].format, ""));
    bool whole = text_close(&text);
    if (whole)
        variant->options = cp_hash_bytes(text.bytes, text.size);
    text_free(&text);
    return whole ? CP_OK : complain(site->cli, CP_LIMIT, "out of memory");
}

bool key_of(const struct batch_site *site, const struct variant *variant, const struct record *record, cp_hash *key)
{
    struct buffer text = {.context = site->cli->context};
    buffer_append(&text, &variant->options, sizeof variant->options);
    for (size_t i = 0; i < plugin_count(CP_IMPORTER); i++) {
        const char *name = plugin_at(CP_IMPORTER, i).name;
        if (record->formats.count == 0 || list_has(&record->formats, name))
            buffer_print(&text, "%s %s\n", name, cp_plugin_version(NULL, CP_IMPORTER, i));
    }
    for (uint32_t i = 0; i < record->input_count; i++) {
        const struct record_input *input = &record->inputs[i];
        cp_json_text(&(cp_json){.out = &text, .keeps_bytes = true}, NULL, input->path);
        if (input->missing)
            buffer_text(&text, "missing");
        else
            buffer_append(&text, &input->hash, sizeof input->hash);
    }
    bool good = !text.failed;
    if (good)
        *key = cp_hash_bytes(text.data, text.size);
    buffer_free(&text);
    return good;
}

/* ---- files ---- */

const char *place_of_input(struct arena *arena, const struct input_root *root, const char *path)
{
    return *path == '/' ? path : join_path(arena, root->given, path);
}

const char *place_of_output(const struct batch_site *site, struct arena *arena, const char *path)
{
    return *path == '/' ? path : join_path(arena, site->out_dir, path);
}

static int64_t time_of(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
}

bool hash_file(const char *path, struct record_input *file)
{
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not even a FIFO blocks the open */
    bool good = descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
    size_t size = good ? (size_t)facts.st_size : 0;
    const void *bytes = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : "";
    good = good && bytes != MAP_FAILED;
    if (good) {
        file->size = size;
        file->modified = time_of(&facts);
        file->hash = cp_hash_bytes(bytes, size);
    }
    if (good && size > 0)
        (void)munmap((void *)(uintptr_t)bytes, size);
    if (descriptor >= 0)
        (void)close(descriptor);
    good = good && !were_bytes_missing();
    forget_missing_bytes();
    return good;
}

bool take_input(const struct batch_site *site, const struct batch_work *work, const struct entry *entry,
                struct record *record, struct record_input *input)
{
    struct stat facts;
    const char *path = entry_path(site->arena, entry);
    *input = (struct record_input){.path = entry->name};
    if (!path)
        return false;
    input->missing = stat(path, &facts) != 0;
    if (!input->missing && ((uint64_t)facts.st_size > MOST_HASHED || !hash_file(path, input))) {
        input->size = (uint64_t)facts.st_size;
        input->modified = time_of(&facts);
    }
    record->inputs = input;
    record->input_count = 1;
    return key_of(site, variant_of(work, entry), record, &record->key);
}

void fill_task(struct worker_task *task, const struct record *past)
{
    if (!past)
        return;
    task->sequence = past->sequence;
    task->attempt = record_is_failure(past) ? past->attempt : 0;
    if (past->input_count > 0)
        task->input = past->inputs[0].hash;
}

void follow_task(const struct worker_task *task, struct record *record)
{
    bool same = record->input_count > 0 && hash_equals(task->input, record->inputs[0].hash);
    record->attempt = same ? task->attempt + 1 : 1;
    record->sequence = task->sequence + 1;
}

/* ---- contents ---- */

/* Compares a file with its record. Files that were missing still are: see decide. */
static bool is_same_file(const struct batch_request *asked, const char *path, struct record_input *file)
{
    struct record_input now = *file;
    struct stat facts;
    if (file->missing || (!asked->verify && stat(path, &facts) == 0 && (uint64_t)facts.st_size == file->size &&
                          time_of(&facts) == file->modified))
        return true;
    if (hash_is_zero(file->hash) || !hash_file(path, &now) || !hash_equals(now.hash, file->hash))
        return false;
    *file = now;
    return true;
}

bool is_same_content(const struct batch_request *asked, const struct batch_site *site, const struct entry *entry,
                     struct record *record)
{
    bool same = true;
    for (uint32_t i = 0; i < record->input_count && same; i++) {
        const char *path = place_of_input(site->arena, entry->root, record->inputs[i].path);
        same = path && is_same_file(asked, path, &record->inputs[i]);
    }
    for (uint32_t i = 0; i < record->output_count && same; i++) {
        const char *path = place_of_output(site, site->arena, record->outputs[i].path);
        same = path && is_same_file(asked, path, &record->outputs[i]);
    }
    return same;
}

/* ---- the decision ---- */

/* Returns the change of an input that certainly changes the output; NULL: none that size and time show. */
static const char *change_of(const struct entry *entry, const struct record_input *input, const char *path,
                             bool *touched)
{
    struct stat facts;
    uint64_t size = entry->size;
    int64_t modified = entry->modified;
    bool is_listed = !input->missing && entry->modified != 0 && strcmp(input->path, entry->name) == 0, there = true;
    if (!is_listed) {
        there = stat(path, &facts) == 0;
        size = there ? (uint64_t)facts.st_size : 0;
        modified = there ? time_of(&facts) : 0;
    }
    if (input->missing) /* a folder, or a file without permission, counts as missing */
        return there && S_ISREG(facts.st_mode) && access(path, R_OK) == 0 ? "appeared" : NULL;
    if (!there)
        return "is gone";
    if (size != input->size)
        return "changed";
    *touched |= modified != input->modified;
    return NULL;
}

bool has_outputs(const struct batch_site *site, struct arena *arena, const struct record *record, bool *touched)
{
    struct stat facts;
    for (uint32_t i = 0; i < record->output_count; i++) {
        const struct record_input *output = &record->outputs[i];
        const char *path = place_of_output(site, arena, output->path);
        if (!path || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || (uint64_t)facts.st_size != output->size)
            return false;
        *touched |= time_of(&facts) != output->modified;
    }
    return record->output_count > 0;
}

/* Sets *why to the change of an input, if there is one. */
static cp_status find_change(struct arena *arena, const struct entry *entry, const struct record *past, bool *touched,
                             const char **why)
{
    for (uint32_t i = 0; i < past->input_count; i++) {
        const char *path = place_of_input(arena, entry->root, past->inputs[i].path);
        const char *change = path ? change_of(entry, &past->inputs[i], path, touched) : NULL;
        if (!path || (change && !(*why = arena_print(arena, "%s %s", path, change))))
            return CP_LIMIT;
        if (change)
            return CP_OK;
    }
    return CP_OK;
}

cp_status decide(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                 struct arena *arena, const struct entry *entry, const struct record *past, enum deed *deed,
                 const char **why)
{
    bool touched = false;
    cp_hash key;
    *deed = DEED_CONVERT;
    *why = !past ? "new" : asked->force ? "--force" : NULL;
    if (entry_fault(entry)) {
        *deed = DEED_FAULT;
        *why = entry_fault(entry);
    }
    if (*why)
        return CP_OK;
    cp_status status = find_change(arena, entry, past, &touched, why);
    if (status != CP_OK || *why)
        return status;
    bool good = past->state == STATE_OK;
    if (!key_of(site, variant_of(work, entry), past, &key))
        return CP_LIMIT;
    if (!hash_is_zero(past->key) && !hash_equals(key, past->key))
        *why = "options or version changed";
    else if (good && !has_outputs(site, arena, past, &touched))
        *why = "the output is not as it was written";
    if (*why)
        return CP_OK;
    if (past->state == STATE_MACROS && !hash_is_zero(past->key)) {
        *deed = touched || asked->verify ? DEED_CHECK : DEED_PASS;
        *why = touched ? "touched" : asked->verify ? "to be verified" : "no robot";
        return CP_OK;
    }
    bool ends_worker = past->state == STATE_TIMEOUT || past->state == STATE_MEMORY || past->state == STATE_CRASHED;
    if (!good && (asked->retry || hash_is_zero(past->key) || (ends_worker && past->attempt < MOST_ATTEMPTS))) {
        *why = "failed before";
        return CP_OK;
    }
    *deed = touched || asked->verify ? DEED_CHECK : good ? DEED_NONE : DEED_REPEAT;
    *why = touched         ? "touched"
           : asked->verify ? "to be verified"
           : good          ? "up to date"
                           : "failed before; --retry tries again";
    return CP_OK;
}

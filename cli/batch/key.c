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

cp_status hash_options(const struct batch_site *site, struct batch_work *work)
{
    struct printed_text text;
    struct plan plan;
    if (!plan_between(site->cli, &work->plan, "", "", &plan))
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
        work->options = cp_hash_bytes(text.bytes, text.size);
    text_free(&text);
    return whole ? CP_OK : complain(site->cli, CP_LIMIT, "out of memory");
}

bool key_of(const struct batch_site *site, const struct batch_work *work, const struct record *record, cp_hash *key)
{
    const char *slash = strrchr(record->in, '/');
    size_t folder = slash ? (size_t)(slash - record->in) + 1 : 0;
    struct buffer text = {.context = site->cli->context};
    buffer_append(&text, &work->options, sizeof work->options);
    for (size_t i = 0; i < plugin_count(CP_IMPORTER); i++) {
        const char *name = plugin_at(CP_IMPORTER, i).name;
        if (record->formats.count == 0 || list_has(&record->formats, name))
            buffer_print(&text, "%s %s\n", name, cp_plugin_version(NULL, CP_IMPORTER, i));
    }
    for (uint32_t i = 0; i < record->input_count; i++) {
        const struct record_input *input = &record->inputs[i];
        bool below = strncmp(input->path, record->in, folder) == 0;
        cp_json_text(&(cp_json){.out = &text, .keeps_bytes = true}, NULL, input->path + (below ? folder : 0));
        if (input->missing)
            buffer_text(&text, "missing");
        else
            buffer_append(&text, &input->hash, sizeof input->hash);
    }
    if (!text.failed)
        *key = cp_hash_bytes(text.data, text.size);
    buffer_free(&text);
    return !text.failed;
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

bool take_input(const struct batch_site *site, const struct batch_work *work, struct record *record,
                struct record_input *input)
{
    struct stat facts;
    *input = (struct record_input){.path = record->in};
    input->missing = stat(record->in, &facts) != 0;
    if (!input->missing && ((uint64_t)facts.st_size > MOST_HASHED || !hash_file(record->in, input))) {
        input->size = (uint64_t)facts.st_size;
        input->modified = time_of(&facts);
    }
    record->inputs = input;
    record->input_count = 1;
    return key_of(site, work, record, &record->key);
}

uint32_t attempt_at(const struct task *task, const struct record *record)
{
    const struct record *past = task->past;
    bool same = past && past->input_count > 0 && record->input_count > 0 &&
                hash_equals(past->inputs[0].hash, record->inputs[0].hash);
    return same ? task->attempt : 1;
}

bool has_outputs(const struct record *record, bool *touched)
{
    struct stat facts;
    for (uint32_t i = 0; i < record->output_count; i++) {
        const struct record_input *output = &record->outputs[i];
        if (stat(output->path, &facts) != 0 || !S_ISREG(facts.st_mode) || (uint64_t)facts.st_size != output->size)
            return false;
        *touched |= time_of(&facts) != output->modified;
    }
    return record->output_count > 0;
}

/* Compares a file with its record. Files that were missing still are: see decide. */
static bool is_same_file(const struct batch_request *asked, struct record_input *file)
{
    struct record_input now = *file;
    struct stat facts;
    if (file->missing || (!asked->verify && stat(file->path, &facts) == 0 && (uint64_t)facts.st_size == file->size &&
                          time_of(&facts) == file->modified))
        return true;
    if (hash_is_zero(file->hash) || !hash_file(file->path, &now) || !hash_equals(now.hash, file->hash))
        return false;
    *file = now;
    return true;
}

bool is_same_content(const struct batch_request *asked, struct record *record)
{
    bool same = true;
    for (uint32_t i = 0; i < record->input_count && same; i++)
        same = is_same_file(asked, &record->inputs[i]);
    for (uint32_t i = 0; i < record->output_count && same; i++)
        same = is_same_file(asked, &record->outputs[i]);
    return same;
}

/* Returns the change of an input that certainly changes the output; NULL: none that size and time show. */
static const char *change_of(const struct record_input *input, bool *touched)
{
    struct stat facts;
    bool there = stat(input->path, &facts) == 0;
    if (input->missing) /* a folder, or a file without permission, counts as missing */
        return there && S_ISREG(facts.st_mode) && access(input->path, R_OK) == 0 ? "appeared" : NULL;
    if (!there)
        return "is gone";
    if ((uint64_t)facts.st_size != input->size)
        return "changed";
    *touched |= time_of(&facts) != input->modified;
    return NULL;
}

cp_status decide(const struct batch_request *asked, const struct batch_site *site, struct batch_work *work,
                 uint32_t index)
{
    const struct entry *entry = &work->entries.items[index];
    struct task *task = &work->tasks[index];
    const struct record *past = task->past;
    task->attempt = 1;
    if (entry->fault) {
        *task = (struct task){.deed = DEED_FAULT, .why = entry->fault, .attempt = 1};
        return CP_OK;
    }
    task->deed = DEED_CONVERT;
    if (!past || strcmp(past->out, entry->out) != 0) {
        task->why = "new";
        return CP_OK;
    }
    if (asked->force) {
        task->why = "--force";
        return CP_OK;
    }
    bool touched = false;
    for (uint32_t i = 0; i < past->input_count; i++) {
        const char *change = change_of(&past->inputs[i], &touched);
        if (change) {
            task->why = arena_print(site->arena, "%s %s", past->inputs[i].path, change);
            return task->why ? CP_OK : CP_LIMIT;
        }
    }
    bool good = past->state == STATE_OK || past->state == STATE_SKIPPED;
    cp_hash key;
    if (!key_of(site, work, past, &key))
        return CP_LIMIT;
    if (!hash_is_zero(past->key) && !hash_equals(key, past->key)) {
        task->why = "options or version changed";
        return CP_OK;
    }
    if (good && !has_outputs(past, &touched)) {
        task->why = "the output is not as it was written";
        return CP_OK;
    }
    if (past->state == STATE_MACROS && !hash_is_zero(past->key)) {
        task->deed = touched || asked->verify ? DEED_CHECK : DEED_PASS;
        task->why = touched ? "touched" : asked->verify ? "to be verified" : "no robot";
        return CP_OK;
    }
    bool ends_worker = past->state == STATE_TIMEOUT || past->state == STATE_MEMORY || past->state == STATE_CRASHED;
    if (!good && (asked->retry || hash_is_zero(past->key) || (ends_worker && past->attempt < MOST_ATTEMPTS))) {
        task->why = "failed before";
        task->attempt = past->attempt + 1;
        return CP_OK;
    }
    task->deed = touched || asked->verify ? DEED_CHECK : good ? DEED_NONE : DEED_REPEAT;
    task->why = touched         ? "touched"
                : asked->verify ? "to be verified"
                : good          ? "up to date"
                                : "failed before; --retry tries again";
    return CP_OK;
}

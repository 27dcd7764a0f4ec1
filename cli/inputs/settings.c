/* Finds the settings of inputs: those of all settings files in the folders above them. */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_GROUPS = 10000, MOST_ABOVE = 32 /* settings files above one input */ };

/* A folder of inputs. */
struct settings_folder {
    const struct settings_folder *above; /* the nearest one above that has a settings file, or NULL */
    struct settings_file *file;          /* its own, or NULL */
    size_t depth;                        /* bytes of its path below the root, with the slash; 0: it is the root */
};

struct finding {
    struct cli *cli;
    const struct entries *entries;
    struct settings *settings;
    size_t exporter;
    struct arena *scratch;
    struct settings_folder **folders; /* all that were looked at */
    uint32_t folder_count, folder_room;
    struct name_map places; /* "ROOT/FOLDER" -> index in folders; ROOT is a number */
    struct name_map texts;  /* text of a group -> its index */
    struct buffer text;
    const struct entry *last; /* it lies in: */
    const struct settings_folder *last_folder;
};

/* ---- reading ---- */

static cp_status refuse_file(struct cli *cli, const char *path, const char *why)
{
    return complain(cli, CP_USAGE, "%s: %s; --no-settings leaves such files out", path, why);
}

/* Reads an open settings file. */
static cp_status read_text(struct finding *finding, int file, const char *path, struct settings_file *settings)
{
    struct cli *cli = finding->cli;
    struct stat facts;
    struct settings_fault fault = {0};
    char text[MOST_SETTINGS + 1];
    size_t size = 0;
    ssize_t more = 1;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return refuse_file(cli, path, "is not a file");
    while (size < sizeof text && (more = read(file, text + size, sizeof text - size)) > 0)
        size += (size_t)more;
    if (more < 0)
        return refuse_file(cli, path, strerror(errno));
    settings->path = path;
    cp_status status = settings_parse(finding->entries->arena, text, size, settings, &fault);
    if (status == CP_INPUT)
        return complain(cli, CP_USAGE, "%s:%u:%u: %s", path, (unsigned)fault.line, (unsigned)fault.column, fault.text);
    return status == CP_OK ? settings_check(cli, settings, finding->exporter) : status;
}

/* Reads the settings file of a folder; *found stays NULL if it has none. A link is refused: it may lead to a file whose
 * words are nobody's business, and messages name words. */
static cp_status read_file(struct finding *finding, const char *path, struct settings_file **found)
{
    struct settings *settings = finding->settings;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG))
        return CP_OK;
    if (file < 0)
        return refuse_file(finding->cli, path, errno == ELOOP ? "is a link, not a file" : strerror(errno));
    struct settings_file *read = arena_allocate(finding->entries->arena, 1, sizeof *read);
    cp_status status = read ? read_text(finding, file, path, read) : CP_LIMIT;
    (void)close(file);
    if (status == CP_OK && !array_reserve(settings->context, &settings->files, &settings->file_room,
                                          (uint64_t)settings->file_count + 1, sizeof(struct settings_file *)))
        status = CP_LIMIT;
    if (status == CP_OK)
        settings->files[settings->file_count++] = *found = read;
    return status;
}

/* ---- folders ---- */

/* Looks at a folder, whose name below the root has `size` bytes with the slash. */
static cp_status find_folder(struct finding *finding, uint32_t root, const char *name, size_t size,
                             const struct settings_folder *above, const struct settings_folder **folder)
{
    struct arena *arena = finding->entries->arena;
    const char *given = finding->entries->roots[root]->given;
    const char *key = arena_print(finding->scratch, "%u/%.*s", (unsigned)root, (int)size, name);
    const uint32_t *place = key ? name_map_find(&finding->places, key) : NULL;
    if (place)
        *folder = finding->folders[*place];
    if (place || !key)
        return key ? CP_OK : CP_LIMIT;
    const char *below = arena_print(finding->scratch, "%.*s" SETTINGS_NAME, (int)size, name);
    const char *path = below ? join_path(arena, given, below) : NULL;
    struct settings_folder *own = arena_allocate(arena, 1, sizeof *own);
    key = arena_copy_text(arena, key, strlen(key));
    if (!path || !own || !key || !name_map_add(&finding->places, key, finding->folder_count, NULL) ||
        !array_reserve(finding->cli->context, &finding->folders, &finding->folder_room,
                       (uint64_t)finding->folder_count + 1, sizeof(struct settings_folder *)))
        return CP_LIMIT;
    *own = (struct settings_folder){.above = above && above->file ? above : above ? above->above : NULL, .depth = size};
    finding->folders[finding->folder_count++] = own;
    *folder = own;
    return read_file(finding, path == below ? arena_copy_text(arena, path, strlen(path)) : path, &own->file);
}

/* Finds the folder of an entry, after those above it. */
static cp_status find_folder_of(struct finding *finding, const struct entry *entry,
                                const struct settings_folder **folder)
{
    const uint32_t *root = name_map_find(&finding->entries->root_names, entry->root->given);
    const char *slash = strrchr(entry->name, '/');
    size_t size = slash ? (size_t)(slash - entry->name) + 1 : 0;
    cp_status status = root ? CP_OK : CP_BUG;
    if (finding->last && finding->last->root == entry->root && finding->last_folder->depth == size &&
        strncmp(finding->last->name, entry->name, size) == 0) {
        *folder = finding->last_folder;
        return CP_OK;
    }
    *folder = NULL;
    arena_clear(finding->scratch);
    for (const char *at = entry->name; at && status == CP_OK;) {
        status = find_folder(finding, *root, entry->name, (size_t)(at - entry->name), *folder, folder);
        at = strchr(at, '/');
        at = at ? at + 1 : NULL;
    }
    finding->last = status == CP_OK ? entry : NULL;
    finding->last_folder = *folder;
    return status;
}

/* ---- groups ---- */

/* Appends what a setting says. */
static void print_setting(struct buffer *text, const struct setting *setting)
{
    buffer_text(text, text->size > 0 ? "; " : "");
    if (setting->kind != SETTING_READ)
        buffer_text(text, setting->filter);
    for (size_t i = 0; i < setting->options.count; i++) {
        if (i > 0 || setting->kind != SETTING_READ)
            buffer_text(text, " ");
        buffer_text(text, setting->options.items[i]);
    }
}

/* Takes the settings of a file that hold for the entry. */
static cp_status take_sections(struct finding *finding, struct settings_file *file, const char *path,
                               struct settings_group *group, uint32_t *room)
{
    for (uint32_t i = 0; i < file->section_count; i++) {
        struct settings_section *section = &file->sections[i];
        if (!settings_match(section->pattern, path))
            continue;
        section->matches++;
        for (uint32_t k = 0; k < section->count; k++) {
            const struct setting *setting = &file->settings[section->first + k];
            if (!array_reserve(finding->cli->context, &group->settings, room, (uint64_t)group->count + 1,
                               sizeof(const struct setting *)))
                return CP_LIMIT;
            group->settings[group->count++] = setting;
            print_setting(&finding->text, setting);
        }
    }
    return CP_OK;
}

/* Adds a group, unless there is one that says the same. */
static cp_status add_group(struct finding *finding, const struct settings_group *group, uint32_t *index)
{
    struct settings *settings = finding->settings;
    struct arena *arena = finding->entries->arena;
    buffer_append(&finding->text, "", 1);
    if (finding->text.failed)
        return CP_LIMIT;
    const uint32_t *place = name_map_find(&finding->texts, finding->text.data);
    if (place) {
        *index = *place;
        return CP_OK;
    }
    if (settings->group_count == MOST_GROUPS)
        return complain(finding->cli, CP_USAGE, "settings files give inputs more than %d different settings",
                        MOST_GROUPS);
    struct settings_group kept = {.settings = arena_allocate(arena, group->count, sizeof(const struct setting *)),
                                  .count = group->count,
                                  .text = arena_copy_text(arena, finding->text.data, finding->text.size - 1)};
    for (uint32_t i = 0; kept.settings && i < group->count; i++)
        kept.settings[i] = group->settings[i];
    if (!kept.settings || !kept.text || !name_map_add(&finding->texts, kept.text, settings->group_count, NULL) ||
        !array_reserve(settings->context, &settings->groups, &settings->group_room, (uint64_t)settings->group_count + 1,
                       sizeof *settings->groups))
        return CP_LIMIT;
    *index = settings->group_count;
    settings->groups[settings->group_count++] = kept;
    return CP_OK;
}

/* Finds the group of an entry. */
static cp_status find_group(struct finding *finding, const struct entry *entry, uint32_t *index)
{
    const struct settings_folder *folder, *chain[MOST_ABOVE];
    struct settings_group group = {0};
    uint32_t count = 0, room = 0;
    cp_status status = find_folder_of(finding, entry, &folder);
    if (status == CP_OK && !folder->file)
        folder = folder->above;
    for (; status == CP_OK && folder; folder = folder->above) {
        if (count == MOST_ABOVE)
            status = complain(finding->cli, CP_USAGE, "there are more than %d settings files above %s", MOST_ABOVE,
                              entry->name);
        else
            chain[count++] = folder;
    }
    if (status != CP_OK || count == 0)
        return status;
    finding->text.size = 0;
    while (count > 0 && status == CP_OK) {
        folder = chain[--count];
        status = take_sections(finding, folder->file, entry->name + folder->depth, &group, &room);
    }
    if (status == CP_OK)
        status = add_group(finding, &group, index);
    memory_free(finding->cli->context, group.settings, room, sizeof(const struct setting *));
    return status;
}

/* ---- all ---- */

/* Warns of patterns that match no input. */
static void warn_of_idle(struct cli *cli, const struct settings *settings)
{
    for (uint32_t i = 0; i < settings->file_count; i++)
        for (uint32_t k = 0; k < settings->files[i]->section_count; k++) {
            const struct settings_section *section = &settings->files[i]->sections[k];
            const char *text = section->matches == 0 ? cli_print(cli, "[%s] matches no input", section->pattern) : NULL;
            if (text)
                warn(cli, "settings-idle", settings->files[i]->path, section->line, text);
        }
}

cp_status settings_find(struct cli *cli, const struct entries *entries, size_t exporter, bool all,
                        struct settings *settings)
{
    struct finding finding = {.cli = cli,
                              .entries = entries,
                              .settings = settings,
                              .exporter = exporter,
                              .scratch = arena_new(cli->context),
                              .places.context = cli->context,
                              .texts.context = cli->context,
                              .text.context = cli->context};
    *settings = (struct settings){.context = cli->context, .entry_count = entries->count};
    settings->of = memory_allocate_zeroed(cli->context, entries->count, sizeof *settings->of);
    uint32_t none;
    cp_status status =
        finding.scratch && settings->of ? add_group(&finding, &(struct settings_group){0}, &none) : CP_LIMIT;
    for (uint32_t i = 0; i < entries->count && status == CP_OK; i++) {
        status = was_interrupted() ? CP_CANCELLED : find_group(&finding, &entries->items[i], &settings->of[i]);
        if (status == CP_OK)
            settings->groups[settings->of[i]].matches++;
    }
    if (status == CP_OK && all)
        warn_of_idle(cli, settings);
    if (settings->group_count == 1) { /* no input has settings */
        memory_free(cli->context, settings->of, settings->entry_count, sizeof *settings->of);
        settings->of = NULL;
    }
    memory_free(cli->context, finding.folders, finding.folder_room, sizeof(struct settings_folder *));
    name_map_free(&finding.places);
    name_map_free(&finding.texts);
    buffer_free(&finding.text);
    arena_free(finding.scratch);
    return status;
}

void settings_free(struct settings *settings)
{
    if (!settings->context)
        return;
    memory_free(settings->context, settings->groups, settings->group_room, sizeof *settings->groups);
    memory_free(settings->context, settings->of, settings->entry_count, sizeof *settings->of);
    memory_free(settings->context, settings->files, settings->file_room, sizeof(struct settings_file *));
    *settings = (struct settings){0};
}

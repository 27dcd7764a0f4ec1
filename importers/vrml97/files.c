/* Further files: of Inline and EXTERNPROTO. Each is read once. */
#include <string.h>

#include "base/text/text.h"
#include "plugins/models.h"
#include "vrml97.h"

static bool has_suffix(const char *name, const char *suffix)
{
    size_t size = strlen(name), length = strlen(suffix);
    return size >= length && text_equal_nocase(name + size - length, suffix);
}

static bool begins(const struct source *source, const char *sign)
{
    size_t size = strlen(sign);
    return source->size >= size && memcmp(source->data, sign, size) == 0;
}

/* Tells whether it is a file of this format: by its first line, or its name. */
static bool is_vrml(const struct source *source)
{
    if (begins(source, "#VRML V1") || begins(source, "#Inventor") || begins(source, "#X3D"))
        return false;
    return begins(source, "#VRML") || has_suffix(source->name, ".wrl") || has_suffix(source->name, ".wrz") ||
           has_suffix(source->name, ".wrl.gz");
}

/* Adds the file, and parses it if it is VRML97. Takes over the source. */
static cp_status add_file(struct wrl *wrl, struct source *source, uint32_t depth, uint32_t *index)
{
    struct wrl_file *file = arena_allocate_zeroed(wrl->arena, 1, sizeof *file);
    *index = wrl->file_count;
    if (!file || !array_add(wrl->context, &wrl->files, &wrl->file_room, &wrl->file_count, &file, sizeof file)) {
        source_close(source);
        return CP_LIMIT;
    }
    file->source = file->opened = source;
    file->index = *index;
    file->is_model = !is_vrml(source);
    return file->is_model ? CP_OK : wrl_parse(wrl, file, depth, true);
}

/* Finds the file that was opened among those that are read, or reads it. */
static cp_status take_source(struct wrl *wrl, struct source *source, uint32_t depth, uint32_t *index)
{
    const char *path = *source->path ? source->path : source->name;
    const uint32_t *known = name_map_find(&wrl->file_paths, path);
    *index = known ? *known : CP_NONE;
    if (known) {
        source_close(source);
        return CP_OK;
    }
    const char *key = arena_copy_text(wrl->arena, path, strlen(path));
    if (!key) {
        source_close(source);
        return CP_LIMIT;
    }
    cp_status status = add_file(wrl, source, depth, index);
    return status == CP_OK && !name_map_add(&wrl->file_paths, key, *index, NULL) ? CP_LIMIT : status;
}

bool wrl_is_remote(const char *url)
{
    return strstr(url, "://") && !uri_is_known(url) && !uri_is_file(url);
}

/* Finds the file of one url, from a folder. *index is CP_NONE if there is none. */
static cp_status find_file(struct wrl *wrl, const struct wrl_file *from, const char *url, uint32_t depth,
                           uint32_t *index)
{
    const char *key = arena_print(wrl->arena, "%u %s", from->index, url);
    const uint32_t *known = key ? name_map_find(&wrl->file_names, key) : NULL;
    struct source *source;
    *index = known ? *known : CP_NONE;
    if (!key || known)
        return key ? CP_OK : CP_LIMIT;
    cp_status status = wrl_is_remote(url) ? CP_NO : source_open_near(from->source, url, NULL, &source);
    if (status == CP_OK)
        status = take_source(wrl, source, depth, index);
    status = status == CP_NO ? CP_OK : status;
    return status == CP_OK && !name_map_add(&wrl->file_names, key, *index, NULL) ? CP_LIMIT : status;
}

cp_status wrl_open(struct wrl *wrl, struct wrl_file *from, const struct wrl_value *urls, uint32_t depth,
                   struct wrl_file **found, const char **name)
{
    *found = NULL;
    for (uint32_t i = 0; urls && urls->store == WRL_AS_TEXTS && i < urls->count; i++) {
        const char *hash = strrchr(urls->texts[i], '#');
        size_t size = hash ? (size_t)(hash - urls->texts[i]) : strlen(urls->texts[i]);
        const char *url = arena_copy_text(wrl->arena, urls->texts[i], size);
        uint32_t index = CP_NONE;
        if (!url)
            return CP_LIMIT;
        cp_status status = size > 0 ? find_file(wrl, from, url, depth, &index) : CP_OK;
        if (status != CP_OK)
            return status;
        if (index == CP_NONE)
            continue;
        *found = wrl->files[index];
        *name = hash ? hash + 1 : "";
        return CP_OK;
    }
    return CP_OK;
}

/* ---- files of other formats ---- */

/* Reads the scene of a file; NULL if it cannot be read, which is a warning unless reading is strict. */
static cp_status read_scene(struct wrl *wrl, struct wrl_file *file, cp_scene **scene)
{
    bool strict = wrl->settings->common.strict;
    size_t entries;
    *scene = NULL;
    if (!source_is_known(file->source))
        return report_lenient(wrl->context, strict, "vrml97-format", IN_FILE(file->source->name),
                              "the file of an Inline is of a format that is not read");
    (void)cp_report(wrl->context, &entries);
    cp_status status = read_further(file->opened, NULL, NULL, scene);
    if (status != CP_INPUT || strict)
        return status;
    report_soften(wrl->context, entries);
    return CP_OK;
}

/* Takes back the turn of a file whose Y is up: the coordinates of a model are those of the Inline. */
static void turn_back(struct wrl_file *file)
{
    const cp_pose turn = pose_z_up_from_y_up();
    cp_pose back;
    if (!pose_inverse(&turn, &back))
        return;
    for (uint32_t i = 0; i < file->part_count; i++)
        file->parts[i].transform = pose_multiply(&back, &file->parts[i].transform);
}

cp_status wrl_read_model(struct wrl *wrl, struct wrl_file *file)
{
    cp_scene *other;
    if (file->is_read)
        return CP_OK;
    file->is_read = true;
    cp_status status = read_scene(wrl, file, &other);
    if (status != CP_OK || !other)
        return status;
    uint64_t motion = (uint64_t)other->joint_count + other->clip_count;
    bool is_turned = other->source.up == CP_UP_Y;
    status = models_take(wrl->scene, other, &file->parts, &file->part_count);
    cp_scene_free(other);
    if (status == CP_OK && is_turned)
        turn_back(file);
    if (status == CP_OK && motion > 0)
        report_loss(wrl->context, "vrml97-still", IN_FILE(file->source->name), motion,
                    "joints and clips of a file that an Inline shows as it stands");
    return status;
}

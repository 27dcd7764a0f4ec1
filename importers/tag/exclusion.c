/* The collision setups that tags name. Their frames may come later in the cell, so they are applied at the end. */
#include <string.h>

#include "../collision_setup/collision_setup.h"
#include "tag.h"

struct tag_exclusions {
    struct collision_setup setup;
    const char *prefix;
};

cp_status tag_read_setup(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    cp_context *context = reader->context;
    const struct tag_attribute *attribute = tag_use(tag, "CollisionSetup");
    const struct tag_text *name;
    if (!attribute)
        return CP_OK;
    if (tag_string(reader, tag, attribute, 0, &name) != CP_OK)
        return CP_INPUT;

    /* Names in a device's setup are the device's: the prefix is everything up to the last '.' of the frame's name. */
    const char *frame = reader->scene->nodes[node].name, *dot = strrchr(frame, '.');
    const char *path = tag_path(reader->arena, name);
    const char *prefix = arena_copy_text(reader->arena, frame, dot ? (size_t)(dot - frame) + 1 : 0);
    if (!path || !prefix)
        return CP_LIMIT;
    struct source *source;
    struct place place = tag_attribute_place(tag, attribute);
    cp_status status = tag_open(&reader->bytes, tag->file, path, &source);
    if (status == CP_NO) {
        status = report_lenient(context, reader->strict, "tag-setup", place, "cannot open the collision setup \"%s\"",
                                name->text);
        report_loss(context, "tag-setup", place, 1, "the exclusions of \"%s\"", name->text);
        return status;
    }
    if (status != CP_OK)
        return status;

    /* The same file under the same prefix adds nothing. */
    const char *key = arena_print(reader->arena, "%s\n%s", source->name, prefix);
    bool added = false;
    if (!key || !name_map_add(&reader->setups, key, 0, &added) ||
        (added && !array_reserve(context, &reader->exclusions, &reader->exclusions_room,
                                 reader->exclusions_count + UINT64_C(1), sizeof *reader->exclusions)))
        status = CP_LIMIT;
    if (status == CP_OK && added) {
        struct tag_exclusions *exclusions = &reader->exclusions[reader->exclusions_count++];
        *exclusions = (struct tag_exclusions){.prefix = prefix};
        status = collision_setup_read(source, reader->strict, &exclusions->setup);
        const char *meant = exclusions->setup.prefix;
        if (status == CP_OK && meant && *meant && !*prefix)
            report_warning(context, "tag-setup-prefix", IN_FILE(exclusions->setup.file),
                           "the names are relative to \"%s\", as a comment says, but no device has this setup", meant);
    }
    source_close(source);
    return status;
}

cp_status tag_apply_setups(struct tag_reader *reader)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < reader->exclusions_count && status == CP_OK; i++)
        status = collision_setup_apply(&reader->exclusions[i].setup, reader->scene, &reader->nodes,
                                       reader->exclusions[i].prefix, true);
    return status;
}

void tag_free_setups(struct tag_reader *reader)
{
    for (uint32_t i = 0; i < reader->exclusions_count; i++)
        collision_setup_free(&reader->exclusions[i].setup);
    memory_free(reader->context, reader->exclusions, reader->exclusions_room, sizeof *reader->exclusions);
}

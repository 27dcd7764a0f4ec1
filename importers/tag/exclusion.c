/* The collision setups that tags name. Their frames may come later in the cell, so they are applied at the end. */
#include <string.h>

#include "../collision_setup/collision_setup.h"
#include "tag.h"

struct tag_exclusions {
    struct collision_setup setup;
    const char *prefix;
};

/* Everything up to the last '.' of the frame's name: names in a device's setup are the device's. */
static const char *make_prefix(struct tag_reader *reader, uint32_t node)
{
    const char *name = reader->scene->nodes[node].name;
    const char *dot = strrchr(name, '.');
    return arena_copy_text(reader->arena, name, dot ? (size_t)(dot - name) + 1 : 0);
}

/* Names that are relative to a device mean other frames where the cell itself has the setup. */
static void check_prefix(const struct tag_reader *reader, const struct collision_setup *setup, const char *prefix)
{
    if (setup->prefix && *setup->prefix && !*prefix)
        report_warning(reader->context, "tag-setup-prefix", IN_FILE(setup->file),
                       "the names are relative to \"%s\", as a comment says, but no device has this setup",
                       setup->prefix);
}

static cp_status add_setup(struct tag_reader *reader, struct source *source, const char *prefix)
{
    if (!array_reserve(reader->context, &reader->exclusions, &reader->exclusions_room,
                       reader->exclusions_count + UINT64_C(1), sizeof *reader->exclusions))
        return CP_LIMIT;
    struct tag_exclusions *exclusions = &reader->exclusions[reader->exclusions_count++];
    *exclusions = (struct tag_exclusions){.prefix = prefix};
    cp_status status = collision_setup_read(source, reader->strict, &exclusions->setup);
    if (status == CP_OK)
        check_prefix(reader, &exclusions->setup, prefix);
    return status;
}

/* The same file under the same prefix again says nothing new. */
static cp_status add_setup_once(struct tag_reader *reader, struct source *source, const char *prefix)
{
    const char *key = arena_print(reader->arena, "%s\n%s", source->name, prefix);
    bool added;
    if (!key || !name_map_add(&reader->setups, key, 0, &added))
        return CP_LIMIT;
    return added ? add_setup(reader, source, prefix) : CP_OK;
}

cp_status tag_read_setup(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    const struct tag_attribute *attribute = tag_use(tag, "CollisionSetup");
    const struct tag_text *name;
    if (!attribute)
        return CP_OK;
    if (tag_string(reader, tag, attribute, 0, &name) != CP_OK)
        return CP_INPUT;
    const char *path = tag_path(reader->arena, name);
    const char *prefix = make_prefix(reader, node);
    if (!path || !prefix)
        return CP_LIMIT;
    struct source *source;
    struct place place = tag_attribute_place(tag, attribute);
    cp_status status = tag_open(&reader->bytes, tag->file, path, &source);
    if (status == CP_NO) {
        status = report_lenient(reader->context, reader->strict, "tag-setup", place,
                                "cannot open the collision setup \"%s\"", name->text);
        report_loss(reader->context, "tag-setup", place, 1, "the exclusions of \"%s\"", name->text);
        return status;
    }
    if (status != CP_OK)
        return status;
    status = add_setup_once(reader, source, prefix);
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

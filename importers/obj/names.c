/* Objects, groups and materials by name, and the runs of elements that belong to them. */
#include "obj.h"

enum { LONGEST_WORD = 32 }; /* the most characters of an unknown one in a message */

static struct obj_section empty_section(const char *name, uint32_t size)
{
    return (struct obj_section){.name = name,
                                .size = size,
                                .group = CP_NONE,
                                .last_group = CP_NONE,
                                .next_object = CP_NONE,
                                .first = {CP_NONE, CP_NONE},
                                .last = {CP_NONE, CP_NONE}};
}

bool obj_start_names(struct obj_reader *reader, struct obj_names *names)
{
    cp_context *context = reader->context;
    names->section_names.context = names->material_names.context = context;
    names->material = CP_NONE;
    struct obj_section file = empty_section("", 0);
    return array_add(context, &names->sections, &names->section_room, &names->section_count, &file, sizeof file);
}

void obj_free_names(cp_context *context, struct obj_names *names)
{
    for (int list = 0; list < OBJ_LISTS; list++)
        memory_free(context, names->runs[list].items, names->runs[list].room, sizeof *names->runs[list].items);
    memory_free(context, names->sections, names->section_room, sizeof *names->sections);
    memory_free(context, names->materials, names->material_room, sizeof *names->materials);
    name_map_free(&names->section_names);
    name_map_free(&names->material_names);
}

/* ---- runs ---- */

/* Ends the run of a list at the element. If it continues the last one of its section, that grows. */
static bool end_run(const struct obj_reader *reader, struct obj_names *names, enum obj_list list, uint32_t end)
{
    struct obj_runs *runs = &names->runs[list];
    struct obj_section *section = &names->sections[names->section];
    uint32_t first = runs->begin, last = section->last[list];
    if (end == first)
        return true;
    runs->begin = end;
    struct obj_run *before = last == CP_NONE ? NULL : &runs->items[last];
    if (before && before->material == names->material && before->first + before->count == first) {
        before->count += end - first;
        return true;
    }
    if (!array_reserve(reader->context, &runs->items, &runs->room, (uint64_t)runs->count + 1, sizeof *runs->items))
        return false;
    runs->items[runs->count] = (struct obj_run){first, end - first, names->material, CP_NONE};
    if (last == CP_NONE)
        section->first[list] = runs->count;
    else
        runs->items[last].next = runs->count;
    section->last[list] = runs->count++;
    return true;
}

cp_status obj_end_runs(const struct obj_reader *reader, struct obj_names *names, const uint32_t before[OBJ_LISTS])
{
    for (enum obj_list list = 0; list < OBJ_LISTS; list++)
        if (!end_run(reader, names, list, before[list]))
            return CP_LIMIT;
    return CP_OK;
}

/* ---- sections ---- */

/* Returns the section of an object's group, or of the object itself, which is made when the name is new. */
static cp_status find_section(const struct obj_reader *reader, struct obj_names *names, uint32_t object,
                              const struct obj_change *change, uint32_t *section)
{
    bool is_group = change->kind == OBJ_GROUP, added;
    struct buffer key = {.context = reader->context};
    if (is_group)
        buffer_print(&key, "%u", object);
    buffer_append(&key, is_group ? "g" : "o", 1);
    buffer_append(&key, change->name, change->size);
    uint32_t *known = key.failed ? NULL : name_map_find_sized(&names->section_names, key.data, key.size);
    cp_status status = key.failed ? CP_LIMIT : CP_OK;
    if (known) {
        *section = *known;
    } else if (status == CP_OK) {
        uint32_t number = names->section_count;
        const char *copy = arena_copy_text(reader->arena, key.data, key.size);
        struct obj_section made = empty_section(change->name, change->size);
        if (copy && name_map_add(&names->section_names, copy, number, &added) &&
            array_add(reader->context, &names->sections, &names->section_room, &names->section_count, &made,
                      sizeof made))
            *section = number;
        else
            status = CP_LIMIT;
        if (status == CP_OK && is_group) {
            struct obj_section *parent = &names->sections[object];
            if (parent->group == CP_NONE)
                parent->group = number;
            else
                names->sections[parent->last_group].group = number;
            parent->last_group = number;
        } else if (status == CP_OK) {
            names->sections[names->last_object].next_object = number;
            names->last_object = number;
        }
    }
    buffer_free(&key);
    return status;
}

/* ---- materials ---- */

/* A line without a name means the material without a name, if there is one, as Blender 2.6 writes it. */
static cp_status use_material(const struct obj_reader *reader, struct obj_names *names, const struct obj_change *change)
{
    uint32_t *known = name_map_find_sized(&names->material_names, change->name, change->size);
    if (known) {
        names->material = *known;
        return CP_OK;
    }
    uint32_t number = names->material_count;
    const char *name = arena_copy_text(reader->arena, change->name, change->size);
    if (!name || !name_map_add(&names->material_names, name, number, NULL) ||
        !array_add(reader->context, &names->materials, &names->material_room, &names->material_count,
                   &(struct obj_material){name, change->name, CP_NONE}, sizeof *names->materials))
        return CP_LIMIT;
    names->material = number;
    return CP_OK;
}

/* ---- changes ---- */

cp_status obj_change(struct obj_reader *reader, cp_scene *scene, struct obj_names *names,
                     struct obj_libraries *libraries, const struct obj_change *change, const uint32_t before[OBJ_LISTS])
{
    if (change->kind == OBJ_LIBRARY)
        return obj_read_library(reader, scene, libraries, change);
    if (change->kind == OBJ_UNKNOWN) {
        int size = change->size < LONGEST_WORD ? (int)change->size : LONGEST_WORD;
        report_loss(reader->context, "obj-keyword", IN_FILE(reader->source->name), 1, "lines that begin with \"%.*s\"",
                    size, change->name);
        return CP_OK;
    }
    cp_status status = obj_end_runs(reader, names, before);
    if (status != CP_OK)
        return status;
    switch (change->kind) {
    case OBJ_MATERIAL:
        return use_material(reader, names, change);
    case OBJ_OBJECT:
        names->object = 0;
        if (change->size > 0)
            status = find_section(reader, names, 0, change, &names->object);
        names->section = names->object;
        return status;
    default:
        names->section = names->object;
        return change->size > 0 ? find_section(reader, names, names->object, change, &names->section) : CP_OK;
    }
}

/* Writes extensions of materials that the scene holds as text: unchanged, except textures. */
#include "writer.h"

#include <string.h>

/* Writes the members of one extension; those that name a texture get it back, or are dropped with it. */
static void write_extension(struct writer *writer, const struct json_document *from, uint32_t name,
                            const cp_material *textured, struct buffer *text)
{
    char *word = json_string_text(from, writer->work->arena, name);
    json_compact(from, name, text);
    buffer_text(text, ":{");
    bool any = false;
    for (uint32_t at = json_first(from, name + 1); at != JSON_NONE && word; at = json_next(from, name + 1, at)) {
        const cp_texture_use *use = NULL;
        if (json_is(from, at + 1, JSON_NULL)) {
            char *key = json_string_text(from, writer->work->arena, at);
            const char *place = key ? arena_print(writer->work->arena, "%s/%s", word, key) : NULL;
            text->failed = text->failed || !place;
            use = place ? find_texture_use(writer, textured, CP_TEXTURE_EXTENSION, place) : NULL;
            if (!use)
                continue;
        }
        buffer_text(text, any ? "," : "");
        any = true;
        json_compact(from, at, text);
        buffer_text(text, ":");
        struct json_writer json = {.out = text};
        if (use)
            write_texture_info(writer, &json, use);
        else
            json_compact(from, at + 1, text);
    }
    text->failed = text->failed || !word;
    buffer_text(text, "}");
}

/* Parses the extensions. CP_NO without any. Call json_free even on failure. */
static cp_status parse_extensions(const struct writer *writer, const cp_material *material, struct json_document *json)
{
    const uint64_t nesting = 64;
    *json = (struct json_document){.context = writer->context};
    if (!material->extensions || strlen(material->extensions) >= UINT32_MAX)
        return CP_NO;
    json->text = material->extensions;
    json->size = (uint32_t)strlen(material->extensions);
    cp_status status = json_parse(json, NULL, nesting, NULL);
    return status == CP_OK && !json_is(json, 0, JSON_OBJECT) ? CP_NO : status;
}

void write_material_extensions(struct writer *writer, const cp_material *material, const cp_material *textured)
{
    struct json_document json;
    struct buffer text = {.context = writer->context};
    cp_status status = parse_extensions(writer, material, &json);
    for (uint32_t at = status == CP_OK ? json_first(&json, 0) : JSON_NONE; at != JSON_NONE;
         at = json_next(&json, 0, at)) {
        buffer_text(&text, text.size > 0 ? "," : "{");
        write_extension(writer, &json, at, textured, &text);
    }
    json_free(&json);
    bool any = text.size > 0;
    buffer_append(&text, "}", sizeof "}");
    if (!text.failed && any) {
        json_key(&writer->json, "extensions");
        json_word(&writer->json, text.data);
    }
    writer->text.failed = writer->text.failed || text.failed || status == CP_LIMIT;
    buffer_free(&text);
}

bool plan_material_extensions(struct writer *writer)
{
    struct extension_name **last = &writer->textures.extensions;
    struct name_map seen = {.context = writer->context};
    bool good = true;
    for (uint32_t i = 0; i < writer->scene->material_count && good; i++) {
        struct json_document json;
        cp_status status = parse_extensions(writer, &writer->scene->materials[i], &json);
        good = status != CP_LIMIT;
        for (uint32_t at = status == CP_OK ? json_first(&json, 0) : JSON_NONE; at != JSON_NONE && good;
             at = json_next(&json, 0, at)) {
            char *name = json_string_text(&json, writer->work->arena, at);
            bool added = false;
            good = name && name_map_add(&seen, name, 0, &added);
            struct extension_name *entry = good && added ? writer_allocate(writer, 1, sizeof *entry) : NULL;
            good = good && (entry || !added);
            if (!entry)
                continue;
            entry->name = name;
            *last = entry;
            last = &entry->next;
        }
        json_free(&json);
    }
    name_map_free(&seen);
    return good;
}

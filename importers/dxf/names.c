/* Names of layers and blocks. AutoCAD finds them whatever the case of their letters; their text is in the drawing's
 * code page, or in UTF-8 from AC1021 on, and has \U+XXXX for other characters. */
#include "dxf.h"

#include "base/text/text.h"

enum { LONGEST_NAME = 4096 };

uint32_t *dxf_find_name(struct dxf *dxf, struct name_map *map, struct dxf_text name, uint32_t next, bool *added)
{
    char key[LONGEST_NAME];
    size_t size = name.size < sizeof key ? name.size : sizeof key;
    for (size_t i = 0; i < size; i++)
        key[i] = name.at[i] >= 'A' && name.at[i] <= 'Z' ? (char)(name.at[i] | 0x20) : name.at[i];
    *added = false;
    uint32_t *found = name_map_find_sized(map, key, size);
    if (found)
        return found;
    const char *kept = arena_copy_text(dxf->arena, key, size);
    return kept ? name_map_add(map, kept, next, added) : NULL;
}

cp_status dxf_add_block(struct dxf *dxf, struct dxf_text name, uint32_t *block)
{
    struct dxf_block added = {.name = name};
    *block = dxf->block_count;
    return array_add(dxf->context, &dxf->blocks, &dxf->block_room, &dxf->block_count, &added, sizeof added) ? CP_OK
                                                                                                            : CP_LIMIT;
}

cp_status dxf_find_block(struct dxf *dxf, struct dxf_text name, uint32_t *block)
{
    bool added;
    const uint32_t *found = dxf_find_name(dxf, &dxf->block_names, name, dxf->block_count, &added);
    if (!found)
        return CP_LIMIT;
    *block = *found;
    return added ? dxf_add_block(dxf, name, block) : CP_OK;
}

/* ---- characters ---- */

/* The characters of code page 1252 from 0x80 to 0x9f, where it differs from Latin-1; 0: none. */
static const uint16_t windows_1252[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                          0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                          0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                          0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

static void append_character(struct buffer *out, uint32_t code)
{
    char bytes[3];
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0};
    for (size_t i = size; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(first[size] | code);
    buffer_append(out, bytes, size);
}

/* Reads \U+XXXX; surrogates and zero are no characters. */
static bool find_escape(struct dxf_text text, size_t at, uint32_t *code)
{
    *code = 0;
    if (text.size - at < 7 || memcmp(text.at + at, "\\U+", 3) != 0)
        return false;
    for (size_t i = at + 3; i < at + 7; i++) {
        if (hex_digit(text.at[i]) < 0)
            return false;
        *code = 16 * *code + (uint32_t)hex_digit(text.at[i]);
    }
    return *code > 0 && (*code < 0xd800 || *code > 0xdfff);
}

const char *dxf_decode(struct dxf *dxf, struct dxf_text name)
{
    struct buffer out = {.context = dxf->context};
    bool is_utf8 = utf8_valid(name.at, name.size);
    uint32_t code;
    dxf->misread += !is_utf8 && dxf->is_latin;
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = (unsigned char)name.at[i];
        if (find_escape(name, i, &code)) {
            append_character(&out, code);
            i += 6;
        } else if (is_utf8 && byte) {
            buffer_append(&out, &name.at[i], 1);
        } else {
            uint32_t other = byte >= 0x80 && byte < 0xa0 && !dxf->is_latin ? windows_1252[byte - 0x80] : byte;
            append_character(&out, other ? other : 0xfffd);
        }
    }
    const char *text = out.failed ? NULL : arena_copy_text(dxf->scene->arena, out.data ? out.data : "", out.size);
    buffer_free(&out);
    return text;
}

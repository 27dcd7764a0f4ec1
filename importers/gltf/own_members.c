/* Members of rows in extras.cellpipe, as scene/model/tables.c lists them. What is absent stays as it is in the row. */
#include "gltf.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

/* Returns the bytes of a text such as "4ae9". NULL when there is none. */
static const char *read_raw(struct gltf *gltf, uint32_t object, const char *key)
{
    static const char digits[] = "0123456789abcdef";
    const char *hex = gltf_text(gltf, object, key);
    size_t size = hex ? strlen(hex) / 2 : 0;
    char *raw = size > 0 ? gltf_scene_array(gltf, size + 1, 1) : NULL;
    for (size_t i = 0; raw && i < size; i++) {
        const char *high = strchr(digits, hex[2 * i]), *low = strchr(digits, hex[2 * i + 1]);
        if (!high || !low)
            return NULL;
        raw[i] = (char)(unsigned char)((high - digits) * 16 + (low - digits));
    }
    if (raw)
        raw[size] = '\0';
    return raw;
}

static uint32_t read_flags(struct gltf *gltf, uint32_t object, const struct member *member)
{
    uint32_t flags = 0, array = gltf_array(gltf, object, member->name);
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE; at = json_next(&gltf->json, array, at)) {
        uint32_t word = 0;
        while (member->words[word] && !json_string_equals(&gltf->json, at, member->words[word]))
            word++;
        if (member->words[word])
            flags |= 1U << word;
        else
            gltf_warning(gltf, at, "gltf-flag", "unknown flag");
    }
    return flags;
}

/* Reads a whole number that 32 bits hold. */
static uint32_t read_count(struct gltf *gltf, uint32_t object, const char *key)
{
    uint64_t count = gltf_integer(gltf, object, key, 0);
    if (count <= UINT32_MAX)
        return (uint32_t)count;
    gltf_warning(gltf, json_member(&gltf->json, object, key), "gltf-finding", "%llu is too many and is ignored",
                 (unsigned long long)count);
    return 0;
}

static uint64_t read_hash(struct gltf *gltf, uint32_t object, const char *key)
{
    const char *text = gltf_text(gltf, object, key);
    uint64_t hash = 0;
    if (text && !text_is_hash(text, &hash))
        gltf_warning(gltf, json_member(&gltf->json, object, key), "gltf-finding",
                     "\"%.100s\" is not 16 hexadecimal digits and is ignored", text);
    return hash;
}

/* Null says that there is no limit, where there may be none. */
static void read_number(struct gltf *gltf, uint32_t object, const struct member *member, double *number)
{
    uint32_t value = json_member(&gltf->json, object, member->name);
    bool may_be_null = member->kind == MEMBER_LIMIT && isinf(*number);
    if (!may_be_null || !json_is(&gltf->json, value, JSON_NULL))
        *number = gltf_number(gltf, object, member->name, *number);
}

/* Reads an array. An item that lacks what it refers to is left out, or all items are. */
static void read_array(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, const struct member *member,
                       void *row)
{
    const struct layout *layout = member->layout;
    const bool plain = !layout->members->name;
    struct gltf_list list = gltf_items(gltf, object, member->name, !plain);
    char *items = gltf_scene_array(gltf, list.count, layout->size);
    uint32_t count = 0;
    for (uint32_t i = 0; items && i < list.count && gltf->status == CP_OK; i++) {
        char *item = items + count * layout->size;
        row_start(layout, item);
        bool good = true;
        if (plain) /* an id */
            good = (*row_number(item, 0) = own_find(gltf, ids, layout->members->table, list.items[i])) != CP_NONE;
        else
            good = own_read_members(gltf, ids, list.items[i], layout, item);
        count += good;
        if (!good && member->loss == LOSS_CLEARS) {
            count = 0;
            break;
        }
    }
    row_set_pointer(row, member->at, items);
    *row_number(row, member->count) = count;
}

/* A reference to the row's own table, or to one that is read after it, has to wait. */
static bool comes_later(enum scene_table table, const struct member *member)
{
    return member->kind == MEMBER_ROW_OR_NONE && member->table >= table;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const cp_inertia *read_inertia(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object)
{
    cp_inertia *inertia = object == JSON_NONE ? NULL : gltf_scene_array(gltf, 1, sizeof *inertia);
    if (!inertia)
        return NULL;
    row_start(&inertia_layout, inertia);
    (void)own_read_members(gltf, ids, object, &inertia_layout, inertia);
    if (inertia->mass >= 0)
        return inertia;
    gltf_warning(gltf, object, "gltf-inertia", "a mass below zero is ignored");
    return NULL;
}

static bool read_member(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, const struct member *member,
                        void *row)
{
    void *at = (char *)row + member->at;
    uint64_t whole;
    switch (member->kind) {
    case MEMBER_ID:
        row_set_pointer(row, member->at, own_id(gltf, object));
        break;
    case MEMBER_NAME: /* unless it is known from elsewhere */
        if (!row_pointer(row, member->at))
            row_set_pointer(row, member->at, or_empty(gltf_text(gltf, object, member->name)));
        break;
    case MEMBER_STRING:
        row_set_pointer(row, member->at, or_empty(gltf_text(gltf, object, member->name)));
        break;
    case MEMBER_TEXT:
        row_set_pointer(row, member->at, gltf_text(gltf, object, member->name));
        break;
    case MEMBER_RAW:
        row_set_pointer(row, member->at, read_raw(gltf, object, member->name));
        break;
    case MEMBER_NUMBERS:
        if (member->length > 1)
            (void)gltf_numbers(gltf, object, member->name, (uint32_t)member->length, at);
        else
            read_number(gltf, object, member, at);
        break;
    case MEMBER_LIMIT:
        read_number(gltf, object, member, at);
        break;
    case MEMBER_COUNT:
        *row_number(row, member->at) = read_count(gltf, object, member->name);
        break;
    case MEMBER_LONG_COUNT:
    case MEMBER_HASH:
        whole = member->kind == MEMBER_HASH ? read_hash(gltf, object, member->name)
                                            : gltf_integer(gltf, object, member->name, 0);
        memcpy(at, &whole, sizeof whole);
        break;
    case MEMBER_FLAG:
        memcpy(at, &(bool){own_flag(gltf, object, member->name)}, sizeof(bool));
        break;
    case MEMBER_FLAGS:
        *row_number(row, member->at) = read_flags(gltf, object, member);
        break;
    case MEMBER_WORD:
        *row_number(row, member->at) =
            gltf_word(gltf, object, member->name, member->words, *row_number(row, member->at));
        break;
    case MEMBER_ROW:
        *row_number(row, member->at) =
            own_find(gltf, ids, member_table(member, row), json_member(&gltf->json, object, member->name));
        return *row_number(row, member->at) != CP_NONE;
    case MEMBER_ROW_OR_NONE:
        whole = json_member(&gltf->json, object, member->name);
        if (whole != JSON_NONE)
            *row_number(row, member->at) = own_find(gltf, ids, member->table, (uint32_t)whole);
        break;
    case MEMBER_RECORD: /* the others have rules of their own */
        if (member->layout == &inertia_layout)
            row_set_pointer(row, member->at, read_inertia(gltf, ids, gltf_object(gltf, object, member->name)));
        break;
    default:
        break;
    }
    return true;
}

/* Returns whether all members are there that the row cannot be without. */
static bool read_members(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, enum scene_table table,
                         const struct layout *layout, void *row)
{
    bool good = true;
    for (const struct member *member = layout->members; member->kind != MEMBER_END; member++) {
        if (member->not_in & IN_STAGE || comes_later(table, member))
            continue;
        if (member->kind != MEMBER_ARRAY)
            good = read_member(gltf, ids, object, member, row) && good;
        else if (good && !member->may_lack)
            read_array(gltf, ids, object, member, row);
    }
    return good && gltf->status == CP_OK;
}

bool own_read_members(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, const struct layout *layout,
                      void *row)
{
    return read_members(gltf, ids, object, TABLE_NONE, layout, row);
}

bool own_read_row(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, enum scene_table table, void *row)
{
    return read_members(gltf, ids, object, table, &tables[table].layout, row);
}

void own_read_later(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, enum scene_table table, void *row)
{
    for (const struct member *member = tables[table].layout.members; member->kind != MEMBER_END; member++)
        if (!(member->not_in & IN_STAGE) && comes_later(table, member) && gltf->status == CP_OK)
            (void)read_member(gltf, ids, object, member, row);
}

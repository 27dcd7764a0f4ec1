/* Members by their description: whether and as what they are shown, and their values in a new row. */
#include "cellpipe_tool.h"
#include "tables.h"

static size_t value_size(const struct member *member)
{
    switch (member->kind) {
    case MEMBER_NUMBERS:
        return member->length * sizeof(double);
    case MEMBER_LIMIT:
        return sizeof(double);
    case MEMBER_FLAG:
        return sizeof(bool);
    case MEMBER_LONG_COUNT:
    case MEMBER_HASH:
        return sizeof(uint64_t);
    default:
        return sizeof(uint32_t);
    }
}

/* Bytes are compared, not numbers: -0 is not 0. */
static bool is_initial(const struct member *member, const void *row)
{
    static const double zeros[24];
    const void *at = (const char *)row + member->at;
    switch (member->kind) {
    case MEMBER_ID:
    case MEMBER_NAME:
    case MEMBER_STRING:
        return *(const char *)row_pointer(row, member->at) == '\0';
    case MEMBER_ROW_OR_NONE:
        return *row_number(row, member->at) == CP_NONE;
    case MEMBER_ARRAY:
        return member->may_lack ? !row_pointer(row, member->at) : member_count(member, row) == 0;
    case MEMBER_TEXT:
    case MEMBER_RAW:
    case MEMBER_RECORD:
        return !row_pointer(row, member->at);
    default:
        return memcmp(at, member->initial ? member->initial : zeros, value_size(member)) == 0;
    }
}

bool member_is_shown(const struct member *member, const void *row, unsigned in)
{
    return !(member->not_in & in) && (!member->applies || member->applies(row)) &&
           (!(member->optional & in) || !is_initial(member, row));
}

const char *member_text(const cp_scene *scene, const struct member *member, const void *row)
{
    switch (member->kind) {
    case MEMBER_WORD:
        return member->words[*row_number(row, member->at)];
    case MEMBER_ROW:
    case MEMBER_ROW_OR_NONE:
        return scene_id(scene, member_table(member, row), *row_number(row, member->at));
    default:
        return row_pointer(row, member->at);
    }
}

uint64_t member_whole(const struct member *member, const void *row)
{
    uint64_t whole;
    bool flag;
    switch (member->kind) {
    case MEMBER_LONG_COUNT:
    case MEMBER_HASH:
        memcpy(&whole, (const char *)row + member->at, sizeof whole);
        return whole;
    case MEMBER_FLAG:
        memcpy(&flag, (const char *)row + member->at, sizeof flag);
        return flag;
    case MEMBER_COUNT:
    case MEMBER_FLAGS:
        return *row_number(row, member->at);
    default:
        return 0;
    }
}

void row_start(const struct layout *layout, void *row)
{
    memset(row, 0, layout->size);
    for (const struct member *member = layout->members; member->kind != MEMBER_END; member++)
        if (member->kind == MEMBER_STRING)
            row_set_pointer(row, member->at, "");
        else if (member->kind == MEMBER_ROW_OR_NONE)
            *row_number(row, member->at) = CP_NONE;
        else if (member->initial)
            memcpy((char *)row + member->at, member->initial, value_size(member));
}

/* ---- for the program ---- */

_Static_assert((unsigned)CP_IN_INFO == IN_INFO && (unsigned)CP_IN_DIFF == IN_DIFF, "one meaning");

static cp_rows rows_of(const cp_scene *scene, enum scene_table table)
{
    return (cp_rows){.word = tables[table].word,
                     .list = tables[table].list,
                     .rows = row_pointer(scene, tables[table].rows),
                     .count = table_count(scene, table),
                     .layout = &tables[table].layout};
}

cp_rows cp_rows_of(const cp_scene *scene, const char *word)
{
    enum scene_table table = 0;
    while (table + 1 < TABLE_COUNT && strcmp(tables[table].word, word) != 0)
        table++;
    return rows_of(scene, table);
}

bool cp_next_list(const cp_scene *scene, cp_rows *rows)
{
    bool found = !rows->list; /* the one before */
    for (enum scene_table table = 0; table < TABLE_COUNT; table++) {
        if (found && tables[table].list) {
            *rows = rows_of(scene, table);
            return true;
        }
        found = found || rows->layout == &tables[table].layout;
    }
    return false;
}

const char *cp_row_name(const cp_rows *rows, uint32_t row)
{
    const struct layout *layout = rows->layout;
    const void *at = (const char *)rows->rows + row * layout->size;
    const char *text = NULL;
    for (const struct member *member = layout->members; member->kind != MEMBER_END; member++)
        if (member->kind == MEMBER_NAME || (!text && member->kind == MEMBER_ID))
            text = row_pointer(at, member->at);
    return text;
}

static void take_row(const cp_scene *scene, enum scene_table table, uint32_t row, cp_member *member)
{
    const struct member *name = table < TABLE_COUNT ? table_member(table, MEMBER_NAME) : NULL;
    member->kind = CP_MEMBER_ROW;
    member->row = row;
    member->table = table < TABLE_COUNT ? tables[table].word : NULL;
    if (name && row < table_count(scene, table))
        member->text = row_pointer(table_row(scene, table, row), name->at);
}

static void take_value(const cp_scene *scene, const struct member *from, const void *row, cp_member *member)
{
    switch (from->kind) {
    case MEMBER_NUMBERS:
    case MEMBER_LIMIT:
        member->kind = CP_MEMBER_NUMBERS;
        member->numbers = member_numbers(from, row);
        member->count = from->kind == MEMBER_LIMIT ? 1 : from->length;
        break;
    case MEMBER_COUNT:
    case MEMBER_LONG_COUNT:
    case MEMBER_HASH:
    case MEMBER_FLAGS:
    case MEMBER_FLAG:
        member->kind = from->kind == MEMBER_FLAG ? CP_MEMBER_FLAG : CP_MEMBER_WHOLE;
        member->whole = member_whole(from, row);
        break;
    case MEMBER_ROW:
    case MEMBER_ROW_OR_NONE:
        take_row(scene, member_table(from, row), *row_number(row, from->at), member);
        break;
    case MEMBER_ARRAY:
    case MEMBER_RECORD:
        member->kind = CP_MEMBER_ROWS;
        member->rows = (cp_rows){.rows = row_pointer(row, from->at),
                                 .count = member_count(from, row),
                                 .plain = !from->layout->members->name,
                                 .single = from->kind == MEMBER_RECORD,
                                 .layout = from->layout};
        break;
    default:
        member->kind = from->kind == MEMBER_WORD ? CP_MEMBER_WORD : CP_MEMBER_TEXT;
        member->text = member_text(scene, from, row);
    }
}

bool cp_next_member(const cp_scene *scene, const cp_rows *rows, uint32_t row, unsigned in, cp_member *member)
{
    const struct layout *layout = rows->layout;
    const void *at = (const char *)rows->rows + row * layout->size;
    const struct member *next = member->at ? (const struct member *)member->at + 1 : layout->members;
    while (next->kind != MEMBER_END && (in == IN_DIFF ? (next->not_in & in) != 0 : !member_is_shown(next, at, in)))
        next++;
    *member = (cp_member){.name = next->shown ? next->shown : next->name, .unit = next->unit, .at = next};
    if (next->kind != MEMBER_END)
        take_value(scene, next, at, member);
    return next->kind != MEMBER_END;
}

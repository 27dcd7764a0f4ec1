/* The scene's tables as data: where each stands in struct cp_scene, and what its rows are made of. Whatever treats all
 * tables alike walks over this description: copies and parts of scenes, one scene added to another, ids, checks. */
#ifndef CELLPIPE_TABLES_H
#define CELLPIPE_TABLES_H

#include <string.h>

#include "build.h"

enum member_kind {
    MEMBER_END,
    MEMBER_ID,          /* const char *: unique in its table; scene_finish makes it from the name */
    MEMBER_NAME,        /* const char * */
    MEMBER_STRING,      /* const char *, never NULL */
    MEMBER_NUMBERS,     /* finite doubles */
    MEMBER_ROW,         /* uint32_t, a row of a table: when that one goes, this row goes too */
    MEMBER_ROW_OR_NONE, /* uint32_t, a row of a table or CP_NONE: when that one goes, this becomes CP_NONE */
    MEMBER_ARRAY,       /* a pointer to rows of their own; NULL for no rows */
    MEMBER_RECORD       /* a pointer to one row of its own, or NULL */
};

/* What becomes of an array, or record, when one of its rows goes. */
enum loss {
    LOSS_SHORTENS, /* the others stay */
    LOSS_CLEARS,   /* all of it goes */
    LOSS_DROPS     /* the row that has the array goes too */
};

struct layout;

struct member {
    enum member_kind kind;
    size_t at;         /* in the row */
    const char *wrong; /* what a check says of a row where this member is not as its kind says */

    size_t length; /* MEMBER_NUMBERS: how many */

    enum scene_table table;                        /* MEMBER_ROW: of which table; */
    enum scene_table (*table_of)(const void *row); /* or this tells, when not NULL */

    size_t count;                /* MEMBER_ARRAY: where the row has the number of rows, a uint32_t */
    const struct layout *layout; /* of these rows; NULL for plain values that refer to nothing */
    enum loss loss;
    bool may_lack; /* the array may be NULL whatever the count is */
};

/* What a row is made of. Members that are not named are plain values and strings that may be NULL. */
struct layout {
    size_t size;
    const struct member *members; /* ended by MEMBER_END */
};

struct table_place {
    const char *word;   /* one of its rows, in messages; and the id of one without a name */
    size_t rows, count; /* in struct cp_scene: a pointer to the rows, a uint32_t */
    struct layout layout;
};
extern const struct table_place tables[TABLE_COUNT];
extern const struct layout expression_layout;

/* Where a table's rows have their ids, or names; NULL for a table without. */
const struct member *table_member(enum scene_table table, enum member_kind kind);
/* Of which table a MEMBER_ROW or MEMBER_ROW_OR_NONE of this row is. */
static inline enum scene_table member_table(const struct member *member, const void *row)
{
    return member->table_of ? member->table_of(row) : member->table;
}

/* The pointer, or the number, that a row (or the scene) has at an offset. */
static inline void *row_pointer(const void *row, size_t at)
{
    void *pointer;
    memcpy(&pointer, (const char *)row + at, sizeof pointer);
    return pointer;
}
static inline void row_set_pointer(void *row, size_t at, const void *pointer)
{
    memcpy((char *)row + at, &pointer, sizeof pointer);
}
static inline uint32_t *row_number(const void *row, size_t at)
{
    return (uint32_t *)(void *)((char *)row + at);
}

/* How many rows an array or record points to, and one of them; the same of a table. */
static inline uint32_t member_count(const struct member *member, const void *row)
{
    return member->kind == MEMBER_RECORD ? row_pointer(row, member->at) != NULL : *row_number(row, member->count);
}
static inline void *member_row(const struct member *member, const void *row, uint32_t index)
{
    return (char *)row_pointer(row, member->at) + index * member->layout->size;
}
static inline uint32_t table_count(const cp_scene *scene, enum scene_table table)
{
    return *row_number(scene, tables[table].count);
}
static inline void *table_row(const cp_scene *scene, enum scene_table table, uint32_t index)
{
    return (char *)row_pointer(scene, tables[table].rows) + index * tables[table].layout.size;
}

/* ---- rows that move ---- */

/* Where the rows of a scene go, or those that come into it; references go with them. */
struct moves {
    cp_scene *scene;
    uint32_t *maps[TABLE_COUNT];  /* for each row of a table its new index, CP_NONE when it is left out */
    uint32_t counts[TABLE_COUNT]; /* of a map's entries */
    uint32_t bases[TABLE_COUNT];  /* where there is no map: what is added to the index */
};

/* False for a row that goes since one goes that it must refer to. */
bool row_stays(const struct moves *moves, const struct layout *layout, const void *row);
/* Makes the map of a table, for the caller to fill. NULL when out of memory. */
uint32_t *moves_add_map(struct moves *moves, enum scene_table table);
/* Makes the map of a table in which all rows are that stay. False when out of memory. */
bool moves_find(struct moves *moves, enum scene_table table);
/* When the status is CP_OK: moves the rows of all tables, those without a map by moves_find. Frees the maps even when
 * it is not. */
cp_status moves_end(struct moves *moves, cp_status status);
/* Appends a copy of a row of another scene, without id. Its index, or CP_NONE after reporting. */
uint32_t scene_add_moved(const struct moves *moves, enum scene_table table, const void *row);

#endif

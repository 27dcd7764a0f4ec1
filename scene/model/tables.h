/* The tables of a scene as data: the place of each in struct cp_scene, and the members of its rows. Code that treats
 * all tables alike walks this description: scene_copy, scene_keep, cp_merge, scene_finish and cp_validate. */
#ifndef CELLPIPE_MODEL_TABLES_H
#define CELLPIPE_MODEL_TABLES_H

#include <string.h>

#include "model.h"

enum member_kind {
    MEMBER_END,
    MEMBER_ID,          /* const char *: unique in its table; scene_finish makes it from the name */
    MEMBER_NAME,        /* const char * */
    MEMBER_STRING,      /* const char *, never NULL */
    MEMBER_NUMBERS,     /* finite doubles */
    MEMBER_ROW,         /* uint32_t, the index of a row: this row is removed with that one */
    MEMBER_ROW_OR_NONE, /* uint32_t, the index of a row or CP_NONE: becomes CP_NONE if that row is removed */
    MEMBER_ARRAY,       /* pointer to rows that only this row has; may be NULL if there are none */
    MEMBER_RECORD       /* pointer to one row that only this row has, or NULL */
};

/* What happens to an array or record if one of its rows is removed. */
enum loss {
    LOSS_SHORTENS, /* the other rows stay */
    LOSS_CLEARS,   /* the array becomes empty, the record NULL */
    LOSS_DROPS     /* the row that has the array is removed too */
};

struct layout;

struct member {
    enum member_kind kind;
    size_t at;         /* offset in the row */
    const char *wrong; /* message if the member breaks the rule of its kind; NULL: that of the array around it */

    size_t length; /* MEMBER_NUMBERS: how many */

    enum scene_table table;                        /* MEMBER_ROW, MEMBER_ROW_OR_NONE: the table of that row */
    enum scene_table (*table_of)(const void *row); /* its table if that depends on the row, else NULL */

    size_t count;                /* MEMBER_ARRAY: offset of the number of rows, a uint32_t */
    const struct layout *layout; /* of these rows; NULL for plain values without references */
    enum loss loss;
    bool may_lack; /* the array may be NULL even if there are rows */
};

/* The members of a row. Plain values, and strings that may be NULL, are not listed. */
struct layout {
    size_t size;
    const struct member *members; /* ended by MEMBER_END */
};

struct table_place {
    const char *word;   /* names a row in messages; also the id of a row without a name */
    size_t rows, count; /* offsets in struct cp_scene: of the pointer to the rows, and of their number */
    struct layout layout;
};
extern const struct table_place tables[TABLE_COUNT];
extern const struct layout expression_layout;

/* The first member of a kind, such as the id; NULL if the rows have none. */
const struct member *table_member(enum scene_table table, enum member_kind kind);
/* The table that a MEMBER_ROW or MEMBER_ROW_OR_NONE of this row refers to. */
static inline enum scene_table member_table(const struct member *member, const void *row)
{
    return member->table_of ? member->table_of(row) : member->table;
}

/* The pointer or number at an offset of a row, or of the scene. */
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

/* The number of rows of an array or record, and one of them; then the same for a table. */
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

/* The new indices of rows that move inside a scene, or come into it from another. References follow them. */
struct moves {
    cp_scene *scene;
    uint32_t *maps[TABLE_COUNT];  /* new index of each row of a table, CP_NONE if it is removed; or NULL: */
    uint32_t bases[TABLE_COUNT];  /* the new index is the old one plus this */
    uint32_t counts[TABLE_COUNT]; /* entries of each map */
};

/* False if a row is removed that this one cannot be without. */
bool row_stays(const struct moves *moves, const struct layout *layout, const void *row);
/* Allocates the map of a table; the caller fills it. NULL when out of memory. */
uint32_t *moves_add_map(struct moves *moves, enum scene_table table);
/* Allocates and fills the map of a table: row_stays decides about each row. False when out of memory. */
bool moves_find(struct moves *moves, enum scene_table table);
/* If the status is CP_OK, moves the rows of all tables; calls moves_find for those without a map. Always frees the
 * maps. Returns the status, or CP_LIMIT when out of memory. */
cp_status moves_end(struct moves *moves, cp_status status);
/* Appends a copy of a row of another scene, without its id. Returns its index, or CP_NONE after reporting. */
uint32_t scene_add_moved(const struct moves *moves, enum scene_table table, const void *row);

#endif

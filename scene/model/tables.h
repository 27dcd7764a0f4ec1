/* The tables of a scene as data: the place of each in struct cp_scene, and the members of its rows. Code that treats
 * all tables alike walks this description: scene_copy, scene_keep, cp_merge, scene_finish, cp_validate and the
 * exporter of dumps. */
#ifndef CELLPIPE_MODEL_TABLES_H
#define CELLPIPE_MODEL_TABLES_H

#include <string.h>

#include "model.h"

enum member_kind {
    MEMBER_END,
    MEMBER_ID,          /* const char *: unique in its table; scene_finish makes it from the name */
    MEMBER_NAME,        /* const char * */
    MEMBER_STRING,      /* const char *, never NULL */
    MEMBER_TEXT,        /* const char *, or NULL */
    MEMBER_RAW,         /* const char *, or NULL: bytes that are not UTF-8 */
    MEMBER_NUMBERS,     /* finite doubles */
    MEMBER_LIMIT,       /* a double; if it is infinite, there is no limit */
    MEMBER_COUNT,       /* uint32_t */
    MEMBER_LONG_COUNT,  /* uint64_t */
    MEMBER_HASH,        /* uint64_t; 0 if unknown */
    MEMBER_FLAG,        /* bool */
    MEMBER_FLAGS,       /* uint32_t, a bit for each of its words */
    MEMBER_WORD,        /* an enumeration, or a uint32_t: the index of one of its words */
    MEMBER_ROW,         /* uint32_t, the index of a row: this row is removed with that one */
    MEMBER_ROW_OR_NONE, /* uint32_t, the index of a row or CP_NONE: becomes CP_NONE if that row is removed */
    MEMBER_ARRAY,       /* pointer to rows that only this row has; may be NULL if there are none */
    MEMBER_RECORD       /* pointer to one row that only this row has, or NULL */
};

/* Where members are shown. */
enum { IN_DUMP = 1, IN_STAGE = 2, IN_EVIDENCE = 4, IN_INFO = 8, IN_DIFF = 16, IN_PROGRAM = 24, IN_ALL = 31 };

/* The effect on an array or record if one of its rows is removed. */
enum loss {
    LOSS_SHORTENS, /* the other rows stay */
    LOSS_CLEARS,   /* the array becomes empty, the record NULL */
    LOSS_DROPS     /* the row that has the array is removed too */
};

struct layout;

struct member {
    enum member_kind kind;
    size_t at;         /* offset in the row */
    const char *name;  /* the key of JSON, and the word before the value in a dump; NULL: the only member of its row */
    const char *wrong; /* message if the member breaks the rule of its kind; NULL: that of the array around it */

    const char *dump;                 /* its word in a dump if that is not the name; "": none */
    const char *shown;                /* its name in `info --json` and `diff` if that is another one */
    const char *unit;                 /* NULL if it has none, or one that depends on the row */
    unsigned not_in;                  /* IN_...: it is not there, or written by code of its own */
    unsigned optional;                /* IN_...: it is not there if it has its initial value */
    bool early;                       /* a dump has it before the others */
    bool (*applies)(const void *row); /* says that it means something in this row; NULL: it always does */
    const void *initial;              /* its value in a new row; NULL: 0, CP_NONE, "", no pointer */

    size_t length;            /* MEMBER_NUMBERS: how many */
    const char *const *words; /* MEMBER_WORD, MEMBER_FLAGS; a MEMBER_FLAG may have two */

    enum scene_table table;                        /* MEMBER_ROW, MEMBER_ROW_OR_NONE: the table of that row */
    enum scene_table (*table_of)(const void *row); /* its table if that depends on the row, else NULL */

    size_t count;                /* MEMBER_ARRAY: offset of the number of rows, a uint32_t */
    const struct layout *layout; /* the layout of these rows; NULL for plain values without references */
    const char *line; /* a dump has each of them in a line that begins with this word; NULL: all in its own */
    enum loss loss;
    bool may_lack; /* the array may be NULL even if there are rows */
};

/* The members of a row. */
struct layout {
    size_t size;
    const struct member *members; /* ended by MEMBER_END */
};

struct table_place {
    const char *word;   /* names a row in messages; also the id of a row without a name */
    const char *list;   /* the list of its rows that stages have beside what glTF knows; NULL: its rows are elsewhere */
    size_t rows, count; /* offsets in struct cp_scene: of the pointer to the rows, and of their number */
    struct layout layout;
};
extern const struct table_place tables[TABLE_COUNT];
/* Rows of arrays and records. */
extern const struct layout inertia_layout, expression_layout, finding_layout, track_layout, attachment_layout,
    mark_layout;

/* ---- members (walk.c) ---- */

/* Tells whether the member of a row is shown in IN_... */
bool member_is_shown(const struct member *member, const void *row, unsigned in);
/* The text of a member: what a string is, the word of an enumeration, the id of a row. NULL: none. */
const char *member_text(const cp_scene *scene, const struct member *member, const void *row);
/* The number of MEMBER_COUNT, MEMBER_LONG_COUNT, MEMBER_HASH, MEMBER_FLAG and MEMBER_FLAGS. */
uint64_t member_whole(const struct member *member, const void *row);
/* The numbers of MEMBER_NUMBERS and MEMBER_LIMIT. */
static inline const double *member_numbers(const struct member *member, const void *row)
{
    return (const double *)(const void *)((const char *)row + member->at);
}
/* Gives all members of a new row their initial values. */
void row_start(const struct layout *layout, void *row);

/* ---- tables ---- */

/* Returns the first member of a kind, such as the id; NULL if the rows have none. */
const struct member *table_member(enum scene_table table, enum member_kind kind);
/* Returns the table that a MEMBER_ROW or MEMBER_ROW_OR_NONE of this row refers to. */
static inline enum scene_table member_table(const struct member *member, const void *row)
{
    return member->table_of ? member->table_of(row) : member->table;
}

/* Returns the pointer or number at an offset of a row, or of the scene. */
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

/* Returns the number of rows of an array or record, and one of them; then the same for a table. */
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

/* The new indices of rows that move inside a scene, or come into it from another one. References follow them. */
struct moves {
    cp_scene *scene;
    uint32_t *maps[TABLE_COUNT];  /* new index of each row of a table, CP_NONE if it is removed; or NULL: */
    uint32_t bases[TABLE_COUNT];  /* the new index is the old one plus this */
    uint32_t counts[TABLE_COUNT]; /* entries of each map */
};

/* Returns false if a row is removed that this one cannot be without. */
bool row_stays(const struct moves *moves, const struct layout *layout, const void *row);
/* Allocates the map of a table; the caller fills it. Returns NULL if out of memory. */
uint32_t *moves_add_map(struct moves *moves, enum scene_table table);
/* Allocates and fills the map of a table: row_stays decides about each row. Returns false if out of memory. */
bool moves_find(struct moves *moves, enum scene_table table);
/* If the status is CP_OK, moves the rows of all tables; calls moves_find for those without a map. Always frees the
 * maps. Returns the status, or CP_LIMIT when out of memory. */
cp_status moves_end(struct moves *moves, cp_status status);
/* Appends a copy of a row of another scene, without its id. Returns its index, or CP_NONE after reporting. */
uint32_t scene_add_moved(const struct moves *moves, enum scene_table table, const void *row);

#endif

/* The reader of legacy part geometry: tokens (legacy.c) -> points and lines (legacy_block.c) -> polygons
 * (legacy_faces.c) -> the scene (legacy_part.c). docs/deneb.md lists what is known of such files and what is
 * guessed. */
#ifndef CELLPIPE_IMPORTERS_DENEB_LEGACY_H
#define CELLPIPE_IMPORTERS_DENEB_LEGACY_H

#include "deneb.h"

enum { LEGACY_MOST_CANDIDATES = 1000000 };

/* The values of tokens that are no whole numbers of 0 .. LEGACY_STAR - 1. */
enum { LEGACY_STAR = 0x7ffffffc, LEGACY_WHOLE /* negative, or large */, LEGACY_NUMBER, LEGACY_WORD };

struct legacy_token {
    uint32_t start;       /* in the file */
    uint32_t value;       /* or LEGACY_... */
    uint32_t numbers_end; /* the first token from here on that is no number */
    uint32_t
        equal_pair; /* the first token of here, here + 2, ... that equals the one after it; UINT32_MAX without one */
};

/* The work of the search. It is linear in the tokens, as the tests check. */
struct legacy_work {
    uint64_t candidates; /* places at which the counts fit, so that the lines were read */
    uint64_t visited;    /* visits of a token, or of a node of the tree over them */
};

struct legacy {
    struct deneb_file *file;
    bool explain;
    struct legacy_token *tokens; /* and two more, of LEGACY_WORD */
    uint32_t count, room, stars;
    uint32_t *tree; /* largest values: of blocks of tokens from `leaves` on, of nodes 2 * i and 2 * i + 1 in node i */
    uint32_t leaves;
    struct legacy_work work;
};

/* The reasons why a place is not the number of points of a geometry, in the order of the tests. */
enum legacy_failure {
    LEGACY_NO_POINTS,
    LEGACY_FEW_NUMBERS,
    LEGACY_NO_VALUE,
    LEGACY_NO_LINES,
    LEGACY_FEW_ENDS,
    LEGACY_NO_SUCH_POINT,
    LEGACY_SAME_POINT,
    LEGACY_NO_ZERO, /* this and the next only if no asterisk marks the begin of the geometry */
    LEGACY_LOOSE_POINT,
    LEGACY_FITS,
    LEGACY_FAILURES
};

/* A reading of points and lines; tokens by their numbers. */
struct legacy_block {
    uint32_t rivals, rival; /* the number of later places that fit, too, and the first of them */
    enum legacy_failure failure;
    uint32_t detail; /* the number of numbers that follow, or the line that fails */
    uint32_t place, point_count, line_count;
    uint32_t value, first_end, end; /* the token without a known meaning; the lines' first point; the token behind
                                     * all */
};

enum legacy_form { LEGACY_BY_CORNERS, LEGACY_BY_EDGES, LEGACY_FORMS };

enum legacy_doubt {
    LEGACY_PROVEN,
    LEGACY_NO_POLYGONS,
    LEGACY_NO_SIZE,
    LEGACY_ENDS,
    LEGACY_NO_CORNER,
    LEGACY_CORNER_TWICE,
    LEGACY_NO_SIDE,
    LEGACY_MORE
};

/* The rest of the file, read with polygons of one form. */
struct legacy_polygons {
    enum legacy_doubt doubt;
    uint32_t detail;                     /* the polygon that fails, or the number of tokens left */
    uint32_t first, count, corner_count; /* the first polygon's size is token `first` */
    bool closed;                         /* each line is a side of exactly two */
};

/* Tells whether the file begins as legacy geometry does: by a whole number of 1 .. 99; all are numbers or "*". */
int deneb_probe_legacy(const char *head, size_t size);
/* Tells whether the current token is such a number. */
bool deneb_begins_legacy(const struct deneb_file *file);

/* Reads all tokens of the file, from the current one on, and builds the tables by which a place is tried in a few
 * steps. False after an error, which is the file's status. */
bool deneb_read_tokens(struct legacy *legacy);
void deneb_free_tokens(struct legacy *legacy);
/* Returns the first token from `from` on whose value is `least` or more, or the number of tokens. */
uint32_t deneb_find_value(struct legacy *legacy, uint32_t from, uint32_t least);
/* The words that describe a failure; a number goes between the two parts. */
struct legacy_words {
    const char *before, *after;
};
void deneb_print_words(const struct legacy_words *words, uint32_t detail, char *text, size_t size);
struct place deneb_token_place(const struct legacy *legacy, uint32_t token);

/* Finds the first reading of points and lines that fits. False after an error: there is none, or too much to try. */
bool deneb_find_block(struct legacy *legacy, struct legacy_block *block);
/* Reports the error of a reading that has rivals. */
cp_status deneb_refuse_rivals(const struct legacy *legacy, const struct legacy_block *block);

/* Tries both forms on the tokens behind the lines. If exactly one is proved, *form is that, else LEGACY_FORMS. False
 * when out of memory. */
bool deneb_find_polygons(struct legacy *legacy, const struct legacy_block *block,
                         struct legacy_polygons polygons[LEGACY_FORMS], enum legacy_form *form);
/* Fills in the corners of polygons that are proved, with room for them, and count + 1 offsets. */
void deneb_fill_polygons(const struct legacy *legacy, const struct legacy_block *block,
                         const struct legacy_polygons *polygons, enum legacy_form form, uint32_t *offsets,
                         uint32_t *corners);
/* Prints why a form is not proved, as a clause. */
const char *deneb_print_doubt(const struct legacy_polygons *polygons, char text[96]);

/* Reads the file, which is at its first token, as the geometry of that node. unit: in metres, 0 when it is not
 * given. */
cp_status deneb_read_legacy(struct deneb_file *file, cp_scene *scene, uint32_t node, double unit, bool explain);

#endif

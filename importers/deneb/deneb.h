/* The inside of the Deneb importers: lexer -> statements -> parts (part.c), devices and cells.
 *
 * What they read is DCT, a dialect of this project: docs/deneb.md says what it is and why. */
#ifndef CELLPIPE_IMPORTERS_DENEB_DENEB_H
#define CELLPIPE_IMPORTERS_DENEB_DENEB_H

#include "../importers.h"

struct deneb_settings {
    struct import_settings import;
    int matrix; /* enum deneb_matrix */
    /* Of parts in legacy geometry. */
    double unit; /* metres; 0: not given */
    bool explain;
    /* Of devices and workcells. */
    const char *paths; /* a file; or NULL */
    int colour;        /* enum deneb_colour_source */
    bool dof_zero, outside;
    /* Of workcells and recordings. */
    const char *recording, *workcell; /* files; or NULL */
    double tolerance;                 /* metres */
};
enum deneb_colour_source { DENEB_COLOUR_OF_DEVICE, DENEB_COLOUR_OF_PART };
extern const cp_option deneb_part_options[], deneb_device_options[], deneb_workcell_options[],
    deneb_recording_options[];

/* ---- lexer.c: words, numbers and strings of one file ---- */

enum deneb_kind { DENEB_PART, DENEB_DEVICE, DENEB_WORKCELL, DENEB_RECORDING, DENEB_PATHS, DENEB_KIND_COUNT };

enum deneb_token_kind {
    DENEB_END,
    DENEB_BARE,   /* anything between blanks: a word, a number, bits, a path */
    DENEB_STRING, /* a text in double quotes; start and size are those of the text between them */
    DENEB_FORMULA /* after "=", to the end of the line */
};

struct deneb_token {
    enum deneb_token_kind kind;
    bool begins_line;
    const char *start;
    size_t size;
    uint64_t line, column;
};

struct deneb_file {
    cp_context *context;
    struct source *source;
    struct arena *arena; /* the scene's */
    bool strict;
    enum deneb_kind kind;     /* once the first line is read */
    cp_status status;         /* sticky: after an error all tokens are DENEB_END */
    struct deneb_token token; /* the current one */
    const char *next, *end, *line_start;
    const char *checked; /* no zero byte before it */
    uint64_t line;
    struct name_map unknown; /* words that have been warned of */
    int64_t surplus;         /* ENDs that close no section known here; INT64_MIN until they are counted */
};

/* Begins a file, without its byte order mark and its Ctrl-Z. */
void deneb_text_start(struct deneb_file *file);
/* Reports the error "deneb-zero" when the file has a zero byte: for code that reads lines. Tokens are checked as they
 * come. */
void deneb_check_text(struct deneb_file *file);
/* Begins a file at its first token. */
void deneb_lexer_start(struct deneb_file *file);
void deneb_next(struct deneb_file *file);
struct place deneb_place(const struct deneb_file *file);
/* Returns the current token for a message: cut, without bytes that could control a terminal. */
const char *deneb_shown(const struct deneb_file *file, char shown[48]);
/* Tells whether the token is a keyword: a letter begins its line. */
bool deneb_at_keyword(const struct deneb_file *file);
/* Tells whether the current token is that word, in any case. */
bool deneb_is(const struct deneb_file *file, const char *word);

/* ---- values.c: what stands in statements. All do nothing after an error. ---- */

/* Reports "expected WHAT, found ...". */
void deneb_expected(struct deneb_file *file, const char *what);
/* Reports an error if the keyword's line ends before `what`. */
bool deneb_in_line(struct deneb_file *file, const char *what);
/* Reads a number, and moves to the next token. fortran: an exponent may have lost its letter, as in 1.0+100. */
double deneb_number(struct deneb_file *file, bool fortran);
/* Tells whether the token is a number, finite or not. */
bool deneb_is_number(const struct deneb_token *token, bool fortran, double *value);
/* Reads a number that a float can hold, fortran. */
double deneb_coordinate(struct deneb_file *file);
/* Reads a whole number of 0 .. most. */
uint32_t deneb_count(struct deneb_file *file, const char *what, uint32_t most);
/* Reads a name or path, quoted or bare, as UTF-8; *raw (may be NULL): its bytes if they were not UTF-8. In the arena;
 * "" after an error. */
const char *deneb_name(struct deneb_file *file, const char **raw);
bool deneb_accept(struct deneb_file *file, const char *word);
/* Reads red, green, blue and, if there is one, alpha, 0 .. 1. */
void deneb_colour(struct deneb_file *file, double rgba[4]);
/* Metres of a unit. */
double deneb_unit(struct deneb_file *file);

/* ---- matrix.c ---- */

enum deneb_matrix { DENEB_MATRIX_AUTO, DENEB_MATRIX_ROW, DENEB_MATRIX_COL };

/* Reads 16 numbers, a row-vector matrix in units of `unit` metres, as a pose. Warns if they are no such matrix. */
cp_pose deneb_pose(struct deneb_file *file, enum deneb_matrix form, double unit);

/* ---- statements.c ---- */

extern const char *const deneb_kind_words[]; /* "PART", ..., NULL */

/* Returns the kind of a file that begins "DCT KIND 1.0", or DENEB_KIND_COUNT. */
enum deneb_kind deneb_find_kind(const char *head, size_t size);
/* Skips the first line, "DCT KIND 1.0"; an error unless it is of this kind. */
void deneb_magic(struct deneb_file *file, enum deneb_kind kind);
/* Tells whether a statement of that word begins; then the caller reads its rest, and calls deneb_end_statement. */
bool deneb_statement(struct deneb_file *file, const char *word);
/* Reports an error if anything is left before the next keyword. */
void deneb_end_statement(struct deneb_file *file);
/* Skips a statement that is not known here; with all up to its END if there are more of these than sections. open: the
 * number of open sections. */
void deneb_skip_unknown(struct deneb_file *file, uint32_t open);
/* Tells whether the section is over, and skips its END. A missing END at the end of the file is lenient. */
bool deneb_section_ends(struct deneb_file *file, const char *section);
void deneb_close(struct deneb_file *file);

#endif

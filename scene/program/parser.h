/* Reads programs: parse.c goes through the lines, instructions.c knows the words, operands.c their operands. */
#ifndef CELLPIPE_PROGRAM_PARSER_H
#define CELLPIPE_PROGRAM_PARSER_H

#include "base/context.h"
#include "run.h"

enum { LONGEST_LINE = 1000, LONGEST_NAME = 200, DEEPEST_BLOCK = 64 };

enum name_kind { NAME_NUMBER, NAME_POSE, NAME_JOINTS, NAME_LABEL };

struct program_parser {
    struct program_text *program;
    cp_context *context;
    const cp_scene *scene;
    uint32_t joint_count;
    struct arena *names_arena;
    struct name_map variables, labels; /* kind + 4 * index; instruction */
    struct name_map readings;          /* "17 3": indices of program->readings */
    struct name_map frames, ids;       /* nodes; CP_NONE: several have that name */
    bool failed, naming;               /* naming: this is the first of two passes over the lines */
    uint64_t number;                   /* of the line */
    char line[LONGEST_LINE + 1];
    const char *at, *word; /* in the line; the instruction's first word */
    struct program_block {
        uint32_t instruction;
        enum operation operation;
        bool excused; /* its missing begin was reported */
    } blocks[DEEPEST_BLOCK];
    uint32_t depth;
};

/* ---- operands.c ---- */

/* Reports an error at a place in the line (NULL: the whole line); the format has one %s for `what`. */
void parser_fail(struct program_parser *parser, const char *at, const char *format, const char *what);
/* Reports an error whose %s is the name, and adds the nearest one (or NULL). */
void parser_fail_near(struct program_parser *parser, const char *at, const char *format, const char *name,
                      const char *near);
/* Reports "expected ..., found ..." at the present place. */
void parser_fail_expected(struct program_parser *parser, const char *what);
void parser_skip_blanks(struct program_parser *parser);
bool parser_at_end(struct program_parser *parser);
/* Skips the word, in any case of letters. */
bool parser_accept(struct program_parser *parser, const char *word);
/* Returns the size of the name at a place; 0: none. */
size_t parser_name_size(const char *at);
/* Copies the name at the present place; returns its size. */
size_t parser_name_here(struct program_parser *parser, char name[LONGEST_NAME + 1]);
/* Returns the variable of that name, or NULL. */
const uint32_t *parser_find_variable(struct program_parser *parser, const char *name, size_t size);
/* Returns the name in the maps (the second may be NULL) that is nearest to this one, or NULL. */
const char *parser_nearest(const struct name_map *map, const struct name_map *other, const char *name);
/* Add one number or formula to the instruction; all up to the line's end; so many in brackets. */
void parser_add_formula(struct program_parser *parser, struct instruction *instruction);
void parser_numbers(struct program_parser *parser, struct instruction *instruction);
void parser_brackets(struct program_parser *parser, struct instruction *instruction, uint32_t wanted);
/* Reports an error at `start` unless there are `few` numbers, or `many`; 1 and 3 allow 2, too. */
void parser_demand_numbers(struct program_parser *parser, const char *start, const struct instruction *instruction,
                           uint32_t few, uint32_t many);
/* Reads a point: POSE(...) or JOINTS(...), a variable, or a frame, whose name may be in quotes. */
struct point parser_point(struct program_parser *parser);
void parser_condition(struct program_parser *parser, struct instruction *instruction);
/* Skips "IF c THEN" if an instruction follows in the line; else it does nothing. */
void parser_skip_condition(struct program_parser *parser);

/* ---- instructions.c ---- */

/* Returns true if a name and "=" begin here. */
bool parser_is_assignment(const char *at);
/* Parses the part of the line behind its label. */
void parser_instruction(struct program_parser *parser, struct instruction *instruction);

#endif

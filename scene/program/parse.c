#include "program.h"

#include <stdio.h>

#include "../context.h"
#include "../pose.h"
#include "../text/text.h"

enum { LONGEST_LINE = 1000, LONGEST_NAME = 200, DEEPEST_BLOCK = 64 };

enum name_kind { NAME_NUMBER, NAME_POSE, NAME_JOINTS, NAME_LABEL };

/* A reader of lines. */
struct parser {
    struct program_text *program;
    cp_context *context;
    const cp_scene *scene;
    uint32_t joint_count;
    struct arena *names_arena;
    struct name_map variables, labels, frames; /* kind + 4 * index; instruction; node */
    bool failed;
    uint64_t number; /* of the line */
    char line[LONGEST_LINE + 1];
    const char *at, *word; /* in the line; the instruction's first word */
    struct block {
        uint32_t instruction;
        enum operation operation;
    } blocks[DEEPEST_BLOCK];
    uint32_t depth;
};

/* ---- words ---- */

static void fail(struct parser *parser, const char *at, const char *format, const char *what)
{
    struct place place = {
        .file = parser->program->file, .line = parser->number, .column = at ? (uint64_t)(at - parser->line) + 1 : 0};
    parser->failed = true;
    char text[300];
    (void)snprintf(text, sizeof text, "%.120s", what ? what : "");
    (void)report_error(parser->context, CP_INPUT, "program-syntax", place, format, text);
}

static bool begins_name(char c)
{
    return is_letter(c) || c == '_';
}

static bool is_name_character(char c)
{
    return begins_name(c) || (c >= '0' && c <= '9');
}

static void skip_blanks(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

/* The size of the name that stands here; 0: none. */
static size_t name_size(const char *at)
{
    size_t size = 0;
    while (begins_name(*at) && is_name_character(at[size]))
        size++;
    return size;
}

/* Copies the name that stands here; its size. */
static size_t name_here(struct parser *parser, char name[LONGEST_NAME + 1])
{
    skip_blanks(parser);
    size_t size = name_size(parser->at);
    (void)snprintf(name, LONGEST_NAME + 1, "%.*s", (int)(size < LONGEST_NAME ? size : LONGEST_NAME), parser->at);
    return size;
}

/* "found "x"" for a message: the word here, or the end of the line. */
static const char *found(struct parser *parser, char text[LONGEST_NAME])
{
    skip_blanks(parser);
    size_t size = strcspn(parser->at, " \t,");
    if (size == 0 && *parser->at)
        size = 1;
    (void)snprintf(text, LONGEST_NAME, size > 0 ? "\"%.*s\"" : "the end of the line", (int)(size < 100 ? size : 100),
                   parser->at);
    return text;
}

static void fail_expected(struct parser *parser, const char *what)
{
    char text[LONGEST_NAME], message[2 * LONGEST_NAME];
    (void)found(parser, text);
    (void)snprintf(message, sizeof message, "expected %s, found %s", what, text);
    fail(parser, parser->at, "%s", message);
}

/* Goes past the word, in any case. */
static bool accept(struct parser *parser, const char *word)
{
    skip_blanks(parser);
    size_t size = strlen(word);
    for (size_t i = 0; i < size; i++) {
        char c = parser->at[i];
        if ((c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c) != word[i])
            return false;
    }
    if (begins_name(*word) && is_name_character(parser->at[size]))
        return false;
    parser->at += size;
    return true;
}

static bool at_end(struct parser *parser)
{
    skip_blanks(parser);
    return !*parser->at;
}

/* ---- formulas ---- */

/* Appends the formula's text from `from` to `to` with numbers of dof() in place of the names of variables. */
static bool translate(struct parser *parser, const char *from, const char *to, char out[EXPRESSION_LONGEST + 1])
{
    static const char *const known[] = {"SIN",  "COS", "TAN", "ASIN", "ACOS", "ATAN", "ATAN2",
                                        "SQRT", "ABS", "MIN", "MAX",  "PI",   NULL};
    size_t used = 0;
    while (from < to) {
        size_t size = (size_t)(to - from) > name_size(from) ? name_size(from) : (size_t)(to - from);
        bool exponent =
            size > 0 && used > 0 && ((out[used - 1] >= '0' && out[used - 1] <= '9') || out[used - 1] == '.');
        if (size == 0 || exponent) { /* 1e5 */
            size = size == 0 ? 1 : size;
            if (used + size > EXPRESSION_LONGEST)
                return false;
            memcpy(out + used, from, size);
            used += size;
            from += size;
            continue;
        }
        char name[LONGEST_NAME + 1];
        (void)snprintf(name, sizeof name, "%.*s", (int)(size < LONGEST_NAME ? size : LONGEST_NAME), from);
        const uint32_t *variable = name_map_find(&parser->variables, name);
        bool function = false;
        for (size_t i = 0; known[i]; i++)
            function = function || text_equal_nocase(known[i], name);
        if (!variable && !function) {
            fail(parser, from, "nobody gives a number to \"%s\"", name);
            return false;
        }
        if (variable && *variable % 4 != NAME_NUMBER) {
            fail(parser, from, "\"%s\" is no number", name);
            return false;
        }
        char text[LONGEST_NAME + 1];
        if (variable)
            (void)snprintf(text, sizeof text, "dof(%u)", (unsigned)(*variable / 4 + 1));
        else
            (void)snprintf(text, sizeof text, "%s", name);
        if (used + strlen(text) > EXPRESSION_LONGEST)
            return false;
        memcpy(out + used, text, strlen(text));
        used += strlen(text);
        from += size;
    }
    out[used] = '\0';
    return true;
}

/* The formula of the text from parser->at to `to`. */
static struct formula parse_formula(struct parser *parser, const char *to)
{
    struct program_text *program = parser->program;
    struct expression_step steps[EXPRESSION_LONGEST];
    char text[EXPRESSION_LONGEST + 1];
    struct formula formula = {.first_step = program->step_count};
    uint32_t count;
    size_t at;
    const char *from = parser->at;
    skip_blanks(parser);
    parser->at = to;
    if (!translate(parser, from, to, text))
        return formula;
    const char *why = expression_compile(text, PI / 180, UINT32_MAX - 1, steps, &count, &at);
    if (why) {
        fail(parser, from, "a number or formula: %s", why);
        return formula;
    }
    if (!array_reserve(parser->context, &program->steps, &program->step_room, (uint64_t)program->step_count + count,
                       sizeof *steps)) {
        parser->failed = true;
        return formula;
    }
    memcpy(program->steps + program->step_count, steps, count * sizeof *steps);
    program->step_count += count;
    formula.step_count = count;
    return formula;
}

/* Where the operand that begins here ends: a comma outside of brackets, or a word that ends it, or the line's end. */
static const char *operand_end(const char *at, bool in_condition)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (depth > 0)
            continue;
        if (*at == ',' || (in_condition && strchr("<>=", *at)))
            return at;
        if (in_condition && begins_name(*at)) {
            size_t size = name_size(at);
            static const char *const ends[] = {"THEN", "AND", "OR"};
            for (size_t i = 0; i < 3; i++)
                if (size == strlen(ends[i])) {
                    char word[8];
                    (void)snprintf(word, sizeof word, "%.*s", (int)size, at);
                    if (text_equal_nocase(word, ends[i]))
                        return at;
                }
            at += size - 1;
        }
    }
    return at;
}

static void add_formula(struct parser *parser, struct instruction *instruction)
{
    struct program_text *program = parser->program;
    struct formula formula = parse_formula(parser, operand_end(parser->at, false));
    if (!array_reserve(parser->context, &program->formulas, &program->formula_room,
                       (uint64_t)program->formula_count + 1, sizeof formula)) {
        parser->failed = true;
        return;
    }
    program->formulas[program->formula_count++] = formula;
    instruction->formula_count++;
}

/* All numbers up to the line's end. */
static void parse_numbers(struct parser *parser, struct instruction *instruction)
{
    instruction->first_formula = parser->program->formula_count;
    if (at_end(parser))
        return;
    do
        add_formula(parser, instruction);
    while (!parser->failed && accept(parser, ","));
}

static void demand_numbers(struct parser *parser, const char *start, const struct instruction *instruction,
                           uint32_t few, uint32_t many)
{
    char text[LONGEST_NAME];
    uint32_t count = instruction->formula_count;
    bool range = few == 1 && many == 3;
    if (parser->failed || count == few || count == many || (range && count >= few && count <= many))
        return;
    if (few == many)
        (void)snprintf(text, sizeof text, "%u number%s, not %u", (unsigned)few, few == 1 ? "" : "s", (unsigned)count);
    else
        (void)snprintf(text, sizeof text, "%u %s %u numbers, not %u", (unsigned)few, range ? "to" : "or",
                       (unsigned)many, (unsigned)count);
    fail(parser, start, "it takes %s", text);
}

/* ---- points ---- */

static bool is_frame(struct parser *parser, const char *name, uint32_t *node)
{
    uint32_t *index = name_map_find(&parser->frames, name);
    *node = index ? *index : CP_NONE;
    return index;
}

static const char *nearest_name(struct parser *parser, const char *name)
{
    enum { MOST = 1000 };
    const char *names[MOST + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < parser->scene->node_count && count < MOST; i++)
        names[count++] = parser->scene->nodes[i].name;
    for (uint32_t i = 0; i < parser->variables.slot_count && count < MOST; i++)
        if (parser->variables.slots[i].key)
            names[count++] = parser->variables.slots[i].key;
    names[count] = NULL;
    return nearest_word(name, names);
}

/* Numbers in brackets. */
static void parse_brackets(struct parser *parser, struct instruction *instruction, uint32_t wanted)
{
    skip_blanks(parser);
    const char *start = parser->at;
    char *close = parser->line + (start - parser->line);
    for (int depth = 0; *close; close++) {
        depth += (*close == '(') - (*close == ')');
        if (depth <= 0)
            break;
    }
    if (!accept(parser, "(")) {
        fail_expected(parser, "numbers in brackets");
        return;
    }
    if (!*close) {
        fail(parser, start, "%s", "the bracket is not closed");
        return;
    }
    *close = '\0';
    parse_numbers(parser, instruction);
    demand_numbers(parser, start, instruction, wanted, wanted);
    if (!parser->failed)
        parser->at = close + 1;
}

/* POSE(...) or JOINTS(...), a variable, or a frame, whose name may stand in quotes. */
static struct point parse_point(struct parser *parser)
{
    struct point point = {0};
    struct instruction numbers = {0};
    char name[LONGEST_NAME + 1];
    skip_blanks(parser);
    const char *start = parser->at;
    const bool is_pose = accept(parser, "POSE");
    if ((is_pose || accept(parser, "JOINTS")) && parser->at[strspn(parser->at, " \t")] == '(') {
        parse_brackets(parser, &numbers, is_pose ? 6 : parser->joint_count);
        return (struct point){is_pose ? POINT_POSE_HERE : POINT_JOINTS_HERE, numbers.first_formula};
    }
    parser->at = start;
    bool quoted = *start == '"';
    size_t size = quoted ? strcspn(start + 1, "\"") : strcspn(start, " \t,");
    if (size == 0 || size > LONGEST_NAME || (quoted && start[1 + size] != '"')) {
        fail_expected(parser, "a point: a variable or a frame");
        return point;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)size, start + quoted);
    parser->at = start + size + (quoted ? 2 : 0);
    const uint32_t *variable = quoted ? NULL : name_map_find(&parser->variables, name);
    if (variable && *variable % 4 != NAME_NUMBER)
        return (struct point){*variable % 4 == NAME_POSE ? POINT_POSE : POINT_JOINTS, *variable / 4};
    if (variable) {
        fail(parser, start, "\"%s\" is a number, no point", name);
    } else if (is_frame(parser, name, &point.index)) {
        point.kind = POINT_FRAME;
    } else {
        const char *near = nearest_name(parser, name);
        char text[3 * LONGEST_NAME];
        (void)snprintf(text, sizeof text, near ? "\"%s\"; did you mean %s?" : "\"%s\"", name, near);
        fail(parser, start, "there is no point or frame %s", text);
    }
    return point;
}

/* ---- conditions ---- */

static void parse_condition(struct parser *parser, struct instruction *instruction)
{
    static const struct {
        const char *text;
        enum comparison_kind kind;
    } signs[] = {{"<=", COMPARE_MOST}, {">=", COMPARE_LEAST}, {"<>", COMPARE_UNEQUAL},
                 {"=", COMPARE_EQUAL}, {"<", COMPARE_LESS},   {">", COMPARE_MORE}};
    struct program_text *program = parser->program;
    instruction->first_comparison = program->comparison_count;
    bool is_and = false;
    do {
        struct comparison comparison = {.is_and = is_and};
        comparison.sides[0] = parse_formula(parser, operand_end(parser->at, true));
        for (size_t i = 0; i < sizeof signs / sizeof *signs && comparison.kind == COMPARE_TRUE; i++)
            if (accept(parser, signs[i].text))
                comparison.kind = signs[i].kind;
        if (comparison.kind != COMPARE_TRUE)
            comparison.sides[1] = parse_formula(parser, operand_end(parser->at, true));
        if (!array_reserve(parser->context, &program->comparisons, &program->comparison_room,
                           (uint64_t)program->comparison_count + 1, sizeof comparison)) {
            parser->failed = true;
            return;
        }
        program->comparisons[program->comparison_count++] = comparison;
        instruction->comparison_count++;
        is_and = accept(parser, "AND");
    } while (!parser->failed && (is_and || accept(parser, "OR")));
}

/* ---- instructions ---- */

static uint32_t label_of(struct parser *parser)
{
    skip_blanks(parser);
    size_t size = name_size(parser->at);
    const char *start = parser->at;
    char name[LONGEST_NAME + 1];
    if (size == 0 || size > LONGEST_NAME) {
        fail_expected(parser, "a label");
        return 0;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)size, start);
    parser->at += size;
    const uint32_t *label = name_map_find(&parser->labels, name);
    if (!label)
        fail(parser, start, "there is no label \"%s\"", name);
    return label ? *label : 0;
}

static void open_block(struct parser *parser, enum operation operation)
{
    if (parser->depth == DEEPEST_BLOCK) {
        fail(parser, parser->line, "%s", "blocks are nested too deeply");
        return;
    }
    parser->blocks[parser->depth++] = (struct block){parser->program->instruction_count, operation};
}

/* The block that the word belongs to; false, told, if that is another one. */
static bool close_block(struct parser *parser, enum operation operation, const char *what, struct block *block)
{
    if (parser->depth == 0 ||
        (parser->blocks[parser->depth - 1].operation != operation &&
         !(operation == OPERATION_IF && parser->blocks[parser->depth - 1].operation == OPERATION_ELSE))) {
        fail(parser, parser->line + strspn(parser->line, " \t"), "%s", what);
        return false;
    }
    *block = parser->blocks[--parser->depth];
    return true;
}

static uint32_t variable_here(struct parser *parser, enum name_kind kind)
{
    char name[LONGEST_NAME + 1];
    const size_t size = name_here(parser, name);
    const uint32_t *variable = size > 0 ? name_map_find(&parser->variables, name) : NULL;
    if (!variable || *variable % 4 != kind) {
        fail_expected(parser, "the name of a number");
        return 0;
    }
    parser->at += size;
    return *variable / 4;
}

static void parse_case(struct parser *parser, struct instruction *instruction)
{
    struct program_text *program = parser->program;
    instruction->first_formula = program->formula_count;
    add_formula(parser, instruction);
    instruction->first_target = program->target_count;
    while (!parser->failed && accept(parser, ",")) {
        uint32_t label = label_of(parser);
        if (!array_reserve(parser->context, &program->targets, &program->target_room,
                           (uint64_t)program->target_count + 1, sizeof label)) {
            parser->failed = true;
            return;
        }
        program->targets[program->target_count++] = label;
        instruction->target_count++;
    }
    if (!parser->failed && instruction->target_count == 0)
        fail_expected(parser, "a comma and a label");
}

static void parse_move(struct parser *parser, struct instruction *instruction)
{
    char name[LONGEST_NAME + 1];
    const size_t size = name_here(parser, name);
    const uint32_t *variable = size > 0 ? name_map_find(&parser->variables, name) : NULL;
    if ((variable && *variable % 4 == NAME_JOINTS) || text_equal_nocase(name, "JOINTS")) {
        instruction->points[0] = parse_point(parser);
        return;
    }
    parse_numbers(parser, instruction);
    demand_numbers(parser, parser->word, instruction, parser->joint_count, parser->joint_count);
}

static void parse_if(struct parser *parser, struct instruction *instruction)
{
    open_block(parser, OPERATION_IF);
    parse_condition(parser, instruction);
    if (!parser->failed && !accept(parser, "THEN"))
        fail_expected(parser, "THEN");
}

static void parse_else(struct parser *parser, struct instruction *instruction)
{
    struct block block = {0};
    (void)instruction;
    if (close_block(parser, OPERATION_IF, "ELSE without IF", &block) && block.operation == OPERATION_ELSE)
        fail(parser, parser->word, "%s", "a second ELSE of one IF");
    parser->program->instructions[block.instruction].target = parser->program->instruction_count + 1;
    open_block(parser, OPERATION_ELSE);
}

static void parse_endif(struct parser *parser, struct instruction *instruction)
{
    struct block block = {0};
    (void)instruction;
    if (close_block(parser, OPERATION_IF, "ENDIF without IF", &block))
        parser->program->instructions[block.instruction].target = parser->program->instruction_count;
}

static void parse_for(struct parser *parser, struct instruction *instruction)
{
    open_block(parser, OPERATION_FOR);
    instruction->variable = variable_here(parser, NAME_NUMBER);
    if (!parser->failed && !accept(parser, "="))
        fail_expected(parser, "=");
    parse_numbers(parser, instruction);
    demand_numbers(parser, parser->word, instruction, 2, 3);
}

static void parse_next(struct parser *parser, struct instruction *instruction)
{
    struct block block = {0};
    if (!close_block(parser, OPERATION_FOR, "NEXT without FOR", &block))
        return;
    struct instruction *begin = &parser->program->instructions[block.instruction];
    begin->target = parser->program->instruction_count + 1;
    instruction->target = block.instruction;
    instruction->variable = begin->variable;
    const bool named = !at_end(parser);
    const char *name = parser->at;
    if (named && variable_here(parser, NAME_NUMBER) != instruction->variable && !parser->failed)
        fail(parser, name, "%s", "NEXT has another variable than its FOR");
}

static void parse_goto(struct parser *parser, struct instruction *instruction)
{
    instruction->target = label_of(parser);
}

/* What is held is a frame. */
static void parse_held(struct parser *parser, struct instruction *instruction)
{
    instruction->points[0] = parse_point(parser);
    if (!parser->failed && instruction->points[0].kind != POINT_FRAME)
        fail(parser, parser->word, "%s", "what is held is a frame");
}

static void parse_handle(struct parser *parser, struct instruction *instruction)
{
    const bool opens = accept(parser, "OPEN");
    instruction->operation = opens ? OPERATION_OPEN : OPERATION_CLOSE;
    if (!opens && !accept(parser, "CLOSE"))
        fail_expected(parser, "OPEN or CLOSE");
    else if (!at_end(parser))
        parse_held(parser, instruction);
}

/* How an instruction's operands look: so many numbers, or points; or as a function has it. */
static const struct word {
    const char *text;
    enum operation operation;
    uint32_t numbers[2]; /* so many, or so many */
    uint32_t points;
    void (*parse)(struct parser *parser, struct instruction *instruction);
} words[] = {
    {"MOVE", OPERATION_MOVE, {0, 0}, 0, parse_move},     {"PTP", OPERATION_PTP, {0, 0}, 1, NULL},
    {"LMOV", OPERATION_LMOV, {3, 6}, 0, NULL},           {"LPTP", OPERATION_LPTP, {0, 0}, 1, NULL},
    {"IMOV", OPERATION_IMOV, {3, 6}, 0, NULL},           {"IPTP", OPERATION_IPTP, {0, 0}, 1, NULL},
    {"CMOV", OPERATION_CMOV, {6, 9}, 0, NULL},           {"CPTP", OPERATION_CPTP, {0, 0}, 2, NULL},
    {"CIRC1", OPERATION_CIRC1, {0, 0}, 2, NULL},         {"CIRC2", OPERATION_CIRC2, {0, 0}, 2, NULL},
    {"IF", OPERATION_IF, {0, 0}, 0, parse_if},           {"ELSE", OPERATION_ELSE, {0, 0}, 0, parse_else},
    {"ENDIF", OPERATION_ENDIF, {0, 0}, 0, parse_endif},  {"FOR", OPERATION_FOR, {0, 0}, 0, parse_for},
    {"NEXT", OPERATION_NEXT, {0, 0}, 0, parse_next},     {"GOTO", OPERATION_GOTO, {0, 0}, 0, parse_goto},
    {"GOSUB", OPERATION_GOSUB, {0, 0}, 0, parse_goto},   {"RET", OPERATION_RET, {0, 0}, 0, NULL},
    {"CASE", OPERATION_CASE, {0, 0}, 0, parse_case},     {"OUT", OPERATION_OUT, {2, 2}, 0, NULL},
    {"SETT", OPERATION_SETT, {2, 2}, 0, NULL},           {"SETC", OPERATION_SETC, {2, 2}, 0, NULL},
    {"APAWD", OPERATION_APAWD, {0, 0}, 0, NULL},         {"STAWD", OPERATION_STAWD, {0, 0}, 0, NULL},
    {"HANDLE", OPERATION_OPEN, {0, 0}, 0, parse_handle}, {"GRAB", OPERATION_CLOSE, {0, 0}, 0, parse_held},
    {"WAIT", OPERATION_WAIT, {1, 1}, 0, NULL},           {"SPEED", OPERATION_SPEED, {1, 3}, 0, NULL},
    {"HOME", OPERATION_HOME, {0, 0}, 0, NULL},           {"END", OPERATION_END, {0, 0}, 0, NULL},
};

/* NAME = expression, NAME = POSE(...), NAME = JOINTS(...). */
static void parse_assignment(struct parser *parser, struct instruction *instruction)
{
    char name[LONGEST_NAME + 1];
    const size_t size = name_here(parser, name);
    const uint32_t *variable = name_map_find(&parser->variables, name);
    parser->at += size;
    (void)accept(parser, "=");
    skip_blanks(parser);
    const char *start = parser->at;
    uint32_t wanted = 1;
    instruction->operation = OPERATION_ASSIGN;
    if (accept(parser, "POSE")) {
        instruction->operation = OPERATION_ASSIGN_POSE;
        wanted = 6;
    } else if (accept(parser, "JOINTS")) {
        instruction->operation = OPERATION_ASSIGN_JOINTS;
        wanted = parser->joint_count;
    }
    if (instruction->operation != OPERATION_ASSIGN) {
        parse_brackets(parser, instruction, wanted);
    } else {
        parse_numbers(parser, instruction);
        demand_numbers(parser, start, instruction, wanted, wanted);
    }
    if (variable)
        instruction->variable = *variable / 4;
}

/* True if a name and "=" stand here, but no "==". */
static bool is_assignment(const char *at)
{
    size_t size = name_size(at);
    const char *behind = at + size + strspn(at + size, " \t");
    return size > 0 && *behind == '=';
}

static void fail_word(struct parser *parser)
{
    const char *known[sizeof words / sizeof *words + 1];
    char word[LONGEST_NAME + 1], upper[LONGEST_NAME + 1], text[3 * LONGEST_NAME];
    size_t count = 0, size = strcspn(parser->at, " \t,=(");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        known[count++] = words[i].text;
    known[count] = NULL;
    (void)snprintf(word, sizeof word, "%.*s", (int)(size < LONGEST_NAME ? size : LONGEST_NAME), parser->at);
    for (size_t i = 0; i <= strlen(word); i++)
        upper[i] = word[i] >= 'a' && word[i] <= 'z' ? (char)(word[i] - 'a' + 'A') : word[i];
    const char *near = nearest_word(upper, known);
    (void)snprintf(text, sizeof text, near ? "\"%s\"; did you mean %s?" : "\"%s\"", word, near);
    fail(parser, parser->at, "unknown instruction %s", text);
}

static void parse_instruction(struct parser *parser, struct instruction *instruction)
{
    parser->word = parser->at;
    if (is_assignment(parser->at)) {
        parse_assignment(parser, instruction);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!accept(parser, words[i].text))
            continue;
        instruction->operation = words[i].operation;
        for (uint32_t k = 0; k < words[i].points && !parser->failed; k++) {
            instruction->points[k] = parse_point(parser);
            if (k + 1 < words[i].points)
                (void)accept(parser, ",");
        }
        if (words[i].parse)
            words[i].parse(parser, instruction);
        if (words[i].numbers[1] > 0) {
            parse_numbers(parser, instruction);
            demand_numbers(parser, parser->word, instruction, words[i].numbers[0], words[i].numbers[1]);
        }
        return;
    }
    fail_word(parser);
}

/* ---- lines ---- */

/* The next line without its comment and label, in parser->line; false at the end. */
struct lines {
    const char *next, *end;
};

static bool next_line(struct parser *parser, struct lines *lines)
{
    if (lines->next >= lines->end)
        return false;
    const char *stop = memchr(lines->next, '\n', (size_t)(lines->end - lines->next)), *from = lines->next;
    size_t size = (size_t)((stop ? stop : lines->end) - from);
    lines->next = stop ? stop + 1 : lines->end;
    parser->number++;
    bool too_long = size > LONGEST_LINE;
    size = too_long ? LONGEST_LINE : size;
    memcpy(parser->line, from, size);
    parser->line[size] = '\0';
    parser->at = parser->line;
    if (too_long)
        fail(parser, NULL, "%s", "a line is longer than 1000 bytes");
    bool quoted = false;
    for (char *at = parser->line; *at; at++) {
        quoted = quoted != (*at == '"');
        if (*at == '\r' || (*at == ';' && !quoted)) {
            *at = '\0';
            break;
        }
    }
    return true;
}

/* Goes past "label:"; its size, 0 if there is none. */
static size_t skip_label(struct parser *parser, const char **label)
{
    skip_blanks(parser);
    size_t size = name_size(parser->at);
    *label = parser->at;
    const char *behind = parser->at + size + strspn(parser->at + size, " \t");
    if (size == 0 || *behind != ':')
        return 0;
    parser->at = behind + 1;
    return size;
}

static void define(struct parser *parser, struct name_map *map, const char *name, size_t size, uint32_t value)
{
    bool added;
    char *kept = arena_copy_text(parser->names_arena, name, size);
    uint32_t *place = kept ? name_map_add(map, kept, value, &added) : NULL;
    if (!place)
        parser->failed = true;
    else if (!added && map == &parser->labels)
        fail(parser, name, "the label \"%s\" stands twice", kept);
    else if (!added && *place % 4 != value % 4)
        fail(parser, name, "\"%s\" is a number, a pose and joints by turns", kept);
}

/* Names of variables and labels, and how many instructions there are. */
static void find_names(struct parser *parser, struct lines lines)
{
    struct program_text *program = parser->program;
    uint32_t instructions = 0;
    while (next_line(parser, &lines)) {
        const char *label;
        size_t size = skip_label(parser, &label);
        if (size > 0)
            define(parser, &parser->labels, label, size, instructions);
        if (at_end(parser))
            continue;
        instructions++;
        const char *name = parser->at;
        bool is_for = accept(parser, "FOR");
        skip_blanks(parser);
        name = is_for ? parser->at : name;
        if (!is_assignment(name))
            continue;
        parser->at = name + name_size(name);
        (void)accept(parser, "=");
        enum name_kind kind = is_for                     ? NAME_NUMBER
                              : accept(parser, "POSE")   ? NAME_POSE
                              : accept(parser, "JOINTS") ? NAME_JOINTS
                                                         : NAME_NUMBER;
        char text[LONGEST_NAME + 1];
        size = name_size(name);
        (void)snprintf(text, sizeof text, "%.*s", (int)(size < LONGEST_NAME ? size : LONGEST_NAME), name);
        uint32_t *count = kind == NAME_NUMBER ? &program->number_count
                          : kind == NAME_POSE ? &program->pose_count
                                              : &program->joints_count;
        const uint32_t *known = name_map_find(&parser->variables, text);
        if (known && *known % 4 == (uint32_t)kind)
            continue;
        define(parser, &parser->variables, name, size, 4 * *count + (uint32_t)kind);
        ++*count;
    }
}

static void parse_lines(struct parser *parser, struct lines lines)
{
    struct program_text *program = parser->program;
    bool any = false;
    while (next_line(parser, &lines)) {
        const char *label;
        struct instruction instruction = {.line = parser->number};
        (void)skip_label(parser, &label);
        if (at_end(parser))
            continue;
        any = any || parser->failed; /* each line says what is wrong with it */
        parser->failed = false;
        if (!array_reserve(parser->context, &program->instructions, &program->instruction_room,
                           (uint64_t)program->instruction_count + 1, sizeof instruction)) {
            parser->failed = true;
            return;
        }
        parse_instruction(parser, &instruction);
        if (!parser->failed && !at_end(parser))
            fail_expected(parser, "the end of the line");
        program->instructions[program->instruction_count++] = instruction;
    }
    parser->failed = parser->failed || any;
    if (parser->depth > 0) {
        const struct block *block = &parser->blocks[parser->depth - 1];
        parser->number = program->instructions[block->instruction].line;
        fail(parser, NULL, "%s", block->operation == OPERATION_FOR ? "FOR without NEXT" : "IF without ENDIF");
    }
}

cp_status program_parse(cp_context *context, const cp_scene *scene, const char *file, const char *text, size_t size,
                        uint32_t joint_count, struct program_text *program)
{
    *program = (struct program_text){.context = context, .file = file};
    struct parser *parser = memory_allocate_zeroed(context, 1, sizeof *parser);
    if (!parser)
        return CP_LIMIT;
    *parser = (struct parser){.program = program,
                              .context = context,
                              .scene = scene,
                              .joint_count = joint_count,
                              .names_arena = arena_new(context),
                              .variables = {.context = context},
                              .labels = {.context = context},
                              .frames = {.context = context}};
    struct lines lines = {text, text + size};
    bool good = true;
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        good = name_map_add(&parser->frames, scene->nodes[i].name, i, NULL) != NULL;
    if (good && memchr(text, '\0', size))
        (void)report_error(context, CP_INPUT, "program-zero", IN_FILE(file), "it holds a zero byte: no program");
    else if (good)
        find_names(parser, lines);
    parser->number = 0;
    bool failed = parser->failed || !good || memchr(text, '\0', size) != NULL;
    parser->failed = false;
    if (good && !memchr(text, '\0', size))
        parse_lines(parser, lines);
    failed = failed || parser->failed;
    bool memory = arena_failed(parser->names_arena) || context->out_of_memory;
    name_map_free(&parser->variables);
    name_map_free(&parser->labels);
    name_map_free(&parser->frames);
    arena_free(parser->names_arena);
    memory_free(context, parser, 1, sizeof *parser);
    return !failed ? CP_OK : memory ? CP_LIMIT : CP_INPUT;
}

void program_text_free(struct program_text *program)
{
    cp_context *context = program->context;
    memory_free(context, program->instructions, program->instruction_room, sizeof *program->instructions);
    memory_free(context, program->formulas, program->formula_room, sizeof *program->formulas);
    memory_free(context, program->comparisons, program->comparison_room, sizeof *program->comparisons);
    memory_free(context, program->steps, program->step_room, sizeof *program->steps);
    memory_free(context, program->targets, program->target_room, sizeof *program->targets);
    *program = (struct program_text){.context = context};
}

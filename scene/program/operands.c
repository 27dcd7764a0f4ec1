/* The operands behind the words of a program: numbers, points, conditions. */
#include <stdio.h>

#include "base/text/text.h"
#include "parser.h"

/* ---- words ---- */

void parser_fail(struct program_parser *parser, const char *at, const char *format, const char *what)
{
    struct place place = {
        .file = parser->program->file, .line = parser->number, .column = at ? (uint64_t)(at - parser->line) + 1 : 0};
    parser->failed = true;
    char text[300];
    (void)snprintf(text, sizeof text, "%.120s", what ? what : "");
    (void)report_error(parser->context, CP_INPUT, "program-syntax", place, format, text);
}

void parser_fail_near(struct program_parser *parser, const char *at, const char *format, const char *name,
                      const char *near)
{
    char text[3 * LONGEST_NAME];
    (void)snprintf(text, sizeof text, near ? "\"%.50s\"; did you mean %.50s?" : "\"%.100s\"", name, near);
    parser_fail(parser, at, format, text);
}

const char *parser_nearest(const struct name_map *map, const struct name_map *other, const char *name)
{
    enum { MOST = 1000 };
    const char *names[MOST + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->slot_count && count < MOST; i++)
        if (map->slots[i].key)
            names[count++] = map->slots[i].key;
    for (uint32_t i = 0; other && i < other->slot_count && count < MOST; i++)
        if (other->slots[i].key)
            names[count++] = other->slots[i].key;
    names[count] = NULL;
    return nearest_word(name, names);
}

static bool begins_name(char c)
{
    return is_letter(c) || c == '_';
}

static bool is_name_character(char c)
{
    return begins_name(c) || (c >= '0' && c <= '9');
}

void parser_skip_blanks(struct program_parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

size_t parser_name_size(const char *at)
{
    size_t size = 0;
    while (begins_name(*at) && is_name_character(at[size]))
        size++;
    return size;
}

size_t parser_name_here(struct program_parser *parser, char name[LONGEST_NAME + 1])
{
    parser_skip_blanks(parser);
    size_t size = parser_name_size(parser->at);
    (void)snprintf(name, LONGEST_NAME + 1, "%.*s", (int)(size < LONGEST_NAME ? size : LONGEST_NAME), parser->at);
    return size;
}

const uint32_t *parser_find_variable(struct program_parser *parser, const char *name, size_t size)
{
    return size > 0 && size <= LONGEST_NAME ? name_map_find(&parser->variables, name) : NULL;
}

/* Writes "found "x"" for a message: the word here, or the end of the line. */
static const char *found(struct program_parser *parser, char text[LONGEST_NAME])
{
    parser_skip_blanks(parser);
    size_t size = strcspn(parser->at, " \t,");
    if (size == 0 && *parser->at)
        size = 1;
    (void)snprintf(text, LONGEST_NAME, size > 0 ? "\"%.*s\"" : "the end of the line", (int)(size < 100 ? size : 100),
                   parser->at);
    return text;
}

void parser_fail_expected(struct program_parser *parser, const char *what)
{
    char text[LONGEST_NAME], message[2 * LONGEST_NAME];
    (void)found(parser, text);
    (void)snprintf(message, sizeof message, "expected %s, found %s", what, text);
    parser_fail(parser, parser->at, "%s", message);
}

bool parser_accept(struct program_parser *parser, const char *word)
{
    parser_skip_blanks(parser);
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

bool parser_at_end(struct program_parser *parser)
{
    parser_skip_blanks(parser);
    return !*parser->at;
}

/* ---- formulas ---- */

/* Tells whether a bracket follows the name: then it is a function's. */
static bool is_call(const char *name, size_t size, const char *end)
{
    const char *behind = name + size;
    while (behind < end && (*behind == ' ' || *behind == '\t'))
        behind++;
    return behind < end && *behind == '(';
}

/* Reads TIMER(n) or COUNTER(n) at *from: finds the variable of that reading, and moves *from behind it. False,
 * reported, if n is no number. */
static bool read_reading(struct program_parser *parser, enum operation operation, const char **from, uint32_t *variable)
{
    struct program_text *program = parser->program;
    uint64_t index = 0;
    char key[40];
    const char *at = *from + parser_name_size(*from), *digits;
    at += strspn(at, " \t") + 1; /* the bracket */
    digits = at += strspn(at, " \t");
    for (; *at >= '0' && *at <= '9' && index < UINT32_MAX; at++)
        index = 10 * index + (uint64_t)(*at - '0');
    const char *behind = at + strspn(at, " \t");
    if (at == digits || *behind != ')' || index > INT32_MAX) {
        parser_fail(parser, *from, "%s takes a whole number in brackets",
                    operation == OPERATION_SETT ? "TIMER" : "COUNTER");
        return false;
    }
    *from = behind + 1;
    (void)snprintf(key, sizeof key, "%d %u", (int)operation, (unsigned)index);
    const uint32_t *known = name_map_find(&parser->readings, key);
    if (known) {
        *variable = program->readings[*known].variable;
        return true;
    }
    /* Make room first: a name in the map must have its reading. */
    char *kept = arena_copy_text(parser->names_arena, key, strlen(key));
    if (!kept ||
        !array_reserve(parser->context, &program->readings, &program->reading_room,
                       (uint64_t)program->reading_count + 1, sizeof *program->readings) ||
        !name_map_add(&parser->readings, kept, program->reading_count, NULL)) {
        parser->failed = true;
        return false;
    }
    *variable = program->number_count++;
    program->readings[program->reading_count++] = (struct program_reading){operation, (uint32_t)index, *variable};
    return true;
}

/* Translates the name at *from for the formula's text, and moves *from behind it: a function's name stays, a number
 * becomes dof(). False, reported, if it is neither. */
static bool translate_name(struct program_parser *parser, const char **from, const char *to,
                           char text[LONGEST_NAME + 1])
{
    static const char *const known[] = {"SIN",  "COS", "TAN", "ASIN", "ACOS", "ATAN", "ATAN2",
                                        "SQRT", "ABS", "MIN", "MAX",  "PI",   NULL};
    const char *start = *from;
    const size_t whole = parser_name_size(start), size = (size_t)(to - start) < whole ? (size_t)(to - start) : whole;
    const bool calls = is_call(start, size, to);
    (void)snprintf(text, LONGEST_NAME + 1, "%.*s", (int)(size < LONGEST_NAME ? size : LONGEST_NAME), start);
    *from = start + size;
    const uint32_t *variable = parser_find_variable(parser, text, size);
    uint32_t number = variable ? *variable / 4 : 0;
    const bool timer = calls && text_equal_nocase(text, "TIMER");
    if (timer || (calls && text_equal_nocase(text, "COUNTER"))) {
        *from = start;
        if (!read_reading(parser, timer ? OPERATION_SETT : OPERATION_SETC, from, &number))
            return false;
    } else {
        for (size_t i = 0; known[i]; i++)
            if (text_equal_nocase(known[i], text) && (calls || !variable))
                return true;
        if (!variable) {
            parser_fail_near(parser, start, "nobody gives a number to %s", text,
                             parser_nearest(&parser->variables, NULL, text));
            return false;
        }
        if (*variable % 4 != NAME_NUMBER) {
            parser_fail(parser, start, "\"%s\" is no number", text);
            return false;
        }
    }
    (void)snprintf(text, LONGEST_NAME + 1, "dof(%u)", (unsigned)(number + 1));
    return true;
}

/* Appends the formula's text from `from` to `to` with numbers of dof() in place of the names of variables. */
static bool translate(struct program_parser *parser, const char *from, const char *to, char out[EXPRESSION_LONGEST + 1])
{
    size_t used = 0;
    while (from < to) {
        char name[LONGEST_NAME + 1] = {*from, '\0'};
        const char before = used > 0 ? out[used - 1] : '\0';
        size_t size = parser_name_size(from) < (size_t)(to - from) ? parser_name_size(from) : (size_t)(to - from);
        const char *part = name;
        if (size > 0 && ((before >= '0' && before <= '9') || before == '.')) { /* 1e5 */
            part = from;
            from += size;
        } else if (size > 0) {
            if (!translate_name(parser, &from, to, name))
                return false;
            size = strlen(name);
        } else {
            size = 1;
            from++;
        }
        if (used + size > EXPRESSION_LONGEST)
            return false;
        memcpy(out + used, part, size);
        used += size;
    }
    out[used] = '\0';
    return true;
}

/* Parses the formula from parser->at to `to`. */
static struct program_formula parse_formula(struct program_parser *parser, const char *to)
{
    struct program_text *program = parser->program;
    struct expression_step steps[EXPRESSION_LONGEST];
    char text[EXPRESSION_LONGEST + 1];
    struct program_formula formula = {.first_step = program->step_count};
    uint32_t count;
    size_t at;
    parser_skip_blanks(parser);
    const char *from = parser->at;
    parser->at = to;
    if (!translate(parser, from, to, text))
        return formula;
    const char *why = expression_compile(text, PI / 180, UINT32_MAX - 1, steps, &count, &at);
    if (why) {
        char shown[300];
        (void)snprintf(shown, sizeof shown, to > from ? "%.60s, in \"%.*s\"" : "%.60s", why,
                       (int)(to - from < 40 ? to - from : 40), from);
        parser_fail(parser, from, "a number or formula: %s", shown);
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

/* Returns the end of the operand that begins here: a comma outside brackets, or a word that ends it, or the line's
 * end. */
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
            size_t size = parser_name_size(at);
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

void parser_add_formula(struct program_parser *parser, struct instruction *instruction)
{
    struct program_text *program = parser->program;
    struct program_formula formula = parse_formula(parser, operand_end(parser->at, false));
    if (!array_reserve(parser->context, &program->formulas, &program->formula_room,
                       (uint64_t)program->formula_count + 1, sizeof formula)) {
        parser->failed = true;
        return;
    }
    program->formulas[program->formula_count++] = formula;
    instruction->formula_count++;
}

void parser_numbers(struct program_parser *parser, struct instruction *instruction)
{
    instruction->first_formula = parser->program->formula_count;
    if (parser_at_end(parser))
        return;
    do
        parser_add_formula(parser, instruction);
    while (!parser->failed && parser_accept(parser, ","));
}

void parser_demand_numbers(struct program_parser *parser, const char *start, const struct instruction *instruction,
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
    parser_fail(parser, start, "it takes %s", text);
}

/* ---- points ---- */

/* Finds the node of a frame's name, or of "id:ID". False, reported, if there is none, or several have the name. */
static bool find_frame(struct program_parser *parser, const char *at, const char *name, uint32_t *node)
{
    const bool by_id = strncmp(name, "id:", 3) == 0;
    const uint32_t *found = by_id ? name_map_find(&parser->ids, name + 3) : name_map_find(&parser->frames, name);
    *node = found ? *found : CP_NONE;
    if (found && *found == CP_NONE) {
        const char *ids[2] = {"", ""};
        for (uint32_t i = parser->scene->node_count; i-- > 0;)
            if (strcmp(parser->scene->nodes[i].name, name) == 0) {
                ids[1] = ids[0];
                ids[0] = parser->scene->nodes[i].id;
            }
        char text[300];
        (void)snprintf(text, sizeof text, "\"%.40s\": say id:%.40s or id:%.40s", name, ids[0], ids[1]);
        parser_fail(parser, at, "several frames are called %s", text);
    } else if (!found) {
        parser_fail_near(parser, at, "there is no point or frame %s", name,
                         by_id ? NULL : parser_nearest(&parser->frames, &parser->variables, name));
    }
    return *node != CP_NONE;
}

void parser_brackets(struct program_parser *parser, struct instruction *instruction, uint32_t wanted)
{
    parser_skip_blanks(parser);
    const char *start = parser->at;
    char *close = parser->line + (start - parser->line);
    for (int depth = 0; *close; close++) {
        depth += (*close == '(') - (*close == ')');
        if (depth <= 0)
            break;
    }
    if (!parser_accept(parser, "(")) {
        parser_fail_expected(parser, "numbers in brackets");
        return;
    }
    if (!*close) {
        parser_fail(parser, start, "%s", "the bracket is not closed");
        return;
    }
    *close = '\0';
    parser_numbers(parser, instruction);
    parser_demand_numbers(parser, start, instruction, wanted, wanted);
    if (!parser->failed)
        parser->at = close + 1;
}

struct point parser_point(struct program_parser *parser)
{
    struct point point = {0};
    struct instruction numbers = {0};
    char name[LONGEST_NAME + 1];
    parser_skip_blanks(parser);
    const char *start = parser->at;
    const bool is_pose = parser_accept(parser, "POSE");
    if ((is_pose || parser_accept(parser, "JOINTS")) && parser->at[strspn(parser->at, " \t")] == '(') {
        parser_brackets(parser, &numbers, is_pose ? 6 : parser->joint_count);
        return (struct point){is_pose ? POINT_POSE_HERE : POINT_JOINTS_HERE, numbers.first_formula};
    }
    parser->at = start;
    bool quoted = *start == '"';
    size_t size = quoted ? strcspn(start + 1, "\"") : strcspn(start, " \t,");
    if (size == 0 || size > LONGEST_NAME || (quoted && start[1 + size] != '"')) {
        parser_fail_expected(parser, "a point: a variable or a frame");
        return point;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)size, start + quoted);
    parser->at = start + size + (quoted ? 2 : 0);
    const uint32_t *variable = quoted ? NULL : name_map_find(&parser->variables, name);
    if (variable && *variable % 4 != NAME_NUMBER)
        return (struct point){*variable % 4 == NAME_POSE ? POINT_POSE : POINT_JOINTS, *variable / 4};
    if (variable)
        parser_fail(parser, start, "\"%s\" is a number, no point", name);
    else if (find_frame(parser, start, name, &point.index))
        point.kind = POINT_FRAME;
    return point;
}

/* ---- conditions ---- */

void parser_condition(struct program_parser *parser, struct instruction *instruction)
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
            if (parser_accept(parser, signs[i].text))
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
        is_and = parser_accept(parser, "AND");
    } while (!parser->failed && (is_and || parser_accept(parser, "OR")));
}

void parser_skip_condition(struct program_parser *parser)
{
    const char *start = parser->at;
    if (parser_is_assignment(start) || !parser_accept(parser, "IF"))
        return;
    while (*parser->at && !parser_accept(parser, "THEN")) {
        const char *end = operand_end(parser->at, true);
        parser->at = end > parser->at || !*end ? end : end + 1;
    }
    if (parser_at_end(parser))
        parser->at = start;
}

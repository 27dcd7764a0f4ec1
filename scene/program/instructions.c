/* The words of programs, and the operands of each. */
#include <stdio.h>

#include "base/text/text.h"
#include "parser.h"

static uint32_t label_of(struct program_parser *parser)
{
    parser_skip_blanks(parser);
    size_t size = parser_name_size(parser->at);
    const char *start = parser->at;
    char name[LONGEST_NAME + 1];
    if (size == 0 || size > LONGEST_NAME) {
        parser_fail_expected(parser, "a label");
        return 0;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)size, start);
    parser->at += size;
    const uint32_t *label = name_map_find(&parser->labels, name);
    if (!label)
        parser_fail_near(parser, start, "there is no label %s", name, parser_nearest(&parser->labels, NULL, name));
    return label ? *label : 0;
}

static void open_block(struct program_parser *parser, enum operation operation)
{
    if (parser->depth == DEEPEST_BLOCK) {
        parser_fail(parser, parser->line, "%s", "blocks are nested too deeply");
        return;
    }
    parser->blocks[parser->depth++] = (struct program_block){parser->program->instruction_count, operation, false};
}

/* Closes the block that the word belongs to; false, reported, if another one is open. */
static bool close_block(struct program_parser *parser, enum operation operation, const char *what,
                        struct program_block *block)
{
    if (parser->depth == 0 ||
        (parser->blocks[parser->depth - 1].operation != operation &&
         !(operation == OPERATION_IF && parser->blocks[parser->depth - 1].operation == OPERATION_ELSE))) {
        parser_fail(parser, parser->line + strspn(parser->line, " \t"), "%s", what);
        return false;
    }
    *block = parser->blocks[--parser->depth];
    return true;
}

static uint32_t variable_here(struct program_parser *parser, enum name_kind kind)
{
    char name[LONGEST_NAME + 1];
    const size_t size = parser_name_here(parser, name);
    const uint32_t *variable = parser_find_variable(parser, name, size);
    if (!variable || *variable % 4 != kind) {
        parser_fail_expected(parser, "the name of a number");
        return 0;
    }
    parser->at += size;
    return *variable / 4;
}

static void parse_case(struct program_parser *parser, struct instruction *instruction)
{
    struct program_text *program = parser->program;
    instruction->first_formula = program->formula_count;
    parser_add_formula(parser, instruction);
    instruction->first_target = program->target_count;
    while (!parser->failed && parser_accept(parser, ",")) {
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
        parser_fail_expected(parser, "a comma and a label");
}

static void parse_move(struct program_parser *parser, struct instruction *instruction)
{
    char name[LONGEST_NAME + 1];
    const size_t size = parser_name_here(parser, name);
    const uint32_t *variable = parser_find_variable(parser, name, size);
    const bool is_point = variable ? *variable % 4 != NAME_NUMBER
                                   : text_equal_nocase(name, "POSE") || text_equal_nocase(name, "JOINTS") ||
                                         *parser->at == '"' || strncmp(parser->at, "id:", 3) == 0 ||
                                         name_map_find(&parser->frames, name);
    if (is_point) {
        instruction->points[0] = parser_point(parser);
        return;
    }
    parser_numbers(parser, instruction);
    parser_demand_numbers(parser, parser->word, instruction, parser->joint_count, parser->joint_count);
}

/* IF alone begins a block; if an instruction follows THEN, that instruction has the condition. */
static void parse_if(struct program_parser *parser, struct instruction *instruction)
{
    static const char *const blocks[] = {"IF", "ELSE", "ENDIF", "FOR", "NEXT"};
    parser_condition(parser, instruction);
    if (!parser->failed && !parser_accept(parser, "THEN"))
        parser_fail_expected(parser, "THEN");
    if (parser->failed || parser_at_end(parser)) {
        const bool failed = parser->failed;
        open_block(parser, OPERATION_IF);
        if (failed && parser->depth > 0)
            parser->blocks[parser->depth - 1].excused = true;
        return;
    }
    const char *start = parser->at;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks && !parser_is_assignment(start); i++)
        if (parser_accept(parser, blocks[i])) {
            parser_fail(parser, start, "%s behind THEN: it stands in a line of its own", blocks[i]);
            return;
        }
    parser_instruction(parser, instruction);
}

static void parse_else(struct program_parser *parser, struct instruction *instruction)
{
    struct program_block block = {0};
    (void)instruction;
    const bool begun = close_block(parser, OPERATION_IF, "ELSE without IF", &block);
    if (begun && block.operation == OPERATION_ELSE)
        parser_fail(parser, parser->word, "%s", "a second ELSE of one IF");
    parser->program->instructions[block.instruction].target = parser->program->instruction_count + 1;
    open_block(parser, OPERATION_ELSE);
    if (!begun && parser->depth > 0)
        parser->blocks[parser->depth - 1].excused = true;
}

static void parse_endif(struct program_parser *parser, struct instruction *instruction)
{
    struct program_block block = {0};
    (void)instruction;
    if (close_block(parser, OPERATION_IF, "ENDIF without IF", &block))
        parser->program->instructions[block.instruction].target = parser->program->instruction_count;
}

static void parse_for(struct program_parser *parser, struct instruction *instruction)
{
    open_block(parser, OPERATION_FOR);
    instruction->variable = variable_here(parser, NAME_NUMBER);
    if (!parser->failed && !parser_accept(parser, "="))
        parser_fail_expected(parser, "=");
    if (parser->failed)
        return;
    parser_numbers(parser, instruction);
    parser_demand_numbers(parser, parser->word, instruction, 2, 3);
}

static void parse_next(struct program_parser *parser, struct instruction *instruction)
{
    struct program_block block = {0};
    if (!close_block(parser, OPERATION_FOR, "NEXT without FOR", &block))
        return;
    struct instruction *begin = &parser->program->instructions[block.instruction];
    begin->target = parser->program->instruction_count + 1;
    instruction->target = block.instruction;
    instruction->variable = begin->variable;
    const bool named = !parser_at_end(parser);
    const char *name = parser->at;
    if (named && variable_here(parser, NAME_NUMBER) != instruction->variable && !parser->failed)
        parser_fail(parser, name, "%s", "NEXT has another variable than its FOR");
}

static void parse_goto(struct program_parser *parser, struct instruction *instruction)
{
    instruction->target = label_of(parser);
}

/* SPEED with % sets the speed of joint motion. */
static void parse_speed(struct program_parser *parser, struct instruction *instruction)
{
    char *percent = strchr(parser->line + (parser->at - parser->line), '%');
    if (percent)
        *percent = '\0';
    parser_numbers(parser, instruction);
    parser_demand_numbers(parser, parser->word, instruction, 1, percent ? 1 : 3);
    if (percent && !parser->failed) {
        instruction->operation = OPERATION_JOINT_SPEED;
        parser->at = percent + 1;
    }
}

/* Parses the frame that is held. */
static void parse_held(struct program_parser *parser, struct instruction *instruction)
{
    instruction->points[0] = parser_point(parser);
    if (!parser->failed && instruction->points[0].kind != POINT_FRAME)
        parser_fail(parser, parser->word, "%s", "what is held is a frame");
}

static void parse_handle(struct program_parser *parser, struct instruction *instruction)
{
    const bool opens = parser_accept(parser, "OPEN");
    instruction->operation = opens ? OPERATION_OPEN : OPERATION_CLOSE;
    if (!opens && !parser_accept(parser, "CLOSE"))
        parser_fail_expected(parser, "OPEN or CLOSE");
    else if (!parser_at_end(parser))
        parse_held(parser, instruction);
}

/* The operands of an instruction: so many numbers, or points, or a form that a function parses. */
static const struct word {
    const char *text;
    enum operation operation;
    uint32_t numbers[2]; /* either so many, or so many */
    uint32_t points;
    void (*parse)(struct program_parser *parser, struct instruction *instruction);
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
    {"WAIT", OPERATION_WAIT, {1, 1}, 0, NULL},           {"SPEED", OPERATION_SPEED, {0, 0}, 0, parse_speed},
    {"HOME", OPERATION_HOME, {0, 0}, 0, NULL},           {"END", OPERATION_END, {0, 0}, 0, NULL},
};

/* NAME = expression, NAME = POSE(...), NAME = JOINTS(...). */
static void parse_assignment(struct program_parser *parser, struct instruction *instruction)
{
    char name[LONGEST_NAME + 1];
    const size_t size = parser_name_here(parser, name);
    const uint32_t *variable = parser_find_variable(parser, name, size);
    parser->at += size;
    (void)parser_accept(parser, "=");
    parser_skip_blanks(parser);
    const char *start = parser->at;
    uint32_t wanted = 1;
    instruction->operation = OPERATION_ASSIGN;
    if (parser_accept(parser, "POSE")) {
        instruction->operation = OPERATION_ASSIGN_POSE;
        wanted = 6;
    } else if (parser_accept(parser, "JOINTS")) {
        instruction->operation = OPERATION_ASSIGN_JOINTS;
        wanted = parser->joint_count;
    }
    if (instruction->operation != OPERATION_ASSIGN) {
        parser_brackets(parser, instruction, wanted);
    } else {
        parser_numbers(parser, instruction);
        parser_demand_numbers(parser, start, instruction, wanted, wanted);
    }
    if (variable)
        instruction->variable = *variable / 4;
    else /* find_names reported it already */
        parser->failed = true;
}

bool parser_is_assignment(const char *at)
{
    size_t size = parser_name_size(at);
    const char *behind = at + size + strspn(at + size, " \t");
    return size > 0 && *behind == '=';
}

static void fail_word(struct program_parser *parser)
{
    const char *known[sizeof words / sizeof *words + 1];
    char word[LONGEST_NAME + 1], upper[LONGEST_NAME + 1];
    size_t count = 0, size = strcspn(parser->at, " \t,=(");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        known[count++] = words[i].text;
    known[count] = NULL;
    if (size == 0) {
        parser_fail_expected(parser, "an instruction");
        return;
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)(size < LONGEST_NAME ? size : LONGEST_NAME), parser->at);
    for (size_t i = 0; i <= strlen(word); i++)
        upper[i] = word[i] >= 'a' && word[i] <= 'z' ? (char)(word[i] - 'a' + 'A') : word[i];
    parser_fail_near(parser, parser->at, "unknown instruction %s", word, nearest_word(upper, known));
}

void parser_instruction(struct program_parser *parser, struct instruction *instruction)
{
    parser->word = parser->at;
    if (parser_is_assignment(parser->at)) {
        parse_assignment(parser, instruction);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!parser_accept(parser, words[i].text))
            continue;
        instruction->operation = words[i].operation;
        for (uint32_t k = 0; k < words[i].points && !parser->failed; k++) {
            const char *start = parser->at + strspn(parser->at, " \t");
            instruction->points[k] = parser_point(parser);
            const enum point_kind kind = instruction->points[k].kind;
            if (instruction->operation != OPERATION_PTP && (kind == POINT_JOINTS || kind == POINT_JOINTS_HERE))
                parser_fail(parser, start, "%s", "JOINTS are no point in space: PTP and MOVE take them");
            if (k + 1 < words[i].points)
                (void)parser_accept(parser, ",");
        }
        if (words[i].parse)
            words[i].parse(parser, instruction);
        if (words[i].numbers[1] > 0) {
            parser_numbers(parser, instruction);
            parser_demand_numbers(parser, parser->word, instruction, words[i].numbers[0], words[i].numbers[1]);
        }
        return;
    }
    fail_word(parser);
}

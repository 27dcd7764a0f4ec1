/* Programs, line by line. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "parser.h"

/* The next line without its comment and label, in parser->line; false at the end. */
struct lines {
    const char *next, *end;
};

static bool next_line(struct program_parser *parser, struct lines *lines)
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
    if (too_long && !parser->naming)
        parser_fail(parser, NULL, "%s", "a line is longer than 1000 bytes");
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

/* Skips "label:"; returns its size, 0 if there is none. */
static size_t skip_label(struct program_parser *parser, const char **label)
{
    parser_skip_blanks(parser);
    size_t size = parser_name_size(parser->at);
    *label = parser->at;
    const char *behind = parser->at + size + strspn(parser->at + size, " \t");
    if (size == 0 || *behind != ':')
        return 0;
    parser->at = behind + 1;
    return size;
}

static void define(struct program_parser *parser, struct name_map *map, const char *name, size_t size, uint32_t value)
{
    bool added;
    char *kept = arena_copy_text(parser->names_arena, name, size);
    uint32_t *place = kept ? name_map_add(map, kept, value, &added) : NULL;
    if (!place)
        parser->failed = true;
    else if (!added && map == &parser->labels)
        parser_fail(parser, name, "the label \"%s\" stands twice", kept);
    else if (!added && *place % 4 != value % 4)
        parser_fail(parser, name, "\"%s\" is a number, a pose and joints by turns", kept);
}

/* Finds the names of variables and labels, and counts the instructions. */
static void find_names(struct program_parser *parser, struct lines lines)
{
    struct program_text *program = parser->program;
    uint32_t instructions = 0;
    while (next_line(parser, &lines)) {
        const char *label;
        size_t size = skip_label(parser, &label);
        if (size > 0)
            define(parser, &parser->labels, label, size, instructions);
        if (parser_at_end(parser))
            continue;
        instructions++;
        parser_skip_condition(parser);
        const char *name = parser->at;
        const bool is_for = !parser_is_assignment(name) && parser_accept(parser, "FOR");
        parser_skip_blanks(parser);
        name = is_for ? parser->at : name;
        if (!parser_is_assignment(name))
            continue;
        parser->at = name + parser_name_size(name);
        (void)parser_accept(parser, "=");
        enum name_kind kind = is_for                            ? NAME_NUMBER
                              : parser_accept(parser, "POSE")   ? NAME_POSE
                              : parser_accept(parser, "JOINTS") ? NAME_JOINTS
                                                                : NAME_NUMBER;
        char text[LONGEST_NAME + 1];
        size = parser_name_size(name);
        if (size > LONGEST_NAME) {
            parser_fail(parser, name, "%s", "a name is longer than 200 bytes");
            continue;
        }
        (void)snprintf(text, sizeof text, "%.*s", (int)size, name);
        if (text_equal_nocase(text, "PI")) {
            parser_fail(parser, name, "\"%s\" is a constant: nothing is assigned to it", text);
            continue;
        }
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

static void parse_lines(struct program_parser *parser, struct lines lines)
{
    struct program_text *program = parser->program;
    bool any = false;
    while (next_line(parser, &lines)) {
        const char *label;
        struct instruction instruction = {.line = parser->number};
        (void)skip_label(parser, &label);
        if (parser_at_end(parser))
            continue;
        any = any || parser->failed; /* each line reports its own error */
        parser->failed = false;
        if (!array_reserve(parser->context, &program->instructions, &program->instruction_room,
                           (uint64_t)program->instruction_count + 1, sizeof instruction)) {
            parser->failed = true;
            return;
        }
        parser_instruction(parser, &instruction);
        if (!parser->failed && !parser_at_end(parser))
            parser_fail_expected(parser, "the end of the line");
        program->instructions[program->instruction_count++] = instruction;
    }
    parser->failed = parser->failed || any;
    const struct program_block *block = parser->depth > 0 ? &parser->blocks[parser->depth - 1] : NULL;
    if (block && !block->excused) {
        parser->number = program->instructions[block->instruction].line;
        parser_fail(parser, NULL, "%s", block->operation == OPERATION_FOR ? "FOR without NEXT" : "IF without ENDIF");
    }
}

int compare_readings(const void *one, const void *other)
{
    const struct program_reading *a = one, *b = other;
    if (a->operation != b->operation)
        return a->operation < b->operation ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool list_frames(struct program_parser *parser)
{
    const cp_scene *scene = parser->scene;
    bool good = true;
    for (uint32_t i = 0; i < scene->node_count && good; i++) {
        bool added;
        uint32_t *place = name_map_add(&parser->frames, scene->nodes[i].name, i, &added);
        good = place && name_map_add(&parser->ids, scene->nodes[i].id, i, NULL);
        if (good && !added)
            *place = CP_NONE;
    }
    return good;
}

cp_status program_parse(cp_context *context, const cp_scene *scene, const char *file, const char *text, size_t size,
                        uint32_t joint_count, struct program_text *program)
{
    *program = (struct program_text){.context = context, .file = file};
    struct program_parser *parser = memory_allocate_zeroed(context, 1, sizeof *parser);
    if (!parser)
        return CP_LIMIT;
    *parser = (struct program_parser){.program = program,
                                      .context = context,
                                      .scene = scene,
                                      .joint_count = joint_count,
                                      .names_arena = arena_new(context),
                                      .variables = {.context = context},
                                      .labels = {.context = context},
                                      .readings = {.context = context},
                                      .frames = {.context = context},
                                      .ids = {.context = context}};
    const size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of byte order */
    struct lines lines = {text + mark, text + size};
    bool good = list_frames(parser);
    if (good && memchr(text, '\0', size))
        (void)report_error(context, CP_INPUT, "program-zero", IN_FILE(file), "it holds a zero byte: no program");
    parser->naming = true;
    if (good && !memchr(text, '\0', size))
        find_names(parser, lines);
    parser->naming = false;
    parser->number = 0;
    bool failed = parser->failed || !good || memchr(text, '\0', size) != NULL;
    parser->failed = false;
    if (good && !memchr(text, '\0', size))
        parse_lines(parser, lines);
    failed = failed || parser->failed;
    if (program->reading_count > 0)
        qsort(program->readings, program->reading_count, sizeof *program->readings, compare_readings);
    bool memory = arena_failed(parser->names_arena) || context->report.out_of_memory;
    name_map_free(&parser->variables);
    name_map_free(&parser->labels);
    name_map_free(&parser->readings);
    name_map_free(&parser->frames);
    name_map_free(&parser->ids);
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
    memory_free(context, program->readings, program->reading_room, sizeof *program->readings);
    *program = (struct program_text){.context = context};
}

/* Makes tags of tokens. The grammar is RobWork's (loaders/tul/Tag.cpp); docs/tag.md writes it down. */
#include <string.h>

#include "base/text/text.h"
#include "tag.h"

/* The limit of the bytes of further files, each as often as it is included; no real cell has so many. */
static const uint64_t most_bytes = UINT64_C(1) << 32;

struct parser {
    struct tag_list *list;
    struct tag_lexer *lexers; /* the file being read, and below it those that include it */
    uint32_t lexer_count, lexer_room;
    /* These are scratch of the current tag. */
    struct tag_attribute *attributes;
    struct tag_value *values;
    double *numbers;
    uint32_t attribute_count, attribute_room, value_count, value_room, number_count, number_room;
    struct name_map keys;
    cp_status status;
};

#define RESERVE(context, items, room, count) array_reserve(context, &(items), &(room), count, sizeof *(items))

const char *tag_path(struct arena *arena, const struct tag_text *name)
{
    char *path = arena_copy_text(arena, name->raw, strlen(name->raw));
    for (char *character = path; character && *character; character++)
        if (*character == '\\')
            *character = '/';
    return path;
}

cp_status tag_open(uint64_t *bytes, const struct tag_file *from, const char *path, struct source **opened)
{
    cp_status status = source_open(from->source, path, opened);
    if (status != CP_OK)
        return status;
    *bytes += (*opened)->size;
    if (*bytes <= most_bytes)
        return CP_OK;
    source_close(*opened);
    return report_error(from->source->context, CP_LIMIT, "tag-limit", IN_FILE(from->name),
                        "the further files have more than 4 GiB");
}

/* Puts a lexer of the file on top, before its first token. */
static cp_status enter_file(struct parser *parser, struct source *source)
{
    struct tag_list *list = parser->list;
    cp_context *context = list->context;
    struct tag_file *file = arena_allocate(list->names, 1, sizeof *file);
    const char *name = arena_copy_text(list->names, source->name, strlen(source->name));
    if (!file || !name || !RESERVE(context, parser->lexers, parser->lexer_room, parser->lexer_count + UINT64_C(1)))
        return CP_LIMIT;
    *file = (struct tag_file){name, source};
    if (source->ends_early)
        return report_error(context, CP_INPUT, "tag-truncated", IN_FILE(name), "the file ends early, after %zu bytes",
                            source->size);
    if (!source->size)
        return report_error(context, CP_INPUT, "tag-empty", IN_FILE(name), "the file is empty");
    struct tag_lexer *lexer = &parser->lexers[parser->lexer_count++];
    tag_lexer_start(lexer, context, file);

    /* Editors on Windows put a byte order mark before UTF-8; RobWork fails on it. */
    cp_status status = CP_OK;
    if (source->size >= 3 && !memcmp(lexer->next, "\xef\xbb\xbf", 3)) {
        lexer->next += 3;
        lexer->line_start += 3;
        status = report_lenient(context, list->strict, "tag-bom", AT_LINE(name, 1),
                                "the file begins with a byte order mark, which RobWork does not read");
    }
    if (status == CP_OK)
        tag_lexer_next(lexer);
    return status;
}

/* Makes a text of a token; returns false if out of memory. */
static bool make_text(struct parser *parser, const struct tag_token *token, struct tag_text *text)
{
    text->text = utf8_from(parser->list->arena, token->start, token->size, &text->raw);
    if (!text->raw)
        text->raw = text->text;
    return text->text;
}

/* A number, a string, or '(' number (',' number)* ')', all on one line. */
static cp_status parse_value(struct parser *parser, struct tag_lexer *lexer, struct tag_value *value)
{
    struct tag_list *list = parser->list;
    const struct tag_token *token = &lexer->token;
    *value = (struct tag_value){.kind = TAG_VALUE_NUMBER, .number = token->number};
    if (token->kind == TAG_STRING) {
        value->kind = TAG_VALUE_STRING;
        if (!make_text(parser, token, &value->string))
            return CP_LIMIT;
    } else if (token->kind == TAG_OPEN_LIST) {
        parser->number_count = 0;
        do {
            tag_lexer_next(lexer);
            if (token->kind != TAG_NUMBER)
                return tag_lexer_expected(lexer, "a number in the list");
            if (!RESERVE(list->context, parser->numbers, parser->number_room, parser->number_count + UINT64_C(1)))
                return CP_LIMIT;
            parser->numbers[parser->number_count++] = token->number;
            tag_lexer_next(lexer);
        } while (token->kind == TAG_COMMA);
        if (token->kind != TAG_CLOSE_LIST)
            return tag_lexer_expected(lexer, "',' or ')' in the list");
        value->kind = TAG_VALUE_LIST;
        value->list_count = parser->number_count;
        value->list = arena_copy(list->arena, parser->numbers, parser->number_count, sizeof(double));
        if (!value->list)
            return CP_LIMIT;
    }
    tag_lexer_next(lexer);
    return lexer->status;
}

/* key value* nl; the newline is left to the caller. */
static cp_status parse_attribute(struct parser *parser, struct tag_lexer *lexer, struct tag_attribute *attribute)
{
    struct tag_list *list = parser->list;
    const struct tag_token *token = &lexer->token;
    *attribute = (struct tag_attribute){.line = token->line, .column = token->column};
    attribute->key = arena_copy_text(list->arena, token->start, token->size);
    if (!attribute->key)
        return CP_LIMIT;
    tag_lexer_next(lexer);
    parser->value_count = 0;
    while (token->kind == TAG_NUMBER || token->kind == TAG_STRING || token->kind == TAG_OPEN_LIST) {
        if (!RESERVE(list->context, parser->values, parser->value_room, parser->value_count + UINT64_C(1)))
            return CP_LIMIT;
        cp_status status = parse_value(parser, lexer, &parser->values[parser->value_count]);
        if (status != CP_OK)
            return status;
        parser->value_count++;
    }
    attribute->value_count = parser->value_count;
    attribute->values = arena_copy(list->arena, parser->values, parser->value_count, sizeof *parser->values);
    return attribute->values ? lexer->status : CP_LIMIT;
}

static cp_status expect_newlines(struct tag_lexer *lexer, const char *what)
{
    if (lexer->token.kind != TAG_NEWLINE)
        return tag_lexer_expected(lexer, what);
    while (lexer->token.kind == TAG_NEWLINE)
        tag_lexer_next(lexer);
    return lexer->status;
}

/* Adds an attribute. If the tag has its key twice, the last one with values counts. */
static cp_status add_attribute(struct parser *parser, const struct tag_lexer *lexer,
                               const struct tag_attribute *attribute)
{
    cp_context *context = parser->list->context;
    bool added;
    uint32_t *index = name_map_add(&parser->keys, attribute->key, parser->attribute_count, &added);
    if (!index ||
        (added && !RESERVE(context, parser->attributes, parser->attribute_room, parser->attribute_count + UINT64_C(1))))
        return CP_LIMIT;
    struct tag_attribute *kept = &parser->attributes[*index];
    if (added) {
        parser->attribute_count++;
        *kept = *attribute;
        return CP_OK;
    }
    if (!attribute->value_count)
        return CP_OK;
    unsigned long long line = kept->line;
    bool ignored = kept->value_count > 0;
    *kept = *attribute;
    if (!ignored)
        return CP_OK;
    return report_lenient(
        context, parser->list->strict, "tag-repeated",
        (struct place){.file = lexer->file->name, .line = attribute->line, .column = attribute->column},
        "%s is in the tag twice; the values of line %llu are ignored", attribute->key, line);
}

/* '{' nl* "name" nl+ attribute* '}' */
static cp_status parse_tag(struct parser *parser, struct tag_lexer *lexer)
{
    struct tag_list *list = parser->list;
    const struct tag_token *token = &lexer->token;
    do
        tag_lexer_next(lexer);
    while (token->kind == TAG_NEWLINE);
    if (token->kind != TAG_STRING)
        return tag_lexer_expected(lexer, "the tag's name in quotes");
    struct tag tag = {.file = lexer->file, .line = token->line, .column = token->column};
    if (!make_text(parser, token, &tag.name))
        return CP_LIMIT;
    tag_lexer_next(lexer);
    cp_status status = expect_newlines(lexer, "a new line after the tag's name");

    parser->attribute_count = 0;
    parser->keys = (struct name_map){.context = list->context};
    while (status == CP_OK && token->kind == TAG_WORD) {
        struct tag_attribute attribute;
        status = parse_attribute(parser, lexer, &attribute);
        if (status == CP_OK)
            status = expect_newlines(lexer, "a value or the end of the line");
        if (status == CP_OK)
            status = add_attribute(parser, lexer, &attribute);
    }
    name_map_free(&parser->keys);
    if (status == CP_OK && token->kind != TAG_CLOSE_BRACE)
        status = tag_lexer_expected(lexer, "an attribute or '}'");
    if (status != CP_OK)
        return status;

    tag.attribute_count = parser->attribute_count;
    tag.attributes = arena_copy(list->arena, parser->attributes, parser->attribute_count, sizeof *parser->attributes);
    if (!tag.attributes || !RESERVE(list->context, list->tags, list->room, list->count + UINT64_C(1)))
        return CP_LIMIT;
    list->tags[list->count++] = tag;
    tag_lexer_next(lexer);
    return lexer->status;
}

/* File "path": the lexer of the further file goes on top, so `lexer` is not to be used after this. */
static cp_status parse_include(struct parser *parser, struct tag_lexer *lexer)
{
    struct tag_list *list = parser->list;
    tag_lexer_next(lexer);
    if (lexer->token.kind != TAG_STRING)
        return tag_lexer_expected(lexer, "the file's name in quotes");
    struct place place = {.file = lexer->file->name, .line = lexer->token.line, .column = lexer->token.column};
    struct tag_text name;
    const char *path = make_text(parser, &lexer->token, &name) ? tag_path(list->arena, &name) : NULL;
    if (!path)
        return CP_LIMIT;
    tag_lexer_next(lexer);
    if (lexer->status != CP_OK)
        return lexer->status;
    if (!RESERVE(list->context, list->includes, list->include_room, list->include_count + UINT64_C(1)))
        return CP_LIMIT;
    struct source *source;
    cp_status status = tag_open(list->bytes, lexer->file, path, &source);
    if (status == CP_NO)
        return report_error(list->context, CP_INPUT, "tag-open", place, "cannot open the included file \"%s\"",
                            name.text);
    if (status != CP_OK)
        return status;
    list->includes[list->include_count++] = source;
    return enter_file(parser, source);
}

static bool token_is(const struct tag_lexer *lexer, const char *word)
{
    return lexer->token.kind == TAG_WORD && strlen(word) == lexer->token.size &&
           !memcmp(word, lexer->token.start, lexer->token.size);
}

/* Parses a line with one value of that kind. */
static cp_status parse_header(struct parser *parser, struct tag_lexer *lexer, enum tag_value_kind kind)
{
    struct tag_list *list = parser->list;
    struct tag_attribute attribute;
    cp_status status = parse_attribute(parser, lexer, &attribute);
    if (status != CP_OK)
        return status;
    if (attribute.value_count != 1 || attribute.values->kind != kind)
        return report_error(
            list->context, CP_INPUT, "tag-header",
            (struct place){.file = lexer->file->name, .line = attribute.line, .column = attribute.column},
            "the header %s needs one %s", attribute.key, kind == TAG_VALUE_STRING ? "string" : "number");
    if (!RESERVE(list->context, list->headers, list->header_room, list->header_count + UINT64_C(1)))
        return CP_LIMIT;
    list->headers[list->header_count++] = attribute;
    return expect_newlines(lexer, "a new line after the header");
}

/* Parses one header, tag or include, or the end of the file on top. */
static cp_status parse_item(struct parser *parser)
{
    static const struct {
        const char *key;
        enum tag_value_kind kind;
    } headers[] = {{"NameOfData", TAG_VALUE_STRING},
                   {"DateOfData", TAG_VALUE_STRING},
                   {"TypeOfData", TAG_VALUE_STRING},
                   {"Scale", TAG_VALUE_NUMBER},
                   {"NrOfFrames", TAG_VALUE_NUMBER}};
    struct tag_lexer *lexer = &parser->lexers[parser->lexer_count - 1];
    while (lexer->token.kind == TAG_NEWLINE)
        tag_lexer_next(lexer);
    if (lexer->token.kind == TAG_END) {
        parser->lexer_count--;
        return lexer->status;
    }
    for (size_t i = 0; !lexer->headers_over && i < sizeof headers / sizeof *headers; i++)
        if (token_is(lexer, headers[i].key))
            return parse_header(parser, lexer, headers[i].kind);
    bool include = token_is(lexer, "File");
    if (!include && lexer->token.kind != TAG_OPEN_BRACE)
        return tag_lexer_expected(lexer, lexer->headers_over ? "'{' or File" : "'{', File or a header line");
    lexer->headers_over = true;
    return include ? parse_include(parser, lexer) : parse_tag(parser, lexer);
}

cp_status tag_parse(struct tag_list *list, struct source *source)
{
    struct parser parser = {.list = list};
    list->arena = arena_new(list->context);
    cp_status status = list->arena ? enter_file(&parser, source) : CP_LIMIT;
    while (status == CP_OK && parser.lexer_count)
        status = parse_item(&parser);
    memory_free(list->context, parser.lexers, parser.lexer_room, sizeof *parser.lexers);
    memory_free(list->context, parser.attributes, parser.attribute_room, sizeof *parser.attributes);
    memory_free(list->context, parser.values, parser.value_room, sizeof *parser.values);
    memory_free(list->context, parser.numbers, parser.number_room, sizeof *parser.numbers);
    return status;
}

void tag_list_free(struct tag_list *list)
{
    while (list->include_count)
        source_close(list->includes[--list->include_count]);
    memory_free(list->context, list->includes, list->include_room, sizeof *list->includes);
    memory_free(list->context, list->tags, list->room, sizeof *list->tags);
    memory_free(list->context, list->headers, list->header_room, sizeof *list->headers);
    arena_free(list->arena);
    list->arena = NULL;
}

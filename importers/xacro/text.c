/* Texts with ${expressions} and $(substitutions), and the arguments of a document. */
#include "expand.h"

#include <limits.h>
#include <stdlib.h>

#include "base/text/text.h"

/* Counts bytes that a text is evaluated to. */
static cp_status count_text(struct xacro *xacro, size_t size)
{
    xacro->text_size += size;
    return xacro->text_size <= MOST_TEXT
               ? CP_OK
               : report_error(xacro->context, CP_LIMIT, "xacro-size", xml_node_place(xacro->at),
                              "the document expands to more than %d MB of text", (int)(MOST_TEXT >> 20));
}

/* Copies a buffer's text into the arena, and frees the buffer. */
static cp_status keep_text(struct xacro *xacro, struct buffer *text, struct value *value)
{
    cp_status status = text->failed ? CP_LIMIT : count_text(xacro, text->size);
    char *kept = status == CP_OK ? arena_copy_text(xacro->arena, text->data ? text->data : "", text->size) : NULL;
    *value = value_of_text(kept, text->size);
    buffer_free(text);
    return status == CP_OK && !kept ? CP_LIMIT : status;
}

static cp_status print_value(struct xacro *xacro, const struct value *value, const char **result)
{
    struct buffer text = {.context = xacro->context};
    struct value printed = *value;
    cp_status status = CP_OK;
    if (value->kind != VALUE_TEXT) {
        value_print(value, &text);
        status = keep_text(xacro, &text, &printed);
    }
    *result = printed.text.bytes;
    return status;
}

/* ---- $(substitutions) ---- */

static cp_status refuse(struct xacro *xacro, const char *what, const char *why)
{
    return report_error(xacro->context, CP_INPUT, "xacro-substitution", xml_node_place(xacro->at), "$(%.100s): %s",
                        what, why);
}

/* $(env NAME), or $(optenv NAME words of a default). What the machine's environment says is read on request alone. */
static cp_status read_environment(struct xacro *xacro, const char *what, const char *name, const char *otherwise,
                                  struct value *value)
{
    const char *found = xacro->settings->environment ? getenv(name) : NULL;
    if (!found && !otherwise)
        return refuse(xacro, what,
                      xacro->settings->environment ? "the environment has no such variable"
                                                   : "the environment is not read (env=yes reads it)");
    if (!xacro->settings->environment && !xacro->warned_of_environment) {
        report_warning(xacro->context, "xacro-environment", xml_node_place(xacro->at),
                       "$(%.100s): the environment is not read, and its default is taken (env=yes reads it)", what);
        xacro->warned_of_environment = true;
    }
    if (found && !utf8_valid(found, strlen(found)))
        return refuse(xacro, what, "the variable is not UTF-8");
    found = found ? found : otherwise;
    struct buffer text = {.context = xacro->context};
    buffer_text(&text, found);
    return keep_text(xacro, &text, value);
}

enum substitution {
    ARGUMENT,
    PACKAGE,
    VARIABLE,
    OPTIONAL_VARIABLE,
    EXPRESSION,
    FILE_FOLDER,
    FOLDER,
    SUBSTITUTION_COUNT
};
static const struct {
    const char *word;
    int least, most; /* words behind it */
} substitutions[SUBSTITUTION_COUNT] = {
    [ARGUMENT] = {"arg", 1, 1},
    [PACKAGE] = {"find", 1, 1},
    [VARIABLE] = {"env", 1, 1},
    [OPTIONAL_VARIABLE] = {"optenv", 1, INT_MAX},
    [EXPRESSION] = {"eval", 1, INT_MAX},
    [FILE_FOLDER] = {"dirname", 0, 0},
    [FOLDER] = {"cwd", 0, 0},
};

static const char blanks[] = " \t\r\n";

/* Cuts the first word off, in place, and returns what stands behind it. */
static char *cut_word(char *text)
{
    char *end = text + strcspn(text, blanks), *rest = end + strspn(end, blanks);
    *end = '\0';
    return rest;
}

static int count_words(const char *text)
{
    int count = 0;
    for (; *text; count++) {
        text += strcspn(text, blanks);
        text += strspn(text, blanks);
    }
    return count;
}

/* Evaluates what is in the parentheses: a word, and what stands behind it. */
static cp_status substitute(struct xacro *xacro, const char *text, struct value *value)
{
    char *copy = arena_copy_text(xacro->arena, text, strlen(text));
    if (!copy)
        return CP_LIMIT;
    for (size_t size = strlen(copy); size > 0 && is_blank(copy[size - 1]); size--)
        copy[size - 1] = '\0';
    char *word = copy + strspn(copy, blanks), *rest = cut_word(word);
    enum substitution kind = ARGUMENT;
    while (kind < SUBSTITUTION_COUNT && strcmp(substitutions[kind].word, word) != 0)
        kind++;
    if (kind == SUBSTITUTION_COUNT)
        return refuse(xacro, text, "only arg, find, env, optenv, dirname, cwd and eval are known");
    int count = count_words(rest);
    if (count < substitutions[kind].least || count > substitutions[kind].most)
        return refuse(xacro, text,
                      count < substitutions[kind].least ? "words are missing" : "there are too many words");

    const char *folder = "";
    cp_status status = CP_OK;
    switch (kind) {
    case ARGUMENT:
        return xacro_argument(xacro, rest, value);
    case VARIABLE:
        return read_environment(xacro, text, rest, NULL, value);
    case OPTIONAL_VARIABLE: {
        const char *otherwise = cut_word(rest);
        return read_environment(xacro, text, rest, otherwise, value);
    }
    case EXPRESSION: {
        const bool outside = xacro->sees_arguments;
        xacro->sees_arguments = true;
        status = expression_evaluate(&xacro->world, rest, strlen(rest), value);
        xacro->sees_arguments = outside;
        return status;
    }
    case PACKAGE:
        status = xacro_find_package(xacro, rest, &folder);
        break;
    default:
        status = xacro_find_folder(xacro, kind == FILE_FOLDER ? xacro->file->folder : "", &folder);
    }
    *value = value_of_text(folder, strlen(folder));
    return status;
}

/* ---- texts ---- */

/* A piece of a text: an expression, a substitution, or what is taken as it stands. */
struct piece {
    enum { PIECE_TEXT, PIECE_EXPRESSION, PIECE_SUBSTITUTION } kind;
    const char *begin, *end; /* the piece without its brackets */
    const char *next;
};

/* Cuts the first piece off. False if a bracket does not close, or dollars stand before what is no bracket. */
static bool cut(const char *text, struct piece *piece)
{
    size_t dollars = strspn(text, "$");
    bool opens = text[dollars] == '{' || text[dollars] == '(';
    if (dollars == 1 && opens) {
        piece->kind = text[1] == '{' ? PIECE_EXPRESSION : PIECE_SUBSTITUTION;
        piece->begin = text + 2;
        piece->end = strchr(piece->begin, text[1] == '{' ? '}' : ')');
        piece->next = piece->end ? piece->end + 1 : NULL;
        return piece->end;
    }
    piece->kind = PIECE_TEXT;
    piece->begin = text + (dollars > 1); /* $${ means ${ */
    piece->end = text + dollars + (opens ? 1 : strcspn(text + dollars, "$"));
    piece->next = piece->end;
    return dollars <= 1 || opens;
}

static cp_status evaluate_piece(struct xacro *xacro, const struct piece *piece, struct value *value)
{
    size_t size = (size_t)(piece->end - piece->begin);
    char *text = arena_copy_text(xacro->arena, piece->begin, size);
    if (!text)
        return CP_LIMIT;
    *value = value_of_text(text, size);
    if (piece->kind == PIECE_TEXT)
        return count_text(xacro, size);
    const char *inside = text;
    cp_status status = CP_OK;
    if (memchr(text, '$', size)) {
        status = xacro_begin_call(xacro, xacro->at);
        if (status != CP_OK)
            return status;
        status = xacro_evaluate_text(xacro, text, &inside);
        xacro_end_call(xacro);
    }
    if (status != CP_OK)
        return status;
    xacro->world.place = xml_node_place(xacro->at);
    return piece->kind == PIECE_EXPRESSION ? expression_evaluate(&xacro->world, inside, strlen(inside), value)
                                           : substitute(xacro, inside, value);
}

cp_status xacro_evaluate(struct xacro *xacro, const char *text, struct value *value)
{
    struct buffer joined = {.context = xacro->context};
    uint32_t count = 0;
    cp_status status = CP_OK;
    *value = value_of_text(text, strlen(text));
    if (!strchr(text, '$'))
        return CP_OK;
    for (struct piece piece; *text && status == CP_OK; text = piece.next, count++) {
        if (!cut(text, &piece)) {
            buffer_free(&joined);
            return report_error(xacro->context, CP_INPUT, "xacro-text", xml_node_place(xacro->at),
                                "\"%.100s\" has a $ that begins nothing: ${ needs a }, $( a ), and $$ one of these "
                                "behind it",
                                text);
        }
        if (count == 1)
            value_print(value, &joined);
        status = evaluate_piece(xacro, &piece, value);
        if (count > 0 && status == CP_OK)
            value_print(value, &joined);
    }
    if (count > 1 && status == CP_OK)
        return keep_text(xacro, &joined, value);
    buffer_free(&joined);
    return status;
}

cp_status xacro_evaluate_text(struct xacro *xacro, const char *text, const char **result)
{
    struct value value;
    cp_status status = xacro_evaluate(xacro, text, &value);
    return status == CP_OK ? print_value(xacro, &value, result) : status;
}

cp_status xacro_evaluate_truth(struct xacro *xacro, const char *text, bool absent, bool *truth)
{
    struct value value = value_of_bool(absent), read;
    cp_status status = text ? xacro_evaluate(xacro, text, &value) : CP_OK;
    if (status != CP_OK)
        return status;
    if (value.kind == VALUE_TEXT) {
        bool is_read = value_from_literal(value.text.bytes, value.text.size, &read) &&
                       (read.kind == VALUE_BOOL || read.kind == VALUE_INT);
        if (!is_read)
            return report_error(
                xacro->context, CP_INPUT, "xacro-condition", xml_node_place(xacro->at),
                "\"%.100s\" gives \"%.100s\", which is neither true, True, false, False nor a whole number", text,
                value.text.bytes);
        value = read;
    }
    *truth = value_is_true(&value);
    return CP_OK;
}

/* ---- arguments ---- */

static cp_status add_argument(struct xacro *xacro, const struct argument *argument)
{
    const uint32_t *row = name_map_add(&xacro->argument_names, argument->name, xacro->argument_count, NULL);
    if (row && *row < xacro->argument_count) {
        xacro->arguments[*row] = *argument;
        return CP_OK;
    }
    return row && array_add(xacro->context, &xacro->arguments, &xacro->argument_room, &xacro->argument_count, argument,
                            sizeof *argument)
               ? CP_OK
               : CP_LIMIT;
}

cp_status xacro_take_arguments(struct xacro *xacro)
{
    const cp_texts *given = &xacro->settings->arguments;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < given->count && status == CP_OK; i++) {
        const char *text = given->items[i], *equals = strchr(text, '=');
        size_t size = equals ? (size_t)(equals - text) - (equals > text && equals[-1] == ':') : 0;
        if (size == 0)
            return report_error(xacro->context, CP_USAGE, "xacro-argument", NOWHERE, "arg=%.100s is not NAME:=VALUE",
                                text);
        struct argument argument = {.name = arena_copy_text(xacro->arena, text, size), .value = equals + 1};
        status = argument.name ? add_argument(xacro, &argument) : CP_LIMIT;
    }
    return status;
}

cp_status xacro_argument(void *user, const char *name, struct value *value)
{
    struct xacro *xacro = user;
    const uint32_t *row = name_map_find(&xacro->argument_names, name);
    if (!row)
        return report_error(xacro->context, CP_INPUT, "xacro-argument", xml_node_place(xacro->at),
                            "the argument \"%.100s\" has no value (--in arg=%.100s:=VALUE gives it one)", name, name);
    struct argument *argument = &xacro->arguments[*row];
    argument->is_known = true;
    *value = value_of_text(argument->value, strlen(argument->value));
    return CP_OK;
}

cp_status xacro_declare_argument(struct xacro *xacro, const struct xml_node *element)
{
    static const char *const names[] = {"name", "default", NULL};
    const char *attributes[2];
    cp_status status = xacro_attributes(xacro, element, names, 1, attributes);
    const uint32_t *row = status == CP_OK ? name_map_find(&xacro->argument_names, attributes[0]) : NULL;
    if (row)
        xacro->arguments[*row].is_known = true;
    if (status != CP_OK || row || !attributes[1]) /* its use without a value is an error */
        return status;
    struct argument argument = {.name = attributes[0], .is_known = true};
    status = xacro_evaluate_text(xacro, attributes[1], &argument.value);
    return status == CP_OK ? add_argument(xacro, &argument) : status;
}

void xacro_warn_of_arguments(struct xacro *xacro)
{
    for (uint32_t i = 0; i < xacro->argument_count; i++)
        if (!xacro->arguments[i].is_known)
            report_warning(xacro->context, "xacro-argument-unused", NOWHERE, "the document has no argument \"%.100s\"",
                           xacro->arguments[i].name);
}

/* Expressions and YAML against ../shared/reference/robots/xacro: small documents, and what ros/xacro makes of them. */
#include <jansson.h>
#include <unistd.h>

#include "../../importers/xacro/yaml.h"
#include "fixture.h"

#define CASES SHARED "/reference/robots/xacro/cases.jsonl"

/* What Python computes, and we refuse. */
static const char *const refused[] = {
    "expr [x for x in [1,2]]", "expr '%s' % 3", "expr ~5", "expr 1 << 3", "yaml scalars", NULL};

struct document {
    cp_context *context;
    struct expression_world world;
    const json_t *files;
    struct value yaml; /* the property y */
    bool has_yaml;
};

static bool is_one_of(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

static cp_status find(void *user, const char *name, size_t size, struct value *value, bool *found)
{
    const struct document *document = user;
    *found = document->has_yaml && size == 1 && *name == 'y';
    if (*found)
        *value = document->yaml;
    return CP_OK;
}

static cp_status load_yaml(void *user, const char *path, struct value *value)
{
    struct document *document = user;
    const char *text = json_string_value(json_object_get(document->files, path));
    struct source *source;
    if (!text)
        return report_error(document->context, CP_INPUT, "test-file", IN_FILE(path), "there is no such file");
    assert_int_equal(source_from_memory(document->context, text, strlen(text), path, &source), CP_OK);
    cp_status status = yaml_read(&document->world, source, value);
    source_close(source);
    return status;
}

/* Copies an attribute's value, which begins at `text`, without XML's entities. */
static char *attribute(const char *text)
{
    char *copy = scratch(strlen(text) + 1, 1), *to = copy;
    for (; *text && *text != '"'; text++)
        if (strncmp(text, "&lt;", 4) == 0 || strncmp(text, "&gt;", 4) == 0) {
            *to++ = text[1] == 'l' ? '<' : '>';
            text += 3;
        } else
            *to++ = *text;
    *to = '\0';
    return copy;
}

static const char *behind(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    assert_non_null(at);
    return at + strlen(mark);
}

/* Replaces each ${...} of a text by its value. */
static cp_status expand(struct document *document, const char *text, struct buffer *out)
{
    cp_status status = CP_OK;
    while (*text && status == CP_OK) {
        const char *end = strncmp(text, "${", 2) == 0 ? strchr(text, '}') : NULL;
        struct value value;
        if (!end) {
            buffer_append(out, text++, 1);
            continue;
        }
        status = expression_evaluate(&document->world, text + 2, (size_t)(end - text - 2), &value);
        if (status == CP_OK)
            value_print(&value, out);
        text = end + 1;
    }
    buffer_append(out, "", 1);
    return status;
}

static void check_case(const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    const char *input = json_string_value(json_object_get(row, "input"));
    const char *output = json_string_value(json_object_get(row, "output"));
    struct document document = {.context = cp_context_new(NULL), .files = json_object_get(row, "files")};
    struct buffer got = {.context = document.context};
    struct value value;
    cp_status status = CP_OK;
    document.world = (struct expression_world){.context = document.context,
                                               .arena = arena_new(document.context),
                                               .user = &document,
                                               .find = find,
                                               .load_yaml = load_yaml};
    if (strstr(input, "load_yaml")) {
        const char *call = attribute(behind(input, "value=\"${"));
        status = expression_evaluate(&document.world, call, strlen(call) - 1, &value);
        document.yaml = value;
        document.has_yaml = status == CP_OK;
    }
    if (status == CP_OK)
        status = expand(&document, attribute(behind(input, "<a v=\"")), &got);
    bool is_right = output && !is_one_of(refused, name)
                        ? status == CP_OK && strcmp(got.data, attribute(behind(output, "<a v=\""))) == 0
                        : status == CP_INPUT;
    if (!is_right) {
        show_report(document.context);
        fail_msg("%s: status %d and \"%s\", not %s", name, status, got.data ? got.data : "",
                 output ? output : "an error");
    }
    buffer_free(&got);
    arena_free(document.world.arena);
    cp_context_free(document.context);
}

static void test_cases(void **state)
{
    (void)state;
    size_t size;
    char *text = read_whole(CASES, &size), *rest = NULL;
    int expressions = 0, files = 0;
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_error_t error;
        json_t *row = json_loads(line, 0, &error);
        assert_non_null(row);
        const char *name = json_string_value(json_object_get(row, "name"));
        bool is_expression = strncmp(name, "expr ", 5) == 0;
        bool is_yaml = strncmp(name, "load_yaml", 9) == 0 || strncmp(name, "yaml ", 5) == 0;
        if (is_expression || is_yaml)
            check_case(row);
        expressions += is_expression;
        files += is_yaml;
        json_decref(row);
    }
    free(text);
    assert_int_equal(expressions, 91);
    assert_int_equal(files, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    if (access(CASES, R_OK) != 0) {
        puts("skipped: " SHARED " is not there");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fuzzers for the expressions and the YAML of xacro, by their names: fuzz_xacro_expression takes the bytes for one
 * expression, fuzz_xacro_yaml for a file. What is printed of a value must be UTF-8, within the bounds of a value, and
 * an expression of the same value again; what is refused has a reason. A bug shows as a crash, a leak, a sanitizer's
 * finding or a difference. */
#include <stdio.h>
#include <stdlib.h>

#include "../../importers/xacro/evaluation.h"
#include "../../importers/xacro/yaml.h"
#include "base/text/text.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool reads_yaml;

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_xacro: %s\n", what);
    abort();
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    reads_yaml = *count > 0 && strstr(**words, "yaml");
    return 0;
}

/* Single letters are properties: numbers, texts and lists. */
static cp_status find(void *user, const char *name, size_t size, struct value *value, bool *found)
{
    static const char *const properties[] = {"7", "-0.5", "'text'", "[1, 'b', 2.5]", "xacro.dotify(dict(a=1, b=[2]))"};
    struct expression_world *world = user;
    *found = size == 1 && *name >= 'a' && *name <= 'd';
    const char *text = *found ? properties[*name - 'a'] : "";
    return *found ? expression_evaluate(world, text, strlen(text), value) : CP_OK;
}

/* A list that was printed is an expression again, unless it has a dict, or an escape that expressions lack. */
static void check_again(struct expression_world *world, const struct value *value)
{
    struct value items[1] = {*value}, list, again;
    struct value_items one = {.values = items, .count = 1};
    struct buffer first = {.context = world->context}, second = {.context = world->context};
    if (!value_of_items(VALUE_LIST, &one, &list) || value_weight(&list) > 10000 || one.depth > 50)
        return;
    value_print(&list, &first);
    buffer_append(&first, "", 1);
    bool is_lost = first.failed || strpbrk(first.data, "{<") || strstr(first.data, "\\x") ||
                   strstr(first.data, "\\u") || strstr(first.data, "\\U") || strstr(first.data, "-9223372036854775808");
    if (!is_lost && expression_evaluate(world, first.data, first.size - 1, &again) == CP_OK) {
        value_print(&again, &second);
        buffer_append(&second, "", 1);
        check(second.failed || strcmp(first.data, second.data) == 0, "another value");
    } else if (!is_lost) {
        check(world->steps > MOST_STEPS, "what was printed is no expression");
    }
    buffer_free(&first);
    buffer_free(&second);
}

static void check_value(struct expression_world *world, const struct value *value)
{
    struct buffer text = {.context = world->context};
    check(value_weight(value) <= HEAVIEST_VALUE, "a value is too large");
    value_print(value, &text);
    check(text.failed || utf8_valid(text.size ? text.data : "", text.size), "a text is not UTF-8");
    check(text.size <= 40 * value_weight(value), "a value prints more than its weight");
    bool is_number = value_is_number(value);
    check(is_number || value_equal(value, value), "a value is not itself");
    buffer_free(&text);
    check_again(world, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { STEPS = 2 * 1000 * 1000 }; /* few, since the sanitizers are slow */
    cp_context *context = cp_context_new(NULL);
    struct expression_world world = {.context = context, .steps = MOST_STEPS - STEPS, .find = find};
    struct source *source = NULL;
    struct value value;
    size_t told;
    if (!context)
        return 0;
    world.arena = arena_new(context);
    world.user = &world;
    world.place = AT_LINE("fuzz.xacro", 1);
    bool is_text = size > 0 && utf8_valid((const char *)bytes, size); /* as all that XML gives */
    if ((reads_yaml || is_text) && source_from_memory(context, bytes, size, "fuzz.yaml", &source) == CP_OK) {
        cp_status status = reads_yaml ? yaml_read(&world, source, &value)
                                      : expression_evaluate(&world, source->data, source->size, &value);
        const cp_entry *entries = cp_report(context, &told);
        check(status == CP_OK || status == CP_INPUT || status == CP_LIMIT, "status");
        check(status == CP_OK || (told > 0 && entries[told - 1].severity == CP_ERROR), "no reason is told");
        check(world.depth == 0, "the depth is left");
        if (status == CP_OK)
            check_value(&world, &value);
    }
    source_close(source);
    arena_free(world.arena);
    cp_context_free(context);
    return 0;
}

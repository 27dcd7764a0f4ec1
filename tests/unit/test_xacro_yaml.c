/* YAML of xacro, whose values are those that PyYAML's safe loader has made: each was printed by python3. */
#include "../../importers/xacro/yaml.h"
#include "fixture.h"
#include "scene_fixture.h"

/* Each is "SCALAR => WHAT PYTHON PRINTS of a list with it"; here, and of documents below. */
/* clang-format off */
static const char *const scalars[] = {
    "0 => [0]", "1 => [1]", "-1 => [-1]", "+5 => [5]", "1_000 => [1000]", "0x1F => [31]", "-0x1f => [-31]",
    "0xa_b => [171]", "010 => [8]", "-010 => [-8]", "0777 => [511]", "0b101 => [5]", "-0b1 => [-1]", "0b1_0 => [2]",
    "00 => [0]", "08 => ['08']", "09.5 => [9.5]", "0o10 => ['0o10']", "1:30 => [90]", "1:30:15 => [5415]",
    "-1:30 => [-90]", "1:5 => [65]", "1:60 => ['1:60']", "01:30 => ['01:30']", "190:20:30 => [685230]",
    "9223372036854775807 => [9223372036854775807]", "-9223372036854775807 => [-9223372036854775807]", "0_ => [0]",
    "1_ => [1]", "_1 => ['_1']", "1__0 => [10]", "12e3 => ['12e3']", "1.5 => [1.5]", "-1.5 => [-1.5]",
    "+1.5 => [1.5]", "1. => [1.0]", ".5 => [0.5]", "-.5 => ['-.5']", "+.5 => ['+.5']", "5. => [5.0]",
    "1e3 => ['1e3']", "1e-3 => ['1e-3']", "1.0e3 => ['1.0e3']", "1.0e+3 => [1000.0]", "1.0e-3 => [0.001]",
    "1.5E+3 => [1500.0]", "1.e+2 => [100.0]", ".5e+1 => [5.0]", "1_0.5 => [10.5]", "1._5 => [1.5]", ".5_0 => [0.5]",
    "._5 => ['._5']", "1.5.5 => ['1.5.5']", ".inf => [inf]", "-.inf => [-inf]", "+.inf => [inf]", ".Inf => [inf]",
    ".INF => [inf]", ".iNF => ['.iNF']", "inf => ['inf']", ".nan => [nan]", ".NaN => [nan]", ".NAN => [nan]",
    "-.nan => ['-.nan']", "nan => ['nan']", "1:30.5 => [90.5]", "-1:30.5 => [-90.5]", "1:30. => [90.0]",
    "1:75.5 => ['1:75.5']", "1e+3 => ['1e+3']", "0. => [0.0]", "-0.0 => [-0.0]", "1,000 => ['1,000']",
    "0.1e => ['0.1e']", "1.5e+ => ['1.5e+']", "1.5e => ['1.5e']", "yes => [True]", "Yes => [True]", "YES => [True]",
    "yEs => ['yEs']", "no => [False]", "No => [False]", "NO => [False]", "true => [True]", "True => [True]",
    "TRUE => [True]", "tRUE => ['tRUE']", "false => [False]", "False => [False]", "FALSE => [False]", "on => [True]",
    "On => [True]", "ON => [True]", "off => [False]", "Off => [False]", "OFF => [False]", "y => ['y']", "n => ['n']",
    "Y => ['Y']", "N => ['N']", "t => ['t']", "f => ['f']", "null => [None]", "Null => [None]", "NULL => [None]",
    "nULL => ['nULL']", "~ => [None]", "~~ => ['~~']", "none => ['none']", "None => ['None']", "nil => ['nil']",
    "- => [[None]]", "-- => ['--']", ". => ['.']", ".. => ['..']", "...x => ['...x']", "+ => ['+']", "=x => ['=x']",
    "< => ['<']", "<<< => ['<<<']", "a => ['a']", "hello => ['hello']", "a b => ['a b']", "a:b => ['a:b']",
    "1 2 => ['1 2']", "1a => ['1a']", "0x => ['0x']", "0xg => ['0xg']", "0b => ['0b']", "0b2 => ['0b2']",
    "0b12 => ['0b12']", "2001-1 => ['2001-1']", "20-01-01 => ['20-01-01']", "2001-13 => ['2001-13']",
    "12: => [{12: None}]", ":5 => [':5']", "1: => [{1: None}]", "-:5 => ['-:5']", "é => ['é']",
    "1:30: => [{90: None}]", "1::3 => ['1::3']", "\"5\" => ['5']", "'5' => ['5']", "\"true\" => ['true']",
    "'null' => ['null']", "\"<<\" => ['<<']", "'2001-01-01' => ['2001-01-01']", "\"a\\nb\" => ['a\\nb']",
    "'it''s' => [\"it's\"]", "\"\\u00e4\" => ['ä']", "\"\" => ['']", "'' => ['']", "\"\\x41\" => ['A']",
    "\"1.5\" => ['1.5']"};

static const char *const documents[] = {
    " => None", "# nothing => None", "--- => None", "--- 5 => 5", "5\n... => 5",
    "a: 1\nb: [1, 2.5, x]\nc: {d: e, f: [g]} => {'a': 1, 'b': [1, 2.5, 'x'], 'c': {'d': 'e', 'f': ['g']}}",
    "a: &x 5\nb: *x => {'a': 5, 'b': 5}", "- &a {k: 1}\n- *a\n- *a => [{'k': 1}, {'k': 1}, {'k': 1}]",
    "a: 1\na: 2\nb: 3\na: 4 => {'a': 4, 'b': 3}", "1: a\n1.0: b\ntrue: c\nx: d => {1: 'c', 'x': 'd'}",
    "1: a\n\"1\": b => {1: 'a', '1': 'b'}", "null: a\n~: b => {None: 'b'}",
    "- |\n  one\n  two\n- >\n  three\n  four\n- |-\n  five => ['one\\ntwo\\n', 'three four\\n', 'five']",
    "? a\n: b => {'a': 'b'}", "{a, b: c} => {'a': None, 'b': 'c'}", "!!str 5 => 5", "!!float 5 => 5.0",
    "!!int 0x10 => 16", "!!bool yes => True", "!!null ~ => None", "!!map {a: 1} => {'a': 1}", "!!seq [1] => [1]",
    "- !!str yes\n- !!float \"1.5\"\n- !!str => ['yes', 1.5, '']", "\"a\": 1\n'b': 2 => {'a': 1, 'b': 2}",
    "[1, [2, [3, []]], {}] => [1, [2, [3, []]], {}]",
    "a:\n  - b\n  - c: d\n    e: f => {'a': ['b', {'c': 'd', 'e': 'f'}]}", "a: # comment\n  1 => {'a': 1}",
    "%YAML 1.1\n---\na: 1 => {'a': 1}", "a: \"x\\\n  y\" => {'a': 'xy'}", "\"\\U0001F600\" => 😀",
    "{1: {2: {3: x}}} => {1: {2: {3: 'x'}}}", "- - - 1 => [[[1]]]", "? => {None: None}",
    "a: &e\nb: *e => {'a': None, 'b': None}", "- !!float 1:30 => [90.0]",
    "- [yes, no]\n- {on: off} => [[True, False], {True: False}]", ".5: x\n0.5: y => {0.5: 'y'}",
    "0: a\n-0.0: b\nfalse: c => {0: 'c'}", "- 'a\n\n  b' => ['a\\nb']"};

/* "DOCUMENT => PART OF THE MESSAGE". */
static const char *const refused[] = {
    "<<: {a: 1} => a merge key (<<) is not supported", "a: &x {b: 1}\nc:\n  <<: *x => 3: ",
    "- 2001-01-01 => a date is not supported", "2001-1-1 10:00:00 => a date",
    "2001-12-14t21:59:43.10-05:00 => a date", "- = => the value = is not supported",
    "a: 1\n---\nb: 2 => 2: error: a second document", "--- 1\n--- 2 => second document", "a: 1\n  b: 2 => 2: error: ",
    "a: b: c => 1: error: ", "[1, 2 => error: ", "{a: 1 => error: ", "\"abc => error: ",
    "a: *x => the alias *x has no anchor", "&a [*a] => the alias *a has no anchor before it, or is inside it",
    "a: &x [1]\nb: &x [2] => the anchor &x is there twice", "[1, 2]: 3 => a list cannot be a key",
    "{a: 1}: 2 => a dict cannot be a key", "- !!set {a} => the tag tag:yaml.org,2002:set",
    "!!binary aGk= => !!binary", "!!python/none x => !!python/none", "!own 5 => the tag !own is not supported",
    "!own [1] => the tag !own", "!own {a: 1} => the tag !own", "! 5 => the tag ! is not supported",
    "!!int x => does not fit its tag !!int", "!!float x => does not fit its tag !!float",
    "!!bool 1 => does not fit its tag !!bool", "!!null 1 => does not fit its tag !!null", "!!map [1] => the tag",
    "!!seq {a: 1} => the tag", "!!timestamp 2001-01-01 => a date", "9223372036854775808 => beyond 64 bits",
    "9223372036854775807:00 => the base 60 is too large", "0x8000000000000000 => beyond 64 bits",
    "0x_ => has no digits", "0b_ => has no digits", "\"\\0\" => a zero byte", "a: \x01 => 1: error: ",
    "a:\n\n- \x07 => 3: error: ", "!degrees x => the name x is not defined",
    "a: 1\nb: !degrees 1/0 => 2: error: division by zero", "!radians [1] => the tag !radians",
    "!degrees => nothing to evaluate", "!degrees (1 => ends where", "!radians '[1]' => a value with a unit is not a number",
    "!radians None => a value with a unit is not a number", "!radians y => the name y is not defined",
    "!radians xacro.arg('x') => no arguments here", "a: @x => error: ", "a: `x => error: ",
    "%YAML 2.0\n---\na: 1 => error: ", "a: \t- b\n\t- c => error: "};
/* clang-format on */

static void parted(const char *line, char **text, const char **printed)
{
    const char *arrow = strstr(line, " => ");
    assert_non_null(arrow);
    *text = scratch((size_t)(arrow - line) + 1, 1);
    memcpy(*text, line, (size_t)(arrow - line));
    *printed = arrow + 4;
}

static cp_status no_property(void *user, const char *name, size_t size, struct value *value, bool *found)
{
    (void)user;
    *found = size == 1 && *name == 'y'; /* which YAML must not see */
    *value = value_of_int(1);
    return CP_OK;
}

static struct expression_world new_world(cp_context *owner)
{
    return (struct expression_world){
        .context = owner, .arena = arena_new(owner), .place = AT_LINE("robot.xacro", 3), .find = no_property};
}

static cp_status read_sized(struct expression_world *world, const char *text, size_t size, struct value *value)
{
    struct source *source;
    cp_status status = source_from_memory(world->context, text, size, "f.yaml", &source);
    if (status == CP_OK) {
        status = yaml_read(world, source, value);
        source_close(source);
    }
    return status;
}

static cp_status read_text(struct expression_world *world, const char *text, struct value *value)
{
    return read_sized(world, text, strlen(text), value);
}

static void expect_printed(struct expression_world *world, const char *text, const char *expected)
{
    struct value value;
    struct buffer printed = {.context = context};
    expect_status(context, read_text(world, text, &value), CP_OK);
    value_print(&value, &printed);
    buffer_append(&printed, "", 1);
    if (strcmp(printed.data, expected) != 0)
        fail_msg("%s gives %s, not %s", text, printed.data, expected);
    buffer_free(&printed);
}

static void test_scalars(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        char *text, line[200];
        const char *expected;
        parted(scalars[i], &text, &expected);
        (void)snprintf(line, sizeof line, "- %s\n", text);
        expect_printed(&world, line, expected);
    }
    arena_free(world.arena);
}

static void test_documents(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        char *text;
        const char *expected;
        parted(documents[i], &text, &expected);
        expect_printed(&world, text, expected);
    }
    assert_int_equal(world.place.line, 3);
    arena_free(world.arena);
}

static void test_angles(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    expect_printed(&world, "- !degrees 90\n- !radians pi/2\n- !degrees '45 * 2'\n",
                   "[1.5707963267948966, 1.5707963267948966, 1.5707963267948966]");
    expect_printed(&world, "{a: !radians 1, b: !degrees -180.0}", "{'a': 1.0, 'b': -3.141592653589793}");
    expect_printed(&world, "[!meters 2, !millimeters 250, !inches 2*5, !foot 10]", "[2.0, 0.25, 0.254, 3.048]");
    expect_printed(&world, "- !radians \"'1.5'\"\n- !radians True", "[1.5, 1.0]");
    arena_free(world.arena);
}

/* Dicts of YAML have their keys as members, however deep they are. */
static void test_members(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    struct value value;
    expect_status(context, read_text(&world, "a: [{b: {c: 5}}]", &value), CP_OK);
    assert_true(value.items->is_dotted);
    assert_true(value.items->values[0].items->is_dotted);
    assert_true(value.items->values[0].items->values[0].items->is_dotted);
    assert_int_equal(value.items->depth, 4);
    arena_free(world.arena);
}

static void test_refused(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *text;
        const char *part;
        size_t count;
        struct value value;
        parted(refused[i], &text, &part);
        cp_report_clear(context);
        cp_status status = read_text(&world, text, &value);
        const cp_entry *entries = cp_report(context, &count);
        if (status != CP_INPUT || count != 1)
            fail_msg("%s: status %d", text, status);
        char said[500];
        (void)snprintf(said, sizeof said, "%d: error: %s", (int)entries->line, entries->message);
        if (!strstr(said, part))
            fail_msg("%s: %s", text, said);
        bool is_expression = strstr(text, "!degrees") || strstr(text, "!radians");
        if (!is_expression || strstr(part, "angle") || strstr(part, "tag"))
            assert_string_equal(entries->code, "xacro-yaml");
        assert_string_equal(entries->file, "f.yaml");
    }
    assert_int_equal(world.depth, 0);
    arena_free(world.arena);
}

static void test_bytes(void **state)
{
    (void)state;
    static const char wide[] = "\xff\xfe"
                               "a\0:\0 \0"
                               "5\0";
    struct expression_world world = new_world(context);
    struct value value;
    expect_status(context, read_sized(&world, wide, sizeof wide - 1, &value), CP_OK);
    assert_int_equal(value.items->values[0].integer, 5);
    expect_printed(&world,
                   "\xef\xbb\xbf"
                   "a: 1",
                   "{'a': 1}");
    cp_report_clear(context);
    assert_int_equal(read_text(&world, "a: 1\nb: \xff", &value), CP_INPUT);
    assert_int_equal(find_entry(context, "xacro-yaml")->line, 2);
    assert_int_equal(read_sized(&world, "a: \0b", 5, &value), CP_INPUT);
    arena_free(world.arena);
}

/* ---- bounds ---- */

static char *repeated(const char *part, size_t count)
{
    size_t size = strlen(part);
    char *text = scratch(count * size + 1, 1);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * size, part, size);
    return text;
}

static void test_depth(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    struct value value;
    char text[500];
    (void)snprintf(text, sizeof text, "%s%s", repeated("[", 100), repeated("]", 100));
    expect_status(context, read_text(&world, text, &value), CP_OK);
    assert_int_equal(value.items->depth, 100);
    static const char *const parts[] = {"[", "{a: ", "- ", "? "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cp_report_clear(context);
        assert_int_equal(read_text(&world, repeated(parts[i], 10000), &value), CP_INPUT);
        assert_true(was_said(context, "more than 100 deep"));
    }
    arena_free(world.arena);
}

/* Aliases share what they name, but count each time, so that printing stays bounded. */
static void test_aliases(void **state)
{
    (void)state;
    struct expression_world world = new_world(context);
    struct value value;
    char text[4000] = "- &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    for (int i = 1; i < 30; i++) {
        char line[100];
        (void)snprintf(line, sizeof line, "- &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i - 1, i - 1,
                       i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
        (void)strcat(text, line);
    }
    cp_report_clear(context);
    assert_int_equal(read_text(&world, text, &value), CP_INPUT);
    assert_true(was_said(context, "aliases counted each time"));
    assert_in_range(find_entry(context, "xacro-yaml")->line, 5, 10);
    arena_free(world.arena);
}

static void test_many_keys(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    struct expression_world world = new_world(context);
    struct value value;
    char *text = scratch(COUNT * 16, 1), *at = text;
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, "k%d: %d\n", i / 2, i);
    expect_status(context, read_text(&world, text, &value), CP_OK);
    assert_int_equal(value.items->count, COUNT / 2);
    assert_int_equal(value.items->values[7].integer, 15);
    cp_report_clear(context);
    assert_int_equal(read_text(&world, repeated("- 1\n", 600000), &value), CP_LIMIT);
    assert_true(was_said(context, "at most 2097152 bytes"));
    arena_free(world.arena);
}

/* ---- memory ---- */

static void test_failed_allocations(void **state)
{
    (void)state;
    static const char text[] = "a: &x [1, 2.5, text, !degrees 90]\nb: {c: *x, d: null, 1: yes}\na: 2\n";
    cp_status whole = CP_LIMIT;
    size_t n = 0;
    while (whole != CP_OK) {
        struct counter counter = {0};
        cp_allocator allocator = {counted_resize, &counter};
        cp_context *owner = cp_context_new(&allocator);
        struct expression_world world = new_world(owner);
        struct value value;
        counter.limit = counter.calls + ++n;
        counter.goes_on = true;
        whole = read_text(&world, text, &value);
        assert_true(whole == CP_OK || whole == CP_LIMIT);
        assert_int_equal(whole == CP_OK, counter.calls < counter.limit);
        counter.limit = 0;
        arena_free(world.arena);
        cp_context_free(owner);
        assert_int_equal(counter.blocks, 0);
    }
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),   cmocka_unit_test(test_documents),
        cmocka_unit_test(test_angles),    cmocka_unit_test(test_members),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_depth),     cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_many_keys), cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

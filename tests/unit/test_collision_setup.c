/* CollisionSetup.xml: what is read, what is refused, and what comes out again. */
#include "cellpipe_tool.h"
#include "scene_fixture.h"

static cp_status try_text(const char *text, size_t size, const char *option)
{
    cp_scene_free(scene);
    cp_report_clear(context);
    return cp_read_memory(context, text, size, "setup.xml", "collision-setup", &option, option ? 1 : 0, &scene);
}

static void read_text(const char *text, const char *option)
{
    if (try_text(text, strlen(text), option) != CP_OK) {
        size_t count;
        const cp_entry *entries = cp_report(context, &count);
        fail_msg("%s", entries[0].message);
    }
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

static void expect_error(const char *text, const char *code, uint64_t line)
{
    size_t count;
    assert_int_equal(try_text(text, strlen(text), NULL), CP_INPUT);
    const cp_entry *entries = cp_report(context, &count);
    assert_int_equal(count, 1);
    if (strcmp(entries[0].code, code) || entries[0].line != line)
        fail_msg("%s, not %s in line %d", entries[0].message, code, (int)line);
}

static void expect_pair(uint32_t index, const char *first, const char *second)
{
    assert_true(index < count_pairs(scene));
    const cp_pair *pair = &cp_pairs(scene, NULL)[index];
    assert_string_equal(cp_nodes(scene, NULL)[pair->first].name, first);
    assert_string_equal(cp_nodes(scene, NULL)[pair->second].name, second);
    assert_int_equal(pair->verdict, CP_PAIR_EXCLUDED);
    assert_string_equal(pair->reason, "given");
}

static char *write_text(const char *option)
{
    return written_text(context, scene, "collision-setup", option, NULL);
}

/* ---- reading ---- */

static void test_read(void **state)
{
    (void)state;
    read_text("<?xml version='1.0'?>\n<!-- a -->\n<CollisionSetup>\n<Volatile> v </Volatile><!-- b -->\n"
              "<Exclude><FramePair second='b' first='a'/><FramePair first='a' second='a'></FramePair></Exclude>\n"
              "<Exclude/>\n<ExcludeStaticPairs></ExcludeStaticPairs><Exclude>\n<!-- c -->"
              "<FramePair first='&lt;&amp;&quot;&#233;&gt;' second='b'/></Exclude>\n"
              "<Volatile><![CDATA[<cd>]]>&amp;</Volatile></CollisionSetup>\n",
              NULL);
    assert_int_equal(count_pairs(scene), 3);
    expect_pair(0, "a", "b");
    expect_pair(1, "a", "a");
    expect_pair(2, "<&\"\xc3\xa9>", "b");
    assert_true(cp_excludes_static_pairs(scene));
    /* the world, " v ", a, b, the odd one, "<cd>&": in the order of their first mention */
    assert_int_equal(count_nodes(scene), 6);
    assert_string_equal(cp_nodes(scene, NULL)[1].name, " v ");
    assert_string_equal(cp_nodes(scene, NULL)[5].name, "<cd>&");
    for (uint32_t i = 1; i < 6; i++)
        assert_int_equal(cp_nodes(scene, NULL)[i].flags,
                         CP_NODE_PLACEHOLDER | (i == 1 || i == 5 ? CP_NODE_VOLATILE : 0));
    size_t count;
    cp_report(context, &count);
    assert_int_equal(count, 0);
}

static void test_empty(void **state)
{
    (void)state;
    read_text("<CollisionSetup/>", NULL);
    assert_int_equal(count_nodes(scene), 1);
    assert_false(cp_excludes_static_pairs(scene));
    read_text("\xef\xbb\xbf<CollisionSetup>\r\n</CollisionSetup>", NULL);
    assert_int_equal(count_pairs(scene), 0);
}

static void test_encodings(void **state)
{
    (void)state;
    read_text(
        "<?xml version='1.0' encoding='ISO-8859-1'?><CollisionSetup><Volatile>caf\xe9</Volatile></CollisionSetup>",
        NULL);
    assert_string_equal(cp_nodes(scene, NULL)[1].name, "caf\xc3\xa9");
    expect_error("<?xml version='1.0' encoding='UTF-7'?><CollisionSetup/>", "collision-setup-encoding", 1);
    /* RobWork does not look at encodings: cells and setups of one editor have the same bytes in their names. */
    static const char *const undeclared[] = {"", "<?xml version=\"1.0\"?>",
                                             "<?xml version='1.0' encoding = 'utf-8' ?>"};
    for (int i = 0; i < 3; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "%s<CollisionSetup><Volatile>caf\xe9</Volatile></CollisionSetup>",
                       undeclared[i]);
        read_text(text, NULL);
        assert_string_equal(cp_nodes(scene, NULL)[1].name, "caf\xc3\xa9");
        assert_int_equal(try_text(text, strlen(text), "strict=yes"), CP_INPUT);
    }
    assert_int_equal(try_text("<?xml encoding=\"\"\"\"\"\"?>\xe9", 25, NULL), CP_INPUT);
    expect_error(
        "<?xml version='1.0' encoding='US-ASCII'?>\n<CollisionSetup><Volatile>\xe9</Volatile></CollisionSetup>",
        "collision-setup-xml", 2);
    static const char wide[] = "<\0C\0/\0>\0";
    assert_int_equal(try_text(wide, sizeof wide, NULL), CP_INPUT);
}

static void test_what_has_no_place(void **state)
{
    (void)state;
    read_text("<CollisionSetup>one<Exclude>two"
              "<FramePair first='a' second='b' reason='never' work='1'><deep><er/></deep></FramePair>"
              "<FramePair first='a' second='c' reason='never'/></Exclude>"
              "<Volatile x='1'>v<b>w</b></Volatile></CollisionSetup>",
              NULL);
    assert_int_equal(count_lost(context, "collision-setup-text"), 2);
    assert_int_equal(count_lost(context, "collision-setup-attribute"), 3); /* no reasons of ours, and so no work */
    assert_int_equal(count_lost(context, "collision-setup-inner"), 2);
    assert_int_equal(count_pairs(scene), 2);
    assert_string_equal(cp_nodes(scene, NULL)[4].name, "v");
}

static void test_refused(void **state)
{
    (void)state;
    expect_error("<Other/>", "collision-setup-root", 1);
    expect_error("<CollisionSetup>\n<IncludeAll/></CollisionSetup>", "collision-setup-element", 2);
    expect_error("<CollisionSetup>\n<Exclude>\n<Pair/></Exclude></CollisionSetup>", "collision-setup-element", 3);
    expect_error("<CollisionSetup>\n<FramePair first='a' second='b'/></CollisionSetup>", "collision-setup-element", 2);
    expect_error("<CollisionSetup a='1'/>", "collision-setup-attributes", 1);
    expect_error("<CollisionSetup xmlns='http://x'/>", "collision-setup-attributes", 1);
    expect_error("<CollisionSetup>\n<Exclude\nall='1'/></CollisionSetup>", "collision-setup-attributes", 3);
    expect_error("<CollisionSetup>\n<Exclude>\n\n<FramePair first='a'/></Exclude></CollisionSetup>",
                 "collision-setup-pair", 4);
    expect_error("<CollisionSetup><Exclude><FramePair second='a'/></Exclude></CollisionSetup>", "collision-setup-pair",
                 1);
    expect_error("<!DOCTYPE CollisionSetup [<!ENTITY a 'b'>]>\n<CollisionSetup/>", "collision-setup-doctype", 1);
    expect_error("<!DOCTYPE CollisionSetup SYSTEM 'file:///etc/passwd'>\n<CollisionSetup/>", "collision-setup-doctype",
                 1);
    expect_error("<CollisionSetup>\n<Volatile>&other;</Volatile></CollisionSetup>", "collision-setup-xml", 2);
    expect_error("<CollisionSetup>\n<Exclude>\n", "collision-setup-xml", 2);
    expect_error("<CollisionSetup>\n</Exclude>", "collision-setup-xml", 2);
    expect_error("<CollisionSetup/>\n<CollisionSetup/>", "collision-setup-xml", 2);
    expect_error("", "collision-setup-xml", 1);
}

/* Elements deep inside a pair, and attributes by the thousand, end in an error and not in long work. */
static void test_hostile(void **state)
{
    struct buffer text = {.context = context};
    (void)state;
    buffer_text(&text, "<CollisionSetup><Exclude><FramePair first='a' second='b'>");
    for (int i = 0; i < 100000; i++)
        buffer_text(&text, "<x>");
    assert_int_equal(try_text(text.data, text.size, NULL), CP_LIMIT);
    text.size = 0;
    buffer_text(&text, "<CollisionSetup><Exclude><FramePair first='a' second='b'");
    for (int i = 0; i < 100000; i++)
        buffer_print(&text, " a%d='1'", i);
    buffer_text(&text, "/></Exclude></CollisionSetup>");
    assert_int_equal(try_text(text.data, text.size, NULL), CP_LIMIT);
    buffer_free(&text);
}

static void test_prefix(void **state)
{
    static const char text[] = "<CollisionSetup>\n  <!-- names are relative to \"Robot.\" -->\n"
                               "  <Volatile>J1</Volatile>\n</CollisionSetup>\n";
    (void)state;
    read_text(text, NULL);
    assert_string_equal(cp_nodes(scene, NULL)[1].name, "Robot.J1");
    read_text(text, "prefix=Other.");
    assert_string_equal(cp_nodes(scene, NULL)[1].name, "Other.J1");
    read_text(text, "prefix=");
    assert_string_equal(cp_nodes(scene, NULL)[1].name, "J1");
}

/* ---- writing ---- */

static uint32_t add_volatile(const char *name)
{
    cp_node node = cp_new_node();
    node.parent = 0;
    node.name = name;
    node.flags = CP_NODE_VOLATILE;
    return cp_add_node(scene, &node);
}

static void test_write_names(void **state)
{
    (void)state;
    fresh_scene();
    uint32_t a = add_node_at(scene, 0, "a<\"&'>", NULL), b = add_volatile("two\nlines\t");
    uint32_t c = add_node_at(scene, 0, "bad\x01\x1f\xef\xbf\xbf", NULL);
    add_pair_of(scene, a, b, "given");
    add_pair_of(scene, c, c, "given");
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    char *text = write_text(NULL);
    assert_string_equal(text, "<CollisionSetup>\n  <Exclude>\n"
                              "    <FramePair first=\"a&lt;&quot;&amp;'&gt;\" second=\"two&#10;lines&#9;\"/>\n"
                              "    <FramePair first=\"bad\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\" "
                              "second=\"bad\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"/>\n"
                              "  </Exclude>\n  <Volatile>two&#10;lines&#9;</Volatile>\n</CollisionSetup>\n");
    assert_int_equal(count_lost(context, "collision-setup-characters"), 6);
    read_text(text, NULL);
    expect_pair(0, "a<\"&'>", "two\nlines\t");
    assert_true(cp_nodes(scene, NULL)[2].flags & CP_NODE_VOLATILE);
    free(text);
}

static void test_write_losses(void **state)
{
    (void)state;
    fresh_scene();
    uint32_t a = add_node_at(scene, 0, "a", NULL), b = add_node_at(scene, 0, "b", NULL);
    uint32_t twin = add_node_at(scene, 0, "a", NULL);
    add_pair_of(scene, a, b, "never");
    const cp_pair seen = {.first = b, .second = a, .reason = "given", .evidence = "seen"};
    const cp_pair kept = {.first = b, .second = twin, .verdict = CP_PAIR_KEPT, .reason = "sometimes"};
    assert_true(cp_add_pair(scene, &seen) != CP_NONE && cp_add_pair(scene, &kept) != CP_NONE);
    add_pair_of(scene, b, b, "given");
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    char *text = write_text(NULL);
    assert_int_equal(count_lost(context, "collision-setup-kept"), 0); /* what is not listed is to be checked */
    assert_int_equal(count_lost(context, "collision-setup-evidence"), 0);
    assert_int_equal(count_lost(context, "collision-setup-names"), 2);
    read_text(text, NULL); /* "a" and "b" would be "b" and the twin, too, which are to be checked */
    assert_int_equal(count_pairs(scene), 1);
    free(text);
}

/* Frames by the same name are told by it when all their pairs are excluded. */
static void test_write_twins(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        fresh_scene();
        uint32_t a = add_node_at(scene, 0, "a", NULL), twin = add_node_at(scene, 0, "a", NULL);
        uint32_t b = add_volatile("b");
        if (round == 1) /* it can collide, and no pair says that it need not be checked */
            (void)add_volatile("a");
        add_pair_of(scene, a, b, "given");
        add_pair_of(scene, b, twin, "given");
        add_pair_of(scene, b, twin, "given"); /* again: no pair more */
        if (round == 2)
            add_pair_of(scene, a, twin, "given");
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        char *text = write_text(NULL);
        assert_int_equal(count_lost(context, "collision-setup-names"), round == 1 ? 3 : 0);
        assert_int_equal(count_lost(context, "collision-setup-volatile"), round == 1 ? 2 : 0);
        assert_int_equal(strstr(text, "first=\"a\" second=\"b\"") != NULL, round != 1);
        assert_int_equal(strstr(text, "first=\"a\" second=\"a\"") != NULL, round == 2);
        free(text);
        cp_report_clear(context);
        cp_scene_free(scene);
        scene = NULL;
    }
}

/* The pairs of a scene as one text, by names. */
static char *pair_list(void)
{
    struct buffer list = {.context = context};
    for (uint32_t i = 0; i < count_pairs(scene); i++)
        buffer_print(&list, "%s|%s\n", cp_nodes(scene, NULL)[cp_pairs(scene, NULL)[i].first].name,
                     cp_nodes(scene, NULL)[cp_pairs(scene, NULL)[i].second].name);
    for (uint32_t i = 0; i < count_nodes(scene); i++)
        if (cp_nodes(scene, NULL)[i].flags & CP_NODE_VOLATILE)
            buffer_print(&list, "volatile %s\n", cp_nodes(scene, NULL)[i].name);
    buffer_print(&list, "static %d\n", cp_excludes_static_pairs(scene));
    char *text = malloc(list.size + 1);
    memcpy(text, list.data, list.size);
    text[list.size] = '\0';
    buffer_free(&list);
    return text;
}

static void read_sample(const char *name)
{
    cp_scene_free(scene);
    scene = read_sample_of(context, SAMPLES, name);
}

static void test_round_trip(void **state)
{
    static const char *const names[] = {"tag_arm.wu", "tag_movable.wu", "tag_names.wu", "demo.wu", "exclusions.xml"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        read_sample(names[i]);
        char *before = pair_list(), *text = write_text(NULL);
        read_text(text, NULL);
        char *after = pair_list(), *again = write_text(NULL);
        assert_string_equal(after, before);
        /* What was read alone knows no devices: full names, and from then on the same bytes. */
        read_text(again, NULL);
        char *third = write_text(NULL);
        assert_string_equal(third, again);
        free(before);
        free(text);
        free(after);
        free(again);
        free(third);
    }
}

static void test_sample_bytes(void **state)
{
    (void)state;
    char *bytes = read_whole(SAMPLES "/exclusions.xml", NULL);
    read_sample("exclusions.xml");
    char *text = write_text(NULL);
    assert_string_equal(text, bytes);
    free(text);
    free(bytes);
}

/* All pairs inside the device: with relative=yes names as they stand in a setup beside the device's file. */
static void test_relative_names(void **state)
{
    static const char cell[] = "{ \"WORLD\"\n CollisionSetup \"tag/relative.xml\"\n}\n"
                               "{ \"Left\"\n Device \"tag/two-axis.dev\"\n}\n";
    (void)state;
    cp_scene_free(scene);
    assert_int_equal(cp_read_memory(context, cell, sizeof cell - 1, SAMPLES "/memory.wu", "tag", NULL, 0, &scene),
                     CP_OK);
    assert_int_equal(count_pairs(scene), 0); /* the file is not there: a loss */
    assert_int_equal(count_lost(context, "tag-setup"), 1);
    uint32_t first = 0;
    while (strcmp(cp_nodes(scene, NULL)[first].name, "Left.A") != 0)
        first++;
    /* What the names have in common may go beyond the device. */
    add_pair_of(scene, first, first, "given");
    char *text = write_text("relative=yes");
    assert_non_null(strstr(text, "<!-- names are relative to \"Left.\" -->"));
    assert_non_null(strstr(text, "<FramePair first=\"A\" second=\"A\"/>"));
    free(text);
    struct draft draft = draft_of(scene);
    draft.pairs[0].second = first + 1;
    change_scene(&draft);
    text = write_text("relative=yes");
    assert_non_null(strstr(text, "<!-- names are relative to \"Left.\" -->"));
    assert_non_null(strstr(text, "<FramePair first=\"A\" second=\"B\"/>"));
    free(text);
    text = write_text(NULL);
    assert_null(strstr(text, "<!--"));
    assert_non_null(strstr(text, "<FramePair first=\"Left.A\" second=\"Left.B\"/>"));
    free(text);
    add_pair_of(scene, 1, 2, "given"); /* the base itself is outside */
    text = write_text("relative=yes");
    assert_null(strstr(text, "<!--"));
    free(text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_read),           TEST(test_empty),       TEST(test_encodings),  TEST(test_what_has_no_place),
        TEST(test_refused),        TEST(test_hostile),     TEST(test_prefix),     TEST(test_write_names),
        TEST(test_write_losses),   TEST(test_write_twins), TEST(test_round_trip), TEST(test_sample_bytes),
        TEST(test_relative_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

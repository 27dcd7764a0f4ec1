/* Lists of exclusions with what is known of their pairs: attributes, files for devices, and the JSON beside the
 * list. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cellpipe_tool.h"
#include "scene_fixture.h"

/* ---- scenes ---- */

static void add_pair(uint32_t first, uint32_t second, const char *reason, const cp_finding *finding)
{
    const cp_pair pair = {first, second, CP_PAIR_EXCLUDED, reason, "", finding};
    assert_true(cp_add_pair(scene, &pair) != CP_NONE);
}

static void add_kept(uint32_t first, uint32_t second, const char *reason, const cp_finding *finding)
{
    const cp_pair pair = {first, second, CP_PAIR_KEPT, reason, "", finding};
    assert_true(cp_add_pair(scene, &pair) != CP_NONE);
}

static uint32_t add_device(const char *name, uint32_t base, uint32_t scope)
{
    cp_device device = cp_new_device();
    device.name = name;
    device.base = base;
    device.scope = scope;
    return cp_add_device(scene, &device);
}

/* Frames of a device, its base among the names of others; or of none. */
static uint32_t add_frame(uint32_t parent, const char *name, uint32_t device, uint32_t flags)
{
    const cp_node node = {.name = name, .parent = parent, .scope = device, .flags = flags, .local = PLAIN_IDENTITY};
    return cp_add_node(scene, &node);
}

static uint32_t add(uint32_t parent, const char *name)
{
    return add_frame(parent, name, CP_NONE, 0);
}

/* Does something with a draft of the scene, called `cell`. */
#define CHANGE(statements)                                                                                             \
    do {                                                                                                               \
        struct draft cell = draft_of(scene);                                                                           \
        statements;                                                                                                    \
        change_scene(&cell);                                                                                           \
    } while (0)

static const cp_joint_setting seen_at[] = {{0, -0.5}, {1, 1.25}};
static const cp_finding findings[] = {
    {.clearance = INFINITY, .margin = 0.001, .touch = CP_TOUCH, .key = 1},
    {.clearance = INFINITY, .margin = 0.001, .touch = CP_TOUCH, .samples = 100, .hits = 100},
    {.clearance = 0.0625,
     .margin = 0.001,
     .touch = CP_TOUCH,
     .work = 1234,
     .samples = 100,
     .key = UINT64_C(0xffffffffffffffff)},
    {.clearance = 0.5, .margin = 0.001, .touch = CP_TOUCH, .samples = 1000, .descents = 300},
    {.clearance = 0,
     .margin = 0.001,
     .touch = CP_TOUCH,
     .samples = 100,
     .hits = 3,
     .witness_count = 2,
     .witness = seen_at,
     .key = 0xabc},
    {.clearance = 0.125, .margin = 0.001, .touch = CP_TOUCH, .samples = 100, .descents = 300, .work = 200000},
};

static void find_keys(uint64_t keys[16])
{
    assert_int_equal(cp_pair_keys(context, scene, cp_pairs(scene, NULL), count_pairs(scene), keys), CP_OK);
}

/* What findings rest on is the cell as it is: of all, or of those that have a key at all. */
static void give_keys(bool all)
{
    uint64_t keys[16];
    find_keys(keys);
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        cp_pair pair = cp_pairs(scene, NULL)[i];
        cp_finding finding = pair.finding ? *pair.finding : (cp_finding){0};
        finding.key = all || finding.key ? keys[i] : 0;
        pair.finding = pair.finding ? &finding : NULL;
        assert_int_equal(cp_set_pair(scene, i, &pair), CP_OK);
    }
    finish_scene();
}

/* A box in each frame, and two joints. */
static void make_frames(void)
{
    static const char *const names[] = {"Base", "Arm", "Hand", "Floor", "Wall", "Cart", "Lamp"};
    uint32_t box = add_mesh_of(scene, &(cp_mesh){.kind = CP_MESH_BOX, .size = {1, 1, 1}});
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t node = add(i == 1 || i == 2 ? i : 0, names[i]);
        if (i == 1 || i == 2)
            (void)add_joint_of(scene, node, CP_JOINT_REVOLUTE, NULL);
        (void)add_instance_of(scene, node, box, CP_USE_BOTH, NULL);
    }
}

/* The same with a pair of each kind. */
static void make_cell(void)
{
    const cp_pair drawn = {4, 7, CP_PAIR_EXCLUDED, "user", "drawing 17 & <b>", NULL};
    make_frames();
    add_pair(1, 4, "static", &findings[0]);
    add_pair(1, 2, "always-proved", &findings[1]);
    add_pair(2, 4, "never-proved", &findings[2]);
    add_pair(2, 5, "never-sampled", &findings[3]);
    add_kept(3, 4, "sometimes", &findings[4]);
    add_kept(3, 5, "undecided", &findings[5]);
    add_kept(3, 6, "movable", NULL);
    add_pair(4, 5, "given", NULL);
    (void)cp_add_pair(scene, &drawn);
    finish_scene();
    give_keys(false);
}

/* The cell without its own statements, and with a joint elsewhere, which do not matter to a list. */
static void forget_pairs(void)
{
    fresh_scene();
    make_frames();
    finish_scene();
    CHANGE(cell.joints[0].q = 1);
}

/* ---- files ---- */

/* The caller frees it. */
static char *text_of(const char *path)
{
    char *text = read_whole(path, NULL);
    if (!text)
        fail_msg("%s is not there", path);
    return text;
}

static bool is_there(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static cp_status write_files(const char *name, const char *const *options)
{
    size_t count = 0;
    while (options[count])
        count++;
    cp_report_clear(context);
    return cp_write(context, scene, path_of(name), "collision-setup", options, count);
}

static void expect_text(const char *name, const char *expected)
{
    char *text = text_of(path_of(name));
    assert_string_equal(text, expected);
    free(text);
}

/* ---- attributes ---- */

static const char listed_format[] =
    "<CollisionSetup>\n"
    "  <!-- excluded: 1 given, 1 user, 1 static, 1 always-proved, 1 never-proved, 1 never-sampled; kept: 1 sometimes, "
    "1 movable, 1 undecided; margin 0.001 m -->\n"
    "  <Exclude>\n"
    "    <FramePair first=\"Base\" second=\"Floor\" reason=\"static\" key=\"%016llx\"/>\n"
    "    <FramePair first=\"Base\" second=\"Arm\" reason=\"always-proved\" margin=\"0.001\" samples=\"100\" "
    "hits=\"100\"/>\n"
    "    <FramePair first=\"Arm\" second=\"Floor\" reason=\"never-proved\" margin=\"0.001\" work=\"1234\" "
    "samples=\"100\" hits=\"0\" clearance=\"0.0625\" key=\"%016llx\"/>\n"
    "    <FramePair first=\"Arm\" second=\"Wall\" reason=\"never-sampled\" margin=\"0.001\" samples=\"1000\" "
    "hits=\"0\" "
    "descents=\"300\" clearance=\"0.5\"/>\n"
    "    <FramePair first=\"Floor\" second=\"Wall\"/>\n"
    "    <FramePair first=\"Floor\" second=\"Lamp\" reason=\"user\" evidence=\"drawing 17 &amp; &lt;b&gt;\"/>\n"
    "  </Exclude>\n"
    "</CollisionSetup>\n";

/* The list of make_cell, with the keys of its pairs 0 and 2. */
static const char *list_text(uint64_t first, uint64_t second)
{
    static char text[2000];
    (void)snprintf(text, sizeof text, listed_format, (unsigned long long)first, (unsigned long long)second);
    return text;
}

static const char *list_of_cell(void)
{
    uint64_t keys[16];
    find_keys(keys);
    return list_text(keys[0], keys[2]);
}

static void test_attributes(void **unused)
{
    (void)unused;
    make_cell();
    assert_int_equal(write_files("a.xml", (const char *[]){NULL}), CP_OK);
    expect_text("a.xml", list_of_cell());
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(entries[i].severity, CP_NOTE); /* a list is no copy of the cell */
    assert_true(was_reported(context, "collision-setup-not-listed"));
    cp_set_flag(context, CP_FLAG_STRICT, true);
    assert_int_equal(write_files("a.xml", (const char *[]){NULL}), CP_OK);
}

static void test_attributes_come_back(void **unused)
{
    static const char *const reasons[] = {"static", "always-proved", "never-proved", "never-sampled", "given", "user"};
    (void)unused;
    const char *listed = list_text(UINT64_C(0x00fedcba98765432), 7);
    cp_scene_free(scene);
    assert_int_equal(cp_read_memory(context, listed, strlen(listed), "list.xml", NULL, NULL, 0, &scene), CP_OK);
    assert_false(was_reported(context, "collision-setup-attribute"));
    assert_int_equal(count_pairs(scene), 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_string_equal(cp_pairs(scene, NULL)[i].reason, reasons[i]);
    assert_string_equal(cp_pairs(scene, NULL)[5].evidence, "drawing 17 & <b>");
    assert_non_null(cp_pairs(scene, NULL)[0].finding);
    assert_true(cp_pairs(scene, NULL)[0].finding->key == UINT64_C(0x00fedcba98765432));
    assert_null(cp_pairs(scene, NULL)[4].finding);
    for (uint32_t i = 1; i < 4; i++) {
        const cp_finding *finding = cp_pairs(scene, NULL)[i].finding, *expected = &findings[i];
        assert_non_null(finding);
        assert_true(finding->margin == expected->margin && finding->work == expected->work &&
                    finding->clearance == expected->clearance);
        assert_int_equal(finding->samples, expected->samples);
        assert_int_equal(finding->hits, expected->hits);
        assert_int_equal(finding->descents, expected->descents);
        assert_int_equal(finding->key, i == 2 ? 7 : 0);
    }
    assert_int_equal(write_files("again.xml", (const char *[]){NULL}), CP_OK);
    char *text = text_of(path_of("again.xml"));
    assert_string_equal(strstr(text, "  <Exclude>"), strstr(listed, "  <Exclude>"));
    free(text);
}

/* Other attributes than ours are losses, each by itself; our numbers with values that they cannot have are errors. */
static void test_strange_attributes(void **unused)
{
    static const struct {
        const char *attributes;
        uint64_t lost;
        bool found;
    } cases[] = {
        {"reason='never' work='7'", 2, false},
        {"work='7'", 1, false},
        {"work='7' reason='user'", 0, true},
        {"reason='user' hits='3'", 1, true},
        {"reason='user' samples='2' hits='3'", 1, true},
        {"margin='-1' clearance='1e999'", 2, false},
        {"reason='user' clearance='-0'", 0, true},
        {"reason='user' key='12'", 1, false},
        {"reason='user' key='00000000000000001'", 1, false},
        {"reason='user' key='000000000000000g'", 1, false},
        {"key='0000000000000001'", 1, false},
        {"reason='user' key='0000000000000001'", 0, true},
        {"reason=''", 1, false},
        {"evidence='seen'", 0, false},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "<CollisionSetup><Exclude><FramePair first='a' second='b' %s/></Exclude></CollisionSetup>",
                       cases[i].attributes);
        cp_report_clear(context);
        cp_scene_free(scene);
        assert_int_equal(cp_read_memory(context, text, strlen(text), "list.xml", NULL, NULL, 0, &scene), CP_OK);
        print_message("%s\n", cases[i].attributes);
        assert_int_equal(count_lost(context, "collision-setup-attribute"), cases[i].lost);
        assert_int_equal(cp_pairs(scene, NULL)[0].finding != NULL, cases[i].found);
    }
}

static void test_wrong_numbers(void **unused)
{
    static const char *const names[] = {"margin", "touch", "clearance", "work", "samples", "descents", "hits"};
    static const char *const values[] = {"-1", "-1e-320", "nan", "inf", "-inf", "1e999", "many", "", "1 2", "0x10"};
    static const char *const counts[] = {"7.5", "1e-320", "9007199254740993e3"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < sizeof values / sizeof *values + (i > 2 ? sizeof counts / sizeof *counts : 0); j++) {
            size_t usual = sizeof values / sizeof *values;
            const char *value = j < usual ? values[j] : counts[j - usual];
            char text[512], expected[64];
            (void)snprintf(text, sizeof text,
                           "<CollisionSetup><Exclude>\n<FramePair first='a' second='b' reason='user' %s='%s'/>"
                           "</Exclude></CollisionSetup>",
                           names[i], value);
            cp_report_clear(context);
            cp_scene_free(scene);
            scene = NULL;
            print_message("%s\n", text);
            assert_int_equal(cp_read_memory(context, text, strlen(text), "list.xml", NULL, NULL, 0, &scene), CP_INPUT);
            const cp_entry *entry = cp_report(context, &(size_t){0});
            assert_string_equal(entry->code, "collision-setup-number");
            assert_int_equal(entry->line, 2);
            (void)snprintf(expected, sizeof expected, "%s=\"%s\"", names[i], value);
            assert_non_null(strstr(entry->text, expected));
        }
}

static void test_plain(void **unused)
{
    (void)unused;
    make_cell();
    assert_int_equal(write_files("plain.xml", (const char *[]){"plain=yes", NULL}), CP_OK);
    expect_text("plain.xml", "<CollisionSetup>\n  <Exclude>\n"
                             "    <FramePair first=\"Base\" second=\"Floor\"/>\n"
                             "    <FramePair first=\"Base\" second=\"Arm\"/>\n"
                             "    <FramePair first=\"Arm\" second=\"Floor\"/>\n"
                             "    <FramePair first=\"Arm\" second=\"Wall\"/>\n"
                             "    <FramePair first=\"Floor\" second=\"Wall\"/>\n"
                             "    <FramePair first=\"Floor\" second=\"Lamp\"/>\n"
                             "  </Exclude>\n</CollisionSetup>\n");
    assert_int_equal(count_lost(context, "collision-setup-evidence"), 5);
    assert_int_equal(write_files("plain.xml", (const char *[]){"plain=yes", "evidence=yes", NULL}), CP_OK);
    assert_int_equal(count_lost(context, "collision-setup-evidence"), 0); /* it is in the other file */
}

/* What the list cannot say is lost after all. */
static void test_losses(void **unused)
{
    (void)unused;
    make_cell();
    const cp_pair said = {2, 3, CP_PAIR_EXCLUDED, "user", "so they say", &findings[4]}; /* though it collides */
    (void)cp_add_pair(scene, &said);
    add_kept(3, 2, "sometimes", NULL);
    finish_scene();
    assert_int_equal(write_files("lossy.xml", (const char *[]){NULL}), CP_OK);
    assert_int_equal(count_lost(context, "collision-setup-witness"), 1);
    assert_int_equal(count_lost(context, "collision-setup-kept"), 1);
    cp_exclude_static_pairs(scene, true);
    add_kept(4, 5, "given", NULL);
    finish_scene();
    assert_int_equal(write_files("lossy.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    assert_int_equal(count_lost(context, "collision-setup-witness"), 0);
    assert_int_equal(count_lost(context, "collision-setup-kept"), 2);
    fresh_scene();
    (void)add(0, "part");
    finish_scene();
    assert_int_equal(write_files("empty.xml", (const char *[]){NULL}), CP_OK);
    assert_int_equal(count_lost(context, "collision-setup-empty"), 1);
}

/* ---- static pairs as a whole ---- */

enum change { NOTHING, KEPT, UNSAID, OF_THE_USER, GOES, GOES_AND_KEPT, MOVABLE, ATTACHABLE, VOLATILE, TWIN };

/* Boxes A, B and C that are fixed to the world, all pairs of which are static, but for the change. */
static void make_fixed(enum change change)
{
    static const double times[] = {0, 1}, places[] = {0, 1, 0, 0, -1, 0};
    static const char *const names[] = {"A", "B", "C", "A"};
    uint32_t box = add_mesh_of(scene, &(cp_mesh){.kind = CP_MESH_BOX, .size = {1, 1, 1}});
    uint32_t flags = change == MOVABLE ? CP_NODE_MOVABLE : change == ATTACHABLE ? CP_NODE_ATTACHABLE : 0;
    for (uint32_t i = 0; i < (change == TWIN ? 4 : 3); i++) {
        uint32_t node = add_frame(0, names[i], CP_NONE, i == 2 ? flags : 0);
        if (i == 3)
            (void)add_joint_of(scene, node, CP_JOINT_REVOLUTE, NULL);
        (void)add_instance_of(scene, node, box, CP_USE_BOTH, NULL);
    }
    bool kept = change == GOES_AND_KEPT || change == MOVABLE || change == ATTACHABLE;
    add_pair(1, 2, "static", NULL);
    (kept ? add_kept : add_pair)(1, 3, "static", NULL);
    if (change != UNSAID)
        (kept || change == KEPT ? add_kept : add_pair)(2, 3, change == OF_THE_USER ? "user" : "static", NULL);
    if (change == VOLATILE)
        (void)add_frame(0, "V", CP_NONE, CP_NODE_VOLATILE);
    if (change == GOES || change == GOES_AND_KEPT)
        (void)add_clip_of(scene, "go", 1, &(cp_track){3, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, places});
    finish_scene();
}

static size_t count_in(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

/* RobWork takes for static what fixed frames join, none of them a joint, movable or attachable: it knows no clips. */
static void test_static_pairs(void **unused)
{
    (void)unused;
    static const struct {
        enum change change;
        const char *option;
        size_t elements, names;
    } cases[] = {
        {NOTHING, NULL, 1, 0},
        {NOTHING, "static=names", 0, 3},
        {NOTHING, "plain=yes", 0, 3},
        {NOTHING, "relative=yes", 0, 3},
        {NOTHING, "split=device", 1, 0},
        {KEPT, NULL, 0, 2},
        {UNSAID, NULL, 0, 2},
        {OF_THE_USER, NULL, 1, 1},
        {GOES, NULL, 1, 2}, /* we read the element so that C is not fixed */
        {GOES_AND_KEPT, NULL, 0, 1},
        {MOVABLE, NULL, 1, 0},
        {ATTACHABLE, NULL, 1, 0},
        {VOLATILE, NULL, 0, 3},
        {TWIN, NULL, 1, 0}, /* names would not tell the two As from each other */
        {TWIN, "static=names", 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fresh_scene();
        make_fixed(cases[i].change);
        const char *options[] = {"evidence=yes", cases[i].option, NULL};
        assert_int_equal(write_files("fixed.xml", options), CP_OK);
        char *text = text_of(path_of("fixed.xml")), *evidence = text_of(path_of("fixed.xml.json"));
        assert_int_equal(count_in(text, "<ExcludeStaticPairs/>"), cases[i].elements);
        assert_int_equal(count_in(text, "<FramePair "), cases[i].names);
        assert_int_equal(count_in(evidence, "\"exclude_static_pairs\":true"), cases[i].elements);
        assert_int_equal(count_in(evidence, "\"status\":"), count_pairs(scene));
        assert_int_equal(count_in(evidence, "\"verdict\":\"excluded\""),
                         cases[i].names + count_in(evidence, "\"by\":\"ExcludeStaticPairs\""));
        assert_int_equal(count_lost(context, "collision-setup-kept"), 0);
        assert_int_equal(count_lost(context, "collision-setup-names"),
                         cases[i].change == TWIN && cases[i].option ? 2 : 0);
        free(text);
        free(evidence);
    }
}

/* Reasons of others, which a comment could not hold, and as many as there are. */
static void test_strange_reasons(void **unused)
{
    (void)unused;
    uint32_t a = add(0, "a"), b = add(0, "b");
    add_pair(a, b, "--><Exclude a='1'>", NULL);
    add_pair(b, a, "seen", NULL);
    finish_scene();
    assert_int_equal(write_files("strange.xml", (const char *[]){NULL}), CP_OK);
    expect_text("strange.xml", "<CollisionSetup>\n  <!-- excluded: 2 other -->\n  <Exclude>\n"
                               "    <FramePair first=\"a\" second=\"b\" reason=\"--&gt;&lt;Exclude a='1'&gt;\"/>\n"
                               "    <FramePair first=\"b\" second=\"a\" reason=\"seen\"/>\n"
                               "  </Exclude>\n</CollisionSetup>\n");
}

/* ---- split=device ---- */

/* Cell: Floor, Line (a device) with Line.Base, Line.Left and Line.Right (devices inside it) with two frames each; a
 * device whose frames do not begin with its name. */
static void make_line(void)
{
    uint32_t floor = add(0, "Floor"), base = add(0, "Line"), line = add_device("Line", base, CP_NONE);
    uint32_t belt = add_frame(base, "Line.Belt", line, 0), post = add_frame(base, "Line.Post", line, 0);
    uint32_t left = add_frame(base, "Line.Left", line, 0), right = add_frame(base, "Line.Right", line, 0);
    uint32_t l = add_device("Line.Left", left, line), r = add_device("Line.Right", right, line);
    uint32_t l1 = add_frame(left, "Line.Left.A", l, CP_NODE_VOLATILE), l2 = add_frame(l1, "Line.Left.B", l, 0);
    uint32_t r1 = add_frame(right, "Line.Right.A", r, 0), r2 = add_frame(r1, "Line.Right.B", r, 0);
    uint32_t odd = add(0, "Odd"), o = add_device("Odd", odd, CP_NONE);
    uint32_t o1 = add_frame(odd, "Post", o, 0), o2 = add_frame(odd, "OddThing", o, 0);
    add_pair(l1, l2, "given", NULL);
    add_pair(floor, l2, "given", NULL);
    add_pair(l1, r1, "given", NULL);
    add_pair(r2, r1, "never-proved", NULL);
    add_pair(belt, l2, "given", NULL);
    add_pair(l2, l1, "given", NULL);
    add_pair(o1, o2, "given", NULL);
    add_pair(left, right, "given", NULL);
    add_pair(base, belt, "given", NULL);
    add_kept(belt, post, "sometimes", NULL);
    cp_exclude_static_pairs(scene, true);
    finish_scene();
}

static void test_split(void **unused)
{
    (void)unused;
    make_line();
    assert_int_equal(write_files("line.xml", (const char *[]){"split=device", NULL}), CP_OK);
    expect_text("line.xml", "<CollisionSetup>\n  <!-- excluded: 3 given; kept: 1 sometimes -->\n  <Exclude>\n"
                            "    <FramePair first=\"Floor\" second=\"Line.Left.B\"/>\n"
                            "    <FramePair first=\"Post\" second=\"OddThing\"/>\n"
                            "    <FramePair first=\"Line\" second=\"Line.Belt\"/>\n"
                            "  </Exclude>\n  <Volatile>Line.Left.A</Volatile>\n  <ExcludeStaticPairs/>\n"
                            "</CollisionSetup>\n");
    expect_text("Line_LeftCollisionSetup.xml",
                "<CollisionSetup>\n  <!-- names are relative to \"Line.Left.\" -->\n  <Exclude>\n"
                "    <FramePair first=\"A\" second=\"B\"/>\n    <FramePair first=\"B\" second=\"A\"/>\n"
                "  </Exclude>\n</CollisionSetup>\n");
    expect_text("Line_RightCollisionSetup.xml",
                "<CollisionSetup>\n  <!-- names are relative to \"Line.Right.\" -->\n"
                "  <!-- excluded: 1 never-proved -->\n  <Exclude>\n"
                "    <FramePair first=\"B\" second=\"A\" reason=\"never-proved\"/>\n  </Exclude>\n</CollisionSetup>\n");
    expect_text(
        "LineCollisionSetup.xml",
        "<CollisionSetup>\n  <!-- names are relative to \"Line.\" -->\n  <Exclude>\n"
        "    <FramePair first=\"Left.A\" second=\"Right.A\"/>\n    <FramePair first=\"Belt\" second=\"Left.B\"/>\n"
        "    <FramePair first=\"Left\" second=\"Right\"/>\n  </Exclude>\n</CollisionSetup>\n");
    assert_false(is_there("OddCollisionSetup.xml"));
}

/* Devices whose scopes go round, or whose names are the same, or that of the output. */
static void test_split_of_strange_devices(void **unused)
{
    (void)unused;
    uint32_t one = add(0, "One"), two = add(0, "Two"), first = add_device("One", one, 1);
    uint32_t second = add_device("oNE", two, first);
    uint32_t a = add_frame(one, "One.A", first, 0), b = add_frame(one, "One.B", first, 0);
    uint32_t c = add_frame(two, "Two.A", second, 0), d = add_frame(two, "Two.B", second, 0);
    uint32_t lost = add_frame(two, "Three.A", second, 0);
    add_pair(a, b, "given", NULL);
    add_pair(c, d, "given", NULL);
    add_pair(c, lost, "given", NULL);
    add_pair(a, d, "given", NULL);
    finish_scene();
    assert_int_equal(write_files("oneCollisionSetup.xml", (const char *[]){"split=device", "plain=yes", NULL}), CP_OK);
    char *top = text_of(path_of("oneCollisionSetup.xml"));
    assert_non_null(strstr(top, "first=\"Two.A\" second=\"Three.A\""));
    assert_non_null(strstr(top, "first=\"One.A\" second=\"Two.B\""));
    assert_null(strstr(top, "\"A\""));
    assert_false(is_there("OneCollisionSetup.xml"));
    assert_true(is_there("One_2CollisionSetup.xml") && is_there("oNE_3CollisionSetup.xml"));
    free(top);
}

static void test_streams_are_refused(void **unused)
{
    void *bytes;
    size_t size;
    (void)unused;
    make_cell();
    static const char *const options[] = {"split=device", "evidence=yes"};
    for (int i = 0; i < 2; i++) {
        cp_report_clear(context);
        assert_int_equal(cp_write_memory(context, scene, "collision-setup", &options[i], 1, &bytes, &size), CP_USAGE);
        assert_true(was_reported(context, "sink-stream"));
    }
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of a file with a pair, sorted. */
static size_t list_lines(char *text, char **lines)
{
    size_t count = 0;
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n"))
        if (strstr(line, "<FramePair"))
            lines[count++] = strstr(line, "<FramePair");
    qsort(lines, count, sizeof *lines, compare_lines);
    return count;
}

static void expect_same_set(const char *made, const char *original, size_t expected)
{
    char *lines[2][64], *texts[] = {text_of(made), text_of(original)};
    size_t count = list_lines(texts[0], lines[0]);
    assert_int_equal(count, expected);
    assert_int_equal(list_lines(texts[1], lines[1]), expected);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(lines[0][i], lines[1][i]);
    free(texts[0]);
    free(texts[1]);
}

/* The two files of RobWork's documentation, once their pairs are excluded. */
static void test_documentation(void **unused)
{
    static const char corpus[] = SHARED "/corpus/robwork-snippets";
    (void)unused;
    cp_scene_free(scene);
    scene = NULL;
    if (access(corpus, F_OK) != 0) {
        print_message("skipped: %s\n", corpus);
        return;
    }
    assert_int_equal(cp_read(context, SHARED "/corpus/robwork-snippets/workcell.wu", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(count_pairs(scene), 37);
    assert_int_equal(write_files("doc.xml", (const char *[]){"split=device", "plain=yes", NULL}), CP_OK);
    expect_same_set(path_of("doc.xml"), SHARED "/corpus/robwork-snippets/CollisionSetup.xml", 16);
    char device[512];
    (void)snprintf(device, sizeof device, "%s", path_of("DeviceCollisionSetup.xml"));
    expect_same_set(device, SHARED "/corpus/robwork-snippets/DeviceCollisionSetup.xml", 21);
}

/* ---- evidence=yes ---- */

static json_t *load(const char *name)
{
    json_error_t error;
    json_t *root = json_load_file(path_of(name), JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s: %d: %s", name, error.line, error.text);
    return root;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void expect_hash_at(const json_t *object, const char *key, uint64_t hash)
{
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash);
    assert_string_equal(text_at(object, key), digits);
}

static void expect_finding(const json_t *pair, const cp_finding *finding)
{
    assert_true(number_at(pair, "margin") == finding->margin);
    assert_true(number_at(pair, "work") == (double)finding->work);
    assert_true(number_at(pair, "samples") == finding->samples);
    assert_true(number_at(pair, "descents") == finding->descents);
    assert_true(number_at(pair, "hits") == finding->hits);
    if (isinf(finding->clearance))
        assert_null(json_object_get(pair, "clearance"));
    else
        assert_true(number_at(pair, "clearance") == finding->clearance);
    if (finding->key)
        expect_hash_at(pair, "key", finding->key);
    else
        assert_null(json_object_get(pair, "key"));
    const json_t *witness = json_object_get(pair, "witness");
    assert_int_equal(json_array_size(witness), finding->witness_count);
    for (uint32_t i = 0; i < finding->witness_count; i++) {
        const cp_joint *joint = &cp_joints(scene, NULL)[finding->witness[i].joint];
        assert_string_equal(text_at(json_array_get(witness, i), "joint"), joint->name);
        assert_string_equal(text_at(json_array_get(witness, i), "joint_id"), joint->id);
        assert_true(number_at(json_array_get(witness, i), "value") == finding->witness[i].value);
    }
}

static void test_evidence(void **unused)
{
    (void)unused;
    make_cell();
    assert_int_equal(write_files("list.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    expect_text("list.xml", list_of_cell());
    json_t *root = load("list.xml.json"), *pairs = json_object_get(root, "pairs");
    assert_string_equal(text_at(root, "format"), "cellpipe collision evidence");
    assert_string_equal(text_at(root, "version"), "1.0");
    assert_true(number_at(root, "margin") == 0.001);
    assert_null(json_object_get(root, "samples")); /* they differ */
    assert_int_equal(json_array_size(pairs), count_pairs(scene));
    uint64_t keys[16];
    find_keys(keys);
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        const json_t *pair = json_array_get(pairs, i);
        const cp_pair *expected = &cp_pairs(scene, NULL)[i];
        assert_string_equal(text_at(pair, "first"), cp_nodes(scene, NULL)[expected->first].name);
        assert_string_equal(text_at(pair, "second"), cp_nodes(scene, NULL)[expected->second].name);
        assert_string_equal(text_at(pair, "first_id"), cp_nodes(scene, NULL)[expected->first].id);
        assert_string_equal(text_at(pair, "second_id"), cp_nodes(scene, NULL)[expected->second].id);
        assert_string_equal(text_at(pair, "status"), expected->reason);
        assert_string_equal(text_at(pair, "verdict"), expected->verdict == CP_PAIR_KEPT ? "kept" : "excluded");
        assert_string_equal(text_at(pair, "evidence"), expected->evidence);
        if (expected->finding)
            expect_finding(pair, expected->finding);
        else
            expect_hash_at(pair, "key", keys[i]);
    }
    assert_int_equal(json_array_size(json_object_get(root, "frames")), 7);
    assert_int_equal(json_array_size(json_object_get(root, "inputs")), 0);
    json_decref(root);
}

/* Names that JSON must escape; the files of devices; the same bytes again. */
static void test_evidence_of_names(void **unused)
{
    (void)unused;
    make_line();
    uint32_t odd = add(0, "a\"b\\c\xc3\xa9\n"), gone = add_frame(0, "Gone", CP_NONE, CP_NODE_PLACEHOLDER);
    add_pair(odd, gone, "given", NULL);
    finish_scene();
    assert_int_equal(write_files("names.xml.gz", (const char *[]){"split=device", "evidence=yes", NULL}), CP_OK);
    json_t *root = load("names.xml.gz.json"), *files = json_object_get(root, "device_files");
    assert_int_equal(json_array_size(files), 3);
    assert_string_equal(text_at(json_array_get(files, 0), "file"), "Line_LeftCollisionSetup.xml");
    assert_string_equal(text_at(json_array_get(files, 0), "prefix"), "Line.Left.");
    assert_string_equal(text_at(root, "prefix"), "");
    const json_t *pair = json_array_get(json_object_get(root, "pairs"), count_pairs(scene) - 1);
    assert_string_equal(text_at(pair, "first"), "a\"b\\c\xc3\xa9\n");
    assert_null(json_object_get(pair, "key")); /* nothing of it can collide */
    size_t placeholders = 0, i;
    json_t *frame;
    json_array_foreach(json_object_get(root, "frames"), i, frame) placeholders +=
        json_is_true(json_object_get(frame, "placeholder"));
    assert_int_equal(placeholders, 1);
    json_decref(root);
    char *before = text_of(path_of("names.xml.gz.json"));
    assert_int_equal(write_files("names.xml.gz", (const char *[]){"split=device", "evidence=yes", NULL}), CP_OK);
    expect_text("names.xml.gz.json", before);
    free(before);
}

static void test_evidence_of_inputs(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, SAMPLES "/tag_arm.wu", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(write_files("arm.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    json_t *root = load("arm.xml.json"), *input;
    const char *last = "";
    size_t i, top = 0;
    json_array_foreach(json_object_get(root, "inputs"), i, input)
    {
        const char *name = text_at(input, "file");
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
        assert_true(strcmp(last, name) < 0); /* sorted, without repeats */
        size_t size;
        char *bytes = read_whole(path, &size);
        assert_non_null(bytes);
        cp_hash hash = cp_hash_bytes(bytes, size);
        char expected[33];
        (void)snprintf(expected, sizeof expected, "%016llx%016llx", (unsigned long long)hash.high,
                       (unsigned long long)hash.low);
        assert_string_equal(text_at(input, "xxh3_128"), expected);
        free(bytes);
        top += strcmp(name, "tag_arm.wu") == 0;
        last = name;
    }
    assert_int_equal(top, 1);
    json_decref(root);
}

/* ---- checking a list ---- */

struct told {
    cp_list_fault_kind kinds[64];
    char texts[64][128];
    const char *attributes[64];
    uint64_t pairs[64];
    double before[64][2];
    size_t count;
};

static void note(void *user, const cp_list_fault *fault)
{
    struct told *told = user;
    assert_true(told->count < 64);
    told->kinds[told->count] = fault->kind;
    told->attributes[told->count] = fault->attribute;
    told->pairs[told->count] = fault->pairs;
    memcpy(told->before[told->count], fault->before, sizeof fault->before);
    (void)snprintf(told->texts[told->count++], sizeof *told->texts, "%s|%s", fault->first, fault->second);
}

static cp_status check(const char *name, struct told *told)
{
    told->count = 0;
    cp_report_clear(context);
    return cp_check_list(context, scene, path_of(name), note, told);
}

/* Findings as a filter would have made them: with the keys of the cell. */
static void make_fresh_cell(void)
{
    fresh_scene();
    make_cell();
    give_keys(true);
}

/* These things may change in the cell of make_cell; joints and instances are in the order of its frames. */
static void change_limit(void)
{
    CHANGE(cell.joints[0].upper = 1; cell.joints[0].lower = -1);
}

static void change_axis(void)
{
    CHANGE(cell.joints[0].axis[0] = 1; cell.joints[0].axis[2] = 0);
}

static void change_type(void)
{
    CHANGE(cell.joints[0].type = CP_JOINT_PRISMATIC);
}

static void change_pose(void)
{
    CHANGE(cell.nodes[5].local.m[7] = 0.001); /* the Wall's */
}

static void change_geometry(void)
{
    CHANGE(cell.instances[3].transform.m[3] = 1); /* the Floor's */
}

static void take_geometry(void)
{
    CHANGE(cell.instances[4].use = CP_USE_DRAWN); /* the Wall's */
}

static void make_movable(void)
{
    CHANGE(cell.nodes[4].flags |= CP_NODE_MOVABLE); /* the Floor */
}

static void make_volatile(void)
{
    CHANGE(cell.nodes[2].flags |= CP_NODE_VOLATILE); /* the Arm */
}

static void change_name(void)
{
    CHANGE(cell.nodes[5].name = "Door"); /* the Wall */
}

static void change_parent(void)
{
    CHANGE(cell.nodes[3].parent = 1); /* the Hand's, from the Arm to the Base; both are in the world's place */
}

static void change_axis_of_hand(void)
{
    CHANGE(cell.joints[1].axis[1] = 1; cell.joints[1].axis[2] = 0);
}

/* The Hand follows the Arm: limits of its master are no others' cause. */
static void make_dependent(void)
{
    CHANGE(cell.joints[1].driven = false; cell.joints[1].master = 0);
}

static void change_two(void)
{
    change_limit();
    change_pose();
}

static void expect_told(const struct told *told, cp_list_fault_kind kind, const char *text)
{
    for (size_t i = 0; i < told->count; i++)
        if (told->kinds[i] == kind && strcmp(told->texts[i], text) == 0)
            return;
    for (size_t i = 0; i < told->count; i++)
        print_message("%d %s\n", (int)told->kinds[i], told->texts[i]);
    fail_msg("nothing is told of %s", text);
}

static void test_fresh_list(void **unused)
{
    struct told told;
    (void)unused;
    make_fresh_cell();
    assert_int_equal(write_files("fresh.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    assert_false(was_reported(context, "collision-setup-outdated"));
    assert_int_equal(check("fresh.xml", &told), CP_OK);
    assert_int_equal(told.count, 0);
    forget_pairs();
    assert_int_equal(check("fresh.xml", &told), CP_OK);
}

/* What changed since it was looked at is not in a list, but for what somebody says. */
static void test_outdated_pairs(void **unused)
{
    struct told told;
    (void)unused;
    make_fresh_cell();
    change_geometry();
    assert_int_equal(write_files("outdated.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    assert_int_equal(count_lost(context, "collision-setup-outdated"), 2);
    char *text = text_of(path_of("outdated.xml"));
    assert_null(strstr(text, "first=\"Base\" second=\"Floor\""));
    assert_null(strstr(text, "first=\"Arm\" second=\"Floor\""));
    assert_non_null(strstr(text, "first=\"Arm\" second=\"Wall\""));
    assert_non_null(strstr(text, "first=\"Floor\" second=\"Wall\""));
    assert_non_null(strstr(text, "first=\"Floor\" second=\"Lamp\""));
    free(text);
    assert_int_equal(check("outdated.xml", &told), CP_NO);
    expect_told(&told, CP_LIST_PAIR_CHANGED, "Base|Floor"); /* something has: the list knows the new geometry */
    /* Read again from a list alone, what is said to be static is looked at. */
    make_fresh_cell();
    CHANGE(cell.pairs[0].finding = NULL);
    assert_int_equal(write_files("static.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    assert_int_equal(count_lost(context, "collision-setup-outdated"), 0);
    (void)add_joint_of(scene, cp_pairs(scene, NULL)->second, CP_JOINT_PRISMATIC, NULL);
    finish_scene();
    assert_int_equal(write_files("static.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    assert_int_equal(count_lost(context, "collision-setup-outdated"), 2);
    text = text_of(path_of("static.xml"));
    assert_null(strstr(text, "reason=\"static\""));
    free(text);
}

static void test_stale_list(void **unused)
{
    struct told told;
    (void)unused;
    make_fresh_cell();
    assert_int_equal(write_files("stale.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    CHANGE(cell.joints[1].lower = 0; cell.joints[1].upper = 1); /* between Hand and all that it has pairs with */
    assert_int_equal(check("stale.xml", &told), CP_NO);
    assert_int_equal(told.count, 1);
    expect_told(&told, CP_LIST_JOINT_CHANGED, "Hand|");
    assert_string_equal(told.attributes[0], "limits");
    assert_int_equal(told.pairs[0], 3); /* with Floor, Wall and Cart */
    assert_true(isinf(told.before[0][0]) && isinf(told.before[0][1]));
    make_fresh_cell();
    change_geometry();
    assert_int_equal(check("stale.xml", &told), CP_NO);
    assert_int_equal(told.count, 1);
    expect_told(&told, CP_LIST_GEOMETRY_CHANGED, "Floor|");
    assert_int_equal(told.pairs[0], 5);
    CHANGE(cell.instances[6].transform.m[3] = 1);
    assert_int_equal(check("stale.xml", &told), CP_NO);
    assert_int_equal(told.count, 2);
    expect_told(&told, CP_LIST_GEOMETRY_CHANGED, "Lamp|");
    assert_int_equal(told.pairs[1], 1);
    make_fresh_cell();
    uint32_t pallet = add(0, "Pallet");
    (void)add_instance_of(scene, pallet, 0, CP_USE_COLLISION, NULL);
    CHANGE(cell.nodes[4].name = "Door");
    assert_int_equal(check("stale.xml", &told), CP_NO);
    assert_int_equal(told.count, 3);
    expect_told(&told, CP_LIST_FRAME_GONE, "Floor|");
    expect_told(&told, CP_LIST_FRAME_NEW, "Door|");
    expect_told(&told, CP_LIST_FRAME_NEW, "Pallet|");
}

/* What has changed is told once, with the number of pairs that it concerns; the pairs are counted by hand. */
static void test_causes(void **unused)
{
    static const struct {
        void (*change)(void);
        struct {
            cp_list_fault_kind kind;
            const char *text, *attribute;
            uint64_t pairs;
        } told[2];
    } cases[] = {
        /* Of the nine pairs, Base-Floor, Floor-Wall and Floor-Lamp have no joint between them. */
        {change_limit, {{CP_LIST_JOINT_CHANGED, "Arm|", "limits", 6}}},
        {change_axis, {{CP_LIST_JOINT_CHANGED, "Arm|", "axis", 6}}},
        {change_type, {{CP_LIST_JOINT_CHANGED, "Arm|", "type", 6}}},
        {change_axis_of_hand, {{CP_LIST_JOINT_CHANGED, "Hand|", "axis", 3}}},
        {change_parent, {{CP_LIST_PARENT_CHANGED, "Hand|", "", 3}}},
        {make_dependent, {{CP_LIST_JOINT_CHANGED, "Hand|", "dependency", 3}}},
        {change_pose, {{CP_LIST_POSE_CHANGED, "Wall|", "", 3}}},
        {change_geometry, {{CP_LIST_GEOMETRY_CHANGED, "Floor|", "", 5}}},
        {make_movable, {{CP_LIST_MOVABLE_CHANGED, "Floor|", "", 5}}},
        {change_two, {{CP_LIST_POSE_CHANGED, "Wall|", "", 3}, {CP_LIST_JOINT_CHANGED, "Arm|", "limits", 6}}},
    };
    struct told told;
    (void)unused;
    make_fresh_cell();
    CHANGE(cell.joints[0].lower = -2; cell.joints[0].upper = 2);
    give_keys(true);
    assert_int_equal(write_files("causes.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_fresh_cell();
        CHANGE(cell.joints[0].lower = -2; cell.joints[0].upper = 2);
        assert_int_equal(check("causes.xml", &told), CP_OK);
        cases[i].change();
        print_message("cause %zu\n", i);
        assert_int_equal(check("causes.xml", &told), CP_NO);
        assert_int_equal(told.count, cases[i].told[1].text ? 2 : 1);
        for (size_t k = 0; k < told.count; k++) {
            assert_int_equal(told.kinds[k], cases[i].told[k].kind);
            assert_string_equal(told.texts[k], cases[i].told[k].text);
            assert_string_equal(told.attributes[k], cases[i].told[k].attribute);
            assert_int_equal(told.pairs[k], cases[i].told[k].pairs);
        }
    }
}

/* Evidence of an earlier version does not know how the cell was: each pair is told by itself. */
static void test_evidence_without_tree(void **unused)
{
    struct told told;
    (void)unused;
    make_fresh_cell();
    assert_int_equal(write_files("early.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    char *text = text_of(path_of("early.xml.json")), *tree = strstr(text, "\"tree\""),
         *pairs = strstr(text, "\"pairs\"");
    assert_true(tree && pairs && tree < pairs);
    memmove(tree, pairs, strlen(pairs) + 1);
    write_file("early.xml.json", text);
    free(text);
    assert_int_equal(check("early.xml", &told), CP_OK);
    change_axis_of_hand();
    assert_int_equal(check("early.xml", &told), CP_NO);
    assert_int_equal(told.count, 3);
    expect_told(&told, CP_LIST_PAIR_CHANGED, "Hand|Wall");
}

/* A list without evidence has the keys of its pairs, which are enough to see that it is outdated. */
static void test_list_alone(void **unused)
{
    static const struct {
        void (*change)(void);
        const char *pairs[3];
    } cases[] = {{change_limit, {"Base|Arm", "Arm|Floor", "Arm|Wall"}},
                 {change_axis, {"Base|Arm", "Arm|Floor", "Arm|Wall"}},
                 {change_type, {"Base|Arm", "Arm|Floor", "Arm|Wall"}},
                 {change_pose, {"Arm|Wall"}},
                 {change_geometry, {"Base|Floor", "Arm|Floor"}},
                 {take_geometry, {"Arm|Wall"}},
                 {make_movable, {"Base|Floor", "Arm|Floor"}},
                 {make_volatile, {"Base|Arm", "Arm|Floor", "Arm|Wall"}},
                 {change_name, {"Wall|"}}};
    struct told told;
    (void)unused;
    make_fresh_cell();
    assert_int_equal(write_files("alone.xml", (const char *[]){"static=names", NULL}), CP_OK);
    assert_int_equal(check("alone.xml", &told), CP_OK);
    assert_int_equal(told.count, 0);
    assert_true(was_reported(context, "list-no-evidence"));
    forget_pairs();
    assert_int_equal(check("alone.xml", &told), CP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = 0;
        make_fresh_cell();
        cases[i].change();
        print_message("change %zu\n", i);
        assert_int_equal(check("alone.xml", &told), CP_NO);
        for (; count < 3 && cases[i].pairs[count]; count++)
            expect_told(&told, cases[i].change == change_name ? CP_LIST_FRAME_GONE : CP_LIST_PAIR_CHANGED,
                        cases[i].pairs[count]);
        assert_int_equal(told.count, count);
    }
}

/* Frames of one name: a change of any is seen, once. */
static void test_list_alone_of_names(void **unused)
{
    struct told told;
    (void)unused;
    fresh_scene();
    make_cell();
    CHANGE(cell.nodes[6].name = "Wall");
    add_pair(2, 6, "never-proved", &findings[2]);
    finish_scene();
    give_keys(true);
    assert_int_equal(write_files("names.xml", (const char *[]){NULL}), CP_OK);
    char *text = text_of(path_of("names.xml"));
    const char *pair = strstr(text, "first=\"Arm\" second=\"Wall\"");
    assert_non_null(pair);
    assert_non_null(strstr(pair + 1, "first=\"Arm\" second=\"Wall\""));
    free(text);
    assert_int_equal(check("names.xml", &told), CP_OK);
    for (uint32_t i = 5; i < 7; i++) {
        CHANGE(cell.nodes[i].local.m[3] = 0.5);
        assert_int_equal(check("names.xml", &told), CP_NO);
        assert_int_equal(told.count, 1);
        expect_told(&told, CP_LIST_PAIR_CHANGED, "Arm|Wall");
        CHANGE(cell.nodes[i].local.m[3] = 0);
    }
    assert_int_equal(check("names.xml", &told), CP_OK);
    assert_int_equal(cp_set_limit(context, "pairs=3"), CP_OK);
    assert_int_equal(check("names.xml", &told), CP_LIMIT);
    assert_true(was_reported(context, "list-many-pairs"));
}

/* Somebody changed the list, or the evidence. */
static void test_list_and_evidence_differ(void **unused)
{
    struct told told;
    (void)unused;
    make_fresh_cell();
    assert_int_equal(write_files("differ.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    char *text = text_of(path_of("differ.xml"));
    char *place = strstr(text, "first=\"Arm\" second=\"Wall\"");
    assert_non_null(place);
    memcpy(place, "first=\"Arm\" second=\"Lamp\"", 25);
    write_file("differ.xml", text);
    free(text);
    assert_int_equal(check("differ.xml", &told), CP_NO);
    assert_int_equal(told.count, 2);
    expect_told(&told, CP_LIST_NOT_LISTED, "Arm|Wall");
    expect_told(&told, CP_LIST_NOT_EVIDENT, "Arm|Lamp");
}

/* A list as it is written, with one text in another's place. */
static cp_status check_changed(const char *name, const char *from, const char *to, struct told *told)
{
    make_fresh_cell();
    assert_int_equal(write_files(name, (const char *[]){"evidence=yes", NULL}), CP_OK);
    char *text = text_of(path_of(name)), *place = strstr(text, from);
    assert_non_null(place);
    size_t size = strlen(text) + strlen(to) + 1;
    char *changed = scratch(size, 1);
    (void)snprintf(changed, size, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
    write_file(name, changed);
    free(text);
    return check(name, told);
}

/* Somebody changed what the list says of a pair. */
static void test_attributes_differ(void **unused)
{
    static const struct {
        const char *from, *to, *attribute;
    } cases[] = {
        {"clearance=\"0.0625\"", "clearance=\"0.0626\"", "clearance"},
        {" clearance=\"0.0625\"", "", "clearance"},
        {"work=\"1234\"", "work=\"1235\"", "work"},
        {"samples=\"100\"", "samples=\"101\"", "samples"},
        {"hits=\"100\"", "hits=\"99\"", "hits"},
        {"descents=\"300\"", "descents=\"301\"", "descents"},
        {"margin=\"0.001\"", "margin=\"0.01\"", "margin"},
        {"margin=\"0.001\"", "margin=\"0.001\" touch=\"1e-5\"", "touch"},
        {"reason=\"never-proved\"", "reason=\"never-sampled\"", "reason"},
        {"key=\"", "key=\"0123456789abcdef\" evidence=\"", "key"},
    };
    struct told told;
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "changed%zu.xml", i);
        assert_int_equal(check_changed(name, cases[i].from, cases[i].to, &told), CP_NO);
        assert_int_equal(told.count, 1);
        assert_int_equal(told.kinds[0], CP_LIST_DIFFERS);
        assert_string_equal(told.attributes[0], cases[i].attribute);
    }
    assert_int_equal(check_changed("same.xml", "clearance=\"0.0625\"", "clearance=\"6.25e-2\"", &told), CP_OK);
}

/* Pairs without keys were read from a list alone: nobody knows what they rest on. */
static void test_list_without_keys(void **unused)
{
    struct told told;
    (void)unused;
    make_cell();
    for (uint32_t i = 0; i < count_pairs(scene); i++)
        CHANGE(cell.pairs[i].finding = cell.pairs[i].finding ? &findings[3] : NULL);
    assert_int_equal(write_files("keyless.xml", (const char *[]){"evidence=yes", NULL}), CP_OK);
    assert_int_equal(check("keyless.xml", &told), CP_OK);
    assert_true(was_reported(context, "list-keys"));
    assert_int_equal(remove(path_of("keyless.xml.json")), 0);
    assert_int_equal(check("keyless.xml", &told), CP_OK);
    assert_true(was_reported(context, "list-no-evidence"));
    CHANGE(cell.nodes[4].name = "Door");
    assert_int_equal(check("keyless.xml", &told), CP_NO);
    assert_int_equal(told.count, 1);
    expect_told(&told, CP_LIST_FRAME_GONE, "Floor|");
}

/* All files of a list count, with the names that they have in the cell. */
static void test_split_list(void **unused)
{
    struct told told;
    static const char *const plain[] = {"split=device", "plain=yes", "evidence=yes", NULL};
    (void)unused;
    make_line();
    assert_int_equal(write_files("all.xml", plain), CP_OK);
    assert_int_equal(check("all.xml", &told), CP_OK);
    assert_int_equal(remove(path_of("LineCollisionSetup.xml")), 0);
    assert_int_equal(check("all.xml", &told), CP_INPUT);
    CHANGE(cell.pairs[2].verdict = CP_PAIR_KEPT);
    char *evidence = text_of(path_of("all.xml.json"));
    assert_int_equal(mkdir(path_of("other"), 0777), 0);
    assert_int_equal(write_files("other/all.xml", plain), CP_OK);
    write_file("other/all.xml.json", evidence);
    free(evidence);
    assert_int_equal(check("other/all.xml", &told), CP_NO);
    assert_int_equal(told.count, 1);
    expect_told(&told, CP_LIST_NOT_LISTED, "Line.Left.A|Line.Right.A");
}

static void test_bad_evidence(void **unused)
{
    static const char head[] = "{\"format\":\"cellpipe collision evidence\",\"version\":\"1.0\",\"prefix\":\"\",";
    static const struct {
        const char *rest, *code;
    } cases[] = {
        {"\"device_files\":[],\"frames\":[],\"pairs\":[]}", NULL},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[]", "gltf-json"},
        {"\"device_files\":[],\"frames\":[]}", "list-evidence"},
        {"\"device_files\":[{\"file\":\"../x.xml\",\"prefix\":\"\"}],\"frames\":[],\"pairs\":[]}", "list-evidence"},
        {"\"device_files\":[{\"file\":\"\",\"prefix\":\"\"}],\"frames\":[],\"pairs\":[]}", "list-evidence"},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[],\"tree\":[],\"joints\":[]}", NULL},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[],\"tree\":7}", "list-evidence"},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[],\"tree\":[{\"id\":\"a\"}]}", "list-evidence"},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[],\"tree\":[{\"id\":\"a\",\"pose\":[1,2]}]}", "list-evidence"},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[],\"joints\":[{\"id\":\"a\",\"type\":7,\"axis\":[0,0,1]}]}",
         "list-evidence"},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[],\"joints\":[{\"id\":\"a\",\"type\":\"odd\",\"axis\":[0,0,1]}]"
         "}",
         NULL},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[],\"joints\":[{\"id\":\"a\",\"type\":\"odd\",\"axis\":[0,0,1],"
         "\"rule\":\"x\"}]}",
         "list-evidence"},
        {"\"device_files\":[7],\"frames\":[],\"pairs\":[]}", "list-evidence"},
        {"\"device_files\":{},\"frames\":[],\"pairs\":[]}", "list-evidence"},
        {"\"device_files\":[],\"frames\":[{\"id\":\"a\"}],\"pairs\":[]}", "list-evidence"},
        {"\"device_files\":[],\"frames\":[{\"id\":\"a\",\"name\":\"a\",\"geometry\":\"0x1\"}],\"pairs\":[]}",
         "list-evidence"},
        {"\"device_files\":[],\"frames\":[{\"id\":\"a\",\"name\":\"a\"},{\"id\":\"a\",\"name\":\"b\"}],\"pairs\":[]}",
         "list-evidence"},
        {"\"device_files\":[],\"frames\":[],\"pairs\":[{\"first_id\":\"a\",\"second_id\":\"a\",\"verdict\":\"kept\"}]}",
         "list-evidence"},
        {"\"device_files\":[],\"frames\":[{\"id\":\"a\",\"name\":\"a\"}],\"pairs\":[{\"first_id\":\"a\","
         "\"second_id\":\"a\",\"verdict\":\"maybe\"}]}",
         "list-evidence"},
        {"\"device_files\":[],\"frames\":[{\"id\":\"a\",\"name\":\"a\"}],\"pairs\":[{\"first_id\":\"a\","
         "\"second_id\":\"a\",\"verdict\":\"kept\",\"status\":\"given\",\"clearance\":\"1\"}]}",
         "list-evidence"},
        {"\"device_files\":[],\"frames\":[{\"id\":\"a\",\"name\":\"a\"}],\"pairs\":[{\"first_id\":\"a\","
         "\"second_id\":\"a\",\"verdict\":\"kept\",\"status\":\"given\",\"samples\":1.5}]}",
         "list-evidence"},
        {"\"device_files\":[],\"frames\":[{\"id\":\"a\",\"name\":\"a\"}],\"pairs\":[{\"first_id\":\"a\","
         "\"second_id\":\"a\",\"verdict\":\"kept\",\"status\":\"given\",\"hits\":4294967296}]}",
         "list-evidence"},
    };
    struct told told;
    (void)unused;
    finish_scene();
    write_file("bad.xml", "<CollisionSetup/>");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s%s", head, cases[i].rest);
        write_file("bad.xml.json", text);
        print_message("%s\n", cases[i].rest);
        assert_int_equal(check("bad.xml", &told), cases[i].code ? CP_INPUT : CP_OK);
        if (cases[i].code)
            assert_true(was_reported(context, cases[i].code));
    }
    static const char *const whole[] = {"[]", "7", "{\"format\":\"glTF\",\"version\":\"1.0\"}", "\xff",
                                        "{\"format\":\"cellpipe collision evidence\",\"version\":\"2.0\"}"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        write_file("bad.xml.json", whole[i]);
        assert_int_equal(check("bad.xml", &told), CP_INPUT);
        assert_true(was_reported(context, "list-evidence"));
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_attributes),
        TEST(test_attributes_come_back),
        TEST(test_strange_attributes),
        TEST(test_wrong_numbers),
        TEST(test_plain),
        TEST(test_losses),
        TEST(test_static_pairs),
        TEST(test_strange_reasons),
        TEST(test_split),
        TEST(test_split_of_strange_devices),
        TEST(test_streams_are_refused),
        TEST(test_documentation),
        TEST(test_evidence),
        TEST(test_evidence_of_names),
        TEST(test_evidence_of_inputs),
        TEST(test_fresh_list),
        TEST(test_outdated_pairs),
        TEST(test_stale_list),
        TEST(test_causes),
        TEST(test_evidence_without_tree),
        TEST(test_list_alone),
        TEST(test_list_alone_of_names),
        TEST(test_list_and_evidence_differ),
        TEST(test_attributes_differ),
        TEST(test_list_without_keys),
        TEST(test_split_list),
        TEST(test_bad_evidence),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}

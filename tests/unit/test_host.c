/* An importer, an exporter and filters of a host's own, through the public headers alone. Their format is text:
 *
 *     points
 *     NAME X Y Z       a frame with a box at a place, in metres
 *     use FILE         the lines of a further file
 *     model FILE       a further model below a frame of that name */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cellpipe_build.h"
#include "zip_writer.h"

/* Says what the host's functions do beside their work; with NULL as their user they do nothing. */
struct orders {
    cp_status answer; /* in place of what they would answer */
    bool tells;       /* with an error in the report */
    bool breaks;      /* the scene, in one of these ways: */
    int way;
    bool dies, registers;
    int calls;
};

static cp_status obey(struct orders *orders, cp_context *context, cp_scene *scene)
{
    if (orders)
        orders->calls++;
    if (!orders || (!orders->breaks && orders->answer == CP_OK && !orders->dies))
        return CP_OK;
    if (orders->dies)
        abort();
    if (orders->breaks) {
        cp_node node = cp_new_node();
        node.name = "broken";
        node.parent = orders->way == 0 ? 99 : 0;
        uint32_t index = cp_add_node(scene, &node);
        cp_instance instance = cp_new_instance(index, 97);
        cp_pair pair = cp_new_pair();
        pair.second = 98;
        pair.reason = "given";
        node.local.m[3] = NAN;
        if (orders->way == 1)
            (void)cp_add_pair(scene, &pair);
        else if (orders->way == 2)
            (void)cp_add_instance(scene, &instance);
        else if (orders->way == 3)
            return cp_set_node(scene, index, &node);
        return CP_OK;
    }
    return orders->tells ? cp_report_error(context, orders->answer, "points-ordered", NULL, 7, "ordered %d", 42)
                         : orders->answer;
}

/* ---- the importer ---- */

enum colour { RED, GREEN };
struct points_settings {
    double size; /* of the boxes */
    double turn; /* about Z */
    int colour;
    bool plain;
};
static const cp_option points_options[] = {
    {"size", "edges of the boxes", CP_OPTION_LENGTH, offsetof(struct points_settings, size), "10mm", .minimum = 0.001,
     .maximum = 1},
    {"turn", "turns all frames about Z", CP_OPTION_ANGLE, offsetof(struct points_settings, turn), .initial = "0"},
    {"colour", "of the boxes", CP_OPTION_CHOICE, offsetof(struct points_settings, colour), "green",
     .choices = "red|green"},
    {"plain", "no boxes", CP_OPTION_BOOLEAN, offsetof(struct points_settings, plain), .initial = "no"},
    CP_OPTIONS_END};

struct reading {
    cp_context *context;
    const struct points_settings *settings;
    cp_scene *scene;
    uint32_t mesh;
};

static int probe_points(void *user, const void *head, size_t count, uint64_t file_size)
{
    struct orders *orders = user;
    assert_true(count <= 65536 && count <= file_size);
    if (orders && orders->registers) {
        orders->registers = false;
        return -1000;
    }
    return count >= 7 && memcmp(head, "points\n", 7) == 0 ? 1000 : 0;
}

static cp_status add_point(struct reading *reading, const char *name, const double at[3])
{
    cp_node node = cp_new_node();
    node.name = name;
    node.parent = 0;
    node.local.m[0] = node.local.m[5] = cos(reading->settings->turn);
    node.local.m[4] = sin(reading->settings->turn);
    node.local.m[1] = -node.local.m[4];
    for (int axis = 0; axis < 3; axis++)
        node.local.m[4 * axis + 3] = at[axis];
    uint32_t index = cp_add_node(reading->scene, &node);
    if (index == CP_NONE || reading->settings->plain)
        return index == CP_NONE ? CP_LIMIT : CP_OK;
    cp_instance instance = cp_new_instance(index, reading->mesh);
    return cp_add_instance(reading->scene, &instance) == CP_NONE ? CP_LIMIT : CP_OK;
}

static cp_status read_lines(struct reading *reading, const cp_input *input);

static cp_status read_further_points(struct reading *reading, const cp_input *input, const char *name, uint64_t line)
{
    cp_input *further;
    cp_status status = cp_input_open(input, name, &further);
    if (status == CP_NO)
        return cp_report_error(reading->context, CP_INPUT, "points-file", cp_input_name(input), line, "no file \"%s\"",
                               name);
    if (status == CP_OK)
        status = read_lines(reading, further);
    cp_input_close(further);
    return status;
}

static cp_status read_model(struct reading *reading, const cp_input *input, const char *name, uint64_t line)
{
    cp_scene *model;
    cp_status status = cp_input_read(input, name, NULL, &model);
    if (status == CP_NO)
        return cp_report_error(reading->context, CP_INPUT, "points-file", cp_input_name(input), line, "no model \"%s\"",
                               name);
    if (status == CP_OK)
        status = cp_merge(reading->context, reading->scene, model, name);
    cp_scene_free(model);
    return status;
}

static cp_status read_line(struct reading *reading, const cp_input *input, const char *text, size_t size, uint64_t line)
{
    char name[80];
    size_t word = strcspn(text, " \n");
    double at[3];
    const char *rest = text + word, *end = text + size;
    if (word == 0 || word >= size || word >= sizeof name)
        return cp_report_error(reading->context, CP_INPUT, "points-line", cp_input_name(input), line,
                               "needs NAME X Y Z");
    bool is_file = memcmp(text, "use ", 4) == 0 || memcmp(text, "model ", 6) == 0;
    size_t name_size = is_file ? size - word - 1 : word;
    if (name_size >= sizeof name)
        return cp_report_error(reading->context, CP_INPUT, "points-line", cp_input_name(input), line, "is too long");
    memcpy(name, is_file ? text + word + 1 : text, name_size);
    name[name_size] = '\0';
    if (is_file)
        return *text == 'u' ? read_further_points(reading, input, name, line) : read_model(reading, input, name, line);
    for (int axis = 0; axis < 3 && rest; axis++) {
        while (rest < end && *rest == ' ')
            rest++;
        const char *number = rest;
        rest = cp_parse_number(rest, end, &at[axis]);
        if (!rest)
            return cp_report_error(reading->context, CP_INPUT, "points-number", cp_input_name(input), line,
                                   "\"%.*s\" is no number", (int)(end - number), number);
    }
    uint32_t count;
    const cp_node *nodes = cp_nodes(reading->scene, &count);
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(nodes[i].name, name) == 0) {
            const cp_entry entry = {CP_WARNING, "points-twice", cp_input_name(input), line, 1, name, 0, NULL, NULL};
            if (cp_input_is_strict(input))
                return cp_report_error(reading->context, CP_INPUT, "points-twice", cp_input_name(input), line, "again");
            cp_report_entry(reading->context, &entry, "again");
        }
    if (rest != end) {
        const cp_entry entry = {.severity = CP_LOSS, .code = "points-rest", .count = 1};
        cp_report_entry(reading->context, &entry, "what follows a place");
    }
    return add_point(reading, name, at);
}

static cp_status read_lines(struct reading *reading, const cp_input *input)
{
    size_t count;
    const char *text = cp_input_bytes(input, &count), *end = text + count;
    assert_int_equal(*end, 0);
    cp_status status = CP_OK;
    for (const char *at = text; at < end && status == CP_OK;) {
        size_t size = strcspn(at, "\n");
        if (at != text)
            status = read_line(reading, input, at, size, cp_input_line(input, (size_t)(at - text)));
        at += size + 1;
    }
    return status;
}

static cp_status read_points(void *user, cp_context *context, const cp_input *input, const void *settings,
                             cp_scene *scene)
{
    struct reading reading = {.context = context, .settings = settings, .scene = scene};
    cp_mesh box = cp_new_mesh();
    cp_group group = {0, 0, 0};
    cp_material material = cp_new_material();
    material.rgba[reading.settings->colour == RED ? 1 : 0] = 0;
    box.kind = CP_MESH_BOX;
    for (int axis = 0; axis < 3; axis++)
        box.size[axis] = reading.settings->size;
    box.groups = &group;
    box.group_count = 1;
    reading.mesh = cp_add_mesh(scene, &box);
    if (reading.mesh == CP_NONE || cp_add_material(scene, &material) == CP_NONE)
        return CP_LIMIT;
    cp_status status = read_lines(&reading, input);
    return status == CP_OK ? obey(user, context, scene) : status;
}

/* ---- the exporter ---- */

struct writing_settings {
    double unit;
};
static const cp_option writing_options[] = {
    {"unit", "of the places", CP_OPTION_UNIT, offsetof(struct writing_settings, unit), .initial = "m"}, CP_OPTIONS_END};

static cp_status write_points(void *user, cp_context *context, const cp_scene *scene, const void *settings,
                              cp_output *output)
{
    const struct writing_settings *own = settings;
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    cp_pose worlds[64];
    assert_true(count <= 64);
    cp_status status = cp_world_poses(context, scene, NULL, worlds);
    if (status == CP_OK)
        status = cp_output_write(output, "points\n", 7);
    for (uint32_t i = 1; i < count && status == CP_OK; i++) {
        (void)cp_output_text(output, nodes[i].name);
        for (int axis = 0; axis < 3; axis++) {
            (void)cp_output_text(output, " ");
            (void)cp_output_number(output, worlds[i].m[4 * axis + 3] / own->unit);
        }
        status = cp_output_text(output, "\n");
    }
    return status == CP_OK ? obey(user, context, NULL) : status;
}

/* ---- filters ---- */

struct lift_settings {
    double by;
    bool fresh; /* it builds another scene */
    bool welds;
};
static const cp_option lift_options[] = {
    {"by", "how far up", CP_OPTION_LENGTH, offsetof(struct lift_settings, by), "0", .minimum = -100, .maximum = 100},
    {"fresh", "as another scene, of frames alone", CP_OPTION_BOOLEAN, offsetof(struct lift_settings, fresh),
     .initial = "no"},
    {"welds", "and welds it", CP_OPTION_BOOLEAN, offsetof(struct lift_settings, welds), .initial = "no"},
    CP_OPTIONS_END};

static cp_status lift(void *user, cp_context *context, cp_scene *scene, const void *settings)
{
    const struct lift_settings *own = settings;
    cp_scene *other = own->fresh ? cp_scene_new(context) : NULL;
    cp_status status = own->fresh && !other ? CP_LIMIT : CP_OK;
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 1; i < count && status == CP_OK; i++) {
        cp_node node = nodes[i];
        if (node.parent == 0)
            node.local.m[11] += own->by;
        if (other)
            status = cp_add_node(other, &node) == CP_NONE ? CP_LIMIT : CP_OK;
        else
            status = cp_set_node(scene, i, &node);
    }
    if (other && status == CP_OK)
        status = cp_scene_replace(scene, other);
    else
        cp_scene_free(other);
    if (own->welds && status == CP_OK)
        status = cp_apply(context, scene, "weld", NULL, 0);
    return status == CP_OK ? obey(user, context, scene) : status;
}

/* ---- the host ---- */

static cp_context *context;
static cp_scene *scene;
static struct orders orders;
static char start[1000];

static cp_importer importer_for(struct orders *user)
{
    return (cp_importer){.size = sizeof(cp_importer),
                         .name = "points",
                         .title = "points by name",
                         .version = "7",
                         .options = points_options,
                         .settings_size = sizeof(struct points_settings),
                         .user = user,
                         .suffixes = ".pts .points",
                         .probe = probe_points,
                         .sign = "\"points\"",
                         .read = read_points};
}

static cp_exporter exporter_for(struct orders *user)
{
    return (cp_exporter){.size = sizeof(cp_exporter),
                         .name = "points",
                         .title = "points by name",
                         .options = writing_options,
                         .settings_size = sizeof(struct writing_settings),
                         .user = user,
                         .suffixes = ".pts",
                         .carries = CP_FEATURE_HIERARCHY | CP_FEATURE_NAMES,
                         .write = write_points};
}

static cp_filter filter_for(struct orders *user)
{
    return (cp_filter){.size = sizeof(cp_filter),
                       .name = "lift",
                       .title = "lifts all",
                       .options = lift_options,
                       .settings_size = sizeof(struct lift_settings),
                       .user = user,
                       .apply = lift};
}

static cp_status register_all(cp_context *in, struct orders *user)
{
    const cp_importer importer = importer_for(user);
    const cp_exporter exporter = exporter_for(user);
    const cp_filter filter = filter_for(user);
    cp_status status = cp_register_importer(in, &importer);
    if (status == CP_OK)
        status = cp_register_exporter(in, &exporter);
    return status == CP_OK ? cp_register_filter(in, &filter) : status;
}

static int set_up(void **unused)
{
    (void)unused;
    static char folder[] = "/tmp/cellpipe_host_XXXXXX";
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    scene = NULL;
    orders = (struct orders){.answer = CP_OK};
    context = cp_context_new(NULL);
    if (!context || !getcwd(start, sizeof start) || !mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    return register_all(context, &orders) == CP_OK ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    char folder[1000], command[1100];
    cp_scene_free(scene);
    cp_context_free(context);
    if (!getcwd(folder, sizeof folder) || chdir(start) != 0)
        return -1;
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static cp_status read_named(const char *name, const char *text, const char *option)
{
    cp_scene_free(scene);
    return cp_read_memory(context, text, strlen(text), name, NULL, &option, option != NULL, &scene);
}

/* Expects one entry alone, and forgets it. */
static void expect_entry(cp_severity severity, const char *code, const char *file, uint64_t line, const char *part)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    if (count != 1 || entries[0].severity != severity || strcmp(entries[0].code, code) != 0 ||
        !strstr(entries[0].message, part))
        fail_msg("not \"%s\" (%s), but %zu entries: \"%s\" (%s)", part, code, count, count ? entries[0].message : "",
                 count ? entries[0].code : "");
    assert_int_equal(entries[0].line, line);
    if (file)
        assert_string_equal(entries[0].file, file);
    cp_report_clear(context);
}

static void expect_status(cp_status status, cp_status expected)
{
    if (status != expected)
        for (size_t count, i = 0; cp_report(context, &count), i < count; i++)
            print_message("%s\n", cp_report(context, NULL)[i].message);
    assert_int_equal(status, expected);
}

static const char two[] = "points\none 1 2 3\ntwo 0.5 0 -1e-1\n";

static void expect_place(uint32_t node, const char *name, double x, double y, double z)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_true(node < count);
    assert_string_equal(nodes[node].name, name);
    const double place[] = {x, y, z};
    for (int axis = 0; axis < 3; axis++)
        assert_true(fabs(nodes[node].local.m[4 * axis + 3] - place[axis]) < 1e-15);
}

static void expect_two(void)
{
    expect_place(1, "one", 1, 2, 3);
    expect_place(2, "two", 0.5, 0, -0.1);
    assert_string_equal(cp_scene_source(scene)->format, "points");
}

static void test_read(void **unused)
{
    (void)unused;
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    expect_two();
    assert_string_equal(cp_scene_source(scene)->file, "x.pts");
    expect_status(read_named("x.POINTS", two, NULL), CP_OK);
    expect_status(read_named("x", two, NULL), CP_OK); /* by the probe alone */
    expect_two();
    expect_status(read_named("x.stl", two, NULL), CP_OK); /* surer than a suffix */
    expect_two();
    expect_status(read_named("x.pts", "pins\none 1 2 3\n", NULL), CP_OK); /* by the suffix alone */
    cp_scene_free(scene);
    expect_status(cp_read_memory(context, two, sizeof two - 1, "-", "points", NULL, 0, &scene), CP_OK);
    expect_two();
    size_t count;
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);

    static const char part[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    expect_status(read_named("x.off", part, "unit=m"), CP_OK);
    assert_string_equal(cp_scene_source(scene)->format, "off");
    expect_status(read_named("x.xyz", "nothing that is known", NULL), CP_INPUT);
    expect_entry(CP_ERROR, "read-unknown", "x.xyz", 0, "; points \"points\" (--from");
    expect_status(read_named("x.pts", "", NULL), CP_INPUT);
    expect_entry(CP_ERROR, "read-empty", "x.pts", 0, "is empty");
}

static int probe_vrml(void *user, const void *head, size_t count, uint64_t file_size)
{
    (void)user, (void)file_size;
    return count > 4 && memcmp(head, "#X3D", 4) == 0 ? 90 : 0;
}

/* A format that cellpipe knows well enough to refuse it is the host's to read: by suffix or by probe. */
static void test_known_format(void **unused)
{
    (void)unused;
    static const char classic[] = "#X3D V3.0 utf8\none 1 2 3\ntwo 0.5 0 -0.1\n";
    expect_status(read_named("x.x3dv", classic, NULL), CP_INPUT);
    expect_entry(CP_ERROR, "read-known", "x.x3dv", 0, "X3D");
    cp_importer importer = importer_for(NULL);
    importer.name = "classic";
    importer.suffixes = ".x3dv";
    importer.probe = NULL;
    expect_status(cp_register_importer(context, &importer), CP_OK);
    expect_status(read_named("x.x3dv", classic, NULL), CP_OK);
    expect_place(2, "two", 0.5, 0, -0.1);
    expect_status(read_named("x.other", classic, NULL), CP_INPUT);
    expect_entry(CP_ERROR, "read-known", "x.other", 0, "X3D");
    importer.name = "sure-classic";
    importer.suffixes = NULL;
    importer.probe = probe_vrml;
    expect_status(cp_register_importer(context, &importer), CP_OK);
    expect_status(read_named("x.other", classic, NULL), CP_OK);
    assert_string_equal(cp_scene_source(scene)->format, "sure-classic");
}

/* A second context knows nothing of it, and the first describes it. */
static void test_contexts(void **unused)
{
    (void)unused;
    cp_context *other = cp_context_new(NULL);
    cp_scene *none;
    assert_int_equal(cp_read_memory(other, two, sizeof two - 1, "x.pts", NULL, NULL, 0, &none), CP_INPUT);
    assert_string_equal(cp_report(other, NULL)[0].code, "read-unknown");
    for (cp_plugin_kind kind = CP_IMPORTER; kind <= CP_FILTER; kind++) {
        assert_int_equal(cp_plugin_count(other, kind), cp_plugin_count(NULL, kind));
        assert_int_equal(cp_plugin_count(context, kind), cp_plugin_count(NULL, kind) + 1);
    }
    assert_int_equal(cp_exporter_of(other, "x.pts"), SIZE_MAX);
    cp_context_free(other);

    const size_t last = cp_plugin_count(NULL, CP_IMPORTER);
    cp_plugin_info info = {.size = sizeof info};
    assert_true(cp_plugin_at(context, CP_IMPORTER, last, &info));
    assert_string_equal(info.name, "points");
    assert_string_equal(info.suffixes, ".pts .points");
    assert_string_equal(info.version, "7");
    assert_string_equal(cp_plugin_version(context, CP_IMPORTER, last), "7");
    assert_int_equal(info.option_count, 6); /* strict and partial are those of all importers */
    cp_option_info option = {.size = sizeof option};
    assert_true(cp_plugin_option(context, CP_IMPORTER, last, 1, &option));
    assert_string_equal(option.type, "angle");
    assert_string_equal(option.unit, "degrees");
    assert_true(cp_plugin_option(context, CP_IMPORTER, last, 4, &option));
    assert_string_equal(option.name, "strict");
    assert_int_equal(cp_exporter_of(context, "x.PTS.gz"), cp_plugin_count(NULL, CP_EXPORTER));
    assert_true(cp_plugin_at(context, CP_EXPORTER, cp_plugin_count(NULL, CP_EXPORTER), &info));
    assert_string_equal(info.version, "1");
    assert_true(cp_plugin_at(context, CP_FILTER, cp_plugin_count(NULL, CP_FILTER), &info));
    assert_string_equal(info.name, "lift");
}

static double box_size(void)
{
    return cp_meshes(scene, NULL)[0].size[1];
}

static void test_options(void **unused)
{
    (void)unused;
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    assert_true(box_size() == 0.01);
    assert_true(cp_materials(scene, NULL)[0].rgba[0] == 0 && cp_materials(scene, NULL)[0].rgba[1] == 1);
    expect_status(read_named("x.pts", two, "size=5mm"), CP_OK);
    assert_true(box_size() == 0.005);
    expect_status(read_named("x.pts", two, "colour=red"), CP_OK);
    assert_true(cp_materials(scene, NULL)[0].rgba[0] == 1 && cp_materials(scene, NULL)[0].rgba[1] == 0);
    expect_status(read_named("x.pts", two, "turn=90"), CP_OK);
    assert_true(cp_nodes(scene, NULL)[1].local.m[4] == 1);
    expect_status(read_named("x.pts", two, "turn=-1.5707963267948966rad"), CP_OK);
    assert_true(cp_nodes(scene, NULL)[1].local.m[4] == -1);
    uint32_t count;
    expect_status(read_named("x.pts", two, "plain"), CP_OK);
    (void)cp_instances(scene, &count);
    assert_int_equal(count, 0);

    expect_status(read_named("x.pts", two, "siz=5mm"), CP_USAGE);
    expect_entry(CP_ERROR, "option-unknown", NULL, 0, "option of points \"siz\"; did you mean size?");
    expect_status(read_named("x.pts", two, "size=5kg"), CP_USAGE);
    expect_entry(CP_ERROR, "option-value", NULL, 0, "size=5kg: needs a length");
    expect_status(read_named("x.pts", two, "size=2"), CP_USAGE);
    expect_entry(CP_ERROR, "option-range", NULL, 0, "size=2: must lie in 0.001 .. 1 m");
    expect_status(read_named("x.pts", two, "colour=gren"), CP_USAGE);
    expect_entry(CP_ERROR, "option-value", NULL, 0, "did you mean green?");

    expect_status(cp_set_importer_option(context, "points.size=7mm"), CP_OK);
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    assert_true(box_size() == 0.007);
    expect_status(cp_set_importer_option(context, "points.size=7kg"), CP_USAGE);
    cp_report_clear(context);
}

static void test_lines(void **unused)
{
    (void)unused;
    expect_status(read_named("x.pts", "points\none 1 2 3\ntwo 1 x 3\n", NULL), CP_INPUT);
    assert_null(scene);
    expect_entry(CP_ERROR, "points-number", "x.pts", 3, "x.pts:3: error: \"x 3\" is no number");
    static const char twice[] = "points\none 1 2 3\none 1 2 4\n";
    expect_status(read_named("x.pts", twice, NULL), CP_OK);
    assert_string_equal(cp_report(context, NULL)[0].node, "one");
    expect_entry(CP_WARNING, "points-twice", "x.pts", 3, "x.pts:3:1: warning: again");
    assert_string_equal(cp_nodes(scene, NULL)[2].id, "one#2");
    expect_status(read_named("x.pts", twice, "strict=yes"), CP_INPUT);
    expect_entry(CP_ERROR, "points-twice", "x.pts", 3, "again");

    static const char more[] = "points\none 1 2 3 4\ntwo 1 2 3 5\n";
    expect_status(read_named("x.pts", more, NULL), CP_OK);
    expect_entry(CP_LOSS, "points-rest", "x.pts", 0, "x.pts: loss: what follows a place (2)");
    cp_set_flag(context, CP_FLAG_STRICT, true);
    expect_status(read_named("x.pts", more, NULL), CP_LOSSY);
    assert_null(scene);
}

static void test_write(void **unused)
{
    (void)unused;
    static const char *const millimetres[] = {"unit=mm"}, *const wrong[] = {"unit=nm"};
    void *bytes;
    size_t size;
    expect_status(read_named("x.pts", two, "plain=yes"), CP_OK);
    expect_status(cp_write_memory(context, scene, "points", millimetres, 1, &bytes, &size), CP_OK);
    static const char wanted[] = "points\none 1000 2000 3000\ntwo 500 0 -100\n";
    assert_int_equal(size, sizeof wanted - 1);
    assert_memory_equal(bytes, wanted, size);
    cp_free(context, bytes, size);
    expect_status(cp_write_memory(context, scene, "points", wrong, 1, &bytes, &size), CP_USAGE);
    assert_null(bytes);
    cp_report_clear(context);

    expect_status(cp_write(context, scene, "out.pts", NULL, NULL, 0), CP_OK);
    expect_status(cp_write(context, scene, "out.pts.gz", NULL, NULL, 0), CP_OK);
    expect_status(cp_write(context, scene, "packed", "points.gz", NULL, 0), CP_OK);
    cp_report_clear(context);
    cp_set_flag(context, CP_FLAG_LIST_FILES, true);
    static const char *const outputs[] = {"out.pts", "out.pts.gz", "packed"};
    for (int i = 0; i < 3; i++) {
        unsigned char head[2];
        FILE *file = fopen(outputs[i], "rb");
        assert_true(file && fread(head, 1, 2, file) == 2);
        assert_int_equal(head[0] == 0x1f && head[1] == 0x8b, i > 0);
        (void)fclose(file);
        cp_scene_free(scene);
        expect_status(cp_read(context, outputs[i], NULL, NULL, 0, &scene), CP_OK);
        expect_two();
        size_t count;
        const cp_file *files = cp_files(context, &count);
        assert_int_equal(count, i + 1);
        assert_string_equal(files[i].format, "points");
    }
}

/* All that the exporter does not carry is lost, and reported. */
static void test_losses(void **unused)
{
    (void)unused;
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    expect_status(cp_write(context, scene, "out.pts", NULL, NULL, 0), CP_OK);
    expect_entry(CP_LOSS, "loss-geometry", "out.pts", 0, "meshes are left out");
    cp_set_flag(context, CP_FLAG_STRICT, true);
    expect_status(cp_write(context, scene, "strict.pts", NULL, NULL, 0), CP_LOSSY);
    assert_int_equal(access("strict.pts", F_OK), -1);
}

/* An exporter gets faces for primitives, unless it carries them. */
static cp_status write_kinds(void *user, cp_context *in, const cp_scene *written, const void *settings,
                             cp_output *output)
{
    (void)user, (void)in, (void)settings;
    const cp_mesh *mesh = cp_meshes(written, NULL);
    (void)cp_output_number(output, mesh->kind);
    return cp_output_number(output, (double)mesh->face_count);
}

static void test_what_is_carried(void **unused)
{
    (void)unused;
    const uint32_t carried[] = {CP_FEATURE_ALL, CP_FEATURE_ALL & ~(uint32_t)CP_FEATURE_PRIMITIVES, CP_FEATURE_MESHES};
    static const char *const wanted[] = {"20", "06", "012"}, *const names[] = {"all", "faces", "triangles"};
    expect_status(read_named("x.pts", "points\na 0 0 0\n", NULL), CP_OK);
    for (int i = 0; i < 3; i++) {
        const cp_exporter exporter = {
            .size = sizeof exporter, .name = names[i], .carries = carried[i], .write = write_kinds};
        void *bytes;
        size_t size;
        expect_status(cp_register_exporter(context, &exporter), CP_OK);
        expect_status(cp_write_memory(context, scene, names[i], NULL, 0, &bytes, &size), CP_OK);
        assert_int_equal(size, strlen(wanted[i]));
        assert_memory_equal(bytes, wanted[i], size);
        cp_free(context, bytes, size);
    }
    cp_report_clear(context);
    const cp_exporter shows = {.size = sizeof shows,
                               .name = "shows",
                               .carries = CP_FEATURE_ALL,
                               .shows = CP_USE_DRAWN,
                               .suffixes = ".shows",
                               .write = write_kinds};
    expect_status(cp_register_exporter(context, &shows), CP_OK);
    expect_status(cp_write(context, scene, "x.shows", NULL, NULL, 0), CP_OK);
    expect_status(read_named("x.pts", two, "plain"), CP_OK);
    expect_status(cp_write(context, scene, "y.shows", NULL, NULL, 0), CP_OK);
    expect_entry(CP_LOSS, "nothing-drawn", "y.shows", 0, "nothing is drawn");
}

static void test_filter(void **unused)
{
    (void)unused;
    static const char *const up[] = {"by=500mm"}, *const fresh[] = {"by=-0.5", "fresh", "welds"},
                             *const far[] = {"by=200"};
    uint32_t count;
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    expect_status(cp_apply(context, scene, "lift", up, 1), CP_OK);
    expect_place(1, "one", 1, 2, 3.5);
    expect_place(2, "two", 0.5, 0, 0.4);
    (void)cp_instances(scene, &count);
    assert_int_equal(count, 2);
    expect_status(cp_apply(context, scene, "lift", fresh, 3), CP_OK);
    expect_two(); /* the source is the same still */
    (void)cp_instances(scene, &count);
    assert_int_equal(count, 0);
    expect_status(cp_apply(context, scene, "lift", far, 1), CP_USAGE);
    expect_entry(CP_ERROR, "option-range", NULL, 0, "by=200");
    expect_status(cp_apply(context, scene, "lif", NULL, 0), CP_USAGE);
    expect_entry(CP_ERROR, "plugin-unknown", NULL, 0, "did you mean lift?");
    orders = (struct orders){.answer = CP_INPUT, .tells = true};
    expect_status(cp_apply(context, scene, "lift", (const char *const[]){"welds"}, 1), CP_INPUT);
    expect_entry(CP_ERROR, "points-ordered", "lift", 7, "lift:7: error: ordered 42");
    expect_two();
}

static cp_status run(int kind)
{
    void *bytes = NULL;
    size_t size = 0;
    cp_status status = CP_OK;
    if (kind == 0)
        return read_named("x.pts", two, "plain");
    status = kind == 1 ? cp_write_memory(context, scene, "points", NULL, 0, &bytes, &size)
                       : cp_apply(context, scene, "lift", NULL, 0);
    if (kind == 1 && status != CP_OK)
        assert_true(!bytes && size == 0);
    cp_free(context, bytes, size);
    return status;
}

/* Whatever the functions return, with and without an error in the report. */
static void test_statuses(void **unused)
{
    (void)unused;
    static const int answers[] = {CP_USAGE, CP_INPUT, CP_OUTPUT, CP_LOSSY, CP_LIMIT, CP_CANCELLED,
                                  CP_NO,    CP_BUG,   -1,        7,        300};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        for (int kind = 0; kind < 3; kind++)
            for (int tells = 0; tells < 2; tells++) {
                orders = (struct orders){.answer = CP_OK};
                expect_status(read_named("x.pts", "points\na 0 0 0\n", "plain"), CP_OK);
                cp_report_clear(context);
                orders = (struct orders){.answer = (cp_status)answers[i], .tells = tells};
                cp_status status = run(kind);
                const bool is_known = i < 6, is_silent = !tells && i < 5;
                assert_int_equal(orders.calls, 1);
                assert_int_equal(status, is_known ? answers[i] : CP_USAGE);
                size_t count;
                const cp_entry *entries = cp_report(context, &count);
                const cp_entry *last = count ? &entries[count - 1] : NULL;
                if (!is_known)
                    assert_true(last && strcmp(last->code, "plugin-status") == 0);
                else if (is_silent)
                    assert_true(last && strcmp(last->code, "plugin-failed") == 0);
                else
                    assert_true(tells ? strcmp(last->code, "points-ordered") == 0 : count == (kind == 1));
                if (kind == 0)
                    assert_null(scene);
                cp_report_clear(context);
            }
}

/* A broken scene is the host's fault, and never leaves the call. */
static void test_broken_scenes(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 3; kind += 2)
        for (int way = 0; way < 4; way++) {
            orders = (struct orders){.answer = CP_OK};
            expect_status(read_named("x.pts", two, NULL), CP_OK);
            orders = (struct orders){.breaks = true, .way = way};
            expect_status(run(kind), CP_USAGE);
            size_t count;
            const cp_entry *entries = cp_report(context, &count);
            assert_int_equal(count, 1);
            assert_string_equal(entries[count - 1].code, "scene-invalid");
            if (kind == 0)
                assert_null(scene);
            else
                expect_two();
            cp_report_clear(context);
        }
}

/* ---- further files ---- */

struct stored {
    const char *path, *text;
};

static cp_status open_stored(void *user, const char *path, const void **bytes, size_t *count)
{
    for (const struct stored *item = user; item->path; item++)
        if (strcmp(item->path, path) == 0) {
            *bytes = item->text;
            *count = strlen(item->text);
            return CP_OK;
        }
    return CP_NO;
}

static void test_further_files(void **unused)
{
    (void)unused;
    struct stored items[] = {{"shelf/all.pts", "points\none 1 2 3\nuse more/two.pts\nmodel part.off\n"},
                             {"shelf/more/two.pts", "points\ntwo 0.5 0 -0.1\n"},
                             {"shelf/part.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
                             {"shelf/bad.pts", "points\nuse more/bad.pts\n"},
                             {"shelf/more/bad.pts", "points\nfine 1 2 3\nthree 1 2\n"},
                             {"shelf/none.pts", "points\nmodel more/none.stl\n"},
                             {"shelf/self.pts", "points\nuse self.pts\n"},
                             {NULL, NULL}};
    const cp_opener opener = {.size = sizeof opener, .open = open_stored, .user = items};
    expect_status(cp_set_opener(context, &opener), CP_OK);
    expect_status(cp_set_importer_option(context, "off.unit=m"), CP_OK);
    expect_status(cp_read(context, "shelf/all.pts", NULL, NULL, 0, &scene), CP_OK);
    expect_two();
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_string_equal(nodes[3].name, "part.off");
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    cp_report_clear(context);

    cp_scene_free(scene);
    expect_status(cp_read(context, "shelf/bad.pts", NULL, NULL, 0, &scene), CP_INPUT);
    expect_entry(CP_ERROR, "points-number", "more/bad.pts", 3, "more/bad.pts:3: error: \"\" is no number");
    expect_status(cp_read(context, "shelf/none.pts", NULL, NULL, 0, &scene), CP_INPUT);
    expect_entry(CP_ERROR, "points-file", "shelf/none.pts", 2, "no model");
    /* An opener's files have nothing by which the same one is known: their depth is limited. */
    expect_status(cp_read(context, "shelf/self.pts", NULL, NULL, 0, &scene), CP_LIMIT);
    expect_entry(CP_ERROR, "source-depth", NULL, 0, "self.pts");
}

static void test_zipped(void **unused)
{
    (void)unused;
    static struct bytes zip, directory;
    put_zipped(&zip, &directory, "cell/all.pts", "points\none 1 2 3\nuse two.pts.txt\n", true);
    put_zipped(&zip, &directory, "cell/two.pts.txt", "points\ntwo 0.5 0 -0.1\n", false);
    end_zip(&zip, &directory, 2);
    expect_status(cp_read_memory(context, zip.data, zip.size, "cell.zip", NULL, NULL, 0, &scene), CP_OK);
    expect_two();
}

/* Its own process alone dies. */
static void test_isolated(void **unused)
{
    (void)unused;
    struct orders own = {.answer = CP_OK};
    cp_importer importer = importer_for(&own);
    importer.name = "pins";
    importer.suffixes = ".pins";
    importer.isolated = true;
    expect_status(cp_register_importer(context, &importer), CP_OK);
    static const char *const format = "pins";
    FILE *file = fopen("two.pts", "w");
    assert_true(file && fputs("points\ntwo 0.5 0 -0.1\n", file) >= 0 && fclose(file) == 0);
    static const char text[] = "points\none 1 2 3\nuse two.pts\n";
    cp_set_flag(context, CP_FLAG_ISOLATE, true);
    expect_status(cp_read_memory(context, text, sizeof text - 1, "x", format, NULL, 0, &scene), CP_OK);
    expect_place(1, "one", 1, 2, 3);
    expect_place(2, "two", 0.5, 0, -0.1);
    assert_int_equal(own.calls, 0); /* that was another process's */
    own = (struct orders){.answer = CP_INPUT, .tells = true};
    cp_scene_free(scene);
    expect_status(cp_read_memory(context, text, sizeof text - 1, "x", format, NULL, 0, &scene), CP_INPUT);
    expect_entry(CP_ERROR, "points-ordered", "x", 7, "ordered 42");
    own = (struct orders){.dies = true};
    expect_status(cp_read_memory(context, text, sizeof text - 1, "x", format, NULL, 0, &scene), CP_INPUT);
    expect_entry(CP_ERROR, "read-crashed", "x", 0, "x: error");
    /* One that does not ask for it reads here. */
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    assert_int_equal(orders.calls, 1);
}

/* ---- refusals ---- */

static void refuse_importer(cp_importer importer, const char *code, const char *part)
{
    const size_t before = cp_plugin_count(context, CP_IMPORTER);
    expect_status(cp_register_importer(context, &importer), CP_USAGE);
    expect_entry(CP_ERROR, code, NULL, 0, part);
    assert_int_equal(cp_plugin_count(context, CP_IMPORTER), before);
}

static void refuse_option(cp_option option, const char *code, const char *part)
{
    const cp_option table[] = {points_options[0], option, CP_OPTIONS_END};
    cp_importer importer = importer_for(NULL);
    importer.name = "other";
    importer.options = table;
    refuse_importer(importer, code, part);
}

static void test_refusals(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        NULL, "", "Points", "a b", "a.gz", "a=b", "caf\xc3\xa9", "!", "a-name-that-has-more-than-31-letters"};
    static const char *const suffixes[] = {"pts", ".pts txt", ".Pts", ".", ".pts .gz", " .pts", ". pts"};
    cp_importer importer = importer_for(NULL);
    refuse_importer(importer, "plugin-taken", "the name of the importer points is taken");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        importer.name = names[i];
        refuse_importer(importer, "plugin-name", "1 to 31 of a-z");
    }
    importer.name = "stl";
    refuse_importer(importer, "plugin-taken", "stl");
    importer.name = "other";
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        importer.suffixes = suffixes[i];
        refuse_importer(importer, "plugin-suffixes", suffixes[i]);
    }
    importer.suffixes = NULL;
    importer.read = NULL;
    refuse_importer(importer, "plugin-function", "other");
    importer = importer_for(NULL);
    importer.size = 0;
    refuse_importer(importer, "struct-size", "size");
    importer.size = offsetof(cp_importer, read); /* an older host's, without that function */
    importer.name = "other";
    refuse_importer(importer, "plugin-function", "other");

    refuse_option((cp_option){"size", "again", CP_OPTION_LENGTH, 0, .initial = NULL}, "plugin-option",
                  "another option's name");
    refuse_option((cp_option){"strict", "ours", CP_OPTION_BOOLEAN, 0, .initial = NULL}, "plugin-option",
                  "another option's name");
    refuse_option((cp_option){"No", "name", CP_OPTION_BOOLEAN, 0, .initial = NULL}, "plugin-option", "needs a name");
    refuse_option((cp_option){"word", "help", CP_OPTION_WORD, 0, .initial = NULL}, "plugin-option", "type");
    refuse_option((cp_option){"none", "help", (cp_option_type)99, 0, .initial = NULL}, "plugin-option", "type");
    refuse_option((cp_option){"pick", "help", CP_OPTION_CHOICE, 0, .initial = NULL}, "plugin-option", "choices");
    refuse_option((cp_option){"far", "help", CP_OPTION_NUMBER, sizeof(struct points_settings), .initial = NULL},
                  "plugin-option", "outside the settings");
    refuse_option((cp_option){"far", "help", CP_OPTION_NUMBER, SIZE_MAX - 7, .initial = NULL}, "plugin-option",
                  "outside");
    refuse_option((cp_option){"odd", "help", CP_OPTION_NUMBER, 4, .initial = NULL}, "plugin-option", "aligned");
    refuse_option((cp_option){"bad", "help", CP_OPTION_LENGTH, 0, .initial = "5kg"}, "option-value", "bad=5kg");
    refuse_option((cp_option){"bad", "help", CP_OPTION_LENGTH, 0, "5", .maximum = 1}, "option-range", "bad=5");

    cp_exporter exporter = exporter_for(NULL);
    expect_status(cp_register_exporter(context, &exporter), CP_USAGE);
    expect_entry(CP_ERROR, "plugin-taken", NULL, 0, "exporter points");
    exporter.name = "other";
    exporter.write = NULL;
    expect_status(cp_register_exporter(context, &exporter), CP_USAGE);
    expect_entry(CP_ERROR, "plugin-function", NULL, 0, "exporter other");
    cp_filter filter = filter_for(NULL);
    filter.name = "weld";
    expect_status(cp_register_filter(context, &filter), CP_USAGE);
    expect_entry(CP_ERROR, "plugin-taken", NULL, 0, "filter weld");
    filter.name = "other";
    filter.apply = NULL;
    expect_status(cp_register_filter(context, &filter), CP_USAGE);
    expect_entry(CP_ERROR, "plugin-function", NULL, 0, "filter other");
}

/* Rows that are set anew. */
static void test_rows(void **unused)
{
    (void)unused;
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    const float *positions = NULL;
    cp_node node = cp_nodes(scene, NULL)[1];
    node.name = "caf\xe9";
    node.first_instance = node.instance_count = 77; /* the library counts */
    assert_int_equal(cp_set_node(scene, 1, &node), CP_OK);
    assert_int_equal(cp_set_node(scene, 3, &node), CP_USAGE);
    expect_entry(CP_ERROR, "build-row", NULL, 0, "no node 3");
    cp_instance instance = cp_instances(scene, NULL)[1];
    instance.use = CP_USE_DRAWN;
    assert_int_equal(cp_set_instance(scene, 1, &instance), CP_OK);
    instance.node = 1;
    assert_int_equal(cp_set_instance(scene, 1, &instance), CP_USAGE);
    expect_entry(CP_ERROR, "build-order", NULL, 0, "keeps its node");
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[] = {0, 1, 2};
    cp_mesh mesh = cp_new_mesh();
    mesh.vertex_count = mesh.corner_count = 3;
    mesh.face_count = 1;
    mesh.positions = corners;
    mesh.corners = triangle;
    assert_int_equal(cp_set_mesh(scene, 0, &mesh), CP_OK);
    mesh = cp_meshes(scene, NULL)[0];
    positions = mesh.positions;
    assert_true(positions != corners);
    mesh.name = "renamed";
    assert_int_equal(cp_set_mesh(scene, 0, &mesh), CP_OK);
    assert_ptr_equal(cp_meshes(scene, NULL)[0].positions, positions); /* they are the scene's already */
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_string_equal(cp_nodes(scene, NULL)[1].name, "caf\xc3\xa9");
    assert_string_equal(cp_nodes(scene, NULL)[1].raw_name, "caf\xe9");
    cp_measures measures = {.size = sizeof measures};
    assert_int_equal(cp_measure(context, scene, CP_USE_COLLISION, &measures), CP_OK);
    assert_true(measures.triangles == 1 && measures.area == 0.5);
    assert_int_equal(cp_scene_replace(scene, scene), CP_USAGE);
    expect_entry(CP_ERROR, "build-replace", NULL, 0, "another one");
}

/* A host whose structs are longer, and one that registers while a file is probed. */
static int probe_and_register(void *user, const void *head, size_t count, uint64_t file_size)
{
    (void)head, (void)count, (void)file_size;
    cp_importer more = importer_for(NULL);
    more.name = "late";
    more.suffixes = ".late";
    int *times = user;
    if ((*times)++ == 0)
        assert_int_equal(cp_register_importer(context, &more), CP_OK);
    return 0;
}

static cp_status read_nothing(void *user, cp_context *own, const cp_input *input, const void *settings, cp_scene *empty)
{
    (void)own, (void)input, (void)settings, (void)empty;
    ++*(int *)user;
    return CP_OK;
}

/* The bytes are those of other formats: some that ours guess, and some of which ours are sure. */
static void test_suffix_alone(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"v 0 0 1\n", "v 0 0 1\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "ply\nformat ascii 1.0\n",
                                        "{\"asset\": {\"version\": \"2.0\"}}", "OFF\n0 0 0\n"};
    int calls = 0;
    const cp_importer bare = {.size = sizeof bare,
                              .name = "bare",
                              .user = &calls,
                              .suffixes = ".bare .b",
                              .is_cell = true,
                              .read = read_nothing};
    expect_status(cp_register_importer(context, &bare), CP_OK);
    for (int i = 0; i < 5; i++) {
        expect_status(read_named(i % 2 ? "x.b" : "x.bare.gz", texts[i], NULL), CP_OK);
        assert_int_equal(calls, i + 1);
    }
    expect_status(read_named("x.obj", texts[1], NULL), CP_OK);
    assert_int_equal(calls, 5);
    assert_string_equal(cp_scene_source(scene)->format, "obj");
}

static void test_later_hosts(void **unused)
{
    (void)unused;
    struct {
        cp_importer importer;
        uint64_t more[2];
    } newer = {importer_for(NULL), {1, 2}};
    int times = 0;
    newer.importer.size = sizeof newer;
    newer.importer.name = "newer";
    newer.importer.probe = probe_and_register;
    newer.importer.user = &times;
    newer.importer.read = read_points;
    expect_status(cp_register_importer(context, &newer.importer), CP_OK);
    expect_status(read_named("x.pts", two, NULL), CP_OK);
    expect_two();
    assert_true(times > 0);
    cp_scene_free(scene);
    expect_status(cp_read_memory(context, two, sizeof two - 1, "x.late", "late", NULL, 0, &scene), CP_OK);
    assert_string_equal(cp_scene_source(scene)->format, "late");
}

static bool is_cancelled(void *user)
{
    return --*(int *)user <= 0;
}

/* Wherever a call is cancelled, nothing is left of it. */
static void test_cancelled(void **unused)
{
    (void)unused;
    bool done = false;
    expect_status(read_named("y.pts", two, "plain"), CP_OK);
    for (int kind = 0; kind < 3; kind++) {
        done = false;
        for (int after = 1; !done && after < 10000; after++) {
            int left = after;
            if (kind > 0 && !scene)
                expect_status(read_named("y.pts", two, "plain"), CP_OK);
            cp_report_clear(context);
            cp_set_cancel(context, is_cancelled, &left);
            cp_status status = run(kind);
            cp_set_cancel(context, NULL, NULL);
            done = status == CP_OK;
            if (!done)
                assert_int_equal(status, CP_CANCELLED);
        }
        assert_true(done);
    }
}

/* ---- memory that runs out ---- */

struct purse {
    long left, held;
};

static void *take_from_purse(void *user, void *block, size_t old_size, size_t size)
{
    struct purse *purse = user;
    (void)old_size;
    if (size == 0) {
        purse->held -= block != NULL;
        free(block);
        return NULL;
    }
    if (purse->left == 0)
        return NULL;
    purse->left--;
    purse->held += block == NULL;
    return realloc(block, size);
}

static cp_status do_all(cp_context *own)
{
    static const char *const fresh[] = {"by=1", "fresh"};
    cp_scene *read = NULL;
    void *bytes = NULL;
    size_t size = 0;
    cp_status status = register_all(own, NULL);
    if (status == CP_OK)
        status = cp_read_memory(own, two, sizeof two - 1, "x.pts", NULL, NULL, 0, &read);
    if (status == CP_OK)
        status = cp_apply(own, read, "lift", NULL, 0);
    if (status == CP_OK)
        status = cp_apply(own, read, "lift", fresh, 2);
    if (status == CP_OK)
        status = cp_write_memory(own, read, "points", NULL, 0, &bytes, &size);
    cp_free(own, bytes, size);
    cp_scene_free(read);
    return status;
}

static void test_memory(void **unused)
{
    (void)unused;
    cp_status status = CP_LIMIT;
    for (long limit = 0; status == CP_LIMIT && limit < 10000; limit++) {
        struct purse purse = {limit, 0};
        const cp_allocator allocator = {take_from_purse, &purse};
        cp_context *own = cp_context_new(&allocator);
        status = own ? do_all(own) : CP_LIMIT;
        size_t count = 0;
        const cp_entry *entries = own ? cp_report(own, &count) : NULL;
        if (own && status == CP_LIMIT)
            assert_string_equal(entries[count - 1].code, "out-of-memory");
        cp_context_free(own);
        assert_int_equal(purse.held, 0);
    }
    assert_int_equal(status, CP_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_read),          TEST(test_known_format),  TEST(test_contexts),
        TEST(test_options),       TEST(test_lines),         TEST(test_write),
        TEST(test_losses),        TEST(test_filter),        TEST(test_what_is_carried),
        TEST(test_statuses),      TEST(test_broken_scenes), TEST(test_isolated),
        TEST(test_further_files), TEST(test_zipped),        TEST(test_refusals),
        TEST(test_rows),          TEST(test_suffix_alone),  TEST(test_later_hosts),
        TEST(test_cancelled),     TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

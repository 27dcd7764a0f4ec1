/* The expansion of xacro against ../shared/reference/robots: what ros/xacro itself makes of small cases and of vendors'
 * robots. */
#include <jansson.h>
#include <unistd.h>

#include "xacro_support.h"

#define FOLDER SHARED "/reference/robots"
#define CORPUS SHARED "/corpus"

/* Our result for a case is the same, an error that names a part of Python, or a document where ros/xacro fails. */
enum ours { AS_THERE, REFUSED, TAKEN };

static const struct {
    const char *name;
    enum ours ours;
} others[] = {
    {"expr [x for x in [1,2]]", REFUSED},
    {"expr '%s' % 3", REFUSED},
    {"expr 1 << 3", REFUSED},
    {"expr ~5", REFUSED},
    {"yaml scalars", REFUSED},
    {"no namespace", TAKEN},
    {"attribute", TAKEN},
};

static enum ours ours_of(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].name, name))
            return others[i].ours;
    return AS_THERE;
}

/* Returns the text with each `from` replaced. */
static char *replaced(const char *text, const char *from, const char *to)
{
    char *out = calloc(1, strlen(text) * (strlen(to) + 1) + 1), *end = out;
    while (*text)
        if (strncmp(text, from, strlen(from)) == 0) {
            end = stpcpy(end, to);
            text += strlen(from);
        } else {
            *end++ = *text++;
        }
    return out;
}

/* ---- the cases ---- */

static void check_case(const json_t *item)
{
    const char *name = json_string_value(json_object_get(item, "name"));
    const char *output = json_string_value(json_object_get(item, "output"));
    const char *key;
    json_t *value;
    char texts[8][200];
    struct xacro_settings settings = {.arguments = {.count = 0}};
    empty_folder();
    write_file("top.xacro", json_string_value(json_object_get(item, "input")));
    write_file("pkg/package.xml", "<package><name>pkg</name></package>");
    json_object_foreach(json_object_get(item, "files"), key, value) write_file(key, json_string_value(value));
    json_object_foreach(json_object_get(item, "args"), key, value)
    {
        char *text = texts[settings.arguments.count];
        snprintf(text, sizeof *texts, "%s:=%s", key, json_string_value(value));
        settings.arguments.items[settings.arguments.count++] = text;
    }
    cp_context *context = cp_context_new(NULL);
    char *got = expanded(context, path_of("top.xacro"), &settings);
    enum ours ours = ours_of(name);
    if (ours == REFUSED ? got != NULL || !was_reported(context, "xacro-expression")
                        : (output || ours == TAKEN) != (got != NULL)) {
        show_report(context);
        fail_msg("%s: ros/xacro says: %s", name, output ? output : json_string_value(json_object_get(item, "error")));
    }
    if (output && got) {
        char real[4096];
        assert_non_null(realpath(path_of("pkg"), real));
        char *there = replaced(output, "/share/pkg", real), *expected = plain(context, there);
        expect_same(name, got, expected);
        free(there);
        free(expected);
    } else if (!got) {
        size_t count;
        const cp_entry *entries = cp_report(context, &count);
        bool has_line = false;
        for (size_t i = 0; i < count; i++)
            has_line |= entries[i].severity == CP_ERROR && entries[i].line > 0;
        if (!has_line)
            fail_msg("%s: the error has no line", name);
    }
    free(got);
    cp_context_free(context);
}

static void test_cases(void **state)
{
    (void)state;
    char *bytes = read_whole(FOLDER "/xacro/cases.jsonl", NULL);
    int count = 0;
    assert_non_null(bytes);
    for (char *line = strtok(bytes, "\n"); line; line = strtok(NULL, "\n"), count++) {
        json_t *item = json_loads(line, 0, NULL);
        assert_non_null(item);
        check_case(item);
        json_decref(item);
    }
    assert_int_equal(count, 197);
    free(bytes);
}

/* ---- robots ---- */

static const struct robot {
    const char *expected, *file;
    const char *arguments[4];
} robots[] = {
    {"ur5e.urdf", "robots/urdf/ur5e/ur_description/urdf/ur.urdf.xacro", {"ur_type:=ur5e", "name:=ur5e"}},
    {"ur5e_prefix.urdf",
     "robots/urdf/ur5e/ur_description/urdf/ur.urdf.xacro",
     {"ur_type:=ur5e", "name:=ur5e", "tf_prefix:=left_", "safety_limits:=true"}},
    {"fr3.urdf", "robots/urdf/franka_fr3/franka_description/robots/fr3/fr3.urdf.xacro", {NULL}},
    {"fr3_nohand.urdf", "robots/urdf/franka_fr3/franka_description/robots/fr3/fr3.urdf.xacro", {"hand:=false"}},
    {"fr3.srdf", "robots/urdf/franka_fr3/franka_description/robots/fr3/fr3.srdf.xacro", {NULL}},
    {"irb120.urdf", "abb_irb120/abb_irb120_support/urdf/irb120_3_58.xacro", {NULL}},
    {"irb2400.urdf", "abb_irb2400/abb_irb2400_support/urdf/irb2400.xacro", {NULL}},
    {"irb2400_12_155.urdf", "abb_irb2400/abb_irb2400_support/urdf/irb2400_12_155.xacro", {NULL}},
    {"lrmate200ic.urdf", "fanuc_lrmate200ic/fanuc_lrmate200ic_support/urdf/lrmate200ic.xacro", {NULL}},
    {"panda.urdf", "robots/urdf/moveit_panda/panda_description/urdf/panda.urdf.xacro", {NULL}},
    {"panda_moveit.urdf", "robots/urdf/moveit_panda/panda_moveit_config/config/panda.urdf.xacro", {NULL}},
    {"panda_plain.urdf", "robots/urdf/moveit_panda/panda_description/urdf/panda.urdf", {NULL}},
    {"panda.srdf", "robots/urdf/moveit_panda/panda_moveit_config/config/panda_arm_hand.srdf.xacro", {NULL}},
    {"panda_arm_hand.srdf", "robots/urdf/moveit_panda/panda_moveit_config/config/panda_arm_hand.srdf.xacro", {NULL}},
    {"fanuc_moveit.urdf", "robots/urdf/moveit_fanuc/fanuc_moveit_config/config/fanuc.urdf.xacro", {NULL}},
    {"fanuc_m10ia.urdf", "robots/urdf/moveit_fanuc/fanuc_description/urdf/fanuc.urdf", {NULL}},
    {"robotiq_2f_85.urdf", "robots/urdf/robotiq/robotiq_description/urdf/robotiq_2f_85_gripper.urdf.xacro", {NULL}},
    {"robotiq_2f_140.urdf", "robots/urdf/robotiq/robotiq_description/urdf/robotiq_2f_140_gripper.urdf.xacro", {NULL}},
};

static void check_robot(const struct robot *robot)
{
    cp_context *context = cp_context_new(NULL);
    struct xacro_settings settings = {.arguments = {.count = 0}};
    char path[400], real[4096];
    while (settings.arguments.count < 4 && robot->arguments[settings.arguments.count]) {
        settings.arguments.items[settings.arguments.count] = robot->arguments[settings.arguments.count];
        settings.arguments.count++;
    }
    assert_non_null(realpath(CORPUS, real));
    expect_status(context, cp_add_include_folder(context, CORPUS), CP_OK);
    snprintf(path, sizeof path, CORPUS "/%s", robot->file);
    char *got = expanded(context, path, &settings);
    if (!got) {
        show_report(context);
        fail_msg("%s", robot->expected);
    }
    snprintf(path, sizeof path, FOLDER "/expanded/%s", robot->expected);
    char *bytes = read_whole(path, NULL);
    assert_non_null(bytes);
    strcat(real, "/robots");
    char *there = replaced(bytes, "@corpus@", real), *expected = plain(context, there);
    expect_same(robot->expected, got, expected);
    free(bytes);
    free(there);
    free(expected);
    free(got);
    cp_context_free(context);
}

static void test_robots(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++)
        check_robot(&robots[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_robots)};
    if (access(FOLDER, R_OK) != 0) {
        puts("skipped: " SHARED " is not there");
        return 77;
    }
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}

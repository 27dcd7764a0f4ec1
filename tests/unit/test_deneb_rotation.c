/* Matrices of DCT files as VRML97's rotations: the cases of ../shared/reference/deneb_oracle.json, through the reader
 * and the writer. */
#include <math.h>

#include <jansson.h>

#include "fixture.h"
#include "plain_numbers.h"

static const double tolerance = 1e-12;

struct transform {
    double translation[3], rotation[4], scale[3];
};

static double entry(const json_t *rows, size_t row, size_t column)
{
    return json_number_value(json_array_get(json_array_get(rows, row), column));
}

/* rows: 3x3, or 4x4. As a device of one part. */
static void write_device(const json_t *rows, bool by_columns, char text[2048])
{
    int size = snprintf(text, 2048, "DCT DEVICE 1.0\nUNIT m\nDEVICE \"d\"\nPART \"p\" ATTACH 0\nMATRIX");
    for (size_t row = 0; row < 4; row++)
        for (size_t column = 0; column < 4; column++) {
            size_t i = by_columns ? column : row, k = by_columns ? row : column;
            bool there = i < json_array_size(rows) && k < json_array_size(json_array_get(rows, i));
            IN_PLAIN_LOCALE(size +=
                            snprintf(text + size, 2048 - (size_t)size, " %.17g", there ? entry(rows, i, k) : i == k));
        }
    (void)snprintf(text + size, 2048 - (size_t)size, "\nEND\n");
}

static void read_field(const char *frame, const char *end, const char *field, double *values, int count)
{
    const char *at = strstr(frame, field);
    for (int i = 0; at && at < end && i < count; i++) {
        char *after;
        values[i] = plain_strtod(i == 0 ? at + strlen(field) : at, &after);
        at = after;
    }
}

/* What VRML97 has for a matrix: the fields of the part's Transform, or their defaults. */
static struct transform transform_of(const json_t *rows, bool by_columns)
{
    struct transform transform = {{0, 0, 0}, {0, 0, 1, 0}, {1, 1, 1}};
    char text[2048];
    void *bytes;
    size_t size;
    cp_scene *scene;
    cp_context *context = cp_context_new(NULL);
    const char *const options[] = {by_columns ? "matrix=col" : "matrix=row"};
    write_device(rows, by_columns, text);
    assert_non_null(context);
    assert_int_equal(cp_read_memory(context, text, strlen(text), "d.dcd", NULL, options, 1, &scene), CP_OK);
    assert_int_equal(cp_write_memory(context, scene, "vrml97", NULL, 0, &bytes, &size), CP_OK);
    char *wrl = calloc(1, size + 1);
    assert_non_null(wrl);
    memcpy(wrl, bytes, size);
    const char *frame = strstr(wrl, "DEF p Transform {");
    assert_non_null(frame);
    const char *end = strstr(frame, "children");
    assert_non_null(end);
    read_field(frame, end, "translation ", transform.translation, 3);
    read_field(frame, end, "rotation ", transform.rotation, 4);
    read_field(frame, end, "scale ", transform.scale, 3);
    free(wrl);
    cp_free(context, bytes, size);
    cp_scene_free(scene);
    cp_context_free(context);
    return transform;
}

/* A legal SFRotation: a unit axis, whatever the angle. */
static void assert_legal(const double r[4])
{
    assert_true(fabs(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1) <= tolerance);
    assert_true(isfinite(r[3]));
}

/* At half a turn the axis may point either way. */
static void assert_rotation(const double r[4], const json_t *expected, const char *name)
{
    double e[4], sign = 1;
    for (size_t i = 0; i < 4; i++)
        e[i] = json_number_value(json_array_get(expected, i));
    if (fabs(e[3] - acos(-1)) < 1e-9 && r[0] * e[0] + r[1] * e[1] + r[2] * e[2] < 0)
        sign = -1;
    for (int i = 0; i < 4; i++)
        if (!(fabs((i < 3 ? sign : 1) * r[i] - e[i]) <= tolerance))
            fail_msg("%s: number %d is %.17g, not %.17g", name, i, r[i], e[i]);
}

static json_t *oracle(void)
{
    json_error_t error;
    json_t *all = json_load_file(SHARED "/reference/deneb_oracle.json", 0, &error);
    if (!all) {
        print_message("skipped: %s is not there\n", SHARED "/reference/deneb_oracle.json");
        skip();
    }
    return all;
}

static void test_cases(void **state)
{
    (void)state;
    json_t *all = oracle(), *cases = json_object_get(json_object_get(all, "axis_angle"), "cases"), *at;
    size_t index;
    assert_int_equal(json_array_size(cases), 14);
    json_array_foreach(cases, index, at)
    {
        const json_t *rows = json_object_get(at, "R_row_form");
        const char *name = json_string_value(json_object_get(at, "name"));
        for (int by_columns = 0; by_columns < 2; by_columns++) {
            struct transform transform = transform_of(rows, by_columns);
            assert_legal(transform.rotation);
            assert_rotation(transform.rotation, json_object_get(at, "quaternion_result"), name);
        }
    }
    json_decref(all);
}

static void test_scaled(void **state)
{
    (void)state;
    json_t *all = oracle();
    const json_t *scaled = json_object_get(json_object_get(all, "axis_angle"), "scaled_row_matrix");
    const json_t *expected = json_object_get(scaled, "expected_VRML");
    struct transform transform = transform_of(json_object_get(scaled, "M"), false);
    assert_legal(transform.rotation);
    assert_rotation(transform.rotation, json_object_get(expected, "rotation"), "scaled");
    for (size_t i = 0; i < 3; i++) {
        double scale = json_number_value(json_array_get(json_object_get(expected, "scale"), i));
        double way = json_number_value(json_array_get(json_object_get(expected, "translation"), i));
        assert_true(fabs(transform.scale[i] - scale) <= tolerance * scale);
        assert_true(fabs(transform.translation[i] - way) <= tolerance * way);
    }
    json_decref(all);
}

/* VRML97 has no mirroring: the Transform is what is left of it, a point mirroring is baked, diag(-1 1 1) = -1 * diag(1
 * -1 -1). */
static void test_mirrored(void **state)
{
    (void)state;
    json_t *all = oracle();
    const json_t *rows = json_object_get(json_object_get(json_object_get(all, "axis_angle"), "mirror"), "M_3x3_row");
    struct transform transform = transform_of(rows, false);
    assert_legal(transform.rotation);
    assert_true(fabs(fabs(transform.rotation[0]) - 1) <= tolerance);
    assert_true(fabs(transform.rotation[3] - acos(-1)) <= tolerance);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(transform.scale[i] - 1) <= tolerance);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_mirrored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* web=yes of instances that are scaled unevenly or sheared: the written file is decoded by hand, and each vertex and
 * normal is compared with the scene's in the world. */
#include "gltf_written.h"
#include "plain_numbers.h"

/* ---- a thin sheet with waves: 20 x 10 x 0.001 ---- */

enum { COLUMNS = 21, ROWS = 11, COUNT = COLUMNS * ROWS, FACES = 2 * (COLUMNS - 1) * (ROWS - 1) };

static float sheet_positions[3 * COUNT], sheet_normals[3 * COUNT];
static uint32_t sheet_corners[3 * FACES];

static int fill_sheet(void **state)
{
    uint32_t at = 0;
    (void)state;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++) {
            uint32_t vertex = row * COLUMNS + column;
            double x = column - 10.0, y = row - 5.0, slope = 0.0005 * cos(x);
            const double position[3] = {x, y, 0.0005 * sin(x)};
            const double normal[3] = {-slope, 0, 1};
            for (uint32_t i = 0; i < 3; i++) {
                sheet_positions[3 * vertex + i] = (float)position[i];
                sheet_normals[3 * vertex + i] = (float)(normal[i] / sqrt(1 + slope * slope));
            }
            if (row + 1 == ROWS || column + 1 == COLUMNS)
                continue;
            const uint32_t next = vertex + COLUMNS, two[6] = {vertex, vertex + 1, next, next, vertex + 1, next + 1};
            memcpy(sheet_corners + at, two, sizeof two);
            at += 6;
        }
    return 0;
}

static cp_mesh sheet(void)
{
    return (cp_mesh){.name = "sheet",
                     .source = "",
                     .vertex_count = COUNT,
                     .face_count = FACES,
                     .corner_count = 3 * FACES,
                     .positions = sheet_positions,
                     .normals = sheet_normals,
                     .corners = sheet_corners};
}

/* ---- places: points of the world with their normals, Y up ---- */

enum { MOST_POINTS = 4 * COUNT };

struct points {
    uint32_t count;
    double position[MOST_POINTS][3], normal[MOST_POINTS][3];
};

static void make_unit(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length;
}

/* By the images of two vectors across the normal: no matrix is inverted. */
static void add_point(struct points *points, const double image[4][3], const double p[3], const double n[3])
{
    double across[2][3], moved[2][3];
    int axis = fabs(n[0]) < 0.5 ? 0 : 1;
    for (int i = 0; i < 3; i++)
        across[0][i] = (i == axis) - n[axis] * n[i];
    for (int i = 0; i < 3; i++)
        across[1][i] = n[(i + 1) % 3] * across[0][(i + 2) % 3] - n[(i + 2) % 3] * across[0][(i + 1) % 3];
    assert_true(points->count < MOST_POINTS);
    double *position = points->position[points->count], *normal = points->normal[points->count++];
    for (int i = 0; i < 3; i++) {
        position[i] = image[3][i];
        moved[0][i] = moved[1][i] = 0;
        for (int k = 0; k < 3; k++) {
            position[i] += image[k][i] * p[k];
            moved[0][i] += image[k][i] * across[0][k];
            moved[1][i] += image[k][i] * across[1][k];
        }
    }
    for (int i = 0; i < 3; i++)
        normal[i] = moved[0][(i + 1) % 3] * moved[1][(i + 2) % 3] - moved[0][(i + 2) % 3] * moved[1][(i + 1) % 3];
    make_unit(normal);
}

/* What the scene has: Z up becomes Y up. */
static void expect_points(struct written *written, struct points *points)
{
    const cp_scene *scene = written->scene;
    cp_pose worlds[16];
    points->count = 0;
    assert_true(count_nodes(scene) <= 16);
    assert_int_equal(cp_world_poses(written->context, scene, NULL, worlds), CP_OK);
    for (uint32_t i = 0; i < count_instances(scene); i++) {
        const cp_instance *instance = &cp_instances(scene, NULL)[i];
        cp_pose pose = plain_product(&worlds[instance->node], &instance->transform);
        double image[4][3];
        for (int column = 0; column < 4; column++) {
            image[column][0] = pose.m[column];
            image[column][1] = pose.m[8 + column];
            image[column][2] = -pose.m[4 + column];
        }
        for (size_t k = 0; k < COUNT; k++) {
            const float *f = sheet_positions + 3 * k, *g = sheet_normals + 3 * k;
            add_point(points, (const double(*)[3])image, (const double[]){(double)f[0], (double)f[1], (double)f[2]},
                      (const double[]){(double)g[0], (double)g[1], (double)g[2]});
        }
    }
}

static const unsigned char *strided(struct written *written, json_t *index, size_t *stride, size_t *count)
{
    json_t *accessor = at(written->json, "accessors", (size_t)json_integer_value(index));
    json_t *view = at(written->json, "bufferViews", (size_t)json_integer_value(get(accessor, "bufferView")));
    json_t *offset = json_object_get(accessor, "byteOffset"), *begin = json_object_get(view, "byteOffset");
    *stride = (size_t)json_integer_value(get(view, "byteStride"));
    *count = (size_t)json_integer_value(get(accessor, "count"));
    size_t first = (size_t)(json_integer_value(begin) + json_integer_value(offset));
    assert_true(first + (*count - 1) * *stride < written->binary_size);
    return written->binary + first;
}

static void read_mesh(struct written *written, json_t *mesh, const double image[4][3], struct points *points)
{
    json_t *attributes = get(json_array_get(get(mesh, "primitives"), 0), "attributes");
    size_t stride, normal_stride, count, normal_count;
    const unsigned char *positions = strided(written, get(attributes, "POSITION"), &stride, &count);
    const unsigned char *normals = strided(written, get(attributes, "NORMAL"), &normal_stride, &normal_count);
    assert_int_equal(count, normal_count);
    for (size_t i = 0; i < count; i++) {
        double p[3], n[3];
        for (size_t k = 0; k < 3; k++) {
            p[k] = positions[i * stride + 2 * k] | positions[i * stride + 2 * k + 1] << 8;
            n[k] = (signed char)normals[i * normal_stride + k];
        }
        make_unit(n);
        add_point(points, image, p, n);
    }
}

/* The chain of TRS from a node of the file up to its root; parents[] by node. */
static void read_points(struct written *written, struct points *points)
{
    json_t *nodes = get(written->json, "nodes"), *node, *value;
    size_t parents[64], i, k;
    points->count = 0;
    assert_true(json_array_size(nodes) <= 64);
    memset(parents, 0xff, sizeof parents);
    json_array_foreach(nodes, i, node) json_array_foreach(json_object_get(node, "children"), k, value)
        parents[json_integer_value(value)] = i;
    json_array_foreach(nodes, i, node)
    {
        if (!json_object_get(node, "mesh"))
            continue;
        /* As long as the integers are: far from the origin, differences of short ways have few digits. */
        const double way = 16384;
        double image[4][3] = {{way, 0, 0}, {0, way, 0}, {0, 0, way}, {0, 0, 0}};
        for (int column = 0; column < 4; column++)
            for (size_t up = i; up != SIZE_MAX; up = parents[up])
                apply_node(json_array_get(nodes, up), image[column]);
        for (int column = 0; column < 3; column++)
            for (int row = 0; row < 3; row++)
                image[column][row] = (image[column][row] - image[3][row]) / way;
        read_mesh(written, at(written->json, "meshes", (size_t)json_integer_value(get(node, "mesh"))),
                  (const double(*)[3])image, points);
    }
}

static double apart(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* The farthest that a point of the one is from the nearest of the other; *turned: by how much that one's normal is off
 * at most, in degrees. */
static double farthest(const struct points *from, const struct points *to, double *turned)
{
    double most = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t nearest = 0;
        for (uint32_t k = 1; k < to->count; k++)
            if (apart(from->position[i], to->position[k]) < apart(from->position[i], to->position[nearest]))
                nearest = k;
        most = fmax(most, apart(from->position[i], to->position[nearest]));
        *turned = fmax(*turned, 2 * asin(apart(from->normal[i], to->normal[nearest]) / 2) * 180 / PI);
    }
    return most;
}

/* ---- what is said ---- */

static void told(struct written *written, double *metres, double *degrees)
{
    const cp_entry *entry = find_last_entry(written->context, "gltf-quantised");
    assert_non_null(entry);
    const char *number = strstr(entry->text, "most "), *normals = strstr(entry->text, "normals by ");
    assert_true(number && normals);
    *metres = plain_strtod(number + strlen("most "), NULL);
    *degrees = plain_strtod(normals + strlen("normals by "), NULL);
}

/* The file is within what is said, and what is said is at most as large as it may be. */
static void assert_true_to_world(struct written *written, double most, double most_turned)
{
    static struct points expected, found;
    double metres, degrees, turned = 0;
    complete(written);
    expect_points(written, &expected);
    write_with(written, "web=yes", "compression=none");
    read_points(written, &found);
    told(written, &metres, &degrees);
    double off = fmax(farthest(&expected, &found, &turned), farthest(&found, &expected, &turned));
    if (!(off <= metres && metres <= most && turned <= degrees && degrees < most_turned))
        fail_msg("off by %g m, %g m told, at most %g m; normals by %g, %g degrees told", off, metres, most, turned,
                 degrees);
    assert_null(find_last_entry(written->context, "gltf-coarse"));
    assert_true(metres <= 2 * off); /* 1 to 1.8 for what is off by half a diagonal at most */
    finish(written);
}

/* ---- cases ---- */

/* A metre in x, half a metre in y and a metre in z. */
static cp_pose flat_made_high(void)
{
    return plain_scaling(0.05, 0.05, 1000);
}

/* 14 bits of a metre, half a diagonal, and what a grid of few digits adds. */
static const double bound = 1.0 / 16383 * 0.867;

static void an_instance_is_scaled(void **state)
{
    struct written written = start();
    (void)state;
    add_instance(&written, 0, add_mesh(&written, sheet()), CP_USE_DRAWN, flat_made_high());
    assert_true_to_world(&written, bound, 1.3);
}

static void a_frame_is_scaled(void **state)
{
    struct written written = start();
    (void)state;
    uint32_t node = add_placed(&written, 0, "n", flat_made_high());
    add_instance(&written, node, add_mesh(&written, sheet()), CP_USE_DRAWN, PLAIN_IDENTITY);
    assert_true_to_world(&written, bound, 1.3);
}

/* Turned, made high, turned back, moved and mirrored: no axis of the mesh is one of the stretch. */
static void an_instance_is_sheared(void **state)
{
    struct written written = start();
    (void)state;
    cp_pose high = flat_made_high(), about_x = plain_turn(0, 40), about_y = plain_turn(1, 20);
    cp_pose turn = plain_product(&about_x, &about_y), back = plain_inverse(&turn), moved = plain_translation(3, 4, 5);
    cp_pose mirror = plain_scaling(-1, 1, 1);
    cp_pose pose = plain_product(&high, &turn);
    pose = plain_product(&back, &pose);
    pose = plain_product(&moved, &pose);
    pose = plain_product(&mirror, &pose);
    /* The sheet is thin along z; turned against that it is up to 20 km large. */
    add_instance(&written, 0, add_mesh(&written, sheet()), CP_USE_DRAWN, pose);
    assert_true_to_world(&written, 20000.0 / 16383 * 0.867, 1.3);
}

/* The same, of a mesh that has been turned beforehand, so that it is a metre large in the world. */
static void a_turned_mesh_is_scaled(void **state)
{
    struct written written = start();
    (void)state;
    const double axis[3] = {0.6, 0.48, 0.64};
    cp_pose high = flat_made_high(), turn = plain_rotation(axis, 1), shear = plain_product(&high, &turn);
    cp_mesh mesh = sheet();
    float *positions = scratch(COUNT, 3 * sizeof *positions);
    float *normals = scratch(COUNT, 3 * sizeof *normals);
    /* With few digits, so that floats hold the sheet's waves. */
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < 3; k++) {
            positions[3 * i + k] = normals[3 * i + k] = 0;
            for (size_t j = 0; j < 3; j++) {
                positions[3 * i + k] += (float)turn.m[4 * j + k] * sheet_positions[3 * i + j];
                normals[3 * i + k] += (float)turn.m[4 * j + k] * sheet_normals[3 * i + j];
            }
        }
    memcpy(sheet_positions, positions, sizeof sheet_positions);
    memcpy(sheet_normals, normals, sizeof sheet_normals);
    mesh.positions = positions;
    mesh.normals = normals;
    add_instance(&written, 0, add_mesh(&written, mesh), CP_USE_DRAWN, shear);
    assert_true_to_world(&written, 1.3 * bound, 1.3);
    fill_sheet(NULL);
}

/* One of them as it is: 20 m long. */
static void instances_differ(void **state)
{
    struct written written = start();
    (void)state;
    cp_mesh named = sheet();
    named.name = "one"; /* meshes with names are kept */
    uint32_t mesh = add_mesh(&written, named);
    for (int i = 0; i < 2; i++)
        add_instance(&written, 0, mesh, CP_USE_DRAWN, flat_made_high());
    uint32_t node = add_node(&written, 0, "n");
    add_instance(&written, node, mesh, CP_USE_DRAWN, plain_translation(0, 0, 2));
    complete(&written);
    assert_true_to_world(&written, 20 * bound, 6);
}

/* Two frames of a scaled one become one mesh of two metres. */
static void merged_meshes_are_scaled(void **state)
{
    struct written written = start();
    (void)state;
    uint32_t node = add_placed(&written, 0, "n", flat_made_high());
    for (int i = 0; i < 2; i++) {
        uint32_t part = add_placed(&written, node, i ? "a" : "b", plain_translation(0, 0, 0.001 * i));
        add_instance(&written, part, add_mesh(&written, sheet()), CP_USE_DRAWN, PLAIN_IDENTITY);
    }
    assert_true_to_world(&written, 2 * bound, 1.3);
}

/* What turns below an uneven scale is stretched otherwise at each of its positions: it stays as it is, with a warning
 * when that is coarse. */
static void moving_meshes_keep_their_coordinates(void **state)
{
    struct written written = start();
    (void)state;
    uint32_t node = add_placed(&written, 0, "n", flat_made_high());
    uint32_t arm = add_node(&written, node, "arm");
    assert_true(add_joint_of(written.scene, arm, CP_JOINT_REVOLUTE, "turn") != CP_NONE);
    add_instance(&written, arm, add_mesh(&written, sheet()), CP_USE_DRAWN, PLAIN_IDENTITY);
    complete(&written);
    write_with(&written, "web=yes", "compression=none");
    static struct points expected, found;
    double metres, degrees, turned = 0;
    told(&written, &metres, &degrees);
    expect_points(&written, &expected);
    read_points(&written, &found);
    assert_true(farthest(&found, &expected, &turned) <= metres);
    assert_true(turned <= degrees);
    const cp_entry *entry = find_last_entry(written.context, "gltf-coarse");
    assert_non_null(entry);
    assert_int_equal(entry->severity, CP_WARNING);
    finish(&written);
}

/* Few bits are warned of where they are more than a thousandth of the scene. */
static void few_bits_are_warned_of(void **state)
{
    static const char *const bits[] = {"bits=8", "bits=10"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct written written = start();
        add_instance(&written, 0, add_mesh(&written, sheet()), CP_USE_DRAWN, PLAIN_IDENTITY);
        complete(&written);
        write_with(&written, "web=yes", bits[i]);
        assert_true((find_last_entry(written.context, "gltf-coarse") != NULL) == (i == 0));
        finish(&written);
    }
}

/* A metre large, from 1 m to 10,000 km away: turned where it is; at the end of a turned frame, so that the turn has a
 * long lever; and at the end of a joint that is turned about an axis of its own, beside another one that stands still.
 */
static void it_is_far_away(void **state)
{
    static const double axis[3] = {0.6, 0.48, 0.64};
    (void)state;
    for (double distance = 1; distance <= 1e7; distance *= 10)
        for (int kind = 0; kind < 3; kind++) {
            struct written written = start();
            cp_pose small = plain_scaling(0.05, 0.05, 0.05), turn = plain_rotation(axis, 0.7);
            cp_pose there = plain_translation(1.295809512 * distance, -0.4865499469 * distance, 10.3);
            uint32_t mesh = add_mesh(&written, sheet());
            uint32_t near = add_placed(&written, 0, "near", kind == 0 ? there : turn);
            if (kind == 2) {
                cp_joint joint = cp_new_joint();
                joint.node = near;
                memcpy(joint.axis, axis, sizeof axis);
                joint.q = 0.3;
                assert_int_equal(cp_add_joint(written.scene, &joint), 0);
            }
            uint32_t far = add_placed(&written, near, "far", kind == 0 ? turn : there);
            add_instance(&written, far, mesh, CP_USE_DRAWN, small);
            if (kind == 2) {
                uint32_t beside = add_placed(&written, 0, "beside", there);
                add_instance(&written, beside, mesh, CP_USE_DRAWN, small);
            }
            assert_true_to_world(&written, 1.1 * bound, 1.3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_far_away),           cmocka_unit_test(an_instance_is_scaled),
        cmocka_unit_test(a_frame_is_scaled),        cmocka_unit_test(an_instance_is_sheared),
        cmocka_unit_test(a_turned_mesh_is_scaled),  cmocka_unit_test(instances_differ),
        cmocka_unit_test(merged_meshes_are_scaled), cmocka_unit_test(moving_meshes_keep_their_coordinates),
        cmocka_unit_test(few_bits_are_warned_of),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, fill_sheet, NULL);
}

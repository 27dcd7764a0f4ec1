/* instances: copies are found again however they were moved, nothing else is, and no vertex in the world is farther
 * from its old place than the tolerance, by a comparison of the tests' own. */
#include "plain_numbers.h"

#include "world_faces.h"

#include "scene_fixture.h" /* behind those whose arguments have its names */

static struct random dice = {23};

static double random_between(double low, double high)
{
    return low + (high - low) * random_unit(&dice);
}

static cp_status apply(const char *first, const char *second, const char *third)
{
    return apply_filter(context, scene, "instances", first, second, third);
}

static void start_again(void)
{
    cp_scene_free(scene);
    cp_report_clear(context);
    scene = cp_scene_new(context);
}

/* ---- shapes ---- */

/* Room for what a test changes. */
struct shape {
    cp_mesh mesh;
    float *positions, *normals, *colours;
    uint32_t *offsets, *corners;
    cp_group *groups;
};

static void *copied(const void *from, size_t count, size_t size)
{
    return memcpy(scratch(count, size), from, count * size);
}

static struct shape copy_shape(const cp_mesh *from)
{
    struct shape shape = {.mesh = *from};
    shape.positions = copied(from->positions, from->vertex_count, 12);
    shape.normals = from->normals ? copied(from->normals, from->vertex_count, 12) : NULL;
    shape.colours = from->colours ? copied(from->colours, from->vertex_count, 16) : NULL;
    shape.offsets = from->face_offsets ? copied(from->face_offsets, (size_t)from->face_count + 1, 4) : NULL;
    shape.corners = copied(from->corners, from->corner_count, 4);
    shape.groups = from->groups ? copied(from->groups, from->group_count, sizeof(cp_group)) : NULL;
    shape.mesh.positions = shape.positions;
    shape.mesh.normals = shape.normals;
    shape.mesh.colours = shape.colours;
    shape.mesh.face_offsets = shape.offsets;
    shape.mesh.corners = shape.corners;
    shape.mesh.groups = shape.groups;
    return shape;
}

enum { RICH = 1, NGONS = 2 }; /* with normals, colours and groups; with quads */

/* Faces on random points in a box of the given size, some of them on the same places as others. */
static struct shape random_shape(uint32_t faces, double size, int kind)
{
    float positions[300], normals[300], colours[400];
    uint32_t vertices = 6 + faces / 2, corners[400], offsets[100], count = 0;
    cp_group groups[3];
    for (uint32_t i = 0; i < vertices; i++) {
        double z = random_between(-1, 1), angle = random_between(0, 6.28), r = sqrt(1 - z * z);
        const double direction[3] = {r * cos(angle), r * sin(angle), z};
        for (uint32_t k = 0; k < 3; k++) {
            positions[3 * i + k] = i % 7 == 6 ? positions[3 * (i - 3) + k] : (float)random_between(-size / 2, size / 2);
            normals[3 * i + k] = (float)direction[k];
        }
        for (uint32_t k = 0; k < 4; k++)
            colours[4 * i + k] = (float)(random_bits(&dice) % 2);
    }
    offsets[0] = 0;
    for (uint32_t f = 0; f < faces; f++) {
        uint32_t first = random_bits(&dice) % vertices, step = 1 + random_bits(&dice) % 2;
        for (uint32_t i = 0; i < (kind & NGONS ? 3 + f % 2 : 3); i++)
            corners[count++] = (first + i * step) % vertices;
        offsets[f + 1] = count;
    }
    for (uint32_t i = 0; i < 3; i++)
        groups[i] = (cp_group){i * (faces / 3), i < 2 ? faces / 3 : faces - 2 * (faces / 3), i == 1 ? CP_NONE : i / 2};
    const cp_mesh mesh = {.name = "part",
                          .vertex_count = vertices,
                          .face_count = faces,
                          .corner_count = count,
                          .group_count = kind & RICH ? 3 : 0,
                          .positions = positions,
                          .normals = kind & RICH ? normals : NULL,
                          .colours = kind & RICH ? colours : NULL,
                          .face_offsets = kind & NGONS ? offsets : NULL,
                          .corners = corners,
                          .groups = groups};
    return copy_shape(&mesh);
}

/* Bakes a pose into the vertices, as a CAD export does. */
static struct shape baked(const cp_mesh *mesh, const cp_pose *pose)
{
    struct shape shape = copy_shape(mesh);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const float *at = position_at(mesh, i);
        const double point[3] = {(double)at[0], (double)at[1], (double)at[2]};
        double moved[3];
        world_apply(pose->m, point, 1, moved);
        for (uint32_t k = 0; k < 3; k++)
            shape.positions[3 * i + k] = (float)moved[k];
        if (mesh->normals) {
            world_normal(pose->m, mesh->normals + 3 * (size_t)i, moved);
            for (uint32_t k = 0; k < 3; k++)
                shape.normals[3 * i + k] = (float)moved[k];
        }
    }
    return shape;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t other = *a;
    *a = *b;
    *b = other;
}

/* Another order of vertices, of faces within their group, and of the corner that begins a face; reversed: the other way
 * round, too. */
static struct shape shuffled(const cp_mesh *mesh, bool reversed)
{
    struct shape shape = copy_shape(mesh);
    uint32_t *vertices = scratch(mesh->vertex_count, 4), *faces = scratch(mesh->face_count, 4);
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        vertices[i] = i;
    for (uint32_t i = mesh->vertex_count; i > 1; i--)
        swap(&vertices[i - 1], &vertices[random_bits(&dice) % i]);
    for (uint32_t i = 0; i < mesh->face_count; i++)
        faces[i] = i;
    const cp_group all = {0, mesh->face_count, CP_NONE};
    for (uint32_t g = 0; g < (mesh->group_count ? mesh->group_count : 1); g++) {
        cp_group group = mesh->group_count ? mesh->groups[g] : all;
        for (uint32_t i = group.face_count; i > 1; i--)
            swap(&faces[group.first_face + i - 1], &faces[group.first_face + random_bits(&dice) % i]);
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        memcpy(shape.positions + 3 * vertices[i], mesh->positions + 3 * i, 12);
        if (mesh->normals)
            memcpy(shape.normals + 3 * vertices[i], mesh->normals + 3 * i, 12);
        if (mesh->colours)
            memcpy(shape.colours + 4 * vertices[i], mesh->colours + 4 * i, 16);
    }
    uint32_t count = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t size = face_size(mesh, faces[f]), start = random_bits(&dice) % size;
        for (uint32_t i = 0; i < size; i++)
            shape.corners[count++] = vertices[face_corner(mesh, faces[f], reversed ? start + size - i : start + i)];
        if (shape.offsets)
            shape.offsets[f + 1] = count;
    }
    return shape;
}

static cp_pose random_motion(double distance)
{
    double z = random_between(-1, 1), angle = random_between(0, 6.28), r = sqrt(1 - z * z);
    const double axis[3] = {r * cos(angle), r * sin(angle), z};
    cp_pose turn = plain_rotation(axis, random_between(-3, 3));
    cp_pose move = plain_translation(random_between(-distance, distance), random_between(-distance, distance),
                                     random_between(-distance, distance));
    return plain_product(&move, &turn);
}

static void add_materials(void)
{
    const double red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
    (void)add_colour(scene, "red", red, true);
    (void)add_colour(scene, "blue", blue, false);
}

static uint32_t add_part(const cp_mesh *mesh, const cp_pose *transform)
{
    uint32_t node = add_node_at(scene, 0, "part", NULL), index = add_mesh_of(scene, mesh);
    assert_int_not_equal(add_instance_of(scene, node, index, CP_USE_BOTH, transform), CP_NONE);
    return index;
}

/* ---- moved copies ---- */

/* The largest distance between corners of the same number of the same face: for copies in the same order. */
static double largest_distance(struct world_faces a, struct world_faces b)
{
    double largest = 0;
    assert_int_equal(a.count, b.count);
    for (uint32_t f = 0; f < a.count; f++)
        for (uint32_t i = 0; i < a.faces[f].size; i++) {
            const double *p = a.faces[f].corners[i].position, *q = b.faces[f].corners[i].position;
            largest = fmax(largest, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                         (p[2] - q[2]) * (p[2] - q[2])));
        }
    free(a.faces);
    free(b.faces);
    return largest;
}

static void test_random_motions_are_found(void **unused)
{
    (void)unused;
    const cp_pose millimetres = plain_scaling(0.001, 0.001, 0.001);
    for (int round = 0; round < 60; round++) {
        enum { SHAPES = 4, COPIES = 5 };
        add_materials();
        double size = exp(random_between(0, 7)), far = size * random_between(0, 100);
        for (int s = 0; s < SHAPES; s++) {
            struct shape shape = random_shape(3 + random_bits(&dice) % 60, size, round % 4);
            (void)add_part(&shape.mesh, &millimetres);
            for (int c = 1; c < COPIES; c++) {
                cp_pose motion = random_motion(far);
                struct shape copy = baked(&shape.mesh, &motion);
                (void)add_part(&copy.mesh, &millimetres);
            }
        }
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        struct world_faces before = world_faces(scene), again = world_faces(scene);
        assert_int_equal(apply(round % 2 ? "order=same" : "order=any", NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), SHAPES);
        assert_int_equal(count_instances(scene), SHAPES * COPIES);
        assert_true(was_said(context, "of 20 meshes 0 are equal and 16 moved copies"));
        double told = 0, allowed = 1e-6 * 2 * (2 * far + 2 * size) / 1000;
        size_t entries;
        const cp_entry *entry = cp_report(context, &entries);
        for (size_t i = 0; i < entries; i++)
            if (strcmp(entry[i].code, "instances-shared") == 0)
                told = plain_strtod(strstr(entry[i].text, "more than ") + 10, NULL);
        double found = largest_distance(before, world_faces(scene));
        assert_true(found <= allowed && found * 1000 <= told * (1 + 1e-6) + 1e-9);
        assert_true(world_faces_equal(again, world_faces(scene), allowed)); /* normals and colours, too */
        start_again();
    }
}

static void test_other_orders_are_found(void **unused)
{
    (void)unused;
    const cp_pose millimetres = plain_scaling(0.001, 0.001, 0.001);
    for (int round = 0; round < 80; round++) {
        enum { COPIES = 4 };
        add_materials();
        double size = exp(random_between(0, 7)), far = size * random_between(0, 30);
        struct shape shape = random_shape(6 + random_bits(&dice) % 60, size, round % 4);
        (void)add_part(&shape.mesh, &millimetres);
        for (int c = 1; c < COPIES; c++) {
            cp_pose motion = random_motion(far);
            struct shape moved = baked(&shape.mesh, &motion), copy = shuffled(&moved.mesh, false);
            (void)add_part(&copy.mesh, &millimetres);
        }
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        struct world_faces before = world_faces(scene);
        assert_int_equal(apply("order=same", NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), COPIES);
        assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), 1);
        assert_true(world_faces_equal(before, world_faces(scene), 1e-6 * 2 * (2 * far + 2 * size) / 1000));
        start_again();
    }
}

/* A prism of n sides, about which there are n ways to turn it and as many to turn it over; caps as fans from one corner
 * make it less symmetric. */
static struct shape prism(uint32_t sides, bool caps)
{
    float positions[3 * 128];
    uint32_t corners[4 * 64 + 6 * 64], offsets[64 + 128], faces = 0, count = 0;
    for (uint32_t i = 0; i < 2 * sides; i++) {
        positions[3 * i] = (float)(10 * cos(2 * PI * (i / 2) / sides));
        positions[3 * i + 1] = (float)(10 * sin(2 * PI * (i / 2) / sides));
        positions[3 * i + 2] = i % 2 ? 7 : -7;
    }
    offsets[0] = 0;
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t a = 2 * i, b = 2 * ((i + 1) % sides);
        const uint32_t quad[] = {a, b, b + 1, a + 1};
        for (int k = 0; k < 4; k++)
            corners[count++] = quad[k];
        offsets[++faces] = count;
    }
    for (uint32_t i = 1; caps && i + 1 < sides; i++)
        for (uint32_t top = 0; top < 2; top++) {
            const uint32_t triangle[] = {top, top ? 2 * i + 1 : 2 * i + 2, top ? 2 * i + 3 : 2 * i};
            for (int k = 0; k < 3; k++)
                corners[count++] = triangle[k];
            offsets[++faces] = count;
        }
    const cp_mesh mesh = {.name = "part",
                          .vertex_count = 2 * sides,
                          .face_count = faces,
                          .corner_count = count,
                          .positions = positions,
                          .face_offsets = offsets,
                          .corners = corners};
    return copy_shape(&mesh);
}

static void test_symmetric_parts(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY;
    for (uint32_t sides = 3; sides <= 64; sides += sides < 8 ? 1 : 7)
        for (int caps = 0; caps < 2; caps++) {
            struct shape shape = prism(sides, caps);
            (void)add_part(&shape.mesh, &identity);
            for (int c = 0; c < 3; c++) {
                cp_pose motion = random_motion(50);
                struct shape moved = baked(&shape.mesh, &motion), copy = shuffled(&moved.mesh, false);
                (void)add_part(&copy.mesh, &identity);
            }
            assert_int_equal(cp_scene_finish(scene), CP_OK);
            struct world_faces before = world_faces(scene);
            assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
            assert_int_equal(count_meshes(scene), 1);
            assert_true(world_faces_equal(before, world_faces(scene), 1e-3));
            start_again();
        }
}

/* ---- what is no copy ---- */

/* One vertex is off by 10 tolerances: no copy. Off by a third of one: a copy. */
static void test_near_misses(void **unused)
{
    (void)unused;
    const cp_pose millimetres = plain_scaling(0.001, 0.001, 0.001);
    for (int round = 0; round < 80; round++) {
        bool near = round % 2;
        struct shape shape = random_shape(12 + random_bits(&dice) % 40, 100, round % 4);
        cp_pose motion = random_motion(300);
        struct shape copy = baked(&shape.mesh, &motion);
        if (round % 8 < 4)
            copy = shuffled(&copy.mesh, false);
        uint32_t vertex = copy.corners[random_bits(&dice) % copy.mesh.corner_count];
        float off = near ? 0.003f : 0.1f;
        for (uint32_t i = 0; i < copy.mesh.vertex_count; i++) /* all vertices of the place */
            if (i != vertex && same_place(&copy.mesh, i, vertex))
                copy.positions[3 * i + (uint32_t)round % 3] += off;
        copy.positions[3 * vertex + (uint32_t)round % 3] += off;
        add_materials();
        (void)add_part(&shape.mesh, &millimetres);
        (void)add_part(&copy.mesh, &millimetres);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        struct world_faces before = world_faces(scene);
        assert_int_equal(apply("tolerance=0.01mm", NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), near ? 1 : 2);
        assert_true(world_faces_equal(before, world_faces(scene), 1e-5));
        start_again();
    }
}

static double reach(const cp_mesh *mesh)
{
    double largest = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = position_at(mesh, i);
        largest = fmax(largest, sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]));
    }
    return largest;
}

/* The same without a tolerance given: a millionth of how far both reach, but a thousandth of the diameter at most. */
static void test_tolerance_by_itself(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY;
    for (int round = 0; round < 60; round++) {
        bool near = round % 2, far = round % 3 == 0;
        struct shape shape = random_shape(40, 100, 0);
        cp_pose motion = random_motion(100), away = plain_translation(far ? 1e6 : 500, 0, 0);
        motion = plain_product(&away, &motion);
        struct shape copy = baked(&shape.mesh, &motion);
        double tolerance = fmin(1e-6 * (reach(&shape.mesh) + reach(&copy.mesh)), 0.1 * sqrt(3));
        uint32_t vertex = copy.corners[random_bits(&dice) % copy.mesh.corner_count];
        copy.positions[3 * vertex + 1] += (float)((near ? 0.3 : 10) * tolerance);
        (void)add_part(&shape.mesh, &identity);
        (void)add_part(&copy.mesh, &identity);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
        if (!near || !far) /* far away, rounding to floats alone may be too much */
            assert_int_equal(count_meshes(scene), near ? 1 : 2);
        start_again();
    }
}

/* Of two equal or moved shapes, one is changed in a way that only the faces show. */
static void test_other_faces_are_no_copies(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY;
    for (int round = 0; round < 60; round++) {
        add_materials();
        struct shape shape = random_shape(30, 100, RICH);
        cp_pose motion = round % 2 ? random_motion(300) : identity;
        struct shape copy = baked(&shape.mesh, &motion);
        if (round % 4 > 1)
            copy = shuffled(&copy.mesh, false);
        uint32_t vertex = copy.corners[3];
        switch (round / 4 % 5) {
        case 0: /* one face looks the other way */
            swap(&copy.corners[4], &copy.corners[5]);
            break;
        case 1: /* materials change places */
            swap(&copy.groups[0].material, &copy.groups[2].material);
            break;
        case 2:
            copy.colours[4 * vertex + 1] += 0.5f;
            break;
        case 3: /* a normal leans by 3 degrees */
            copy.normals[3 * vertex + (fabs((double)copy.normals[3 * vertex]) > 0.7)] += 0.05f;
            break;
        default:
            copy.mesh.normals = NULL;
        }
        (void)add_part(&shape.mesh, &identity);
        (void)add_part(&copy.mesh, &identity);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        assert_int_equal(apply("tolerance=0.1", NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), 2);
        start_again();
    }
}

/* ---- mirrored, scaled ---- */

static void test_mirrored_and_scaled(void **unused)
{
    (void)unused;
    static const char *const words[] = {"mirrored=no", "mirrored=yes", "scaled=no", "scaled=yes"};
    const cp_pose identity = PLAIN_IDENTITY;
    for (int round = 0; round < 80; round++) {
        bool mirrored = round % 4 < 2, wanted = round % 2;
        add_materials();
        struct shape shape = random_shape(12 + random_bits(&dice) % 30, 2, round / 4 % 4);
        cp_pose motion = random_motion(5), change = mirrored ? plain_scaling(-1, 1, 1) : plain_scaling(2.5, 2.5, 2.5);
        motion = plain_product(&motion, &change);
        struct shape copy = baked(&shape.mesh, &motion);
        if (mirrored)
            copy = shuffled(&copy.mesh, true); /* faces outward again */
        else if (round % 8 < 4)
            copy = shuffled(&copy.mesh, false);
        (void)add_part(&shape.mesh, &identity);
        (void)add_part(&copy.mesh, &identity);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        struct world_faces before = world_faces(scene);
        assert_int_equal(apply(words[round % 4], NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), wanted ? 1 : 2);
        assert_true(world_faces_equal(before, world_faces(scene), 1e-4));
        start_again();
    }
}

/* ---- equal ones, names, what is told ---- */

static void test_equal_copies_keep_their_poses(void **unused)
{
    (void)unused;
    const cp_pose poses[] = {{{0, 0.001, 0, 3, -0.001, 0, 0, 1, 0, 0, 0.001, 2}},
                             {{0.1, 0.2, 0, 3, -0.7, 0, 0.1, 1, 9, 0, 0.3, 2}}};
    cp_mesh cube = make_cube(), box = {.kind = CP_MESH_BOX, .size = {1, 2, 3}}, other = box;
    other.size[2] = 4;
    cube.id = NULL;
    struct shape twin = copy_shape(&cube), minus = copy_shape(&cube);
    minus.positions[0] = -0.0f;
    uint32_t first = add_part(&cube, &poses[0]);
    twin.mesh.name = "wheel";
    (void)add_part(&twin.mesh, &poses[1]);
    uint32_t third = add_part(&minus.mesh, &poses[1]);
    (void)add_part(&box, &poses[0]);
    (void)add_part(&box, &poses[1]);
    (void)add_part(&other, &poses[1]);
    (void)add_mesh_of(scene, &cube); /* nobody shows it: stays */
    add_metadata_of(scene, CP_OWNER_MESH, third, "key", CP_VALUE_STRING, "value");
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("moved=no", NULL, NULL), CP_OK);
    assert_int_equal(count_meshes(scene), 5);
    assert_true(was_said(context, "of 7 meshes 2 are equal and 0 moved"));
    assert_true(was_reported(context, "instances-names") && !was_reported(context, "instances-metadata"));
    assert_int_equal(cp_instances(scene, NULL)[1].mesh, first);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(&cp_instances(scene, NULL)[i].transform, &poses[i > 0], sizeof *poses);
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK); /* -0 is 0 for what is moved, and this not at all */
    assert_int_equal(count_meshes(scene), 4);
    assert_true(was_reported(context, "instances-metadata"));
    assert_memory_equal(&cp_instances(scene, NULL)[2].transform, &poses[1], sizeof *poses);
}

/* Quarter turns and mere moves are found as such, so that transforms stay readable. */
static void test_plain_motions_stay_plain(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY, moved = plain_translation(100, -250.5, 31.25);
    const cp_pose turned = {{0, -1, 0, 8, 1, 0, 0, -4, 0, 0, 1, 2}};
    struct shape shape = random_shape(30, 64, 0);
    struct shape one = baked(&shape.mesh, &moved), two = baked(&shape.mesh, &turned);
    (void)add_part(&shape.mesh, &identity);
    (void)add_part(&one.mesh, &identity);
    (void)add_part(&two.mesh, &identity);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
    assert_int_equal(count_meshes(scene), 1);
    for (int i = 0; i < 12; i++) {
        double allowed = i % 4 == 3 ? 1e-4 : 0;
        assert_true(fabs(cp_instances(scene, NULL)[1].transform.m[i] - moved.m[i]) <= allowed);
        assert_true(fabs(cp_instances(scene, NULL)[2].transform.m[i] - turned.m[i]) <= allowed);
    }
}

/* The tolerance is in the world: the copy's instance that stretches it most counts, an equal mesh's too. */
static void test_tolerance_is_in_the_world(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY, millimetres = plain_scaling(0.001, 0.001, 0.001);
    for (int round = 0; round < 3; round++) {
        struct shape shape = random_shape(30, 100, 0), copy = copy_shape(&shape.mesh);
        for (uint32_t i = 0; i < copy.mesh.vertex_count; i += 3)
            copy.positions[3 * i] += 0.5f;
        (void)add_part(&shape.mesh, &identity);
        uint32_t second = add_part(&copy.mesh, &millimetres);
        if (round == 1)
            (void)add_part(&copy.mesh, &identity);
        if (round == 2)
            (void)add_instance_of(scene, add_node_at(scene, 0, "part", NULL), second, CP_USE_BOTH, &identity);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        assert_int_equal(apply("tolerance=1mm", NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), round == 0 ? 1 : 2);
        start_again();
    }
}

/* What is too small to be seen at the current joint values is not taken for something else. */
static void test_shapes_without_size(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY, nothing = plain_scaling(0, 0, 0);
    struct shape shape = random_shape(30, 100, 0), other = copy_shape(&shape.mesh);
    for (uint32_t i = 0; i < other.mesh.vertex_count; i++)
        other.positions[3 * i] *= 2;
    (void)add_part(&shape.mesh, &identity);
    (void)add_part(&other.mesh, &nothing);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("tolerance=1mm", NULL, NULL), CP_OK);
    assert_int_equal(count_meshes(scene), 2);
}

static void test_equal_materials_of_two_files(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY;
    for (int round = 0; round < 3; round++) {
        add_materials();
        add_materials();
        struct shape shape = random_shape(30, 100, RICH), copy = copy_shape(&shape.mesh);
        copy.groups[0].material += 2;
        copy.groups[2].material += 2;
        if (round == 1) {
            struct draft draft = draft_of(scene);
            draft.materials[2].rgba[1] = 0.5;
            scene = built_again(&draft, context);
        }
        if (round == 2)
            add_metadata_of(scene, CP_OWNER_MATERIAL, 2, "key", CP_VALUE_STRING, "value");
        (void)add_part(&shape.mesh, &identity);
        (void)add_part(&copy.mesh, &identity);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), round == 0 ? 1 : 2);
        start_again();
    }
}

/* ---- hostile ---- */

/* Two equal triangles round one axis, the second turned by any angle: all distances from the centre and all edges are
 * the same, and no two shapes are. */
static void test_many_lookalikes(void **unused)
{
    (void)unused;
    enum { COUNT = 3000 };
    const cp_pose identity = PLAIN_IDENTITY;
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
    uint32_t node = add_node_at(scene, 0, "all", NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        float *positions = scratch(18, sizeof(float));
        for (uint32_t k = 0; k < 6; k++) {
            double angle = 2 * PI * (k % 3) / 3 + (k < 3 ? 0 : 0.5 + 0.5 * i / COUNT);
            positions[3 * k] = (float)cos(angle);
            positions[3 * k + 1] = (float)sin(angle);
            positions[3 * k + 2] = k < 3 ? -1 : 1;
        }
        const cp_mesh mesh = {.name = "m",
                              .vertex_count = 6,
                              .face_count = 2,
                              .corner_count = 6,
                              .positions = positions,
                              .corners = corners};
        (void)add_instance_of(scene, node, add_mesh_of(scene, &mesh), CP_USE_BOTH, &identity);
    }
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
    assert_true(was_reported(context, "instances-unfinished"));
    assert_true(count_meshes(scene) > COUNT - 100);
}

/* All in one place, on a line, empty, lines. */
static void test_flat_shapes(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY;
    static const float spots[3][9] = {
        {1, 2, 3, 1, 2, 3, 1, 2, 3}, {0, 0, 0, 1, 1, 1, 3, 3, 3}, {0, 0, 0, 2, 0, 0, 0, 1, 0}};
    static const uint32_t corners[] = {0, 1, 2}, other[] = {2, 0, 1}, offsets[] = {0, 3};
    for (int lines = 0; lines < 2; lines++)
        for (int s = 0; s < 3; s++)
            for (int c = 0; c < 3; c++) {
                const cp_mesh mesh = {.name = "part",
                                      .kind = lines ? CP_MESH_LINES : CP_MESH_FACES,
                                      .vertex_count = 3,
                                      .face_count = 1,
                                      .corner_count = 3,
                                      .positions = spots[s],
                                      .face_offsets = offsets,
                                      .corners = c == 2 ? other : corners};
                cp_pose motion = random_motion(3);
                struct shape moved = baked(&mesh, &motion);
                (void)add_part(&moved.mesh, &identity);
            }
    const cp_mesh empty = {.name = "part"};
    (void)add_part(&empty, &identity);
    (void)add_part(&empty, &identity);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    struct world_faces before = world_faces(scene);
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
    assert_true(world_faces_equal(before, world_faces(scene), 1e-4));
    assert_true(count_meshes(scene) <= 12);
    before = world_faces(scene);
    assert_int_equal(apply("mirrored=yes", "scaled=yes", NULL), CP_OK);
    assert_true(world_faces_equal(before, world_faces(scene), 1e-4));
}

/* ---- memory ---- */

/* Each allocation fails once, on the way through the search in another order and for mirror images, too. */
static void test_memory_runs_out(void **unused)
{
    (void)unused;
    struct counter counter = {0};
    const cp_allocator allocator = {counted_resize, &counter};
    cp_context *own = cp_context_new(&allocator), *before = context;
    cp_scene *old = scene;
    const cp_pose identity = PLAIN_IDENTITY;
    context = own;
    scene = cp_scene_new(own);
    add_materials();
    struct shape shape = random_shape(30, 100, RICH);
    cp_pose motion = random_motion(30), mirror = plain_scaling(1, -1, 1);
    struct shape moved = baked(&shape.mesh, &motion), other = shuffled(&moved.mesh, false);
    motion = plain_product(&motion, &mirror);
    moved = baked(&shape.mesh, &motion);
    struct shape image = shuffled(&moved.mesh, true);
    (void)add_part(&shape.mesh, &identity);
    (void)add_part(&other.mesh, &identity);
    (void)add_part(&image.mesh, &identity);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    cp_status status = CP_LIMIT;
    size_t n = 0;
    while (status != CP_OK) {
        assert_int_equal(count_meshes(scene), 3);
        size_t blocks = counter.blocks;
        cp_report_clear(context);
        counter.calls = 0;
        counter.limit = ++n;
        status = cp_apply(context, scene, "instances", (const char *const[]){"mirrored=yes"}, 1);
        counter.limit = 0;
        assert_true(status == CP_OK || (status == CP_LIMIT && counter.blocks <= blocks + 2)); /* the report's */
    }
    assert_true(n > 50);
    assert_int_equal(count_meshes(scene), 1);
    cp_scene_free(scene);
    cp_context_free(own);
    assert_int_equal(counter.blocks, 0);
    context = before;
    scene = old;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_motions_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_orders_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_symmetric_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_near_misses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tolerance_by_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_faces_are_no_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mirrored_and_scaled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_copies_keep_their_poses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plain_motions_stay_plain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tolerance_is_in_the_world, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shapes_without_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_materials_of_two_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_lookalikes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flat_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_runs_out, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

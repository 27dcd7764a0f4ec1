/* lod: the meshes that it adds, judged by the torus' formula and by comparing every edge with every other; what it
 * draws; what it refuses. */
#include "mesh_builder.h"

#include "scene_fixture.h"

enum { QUADS = 24, TUBE = 12, TRIANGLES = 2 * QUADS * TUBE };
enum { TORUS, UNNAMED, BOX, LONE, EMPTY, MESHES }; /* the meshes, in their order */
enum { RED, BLUE };

static struct builder torus;

static const cp_group halves[] = {{0, QUADS *TUBE / 2, BLUE}, {QUADS * TUBE / 2, QUADS *TUBE / 2, RED}};
static const float lone_positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const uint32_t lone_corners[] = {0, 1, 2};

/* The meshes stand behind the world in two frames; the torus in both of them and a third time for collision alone. */
static int make_scene(void **state)
{
    static const double red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
    if (set_up(state) != 0)
        return 1;
    add_torus(&torus, QUADS, TUBE);
    cp_mesh meshes[MESHES] = {[TORUS] = mesh_of(&torus),
                              [UNNAMED] = make_cube(),
                              [BOX] = {.name = "box", .kind = CP_MESH_BOX, .size = {1, 2, 3}},
                              [LONE] = {.name = "lone", .vertex_count = 3, .face_count = 1, .corner_count = 3},
                              [EMPTY] = {.name = "empty"}};
    meshes[TORUS].name = "torus";
    meshes[TORUS].groups = halves;
    meshes[TORUS].group_count = 2;
    meshes[UNNAMED].id = meshes[UNNAMED].name = NULL;
    meshes[LONE].positions = lone_positions;
    meshes[LONE].corners = lone_corners;
    (void)add_colour(scene, "red", red, false);
    (void)add_colour(scene, "blue", blue, false);
    for (int i = 0; i < MESHES; i++)
        assert_int_equal(add_mesh_of(scene, &meshes[i]), i);
    uint32_t first = add_node_at(scene, 0, "first", NULL), second = add_node_at(scene, 0, "second", NULL);
    cp_pose moved = PLAIN_IDENTITY;
    moved.m[3] = 7;
    for (uint32_t i = 0; i < MESHES; i++)
        assert_int_not_equal(add_instance_of(scene, first, i, CP_USE_DRAWN, &PLAIN_IDENTITY), CP_NONE);
    assert_int_not_equal(add_instance_of(scene, second, TORUS, CP_USE_BOTH, &moved), CP_NONE);
    assert_int_not_equal(add_instance_of(scene, second, TORUS, CP_USE_COLLISION, &PLAIN_IDENTITY), CP_NONE);
    return cp_scene_finish(scene) == CP_OK ? 0 : 1;
}

static int drop_scene(void **state)
{
    free_builder(&torus);
    return tear_down(state);
}

static cp_status apply(const char *first, const char *second)
{
    return apply_filter(context, scene, "lod", first, second, NULL);
}

static const cp_mesh *find_mesh(const char *name)
{
    uint32_t count;
    const cp_mesh *found = NULL, *meshes = cp_meshes(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (meshes[i].name && strcmp(meshes[i].name, name) == 0) {
            assert_null(found);
            found = &meshes[i];
        }
    return found;
}

static const cp_mesh *find_level(const char *name, int level)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s_lod%d", name, level);
    const cp_mesh *mesh = find_mesh(text);
    assert_non_null(mesh);
    return mesh;
}

static uint32_t mesh_count(void)
{
    uint32_t count;
    (void)cp_meshes(scene, &count);
    return count;
}

/* ---- the levels ---- */

/* How far the vertices are from the torus of radius 3 with a tube of radius 1. */
static double away_from_torus(const cp_mesh *mesh)
{
    double worst = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = position_at(mesh, i);
        double ring = sqrt((double)p[0] * p[0] + (double)p[1] * p[1]) - 3;
        worst = fmax(worst, fabs(sqrt(ring * ring + (double)p[2] * p[2]) - 1));
    }
    return worst;
}

/* Each material has its half: y > 0 came first. The seam may leave y = 0 within the error, a few percent of the
 * size. */
static void expect_groups(const cp_mesh *mesh)
{
    assert_int_equal(mesh->group_count, 2);
    assert_int_equal(mesh->groups[0].material, BLUE);
    assert_int_equal(mesh->groups[1].material, RED);
    for (uint32_t group = 0; group < 2; group++)
        for (uint32_t i = 0; i < mesh->groups[group].face_count; i++)
            for (uint32_t corner = 0; corner < 3; corner++) {
                uint32_t face = mesh->groups[group].first_face + i;
                double y = (double)position_at(mesh, face_corner(mesh, face, corner))[1];
                assert_true(group == 0 ? y > -0.2 : y < 0.2);
            }
}

static void test_levels_of_a_torus(void **unused)
{
    (void)unused;
    assert_int_equal(apply(NULL, NULL), CP_OK);
    static const double most_away[] = {0.15, 0.35,
                                       0.6}; /* a polygon of the tube's edges of such a level is off by more */
    uint32_t triangles = TRIANGLES;
    for (int level = 1; level <= 3; level++) {
        const cp_mesh *mesh = find_level("torus", level);
        triangles /= 2;
        assert_int_equal(mesh->face_count, triangles);
        assert_null(mesh->face_offsets);
        assert_true(plain_topology(mesh).closed);
        assert_true(plain_volume(mesh) > 0);
        assert_true(away_from_torus(mesh) < most_away[level - 1]);
        expect_groups(mesh);
    }
    assert_null(find_mesh("torus_lod4"));
    assert_memory_equal(find_mesh("torus")->positions, torus.positions, 12 * (size_t)torus.vertices);
    assert_int_equal(find_mesh("torus")->face_count, QUADS * TUBE);
}

/* Levels come of the original, not of the level before: another count of levels makes the same ones. */
static void test_levels_do_not_depend_on_each_other(void **unused)
{
    (void)unused;
    assert_int_equal(apply("levels=2", "ratio=0.25"), CP_OK);
    cp_mesh sixteenth = *find_level("torus", 2);
    cp_scene *kept = scene;
    struct builder kept_torus = torus;
    torus = (struct builder){0};
    scene = cp_scene_new(context);
    cp_mesh again = mesh_of(&kept_torus);
    again.name = "torus";
    again.groups = halves;
    again.group_count = 2;
    for (int i = 0; i < 2; i++)
        (void)add_colour(scene, "m", (const double[]){i, 0, 1, 1}, false);
    (void)add_mesh_of(scene, &again);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("levels=1", "ratio=0.0625"), CP_OK);
    const cp_mesh *other = find_level("torus", 1);
    assert_in_range(other->face_count, TRIANGLES / 16, TRIANGLES / 8);
    assert_int_equal(other->corner_count, sixteenth.corner_count);
    assert_memory_equal(other->corners, sixteenth.corners, 4 * (size_t)other->corner_count);
    assert_memory_equal(other->positions, sixteenth.positions, 12 * (size_t)other->vertex_count);
    cp_scene_free(kept);
    free_builder(&kept_torus);
}

/* A cube needs its twelve triangles, a triangle is one; nothing with a formula gets levels, and all of it is said. */
static void test_small_meshes(void **unused)
{
    (void)unused;
    uint32_t count;
    assert_int_equal(apply("levels=2", NULL), CP_OK);
    assert_int_equal(mesh_count(), MESHES + 2 * 4);
    const char *id = cp_meshes(scene, &count)[UNNAMED].id;
    for (int level = 1; level <= 2; level++) {
        assert_int_equal(find_level(id, level)->face_count, 12);
        assert_true(fabs(plain_volume(find_level(id, level)) - 1) < 1e-6);
        assert_int_equal(find_level("lone", level)->face_count, 1);
        assert_int_equal(find_level("empty", level)->face_count, 0);
    }
    assert_null(find_mesh("box_lod1"));
    assert_true(was_said(context, "2 meshes keep 15 triangles more than asked for")); /* 12 - 6 and 12 - 3 */
    assert_true(was_reported(context, "simplify-polygons"));
    assert_true(was_said(context, "1 meshes of lines, boxes, cylinders and the like stay as they are"));
}

/* ---- what is drawn ---- */

static void expect_drawn(const char *name)
{
    uint32_t count, meshes;
    const cp_instance *instances = cp_instances(scene, &count);
    const cp_mesh *first = cp_meshes(scene, &meshes);
    static const uint32_t uses[] = {CP_USE_DRAWN, CP_USE_BOTH, CP_USE_COLLISION};
    assert_int_equal(count, MESHES + 2);
    const size_t at[] = {0, MESHES, MESHES + 1};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(first[instances[at[i]].mesh].name, name);
        assert_int_equal(instances[at[i]].use, uses[i]);
    }
    assert_true(instances[MESHES].transform.m[3] == 7);
    assert_string_equal(first[instances[BOX].mesh].name, "box");
}

static void test_one_level_is_drawn(void **unused)
{
    (void)unused;
    assert_int_equal(apply("levels=2", "level=0"), CP_OK);
    expect_drawn("torus");
}

static void test_all_places_draw_the_level(void **unused)
{
    (void)unused;
    assert_int_equal(apply("levels=3", "level=2"), CP_OK);
    expect_drawn("torus_lod2");
    assert_non_null(find_mesh("torus"));
    assert_non_null(find_mesh("torus_lod3"));
}

/* In a file the levels are meshes of their own, and come back so. */
static void test_levels_survive_a_file(void **unused)
{
    (void)unused;
    assert_int_equal(apply("levels=2", NULL), CP_OK);
    static const char *const options[] = {"profile=stage"};
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "glb", options, 1, &bytes, &size), CP_OK);
    cp_scene *written = scene;
    assert_int_equal(cp_read_memory(context, bytes, size, "levels.glb", NULL, NULL, 0, &scene), CP_OK);
    cp_free(context, bytes, size);
    cp_scene_free(written);
    assert_int_equal(find_level("torus", 2)->face_count, TRIANGLES / 4);
    expect_groups(find_level("torus", 1));
    expect_drawn("torus");
}

/* ---- what is refused ---- */

static void test_hostile_options(void **unused)
{
    (void)unused;
    static const char *const options[] = {
        "levels=0",  "levels=17",   "levels=-1",  "levels=1.5",      "levels=",     "levels=99999999999999999999",
        "level=4",   "level=-1",    "level=17",   "ratio=0",         "ratio=1",     "ratio=-0.5",
        "ratio=nan", "ratio=inf",   "ratio=1e99", "ratio=0.5,5",     "ratio=50%%",  "quality=good",
        "quality=",  "triangles=9", "level",      "levels=3levels=", "ratio=1e-99", "=",
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        assert_int_equal(apply(options[i], NULL), CP_USAGE);
        assert_int_equal(mesh_count(), MESHES);
        expect_drawn("torus");
    }
    assert_int_equal(apply("levels=2", "level=3"), CP_USAGE);
    assert_true(was_said(context, "level=3: there are 2 levels"));
}

/* The smallest ratio down to the last level: no more than one triangle is asked for, and what cannot be had is said. */
static void test_extreme_options(void **unused)
{
    (void)unused;
    assert_int_equal(apply("levels=16", "ratio=0.01"), CP_OK);
    assert_int_equal(mesh_count(), MESHES + 16 * 4);
    for (int level = 2; level <= 16; level++) {
        const cp_mesh *mesh = find_level("torus", level);
        assert_true(mesh->face_count > 1 && mesh->face_count <= find_level("torus", level - 1)->face_count);
        assert_true(plain_topology(mesh).closed);
        assert_int_equal(find_level("lone", level)->face_count, 1);
    }
    assert_true(was_said(context, "32 meshes keep ")); /* the levels of the torus and the cube */
}

static void test_twice(void **unused)
{
    (void)unused;
    assert_int_equal(apply("levels=1", "quality=fast"), CP_OK);
    assert_int_equal(apply("levels=1", "quality=fast"), CP_OK);
    assert_int_equal(find_level("torus_lod1", 1)->face_count, TRIANGLES / 4);
    assert_int_equal(mesh_count(), MESHES + 4 + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_levels_of_a_torus, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_levels_do_not_depend_on_each_other, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_small_meshes, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_one_level_is_drawn, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_all_places_draw_the_level, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_levels_survive_a_file, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_hostile_options, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_extreme_options, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(test_twice, make_scene, drop_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

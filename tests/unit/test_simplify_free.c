/* Simplification whose topology is free: what closes and vanishes, what must not, and that nothing opens. */
#include "simplify_shapes.h"

/* The error, in metres, holds for all points of both surfaces. */
static const cp_mesh *simplify_within(const cp_mesh *mesh, const char *error)
{
    char option[32];
    double most;
    (void)snprintf(option, sizeof option, "error=%s", error);
    const char *options[] = {option, "topology=free"};
    const cp_mesh *simplified = simplify_shown(mesh, CP_USE_BOTH, 0, options, 2);
    assert_non_null(cp_parse_number(error, strchr(error, 0), &most));
    assert_true(was_reported(context, "simplify-done"));
    assert_true(number_told(context, "simplify-done", "; no point is farther than ") <= 1000 * most);
    return simplified;
}

/* Every edge has as many faces that run one way as the other. */
static void assert_balanced(const cp_mesh *mesh)
{
    for (uint32_t e = 0; e < mesh->corner_count; e++) {
        uint32_t from = place_of(mesh, mesh->corners[e]);
        uint32_t to = place_of(mesh, mesh->corners[e % 3 == 2 ? e - 2 : e + 1]);
        int sum = 0;
        for (uint32_t k = 0; k < mesh->corner_count; k++) {
            uint32_t a = place_of(mesh, mesh->corners[k]);
            uint32_t b = place_of(mesh, mesh->corners[k % 3 == 2 ? k - 2 : k + 1]);
            sum += (a == from && b == to) - (a == to && b == from);
        }
        assert_int_equal(sum, 0);
    }
}

/* A square plate with a small square hole: whoever must get by with the triangles of a box has to close the hole. */
static void test_small_hole_closes(void **unused)
{
    (void)unused;
    const char *options[] = {"triangles=12", "error=1e9", "quality=fast", "topology=free"};
    const cp_mesh before = make_tube(4, 1, 0.03), *free = simplify_shown(&before, CP_USE_BOTH, 0, options, 4);
    assert_int_equal(free->face_count, 12);
    assert_true(number_told(context, "simplify-topology", "holes that close: ") == 1);
    assert_true(number_told(context, "simplify-topology", "shells that vanish: ") == 0);
    assert_closed(free, 2);
    assert_true(one_way(&before, free, 0.25) < 0.06); /* half of its height, and a little */
    options[3] = "topology=keep";
    const cp_mesh *kept = simplify_shown(&before, CP_USE_BOTH, 0, options, 4);
    assert_true(kept->face_count > 12);
    assert_closed(kept, 0);
}

/* A grain on a cube's side vanishes; one far away is missed by more than the error, and stays. */
static void test_shell_vanishes_near_others(void **unused)
{
    (void)unused;
    const double places[2][3] = {{0.5, 0.5, 1.001}, {0.5, 0.5, 3}};
    for (int i = 0; i < 2; i++) {
        cp_mesh cube = cube_of_squares(4), grain = make_torus(8, 6, 0, 0.002);
        struct shape shape = shape_new(cube.vertex_count + grain.vertex_count, cube.face_count + grain.face_count);
        append(&shape, &cube, (double[]){0, 0, 0});
        append(&shape, &grain, places[i]);
        const cp_mesh before = mesh_of(&shape), *after = simplify_within(&before, "0.03");
        assert_true(number_told(context, "simplify-topology", "shells that vanish: ") == (i == 0));
        assert_true(i == 0 ? after->face_count == 12 : after->face_count > 12);
        assert_balanced(after);
    }
}

/* Cubes that touch in an edge and in a corner, with holes that close: whatever comes of it, nothing is open. */
static void test_closed_stays_closed(void **unused)
{
    (void)unused;
    cp_mesh cube = cube_of_squares(3), tube = make_tube(9, 0.5, 0.1);
    struct shape shape = shape_new(3 * cube.vertex_count + tube.vertex_count, 3 * cube.face_count + tube.face_count);
    append(&shape, &cube, (double[]){0, 0, 0});
    append(&shape, &cube, (double[]){1, 1, 0});
    append(&shape, &cube, (double[]){-1, -1, 1});
    append(&shape, &tube, (double[]){0.5, 0.5, 1});
    cp_mesh whole = mesh_of(&shape);
    assert_balanced(&whole);
    for (uint32_t triangles = 150; triangles > 2; triangles = triangles * 2 / 3) {
        char goal[32];
        (void)snprintf(goal, sizeof goal, "triangles=%u", (unsigned)triangles);
        const char *options[] = {goal, "error=1e9", "topology=free"};
        const cp_mesh *mesh = simplify_shown(&whole, CP_USE_BOTH, 0, options, 3);
        assert_true(mesh->face_count <= triangles && mesh->face_count > 0);
        assert_balanced(mesh);
        for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
            assert_true(mesh->corners[corner] < mesh->vertex_count);
    }
}

/* The border of a sheet may move, but within the error, and where the whole is flat it goes where it was. */
static void test_borders_stay_within_the_error(void **unused)
{
    (void)unused;
    const cp_mesh before = make_sheet(12, 0.1, false), *after = simplify_within(&before, "0.01");
    assert_true(after->face_count < before.face_count);
    assert_true(one_way(&before, after, 0.25) <= 0.01 * (1 + 1e-6));
    assert_true(one_way(after, &before, 0.1) <= 0.01 * (1 + 1e-6));
}

/* Unless told otherwise, the filter keeps the holes of what is there for collision alone. */
static void test_collision_meshes_keep_their_holes(void **unused)
{
    (void)unused;
    const struct {
        uint32_t use;
        const char *topology;
        bool closes;
    } cases[] = {{CP_USE_DRAWN, "topology=auto", true},
                 {CP_USE_BOTH, "topology=auto", true},
                 {CP_USE_BOTH, "topology=keep", false},
                 {CP_USE_COLLISION, "topology=auto", false},
                 {CP_USE_COLLISION, "topology=free", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cp_mesh tube = make_tube(4, 1, 0.03);
        const char *options[] = {"ratio=0.15", "quality=fast", cases[i].topology};
        assert_closed(simplify_shown(&tube, cases[i].use, 0, options, 3), cases[i].closes ? 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_small_hole_closes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shell_vanishes_near_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_closed_stays_closed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_collision_meshes_keep_their_holes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_borders_stay_within_the_error, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

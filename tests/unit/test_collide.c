/* Pairs in collision: against plain answers over all pairs and all their triangles, and against motions whose contacts
 * are known in closed form. */
#include "mesh_builder.h"
#include "vectors.h"

#include "fixture.h"
#include "scene_fixture.h"

enum { MOST_BODIES = 12 };

/* ---- plain geometry: nothing of it is the library's ---- */

struct solid {
    uint32_t node;
    double (*triangles)[3][3]; /* in the world */
    uint32_t count;
    bool is_closed, is_plane;
    double plane[4]; /* in the world */
};

static double point_to_segment(const double p[3], const double a[3], const double b[3])
{
    double u[3], v[3];
    minus(b, a, u);
    minus(p, a, v);
    double t = dot(u, u) > 0 ? fmin(1, fmax(0, dot(u, v) / dot(u, u))) : 0;
    for (int i = 0; i < 3; i++)
        v[i] -= t * u[i];
    return sqrt(dot(v, v));
}

/* The ends, and where the lines are nearest if that is on both segments. */
static double segment_to_segment(const double a[2][3], const double b[2][3])
{
    double best = INFINITY, u[3], v[3], w[3], n[3];
    for (int i = 0; i < 2; i++)
        best = fmin(best, fmin(point_to_segment(a[i], b[0], b[1]), point_to_segment(b[i], a[0], a[1])));
    minus(a[1], a[0], u);
    minus(b[1], b[0], v);
    minus(b[0], a[0], w);
    cross(u, v, n);
    double size = dot(n, n), other[3];
    if (size == 0)
        return best;
    cross(w, v, other);
    double s = dot(other, n) / size;
    cross(w, u, other);
    double t = dot(other, n) / size;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1 ? fmin(best, fabs(dot(w, n)) / sqrt(size)) : best;
}

/* Whether a point of the plane's line is in the triangle, by the angles' signs. */
static bool is_over(const double p[3], const double triangle[3][3], const double normal[3])
{
    for (int i = 0; i < 3; i++) {
        double side[3], to[3], out[3];
        minus(triangle[(i + 1) % 3], triangle[i], side);
        minus(p, triangle[i], to);
        cross(side, to, out);
        if (dot(out, normal) < 0)
            return false;
    }
    return true;
}

/* Vertices over faces, and sides through them. */
static double corners_to_triangle(const double one[3][3], const double other[3][3])
{
    double u[3], v[3], normal[3], heights[3], best = INFINITY;
    minus(other[1], other[0], u);
    minus(other[2], other[0], v);
    cross(u, v, normal);
    double length = sqrt(dot(normal, normal));
    if (length == 0)
        return INFINITY;
    for (int i = 0; i < 3; i++) {
        double to[3];
        minus(one[i], other[0], to);
        heights[i] = dot(to, normal) / length;
        if (is_over(one[i], other, normal))
            best = fmin(best, fabs(heights[i]));
    }
    for (int i = 0; i < 3; i++) {
        double low = heights[i], high = heights[(i + 1) % 3], point[3];
        if (low * high >= 0)
            continue;
        for (int k = 0; k < 3; k++)
            point[k] = one[i][k] + (one[(i + 1) % 3][k] - one[i][k]) * low / (low - high);
        if (is_over(point, other, normal))
            return 0;
    }
    return best;
}

static double triangle_to_triangle(const double one[3][3], const double other[3][3])
{
    double best = fmin(corners_to_triangle(one, other), corners_to_triangle(other, one));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double a[2][3], b[2][3];
            memcpy(a[0], one[i], sizeof a[0]);
            memcpy(a[1], one[(i + 1) % 3], sizeof a[1]);
            memcpy(b[0], other[k], sizeof b[0]);
            memcpy(b[1], other[(k + 1) % 3], sizeof b[1]);
            best = fmin(best, segment_to_segment((const double(*)[3])a, (const double(*)[3])b));
        }
    return best;
}

/* By the solid angle of all faces (van Oosterom and Strackee, 1983). */
static bool is_inside(const struct solid *solid, const double p[3])
{
    double sum = 0;
    for (uint32_t i = 0; solid->is_closed && i < solid->count; i++) {
        double r[3][3], lengths[3], n[3];
        for (int k = 0; k < 3; k++) {
            minus(solid->triangles[i][k], p, r[k]);
            lengths[k] = sqrt(dot(r[k], r[k]));
        }
        cross(r[1], r[2], n);
        sum += 2 * atan2(dot(r[0], n), lengths[0] * lengths[1] * lengths[2] + dot(r[0], r[1]) * lengths[2] +
                                           dot(r[1], r[2]) * lengths[0] + dot(r[2], r[0]) * lengths[1]);
    }
    return fabs(sum) > 2 * PI;
}

static double solid_to_plane(const struct solid *solid, const double plane[4])
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < solid->count; i++)
        for (int k = 0; k < 3; k++) {
            double height = dot(plane, solid->triangles[i][k]) + plane[3];
            low = fmin(low, height);
            high = fmax(high, height);
        }
    return low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high));
}

static double plain_distance(const struct solid *one, const struct solid *other)
{
    if (one->is_plane && other->is_plane)
        return INFINITY;
    if (one->is_plane || other->is_plane)
        return one->is_plane ? solid_to_plane(other, one->plane) : solid_to_plane(one, other->plane);
    double best = INFINITY;
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t k = 0; k < other->count; k++)
            best = fmin(best, triangle_to_triangle((const double(*)[3])one->triangles[i],
                                                   (const double(*)[3])other->triangles[k]));
    return is_inside(one, other->triangles[0][0]) || is_inside(other, one->triangles[0][0]) ? 0 : best;
}

/* Whether a joint, a movable or an attachable frame is on the way between two. */
static bool is_static_pair(uint32_t one, uint32_t other)
{
    while (one != other) {
        uint32_t *lower = one > other ? &one : &other; /* parents come first */
        const cp_node *node = &cp_nodes(scene, NULL)[*lower];
        if (node->joint_count > 0 || (node->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE)))
            return false;
        *lower = node->parent;
    }
    return true;
}

static bool is_left_out(uint32_t one, uint32_t other)
{
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        const cp_pair *pair = &cp_pairs(scene, NULL)[i];
        if (pair->verdict == CP_PAIR_EXCLUDED &&
            ((pair->first == one && pair->second == other) || (pair->first == other && pair->second == one)))
            return true;
    }
    return cp_excludes_static_pairs(scene) && is_static_pair(one, other);
}

/* ---- random cells ---- */

struct cell {
    struct builder shapes[MOST_BODIES];
    uint32_t nodes[MOST_BODIES];
    struct solid solids[MOST_BODIES];
    uint32_t count;
};

static double between(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

static cp_pose turned(struct random *random)
{
    double axis[3], length = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = between(random, -1, 1);
        length += axis[i] * axis[i];
    }
    for (int i = 0; i < 3; i++)
        axis[i] /= sqrt(length);
    return plain_rotation(axis, between(random, -PI, PI));
}

/* Now and then stretched, mirrored or sheared. */
static cp_pose random_local(struct random *random, double away)
{
    cp_pose pose = turned(random), twist = turned(random);
    uint32_t kind = random_bits(random) % 8;
    if (kind < 3) {
        cp_pose scaling = kind == 0 ? plain_scaling(0.7, 0.7, 0.7) : plain_scaling(1.5, kind == 1 ? 0.6 : -0.6, 1);
        pose = plain_product(&pose, &scaling);
        pose = kind == 2 ? plain_product(&pose, &twist) : pose;
    }
    for (int i = 0; i < 3; i++)
        pose.m[4 * i + 3] = between(random, -away, away);
    return pose;
}

static void make_shape(struct random *random, struct builder *shape, bool *closed)
{
    double low[3], high[3], ring = between(random, 0.1, 0.5);
    for (int i = 0; i < 3; i++) {
        low[i] = -between(random, 0.1, 1);
        high[i] = between(random, 0.1, 1);
    }
    uint32_t kind = random_bits(random) % 5;
    *closed = kind != 4;
    if (kind == 0 || kind == 4)
        add_box(shape, low, high);
    else if (kind == 1)
        add_octahedron(shape, low, high);
    else
        add_torus(shape, 5, 3);
    for (uint32_t i = 0; kind == 2 && i < 3 * shape->vertices; i++)
        shape->positions[i] *= (float)ring;
    if (kind == 4)
        shape->faces--;
}

static void add_body(struct random *random, struct cell *cell, double away)
{
    uint32_t parent = random_bits(random) % 3 ? 0 : random_bits(random) % count_nodes(scene);
    cp_node body = cp_new_node();
    body.parent = parent;
    body.name = "body";
    struct builder *shape = &cell->shapes[cell->count];
    struct solid *solid = &cell->solids[cell->count];
    *solid = (struct solid){.is_plane = random_bits(random) % 12 == 0};
    body.local = random_local(random, away);
    body.flags = random_bits(random) % 6 == 0 ? CP_NODE_MOVABLE : 0;
    uint32_t node = solid->node = cp_add_node(scene, &body);
    cp_mesh mesh = {.name = "m", .source = "", .kind = CP_MESH_PLANE, .size = {1, 1, 0}};
    make_shape(random, shape, &solid->is_closed);
    if (!solid->is_plane)
        mesh = mesh_of(shape);
    cp_pose transform = random_bits(random) % 2 ? PLAIN_IDENTITY : random_local(random, 0.5);
    assert_true(add_instance_of(scene, node, add_mesh_of(scene, &mesh), CP_USE_BOTH, &transform) != CP_NONE);
    if (random_bits(random) % 3 == 0) {
        cp_joint joint = cp_new_joint();
        joint.node = node;
        joint.type = random_bits(random) % 2 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC;
        joint.q = between(random, -1, 1);
        assert_int_not_equal(cp_add_joint(scene, &joint), CP_NONE);
    }
    cell->nodes[cell->count++] = node;
}

static void make_cell(struct random *random, struct cell *cell)
{
    double away = between(random, 1, 5);
    fresh_scene();
    memset(cell, 0, sizeof *cell);
    uint32_t bodies = 2 + random_bits(random) % (MOST_BODIES - 1);
    for (uint32_t i = 0; i < bodies; i++)
        add_body(random, cell, away);
    for (uint32_t i = 0; i < bodies / 2; i++)
        (void)add_pair_of(scene, cell->nodes[random_bits(random) % bodies], cell->nodes[random_bits(random) % bodies],
                          "given");
    struct draft draft = draft_of(scene);
    if (count_pairs(scene) > 0 && random_bits(random) % 2)
        draft.pairs[0].verdict = CP_PAIR_KEPT;
    cp_exclude_static_pairs(scene, random_bits(random) % 2);
    change_scene(&draft);
}

static void free_cell(struct cell *cell)
{
    for (uint32_t i = 0; i < cell->count; i++) {
        free_builder(&cell->shapes[i]);
        free(cell->solids[i].triangles);
    }
}

static void set_plane(struct solid *solid, const cp_pose *pose)
{
    double x[3], y[3], normal[3], origin[3];
    for (int i = 0; i < 3; i++) {
        x[i] = pose->m[4 * i];
        y[i] = pose->m[4 * i + 1];
        origin[i] = pose->m[4 * i + 3];
    }
    cross(x, y, normal);
    double length = sqrt(dot(normal, normal));
    for (int i = 0; i < 3; i++)
        solid->plane[i] = normal[i] / length;
    solid->plane[3] = -dot(solid->plane, origin);
}

/* Each solid's triangles in the world. */
static void place_solids(struct cell *cell, const cp_pose *worlds)
{
    for (uint32_t i = 0; i < cell->count; i++) {
        struct solid *solid = &cell->solids[i];
        cp_mesh mesh = mesh_of(&cell->shapes[i]);
        cp_pose pose =
            plain_product(&worlds[solid->node],
                          &cp_instances(scene, NULL)[cp_nodes(scene, NULL)[solid->node].first_instance].transform);
        set_plane(solid, &pose);
        free(solid->triangles);
        solid->triangles = malloc(cp_mesh_triangles(&mesh) * sizeof *solid->triangles);
        solid->count = 0;
        for (uint32_t face = 0; face < mesh.face_count; face++)
            for (uint32_t k = 2; k < face_size(&mesh, face); k++, solid->count++)
                for (uint32_t corner = 0; corner < 3; corner++) {
                    const float *at = position_at(&mesh, face_corner(&mesh, face,
                                                                     corner == 0   ? 0
                                                                     : corner == 1 ? k - 1
                                                                                   : k));
                    plain_point(&pose, (const double[]){(double)at[0], (double)at[1], (double)at[2]},
                                solid->triangles[solid->count][corner]);
                }
    }
}

struct tally {
    uint32_t colliding, near, apart;
};

/* All pairs, each by all its triangles. */
static void compare_all(struct cell *cell, bool every_pair, double clearance, struct tally *tally)
{
    cp_collider *collider;
    const cp_contact *contacts = NULL;
    cp_pose worlds[MOST_BODIES + 1];
    uint32_t count = 0, at = 0, pairs = 0;
    pose_scene(scene, NULL, worlds);
    place_solids(cell, worlds);
    cp_status status = cp_collider_new(context, scene, 1e-6, every_pair, &collider);
    if (status == CP_OK)
        assert_int_equal(cp_collide(collider, worlds, clearance, &contacts, &count), CP_OK);
    for (uint32_t i = 0; i < cell->count; i++)
        for (uint32_t k = i + 1; k < cell->count; k++) {
            if (!every_pair && is_left_out(cell->nodes[i], cell->nodes[k]))
                continue;
            pairs += !(cell->solids[i].is_plane && cell->solids[k].is_plane); /* which are not compared */
            assert_true(status == CP_OK || pairs == 0);
            double distance = plain_distance(&cell->solids[i], &cell->solids[k]);
            assert_true(fabs(distance - fmax(clearance, 1e-6)) > 1e-9); /* the seeds leave no doubt */
            bool listed = at < count && contacts[at].first == cell->nodes[i] && contacts[at].second == cell->nodes[k];
            assert_int_equal(listed, distance <= fmax(clearance, 1e-6));
            tally->apart += !listed;
            if (!listed)
                continue;
            double expected = distance <= 1e-6 ? 0 : distance;
            assert_true(fabs(contacts[at].distance - expected) <= 1e-9 * (1 + expected));
            tally->colliding += expected == 0;
            tally->near += expected > 0;
            at++;
        }
    assert_int_equal(status, pairs > 0 ? CP_OK : CP_NO);
    if (status == CP_OK) {
        assert_int_equal(at, count);
        assert_int_equal(cp_collider_pairs(collider), pairs);
    }
    cp_collider_free(collider);
}

static void test_random_cells(void **unused)
{
    (void)unused;
    struct random random = {11};
    struct tally tally = {0};
    struct cell cell;
    uint32_t rounds = usual_or_long(120, 4000);
    for (uint32_t round = 0; round < rounds; round++) {
        make_cell(&random, &cell);
        compare_all(&cell, round % 4 == 0, round % 3 == 0 ? 0 : between(&random, 0, 2), &tally);
        free_cell(&cell);
        cp_report_clear(context);
    }
    assert_true(tally.colliding > rounds && tally.near > rounds && tally.apart > rounds);
}

/* As large as may be: the distance of every pair. */
static void test_all_distances(void **unused)
{
    (void)unused;
    struct random random = {12};
    struct tally tally = {0};
    struct cell cell;
    for (uint32_t round = 0; round < 20; round++) {
        make_cell(&random, &cell);
        compare_all(&cell, true, 1e6, &tally);
        free_cell(&cell);
        cp_report_clear(context);
    }
    assert_true(tally.colliding > 50 && tally.near > 50);
}

/* ---- special cases ---- */

static uint32_t add_frame(const char *name, const cp_mesh *mesh, cp_pose local)
{
    uint32_t node = add_node_at(scene, 0, name, &local);
    (void)add_instance_of(scene, node, add_mesh_of(scene, mesh), CP_USE_BOTH, NULL);
    return node;
}

static cp_mesh box_of(double x, double y, double z)
{
    return (cp_mesh){.name = "box", .source = "", .kind = CP_MESH_BOX, .size = {x, y, z}};
}

/* The distance of frames 1 and 2 with everything in reach. */
static double distance_of_two(double touch)
{
    cp_pose worlds[8];
    const cp_contact *contacts;
    cp_collider *collider;
    uint32_t count;
    pose_scene(scene, NULL, worlds);
    assert_int_equal(cp_collider_new(context, scene, touch, false, &collider), CP_OK);
    assert_int_equal(cp_collide(collider, worlds, INFINITY, &contacts, &count), CP_OK);
    double distance = count == 1 ? contacts[0].distance : INFINITY;
    cp_collider_free(collider);
    return distance;
}

static void expect_distance(const cp_mesh *one, const cp_mesh *other, cp_pose local, double expected)
{
    fresh_scene();
    add_frame("one", one, PLAIN_IDENTITY);
    add_frame("other", other, local);
    double distance = distance_of_two(1e-6);
    if (isinf(expected))
        assert_true(isinf(distance));
    else
        assert_true(fabs(distance - expected) < 1e-12);
}

/* Planes are compared with everything but planes. */
static void test_planes(void **unused)
{
    (void)unused;
    cp_mesh plane = {.name = "", .source = "", .kind = CP_MESH_PLANE, .size = {1, 1}}, cube = box_of(1, 1, 1);
    for (uint64_t cubes = 0; cubes < 2; cubes++) {
        cp_collider *collider;
        fresh_scene();
        add_frame("one", &plane, PLAIN_IDENTITY);
        add_frame("other", &plane, plain_turn(0, 90));
        if (cubes > 0)
            add_frame("cube", &cube, PLAIN_IDENTITY);
        assert_int_equal(cp_collider_new(context, scene, 0, false, &collider), cubes > 0 ? CP_OK : CP_NO);
        assert_int_equal(count_entries(context, CP_WARNING, "collide-planes"), 1);
        if (collider)
            assert_int_equal(cp_collider_pairs(collider), 2);
        cp_collider_free(collider);
        cp_report_clear(context);
    }
}

static void test_known_distances(void **unused)
{
    (void)unused;
    cp_mesh cube = box_of(1, 1, 1), small = box_of(0.25, 0.25, 0.25), plane = {.kind = CP_MESH_PLANE, .size = {1, 1}};
    cp_mesh tube = {.kind = CP_MESH_TUBE, .size = {1, 0.5, 4}, .sides = 4};
    plane.name = plane.source = tube.name = tube.source = "";
    expect_distance(&cube, &cube, plain_translation(1.25, 0, 0), 0.25);
    expect_distance(&cube, &cube, plain_translation(1 + 0.9e-6, 0, 0), 0);
    expect_distance(&cube, &cube, plain_translation(1 + 1.1e-6, 0, 0), 1.1e-6);
    expect_distance(&cube, &cube, plain_translation(1.3, 1.4, 0), 0.5);
    expect_distance(&cube, &small, PLAIN_IDENTITY, 0);                       /* inside */
    expect_distance(&tube, &small, plain_turn(2, 45), sqrt(0.5) - 0.125);    /* in the hole */
    expect_distance(&plane, &small, plain_translation(100, 0, 0.375), 0.25); /* it has no border */
    expect_distance(&plane, &small, plain_translation(0, 0, -0.375), 0.25);
    expect_distance(&small, &plane, plain_translation(0, 0, 0.1), 0);
    expect_distance(&cube, &cube,
                    plain_product(&(cp_pose){{1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0}},
                                  &(cp_pose){{2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0}}),
                    0.5);
    expect_distance(&cube, &cube, (cp_pose){{0, 0, 0, 0.25, 0, 0, 0, 0, 0, 0, 0, 0}}, 0); /* squeezed to a point */
    expect_distance(&cube, &cube, (cp_pose){{0, 0, 0, 0.75, 0, 0, 0, 0, 0, 0, 0, 0}}, 0.25);
}

/* Both are stretched, and both are flat. */
static void test_stretched_frames(void **unused)
{
    (void)unused;
    cp_mesh cube = box_of(1, 1, 1);
    add_frame("one", &cube, plain_scaling(2, 1, 1));
    uint32_t other = add_frame("other", &cube, (cp_pose){{1, 0, 0, 2, 0, 3, 0, 0, 0, 0, 1, 0}});
    assert_true(fabs(distance_of_two(1e-6) - 0.5) < 1e-12);
    assert_true(fabs(distance_of_two(0.5 + 1e-9)) == 0);
    struct draft draft = draft_of(scene);
    draft.nodes[1].local.m[0] = draft.nodes[other].local.m[0] = 0;
    change_scene(&draft);
    assert_true(fabs(distance_of_two(1e-6) - 2) < 1e-12);
    draft = draft_of(scene);
    draft.nodes[other].local.m[3] = 0;
    change_scene(&draft);
    assert_true(distance_of_two(0) == 0);
}

static void expect_nothing(const char *said)
{
    cp_collider *collider;
    assert_int_equal(cp_collider_new(context, scene, 1e-6, false, &collider), CP_NO);
    assert_null(collider);
    assert_true(was_said(context, said));
    cp_report_clear(context);
}

static void test_nothing_to_check(void **unused)
{
    (void)unused;
    cp_mesh cube = box_of(1, 1, 1), empty = {.name = "", .source = ""};
    cp_collider *collider;
    expect_nothing("nothing to check: no frame has collision geometry"); /* "collide-nothing" */
    add_frame("one", &cube, PLAIN_IDENTITY);
    expect_nothing("only the frame \"one\"");
    add_frame("other", &empty, PLAIN_IDENTITY);
    expect_nothing("only the frame \"one\"");
    uint32_t third = add_frame("third", &cube, PLAIN_IDENTITY);
    add_pair_of(scene, third, 1, "given");
    expect_nothing("all pairs (1) of frames");
    assert_int_equal(cp_collider_new(context, scene, 1e-6, true, &collider), CP_OK);
    assert_int_equal(cp_collider_pairs(collider), 1);
    cp_collider_free(collider);
    assert_int_equal(cp_collider_new(context, scene, -1, true, &collider), CP_USAGE); /* "collide-touch" */
    assert_int_equal(cp_collider_new(context, scene, NAN, true, &collider), CP_USAGE);
}

static void test_warnings(void **unused)
{
    (void)unused;
    struct builder open = {0}, line = {0};
    cp_collider *collider;
    cp_pose worlds[5];
    const cp_contact *contacts;
    uint32_t count;
    add_box(&open, (const double[]){0, 0, 0}, (const double[]){1, 1, 1});
    open.faces--;
    for (int i = 0; i < 3; i++)
        (void)add_vertex(&line, i, i, i);
    add_face(&line, (const uint32_t[]){0, 1, 2}, 3);
    cp_mesh meshes[] = {mesh_of(&open), mesh_of(&line), {.name = "", .source = ""}};
    add_frame("open", &meshes[0], PLAIN_IDENTITY);
    add_frame("line", &meshes[1], PLAIN_IDENTITY);
    add_frame("empty", &meshes[2], PLAIN_IDENTITY);
    assert_int_equal(cp_collider_new(context, scene, 1e-6, false, &collider), CP_OK);
    assert_true(
        was_said(context, "the frame \"open\" has collision meshes that are not closed or not wound alike (1)"));
    assert_true(was_said(context, "the frame \"line\" has collision geometry of faces without area"));
    assert_true(was_said(context, "the frame \"empty\" has collision geometry without faces"));
    pose_scene(scene, NULL, worlds);
    assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
    assert_int_equal(count, 1);                                                      /* the line meets the open box */
    assert_int_equal(cp_collide(collider, worlds, -1, &contacts, &count), CP_USAGE); /* "collide-clearance" */
    worlds[1].m[3] = INFINITY;
    assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_USAGE); /* "collide-pose" */
    assert_int_equal(count, 0);
    cp_collider_free(collider);
    free_builder(&open);
    free_builder(&line);
}

/* ---- clips ---- */

enum { CARRIAGE = 1, WALL, PART };
static const double clip_times[] = {0, 4}, way[] = {0, 2};

/* A carriage of 0.2 m goes 0.5 m a second along x, towards a wall of 0.1 m whose near side is `gap` before it, and
 * takes along a part that stands 1 m above it from 1 s to 3 s. */
static void make_passage(double gap, bool takes_along)
{
    cp_mesh carriage = box_of(0.2, 0.2, 0.2), wall = box_of(0.1, 4, 4), part = box_of(0.1, 0.1, 0.1);
    add_frame("carriage", &carriage, PLAIN_IDENTITY);
    cp_joint joint = cp_new_joint();
    joint.node = CARRIAGE;
    joint.type = CP_JOINT_PRISMATIC;
    memcpy(joint.axis, (const double[]){1, 0, 0}, sizeof joint.axis);
    add_frame("wall", &wall, plain_translation(0.1 + gap + 0.05, 0, 0));
    add_frame("part", &part, plain_translation(0, 0, 1));
    const cp_track track = {.target = cp_add_joint(scene, &joint),
                            .path = CP_PATH_JOINT,
                            .interpolation = CP_LINEAR,
                            .key_count = 2,
                            .times = clip_times,
                            .values = way};
    const cp_attachment attachments[] = {{1, PART, CARRIAGE}, {3, PART, 0}};
    const cp_clip clip = {.name = "passage",
                          .track_count = 1,
                          .tracks = &track,
                          .attachments = attachments,
                          .attachment_count = takes_along ? 2 : 0};
    assert_int_equal(cp_add_clip(scene, &clip), 0);
    finish_scene();
}

static cp_passages run_clip(cp_collider **collider, double step, double clearance)
{
    cp_passages passages = {.size = sizeof passages};
    assert_int_equal(cp_collider_new(context, scene, 1e-6, false, collider), CP_OK);
    assert_int_equal(cp_collide_clip(*collider, 0, step, clearance, &passages), CP_OK);
    return passages;
}

/* Known in closed form: a gap is closed after gap / speed. */
static void test_time_of_contact(void **unused)
{
    (void)unused;
    struct random random = {13};
    for (int round = 0; round < 30; round++) {
        double gap = between(&random, 0.05, 1.5), step = round % 3 ? between(&random, 0.05, 0.5) : 0.05;
        double begin = gap / 0.5, end = (gap + 0.1 + 0.2) / 0.5;
        cp_collider *collider;
        fresh_scene();
        make_passage(gap, true);
        cp_set_threads(context, 1 + (uint32_t)round % 3);
        cp_passages passages = run_clip(&collider, step, 0);
        assert_true(passages.first == 0 && passages.last == 4 && passages.moments >= 4 / step);
        const cp_passage *first = passages.items;
        assert_true(passages.count >= 1 && first->first == CARRIAGE && first->second == WALL);
        assert_true(first->distance == 0 && first->moments >= 0.6 / step - 2);
        assert_true(first->begin >= begin - 1e-5 && first->begin <= begin + 0.00101);
        assert_true(fmin(end, 4) - 0.00101 <= first->end && first->end <= end + 1e-5);
        cp_collider_free(collider);
    }
}

/* The part hangs on the carriage from 1 s to 3 s, and is where its local pose says before and after. */
static void test_attachments(void **unused)
{
    (void)unused;
    cp_collider *collider;
    make_passage(0.7, true); /* the wall is from 0.8 to 0.9; the part's front is at 0.05 + 0.5 t while it is carried */
    cp_passages passages = run_clip(&collider, 0.1, 0);
    assert_int_equal(passages.count, 2);
    const cp_passage *part = &passages.items[1];
    assert_true(part->first == WALL && part->second == PART);
    assert_true(fabs(part->begin - 1.5) <= 0.00101 && fabs(part->end - 1.9) <= 0.00101);
    cp_collider_free(collider);
    passages = run_clip(&collider, 0.1, 0.3); /* 0.55 m above the carriage's middle, and so 0.85 apart: not near */
    assert_int_equal(passages.count, 2);
    cp_collider_free(collider);
    passages = run_clip(&collider, 0.1, 0.86);
    assert_int_equal(passages.count, 3);
    assert_true(passages.items[1].moments == 0 && fabs(passages.items[1].distance - 0.85) < 1e-12);
    assert_true(passages.items[1].nearest == 0);
    cp_collider_free(collider);
}

/* At the keys alone, what is on the other side of the wall has never been in it; what begins or ends in it has no
 * border. */
static void test_steps(void **unused)
{
    (void)unused;
    cp_collider *collider;
    cp_passages passages = {.size = sizeof passages};
    make_passage(0.2, false);
    passages = run_clip(&collider, 0, 0);
    assert_int_equal(passages.moments, 2);
    assert_int_equal(passages.count, 0);
    assert_int_equal(cp_collide_clip(collider, 0, 0.5, 0, &passages), CP_OK);
    assert_int_equal(passages.moments, 9);
    assert_int_equal(passages.count, 1);
    assert_int_equal(cp_collide_clip(collider, 0, 1e-7, 0, &passages), CP_USAGE); /* "collide-step" */
    assert_int_equal(cp_collide_clip(collider, 0, -1, 0, &passages), CP_USAGE);
    assert_int_equal(cp_collide_clip(collider, 1, 1, 0, &passages), CP_USAGE);
    cp_collider_free(collider);
    struct draft draft = draft_of(scene);
    draft.nodes[WALL].local.m[3] = 1;
    draft.nodes[CARRIAGE].local.m[3] = 1;
    change_scene(&draft);
    passages = run_clip(&collider, 0.1, 0);
    assert_true(passages.count == 1 && passages.items[0].begin == 0);
    assert_true(fabs(passages.items[0].end - 0.15 / 0.5) <= 0.00101);
    cp_collider_free(collider);
}

/* ---- what is held, and what rests ---- */

/* An arm slides along x at z = 1; below it a hand slides along z, whose lower side is on the block at 0; a finger
 * slides along x, 40 mm beside the block at 0. The block of 0.1 m stands on the table, the post's side is at x = 0.95.
 */
enum { ARM = 1, HAND, FINGER, TABLE, BLOCK, POST };

static void make_hand(void)
{
    cp_mesh arm = box_of(0.1, 0.1, 0.1), hand = box_of(0.1, 0.1, 0.02), finger = box_of(0.02, 0.02, 0.08);
    cp_mesh table = box_of(4, 4, 0.1), post = box_of(0.1, 2, 2);
    add_frame("arm", &arm, plain_translation(0, 0, 1));
    add_frame("hand", &hand, plain_translation(0, 0, -0.89));
    add_frame("finger", &finger, plain_translation(0.1, 0, -0.03));
    add_frame("table", &table, plain_translation(0, 0, -0.05));
    add_frame("block", &arm, plain_translation(0, 0, 0.05));
    add_frame("post", &post, plain_translation(1, 0, 1.001));
    for (uint32_t i = 0; i < 3; i++) {
        cp_joint joint = cp_new_joint();
        joint.node = ARM + i;
        joint.type = CP_JOINT_PRISMATIC;
        for (uint32_t k = 0; k < 3; k++)
            joint.axis[k] = k == (i == 1 ? 2 : 0);
        assert_int_equal(cp_add_joint(scene, &joint), i);
    }
    struct draft draft = draft_of(scene);
    draft.nodes[HAND].parent = ARM;
    draft.nodes[FINGER].parent = HAND;
    scene = built_again(&draft, context);
}

/* What the hand does, and what the block hangs on, with its place there. */
struct handling {
    const char *name;
    uint32_t keys, hangings;
    double times[6], joints[3][6];
    struct {
        double time, place[3];
        uint32_t host;
    } hung[2];
    struct {
        uint32_t pair[2];
        bool collides, rests;
        double begin; /* if it collides */
    } expected[3];
};

static void add_handling(const struct handling *it)
{
    cp_track tracks[4];
    cp_attachment attachments[2];
    double times[3] = {0}, places[9] = {0, 0, 0.05};
    for (uint32_t i = 0; i < 3; i++)
        tracks[i] = (cp_track){i, CP_PATH_JOINT, CP_LINEAR, it->keys, it->times, it->joints[i]};
    for (uint32_t i = 0; i < it->hangings; i++) {
        attachments[i] = (cp_attachment){it->hung[i].time, BLOCK, it->hung[i].host};
        times[1 + i] = it->hung[i].time;
        memcpy(places + 3 * (size_t)(1 + i), it->hung[i].place, sizeof it->hung[i].place);
    }
    tracks[3] = (cp_track){BLOCK, CP_PATH_TRANSLATION, CP_STEP, 1 + it->hangings, times, places};
    const cp_clip clip = {.name = it->name,
                          .track_count = 4,
                          .tracks = tracks,
                          .attachments = attachments,
                          .attachment_count = it->hangings};
    assert_int_not_equal(cp_add_clip(scene, &clip), CP_NONE);
    finish_scene();
}

static const cp_passage *passage_of(const cp_passages *passages, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < passages->count; i++)
        if (passages->items[i].first == first && passages->items[i].second == second)
            return &passages->items[i];
    return NULL;
}

/* What a hand does with a block on a table, and what meets then. */
static const struct handling handlings[] = {
    {"nothing moves",
     2,
     0,
     {0, 4},
     {{0}},
     {{0, {0}, 0}},
     {{{TABLE, BLOCK}, false, true, 0}, {{HAND, BLOCK}, false, true, 0}}},
    {"picked, and put down after a while",
     6,
     2,
     {0, 1, 2, 3, 3.5, 4},
     {{0}, {0, 0, 0.5, 0, 0, 0.5}},
     {{1, {0, 0, -0.06}, HAND}, {3.5, {0, 0, 0.05}, 0}},
     {{{TABLE, BLOCK}, false, true, 0}, {{HAND, BLOCK}, false, true, 0}}},
    {"never let go",
     5,
     1,
     {0, 1, 2, 3, 4},
     {{0}, {0, 0, 0.5, 0, 0}},
     {{1, {0, 0, -0.06}, HAND}},
     {{{TABLE, BLOCK}, true, true, 3}, {{HAND, BLOCK}, false, true, 0}}},
    {"put down 5 mm too deep", /* the way back takes 1 s: it is there after 0.5 / 0.505 s */
     5,
     2,
     {0, 1, 2, 3, 4},
     {{0}, {0, 0, 0.5, -0.005, 0.5}},
     {{1, {0, 0, -0.06}, HAND}, {3, {0, 0, 0.045}, 0}},
     {{{TABLE, BLOCK}, true, true, 2 + 0.5 / 0.505}}},
    {"dragged along the table",
     3,
     1,
     {0, 1, 4},
     {{0, 0, 0.5}},
     {{1, {0, 0, -0.06}, HAND}},
     {{{TABLE, BLOCK}, true, false, 0}}},
    {"driven into the post, where it stays", /* 0.1 m above the table */
     5,
     1,
     {0, 1, 2, 3, 4},
     {{0, 0, 0, 1, 1}, {0, 0, 0.1, 0.1, 0.1}},
     {{1, {0, 0, -0.06}, HAND}},
     {{{BLOCK, POST}, true, false, 2.9}, {{HAND, POST}, true, false, 2.9}, {{TABLE, BLOCK}, false, true, 0}}},
    {"up to the arm, which a joint moves against the hand",
     3,
     1,
     {0, 1, 2},
     {{0}, {0, 0, 1}},
     {{1, {0, 0, -0.06}, HAND}},
     {{{ARM, BLOCK}, true, false, 1.85}}},
    {"fingers press on what is held",
     4,
     1,
     {0, 1, 2, 3},
     {{0}, {0}, {0, 0, -0.045, -0.045}},
     {{1, {0, 0, -0.06}, HAND}},
     {{{FINGER, BLOCK}, false, false, 0}, {{TABLE, BLOCK}, false, true, 0}}},
    {"fingers close, and then it is held", /* to 1e-9 m more than touching */
     5,
     1,
     {0, 1, 2, 3, 4},
     {{0}, {0}, {0, -0.040000001, -0.040000001, -0.040000001, -0.05}},
     {{2, {0, 0, -0.06}, HAND}},
     {{{FINGER, BLOCK}, false, true, 0}}},
    {"fingers press on what nothing holds",
     3,
     0,
     {0, 1, 2},
     {{0}, {0}, {0, -0.05, -0.05}},
     {{0, {0}, 0}},
     {{{FINGER, BLOCK}, true, false, 0.8}}},
    {"what hangs on the world is not held",
     4,
     1,
     {0, 1, 2, 3},
     {{0}, {0.2, 0.2, -0.02, -0.02}},
     {{1, {0, 0, 0.05}, 0}},
     {{{HAND, BLOCK}, true, false, 1 + 0.2 / 0.22}, {{TABLE, BLOCK}, false, true, 0}}},
    {"what hangs on a table may meet it, and nothing else that stands",
     4,
     1,
     {0, 1, 2, 3},
     {{0}, {0.2, 0.2, 0.2, 0.2}},
     {{1, {0.93, 0, 0.09}, TABLE}},
     {{{TABLE, BLOCK}, false, true, 0}, {{BLOCK, POST}, true, false, 1}}},
    {"it leaves, and comes back",
     4,
     0,
     {0, 1, 2, 3},
     {{0}, {0, 0.3, 0, 0}},
     {{0, {0}, 0}},
     {{{HAND, BLOCK}, true, true, 2}}},
};

static void check_handling(const struct handling *it, uint32_t threads)
{
    cp_collider *collider;
    fresh_scene();
    cp_set_threads(context, threads);
    make_hand();
    add_handling(it);
    const cp_passages passages = run_clip(&collider, 0.01, 0);
    for (int k = 0; k < 3 && it->expected[k].pair[1] > 0; k++) {
        const cp_passage none = {0}, *found = passage_of(&passages, it->expected[k].pair[0], it->expected[k].pair[1]);
        const cp_passage *passage = found ? found : &none;
        if ((passage->moments > 0) != it->expected[k].collides || (passage->resting > 0) != it->expected[k].rests ||
            (passage->moments > 0 && fabs(passage->begin - it->expected[k].begin) > 0.00201))
            fail_msg("%s, %s: %u moments in collision from %.9g s, %u at rest", it->name,
                     cp_nodes(scene, NULL)[it->expected[k].pair[1]].name, (unsigned)passage->moments, passage->begin,
                     (unsigned)passage->resting);
        assert_true(passage->moments + passage->resting <= passages.moments);
    }
    cp_collider_free(collider);
}

static void test_held_and_resting(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof handlings / sizeof *handlings; i++)
        check_handling(&handlings[i], 1 + (uint32_t)i % 3);
}

/* A pair that is ignored is neither checked nor counted; it has to be one that is checked. */
static void test_ignored_pairs(void **unused)
{
    (void)unused;
    cp_collider *collider;
    const cp_contact *contacts;
    cp_pose worlds[8];
    uint32_t count;
    make_hand();
    finish_scene();
    pose_scene(scene, NULL, worlds);
    assert_int_equal(cp_collider_new(context, scene, 1e-6, false, &collider), CP_OK);
    assert_int_equal(cp_collider_pairs(collider), 15);
    assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
    assert_int_equal(count, 2); /* the block between table and hand */
    assert_int_equal(cp_collider_ignore(collider, BLOCK, TABLE), CP_OK);
    assert_int_equal(cp_collider_ignore(collider, TABLE, BLOCK), CP_NO);
    assert_int_equal(cp_collider_ignore(collider, TABLE, TABLE), CP_NO);
    assert_int_equal(cp_collider_ignore(collider, TABLE, 0), CP_NO);
    assert_int_equal(cp_collider_pairs(collider), 14);
    assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
    assert_true(count == 1 && contacts[0].first == HAND && contacts[0].second == BLOCK);
    assert_int_equal(cp_collider_ignore(collider, HAND, BLOCK), CP_OK);
    assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
    assert_int_equal(count, 0);
    cp_collider_free(collider);
}

/* ---- threads, memory ---- */

static void test_threads(void **unused)
{
    (void)unused;
    struct random random = {14};
    struct cell cell;
    make_cell(&random, &cell);
    cp_track tracks[2 * MOST_BODIES];
    double times[2] = {0, 1}, values[4] = {-1, 1, 0, 2};
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_joints(scene); i++)
        tracks[count++] = (cp_track){i, CP_PATH_JOINT, CP_LINEAR, 2, times, values + 2 * (i % 2)};
    assert_true(count > 0 && add_clip_of(scene, "clip", count, tracks) == 0);
    cp_passage *first = NULL;
    for (uint32_t threads = 1; threads < 8; threads += 3) {
        cp_collider *collider;
        cp_set_threads(context, threads);
        cp_passages passages = run_clip(&collider, 0.01, 0.5);
        assert_true(passages.moments == 101 && passages.count > 0);
        if (!first) {
            first = malloc(passages.count * sizeof *first);
            memcpy(first, passages.items, passages.count * sizeof *first);
        }
        for (uint32_t i = 0; i < passages.count; i++) {
            const cp_passage *one = &first[i], *other = &passages.items[i];
            assert_true(one->first == other->first && one->second == other->second && one->moments == other->moments &&
                        one->distance == other->distance && one->nearest == other->nearest &&
                        one->begin == other->begin && one->end == other->end);
        }
        cp_collider_free(collider);
    }
    free(first);
    free_cell(&cell);
}

/* Makes a collider and uses it both ways. */
static cp_status use_all(cp_context *poor, cp_scene *cell)
{
    cp_collider *collider;
    cp_passages passages = {.size = sizeof passages};
    const cp_contact *contacts;
    cp_pose worlds[8];
    uint32_t count;
    cp_status status = cp_collider_new(poor, cell, 1e-6, false, &collider);
    pose_scene(cell, NULL, worlds);
    if (status == CP_OK)
        status = cp_collide(collider, worlds, 10, &contacts, &count);
    if (status == CP_OK)
        status = cp_collide_clip(collider, 0, 0.1, 10, &passages);
    cp_collider_free(collider);
    return status;
}

static void test_poor_memory(void **unused)
{
    (void)unused;
    long left = -1;
    cp_allocator allocator = {failing_resize, &left};
    cp_scene *cell = scene;
    make_passage(0.5, true);
    bool done = false;
    for (long allocations = 0; !done; allocations++) {
        left = -1;
        cp_context *poor = cp_context_new(&allocator);
        assert_non_null(poor);
        left = allocations;
        cp_status status = use_all(poor, cell);
        done = status == CP_OK;
        assert_true(done || status == CP_LIMIT);
        assert_true(allocations < 2000);
        cp_context_free(poor);
    }
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void test_cancel(void **unused)
{
    (void)unused;
    cp_collider *collider;
    cp_passages passages = {.size = sizeof passages};
    cp_pose worlds[8];
    const cp_contact *contacts;
    uint32_t count;
    make_passage(0.5, true);
    assert_int_equal(cp_collider_new(context, scene, 1e-6, false, &collider), CP_OK);
    cp_set_cancel(context, always, NULL);
    pose_scene(scene, NULL, worlds);
    assert_int_equal(cp_collide(collider, worlds, 10, &contacts, &count), CP_CANCELLED);
    assert_int_equal(cp_collide_clip(collider, 0, 0.1, 0, &passages), CP_CANCELLED);
    cp_set_cancel(context, NULL, NULL);
    assert_int_equal(cp_collide_clip(collider, 0, 0.1, 0, &passages), CP_OK);
    cp_collider_free(collider);
}

/* Rows of boxes that touch their neighbours: far more frames than a test of all pairs' triangles would bear. */
static void test_many_frames(void **unused)
{
    (void)unused;
    enum { ROW = 50, COUNT = ROW * ROW };
    cp_mesh cube = box_of(1, 1, 1);
    cp_collider *collider;
    const cp_contact *contacts;
    uint32_t count, mesh = add_mesh_of(scene, &cube);
    cp_pose *worlds = malloc((COUNT + 1) * sizeof *worlds);
    for (uint32_t i = 0; i < COUNT; i++) {
        const cp_pose place = plain_translation(i % ROW, 2 * (i / ROW), 0);
        (void)add_instance_of(scene, add_node_at(scene, 0, "f", &place), mesh, CP_USE_BOTH, NULL);
    }
    pose_scene(scene, NULL, worlds);
    assert_int_equal(cp_collider_new(context, scene, 1e-6, false, &collider), CP_OK);
    assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
    assert_int_equal(count, ROW * (ROW - 1));
    for (uint32_t i = 0; i < count; i++)
        assert_true(contacts[i].second == contacts[i].first + 1 && contacts[i].distance == 0);
    cp_collider_free(collider);
    free(worlds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_distances, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_planes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_known_distances, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stretched_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_to_check, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_warnings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time_of_contact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_attachments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_held_and_resting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ignored_pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_poor_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_frames, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Simplification, judged by plain programs: distances by trying every face, edges counted by comparing positions. */
#include "mesh/simplify/simplify.h"
#include "mesh_support.h"
#include "scene_fixture.h"

/* ---- shapes ---- */

struct shape {
    float (*points)[3];
    uint32_t *corners;
    uint32_t point_count, corner_count;
};

static struct shape shape_new(uint32_t points, uint32_t triangles)
{
    struct shape shape = {scene_allocate(scene, points, 3 * sizeof(float)),
                          scene_allocate(scene, 3 * (size_t)triangles, sizeof(uint32_t)), 0, 0};
    assert_non_null(shape.points);
    assert_non_null(shape.corners);
    return shape;
}

static uint32_t add_point(struct shape *shape, double x, double y, double z)
{
    float *point = shape->points[shape->point_count];
    point[0] = (float)x;
    point[1] = (float)y;
    point[2] = (float)z;
    return shape->point_count++;
}

static void add_triangle(struct shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    shape->corners[shape->corner_count++] = a;
    shape->corners[shape->corner_count++] = b;
    shape->corners[shape->corner_count++] = c;
}

static cp_mesh mesh_of(const struct shape *shape)
{
    return (cp_mesh){.name = "shape",
                     .vertex_count = shape->point_count,
                     .face_count = shape->corner_count / 3,
                     .corner_count = shape->corner_count,
                     .positions = shape->points[0],
                     .corners = shape->corners};
}

/* A torus of rows x columns quads, around (x, 0, 0). */
static cp_mesh make_torus(uint32_t rows, uint32_t columns, double x, double size)
{
    struct shape shape = shape_new(rows * columns, 2 * rows * columns);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            double u = 2 * PI * i / rows, v = 2 * PI * k / columns, r = 1 + 0.1 * sin(5 * u) * cos(3 * v);
            add_point(&shape, x + size * (3 + r * cos(v)) * cos(u), size * (3 + r * cos(v)) * sin(u),
                      size * r * sin(v));
        }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            uint32_t i2 = (i + 1) % rows, k2 = (k + 1) % columns;
            add_triangle(&shape, i * columns + k, i2 * columns + k, i2 * columns + k2);
            add_triangle(&shape, i * columns + k, i2 * columns + k2, i * columns + k2);
        }
    return mesh_of(&shape);
}

/* The n x n squares of one side of the unit cube, turned by `axis`, at 0 or 1; a soup: no vertex is shared. */
static void add_side(struct shape *shape, int axis, int at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t corners[4];
            for (int c = 0; c < 4; c++) {
                double point[3], u = (double)(i + (c == 1 || c == 2)) / n, v = (double)(k + (c >= 2)) / n;
                point[axis] = at;
                point[(axis + 1) % 3] = at ? u : v;
                point[(axis + 2) % 3] = at ? v : u;
                corners[c] = add_point(shape, point[0], point[1], point[2]);
            }
            add_triangle(shape, corners[0], corners[1], corners[2]);
            add_triangle(shape, corners[0], corners[2], corners[3]);
        }
}

static cp_mesh cube_of_squares(uint32_t n)
{
    struct shape shape = shape_new(24 * n * n, 12 * n * n);
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < 2; at++)
            add_side(&shape, axis, at, n);
    return mesh_of(&shape);
}

/* A wavy or flat sheet of n x n squares with a square hole in the middle, when it has one. */
static cp_mesh make_sheet(uint32_t n, double wave, bool hole)
{
    struct shape shape = shape_new((n + 1) * (n + 1), 2 * n * n);
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= n; k++)
            add_point(&shape, (double)i / n, (double)k / n, wave * sin(6.0 * i / n) * cos(4.0 * k / n));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            if (hole && i >= n / 3 && i < 2 * n / 3 && k >= n / 3 && k < 2 * n / 3)
                continue;
            uint32_t a = i * (n + 1) + k;
            add_triangle(&shape, a, a + n + 1, a + n + 2);
            add_triangle(&shape, a, a + n + 2, a + 1);
        }
    return mesh_of(&shape);
}

/* Rings round (0, 0) and a centre, on each side of the paper: only the outermost is the same for both. */
static cp_mesh make_double_sheet(uint32_t sides, bool square)
{
    enum { RINGS = 3 };
    struct shape shape = shape_new(2 * RINGS * sides + 2, 4 * RINGS * sides);
    for (uint32_t paper = 0; paper < 2; paper++) {
        for (uint32_t ring = 0; ring < RINGS; ring++)
            for (uint32_t side = 0; side < sides; side++) {
                double angle = 2 * PI * side / sides, size = ring == 0 ? 1 : (RINGS - ring - 0.3 * paper) / RINGS;
                double x = cos(angle), y = sin(angle), most = square ? fmax(fabs(x), fabs(y)) : 1;
                add_point(&shape, size * x / most, size * y / most, 0);
            }
        add_point(&shape, 0.05 * paper, 0, 0);
    }
    for (uint32_t paper = 0; paper < 2; paper++)
        for (uint32_t side = 0; side < sides; side++) {
            uint32_t first = paper * (RINGS * sides + 1), next = (side + 1) % sides, centre = first + RINGS * sides;
            uint32_t here = paper ? next : side, there = paper ? side : next;
            for (uint32_t ring = 0; ring + 1 < RINGS; ring++) {
                uint32_t out = first + ring * sides, in = out + sides;
                add_triangle(&shape, out + here, out + there, in + there);
                add_triangle(&shape, out + here, in + there, in + here);
            }
            add_triangle(&shape, centre - sides + here, centre - sides + there, centre);
        }
    return mesh_of(&shape);
}

/* A tube of `sides` sides, as wide as `outer` and `inner`, a tenth high: the walls in four layers, the ends in triangles that reach from
 * one ring to the other. */
static cp_mesh make_tube(uint32_t sides, double outer, double inner)
{
    enum { LAYERS = 4 };
    struct shape shape = shape_new(2 * (LAYERS + 1) * sides, (4 * LAYERS + 4) * sides);
    for (uint32_t ring = 0; ring < 2 * (LAYERS + 1); ring++)
        for (uint32_t side = 0; side < sides; side++) {
            double angle = 2 * PI * side / sides, radius = ring <= LAYERS ? outer : inner;
            add_point(&shape, radius * cos(angle), radius * sin(angle), 0.1 * (ring % (LAYERS + 1)) / LAYERS);
        }
    for (uint32_t side = 0; side < sides; side++) {
        uint32_t next = (side + 1) % sides;
        for (uint32_t ring = 0; ring < 2 * (LAYERS + 1); ring++) { /* up outside, over the top, down inside, back */
            uint32_t up = ring <= LAYERS ? ring : 3 * LAYERS + 2 - ring, above = (ring + 1) % (2 * (LAYERS + 1));
            uint32_t to = above <= LAYERS ? above : 3 * LAYERS + 2 - above;
            add_triangle(&shape, up * sides + side, up * sides + next, to * sides + next);
            add_triangle(&shape, up * sides + side, to * sides + next, to * sides + side);
        }
    }
    return mesh_of(&shape);
}

static double tube_volume(double sides, double outer, double inner)
{
    return 0.1 * sides / 2 * sin(2 * PI / sides) * (outer * outer - inner * inner);
}

/* ---- plain answers ---- */

static void minus(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double segment_distance(const double p[3], const double a[3], const double b[3])
{
    double ab[3], ap[3];
    minus(b, a, ab);
    minus(p, a, ap);
    double length = dot(ab, ab), t = length > 0 ? dot(ab, ap) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int i = 0; i < 3; i++)
        ap[i] -= t * ab[i];
    return sqrt(dot(ap, ap));
}

static void face_points(const cp_mesh *mesh, uint32_t face, double points[3][3])
{
    for (uint32_t c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            points[c][i] = (double)position_at(mesh, face_corner(mesh, face, c))[i];
}

static void face_normal(const cp_mesh *mesh, uint32_t face, double normal[3])
{
    double points[3][3], ab[3], ac[3];
    face_points(mesh, face, points);
    minus(points[1], points[0], ab);
    minus(points[2], points[0], ac);
    cross(ab, ac, normal);
}

/* By the plane where the foot lies inside, else by the three sides. */
static double face_distance(const cp_mesh *mesh, uint32_t face, const double p[3])
{
    double points[3][3], normal[3], best = INFINITY;
    face_points(mesh, face, points);
    face_normal(mesh, face, normal);
    bool inside = dot(normal, normal) > 0;
    for (int c = 0; c < 3; c++) {
        double side[3], to[3], out[3];
        minus(points[(c + 1) % 3], points[c], side);
        minus(p, points[c], to);
        cross(normal, side, out);
        inside = inside && dot(out, to) >= 0;
        best = fmin(best, segment_distance(p, points[c], points[(c + 1) % 3]));
    }
    double to[3];
    minus(p, points[0], to);
    return inside ? fabs(dot(to, normal)) / sqrt(dot(normal, normal)) : best;
}

static double nearest_face(const cp_mesh *mesh, const double p[3], uint32_t *nearest)
{
    double best = INFINITY;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        double distance = face_distance(mesh, face, p);
        if (distance < best) {
            best = distance;
            *nearest = face;
        }
    }
    return best;
}

/* From points on every face of one mesh to another. */
static double one_way(const cp_mesh *from, const cp_mesh *to, double step)
{
    double worst = 0;
    uint32_t nearest = 0;
    for (uint32_t face = 0; face < from->face_count; face++) {
        double points[3][3];
        face_points(from, face, points);
        for (double u = 0; u <= 1.0001; u += step)
            for (double v = 0; u + v <= 1.0001; v += step) {
                double p[3];
                for (int i = 0; i < 3; i++)
                    p[i] = (1 - u - v) * points[0][i] + u * points[1][i] + v * points[2][i];
                worst = fmax(worst, nearest_face(to, p, &nearest));
            }
    }
    return worst;
}

static double vertex_distance(const cp_mesh *from, const cp_mesh *to)
{
    double worst = 0;
    uint32_t nearest = 0;
    for (uint32_t vertex = 0; vertex < from->vertex_count; vertex++) {
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = (double)position_at(from, vertex)[i];
        worst = fmax(worst, nearest_face(to, p, &nearest));
    }
    return worst;
}

static void assert_same_side(const cp_mesh *before, const cp_mesh *after)
{
    for (uint32_t face = 0; face < after->face_count; face++) {
        double points[3][3], centre[3], one[3], other[3];
        uint32_t nearest = 0;
        face_points(after, face, points);
        for (int i = 0; i < 3; i++)
            centre[i] = (points[0][i] + points[1][i] + points[2][i]) / 3;
        (void)nearest_face(before, centre, &nearest);
        face_normal(after, face, one);
        face_normal(before, nearest, other);
        assert_true(dot(one, other) > 0);
    }
}

/* Vertices less edges plus faces, of joined positions. */
static int64_t euler(const cp_mesh *mesh)
{
    cp_topology topology = plain_topology(mesh);
    int64_t places = 0;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        places += place_of(mesh, vertex) == vertex;
    return places - (int64_t)topology.edges + mesh->face_count;
}

static void assert_closed(const cp_mesh *mesh, int64_t characteristic)
{
    cp_topology topology = plain_topology(mesh);
    assert_true(topology.closed);
    assert_int_equal(topology.degenerate_faces, 0);
    assert_int_equal(euler(mesh), characteristic);
}

static double length_of_borders(const cp_mesh *mesh)
{
    double sum = 0;
    for (uint32_t e = 0; e < mesh->corner_count; e++) {
        uint32_t a = mesh->corners[e], b = mesh->corners[e % 3 == 2 ? e - 2 : e + 1], uses = 0;
        for (uint32_t k = 0; k < mesh->corner_count; k++) {
            uint32_t c = mesh->corners[k], d = mesh->corners[k % 3 == 2 ? k - 2 : k + 1];
            uses += (a == c && b == d) || (a == d && b == c);
        }
        double p[3], q[3], away[3];
        for (int i = 0; i < 3; i++) {
            p[i] = (double)position_at(mesh, a)[i];
            q[i] = (double)position_at(mesh, b)[i];
        }
        minus(p, q, away);
        sum += uses == 1 ? sqrt(dot(away, away)) : 0;
    }
    return sum;
}

static struct simplify_result simplify(cp_mesh *mesh, uint64_t triangles, double error)
{
    struct simplify_goal goal = {.triangles = triangles, .error = error};
    struct simplify_result result;
    assert_int_equal(mesh_simplify(scene, mesh, &goal, &result), CP_OK);
    assert_int_equal(result.triangles, mesh_triangle_count(mesh));
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        assert_true(mesh->corners[i] < mesh->vertex_count);
    return result;
}

/* ---- tests ---- */

static void test_torus_stays_a_torus(void **unused)
{
    (void)unused;
    cp_mesh before = make_torus(64, 32, 0, 1), after = before;
    struct simplify_result result = simplify(&after, 600, INFINITY);
    assert_int_equal(result.before, 4096);
    assert_int_equal(after.face_count, 600);
    assert_closed(&after, 0);
    assert_same_side(&before, &after);
    double exact = vertex_distance(&before, &after);
    assert_true(exact < 0.06);
    assert_true(result.error >= exact * (1 - 1e-6));
    assert_true(one_way(&after, &before, 0.5) < 0.1);
    assert_true(fabs(plain_volume(&after) / plain_volume(&before) - 1) < 0.01);
}

static void test_error_is_kept(void **unused)
{
    (void)unused;
    const double bounds[] = {0.1, 0.03, 0.01};
    uint32_t least = 0;
    for (int i = 0; i < 3; i++) {
        cp_mesh before = make_torus(48, 24, 0, 1), after = before;
        struct simplify_result result = simplify(&after, 0, bounds[i]);
        assert_true(result.error <= bounds[i]);
        assert_true(vertex_distance(&before, &after) <= bounds[i] * (1 + 1e-6));
        assert_true(one_way(&before, &after, 0.25) <= bounds[i] * (1 + 1e-6));
        assert_true(after.face_count > least && after.face_count < before.face_count);
        least = after.face_count;
        assert_closed(&after, 0);
    }
}

/* What is told holds between the vertices, too, and is not much too large; drafts keep what they promise. */
static void test_error_is_told(void **unused)
{
    (void)unused;
    const double step = 1.0 / 12;
    cp_mesh shapes[] = {make_torus(16, 8, 0, 1), make_sheet(12, 0.1, false), cube_of_squares(4)};
    for (int i = 0; i < 6; i++) {
        cp_mesh before = shapes[i / 2], after = before, bounded = before;
        struct simplify_result result = simplify(&after, before.face_count / (i % 2 ? 12 : 4), INFINITY);
        double sampled = one_way(&before, &after, step);
        assert_true(result.whole);
        assert_true(sampled <= result.error * (1 + 1e-6) + 1e-6);
        assert_true(result.error <= 1.15 * sampled + 1e-6);
        struct simplify_goal goal = {.error = 0.5 * sampled, .fast = i % 2, .whole = true};
        assert_int_equal(mesh_simplify(scene, &bounded, &goal, &result), CP_OK);
        assert_true(result.whole && result.error <= goal.error);
        assert_true(one_way(&before, &bounded, step) <= goal.error * (1 + 1e-6) + 1e-6);
        assert_true(sampled < 1e-6 || bounded.face_count < before.face_count);
    }
}

/* A soup of 24 n^2 vertices: faces are joined by position; 12 triangles hold the whole shape. */
static void test_cube_comes_back(void **unused)
{
    (void)unused;
    cp_mesh before = cube_of_squares(8), after = before;
    struct simplify_result result = simplify(&after, 12, INFINITY);
    assert_int_equal(after.face_count, 12);
    assert_int_equal(after.vertex_count, 8);
    assert_true(result.error < 1e-6);
    assert_closed(&after, 2);
    assert_true(fabs(plain_volume(&after) - 1) < 1e-6);
    cp_mesh bounded = before;
    result = simplify(&bounded, 0, 1e-4);
    assert_int_equal(bounded.face_count, 12);
}

/* At an error that allows anything a closed shape still has its faces: the last four. */
static void test_target_out_of_reach(void **unused)
{
    (void)unused;
    cp_mesh mesh = cube_of_squares(3);
    struct simplify_result result = simplify(&mesh, 1, INFINITY);
    assert_true(result.triangles >= 4);
    assert_closed(&mesh, 2);
}

static void test_borders_stay(void **unused)
{
    (void)unused;
    cp_mesh before = make_sheet(18, 0, true), after = before;
    struct simplify_result result = simplify(&after, 0, 1e-5);
    assert_true(after.face_count <= 10);
    assert_true(result.error <= 1e-5);
    assert_true(fabs(length_of_borders(&after) - (4 + 4.0 / 3)) < 1e-4);
    assert_int_equal(euler(&after), 0); /* a disc with a hole */
    before = make_sheet(24, 0.1, false);
    after = before;
    (void)simplify(&after, 200, INFINITY);
    assert_int_equal(euler(&after), 1);
    assert_same_side(&before, &after);
    assert_true(fabs(length_of_borders(&after) / length_of_borders(&before) - 1) < 0.02);
    assert_true(one_way(&before, &after, 0.5) < 0.03);
}

/* Faces that lie on each other have no volume and no height: their common edge is all there is. */
static void test_folds_stay(void **unused)
{
    (void)unused;
    cp_mesh before = make_double_sheet(32, true), after = before;
    struct simplify_result result = simplify(&after, 4, INFINITY);
    assert_int_equal(result.triangles, 4);
    assert_closed(&after, 2);
    assert_true(one_way(&before, &after, 0.5) < 1e-6);
    before = make_double_sheet(64, false);
    after = before;
    result = simplify(&after, 28, INFINITY);
    assert_int_equal(result.triangles, 28); /* a polygon of 16 sides */
    assert_closed(&after, 2);
    assert_true(one_way(&before, &after, 0.5) < 2 * (1 - cos(PI / 16)));
}

/* Two materials in stripes: each keeps its area, and stays in its group. */
static void test_seams_stay(void **unused)
{
    (void)unused;
    const uint32_t n = 16;
    cp_mesh mesh = make_sheet(n, 0, false);
    cp_group groups[2] = {{0, n * n, 0}, {n * n, n * n, 1}}; /* x below and above a half */
    mesh.groups = groups;
    mesh.group_count = 2;
    (void)simplify(&mesh, 0, 1e-5);
    assert_int_equal(mesh.group_count, 2);
    assert_true(mesh.face_count <= 8);
    double area[2] = {0, 0};
    for (uint32_t group = 0; group < 2; group++) {
        assert_int_equal(mesh.groups[group].material, group);
        for (uint32_t i = 0; i < mesh.groups[group].face_count; i++) {
            uint32_t face = mesh.groups[group].first_face + i;
            double normal[3];
            face_normal(&mesh, face, normal);
            area[group] += sqrt(dot(normal, normal)) / 2;
            for (uint32_t c = 0; c < 3; c++) {
                double x = (double)position_at(&mesh, face_corner(&mesh, face, c))[0];
                assert_true(group == 0 ? x < 0.5 + 1e-4 : x > 0.5 - 1e-4);
            }
        }
    }
    assert_true(fabs(area[0] - 0.5) < 1e-4 && fabs(area[1] - 0.5) < 1e-4);
}

static void append(struct shape *to, const cp_mesh *mesh, const double move[3])
{
    uint32_t first = to->point_count;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
        const float *p = position_at(mesh, vertex);
        add_point(to, (double)p[0] + move[0], (double)p[1] + move[1], (double)p[2] + move[2]);
    }
    for (uint32_t i = 0; i < mesh->corner_count; i += 3)
        add_triangle(to, first + mesh->corners[i], first + mesh->corners[i + 1], first + mesh->corners[i + 2]);
}

/* Two cubes that share an edge, and one that shares a corner: three solids, each closed by itself. */
static void test_touching_solids_are_parted(void **unused)
{
    (void)unused;
    cp_mesh cube = cube_of_squares(4);
    struct shape shape = shape_new(3 * cube.vertex_count, 3 * cube.face_count);
    append(&shape, &cube, (double[]){0, 0, 0});
    append(&shape, &cube, (double[]){1, 1, 0});
    append(&shape, &cube, (double[]){-1, -1, 1});
    cp_mesh mesh = mesh_of(&shape);
    struct simplify_result result = simplify(&mesh, 36, INFINITY);
    assert_int_equal(result.cut_edges, 4);
    assert_int_equal(result.cut_vertices, 5 + 1);
    assert_int_equal(mesh.face_count, 36);
    assert_int_equal(mesh.vertex_count, 24);
    assert_true(result.error < 1e-6);
    assert_true(fabs(plain_volume(&mesh) - 3) < 1e-5);
    uint32_t forward[24][24] = {{0}};
    for (uint32_t i = 0; i < mesh.corner_count; i++)
        forward[mesh.corners[i]][mesh.corners[i % 3 == 2 ? i - 2 : i + 1]]++;
    for (int a = 0; a < 24; a++)
        for (int b = 0; b < 24; b++)
            assert_true(forward[a][b] == forward[b][a] && forward[a][b] <= 1);
}

/* Three sheets on one line: their common edge stays where it is. */
static void test_common_edge_stays(void **unused)
{
    (void)unused;
    const uint32_t n = 12;
    struct shape shape = shape_new(3 * (n + 1) * (n + 1), 6 * n * n);
    for (int sheet = 0; sheet < 3; sheet++) {
        uint32_t first = shape.point_count;
        double c = cos(2.1 * sheet), s = sin(2.1 * sheet);
        for (uint32_t i = 0; i <= n; i++)
            for (uint32_t k = 0; k <= n; k++)
                add_point(&shape, c * i / n, s * i / n, (double)k / n);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                uint32_t a = first + i * (n + 1) + k;
                add_triangle(&shape, a, a + n + 1, a + n + 2);
                add_triangle(&shape, a, a + n + 2, a + 1);
            }
    }
    cp_mesh mesh = mesh_of(&shape);
    struct simplify_result result = simplify(&mesh, 0, 1e-5);
    assert_int_equal(result.cut_edges, n);
    assert_true(mesh.face_count < 3 * 2 * n * n / 4);
    assert_true(result.error <= 1e-5);
}

/* A part far from the origin, beside one that is near and small: neither loses its shape. */
static void test_far_away(void **unused)
{
    (void)unused;
    cp_mesh far = make_torus(48, 24, 65536, 100), near = make_torus(48, 24, 0, 0.01);
    struct shape shape = shape_new(far.vertex_count + near.vertex_count, far.face_count + near.face_count);
    append(&shape, &far, (double[]){0, 0, 0});
    append(&shape, &near, (double[]){0, 0, 0});
    cp_mesh before = mesh_of(&shape), after = before;
    (void)simplify(&after, 1200, INFINITY);
    assert_closed(&after, 0);
    assert_true(vertex_distance(&before, &after) < 15);
    cp_mesh alone = far;
    (void)simplify(&alone, 400, INFINITY);
    assert_closed(&alone, 0);
    assert_true(vertex_distance(&far, &alone) < 8);
}

static void test_scales(void **unused)
{
    (void)unused;
    const double sizes[] = {1e-38, 1e-30, 1, 1e30, 5e37};
    for (int i = 0; i < 5; i++) {
        cp_mesh before = make_torus(32, 16, 0, sizes[i]), after = before;
        struct simplify_result result = simplify(&after, 200, INFINITY);
        assert_int_equal(result.triangles, 200);
        assert_true(result.error > 0 && result.error < 0.4 * sizes[i]);
        for (uint32_t k = 0; k < 3 * after.vertex_count; k++)
            assert_true(isfinite(after.positions[k]));
        if (sizes[i] > 1e-30)
            assert_closed(&after, 0);
    }
}

/* ---- shapes that have a formula ---- */

/* Long thin triangles at the ends, which reach from part to part of what works in threads. With 1,000 triangles a tube has 125 sides at
 * best. */
static void test_tube(void **unused)
{
    (void)unused;
    for (uint32_t sides = 400; sides <= 4000; sides *= 10) {
        cp_mesh before = make_tube(sides, 2, 0.5), after = before;
        assert_true(fabs(plain_volume(&before) / tube_volume(sides, 2, 0.5) - 1) < 1e-6);
        struct simplify_result result = simplify(&after, 1000, INFINITY);
        double best = 2 * (1 - cos(PI / 125));
        assert_int_equal(after.face_count, 1000);
        assert_closed(&after, 0);
        assert_true(result.error < 3 * best);
        assert_true(fabs(plain_volume(&after) / tube_volume(sides, 2, 0.5) - 1) < 1e-3);
        if (sides == 400)
            assert_true(result.error >= vertex_distance(&before, &after) * (1 - 1e-6));
    }
}

static cp_mesh scaled_cube(uint32_t n, const double scale[3])
{
    cp_mesh mesh = cube_of_squares(n);
    float *positions = (float *)mesh.positions;
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++)
        positions[i] = (float)((double)positions[i] * scale[i % 3]);
    return mesh;
}

/* A sheet of metal keeps its thickness, to the last triangle. */
static void test_thin_plate(void **unused)
{
    (void)unused;
    cp_mesh mesh = scaled_cube(24, (double[]){4, 3, 0.002});
    struct simplify_result result = simplify(&mesh, 12, INFINITY);
    assert_int_equal(mesh.face_count, 12);
    assert_closed(&mesh, 2);
    assert_true(result.error < 1e-6);
    assert_true(fabs(plain_volume(&mesh) / 0.024 - 1) < 1e-5);
}

static void test_draft_keeps_the_volume(void **unused)
{
    (void)unused;
    cp_mesh before = make_torus(128, 64, 0, 1), after = before;
    struct simplify_goal goal = {.triangles = 1000, .error = INFINITY, .fast = true};
    struct simplify_result result;
    assert_int_equal(mesh_simplify(scene, &after, &goal, &result), CP_OK);
    assert_closed(&after, 0);
    assert_true(fabs(plain_volume(&after) / plain_volume(&before) - 1) < 1e-4);
}

/* However finely a border is cut, it holds against the faces beside it. */
static void test_fine_border(void **unused)
{
    (void)unused;
    cp_mesh before = make_sheet(150, 0.1, false), after = before;
    (void)simplify(&after, 400, INFINITY);
    for (uint32_t i = 0; i < 3 * after.vertex_count; i++)
        if (i % 3 != 2)
            assert_true(after.positions[i] > -0.004f && after.positions[i] < 1.004f);
}

/* A sheet of n x n squares over a plane, the points of which lie anywhere near their places and heights. */
static cp_mesh make_rough_sheet(uint32_t n, double rough, struct random *random)
{
    struct shape shape = shape_new((n + 1) * (n + 1), 2 * n * n);
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= n; k++)
            add_point(&shape, i + 0.4 * (random_unit(random) - 0.5), k + 0.4 * (random_unit(random) - 0.5),
                      0.08 * n * sin(7.0 * i / n) * cos(5.0 * k / n) + rough * random_unit(random));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = i * (n + 1) + k;
            add_triangle(&shape, a, a + n + 1, a + n + 2);
            add_triangle(&shape, a, a + n + 2, a + 1);
        }
    return mesh_of(&shape);
}

static uint32_t count_looking_down(const cp_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        double normal[3];
        face_normal(mesh, face, normal);
        count += normal[2] < 0;
    }
    return count;
}

/* All faces of a sheet over a plane look up before; so they must after many collapses, each of which turns some a little. */
static void test_no_face_is_turned(void **unused)
{
    (void)unused;
    const double ratios[] = {0.3, 0.1, 0.03};
    struct random random = {5};
    for (int i = 0; i < 24; i++) {
        cp_mesh before = make_rough_sheet(i < 18 ? 60 : 140, i % 2 ? 0.2 : 0.02, &random), after = before;
        assert_int_equal(count_looking_down(&before), 0);
        struct simplify_goal goal = {
            .triangles = (uint64_t)(ratios[i % 3] * before.face_count), .error = INFINITY, .fast = i % 4 < 2};
        struct simplify_result result;
        assert_int_equal(mesh_simplify(scene, &after, &goal, &result), CP_OK);
        assert_in_range(result.triangles, goal.triangles - 1, goal.triangles);
        assert_int_equal(count_looking_down(&after), 0);
    }
}

/* ---- hostile shapes: how the work on them grows is counted by work/test_work.c ---- */

enum { HOSTILE = 100000 };

static void simplify_to_tenth(cp_mesh *mesh)
{
    (void)simplify(mesh, mesh->face_count / 10, INFINITY);
}

static void test_one_hub(void **unused)
{
    (void)unused;
    struct shape shape = shape_new(HOSTILE + 1, HOSTILE);
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_point(&shape, cos(2 * PI * i / HOSTILE), sin(2 * PI * i / HOSTILE), 0.1 * sin(20 * PI * i / HOSTILE));
    uint32_t hub = add_point(&shape, 0, 0, 1);
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_triangle(&shape, hub, i, (i + 1) % HOSTILE);
    cp_mesh mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
    assert_true(mesh.face_count <= HOSTILE / 10 + 1);
}

static void test_equal_points_and_needles(void **unused)
{
    (void)unused;
    struct shape shape = shape_new(HOSTILE, HOSTILE);
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_point(&shape, 1, 2, i % 2 ? 0.0 : -0.0);
    for (uint32_t i = 0; i + 2 < HOSTILE; i++)
        add_triangle(&shape, i, i + 1, i + 2);
    cp_mesh mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
    assert_int_equal(mesh.face_count, 0);

    shape.point_count = shape.corner_count = 0; /* all on a line: no face has an area */
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_point(&shape, i, i, i);
    for (uint32_t i = 0; i + 2 < HOSTILE; i++)
        add_triangle(&shape, i, i + 1, i + 2);
    mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
}

/* Every face on one edge, and noise without any order. */
static void test_one_edge_and_noise(void **unused)
{
    (void)unused;
    struct shape shape = shape_new(HOSTILE, HOSTILE);
    struct random random = {7};
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_point(&shape, random_unit(&random), random_unit(&random), random_unit(&random));
    for (uint32_t i = 2; i < HOSTILE; i++)
        add_triangle(&shape, i % 2, 1 - i % 2, i);
    cp_mesh mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
    shape.corner_count = 0;
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_triangle(&shape, random_bits(&random) % HOSTILE, random_bits(&random) % HOSTILE, random_bits(&random) % 50);
    mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
}

/* ---- threads ---- */

static void test_same_for_any_threads(void **unused)
{
    (void)unused;
    cp_mesh first = make_torus(300, 200, 0, 1);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        cp_mesh mesh = make_torus(300, 200, 0, 1);
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        (void)simplify(&mesh, 6000, INFINITY);
        if (threads == 1)
            first = mesh;
        assert_int_equal(mesh.vertex_count, first.vertex_count);
        assert_int_equal(mesh.corner_count, first.corner_count);
        assert_memory_equal(mesh.positions, first.positions, 12 * (size_t)mesh.vertex_count);
        assert_memory_equal(mesh.corners, first.corners, 4 * (size_t)mesh.corner_count);
    }
    cp_topology topology;
    assert_int_equal(cp_mesh_topology(context, &first, &topology), CP_OK);
    assert_true(topology.closed);
    assert_int_equal(first.face_count, 6000);
}

static void test_colours_are_mixed(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_sheet(16, 0, false);
    float *colours = scene_allocate(scene, 4 * (size_t)mesh.vertex_count, sizeof *colours);
    for (uint32_t vertex = 0; vertex < mesh.vertex_count; vertex++) {
        colours[4 * vertex] = position_at(&mesh, vertex)[0];
        colours[4 * vertex + 1] = position_at(&mesh, vertex)[1];
        colours[4 * vertex + 2] = 0.25f;
        colours[4 * vertex + 3] = 1;
    }
    mesh.colours = colours;
    (void)simplify(&mesh, 60, INFINITY);
    for (uint32_t vertex = 0; vertex < mesh.vertex_count; vertex++) {
        assert_true(fabs((double)mesh.colours[4 * vertex] - (double)position_at(&mesh, vertex)[0]) < 0.1);
        assert_true(fabs((double)mesh.colours[4 * vertex + 1] - (double)position_at(&mesh, vertex)[1]) < 0.1);
        assert_true(mesh.colours[4 * vertex + 2] == 0.25f && mesh.colours[4 * vertex + 3] == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_torus_stays_a_torus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_error_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_error_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cube_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_target_out_of_reach, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_borders_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folds_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_seams_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_touching_solids_are_parted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_common_edge_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scales, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tube, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_thin_plate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_draft_keeps_the_volume, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fine_border, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_face_is_turned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_hub, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_points_and_needles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_edge_and_noise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_for_any_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_colours_are_mixed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Makes shapes to simplify, and judges the results by plain programs: distances by trying every face, edges counted by
 * comparing positions. */
#ifndef SIMPLIFY_SHAPES_H
#define SIMPLIFY_SHAPES_H

#include "mesh_support.h"
#include "vectors.h"

#include "scene_fixture.h" /* behind those whose arguments have its names */

/* ---- shapes ---- */

struct shape {
    float (*points)[3];
    uint32_t *corners;
    uint32_t point_count, corner_count;
};

static inline struct shape shape_new(uint32_t points, uint32_t triangles)
{
    return (struct shape){scratch(points, 3 * sizeof(float)), scratch(3 * (size_t)triangles, sizeof(uint32_t)), 0, 0};
}

static inline uint32_t add_point(struct shape *shape, double x, double y, double z)
{
    float *point = shape->points[shape->point_count];
    point[0] = (float)x;
    point[1] = (float)y;
    point[2] = (float)z;
    return shape->point_count++;
}

static inline void add_triangle(struct shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    shape->corners[shape->corner_count++] = a;
    shape->corners[shape->corner_count++] = b;
    shape->corners[shape->corner_count++] = c;
}

static inline cp_mesh mesh_of(const struct shape *shape)
{
    return (cp_mesh){.name = "shape",
                     .vertex_count = shape->point_count,
                     .face_count = shape->corner_count / 3,
                     .corner_count = shape->corner_count,
                     .positions = shape->points[0],
                     .corners = shape->corners};
}

/* A torus of rows x columns quads, around (x, 0, 0). */
static inline cp_mesh make_torus(uint32_t rows, uint32_t columns, double x, double size)
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
static inline void add_side(struct shape *shape, int axis, int at, uint32_t n)
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

static inline cp_mesh cube_of_squares(uint32_t n)
{
    struct shape shape = shape_new(24 * n * n, 12 * n * n);
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < 2; at++)
            add_side(&shape, axis, at, n);
    return mesh_of(&shape);
}

/* A wavy or flat sheet of n x n squares with a square hole in the middle, when it has one. */
static inline cp_mesh make_sheet(uint32_t n, double wave, bool hole)
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
static inline cp_mesh make_double_sheet(uint32_t sides, bool square)
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

/* A tube of `sides` sides, as wide as `outer` and `inner`, a tenth high: the walls in four layers, the ends in
 * triangles that reach from one ring to the other. */
static inline cp_mesh make_tube(uint32_t sides, double outer, double inner)
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

static inline double tube_volume(double sides, double outer, double inner)
{
    return 0.1 * sides / 2 * sin(2 * PI / sides) * (outer * outer - inner * inner);
}

/* ---- plain answers ---- */

static inline double segment_distance(const double p[3], const double a[3], const double b[3])
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

static inline void face_points(const cp_mesh *mesh, uint32_t face, double points[3][3])
{
    for (uint32_t c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            points[c][i] = (double)position_at(mesh, face_corner(mesh, face, c))[i];
}

static inline void face_normal(const cp_mesh *mesh, uint32_t face, double normal[3])
{
    double points[3][3], ab[3], ac[3];
    face_points(mesh, face, points);
    minus(points[1], points[0], ab);
    minus(points[2], points[0], ac);
    cross(ab, ac, normal);
}

/* Measures to the plane if the foot lies inside, else to the three sides. */
static inline double face_distance(const cp_mesh *mesh, uint32_t face, const double p[3])
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

/* The distance of the point from the face's box, rounded down. */
static inline double box_distance(const cp_mesh *mesh, uint32_t face, const double p[3])
{
    double points[3][3], sum = 0;
    face_points(mesh, face, points);
    for (int i = 0; i < 3; i++) {
        double low = fmin(points[0][i], fmin(points[1][i], points[2][i]));
        double high = fmax(points[0][i], fmax(points[1][i], points[2][i]));
        double gap = p[i] < low ? low - p[i] : p[i] > high ? p[i] - high : 0;
        sum += gap * gap;
    }
    return sqrt(sum) * (1 - 1e-9);
}

/* nearest: a guess, then the face. */
static inline double nearest_face(const cp_mesh *mesh, const double p[3], uint32_t *nearest)
{
    double best = mesh->face_count > 0 ? face_distance(mesh, *nearest, p) : INFINITY;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        double distance = box_distance(mesh, face, p) < best ? face_distance(mesh, face, p) : best;
        if (distance < best) {
            best = distance;
            *nearest = face;
        }
    }
    return best;
}

/* Finds the largest distance from points on every face of one mesh to another. */
static inline double one_way(const cp_mesh *from, const cp_mesh *to, double step)
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

static inline double vertex_distance(const cp_mesh *from, const cp_mesh *to)
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

static inline void assert_same_side(const cp_mesh *before, const cp_mesh *after)
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
static inline int64_t euler(const cp_mesh *mesh)
{
    cp_topology topology = plain_topology(mesh);
    int64_t places = 0;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        places += place_of(mesh, vertex) == vertex;
    return places - (int64_t)topology.edges + mesh->face_count;
}

static inline void assert_closed(const cp_mesh *mesh, int64_t characteristic)
{
    cp_topology topology = plain_topology(mesh);
    assert_true(topology.closed);
    assert_int_equal(topology.degenerate_faces, 0);
    assert_int_equal(euler(mesh), characteristic);
}

static inline double length_of_borders(const cp_mesh *mesh)
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

static inline void append(struct shape *to, const cp_mesh *mesh, const double move[3])
{
    uint32_t first = to->point_count;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
        const float *p = position_at(mesh, vertex);
        add_point(to, (double)p[0] + move[0], (double)p[1] + move[1], (double)p[2] + move[2]);
    }
    for (uint32_t i = 0; i < mesh->corner_count; i += 3)
        add_triangle(to, first + mesh->corners[i], first + mesh->corners[i + 1], first + mesh->corners[i + 2]);
}

/* ---- the filter ---- */

/* Gives the mesh a material whose texture has so many texels each way, in each set of its coordinates. */
static inline void add_textured(cp_mesh *mesh, cp_group *group, uint32_t texels)
{
    const unsigned char high = (unsigned char)(texels >> 8), low = (unsigned char)texels;
    const unsigned char png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0,    13,
                                 'I',  'H', 'D', 'R', 0,    0,    high, low,  0, 0, high, low};
    const cp_texture_use uses[] = {{.role = CP_TEXTURE_BASE_COLOUR, .scale = {1, 1}},
                                   {.role = CP_TEXTURE_OCCLUSION, .set = 1, .scale = {1, 1}}};
    cp_material material = cp_new_material();
    material.textures = uses;
    material.texture_count = mesh->coordinates[1] ? 2 : 1;
    (void)cp_add_image(scene, &(cp_image){.size = sizeof png, .bytes = png});
    (void)cp_add_texture(scene, &(cp_texture){.fallback = CP_NONE});
    *group = (cp_group){0, mesh->face_count, cp_add_material(scene, &material)};
    mesh->groups = group;
    mesh->group_count = 1;
}

/* The mesh in a new scene, once the filter has simplified it there; valid until the next call, which may get it.
 * texels: of its texture; 0: it has none. */
static inline const cp_mesh *simplify_shown(const cp_mesh *mesh, uint32_t use, uint32_t texels,
                                            const char *const *options, size_t count)
{
    cp_mesh shown = *mesh;
    cp_scene *old = scene;
    cp_group group;
    scene = cp_scene_new(context);
    cp_report_clear(context);
    if (texels > 0)
        add_textured(&shown, &group, texels);
    (void)add_instance_of(scene, 0, add_mesh_of(scene, &shown), use, NULL);
    finish_scene();
    cp_scene_free(old);
    assert_int_equal(cp_apply(context, scene, "simplify", options, count), CP_OK);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    return cp_meshes(scene, NULL);
}

#endif

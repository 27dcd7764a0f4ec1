/* Parts as people have them. Each closed one is wound outwards. */
#include "shapes.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- smooth: a displaced torus, genus 1, with detail of four sizes and a little noise ---- */

static void add_torus_vertex(struct mesh *mesh, double u, double v, double noise)
{
    double detail = 0.06 * sin(9 * u) * cos(4 * v) + 0.02 * sin(37 * u + 3 * v) + 0.01 * cos(23 * v - 41 * u) +
                    0.004 * sin(151 * u) * sin(97 * v) + 0.0005 * (noise - 0.5);
    double tube = 120 * (1 + detail);
    mesh_add_vertex(mesh, (400 + tube * cos(v)) * cos(u), (400 + tube * cos(v)) * sin(u),
                    tube * sin(v) + 30 * sin(5 * u));
}

/* The quads of a grid of columns x rows vertices, from `first` on, that closes in both directions. */
static void add_closed_grid(struct mesh *mesh, uint32_t first, uint32_t columns, uint32_t rows)
{
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = 0; j < rows; j++) {
            uint32_t next_i = (i + 1) % columns, next_j = (j + 1) % rows;
            mesh_add_quad(mesh, first + i * rows + j, first + next_i * rows + j, first + next_i * rows + next_j,
                          first + i * rows + next_j);
        }
}

static void make_torus_grid(struct mesh *mesh, uint32_t columns, uint32_t rows)
{
    struct random random = random_begin();
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = 0; j < rows; j++)
            add_torus_vertex(mesh, 2 * pi * i / columns, 2 * pi * j / rows, random_unit(&random));
    add_closed_grid(mesh, 0, columns, rows);
}

/* The side of a grid of quads that has about `count` triangles, with columns = ratio * rows. */
static uint32_t grid_rows(size_t count, uint32_t ratio)
{
    double rows = floor(sqrt((double)count / (2.0 * ratio)) + 0.5);
    return rows < 3 ? 3 : (uint32_t)rows;
}

static void make_torus(struct mesh *mesh, size_t count)
{
    uint32_t rows = grid_rows(count, 2);
    make_torus_grid(mesh, 2 * rows, rows);
}

/* The torus in a site's coordinates: a float's step is 1/128 mm there. */
static void make_far(struct mesh *mesh, size_t count)
{
    static const double site[3] = {120000, -90000, 70000};
    make_torus(mesh, count);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        mesh->positions[i] = (float)((double)mesh->positions[i] + site[i % 3]);
}

/* The torus as a part of 10 micrometres, in metres: squares and products of its lengths are far below 1. */
static void make_micro(struct mesh *mesh, size_t count)
{
    make_torus(mesh, count);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        mesh->positions[i] = (float)((double)mesh->positions[i] * 1e-8);
}

/* ---- rings ---- */

static double shaft_radius(const struct ring *ring, int layer)
{
    return ring->radius * (layer * 3 / ring->layers % 2 ? 0.8 : 1.0);
}

static double gear_radius(const struct ring *ring, double angle)
{
    double phase = fmod(angle * ring->teeth / (2 * pi), 1.0);
    if (phase < 0.2 || phase >= 0.85)
        return ring->radius * 0.85;
    if (phase < 0.35)
        return ring->radius * (0.85 + (phase - 0.2));
    return ring->radius * (phase < 0.7 ? 1.0 : 1.0 - (phase - 0.7));
}

static double plate_radius(const struct ring *ring, double angle)
{
    double reach = fmax(fabs(cos(angle)), fabs(sin(angle)) / 0.6);
    return fmin(ring->radius / reach, ring->radius * 1.05);
}

static double outline_radius(const struct ring *ring, int layer, double angle)
{
    switch (ring->outline) {
    case RING_PLATE:
        return plate_radius(ring, angle);
    case RING_SHAFT:
        return shaft_radius(ring, layer);
    default:
        return gear_radius(ring, angle);
    }
}

static void add_ring_vertices(struct mesh *mesh, const struct ring *ring, int outside)
{
    for (int layer = 0; layer <= ring->layers; layer++)
        for (int side = 0; side < ring->sides; side++) {
            double angle = 2 * pi * side / ring->sides;
            double radius = outside ? outline_radius(ring, layer, angle) : ring->bore;
            mesh_add_vertex(mesh, radius * cos(angle), radius * sin(angle), ring->height * layer / ring->layers);
        }
}

static void add_ring_walls(struct mesh *mesh, uint32_t outer, uint32_t inner, const struct ring *ring)
{
    uint32_t sides = (uint32_t)ring->sides;
    for (uint32_t layer = 0; layer < (uint32_t)ring->layers; layer++)
        for (uint32_t side = 0; side < sides; side++) {
            uint32_t here = layer * sides + side, next = layer * sides + (side + 1) % sides;
            mesh_add_quad(mesh, outer + here, outer + next, outer + next + sides, outer + here + sides);
            mesh_add_triangle(mesh, inner + here, inner + next + sides, inner + next);
            mesh_add_triangle(mesh, inner + here, inner + here + sides, inner + next + sides);
        }
}

static void add_ring_ends(struct mesh *mesh, uint32_t outer, uint32_t inner, const struct ring *ring)
{
    uint32_t sides = (uint32_t)ring->sides, top = (uint32_t)ring->layers * sides;
    for (uint32_t side = 0; side < sides; side++) {
        uint32_t next = (side + 1) % sides;
        mesh_add_triangle(mesh, outer + side, inner + next, outer + next);
        mesh_add_triangle(mesh, outer + side, inner + side, inner + next);
        mesh_add_quad(mesh, outer + top + side, outer + top + next, inner + top + next, inner + top + side);
    }
}

void make_ring(struct mesh *mesh, const struct ring *ring)
{
    uint32_t outer = (uint32_t)mesh->vertex_count;
    add_ring_vertices(mesh, ring, 1);
    uint32_t inner = (uint32_t)mesh->vertex_count;
    add_ring_vertices(mesh, ring, 0);
    add_ring_walls(mesh, outer, inner, ring);
    add_ring_ends(mesh, outer, inner, ring);
}

/* Mechanical: 40 teeth and a bore; the faces at both ends are long thin triangles, as CAD kernels make them. */
static void make_gear(struct mesh *mesh, size_t count)
{
    struct ring ring = {RING_GEAR, (int)(count / 20), 4, 40, 100, 30, 30};
    if (ring.sides < 80)
        ring.sides = 80;
    make_ring(mesh, &ring);
}

/* The parts' sizes follow the torus's noise in one sequence of random numbers. */
struct random library_begin(void)
{
    struct random random = random_begin();
    for (int i = 0; i < 500000; i++)
        random_unit(&random);
    return random;
}

void make_library_part(struct mesh *mesh, struct random *random, int part)
{
    struct ring ring = {.outline = (enum ring_outline)(part % RING_OUTLINES)};
    double triangles = 100 * exp(random_unit(random) * log(50.0));
    ring.layers = 1 + (int)(random_unit(random) * 4);
    if (ring.outline == RING_SHAFT)
        ring.layers = 3 + (int)(random_unit(random) * 4);
    ring.sides = (int)(triangles / (4 * ring.layers + 4));
    if (ring.sides < 6)
        ring.sides = 6;
    ring.teeth = 8 + (int)(random_unit(random) * 20);
    ring.bore = 2 + random_unit(random) * 5;
    ring.height = 5 + random_unit(random) * 60;
    ring.radius = 10 + random_unit(random) * 190;
    make_ring(mesh, &ring);
}

/* Tiny parts: rings of half a millimetre and 80 triangles each, far apart. */
static void make_crumbs(struct mesh *mesh, size_t count)
{
    struct random random = random_begin();
    for (size_t i = 0; i < (count + 79) / 80; i++) {
        struct ring ring = {RING_SHAFT, 5, 3, 0, 0.2 + 0.1 * random_unit(&random), 0.5, 0.1};
        size_t first = mesh->vertex_count;
        make_ring(mesh, &ring);
        double place[3];
        for (int k = 0; k < 3; k++)
            place[k] = 100 * random_unit(&random);
        for (size_t j = 3 * first; j < 3 * mesh->vertex_count; j++)
            mesh->positions[j] = (float)((double)mesh->positions[j] + place[j % 3]);
    }
}

/* ---- sheets: one grid of vertices, or two with a rim between them ---- */

struct sheet {
    uint32_t columns, rows; /* of quads */
    double width, depth;
};

typedef double sheet_height(double x, double y);

static void add_sheet_vertices(struct mesh *mesh, const struct sheet *sheet, sheet_height *height, double lift)
{
    for (uint32_t i = 0; i <= sheet->columns; i++)
        for (uint32_t j = 0; j <= sheet->rows; j++) {
            double x = sheet->width * i / sheet->columns, y = sheet->depth * j / sheet->rows;
            mesh_add_vertex(mesh, x, y, height(x, y) + lift);
        }
}

static void add_sheet_quads(struct mesh *mesh, const struct sheet *sheet, uint32_t first, int upwards)
{
    uint32_t step = sheet->rows + 1;
    for (uint32_t i = 0; i < sheet->columns; i++)
        for (uint32_t j = 0; j < sheet->rows; j++) {
            uint32_t a = first + i * step + j, b = a + step, c = b + 1, d = a + 1;
            if (upwards)
                mesh_add_quad(mesh, a, b, c, d);
            else
                mesh_add_quad(mesh, a, d, c, b);
        }
}

/* The walls between the edges of two sheets, the upper one `above` vertices after the lower. */
static void add_sheet_rim(struct mesh *mesh, const struct sheet *sheet, uint32_t above)
{
    uint32_t step = sheet->rows + 1, last = sheet->columns * step;
    for (uint32_t i = 0; i < sheet->columns; i++) {
        uint32_t near = i * step, far = i * step + sheet->rows;
        mesh_add_quad(mesh, near, near + step, near + step + above, near + above);
        mesh_add_quad(mesh, far + step, far, far + above, far + step + above);
    }
    for (uint32_t j = 0; j < sheet->rows; j++) {
        mesh_add_quad(mesh, j + 1, j, j + above, j + 1 + above);
        mesh_add_quad(mesh, last + j, last + j + 1, last + j + 1 + above, last + j + above);
    }
}

static double terrain_height(double x, double y)
{
    return 40 * sin(0.011 * x) * cos(0.017 * y) + 8 * sin(0.09 * x + 0.05 * y) + 1.5 * cos(0.31 * y - 0.23 * x);
}

/* An open sheet: a scanned surface with a border all round. */
static void make_sheet(struct mesh *mesh, size_t count)
{
    uint32_t rows = grid_rows(count, 1);
    struct sheet sheet = {rows, rows, 1000, 1000};
    add_sheet_vertices(mesh, &sheet, terrain_height, 0);
    add_sheet_quads(mesh, &sheet, 0, 1);
}

/* Pressed metal: flat, with beads of trapezoid section every 125 mm. */
static double panel_height(double x, double y)
{
    double phase = fmod(x, 125) - 40, rise = fmin(phase, 45 - phase) * 0.8;
    double ends = fmin(y, 400 - y) * 0.5 - 10;
    return fmax(0, fmin(12, fmin(rise, ends)));
}

/* A thin plate: two sides 0.8 mm apart, closed by a rim. */
static void make_panel(struct mesh *mesh, size_t count)
{
    uint32_t rows = grid_rows(count / 2, 2);
    struct sheet sheet = {2 * rows, rows, 1000, 400};
    add_sheet_vertices(mesh, &sheet, panel_height, 0);
    uint32_t above = (uint32_t)mesh->vertex_count;
    add_sheet_vertices(mesh, &sheet, panel_height, 0.8);
    add_sheet_quads(mesh, &sheet, 0, 0);
    add_sheet_quads(mesh, &sheet, above, 1);
    add_sheet_rim(mesh, &sheet, above);
}

/* ---- mechanical: a block with bores from top to bottom, each in a square cell ---- */

struct block {
    uint32_t cells;  /* in each direction */
    uint32_t sides;  /* of a bore, a multiple of 4 */
    uint32_t rings;  /* of quads between a bore and its cell's outline */
    uint32_t layers; /* of quads down a bore and an outer wall */
    double cell, height;
};

/* The point of a cell's outline beside side number `side` of its bore: it goes round the square from the corner (+,
 * +). */
static void square_point(const struct block *block, uint32_t side, double point[2])
{
    uint32_t quarter = block->sides / 4, edge = side / quarter;
    double half = block->cell / 2, along = half - block->cell * (side % quarter) / quarter;
    const double points[4][2] = {{along, half}, {-half, along}, {-along, -half}, {half, -along}};
    point[0] = points[edge][0];
    point[1] = points[edge][1];
}

/* The faces of a cell's top (z = height) or bottom (z = 0), as triangles with vertices of their own. */
static void add_cell_face(struct mesh *mesh, const struct block *block, const double centre[2], int top)
{
    uint32_t first = (uint32_t)mesh->vertex_count, sides = block->sides;
    double bore = 0.3 * block->cell;
    for (uint32_t ring = 0; ring <= block->rings; ring++)
        for (uint32_t side = 0; side < sides; side++) {
            double outline[2], angle = pi / 4 + 2 * pi * side / sides, t = (double)ring / block->rings;
            square_point(block, side, outline);
            mesh_add_vertex(mesh, centre[0] + (1 - t) * bore * cos(angle) + t * outline[0],
                            centre[1] + (1 - t) * bore * sin(angle) + t * outline[1], top ? block->height : 0);
        }
    for (uint32_t ring = 0; ring < block->rings; ring++)
        for (uint32_t side = 0; side < sides; side++) {
            uint32_t a = first + ring * sides + side, b = first + ring * sides + (side + 1) % sides;
            if (top)
                mesh_add_quad(mesh, a, a + sides, b + sides, b);
            else
                mesh_add_quad(mesh, a, b, b + sides, a + sides);
        }
}

/* A wall of quads below a run of points at the top; the outside is on the right of it, seen from above. */
static void add_wall(struct mesh *mesh, const struct block *block, const double from[2], const double to[2])
{
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (uint32_t layer = 0; layer <= block->layers; layer++) {
        double z = block->height * layer / block->layers;
        mesh_add_vertex(mesh, from[0], from[1], z);
        mesh_add_vertex(mesh, to[0], to[1], z);
    }
    for (uint32_t layer = 0; layer < block->layers; layer++) {
        uint32_t a = first + 2 * layer;
        mesh_add_quad(mesh, a, a + 1, a + 3, a + 2);
    }
}

static void add_cell_walls(struct mesh *mesh, const struct block *block, const double centre[2], const int outer[4])
{
    uint32_t quarter = block->sides / 4;
    double bore = 0.3 * block->cell;
    for (uint32_t side = 0; side < block->sides; side++) {
        double angle = pi / 4 + 2 * pi * side / block->sides;
        double next_angle = pi / 4 + 2 * pi * ((side + 1) % block->sides) / block->sides;
        double here[2] = {centre[0] + bore * cos(angle), centre[1] + bore * sin(angle)};
        double next[2] = {centre[0] + bore * cos(next_angle), centre[1] + bore * sin(next_angle)};
        add_wall(mesh, block, next, here);
        if (!outer[side / quarter])
            continue;
        square_point(block, side, here);
        square_point(block, (side + 1) % block->sides, next);
        for (int k = 0; k < 2; k++) {
            here[k] += centre[k];
            next[k] += centre[k];
        }
        add_wall(mesh, block, here, next);
    }
}

/* Without outer walls. */
static size_t cell_triangles(const struct block *block)
{
    return (size_t)block->sides * (4 * block->rings + 2 * block->layers);
}

/* Vertices are shared by their bits alone, as in a file: every number of the block is a multiple of a power of two or
 * computed the same way on both sides of an edge. */
static void make_block(struct mesh *mesh, size_t count)
{
    struct block block = {1, 16, 2, 2, 32, 24};
    while (16 * 4 * cell_triangles(&block) <= count && block.sides < 256) {
        block.sides *= 2;
        block.rings *= 2;
        block.layers *= 2;
    }
    block.cells = (uint32_t)fmax(1, sqrt((double)count / (double)cell_triangles(&block)));
    for (uint32_t i = 0; i < block.cells; i++)
        for (uint32_t j = 0; j < block.cells; j++) {
            const double centre[2] = {block.cell * i, block.cell * j};
            const int outer[4] = {j == block.cells - 1, i == 0, j == 0, i == block.cells - 1};
            add_cell_face(mesh, &block, centre, 1);
            add_cell_face(mesh, &block, centre, 0);
            add_cell_walls(mesh, &block, centre, outer);
        }
}

const struct shape part_shapes[] = {
    {"torus", "smooth, closed, with detail", make_torus},
    {"gear", "mechanical: teeth, a bore, long thin triangles", make_gear},
    {"block", "mechanical: sharp edges and holes", make_block},
    {"panel", "thin plate, pressed, 0.8 mm", make_panel},
    {"sheet", "open sheet", make_sheet},
    {"crumbs", "tiny parts, 80 triangles each", make_crumbs},
    {"micro", "the torus 10 micrometres wide, in metres", make_micro},
    {"far", "the torus 165 m from the origin", make_far},
    {"tray", "sheet metal of 1 mm, four sides bent up, round holes", make_tray},
    {"channel", "sheet metal of 1.5 mm, two sides bent up, small holes", make_channel},
    {"pan", "sheet metal of 1 mm, four sides bent up, no holes", make_pan},
    {"grating", "sheet metal of 1 mm, two sides bent up, many holes", make_grating},
    {0},
};

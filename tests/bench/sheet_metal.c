/* Parts bent of sheet metal: rectangular cells of a flat pattern, each with a round hole or plain, whose outer rows are
 * bent up. Finely tessellated, as programs that tessellate by an edge's length do. */
#include "shapes.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

/* Along x and y the pattern has cells; the first and the last but one of a bent direction are bends, and those beyond
 * stand upright. Cells that are outside of the base in both directions are not there. */
struct pattern {
    uint32_t cells[2];    /* of the base */
    int bent[2];          /* whether there are bends and upright cells at the ends */
    uint32_t squares;     /* along each side of a cell */
    uint32_t bend;        /* along the arc of a bend */
    uint32_t rings;       /* of quads around a hole */
    double cell, hole;    /* a cell's side, a hole's radius; 0: none */
    double radius, thick; /* of the bend's middle, of the sheet */
};

/* Where a cell is in one direction. */
enum place { UPRIGHT_BEFORE, BEND_BEFORE, BASE, BEND_AFTER, UPRIGHT_AFTER };

static uint32_t cell_count(const struct pattern *pattern, int axis)
{
    return pattern->cells[axis] + (pattern->bent[axis] ? 4 : 0);
}

static enum place cell_place(const struct pattern *pattern, int axis, uint32_t cell)
{
    uint32_t after = pattern->cells[axis] + 2;
    if (!pattern->bent[axis] || (cell >= 2 && cell < after))
        return BASE;
    return cell < 2 ? (cell == 0 ? UPRIGHT_BEFORE : BEND_BEFORE) : (cell == after ? BEND_AFTER : UPRIGHT_AFTER);
}

static int is_there(const struct pattern *pattern, const int64_t cell[2])
{
    for (int axis = 0; axis < 2; axis++)
        if (cell[axis] < 0 || cell[axis] >= cell_count(pattern, axis))
            return 0;
    return cell_place(pattern, 0, (uint32_t)cell[0]) == BASE || cell_place(pattern, 1, (uint32_t)cell[1]) == BASE;
}

/* The bent sheet's section in one direction, `part` of the way over a cell: along and up, and the normal there. */
static void find_section(const struct pattern *pattern, int axis, uint32_t cell, double part, double point[2],
                         double normal[2])
{
    enum place place = cell_place(pattern, axis, cell);
    uint32_t first = pattern->bent[axis] ? 2 : 0;
    double width = pattern->cell * pattern->cells[axis], radius = pattern->radius;
    int before = place < BASE;
    double way = before ? 1 - part : part, angle = place == BASE ? 0 : pi / 2 * way;
    point[0] = place == BASE ? pattern->cell * ((double)(cell - first) + part) : width + radius * sin(angle);
    point[1] = place == BASE ? 0 : radius * (1 - cos(angle));
    normal[0] = -sin(angle);
    normal[1] = cos(angle);
    if (place == UPRIGHT_BEFORE || place == UPRIGHT_AFTER) {
        point[0] = width + radius;
        point[1] = radius + pattern->cell * way;
        normal[0] = -1;
        normal[1] = 0;
    }
    if (before) {
        point[0] = width - point[0];
        normal[0] = -normal[0];
    }
}

/* A vertex on the upper (1) or lower (-1) side of the sheet, or between. */
static uint32_t add_place(struct mesh *mesh, const struct pattern *pattern, const uint32_t cell[2],
                          const double part[2], double side)
{
    double x[2], y[2], across[2], along[2];
    find_section(pattern, 0, cell[0], part[0], x, across);
    find_section(pattern, 1, cell[1], part[1], y, along);
    double height = side * pattern->thick / 2;
    return mesh_add_vertex(mesh, x[0] + height * across[0], y[0] + height * along[0],
                           x[1] + y[1] + height * across[1] * along[1]);
}

/* A quad of the upper side, counterclockwise in the pattern, and the one below it. */
static void add_pair(struct mesh *mesh, const struct pattern *pattern, const uint32_t cell[2], double parts[4][2])
{
    for (int side = 1; side >= -1; side -= 2) {
        uint32_t corners[4];
        for (int corner = 0; corner < 4; corner++)
            corners[corner] = add_place(mesh, pattern, cell, parts[side > 0 ? corner : 3 - corner], side);
        mesh_add_quad(mesh, corners[0], corners[1], corners[2], corners[3]);
    }
}

/* The wall below an edge that has the sheet on its left. */
static void add_wall(struct mesh *mesh, const struct pattern *pattern, const uint32_t cell[2], const double from[2],
                     const double to[2])
{
    const double levels[3] = {1, 0, -1};
    for (int level = 0; level < 2; level++) {
        uint32_t a = add_place(mesh, pattern, cell, from, levels[level]);
        uint32_t b = add_place(mesh, pattern, cell, from, levels[level + 1]);
        uint32_t c = add_place(mesh, pattern, cell, to, levels[level + 1]);
        mesh_add_quad(mesh, a, b, c, add_place(mesh, pattern, cell, to, levels[level]));
    }
}

/* The point `step` of 4 x squares on the way round the cell, `ring` of rings to the hole's rim. */
static void find_ring(const struct pattern *pattern, uint32_t step, uint32_t ring, double part[2])
{
    uint32_t squares = pattern->squares, side = step / squares % 4;
    double along = (double)(step % squares) / squares, inward = (double)ring / pattern->rings;
    const double corners[4][2] = {{along, 0}, {1, along}, {1 - along, 1}, {0, 1 - along}};
    double angle = 2 * pi * (step % (4 * squares)) / (4 * squares) - 3 * pi / 4, radius = pattern->hole / pattern->cell;
    const double rim[2] = {0.5 + radius * cos(angle), 0.5 + radius * sin(angle)};
    for (int axis = 0; axis < 2; axis++)
        part[axis] = (1 - inward) * corners[side][axis] + inward * rim[axis];
}

static void add_holed_cell(struct mesh *mesh, const struct pattern *pattern, const uint32_t cell[2])
{
    for (uint32_t step = 0; step < 4 * pattern->squares; step++) {
        double parts[4][2];
        for (uint32_t ring = 0; ring < pattern->rings; ring++) {
            find_ring(pattern, step, ring, parts[0]);
            find_ring(pattern, step + 1, ring, parts[1]);
            find_ring(pattern, step + 1, ring + 1, parts[2]);
            find_ring(pattern, step, ring + 1, parts[3]);
            add_pair(mesh, pattern, cell, parts);
        }
        add_wall(mesh, pattern, cell, parts[2], parts[3]);
    }
}

static void add_plain_cell(struct mesh *mesh, const struct pattern *pattern, const uint32_t cell[2],
                           const uint32_t counts[2])
{
    for (uint32_t i = 0; i < counts[0]; i++)
        for (uint32_t k = 0; k < counts[1]; k++) {
            double left = (double)i / counts[0], right = (double)(i + 1) / counts[0];
            double low = (double)k / counts[1], high = (double)(k + 1) / counts[1];
            double parts[4][2] = {{left, low}, {right, low}, {right, high}, {left, high}};
            add_pair(mesh, pattern, cell, parts);
        }
}

static void add_cell(struct mesh *mesh, const struct pattern *pattern, const uint32_t cell[2])
{
    uint32_t counts[2];
    int bend = 0;
    for (int axis = 0; axis < 2; axis++) {
        enum place place = cell_place(pattern, axis, cell[axis]);
        int here = place == BEND_BEFORE || place == BEND_AFTER;
        counts[axis] = here ? pattern->bend : pattern->squares;
        bend |= here;
    }
    if (bend || !(pattern->hole > 0))
        add_plain_cell(mesh, pattern, cell, counts);
    else
        add_holed_cell(mesh, pattern, cell);
    /* Walls where there is no cell beside it. */
    for (int side = 0; side < 4; side++) {
        static const int steps[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
        const int64_t beside[2] = {(int64_t)cell[0] + steps[side][0], (int64_t)cell[1] + steps[side][1]};
        uint32_t count = counts[side % 2];
        for (uint32_t i = 0; !is_there(pattern, beside) && i < count; i++) {
            double from = (double)i / count, to = (double)(i + 1) / count;
            const double ends[4][2][2] = {
                {{from, 0}, {to, 0}}, {{1, from}, {1, to}}, {{to, 1}, {from, 1}}, {{0, to}, {0, from}}};
            add_wall(mesh, pattern, cell, ends[side][0], ends[side][1]);
        }
    }
}

static void add_pattern(struct mesh *mesh, const struct pattern *pattern)
{
    for (uint32_t i = 0; i < cell_count(pattern, 0); i++)
        for (uint32_t k = 0; k < cell_count(pattern, 1); k++) {
            const uint32_t cell[2] = {i, k};
            const int64_t wide[2] = {i, k};
            if (is_there(pattern, wide))
                add_cell(mesh, pattern, cell);
        }
}

/* Cells get more squares until there are about as many triangles. */
static void make_pattern(struct mesh *mesh, struct pattern pattern, size_t count)
{
    const uint32_t squares = pattern.squares, bend = pattern.bend, rings = pattern.rings;
    for (uint32_t times = 1; times < 64; times++) {
        struct mesh larger = {0};
        pattern.squares = times * squares;
        pattern.bend = times * bend;
        pattern.rings = times * rings;
        add_pattern(&larger, &pattern);
        if (mesh->triangle_count > 0 && larger.triangle_count > count) {
            mesh_free(&larger);
            return;
        }
        mesh_free(mesh);
        *mesh = larger;
    }
}

void make_tray(struct mesh *mesh, size_t count)
{
    make_pattern(mesh, (struct pattern){{6, 4}, {1, 1}, 4, 4, 1, 20, 6, 3, 1}, count);
}

void make_channel(struct mesh *mesh, size_t count)
{
    make_pattern(mesh, (struct pattern){{2, 12}, {1, 0}, 4, 6, 1, 15, 2.5, 2, 1.5}, count);
}

void make_pan(struct mesh *mesh, size_t count)
{
    make_pattern(mesh, (struct pattern){{3, 2}, {1, 1}, 4, 4, 1, 60, 0, 5, 1}, count);
}

void make_grating(struct mesh *mesh, size_t count)
{
    make_pattern(mesh, (struct pattern){{8, 10}, {0, 1}, 3, 3, 1, 8, 2.4, 2, 1}, count);
}

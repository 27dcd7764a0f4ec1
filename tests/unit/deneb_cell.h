/* Moves a cell of devices that hang on each other, by plain 4x4 matrices of row vectors in millimetres, and writes the
 * texts that tell it: a workcell and a recording. It uses nothing of the importer. */
#ifndef DENEB_CELL_H
#define DENEB_CELL_H

#include <math.h>

#include "chance.h"
#include "fixture.h"
#include "plain_numbers.h"

enum { CELL_PARTS = 3, CELL_JOINTS = 2, CELL_MOST_DEVICES = 6, CELL_MOST_STEPS = 400 };

struct row_matrix {
    double m[4][4];
};

static inline struct row_matrix row_times(struct row_matrix a, struct row_matrix b)
{
    struct row_matrix out;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            out.m[i][k] = 0;
            for (int n = 0; n < 4; n++)
                out.m[i][k] += a.m[i][n] * b.m[n][k];
        }
    return out;
}

/* Inverts a rotation and a translation. */
static inline struct row_matrix row_inverse(struct row_matrix a)
{
    struct row_matrix out = {{{0}}};
    out.m[3][3] = 1;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out.m[i][k] = a.m[k][i];
            out.m[3][k] -= a.m[3][i] * a.m[k][i];
        }
    return out;
}

static inline struct row_matrix row_move(double x, double y, double z)
{
    return (struct row_matrix){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {x, y, z, 1}}};
}

static inline struct row_matrix row_turn_z(double degrees)
{
    double a = degrees * PI / 180, c = cos(a), s = sin(a);
    return (struct row_matrix){{{c, s, 0, 0}, {-s, c, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static inline struct row_matrix row_turn_y(double degrees)
{
    double a = degrees * PI / 180, c = cos(a), s = sin(a);
    return (struct row_matrix){{{c, 0, -s, 0}, {0, 1, 0, 0}, {s, 0, c, 0}, {0, 0, 0, 1}}};
}

static inline struct row_matrix row_random(void)
{
    struct row_matrix turned = row_times(row_turn_z(chance_between(-180, 180)), row_turn_y(chance_between(-180, 180)));
    return row_times(turned, row_move(chance_between(-900, 900), chance_between(-900, 900), chance_between(-900, 900)));
}

struct cell_device {
    struct row_matrix world, grip; /* its poses: in the world; on its host, or in the world again */
    int host;                      /* part of the cell; -1 */
    double q[CELL_JOINTS];         /* degrees: about Z of part 1, about Y of part 2 */
};

struct cell {
    uint32_t count;
    struct cell_device devices[CELL_MOST_DEVICES];
};

static const double arm_length = 400, hand_length = 250;

static inline struct row_matrix cell_part(const struct cell *cell, uint32_t device, uint32_t part)
{
    const struct cell_device *it = &cell->devices[device];
    struct row_matrix world = it->world;
    if (part >= 1)
        world = row_times(row_times(row_turn_z(it->q[0]), row_move(0, 0, arm_length)), world);
    if (part >= 2)
        world = row_times(row_times(row_turn_y(it->q[1]), row_move(hand_length, 0, 0)), world);
    return world;
}

static inline struct row_matrix cell_host(const struct cell *cell, int part)
{
    return part < 0 ? row_move(0, 0, 0) : cell_part(cell, (uint32_t)part / CELL_PARTS, (uint32_t)part % CELL_PARTS);
}

/* The worlds by the grips, hosts first; those in `told` stay as they are. */
static inline void cell_carry(struct cell *cell, const bool told[CELL_MOST_DEVICES])
{
    bool known[CELL_MOST_DEVICES];
    memcpy(known, told, sizeof known);
    for (uint32_t round = 0; round < cell->count; round++)
        for (uint32_t i = 0; i < cell->count; i++) {
            struct cell_device *it = &cell->devices[i];
            if (known[i] || (it->host >= 0 && !known[it->host / CELL_PARTS]))
                continue;
            it->world = row_times(it->grip, cell_host(cell, it->host));
            known[i] = true;
        }
}

/* The device hangs on the host where it is. */
static inline void cell_hang(struct cell *cell, uint32_t device, int host)
{
    cell->devices[device].host = host;
    cell->devices[device].grip = row_times(cell->devices[device].world, row_inverse(cell_host(cell, host)));
}

/* No device hangs on itself. */
static inline bool cell_is_tree(const struct cell *cell)
{
    for (uint32_t i = 0; i < cell->count; i++) {
        int at = (int)i;
        for (uint32_t steps = 0; at >= 0; steps++) {
            if (steps > cell->count)
                return false;
            at = cell->devices[at].host < 0 ? -1 : cell->devices[at].host / CELL_PARTS;
        }
    }
    return true;
}

/* ---- texts ---- */

static inline void write_matrix(FILE *file, struct row_matrix matrix)
{
    plain_print(file, " MATRIX");
    for (int i = 0; i < 16; i++)
        plain_print(file, "%s%.17g", i % 4 == 0 ? "\n   " : " ", matrix.m[i / 4][i % 4]);
    plain_print(file, "\n");
}

static inline void write_workcell(FILE *file, const struct cell *cell)
{
    plain_print(file, "DCT WORKCELL 1.0\nHEAD\n NAME \"cell\" UNIT mm ANGLE deg\nEND\nDEVICES\n");
    for (uint32_t i = 0; i < cell->count; i++) {
        const double *q = cell->devices[i].q;
        plain_print(file, " DEVICE \"d%u\"\n ", (unsigned)i);
        write_matrix(file, cell->devices[i].grip);
        plain_print(file, "  PART \"d%up0\" ATTACH 1\n  PART \"d%up1\" ATTACH 1\n  ", (unsigned)i, (unsigned)i);
        write_matrix(file, row_move(0, 0, arm_length));
        plain_print(file, "  PART \"d%up2\" ATTACH 000\n  ", (unsigned)i);
        write_matrix(file, row_move(hand_length, 0, 0));
        plain_print(file, "  JOINT \"d%uj0\" PART 1 TYPE ROTATE_Z INIT %.17g\n", (unsigned)i, q[0]);
        plain_print(file, "  JOINT \"d%uj1\" PART 2 TYPE ROTATE_Y INIT %.17g\n END\n", (unsigned)i, q[1]);
    }
    plain_print(file, " ATTACHMENTS %u\n ", (unsigned)cell->count);
    for (uint32_t i = 0; i < cell->count; i++)
        plain_print(file, " %d", cell->devices[i].host);
    plain_print(file, "\nEND\n");
}

/* ---- comparing ---- */

/* Metres that a pose is off, axes and all. */
static inline double row_distance(struct row_matrix a, const cp_pose *b)
{
    double most = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(a.m[k][i] - b->m[4 * i + k]));
        most = fmax(most, fabs(a.m[3][i] / 1000 - b->m[4 * i + 3]));
    }
    return most;
}

#endif

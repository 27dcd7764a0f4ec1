/* A hashed grid of cells twice as wide as the distance. All that is near a position lies in its own cell or in one of
 * the seven neighbours on the sides that it is nearer to. Leaders of a class keep apart, so a cell holds a bounded
 * number. */
#include "join.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/context.h"

/* Whole numbers in doubles: exact, or so far out that neighbouring floats are farther apart than the distance. */
struct cell {
    double at[3];
    uint32_t class;
};

struct grid {
    const float *positions;
    const uint32_t *classes;
    double width;
    uint64_t seed;
    uint32_t *slots;   /* the last leader of a cell, or CP_NONE */
    uint32_t *next;    /* indexed by leader: the one before it in its cell, or CP_NONE */
    size_t slot_count; /* a power of two, at least twice the positions */
};

static struct cell cell_of(const struct grid *grid, uint32_t index)
{
    struct cell cell = {.class = grid->classes[index]};
    for (size_t axis = 0; axis < 3; axis++)
        cell.at[axis] = floor((double)grid->positions[3 * (size_t)index + axis] / grid->width) + 0.0; /* no -0 */
    return cell;
}

/* Returns the slot of the cell, or the free one where it belongs. */
static uint32_t *cell_slot(const struct grid *grid, const struct cell *cell)
{
    size_t mask = grid->slot_count - 1;
    uint64_t hash = grid->seed ^ cell->class;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t bits;
        memcpy(&bits, &cell->at[axis], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15); /* as in join.c */
        hash ^= hash >> 32;
    }
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        if (grid->slots[at] == CP_NONE)
            return &grid->slots[at];
        struct cell held = cell_of(grid, grid->slots[at]);
        if (held.class == cell->class && held.at[0] == cell->at[0] && held.at[1] == cell->at[1] &&
            held.at[2] == cell->at[2])
            return &grid->slots[at];
    }
}

static bool is_near(const struct grid *grid, uint32_t a, uint32_t b)
{
    double squares = 0, distance = grid->width / 2;
    for (size_t axis = 0; axis < 3; axis++) {
        double apart = (double)grid->positions[3 * (size_t)a + axis] - (double)grid->positions[3 * (size_t)b + axis];
        squares += apart * apart;
    }
    return squares <= distance * distance;
}

static uint32_t find_leader(const struct grid *grid, uint32_t index)
{
    struct cell own = cell_of(grid, index);
    double side[3];
    for (size_t axis = 0; axis < 3; axis++) {
        double part = (double)grid->positions[3 * (size_t)index + axis] / grid->width - own.at[axis];
        side[axis] = part < 0.5 ? -1 : 1;
    }
    uint32_t lowest = CP_NONE;
    for (int corner = 0; corner < 8; corner++) {
        struct cell cell = own;
        for (int axis = 0; axis < 3; axis++)
            cell.at[axis] += corner >> axis & 1 ? side[axis] : 0;
        for (uint32_t leader = *cell_slot(grid, &cell); leader != CP_NONE; leader = grid->next[leader])
            if (leader < lowest && is_near(grid, leader, index))
                lowest = leader;
    }
    return lowest;
}

bool grid_join(cp_context *context, const float *positions, const uint32_t *classes, uint32_t count, double distance,
               uint32_t *first)
{
    struct grid grid = {.positions = positions, .classes = classes, .width = 2 * distance, .seed = context->seed};
    for (grid.slot_count = 64; grid.slot_count < 2 * (uint64_t)count;)
        grid.slot_count *= 2;
    grid.slots = memory_allocate(context, grid.slot_count, sizeof *grid.slots);
    grid.next = memory_allocate(context, count, sizeof *grid.next);
    bool good = grid.slots && grid.next;
    if (good)
        memset(grid.slots, 0xff, grid.slot_count * sizeof *grid.slots);
    for (uint32_t index = 0; good && index < count; index++) {
        first[index] = find_leader(&grid, index);
        if (first[index] != CP_NONE)
            continue;
        first[index] = index;
        struct cell cell = cell_of(&grid, index);
        uint32_t *slot = cell_slot(&grid, &cell);
        grid.next[index] = *slot;
        *slot = index;
    }
    memory_free(context, grid.slots, grid.slot_count, sizeof *grid.slots);
    memory_free(context, grid.next, count, sizeof *grid.next);
    return good;
}

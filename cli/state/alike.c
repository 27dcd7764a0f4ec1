/* Finds the outputs that may be like others: by their bytes, by the input's, or by a shape of the same counts and
 * nearly the same size. Reports look at these alone, as very many parts may have the same counts of vertices and faces.
 */
#include <math.h>
#include <stdlib.h>

#include "sqlite.h"

/* Two rows may be alike if they are of one group, and their ranges meet. */
struct mark {
    uint64_t group;
    float low, high;
    uint32_t row;
};

struct marks {
    struct mark *items;
    uint32_t count, room;
};

static int compare_marks(const void *a, const void *b)
{
    const struct mark *first = a, *second = b;
    return first->group != second->group ? (first->group < second->group ? -1 : 1)
                                         : (first->low > second->low) - (first->low < second->low);
}

/* Reads what a row tells of itself: a hash, or kind and shape. False: nothing. */
static bool take_mark(sqlite3_stmt *made, bool is_shape, struct mark *mark)
{
    cp_shape shape = {0};
    double low = 0, high = 0;
    if (is_shape) {
        column_shape(made, 0, &shape);
        mark->group = shape.kind;
        cp_shape_range(&shape, &low, &high);
    } else {
        mark->group = column_hash(made, 0).low;
    }
    mark->low = nextafterf((float)low, -INFINITY);
    mark->high = nextafterf((float)high, INFINITY);
    return mark->group != 0;
}

static cp_status list_marks(struct state *state, sqlite3_stmt *made, bool is_shape, struct marks *marks, uint32_t *rows)
{
    cp_status status;
    for (*rows = 0; (status = sqlite_next(state, made)) == CP_OK; ++*rows) {
        struct mark mark = {.row = *rows};
        if (!take_mark(made, is_shape, &mark))
            continue;
        if (*rows == UINT32_MAX || !array_reserve(state->cli->context, &marks->items, &marks->room,
                                                  (uint64_t)marks->count + 1, sizeof *marks->items))
            return CP_LIMIT;
        marks->items[marks->count++] = mark;
    }
    return status == CP_NO ? CP_OK : status;
}

static void set_bit(struct alike *alike, uint32_t row)
{
    alike->bits[row / 8] |= (unsigned char)(1U << row % 8);
}

/* Sets the bit of each row whose range meets that of another. */
static void set_bits(const struct marks *marks, struct alike *alike)
{
    const struct mark *farthest = marks->items; /* of those before, in the same group, it reaches farthest */
    for (const struct mark *mark = farthest + 1; mark < marks->items + marks->count; mark++) {
        bool is_same = mark->group == farthest->group;
        if (is_same && mark->low <= farthest->high) {
            set_bit(alike, mark->row);
            set_bit(alike, farthest->row);
        }
        if (!is_same || mark->high > farthest->high)
            farthest = mark;
    }
}

cp_status alike_add(struct state *state, const char *text, bool is_shape, struct alike *alike)
{
    struct marks marks = {0};
    cp_context *context = state->cli->context;
    sqlite3_stmt *made = NULL;
    uint32_t rows = 0;
    cp_status status = sqlite_prepare(state, text, &made);
    if (status == CP_OK)
        status = list_marks(state, made, is_shape, &marks, &rows);
    (void)sqlite.sqlite3_finalize(made);
    if (status == CP_OK && !alike->bits) {
        alike->size = (size_t)rows / 8 + 1;
        alike->bits = memory_allocate_zeroed(context, alike->size, 1);
        status = alike->bits ? CP_OK : CP_LIMIT;
    }
    if (status == CP_OK && marks.count > 1) {
        qsort(marks.items, marks.count, sizeof *marks.items, compare_marks);
        set_bits(&marks, alike);
    }
    memory_free(context, marks.items, marks.room, sizeof *marks.items);
    return status;
}

bool alike_has(const struct alike *alike, uint32_t row)
{
    return (alike->bits[row / 8] >> row % 8 & 1) != 0;
}

void alike_free(struct state *state, struct alike *alike)
{
    memory_free(state->cli->context, alike->bits, alike->size, 1);
}

/* Finds polygons behind the lines, in two forms. The line list is a checksum that only one of them may fit, to the
 * file's last number. */
#include "legacy.h"

#include "mesh/box_tree.h"

/* A walk that tries a form, or writes its corners. */
struct walk {
    struct legacy *legacy;
    const struct legacy_block *block;
    enum legacy_form form;
    struct legacy_polygons result;
    uint64_t *sides; /* lines without repeats: the lower point in the high half, sorted */
    uint32_t *uses;  /* one for each: the number of polygons that have it as a side */
    uint32_t *seen;  /* indexed by point: the last polygon that had it as a corner, from 1 */
    uint32_t side_count;
};

/* ---- the line list ---- */

static uint64_t swap_halves(uint64_t entry)
{
    return entry << 32 | entry >> 32;
}

static uint32_t drop_repeats(uint64_t *entries, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || entries[kept - 1] != entries[i])
            entries[kept++] = entries[i];
    return kept;
}

static bool list_sides(struct walk *walk)
{
    const struct legacy_block *block = walk->block;
    const struct legacy_token *ends = walk->legacy->tokens + block->first_end;
    cp_context *context = walk->legacy->file->context;
    uint32_t count = block->line_count;
    uint64_t *spare = memory_allocate(context, count, sizeof *spare);
    for (uint32_t i = 0; spare && i < count; i++)
        walk->sides[i] = swap_halves(unordered_pair(ends[2 * i].value, ends[2 * i + 1].value));
    if (!spare)
        return false;
    radix_sort(walk->sides, spare, count); /* sorts by the higher point, then by the lower one */
    for (uint32_t i = 0; i < count; i++)
        walk->sides[i] = swap_halves(walk->sides[i]);
    radix_sort(walk->sides, spare, count);
    memory_free(context, spare, count, sizeof *spare);
    walk->side_count = drop_repeats(walk->sides, count);
    walk->legacy->work.visited += 10 * (uint64_t)count; /* 8 passes of the sorting */
    return true;
}

/* Counts a polygon on the line between two points; false where there is none. */
static bool use_side(struct walk *walk, uint32_t first, uint32_t second)
{
    uint64_t side = unordered_pair(first, second);
    uint32_t low = 0, high = walk->side_count;
    for (; high - low > 1; walk->legacy->work.visited++) {
        uint32_t middle = low + (high - low) / 2;
        if (walk->sides[middle] <= side)
            low = middle;
        else
            high = middle;
    }
    walk->uses[low] += walk->sides[low] == side;
    return walk->sides[low] == side;
}

/* ---- one polygon ---- */

/* Returns the one point that two lines share; LEGACY_STAR when they share none, or both. */
static uint32_t find_shared(const struct legacy_block *block, const struct legacy_token *tokens, uint32_t first,
                            uint32_t second)
{
    if (first >= block->line_count || second >= block->line_count)
        return LEGACY_STAR;
    const struct legacy_token *a = tokens + block->first_end + 2 * (size_t)first;
    const struct legacy_token *b = tokens + block->first_end + 2 * (size_t)second;
    bool starts = a[0].value == b[0].value || a[0].value == b[1].value;
    bool ends = a[1].value == b[0].value || a[1].value == b[1].value;
    return starts == ends ? LEGACY_STAR : a[starts ? 0 : 1].value;
}

/* Returns corner i of the polygon of so many records: the number there, or the point at which its line meets the one
 * before. */
static uint32_t find_corner(const struct legacy_token *tokens, const struct legacy_block *block, enum legacy_form form,
                            const struct legacy_token *records, uint32_t size, uint32_t i)
{
    if (form == LEGACY_BY_CORNERS)
        return records[i].value;
    return find_shared(block, tokens, records[i > 0 ? i - 1 : size - 1].value, records[i].value);
}

/* Checks that the corners are different points, and a line joins each to the next one, the last to the first. */
static enum legacy_doubt check_polygon(struct walk *walk, const struct legacy_token *records, uint32_t size,
                                       uint32_t number)
{
    const struct legacy_token *tokens = walk->legacy->tokens;
    uint32_t first = find_corner(tokens, walk->block, walk->form, records, size, 0), corner = first;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t next = i + 1 < size ? find_corner(tokens, walk->block, walk->form, records, size, i + 1) : first;
        walk->legacy->work.visited++;
        if (corner >= walk->block->point_count || next >= walk->block->point_count)
            return LEGACY_NO_CORNER;
        if (walk->seen[corner] == number)
            return LEGACY_CORNER_TWICE;
        walk->seen[corner] = number;
        if (!use_side(walk, corner, next))
            return LEGACY_NO_SIDE;
        corner = next;
    }
    return LEGACY_PROVEN;
}

/* ---- all polygons ---- */

static void refuse(struct legacy_polygons *result, enum legacy_doubt doubt, uint32_t detail)
{
    result->doubt = doubt;
    result->detail = detail;
}

/* Finds their number. It is right behind the lines, or behind one zero, as the lines' number is behind the points [a
 * guess]. */
static bool find_count(struct walk *walk)
{
    const struct legacy *legacy = walk->legacy;
    uint32_t at = walk->block->end;
    at += at < legacy->count && legacy->tokens[at].value == 0;
    uint32_t count = at < legacy->count ? legacy->tokens[at].value : 0;
    walk->result.first = at + 1;
    walk->result.count = count;
    if (count < 1 || count >= LEGACY_STAR)
        refuse(&walk->result, LEGACY_NO_POLYGONS, 0);
    return walk->result.doubt == LEGACY_PROVEN;
}

static bool is_closed(const struct walk *walk)
{
    for (uint32_t i = 0; i < walk->side_count; i++)
        if (walk->uses[i] != 2)
            return false;
    return true;
}

static void walk_polygons(struct walk *walk)
{
    struct legacy *legacy = walk->legacy;
    struct legacy_polygons *result = &walk->result;
    const struct legacy_token *tokens = legacy->tokens;
    if (!find_count(walk))
        return;
    uint32_t at = result->first;
    for (uint32_t number = 1; number <= result->count; number++) {
        uint32_t size = at < legacy->count ? tokens[at].value : LEGACY_WORD;
        legacy->work.visited++;
        if (at < legacy->count && (size < 3 || size >= LEGACY_STAR))
            refuse(result, LEGACY_NO_SIZE, number);
        else if (at == legacy->count || size > legacy->count - at - 1)
            refuse(result, LEGACY_ENDS, number);
        else
            refuse(result, check_polygon(walk, tokens + at + 1, size, number), number);
        if (result->doubt != LEGACY_PROVEN)
            return;
        result->corner_count += size;
        at += size + 1;
    }
    if (at < legacy->count)
        refuse(result, LEGACY_MORE, legacy->count - at);
    result->closed = is_closed(walk);
}

/* ---- both forms ---- */

static bool try_forms(struct walk *walk, struct legacy_polygons polygons[LEGACY_FORMS])
{
    if (!walk->sides || !walk->uses || !walk->seen || !list_sides(walk))
        return false;
    for (int form = 0; form < LEGACY_FORMS; form++) {
        memset(walk->uses, 0, walk->side_count * sizeof *walk->uses);
        memset(walk->seen, 0, walk->block->point_count * sizeof *walk->seen);
        walk->form = (enum legacy_form)form;
        walk->result = (struct legacy_polygons){.doubt = LEGACY_PROVEN};
        walk_polygons(walk);
        polygons[form] = walk->result;
    }
    return true;
}

bool deneb_find_polygons(struct legacy *legacy, const struct legacy_block *block,
                         struct legacy_polygons polygons[LEGACY_FORMS], enum legacy_form *form)
{
    cp_context *context = legacy->file->context;
    struct walk walk = {.legacy = legacy, .block = block};
    walk.sides = memory_allocate(context, block->line_count, sizeof *walk.sides);
    walk.uses = memory_allocate(context, block->line_count, sizeof *walk.uses);
    walk.seen = memory_allocate(context, block->point_count, sizeof *walk.seen);
    bool done = try_forms(&walk, polygons);
    memory_free(context, walk.sides, block->line_count, sizeof *walk.sides);
    memory_free(context, walk.uses, block->line_count, sizeof *walk.uses);
    memory_free(context, walk.seen, block->point_count, sizeof *walk.seen);
    bool by_corners = done && polygons[LEGACY_BY_CORNERS].doubt == LEGACY_PROVEN;
    bool by_edges = done && polygons[LEGACY_BY_EDGES].doubt == LEGACY_PROVEN;
    *form = by_corners == by_edges ? LEGACY_FORMS : by_corners ? LEGACY_BY_CORNERS : LEGACY_BY_EDGES;
    return done;
}

void deneb_fill_polygons(const struct legacy *legacy, const struct legacy_block *block,
                         const struct legacy_polygons *polygons, enum legacy_form form, uint32_t *offsets,
                         uint32_t *corners)
{
    const struct legacy_token *size = legacy->tokens + polygons->first;
    offsets[0] = 0;
    for (uint32_t polygon = 0; polygon < polygons->count; polygon++, size += size->value + 1) {
        for (uint32_t i = 0; i < size->value; i++)
            *corners++ = find_corner(legacy->tokens, block, form, size + 1, size->value, i);
        offsets[polygon + 1] = offsets[polygon] + size->value;
    }
}

const char *deneb_print_doubt(const struct legacy_polygons *polygons, char text[96])
{
    static const struct legacy_words words[] = {
        [LEGACY_PROVEN] = {"all fits", NULL},
        [LEGACY_NO_POLYGONS] = {"no number of polygons follows the lines", NULL},
        [LEGACY_NO_SIZE] = {"polygon ", " does not begin with a number of 3 or more"},
        [LEGACY_ENDS] = {"the file ends in polygon ", ""},
        [LEGACY_NO_CORNER] = {"polygon ", " has no such corner"},
        [LEGACY_CORNER_TWICE] = {"polygon ", " has a corner twice"},
        [LEGACY_NO_SIDE] = {"polygon ", " has a side that is no line"},
        [LEGACY_MORE] = {"values left after the last polygon: ", ""},
    };
    deneb_print_words(&words[polygons->doubt], polygons->detail, text, 96);
    return text;
}

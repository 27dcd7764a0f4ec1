/* The text of STEP (ISO 10303-21) beside the kernel: what it reads wrongly or not at all, and says nothing about. */
#include <stdlib.h>
#include <string.h>

#include "step.h"

#ifdef HAVE_OCCT

/* A record of the data section: #id = text; */
struct entry {
    uint64_t id;
    const char *text, *end;
};

/* The parameters of an operator that matter: those of a simple record and of a complex one end alike. */
enum { AXIS_1, AXIS_2, ORIGIN, SCALE, AXIS_3, LAST_PARAMETERS };

/* A mapped item's operator that is right where its axes are right-handed, which only their directions tell. */
struct axes {
    uint64_t ids[3];
    double directions[3][3];
};

struct scan {
    cp_context *context;
    struct step_facts *facts;
    const char *at, *end;
    struct axes *axes;
    struct wanted_direction {
        uint64_t id;
        double *direction; /* in axes */
    } * wanted;            /* sorted by id */
    uint32_t axes_count, axes_room;
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* Returns the end of a string, comment or single character. */
static const char *skip_piece(const char *at, const char *end)
{
    if (*at == '\'') {
        const char *quote = memchr(at + 1, '\'', (size_t)(end - at - 1));
        return quote ? quote + 1 : end;
    }
    if (end - at > 1 && at[0] == '/' && at[1] == '*') {
        for (at += 2; end - at > 1; at++)
            if (at[0] == '*' && at[1] == '/')
                return at + 2;
        return end;
    }
    return at + 1;
}

static bool is_of_keyword(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

static const char *read_id(const char *at, const char *end, uint64_t *id)
{
    *id = 0;
    for (; at < end && is_digit(*at); at++)
        *id = *id * 10 + (uint64_t)(*at - '0');
    return at;
}

/* Finds the next record "#id = text;". */
static bool next_entry(struct scan *scan, struct entry *entry)
{
    while (scan->at < scan->end) {
        const char *at = skip_blanks(scan->at, scan->end);
        bool has_id = at < scan->end && *at == '#';
        if (has_id) {
            at = skip_blanks(read_id(at + 1, scan->end, &entry->id), scan->end);
            has_id = at < scan->end && *at == '=';
            at += has_id;
        }
        entry->text = skip_blanks(at, scan->end);
        while (at < scan->end && *at != ';')
            at = skip_piece(at, scan->end);
        entry->end = at;
        scan->at = at < scan->end ? at + 1 : at;
        if (has_id)
            return true;
    }
    return false;
}

/* Finds the parameters of a type in a record, simple or complex: behind its opening parenthesis; NULL. */
static const char *find_type(const struct entry *entry, const char *type)
{
    size_t length = strlen(type);
    bool is_complex = entry->text < entry->end && *entry->text == '(';
    int depth = 0;
    for (const char *at = entry->text; at < entry->end;) {
        const char *after = at + length;
        bool starts = at == entry->text || !is_of_keyword(at[-1]);
        if (starts && depth == is_complex && (size_t)(entry->end - at) > length && memcmp(at, type, length) == 0) {
            after = skip_blanks(after, entry->end);
            if (after < entry->end && *after == '(')
                return after + 1;
        }
        depth += *at == '(';
        depth -= *at == ')';
        if (!is_complex && depth > 0)
            return NULL;
        at = skip_piece(at, entry->end);
    }
    return NULL;
}

/* Keeps where the last parameters of a list begin. */
static void take_parameters(const char *at, const char *end, const char *last[LAST_PARAMETERS])
{
    int depth = 0;
    bool begins = true;
    while (at && at < end && depth >= 0) {
        at = skip_blanks(at, end);
        if (at == end)
            return;
        if (begins && *at != ')') {
            memmove(last, last + 1, (LAST_PARAMETERS - 1) * sizeof *last);
            last[LAST_PARAMETERS - 1] = at;
        }
        begins = depth == 0 && *at == ',';
        depth += *at == '(';
        depth -= *at == ')';
        at = skip_piece(at, end);
    }
}

/* Judges the operator of a mapped item by what Open CASCADE 7.6 does: it ignores a scale, turns what a simple record
 * mirrors, and leaves what a complex record places at the origin. */
static cp_status take_operator(struct scan *scan, const struct entry *entry)
{
    const char *last[LAST_PARAMETERS] = {0}, *end = entry->end;
    const char *three = find_type(entry, "CARTESIAN_TRANSFORMATION_OPERATOR_3D");
    double scale;
    if (!three)
        return CP_OK;
    if (*entry->text == '(') {
        scan->facts->misplaced++;
        return CP_OK;
    }
    take_parameters(three, end, last);
    if (last[SCALE] && parse_double(last[SCALE], end, &scale) && scale != 1) {
        scan->facts->misplaced++;
        return CP_OK;
    }
    static const int axes[3] = {AXIS_1, AXIS_2, AXIS_3};
    struct axes found = {0};
    for (int i = 0; i < 3; i++) {
        const char *at = last[axes[i]];
        if (!at || *at != '#')
            return CP_OK; /* an axis that is not given follows from the others, right-handed */
        (void)read_id(at + 1, end, &found.ids[i]);
    }
    if (!array_reserve(scan->context, &scan->axes, &scan->axes_room, scan->axes_count + UINT64_C(1),
                       sizeof *scan->axes))
        return CP_LIMIT;
    scan->axes[scan->axes_count++] = found;
    return CP_OK;
}

static cp_status take_entry(struct scan *scan, const struct entry *entry)
{
    struct step_facts *facts = scan->facts;
    facts->annotations += find_type(entry, "DRAUGHTING_CALLOUT") != NULL;
    facts->tessellated += find_type(entry, "TESSELLATED_SOLID") || find_type(entry, "TESSELLATED_SHELL");
    facts->joints += find_type(entry, "KINEMATIC_JOINT") != NULL;
    return take_operator(scan, entry);
}

/* ---- directions ---- */

static int compare_wanted(const void *first, const void *second)
{
    const struct wanted_direction *a = first, *b = second;
    return (a->id > b->id) - (a->id < b->id);
}

/* DIRECTION('',(0.,0.,1.)) */
static void take_direction(const struct scan *scan, const struct entry *entry)
{
    uint32_t first = 0, end = 3 * scan->axes_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (scan->wanted[middle].id < entry->id)
            first = middle + 1;
        else
            end = middle;
    }
    for (; first < 3 * scan->axes_count && scan->wanted[first].id == entry->id; first++) {
        const char *at = find_type(entry, "DIRECTION");
        while (at && at < entry->end && *at != '(')
            at = skip_piece(at, entry->end);
        for (int i = 0; at && at < entry->end && i < 3; i++) {
            at = parse_double(skip_blanks(at + 1, entry->end), entry->end, &scan->wanted[first].direction[i]);
            at = at ? skip_blanks(at, entry->end) : NULL; /* a comma */
        }
    }
}

static bool is_left_handed(const struct axes *axes)
{
    const double(*m)[3] = axes->directions;
    double across[3];
    cross_product(m[0], m[1], across);
    return dot_product(across, m[2]) < 0;
}

/* Reads the directions of the axes, and counts those that are left-handed. */
static cp_status judge_axes(struct scan *scan, const char *bytes)
{
    uint32_t count = 3 * scan->axes_count;
    struct entry entry;
    scan->wanted = memory_allocate(scan->context, count, sizeof *scan->wanted);
    if (!scan->wanted)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++)
        scan->wanted[i] = (struct wanted_direction){scan->axes[i / 3].ids[i % 3], scan->axes[i / 3].directions[i % 3]};
    qsort(scan->wanted, count, sizeof *scan->wanted, compare_wanted);
    for (scan->at = bytes; next_entry(scan, &entry);)
        take_direction(scan, &entry);
    for (uint32_t i = 0; i < scan->axes_count; i++)
        scan->facts->misplaced += is_left_handed(&scan->axes[i]);
    memory_free(scan->context, scan->wanted, count, sizeof *scan->wanted);
    return CP_OK;
}

cp_status step_scan(cp_context *context, const char *bytes, size_t size, struct step_facts *facts)
{
    struct scan scan = {.context = context, .facts = facts, .at = bytes, .end = bytes + size};
    struct entry entry;
    cp_status status = CP_OK;
    *facts = (struct step_facts){0};
    while (status == CP_OK && next_entry(&scan, &entry))
        status = take_entry(&scan, &entry);
    if (status == CP_OK && scan.axes_count > 0)
        status = judge_axes(&scan, bytes);
    memory_free(context, scan.axes, scan.axes_room, sizeof *scan.axes);
    return status;
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif

/* The text of STEP (ISO 10303-21) beside the kernel: what it reads wrongly or not at all, and says nothing about. */
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "step.h"

#ifdef HAVE_OCCT

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

/* Keeps where the last parameters of a list begin. */
static void take_parameters(const char *at, const char *end, const char *last[LAST_PARAMETERS])
{
    int depth = 0;
    bool begins = true;
    while (at && at < end && depth >= 0) {
        at = step_skip_blanks(at, end);
        if (at == end)
            return;
        if (begins && *at != ')') {
            memmove(last, last + 1, (LAST_PARAMETERS - 1) * sizeof *last);
            last[LAST_PARAMETERS - 1] = at;
        }
        begins = depth == 0 && *at == ',';
        depth += *at == '(';
        depth -= *at == ')';
        at = step_skip_piece(at, end);
    }
}

/* Judges the operator of a mapped item by what Open CASCADE 7.6 does: it ignores a scale, turns what a simple record
 * mirrors, and leaves what a complex record places at the origin. */
static cp_status take_operator(struct scan *scan, const struct step_record *entry)
{
    const char *last[LAST_PARAMETERS] = {0}, *end = entry->end;
    const char *three = step_find_type(entry, "CARTESIAN_TRANSFORMATION_OPERATOR_3D");
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
        (void)step_read_id(at + 1, end, &found.ids[i]);
    }
    if (!array_reserve(scan->context, &scan->axes, &scan->axes_room, scan->axes_count + UINT64_C(1),
                       sizeof *scan->axes))
        return CP_LIMIT;
    scan->axes[scan->axes_count++] = found;
    return CP_OK;
}

static cp_status take_entry(struct scan *scan, const struct step_record *entry)
{
    struct step_facts *facts = scan->facts;
    facts->annotations += step_find_type(entry, "DRAUGHTING_CALLOUT") != NULL;
    facts->tessellated += step_find_type(entry, "TESSELLATED_SOLID") || step_find_type(entry, "TESSELLATED_SHELL");
    facts->joints += step_find_type(entry, "KINEMATIC_JOINT") != NULL;
    const char *name = step_find_type(entry, "REPRESENTATION");
    facts->densities += name && entry->end - name > 9 && memcmp(name, "'density'", 9) == 0;
    return take_operator(scan, entry);
}

/* ---- directions ---- */

static int compare_wanted(const void *first, const void *second)
{
    const struct wanted_direction *a = first, *b = second;
    return (a->id > b->id) - (a->id < b->id);
}

/* DIRECTION('',(0.,0.,1.)) */
static void take_direction(const struct scan *scan, const struct step_record *entry)
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
        const char *at = step_find_type(entry, "DIRECTION");
        while (at && at < entry->end && *at != '(')
            at = step_skip_piece(at, entry->end);
        for (int i = 0; at && at < entry->end && i < 3; i++) {
            at = parse_double(step_skip_blanks(at + 1, entry->end), entry->end, &scan->wanted[first].direction[i]);
            at = at ? step_skip_blanks(at, entry->end) : NULL; /* a comma */
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
    struct step_record entry;
    scan->wanted = memory_allocate(scan->context, count, sizeof *scan->wanted);
    if (!scan->wanted)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++)
        scan->wanted[i] = (struct wanted_direction){scan->axes[i / 3].ids[i % 3], scan->axes[i / 3].directions[i % 3]};
    qsort(scan->wanted, count, sizeof *scan->wanted, compare_wanted);
    for (scan->at = bytes; step_next_record(&scan->at, scan->end, &entry);)
        take_direction(scan, &entry);
    for (uint32_t i = 0; i < scan->axes_count; i++)
        scan->facts->misplaced += is_left_handed(&scan->axes[i]);
    memory_free(scan->context, scan->wanted, count, sizeof *scan->wanted);
    return CP_OK;
}

cp_status step_scan(cp_context *context, const char *bytes, size_t size, struct step_facts *facts)
{
    struct scan scan = {.context = context, .facts = facts, .at = bytes, .end = bytes + size};
    struct step_record entry;
    cp_status status = CP_OK;
    *facts = (struct step_facts){0};
    while (status == CP_OK && step_next_record(&scan.at, scan.end, &entry))
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

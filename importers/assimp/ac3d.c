/* Reads the places of the objects of an AC3D file.
 *
 * AC3D file format (Inivis, "ac3dfileformat"): an object's `loc` and `rot` place it in its parent, vertices and kids
 * alike: rot * v + loc. assimp adds the loc to the vertices of polygons before it turns them, leaves those of lines
 * where they are, and kids too. So assimp gets zeros in the loc lines, and the nodes get their places here.
 *
 * `subdiv N` asks for a surface that is rounder than its faces; the faces are read, and that is a loss. */
#include "assimp.h"

#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

struct text {
    const char *at, *end; /* the line, without the white space before it */
};

/* If the line begins with the word, skips it and the white space after it. */
static bool accept_word(struct text *line, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(line->end - line->at) <= size || memcmp(line->at, word, size) != 0 || !is_blank(line->at[size]))
        return false;
    line->at += size;
    return true;
}

static bool accept_numbers(struct text *line, double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        while (line->at < line->end && is_blank(*line->at))
            line->at++;
        const char *after = parse_double(line->at, line->end, &numbers[i]);
        if (!after || !isfinite(numbers[i]))
            return false;
        line->at = after;
    }
    return true;
}

/* Takes the line's numbers as the place of the last object, and writes zeros over them in a copy of the text. assimp
 * ends at a blank line. */
static cp_status take_place(struct assimp_import *import, const double numbers[3], const char *start, const char *end,
                            char **shown)
{
    static const char zeros[] = "loc 0 0 0"; /* no three numbers are shorter */
    const struct source *source = import->source;
    memcpy(import->places[import->place_count - 1].at, numbers, 3 * sizeof *numbers);
    if (!*shown) {
        *shown = memory_allocate(source->context, source->size + 1, 1);
        if (!*shown)
            return CP_LIMIT;
        memcpy(*shown, source->data, source->size + 1);
    }
    char *at = *shown + (start - source->data);
    memset(at, ' ', (size_t)(end - start));
    memcpy(at, zeros, sizeof zeros - 1);
    return CP_OK;
}

cp_status take_places(struct assimp_import *import, char **shown)
{
    const struct source *source = import->source;
    const char *next = source->data, *end = source->data + source->size;
    cp_status status = CP_OK;
    uint64_t rounded = 0;
    if (source->size < 4 || memcmp(source->data, "AC3D", 4) != 0)
        return CP_OK;
    while (next < end && status == CP_OK) {
        const char *line_end = memchr(next, '\n', (size_t)(end - next));
        struct text line = {next, line_end ? line_end : end};
        double numbers[3];
        while (line.at < line.end && is_blank(*line.at))
            line.at++;
        const char *start = line.at;
        next = line_end ? line_end + 1 : end;
        if (accept_word(&line, "OBJECT")) {
            if (!array_reserve(import->context, &import->places, &import->place_room, import->place_count + UINT64_C(1),
                               sizeof *import->places))
                return CP_LIMIT;
            import->places[import->place_count++] = (struct place_of_object){{ 0, 0, 0 }};
        } else if (accept_word(&line, "data")) { /* the next N bytes are data, not lines */
            size_t left = (size_t)(end - next);
            if (accept_numbers(&line, numbers, 1) && numbers[0] > 0)
                next += numbers[0] < (double)left ? (size_t)numbers[0] : left;
        } else if (import->place_count && accept_word(&line, "loc") && accept_numbers(&line, numbers, 3)) {
            status = take_place(import, numbers, start, line.end, shown);
        } else if (accept_word(&line, "subdiv")) {
            rounded += accept_numbers(&line, numbers, 1) && numbers[0] > 0;
        }
    }
    if (rounded)
        report_loss(import->context, "assimp-subdivision", IN_FILE(import->file), rounded,
                    "the subdivision (subdiv) of objects: their faces are as in the file");
    return status;
}

/* Checks that the places fit the nodes. node_count: all nodes, the root included; assimp may have added one above the
 * file's objects. */
void match_places(struct assimp_import *import, uint64_t node_count)
{
    uint64_t lost = 0;
    import->first_place = node_count > import->place_count;
    if (!import->place_count || node_count - import->first_place == import->place_count)
        return;
    for (uint32_t i = 0; i < import->place_count; i++)
        lost += import->places[i].at[0] != 0 || import->places[i].at[1] != 0 || import->places[i].at[2] != 0;
    if (lost)
        report_loss(import->context, "assimp-places", IN_FILE(import->file), lost, "places (loc) of objects");
    import->place_count = 0;
}

void apply_place(const struct assimp_import *import, uint32_t node, cp_pose *local)
{
    if (node < import->first_place || node - import->first_place >= import->place_count)
        return;
    for (int i = 0; i < 3; i++)
        local->m[4 * i + 3] += import->places[node - import->first_place].at[i];
}

#endif

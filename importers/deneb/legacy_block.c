/* Finds the begin of the geometry: points and lines are taken when exactly one reading fits.
 *
 * Without an asterisk a part of the lines and of the rest may itself look like points and lines: a box's does, twice.
 * Then the value behind the points must be zero, the only value that was ever seen there, and the lines must use all
 * points. If several readings fit all the same, the first must explain the file to its end, and with it the others. */
#include "legacy.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_NOTES = 30, MOST_LOOKS = 8 };

/* ---- one place ---- */

/* Tries the tokens from the number of points on. All tests but the last two read one token each. */
static struct legacy_block try_place(struct legacy *legacy, uint32_t place)
{
    const struct legacy_token *tokens = legacy->tokens;
    struct legacy_block block = {.failure = LEGACY_NO_POINTS, .place = place, .point_count = tokens[place].value};
    legacy->work.visited++;
    if (block.point_count < 3 || block.point_count >= LEGACY_STAR)
        return block;
    block.failure = LEGACY_FEW_NUMBERS;
    block.detail = tokens[place].numbers_end - place - 1;
    if (block.detail / 3 < block.point_count)
        return block;
    block.failure = LEGACY_NO_VALUE;
    block.value = place + 1 + 3 * block.point_count;
    if (tokens[block.value].value > LEGACY_WHOLE || tokens[block.value].value == LEGACY_STAR)
        return block;
    block.failure = LEGACY_NO_LINES;
    block.line_count = tokens[block.value + 1].value;
    block.first_end = block.value + 2;
    if (block.line_count < 1 || block.line_count >= LEGACY_STAR)
        return block;
    block.failure = LEGACY_FEW_ENDS;
    if (block.first_end > legacy->count || (legacy->count - block.first_end) / 2 < block.line_count)
        return block;
    block.end = block.first_end + 2 * block.line_count;
    legacy->work.candidates++;
    block.failure = LEGACY_NO_SUCH_POINT;
    uint32_t wrong = deneb_find_value(legacy, block.first_end, block.point_count);
    block.detail = (wrong - block.first_end) / 2 + 1;
    if (wrong < block.end)
        return block;
    uint32_t equal = tokens[block.first_end].equal_pair;
    block.detail = (equal - block.first_end) / 2 + 1;
    block.failure = equal < block.end ? LEGACY_SAME_POINT : LEGACY_FITS;
    return block;
}

static void describe(const struct legacy_block *block, char text[160])
{
    static const struct legacy_words words[] = {
        [LEGACY_NO_POINTS] = {"no number of points, 3 or more", NULL},
        [LEGACY_FEW_NUMBERS] = {"only ", " numbers follow"},
        [LEGACY_NO_VALUE] = {"no whole number follows their coordinates", NULL},
        [LEGACY_NO_LINES] = {"no number of lines follows them and one value", NULL},
        [LEGACY_FEW_ENDS] = {"the file ends before the last line", NULL},
        [LEGACY_NO_SUCH_POINT] = {"line ", " is of no such point"},
        [LEGACY_SAME_POINT] = {"line ", " ends where it begins"},
        [LEGACY_NO_ZERO] = {"the value between them is not 0", NULL},
        [LEGACY_LOOSE_POINT] = {"some point is on no line", NULL},
        [LEGACY_FITS] = {"fits", NULL},
    };
    int size = 0;
    if (block->failure >= LEGACY_FEW_ENDS)
        size = snprintf(text, 80, "%" PRIu32 " points, %" PRIu32 " lines: ", block->point_count, block->line_count);
    else if (block->failure > LEGACY_NO_POINTS)
        size = snprintf(text, 80, "%" PRIu32 " points: ", block->point_count);
    deneb_print_words(&words[block->failure], block->detail, text + size, 160 - (size_t)size);
}

/* ---- all places ---- */

static const char *where_tried(const struct legacy *legacy)
{
    return legacy->stars > 0 ? "right after \"*\"" : "anywhere after the first number";
}

struct search {
    struct legacy *legacy;
    struct legacy_block first, last; /* the first of those that fit; the last of all */
    uint32_t places, notes;
    uint32_t failures[LEGACY_FAILURES];
    uint32_t *seen; /* indexed by point: the last place whose lines use it */
    uint64_t looks; /* at lines, for that */
};

static bool uses_all_points(struct search *search, const struct legacy_block *block)
{
    const struct legacy_token *ends = search->legacy->tokens + block->first_end;
    uint32_t left = block->point_count, i = 0;
    if (2 * (uint64_t)block->line_count < block->point_count)
        return false;
    for (; left > 0 && i < 2 * block->line_count; i++) {
        left -= search->seen[ends[i].value] != block->place;
        search->seen[ends[i].value] = block->place;
    }
    search->looks += i;
    search->legacy->work.visited += i;
    return left == 0;
}

/* Tells whether the search must stop, as all its work is bounded: the places, and the lines of places that overlap. */
static bool is_exhausted(const struct search *search)
{
    const struct legacy *legacy = search->legacy;
    return legacy->work.candidates >= LEGACY_MOST_CANDIDATES || search->looks > MOST_LOOKS * (uint64_t)legacy->count;
}

static void search_places(struct search *search)
{
    struct legacy *legacy = search->legacy;
    struct legacy_block *first = &search->first;
    bool marked = legacy->stars > 0;
    for (uint32_t at = 1; at < legacy->count && !is_exhausted(search); at++) {
        if (marked && legacy->tokens[at - 1].value != LEGACY_STAR)
            continue;
        struct legacy_block block = try_place(legacy, at);

        /* No asterisk marks the place, so two more tests replace it. */
        if (block.failure == LEGACY_FITS && !marked && legacy->tokens[block.value].value != 0)
            block.failure = LEGACY_NO_ZERO;
        else if (block.failure == LEGACY_FITS && !marked && !uses_all_points(search, &block))
            block.failure = LEGACY_LOOSE_POINT;
        search->places++;
        search->failures[block.failure]++;
        search->last = block;

        /* Most numbers count nothing if there is no asterisk, so only places whose points are there are reported. */
        if (legacy->explain && search->notes < MOST_NOTES && (marked || block.failure > LEGACY_FEW_NUMBERS)) {
            char text[160];
            search->notes++;
            describe(&block, text);
            report_note(legacy->file->context, "deneb-reading", deneb_token_place(legacy, at), "tried as %s", text);
        }
        if (block.failure == LEGACY_FITS && first->place == 0)
            *first = block;
        else if (block.failure == LEGACY_FITS && first->rivals++ == 0)
            first->rival = at;
    }
}

static void explain_search(const struct search *search)
{
    static const char *const words[] = {
        [LEGACY_NO_POINTS] = "no number of points",
        [LEGACY_FEW_NUMBERS] = "too few coordinates",
        [LEGACY_NO_VALUE] = "no whole number after the points",
        [LEGACY_NO_LINES] = "no number of lines",
        [LEGACY_FEW_ENDS] = "too few lines",
        [LEGACY_NO_SUCH_POINT] = "lines of points that are not there",
        [LEGACY_SAME_POINT] = "lines from a point to itself",
        [LEGACY_NO_ZERO] = "no zero between points and lines",
        [LEGACY_LOOSE_POINT] = "points on no line",
        [LEGACY_FITS] = "fits",
    };
    const struct legacy *legacy = search->legacy;
    char text[400] = "";
    for (int i = 0; i < LEGACY_FAILURES; i++) {
        size_t size = strlen(text);
        if (search->failures[i] > 0)
            (void)snprintf(text + size, sizeof text - size, "%s %s: %" PRIu32, size > 0 ? "," : "", words[i],
                           search->failures[i]);
    }
    if (legacy->explain)
        report_note(legacy->file->context, "deneb-search", IN_FILE(legacy->file->source->name),
                    "%" PRIu32 " tokens, %" PRIu32 " of them \"*\"; places tried %s: %" PRIu32 ";%s", legacy->count,
                    legacy->stars, where_tried(legacy), search->places, text);
}

/* ---- what comes of it ---- */

static cp_status refuse_unfit(const struct search *search)
{
    const struct legacy *legacy = search->legacy;
    const struct deneb_file *file = legacy->file;
    char text[160] = "none of the places fits";
    struct place place = IN_FILE(file->source->name);
    if (search->places == 1) {
        describe(&search->last, text);
        place = deneb_token_place(legacy, search->last.place);
    }
    return report_error(
        file->context, CP_INPUT, "deneb-legacy-none", place,
        "neither DCT nor legacy part geometry. Looked for, %s: a number of points (3 or more), 3 numbers for "
        "each, a whole number, a number of lines, 2 points for each. Found: %s (cellpipe info --explain tells "
        "what was tried)",
        where_tried(legacy), text);
}

cp_status deneb_refuse_rivals(const struct legacy *legacy, const struct legacy_block *block)
{
    return report_error(
        legacy->file->context, CP_INPUT, "deneb-legacy-several", deneb_token_place(legacy, block->place),
        "%" PRIu32 " places may be where the points of legacy part geometry begin, the second in line %" PRIu64
        ", and polygons to the end of the file do not prove the first (cellpipe info --explain tells what was tried)",
        block->rivals + 1, deneb_token_place(legacy, block->rival).line);
}

bool deneb_find_block(struct legacy *legacy, struct legacy_block *block)
{
    struct deneb_file *file = legacy->file;
    size_t room = (size_t)legacy->count / 3 + 1; /* no place has more points */
    struct search search = {.legacy = legacy};
    search.seen = memory_allocate_zeroed(file->context, room, sizeof *search.seen);
    if (!search.seen) {
        file->status = CP_LIMIT;
        return false;
    }
    search_places(&search);
    memory_free(file->context, search.seen, room, sizeof *search.seen);
    explain_search(&search);
    *block = search.first;
    if (is_exhausted(&search))
        file->status = report_error(file->context, CP_INPUT, "deneb-legacy-candidates", IN_FILE(file->source->name),
                                    "too many places may be where the points of legacy part geometry begin: %" PRIu64
                                    " were tried (cellpipe info --explain tells of the first)",
                                    legacy->work.candidates);
    else if (search.first.place == 0)
        file->status = refuse_unfit(&search);
    return file->status == CP_OK;
}

/* Lists of numbers, converted while the text comes in pieces. The end of a piece may cut a number: what is left of it
 * waits in `word` for the next piece. */
#include "collada.h"

#include "base/text/text.h"

enum { LONGEST_WORD = 400 }; /* no sensible number is longer */

struct number_list {
    struct collada_document *document;
    uint64_t line; /* of the element's tag */
    char word[LONGEST_WORD];
    size_t size; /* bytes of the word that is not yet complete */
    uint64_t commas;
    struct collada_numbers *numbers;
    struct collada_indices *indices;
};

/* Converts numbers from `at` on, as far as they are plain and complete. Returns the beginning of the first one that is
 * not, or the end; NULL after an error, reported. */
typedef const char *convert_plain(struct number_list *list, const char *at, const char *end);
/* Converts a whole word of any kind. */
typedef cp_status convert_word(struct number_list *list, const char *word, size_t size);

static cp_status refuse_word(const struct number_list *list, const char *word, size_t size)
{
    return collada_error(list->document, "collada-number", list->document->xml.line, "\"%.*s\" is no number%s",
                         (int)(size < 40 ? size : 40), word, list->indices ? " of 0 to 4294967294" : "");
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static const char *find_blank(const char *at, const char *end)
{
    while (at < end && !is_blank(*at))
        at++;
    return at;
}

/* Appends the text to the word that has begun; false if it is too long. */
static bool keep(struct number_list *list, const char *text, size_t size)
{
    if (size >= sizeof list->word - list->size)
        return false;
    memcpy(list->word + list->size, text, size);
    list->size += size;
    return true;
}

static cp_status end_word(struct number_list *list, convert_word *convert)
{
    size_t size = list->size;
    list->size = 0;
    return size > 0 ? convert(list, list->word, size) : CP_OK;
}

/* Converts the words of a piece, of which the first and the last one may be incomplete. */
static cp_status read_piece(struct number_list *list, const char *at, const char *end, convert_plain *plain,
                            convert_word *convert)
{
    cp_status status = CP_OK;
    if (list->size > 0) {
        const char *rest = find_blank(at, end);
        if (!keep(list, at, (size_t)(rest - at)))
            return refuse_word(list, list->word, list->size);
        if (rest < end)
            status = end_word(list, convert);
        at = rest;
    }
    while (status == CP_OK && (at = skip_blanks(at, end)) < end) {
        at = plain(list, at, end);
        if (!at)
            return CP_LIMIT;
        const char *rest = find_blank(at, end);
        if (rest == end) {
            if (!keep(list, at, (size_t)(end - at)))
                return refuse_word(list, at, (size_t)(end - at));
            break;
        }
        if (rest > at)
            status = convert(list, at, (size_t)(rest - at));
        at = rest;
    }
    return status;
}

/* Reads the text right inside the open element. */
static cp_status read_list(struct number_list *list, convert_plain *plain, convert_word *convert)
{
    struct xml *xml = &list->document->xml;
    uint32_t depth = xml->depth;
    cp_status status = CP_OK;
    for (enum xml_event event; status == CP_OK && (event = xml_next(xml)) != XML_OVER;)
        if (event == XML_TEXT && xml->depth == depth)
            status = read_piece(list, xml->text, xml->text + xml->size, plain, convert);
        else if (event == XML_END && xml->depth == depth)
            return end_word(list, convert);
    return status == CP_OK ? xml->status : status;
}

/* ---- numbers ---- */

static bool add_number(struct number_list *list, double number)
{
    struct collada_numbers *numbers = list->numbers;
    if (numbers->count == numbers->room && !array_reserve(list->document->collada->context, &numbers->items,
                                                          &numbers->room, numbers->count + UINT64_C(1), sizeof number))
        return false;
    numbers->items[numbers->count++] = number;
    return true;
}

static const char *convert_numbers(struct number_list *list, const char *at, const char *end)
{
    double number;
    for (;;) {
        at = skip_blanks(at, end);
        const char *after = parse_double(at, end, &number);
        if (!after || after == end || !is_blank(*after))
            return at;
        if (!add_number(list, number))
            return NULL;
        at = after;
    }
}

/* Tells whether the word is what programs write for a number that is none: "NaN", "-INF", "1.#QNAN". */
static bool is_no_number(const char *word, size_t size)
{
    const char *sign = word + (size > 0 && (*word == '-' || *word == '+'));
    size -= (size_t)(sign - word);
    if (size > 2 && memcmp(sign, "1.#", 3) == 0)
        return true;
    char lower[9] = "";
    for (size_t i = 0; i < size && i < sizeof lower - 1; i++)
        lower[i] = (char)(sign[i] | 0x20);
    return (size == 3 && (memcmp(lower, "nan", 3) == 0 || memcmp(lower, "inf", 3) == 0)) ||
           (size == 8 && memcmp(lower, "infinity", 8) == 0) || (size > 4 && memcmp(lower, "nan(", 4) == 0);
}

/* Converts "0,25", where a comma is the decimal point. */
static bool convert_comma(const char *word, size_t size, double *number)
{
    char text[LONGEST_WORD];
    const char *comma = memchr(word, ',', size);
    if (!comma || comma == word || !is_digit(comma[-1]))
        return false;
    memcpy(text, word, size);
    text[comma - word] = '.';
    return parse_double(text, text + size, number) == text + size;
}

static cp_status convert_number(struct number_list *list, const char *word, size_t size)
{
    double number;
    const char *end = size < LONGEST_WORD ? word + size : NULL;
    if (end && parse_double(word, end, &number) == end)
        return add_number(list, number) ? CP_OK : CP_LIMIT;
    if (end && is_no_number(word, size))
        return add_number(list, NAN) ? CP_OK : CP_LIMIT;
    if (!end || !convert_comma(word, size, &number))
        return refuse_word(list, word, size);
    list->commas++;
    return add_number(list, number) ? CP_OK : CP_LIMIT;
}

uint64_t collada_give_room(struct collada_document *document, uint64_t said)
{
    uint64_t left = document->text.size / 2 + 1 - document->room_given, given = said < left ? said : left;
    document->room_given += given;
    return given;
}

cp_status collada_read_numbers(struct collada_document *document, struct collada_numbers *numbers, uint32_t expected)
{
    struct number_list list = {.document = document, .line = document->xml.line, .numbers = numbers};
    uint64_t count = collada_give_room(document, expected);
    uint32_t before = numbers->count;
    if (count > 0 && !array_reserve(document->collada->context, &numbers->items, &numbers->room, numbers->count + count,
                                    sizeof *numbers->items))
        return CP_LIMIT;
    cp_status status = read_list(&list, convert_numbers, convert_number);
    /* If commas are decimal points, and do not separate numbers, their count is right. */
    if (status == CP_OK && list.commas > 0 && expected > 0 && numbers->count - before != expected)
        return collada_error(document, "collada-comma", list.line,
                             "numbers with commas: read as decimal points they are %u, not %u",
                             (unsigned)(numbers->count - before), (unsigned)expected);
    document->collada->counts[COLLADA_TOLD_COMMAS] += list.commas;
    return status;
}

cp_status collada_read_exactly(struct collada_document *document, uint32_t count, double *numbers)
{
    struct collada_numbers read = {0};
    uint64_t line = document->xml.line;
    char name[40] = "";
    (void)strncpy(name, document->xml.name, sizeof name - 1);
    cp_status status = collada_read_numbers(document, &read, count);
    bool is_finite = true;
    for (uint32_t i = 0; i < read.count && i < count; i++) {
        numbers[i] = read.items[i];
        is_finite = is_finite && isfinite(numbers[i]);
    }
    if (status == CP_OK && (read.count != count || !is_finite))
        status = collada_error(document, "collada-number", line, "<%s> has %u numbers%s, not %u", name,
                               (unsigned)read.count, is_finite ? "" : ", one of them not finite", (unsigned)count);
    memory_free(document->collada->context, read.items, read.room, sizeof *read.items);
    return status;
}

/* ---- indices ---- */

static bool add_index(struct number_list *list, uint32_t index)
{
    struct collada_indices *indices = list->indices;
    return array_add(list->document->collada->context, &indices->items, &indices->room, &indices->count, &index,
                     sizeof index);
}

/* Converts as many as there is room for. Behind the text's end is neither a digit nor a blank. */
static const char *fill_room(struct collada_indices *indices, const char *at)
{
    enum { MOST_DIGITS = 9 }; /* that fit 32 bits */
    uint32_t *items = indices->items, count = indices->count, room = indices->room, index;
    for (const char *after;; items[count++] = index, at = after + 1) {
        while (is_blank(*at))
            at++;
        for (after = at, index = 0; is_digit(*after); after++)
            index = 10 * index + (uint32_t)(*after - '0');
        if (after - at > MOST_DIGITS || !is_blank(*after) || count == room)
            break;
    }
    indices->count = count;
    return at;
}

static const char *convert_indices(struct number_list *list, const char *at, const char *end)
{
    struct collada_indices *indices = list->indices;
    (void)end;
    for (;;) {
        at = fill_room(indices, at);
        if (indices->count < indices->room || !is_digit(*at))
            return at;
        if (!array_reserve(list->document->collada->context, &indices->items, &indices->room,
                           indices->count + UINT64_C(1), sizeof *indices->items))
            return NULL;
    }
}

/* Converts what convert_indices leaves: a word that a piece's end cut, or one with a plus or of more digits. */
static cp_status convert_index(struct number_list *list, const char *word, size_t size)
{
    uint64_t index = 0;
    size_t i = *word == '+';
    for (; i < size && is_digit(word[i]) && index < UINT32_MAX; i++)
        index = 10 * index + (uint64_t)(word[i] - '0');
    if (i < size || !is_digit(word[size - 1]) || index >= UINT32_MAX)
        return refuse_word(list, word, size);
    return add_index(list, (uint32_t)index) ? CP_OK : CP_LIMIT;
}

cp_status collada_read_indices(struct collada_document *document, struct collada_indices *indices)
{
    struct number_list list = {.document = document, .line = document->xml.line, .indices = indices};
    return read_list(&list, convert_indices, convert_index);
}

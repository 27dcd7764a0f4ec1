/* Damage to STEP and IGES behind their syntax: numbers become extreme, arguments of an entity are left out or change
 * places, references lead elsewhere or in rings, entities are missing or there twice. Lines of IGES keep their columns.
 */
#include "mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_COLUMNS = 64, LINE = 81, FIELD = 8, MOST_ARGUMENTS = 64 };

struct span {
    size_t at, size;
};

enum cad_text cad_text_of(const unsigned char *data, size_t size)
{
    if (size > 12 && memcmp(data, "ISO-10303-21", 12) == 0)
        return CAD_TEXT_STEP;
    return size > 80 && data[72] == 'S' && data[79] == '1' ? CAD_TEXT_IGES : CAD_TEXT_NONE;
}

/* The statement of STEP, or the line of IGES, around a place, with the end of its line. */
static struct span around(const struct bytes *bytes, size_t place, enum cad_text kind)
{
    unsigned char end_mark = kind == CAD_TEXT_STEP ? ';' : '\n';
    size_t at = place, end = place;
    while (at > 0 && bytes->data[at - 1] != end_mark)
        at--;
    while (at < place && isspace(bytes->data[at]) && kind == CAD_TEXT_STEP)
        at++;
    while (end < bytes->size && bytes->data[end] != end_mark)
        end++;
    while (end < bytes->size && (bytes->data[end] == end_mark || isspace(bytes->data[end])) && end - at < bytes->size)
        end++;
    return (struct span){at, end - at};
}

/* Replaces within a line of IGES, whose columns from the 65th on stay where they are. */
static void replace_in_line(struct bytes *bytes, size_t at, size_t gone, const char *with, size_t size)
{
    size_t start = around(bytes, at, CAD_TEXT_IGES).at, end = start + TEXT_COLUMNS, blanks = 0;
    if (end > bytes->size || at + gone > end) {
        replace(bytes, at, gone, with, size < gone ? size : gone);
        return;
    }
    while (end - blanks > at + gone && bytes->data[end - blanks - 1] == ' ')
        blanks++;
    if (size > gone + blanks)
        size = gone + blanks;
    if (size > gone) {
        replace(bytes, end - (size - gone), size - gone, "", 0);
        replace(bytes, at, gone, with, size);
        return;
    }
    replace(bytes, at, gone, with, size);
    for (; size < gone; size++)
        replace(bytes, end - (gone - size), 0, " ", 1);
}

static void put(struct bytes *bytes, struct span span, const char *text, size_t size, enum cad_text kind)
{
    if (kind == CAD_TEXT_IGES)
        replace_in_line(bytes, span.at, span.size, text, size);
    else
        replace(bytes, span.at, span.size, text, size);
}

/* ---- numbers ---- */

static bool is_of_number(unsigned char c)
{
    return isdigit(c) || c == '.' || c == '-' || c == '+' || c == 'E' || c == 'D';
}

static struct span find_number(const struct bytes *bytes)
{
    size_t at = below(bytes->size), end;
    while (at < bytes->size && !isdigit(bytes->data[at]))
        at++;
    for (end = at; end < bytes->size && is_of_number(bytes->data[end]);)
        end++;
    if (at > 0 && bytes->data[at - 1] == '-')
        at--;
    return (struct span){at, end - at};
}

static void change_number(struct bytes *bytes, enum cad_text kind)
{
    static const char *const texts[] = {"0",  "0.",  "-1", "-1.",        "1.E308",     "-1.E308", "1.E-320",
                                        "1.", "NaN", "$",  "2147483647", "4294967296", "1.E999",  "1.E7"};
    const char *text = texts[below(sizeof texts / sizeof *texts)];
    struct span number = find_number(bytes);
    if (number.size)
        put(bytes, number, text, strlen(text), kind);
}

/* ---- arguments ---- */

/* The texts between parentheses and commas of a statement or line, outside of quotes. */
static size_t list_arguments(const struct bytes *bytes, struct span within, struct span *list)
{
    size_t count = 0, from = within.at;
    bool quoted = false;
    for (size_t i = within.at; i < within.at + within.size && count < MOST_ARGUMENTS; i++) {
        quoted ^= bytes->data[i] == '\'';
        if (quoted || !strchr("(),;", bytes->data[i]) || !bytes->data[i])
            continue;
        if (from > within.at && i > from)
            list[count++] = (struct span){from, i - from};
        from = i + 1;
    }
    return count;
}

static void change_arguments(struct bytes *bytes, enum cad_text kind)
{
    struct span list[MOST_ARGUMENTS];
    size_t count = list_arguments(bytes, around(bytes, below(bytes->size), kind), list);
    if (count < 2)
        return;
    size_t first = below(count), second = below(count);
    struct span a = list[first < second ? first : second], b = list[first < second ? second : first];
    if (draw() % 2 || first == second) { /* left out, with the comma behind it or not */
        put(bytes, (struct span){a.at, a.size + (bytes->data[a.at + a.size] == ',')}, "", 0, kind);
        return;
    }
    size_t whole = b.at + b.size - a.at, middle = b.at - a.at - a.size;
    char *text = malloc(whole);
    if (!text)
        abort();
    memcpy(text, bytes->data + b.at, b.size);
    memcpy(text + b.size, bytes->data + a.at + a.size, middle);
    memcpy(text + b.size + middle, bytes->data + a.at, a.size);
    memcpy(bytes->data + a.at, text, whole);
    free(text);
}

/* ---- references ---- */

/* The digits of a reference behind a "=" or "(" or ",": "#17" in "#18=VERTEX_POINT('',#17);". */
static struct span find_reference(const struct bytes *bytes, struct span within)
{
    size_t end = within.at + within.size, start = within.at + below(within.size);
    for (size_t i = 0; i < within.size; i++) {
        size_t at = within.at + (start - within.at + i) % within.size, stop = at + 1;
        if (bytes->data[at] != '#' || at == within.at || !strchr("(,", bytes->data[at - 1]) || !bytes->data[at - 1])
            continue;
        while (stop < end && isdigit(bytes->data[stop]))
            stop++;
        return (struct span){at + 1, stop - at - 1};
    }
    return (struct span){within.at, 0};
}

/* The number of the entity that a statement defines. */
static size_t number_of(const struct bytes *bytes, struct span statement, char number[static 24])
{
    size_t size = 0;
    while (size < 23 && size + 1 < statement.size && isdigit(bytes->data[statement.at + 1 + size])) {
        number[size] = (char)bytes->data[statement.at + 1 + size];
        size++;
    }
    return size;
}

/* The statement that defines an entity, or size 0. */
static struct span find_entity(const struct bytes *bytes, struct span digits)
{
    for (size_t at = 0; at + digits.size + 2 < bytes->size; at++)
        if (bytes->data[at] == '#' && bytes->data[at + 1 + digits.size] == '=' &&
            memcmp(bytes->data + at + 1, bytes->data + digits.at, digits.size) == 0)
            return around(bytes, at, CAD_TEXT_STEP);
    return (struct span){0, 0};
}

/* Aims a reference at another entity, at its own one, or makes the entity that it leads to lead back. */
static void turn_reference(struct bytes *bytes)
{
    struct span all = {0, bytes->size}, statement = around(bytes, below(bytes->size), CAD_TEXT_STEP);
    struct span digits = find_reference(bytes, statement), other = find_reference(bytes, all);
    char number[24];
    size_t size = number_of(bytes, statement, number);
    uint64_t way = draw() % 4;
    if (!digits.size || !other.size || !size)
        return;
    if (way == 0) { /* a ring of one */
        replace(bytes, digits.at, digits.size, number, size);
    } else if (way == 1) { /* a ring of two */
        struct span back = find_reference(bytes, find_entity(bytes, digits));
        if (back.size)
            replace(bytes, back.at, back.size, number, size);
    } else {
        (void)snprintf(number, sizeof number, "%.*s", (int)(other.size < 23 ? other.size : 23),
                       (const char *)bytes->data + other.at);
        replace(bytes, digits.at, digits.size, number, strlen(number));
    }
}

/* Puts a field of eight columns of one line into another one: pointers of the directory, types, and the pointer from
 * the parameters back to it. */
static void turn_field(struct bytes *bytes)
{
    size_t from = below(bytes->size) / LINE * LINE + FIELD * below(9);
    size_t to = below(bytes->size) / LINE * LINE + FIELD * below(9);
    if (from + FIELD <= bytes->size && to + FIELD <= bytes->size)
        memmove(bytes->data + to, bytes->data + from, FIELD);
}

/* ---- all of it ---- */

static void put_in_twice(struct bytes *bytes, struct span span)
{
    void *copy = malloc(span.size + 1);
    if (!copy)
        abort();
    memcpy(copy, bytes->data + span.at, span.size);
    replace(bytes, span.at, 0, copy, span.size);
    free(copy);
}

void damage_cad(struct bytes *bytes, enum cad_text kind)
{
    if (bytes->size == 0)
        return;
    struct span one = around(bytes, below(bytes->size), kind);
    switch (draw() % 16) {
    case 0:
        bytes->size = below(bytes->size);
        break;
    case 1:
        damage(bytes);
        break;
    case 2:
        replace(bytes, one.at, one.size, "", 0);
        break;
    case 3:
        put_in_twice(bytes, one);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        change_arguments(bytes, kind);
        break;
    case 8:
    case 9:
    case 10:
    case 11:
        kind == CAD_TEXT_STEP ? turn_reference(bytes) : turn_field(bytes);
        break;
    default:
        change_number(bytes, kind);
    }
}

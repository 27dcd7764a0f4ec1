/* The one reader of options, whoever has them, and all that help and schemas tell of their values. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/text/text.h"
#include "cellpipe_tool.h"

/* Lists the types. Those with neither units nor a number are texts. */
static const struct kind {
    size_t size;              /* bytes of the value in the settings; 0: none */
    const char *word, *value; /* the word in schemas, and for the value in help */
    const char *needs;        /* says what a value should have been */
    const char *unit;         /* the unit of a bare number and of bounds */
    const struct unit *units; /* which may stand behind a number */
    double bare;              /* the unit of a bare number, in the stored one */
} kinds[] = {
    [CP_OPTION_BOOLEAN] = {.size = sizeof(bool), .word = "boolean", .value = "yes|no", .needs = "yes or no"},
    [CP_OPTION_INTEGER] = {.size = sizeof(int64_t), .word = "integer", .value = "N", .needs = "a whole number"},
    [CP_OPTION_NUMBER] = {.size = sizeof(double), .word = "number", .value = "NUMBER", .needs = "a number"},
    [CP_OPTION_RATIO] = {sizeof(double), "ratio", "RATIO", "a number or a percentage, such as 0.1 or 10%", "",
                         percent_units, 1},
    [CP_OPTION_LENGTH] = {sizeof(double), "length", "LENGTH", "a length such as 0.5, 20mm or 3in", "m", length_units,
                          1},
    [CP_OPTION_ANGLE] = {sizeof(double), "angle", "ANGLE", "an angle such as 30, 30deg or 0.5rad", "degrees",
                         angle_units, PI / 180},
    [CP_OPTION_TIME] = {sizeof(double), "time", "TIME", "a time such as 30, 500ms, 60s or 2min", "s", time_units, 1},
    [CP_OPTION_SIZE] = {sizeof(int64_t), "size", "SIZE", "a size such as 200000, 500kB or 2MiB", "bytes", size_units,
                        1},
    [CP_OPTION_EXTENT] = {sizeof(cp_extent), "extent", "LENGTH|RATIO",
                          "a length such as 0.1mm, or a part of the size such as 0.1%", "m", length_units, 1},
    [CP_OPTION_PIXELS] = {.size = sizeof(cp_pixels),
                          .word = "pixels",
                          .value = "WxH",
                          .needs = "WIDTHxHEIGHT in pixels, such as 512x384",
                          .unit = "pixels"},
    [CP_OPTION_COLOUR] = {.size = sizeof(cp_colour),
                          .word = "colour",
                          .value = "#RRGGBB|#RGB|none",
                          .needs = "none or a colour such as #fff or #e6edf5"},
    [CP_OPTION_UNIT] = {.size = sizeof(double),
                        .word = "unit",
                        .value = "UNIT",
                        .needs = "m, mm, cm, in, ft or metres per unit"},
    [CP_OPTION_CHOICE] = {.size = sizeof(int), .word = "choice", .value = "WORD"},
    [CP_OPTION_STRING] = {.size = sizeof(char *), .word = "text", .value = "TEXT"},
    [CP_OPTION_PATH] = {.size = sizeof(char *), .word = "path", .value = "FILE"},
    [CP_OPTION_FRAME] = {.size = sizeof(char *), .word = "frame", .value = "NAME"},
    [CP_OPTION_DEVICE] = {.size = sizeof(char *), .word = "device", .value = "NAME"},
    [CP_OPTION_JOINT] = {.size = sizeof(char *), .word = "joint", .value = "NAME"},
    [CP_OPTION_CLIP] = {.size = sizeof(char *), .word = "clip", .value = "NAME"},
    [CP_OPTION_WORD] = {.word = "word", .value = ""},
};

const char *cp_option_unit(const char *type, size_t index)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, type) == 0) {
            const struct unit *unit = i == CP_OPTION_UNIT ? length_units : kinds[i].units;
            while (unit && unit->name && index-- > 0)
                unit++;
            return unit ? unit->name : NULL;
        }
    return NULL;
}

size_t cp_option_size(cp_option_type type)
{
    return (size_t)type < sizeof kinds / sizeof *kinds ? kinds[type].size : 0;
}

/* Bounds are told in the unit of a bare number. */
static double shown(const cp_option *option, double number)
{
    return option->type == CP_OPTION_ANGLE ? radians_to_degrees(number) : number;
}

cp_option_info cp_option_describe(const cp_option *option)
{
    const struct kind *kind = &kinds[option->type];
    return (cp_option_info){.size = sizeof(cp_option_info),
                            .name = option->name,
                            .help = option->help,
                            .type = kind->word,
                            .default_value = option->initial,
                            .choices = option->choices,
                            .minimum = shown(option, option->minimum),
                            .maximum = shown(option, option->maximum),
                            .unit = kind->unit ? kind->unit : "",
                            .value = option->value     ? option->value
                                     : option->choices ? option->choices
                                                       : kind->value};
}

const cp_option *cp_option_named(const cp_option *options, const char *word)
{
    size_t size = strcspn(word, "=");
    for (; options && options->name; options++)
        if (strlen(options->name) == size && strncmp(options->name, word, size) == 0)
            return options;
    return NULL;
}

/* ---- values ---- */

struct value {
    cp_context *context;
    const cp_option *option;
    const char *text;
    void *place;
};

/* "--clearance 5mm", "--json=yes", "touch=5mm". */
static const char *sign_of(const cp_option *option)
{
    return option->name[0] == '-' && option->type != CP_OPTION_BOOLEAN ? " " : "=";
}

/* nearest: what may have been meant, or NULL. */
static cp_status refuse(const struct value *value, const char *needs, const char *nearest)
{
    const cp_option *option = value->option;
    return report_error(value->context, CP_USAGE, "option-value", NOWHERE, "%s%s%s: needs %s%s%s%s", option->name,
                        sign_of(option), value->text, needs, nearest ? "; did you mean " : "", nearest ? nearest : "",
                        nearest ? "?" : "");
}

static cp_status refuse_range(const struct value *value)
{
    const cp_option *option = value->option;
    const char *unit = kinds[option->type].unit;
    char minimum[NUMBER_SIZE], maximum[NUMBER_SIZE];
    bool ends = isfinite(option->maximum);
    print_double(shown(option, option->minimum), minimum);
    print_double(shown(option, option->maximum), maximum);
    return report_error(value->context, CP_USAGE, "option-range", NOWHERE, "%s%s%s: must %s %s%s%s%s%s", option->name,
                        sign_of(option), value->text, ends ? "lie in" : "be at least", minimum, ends ? " .. " : "",
                        ends ? maximum : "", unit && *unit ? " " : "", unit ? unit : "");
}

static bool is_in_range(const cp_option *option, double number)
{
    bool bounded = option->minimum != 0 || option->maximum != 0;
    return !bounded || (number >= option->minimum && number <= option->maximum);
}

static cp_status read_boolean(const struct value *value)
{
    static const char *const words[] = {"no", "yes", "false", "true", "0", "1", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value->text, words[i]) == 0) {
            *(bool *)value->place = i % 2 == 1;
            return CP_OK;
        }
    return refuse(value, kinds[CP_OPTION_BOOLEAN].needs, NULL);
}

static cp_status read_choice(const struct value *value)
{
    enum { MOST = 16, LONGEST = 32 };
    char words[MOST][LONGEST];
    const char *list[MOST + 1] = {NULL};
    const char *at = value->option->choices;
    for (int index = 0; *at && index < MOST; index++) {
        size_t size = strcspn(at, "|");
        (void)snprintf(words[index], LONGEST, "%.*s", (int)size, at);
        if (text_equal_nocase(words[index], value->text)) {
            *(int *)value->place = index;
            return CP_OK;
        }
        list[index] = words[index];
        at += size + (at[size] == '|');
    }
    bool tells = strlen(value->text) > 2; /* every letter is near to every other */
    return refuse(value, value->option->choices, tells ? nearest_word(value->text, list) : NULL);
}

static cp_status read_unit(const struct value *value)
{
    double number;
    for (const struct unit *unit = length_units; unit->name; unit++)
        if (text_equal_nocase(value->text, unit->name)) {
            *(double *)value->place = unit->size;
            return CP_OK;
        }
    if (!text_is_number(value->text, &number) || !(number > 0))
        return refuse(value, kinds[CP_OPTION_UNIT].needs, NULL);
    *(double *)value->place = number;
    return CP_OK;
}

static cp_status read_extent(const struct value *value)
{
    cp_extent extent = {0, 0};
    bool is_part = strchr(value->text, '%') != NULL;
    double *number = is_part ? &extent.part : &extent.metres;
    bool good = is_part ? read_measure(value->text, percent_units, 0.01, number) : read_length(value->text, number);
    if (!good || !isfinite(*number) || !(*number > 0))
        return refuse(value, kinds[CP_OPTION_EXTENT].needs, NULL);
    if (!is_in_range(value->option, *number))
        return refuse_range(value);
    *(cp_extent *)value->place = extent;
    return CP_OK;
}

/* Reads two whole numbers with an x between. */
static cp_status read_pixels(const struct value *value)
{
    const uint32_t most = 1000000000;
    uint32_t sides[2] = {0, 0};
    const char *at = value->text;
    for (int i = 0; i < 2; i++) {
        const char *begin = at;
        for (; *at >= '0' && *at <= '9'; at++)
            sides[i] = sides[i] < most / 10 ? 10 * sides[i] + (uint32_t)(*at - '0') : most;
        if (at == begin || *at != (i == 0 ? 'x' : '\0'))
            return refuse(value, kinds[CP_OPTION_PIXELS].needs, NULL);
        at += i == 0;
    }
    if (!is_in_range(value->option, sides[0]) || !is_in_range(value->option, sides[1]))
        return refuse_range(value);
    *(cp_pixels *)value->place = (cp_pixels){sides[0], sides[1]};
    return CP_OK;
}

/* Reads "none", or as many digits for each of red, green and blue: one, which is both of its byte, or two. */
static cp_status read_colour(const struct value *value)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = value->text;
    size_t size = strlen(at), each = size / 3;
    unsigned char bytes[3] = {0, 0, 0};
    bool none = strcmp(at, "none") == 0;
    if (!none && (*at != '#' || (size != 4 && size != 7) || strspn(at + 1, digits) != size - 1))
        return refuse(value, kinds[CP_OPTION_COLOUR].needs, NULL);
    for (size_t i = 0; i < 3 && !none; i++) {
        size_t high = (size_t)(strchr(digits, at[1 + i * each]) - digits) % 16;
        size_t low = (size_t)(strchr(digits, at[each + i * each]) - digits) % 16;
        bytes[i] = (unsigned char)(16 * high + low);
    }
    *(cp_colour *)value->place = (cp_colour){bytes[0], bytes[1], bytes[2], none ? 0 : UCHAR_MAX};
    return CP_OK;
}

/* Reads a number with or without a unit, whole or not. */
static cp_status read_number(const struct value *value)
{
    const double most = 9e15; /* the whole numbers that a double tells apart end a little above */
    const struct kind *kind = &kinds[value->option->type];
    const bool integer = value->option->type == CP_OPTION_INTEGER, size = value->option->type == CP_OPTION_SIZE;
    double number;
    bool good = kind->units ? read_measure(value->text, kind->units, kind->bare, &number)
                            : text_is_number(value->text, &number);
    if (!good || !isfinite(number) || (integer && number != floor(number)))
        return refuse(value, kind->needs, NULL);
    if (!is_in_range(value->option, number))
        return refuse_range(value);
    if ((integer || size) && fabs(number) > most)
        return refuse(value, integer ? "a whole number up to 9e15" : "a size up to 9e15 bytes", NULL);
    if (integer || size)
        *(int64_t *)value->place = (int64_t)number;
    else
        *(double *)value->place = number;
    return CP_OK;
}

static cp_status keep_text(const struct value *value)
{
    cp_texts *texts = value->place;
    if (!value->option->repeats) {
        *(const char **)value->place = value->text;
        return CP_OK;
    }
    if (texts->count == CP_MOST_TEXTS)
        return report_error(value->context, CP_USAGE, "option-value", NOWHERE, "%s is given more than %d times",
                            value->option->name, CP_MOST_TEXTS);
    texts->items[texts->count++] = value->text;
    return CP_OK;
}

cp_status cp_option_read(cp_context *context, const cp_option *option, const char *text, void *settings)
{
    if (!text && option->type != CP_OPTION_BOOLEAN)
        return report_error(context, CP_USAGE, "option-value", NOWHERE, "%s needs a value: %s%s%s", option->name,
                            option->name, sign_of(option), cp_option_describe(option).value);
    const struct value value = {context, option, text ? text : "yes", (char *)settings + option->offset};
    switch (option->type) {
    case CP_OPTION_BOOLEAN:
        return read_boolean(&value);
    case CP_OPTION_INTEGER:
    case CP_OPTION_NUMBER:
    case CP_OPTION_RATIO:
    case CP_OPTION_LENGTH:
    case CP_OPTION_ANGLE:
    case CP_OPTION_TIME:
    case CP_OPTION_SIZE:
        return read_number(&value);
    case CP_OPTION_EXTENT:
        return read_extent(&value);
    case CP_OPTION_PIXELS:
        return read_pixels(&value);
    case CP_OPTION_COLOUR:
        return read_colour(&value);
    case CP_OPTION_UNIT:
        return read_unit(&value);
    case CP_OPTION_CHOICE:
        return read_choice(&value);
    case CP_OPTION_STRING:
    case CP_OPTION_PATH:
    case CP_OPTION_FRAME:
    case CP_OPTION_DEVICE:
    case CP_OPTION_JOINT:
    case CP_OPTION_CLIP:
        return keep_text(&value);
    case CP_OPTION_WORD:
        return CP_OK;
    }
    return CP_BUG;
}

/* The densities of materials, which the kernel reads without the unit of their mass.
 *
 * #1=PROPERTY_DEFINITION('material property','density of part',#2); #2: the product's definition
 * #3=PROPERTY_DEFINITION_REPRESENTATION(#1,#4); #4=REPRESENTATION('density',(#5),#6);
 * #5=MEASURE_REPRESENTATION_ITEM('density measure',POSITIVE_RATIO_MEASURE(7850.),#7); #7=DERIVED_UNIT((#8,#9));
 * #8=DERIVED_UNIT_ELEMENT(#10,1.); #10=(MASS_UNIT()NAMED_UNIT(*)SI_UNIT(.KILO.,.GRAM.)); and so on */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "step.h"

#ifdef HAVE_OCCT

/* The records that matter, by id. */
struct records {
    struct step_record *items;
    uint32_t count, room;
};

enum unit_kind { UNIT_OTHER, UNIT_MASS, UNIT_LENGTH };

enum {
    DEEPEST_UNIT = 4, /* a pound is so many kilograms */
    MOST_UNITS = 8    /* of which a derived unit is made */
};

static bool matters(const struct step_record *record)
{
    static const char *const types[] = {"PROPERTY_DEFINITION",    "PROPERTY_DEFINITION_REPRESENTATION",
                                        "REPRESENTATION",         "MEASURE_REPRESENTATION_ITEM",
                                        "DERIVED_UNIT",           "DERIVED_UNIT_ELEMENT",
                                        "MASS_MEASURE_WITH_UNIT", "LENGTH_MEASURE_WITH_UNIT",
                                        "MEASURE_WITH_UNIT",      "NAMED_UNIT"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (step_find_type(record, types[i]))
            return true;
    return false;
}

static int compare_records(const void *first, const void *second)
{
    const struct step_record *a = first, *b = second;
    return (a->id > b->id) - (a->id < b->id);
}

/* Finds the record that a reference "#12" names; NULL. */
static const struct step_record *find_record(const struct records *records, const char *at, const char *end)
{
    struct step_record wanted = {0};
    if (!at || at >= end || *at != '#')
        return NULL;
    (void)step_read_id(at + 1, end, &wanted.id);
    return bsearch(&wanted, records->items, records->count, sizeof wanted, compare_records);
}

/* Finds the parameter of a type in a record; NULL. */
static const char *find_parameter(const struct step_record *record, const char *type, uint32_t number)
{
    const char *at = record ? step_find_type(record, type) : NULL;
    return at ? step_find_parameter(record, at, number) : NULL;
}

static const struct step_record *follow(const struct records *records, const struct step_record *record,
                                        const char *type, uint32_t number)
{
    return record ? find_record(records, find_parameter(record, type, number), record->end) : NULL;
}

/* Finds an item of a list; NULL. */
static const char *find_item(const struct step_record *record, const char *list, uint32_t number)
{
    return list && *list == '(' ? step_find_parameter(record, list + 1, number) : NULL;
}

/* ---- units ---- */

/* Reads a number, which may stand within a type: POSITIVE_RATIO_MEASURE(7850.). Returns its end, and its start; NULL.
 */
static const char *read_number(const struct step_record *record, const char *at, const char **start, double *number)
{
    const char *open = at;
    while (open && open < record->end && *open != '(' && *open != ',')
        open++;
    if (open && open < record->end && *open == '(')
        at = step_skip_blanks(open + 1, record->end);
    *start = at;
    return at ? parse_double(at, record->end, number) : NULL;
}

static bool says(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return at && (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* A unit is factor * 10^tens kilograms or metres: powers of ten apart, so that 1 g/cm3 is 1000 kg/m3 exactly. */
struct step_unit {
    double factor;
    int tens;
};

/* Finds the power of ten of a prefix of SI. */
static bool read_prefix(const char *at, const char *end, int *tens)
{
    static const struct {
        const char *name;
        int tens;
    } prefixes[] = {{"$", 0},      {".KILO.", 3},   {".MILLI.", -3}, {".CENTI.", -2}, {".DECI.", -1},
                    {".MEGA.", 6}, {".MICRO.", -6}, {".HECTO.", 2},  {".DECA.", 1}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (says(at, end, prefixes[i].name)) {
            *tens = prefixes[i].tens;
            return true;
        }
    return false;
}

/* Reads a unit of mass or length. UNIT_OTHER: it is neither, or its size is not known. */
static enum unit_kind read_unit(const struct records *records, const struct step_record *record, struct step_unit *unit)
{
    *unit = (struct step_unit){1, 0};
    for (int depth = 0; record && depth < DEEPEST_UNIT; depth++) {
        enum unit_kind kind = step_find_type(record, "MASS_UNIT")     ? UNIT_MASS
                              : step_find_type(record, "LENGTH_UNIT") ? UNIT_LENGTH
                                                                      : UNIT_OTHER;
        const char *name = find_parameter(record, "SI_UNIT", 1), *start;
        if (name) {
            bool fits = says(name, record->end, kind == UNIT_MASS ? ".GRAM." : ".METRE.") &&
                        read_prefix(find_parameter(record, "SI_UNIT", 0), record->end, &unit->tens);
            unit->tens -= kind == UNIT_MASS ? 3 : 0;
            return fits && unit->factor > 0 ? kind : UNIT_OTHER;
        }
        const struct step_record *measure = follow(records, record, "CONVERSION_BASED_UNIT", 1);
        const char *type = kind == UNIT_MASS ? "MASS_MEASURE_WITH_UNIT" : "LENGTH_MEASURE_WITH_UNIT";
        double number;
        if (measure && !step_find_type(measure, type))
            type = "MEASURE_WITH_UNIT";
        if (!measure || !read_number(measure, find_parameter(measure, type, 0), &start, &number))
            return UNIT_OTHER;
        unit->factor *= number;
        record = follow(records, measure, type, 1);
    }
    return UNIT_OTHER;
}

/* Reads a unit of density, mass by length. Many files have the exponent 3 for the length, and mean -3. */
static bool read_units(const struct records *records, const struct step_record *derived, struct step_unit *mass,
                       struct step_unit *length)
{
    const char *list = find_parameter(derived, "DERIVED_UNIT", 0), *start;
    *mass = *length = (struct step_unit){0};
    for (uint32_t i = 0; i < MOST_UNITS && find_item(derived, list, i); i++) {
        const struct step_record *element = find_record(records, find_item(derived, list, i), derived->end);
        struct step_unit unit;
        double exponent = 0;
        enum unit_kind kind = read_unit(records, follow(records, element, "DERIVED_UNIT_ELEMENT", 0), &unit);
        if (kind == UNIT_OTHER ||
            !read_number(element, find_parameter(element, "DERIVED_UNIT_ELEMENT", 1), &start, &exponent))
            return false;
        struct step_unit *known = kind == UNIT_MASS ? mass : length;
        if (known->factor > 0 || (kind == UNIT_MASS ? exponent != 1 : fabs(exponent) != 3))
            return false;
        *known = unit;
    }
    return mass->factor > 0 && length->factor > 0;
}

/* Returns a density in kg/m3. */
static double in_kilograms(double density, const struct step_unit *mass, const struct step_unit *length)
{
    int tens = mass->tens - 3 * length->tens;
    double factor = mass->factor / (length->factor * length->factor * length->factor), power = pow(10, abs(tens));
    return tens < 0 ? density * factor / power : density * factor * power;
}

/* ---- words ---- */

/* Returns how long a string or an enumeration is without its marks: 'POUND', .KILO.; 0 for anything else. */
static int length_of_word(const char *at, const char *end)
{
    if (!at || (*at != '\'' && *at != '.'))
        return 0;
    const char *last = memchr(at + 1, *at, (size_t)(end - at - 1));
    return last ? (int)(last - at - 1) : 0;
}

/* Appends a unit as the file has it: its names, with their exponents. NULL if out of memory. */
static const char *add_unit(struct arena *arena, const struct records *records, const struct step_record *unit,
                            const char *text)
{
    const char *list = find_parameter(unit, "DERIVED_UNIT", 0);
    for (uint32_t i = 0; text && i < MOST_UNITS && find_item(unit, list, i); i++) {
        const struct step_record *element = find_record(records, find_item(unit, list, i), unit->end);
        const struct step_record *named = follow(records, element, "DERIVED_UNIT_ELEMENT", 0);
        const char *prefix = find_parameter(named, "SI_UNIT", 0), *name = find_parameter(named, "SI_UNIT", 1), *start;
        char exponent[NUMBER_SIZE] = "1";
        double number;
        if (!name)
            name = find_parameter(named, "CONVERSION_BASED_UNIT", 0);
        if (!name)
            name = find_parameter(named, "CONTEXT_DEPENDENT_UNIT", 0);
        if (!name)
            continue;
        if (read_number(element, find_parameter(element, "DERIVED_UNIT_ELEMENT", 1), &start, &number))
            (void)print_double(number, exponent);
        text = arena_print(arena, "%s %.*s%.*s^%s", text, length_of_word(prefix, named->end), prefix ? prefix + 1 : "",
                           length_of_word(name, named->end), name + 1, exponent);
    }
    return text;
}

/* ---- densities ---- */

/* Takes the density that a representation gives to a product's definition. */
static cp_status take_density(struct step *step, struct step_model *model, const struct records *records,
                              const struct step_record *record)
{
    const struct step_record *property = follow(records, record, "PROPERTY_DEFINITION_REPRESENTATION", 0);
    const struct step_record *shown = follow(records, record, "PROPERTY_DEFINITION_REPRESENTATION", 1);
    const char *name = find_parameter(shown, "REPRESENTATION", 0), *start, *end;
    const char *product = find_parameter(property, "PROPERTY_DEFINITION", 2);
    struct step_density density = {0};
    double number;
    if (!shown || !says(name, shown->end, "'density'") || !product || *product != '#')
        return CP_OK;
    const struct step_record *item =
        find_record(records, find_item(shown, find_parameter(shown, "REPRESENTATION", 1), 0), shown->end);
    if (!item || !(end = read_number(item, find_parameter(item, "MEASURE_REPRESENTATION_ITEM", 1), &start, &number)))
        return CP_OK;
    const struct step_record *unit = follow(records, item, "MEASURE_REPRESENTATION_ITEM", 2);
    struct step_unit mass, length;
    char printed[NUMBER_SIZE];
    (void)step_read_id(product + 1, property->end, &density.definition);
    density.has_unit = read_units(records, unit, &mass, &length);
    if (density.has_unit)
        (void)print_double(in_kilograms(number, &mass, &length), printed);
    density.text = density.has_unit ? scene_text(step->scene, printed)
                                    : add_unit(step->scene->arena, records, unit,
                                               arena_print(step->scene->arena, "%.*s", (int)(end - start), start));
    if (!density.text || !array_reserve(step->context, &model->densities, &model->density_room,
                                        model->density_count + UINT64_C(1), sizeof *model->densities))
        return CP_LIMIT;
    model->densities[model->density_count++] = density;
    return CP_OK;
}

cp_status step_find_densities(struct step *step, struct step_model *model, const char *bytes, size_t size)
{
    struct records records = {0};
    struct step_record record;
    const char *at = bytes, *end = bytes + size;
    cp_status status = CP_OK;
    while (status == CP_OK && step_next_record(&at, end, &record)) {
        if (!matters(&record))
            continue;
        if (array_reserve(step->context, &records.items, &records.room, records.count + UINT64_C(1),
                          sizeof *records.items))
            records.items[records.count++] = record;
        else
            status = CP_LIMIT;
    }
    if (records.count)
        qsort(records.items, records.count, sizeof *records.items, compare_records);
    for (uint32_t i = 0; i < records.count && status == CP_OK; i++)
        if (step_find_type(&records.items[i], "PROPERTY_DEFINITION_REPRESENTATION"))
            status = take_density(step, model, &records, &records.items[i]);
    memory_free(step->context, records.items, records.room, sizeof *records.items);
    return status;
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif

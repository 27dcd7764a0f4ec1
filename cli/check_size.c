/* check min-size= max-size=: whether what a scene shows is as large as it should be, or in another unit. */
#include "check.h"

#include <math.h>
#include <string.h>

/* The units that files without one are made in. */
static const struct {
    const char *name;
    double metres;
} units[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"in", 0.0254}, {"ft", 0.3048}, {"m", 1}};

static bool fits(const struct wanted *wanted, double size)
{
    const double rounding = 1e-9; /* a part of exactly 2 m in mm may be a bit longer */
    return size >= wanted->least_size * (1 - rounding) &&
           (wanted->most_size == 0 || size <= wanted->most_size * (1 + rounding));
}

/* Returns the index of the importer of the file; SIZE_MAX: it is not known. The source of a stage is another file. */
static size_t importer_of(struct check *check)
{
    const struct wanted *wanted = &check->wanted;
    const char *format = wanted->request.from ? importer_named(wanted->request.from) : NULL;
    if (!format && strcmp(wanted->path, "-") != 0 &&
        cp_find_format(check->cli->context, wanted->path, &format) != CP_OK)
        format = NULL;
    return format ? plugin_named(CP_IMPORTER, format) : SIZE_MAX;
}

/* Lists the units in which the size would fit: "; --in stl.unit=mm makes it 0.2 m"; "" if there is none, or if the file
 * itself says its unit. NULL when out of memory. */
static const char *fitting_units(struct check *check, const cp_scene *scene, double size)
{
    const cp_source *source = cp_scene_source(scene);
    const char *text = "";
    cp_option_info option;
    size_t importer = importer_of(check);
    if (importer == SIZE_MAX || !plugin_has(CP_IMPORTER, importer, "unit", &option) || source->unit <= 0)
        return text;
    for (size_t i = 0; i < sizeof units / sizeof *units && text; i++) {
        double other = size * units[i].metres / source->unit;
        if (fits(&check->wanted, other))
            text = cli_print(check->cli, "%s%s%s.unit=%s makes it %s m", text, *text ? ", " : "; --in ",
                             plugin_at(CP_IMPORTER, importer).name, units[i].name, short_number(other).text);
    }
    return text;
}

cp_status check_size(struct check *check, const cp_scene *scene)
{
    const struct wanted *wanted = &check->wanted;
    cp_measures measures = {.size = sizeof measures};
    double sides[3] = {0}, size = 0;
    cp_status status = cp_measure(check->cli->context, scene, CP_USE_BOTH, &measures);
    for (int i = 0; i < 3 && measures.any; i++) {
        sides[i] = measures.upper[i] - measures.lower[i];
        size = fmax(size, sides[i]);
    }
    if (status != CP_OK || fits(wanted, size))
        return status;
    bool is_small = size < wanted->least_size;
    const char *units_text = wanted->least_size > 0 && wanted->most_size > 0 ? fitting_units(check, scene, size) : "";
    const char *text =
        units_text ? cli_print(check->cli, "is %s x %s x %s m, its longest side may be %s m at %s%s",
                               short_number(sides[0]).text, short_number(sides[1]).text, short_number(sides[2]).text,
                               short_number(is_small ? wanted->least_size : wanted->most_size).text,
                               is_small ? "least" : "most", units_text)
                   : NULL;
    return tell(check, &(struct fault){.code = units_text && *units_text ? "check-unit" : "check-size",
                                       .file = wanted->path,
                                       .text = text,
                                       .size = sides});
}

/* Numbers with units, as users write them. */
#include "text.h"

#include <math.h>
#include <string.h>

double degrees_to_radians(double degrees)
{
    return degrees / 180 * PI;
}

double radians_to_degrees(double radians)
{
    return radians / PI * 180;
}

const struct unit length_units[] = {{"mm", 0.001},  {"cm", 0.01}, {"in", 0.0254}, {"inch", 0.0254},
                                    {"ft", 0.3048}, {"m", 1},     {NULL, 0}};

const struct unit size_units[] = {{"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
                                  {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"K", 0x1p10},
                                  {"M", 0x1p20},   {"G", 0x1p30},   {NULL, 0}};

const struct unit time_units[] = {{"ms", 0.001}, {"s", 1}, {"min", 60}, {"h", 3600}, {NULL, 0}};

const struct unit percent_units[] = {{"%", 0.01}, {NULL, 0}};

const struct unit angle_units[] = {{"deg", PI / 180}, {"rad", 1}, {NULL, 0}};

bool read_measure(const char *text, const struct unit *units, double bare, double *result)
{
    double number;
    const char *after = parse_double(text, text + strlen(text), &number);
    if (!after)
        return false;
    while (*after == ' ')
        after++;
    if (!*after) {
        *result = bare == PI / 180 ? degrees_to_radians(number) : number * bare;
        return true;
    }
    for (const struct unit *unit = units; unit->name; unit++)
        if (strcmp(after, unit->name) == 0) {
            *result = unit->size == PI / 180 ? degrees_to_radians(number) : number * unit->size;
            return true;
        }
    return false;
}

bool read_length(const char *text, double *metres)
{
    return read_measure(text, length_units, 1, metres);
}

bool cut_entry(const char *text, char entry[ENTRY_SIZE], const char **rest)
{
    size_t size = strcspn(text, ",");
    *rest = text + size + (text[size] == ',');
    for (; size > 0 && *text == ' '; size--)
        text++;
    while (size > 0 && text[size - 1] == ' ')
        size--;
    if (size >= ENTRY_SIZE)
        return false;
    memcpy(entry, text, size);
    entry[size] = '\0';
    return true;
}

bool read_angle(const char *text, double bare, double *radians)
{
    return read_measure(text, angle_units, bare, radians);
}

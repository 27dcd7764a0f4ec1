/* Option tables -> settings. */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "registry.h"

const struct option import_options[] = {{"strict", "refuse what breaks the format's rules", OPTION_BOOLEAN,
                                         offsetof(struct import_settings, strict), "no", 0, 0, NULL},
                                        {"partial", "keep what a truncated file holds", OPTION_BOOLEAN,
                                         offsetof(struct import_settings, partial), "no", 0, 0, NULL},
                                        OPTIONS_END};

const char *option_type_word(enum option_type type)
{
    static const char *const words[] = {"yes|no", "integer", "number", "length",      "size", "angle",
                                        "choice", "unit",    "text",   "length or %", "time"};
    return words[type];
}

double option_scale(const struct option *option)
{
    return option->type == OPTION_ANGLE ? 180 / PI : 1;
}

struct value {
    const struct option *option;
    const char *text; /* what the user wrote after '=' */
    void *settings;
};

static void *target(const struct value *value)
{
    return (char *)value->settings + value->option->offset;
}

static cp_status bad_value(cp_context *context, const struct value *value, const char *needs)
{
    return report_error(context, CP_USAGE, "option-value", NOWHERE, "%s=%s: needs %s", value->option->name, value->text,
                        needs);
}

static bool in_range(const struct option *option, double number)
{
    bool bounded = option->minimum != 0 || option->maximum != 0;
    return !bounded || (number >= option->minimum && number <= option->maximum);
}

static cp_status out_of_range(cp_context *context, const struct value *value)
{
    char minimum[NUMBER_SIZE], maximum[NUMBER_SIZE];
    enum option_type type = value->option->type;
    print_double(value->option->minimum * option_scale(value->option), minimum);
    print_double(value->option->maximum * option_scale(value->option), maximum);
    return report_error(context, CP_USAGE, "option-range", NOWHERE, "%s=%s: must lie in %s .. %s%s",
                        value->option->name, value->text, minimum, maximum,
                        type == OPTION_ANGLE    ? " degrees"
                        : type == OPTION_LENGTH ? " m"
                        : type == OPTION_TIME   ? " s"
                                                : "");
}

/* A number and a unit's name after it; a bare number is in `bare`. */
static cp_status set_measure(cp_context *context, const struct value *value)
{
    double number;
    bool good = false;
    const char *needs = "a number";
    if (value->option->type == OPTION_NUMBER) {
        bool is_part = value->option->maximum > 0 && value->option->maximum <= 1 && strchr(value->text, '%');
        good = is_part ? read_measure(value->text, percent_units, 1, &number) : text_is_number(value->text, &number);
    } else if (value->option->type == OPTION_LENGTH) {
        needs = "a length such as 0.5, 20mm or 3in";
        good = read_length(value->text, &number);
    } else if (value->option->type == OPTION_SIZE) {
        needs = "a size such as 200000, 500kB or 2MiB";
        good = read_measure(value->text, size_units, 1, &number);
    } else if (value->option->type == OPTION_TIME) {
        needs = "a time such as 30, 500ms, 60s or 2min";
        good = read_measure(value->text, time_units, 1, &number);
    } else {
        needs = "an angle such as 30, 30deg or 0.5rad";
        good = read_angle(value->text, PI / 180, &number);
    }
    if (!good || !isfinite(number))
        return bad_value(context, value, needs);
    if (!in_range(value->option, number))
        return out_of_range(context, value);
    *(double *)target(value) = number;
    return CP_OK;
}

static cp_status set_extent(cp_context *context, const struct value *value)
{
    struct extent extent = {0, 0};
    bool is_part = strchr(value->text, '%') != NULL;
    double *number = is_part ? &extent.part : &extent.metres;
    bool good = is_part ? read_measure(value->text, percent_units, 0.01, number) : read_length(value->text, number);
    if (!good || !isfinite(*number) || !(*number > 0))
        return bad_value(context, value, "a length such as 0.1mm, or a part of the size such as 0.1%");
    if (!in_range(value->option, *number))
        return out_of_range(context, value);
    *(struct extent *)target(value) = extent;
    return CP_OK;
}

static cp_status set_value(cp_context *context, const struct value *value)
{
    static const char *const words[] = {"no", "yes", "false", "true", "0", "1", "off", "on"};
    const char *at = value->option->choices;
    double number;
    switch (value->option->type) {
    case OPTION_BOOLEAN:
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcmp(value->text, words[i]) == 0) {
                *(bool *)target(value) = i % 2 == 1;
                return CP_OK;
            }
        return bad_value(context, value, "yes or no");
    case OPTION_INTEGER:
        if (!text_is_number(value->text, &number) || number != floor(number))
            return bad_value(context, value, "a whole number");
        if (!in_range(value->option, number))
            return out_of_range(context, value);
        if (fabs(number) > 9e15)
            return bad_value(context, value, "a whole number up to 9e15");
        *(int64_t *)target(value) = (int64_t)number;
        return CP_OK;
    case OPTION_NUMBER:
    case OPTION_LENGTH:
    case OPTION_SIZE:
    case OPTION_ANGLE:
    case OPTION_TIME:
        return set_measure(context, value);
    case OPTION_CHOICE:
        for (int index = 0; *at; index++) {
            size_t size = strcspn(at, "|");
            char choice[32];
            (void)snprintf(choice, sizeof choice, "%.*s", (int)size, at);
            if (text_equal_nocase(choice, value->text)) {
                *(int *)target(value) = index;
                return CP_OK;
            }
            at += size + (at[size] == '|');
        }
        return bad_value(context, value, value->option->choices);
    case OPTION_UNIT:
        for (const struct unit *unit = length_units; unit->name; unit++)
            if (text_equal_nocase(value->text, unit->name)) {
                *(double *)target(value) = unit->size;
                return CP_OK;
            }
        if (!text_is_number(value->text, &number) || !(number > 0))
            return bad_value(context, value, "m, mm, cm, in, ft or metres per unit");
        *(double *)target(value) = number;
        return CP_OK;
    case OPTION_STRING:
        *(const char **)target(value) = value->text;
        return CP_OK;
    case OPTION_EXTENT:
        return set_extent(context, value);
    }
    return CP_BUG;
}

static const struct option *find_option(const struct option *options, const char *name, size_t size)
{
    for (; options && options->name; options++)
        if (strlen(options->name) == size && strncmp(options->name, name, size) == 0)
            return options;
    return NULL;
}

cp_status options_set(cp_context *context, const struct plugin *plugin, const struct option *common, const char *text,
                      void *settings)
{
    enum { MOST = 64 }; /* words to choose the nearest from */
    size_t size = strcspn(text, "="), count = 0;
    const struct option *option = find_option(plugin->options, text, size);
    if (!option)
        option = find_option(common, text, size);
    if (option && !text[size] && option->type != OPTION_BOOLEAN)
        return report_error(context, CP_USAGE, "option-value", NOWHERE, "%s needs a value: %s=%s", option->name,
                            option->name, option->choices ? option->choices : option_type_word(option->type));
    if (option)
        return set_value(context, &(struct value){option, text[size] ? text + size + 1 : "yes", settings});
    const char *words[MOST + 1];
    for (const struct option *known = plugin->options; known && known->name && count < MOST; known++)
        words[count++] = known->name;
    for (const struct option *known = common; known && known->name && count < MOST; known++)
        words[count++] = known->name;
    words[count] = NULL;
    struct buffer what = {.context = context};
    buffer_print(&what, "option of %s", plugin->name);
    cp_status status = report_unknown(context, "option-unknown", what.failed ? "option" : what.data, text, size, words);
    buffer_free(&what);
    return status;
}

static cp_status set_defaults(cp_context *context, const struct option *options, void *settings)
{
    cp_status status = CP_OK;
    for (; options && options->name && status == CP_OK; options++)
        if (options->initial) {
            struct value value = {options, options->initial, settings};
            status = set_value(context, &value);
        }
    return status;
}

void *options_parse(cp_context *context, const struct plugin *plugin, const struct option *common,
                    const char *const *texts, size_t count, cp_status *status)
{
    void *settings = memory_allocate_zeroed(context, 1, plugin->settings_size);
    *status = settings ? CP_OK : CP_LIMIT;
    if (*status == CP_OK)
        *status = set_defaults(context, common, settings);
    if (*status == CP_OK)
        *status = set_defaults(context, plugin->options, settings);
    for (size_t i = 0; i < count && *status == CP_OK; i++)
        *status = options_set(context, plugin, common, texts[i], settings);
    if (*status == CP_OK)
        return settings;
    options_free(context, plugin, settings);
    return NULL;
}

void options_free(cp_context *context, const struct plugin *plugin, void *settings)
{
    memory_free(context, settings, 1, plugin->settings_size);
}

const struct importer *importer_of_option(const cp_context *context, const char *setting, const char **text)
{
    size_t point = strcspn(setting, ".="); /* a point after '=' belongs to the value */
    if (setting[point] != '.')
        return NULL;
    *text = setting + point + 1;
    for (const struct importer *const *at = context->plugins->importers; *at; at++)
        if (strlen((*at)->plugin.name) == point && strncmp((*at)->plugin.name, setting, point) == 0)
            return *at;
    return NULL;
}

cp_status check_importer_option(cp_context *context, const char *setting)
{
    const char *text;
    const struct importer *importer = importer_of_option(context, setting, &text);
    if (!importer)
        return report_error(context, CP_USAGE, "option-importer", NOWHERE,
                            "\"%s\" does not begin with an importer's name and a point", setting);
    cp_status status;
    void *settings = options_parse(context, &importer->plugin, import_options, &text, 1, &status);
    options_free(context, &importer->plugin, settings);
    return status;
}

cp_status cp_set_importer_option(cp_context *context, const char *setting)
{
    cp_status status = check_importer_option(context, setting);
    if (status == CP_OK)
        status = context_append_text(context, &context->importer_options, &context->importer_option_count,
                                     &context->importer_option_room, setting);
    return context_finish(context, status);
}

bool cp_parse_length(const char *text, double *metres)
{
    return read_length(text, metres);
}

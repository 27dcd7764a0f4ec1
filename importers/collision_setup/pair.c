/* What our exporter says of a pair in attributes: exporters/collision_setup/xml.c. */
#include <math.h>
#include <string.h>

#include "collision_setup.h"

/* Zero and more. */
static bool read_length(const char *text, double *length)
{
    return text_is_number(text, length) && *length >= 0;
}

static bool read_count(const char *text, uint32_t *count)
{
    double value;
    if (!read_length(text, &value) || value > UINT32_MAX || floor(value) != value)
        return false;
    *count = (uint32_t)value;
    return true;
}

/* Whole numbers up to 2^53 are exact. */
static bool read_work(const char *text, uint64_t *work)
{
    double value;
    if (!read_length(text, &value) || value > 9007199254740992.0 || floor(value) != value)
        return false;
    *work = (uint64_t)value;
    return true;
}

static bool read_number(struct collision_pair *pair, const char *name, const char *value)
{
    cp_finding *finding = &pair->finding;
    if (!strcmp(name, "margin"))
        return read_length(value, &finding->margin);
    if (!strcmp(name, "touch"))
        return read_length(value, &finding->touch);
    if (!strcmp(name, "clearance"))
        return read_length(value, &finding->clearance);
    if (!strcmp(name, "work"))
        return read_work(value, &finding->work);
    if (!strcmp(name, "samples"))
        return read_count(value, &finding->samples);
    if (!strcmp(name, "descents"))
        return read_count(value, &finding->descents);
    return !strcmp(name, "hits") && read_count(value, &finding->hits);
}

static bool is_reason(const char *word)
{
    for (size_t i = 0; reason_words[i]; i++)
        if (!strcmp(reason_words[i], word))
            return true;
    return false;
}

bool collision_pair_take(struct collision_pair *pair, const char *name, const char *value)
{
    if (!strcmp(name, "first")) {
        pair->statement.first = value;
    } else if (!strcmp(name, "second")) {
        pair->statement.second = value;
    } else if (!strcmp(name, "evidence")) {
        pair->statement.evidence = value;
    } else if (!strcmp(name, "reason")) {
        pair->reasoned = is_reason(value);
        pair->statement.reason = pair->reasoned ? value : pair->statement.reason;
        return pair->reasoned;
    } else {
        bool number = pair->reasoned && read_number(pair, name, value);
        pair->statement.finding = number ? &pair->finding : pair->statement.finding;
        return number;
    }
    return true;
}

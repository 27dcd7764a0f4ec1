/* Reads XML into statements; collision_setup.c lists what is read and what is refused. */
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "base/text/xml.h"
#include "collision_setup.h"

struct reading {
    struct xml xml;
    struct collision_setup *setup;
    cp_status status; /* sticky */
};

static struct place here(const struct reading *reading)
{
    return AT_LINE(reading->setup->file, reading->xml.line);
}

/* ---- what is passed over, and the exporter's note ---- */

static void lose_attribute(struct reading *reading, const char *name)
{
    report_loss(reading->setup->context, "collision-setup-attribute", IN_FILE(reading->setup->file), 1,
                "the attribute %.100s of FramePair", name);
}

static void lose_text(struct reading *reading)
{
    if (strspn(reading->xml.text, " \t\r\n") < reading->xml.size)
        report_loss(reading->setup->context, "collision-setup-text", IN_FILE(reading->setup->file), 1,
                    "text where no text has a meaning");
}

/* Takes a comment of ours: key of all pairs of the cell: 0123456789abcdef */
static void take_cell_key(struct reading *reading)
{
    static const char start[] = " key of all pairs of the cell: ";
    const char *text = reading->xml.text;
    if (reading->setup->cell_key || strncmp(text, start, sizeof start - 1) != 0)
        return;
    text += sizeof start - 1;
    if (strspn(text, "0123456789abcdef") != 16 || strcmp(text + 16, " ") != 0)
        return;
    reading->setup->cell_key = arena_copy_text(reading->setup->arena, text, 16);
    if (!reading->setup->cell_key)
        reading->status = CP_LIMIT;
}

/* Takes a comment of ours: names are relative to "Device." */
static void take_note(struct reading *reading)
{
    static const char start[] = " names are relative to \"";
    const char *text = reading->xml.text;
    if (reading->setup->prefix || strncmp(text, start, sizeof start - 1) != 0)
        return;
    text += sizeof start - 1;
    const char *end = strrchr(text, '"');
    if (!end || strcmp(end, "\" ") != 0)
        return;
    reading->setup->prefix = arena_copy_text(reading->setup->arena, text, (size_t)(end - text));
    if (!reading->setup->prefix)
        reading->status = CP_LIMIT;
}

/* Finds the next element in the open one, whose children are read to their ends. False at its end. Its text is appended
 * to `text`, or lost when that is NULL. */
static bool next_child(struct reading *reading, struct buffer *text)
{
    struct xml *xml = &reading->xml;
    while (reading->status == CP_OK)
        switch (xml_next(xml)) {
        case XML_START:
            return true;
        case XML_TEXT:
            if (text)
                buffer_append(text, xml->text, xml->size);
            else
                lose_text(reading);
            break;
        case XML_COMMENT:
            take_note(reading);
            take_cell_key(reading);
            break;
        case XML_END:
        case XML_OVER:
            return false;
        }
    return false;
}

/* Reads to the end of an element without children; RobWork ignores any that there are. */
static void end_leaf(struct reading *reading, struct buffer *text)
{
    while (next_child(reading, text)) {
        report_loss(reading->setup->context, "collision-setup-inner", IN_FILE(reading->setup->file), 1,
                    "the element <%.100s> where no element has a meaning", reading->xml.name);
        (void)xml_text(&reading->xml);
    }
}

/* ---- what our exporter says of a pair in attributes: exporters/collision_setup/xml.c ---- */

/* A pair on its way. */
struct pair {
    struct collision_statement statement; /* its finding is NULL, or the one here */
    cp_finding finding;
    bool reasoned; /* the reason is one of ours, so the numbers are ours, too */
};

static bool is_length(const char *name)
{
    return !strcmp(name, "margin") || !strcmp(name, "touch") || !strcmp(name, "clearance");
}

/* Reads a length, which is zero or more. */
static bool parse_length(const char *text, double *length)
{
    return text_is_number(text, length) && *length >= 0;
}

static bool read_count(const char *text, uint32_t *count)
{
    double value;
    if (!parse_length(text, &value) || value > UINT32_MAX || floor(value) != value)
        return false;
    *count = (uint32_t)value;
    return true;
}

/* Reads a whole number up to 2^53: all of these are exact in a double. */
static bool read_work(const char *text, uint64_t *work)
{
    double value;
    if (!parse_length(text, &value) || value > 9007199254740992.0 || floor(value) != value)
        return false;
    *work = (uint64_t)value;
    return true;
}

/* What an attribute says. */
enum saying {
    SAYS_NOTHING, /* to us */
    SAYS_WRONG,   /* one of our numbers with a value that it cannot have */
    SAYS_IT
};

static enum saying read_number(cp_finding *finding, const char *name, const char *value)
{
    bool good = false;
    if (!strcmp(name, "margin"))
        good = parse_length(value, &finding->margin);
    else if (!strcmp(name, "touch"))
        good = parse_length(value, &finding->touch);
    else if (!strcmp(name, "clearance"))
        good = parse_length(value, &finding->clearance);
    else if (!strcmp(name, "work"))
        good = read_work(value, &finding->work);
    else if (!strcmp(name, "samples"))
        good = read_count(value, &finding->samples);
    else if (!strcmp(name, "descents"))
        good = read_count(value, &finding->descents);
    else if (!strcmp(name, "key")) /* a key of another form is another program's */
        return strlen(value) == 16 && text_is_hash(value, &finding->key) ? SAYS_IT : SAYS_NOTHING;
    else if (!strcmp(name, "hits"))
        good = read_count(value, &finding->hits);
    else
        return SAYS_NOTHING;
    return good ? SAYS_IT : SAYS_WRONG;
}

/* Takes an attribute of FramePair, "reason" before the others; its value lives as long as the pair. */
static enum saying take_attribute(struct pair *pair, const char *name, const char *value)
{
    if (!strcmp(name, "first")) {
        pair->statement.first = value;
    } else if (!strcmp(name, "second")) {
        pair->statement.second = value;
    } else if (!strcmp(name, "evidence")) {
        pair->statement.evidence = value;
    } else if (!strcmp(name, "reason")) {
        size_t i = 0;
        while (reason_words[i] && strcmp(reason_words[i], value) != 0)
            i++;
        if (!reason_words[i])
            return SAYS_NOTHING;
        pair->reasoned = true;
        pair->statement.reason = value;
    } else {
        enum saying saying = pair->reasoned ? read_number(&pair->finding, name, value) : SAYS_NOTHING;
        if (saying == SAYS_IT)
            pair->statement.finding = &pair->finding;
        return saying;
    }
    return SAYS_IT;
}

/* ---- statements ---- */

/* Adds a statement, whose texts are copies already. */
static void add_statement(struct reading *reading, const struct collision_statement *statement)
{
    struct collision_setup *setup = reading->setup;
    if (!array_reserve(setup->context, &setup->statements, &setup->room, setup->count + UINT64_C(1),
                       sizeof *setup->statements)) {
        reading->status = CP_LIMIT;
        return;
    }
    setup->statements[setup->count] = *statement;
    setup->statements[setup->count++].line = reading->xml.line;
}

static void read_pair(struct reading *reading)
{
    struct collision_setup *setup = reading->setup;
    struct pair pair = {.statement = {.reason = "given", .evidence = ""},
                        .finding = {.touch = CP_TOUCH, .clearance = INFINITY}};
    /* Take the reason first: it decides whether the numbers are ours. */
    for (int others = 0; others < 2; others++)
        for (uint32_t i = 0; i < reading->xml.attribute_count; i++) {
            const struct xml_attribute *attribute = &reading->xml.attributes[i];
            if (others == (strcmp(attribute->name, "reason") == 0))
                continue;
            const char *value = arena_copy_text(setup->arena, attribute->value, strlen(attribute->value));
            if (!value) {
                reading->status = CP_LIMIT;
                return;
            }
            enum saying saying = *attribute->uri ? SAYS_NOTHING : take_attribute(&pair, attribute->name, value);
            if (saying == SAYS_NOTHING)
                lose_attribute(reading, attribute->name);
            if (saying == SAYS_WRONG) {
                reading->status = report_error(setup->context, CP_INPUT, "collision-setup-number", here(reading),
                                               "FramePair has %s=\"%.100s\": needs a %s of 0 or more", attribute->name,
                                               value, is_length(attribute->name) ? "number" : "whole number");
                return;
            }
        }
    if (!pair.statement.first || !pair.statement.second) {
        reading->status = report_error(setup->context, CP_INPUT, "collision-setup-pair", here(reading),
                                       "FramePair has no attribute %s", pair.statement.first ? "second" : "first");
        return;
    }
    if (pair.finding.hits > pair.finding.samples) {
        lose_attribute(reading, "hits");
        pair.finding.hits = 0;
    }
    if (pair.statement.finding) {
        pair.statement.finding = arena_copy(setup->arena, &pair.finding, 1, sizeof pair.finding);
        if (!pair.statement.finding) {
            reading->status = CP_LIMIT;
            return;
        }
    }
    add_statement(reading, &pair.statement);
    end_leaf(reading, NULL);
}

static void read_volatile(struct reading *reading)
{
    struct buffer text = {.context = reading->setup->context};
    end_leaf(reading, &text);
    const char *name =
        text.failed ? NULL : arena_copy_text(reading->setup->arena, text.size ? text.data : "", text.size);
    buffer_free(&text);
    if (!name)
        reading->status = CP_LIMIT;
    else if (reading->xml.status == CP_OK)
        add_statement(reading, &(struct collision_statement){.first = name});
}

/* ---- elements ---- */

static void refuse_attributes(struct reading *reading)
{
    const struct xml *xml = &reading->xml;
    if (xml->attribute_count + xml->namespace_count > 0)
        reading->status = report_error(reading->setup->context, CP_INPUT, "collision-setup-attributes", here(reading),
                                       "<%s> may have no attribute, but has %.100s", xml->name,
                                       xml->attribute_count ? xml->attributes[0].name : "xmlns");
}

static void refuse_element(struct reading *reading, const char *parent)
{
    reading->status = report_error(reading->setup->context, CP_INPUT, "collision-setup-element", here(reading),
                                   "unknown element <%.100s> in <%s>", reading->xml.name, parent);
}

static void read_exclude(struct reading *reading)
{
    refuse_attributes(reading);
    while (next_child(reading, NULL))
        if (strcmp(reading->xml.name, "FramePair") == 0)
            read_pair(reading);
        else
            refuse_element(reading, "Exclude");
}

static void read_root(struct reading *reading)
{
    const char *name = reading->xml.name;
    if (strcmp(name, "CollisionSetup") != 0)
        reading->status = report_error(reading->setup->context, CP_INPUT, "collision-setup-root", here(reading),
                                       "the root element is <%.100s>, not <CollisionSetup>%s", name,
                                       strcmp(name, "ProximitySetup") == 0
                                           ? ": a proximity setup is read with the cell that names it"
                                           : "");
    else
        refuse_attributes(reading);
    while (next_child(reading, NULL)) {
        name = reading->xml.name;
        if (strcmp(name, "Exclude") == 0) {
            read_exclude(reading);
        } else if (strcmp(name, "Volatile") == 0) {
            read_volatile(reading);
        } else if (strcmp(name, "ExcludeStaticPairs") == 0) {
            reading->setup->exclude_static_pairs = true;
            end_leaf(reading, NULL);
        } else {
            refuse_element(reading, "CollisionSetup");
        }
    }
}

cp_status collision_setup_parse(struct source *source, struct collision_setup *setup)
{
    static const struct xml_codes codes = XML_CODES("collision-setup");
    struct reading reading = {.setup = setup};
    /* A workcell can be read without its exclusions; the importer itself is listed as not built. */
    if (!XML_IS_BUILT) {
        report_loss(setup->context, "collision-setup-unbuilt", IN_FILE(source->name), 1,
                    "the exclusions: cellpipe was built without libxml2");
        return CP_OK;
    }
    if (xml_open(&reading.xml, source, setup->strict, &codes) == CP_OK)
        while (next_child(&reading, NULL)) /* once: a second root is no XML */
            read_root(&reading);
    cp_status status = xml_close(&reading.xml);
    return reading.status == CP_OK ? status : reading.status;
}

#include "checking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "base/text/json.h"
#include "base/text/text.h"

struct reading {
    struct listed_evidence *evidence;
    struct source *source;
    struct json_document json;
    uint32_t array;      /* that items are taken from */
    struct name_map ids; /* of frames */
    cp_status status;    /* sticky */
};

/* ---- members ---- */

static void refuse(struct reading *reading, uint32_t value, const char *why)
{
    struct buffer pointer = {.context = reading->evidence->context};
    if (reading->status != CP_OK)
        return;
    json_pointer(&reading->json, value, &pointer);
    buffer_append(&pointer, "", 1);
    struct place place =
        AT_LINE(reading->source->name, source_line(reading->source, reading->json.values[value].start));
    reading->status = pointer.failed ? CP_LIMIT
                                     : report_error(reading->evidence->context, CP_INPUT, "list-evidence", place,
                                                    "%s: %s", pointer.data, why);
    buffer_free(&pointer);
}

static void refuse_without(struct reading *reading, uint32_t object, const char *kind, const char *key)
{
    char why[64];
    (void)snprintf(why, sizeof why, "the %s \"%s\" is missing", kind, key);
    refuse(reading, object, why);
}

/* Returns a copy of the text; "" after an error. */
static const char *read_text(struct reading *reading, uint32_t object, const char *key)
{
    uint32_t value = json_member(&reading->json, object, key);
    if (reading->status == CP_OK && !json_is(&reading->json, value, JSON_STRING))
        refuse_without(reading, object, "text", key);
    const char *text =
        reading->status == CP_OK ? json_string_text(&reading->json, reading->evidence->arena, value) : "";
    if (!text)
        reading->status = CP_LIMIT;
    return text ? text : "";
}

/* Reads a hash; 0 if it is absent. */
static uint64_t read_hash(struct reading *reading, uint32_t object, const char *key)
{
    uint64_t hash = 0;
    if (json_member(&reading->json, object, key) != JSON_NONE && !text_is_hash(read_text(reading, object, key), &hash))
        refuse(reading, object, "a key is not of hexadecimal digits");
    return hash;
}

/* Reads a number of zero or more; `usual` when absent. */
static double read_number(struct reading *reading, uint32_t object, const char *key, double usual)
{
    uint32_t value = json_member(&reading->json, object, key);
    if (value == JSON_NONE)
        return usual;
    double number = json_is(&reading->json, value, JSON_NUMBER) ? json_to_number(&reading->json, value) : -1;
    if (!(number >= 0))
        refuse(reading, value, "is no number of 0 or more");
    return number;
}

/* Reads a whole number. */
static uint64_t read_count(struct reading *reading, uint32_t object, const char *key, double most)
{
    double number = read_number(reading, object, key, 0);
    bool whole = number >= 0 && number <= most && floor(number) == number;
    if (reading->status == CP_OK && !whole)
        refuse(reading, json_member(&reading->json, object, key), "is no whole number, or too large");
    return whole ? (uint64_t)number : 0;
}

/* Tells whether the pair has a part of a finding, which pairs that were not judged have not. */
static bool has_finding(const struct reading *reading, uint32_t pair)
{
    static const char *const parts[] = {"margin", "touch",     "work", "samples", "descents",
                                        "hits",   "clearance", "key",  "witness"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (json_member(&reading->json, pair, parts[i]) != JSON_NONE)
            return true;
    return false;
}

static cp_finding read_finding(struct reading *reading, uint32_t pair)
{
    return (cp_finding){.margin = read_number(reading, pair, "margin", 0),
                        .touch = read_number(reading, pair, "touch", CP_TOUCH),
                        .clearance = read_number(reading, pair, "clearance", INFINITY),
                        .work = read_count(reading, pair, "work", 0x1p53),
                        .samples = (uint32_t)read_count(reading, pair, "samples", UINT32_MAX),
                        .descents = (uint32_t)read_count(reading, pair, "descents", UINT32_MAX),
                        .hits = (uint32_t)read_count(reading, pair, "hits", UINT32_MAX)};
}

/* Returns the first item of an array of the top object, and makes room for a thing of each. */
static uint32_t open_array(struct reading *reading, const char *key, size_t size, void *items)
{
    uint32_t array = json_member(&reading->json, 0, key);
    if (reading->status == CP_OK && !json_is(&reading->json, array, JSON_ARRAY))
        refuse_without(reading, 0, "array", key);
    if (reading->status != CP_OK)
        return JSON_NONE;
    void *room = arena_allocate(reading->evidence->arena, json_count(&reading->json, array), size);
    memcpy(items, &room, sizeof room);
    reading->array = array;
    if (!room)
        reading->status = CP_LIMIT;
    return json_first(&reading->json, array);
}

static uint32_t next_item(struct reading *reading, uint32_t item)
{
    return reading->status == CP_OK ? json_next(&reading->json, reading->array, item) : JSON_NONE;
}

/* ---- the object ---- */

/* Reads the names of the further files, which lie beside the list. */
static void read_files(struct reading *reading)
{
    struct listed_evidence *evidence = reading->evidence;
    struct name_map names = {.context = evidence->context};
    for (uint32_t item = open_array(reading, "device_files", sizeof *evidence->files, &evidence->files);
         item != JSON_NONE && reading->status == CP_OK; item = next_item(reading, item)) {
        struct listed_file file = {read_text(reading, item, "file"), read_text(reading, item, "prefix")};
        if (!*file.name || strchr(file.name, '/'))
            refuse(reading, item, "a file is not beside the list");
        bool added = true;
        if (reading->status == CP_OK && !name_map_add(&names, file.name, 0, &added))
            reading->status = CP_LIMIT;
        else if (!added)
            refuse(reading, item, "a file is there twice");
        evidence->files[evidence->file_count++] = file;
    }
    name_map_free(&names);
}

static void read_frames(struct reading *reading)
{
    struct listed_evidence *evidence = reading->evidence;
    for (uint32_t item = open_array(reading, "frames", sizeof *evidence->frames, &evidence->frames);
         item != JSON_NONE && reading->status == CP_OK; item = next_item(reading, item)) {
        uint32_t placeholder = json_member(&reading->json, item, "placeholder");
        struct listed_frame frame = {.id = read_text(reading, item, "id"), .name = read_text(reading, item, "name")};
        frame.geometry = read_hash(reading, item, "geometry");
        frame.placeholder = json_is(&reading->json, placeholder, JSON_TRUE);
        frame.is_volatile = json_is(&reading->json, json_member(&reading->json, item, "volatile"), JSON_TRUE);
        bool added = false;
        if (reading->status == CP_OK && !name_map_add(&reading->ids, frame.id, evidence->frame_count, &added))
            reading->status = CP_LIMIT;
        else if (!added)
            refuse(reading, item, "another frame has this id");
        evidence->frames[evidence->frame_count++] = frame;
    }
}

static uint32_t read_frame(struct reading *reading, uint32_t pair, const char *key)
{
    const uint32_t *frame = name_map_find(&reading->ids, read_text(reading, pair, key));
    if (!frame)
        refuse(reading, pair, "names a frame that is not among the frames");
    return frame ? *frame : CP_NONE;
}

/* Reads the joint values at which the two collide, if the pair has any. */
static void read_witness(struct reading *reading, uint32_t object, struct listed_pair *pair)
{
    uint32_t array = json_member(&reading->json, object, "witness");
    if (reading->status != CP_OK || array == JSON_NONE)
        return;
    if (!json_is(&reading->json, array, JSON_ARRAY)) {
        refuse(reading, array, "is no array of joints");
        return;
    }
    pair->witness = arena_allocate(reading->evidence->arena, json_count(&reading->json, array), sizeof *pair->witness);
    if (!pair->witness)
        reading->status = CP_LIMIT;
    for (uint32_t item = json_first(&reading->json, array); item != JSON_NONE && reading->status == CP_OK;
         item = json_next(&reading->json, array, item)) {
        uint32_t value = json_member(&reading->json, item, "value");
        struct listed_value listed = {.joint = read_text(reading, item, "joint_id"),
                                      .value = json_to_number(&reading->json, value)};
        if (!json_is(&reading->json, value, JSON_NUMBER) || !isfinite(listed.value))
            refuse_without(reading, item, "number", "value");
        pair->witness[pair->witness_count++] = listed;
    }
}

static void read_pairs(struct reading *reading)
{
    struct listed_evidence *evidence = reading->evidence;
    for (uint32_t item = open_array(reading, "pairs", sizeof *evidence->pairs, &evidence->pairs);
         item != JSON_NONE && reading->status == CP_OK; item = next_item(reading, item)) {
        const char *verdict = read_text(reading, item, "verdict");
        bool has_element = json_member(&reading->json, item, "by") != JSON_NONE;
        bool has_note = json_member(&reading->json, item, "evidence") != JSON_NONE;
        struct listed_pair pair = {.first = read_frame(reading, item, "first_id"),
                                   .second = read_frame(reading, item, "second_id"),
                                   .excluded = strcmp(verdict, verdict_words[CP_PAIR_EXCLUDED]) == 0,
                                   .by_element = has_element,
                                   .key = read_hash(reading, item, "key"),
                                   .status = read_text(reading, item, "status"),
                                   .note = has_note ? read_text(reading, item, "evidence") : "",
                                   .has_finding = has_finding(reading, item),
                                   .finding = read_finding(reading, item)};
        read_witness(reading, item, &pair);
        if (!pair.excluded && strcmp(verdict, verdict_words[CP_PAIR_KEPT]) != 0)
            refuse(reading, item, "the verdict is neither excluded nor kept");
        if (!finding_is_sound(&pair.finding))
            refuse(reading, item, "its numbers contradict each other, or one is not finite");
        if (has_element && strcmp(read_text(reading, item, "by"), "ExcludeStaticPairs") != 0)
            refuse(reading, item, "\"by\" is no element that excludes pairs");
        evidence->pairs[evidence->pair_count++] = pair;
    }
}

/* ---- what findings rest on ---- */

/* Reads an array of `count` numbers; an item that is no number becomes 0. */
static void read_numbers(struct reading *reading, uint32_t object, const char *key, double *numbers, uint32_t count)
{
    uint32_t array = json_member(&reading->json, object, key), item = json_first(&reading->json, array);
    if (reading->status == CP_OK && json_count(&reading->json, array) != count)
        refuse_without(reading, object, "array of numbers", key);
    for (uint32_t i = 0; i < count && reading->status == CP_OK; i++) {
        numbers[i] = json_to_number(&reading->json, item);
        item = json_next(&reading->json, array, item);
    }
}

/* Reads a number of either sign; `usual` when absent. */
static double read_limit(struct reading *reading, uint32_t object, const char *key, double usual)
{
    uint32_t value = json_member(&reading->json, object, key);
    return json_is(&reading->json, value, JSON_NUMBER) ? json_to_number(&reading->json, value) : usual;
}

static void read_nodes(struct reading *reading)
{
    struct listed_evidence *evidence = reading->evidence;
    if (json_member(&reading->json, 0, "tree") == JSON_NONE)
        return;
    for (uint32_t item = open_array(reading, "tree", sizeof *evidence->nodes, &evidence->nodes);
         item != JSON_NONE && reading->status == CP_OK; item = next_item(reading, item)) {
        bool has_parent = json_member(&reading->json, item, "parent") != JSON_NONE;
        struct listed_node node = {.id = read_text(reading, item, "id"),
                                   .parent = has_parent ? read_text(reading, item, "parent") : ""};
        node.is_movable = json_is(&reading->json, json_member(&reading->json, item, "movable"), JSON_TRUE);
        read_numbers(reading, item, "pose", node.pose.m, 12);
        evidence->nodes[evidence->node_count++] = node;
    }
}

static void read_joints(struct reading *reading)
{
    struct listed_evidence *evidence = reading->evidence;
    if (json_member(&reading->json, 0, "joints") == JSON_NONE)
        return;
    for (uint32_t item = open_array(reading, "joints", sizeof *evidence->joints, &evidence->joints);
         item != JSON_NONE && reading->status == CP_OK; item = next_item(reading, item)) {
        struct listed_joint joint = {.id = read_text(reading, item, "id"),
                                     .type = read_text(reading, item, "type"),
                                     .lower = read_limit(reading, item, "lower", -INFINITY),
                                     .upper = read_limit(reading, item, "upper", INFINITY),
                                     .rule = read_hash(reading, item, "rule")};
        read_numbers(reading, item, "axis", joint.axis, 3);
        evidence->joints[evidence->joint_count++] = joint;
    }
}

/* ---- the file ---- */

cp_status evidence_read(struct listed_evidence *evidence, cp_context *context, const char *path)
{
    static const struct json_codes codes = JSON_CODES("gltf"); /* scripts know them so */
    *evidence = (struct listed_evidence){.context = context, .arena = arena_new(context)};
    struct reading reading = {.evidence = evidence, .ids = {.context = context}, .json = {.context = context}};
    struct json_document *json = &reading.json;
    reading.status = evidence->arena ? source_open_top(context, path, &reading.source) : CP_LIMIT;
    if (reading.status != CP_OK)
        return reading.status;
    const struct source *source = reading.source;
    if (source->size >= UINT32_MAX || !utf8_valid(source->data, source->size)) {
        reading.status = report_error(context, CP_INPUT, "list-evidence", IN_FILE(source->name), "is no JSON in UTF-8");
    } else if (source->size > 0 && *source->data == '<') {
        reading.status =
            report_error(context, CP_INPUT, "list-evidence", IN_FILE(source->name),
                         "is XML, not evidence, which exclude writes beside its list (--out evidence=yes)");
    } else {
        json->text = source->data;
        json->size = (uint32_t)source->size;
        reading.status = json_parse(json, source->name, limit_nesting(context), &codes);
    }
    if (reading.status == CP_OK) {
        if (!json_is(json, 0, JSON_OBJECT))
            refuse(&reading, 0, "is no object");
        const char *format = read_text(&reading, 0, "format"), *version = read_text(&reading, 0, "version");
        if (strcmp(format, "cellpipe collision evidence") != 0)
            refuse(&reading, 0, "is no evidence of collision exclusions");
        else if (strncmp(version, "1.", 2) != 0)
            refuse(&reading, 0, "its version is not 1");
        bool has_format = json_member(json, 0, "list") != JSON_NONE;
        evidence->format = has_format ? read_text(&reading, 0, "list") : "";
        evidence->prefix = read_text(&reading, 0, "prefix");
        evidence->exclude_static_pairs = json_is(json, json_member(json, 0, "exclude_static_pairs"), JSON_TRUE);
        read_files(&reading);
        read_frames(&reading);
        read_nodes(&reading);
        read_joints(&reading);
        read_pairs(&reading);
    }
    json_free(json);
    name_map_free(&reading.ids);
    source_close(reading.source);
    return reading.status;
}

void evidence_free(struct listed_evidence *evidence)
{
    arena_free(evidence->arena);
    evidence->arena = NULL;
}

/* One CollisionSetup.xml. */
#include <math.h>
#include <string.h>

#include "../link_pairs.h"
#include "base/bytes/bytes.h"
#include "base/text/text.h"
#include "writer.h"

/* ---- text ---- */

/* A file on its way. */
struct writing {
    struct setup_writer *writer;
    const struct setup_file *file;
    struct sink *sink;
};

static void write_text(const struct writing *writing, const char *text)
{
    writing->writer->bad_characters += sink_markup(writing->sink, text);
}

static void write_name(const struct writing *writing, uint32_t node)
{
    write_text(writing, writing->writer->scene->nodes[node].name + writing->file->prefix_size);
}

/* ---- reasons ---- */

static void write_attribute(const struct writing *writing, const char *name, const char *value)
{
    sink_print(writing->sink, " %s=\"", name);
    write_text(writing, value);
    sink_text(writing->sink, "\"");
}

static void write_number(const struct writing *writing, const char *name, double value)
{
    char digits[NUMBER_SIZE];
    (void)print_double(value, digits);
    write_attribute(writing, name, digits);
}

/* Writes a finding; numbers of steps that were not done have no attribute. */
static void write_finding(const struct writing *writing, const cp_finding *finding)
{
    if (finding->margin > 0)
        write_number(writing, "margin", finding->margin);
    if (finding->touch != CP_TOUCH)
        write_number(writing, "touch", finding->touch);
    if (finding->work > 0)
        sink_print(writing->sink, " work=\"%llu\"", (unsigned long long)finding->work);
    if (finding->samples > 0)
        sink_print(writing->sink, " samples=\"%lu\" hits=\"%lu\"", (unsigned long)finding->samples,
                   (unsigned long)finding->hits);
    if (finding->descents > 0)
        sink_print(writing->sink, " descents=\"%lu\"", (unsigned long)finding->descents);
    if (isfinite(finding->clearance))
        write_number(writing, "clearance", finding->clearance);
}

/* Tells whether the reason was measured: that nothing moves between two frames is seen without. */
static bool is_measured(const cp_pair *pair)
{
    return pair->finding && strcmp(pair->reason, "static") != 0;
}

/* Writes the reason first, as a reader that knows the reason knows the numbers. */
static void write_reason(const struct writing *writing, const cp_pair *pair)
{
    if (*pair->reason && (is_measured(pair) || strcmp(pair->reason, "given") != 0))
        write_attribute(writing, "reason", pair->reason);
    if (is_measured(pair))
        write_finding(writing, pair->finding);
    if (pair->finding && pair->finding->key)
        sink_print(writing->sink, " key=\"%016llx\"", (unsigned long long)pair->finding->key);
    if (*pair->evidence)
        write_attribute(writing, "evidence", pair->evidence);
}

/* ---- the summary ---- */

/* The numbers of pairs with each of the words; the last one is for other words. */
struct tally {
    uint64_t counts[16];
    uint64_t noted; /* all but those that were given */
    double lowest_margin, highest_margin;
};

static void tally_pair(struct tally *tally, const cp_pair *pair)
{
    uint32_t word = 0;
    while (reason_words[word] && strcmp(reason_words[word], pair->reason) != 0)
        word++;
    tally->counts[word]++;
    tally->noted += word != 0;
    if (!is_measured(pair))
        return;
    tally->lowest_margin = fmin(tally->lowest_margin, pair->finding->margin);
    tally->highest_margin = fmax(tally->highest_margin, pair->finding->margin);
}

static void write_tally(struct sink *sink, const char *what, const struct tally *tally)
{
    for (size_t i = 0; i < sizeof tally->counts / sizeof *tally->counts; i++) {
        if (tally->counts[i] == 0)
            continue;
        sink_print(sink, "%s %llu %s", what, (unsigned long long)tally->counts[i],
                   reason_words[i] ? reason_words[i] : "other");
        what = ",";
    }
}

/* Writes the summary. Kept pairs are summed up in the file of the list as a whole. */
static void write_summary(const struct writing *writing)
{
    const cp_scene *scene = writing->writer->scene;
    struct tally excluded = {.lowest_margin = INFINITY}, kept = {.lowest_margin = INFINITY};
    for (uint32_t i = 0; i < writing->file->pair_count; i++)
        tally_pair(&excluded, &scene->pairs[writing->file->pairs[i]]);
    bool any = writing->file->pair_count > 0;
    for (uint32_t i = 0; i < scene->pair_count && !writing->file->name; i++) {
        bool is_static = writing->writer->listed[i] && pair_needs_no_names(writing->writer, i);
        if (is_static || !writing->writer->listed[i])
            tally_pair(is_static ? &excluded : &kept, &scene->pairs[i]);
        any = any || is_static;
    }
    if (excluded.noted + kept.noted == 0)
        return;
    sink_text(writing->sink, "  <!--");
    write_tally(writing->sink, " excluded:", &excluded);
    write_tally(writing->sink, any ? "; kept:" : " kept:", &kept);
    if (excluded.highest_margin > 0 && excluded.lowest_margin == excluded.highest_margin) {
        sink_text(writing->sink, "; margin ");
        sink_double(writing->sink, excluded.highest_margin);
        sink_text(writing->sink, " m");
    }
    sink_text(writing->sink, " -->\n");
}

/* ---- the file ---- */

void setup_write_file(struct setup_writer *writer, const struct setup_file *file, struct sink *sink)
{
    const cp_scene *scene = writer->scene;
    struct writing writing = {writer, file, sink};
    sink_text(sink, "<CollisionSetup>\n");
    if (!writer->settings->plain) {
        if (file->prefix_size > 0 && comment_holds(file->prefix, file->prefix_size)) {
            sink_text(sink, "  <!-- names are relative to \"");
            sink_text(sink, file->prefix);
            sink_text(sink, "\" -->\n");
        }
        write_summary(&writing);
        if (writer->cell_key && !file->name)
            sink_print(sink, "  <!-- key of all pairs of the cell: %016llx -->\n",
                       (unsigned long long)writer->cell_key);
    }
    if (file->pair_count > 0)
        sink_text(sink, "  <Exclude>\n");
    for (uint32_t i = 0; i < file->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[file->pairs[i]];
        sink_text(sink, "    <FramePair first=\"");
        write_name(&writing, pair->first);
        sink_text(sink, "\" second=\"");
        write_name(&writing, pair->second);
        sink_text(sink, "\"");
        if (!writer->settings->plain)
            write_reason(&writing, pair);
        sink_text(sink, "/>\n");
    }
    if (file->pair_count > 0)
        sink_text(sink, "  </Exclude>\n");
    for (uint32_t i = 0; i < scene->node_count && !file->name; i++) {
        if (!(scene->nodes[i].flags & CP_NODE_VOLATILE))
            continue;
        sink_text(sink, "  <Volatile>");
        write_name(&writing, i);
        sink_text(sink, "</Volatile>\n");
    }
    if (writer->static_element && !file->name)
        sink_text(sink, "  <ExcludeStaticPairs/>\n");
    sink_text(sink, "</CollisionSetup>\n");
}

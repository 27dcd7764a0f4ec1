/* STL: triangles and nothing else, in an ASCII and a binary form.
 *
 * Specification: 3D Systems, "StereoLithography Interface Specification" (1988, 1989), known through M. Burns,
 * "Automated Fabrication", section 6.5. It was never revised; what counts is what programs write:
 *   - binary headers that begin with "solid" (SolidWorks, some exporters of Pro/E and CATIA);
 *   - a facet count of 0 or 0xFFFFFFFF from programs that write to a pipe and never come back to the header;
 *   - bytes after the last facet (colour blocks, padding of transfer protocols);
 *   - colours in the two attribute bytes: VisCAM and SolidView one way, Materialise Magics another, MeshLab (vcglib) a
 *     third (see binary.c);
 *   - ASCII with CR LF (RobWork's library), lone CR, upper case, several solids, no normals, polygons, "nan" normals.
 *
 * Behaviour and limitations:
 *   - A node and a mesh a solid, named by it, or by the file where it has no name (binary: always).
 *   - Vertices are joined where their bits are equal, and stay as they are; unit and axes go into the instance's
 *     transform. Facets keep their order, degenerate ones too (counted in a note).
 *   - Facet normals are not vertex normals: they are dropped. Where one opposes its facet's winding, the winding holds
 *     (counted in a note).
 *   - The text of a binary header is taken as a comment, but for Materialise's colours.
 *   - Big-endian binary files are not known. */
#include "stl.h"

#include <math.h>

#include "mesh/mesh.h"

/* ---- which of the two forms: "ASCII begins with solid" is broken by many binary files, so the exact size goes first,
 * then the words, then the bytes ---- */

enum { TEXT_PROBE = 1024 };

bool stl_begins_with(const char *text, const char *end, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(end - text) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text[i] | 0x20) != word[i])
            return false;
    return text + size == end || is_space(text[size]);
}

static const char *skip_blanks(const char *text, const char *end)
{
    while (text < end && is_space(*text))
        text++;
    return text;
}

/* Returns the text behind "solid" if the file begins with it (after blanks or a byte order mark), or NULL. */
static const char *after_solid(const char *text, const char *end)
{
    text = skip_blanks(text_after_mark(text, (size_t)(end - text)), end);
    return stl_begins_with(text, end, "solid") ? text + 5 : NULL;
}

/* Tells whether the file has exactly the size of its facet count. */
static bool is_exact_binary(const char *head, size_t size, uint64_t file_size)
{
    return size >= STL_HEADER_SIZE && file_size == STL_HEADER_SIZE + STL_FACET_SIZE * (uint64_t)stl_integer(head + 80);
}

/* Tells whether a facet has values that programs do not write: huge or tiny numbers, as integers and text have them, or
 * a normal of another length than 1 or 0. */
static bool is_odd_facet(const float values[12])
{
    for (int k = 0; k < 12; k++)
        if (!(fabsf(values[k]) < 1e30f) || (values[k] != 0 && fabsf(values[k]) < 1e-30f))
            return true;
    float length = values[0] * values[0] + values[1] * values[1] + values[2] * values[2];
    return length != 0 && !(length > 0.9f && length < 1.1f);
}

/* Tells whether the first bytes hold facets: nearly all are not odd, and at least half have three corners. */
static bool has_plausible_facets(const char *head, size_t size)
{
    if (size < STL_HEADER_SIZE + STL_FACET_SIZE)
        return false;
    size_t count = (size - STL_HEADER_SIZE) / STL_FACET_SIZE, odd = 0, flat = 0;
    for (size_t i = 0; i < count && odd <= count / 16; i++) {
        float values[12];
        const float *a = values + 3, *b = values + 6, *c = values + 9;
        for (int k = 0; k < 12; k++)
            values[k] = stl_number(head + STL_HEADER_SIZE + STL_FACET_SIZE * i + 4 * k);
        odd += is_odd_facet(values);
        flat += !memcmp(a, b, 3 * sizeof *a) || !memcmp(b, c, 3 * sizeof *a) || !memcmp(c, a, 3 * sizeof *a);
    }
    return odd <= count / 16 && flat <= count / 2;
}

/* Tells whether the first size bytes begin an ASCII file. */
static bool is_ascii(const char *head, size_t size, uint64_t file_size)
{
    const char *end = head + size, *text = after_solid(head, end);
    if (is_exact_binary(head, size, file_size))
        return false;
    size_t letters = 0, most = size < TEXT_PROBE ? size : TEXT_PROBE;
    while (letters < most && ((unsigned char)head[letters] >= 0x20 || is_space(head[letters])))
        letters++;
    if (letters == most)
        return text || size >= STL_HEADER_SIZE; /* a count of text bytes alone would be 150 million facets */
    while (text && text < end && !is_line_end(*text))
        text++;
    text = text ? skip_blanks(text, end) : end;
    return (stl_begins_with(text, end, "facet") || stl_begins_with(text, end, "endsolid")) &&
           !has_plausible_facets(head, size);
}

/* Is sure by an exact size or by the keywords. A binary file of another size is only guessed by its facets, and so is a
 * count of 0, which fits many files of 84 bytes: a sign or a suffix of another format outweighs them. */
static int probe_stl(const char *head, size_t size, uint64_t file_size)
{
    if (is_exact_binary(head, size, file_size))
        return stl_integer(head + 80) > 0 ? 100 : 1;
    const char *name = after_solid(head, head + size);
    if (name && is_ascii(head, size, file_size))
        return 95;
    bool whole = size > STL_HEADER_SIZE && (file_size - STL_HEADER_SIZE) % STL_FACET_SIZE == 0;
    if (has_plausible_facets(head, size) && (whole || stl_integer(head + 80) > 0))
        return 40;
    return name ? 20 : 0;
}

/* ---- the import ---- */

static cp_status report_lenient_count(const struct stl_reader *reader, const char *code, uint64_t count,
                                      const char *what)
{
    if (count == 0)
        return CP_OK;
    return report_lenient(reader->context, reader->settings->import.strict, code, IN_FILE(reader->source->name),
                          "%s: %llu of %llu", what, (unsigned long long)count, (unsigned long long)reader->facets);
}

static cp_status report_oddities(const struct stl_reader *reader)
{
    cp_context *context = reader->context;
    struct place file = IN_FILE(reader->source->name);
    if (reader->oddities.degenerate)
        report_note(context, "stl-degenerate", file, "degenerate facets, kept: %llu of %llu",
                    (unsigned long long)reader->oddities.degenerate, (unsigned long long)reader->facets);
    if (reader->oddities.opposed)
        report_note(context, "stl-opposed", file,
                    "facets whose normal opposes their winding, which holds: %llu of %llu",
                    (unsigned long long)reader->oddities.opposed, (unsigned long long)reader->facets);
    if (reader->oddities.colours)
        report_loss(context, "stl-colour-lines", file, reader->oddities.colours, "colours in lines of an ASCII file");
    cp_status status = CP_OK;
    if (reader->oddities.dialect)
        status = report_lenient(context, reader->settings->import.strict, "stl-dialect", file,
                                "words and lines that are not STL's own, but clear: %llu",
                                (unsigned long long)reader->oddities.dialect);
    if (status == CP_OK)
        status =
            report_lenient_count(reader, "stl-polygon", reader->oddities.polygons, "facets of more than 3 vertices");
    if (status == CP_OK)
        status =
            report_lenient_count(reader, "stl-no-normal", reader->oddities.without_normal, "facets without a normal");
    return status;
}

static cp_status read_stl(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    uint32_t workers = parallel_workers(context, STL_MOST_BATCHES), batches = workers > 1 ? 4 * workers : 1;
    struct stl_reader reader = {.context = context,
                                .source = source,
                                .scene = scene,
                                .settings = settings,
                                .empty_mesh = CP_NONE,
                                .batch_count = batches < STL_MOST_BATCHES ? batches : STL_MOST_BATCHES};
    mesh_file_start(scene, reader.settings);
    cp_status status = is_exact_binary(source->data, source->size, source->size) ? CP_OK : source_decode(source);
    if (status == CP_OK)
        status =
            is_ascii(source->data, source->size, source->size) ? stl_read_ascii(&reader) : stl_read_binary(&reader);
    for (uint32_t i = 0; i < STL_MOST_BATCHES; i++)
        stl_free_batch(context, &reader.batches[i]);
    stl_free_solid(&reader);
    if (status == CP_OK)
        status = report_oddities(&reader);
    if (status == CP_OK)
        report_size_without_unit(source, scene, reader.settings->unit);
    return status == CP_OK ? scene_finish(scene) : status;
}

const struct importer stl_importer = {
    .plugin = {.name = "stl",
               .title = "STL (stereolithography), ASCII and binary",
               .options = mesh_file_options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".stl .stla .stlb",
    .probe = probe_stl,
    .sign = "\"solid\" and \"facet\", or a facet count that fits the size",
    .read = read_stl,
};

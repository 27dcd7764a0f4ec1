/* tri: triangles of RobWork as text.
 *
 * Specification: RobWork's own reader of geometry. Words parted by white space:
 *     color r g b           0..1: of the triangles that end after it
 *     point x y z nx ny nz  a corner with its normal; every three of them are a triangle
 *     # ! $                 begin a comment, up to the end of the line
 *
 * Behaviour and limitations:
 * - A node and a mesh, named by the file. Each corner is a vertex of its own, in the order of the file.
 * - Colours become materials. Before the first colour, triangles have none.
 * - Unit and axes are not known: options say them, and they go into the instance's transform. */
#include "faces.h"

#include "mesh/mesh.h"

struct tri {
    struct face_reader faces;
    const char *at, *end;
    bool again;      /* the file is read for its positions alone, from an origin near them */
    uint32_t points; /* so far */
    cp_status status;
    bool cut; /* the file ends too early; reported */
};

/* Skips white space and comments. */
static const char *skip(const char *at, const char *end)
{
    for (;;) {
        at = faces_skip_spaces(at, end);
        if (at == end || !strchr("#!$", *at) || !*at)
            return at;
        while (at < end && !is_line_end(*at))
            at++;
    }
}

/* Tells whether the word at `at` is this one. */
static bool is_word(const char *at, const char *end, const char *word)
{
    size_t size = strlen(word), left = (size_t)(end - at);
    return left > size && memcmp(at, word, size) == 0 && is_space(at[size]);
}

static int probe_tri(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    double number;
    const char *end = head + size, *at = skip(text_after_mark(head, size), end);
    if (!is_word(at, end, "point") && !is_word(at, end, "color"))
        return 0;
    at = faces_skip_spaces(at + strlen("point"), end);
    return parse_double(at, end, &number) ? 80 : 0;
}

/* Fails at the next word; at the end of the file, it is cut off. */
static void fail_word(struct tri *tri, const char *expected)
{
    const struct face_reader *faces = &tri->faces;
    const struct place place = faces_place(faces, tri->at);
    tri->cut = tri->at == tri->end;
    if (tri->again)
        return; /* it was reported the first time */
    if (tri->cut)
        tri->status = report_lenient(faces->context, !faces->settings->import.partial, "tri-truncated", place,
                                     "the file ends where %s is expected", expected);
    else
        tri->status = report_error(faces->context, CP_INPUT, "tri-syntax", place, "expected %s, found \"%s\"", expected,
                                   faces_find_word(tri->at, tri->end).text);
}

/* Reads the numbers behind a word of five letters. False if it has fewer, which is reported. */
static bool read_numbers(struct tri *tri, double *numbers, int count)
{
    tri->at += strlen("point");
    for (int i = 0; i < count; i++) {
        tri->at = skip(tri->at, tri->end);
        const char *after = parse_double(tri->at, tri->end, &numbers[i]);
        if (!after || (after < tri->end && !is_space(*after))) {
            fail_word(tri, "a number");
            return false;
        }
        tri->at = after;
    }
    return true;
}

static cp_status add_point(struct tri *tri, const double numbers[6])
{
    struct face_reader *faces = &tri->faces;
    uint32_t point = tri->points++;
    faces_set_place(faces, point, numbers);
    if (tri->again)
        return CP_OK;
    faces->vertex_count = tri->points;
    for (size_t axis = 0; axis < 3; axis++)
        faces->normals[3 * (size_t)point + axis] = (float)numbers[3 + axis];
    if (tri->points % 3 != 0)
        return CP_OK;
    cp_status status = faces_reserve(faces, 3);
    if (status != CP_OK)
        return status;
    for (uint32_t k = 0; k < 3; k++)
        faces->corners[faces->corner_count + k] = point - 2 + k;
    return faces_end_face(faces, 3, tri->at);
}

static void read_words(struct tri *tri)
{
    while (tri->status == CP_OK && !tri->cut && (tri->at = skip(tri->at, tri->end)) < tri->end) {
        double numbers[6] = {0, 0, 0, 1};
        if (is_word(tri->at, tri->end, "point")) {
            if (read_numbers(tri, numbers, 6))
                tri->status = add_point(tri, numbers);
        } else if (!is_word(tri->at, tri->end, "color")) {
            fail_word(tri, "\"point\" or \"color\"");
        } else if (read_numbers(tri, numbers, 3) && !tri->again) {
            tri->status = faces_set_colour(&tri->faces, numbers);
        }
    }
    if (tri->status == CP_OK && !tri->cut && tri->points % 3 != 0)
        fail_word(tri, "another point of a triangle");
}

/* Returns how many points there are at most. */
static uint64_t count_points(const char *at, const char *end)
{
    uint64_t count = 0;
    for (; at < end; at++)
        count += *at == 'p' && is_word(at, end, "point");
    return count;
}

static void read_triangles(struct tri *tri)
{
    struct face_reader *faces = &tri->faces;
    const char *start = tri->at = text_after_mark(tri->at, (size_t)(tri->end - tri->at));
    uint64_t most = count_points(tri->at, tri->end);
    if (most >= UINT32_MAX) {
        tri->status = report_error(faces->context, CP_LIMIT, "tri-large", IN_FILE(faces->source->name),
                                   "more than %u points", UINT32_MAX - 1);
        return;
    }
    tri->status = faces_make_vertices(faces, (uint32_t)most, true, false);
    faces->vertex_count = 0;
    read_words(tri);
    if (tri->status == CP_OK && faces_find_origin(faces)) {
        tri->at = start;
        tri->again = true;
        tri->cut = false;
        tri->points = 0;
        read_words(tri);
    }
    faces->vertex_count -= faces->vertex_count % 3; /* points of a triangle that is cut off */
}

static cp_status read_tri(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    static const struct faces_codes codes = FACES_CODES("tri");
    struct tri tri = {.status = source_decode(source)};
    tri.at = source->data;
    tri.end = source->data + source->size;
    faces_start(&tri.faces, context, source, scene, settings, &codes);
    if (tri.status == CP_OK)
        read_triangles(&tri);
    if (tri.status == CP_OK)
        tri.status = faces_finish(&tri.faces);
    faces_free(&tri.faces);
    return tri.status;
}

const struct importer tri_importer = {
    .plugin = {.name = "tri",
               .title = "triangles of RobWork",
               .options = mesh_file_options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".tri",
    .probe = probe_tri,
    .sign = "a first word \"point\" or \"color\", and a number",
    .read = read_tri,
};

/* Every sample through every ordered pair of formats, A -> B -> A, and through both profiles of GLB:
 * - the losses that a write reports are exactly those that follow from what the scene has (counted here, apart from the
 *   library) and what the format carries;
 * - a write without any loss loses nothing: the dump afterwards is the dump before;
 * - what is lost is no more than that: triangles, area and bounds survive STL, pairs survive a collision setup, and the
 *   profile deliver gives the scene again, triangulated and without collision meshes where it said so. */
#include <dirent.h>
#include <math.h>

#include "cellpipe_tool.h"
#include "fixture.h"

/* ---- samples ---- */

enum { MOST_SAMPLES = 200 };
static char *samples[MOST_SAMPLES];
static size_t sample_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_samples(void **state)
{
    (void)state;
    DIR *folder = opendir(SAMPLES);
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder)) && sample_count < MOST_SAMPLES;)
        if (strchr(entry->d_name, '.') > entry->d_name && !text_ends_nocase(entry->d_name, ".md"))
            samples[sample_count++] = strdup(entry->d_name);
    (void)closedir(folder);
    static const char *const recordings[] = {"deneb/welding/weld.dcr", "deneb/hexapod/contour.dcr",
                                             "deneb/assembly/saw.dcr"};
    for (size_t i = 0; i < 3 && sample_count < MOST_SAMPLES; i++)
        samples[sample_count++] = strdup(recordings[i]);
    qsort(samples, sample_count, sizeof *samples, by_name);
    return sample_count >= 20 ? 0 : -1;
}

static int free_samples(void **state)
{
    (void)state;
    while (sample_count)
        free(samples[--sample_count]);
    return 0;
}

/* ---- formats ---- */

struct format {
    const char *exporter;
    const char *option; /* or NULL */
    const char *suffix; /* that its bytes are read under */
    const char *second; /* a further option, or NULL */
    uint32_t carries;
};

static const struct format formats[] = {
    {"stl", NULL, "stl", NULL, CP_FEATURE_MESHES},
    {"stl", "format=ascii", "stl", NULL, CP_FEATURE_MESHES | CP_FEATURE_NAMES},
    {"glb", "profile=stage", "glb", NULL, CP_FEATURE_ALL},
    {"gltf", "embed=yes", "gltf", "profile=stage", CP_FEATURE_ALL},
    {"collision-setup", NULL, "xml", NULL, CP_FEATURE_PAIRS | CP_FEATURE_PLACEHOLDERS | CP_FEATURE_NAMES},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static size_t options_of(const struct format *format, const char *options[4])
{
    size_t count = 0;
    if (format->option)
        options[count++] = format->option;
    if (format->second)
        options[count++] = format->second;
    if (format->option && strcmp(format->option, "profile=deliver") == 0) {
        options[count++] = "colours=none"; /* else there are some that the scene has not */
        options[count++] = "planes=keep";
    }
    return count;
}

struct bytes {
    void *data;
    size_t size;
};

static struct bytes write_scene(cp_context *context, const cp_scene *scene, const struct format *format)
{
    struct bytes bytes;
    const char *options[4];
    size_t count = options_of(format, options);
    cp_report_clear(context);
    if (cp_write_memory(context, scene, format->exporter, options, count, &bytes.data, &bytes.size) != CP_OK) {
        show_report(context);
        fail_msg("cannot write %s", format->exporter);
    }
    return bytes;
}

/* Read under the name of the file that the written scene came from: parts without a name go by it. */
static cp_scene *read_back(cp_context *context, struct bytes bytes, const struct format *format,
                           const cp_scene *written)
{
    char name[512];
    const char *file = cp_scene_source(written)->file;
    size_t size = strlen(file);
    if (size > 3 && strcmp(file + size - 3, ".gz") == 0)
        size -= 3;
    while (size > 0 && file[size - 1] != '.')
        size--;
    (void)snprintf(name, sizeof name, "%.*s%s", size ? (int)size : 5, size ? file : "part.", format->suffix);
    cp_scene *scene;
    cp_status status = cp_read_memory(context, bytes.data, bytes.size, name, NULL, NULL, 0, &scene);
    if (status != CP_OK) {
        show_report(context);
        fail_msg("cannot read %s", name);
    }
    cp_free(context, bytes.data, bytes.size);
    return scene;
}

static cp_scene *pass_through(cp_context *context, const cp_scene *scene, const struct format *format)
{
    return read_back(context, write_scene(context, scene, format), format, scene);
}

static struct bytes dump(cp_context *context, const cp_scene *scene)
{
    static const struct format format = {"dump", NULL, NULL, NULL, CP_FEATURE_ALL};
    return write_scene(context, scene, &format);
}

static void print_first_difference(struct bytes a, struct bytes b)
{
    const char *one = a.data, *two = b.data;
    size_t at = 0, start = 0;
    for (; at < a.size && at < b.size && one[at] == two[at]; at++)
        start = one[at] == '\n' ? at + 1 : start;
    print_message("    before: %.*s\n    after:  %.*s\n", (int)strcspn(one + start, "\n"), one + start,
                  (int)strcspn(two + start, "\n"), two + start);
}

static bool is_line_of(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static const char *next_line(const char *line)
{
    return strchr(line, '\n') + 1;
}

/* The bytes of a quoted id, which may hold blanks and escaped quotes. */
static size_t quoted_size(const char *text)
{
    size_t size = 1;
    while (text[size] != '"')
        size += text[size] == '\\' ? 2 : 1;
    return size + 1;
}

/* Takes out where the scene and its meshes came from, which only a stage hands on. Returns the new size. */
static size_t leave_out_sources(char *text)
{
    char *out = text;
    for (const char *line = text, *next; *line; line = next) {
        next = next_line(line);
        if (is_line_of(line, "source "))
            continue;
        size_t size = (size_t)(next - line), head = 0, gap = 0;
        if (is_line_of(line, "mesh ")) {
            head = 5 + quoted_size(line + 5) + strlen(" name ");
            head += quoted_size(line + head);
            gap = strlen(" source ") + quoted_size(line + head + strlen(" source "));
        }
        memmove(out, line, head);
        memmove(out + head, line + head + gap, size - head - gap);
        out += size - gap;
    }
    *out = '\0';
    return (size_t)(out - text);
}

/* The dump as a string of the C library's. */
static char *dump_text(cp_context *context, const cp_scene *scene, bool with_sources, size_t *size)
{
    struct bytes bytes = dump(context, scene);
    char *text = calloc(bytes.size + 1, 1);
    memcpy(text, bytes.data, bytes.size);
    *size = with_sources ? bytes.size : leave_out_sources(text);
    cp_free(context, bytes.data, bytes.size);
    return text;
}

/* Fails unless the texts are equal; frees them. */
static void expect_same_text(struct bytes before, struct bytes after, const char *what)
{
    bool equal = before.size == after.size && memcmp(before.data, after.data, before.size) == 0;
    if (!equal)
        print_first_difference(before, after);
    free(before.data);
    free(after.data);
    if (!equal)
        fail_msg("%s: the dumps differ", what);
}

static void expect_same_scene(cp_context *context, const cp_scene *before, const cp_scene *after, bool same_source,
                              const char *what)
{
    struct bytes a, b;
    a.data = dump_text(context, before, same_source, &a.size);
    b.data = dump_text(context, after, same_source, &b.size);
    expect_same_text(a, b, what);
}

/* ---- predicted losses, counted from the words of cellpipe.h alone ---- */

static bool is_plain_part(const cp_node *node)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    for (int i = 0; i < 12; i++)
        if (node->local.m[i] != identity[i])
            return false;
    return node->parent == 0 && node->instance_count == 1;
}

/* "link" in the scene of link.stl: nothing is lost with such a name. */
static bool is_named_by_file(const cp_scene *scene, const cp_node *node)
{
    const char *file = cp_scene_source(scene)->file;
    size_t size = strlen(node->name);
    if (strncmp(file, node->name, size) != 0 || file[size] != '.')
        return false;
    const char *dot = strchr(file + size + 1, '.');
    return !dot || strcmp(dot, ".gz") == 0;
}

static void count_node_features(const cp_scene *scene, uint64_t *has)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t told = CP_NODE_MOVABLE | CP_NODE_ATTACHABLE | CP_NODE_LINK | CP_NODE_HIGHLIGHT | CP_NODE_WIRE;
        bool stands_in = nodes[i].flags & CP_NODE_PLACEHOLDER;
        has[0] += i > 0 && !stands_in && !is_plain_part(&nodes[i]);
        has[1] += i > 0 && !stands_in && *nodes[i].name && !is_named_by_file(scene, &nodes[i]);
        has[11] += (nodes[i].flags & CP_NODE_VOLATILE) != 0;
        has[14] += (nodes[i].flags & told) != 0;
        has[17] += stands_in;
    }
}

static void count_mesh_features(const cp_scene *scene, uint64_t *has)
{
    uint32_t count;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t f = 0; meshes[i].kind == CP_MESH_FACES && meshes[i].face_offsets && f < meshes[i].face_count; f++)
            has[3] += meshes[i].face_offsets[f + 1] - meshes[i].face_offsets[f] > 3;
        has[4] += meshes[i].kind == CP_MESH_LINES;
        has[5] += meshes[i].kind > CP_MESH_LINES;
        has[6] += meshes[i].normals != NULL;
        has[8] += meshes[i].colours != NULL;
    }
    uint32_t instance_count;
    const cp_instance *instances = cp_instances(scene, &instance_count);
    for (uint32_t i = 0; i < instance_count; i++)
        has[12] += instances[i].use != CP_USE_BOTH;
    has[16] = count;
    has[2] = instance_count > count ? instance_count - count : 0;
}

static void count_tables(const cp_scene *scene, uint64_t *has)
{
    uint32_t count;
    (void)cp_materials(scene, &count);
    has[7] = count;
    (void)cp_joints(scene, &count);
    has[9] = count;
    (void)cp_devices(scene, &count);
    has[10] = count;
    (void)cp_pairs(scene, &count);
    has[11] += count + cp_excludes_static_pairs(scene);
    (void)cp_clips(scene, &count);
    has[13] = count;
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        has[15] += strcmp(metadata[i].key, "collision cell key") != 0; /* goes with lists of pairs */
}

static void count_features(const cp_scene *scene, uint64_t *has)
{
    count_node_features(scene, has);
    count_mesh_features(scene, has);
    count_tables(scene, has);
}

/* By the number of the feature's bit. */
static const char *const loss_codes[] = {
    "loss-hierarchy", "loss-names",   "loss-instances",      "loss-ngons",    "loss-lines",    "loss-primitives",
    "loss-normals",   "loss-colours", "loss-vertex-colours", "loss-joints",   "loss-devices",  "loss-pairs",
    "loss-collision", "loss-clips",   "loss-flags",          "loss-metadata", "loss-geometry", "loss-placeholders",
};
enum { FEATURES = sizeof loss_codes / sizeof *loss_codes };

/* What is not in a list about a scene is not lost. */
static bool holds_geometry(const struct format *format)
{
    return strcmp(format->exporter, "collision-setup") != 0;
}

/* Meshes go with all that they have, in one loss. */
static bool is_told_with_meshes(const uint64_t *has, uint32_t carries, size_t feature)
{
    static const uint32_t of_meshes = CP_FEATURE_INSTANCES | CP_FEATURE_NGONS | CP_FEATURE_LINES |
                                      CP_FEATURE_PRIMITIVES | CP_FEATURE_NORMALS | CP_FEATURE_COLOURS |
                                      CP_FEATURE_VERTEX_COLOURS | CP_FEATURE_COLLISION;
    return !(carries & CP_FEATURE_MESHES) && has[16] > 0 && of_meshes & 1u << feature;
}

/* After a write: the report has the predicted losses with their counts, and no other of that kind. */
static void expect_losses(cp_context *context, const cp_scene *scene, const struct format *format, const char *what)
{
    uint64_t has[FEATURES] = {0};
    count_features(scene, has);
    for (size_t i = 0; i < FEATURES; i++) {
        bool unlost =
            format->carries & 1u << i || is_told_with_meshes(has, format->carries, i) || !holds_geometry(format);
        uint64_t predicted = unlost ? 0 : has[i];
        uint64_t reported = count_lost(context, loss_codes[i]);
        if (predicted != reported) {
            show_report(context);
            fail_msg("%s to %s: %s predicted %llu, reported %llu", what, format->exporter, loss_codes[i],
                     (unsigned long long)predicted, (unsigned long long)reported);
        }
    }
}

/* What is carried is still there, what is not is gone. Tree, names, sharing and drawn meshes are left to other checks:
 * they change their form. */
static void expect_features(const cp_scene *before, const cp_scene *after, uint32_t carries, const char *what)
{
    const uint32_t changing = CP_FEATURE_HIERARCHY | CP_FEATURE_NAMES | CP_FEATURE_INSTANCES | CP_FEATURE_MESHES |
                              CP_FEATURE_PLACEHOLDERS | CP_FEATURE_COLLISION;
    uint64_t had[FEATURES] = {0}, has[FEATURES] = {0};
    count_features(before, had);
    count_features(after, has);
    for (size_t i = 0; i < FEATURES; i++) {
        bool expected = carries & 1u << i && had[i];
        if (!(changing & 1u << i) && expected != (has[i] > 0))
            fail_msg("%s: of %llu, whose loss is called %s, %llu are left", what, (unsigned long long)had[i],
                     loss_codes[i], (unsigned long long)has[i]);
    }
}

/* ---- what must survive a lossy format ---- */

static void expect_near(double a, double b, double scale, const char *what)
{
    if (!(fabs(a - b) <= 1e-5 * scale))
        fail_msg("%s: %.17g became %.17g", what, a, b);
}

/* As triangles: a polygon that is not flat has another area than those it is cut into. */
static cp_measures measure_triangles(cp_context *context, const cp_scene *scene)
{
    cp_measures measures = {.size = sizeof measures};
    cp_scene *copy = pass_through(context, scene, &formats[2]);
    assert_int_equal(cp_apply(context, copy, "triangulate", NULL, 0), CP_OK);
    assert_int_equal(cp_measure(context, copy, CP_USE_DRAWN, &measures), CP_OK);
    cp_scene_free(copy);
    return measures;
}

/* Triangles, bounds and area of what is drawn, within a float's precision. */
static void expect_same_geometry(cp_context *context, const cp_scene *before, const cp_scene *after, const char *what)
{
    cp_measures a = measure_triangles(context, before), b = measure_triangles(context, after);
    if (a.triangles != b.triangles)
        fail_msg("%s: %llu triangles became %llu", what, (unsigned long long)a.triangles,
                 (unsigned long long)b.triangles);
    if (a.triangles == 0)
        return;
    double scale = 0;
    for (int i = 0; i < 3; i++)
        scale = fmax(scale, fmax(fabs(a.lower[i]), fabs(a.upper[i])));
    expect_near(a.area, b.area, scale * scale, what);
    expect_near(a.volume, b.volume, scale * scale * scale, what);
    for (int i = 0; i < 3; i++) {
        expect_near(a.lower[i], b.lower[i], scale, what);
        expect_near(a.upper[i], b.upper[i], scale, what);
    }
}

static bool has_namesake(const cp_scene *scene, uint32_t node)
{
    uint32_t count, same = 0;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        same += strcmp(nodes[i].name, nodes[node].name) == 0;
    return same > 1;
}

/* A list can tell it: in the samples, what has the name of another frame is not excluded with all others of the
 * name. */
static bool is_told(const cp_scene *scene, const cp_pair *pair)
{
    return !has_namesake(scene, pair->first) && !has_namesake(scene, pair->second);
}

static uint64_t count_untold(const cp_scene *scene)
{
    uint32_t pair_count;
    uint64_t untold = 0;
    const cp_pair *pairs = cp_pairs(scene, &pair_count);
    for (uint32_t i = 0; i < pair_count; i++)
        untold += pairs[i].verdict == CP_PAIR_EXCLUDED && !is_told(scene, &pairs[i]);
    return untold;
}

/* The excluded pairs that names tell, as sorted "A|B" with the names in order. */
static char **list_pairs(const cp_scene *scene, size_t *count)
{
    uint32_t pair_count, node_count;
    const cp_pair *pairs = cp_pairs(scene, &pair_count);
    const cp_node *nodes = cp_nodes(scene, &node_count);
    char **list = calloc((size_t)pair_count + 1, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < pair_count; i++) {
        const char *a = nodes[pairs[i].first].name, *b = nodes[pairs[i].second].name;
        if (pairs[i].verdict != CP_PAIR_EXCLUDED || !is_told(scene, &pairs[i]))
            continue;
        char *text = malloc(strlen(a) + strlen(b) + 2);
        (void)sprintf(text, "%s|%s", strcmp(a, b) < 0 ? a : b, strcmp(a, b) < 0 ? b : a);
        list[(*count)++] = text;
    }
    qsort(list, *count, sizeof *list, by_name);
    return list;
}

/* The same set of pairs, by names; a pair may be told twice. */
static void expect_same_pairs(const cp_scene *before, const cp_scene *after, const char *what)
{
    size_t a_count, b_count, i = 0, k = 0;
    char **a = list_pairs(before, &a_count), **b = list_pairs(after, &b_count);
    while (i < a_count && k < b_count && strcmp(a[i], b[k]) == 0) {
        for (const char *name = a[i]; i < a_count && strcmp(a[i], name) == 0;)
            i++;
        for (const char *name = b[k]; k < b_count && strcmp(b[k], name) == 0;)
            k++;
    }
    if (i < a_count || k < b_count)
        fail_msg("%s: pair %s became %s", what, i < a_count ? a[i] : "none", k < b_count ? b[k] : "none");
    assert_int_equal(cp_excludes_static_pairs(before), cp_excludes_static_pairs(after));
    while (a_count)
        free(a[--a_count]);
    while (b_count)
        free(b[--b_count]);
    free(a);
    free(b);
}

/* ---- pairs of formats ---- */

static bool is_gltf(const struct format *format)
{
    return strcmp(format->suffix, "glb") == 0 || strcmp(format->suffix, "gltf") == 0;
}

static size_t loss_count(const cp_context *context)
{
    size_t count, losses = 0;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        losses += entries[i].severity == CP_LOSS;
    return losses;
}

static void try_pair(cp_context *context, const cp_scene *first, const struct format *a, const struct format *b,
                     const char *what)
{
    struct bytes bytes = write_scene(context, first, b);
    expect_losses(context, first, b, what);
    bool lossless = loss_count(context) == 0 && holds_geometry(b);
    uint64_t untold = count_lost(context, "collision-setup-names");
    assert_int_equal(untold, strcmp(b->exporter, "collision-setup") == 0 ? count_untold(first) : 0);
    cp_scene *middle = read_back(context, bytes, b, first);
    cp_scene *last = pass_through(context, middle, a);
    assert_int_equal(cp_validate(context, last), CP_OK);
    if (is_gltf(b) && !lossless)
        fail_msg("%s to %s: a stage loses something", what, b->exporter);
    expect_features(first, last, a->carries & b->carries & ~(untold ? CP_FEATURE_PAIRS : 0u), what);
    if (lossless)
        expect_same_scene(context, first, last, is_gltf(b), what);
    else if (holds_geometry(a) && holds_geometry(b))
        expect_same_geometry(context, first, last, what);
    else if (is_gltf(a))
        expect_same_pairs(first, last, what);
    cp_scene_free(last);
    cp_scene_free(middle);
}

static void try_sample(const char *sample, const struct format *a)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_sample_of(context, SAMPLES, sample);
    struct bytes bytes = write_scene(context, scene, a);
    char what[512];
    (void)snprintf(what, sizeof what, "%s to %s", sample, a->exporter);
    expect_losses(context, scene, a, sample);
    const bool every = usual_or_long(0, 1); /* of the formats; else half of them, others for each sample */
    cp_scene *first = read_back(context, bytes, a, scene);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        (void)snprintf(what, sizeof what, "%s as %s %s through %s %s", sample, a->exporter, a->option ? a->option : "",
                       formats[i].exporter, formats[i].option ? formats[i].option : "");
        if (&formats[i] != a && (every || (i + strlen(sample)) % 2 == 0))
            try_pair(context, first, a, &formats[i], what);
    }
    cp_scene_free(first);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_pairs_of_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sample_count; i++)
        for (size_t a = 0; a < FORMAT_COUNT; a++)
            try_sample(samples[i], &formats[a]);
}

/* What a format holds comes back from it the same: twice through A is once through A. */
static void test_twice_is_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sample_count; i++)
        for (size_t a = 0; a < FORMAT_COUNT; a++) {
            char what[512];
            cp_context *context = cp_context_new(NULL);
            cp_scene *scene = read_sample_of(context, SAMPLES, samples[i]);
            cp_scene *once = pass_through(context, scene, &formats[a]);
            cp_scene *twice = pass_through(context, once, &formats[a]);
            (void)snprintf(what, sizeof what, "%s twice through %s", samples[i], formats[a].exporter);
            expect_same_scene(context, once, twice, true, what);
            cp_scene_free(twice);
            cp_scene_free(once);
            cp_scene_free(scene);
            cp_context_free(context);
        }
}

/* ---- the profiles of GLB ---- */

static void test_stage_keeps_everything(void **state)
{
    (void)state;
    for (size_t i = 0; i < sample_count; i++)
        for (size_t a = 0; a < FORMAT_COUNT; a++) {
            if (!is_gltf(&formats[a]))
                continue;
            cp_context *context = cp_context_new(NULL);
            cp_scene *scene = read_sample_of(context, SAMPLES, samples[i]);
            struct bytes bytes = write_scene(context, scene, &formats[a]);
            assert_int_equal(loss_count(context), 0);
            cp_scene *after = read_back(context, bytes, &formats[a], scene);
            expect_same_scene(context, scene, after, true, samples[i]);
            cp_scene_free(after);
            cp_scene_free(scene);
            cp_context_free(context);
        }
}

static bool is_collision_instance(const char *line)
{
    return is_line_of(line, "instance ") && strstr(line, " use collision transform ") &&
           strstr(line, " use collision transform ") < next_line(line);
}

/* True when instances, but none that is drawn, use the mesh of this line. */
static bool is_collision_mesh(const char *dumped, const char *line)
{
    bool any = false;
    size_t size = quoted_size(line + 5);
    for (const char *at = dumped; *at; at = next_line(at)) {
        if (!is_line_of(at, "instance node "))
            continue;
        const char *mesh = at + 14 + quoted_size(at + 14) + strlen(" mesh ");
        if (quoted_size(mesh) != size || memcmp(mesh, line + 5, size) != 0)
            continue;
        any = true;
        if (!is_collision_instance(at))
            return false;
    }
    return any;
}

static bool is_inside_mesh(const char *line)
{
    static const char *const words[] = {"vertex ", "normal ", "colour ", "face ", "line ", "group "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_line_of(line, words[i]))
            return true;
    return false;
}

/* Takes the instances that are for collision only out of the dump, and the meshes that only they use. Returns the new
 * size. */
static size_t leave_out_collision(char *text)
{
    bool skip_mesh = false;
    size_t kept = 0, size = strlen(text);
    char *out = malloc(size + 1);
    for (const char *line = text; *line; line = next_line(line)) {
        if (!is_inside_mesh(line))
            skip_mesh = is_line_of(line, "mesh ") && is_collision_mesh(text, line);
        if (skip_mesh || is_collision_instance(line))
            continue;
        size_t length = (size_t)(next_line(line) - line);
        memcpy(out + kept, line, length);
        kept += length;
    }
    memcpy(text, out, kept);
    free(out);
    return kept;
}

static void try_deliver(const char *sample, const struct format *deliver)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_sample_of(context, SAMPLES, sample);
    struct bytes bytes = write_scene(context, scene, deliver);
    expect_losses(context, scene, deliver, sample);
    bool triangles = count_lost(context, "loss-ngons") > 0;
    bool drawn_only = count_lost(context, "gltf-collision") > 0;
    size_t others = loss_count(context) - triangles - drawn_only - (count_lost(context, "nothing-drawn") > 0);
    cp_scene *after = read_back(context, bytes, deliver, scene);
    if (others)
        fail_msg("%s: a loss that this test does not know", sample);
    if (triangles)
        assert_int_equal(cp_apply(context, scene, "triangulate", NULL, 0), CP_OK);
    struct bytes expected, got;
    expected.data = dump_text(context, scene, true, &expected.size);
    got.data = dump_text(context, after, true, &got.size);
    if (drawn_only)
        expected.size = leave_out_collision(expected.data);
    expect_same_text(expected, got, sample);
    cp_scene_free(after);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_deliver_loses_what_it_says(void **state)
{
    (void)state;
    static const struct format plain = {"glb", "profile=deliver", "glb", NULL, CP_FEATURE_ALL & ~CP_FEATURE_NGONS};
    static const struct format smooth = {"glb", "profile=deliver", "glb", "normals=smooth",
                                         CP_FEATURE_ALL & ~CP_FEATURE_NGONS};
    for (size_t i = 0; i < sample_count; i++) {
        try_deliver(samples[i], &plain);
        try_deliver(samples[i], &smooth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stage_keeps_everything),
        cmocka_unit_test(test_deliver_loses_what_it_says),
        cmocka_unit_test(test_twice_is_once),
        cmocka_unit_test(test_pairs_of_formats),
    };
    return cmocka_run_group_tests(tests, list_samples, free_samples);
}

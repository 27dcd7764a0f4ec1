/* Long ASCII and binary files are read in parts, by several threads. What is read must be what was written, bit for
 * bit, whatever stands where the parts meet. */
#include "plain_numbers.h"

#include "stl_support.h"

enum { FACETS = 40000, MOST_CORNERS = 400000 };

/* A text and what it says: the corners of all facets of all solids, in order. */
struct file {
    char *text;
    size_t size, room;
    float *corners;
    uint32_t *sizes; /* corners of each facet */
    uint32_t corner_count, facet_count;
    uint64_t state;
};

static void __attribute__((format(printf, 2, 3))) add(struct file *file, const char *format, ...)
{
    if (file->room - file->size < 512)
        file->text = realloc(file->text, file->room = 2 * file->room + 1024);
    assert_non_null(file->text);
    va_list list;
    va_start(list, format);
    IN_PLAIN_LOCALE(file->size += (size_t)vsnprintf(file->text + file->size, 512, format, list));
    va_end(list);
}

static uint32_t draw(struct file *file, uint32_t count)
{
    file->state = file->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(file->state >> 33) % count;
}

/* Multiples of 1/8 are exact both as text and as floats; many are drawn again. */
static float draw_coordinate(struct file *file)
{
    return (float)draw(file, 64) / 8 - 4;
}

static void add_facet(struct file *file, uint32_t corners, const char *blank)
{
    add(file, "facet%snormal 0 0 1%souter loop%s", blank, blank, blank);
    for (uint32_t i = 0; i < corners; i++) {
        float *at = file->corners + 3 * (size_t)file->corner_count++;
        assert_true(file->corner_count <= MOST_CORNERS);
        for (int k = 0; k < 3; k++)
            at[k] = draw_coordinate(file);
        add(file, "vertex %.3f %.3f %.3f%s", (double)at[0], (double)at[1], (double)at[2], blank);
    }
    add(file, "endloop%sendfacet%s", blank, blank);
    file->sizes[file->facet_count++] = corners;
}

static struct file begin_file(void)
{
    struct file file = {.state = 1};
    file.corners = malloc(3 * sizeof(float) * MOST_CORNERS);
    file.sizes = malloc(sizeof(uint32_t) * FACETS);
    assert_true(file.corners && file.sizes);
    return file;
}

static void free_file(struct file *file)
{
    free(file->text);
    free(file->corners);
    free(file->sizes);
}

/* The meshes of all solids one after the other hold the file's facets. */
static void check_scene(const cp_scene *scene, const struct file *file, uint32_t solids)
{
    uint32_t instance_count, facet = 0, corner = 0;
    const cp_mesh *meshes = cp_meshes(scene, &(uint32_t){0});
    const cp_instance *instances = cp_instances(scene, &instance_count);
    assert_int_equal(instance_count, solids);
    for (uint32_t i = 0; i < instance_count; i++) {
        uint32_t m = instances[i].mesh;
        float *corners = list_corners(&meshes[m]);
        assert_true(corner + meshes[m].corner_count <= file->corner_count);
        assert_memory_equal(corners, file->corners + 3 * (size_t)corner, 3 * sizeof(float) * meshes[m].corner_count);
        free(corners);
        for (uint32_t f = 0; f < meshes[m].face_count; f++, facet++) {
            const uint32_t *offsets = meshes[m].face_offsets;
            assert_int_equal(file->sizes[facet], offsets ? offsets[f + 1] - offsets[f] : 3);
        }
        corner += meshes[m].corner_count;
    }
    assert_int_equal(facet, file->facet_count);
    assert_int_equal(corner, file->corner_count);
}

static void check_file(const struct file *file, uint32_t solids)
{
    for (uint32_t threads = 1; threads <= 4; threads++) {
        cp_context *context = cp_context_new(NULL);
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        cp_scene *scene = read_bytes(context, file->text, file->size, NULL, CP_OK);
        check_scene(scene, file, solids);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static void one_solid(void **state)
{
    (void)state;
    struct file file = begin_file();
    add(&file, "solid part\n");
    while (file.facet_count < FACETS)
        add_facet(&file, 3, "\n   ");
    add(&file, "endsolid part\n");
    check_file(&file, 1);
    free_file(&file);
}

/* Facets of up to 100,000 corners: longer than a part. */
static void polygons(void **state)
{
    (void)state;
    struct file file = begin_file();
    add(&file, "solid part\n");
    for (uint32_t i = 0; i < 9000; i++)
        add_facet(&file, i % 3000 == 2500 ? 100000 : i % 100 == 7 ? 4 : 3, "\r\n\t");
    add(&file, "endsolid part\n");
    check_file(&file, 1);
    free_file(&file);
}

/* Names with the words by which a part's beginning is guessed. */
static void deceiving_names(void **state)
{
    (void)state;
    struct file file = begin_file();
    uint32_t solids = 0;
    while (file.facet_count < FACETS) {
        uint32_t last = file.facet_count + 1 + draw(&file, solids % 16 == 3 ? 8000 : 4);
        add(&file, "solid the first facet, a second facet \t facet\n");
        for (; file.facet_count < last && file.facet_count < FACETS;)
            add_facet(&file, 3, "  ");
        add(&file, "endsolid facet normal 0 0 1 outer loop\n");
        solids++;
    }
    check_file(&file, solids);
    free_file(&file);
}

static void one_long_line(void **state)
{
    (void)state;
    struct file file = begin_file();
    uint32_t solids = 0;
    while (file.facet_count < FACETS) {
        uint32_t last = file.facet_count + draw(&file, solids == 2 ? 20000 : 7); /* none at times */
        add(&file, "solid part %u ", (unsigned)solids);
        for (; file.facet_count < last && file.facet_count < FACETS;)
            add_facet(&file, 3, " ");
        add(&file, "endsolid part %u ", (unsigned)solids++);
    }
    check_file(&file, solids);
    free_file(&file);
}

/* The message about a word deep inside does not depend on the parts. */
static void errors_deep_inside(void **state)
{
    (void)state;
    struct file file = begin_file();
    add(&file, "solid part\n");
    for (uint32_t i = 0; i < 20000; i++)
        add_facet(&file, 3, "\n");
    size_t place = file.size;
    add_facet(&file, 3, "\n");
    for (uint32_t i = 0; i < 10000; i++)
        add_facet(&file, 3, "\n");
    char *word = strstr(file.text + place, "endloop");
    word[0] = 'x';
    for (uint32_t threads = 1; threads <= 4; threads++) {
        cp_context *context = cp_context_new(NULL);
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        assert_null(read_bytes(context, file.text, file.size, NULL, CP_INPUT));
        const cp_entry *entry = find_entry(context, "stl-syntax");
        assert_non_null(entry);
        assert_string_equal(entry->text, "facet 20001: expected \"endloop\", found \"xndloop\"");
        assert_int_equal(entry->line, 2 + 20000 * 8 + 6); /* a facet has eight lines */
        cp_context_free(context);
    }
    free_file(&file);
}

/* The same facets in the binary form. */
static void binary_parts(void **state)
{
    (void)state;
    struct file file = begin_file();
    while (file.facet_count < FACETS)
        add_facet(&file, 3, " ");
    file.size = 84 + 50 * (size_t)FACETS;
    file.text = realloc(file.text, file.size);
    memset(file.text, 0, file.size);
    for (uint32_t i = 0; i < 4; i++)
        file.text[80 + i] = (char)(FACETS >> 8 * i & 255);
    for (size_t i = 0; i < FACETS; i++)
        memcpy(file.text + 84 + 50 * i + 12, file.corners + 9 * i, 36);
    check_file(&file, 1);
    free_file(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_solid),     cmocka_unit_test(polygons),           cmocka_unit_test(deceiving_names),
        cmocka_unit_test(one_long_line), cmocka_unit_test(errors_deep_inside), cmocka_unit_test(binary_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

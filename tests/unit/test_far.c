/* Small parts far from the origin: each text format, and PLY in doubles, at 1 km to 10,000 km, into GLB, ASCII STL and
 * VRML97. The right coordinates are whole micrometres, worked out as integers. */
#include "vrml97_compare.h"

/* A part of 0.1 m; micrometres from its place. */
enum { CORNERS = 4, FACES = 4 };
static const int64_t part[CORNERS][3] = {{0, 0, 0}, {100000, 3, 17}, {12345, 98765, 1}, {50007, 40003, 99991}};
static const int faces[FACES][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
/* 1e-6 of the part's size, and what doubles keep of 1e7 m. */
static const double within = 1e-7;

static int free_all(void **state)
{
    reader_free();
    return free_context(state);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_context, free_all)

/* About 10^power metres away. */
static void find_corner(int power, int corner, int64_t place[3])
{
    static const int64_t direction[3] = {1295809, -486549, 12003}; /* millionths */
    int64_t scale = 1;
    for (int i = 0; i < power; i++)
        scale *= 10;
    for (int i = 0; i < 3; i++)
        place[i] = direction[i] * scale + 123457 * (i + 1) + part[corner][i];
}

/* ---- texts ---- */

struct text {
    char bytes[8192];
    size_t size;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text->bytes + text->size, sizeof text->bytes - text->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && text->size + (size_t)size < sizeof text->bytes);
    text->size += (size_t)size;
}

/* Micrometres as metres, in all digits. */
static void add_metres(struct text *text, const char *before, int64_t value, const char *after)
{
    add(text, "%s%s%lld.%06lld%s", before, value < 0 ? "-" : "", (long long)(llabs(value) / 1000000),
        (long long)(llabs(value) % 1000000), after);
}

static void add_corner(struct text *text, int power, int corner, const char *before, const char *after)
{
    int64_t place[3];
    find_corner(power, corner, place);
    add(text, "%s", before);
    for (int i = 0; i < 3; i++)
        add_metres(text, i > 0 ? " " : "", place[i], "");
    add(text, "%s", after);
}

static void add_corners(struct text *text, int power, const char *before)
{
    for (int i = 0; i < CORNERS; i++)
        add_corner(text, power, i, before, "\n");
}

static void add_faces(struct text *text, const char *before, int first)
{
    for (int i = 0; i < FACES; i++)
        add(text, "%s%d %d %d\n", before, faces[i][0] + first, faces[i][1] + first, faces[i][2] + first);
}

static void make_obj(struct text *text, int power)
{
    add_corners(text, power, "v ");
    add_faces(text, "f ", 1);
}

/* Two objects near each other, the first at the origin: its place is not the file's. Lines go on behind backslashes. */
static void make_obj_of_two(struct text *text, int power)
{
    add(text, "o near\nv 0 0 0\nv 1 0 0\nv 0 1 \\\n 0\nf 1 2 3\no far\n");
    add_corners(text, power, "v\t");
    add_faces(text, "f ", 4);
}

static void make_stl(struct text *text, int power)
{
    add(text, "solid part\n");
    for (int i = 0; i < FACES; i++) {
        add(text, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++)
            add_corner(text, power, faces[i][k], "vertex ", "\n");
        add(text, "endloop\nendfacet\n");
    }
    add(text, "endsolid part\n");
}

/* The dialect with commas. */
static void make_stl_with_commas(struct text *text, int power)
{
    struct text plain = {.size = 0};
    make_stl(&plain, power);
    for (char *line = strtok(plain.bytes, "\n"); line; line = strtok(NULL, "\n"))
        add(text, "%s%s\n", line, strncmp(line, "vertex", 6) == 0 ? "," : "");
}

static void make_ply(struct text *text, int power)
{
    add(text, "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty double z\n"
              "element face 4\nproperty list uchar int vertex_indices\nend_header\n");
    add_corners(text, power, "");
    add_faces(text, "3 ", 0);
}

/* The tests run on little-endian machines. */
static void make_binary_ply(struct text *text, int power)
{
    add(text, "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty double x\nproperty double y\n"
              "property double z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < CORNERS; i++) {
        int64_t place[3];
        find_corner(power, i, place);
        for (int k = 0; k < 3; k++, text->size += sizeof(double)) {
            double metres = (double)place[k] / 1e6;
            memcpy(text->bytes + text->size, &metres, sizeof metres);
        }
    }
    for (int i = 0; i < FACES; i++, text->size += 13) {
        text->bytes[text->size] = 3;
        memcpy(text->bytes + text->size + 1, faces[i], sizeof faces[i]);
    }
}

static void make_off(struct text *text, int power)
{
    add(text, "OFF # a comment\n4 4 6\n");
    add_corners(text, power, "# another\n ");
    add_faces(text, "3 ", 0);
}

/* Writes normals that are not true, as only the places of the corners are compared. */
static void make_tri(struct text *text, int power)
{
    for (int i = 0; i < 3 * FACES; i++) {
        int64_t place[3];
        find_corner(power, faces[i / 3][i % 3], place);
        for (int k = 0; k < 3; k++)
            add_metres(text, k == 0 ? "point " : " ", place[k], "");
        add(text, " 0 0 1\n");
    }
}

static void make_3mf(struct text *text, int power)
{
    add(text, "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\" unit=\"meter\"><resources>"
              "<object id=\"1\"><mesh><vertices>");
    for (int i = 0; i < CORNERS; i++) {
        int64_t place[3];
        find_corner(power, i, place);
        add_metres(text, "<vertex x=\"", place[0], "\"");
        add_metres(text, " y=\"", place[1], "\"");
        add_metres(text, " z=\"", place[2], "\"/>");
    }
    add(text, "</vertices><triangles>");
    for (int i = 0; i < FACES; i++)
        add(text, "<triangle v1=\"%d\" v2=\"%d\" v3=\"%d\"/>", faces[i][0], faces[i][1], faces[i][2]);
    add(text, "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>");
}

static void make_deneb(struct text *text, int power)
{
    add(text, "DCT PART 1.0\nUNIT m\nOBJECT \"o\"\nPOINTS 4\n");
    add_corners(text, power, "");
    add(text, "POLYGONS 4\n");
    add_faces(text, "3 ", 0);
    add(text, "END\n");
}

/* In millimetres. */
static void make_legacy_deneb(struct text *text, int power)
{
    add(text, "12\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n*\n4\n");
    for (int i = 0; i < CORNERS; i++) {
        int64_t place[3];
        find_corner(power, i, place);
        for (int k = 0; k < 3; k++)
            add(text, "%s%lld.%03lld%s", place[k] < 0 ? "-" : "", (long long)(llabs(place[k]) / 1000),
                (long long)(llabs(place[k]) % 1000), k < 2 ? " " : "\n");
    }
    add(text, "0\n6\n0 1\n1 2\n2 0\n0 3\n1 3\n2 3\n4\n");
    add_faces(text, "3 ", 0);
}

static const struct {
    const char *name;
    void (*make)(struct text *text, int power);
} formats[] = {{"part.obj", make_obj},   {"two.obj", make_obj_of_two},
               {"part.stl", make_stl},   {"commas.stl", make_stl_with_commas},
               {"part.ply", make_ply},   {"binary.ply", make_binary_ply},
               {"part.off", make_off},   {"part.model", make_3mf},
               {"part.dcp", make_deneb}, {"part.pdb", make_legacy_deneb},
               {"part.tri", make_tri}};
enum { FORMATS = sizeof formats / sizeof *formats, LEAST_POWER = 3, MOST_POWER = 7 };

/* ---- what is compared ---- */

/* The corners that points were found at, each within the tolerance of one; points near the origin are another part's.
 */
static void see_point(const double point[3], int power, unsigned *seen)
{
    if (fabs(point[0]) < 100)
        return;
    double least = INFINITY;
    int nearest = 0;
    for (int corner = 0; corner < CORNERS; corner++) {
        int64_t place[3];
        double square = 0;
        find_corner(power, corner, place);
        for (int i = 0; i < 3; i++)
            square += (point[i] - (double)place[i] / 1e6) * (point[i] - (double)place[i] / 1e6);
        nearest = square < least ? corner : nearest;
        least = fmin(least, square);
    }
    if (!(sqrt(least) <= within))
        fail_msg("%.9f %.9f %.9f is %g m off at 10^%d m", point[0], point[1], point[2], sqrt(least), power);
    *seen |= 1U << nearest;
}

static void check_scene(const cp_scene *scene, int power)
{
    unsigned seen = 0;
    uint32_t node_count, count;
    (void)cp_nodes(scene, &node_count);
    cp_pose worlds[16];
    assert_true(node_count <= 16);
    pose_scene(scene, NULL, worlds);
    const cp_instance *instances = cp_instances(scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mesh_count;
        const cp_mesh *mesh = &cp_meshes(scene, &mesh_count)[instances[i].mesh];
        cp_pose pose = plain_product(&worlds[instances[i].node], &instances[i].transform);
        for (uint32_t k = 0; k < mesh->vertex_count; k++) {
            const float *at = mesh->positions + 3 * (size_t)k;
            double point[3];
            plain_point(&pose, (const double[]){(double)at[0], (double)at[1], (double)at[2]}, point);
            see_point(point, power, &seen);
        }
    }
    assert_int_equal(seen, 15);
}

static cp_scene *read_part(cp_context *context, int format, int power)
{
    struct text text = {.size = 0};
    cp_scene *scene;
    formats[format].make(&text, power);
    expect_status(context, cp_read_memory(context, text.bytes, text.size, formats[format].name, NULL, NULL, 0, &scene),
                  CP_OK);
    return scene;
}

static char *write_text(cp_context *context, const cp_scene *scene, const char *format, const char *option,
                        size_t *size)
{
    return export_text(context, scene, format, &option, option ? 1 : 0, size);
}

static void test_read(void **state)
{
    for (int format = 0; format < FORMATS; format++)
        for (int power = LEAST_POWER; power <= MOST_POWER; power++) {
            cp_scene *scene = read_part(*state, format, power);
            check_scene(scene, power);
            cp_scene_free(scene);
        }
}

static void test_glb(void **state)
{
    for (int format = 0; format < FORMATS; format++)
        for (int power = LEAST_POWER; power <= MOST_POWER; power++) {
            size_t size;
            cp_scene *scene = read_part(*state, format, power), *back;
            char *bytes = write_text(*state, scene, "glb", NULL, &size);
            assert_int_equal(cp_read_memory(*state, bytes, size, "part.glb", NULL, NULL, 0, &back), CP_OK);
            check_scene(back, power);
            cp_scene_free(back);
            cp_scene_free(scene);
        }
}

static void see_shapes(struct vnode *at, cp_pose world, int power, unsigned *seen)
{
    if (strcmp(at->type, "Transform") == 0) {
        cp_pose local = transform_pose(at);
        world = plain_product(&world, &local);
    }
    if (strcmp(at->type, "Coordinate") == 0) {
        const struct vfield *points = vfield_of(at, "point");
        for (size_t i = 0; i + 2 < points->number_count; i += 3) {
            double point[3];
            plain_point(&world, points->numbers + i, point);
            /* Y is up */
            see_point((const double[]){point[0], -point[2], point[1]}, power, seen);
        }
    }
    for (size_t i = 0; i < at->field_count; i++)
        for (size_t k = 0; k < at->fields[i].node_count; k++)
            see_shapes(at->fields[i].nodes[k], world, power, seen);
}

static void test_vrml97(void **state)
{
    for (int format = 0; format < FORMATS; format++)
        for (int power = LEAST_POWER; power <= MOST_POWER; power++) {
            size_t size;
            unsigned seen = 0;
            cp_scene *scene = read_part(*state, format, power);
            const struct vrml_file *file = vrml_read(write_text(*state, scene, "vrml97", NULL, &size));
            for (size_t i = 0; i < file->root_count; i++)
                see_shapes(file->roots[i], PLAIN_IDENTITY, power, &seen);
            assert_int_equal(seen, 15);
            cp_scene_free(scene);
        }
}

/* The very digits come again: each number is the double nearest to the micrometres. */
static void test_ascii_stl(void **state)
{
    for (int format = 0; format < FORMATS; format++)
        for (int power = LEAST_POWER; power <= MOST_POWER; power++) {
            size_t size;
            unsigned seen = 0;
            cp_scene *scene = read_part(*state, format, power);
            const char *text = write_text(*state, scene, "stl", "format=ascii", &size), *at = text;
            while ((at = strstr(at, "vertex "))) {
                double point[3];
                char *end = NULL;
                at += strlen("vertex");
                for (int i = 0; i < 3; i++, at = end)
                    point[i] = strtod(at, &end);
                see_point(point, power, &seen);
                for (int corner = 0; fabs(point[0]) > 100 && corner < CORNERS; corner++) {
                    int64_t place[3];
                    find_corner(power, corner, place);
                    bool is_it = fabs(point[0] - (double)place[0] / 1e6) < 0.001;
                    for (int i = 0; is_it && i < 3; i++)
                        assert_true(point[i] == (double)place[i] / 1e6);
                }
            }
            assert_int_equal(seen, 15);
            assert_int_equal(count_lost(*state, "stl-far"), 0);

            /* the normal of the first face that is far: a cross product of differences in micrometres */
            const char *facet = strstr(text, formats[format].make == make_obj_of_two ? "solid far" : "facet");
            double normal[3], want[3], a[3], b[3];
            assert_int_equal(sscanf(strstr(facet, "normal"), "normal %lf %lf %lf", &normal[0], &normal[1], &normal[2]),
                             3);
            for (int i = 0; i < 3; i++) {
                a[i] = (double)(part[faces[0][1]][i] - part[faces[0][0]][i]);
                b[i] = (double)(part[faces[0][2]][i] - part[faces[0][0]][i]);
            }
            for (int i = 0; i < 3; i++)
                want[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
            double length = sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]);
            for (int i = 0; i < 3; i++)
                assert_true(fabs(normal[i] - want[i] / length) <= 1e-6);
            cp_scene_free(scene);
        }
}

/* Binary files hold floats alone: the loss tells how far off they are. */
static void test_binary_stl(void **state)
{
    for (int power = 0; power <= MOST_POWER; power++) {
        cp_context *context = cp_context_new(NULL);
        size_t size;
        double most = 0;
        cp_scene *scene = read_part(context, 0, power);
        (void)write_text(context, scene, "stl", NULL, &size);
        for (int corner = 0; corner < CORNERS; corner++) {
            int64_t place[3];
            double square = 0;
            find_corner(power, corner, place);
            for (int i = 0; i < 3; i++) {
                double metres = (double)place[i] / 1e6, off = (double)(float)metres - metres;
                square += off * off;
            }
            most = fmax(most, sqrt(square));
        }
        const cp_entry *entry = find_entry(context, "stl-far");
        assert_true((entry != NULL) == (power >= LEAST_POWER));
        if (entry) {
            const char *number = strstr(entry->text, "up to ");
            assert_non_null(number);
            assert_int_equal(entry->severity, CP_LOSS);
            assert_int_equal(entry->count, 1);
            assert_true(fabs(strtod(number + strlen("up to "), NULL) - most) <= 1e-3 * most);
        }
        cp_scene_free(scene);
        cp_context_free(context);
    }
    (void)state;
}

/* ---- a part near its own origin, in a frame that is far away ---- */

static const int64_t sides[3] = {400000, 300000, 200000};

/* A corner of the box, in metres. */
static void find_box_corner(int power, int corner, double point[3])
{
    int64_t place[3];
    find_corner(power, 0, place);
    for (int i = 0; i < 3; i++)
        point[i] = (double)(place[i] + (corner >> i & 1 ? sides[i] : -sides[i]) / 2) / 1e6;
}

static void see_box_corner(const double point[3], int power, unsigned *seen)
{
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        find_box_corner(power, corner, at);
        if (fabs(point[0] - at[0]) <= within && fabs(point[1] - at[1]) <= within && fabs(point[2] - at[2]) <= within) {
            *seen |= 1U << corner;
            return;
        }
    }
    fail_msg("%.9f %.9f %.9f is no corner at 10^%d m", point[0], point[1], point[2], power);
}

/* Binary STL tells what floats take away, worked out for each corner; ASCII STL and GLB keep the shape. */
static void test_far_frame(void **state)
{
    for (int power = LEAST_POWER; power <= MOST_POWER; power++) {
        struct text cell = {.size = 0};
        cp_scene *scene;
        size_t size;
        double most = 0;
        unsigned seen = 0;
        int64_t place[3];
        find_corner(power, 0, place);
        add_metres(&cell, "{ \"Part\"\n  Position (", place[0], ", ");
        add_metres(&cell, "", place[1], ", ");
        add_metres(&cell, "", place[2], ")\n  GeoID \"#Box 0.4 0.3 0.2\"\n}\n");
        cp_report_clear(*state);
        assert_int_equal(cp_read_memory(*state, cell.bytes, cell.size, "cell.wu", "tag", NULL, 0, &scene), CP_OK);

        const char *at = write_text(*state, scene, "stl", "format=ascii", &size);
        for (at = strstr(at, "vertex "); at; at = strstr(at, "vertex ")) {
            double point[3];
            char *end = NULL;
            at += strlen("vertex");
            for (int i = 0; i < 3; i++, at = end)
                point[i] = strtod(at, &end);
            see_box_corner(point, power, &seen);
        }
        assert_int_equal(seen, 255);
        assert_int_equal(count_lost(*state, "stl-far"), 0);

        (void)write_text(*state, scene, "stl", NULL, &size);
        for (int corner = 0; corner < 8; corner++) {
            double point[3], square = 0;
            find_box_corner(power, corner, point);
            for (int i = 0; i < 3; i++)
                square += ((double)(float)point[i] - point[i]) * ((double)(float)point[i] - point[i]);
            most = fmax(most, sqrt(square));
        }
        assert_int_equal(count_lost(*state, "stl-far"), 1);
        const char *told = strstr(find_entry(*state, "stl-far")->text, "up to ");
        assert_non_null(told);
        assert_true(fabs(strtod(told + strlen("up to "), NULL) - most) <= 1e-3 * most);
        cp_scene_free(scene);
    }
}

/* Nothing else changes: near the origin, floats are the file's and the instance is where it was. */
static void test_near(void **state)
{
    for (int format = 0; format < FORMATS; format++) {
        uint32_t count;
        cp_scene *scene = read_part(*state, format, 0);
        const cp_instance *instances = cp_instances(scene, &count);
        for (uint32_t i = 0; i < count; i++)
            for (int row = 0; row < 3; row++)
                assert_true(instances[i].transform.m[4 * row + 3] == 0);
        cp_scene_free(scene);
    }
}

/* Many facets, which several threads read: a plate of millimetres at 2e6 m. */
static void test_large(void **state)
{
    enum { SIDE = 120, LINE = 64 };
    static const char *const names[] = {"plate.obj", "plate.stl"};
    assert_int_equal(cp_set_threads(*state, 3), CP_OK);
    size_t room = (size_t)LINE * 10 * SIDE * SIDE, size[2] = {0, 0};
    char *texts[2] = {reader_allocate(room), reader_allocate(room)};
    size[1] += (size_t)sprintf(texts[1], "solid plate\n");
    for (int i = 0; i < SIDE * SIDE; i++) {
        static const int offsets[3][2] = {{0, 0}, {1, 0}, {0, 1}};
        size[1] += (size_t)sprintf(texts[1] + size[1], "facet normal 0 0 1\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            int x = i % SIDE + offsets[k][0], y = i / SIDE + offsets[k][1];
            size[0] += (size_t)sprintf(texts[0] + size[0], "v 2000000.%03d 12.%03d 3e-3\n", x, y);
            size[1] += (size_t)sprintf(texts[1] + size[1], "vertex 2000000.%03d 12.%03d 3e-3\n", x, y);
        }
        size[0] += (size_t)sprintf(texts[0] + size[0], "f -3 -2 -1\n");
        size[1] += (size_t)sprintf(texts[1] + size[1], "endloop\nendfacet\n");
    }
    size[1] += (size_t)sprintf(texts[1] + size[1], "endsolid plate\n");
    for (int i = 0; i < 2; i++) {
        cp_scene *scene;
        uint32_t count;
        assert_true(size[i] < room);
        assert_int_equal(cp_read_memory(*state, texts[i], size[i], names[i], NULL, NULL, 0, &scene), CP_OK);
        const cp_mesh *mesh = cp_meshes(scene, &count);
        const cp_pose *pose = &cp_instances(scene, &count)->transform;
        assert_int_equal(mesh->vertex_count, i == 0 ? 3 * SIDE * SIDE : (SIDE + 1) * (SIDE + 1) - 1);
        for (uint32_t corner = 0; corner < mesh->corner_count; corner++) {
            static const int offsets[3][2] = {{0, 0}, {1, 0}, {0, 1}};
            int face = (int)(corner / 3), x = face % SIDE + offsets[corner % 3][0],
                y = face / SIDE + offsets[corner % 3][1];
            const float *at = mesh->positions + 3 * (size_t)mesh->corners[corner];
            double point[3];
            plain_point(pose, (const double[]){(double)at[0], (double)at[1], (double)at[2]}, point);
            assert_true(fabs(point[0] - (2000000 + x / 1000.0)) <= 2e-8);
            assert_true(fabs(point[1] - (12 + y / 1000.0)) <= 2e-8);
            assert_true(fabs(point[2] - 0.003) <= 2e-8);
        }
        cp_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_read),      TEST(test_glb),        TEST(test_vrml97),
                                       TEST(test_ascii_stl), TEST(test_binary_stl), TEST(test_far_frame),
                                       TEST(test_near),      TEST(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

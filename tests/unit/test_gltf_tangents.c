/* Tangents in glTF: what is read of files made by hand, and what stands in written files by the tests' own reading of
 * their accessors. */
#include "gltf_support.h"

#include "gltf_written.h"

/* A triangle of right angles and one beside it; per vertex a position, a normal, a tangent and coordinates. */
static const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 1, 3, 0, 1, 2, 0, 3};
static const float normals[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, -1, 0, 0, -1, 0, 0, -1, 0};
static const float tangents[24] = {1, 0, 0, 1,  0.6f, 0.8f, 0,    1,  0, 1, 0,  -1,
                                   1, 0, 0, -1, 0.8f, 0,    0.6f, -1, 0, 0, -1, 1};
static const float coordinates[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};

/* A file of floats whose material has a normal map; tangents as the accessor says, behind 168 bytes of the rest. */
static const char shown[] =
    "'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':0,'byteOffset':72,'byteLength':72},"
    "{'buffer':0,'byteOffset':144,'byteLength':48},{'buffer':0,'byteOffset':192,'byteLength':%d}],"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3','min':[0,0,0],'max':[3,1,3]},"
    "{'bufferView':1,'componentType':5126,'count':6,'type':'VEC3'},"
    "{'bufferView':2,'componentType':5126,'count':6,'type':'VEC2'},{'bufferView':3,%s}],"
    "'images':[{'uri':'data:image/"
    "png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgOMEAAAGUAMlBGJ3rA"
    "AAAAElFTkSuQmCC'}],'textures':[{'source':0}],'materials':[{'normalTexture':{'index':0}}],"
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0,%s'TEXCOORD_0':2,'TANGENT':3},'material':0}]}],"
    "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}]";
static const char four_floats[] = "'componentType':5126,'count':6,'type':'VEC4'";

static cp_scene *read_tangents(cp_context *context, const void *bytes, size_t size, const char *accessor, bool lit,
                               const char *option, cp_status expected)
{
    struct bin bin = {.size = 0};
    char json[2048];
    put(&bin, positions, sizeof positions);
    put(&bin, normals, sizeof normals);
    put(&bin, coordinates, sizeof coordinates);
    put(&bin, bytes, size);
    assert_true((size_t)snprintf(json, sizeof json, shown, (int)size, accessor, lit ? "'NORMAL':1," : "") <
                sizeof json);
    return read_with(context, json, &bin, option, expected);
}

static double degrees_apart(const double a[3], const double b[3])
{
    double along = 0, squares[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        along += a[i] * b[i];
        squares[0] += a[i] * a[i];
        squares[1] += b[i] * b[i];
    }
    return acos(fmin(1, along / sqrt(squares[0] * squares[1]))) * 180 / PI;
}

/* The attribute's accessor of the first primitive of a mesh. */
static json_t *attribute(struct written *file, size_t mesh, const char *name)
{
    json_t *primitive = at(at(file->json, "meshes", mesh), "primitives", 0);
    json_t *index = json_object_get(get(primitive, "attributes"), name);
    return index ? at(file->json, "accessors", (size_t)json_integer_value(index)) : NULL;
}

/* Element of an accessor of floats or normalised bytes (sections 3.6.2.1 and 3.6.2.2). */
static void read_element(struct written *file, json_t *accessor, size_t element, size_t width, double *out)
{
    json_t *view = at(file->json, "bufferViews", (size_t)json_integer_value(get(accessor, "bufferView")));
    json_t *begin = json_object_get(view, "byteOffset"), *offset = json_object_get(accessor, "byteOffset");
    json_t *stride = json_object_get(view, "byteStride");
    bool floats = json_integer_value(get(accessor, "componentType")) == 5126;
    size_t step = stride ? (size_t)json_integer_value(stride) : width * (floats ? 4 : 1);
    const unsigned char *bytes = file->binary + (begin ? json_integer_value(begin) : 0) +
                                 (offset ? json_integer_value(offset) : 0) + step * element;
    for (size_t i = 0; i < width; i++)
        out[i] = floats ? (double)float_at(bytes + 4 * i) : fmax((signed char)bytes[i] / 127.0, -1);
}

/* Floats keep their bits, in a stage and in a file for viewers, however often they go through. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const profiles[] = {"profile=stage", "profile=deliver"};
    for (int i = 0; i < 2; i++) {
        struct written file = {.context = cp_context_new(NULL)};
        file.scene = read_tangents(file.context, tangents, sizeof tangents, four_floats, true, NULL, CP_OK);
        assert_memory_equal(mesh_at(file.scene, 0)->tangents, tangents, sizeof tangents);
        for (int times = 0; times < 2; times++) {
            write_with(&file, profiles[i], NULL);
            json_t *accessor = attribute(&file, 0, "TANGENT");
            assert_non_null(accessor);
            assert_string_equal(text(accessor, "type"), "VEC4");
            assert_int_equal(json_integer_value(get(accessor, "count")), 6);
            for (size_t k = 0; k < 6; k++) {
                double found[4];
                read_element(&file, accessor, k, 4, found);
                for (size_t axis = 0; axis < 4; axis++)
                    assert_true(found[axis] == (double)tangents[4 * k + axis]);
            }
            cp_scene_free(file.scene);
            file.scene = NULL;
            assert_int_equal(
                cp_read_memory(file.context, file.bytes, file.size, "again.glb", NULL, NULL, 0, &file.scene), CP_OK);
            assert_memory_equal(mesh_at(file.scene, 0)->tangents, tangents, sizeof tangents);
            if (times == 0)
                drop_file(&file);
        }
        assert_int_equal(count_of(file.context, "gltf-tangents"), 0);
        finish(&file);
    }
}

/* Integers are normalised, and their directions made a unit long (KHR_mesh_quantization: bytes and shorts). */
static void test_integers(void **state)
{
    (void)state;
    static const signed char bytes[24] = {127, 0, 0, 127,  76,  102, 0,  127,  0, 127, 0,    -127,
                                          127, 0, 0, -128, 102, 0,   76, -127, 0, 0,   -128, 127};
    short shorts[24];
    for (int i = 0; i < 24; i++)
        shorts[i] = (short)(bytes[i] == -128 ? -32768 : bytes[i] * 32767 / 127);
    for (int wide = 0; wide < 2; wide++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene =
            read_tangents(context, wide ? (const void *)shorts : bytes, wide ? sizeof shorts : sizeof bytes,
                          wide ? "'componentType':5122,'normalized':true,'count':6,'type':'VEC4'"
                               : "'componentType':5120,'normalized':true,'count':6,'type':'VEC4'",
                          true, NULL, CP_OK);
        const float *found = mesh_at(scene, 0)->tangents;
        for (int i = 0; i < 6; i++) {
            double t[3], length = 0;
            for (int k = 0; k < 3; k++) {
                t[k] = (double)found[4 * i + k];
                length += t[k] * t[k];
            }
            assert_true(fabs(length - 1) < 1e-6);
            assert_true(degrees_apart(t, (const double[]){(double)tangents[4 * i], (double)tangents[4 * i + 1],
                                                          (double)tangents[4 * i + 2]}) < 0.3);
            assert_true(found[4 * i + 3] == tangents[4 * i + 3]);
        }
        assert_null(find_entry(context, "gltf-tangent"));
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* Bad tangents are mended, with a warning that counts; the others of the mesh keep their bits. */
static void test_mended(void **state)
{
    (void)state;
    static const struct {
        float values[4];
        double expected[3]; /* zeros: any direction square to the normal, +z */
        float sign;
    } cases[] = {
        {{1, 0, 0, 0.5f}, {1, 0, 0}, 1},      {{1, 0, 0, -3}, {1, 0, 0}, -1},       {{1, 0, 0, 0}, {1, 0, 0}, 1},
        {{0, -4, 0, 1}, {0, -1, 0}, 1},       {{0, 0, 0, 1}, {0, 0, 0}, 1},         {{0, 0, 0, -1}, {0, 0, 0}, -1},
        {{NAN, 0, 0, 1}, {0, 0, 0}, 1},       {{1, 0, INFINITY, -1}, {0, 0, 0}, 1}, {{1, 0, 0, NAN}, {0, 0, 0}, 1},
        {{3e38f, 3e38f, 0, 1}, {1, 1, 0}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float values[24];
        memcpy(values, tangents, sizeof values);
        memcpy(values + 4, cases[i].values, 4 * sizeof *values);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_tangents(context, values, sizeof values, four_floats, true, NULL, CP_OK);
        const float *found = mesh_at(scene, 0)->tangents;
        assert_memory_equal(found, tangents, 4 * sizeof *found);
        assert_memory_equal(found + 8, tangents + 8, 16 * sizeof *found);
        const double t[3] = {(double)found[4], (double)found[5], (double)found[6]}, up[3] = {0, 0, 1};
        const double *expected = cases[i].expected;
        bool any = expected[0] == 0 && expected[1] == 0 && expected[2] == 0;
        assert_true(fabs(t[0] * t[0] + t[1] * t[1] + t[2] * t[2] - 1) < 1e-6);
        assert_true(any ? fabs(degrees_apart(t, up) - 90) < 1e-3 : degrees_apart(t, expected) < 1e-3);
        assert_true(found[7] == cases[i].sign);
        const cp_entry *entry = find_entry(context, "gltf-tangent");
        assert_non_null(entry);
        assert_int_equal(entry->severity, CP_WARNING);
        assert_non_null(strstr(entry->text, "1 tangents"));
        cp_scene_free(scene);
        (void)read_tangents(context, values, sizeof values, four_floats, true, "strict=yes", CP_INPUT);
        cp_context_free(context);
    }
}

/* Tangents that nobody can use are left out: not as many as positions, not four numbers, all zero, without normals. */
static void test_left_out(void **state)
{
    (void)state;
    static const float zeros[24] = {0};
    static const struct {
        const float *values;
        const char *accessor, *code;
        bool lit;
    } cases[] = {
        {tangents, "'componentType':5126,'count':5,'type':'VEC4'", "gltf-tangent-count", true},
        {tangents, "'componentType':5126,'count':6,'type':'VEC3'", "gltf-tangent-count", true},
        {zeros, four_floats, "gltf-tangent", true},
        {tangents, four_floats, "gltf-tangents", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene =
            read_tangents(context, cases[i].values, sizeof tangents, cases[i].accessor, cases[i].lit, NULL, CP_OK);
        assert_null(mesh_at(scene, 0)->tangents);
        assert_int_equal(mesh_at(scene, 0)->normals != NULL, cases[i].lit);
        const cp_entry *entry = find_entry(context, cases[i].code);
        assert_non_null(entry);
        assert_int_equal(entry->severity, cases[i].lit ? CP_WARNING : CP_LOSS);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* Primitives with tangents and without are two meshes, as those with normals and without are. */
static void test_kinds(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    put(&bin, positions, sizeof positions);
    put(&bin, normals, sizeof normals);
    put(&bin, tangents, sizeof tangents);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        "'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':0,'byteOffset':72,'byteLength':72},"
        "{'buffer':0,'byteOffset':144,'byteLength':96}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3','min':[0,0,0],'max':[3,1,3]},"
        "{'bufferView':1,'componentType':5126,'count':6,'type':'VEC3'},"
        "{'bufferView':2,'componentType':5126,'count':6,'type':'VEC4'}],'meshes':[{'primitives':["
        "{'attributes':{'POSITION':0,'NORMAL':1}},{'attributes':{'POSITION':0,'NORMAL':1,'TANGENT':2}}]}],"
        "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}]",
        &bin);
    uint32_t count;
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_null(mesh_at(scene, 0)->tangents);
    assert_memory_equal(mesh_at(scene, 1)->tangents, tangents, sizeof tangents);
    cp_scene_free(scene);
    cp_context_free(context);
}

enum { SIDE = 40, COUNT = SIDE * SIDE };

/* A flat sheet of points a metre apart. Tangents turn from point to point, and so do their signs. */
static void add_sheet(struct written *file, const cp_pose *pose, float (*tangents_of_it)[4])
{
    float *places = scratch(COUNT, 3 * sizeof *places);
    float *up = scratch(COUNT, 3 * sizeof *up);
    uint32_t *corners = scratch((SIDE - 1) * (SIDE - 1), 6 * sizeof *corners), at = 0;
    assert_true(places && up && corners);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t x = i % SIDE, y = i / SIDE;
        memcpy(places + 3 * (size_t)i, (const float[]){(float)x, (float)y, 0}, 3 * sizeof *places);
        memcpy(up + 3 * (size_t)i, (const float[]){0, 0, 1}, 3 * sizeof *up);
        memcpy(tangents_of_it[i], (const float[]){(float)cos(0.37 * i), (float)sin(0.37 * i), 0, i % 3 ? 1 : -1}, 16);
        const uint32_t faces[] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        if (x + 1 < SIDE && y + 1 < SIDE)
            memcpy(corners + at, faces, sizeof faces), at += 6;
    }
    cp_material brushed = cp_new_material();
    brushed.name = "brushed";
    brushed.extensions = "{\"KHR_materials_anisotropy\":{\"anisotropyStrength\":0.5}}";
    const cp_group group = {0, at / 3, cp_add_material(file->scene, &brushed)};
    cp_mesh mesh = {.name = "sheet",
                    .kind = CP_MESH_FACES,
                    .vertex_count = COUNT,
                    .face_count = at / 3,
                    .corner_count = at,
                    .group_count = 1,
                    .positions = places,
                    .normals = up,
                    .tangents = tangents_of_it[0],
                    .corners = corners,
                    .groups = &group};
    assert_true(add_instance_of(file->scene, 0, add_mesh_of(file->scene, &mesh), CP_USE_BOTH, pose) != CP_NONE);
    assert_int_equal(cp_scene_finish(file->scene), CP_OK);
}

static void multiply(const cp_pose *pose, const double v[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = pose->m[4 * row] * v[0] + pose->m[4 * row + 1] * v[1] + pose->m[4 * row + 2] * v[2];
}

/* The largest angle in the world between tangents of the file, from its bytes or by our reader, and those of the sheet;
 * signs are exact. */
static double world_error(struct written *file, const cp_scene *again, const cp_pose *pose,
                          const float (*tangents_of_it)[4], bool by_bytes)
{
    uint32_t count;
    const cp_mesh *read = mesh_at(again, 0);
    const cp_instance *instance = &cp_instances(again, &count)[0];
    cp_pose node = world_of(again, &cp_nodes(again, &count)[instance->node]), back = plain_inverse(pose);
    cp_pose placed = plain_product(&node, &instance->transform);
    double most = 0, hand = plain_determinant(&placed) * plain_determinant(pose) < 0 ? -1 : 1;
    for (size_t i = 0; i < COUNT; i++) {
        double point[3], found[4], seen[3], wanted[3];
        for (size_t k = 0; k < 3; k++)
            point[k] = (double)read->positions[3 * i + k];
        plain_point(&placed, point, point);
        plain_point(&back, point, point);
        size_t vertex = (size_t)(lrint(point[1]) * SIDE + lrint(point[0]));
        assert_true(vertex < COUNT);
        for (size_t k = 0; k < 4; k++)
            found[k] = (double)read->tangents[4 * i + k];
        if (by_bytes)
            read_element(file, attribute(file, 0, "TANGENT"), i, 4, found);
        const double had[] = {(double)tangents_of_it[vertex][0], (double)tangents_of_it[vertex][1], 0};
        multiply(&placed, found, seen);
        multiply(pose, had, wanted);
        most = fmax(most, degrees_apart(seen, wanted));
        assert_true(found[3] * hand == (double)tangents_of_it[vertex][3]);
    }
    return most;
}

/* For the web: bytes on the octahedron, 0.74 degrees off at most, and 0.4 by the rounding of decoders; packed by the
 * filter for normals, which leaves the fourth byte alone. Read again, both are the same but for a step, by which
 * decoders may differ. Uneven scales mean no more, since the mesh is brought to even ones before. */
static void test_web(void **state)
{
    (void)state;
    static float of_sheet[COUNT][4], seen[2][COUNT][4];
    const cp_pose poses[] = {
        PLAIN_IDENTITY, {{-3, 0.5, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3}}, {{0, 5, 0, 1, 1, 0, 0, 0, 0, 2, 1, 0}}};
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) {
        for (int packed = 0; packed < 2; packed++) {
            struct written file = start();
            add_sheet(&file, &poses[i], of_sheet);
            write_with(&file, "web=yes", packed ? NULL : "compression=none");
            json_t *accessor = attribute(&file, 0, "TANGENT");
            assert_non_null(accessor);
            assert_int_equal(json_integer_value(get(accessor, "componentType")), 5120);
            assert_true(json_is_true(get(accessor, "normalized")));
            assert_int_equal(json_integer_value(get(accessor, "count")), COUNT);
            cp_scene *again = NULL;
            assert_int_equal(cp_read_memory(file.context, file.bytes, file.size, "w.glb", NULL, NULL, 0, &again),
                             CP_OK);
            double most = world_error(&file, again, &poses[i], (const float(*)[4])of_sheet, !packed);
            print_message("tangents are off by at most %.3f degrees\n", most);
            assert_true(most <= 0.74 + 0.4);
            assert_true(most > 0.01); /* they are rounded at all */
            memcpy(seen[packed], mesh_at(again, 0)->tangents, sizeof seen[packed]);
            cp_scene_free(again);
            finish(&file);
        }
        for (size_t k = 0; k < COUNT; k++)
            for (size_t axis = 0; axis < 4; axis++)
                assert_near(seen[0][k][axis], seen[1][k][axis], axis < 3 ? 1.5 / 127 : 0);
    }
}

/* The stage says exactly the scene: meshes that nothing draws, and tangents that glTF's attribute may not have. */
static void test_stage(void **state)
{
    (void)state;
    static const uint32_t corners[6] = {0, 1, 2, 3, 4, 5};
    float odd[2][24];
    memcpy(odd[0], tangents, sizeof tangents);
    memcpy(odd[1], tangents, sizeof tangents);
    odd[0][4] = 3;    /* not a unit long */
    odd[1][11] = 0.5; /* no sign */
    const float *const sets[] = {tangents, odd[0], odd[1]};
    struct written file = start();
    for (int i = 0; i < 6; i++) {
        bool drawn = i % 2;
        cp_mesh mesh = {.name = "m",
                        .kind = CP_MESH_FACES,
                        .vertex_count = 6,
                        .positions = positions,
                        .normals = normals,
                        .tangents = sets[i / 2]};
        if (drawn)
            mesh.face_count = 2, mesh.corner_count = 6, mesh.corners = corners;
        assert_true(add_instance_of(file.scene, 0, add_mesh_of(file.scene, &mesh), CP_USE_BOTH, &PLAIN_IDENTITY) !=
                    CP_NONE);
    }
    assert_int_equal(cp_scene_finish(file.scene), CP_OK);
    write_with(&file, "profile=stage", NULL);
    assert_non_null(attribute(&file, 0, "TANGENT")); /* mesh 0 of the file is the first drawn one */
    assert_null(attribute(&file, 1, "TANGENT"));
    assert_null(attribute(&file, 2, "TANGENT"));
    cp_scene *again = NULL;
    assert_int_equal(cp_read_memory(file.context, file.bytes, file.size, "s.glb", NULL, NULL, 0, &again), CP_OK);
    for (uint32_t i = 0; i < 6; i++)
        assert_memory_equal(mesh_at(again, i)->tangents, sets[i / 2], sizeof tangents);
    cp_scene_free(again);
    finish(&file);
}

/* There are no tangents without normals; that is told where a normal map looks at them. */
static void test_without_normals(void **state)
{
    (void)state;
    struct written file = {.context = cp_context_new(NULL)};
    file.scene = read_tangents(file.context, tangents, sizeof tangents, four_floats, true, NULL, CP_OK);
    write_with(&file, "normals=none", NULL);
    assert_null(attribute(&file, 0, "NORMAL"));
    assert_null(attribute(&file, 0, "TANGENT"));
    assert_int_equal(count_lost(file.context, "loss-tangents"), 1);
    finish(&file);
}

/* STL and VRML97 have no tangents: a loss for materials with normal maps, else nothing. */
static void test_other_formats(void **state)
{
    (void)state;
    static const char *const formats[] = {"stl", "vrml97"};
    for (int format = 0; format < 2; format++)
        for (int shows = 0; shows < 2; shows++) {
            cp_context *context = cp_context_new(NULL);
            cp_scene *scene = read_tangents(context, tangents, sizeof tangents, four_floats, true, NULL, CP_OK);
            if (!shows) {
                struct draft draft = draft_of(scene);
                draft.materials[0].texture_count = 0;
                scene = built_again(&draft, context);
                assert_int_equal(cp_scene_finish(scene), CP_OK);
            }
            void *bytes;
            size_t size;
            assert_int_equal(cp_write_memory(context, scene, formats[format], NULL, 0, &bytes, &size), CP_OK);
            assert_int_equal(count_lost(context, "loss-tangents"), shows);
            cp_free(context, bytes, size);
            cp_scene_free(scene);
            cp_context_free(context);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_integers),        cmocka_unit_test(test_mended),
        cmocka_unit_test(test_left_out),   cmocka_unit_test(test_kinds),           cmocka_unit_test(test_web),
        cmocka_unit_test(test_stage),      cmocka_unit_test(test_without_normals), cmocka_unit_test(test_other_formats),
    };
    return cmocka_run_group_tests_name("gltf tangents", tests, NULL, NULL);
}

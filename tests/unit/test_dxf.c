/* The DXF importer on small drawings whose content is worked out by hand, by the DXF reference. */
#include "assimp_support.h"

/* A group: its code and its value. */
#define G(code, value) #code "\n" #value "\n"
#define BEGIN(section) G(0, SECTION) G(2, section)
#define END G(0, ENDSEC)
#define POINT(x, y, z, i) "1" #i "\n" #x "\n2" #i "\n" #y "\n3" #i "\n" #z "\n"
#define TRIANGLE G(0, 3DFACE) G(8, Parts) POINT(0, 0, 0, 0) POINT(2, 0, 0, 1) POINT(0, 3, 4, 2) POINT(0, 3, 4, 3)
#define ENTITIES(entities) BEGIN(ENTITIES) entities END G(0, EOF)
#define BLOCK(name, base, entities) G(0, BLOCK) G(2, name) base entities G(0, ENDBLK)
#define BLOCKS(blocks) BEGIN(BLOCKS) blocks END
#define INSERT(name) G(0, INSERT) G(8, Parts) G(2, name)

/* All corners that instances show must lie within the box, and touch its sides. */
static void expect_box(const cp_scene *scene, const double lower[3], const double upper[3])
{
    uint32_t count, nodes = count_nodes(scene);
    const cp_instance *instances = cp_instances(scene, &count);
    const cp_mesh *meshes = cp_meshes(scene, NULL);
    cp_pose *worlds = scratch(nodes, sizeof *worlds);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    pose_scene(scene, NULL, worlds);
    for (uint32_t i = 0; i < count; i++) {
        const cp_mesh *mesh = &meshes[instances[i].mesh];
        cp_pose pose = plain_product(&worlds[instances[i].node], &instances[i].transform);
        for (uint32_t k = 0; k < mesh->corner_count; k++) {
            const float *p = mesh->positions + 3 * (size_t)mesh->corners[k];
            for (size_t axis = 0; axis < 3; axis++) {
                const double *m = pose.m + 4 * axis;
                double value = m[0] * (double)p[0] + m[1] * (double)p[1] + m[2] * (double)p[2] + m[3];
                low[axis] = fmin(low[axis], value);
                high[axis] = fmax(high[axis], value);
            }
        }
    }
    for (size_t axis = 0; axis < 3; axis++)
        if (!(fabs(low[axis] - lower[axis]) < 1e-6 && fabs(high[axis] - upper[axis]) < 1e-6))
            fail_msg("axis %zu: %g .. %g, not %g .. %g", axis, low[axis], high[axis], lower[axis], upper[axis]);
}

/* The colour of a material as bytes. */
static uint32_t rgb_of(const cp_material *material)
{
    uint32_t rgb = 0;
    assert_true(material->srgb);
    for (int i = 0; i < 3; i++)
        rgb = rgb << 8 | (uint32_t)lround(255 * material->rgba[i]);
    return rgb;
}

static uint32_t colour_of_group(const cp_scene *scene, const cp_mesh *mesh, uint32_t group)
{
    assert_true(group < mesh->group_count);
    return rgb_of(&cp_materials(scene, NULL)[mesh->groups[group].material]);
}

/* ---- faces ---- */

/* A quadrangle and a triangle share an edge; invisible edges (group 70) are edges all the same. */
static void test_faces(void **state)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 5};
    static const uint32_t corners[] = {0, 1, 2, 3, 1, 4, 2};
    static const char *const texts[] = {
        ENTITIES(G(0, 3DFACE) POINT(0, 0, 0, 0) POINT(1, 0, 0, 1) POINT(1, 1, 0, 2) POINT(0, 1, 0, 3) G(70, 15)
                     G(0, 3DFACE) POINT(1, 0, 0, 0) POINT(2, 0, 5, 1) POINT(1, 1, 0, 2) POINT(1, 1, 0, 3)),
        "999\na comment\n" ENTITIES(G(0, 3DFACE) G(5, A1) G(100, AcDbEntity) G(8, 0) POINT(0, 0, 0, 0) POINT(1, 0, 0, 1)
                                        POINT(1, 1, 0, 2) POINT(0, 1, 0.0, 3) G(0, 3DFACE) POINT(1, 0, 0, 0)
                                            POINT(2, 0, 5.0E+00, 1) POINT(1, 1, 0, 2)),
        "  0\r\nSECTION\r\n  2\r\nENTITIES\r\n  0\r\nSOLID\r\n 10\r\n0.0\r\n 20\r\n0.0\r\n 11\r\n1\r\n 21\r\n0\r\n "
        "12\r\n0\r\n 22\r\n1\r\n 13\r\n1\r\n 23\r\n1\r\n  0\r\n3DFACE\r\n 10\r\n1\r\n 20\r\n0\r\n 30\r\n0\r\n 11\r\n"
        "2\r\n 21\r\n0\r\n 31\r\n5\r\n 12\r\n1\r\n 22\r\n1\r\n 32\r\n0\r\n  0\r\nENDSEC\r\n  0\r\nEOF"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cp_scene *scene = read_scene(*state, texts[i], "part.dxf", NULL);
        assert_positions(only_mesh(scene), positions, 5);
        assert_corners(only_mesh(scene), corners, 7);
        assert_int_equal(only_mesh(scene)->face_count, 2);
        assert_string_equal(cp_scene_source(scene)->format, "dxf");
        assert_string_equal(node_called(scene, "part")->name, "part");
        assert_int_equal(count_all(*state), 0);
        cp_scene_free(scene);
    }
}

/* A face of two places is a line, one of a single place is nothing. */
static void test_small_faces(void **state)
{
    static const char text[] =
        ENTITIES(TRIANGLE G(0, 3DFACE) POINT(0, 0, 0, 0) POINT(1, 2, 3, 1) POINT(1, 2, 3, 2) POINT(0, 0, 0, 3)
                     G(0, 3DFACE) POINT(1, 1, 1, 0) POINT(1, 1, 1, 1) POINT(1, 1, 1, 2) POINT(1, 1, 1, 3));
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_int_equal(meshes[1].kind, CP_MESH_LINES);
    assert_int_equal(meshes[1].corner_count, 2);
    assert_int_equal(count_lost(*state, "dxf-small"), 1);
    cp_scene_free(scene);
}

/* Far from the origin, vertices keep their digits: the instance has the place. */
static void test_far(void **state)
{
    static const char text[] = ENTITIES(G(0, 3DFACE) POINT(4500000.125, 5300000.5, 0, 0)
                                            POINT(4500000.25, 5300000.5, 0, 1) POINT(4500000.125, 5300000.625, 0, 2));
    cp_scene *scene = read_scene(*state, text, "part.dxf", "unit=1");
    expect_box(scene, (double[]){4500000.125, 5300000.5, 0}, (double[]){4500000.25, 5300000.625, 0});
    cp_scene_free(scene);
}

/* ---- colours ---- */

/* Values of AutoCAD's table. */
static void test_colour_index(void **state)
{
    static const struct {
        int index;
        uint32_t rgb;
    } colours[] = {
        {1, 0xff0000},   {2, 0xffff00},   {3, 0x00ff00},   {4, 0x00ffff},   {5, 0x0000ff},   {6, 0xff00ff},
        {7, 0xffffff},   {8, 0x808080},   {9, 0xc0c0c0},   {10, 0xff0000},  {11, 0xff7f7f},  {12, 0xa50000},
        {13, 0xa55252},  {14, 0x7f0000},  {15, 0x7f3f3f},  {16, 0x4c0000},  {18, 0x260000},  {20, 0xff3f00},
        {21, 0xff9f7f},  {23, 0xa56752},  {30, 0xff7f00},  {42, 0xa57c00},  {50, 0xffff00},  {63, 0x91a552},
        {94, 0x007f00},  {111, 0x7fffbf}, {134, 0x007f7f}, {142, 0x007ca5}, {175, 0x3f3f7f}, {184, 0x1f007f},
        {210, 0xff00ff}, {241, 0xff7f9f}, {245, 0x7f3f4f}, {250, 0x333333}, {251, 0x5b5b5b}, {255, 0xffffff}};
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s62\n%d\n%s", BEGIN(ENTITIES) TRIANGLE, colours[i].index, END G(0, EOF));
        cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
        if (colour_of_group(scene, only_mesh(scene), 0) != colours[i].rgb)
            fail_msg("%d: %06x, not %06x", colours[i].index, (unsigned)colour_of_group(scene, only_mesh(scene), 0),
                     (unsigned)colours[i].rgb);
        cp_scene_free(scene);
    }
}

#define ROW(name, flags, colour) G(0, LAYER) G(2, name) G(70, flags) G(62, colour)
#define PLAIN_ROWS ROW(0, 0, 4) ROW(Parts, 0, 2)
#define GLASS_ROW ROW(Glass, 0, 5) G(420, 1122867) G(1001, AcCmTransparency) G(1071, 33554559)
#define HIDDEN_ROWS ROW(Hidden, 0, -1) ROW(Cold, 1, 1)
#define LAYERS BEGIN(TABLES) G(0, TABLE) G(2, LAYER) PLAIN_ROWS GLASS_ROW HIDDEN_ROWS G(0, ENDTAB) END

/* Colours of the entity, of its layer, of a layer that no table has; 0x112233 is 1122867. */
static void test_layers(void **state)
{
    static const char text[] = LAYERS ENTITIES(TRIANGLE TRIANGLE G(62, 256) TRIANGLE G(420, 66051) G(62, 1) TRIANGLE G(
        8, GLASS) TRIANGLE G(8, Nowhere) TRIANGLE G(8, 0) TRIANGLE G(440, 33554483) TRIANGLE G(62, 0));
    static const struct {
        const char *name;
        uint32_t rgb, faces;
        double alpha;
    } wanted[] = {{"Parts", 0xffff00, 2, 1},   {"Parts", 0x010203, 1, 1}, {"Glass", 0x112233, 1, 127 / 255.0},
                  {"Nowhere", 0xffffff, 1, 1}, {"0", 0x00ffff, 1, 1},     {"Parts", 0xffff00, 1, 51 / 255.0},
                  {"Parts", 0xffffff, 1, 1}};
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    const cp_mesh *mesh = only_mesh(scene);
    uint32_t count, first = 0;
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 7);
    assert_int_equal(mesh->group_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        const cp_material *material = &materials[mesh->groups[i].material];
        assert_string_equal(material->name, wanted[i].name);
        assert_int_equal(rgb_of(material), wanted[i].rgb);
        assert_true(material->rgba[3] == wanted[i].alpha && material->two_sided);
        assert_int_equal(mesh->groups[i].first_face, first);
        assert_int_equal(mesh->groups[i].face_count, wanted[i].faces);
        first += wanted[i].faces;
    }
    assert_int_equal(count_all(*state), 0);
    cp_scene_free(scene);
}

/* Entities on hidden layers are left out and counted; so are invisible ones and those of layouts. */
static void test_hidden(void **state)
{
    static const char text[] = LAYERS BLOCKS(BLOCK(Box, , TRIANGLE G(8, 0) TRIANGLE G(0, CIRCLE) G(8, 0)))
        ENTITIES(TRIANGLE TRIANGLE G(8, Hidden) TRIANGLE G(8, cold) TRIANGLE G(60, 1) TRIANGLE G(67, 1) G(0, VIEWPORT)
                     G(67, 1) INSERT(Box) G(8, Cold) INSERT(Box) G(8, Hidden) INSERT(Box));
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count_nodes(scene), 4); /* the world, the drawing, and two boxes, as one layer is frozen */
    assert_int_equal(count, 3);
    assert_int_equal(meshes[0].face_count, 1);
    assert_int_equal(meshes[1].face_count, 1); /* on a layer that is off, faces of layer 0 are, too */
    assert_int_equal(meshes[2].face_count, 2);
    assert_int_equal(count_lost(*state, "dxf-hidden"), 2 + 1 + 1 + 1);
    assert_int_equal(count_lost(*state, "dxf-layout"), 1);
    assert_int_equal(count_lost(*state, "dxf-unread"), 1);
    assert_true(was_said(*state, "CIRCLE"));
    cp_scene_free(scene);
}

/* ---- blocks and inserts ---- */

#define BOX_FACE G(0, 3DFACE) G(8, 0) G(62, 0) POINT(0, 0, 0, 0) POINT(2, 0, 0, 1) POINT(2, 3, 0, 2) POINT(0, 3, 4, 3)

/* Inserts of one look share a mesh; those of another have one with the same arrays. */
static void test_shared(void **state)
{
    static const char text[] = LAYERS BLOCKS(BLOCK(Box, , BOX_FACE))
        ENTITIES(INSERT(Box) G(62, 1) G(5, 2F) INSERT(BOX) G(62, 1) INSERT(box) INSERT(Box) G(420, 255));
    static const uint32_t meshes[] = {0, 0, 1, 2}, colours[] = {0xff0000, 0xffff00, 0x0000ff};
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    const cp_instance *instances = cp_instances(scene, &count);
    const cp_mesh *all = cp_meshes(scene, NULL);
    assert_int_equal(count, 4);
    assert_int_equal(count_meshes(scene), 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(instances[i].mesh, meshes[i]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(colour_of_group(scene, &all[i], 0), colours[i]);
        assert_ptr_equal(all[i].positions, all[0].positions);
        assert_string_equal(all[i].name, "Box");
    }
    assert_int_equal(count_metadata(scene), 5); /* four layers and a handle */
    cp_scene_free(scene);
}

/* Layer 0 in a block is the layer of the insert, for colours and for transparency; in the model space it is itself. */
static void test_layer_zero(void **state)
{
    static const char text[] =
        LAYERS BLOCKS(BLOCK(Box, , TRIANGLE G(8, 0))) ENTITIES(INSERT(Box) G(8, Glass) INSERT(Box) INSERT(Box) G(8, 0));
    static const uint32_t colours[] = {0x112233, 0xffff00, 0x00ffff};
    static const char *const layers[] = {"Glass", "Parts", "0"};
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    const cp_instance *instances = cp_instances(scene, NULL);
    for (int i = 0; i < 3; i++) {
        const cp_mesh *mesh = &cp_meshes(scene, NULL)[instances[i].mesh];
        const cp_material *material = &cp_materials(scene, NULL)[mesh->groups[0].material];
        assert_int_equal(rgb_of(material), colours[i]);
        assert_string_equal(material->name, layers[i]);
        assert_true(material->rgba[3] == (i == 0 ? 127 / 255.0 : 1));
    }
    cp_scene_free(scene);
}

/* Entities on a frozen layer count for no limit. */
static void test_frozen_array(void **state)
{
    static const char text[] =
        LAYERS BLOCKS(BLOCK(Box, , TRIANGLE)) ENTITIES(INSERT(Box) G(8, Cold) G(70, 30000) G(71, 30000) INSERT(Box));
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    assert_int_equal(count_instances(scene), 1);
    cp_scene_free(scene);
}

/* A face with its own layer and colour is the same for all inserts. */
static void test_one_mesh(void **state)
{
    static const char text[] = BLOCKS(BLOCK(Box, , TRIANGLE)) ENTITIES(INSERT(Box) G(62, 1) INSERT(Box) G(62, 2));
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    assert_int_equal(only_mesh(scene)->group_count, 1);
    assert_int_equal(count_instances(scene), 2);
    cp_scene_free(scene);
}

/* Boxes of an insert of the face from (0 0 0) to (2 3 4), by arithmetic. */
static void test_places(void **state)
{
    static const struct {
        const char *base, *insert;
        double lower[3], upper[3];
    } cases[] = {
        {"", "", {0, 0, 0}, {2, 3, 4}},
        {"", POINT(10, 20, 30, 0), {10, 20, 30}, {12, 23, 34}},
        {"", POINT(10, 0, 0, 0) G(50, 90), {7, 0, 0}, {10, 2, 4}},
        {"", G(41, 2) G(42, -3) G(43, 0.5), {0, -9, 0}, {4, 0, 2}},
        {"", POINT(1, 1, 1, 0) G(41, 2) G(50, 180), {-3, -2, 1}, {1, 1, 5}},
        {POINT(1, 1, 1, 0), "", {-1, -1, -1}, {1, 2, 3}},
        {POINT(1, 1, 1, 0), POINT(5, 0, 0, 0) G(41, 2) G(42, 2) G(43, 2), {3, -2, -2}, {7, 4, 6}},
        {"", POINT(10, 0, 5, 0) "230\n-1\n", {-12, 0, -9}, {-10, 3, -5}}, /* x is turned round */
        {"", "210\n1\n220\n0\n230\n0\n", {0, 0, 0}, {4, 2, 3}},           /* x becomes y, y becomes z */
        {"", "210\n0\n220\n-5\n230\n0\n", {0, -4, 0}, {2, 0, 3}},         /* y becomes z */
        {"", "210\n0.01\n220\n0\n230\n1\n" G(41, 0), {0, 0, -0.0199990001}, {1.9999000075, 3, 3.9998000150}},
        {"", G(70, 3) G(71, 2) G(44, 10) G(45, -20), {0, -20, 0}, {22, 3, 4}},
        {"", G(70, 2) G(44, 10) G(41, 2) G(50, 90), {-3, 0, 0}, {0, 14, 4}}, /* steps turn and do not scale */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        (void)snprintf(text, sizeof text, "%s%s%s%s%s%s", BEGIN(BLOCKS) G(0, BLOCK) G(2, Box), cases[i].base,
                       BOX_FACE G(0, ENDBLK) END BEGIN(ENTITIES) INSERT(Box), cases[i].insert, END, G(0, EOF));
        cp_scene *scene = read_scene(*state, text, "part.dxf", "unit=1");
        expect_box(scene, cases[i].lower, cases[i].upper);
        cp_scene_free(scene);
    }
    assert_int_equal(count_entries(*state, CP_WARNING, "dxf-scale"), 1);
}

/* Blocks in blocks: the outer one turns and moves what the inner one has scaled. */
static void test_nested(void **state)
{
    static const char text[] =
        BLOCKS(BLOCK(Outer, POINT(1, 0, 0, 0), INSERT(Inner) G(62, 0) POINT(10, 0, 0, 0) G(41, 2))
                   BLOCK(Inner, , BOX_FACE)) ENTITIES(INSERT(Outer) POINT(0, 0, 100, 0) G(50, 90) G(62, 3));
    cp_scene *scene = read_scene(*state, text, "part.dxf", "unit=1");
    uint32_t inner = find_node(scene, "Inner");
    assert_int_equal(cp_nodes(scene, NULL)[inner].parent, find_node(scene, "Outer"));
    expect_box(scene, (double[]){-3, 9, 100}, (double[]){0, 13, 104});
    assert_int_equal(colour_of_group(scene, only_mesh(scene), 0), 0x00ff00); /* by block, twice */
    cp_scene_free(scene);
}

/* ---- units and axes ---- */

static void test_units(void **state)
{
    static const struct {
        const char *unit, *option;
        double metres;
    } cases[] = {{"0", NULL, 1},           {"1", NULL, 0.0254},
                 {"2", NULL, 0.3048},      {"4", NULL, 0.001},
                 {"5", NULL, 0.01},        {"6", NULL, 1},
                 {"13", NULL, 1e-6},       {"14", NULL, 0.1},
                 {"4", "unit=in", 0.0254}, {"21", NULL, 1200.0 / 3937}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        double m = cases[i].metres;
        (void)snprintf(text, sizeof text, "%s%s\n%s", BEGIN(HEADER) "9\n$ACADVER\n" G(1, AC1015) "9\n$INSUNITS\n70\n",
                       cases[i].unit, END BLOCKS(BLOCK(Box, , BOX_FACE)) ENTITIES(INSERT(Box) POINT(10, 0, 0, 0)));
        cp_scene *scene = read_scene(*state, text, "part.dxf", cases[i].option);
        assert_true(cp_scene_source(scene)->unit == m);
        expect_box(scene, (double[]){10 * m, 0, 0}, (double[]){12 * m, 3 * m, 4 * m});
        cp_scene_free(scene);
    }
    cp_scene *scene = read_scene(*state, ENTITIES(TRIANGLE), "part.dxf", "up=y");
    expect_box(scene, (double[]){0, -4, 0}, (double[]){2, 0, 3});
    cp_scene_free(scene);
}

/* With Y up, frames are turned, too. */
static void test_up(void **state)
{
    static const char text[] = BLOCKS(BLOCK(Box, , BOX_FACE)) ENTITIES(INSERT(Box) POINT(10, 20, 30, 0) G(50, 90));
    cp_scene *scene = read_scene(*state, text, "part.dxf", "up=y");
    expect_box(scene, (double[]){7, -34, 20}, (double[]){10, -30, 22});
    cp_scene_free(scene);
}

/* ---- polylines and meshes ---- */

#define VERTEX(x, y, z, flags) G(0, VERTEX) POINT(x, y, z, 0) G(70, flags)
#define FACE(a, b, c, d) G(0, VERTEX) G(8, Parts) G(10, 0) G(70, 128) G(71, a) G(72, b) G(73, c) G(74, d)

/* A polyface mesh: numbers count from 1, negative ones begin invisible edges; faces have colours of their own. */
static void test_polyface(void **state)
{
    static const char text[] =
        ENTITIES(G(0, POLYLINE) G(66, 1) G(70, 64) G(71, 4) G(72, 3) VERTEX(0, 0, 0, 192) VERTEX(2, 0, 0, 192)
                     VERTEX(2, 3, 0, 192) VERTEX(0, 3, 4, 192) FACE(1, 2, 3, 4) G(62, 1) FACE(-1, -2, 3, 0) G(62, 3)
                         FACE(4, 3, 0, 0) G(62, 1) G(0, SEQEND));
    static const float positions[] = {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 4};
    static const uint32_t corners[] = {0, 1, 2, 3, 0, 1, 2};
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    const cp_mesh *meshes = cp_meshes(scene, NULL);
    assert_int_equal(count_meshes(scene), 2);
    assert_positions(&meshes[0], positions, 4);
    assert_corners(&meshes[0], corners, 7);
    assert_int_equal(colour_of_group(scene, &meshes[0], 0), 0xff0000);
    assert_int_equal(colour_of_group(scene, &meshes[0], 1), 0x00ff00);
    assert_int_equal(meshes[1].kind, CP_MESH_LINES); /* the face of two corners */
    assert_int_equal(count_all(*state), 0);
    cp_scene_free(scene);
}

#define GRID(flags)                                                                                                    \
    G(0, POLYLINE)                                                                                                     \
    G(66, 1)                                                                                                           \
    G(70, flags)                                                                                                       \
    G(71, 2)                                                                                                           \
    G(72, 3)                                                                                                           \
    VERTEX(0, 0, 0, 64)                                                                                                \
    VERTEX(0, 1, 0, 64) VERTEX(0, 2, 5, 64) VERTEX(1, 0, 0, 64) VERTEX(1, 1, 0, 64) VERTEX(1, 2, 5, 64) G(0, SEQEND)

/* A polygon mesh of 2 x 3 vertices has 1 x 2 faces; closed in M 2 x 2, closed in N 1 x 3. */
static void test_grid(void **state)
{
    static const char *const texts[] = {ENTITIES(GRID(16)), ENTITIES(GRID(17)), ENTITIES(GRID(48)), ENTITIES(GRID(49))};
    static const uint32_t faces[] = {2, 4, 3, 6}, corners[] = {0, 1, 2, 3, 3, 2, 4, 5};
    for (int i = 0; i < 4; i++) {
        cp_scene *scene = read_scene(*state, texts[i], "part.dxf", NULL);
        assert_int_equal(only_mesh(scene)->face_count, faces[i]);
        assert_int_equal(only_mesh(scene)->vertex_count, 6);
        if (i == 0)
            assert_corners(only_mesh(scene), corners, 8);
        expect_box(scene, (double[]){0, 0, 0}, (double[]){1, 2, 5});
        cp_scene_free(scene);
    }
}

/* A smooth surface has its frame's vertices (flag 16) and its own (flag 8), with sizes 73 and 74. */
static void test_smooth_grid(void **state)
{
    static const char text[] =
        ENTITIES(G(0, POLYLINE) G(66, 1) G(70, 20) G(71, 2) G(72, 2) G(73, 2) G(74, 2) VERTEX(0, 0, 9, 80)
                     VERTEX(0, 1, 9, 80) VERTEX(1, 0, 9, 80) VERTEX(1, 1, 9, 80) VERTEX(0, 0, 1, 72) VERTEX(0, 1, 1, 72)
                         VERTEX(1, 0, 1, 72) VERTEX(1, 1, 1, 72) G(0, SEQEND));
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    assert_int_equal(only_mesh(scene)->face_count, 1);
    expect_box(scene, (double[]){0, 0, 1}, (double[]){1, 1, 1});
    cp_scene_free(scene);
}

static void test_mesh(void **state)
{
    static const char text[] = ENTITIES(
        G(0, MESH) G(100, AcDbSubDMesh) G(71, 2) G(72, 0) G(91, 1) G(92, 5) POINT(0, 0, 0, 0) POINT(2, 0, 0, 0)
            POINT(2, 3, 0, 0) POINT(0, 3, 4, 0) POINT(1, 5, 0, 0) G(93, 9) G(90, 3) G(90, 0) G(90, 1) G(90, 4) G(90, 4)
                G(90, 0) G(90, 1) G(90, 2) G(90, 3) G(94, 1) G(90, 0) G(90, 1) G(95, 1) G(140, 0) G(90, 0));
    static const uint32_t corners[] = {0, 1, 2, 0, 1, 3, 4};
    cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
    assert_corners(only_mesh(scene), corners, 7);
    assert_int_equal(only_mesh(scene)->face_count, 2);
    expect_box(scene, (double[]){0, 0, 0}, (double[]){2, 5, 4});
    assert_int_equal(count_lost(*state, "dxf-subdivision"), 1);
    cp_scene_free(scene);
}

/* Lines stay lines; closed ones end where they begin. */
static void test_lines(void **state)
{
    static const struct {
        const char *text;
        uint32_t corners;
        double lower[3], upper[3];
    } cases[] = {
        {G(0, LINE) POINT(0, 0, 0, 0) POINT(1, 2, 3, 1), 2, {0, 0, 0}, {1, 2, 3}},
        {G(0, POLYLINE) G(70, 8) VERTEX(0, 0, 0, 32) VERTEX(1, 2, 3, 32) VERTEX(4, 0, 0, 32) G(0, SEQEND),
         3,
         {0, 0, 0},
         {4, 2, 3}},
        {G(0, POLYLINE) G(70, 9) VERTEX(0, 0, 0, 32) VERTEX(1, 2, 3, 32) VERTEX(4, 0, 0, 32) G(0, SEQEND),
         4,
         {0, 0, 0},
         {4, 2, 3}},
        {G(0, POLYLINE) "230\n-1\n" VERTEX(1, 0, 2, 0) VERTEX(3, 1, 2, 0) G(0, SEQEND), 2, {-3, 0, -2}, {-1, 1, -2}},
        {G(0, POLYLINE) G(70, 4) VERTEX(9, 9, 9, 16) VERTEX(0, 0, 0, 8) VERTEX(1, 1, 0, 8) G(0, SEQEND),
         2,
         {0, 0, 0},
         {1, 1, 0}},
        {G(0, LWPOLYLINE) G(90, 3) G(70, 1) G(38, 7) G(10, 0) G(20, 1) G(42, 0) G(10, 2) G(20, 3) G(10, 4) G(20, 0),
         4,
         {0, 0, 7},
         {4, 3, 7}},
        {G(0, LWPOLYLINE) G(90, 2) G(38, 7) G(10, 1) G(20, 0) G(10, 2) G(20, 3) "210\n1\n220\n0\n230\n0\n",
         2,
         {7, 1, 0},
         {7, 2, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s%s%s", BEGIN(ENTITIES), cases[i].text, END G(0, EOF));
        cp_scene *scene = read_scene(*state, text, "part.dxf", "unit=1");
        assert_int_equal(only_mesh(scene)->kind, CP_MESH_LINES);
        assert_int_equal(only_mesh(scene)->corner_count, cases[i].corners);
        assert_int_equal(only_mesh(scene)->face_count, 1);
        expect_box(scene, cases[i].lower, cases[i].upper);
        cp_scene_free(scene);
    }
    assert_int_equal(count_all(*state), 0);
}

/* ---- names ---- */

static void test_names(void **state)
{
    static const struct {
        const char *header, *name, *read;
        bool is_misread;
    } cases[] = {{"", "Blech \\U+00C4\\U+20AC", "Blech \xc3\x84\xe2\x82\xac", false},
                 {"", "T\xfcr \x80", "T\xc3\xbcr \xe2\x82\xac", false}, /* code page 1252 */
                 {"", "T\xc3\xbcr", "T\xc3\xbcr", false},               /* UTF-8 */
                 {BEGIN(HEADER) "9\n$DWGCODEPAGE\n" G(3, ANSI_1251) END, "\xe4", "\xc3\xa4", true},
                 {"", "\\U+D800 \\U+12", "\\U+D800 \\U+12", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s%s%s\n%s", cases[i].header, BEGIN(ENTITIES) G(0, 3DFACE) "8\n",
                       cases[i].name, POINT(0, 0, 0, 0) POINT(2, 0, 0, 1) POINT(0, 3, 4, 2) END G(0, EOF));
        cp_scene *scene = read_scene(*state, text, "part.dxf", NULL);
        assert_string_equal(cp_materials(scene, NULL)[0].name, cases[i].read);
        assert_int_equal(count_entries(*state, CP_WARNING, "dxf-code-page"), cases[i].is_misread);
        cp_report_clear(*state);
        cp_scene_free(scene);
    }
}

/* ---- the binary form, ends ---- */

static void put_bytes(char **at, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *(*at)++ = (char)(unsigned char)(bits >> 8 * i);
}

/* Writes the groups of a text in the binary form, with codes of one byte or two; returns the end. */
static char *to_binary(const char *text, bool wide, char *out)
{
    memcpy(out, "AutoCAD Binary DXF\r\n\x1a", 22);
    out += 22;
    while (*text) {
        char *value;
        int code = (int)strtol(text, &value, 10);
        size_t size = strcspn(++value, "\n");
        if (code >= 255 && !wide)
            put_bytes(&out, 255, 1);
        put_bytes(&out, (uint64_t)code, wide || code >= 255 ? 2 : 1);
        double number = strtod(value, NULL);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        if ((code >= 10 && code < 60) || (code >= 210 && code < 240)) {
            put_bytes(&out, bits, 8);
        } else if (code >= 60 && code < 80) {
            put_bytes(&out, (uint64_t)(int64_t)number, 2);
        } else if ((code >= 90 && code < 100) || code == 420 || code == 440 || code == 1071) {
            put_bytes(&out, (uint64_t)(int64_t)number, 4);
        } else {
            memcpy(out, value, size);
            out += size;
            *out++ = '\0';
        }
        text = value + size + 1;
    }
    return out;
}

/* The binary form of a drawing is the same scene as its text, and none of its beginnings is a smaller one. */
static void test_binary(void **state)
{
    static const char text[] = LAYERS BLOCKS(BLOCK(Box, POINT(1, 1, 1, 0), BOX_FACE))
        ENTITIES(INSERT(Box) POINT(10, 0, 5, 0) G(62, 1) TRIANGLE G(8, Hidden) G(0, LWPOLYLINE) G(90, 2) G(10, 0)
                     G(20, 1) G(10, 2) G(20, 3) TRIANGLE G(440, 33554483));
    for (int wide = 0; wide < 2; wide++) {
        char bytes[sizeof text * 2];
        size_t size = (size_t)(to_binary(text, wide, bytes) - bytes);
        cp_scene *scene, *same = read_scene(*state, text, "part.dxf", NULL);
        assert_int_equal(cp_read_memory(*state, bytes, size, "part.dxf", NULL, NULL, 0, &scene), CP_OK);
        assert_int_equal(count_meshes(scene), count_meshes(same));
        expect_box(scene, (double[]){0, -1, 0}, (double[]){11, 3, 8});
        for (uint32_t i = 0; i < count_materials(same); i++)
            assert_memory_equal(cp_materials(scene, NULL)[i].rgba, cp_materials(same, NULL)[i].rgba,
                                4 * sizeof(double));
        cp_scene_free(scene);
        cp_scene_free(same);
        for (size_t cut = 23; cut < size - 14; cut += 7)
            assert_int_equal(cp_read_memory(*state, bytes, cut, "part.dxf", "dxf", NULL, 0, &scene), CP_INPUT);
    }
}

/* No beginning of a file is read as a smaller scene. If only the last line is missing, that is a warning. */
static void test_beginnings(void **state)
{
    static const char text[] = BLOCKS(BLOCK(Box, , BOX_FACE)) ENTITIES(INSERT(Box) TRIANGLE);
    static const char *const partial[] = {"partial=yes"};
    size_t whole = sizeof text - 1 - strlen(G(0, EOF));
    cp_scene *scene;
    for (size_t size = 10; size < whole - 1; size++)
        assert_int_equal(cp_read_memory(*state, text, size, "part.dxf", NULL, NULL, 0, &scene), CP_INPUT);
    cp_report_clear(*state);
    for (size_t size = whole; size < whole + 3; size++) {
        assert_int_equal(cp_read_memory(*state, text, size, "part.dxf", NULL, NULL, 0, &scene), CP_OK);
        assert_int_equal(count_entries(*state, CP_WARNING, "dxf-truncated"), size - whole + 1);
        cp_scene_free(scene);
    }
    assert_int_equal(cp_read_memory(*state, text, whole - 10, "part.dxf", NULL, partial, 1, &scene), CP_OK);
    assert_int_equal(count_instances(scene), 1);
    cp_scene_free(scene);
}

/* ---- hostile drawings ---- */

static void expect_refused(cp_context *context, const char *text, size_t size, cp_status status, const char *code)
{
    cp_scene *scene;
    cp_report_clear(context);
    expect_status(context, cp_read_memory(context, text, size, "part.dxf", NULL, NULL, 0, &scene), status);
    assert_true(was_reported(context, code));
}

/* Thirty blocks that show each other twice are a thousand million boxes; a last one that shows the first is a ring. */
static void test_doubling(void **state)
{
    char text[8192], *at = text;
    at += sprintf(at, "%s", BEGIN(BLOCKS) BLOCK(B0, , BOX_FACE));
    for (int i = 1; i <= 30; i++)
        at += sprintf(at, "0\nBLOCK\n2\nB%d\n0\nINSERT\n2\nB%d\n0\nINSERT\n2\nB%d\n0\nENDBLK\n", i, i - 1, i - 1);
    at += sprintf(at, "%s", END ENTITIES(INSERT(B30)));
    expect_refused(*state, text, (size_t)(at - text), CP_LIMIT, "dxf-inserts");
    static const char ring[] = BLOCKS(BLOCK(A, , TRIANGLE INSERT(B)) BLOCK(B, , INSERT(A))) ENTITIES(INSERT(A));
    expect_refused(*state, ring, sizeof ring - 1, CP_INPUT, "dxf-ring");
}

/* Inserts that each ask for a colour of their own cannot make more corners than the file's size allows. */
static void test_many_colours(void **state)
{
    enum { FACES = 4000, INSERTS = 4000, ROOM = FACES * 100 + INSERTS * 60 + 1000 };
    char *text = malloc(ROOM), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", BEGIN(BLOCKS) G(0, BLOCK) G(2, Box));
    for (int i = 0; i < FACES; i++)
        at += sprintf(at, "0\n3DFACE\n62\n0\n10\n%d\n20\n0\n11\n%d\n21\n1\n12\n0\n22\n1\n", i, i);
    at += sprintf(at, "%s", G(0, ENDBLK) END BEGIN(ENTITIES));
    for (int i = 0; i < INSERTS; i++)
        at += sprintf(at, "0\nINSERT\n2\nBox\n420\n%d\n", i);
    at += sprintf(at, "%s", END G(0, EOF));
    expect_refused(*state, text, (size_t)(at - text), CP_LIMIT, "dxf-colours");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_faces),  TEST(test_small_faces), TEST(test_far),        TEST(test_colour_index), TEST(test_layers),
        TEST(test_hidden), TEST(test_shared),      TEST(test_layer_zero), TEST(test_frozen_array), TEST(test_one_mesh),
        TEST(test_places), TEST(test_nested),      TEST(test_units),      TEST(test_up),           TEST(test_polyface),
        TEST(test_grid),   TEST(test_smooth_grid), TEST(test_mesh),       TEST(test_lines),        TEST(test_names),
        TEST(test_binary), TEST(test_beginnings),  TEST(test_doubling),   TEST(test_many_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

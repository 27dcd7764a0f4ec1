/* The VRML97 exporter on scenes built by hand. */
#include "vrml97_compare.h"
#include "vrml97_scenes.h"

/* ---- writing ---- */

static struct stage {
    cp_context *context;
    cp_scene *scene;
} stage;

static char *write_text(const char *option)
{
    size_t size;
    return export_text(stage.context, stage.scene, "vrml97", &option, option != NULL, &size);
}

static void compare(const char *text)
{
    compare_with_scene(stage.context, text, stage.scene);
}

static void start(cp_scene *(*make)(cp_context *))
{
    stage.context = cp_context_new(NULL);
    stage.scene = make(stage.context);
    assert_int_equal(cp_scene_finish(stage.scene), CP_OK);
}

static int end(void **unused)
{
    (void)unused;
    cp_scene_free(stage.scene);
    cp_context_free(stage.context);
    stage = (struct stage){NULL, NULL};
    reader_free();
    return 0;
}

static struct vnode *named(struct vrml_file *file, const char *def)
{
    struct vnode *node = find_def(file, def);
    if (!node)
        fail_msg("no DEF %s", def);
    return node;
}

/* ---- joints ---- */

static void test_arm(void **unused)
{
    (void)unused;
    start(arm_scene);
    compare(write_text(NULL));
    compare(write_text("up=z"));
}

/* 170 degrees, back over 340, and 170: quarters of at most 90 degrees make 2 + 4 + 2 steps. */
static void test_quarter_steps(void **unused)
{
    (void)unused;
    start(arm_scene);
    struct vrml_file *file = vrml_read(write_text(NULL));
    struct vnode *turn = named(file, "turn_J1");
    assert_int_equal(vfield_of(turn, "key")->number_count, 9);
    static const double degrees[9] = {0, -85, -170, -85, 0, 85, 170, 85, 0};
    for (size_t i = 0; i < 9; i++) {
        assert_near(number_of(turn, "keyValue", 4 * i + 3, NAN), degrees[i] / 180 * PI, 1e-12);
        assert_near(number_of(turn, "key", i, NAN), (double)i / 8, 1e-12);
    }
    /* At rest the joint stands where it is now, not at home. */
    assert_true(number_of(named(file, "motion_J1"), "rotation", 3, NAN) == 0.3);
}

/* Two joints on one part: one timer for the sweeps of both, 4 s and 4.5 s (home is the lower limit, where it stops for
 * half a second); the second waits for the first. */
static void test_two_joints_on_a_part(void **unused)
{
    (void)unused;
    start(arm_scene);
    struct vrml_file *file = vrml_read(write_text(NULL));
    assert_near(number_of(named(file, "time_wrist"), "cycleInterval", 0, NAN), 8.5, 1e-12);
    assert_null(find_def(file, "time_wrist_2"));
    struct vnode *second = named(file, "turn_wrist_2");
    assert_near(number_of(second, "key", 1, NAN), 4 / 8.5, 1e-12);
    assert_true(number_of(second, "keyValue", 7, NAN) == 0);
    double value[4];
    interpolate(named(file, "turn_wrist"), 0.75, value);
    assert_true(value[3] == 0);
}

static void test_masters(void **unused)
{
    (void)unused;
    start(arm_scene);
    struct vrml_file *file = vrml_read(write_text(NULL));
    struct vnode *timer = named(file, "time_left_jaw");
    assert_null(find_def(file, "time_right_jaw"));
    assert_true(timer_moves(file, timer, named(file, "motion_right_jaw")));
    bool routed = false;
    for (size_t i = 0; i < file->route_count; i++)
        routed |= file->routes[i].from == named(file, "touch_right_jaw") && file->routes[i].to == timer;
    assert_true(routed);
    assert_null(find_def(file, "touch_loose")); /* nobody drives it, and nothing above it moves */
}

static cp_scene *limits_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    uint32_t box = add_box(scene, "box", 1, 1, 1);
    static const char *const names[] = {"vanishing", "drill", "stuck", "shown below"};
    for (int i = 0; i < 4; i++)
        place_mesh(scene, add_node(scene, i == 3 ? 3 : 0, names[i], plain_translation(2 * i, 0, 0)), box);
    add_joint(scene, at_home(joint_of(1, CP_JOINT_SCALE, 0, 2), 1));
    add_joint(scene, joint_of(2, CP_JOINT_REVOLUTE, -1e5, 1e5));
    add_joint(scene, at_home(joint_of(3, CP_JOINT_REVOLUTE, 0.5, 0.5), 0.5));
    return scene;
}

/* A scale that would reach zero, a joint of 32,000 turns, and one without a way to go. */
static void test_hard_limits(void **unused)
{
    (void)unused;
    start(limits_scene);
    struct vrml_file *file = vrml_read(write_text(NULL));
    struct vfield *stretch = vfield_of(named(file, "stretch_vanishing"), "keyValue");
    for (size_t i = 0; i < stretch->number_count; i++)
        assert_true(stretch->numbers[i] >= 1e-6 && stretch->numbers[i] <= 2);
    assert_int_equal(count_of(stage.context, "vrml97-shrunk"), 1);
    assert_in_range(vfield_of(named(file, "turn_drill"), "key")->number_count, 4096, 3 * 4096 + 2);
    assert_int_equal(count_of(stage.context, "vrml97-turns"), 3);
    assert_null(find_def(file, "time_stuck"));
    assert_null(find_def(file, "touch_stuck"));
    assert_true(number_of(named(file, "motion_stuck"), "rotation", 3, NAN) == 0.5);
}

static void test_joint_words(void **unused)
{
    (void)unused;
    static const char *const words[] = {
        "joint motion_J2 prismatic axis=0.3333333333333333,0.6666666666666666,0.6666666666666666 lower=0 upper=0.4 "
        "home=0.1 name=J2",
        "joint motion_wrist_2 revolute axis=0,1,0 lower=0 upper=2 home=0 name=wrist.2",
        "joint motion_right_jaw revolute passive axis=0,0,1 home=0 master=motion_left_jaw scale=-40 offset=0.1 "
        "name=right jaw",
    };
    start(arm_scene);
    struct vfield *info = vfield_of(vrml_read(write_text(NULL))->roots[0], "info");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = 0;
        while (at < info->string_count && strcmp(info->strings[at], words[i]) != 0)
            at++;
        if (at == info->string_count)
            fail_msg("no \"%s\"", words[i]);
    }
}

/* ---- poses ---- */

static void test_poses(void **unused)
{
    (void)unused;
    start(poses_scene);
    compare(write_text(NULL));
    assert_int_equal(count_of(stage.context, "vrml97-mirrored"), 2); /* "glass" and an instance; "back" ends one */
    assert_int_equal(count_of(stage.context, "vrml97-flat"), 1);
    assert_int_equal(count_of(stage.context, "vrml97-frozen"), 1);
}

static uint64_t state = 88172645463325252u;
static double random_side(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0 * 2 - 1;
}

static cp_scene *random_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    uint32_t box = add_box(scene, "box", 1, 0.5, 0.25), parent = 0;
    for (int i = 0; i < 8; i++) {
        cp_pose pose;
        for (int k = 0; k < 12; k++)
            pose.m[k] = random_side();
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        parent = add_node(scene, i % 4 ? parent : 0, name, pose);
        cp_joint joint = joint_of(parent, i % 2 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, -1, 1);
        joint.q = random_side();
        double x = random_side(), y = random_side(), z = random_side();
        add_joint(scene, about(joint, x, y, z));
        place_mesh(scene, parent, box);
    }
    return scene;
}

/* Any affine chain, mirrored half of the time. */
static void test_random_poses(void **unused)
{
    (void)unused;
    for (int i = 0; i < 40; i++) {
        start(random_scene);
        compare(write_text(NULL));
        (void)end(NULL);
    }
}

static cp_scene *even_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    for (int i = 0; i < 50; i++) {
        double axis[3] = {random_side(), random_side(), random_side()};
        double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        for (int k = 0; k < 3; k++)
            axis[k] /= length;
        cp_pose turn = plain_rotation(axis, 3 * random_side()), grow = plain_scaling(2, 2, i % 2 ? 2 : 3);
        (void)add_node(scene, 0, "even", plain_product(&turn, &grow));
        (void)add_node(scene, 0, "unit", turn);
    }
    return scene;
}

/* Rounding in a turned scale is no shear, and in a turn no scale. */
static void test_plain_scale(void **unused)
{
    (void)unused;
    start(even_scene);
    char *text = write_text(NULL);
    compare(text);
    assert_null(strstr(text, "scaleOrientation"));
    struct vrml_file *file = vrml_read(text);
    assert_non_null(vfield_of(named(file, "even_7"), "scale"));
    assert_null(vfield_of(named(file, "unit_7"), "scale"));
}

static void test_too_large(void **unused)
{
    (void)unused;
    start(arm_scene);
    cp_node base = cp_nodes(stage.scene, NULL)[1];
    base.local.m[3] = 1e39;
    assert_int_equal(cp_set_node(stage.scene, 1, &base), CP_OK);
    assert_int_equal(cp_scene_finish(stage.scene), CP_OK);
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(stage.context, stage.scene, "vrml97", NULL, 0, &bytes, &size), CP_OUTPUT);
    assert_non_null(find_entry(stage.context, "vrml97-range"));
}

/* ---- names ---- */

static cp_scene *names_scene(cp_context *context)
{
    static const char *const names[] = {"J1",    "J1",  "J1_2",  "a.b/c\\d \"e\"", "\xc3\xa9t\xc3\xa9", "",
                                        "7axis", "DEF", "TRUEx", "Transform",      "two\nlines",        "WORLD"};
    cp_scene *scene = cp_scene_new(context);
    char longest[301];
    memset(longest, 'n', 300);
    longest[300] = 0;
    (void)add_node(scene, 0, longest, PLAIN_IDENTITY);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)add_node(scene, 0, names[i], PLAIN_IDENTITY);
    return scene;
}

static void test_names(void **unused)
{
    (void)unused;
    static const char *const expected[] = {"J1",      "J1_2",  "J1_2_2",  "a_b_c_d__e_", "_t_",       "unnamed",
                                           "n_7axis", "n_DEF", "n_TRUEx", "Transform",   "two_lines", "WORLD_2"};
    start(names_scene);
    char *text = write_text("up=z");
    compare(text);
    struct vrml_file *file = vrml_read(text);
    struct vfield *children = vfield_of(named(file, "WORLD"), "children");
    assert_int_equal(strlen(children->nodes[0]->def), 300);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(children->nodes[i + 1]->def, expected[i]);
    assert_string_equal(original_name(file, "frame", "a_b_c_d__e_"), "a.b/c\\d \"e\"");
    assert_string_equal(original_name(file, "frame", "two_lines"), "two\xe2\x90\x8alines");
}

static cp_scene *equal_names_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    for (int i = 0; i < 20000; i++)
        (void)add_node(scene, 0, "same", PLAIN_IDENTITY);
    return scene;
}

static void test_many_equal_names(void **unused)
{
    (void)unused;
    start(equal_names_scene);
    char *text = write_text(NULL);
    assert_non_null(strstr(text, "DEF same_20000 Transform"));
}

/* ---- meshes ---- */

static cp_scene *shared_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    uint32_t box = add_box(scene, "part", 1, 1, 1);
    for (int i = 0; i < 100; i++)
        place_mesh(scene, add_node(scene, 0, "frame", plain_translation(i, 0, 0)), box);
    return scene;
}

static void test_shared_mesh(void **unused)
{
    (void)unused;
    start(shared_scene);
    char *text = write_text(NULL);
    compare(text);
    assert_null(strstr(strstr(text, "Coordinate") + 1, "Coordinate"));
    assert_int_equal(vrml_read(text)->uses, 99);
    assert_null(find_entry(stage.context, "loss-instances"));
}

static const float flag_points[] = {-0.0f, 0, 0, 1e-45f, 0.1f, 0, 2, 0, 0, 2, 2, 0, 1, 0.5f, 0, 0, 2, 0};
static const uint32_t flag_corners[] = {0, 2, 3, 4, 5, 0, 1, 2};
static const uint32_t flag_offsets[] = {0, 5, 8};

/* A concave face and a triangle in two materials (and an empty group), with normals and colours. */
static cp_scene *flag_scene(cp_context *context)
{
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const float colours[] = {0, 0, 0, 1, 1, 1, 1, 1, 0.5f, 0, 0, 1, 0, 0.2f, 0, 0.5f, 1, 1, 0, 1, 2, 0, 0, 1};
    static const cp_group groups[] = {{0, 1, 0}, {1, 1, 1}, {2, 0, CP_NONE}};
    cp_scene *scene = cp_scene_new(context);
    (void)add_colour(scene, "red \"1\"", (double[]){1, 0.25, 0, 1}, true);
    (void)add_colour(scene, "glass", (double[]){0.5, 0, 1, 0.25}, false);
    uint32_t mesh = add_mesh_of(scene, &(cp_mesh){.name = "flag",
                                                  .source = "",
                                                  .kind = CP_MESH_FACES,
                                                  .vertex_count = 6,
                                                  .face_count = 2,
                                                  .corner_count = 8,
                                                  .group_count = 3,
                                                  .positions = flag_points,
                                                  .normals = normals,
                                                  .colours = colours,
                                                  .face_offsets = flag_offsets,
                                                  .corners = flag_corners,
                                                  .groups = groups});
    place_mesh(scene, add_node(scene, 0, "pole", PLAIN_IDENTITY), mesh);
    return scene;
}

static void assert_numbers(const struct vfield *field, const double *numbers, size_t count)
{
    assert_int_equal(field->number_count, count);
    for (size_t i = 0; i < count; i++)
        assert_near(field->numbers[i], numbers[i], 1e-6);
}

static void test_groups(void **unused)
{
    (void)unused;
    start(flag_scene);
    char *text = write_text(NULL);
    struct vrml_file *file = vrml_read(text);
    vrml_check(file);
    struct vfield *shapes = vfield_of(named(file, "mesh_flag"), "children");
    assert_int_equal(shapes->node_count, 2);
    struct vnode *first = child_of(shapes->nodes[0], "geometry"), *second = child_of(shapes->nodes[1], "geometry");
    assert_ptr_equal(child_of(first, "coord"), child_of(second, "coord"));
    assert_ptr_equal(child_of(first, "normal"), child_of(second, "normal"));
    assert_true(number_of(first, "convex", 0, 1) == 0 && number_of(first, "solid", 0, 1) == 0);
    static const double indices[] = {0, 2, 3, 4, 5, -1};
    assert_int_equal(vfield_of(first, "coordIndex")->number_count, 6);
    assert_memory_equal(vfield_of(first, "coordIndex")->numbers, indices, sizeof indices);
    struct vfield *points = vfield_of(child_of(first, "coord"), "point");
    for (size_t i = 0; i < 18; i++) {
        float read = (float)points->numbers[i];
        assert_memory_equal(&read, &flag_points[i], sizeof read);
    }
    struct vnode *red = child_of(child_of(shapes->nodes[0], "appearance"), "material");
    struct vnode *glass = child_of(child_of(shapes->nodes[1], "appearance"), "material");
    assert_true(number_of(red, "diffuseColor", 1, NAN) == 0.25);
    assert_near(number_of(glass, "diffuseColor", 0, NAN), 0.735357, 1e-6); /* IEC 61966-2-1 */
    assert_true(number_of(glass, "transparency", 0, NAN) == 0.75);
    /* glTF 2.0, section 3.9.2: the product of both lights. sRGB 0.25 is 0.0508761, so a fifth of it 0.100978. */
    static const double red_products[] = {0, 0, 0, 0.735357, 0, 0, 0, 0.100978, 0, 1, 0.25, 0, 1, 0, 0};
    static const double glass_products[] = {0, 0, 0, 0.735357, 0, 1, 0.537099, 0, 0};
    static const double red_places[] = {0, 1, 2, 3, 4, -1}, glass_places[] = {0, 1, 2, -1};
    assert_numbers(vfield_of(child_of(first, "color"), "color"), red_products, 15);
    assert_numbers(vfield_of(child_of(second, "color"), "color"), glass_products, 9);
    assert_numbers(vfield_of(first, "colorIndex"), red_places, 6);
    assert_numbers(vfield_of(second, "colorIndex"), glass_places, 4);
    assert_string_equal(original_name(file, "look", "look_red__1_"), "red \"1\"");
    assert_int_equal(count_of(stage.context, "vrml97-alpha"), 1);
    assert_int_equal(count_of(stage.context, "vrml97-colour"), 1);
}

/* Four triangles: white vertices with a material, coloured ones without, and two of one material. */
static cp_scene *paint_scene(cp_context *context)
{
    static const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0};
    static const float colours[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5f, 0, 0, 1, 0, 0.5f, 0, 1, 0, 0, 0.5f, 1};
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 3, 5, 4, 0, 2, 1};
    static const cp_group groups[] = {{0, 1, 0}, {1, 1, CP_NONE}, {2, 1, 1}, {3, 1, CP_NONE}};
    cp_scene *scene = cp_scene_new(context);
    (void)add_colour(scene, "red", (double[]){1, 0.25, 0, 1}, true);
    (void)add_colour(scene, "white", (double[]){1, 1, 1, 1}, true);
    uint32_t mesh = add_mesh_of(scene, &(cp_mesh){.name = "paint",
                                                  .source = "",
                                                  .kind = CP_MESH_FACES,
                                                  .vertex_count = 6,
                                                  .face_count = 4,
                                                  .corner_count = 12,
                                                  .group_count = 4,
                                                  .positions = points,
                                                  .colours = colours,
                                                  .corners = corners,
                                                  .groups = groups});
    place_mesh(scene, add_node(scene, 0, "wall", PLAIN_IDENTITY), mesh);
    return scene;
}

/* A triangle that shines; its material may have a texture that says where. */
static cp_scene *shining_scene(cp_context *context, bool is_textured)
{
    static const uint32_t corners[] = {0, 1, 2};
    cp_scene *scene = cp_scene_new(context);
    const cp_image image = {.name = "", .type = "image/png", .path = "light.png"};
    cp_texture texture = cp_new_texture();
    texture.image = cp_add_image(scene, &image);
    const cp_texture_use use = {
        .role = CP_TEXTURE_EMISSIVE, .texture = cp_add_texture(scene, &texture), .scale = {1, 1}};
    cp_material material = cp_new_material();
    memcpy(material.emissive, ((const double[]){0.7874, 0, 1}), sizeof material.emissive);
    material.textures = &use;
    material.texture_count = is_textured;
    const cp_group group = {0, 1, cp_add_material(scene, &material)};
    uint32_t mesh = add_mesh_of(scene, &(cp_mesh){.name = "lamp",
                                                  .source = "",
                                                  .kind = CP_MESH_FACES,
                                                  .vertex_count = 3,
                                                  .face_count = 1,
                                                  .corner_count = 3,
                                                  .group_count = 1,
                                                  .positions = flag_points,
                                                  .corners = corners,
                                                  .groups = &group});
    place_mesh(scene, add_node(scene, 0, "lamp", PLAIN_IDENTITY), mesh);
    return scene;
}

static cp_scene *lamp_scene(cp_context *context)
{
    return shining_scene(context, false);
}

static cp_scene *textured_lamp_scene(cp_context *context)
{
    return shining_scene(context, true);
}

/* Emission is the emissive colour, in sRGB; below a texture for it, which VRML97 cannot show, there is none. */
static void test_emission(void **unused)
{
    for (int is_textured = 0; is_textured < 2; is_textured++) {
        start(is_textured ? textured_lamp_scene : lamp_scene);
        struct vnode *shape = named(vrml_read(write_text(NULL)), "mesh_lamp");
        struct vnode *material = child_of(child_of(shape, "appearance"), "material");
        assert_true(fabs(number_of(material, "emissiveColor", 0, 0) - (is_textured ? 0 : 0.9)) < 1e-4);
        assert_true(number_of(material, "emissiveColor", 2, 0) == !is_textured);
        (void)end(unused);
    }
}

/* White vertices leave a material its colour, and what has none stays white; equal products are written once. */
static void test_colours_shared(void **unused)
{
    (void)unused;
    start(paint_scene);
    struct vrml_file *file = vrml_read(write_text(NULL));
    vrml_check(file);
    struct vfield *shapes = vfield_of(named(file, "mesh_paint"), "children");
    assert_int_equal(shapes->node_count, 4);
    assert_null(child_of(child_of(shapes->nodes[0], "geometry"), "color"));
    struct vnode *red = child_of(child_of(shapes->nodes[0], "appearance"), "material");
    assert_true(number_of(red, "diffuseColor", 1, NAN) == 0.25);
    struct vnode *colours = child_of(child_of(shapes->nodes[1], "geometry"), "color");
    static const double own[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0.735357, 0, 0, 0, 0.735357, 0, 0, 0, 0.735357};
    assert_numbers(vfield_of(colours, "color"), own, 18);
    assert_ptr_equal(child_of(child_of(shapes->nodes[2], "geometry"), "color"), colours);
    assert_ptr_equal(child_of(child_of(shapes->nodes[3], "geometry"), "color"), colours);
    assert_null(find_entry(stage.context, "vrml97-colour"));
}

static cp_scene *solids_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    uint32_t inside = add_box(scene, "inside", 1, 1, 1), open = add_box(scene, "open", 1, 1, 1);
    uint32_t closed = add_box(scene, "closed", 1, 1, 1), painted = add_box(scene, "painted", 1, 1, 1);
    cp_mesh mesh = cp_meshes(scene, NULL)[inside];
    uint32_t corners[24];
    for (uint32_t i = 0; i < 24; i++)
        corners[i] = mesh.corners[23 - i];
    mesh.corners = corners;
    assert_int_equal(cp_set_mesh(scene, inside, &mesh), CP_OK);
    mesh = cp_meshes(scene, NULL)[open];
    mesh.face_count = 5;
    mesh.corner_count = 20;
    assert_int_equal(cp_set_mesh(scene, open, &mesh), CP_OK);
    cp_material paint = cp_new_material();
    paint.name = "paint";
    paint.two_sided = true;
    const cp_group group = {0, 6, cp_add_material(scene, &paint)};
    mesh = cp_meshes(scene, NULL)[painted];
    mesh.groups = &group;
    mesh.group_count = 1;
    assert_int_equal(cp_set_mesh(scene, painted, &mesh), CP_OK);
    for (uint32_t i = inside; i <= painted; i++)
        place_mesh(scene, add_node(scene, 0, "frame", plain_translation(2 * i, 0, 0)), i);
    (void)closed;
    return scene;
}

static bool is_solid(struct vrml_file *file, const char *mesh)
{
    return number_of(child_of(named(file, mesh), "geometry"), "solid", 0, 1) != 0;
}

/* Faces seen from behind vanish on a solid: only closed meshes that look outwards are ones. */
static void test_solid(void **unused)
{
    (void)unused;
    start(solids_scene);
    char *text = write_text(NULL);
    compare(text);
    struct vrml_file *file = vrml_read(text);
    assert_true(is_solid(file, "mesh_closed"));
    assert_false(is_solid(file, "mesh_open"));
    assert_false(is_solid(file, "mesh_inside"));
    assert_false(is_solid(file, "mesh_painted"));
    struct vnode *box = child_of(named(file, "mesh_closed"), "geometry");
    assert_near(number_of(box, "creaseAngle", 0, 0), 38 * PI / 180, 1e-12);
    assert_true(number_of(box, "convex", 0, 1) == 1);
    file = vrml_read(write_text("crease=45"));
    assert_near(number_of(child_of(named(file, "mesh_closed"), "geometry"), "creaseAngle", 0, 0), PI / 4, 1e-12);
}

static cp_scene *lines_scene(cp_context *context)
{
    static const uint32_t corners[] = {0, 1, 2, 3, 4}, offsets[] = {0, 3, 5};
    cp_scene *scene = cp_scene_new(context);
    uint32_t mesh = add_mesh_of(scene, &(cp_mesh){.source = "",
                                                  .kind = CP_MESH_LINES,
                                                  .vertex_count = 6,
                                                  .face_count = 2,
                                                  .corner_count = 5,
                                                  .positions = flag_points,
                                                  .face_offsets = offsets,
                                                  .corners = corners});
    uint32_t empty = add_mesh_of(scene, &(cp_mesh){.name = "empty", .source = "", .kind = CP_MESH_FACES});
    uint32_t node = add_node(scene, 0, "frame", PLAIN_IDENTITY);
    place_mesh(scene, node, mesh);
    place_mesh(scene, node, empty);
    return scene;
}

static void test_lines_and_nothing(void **unused)
{
    (void)unused;
    start(lines_scene);
    char *text = write_text(NULL);
    compare(text);
    assert_non_null(strstr(text, "IndexedLineSet"));
    assert_non_null(strstr(text, "emissiveColor"));
    assert_string_equal(named(vrml_read(text), "mesh_empty")->type, "Group");
}

/* ---- collision ---- */

static void test_proxy(void **unused)
{
    (void)unused;
    start(poses_scene);
    struct vrml_file *file = vrml_read(write_text(NULL));
    struct vfield *children = vfield_of(named(file, "small"), "children");
    struct vnode *collision = children->nodes[children->node_count - 1];
    assert_string_equal(collision->type, "Collision");
    assert_int_equal(vfield_of(collision, "children")->node_count, 1);
    assert_int_equal(vfield_of(child_of(collision, "proxy"), "children")->node_count, 2);
    assert_true(number_of(collision, "collide", 0, 1) == 1);
}

static cp_scene *drawn_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    uint32_t node = add_node(scene, 0, "sign", PLAIN_IDENTITY);
    (void)add_instance_of(scene, node, add_box(scene, "box", 1, 1, 1), CP_USE_DRAWN, NULL);
    return scene;
}

static void test_drawn_only(void **unused)
{
    (void)unused;
    start(drawn_scene);
    char *text = write_text(NULL);
    compare(text);
    assert_non_null(strstr(text, "collide FALSE"));
}

/* ---- primitives ---- */

static cp_scene *primitives_scene(cp_context *context)
{
    static const cp_mesh meshes[] = {
        {.name = "box", .source = "", .kind = CP_MESH_BOX, .size = {1, 2, 3}},
        {.name = "can", .source = "", .kind = CP_MESH_CYLINDER, .sides = 8, .size = {0.5, 2}},
        {.name = "ball", .source = "", .kind = CP_MESH_SPHERE, .sides = 8, .size = {1}},
        {.name = "hat", .source = "", .kind = CP_MESH_CONE, .sides = 8, .size = {1, 0, 2}},
        {.name = "bucket", .source = "", .kind = CP_MESH_CONE, .sides = 8, .size = {1, 0.5, 2}},
        {.name = "pipe", .source = "", .kind = CP_MESH_TUBE, .sides = 8, .size = {1, 0.5, 2}},
    };
    static const cp_pose mirror = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0}};
    cp_scene *scene = cp_scene_new(context);
    uint32_t glass = add_node(scene, 0, "glass", mirror);
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        uint32_t mesh = add_mesh_of(scene, &meshes[i]);
        place_mesh(scene, add_node(scene, 0, "frame", plain_translation(3 * (double)i, 0, 0)), mesh);
        if (meshes[i].kind == CP_MESH_CONE && meshes[i].size[1] == 0)
            place_mesh(scene, glass, mesh);
    }
    return scene;
}

static void test_primitives(void **unused)
{
    (void)unused;
    start(primitives_scene);
    struct vrml_file *file = vrml_read(write_text("primitives=yes"));
    vrml_check(file);
    assert_null(find_entry(stage.context, "loss-primitives"));
    struct vnode *box = child_of(named(file, "mesh_box"), "geometry");
    assert_true(number_of(box, "size", 2, 0) == 3);
    struct vnode *can = named(file, "mesh_can");
    cp_pose turn = transform_pose(can);
    double top[3];
    plain_point(&turn, (const double[]){0, 1, 0}, top); /* VRML97's axis Y must be our Z */
    assert_near(top[2], 1, 1e-15);
    struct vnode *cylinder = child_of(vfield_of(can, "children")->nodes[0], "geometry");
    assert_true(number_of(cylinder, "radius", 0, 0) == 0.5 && number_of(cylinder, "height", 0, 0) == 2);
    assert_string_equal(child_of(named(file, "mesh_ball"), "geometry")->type, "Sphere");
    assert_string_equal(named(file, "mesh_hat")->type, "Transform");
    assert_string_equal(child_of(named(file, "mirrored_hat"), "geometry")->type, "IndexedFaceSet");
    assert_string_equal(child_of(named(file, "mesh_bucket"), "geometry")->type, "IndexedFaceSet");
    assert_string_equal(child_of(named(file, "mesh_pipe"), "geometry")->type, "IndexedFaceSet");
    file = vrml_read(write_text(NULL));
    assert_int_equal(count_of(stage.context, "loss-primitives"), 6);
    assert_string_equal(child_of(named(file, "mesh_box"), "geometry")->type, "IndexedFaceSet");
}

/* ---- the whole ---- */

static struct vnode *root_of_type(struct vrml_file *file, const char *type)
{
    for (size_t i = 0; i < file->root_count; i++)
        if (strcmp(file->roots[i]->type, type) == 0)
            return file->roots[i];
    return NULL;
}

/* Viewpoints in a Transform at the middle of the cell (0..100, 0..1, 0..1), which EXAMINE turns about. */
static void test_view(void **unused)
{
    (void)unused;
    start(shared_scene);
    struct vrml_file *file = vrml_read(write_text("up=z"));
    vrml_check(file);
    struct vnode *middle = root_of_type(file, "Transform");
    for (size_t i = 0; i < 3; i++)
        assert_near(number_of(middle, "translation", i, NAN), i == 0 ? 50 : 0.5, 1e-9);
    struct vfield *views = vfield_of(middle, "children");
    static const char *const titles[] = {"whole cell", "front", "left", "top"};
    assert_int_equal(views->node_count, 4);
    for (size_t n = 0; n < 4; n++) {
        struct vnode *view = views->nodes[n];
        assert_string_equal(view->type, "Viewpoint");
        assert_string_equal(vfield_of(view, "description")->strings[0], titles[n]);
        double turn[4], eye[3], widest = 0;
        for (size_t i = 0; i < 4; i++)
            turn[i] = number_of(view, "orientation", i, i == 2);
        for (size_t i = 0; i < 3; i++)
            eye[i] = number_of(view, "position", i, NAN) + (i == 0 ? 50 : 0.5);
        cp_pose camera = plain_rotation(turn, -turn[3]);
        /* Each corner of the box lies before the camera and within 0.9 of a window of 4 by 3; one at that border. */
        for (int i = 0; i < 8; i++) {
            double p[3] = {(i & 1 ? 100 : 0) - eye[0], (i & 2 ? 1 : 0) - eye[1], (i & 4 ? 1 : 0) - eye[2]}, seen[3];
            plain_point(&camera, p, seen);
            double slope = fmax(fabs(seen[0]) * 3 / 4, fabs(seen[1])) / -seen[2] / tan(0.785398 / 2);
            assert_true(seen[2] < 0);
            widest = fmax(widest, slope);
        }
        assert_near(widest, 0.9, 1e-6);
        double up[3];
        plain_point(&camera, (const double[]){0, n == 3, n != 3}, up);
        assert_near(up[0], 0, 1e-12);
        assert_true(up[1] > 0);
        if (n == 0) /* from before, right and above */
            assert_true(eye[0] > 50 && eye[1] < 0 && eye[2] > 1);
    }
}

/* Light of its own in place of the viewer's, a background, and none of them in a world that is part of another. */
static void test_scenery(void **unused)
{
    (void)unused;
    start(shared_scene);
    struct vrml_file *file = vrml_read(write_text(NULL));
    assert_true(number_of(root_of_type(file, "NavigationInfo"), "headlight", 0, 1) == 0);
    struct vnode *background = root_of_type(file, "Background");
    assert_int_equal(vfield_of(background, "skyColor")->number_count / 3,
                     vfield_of(background, "skyAngle")->number_count + 1);
    assert_int_equal(vfield_of(background, "groundColor")->number_count / 3,
                     vfield_of(background, "groundAngle")->number_count + 1);
    size_t lights = 0, down = 0;
    for (size_t i = 0; i < file->root_count; i++)
        if (strcmp(file->roots[i]->type, "DirectionalLight") == 0) {
            lights++;
            down += number_of(file->roots[i], "direction", 1, 0) < 0; /* Y is up */
        }
    assert_int_equal(lights, 3);
    assert_int_equal(down, 3);
    file = vrml_read(write_text("scenery=no"));
    assert_int_equal(file->root_count, 2);
    assert_string_equal(file->roots[0]->type, "WorldInfo");
    assert_string_equal(file->roots[1]->def, "y_up");
}

/* Without a click: by what tells that somebody entered the world. */
static void test_plays_by_itself(void **unused)
{
    (void)unused;
    start(arm_scene);
    assert_null(strstr(write_text(NULL), "ProximitySensor"));
    for (int loop = 0; loop < 2; loop++) {
        const char *text = write_text(loop ? "play=loop" : "play=auto");
        compare(text);
        struct vrml_file *file = vrml_read(text);
        size_t timers = 0, entries = 0;
        for (size_t i = 0; i < file->root_count; i++)
            if (strcmp(file->roots[i]->type, "TimeSensor") == 0) {
                timers++;
                struct vfield *repeats = vfield_of(file->roots[i], "loop");
                assert_int_equal(repeats && repeats->numbers[0] == 1, loop);
            }
        for (size_t i = 0; i < file->route_count; i++)
            entries += strcmp(file->routes[i].from->type, "ProximitySensor") == 0 &&
                       strcmp(file->routes[i].to_event, "set_startTime") == 0;
        assert_true(timers > 0);
        assert_int_equal(entries, timers);
    }
}

/* Fingers of 1 mm in a cell of metres: a click on the hand plays them, too. */
static void test_small_parts(void **unused)
{
    (void)unused;
    start(hand_scene);
    const char *text = write_text(NULL);
    compare(text);
    assert_non_null(strstr(text, "ROUTE touch_hand.touchTime TO time_finger.set_startTime"));
    assert_non_null(strstr(text, "ROUTE touch_finger.touchTime TO time_finger.set_startTime"));
    assert_null(strstr(text, "TouchSensor { description"));
    assert_non_null(strstr(write_text("descriptions=yes"), "TouchSensor { description \"finger: 0 to 0.001 m\""));
}

static void test_same_bytes(void **unused)
{
    start(arm_scene);
    char *first = strdup(write_text(NULL));
    (void)end(unused);
    start(arm_scene);
    assert_string_equal(first, write_text(NULL));
    free(first);
}

static void test_losses(void **unused)
{
    (void)unused;
    start(arm_scene);
    (void)add_pair_of(stage.scene, 1, 2, "given");
    assert_int_equal(cp_scene_finish(stage.scene), CP_OK);
    (void)write_text(NULL);
    size_t count;
    (void)cp_report(stage.context, &count);
    assert_int_equal(count, 1);
    assert_non_null(find_entry(stage.context, "loss-pairs"));
}

/* ---- memory ---- */

static void test_failing_memory(void **unused)
{
    (void)unused;
    cp_scene *(*const makers[])(cp_context *) = {arm_scene, poses_scene, flag_scene, primitives_scene};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++)
        for (long nth = 0, done = 0; !done; nth++) {
            struct counter memory = {0};
            cp_context *context = cp_context_new(&(cp_allocator){counted_resize, &memory});
            cp_scene *scene = makers[m](context);
            assert_int_equal(cp_scene_finish(scene), CP_OK);
            memory.limit = memory.calls + (size_t)nth + 1;
            const char *option = "primitives=yes";
            void *bytes;
            size_t size;
            cp_status status = cp_write_memory(context, scene, "vrml97", &option, 1, &bytes, &size);
            done = memory.calls < memory.limit;
            assert_int_equal(status, done ? CP_OK : CP_LIMIT);
            cp_free(context, bytes, size);
            cp_scene_free(scene);
            cp_context_free(context);
            assert_int_equal(memory.bytes, 0);
        }
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_arm),
        TEST(test_quarter_steps),
        TEST(test_two_joints_on_a_part),
        TEST(test_masters),
        TEST(test_hard_limits),
        TEST(test_joint_words),
        TEST(test_poses),
        TEST(test_plain_scale),
        TEST(test_random_poses),
        TEST(test_too_large),
        TEST(test_names),
        TEST(test_many_equal_names),
        TEST(test_shared_mesh),
        TEST(test_groups),
        TEST(test_colours_shared),
        TEST(test_emission),
        TEST(test_solid),
        TEST(test_lines_and_nothing),
        TEST(test_proxy),
        TEST(test_drawn_only),
        TEST(test_primitives),
        TEST(test_view),
        TEST(test_scenery),
        TEST(test_plays_by_itself),
        TEST(test_small_parts),
        TEST(test_same_bytes),
        TEST(test_losses),
        TEST(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

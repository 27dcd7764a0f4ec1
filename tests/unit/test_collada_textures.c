/* Textures of COLLADA: coordinates, and the image that the diffuse colour names. */
#include "assimp_support.h"

#include <math.h>
#include <unistd.h>

static const char square[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><unit name=\"m\" meter=\"1\"/><up_axis>Z_UP</up_axis></asset>"
    "<library_images><image id=\"i\" name=\"i\"><init_from>a%20wood.png</init_from></image></library_images>"
    "<library_effects><effect id=\"e\"><profile_COMMON><newparam sid=\"f\"><surface "
    "type=\"2D\"><init_from>i</init_from>"
    "</surface></newparam><newparam sid=\"t\"><sampler2D><source>f</source></sampler2D></newparam><technique "
    "sid=\"c\"><lambert><diffuse><texture texture=\"t\" texcoord=\"UV\"/></diffuse></lambert></technique>"
    "</profile_COMMON></effect></library_effects><library_materials><material id=\"m\" name=\"wood\"><instance_effect "
    "url=\"#e\"/></material></library_materials><library_geometries><geometry id=\"g\"><mesh>"
    "<source id=\"p\"><float_array id=\"a\" count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common>"
    "<accessor source=\"#a\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
    "type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<source id=\"u\"><float_array id=\"b\" count=\"8\">0 0 0.5 0.25 0 1 1 1</float_array><technique_common>"
    "<accessor source=\"#b\" count=\"4\" stride=\"2\"><param name=\"S\" type=\"float\"/><param name=\"T\" "
    "type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
    "source=\"#p\"/></vertices><triangles count=\"2\" material=\"w\"><input semantic=\"VERTEX\" source=\"#v\" "
    "offset=\"0\"/><input semantic=\"TEXCOORD\" source=\"#u\" offset=\"1\" set=\"0\"/><p>0 0 1 1 2 2 0 0 2 3 1 1</p>"
    "</triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node id=\"n\">"
    "<instance_geometry url=\"#g\"><bind_material><technique_common><instance_material symbol=\"w\" target=\"#m\">"
    "<bind_vertex_input semantic=\"UV\" input_semantic=\"TEXCOORD\" input_set=\"0\"/></instance_material>"
    "</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes><scene>"
    "<instance_visual_scene url=\"#s\"/></scene></COLLADA>";

/* In the program, and in a process of its own, which asks for the image; with the image, and without. */
static void test_texture(void **state)
{
    static const char png[] = "\x89PNG\r\n\x1a\n rest";
    static const float coordinates[] = {0, 1, 0.5f, 0.75f, 0, 0, 1, 0};
    const char *path = path_of("square.dae");
    write_file("square.dae", square);
    for (int i = 0; i < 4; i++) {
        bool is_there = i < 2;
        if (is_there)
            write_bytes("a wood.png", png, sizeof png - 1);
        else if (i == 2)
            assert_int_equal(remove(path_of("a wood.png")), 0);
        cp_report_clear(*state);
        cp_set_flag(*state, CP_FLAG_ISOLATE, i % 2);
        cp_scene *scene;
        uint32_t count;
        expect_status(*state, cp_read(*state, path, NULL, NULL, 0, &scene), CP_OK);
        const cp_mesh *mesh = cp_meshes(scene, &count);
        assert_int_equal(mesh->vertex_count, 4); /* one place has two pairs of coordinates */
        assert_memory_equal(mesh->coordinates[0], coordinates, sizeof coordinates);
        const cp_material *material = cp_materials(scene, &count);
        assert_true(material->rgba[0] == 1 && material->rgba[3] == 1);
        assert_int_equal(material->texture_count, 1);
        const cp_texture *texture = &cp_textures(scene, &count)[material->textures[0].texture];
        assert_int_equal(count, 1);
        const cp_image *image = &cp_images(scene, &count)[texture->image];
        assert_int_equal(count, 1);
        assert_string_equal(image->path, "a wood.png");
        assert_string_equal(image->type, "image/png");
        assert_int_equal(image->size, is_there ? sizeof png - 1 : 0);
        if (is_there)
            assert_memory_equal(image->bytes, png, sizeof png - 1);
        assert_int_equal(count_entries(*state, CP_WARNING, "collada-image"), !is_there);
        assert_int_equal(count_entries(*state, CP_WARNING, "gltf-image-missing"), 0);
        cp_scene_free(scene);
    }
}

/* 2 x 3 copies, moved by a quarter and a half: v counts from below in Collada. */
static void test_placed_texture(void **state)
{
    static const char plain[] = "texcoord=\"UV\"/>";
    static const char placed[] =
        "texcoord=\"UV\"><extra><technique profile=\"MAYA\"><repeatU>2</repeatU><repeatV>3"
        "</repeatV><offsetU>0.25</offsetU><offsetV>0.5</offsetV></technique></extra></texture>";
    char text[sizeof square + sizeof placed];
    const char *at = strstr(square, plain);
    assert_non_null(at);
    int size = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - square), square, placed, at + sizeof plain - 1);
    cp_scene *scene;
    uint32_t count;
    assert_int_equal(cp_read_memory(*state, text, (size_t)size, "square.dae", "collada", NULL, 0, &scene), CP_OK);
    const cp_material *material = cp_materials(scene, &count);
    assert_int_equal(material->texture_count, 1);
    const cp_texture_use *use = material->textures;
    const float *v = cp_meshes(scene, &count)->coordinates[0];
    for (int i = 0; i < 4; i++) { /* the place in the picture, from below, as Collada has it */
        double u = (double)v[2 * i], below = 1 - (double)v[2 * i + 1];
        double shown[] = {use->offset[0] + use->scale[0] * u, 1 - use->offset[1] - use->scale[1] * (1 - below)};
        assert_true(fabs(shown[0] - (2 * u + 0.25)) < 1e-6);
        assert_true(fabs(shown[1] - (3 * below + 0.5)) < 1e-6);
    }
    cp_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_texture), TEST(test_placed_texture)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}

/* Textures of VRML97: images as files beside the world, coordinates worked out by hand. */
#include <unistd.h>

#include "scene_fixture.h"

static void expect(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no \"%s\" in\n%s", words, text);
}

static void read_textured(void)
{
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, SAMPLES "/gltf_textures.gltf", NULL, NULL, 0, &scene), CP_OK);
}

static void change_image(uint32_t index, const char *type, const unsigned char *bytes, uint32_t size)
{
    struct draft draft = draft_of(scene);
    draft.images[index].type = type;
    draft.images[index].bytes = bytes;
    draft.images[index].size = size;
    scene = built_again(&draft, context);
    finish_scene();
}

static void test_images_beside_the_world(void **unused)
{
    (void)unused;
    read_textured();
    static const char *const names[] = {"cell_checker.png", "cell_leaf.png"};
    const char *path = path_of("cell.wrl");
    size_t size, image_size;
    assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
    char *text = read_whole(path_of("cell.wrl"), &size);
    expect(text, "texture DEF image_checker ImageTexture { url \"cell_checker.png\" }");
    expect(text, "ImageTexture { url \"cell_leaf.png\" repeatS FALSE }");
    expect(text, "texture USE image_checker\n");
    /* Upper left, (0, 0) of glTF, is (0, 1) of VRML97. Of the second material (2, 0) is turned by 0.5 and stretched by
     * 2 along u: 0.25 + 4 cos 0.5, and 1 - (-4 sin 0.5). */
    expect(text, "texCoord TextureCoordinate { point [\n");
    expect(text, "0.25 1\n");
    expect(text, "3.7603302 2.9177022\n");
    free(text);
    for (uint32_t i = 0; i < 2; i++) {
        char *bytes = read_whole(path_of(names[i]), &image_size);
        const cp_image *image = &cp_images(scene, NULL)[2 * i];
        assert_int_equal(image_size, image->size);
        assert_memory_equal(bytes, image->bytes, image_size);
        free(bytes);
    }
    assert_int_equal(count_of(context, "vrml97-replaced"), 1);
    assert_int_equal(count_of(context, "vrml97-wrap"), 1);
    assert_int_equal(count_of(context, "vrml97-textures"), 0);
    assert_true(was_reported(context, "loss-surfaces"));

    static const char *const inlined[] = {"layout=inline"};
    assert_int_equal(cp_write(context, scene, path, NULL, inlined, 1), CP_OK);
    text = read_whole(path_of("d_cell/cell_box.wrl"), &size);
    expect(text, "texture DEF image_checker ImageTexture { url \"../cell_checker.png\" }");
    free(text);
}

/* 8 x 8 pixels of grey 100, made by ImageMagick. */
static const unsigned char grey_jpeg[] = {
    0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x01,
    0x00, 0x00, 0xff, 0xdb, 0x00, 0x43, 0x00, 0x03, 0x02, 0x02, 0x02, 0x02, 0x02, 0x03, 0x02, 0x02, 0x02, 0x03,
    0x03, 0x03, 0x03, 0x04, 0x06, 0x04, 0x04, 0x04, 0x04, 0x04, 0x08, 0x06, 0x06, 0x05, 0x06, 0x09, 0x08, 0x0a,
    0x0a, 0x09, 0x08, 0x09, 0x09, 0x0a, 0x0c, 0x0f, 0x0c, 0x0a, 0x0b, 0x0e, 0x0b, 0x09, 0x09, 0x0d, 0x11, 0x0d,
    0x0e, 0x0f, 0x10, 0x10, 0x11, 0x10, 0x0a, 0x0c, 0x12, 0x13, 0x12, 0x10, 0x13, 0x0f, 0x10, 0x10, 0x10, 0xff,
    0xc0, 0x00, 0x0b, 0x08, 0x00, 0x08, 0x00, 0x08, 0x01, 0x01, 0x11, 0x00, 0xff, 0xc4, 0x00, 0x14, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0xff, 0xc4,
    0x00, 0x14, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3f, 0x00, 0x34, 0x7f, 0xff, 0xd9};

static char *write_stream(void **bytes, size_t *size)
{
    cp_report_clear(context);
    assert_int_equal(cp_write_memory(context, scene, "vrml97", NULL, 0, bytes, size), CP_OK);
    char *text = calloc(1, *size + 1);
    assert_non_null(text);
    memcpy(text, *bytes, *size);
    cp_free(context, *bytes, *size);
    return text;
}

static uint32_t occurrences(const char *text, const char *words)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, words)); at += strlen(words))
        count++;
    return count;
}

/* A stream has nothing beside it: pixels, the lowest row first. The checker is 2 x 2 fields of two colours. */
static void test_pixels_in_the_world(void **unused)
{
    (void)unused;
    read_textured();
    void *bytes;
    size_t size;
    char *text = write_stream(&bytes, &size);
    assert_int_equal(count_of(context, "vrml97-textures"), 0);
    expect(text, "texture DEF pixels_checker PixelTexture { image 8 8 3\n0xdc3c28\n");
    assert_int_equal(occurrences(text, "PixelTexture"), 2);
    assert_int_equal(occurrences(text, "USE pixels_checker"), 1);
    /* Blue is in the upper left corner alone, two texels wide and high: it comes last. */
    const char *blue = strstr(text, "0x283cdc\n"), *first = strstr(text, "PixelTexture {");
    assert_non_null(blue);
    assert_int_equal(occurrences(text, "0x283cdc\n"), 4);
    assert_int_equal(blue - strchr(first, '\n') - 1, 6 * 8 * 9);
    const char *leaf = strstr(text, "PixelTexture { image 8 8 4\n");
    assert_non_null(leaf);
    leaf = strchr(leaf, '\n') + 1;
    for (uint32_t row = 0; row < 8; row++) {
        static const uint32_t opaque[] = {0, 4, 6, 6, 6, 6, 4, 0};
        uint32_t count = 0;
        for (uint32_t i = 0; i < 8; i++, leaf += 11) {
            assert_memory_equal(leaf, "0x3ca03c", 8);
            count += leaf[8] == 'f';
        }
        assert_int_equal(count, opaque[row]);
    }
    expect(leaf, " repeatS FALSE }");
    free(text);

    const uint32_t whole = cp_images(scene, NULL)[0].size;
    unsigned char *png = malloc(whole);
    assert_non_null(png);
    memcpy(png, cp_images(scene, NULL)[0].bytes, whole);
    change_image(0, "image/jpeg", grey_jpeg, sizeof grey_jpeg);
    text = write_stream(&bytes, &size);
    expect(text, "image 8 8 1\n0x64\n0x64\n");
    assert_int_equal(occurrences(text, "\n0x64"), 64);
    free(text);
    /* Cut off, of a type that nothing decodes, or of other content than its type: a loss. */
    change_image(0, "image/jpeg", grey_jpeg, 120);
    free(write_stream(&bytes, &size));
    assert_int_equal(count_of(context, "vrml97-textures"), 2);
    change_image(0, "image/gif", grey_jpeg, 120);
    free(write_stream(&bytes, &size));
    assert_int_equal(count_of(context, "vrml97-textures"), 2);
    change_image(0, "image/png", grey_jpeg, 120);
    free(write_stream(&bytes, &size));
    assert_int_equal(count_of(context, "vrml97-textures"), 2);
    change_image(0, "image/png", png, 80);
    text = write_stream(&bytes, &size);
    assert_int_equal(count_of(context, "vrml97-textures"), 2);
    assert_int_equal(occurrences(text, "PixelTexture"), 1);
    free(text);
    free(png);
}

static uint32_t occurrences_in_file(const char *name, const char *words)
{
    size_t size;
    char *text = read_whole(path_of(name), &size);
    uint32_t count = occurrences(text, words);
    free(text);
    return count;
}

/* Two images of the same bytes are one; what tells two textures of it apart is how they repeat. */
static void test_equal_images(void **unused)
{
    (void)unused;
    read_textured();
    size_t size;
    const char *path = path_of("cell.wrl"), *leaf = path_of("cell_leaf.png");
    void *bytes;
    empty_folder();
    change_image(2, cp_images(scene, NULL)[2].type, cp_images(scene, NULL)[0].bytes, cp_images(scene, NULL)[0].size);
    for (uint32_t alike = 0; alike < 2; alike++) {
        if (alike) {
            struct draft draft = draft_of(scene);
            draft.textures[2].wrap[0] = draft.textures[0].wrap[0];
            scene = built_again(&draft, context);
            finish_scene();
        }
        assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
        assert_int_equal(occurrences_in_file("cell.wrl", "ImageTexture { url \"cell_checker.png\""), 2 - alike);
        assert_int_equal(occurrences_in_file("cell.wrl", "texture USE image_checker\n"), 1 + alike);
        assert_int_equal(access(leaf, F_OK), -1);
        char *text = write_stream(&bytes, &size);
        assert_int_equal(occurrences(text, "PixelTexture"), 2 - alike);
        assert_int_equal(occurrences(text, "texture USE pixels_checker\n"), 1 + alike);
        assert_int_equal(count_of(context, "vrml97-textures"), 0);
        free(text);
    }
    /* A file sees only its own names. */
    static const char *const inlined[] = {"layout=inline"};
    assert_int_equal(cp_write(context, scene, path, NULL, inlined, 1), CP_OK);
    assert_true(occurrences_in_file("d_cell/cell_box.wrl", "ImageTexture { url \"../cell_checker.png\" }") == 1);
    /* The same bytes as another type are another image. */
    change_image(2, "image/jpeg", cp_images(scene, NULL)[2].bytes, cp_images(scene, NULL)[2].size);
    assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
    assert_int_equal(occurrences_in_file("cell.wrl", "ImageTexture { url \"cell_leaf.jpg\" }"), 1);
}

/* An image of another type is none; a mesh without coordinates has no texture. */
static void test_what_is_not_shown(void **unused)
{
    (void)unused;
    read_textured();
    size_t size;
    const char *path = path_of("cell.wrl");
    empty_folder();
    change_image(2, "image/webp", cp_images(scene, NULL)[2].bytes, cp_images(scene, NULL)[2].size);
    assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
    assert_int_equal(count_of(context, "vrml97-image-type"), 1);
    struct draft draft = draft_of(scene);
    draft.meshes[0].coordinates[0] = draft.meshes[0].coordinates[1] = NULL;
    scene = built_again(&draft, context);
    finish_scene();
    assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
    char *text = read_whole(path_of("cell.wrl"), &size);
    assert_null(strstr(text, "ImageTexture"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_images_beside_the_world, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pixels_in_the_world, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_images, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_shown, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}

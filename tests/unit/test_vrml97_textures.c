/* Textures of VRML97: images as files beside the world, coordinates worked out by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene_fixture.h"

static char folder[] = "/tmp/cellpipe-vrml97-XXXXXX";

static char *read_whole(const char *name, size_t *size)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("no file %s", path);
    char *bytes = calloc(1, 1 << 16);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (1 << 16) - 1, file);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

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

static void test_images_beside_the_world(void **unused)
{
    (void)unused;
    read_textured();
    static const char *const names[] = {"cell_checker.png", "cell_leaf.png"};
    char path[256];
    size_t size, image_size;
    (void)snprintf(path, sizeof path, "%s/cell.wrl", folder);
    assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
    char *text = read_whole("cell.wrl", &size);
    expect(text, "texture ImageTexture { url \"cell_checker.png\" }");
    expect(text, "texture ImageTexture { url \"cell_leaf.png\" repeatS FALSE }");
    /* Upper left, (0, 0) of glTF, is (0, 1) of VRML97. Of the second material (2, 0) is turned by 0.5 and stretched by
     * 2 along u: 0.25 + 4 cos 0.5, and 1 - (-4 sin 0.5). */
    expect(text, "texCoord TextureCoordinate { point [\n");
    expect(text, "0.25 1\n");
    expect(text, "3.7603302 2.9177022\n");
    free(text);
    for (uint32_t i = 0; i < 2; i++) {
        char *bytes = read_whole(names[i], &image_size);
        const cp_image *image = &scene->images[2 * i];
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
    text = read_whole("d_cell/cell_box.wrl", &size);
    expect(text, "texture ImageTexture { url \"../cell_checker.png\" }");
    free(text);
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* A stream has nothing beside it; an image of another type is none; a mesh without coordinates has no texture. */
static void test_what_is_not_shown(void **unused)
{
    (void)unused;
    read_textured();
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "vrml97", NULL, 0, &bytes, &size), CP_OK);
    assert_int_equal(count_of(context, "vrml97-textures"), 3);
    cp_free(context, bytes, size);

    cp_report_clear(context);
    char path[256];
    (void)strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/cell.wrl", folder);
    scene->images[2].type = "image/webp";
    assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
    assert_int_equal(count_of(context, "vrml97-image-type"), 1);
    scene->meshes[0].coordinates[0] = scene->meshes[0].coordinates[1] = NULL;
    assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
    char *text = read_whole("cell.wrl", &size);
    assert_null(strstr(text, "ImageTexture"));
    free(text);
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_images_beside_the_world, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_shown, set_up, tear_down),
    };
    if (!mkdtemp(folder))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

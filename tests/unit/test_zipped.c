/* ZIP archives with one model: it is read, and the files that it names come from the archive, by the same rules as on a
 * disk. Models of several kinds, written by hand. */
#include "assimp_support.h"

#include <zlib.h>

#include "zip_writer.h"

#define STL                                                                                                            \
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\nvertex 0 3 0\nendloop\nendfacet\nendsolid "  \
    "a\n"
#define OBJ(library) "mtllib " library "\nv 0 0 0\nv 2 0 0\nv 0 3 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n"
#define MTL(image) "newmtl m\nmap_Kd " image "\n"
#define PNG(name) "\x89PNG\r\n\x1a\n" name
#define AC(image)                                                                                                      \
    "AC3Db\nMATERIAL \"m\" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\nOBJECT world\nkids 1\nOBJECT "     \
    "poly\nname \"p\"\ntexture \"" image "\"\nnumvert 3\n0 0 0\n2 0 0\n0 3 0\nnumsurf 1\nSURF 0x20\nmat 0\nrefs "      \
    "3\n0 0 0\n1 1 0\n2 0 1\nkids 0\n"
/* The image's bytes are a buffer's, so that the buffer is found, too. */
#define GLTF(buffer)                                                                                                   \
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"          \
    "{\"POSITION\":0}}]}],\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"images\":["         \
    "{\"bufferView\":0,\"mimeType\":\"image/png\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":9}],\"buffers\":["   \
    "{\"uri\":\"" buffer "\",\"byteLength\":9}]}"

struct file {
    const char *name, *text;
};
enum { MOST_FILES = 5 };

static void put_files(struct bytes *zip, const struct file *files, bool deflate)
{
    struct bytes directory = {.size = 0};
    unsigned count = 0;
    zip->size = 0;
    for (; count < MOST_FILES && files[count].name; count++)
        put_zipped(zip, &directory, files[count].name, files[count].text, deflate);
    end_zip(zip, &directory, count);
}

static cp_status read_zip(cp_context *context, const struct bytes *zip, const char *format, cp_scene **scene)
{
    cp_report_clear(context);
    return cp_read_memory(context, zip->data, zip->size, "a.zip", format, NULL, 0, scene);
}

static const struct found {
    struct file files[MOST_FILES];
    const char *format; /* of the model */
    const char *image;  /* its last bytes; NULL: none */
    int told;           /* names that other systems have written */
} found[] = {
    {{{"part.stl", STL}}, "stl", NULL, 0},
    {{{"readme.txt", "a part"}, {"sub/", ""}, {"sub/deep/PART.STL", STL}}, "stl", NULL, 0},
    {{{"sub\\part.Stl", STL}, {"__MACOSX/sub/._part.stl", "resources"}, {".part.stl", "hidden"}}, "stl", NULL, 0},
    {{{"part.obj", OBJ("a.mtl")}, {"a.mtl", MTL("a.png")}, {"a.png", PNG("A")}}, "obj", "A", 0},
    {{{"m/part.obj", OBJ("lib/a.mtl")}, {"m/lib/a.mtl", MTL("../../tex/a.png")}, {"tex/a.png", PNG("B")}},
     "obj",
     "B",
     0},
    {{{"m\\part.obj", OBJ("lib\\a.mtl")}, {"m\\lib\\a.mtl", MTL("..\\..\\tex\\a.png")}, {"tex\\a.png", PNG("C")}},
     "obj",
     "C",
     0},
    {{{"part.obj", OBJ("A.MTL")}, {"a.mtl", MTL("C:\\x\\a.PNG")}, {"a.png", PNG("D")}}, "obj", "D", 2},
    {{{"part.obj", OBJ("a.mtl")}, {"a.mtl", MTL("a.png")}, {"A.PNG", PNG("E")}, {"a.PNG", PNG("F")}}, "obj", "E", 1},
    {{{"part.obj", OBJ("a.mtl")}, {"A.MTL", "newmtl n"}, {"a.mtl", MTL("a%20b.png")}, {"a b.png", PNG("G")}},
     "obj",
     "G",
     0},
    {{{"part.gltf", GLTF("a%20b.bin")}, {"A B.bin", "not this"}, {"a b.bin", PNG("H")}}, "gltf", "H", 0},
    {{{"g/part.gltf", GLTF("./x/../a%20b.bin")}, {"g/a%20b.bin", PNG("I")}}, "gltf", "I", 0},
    {{{"m/part.ac", AC("t/a.png")}, {"m/t/a.png", PNG("J")}, {"t/a.png", PNG("K")}}, "ac3d", "J", 0},
    {{{"m/part.ac", AC("T\\A.png")}, {"m/t/a.png", PNG("L")}}, "ac3d", "L", 1},
    {{{"cell.xml", "<ProximitySetup/>"}, {"part.off", "OFF\n3 1 0\n0 0 0\n2 0 0\n0 3 0\n3 0 1 2\n"}}, "off", NULL, 0},
};

static void test_models(void **state)
{
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        for (int way = 0; way < 4; way++) {
            const struct found *it = &found[i];
            struct bytes zip;
            cp_scene *scene;
            uint32_t count;
            put_files(&zip, it->files, way % 2);
            cp_set_flag(*state, CP_FLAG_ISOLATE, way / 2);
            if (read_zip(*state, &zip, NULL, &scene) != CP_OK) {
                show_report(*state);
                fail_msg("%s", it->files[0].name);
            }
            const cp_mesh *mesh = cp_meshes(scene, &count);
            assert_int_equal(count, 1);
            assert_int_equal(mesh->vertex_count, 3);
            assert_string_equal(cp_scene_source(scene)->format, it->format);
            const cp_image *image = cp_images(scene, &count);
            assert_int_equal(count, it->image ? 1 : 0);
            if (it->image && (image->size != 9 || image->bytes[8] != (unsigned char)*it->image))
                fail_msg("%s: not the image %s", it->files[0].name, it->image);
            assert_int_equal(count_entries(*state, CP_WARNING, "source-beside"), it->told);
            assert_int_equal(count_entries(*state, CP_LOSS, "obj-file-missing"), 0);
            cp_scene_free(scene);
        }
}

static const struct refused {
    struct file files[MOST_FILES];
    const char *format, *code, *words;
} refused[] = {
    {{{"a.stl", STL}, {"b/c.obj", OBJ("x")}}, NULL, "read-several", "2 models: \"a.stl\", \"b/c.obj\";"},
    {{{"a.stl", STL}, {"b.STL", STL}, {"c.off", "OFF"}}, "stl", "read-several", "2 models: \"a.stl\", \"b.STL\";"},
    {{{"readme.txt", "no part"}}, NULL, "read-known", "without a part"},
    {{{"a.zip", "PK\3\4"}}, NULL, "read-known", "without a part"},
    {{{"a.stl", "no facets"}}, NULL, "stl-", ""},
};

static void test_refused(void **state)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct bytes zip;
        cp_scene *scene;
        size_t count;
        put_files(&zip, refused[i].files, true);
        assert_int_equal(read_zip(*state, &zip, refused[i].format, &scene), CP_INPUT);
        const cp_entry *entries = cp_report(*state, &count);
        bool hit = false;
        for (size_t k = 0; k < count; k++)
            hit |= strncmp(entries[k].code, refused[i].code, strlen(refused[i].code)) == 0 &&
                   strstr(entries[k].text, refused[i].words);
        if (!hit) {
            show_report(*state);
            fail_msg("not the message %s", refused[i].code);
        }
    }
    /* A format chooses between models. */
    struct bytes zip;
    cp_scene *scene;
    put_files(&zip, refused[0].files, false);
    assert_int_equal(read_zip(*state, &zip, "stl", &scene), CP_OK);
    assert_string_equal(cp_scene_source(scene)->format, "stl");
    cp_scene_free(scene);
}

/* What the model cannot do without is an error, a picture is not. What leads out of the archive is not there. */
static void test_parts(void **state)
{
    static const struct file outside[] = {{"m/part.obj", OBJ("../../a.mtl")}, {"a.mtl", MTL("a.png")}, {NULL, NULL}};
    static const struct file around[] = {{"part.obj", OBJ("PART.OBJ")}, {NULL, NULL}};
    struct bytes zip;
    cp_scene *scene;
    put_files(&zip, outside, false);
    assert_int_equal(read_zip(*state, &zip, NULL, &scene), CP_OK);
    assert_int_equal(count_entries(*state, CP_LOSS, "obj-file-missing"), 1);
    cp_scene_free(scene);
    put_files(&zip, around, false);
    assert_int_equal(read_zip(*state, &zip, NULL, &scene), CP_OK);
    assert_int_equal(count_entries(*state, CP_WARNING, "source-cycle"), 1);
    cp_scene_free(scene);
    for (unsigned file = 0; file < 3; file++) { /* one of them is encrypted */
        unsigned at = 0;
        put_files(&zip, found[3].files, true);
        for (size_t i = 0; i + 8 < zip.size; i++)
            if (memcmp(zip.data + i, "PK\1\2", 4) == 0 && at++ == file)
                zip.data[i + 8] |= 1;
        assert_int_equal(read_zip(*state, &zip, NULL, &scene), file < 2 ? CP_INPUT : CP_OK);
        assert_int_equal(count_entries(*state, file < 2 ? CP_ERROR : CP_WARNING, "source-packed"), 1);
        assert_non_null(strstr(find_last_entry(*state, "source-packed")->text, "encrypted"));
        cp_scene_free(scene);
    }
}

/* No archive that breaks off is read, and no change of a bit does more than refuse it. */
static void test_damage(void **state)
{
    struct bytes zip, changed;
    cp_scene *scene;
    for (int deflate = 0; deflate < 2; deflate++) {
        put_files(&zip, found[3].files, deflate);
        for (size_t size = 4; size < zip.size; size++) {
            changed = zip;
            changed.size = size;
            assert_int_equal(read_zip(*state, &changed, NULL, &scene), CP_INPUT);
        }
        for (size_t i = 4; i < zip.size; i++) {
            changed = zip;
            changed.data[i] ^= 1;
            cp_status status = read_zip(*state, &changed, NULL, &scene);
            bool is_bomb = status == CP_LIMIT && count_entries(*state, CP_ERROR, "source-ratio") == 1;
            assert_true(status == CP_OK || status == CP_INPUT || is_bomb); /* by the size that it tells */
            cp_scene_free(scene);
        }
    }
}

/* Some kB that become 40 MB, which are refused before they are expanded, and more bytes in all than may be. */
static void test_bombs(void **state)
{
    enum { PIECE = 1 << 20, PIECES = 40 };
    static unsigned char blanks[PIECE], packed[1 << 16];
    struct bytes zip = {.size = 0}, directory = {.size = 0};
    z_stream stream = {.next_out = packed, .avail_out = sizeof packed};
    cp_scene *scene;
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
    memset(blanks, ' ', PIECE);
    for (int i = 0; i < PIECES; i++) {
        stream.next_in = blanks;
        stream.avail_in = PIECE;
        (void)deflate(&stream, i + 1 < PIECES ? Z_NO_FLUSH : Z_FINISH);
    }
    size_t size = stream.total_out;
    assert_int_equal(deflateEnd(&stream), Z_OK);
    assert_true(size < sizeof packed - 200);
    put_zipped(&zip, &directory, "a.stl", "", true);
    zip.size -= 5; /* the empty block of that */
    put_text(&zip, (const char *)packed, size);
    size_t end = zip.size;
    assert_int_equal(cp_set_limit(*state, "memory=4MiB"), CP_OK);
    for (int lies = 0; lies < 2; lies++) {
        for (int i = 0; i < 2; i++) { /* sizes in both headers: packed, expanded */
            unsigned char *at = i ? directory.data + 20 : zip.data + 18;
            const uint32_t numbers[] = {(uint32_t)size, lies ? 1000 : PIECE * PIECES};
            for (int k = 0; k < 8; k++)
                at[k] = (unsigned char)(numbers[k / 4] >> 8 * (k % 4));
        }
        zip.size = end;
        end_zip(&zip, &directory, 1);
        assert_int_equal(read_zip(*state, &zip, NULL, &scene), lies ? CP_INPUT : CP_LIMIT);
        assert_int_equal(count_entries(*state, CP_ERROR, lies ? "source-packed" : "source-ratio"), 1);
    }
    assert_int_equal(cp_set_limit(*state, "memory=1GiB"), CP_OK);
    for (int deflate = 0; deflate < 2; deflate++) {
        put_files(&zip, found[3].files, deflate);
        assert_int_equal(cp_set_limit(*state, "expanded-bytes=97"), CP_OK); /* more than each, less than all */
        assert_int_equal(read_zip(*state, &zip, NULL, &scene), CP_LIMIT);
        assert_int_equal(count_entries(*state, CP_ERROR, "source-expanded"), 1);
        assert_int_equal(cp_set_limit(*state, "expanded-bytes=98"), CP_OK);
        assert_int_equal(read_zip(*state, &zip, NULL, &scene), CP_OK);
        cp_scene_free(scene);
    }
    assert_int_equal(cp_set_limit(*state, "files=1"), CP_OK);
    assert_int_equal(read_zip(*state, &zip, NULL, &scene), CP_LIMIT);
    assert_int_equal(count_entries(*state, CP_ERROR, "source-files"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_models), TEST(test_refused), TEST(test_parts), TEST(test_damage), TEST(test_bombs),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}

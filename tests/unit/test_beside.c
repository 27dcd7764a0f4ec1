/* Names that were written on another computer: the file beside the model that each means, in every format by the same
 * rule; and that nothing else becomes readable by it. */
#define _GNU_SOURCE /* memmem */
#include "assimp_support.h"

#include <sys/stat.h>
#include <unistd.h>

static void put(const char *name, const char *head, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    assert_true(fputs(head, file) >= 0 && fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Images say where they are. */
static const char *const images[] = {"outer.png", "m/tex.png", "m/My Tex.png", "m/50%.png", "m/both.png", "m/Both.png",
                                     "m/BOTH.png", "m/Sub/A.png", "m/b.png", "m/SUB2/c.png", "m/sub2/d.png",
                                     "m/a%20b.png",
                                     /* names that mean themselves, beside others that differ from them */
                                     "m/r%20s.png", "m/R S.png", "m/e f.png", "m/E%20F.png", "m/g%20h.png", "m/g h.png",
                                     "m/G H.png", "m/I J.png", "m/K%20L.png", "m/sub2/n%20o.png", "m/sub2/N O.png"};
enum { IMAGES = sizeof images / sizeof *images };
static const char *const folders[] = {"m", "m/Sub", "m/SUB2", "m/sub2", "m/gone.png"};
enum { FOLDERS = sizeof folders / sizeof *folders };

static const char *wanted_file; /* of the name at hand; NULL: none */

static int make_files(void **state)
{
    assert_int_equal(open_folder(state), 0);
    for (int i = 0; i < FOLDERS; i++)
        assert_int_equal(mkdir(path_of(folders[i]), 0700), 0);
    for (int i = 0; i < IMAGES; i++)
        put(images[i], "\x89PNG\r\n\x1a\n", images[i]);
    assert_int_equal(symlink("../outer.png", path_of("m/Link.png")), 0);
    return 0;
}

static int remove_files(void **state)
{
    static const char *const models[] = {"m/a.obj", "m/a.mtl", "m/a.gltf", "m/a.dae", "m/Link.png"};
    int failed = 0;
    for (int i = 0; i < 5; i++)
        failed |= remove(path_of(models[i]));
    for (int i = 0; i < IMAGES; i++)
        failed |= remove(path_of(images[i]));
    for (int i = FOLDERS; i-- > 0;)
        failed |= remove(path_of(folders[i]));
    return failed | close_folder(state);
}

static void put_obj(const char *name)
{
    put("m/a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n", "");
    put("m/a.mtl", "newmtl m\nmap_Kd ", name);
}

/* As a string of JSON has it. */
static const char *escape(const char *name)
{
    static char escaped[256];
    char *out = escaped;
    for (; *name; name++) {
        if (*name == '\\')
            *out++ = '\\';
        *out++ = *name;
    }
    *out = '\0';
    return escaped;
}

static void put_gltf(const char *name)
{
    char text[512];
    (void)snprintf(text, sizeof text, "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"%s\"}]}", escape(name));
    put("m/a.gltf", text, "");
}

static void put_dae(const char *name)
{
    static char text[2048];
    (void)snprintf(
        text, sizeof text,
        "<library_images><image id='i'><init_from>%s</init_from></image></library_images><library_effects>"
        "<effect id='e'><profile_COMMON><newparam sid='s'><surface type='2D'><init_from>i</init_from></surface>"
        "</newparam><newparam sid='t'><sampler2D><source>s</source></sampler2D></newparam><technique sid='c'><phong>"
        "<diffuse><texture texture='t' texcoord='u'/></diffuse></phong></technique></profile_COMMON></effect>"
        "</library_effects><library_materials><material id='m' name='m'><instance_effect url='#e'/></material>"
        "</library_materials><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='9'>"
        "0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source='#pa' count='3' stride='3'>"
        "<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"
        "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
        "<triangles count='1' material='s'><input semantic='VERTEX' source='#v' offset='0'/><input semantic='TEXCOORD' "
        "source='#p' offset='0'/>"
        "<p>0 1 2</p></triangles>"
        "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='S'><node id='n' name='n'>"
        "<instance_geometry url='#g'><bind_material><technique_common><instance_material symbol='s' target='#m'/>"
        "</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes><scene>"
        "<instance_visual_scene url='#S'/></scene></COLLADA>",
        name);
    put("m/a.dae",
        "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>"
        "<up_axis>Z_UP</up_axis></asset>",
        text);
}

/* The image is all of a buffer. */
static void put_gltf_buffer(const char *name)
{
    struct stat info;
    char text[512];
    assert_int_equal(stat(path_of(wanted_file), &info), 0);
    (void)snprintf(
        text, sizeof text,
        "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"bufferView\":0,\"mimeType\":\"image/png\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%d}],\"buffers\":[{\"byteLength\":%d,\"uri\":\"%s\"}]}",
        (int)info.st_size, (int)info.st_size, escape(name));
    put("m/a.gltf", text, "");
}

static const struct format {
    const char *model;
    void (*put)(const char *name);
} formats[] = {{"m/a.obj", put_obj}, {"m/a.gltf", put_gltf}, {"m/a.gltf", put_gltf_buffer}, {"m/a.dae", put_dae}};
enum { OBJ, GLTF, GLTF_BUFFER, DAE, FORMATS };

static const struct name {
    const char *name, *found; /* NULL: no file */
    bool told;
} spellings[] = {
    {"tex.png", "m/tex.png", false},
    {"TEX.PNG", "m/tex.png", true},
    {"C:\\Users\\x\\Desktop\\tex.png", "m/tex.png", true},
    {"c:/Users/x/My Tex.png", "m/My Tex.png", true},
    {"C:tex.png", "m/tex.png", true},
    {"\\\\server\\share\\TEX.png", "m/tex.png", true},
    {"/home/nobody/of/this/name/tex.png", "m/tex.png", true},
    {"file:///C:/x/my%20tex.png", "m/My Tex.png", true},
    {"file:///nowhere/50%25.png", "m/50%.png", true},
    {"both.png", "m/both.png", false},
    {"bOTH.png", "m/BOTH.png", true}, /* B comes before b */
    {"sub\\a.PNG", "m/Sub/A.png", true},
    {".\\SUB\\..\\sub\\A.png", "m/Sub/A.png", true},
    {"sub2/c.png", NULL, false}, /* a folder of that very name is the one that is meant */
    {"SUB2/c.png", "m/SUB2/c.png", false},
    {"Gone.png", NULL, false}, /* a folder */
    {"D:\\x\\none.png", NULL, false},
    {"http://example.org/tex.png", NULL, false},
    {"package://none/tex.png", NULL, false},
    {"..\\OUTER.png", NULL, false},
    {"sub/../../OUTER.png", NULL, false},
    {"link.PNG", NULL, false}, /* leads out of the folder */
    {"%6dy%20tex.png", "m/My Tex.png", true},
};

static const struct name escaped[] = {
    {"a%20b.png", "m/a%20b.png", false},
    {"50%.png", "m/50%.png", false},
    {"r%20s.png", "m/r%20s.png", false}, /* not "R S.png" */
    {"e%20f.png", "m/e f.png", false},   /* not "E%20F.png" */
    {"i%20j.png", "m/I J.png", true},
    {"k%20l.png", "m/K%20L.png", true},
    {"sub2/n%20o.png", "m/sub2/n%20o.png", false},
};

/* Where both are there, MTL means the name as it stands, and a URI the decoded one (RFC 3986, section 2.4). */
static const struct name both_in_obj = {"g%20h.png", "m/g%20h.png", false},
                         both_in_gltf = {"g%20h.png", "m/g h.png", false};

static void check_name(const struct name *name, const struct format *format)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    uint32_t count;
    wanted_file = name->found;
    format->put(name->name);
    assert_int_equal(cp_read(context, path_of(format->model), NULL, NULL, 0, &scene), CP_OK);
    const cp_image *image = cp_images(scene, &count);
    assert_int_equal(count, 1);
    const char *found = image->bytes ? (const char *)image->bytes + 8 : "nothing";
    size_t size = image->bytes ? image->size - 8 : strlen(found);
    const char *wanted = name->found ? name->found : "nothing";
    if (size != strlen(wanted) || memcmp(found, wanted, size) != 0 ||
        count_entries(context, CP_WARNING, "source-beside") != name->told)
        fail_msg("%s in %s: %.*s, not %s", name->name, format->model, (int)size, found, wanted);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        for (int k = 0; k < FORMATS; k++)
            if (k != GLTF_BUFFER || spellings[i].found) /* a buffer that is missing is an error */
                check_name(&spellings[i], &formats[k]);
    for (size_t i = 0; i < sizeof escaped / sizeof *escaped; i++)
        for (int k = 0; k < FORMATS; k++)
            check_name(&escaped[i], &formats[k]);
    check_name(&both_in_obj, &formats[OBJ]);
    check_name(&both_in_gltf, &formats[GLTF]);
    check_name(&both_in_gltf, &formats[GLTF_BUFFER]);
}

static void put_obj_alone(const char *library)
{
    put("m/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\nmtllib ", library);
}

/* Reads the model, whose file "s.mtl", "s.png" or "s.bin" is there in another case alone, and is no file to be read. It
 * is as missing as without, and a warning with the code says why. */
static void check_missing(const char *model, cp_status status, const char *code, const char *missing)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    assert_int_equal(cp_read(context, path_of(model), NULL, NULL, 0, &scene), status);
    if (code && count_entries(context, CP_WARNING, code) != 1)
        fail_msg("%s: not one warning %s", model, code);
    assert_int_equal(count_entries(context, CP_WARNING, "source-beside"), 0);
    assert_non_null(find_last_entry(context, missing));
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_other_things(void **state)
{
    (void)state;
    static const char *const names[] = {"m/S.MTL", "m/S.PNG", "m/S.BIN"};
    enum { PIPE, FOLDER, LOOP, OUTSIDE, KINDS };
    static const char *const codes[KINDS] = {"source-irregular", NULL, "source-open", "source-confined"};
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < 3; i++)
            assert_int_equal(kind == PIPE ? mkfifo(path_of(names[i]), 0600)
                             : kind == FOLDER
                                 ? mkdir(path_of(names[i]), 0700)
                                 : symlink(kind == LOOP ? names[i] + 2 : "../outer.png", path_of(names[i])),
                             0);
        put_obj_alone("s.mtl");
        check_missing("m/a.obj", CP_OK, codes[kind], "obj-file-missing");
        put_obj("s.png");
        check_missing("m/a.obj", CP_OK, codes[kind], "obj-image");
        put_gltf("s.png");
        check_missing("m/a.gltf", CP_OK, codes[kind], "gltf-image-missing");
        put_dae("s.png");
        check_missing("m/a.dae", CP_OK, codes[kind], "collada-image");
        wanted_file = "m/tex.png"; /* for its size */
        put_gltf_buffer("s.bin");
        check_missing("m/a.gltf", CP_INPUT, codes[kind], "gltf-buffer-missing");
        for (int i = 0; i < 3; i++)
            assert_int_equal(remove(path_of(names[i])), 0);
    }
    put_obj_alone("A.OBJ"); /* the model itself */
    check_missing("m/a.obj", CP_OK, "source-cycle", "obj-file-missing");
}

/* A delivered file does not name images that are nowhere; that is a loss. */
static void test_dropped(void **state)
{
    (void)state;
    static const char *const dead[] = {"http://example.org/tex.png", "model://nowhere/wheel.png", "none.png",
                                       "file:///nowhere/wheel.png", "D:\\x\\none.png"};
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene;
        char *bytes;
        size_t size;
        static const char *const option[] = {"profile=deliver"};
        put_obj(dead[i]);
        assert_int_equal(cp_read(context, path_of("m/a.obj"), NULL, NULL, 0, &scene), CP_OK);
        assert_int_equal(cp_write_memory(context, scene, "glb", option, 1, (void **)&bytes, &size), CP_OK);
        assert_int_equal(count_lost(context, "gltf-image-type"), 1);
        assert_null(memmem(bytes, size, "\"images\"", 8));
        assert_null(memmem(bytes, size, "\"textures\"", 10));
        cp_free(context, bytes, size);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_other_things),
        cmocka_unit_test(test_dropped),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, make_files, remove_files);
}

/* Where devices' and parts' files are looked for, how often they are read, and in which colour they are shown. */
#include <math.h>

#include "deneb_support.h"

/* A part whose mesh is named so, with the colours given ("" for none) of the part and of its object. */
static void write_part(const char *path, const char *name, const char *colour, const char *object_colour)
{
    struct text text = {0};
    print(
        &text,
        "DCT PART 1.0\n%s\nOBJECT \"%s\"\n%s\nPOINTS 3\n 0 0 0 1 0 0 0 1 0\nPOLYGONS 1\n 3 0 1 2\nLINES 1\n 0 1\nEND\n",
        colour, name, object_colour);
    write_file(path, text.data);
    free_text(&text);
}

static void write_device(const char *path, const char *part)
{
    struct text text = {0};
    print(&text, "DCT DEVICE 1.0\nDEVICE d\nPART \"%s\" ATTACH 0\nEND\n", part);
    write_file(path, text.data);
    free_text(&text);
}

/* ---- where ---- */

struct search {
    const char *files[6]; /* all of them are there; each holds its own path as its name */
    const char *name;     /* what is looked for; quotes and backslashes as they stand in the file */
    const char *found;    /* NULL: it is missing */
    const char *paths;    /* the paths file, or NULL */
    const char *include;  /* a folder_path() of -I, or NULL */
};

static const struct search searches[] = {
    /* the folder_path() of the file that names it, its suffixes in their order, then letters */
    {{"arm.dcp"}, "arm.dcp", "arm.dcp", NULL, NULL},
    {{"arm.dcp", "arm.pdb", "arm.part", "arm.dct"}, "arm", "arm.dcp", NULL, NULL},
    {{"arm.part", "arm.dct", "arm.pdb"}, "arm", "arm.pdb", NULL, NULL},
    {{"arm.dct", "arm.part"}, "arm", "arm.part", NULL, NULL},
    {{"arm.dct"}, "arm", "arm.dct", NULL, NULL},
    {{"arm", "arm.dcp"}, "arm", "arm", NULL, NULL},
    {{"arm/other.dcp", "arm.dcp"}, "arm", "arm.dcp", NULL, NULL},
    {{"arm.dcp", "ARM.DCP"}, "Arm", "arm.dcp", NULL, NULL},
    {{"ARM.DCP"}, "Arm", "ARM.DCP", NULL, NULL},
    {{"ARM.DCP", "Arm.dct"}, "Arm", "Arm.dct", NULL, NULL},
    {{"sub/ARM.DCP"}, "sub/Arm", "sub/ARM.DCP", NULL, NULL},
    {{"ARM.DCP"}, "arm.stl", NULL, NULL, NULL},
    {{"sub/arm.dcp"}, "arm", NULL, NULL, NULL},
    {{"two words.dcp"}, "two words", "two words.dcp", NULL, NULL},
    /* how it is written */
    {{"sub/arm.dcp"}, "sub\\arm", "sub/arm.dcp", NULL, NULL},
    {{"sub/arm.dcp"}, "C:sub\\arm.dcp", "sub/arm.dcp", NULL, NULL},
    {{"sub/arm.dcp"}, "./sub/.././sub/arm", "sub/arm.dcp", NULL, NULL},
    {{"arm.dcp"}, "~/arm", NULL, NULL, NULL},
    {{"arm.dcp"}, "$CELLPIPE_TEST/arm", NULL, NULL, NULL},
    {{"arm.dcp"}, "", NULL, NULL, NULL},
    /* out of the folder_path() */
    {{"arm.dcp"}, "sub/../../arm", NULL, NULL, NULL},
    {{"arm.dcp"}, "..\\arm", NULL, NULL, NULL},
    /* -I, behind the own folder_path() and before those of the paths file */
    {{"inc/arm.dcp"}, "arm", "inc/arm.dcp", NULL, "inc"},
    {{"inc/arm.dcp", "arm.dcp"}, "arm", "arm.dcp", NULL, "inc"},
    {{"inc/arm.dcp", "p/arm.dcp"}, "arm", "inc/arm.dcp", "DCT PATHS 1.0\nPARTS p\n", "inc"},
    {{"inc/arm.dcp", "p/arm"}, "arm", "p/arm", "DCT PATHS 1.0\nPARTS p\n", "inc"},
    /* the paths file, in both forms */
    {{"p/arm.dcp", "q/arm.dcp"}, "arm", "p/arm.dcp", "DCT PATHS 1.0\nPARTS \"p\"\nPARTS q\n", NULL},
    {{"p/arm.dcp", "q/arm.dcp"}, "arm", "q/arm.dcp", "DCT PATHS 1.0\nDEVICES p\nPARTS q\n", NULL},
    {{"p/arm.dcp"}, "arm", NULL, "DCT PATHS 1.0\nDEVICES p\n", NULL},
    {{"q/arm.dcp"}, "arm", "q/arm.dcp", "# folders\r\n\r\n  p  # none such\r\n\tq/ \r\n", NULL},
    {{"p q/arm.dcp"}, "arm", "p q/arm.dcp", "p q", NULL},
    {{"p/arm.dcp"}, "arm", "p/arm.dcp", "\xef\xbb\xbfp\n\x1a", NULL},
    {{"p/arm.dcp"},
     "arm",
     "p/arm.dcp",
     "\xef\xbb\xbf"
     "DCT PATHS 1.0\nPARTS p\n\x1a",
     NULL},
    {{"p/\"odd/arm.dcp"}, "arm", "p/\"odd/arm.dcp", "p/\"odd\n", NULL},
    {{"p/arm.dcp"}, "arm", "p/arm.dcp", "DCT PATHS 1.0\nPARTS \"\"\nPARTS \"D:p\"\n", NULL},
    {{"p/q/arm.dcp"}, "arm", "p/q/arm.dcp", "p\\\\q\n", NULL},
    {{"p/q/arm.dcp"}, "q\\arm", "p/q/arm.dcp", "DCT PATHS 1.0\nPARTS \"p\"\n", NULL},
    {{"home/parts/arm.dcp"}, "arm", "home/parts/arm.dcp", "~/parts", NULL},
    {{"home/arm.dcp"}, "arm", "home/arm.dcp", "DCT PATHS 1.0\nPARTS ~\n", NULL},
    {{"home/p/arm.dcp"}, "arm", "home/p/arm.dcp", "$HOME\\p", NULL},
    {{"p/set/q/arm.dcp"}, "arm", "p/set/q/arm.dcp", "p/$CELLPIPE_TEST/q", NULL},
    {{"p/$CELLPIPE_UNSET/arm.dcp"}, "arm", "p/$CELLPIPE_UNSET/arm.dcp", "p/$CELLPIPE_UNSET", NULL},
    {{"a~b/$/arm.dcp"}, "arm", "a~b/$/arm.dcp", "a~b/$", NULL},
};

static void set_environment(void)
{
    char home[64];
    (void)snprintf(home, sizeof home, "%s/home", folder_path());
    assert_int_equal(setenv("HOME", home, 1), 0);
    assert_int_equal(setenv("CELLPIPE_TEST", "set", 1), 0);
    assert_int_equal(unsetenv("CELLPIPE_UNSET"), 0);
}

static cp_context *prepare(const struct search *search)
{
    char include[64];
    empty_folder();
    if (search->paths)
        write_file("paths", search->paths);
    cp_context *context = cp_context_new(NULL);
    (void)snprintf(include, sizeof include, "%s/%s", folder_path(), search->include ? search->include : "");
    if (search->include)
        assert_int_equal(cp_add_include_folder(context, include), CP_OK);
    return context;
}

/* The name as it stands in a string of the file. */
static const char *escape(const char *name, char out[128])
{
    char *end = out;
    for (; *name; name++) {
        if (*name == '\\' || *name == '"')
            *end++ = '\\';
        *end++ = *name;
    }
    *end = '\0';
    return out;
}

static void test_parts(void **state)
{
    (void)state;
    set_environment();
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        const struct search *search = &searches[i];
        struct text text = {0};
        char name[128], wanted[128];
        uint32_t count;
        cp_context *context = prepare(search);
        for (int k = 0; k < 6 && search->files[k]; k++)
            write_part(search->files[k], escape(search->files[k], wanted), "", "");
        print(&text, "DCT DEVICE 1.0\nDEVICE d\nPART p FILE \"%s\" ATTACH 1\nPART last ATTACH 00\nEND\n",
              escape(search->name, name));
        cp_scene *scene = must_read(context, text.data, search->paths ? "paths=paths" : NULL);
        const cp_mesh *meshes = cp_meshes(scene, &count);
        const char *found = count > 0 ? meshes[0].name : NULL;
        if (!found != !search->found || (found && strcmp(found, search->found) != 0)) {
            show_report(context);
            fail_msg("search %zu for \"%s\": %s, not %s", i, search->name, found ? found : "none",
                     search->found ? search->found : "none");
        }
        assert_int_equal(count_entries(context, CP_WARNING, "deneb-missing"), 0);
        assert_int_equal(count_lost(context, "deneb-missing"), !search->found);
        assert_int_equal(was_reported(context, "deneb-outside"), i == 20 || i == 21);
        (void)cp_nodes(scene, &count);
        assert_int_equal(count, 4); /* parts keep their numbers */
        cp_scene_free(scene);
        cp_context_free(context);
        free_text(&text);
    }
}

static void test_devices(void **state)
{
    (void)state;
    static const struct search cases[] = {
        {{"arm.dcd", "arm.dct"}, "arm", "arm.dcd", NULL, NULL},
        {{"arm.dct"}, "arm", "arm.dct", NULL, NULL},
        {{"ARM.DCD"}, "Arm", "ARM.DCD", NULL, NULL},
        {{"inc/arm.dcd"}, "arm", "inc/arm.dcd", NULL, "inc"},
        {{"p/arm.dcd", "q/arm.dcd"}, "arm", "q/arm.dcd", "DCT PATHS 1.0\nPARTS p\nDEVICES q\n", NULL},
        {{"p/arm.dcd"}, "arm", "p/arm.dcd", "p", NULL},
        {{"p/arm.dcd"}, "arm", NULL, "DCT PATHS 1.0\nPARTS p\n", NULL},
        {{"arm.pdb"}, "arm", NULL, NULL, NULL},
    };
    set_environment();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        char option[] = "paths=paths";
        cp_scene *scene;
        cp_context *context = prepare(&cases[i]);
        for (int k = 0; k < 6 && cases[i].files[k]; k++)
            write_device(cases[i].files[k], cases[i].files[k]);
        print(&text, "DCT WORKCELL 1.0\nDEVICES\nDEVICE a FILE \"%s\"\nEND\nEND\n", cases[i].name);
        cp_status status = read_here(context, text.data, cases[i].paths ? option : NULL, &scene);
        assert_int_equal(status, cases[i].found ? CP_OK : CP_INPUT);
        if (cases[i].found)
            assert_int_equal(find_node(scene, cases[i].found), 2);
        else
            assert_non_null(strstr(find_entry(context, "deneb-device-file")->message, "cell.dct:3:15: error:"));
        cp_scene_free(scene);
        cp_context_free(context);
        free_text(&text);
    }
}

/* Parts are looked for from where the device's file is. A path out of there is followed only where that is asked
 * for. */
static void test_outside(void **state)
{
    (void)state;
    empty_folder();
    write_part("shared/arm.dcp", "shared", "", "");
    write_part("devices/arm.dcp", "own", "", "");
    write_file("devices/d.dcd", "DCT DEVICE 1.0\nDEVICE d\nPART a FILE \"..\\\\shared/arm\" ATTACH 1\n"
                                "PART b FILE arm ATTACH 00\nEND\n");
    const char *text = "DCT WORKCELL 1.0\nDEVICES\nDEVICE a FILE devices/d\nEND\nEND\n";
    uint32_t count;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(context, text, NULL);
    assert_string_equal(cp_meshes(scene, &count)[0].name, "own");
    assert_int_equal(count, 2);
    assert_non_null(strstr(find_entry(context, "deneb-outside")->message, "outside=yes"));
    cp_scene_free(scene);
    assert_int_equal(read_here(context, text, "strict=yes", &scene), CP_INPUT);
    cp_report_clear(context);
    scene = must_read(context, text, "outside=yes");
    assert_string_equal(cp_meshes(scene, &count)[0].name, "shared");
    assert_int_equal(count, 4);
    assert_false(was_reported(context, "deneb-outside"));
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- how often ---- */

static void test_sharing(void **state)
{
    (void)state;
    enum { PARTS = 100 };
    struct text text = {0};
    uint32_t count;
    empty_folder();
    write_part("arm.dcp", "arm", "COLOR 1 0 0", "");
    print(&text, "DCT DEVICE 1.0\nDEVICE d\n");
    for (int i = 0; i < PARTS; i++) /* in several spellings */
        print(&text, "PART p FILE %s ATTACH %s\n",
              i % 3 == 0   ? "arm"
              : i % 3 == 1 ? "arm.dcp"
                           : "ARM",
              i == 0          ? "1"
              : i + 1 < PARTS ? "01"
                              : "00");
    print(&text, "END\n");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(context, text.data, NULL);
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 2); /* its polygons, its lines */
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(count, 2 * PARTS);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(instances[i].use, instances[i].mesh == 0 ? CP_USE_BOTH : CP_USE_DRAWN);
    (void)cp_materials(scene, &count);
    assert_int_equal(count, 1);
    cp_scene_free(scene);
    cp_context_free(context);
    free_text(&text);
}

/* One device file for several devices, inline ones between them: global numbers go on. */
static void test_shared_devices(void **state)
{
    (void)state;
    empty_folder();
    write_part("devices/arm.dcp", "arm", "", "");
    write_file("devices/d.dcd", "DCT DEVICE 1.0\nUNIT m\nANGLE deg\nDEVICE file\n"
                                "MATRIX 1 0 0 0 0 1 0 0 0 0 1 0 0 0 7 1\nPART base FILE arm ATTACH 1\n"
                                "PART hand FILE arm ATTACH 00\nMATRIX 1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1\n"
                                "JOINT turn PART 1 TYPE ROTATE_Z INIT 90\nEND\n");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(
        context,
        "DCT WORKCELL 1.0\nDEVICES\nDEVICE a FILE devices/d\nMATRIX 1 0 0 0 0 1 0 0 0 0 1 0 500 0 0 1\nEND\n"
        "DEVICE mid\nPART plate ATTACH 0\nEND\nDEVICE b FILE devices/d.dcd\nEND\nDEVICE \"\" FILE devices\\d\nEND\n"
        "ATTACHMENTS 4\n -1 1 2 4\nEND\n",
        "strict=yes");
    uint32_t count;
    cp_pose worlds[16];
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 1 + 4 + 7);
    pose_scene(scene, NULL, worlds);
    uint32_t a = find_node(scene, "a"), b = find_node(scene, "b"), mid = find_node(scene, "mid");
    uint32_t last = find_node(scene, "file"); /* which has no name in the workcell */
    assert_int_equal(nodes[nodes[mid].parent].scope, nodes[a].scope);
    assert_string_equal(nodes[nodes[mid].parent].name, "hand");
    assert_string_equal(nodes[nodes[b].parent].name, "plate");
    assert_string_equal(nodes[nodes[last].parent].name, "hand");
    assert_int_equal(nodes[nodes[last].parent].scope, nodes[b].scope);
    assert_true(worlds[a].m[3] == 0.5 && worlds[a].m[11] == 0); /* the workcell's matrix holds */
    assert_true(worlds[b].m[11] == 1 + 7);                      /* where it says none, the file's */
    assert_true(fabs(worlds[last].m[11] - 16) < 1e-12);
    (void)cp_devices(scene, &count);
    assert_int_equal(count, 4);
    (void)cp_joints(scene, &count);
    assert_int_equal(count, 3);
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- colours ---- */

/* The red of what a part shows, 0 without a material. */
static double red_of(const cp_scene *scene, const char *part)
{
    uint32_t count, node = find_node(scene, part);
    const cp_node *owner = &cp_nodes(scene, &count)[node];
    assert_int_equal(owner->instance_count, 2);
    double red[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const cp_mesh *mesh =
            &cp_meshes(scene, &count)[cp_instances(scene, &count)[owner->first_instance + (uint32_t)i].mesh];
        if (mesh->group_count > 0)
            red[i] = cp_materials(scene, &count)[mesh->groups[0].material].rgba[0];
    }
    assert_true(red[0] == red[1]);
    return red[0];
}

static void test_colours(void **state)
{
    (void)state;
    empty_folder();
    write_part("none.dcp", "none", "", "");
    write_part("part.dcp", "part", "COLOR 0.25 0 0", "");
    write_part("both.dcp", "both", "COLOR 0.25 0 0", "COLOR 0.5 0 0");
    struct text text = {0};
    print(&text, "DCT DEVICE 1.0\nDEVICE d\n");
    static const char *const files[] = {"none", "part", "both"};
    for (int i = 0; i < 9; i++) /* without, in one colour, in another: in all orders */
        print(&text, "PART p%d FILE %s ATTACH %s\n%s\n", i, files[i % 3],
              i == 0  ? "1"
              : i < 8 ? "01"
                      : "00",
              (i + i / 3) % 3 == 0   ? ""
              : (i + i / 3) % 3 == 1 ? "COLOR 0.75 0 0"
                                     : "COLOR 1 0 0 0.5");
    print(&text, "END\n");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(context, text.data, "strict=yes");
    static const double own[] = {0, 0.25, 0.5}, given[] = {0, 0.75, 1};
    for (int i = 0; i < 9; i++) {
        char name[16];
        int colour = (i + i / 3) % 3;
        (void)snprintf(name, sizeof name, "p%d", i);
        assert_true(red_of(scene, name) == (colour > 0 ? given[colour] : own[i % 3]));
    }
    uint32_t count;
    (void)cp_materials(scene, &count);
    assert_int_equal(count, 4); /* two of parts, two of the device */
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 2 * 9); /* three files, each without and in two colours */
    cp_scene_free(scene);
    scene = must_read(context, text.data, "colour=part");
    for (int i = 0; i < 9; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "p%d", i);
        assert_true(red_of(scene, name) == own[i % 3]);
    }
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 2 * 3);
    cp_scene_free(scene);
    cp_context_free(context);
    free_text(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_devices),        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_sharing), cmocka_unit_test(test_shared_devices), cmocka_unit_test(test_colours),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}

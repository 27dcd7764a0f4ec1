/* The OBJ importer on small files whose content is worked out by hand. */
#include "assimp_support.h"

#include <sys/stat.h>

static cp_scene *read_obj(cp_context *context, const char *text)
{
    return read_scene(context, text, "part.obj", NULL);
}

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

/* ---- objects and meshes ---- */

static void test_plate(void **state)
{
    static const float plate[] = {0, 0,    0,    0.4f, 0, 0,    0.4f, 0.1f, 0, 0.1f, 0.1f,
                                  0, 0.1f, 0.3f, 0,    0, 0.3f, 0,    0,    0, 0.05f};
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 0, 1, 6}, offsets[] = {0, 6, 9}, outline[] = {0, 1, 2, 0};
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const double steel[4] = {0.5, 0.25, 0.125, 1}, glass[4] = {0, 0.5, 1, 0.25};
    uint32_t count;
    cp_scene *scene = read_path(*state, SAMPLES "/obj_plate.obj");
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 3);
    assert_string_equal(nodes[1].name, "Plate");
    assert_string_equal(nodes[2].name, "Outline");
    assert_int_equal(nodes[2].parent, 0);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_positions(&meshes[0], plate, 7);
    assert_corners(&meshes[0], corners, 9);
    assert_memory_equal(meshes[0].face_offsets, offsets, sizeof offsets);
    assert_null(meshes[0].normals);
    assert_int_equal(meshes[0].group_count, 2);
    assert_int_equal(meshes[0].groups[0].material, 0);
    assert_int_equal(meshes[0].groups[1].material, 1);
    assert_int_equal(meshes[1].kind, CP_MESH_LINES);
    assert_int_equal(meshes[1].vertex_count, 3);
    assert_corners(&meshes[1], outline, 4);
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(materials[0].name, "steel");
    assert_memory_equal(materials[0].rgba, steel, sizeof steel);
    assert_memory_equal(materials[1].rgba, glass, sizeof glass);
    assert_true(materials[0].srgb);
    expect_pose(&cp_instances(scene, &count)->transform, identity, 0);
    assert_true(cp_scene_source(scene)->unit == 1 && cp_scene_source(scene)->up == CP_UP_Z);
    cp_scene_free(scene);
}

/* Names with blanks; lines that end in LF, CR LF or CR; without a suffix the bytes tell. */
static void test_names(void **state)
{
    static const char text[] = "o Left arm\r\nv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n"
                               "o \t Left  hand \r\nf 1 3 2\r\no Base\nf 2 3 1\n";
    static const char old[] =
        "o Left arm\rv 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\ro \t Left  hand \rf 1 3 2\ro Base\rf 2 3 1\r";
    static const char *const names[] = {"Left arm", "Left  hand", "Base"};
    uint32_t count;
    for (int i = 0; i < 4; i++) {
        cp_scene *scene = read_scene(*state, i < 2 ? text : old, i % 2 ? "stdin" : "part.OBJ", NULL);
        assert_string_equal(cp_scene_source(scene)->format, "obj");
        const cp_node *nodes = cp_nodes(scene, &count);
        assert_int_equal(count, 4);
        const cp_mesh *meshes = cp_meshes(scene, &count);
        assert_int_equal(count, 3);
        for (int k = 0; k < 3; k++) {
            assert_string_equal(nodes[k + 1].name, names[k]);
            assert_string_equal(meshes[k].name, names[k]);
        }
        cp_scene_free(scene);
    }
}

/* Groups hang below their object; a name that comes again goes on; what is in neither has the file's name. */
static void test_groups(void **state)
{
    static const char text[] = TRIANGLE "f 1 2 3\ng loose\nf 1 2 3\no arm\ng hand\nf 1 2 3\ng\nf 1 2 3\ng nothing\n"
                                        "g hand\nf 1 3 2\no arm\nf 3 2 1\no empty\n";
    static const char *const names[] = {"WORLD", "part", "loose", "arm", "hand"};
    static const uint32_t parents[] = {CP_NONE, 0, 0, 0, 3}, faces[] = {1, 1, 2, 2};
    uint32_t count;
    cp_scene *scene = read_obj(*state, text);
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(nodes[i].name, names[i]);
        assert_int_equal(nodes[i].parent, parents[i]);
    }
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(meshes[i].face_count, faces[i]);
    cp_scene_free(scene);
}

/* ---- vertices and corners ---- */

/* Every form of a corner; texture coordinates that are not there; relative numbers; a line that goes on; comments;
 * faces before their vertices. */
static void test_corners(void **state)
{
    static const char *const faces[] = {"f 1 2 3\n",
                                        "f 1/1/1 2/2/2 3/3/3\n",
                                        "f 1/1 2/1 3/1\n",
                                        "f 1// 2// 3//\n",
                                        "f 1/ 2/ 3/\n",
                                        "f -3 -2 -1\n",
                                        "f -3/-1/-1 -2/-1/-1 -1/-1/-1\n",
                                        "f 1 2 \\\n3\n",
                                        "f 1 2 \\\r\n  3\r\n",
                                        "f\t1 2\t 3 \t\n",
                                        "f 1 2 3 # a face\n",
                                        "f 1 2 3 #\n",
                                        "  f 1 2 3",
                                        "fo 1 2 3\n"};
    static const uint32_t corners[] = {0, 1, 2};
    char text[256];
    uint32_t count;
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++)
        for (int before = 0; before < 2; before++) {
            if (before && strchr(faces[i], '-'))
                continue;
            (void)snprintf(text, sizeof text, "%s\n%s\n%s", before ? faces[i] : "", TRIANGLE, before ? "" : faces[i]);
            cp_scene *scene = read_obj(*state, text);
            const cp_mesh *mesh = cp_meshes(scene, &count);
            assert_int_equal(count, 1);
            assert_corners(mesh, corners, 3);
            assert_null(mesh->normals);
            assert_null(mesh->face_offsets);
            cp_scene_free(scene);
        }
}

/* Numbers as programs write them. */
static void test_numbers(void **state)
{
    static const char text[] = "v +1 -2. .5\nv 1e2 1.5E-3 -0\nv 0.1 123456789.123456789 1e-50 # far\nf 1 2 3\n";
    static const float positions[] = {1, -2, 0.5f, 100, 0.0015f, -0.0f, 0.1f, 123456789.123456789f, 0};
    cp_scene *scene = read_obj(*state, text);
    uint32_t count;
    assert_positions(cp_meshes(scene, &count), positions, 3);
    cp_scene_free(scene);
}

/* A range of vertices stays as it is; else they come in the order of their use, without those that nobody uses. */
static void test_vertices(void **state)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nv 2 2 2\no range\nf 3 1 2\no some\nf 5 1 3\n";
    static const uint32_t range[] = {2, 0, 1}, some[] = {0, 1, 2};
    static const float in_order[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, by_use[] = {2, 2, 2, 0, 0, 0, 0, 1, 0};
    uint32_t count;
    cp_scene *scene = read_obj(*state, text);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_positions(&meshes[0], in_order, 3);
    assert_corners(&meshes[0], range, 3);
    assert_positions(&meshes[1], by_use, 3);
    assert_corners(&meshes[1], some, 3);
    cp_scene_free(scene);
}

/* 0.2, 0.4, 0.8 by the sRGB formula: ((c + 0.055) / 1.055) ^ 2.4; white where there is none. */
static void test_colours(void **state)
{
    static const char *const texts[] = {"v 0 0 0 0.2 0.4 0.8\nv 1 0 0 1 0 0 0.5\nv 0 1 0\nf 1 2 3\n",
                                        "v 0 1 0\nv 0 0 0 51 102 204\nv 1 0 0 255 0 0\nf 2 3 1\n"};
    for (int i = 0; i < 2; i++) {
        uint32_t count;
        cp_scene *scene = read_obj(*state, texts[i]);
        const float *colours = cp_meshes(scene, &count)->colours, *first = colours + (i ? 4 : 0),
                    *white = colours + (i ? 0 : 8);
        assert_non_null(colours);
        assert_true(fabs((double)first[0] - 0.0331047666) < 1e-8);
        assert_true(fabs((double)first[1] - 0.1328683216) < 1e-8);
        assert_true(fabs((double)first[2] - 0.6038273389) < 1e-7);
        assert_true(first[3] == 1 && first[4] == 1 && first[5] == 0 && first[7] == (i ? 1 : 0.5f));
        for (int k = 0; k < 4; k++)
            assert_true(white[k] == 1);
        cp_scene_free(scene);
    }
}

/* ---- normals ---- */

/* A position with two normals is two vertices. */
static void test_normals(void **state)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 1\nvn 0 0 1\nvn 0 -2 0\n"
                               "f 1//1 2//1 3//1\nf 1//2 2//2 4//2\nf 1//1 3//1 2//1\n";
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 0, 2, 1};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, -1, 0, 0, -1, 0, 0, -1, 0};
    uint32_t count;
    cp_scene *scene = read_obj(*state, text);
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(mesh->vertex_count, 6);
    assert_corners(mesh, corners, 9);
    assert_memory_equal(mesh->normals, normals, sizeof normals);
    cp_scene_free(scene);
}

/* One normal a vertex: the vertices stay as they are, whatever the normals' order. */
static void test_smooth_normals(void **state)
{
    static const char text[] = TRIANGLE "vn 0 0 1\nvn 0 1 0\nvn 1 0 0\nf 3//1 1//2 2//3\n";
    static const uint32_t corners[] = {2, 0, 1};
    static const float normals[] = {0, 1, 0, 1, 0, 0, 0, 0, 1};
    uint32_t count;
    cp_scene *scene = read_obj(*state, text);
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_corners(mesh, corners, 3);
    assert_memory_equal(mesh->normals, normals, sizeof normals);
    cp_scene_free(scene);
}

/* Without direction, missing in a corner, not there: that of the face, and the others stay. */
static void test_mended_normals(void **state)
{
    static const char *const texts[] = {TRIANGLE "vn 1 0 0\nvn 0 0 0\nf 1//1 2//2 3//1\n",
                                        TRIANGLE "vn 1 0 0\nf 1//1 2 3//1\n", TRIANGLE "vn 1 0 0\nf 1//1 2//9 3//1\n",
                                        TRIANGLE "vn 1 0 0\nf -3//-1 -2//-9 -1//-1\n"};
    static const float normals[] = {1, 0, 0, 0, 0, 1, 1, 0, 0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t count;
        cp_scene *scene = read_obj(*state, texts[i]);
        assert_memory_equal(cp_meshes(scene, &count)->normals, normals, sizeof normals);
        assert_int_equal(count_entries(*state, CP_WARNING, "obj-normals"), i < 2 ? 1 : 2);
        cp_scene_free(scene);
        cp_report_clear(*state);
    }
}

/* A vertex with more normals than are compared: all are kept. */
static void test_many_normals(void **state)
{
    enum { MANY = 200 };
    char *text = malloc(MANY * 64 + 64), *at = text;
    at += sprintf(at, "%s", TRIANGLE);
    for (int i = 0; i < MANY; i++)
        at += sprintf(at, "vn %d 1 0\nf 1//%d 2//%d 3//%d\n", i, i + 1, i + 1, i + 1);
    (void)sprintf(at, "f 1//1 2//1 3//1\nf 1//%d 2//%d 3//%d\n", MANY, MANY, MANY);
    uint32_t count;
    cp_scene *scene = read_obj(*state, text);
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(mesh->vertex_count, 3 * MANY + 3); /* the first normal is found no more, the last one is */
    for (uint32_t i = 0; i < mesh->corner_count; i++) {
        double slope = i / 3 < MANY ? (double)(i / 3) : i / 3 == MANY ? 0 : MANY - 1;
        const float *normal = mesh->normals + 3 * mesh->corners[i];
        assert_true(fabs((double)normal[0] - slope * (double)normal[1]) < 1e-4);
    }
    cp_scene_free(scene);
    free(text);
}

/* ---- materials ---- */

static void test_runs_of_materials(void **state)
{
    static const char text[] = "mtllib my colours.mtl\n" TRIANGLE "f 1 2 3\nusemtl bright red\nf 1 2 3\nf 1 2 3\n"
                               "usemtl bright red\nf 1 2 3\nusemtl none # of these\nf 1 2 3\nusemtl\nf 1 2 3\n";
    static const char library[] = "newmtl bright red\nKd 1 0 0\nKs 0.5 0.5 0.5\nNs 10\nTr 0.25\nnewmtl none\nKd 0.5\n"
                                  "d 0.75\nTr 1\n";
    static const uint32_t sizes[] = {1, 3, 1, 1}, materials[] = {CP_NONE, 0, 1, CP_NONE};
    write_file("a.obj", text);
    write_file("my colours.mtl", library);
    uint32_t count;
    cp_scene *scene = read_path(*state, path_of("a.obj"));
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(mesh->group_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(mesh->groups[i].face_count, sizes[i]);
        assert_int_equal(mesh->groups[i].material, materials[i]);
    }
    const cp_material *material = cp_materials(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(material[0].name, "bright red");
    assert_memory_equal(material[0].rgba, ((const double[]){1, 0, 0, 0.75}), sizeof material->rgba);
    assert_memory_equal(material[1].rgba, ((const double[]){0.5, 0.5, 0.5, 0.75}), sizeof material->rgba);
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(metadata[0].key, "clr.specular");
    assert_string_equal(metadata[0].value, "[0.5,0.5,0.5]");
    assert_string_equal(metadata[1].key, "mat.shininess");
    assert_string_equal(metadata[1].value, "10");
    cp_scene_free(scene);
}

/* An image in a file; grey: of heights. Nobody looks further than at the header. */
static void put_png(const char *name, char colour_type)
{
    static const char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\4\0\0\0\2\x08";
    char bytes[26];
    memcpy(bytes, head, 25);
    bytes[25] = colour_type;
    write_bytes(name, bytes, sizeof bytes);
}

/* Coordinates split vertices; images and numbers of PBR; what has no place in the scene is counted. */
static void test_textures(void **state)
{
    static const char text[] = "mtllib part.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 0.25 0.75 1\nvt 0 2\n"
                               "usemtl wood\nf 1/1 2/2 3/3\nf 4/1 3/3 2/1\nf 1/-3 2/-2 3\n";
    static const char library[] =
        "newmtl wood\nmap_Kd -s 2 4 -o 0.5 0.25 -clamp on a wood.png\nmap_d -clamp on a wood.png\nbump -bm 0.5 "
        "grey.png\n"
        "norm -bm 0.5 a\\wood.png\nKe 1 0.04045 0\nPm 0.25\nPr 0.5\nmap_Ks a wood.png\n"
        "newmtl glow\nKd 0.5 0.5 0.5\nd 0.5\nmap_Kd a wood.png\nmap_Ke a wood.png\nmap_d grey.png\n"
        "newmtl none\nmap_Kd gone.png\n";
    static const uint32_t corners[] = {0, 1, 2, 3, 2, 4, 0, 1, 5};
    static const float coordinates[] = {0, 1, 0.25f, 0.25f, 0, -1, 0, 1, 0, 1, 0, 0};
    empty_folder();
    write_file("part.obj", text);
    write_file("part.mtl", library);
    put_png("a wood.png", 2);
    put_png("grey.png", 0);
    put_png("a/wood.png", 6);
    uint32_t count;
    cp_scene *scene = read_path(*state, path_of("part.obj"));
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_corners(mesh, corners, 9);
    assert_int_equal(mesh->vertex_count, 6);
    assert_memory_equal(mesh->coordinates[0], coordinates, sizeof coordinates);

    const cp_image *images = cp_images(scene, &count);
    assert_int_equal(count, 4); /* wood, grey, a/wood, gone */
    assert_string_equal(images[0].path, "a wood.png");
    assert_string_equal(images[0].type, "image/png");
    assert_int_equal(images[0].size, 26);
    const cp_texture *textures = cp_textures(scene, &count);
    assert_int_equal(count, 5); /* wood once more without clamping */
    assert_int_equal(textures[0].wrap[1], CP_WRAP_CLAMP);

    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 3);
    assert_memory_equal(materials[0].rgba, ((const double[]){1, 1, 1, 1}), sizeof materials->rgba);
    assert_int_equal(materials[0].alpha, CP_ALPHA_BLEND);
    assert_true(materials[0].metallic == 0.25 && materials[0].roughness == 0.5);
    assert_true(materials[0].emissive[0] == 1 && materials[0].emissive[1] == 0.04045 / 12.92);
    assert_int_equal(materials[0].texture_count, 2);
    const cp_texture_use *use = materials[0].textures;
    assert_int_equal(use[0].role, CP_TEXTURE_BASE_COLOUR);
    /* From above, v = 1 shows 1 - (4 * 0 + 0.25): the offset is -3.25 */
    assert_true(use[0].scale[0] == 2 && use[0].scale[1] == 4 && use[0].offset[0] == 0.5 && use[0].offset[1] == -3.25);
    assert_int_equal(use[1].role, CP_TEXTURE_NORMAL);
    assert_true(use[1].strength == 0.5);
    assert_string_equal(images[textures[use[1].texture].image].path, "a/wood.png");
    assert_int_equal(materials[1].alpha, CP_ALPHA_BLEND); /* d */
    assert_true(materials[1].rgba[0] == 0.5 && materials[1].emissive[0] == 1);
    assert_int_equal(materials[1].texture_count, 2);
    assert_null(images[textures[materials[2].textures[0].texture].image].bytes);
    assert_int_equal(count_entries(*state, CP_WARNING, "obj-image"), 1);
    assert_int_equal(count_of(*state, "obj-textures"), 3); /* map_Ks, heights, an opacity of its own */
    cp_scene_free(scene);
}

/* Kd 0 0 0 under an image is a placeholder of many exporters: the image is shown as it is. Without one, it is black. */
static void test_black_under_image(void **state)
{
    static const char library[] = "newmtl placeholder\nKd 0 0 0\nd 0.5\nmap_Kd wood.png\nnewmtl black\nKd 0 0 0\n"
                                  "map_Ke wood.png\nnewmtl dark\nKd 0 0.25 0\nmap_Kd wood.png\n"
                                  "newmtl grey\nmap_Kd wood.png\nKd 0\n";
    static const double colours[4][4] = {{1, 1, 1, 0.5}, {0, 0, 0, 1}, {0, 0.25, 0, 1}, {1, 1, 1, 1}};
    empty_folder();
    write_file("part.obj", "mtllib part.mtl\n" TRIANGLE "vt 0 0\nusemtl placeholder\nf 1/1 2/1 3/1\nusemtl black\n"
                           "f 1/1 2/1 3/1\nusemtl dark\nf 1/1 2/1 3/1\nusemtl grey\nf 1/1 2/1 3/1\n");
    write_file("part.mtl", library);
    put_png("wood.png", 2);
    uint32_t count;
    cp_scene *scene = read_path(*state, path_of("part.obj"));
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < count; i++)
        assert_memory_equal(materials[i].rgba, colours[i], sizeof colours[i]);
    assert_int_equal(count_entries(*state, CP_WARNING, "obj-black"), 1);
    assert_non_null(strstr(find_entry(*state, "obj-black")->message, ": 2"));
    cp_scene_free(scene);
}

/* Of faces under an image, those without coordinates get a copy of the material without the image; others stay. */
static void test_faces_without_coordinates(void **state)
{
    static const cp_group expected[] = {{0, 1, 0}, {1, 2, 2}, {3, 1, 0}, {4, 1, 1}, {5, 1, 2}, {6, 1, 0}};
    put_png("wood.png", 2);
    write_file("part.mtl", "newmtl wood\nKd 0.5 1 1\nd 0.5\nmap_Kd wood.png\nnewmtl red\nKd 1 0 0\n");
    write_file("part.obj", "mtllib part.mtl\n" TRIANGLE "vt 0 0\nvt 1 1\nusemtl wood\nf 1/1 2/2 3/1\nf 1 2 3\nf 3 2 1\n"
                           "f 1/2 2/2 3/2\nusemtl red\nf 1 2 3\nusemtl wood\nf 1 2 3\nf 1 2/1 3\n");
    cp_scene *scene = read_path(*state, path_of("part.obj"));
    uint32_t count;
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(mesh->group_count, 6);
    assert_memory_equal(mesh->groups, expected, sizeof expected);
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 3);
    assert_int_equal(materials[0].texture_count, 1);
    assert_int_equal(materials[2].texture_count, 0);
    assert_memory_equal(materials[2].rgba, ((const double[]){0.5, 1, 1, 0.5}), sizeof materials->rgba);
    assert_int_equal(count_lost(*state, "obj-bare"), 3);
    cp_scene_free(scene);
}

/* Blender 2.6 writes a material without a name. Without such a one, the line without a name ends the one before. */
static void test_nameless_material(void **state)
{
    write_file("part.mtl", "newmtl \nKd 0.25 0.5 0.75\nnewmtl a\nKd 1 0 0\n");
    write_file("part.obj", "mtllib part.mtl\n" TRIANGLE "usemtl a\nf 1 2 3\nusemtl \nf 1 2 3\nusemtl\nf 1 2 3\n");
    cp_scene *scene = read_path(*state, path_of("part.obj"));
    uint32_t count;
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(mesh->group_count, 2);
    assert_int_equal(mesh->groups[1].face_count, 2);
    const cp_material *material = &cp_materials(scene, &count)[mesh->groups[1].material];
    assert_string_equal(material->name, "");
    assert_memory_equal(material->rgba, ((const double[]){0.25, 0.5, 0.75, 1}), sizeof material->rgba);
    assert_int_equal(count_entries(*state, CP_WARNING, "obj-material"), 0);
    cp_scene_free(scene);
}

static void test_missing_library(void **state)
{
    static const char text[] = "mtllib none.mtl\nmtllib none.mtl\n" TRIANGLE "usemtl a\nf 1 2 3\n";
    static const char *const strict[] = {"strict=yes"};
    cp_scene *scene = read_scene(*state, text, "no_such_folder/part.obj", NULL);
    assert_int_equal(count_entries(*state, CP_WARNING, "obj-file-missing"), 0);
    assert_int_equal(count_entries(*state, CP_LOSS, "obj-file-missing"), 1);
    assert_int_equal(count_entries(*state, CP_WARNING, "obj-material"), 0);
    cp_scene_free(scene);
    assert_int_equal(cp_read_memory(*state, text, sizeof text - 1, "part.obj", NULL, strict, 1, &scene), CP_INPUT);
    assert_null(scene);
}

/* ---- the file ---- */

static void test_options(void **state)
{
    static const double inch[12] = {0.0254, 0, 0, 0, 0, 0.0254, 0, 0, 0, 0, 0.0254, 0};
    static const double y_up[12] = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0};
    uint32_t count;
    cp_scene *scene = read_scene(*state, TRIANGLE "f 1 2 3\n", "part.obj", "unit=in");
    expect_pose(&cp_instances(scene, &count)->transform, inch, 0);
    assert_true(cp_scene_source(scene)->unit == 0.0254);
    cp_scene_free(scene);
    scene = read_scene(*state, TRIANGLE "f 1 2 3\n", "part.obj", "up=y");
    expect_pose(&cp_instances(scene, &count)->transform, y_up, 0);
    assert_int_equal(cp_scene_source(scene)->up, CP_UP_Y);
    cp_scene_free(scene);
}

/* Text of many parts, which begin anywhere in lines that go on, gives the same as in one thread: a strip of triangles
 * by relative and absolute numbers, in objects and groups. */
static void test_parts(void **state)
{
    enum { ROWS = 60000, LONGEST = 120 };
    char *text = malloc(ROWS * LONGEST), *at = text;
    for (int i = 0; i < ROWS; i++) {
        if (i % 1000 == 0)
            at += sprintf(at, "%s part %d\nusemtl m%d\n", i % 3000 == 0 ? "o" : "g", i / 7000, i % 5);
        at += sprintf(at, "v %d.5 0 0\\\n\nv %d 1 0\nvn 0 0 %d\n", i, i, 1 + i % 2);
        if (i > 0 && i % 2)
            at += sprintf(at, "f -1//-1 \\\n -2//-1 -3//-2 -4//-2\n");
        else if (i > 0)
            at += sprintf(at, "f %d// \\\r\n %d//\\\n %d//\nl -1 -2 \\\n -3\n", 2 * i + 2, 2 * i + 1, 2 * i);
    }
    cp_scene *scenes[2];
    void *bytes[2];
    size_t sizes[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(cp_set_threads(*state, 1 + 2 * i), CP_OK);
        scenes[i] = read_obj(*state, text);
        assert_int_equal(cp_write_memory(*state, scenes[i], "dump", NULL, 0, &bytes[i], &sizes[i]), CP_OK);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    uint32_t count, faces = 0;
    const cp_mesh *meshes = cp_meshes(scenes[0], &count);
    for (uint32_t i = 0; i < count; i++)
        faces += meshes[i].face_count;
    assert_int_equal(faces, ROWS - 1 + ROWS / 2 - 1);
    for (int i = 0; i < 2; i++) {
        cp_free(*state, bytes[i], sizes[i]);
        cp_scene_free(scenes[i]);
    }
    free(text);
}

/* One face that goes on over lines as far as three parts: wherever a part would begin in "\\\r\n", it does not. */
static void test_long_line(void **state)
{
    enum { LINES = 60000 };
    static const char line[] = "1 2 3 \\\r\n";
    char *text = malloc(100 + LINES * sizeof line);
    for (int shift = 0; shift < (int)sizeof line - 1; shift++) {
        uint32_t count;
        char *at = text + sprintf(text, "#%.*s\n" TRIANGLE "f ", shift, "123456789");
        for (int i = 0; i < LINES; i++, at += sizeof line - 1)
            memcpy(at, line, sizeof line);
        cp_scene *scene = read_obj(*state, text);
        assert_int_equal(cp_meshes(scene, &count)->face_count, 1);
        assert_int_equal(cp_meshes(scene, &count)->corner_count, 3 * LINES);
        cp_scene_free(scene);
    }
    free(text);
}

/* Every beginning of a file is read or refused, never anything else. */
static void test_prefixes(void **state)
{
    static const char text[] = "mtllib a b.mtl\no A\nv 0 0 0 1\nv 1 0 0 .1 .2 .3\nv 0 1 0\nvn 0 0 1\nvt 0 0\ng b\n"
                               "s off\nusemtl m\nf 1/1/1 2//1 \\\n3\nl -1 -2\np 1 2\ncurv 0 1 1 2\nwhat\n";
    for (size_t size = 1; size < sizeof text; size++) {
        cp_scene *scene;
        cp_status status = cp_read_memory(*state, text, size, "a.obj", NULL, NULL, 0, &scene);
        assert_true(status == CP_OK || status == CP_INPUT);
        if (scene)
            assert_int_equal(cp_validate(*state, scene), CP_OK);
        cp_scene_free(scene);
    }
}

/* What programs print for an unknown colour says nothing of the vertex. */
static void test_colours_that_are_none(void **state)
{
    static const char *const colours[] = {"nan nan nan",          "NaN 0 0",    "-nan(ind) 0 0", "0 0 1.#IND",
                                          "-1.#QNAN0 1.#INF00 0", "inf 0 0 1",  "0 0 0 nan",     "1e99 0 0",
                                          "0 -nan 0 0.5 # none",  "0 nan \\\n0"};
    static const char *const wrong[] = {"nan", "nan 0", "0,5 0 0", "nan 0 0 0 0", "0 0 x", "0 0 nanx", "0 0 0,5"};
    const float white[] = {1, 1, 1, 1}, red[] = {1, 0, 0, 1};
    char text[256];
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
        uint32_t count;
        cp_context *context = cp_context_new(NULL);
        (void)snprintf(text, sizeof text, "v 0 0 0 1 0 0\nv 1 0 0 %s\nv 0 1 0\nf 1 2 3\n", colours[i]);
        cp_scene *scene = read_obj(context, text);
        const cp_mesh *mesh = cp_meshes(scene, &count);
        assert_positions(mesh, ((const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}), 3);
        assert_memory_equal(mesh->colours, red, sizeof red);
        assert_memory_equal(mesh->colours + 4, white, sizeof white);
        assert_int_equal(count_entries(context, CP_WARNING, "obj-colours"), 1);
        assert_non_null(strstr(find_entry(context, "obj-colours")->text, ": 1"));
        cp_scene_free(scene);
        cp_context_free(context);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cp_scene *scene;
        (void)snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0 %s\nv 0 1 0\nf 1 2 3\n", wrong[i]);
        assert_int_equal(cp_read_memory(*state, text, strlen(text), "part.obj", NULL, NULL, 0, &scene), CP_INPUT);
    }
}

/* The zero behind a program's text, and fill bytes, hide nothing. */
static void test_fill(void **state)
{
    static const struct {
        const char *end;
        size_t size;
        bool read;
    } cases[] = {{"f 1 2 3\n\0", 9, true},     {"f 1 2 3\0", 8, true},        {"f 1 2 3\r\n\0\0\x1a\n", 13, true},
                 {"f 1 2 3\0\0", 9, false},    {"f 1 2 3\n\0\n\0", 11, true}, {"f 1 2 3\n\0f 1 3 2\n", 17, false},
                 {"f 1 2 3\n\0x\n", 11, false}};
    char text[512];
    static const char *strict = "strict=yes";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene;
        uint32_t count;
        size_t size = strlen(TRIANGLE);
        memcpy(text, TRIANGLE, size);
        memcpy(text + size, cases[i].end, cases[i].size);
        size += cases[i].size;
        cp_status status = cp_read_memory(context, text, size, "part.obj", NULL, NULL, 0, &scene);
        assert_int_equal(status, cases[i].read ? CP_OK : CP_INPUT);
        assert_int_equal(count_entries(context, CP_WARNING, "obj-trailing"), cases[i].read);
        if (scene)
            assert_int_equal(cp_meshes(scene, &count)->face_count, 1);
        cp_scene_free(scene);
        assert_int_equal(cp_read_memory(context, text, size, "part.obj", NULL, &strict, 1, &scene), CP_INPUT);
        cp_context_free(context);
    }
    /* Four are fill; more may be what a power loss leaves. */
    for (size_t fill = 4; fill < 6; fill++) {
        cp_scene *scene;
        size_t size = strlen(TRIANGLE "f 1 2 3\n") + fill;
        memset(text, 0, sizeof text);
        memcpy(text, TRIANGLE "f 1 2 3\n", size - fill);
        assert_int_equal(cp_read_memory(*state, text, size, "part.obj", NULL, NULL, 0, &scene),
                         fill > 4 ? CP_INPUT : CP_OK);
        cp_scene_free(scene);
    }
}

static void test_zeros(void **state)
{
    static const char text[] = TRIANGLE "f 1 2 3\nv 5\0\0\0\0\n";
    static const char *const partial[] = {"partial=yes"};
    cp_scene *scene;
    uint32_t count;
    assert_int_equal(cp_read_memory(*state, text, sizeof text - 1, "a.obj", NULL, NULL, 0, &scene), CP_INPUT);
    assert_int_equal(count_entries(*state, CP_ERROR, "obj-zeros"), 1);
    assert_int_equal(cp_read_memory(*state, text, sizeof text - 1, "a.obj", NULL, partial, 1, &scene), CP_OK);
    assert_int_equal(cp_meshes(scene, &count)->face_count, 1);
    cp_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_plate),
        TEST(test_names),
        TEST(test_groups),
        TEST(test_corners),
        TEST(test_numbers),
        TEST(test_vertices),
        TEST(test_colours),
        TEST(test_normals),
        TEST(test_smooth_normals),
        TEST(test_mended_normals),
        TEST(test_many_normals),
        TEST(test_runs_of_materials),
        TEST(test_textures),
        TEST(test_black_under_image),
        TEST(test_colours_that_are_none),
        TEST(test_fill),
        TEST(test_faces_without_coordinates),
        TEST(test_nameless_material),
        TEST(test_missing_library),
        TEST(test_options),
        TEST(test_parts),
        TEST(test_long_line),
        TEST(test_prefixes),
        TEST(test_zeros),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}

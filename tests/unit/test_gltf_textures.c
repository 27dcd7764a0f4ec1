/* Textures and materials of glTF: what is read of files made by hand, what is written by jansson's reading, and both
 * ways together. */
#include "gltf_support.h"

#include "gltf_written.h"

/* A PNG of one white pixel: signature, IHDR 1 x 1 of 8 bits RGB, IDAT, IEND; checked with other tools. */
static const unsigned char png[] = {0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,    0,    13,   'I',  'H',
                                    'D',  'R',  0,    0,    0,    1,    0,    0,    0,    1,    8,    2,    0,    0,
                                    0,    0x90, 0x77, 0x53, 0xde, 0,    0,    0,    12,   'I',  'D',  'A',  'T',  0x78,
                                    0x9c, 0x63, 0xf8, 0xff, 0xff, 0x3f, 0,    5,    0xfe, 2,    0xfe, 0x0d, 0xef, 0x46,
                                    0xb8, 0,    0,    0,    0,    'I',  'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82};
static const unsigned char webp[] = "RIFF\x04\0\0\0WEBP";

/* A triangle with two sets of coordinates, one as normalised bytes, and every member of a material. */
static struct bin make_bin(void)
{
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0, 0, 1, 0, 0, 0, 1, 0);                     /* 0: positions */
    PUT(&bin, float, 0, 0, 1.5f, 0, 0, -0.25f);                      /* 36: coordinates */
    PUT(&bin, unsigned char, 0, 255, 0, 0, 51, 0, 0, 0, 0, 0, 0, 0); /* 60: the same as bytes, 4 apart */
    put(&bin, webp, 12);                                             /* 72 */
    put(&bin, png, sizeof png);                                      /* 84 */
    return bin;
}

static const char all_of_it[] =
    "'extensionsUsed':['KHR_texture_transform','EXT_texture_webp'],"
    "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':24},"
    "{'buffer':0,'byteOffset':60,'byteLength':12,'byteStride':4},{'buffer':0,'byteOffset':72,'byteLength':12},"
    "{'buffer':0,'byteOffset':84,'byteLength':69}],"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]},"
    "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC2'},"
    "{'bufferView':2,'componentType':5121,'normalized':true,'count':3,'type':'VEC2'}],"
    "'images':[{'name':'white','bufferView':4,'mimeType':'image/jpeg'},{'bufferView':3,'mimeType':'image/webp'}],"
    "'samplers':[{'magFilter':9728,'minFilter':9986,'wrapS':33071,'wrapT':33648},{}],"
    "'textures':[{'name':'t','source':0,'sampler':0},{'source':0,'sampler':1,'extensions':{'EXT_texture_webp':{"
    "'source':1}}},{'extensions':{'ACME_picture':{'source':0}}}],"
    "'materials':[{'name':'m','pbrMetallicRoughness':{'baseColorFactor':[1,0.5,0.25,0.5],'baseColorTexture':{'index':0,"
    "'texCoord':0,'extensions':{'KHR_texture_transform':{'texCoord':1,'offset':[0.5,-1],'rotation':0.25,'scale':[2,3]}}"
    "},"
    "'metallicFactor':0.25,'roughnessFactor':0.5,'metallicRoughnessTexture':{'index':1}},"
    "'normalTexture':{'index':1,'scale':0.75},'occlusionTexture':{'index':1,'strength':0.5},"
    "'emissiveTexture':{'index':2},'emissiveFactor':[0,0.5,1],'alphaMode':'MASK','alphaCutoff':0.125,'extensions':{"
    "'KHR_materials_clearcoat':{'clearcoatFactor':0.50,'clearcoatNormalTexture':{'index':0,'texCoord':1,'scale':0.5}},"
    "'ACME_paint':{},'KHR_materials_unlit':{}}},"
    "{'doubleSided':true,'pbrMetallicRoughness':{'baseColorFactor':[1,1,1,0.5]}}],"
    "'extensions':{'KHR_lights_punctual':{'lights':[{'type':'point'},{'type':'spot','spot':{}}]}},"
    "'nodes':[{'mesh':0,'extensions':{'KHR_lights_punctual':{'light':1}}}],'meshes':[{'primitives':[{'attributes':{'"
    "POSITION':0,'TEXCOORD_0':1,'TEXCOORD_1':2},"
    "'material':0}]}],'scenes':[{'nodes':[0]}]";

static void test_all_is_read(void **state)
{
    (void)state;
    struct bin bin = make_bin();
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, all_of_it, &bin);
    const cp_mesh *mesh = mesh_at(scene, 0);
    static const float first[] = {0, 0, 1.5f, 0, 0, -0.25f}, second[] = {0, 1, 0.2f, 0, 0, 0};
    assert_memory_equal(mesh->coordinates[0], first, sizeof first);
    assert_memory_equal(mesh->coordinates[1], second, sizeof second);

    /* The type is what the bytes are, not what is said of them. */
    uint32_t count;
    const cp_image *images = cp_images(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(images[0].name, "white");
    assert_string_equal(images[0].type, "image/png");
    assert_int_equal(images[0].size, sizeof png);
    assert_memory_equal(images[0].bytes, png, sizeof png);
    assert_string_equal(images[1].type, "image/webp");

    const cp_texture *textures = cp_textures(scene, &count);
    assert_int_equal(count, 2);
    assert_int_equal(textures[0].image, 0);
    assert_int_equal(textures[0].fallback, CP_NONE);
    assert_int_equal(textures[0].wrap[0], CP_WRAP_CLAMP);
    assert_int_equal(textures[0].wrap[1], CP_WRAP_MIRROR);
    assert_int_equal(textures[0].magnify, CP_SAMPLE_NEAREST);
    assert_int_equal(textures[0].minify, CP_SAMPLE_NEAREST_LINEAR);
    assert_int_equal(textures[1].image, 1);
    assert_int_equal(textures[1].fallback, 0);
    assert_int_equal(textures[1].minify, CP_SAMPLE_ANY);

    const cp_material *materials = cp_materials(scene, &count);
    const cp_material *m = &materials[0];
    assert_doubles(m->rgba, (double[]){1, 0.5, 0.25, 0.5}, 4, 0);
    assert_doubles((double[]){m->metallic, m->roughness, m->cutoff}, (double[]){0.25, 0.5, 0.125}, 3, 0);
    assert_doubles(m->emissive, (double[]){0, 0.5, 1}, 3, 0);
    assert_int_equal(m->alpha, CP_ALPHA_MASK);
    assert_true(m->one_sided && !m->two_sided);
    assert_int_equal(m->texture_count, 5);
    const cp_texture_use *use = m->textures;
    assert_int_equal(use[0].role, CP_TEXTURE_BASE_COLOUR);
    assert_int_equal(use[0].set, 1);
    assert_doubles(use[0].offset, (double[]){0.5, -1}, 2, 0);
    assert_doubles(&use[0].rotation, (double[]){0.25}, 1, 0);
    assert_doubles(use[0].scale, (double[]){2, 3}, 2, 0);
    assert_int_equal(use[1].role, CP_TEXTURE_METALLIC_ROUGHNESS);
    assert_int_equal(use[1].texture, 1);
    assert_doubles((double[]){use[2].strength, use[3].strength}, (double[]){0.75, 0.5}, 2, 0);
    assert_int_equal(use[4].role, CP_TEXTURE_EXTENSION);
    assert_string_equal(use[4].place, "KHR_materials_clearcoat/clearcoatNormalTexture");
    assert_int_equal(use[4].set, 1);
    assert_string_equal(m->extensions, "{\"KHR_materials_clearcoat\":{\"clearcoatFactor\":0.50,"
                                       "\"clearcoatNormalTexture\":null},\"KHR_materials_unlit\":{}}");
    assert_int_equal(count_of(context, "gltf-material-extension"), 1);
    assert_int_equal(materials[1].alpha, CP_ALPHA_OPAQUE);
    assert_true(materials[1].two_sided && !materials[1].one_sided);
    assert_doubles(&materials[1].rgba[3], (double[]){1}, 1, 0);
    assert_int_equal(count_of(context, "gltf-textures"), 1); /* the one of ACME */
    assert_int_equal(count_of(context, "gltf-lights"), 1);
    assert_string_equal(metadata_value(scene, CP_OWNER_NODE, 1, "KHR_lights_punctual"),
                        "{\"type\":\"spot\",\"spot\":{}}");
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_stages_carry_everything(void **state)
{
    (void)state;
    struct bin bin = make_bin();
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, all_of_it, &bin), *again = NULL;
    static const char *const option = "profile=stage";
    static const char *const formats[] = {"glb", "glb", "gltf"};
    for (size_t i = 0; i < 3; i++) {
        const char *options[] = {option, "embed=yes"};
        void *bytes;
        size_t size;
        if (i == 1) { /* what nothing draws has its arrays in views of its own */
            struct draft draft = draft_of(scene);
            draft.meshes[0].face_count = draft.meshes[0].corner_count = draft.meshes[0].group_count = 0;
            draft.meshes[0].corners = NULL;
            scene = built_again(&draft, context);
            assert_int_equal(cp_scene_finish(scene), CP_OK);
        }
        assert_int_equal(cp_write_memory(context, scene, formats[i], options, i < 2 ? 1 : 2, &bytes, &size), CP_OK);
        assert_int_equal(cp_read_memory(context, bytes, size, "stage", NULL, NULL, 0, &again), CP_OK);
        char *before = written_text(context, scene, "dump", NULL, NULL),
             *after = written_text(context, again, "dump", NULL, NULL);
        assert_string_equal(after, before);
        free(before);
        free(after);
        cp_free(context, bytes, size);
        cp_scene_free(again);
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_delivered_files_say_the_same(void **state)
{
    (void)state;
    struct bin bin = make_bin();
    struct written file = {.context = cp_context_new(NULL)};
    file.scene = read_glb(file.context, all_of_it, &bin);
    write_with(&file, NULL, NULL);
    json_t *mesh = at(file.json, "meshes", 0), *attributes = get(at(mesh, "primitives", 0), "attributes");
    assert_non_null(json_object_get(attributes, "TEXCOORD_1"));
    const unsigned char *coordinates = accessor_bytes(&file, get(attributes, "TEXCOORD_0"), 24);
    assert_near(float_at(coordinates + 8), 1.5, 0);
    assert_near(float_at(coordinates + 20), -0.25, 0);

    json_t *m = at(file.json, "materials", 0), *pbr = get(m, "pbrMetallicRoughness");
    assert_near(number(pbr, "metallicFactor"), 0.25, 0);
    assert_near(number(pbr, "roughnessFactor"), 0.5, 0);
    assert_string_equal(text(m, "alphaMode"), "MASK");
    assert_near(number(m, "alphaCutoff"), 0.125, 0);
    assert_near(element(get(m, "emissiveFactor"), 1), 0.5, 0);
    assert_null(json_object_get(m, "doubleSided"));
    json_t *base = get(pbr, "baseColorTexture");
    assert_int_equal(number(base, "texCoord"), 1);
    json_t *transform = get(get(base, "extensions"), "KHR_texture_transform");
    assert_near(element(get(transform, "scale"), 1), 3, 0);
    assert_near(number(transform, "rotation"), 0.25, 0);
    assert_near(number(get(m, "normalTexture"), "scale"), 0.75, 0);
    assert_near(number(get(m, "occlusionTexture"), "strength"), 0.5, 0);

    json_t *texture = at(file.json, "textures", (size_t)number(base, "index"));
    json_t *sampler = at(file.json, "samplers", (size_t)number(texture, "sampler"));
    assert_int_equal(number(sampler, "wrapS"), 33071);
    assert_int_equal(number(sampler, "minFilter"), 9986);
    json_t *image = at(file.json, "images", (size_t)number(texture, "source"));
    assert_string_equal(text(image, "mimeType"), "image/png");
    json_t *view = at(file.json, "bufferViews", (size_t)number(image, "bufferView"));
    assert_memory_equal(view_bytes(&file, view, sizeof png), png, sizeof png);

    json_t *clearcoat = get(get(m, "extensions"), "KHR_materials_clearcoat");
    assert_near(number(clearcoat, "clearcoatFactor"), 0.5, 0);
    json_t *bumps = get(clearcoat, "clearcoatNormalTexture");
    assert_int_equal(number(bumps, "index"), number(base, "index"));
    assert_int_equal(number(bumps, "texCoord"), 1);
    assert_near(number(bumps, "scale"), 0.5, 0);
    assert_int_equal(json_object_size(get(get(m, "extensions"), "KHR_materials_unlit")), 0);

    json_t *lights = get(get(get(file.json, "extensions"), "KHR_lights_punctual"), "lights");
    assert_int_equal(json_array_size(lights), 1);
    assert_string_equal(text(json_array_get(lights, 0), "type"), "spot");
    json_t *lamp = get(get(node_of(&file, "node"), "extensions"), "KHR_lights_punctual");
    assert_int_equal(number(lamp, "light"), 0);

    /* The image in WebP has a fallback: nobody needs the extension. */
    json_t *other = at(file.json, "textures", (size_t)number(get(m, "normalTexture"), "index"));
    json_t *source = get(get(get(other, "extensions"), "EXT_texture_webp"), "source");
    assert_string_equal(text(at(file.json, "images", (size_t)json_integer_value(source)), "mimeType"), "image/webp");
    assert_int_equal(json_array_size(get(file.json, "extensionsUsed")), 5);
    assert_null(json_object_get(file.json, "extensionsRequired"));
    finish(&file);
}

/* A square of the scene with a material of three images: only what is drawn is written. */
static void test_what_is_left_out(void **state)
{
    (void)state;
    static const cp_texture_use uses[3] = {{.texture = 0, .strength = 1, .scale = {1, 1}},
                                           {.texture = 1, .strength = 1, .scale = {1, 1}},
                                           {.texture = 2, .strength = 1, .scale = {1, 1}}};
    static const float coordinates[12] = {0};
    static const cp_group groups[] = {{0, 1, 0}, {1, 1, 1}, {2, 1, CP_NONE}};
    struct written file = start();
    cp_scene *scene = file.scene;
    const cp_image images[] = {{.name = "same", .type = "image/png", .bytes = png, .size = sizeof png},
                               {.name = "copy", .type = "image/png", .bytes = png, .size = sizeof png},
                               {.name = "odd", .type = "image/bmp", .bytes = png, .size = 4},
                               {.name = "gone", .type = "image/png", .path = "gone.png"},
                               {.name = "idle", .type = "image/png", .bytes = png, .size = 60}};
    for (uint32_t i = 0; i < 5; i++)
        cp_add_image(scene, &images[i]);
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = {"a", "b"};
        cp_add_texture(scene, &(cp_texture){.image = i, .fallback = CP_NONE});
        if (i == 2)
            break;
        cp_material material = cp_new_material();
        material.name = names[i];
        material.textures = &uses[i];
        material.texture_count = 1;
        material.alpha = i == 0 ? CP_ALPHA_OPAQUE : CP_ALPHA_BLEND;
        cp_add_material(scene, &material);
    }
    cp_add_texture(scene, &(cp_texture){.image = 3, .fallback = CP_NONE});
    cp_mesh mesh = triangles();
    mesh.groups = groups;
    mesh.group_count = 3;
    mesh.coordinates[0] = coordinates;
    add_instance(&file, 0, add_mesh(&file, mesh), CP_USE_BOTH, PLAIN_IDENTITY);
    mesh.coordinates[0] = NULL; /* whose textures nobody can show */
    add_instance(&file, 0, add_mesh(&file, mesh), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_int_equal(json_array_size(get(file.json, "images")), 1); /* both are one */
    assert_int_equal(json_array_size(get(file.json, "textures")), 2);
    assert_int_equal(count_lost(file.context, "gltf-bare"), 2);
    assert_non_null(find_entry(file.context, "gltf-images"));
    json_t *first = at(at(file.json, "meshes", 0), "primitives", 0);
    json_t *material = at(file.json, "materials", (size_t)number(first, "material"));
    assert_non_null(get(get(material, "pbrMetallicRoughness"), "baseColorTexture"));
    assert_null(json_object_get(material, "alphaMode"));
    json_t *second =
        at(file.json, "materials", (size_t)number(at(at(file.json, "meshes", 0), "primitives", 1), "material"));
    assert_string_equal(text(second, "alphaMode"), "BLEND"); /* its image may be translucent */
    json_t *bare =
        at(file.json, "materials", (size_t)number(at(at(file.json, "meshes", 1), "primitives", 0), "material"));
    assert_null(json_object_get(get(bare, "pbrMetallicRoughness"), "baseColorTexture"));
    drop_file(&file);

    /* An image that glTF has no type for. */
    struct draft draft = draft_of(file.scene);
    draft.materials[1].textures = &uses[2];
    file.scene = built_again(&draft, file.context);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_int_equal(count_lost(file.context, "gltf-image-type"), 1);
    assert_int_equal(json_array_size(get(file.json, "textures")), 1);
    drop_file(&file);

    write_with(&file, "profile=stage", NULL);
    assert_int_equal(json_array_size(get(file.json, "images")), 5);
    assert_string_equal(text(at(file.json, "images", 3), "uri"), "gone.png");
    finish(&file);
}

/* Two triangles of one mesh, one with and one without the coordinates that their material shows its image by. The
 * second one is shown without the image, and the loss says so; zeros would show one pixel of it. */
static void test_primitives_without_coordinates(void **state)
{
    (void)state;
    static const char start[] =
        "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':24},{'buffer':0,"
        "'byteOffset':84,'byteLength':69}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]},"
        "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC2'}],"
        "'images':[{'bufferView':2,'mimeType':'image/png'}],'textures':[{'source':0}],"
        "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0,'texCoord':0}}},{'doubleSided':true}],"
        "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}],'meshes':[{'primitives':[";
    static const char with[] = "{'attributes':{'POSITION':0,'TEXCOORD_0':1},'material':0}";
    static const char *const others[] = {
        "{'attributes':{'POSITION':0},'material':0}",                /* a mesh of its own */
        "{'attributes':{'POSITION':0,'TEXCOORD_1':1},'material':0}", /* the same, shown by the second set */
        "{'attributes':{'POSITION':0},'material':1}",                /* needs none: zeros do */
        "{'attributes':{'POSITION':0,'TEXCOORD_0':1},'material':0}"};
    for (size_t i = 0; i < 4; i++) {
        char json[2048];
        uint32_t count;
        struct bin bin = make_bin();
        cp_context *context = cp_context_new(NULL);
        (void)snprintf(json, sizeof json, "%s%s,%s]}]", start, with, others[i]);
        cp_scene *scene = read_glb(context, json, &bin);
        (void)cp_meshes(scene, &count);
        assert_int_equal(count, i < 2 ? 2 : 1);
        assert_non_null(mesh_at(scene, 0)->coordinates[0]);
        if (i < 2)
            assert_int_equal(mesh_at(scene, 1)->coordinates[0] != NULL, i == 1);
        assert_int_equal(was_reported(context, "gltf-other-set"), i == 1);
        void *bytes;
        size_t size;
        assert_int_equal(cp_write_memory(context, scene, "glb", NULL, 0, &bytes, &size), CP_OK);
        assert_int_equal(count_lost(context, "gltf-bare"), i == 0);
        cp_free(context, bytes, size);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* Alpha of vertex colours means nothing without a material, as under an opaque one (glTF 2.0, section 3.9.6). */
static void test_alpha_without_a_material(void **state)
{
    (void)state;
    static const struct {
        const char *primitive, *materials;
        bool blends;
        uint32_t count; /* of materials */
    } cases[] = {{"", "", false, 1},
                 {",'material':0", ",'materials':[{}]", false, 1},
                 {",'material':0", ",'materials':[{'alphaMode':'BLEND'}]", true, 1}};
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    PUT(&bin, unsigned char, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0);
    for (size_t i = 0; i < 3; i++) {
        char json[1024];
        (void)snprintf(
            json, sizeof json,
            "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':12}],"
            "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],"
            "'max':[1,1,0]},{'bufferView':1,'componentType':5121,'normalized':true,'count':3,'type':'VEC4'}],"
            "'nodes':[{'mesh':0},{'mesh':0}],'scenes':[{'nodes':[0,1]}],"
            "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'COLOR_0':1}%s}]}]%s",
            cases[i].primitive, cases[i].materials);
        struct written file = {.context = cp_context_new(NULL)};
        uint32_t count;
        file.scene = read_glb(file.context, json, &bin);
        (void)cp_materials(file.scene, &count);
        assert_int_equal(count, cases[i].count);
        assert_int_equal(was_reported(file.context, "nothing-visible"), cases[i].blends);
        write_with(&file, NULL, NULL);
        json_t *primitive = at(at(file.json, "meshes", 0), "primitives", 0);
        json_t *material = at(file.json, "materials", (size_t)number(primitive, "material"));
        assert_int_equal(json_object_get(material, "alphaMode") != NULL, cases[i].blends);
        assert_non_null(json_object_get(get(primitive, "attributes"), "COLOR_0"));
        finish(&file);
    }
}

/* A validator refuses factors outside of the ranges that the schemas give: they are read as the nearest end. */
static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *given, *kept; /* of one extension; kept NULL: as given, without a warning */
    } cases[] = {
        {"KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[1,1,1,1.1]}",
         "KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[1,1,1,1]}"},
        {"KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[1.0,0.50,0,1e0],'glossinessFactor':1}", NULL},
        {"KHR_materials_clearcoat':{'clearcoatFactor':-0.5,'clearcoatRoughnessFactor':2}",
         "KHR_materials_clearcoat':{'clearcoatFactor':0,'clearcoatRoughnessFactor':1}"},
        {"KHR_materials_ior':{'ior':0.5}", "KHR_materials_ior':{'ior':1}"},
        {"KHR_materials_ior':{'ior':-1}", "KHR_materials_ior':{'ior':0}"},
        {"KHR_materials_ior':{'ior':0}", NULL},
        {"KHR_materials_ior':{'ior':2.5}", NULL},
        {"KHR_materials_emissive_strength':{'emissiveStrength':25.50}", NULL},
        {"KHR_materials_emissive_strength':{'emissiveStrength':-1}",
         "KHR_materials_emissive_strength':{'emissiveStrength':0}"},
        {"KHR_materials_specular':{'specularFactor':1.5,'specularColorFactor':[2,-1,0]}",
         "KHR_materials_specular':{'specularFactor':1,'specularColorFactor':[2,0,0]}"},
        {"KHR_materials_anisotropy':{'anisotropyStrength':3,'anisotropyRotation':7}",
         "KHR_materials_anisotropy':{'anisotropyStrength':1,'anisotropyRotation':7}"},
        {"KHR_materials_transmission':{'transmissionFactor':'much'}", NULL}, /* not ours to mend */
        {"KHR_materials_of_others':{'transmissionFactor':7}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[512], wanted[512];
        uint32_t count;
        cp_context *context = cp_context_new(NULL);
        (void)snprintf(json, sizeof json, "'materials':[{'extensions':{'%s}}]", cases[i].given);
        (void)snprintf(wanted, sizeof wanted, "{'%s}", cases[i].kept ? cases[i].kept : cases[i].given);
        for (char *at = wanted; *at; at++)
            *at = (char)(*at == '\'' ? '"' : *at);
        cp_scene *scene = read_glb(context, json, NULL);
        assert_string_equal(cp_materials(scene, &count)->extensions, wanted);
        assert_int_equal(was_reported(context, "gltf-range"), cases[i].kept != NULL);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static void test_core_ranges(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    uint32_t count;
    cp_scene *scene = read_glb(context,
                               "'materials':[{'alphaMode':'MASK','alphaCutoff':-0.5,'emissiveFactor':[2,0.5,-1],"
                               "'pbrMetallicRoughness':{'baseColorFactor':[1.5,0.5,-0.5,2],'metallicFactor':-1,"
                               "'roughnessFactor':1.5}}]",
                               NULL);
    const cp_material *m = cp_materials(scene, &count);
    assert_memory_equal(m->rgba, ((const double[]){1, 0.5, 0, 1}), sizeof m->rgba);
    assert_memory_equal(m->emissive, ((const double[]){1, 0.5, 0}), sizeof m->emissive);
    assert_true(m->metallic == 0 && m->roughness == 1 && m->cutoff == 0);
    assert_int_equal(count_entries(context, CP_WARNING, "gltf-range"), 8);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_bad_textures(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *code;
        cp_status status;
    } cases[] = {
        {"'images':[{}]", "gltf-missing", CP_INPUT},
        {"'images':[{'uri':'data:image/png;base64,'}]", "gltf-image", CP_INPUT},
        {"'images':[{'uri':'data:image/png;base64,!!!!'}]", "gltf-data-uri", CP_INPUT},
        {"'images':[{'uri':'a%00'}]", "gltf-uri", CP_INPUT},
        {"'images':[{'uri':'a%0'}]", "gltf-uri", CP_OK},
        {"'images':[{'uri':'no/such.png'}]", "gltf-image-missing", CP_OK},
        {"'images':[{'uri':'https://example.org/a.png'}]", "gltf-image-missing", CP_OK},
        {"'textures':[{'source':0}]", "gltf-index", CP_INPUT},
        {"'textures':[{'sampler':0}],'samplers':[{'wrapS':1}]", "gltf-sampler", CP_INPUT},
        {"'textures':[{'sampler':0}],'samplers':[{'magFilter':9987}]", "gltf-sampler", CP_INPUT},
        {"'textures':[{}],'materials':[{'normalTexture':{}}]", "gltf-missing", CP_INPUT},
        {"'textures':[{}],'materials':[{'normalTexture':{'index':1}}]", "gltf-index", CP_INPUT},
        {"'textures':[{}],'materials':[{'normalTexture':{'index':0,'texCoord':2}}]", "gltf-coordinates", CP_OK},
        {"'materials':[{'pbrMetallicRoughness':{'metallicFactor':2}}]", "gltf-range", CP_OK},
        {"'materials':[{'alphaMode':'FADE'}]", "gltf-word", CP_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_with(context, cases[i].rest, NULL, NULL, cases[i].status);
        if (!find_entry(context, cases[i].code))
            fail_msg("%s is no %s", cases[i].rest, cases[i].code);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_read),
        cmocka_unit_test(test_stages_carry_everything),
        cmocka_unit_test(test_delivered_files_say_the_same),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_primitives_without_coordinates),
        cmocka_unit_test(test_alpha_without_a_material),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_core_ranges),
        cmocka_unit_test(test_bad_textures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

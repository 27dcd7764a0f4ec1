/* Materials: the diffuse colour and its texture, the opacity, two-sidedness. Other numbers and colours that are not
 * neutral are kept as metadata; other textures are counted as lost. */
#include "assimp.h"

#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

const char *copy_text(struct assimp_import *import, const struct aiString *text)
{
    size_t size = text->length < MAXLEN ? text->length : MAXLEN - 1;
    return utf8_from(import->scene->arena, text->data, size, NULL);
}

/* Tells whether assimp made the material for a mesh without one: "DefaultMaterial", "%%%DEFAULT" (3DS). */
static bool is_invented(const struct aiString *name)
{
    return strcmp(name->data, AI_DEFAULT_MATERIAL_NAME) == 0 || strcmp(name->data, "%%%DEFAULT") == 0;
}

static double unit_range(struct assimp_import *import, const struct aiString *name, float value)
{
    if (value >= 0 && value <= 1)
        return double_from_float(value);
    report_loss(import->context, "assimp-colour-range", IN_FILE(import->file), 1,
                "colour values outside 0..1 in material \"%s\"", name->data);
    return value > 1 ? 1 : 0;
}

/* ---- the rest as metadata ---- */

static bool is_told_already(const char *key)
{
    static const char *const told[] = {"?mat.name",     "$clr.diffuse",  "$clr.base",        "$mat.opacity",
                                       "$mat.twosided", "$mat.shadingm", "$clr.transparent", "$clr.emissive"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(key, told[i]) == 0)
            return true;
    return strncmp(key, "$tex.", 5) == 0 || strncmp(key, "$raw.", 5) == 0;
}

/* Returns the value that assimp gives when the file has none. */
static float neutral_value(const char *key)
{
    static const char *const ones[] = {"$mat.refracti", "$mat.shinpercent", "$mat.bumpscaling"};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (strcmp(key, ones[i]) == 0)
            return 1;
    return 0;
}

/* Copies a number or colour as metadata "1" or "[1,2,3]"; not if all numbers (an alpha aside) are neutral, or one is
 * none in JSON. */
static cp_status copy_property(struct assimp_import *import, uint32_t material,
                               const struct aiMaterialProperty *property)
{
    unsigned count = property->mDataLength / (unsigned)sizeof(float);
    const char *key = property->mKey.data;
    if (property->mType != aiPTI_Float || !count || count > 4 || is_told_already(key))
        return CP_OK;
    struct buffer text = {.context = import->context};
    float neutral = neutral_value(key), value;
    bool any = false, finite = true;
    buffer_text(&text, count != 1 ? "[" : "");
    for (unsigned i = 0; i < count; i++) {
        memcpy(&value, property->mData + i * sizeof value, sizeof value);
        finite = finite && isfinite(value);
        any = any || (value != neutral && i < 3);
        buffer_text(&text, i ? "," : "");
        if (finite)
            buffer_float(&text, value);
    }
    buffer_text(&text, count != 1 ? "]" : "");
    buffer_append(&text, "", 1);
    cp_value_type type = count == 1 ? CP_VALUE_NUMBER : CP_VALUE_JSON;
    bool kept =
        !text.failed &&
        (!any || !finite || scene_add_metadata(import->scene, CP_OWNER_MATERIAL, material, key + 1, type, text.data));
    buffer_free(&text);
    return kept ? CP_OK : CP_LIMIT;
}

/* ---- textures ---- */

/* Copies an image in the file itself, packed as in a file of its type; CP_NONE, and CP_OK, for one of bare texels. */
static cp_status copy_embedded(struct assimp_import *import, const struct aiTexture *from, uint32_t *image)
{
    *image = CP_NONE;
    if (from->mHeight != 0 || from->mWidth == 0 || !from->pcData)
        return CP_OK;
    cp_image added = {.size = from->mWidth};
    added.bytes = arena_copy(import->scene->arena, from->pcData, from->mWidth, 1);
    if (!added.bytes)
        return CP_LIMIT;
    added.type = image_type(added.bytes, added.size, "");
    *image = scene_add_image(import->scene, &added);
    return *image == CP_NONE ? CP_LIMIT : CP_OK;
}

/* Finds the image of a path, or of a number of assimp's behind a star; each is read once. */
static cp_status find_image(struct assimp_import *import, const struct aiString *name, uint32_t *image)
{
    char *path = (char *)copy_text(import, name);
    bool added = false;
    text_turn_slashes(path);
    uint32_t *known = path ? name_map_add(&import->images, path, CP_NONE, &added) : NULL;
    if (!known)
        return CP_LIMIT;
    cp_status status = CP_OK;
    if (added && path[0] == '*') {
        double number;
        bool there = text_is_number(path + 1, &number) && number >= 0 && number < import->from->mNumTextures;
        if (there)
            status = copy_embedded(import, import->from->mTextures[(size_t)number], known);
    } else if (added) {
        status = scene_read_image(import->scene, import->source, path, NULL, "assimp-image", known);
    }
    *image = *known; /* nobody has added to the map meanwhile */
    return status;
}

/* Sets scale and offset of the coordinates. assimp counts v from the lower edge, a scene from the upper. */
static void place_texture(struct assimp_import *import, const struct aiMaterial *from, cp_texture_use *use)
{
    struct aiUVTransform transform = {.mScaling = {1, 1}};
    use->scale[0] = use->scale[1] = 1;
    if (assimp.aiGetMaterialUVTransform(from, AI_MATKEY_UVTRANSFORM(aiTextureType_DIFFUSE, 0), &transform) !=
        aiReturn_SUCCESS)
        return;
    const double numbers[] = {(double)transform.mScaling.x, (double)transform.mScaling.y,
                              (double)transform.mTranslation.x, (double)transform.mTranslation.y};
    bool finite = true;
    for (int i = 0; i < 4; i++)
        finite = finite && isfinite(numbers[i]);
    if (transform.mRotation != 0 || !finite) {
        report_loss(import->context, "assimp-texture-place", IN_FILE(import->file), 1,
                    "rotations, scales and offsets of textures: a rotation, or no finite number");
        return;
    }
    use->scale[0] = numbers[0];
    use->scale[1] = numbers[1];
    use->offset[0] = numbers[2];
    use->offset[1] = 1 - numbers[1] - numbers[3];
}

/* Copies the texture of the diffuse colour, if there is one. Its image replaces assimp's own default colour. *taken: it
 * is in the scene. */
static cp_status copy_texture(struct assimp_import *import, const struct aiMaterial *from, cp_material *material,
                              bool *taken)
{
    static const double by_default = 0.6;
    struct aiString path = {0};
    enum aiTextureMapMode modes[2] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
    unsigned set = 0;
    uint32_t image = CP_NONE;
    *taken = false;
    if (assimp.aiGetMaterialTexture(from, aiTextureType_DIFFUSE, 0, &path, NULL, &set, NULL, NULL, modes, NULL) !=
            aiReturn_SUCCESS ||
        path.length == 0 || set >= CP_COORDINATE_SETS)
        return CP_OK;
    cp_status status = find_image(import, &path, &image);
    if (status != CP_OK || image == CP_NONE)
        return status;
    cp_texture texture = {.image = image, .fallback = CP_NONE};
    for (int i = 0; i < 2; i++)
        texture.wrap[i] = modes[i] == aiTextureMapMode_Mirror  ? CP_WRAP_MIRROR
                          : modes[i] == aiTextureMapMode_Clamp ? CP_WRAP_CLAMP
                                                               : CP_WRAP_REPEAT;
    cp_texture_use use = {.texture = scene_add_texture(import->scene, &texture), .set = set, .strength = 1};
    place_texture(import, from, &use);
    const cp_texture_use *uses = arena_copy(import->scene->arena, &use, 1, sizeof use);
    if (use.texture == CP_NONE || !uses)
        return CP_LIMIT;
    material->textures = uses;
    material->texture_count = 1;
    material->alpha = material->rgba[3] < 1 ? CP_ALPHA_BLEND : CP_ALPHA_OPAQUE;
    bool plain = material->rgba[0] == by_default && material->rgba[1] == by_default && material->rgba[2] == by_default;
    for (int i = 0; i < 3 && plain; i++)
        material->rgba[i] = 1;
    *taken = true;
    return CP_OK;
}

/* ---- materials ---- */

static void copy_emission(struct assimp_import *import, const struct aiMaterial *from, const struct aiString *name,
                          cp_material *material)
{
    struct aiColor4D colour;
    if (assimp.aiGetMaterialColor(from, AI_MATKEY_COLOR_EMISSIVE, &colour) != aiReturn_SUCCESS)
        return;
    material->emissive[0] = linear_from_srgb(unit_range(import, name, colour.r));
    material->emissive[1] = linear_from_srgb(unit_range(import, name, colour.g));
    material->emissive[2] = linear_from_srgb(unit_range(import, name, colour.b));
}

static cp_status copy_material(struct assimp_import *import, const struct aiMaterial *from, uint32_t *added,
                               bool *textured)
{
    struct aiString name = {0};
    int two_sided = 0;
    float opacity;
    assimp.aiGetMaterialString(from, AI_MATKEY_NAME, &name);
    struct aiColor4D colour = {0.6f, 0.6f, 0.6f, 1}; /* assimp's own default */
    if (assimp.aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &colour) != aiReturn_SUCCESS)
        assimp.aiGetMaterialColor(from, AI_MATKEY_BASE_COLOR, &colour);
    if (assimp.aiGetMaterialFloatArray(from, AI_MATKEY_OPACITY, &opacity, NULL) == aiReturn_SUCCESS)
        colour.a = opacity;
    *added = CP_NONE;
    *textured = false;
    if (is_invented(&name))
        return CP_OK;
    const char *text = copy_text(import, &name);
    const double rgba[4] = {unit_range(import, &name, colour.r), unit_range(import, &name, colour.g),
                            unit_range(import, &name, colour.b), unit_range(import, &name, colour.a)};
    if (!text)
        return CP_LIMIT;
    *added = scene_add_material(import->scene, text, rgba, true);
    if (*added == CP_NONE)
        return CP_LIMIT;
    assimp.aiGetMaterialIntegerArray(from, AI_MATKEY_TWOSIDED, &two_sided, NULL);
    import->scene->materials[*added].two_sided = two_sided != 0;
    copy_emission(import, from, &name, &import->scene->materials[*added]);
    cp_status status = copy_texture(import, from, &import->scene->materials[*added], textured);
    for (unsigned i = 0; i < from->mNumProperties && status == CP_OK; i++)
        status = copy_property(import, *added, from->mProperties[i]);
    return status;
}

cp_status copy_materials(struct assimp_import *import)
{
    const struct aiScene *from = import->from;
    uint64_t textures = 0;
    for (unsigned i = 0; i < from->mNumMaterials; i++) {
        bool textured;
        cp_status status = copy_material(import, from->mMaterials[i], &import->materials[i], &textured);
        if (status != CP_OK)
            return status;
        textures -= textured;
        for (int type = aiTextureType_NONE; type <= AI_TEXTURE_TYPE_MAX; type++)
            textures += assimp.aiGetMaterialTextureCount(from->mMaterials[i], (enum aiTextureType)type);
    }
    if (textures > 0)
        report_loss(import->context, "assimp-textures", IN_FILE(import->file), textures, "textures");
    return CP_OK;
}

#endif

/* Materials: the diffuse colour, the opacity, two-sidedness. What else a material says (numbers and colours that are
 * not neutral) is kept as metadata; textures are counted as lost. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

const char *copy_text(struct assimp_import *import, const struct aiString *text)
{
    size_t size = text->length < MAXLEN ? text->length : MAXLEN - 1;
    return utf8_from(import->scene->arena, text->data, size, NULL);
}

static bool is_grey(const struct aiColor4D *colour, float level)
{
    return colour->r == level && colour->g == level && colour->b == level;
}

/* A mesh without material gets one from assimp: "DefaultMaterial", "%%%DEFAULT" (3DS), or a nameless grey (OFF: 0.6) or
 * white (PLY). */
static bool is_invented(const struct assimp_import *import, const struct aiString *name, const struct aiColor4D *colour)
{
    if (name->length)
        return strcmp(name->data, AI_DEFAULT_MATERIAL_NAME) == 0 || strcmp(name->data, "%%%DEFAULT") == 0;
    return import->format->invents_materials && (is_grey(colour, 1) || is_grey(colour, 0.6f));
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
    static const char *const told[] = {"?mat.name",     "$clr.diffuse",  "$clr.base",       "$mat.opacity",
                                       "$mat.twosided", "$mat.shadingm", "$clr.transparent"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(key, told[i]) == 0)
            return true;
    return strncmp(key, "$tex.", 5) == 0 || strncmp(key, "$raw.", 5) == 0;
}

/* The value that assimp gives when the file says nothing. */
static float neutral_value(const char *key)
{
    static const char *const ones[] = {"$mat.refracti", "$mat.shinpercent", "$mat.bumpscaling"};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (strcmp(key, ones[i]) == 0)
            return 1;
    return 0;
}

/* A number or colour as metadata "1" or "[1,2,3]"; not if all numbers (an alpha aside) are neutral, or one is none in
 * JSON. */
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

/* ---- materials ---- */

static cp_status copy_material(struct assimp_import *import, const struct aiMaterial *from, uint32_t *added)
{
    struct aiString name = {0};
    int two_sided = 0;
    float opacity;
    aiGetMaterialString(from, AI_MATKEY_NAME, &name);
    struct aiColor4D colour = {0.6f, 0.6f, 0.6f, 1}; /* assimp's own default */
    if (aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &colour) != aiReturn_SUCCESS)
        aiGetMaterialColor(from, AI_MATKEY_BASE_COLOR, &colour);
    if (aiGetMaterialFloatArray(from, AI_MATKEY_OPACITY, &opacity, NULL) == aiReturn_SUCCESS)
        colour.a = opacity;
    *added = CP_NONE;
    if (is_invented(import, &name, &colour))
        return CP_OK;
    const char *text = copy_text(import, &name);
    const double rgba[4] = {unit_range(import, &name, colour.r), unit_range(import, &name, colour.g),
                            unit_range(import, &name, colour.b), unit_range(import, &name, colour.a)};
    if (!text)
        return CP_LIMIT;
    *added = scene_add_material(import->scene, text, rgba, true);
    if (*added == CP_NONE)
        return CP_LIMIT;
    aiGetMaterialIntegerArray(from, AI_MATKEY_TWOSIDED, &two_sided, NULL);
    import->scene->materials[*added].two_sided = two_sided != 0;
    cp_status status = CP_OK;
    for (unsigned i = 0; i < from->mNumProperties && status == CP_OK; i++)
        status = copy_property(import, *added, from->mProperties[i]);
    return status;
}

cp_status copy_materials(struct assimp_import *import)
{
    const struct aiScene *from = import->from;
    uint64_t textures = from->mNumTextures;
    for (unsigned i = 0; i < from->mNumMaterials; i++) {
        cp_status status = copy_material(import, from->mMaterials[i], &import->materials[i]);
        if (status != CP_OK)
            return status;
        for (int type = aiTextureType_NONE; type <= AI_TEXTURE_TYPE_MAX; type++)
            textures += aiGetMaterialTextureCount(from->mMaterials[i], (enum aiTextureType)type);
    }
    if (textures)
        report_loss(import->context, "assimp-textures", IN_FILE(import->file), textures, "textures");
    return CP_OK;
}

#endif

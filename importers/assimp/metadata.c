/* Metadata of the scene and of nodes: what is told elsewhere, empty or zero is left out. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

/* assimp/ColladaMetaData.h */
#define COLLADA_ID "Collada_id"

static bool is_told_already(const char *key)
{
    static const char *const told[] = {"SourceAsset_Format", "SourceAsset_FormatVersion"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(key, told[i]) == 0)
            return true;
    return false;
}

static bool print_double_value(struct buffer *out, double value)
{
    buffer_double(out, value);
    return isfinite(value) && value != 0;
}

/* Prints an entry's value; false when there is nothing to keep. */
static bool print_value(struct assimp_import *import, const struct aiMetadataEntry *entry, struct buffer *out)
{
    uint64_t whole = 0;
    int32_t integer;
    float single;
    double number;
    switch (entry->mType) {
    case AI_BOOL:
        buffer_text(out, "true");
        return *(const unsigned char *)entry->mData != 0;
    case AI_INT32:
        memcpy(&integer, entry->mData, sizeof integer);
        return print_double_value(out, integer);
    case AI_UINT64:
        memcpy(&whole, entry->mData, sizeof whole);
        buffer_print(out, "%llu", (unsigned long long)whole);
        return whole != 0;
    case AI_FLOAT:
        memcpy(&single, entry->mData, sizeof single);
        buffer_float(out, single);
        return isfinite(single) && single != 0;
    case AI_DOUBLE:
        memcpy(&number, entry->mData, sizeof number);
        return print_double_value(out, number);
    default:
        report_loss(import->context, "assimp-metadata", IN_FILE(import->file), 1,
                    "vectors and nested values of metadata");
        return false;
    }
}

/* A Collada node's id is the node's id; a visual scene's says nothing. */
static cp_status copy_id(struct assimp_import *import, const struct aiString *text, uint32_t node)
{
    const char *id = node ? copy_text(import, text) : "";
    if (!id)
        return CP_LIMIT;
    if (*id) {
        cp_node *owner = &import->scene->nodes[node];
        owner->id = id;
        if (!*owner->name)
            owner->name = id;
    }
    return CP_OK;
}

static cp_status copy_string(struct assimp_import *import, const char *key, const struct aiString *text, uint32_t node)
{
    const char *value = copy_text(import, text);
    if (!value)
        return CP_LIMIT;
    if (!*value)
        return CP_OK;
    return scene_add_metadata(import->scene, node ? CP_OWNER_NODE : CP_OWNER_SCENE, node, key, CP_VALUE_STRING, value)
               ? CP_OK
               : CP_LIMIT;
}

static cp_status copy_entry(struct assimp_import *import, const char *key, const struct aiMetadataEntry *entry,
                            uint32_t node)
{
    if (entry->mType == AI_AISTRING && strcmp(key, COLLADA_ID) == 0)
        return copy_id(import, entry->mData, node);
    if (entry->mType == AI_AISTRING)
        return copy_string(import, key, entry->mData, node);
    struct buffer value = {.context = import->context};
    cp_status status = CP_OK;
    bool told = print_value(import, entry, &value);
    buffer_append(&value, "", 1);
    if (value.failed)
        status = CP_LIMIT;
    else if (told && !scene_add_metadata(import->scene, node ? CP_OWNER_NODE : CP_OWNER_SCENE, node, key,
                                         entry->mType == AI_BOOL ? CP_VALUE_BOOLEAN : CP_VALUE_NUMBER, value.data))
        status = CP_LIMIT;
    buffer_free(&value);
    return status;
}

cp_status copy_metadata(struct assimp_import *import, const struct aiMetadata *metadata, uint32_t node)
{
    cp_status status = CP_OK;
    for (unsigned i = 0; metadata && i < metadata->mNumProperties && status == CP_OK; i++) {
        const char *key = copy_text(import, &metadata->mKeys[i]);
        if (!key)
            return CP_LIMIT;
        if (*key && metadata->mValues[i].mData && !is_told_already(key))
            status = copy_entry(import, key, &metadata->mValues[i], node);
    }
    return status;
}

#endif

/* Metadata of the scene and of nodes. Entries that are empty or zero, or that the scene has elsewhere, are left out. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

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

/* Copies metadata with the value's text. */
static cp_status copy_entry(struct assimp_import *import, const char *key, const struct aiMetadataEntry *entry,
                            uint32_t node)
{
    cp_owner owner = node ? CP_OWNER_NODE : CP_OWNER_SCENE;
    if (entry->mType == AI_AISTRING) {
        const char *text = copy_text(import, entry->mData);
        if (!text || !*text)
            return text ? CP_OK : CP_LIMIT;
        return scene_add_metadata(import->scene, owner, node, key, CP_VALUE_STRING, text) ? CP_OK : CP_LIMIT;
    }
    struct buffer value = {.context = import->context};
    cp_value_type type = entry->mType == AI_BOOL ? CP_VALUE_BOOLEAN : CP_VALUE_NUMBER;
    bool told = print_value(import, entry, &value);
    buffer_append(&value, "", 1);
    bool kept = !value.failed && (!told || scene_add_metadata(import->scene, owner, node, key, type, value.data));
    buffer_free(&value);
    return kept ? CP_OK : CP_LIMIT;
}

cp_status copy_metadata(struct assimp_import *import, const struct aiMetadata *metadata, uint32_t node)
{
    cp_status status = CP_OK;
    for (unsigned i = 0; metadata && i < metadata->mNumProperties && status == CP_OK; i++) {
        const char *key = copy_text(import, &metadata->mKeys[i]);
        if (!key)
            return CP_LIMIT;
        bool told = strcmp(key, "SourceAsset_Format") == 0 || strcmp(key, "SourceAsset_FormatVersion") == 0;
        if (*key && metadata->mValues[i].mData && !told)
            status = copy_entry(import, key, &metadata->mValues[i], node);
    }
    return status;
}

#endif

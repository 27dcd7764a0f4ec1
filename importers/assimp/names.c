/* Finds names that assimp's readers replace. 3DS: meshes are named by their number among the objects, and so are nodes
 * if the file has no hierarchy (keyframer). */
#include "assimp.h"

#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <string.h>

enum { CHUNK_MAIN = 0x4d4d, CHUNK_EDITOR = 0x3d3d, CHUNK_OBJECT = 0x4000, CHUNK_MESH = 0x4100, CHUNK_HEAD = 6 };

struct chunk {
    unsigned id;
    const char *data, *end;
};

/* Reads the chunk at *at, and skips it; false at the end. */
static bool next_chunk(const char **at, const char *end, struct chunk *chunk)
{
    if (end - *at < CHUNK_HEAD)
        return false;
    const unsigned char *b = (const unsigned char *)*at;
    uint32_t size = (uint32_t)b[2] | (uint32_t)b[3] << 8 | (uint32_t)b[4] << 16 | (uint32_t)b[5] << 24;
    size_t left = (size_t)(end - *at);
    if (size < CHUNK_HEAD || size > left)
        size = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
    *chunk = (struct chunk){(unsigned)b[0] | (unsigned)b[1] << 8, *at + CHUNK_HEAD, *at + size};
    *at += size;
    return true;
}

/* Keeps the name of an object that is a mesh. */
static cp_status note_object(struct assimp_import *import, const struct chunk *object)
{
    const char *at = memchr(object->data, '\0', (size_t)(object->end - object->data));
    struct chunk part;
    if (!at)
        return CP_OK;
    const char *name = utf8_from(import->scene->arena, object->data, (size_t)(at - object->data), NULL);
    if (!name)
        return CP_LIMIT;
    for (at++; next_chunk(&at, object->end, &part);) {
        if (part.id != CHUNK_MESH)
            continue;
        if (!array_add(import->context, &import->objects, &import->object_room, &import->object_count, &name,
                       sizeof name))
            return CP_LIMIT;
    }
    return CP_OK;
}

cp_status find_object_names(struct assimp_import *import)
{
    const char *at = import->source->data, *end = at + import->source->size;
    struct chunk main_chunk, editor, object;
    cp_status status = CP_OK;
    if (!import->format->numbers_objects || !next_chunk(&at, end, &main_chunk) || main_chunk.id != CHUNK_MAIN)
        return CP_OK;
    for (at = main_chunk.data; status == CP_OK && next_chunk(&at, main_chunk.end, &editor);) {
        if (editor.id != CHUNK_EDITOR)
            continue;
        for (const char *in = editor.data; status == CP_OK && next_chunk(&in, editor.end, &object);)
            if (object.id == CHUNK_OBJECT)
                status = note_object(import, &object);
    }
    return status;
}

/* Returns the object's name for a number such as "12", which assimp gives the 13th object. */
static const char *find_object(const struct assimp_import *import, const char *text)
{
    uint64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && number < import->object_count; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    return at == text || *at || number >= import->object_count ? NULL : import->objects[number];
}

/* ---- names ---- */

const char *name_of_mesh(struct assimp_import *import, const struct aiMesh *mesh)
{
    const char *object = find_object(import, mesh->mName.data);
    if (object)
        return object;
    return copy_text(import, &mesh->mName);
}

const char *name_of_node(struct assimp_import *import, const struct aiNode *node)
{
    static const char number[] = "3DSMesh_";
    const struct aiScene *from = import->from;
    const char *name = node->mName.data;
    if (import->object_count && strncmp(name, number, sizeof number - 1) == 0 && node->mNumMeshes == 1 &&
        node->mMeshes[0] < from->mNumMeshes) {
        const char *object = find_object(import, from->mMeshes[node->mMeshes[0]]->mName.data);
        return object ? object : name;
    }
    return name;
}

#endif

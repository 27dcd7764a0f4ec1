/* References: "#id" in the same document, "other.dae#id" in another one, which is opened when it is first needed. */
#include "collada.h"

#include "base/text/text.h"

static const char *const kind_names[COLLADA_KINDS] = {
    [COLLADA_SOURCES] = "a source",         [COLLADA_ARRAYS] = "an array",   [COLLADA_GEOMETRIES] = "a geometry",
    [COLLADA_CONTROLLERS] = "a controller", [COLLADA_EFFECTS] = "an effect", [COLLADA_MATERIALS] = "a material",
    [COLLADA_IMAGES] = "an image",          [COLLADA_NODES] = "a node",      [COLLADA_SCENES] = "a visual scene",
};

static uint32_t find_id(const struct collada_document *document, enum collada_kind kind, const char *id)
{
    const uint32_t *row = name_map_find(&document->ids[kind], id);
    return row ? *row : CP_NONE;
}

/* Finds an open document by the path that a name leads to from the folder of another one. */
static struct collada_document *find_open(const struct collada *collada, const char *path)
{
    for (uint32_t i = 0; i < collada->document_count; i++)
        if (*path && strcmp(collada->documents[i]->source->path, path) == 0)
            return collada->documents[i];
    return NULL;
}

/* Opens the document in the file, or finds it open. *opened NULL: it is not there, which is reported once. */
static cp_status open_further(struct collada_document *document, const char *name, struct collada_document **opened)
{
    struct collada *collada = document->collada;
    const char *file = uri_decoded(collada->arena, name);
    if (!file)
        return CP_LIMIT;
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    const char *path = arena_print(collada->arena, "%s%s", document->source->folder, file);
    const char *key = path && *document->source->folder ? path : file; /* a document in memory has no folder */
    const uint32_t *known = path ? name_map_find(&collada->known, key) : NULL;
    *opened = known && *known != CP_NONE ? collada->documents[*known] : path ? find_open(collada, path) : NULL;
    if (!path || known || *opened)
        return path ? CP_OK : CP_LIMIT;
    struct source *source = NULL;
    cp_status status = source_open_near(document->source, name, NULL, &source);
    uint32_t number = status == CP_OK ? collada->document_count : CP_NONE;
    if (status == CP_NO)
        report_loss(collada->context, "collada-file", IN_FILE(document->source->name), 1,
                    "what is in the file \"%.200s\", which %s", name,
                    resolve_absence(document->source, collada->arena, name));
    else if (status == CP_OK)
        status = collada_open(collada, source, opened);
    if (status != CP_OK && status != CP_NO)
        return status;
    return name_map_add(&collada->known, key, number, NULL) ? CP_OK : CP_LIMIT;
}

/* Finds the element of another file; without an id it is the first of its kind, or the scene that the file shows. */
static cp_status find_further(struct collada_document *document, enum collada_kind kind, const char *reference,
                              const char *hash, struct collada_document **owner, uint32_t *row)
{
    struct arena *arena = document->collada->arena;
    size_t size = hash ? (size_t)(hash - reference) : strlen(reference);
    const char *name = arena_copy_text(arena, reference, size);
    cp_status status = name ? open_further(document, name, owner) : CP_LIMIT;
    if (status != CP_OK || !*owner)
        return status;
    const uint32_t counts[COLLADA_KINDS] = {[COLLADA_GEOMETRIES] = (*owner)->geometry_count,
                                            [COLLADA_EFFECTS] = (*owner)->effect_count,
                                            [COLLADA_MATERIALS] = (*owner)->material_count,
                                            [COLLADA_IMAGES] = (*owner)->image_count,
                                            [COLLADA_NODES] = (*owner)->node_count,
                                            [COLLADA_SCENES] = (*owner)->scene_count,
                                            [COLLADA_CONTROLLERS] = (*owner)->controller_count};
    const char *id = hash ? hash + 1 : kind == COLLADA_SCENES && (*owner)->shown ? (*owner)->shown + 1 : NULL;
    *row = id ? find_id(*owner, kind, id) : counts[kind] > 0 ? 0 : CP_NONE;
    return CP_OK;
}

cp_status collada_find(struct collada_document *document, enum collada_kind kind, const char *reference,
                       struct collada_document **owner, uint32_t *row)
{
    const char *hash = strchr(reference, '#'), *id = hash == reference ? hash + 1 : reference;
    *owner = document;
    *row = find_id(document, kind, id);
    if (*row != CP_NONE)
        return CP_OK;
    const char *decoded = uri_decoded(document->collada->arena, id);
    if (!decoded)
        return CP_LIMIT;
    *row = find_id(document, kind, decoded);
    cp_status status = CP_OK;
    bool is_file = hash ? hash > reference : strchr(reference, '.') != NULL; /* else it is an id without its # */
    if (*row == CP_NONE && is_file)
        status = find_further(document, kind, reference, hash, owner, row);
    if (status == CP_OK && *row == CP_NONE && *owner)
        report_loss(document->collada->context, "collada-reference", IN_FILE(document->source->name), 1,
                    "%s that is not there: \"%.200s\"", kind_names[kind], reference);
    return status;
}

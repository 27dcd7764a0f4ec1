/* Checks Collada meshes: each index must be there, and within its source. */
#include "collada.h"

#ifdef HAVE_ASSIMP

#include <string.h>

enum { MOST_OFFSETS = 256 };

static const struct primitive {
    const char *name;
    uint32_t corners; /* corners of each; 0: as many as <vcount> or <p> give */
    uint32_t least;   /* corners in a <p> */
} primitives[] = {
    {"triangles", 3, 0}, {"lines", 2, 0},     {"polylist", 0, 0},   {"polygons", 0, 1},
    {"trifans", 0, 3},   {"tristrips", 0, 3}, {"linestrips", 0, 2},
};

static const struct primitive *find_primitive(const char *name)
{
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strcmp(primitives[i].name, name) == 0)
            return &primitives[i];
    return NULL;
}

bool dae_is_primitive(const char *name)
{
    return find_primitive(name) != NULL;
}

/* Tells whether assimp reads the semantic by its index. */
static bool is_read(const char *semantic)
{
    static const char *const read[] = {"POSITION", "NORMAL",   "TEXCOORD",   "COLOR",
                                       "TANGENT",  "BINORMAL", "TEXTANGENT", "TEXBINORMAL"};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (strcmp(read[i], semantic) == 0)
            return true;
    return false;
}

/* Checks the open <input>; *end: its indices are below. */
static cp_status check_input(struct dae *dae, const struct dae_sources *sources, uint64_t *end)
{
    const char *semantic = xml_attribute(&dae->xml, "semantic"), *reference = xml_attribute(&dae->xml, "source");
    *end = UINT64_MAX;
    if (!semantic || !reference)
        return dae_error(dae, "an <input> without semantic or source");
    if (!is_read(semantic))
        return CP_OK;
    const struct dae_source *source = dae_find_source(sources, reference);
    if (!source || !source->known || !source->numbers)
        return dae_error(dae, "the input %.40s names \"%.100s\", which is no source of numbers before it", semantic,
                         reference);
    if ((strcmp(semantic, "POSITION") == 0 || strcmp(semantic, "NORMAL") == 0) && !source->xyz)
        return dae_error(dae, "the source of the input %.40s has no parameters X, Y and Z", semantic);
    *end = source->count;
    return CP_OK;
}

cp_status dae_check_vertices(struct dae *dae, const struct dae_sources *sources, struct dae_links *links,
                             struct dae_mesh *mesh)
{
    const char *id = xml_attribute(&dae->xml, "id");
    uint32_t depth = dae->xml.depth;
    mesh->vertices = id ? arena_copy_text(dae->arena, id, strlen(id)) : NULL;
    if (id && !mesh->vertices)
        return CP_LIMIT;
    mesh->vertex_end = UINT64_MAX;
    while (xml_child(&dae->xml, depth)) {
        uint64_t end;
        if (strcmp(dae->xml.name, "input") != 0)
            continue;
        const char *semantic = xml_attribute(&dae->xml, "semantic");
        bool positions = semantic && strcmp(semantic, "POSITION") == 0;
        cp_status status = check_input(dae, sources, &end);
        if (status != CP_OK)
            return status;
        mesh->vertex_end = end < mesh->vertex_end ? end : mesh->vertex_end;
        if (!positions || !mesh->geometry)
            continue;
        uint32_t *count = name_map_add(&links->ids, mesh->geometry, 0, NULL);
        if (!count)
            return CP_LIMIT;
        *count = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
    }
    return dae->xml.status;
}

/* The inputs of a primitive. */
struct mesh_inputs {
    uint64_t ends[MOST_OFFSETS]; /* indexed by offset: the indices are below */
    uint32_t stride;
    bool vertices;
};

static cp_status add_input(struct dae *dae, const struct dae_sources *sources, const struct dae_mesh *mesh,
                           struct mesh_inputs *inputs)
{
    const char *semantic = xml_attribute(&dae->xml, "semantic"), *source = xml_attribute(&dae->xml, "source");
    uint64_t offset, end;
    cp_status status = dae_number(dae, "offset", 0, &offset);
    if (status != CP_OK)
        return status;
    if (offset >= MOST_OFFSETS)
        return dae_error(dae, "an <input> with the offset %llu", (unsigned long long)offset);
    if (semantic && source && strcmp(semantic, "VERTEX") == 0) {
        if (!mesh->vertices || *source != '#' || strcmp(source + 1, mesh->vertices) != 0)
            return dae_error(dae, "the input VERTEX names \"%.100s\", which are not the vertices of the mesh", source);
        end = mesh->vertex_end;
        inputs->vertices = true;
    } else {
        status = check_input(dae, sources, &end);
    }
    inputs->ends[offset] = end < inputs->ends[offset] ? end : inputs->ends[offset];
    inputs->stride = inputs->stride > offset ? inputs->stride : (uint32_t)offset + 1;
    return status;
}

/* Checks the text of <p>: whole corners, each index within its source. *corners: how many. */
static cp_status check_indices(struct dae *dae, const struct mesh_inputs *inputs, uint64_t *corners)
{
    const char *text = xml_text(&dae->xml);
    uint64_t index, count = 0;
    bool bad = false;
    if (!text)
        return dae->xml.status;
    for (uint32_t offset = 0; dae_next_index(&text, &index, &bad); count++) {
        if (index >= inputs->ends[offset])
            return dae_error(dae, "index %llu of <p> names element %llu of %llu", (unsigned long long)count + 1,
                             (unsigned long long)index, (unsigned long long)inputs->ends[offset]);
        offset = offset + 1 < inputs->stride ? offset + 1 : 0;
    }
    if (bad)
        return dae_error(dae, "<p> holds what is no index: %.20s", text);
    *corners = count / inputs->stride;
    return count % inputs->stride == 0 ? CP_OK
                                       : dae_error(dae, "<p> has %llu indices, %u for each corner",
                                                   (unsigned long long)count, (unsigned)inputs->stride);
}

/* *sum: of the corners of all polygons. */
static cp_status check_corner_counts(struct dae *dae, uint64_t count, uint64_t *sum)
{
    const char *text = xml_text(&dae->xml);
    uint64_t corners, seen = 0;
    bool bad = false;
    *sum = 0;
    if (!text)
        return dae->xml.status;
    for (; dae_next_index(&text, &corners, &bad); seen++)
        *sum += corners;
    if (!bad && seen == count)
        return CP_OK;
    return bad ? dae_error(dae, "<vcount> holds what is no count: %.20s", text)
               : dae_error(dae, "<vcount> has %llu counts of %llu polygons", (unsigned long long)seen,
                           (unsigned long long)count);
}

/* Checks the number of <p>. assimp ends the process, or refuses the file without a line, if there are fewer or more
 * than it expects: one for triangles and for a <polylist>, one for each of <polygons>, any number for others unless
 * they are said to be none. */
static cp_status check_text_count(struct dae *dae, const struct primitive *primitive, uint64_t line, uint64_t count,
                                  uint64_t texts)
{
    bool polygons = strcmp(primitive->name, "polygons") == 0, strips = !polygons && primitive->least > 0;
    bool once = primitive->corners == 3 || strcmp(primitive->name, "polylist") == 0;
    bool good = polygons ? texts == count : count == 0 ? texts == 0 || !strips : once ? texts == 1 : texts >= 1;
    return good ? CP_OK
                : dae_error_at(dae, line, "<%s> of %llu with %llu <p>", primitive->name, (unsigned long long)count,
                               (unsigned long long)texts);
}

cp_status dae_check_primitive(struct dae *dae, const struct dae_sources *sources, const struct dae_mesh *mesh)
{
    const struct primitive *primitive = find_primitive(dae->xml.name);
    struct mesh_inputs inputs = {.stride = 1};
    uint32_t depth = dae->xml.depth;
    bool polylist = strcmp(primitive->name, "polylist") == 0;
    uint64_t count, corners = 0, wanted, texts = 0, line = dae->xml.line;
    cp_status status = dae_number(dae, "count", 0, &count);
    memset(inputs.ends, 0xff, sizeof inputs.ends);
    wanted = polylist ? 0 : count * primitive->corners;
    while (status == CP_OK && xml_child(&dae->xml, depth)) {
        if (strcmp(dae->xml.name, "input") == 0) {
            status = add_input(dae, sources, mesh, &inputs);
        } else if (strcmp(dae->xml.name, "vcount") == 0) {
            status = check_corner_counts(dae, count, &wanted);
        } else if (strcmp(dae->xml.name, "p") == 0) {
            if (!inputs.vertices)
                return dae_error(dae, "<%s> without an input VERTEX before its <p>", primitive->name);
            status = check_indices(dae, &inputs, &corners);
            texts++;
            bool counted = polylist || (primitive->corners == 3 && wanted > 0);
            if (status == CP_OK && (counted ? corners != wanted : corners < primitive->least))
                status = dae_error(dae, "<p> of <%s> has %llu corners, not %s%llu", primitive->name,
                                   (unsigned long long)corners, counted ? "" : "at least ",
                                   (unsigned long long)(counted ? wanted : primitive->least));
        } else if (strcmp(dae->xml.name, "ph") == 0) {
            dae->holes++;
        }
    }
    if (status == CP_OK)
        status = dae->xml.status;
    return status == CP_OK ? check_text_count(dae, primitive, line, count, texts) : status;
}

#endif

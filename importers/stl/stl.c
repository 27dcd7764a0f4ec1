/* STL: triangles and nothing else, in an ASCII and a binary form.
 *
 * Specification: 3D Systems, "StereoLithography Interface Specification" (1988, 1989), known through M. Burns,
 * "Automated Fabrication", section 6.5. It was never revised; what counts is what programs write:
 *   - binary headers that begin with "solid" (SolidWorks, some exporters of Pro/E and CATIA);
 *   - a facet count of 0 or 0xFFFFFFFF from programs that write to a pipe and never come back to the header;
 *   - bytes after the last facet (colour blocks, padding of transfer protocols);
 *   - colours in the two attribute bytes: VisCAM and SolidView one way, Materialise Magics another, MeshLab (vcglib) a
 *     third (see binary.c);
 *   - ASCII with CR LF (RobWork's library), lone CR, upper case, several solids, no normals, polygons, "nan" normals.
 *
 * Behaviour and limitations:
 *   - A node and a mesh a solid, named by it, or by the file where it has no name (binary: always).
 *   - Vertices are joined where their bits are equal, and stay as they are; unit and axes go into the instance's
 *     transform. Facets keep their order, degenerate ones too (counted in a note).
 *   - Facet normals are not vertex normals: they are dropped. Where one opposes its facet's winding, the winding holds
 *     (counted in a note).
 *   - The text of a binary header is taken as a comment, but for Materialise's colours.
 *   - Big-endian binary files are not known. */
#include "stl.h"

bool stl_reserve_corners(struct stl_reader *reader, uint64_t more)
{
    struct stl_solid *solid = &reader->solid;
    if (solid->corner_count + more > UINT32_MAX - 1) {
        report_error(reader->context, CP_LIMIT, "stl-large", IN_FILE(reader->source->name),
                     "a solid of more than %u corners", UINT32_MAX - 1);
        return false;
    }
    if (solid->corner_count + more <= solid->corner_room)
        return true;
    void *corners = solid->corners;
    bool done =
        array_reserve(reader->context, &corners, &solid->corner_room, solid->corner_count + more, 3 * sizeof(float));
    solid->corners = corners;
    return done;
}

/* Twice the area vector of a facet, exact enough that collinear corners give zero. */
static void facet_area(const float *corners, uint32_t count, double area[3])
{
    area[0] = area[1] = area[2] = 0;
    double a[3], b[3];
    for (size_t i = 1; i + 1 < count; i++) {
        for (size_t k = 0; k < 3; k++) {
            a[k] = (double)corners[3 * i + k] - (double)corners[k];
            b[k] = (double)corners[3 * (i + 1) + k] - (double)corners[k];
        }
        area[0] += a[1] * b[2] - a[2] * b[1];
        area[1] += a[2] * b[0] - a[0] * b[2];
        area[2] += a[0] * b[1] - a[1] * b[0];
    }
}

static void count_oddities(struct stl_reader *reader, const float *corners, uint32_t count, const float *normal)
{
    double area[3];
    facet_area(corners, count, area);
    if (area[0] == 0 && area[1] == 0 && area[2] == 0)
        reader->degenerate++;
    else if (normal && area[0] * (double)normal[0] + area[1] * (double)normal[1] + area[2] * (double)normal[2] < 0)
        reader->opposed++;
}

/* Keeps where the facet ends, from the first facet that is no triangle on; those before it follow from their number. */
static bool add_end(struct stl_reader *reader)
{
    struct stl_solid *solid = &reader->solid;
    void *ends = solid->ends;
    bool done =
        array_reserve(reader->context, &ends, &solid->end_room, (uint64_t)solid->facet_count + 1, sizeof(uint32_t));
    solid->ends = ends;
    if (!done)
        return false;
    for (uint32_t i = 0; !solid->has_polygons && i < solid->facet_count; i++)
        solid->ends[i] = 3 * (i + 1);
    solid->has_polygons = true;
    solid->ends[solid->facet_count] = solid->corner_count;
    return true;
}

bool stl_add_facet(struct stl_reader *reader, uint32_t first, const float *normal)
{
    struct stl_solid *solid = &reader->solid;
    uint32_t count = solid->corner_count - first;
    if ((count != 3 || solid->has_polygons) && !add_end(reader))
        return false;
    count_oddities(reader, solid->corners + 3 * (size_t)first, count, normal);
    reader->polygons += count != 3;
    reader->without_normal += normal == NULL;
    reader->facets++;
    solid->facet_count++;
    return true;
}

/* A solid without a name goes by its file. */
static const char *file_stem(const struct source *source, size_t *size)
{
    const char *stem = text_stem(source->name, size);
    if (*size > 0)
        return stem;
    *size = 5;
    return "solid";
}

static cp_pose source_pose(const struct stl_settings *settings)
{
    cp_pose scaling = pose_scaling(settings->unit, settings->unit, settings->unit);
    cp_pose turn = pose_z_up_from_y_up();
    return settings->up == CP_UP_Y ? pose_multiply(&scaling, &turn) : scaling;
}

static bool fill_offsets(struct stl_reader *reader, cp_mesh *mesh)
{
    const struct stl_solid *solid = &reader->solid;
    if (!solid->has_polygons)
        return true;
    uint32_t *offsets = scene_allocate(reader->scene, (size_t)solid->facet_count + 1, sizeof *offsets);
    if (!offsets)
        return false;
    offsets[0] = 0;
    memcpy(offsets + 1, solid->ends, solid->facet_count * sizeof *offsets);
    mesh->face_offsets = offsets;
    return true;
}

static cp_status fill_mesh(struct stl_reader *reader, cp_mesh *mesh)
{
    const struct stl_solid *solid = &reader->solid;
    uint32_t *corners = scene_allocate(reader->scene, solid->corner_count, sizeof *corners);
    if (!corners || !fill_offsets(reader, mesh))
        return CP_LIMIT;
    float *positions = NULL;
    cp_status status = mesh_index_positions(reader->scene, solid->corners, 3, solid->corner_count, corners, &positions,
                                            &mesh->vertex_count);
    mesh->kind = CP_MESH_FACES;
    mesh->positions = positions;
    mesh->corners = corners;
    mesh->corner_count = solid->corner_count;
    mesh->face_count = solid->facet_count;
    mesh->groups = solid->groups;
    mesh->group_count = solid->group_count;
    return status;
}

static void begin_solid(struct stl_solid *solid)
{
    solid->corner_count = solid->facet_count = solid->group_count = 0;
    solid->groups = NULL;
    solid->has_polygons = false;
}

cp_status stl_add_solid(struct stl_reader *reader, const char *name, size_t size)
{
    cp_scene *scene = reader->scene;
    if (size == 0)
        name = file_stem(reader->source, &size);
    uint32_t node = scene_add_node(scene, 0, name, size);
    if (node == CP_NONE)
        return CP_LIMIT;
    cp_mesh mesh = {.name = scene->nodes[node].name, .source = scene->source.file};
    cp_status status = fill_mesh(reader, &mesh);
    if (status != CP_OK)
        return status;
    uint32_t index = scene_add_mesh(scene, &mesh);
    cp_pose pose = source_pose(reader->settings);
    if (index == CP_NONE || scene_add_instance(scene, node, index, CP_USE_BOTH, &pose) == CP_NONE)
        return CP_LIMIT;
    begin_solid(&reader->solid);
    return CP_OK;
}

static cp_status report_lenient_count(const struct stl_reader *reader, const char *code, uint64_t count,
                                      const char *what)
{
    if (count == 0)
        return CP_OK;
    return report_lenient(reader->context, reader->settings->import.strict, code, IN_FILE(reader->source->name),
                          "%s: %llu of %llu", what, (unsigned long long)count, (unsigned long long)reader->facets);
}

static cp_status report_oddities(const struct stl_reader *reader)
{
    cp_context *context = reader->context;
    struct place file = IN_FILE(reader->source->name);
    if (reader->degenerate)
        report_note(context, "stl-degenerate", file, "degenerate facets, kept: %llu of %llu",
                    (unsigned long long)reader->degenerate, (unsigned long long)reader->facets);
    if (reader->opposed)
        report_note(context, "stl-opposed", file,
                    "facets whose normal opposes their winding, which holds: %llu of %llu",
                    (unsigned long long)reader->opposed, (unsigned long long)reader->facets);
    cp_status status = report_lenient_count(reader, "stl-polygon", reader->polygons, "facets of more than 3 vertices");
    if (status == CP_OK)
        status = report_lenient_count(reader, "stl-no-normal", reader->without_normal, "facets without a normal");
    return status;
}

static cp_status read_stl(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct stl_reader reader = {.context = context, .source = source, .scene = scene, .settings = settings};
    scene->source.unit = reader.settings->unit;
    scene->source.up = (cp_up)reader.settings->up;
    cp_status status =
        stl_is_ascii(source->data, source->size, source->size) ? stl_read_ascii(&reader) : stl_read_binary(&reader);
    memory_free(context, reader.solid.corners, reader.solid.corner_room, 3 * sizeof(float));
    memory_free(context, reader.solid.ends, reader.solid.end_room, sizeof(uint32_t));
    if (status == CP_OK)
        status = report_oddities(&reader);
    return status == CP_OK ? scene_finish(scene) : status;
}

/* Sure by an exact size or by the keywords; a binary file of another size only by what its facets look like. */
static int probe_stl(const char *head, size_t size, uint64_t file_size)
{
    if (stl_is_exact_binary(head, size, file_size))
        return 100;
    const char *name = stl_after_solid(head, head + size);
    if (name && stl_is_ascii(head, size, file_size))
        return 95;
    if (stl_has_plausible_facets(head, size))
        return 60;
    return name ? 20 : 0;
}

static const struct option stl_options[] = {
    {"unit", "length of the file's unit", OPTION_UNIT, offsetof(struct stl_settings, unit), "m", 0, 0, NULL},
    {"up", "the file's axis that points up", OPTION_CHOICE, offsetof(struct stl_settings, up), "z", 0, 0, "z|y"},
    OPTIONS_END,
};

const struct importer stl_importer = {
    .plugin = {.name = "stl",
               .title = "STL (stereolithography), ASCII and binary",
               .options = stl_options,
               .settings_size = sizeof(struct stl_settings)},
    .suffixes = ".stl .stla .stlb",
    .probe = probe_stl,
    .sign = "\"solid\" and \"facet\", or a facet count that fits the size",
    .read = read_stl,
};

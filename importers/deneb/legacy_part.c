/* Puts legacy part geometry into the scene, and reports what is missing. Parts of the format that nobody has described
 * are never guessed. */
#include "legacy.h"

#include <inttypes.h>

#include "mesh/mesh.h"
#include "model/model.h"

enum { DESCRIBED_VERSION = 12 };
static const double usual_unit = 0.001;

struct legacy_scene {
    struct legacy legacy;
    struct legacy_block block;
    struct legacy_polygons polygons[LEGACY_FORMS];
    enum legacy_form form; /* the proven one, or LEGACY_FORMS */
    cp_scene *scene;
    uint32_t node;
    double unit;
    const float *positions;
    double origin[3]; /* that of the points: not 0 if they are far from the file's */
};

/* ---- what is not known ---- */

static void report_unknown_values(const struct legacy_scene *part)
{
    const struct legacy *legacy = &part->legacy;
    const struct legacy_block *block = &part->block;
    cp_context *context = legacy->file->context;
    struct place file = IN_FILE(legacy->file->source->name);
    uint32_t version = legacy->tokens[0].value;
    uint64_t head = block->place - 1 - (legacy->stars > 0); /* all but the version and a "*" */
    if (version != DESCRIBED_VERSION)
        report_warning(context, "deneb-legacy-version", deneb_token_place(legacy, 0),
                       "version %" PRIu32 ", it seems: only %d has ever been described", version, DESCRIBED_VERSION);
    if (head > 0)
        report_loss(context, "deneb-legacy-head", file, head,
                    "values before the geometry, of unknown meaning (it is said that they place the part)");
    if (legacy->tokens[block->value].value != 0)
        report_loss(context, "deneb-legacy-value", deneb_token_place(legacy, block->value), 1,
                    "the value between points and lines is not 0; its meaning is unknown");
}

/* ---- what the file proves ---- */

static cp_status report_polygons(const struct legacy_scene *part)
{
    const struct legacy *legacy = &part->legacy;
    struct deneb_file *file = legacy->file;
    char texts[LEGACY_FORMS][96];
    uint32_t left = legacy->count - part->block.end;
    if (part->form != LEGACY_FORMS) {
        report_note(file->context, "deneb-legacy-faces", IN_FILE(file->source->name),
                    "the lines prove the polygons, by their %s; %s",
                    part->form == LEGACY_BY_CORNERS ? "corners" : "edges",
                    part->polygons[part->form].closed ? "closed: each line is a side of two"
                                                      : "not closed: some line is not a side of exactly two");
        return CP_OK;
    }
    if (left > 0)
        report_loss(file->context, "deneb-legacy-rest", IN_FILE(file->source->name), left,
                    "values after the lines, of unknown meaning");
    return report_lenient(
        file->context, file->strict, "deneb-legacy-wireframe", deneb_token_place(legacy, part->block.end),
        "points and lines only, since not exactly one reading of polygons is proven. By their corners: %s. "
        "By their edges: %s",
        deneb_print_doubt(&part->polygons[LEGACY_BY_CORNERS], texts[0]),
        deneb_print_doubt(&part->polygons[LEGACY_BY_EDGES], texts[1]));
}

static void explain_polygons(const struct legacy_scene *part)
{
    static const char *const forms[] = {"corners", "edges"};
    const struct legacy *legacy = &part->legacy;
    char text[96];
    for (int form = 0; form < LEGACY_FORMS && legacy->explain; form++)
        report_note(legacy->file->context, "deneb-reading", deneb_token_place(legacy, part->block.end),
                    "tried as polygons by their %s: %s", forms[form], deneb_print_doubt(&part->polygons[form], text));
}

/* ---- the scene ---- */

static void seek(struct deneb_file *file, const struct legacy *legacy, uint32_t token)
{
    const char *data = file->source->data;
    file->next = file->line_start = data + legacy->tokens[token].start;
    while (file->line_start > data && file->line_start[-1] != '\n' && file->line_start[-1] != '\r')
        file->line_start--;
    file->line = deneb_token_place(legacy, token).line;
    deneb_next(file);
}

static cp_status read_points(struct legacy_scene *part)
{
    struct deneb_file *file = part->legacy.file;
    size_t count = 3 * (size_t)part->block.point_count;
    float *positions = scene_allocate(part->scene, count, sizeof *positions);
    double *places = memory_allocate(file->context, count, sizeof *places);
    cp_status status = positions && places ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        seek(file, &part->legacy, part->block.place + 1);
    for (size_t i = 0; i < count && status == CP_OK; i++) {
        places[i] = deneb_coordinate(file);
        status = file->status;
    }
    if (status == CP_OK)
        place_near_origin(places, part->block.point_count, positions, part->origin);
    memory_free(file->context, places, count, sizeof *places);
    part->positions = positions;
    return status;
}

static cp_status add_mesh(const struct legacy_scene *part, cp_mesh mesh, uint32_t use)
{
    cp_scene *scene = part->scene;
    cp_pose pose = pose_scaling(part->unit, part->unit, part->unit);
    pose = pose_from_origin(&pose, part->origin);
    mesh.name = scene->nodes[part->node].name;
    mesh.source = scene->source.file;
    mesh.vertex_count = part->block.point_count;
    mesh.positions = part->positions;
    uint32_t index = scene_add_mesh(scene, &mesh);
    return index == CP_NONE || scene_add_instance(scene, part->node, index, use, &pose) == CP_NONE ? CP_LIMIT : CP_OK;
}

static cp_status add_faces(const struct legacy_scene *part)
{
    const struct legacy_polygons *polygons = &part->polygons[part->form];
    uint32_t *offsets = scene_allocate(part->scene, (size_t)polygons->count + 1, sizeof *offsets);
    uint32_t *corners = scene_allocate(part->scene, polygons->corner_count, sizeof *corners);
    if (!offsets || !corners)
        return CP_LIMIT;
    deneb_fill_polygons(&part->legacy, &part->block, polygons, part->form, offsets, corners);
    cp_mesh mesh = {.kind = CP_MESH_FACES,
                    .face_count = polygons->count,
                    .corner_count = polygons->corner_count,
                    .face_offsets = offsets,
                    .corners = corners};
    return add_mesh(part, mesh, CP_USE_BOTH);
}

static cp_status add_lines(const struct legacy_scene *part)
{
    uint32_t count = part->block.line_count;
    uint32_t *offsets = scene_allocate(part->scene, (size_t)count + 1, sizeof *offsets);
    uint32_t *corners = scene_allocate(part->scene, 2 * (size_t)count, sizeof *corners);
    if (!offsets || !corners)
        return CP_LIMIT;
    for (uint32_t i = 0; i <= count; i++)
        offsets[i] = 2 * i;
    for (uint32_t i = 0; i < 2 * count; i++)
        corners[i] = part->legacy.tokens[part->block.first_end + i].value;
    cp_mesh mesh = {.kind = CP_MESH_LINES,
                    .face_count = count,
                    .corner_count = 2 * count,
                    .face_offsets = offsets,
                    .corners = corners};
    return add_mesh(part, mesh, CP_USE_DRAWN);
}

/* ---- the file ---- */

static cp_status read_geometry(struct legacy_scene *part)
{
    struct legacy *legacy = &part->legacy;
    struct deneb_file *file = legacy->file;
    if (!deneb_read_tokens(legacy) || !deneb_find_block(legacy, &part->block))
        return file->status;
    if (!deneb_find_polygons(legacy, &part->block, part->polygons, &part->form))
        return CP_LIMIT;
    explain_polygons(part);
    if (part->block.rivals > 0 && part->form == LEGACY_FORMS)
        return deneb_refuse_rivals(legacy, &part->block);
    if (part->unit == 0) {
        part->unit = usual_unit;
        report_warning(file->context, "deneb-legacy-unit", IN_FILE(file->source->name),
                       "legacy part geometry does not tell its unit of length: taken for mm (--in unit=mm says so)");
    }
    part->scene->source.unit = part->unit;
    report_unknown_values(part);
    cp_status status = report_polygons(part);
    if (status == CP_OK)
        status = read_points(part);
    if (status == CP_OK && part->form != LEGACY_FORMS)
        status = add_faces(part);
    return status == CP_OK ? add_lines(part) : status;
}

cp_status deneb_read_legacy(struct deneb_file *file, cp_scene *scene, uint32_t node, double unit, bool explain)
{
    struct legacy_scene part = {
        .legacy = {.file = file, .explain = explain}, .scene = scene, .node = node, .unit = unit};
    cp_status status = read_geometry(&part);
    deneb_free_tokens(&part.legacy);
    return status;
}

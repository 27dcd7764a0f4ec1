/* Code that the readers of PLY, OFF, tri and msh share.
 *
 * - A face of two corners is an edge, one of fewer nothing: both are losses. Faces without area are kept.
 * - A vertex with a coordinate that is not finite is an error if a face names it; else it is left out.
 * - A normal without direction is made from the faces around. If all are so, they are left out.
 * - Faces of up to 256 colours have materials. With more colours, each corner has a vertex of its own with its face's
 *   colour. */
#include "faces.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "mesh/mesh.h"
#include "model/model.h"

enum { MOST_MATERIALS = 256 };

/* Writes "#rrggbb", or "#rrggbbaa" if it is not opaque; returns the length. */
static size_t name_colour(const unsigned char colour[4], char name[10])
{
    const char *format = colour[3] == 255 ? "#%02x%02x%02x" : "#%02x%02x%02x%02x";
    return (size_t)snprintf(name, 10, format, colour[0], colour[1], colour[2], colour[3]);
}

void faces_start(struct face_reader *faces, cp_context *context, const struct source *source, cp_scene *scene,
                 const void *settings, const struct faces_codes *codes)
{
    *faces = (struct face_reader){.context = context,
                                  .source = source,
                                  .scene = scene,
                                  .settings = settings,
                                  .codes = codes,
                                  .colour = CP_NONE,
                                  .known = {.context = context}};
    mesh_file_start(scene, faces->settings);
}

void faces_free(struct face_reader *faces)
{
    memory_free(faces->context, faces->corners, faces->corner_room, sizeof *faces->corners);
    memory_free(faces->context, faces->offsets, faces->offset_room, sizeof *faces->offsets);
    memory_free(faces->context, faces->colour_of, faces->colour_room, sizeof *faces->colour_of);
    memory_free(faces->context, faces->palette, faces->palette_room, sizeof *faces->palette);
    name_map_free(&faces->known);
}

cp_status faces_make_vertices(struct face_reader *faces, uint32_t count, bool normals, bool colours)
{
    cp_scene *scene = faces->scene;
    faces->vertex_count = count;
    faces->positions = scene_allocate(scene, count, 3 * sizeof(float));
    if (faces->positions && normals)
        faces->normals = scene_allocate(scene, count, 3 * sizeof(float));
    if (faces->positions && colours)
        faces->colours = scene_allocate(scene, count, 4 * sizeof(float));
    for (int i = 0; colours && i < 256; i++)
        faces->linear[i] = (float)linear_from_srgb(i / 255.0);
    return faces->positions && (!normals || faces->normals) && (!colours || faces->colours) ? CP_OK : CP_LIMIT;
}

bool faces_find_origin(struct face_reader *faces)
{
    return find_far_origin(faces->positions, faces->vertex_count, faces->origin);
}

void faces_set_place(struct face_reader *faces, uint32_t vertex, const double place[3])
{
    for (size_t axis = 0; axis < 3; axis++)
        faces->positions[3 * (size_t)vertex + axis] = near_origin(place[axis], faces->origin[axis]);
}

/* ---- words of text ---- */

struct faces_word faces_find_word(const char *at, const char *end)
{
    struct faces_word word = {{0}};
    size_t size = 0;
    for (; at < end && !is_space(*at) && size < sizeof word.text - 1; at++)
        word.text[size++] = *at > ' ' && *at < 0x7f ? *at : '?';
    return word;
}

const char *faces_parse_index(const char *at, const char *end, uint32_t *index)
{
    bool negative = at < end && *at == '-';
    const char *digits = at + (negative || (at < end && *at == '+'));
    uint64_t value = 0;
    const char *after = digits;
    for (; after < end && is_digit(*after) && after - digits < 10; after++)
        value = 10 * value + (uint64_t)(*after - '0');
    if (after == digits)
        return NULL;
    if (after == end || is_space(*after)) {
        *index = value > UINT32_MAX / 2 ? CP_NONE : negative ? (uint32_t)-value : (uint32_t)value;
        return after;
    }
    double number;
    after = parse_double(at, end, &number);
    if (number != floor(number))
        return NULL;
    *index = fabs(number) <= UINT32_MAX / 2 ? (uint32_t)(int64_t)number : CP_NONE;
    return after;
}

/* ---- faces ---- */

cp_status faces_make_room(struct face_reader *faces, uint32_t count, uint32_t corners)
{
    cp_context *context = faces->context;
    uint64_t face_count = (uint64_t)faces->face_count + count;
    uint64_t corner_count = faces->corner_count + (uint64_t)count * corners;
    if (corner_count > UINT32_MAX - 1)
        return report_error(context, CP_LIMIT, faces->codes->large, IN_FILE(faces->source->name),
                            "more than %u corners of faces", UINT32_MAX - 1);
    bool had_polygons = faces->has_polygons;
    faces->has_polygons |= corners > 3;
    if ((corner_count >= faces->corner_room && /* never NULL after */
         !array_reserve(context, &faces->corners, &faces->corner_room, corner_count + 1, sizeof *faces->corners)) ||
        (faces->has_polygons &&
         !array_reserve(context, &faces->offsets, &faces->offset_room, face_count + 1, sizeof *faces->offsets)) ||
        (faces->has_colours &&
         !array_reserve(context, &faces->colour_of, &faces->colour_room, face_count, sizeof *faces->colour_of)))
        return CP_LIMIT;
    for (uint32_t i = 0; faces->has_polygons && !had_polygons && i <= faces->face_count; i++)
        faces->offsets[i] = 3 * i;
    return CP_OK;
}

static cp_status refuse_index(const struct face_reader *faces, uint32_t count, const char *at)
{
    const uint32_t *corner = faces->corners + faces->corner_count;
    while (count > 1 && *corner < faces->vertex_count)
        corner++, count--;
    const char *end = faces->source->data + faces->source->size;
    at = at ? faces_skip_spaces(at, end) : NULL;
    int64_t named = *corner > UINT32_MAX / 2 ? (int64_t)*corner - ((int64_t)1 << 32) : *corner;
    return report_error(faces->context, CP_INPUT, faces->codes->index, faces_place(faces, at),
                        "face %llu names vertex %lld of %u", (unsigned long long)faces->listed + 1, (long long)named,
                        faces->vertex_count);
}

cp_status faces_end_face(struct face_reader *faces, uint32_t count, const char *at)
{
    const uint32_t *corners = faces->corners + faces->corner_count;
    bool beyond = false;
    for (uint32_t i = 0; i < count; i++)
        beyond |= corners[i] >= faces->vertex_count;
    if (beyond)
        return refuse_index(faces, count, at);
    faces->listed++;
    faces->edges += count == 2;
    faces->dots += count < 2;
    if (count < 3)
        return CP_OK;
    faces->corner_count += count;
    if (faces->has_polygons)
        faces->offsets[faces->face_count + 1] = faces->corner_count;
    if (faces->has_colours)
        faces->colour_of[faces->face_count] = faces->colour;
    faces->face_count++;
    return CP_OK;
}

/* ---- colours ---- */

static double cut_value(struct face_reader *faces, double value)
{
    faces->outside += !(value >= 0 && value <= 1);
    return within_unit(value);
}

void faces_set_vertex_colour(struct face_reader *faces, uint32_t vertex, const double rgba[4])
{
    float *colour = faces->colours + 4 * (size_t)vertex;
    for (int i = 0; i < 4; i++) {
        double value = cut_value(faces, rgba[i]), step = 255 * value;
        colour[i] = i == 3              ? (float)value
                    : step == (int)step ? faces->linear[(int)step]
                                        : (float)linear_from_srgb(value);
    }
}

cp_status faces_set_colour(struct face_reader *faces, const double rgba[4])
{
    cp_context *context = faces->context;
    unsigned char colour[4];
    char name[10];
    for (int i = 0; i < 4; i++)
        colour[i] = (unsigned char)lround(255 * cut_value(faces, rgba[i]));
    if (faces->colour != CP_NONE && memcmp(faces->palette[faces->colour], colour, 4) == 0)
        return CP_OK;
    /* faces before the first one with a colour have none */
    if (!faces->has_colours) {
        if (!array_reserve(context, &faces->colour_of, &faces->colour_room, (uint64_t)faces->face_count + 1,
                           sizeof *faces->colour_of))
            return CP_LIMIT;
        memset(faces->colour_of, 0xff, faces->face_count * sizeof *faces->colour_of);
        faces->has_colours = true;
    }
    size_t size = name_colour(colour, name);
    const uint32_t *known = name_map_find_sized(&faces->known, name, size);
    if (!known) {
        const char *key = arena_copy_text(faces->scene->arena, name, size);
        if (!key || !(known = name_map_add(&faces->known, key, faces->palette_count, NULL)) ||
            !array_reserve(context, &faces->palette, &faces->palette_room, (uint64_t)faces->palette_count + 1,
                           sizeof *faces->palette))
            return CP_LIMIT;
        memcpy(faces->palette[faces->palette_count++], colour, sizeof colour);
    }
    faces->colour = *known;
    return CP_OK;
}

/* Makes a material for each colour, and a group for each run of faces of one colour. */
static cp_status group_faces(struct face_reader *faces, cp_mesh *mesh)
{
    uint32_t runs = 1, first = faces->scene->material_count;
    for (uint32_t i = 0; i < faces->palette_count; i++) {
        const unsigned char *colour = faces->palette[i];
        char name[10];
        double rgba[4];
        (void)name_colour(colour, name);
        for (int k = 0; k < 4; k++)
            rgba[k] = colour[k] / 255.0;
        if (scene_add_material(faces->scene, name, rgba, true) == CP_NONE)
            return CP_LIMIT;
    }
    for (uint32_t i = 1; i < faces->face_count; i++)
        runs += faces->colour_of[i] != faces->colour_of[i - 1];
    cp_group *groups = scene_allocate(faces->scene, runs, sizeof *groups), *group = groups;
    if (!groups)
        return CP_LIMIT;
    for (uint32_t i = 0; i < faces->face_count; i++) {
        uint32_t colour = faces->colour_of[i], material = colour == CP_NONE ? CP_NONE : first + colour;
        if (i == 0 || group->material != material) {
            group += i > 0;
            *group = (cp_group){.first_face = i, .material = material};
        }
        group->face_count++;
    }
    mesh->groups = groups;
    mesh->group_count = runs;
    return CP_OK;
}

/* Gives each corner a vertex of its own, with the colour of its face: white if it has none. */
static cp_status colour_corners(struct face_reader *faces)
{
    struct face_reader old = *faces;
    uint32_t *corners = faces->corners;
    cp_status status = faces_make_vertices(faces, faces->corner_count, faces->normals != NULL, true);
    if (status != CP_OK)
        return status;
    for (uint32_t face = 0, corner = 0; face < faces->face_count; face++) {
        uint32_t end = faces->has_polygons ? faces->offsets[face + 1] : 3 * face + 3;
        uint32_t row = faces->colour_of[face];
        for (; corner < end; corner++) {
            size_t from = 3 * (size_t)corners[corner], to = 3 * (size_t)corner;
            memcpy(faces->positions + to, old.positions + from, 3 * sizeof(float));
            if (faces->normals)
                memcpy(faces->normals + to, old.normals + from, 3 * sizeof(float));
            float *colour = faces->colours + 4 * (size_t)corner;
            for (int k = 0; k < 4; k++)
                colour[k] = row == CP_NONE ? 1
                            : k < 3        ? faces->linear[faces->palette[row][k]]
                                           : (float)(faces->palette[row][k] / 255.0);
            corners[corner] = corner;
        }
    }
    return CP_OK;
}

/* ---- what cannot stay as it is ---- */

static bool is_finite_point(const float *point)
{
    return isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]);
}

/* Leaves out vertices that are not finite and that no face names. */
static cp_status check_positions(struct face_reader *faces)
{
    uint32_t count = faces->vertex_count, bad = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++)
        bad += !is_finite_point(faces->positions + 3 * (size_t)i);
    if (bad == 0)
        return CP_OK;
    for (uint32_t i = 0; i < faces->corner_count; i++)
        if (!is_finite_point(faces->positions + 3 * (size_t)faces->corners[i]))
            return report_error(faces->context, CP_INPUT, faces->codes->not_finite, IN_FILE(faces->source->name),
                                "vertex %u has a coordinate that is not a finite float, and faces name it",
                                faces->corners[i]);
    uint32_t *numbers = memory_allocate(faces->context, count, sizeof *numbers);
    if (!numbers)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        size_t from = i, to = kept;
        numbers[i] = kept;
        if (!is_finite_point(faces->positions + 3 * from))
            continue;
        memmove(faces->positions + 3 * to, faces->positions + 3 * from, 3 * sizeof(float));
        if (faces->normals)
            memmove(faces->normals + 3 * to, faces->normals + 3 * from, 3 * sizeof(float));
        if (faces->colours)
            memmove(faces->colours + 4 * to, faces->colours + 4 * from, 4 * sizeof(float));
        kept++;
    }
    for (uint32_t i = 0; i < faces->corner_count; i++)
        faces->corners[i] = numbers[faces->corners[i]];
    memory_free(faces->context, numbers, count, sizeof *numbers);
    faces->vertex_count = kept;
    report_loss(faces->context, faces->codes->not_finite, IN_FILE(faces->source->name), bad,
                "vertices that are not finite and that no face names");
    return CP_OK;
}

static cp_status check_normals(struct face_reader *faces, cp_mesh *mesh)
{
    struct place place = IN_FILE(faces->source->name);
    uint64_t bad;
    cp_status status = mesh_mend_normals(faces->context, mesh, faces->normals, &bad);
    if (status != CP_OK)
        return status;
    mesh->normals = bad < mesh->vertex_count ? faces->normals : NULL;
    if (!mesh->normals)
        report_warning(faces->context, faces->codes->normals, place, "no normal has a direction: all %u are left out",
                       mesh->vertex_count);
    else if (bad > 0)
        report_warning(faces->context, faces->codes->normals, place,
                       "%llu of %u normals have no direction; they are made of the faces around",
                       (unsigned long long)bad, mesh->vertex_count);
    return CP_OK;
}

/* ---- the scene ---- */

static void report_losses(const struct face_reader *faces)
{
    struct place place = IN_FILE(faces->source->name);
    if (faces->face_count == 0 && faces->vertex_count > 0)
        report_loss(faces->context, faces->codes->points, place, faces->vertex_count, "points; there are no faces");
    if (faces->edges)
        report_loss(faces->context, faces->codes->edges, place, faces->edges, "edges: faces of two corners");
    if (faces->dots)
        report_loss(faces->context, faces->codes->edges, place, faces->dots, "faces of fewer than two corners");
    if (faces->outside)
        report_loss(faces->context, faces->codes->range, place, faces->outside, "colour values outside 0..1");
}

/* Makes the mesh, which takes the arrays over. */
static cp_status make_mesh(struct face_reader *faces, const char *name, uint32_t *index)
{
    cp_scene *scene = faces->scene;
    cp_status status = check_positions(faces);
    bool split = faces->palette_count > MOST_MATERIALS;
    if (status == CP_OK && split)
        status = colour_corners(faces);
    if (status != CP_OK)
        return status;
    cp_mesh mesh = {.name = name,
                    .source = scene->source.file,
                    .kind = CP_MESH_FACES,
                    .vertex_count = faces->vertex_count,
                    .face_count = faces->face_count,
                    .corner_count = faces->corner_count,
                    .positions = faces->positions,
                    .colours = faces->colours};
    mesh.corners = scene_keep_array(scene, &faces->corners, &faces->corner_room, faces->corner_count, sizeof(uint32_t));
    if (mesh.corners && faces->has_polygons)
        mesh.face_offsets =
            scene_keep_array(scene, &faces->offsets, &faces->offset_room, faces->face_count + 1, sizeof(uint32_t));
    if (!mesh.corners || (faces->has_polygons && !mesh.face_offsets))
        return CP_LIMIT;
    if (faces->normals)
        status = check_normals(faces, &mesh);
    if (status == CP_OK && faces->has_colours && !split)
        status = group_faces(faces, &mesh);
    if (status != CP_OK)
        return status;
    *index = scene_add_mesh(scene, &mesh);
    return *index == CP_NONE ? CP_LIMIT : CP_OK;
}

cp_status faces_finish(struct face_reader *faces)
{
    cp_scene *scene = faces->scene;
    size_t size;
    const char *stem = text_stem(faces->source->name, &size);
    uint32_t index, node = mesh_file_add_node(scene, 0, stem, size, "mesh");
    if (node == CP_NONE)
        return CP_LIMIT;
    report_losses(faces);
    if (faces->face_count == 0)
        return scene_finish(scene);

    cp_status status = make_mesh(faces, scene->nodes[node].name, &index);
    if (status == CP_OK && !mesh_file_place(scene, node, index, faces->origin))
        status = CP_LIMIT;
    if (status == CP_OK)
        report_size_without_unit(faces->source, scene, faces->settings->unit);
    return status == CP_OK ? scene_finish(scene) : status;
}

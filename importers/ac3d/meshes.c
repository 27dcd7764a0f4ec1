/* Meshes of an AC3D object: its polygons as one, its lines as another. */
#include "ac3d.h"

#include "mesh/join.h"
#include "mesh/mesh.h"

void ac3d_free_elements(struct ac3d *reader, struct ac3d_elements *elements)
{
    cp_context *context = reader->context;
    memory_free(context, elements->corners, elements->corner_room, sizeof *elements->corners);
    memory_free(context, elements->places, elements->place_room, sizeof *elements->places);
    memory_free(context, elements->ends, elements->end_room, sizeof *elements->ends);
    memory_free(context, elements->materials, elements->material_room, sizeof *elements->materials);
}

/* Makes groups of consecutive elements of one material. */
static bool add_groups(cp_scene *scene, const struct ac3d_elements *elements, cp_mesh *mesh)
{
    uint32_t runs = 1;
    bool any = elements->materials[0] != CP_NONE;
    for (uint32_t i = 1; i < elements->count; i++) {
        runs += elements->materials[i] != elements->materials[i - 1];
        any |= elements->materials[i] != CP_NONE;
    }
    if (!any)
        return true;
    cp_group *groups = scene_allocate(scene, runs, sizeof *groups), *group = groups;
    for (uint32_t i = 0; groups && i < elements->count; i++) {
        if (i > 0 && elements->materials[i] != elements->materials[i - 1])
            group++;
        if (i == 0 || elements->materials[i] != elements->materials[i - 1])
            *group = (cp_group){.first_face = i, .material = elements->materials[i]};
        group->face_count++;
    }
    mesh->groups = groups;
    mesh->group_count = runs;
    return groups != NULL;
}

/* Makes a vertex of each vertex of the object and its coordinates in the texture. origins[k] becomes the object's
 * vertex of the mesh's k. NULL when out of memory. */
static uint32_t *split_vertices(struct ac3d *reader, const struct ac3d_elements *elements, cp_mesh *mesh,
                                uint32_t *corners)
{
    uint32_t count = elements->corner_count;
    uint32_t(*rows)[3] = memory_allocate(reader->context, count, sizeof *rows);
    for (uint32_t i = 0; rows && i < count; i++) {
        rows[i][0] = elements->corners[i];
        memcpy(&rows[i][1], elements->places[i], 2 * sizeof(float));
    }
    bool done = rows && join_rows(reader->context, rows, 3, 3, count, corners);
    mesh->vertex_count = done ? join_number(corners, count) : 0;
    uint32_t *origins = done ? memory_allocate(reader->context, count, sizeof *origins) : NULL;
    float *coordinates = origins ? scene_allocate(reader->scene, mesh->vertex_count, 2 * sizeof(float)) : NULL;
    for (uint32_t i = 0; coordinates && i < count; i++) {
        origins[corners[i]] = elements->corners[i];
        coordinates[2 * (size_t)corners[i]] = elements->places[i][0];
        coordinates[2 * (size_t)corners[i] + 1] = 1 - elements->places[i][1];
    }
    memory_free(reader->context, rows, count, sizeof *rows);
    mesh->coordinates[0] = coordinates;
    if (!coordinates) {
        memory_free(reader->context, origins, count, sizeof *origins);
        return NULL;
    }
    return origins;
}

/* Copies positions, and normals if there are any, from the object's vertices. origins NULL: the same numbers. */
static bool copy_vertices(struct ac3d *reader, const struct ac3d_object *object, const uint32_t *origins, bool normals,
                          cp_mesh *mesh, double origin[3])
{
    size_t count = mesh->vertex_count;
    float *positions = scene_allocate(reader->scene, count, 3 * sizeof(float));
    float *directions = normals ? scene_allocate(reader->scene, count, 3 * sizeof(float)) : NULL;
    double(*places)[3] = memory_allocate(reader->context, count, sizeof *places);
    for (size_t i = 0; positions && places && i < count; i++)
        memcpy(places[i], object->vertices[origins ? origins[i] : i], sizeof *places);
    for (size_t i = 0; directions && i < count; i++)
        memcpy(directions + 3 * i, object->normals[origins ? origins[i] : i], 3 * sizeof(float));
    if (positions && places)
        place_near_origin(places[0], mesh->vertex_count, positions, origin);
    bool done = positions && places && (directions || !normals);
    memory_free(reader->context, places, count, sizeof *places);
    mesh->positions = positions;
    mesh->normals = directions;
    return done;
}

/* Makes or mends the normals of the faces: those of the file count, else the crease angle of shaded surfaces. */
static cp_status make_normals(struct ac3d *reader, const struct ac3d_object *object, cp_mesh *mesh)
{
    if (mesh->normals) {
        uint64_t mended;
        cp_status status = mesh_mend_normals(reader->context, mesh, (float *)mesh->normals, &mended);
        if (status == CP_OK && mended > 0)
            status = report_lenient(reader->context, reader->settings->import.strict, "ac3d-normals",
                                    AT_LINE(reader->source->name, object->line),
                                    "%llu of %u normals have no direction; they are made from the faces",
                                    (unsigned long long)mended, mesh->vertex_count);
        return status;
    }
    if (object->crease < 0 || object->shaded == 0)
        return CP_OK;
    ac3d_count(reader, AC3D_FLAT, object->faces.count - object->shaded, object->line);
    return mesh_smooth_as_said(reader->scene, mesh, object->crease);
}

static cp_status add_mesh(struct ac3d *reader, const struct ac3d_object *object, const struct ac3d_elements *elements,
                          cp_mesh_kind kind, uint32_t node)
{
    cp_scene *scene = reader->scene;
    cp_mesh mesh = {.source = scene->source.file,
                    .kind = kind,
                    .vertex_count = object->vertex_count,
                    .face_count = elements->count,
                    .corner_count = elements->corner_count};
    bool triangles = kind == CP_MESH_FACES;
    for (uint32_t i = 0; triangles && i < elements->count; i++)
        triangles = elements->ends[i] == 3 * (i + 1);
    uint32_t *corners = arena_copy(scene->arena, elements->corners, elements->corner_count, sizeof *corners);
    uint32_t *offsets = triangles ? NULL : scene_allocate(scene, elements->count + (size_t)1, sizeof *offsets);
    if (!corners || (!offsets && !triangles) || !add_groups(scene, elements, &mesh))
        return CP_LIMIT;
    for (uint32_t i = 0; offsets && i <= elements->count; i++)
        offsets[i] = i ? elements->ends[i - 1] : 0;
    mesh.corners = corners;
    mesh.face_offsets = offsets;
    uint32_t *origins = NULL;
    if (elements->places && kind == CP_MESH_FACES && !(origins = split_vertices(reader, elements, &mesh, corners)))
        return CP_LIMIT;
    double origin[3] = {0, 0, 0};
    bool copied = copy_vertices(reader, object, origins, object->normals && kind == CP_MESH_FACES, &mesh, origin);
    memory_free(reader->context, origins, elements->corner_count, sizeof *origins);
    cp_status status = copied ? CP_OK : CP_LIMIT;
    if (status == CP_OK && kind == CP_MESH_FACES)
        status = make_normals(reader, object, &mesh);
    if (status != CP_OK)
        return status;
    return mesh_file_place(scene, node, scene_add_mesh(scene, &mesh), origin) ? CP_OK : CP_LIMIT;
}

cp_status ac3d_add_meshes(struct ac3d *reader, struct ac3d_object *object, uint32_t node)
{
    cp_status status = CP_OK;
    if (object->faces.count > 0)
        status = add_mesh(reader, object, &object->faces, CP_MESH_FACES, node);
    if (object->lines.count > 0 && status == CP_OK)
        status = add_mesh(reader, object, &object->lines, CP_MESH_LINES, node);
    return status;
}

/* orient: winds neighbouring faces alike, and closed shells outward. */
#include "mesh/mesh.h"

#include <string.h>

#include "filters.h"
#include "mesh/topology/topology.h"

struct counts {
    uint64_t turned, normals;                   /* faces; vertices */
    uint64_t twisted, twisted_faces, junctions; /* shells that cannot be oriented; edges of three faces and more */
    uint64_t open, unplaced;                    /* shells */
};

/* Turns the normals at the turned faces' vertices, if they point away from the sum of the faces' new normals. The
 * second axis of a normal map stays where it is, so the sign of a tangent turns with the normal. */
static cp_status orient_normals(cp_scene *scene, cp_mesh *mesh, const struct mesh_shells *shells, struct counts *counts)
{
    uint32_t count = mesh->vertex_count;
    float *normals = scene_allocate(scene, 3 * (size_t)count, sizeof *normals);
    float *tangents = mesh->tangents ? arena_copy(scene->arena, mesh->tangents, count, 4 * sizeof *tangents) : NULL;
    bool *touched = memory_allocate_zeroed(scene->context, count, sizeof *touched);
    double(*sums)[3] = memory_allocate_zeroed(scene->context, count, sizeof *sums);
    bool good = normals && (tangents || !mesh->tangents) && touched && sums;
    for (uint32_t face = 0; good && face < mesh->face_count; face++) {
        struct polygon polygon = polygon_of(mesh, face);
        bool turns = shells_turns(shells, face);
        for (uint32_t i = 0; i < polygon.count; i++) {
            uint32_t vertex = polygon.corners[i];
            touched[vertex] |= turns;
            for (int axis = 0; axis < 3; axis++)
                sums[vertex][axis] += polygon.normal[axis];
        }
    }
    for (size_t vertex = 0; good && vertex < count; vertex++) {
        const float *from = mesh->normals + 3 * vertex;
        double along = 0;
        for (size_t axis = 0; axis < 3; axis++)
            along += sums[vertex][axis] * (double)from[axis];
        bool turns = touched[vertex] && along < 0;
        counts->normals += turns;
        if (turns && tangents)
            tangents[4 * vertex + 3] *= -1;
        for (size_t axis = 0; axis < 3; axis++)
            normals[3 * vertex + axis] = turns ? 0.0f - from[axis] : from[axis]; /* no -0 */
    }
    if (good) {
        mesh->normals = normals;
        mesh->tangents = tangents;
    }
    memory_free(scene->context, touched, count, sizeof *touched);
    memory_free(scene->context, sums, count, sizeof *sums);
    return good ? CP_OK : CP_LIMIT;
}

static cp_status orient_faces(cp_scene *scene, cp_mesh *mesh, const struct mesh_shells *shells, struct counts *counts)
{
    bool any = false;
    for (uint32_t i = 0; i < shells->count; i++) {
        const struct shell *shell = &shells->shells[i];
        counts->twisted += !shell->orientable;
        counts->twisted_faces += shell->orientable ? 0 : shell->face_count;
        counts->open += shell->orientable && !shell->solid;
        counts->unplaced += shell->unplaced;
        any |= shell->orientable && (shell->turn ? shell->against_count < shell->face_count : shell->against_count > 0);
    }
    for (uint32_t edge = 0; edge < mesh->corner_count; edge++)
        counts->junctions +=
            shells->edges.first[edge] == edge && shells->ring[edge] != edge && shells_partner(shells, edge) == CP_NONE;
    if (!any)
        return CP_OK;
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners);
    if (!corners)
        return CP_LIMIT;
    memcpy(corners, mesh->corners, mesh->corner_count * sizeof *corners);
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        if (!shells_turns(shells, face))
            continue;
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        for (uint32_t i = 1; i < size; i++) /* reverse all corners but the first */
            corners[first + i] = mesh->corners[first + size - i];
        counts->turned++;
    }
    mesh->corners = corners;
    return mesh->normals ? orient_normals(scene, mesh, shells, counts) : CP_OK;
}

static void report_counts(cp_context *context, const struct counts *counts)
{
    if (counts->turned > 0)
        report_note(context, "orient-turned", NOWHERE, "%llu faces are turned, and %llu normals with them",
                    (unsigned long long)counts->turned, (unsigned long long)counts->normals);
    if (counts->open > 0)
        report_note(context, "orient-open", NOWHERE,
                    "%llu shells are not closed and keep the side that most of their faces have",
                    (unsigned long long)counts->open);
    if (counts->junctions > 0)
        report_warning(context, "orient-junctions", NOWHERE,
                       "%llu edges have more than two faces: what meets there is oriented piece by piece",
                       (unsigned long long)counts->junctions);
    if (counts->twisted > 0)
        report_warning(context, "orient-twisted", NOWHERE,
                       "%llu shells have only one side and cannot be oriented: their %llu faces stay as they are",
                       (unsigned long long)counts->twisted, (unsigned long long)counts->twisted_faces);
    if (counts->unplaced > 0)
        report_warning(
            context, "orient-unplaced", NOWHERE,
            "%llu closed shells lie too close among others to tell cavities: they keep the side that most of "
            "their faces have",
            (unsigned long long)counts->unplaced);
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    (void)settings;
    struct counts counts = {0};
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const cp_mesh before = scene->meshes[i];
        struct mesh_shells shells;
        if (before.kind != CP_MESH_FACES)
            continue;
        bool found = mesh_shells_find(&shells, context, &before);
        cp_status status = found ? orient_faces(scene, &scene->meshes[i], &shells, &counts) : CP_LIMIT;
        mesh_shells_free(&shells);
        if (status != CP_OK)
            return status;
    }
    report_counts(context, &counts);
    return CP_OK;
}

const struct filter orient_filter = {
    .plugin = {.name = "orient", .title = "Wind neighbouring faces alike, closed shells outward"}, .apply = apply};

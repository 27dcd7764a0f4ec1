/* weld: joins vertices that are equal, or nearly so. Every face stays, with its corners on the joined vertices. */
#include "mesh/join.h"

#include <math.h>
#include <string.h>

#include "filters.h"
#include "shared.h"

struct weld_settings {
    double tolerance;
};

static const cp_option options[] = {{"tolerance",
                                     "join positions up to this far apart in the world; 0: equal ones only",
                                     CP_OPTION_LENGTH, offsetof(struct weld_settings, tolerance), "0", .maximum = 1e6},
                                    CP_OPTIONS_END};

struct weld {
    cp_context *context;
    uint64_t before, after, collapsed; /* vertices; faces that have fewer than 3 distinct corners only now */
};

/* Refines the classes by one more array: classes[v] becomes equal for vertices of equal class and equal rows. */
static bool refine_classes(cp_context *context, const float *rows, size_t width, uint32_t count, uint32_t *classes)
{
    if (!rows)
        return true;
    uint32_t(*pairs)[2] = memory_allocate(context, count, sizeof *pairs);
    uint32_t *first = memory_allocate(context, count, sizeof *first);
    bool good = pairs && first && join_rows(context, rows, width, width, count, first);
    for (uint32_t i = 0; good && i < count; i++) {
        pairs[i][0] = classes[i];
        pairs[i][1] = first[i];
    }
    good = good && join_rows(context, pairs, 2, 2, count, classes);
    memory_free(context, pairs, count, sizeof *pairs);
    memory_free(context, first, count, sizeof *first);
    return good;
}

/* Finds first[v]: the lowest vertex with which v is joined. */
static bool find_equal(cp_context *context, const cp_mesh *mesh, double tolerance, uint32_t *first)
{
    uint32_t count = mesh->vertex_count;
    uint32_t *classes = memory_allocate_zeroed(context, count, sizeof *classes);
    bool good = classes;
    for (size_t i = ARRAY_POSITIONS + 1; good && i < ARRAY_COUNT; i++)
        good = refine_classes(context, mesh_array(mesh, i), vertex_arrays[i].width, count, classes);
    if (good && tolerance > 0)
        good = grid_join(context, mesh->positions, classes, count, tolerance, first);
    else if (good)
        good = refine_classes(context, mesh->positions, 3, count, classes);
    if (good && !(tolerance > 0) && count > 0)
        memcpy(first, classes, count * sizeof *first);
    memory_free(context, classes, count, sizeof *classes);
    return good;
}

/* Counts the faces that have fewer than three distinct corners. */
static uint64_t count_collapsed(const cp_mesh *mesh)
{
    uint64_t count = 0;
    for (uint32_t face = 0; mesh->kind == CP_MESH_FACES && face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        uint32_t size = mesh_face_size(mesh, face), one = corners[0], other = one, i = 1;
        for (; i < size && (corners[i] == one || corners[i] == other || other == one); i++)
            other = corners[i] == one ? other : corners[i];
        count += i >= size;
    }
    return count;
}

static cp_status renumber(cp_scene *scene, cp_mesh *mesh, uint32_t *first)
{
    uint32_t vertex_count = join_number(first, mesh->vertex_count);
    if (vertex_count == mesh->vertex_count)
        return CP_OK;
    cp_mesh kept = *mesh;
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners);
    for (uint32_t i = 0; corners && i < mesh->corner_count; i++)
        corners[i] = first[mesh->corners[i]];
    /* leaders: from here on, the vertices that lead, in their order. */
    uint32_t *leaders = first, count = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        if (first[i] == count)
            leaders[count++] = i;
    if (!corners || !mesh_take_vertices(scene, &kept, leaders, vertex_count))
        return CP_LIMIT;
    kept.corners = corners;
    *mesh = kept;
    return CP_OK;
}

static cp_status weld_mesh(struct weld *weld, cp_scene *scene, cp_mesh *mesh, double tolerance)
{
    uint32_t count = mesh->vertex_count;
    uint64_t collapsed = count_collapsed(mesh);
    uint32_t *first = memory_allocate(weld->context, count, sizeof *first);
    bool found = first && find_equal(weld->context, mesh, tolerance, first);
    cp_status status = found ? renumber(scene, mesh, first) : CP_LIMIT;
    memory_free(weld->context, first, count, sizeof *first);
    weld->before += count;
    weld->after += mesh->vertex_count;
    weld->collapsed += count_collapsed(mesh) - collapsed;
    return status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const double least = 1e-60; /* below the smallest float's 1.4e-45, above where cells would overflow a double */
    double tolerance = ((const struct weld_settings *)settings)->tolerance;
    struct weld weld = {.context = context};
    uint32_t mesh_count = scene->mesh_count;
    double *stretches = find_stretches(scene);
    cp_status status = stretches ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < mesh_count && status == CP_OK; i++) {
        if (scene->meshes[i].kind >= CP_MESH_BOX)
            continue;
        /* own: in the mesh's own unit. A tolerance too small to separate floats is 0. */
        double own = stretches[i] > 0 ? tolerance / stretches[i] : tolerance;
        status = weld_mesh(&weld, scene, &scene->meshes[i], own > least ? fmin(own, 1e60) : 0);
    }
    memory_free(context, stretches, mesh_count, sizeof *stretches);
    if (status == CP_OK && weld.after < weld.before)
        report_note(context, "weld-joined", NOWHERE, "%llu of %llu vertices stay", (unsigned long long)weld.after,
                    (unsigned long long)weld.before);
    if (status == CP_OK && weld.collapsed > 0)
        report_warning(context, "weld-collapsed", NOWHERE, "%llu faces have lost their area and stay as they are",
                       (unsigned long long)weld.collapsed);
    return status;
}

const struct filter weld_filter = {.plugin = {.name = "weld",
                                              .title = "Join equal or nearly equal vertices",
                                              .options = options,
                                              .settings_size = sizeof(struct weld_settings)},
                                   .apply = apply};

/* repair: removes faces that bound nothing, faces that are there twice, and what nothing refers to; fills holes on
 * request. */
#include "mesh/topology/topology.h"

#include "filters.h"

enum duplicates { DUPLICATES_SAME, DUPLICATES_ANY, DUPLICATES_WALLS, DUPLICATES_NO };

struct repair_settings {
    bool degenerate, unreferenced;
    int duplicates;
    int64_t holes;
};

static const cp_option options[] = {
    {"degenerate", "take away faces without area, where that opens nothing", CP_OPTION_BOOLEAN,
     offsetof(struct repair_settings, degenerate), .initial = "yes"},
    {"duplicates", "take away faces that are there twice; any: also wound against each other; walls: then both",
     CP_OPTION_CHOICE, offsetof(struct repair_settings, duplicates), "same", .choices = "same|any|walls|no"},
    {"holes", "fill holes of up to so many edges", CP_OPTION_INTEGER, offsetof(struct repair_settings, holes), "0",
     .maximum = 1000000},
    {"unreferenced", "take away vertices that no face uses", CP_OPTION_BOOLEAN,
     offsetof(struct repair_settings, unreferenced), .initial = "yes"},
    CP_OPTIONS_END};

struct repair {
    cp_context *context;
    cp_scene *scene;
    const struct repair_settings *settings;
    uint64_t degenerate, duplicates, opposite, walls, vertices;
    struct cap_counts caps;
    struct hole_counts holes;
};

/* Marks the faces to drop. *any: some are marked. */
static bool mark_faces(struct repair *repair, const cp_mesh *mesh, bool *drop, bool *any)
{
    cp_context *context = repair->context;
    int mode = repair->settings->duplicates;
    uint32_t count = mesh->face_count, *same = NULL, *either = NULL;
    struct mesh_edges edges;
    bool good = mesh_edges_find(&edges, context, mesh);
    for (uint32_t face = 0; good && repair->settings->degenerate && face < count; face++) {
        drop[face] = !face_bounds(&edges, face);
        repair->degenerate += drop[face];
    }
    if (good && mode != DUPLICATES_NO) {
        same = memory_allocate(context, count, sizeof *same);
        either = memory_allocate(context, count, sizeof *either);
        good = same && either && mesh_duplicates_find(&edges, same, either);
    }
    for (uint32_t face = 0; good && same && face < count; face++) {
        /* A face that is the first of its winding, but equals an earlier one, is wound against that. */
        bool opposite = same[face] == face && either[face] != face;
        drop[face] |= same[face] != face || (opposite && mode != DUPLICATES_SAME);
        if (opposite && mode == DUPLICATES_WALLS)
            drop[either[face]] = true;
        repair->duplicates += same[face] != face || (opposite && mode == DUPLICATES_ANY);
        repair->walls += opposite && mode == DUPLICATES_WALLS;
        repair->opposite += opposite && mode == DUPLICATES_SAME;
    }
    for (uint32_t face = 0; good && face < count; face++)
        *any |= drop[face];
    memory_free(context, same, count, sizeof *same);
    memory_free(context, either, count, sizeof *either);
    mesh_edges_free(&edges);
    return good;
}

static cp_status repair_mesh(struct repair *repair, cp_mesh *mesh)
{
    const struct repair_settings *settings = repair->settings;
    cp_status status = CP_OK;
    if (mesh->kind == CP_MESH_FACES) {
        uint32_t count = mesh->face_count;
        bool any = false, *drop = memory_allocate_zeroed(repair->context, count, sizeof *drop);
        status = drop && mark_faces(repair, mesh, drop, &any) ? CP_OK : CP_LIMIT;
        if (any)
            status = mesh_drop_faces(repair->scene, mesh, drop);
        memory_free(repair->context, drop, count, sizeof *drop);
        if (status == CP_OK && settings->holes > 0)
            status = mesh_fill_holes(repair->scene, mesh, (uint32_t)settings->holes, &repair->holes);
        if (status == CP_OK && settings->degenerate)
            status = mesh_resolve_caps(repair->scene, mesh, &repair->caps);
    }
    uint32_t dropped = 0;
    if (status == CP_OK && settings->unreferenced)
        status = mesh_drop_unused_vertices(repair->scene, mesh, &dropped);
    repair->vertices += dropped;
    return status;
}

static void note(cp_context *context, const char *code, uint64_t count, const char *what)
{
    if (count > 0)
        report_note(context, code, NOWHERE, "%llu %s", (unsigned long long)count, what);
}

static void report_counts(cp_context *context, const struct repair *repair)
{
    note(context, "repair-degenerate", repair->degenerate + repair->caps.dropped, "faces without area are removed");
    note(context, "repair-caps", repair->caps.turned,
         "triangles without area share the area of a neighbour now, so that nothing opens");
    note(context, "repair-duplicates", repair->duplicates, "duplicate faces are removed");
    note(context, "repair-opposite", repair->opposite,
         "faces lie back to back with another and stay (duplicates=any takes them away, duplicates=walls both)");
    note(context, "repair-walls", repair->walls, "pairs of faces back to back are removed");
    note(context, "repair-holes", repair->holes.filled, "holes are filled by a face each");
    if (repair->holes.border_edges > 0)
        report_warning(context, "repair-open", NOWHERE,
                       "%llu border edges stay: of larger holes, of outlines, or where more than two of them meet",
                       (unsigned long long)repair->holes.border_edges);
    note(context, "repair-unreferenced", repair->vertices, "unused vertices are removed");
    if (repair->caps.left > 0)
        report_warning(context, "repair-left", NOWHERE,
                       "%llu faces without area stay: without them the mesh would open",
                       (unsigned long long)repair->caps.left);
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    struct repair repair = {.context = context, .scene = scene, .settings = settings};
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        cp_status status = scene->meshes[i].kind < CP_MESH_BOX ? repair_mesh(&repair, &scene->meshes[i]) : CP_OK;
        if (status != CP_OK)
            return status;
    }
    report_counts(context, &repair);
    return CP_OK;
}

const struct filter repair_filter = {.plugin = {.name = "repair",
                                                .title = "Take away degenerate and double faces, and unused vertices",
                                                .options = options,
                                                .settings_size = sizeof(struct repair_settings)},
                                     .apply = apply};

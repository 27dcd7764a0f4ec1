/* Simplifies the meshes of a scene. */
#include "reduce.h"

#include <math.h>
#include <stdio.h>

#include "mesh/mesh.h"
#include "shared.h"

bool reduction_begin(struct reduction *reduction, cp_scene *scene, bool fast, int topology, double texels)
{
    *reduction = (struct reduction){
        .scene = scene, .fast = fast, .topology = topology, .texels = texels, .mesh_count = scene->mesh_count};
    reduction->stretches = find_stretches(scene);
    reduction->uses = memory_allocate_zeroed(scene->context, scene->mesh_count, sizeof *reduction->uses);
    if (!reduction->stretches || !reduction->uses)
        return false;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        reduction->uses[scene->instances[i].mesh] |= scene->instances[i].use;
    return true;
}

void reduction_end(struct reduction *reduction)
{
    cp_context *context = reduction->scene->context;
    memory_free(context, reduction->stretches, reduction->mesh_count, sizeof *reduction->stretches);
    memory_free(context, reduction->uses, reduction->mesh_count, sizeof *reduction->uses);
}

/* Returns how far from the original the result may be, in the mesh's unit. */
static double own_error(const cp_extent *error, const cp_mesh *mesh, double stretch)
{
    const double recognisable = 0.05; /* a part of the diagonal of the box round all vertices */
    if (error->metres > 0)
        return error->metres / (stretch > 0 ? stretch : 1);
    double squares = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t i = axis; i < 3 * (size_t)mesh->vertex_count; i += 3) {
            low = mesh->positions[i] < low ? mesh->positions[i] : low;
            high = mesh->positions[i] > high ? mesh->positions[i] : high;
        }
        double side = mesh->vertex_count > 0 ? (double)high - (double)low : 0;
        squares += side * side;
    }
    return (error->part > 0 ? error->part : recognisable) * sqrt(squares);
}

cp_status reduce_mesh(struct reduction *reduction, uint32_t number, cp_mesh *mesh, uint64_t triangles,
                      const cp_extent *error)
{
    if (mesh->kind != CP_MESH_FACES) {
        reduction->others++;
        return CP_OK;
    }
    double stretch = number < reduction->mesh_count ? reduction->stretches[number] : 0;
    bool collides_alone = number < reduction->mesh_count && reduction->uses[number] == CP_USE_COLLISION;
    struct simplify_goal goal = {.triangles = triangles,
                                 .error = own_error(error, mesh, stretch),
                                 .one_way = !(error->metres > 0 || error->part > 0),
                                 .fast = reduction->fast,
                                 .whole = error->metres > 0 || error->part > 0,
                                 .shift = reduction->texels,
                                 .free = reduction->topology == TOPOLOGY_AUTO ? !collides_alone
                                                                              : reduction->topology == TOPOLOGY_FREE};
    struct simplify_result result;
    reduction->polygons += mesh->face_offsets != NULL;
    cp_status status = simplify_textured(reduction->scene, mesh, goal, &result);
    if (status != CP_OK)
        return status;
    reduction->shift = fmax(reduction->shift, result.shift);
    for (size_t i = 0; i < SIMPLIFY_OFFERS; i++) {
        reduction->offers[i].texels = fmax(reduction->offers[i].texels, result.offers[i].texels);
        reduction->offers[i].triangles += result.offers[i].triangles;
    }
    struct reduction_outcome *outcome = &reduction->outcomes[reduction->level];
    double off = result.error * (stretch > 0 ? stretch : 1);
    outcome->before += result.before;
    outcome->after += result.triangles;
    if (result.error > 0 && !result.whole_both_ways)
        outcome->measured =
            !result.both_ways || outcome->measured == MEASURED_ONE_WAY ? MEASURED_ONE_WAY : MEASURED_POINTS;
    if (off > outcome->worst) {
        outcome->worst = off;
        outcome->worst_mesh = mesh_title(mesh);
    }
    reduction->shells_gone += result.shells_gone;
    reduction->holes_closed += result.holes_closed;
    reduction->cut_edges += result.cut_edges;
    reduction->cut_vertices += result.cut_vertices;
    reduction->flat_faces += result.flat_faces;
    reduction->mixed_colours += result.mixed_colours;
    if (result.triangles > goal.triangles && goal.triangles > 0) {
        reduction->missed += result.triangles - goal.triangles;
        reduction->missed_meshes++;
    }
    return CP_OK;
}

/* Prints what more texels would reach, if textures have kept triangles; else nothing. */
static void print_offers(const struct reduction *reduction, char *text, size_t size)
{
    const struct simplify_offer *offers = reduction->offers;
    char texels[2][NUMBER_SIZE];
    (void)print_bound(offers[0].texels, texels[0]);
    (void)print_bound(offers[1].texels, texels[1]);
    *text = 0;
    if (reduction->level > 0 || offers[1].triangles >= reduction->outcomes[0].after)
        return;
    int length = snprintf(text, size, ", or move textures farther than texels= allows; texels=%s would reach %llu",
                          texels[0], (unsigned long long)offers[0].triangles);
    if (offers[1].triangles < offers[0].triangles && length > 0 && (size_t)length < size)
        (void)snprintf(text + length, size - (size_t)length, ", texels=%s %llu", texels[1],
                       (unsigned long long)offers[1].triangles);
}

void reduction_report(const struct reduction *reduction)
{
    static const char *const points[] = {"point", "measured point", "measured point of the original"};
    cp_context *context = reduction->scene->context;
    bool any = false;
    for (uint32_t level = 0; level <= MOST_LEVELS; level++) {
        const struct reduction_outcome *outcome = &reduction->outcomes[level];
        char error[NUMBER_SIZE], before[32] = "";
        if (outcome->before == 0)
            continue;
        any = true;
        (void)print_bound(1000 * outcome->worst, error);
        if (level > 0)
            (void)snprintf(before, sizeof before, "level %u: ", (unsigned)level);
        report_note(context, "simplify-done", NOWHERE,
                    "%s%llu of %llu triangles stay; no %s is farther than %s mm from the %s%s%s%s", before,
                    (unsigned long long)outcome->after, (unsigned long long)outcome->before, points[outcome->measured],
                    error, outcome->measured == MEASURED_ONE_WAY ? "new surface" : "other surface",
                    outcome->worst > 0 ? " (mesh \"" : "", outcome->worst > 0 ? outcome->worst_mesh : "",
                    outcome->worst > 0 ? "\")" : "");
    }
    if (reduction->shells_gone + reduction->holes_closed > 0)
        report_note(context, "simplify-topology", NOWHERE,
                    "shells that vanish: %llu; holes that close: %llu (topology=keep keeps them)",
                    (unsigned long long)reduction->shells_gone, (unsigned long long)reduction->holes_closed);
    if (!any)
        report_warning(context, "simplify-nothing", NOWHERE, "nothing to simplify: no mesh is made of faces");
    char offers[2 * NUMBER_SIZE + 160];
    print_offers(reduction, offers, sizeof offers);
    if (reduction->missed > 0)
        report_warning(
            context, "simplify-missed", NOWHERE,
            "%llu meshes keep %llu triangles more than asked for: fewer would be too far from the original, or "
            "open, or turned over%s",
            (unsigned long long)reduction->missed_meshes, (unsigned long long)reduction->missed, offers);
    if (reduction->cut_edges + reduction->cut_vertices > 0)
        report_warning(
            context, "simplify-cut", NOWHERE,
            "meshes that touch themselves are cut first: %llu edges of three faces or more, %llu vertices added",
            (unsigned long long)reduction->cut_edges, (unsigned long long)reduction->cut_vertices);
    if (reduction->flat_faces > 0)
        report_note(context, "simplify-flat", NOWHERE, "%llu faces on fewer than three positions are removed",
                    (unsigned long long)reduction->flat_faces);
    if (reduction->mixed_colours > 0)
        report_loss(context, "simplify-colours", NOWHERE, reduction->mixed_colours,
                    "vertices take the colour of another at their position");
    char shift[NUMBER_SIZE];
    (void)print_bound(reduction->shift, shift);
    if (reduction->shift > 0)
        report_note(context, "simplify-shift", NOWHERE, "textures are off by at most about %s texels", shift);
    if (reduction->polygons > 0)
        report_note(context, "simplify-polygons", NOWHERE, "%llu meshes of polygons are triangulated first",
                    (unsigned long long)reduction->polygons);
    if (reduction->others > 0)
        report_note(context, "simplify-others", NOWHERE,
                    "%llu meshes of lines, boxes, cylinders and the like stay as they are",
                    (unsigned long long)reduction->others);
}

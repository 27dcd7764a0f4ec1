/* Simplifies a mesh: it becomes a surface, the surface is simplified, and becomes the mesh again. */
#include "simplify.h"

#include <string.h>

#include "mesh/join.h"
#include "original.h"

/* A corner's vertex and coordinates. */
struct corner_row {
    uint32_t vertex;
    float coordinates[COORDINATES];
};

/* Splits vertices whose corners have different coordinates; a vertex serves all corners with the same ones. The mesh
 * has one vertex for each of the surface before. Its corners are those of surface's triangles, in the order of
 * `order`. */
static bool split_at_seams(cp_scene *scene, cp_mesh *written, const struct surface *surface, const uint32_t *order)
{
    cp_context *context = scene->context;
    uint32_t count = written->corner_count;
    struct corner_row *rows = memory_allocate(context, count, sizeof *rows);
    uint32_t *numbers = scene_allocate(scene, count, sizeof *numbers);
    for (uint32_t corner = 0; rows && corner < count; corner++) {
        rows[corner].vertex = written->corners[corner];
        memcpy(rows[corner].coordinates, surface->texture.coordinates[order[corner / 3]][corner % 3],
               sizeof rows[corner].coordinates);
    }
    bool good = rows && numbers && join_rows(context, rows, sizeof *rows / 4, sizeof *rows / 4, count, numbers);
    uint32_t vertices = good ? join_number(numbers, count) : 0;
    uint32_t *sources = memory_allocate(context, vertices, sizeof *sources);
    float *sets[CP_COORDINATE_SETS] = {NULL};
    const float *const had[] = {written->coordinates[0], written->coordinates[1]};
    for (size_t set = 0; good && set < CP_COORDINATE_SETS; set++) {
        written->coordinates[set] = NULL;
        sets[set] = had[set] ? scene_allocate(scene, vertices, 2 * sizeof *sets[set]) : NULL;
        good = sets[set] || !had[set];
    }
    for (uint32_t corner = 0; good && sources && corner < count; corner++) {
        uint32_t vertex = numbers[corner];
        sources[vertex] = written->corners[corner];
        for (size_t set = 0; set < CP_COORDINATE_SETS; set++)
            if (sets[set])
                memcpy(sets[set] + 2 * (size_t)vertex, rows[corner].coordinates + 2 * set, 2 * sizeof *sets[set]);
    }
    good = good && sources && mesh_take_vertices(scene, written, sources, vertices);
    for (size_t set = 0; set < CP_COORDINATE_SETS; set++)
        written->coordinates[set] = sets[set];
    written->corners = numbers;
    memory_free(context, sources, vertices, sizeof *sources);
    memory_free(context, rows, count, sizeof *rows);
    return good;
}

static cp_status write_mesh(cp_scene *scene, cp_mesh *mesh, const struct surface *surface)
{
    cp_mesh written = *mesh;
    uint32_t triangles = surface->triangle_count;
    size_t group_count = mesh->group_count;
    float(*positions)[3] = scene_allocate(scene, surface->vertex_count, sizeof *positions);
    if (!positions)
        return CP_LIMIT;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        to_mesh_unit(surface, surface->points[vertex], positions[vertex]);
    written.positions = positions[0];
    written.normals = written.tangents = NULL;
    written.vertex_count = surface->vertex_count;
    if (surface->colours) {
        written.colours = scene_allocate(scene, 4 * (size_t)surface->vertex_count, sizeof *written.colours);
        if (!written.colours)
            return CP_LIMIT;
        memcpy((float *)written.colours, surface->colours, surface->vertex_count * sizeof *surface->colours);
    }
    /* Sort triangles by group, by counting; starts[group]: the place for its next triangle. Empty groups vanish. */
    uint32_t *corners = scene_allocate(scene, 3 * (size_t)triangles, sizeof *corners);
    uint32_t *order = memory_allocate(scene->context, triangles, sizeof *order);
    uint32_t *starts = memory_allocate_zeroed(scene->context, group_count + 1, sizeof *starts);
    cp_group *groups = group_count > 0 ? scene_allocate(scene, group_count, sizeof *groups) : NULL;
    bool good = corners && order && starts && (groups || group_count == 0);
    if (good && group_count > 0) {
        uint32_t first = 0;
        for (uint32_t triangle = 0; triangle < triangles; triangle++)
            starts[tag_class(surface->tags[triangle])]++;
        written.groups = groups;
        written.group_count = 0;
        for (uint32_t group = 0; group < group_count; group++) {
            uint32_t count = starts[group];
            if (count > 0)
                groups[written.group_count++] = (cp_group){first, count, mesh->groups[group].material};
            starts[group] = first;
            first += count;
        }
    }
    for (uint32_t triangle = 0; good && triangle < triangles; triangle++)
        order[starts[tag_class(surface->tags[triangle])]++] = triangle;
    for (uint32_t i = 0; good && i < triangles; i++)
        memcpy(corners + 3 * (size_t)i, surface->triangles[order[i]], 3 * sizeof *corners);
    memory_free(scene->context, starts, group_count + 1, sizeof *starts);
    written.corners = corners;
    written.corner_count = 3 * triangles;
    written.face_count = triangles;
    written.face_offsets = NULL;
    good = good && (!surface->texture.coordinates || split_at_seams(scene, &written, surface, order));
    memory_free(scene->context, order, triangles, sizeof *order);
    if (good)
        *mesh = written;
    return good ? CP_OK : CP_LIMIT;
}

enum {
    REFINED = 50000,  /* meshes of more triangles take too long to be tried several times */
    MEASURED = 131072 /* more take too long to be measured as a whole, and both ways, unless an error is given */
};

/* A mesh while it is simplified. */
struct simplification {
    cp_scene *scene;
    const cp_mesh *mesh;
    const struct simplify_goal *goal;
    struct simplify_result *result;
    const uint32_t *classes;
    struct original original;
    uint8_t *times; /* of the original's points, and then of its faces: the number of tries that were too far from
                     * them */
    bool *fixed;    /* of the same */
    uint32_t row_count;
    struct surface_counts counts; /* of the original; without shells: not counted yet */
    uint32_t dearest;             /* of surface.h */
    uint32_t lines; /* the same, where a texture may stop the work: then a goal of fewer triangles takes the same way */
    uint32_t least; /* triangles that are left if textures may move without bound; 0: not tried */
};

/* Collapses a surface just to see the result, and throws it away. Its texture may be off by `shift` texels; 0: without
 * bound. Finds the triangles that are left, the largest shift, and the dearest collapse. */
static bool try_texture(const struct simplification *work, double bound, double shift, uint32_t *dearest,
                        struct simplify_offer *left)
{
    const struct simplify_goal *goal = work->goal;
    struct surface surface;
    struct collapse_outcome outcome = {.spent = 0};
    bool good = surface_make(&surface, work->scene->context, work->mesh, work->classes, goal->free);
    surface.texture.texels = goal->texels;
    surface.texture.shift = shift;
    const struct collapse_bounds bounds = {.triangles = (uint32_t)goal->triangles,
                                           .error = bound / surface.scale,
                                           .fast = goal->fast,
                                           .lines = work->lines,
                                           .dearest = *dearest};
    good = good && surface_collapse(&surface, NULL, &bounds, &outcome);
    *left = (struct simplify_offer){outcome.shifted, surface.live};
    *dearest = outcome.spent;
    surface_free(&surface);
    return good;
}

/* Finds a bound on the cost of all collapses: that of the dearest one if textures may move without bound. Else, where a
 * texture stops collapses, the rest of the mesh would have to lose more triangles for it. */
static bool find_dearest(struct simplification *work, double bound)
{
    const double further = 8;
    const struct simplify_goal *goal = work->goal;
    struct simplify_offer *offers = work->result->offers, all;
    uint32_t dearest = UINT32_MAX, unused;
    work->lines = work->mesh->face_count / 10 + 1;
    if (!try_texture(work, bound, 0, &dearest, &all))
        return false;
    work->least = (uint32_t)all.triangles;
    if (all.texels <= goal->shift)
        return true;
    work->dearest = unused = dearest;
    offers[0] = offers[1] = all;
    if (all.texels <= further * goal->shift)
        return true;
    bool good = try_texture(work, bound, further * goal->shift, &unused, &offers[0]);
    offers[0].texels = further * goal->shift;
    return good;
}

/* A surface that was collapsed and fitted. */
struct simplified {
    struct surface surface;
    struct surface_samples samples;
    struct face_map map; /* of the surface */
    uint32_t *near;      /* of the samples' points, faces of the surface */
};

static void simplified_free(struct simplified *simplified)
{
    cp_context *context = simplified->surface.context;
    memory_free(context, simplified->near, simplified->samples.count, sizeof *simplified->near);
    face_map_free(&simplified->map);
    samples_free(context, &simplified->samples);
    surface_free(&simplified->surface);
}

/* Collapses the mesh's surface and fits it to the original. bound: of the collapses, by the planes; whole: the
 * original's faces will be measured, too. Call simplified_free even on failure. */
static bool collapse_mesh(struct simplification *work, double bound, bool whole, struct simplified *made)
{
    const struct simplify_goal *goal = work->goal;
    cp_context *context = work->scene->context;
    struct surface *surface = &made->surface;
    struct collapse_outcome outcome;
    *made = (struct simplified){.near = NULL};
    if (!surface_make(surface, context, work->mesh, work->classes, goal->free))
        return false;
    surface->texture.texels = goal->texels;
    surface->texture.shift = goal->shift;
    const struct collapse_bounds bounds = {.triangles =
                                               goal->triangles < UINT32_MAX ? (uint32_t)goal->triangles : UINT32_MAX,
                                           .error = bound / surface->scale,
                                           .strict = !goal->one_way,
                                           .fast = goal->fast,
                                           .lines = work->lines,
                                           .dearest = work->dearest};
    bool both_ways = goal->whole || (!goal->fast && work->mesh->face_count < MEASURED);
    if (goal->free && work->counts.shells == 0 && !surface_count(surface, &work->counts))
        return false;
    if (!surface_sample(surface, goal->fast, whole, work->fixed, &made->samples) ||
        (both_ways && !work->original.surface.context && !original_keep(&work->original, surface, &made->samples)) ||
        (both_ways && !original_weigh(&work->original, surface)) ||
        !surface_collapse(surface, &made->samples, &bounds, &outcome))
        return false;
    made->near = memory_allocate(context, made->samples.count, sizeof *made->near);
    return made->near && surface_fit(surface, &made->samples, goal->fast ? 0 : 1, &made->map, made->near);
}

/* Finds weights of the original's planes that make the errors at points less: after each try they grow where the errors
 * were largest. If holes close, many tries have the same largest error, so the product with the mean decides. The
 * tries' surfaces are thrown away. */
static bool refine_weights(struct simplification *work)
{
    enum { TRIES = 4 };
    cp_context *context = work->scene->context;
    double least = INFINITY;
    float *best = NULL;
    bool good = true;
    for (int try = 0; good && try < TRIES; try++) {
        struct simplified made;
        struct deviation deviation = {.faces = false};
        good = collapse_mesh(work, work->goal->error, false, &made) &&
               measure_deviation(&work->original, &made.surface, &made.samples, &made.map, made.near, INFINITY,
                                 &deviation);
        if (good && !best)
            good = (best = memory_allocate(context, work->original.surface.vertex_count, sizeof *best)) != NULL;
        double error = fmax(deviation.from, deviation.to);
        double score = good ? error * deviation_mean(&deviation) : INFINITY;
        if (score < least) {
            least = score;
            memcpy(best, work->original.weights, work->original.surface.vertex_count * sizeof *best);
        }
        good = good && (error == 0 || raise_farthest(&work->original, &made.surface, &made.samples, &deviation));
        deviation_free(context, &deviation);
        simplified_free(&made);
        if (error == 0)
            break;
    }
    if (best)
        memcpy(work->original.weights, best, work->original.surface.vertex_count * sizeof *best);
    memory_free(context, best, work->original.surface.vertex_count, sizeof *best);
    return good;
}

/* Learns from a try. Places from which it was too far weigh more in the next one; places from which several tries were,
 * or a late one, stay as they are. If there are many such places, *lower is set instead: the bound must be lowered. */
static bool learn(struct simplification *work, const struct deviation *deviation, int try, bool *lower)
{
    const int patience = 3, late = 6; /* tries */
    const double much = 0.1;          /* a part of the original's points and faces */
    cp_context *context = work->scene->context;
    bool weighs = work->original.map.surface;
    if (!work->times) {
        work->row_count = deviation->far_count;
        work->times = memory_allocate_zeroed(context, work->row_count, sizeof *work->times);
        work->fixed = memory_allocate_zeroed(context, work->row_count, sizeof *work->fixed);
    }
    if (!work->times || !work->fixed)
        return false;
    uint32_t fresh = 0;
    for (uint32_t row = 0; row < work->row_count; row++)
        fresh += deviation->far[row] && work->times[row] == 0;
    *lower = weighs ? *lower && fresh > much * work->row_count : try < late;
    if (*lower)
        return true;
    for (uint32_t row = 0; row < work->row_count; row++)
        if (deviation->far[row])
            work->fixed[row] = ++work->times[row] >= patience || try >= late || !weighs;
    return !weighs || raise_far(&work->original, deviation);
}

/* Fills in the result of a try that is kept. */
static bool tell_result(struct simplification *work, const struct surface *surface, const struct deviation *deviation)
{
    struct simplify_result *result = work->result;
    const struct simplify_goal *goal = work->goal;
    bool both_ways = work->original.map.surface;
    struct simplify_offer had = {goal->shift, surface->triangle_count};
    bool stopped = work->dearest < UINT32_MAX;
    *result = (struct simplify_result){.before = result->before,
                                       .offers = {stopped ? result->offers[0] : had, stopped ? result->offers[1] : had},
                                       .triangles = surface->triangle_count,
                                       .error = fmax(deviation->from, deviation->to),
                                       .whole = deviation->faces,
                                       .both_ways = both_ways,
                                       .whole_both_ways = both_ways && deviation->faces_off,
                                       .cut_edges = surface->flaws.cut_edges,
                                       .cut_vertices = surface->flaws.cut_vertices,
                                       .flat_faces = surface->flaws.flat_faces,
                                       .mixed_colours = surface->flaws.mixed_colours};
    for (uint32_t vertex = 0; surface->texture.shifts && vertex < surface->vertex_count; vertex++)
        result->shift = fmax(result->shift, (double)surface->texture.shifts[vertex]);
    if (!goal->free)
        return true;
    struct surface_counts now, *before = &work->counts;
    if (!surface_count(surface, &now))
        return false;
    result->shells_gone = before->shells > now.shells ? before->shells - now.shells : 0;
    if (before->crossed == now.crossed && before->holes > now.holes)
        result->holes_closed = before->holes - now.holes;
    return true;
}

/* Simplifies the faces. The planes' error is a mean over faces, so the measured one may be larger. If it is too large
 * in few places, the next try gives them more weight; if in many, the bound is lowered. A lower bound does not help
 * where the planes show no error at all. */
static cp_status simplify_faces(struct simplification *work, cp_mesh *mesh)
{
    enum { MOST_TRIES = 24, LAST_TRIES = 18, MOST_LOWERED = 3 };
    const struct simplify_goal *goal = work->goal;
    cp_context *context = work->scene->context;
    bool whole = goal->whole || (!goal->fast && mesh->face_count < MEASURED), kept = false, good = true;
    double bound = goal->bound > 0 ? fmin(goal->error, goal->bound) : goal->error;
    int lowered = 0;
    bool textured = goal->texels && goal->shift > 0 && (mesh->coordinates[0] || mesh->coordinates[1]);
    if (textured && goal->triangles > 0 && !find_dearest(work, bound))
        return CP_LIMIT;
    /* Do not refine where a texture stops the work: fewer triangles, or more texels, must not leave more by chance. */
    bool refined = goal->triangles > 0 && !goal->fast && mesh->face_count < REFINED && work->dearest == UINT32_MAX;
    const uint32_t lines = work->lines;
    work->lines = refined ? 0 : lines;
    if (refined && !refine_weights(work))
        return CP_LIMIT;
    for (int try = 0; good && !kept && try < MOST_TRIES; try++) {
        struct simplified made;
        struct deviation deviation = {.one_way = goal->one_way, .faces = whole, .faces_off = goal->whole};
        good = collapse_mesh(work, bound, whole, &made) &&
               measure_deviation(&work->original, &made.surface, &made.samples, &made.map, made.near, goal->error,
                                 &deviation);
        double error = goal->one_way ? deviation.from : fmax(deviation.from, deviation.to);
        kept = good && error <= goal->error;
        if (refined && work->least > 0 && made.surface.triangle_count > work->least) {
            original_forget(&work->original);
            work->lines = lines;
            refined = kept = false;
        } else if (kept) {
            good =
                tell_result(work, &made.surface, &deviation) && write_mesh(work->scene, mesh, &made.surface) == CP_OK;
        } else if (good) {
            bool lower = lowered < MOST_LOWERED;
            good = learn(work, &deviation, try, &lower);
            if (good && lower) {
                bound *= fmax(0.5, 0.9 * goal->error / error);
                lowered++;
            } else if (try >= LAST_TRIES) {
                bound *= 0.1; /* until hardly any collapse is left that could be too far off */
            }
        }
        deviation_free(context, &deviation);
        simplified_free(&made);
    }
    return good ? CP_OK : CP_LIMIT;
}

cp_status mesh_simplify(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                        struct simplify_result *result)
{
    *result = (struct simplify_result){.before = 0};
    cp_status status = mesh_triangulate(scene, mesh);
    result->before = result->triangles = mesh_triangle_count(mesh);
    result->offers[0] = result->offers[1] = (struct simplify_offer){goal->shift, result->before};
    if (status != CP_OK || mesh->kind != CP_MESH_FACES || result->before <= goal->triangles)
        return status;
    /* The triangles' groups are their classes. */
    uint32_t face_count = mesh->face_count,
             *classes = memory_allocate_zeroed(scene->context, face_count, sizeof *classes);
    for (uint32_t group = 0; classes && group < mesh->group_count; group++)
        for (uint32_t i = 0; i < mesh->groups[group].face_count; i++)
            classes[mesh->groups[group].first_face + i] = group;
    struct simplification work = {
        .scene = scene, .mesh = mesh, .goal = goal, .result = result, .classes = classes, .dearest = UINT32_MAX};
    const cp_mesh before = *mesh;
    status = classes ? simplify_faces(&work, mesh) : CP_LIMIT;
    if (status == CP_OK && before.normals && !mesh->normals)
        status = mesh_shade_like(scene, mesh, &before);
    memory_free(scene->context, work.times, work.row_count, sizeof *work.times);
    memory_free(scene->context, work.fixed, work.row_count, sizeof *work.fixed);
    original_free(&work.original);
    memory_free(scene->context, classes, face_count, sizeof *classes);
    return status;
}

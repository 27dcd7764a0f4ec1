/* The search of web=yes: it composes files, with more or less simplification, until one fits what the user asked for,
 * and writes that one. Each mesh is simplified and gets its normals by itself, before the meshes of a link become one:
 * parts that touch do not grow together. */
#include "../writer.h"

#include <math.h>

#include "base/context.h"
#include "mesh/mesh.h"
#include "mesh/simplify/simplify.h"

/* A file of this part of the budget is near enough; the search ends after so many files. */
static const double close_enough = 0.98;
enum { MOST_ATTEMPTS = 14, MOST_TRIES = 20 };
/* The part of error= that positions as integers may take, and the part that they get if they need more; the rest is for
 * the simplification. */
static const double quantised_part = 0.25, most_quantised_part = 0.9;
/* If less than this part of error= is left behind that of the source, the source counts as exact, with a warning. */
static const double least_left = 0.1;
/* If error= is not given and positions would be off by more than this part of the scene's diagonal, they get more bits
 * than usual, and a warning if even these are not enough. */
static const double coarse_part = 1e-3;
/* The first guess of how far a surface may move, and the most, as parts of the scene's diagonal. */
static const double first_guess = 1e-3, most_error = 0.5;

struct gltf_attempt {
    struct gltf_writer writer;
    double error;  /* metres: the user's, or the bound that is tried; 0: not simplified */
    double needed; /* the part of error= that the positions take */
    double reached;
    bool points; /* only points of some mesh were measured */
    uint64_t shells_gone, holes_closed;
    double shift;               /* of textures, in texels */
    uint64_t before, triangles; /* triangles of the meshes, each counted once */
    uint64_t size;
    struct merge_result merged;
};

struct gltf_search {
    const struct gltf_writer *model; /* the beginning of every attempt's writer */
    const struct gltf_export_settings *settings;
    struct sink *sink;
    double error;                   /* of the settings, without that of the source; 0: not given */
    double quantised;               /* the part of it that positions get */
    cp_scene *base;                 /* what is drawn */
    double displaced;               /* for it, in metres */
    double diagonal;                /* the scene's; 0: it is empty */
    const struct web_place *places; /* of its meshes */
    struct gltf_attempt attempts[2];
    struct gltf_attempt *best; /* the least simplified one that fits, or NULL */
    uint64_t tries;
    uint64_t least_plain; /* the least bytes of a file without web=yes */
};

/* A bracket between an error that is too small and one that fits the budget. */
struct bracket {
    double low, high;           /* errors: one with too large a file, and one that fits */
    double low_size, high_size; /* their sizes */
    bool assumed;               /* low was not tried: its size is that of the whole scene */
};

/* ---- one attempt ---- */

/* Simplifies the meshes. With error=, no point may be farther off. A budget searches for the bound of the collapses
 * instead, for which one round is enough. */
static cp_status simplify_meshes(const struct gltf_search *search, struct gltf_attempt *attempt)
{
    const struct gltf_export_settings *settings = search->settings;
    cp_scene *scene = attempt->writer.file.work;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        cp_mesh *mesh = &scene->meshes[i];
        double stretch = search->places[i].stretch;
        if (mesh->kind != CP_MESH_FACES || !(stretch > 0))
            continue;
        struct simplify_result result;
        struct simplify_goal goal = {.error = INFINITY,
                                     .fast = settings->quality == QUALITY_FAST,
                                     .whole = search->error > 0,
                                     .shift = settings->texels,
                                     .free = settings->topology != TOPOLOGY_KEEP};
        if (search->error > 0)
            goal.error = attempt->error * (1 - search->quantised) / stretch;
        else
            goal.bound = attempt->error / stretch;
        if (settings->budget > 0)
            goal.shift *= fmax(1, attempt->error / (search->diagonal * first_guess));
        status = simplify_textured(scene, mesh, goal, &result);
        attempt->shift = fmax(attempt->shift, result.shift);
        attempt->before += result.before;
        attempt->triangles += result.triangles;
        attempt->reached = fmax(attempt->reached, result.error * stretch);
        attempt->points = attempt->points || (result.error > 0 && !result.whole_both_ways);
        attempt->shells_gone += result.shells_gone;
        attempt->holes_closed += result.holes_closed;
    }
    return status;
}

/* Chooses the normals. The original gets them first, since simplified meshes take theirs from it; then meshes that have
 * become flat. */
static cp_status choose_normals(cp_scene *scene, const struct gltf_export_settings *settings)
{
    cp_status status = CP_OK;
    int mode = normals_mode(settings);
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        cp_mesh *mesh = &scene->meshes[i];
        if (mode == NORMALS_NONE)
            mesh->normals = mesh->tangents = NULL;
        else if (mode == NORMALS_SMOOTH && mesh->kind == CP_MESH_FACES && mesh->face_count > 0 && !mesh->normals)
            status = mesh_smooth_normals(scene, mesh, settings->crease);
    }
    return status;
}

/* Composes a file: the scene simplified, with normals, one mesh for each link, and places for its vertices. CP_NO: the
 * positions need a larger part of error=. */
static cp_status compose_attempt(const struct gltf_search *search, double error, struct gltf_attempt *attempt)
{
    *attempt = (struct gltf_attempt){.writer = *search->model, .error = error};
    struct gltf_file *file = &attempt->writer.file;
    const struct gltf_export_settings *settings = search->settings;
    cp_scene *scene = scene_copy(search->base);
    file->scene = file->work = scene;
    if (!scene)
        return CP_LIMIT;
    file->web.idle_coordinates = web_drop_coordinates(scene);
    cp_status status = error > 0 ? simplify_meshes(search, attempt) : CP_OK;
    if (status == CP_OK)
        status = choose_normals(scene, settings);
    if (status == CP_OK)
        status = web_merge(scene, settings->merge == MERGE_FRAMES ? MERGE_NODE : MERGE_LINK, &attempt->merged);
    file->web.rounded = search->displaced + attempt->merged.rounded;
    if (status == CP_OK)
        status = web_even_out(scene, &file->web.rounded);
    if (status != CP_OK)
        return status;
    double wanted = search->error > 0 ? search->error * search->quantised : search->diagonal * coarse_part;
    web_place_coordinates(scene, file->web.coordinates);
    file->web.places = web_place_meshes(scene, (uint32_t)settings->bits, wanted);
    if (!file->web.places)
        return CP_LIMIT;
    /* The positions alone may need more than their part of error=. */
    double most = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        most = fmax(most, file->web.places[i].cell * file->web.places[i].stretch);
    attempt->needed = most / search->error;
    if (search->error > 0 && !(most <= search->error * search->quantised))
        return CP_NO;
    return compose_file(&attempt->writer, search->sink, &attempt->size);
}

/* Composes an attempt and keeps it if it fits; then the kept one before is freed, else this one. */
static cp_status try_error(struct gltf_search *search, double error, struct bracket *bracket)
{
    struct gltf_attempt *attempt = &search->attempts[search->best == &search->attempts[0]];
    double budget = (double)search->settings->budget;
    if (budget > 0) /* it may end sooner */
        context_progress(search->base->context, (cp_progress){.work = "simplifying",
                                                              .file = sink_file_name(search->sink),
                                                              .done = search->tries++,
                                                              .total = MOST_TRIES});
    cp_status status = compose_attempt(search, error, attempt);
    bool fits = status == CP_OK && (!(budget > 0) || (double)attempt->size <= budget);
    if (!fits)
        free_writer(&attempt->writer);
    if (status != CP_OK)
        return status;
    if (fits) {
        bracket->high = error;
        bracket->high_size = (double)attempt->size;
        if (search->best)
            free_writer(&search->best->writer);
        search->best = attempt;
    } else {
        bracket->low = error;
        bracket->low_size = (double)attempt->size;
        bracket->assumed = false;
    }
    return CP_OK;
}

/* ---- a budget ---- */

/* Returns the error at which a straight line through both ends, in the logarithms, has a size that is near enough; not
 * too near to either end. */
static double next_error(const struct bracket *bracket, double budget)
{
    double low = log(bracket->low), high = log(bracket->high), width = high - low;
    double aim = log(budget * 0.5 * (1 + close_enough));
    double part = (log(bracket->low_size) - aim) / (log(bracket->low_size) - log(bracket->high_size));
    part = isfinite(part) ? fmax(0.1, fmin(0.9, part)) : 0.5;
    return exp(low + part * width);
}

/* Searches a file within the budget, after the whole scene did not fit. */
static cp_status meet_budget(struct gltf_search *search, struct bracket bracket)
{
    double budget = (double)search->settings->budget;
    cp_status status = CP_OK;

    /* Try larger errors until one fits; none if the scene has no size, or one beyond all numbers. */
    double diagonal = search->diagonal;
    for (double error = diagonal * first_guess; status == CP_OK && !search->best; error *= 8) {
        if (!(error > 0 && error <= diagonal * most_error && isfinite(error))) {
            char text[NUMBER_SIZE];
            print_double(budget, text);
            return report_error(search->base->context, CP_LIMIT, "gltf-budget", NOWHERE,
                                "budget=%s: the coarsest shape still takes %.0f bytes", text, bracket.low_size);
        }
        status = try_error(search, error, &bracket);
    }

    /* Search between an error that is too small and one that fits. If the first one fits, the other end is the error of
     * the whole scene's size, assuming that the size is proportional to the error to the power of -1.5, as on smooth
     * surfaces. */
    bracket.assumed = bracket.low == 0;
    if (bracket.assumed)
        bracket.low = bracket.high * pow(bracket.high_size / bracket.low_size, 1 / 1.5);
    for (int i = 0; i < MOST_ATTEMPTS && status == CP_OK; i++) {
        if (bracket.assumed && bracket.high < bracket.low * 1.5)
            bracket.low /= 8;
        if (bracket.high_size >= budget * close_enough || bracket.high < bracket.low * 1.01)
            break;
        status = try_error(search, next_error(&bracket, budget), &bracket);
    }
    return status;
}

/* ---- the report ---- */

static void report(const struct gltf_search *search)
{
    const struct gltf_attempt *attempt = search->best;
    const struct gltf_file *file = &attempt->writer.file;
    double position = 0, normal = 0;
    uint64_t collapsed = 0;
    uint32_t vanished = 0; /* meshes that lose most of their triangles */
    merge_report(file->context, &attempt->merged);
    for (uint32_t i = 0; i < file->scene->mesh_count; i++) {
        const struct web_mesh *web = file->meshes[i].web;
        position = web ? fmax(position, web->position + file->web.posed) : position;
        normal = web ? fmax(normal, web->normal) : normal;
        collapsed += web ? web->collapsed : 0;
        vanished += web && web->collapsed > web->corner_count / 3;
    }
    char metres[NUMBER_SIZE], degrees[NUMBER_SIZE];
    (void)print_bound(position, metres);
    (void)print_bound(radians_to_degrees(normal), degrees);
    report_note(file->context, "gltf-quantised", NOWHERE, "positions are off by at most %s m%s%s%s", metres,
                normal > 0 ? ", normals by " : "", normal > 0 ? degrees : "", normal > 0 ? " degrees" : "");
    if (position > search->diagonal * coarse_part)
        report_warning(file->context, "gltf-coarse", NOWHERE,
                       "positions are off by up to %s m, more than a thousandth of the scene's size (bits=16, or no "
                       "web=yes)",
                       metres);
    if (collapsed > 0)
        report_note(file->context, "gltf-collapsed", NOWHERE,
                    "triangles smaller than a step of the positions are left out: %llu", (unsigned long long)collapsed);
    if (vanished > 0)
        report_warning(file->context, "gltf-vanished", NOWHERE,
                       "meshes of which most triangles are smaller than a step of the positions, and left out: %lu "
                       "(split-meshes before, or no web=yes)",
                       (unsigned long)vanished);
    if (file->web.idle_coordinates > 0)
        report_note(file->context, "gltf-idle-coordinates", NOWHERE,
                    "texture coordinates that no texture uses are left out, of %lu meshes",
                    (unsigned long)file->web.idle_coordinates);
    if (attempt->error > 0)
        file->context->written.deviation = search->base->source.deviation + attempt->reached + position;
    (void)print_bound(attempt->reached, metres);
    if (attempt->error > 0)
        report_note(
            file->context, "gltf-simplified", NOWHERE,
            "simplified from %llu to %llu triangles; no %s is farther than %s m from the other surface: %llu bytes",
            (unsigned long long)attempt->before, (unsigned long long)attempt->triangles,
            attempt->points ? "measured point" : "point", metres, (unsigned long long)attempt->size);
    (void)print_bound(attempt->shift, degrees);
    if (attempt->shift > 0)
        report_note(file->context, "gltf-shifted", NOWHERE, "textures are off by at most about %s texels", degrees);
    if (attempt->shells_gone + attempt->holes_closed > 0)
        report_note(file->context, "gltf-topology", NOWHERE,
                    "shells that vanish: %llu; holes that close: %llu (topology=keep keeps them)",
                    (unsigned long long)attempt->shells_gone, (unsigned long long)attempt->holes_closed);
    if (!(attempt->error > 0) && file->settings->budget > 0)
        report_note(file->context, "gltf-simplified", NOWHERE, "not simplified: %llu bytes",
                    (unsigned long long)attempt->size);
}

/* Makes triangles of all meshes. With `smooth`, round primitives get their exact normals. */
static cp_status make_triangles(cp_scene *scene, bool smooth)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        status = (smooth ? mesh_tessellate_round : mesh_tessellate)(scene, &scene->meshes[i]);
        if (status == CP_OK)
            status = mesh_triangulate(scene, &scene->meshes[i]);
    }
    return status;
}

/* ---- small files ---- */

/* Returns the bytes of the positions as floats. */
static uint64_t count_bytes(const cp_scene *scene)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        bytes += UINT64_C(12) * scene->meshes[i].vertex_count;
    return bytes;
}

/* Writes a small file as without web=yes if that is smaller, since packing adds a description, and if it keeps to the
 * budget. packed: the bytes of the whole scene for the web. *written: it did. */
static cp_status try_plain(const struct gltf_search *search, const struct gltf_writer *model, uint64_t packed,
                           bool *written)
{
    struct gltf_export_settings settings = *search->settings;
    struct gltf_writer writer = *model;
    cp_context *context = writer.file.context;
    uint64_t size;
    *written = false;
    if (search->least_plain >= packed)
        return CP_OK;
    settings.web = false;
    writer.file.settings = &settings;
    writer.file.work = scene_new(context);
    cp_status status = writer.file.work ? compose_file(&writer, search->sink, &size) : CP_LIMIT;
    *written = status == CP_OK && size < packed && (!(settings.budget > 0) || size <= (uint64_t)settings.budget);
    if (*written)
        status = finish_file(&writer, search->sink);
    if (*written && status == CP_OK)
        report_note(context, "gltf-plain", NOWHERE,
                    "written as without web=yes, which is smaller: %llu bytes, not %llu", (unsigned long long)size,
                    (unsigned long long)packed);
    free_writer(&writer);
    return status;
}

/* ---- the whole ---- */

/* Plans the clips, which are the same in all attempts. Their memory is the base's. */
static cp_status plan_motion(struct gltf_search *search, struct gltf_file *model)
{
    struct gltf_file file = *model;
    file.scene = file.work = search->base;
    file.web.diagonal = search->diagonal;
    cp_status status = mechanism_open(&file.mechanism, file.context, file.scene);
    if (status == CP_OK && !(plan_diagonal(&file) && plan_played(&file)))
        status = file.motion.open ? CP_NO : CP_LIMIT;
    mechanism_close(&file.mechanism);
    model->motion = file.motion;
    model->web.diagonal = search->diagonal;
    return status;
}

/* Finds what is left of error= behind that of the source's own triangles. */
static void take_error(struct gltf_search *search)
{
    double error = search->settings->error, deviation = search->base->source.deviation;
    char metres[NUMBER_SIZE];
    search->quantised = quantised_part;
    search->error = error > 0 ? error - deviation : 0;
    if (search->error >= least_left * error)
        return;
    search->error = error;
    (void)print_bound(deviation, metres);
    report_warning(search->base->context, "gltf-deviation", NOWHERE,
                   "the triangles of the source are up to %s m from its surfaces, so that error= holds for these "
                   "triangles alone",
                   metres);
}

/* Tries the error of the settings, or none. */
static cp_status try_first(struct gltf_search *search, struct bracket *bracket)
{
    cp_status status = try_error(search, search->error, bracket);
    double needed = search->attempts[0].needed;
    if (status == CP_NO && needed <= most_quantised_part) {
        search->quantised = needed;
        status = try_error(search, search->error, bracket);
    }
    if (status != CP_NO)
        return status;
    char metres[NUMBER_SIZE]; /* the reader of exact surfaces gets the same part of another error */
    (void)print_bound(search->settings->error * needed / most_quantised_part, metres);
    return report_error(search->base->context, CP_USAGE, "gltf-error", NOWHERE,
                        "the error is too small for the positions of the largest mesh: it needs %s m", metres);
}

cp_status write_web(const struct gltf_writer *begun, struct sink *sink)
{
    struct gltf_writer model = *begun;
    const struct gltf_export_settings *settings = model.file.settings;
    struct gltf_search search = {
        .model = &model, .settings = settings, .sink = sink, .base = scene_copy(model.file.scene)};
    struct bracket bracket = {0};
    cp_measures measures = {.size = sizeof measures};
    cp_status status = search.base ? make_triangles(search.base, normals_mode(settings) == NORMALS_SMOOTH) : CP_LIMIT;
    if (status == CP_OK)
        status = web_keep_drawn(search.base, &search.displaced);
    search.least_plain = status == CP_OK ? count_bytes(search.base) : 0; /* before creases split vertices */
    if (status == CP_OK)
        status = measure_boxes(model.file.context, search.base, CP_USE_DRAWN, &measures);
    if (status == CP_OK)
        search.diagonal = measured_diagonal(&measures);
    if (status == CP_OK)
        status = plan_motion(&search, &model.file);
    if (status == CP_OK)
        status = web_even_out(search.base, &search.displaced);
    if (status == CP_OK)
        status = choose_normals(search.base, settings);
    if (status == CP_OK)
        search.places = web_place_meshes(search.base, 0, 0);
    if (status == CP_OK && !search.places)
        status = CP_LIMIT;
    if (status == CP_OK) {
        take_error(&search);
        status = try_first(&search, &bracket);
    }
    bool plain = false;
    if (status == CP_OK)
        status = try_plain(&search, begun, search.best ? search.best->size : (uint64_t)bracket.low_size, &plain);
    if (status == CP_OK && !plain && !search.best)
        status = meet_budget(&search, bracket);
    if (status == CP_OK && !plain) {
        status = finish_file(&search.best->writer, sink);
        if (status == CP_OK)
            report(&search);
    }
    if (search.best)
        free_writer(&search.best->writer);
    cp_scene_free(search.base);
    return status;
}

/* The whole of web=yes: files are composed, with more or less simplification, until one is as it was asked for, and that one is
 * written. Each mesh is simplified and gets its normals for itself, before the meshes of a link become one: parts that touch do not grow
 * together. */
#include "../writer.h"

#include "../../../scene/mesh/simplify/simplify.h"

#include <math.h>
#include <string.h>

/* A budget is met well enough by a file of this part of it, and the search ends after so many files in any case. */
static const double close_enough = 0.98;
enum { MOST_ATTEMPTS = 14 };
/* With error=: the part of it that positions as integers may take; the rest is the simplification's. */
static const double quantised_part = 0.25;
/* The first guess and the most that a surface may move, as parts of the scene's diagonal. */
static const double first_guess = 1e-3, most_error = 0.5;

struct attempt {
    struct writer writer;
    double error; /* asked for, or the bound that is tried, in metres; 0: not simplified */
    double reached;
    bool points;                /* of some mesh, points alone were measured */
    uint64_t before, triangles; /* of the meshes, each counted once */
    uint64_t size;
    struct merge_result merged;
};

struct search {
    const struct writer *model; /* the beginning of every attempt's writer */
    struct sink *sink;
    cp_scene *base;                 /* what is drawn */
    double displaced;               /* for it, in metres */
    const struct web_place *places; /* of its meshes */
    struct attempt attempts[2];
    struct attempt *best; /* the least simplified one that fits, or NULL */
};

/* ---- one attempt ---- */

/* With error=, no point may be farther off. For a budget the bound of the collapses is what is searched for: then one go is enough. */
static struct simplify_goal goal_of(const struct attempt *attempt, double stretch)
{
    const struct gltf_settings *settings = attempt->writer.settings;
    struct simplify_goal goal = {
        .error = INFINITY, .fast = settings->quality == QUALITY_FAST, .whole = settings->error > 0};
    if (settings->error > 0)
        goal.error = attempt->error * (1 - quantised_part) / stretch;
    else
        goal.bound = attempt->error / stretch;
    return goal;
}

static cp_status simplify_mesh(struct attempt *attempt, cp_mesh *mesh, double stretch)
{
    struct simplify_result result;
    struct simplify_goal goal = goal_of(attempt, stretch);
    bool had_normals = mesh->normals;
    cp_status status = mesh_simplify(attempt->writer.work, mesh, &goal, &result);
    attempt->before += result.before;
    attempt->triangles += result.triangles;
    attempt->reached = fmax(attempt->reached, result.error * stretch);
    attempt->points = attempt->points || (result.error > 0 && !result.whole);
    if (status == CP_OK && had_normals && !mesh->normals && normals_mode(attempt->writer.settings) != NORMALS_NONE)
        status = mesh_smooth_normals(attempt->writer.work, mesh, attempt->writer.settings->crease);
    return status;
}

static cp_status simplify_meshes(const struct search *search, struct attempt *attempt)
{
    cp_scene *scene = attempt->writer.work;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++)
        if (scene->meshes[i].kind == CP_MESH_FACES && search->places[i].stretch > 0)
            status = simplify_mesh(attempt, &scene->meshes[i], search->places[i].stretch);
    return status;
}

/* Positions alone may need more than their part of the error that was asked for. */
static cp_status check_places(const struct attempt *attempt)
{
    const struct writer *writer = &attempt->writer;
    double most = 0;
    for (uint32_t i = 0; i < writer->scene->mesh_count; i++)
        most = fmax(most, writer->web.places[i].cell * writer->web.places[i].stretch);
    if (writer->settings->error == 0 || most <= writer->settings->error * quantised_part)
        return CP_OK;
    char metres[NUMBER_SIZE];
    (void)print_bound(most / quantised_part, metres);
    return report_error(writer->context, CP_USAGE, "gltf-error", NOWHERE,
                        "the error is too small for the positions of the largest mesh: it needs %s m", metres);
}

static cp_status arrange(const struct search *search, struct attempt *attempt)
{
    struct writer *writer = &attempt->writer;
    const struct gltf_settings *settings = writer->settings;
    cp_status status = attempt->error > 0 ? simplify_meshes(search, attempt) : CP_OK;
    if (normals_mode(settings) == NORMALS_NONE)
        web_drop_normals(writer->work);
    if (status == CP_OK && normals_mode(settings) == NORMALS_SMOOTH)
        status = web_make_normals(writer->work, settings->crease);
    if (status == CP_OK)
        status = web_merge(writer->work, &attempt->merged);
    if (status != CP_OK)
        return status;
    writer->web.rounded = search->displaced + attempt->merged.rounded;
    writer->web.places = web_place_meshes(writer->work, (uint32_t)settings->bits, settings->error * quantised_part);
    return writer->web.places ? check_places(attempt) : CP_LIMIT;
}

static cp_status try_error(const struct search *search, double error, struct attempt *attempt)
{
    *attempt = (struct attempt){.writer = *search->model, .error = error};
    struct writer *writer = &attempt->writer;
    writer->scene = writer->work = scene_copy(search->base);
    cp_status status = writer->work ? arrange(search, attempt) : CP_LIMIT;
    return status == CP_OK ? compose_file(writer, search->sink, &attempt->size) : status;
}

/* ---- a budget ---- */

struct bracket {
    double low, high;           /* errors: too large a file, and one that fits */
    double low_size, high_size; /* their sizes */
    bool assumed;               /* nobody tried low: its size is that of the whole */
};

/* Where a straight line through both ends, in the logarithms, meets what is well enough; not too near to either. */
static double next_error(const struct bracket *bracket, double budget)
{
    double low = log(bracket->low), high = log(bracket->high), width = high - low;
    double aim = log(budget * 0.5 * (1 + close_enough));
    double part = (log(bracket->low_size) - aim) / (log(bracket->low_size) - log(bracket->high_size));
    part = isfinite(part) ? fmax(0.1, fmin(0.9, part)) : 0.5;
    return exp(low + part * width);
}

/* Keeps the attempt when it fits and is better, else frees it. */
static void judge(struct search *search, struct attempt *attempt, struct bracket *bracket)
{
    bool fits = (double)attempt->size <= search->model->settings->budget;
    double size = (double)attempt->size;
    if (!fits) {
        bracket->low = attempt->error;
        bracket->low_size = size;
        bracket->assumed = false;
        free_writer(&attempt->writer);
        return;
    }
    bracket->high = attempt->error;
    bracket->high_size = size;
    if (search->best)
        free_writer(&search->best->writer);
    search->best = attempt;
}

static struct attempt *free_attempt(struct search *search)
{
    return &search->attempts[search->best == &search->attempts[0]];
}

static cp_status try_and_judge(struct search *search, double error, struct bracket *bracket)
{
    struct attempt *attempt = free_attempt(search);
    cp_status status = try_error(search, error, attempt);
    if (status == CP_OK)
        judge(search, attempt, bracket);
    else
        free_writer(&attempt->writer);
    return status;
}

static cp_status refuse_budget(const struct search *search, const struct bracket *bracket)
{
    char budget[NUMBER_SIZE];
    print_double(search->model->settings->budget, budget);
    return report_error(search->model->context, CP_LIMIT, "gltf-budget", NOWHERE,
                        "budget=%s: %.0f bytes are left however coarse the shape is", budget, bracket->low_size);
}

/* Larger errors until one fits. */
static cp_status find_high(struct search *search, double diagonal, struct bracket *bracket)
{
    cp_status status = CP_OK;
    double error = diagonal * first_guess;
    while (status == CP_OK && !search->best) {
        if (!(error <= diagonal * most_error))
            return refuse_budget(search, bracket);
        status = try_and_judge(search, error, bracket);
        error *= 8;
    }
    return status;
}

/* Between an error that is too small and one that fits. When the first one tried fits, the other end is where the size would be that of
 * the whole, if it went with the error to the power of -1.5, as it does on smooth surfaces. */
static cp_status close_in(struct search *search, struct bracket *bracket)
{
    double budget = search->model->settings->budget;
    cp_status status = CP_OK;
    bracket->assumed = bracket->low == 0;
    if (bracket->assumed)
        bracket->low = bracket->high * pow(bracket->high_size / bracket->low_size, 1 / 1.5);
    for (int i = 0; i < MOST_ATTEMPTS && status == CP_OK; i++) {
        if (bracket->assumed && bracket->high < bracket->low * 1.5)
            bracket->low /= 8;
        if (bracket->high_size >= budget * close_enough || bracket->high < bracket->low * 1.01)
            break;
        status = try_and_judge(search, next_error(bracket, budget), bracket);
    }
    return status;
}

static cp_status meet_budget(struct search *search)
{
    struct bracket bracket = {0};
    cp_measures measures;
    cp_status status = measure_boxes(search->model->context, search->base, CP_USE_DRAWN, &measures);
    if (status == CP_OK)
        status = try_and_judge(search, 0, &bracket);
    if (status != CP_OK || search->best)
        return status;
    status = find_high(search, measured_diagonal(&measures), &bracket);
    return status == CP_OK ? close_in(search, &bracket) : status;
}

/* ---- an error, or none ---- */

static cp_status meet_error(struct search *search)
{
    struct attempt *attempt = &search->attempts[0];
    cp_status status = try_error(search, search->model->settings->error, attempt);
    if (status == CP_OK)
        search->best = attempt;
    else
        free_writer(&attempt->writer);
    return status;
}

/* ---- what is said ---- */

static void report_quantised(const struct attempt *attempt)
{
    const struct writer *writer = &attempt->writer;
    double position = 0, normal = 0;
    uint64_t collapsed = 0;
    for (uint32_t i = 0; i < writer->scene->mesh_count; i++) {
        const struct web_mesh *web = writer->meshes[i].web;
        position = web ? fmax(position, web->position) : position;
        normal = web ? fmax(normal, web->normal) : normal;
        collapsed += web ? web->collapsed : 0;
    }
    char metres[NUMBER_SIZE], degrees[NUMBER_SIZE];
    (void)print_bound(position, metres);
    (void)print_bound(radians_to_degrees(normal), degrees);
    report_note(writer->context, "gltf-quantised", NOWHERE, "positions are off by at most %s m%s%s%s", metres,
                normal > 0 ? ", normals by " : "", normal > 0 ? degrees : "", normal > 0 ? " degrees" : "");
    if (collapsed > 0)
        report_note(writer->context, "gltf-collapsed", NOWHERE,
                    "triangles smaller than a step of the positions are left out: %llu", (unsigned long long)collapsed);
}

static void report_simplified(const struct attempt *attempt)
{
    char metres[NUMBER_SIZE];
    (void)print_bound(attempt->reached, metres);
    if (attempt->error > 0)
        report_note(attempt->writer.context, "gltf-simplified", NOWHERE,
                    "simplified from %llu to %llu triangles, which moves %s by %s m: %llu bytes",
                    (unsigned long long)attempt->before, (unsigned long long)attempt->triangles,
                    attempt->points ? "the measured points" : "the surface", metres, (unsigned long long)attempt->size);
    else if (attempt->writer.settings->budget > 0)
        report_note(attempt->writer.context, "gltf-simplified", NOWHERE, "not simplified: %llu bytes",
                    (unsigned long long)attempt->size);
}

/* ---- the whole ---- */

static cp_status search_and_write(struct search *search)
{
    bool budget = search->model->settings->budget > 0;
    cp_status status = budget ? meet_budget(search) : meet_error(search);
    if (status == CP_OK)
        status = finish_file(&search->best->writer, search->sink);
    if (status == CP_OK) {
        merge_report(search->model->context, &search->best->merged);
        report_quantised(search->best);
        report_simplified(search->best);
    }
    if (search->best)
        free_writer(&search->best->writer);
    return status;
}

cp_status write_web(const struct writer *model, struct sink *sink)
{
    struct search search = {.model = model, .sink = sink, .base = scene_copy(model->scene)};
    cp_status status = search.base ? web_keep_drawn(search.base, &search.displaced) : CP_LIMIT;
    if (status == CP_OK)
        search.places = web_place_meshes(search.base, 0, 0);
    if (status == CP_OK)
        status = search.places ? search_and_write(&search) : CP_LIMIT;
    cp_scene_free(search.base);
    return status;
}

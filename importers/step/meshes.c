/* A product as a mesh: its triangles once, and a row for each colour that its instances give it. */
#include <math.h>

#include "mesh/mesh.h"
#include "mesh/simplify/simplify.h"
#include "mesh/topology/topology.h"
#include "step.h"

#ifdef HAVE_OCCT

#define FEWEST_IN_SIZE 20 /* a deflection of more than the part makes holes and exceptions */

uint32_t step_material(struct step *step, struct step_model *model, uint32_t colour)
{
    uint32_t *material = &model->materials[colour];
    if (*material == CP_NONE)
        *material = scene_add_material(step->scene, NULL, model->cad->colours[colour].rgba, true);
    return *material;
}

/* ---- the check ---- */

/* Counts the edges of a mesh that are not passed as often one way as the other. */
static cp_status count_open_edges(cp_context *context, const cp_mesh *mesh, uint64_t *count)
{
    struct mesh_edges edges;
    int32_t *balance = memory_allocate_zeroed(context, mesh->corner_count, sizeof *balance); /* by edge */
    bool found = mesh_edges_find(&edges, context, mesh) && balance;
    for (uint32_t edge = 0; found && edge < mesh->corner_count; edge++)
        if (!edge_is_empty(&edges, edge))
            balance[edges.first[edge]] += edge_start(&edges, edge) == edges.ends[edge][0] ? 1 : -1;
    for (uint32_t edge = 0; found && edge < mesh->corner_count; edge++)
        *count += balance[edge] != 0;
    mesh_edges_free(&edges);
    memory_free(context, balance, mesh->corner_count, sizeof *balance);
    return found ? CP_OK : CP_LIMIT;
}

/* Finds out whether the triangles of a product's solids are closed. */
static cp_status check_closed(cp_context *context, struct step_product *made)
{
    bool closed = true;
    if (made->volume == 0)
        return CP_OK;
    cp_status status = mesh_is_closed(context, &made->faces.mesh, &closed);
    return status == CP_OK && !closed ? count_open_edges(context, &made->faces.mesh, &made->open_edges) : status;
}

/* ---- shapes ---- */

/* Sets the positions of a shape, and what places it. */
static bool take_points(struct step *step, double unit, const char *name, const double *points, uint32_t count,
                        struct step_shape *shape)
{
    float *positions = scene_allocate(step->scene, 3 * (size_t)count, sizeof *positions);
    cp_pose scaling = pose_scaling(unit, unit, unit);
    double origin[3];
    if (!positions)
        return false;
    place_near_origin(points, count, positions, origin);
    shape->transform = pose_from_origin(&scaling, origin);
    shape->mesh.name = scene_text(step->scene, name);
    shape->mesh.positions = positions;
    shape->mesh.vertex_count = count;
    return shape->mesh.name != NULL;
}

static void *copy(struct step *step, const void *items, size_t count, size_t size)
{
    void *copied = scene_allocate(step->scene, count, size);
    return copied ? memcpy(copied, items, count * size) : NULL;
}

static cp_status make_triangles(struct step *step, const struct step_model *model, const char *name,
                                const struct step_triangles *triangles, struct step_shape *shape)
{
    bool has_normals = step->settings->normals;
    float *normals =
        has_normals ? copy(step, triangles->normals, triangles->point_count, sizeof *triangles->normals) : NULL;
    uint32_t *corners = copy(step, triangles->corners, triangles->count, sizeof *triangles->corners);
    cp_group *groups = copy(step, triangles->groups, triangles->group_count, sizeof *groups);
    uint64_t mended;
    *shape = (struct step_shape){.mesh = {.kind = CP_MESH_FACES,
                                          .face_count = triangles->count,
                                          .corner_count = 3 * triangles->count,
                                          .normals = normals,
                                          .corners = corners,
                                          .groups = groups,
                                          .group_count = triangles->group_count}};
    if ((!normals && has_normals) || !corners || !groups ||
        !take_points(step, model->unit, name, *triangles->points, triangles->point_count, shape))
        return CP_LIMIT;
    return normals ? mesh_mend_normals(step->context, &shape->mesh, normals, &mended) : CP_OK;
}

/* Takes coarse triangles of a product in place of the fine ones, or simplifies these, whichever gives fewer within the
 * error of the settings. */
static cp_status choose_few(struct step *step, struct step_model *model, uint32_t index,
                            const struct step_triangles *fine)
{
    /* Few triangles come of a wide angle; the deflection then decides. Wider ones lose the shape of small circles. */
    const double wide = 80 * PI / 180;
    const struct cad_product *product = &model->cad->products[index];
    struct step_product *made = &model->products[index];
    double error = step->settings->error / model->unit;
    struct simplify_goal goal = {.error = error - fine->deviation, .whole = true};
    struct simplify_result result = {0};
    struct step_triangles coarse = {0};
    cp_status status = CP_OK;
    made->asked = error;
    if (goal.error > 0)
        status = mesh_simplify(step->scene, &made->faces.mesh, &goal, &result);
    made->deviation = fine->deviation + result.error;
    if (status == CP_OK)
        status = step_tessellate(step, model, index, fmin(error, product->size / FEWEST_IN_SIZE), wide, &coarse);
    if (status == CP_OK && coarse.count > 0 && coarse.deviation <= error && coarse.lost_faces <= fine->lost_faces &&
        coarse.count <= made->faces.mesh.face_count) {
        made->deviation = coarse.deviation;
        status = make_triangles(step, model, product->name, &coarse, &made->faces);
    }
    step_triangles_free(step, &coarse);
    return status;
}

static cp_status make_faces(struct step *step, struct step_model *model, uint32_t index, double deflection)
{
    const struct cad_product *product = &model->cad->products[index];
    struct step_product *made = &model->products[index];
    struct step_triangles fine;
    char text[CAD_TEXT];
    cp_status status = step_tessellate(step, model, index, deflection, step->settings->angle, &fine);
    made->asked = fine.deflection;
    made->deviation = fine.deviation;
    made->mended_faces = fine.mended_faces;
    made->lost_faces = fine.lost_faces;
    made->lost_area = fine.lost_area;
    made->volume = fine.volume;
    if (status == CP_OK && made->volume != 0)
        status = step_outcome(step->context, model,
                              step_kernel.cad_measure(model->cad, index, &made->exact_volume, text), text);
    if (status == CP_OK && fine.count > 0)
        status = make_triangles(step, model, product->name, &fine, &made->faces);
    if (status == CP_OK && fine.count > 0 && step->settings->error > 0)
        status = choose_few(step, model, index, &fine);
    if (fine.count > 0)
        step->deviation = fmax(step->deviation, made->deviation * model->unit);
    step_triangles_free(step, &fine);
    return status == CP_OK && fine.count > 0 ? check_closed(step->context, made) : status;
}

/* Curves without faces get the colour of the faces without one; borders of faces are dark. */
static cp_status make_lines(struct step *step, struct step_model *model, uint32_t index, double deflection)
{
    char text[CAD_TEXT];
    const struct cad_lines *lines;
    struct step_shape *shape = &model->products[index].lines;
    enum cad_edges edges = (enum cad_edges)step->settings->edges;
    cp_status status = step_outcome(
        step->context, model,
        step_kernel.cad_draw(model->cad, index, edges, deflection, step->settings->angle, &lines, text), text);
    model->products[index].lost_edges = lines->lost;
    if (status != CP_OK || lines->count == 0)
        return status;
    uint32_t free_count = lines->free_count, count = lines->count, points = lines->point_count;
    uint32_t *offsets = scene_allocate(step->scene, count + (size_t)1, sizeof *offsets);
    uint32_t *corners = scene_allocate(step->scene, points, sizeof *corners);
    cp_group *groups = scene_allocate(step->scene, 2, sizeof *groups), *group = groups;
    if (!offsets || !corners || !groups ||
        !take_points(step, model->unit, model->cad->products[index].name, *lines->points, points, shape))
        return CP_LIMIT;
    for (uint32_t i = 0; i < points; i++)
        corners[i] = i;
    for (uint32_t i = 0; i < count; i++)
        offsets[i] = lines->lines[i].first_point;
    offsets[count] = points;
    if (free_count > 0)
        *group++ = (cp_group){0, free_count, CAD_NONE};
    if (free_count < count)
        *group++ = (cp_group){free_count, count - free_count, STEP_BORDER};
    shape->mesh.kind = CP_MESH_LINES;
    shape->mesh.face_count = count;
    shape->mesh.corner_count = points;
    shape->mesh.face_offsets = offsets;
    shape->mesh.corners = corners;
    shape->mesh.groups = groups;
    shape->mesh.group_count = (uint32_t)(group - groups);
    return CP_OK;
}

/* Chooses the deflection of a product's fine triangles. */
static double choose_deflection(const struct step *step, const struct step_model *model, double size)
{
    /* The finest triangles that are simplified have this part of the size as their deflection. */
    const double finest = 1e-4;
    const cp_extent *wanted = &step->settings->deflection;
    double deflection = wanted->part > 0 ? size * wanted->part : wanted->metres / model->unit;
    double error = step->settings->error / model->unit;
    /* Simplification needs most of the error, so it begins with fine triangles; but the finest would be too many. */
    if (error > 0)
        deflection = fmin(deflection, fmax(error / 10, fmin(error / 2, finest * size)));
    return size > 0 ? fmin(deflection, size / FEWEST_IN_SIZE) : deflection;
}

cp_status step_make_product(struct step *step, struct step_model *model, uint32_t index)
{
    const struct cad_product *product = &model->cad->products[index];
    double deflection = choose_deflection(step, model, product->size);
    cp_status status = CP_OK;
    if (product->face_count > 0 && product->size > 0)
        status = make_faces(step, model, index, deflection);
    return status == CP_OK ? make_lines(step, model, index, deflection) : status;
}

/* ---- rows ---- */

/* Finds the material of a group's colour; CP_NONE is one, too. */
static bool find_material(struct step *step, struct step_model *model, uint32_t colour, uint32_t inherited,
                          uint32_t *material)
{
    static const double dark[4] = {0.1, 0.1, 0.1, 1};
    *material = inherited;
    if (colour == CAD_NONE)
        return true;
    if (colour != STEP_BORDER) {
        *material = step_material(step, model, colour);
    } else {
        if (step->border == CP_NONE)
            step->border = scene_add_material(step->scene, "borders", dark, true);
        *material = step->border;
    }
    return *material != CP_NONE;
}

static bool add_groups(struct step *step, struct step_model *model, uint32_t inherited, cp_mesh *mesh)
{
    cp_group *groups = scene_allocate(step->scene, mesh->group_count, sizeof *groups);
    for (uint32_t i = 0; groups && i < mesh->group_count; i++) {
        groups[i] = mesh->groups[i];
        if (!find_material(step, model, groups[i].material, inherited, &groups[i].material))
            return false;
    }
    mesh->groups = groups;
    return groups != NULL;
}

static bool inherits(const cp_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->group_count; i++)
        if (mesh->groups[i].material == CAD_NONE)
            return true;
    return false;
}

cp_status step_find_mesh(struct step *step, struct step_model *model, uint32_t index, bool lines, uint32_t inherited,
                         uint32_t *mesh)
{
    const struct step_product *made = &model->products[index];
    const struct step_shape *shape = lines ? &made->lines : &made->faces;
    if (!inherits(&shape->mesh))
        inherited = CP_NONE;
    const char *key = arena_print(step->scene->arena, "%u %u %u", index, inherited, lines);
    const uint32_t *known = key ? name_map_find(&model->meshes, key) : NULL;
    if (known) {
        *mesh = *known;
        return CP_OK;
    }
    cp_mesh row = shape->mesh;
    bool done = key && add_groups(step, model, inherited, &row);
    *mesh = done ? scene_add_mesh(step->scene, &row) : CP_NONE;
    return *mesh != CP_NONE && name_map_add(&model->meshes, key, *mesh, NULL) ? CP_OK : CP_LIMIT;
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif

/* A product as a mesh: its triangles once, and a row for each colour that its instances give it. */
#include <math.h>

#include "mesh/mesh.h"
#include "mesh/simplify/simplify.h"
#include "mesh/topology/topology.h"
#include "step.h"

#ifdef HAVE_OCCT

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
static cp_status check_closed(cp_context *context, const struct cad_product *product, struct step_product *made)
{
    bool closed = true;
    if (product->fine.volume == 0 || product->fine.lost_faces > 0)
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

/* Sets the groups of triangles; their materials are colours of the model. */
static bool take_groups(struct step *step, const struct cad_model *cad, const struct cad_triangles *triangles,
                        cp_mesh *mesh)
{
    cp_group *groups = scene_allocate(step->scene, triangles->group_count, sizeof *groups);
    for (uint32_t i = 0; groups && i < triangles->group_count; i++) {
        const struct cad_group *from = &cad->groups[triangles->first_group + i];
        groups[i] = (cp_group){from->first_triangle, from->triangle_count, from->colour};
    }
    mesh->groups = groups;
    mesh->group_count = triangles->group_count;
    return groups != NULL;
}

static cp_status make_triangles(struct step *step, const struct step_model *model, const char *name,
                                const struct cad_triangles *triangles, struct step_shape *shape)
{
    const struct cad_model *cad = model->cad;
    size_t corners = 3 * (size_t)triangles->triangle_count, coordinates = 3 * (size_t)triangles->point_count;
    float *normals = step->settings->normals ? scene_allocate(step->scene, coordinates, sizeof *normals) : NULL;
    uint32_t *indices = scene_allocate(step->scene, corners, sizeof *indices);
    uint64_t mended;
    *shape = (struct step_shape){.mesh = {.kind = CP_MESH_FACES,
                                          .face_count = triangles->triangle_count,
                                          .corner_count = (uint32_t)corners,
                                          .normals = normals,
                                          .corners = indices}};
    if ((!normals && step->settings->normals) || !indices ||
        !take_points(step, model->unit, name, cad->points[triangles->first_point], triangles->point_count, shape) ||
        !take_groups(step, cad, triangles, &shape->mesh))
        return CP_LIMIT;
    memcpy(indices, cad->triangles[triangles->first_triangle], corners * sizeof *indices);
    if (!normals)
        return CP_OK;
    memcpy(normals, cad->normals[triangles->first_point], coordinates * sizeof *normals);
    return mesh_mend_normals(step->context, &shape->mesh, normals, &mended);
}

/* Takes the coarse triangles of a product in place of the fine ones, or simplifies these, whichever gives fewer within
 * the error of the settings. */
static cp_status choose_few(struct step *step, const struct step_model *model, const struct cad_product *product,
                            struct step_product *made)
{
    const struct cad_triangles *coarse = &product->coarse;
    double error = step->settings->error / model->unit;
    struct simplify_goal goal = {.error = error - product->fine.deviation, .whole = true};
    struct simplify_result result = {0};
    struct step_shape other;
    bool is_near =
        coarse->triangle_count > 0 && coarse->deviation <= error && coarse->lost_faces <= product->fine.lost_faces;
    cp_status status = CP_OK;
    made->asked = error;
    if (goal.error > 0)
        status = mesh_simplify(step->scene, &made->faces.mesh, &goal, &result);
    made->deviation = product->fine.deviation + result.error;
    if (status != CP_OK || !is_near || made->faces.mesh.face_count < coarse->triangle_count)
        return status;
    status = make_triangles(step, model, product->name, coarse, &other);
    if (status == CP_OK) {
        made->faces = other;
        made->deviation = coarse->deviation;
    }
    return status;
}

static cp_status make_faces(struct step *step, const struct step_model *model, const struct cad_product *product,
                            struct step_product *made)
{
    cp_status status = make_triangles(step, model, product->name, &product->fine, &made->faces);
    made->asked = product->fine.deflection;
    made->deviation = product->fine.deviation;
    if (status == CP_OK && step->settings->error > 0)
        status = choose_few(step, model, product, made);
    step->deviation = fmax(step->deviation, made->deviation * model->unit);
    return status == CP_OK ? check_closed(step->context, product, made) : status;
}

/* Curves without faces get the colour of the faces without one; borders of faces are dark. */
static cp_status make_lines(struct step *step, const struct step_model *model, const struct cad_product *product,
                            struct step_shape *shape)
{
    const struct cad_line *lines = &model->cad->lines[product->first_line];
    uint32_t first = lines->first_point, free_count = product->free_line_count, count = product->line_count;
    uint32_t points = lines[count - 1].first_point + lines[count - 1].point_count - first;
    uint32_t *offsets = scene_allocate(step->scene, count + (size_t)1, sizeof *offsets);
    uint32_t *corners = scene_allocate(step->scene, points, sizeof *corners);
    cp_group *groups = scene_allocate(step->scene, 2, sizeof *groups), *group = groups;
    if (!offsets || !corners || !groups ||
        !take_points(step, model->unit, product->name, model->cad->line_points[first], points, shape))
        return CP_LIMIT;
    for (uint32_t i = 0; i < points; i++)
        corners[i] = i;
    for (uint32_t i = 0; i < count; i++)
        offsets[i] = lines[i].first_point - first;
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
    const struct cad_product *product = &model->cad->products[index];
    struct step_product *made = &model->products[index];
    struct step_shape *shape = lines ? &made->lines : &made->faces;
    cp_status status = shape->mesh.vertex_count ? CP_OK
                       : lines                  ? make_lines(step, model, product, shape)
                                                : make_faces(step, model, product, made);
    if (status != CP_OK)
        return status;
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

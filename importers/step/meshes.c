/* A product as a mesh: its triangles once, and a row for each colour that its instances give it. */
#include "mesh/mesh.h"
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
    if (product->solids == 0 || product->lost_faces > 0 || product->volume == 0)
        return CP_OK;
    cp_status status = mesh_is_closed(context, &made->mesh, &closed);
    return status == CP_OK && !closed ? count_open_edges(context, &made->mesh, &made->open_edges) : status;
}

static cp_status make_mesh(struct step *step, const struct step_model *model, const struct cad_product *product,
                           struct step_product *made)
{
    const struct cad_model *cad = model->cad;
    size_t corners = 3 * (size_t)product->triangle_count;
    float *positions = scene_allocate(step->scene, 3 * (size_t)product->point_count, sizeof *positions);
    float *normals =
        step->settings->normals ? scene_allocate(step->scene, 3 * (size_t)product->point_count, sizeof *normals) : NULL;
    uint32_t *indices = scene_allocate(step->scene, corners, sizeof *indices);
    double origin[3];
    uint64_t mended;
    if (!positions || (!normals && step->settings->normals) || !indices)
        return CP_LIMIT;
    place_near_origin(cad->points[product->first_point], product->point_count, positions, origin);
    if (normals)
        memcpy(normals, cad->normals[product->first_point], 3 * sizeof *normals * product->point_count);
    memcpy(indices, cad->triangles[product->first_triangle], corners * sizeof *indices);
    made->mesh = (cp_mesh){.name = scene_text(step->scene, product->name),
                           .kind = CP_MESH_FACES,
                           .vertex_count = product->point_count,
                           .face_count = product->triangle_count,
                           .corner_count = (uint32_t)corners,
                           .positions = positions,
                           .normals = normals,
                           .corners = indices};
    cp_pose scaling = pose_scaling(model->unit, model->unit, model->unit);
    made->transform = pose_from_origin(&scaling, origin);
    for (uint32_t i = 0; i < product->group_count; i++)
        made->inherits |= cad->groups[product->first_group + i].colour == CAD_NONE;
    cp_status status = made->mesh.name ? CP_OK : CP_LIMIT;
    if (status == CP_OK && normals)
        status = mesh_mend_normals(step->context, &made->mesh, normals, &mended);
    return status == CP_OK ? check_closed(step->context, product, made) : status;
}

static cp_status add_groups(struct step *step, struct step_model *model, const struct cad_product *product,
                            uint32_t inherited, cp_mesh *mesh)
{
    cp_group *groups = scene_allocate(step->scene, product->group_count, sizeof *groups);
    if (!groups)
        return CP_LIMIT;
    for (uint32_t i = 0; i < product->group_count; i++) {
        const struct cad_group *from = &model->cad->groups[product->first_group + i];
        groups[i] =
            (cp_group){.first_face = from->first_triangle,
                       .face_count = from->triangle_count,
                       .material = from->colour == CAD_NONE ? inherited : step_material(step, model, from->colour)};
        if (from->colour != CAD_NONE && groups[i].material == CP_NONE)
            return CP_LIMIT;
    }
    mesh->groups = groups;
    mesh->group_count = product->group_count;
    return CP_OK;
}

cp_status step_find_mesh(struct step *step, struct step_model *model, uint32_t index, uint32_t inherited,
                         uint32_t *mesh)
{
    const struct cad_product *product = &model->cad->products[index];
    struct step_product *made = &model->products[index];
    cp_status status = made->mesh.vertex_count ? CP_OK : make_mesh(step, model, product, made);
    if (status != CP_OK)
        return status;
    inherited = made->inherits ? inherited : CP_NONE;
    const char *key = arena_print(step->scene->arena, "%u %u", index, inherited);
    const uint32_t *known = key ? name_map_find(&model->meshes, key) : NULL;
    if (known) {
        *mesh = *known;
        return CP_OK;
    }
    cp_mesh row = made->mesh;
    status = add_groups(step, model, product, inherited, &row);
    *mesh = status == CP_OK ? scene_add_mesh(step->scene, &row) : CP_NONE;
    return *mesh != CP_NONE && key && name_map_add(&model->meshes, key, *mesh, NULL) ? CP_OK : CP_LIMIT;
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif

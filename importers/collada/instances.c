/* Nodes show geometries, and those of controllers in their bind shape. A geometry that is shown with other materials is
 * a mesh of its own, which shares all arrays. */
#include "mesh/mesh.h"

#include "collada.h"

/* ---- materials of a body ---- */

/* Lists the bindings of an instance by their symbols. */
static cp_status list_bindings(struct collada_document *document, const struct collada_instance *instance,
                               struct name_map *symbols)
{
    for (uint32_t i = 0; i < instance->binding_count; i++) {
        uint32_t row = instance->first_binding + i;
        if (!name_map_add(symbols, document->bindings[row].symbol, row, NULL))
            return CP_LIMIT;
    }
    return CP_OK;
}

/* Finds the materials of all groups. */
static cp_status find_materials(struct collada_document *document, const struct collada_instance *instance,
                                const struct collada_body *body, cp_group *groups)
{
    struct name_map symbols = {.context = document->collada->context};
    cp_status status = list_bindings(document, instance, &symbols);
    for (uint32_t i = 0; status == CP_OK && i < body->group_count; i++) {
        const struct collada_group *from = &body->groups[i];
        const uint32_t *row = from->symbol ? name_map_find(&symbols, from->symbol) : NULL;
        groups[i] = (cp_group){from->first_face, from->face_count, CP_NONE};
        status = collada_find_material(document, row ? &document->bindings[*row] : NULL, from, &groups[i].material);
    }
    name_map_free(&symbols);
    return status;
}

/* Returns a text that bodies of a shape share if their groups have the same materials. */
static const char *key_of(struct collada *collada, const struct collada_body *body, const cp_group *groups)
{
    struct buffer key = {.context = collada->context};
    buffer_print(&key, "%d", (int)body->mesh.kind);
    for (uint32_t i = 0; i < body->group_count; i++)
        buffer_print(&key, " %x", (unsigned)groups[i].material);
    const char *copy = key.failed ? NULL : arena_copy_text(collada->arena, key.data, key.size);
    buffer_free(&key);
    return copy;
}

/* Finds or makes the mesh of a body with its materials in the instance. */
static cp_status find_mesh(struct collada_document *document, const struct collada_instance *instance,
                           struct collada_shape *shape, struct collada_body *body, uint32_t *mesh)
{
    struct collada *collada = document->collada;
    cp_scene *scene = collada->scene;
    collada->groups += body->group_count;
    if (collada->groups > limit_nodes(collada->context))
        return report_error(collada->context, CP_LIMIT, "collada-instances",
                            AT_LINE(document->source->name, instance->line),
                            "more groups of faces, in all instances, than the limit of %llu (%s)",
                            (unsigned long long)limit_nodes(collada->context), limit_of_nodes(collada->context));
    cp_group *groups = memory_allocate(collada->context, body->group_count, sizeof *groups);
    cp_status status = groups ? find_materials(document, instance, body, groups) : CP_LIMIT;
    const char *key = status == CP_OK ? key_of(collada, body, groups) : NULL;
    bool is_new = false;
    uint32_t *known = key ? name_map_add(&shape->variants, key, CP_NONE, &is_new) : NULL;
    if (is_new) {
        cp_mesh row = body->mesh;
        row.groups = arena_copy(scene->arena, groups, body->group_count, sizeof *groups);
        row.group_count = body->group_count;
        *known = row.groups ? scene_add_mesh(scene, &row) : CP_NONE;
    }
    memory_free(collada->context, groups, body->group_count, sizeof *groups);
    *mesh = known ? *known : CP_NONE;
    return status == CP_OK && *mesh == CP_NONE ? CP_LIMIT : status;
}

/* ---- geometries ---- */

static cp_status show_body(struct collada_document *document, const struct collada_instance *instance,
                           struct collada_shape *shape, struct collada_body *body, const cp_pose *bind, uint32_t target)
{
    struct collada *collada = document->collada;
    uint32_t mesh = CP_NONE;
    if (body->mesh.face_count == 0)
        return CP_OK;
    cp_status status = find_mesh(document, instance, shape, body, &mesh);
    if (status != CP_OK)
        return status;
    cp_pose unit = pose_scaling(collada->unit, collada->unit, collada->unit);
    cp_pose pose = pose_multiply(&unit, &collada->turn);
    pose = pose_multiply(&pose, bind);
    pose = pose_from_origin(&pose, body->origin);
    if (!pose_is_finite(&pose))
        return collada_error(document, "collada-number", instance->line,
                             "the transform of an instance exceeds all numbers");
    return scene_add_instance(collada->scene, target, mesh, CP_USE_BOTH, &pose) != CP_NONE ? CP_OK : CP_LIMIT;
}

/* Follows controllers to a geometry; *row CP_NONE: there is none. */
static cp_status follow(struct collada_document **document, const char *url, cp_pose *bind, uint32_t *row)
{
    enum { MOST_CONTROLLERS = 64 }; /* one of another */
    struct collada *collada = (*document)->collada;
    for (int i = 0; i < MOST_CONTROLLERS; i++) {
        struct collada_document *owner;
        cp_status status = collada_find(*document, COLLADA_CONTROLLERS, url, &owner, row);
        if (status != CP_OK || *row == CP_NONE)
            return status;
        const struct collada_controller *controller = &owner->controllers[*row];
        collada->counts[controller->kind == COLLADA_SKIN ? COLLADA_TOLD_SKINS : COLLADA_TOLD_MORPHS]++;
        *bind = pose_multiply(bind, &controller->bind_shape);
        *document = owner;
        url = controller->shows;
        const char *id = *url == '#' ? url + 1 : url;
        if (!name_map_find(&owner->ids[COLLADA_CONTROLLERS], id))
            return collada_find(owner, COLLADA_GEOMETRIES, url, document, row);
    }
    return collada_error(*document, "collada-ring", (*document)->controllers[*row].line,
                         "a controller shows itself, or more than %d others", MOST_CONTROLLERS);
}

cp_status collada_show(struct collada_document *document, const struct collada_instance *instance, uint32_t target)
{
    struct collada_document *owner = document;
    cp_pose bind = POSE_IDENTITY;
    uint32_t row;
    cp_status status = instance->kind == COLLADA_SHOW_CONTROLLER
                           ? follow(&owner, instance->url, &bind, &row)
                           : collada_find(document, COLLADA_GEOMETRIES, instance->url, &owner, &row);
    if (status != CP_OK || row == CP_NONE)
        return status;
    owner->geometries[row].is_shown = true;
    status = collada_make_shape(owner, row);
    struct collada_shape *shape = owner->geometries[row].shape;
    if (status == CP_OK)
        status = show_body(document, instance, shape, &shape->faces, &bind, target);
    return status == CP_OK ? show_body(document, instance, shape, &shape->lines, &bind, target) : status;
}

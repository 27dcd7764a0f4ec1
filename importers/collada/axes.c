/* Follows bindings to axes: a param of the kinematics scene leads to one of an articulated system, that to the next
 * one, and the last to "model/joint/axis". */
#include "kinematics.h"

enum { MOST_LINKS = 64 };

/* Replaces "owner/instance" at the beginning of a path by the id of what the instance shows. NULL: it is none, or out
 * of memory. */
static const char *follow_instance(struct collada *collada, const char *path)
{
    const struct collada_kinematics *kinematics = collada->kinematics;
    size_t size = strcspn(path, "/");
    size += path[size] ? 1 + strcspn(path + size + 1, "/") : 0;
    const uint32_t *row = path[size] ? name_map_find_sized(&kinematics->paths, path, size) : NULL;
    const struct collada_link *link = row ? &kinematics->links[*row] : NULL;
    return link && link->is_instance ? arena_print(collada->arena, "%s%s", link->to + (*link->to == '#'), path + size)
                                     : NULL;
}

/* Finds the axis at the end of "model/joint/axis", and the name of its joint. */
static uint32_t find_axis(struct collada *collada, const char *path, const char **name)
{
    const struct collada_kinematics *kinematics = collada->kinematics;
    const char *sid = strrchr(path, '/');
    const uint32_t *row = sid ? name_map_find_sized(&kinematics->joints_in, path, (size_t)(sid - path)) : NULL;
    const struct collada_joint *joint = row ? &kinematics->joints[*row] : NULL;
    const char *url = joint ? joint->url : "";
    row = *url ? name_map_find(&kinematics->joint_ids, url + (*url == '#')) : NULL;
    if (!joint || (*url && !row))
        return CP_NONE;
    joint = row ? &kinematics->joints[*row] : joint;
    *name = joint->name;
    uint32_t i = joint->axes.first;
    while (i != CP_NONE && strcmp(kinematics->axes[i].sid, sid + 1) != 0)
        i = kinematics->axes[i].next;
    if (joint->axes.first != joint->axes.last)
        *name = arena_print(collada->arena, "%s.%s", joint->name, sid + 1);
    return i;
}

static cp_status resolve_axis(struct collada *collada, struct collada_bound *bound)
{
    const struct collada_kinematics *kinematics = collada->kinematics;
    const char *path = bound->path, *next = path;
    bool in_scene = true;
    for (int i = 0; i < MOST_LINKS && next; i++) {
        path = next;
        const uint32_t *row = name_map_find(&kinematics->paths, path);
        const struct collada_link *link = row ? &kinematics->links[*row] : NULL;
        if (link && in_scene && link->device != CP_NONE)
            bound->device = link->device;
        in_scene = in_scene && !link;
        next = link && !link->is_instance ? link->to : follow_instance(collada, path);
    }
    bound->axis = find_axis(collada, path, &bound->name);
    if (bound->axis == CP_NONE)
        bound->name = NULL;
    return arena_failed(collada->arena) ? CP_LIMIT : CP_OK;
}

/* Lists the binding with its transform, behind others of it. */
static cp_status add_bound(struct collada *collada, uint32_t row)
{
    struct collada_kinematics *kinematics = collada->kinematics;
    uint32_t count = collada->documents[0]->transform_count;
    if (!kinematics->first_bounds) {
        kinematics->first_bounds = arena_allocate(collada->arena, count, sizeof *kinematics->first_bounds);
        for (uint32_t i = 0; kinematics->first_bounds && i < count; i++)
            kinematics->first_bounds[i] = CP_NONE;
    }
    if (!kinematics->first_bounds)
        return CP_LIMIT;
    struct collada_bound *bound = &kinematics->bounds[row];
    bound->next = kinematics->first_bounds[bound->transform];
    kinematics->first_bounds[bound->transform] = row;
    return CP_OK;
}

/* Tells whether the transform has a direction for a joint: its own, or else that of the model. */
static bool has_direction(const struct collada_kinematics *kinematics, const struct collada_transform *transform,
                          const struct collada_bound *bound)
{
    static const double none[3] = {0};
    const double *model = bound->axis == CP_NONE ? none : kinematics->axes[bound->axis].axis;
    double own = dot_product(transform->numbers, transform->numbers);
    bool turns = transform->kind == COLLADA_ROTATE;
    return (turns || transform->kind == COLLADA_TRANSLATE) && isfinite(own) &&
           (own > 0 || (!turns && dot_product(model, model) > 0));
}

/* Counts a joint that turns about another axis in the model. */
static void compare_axes(struct collada *collada, const struct collada_transform *transform,
                         const struct collada_bound *bound)
{
    if (bound->axis == CP_NONE || transform->kind != COLLADA_ROTATE)
        return;
    const double *own = transform->numbers, *model = collada->kinematics->axes[bound->axis].axis;
    double sizes = sqrt(dot_product(own, own) * dot_product(model, model));
    collada->counts[COLLADA_TOLD_AXES] += dot_product(own, model) < (1 - 1e-9) * sizes;
}

cp_status collada_resolve_joints(struct collada *collada)
{
    struct collada_kinematics *kinematics = collada->kinematics;
    struct collada_document *document = collada->documents[0];
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < kinematics->bound_count && status == CP_OK; i++) {
        struct collada_bound *bound = &kinematics->bounds[i];
        struct collada_found found;
        status = collada_find_transform(document, bound->target, &found);
        if (status == CP_OK)
            status = resolve_axis(collada, bound);
        if (status != CP_OK)
            return status;
        const struct collada_transform *transform =
            found.transform == CP_NONE ? NULL : &document->transforms[found.transform];
        if (transform && bound->axis != CP_NONE &&
            kinematics->axes[bound->axis].turns != (transform->kind == COLLADA_ROTATE))
            bound->axis = CP_NONE;
        if (!transform || !has_direction(kinematics, transform, bound)) {
            collada->counts[COLLADA_TOLD_UNSEEN]++;
            continue;
        }
        collada->counts[COLLADA_TOLD_MODELLESS] += bound->axis == CP_NONE;
        compare_axes(collada, transform, bound);
        bound->transform = found.transform;
        bound->way = found.way;
        bound->way_count = found.way_count;
        status = add_bound(collada, i);
    }
    return status;
}

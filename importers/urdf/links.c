/* Links: their inertia, and what is drawn and collides. */
#include <math.h>
#include <strings.h>

#include "base/text/text.h"
#include "urdf.h"

enum {
    SIDES = 32,        /* round shapes have so many, as those of other cells */
    MOST_COMPARED = 64 /* visuals of a link that a collision is compared with */
};

/* ---- inertia ---- */

/* Turns moments from the axes of <origin> into those of the link: R I R^T. */
static void turn_moments(const cp_pose *pose, const double read[6], double moments[6])
{
    const double inner[3][3] = {{read[0], read[1], read[2]}, {read[1], read[3], read[4]}, {read[2], read[4], read[5]}};
    static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    if (pose->m[0] == 1 && pose->m[5] == 1 && pose->m[10] == 1) { /* exact where nothing turns */
        memcpy(moments, read, 6 * sizeof *moments);
        return;
    }
    for (int at = 0; at < 6; at++) {
        moments[at] = 0;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                moments[at] += pose->m[4 * rows[at] + i] * inner[i][k] * pose->m[4 * columns[at] + k];
    }
}

static cp_status read_inertial(struct urdf *urdf, const struct urdf_link *link, const struct xml_node *element)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const struct xml_node *mass = xml_node_child(element, "mass"), *inertia = xml_node_child(element, "inertia");
    cp_inertia *row = scene_allocate(urdf->scene, 1, sizeof *row);
    cp_pose pose;
    double read[6] = {0};
    cp_status status = row ? urdf_origin(urdf, element, &pose) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    *row = (cp_inertia){.centre = {pose.m[3], pose.m[7], pose.m[11]}};
    bool has_mass = mass && urdf_numbers(urdf, mass, "value", 1, &row->mass, &status), whole = inertia;
    for (int i = 0; inertia && i < 6; i++)
        whole = urdf_numbers(urdf, inertia, names[i], 1, &read[i], &status) && whole;
    if (status != CP_OK)
        return status;
    turn_moments(&pose, read, row->moments);
    bool strict = urdf->settings->common.strict;
    if (row->mass < 0)
        return report_error(urdf->context, CP_INPUT, "urdf-inertia", xml_node_place(element),
                            "the mass of the link \"%.100s\" is below zero", link->name);
    if (!has_mass || !whole)
        status = report_lenient(urdf->context, strict, "urdf-inertia", xml_node_place(element),
                                "the inertial of the link \"%.100s\" lacks %s", link->name,
                                !has_mass ? "a mass" : "moments of inertia");
    for (int i = 0; i < 6 && status == CP_OK; i++)
        if (!isfinite(row->moments[i]))
            return report_error(urdf->context, CP_INPUT, "urdf-inertia", xml_node_place(element),
                                "the inertia of the link \"%.100s\" is out of range", link->name);
    urdf->scene->nodes[link->node].inertia = row;
    return status;
}

/* ---- shapes ---- */

/* A <visual> or <collision>. */
struct shape {
    const struct urdf_link *link;
    const struct xml_node *element, *geometry; /* geometry: <box>, <mesh> and so on */
    uint32_t use;
};

/* Finds a primitive; equal ones are one mesh. */
static cp_status find_primitive(struct urdf *urdf, const struct shape *shape, const cp_mesh *mesh, uint32_t *model)
{
    const char *key = arena_print(urdf->arena, "%s %.17g %.17g %.17g", shape->geometry->name, mesh->size[0],
                                  mesh->size[1], mesh->size[2]);
    const uint32_t *known = key ? name_map_find(&urdf->shapes, key) : NULL;
    if (known)
        *model = *known;
    if (!key || known)
        return key ? CP_OK : CP_LIMIT;
    cp_instance *part = scene_allocate(urdf->scene, 1, sizeof *part);
    uint32_t index = scene_add_mesh(urdf->scene, mesh);
    if (!part || index == CP_NONE)
        return CP_LIMIT;
    *part = (cp_instance){.mesh = index, .transform = POSE_IDENTITY};
    cp_status status = models_add(&urdf->models, part, 1, model);
    return status == CP_OK && !name_map_add(&urdf->shapes, key, *model, NULL) ? CP_LIMIT : status;
}

static cp_status read_primitive(struct urdf *urdf, const struct shape *shape, uint32_t *model)
{
    const struct xml_node *geometry = shape->geometry;
    cp_mesh mesh = {.source = "", .sides = SIDES};
    cp_status status = CP_OK;
    bool whole = false;
    if (strcmp(geometry->name, "box") == 0) {
        mesh.kind = CP_MESH_BOX;
        mesh.name = "box";
        mesh.sides = 0;
        whole = urdf_numbers(urdf, geometry, "size", 3, mesh.size, &status);
    } else if (strcmp(geometry->name, "sphere") != 0) {
        bool capsule = strcmp(geometry->name, "capsule") == 0;
        mesh.kind = capsule ? CP_MESH_CAPSULE : CP_MESH_CYLINDER;
        mesh.name = capsule ? "capsule" : "cylinder";
        whole = urdf_numbers(urdf, geometry, "radius", 1, &mesh.size[0], &status) &&
                urdf_numbers(urdf, geometry, "length", 1, &mesh.size[1], &status);
    } else {
        mesh.kind = CP_MESH_SPHERE;
        mesh.name = "sphere";
        whole = urdf_numbers(urdf, geometry, "radius", 1, &mesh.size[0], &status);
    }
    if (status != CP_OK)
        return status;
    if (!whole || !(fmin(mesh.size[0], fmin(mesh.size[1], mesh.size[2])) >= 0))
        return report_error(urdf->context, CP_INPUT, "urdf-geometry", xml_node_place(geometry),
                            "<%s> of the link \"%.100s\" lacks a size, or has one below zero", geometry->name,
                            shape->link->name);
    return find_primitive(urdf, shape, &mesh, model);
}

/* Passes over a file of a format that is not read. */
static cp_status check_model(const struct model_request *request, const struct source *source)
{
    const struct shape *shape = request->user;
    if (source_is_known(source))
        return CP_OK;
    if (request->told)
        *request->told = true;
    report_warning(source->context, "urdf-unreadable", xml_node_place(shape->geometry),
                   "the mesh \"%s\" is of a type that is not read", source->name);
    return CP_NO;
}

/* Returns the path that a mesh's file name means: Windows writes other slashes, and CAD programs the folders of the
 * machine on which they ran, which is warned of. */
static const char *mesh_path(struct urdf *urdf, const struct shape *shape, const char *name)
{
    char *path = arena_copy_text(urdf->arena, name, strlen(name));
    text_turn_slashes(path);
    bool of_windows = path && is_letter(path[0]) && path[1] == ':' && path[2] == '/';
    static const char folder[] = "/meshes/";
    const char *meshes = NULL;
    for (const char *at = of_windows ? path : NULL; at; at = strchr(at + 1, '/'))
        if (strncasecmp(at, folder, sizeof folder - 1) == 0)
            meshes = at + 1;
    if (meshes)
        report_warning(urdf->context, "urdf-path", xml_node_place(shape->geometry),
                       "the mesh \"%.200s\" is a file of another machine; \"%.200s\" is taken in its place", name,
                       meshes);
    return meshes ? meshes : path;
}

/* Finds the model of a mesh; CP_NONE, after a warning, if it is not there or cannot be read. */
static cp_status find_mesh(struct urdf *urdf, const struct shape *shape, uint32_t *model)
{
    const char *name = xml_node_attribute(shape->geometry, "filename");
    bool strict = urdf->settings->common.strict, told = false;
    if (!name || !*name)
        return report_lenient(urdf->context, strict, "urdf-mesh", xml_node_place(shape->geometry),
                              "a mesh of the link \"%.100s\" has no file name", shape->link->name);
    struct model_request request = {.from = urdf->source,
                                    .name = mesh_path(urdf, shape, name),
                                    .search = &urdf->search,
                                    .usual = urdf->settings->dae_up ? NULL : "collada.up=z",
                                    .check = check_model,
                                    .user = shape,
                                    .told = strict ? NULL : &told};
    if (!request.name)
        return CP_LIMIT;
    cp_status status = models_find(&urdf->models, &request, model);
    if (status == CP_NO && told)
        status = CP_OK;
    else if (status == CP_NO)
        status = report_lenient(urdf->context, strict, "urdf-mesh", xml_node_place(shape->geometry),
                                "the mesh \"%s\" of the link \"%.100s\" %s", name, shape->link->name,
                                models_absence(&urdf->models, &request));
    return status;
}

static cp_status read_mesh(struct urdf *urdf, const struct shape *shape, uint32_t *model)
{
    cp_status status = find_mesh(urdf, shape, model);
    if (status == CP_OK && *model == CP_NONE) {
        report_loss(urdf->context, "urdf-mesh", IN_FILE(urdf->source->name), 1,
                    "meshes that are not there, or cannot be read");
        models_miss(&urdf->models, shape->link->node, shape->use);
    }
    return status;
}

/* Finds the model of a shape; CP_NONE if it has none, which is reported. */
static cp_status find_shape(struct urdf *urdf, struct shape *shape, uint32_t *model)
{
    static const char *const primitives[] = {"box", "cylinder", "sphere", "capsule", NULL};
    const struct xml_node *geometry = xml_node_child(shape->element, "geometry");
    *model = CP_NONE;
    shape->geometry = geometry ? xml_node_child(geometry, NULL) : NULL;
    if (!shape->geometry)
        return report_lenient(urdf->context, urdf->settings->common.strict, "urdf-geometry",
                              xml_node_place(shape->element), "a <%s> of the link \"%.100s\" has no geometry",
                              shape->element->name, shape->link->name);
    for (size_t i = 0; primitives[i]; i++)
        if (strcmp(primitives[i], shape->geometry->name) == 0)
            return read_primitive(urdf, shape, model);
    if (strcmp(shape->geometry->name, "mesh") == 0)
        return read_mesh(urdf, shape, model);
    report_loss(urdf->context, "urdf-geometry", IN_FILE(urdf->source->name), 1, "shapes of the kind <%.40s>",
                shape->geometry->name);
    return CP_OK;
}

/* Reads the pose of a shape, with the scale of its mesh. */
static cp_status shape_pose(struct urdf *urdf, const struct shape *shape, cp_pose *pose)
{
    double scale[3] = {1, 1, 1};
    cp_status status = urdf_origin(urdf, shape->element, pose);
    if (strcmp(shape->geometry->name, "mesh") == 0)
        (void)urdf_numbers(urdf, shape->geometry, "scale", 3, scale, &status);
    if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) {
        const cp_pose stretch = pose_scaling(scale[0], scale[1], scale[2]);
        *pose = pose_multiply(pose, &stretch);
    }
    return status;
}

/* A shape that was placed, so that an equal one for collision shares its instances. */
struct placed {
    uint32_t plain, model; /* without and with the visual's material */
    cp_pose pose;
    struct placed *next;
};

static cp_status place(struct urdf *urdf, struct shape *shape, struct placed **visuals)
{
    uint32_t plain, material = CP_NONE;
    struct placed *placed = arena_allocate_zeroed(urdf->arena, 1, sizeof *placed);
    cp_status status = placed ? find_shape(urdf, shape, &plain) : CP_LIMIT;
    if (status != CP_OK || plain == CP_NONE)
        return status;
    placed->plain = placed->model = plain;
    status = shape_pose(urdf, shape, &placed->pose);
    if (status == CP_OK && shape->use == CP_USE_DRAWN) {
        status = urdf_find_material(urdf, shape->element, &material);
        if (status == CP_OK)
            status = urdf_paint(urdf, material, &placed->model);
        placed->next = *visuals;
        *visuals = placed;
    } else {
        uint32_t compared = 0;
        for (const struct placed *at = *visuals; at && compared < MOST_COMPARED; at = at->next, compared++)
            if (at->plain == plain && pose_equal(&at->pose, &placed->pose))
                placed->model = at->model;
    }
    if (status == CP_OK)
        status = models_place(&urdf->models, placed->model, shape->link->node, shape->use, &placed->pose);
    if (status == CP_NO)
        status = report_error(urdf->context, CP_INPUT, "urdf-pose", xml_node_place(shape->element),
                              "a <%s> of the link \"%.100s\" is out of range", shape->element->name, shape->link->name);
    const char *name = xml_node_attribute(shape->element, "name");
    if (status == CP_OK && name && *name &&
        !scene_add_metadata(urdf->scene, CP_OWNER_NODE, shape->link->node, shape->element->name, CP_VALUE_STRING, name))
        status = CP_LIMIT;
    return status;
}

static cp_status place_all(struct urdf *urdf, const struct urdf_link *link, const char *kind, uint32_t use,
                           struct placed **visuals)
{
    cp_status status = CP_OK;
    for (const struct xml_node *at = xml_node_child(link->element, kind); at && status == CP_OK;
         at = xml_node_next(at, kind)) {
        struct shape shape = {.link = link, .element = at, .use = use};
        status = place(urdf, &shape, visuals);
    }
    return status;
}

cp_status urdf_fill_link(struct urdf *urdf, const struct urdf_link *link)
{
    struct placed *visuals = NULL;
    const struct xml_node *inertial = xml_node_child(link->element, "inertial");
    cp_status status = inertial ? read_inertial(urdf, link, inertial) : CP_OK;
    if (status == CP_OK)
        status = place_all(urdf, link, "visual", CP_USE_DRAWN, &visuals);
    if (status == CP_OK)
        status = place_all(urdf, link, "collision", CP_USE_COLLISION, &visuals);
    for (const struct xml_node *at = xml_node_child(link->element, NULL); at && status == CP_OK;
         at = xml_node_next(at, NULL))
        if (strcmp(at->name, "inertial") != 0 && strcmp(at->name, "visual") != 0 && strcmp(at->name, "collision") != 0)
            status = urdf_keep(urdf, CP_OWNER_NODE, link->node, at);
    return status;
}

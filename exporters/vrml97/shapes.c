/* Where a mesh is written: once, then by USE; in the file or as an Inline; as faces or as a node of its own kind. */
#include <math.h>
#include <string.h>

#include "vrml97.h"

/* ---- primitives ---- */

static const char *primitive_type(const cp_mesh *mesh)
{
    switch (mesh->kind) {
    case CP_MESH_BOX:
        return "Box";
    case CP_MESH_SPHERE:
        return "Sphere";
    case CP_MESH_CYLINDER:
        return "Cylinder";
    case CP_MESH_CONE:
        return mesh->size[1] == 0 ? "Cone" : NULL;
    default:
        return NULL;
    }
}

/* VRML97's own kinds have sizes above zero, and look the same mirrored at their centre, but for the cone. */
static bool is_own_kind(const struct vrml *v, const cp_mesh *mesh, const struct rest *rest)
{
    if (!v->settings->primitives || rest->kind == REST_FLAT || !primitive_type(mesh))
        return false;
    if (mesh->kind == CP_MESH_CONE)
        return rest->kind == REST_NONE && mesh->size[0] > 0 && mesh->size[2] > 0;
    return mesh->size[0] > 0 && (mesh->kind == CP_MESH_SPHERE || mesh->size[1] > 0) &&
           (mesh->kind != CP_MESH_BOX || mesh->size[2] > 0);
}

static void write_sizes(struct vrml *v, const cp_mesh *mesh)
{
    if (mesh->kind == CP_MESH_BOX) {
        vrml_vector(v, "size", mesh->size);
        return;
    }
    sink_text(v->out, mesh->kind == CP_MESH_CONE ? "bottomRadius " : "radius ");
    vrml_number(v, mesh->size[0]);
    if (mesh->kind != CP_MESH_SPHERE) {
        sink_text(v->out, " height ");
        vrml_number(v, mesh->size[mesh->kind == CP_MESH_CONE ? 2 : 1]);
    }
}

/* Cylinder and Cone stand on VRML97's Y. */
static void write_own_kind(struct vrml *v, const cp_mesh *mesh, const char *name)
{
    bool turned = mesh->kind == CP_MESH_CYLINDER || mesh->kind == CP_MESH_CONE;
    if (turned) {
        vrml_open(v, name, "Transform {");
        vrml_indent(v);
        vrml_turn(v, "rotation", &(struct rotation){{1, 0, 0}, PI / 2});
        sink_text(v->out, "\n");
        vrml_open(v, NULL, "children [");
    }
    vrml_open(v, turned ? NULL : name, "Shape {");
    vrml_write_look(v, mesh->group_count ? mesh->groups[0].material : CP_NONE, false);
    vrml_indent(v);
    sink_text(v->out, "geometry ");
    sink_text(v->out, primitive_type(mesh));
    sink_text(v->out, " { ");
    write_sizes(v, mesh);
    sink_text(v->out, " }\n");
    vrml_close(v, "}");
    if (turned) {
        vrml_close(v, "]");
        vrml_close(v, "}");
    }
}

static cp_status write_tessellated(struct vrml *v, const cp_mesh *mesh, const struct rest *rest, const char *name)
{
    cp_scene *scratch = scene_new(v->context);
    if (!scratch)
        return CP_LIMIT;
    cp_mesh faces = *mesh;
    cp_status status = mesh_tessellate(scratch, &faces);
    if (status == CP_OK)
        status = vrml_write_faces(v, &faces, rest, name);
    cp_scene_free(scratch);
    return status;
}

/* ---- files ---- */

static cp_status write_geometry(struct vrml *v, const cp_mesh *mesh, const struct rest *rest, const char *name)
{
    if (mesh->kind < CP_MESH_BOX)
        return vrml_write_faces(v, mesh, rest, name);
    if (!is_own_kind(v, mesh, rest))
        return write_tessellated(v, mesh, rest, name);
    write_own_kind(v, mesh, name);
    return CP_OK;
}

/* The folder of a device: "d_" and its safe name; "d_cell" for what belongs to none. */
static const char *device_folder(struct vrml *v, uint32_t device)
{
    uint32_t count = v->scene->device_count;
    const char **folder = &v->folders[device == CP_NONE ? count : device];
    if (!*folder) {
        const char *name = device == CP_NONE ? "cell" : v->scene->devices[device].name;
        const char *safe = sink_safe_name(v->top, name, "");
        *folder = safe ? arena_print(v->arena, "d_%s", safe) : NULL;
        v->failed |= !*folder;
    }
    return *folder;
}

static cp_status open_file(struct vrml *v, const char *path, struct vrml_part *part)
{
    part->depth = v->depth;
    cp_status status = sink_open(v->top, path, &part->sink);
    if (status != CP_OK)
        return status;
    v->out = part->sink;
    v->depth = 0;
    v->file++;
    sink_text(v->out, "#VRML V2.0 utf8\n");
    return CP_OK;
}

cp_status vrml_close_part(struct vrml *v, const struct vrml_part *part)
{
    v->out = v->top;
    v->depth = part->depth;
    return sink_close_further(part->sink);
}

static cp_status write_file(struct vrml *v, const char *path, const cp_mesh *mesh, const struct rest *rest)
{
    struct vrml_part part;
    cp_status status = open_file(v, path, &part);
    if (status != CP_OK)
        return status;
    status = write_geometry(v, mesh, rest, NULL);
    cp_status closed = vrml_close_part(v, &part);
    return status == CP_OK ? closed : status;
}

/* "d_DEVICE/STEM_NAME.wrl": by the stem, worlds in one folder keep their parts apart. NULL when out of memory. */
static const char *inline_path(struct vrml *v, uint32_t node, const char *name)
{
    const char *folder = device_folder(v, v->scene->nodes[node].scope);
    const char *wanted = arena_print(v->arena, "%s_%s", sink_stem(v->top), name);
    const char *file = folder && wanted ? sink_safe_name(v->top, wanted, ".wrl") : NULL;
    return file ? arena_print(v->arena, "%s/%s", folder, file) : NULL;
}

static void write_inline(struct vrml *v, const char *path, const char *name)
{
    vrml_indent(v);
    vrml_define(v, name);
    sink_text(v->out, "Inline { url ");
    vrml_string(v, path);
    sink_text(v->out, " }\n");
}

cp_status vrml_open_part(struct vrml *v, uint32_t node, struct vrml_part *part)
{
    const char *path = inline_path(v, node, v->scene->nodes[node].name);
    if (!path)
        return CP_LIMIT;
    write_inline(v, path, NULL);
    return open_file(v, path, part);
}

static cp_status write_inline_mesh(struct vrml *v, const cp_instance *instance, const struct rest *rest,
                                   const char *name)
{
    const char *own = v->scene->meshes[instance->mesh].name;
    const char *path = inline_path(v, instance->node, own && *own ? own : v->scene->nodes[instance->node].name);
    if (!path)
        return CP_LIMIT;
    write_inline(v, path, name);
    return write_file(v, path, &v->scene->meshes[instance->mesh], rest);
}

cp_status vrml_write_mesh(struct vrml *v, const cp_instance *instance, const struct rest *rest)
{
    struct mesh_plan *plan =
        rest->kind == REST_FLAT ? NULL : &v->meshes[2 * (size_t)instance->mesh + (rest->kind == REST_MIRRORED)];
    bool one_file = v->settings->layout != VRML_PARTS; /* in which all meshes are, or all Inlines */
    if (plan && plan->file > 0 && (one_file || plan->file == v->file)) {
        vrml_indent(v);
        sink_text(v->out, "USE ");
        sink_text(v->out, plan->name);
        sink_text(v->out, "\n");
        return CP_OK;
    }
    const char *name = plan ? plan->name : NULL;
    if (plan)
        plan->file = v->file;
    if (v->settings->layout == VRML_INLINE)
        return write_inline_mesh(v, instance, rest, name);
    return write_geometry(v, &v->scene->meshes[instance->mesh], rest, name);
}

/* Shapes: a geometry with a look is a mesh, however often it is shown. */

#include "mesh/mesh.h"
#include "vrml97.h"

/* Tells whether the geometry has nothing behind its faces that is to be seen. */
static bool is_open(const struct wrl_node *geometry)
{
    return !wrl_truth(geometry, "solid", true);
}

static cp_status make_mesh(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh)
{
    static const struct {
        const char *kind;
        cp_status (*make)(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh);
    } makers[] = {{"IndexedFaceSet", wrl_make_faces},
                  {"IndexedLineSet", wrl_make_lines},
                  {"ElevationGrid", wrl_make_grid},
                  {"Extrusion", wrl_make_extrusion},
                  {"Box", wrl_make_solid},
                  {"Sphere", wrl_make_solid},
                  {"Cylinder", wrl_make_solid},
                  {"Cone", wrl_make_solid}};
    const struct wrl_node *geometry = look->geometry;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (wrl_is(geometry, makers[i].kind))
            return makers[i].make(wrl, look, mesh);
    if (wrl_is(geometry, "Text") || wrl_is(geometry, "PointSet")) {
        wrl_tell(wrl, wrl_is(geometry, "Text") ? WRL_TOLD_TEXT : WRL_TOLD_POINTS, 1, wrl_place(geometry));
        return CP_NO;
    }
    report_loss(wrl->context, "vrml97-node", wrl_place(geometry), 1, "nodes of the type \"%.60s\" as geometry",
                geometry->type);
    return CP_NO;
}

/* Finds the parts of the look, behind their prototypes. */
static void find_look(struct wrl *wrl, struct wrl_look *look)
{
    look->appearance = wrl_child_of_kind(wrl, look->shape, "appearance", "Appearance");
    look->material = look->appearance ? wrl_child_of_kind(wrl, look->appearance, "material", "Material") : NULL;
    struct wrl_node *texture = look->appearance ? wrl_child_of_kind(wrl, look->appearance, "texture", NULL) : NULL;
    look->transform =
        look->appearance ? wrl_child_of_kind(wrl, look->appearance, "textureTransform", "TextureTransform") : NULL;
    if (texture && !wrl_is(texture, "ImageTexture") && !wrl_is(texture, "PixelTexture")) {
        report_loss(wrl->context, "vrml97-node", wrl_place(texture), 1, "nodes of the type \"%.60s\" as texture",
                    texture->type);
        texture = NULL;
    }
    look->texture = texture;
    look->lines = wrl_is(look->geometry, "IndexedLineSet");
    look->two_sided = !look->lines && is_open(look->geometry);
}

static const char *name_of(const struct wrl *wrl, const struct wrl_look *look)
{
    const char *name = look->geometry->name ? look->geometry->name : look->shape->name ? look->shape->name : "";
    return wrl_own_name(wrl, "mesh", "mesh_", name);
}

static cp_status add_mesh(struct wrl *wrl, struct wrl_look *look, struct wrl_mesh *made)
{
    cp_mesh mesh = {.source = look->geometry->kind->name, .name = scene_text(wrl->scene, name_of(wrl, look))};
    if (!mesh.name)
        return CP_LIMIT;
    made->mesh = CP_NONE;
    look->pose = POSE_IDENTITY;
    cp_status status = make_mesh(wrl, look, &mesh);
    made->pose = look->pose;
    if (status == CP_OK && look->geometry->meshes) /* again, in another look */
        status = wrl_count_made(wrl, look->geometry, mesh.corner_count);
    if (status != CP_OK)
        return status == CP_NO ? CP_OK : status;
    look->has_coordinates = mesh.coordinates[0] != NULL;
    uint32_t material;
    status = wrl_find_material(wrl, look, &material);
    if (status != CP_OK)
        return status;
    cp_group group = {0, mesh.kind == CP_MESH_FACES || mesh.kind == CP_MESH_LINES ? mesh.face_count : 0, material};
    mesh.groups = arena_copy(wrl->scene->arena, &group, 1, sizeof group);
    mesh.group_count = 1;
    made->mesh = mesh.groups ? scene_add_mesh(wrl->scene, &mesh) : CP_NONE;
    return made->mesh == CP_NONE ? CP_LIMIT : CP_OK;
}

cp_status wrl_find_mesh(struct wrl *wrl, struct wrl_node *shape, uint32_t *mesh, cp_pose *pose)
{
    enum { MOST_LOOKS = 64 }; /* a geometry with more looks is made again */
    struct wrl_look look = {.shape = shape, .geometry = wrl_child_of_kind(wrl, shape, "geometry", NULL)};
    *mesh = CP_NONE;
    if (!look.geometry)
        return CP_OK;
    find_look(wrl, &look);
    int compared = 0;
    for (struct wrl_mesh *at = look.geometry->meshes; at && compared < MOST_LOOKS; at = at->next, compared++)
        if (at->appearance == look.appearance) {
            *mesh = at->mesh;
            *pose = at->pose;
            return CP_OK;
        }
    struct wrl_mesh *made = arena_allocate_zeroed(wrl->arena, 1, sizeof *made);
    cp_status status = made ? add_mesh(wrl, &look, made) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    made->appearance = look.appearance;
    made->next = look.geometry->meshes;
    look.geometry->meshes = made;
    *mesh = made->mesh;
    *pose = made->pose;
    return CP_OK;
}

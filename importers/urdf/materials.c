/* Materials: colours and textures by name, of the robot and of its visuals. */
#include <math.h>

#include "urdf.h"

static const struct xml_node *colour_of(const struct xml_node *material)
{
    const struct xml_node *colour = xml_node_child(material, "color");
    return colour && xml_node_attribute(colour, "rgba") ? colour : NULL;
}

static const char *texture_of(const struct xml_node *material)
{
    const struct xml_node *texture = xml_node_child(material, "texture");
    const char *name = texture ? xml_node_attribute(texture, "filename") : NULL;
    return name && *name ? name : NULL;
}

static bool says_something(const struct xml_node *material)
{
    return colour_of(material) || texture_of(material);
}

/* Takes a material that has a name, unless one of the same name is known. */
static cp_status take(struct urdf *urdf, struct xml_node *element)
{
    const char *name = xml_node_attribute(element, "name");
    struct urdf_material material = {says_something(element) ? element : NULL, CP_NONE};
    if (!name || !*name || !material.element)
        return CP_OK;
    const uint32_t *known = name_map_find(&urdf->material_names, name);
    if (known)
        return CP_OK;
    uint32_t index = urdf->material_count;
    if (!array_add(urdf->context, &urdf->materials, &urdf->material_room, &urdf->material_count, &material,
                   sizeof material) ||
        !name_map_add(&urdf->material_names, name, index, NULL))
        return CP_LIMIT;
    return CP_OK;
}

cp_status urdf_collect_materials(struct urdf *urdf)
{
    cp_status status = CP_OK;
    for (struct xml_node *at = xml_node_child(urdf->robot, "material"); at && status == CP_OK;
         at = xml_node_next(at, "material")) {
        const char *name = xml_node_attribute(at, "name");
        if (!name || !*name)
            status = report_lenient(urdf->context, urdf->settings->common.strict, "urdf-material", xml_node_place(at),
                                    "a material of the robot has no name, so that nothing can use it");
        else if (name_map_find(&urdf->material_names, name))
            status = report_lenient(urdf->context, urdf->settings->common.strict, "urdf-material", xml_node_place(at),
                                    "there are two materials \"%.100s\", and the first counts", name);
        if (status == CP_OK)
            status = take(urdf, at);
    }
    for (uint32_t i = 0; i < urdf->link_count && status == CP_OK; i++)
        for (const struct xml_node *visual = xml_node_child(urdf->links[i].element, "visual");
             visual && status == CP_OK; visual = xml_node_next(visual, "visual")) {
            struct xml_node *material = xml_node_child(visual, "material");
            if (material)
                status = take(urdf, material);
        }
    return status;
}

/* Reads a colour as displayed. With three numbers it is opaque. */
static cp_status read_colour(struct urdf *urdf, const struct xml_node *element, double rgba[4])
{
    cp_status status = CP_OK;
    double three[3];
    bool outside = false;
    const char *text = xml_node_attribute(element, "rgba");
    uint32_t words = 0;
    for (const char *at = text; *at; words++) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            break;
        at += strcspn(at, " \t\r\n");
    }
    if (words == 3 && urdf_numbers(urdf, element, "rgba", 3, three, &status)) {
        memcpy(rgba, three, sizeof three);
        status = report_lenient(urdf->context, urdf->settings->common.strict, "urdf-colour", xml_node_place(element),
                                "rgba has three numbers, and is opaque");
    } else if (words != 3) {
        (void)urdf_numbers(urdf, element, "rgba", 4, rgba, &status);
    }
    for (int i = 0; i < 4; i++) {
        outside = outside || rgba[i] < 0 || rgba[i] > 1;
        rgba[i] = fmin(fmax(rgba[i], 0), 1);
    }
    if (status == CP_OK && outside)
        status = report_lenient(urdf->context, urdf->settings->common.strict, "urdf-colour", xml_node_place(element),
                                "rgba is not within 0 and 1, and is cut");
    return status;
}

static cp_status read_texture(struct urdf *urdf, const char *path, uint32_t row)
{
    uint32_t image;
    cp_status status = scene_read_image(urdf->scene, urdf->source, path, NULL, "urdf-texture", &image);
    if (status != CP_OK)
        return status;
    uint32_t texture = scene_add_texture(urdf->scene, &(cp_texture){.image = image, .fallback = CP_NONE});
    cp_texture_use *use = scene_allocate(urdf->scene, 1, sizeof *use);
    if (texture == CP_NONE || !use)
        return CP_LIMIT;
    *use = (cp_texture_use){.role = CP_TEXTURE_BASE_COLOUR, .texture = texture, .strength = 1, .scale = {1, 1}};
    urdf->scene->materials[row].textures = use;
    urdf->scene->materials[row].texture_count = 1;
    return CP_OK;
}

/* Makes the scene's material of an element that has a colour or a texture. */
static cp_status make(struct urdf *urdf, const struct xml_node *element, uint32_t *row)
{
    const char *name = xml_node_attribute(element, "name"), *texture = texture_of(element);
    double rgba[4] = {1, 1, 1, 1};
    cp_status status = colour_of(element) ? read_colour(urdf, colour_of(element), rgba) : CP_OK;
    if (status != CP_OK)
        return status;
    name = scene_text(urdf->scene, name ? name : "");
    *row = name ? scene_add_material(urdf->scene, name, rgba, true) : CP_NONE;
    if (*row == CP_NONE)
        return CP_LIMIT;
    return texture ? read_texture(urdf, texture, *row) : CP_OK;
}

cp_status urdf_find_material(struct urdf *urdf, const struct xml_node *visual, uint32_t *row)
{
    const struct xml_node *element = xml_node_child(visual, "material");
    const char *name = element ? xml_node_attribute(element, "name") : NULL;
    *row = CP_NONE;
    if (!element)
        return CP_OK;
    if (!name || !*name) /* urdfdom refuses it; others take it for this visual */
        return says_something(element) ? make(urdf, element, row) : CP_OK;
    const uint32_t *known = name_map_find(&urdf->material_names, name);
    if (!known)
        return report_lenient(urdf->context, urdf->settings->common.strict, "urdf-material", xml_node_place(element),
                              "there is no material \"%.100s\"", name);
    struct urdf_material *material = &urdf->materials[*known];
    cp_status status = material->row == CP_NONE ? make(urdf, material->element, &material->row) : CP_OK;
    *row = material->row;
    return status;
}

cp_status urdf_paint(struct urdf *urdf, uint32_t material, uint32_t *model)
{
    if (material == CP_NONE || *model == CP_NONE)
        return CP_OK;
    const char *key = arena_print(urdf->arena, "%u %u", *model, material);
    const uint32_t *known = key ? name_map_find(&urdf->shapes, key) : NULL;
    if (!key || known) {
        *model = known ? *known : CP_NONE;
        return key ? CP_OK : CP_LIMIT;
    }
    cp_scene *scene = urdf->scene;
    uint32_t count = urdf->models.items[*model].part_count;
    cp_instance *parts = scene_allocate(scene, count, sizeof *parts);
    if (!parts)
        return CP_LIMIT;
    memcpy(parts, urdf->models.items[*model].parts, count * sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        cp_mesh mesh = scene->meshes[parts[i].mesh];
        cp_group *group = scene_allocate(scene, 1, sizeof *group);
        if (!group)
            return CP_LIMIT;
        *group = (cp_group){.face_count = mesh.face_count, .material = material};
        mesh.id = NULL;
        mesh.groups = group;
        mesh.group_count = mesh.kind >= CP_MESH_BOX || mesh.face_count > 0;
        mesh.colours = NULL;
        parts[i].mesh = scene_add_mesh(scene, &mesh);
        if (parts[i].mesh == CP_NONE)
            return CP_LIMIT;
    }
    cp_status status = models_add(&urdf->models, parts, count, model);
    return status == CP_OK && !name_map_add(&urdf->shapes, key, *model, NULL) ? CP_LIMIT : status;
}

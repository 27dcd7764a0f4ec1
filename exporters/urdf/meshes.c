/* The files of meshes. */
#include "../part_file.h"
#include "base/text/text.h"
#include "robot.h"

/* ---- which there are ---- */

/* Returns the name that the file of a mesh should have: that of the mesh, its own file, or its node. */
static const char *wanted_name(struct robot *robot, const cp_instance *instance)
{
    const cp_mesh *mesh = &robot->scene->meshes[instance->mesh];
    size_t size;
    if (*mesh->name)
        return mesh->name;
    const char *stem = text_stem(mesh->source, &size);
    if (size > 0 && *mesh->source != '#')
        return arena_copy_text(robot->arena, stem, size);
    return robot->scene->nodes[instance->node].name;
}

/* Returns the name behind "STEM_", which an earlier output has put before it; else the name. */
static const char *without_stem(const char *name, const char *stem, size_t size)
{
    return strncmp(name, stem, size) == 0 && name[size] == '_' && name[size + 1] ? name + size + 1 : name;
}

/* Names the file of a part, after the output: several outputs of a folder have their meshes in the same folder. */
static const char *name_file(struct robot *robot, const cp_instance *instance, const struct robot_part *part)
{
    size_t size;
    const char *stem = sink_stem(robot->sink), *name = wanted_name(robot, instance),
               *read = text_stem(robot->scene->source.file, &size);
    const char *material = part->is_whole              ? NULL
                           : part->material == CP_NONE ? "plain"
                                                       : robot->scene->materials[part->material].name;
    if (!name)
        return NULL;
    name = without_stem(without_stem(name, read, size), stem, strlen(stem));
    const char *whole =
        arena_print(robot->arena, "%s_%s%s%s", stem, name, material ? "_" : "", material ? material : "");
    const char *suffix = robot->settings->meshes == ROBOT_MESHES_GLB ? ".glb" : ".stl";
    const char *safe = whole ? sink_safe_name(robot->sink, whole, suffix) : NULL;
    return safe ? arena_print(robot->arena, "meshes/%s", safe) : NULL;
}

static bool add_part(struct robot *robot, const cp_instance *instance, struct robot_part part)
{
    part.file = name_file(robot, instance, &part);
    return part.file &&
           array_add(robot->context, &robot->parts, &robot->part_room, &robot->part_count, &part, sizeof part);
}

/* Returns a text that meshes of the same faces share, whatever their materials; NULL if out of memory. */
static const char *faces_key(struct robot *robot, uint32_t index)
{
    const cp_mesh *mesh = &robot->scene->meshes[index];
    const char **key = &robot->faces_keys[index];
    if (!*key && mesh->kind >= CP_MESH_BOX)
        *key = arena_print(robot->arena, "%d %u %.17g %.17g %.17g", (int)mesh->kind, mesh->sides, mesh->size[0],
                           mesh->size[1], mesh->size[2]);
    else if (!*key)
        *key = arena_print(
            robot->arena, "%016llx %016llx",
            (unsigned long long)hash_content(mesh->positions, (size_t)mesh->vertex_count * 3 * sizeof *mesh->positions),
            (unsigned long long)hash_content(mesh->corners, (size_t)mesh->corner_count * sizeof *mesh->corners));
    return *key;
}

/* Returns the text by which instances find files that they share; NULL if out of memory. Whole files of STL have no
 * materials. */
static const char *part_key(struct robot *robot, const struct robot_part *part)
{
    char baked[9 * NUMBER_SIZE] = "", *end = baked;
    for (int i = 0; i < 12 && !pose_is_identity(&part->baked); i++)
        if (i % 4 < 3) {
            *end++ = ' ';
            end += print_double(part->baked.m[i], end);
        }
    if (!part->is_whole || robot->settings->meshes == ROBOT_MESHES_GLB)
        return arena_print(robot->arena, "%c%u%s", part->is_whole ? 'w' : 's', part->mesh, baked);
    const char *faces = faces_key(robot, part->mesh);
    return faces ? arena_print(robot->arena, "%s%s", faces, baked) : NULL;
}

/* Tells whether two meshes with the same key have the same triangles: hashes may agree by chance. */
static bool has_same_faces(const cp_mesh *one, const cp_mesh *other)
{
    return one->vertex_count == other->vertex_count && one->corner_count == other->corner_count &&
           one->face_count == other->face_count &&
           (one->vertex_count == 0 ||
            memcmp(one->positions, other->positions, (size_t)one->vertex_count * 3 * sizeof *one->positions) == 0) &&
           (one->corner_count == 0 ||
            memcmp(one->corners, other->corners, (size_t)one->corner_count * sizeof *one->corners) == 0);
}

/* Tells whether the faces have more than one material, or some of them none. *material: the first one. */
static bool has_several_materials(const cp_mesh *mesh, uint32_t *material)
{
    *material = mesh->group_count > 0 ? mesh->groups[0].material : CP_NONE;
    for (uint32_t i = 1; i < mesh->group_count; i++)
        if (mesh->groups[i].material != *material)
            return true;
    return false;
}

/* Adds a part for each material of the mesh, in the order in which they come first. */
static bool add_materials(struct robot *robot, const cp_instance *instance, struct robot_part part)
{
    const cp_mesh *mesh = &robot->scene->meshes[part.mesh];
    uint32_t round = ++robot->round;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        part.material = mesh->groups[i].material;
        uint32_t *seen = &robot->seen[part.material == CP_NONE ? robot->scene->material_count : part.material];
        if (*seen != round && mesh->groups[i].face_count > 0 && !add_part(robot, instance, part))
            return false;
        *seen = mesh->groups[i].face_count > 0 ? round : *seen;
    }
    return true;
}

bool robot_find_parts(struct robot *robot, const cp_instance *instance, const cp_pose *baked, struct robot_shape *shape)
{
    const cp_mesh *mesh = &robot->scene->meshes[instance->mesh];
    bool is_drawn = instance->use & CP_USE_DRAWN, is_glb = robot->settings->meshes == ROBOT_MESHES_GLB;
    bool several = has_several_materials(mesh, &shape->material) && is_drawn && !is_glb;
    struct robot_part part = {.mesh = instance->mesh, .material = CP_NONE, .is_whole = !several, .baked = *baked};
    if (several || is_glb) /* their parts have materials of their own, or are files that have them */
        shape->material = CP_NONE;
    const char *key = part_key(robot, &part);
    const uint32_t *known = key ? name_map_add(&robot->part_keys, key, robot->part_count, NULL) : NULL;
    if (!known)
        return false;
    bool shared = *known < robot->part_count && has_same_faces(mesh, &robot->scene->meshes[robot->parts[*known].mesh]);
    shape->first_part = shared ? *known : robot->part_count;
    if (!shared && !(several ? add_materials(robot, instance, part) : add_part(robot, instance, part)))
        return false;
    /* The parts of a mesh follow each other. */
    uint32_t end = shape->first_part + 1;
    while (several && end < robot->part_count && !robot->parts[end].is_whole &&
           robot->parts[end].mesh == instance->mesh && pose_equal(&robot->parts[end].baked, baked))
        end++;
    shape->part_count = end - shape->first_part;
    return true;
}

/* ---- what is in them ---- */

/* Adds a material with its textures and images to the scene of a file. */
static bool copy_material(const struct robot *robot, cp_scene *file, uint32_t from, uint32_t *to)
{
    cp_material material = robot->scene->materials[from];
    cp_texture_use *uses = scene_allocate(file, material.texture_count, sizeof *uses);
    if (!uses)
        return false;
    for (uint32_t i = 0; i < material.texture_count; i++) {
        uses[i] = material.textures[i];
        cp_texture texture = robot->scene->textures[uses[i].texture];
        texture.image = scene_add_row(file, TABLE_IMAGES, &robot->scene->images[texture.image]);
        if (texture.fallback != CP_NONE)
            texture.fallback = scene_add_row(file, TABLE_IMAGES, &robot->scene->images[texture.fallback]);
        uses[i].texture = texture.image == CP_NONE ? CP_NONE : scene_add_row(file, TABLE_TEXTURES, &texture);
        if (uses[i].texture == CP_NONE)
            return false;
    }
    material.textures = uses;
    *to = scene_add_row(file, TABLE_MATERIALS, &material);
    return *to != CP_NONE;
}

/* Gives the mesh copies of its materials: the same one for all groups that have it. */
static bool copy_materials(struct robot *robot, cp_scene *file, cp_mesh *mesh)
{
    cp_group *groups = scene_allocate(file, mesh->group_count, sizeof *groups);
    uint32_t round = ++robot->round;
    if (!groups)
        return false;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        uint32_t material = mesh->groups[i].material;
        groups[i] = mesh->groups[i];
        if (material == CP_NONE)
            continue;
        if (robot->seen[material] != round && !copy_material(robot, file, material, &robot->copies[material]))
            return false;
        robot->seen[material] = round;
        groups[i].material = robot->copies[material];
    }
    mesh->groups = groups;
    return true;
}

/* Leaves the mesh the triangles of one material. */
static bool cut_material(cp_scene *file, cp_mesh *mesh, uint32_t material)
{
    const cp_group *groups = mesh->groups;
    uint32_t faces = 0;
    for (uint32_t i = 0; i < mesh->group_count; i++)
        faces += groups[i].material == material ? groups[i].face_count : 0;
    uint32_t *corners = scene_allocate(file, faces, 3 * sizeof *corners), *end = corners;
    if (!corners)
        return false;
    for (uint32_t i = 0; i < mesh->group_count; i++)
        if (groups[i].material == material && groups[i].face_count > 0) {
            memcpy(end, mesh->corners + mesh_face_first(mesh, groups[i].first_face),
                   (size_t)groups[i].face_count * 3 * sizeof *end);
            end += 3 * (size_t)groups[i].face_count;
        }
    mesh->corners = corners;
    mesh->corner_count = 3 * faces;
    mesh->face_count = faces;
    mesh->face_offsets = NULL;
    return true;
}

/* Makes a scene of the part alone. */
static cp_status make_scene(struct robot *robot, const struct robot_part *part, cp_scene **made)
{
    bool is_glb = robot->settings->meshes == ROBOT_MESHES_GLB;
    cp_scene *file = *made = scene_new(robot->context);
    cp_mesh mesh = robot->scene->meshes[part->mesh];
    if (!file || (is_glb && !copy_materials(robot, file, &mesh)) ||
        (!part->is_whole && !cut_material(file, &mesh, part->material)))
        return CP_LIMIT;
    if (!is_glb)
        part_strip(&mesh);
    return part_finish(file, &mesh, &part->baked);
}

static cp_status write_part(struct robot *robot, const struct robot_part *part)
{
    static const char *const stl[] = {"use=both", "unit=m", "up=z"}, *const glb[] = {"extras=no", "colours=none",
                                                                                     "planes=keep"};
    bool is_glb = robot->settings->meshes == ROBOT_MESHES_GLB;
    cp_scene *file;
    cp_status status = make_scene(robot, part, &file);
    if (status == CP_OK)
        status = is_glb ? part_write(robot->sink, part->file, file, "glb", glb, sizeof glb / sizeof *glb)
                        : part_write(robot->sink, part->file, file, "stl", stl, sizeof stl / sizeof *stl);
    cp_scene_free(file);
    return status;
}

cp_status robot_write_meshes(struct robot *robot)
{
    cp_status status = robot->part_count > 0 ? sink_expect_further(robot->sink) : CP_OK;
    for (uint32_t i = 0; i < robot->part_count && status == CP_OK; i++)
        status = write_part(robot, &robot->parts[i]);
    return status;
}

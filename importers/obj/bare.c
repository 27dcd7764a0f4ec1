/* Faces without texture coordinates, of a mesh that has some, under a material with images.
 *
 * They get a copy of the material without its images: by coordinates of zero they would show the pixel in an image's
 * corner. A face of which one corner has coordinates keeps its material. */
#include "obj.h"

#include "model/model.h"

static uint64_t first_corner(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face] : (uint64_t)face * 3;
}

static bool is_bare(const cp_mesh *mesh, const uint32_t *coordinates, uint32_t face)
{
    for (uint64_t i = first_corner(mesh, face); i < first_corner(mesh, face + 1); i++)
        if (coordinates[i] != OBJ_NO_NORMAL)
            return false;
    return true;
}

static bool has_images(const cp_scene *scene, uint32_t material)
{
    return material != CP_NONE && scene->materials[material].texture_count > 0;
}

/* Returns the material without its images, or CP_NONE after an error. */
static uint32_t bare_material(cp_scene *scene, struct obj_bare *bare, uint32_t material)
{
    if (!bare->copies) {
        bare->count = scene->material_count;
        bare->copies = memory_allocate(bare->context, bare->count, sizeof *bare->copies);
        for (uint32_t i = 0; bare->copies && i < bare->count; i++)
            bare->copies[i] = CP_NONE;
    }
    if (!bare->copies)
        return CP_NONE;
    if (bare->copies[material] == CP_NONE) {
        cp_material copy = scene->materials[material];
        copy.textures = NULL;
        copy.texture_count = 0;
        copy.id = NULL;
        bare->copies[material] = scene_add_row(scene, TABLE_MATERIALS, &copy);
    }
    return bare->copies[material];
}

/* Cuts a group where its faces begin or cease to be bare. Returns the number of pieces, and writes them to `out` unless
 * that is NULL; their materials stay. */
static uint32_t cut_group(const cp_mesh *mesh, const uint32_t *coordinates, const cp_group *group, cp_group *out)
{
    uint32_t count = 0;
    bool before = false;
    for (uint32_t i = 0; i < group->face_count; i++) {
        bool now = is_bare(mesh, coordinates, group->first_face + i);
        if (i == 0 || now != before) {
            if (out)
                out[count] = (cp_group){group->first_face + i, 0, group->material};
            count++;
        }
        if (out)
            out[count - 1].face_count++;
        before = now;
    }
    return count;
}

cp_status obj_part_bare(struct obj_bare *bare, cp_scene *scene, const uint32_t *coordinates, cp_mesh *mesh)
{
    uint32_t count = 0;
    uint64_t faces = 0;
    for (uint32_t i = 0; i < mesh->group_count && coordinates; i++) {
        const cp_group *group = &mesh->groups[i];
        bool shows = has_images(scene, group->material);
        count += shows ? cut_group(mesh, coordinates, group, NULL) : 1;
        for (uint32_t k = 0; k < group->face_count && shows; k++)
            faces += is_bare(mesh, coordinates, group->first_face + k);
    }
    if (faces == 0)
        return CP_OK;
    bare->faces += faces;
    cp_group *groups = scene_allocate(scene, count, sizeof *groups), *next = groups;
    for (uint32_t i = 0; i < mesh->group_count && groups; i++) {
        if (!has_images(scene, mesh->groups[i].material)) {
            *next++ = mesh->groups[i];
            continue;
        }
        cp_group *end = next + cut_group(mesh, coordinates, &mesh->groups[i], next);
        for (; next < end; next++) {
            if (!is_bare(mesh, coordinates, next->first_face))
                continue;
            next->material = bare_material(scene, bare, next->material);
            if (next->material == CP_NONE)
                return CP_LIMIT;
        }
    }
    mesh->groups = groups;
    mesh->group_count = count;
    return groups ? CP_OK : CP_LIMIT;
}

void obj_report_bare(const struct obj_reader *reader, struct obj_bare *bare)
{
    memory_free(bare->context, bare->copies, bare->count, sizeof *bare->copies);
    if (bare->faces > 0)
        report_loss(reader->context, "obj-bare", IN_FILE(reader->source->name), bare->faces,
                    "the images of faces without texture coordinates");
}

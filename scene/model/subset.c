/* Rows that go, and those that nothing uses. */
#include <string.h>

#include "tables.h"

cp_status scene_drop_rows(cp_scene *scene, enum scene_table table, const bool *gone)
{
    struct moves moves = {.scene = scene};
    uint32_t count = table_count(scene, table), kept = 0;
    for (uint32_t i = 0; gone && i < count; i++)
        kept += !gone[i];
    if (kept == count)
        return CP_OK;
    uint32_t *map = moves_add_map(&moves, table);
    kept = 0;
    for (uint32_t i = 0; map && i < count; i++)
        map[i] = gone && !gone[i] ? kept++ : CP_NONE;
    return moves_end(&moves, map ? CP_OK : CP_LIMIT);
}

/* Drops the rows of a table that no row of the table `users` refers to. `mark` notes what one user refers to. */
static cp_status drop_idle(cp_scene *scene, enum scene_table table, enum scene_table users,
                           void (*mark)(const void *user, bool *idle))
{
    uint32_t count = table_count(scene, table);
    bool *idle = memory_allocate(scene->context, count, sizeof *idle);
    if (!idle)
        return CP_LIMIT;
    memset(idle, true, count);
    for (uint32_t i = 0; i < table_count(scene, users); i++)
        mark(table_row(scene, users, i), idle);
    cp_status status = scene_drop_rows(scene, table, idle);
    memory_free(scene->context, idle, count, sizeof *idle);
    return status;
}

static void mark_mesh(const void *instance, bool *idle)
{
    idle[((const cp_instance *)instance)->mesh] = false;
}

static void mark_materials(const void *user, bool *idle)
{
    const cp_mesh *mesh = user;
    for (uint32_t i = 0; i < mesh->group_count; i++)
        if (mesh->groups[i].material != CP_NONE)
            idle[mesh->groups[i].material] = false;
}

static void mark_textures(const void *user, bool *idle)
{
    const cp_material *material = user;
    for (uint32_t i = 0; i < material->texture_count; i++)
        idle[material->textures[i].texture] = false;
}

static void mark_images(const void *user, bool *idle)
{
    const cp_texture *texture = user;
    idle[texture->image] = false;
    if (texture->fallback != CP_NONE)
        idle[texture->fallback] = false;
}

/* Drops meshes first, as a material may be used only by a dropped mesh, and so on. */
cp_status scene_drop_unused(cp_scene *scene)
{
    cp_status status = drop_idle(scene, TABLE_MESHES, TABLE_INSTANCES, mark_mesh);
    if (status == CP_OK)
        status = drop_idle(scene, TABLE_MATERIALS, TABLE_MESHES, mark_materials);
    if (status == CP_OK)
        status = drop_idle(scene, TABLE_TEXTURES, TABLE_MATERIALS, mark_textures);
    return status == CP_OK ? drop_idle(scene, TABLE_IMAGES, TABLE_TEXTURES, mark_images) : status;
}

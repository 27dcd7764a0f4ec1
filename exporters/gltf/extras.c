/* extras.cellpipe of the asset, the scene and the meshes: the content for which glTF has no word
 * (docs/stage-format.md). */
#include <math.h>

#include "base/text/text.h"
#include "writer.h"

/* ---- asset ---- */

/* Writes the numbers of the scene's things, so that a reader sees what another tool took away. They are written twice,
 * in the mark and with the scene: three.js and Blender drop the one, gltfpack the other. */
static void write_holds(struct json_writer *json, const struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    uint32_t meshes = scene->mesh_count;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        meshes -= file->meshes[i].left_out;
    json_key_open(json, "holds", '{');
    json_key_integer(json, "nodes", scene->node_count);
    json_key_integer(json, "joints", scene->joint_count);
    json_key_integer(json, "meshes", meshes);
    if (scene->loop_count > 0)
        json_key_integer(json, "loops", scene->loop_count);
    json_key_integer(json, "devices", scene->device_count);
    json_key_integer(json, "pairs", scene->pair_count);
    json_key_integer(json, "clips", scene->clip_count);
    json_close(json, '}');
}

void write_asset(struct json_writer *json, const struct gltf_file *file)
{
    const cp_source *source = &file->scene->source;
    json_line(json);
    json_key_open(json, "asset", '{');
    json_key_text(json, "version", "2.0");
    json_key_text(json, "generator", "cellpipe " CP_VERSION);
    write_copyright(json, &file->metadata);
    open_extras(json, &file->metadata, CP_OWNER_SCENE, 0, "asset.extras");
    json_key_text(json, "version", "1.0");
    json_key_text(json, "profile", is_deliver(file) ? "deliver" : "stage");
    if (has_up_root(file))
        json_key_text(json, "up", "y");
    write_holds(json, file);
    json_key_open(json, "source", '{');
    json_key_text(json, "format", source->format ? source->format : "");
    json_key_text(json, "file", source->file ? source->file : "");
    json_key_number(json, "unit", source->unit);
    json_key_text(json, "up", source->up == CP_UP_Y ? "y" : "z");
    if (source->deviation > 0)
        json_key_number(json, "deviation", source->deviation);
    json_close(json, '}');
    json_extras_close(json);
    json_close(json, '}');
}

/* ---- meshes ---- */

/* Writes a member that names a view of the mesh. */
static void write_view_name(struct json_writer *json, const char *key, const char *id, const char *part)
{
    json_key(json, key);
    json_text_of_two(json, id, part);
}

/* Names the views of vertices that no primitive has. */
static void write_loose_views(struct json_writer *json, const struct mesh_plan *plan, const char *id)
{
    if (plan->index == CP_NONE)
        json_key_integer(json, "vertices", plan->shape->vertex_count);
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        if (array_is_loose(plan, i))
            write_view_name(json, loose_part(i) + 1, id, loose_part(i));
}

/* Writes how the mesh's faces are found again in the drawn triangles. */
static void write_faces(struct json_writer *json, const struct mesh_plan *plan, const cp_mesh *mesh)
{
    if (!plan->has_split && !plan->has_faces)
        return;
    json_key_open(json, "faces", '{');
    if (plan->has_split)
        write_view_name(json, "split", mesh->id, ":split");
    if (plan->has_faces && mesh->face_count > 0)
        write_view_name(json, "sizes", mesh->id, ":sizes");
    if (plan->has_faces && mesh->corner_count > 0)
        write_view_name(json, "corners", mesh->id, ":corners");
    json_key_integer(json, "drawn", plan->index_count);
    if (plan->has_split || plan->split)
        json_key_integer(json, "vertices", mesh->vertex_count);
    json_close(json, '}');
}

/* Writes how far the drawn mesh may be from the scene's: metres in the world, degrees. */
static void write_quantised(struct json_writer *json, const struct gltf_file *file, const struct mesh_plan *plan)
{
    double step = 0;
    json_key_open(json, "quantised", '{');
    json_key_number(json, "position", plan->web->position + file->web.posed);
    if (plan->web->normal > 0)
        json_key_number(json, "normal", radians_to_degrees(plan->web->normal));
    for (size_t set = 0; set < CP_COORDINATE_SETS; set++)
        if (plan->shape->coordinates[set] && file->web.coordinates[set].integers)
            step = fmax(step, file->web.coordinates[set].step);
    if (step > 0)
        json_key_number(json, "coordinates", step / 2);
    json_close(json, '}');
}

static void write_groups(struct json_writer *json, const struct gltf_file *file, const cp_mesh *mesh)
{
    json_key_open(json, "groups", '[');
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        json_open(json, '[');
        json_whole(json, group->first_face);
        json_whole(json, group->face_count);
        if (group->material == CP_NONE)
            json_word(json, "null");
        else
            json_text(json, file->scene->materials[group->material].id);
        json_close(json, ']');
    }
    json_close(json, ']');
}

void write_mesh_extras(struct json_writer *json, const struct gltf_file *file, uint32_t index)
{
    const cp_mesh *mesh = &file->scene->meshes[index];
    const struct mesh_plan *plan = &file->meshes[index];
    const bool primitive = mesh->kind >= CP_MESH_BOX;
    json_row_members(json, file->scene, &tables[TABLE_MESHES].layout, mesh, IN_STAGE);
    if (primitive || plan->made_normals)
        json_key_text(json, "made", primitive ? "tessellation" : "normals");
    if (!primitive && plan->shape->vertex_count > 0)
        write_loose_views(json, plan, mesh->id);
    write_faces(json, plan, mesh);
    if (plan->web)
        write_quantised(json, file, plan);

    /* A reader finds the groups in the primitives, unless one of them draws nothing or they are not primitives at
     * all. */
    const bool lone = mesh->group_count == 1 && mesh->groups[0].material == CP_NONE;
    if (!(plan->web && plan->web->corners) && mesh->group_count > 0 &&
        (plan->has_faces || lone || primitive || plan->primitive_count != mesh->group_count))
        write_groups(json, file, mesh);
    write_metadata(json, &file->metadata, CP_OWNER_MESH, index);
}

/* ---- scene ---- */

/* Writes each table that glTF has no place for as a list. */
static void write_lists(struct json_writer *json, const struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    for (enum scene_table table = 0; table < TABLE_COUNT; table++) {
        const uint32_t count = table_count(scene, table);
        if (!tables[table].list || count == 0)
            continue;
        json_key_open(json, tables[table].list, '[');
        for (uint32_t i = 0; i < count; i++) {
            json_line(json);
            json_row(json, scene, &tables[table].layout, table_row(scene, table, i), IN_STAGE);
        }
        json_close(json, ']');
    }
}

/* ---- things that nothing draws or plays ---- */

static void write_undrawn_meshes(struct json_writer *json, const struct gltf_file *file)
{
    bool any = false;
    uint32_t position = 0;
    for (uint32_t i = 0; i < file->scene->mesh_count; i++) {
        const struct mesh_plan *plan = &file->meshes[i];
        if (!plan->left_out && plan->index == CP_NONE) {
            if (!any)
                json_key_open(json, "meshes", '[');
            any = true;
            json_open_item(json);
            json_key_integer(json, "position", position);
            json_key_text(json, "name", file->scene->meshes[i].name);
            write_mesh_extras(json, file, i);
            json_close(json, '}');
        }
        position += !plan->left_out;
    }
    if (any)
        json_close(json, ']');
}

static void write_unplayed_clips(struct json_writer *json, const struct gltf_file *file)
{
    bool any = false;
    for (uint32_t i = 0; i < file->motion.clip_count; i++) {
        const struct clip_plan *plan = &file->motion.clips[i];
        if (plan->channel_count > 0 || plan->clip == CP_NONE)
            continue;
        if (!any)
            json_key_open(json, "clips", '[');
        any = true;
        json_open_item(json);
        json_key_integer(json, "position", plan->clip);
        json_key_text(json, "name", plan->name);
        write_tracks(json, file, plan);
        json_close(json, '}');
    }
    if (any)
        json_close(json, ']');
}

void write_scene(struct json_writer *json, const struct gltf_file *file)
{
    json_line(json);
    json_key_integer(json, "scene", 0);
    json_key_open(json, "scenes", '[');
    json_open(json, '{');
    json_key_open(json, "nodes", '[');
    json_whole(json, has_up_root(file) ? file->node_count : file->nodes[0].first);
    if (!has_up_root(file))
        list_cameras(json, file);
    json_close(json, ']');
    open_extras(json, &file->metadata, CP_OWNER_SCENE, 0, "extras");
    write_holds(json, file);
    if (file->scene->exclude_static_pairs)
        json_key_true(json, "exclude_static_pairs");
    write_lists(json, file);
    write_metadata(json, &file->metadata, CP_OWNER_SCENE, 0);
    write_undrawn_meshes(json, file);
    write_unplayed_clips(json, file);
    json_extras_close(json);
    json_close(json, '}');
    json_close(json, ']');
}

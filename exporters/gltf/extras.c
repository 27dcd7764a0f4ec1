/* extras.cellpipe of the asset, the scene and the meshes: the content for which glTF has no word
 * (docs/stage-format.md). */
#include <math.h>

#include "base/text/text.h"
#include "writer.h"

/* ---- asset ---- */

/* Writes the numbers of the scene's things, so that a reader sees what another tool took away. They are written twice,
 * in the mark and with the scene: three.js and Blender drop the one, gltfpack the other. */
static void write_holds(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    struct json_writer *json = &writer->json;
    uint32_t meshes = scene->mesh_count;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        meshes -= writer->meshes[i].left_out;
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

void write_asset(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    const cp_source *source = &writer->scene->source;
    json_line(json);
    json_key_open(json, "asset", '{');
    json_key_text(json, "version", "2.0");
    json_key_text(json, "generator", "cellpipe " CP_VERSION);
    write_copyright(writer);
    open_extras(writer, CP_OWNER_SCENE, 0, "asset.extras");
    json_key_text(json, "version", "1.0");
    json_key_text(json, "profile", is_deliver(writer) ? "deliver" : "stage");
    if (has_up_root(writer))
        json_key_text(json, "up", "y");
    write_holds(writer);
    json_key_open(json, "source", '{');
    json_key_text(json, "format", source->format ? source->format : "");
    json_key_text(json, "file", source->file ? source->file : "");
    json_key_number(json, "unit", source->unit);
    json_key_text(json, "up", source->up == CP_UP_Y ? "y" : "z");
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
static void write_loose_views(struct writer *writer, const struct mesh_plan *plan, const char *id)
{
    const cp_mesh *shape = plan->shape;
    const bool undrawn = plan->index == CP_NONE;
    if (undrawn) {
        json_key_integer(&writer->json, "vertices", shape->vertex_count);
        write_view_name(&writer->json, "positions", id, ":positions");
    }
    if (shape->normals && (undrawn || plan->raw_normals))
        write_view_name(&writer->json, "normals", id, ":normals");
    if (shape->tangents && (undrawn || plan->raw_tangents))
        write_view_name(&writer->json, "tangents", id, ":tangents");
    if (shape->colours && (undrawn || plan->raw_colours))
        write_view_name(&writer->json, "colours", id, ":colours");
    if (undrawn && shape->coordinates[0])
        write_view_name(&writer->json, "coordinates", id, ":coordinates");
    if (undrawn && shape->coordinates[1])
        write_view_name(&writer->json, "coordinates_2", id, ":coordinates_2");
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
static void write_quantised(struct writer *writer, const struct mesh_plan *plan)
{
    struct json_writer *json = &writer->json;
    double step = 0;
    json_key_open(json, "quantised", '{');
    json_key_number(json, "position", plan->web->position + writer->web.posed);
    if (plan->web->normal > 0)
        json_key_number(json, "normal", radians_to_degrees(plan->web->normal));
    for (size_t set = 0; set < CP_COORDINATE_SETS; set++)
        if (plan->shape->coordinates[set] && writer->web.coordinates[set].integers)
            step = fmax(step, writer->web.coordinates[set].step);
    if (step > 0)
        json_key_number(json, "coordinates", step / 2);
    json_close(json, '}');
}

static void write_groups(struct writer *writer, const cp_mesh *mesh)
{
    struct json_writer *json = &writer->json;
    json_key_open(json, "groups", '[');
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        json_open(json, '[');
        json_whole(json, group->first_face);
        json_whole(json, group->face_count);
        if (group->material == CP_NONE)
            json_word(json, "null");
        else
            json_text(json, writer->scene->materials[group->material].id);
        json_close(json, ']');
    }
    json_close(json, ']');
}

void write_mesh_extras(struct writer *writer, uint32_t index)
{
    struct json_writer *json = &writer->json;
    const cp_mesh *mesh = &writer->scene->meshes[index];
    const struct mesh_plan *plan = &writer->meshes[index];
    const bool primitive = mesh->kind >= CP_MESH_BOX;
    json_row_members(json, writer->scene, &tables[TABLE_MESHES].layout, mesh, IN_STAGE);
    if (primitive || plan->made_normals)
        json_key_text(json, "made", primitive ? "tessellation" : "normals");
    if (!primitive && plan->shape->vertex_count > 0)
        write_loose_views(writer, plan, mesh->id);
    write_faces(json, plan, mesh);
    if (plan->web)
        write_quantised(writer, plan);

    /* A reader finds the groups in the primitives, unless one of them draws nothing or they are not primitives at
     * all. */
    const bool lone = mesh->group_count == 1 && mesh->groups[0].material == CP_NONE;
    if (!(plan->web && plan->web->corners) && mesh->group_count > 0 &&
        (plan->has_faces || lone || primitive || plan->primitive_count != mesh->group_count))
        write_groups(writer, mesh);
    write_metadata(writer, CP_OWNER_MESH, index);
}

/* ---- scene ---- */

/* Writes each table that glTF has no place for as a list. */
static void write_lists(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    const cp_scene *scene = writer->scene;
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

static void write_undrawn_meshes(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    bool any = false;
    uint32_t position = 0;
    for (uint32_t i = 0; i < writer->scene->mesh_count; i++) {
        const struct mesh_plan *plan = &writer->meshes[i];
        if (!plan->left_out && plan->index == CP_NONE) {
            if (!any)
                json_key_open(json, "meshes", '[');
            any = true;
            json_line(json);
            json_open(json, '{');
            json_key_integer(json, "position", position);
            json_key_text(json, "name", writer->scene->meshes[i].name);
            write_mesh_extras(writer, i);
            json_close(json, '}');
        }
        position += !plan->left_out;
    }
    if (any)
        json_close(json, ']');
}

static void write_unplayed_clips(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    bool any = false;
    for (uint32_t i = 0; i < writer->motion.clip_count; i++) {
        const struct clip_plan *plan = &writer->motion.clips[i];
        if (plan->channel_count > 0 || plan->clip == CP_NONE)
            continue;
        if (!any)
            json_key_open(json, "clips", '[');
        any = true;
        json_line(json);
        json_open(json, '{');
        json_key_integer(json, "position", plan->clip);
        json_key_text(json, "name", plan->name);
        write_tracks(writer, plan);
        json_close(json, '}');
    }
    if (any)
        json_close(json, ']');
}

void write_scene(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_key_integer(json, "scene", 0);
    json_key_open(json, "scenes", '[');
    json_open(json, '{');
    json_key_open(json, "nodes", '[');
    json_whole(json, has_up_root(writer) ? writer->node_count : writer->nodes[0].first);
    if (!has_up_root(writer))
        list_cameras(writer);
    json_close(json, ']');
    open_extras(writer, CP_OWNER_SCENE, 0, "extras");
    write_holds(writer);
    if (writer->scene->exclude_static_pairs)
        json_key_true(json, "exclude_static_pairs");
    write_lists(writer);
    write_metadata(writer, CP_OWNER_SCENE, 0);
    write_undrawn_meshes(writer);
    write_unplayed_clips(writer);
    json_extras_close(json);
    json_close(json, '}');
    json_close(json, ']');
}

/* What glTF has no word for: extras.cellpipe of the asset, the scene and the meshes, as docs/stage-format.md says. */
#include "../finding.h"
#include "writer.h"

/* ---- asset ---- */

/* How much of each the scene has, so that a reader sees what another tool took away. Twice, in the mark and with the
 * scene: three.js and Blender drop the one, gltfpack the other. */
static void write_holds(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    struct json_writer *json = &writer->json;
    uint32_t meshes = scene->mesh_count;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        meshes -= writer->meshes[i].left_out;
    json_key(json, "holds");
    json_open(json, '{');
    json_key_integer(json, "nodes", scene->node_count);
    json_key_integer(json, "joints", scene->joint_count);
    json_key_integer(json, "meshes", meshes);
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
    json_key(json, "asset");
    json_open(json, '{');
    json_key_text(json, "version", "2.0");
    json_key_text(json, "generator", "cellpipe " CP_VERSION);
    write_copyright(writer);
    open_extras(writer, CP_OWNER_SCENE, 0, "asset.extras");
    json_key_text(json, "version", "1.0");
    json_key_text(json, "profile", is_deliver(writer) ? "deliver" : "stage");
    if (has_up_root(writer))
        json_key_text(json, "up", "y");
    write_holds(writer);
    json_key(json, "source");
    json_open(json, '{');
    json_key_text(json, "format", source->format ? source->format : "");
    json_key_text(json, "file", source->file ? source->file : "");
    json_key_number(json, "unit", source->unit);
    json_key_text(json, "up", source->up == CP_UP_Y ? "y" : "z");
    json_close(json, '}');
    json_extras_close(json);
    json_close(json, '}');
}

/* ---- meshes ---- */

static void write_view_name(struct json_writer *json, const char *key, const char *id, const char *part)
{
    json_key(json, key);
    json_text_of_two(json, id, part);
}

static void write_faces(struct json_writer *json, const cp_mesh *mesh, const struct mesh_plan *plan)
{
    if (!plan->has_faces)
        return;
    json_key(json, "faces");
    json_open(json, '{');
    if (mesh->face_count > 0)
        write_view_name(json, "sizes", mesh->id, ":sizes");
    if (mesh->corner_count > 0)
        write_view_name(json, "corners", mesh->id, ":corners");
    json_key_integer(json, "drawn", plan->index_count);
    if (plan->split)
        json_key_integer(json, "vertices", mesh->vertex_count);
    json_close(json, '}');
}

/* A reader finds the groups in the primitives, unless one of them draws nothing or they are not primitives at all. */
static bool groups_need_saying(const cp_mesh *mesh, const struct mesh_plan *plan)
{
    bool lone = mesh->group_count == 1 && mesh->groups[0].material == CP_NONE;
    return mesh->group_count > 0 &&
           (plan->has_faces || lone || mesh->kind >= CP_MESH_BOX || plan->primitive_count != mesh->group_count);
}

static void write_groups(struct writer *writer, const cp_mesh *mesh)
{
    struct json_writer *json = &writer->json;
    json_key(json, "groups");
    json_open(json, '[');
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

static void write_kind(struct json_writer *json, const cp_mesh *mesh, const struct mesh_plan *plan)
{
    if (mesh->kind != CP_MESH_FACES)
        json_key_text(json, "kind", mesh_kind_words[mesh->kind]);
    if (mesh->kind >= CP_MESH_BOX) {
        json_key_numbers(json, "size", mesh->size, 3);
        json_key_integer(json, "sides", mesh->sides);
        json_key_text(json, "made", "tessellation");
    } else if (plan->made_normals) {
        json_key_text(json, "made", "normals");
    }
}

/* The views of vertices that no primitive has. */
static void write_vertex_views(struct json_writer *json, const cp_mesh *mesh, const struct mesh_plan *plan)
{
    const cp_mesh *shape = plan->shape;
    bool undrawn = plan->index == CP_NONE;
    if (mesh->kind >= CP_MESH_BOX || shape->vertex_count == 0)
        return;
    if (undrawn) {
        json_key_integer(json, "vertices", shape->vertex_count);
        write_view_name(json, "positions", mesh->id, ":positions");
    }
    if (shape->normals && (undrawn || plan->raw_normals))
        write_view_name(json, "normals", mesh->id, ":normals");
    if (shape->colours && (undrawn || plan->raw_colours))
        write_view_name(json, "colours", mesh->id, ":colours");
}

/* How far what is drawn may be from the mesh: metres in the world, degrees. */
static void write_quantised(struct json_writer *json, const struct web_mesh *web)
{
    if (!web)
        return;
    json_key(json, "quantised");
    json_open(json, '{');
    json_key_number(json, "position", web->position);
    if (web->normal > 0)
        json_key_number(json, "normal", radians_to_degrees(web->normal));
    json_close(json, '}');
}

void write_mesh_extras(struct writer *writer, uint32_t index)
{
    struct json_writer *json = &writer->json;
    const cp_mesh *mesh = &writer->scene->meshes[index];
    const struct mesh_plan *plan = &writer->meshes[index];
    json_key_text(json, "id", mesh->id);
    if (*mesh->source)
        json_key_text(json, "source", mesh->source);
    write_kind(json, mesh, plan);
    write_vertex_views(json, mesh, plan);
    write_faces(json, mesh, plan);
    write_quantised(json, plan->web);
    if (!(plan->web && plan->web->corners) && groups_need_saying(mesh, plan))
        write_groups(writer, mesh);
    write_metadata(writer, CP_OWNER_MESH, index);
}

/* ---- scene ---- */

static void write_device(struct writer *writer, const cp_device *device)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "id", device->id);
    json_key_text(json, "name", device->name);
    json_key_text(json, "kind", device_kind_words[device->kind]);
    json_key_text(json, "base", node_id(writer, device->base));
    if (device->scope != CP_NONE)
        json_key_text(json, "scope", writer->scene->devices[device->scope].id);
    json_key(json, "ends");
    json_open(json, '[');
    for (uint32_t i = 0; i < device->end_count; i++)
        json_text(json, node_id(writer, device->ends[i]));
    json_close(json, ']');
    json_key(json, "joints");
    json_open(json, '[');
    for (uint32_t i = 0; i < device->joint_count; i++)
        json_text(json, joint_id(writer, device->joints[i]));
    json_close(json, ']');
    if (device->home)
        json_key_numbers(json, "home", device->home, device->joint_count);
    json_close(json, '}');
}

static void write_devices(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->scene->device_count == 0)
        return;
    json_key(json, "devices");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->scene->device_count; i++)
        write_device(writer, &writer->scene->devices[i]);
    json_close(json, ']');
}

static void write_finding(struct writer *writer, const cp_finding *finding)
{
    struct json_writer *json = &writer->json;
    json_key(json, "finding");
    json_open(json, '{');
    json_finding(json, finding);
    if (finding->witness_count > 0) {
        json_key(json, "witness");
        json_open(json, '[');
        for (uint32_t i = 0; i < finding->witness_count; i++) {
            json_open(json, '{');
            json_key_text(json, "joint", joint_id(writer, finding->witness[i].joint));
            json_key_number(json, "value", finding->witness[i].value);
            json_close(json, '}');
        }
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void write_pair(struct writer *writer, const cp_pair *pair)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "first", node_id(writer, pair->first));
    json_key_text(json, "second", node_id(writer, pair->second));
    if (pair->verdict == CP_PAIR_KEPT)
        json_key_text(json, "verdict", "kept");
    json_key_text(json, "reason", pair->reason ? pair->reason : "");
    if (pair->evidence && *pair->evidence)
        json_key_text(json, "evidence", pair->evidence);
    if (pair->finding)
        write_finding(writer, pair->finding);
    json_close(json, '}');
}

static void write_pairs(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->scene->pair_count == 0)
        return;
    json_key(json, "pairs");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->scene->pair_count; i++)
        write_pair(writer, &writer->scene->pairs[i]);
    json_close(json, ']');
}

/* ---- things that nothing draws or plays ---- */

static void write_undrawn_mesh(struct writer *writer, uint32_t index, uint32_t position)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_open(json, '{');
    json_key_integer(json, "position", position);
    json_key_text(json, "name", writer->scene->meshes[index].name);
    write_mesh_extras(writer, index);
    json_close(json, '}');
}

static void write_undrawn_meshes(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    bool any = false;
    uint32_t position = 0;
    for (uint32_t i = 0; i < writer->scene->mesh_count; i++) {
        if (writer->meshes[i].left_out)
            continue;
        if (writer->meshes[i].index == CP_NONE) {
            if (!any) {
                json_key(json, "meshes");
                json_open(json, '[');
            }
            any = true;
            write_undrawn_mesh(writer, i, position);
        }
        position++;
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
        if (!any) {
            json_key(json, "clips");
            json_open(json, '[');
        }
        any = true;
        json_line(json);
        json_open(json, '{');
        json_key_integer(json, "position", plan->clip);
        json_key_text(json, "name", plan->name);
        write_tracks(writer, &writer->scene->clips[plan->clip]);
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
    json_key(json, "scenes");
    json_open(json, '[');
    json_open(json, '{');
    json_key(json, "nodes");
    json_open(json, '[');
    json_whole(json, root_node(writer));
    json_close(json, ']');
    open_extras(writer, CP_OWNER_SCENE, 0, "extras");
    write_holds(writer);
    if (writer->scene->exclude_static_pairs)
        json_key_true(json, "exclude_static_pairs");
    write_devices(writer);
    write_pairs(writer);
    write_metadata(writer, CP_OWNER_SCENE, 0);
    write_undrawn_meshes(writer);
    write_unplayed_clips(writer);
    json_extras_close(json);
    json_close(json, '}');
    json_close(json, ']');
}

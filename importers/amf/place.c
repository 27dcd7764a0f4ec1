/* Meshes of the objects, and the tree: each object or constellation that no instance shows is a node below the world,
 * each instance one below its constellation's. */
#include "../assembly.h"
#include "amf.h"
#include "mesh/mesh.h"
#include "model/model.h"

/* ---- meshes ---- */

/* Returns the colour of the volume's triangles and vertices that have none of their own: the volume's, else the
 * object's, else the material's. */
static uint32_t volume_colour(struct amf *file, const struct amf_object *object, const struct amf_volume *volume)
{
    if (volume->colour != CP_NONE || object->colour != CP_NONE)
        return volume->colour != CP_NONE ? volume->colour : object->colour;
    const uint32_t *index = volume->material ? name_map_find(&file->material_names, volume->material) : NULL;
    if (volume->material && !index && strcmp(volume->material, "0") != 0 && file->unknown_materials.count++ == 0)
        file->unknown_materials.line = volume->line;
    return index ? file->materials[*index].colour : CP_NONE;
}

/* Gives colours to the volume's triangles that have none of their own: those of their vertices, else the volume's. */
static bool paint_volume(struct amf_object *object, const struct amf_volume *volume, uint32_t colour)
{
    struct painted *painted = &object->painted;
    if (colour == CP_NONE && !object->vertex_colours)
        return true;
    for (uint32_t i = volume->first_face; i < volume->first_face + volume->face_count; i++) {
        struct paint paint;
        if (painted->paints && painted->paints[i].colours[0] != CP_NONE)
            continue;
        for (int k = 0; k < 3; k++) {
            uint32_t vertex = painted->corners[3 * (size_t)i + (size_t)k];
            uint32_t own = object->vertex_colours ? object->vertex_colours[vertex] : CP_NONE;
            paint.colours[k] = own != CP_NONE ? own : colour;
        }
        if (!painted_set_paint(painted, i, &paint))
            return false;
    }
    return true;
}

/* Makes the object's mesh, whose normals are those of the file if every vertex has one. */
static bool make_mesh(struct amf *file, struct amf_object *object)
{
    struct painted *painted = &object->painted;
    bool done = true;
    for (uint32_t i = 0; done && i < object->volume_count; i++) {
        const struct amf_volume *volume = &file->volumes[object->first_volume + i];
        done = paint_volume(object, volume, volume_colour(file, object, volume));
    }
    if (done && object->normal_count == painted->vertex_count) {
        painted->normals = scene_keep_array(file->scene, &object->normals, &object->normal_room, object->normal_count,
                                            3 * sizeof(float));
        done = painted->normals;
    }
    const char *name = done ? scene_text(file->scene, object->notes.name) : NULL;
    if (name)
        object->mesh = painted_finish(painted, file->scene, file->colours, name, object->origin);
    return object->mesh != CP_NONE;
}

/* Adds what the materials in use say beside their colours. */
static bool add_material_notes(const struct amf *file)
{
    bool done = true;
    for (uint32_t i = 0; done && i < file->material_count; i++) {
        const struct amf_material *material = &file->materials[i];
        uint32_t index = material->colour == CP_NONE ? CP_NONE : file->colours[material->colour].material;
        for (uint32_t k = 0; done && index != CP_NONE && k < material->notes.count; k++) {
            const struct amf_note *note = &file->notes[material->notes.first + k];
            done = scene_add_metadata(file->scene, CP_OWNER_MATERIAL, index, note->key, CP_VALUE_STRING, note->value);
        }
    }
    return done;
}

static cp_status make_meshes(struct amf *file)
{
    bool done = true;
    for (uint32_t i = 0; done && i < file->object_count; i++)
        if (file->objects[i].painted.face_count > 0)
            done = make_mesh(file, &file->objects[i]);
    return done && add_material_notes(file) ? CP_OK : CP_LIMIT;
}

/* ---- who shows whom ---- */

static cp_status find_parts(struct amf *file, struct assembly *assembly)
{
    cp_status status = assembly_start(assembly, file->arena, file->context, file->object_count, file->instance_count);
    for (uint32_t i = 0; status == CP_OK && i < file->object_count; i++) {
        assembly->objects[i].first_part = file->objects[i].first_instance;
        assembly->objects[i].part_count = file->objects[i].instance_count;
    }
    for (uint32_t i = 0; status == CP_OK && i < file->instance_count; i++) {
        struct amf_instance *instance = &file->instances[i];
        const uint32_t *index = name_map_find(&file->object_names, instance->id);
        if (!index)
            index = name_map_find(&file->constellation_names, instance->id);
        if (!index)
            return report_error(file->context, CP_INPUT, "amf-object", AT_LINE(file->source->name, instance->line),
                                "there is no object or constellation \"%.40s\"", instance->id);
        instance->object = assembly->parts[i] = *index;
        file->objects[*index].is_part = true;
    }
    return status;
}

/* Counts the nodes below the world; in a ring of constellations, too, which nothing below the world shows. */
static cp_status check_counts(struct amf *file, struct assembly *assembly)
{
    uint64_t count = 1, most = limit_nodes(file->context);
    uint32_t ring = 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < file->object_count && status == CP_OK; i++) {
        uint64_t hidden = 0;
        status = assembly_count(assembly, i, file->objects[i].is_part ? &hidden : &count, &ring);
    }
    if (status == CP_INPUT)
        return report_error(file->context, CP_INPUT, "amf-cycle", IN_FILE(file->source->name),
                            "constellation %.40s contains itself", file->objects[ring].id);
    if (status == CP_OK && count > most)
        status = report_error(file->context, CP_LIMIT, "amf-instances", IN_FILE(file->source->name),
                              "its constellations take more nodes than the limit of %llu (%s)",
                              (unsigned long long)most, limit_of_nodes(file->context));
    return status;
}

/* ---- nodes ---- */

/* Returns the pose of an instance. ISO/ASTM 52915: it is turned about x, then about y, then about z, all of its
 * constellation, and then moved. */
static cp_pose instance_pose(const struct amf *file, const struct amf_instance *instance)
{
    const double *move = instance->move;
    double all = move[MOVE_SCALE_ALL];
    cp_pose pose =
        pose_scaling(move[MOVE_SCALE] * move[MOVE_MIRROR] * all, move[MOVE_SCALE + 1] * move[MOVE_MIRROR + 1] * all,
                     move[MOVE_SCALE + 2] * move[MOVE_MIRROR + 2] * all);
    for (int axis = 0; axis < 3; axis++) {
        double angle = move[MOVE_TURN + axis];
        cp_pose turn = pose_rotation_degrees(axis, file->radians ? radians_to_degrees(angle) : angle);
        pose = pose_multiply(&turn, &pose);
    }
    for (int axis = 0; axis < 3; axis++)
        pose.m[4 * axis + 3] = move[MOVE_DELTA + axis] * file->unit;
    return pose;
}

/* Adds a node for the object, with its mesh and metadata; CP_NONE when out of memory. */
static uint32_t add_node(struct amf *file, uint32_t parent, const struct amf_object *object, const cp_pose *local)
{
    cp_scene *scene = file->scene;
    const char *name = object->notes.name;
    if (!*name)
        name = arena_print(file->arena, "%s%s%s", object->is_constellation ? "constellation" : "object",
                           *object->id ? " " : "", object->id);
    uint32_t node = name ? scene_add_node(scene, parent, name, strlen(name)) : CP_NONE;
    if (node == CP_NONE)
        return CP_NONE;
    scene->nodes[node].local = *local;
    cp_pose scale = pose_scaling(file->unit, file->unit, file->unit);
    scale = pose_from_origin(&scale, object->origin);
    if (object->mesh != CP_NONE && scene_add_instance(scene, node, object->mesh, CP_USE_BOTH, &scale) == CP_NONE)
        return CP_NONE;
    for (uint32_t i = 0; i < object->notes.count; i++) {
        const struct amf_note *note = &file->notes[object->notes.first + i];
        if (!scene_add_metadata(scene, CP_OWNER_NODE, node, note->key, CP_VALUE_STRING, note->value))
            return CP_NONE;
    }
    return node;
}

static uint32_t add_part(void *user, uint32_t parent, uint32_t part)
{
    struct amf *file = user;
    const struct amf_instance *instance = &file->instances[part];
    cp_pose local = instance_pose(file, instance);
    return add_node(file, parent, &file->objects[instance->object], &local);
}

static cp_status place_object(struct amf *file, struct assembly *assembly, uint32_t object)
{
    uint32_t node = add_node(file, 0, &file->objects[object], &POSE_IDENTITY);
    return node == CP_NONE ? CP_LIMIT : assembly_place(assembly, object, node, add_part, file);
}

cp_status amf_place_objects(struct amf *file)
{
    struct assembly assembly = {0};
    cp_status status = find_parts(file, &assembly);
    if (status == CP_OK)
        status = check_counts(file, &assembly);
    if (status == CP_OK)
        status = make_meshes(file);
    for (uint32_t i = 0; i < file->object_count && status == CP_OK; i++)
        if (!file->objects[i].is_part)
            status = place_object(file, &assembly, i);
    assembly_end(&assembly);
    return status;
}

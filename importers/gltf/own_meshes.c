/* Meshes of our stages: primitives, n-gons, polylines, groups, and meshes that glTF cannot draw. */
#include "gltf.h"

#include <math.h>
#include <string.h>

static void changed(struct gltf *gltf)
{
    gltf_loss(gltf, LOSS_CHANGED_MESHES, 1);
}

/* ---- named views ---- */

/* `count` 4-byte numbers of a view, or NULL: missing or the wrong size. In the scene's arena, unaligned bytes moved. */
static void *read_words(struct gltf *gltf, uint32_t own, const char *key, uint64_t count)
{
    struct gltf_view view;
    if (!gltf_named_view(gltf, own, key, &view) || view.size / 4 != count || view.size % 4 != 0)
        return NULL;
    if (!gltf_take_room(gltf, own, count))
        return NULL;
    uint32_t *words = scene_allocate(gltf->scene, count, sizeof *words);
    if (!words) {
        gltf_no_memory(gltf);
        return NULL;
    }
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *at = view.bytes + 4 * i;
        words[i] = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    return words;
}

static uint64_t words_in_view(struct gltf *gltf, uint32_t own, const char *key)
{
    struct gltf_view view;
    return gltf_named_view(gltf, own, key, &view) ? view.size / 4 : 0;
}

static float *read_floats(struct gltf *gltf, uint32_t own, const char *key, uint64_t count)
{
    uint32_t *words = read_words(gltf, own, key, count);
    float *floats = words ? scene_allocate(gltf->scene, count, sizeof *floats) : NULL;
    if (words && !floats)
        gltf_no_memory(gltf);
    for (uint64_t i = 0; floats && i < count; i++) {
        memcpy(&floats[i], &words[i], sizeof *floats);
        if (!isfinite(floats[i]))
            return NULL;
    }
    return floats;
}

/* ---- faces ---- */

/* Sizes as offsets; false when they do not add up to the corners or one is too small. */
static bool add_up(const uint32_t *sizes, uint32_t count, uint32_t least, uint32_t corners, uint32_t *offsets)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        offsets[i] = (uint32_t)at;
        at += sizes[i];
        if (sizes[i] < least || at > corners)
            return false;
    }
    offsets[count] = (uint32_t)at;
    return at == corners;
}

static bool all_below(const uint32_t *indices, uint32_t count, uint32_t limit)
{
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] >= limit)
            return false;
    return true;
}

/* The faces of the extras when they go with the primitives. */
static bool read_faces(struct gltf *gltf, uint32_t faces, cp_mesh *mesh, uint64_t drawn)
{
    uint64_t face_count = words_in_view(gltf, faces, "sizes"), corner_count = words_in_view(gltf, faces, "corners");
    if (gltf_integer(gltf, faces, "drawn", 0) != drawn || face_count >= UINT32_MAX || corner_count >= UINT32_MAX)
        return false;
    uint32_t *sizes = read_words(gltf, faces, "sizes", face_count);
    uint32_t *corners = read_words(gltf, faces, "corners", corner_count);
    uint32_t *offsets = sizes && corners ? scene_allocate(gltf->scene, face_count + 1, sizeof *offsets) : NULL;
    if (!offsets ||
        !add_up(sizes, (uint32_t)face_count, mesh->kind == CP_MESH_LINES ? 2 : 3, (uint32_t)corner_count, offsets)) {
        if (sizes && corners && !offsets)
            gltf_no_memory(gltf);
        return false;
    }
    uint64_t vertices = gltf_integer(gltf, faces, "vertices", mesh->vertex_count);
    if (vertices > mesh->vertex_count || !all_below(corners, (uint32_t)corner_count, (uint32_t)vertices))
        return false;
    mesh->vertex_count = (uint32_t)vertices; /* those behind them were split off for made normals */
    mesh->face_count = (uint32_t)face_count;
    mesh->corner_count = (uint32_t)corner_count;
    mesh->face_offsets = offsets;
    mesh->corners = corners;
    return true;
}

/* ---- groups ---- */

/* [first_face, face_count, "material id" | null] behind the last group; false when it does not follow. */
static bool read_group(struct gltf *gltf, uint32_t entry, uint32_t next, uint32_t face_count, cp_group *group)
{
    const struct json_document *json = &gltf->json;
    if (!json_is(json, entry, JSON_ARRAY) || json_count(json, entry) != 3)
        return false;
    uint32_t first = json_first(json, entry), count = json_next(json, entry, first);
    uint32_t material = json_next(json, entry, count);
    double faces = json_to_number(json, count);
    if (json_to_number(json, first) != next || !(faces >= 0 && faces <= face_count - next) || floor(faces) != faces)
        return false;
    group->first_face = next;
    group->face_count = (uint32_t)faces;
    group->material = json_is(json, material, JSON_NULL) ? CP_NONE : own_find(gltf, MAP_MATERIALS, material);
    return true;
}

static bool read_groups(struct gltf *gltf, uint32_t array, cp_mesh *mesh)
{
    uint32_t count = json_count(&gltf->json, array), next = 0, i = 0;
    cp_group *groups = scene_allocate(gltf->scene, count, sizeof *groups);
    if (!groups) {
        gltf_no_memory(gltf);
        return false;
    }
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE; at = json_next(&gltf->json, array, at), i++) {
        if (!read_group(gltf, at, next, mesh->face_count, &groups[i]))
            return false;
        next += groups[i].face_count;
    }
    if (next != mesh->face_count)
        return false;
    mesh->groups = groups;
    mesh->group_count = count;
    return true;
}

/* The groups of the primitives hold when they cover the faces. */
static void check_groups(struct gltf *gltf, cp_mesh *mesh)
{
    uint64_t faces = 0;
    for (uint32_t i = 0; i < mesh->group_count; i++)
        faces += mesh->groups[i].face_count;
    if (mesh->group_count == 0 || faces == mesh->face_count)
        return;
    mesh->group_count = 0;
    gltf_loss(gltf, LOSS_CHANGED_GROUPS, 1);
}

/* ---- primitives ---- */

struct bounds {
    double lower[3], upper[3];
};

static struct bounds bounds_of(const cp_mesh *mesh)
{
    struct bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        bounds.lower[i % 3] = fmin(bounds.lower[i % 3], (double)mesh->positions[i]);
        bounds.upper[i % 3] = fmax(bounds.upper[i % 3], (double)mesh->positions[i]);
    }
    return bounds;
}

static bool bounds_agree(const struct bounds *a, const struct bounds *b)
{
    for (int i = 0; i < 3; i++) {
        double size = fmax(fabs(a->lower[i]), fabs(a->upper[i]));
        if (fabs(a->lower[i] - b->lower[i]) > 1e-5 * size || fabs(a->upper[i] - b->upper[i]) > 1e-5 * size)
            return false;
    }
    return true;
}

/* True when what is drawn may well be the picture of the primitive: tools that join or bake meshes keep the extras of
 * one of them. `primitive` is turned into faces. */
static bool is_picture(cp_scene *scene, const cp_mesh *drawn, cp_mesh *primitive)
{
    if (mesh_triangle_count(primitive) != mesh_triangle_count(drawn) || mesh_tessellate(scene, primitive) != CP_OK)
        return false;
    struct bounds a = bounds_of(primitive), b = bounds_of(drawn);
    return bounds_agree(&a, &b);
}

enum { MOST_SIDES = 1024 }; /* of what is tessellated only to be compared */

static bool shows_primitive(struct gltf *gltf, const cp_mesh *drawn, const cp_mesh *primitive)
{
    if (drawn->vertex_count == 0 || primitive->sides > MOST_SIDES)
        return true;
    cp_mesh copy = *primitive;
    cp_scene *scratch = scene_new(gltf->context);
    bool shows = scratch && is_picture(scratch, drawn, &copy);
    if (!scratch)
        gltf_no_memory(gltf);
    cp_scene_free(scratch);
    return shows;
}

/* ---- whole meshes ---- */

/* A box, cylinder ...: what is drawn for it goes. Its groups have materials, but no faces. */
static void read_primitive(struct gltf *gltf, uint32_t own, uint32_t kind, cp_mesh *mesh)
{
    cp_group *groups = scene_allocate(gltf->scene, mesh->group_count, sizeof *groups);
    cp_mesh primitive = {.id = mesh->id, .name = mesh->name, .source = mesh->source, .kind = (cp_mesh_kind)kind};
    uint64_t sides = gltf_integer(gltf, own, "sides", 0);
    primitive.sides = sides < UINT32_MAX ? (uint32_t)sides : 0;
    if (!groups)
        gltf_no_memory(gltf);
    if (gltf->status != CP_OK || !gltf_numbers(gltf, own, "size", 3, primitive.size))
        return;
    if (!shows_primitive(gltf, mesh, &primitive)) {
        changed(gltf);
        return;
    }
    for (uint32_t i = 0; i < mesh->group_count; i++)
        groups[i] = (cp_group){0, 0, mesh->groups[i].material};
    primitive.groups = groups;
    primitive.group_count = mesh->group_count;
    *mesh = primitive;
}

static void read_geometry(struct gltf *gltf, uint32_t own, cp_mesh *mesh, uint64_t drawn)
{
    uint32_t faces = gltf_object(gltf, own, "faces"), groups;
    float *normals = NULL, *colours = NULL;
    bool fits = faces == JSON_NONE || read_faces(gltf, faces, mesh, drawn);
    groups = gltf_array(gltf, own, "groups");
    if (!fits)
        changed(gltf);
    if (groups == JSON_NONE || !fits || !read_groups(gltf, groups, mesh))
        check_groups(gltf, mesh);
    if (json_member(&gltf->json, own, "normals") != JSON_NONE)
        normals = read_floats(gltf, own, "normals", 3 * (uint64_t)mesh->vertex_count);
    if (json_member(&gltf->json, own, "colours") != JSON_NONE)
        colours = read_floats(gltf, own, "colours", 4 * (uint64_t)mesh->vertex_count);
    mesh->normals = normals ? normals : mesh->normals;
    mesh->colours = colours ? colours : mesh->colours;
}

void own_read_mesh(struct gltf *gltf, struct gltf_mesh *entry, uint64_t drawn)
{
    cp_mesh *mesh = &entry->mesh;
    uint32_t own = entry->own, kind = gltf_word(gltf, own, "kind", mesh_kind_words, 0);
    const char *id = gltf_text(gltf, own, "id");
    mesh->id = id && *id ? id : NULL;
    mesh->source = gltf_text(gltf, own, "source");
    bool quantised = json_member(&gltf->json, own, "quantised") != JSON_NONE; /* as our own writer did */
    if (entry->requantised && !quantised)
        changed(gltf);
    else if (kind >= CP_MESH_BOX)
        read_primitive(gltf, own, kind, mesh);
    else if (kind == mesh->kind)
        read_geometry(gltf, own, mesh, drawn);
    else
        changed(gltf);
    if (mesh->kind >= CP_MESH_BOX && json_member(&gltf->json, own, "groups") != JSON_NONE)
        (void)read_groups(gltf, gltf_array(gltf, own, "groups"), mesh);
}

struct gltf_mesh own_undrawn_mesh(struct gltf *gltf, uint32_t value)
{
    struct gltf_mesh entry = {.own = value, .value = value};
    cp_mesh *mesh = &entry.mesh;
    uint64_t vertices = gltf_integer(gltf, value, "vertices", 0), position = gltf_integer(gltf, value, "position", 0);
    entry.position = position < CP_NONE ? (uint32_t)position : CP_NONE;
    mesh->name = gltf_text(gltf, value, "name");
    if (json_string_equals(&gltf->json, json_member(&gltf->json, value, "kind"), "lines"))
        mesh->kind = CP_MESH_LINES;
    if (vertices > 0 && vertices < UINT32_MAX)
        mesh->positions = read_floats(gltf, value, "positions", 3 * vertices);
    if (mesh->positions)
        mesh->vertex_count = (uint32_t)vertices;
    else if (vertices > 0)
        changed(gltf);
    own_read_mesh(gltf, &entry, 0);
    return entry;
}

/* Meshes of our stages: primitives, n-gons, polylines, groups, and meshes that glTF cannot draw. */
#include "gltf.h"

#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

/* ---- named views ---- */

/* Returns `count` 4-byte numbers of a view, or NULL: missing or the wrong size. In the scene's arena, unaligned bytes
 * moved. */
static uint32_t *read_words(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t own, const char *key,
                            uint64_t count)
{
    struct gltf_view view;
    if (!gltf_named_view(gltf, buffers, own, key, &view) || view.size / 4 != count || view.size % 4 != 0 ||
        !gltf_take_room(gltf, own, count))
        return NULL;
    uint32_t *words = gltf_scene_array(gltf, count, sizeof *words);
    for (uint64_t i = 0; words && i < count; i++) {
        const unsigned char *at = view.bytes + 4 * i;
        words[i] = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    return words;
}

static uint64_t words_in_view(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t own, const char *key)
{
    struct gltf_view view;
    return gltf_named_view(gltf, buffers, own, key, &view) ? view.size / 4 : 0;
}

/* Does the same for floats. NULL, too, if one is not finite. */
static float *read_floats(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t own, const char *key,
                          uint64_t count)
{
    uint32_t *words = read_words(gltf, buffers, own, key, count);
    float *floats = words ? gltf_scene_array(gltf, count, sizeof *floats) : NULL;
    for (uint64_t i = 0; floats && i < count; i++) {
        memcpy(&floats[i], &words[i], sizeof *floats);
        if (!isfinite(floats[i]))
            return NULL;
    }
    return floats;
}

/* ---- faces ---- */

/* Reads triangles as they are drawn, without the vertices that were split off others for made normals. */
static bool read_split(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t faces, cp_mesh *mesh, uint64_t drawn)
{
    uint64_t own = gltf_integer(gltf, faces, "vertices", 0), count = words_in_view(gltf, buffers, faces, "split");
    if (gltf_integer(gltf, faces, "drawn", 0) != drawn || mesh->corner_count != drawn || mesh->face_offsets ||
        own > mesh->vertex_count || mesh->vertex_count - own != count)
        return false;
    uint32_t *from = read_words(gltf, buffers, faces, "split", count);
    uint32_t *corners = from ? gltf_scene_array(gltf, mesh->corner_count, sizeof *corners) : NULL;
    if (!corners)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (from[i] >= own)
            return false;
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        corners[i] = mesh->corners[i] < own ? mesh->corners[i] : from[mesh->corners[i] - own];
    mesh->vertex_count = (uint32_t)own;
    mesh->corners = corners;
    return true;
}

/* Reads the faces of the extras if they fit the primitives. */
static bool read_faces(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t faces, cp_mesh *mesh, uint64_t drawn)
{
    uint64_t face_count = words_in_view(gltf, buffers, faces, "sizes"),
             corner_count = words_in_view(gltf, buffers, faces, "corners");
    if (gltf_integer(gltf, faces, "drawn", 0) != drawn || face_count >= UINT32_MAX || corner_count >= UINT32_MAX)
        return false;
    uint32_t *sizes = read_words(gltf, buffers, faces, "sizes", face_count);
    uint32_t *corners = read_words(gltf, buffers, faces, "corners", corner_count);
    uint32_t *offsets = sizes && corners ? gltf_scene_array(gltf, face_count + 1, sizeof *offsets) : NULL;
    if (!offsets)
        return false;
    /* Turn sizes into offsets: they must add up to the corners, and none may be too small. */
    uint32_t least = mesh->kind == CP_MESH_LINES ? 2 : 3;
    uint64_t at = 0;
    for (uint64_t i = 0; i < face_count; i++) {
        offsets[i] = (uint32_t)at;
        at += sizes[i];
        if (sizes[i] < least || at > corner_count)
            return false;
    }
    offsets[face_count] = (uint32_t)at;
    uint64_t vertices = gltf_integer(gltf, faces, "vertices", mesh->vertex_count);
    if (at != corner_count || vertices > mesh->vertex_count)
        return false;
    for (uint64_t i = 0; i < corner_count; i++)
        if (corners[i] >= vertices)
            return false;
    mesh->vertex_count = (uint32_t)vertices; /* the vertices behind them were split off for made normals */
    mesh->face_count = (uint32_t)face_count;
    mesh->corner_count = (uint32_t)corner_count;
    mesh->face_offsets = offsets;
    mesh->corners = corners;
    return true;
}

/* ---- groups ---- */

/* Reads the groups [first_face, face_count, "material id" | null], one behind the other; false when they do not cover
 * the faces. */
static bool read_groups(struct gltf *gltf, const struct gltf_ids *ids, uint32_t array, cp_mesh *mesh)
{
    const struct json_document *json = &gltf->json;
    uint32_t count = json_count(json, array), next = 0;
    cp_group *groups = gltf_scene_array(gltf, count, sizeof *groups), *group = groups;
    for (uint32_t at = json_first(json, array); groups && at != JSON_NONE; at = json_next(json, array, at), group++) {
        if (!json_is(json, at, JSON_ARRAY) || json_count(json, at) != 3)
            return false;
        uint32_t first = json_first(json, at), size = json_next(json, at, first), material = json_next(json, at, size);
        double faces = json_to_number(json, size);
        if (json_to_number(json, first) != next || !(faces >= 0 && faces <= mesh->face_count - next) ||
            floor(faces) != faces)
            return false;
        *group = (cp_group){next, (uint32_t)faces, CP_NONE};
        if (!json_is(json, material, JSON_NULL))
            group->material = own_find(gltf, ids, TABLE_MATERIALS, material);
        next += group->face_count;
    }
    if (!groups || next != mesh->face_count)
        return false;
    mesh->groups = groups;
    mesh->group_count = count;
    return true;
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

/* Returns true if the drawn mesh may be the picture of the primitive: tools that join or bake meshes keep the extras of
 * one of them. */
static bool shows_primitive(struct gltf *gltf, const cp_mesh *drawn, const cp_mesh *primitive)
{
    enum { MOST_SIDES = 1024 }; /* a primitive is tessellated only for a comparison */
    if (drawn->vertex_count == 0 || primitive->sides > MOST_SIDES)
        return true;
    cp_mesh faces = *primitive;
    cp_scene *scratch = scene_new(gltf->context);
    if (!scratch)
        gltf_no_memory(gltf);
    bool shows = scratch && mesh_triangle_count(primitive) == mesh_triangle_count(drawn) &&
                 mesh_tessellate(scratch, &faces) == CP_OK;
    if (shows) {
        struct bounds a = bounds_of(&faces), b = bounds_of(drawn);
        for (int i = 0; i < 3; i++) {
            double most = 1e-5 * fmax(fabs(a.lower[i]), fabs(a.upper[i]));
            shows = shows && !(fabs(a.lower[i] - b.lower[i]) > most || fabs(a.upper[i] - b.upper[i]) > most);
        }
    }
    cp_scene_free(scratch);
    return shows;
}

/* ---- whole meshes ---- */

/* Makes the primitive, such as a box or cylinder, that our extras say; the mesh that is drawn for it is dropped. Its
 * groups have materials, but no faces. */
static void read_primitive(struct gltf *gltf, uint32_t own, const cp_mesh *said, cp_mesh *mesh)
{
    cp_group *groups = gltf_scene_array(gltf, mesh->group_count, sizeof *groups);
    cp_mesh primitive = *said;
    primitive.vertex_count = primitive.face_count = primitive.corner_count = 0;
    primitive.corners = primitive.face_offsets = NULL;
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        mesh_set_array(&primitive, i, NULL);
    if (gltf->status != CP_OK || json_member(&gltf->json, own, "size") == JSON_NONE)
        return;
    if (!shows_primitive(gltf, mesh, &primitive)) {
        gltf_loss(gltf, LOSS_CHANGED_MESHES, 1);
        return;
    }
    for (uint32_t i = 0; i < mesh->group_count; i++)
        groups[i] = (cp_group){0, 0, mesh->groups[i].material};
    primitive.groups = groups;
    primitive.group_count = mesh->group_count;
    *mesh = primitive;
}

static void read_geometry(struct gltf *gltf, const struct gltf_ids *ids, struct gltf_buffers *buffers, uint32_t own,
                          cp_mesh *mesh, uint64_t drawn)
{
    uint32_t faces = gltf_object(gltf, own, "faces");
    bool split = json_member(&gltf->json, faces, "split") != JSON_NONE;
    bool fits = faces == JSON_NONE ||
                (split ? read_split(gltf, buffers, faces, mesh, drawn) : read_faces(gltf, buffers, faces, mesh, drawn));
    uint32_t groups = gltf_array(gltf, own, "groups");
    gltf_loss(gltf, LOSS_CHANGED_MESHES, !fits);
    if (groups == JSON_NONE || !fits || !read_groups(gltf, ids, groups, mesh)) {
        /* Keep the groups of the primitives if they cover the faces. */
        uint64_t covered = 0;
        for (uint32_t i = 0; i < mesh->group_count; i++)
            covered += mesh->groups[i].face_count;
        if (mesh->group_count > 0 && covered != mesh->face_count) {
            mesh->group_count = 0;
            gltf_loss(gltf, LOSS_CHANGED_GROUPS, 1);
        }
    }
    static const char *const keys[ARRAY_COUNT] = {[ARRAY_NORMALS] = "normals",
                                                  [ARRAY_TANGENTS] = "tangents",
                                                  [ARRAY_COLOURS] = "colours",
                                                  [ARRAY_COORDINATES] = "coordinates",
                                                  [ARRAY_COORDINATES + 1] = "coordinates_2"};
    for (size_t i = ARRAY_NORMALS; i < ARRAY_COUNT; i++) {
        const float *values = NULL;
        if (json_member(&gltf->json, own, keys[i]) != JSON_NONE)
            values = read_floats(gltf, buffers, own, keys[i], vertex_arrays[i].width * mesh->vertex_count);
        if (values)
            mesh_set_array(mesh, i, values);
    }
    if (!mesh->normals) /* another tool changed them */
        mesh->tangents = NULL;
}

void own_read_mesh(struct gltf *gltf, const struct gltf_ids *ids, struct gltf_buffers *buffers, struct gltf_mesh *entry,
                   uint64_t drawn)
{
    cp_mesh *mesh = &entry->mesh, said = *mesh;
    uint32_t own = entry->own;
    said.kind = CP_MESH_FACES;
    (void)own_read_row(gltf, ids, own, TABLE_MESHES, &said);
    const cp_mesh_kind kind = said.kind, drawn_kind = mesh->kind;
    *mesh = said;
    mesh->kind = drawn_kind;
    mesh->sides = 0; /* that and the size are a primitive's alone */
    memset(mesh->size, 0, sizeof mesh->size);
    bool quantised = json_member(&gltf->json, own, "quantised") != JSON_NONE; /* as our own writer did */
    bool changed = entry->requantised && !quantised;
    if (!changed && kind >= CP_MESH_BOX)
        read_primitive(gltf, own, &said, mesh);
    else if (!changed && kind == mesh->kind)
        read_geometry(gltf, ids, buffers, own, mesh, drawn);
    else
        gltf_loss(gltf, LOSS_CHANGED_MESHES, 1);
    if (mesh->kind >= CP_MESH_BOX && json_member(&gltf->json, own, "groups") != JSON_NONE)
        (void)read_groups(gltf, ids, gltf_array(gltf, own, "groups"), mesh);
}

struct gltf_mesh own_undrawn_mesh(struct gltf *gltf, const struct gltf_ids *ids, struct gltf_buffers *buffers,
                                  uint32_t value)
{
    struct gltf_mesh entry = {.own = value, .value = value};
    cp_mesh *mesh = &entry.mesh;
    uint64_t vertices = gltf_integer(gltf, value, "vertices", 0);
    entry.position = own_position(gltf, value, 0);
    mesh->name = gltf_text(gltf, value, "name");
    if (json_string_equals(&gltf->json, json_member(&gltf->json, value, "kind"), "lines"))
        mesh->kind = CP_MESH_LINES;
    if (vertices > 0 && vertices < UINT32_MAX)
        mesh->positions = read_floats(gltf, buffers, value, "positions", 3 * vertices);
    if (mesh->positions)
        mesh->vertex_count = (uint32_t)vertices;
    else
        gltf_loss(gltf, LOSS_CHANGED_MESHES, vertices > 0);
    own_read_mesh(gltf, ids, buffers, &entry, 0);
    return entry;
}

/* Triangles with colours: collects them, and makes a mesh of them. */
#include "painted.h"

#include <stdio.h>

#include "mesh/join.h"
#include "mesh/mesh.h"
#include "model/model.h"

/* ---- collecting ---- */

static cp_status refuse_size(struct painted *painted, struct place at)
{
    return report_error(painted->context, CP_LIMIT, painted->size_code, at,
                        "more vertices or triangles than the limit of %llu (--limit vertices=)",
                        (unsigned long long)limit_vertices(painted->context));
}

/* Keeps the place as the text gives it. Ordinary meshes stop early: see find_far_origin. */
static bool keep_place(struct painted *painted, const double place[3])
{
    enum { FIRST_TEST = 256 };
    uint32_t count = painted->vertex_count;
    double origin[3];
    if (count >= FIRST_TEST && (count & (count - 1)) == 0 && !painted->is_near)
        painted->is_near = !find_far_origin(painted->positions, count, origin);
    if (painted->is_near)
        return true;
    if (!array_reserve(painted->context, &painted->places, &painted->place_room, count + UINT64_C(1),
                       3 * sizeof *place))
        return false;
    memcpy(painted->places + 3 * (size_t)count, place, 3 * sizeof *place);
    return true;
}

cp_status painted_add_vertex(struct painted *painted, const float position[3], const double place[3], struct place at)
{
    if (painted->vertex_count == UINT32_MAX - 1 || ++*painted->vertices > limit_vertices(painted->context))
        return refuse_size(painted, at);
    if (!array_reserve(painted->context, &painted->positions, &painted->vertex_room,
                       painted->vertex_count + UINT64_C(1), 3 * sizeof *position) ||
        !keep_place(painted, place))
        return CP_LIMIT;
    memcpy(painted->positions + 3 * (size_t)painted->vertex_count++, position, 3 * sizeof *position);
    return CP_OK;
}

/* Makes room for the paints of all triangles; those that have none so far are unpainted. */
static bool paint_triangles(struct painted *painted, uint32_t first)
{
    if (!array_reserve(painted->context, &painted->paints, &painted->paint_room, painted->face_count,
                       sizeof *painted->paints))
        return false;
    for (uint32_t i = first; i < painted->face_count; i++)
        painted->paints[i] = UNPAINTED;
    return true;
}

cp_status painted_add_triangle(struct painted *painted, const uint32_t corners[3], struct place at)
{
    if ((corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) &&
        painted->degenerate++ == 0)
        painted->degenerate_line = at.line;
    if (painted->face_count == UINT32_MAX / 3 - 1 || painted->face_count > limit_vertices(painted->context))
        return refuse_size(painted, at);
    if (!array_reserve(painted->context, &painted->corners, &painted->face_room, painted->face_count + UINT64_C(1),
                       3 * sizeof *corners))
        return CP_LIMIT;
    memcpy(painted->corners + 3 * (size_t)painted->face_count++, corners, 3 * sizeof *corners);
    return !painted->paints || paint_triangles(painted, painted->face_count - 1) ? CP_OK : CP_LIMIT;
}

bool painted_set_paint(struct painted *painted, uint32_t face, const struct paint *paint)
{
    if (!painted->paints && !paint_triangles(painted, 0))
        return false;
    painted->paints[face] = *paint;
    return true;
}

void painted_free(struct painted *painted)
{
    cp_context *context = painted->context;
    memory_free(context, painted->positions, painted->vertex_room, 3 * sizeof *painted->positions);
    memory_free(context, painted->places, painted->place_room, 3 * sizeof *painted->places);
    memory_free(context, painted->corners, painted->face_room, 3 * sizeof *painted->corners);
    memory_free(context, painted->paints, painted->paint_room, sizeof *painted->paints);
}

/* ---- colours ---- */

/* Returns the material of the colour, made when it is first met; CP_NONE for no colour, and when out of memory. */
static uint32_t material_of(cp_scene *scene, struct colour *colours, uint32_t index)
{
    struct colour *colour = index == CP_NONE ? NULL : &colours[index];
    if (!colour || colour->material != CP_NONE)
        return colour ? colour->material : CP_NONE;
    char number[10];
    unsigned bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned)(colour->rgba[i] * 255 + 0.5) & 0xff;
    (void)snprintf(number, sizeof number, bytes[3] == 255 ? "#%02x%02x%02x" : "#%02x%02x%02x%02x", bytes[0], bytes[1],
                   bytes[2], bytes[3]);
    colour->material = scene_add_material(scene, *colour->name ? colour->name : number, colour->rgba, true);
    return colour->material;
}

/* Tells whether every triangle has one colour, or none. */
static bool is_flat(const struct painted *painted)
{
    bool flat = true;
    for (uint32_t i = 0; painted->paints && flat && i < painted->face_count; i++) {
        const uint32_t *colours = painted->paints[i].colours;
        flat = colours[0] == colours[1] && colours[0] == colours[2];
    }
    return flat;
}

/* Makes groups of consecutive triangles of one colour. */
static bool add_groups(struct painted *painted, cp_scene *scene, struct colour *colours, cp_mesh *mesh)
{
    uint32_t runs = 1;
    for (uint32_t i = 1; i < mesh->face_count; i++)
        runs += painted->paints[i].colours[0] != painted->paints[i - 1].colours[0];
    cp_group *groups = scene_allocate(scene, runs, sizeof *groups), *group = groups;
    for (uint32_t i = 0; groups && i < mesh->face_count; i++) {
        uint32_t colour = painted->paints[i].colours[0];
        if (i == 0 || colour != painted->paints[i - 1].colours[0]) {
            group = i == 0 ? groups : group + 1;
            *group = (cp_group){.first_face = i, .material = material_of(scene, colours, colour)};
            if (colour != CP_NONE && group->material == CP_NONE)
                return false;
        }
        group->face_count++;
    }
    mesh->groups = groups;
    mesh->group_count = runs;
    return groups != NULL;
}

/* Numbers the corners anew, in the scene's memory: those of one vertex and one colour get one number. rows: room for
 * two numbers for each corner, the vertex and the colour. Returns NULL when out of memory. */
static uint32_t *join_corners(const struct painted *painted, cp_scene *scene, uint32_t *rows, uint32_t count)
{
    uint32_t *numbers = scene_allocate(scene, count, sizeof *numbers);
    for (uint32_t i = 0; numbers && i < count; i++) {
        rows[2 * (size_t)i] = painted->corners[i];
        rows[2 * (size_t)i + 1] = painted->paints[i / 3].colours[i % 3];
    }
    return numbers && join_rows(painted->context, rows, 2, 2, count, numbers) ? numbers : NULL;
}

/* A corner without a colour is grey, as it is in meshes without colours. */
static void set_colour(const struct colour *colour, float rgba[4])
{
    for (int k = 0; k < 4; k++) {
        double c = colour ? colour->rgba[k] : k == 3 ? 1 : PLAIN_GREY;
        rgba[k] = (float)(k == 3 ? c : linear_from_srgb(c));
    }
}

/* Gives the colours to corners, each with a vertex of its own, as some triangle goes from one colour to another. */
static bool add_vertex_colours(struct painted *painted, cp_scene *scene, const struct colour *colours, cp_mesh *mesh)
{
    uint32_t count = mesh->corner_count, *rows = memory_allocate(painted->context, count, 2 * sizeof *rows);
    uint32_t *numbers = rows ? join_corners(painted, scene, rows, count) : NULL;
    uint32_t vertices = numbers ? join_number(numbers, count) : 0;
    float *positions = numbers ? scene_allocate(scene, vertices, 3 * sizeof *positions) : NULL;
    float *normals = positions && painted->normals ? scene_allocate(scene, vertices, 3 * sizeof *normals) : NULL;
    float *shades = positions ? scene_allocate(scene, vertices, 4 * sizeof *shades) : NULL;
    bool done = shades && (normals || !painted->normals);
    for (uint32_t i = 0; done && i < count; i++) {
        size_t from = 3 * (size_t)rows[2 * (size_t)i], to = 3 * (size_t)numbers[i];
        uint32_t colour = rows[2 * (size_t)i + 1];
        memcpy(positions + to, painted->positions + from, 3 * sizeof *positions);
        if (normals)
            memcpy(normals + to, painted->normals + from, 3 * sizeof *normals);
        set_colour(colour == CP_NONE ? NULL : &colours[colour], shades + 4 * (size_t)numbers[i]);
    }
    memory_free(painted->context, rows, count, 2 * sizeof *rows);
    mesh->vertex_count = vertices;
    mesh->positions = positions;
    mesh->normals = normals;
    mesh->colours = shades;
    mesh->corners = numbers;
    return done;
}

/* ---- the mesh ---- */

/* Takes the coordinates of a mesh far from the origin from the text's numbers, from an origin of its own. */
static void move_near(struct painted *painted, double origin[3])
{
    if (painted->is_near || !find_far_origin(painted->positions, painted->vertex_count, origin))
        return;
    for (size_t i = 0; i < 3 * (size_t)painted->vertex_count; i++)
        painted->positions[i] = near_origin(painted->places[i], origin[i % 3]);
}

/* Hands the arrays over as they are. */
static bool keep_arrays(struct painted *painted, cp_scene *scene, cp_mesh *mesh)
{
    mesh->normals = painted->normals;
    mesh->positions =
        scene_keep_array(scene, &painted->positions, &painted->vertex_room, painted->vertex_count, 3 * sizeof(float));
    mesh->corners =
        scene_keep_array(scene, &painted->corners, &painted->face_room, painted->face_count, 3 * sizeof(uint32_t));
    return mesh->positions && mesh->corners;
}

uint32_t painted_finish(struct painted *painted, cp_scene *scene, struct colour *colours, const char *name,
                        double origin[3])
{
    cp_mesh mesh = {.name = name,
                    .source = scene->source.file,
                    .kind = CP_MESH_FACES,
                    .vertex_count = painted->vertex_count,
                    .face_count = painted->face_count,
                    .corner_count = 3 * painted->face_count};
    move_near(painted, origin);
    bool done;
    if (is_flat(painted))
        done = (!painted->paints || add_groups(painted, scene, colours, &mesh)) && keep_arrays(painted, scene, &mesh);
    else
        done = add_vertex_colours(painted, scene, colours, &mesh);
    return done ? scene_add_mesh(scene, &mesh) : CP_NONE;
}

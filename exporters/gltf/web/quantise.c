/* Turns floats into integers: positions on a grid over the mesh's largest side, normals on the octahedron, colours as
 * bytes. */
#include "web.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/join.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "motion/motion.h"

/* ---- how much a mesh grows in the world ---- */

/* Returns the largest singular value, enlarged by a bound of the rounding: the root of the largest eigenvalue of A^T A
 * (trigonometric solution for a symmetric matrix of three rows, O. K. Smith, 1961). */
static double stretch_of(const cp_pose *pose)
{
    double s[3][3], off = 0, spread = 0, determinant;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            s[i][k] = pose->m[i] * pose->m[k] + pose->m[4 + i] * pose->m[4 + k] + pose->m[8 + i] * pose->m[8 + k];
            off += i < k ? s[i][k] * s[i][k] : 0;
        }
    double mean = (s[0][0] + s[1][1] + s[2][2]) / 3;
    for (int i = 0; i < 3; i++) {
        s[i][i] -= mean;
        spread += s[i][i] * s[i][i];
    }
    double radius = sqrt((spread + 2 * off) / 6);
    if (!(radius > 0))
        return sqrt(mean) * (1 + 1e-12);
    determinant = s[0][0] * (s[1][1] * s[2][2] - s[1][2] * s[1][2]) -
                  s[0][1] * (s[0][1] * s[2][2] - s[1][2] * s[0][2]) + s[0][2] * (s[0][1] * s[1][2] - s[1][1] * s[0][2]);
    double cosine = fmax(-1, fmin(1, determinant / (2 * radius * radius * radius)));
    return sqrt(mean + 2 * radius * cos(acos(cosine) / 3)) * (1 + 1e-7);
}

/* ---- the grid ---- */

struct quantised_grid {
    double origin[3], step;
};

/* Rounds to a decimal of so many places. */
static double to_decimal(double value, int places, double (*round_to)(double))
{
    double power = pow(10, abs(places));
    return places >= 0 ? round_to(value * power) / power : round_to(value / power) * power;
}

/* Finds the grid over the vertices that faces use. Its step and origin have few digits, since every instance writes
 * them: the step grows by a few ten thousandths. */
static struct quantised_grid find_grid(const cp_mesh *mesh, uint32_t bits)
{
    /* The range of sizes in which such decimals are well within the digits of doubles. */
    static const double least_short = 1e-9, most_short = 1e12;
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < mesh->corner_count; i++) {
        const float *position = mesh->positions + 3 * (size_t)mesh->corners[i];
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = position[axis] < low[axis] ? position[axis] : low[axis];
            high[axis] = position[axis] > high[axis] ? position[axis] : high[axis];
        }
    }
    double size = 0, steps = (double)((1U << bits) - 1);
    for (int axis = 0; axis < 3; axis++)
        size = fmax(size, (double)high[axis] - (double)low[axis]);
    struct quantised_grid grid = {{(double)low[0], (double)low[1], (double)low[2]}, size > 0 ? size / steps : 1};
    if (size >= least_short && size <= most_short) {
        int places = 2 - (int)floor(log10(size / steps)); /* rounds to a hundredth of a step */
        grid.step = to_decimal((size + pow(10, -places)) / steps, places + 2, ceil);
        for (int axis = 0; axis < 3; axis++)
            grid.origin[axis] = to_decimal(grid.origin[axis], places, floor);
    }
    return grid;
}

/* Returns half the diagonal of a cell. */
static double cell_of(const struct quantised_grid *grid)
{
    return grid->step * sqrt(0.75);
}

/* ---- places ---- */

/* Finds the stretches of all meshes, and their uneven instances. */
static bool find_stretches(cp_scene *scene, const cp_pose *worlds, struct web_place *places)
{
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_pose pose = pose_multiply(&worlds[instance->node], &instance->transform);
        struct web_place *place = &places[instance->mesh];
        double stretch = stretch_of(&pose);
        place->stretch = fmax(place->stretch, stretch);
        if (web_is_uneven(&pose))
            place->uneven_count++, count++;
        else
            place->even_stretch = fmax(place->even_stretch, stretch);
    }
    cp_pose *uneven = scene_allocate(scene, count, sizeof *uneven);
    for (uint32_t i = 0; i < scene->mesh_count && uneven; i++) {
        places[i].uneven = uneven + next;
        next += places[i].uneven_count;
        places[i].uneven_count = 0;
    }
    for (uint32_t i = 0; i < scene->instance_count && uneven && count > 0; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_pose pose = pose_multiply(&worlds[instance->node], &instance->transform);
        struct web_place *place = &places[instance->mesh];
        if (web_is_uneven(&pose))
            uneven[(place->uneven - uneven) + place->uneven_count++] = pose;
    }
    return uneven;
}

struct web_place *web_place_meshes(cp_scene *scene, uint32_t bits, double most)
{
    struct web_place *places = arena_allocate_zeroed(scene->arena, scene->mesh_count, sizeof *places);
    cp_pose *worlds = memory_allocate(scene->context, scene->node_count, sizeof *worlds);
    bool good = places && worlds && scene_world_poses(scene->context, scene, NULL, worlds) == CP_OK &&
                find_stretches(scene, worlds, places);
    memory_free(scene->context, worlds, scene->node_count, sizeof *worlds);
    for (uint32_t i = 0; i < scene->mesh_count && good; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        struct web_place *place = &places[i];
        if (mesh->corner_count == 0)
            continue;
        place->bits = bits ? bits : WEB_BITS;
        struct quantised_grid grid = find_grid(mesh, place->bits);
        while (!bits && most > 0 && place->bits < WEB_MOST_BITS && cell_of(&grid) * place->stretch > most)
            grid = find_grid(mesh, ++place->bits);
        place->cell = cell_of(&grid);
    }
    return good ? places : NULL;
}

/* ---- vertices ---- */

/* Writes the words of a vertex' coordinates. */
static void quantise_coordinates(const float uv[2], const struct web_coordinates *set, uint32_t out[2])
{
    for (int i = 0; i < 2 && set->integers; i++) { /* unused vertices lie anywhere */
        double place = floor(((double)uv[i] - set->origin[i]) / set->step + 0.5);
        out[0] |= (place < 0 ? 0 : place > UINT16_MAX ? UINT16_MAX : (uint32_t)place) << 16 * i;
    }
    for (int i = 0; i < 2 && !set->integers; i++) {
        float value = uv[i] + 0.0F; /* -0 becomes +0 */
        memcpy(&out[i], &value, sizeof value);
    }
}

/* Quantises a vertex into `out`, zeroed words of which there are as many as a vertex of the mesh has. */
static void quantise_vertex(const cp_mesh *mesh, const struct quantised_grid *grid, size_t index, uint32_t *out)
{
    uint32_t places[3];
    for (size_t axis = 0; axis < 3; axis++) { /* unused vertices lie anywhere */
        double place = floor(((double)mesh->positions[3 * index + axis] - grid->origin[axis]) / grid->step + 0.5);
        places[axis] = place < 0 ? 0 : place > UINT16_MAX ? UINT16_MAX : (uint32_t)place;
    }
    out[0] = places[0] | places[1] << 16;
    out[1] = places[2] | (mesh->normals ? web_encode_normal(mesh->normals + 3 * index) << 16 : 0);
    if (mesh->tangents) {
        const float *tangent = mesh->tangents + 4 * index;
        out[WEB_TANGENT] = web_encode_normal(tangent) | (tangent[3] < 0 ? 129U : 127U) << 24; /* 129: -127 */
    }
    for (size_t i = 0; mesh->colours && i < 4; i++) {
        float value = mesh->colours[4 * index + i];
        out[2] |= (value > 0 ? (uint32_t)((value < 1 ? value : 1.0F) * 255 + 0.5F) : 0) << 8 * i;
    }
}

/* Returns the cosine between a normal and its code's; 1 for one without direction. */
static double cosine_to_code(const float normal[3], uint32_t code)
{
    signed char n[3];
    double along = 0, length = 0, coded = 0;
    web_decode_normal(code, n);
    for (int i = 0; i < 3; i++) {
        along += (double)normal[i] * n[i];
        length += (double)normal[i] * (double)normal[i];
        coded += (double)n[i] * n[i];
    }
    return length > 0 && isfinite(length) ? along / sqrt(length * coded) : 1;
}

/* ---- faces ---- */

static bool same_place(const uint32_t *a, const uint32_t *b)
{
    return a[0] == b[0] && ((a[1] ^ b[1]) & 0xffff) == 0;
}

static bool is_collapsed(const struct web_mesh *web, const uint32_t triangle[3])
{
    const uint32_t *a = web_vertex(web, triangle[0]), *b = web_vertex(web, triangle[1]),
                   *c = web_vertex(web, triangle[2]);
    return same_place(a, b) || same_place(b, c) || same_place(c, a);
}

/* Sorts the groups so that those of one material are together, in the order of first use. */
static bool sort_groups(cp_scene *scene, const cp_mesh *mesh, struct web_mesh *web)
{
    cp_context *context = scene->context;
    cp_group whole = {0, mesh->face_count, CP_NONE};
    const cp_group *groups = mesh->group_count ? mesh->groups : &whole;
    uint32_t count = mesh->group_count ? mesh->group_count : 1, used = 0;
    size_t materials = (size_t)scene->material_count + 1, rooms = (size_t)count + 1;
    uint32_t *slots = memory_allocate_zeroed(context, materials, sizeof *slots);
    uint32_t *starts = memory_allocate_zeroed(context, rooms, sizeof *starts);
    web->groups = scene_allocate(scene, count, sizeof *web->groups);
    web->group_count = count;
    bool good = slots && starts && web->groups;
    for (uint32_t i = 0; i < count && good; i++) {
        uint32_t *slot = &slots[groups[i].material + 1]; /* CP_NONE + 1 is 0 */
        *slot = *slot ? *slot : ++used;
        starts[*slot]++;
    }
    for (uint32_t slot = 1; slot <= used; slot++)
        starts[slot] += starts[slot - 1];
    for (uint32_t i = 0; i < count && good; i++)
        web->groups[starts[slots[groups[i].material + 1] - 1]++] = groups[i];
    memory_free(context, slots, materials, sizeof *slots);
    memory_free(context, starts, rooms, sizeof *starts);
    return good;
}

static bool quantise_faces(cp_scene *scene, const cp_mesh *mesh, struct web_mesh *web)
{
    cp_context *context = scene->context;
    uint32_t *first = memory_allocate(context, mesh->vertex_count, sizeof *first);
    web->corners = scene_allocate(scene, mesh->corner_count, sizeof *web->corners);
    bool good = first && web->corners && sort_groups(scene, mesh, web) &&
                join_rows(context, web->vertices, web->words, web->words, mesh->vertex_count, first);
    uint32_t count = 0;
    for (uint32_t i = 0; good && i < web->group_count; i++) {
        /* Keep the triangles that have three different places, behind those kept so far. */
        const cp_group *group = &web->groups[i];
        uint32_t kept = web->corner_count / 3, end = group->first_face + group->face_count;
        for (uint32_t face = group->first_face; face < end; face++) {
            uint32_t *out = web->corners + web->corner_count;
            for (int k = 0; k < 3; k++)
                out[k] = first[mesh->corners[3 * (size_t)face + (size_t)k]];
            if (is_collapsed(web, out))
                web->collapsed++;
            else
                web->corner_count += 3;
        }
        /* Join groups of one material, which are one draw call. */
        uint32_t faces = web->corner_count / 3 - kept;
        if (count > 0 && web->groups[count - 1].material == group->material)
            web->groups[count - 1].face_count += faces;
        else
            web->groups[count++] = (cp_group){kept, faces, group->material};
    }
    web->group_count = good ? count : web->group_count;
    memory_free(context, first, mesh->vertex_count, sizeof *first);
    return good && web_order(context, web);
}

/* ---- what is off where directions are stretched unlike ---- */

/* The rounding of decoders, in radians: they may round a component of a normal to the other side, which is half a step
 * of 127 more. */
static const double rounding = 0.5 * 1.7320508075688772 / 127;

/* Returns the angle between two normals after the matrix, with the rounding of decoders; 0 if the matrix flattens
 * one. */
static double angle_of(const double matrix[3][3], double stretch, const float normal[3], uint32_t code)
{
    signed char n[3];
    double a[3], b[3], across[3];
    web_decode_normal(code, n);
    for (int row = 0; row < 3; row++) {
        a[row] = b[row] = 0;
        for (int i = 0; i < 3; i++) {
            a[row] += matrix[row][i] * (double)normal[i];
            b[row] += matrix[row][i] * n[i] / 127;
        }
    }
    double length = sqrt(dot_product(b, b));
    if (!(length > 0) || !(dot_product(a, a) > 0))
        return 0;
    cross_product(a, b, across);
    double angle = atan2(sqrt(dot_product(across, across)), dot_product(a, b));
    return fmin(PI, angle + rounding * stretch / length);
}

/* Measures the world's distances and angles at this place. */
static void measure_uneven(const cp_mesh *mesh, const cp_pose *pose, struct web_mesh *web)
{
    double matrix[3][3], linear[3][3], square = 0, most = 0;
    cp_pose turn = POSE_IDENTITY;
    mesh_normal_matrix(pose, matrix);
    for (int i = 0; i < 9; i++) {
        turn.m[4 * (i / 3) + i % 3] = matrix[i / 3][i % 3];
        linear[i / 3][i % 3] = pose->m[4 * (i / 3) + i % 3];
    }
    double stretch = pose_stretch_bound(&turn), length = pose_stretch_bound(pose);
    for (uint32_t i = 0; i < mesh->corner_count; i++) {
        uint32_t vertex = mesh->corners[i];
        const uint32_t *words = web_vertex(web, vertex);
        double place[3] = {words[0] & 0xffff, words[0] >> 16, words[1] & 0xffff}, off = 0;
        pose_point(&web->grid, place, place);
        for (size_t axis = 0; axis < 3; axis++)
            place[axis] -= (double)mesh->positions[3 * (size_t)vertex + axis];
        for (size_t row = 0; row < 3; row++) {
            double moved = dot_product(&pose->m[4 * row], place);
            off += moved * moved;
        }
        square = fmax(square, off);
        if (mesh->normals)
            most = fmax(most, angle_of((const double(*)[3])matrix, stretch, mesh->normals + 3 * (size_t)vertex,
                                       words[1] >> 16));
        if (mesh->tangents)
            most = fmax(most, angle_of((const double(*)[3])linear, length, mesh->tangents + 4 * (size_t)vertex,
                                       words[WEB_TANGENT] & 0xffff));
    }
    web->position = fmax(web->position, sqrt(square) * (1 + 1e-9));
    web->normal = fmax(web->normal, most);
}

/* ---- the mesh ---- */

/* Threads quantise these, ITEM_VERTICES at a time. */
struct vertices {
    const cp_mesh *mesh;
    const struct quantised_grid *grid;
    const struct web_coordinates *sets;
    const struct web_mesh *web;
    double least[CP_MOST_THREADS]; /* the least cosine between a normal or tangent and its code's */
};
enum { ITEM_VERTICES = 8192 };

static void quantise_item(void *user, uint32_t item, uint32_t worker)
{
    struct vertices *vertices = user;
    const cp_mesh *mesh = vertices->mesh;
    double least = vertices->least[worker];
    uint32_t first = item * ITEM_VERTICES, left = mesh->vertex_count - first;
    for (uint32_t i = first; i < first + (left < ITEM_VERTICES ? left : ITEM_VERTICES); i++) {
        uint32_t *words = web_vertex(vertices->web, i);
        memset(words, 0, vertices->web->words * sizeof *words);
        quantise_vertex(mesh, vertices->grid, i, words);
        for (size_t set = 0; set < CP_COORDINATE_SETS; set++)
            if (mesh->coordinates[set])
                quantise_coordinates(mesh->coordinates[set] + 2 * (size_t)i, &vertices->sets[set],
                                     words + WEB_COORDINATES + 2 * set);
        if (mesh->normals)
            least = fmin(least, cosine_to_code(mesh->normals + 3 * (size_t)i, words[1] >> 16));
        if (mesh->tangents)
            least = fmin(least, cosine_to_code(mesh->tangents + 4 * (size_t)i, words[WEB_TANGENT] & 0xffff));
    }
    vertices->least[worker] = least;
}

bool web_quantise(cp_scene *scene, const cp_mesh *mesh, const struct web_place *place,
                  const struct web_coordinates *sets, struct web_mesh *web)
{
    struct quantised_grid grid = find_grid(mesh, place->bits);
    const double *o = grid.origin, step = grid.step;
    *web = (struct web_mesh){.vertex_count = mesh->vertex_count,
                             .has_normals = mesh->normals != NULL,
                             .words = mesh->colours ? WEB_COORDINATES : WEB_COORDINATES - 1,
                             .grid = {{step, 0, 0, o[0], 0, step, 0, o[1], 0, 0, step, o[2]}}};
    for (uint32_t set = 0; set < CP_COORDINATE_SETS; set++)
        if (mesh->coordinates[set])
            web->words = WEB_COORDINATES + 2 * set + (sets[set].integers ? 1 : 2);
    if (mesh->tangents)
        web->words = WEB_WORDS;
    web->vertices = scene_allocate(scene, mesh->vertex_count, web->words * sizeof *web->vertices);
    if (!web->vertices)
        return false;
    struct vertices vertices = {.mesh = mesh, .grid = &grid, .sets = sets, .web = web};
    double least = 1;
    for (uint32_t i = 0; i < CP_MOST_THREADS; i++)
        vertices.least[i] = 1;
    uint32_t items = mesh->vertex_count / ITEM_VERTICES + (mesh->vertex_count % ITEM_VERTICES > 0);
    if (!parallel_for(scene->context, items, quantise_item, &vertices))
        return false;
    for (uint32_t i = 0; i < CP_MOST_THREADS; i++)
        least = fmin(least, vertices.least[i]);
    web->position = place->even_stretch * cell_of(&grid) * (1 + 1e-9); /* and what doubles lose */
    web->normal = mesh->normals ? acos(fmax(-1, least)) + rounding : 0;
    for (uint32_t i = 0; i < place->uneven_count; i++)
        measure_uneven(mesh, &place->uneven[i], web);
    return mesh->kind == CP_MESH_LINES || quantise_faces(scene, mesh, web);
}

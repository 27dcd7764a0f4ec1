/* First equal meshes by a hash of all they are; then, among those left, lookalikes by fingerprints that moving does not
 * change. Whatever hashes and fingerprints say, nothing counts as a copy before every vertex and face has been
 * compared. */
#include "copies.h"
#include "../../context.h"
#include "../../motion/mechanism.h"
#include "../../pose.h"
#include "../mesh.h"
#include "align.h"
#include "fingerprint.h"
#include "reorder.h"

#include <math.h>
#include <string.h>

struct search {
    cp_context *context;
    const cp_scene *scene;
    const struct copies_settings *settings;
    struct mesh_copy *copies;
    uint32_t *materials; /* for each: the first that is equal */
    double
        *stretches;   /* for each mesh: by how much its instances and its equals' stretch it; -1 when nobody shows it */
    uint64_t *hashes; /* for each mesh, of its content */
    uint32_t unfinished;
};

/* ---- materials and places ---- */

static cp_status join_materials(const struct search *search, struct arena *arena)
{
    struct name_map seen = {.context = search->context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < search->scene->material_count && status == CP_OK; i++) {
        const cp_material *m = &search->scene->materials[i];
        char *key = arena_print(arena, "%a %a %a %a %d %d %s", m->rgba[0], m->rgba[1], m->rgba[2], m->rgba[3], m->srgb,
                                m->two_sided, m->name);
        const uint32_t *first = key ? name_map_add(&seen, key, i, NULL) : NULL;
        if (first)
            search->materials[i] = *first;
        else
            status = CP_LIMIT;
    }
    name_map_free(&seen);
    return status;
}

/* Equal ones that say something in metadata are told apart: it would be lost. */
static void part_materials(const struct search *search)
{
    for (uint32_t i = 0; i < search->scene->metadata_count; i++)
        if (search->scene->metadata[i].owner == CP_OWNER_MATERIAL)
            search->materials[search->scene->metadata[i].index] = search->scene->metadata[i].index;
}

static cp_status find_materials(const struct search *search)
{
    struct arena *arena = arena_new(search->context);
    cp_status status = arena ? join_materials(search, arena) : CP_LIMIT;
    arena_free(arena);
    if (status == CP_OK)
        part_materials(search);
    return status;
}

static cp_status find_stretches(const struct search *search)
{
    const cp_scene *scene = search->scene;
    cp_pose *worlds = memory_allocate(search->context, scene->node_count, sizeof *worlds);
    cp_status status = worlds ? scene_world_poses(search->context, scene, NULL, worlds) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        search->stretches[i] = -1;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_pose pose = pose_multiply(&worlds[instance->node], &instance->transform);
        double *stretch = &search->stretches[instance->mesh];
        *stretch = fmax(*stretch, pose_stretch_bound(&pose));
    }
    memory_free(search->context, worlds, scene->node_count, sizeof *worlds);
    return status;
}

/* ---- equal meshes ---- */

static bool same_bytes(const void *a, const void *b, size_t count, size_t size)
{
    return a == b || (a && b && (count == 0 || memcmp(a, b, count * size) == 0));
}

static bool same_groups(const struct search *search, const cp_mesh *a, const cp_mesh *b)
{
    for (uint32_t i = 0; i < a->group_count; i++) {
        uint32_t p = a->groups[i].material, q = b->groups[i].material;
        bool same = p == q || (p != CP_NONE && q != CP_NONE && search->materials[p] == search->materials[q]);
        if (!same || a->groups[i].face_count != b->groups[i].face_count)
            return false;
    }
    return true;
}

/* All but positions and normals. */
static bool same_faces(const struct search *search, const cp_mesh *a, const cp_mesh *b)
{
    return a->kind == b->kind && a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           a->corner_count == b->corner_count && a->group_count == b->group_count && !a->normals == !b->normals &&
           same_bytes(a->colours, b->colours, a->vertex_count, 4 * sizeof *a->colours) &&
           same_bytes(a->face_offsets, b->face_offsets, (size_t)a->face_count + 1, sizeof *a->face_offsets) &&
           same_bytes(a->corners, b->corners, a->corner_count, sizeof *a->corners) && same_groups(search, a, b);
}

static bool same_mesh(const struct search *search, const cp_mesh *a, const cp_mesh *b)
{
    return same_faces(search, a, b) && a->sides == b->sides && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           same_bytes(a->positions, b->positions, a->vertex_count, 3 * sizeof *a->positions) &&
           same_bytes(a->normals, b->normals, a->vertex_count, 3 * sizeof *a->normals);
}

static uint64_t hash_array(const struct search *search, uint64_t before, const void *array, size_t count, size_t size)
{
    const uint64_t pair[2] = {before, array ? hash_bytes(search->context, array, count * size) : 1};
    return hash_bytes(search->context, pair, sizeof pair);
}

static uint64_t hash_mesh(const struct search *search, const cp_mesh *mesh)
{
    const uint32_t counts[] = {mesh->kind,       mesh->sides,        mesh->vertex_count,
                               mesh->face_count, mesh->corner_count, mesh->group_count};
    uint64_t hash = hash_array(search, 0, counts, sizeof counts, 1);
    hash = hash_array(search, hash, mesh->size, 3, sizeof *mesh->size);
    hash = hash_array(search, hash, mesh->positions, mesh->vertex_count, 3 * sizeof *mesh->positions);
    hash = hash_array(search, hash, mesh->normals, mesh->vertex_count, 3 * sizeof *mesh->normals);
    hash = hash_array(search, hash, mesh->colours, mesh->vertex_count, 4 * sizeof *mesh->colours);
    hash = hash_array(search, hash, mesh->corners, mesh->corner_count, sizeof *mesh->corners);
    hash = hash_array(search, hash, mesh->face_offsets, (size_t)mesh->face_count + 1, sizeof *mesh->face_offsets);
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        uint32_t material = mesh->groups[i].material;
        const uint32_t group[] = {mesh->groups[i].face_count,
                                  material == CP_NONE ? CP_NONE : search->materials[material]};
        hash = hash_array(search, hash, group, sizeof group, 1);
    }
    return hash;
}

/* The slot of an equal mesh, or the free one. The seed of the hash keeps others' meshes from meeting in one. */
static uint32_t *find_slot(const struct search *search, uint32_t *slots, size_t slot_count, uint32_t mesh)
{
    const cp_mesh *meshes = search->scene->meshes;
    size_t at = (size_t)search->hashes[mesh] & (slot_count - 1);
    while (slots[at] != CP_NONE &&
           (search->hashes[slots[at]] != search->hashes[mesh] || !same_mesh(search, &meshes[slots[at]], &meshes[mesh])))
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static cp_status find_equal(const struct search *search)
{
    uint32_t count = search->scene->mesh_count;
    size_t slot_count = 64;
    while (slot_count < 2 * (uint64_t)count)
        slot_count *= 2;
    uint32_t *slots = memory_allocate(search->context, slot_count, sizeof *slots);
    if (!slots)
        return CP_LIMIT;
    memset(slots, 0xff, slot_count * sizeof *slots);
    for (uint32_t i = 0; i < count; i++) {
        search->copies[i] = (struct mesh_copy){.leader = i, .motion = POSE_IDENTITY};
        if (search->stretches[i] < 0)
            continue;
        search->hashes[i] = hash_mesh(search, &search->scene->meshes[i]);
        uint32_t *slot = find_slot(search, slots, slot_count, i);
        *slot = *slot == CP_NONE ? i : *slot;
        search->copies[i].leader = *slot;
        search->stretches[*slot] = fmax(search->stretches[*slot], search->stretches[i]);
    }
    memory_free(search->context, slots, slot_count, sizeof *slots);
    return CP_OK;
}

/* ---- moved meshes ---- */

/* By how much the vertices of one mesh may be off, in its own unit. What is given is taken, but for a tenth of the
 * diameter: what is shown tiny now may be shown large at other joint values. Else what floats and most ASCII files
 * leave, 7 digits, but for a thousandth of the diameter: small parts far from the origin must not all look alike. */
static double own_tolerance(const struct search *search, const struct fingerprint *print)
{
    if (search->settings->tolerance > 0)
        return fmin(search->settings->tolerance / search->stretches[print->mesh], 0.2 * print->values[0]);
    return fmin(1e-6 * print->reach, 2e-3 * print->values[0]);
}

static double pair_tolerance(const struct search *search, const struct fingerprint *leader,
                             const struct fingerprint *copy)
{
    double size = search->settings->scaled && leader->radius > 0 ? copy->radius / leader->radius : 1;
    if (search->settings->tolerance > 0)
        return copy->tolerance;
    return fmin(leader->tolerance * size + copy->tolerance, 2e-3 * copy->values[0]);
}

static bool normals_agree(const cp_mesh *from, const cp_mesh *to, const cp_pose *motion)
{
    const double allowed = 1e-3; /* of unit vectors: 0.06 degrees */
    double matrix[3][3];
    mesh_normal_matrix(motion, matrix);
    for (size_t i = 0; from->normals && i < from->vertex_count; i++) {
        float moved[3];
        mesh_move_normal((const double(*)[3])matrix, from->normals + 3 * i, moved);
        for (size_t axis = 0; axis < 3; axis++)
            if (!(fabs((double)moved[axis] - (double)to->normals[3 * i + axis]) <= allowed))
                return false;
    }
    return true;
}

/* The usual case: one export, placed many times. */
static bool match_in_order(const struct search *search, const cp_mesh *from, const cp_mesh *to, double tolerance,
                           struct mesh_copy *copy)
{
    if (!same_faces(search, from, to))
        return false;
    const struct point_pairs pairs = {from->positions, to->positions, NULL, from->vertex_count};
    cp_pose best = align_points(&pairs, false, search->settings->scaled);
    copy->motion = align_to_axes(&pairs, &best);
    copy->displaced = align_deviation(&pairs, &copy->motion, tolerance);
    if (!(copy->displaced <= tolerance)) {
        copy->motion = best;
        copy->displaced = align_deviation(&pairs, &copy->motion, tolerance);
    }
    return copy->displaced <= tolerance && normals_agree(from, to, &copy->motion);
}

/* Up to so many leaders of a cluster are compared with a mesh. Real parts seldom have two. */
enum { MOST_LEADERS = 64, MOST_REORDERED = 8 };

struct leaders {
    uint32_t list[MOST_LEADERS]; /* indices of fingerprints */
    uint32_t count;
    bool more;
};

struct match {
    struct mesh_copy copy;
    bool found, given_up;
};

static cp_status match_reordered(const struct search *search, const struct fingerprint *leader,
                                 const struct fingerprint *print, struct match *match)
{
    const cp_mesh *meshes = search->scene->meshes;
    struct reorder_search reorder = {.context = search->context,
                                     .from = &meshes[leader->mesh],
                                     .to = &meshes[print->mesh],
                                     .materials = search->materials,
                                     .tolerance = pair_tolerance(search, leader, print),
                                     .scaled = search->settings->scaled};
    cp_status status = CP_OK;
    for (int side = 0; side < 2 && status == CP_OK && !match->found; side++) {
        reorder.mirrored = side == 1;
        if (side == 0 ? search->settings->reordered : search->settings->mirrored)
            status = reorder_match(&reorder, &match->copy.motion, &match->copy.displaced, &match->found);
    }
    match->given_up = match->given_up || reorder.given_up;
    match->copy.leader = leader->mesh;
    return status;
}

static cp_status match_leaders(struct search *search, const struct fingerprint *prints, const struct leaders *leaders,
                               const struct fingerprint *print)
{
    const cp_mesh *meshes = search->scene->meshes;
    struct match match = {.copy = {.moved = true}, .given_up = leaders->more};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < leaders->count && !match.found; i++) {
        const struct fingerprint *leader = &prints[leaders->list[i]];
        match.copy.leader = leader->mesh;
        match.found = match_in_order(search, &meshes[leader->mesh], &meshes[print->mesh],
                                     pair_tolerance(search, leader, print), &match.copy);
    }
    for (uint32_t i = 0; i < leaders->count && i < MOST_REORDERED && !match.found && status == CP_OK; i++)
        status = match_reordered(search, &prints[leaders->list[i]], print, &match);
    match.copy.displaced *= search->stretches[print->mesh];
    if (match.found)
        search->copies[print->mesh] = match.copy;
    else
        search->unfinished += match.given_up;
    return status;
}

/* In the order of the meshes: each joins the first leader that it is a copy of, else leads itself. */
static cp_status match_cluster(struct search *search, const struct fingerprint *prints, uint32_t begin, uint32_t end)
{
    struct leaders leaders = {.count = 0};
    cp_status status = CP_OK;
    for (uint32_t i = begin; i < end && status == CP_OK; i++) {
        status = match_leaders(search, prints, &leaders, &prints[i]);
        if (search->copies[prints[i].mesh].moved)
            continue;
        if (leaders.count < MOST_LEADERS)
            leaders.list[leaders.count++] = i;
        else
            leaders.more = true;
    }
    return status;
}

static bool may_be_moved(const struct search *search, uint32_t mesh)
{
    const cp_mesh *it = &search->scene->meshes[mesh];
    return search->stretches[mesh] >= 0 && search->copies[mesh].leader == mesh && it->kind < CP_MESH_BOX &&
           it->vertex_count > 0;
}

static cp_status match_clusters(struct search *search, struct fingerprint *prints, uint32_t count)
{
    if (!fingerprint_cluster(search->context, prints, count, search->settings->scaled))
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (uint32_t begin = 0, end; begin < count && status == CP_OK; begin = end) {
        for (end = begin + 1; end < count && prints[end].cluster == prints[begin].cluster;)
            end++;
        if (end - begin > 1)
            status = match_cluster(search, prints, begin, end);
    }
    return status;
}

static cp_status find_moved(struct search *search)
{
    const cp_scene *scene = search->scene;
    uint32_t count = 0;
    struct fingerprint *prints = memory_allocate(search->context, scene->mesh_count, sizeof *prints);
    if (!prints)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        if (!may_be_moved(search, i))
            continue;
        struct fingerprint *print = &prints[count++];
        *print = fingerprint_find(&scene->meshes[i], search->materials);
        print->mesh = i;
        print->tolerance = own_tolerance(search, print);
    }
    cp_status status = match_clusters(search, prints, count);
    memory_free(search->context, prints, scene->mesh_count, sizeof *prints);
    return status;
}

/* ---- all of it ---- */

/* A mesh equal to one that is a moved copy is one, too. */
static void follow_leaders(const struct search *search)
{
    for (uint32_t i = 0; i < search->scene->mesh_count; i++) {
        uint32_t leader = search->copies[i].leader;
        if (search->copies[leader].leader != leader)
            search->copies[i] = search->copies[leader];
    }
}

static cp_status find(struct search *search)
{
    cp_status status = find_materials(search);
    if (status == CP_OK)
        status = find_stretches(search);
    if (status == CP_OK)
        status = find_equal(search);
    if (status == CP_OK && search->settings->moved)
        status = find_moved(search);
    if (status == CP_OK)
        follow_leaders(search);
    return status;
}

cp_status find_copies(const cp_scene *scene, const struct copies_settings *settings, struct mesh_copy *copies,
                      uint32_t *unfinished)
{
    cp_context *context = scene->context;
    struct search search = {.context = context, .scene = scene, .settings = settings, .copies = copies};
    search.materials = memory_allocate(context, scene->material_count, sizeof *search.materials);
    search.stretches = memory_allocate(context, scene->mesh_count, sizeof *search.stretches);
    search.hashes = memory_allocate(context, scene->mesh_count, sizeof *search.hashes);
    cp_status status = search.materials && search.stretches && search.hashes ? find(&search) : CP_LIMIT;
    memory_free(context, search.materials, scene->material_count, sizeof *search.materials);
    memory_free(context, search.stretches, scene->mesh_count, sizeof *search.stretches);
    memory_free(context, search.hashes, scene->mesh_count, sizeof *search.hashes);
    *unfinished = search.unfinished;
    return status;
}

uint64_t cp_mesh_bytes(const cp_mesh *mesh)
{
    uint64_t vertex = sizeof(float) * (3u + (mesh->normals ? 3 : 0) + (mesh->colours ? 4 : 0));
    uint64_t offsets = mesh->face_offsets ? sizeof(uint32_t) * ((uint64_t)mesh->face_count + 1) : 0;
    return vertex * mesh->vertex_count + offsets + sizeof(uint32_t) * (uint64_t)mesh->corner_count +
           sizeof(cp_group) * (uint64_t)mesh->group_count;
}

cp_status cp_equal_meshes(cp_context *context, const cp_scene *scene, uint32_t *first)
{
    const struct copies_settings settings = {.moved = false};
    struct mesh_copy *copies = memory_allocate(context, scene->mesh_count, sizeof *copies);
    uint32_t unfinished;
    cp_status status = copies ? find_copies(scene, &settings, copies, &unfinished) : CP_LIMIT;
    for (uint32_t i = 0; status == CP_OK && i < scene->mesh_count; i++)
        first[i] = copies[i].leader;
    memory_free(context, copies, scene->mesh_count, sizeof *copies);
    return context_finish(context, status);
}
